/* Inside a stream-ordered pool: its shards, and what handing out and giving back share. Private to cl/memory/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_ORDERED_SHARD_H
#define OCL_ORDERED_SHARD_H

#include "cl/base/size_class.h"
#include "cl/memory/ordered_private.h"

/* What was freed stays an allocation that the registry holds, only not a live one, with a note of
 * the queue and the number of commands it was freed behind. To hand it out again takes a list, a
 * number or two and no look at the driver. The notes stand in shards, chosen by the queue where the
 * memory was freed: threads with queues of their own never meet. */

/* What is kept stands in the highest size class it reaches. */
enum { OCL_SHARD_CLASSES = 320, OCL_SHARDS = 32 };

struct ocl_shard {
    pthread_mutex_t lock; /* a leaf */
    _Atomic uint32_t count;
    uint64_t filled[OCL_SHARD_CLASSES / 64]; /* bit c: list c is not empty */
    struct ocl_ordered *lists[OCL_SHARD_CLASSES];
};

struct ocl_ordered_pool {
    uint64_t id;                 /* rises with every pool made */
    _Atomic uint32_t references; /* the owner's, one of each allocation, and of each walk */
    _Atomic(void *) owner;       /* NULL when destroyed */
    _Atomic bool is_destroyed;
    uint64_t most_bytes;
    _Atomic uint64_t settings[OCL_ORDERED_THRESHOLD + 1];
    _Atomic uint64_t used, used_high, reserved, reserved_high;
    _Atomic uint32_t in_vain;                 /* waits for a queue's end since one was worth it */
    _Atomic uint32_t releasing;               /* threads that are giving blocks back */
    struct ocl_ordered_pool *next, *previous; /* pools_lock */
    struct ocl_shard shards[OCL_SHARDS];
};

static inline struct ocl_shard *ocl_shard_of(struct ocl_ordered_pool *pool, uint64_t queue_id)
{
    return &pool->shards[queue_id % OCL_SHARDS];
}

static inline unsigned ocl_shard_class(size_t bytes)
{
    const unsigned rank = ocl_size_class(bytes);
    return rank < OCL_SHARD_CLASSES ? rank : OCL_SHARD_CLASSES - 1;
}

/* For the next three the shard's lock is held; the last may also be asked without it, for a guess. */
static inline void ocl_shard_add(struct ocl_shard *shard, struct ocl_ordered *ordered)
{
    const unsigned rank = ocl_shard_class(ordered->capacity);
    ordered->previous = NULL;
    ordered->next = shard->lists[rank];
    if (ordered->next)
        ordered->next->previous = ordered;
    shard->lists[rank] = ordered;
    shard->filled[rank / 64] |= (uint64_t)1 << rank % 64;
    atomic_fetch_add_explicit(&shard->count, 1, memory_order_relaxed);
}

static inline void ocl_shard_remove(struct ocl_shard *shard, struct ocl_ordered *ordered)
{
    const unsigned rank = ocl_shard_class(ordered->capacity);
    if (ordered->next)
        ordered->next->previous = ordered->previous;
    if (ordered->previous)
        ordered->previous->next = ordered->next;
    else
        shard->lists[rank] = ordered->next;
    if (!shard->lists[rank])
        shard->filled[rank / 64] &= ~((uint64_t)1 << rank % 64);
    atomic_fetch_sub_explicit(&shard->count, 1, memory_order_relaxed);
}

static inline bool ocl_shard_has_any(struct ocl_shard *shard)
{
    return atomic_load_explicit(&shard->count, memory_order_relaxed) > 0;
}

static inline bool ocl_ordered_pool_is_on(const struct ocl_ordered_pool *pool,
                                          enum ocl_ordered_attribute setting)
{
    return atomic_load_explicit(&pool->settings[setting], memory_order_relaxed) != 0;
}

/* Counts bytes as held, if the pool may hold that much. */
bool ocl_ordered_pool_reserve(struct ocl_ordered_pool *pool, size_t bytes);

/* After memory was made: what failed leaves no peak. */
void ocl_ordered_pool_note_peak(struct ocl_ordered_pool *pool);

/* The note of memory that is being made, with a reference to the pool. NULL without memory.
 * Needs: capacity is reserved; it is no more when this fails. */
struct ocl_ordered *ocl_ordered_new(struct ocl_ordered_pool *pool, size_t capacity);
void ocl_ordered_count_unused(struct ocl_ordered *ordered);

/* Whether the work is complete behind which kept memory was freed, as far as is known without asking
 * the driver. Locks: its shard's is held. */
bool ocl_ordered_is_complete(const struct ocl_ordered *ordered);

/* Gives complete memory of context, or of any, back until the pool holds no more than keep_bytes.
 * Returns whether there was any. */
bool ocl_ordered_pool_release_kept(struct ocl_ordered_pool *pool, const struct ocl_context *context,
                                   uint64_t keep_bytes);

#endif
