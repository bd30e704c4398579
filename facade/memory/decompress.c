/* Batches of packed bytes that streams unpack.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/decompress.h"

#include <stdlib.h>

#include "cl/unpack.h"
#include "facade/device/device.h"
#include "facade/memory/packed_format.h"
#include "facade/memory/pointer_attributes.h"
#include "facade/state/handles.h"

/* The most that a packed byte becomes, and what little there may be besides. Source: RFC 1951: 258 bytes for two bits. */
enum { MOST_RATIO = 1032, LEAST_ROOM = 4096 };

static ocl_unpack_function *find_function(CUmemDecompressAlgorithm algorithm)
{
    switch (algorithm) {
    case CU_MEM_DECOMPRESS_ALGORITHM_DEFLATE:
        return facade_unpack_deflate;
    case CU_MEM_DECOMPRESS_ALGORITHM_SNAPPY:
        return facade_unpack_snappy;
    case CU_MEM_DECOMPRESS_ALGORITHM_LZ4:
        return facade_unpack_lz4;
    default:
        return NULL;
    }
}

/* Memory of the device, or that it may use: CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE says so. *left: bytes to its end. */
static bool is_capable(const struct facade_context *context, const void *pointer, size_t bytes,
                       bool is_write, size_t *left)
{
    const struct facade_place place = facade_place_find((uintptr_t)pointer);
    if ((place.kind != FACADE_DEVICE && place.kind != FACADE_MANAGED) || place.context == NULL)
        return false;
    const int device = ocl_context_device(place.context);
    *left = place.left;
    return (device == context->device ||
            (atomic_load(&context->peers) >> (unsigned)device & 1) != 0) &&
           facade_place_holds(&place, bytes, is_write);
}

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* Without a size for the target, it may take what memory there is. */
static bool describe(const struct facade_context *context, const CUmemDecompressParams *params,
                     struct ocl_packed *packed)
{
    size_t left = 0, room = 0;
    *packed = (struct ocl_packed){.source = (uintptr_t)params->src,
                                  .target = (uintptr_t)params->dst,
                                  .count = (uintptr_t)params->dstActBytes,
                                  .bytes = params->srcNumBytes,
                                  .unpack = find_function(params->algo)};
    if (packed->unpack == NULL || packed->bytes == 0 ||
        packed->bytes > FACADE_DECOMPRESS_MOST_BYTES ||
        params->dstNumBytes > FACADE_DECOMPRESS_MOST_BYTES ||
        packed->count % sizeof *params->dstActBytes != 0)
        return false;
    if (!is_capable(context, params->src, packed->bytes, false, &left) ||
        !is_capable(context, params->dstActBytes, sizeof *params->dstActBytes, true, &left) ||
        !is_capable(context, params->dst, params->dstNumBytes > 0 ? params->dstNumBytes : 1, true,
                    &room))
        return false;
    packed->room =
        least(params->dstNumBytes > 0 ? params->dstNumBytes : room,
              least(packed->bytes * MOST_RATIO + LEAST_ROOM, FACADE_DECOMPRESS_MOST_BYTES));
    return true;
}

static cudaError_t describe_all(const struct facade_context *context,
                                const CUmemDecompressParams *params, size_t count,
                                struct ocl_packed *list, size_t *index)
{
    for (size_t i = 0; i < count; i++) {
        if (!describe(context, &params[i], &list[i])) {
            *index = i;
            return cudaErrorInvalidValue;
        }
    }
    return cudaSuccess;
}

static cudaError_t unpack(struct facade_stream *stream, const CUmemDecompressParams *params,
                          size_t count, size_t *index)
{
    struct ocl_packed *list = calloc(count, sizeof *list);
    if (list == NULL)
        return cudaErrorMemoryAllocation;
    cudaError_t error = describe_all(stream->context, params, count, list, index);
    if (error == cudaSuccess)
        error = facade_error_from(ocl_transfer_unpack(stream->queue, list, count), FACADE_OTHER);
    free(list);
    return error;
}

cudaError_t facade_decompress(const CUmemDecompressParams *params, size_t count, unsigned flags,
                              size_t *index, cudaStream_t handle)
{
    struct facade_stream *stream = NULL;
    size_t culprit = SIZE_MAX;
    cudaError_t error =
        params != NULL && count > 0 && flags == 0 ? cudaSuccess : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = facade_stream_find(handle, &stream);
    if (error == cudaSuccess)
        error = unpack(stream, params, count, &culprit);
    if (error != cudaSuccess && index != NULL)
        *index = culprit;
    return error;
}
