/* Which queues use an allocation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/uses.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/check_made.h"
#include "cl/memory/allocation.h"
#include "cl/queue/queue_private.h"

/* The last use by a queue; earlier ones come before it. */
struct use {
    struct use *next;
    uint64_t allocation; /* its id */
    const struct ocl_queue *queue;
    const struct ocl_context *context;
    uint64_t queue_id, position;
    uint64_t legacy; /* how much stream 0 of the queue's context had got by then */
};

enum { PLACES = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct use *places[PLACES];

bool ocl_uses_are_wanted(void)
{
    return ocl_check_wants(OCL_CHECK_GUARD | OCL_CHECK_MEMORY);
}

static struct use **place_of(uint64_t id)
{
    return &places[id % PLACES];
}

/* lock is held. */
static struct use *find(uint64_t id, uint64_t queue_id)
{
    struct use *use = *place_of(id);
    while (use && (use->allocation != id || use->queue_id != queue_id))
        use = use->next;
    return use;
}

/* lock is held. NULL without memory. */
static struct use *add(uint64_t id, const struct ocl_queue *queue, uint64_t queue_id)
{
    struct use *const made = malloc(sizeof *made);
    if (!made)
        return NULL;
    *made = (struct use){.next = *place_of(id),
                         .allocation = id,
                         .queue = queue,
                         .context = queue->context,
                         .queue_id = queue_id};
    *place_of(id) = made;
    return made;
}

void ocl_use_note(const struct ocl_allocation *allocation, const struct ocl_queue *queue)
{
    if (!allocation || !ocl_uses_are_wanted())
        return;
    const uint64_t queue_id = atomic_load(&queue->id);
    pthread_mutex_lock(&lock);
    struct use *use = find(allocation->id, queue_id);
    if (!use)
        use = add(allocation->id, queue, queue_id);
    if (use) {
        use->position = atomic_load(&queue->submitted);
        use->legacy = atomic_load(&queue->context->legacy->submitted);
    }
    pthread_mutex_unlock(&lock);
}

static bool has_any(const struct ocl_queue_waits *waits)
{
    for (unsigned i = 0; i < OCL_QUEUE_WAITS; i++)
        if (waits->ids[i] != 0)
            return true;
    return false;
}

/* Waits are known of the last queues that a queue has waited for, but not what those had waited for. So one that has waited
 * for any is believed, and so are streams that stream 0 has come between. */
static bool may_follow(const struct use *use, const struct ocl_queue *queue,
                       const struct ocl_queue_waits *waits)
{
    return has_any(waits) || use->context != queue->context ||
           (queue->kind != OCL_QUEUE_NON_BLOCKING && use->queue->kind != OCL_QUEUE_NON_BLOCKING &&
            atomic_load(&queue->context->legacy->submitted) != use->legacy);
}

/* Whether the free in queue comes after the use. A queue that is gone has no work left. */
static bool comes_before(const struct use *use, const struct ocl_queue *queue,
                         const struct ocl_queue_waits *waits)
{
    return use->queue_id == atomic_load(&queue->id) ||
           atomic_load(&use->queue->id) != use->queue_id ||
           ocl_queue_has_finished(use->queue, use->queue_id, use->position) ||
           may_follow(use, queue, waits) ||
           ocl_queue_comes_after(queue, use->queue, use->queue_id, use->position);
}

void ocl_use_check_free(const struct ocl_allocation *allocation, struct ocl_queue *queue)
{
    char what[192];
    struct ocl_queue_waits waits;
    bool is_in_flight = false;
    if (!ocl_uses_are_wanted())
        return;
    ocl_queue_copy_waits(queue, &waits);
    pthread_mutex_lock(&lock);
    for (const struct use *use = *place_of(allocation->id); use && !is_in_flight; use = use->next)
        is_in_flight = use->allocation == allocation->id && !comes_before(use, queue, &waits);
    pthread_mutex_unlock(&lock);
    if (!is_in_flight)
        return;
    snprintf(what, sizeof what,
             "a free of %zu bytes of device memory at 0x%llx in one stream, while another uses "
             "them and the free does not wait for that",
             allocation->bytes, (unsigned long long)allocation->address);
    ocl_made_misuse(what, allocation->address);
}

void ocl_use_forget(const struct ocl_allocation *allocation)
{
    if (!ocl_uses_are_wanted())
        return;
    pthread_mutex_lock(&lock);
    for (struct use **link = place_of(allocation->id); *link;) {
        struct use *const use = *link;
        if (use->allocation == allocation->id) {
            *link = use->next;
            free(use);
        } else {
            link = &use->next;
        }
    }
    pthread_mutex_unlock(&lock);
}
