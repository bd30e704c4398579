/* The runtime's arrays: making, asking, freeing, and the copies that have arrays in their names.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/memory_array.h"

#include "facade/memory/copy_request.h"
#include "facade/memory/pointer_attributes.h"

/* --- making and asking ------------------------------------------------------------------------ */

/* The width is looked at before what a texel is. */
static cudaError_t check_arguments(void *array, const struct cudaChannelFormatDesc *desc,
                                   struct cudaExtent extent)
{
    return array == NULL || desc == NULL || extent.width == 0 ? cudaErrorInvalidValue : cudaSuccess;
}

static cudaError_t malloc_array(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                struct cudaExtent extent, unsigned flags)
{
    struct facade_array_format format;
    if (array != NULL)
        *array = NULL;
    cudaError_t error = check_arguments(array, desc, extent);
    if (error == cudaSuccess)
        error = facade_array_format_from_desc(&format, desc);
    return error == cudaSuccess ? facade_array_create(array, &format, extent, flags) : error;
}

static cudaError_t malloc_mipmapped(cudaMipmappedArray_t *array,
                                    const struct cudaChannelFormatDesc *desc,
                                    struct cudaExtent extent, unsigned levels, unsigned flags)
{
    struct facade_array_format format;
    if (array != NULL)
        *array = NULL;
    cudaError_t error = check_arguments(array, desc, extent);
    if (error == cudaSuccess)
        error = facade_array_format_from_desc(&format, desc);
    return error == cudaSuccess
               ? facade_mipmapped_array_create(array, &format, extent, levels, flags, NULL)
               : error;
}

/* Freeing nothing is a first call like any other. */
static cudaError_t free_nothing(void)
{
    struct facade_context *context = NULL;
    return facade_current(&context);
}

static cudaError_t array_info(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                              unsigned *flags, cudaArray_t handle)
{
    struct facade_array *array = NULL;
    cudaError_t error = facade_array_find(handle, &array);
    if (error != cudaSuccess)
        return error;
    if (desc != NULL)
        *desc = facade_array_desc(&array->format);
    if (extent != NULL)
        *extent = array->extent;
    if (flags != NULL)
        *flags = array->flags;
    return cudaSuccess;
}

/* What no array here has: planes are of formats for pictures in parts, and sparse arrays and those without memory of their own
 * are refused when they are made (cudaArraySparse, cudaArrayDeferredMapping). CUDA's answer for all other arrays. */
static cudaError_t has_no_such(const void *answer, cudaArray_t handle)
{
    struct facade_array *array = NULL;
    if (answer == NULL || handle == NULL)
        return cudaErrorInvalidValue;
    const cudaError_t error = facade_array_find(handle, &array);
    return error == cudaSuccess ? cudaErrorInvalidValue : error;
}

static cudaError_t mipmap_has_no_such(const void *answer, cudaMipmappedArray_t handle)
{
    struct facade_mipmapped_array *mipmap = NULL;
    if (answer == NULL || handle == NULL)
        return cudaErrorInvalidValue;
    const cudaError_t error = facade_mipmapped_array_find(handle, &mipmap);
    return error == cudaSuccess ? cudaErrorInvalidValue : error;
}

/* --- rectangles ------------------------------------------------------------------------------- */

/* Needs: request's claims are made. */
static cudaError_t submit_2d(struct facade_copy_request *request,
                             const struct facade_copy_end *source,
                             const struct facade_copy_end *target, size_t width, size_t height,
                             cudaStream_t stream, bool is_async)
{
    const struct cudaExtent extent = {width, height, 1};
    cudaError_t error = facade_copy_volume(request, source, target, extent);
    return error == cudaSuccess ? facade_copy_submit(request, stream, is_async) : error;
}

static cudaError_t submit_nothing(cudaStream_t stream)
{
    const struct facade_copy_request nothing = {.source = FACADE_CLAIM_ANY};
    return facade_copy_submit(&nothing, stream, true);
}

