/* Launches whose arguments point into memory that has twins.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/launch/kernel_twin.h"

#include "cl/memory/twin.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"

/* The twin of a target, NULL for one that has none or shares it with an earlier target. */
static struct ocl_twin *twin_at(const struct ocl_call *call, size_t index)
{
    struct ocl_allocation *allocation = call->targets[index].allocation;
    if (!call->targets[index].is_twin)
        return NULL;
    for (size_t i = 0; i < index; i++)
        if (call->targets[i].is_twin && call->targets[i].allocation == allocation)
            return NULL;
    return atomic_load(&allocation->twin);
}

static bool has_twins(const struct ocl_call *call)
{
    for (size_t i = 0; call->targets && i < call->kernel->argument_count; i++)
        if (call->targets[i].is_twin)
            return true;
    return false;
}

/* A pointer into const memory is not written through, whichever of the arguments it is. */
static bool is_written(const struct ocl_call *call, const struct ocl_allocation *allocation)
{
    for (size_t i = 0; i < call->kernel->argument_count; i++)
        if (call->targets[i].allocation == allocation && !call->kernel->arguments[i].is_const)
            return true;
    return false;
}

ocl_status ocl_twins_begin(const struct ocl_call *call, struct ocl_queue *queue)
{
    ocl_status status = OCL_OK;
    if (!has_twins(call))
        return OCL_OK;
    pthread_mutex_lock(&queue->context->twin_lock);
    for (size_t i = 0; status == OCL_OK && i < call->kernel->argument_count; i++) {
        struct ocl_twin *twin = twin_at(call, i);
        if (twin)
            status = ocl_twin_write(twin, call->targets[i].allocation, queue);
    }
    if (status != OCL_OK)
        pthread_mutex_unlock(&queue->context->twin_lock);
    return status;
}

static ocl_status read_twins(const struct ocl_call *call, struct ocl_queue *queue)
{
    ocl_status status = OCL_OK;
    for (size_t i = 0; status == OCL_OK && i < call->kernel->argument_count; i++) {
        struct ocl_twin *twin = twin_at(call, i);
        const struct ocl_allocation *allocation = call->targets[i].allocation;
        if (twin && is_written(call, allocation))
            status = ocl_twin_read(twin, allocation, queue);
    }
    return status;
}

/* Also when the launch or a read failed: what was written is still on its way, and where nothing tells when it has
 * come, later launches would meet it. */
static ocl_status mark_twins(const struct ocl_call *call, struct ocl_queue *queue)
{
    uint64_t position;
    cl_event event;
    ocl_status status = ocl_queue_mark(queue, &event, &position);
    if (status != OCL_OK)
        return ocl_context_fail(queue->context, status);
    for (size_t i = 0; status == OCL_OK && i < call->kernel->argument_count; i++) {
        struct ocl_twin *twin = twin_at(call, i);
        if (twin)
            status = ocl_twin_note(twin, queue, event);
    }
    clReleaseEvent(event);
    return ocl_context_fail(queue->context, status);
}

ocl_status ocl_twins_end(const struct ocl_call *call, struct ocl_queue *queue, bool is_enqueued)
{
    if (!has_twins(call))
        return OCL_OK;
    const ocl_status status = is_enqueued ? read_twins(call, queue) : OCL_OK;
    const ocl_status marked = mark_twins(call, queue);
    pthread_mutex_unlock(&queue->context->twin_lock);
    return status == OCL_OK ? marked : status;
}
