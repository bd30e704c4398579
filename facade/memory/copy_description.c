/* The structures that describe a copy, of runtime and driver API, as requests.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/copy_request.h"

#include "facade/memory/memory_array.h"
#include "facade/state/handles.h"

/* --- the runtime's descriptions --------------------------------------------------------------- */

static bool is_empty(struct cudaExtent extent)
{
    return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

/* Each end is an array or memory, not both and not neither. */
static cudaError_t find_one_of(cudaArray_t array, const void *pointer, struct facade_array **found)
{
    *found = NULL;
    if ((array != NULL) == (pointer != NULL))
        return cudaErrorInvalidValue;
    return array != NULL ? facade_array_find(array, found) : cudaSuccess;
}

/* Bytes of what widths and positions in arrays count: an array's element, or a byte. */
static size_t unit_bytes(const struct facade_array *source, const struct facade_array *target)
{
    const struct facade_array *array = source != NULL ? source : target;
    return array != NULL ? ocl_texel_bytes(&array->format.texel) : 1;
}

/* The runtime has a code of its own for rows and slices that are too small for the volume,
 * wherever it begins. */
static cudaError_t check_pitched(struct cudaPitchedPtr pointer, struct cudaExtent extent)
{
    bool has_rows = extent.height > 1 || extent.depth > 1;
    if ((has_rows && pointer.pitch < extent.width) ||
        (extent.depth > 1 && pointer.ysize < extent.height))
        return cudaErrorInvalidPitchValue;
    return cudaSuccess;
}

/* Elements are moved, not converted. */
static bool have_one_element_size(const struct facade_array *one, const struct facade_array *other)
{
    return one == NULL || other == NULL || unit_bytes(one, NULL) == unit_bytes(other, NULL);
}

/* Columns are counted in units of bytes unit. */
static cudaError_t pitched_end(struct facade_copy_end *end, struct facade_array *array, size_t unit,
                               struct cudaPitchedPtr pointer, struct cudaPos position)
{
    *end = (struct facade_copy_end){.array = array, .y = position.y, .z = position.z};
    if (array == NULL) {
        end->base = (uintptr_t)pointer.ptr;
        end->pitch = pointer.pitch;
        end->rows = pointer.ysize;
    }
    return __builtin_mul_overflow(position.x, unit, &end->x) ? cudaErrorInvalidValue : cudaSuccess;
}

/* What plain and peer descriptions have in common, once the claims are made and the arrays found.
 * Where an array takes part, widths and columns count its elements in memory as well, but pitches
 * are compared with them as if they were bytes: NVIDIA's runtime does so. */
static cudaError_t make_from_ends(struct facade_copy_request *request,
                                  const struct cudaMemcpy3DParms *p, struct facade_array *from,
                                  struct facade_array *to)
{
    struct facade_copy_end source, target;
    struct cudaExtent extent = p->extent;
    const size_t unit = unit_bytes(from, to);
    cudaError_t error = from == NULL ? check_pitched(p->srcPtr, extent) : cudaSuccess;
    if (error == cudaSuccess && to == NULL)
        error = check_pitched(p->dstPtr, extent);
    if (error == cudaSuccess && __builtin_mul_overflow(extent.width, unit, &extent.width))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = pitched_end(&source, from, unit, p->srcPtr, p->srcPos);
    if (error == cudaSuccess)
        error = pitched_end(&target, to, unit, p->dstPtr, p->dstPos);
    return error == cudaSuccess ? facade_copy_volume(request, &source, &target, extent) : error;
}

static cudaError_t make_from_pitched(struct facade_copy_request *request,
                                     const struct cudaMemcpy3DParms *p)
{
    struct facade_array *from, *to;
    cudaError_t error = find_one_of(p->srcArray, p->srcPtr.ptr, &from);
    if (error == cudaSuccess)
        error = find_one_of(p->dstArray, p->dstPtr.ptr, &to);
    if (error == cudaSuccess && !have_one_element_size(from, to))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? make_from_ends(request, p, from, to) : error;
}

cudaError_t facade_copy_from_3d(struct facade_copy_request *request,
                                const struct cudaMemcpy3DParms *p)
{
    *request = (struct facade_copy_request){0};
    if (p == NULL)
        return cudaErrorInvalidValue;
    if (is_empty(p->extent))
        return cudaSuccess;
    cudaError_t error = facade_copy_claim(request, p->kind);
    if (error == cudaSuccess && p->srcArray != NULL && request->source == FACADE_CLAIM_HOST)
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? make_from_pitched(request, p) : error;
}

cudaError_t facade_copy_check_device(int device)
{
    int count = 0;
    cudaError_t error = facade_devices(&count);
    if (error != cudaSuccess)
        return error;
    return device >= 0 && device < count ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t facade_copy_from_3d_peer(struct facade_copy_request *request,
                                     const struct cudaMemcpy3DPeerParms *p)
{
    *request = (struct facade_copy_request){0};
    if (p == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_copy_check_device(p->srcDevice);
    if (error == cudaSuccess)
        error = facade_copy_check_device(p->dstDevice);
    if (error != cudaSuccess || is_empty(p->extent))
        return error;
    const struct cudaMemcpy3DParms plain = {
        .srcArray = p->srcArray,
        .srcPos = p->srcPos,
        .srcPtr = p->srcPtr,
        .dstArray = p->dstArray,
        .dstPos = p->dstPos,
        .dstPtr = p->dstPtr,
        .extent = p->extent,
    };
    request->source = FACADE_CLAIM_DEVICE;
    request->target = FACADE_CLAIM_DEVICE;
    return make_from_pitched(request, &plain);
}

static bool is_location(struct cudaMemLocation location)
{
    switch (location.type) {
    case cudaMemLocationTypeNone:
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
        return true;
    case cudaMemLocationTypeDevice:
        return facade_copy_check_device(location.id) == cudaSuccess;
    default:
        return false;
    }
}

cudaError_t facade_copy_check_attributes(const struct cudaMemcpyAttributes *attributes)
{
    bool is_order = attributes->srcAccessOrder == cudaMemcpySrcAccessOrderStream ||
                    attributes->srcAccessOrder == cudaMemcpySrcAccessOrderDuringApiCall ||
                    attributes->srcAccessOrder == cudaMemcpySrcAccessOrderAny;
    bool is_flags = (attributes->flags & ~(unsigned)cudaMemcpyFlagPreferOverlapWithCompute) == 0;
    if (!is_order || !is_flags || !is_location(attributes->srcLocHint) ||
        !is_location(attributes->dstLocHint))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

static cudaError_t find_operand(const struct cudaMemcpy3DOperand *operand,
                                struct facade_array **array)
{
    *array = NULL;
    if (operand->type == cudaMemcpyOperandTypeArray)
        return facade_array_find(operand->op.array.array, array);
    if (operand->type != cudaMemcpyOperandTypePointer || !is_location(operand->op.ptr.locHint))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

/* Rows and positions are in units of bytes unit. */
static cudaError_t operand_end(const struct cudaMemcpy3DOperand *operand,
                               struct facade_array *array, size_t unit, struct facade_copy_end *end)
{
    bool wraps = false;
    *end = (struct facade_copy_end){.array = array};
    if (array != NULL) {
        end->y = operand->op.array.offset.y;
        end->z = operand->op.array.offset.z;
        wraps = __builtin_mul_overflow(operand->op.array.offset.x, unit, &end->x);
    } else {
        end->base = (uintptr_t)operand->op.ptr.ptr;
        end->rows = operand->op.ptr.layerHeight;
        wraps = __builtin_mul_overflow(operand->op.ptr.rowLength, unit, &end->pitch);
    }
    return wraps ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t make_from_operands(struct facade_copy_request *request,
                                      const struct cudaMemcpy3DBatchOp *op,
                                      struct facade_array *from, struct facade_array *to)
{
    struct facade_copy_end source, target;
    struct cudaExtent extent = op->extent;
    const size_t unit = unit_bytes(from, to);
    if (__builtin_mul_overflow(extent.width, unit, &extent.width))
        return cudaErrorInvalidValue;
    cudaError_t error = operand_end(&op->src, from, unit, &source);
    if (error == cudaSuccess)
        error = operand_end(&op->dst, to, unit, &target);
    return error == cudaSuccess ? facade_copy_volume(request, &source, &target, extent) : error;
}

cudaError_t facade_copy_from_operation(struct facade_copy_request *request,
                                       const struct cudaMemcpy3DBatchOp *op)
{
    const struct cudaMemcpyAttributes attributes = {.srcAccessOrder = op->srcAccessOrder,
                                                    .flags = op->flags};
    struct facade_array *from, *to;
    *request = (struct facade_copy_request){0};
    cudaError_t error =
        is_empty(op->extent) ? cudaErrorInvalidValue : facade_copy_check_attributes(&attributes);
    if (error == cudaSuccess)
        error = find_operand(&op->src, &from);
    if (error == cudaSuccess)
        error = find_operand(&op->dst, &to);
    return error == cudaSuccess ? make_from_operands(request, op, from, to) : error;
}

/* --- the driver's descriptions ----------------------------------------------------------------- */

static cudaError_t typed_end(CUmemorytype type, const void *host, CUdeviceptr device, CUarray array,
                             struct facade_copy_end *end, enum facade_claim *claim)
{
    switch (type) {
    case CU_MEMORYTYPE_HOST:
        *claim = FACADE_CLAIM_HOST;
        end->base = (uintptr_t)host;
        return cudaSuccess;
    case CU_MEMORYTYPE_DEVICE:
        *claim = FACADE_CLAIM_DEVICE;
        end->base = device;
        return cudaSuccess;
    case CU_MEMORYTYPE_UNIFIED:
        *claim = FACADE_CLAIM_ANY;
        end->base = device;
        return cudaSuccess;
    case CU_MEMORYTYPE_ARRAY:
        *claim = FACADE_CLAIM_ANY;
        return array != NULL ? facade_array_find((cudaArray_const_t)array, &end->array)
                             : cudaErrorInvalidValue;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t facade_copy_from_driver_2d(struct facade_copy_request *request, const CUDA_MEMCPY2D *p)
{
    *request = (struct facade_copy_request){0};
    if (p == NULL)
        return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D volume = {
        .srcXInBytes = p->srcXInBytes,
        .srcY = p->srcY,
        .srcMemoryType = p->srcMemoryType,
        .srcHost = p->srcHost,
        .srcDevice = p->srcDevice,
        .srcArray = p->srcArray,
        .srcPitch = p->srcPitch,
        .dstXInBytes = p->dstXInBytes,
        .dstY = p->dstY,
        .dstMemoryType = p->dstMemoryType,
        .dstHost = p->dstHost,
        .dstDevice = p->dstDevice,
        .dstArray = p->dstArray,
        .dstPitch = p->dstPitch,
        .WidthInBytes = p->WidthInBytes,
        .Height = p->Height,
        .Depth = 1,
    };
    return facade_copy_from_driver_3d(request, &volume);
}

cudaError_t facade_copy_from_driver_3d(struct facade_copy_request *request, const CUDA_MEMCPY3D *p)
{
    *request = (struct facade_copy_request){0};
    if (p == NULL)
        return cudaErrorInvalidValue;
    const struct cudaExtent extent = {p->WidthInBytes, p->Height, p->Depth};
    if (is_empty(extent))
        return cudaSuccess;
    struct facade_copy_end source = {NULL,           0,       p->srcPitch, p->srcHeight,
                                     p->srcXInBytes, p->srcY, p->srcZ};
    struct facade_copy_end target = {NULL,           0,       p->dstPitch, p->dstHeight,
                                     p->dstXInBytes, p->dstY, p->dstZ};
    cudaError_t error = typed_end(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, &source,
                                  &request->source);
    if (error == cudaSuccess)
        error = typed_end(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, &target,
                          &request->target);
    /* Levels are arrays of their own, with nothing but themselves in them. */
    if (error == cudaSuccess &&
        ((source.array != NULL && p->srcLOD != 0) || (target.array != NULL && p->dstLOD != 0)))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? facade_copy_volume(request, &source, &target, extent) : error;
}

cudaError_t facade_copy_from_driver_3d_peer(struct facade_copy_request *request,
                                            const CUDA_MEMCPY3D_PEER *p)
{
    *request = (struct facade_copy_request){0};
    if (p == NULL)
        return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D plain = {
        .srcXInBytes = p->srcXInBytes,
        .srcY = p->srcY,
        .srcZ = p->srcZ,
        .srcLOD = p->srcLOD,
        .srcMemoryType = p->srcMemoryType,
        .srcHost = p->srcHost,
        .srcDevice = p->srcDevice,
        .srcArray = p->srcArray,
        .srcPitch = p->srcPitch,
        .srcHeight = p->srcHeight,
        .dstXInBytes = p->dstXInBytes,
        .dstY = p->dstY,
        .dstZ = p->dstZ,
        .dstLOD = p->dstLOD,
        .dstMemoryType = p->dstMemoryType,
        .dstHost = p->dstHost,
        .dstDevice = p->dstDevice,
        .dstArray = p->dstArray,
        .dstPitch = p->dstPitch,
        .dstHeight = p->dstHeight,
        .WidthInBytes = p->WidthInBytes,
        .Height = p->Height,
        .Depth = p->Depth,
    };
    return facade_copy_from_driver_3d(request, &plain);
}

/* What the kind of a copy says of its ends. */
static CUmemorytype type_of_end(cudaArray_t array, enum cudaMemcpyKind kind,
                                enum cudaMemcpyKind other_kind)
{
    if (array != NULL)
        return CU_MEMORYTYPE_ARRAY;
    if (kind == cudaMemcpyDefault)
        return CU_MEMORYTYPE_UNIFIED;
    return kind == cudaMemcpyHostToHost || kind == other_kind ? CU_MEMORYTYPE_HOST
                                                              : CU_MEMORYTYPE_DEVICE;
}

/* Bytes of what widths and positions count, in memory as well; an array that was freed since has lost what it says. */
static size_t unit_of(const struct cudaMemcpy3DParms *p)
{
    const struct facade_array *from = facade_handle_find(FACADE_ARRAY, p->srcArray);
    return unit_bytes(from, facade_handle_find(FACADE_ARRAY, p->dstArray));
}

/* Addresses stand in both places that may hold them. */
CUDA_MEMCPY3D facade_copy_to_driver_3d(const struct cudaMemcpy3DParms *p)
{
    const size_t unit = unit_of(p);
    return (CUDA_MEMCPY3D){
        .srcXInBytes = p->srcPos.x * unit,
        .srcY = p->srcPos.y,
        .srcZ = p->srcPos.z,
        .srcMemoryType = type_of_end(p->srcArray, p->kind, cudaMemcpyHostToDevice),
        .srcHost = p->srcPtr.ptr,
        .srcDevice = (uintptr_t)p->srcPtr.ptr,
        .srcArray = (CUarray)p->srcArray,
        .srcPitch = p->srcPtr.pitch,
        .srcHeight = p->srcPtr.ysize,
        .dstXInBytes = p->dstPos.x * unit,
        .dstY = p->dstPos.y,
        .dstZ = p->dstPos.z,
        .dstMemoryType = type_of_end(p->dstArray, p->kind, cudaMemcpyDeviceToHost),
        .dstHost = p->dstPtr.ptr,
        .dstDevice = (uintptr_t)p->dstPtr.ptr,
        .dstArray = (CUarray)p->dstArray,
        .dstPitch = p->dstPtr.pitch,
        .dstHeight = p->dstPtr.ysize,
        .WidthInBytes = p->extent.width * unit,
        .Height = p->extent.height,
        .Depth = p->extent.depth,
    };
}
