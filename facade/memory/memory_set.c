/* Fills: linear, rows with a pitch, volumes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/graph/capture.h"
#include "facade/memory/managed_advice.h"
#include "facade/memory/memory.h"
#include "facade/memory/memory_work.h"
#include "facade/memory/misuse.h"
#include "facade/memory/pointer_attributes.h"
#include "facade/state/handles.h"
#include "facade/state/runtime.h"
#include "facade/stream/stream.h"

static bool is_empty(const struct ocl_fill *fill)
{
    return fill->count == 0 || fill->height == 0 || fill->depth == 0;
}

/* Bytes from the fill's first to its last; false when no size_t holds them. */
static bool measure(const struct ocl_fill *fill, size_t *bytes)
{
    size_t row = 0, rows = 0, slices = 0;
    return !__builtin_mul_overflow(fill->count, fill->element_bytes, &row) &&
           !__builtin_mul_overflow(fill->height - 1, fill->pitch, &rows) &&
           !__builtin_mul_overflow(fill->depth - 1, fill->slice_bytes, &slices) &&
           !__builtin_add_overflow(row, rows, bytes) &&
           !__builtin_add_overflow(*bytes, slices, bytes);
}

/* What is mapped is held where that is right. A node may fill what its graph, or another one, is still to allocate. */
static cudaError_t keep_filled(const struct ocl_fill *fill, bool is_node,
                               struct facade_place *place, struct ocl_virtual_hold *hold)
{
    size_t bytes = 0;
    *hold = (struct ocl_virtual_hold){.count = 0};
    if (!measure(fill, &bytes) || fill->address % fill->element_bytes != 0)
        return cudaErrorInvalidValue;
    if (fill->height > 1 &&
        (fill->pitch % fill->element_bytes != 0 || fill->pitch < fill->count * fill->element_bytes))
        return cudaErrorInvalidValue;
    *place = facade_place_find(fill->address);
    if (is_node && place->kind == FACADE_PAGEABLE && facade_place_find_to_be(fill->address, place))
        return bytes <= place->left ? cudaSuccess : cudaErrorInvalidValue;
    if (place->kind != FACADE_PAGEABLE && facade_place_keep(place, bytes, true, hold))
        return cudaSuccess;
    facade_misuse_range(fill->address, bytes, "a fill");
    return cudaErrorInvalidValue;
}

static cudaError_t check_fill(const struct ocl_fill *fill)
{
    struct facade_place place;
    struct ocl_virtual_hold hold;
    cudaError_t error = keep_filled(fill, true, &place, &hold);
    ocl_virtual_let_go(&hold);
    return error;
}

static cudaError_t capture_rows(const struct ocl_fill *fill, struct facade_stream *stream)
{
    struct facade_work *work = NULL;
    cudaError_t error = facade_work_of_ocl_fill(fill, &work);
    return error == cudaSuccess ? facade_capture_add(stream, cudaGraphNodeTypeMemset, work, NULL)
                                : error;
}

/* A node has rows: of a volume all in one, where its slices follow each other as rows do, else those of each slice. */
static cudaError_t capture_fill(const struct ocl_fill *fill, struct facade_stream *stream)
{
    struct ocl_fill rows = *fill;
    const bool is_one = fill->slice_bytes == fill->pitch * fill->height;
    cudaError_t error = check_fill(fill);
    rows.depth = 1;
    if (is_one)
        rows.height *= fill->depth;
    for (size_t left = is_one ? 1 : fill->depth; error == cudaSuccess && left > 0; left--) {
        error = capture_rows(&rows, stream);
        rows.address += fill->slice_bytes;
    }
    return error;
}

static cudaError_t set_within(const struct ocl_fill *fill, cudaStream_t stream, bool is_async)
{
    struct facade_stream *found = NULL;
    bool is_capturing = false;
    cudaError_t error = is_async ? facade_stream_find_to_capture(stream, &found, &is_capturing)
                                 : facade_stream_find(stream, &found);
    if (error != cudaSuccess)
        return error;
    return is_capturing ? capture_fill(fill, found) : facade_memory_set_in(fill, found, is_async);
}

cudaError_t facade_memory_set(const struct ocl_fill *fill, cudaStream_t stream, bool is_async)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current_enter(&context);
    if (error != cudaSuccess)
        return error;
    if (!is_empty(fill))
        error = set_within(fill, stream, is_async);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_memory_set_check(const struct ocl_fill *fill)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    return error == cudaSuccess && !is_empty(fill) ? check_fill(fill) : error;
}

cudaError_t facade_memory_set_in(const struct ocl_fill *fill, struct facade_stream *found,
                                 bool is_async)
{
    struct facade_place place;
    struct ocl_virtual_hold hold;
    cudaError_t error = keep_filled(fill, false, &place, &hold);
    if (error != cudaSuccess)
        return error;
    bool waits =
        (!is_async && place.kind != FACADE_DEVICE) || facade_advice_is_synchronous(fill->address);
    ocl_status status =
        ocl_transfer_fill(found->queue, fill, waits ? OCL_WAIT_ALL : OCL_WAIT_SOURCE);
    ocl_virtual_let_go(&hold);
    return facade_error_from(status, FACADE_OTHER);
}

/* --- the runtime's forms: bytes only ---------------------------------------------------------- */

static cudaError_t set_1d(void *pointer, int value, size_t bytes, cudaStream_t stream,
                          bool is_async)
{
    const struct ocl_fill fill = {
        .address = (uintptr_t)pointer,
        .count = bytes,
        .height = 1,
        .depth = 1,
        .element_bytes = 1,
        .value = (unsigned char)value,
    };
    return facade_memory_set(&fill, stream, is_async);
}

static cudaError_t set_2d(void *pointer, size_t pitch, int value, size_t width, size_t height,
                          cudaStream_t stream, bool is_async)
{
    const struct ocl_fill fill = {
        .address = (uintptr_t)pointer,
        .pitch = pitch,
        .count = width,
        .height = height,
        .depth = 1,
        .element_bytes = 1,
        .value = (unsigned char)value,
    };
    return facade_memory_set(&fill, stream, is_async);
}

static cudaError_t set_3d(struct cudaPitchedPtr pointer, int value, struct cudaExtent extent,
                          cudaStream_t stream, bool is_async)
{
    struct ocl_fill fill = {
        .address = (uintptr_t)pointer.ptr,
        .pitch = pointer.pitch,
        .count = extent.width,
        .height = extent.height,
        .depth = extent.depth,
        .element_bytes = 1,
        .value = (unsigned char)value,
    };
    if (!is_empty(&fill) && extent.depth > 1 &&
        (pointer.pitch < extent.width || pointer.ysize < extent.height ||
         __builtin_mul_overflow(pointer.pitch, pointer.ysize, &fill.slice_bytes)))
        return cudaErrorInvalidValue;
    return facade_memory_set(&fill, stream, is_async);
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
    return facade_result(set_1d(devPtr, value, count, NULL, false));
}

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    return facade_result(set_1d(devPtr, value, count, stream, true));
}

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
    return facade_result(set_2d(devPtr, pitch, value, width, height, NULL, false));
}

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream)
{
    return facade_result(set_2d(devPtr, pitch, value, width, height, stream, true));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
    return facade_result(set_3d(pitchedDevPtr, value, extent, NULL, false));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
                              struct cudaExtent extent, cudaStream_t stream)
{
    return facade_result(set_3d(pitchedDevPtr, value, extent, stream, true));
}
