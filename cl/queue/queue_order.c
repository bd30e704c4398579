/* The order between the legacy queue and the blocking queues, kept on the device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check.h"
#include "cl/queue/queue_private.h"
#include "cl/thread.h"

/* ---- What a queue has waited for ---- */

static unsigned find_wait(const struct ocl_queue_waits *waits, uint64_t id)
{
    unsigned at = 0;

    while (at < OCL_QUEUE_WAITS && waits->ids[at] != id)
        at++;
    return at;
}

void ocl_queue_note_wait(struct ocl_queue *queue, uint64_t id, uint64_t position)
{
    const struct ocl_stream stream = ocl_queue_stream(queue);

    ocl_stream_follow(&stream, id);
    ocl_queue_keep_wait(queue, id, position);
}

void ocl_queue_keep_wait(struct ocl_queue *queue, uint64_t id, uint64_t position)
{
    struct ocl_queue_waits *waits = &queue->waits;

    pthread_mutex_lock(&queue->lock);
    unsigned at = find_wait(waits, id);
    if (at == OCL_QUEUE_WAITS) {
        at = waits->oldest;
        waits->oldest = (at + 1) % OCL_QUEUE_WAITS;
        waits->positions[at] = 0;
    }
    waits->ids[at] = id;
    if (waits->positions[at] < position)
        waits->positions[at] = position;
    pthread_mutex_unlock(&queue->lock);
}

void ocl_queue_copy_waits(struct ocl_queue *queue, struct ocl_queue_waits *waits)
{
    pthread_mutex_lock(&queue->lock);
    *waits = queue->waits;
    pthread_mutex_unlock(&queue->lock);
}

bool ocl_queue_waits_have(const struct ocl_queue_waits *waits, uint64_t id, uint64_t position)
{
    const unsigned at = find_wait(waits, id);

    return at < OCL_QUEUE_WAITS && waits->positions[at] >= position;
}

/* ---- For the checks ---- */

/* What a context as a whole waits for, each of its queues does. What the program gives the driver's own queue nobody sees. */
struct ocl_stream ocl_queue_stream(const struct ocl_queue *queue)
{
    if (!ocl_check_wants(OCL_CHECK_RACE))
        return (struct ocl_stream){.id = 0};
    const struct ocl_queue *entrance = atomic_load(&queue->context->entrance);
    const struct ocl_stream stream = {.id = atomic_load(&queue->id),
                                      .context = queue->context,
                                      .is_legacy = queue->kind == OCL_QUEUE_LEGACY,
                                      .is_blocking = queue->kind == OCL_QUEUE_BLOCKING,
                                      .is_own = queue->kind == OCL_QUEUE_APART ||
                                                atomic_load(&queue->is_lent) ||
                                                ocl_thread()->in_turn};

    if (entrance && entrance != queue && ocl_queue_is_behind(queue)->entrance)
        ocl_stream_follow(&stream, atomic_load(&entrance->id));
    return stream;
}

void ocl_queue_graph_begin(struct ocl_queue *queue, size_t count)
{
    const struct ocl_stream stream = ocl_queue_stream(queue);

    ocl_stream_graph_begin(&stream, count);
}

void ocl_queue_graph_node(struct ocl_queue *queue)
{
    const struct ocl_stream stream = ocl_queue_stream(queue);

    ocl_stream_graph_node(&stream);
}

void ocl_queue_graph_after(size_t earlier)
{
    ocl_stream_graph_after(earlier);
}

void ocl_queue_graph_end(struct ocl_queue *queue)
{
    const struct ocl_stream stream = ocl_queue_stream(queue);

    ocl_stream_graph_end(&stream);
}

/* The legacy queue orders others' commands also by those that are not looked at. */
static void tell_checks(const struct ocl_queue *queue)
{
    if (queue->kind != OCL_QUEUE_LEGACY || !ocl_check_wants(OCL_CHECK_RACE))
        return;
    const struct ocl_stream stream = ocl_queue_stream(queue);
    ocl_stream_follow(&stream, 0);
}

/* ---- The legacy queue and the blocking ones ---- */

/* How many queues one barrier waits for. */
enum { BATCH = 16 };

struct batch {
    struct ocl_queue *queues[BATCH];
    uint64_t positions[BATCH];
    cl_event events[BATCH];
    cl_uint count;
};

/* Whether the queue has work that the legacy queue has not waited for and that may not be complete. */
static bool has_news(struct ocl_queue *queue)
{
    const uint64_t submitted = atomic_load(&queue->submitted);

    return !ocl_queue_has_no_work(queue) && atomic_load(&queue->seen_by_legacy) < submitted;
}

