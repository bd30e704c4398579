/* Memory for blocks while they run. A thread gets the piece that it had last, if nobody has that: it is in the caches of its own
 * processor, and so is what says whether somebody has it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/native/scratch.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "cl/base/holders.h"
#include "cl/thread.h"

enum { ALIGNMENT = 64 };

static const uint64_t most_bytes = (uint64_t)1 << 36; /* no thread block comes to so many */

/* larger: what takes the place of `memory`, before the next one has it. */
struct ocl_scratch_slot {
    _Alignas(ALIGNMENT) _Atomic bool is_taken;
    void *memory; /* of who has it, and so is `bytes` */
    size_t bytes;
    _Atomic(struct larger *) larger;
};

/* The memory begins with it, until it is taken over. */
struct larger {
    size_t bytes;
};

struct ocl_scratch_pool {
    struct ocl_holders holders;
    _Alignas(ALIGNMENT) size_t count; /* slots */
    _Atomic size_t ready;             /* bytes that slots have or will have */
    pthread_mutex_t growing;          /* one thread reserves; a leaf */
    struct ocl_scratch_slot slots[];
};

struct ocl_scratch_pool *ocl_scratch_pool_create(size_t count)
{
    struct ocl_scratch_pool *made =
        aligned_alloc(ALIGNMENT, sizeof *made + count * sizeof *made->slots);
    if (!made)
        return NULL;
    ocl_holders_begin(&made->holders);
    made->count = count;
    atomic_init(&made->ready, 0);
    pthread_mutex_init(&made->growing, NULL);
    for (size_t i = 0; i < count; i++) {
        made->slots[i].memory = NULL;
        made->slots[i].bytes = 0;
        atomic_init(&made->slots[i].is_taken, false);
        atomic_init(&made->slots[i].larger, NULL);
    }
    return made;
}

static void free_pool(struct ocl_scratch_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++) {
        free(pool->slots[i].memory);
        free(atomic_load(&pool->slots[i].larger));
    }
    pthread_mutex_destroy(&pool->growing);
    free(pool);
}

void ocl_scratch_pool_release(struct ocl_scratch_pool *pool)
{
    if (pool && ocl_holders_end(&pool->holders))
        free_pool(pool);
}

void ocl_scratch_pool_hold(struct ocl_scratch_pool *pool)
{
    ocl_holders_take(&pool->holders);
}

void ocl_scratch_pool_let_go(struct ocl_scratch_pool *pool)
{
    if (ocl_holders_give(&pool->holders))
        free_pool(pool);
}

/* Sizes are rounded up so that a program comes to few of them. NULL without memory. */
static struct larger *make_larger(size_t wanted)
{
    size_t bytes = 4096;
    while (bytes < wanted)
        bytes *= 2;
    struct larger *made = aligned_alloc(ALIGNMENT, bytes);
    if (made)
        made->bytes = bytes;
    return made;
}

/* Lock held. What was there for others to take over goes, unless they have it by now. */
static bool reserve(struct ocl_scratch_pool *pool, size_t bytes)
{
    struct larger **made = calloc(pool->count, sizeof *made);
    size_t count = 0;
    while (made && count < pool->count && (made[count] = make_larger(bytes)) != NULL)
        count++;
    const bool has_all = made && count == pool->count;
    const size_t ready = has_all && count > 0 ? made[0]->bytes : 0;
    for (size_t i = 0; has_all && i < count; i++)
        made[i] = atomic_exchange(&pool->slots[i].larger, made[i]);
    for (size_t i = 0; i < count; i++)
        free(made[i]);
    free(made);
    if (has_all)
        atomic_store(&pool->ready, ready);
    return has_all;
}

bool ocl_scratch_reserve(struct ocl_scratch_pool *pool, size_t bytes)
{
    if (bytes <= atomic_load(&pool->ready))
        return true;
    if (bytes > most_bytes)
        return false;
    pthread_mutex_lock(&pool->growing);
    const bool is_there = bytes <= atomic_load(&pool->ready) || reserve(pool, bytes);
    pthread_mutex_unlock(&pool->growing);
    return is_there;
}

static bool try_slot(struct ocl_scratch_slot *slot)
{
    if (atomic_exchange_explicit(&slot->is_taken, true, memory_order_acquire))
        return false;
    if (!atomic_load_explicit(&slot->larger, memory_order_relaxed))
        return true;
    struct larger *const larger = atomic_exchange(&slot->larger, NULL);
    const size_t bytes = larger->bytes;
    free(slot->memory);
    slot->memory = larger;
    slot->bytes = bytes;
    return true;
}

/* NULL: others have all. */
static struct ocl_scratch_slot *take_slot(struct ocl_scratch_pool *pool)
{
    struct ocl_thread *const thread = ocl_thread();
    const size_t last = ((uintptr_t)thread->scratch - (uintptr_t)pool->slots) / sizeof *pool->slots;
    if (last < pool->count && try_slot(&pool->slots[last]))
        return &pool->slots[last];
    for (size_t i = 0; i < pool->count; i++)
        if (try_slot(&pool->slots[i])) {
            thread->scratch = &pool->slots[i];
            return &pool->slots[i];
        }
    return NULL;
}

struct ocl_scratch ocl_scratch_take(struct ocl_scratch_pool *pool, size_t bytes)
{
    if (bytes == 0)
        return (struct ocl_scratch){0};
    for (;;) {
        struct ocl_scratch_slot *const slot = take_slot(pool);
        if (slot)
            return (struct ocl_scratch){slot->memory, slot->bytes, slot};
        struct larger *const own = make_larger(bytes);
        if (own)
            return (struct ocl_scratch){own, own->bytes, NULL};
        sched_yield();
    }
}

void ocl_scratch_give(struct ocl_scratch scratch)
{
    if (scratch.slot)
        atomic_store_explicit(&scratch.slot->is_taken, false, memory_order_release);
    else
        free(scratch.memory);
}
