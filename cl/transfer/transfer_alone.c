/* Copies that keep their place among all queues of the contexts they touch.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/allocation.h"
#include "cl/queue/queue_private.h"
#include "cl/transfer/transfer_private.h"

/* Those of the queue and of both ends, each once. */
struct contexts {
    struct ocl_context *list[3];
    unsigned count;
};

static void add(struct contexts *contexts, struct ocl_context *context)
{
    for (unsigned i = 0; i < contexts->count; i++)
        if (contexts->list[i] == context)
            return;
    contexts->list[contexts->count++] = context;
}

static void add_owner(struct contexts *contexts, uint64_t address)
{
    struct ocl_side side = ocl_side_find(address);

    if (side.allocation)
        add(contexts, side.allocation->context);
    ocl_side_release(&side);
}

static bool are_idle(const struct contexts *contexts)
{
    for (unsigned i = 0; i < contexts->count; i++)
        if (!ocl_queues_are_idle(contexts->list[i]))
            return false;
    return true;
}

/* Makes all that the contexts get from now on wait for queue, which gets nothing more: who waits for their entrances has
 * waited for it. */
static ocl_status precede(struct ocl_queue *queue, const struct contexts *contexts)
{
    struct ocl_event *after;
    ocl_status status = ocl_event_create(queue->context, false, &after);

    if (status != OCL_OK)
        return status;
    status = ocl_event_record(after, queue);
    for (unsigned i = 0; status == OCL_OK && i < contexts->count; i++)
        status = ocl_event_wait_in_all(after, contexts->list[i]);
    if (status == OCL_OK)
        atomic_store(&queue->is_covered, true);
    ocl_event_destroy(after);
    return status;
}

static ocl_status copy_between(struct ocl_queue *queue, const struct ocl_copy *copy,
                               const struct contexts *contexts)
{
    ocl_status status = OCL_OK;

    for (unsigned i = 0; status == OCL_OK && i < contexts->count; i++)
        status = ocl_event_follow_all(queue, contexts->list[i]);
    if (status == OCL_OK)
        status = ocl_transfer_copy(queue, copy, OCL_WAIT_SOURCE);
    return status == OCL_OK ? precede(queue, contexts) : status;
}

ocl_status ocl_transfer_copy_alone(struct ocl_queue *queue, const struct ocl_copy *copy)
{
    struct contexts contexts = {.count = 0};
    struct ocl_queue *own;

    add(&contexts, queue->context);
    add_owner(&contexts, copy->source.address);
    add_owner(&contexts, copy->target.address);
    if (are_idle(&contexts))
        return ocl_transfer_copy(queue, copy, OCL_WAIT_ALL);
    ocl_status status = ocl_queue_create(queue->context, OCL_QUEUE_NON_BLOCKING, 0, &own);
    if (status != OCL_OK)
        return status;
    status = copy_between(own, copy, &contexts);
    ocl_queue_destroy(own);
    return status;
}
