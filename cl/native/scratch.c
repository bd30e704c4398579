/* Memory for blocks while they run. The pieces that wait are a stack: what was used last is in the processor's caches. A thread
 * gets the piece that it had last, if that waits: it is in the caches of its own processor.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/native/scratch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "cl/base/steady.h"
#include "cl/thread.h"

enum { ALIGNMENT = 64 };

static const uint64_t most_bytes = (uint64_t)1 << 36; /* no thread block comes to so many */

struct ocl_scratch_pool {
    _Atomic size_t references;
    size_t count;            /* of the pieces that are there at least */
    pthread_mutex_t growing; /* one thread reserves; outside of the next */
    pthread_mutex_t lock;    /* a leaf: the rest */
    pthread_cond_t given;
    _Atomic size_t ready;      /* bytes that pieces have; older ones, with less, are taken still */
    size_t waiting;            /* pieces */
    struct ocl_scratch free[]; /* the last is taken first */
};

struct ocl_scratch_pool *ocl_scratch_pool_create(size_t count)
{
    struct ocl_scratch_pool *made = calloc(1, sizeof *made + count * sizeof *made->free);
    if (!made)
        return NULL;
    atomic_init(&made->references, 1);
    made->count = count;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->given, NULL);
    return made;
}

static void free_pieces(const struct ocl_scratch *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(pieces[i].memory);
}

void ocl_scratch_pool_hold(struct ocl_scratch_pool *pool)
{
    atomic_fetch_add_explicit(&pool->references, 1, memory_order_relaxed);
}

void ocl_scratch_pool_release(struct ocl_scratch_pool *pool)
{
    if (!pool || atomic_fetch_sub_explicit(&pool->references, 1, memory_order_acq_rel) != 1)
        return;
    free_pieces(pool->free, pool->waiting);
    pthread_cond_destroy(&pool->given);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* Sizes are rounded up so that a program comes to few of them. */
static struct ocl_scratch make_piece(size_t wanted)
{
    size_t bytes = 4096;
    while (bytes < wanted)
        bytes *= 2;
    return (struct ocl_scratch){aligned_alloc(ALIGNMENT, bytes), bytes};
}

/* The new pieces take the place of those that wait, unless another thread has reserved as much meanwhile. */
static void replace(struct ocl_scratch_pool *pool, struct ocl_scratch *pieces)
{
    size_t old = pool->count;
    pthread_mutex_lock(&pool->lock);
    if (pieces[0].bytes > atomic_load(&pool->ready)) {
        old = pool->waiting;
        atomic_store(&pool->ready, pieces[0].bytes);
        for (size_t i = 0; i < pool->count; i++) {
            const struct ocl_scratch made = pieces[i];
            pieces[i] = pool->free[i];
            pool->free[i] = made;
        }
        pool->waiting = pool->count;
        pthread_cond_broadcast(&pool->given);
    }
    pthread_mutex_unlock(&pool->lock);
    free_pieces(pieces, old);
}

bool ocl_scratch_reserve(struct ocl_scratch_pool *pool, size_t bytes)
{
    if (bytes <= atomic_load_explicit(&pool->ready, memory_order_relaxed))
        return true;
    if (bytes > most_bytes)
        return false;
    struct ocl_scratch *pieces = calloc(pool->count, sizeof *pieces);
    size_t made = 0;
    while (pieces && made < pool->count && (pieces[made] = make_piece(bytes)).memory)
        made++;
    const bool has_all = pieces && made == pool->count;
    if (has_all)
        replace(pool, pieces);
    else if (pieces)
        free_pieces(pieces, made);
    free(pieces);
    return has_all;
}

/* It is held for a few instructions, and threads that share a launch come at once: to sleep would take longer. */
static void lock_soon(struct ocl_scratch_pool *pool)
{
    enum { LOOKS = 200 };
    for (int i = 0; i < LOOKS; i++)
        if (pthread_mutex_trylock(&pool->lock) == 0)
            return;
    pthread_mutex_lock(&pool->lock);
}

/* Those that wait all have what was reserved. Lock held. */
static struct ocl_scratch pop(struct ocl_scratch_pool *pool)
{
    struct ocl_thread *const thread = ocl_thread();
    if (pool->waiting == 0)
        return (struct ocl_scratch){0};
    const size_t last = --pool->waiting;
    size_t which = last;
    for (size_t i = 0; i < last; i++)
        which = pool->free[i].memory == thread->scratch ? i : which;
    const struct ocl_scratch taken = pool->free[which];
    pool->free[which] = pool->free[last];
    thread->scratch = taken.memory;
    return taken;
}

struct ocl_scratch ocl_scratch_take(struct ocl_scratch_pool *pool, size_t bytes)
{
    if (bytes == 0)
        return (struct ocl_scratch){0};
    lock_soon(pool);
    struct ocl_scratch taken = pop(pool);
    pthread_mutex_unlock(&pool->lock);
    if (!taken.memory)
        taken = make_piece(bytes);
    if (taken.memory)
        return taken;
    pthread_mutex_lock(&pool->lock);
    for (taken = pop(pool); !taken.memory; taken = pop(pool))
        ocl_steady_wait(&pool->given, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return taken;
}

void ocl_scratch_give(struct ocl_scratch_pool *pool, struct ocl_scratch scratch)
{
    if (!scratch.memory)
        return;
    lock_soon(pool);
    if (scratch.bytes >= atomic_load(&pool->ready) && pool->waiting < pool->count) {
        pool->free[pool->waiting++] = scratch;
        scratch.memory = NULL;
        pthread_cond_signal(&pool->given);
    }
    pthread_mutex_unlock(&pool->lock);
    free(scratch.memory);
}
