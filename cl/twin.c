/* Device memory that stands for pinned memory which kernels do not see.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/twin.h"

#include <stdlib.h>

#include "cl/failure.h"
#include "cl/pool.h"
#include "cl/queue_private.h"
#include "cl/transfer_command.h"

struct ocl_twin {
    struct ocl_context *context;
    struct ocl_piece *piece; /* of the device memory's pool */
    struct ocl_place place;
    /* Under the context's twin_lock: */
    cl_event last; /* behind the launch that used it last, or NULL */
    uint64_t last_queue;
};

bool ocl_twin_is_needed(const struct ocl_allocation *allocation)
{
    const struct ocl_capability *capability = &allocation->context->capability;
    switch (allocation->kind) {
    case OCL_MEMORY_HOST:
        return !capability->device_is_host_memory && !capability->reaches_pinned_host;
    case OCL_MEMORY_REGISTERED:
        return !capability->device_is_host_memory && !capability->reaches_registered_host;
    default:
        return false;
    }
}

static ocl_status make_twin(const struct ocl_allocation *allocation, struct ocl_twin **twin)
{
    struct ocl_twin *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->context = allocation->context;
    const ocl_status status =
        ocl_memory_take_piece(allocation->context, allocation->bytes, &made->piece);
    if (status != OCL_OK) {
        free(made);
        return status;
    }
    const struct ocl_piece_view view = ocl_pool_view(made->piece);
    made->place = (struct ocl_place){
        .buffer = view.block->buffer,
        .offset = view.offset,
        .pointer = view.block->pointer ? (char *)view.block->pointer + view.offset : NULL,
    };
    *twin = made;
    return OCL_OK;
}

ocl_status ocl_twin_find(struct ocl_allocation *allocation, uint64_t offset, cl_mem *buffer,
                         size_t *place)
{
    struct ocl_twin *twin = atomic_load(&allocation->twin), *none = NULL;
    if (!twin) {
        const ocl_status status = make_twin(allocation, &twin);
        if (status != OCL_OK)
            return status;
        if (!atomic_compare_exchange_strong(&allocation->twin, &none, twin)) {
            ocl_twin_destroy(twin); /* another thread was first */
            twin = none;
        }
    }
    *buffer = twin->place.buffer;
    *place = twin->place.offset + (size_t)offset;
    return OCL_OK;
}

void ocl_twin_destroy(struct ocl_twin *twin)
{
    if (!twin)
        return;
    if (twin->last)
        clReleaseEvent(twin->last);
    ocl_memory_give_piece(twin->context, twin->piece);
    free(twin);
}

/* --- Launches --- */

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

static ocl_status write_twin(struct ocl_twin *twin, const struct ocl_allocation *allocation,
                             struct ocl_queue *queue)
{
    ocl_status status = ocl_queue_order(queue);
    if (status == OCL_OK && twin->last && twin->last_queue != atomic_load(&queue->id))
        status = ocl_queue_hold(queue, 1, &twin->last);
    if (status != OCL_OK)
        return status;
    return ocl_command_write(queue, &twin->place, allocation->host, allocation->bytes, NULL);
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
            status = write_twin(twin, call->targets[i].allocation, queue);
    }
    if (status != OCL_OK)
        pthread_mutex_unlock(&queue->context->twin_lock);
    return status;
}

static ocl_status note_last(struct ocl_twin *twin, const struct ocl_queue *queue, cl_event event)
{
    const ocl_status status = clRetainEvent(event);
    if (status != OCL_OK)
        return status;
    if (twin->last)
        clReleaseEvent(twin->last);
    twin->last = event;
    twin->last_queue = atomic_load(&queue->id);
    return OCL_OK;
}

static ocl_status read_twins(const struct ocl_call *call, struct ocl_queue *queue)
{
    ocl_status status = OCL_OK;
    for (size_t i = 0; status == OCL_OK && i < call->kernel->argument_count; i++) {
        struct ocl_twin *twin = twin_at(call, i);
        const struct ocl_allocation *allocation = call->targets[i].allocation;
        if (twin && is_written(call, allocation))
            status =
                ocl_command_read(queue, allocation->host, &twin->place, allocation->bytes, NULL);
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
            status = note_last(twin, queue, event);
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
