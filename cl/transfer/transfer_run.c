/* The way that is best for a copy whose device ends are in one context.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/allocation.h"
#include "cl/queue/queue_private.h"
#include "cl/transfer/transfer_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cl/managed/managed_private.h"
#include "cl/memory/address.h"
#include "cl/memory/transfer_command.h"
#include "cl/queue/chain.h"
#include "cl/queue/lane.h"
#include "cl/state/stillness.h"
#include "cl/transfer/staging.h"
#include "cl/transfer/transfer_kernel.h"

/* Bytes that go through a third place at once when a device's ranges overlap. */
enum { THIRD_PLACE_BYTES = 64 * 1024 * 1024 };

/* ---- By the host ---- */

static void copy_by_host(const struct ocl_transfer *transfer)
{
    const struct ocl_context *context = transfer->queue->context;
    const struct ocl_copy *copy = &transfer->copy;
    const bool is_streaming =
        ocl_plan_is_linear(copy) && copy->width >= transfer->limits->host_streaming_from;

    ocl_write_begin(context);
    const uint64_t start = ocl_profile_is_on() ? ocl_profile_clock() : 0;
    ocl_copy_pool_run(ocl_staging_pool(context->staging), copy, is_streaming);
    if (start != 0)
        ocl_lane_note_host(transfer->queue, start);
    ocl_write_end(context);
}

static bool is_pageable(const struct ocl_transfer *transfer)
{
    return transfer->source.kind == OCL_SIDE_PAGEABLE || transfer->target.kind == OCL_SIDE_PAGEABLE;
}

static bool is_within_device(const struct ocl_transfer *transfer)
{
    return transfer->source.kind == OCL_SIDE_DEVICE && transfer->target.kind == OCL_SIDE_DEVICE;
}

static bool is_host_memory(const struct ocl_transfer *transfer)
{
    return transfer->queue->context->capability.device_is_host_memory &&
           ocl_side_is_host_memory(&transfer->source) && ocl_side_is_host_memory(&transfer->target);
}

/* Whether the host should do the copy: the device's memory is the host's own, and the call waits
 * anyway or the copy costs less than a command. */
static bool suits_host(const struct ocl_transfer *transfer)
{
    const size_t bytes = ocl_plan_bytes(&transfer->copy);

    if (!is_host_memory(transfer))
        return false;
    if (transfer->target.kind == OCL_SIDE_PAGEABLE)
        return true;
    if (transfer->wait == OCL_WAIT_ALL)
        return !is_within_device(transfer) || bytes <= transfer->limits->direct_waiting;
    if (is_pageable(transfer))
        return bytes > OCL_STAGING_SMALL || ocl_queue_is_idle(transfer->queue);
    return bytes <= transfer->limits->direct_at_once && ocl_queue_is_idle(transfer->queue);
}

/* *is_done stays false when another thread keeps the queue busy; what it has given the queue meanwhile may wait for the caller,
 * who does not wait for it. */
static ocl_status try_host(const struct ocl_transfer *transfer, bool *is_done)
{
    const bool waits = transfer->wait == OCL_WAIT_ALL || is_pageable(transfer);
    const ocl_status status =
        waits ? ocl_queue_settle(transfer->queue) : ocl_context_failure(transfer->queue->context);

    if (status != OCL_OK || !ocl_queue_is_idle(transfer->queue))
        return status;
    ocl_transfer_copy_by_host(transfer);
    *is_done = true;
    return OCL_OK;
}

/* ---- Behind short launches, within their command ---- */

enum { PART_BYTES = 32 * 1024 };

struct chained {
    struct ocl_piece_of_chain piece;
    struct ocl_copy copy;
    struct ocl_parts parts;
};

/* What does not overlap. */
static bool share_copy(struct ocl_piece_of_chain *piece, bool is_waiting)
{
    struct chained *chained = (struct chained *)piece;
    const struct ocl_copy *copy = &chained->copy;
    bool is_any = false;

    for (uint64_t part; ocl_parts_take(&chained->parts, is_waiting, true, &part) > 0;
         is_any = true) {
        const size_t at = (size_t)part * PART_BYTES, left = copy->width - at;
        memcpy((void *)(uintptr_t)(copy->target.address + at),
               (const void *)(uintptr_t)(copy->source.address + at),
               left < PART_BYTES ? left : PART_BYTES);
    }
    return is_any;
}

static void copy_in_chain(struct ocl_piece_of_chain *piece)
{
    (void)share_copy(piece, false);
    ocl_piece_give(piece);
}

/* Whether a copy takes less time than a command, behind which another chain would have to begin. Pageable memory is read before the
 * call returns. */
static bool suits_chain(const struct ocl_transfer *transfer)
{
    return ocl_chain_is_there(transfer->queue) && is_host_memory(transfer) &&
           !is_pageable(transfer) && ocl_plan_is_linear(&transfer->copy) &&
           transfer->copy.width <= transfer->limits->chained;
}

