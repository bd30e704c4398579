/* Pageable memory to and from a device, portion by portion through pinned chunks.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/memory/allocation.h"
#include "cl/memory/transfer_command.h"
#include "cl/queue/queue_private.h"
#include "cl/transfer/staging.h"
#include "cl/transfer/transfer_kernel.h"
#include "cl/transfer/transfer_private.h"

/* Chunks that a copy to the host keeps on their way; each thread waits for a chunk only while it
 * holds none. */
enum { IN_FLIGHT = 3 };

static size_t piece_limit(const struct ocl_transfer *transfer)
{
    const size_t bytes = ocl_plan_bytes(&transfer->copy);

    return bytes <= OCL_STAGING_SMALL ? OCL_STAGING_SMALL
                                      : ocl_plan_portion_bytes(transfer->limits, bytes);
}

/* The rows of portion, one behind the other from address on. */
static struct ocl_copy_end packed_at(uint64_t address, const struct ocl_copy *portion)
{
    return (struct ocl_copy_end){address, portion->width, portion->width * portion->height};
}

static struct ocl_copy_end packed_in(const struct ocl_chunk *chunk, const struct ocl_copy *portion)
{
    return packed_at((uint64_t)(uintptr_t)chunk->host, portion);
}

/* Streaming stores would take a chunk out of the caches before the device reads it, and keep the
 * caches free of what a caller gets. */
static void copy_on_host(const struct ocl_transfer *transfer, struct ocl_copy copy, bool is_arrival)
{
    const bool is_streaming =
        is_arrival && ocl_plan_bytes(&transfer->copy) >= transfer->limits->host_streaming_from;

    ocl_plan_collapse(&copy);
    ocl_copy_pool_run(ocl_staging_pool(transfer->queue->context->staging), &copy, is_streaming);
}

/* An event behind what was enqueued, in place of *event, which becomes *sent. Without one the chunk must not be given
 * back: then wait. */
static ocl_status renew_event(struct ocl_queue *queue, cl_event *event, cl_event *sent)
{
    uint64_t position;
    cl_event later;
    const ocl_status status = ocl_queue_mark(queue, &later, &position);

    if (status != OCL_OK) {
        (void)ocl_queue_finish(queue);
        return status;
    }
    *sent = *event;
    *event = later;
    return OCL_OK;
}

/* ---- To the device ---- */

/* Rows go to the twin in one command, and a kernel puts them where they belong. */
static ocl_status scatter(struct ocl_transfer *transfer, struct ocl_chunk *chunk,
                          const struct ocl_copy *portion, cl_event *event)
{
    ocl_status status = ocl_staging_twin(transfer->queue->context->staging, chunk);

    if (status != OCL_OK)
        return status;
    struct ocl_side twin = ocl_side_find(chunk->twin);
    const struct ocl_place place = ocl_side_place(&twin, chunk->twin);
    struct ocl_copy rows = *portion;
    rows.source = packed_at(chunk->twin, portion);
    ocl_plan_collapse(&rows);
    status =
        ocl_command_write(transfer->queue, &place, chunk->host, ocl_plan_bytes(portion), event);
    if (status == OCL_OK) {
        status = ocl_transfer_kernel_copy(transfer->queue, &rows);
        const ocl_status renewed = renew_event(transfer->queue, event, &chunk->sent);
        status = status == OCL_OK ? renewed : status;
    }
    ocl_side_release(&twin);
    return status;
}

static ocl_status send(struct ocl_transfer *transfer, struct ocl_chunk *chunk,
                       const struct ocl_copy *portion, cl_event *event)
{
    struct ocl_copy rest = *portion;

    copy_on_host(transfer,
                 (struct ocl_copy){portion->source, packed_in(chunk, portion), portion->width,
                                   portion->height, portion->depth},
                 false);
    rest.source = packed_in(chunk, portion);
    ocl_plan_collapse(&rest);
    if (!ocl_plan_is_linear(&rest))
        return scatter(transfer, chunk, portion, event);
    const struct ocl_place target = ocl_side_place(&transfer->target, rest.target.address);
    return ocl_command_write(transfer->queue, &target, chunk->host, rest.width, event);
}

static ocl_status write_portions(struct ocl_transfer *transfer)
{
    struct ocl_staging *staging = transfer->queue->context->staging;
    const size_t limit = piece_limit(transfer);
    struct ocl_cursor cursor = {0};
    struct ocl_copy portion;
    ocl_status status = OCL_OK;

    while (status == OCL_OK && ocl_plan_next(&transfer->copy, limit, &cursor, &portion)) {
        struct ocl_chunk *chunk;
        cl_event event = NULL;
        status = ocl_staging_take(staging, transfer->queue, ocl_plan_bytes(&portion), true, &chunk);
        if (status != OCL_OK)
            return status;
        status = send(transfer, chunk, &portion, &event);
        chunk->queue = transfer->queue;
        ocl_staging_give(staging, chunk, event);
    }
    return status;
}

