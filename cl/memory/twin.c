/* Device memory that stands for pinned memory which kernels do not see.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/twin.h"

#include <stdlib.h>

#include "cl/memory/pool.h"
#include "cl/memory/transfer_command.h"
#include "cl/queue/queue_private.h"

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

ocl_status ocl_twin_write(struct ocl_twin *twin, const struct ocl_allocation *allocation,
                          struct ocl_queue *queue)
{
    ocl_status status = ocl_queue_order(queue);
    if (status == OCL_OK && twin->last && twin->last_queue != atomic_load(&queue->id))
        status = ocl_queue_hold(queue, 1, &twin->last);
    if (status != OCL_OK)
        return status;
    return ocl_command_write(queue, &twin->place, allocation->host, allocation->bytes, NULL);
}

ocl_status ocl_twin_read(const struct ocl_twin *twin, const struct ocl_allocation *allocation,
                         struct ocl_queue *queue)
{
    return ocl_command_read(queue, allocation->host, &twin->place, allocation->bytes, NULL);
}

ocl_status ocl_twin_note(struct ocl_twin *twin, const struct ocl_queue *queue, cl_event event)
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
