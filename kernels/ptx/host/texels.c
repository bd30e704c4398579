/* The commonest textures, for all lanes of a warp at once: the device header's functions in loops that have nothing left to
 * decide, so that compilers make vector code of them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/texels.h"

/* Texels are counted by numbers that vectors have many of; is_small() says where they suffice. */
#define CLEM_INDEX int
#include "kernels/ptx/host/host_sampling.h"

#ifndef TEXELS
#define TEXELS ptx_texels_any
#endif

/* What is used of the facts of one level. */
static inline struct clem_texture facts_of(const struct clem_texture *row, uint64_t plain)
{
    return (struct clem_texture){.plain = plain,
                                 .plain_size = row->plain_size,
                                 .plain_pitch = row->plain_pitch,
                                 .width = row->width,
                                 .shortcut = row->shortcut};
}

static bool is_small(const struct clem_texture *row)
{
    return row->plain_pitch * row->height <= INT32_MAX;
}

/* A loop for each way to come from coordinates to texels: what is not asked in it any more is in `facts`. */
#define PLACES (CLEM_PLAIN_NORMALIZED | CLEM_PLAIN_WRAPS)
#define LOOPS(put, value)                                                                          \
    do {                                                                                           \
        const uint64_t plain = row->plain & ~(uint64_t)PLACES;                                     \
        if (!(row->plain & PLACES))                                                                \
            LOOP(plain, put, value);                                                               \
        else if (!(row->plain & CLEM_PLAIN_WRAPS))                                                 \
            LOOP(plain | CLEM_PLAIN_NORMALIZED, put, value);                                       \
        else                                                                                       \
            LOOP(row->plain, put, value);                                                          \
    } while (0)
#define LOOP(known, put, value)                                                                    \
    do {                                                                                           \
        const struct clem_texture own = facts_of(row, known), *const facts = &own;                 \
        for (unsigned i = 0; i < PTX_FETCH_LANES; i++) {                                           \
            const float x = as_float(xs[i]), y = as_float(ys[i]);                                  \
            (void)y;                                                                               \
            put(value);                                                                            \
        }                                                                                          \
    } while (0)
#define PUT_1(value) results[i] = as_uint(value)
#define PUT_4(value) texels[i] = (uint4)(value)

static inline void spread(const uint4 *texels, uint32_t *results)
{
    for (unsigned k = 0; k < 4; k++)
        for (unsigned i = 0; i < PTX_FETCH_LANES; i++)
            results[PTX_FETCH_LANES * k + i] = texels[i][k];
}

/* A function for each texture and number of axes, of the name of the device header's. */
#define ARGUMENTS                                                                                  \
    const uchar *memory, const struct clem_texture *restrict row, const uint32_t *restrict xs,     \
        const uint32_t *restrict ys, uint32_t *restrict results
#define DEFINE_1(name, ...)                                                                        \
    static void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        (void)ys;                                                                                  \
        LOOPS(PUT_1, clem_##name(memory, facts, __VA_ARGS__));                                     \
    }
