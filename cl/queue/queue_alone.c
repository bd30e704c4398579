/* A command that has the device for itself: behind all that runs there, and before all that comes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/queue_alone.h"

#include "cl/base/deadline.h"
#include "cl/event.h"
#include "cl/queue/queue_private.h"
#include "cl/state/contexts.h"
#include "cl/state/stillness.h"
#include "cl/whole.h"

enum { REST_MS = 1000, PAUSE_NS = 200000 };

/* What both ends do to each context of the device. */
struct step {
    struct ocl_queue *queue;
    struct ocl_event *after; /* behind the queue's command */
    ocl_status status;
};

static ocl_status follow_queues(struct ocl_queue *queue)
{
    struct ocl_queue_walk walk = {.context = queue->context};
    ocl_status status = OCL_OK;

    while (status == OCL_OK && ocl_queue_walk_on(&walk))
        if (!atomic_load(&walk.at->is_covered))
            status = ocl_queue_wait_for(queue, walk.at);
    ocl_queue_walk_end(&walk);
    return status;
}

static ocl_status follow_context(struct ocl_queue *queue, struct ocl_context *context)
{
    return ocl_queues_are_idle(context) ? OCL_OK : ocl_event_follow_all(queue, context);
}

static void follow(struct ocl_context *context, void *data)
{
    struct step *step = data;

    if (step->status == OCL_OK)
        step->status = context == step->queue->context ? follow_queues(step->queue)
                                                       : follow_context(step->queue, context);
}

static void precede(struct ocl_context *context, void *data)
{
    struct step *step = data;

    if (step->status == OCL_OK)
        step->status = ocl_event_wait_in_all(step->after, context);
}

ocl_status ocl_alone_begin(struct ocl_queue *queue)
{
    struct step step = {.queue = queue, .status = OCL_OK};

    ocl_stillness_begin();
    ocl_contexts_visit_of(queue->context->device, follow, &step);
    return step.status;
}

ocl_status ocl_alone_end(struct ocl_queue *queue)
{
    struct step step = {.queue = queue};

    step.status = ocl_event_create(queue->context, false, &step.after);
    if (step.status == OCL_OK) {
        step.status = ocl_event_record(step.after, queue);
        ocl_contexts_visit_of(queue->context->device, precede, &step);
        ocl_event_destroy(step.after);
    }
    ocl_stillness_end();
    return step.status;
}

struct activity {
    bool is_busy, is_held;
};

static void look_at(struct ocl_context *context, void *data)
{
    struct activity *activity = data;

    activity->is_busy |= ocl_queues_query(context) == OCL_E_NOT_READY;
    activity->is_held |= atomic_load(&context->gates) > 0;
}

enum ocl_queue_kind ocl_alone_kind(const struct ocl_context *context)
{
    const uint64_t end = ocl_deadline_after(REST_MS);
    struct activity activity;

    do {
        activity = (struct activity){false, false};
        ocl_contexts_visit_of(context->device, look_at, &activity);
        if (!activity.is_busy || !activity.is_held)
            return OCL_QUEUE_NON_BLOCKING;
        whole_pause(PAUSE_NS);
    } while (ocl_now() < end);
    return OCL_QUEUE_APART;
}