/* Fills batch with markers on queues that have news; left is how many are to be looked at. */
static ocl_status collect(struct ocl_context *context, unsigned *left, struct batch *batch)
{
    ocl_status status = OCL_OK;
    struct ocl_queue *queue;

    batch->count = 0;
    while (status == OCL_OK && batch->count<BATCH && * left> 0 &&
           (queue = ocl_queue_take_news(context)) != NULL) {
        const cl_uint at = batch->count;
        --*left;
        if (!has_news(queue)) {
            ocl_queue_release(queue);
            continue;
        }
        status = ocl_queue_mark(queue, &batch->events[at], &batch->positions[at]);
        if (status != OCL_OK) {
            ocl_queue_note_work(queue);
            ocl_queue_release(queue);
            continue;
        }
        batch->queues[at] = queue;
        batch->count++;
    }
    return status;
}

static ocl_status wait_for_batch(struct ocl_queue *legacy, struct batch *batch, ocl_status status)
{
    if (status == OCL_OK && batch->count > 0)
        status = ocl_queue_hold(legacy, batch->count, batch->events);
    const uint64_t until = atomic_load(&legacy->submitted); /* the wait is among these */
    for (cl_uint i = 0; i < batch->count; i++) {
        if (status == OCL_OK) {
            atomic_store(&batch->queues[i]->seen_until, until); /* first */
            ocl_counter_raise(&batch->queues[i]->seen_by_legacy, batch->positions[i]);
        } else {
            ocl_queue_note_work(batch->queues[i]);
        }
        clReleaseEvent(batch->events[i]);
        ocl_queue_release(batch->queues[i]);
    }
    return status;
}

/* Those that get work meanwhile come back to the end of the list, and have to be waited for later only. */
static ocl_status wait_for_blocking(struct ocl_queue *legacy)
{
    unsigned left = ocl_queues_with_news(legacy->context);
    struct batch batch;
    ocl_status status;

    do {
        status = collect(legacy->context, &left, &batch);
        status = wait_for_batch(legacy, &batch, status);
    } while (status == OCL_OK && batch.count == BATCH);
    return status;
}

/* blocking_work is read before the queues are looked at, and written to seen after the barrier is
 * in the queue: until then another thread that comes here waits for the lock, and so its command
 * does too. */
static ocl_status order_legacy(struct ocl_queue *legacy)
{
    ocl_status status = OCL_OK;

    pthread_mutex_lock(&legacy->order_lock);
    const uint64_t work = atomic_load(&legacy->context->blocking_work);
    if (work != atomic_load(&legacy->seen))
        status = wait_for_blocking(legacy);
    if (status == OCL_OK)
        atomic_store(&legacy->seen, work);
    pthread_mutex_unlock(&legacy->order_lock);
    return status;
}

static ocl_status wait_for_legacy(struct ocl_queue *queue, uint64_t *position)
{
    cl_event event;
    ocl_status status = ocl_queue_mark(queue->context->legacy, &event, position);

    if (status == OCL_OK) {
        status = ocl_queue_hold(queue, 1, &event);
        clReleaseEvent(event);
    }
    return status;
}

static ocl_status order_blocking(struct ocl_queue *queue)
{
    const struct ocl_queue *legacy = queue->context->legacy;
    ocl_status status = OCL_OK;

    pthread_mutex_lock(&queue->order_lock);
    uint64_t position = atomic_load(&legacy->submitted);
    if (position != atomic_load(&queue->seen) && atomic_load(&legacy->finished) < position)
        status = wait_for_legacy(queue, &position);
    if (status == OCL_OK)
        atomic_store(&queue->seen, position);
    pthread_mutex_unlock(&queue->order_lock);
    return status;
}

ocl_status ocl_queue_order(struct ocl_queue *queue)
{
    struct ocl_context *context = queue->context;
    const ocl_status failure = ocl_context_failure(context);

    if (failure != OCL_OK)
        return failure;
    tell_checks(queue);
    if (atomic_load(&context->entrance)) {
        const ocl_status status = ocl_queue_enter(queue);
        if (status != OCL_OK)
            return status;
    }
    const struct ocl_queue_rule *behind = ocl_queue_is_behind(queue);
    if (behind->blocking && atomic_load(&context->blocking_work) != atomic_load(&queue->seen))
        return order_legacy(queue);
    if (behind->legacy && atomic_load(&context->legacy->submitted) != atomic_load(&queue->seen))
        return order_blocking(queue);
    return OCL_OK;
}

/* The id is read last: what was read before is the queue's then. */
bool ocl_queue_comes_after(const struct ocl_queue *queue, const struct ocl_queue *other,
                           uint64_t id, uint64_t position)
{
    const struct ocl_queue_rule *behind = ocl_queue_is_behind(queue);
    bool comes_after = false;

    if (behind->legacy && other == queue->context->legacy)
        comes_after = position <= atomic_load(&queue->seen);
    else if (behind->blocking)
        comes_after = position <= atomic_load(&other->seen_by_legacy);
    return comes_after && atomic_load(&other->id) == id;
}
