/* Fills of device memory and of pinned host memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check.h"
#include "cl/check/check_transfer.h"
#include "cl/memory/allocation.h"
#include "cl/memory/transfer_command.h"
#include "cl/memory/uses.h"
#include "cl/queue/chain.h"
#include "cl/queue/lane.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"
#include "cl/state/stillness.h"
#include "cl/transfer/staging.h"
#include "cl/transfer/transfer_kernel.h"
#include "cl/transfer/transfer_private.h"

/* A fill as the kernels and the host take it: the target of a collapsed volume, and four
 * bytes of pattern that begin anew in each row. */
struct filling {
    struct ocl_copy shape;
    uint32_t pattern;
};

static uint32_t widen(uint32_t value, size_t element_bytes)
{
    assert(element_bytes == 1 || element_bytes == 2 || element_bytes == 4);
    if (element_bytes == 1)
        return (value & 0xff) * 0x01010101u;
    return element_bytes == 2 ? (value & 0xffff) * 0x00010001u : value;
}

/* ---- By the host ---- */

static void fill_row(unsigned char *row, size_t width, uint32_t pattern)
{
    unsigned char block[256];
    size_t done = 0;

    if (pattern == (pattern & 0xff) * 0x01010101u) {
        memset(row, (int)(pattern & 0xff), width);
        return;
    }
    for (size_t i = 0; i < sizeof block; i += sizeof pattern)
        memcpy(block + i, &pattern, sizeof pattern);
    for (; width - done > sizeof block; done += sizeof block)
        memcpy(row + done, block, sizeof block);
    memcpy(row + done, block, width - done);
}

static void fill_rows(const struct filling *filling)
{
    const struct ocl_copy *shape = &filling->shape;

    for (size_t z = 0; z < shape->depth; z++) {
        for (size_t y = 0; y < shape->height; y++) {
            const uint64_t row =
                shape->target.address + z * shape->target.slice_bytes + y * shape->target.pitch;
            fill_row((unsigned char *)(uintptr_t)row, shape->width, filling->pattern);
        }
    }
}

static void fill_by_host(const struct ocl_queue *queue, const struct filling *filling)
{
    struct ocl_lane_scope scope;
    const uint64_t start = ocl_profile_start_of_span();

    if (start == 0) {
        fill_rows(filling);
        return;
    }
    ocl_lane_begin_fill(&scope, ocl_plan_bytes(&filling->shape));
    fill_rows(filling);
    ocl_lane_note_host(queue, start);
    ocl_lane_end(&scope);
}

/* The host may fill in place of a command when nothing of the queue is left to do. What another thread gives the queue meanwhile
 * may wait for a caller who does not wait for it. */
static ocl_status try_host(struct ocl_queue *queue, const struct filling *filling, bool waits,
                           bool *is_done)
{
    const ocl_status status = waits ? ocl_queue_settle(queue) : ocl_context_failure(queue->context);

    if (status != OCL_OK || !ocl_queue_is_idle(queue))
        return status;
    ocl_write_begin(queue->context);
    fill_by_host(queue, filling);
    ocl_write_end(queue->context);
    *is_done = true;
    return OCL_OK;
}

/* ---- Device memory ---- */

/* Little is copied from where the pattern is in host memory: a kernel costs twice as much. *is_done stays false when that
 * cannot be. */
static ocl_status try_write(struct ocl_queue *queue, const struct ocl_side *side,
                            const struct filling *filling, size_t most, bool *is_done)
{
    const size_t bytes = filling->shape.width;

    if (bytes > most || !ocl_plan_is_linear(&filling->shape))
        return OCL_OK;
    const struct ocl_place target = ocl_side_place(side, filling->shape.target.address);
    const void *source =
        target.buffer ? ocl_staging_pattern(queue->context->staging, filling->pattern) : NULL;
    *is_done = source != NULL;
    return source ? ocl_command_write(queue, &target, source, bytes, NULL) : OCL_OK;
}

/* A fill that follows short launches within their command. */
struct chained {
    struct ocl_piece_of_chain piece;
    struct filling filling;
};

static void fill_in_chain(struct ocl_piece_of_chain *piece)
{
    struct chained *chained = (struct chained *)piece;

    fill_rows(&chained->filling);
    ocl_piece_give(chained);
}