/* *is_done stays false where the queue has no such command. */
static ocl_status try_chain(const struct ocl_transfer *transfer, bool *is_done)
{
    struct chained *chained = ocl_piece_take(sizeof *chained);

    if (!chained)
        return OCL_E_OUT_OF_MEMORY;
    const size_t bytes = transfer->copy.width;
    *chained = (struct chained){.piece = {copy_in_chain, bytes > PART_BYTES ? share_copy : NULL},
                                .copy = transfer->copy};
    ocl_parts_begin(&chained->parts, (bytes + PART_BYTES - 1) / PART_BYTES);
    const ocl_status status = ocl_chain_try(transfer->queue, &chained->piece, is_done);
    if (!*is_done)
        ocl_piece_give(chained);
    return status;
}

/* ---- Overlap ---- */

static bool ranges_overlap(const struct ocl_copy *copy)
{
    const uint64_t source = copy->source.address;
    const uint64_t target = copy->target.address;

    return source < target ? target - source < copy->width : source - target < copy->width;
}

bool ocl_transfer_overlaps(const struct ocl_transfer *transfer)
{
    return is_within_device(transfer) && ocl_plan_is_linear(&transfer->copy) &&
           ranges_overlap(&transfer->copy);
}

void ocl_transfer_copy_by_host(const struct ocl_transfer *transfer)
{
    const struct ocl_copy *copy = &transfer->copy;

    if (!ocl_plan_is_linear(copy) || !ranges_overlap(copy)) {
        copy_by_host(transfer);
        return;
    }
    ocl_write_begin(transfer->queue->context);
    memmove((void *)(uintptr_t)copy->target.address, (const void *)(uintptr_t)copy->source.address,
            copy->width);
    ocl_write_end(transfer->queue->context);
}

static ocl_status copy_host_to_host(const struct ocl_transfer *transfer)
{
    const ocl_status status = ocl_queue_settle(transfer->queue);

    if (status == OCL_OK)
        ocl_transfer_copy_by_host(transfer);
    return status;
}

/* Copies a run of bytes between two places of one device that do not overlap. */
static ocl_status copy_run(struct ocl_transfer *transfer, const struct ocl_side *target,
                           uint64_t to, const struct ocl_side *source, uint64_t from, size_t bytes)
{
    const struct ocl_copy copy = {{from, bytes, bytes}, {to, bytes, bytes}, bytes, 1, 1};
    const struct ocl_place target_place = ocl_side_place(target, to);
    const struct ocl_place source_place = ocl_side_place(source, from);

    /* No command takes a cl_mem and a pointer. */
    if (bytes >= transfer->limits->kernel_copy_from || !source_place.buffer != !target_place.buffer)
        return ocl_transfer_kernel_copy(transfer->queue, &copy);
    return ocl_command_copy(transfer->queue, &target_place, &source_place, bytes);
}

/* Portion by portion through third, from the end that the target does not reach first. */
static ocl_status copy_through(struct ocl_transfer *transfer, const struct ocl_side *third,
                               size_t third_bytes)
{
    const struct ocl_copy *copy = &transfer->copy;
    const bool is_upward = copy->target.address > copy->source.address;
    ocl_status status = OCL_OK;
    size_t left = copy->width;

    while (left > 0 && status == OCL_OK) {
        const size_t bytes = left < third_bytes ? left : third_bytes;
        const size_t offset = is_upward ? left - bytes : copy->width - left;
        status = copy_run(transfer, third, third->address, &transfer->source,
                          copy->source.address + offset, bytes);
        if (status == OCL_OK)
            status = copy_run(transfer, &transfer->target, copy->target.address + offset, third,
                              third->address, bytes);
        left -= bytes;
    }
    return status;
}

static ocl_status copy_overlapping(struct ocl_transfer *transfer)
{
    const size_t bytes =
        transfer->copy.width < THIRD_PLACE_BYTES ? transfer->copy.width : THIRD_PLACE_BYTES;
    uint64_t address;

    if (transfer->copy.source.address == transfer->copy.target.address)
        return ocl_context_failure(transfer->queue->context);
    ocl_status status = ocl_memory_allocate(transfer->queue->context, bytes, 0, &address);
    if (status != OCL_OK)
        return status;
    struct ocl_side third = ocl_side_find(address);
    status = copy_through(transfer, &third, bytes);
    ocl_side_release(&third);
    const ocl_status finished = ocl_queue_finish(transfer->queue);
    ocl_memory_discard(address);
    return status == OCL_OK ? finished : status;
}

/* ---- By the device ---- */

static ocl_status copy_device_to_device(struct ocl_transfer *transfer)
{
    const struct ocl_copy *copy = &transfer->copy;

    if (!ocl_plan_is_linear(copy))
        return ocl_transfer_kernel_copy(transfer->queue, copy);
    return copy_run(transfer, &transfer->target, copy->target.address, &transfer->source,
                    copy->source.address, copy->width);
}

/* By a kernel where that is faster, which has to know the pinned end by the address that kernels
 * use. */
static bool suits_pinned_kernel(const struct ocl_transfer *transfer)
{
    return transfer->copy.width >= transfer->limits->kernel_pinned_from &&
           ocl_side_is_reached(&transfer->source, transfer->queue->context) &&
           ocl_side_is_reached(&transfer->target, transfer->queue->context);
}

