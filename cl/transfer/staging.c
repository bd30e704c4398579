/* Pinned host memory through which pageable memory travels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer/staging.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/block/block.h"
#include "cl/memory.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"
#include "cl/transfer/transfer_plan.h"

/* 256 small chunks (16 MiB) let as many small copies wait behind a busy queue before the next call
 * has to wait too; eight large ones keep the bus and the copying threads of two transfers busy at
 * once. There may be more: what a chunk waits for may itself wait for who wants one. */
enum {
    SMALL_BLOCK = 1024 * 1024,
    SMALL_IN_BLOCK = SMALL_BLOCK / OCL_STAGING_SMALL,
    MAX_SMALL = 256,
    MAX_LARGE = 8,
    SMALL_LIMIT = 2048,
    LARGE_LIMIT = 64,
    PATTERNS = 4,
    LOOK_AGAIN_MS = 10, /* a gate may close meanwhile, which nobody tells */
    MAX_BLOCKS = SMALL_LIMIT / SMALL_IN_BLOCK + LARGE_LIMIT
};

/* Chunks of one size, the longest unused first. */
struct ring {
    struct ocl_chunk *first, **last;
    size_t chunk_bytes, block_bytes;
    unsigned count, most, limit;
    _Atomic unsigned
        pending; /* how many of its chunks a command uses, as far as is known (staging lock to write) */
};

struct ocl_staging {
    struct ocl_context *context;
    pthread_mutex_t lock;
    pthread_cond_t given;
    struct ring small, large;
    /* Small chunks full of a pattern, which nobody writes to, and those that may become such. */
    struct ocl_chunk *patterns[PATTERNS];
    unsigned pattern_count, pattern_room;
    struct ocl_block *blocks[MAX_BLOCKS];
    unsigned block_count;
    struct ocl_copy_pool *pool;
    struct ocl_queue *queue; /* for calls that were given to another context's queue */
};

/* ---- Life ---- */

static ocl_status grow(struct ocl_staging *staging, struct ring *ring);
static struct ocl_chunk *detach(struct ring *ring, struct ocl_chunk **link);

static void init_ring(struct ring *ring, size_t chunk_bytes, size_t block_bytes, unsigned most,
                      unsigned limit)
{
    ring->first = NULL;
    ring->last = &ring->first;
    ring->chunk_bytes = chunk_bytes;
    ring->block_bytes = block_bytes;
    ring->count = 0;
    ring->most = most;
    ring->limit = limit;
    atomic_init(&ring->pending, 0);
}

/* Pinning memory may wait for work that goes on, which an asynchronous copy must not: so the first small
 * chunks are there before any work is. Without them the first copy makes its own. */
static void prepare_small(struct ocl_staging *staging)
{
    pthread_mutex_lock(&staging->lock);
    (void)grow(staging, &staging->small);
    while (staging->small.first && staging->pattern_room < PATTERNS)
        staging->patterns[staging->pattern_room++] = detach(&staging->small, &staging->small.first);
    pthread_mutex_unlock(&staging->lock);
}

ocl_status ocl_staging_create(struct ocl_context *context)
{
    const struct ocl_transfer_limits *limits = ocl_plan_limits(context->device->facts.device_class);
    struct ocl_staging *made = calloc(1, sizeof *made);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = ocl_copy_pool_create(limits->copy_threads, &made->pool);
    if (status != OCL_OK) {
        free(made);
        return status;
    }
    made->context = context;
    pthread_mutex_init(&made->lock, NULL);
    ocl_condition_init(&made->given);
    init_ring(&made->small, OCL_STAGING_SMALL, SMALL_BLOCK, MAX_SMALL, SMALL_LIMIT);
    init_ring(&made->large, limits->chunk, limits->chunk, MAX_LARGE, LARGE_LIMIT);
    context->staging = made;
    if (!context->capability.device_is_host_memory)
        prepare_small(made);
    return OCL_OK;
}

static void release_pending(struct ocl_chunk *chunk)
{
    clReleaseEvent(chunk->pending);
    if (chunk->sent)
        clReleaseEvent(chunk->sent);
    chunk->pending = chunk->sent = NULL;
}

static void free_ring(struct ring *ring)
{
    while (ring->first) {
        struct ocl_chunk *chunk = ring->first;
        assert(!chunk->is_taken);
        ring->first = chunk->next;
        if (chunk->pending)
            release_pending(chunk);
        free(chunk);
    }
}

