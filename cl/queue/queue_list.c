/* Which queues of a context have work, and which of them the legacy queue has to wait for: what looks for them costs
 * nothing for queues that have none.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/queue_private.h"

/* ---- Lists; queue_lock held ---- */

static void push_first(struct ocl_queue_list *list, struct ocl_queue *queue, int which)
{
    struct ocl_queue_link *link = &queue->links[which];
    struct ocl_queue *first = atomic_load(&list->first);

    link->previous = NULL;
    link->next = first;
    if (first)
        first->links[which].previous = queue;
    else
        list->last = queue;
    atomic_store(&list->first, queue);
    list->count++;
    atomic_store(&link->is_listed, true);
}

static void push_last(struct ocl_queue_list *list, struct ocl_queue *queue, int which)
{
    struct ocl_queue_link *link = &queue->links[which];

    if (!list->last) {
        push_first(list, queue, which);
        return;
    }
    link->previous = list->last;
    link->next = NULL;
    list->last->links[which].next = queue;
    list->last = queue;
    list->count++;
    atomic_store(&link->is_listed, true);
}

static void take_out(struct ocl_queue_list *list, struct ocl_queue *queue, int which)
{
    struct ocl_queue_link *link = &queue->links[which];

    if (link->previous)
        link->previous->links[which].next = link->next;
    else
        atomic_store(&list->first, link->next);
    if (link->next)
        link->next->links[which].previous = link->previous;
    else
        list->last = link->previous;
    list->count--;
    atomic_store(&link->is_listed, false);
}

static struct ocl_queue_list *busy_list_of(const struct ocl_queue *queue)
{
    return &queue->context->busy[queue->kind == OCL_QUEUE_BLOCKING];
}

/* Whoever adds work counts it before it looks whether the queue is listed, and this looks for work after it has said
 * that it is not: one of the two notices. */
static void drop_if_idle(struct ocl_queue *queue)
{
    struct ocl_queue_link *link = &queue->links[OCL_QUEUE_BUSY];

    if (queue->walkers > 0 || !ocl_queue_has_no_work(queue))
        return;
    atomic_store(&link->is_listed, false);
    if (ocl_queue_has_no_work(queue))
        take_out(busy_list_of(queue), queue, OCL_QUEUE_BUSY);
    else
        atomic_store(&link->is_listed, true);
}

/* ---- Who is listed ---- */

void ocl_queue_note_work(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;
    const bool has_news = queue->kind == OCL_QUEUE_BLOCKING;

    if (atomic_load(&queue->links[OCL_QUEUE_BUSY].is_listed) &&
        (!has_news || atomic_load(&queue->links[OCL_QUEUE_NEWS].is_listed)))
        return;
    pthread_mutex_lock(&context->queue_lock);
    if (!atomic_load(&queue->links[OCL_QUEUE_BUSY].is_listed))
        push_first(busy_list_of(queue), queue, OCL_QUEUE_BUSY);
    if (has_news && !atomic_load(&queue->links[OCL_QUEUE_NEWS].is_listed))
        push_last(&context->news, queue, OCL_QUEUE_NEWS);
    pthread_mutex_unlock(&context->queue_lock);
}

void ocl_queue_unlist(struct ocl_queue *queue)
{
    if (atomic_load(&queue->links[OCL_QUEUE_BUSY].is_listed))
        take_out(busy_list_of(queue), queue, OCL_QUEUE_BUSY);
    if (atomic_load(&queue->links[OCL_QUEUE_NEWS].is_listed))
        take_out(&queue->context->news, queue, OCL_QUEUE_NEWS);
}

/* ---- Queues with work ---- */

static bool has_busy(struct ocl_context *context, bool is_blocking)
{
    struct ocl_queue_list *list = &context->busy[is_blocking];
    struct ocl_queue *queue, *next;

    if (!atomic_load(&list->first))
        return false;
    pthread_mutex_lock(&context->queue_lock);
    for (queue = atomic_load(&list->first); queue && ocl_queue_has_no_work(queue); queue = next) {
        next = queue->links[OCL_QUEUE_BUSY].next;
        drop_if_idle(queue);
    }
    pthread_mutex_unlock(&context->queue_lock);
    return queue != NULL;
}

bool ocl_queues_are_idle(struct ocl_context *context)
{
    return !has_busy(context, false) && !has_busy(context, true);
}

bool ocl_queues_blocking_are_idle(struct ocl_context *context)
{
    return !has_busy(context, true);
}

/* queue_lock held. The first queue with work from this one on, with a reference. */
static struct ocl_queue *find_busy(struct ocl_queue *queue)
{
    struct ocl_queue *next;

    for (; queue; queue = next) {
        next = queue->links[OCL_QUEUE_BUSY].next;
        if (!ocl_queue_has_no_work(queue) && ocl_queue_retain(queue))
            break;
        drop_if_idle(queue);
    }
    return queue;
}

/* What gets work during the walk is put in front of the list, where the walk does not come again. */
struct ocl_queue *ocl_queue_walk_on(struct ocl_queue_walk *walk)
{
    struct ocl_queue *before = walk->at, *queue;

    pthread_mutex_lock(&walk->context->queue_lock);
    if (before) {
        queue = find_busy(before->links[OCL_QUEUE_BUSY].next);
        before->walkers--;
        drop_if_idle(before);
    } else {
        queue = find_busy(atomic_load(&walk->context->busy[walk->is_blocking].first));
    }
    if (!queue && !walk->is_blocking) {
        walk->is_blocking = true;
        queue = find_busy(atomic_load(&walk->context->busy[true].first));
    }
    if (queue)
        queue->walkers++;
    walk->at = queue;
    pthread_mutex_unlock(&walk->context->queue_lock);
    if (before)
        ocl_queue_release(before);
    return queue;
}

void ocl_queue_walk_end(struct ocl_queue_walk *walk)
{
    if (!walk->at)
        return;
    pthread_mutex_lock(&walk->context->queue_lock);
    walk->at->walkers--;
    pthread_mutex_unlock(&walk->context->queue_lock);
    ocl_queue_release(walk->at);
    walk->at = NULL;
}

/* ---- Queues with news for the legacy queue ---- */

unsigned ocl_queues_with_news(struct ocl_context *context)
{
    pthread_mutex_lock(&context->queue_lock);
    const unsigned count = context->news.count;
    pthread_mutex_unlock(&context->queue_lock);
    return count;
}

struct ocl_queue *ocl_queue_take_news(struct ocl_context *context)
{
    struct ocl_queue *queue;

    pthread_mutex_lock(&context->queue_lock);
    while ((queue = atomic_load(&context->news.first)) != NULL) {
        take_out(&context->news, queue, OCL_QUEUE_NEWS);
        if (ocl_queue_retain(queue))
            break;
    }
    pthread_mutex_unlock(&context->queue_lock);
    return queue;
}
