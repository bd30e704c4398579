/* The checks that every copy goes through, and the forms that copies come in.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/copy_request.h"

#include "facade/handles.h"
#include "facade/memory.h"
#include "facade/pointer_attributes.h"

/* --- checking and submitting ------------------------------------------------------------------------------------ */

static const bool accepts[FACADE_CLAIMS][FACADE_PLACES] = {
    [FACADE_CLAIM_ANY] = {[FACADE_PAGEABLE] = true, [FACADE_PINNED] = true, [FACADE_DEVICE] = true},
    [FACADE_CLAIM_HOST] = {[FACADE_PAGEABLE] = true, [FACADE_PINNED] = true},
    [FACADE_CLAIM_DEVICE] = {[FACADE_PINNED] = true, [FACADE_DEVICE] = true},
};

static const struct {
    enum facade_claim source, target;
} claims[] = {
    [cudaMemcpyHostToHost] = {FACADE_CLAIM_HOST, FACADE_CLAIM_HOST},
    [cudaMemcpyHostToDevice] = {FACADE_CLAIM_HOST, FACADE_CLAIM_DEVICE},
    [cudaMemcpyDeviceToHost] = {FACADE_CLAIM_DEVICE, FACADE_CLAIM_HOST},
    [cudaMemcpyDeviceToDevice] = {FACADE_CLAIM_DEVICE, FACADE_CLAIM_DEVICE},
    [cudaMemcpyDefault] = {FACADE_CLAIM_ANY, FACADE_CLAIM_ANY},
};

cudaError_t facade_copy_claim(struct facade_copy_request *request, enum cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    request->source = claims[kind].source;
    request->target = claims[kind].target;
    return cudaSuccess;
}

/* Whether the volume fits into left bytes; a volume that no size_t measures does not. */
static bool fits(const struct ocl_copy *copy, const struct ocl_copy_end *end, size_t left)
{
    size_t slices = 0, rows = 0, bytes = 0;
    if (__builtin_mul_overflow(copy->depth - 1, end->slice_bytes, &slices) ||
        __builtin_mul_overflow(copy->height - 1, end->pitch, &rows) ||
        __builtin_add_overflow(slices, rows, &bytes) || __builtin_add_overflow(bytes, copy->width, &bytes))
        return false;
    return bytes <= left;
}

static cudaError_t check_end(const struct ocl_copy *copy, const struct ocl_copy_end *end, enum facade_claim claim,
                             struct facade_place *place)
{
    if (end->address == 0)
        return cudaErrorInvalidValue;
    *place = facade_place_find(end->address);
    if (!accepts[claim][place->kind] || !fits(copy, end, place->left))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* CUDA waits for whatever involves the host, but for pageable memory on its way to the device only until it is read.
 * Source: CUDA Runtime API 13.0, API synchronization behavior. */
static enum ocl_transfer_wait wait_for(enum facade_place_kind source, enum facade_place_kind target, bool is_async)
{
    if (source != FACADE_DEVICE && target != FACADE_DEVICE)
        return OCL_WAIT_ALL;
    if (is_async)
        return OCL_WAIT_SOURCE;
    return target != FACADE_DEVICE || source == FACADE_PINNED ? OCL_WAIT_ALL : OCL_WAIT_SOURCE;
}

cudaError_t facade_copy_submit(const struct facade_copy_request *request, cudaStream_t stream, bool is_async)
{
    const struct ocl_copy *copy = &request->copy;
    struct facade_stream *found = NULL;
    struct facade_place source, target;
    cudaError_t error = facade_stream_find(stream, &found);
    if (error != cudaSuccess)
        return error;
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0)
        return cudaSuccess;
    error = check_end(copy, &copy->target, request->target, &target);
    if (error == cudaSuccess)
        error = check_end(copy, &copy->source, request->source, &source);
    if (error != cudaSuccess)
        return error;
    ocl_status status = ocl_transfer_copy(found->queue, copy, wait_for(source.kind, target.kind, is_async));
    return facade_error_from(status, FACADE_OTHER);
}

/* --- the forms -------------------------------------------------------------------------------------------------- */

struct facade_copy_request facade_copy_linear(void *target, const void *source, size_t bytes)
{
    return (struct facade_copy_request){
        .copy = {.source = {(uintptr_t)source, bytes, bytes},
                 .target = {(uintptr_t)target, bytes, bytes},
                 .width = bytes,
                 .height = 1,
                 .depth = 1},
    };
}

