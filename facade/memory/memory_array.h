/* Arrays and mipmapped arrays as runtime, driver API, copies and textures share them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MEMORY_ARRAY_H
#define FACADE_MEMORY_ARRAY_H

#include "cl/array.h"
#include "facade/state/handles.h"

enum { FACADE_ARRAY_LEVELS = 32 };

/* Extents are in texels: height 0 for one dimension, depth 0 where there are neither slices nor
 * layers; depth counts layers (6 for each cube) where flags has CUDA_ARRAY3D_LAYERED or _CUBEMAP.
 * The flags of both APIs have the same values. */

/* What one texel is, in cl/'s words and in the driver's. */
struct facade_array_format {
    struct ocl_texel texel;
    CUarray_format format;
    bool is_normalized; /* CU_AD_FORMAT_UNORM_* and _SNORM_*: read as floats */
};

/* cudaArray_t and CUarray: an array, or one level of a mipmapped one. */
struct facade_array {
    struct facade_context *context;
    struct ocl_array *array;               /* a reference, but for levels */
    unsigned level;                        /* of array */
    struct facade_mipmapped_array *mipmap; /* whose level this is, or NULL */
    struct facade_array_format format;
    struct cudaExtent extent; /* of this level; zeros as the user gave them */
    unsigned flags;
    struct facade_array *next, *previous; /* of the context's arrays, but for levels */
};

/* cudaMipmappedArray_t and CUmipmappedArray. */
struct facade_mipmapped_array {
    struct facade_context *context;
    struct ocl_array *array; /* a reference; holds all levels */
    unsigned level_count;
    struct facade_array_format format;
    struct cudaExtent extent; /* of level 0 */
    unsigned flags;
    _Atomic(struct facade_array *) levels[FACADE_ARRAY_LEVELS]; /* made when asked for */
    struct facade_mipmapped_array *next, *previous;
};

/* The live array a handle means. Errors: cudaErrorInvalidResourceHandle; cudaErrorInvalidValue for
 * an array in place of a mipmapped one; what facade_process_state() says. */
cudaError_t facade_array_find(cudaArray_const_t handle, struct facade_array **found);
cudaError_t facade_mipmapped_array_find(cudaMipmappedArray_const_t handle,
                                        struct facade_mipmapped_array **found);

/* What a channel description and a driver's format stand for.
 * Errors: cudaErrorInvalidChannelDescriptor, or cudaErrorInvalidValue for the driver's; for what
 *         NVIDIA's devices can hold and OpenCL cannot, cudaErrorNotSupported. */
cudaError_t facade_array_format_from_desc(struct facade_array_format *format,
                                          const struct cudaChannelFormatDesc *desc);
cudaError_t facade_array_format_from_driver(struct facade_array_format *format,
                                            CUarray_format driver_format, unsigned channels);
struct cudaChannelFormatDesc facade_array_desc(const struct facade_array_format *format);

/* Bytes of a file that a mipmapped array lies in, from offset on (cl/array.h). */
struct facade_array_bytes {
    int file;
    uint64_t offset, room;
};

/* Makes an array, or a mipmapped one, in the current context. The number of levels is clamped to
 * what the extent allows. format may be NULL, which is a bad value; *handle is NULL after an error.
 * from: where its texels lie, or NULL for memory of its own.
 * Errors: cudaErrorInvalidValue, also for what is beyond the device's limits;
 *         cudaErrorMemoryAllocation; cudaErrorNotSupported for sparse and deferred arrays. */
cudaError_t facade_array_create(cudaArray_t *handle, const struct facade_array_format *format,
                                struct cudaExtent extent, unsigned flags);
cudaError_t facade_mipmapped_array_create(cudaMipmappedArray_t *handle,
                                          const struct facade_array_format *format,
                                          struct cudaExtent extent, unsigned levels, unsigned flags,
                                          const struct facade_array_bytes *from);

/* The same handle every time; the mipmapped array owns it. Errors: cudaErrorInvalidValue for a
 * level that is not there; cudaErrorInvalidResourceHandle. */
cudaError_t facade_mipmapped_array_level(cudaArray_t *level_handle,
                                         cudaMipmappedArray_const_t handle, unsigned level);

/* Waits for the work of the context. A level stays what it is until its mipmapped array goes, as
 * NVIDIA's runtime has it.
 * Errors: cudaErrorInvalidResourceHandle. */
cudaError_t facade_array_free(cudaArray_t handle);
cudaError_t facade_mipmapped_array_free(cudaMipmappedArray_t handle);

#endif
