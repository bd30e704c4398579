/* Formats, shapes and index spaces of texture rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/texture.h"

#include <stdio.h>

enum { GROUP = 256, BLOCK = 16 };

/* As square as powers of two can be, rows at least as long as columns. */
struct image_shape image_shape(const struct task *task, size_t texel_bytes)
{
    struct image_shape shape = {1, task->bytes / texel_bytes};
    while (shape.width < shape.height) {
        shape.width *= 2;
        shape.height /= 2;
    }
    return shape;
}

const struct texel_format *texture_format(const struct task *task)
{
    static const struct texel_format formats[TEXTURE_FORMATS] = {
        [TEXTURE_R32F] = {"r32f", 32, 1, true, PATTERN_FIRST},
        [TEXTURE_RGBA32F] = {"rgba32f", 32, 4, true, PATTERN_FIRST},
        [TEXTURE_RGBA8] = {"rgba8", 8, 4, false, PATTERN_WORDS},
    };
    return &formats[task->row->detail & (TEXTURE_FORMATS - 1)];
}

size_t texture_texel_bytes(const struct task *task)
{
    const struct texel_format *format = texture_format(task);
    return (size_t)(format->bits / 8 * format->channels);
}

enum texture_walk texture_walk(const struct task *task)
{
    return (enum texture_walk)(task->row->detail & WALK_FETCH);
}

bool texture_is_linear(const struct task *task)
{
    return task->row->detail & TEXTURE_LINEAR;
}

void texture_kernel_name(char name[64], const struct task *task)
{
    static const char *const suffixes[] = {
        [WALK_ROW] = "", [WALK_COLUMN] = "_column", [WALK_BLOCK] = "", [WALK_FETCH] = "_fetch"};
    snprintf(name, 64, "texture_%s%s", texture_format(task)->name, suffixes[texture_walk(task)]);
}

struct texture_grid texture_grid(const struct task *task)
{
    const struct image_shape shape = image_shape(task, texture_texel_bytes(task));
    struct texture_grid grid = {{shape.width, shape.height}, {GROUP, 1}};
    switch (texture_walk(task)) {
    case WALK_BLOCK:
        grid.local[0] = grid.local[1] = BLOCK;
        break;
    case WALK_COLUMN:
        grid.global[0] = shape.height;
        grid.global[1] = shape.width;
        break;
    case WALK_FETCH:
        grid.global[0] *= shape.height;
        grid.global[1] = 1;
        break;
    case WALK_ROW:
        break;
    }
    for (int i = 0; i < 2; i++)
        if (grid.local[i] > grid.global[i])
            grid.local[i] = grid.global[i];
    return grid;
}

size_t texture_source_word(const struct task *task, size_t index)
{
    const size_t words = texture_texel_bytes(task) / 4;
    const struct image_shape shape = image_shape(task, words * 4);
    const size_t texel = index / words;
    if (texture_walk(task) != WALK_COLUMN)
        return index;
    return (texel % shape.height * shape.width + texel / shape.height) * words + index % words;
}
