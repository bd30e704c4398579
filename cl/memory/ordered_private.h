/* What memory, queues and ordered pools know of each other. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_ORDERED_PRIVATE_H
#define OCL_ORDERED_PRIVATE_H

#include "cl/ordered_pool.h"
#include "cl/state/state.h"

/* An allocation as its pool sees it; ocl_allocation.ordered. From a slab. */
struct ocl_ordered {
    void *slab_word;
    struct ocl_ordered_pool *pool; /* with a reference */
    struct ocl_allocation *allocation;
    size_t capacity; /* bytes there are, at least as many as the allocation's */
    size_t used;     /* bytes counted as in use */
    /* Of a kept one, under its shard's lock: */
    const struct ocl_queue *queue; /* where it was freed; may be gone */
    const struct ocl_context *queue_context;
    uint64_t queue_id;
    uint64_t position; /* free for all when this many commands of queue are complete */
    struct ocl_ordered *next, *previous;
};

/* memory.c: makes device memory of ordered->capacity bytes, of which the user asked for bytes,
 * counts it as used and publishes it. ordered is the allocation's from then on, and forgotten when
 * this fails.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_allocation_make_ordered(struct ocl_context *context, size_t bytes,
                                       struct ocl_ordered *ordered, uint64_t *address);

/* memory.c: takes an unpublished allocation apart whose own reference the caller has. A lookup in
 * another thread may have one more for a moment: this waits until it has not. */
void ocl_allocation_end(struct ocl_allocation *allocation);

/* Takes back memory of a pool that the user freed without naming a queue: after the work of the
 * legacy queue and the blocking ones. That other work has ended is the user's promise then.
 * Needs: whoever cleared is_live calls. Errors: the context's failure; the memory is the pool's in
 *        either case. */
ocl_status ocl_ordered_give(struct ocl_allocation *allocation);

/* Counts memory as in use: before anybody can free it. */
void ocl_ordered_count_used(struct ocl_ordered *ordered);

/* The allocation is being taken apart. */
void ocl_ordered_forget(struct ocl_ordered *ordered);

/* memory.c: the id of one allocation more. */
uint64_t ocl_allocation_next_id(void);

/* What the pool's owner is, NULL when it has none any more.
 * Needs: a reference to the allocation. */
void *ocl_ordered_owner(const struct ocl_ordered *ordered);

/* After somebody has waited for work of the context: pools that hold more than their threshold give
 * back what they can. Nearly free when no pool holds anything. */
void ocl_ordered_settle(struct ocl_context *context);

/* Memory is short: as above without regard to thresholds. Returns whether there was anything. */
bool ocl_ordered_shrink(struct ocl_context *context);

/* The context is closing: its memory leaves all pools. Needs: all its work is complete; no other
 * thread uses it, though others may use the pools. */
void ocl_ordered_leave(struct ocl_context *context);

#endif
