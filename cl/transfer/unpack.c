/* Unpacks in a queue's turn: the host does, in memory of its own, so that it is all the same where device memory lies, and
 * that nothing is lost where the packed bytes are wrong.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/unpack.h"

#include <stdlib.h>
#include <string.h>

#include "cl/memory.h"
#include "cl/queue/queue_private.h"
#include "cl/transfer/transfer_private.h"

struct unpacking {
    struct ocl_queue *own; /* keeps the context open until the turn is over */
    unsigned char *from, *to;
    size_t count;
    struct ocl_packed list[];
};

static void end_unpacking(struct unpacking *unpacking)
{
    if (unpacking->own)
        ocl_queue_release(unpacking->own);
    free(unpacking->from);
    free(unpacking->to);
    free(unpacking);
}

static ocl_status copy(const struct unpacking *unpacking, uint64_t target, uint64_t source,
                       size_t bytes)
{
    const struct ocl_copy linear = ocl_copy_linear(target, source, bytes);

    return ocl_transfer_copy(unpacking->own, &linear, OCL_WAIT_ALL);
}

static ocl_status unpack(const struct unpacking *unpacking, const struct ocl_packed *packed)
{
    ocl_status status = copy(unpacking, (uintptr_t)unpacking->from, packed->source, packed->bytes);

    if (status != OCL_OK)
        return status;
    const size_t bytes =
        packed->unpack(unpacking->from, packed->bytes, unpacking->to, packed->room);
    const uint32_t written = (uint32_t)bytes;
    if (bytes > 0)
        status = copy(unpacking, packed->target, (uintptr_t)unpacking->to, bytes);
    return status == OCL_OK ? copy(unpacking, packed->count, (uintptr_t)&written, sizeof written)
                            : status;
}

static ocl_status unpack_in_turn(void *data, ocl_status failure)
{
    struct unpacking *unpacking = data;

    ocl_memory_find_freed(true);
    for (size_t i = 0; failure == OCL_OK && i < unpacking->count; i++)
        failure = unpack(unpacking, &unpacking->list[i]);
    ocl_memory_find_freed(false);
    end_unpacking(unpacking);
    return failure;
}

static ocl_status find_room(struct unpacking *unpacking)
{
    size_t bytes = 0, room = 0;

    for (size_t i = 0; i < unpacking->count; i++) {
        const struct ocl_packed *packed = &unpacking->list[i];
        bytes = packed->bytes > bytes ? packed->bytes : bytes;
        room = packed->room > room ? packed->room : room;
    }
    unpacking->from = malloc(bytes);
    unpacking->to = malloc(room);
    return unpacking->from && unpacking->to ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

ocl_status ocl_transfer_unpack(struct ocl_queue *queue, const struct ocl_packed *list, size_t count)
{
    struct unpacking *unpacking = calloc(1, sizeof *unpacking + count * sizeof *list);

    if (!unpacking)
        return OCL_E_OUT_OF_MEMORY;
    unpacking->count = count;
    memcpy(unpacking->list, list, count * sizeof *list);
    ocl_status status = find_room(unpacking);
    if (status == OCL_OK)
        status = ocl_transfer_borrow_queue(queue->context, &unpacking->own);
    if (status == OCL_OK)
        status = ocl_queue_take_turn(queue, unpack_in_turn, unpacking);
    if (status != OCL_OK)
        end_unpacking(unpacking);
    return status;
}
