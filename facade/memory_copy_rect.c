/* Copies of rectangles and volumes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/copy_request.h"
#include "facade/memory.h"

static cudaError_t check_pitch(size_t pitch, size_t width)
{
    return pitch < width || pitch > FACADE_MAX_PITCH ? cudaErrorInvalidPitchValue : cudaSuccess;
}

static cudaError_t copy_2d(void *target, size_t target_pitch, const void *source, size_t source_pitch, size_t width,
                           size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request = {
        .copy = {.source = {.address = (uintptr_t)source, .pitch = source_pitch},
                 .target = {.address = (uintptr_t)target, .pitch = target_pitch},
                 .width = width,
                 .height = height,
                 .depth = 1},
    };
    cudaError_t error = facade_copy_claim(&request, kind);
    if (error == cudaSuccess)
        error = check_pitch(target_pitch, width);
    if (error == cudaSuccess)
        error = check_pitch(source_pitch, width);
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_async) : error;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request = {0};
    cudaError_t error = facade_copy_from_3d(&request, p);
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_async) : error;
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request = {0};
    cudaError_t error = facade_copy_from_3d_peer(&request, p);
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_async) : error;
}

/* --- entry points ---------------------------------------------------------------------------------------------- */

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind)
{
    return facade_result(copy_2d(dst, dpitch, src, spitch, width, height, kind, NULL, false));
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream)
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
