/* Device memory that stands for pinned memory which kernels do not see. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TWIN_H
#define OCL_TWIN_H

#include "cl/memory/allocation.h"
#include "cl/state/state.h"

/* The buffer of pinned memory stays mapped for the host. A kernel given that buffer works on the
 * host's bytes only where they are the device's as well, or where kernels reach them by address
 * anyway; elsewhere it would work on a copy of its own, unnoticed. There a launch gets a twin in
 * its place: device memory of the same size, which the pinned memory is written to before the
 * launch and read back from after it, in the queue's order.
 *
 * Launches that use a twin follow one another, also in different queues. What the host itself
 * writes while such a launch runs may be overwritten by the bytes that are read back. */
struct ocl_twin;

/* Whether kernels that get the allocation's buffer work on the allocation's bytes. */
bool ocl_twin_is_needed(const struct ocl_allocation *allocation);

/* Where byte `offset` of the allocation is in its twin, which is made at the first request and goes
 * with the allocation.
 * Needs:  a reference to the allocation. Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_twin_find(struct ocl_allocation *allocation, uint64_t offset, cl_mem *buffer,
                         size_t *place);

/* When the allocation is taken apart. Safe on NULL. Needs: no command uses the twin any more. */
void ocl_twin_destroy(struct ocl_twin *twin);

/* Commands of a launch that uses the twin: writes it, behind the launch that used it last; reads it back; and notes
 * that event is behind them all.
 * Locks:  twin_lock. Errors: the driver's; the sticky failure. */
ocl_status ocl_twin_write(struct ocl_twin *twin, const struct ocl_allocation *allocation,
                          struct ocl_queue *queue);
ocl_status ocl_twin_read(const struct ocl_twin *twin, const struct ocl_allocation *allocation,
                         struct ocl_queue *queue);
ocl_status ocl_twin_note(struct ocl_twin *twin, const struct ocl_queue *queue, cl_event event);

#endif