/* One end as the descriptions give it: rows from slice to slice instead of bytes, and where the volume begins. */
struct end {
    uint64_t base;
    size_t pitch, rows;
    size_t x, y, z; /* bytes, rows, slices */
};

/* Whether the volume lies inside the rows and slices that the description speaks of. rows 0 stands for "one slice". */
static cudaError_t check_shape(const struct end *end, struct cudaExtent extent)
{
    size_t right = 0, bottom = 0;
    if (__builtin_add_overflow(end->x, extent.width, &right) || right > end->pitch || end->pitch > FACADE_MAX_PITCH)
        return cudaErrorInvalidPitchValue;
    if (__builtin_add_overflow(end->y, extent.height, &bottom))
        return cudaErrorInvalidValue;
    if (bottom > end->rows && (end->rows != 0 || extent.depth > 1 || end->z > 0))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t place_end(struct ocl_copy_end *made, const struct end *end)
{
    size_t slice = 0, before = 0, rows = 0, bytes = 0;
    if (__builtin_mul_overflow(end->pitch, end->rows, &slice) || __builtin_mul_overflow(end->z, slice, &before) ||
        __builtin_mul_overflow(end->y, end->pitch, &rows) || __builtin_add_overflow(before, rows, &bytes) ||
        __builtin_add_overflow(bytes, end->x, &bytes) ||
        __builtin_add_overflow(end->base, (uint64_t)bytes, &made->address))
        return cudaErrorInvalidValue;
    made->pitch = end->pitch;
    made->slice_bytes = slice;
    return cudaSuccess;
}

static cudaError_t make_volume(struct facade_copy_request *request, const struct end *source,
                               const struct end *target, struct cudaExtent extent)
{
    request->copy.width = extent.width;
    request->copy.height = extent.height;
    request->copy.depth = extent.depth;
    if (extent.width == 0 || extent.height == 0 || extent.depth == 0)
        return cudaSuccess;
    if (source->base == 0 || target->base == 0)
        return cudaErrorInvalidValue;
    cudaError_t error = check_shape(source, extent);
    if (error == cudaSuccess)
        error = check_shape(target, extent);
    if (error == cudaSuccess)
        error = place_end(&request->copy.source, source);
    if (error == cudaSuccess)
        error = place_end(&request->copy.target, target);
    return error;
}

static struct end pitched_end(struct cudaPitchedPtr pointer, struct cudaPos position)
{
    return (struct end){(uintptr_t)pointer.ptr, pointer.pitch, pointer.ysize, position.x, position.y, position.z};
}

/* Each end is an array or memory, not both and not neither. */
static cudaError_t check_one_of(cudaArray_t array, const void *pointer)
{
    if ((array != NULL) == (pointer != NULL))
        return cudaErrorInvalidValue;
    return array != NULL ? cudaErrorNotSupported : cudaSuccess;
}

cudaError_t facade_copy_from_3d(struct facade_copy_request *request, const struct cudaMemcpy3DParms *p)
{
    if (p == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_copy_claim(request, p->kind);
    if (error == cudaSuccess)
        error = check_one_of(p->srcArray, p->srcPtr.ptr);
    if (error == cudaSuccess)
        error = check_one_of(p->dstArray, p->dstPtr.ptr);
    if (error != cudaSuccess)
        return error;
    const struct end source = pitched_end(p->srcPtr, p->srcPos);
    const struct end target = pitched_end(p->dstPtr, p->dstPos);
    return make_volume(request, &source, &target, p->extent);
}

cudaError_t facade_copy_check_device(int device)
{
    int count = 0;
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return error;
    return device >= 0 && device < count ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t facade_copy_from_3d_peer(struct facade_copy_request *request, const struct cudaMemcpy3DPeerParms *p)
{
    if (p == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_copy_check_device(p->srcDevice);
    if (error == cudaSuccess)
        error = facade_copy_check_device(p->dstDevice);
    if (error == cudaSuccess)
        error = check_one_of(p->srcArray, p->srcPtr.ptr);
    if (error == cudaSuccess)
        error = check_one_of(p->dstArray, p->dstPtr.ptr);
    if (error != cudaSuccess)
        return error;
    const struct end source = pitched_end(p->srcPtr, p->srcPos);
    const struct end target = pitched_end(p->dstPtr, p->dstPos);
    request->source = FACADE_CLAIM_DEVICE;
    request->target = FACADE_CLAIM_DEVICE;
    return make_volume(request, &source, &target, p->extent);
}

/* Rows and layers of length 0 are as long as the copy's. */
static cudaError_t operand_end(const struct cudaMemcpy3DOperand *operand, struct cudaExtent extent, struct end *end)
{
    if (operand->type == cudaMemcpyOperandTypeArray)
        return cudaErrorNotSupported;
    if (operand->type != cudaMemcpyOperandTypePointer)
        return cudaErrorInvalidValue;
    *end = (struct end){
        .base = (uintptr_t)operand->op.ptr.ptr,
        .pitch = operand->op.ptr.rowLength != 0 ? operand->op.ptr.rowLength : extent.width,
        .rows = operand->op.ptr.layerHeight != 0 ? operand->op.ptr.layerHeight : extent.height,
    };
    return cudaSuccess;
}

cudaError_t facade_copy_from_operation(struct facade_copy_request *request, const struct cudaMemcpy3DBatchOp *op)
{
    struct end source, target;
    cudaError_t error = operand_end(&op->src, op->extent, &source);
    if (error == cudaSuccess)
        error = operand_end(&op->dst, op->extent, &target);
    if (error != cudaSuccess)
        return error;
    request->source = FACADE_CLAIM_ANY;
    request->target = FACADE_CLAIM_ANY;
    return make_volume(request, &source, &target, op->extent);
}

/* --- the driver's forms ----------------------------------------------------------------------------------------- */

static cudaError_t typed_base(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array, uint64_t *base,
                              enum facade_claim *claim)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        *claim = FACADE_CLAIM_HOST;
        *base = (uintptr_t)host;
        return cudaSuccess;
    case CU_MEMORYTYPE_DEVICE:
        *claim = FACADE_CLAIM_DEVICE;
        *base = device;
        return cudaSuccess;
    case CU_MEMORYTYPE_UNIFIED:
        *claim = FACADE_CLAIM_ANY;
        *base = device;
        return cudaSuccess;
    case CU_MEMORYTYPE_ARRAY:
        return array != NULL ? cudaErrorNotSupported : cudaErrorInvalidValue;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t facade_copy_from_driver_2d(struct facade_copy_request *request, const CUDA_MEMCPY2D *p)
{
    if (p == NULL)
        return cudaErrorInvalidValue;
    struct end source = {.pitch = p->srcPitch, .x = p->srcXInBytes, .y = p->srcY};
    struct end target = {.pitch = p->dstPitch, .x = p->dstXInBytes, .y = p->dstY};
    cudaError_t error =
        typed_base(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, &source.base, &request->source);
    if (error == cudaSuccess)
        error = typed_base(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, &target.base, &request->target);
    if (error != cudaSuccess)
        return error;
    return make_volume(request, &source, &target, (struct cudaExtent){p->WidthInBytes, p->Height, 1});
}

/* The plain description is the peer one without contexts. */
cudaError_t facade_copy_from_driver_3d(struct facade_copy_request *request, const CUDA_MEMCPY3D *p)
{
    if (p == NULL)
        return cudaErrorInvalidValue;
    struct end source = {0, p->srcPitch, p->srcHeight, p->srcXInBytes, p->srcY, p->srcZ};
    struct end target = {0, p->dstPitch, p->dstHeight, p->dstXInBytes, p->dstY, p->dstZ};
    cudaError_t error =
        typed_base(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, &source.base, &request->source);
    if (error == cudaSuccess)
        error = typed_base(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, &target.base, &request->target);
    if (error != cudaSuccess)
        return error;
    return make_volume(request, &source, &target, (struct cudaExtent){p->WidthInBytes, p->Height, p->Depth});
}

cudaError_t facade_copy_from_driver_3d_peer(struct facade_copy_request *request, const CUDA_MEMCPY3D_PEER *p)
{
    if (p == NULL)
        return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D plain = {
        .srcXInBytes = p->srcXInBytes, .srcY = p->srcY, .srcZ = p->srcZ,
        .srcMemoryType = p->srcMemoryType, .srcHost = p->srcHost, .srcDevice = p->srcDevice,
        .srcArray = p->srcArray, .srcPitch = p->srcPitch, .srcHeight = p->srcHeight,
        .dstXInBytes = p->dstXInBytes, .dstY = p->dstY, .dstZ = p->dstZ,
        .dstMemoryType = p->dstMemoryType, .dstHost = p->dstHost, .dstDevice = p->dstDevice,
        .dstArray = p->dstArray, .dstPitch = p->dstPitch, .dstHeight = p->dstHeight,
        .WidthInBytes = p->WidthInBytes, .Height = p->Height, .Depth = p->Depth,
    };
    return facade_copy_from_driver_3d(request, &plain);
}
