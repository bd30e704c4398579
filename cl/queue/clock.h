/* Device time written by a kernel. Private to cl/queue/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CLOCK_H
#define OCL_CLOCK_H

#include "cl/queue/command.h"

struct ocl_clock;
struct ocl_clock_slot; /* where one reading is written; counted */

/* Builds the kernel of kernels/clock.cl. Needs: kernels reach pinned host memory.
 * Errors: OCL_E_NOT_SUPPORTED when it does not build; the driver's. */
ocl_status ocl_clock_create(struct ocl_context *context, struct ocl_clock **clock);

/* Whether the readings are nanoseconds that pass as fast as the host's. Errors: OCL_E_NOT_SUPPORTED
 * when not; the driver's. */
ocl_status ocl_clock_prove(struct ocl_clock *clock);

/* Needs:  no reading is under way. Slots that events still hold stay valid, their readings do not.
 *         Safe on NULL. */
void ocl_clock_close(struct ocl_clock *clock);

/* A slot with one reference, or NULL without memory. Locks: none may be held; may allocate pinned
 * memory. */
struct ocl_clock_slot *ocl_clock_take(struct ocl_clock *clock);

void ocl_clock_retain(struct ocl_clock_slot *slot);

/* The slot is used again once its reading has been written. */
void ocl_clock_release(struct ocl_clock_slot *slot);

/* The same for a slot of which no reading was enqueued. Needs: the only reference. */
void ocl_clock_discard(struct ocl_clock_slot *slot);

/* Enqueues a reading. *kernel belongs to the queue's owner and is made when NULL.
 * Needs: nobody else uses *kernel meanwhile. */
ocl_status ocl_clock_enqueue(struct ocl_clock *clock, struct ocl_command *command,
                             cl_kernel *kernel, struct ocl_clock_slot *slot);

/* Whether the reading has been written; then all that was enqueued before it is complete.
 * Needs, as ocl_clock_read(): the clock is not closed. */
bool ocl_clock_is_written(const struct ocl_clock_slot *slot);

/* The reading in nanoseconds. Needs: it has been written. */
uint64_t ocl_clock_read(const struct ocl_clock_slot *slot);

#endif
