/* Copies of rectangles and volumes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/copy_request.h"

/* The distance between rows matters when there are two; a single row then has the driver's
 * rules, by which 0 stands for "tight". */
static cudaError_t check_pitch(size_t pitch, size_t width, size_t height)
{
    return height > 1 && pitch < width ? cudaErrorInvalidPitchValue : cudaSuccess;
}

static cudaError_t check_single_row(size_t pitch, size_t width)
{
    return pitch != 0 && pitch < width ? cudaErrorInvalidValue : cudaSuccess;
}

/* Needs: width and height are not 0. */
static cudaError_t check_2d(struct facade_copy_request *request, enum cudaMemcpyKind kind)
{
    const struct ocl_copy *copy = &request->copy;
    cudaError_t error = check_pitch(copy->target.pitch, copy->width, copy->height);
    if (error == cudaSuccess)
        error = check_pitch(copy->source.pitch, copy->width, copy->height);
    if (error == cudaSuccess)
        error = facade_copy_claim(request, kind);
    if (error == cudaSuccess)
        error = check_single_row(copy->target.pitch, copy->width);
    if (error == cudaSuccess)
        error = check_single_row(copy->source.pitch, copy->width);
    return error;
}

static cudaError_t copy_2d(void *target, size_t target_pitch, const void *source,
                           size_t source_pitch, size_t width, size_t height,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request = {
        .copy = {.source = {.address = (uintptr_t)source, .pitch = source_pitch},
                 .target = {.address = (uintptr_t)target, .pitch = target_pitch},
                 .width = width,
                 .height = height,
                 .depth = 1},
    };
    cudaError_t error = facade_copy_is_empty(&request) ? cudaSuccess : check_2d(&request, kind);
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_async) : error;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request;
    cudaError_t error = facade_copy_from_3d(&request, p);
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_async) : error;
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream,
                                bool is_async)
{
    struct facade_copy_request request;
    cudaError_t error = facade_copy_from_3d_peer(&request, p);
    request.is_alone = !is_async;
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_async) : error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                         size_t height, enum cudaMemcpyKind kind)
{
    return facade_result(copy_2d(dst, dpitch, src, spitch, width, height, kind, NULL, false));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    return facade_result(copy_2d(dst, dpitch, src, spitch, width, height, kind, stream, true));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
    return facade_result(copy_3d(p, NULL, false));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return facade_result(copy_3d(p, stream, true));
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
    return facade_result(copy_3d_peer(p, NULL, false));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    return facade_result(copy_3d_peer(p, stream, true));
}
