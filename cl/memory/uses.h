/* Which queues use an allocation, for what is said of a free that none of them is known to come before. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_USES_H
#define OCL_USES_H

#include <stdbool.h>
#include <stdint.h>

struct ocl_allocation;
struct ocl_queue;

/* Whether uses are noted: under --check=guard or memory. */
bool ocl_uses_are_wanted(void);

/* What the queue has got so far uses the allocation, unless that is NULL. Nothing where nobody wants to know.
 * Needs: a reference. Locks: a leaf. */
void ocl_use_note(const struct ocl_allocation *allocation, const struct ocl_queue *queue);

/* The allocation is freed in the order of a queue: reports a use by another one that the free does not come after, by events,
 * kinds of streams or a wait of the host's. Needs: ocl_queue_order() of the queue. */
void ocl_use_check_free(const struct ocl_allocation *allocation, struct ocl_queue *queue);

/* It is gone. */
void ocl_use_forget(const struct ocl_allocation *allocation);

#endif