/* *is_done stays false where the queue has no such command. */
static ocl_status try_chain(struct ocl_queue *queue, const struct filling *filling, bool *is_done)
{
    struct chained *chained = ocl_piece_take(sizeof *chained);

    if (!chained)
        return OCL_E_OUT_OF_MEMORY;
    *chained = (struct chained){{fill_in_chain, NULL}, *filling};
    const ocl_status status = ocl_chain_try(queue, &chained->piece, is_done);
    if (!*is_done)
        ocl_piece_give(chained);
    return status;
}

static ocl_status run_device(struct ocl_queue *queue, const struct ocl_side *side,
                             const struct filling *filling, enum ocl_transfer_wait wait)
{
    const struct ocl_context *context = queue->context;
    const struct ocl_transfer_limits *limits = ocl_plan_limits(context->device->facts.device_class);
    const bool suits_host =
        ocl_side_is_host_memory(side) && ocl_plan_bytes(&filling->shape) <= limits->direct_fill;
    bool is_done = false;
    ocl_status status = OCL_OK;

    if (suits_host && (wait == OCL_WAIT_ALL || ocl_queue_is_idle(queue)))
        status = try_host(queue, filling, wait == OCL_WAIT_ALL, &is_done);
    if (status == OCL_OK && !is_done && suits_host && ocl_chain_is_there(queue))
        status = try_chain(queue, filling, &is_done);
    if (status != OCL_OK || is_done)
        return status;
    status = try_write(queue, side, filling, limits->write_fill, &is_done);
    if (!is_done)
        status = ocl_transfer_kernel_fill(queue, &filling->shape, filling->pattern);
    return status == OCL_OK && wait == OCL_WAIT_ALL ? ocl_queue_settle(queue) : status;
}

static ocl_status fill_device(struct ocl_queue *queue, const struct ocl_side *side,
                              const struct filling *filling, enum ocl_transfer_wait wait)
{
    struct ocl_lane_scope scope;

    if (__builtin_expect(!ocl_profile_is_on(), 1))
        return run_device(queue, side, filling, wait);
    ocl_lane_begin_fill(&scope, ocl_plan_bytes(&filling->shape));
    const ocl_status status = run_device(queue, side, filling, wait);
    ocl_lane_end(&scope);
    return status;
}

/* The queue is another context's: wait for it, and fill to the end in the memory's own. */
static ocl_status fill_foreign(struct ocl_queue *queue, const struct ocl_side *side,
                               const struct filling *filling)
{
    struct ocl_context *context = side->allocation->context;
    struct ocl_queue *own;
    ocl_status status = ocl_queue_settle(queue);

    if (status == OCL_OK)
        status = ocl_staging_queue(context->staging, queue, &own);
    return status == OCL_OK ? fill_device(own, side, filling, OCL_WAIT_ALL) : status;
}

/* ---- Later ---- */

/* A fill that the host sees to when its turn in a queue has come. */
struct later {
    struct filling filling;
    struct ocl_side side;
    struct ocl_context *context; /* of the turn's queue */
    struct ocl_queue
        *own; /* of the memory's context, which it keeps open; NULL: that is the turn's */
};

static void end_later(struct later *later)
{
    ocl_side_release(&later->side);
    if (later->own)
        ocl_queue_release(later->own);
    free(later);
}

static void fill_in_turn(void *data, ocl_status status)
{
    struct later *later = data;
    const bool moves = ocl_sides_begin(NULL, &later->side);

    if (status == OCL_OK && later->side.kind == OCL_SIDE_DEVICE)
        status = fill_device(later->own, &later->side, &later->filling, OCL_WAIT_ALL);
    else if (status == OCL_OK)
        fill_rows(&later->filling);
    if (moves)
        ocl_sides_end();
    if (status != OCL_OK)
        (void)ocl_context_fail(later->context, status);
    end_later(later);
}

/* Takes over the side's reference. */
static ocl_status fill_later(struct ocl_queue *queue, struct ocl_side *side,
                             const struct filling *filling)
{
    struct ocl_context *context = side->allocation->context;
    struct later *later = malloc(sizeof *later);
    ocl_status status = OCL_OK;

    if (!later)
        return OCL_E_OUT_OF_MEMORY;
    *later = (struct later){*filling, *side, queue->context, NULL};
    side->allocation = NULL;
    if (context != queue->context)
        status = ocl_transfer_borrow_queue(context, &later->own);
    if (status == OCL_OK)
        status = ocl_queue_in_turn(queue, fill_in_turn, later);
    if (status != OCL_OK)
        end_later(later);
    return status;
}