/* As in copies of plain rectangles, the distance between rows matters when there are two. */
static cudaError_t check_pitch(size_t pitch, size_t width, size_t height)
{
    return height > 1 && pitch < width ? cudaErrorInvalidPitchValue : cudaSuccess;
}

static cudaError_t to_array_2d(cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
                               size_t width, size_t height, enum cudaMemcpyKind kind,
                               cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request = {.source = FACADE_CLAIM_ANY};
    const struct facade_copy_end source = {.base = (uintptr_t)src, .pitch = pitch};
    struct facade_copy_end target = {.x = x, .y = y};
    if (width == 0 || height == 0)
        return submit_nothing(stream);
    cudaError_t error = check_pitch(pitch, width, height);
    if (error == cudaSuccess)
        error = facade_copy_claim_arrays(&request, kind, false, true);
    if (error == cudaSuccess)
        error = facade_array_find(dst, &target.array);
    return error == cudaSuccess
               ? submit_2d(&request, &source, &target, width, height, stream, is_async)
               : error;
}

static cudaError_t from_array_2d(void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y,
                                 size_t width, size_t height, enum cudaMemcpyKind kind,
                                 cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request = {.source = FACADE_CLAIM_ANY};
    const struct facade_copy_end target = {.base = (uintptr_t)dst, .pitch = pitch};
    struct facade_copy_end source = {.x = x, .y = y};
    if (width == 0 || height == 0)
        return submit_nothing(stream);
    cudaError_t error = check_pitch(pitch, width, height);
    if (error == cudaSuccess)
        error = facade_copy_claim_arrays(&request, kind, true, false);
    if (error == cudaSuccess)
        error = facade_array_find(src, &source.array);
    return error == cudaSuccess
               ? submit_2d(&request, &source, &target, width, height, stream, is_async)
               : error;
}

static cudaError_t array_to_array_2d(cudaArray_t dst, const struct cudaPos *to,
                                     cudaArray_const_t src, const struct cudaPos *from,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    struct facade_copy_request request = {.source = FACADE_CLAIM_ANY};
    struct facade_copy_end source = {.x = from->x, .y = from->y};
    struct facade_copy_end target = {.x = to->x, .y = to->y};
    if (width == 0 || height == 0)
        return submit_nothing(NULL);
    cudaError_t error = facade_copy_claim_arrays(&request, kind, true, true);
    if (error == cudaSuccess)
        error = facade_array_find(src, &source.array);
    if (error == cudaSuccess)
        error = dst != NULL ? facade_array_find(dst, &target.array) : cudaErrorInvalidValue;
    return error == cudaSuccess ? submit_2d(&request, &source, &target, width, height, NULL, false)
                                : error;
}

/* --- bytes that wrap from row to row ---------------------------------------------------------- */

/* One end of a copy of count bytes: in an array, what goes beyond a row goes on in the next. */
struct walk {
    struct facade_copy_end end;
    size_t row_bytes; /* SIZE_MAX for memory */
    size_t rows;
};

static struct walk walk_memory(const void *pointer)
{
    return (struct walk){.end = {.base = (uintptr_t)pointer}, .row_bytes = SIZE_MAX, .rows = 1};
}

/* The first slice of an array. A column beyond a row lies in a later one. */
static cudaError_t walk_array(cudaArray_const_t handle, size_t x, size_t y, struct walk *walk)
{
    struct ocl_array_level level;
    *walk = (struct walk){.rows = 0};
    cudaError_t error = facade_array_find(handle, &walk->end.array);
    if (error != cudaSuccess)
        return error;
    const struct facade_array *array = walk->end.array;
    ocl_array_level(array->array, array->level, &level);
    walk->row_bytes = level.width * ocl_texel_bytes(&array->format.texel);
    walk->rows = level.height;
    walk->end.x = x % walk->row_bytes;
    return __builtin_add_overflow(y, x / walk->row_bytes, &walk->end.y) ? cudaErrorInvalidValue
                                                                        : cudaSuccess;
}

