/* What a texture row asks for: formats, sources, walks and shapes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_TEXTURE_H
#define CLEM_BENCH_TEXTURE_H

#include "bench/study.h"

/* How the bytes of a task lie in a two-dimensional array of texels. */
struct image_shape {
    size_t width, height; /* texels */
};
struct image_shape image_shape(const struct task *task, size_t texel_bytes);

struct texel_format {
    int bits, channels;   /* of one channel; how many */
    bool is_float;        /* otherwise unsigned, read as floats from 0 to 1 */
    enum pattern pattern; /* what sources hold */
};
const struct texel_format *texture_format(const struct task *task);
size_t texture_texel_bytes(const struct task *task);
enum texture_source texture_source(const struct task *task);
enum texture_walk texture_walk(const struct task *task);

/* The kernel of kernels/access/texture.cl that does the task, and its groups. It takes the texture (in
 * OpenCL with a sampler), the surface or the source first, then the target (surface_write: the source),
 * then the shot's arguments, if any: the shape as two powers of two. */
void texture_shot(const struct task *task, struct shot *shot);

/* Which texel of the source the texel `index` of the target is. */
size_t texture_source_texel(const struct task *task, size_t index);

/* Compares a whole target with what it must hold. Returns the offset of a wrong texel, or
 * PATTERN_FINE; false without memory. */
bool texture_check(const struct task *task, const void *target, size_t *wrong);

#endif
