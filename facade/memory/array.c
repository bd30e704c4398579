/* Arrays and mipmapped arrays: making, finding and ending them, for both APIs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check_made.h"
#include "facade/device/device.h"
#include "facade/graph/capture.h"
#include "facade/memory/memory_array.h"
#include "facade/state/runtime.h"

/* --- what may be made ------------------------------------------------------------------------- */

/* NVIDIA's driver refuses a few bits, one without a name among them, and keeps and gives back all
 * others that have no meaning. */
enum {
    BAD_FLAGS = CUDA_ARRAY3D_DEPTH_TEXTURE | CUDA_ARRAY3D_COLOR_ATTACHMENT | 0x200,
    UNSUPPORTED_FLAGS = CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING,
    FACES = 6
};

enum shape {
    SHAPE_1D,
    SHAPE_2D,
    SHAPE_3D,
    SHAPE_1D_LAYERED,
    SHAPE_2D_LAYERED,
    SHAPE_CUBEMAP,
    SHAPE_CUBEMAP_LAYERED,
    SHAPES,
    NO_SHAPE = SHAPES
};

static enum shape cubemap_shape(struct cudaExtent extent, bool is_layered)
{
    if (extent.width != extent.height || extent.depth == 0 || extent.depth % FACES != 0)
        return NO_SHAPE;
    if (is_layered)
        return SHAPE_CUBEMAP_LAYERED;
    return extent.depth == FACES ? SHAPE_CUBEMAP : NO_SHAPE;
}

static enum shape shape_of(struct cudaExtent extent, unsigned flags)
{
    const bool is_layered = (flags & CUDA_ARRAY3D_LAYERED) != 0;
    if (extent.width == 0)
        return NO_SHAPE;
    if ((flags & CUDA_ARRAY3D_CUBEMAP) != 0)
        return cubemap_shape(extent, is_layered);
    if (is_layered && extent.depth != 0)
        return extent.height != 0 ? SHAPE_2D_LAYERED : SHAPE_1D_LAYERED;
    if (is_layered || (extent.height == 0 && extent.depth != 0))
        return NO_SHAPE;
    if (extent.height == 0)
        return SHAPE_1D;
    return extent.depth == 0 ? SHAPE_2D : SHAPE_3D;
}

/* The attributes that bound width, height and depth; 0 for none. */
struct bounds {
    int width, height, depth;
};

/* Source: CUDA Driver API 13.0, cuArray3DCreate and cuMipmappedArrayCreate. */
static const struct bounds texture_bounds[SHAPES] = {
    [SHAPE_1D] = {cudaDevAttrMaxTexture1DWidth, 0, 0},
    [SHAPE_2D] = {cudaDevAttrMaxTexture2DWidth, cudaDevAttrMaxTexture2DHeight, 0},
    [SHAPE_3D] = {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxTexture3DHeight,
                  cudaDevAttrMaxTexture3DDepth},
    [SHAPE_1D_LAYERED] = {cudaDevAttrMaxTexture1DLayeredWidth, 0,
                          cudaDevAttrMaxTexture1DLayeredLayers},
    [SHAPE_2D_LAYERED] = {cudaDevAttrMaxTexture2DLayeredWidth, cudaDevAttrMaxTexture2DLayeredHeight,
                          cudaDevAttrMaxTexture2DLayeredLayers},
    [SHAPE_CUBEMAP] = {cudaDevAttrMaxTextureCubemapWidth, cudaDevAttrMaxTextureCubemapWidth, 0},
    [SHAPE_CUBEMAP_LAYERED] = {cudaDevAttrMaxTextureCubemapLayeredWidth,
                               cudaDevAttrMaxTextureCubemapLayeredWidth,
                               cudaDevAttrMaxTextureCubemapLayeredLayers},
};

static const struct bounds surface_bounds[SHAPES] = {
    [SHAPE_1D] = {cudaDevAttrMaxSurface1DWidth, 0, 0},
    [SHAPE_2D] = {cudaDevAttrMaxSurface2DWidth, cudaDevAttrMaxSurface2DHeight, 0},
    [SHAPE_3D] = {cudaDevAttrMaxSurface3DWidth, cudaDevAttrMaxSurface3DHeight,
                  cudaDevAttrMaxSurface3DDepth},
    [SHAPE_1D_LAYERED] = {cudaDevAttrMaxSurface1DLayeredWidth, 0,
                          cudaDevAttrMaxSurface1DLayeredLayers},
    [SHAPE_2D_LAYERED] = {cudaDevAttrMaxSurface2DLayeredWidth, cudaDevAttrMaxSurface2DLayeredHeight,
                          cudaDevAttrMaxSurface2DLayeredLayers},
    [SHAPE_CUBEMAP] = {cudaDevAttrMaxSurfaceCubemapWidth, cudaDevAttrMaxSurfaceCubemapWidth, 0},
    [SHAPE_CUBEMAP_LAYERED] = {cudaDevAttrMaxSurfaceCubemapLayeredWidth,
                               cudaDevAttrMaxSurfaceCubemapLayeredWidth,
                               cudaDevAttrMaxSurfaceCubemapLayeredLayers},
};

