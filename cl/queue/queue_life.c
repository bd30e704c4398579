/* Queues: their memory, the context's list of them, and references.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/base/worker.h"
#include "cl/queue/chain.h"
#include "cl/queue/lane.h"
#include "cl/queue/queue_private.h"
#include "cl/slab.h"

static struct ocl_slab queue_slab = OCL_SLAB_INITIALIZER(sizeof(struct ocl_queue));
static _Atomic uint64_t last_id;

void ocl_queue_link(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;

    pthread_mutex_lock(&context->queue_lock);
    atomic_store(&queue->id, atomic_fetch_add(&last_id, 1) + 1);
    atomic_store(&queue->references, 1);
    queue->previous = NULL;
    queue->next = context->queues;
    if (queue->next)
        queue->next->previous = queue;
    context->queues = queue;
    if (queue->kind == OCL_QUEUE_BLOCKING)
        atomic_fetch_add(&context->blocking_queues, 1);
    pthread_mutex_unlock(&context->queue_lock);
}

static void unlink_queue(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;

    pthread_mutex_lock(&context->queue_lock);
    if (queue->previous)
        queue->previous->next = queue->next;
    else
        context->queues = queue->next;
    if (queue->next)
        queue->next->previous = queue->previous;
    ocl_queue_unlist(queue);
    if (queue->kind == OCL_QUEUE_BLOCKING)
        atomic_fetch_sub(&context->blocking_queues, 1);
    pthread_cond_broadcast(
        &context->queue_gone); /* under the lock: the context may go right after */
    pthread_mutex_unlock(&context->queue_lock);
}

/* Locks stay initialised while the memory is free: events look at queues that may be gone. */
static struct ocl_queue *take_memory(void)
{
    struct ocl_queue *queue = ocl_slab_take(&queue_slab);

    if (queue && !queue->has_locks) {
        pthread_mutex_init(&queue->order_lock, NULL);
        pthread_mutex_init(&queue->lock, NULL);
        pthread_mutex_init(&queue->chain_lock, NULL);
        queue->has_locks = true;
    }
    return queue;
}

static void reset(struct ocl_queue *queue)
{
    queue->is_destroyed = false;
    atomic_store(&queue->is_covered, false);
    queue->awaits_release = false;
    queue->clock_kernel = NULL;
    atomic_store(&queue->lane, NULL);
    queue->reading = NULL;
    queue->mark = NULL;
    atomic_store(&queue->chain, NULL);
    queue->oldest = NULL;
    atomic_store(&queue->is_lent, false);
    queue->turns = NULL;
    queue->mark_position = 0;
    memset(&queue->waits, 0, sizeof queue->waits);
    atomic_store(&queue->cl, NULL);
    atomic_store(&queue->submitted, 0);
    atomic_store(&queue->finished, 0);
    atomic_store(&queue->flushed, 0);
    atomic_store(&queue->pushed, 0);
    atomic_store(&queue->seen, 0);
    atomic_store(&queue->seen_by_legacy, 0);
    atomic_store(&queue->seen_until, 0);
    atomic_store(&queue->entered, 0);
}

struct ocl_queue *ocl_queue_take(struct ocl_context *context, enum ocl_queue_kind kind,
                                 int priority)
{
    struct ocl_queue *queue = take_memory();

    if (!queue)
        return NULL;
    reset(queue);
    queue->context = context;
    queue->kind = kind;
    queue->priority = priority;
    return queue;
}

void ocl_queue_give(struct ocl_queue *queue)
{
    ocl_slab_give(&queue_slab, queue);
}

static void discard(struct ocl_queue *queue)
{
    ocl_chain_forget(queue);
    ocl_lane_close(atomic_load(&queue->lane));
    if (queue->mark)
        clReleaseEvent(queue->mark);
    if (queue->clock_kernel)
        clReleaseKernel(queue->clock_kernel);
    if (queue->reading)
        queue->release_reading(queue->reading);
    ocl_worker_destroy(queue->turns); /* which may be the thread that runs here */
    if (atomic_load(&queue->cl))
        clReleaseCommandQueue(queue->cl);
    pthread_mutex_lock(&queue->lock); /* ocl_queue_note_finished() looks at id under it */
    ocl_stream_gone(atomic_load(&queue->id));
    atomic_store(&queue->id, 0);
    pthread_mutex_unlock(&queue->lock);
    unlink_queue(queue);
    ocl_queue_give(queue);
}

bool ocl_queue_retain(struct ocl_queue *queue)
{
    uint32_t now = atomic_load(&queue->references);

    while (now != 0) {
        if (atomic_compare_exchange_weak(&queue->references, &now, now + 1))
            return true;
    }
    return false;
}

void ocl_queue_release(struct ocl_queue *queue)
{
    if (atomic_fetch_sub(&queue->references, 1) == 1)
        discard(queue);
}

/* The memory of a queue stays one of a queue, and a reference holds its id. */
struct ocl_queue *ocl_queue_acquire(const struct ocl_queue *queue, uint64_t id)
{
    struct ocl_queue *kept = (struct ocl_queue *)(uintptr_t)queue;

    if (!kept || !ocl_queue_retain(kept))
        return NULL;
    if (atomic_load(&kept->id) == id)
        return kept;
    ocl_queue_release(kept);
    return NULL;
}

bool ocl_queue_is_going(struct ocl_queue *queue)
{
    pthread_mutex_lock(&queue->context->queue_lock);
    const bool is_going = queue->is_destroyed;
    pthread_mutex_unlock(&queue->context->queue_lock);
    return is_going;
}

struct ocl_context *ocl_queue_context(const struct ocl_queue *queue)
{
    return queue->context;
}

struct ocl_queue *ocl_queue_legacy(struct ocl_context *context)
{
    return context->legacy;
}

struct ocl_queue *ocl_queue_next(struct ocl_context *context, uint64_t *cursor)
{
    struct ocl_queue *queue;

    pthread_mutex_lock(&context->queue_lock);
    for (queue = context->queues; queue; queue = queue->next) {
        const uint64_t id = atomic_load(&queue->id);
        if (id != 0 && id < *cursor && ocl_queue_retain(queue)) {
            *cursor = id;
            break;
        }
    }
    pthread_mutex_unlock(&context->queue_lock);
    return queue;
}