void ocl_staging_destroy(struct ocl_context *context)
{
    struct ocl_staging *staging = context->staging;

    if (!staging)
        return;
    context->staging = NULL;
    ocl_copy_pool_destroy(staging->pool);
    free_ring(&staging->small);
    free_ring(&staging->large);
    for (unsigned i = 0; i < staging->pattern_room; i++)
        free(staging->patterns[i]);
    for (unsigned i = 0; i < staging->block_count; i++)
        ocl_block_destroy(staging->blocks[i]);
    pthread_cond_destroy(&staging->given);
    pthread_mutex_destroy(&staging->lock);
    free(staging);
}

/* Staging lock held. */
static const void *find_pattern(const struct ocl_staging *staging, uint32_t pattern)
{
    for (unsigned i = 0; i < staging->pattern_count; i++)
        if (memcmp(staging->patterns[i]->host, &pattern, sizeof pattern) == 0)
            return staging->patterns[i]->host;
    return NULL;
}

/* The first patterns stay: what a command reads must not change. Staging lock held. */
static const void *add_pattern(struct ocl_staging *staging, uint32_t pattern)
{
    if (staging->pattern_count == staging->pattern_room)
        return NULL;
    struct ocl_chunk *chunk = staging->patterns[staging->pattern_count++];
    for (size_t i = 0; i < chunk->bytes; i += sizeof pattern)
        memcpy(chunk->host + i, &pattern, sizeof pattern);
    return chunk->host;
}

const void *ocl_staging_pattern(struct ocl_staging *staging, uint32_t pattern)
{
    pthread_mutex_lock(&staging->lock);
    const void *found = find_pattern(staging, pattern);
    if (!found)
        found = add_pattern(staging, pattern);
    pthread_mutex_unlock(&staging->lock);
    return found;
}

struct ocl_copy_pool *ocl_staging_pool(struct ocl_staging *staging)
{
    return staging->pool;
}

/* Two threads may make the queue at once: the second one's is given back. */
static ocl_status make_queue(struct ocl_staging *staging, struct ocl_queue **queue)
{
    struct ocl_queue *made;
    const ocl_status status = ocl_queue_create(staging->context, OCL_QUEUE_NON_BLOCKING, 0, &made);

    if (status != OCL_OK)
        return status;
    pthread_mutex_lock(&staging->lock);
    if (!staging->queue) {
        staging->queue = made;
        made = NULL;
    }
    *queue = staging->queue;
    pthread_mutex_unlock(&staging->lock);
    if (made)
        ocl_queue_destroy(made);
    return OCL_OK;
}

ocl_status ocl_staging_queue(struct ocl_staging *staging, const struct ocl_queue *given,
                             struct ocl_queue **queue)
{
    if (given->kind == OCL_QUEUE_LEGACY) {
        *queue = staging->context->legacy;
        return OCL_OK;
    }
    pthread_mutex_lock(&staging->lock);
    *queue = staging->queue;
    pthread_mutex_unlock(&staging->lock);
    return *queue ? OCL_OK : make_queue(staging, queue);
}

/* ---- Chunks ---- */

/* Puts chunk in front, because it is ready, and may be in caches yet. Staging lock held. */
static void prepend(struct ring *ring, struct ocl_chunk *chunk)
{
    chunk->next = ring->first;
    if (!ring->first)
        ring->last = &chunk->next;
    ring->first = chunk;
}

/* Puts chunk at the end of its ring. Staging lock held. */
static void append(struct ring *ring, struct ocl_chunk *chunk)
{
    chunk->next = NULL;
    *ring->last = chunk;
    ring->last = &chunk->next;
}

/* Takes *link out of its ring. Staging lock held. */
static struct ocl_chunk *detach(struct ring *ring, struct ocl_chunk **link)
{
    struct ocl_chunk *chunk = *link;

    *link = chunk->next;
    if (!*link)
        ring->last = link;
    if (chunk->pending)
        atomic_fetch_sub(&ring->pending, 1);
    chunk->next = NULL;
    chunk->queue = NULL;
    chunk->is_taken = true;
    return chunk;
}

/* How the commands of chunk have ended: pending's state, which is no success where sent has failed. */
static cl_int pending_state(const struct ocl_chunk *chunk)
{
    const cl_int state = ocl_event_news(chunk->pending);
    const cl_int sent =
        chunk->sent && state == CL_COMPLETE ? ocl_event_news(chunk->sent) : CL_COMPLETE;

    return sent != CL_COMPLETE ? sent : state;
}

/* The longest unused chunk when no command uses it any more. Only that one is asked about: it was
 * given back first. What failed is left to settle(). Staging lock held. */
