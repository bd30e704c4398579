/* Texture and surface objects: what a kernel's texture argument stands for.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TEXTURE_H
#define OCL_TEXTURE_H

#include "cl/array.h"

enum ocl_texture_source {
    OCL_TEXTURE_LINEAR,  /* texels side by side in device memory */
    OCL_TEXTURE_PITCHED, /* rows of texels in device memory */
    OCL_TEXTURE_ARRAY    /* one level of an array, or a range of levels */
};

struct ocl_texture_view {
    enum ocl_texture_source source;
    struct ocl_texel texel; /* what the bits are read as; may differ from the array's */
    uint64_t address;       /* LINEAR, PITCHED: of the first texel */
    size_t width, height; /* LINEAR, PITCHED: texels (height 1 for LINEAR); ARRAY: taken from it */
    size_t pitch;         /* PITCHED: bytes from row to row */
    struct ocl_array *array;          /* ARRAY */
    unsigned first_level, last_level; /* of the array */
    unsigned first_layer, last_layer;
};

enum ocl_address_mode {
    OCL_ADDRESS_MODE_WRAP,
    OCL_ADDRESS_MODE_CLAMP,
    OCL_ADDRESS_MODE_MIRROR,
    OCL_ADDRESS_MODE_BORDER
};

struct ocl_sampling {
    enum ocl_address_mode address[3];
    bool is_linear;        /* filter between texels */
    bool is_mipmap_linear; /* filter between levels */
    bool reads_normalized; /* integers of 1 or 2 bytes become floats in [0, 1] or [-1, 1] */
    bool has_normalized_coordinates;
    bool is_srgb; /* 8-bit unsigned channels x, y, z hold sRGB */
    float border[4];
    float level_bias, min_level, max_level;
    bool is_seamless_cube;
};

struct ocl_texture;

/* Makes a texture object. Holds a reference to the array; linear and pitched memory is the caller's
 * to keep, and what is written there later is seen.
 * Errors: OCL_E_OUT_OF_MEMORY; OCL_E_NOT_SUPPORTED; OCL_E_NOT_FOUND: address is in no device memory. */
ocl_status ocl_texture_create(struct ocl_context *context, const struct ocl_texture_view *view,
                              const struct ocl_sampling *sampling, struct ocl_texture **texture);

/* Surface object over one level of an array (and all its layers). */
ocl_status ocl_surface_create(struct ocl_array *array, unsigned level,
                              struct ocl_texture **surface);

/* Queued launches may still use it. Safe on NULL. */
void ocl_texture_release(struct ocl_texture *texture);

/* The 64-bit object that an args entry of a launch carries: unique in the process, never 0, never
 * used again, below 2^32. */
uint64_t ocl_texture_id(const struct ocl_texture *texture);

#endif
