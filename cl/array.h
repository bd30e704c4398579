/* CUDA arrays: texels in device memory, addressed by coordinates.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_ARRAY_H
#define OCL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/context.h"
#include "cl/queue.h"
#include "cl/status.h"

/* How the bits of one channel are read. */
enum ocl_channel_type { OCL_CHANNEL_SIGNED, OCL_CHANNEL_UNSIGNED, OCL_CHANNEL_FLOAT };

/* One texel: channels of equal size side by side, x first. */
struct ocl_texel {
    enum ocl_channel_type type;
    unsigned channels;      /* 1, 2 or 4 */
    unsigned channel_bytes; /* 1, 2 or 4; OCL_CHANNEL_FLOAT: 2 or 4 */
};

static inline size_t ocl_texel_bytes(const struct ocl_texel *texel)
{
    return (size_t)texel->channels * texel->channel_bytes;
}

/* height 0: one dimension; depth 0: no third one. Layers (6 for each cube) stand one behind the
 * other as slices do. */
struct ocl_array_shape {
    struct ocl_texel texel;
    size_t width, height, depth; /* texels of level 0; depth 0 where there are layers */
    unsigned layers;             /* 0: not layered */
    bool is_cube;                /* layers are faces */
    unsigned levels;             /* of the mipmap, at least 1 */
};

struct ocl_array;

/* Where one level lies. Row y of slice (or layer) z starts at
 * address + z*slice_bytes + y*pitch. */
struct ocl_array_level {
    uint64_t address;
    size_t pitch, slice_bytes;
    size_t width, height, slices; /* texels, texels, slices or layers; each at least 1 */
};

/* Makes an array; its texels are not defined. Rows of every level begin at multiples of 256 bytes.
 * Needs:  width > 0; levels as many as halve the largest size to 1, or fewer; no depth with layers.
 * Errors: OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_array_create(struct ocl_context *context, const struct ocl_array_shape *shape,
                            struct ocl_array **array);

/* An array in bytes of a file from offset on, which stays the caller's; its texels are what the file has there: level behind level, with
 * rows and slices as ocl_array_level() says. Needs: as above. Errors: as above; those of ocl_memory_import(); OCL_E_INVALID_VALUE when
 * the array has more bytes than room, or offset is no multiple of 256. */
ocl_status ocl_array_import(struct ocl_context *context, const struct ocl_array_shape *shape,
                            int file, uint64_t offset, uint64_t room, struct ocl_array **array);

/* Textures and surfaces hold references of their own; the memory goes with the last one. Waits for nothing: whoever looks at a
 * texture meanwhile, as launches do, may be the last. Needs: the context is open. Safe on NULL. */
void ocl_array_retain(struct ocl_array *array);
void ocl_array_release(struct ocl_array *array);

/* Gives back the owner's reference after all queued work of the context, for which it waits: what is queued later must not use
 * the array. Needs: the context is open. Safe on NULL. */
void ocl_array_free(struct ocl_array *array);

/* Whether that was called. Needs: a texture or surface still holds the array. */
bool ocl_array_is_freed(const struct ocl_array *array);

struct ocl_context *ocl_array_context(const struct ocl_array *array);
const struct ocl_array_shape *ocl_array_shape(const struct ocl_array *array);

/* Needs: level < shape.levels. */
void ocl_array_level(const struct ocl_array *array, unsigned level, struct ocl_array_level *view);

/* To be called after every command that writes texels was enqueued (copies, kernels with surfaces):
 * images made from the array are then refreshed before the next kernel that reads one, and that
 * refresh waits for this queue's work so far. Cheap while no image was made. */
ocl_status ocl_array_written(struct ocl_array *array, struct ocl_queue *queue);

#endif
