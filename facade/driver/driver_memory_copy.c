/* The driver API's copies. The types of the arguments say what each end is; unified forms ask the
 * address.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <string.h>

#include "facade/memory/copy_request.h"
#include "facade/stream/stream.h"

static void *pointer_of(CUdeviceptr address)
{
    return (void *)(uintptr_t)address;
}

static CUresult copy(void *target, enum facade_claim target_claim, const void *source,
                     enum facade_claim source_claim, size_t bytes, CUstream stream, bool is_async)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_copy_bytes(target, target_claim, source, source_claim, bytes, stream, is_async));
}

/* --- linear ----------------------------------------------------------------------------------- */

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    return copy(pointer_of(dst), FACADE_CLAIM_ANY, pointer_of(src), FACADE_CLAIM_ANY, ByteCount,
                NULL, false);
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return copy(pointer_of(dst), FACADE_CLAIM_ANY, pointer_of(src), FACADE_CLAIM_ANY, ByteCount,
                hStream, true);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return copy(pointer_of(dstDevice), FACADE_CLAIM_DEVICE, srcHost, FACADE_CLAIM_HOST, ByteCount,
                NULL, false);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount,
                              CUstream hStream)
{
    return copy(pointer_of(dstDevice), FACADE_CLAIM_DEVICE, srcHost, FACADE_CLAIM_HOST, ByteCount,
                hStream, true);
}

CUresult cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    return copy(dstHost, FACADE_CLAIM_HOST, pointer_of(srcDevice), FACADE_CLAIM_DEVICE, ByteCount,
                NULL, false);
}

CUresult cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream)
{
    return copy(dstHost, FACADE_CLAIM_HOST, pointer_of(srcDevice), FACADE_CLAIM_DEVICE, ByteCount,
                hStream, true);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    return copy(pointer_of(dstDevice), FACADE_CLAIM_DEVICE, pointer_of(srcDevice),
                FACADE_CLAIM_DEVICE, ByteCount, NULL, false);
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream)
{
    return copy(pointer_of(dstDevice), FACADE_CLAIM_DEVICE, pointer_of(srcDevice),
                FACADE_CLAIM_DEVICE, ByteCount, hStream, true);
}

/* --- between contexts ------------------------------------------------------------------------- */

/* Addresses say which context they belong to, so NULL is as good as the right one; a dead one is an
 * error. */
static CUresult check_context(CUcontext context)
{
    bool is_good = context == NULL || facade_context_find(context) != NULL;
    return is_good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult check_contexts(CUcontext target, CUcontext source)
{
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result = check_context(target);
    return result == CUDA_SUCCESS ? check_context(source) : result;
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                      CUcontext srcContext, size_t ByteCount)
{
    CUresult result = check_contexts(dstContext, srcContext);
    return result == CUDA_SUCCESS ? facade_driver_error(facade_copy_peer(
                                        pointer_of(dstDevice), pointer_of(srcDevice), ByteCount))
                                  : result;
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    CUresult result = check_contexts(dstContext, srcContext);
    return result == CUDA_SUCCESS ? cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream)
                                  : result;
}

/* --- rectangles and volumes ------------------------------------------------------------------- */

static CUresult copy_2d(const CUDA_MEMCPY2D *description, CUstream stream, bool is_async)
{
    struct facade_copy_request request = {0};
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_copy_from_driver_2d(&request, description));
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_copy_submit(&request, stream, is_async))
               : result;
}

static CUresult copy_3d(const CUDA_MEMCPY3D *description, CUstream stream, bool is_async)
{
    struct facade_copy_request request = {0};
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_copy_from_driver_3d(&request, description));
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_copy_submit(&request, stream, is_async))
               : result;
}

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *description, CUstream stream, bool is_async)
{
    struct facade_copy_request request = {0};
    if (description == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_contexts(description->dstContext, description->srcContext);
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_copy_from_driver_3d_peer(&request, description));
    request.is_alone = !is_async;
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_copy_submit(&request, stream, is_async))
               : result;
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
    return copy_2d(pCopy, NULL, false);
}

/* No pitch is refused by the plain form, so this one has nothing to add. */
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy)
{
    return copy_2d(pCopy, NULL, false);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    return copy_2d(pCopy, hStream, true);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy)
{
    return copy_3d(pCopy, NULL, false);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    return copy_3d(pCopy, hStream, true);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
    return copy_3d_peer(pCopy, NULL, false);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    return copy_3d_peer(pCopy, hStream, true);
}

/* --- batches ---------------------------------------------------------------------------------- */

_Static_assert(sizeof(CUdeviceptr) == sizeof(void *), "lists of addresses are lists of pointers");

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                               CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                               CUstream hStream)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_copy_batch((void *const *)(void *)dsts,
                                                 (const void *const *)(void *)srcs, sizes, count,
                                                 attrs, attrsIdxs, numAttrs, hStream));
}

/* The first version also tells which copy failed: none in particular, as far as anybody knows. */
CUresult cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                            CUmemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                            size_t *failIdx, CUstream hStream)
{
    CUresult result =
        cuMemcpyBatchAsync_v2(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, hStream);
    if (result != CUDA_SUCCESS && failIdx != NULL)
        *failIdx = SIZE_MAX;
    return result;
}

/* The operands of both APIs' 3D batches differ in names only. */
_Static_assert(sizeof(CUDA_MEMCPY3D_BATCH_OP) == sizeof(struct cudaMemcpy3DBatchOp), "one layout");
_Static_assert(offsetof(CUDA_MEMCPY3D_BATCH_OP, extent) ==
                   offsetof(struct cudaMemcpy3DBatchOp, extent),
               "one layout");

CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList, size_t *failIdx,
                              unsigned long long flags, CUstream hStream)
{
    size_t i = 0;
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (failIdx != NULL)
        *failIdx = SIZE_MAX;
    if (numOps == 0 || opList == NULL || flags != 0 || facade_stream_is_legacy(hStream))
        return CUDA_ERROR_INVALID_VALUE;
    while (i < numOps && result == CUDA_SUCCESS) {
        struct cudaMemcpy3DBatchOp operation;
        memcpy(&operation, &opList[i++], sizeof operation);
        result = facade_driver_error(facade_copy_operation(&operation, hStream));
    }
    if (result != CUDA_SUCCESS && failIdx != NULL)
        *failIdx = i - 1;
    return result;
}

CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                                 unsigned long long flags, CUstream hStream)
{
    return cuMemcpy3DBatchAsync(numOps, opList, NULL, flags, hStream);
}