/* ---- Pinned host memory ---- */

/* Whether the host should wait for its turn here: it costs less than a command. */
static bool suits_host(struct ocl_queue *queue, const struct ocl_side *side,
                       const struct filling *filling)
{
    const struct ocl_transfer_limits *limits =
        ocl_plan_limits(queue->context->device->facts.device_class);

    return ocl_queue_is_idle(queue) && (side->allocation->context != queue->context ||
                                        ocl_plan_bytes(&filling->shape) <= limits->direct_at_once);
}

/* Memory of another context could be freed before the turn of a command of this queue comes. */
static ocl_status fill_pinned(struct ocl_queue *queue, struct ocl_side *side,
                              struct filling *filling, enum ocl_transfer_wait wait)
{
    if (wait == OCL_WAIT_ALL || suits_host(queue, side, filling)) {
        const ocl_status status = ocl_queue_settle(queue);
        if (status == OCL_OK)
            fill_by_host(queue, filling);
        return status;
    }
    if (!ocl_side_is_reached(side, queue->context))
        return fill_later(queue, side, filling);
    filling->shape.target.address = side->kernel_address;
    return ocl_transfer_kernel_fill(queue, &filling->shape, filling->pattern);
}

static struct filling describe(const struct ocl_fill *fill, uint64_t address)
{
    const struct ocl_copy_end end = {address, fill->pitch, fill->slice_bytes};
    struct filling filling = {
        .shape = {end, end, fill->count * fill->element_bytes, fill->height, fill->depth},
        .pattern = widen(fill->value, fill->element_bytes),
    };

    /* A row of three elements of a byte or of a half-word ends inside the pattern; the elements are
     * all the same, so that rows which follow each other can still be one. */
    ocl_plan_collapse(&filling.shape);
    return filling;
}

static void check_order(const struct ocl_queue *queue, const struct ocl_fill *fill,
                        const struct ocl_side *side)
{
    const struct ocl_stream stream = ocl_queue_stream(queue);
    ocl_check_transfer(
        &stream, &(struct ocl_check_rows){side->address, fill->pitch, fill->slice_bytes}, NULL,
        &(struct ocl_check_shape){fill->count * fill->element_bytes, fill->height, fill->depth},
        false);
}

static void note_complete(const struct ocl_queue *queue)
{
    const struct ocl_stream stream = ocl_queue_stream(queue);
    ocl_stream_finished(&stream);
}

ocl_status ocl_transfer_fill(struct ocl_queue *queue, const struct ocl_fill *fill,
                             enum ocl_transfer_wait wait)
{
    struct ocl_side side = ocl_side_find(fill->address);
    struct filling filling = describe(fill, side.address);
    ocl_status status;

    ocl_transfer_check(
        queue, &(struct ocl_check_rows){fill->address, fill->pitch, fill->slice_bytes}, NULL,
        &(struct ocl_check_shape){fill->count * fill->element_bytes, fill->height, fill->depth},
        wait);
    if (ocl_check_wants(OCL_CHECK_RACE) && side.kind != OCL_SIDE_PAGEABLE)
        check_order(queue, fill, &side);
    const bool moves = ocl_sides_begin(NULL, &side);
    if (side.kind == OCL_SIDE_PAGEABLE)
        status = OCL_E_NOT_FOUND;
    else if (side.kind == OCL_SIDE_PINNED)
        status = fill_pinned(queue, &side, &filling, wait);
    else if (side.allocation->context == queue->context)
        status = fill_device(queue, &side, &filling, wait);
    else if (wait == OCL_WAIT_ALL)
        status = fill_foreign(queue, &side, &filling);
    else
        status = fill_later(queue, &side, &filling);
    if (moves)
        ocl_sides_end();
    if (status == OCL_OK && wait == OCL_WAIT_ALL)
        note_complete(queue);
    if (status == OCL_OK)
        ocl_use_note(side.allocation, queue);
    ocl_side_release(&side);
    return status;
}