static struct ocl_chunk *take_ready(struct ring *ring)
{
    struct ocl_chunk *chunk = ring->first;
    const cl_int state = chunk && chunk->pending ? pending_state(chunk) : CL_COMPLETE;

    if (!chunk || state > CL_COMPLETE)
        return NULL;
    struct ocl_chunk *taken = detach(ring, &ring->first);
    if (taken->pending && state == CL_COMPLETE)
        release_pending(taken);
    return taken;
}

/* Adds the chunks of a new block to the ring, which had room for them. Staging lock held. */
static ocl_status add_chunks(struct ocl_staging *staging, struct ring *ring,
                             struct ocl_block *block)
{
    for (size_t offset = 0; offset < ring->block_bytes; offset += ring->chunk_bytes) {
        struct ocl_chunk *chunk = calloc(1, sizeof *chunk);
        if (!chunk)
            return offset ? OCL_OK : OCL_E_OUT_OF_MEMORY;
        chunk->host = (unsigned char *)block->pointer + offset;
        chunk->bytes = ring->chunk_bytes;
        prepend(ring, chunk);
    }
    assert(staging->block_count < MAX_BLOCKS);
    staging->blocks[staging->block_count++] = block;
    return OCL_OK;
}

/* Makes the ring larger by one block; called and returns with the lock held, which is open in
 * between. Room was taken beforehand, so that no other thread takes it too. */
static ocl_status grow(struct ocl_staging *staging, struct ring *ring)
{
    const unsigned chunks = (unsigned)(ring->block_bytes / ring->chunk_bytes);
    struct ocl_block *block = NULL;

    ring->count += chunks;
    pthread_mutex_unlock(&staging->lock);
    ocl_status status = ocl_block_create_host(staging->context, ring->block_bytes, &block);
    pthread_mutex_lock(&staging->lock);
    if (status == OCL_OK)
        status = add_chunks(staging, ring, block);
    if (status == OCL_OK) {
        pthread_cond_broadcast(&staging->given);
        return OCL_OK;
    }
    ring->count -= chunks;
    pthread_cond_broadcast(&staging->given); /* who waits for these chunks may try itself */
    if (block) {
        pthread_mutex_unlock(&staging->lock);
        ocl_block_destroy(block);
        pthread_mutex_lock(&staging->lock);
    }
    return status;
}

/* Waits for the command that used chunk; its failure is the context's, and no reason not to use the
 * chunk. */
static void settle(struct ocl_staging *staging, struct ocl_chunk *chunk)
{
    if (!chunk->pending)
        return;
    (void)ocl_queue_wait_for_event(staging->context, chunk->pending);
    if (chunk->sent)
        (void)ocl_queue_wait_for_event(staging->context, chunk->sent);
    release_pending(chunk);
}

/* A queue that is gone tells nothing: its command is asked. */
static bool may_be_over(const struct ocl_chunk *chunk)
{
    return !chunk->queue || atomic_load(&chunk->queue->id) != chunk->queue_id ||
           ocl_queue_has_finished(chunk->queue, chunk->queue_id, chunk->position);
}

/* The link to a chunk whose command is over, wherever it is, or NULL. Staging lock held. */
static struct ocl_chunk **find_over(struct ring *ring)
{
    struct ocl_chunk **link = &ring->first;

    while (*link && (*link)->pending && (!may_be_over(*link) || pending_state(*link) > CL_COMPLETE))
        link = &(*link)->next;
    return *link ? link : NULL;
}

/* The link to the longest unused chunk of the queue's own commands, or NULL. Staging lock held. */
static struct ocl_chunk **find_own(struct ring *ring, const struct ocl_queue *queue)
{
    struct ocl_chunk **link = &ring->first;

    while (*link && !((*link)->pending && (*link)->queue == queue &&
                      (*link)->queue_id == atomic_load(&queue->id)))
        link = &(*link)->next;
    return *link ? link : NULL;
}

/* To pin memory while kernels run may wait for them (NVIDIA's driver, 580), and be worse than to wait for a chunk: so not where
 * a chunk is sure to come. */
static bool may_be_stuck(const struct ocl_context *context)
{
    return atomic_load(&context->gates) > 0 || context->device->facts.device_class == OCL_CLASS_CPU;
}

/* A chunk that another queue's command uses may be behind a host function, a kernel or a copy that waits for the caller. Its
 * own queue's commands a caller may wait for. Returns whether there is more to try: *chunk, or room in the ring. Staging lock
 * held. */
