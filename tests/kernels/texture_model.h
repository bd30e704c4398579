/* What a texture fetch has to give, by CUDA's documentation and by what an NVIDIA GPU gave
 * (texture_native.def): plain C in double precision that shares nothing with the device header.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_TEXTURE_MODEL_H
#define TESTS_TEXTURE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

enum model_shape {
    MODEL_1D,
    MODEL_2D,
    MODEL_3D,
    MODEL_1D_LAYERED,
    MODEL_2D_LAYERED,
    MODEL_CUBE,
    MODEL_CUBE_LAYERED,
    MODEL_BUFFER /* tex1Dfetch of linear memory */
};

/* As CLEM_FORMAT_... number them. */
enum model_format {
    MODEL_F32,
    MODEL_F16,
    MODEL_UNORM8,
    MODEL_UNORM16,
    MODEL_SNORM8,
    MODEL_SNORM16,
    MODEL_SRGB8,
    MODEL_U8,
    MODEL_U16,
    MODEL_U32,
    MODEL_S8,
    MODEL_S16,
    MODEL_S32,
    MODEL_FORMATS
};

enum model_address { MODEL_WRAP, MODEL_CLAMP, MODEL_MIRROR, MODEL_BORDER };

enum model_fetch { MODEL_PLAIN, MODEL_LOD, MODEL_GATHER, MODEL_GRAD, MODEL_FETCH };

struct model_texture {
    enum model_shape shape;
    enum model_format format;
    int channels;
    int width, height, depth, layers, levels; /* unused ones 0 or 1; layers: faces too */
    bool is_index;                            /* texel (x, ...) holds the bits x in each channel */
    enum model_address address[3];
    bool is_linear, is_level_linear, is_normalized, is_seamless;
    uint32_t border[4]; /* bits */
    float bias, least, most;
};

/* x, y, z: coordinates; z: the layer too. MODEL_LOD: w is the level; MODEL_GATHER: the component;
 * cubes in layers: the cube. MODEL_GRAD: the derivatives along screen x and y are (w, a) and (b, 0)
 * in two dimensions, w and a in one, (w, 0, 0) and (0, a, b) in three. */
struct model_coordinates {
    float x, y, z, w, a, b;
};

struct model_value {
    bool is_real;     /* the format reads as floats */
    double real[4];   /* channels that are not there: 0 */
    uint32_t bits[4]; /* integer formats */
    double spread[4]; /* greatest less smallest of the texels that were filtered */
    double scale;     /* greatest size of a texel that was filtered */
};

unsigned model_channel_bytes(enum model_format format);

/* The bits of one channel; tests fill textures with these. */
uint32_t model_texel(const struct model_texture *texture, int level, int z, int y, int x,
                     int channel);

/* Size of a level along x, y, z (z: slices, or layers). */
void model_level_size(const struct model_texture *texture, int level, int size[3]);

struct model_value model_sample(const struct model_texture *texture, enum model_fetch fetch,
                                const struct model_coordinates *at);

#endif