#define DEFINE_4(name, ...)                                                                        \
    static void name(ARGUMENTS)                                                                    \
    {                                                                                              \
        uint4 texels[PTX_FETCH_LANES];                                                             \
        (void)ys;                                                                                  \
        LOOPS(PUT_4, clem_##name(memory, facts, __VA_ARGS__));                                     \
        spread(texels, results);                                                                   \
    }
DEFINE_1(plain_texel_1d_float, x)
DEFINE_1(plain_texel_2d_float, x, y)
DEFINE_1(plain_texel_2d_unorm8_1, x, y)
DEFINE_1(plain_linear_1d_float, x, 0u)
DEFINE_1(plain_linear_2d_float, x, y, 0u)
DEFINE_1(plain_linear_2d_unorm8_1, x, y, 0u)
DEFINE_4(plain_texel_1d_float4, x)
DEFINE_4(plain_texel_2d_float4, x, y)
DEFINE_4(plain_texel_2d_unorm8_4, x, y)
DEFINE_4(plain_texel_2d_unorm16_4, x, y)
DEFINE_4(plain_linear_1d_float4, x, 0u)
DEFINE_4(plain_linear_2d_float4, x, y, 0u)
DEFINE_4(plain_linear_2d_unorm8_4, x, y, 0u)
DEFINE_4(plain_linear_2d_unorm16_4, x, y, 0u)

/* Linear memory, of numbers that are taken as they are. A last texel stands for what is outside, so that each lane has one to
 * read. */
#define FETCHED(channel_count)                                                                     \
    const struct clem_texture facts = {.format = CLEM_FORMAT_F32, .channels = channel_count};      \
    const uint last = row->width - 1
static bool are_neighbours(const uint32_t *xs)
{
    uint32_t differs = 0;
    for (unsigned i = 0; i < PTX_FETCH_LANES; i++)
        differs |= xs[i] - xs[0] - i;
    return !differs;
}

static void fetch_1(const uchar *memory, const struct clem_texture *restrict row,
                    const uint32_t *restrict xs, uint32_t *restrict results)
{
    FETCHED(1);
    if (xs[0] <= last && last - xs[0] >= PTX_FETCH_LANES - 1 && are_neighbours(xs)) {
        memcpy(results, memory + (size_t)xs[0] * sizeof *results,
               PTX_FETCH_LANES * sizeof *results);
        return;
    }
    for (unsigned i = 0; i < PTX_FETCH_LANES; i++) {
        /* Not by as_uint() of one number of it: with AddressSanitizer, that ends gcc 12. */
        const float4 texel = clem_fetch_inside(memory, &facts, min(xs[i], last));
        uint32_t value;
        memcpy(&value, &texel, sizeof value);
        results[i] = xs[i] <= last ? value : 0;
    }
}

static void fetch_4(const uchar *memory, const struct clem_texture *restrict row,
                    const uint32_t *restrict xs, uint32_t *restrict results)
{
    FETCHED(4);
    uint4 texels[PTX_FETCH_LANES];
    for (unsigned i = 0; i < PTX_FETCH_LANES; i++) {
        const uint4 value = (uint4)clem_fetch_inside(memory, &facts, min(xs[i], last));
        texels[i] = xs[i] <= last ? value : (uint4){0};
    }
    spread(texels, results);
}

static bool is_word(const struct clem_texture *row)
{
    return row->format == CLEM_FORMAT_F32 || row->format == CLEM_FORMAT_S32 ||
           row->format == CLEM_FORMAT_U32;
}

/* Where the device header takes the same function. Numbers of 32 bits are moved as floats are. */
#define IF(axes, format, channels, filter, name)                                                   \
    CLEM_IF_PLAIN(axes, format, channels, filter)                                                  \
    {                                                                                              \
        name(memory, row, xs, ys, results);                                                        \
        return true;                                                                               \
    }
#define AS_THEY_ARE(axes, way, format, channels, name)                                             \
    case way:                                                                                      \
        IF(axes, format, channels, 0u, name)                                                       \
        break;
bool TEXELS(const struct clem_texture *row, union ptx_fetch what, uint32_t *list)
{
    const struct clem_texture *const facts = row;
    const uchar *const memory = CLEM_ROW_MEMORY(row);
    const uint32_t *const xs = &list[PTX_FETCH_LANES * PTX_FETCH_X],
                          *const ys = &list[PTX_FETCH_LANES * PTX_FETCH_Y];
    uint32_t *const results = &list[PTX_FETCH_LANES * PTX_FETCH_RESULTS];
    const enum ptx_fetch_way way = (enum ptx_fetch_way)what.texture.way;
    if (way == PTX_FETCH_LINEAR && is_word(row) && row->width > 0 &&
        row->channels == what.texture.count && row->channels != 2) {
        (row->channels == 1 ? fetch_1 : fetch_4)(memory, row, xs, results);
        return true;
    }
    if (way >= PTX_FETCH_SAMPLE_1 || !is_small(row))
        return false;
    switch (way) {
    case PTX_FETCH_1D_float:
        IF(1, CLEM_FORMAT_F32, 1, CLEM_PLAIN_LINEAR, plain_linear_1d_float)
        IF(1, CLEM_FORMAT_F32, 1, 0u, plain_texel_1d_float)
        break;
    case PTX_FETCH_2D_float:
        IF(2, CLEM_FORMAT_F32, 1, CLEM_PLAIN_LINEAR, plain_linear_2d_float)
        IF(2, CLEM_FORMAT_F32, 1, 0u, plain_texel_2d_float)
        IF(2, CLEM_FORMAT_UNORM8, 1, CLEM_PLAIN_LINEAR, plain_linear_2d_unorm8_1)
        IF(2, CLEM_FORMAT_UNORM8, 1, 0u, plain_texel_2d_unorm8_1)
        break;
    case PTX_FETCH_1D_float4:
        IF(1, CLEM_FORMAT_F32, 4, CLEM_PLAIN_LINEAR, plain_linear_1d_float4)
        IF(1, CLEM_FORMAT_F32, 4, 0u, plain_texel_1d_float4)
        break;
    case PTX_FETCH_2D_float4:
        IF(2, CLEM_FORMAT_F32, 4, CLEM_PLAIN_LINEAR, plain_linear_2d_float4)
        IF(2, CLEM_FORMAT_F32, 4, 0u, plain_texel_2d_float4)
        IF(2, CLEM_FORMAT_UNORM8, 4, CLEM_PLAIN_LINEAR, plain_linear_2d_unorm8_4)
        IF(2, CLEM_FORMAT_UNORM8, 4, 0u, plain_texel_2d_unorm8_4)
        IF(2, CLEM_FORMAT_UNORM16, 4, CLEM_PLAIN_LINEAR, plain_linear_2d_unorm16_4)
        IF(2, CLEM_FORMAT_UNORM16, 4, 0u, plain_texel_2d_unorm16_4)
        break;
        AS_THEY_ARE(1, PTX_FETCH_1D_int, CLEM_FORMAT_S32, 1, plain_texel_1d_float)
        AS_THEY_ARE(2, PTX_FETCH_2D_int, CLEM_FORMAT_S32, 1, plain_texel_2d_float)
        AS_THEY_ARE(1, PTX_FETCH_1D_int4, CLEM_FORMAT_S32, 4, plain_texel_1d_float4)
        AS_THEY_ARE(2, PTX_FETCH_2D_int4, CLEM_FORMAT_S32, 4, plain_texel_2d_float4)
        AS_THEY_ARE(1, PTX_FETCH_1D_uint, CLEM_FORMAT_U32, 1, plain_texel_1d_float)
        AS_THEY_ARE(2, PTX_FETCH_2D_uint, CLEM_FORMAT_U32, 1, plain_texel_2d_float)
        AS_THEY_ARE(1, PTX_FETCH_1D_uint4, CLEM_FORMAT_U32, 4, plain_texel_1d_float4)
        AS_THEY_ARE(2, PTX_FETCH_2D_uint4, CLEM_FORMAT_U32, 4, plain_texel_2d_float4)
    default:
        break;
    }
    return false;
}