/* Volumes may be deeper where they are narrower. */
static const struct bounds other_3d_bounds = {cudaDevAttrMaxTexture3DWidthAlt,
                                              cudaDevAttrMaxTexture3DHeightAlt,
                                              cudaDevAttrMaxTexture3DDepthAlt};
static const struct bounds gather_bounds = {cudaDevAttrMaxTexture2DGatherWidth,
                                            cudaDevAttrMaxTexture2DGatherHeight, 0};
static const struct bounds mipmap_1d_bounds = {cudaDevAttrMaxTexture1DMipmappedWidth, 0, 0};
static const struct bounds mipmap_2d_bounds = {cudaDevAttrMaxTexture2DMipmappedWidth,
                                               cudaDevAttrMaxTexture2DMipmappedHeight, 0};

/* An attribute of 0 is that of a device without images, where arrays are memory all the same. */
static bool is_within(size_t size, int attribute, int device)
{
    int most = 0;
    if (attribute == 0 || facade_device_attribute(&most, attribute, device) != cudaSuccess)
        return true;
    return most <= 0 || size <= (size_t)most;
}

static bool are_within(struct cudaExtent extent, const struct bounds *bounds, int device)
{
    return is_within(extent.width, bounds->width, device) &&
           is_within(extent.height, bounds->height, device) &&
           is_within(extent.depth, bounds->depth, device);
}

static bool fits_texture(enum shape shape, struct cudaExtent extent, int device)
{
    return are_within(extent, &texture_bounds[shape], device) ||
           (shape == SHAPE_3D && are_within(extent, &other_3d_bounds, device));
}

static bool fits_device(enum shape shape, struct cudaExtent extent, unsigned flags,
                        bool is_mipmapped, int device)
{
    const bool is_surface = (flags & CUDA_ARRAY3D_SURFACE_LDST) != 0;
    const bool gathers = (flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
    if (is_mipmapped && shape == SHAPE_1D && !are_within(extent, &mipmap_1d_bounds, device))
        return false;
    if (is_mipmapped && shape == SHAPE_2D && !are_within(extent, &mipmap_2d_bounds, device))
        return false;
    return fits_texture(shape, extent, device) &&
           (!is_surface || are_within(extent, &surface_bounds[shape], device)) &&
           (!gathers || are_within(extent, &gather_bounds, device));
}

static cudaError_t check_shape(struct cudaExtent extent, unsigned flags, bool is_mipmapped,
                               int device)
{
    const enum shape shape = shape_of(extent, flags);
    const bool gathers = (flags & CUDA_ARRAY3D_TEXTURE_GATHER) != 0;
    if ((flags & BAD_FLAGS) != 0 || shape == NO_SHAPE || (gathers && shape != SHAPE_2D) ||
        !fits_device(shape, extent, flags, is_mipmapped, device))
        return cudaErrorInvalidValue;
    return (flags & UNSUPPORTED_FLAGS) != 0 ? cudaErrorNotSupported : cudaSuccess;
}

static bool has_layers(unsigned flags)
{
    return (flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP)) != 0;
}

/* Levels until the largest size is 1; layers are no size. */
static unsigned most_levels(struct cudaExtent extent, unsigned flags)
{
    size_t largest = extent.width > extent.height ? extent.width : extent.height;
    unsigned levels = 1;
    if (!has_layers(flags) && extent.depth > largest)
        largest = extent.depth;
    while (largest > 1) {
        largest /= 2;
        levels++;
    }
    return levels;
}

static unsigned clamp_levels(unsigned levels, struct cudaExtent extent, unsigned flags)
{
    const unsigned most = most_levels(extent, flags);
    if (levels == 0)
        return 1;
    return levels < most ? levels : most;
}

/* --- making ----------------------------------------------------------------------------------- */