static ocl_status copy_pinned_by_kernel(struct ocl_transfer *transfer)
{
    struct ocl_copy copy = transfer->copy;

    copy.source.address = transfer->source.kernel_address;
    copy.target.address = transfer->target.kernel_address;
    return ocl_transfer_kernel_copy(transfer->queue, &copy);
}

static ocl_status write_pinned(struct ocl_transfer *transfer)
{
    const struct ocl_copy *copy = &transfer->copy;

    if (!ocl_plan_is_linear(copy))
        return ocl_transfer_pinned_rect(transfer);
    if (suits_pinned_kernel(transfer))
        return copy_pinned_by_kernel(transfer);
    const struct ocl_place target = ocl_side_place(&transfer->target, copy->target.address);
    return ocl_command_write(transfer->queue, &target,
                             (const void *)(uintptr_t)copy->source.address, copy->width, NULL);
}

static ocl_status read_pinned(struct ocl_transfer *transfer)
{
    const struct ocl_copy *copy = &transfer->copy;

    if (!ocl_plan_is_linear(copy))
        return ocl_transfer_pinned_rect(transfer);
    if (suits_pinned_kernel(transfer))
        return copy_pinned_by_kernel(transfer);
    const struct ocl_place source = ocl_side_place(&transfer->source, copy->source.address);
    return ocl_command_read(transfer->queue, (void *)(uintptr_t)copy->target.address, &source,
                            copy->width, NULL);
}

/* Which function moves bytes from a kind of memory to another, once the host's own ways are out of
 * question. */
typedef ocl_status move_function(struct ocl_transfer *transfer);

static move_function *const moves[3][3] = {
    [OCL_SIDE_PAGEABLE][OCL_SIDE_DEVICE] = ocl_transfer_write_staged,
    [OCL_SIDE_PINNED][OCL_SIDE_DEVICE] = write_pinned,
    [OCL_SIDE_DEVICE][OCL_SIDE_PAGEABLE] = ocl_transfer_read_staged,
    [OCL_SIDE_DEVICE][OCL_SIDE_PINNED] = read_pinned,
    [OCL_SIDE_DEVICE][OCL_SIDE_DEVICE] = copy_device_to_device,
};

/* Two ranges of one device that overlap: the host can take them as they are where it reaches them.
 */
static ocl_status run_overlapping(struct ocl_transfer *transfer)
{
    bool is_done = false;
    ocl_status status = OCL_OK;

    if (is_host_memory(transfer))
        status = try_host(transfer, &is_done);
    if (status != OCL_OK || is_done)
        return status;
    return transfer->wait == OCL_WAIT_ALL ? copy_overlapping(transfer)
                                          : ocl_transfer_later(transfer);
}

/* Pageable memory is read by the host, which a call that waits does behind the queue's earlier work: host functions
 * may write there. Source: CUDA Runtime API 13.0, API synchronization behavior, memcpy, synchronous. */
static bool reads_late(const struct ocl_transfer *transfer)
{
    return transfer->wait == OCL_WAIT_ALL && transfer->source.kind == OCL_SIDE_PAGEABLE;
}

/* The status, or that of waiting for the queue when the caller wants all to be complete. */
static ocl_status conclude(const struct ocl_transfer *transfer, ocl_status status)
{
    if (status != OCL_OK || transfer->wait != OCL_WAIT_ALL)
        return status;
    return ocl_queue_settle(transfer->queue);
}

static ocl_status run(struct ocl_transfer *transfer)
{
    bool is_done = false;
    ocl_status status = OCL_OK;

    if (transfer->source.kind != OCL_SIDE_DEVICE && transfer->target.kind != OCL_SIDE_DEVICE)
        return copy_host_to_host(transfer);
    if (ocl_transfer_overlaps(transfer))
        return run_overlapping(transfer);
    if (suits_host(transfer))
        status = try_host(transfer, &is_done);
    if (status == OCL_OK && !is_done && reads_late(transfer))
        status = ocl_queue_settle(transfer->queue);
    if (status != OCL_OK || is_done)
        return status;
    if (suits_chain(transfer))
        status = try_chain(transfer, &is_done);
    if (status != OCL_OK || is_done)
        return conclude(transfer, status);
    status = moves[transfer->source.kind][transfer->target.kind](transfer);
    return conclude(transfer, status);
}

static enum ocl_spool_end end_of(const struct ocl_side *side)
{
    return side->kind == OCL_SIDE_DEVICE   ? OCL_SPOOL_AT_DEVICE
           : side->kind == OCL_SIDE_PINNED ? OCL_SPOOL_AT_PINNED
                                           : OCL_SPOOL_AT_PAGEABLE;
}

ocl_status ocl_transfer_run(struct ocl_transfer *transfer)
{
    struct ocl_lane_scope scope;

    if (__builtin_expect(!ocl_profile_is_on(), 1))
        return run(transfer);
    ocl_lane_begin_copy(&scope, end_of(&transfer->source), end_of(&transfer->target),
                        ocl_plan_bytes(&transfer->copy));
    const ocl_status status = run(transfer);
    ocl_lane_end(&scope);
    return status;
}