/* Whether count bytes from where the walk begins lie in it, and may be written where is_target. */
static bool has_room(const struct walk *walk, size_t count, bool is_target)
{
    const struct facade_copy_end *end = &walk->end;
    if (end->array == NULL) {
        const struct facade_place place = facade_place_find(end->base);
        return facade_place_holds(&place, count, is_target);
    }
    return end->y < walk->rows && count <= (walk->rows - end->y) * walk->row_bytes - end->x;
}

/* The largest rectangle that both ends begin with: whole rows, or a part of one. */
static struct cudaExtent next_piece(const struct walk *one, const struct walk *other, size_t left)
{
    const struct walk *narrow = one->row_bytes <= other->row_bytes ? one : other;
    const struct walk *wide = narrow == one ? other : one;
    const size_t row = narrow->row_bytes;
    size_t width = left;
    if (narrow->end.x == 0 && wide->end.x == 0 && left >= row &&
        (wide->end.array == NULL || wide->row_bytes == row))
        return (struct cudaExtent){row, left / row, 1};
    if (one->end.array != NULL && width > one->row_bytes - one->end.x)
        width = one->row_bytes - one->end.x;
    if (other->end.array != NULL && width > other->row_bytes - other->end.x)
        width = other->row_bytes - other->end.x;
    return (struct cudaExtent){width, 1, 1};
}

static void advance(struct walk *walk, struct cudaExtent piece)
{
    if (walk->end.array == NULL) {
        walk->end.base += piece.width * piece.height;
        return;
    }
    walk->end.x += piece.width;
    walk->end.y += piece.height - 1;
    if (walk->end.x == walk->row_bytes) {
        walk->end.x = 0;
        walk->end.y++;
    }
}

/* Memory lies without gaps. Needs: claims are made; count > 0. */
static cudaError_t copy_walk(struct facade_copy_request *request, struct walk source,
                             struct walk target, size_t count, cudaStream_t stream, bool is_async)
{
    cudaError_t error = cudaSuccess;
    if (!has_room(&source, count, false) || !has_room(&target, count, true))
        return cudaErrorInvalidValue;
    while (error == cudaSuccess && count > 0) {
        const struct cudaExtent piece = next_piece(&source, &target, count);
        error = facade_copy_volume(request, &source.end, &target.end, piece);
        if (error == cudaSuccess)
            error = facade_copy_submit(request, stream, is_async);
        count -= piece.width * piece.height;
        advance(&source, piece);
        advance(&target, piece);
    }
    return error;
}

static cudaError_t to_array(cudaArray_t dst, size_t x, size_t y, const void *src, size_t count,
                            enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request = {.source = FACADE_CLAIM_ANY};
    struct walk target;
    if (count == 0)
        return submit_nothing(stream);
    cudaError_t error = facade_copy_claim_arrays(&request, kind, false, true);
    if (error == cudaSuccess)
        error = walk_array(dst, x, y, &target);
    return error == cudaSuccess
               ? copy_walk(&request, walk_memory(src), target, count, stream, is_async)
               : error;
}

static cudaError_t from_array(void *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                              enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request = {.source = FACADE_CLAIM_ANY};
    struct walk source;
    if (count == 0)
        return submit_nothing(stream);
    cudaError_t error = facade_copy_claim_arrays(&request, kind, true, false);
    if (error == cudaSuccess)
        error = walk_array(src, x, y, &source);
    return error == cudaSuccess
               ? copy_walk(&request, source, walk_memory(dst), count, stream, is_async)
               : error;
}