/* Whether the driver may take the caller's memory as it is, in a call that waits. */
static bool suits_driver(const struct ocl_transfer *transfer, const struct ocl_place *target)
{
    const size_t bytes = transfer->copy.width;

    return transfer->wait == OCL_WAIT_ALL && target->buffer &&
           !atomic_load(&transfer->queue->context->migration) &&
           ocl_plan_is_linear(&transfer->copy) &&
           (bytes <= transfer->limits->driver_write ||
            (bytes > OCL_STAGING_SMALL && bytes <= transfer->limits->driver_write_waits));
}

/* Whether one chunk and one command will do; device is the end in device memory. */
static bool is_few(const struct ocl_transfer *transfer, const struct ocl_side *device,
                   const struct ocl_copy_end *end)
{
    const struct ocl_copy *copy = &transfer->copy;

    if (ocl_plan_bytes(copy) > OCL_STAGING_SMALL)
        return false;
    return ocl_plan_is_linear(copy) ||
           (copy->depth == 1 && copy->height <= transfer->limits->rect_command_rows &&
            device->allocation->block->buffer && end->pitch >= copy->width);
}

static ocl_status write_packed(struct ocl_transfer *transfer, const struct ocl_place *target,
                               const struct ocl_chunk *chunk)
{
    const struct ocl_copy *copy = &transfer->copy;
    const size_t extent[3] = {copy->width, copy->height, 1};
    const struct ocl_command_rows rows = {copy->target.pitch, copy->target.pitch * copy->height};
    const struct ocl_command_rows packed = {copy->width, copy->width * copy->height};

    if (ocl_plan_is_linear(copy))
        return ocl_command_write(transfer->queue, target, chunk->host, copy->width, NULL);
    return ocl_command_write_rows(transfer->queue, target, &rows, chunk->host, &packed, extent);
}

/* For a caller that waits: no event is needed that tells when the chunk is free. */
static ocl_status write_few(struct ocl_transfer *transfer, const struct ocl_place *target)
{
    struct ocl_staging *staging = transfer->queue->context->staging;
    struct ocl_copy arrival = transfer->copy;
    struct ocl_chunk *chunk;
    ocl_status status =
        ocl_staging_take(staging, transfer->queue, ocl_plan_bytes(&arrival), true, &chunk);

    if (status != OCL_OK)
        return status;
    arrival.target = packed_in(chunk, &arrival);
    copy_on_host(transfer, arrival, false);
    status = write_packed(transfer, target, chunk);
    if (status == OCL_OK)
        status = ocl_queue_finish(transfer->queue);
    ocl_staging_give(staging, chunk, NULL);
    return status;
}

ocl_status ocl_transfer_write_staged(struct ocl_transfer *transfer)
{
    const struct ocl_copy *copy = &transfer->copy;
    const struct ocl_place target = ocl_side_place(&transfer->target, copy->target.address);
    const void *source = (const void *)(uintptr_t)copy->source.address;

    if (suits_driver(transfer, &target))
        return copy->width <= transfer->limits->driver_write
                   ? ocl_command_write(transfer->queue, &target, source, copy->width, NULL)
                   : ocl_command_write_now(transfer->queue, &target, source, copy->width);
    if (transfer->wait == OCL_WAIT_ALL && is_few(transfer, &transfer->target, &copy->target)) {
        const ocl_status status = write_few(transfer, &target);
        if (status != CL_INVALID_VALUE) /* as ocl_transfer_pinned_rect() */
            return status;
    }
    return write_portions(transfer);
}

/* ---- To the host ---- */

/* A portion on its way to the host. */
struct arrival {
    struct ocl_chunk *chunk;
    cl_event event;
    struct ocl_copy portion;
};

/* Those on their way, the first enqueued first. */
struct arrivals {
    struct arrival list[IN_FLIGHT];
    unsigned first, count;
};

/* A kernel packs the rows into the twin, which one command reads. */
static ocl_status gather(struct ocl_transfer *transfer, struct arrival *arrival)
{
    ocl_status status = ocl_staging_twin(transfer->queue->context->staging, arrival->chunk);

    if (status != OCL_OK)
        return status;
    struct ocl_side twin = ocl_side_find(arrival->chunk->twin);
    const struct ocl_place place = ocl_side_place(&twin, arrival->chunk->twin);
    struct ocl_copy rows = arrival->portion;
    rows.target = packed_at(arrival->chunk->twin, &arrival->portion);
    ocl_plan_collapse(&rows);
    status = ocl_transfer_kernel_copy(transfer->queue, &rows);
    if (status == OCL_OK)
        status = ocl_command_read(transfer->queue, arrival->chunk->host, &place,
                                  ocl_plan_bytes(&arrival->portion), &arrival->event);
    if (status != OCL_OK && !arrival->event)
        (void)ocl_queue_finish(transfer->queue); /* the kernel may still write to the twin */
    ocl_side_release(&twin);
    return status;
}

static ocl_status fetch(struct ocl_transfer *transfer, struct arrival *arrival)
{
    struct ocl_copy rest = arrival->portion;

    rest.target = packed_in(arrival->chunk, &arrival->portion);
    ocl_plan_collapse(&rest);
    if (!ocl_plan_is_linear(&rest))
        return gather(transfer, arrival);
    const struct ocl_place source = ocl_side_place(&transfer->source, rest.source.address);
    return ocl_command_read(transfer->queue, arrival->chunk->host, &source, rest.width,
                            &arrival->event);
}

