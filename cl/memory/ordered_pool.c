/* Pools of stream-ordered memory: what they hold and count, and giving it back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/ordered_pool.h"

#include <sched.h>
#include <stdlib.h>

#include "cl/check/guard.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/memory/fixed_private.h"
#include "cl/memory/ordered_shard.h"
#include "cl/queue/queue_private.h"
#include "cl/slab.h"

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf: the list */
static struct ocl_ordered_pool *pools;                         /* newest first */
static _Atomic uint64_t pool_count;
static uint64_t last_id;
static struct ocl_slab slab = OCL_SLAB_INITIALIZER(sizeof(struct ocl_ordered));

/* --- Pools --- */

static bool pool_retain(struct ocl_ordered_pool *pool)
{
    uint32_t now = atomic_load(&pool->references);
    while (now != 0)
        if (atomic_compare_exchange_weak(&pool->references, &now, now + 1))
            return true;
    return false;
}

static void pool_release(struct ocl_ordered_pool *pool)
{
    if (atomic_fetch_sub(&pool->references, 1) != 1)
        return;
    pthread_mutex_lock(&pools_lock);
    if (pool->next)
        pool->next->previous = pool->previous;
    if (pool->previous)
        pool->previous->next = pool->next;
    else
        pools = pool->next;
    atomic_fetch_sub(&pool_count, 1);
    pthread_mutex_unlock(&pools_lock);
    for (size_t i = 0; i < OCL_SHARDS; i++)
        pthread_mutex_destroy(&pool->shards[i].lock);
    free(pool);
}

/* The next pool of the list with a reference, newest first, or NULL. *cursor is UINT64_MAX at
 * first. */
static struct ocl_ordered_pool *pool_next(uint64_t *cursor)
{
    struct ocl_ordered_pool *pool;
    if (atomic_load_explicit(&pool_count, memory_order_relaxed) == 0)
        return NULL;
    pthread_mutex_lock(&pools_lock);
    for (pool = pools; pool; pool = pool->next) {
        if (pool->id < *cursor && pool_retain(pool)) {
            *cursor = pool->id;
            break;
        }
    }
    pthread_mutex_unlock(&pools_lock);
    return pool;
}

ocl_status ocl_ordered_pool_create(uint64_t most_bytes, void *owner, struct ocl_ordered_pool **pool)
{
    struct ocl_ordered_pool *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->most_bytes = most_bytes;
    atomic_init(&made->references, 1);
    atomic_init(&made->owner, owner);
    for (size_t i = 0; i <= OCL_ORDERED_INTERNAL; i++)
        atomic_init(&made->settings[i], 1);
    for (size_t i = 0; i < OCL_SHARDS; i++)
        pthread_mutex_init(&made->shards[i].lock, NULL);
    pthread_mutex_lock(&pools_lock);
    made->id = ++last_id;
    made->next = pools;
    if (made->next)
        made->next->previous = made;
    pools = made;
    atomic_fetch_add(&pool_count, 1);
    pthread_mutex_unlock(&pools_lock);
    *pool = made;
    return OCL_OK;
}

uint64_t ocl_ordered_pool_get(const struct ocl_ordered_pool *pool,
                              enum ocl_ordered_attribute attribute)
{
    switch (attribute) {
    case OCL_ORDERED_RESERVED:
        return atomic_load(&pool->reserved);
    case OCL_ORDERED_RESERVED_HIGH:
        return atomic_load(&pool->reserved_high);
    case OCL_ORDERED_USED:
        return atomic_load(&pool->used);
    case OCL_ORDERED_USED_HIGH:
        return atomic_load(&pool->used_high);
    default:
        return atomic_load(&pool->settings[attribute]);
    }
}

void ocl_ordered_pool_set(struct ocl_ordered_pool *pool, enum ocl_ordered_attribute attribute,
                          uint64_t value)
{
    switch (attribute) {
    case OCL_ORDERED_RESERVED:
    case OCL_ORDERED_USED:
        break;
    case OCL_ORDERED_RESERVED_HIGH:
        atomic_store(&pool->reserved_high, atomic_load(&pool->reserved));
        break;
    case OCL_ORDERED_USED_HIGH:
        atomic_store(&pool->used_high, atomic_load(&pool->used));
        break;
    default:
        atomic_store(&pool->settings[attribute], value);
        break;
    }
}

bool ocl_ordered_pool_reserve(struct ocl_ordered_pool *pool, size_t bytes)
{
    uint64_t now = atomic_load(&pool->reserved);
    do {
        if (pool->most_bytes != 0 && (now > pool->most_bytes || bytes > pool->most_bytes - now))
            return false;
    } while (!atomic_compare_exchange_weak(&pool->reserved, &now, now + bytes));
    return true;
}

void ocl_ordered_pool_note_peak(struct ocl_ordered_pool *pool)
{
    ocl_counter_raise(&pool->reserved_high, atomic_load(&pool->reserved));
}

void ocl_ordered_count_used(struct ocl_ordered *ordered)
{
    struct ocl_ordered_pool *pool = ordered->pool;
    const size_t bytes = ordered->allocation->bytes;
    ordered->used = bytes;
    ocl_counter_raise(&pool->used_high, atomic_fetch_add(&pool->used, bytes) + bytes);
}

void ocl_ordered_count_unused(struct ocl_ordered *ordered)
{
    atomic_fetch_sub(&ordered->pool->used, ordered->used);
    ordered->used = 0;
}

/* --- Notes --- */

struct ocl_ordered *ocl_ordered_new(struct ocl_ordered_pool *pool, size_t capacity)
{
    struct ocl_ordered *made = ocl_slab_take(&slab);
    if (!made) {
        atomic_fetch_sub(&pool->reserved, capacity);
        return NULL;
    }
    made->pool = pool;
    made->allocation = NULL;
    made->capacity = capacity;
    made->used = 0;
    atomic_fetch_add(&pool->references, 1);
    return made;
}