static cudaError_t array_to_array(cudaArray_t dst, const struct cudaPos *to, cudaArray_const_t src,
                                  const struct cudaPos *from, size_t count,
                                  enum cudaMemcpyKind kind)
{
    struct facade_copy_request request = {.source = FACADE_CLAIM_ANY};
    struct walk source, target;
    if (count == 0)
        return submit_nothing(NULL);
    cudaError_t error = facade_copy_claim_arrays(&request, kind, true, true);
    if (error == cudaSuccess)
        error = walk_array(dst, to->x, to->y, &target);
    if (error == cudaSuccess)
        error = walk_array(src, from->x, from->y, &source);
    return error == cudaSuccess ? copy_walk(&request, source, target, count, NULL, false) : error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height, unsigned int flags)
{
    const struct cudaExtent extent = {width, height, 0};
    return facade_result(malloc_array(array, desc, extent, flags));
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags)
{
    return facade_result(malloc_array(array, desc, extent, flags));
}

cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int numLevels,
                                     unsigned int flags)
{
    return facade_result(malloc_mipmapped(mipmappedArray, desc, extent, numLevels, flags));
}

cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
                                       cudaMipmappedArray_const_t mipmappedArray,
                                       unsigned int level)
{
    return facade_result(facade_mipmapped_array_level(levelArray, mipmappedArray, level));
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
    return facade_result(array != NULL ? facade_array_free(array) : free_nothing());
}

cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
    return facade_result(mipmappedArray != NULL ? facade_mipmapped_array_free(mipmappedArray)
                                                : free_nothing());
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array)
{
    return facade_result(array_info(desc, extent, flags, array));
}

cudaError_t cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray, unsigned int planeIdx)
{
    (void)planeIdx;
    return facade_result(hArray == NULL ? cudaErrorInvalidResourceHandle
                                        : has_no_such(pPlaneArray, hArray));
}

cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                           cudaArray_t array, int device)
{
    (void)device;
    return facade_result(has_no_such(memoryRequirements, array));
}

cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *memoryRequirements,
                                        cudaMipmappedArray_t mipmap, int device)
{
    (void)device;
    return facade_result(mipmap_has_no_such(memoryRequirements, mipmap));
}

cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                         cudaArray_t array)
{
    return facade_result(has_no_such(sparseProperties, array));
}

cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *sparseProperties,
                                      cudaMipmappedArray_t mipmap)
{
    return facade_result(mipmap_has_no_such(sparseProperties, mipmap));
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                size_t spitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind)
{
    return facade_result(
        to_array_2d(dst, wOffset, hOffset, src, spitch, width, height, kind, NULL, false));
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
                                     const void *src, size_t spitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return facade_result(
        to_array_2d(dst, wOffset, hOffset, src, spitch, width, height, kind, stream, true));
}

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                  size_t hOffset, size_t width, size_t height,
                                  enum cudaMemcpyKind kind)
{
    return facade_result(
        from_array_2d(dst, dpitch, src, wOffset, hOffset, width, height, kind, NULL, false));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
                                       size_t wOffset, size_t hOffset, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return facade_result(
        from_array_2d(dst, dpitch, src, wOffset, hOffset, width, height, kind, stream, true));
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    const struct cudaPos to = {wOffsetDst, hOffsetDst, 0}, from = {wOffsetSrc, hOffsetSrc, 0};
    return facade_result(array_to_array_2d(dst, &to, src, &from, width, height, kind));
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                              size_t count, enum cudaMemcpyKind kind)
{
    return facade_result(to_array(dst, wOffset, hOffset, src, count, kind, NULL, false));
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return facade_result(to_array(dst, wOffset, hOffset, src, count, kind, stream, true));
}

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                size_t count, enum cudaMemcpyKind kind)
{
    return facade_result(from_array(dst, src, wOffset, hOffset, count, kind, NULL, false));
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
                                     size_t hOffset, size_t count, enum cudaMemcpyKind kind,
                                     cudaStream_t stream)
{
    return facade_result(from_array(dst, src, wOffset, hOffset, count, kind, stream, true));
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
                                   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
                                   size_t count, enum cudaMemcpyKind kind)
{
    const struct cudaPos to = {wOffsetDst, hOffsetDst, 0}, from = {wOffsetSrc, hOffsetSrc, 0};
    return facade_result(array_to_array(dst, &to, src, &from, count, kind));
}