static cudaError_t make_array(struct facade_context *context,
                              const struct facade_array_format *format, struct cudaExtent extent,
                              unsigned levels, unsigned flags,
                              const struct facade_array_bytes *from, struct ocl_array **made)
{
    struct ocl_context *cl = atomic_load(&context->cl);
    const bool is_layered = has_layers(flags);
    const struct ocl_array_shape shape = {
        .texel = format->texel,
        .width = extent.width,
        .height = extent.height,
        .depth = is_layered ? 0 : extent.depth,
        .layers = is_layered ? (unsigned)extent.depth : 0,
        .is_cube = (flags & CUDA_ARRAY3D_CUBEMAP) != 0,
        .levels = levels,
    };
    const ocl_status status =
        from == NULL ? ocl_array_create(cl, &shape, made)
                     : ocl_array_import(cl, &shape, from->file, from->offset, from->room, made);
    return facade_error_from(status, FACADE_OTHER);
}

static void forget_arrays(struct facade_context *context);

static void link_array(struct facade_array *array)
{
    struct facade_context *context = array->context;
    pthread_mutex_lock(&context->lock);
    array->next = context->arrays;
    if (array->next != NULL)
        array->next->previous = array;
    context->arrays = array;
    atomic_store(&context->forget[FACADE_PART_ARRAYS], forget_arrays);
    pthread_mutex_unlock(&context->lock);
}

static void unlink_array(struct facade_array *array)
{
    struct facade_context *context = array->context;
    pthread_mutex_lock(&context->lock);
    if (array->previous != NULL)
        array->previous->next = array->next;
    else if (context->arrays == array)
        context->arrays = array->next;
    if (array->next != NULL)
        array->next->previous = array->previous;
    pthread_mutex_unlock(&context->lock);
}

cudaError_t facade_array_create(cudaArray_t *handle, const struct facade_array_format *format,
                                struct cudaExtent extent, unsigned flags)
{
    struct facade_context *context = NULL;
    struct ocl_array *inner = NULL;
    if (handle == NULL || format == NULL)
        return cudaErrorInvalidValue;
    *handle = NULL;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error == cudaSuccess)
        error = check_shape(extent, flags, false, context->device);
    if (error == cudaSuccess)
        error = make_array(context, format, extent, 1, flags, NULL, &inner);
    if (error != cudaSuccess)
        return error;
    struct facade_array *made = facade_handle_new(FACADE_ARRAY, sizeof *made);
    if (made == NULL) {
        ocl_array_release(inner);
        return cudaErrorMemoryAllocation;
    }
    made->context = context;
    made->array = inner;
    made->format = *format;
    made->extent = extent;
    made->flags = flags;
    link_array(made);
    ocl_made_note("array", made, context);
    *handle = (cudaArray_t)made;
    return cudaSuccess;
}

static void link_mipmapped(struct facade_mipmapped_array *mipmap)
{
    struct facade_context *context = mipmap->context;
    pthread_mutex_lock(&context->lock);
    mipmap->next = context->mipmapped_arrays;
    if (mipmap->next != NULL)
        mipmap->next->previous = mipmap;
    context->mipmapped_arrays = mipmap;
    atomic_store(&context->forget[FACADE_PART_ARRAYS], forget_arrays);
    pthread_mutex_unlock(&context->lock);
}

static void unlink_mipmapped(struct facade_mipmapped_array *mipmap)
{
    struct facade_context *context = mipmap->context;
    pthread_mutex_lock(&context->lock);
    if (mipmap->previous != NULL)
        mipmap->previous->next = mipmap->next;
    else if (context->mipmapped_arrays == mipmap)
        context->mipmapped_arrays = mipmap->next;
    if (mipmap->next != NULL)
        mipmap->next->previous = mipmap->previous;
    pthread_mutex_unlock(&context->lock);
}

cudaError_t facade_mipmapped_array_create(cudaMipmappedArray_t *handle,
                                          const struct facade_array_format *format,
                                          struct cudaExtent extent, unsigned levels, unsigned flags,
                                          const struct facade_array_bytes *from)
{
    struct facade_context *context = NULL;
    struct ocl_array *inner = NULL;
    if (handle == NULL || format == NULL)
        return cudaErrorInvalidValue;
    *handle = NULL;
    levels = clamp_levels(levels, extent, flags);
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error == cudaSuccess)
        error = check_shape(extent, flags, true, context->device);
    if (error == cudaSuccess)
        error = make_array(context, format, extent, levels, flags, from, &inner);
    if (error != cudaSuccess)
        return error;
    struct facade_mipmapped_array *made = facade_handle_new(FACADE_MIPMAPPED_ARRAY, sizeof *made);
    if (made == NULL) {
        ocl_array_release(inner);
        return cudaErrorMemoryAllocation;
    }
    made->context = context;
    made->array = inner;
    made->level_count = levels;
    made->format = *format;
    made->extent = extent;
    made->flags = flags;
    link_mipmapped(made);
    ocl_made_note("mipmapped array", made, context);
    *handle = (cudaMipmappedArray_t)made;
    return cudaSuccess;
}

