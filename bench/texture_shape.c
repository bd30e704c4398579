/* Formats, shapes, kernels and results of texture rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/texture.h"

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
        [TEXTURE_R32F] = {32, 1, true, PATTERN_FIRST},
        [TEXTURE_RG32F] = {32, 2, true, PATTERN_FIRST},
        [TEXTURE_RGBA32F] = {32, 4, true, PATTERN_FIRST},
        [TEXTURE_R8] = {8, 1, false, PATTERN_WORDS},
        [TEXTURE_RGBA8] = {8, 4, false, PATTERN_WORDS},
        [TEXTURE_R16] = {16, 1, false, PATTERN_WORDS},
        [TEXTURE_RGBA16] = {16, 4, false, PATTERN_WORDS},
    };
    return &formats[task->row->detail & 15];
}

size_t texture_texel_bytes(const struct task *task)
{
    const struct texel_format *format = texture_format(task);
    return (size_t)(format->bits / 8 * format->channels);
}

enum texture_source texture_source(const struct task *task)
{
    return (enum texture_source)(task->row->detail >> 4 & 15);
}

enum texture_walk texture_walk(const struct task *task)
{
    return (enum texture_walk)(task->row->detail >> 8);
}

static const char *kernel_name(const struct task *task)
{
    static const char *const names[][TEXTURE_WALKS] = {
        {"texture_row", "texture_column", "texture_row", "texture_shifted", "texture_morton",
         "texture_random", "texture_fetch"},
        {"buffer_row", "buffer_column", "buffer_row", "buffer_shifted", "buffer_morton",
         "buffer_random", "buffer_row"},
        {"plain_row", "plain_column", "plain_row", "plain_shifted", "plain_morton", "plain_random",
         "plain_row"},
    };
    switch (texture_source(task)) {
    case TEXTURE_LOADED:
        return "surface_read";
    case TEXTURE_STORED:
        return "surface_write";
    case TEXTURE_BUFFER:
        return names[1][texture_walk(task)];
    case TEXTURE_PLAIN:
        return names[2][texture_walk(task)];
    default:
        return names[0][texture_walk(task)];
    }
}

static unsigned power_of(size_t number)
{
    unsigned power = 0;
    while (number >> power > 1)
        power++;
    return power;
}

/* Whether the kernel has to know the shape. */
static bool takes_shape(const struct task *task)
{
    switch (texture_source(task)) {
    case TEXTURE_LOADED:
    case TEXTURE_STORED:
        return false;
    case TEXTURE_BUFFER:
    case TEXTURE_PLAIN:
        return true;
    default:
        return texture_walk(task) != WALK_FETCH;
    }
}

void texture_shot(const struct task *task, struct shot *shot)
{
    const struct texel_format *format = texture_format(task);
    const struct image_shape shape = image_shape(task, texture_texel_bytes(task));
    const bool is_column = texture_walk(task) == WALK_COLUMN;
    const bool is_block = texture_walk(task) == WALK_BLOCK;
    const size_t items[2] = {is_column ? shape.height : shape.width,
                             is_column ? shape.width : shape.height};
    const size_t local[2] = {is_block ? BLOCK : GROUP, is_block ? BLOCK : 1};
    shot->file = "texture";
    shot->kernel = kernel_name(task);
    shot_define_number(shot, "BITS", (unsigned)format->bits);
    shot_define_number(shot, "CHANNELS", (unsigned)format->channels);
    for (int i = 0; i < 2; i++) {
        shot->local[i] = local[i] < items[i] ? local[i] : items[i];
        shot->groups[i] = items[i] / shot->local[i];
    }
    if (takes_shape(task)) {
        shot_pass_u32(shot, power_of(shape.width));
        shot_pass_u32(shot, power_of(shape.height));
    }
}

/* ---- What comes out ---- */

static size_t even_bits(size_t code)
{
    size_t bits = 0;
    for (unsigned i = 0; i < 16; i++)
        bits |= (code >> 2 * i & 1) << i;
    return bits;
}

/* As in texture.cl. */
static size_t scramble(size_t number, size_t count)
{
    const uint32_t mask = (uint32_t)(count - 1);
    const unsigned shift = (power_of(count) + 1) / 2;
    uint32_t mixed = (uint32_t)number * 0x9e3779b1u & mask;
    mixed ^= mixed >> shift;
    mixed = mixed * 0x85ebca6bu & mask;
    return mixed ^ mixed >> shift;
}

size_t texture_source_texel(const struct task *task, size_t index)
{
    const struct image_shape shape = image_shape(task, texture_texel_bytes(task));
    const size_t x = index % shape.width, y = index / shape.width;
    switch (texture_walk(task)) {
    case WALK_COLUMN:
        return index % shape.height * shape.width + index / shape.height;
    case WALK_SHIFTED:
        return y * shape.width + (x + 1) % shape.width;
    case WALK_MORTON:
        return even_bits(index >> 1) * shape.width + even_bits(index);
    case WALK_RANDOM:
        return scramble(index, shape.width * shape.height);
    default:
        return index;
    }
}

bool texture_check(const struct task *task, const void *target, size_t *wrong)
{
    const size_t texel = texture_texel_bytes(task);
    unsigned char *source = malloc(task->bytes);
    size_t first = PATTERN_FINE;
    if (!source)
        return false;
    pattern_fill(source, task->bytes, texture_format(task)->pattern, 0);
#pragma omp parallel for reduction(min : first)
    for (size_t i = 0; i < task->bytes / texel; i++)
        if (memcmp((const char *)target + i * texel, source + texture_source_texel(task, i) * texel,
                   texel) != 0 &&
            i * texel < first)
            first = i * texel;
    free(source);
    *wrong = first;
    return true;
}
