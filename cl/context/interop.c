/* What stands behind cl/'s handles, and back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/interop.h"

#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"
#include "cl/state/state.h"

void ocl_interop_device(int device, void **platform, void **id)
{
    const struct ocl_device *found = ocl_device_get(device);
    *platform = found->platform;
    *id = found->id;
}

int ocl_interop_find_device(const void *id)
{
    for (int i = 0; i < ocl_device_count(); i++) {
        if (ocl_device_get(i)->id == id)
            return i;
    }
    return -1;
}

void *ocl_interop_context(const struct ocl_context *context)
{
    return context->cl;
}

ocl_status ocl_interop_buffer(const void *pointer, void **buffer, size_t *offset)
{
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct ocl_allocation *allocation = ocl_address_acquire(address);
    if (allocation == NULL)
        return OCL_E_NOT_FOUND;
    struct ocl_place place = ocl_allocation_place(allocation, address);
    ocl_allocation_release(allocation);
    if (place.buffer == NULL)
        return OCL_E_NOT_SUPPORTED;
    *buffer = place.buffer;
    *offset = place.offset;
    return OCL_OK;
}

ocl_status ocl_interop_find_buffer(struct ocl_context *context, const void *buffer, size_t offset,
                                   uint64_t *address)
{
    ocl_status status = OCL_E_NOT_FOUND;
    pthread_mutex_lock(&context->block_lock);
    for (const struct ocl_block *block = context->blocks; block != NULL; block = block->next) {
        if (block->buffer == buffer && offset < block->bytes) {
            *address = block->address + offset;
            status = OCL_OK;
            break;
        }
    }
    pthread_mutex_unlock(&context->block_lock);
    return status;
}

ocl_status ocl_interop_queue(struct ocl_queue *queue, void **commands)
{
    struct ocl_command command;
    const ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY);
    if (status != OCL_OK)
        return status;
    *commands = command.cl;
    atomic_store(&queue->is_lent, true);
    ocl_command_end(
        &command); /* what the caller enqueues next finds managed memory on the device */
    return OCL_OK;
}

ocl_status ocl_interop_queue_used(struct ocl_queue *queue)
{
    struct ocl_command command;
    const ocl_status status = ocl_command_begin(&command, queue, OCL_COMMAND_MEMORY);
    if (status != OCL_OK)
        return status;
    command.count = 1; /* the program's own */
    ocl_command_end(&command);
    return ocl_queue_flush(queue);
}

bool ocl_interop_is_queue(const struct ocl_queue *queue, const void *commands)
{
    return commands && queue->cl == commands;
}

void ocl_interop_facts(const struct ocl_context *context, struct ocl_interop_facts *facts)
{
    facts->reaches_pinned_host =
        context->capability.reaches_pinned_host || context->capability.device_is_host_memory;
    facts->device_is_host_memory = context->capability.device_is_host_memory;
}
