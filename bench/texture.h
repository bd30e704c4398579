/* What a texture row asks for: formats, filters, walks and shapes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_BENCH_TEXTURE_H
#define CLEM_BENCH_TEXTURE_H

#include "bench/pattern.h"

/* How the bytes of a task lie in a two-dimensional array of texels. */
struct image_shape {
    size_t width, height; /* texels */
};
struct image_shape image_shape(const struct task *task, size_t texel_bytes);

struct texel_format {
    const char *name;
    int bits, channels;   /* of one channel; how many */
    bool is_float;        /* otherwise unsigned, read as floats from 0 to 1 */
    enum pattern pattern; /* what sources hold */
};
const struct texel_format *texture_format(const struct task *task);
size_t texture_texel_bytes(const struct task *task);
enum texture_walk texture_walk(const struct task *task);
bool texture_is_linear(const struct task *task);

/* The kernel of kernels/texture_walk.cl that does the task. */
void texture_kernel_name(char name[64], const struct task *task);

/* Work-items in all and per group. */
struct texture_grid {
    size_t global[2], local[2];
};
struct texture_grid texture_grid(const struct task *task);

/* Where the texel whose 32-bit words are checked at word `index` of the target comes from: a word of
 * the source. */
size_t texture_source_word(const struct task *task, size_t index);

#endif