void ocl_ordered_forget(struct ocl_ordered *ordered)
{
    struct ocl_ordered_pool *pool = ordered->pool;
    ocl_ordered_count_unused(ordered);
    atomic_fetch_sub(&pool->reserved, ordered->capacity);
    ocl_slab_give(&slab, ordered);
    pool_release(pool);
}

void *ocl_ordered_owner(const struct ocl_ordered *ordered)
{
    return atomic_load(&ordered->pool->owner);
}

/* --- Giving kept memory back --- */

/* A queue goes when its work is complete, so that work of one that is gone is. */
bool ocl_ordered_is_complete(const struct ocl_ordered *ordered)
{
    if (atomic_load(&ordered->queue->id) != ordered->queue_id)
        return true;
    return ocl_queue_has_finished(ordered->queue, ordered->queue_id, ordered->position);
}

/* Takes out what is complete, as long as *excess is not 0. The shard's lock is held. */
static void collect(struct ocl_shard *shard, const struct ocl_context *context, uint64_t *excess,
                    struct ocl_ordered **victims)
{
    for (unsigned rank = 0; rank<OCL_SHARD_CLASSES && * excess> 0; rank++) {
        if (!(shard->filled[rank / 64] >> rank % 64 & 1))
            continue;
        for (struct ocl_ordered *kept = shard->lists[rank], *next; kept && *excess > 0;
             kept = next) {
            next = kept->next;
            if ((context && kept->allocation->context != context) || !ocl_ordered_is_complete(kept))
                continue;
            ocl_shard_remove(shard, kept);
            *excess -= kept->capacity < *excess ? kept->capacity : *excess;
            kept->next = *victims;
            *victims = kept;
        }
    }
}

bool ocl_ordered_pool_release_kept(struct ocl_ordered_pool *pool, const struct ocl_context *context,
                                   uint64_t keep_bytes)
{
    const uint64_t reserved = atomic_load(&pool->reserved);
    uint64_t excess = reserved > keep_bytes ? reserved - keep_bytes : 0;
    struct ocl_ordered *victims = NULL;
    atomic_fetch_add(&pool->releasing, 1); /* a context that closes waits until they are gone */
    for (size_t i = 0; i < OCL_SHARDS && excess > 0; i++) {
        struct ocl_shard *shard = &pool->shards[i];
        if (!ocl_shard_has_any(shard))
            continue;
        pthread_mutex_lock(&shard->lock);
        collect(shard, context, &excess, &victims);
        pthread_mutex_unlock(&shard->lock);
    }
    const bool had_any = victims != NULL;
    while (victims) {
        struct ocl_ordered *next = victims->next;
        ocl_allocation_release(victims->allocation); /* its own */
        victims = next;
    }
    atomic_fetch_sub(&pool->releasing, 1);
    return had_any;
}

void ocl_ordered_pool_trim(struct ocl_ordered_pool *pool, uint64_t keep_bytes)
{
    (void)ocl_ordered_pool_release_kept(pool, NULL, keep_bytes);
}

void ocl_ordered_settle(struct ocl_context *context)
{
    uint64_t cursor = UINT64_MAX;
    struct ocl_ordered_pool *pool;
    (void)ocl_fixed_settle();
    while ((pool = pool_next(&cursor)) != NULL) {
        const uint64_t least = atomic_load(&pool->is_destroyed) || ocl_guard_is_on()
                                   ? 0
                                   : atomic_load(&pool->settings[OCL_ORDERED_THRESHOLD]);
        if (atomic_load(&pool->reserved) > least)
            (void)ocl_ordered_pool_release_kept(pool, context, least);
        pool_release(pool);
    }
}

bool ocl_ordered_shrink(struct ocl_context *context)
{
    uint64_t cursor = UINT64_MAX;
    struct ocl_ordered_pool *pool;
    bool had_any = ocl_fixed_settle();
    while ((pool = pool_next(&cursor)) != NULL) {
        had_any |= ocl_ordered_pool_release_kept(pool, context, 0);
        pool_release(pool);
    }
    return had_any;
}

static void leave_shard(struct ocl_shard *shard, const struct ocl_context *context)
{
    struct ocl_ordered *victims = NULL;
    pthread_mutex_lock(&shard->lock);
    for (unsigned rank = 0; rank < OCL_SHARD_CLASSES; rank++) {
        for (struct ocl_ordered *kept = shard->lists[rank], *next; kept; kept = next) {
            next = kept->next;
            if (kept->allocation->context != context)
                continue;
            ocl_shard_remove(shard, kept);
            kept->next = victims;
            victims = kept;
        }
    }
    pthread_mutex_unlock(&shard->lock);
    while (victims) {
        struct ocl_ordered *next = victims->next;
        ocl_allocation_end(victims->allocation);
        victims = next;
    }
}

void ocl_ordered_leave(struct ocl_context *context)
{
    uint64_t cursor = UINT64_MAX;
    struct ocl_ordered_pool *pool;
    while ((pool = pool_next(&cursor)) != NULL) {
        for (size_t i = 0; i < OCL_SHARDS; i++)
            leave_shard(&pool->shards[i], context);
        while (atomic_load(&pool->releasing) != 0)
            sched_yield();
        pool_release(pool);
    }
}

void ocl_ordered_pool_destroy(struct ocl_ordered_pool *pool)
{
    if (!pool)
        return;
    atomic_store(&pool->owner, NULL);
    atomic_store(&pool->is_destroyed, true);
    ocl_ordered_pool_trim(pool, 0);
    pool_release(pool);
}