/* Waits for the oldest arrival and puts its bytes where they belong, unless status says that the
 * copy has failed. */
static ocl_status receive(struct ocl_transfer *transfer, struct arrivals *arrivals,
                          ocl_status status)
{
    struct arrival *arrival = &arrivals->list[arrivals->first];
    const struct ocl_copy *portion = &arrival->portion;
    const ocl_status waited = ocl_queue_wait_for_event(transfer->queue->context, arrival->event);

    clReleaseEvent(arrival->event);
    if (status == OCL_OK && waited == OCL_OK)
        copy_on_host(transfer,
                     (struct ocl_copy){packed_in(arrival->chunk, portion), portion->target,
                                       portion->width, portion->height, portion->depth},
                     true);
    ocl_staging_give(transfer->queue->context->staging, arrival->chunk, NULL);
    arrivals->first = (arrivals->first + 1) % IN_FLIGHT;
    arrivals->count--;
    return status == OCL_OK ? waited : status;
}

/* Enqueues one more portion. Its chunk is waited for only when this thread holds no other. */
static ocl_status request(struct ocl_transfer *transfer, struct arrivals *arrivals,
                          const struct ocl_copy *portion)
{
    struct ocl_staging *staging = transfer->queue->context->staging;
    struct ocl_chunk *chunk = NULL;
    ocl_status status = OCL_OK;

    while (status == OCL_OK && !chunk) {
        if (arrivals->count < IN_FLIGHT)
            status = ocl_staging_take(staging, transfer->queue, ocl_plan_bytes(portion),
                                      arrivals->count == 0, &chunk);
        if (status == OCL_OK && !chunk)
            status =
                arrivals->count > 0 ? receive(transfer, arrivals, status) : OCL_E_OUT_OF_MEMORY;
    }
    if (status != OCL_OK)
        return status;
    struct arrival *arrival = &arrivals->list[(arrivals->first + arrivals->count) % IN_FLIGHT];
    *arrival = (struct arrival){chunk, NULL, *portion};
    status = fetch(transfer, arrival);
    if (arrival->event)
        arrivals->count++;
    else
        ocl_staging_give(staging, chunk, NULL);
    return status;
}

static ocl_status read_packed(struct ocl_transfer *transfer, const struct ocl_place *source,
                              const struct ocl_chunk *chunk)
{
    const struct ocl_copy *copy = &transfer->copy;
    const size_t extent[3] = {copy->width, copy->height, 1};
    const struct ocl_command_rows rows = {copy->source.pitch, copy->source.pitch * copy->height};
    const struct ocl_command_rows packed = {copy->width, copy->width * copy->height};

    if (ocl_plan_is_linear(copy))
        return ocl_command_read(transfer->queue, chunk->host, source, copy->width, NULL);
    return ocl_command_read_rows(transfer->queue, source, &rows, chunk->host, &packed, extent);
}

/* Few bytes: a pinned target and one wait for the queue cost less than the driver's own way to
 * pageable memory (4 bytes 7.0 against 7.7 us, 64 KiB 13 against 15.5 us on an NVIDIA H200). */
static ocl_status read_few(struct ocl_transfer *transfer)
{
    struct ocl_staging *staging = transfer->queue->context->staging;
    const struct ocl_place source =
        ocl_side_place(&transfer->source, transfer->copy.source.address);
    struct ocl_copy arrival = transfer->copy;
    struct ocl_chunk *chunk;
    ocl_status status =
        ocl_staging_take(staging, transfer->queue, ocl_plan_bytes(&arrival), true, &chunk);

    if (status != OCL_OK)
        return status;
    status = read_packed(transfer, &source, chunk);
    if (status == OCL_OK)
        status = ocl_queue_finish(transfer->queue);
    arrival.source = packed_in(chunk, &arrival);
    if (status == OCL_OK)
        copy_on_host(transfer, arrival, false);
    ocl_staging_give(staging, chunk, NULL);
    return status;
}

static ocl_status read_portions(struct ocl_transfer *transfer)
{
    const size_t limit = piece_limit(transfer);
    struct ocl_cursor cursor = {0};
    struct arrivals arrivals = {.count = 0};
    struct ocl_copy portion;
    ocl_status status = OCL_OK;

    while (status == OCL_OK && ocl_plan_next(&transfer->copy, limit, &cursor, &portion))
        status = request(transfer, &arrivals, &portion);
    while (arrivals.count > 0)
        status = receive(transfer, &arrivals, status);
    return status;
}

ocl_status ocl_transfer_read_staged(struct ocl_transfer *transfer)
{
    if (is_few(transfer, &transfer->source, &transfer->copy.source)) {
        const ocl_status status = read_few(transfer);
        if (status != CL_INVALID_VALUE) /* as ocl_transfer_pinned_rect() */
            return status;
    }
    return read_portions(transfer);
}
