/* What an end of a copy or a fill is: pageable memory, pinned memory, or a device's. Private to cl/transfer/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_SIDE_H
#define OCL_SIDE_H

#include "cl/state/state.h"

enum ocl_side_kind { OCL_SIDE_PAGEABLE, OCL_SIDE_PINNED, OCL_SIDE_DEVICE };

/* What an address means. */
struct ocl_side {
    enum ocl_side_kind kind;
    struct ocl_allocation *allocation; /* a reference; NULL for pageable memory */
    uint64_t address; /* a host pointer for host memory, the device address for device memory */
    uint64_t
        kernel_address; /* what kernels of the allocation's context use; 0 for pageable memory */
};

/* Owns: the caller releases the side when the commands that use it are enqueued; of an allocation that it holds, NULL for
 * none, the reference goes with the side. */
struct ocl_side ocl_side_find(uint64_t address);
struct ocl_side ocl_side_in(struct ocl_allocation *allocation, uint64_t address);
void ocl_side_release(struct ocl_side *side);

/* Around the commands of a copy or a fill, in the thread that gives them: they find managed memory on the device, whatever it
 * is attached to. source: NULL for a fill. end: only where begin says true. */
bool ocl_sides_begin(const struct ocl_side *source, const struct ocl_side *target);
void ocl_sides_end(void);

/* Whether the host may take the bytes as they are, once all earlier work is complete. */
bool ocl_side_is_host_memory(const struct ocl_side *side);

/* Whether kernels of context reach the first byte of side by its kernel_address. */
bool ocl_side_is_reached(const struct ocl_side *side, const struct ocl_context *context);

/* The OpenCL name of address, which lies in the side's allocation. */
struct ocl_place ocl_side_place(const struct ocl_side *side, uint64_t address);

#endif