static bool avoid_others(struct ring *ring, const struct ocl_queue *queue, struct ocl_chunk **chunk)
{
    struct ocl_chunk **link = find_over(ring);

    if (!link)
        link = find_own(ring, queue);
    if (link)
        *chunk = detach(ring, link);
    return link || ring->count < ring->limit;
}

/* One of: a ready chunk, a new one, one of the queue's own, the one that will be ready first, NULL (not can_wait). Staging
 * lock held, but open while it waits. */
static ocl_status take_locked(struct ocl_staging *staging, struct ring *ring,
                              const struct ocl_queue *queue, bool can_wait,
                              struct ocl_chunk **chunk)
{
    ocl_status status = OCL_OK;

    while (!(*chunk = take_ready(ring))) {
        if (ring->count < ring->most && status == OCL_OK) {
            status = grow(staging, ring);
        } else if (ring->count == 0) {
            return status;
        } else if (!can_wait) {
            return OCL_OK;
        } else if (status == OCL_OK && may_be_stuck(staging->context) &&
                   avoid_others(ring, queue, chunk)) {
            if (*chunk)
                return OCL_OK;
            status = grow(staging, ring);
        } else if (ring->first) {
            *chunk = detach(ring, &ring->first);
            return OCL_OK;
        } else {
            (void)ocl_condition_wait_until(&staging->given, &staging->lock,
                                           ocl_deadline_after(LOOK_AGAIN_MS));
        }
    }
    return OCL_OK;
}

ocl_status ocl_staging_take(struct ocl_staging *staging, const struct ocl_queue *queue,
                            size_t bytes, bool can_wait, struct ocl_chunk **chunk)
{
    struct ring *ring = bytes <= OCL_STAGING_SMALL ? &staging->small : &staging->large;

    assert(bytes <= ring->chunk_bytes);
    *chunk = NULL;
    pthread_mutex_lock(&staging->lock);
    const ocl_status status = take_locked(staging, ring, queue, can_wait, chunk);
    pthread_mutex_unlock(&staging->lock);
    if (*chunk)
        settle(staging, *chunk);
    return status;
}

static void note_use(struct ocl_chunk *chunk)
{
    if (!chunk->queue)
        return;
    chunk->queue_id = atomic_load(&chunk->queue->id);
    chunk->position = atomic_load(&chunk->queue->submitted);
}

void ocl_staging_give(struct ocl_staging *staging, struct ocl_chunk *chunk, cl_event event)
{
    struct ring *ring = chunk->bytes == OCL_STAGING_SMALL ? &staging->small : &staging->large;

    assert(chunk->is_taken && !chunk->pending);
    pthread_mutex_lock(&staging->lock);
    chunk->is_taken = false;
    chunk->pending = event;
    if (event) {
        note_use(chunk);
        atomic_fetch_add(&ring->pending, 1);
        append(ring, chunk);
    } else {
        prepend(ring, chunk);
    }
    pthread_cond_broadcast(&staging->given); /* who waits for the other ring waits here, too */
    pthread_mutex_unlock(&staging->lock);
}

/* Returns how the command that used the chunk failed, or CL_SUCCESS. Staging lock held. */
static cl_int look_at_chunk(struct ring *ring, struct ocl_chunk *chunk)
{
    const cl_int state = pending_state(chunk);

    if (state > CL_COMPLETE)
        return CL_SUCCESS;
    release_pending(chunk);
    atomic_fetch_sub(&ring->pending, 1);
    return state;
}

static cl_int look_at_ring(struct ocl_staging *staging, struct ring *ring)
{
    cl_int failure = CL_SUCCESS;

    if (atomic_load(&ring->pending) == 0)
        return CL_SUCCESS;
    pthread_mutex_lock(&staging->lock);
    for (struct ocl_chunk *chunk = ring->first; chunk; chunk = chunk->next) {
        const bool is_over = chunk->pending && may_be_over(chunk);
        const cl_int state = is_over ? look_at_chunk(ring, chunk) : CL_SUCCESS;
        failure = failure == CL_SUCCESS ? state : failure;
    }
    pthread_mutex_unlock(&staging->lock);
    return failure;
}

void ocl_staging_look(struct ocl_context *context)
{
    struct ocl_staging *staging = context->staging;

    if (!staging)
        return;
    (void)ocl_context_fail(context, look_at_ring(staging, &staging->small));
    (void)ocl_context_fail(context, look_at_ring(staging, &staging->large));
}

ocl_status ocl_staging_twin(struct ocl_staging *staging, struct ocl_chunk *chunk)
{
    if (chunk->twin)
        return OCL_OK;
    return ocl_memory_allocate(staging->context, chunk->bytes, 0, &chunk->twin);
}