/* --- finding ---------------------------------------------------------------------------------- */

cudaError_t facade_array_find(cudaArray_const_t handle, struct facade_array **found)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    *found = facade_handle_find(FACADE_ARRAY, handle);
    return *found != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t facade_mipmapped_array_find(cudaMipmappedArray_const_t handle,
                                        struct facade_mipmapped_array **found)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    *found = facade_handle_find(FACADE_MIPMAPPED_ARRAY, handle);
    if (*found != NULL)
        return cudaSuccess;
    /* An array is something, but of the wrong kind. */
    return facade_handle_find(FACADE_ARRAY, handle) != NULL ? cudaErrorInvalidValue
                                                            : cudaErrorInvalidResourceHandle;
}

/* --- levels ----------------------------------------------------------------------------------- */

static size_t halve(size_t size, unsigned times)
{
    const size_t halved = size >> times;
    return size != 0 && halved == 0 ? 1 : halved;
}

static struct facade_array *make_level(struct facade_mipmapped_array *mipmap, unsigned level)
{
    struct facade_array *made = facade_handle_new(FACADE_ARRAY, sizeof *made);
    if (made == NULL)
        return NULL;
    made->context = mipmap->context;
    made->array = mipmap->array;
    made->level = level;
    made->mipmap = mipmap;
    made->format = mipmap->format;
    made->flags = mipmap->flags;
    made->extent = (struct cudaExtent){
        .width = halve(mipmap->extent.width, level),
        .height = halve(mipmap->extent.height, level),
        .depth =
            has_layers(mipmap->flags) ? mipmap->extent.depth : halve(mipmap->extent.depth, level),
    };
    return made;
}

cudaError_t facade_mipmapped_array_level(cudaArray_t *level_handle,
                                         cudaMipmappedArray_const_t handle, unsigned level)
{
    struct facade_mipmapped_array *mipmap = NULL;
    struct facade_array *known = NULL;
    if (level_handle == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_mipmapped_array_find(handle, &mipmap);
    if (error != cudaSuccess)
        return error;
    if (level >= mipmap->level_count)
        return cudaErrorInvalidValue;
    struct facade_array *found = atomic_load(&mipmap->levels[level]);
    if (found == NULL) {
        found = make_level(mipmap, level);
        if (found == NULL)
            return cudaErrorMemoryAllocation;
        if (!atomic_compare_exchange_strong(&mipmap->levels[level], &known, found)) {
            facade_handle_free(found); /* another thread was first */
            found = known;
        }
    }
    *level_handle = (cudaArray_t)found;
    return cudaSuccess;
}

/* --- ending ----------------------------------------------------------------------------------- */

static void end_array(struct facade_array *array)
{
    struct ocl_array *inner = array->array;
    facade_handle_free(array);
    ocl_array_free(inner);
}

static void end_mipmapped(struct facade_mipmapped_array *mipmap)
{
    struct ocl_array *inner = mipmap->array;
    for (unsigned i = 0; i < mipmap->level_count; i++)
        facade_handle_free(atomic_load(&mipmap->levels[i]));
    facade_handle_free(mipmap);
    ocl_array_free(inner);
}

cudaError_t facade_array_free(cudaArray_t handle)
{
    struct facade_array *array = NULL;
    cudaError_t error = facade_array_find(handle, &array);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error != cudaSuccess)
        return error;
    if (array->mipmap != NULL)
        return cudaSuccess;
    const struct facade_context *context = array->context;
    unlink_array(array);
    end_array(array);
    return facade_context_check(context);
}

cudaError_t facade_mipmapped_array_free(cudaMipmappedArray_t handle)
{
    struct facade_mipmapped_array *mipmap = NULL;
    cudaError_t error = facade_mipmapped_array_find(handle, &mipmap);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error != cudaSuccess)
        return error;
    const struct facade_context *context = mipmap->context;
    unlink_mipmapped(mipmap);
    end_mipmapped(mipmap);
    return facade_context_check(context);
}

static void forget_arrays(struct facade_context *context)
{
    pthread_mutex_lock(&context->lock);
    struct facade_array *array = context->arrays;
    struct facade_mipmapped_array *mipmap = context->mipmapped_arrays;
    context->arrays = NULL;
    context->mipmapped_arrays = NULL;
    pthread_mutex_unlock(&context->lock);
    while (array != NULL) {
        struct facade_array *next = array->next;
        end_array(array);
        array = next;
    }
    while (mipmap != NULL) {
        struct facade_mipmapped_array *next = mipmap->next;
        end_mipmapped(mipmap);
        mipmap = next;
    }
}
