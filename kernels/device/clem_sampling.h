/* Texture fetches computed by hand from texels in memory.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything gives what NVIDIA's hardware gives, as measured: point sampling takes the texel that
 * holds the coordinate; linear filtering takes the two texels around coordinate - 1/2 on each axis
 * and weighs them in steps of 1/256 (to nearest); a coordinate that is not a number is 0. The level
 * of a gradient is what OpenGL says; the hardware's guess is up to half a level coarser where both
 * gradients are long. Values are float4s; integer formats travel in them as bits. */
#ifndef CLEM_SAMPLING_H
#define CLEM_SAMPLING_H

#include "clem_texture_facts.h"

/* Calls within a fetch would cost more than what is called. */
#define CLEM_INLINE static inline __attribute__((always_inline))

/* Where a level's texels are. */
struct clem_level {
    __global const uchar *texels;
    ulong slice_bytes;
    uint pitch;
    int width, height, depth;
};

/* One axis of a fetch: the texels on both sides of the coordinate and the weight of the second. A
 * texel of -1 is the border. */
struct clem_axis {
    int first, second;
    float weight;
};

/* Which texel of which layer: faces are layers. */
struct clem_place {
    float x, y, z;
    uint layer;
};

/* ---- Numbers ----
 * Written out, because CPUs' built-in floor, fmin and fmax are slow code that is not vectorised. */

/* Needs: a size of less than 2^31. */
CLEM_INLINE int clem_floor(float value)
{
    int whole = (int)value;
    return whole - ((float)whole > value ? 1 : 0);
}

/* Of a number below 2^23, by its bits. The instruction of x86 for this waits for what was last in
 * the register it writes to: for the fetch before, so that fetches would run one after another. */
CLEM_INLINE float clem_float(uint number)
{
    return as_float(number | 0x4b000000u) - 8388608.0f;
}

/* Within limits; what is not a number is the least. */
CLEM_INLINE float clem_limit(float value, float least, float most)
{
    float raised = value > least ? value : least;
    return raised < most ? raised : most;
}

/* What is behind the point, from 0 to below 1. Large numbers have nothing there; neither has what
 * is not a number or has no end. */
CLEM_INLINE float clem_fraction(float value)
{
    float size = value < 0.0f ? -value : value;
    float kept = size < 8388608.0f ? value : 0.0f;
    float whole = (float)(int)kept;
    float part = kept - (whole > kept ? whole - 1.0f : whole);
    return part < 0x1.fffffep-1f ? part : 0x1.fffffep-1f;
}

/* ---- Texels ---- */

CLEM_INLINE uint clem_channel_bytes(uint format)
{
    /* Two bits for each format, F32 lowest: 4, 2, 1, 2, 1, 2, 1, 1, 2, 4, 1, 2, 4 bytes. */
    return 1u << (0x2490446u >> 2 * format & 3u);
}

/* What hardware makes of each byte of sRGB (H200, all 256 read): the upper halves of floats. Nearly
 * the curve rounded to eight bits, and to 2^-14, but in 14 places beside it. */
static __constant ushort clem_srgb[256] = {
    0x0000, 0x39a0, 0x3a20, 0x3a70, 0x3aa0, 0x3ac8, 0x3af0, 0x3b0c, 0x3b20, 0x3b34, 0x3b48, 0x3b5c,
    0x3b70, 0x3b84, 0x3b90, 0x3b9c, 0x3baa, 0x3bb8, 0x3bc6, 0x3bd6, 0x3be6, 0x3bf6, 0x3c03, 0x3c0c,
    0x3c16, 0x3c1f, 0x3c29, 0x3c34, 0x3c3e, 0x3c49, 0x3c55, 0x3c60, 0x3c6c, 0x3c7a, 0x3c83, 0x3c8a,
    0x3c91, 0x3c98, 0x3c9f, 0x3ca6, 0x3cae, 0x3cb6, 0x3cbe, 0x3cc6, 0x3cce, 0x3cd7, 0x3ce0, 0x3ce9,
    0x3cf2, 0x3cfc, 0x3d03, 0x3d08, 0x3d0d, 0x3d12, 0x3d17, 0x3d1c, 0x3d22, 0x3d28, 0x3d2d, 0x3d33,
    0x3d39, 0x3d3f, 0x3d45, 0x3d4c, 0x3d52, 0x3d58, 0x3d60, 0x3d66, 0x3d6c, 0x3d74, 0x3d7a, 0x3d81,
    0x3d85, 0x3d88, 0x3d8c, 0x3d90, 0x3d94, 0x3d98, 0x3d9c, 0x3da0, 0x3da4, 0x3da9, 0x3dad, 0x3db1,
    0x3db6, 0x3dba, 0x3dbf, 0x3dc3, 0x3dc8, 0x3dcd, 0x3dd1, 0x3dd6, 0x3ddb, 0x3de0, 0x3de5, 0x3dea,
    0x3df0, 0x3df4, 0x3dfa, 0x3e00, 0x3e02, 0x3e05, 0x3e08, 0x3e0b, 0x3e0e, 0x3e11, 0x3e14, 0x3e17,
    0x3e1a, 0x3e1d, 0x3e20, 0x3e23, 0x3e26, 0x3e29, 0x3e2c, 0x3e30, 0x3e33, 0x3e36, 0x3e3a, 0x3e3d,
    0x3e40, 0x3e44, 0x3e47, 0x3e4b, 0x3e4e, 0x3e52, 0x3e56, 0x3e59, 0x3e5d, 0x3e61, 0x3e65, 0x3e68,
    0x3e6c, 0x3e70, 0x3e74, 0x3e78, 0x3e7c, 0x3e80, 0x3e82, 0x3e84, 0x3e86, 0x3e88, 0x3e8a, 0x3e8d,
    0x3e8f, 0x3e91, 0x3e93, 0x3e95, 0x3e98, 0x3e9a, 0x3e9c, 0x3e9e, 0x3ea1, 0x3ea3, 0x3ea5, 0x3ea8,
    0x3eaa, 0x3ead, 0x3eaf, 0x3eb2, 0x3eb4, 0x3eb6, 0x3eb9, 0x3ebc, 0x3ebe, 0x3ec1, 0x3ec3, 0x3ec6,
    0x3ec8, 0x3ecb, 0x3ece, 0x3ed1, 0x3ed3, 0x3ed6, 0x3ed9, 0x3edb, 0x3ede, 0x3ee1, 0x3ee4, 0x3ee7,
    0x3eea, 0x3eed, 0x3ef0, 0x3ef2, 0x3ef6, 0x3ef8, 0x3efc, 0x3efe, 0x3f01, 0x3f02, 0x3f04, 0x3f05,
    0x3f07, 0x3f09, 0x3f0a, 0x3f0c, 0x3f0d, 0x3f0f, 0x3f11, 0x3f12, 0x3f14, 0x3f16, 0x3f17, 0x3f19,
    0x3f1b, 0x3f1c, 0x3f1e, 0x3f20, 0x3f21, 0x3f23, 0x3f25, 0x3f27, 0x3f29, 0x3f2a, 0x3f2c, 0x3f2e,
    0x3f30, 0x3f32, 0x3f33, 0x3f35, 0x3f37, 0x3f39, 0x3f3b, 0x3f3d, 0x3f3f, 0x3f41, 0x3f43, 0x3f45,
    0x3f47, 0x3f49, 0x3f4b, 0x3f4d, 0x3f4f, 0x3f51, 0x3f53, 0x3f55, 0x3f57, 0x3f59, 0x3f5b, 0x3f5d,
    0x3f5f, 0x3f61, 0x3f63, 0x3f65, 0x3f68, 0x3f6a, 0x3f6c, 0x3f6e, 0x3f70, 0x3f72, 0x3f74, 0x3f76,
    0x3f7a, 0x3f7c, 0x3f7e, 0x3f80,
};

CLEM_INLINE float clem_from_srgb(uchar value)
{
    return as_float((uint)clem_srgb[value] << 16);
}

/* Texels of four channels are read at once. */
#define CLEM_CHANNELS(type, convert, convert4)                                                     \
    do {                                                                                           \
        __global const type *from = (__global const type *)at;                                     \
        if (channels == 4)                                                                         \
            return convert4(((__global const type##4 *)at)[0]);                                    \
        value.x = convert(from[0]);                                                                \
        if (channels == 2)                                                                         \
            value.y = convert(from[1]);                                                            \
        return value;                                                                              \
    } while (0)
#define CLEM_SAME(raw)          (raw)
#define CLEM_UNORM8(raw)        (clem_float(raw) / 255.0f)
#define CLEM_PLAIN_UNORM8(raw)  ((raw) / 255.0f)
#define CLEM_PLAIN_UNORM16(raw) ((raw) / 65535.0f)
#define CLEM_UNORM8X4(raw)      (convert_float4(raw) / 255.0f)
#define CLEM_UNORM16(raw)       (clem_float(raw) / 65535.0f)
#define CLEM_UNORM16X4(raw)     (convert_float4(raw) / 65535.0f)
#define CLEM_SNORM8(raw)        fmax((float)(raw) / 127.0f, -1.0f)
#define CLEM_SNORM8X4(raw)      fmax(convert_float4(raw) / 127.0f, -1.0f)
#define CLEM_SNORM16(raw)       fmax((float)(raw) / 32767.0f, -1.0f)
#define CLEM_SNORM16X4(raw)     fmax(convert_float4(raw) / 32767.0f, -1.0f)
#define CLEM_BITS(raw)          as_float((int)(raw))
#define CLEM_BITSX4(raw)        as_float4(convert_int4(raw))

CLEM_INLINE float4 clem_half_texel(__global const uchar *at, uint channels)
{
    __global const half *from = (__global const half *)at;
    float4 value = (float4)(0.0f);
    if (channels == 4)
        return vload_half4(0, from);
    value.x = vload_half(0, from);
    if (channels == 2)
        value.y = vload_half(1, from);
    return value;
}

/* Of two channels the second is not converted. */
CLEM_INLINE float4 clem_srgb_texel(__global const uchar *at, uint channels)
{
    float4 value = (float4)(0.0f);
    value.x = clem_from_srgb(at[0]);
    if (channels == 2)
        value.y = CLEM_UNORM8(at[1]);
    if (channels > 2) {
        value.y = clem_from_srgb(at[1]);
        value.z = clem_from_srgb(at[2]);
        value.w = CLEM_UNORM8(at[3]);
    }
    return value;
}

CLEM_INLINE float4 clem_decode(__global const uchar *at, uint format, uint channels)
{
    float4 value = (float4)(0.0f);
    switch (format) {
    case CLEM_FORMAT_F32:
        CLEM_CHANNELS(float, CLEM_SAME, CLEM_SAME);
    case CLEM_FORMAT_F16:
        return clem_half_texel(at, channels);
    case CLEM_FORMAT_UNORM8:
        CLEM_CHANNELS(uchar, CLEM_UNORM8, CLEM_UNORM8X4);
    case CLEM_FORMAT_UNORM16:
        CLEM_CHANNELS(ushort, CLEM_UNORM16, CLEM_UNORM16X4);
    case CLEM_FORMAT_SNORM8:
        CLEM_CHANNELS(char, CLEM_SNORM8, CLEM_SNORM8X4);
    case CLEM_FORMAT_SNORM16:
        CLEM_CHANNELS(short, CLEM_SNORM16, CLEM_SNORM16X4);
    case CLEM_FORMAT_SRGB8:
        return clem_srgb_texel(at, channels);
    case CLEM_FORMAT_U8:
        CLEM_CHANNELS(uchar, CLEM_BITS, CLEM_BITSX4);
    case CLEM_FORMAT_U16:
        CLEM_CHANNELS(ushort, CLEM_BITS, CLEM_BITSX4);
    case CLEM_FORMAT_S8:
        CLEM_CHANNELS(char, CLEM_BITS, CLEM_BITSX4);
    case CLEM_FORMAT_S16:
        CLEM_CHANNELS(short, CLEM_BITS, CLEM_BITSX4);
    default:
        CLEM_CHANNELS(int, CLEM_BITS, CLEM_BITSX4);
    }
}

CLEM_INLINE float4 clem_texel(const struct clem_texture *facts, const struct clem_level *level,
                              int x, int y, int z)
{
    if ((x | y | z) < 0)
        return (float4)(facts->border[0], facts->border[1], facts->border[2], facts->border[3]);
    __global const uchar *row =
        level->texels + (ulong)z * level->slice_bytes + (ulong)y * level->pitch;
    uint bytes = facts->channels * clem_channel_bytes(facts->format);
    return clem_decode(row + (ulong)x * bytes, facts->format, facts->channels);
}

/* ---- Levels ---- */

CLEM_INLINE struct clem_level clem_level_at(__global const uchar *memory,
                                            const struct clem_texture *facts, int axes, int number)
{
    struct clem_level level;
    level.texels = memory + facts->offset;
    level.slice_bytes = facts->slice_bytes;
    level.pitch = facts->pitch;
    level.width = (int)facts->width;
    level.height = (int)facts->height;
    level.depth = (int)facts->depth;
    if (number > 0) {
        level.width = max(level.width >> number, 1);
        level.height = axes > 1 ? max(level.height >> number, 1) : 1;
        level.depth = axes == 3 ? max(level.depth >> number, 1) : 1;
        uint bytes = facts->channels * clem_channel_bytes(facts->format);
        uint mask = facts->pitch_alignment - 1;
        level.pitch = ((uint)level.width * bytes + mask) & ~mask;
        level.slice_bytes = (ulong)level.pitch * (ulong)level.height;
        level.texels += (ulong)facts->level_start[number] * CLEM_LEVEL_UNIT;
    }
    return level;
}

/* ---- Axes ---- */

/* Index: of a texel, from -2 (two before the first) to twice the size. */
CLEM_INLINE int clem_fold(int index, int size, uint mode)
{
    switch (mode) {
    case CLEM_ADDRESS_WRAP:
        index += index < 0 ? size : 0;
        index -= index >= size ? size : 0;
        break;
    case CLEM_ADDRESS_MIRROR:
        index = index < 0 ? -1 - index : index;
        index = index >= size ? 2 * size - 1 - index : index;
        break;
    case CLEM_ADDRESS_BORDER:
        return index < 0 || index >= size ? -1 : index;
    default:
        break;
    }
    return clamp(index, 0, size - 1);
}

/* The coordinate in texels, within what clem_fold() takes. */
CLEM_INLINE float clem_unfold(uint flags, float coordinate, int size, uint mode)
{
    if (mode == CLEM_ADDRESS_WRAP)
        coordinate = clem_fraction(coordinate);
    else if (mode == CLEM_ADDRESS_MIRROR)
        coordinate = 2.0f * clem_fraction(coordinate * 0.5f);
    float at = flags & CLEM_TEXTURE_NORMALIZED ? coordinate * clem_float((uint)size) : coordinate;
    if (mode == CLEM_ADDRESS_BORDER)
        at = at == at ? at : 0.0f;
    return clem_limit(at, -1.0f, 2.0f * clem_float((uint)size));
}

CLEM_INLINE struct clem_axis clem_axis_at(uint flags, float coordinate, int size, uint mode,
                                          uint is_linear)
{
    struct clem_axis axis;
    float at = clem_unfold(flags, coordinate, size, mode);
    if (is_linear) {
        int steps = clem_floor(at * 256.0f - 127.5f);
        axis.first = clem_fold(steps >> 8, size, mode);
        axis.second = clem_fold((steps >> 8) + 1, size, mode);
        axis.weight = clem_float((uint)steps & 255u) * (1.0f / 256.0f);
    } else {
        axis.first = axis.second = clem_fold(clem_floor(at), size, mode);
        axis.weight = 0.0f;
    }
    return axis;
}

/* ---- One level ---- */

#define CLEM_CUBE 4 /* as a number of axes: two, on a face */

CLEM_INLINE uint clem_filters(const struct clem_texture *facts)
{
    return facts->format < CLEM_FORMAT_U8 ? facts->flags & CLEM_TEXTURE_LINEAR : 0u;
}

/* One loop over the texels, so that there is one copy of what decodes them. A texel of weight 1 is
 * the only one and is handed on as it is: the bits of integers would not survive arithmetic. */
CLEM_INLINE float4 clem_sample_level(__global const uchar *memory, const struct clem_texture *facts,
                                     int axes, struct clem_place place, int number)
{
    struct clem_level level = clem_level_at(memory, facts, axes, number);
    uint is_linear = clem_filters(facts);
    uint across = facts->address[0], down = facts->address[1];
    if (axes == CLEM_CUBE && facts->flags & CLEM_TEXTURE_SEAMLESS)
        across = down = CLEM_ADDRESS_CLAMP;
    struct clem_axis x = clem_axis_at(facts->flags, place.x, level.width, across, is_linear);
    struct clem_axis y = {0, 0, 0.0f}, z = {0, 0, 0.0f};
    if (axes > 1)
        y = clem_axis_at(facts->flags, place.y, level.height, down, is_linear);
    if (axes == 3)
        z = clem_axis_at(facts->flags, place.z, level.depth, facts->address[2], is_linear);
    else
        level.texels += (ulong)(facts->first_layer + place.layer) * level.slice_bytes;
    int corners = x.weight != 0.0f ? 1 : 0;
    corners |= y.weight != 0.0f ? 2 : 0;
    corners |= z.weight != 0.0f ? 4 : 0;
    float4 value = (float4)(0.0f);
    for (int i = 0; i <= corners; ++i) {
        if (i & ~corners)
            continue;
        float4 texel = clem_texel(facts, &level, i & 1 ? x.second : x.first,
                                  i & 2 ? y.second : y.first, i & 4 ? z.second : z.first);
        if (corners == 0)
            return texel;
        float weight = i & 1 ? x.weight : 1.0f - x.weight;
        weight *= i & 2 ? y.weight : 1.0f - y.weight;
        weight *= i & 4 ? z.weight : 1.0f - z.weight;
        value += weight * texel;
    }
    return value;
}

/* ---- Cubes ---- */

/* The face a direction goes through; at: where, from 0 to 1. CUDA's documentation prefers x to y to
 * z where two are equally long, the hardware does the reverse. */
static uint clem_cube_face(float3 direction, float2 *at)
{
    float3 size = fabs(direction);
    float major;
    float2 minor;
    uint face;
    if (size.z >= size.x && size.z >= size.y) {
        face = direction.z >= 0.0f ? 4u : 5u;
        major = size.z;
        minor = (float2)(direction.z >= 0.0f ? direction.x : -direction.x, -direction.y);
    } else if (size.y >= size.x) {
        face = direction.y >= 0.0f ? 2u : 3u;
        major = size.y;
        minor = (float2)(direction.x, direction.y >= 0.0f ? direction.z : -direction.z);
    } else {
        face = direction.x >= 0.0f ? 0u : 1u;
        major = size.x;
        minor = (float2)(direction.x >= 0.0f ? -direction.z : direction.z, -direction.y);
    }
    *at = major > 0.0f ? minor / major * 0.5f + 0.5f : (float2)(0.5f, 0.5f);
    return face;
}

/* A texel of a face or, one step beyond an edge, of the face that touches it there. */
static float4 clem_cube_texel(const struct clem_texture *facts, const struct clem_level *level,
                              uint layer, int x, int y)
{
    int size = level->width;
    if (x < 0 || x >= size || y < 0 || y >= size) {
        float s = (float)(2 * x + 1) / (float)size - 1.0f;
        float t = (float)(2 * y + 1) / (float)size - 1.0f;
        float3 direction;
        switch (layer % 6) {
        case 0:
            direction = (float3)(1.0f, -t, -s);
            break;
        case 1:
            direction = (float3)(-1.0f, -t, s);
            break;
        case 2:
            direction = (float3)(s, 1.0f, t);
            break;
        case 3:
            direction = (float3)(s, -1.0f, -t);
            break;
        case 4:
            direction = (float3)(s, -t, 1.0f);
            break;
        default:
            direction = (float3)(-s, -t, -1.0f);
            break;
        }
        float2 spot;
        layer = layer / 6 * 6 + clem_cube_face(direction, &spot);
        x = clamp((int)(spot.x * (float)size), 0, size - 1);
        y = clamp((int)(spot.y * (float)size), 0, size - 1);
    }
    return clem_texel(facts, level, x, y, (int)(facts->first_layer + layer));
}

/* Linear filtering across edges. Three texels meet at a corner and share the fourth's weight. */
static float4 clem_sample_seamless(__global const uchar *memory, const struct clem_texture *facts,
                                   struct clem_place place, int number)
{
    struct clem_level level = clem_level_at(memory, facts, 2, number);
    int size = level.width;
    int x = clem_floor(place.x * (float)size * 256.0f - 127.5f);
    int y = clem_floor(place.y * (float)size * 256.0f - 127.5f);
    float2 weight = (float2)((float)(x & 255), (float)(y & 255)) * (1.0f / 256.0f);
    float4 sum = (float4)(0.0f);
    float kept = 1.0f;
    for (int i = 0; i < 4; ++i) {
        int tap_x = (x >> 8) + (i & 1), tap_y = (y >> 8) + (i >> 1);
        float part = (i & 1 ? weight.x : 1.0f - weight.x) * (i >> 1 ? weight.y : 1.0f - weight.y);
        if ((tap_x < 0 || tap_x >= size) && (tap_y < 0 || tap_y >= size))
            kept -= part;
        else if (part > 0.0f)
            sum += part * clem_cube_texel(facts, &level, place.layer, tap_x, tap_y);
    }
    if (kept < 1.0f) /* the others' own weights and a third each of the missing one's */
        for (int i = 0; i < 4; ++i) {
            int tap_x = (x >> 8) + (i & 1), tap_y = (y >> 8) + (i >> 1);
            if (!((tap_x < 0 || tap_x >= size) && (tap_y < 0 || tap_y >= size)))
                sum += (1.0f - kept) / 3.0f *
                       clem_cube_texel(facts, &level, place.layer, tap_x, tap_y);
        }
    return sum;
}

/* ---- Any texture ---- */

CLEM_INLINE float4 clem_sample_at(__global const uchar *memory, const struct clem_texture *facts,
                                  int axes, struct clem_place place, int number)
{
    if (axes == CLEM_CUBE && facts->flags & CLEM_TEXTURE_SEAMLESS && clem_filters(facts))
        return clem_sample_seamless(memory, facts, place, number);
    return clem_sample_level(memory, facts, axes, place, number);
}

/* lod: the level wanted, before bias and limits; minus infinity: none, the finest allowed. */
CLEM_INLINE float4 clem_sample(__global const uchar *memory, const struct clem_texture *facts,
                               int axes, struct clem_place place, float lod)
{
    int level;
    float weight = 0.0f;
    float wanted = clem_limit(lod + facts->level_bias, facts->min_level, facts->max_level);
    wanted = clem_limit(wanted, 0.0f, (float)(facts->levels - 1));
    if (facts->flags & CLEM_TEXTURE_LEVELS_LINEAR && facts->format < CLEM_FORMAT_U8) {
        int steps = clem_floor(wanted * 256.0f);
        level = steps >> 8;
        weight = (float)(steps & 255) * (1.0f / 256.0f);
    } else {
        level = clem_floor(wanted + 0.5f);
    }
    float4 value = (float4)(0.0f);
    for (int i = 0; i < 2; ++i) {
        float4 sample = clem_sample_at(memory, facts, axes, place, level + i);
        if (weight == 0.0f)
            return sample;
        value += sample * (i ? weight : 1.0f - weight);
    }
    return value;
}

/* ---- Shortcuts ----
 * The commonest textures of one level in one or two dimensions: what a texel is, is decided once
 * for all four. */

/* The texel of a row; -1, the border, is to be replaced. */
#define CLEM_TAP(row, index) (row)[(size_t)max(index, 0)]

#define CLEM_SHORTCUT(name, type, texel, convert, border)                                          \
    CLEM_INLINE type clem_shortcut_##name(__global const uchar *memory,                            \
                                          const struct clem_texture *facts, int axes, float at_x,  \
                                          float at_y, uint layer)                                  \
    {                                                                                              \
        uint is_linear = facts->flags & CLEM_TEXTURE_LINEAR;                                       \
        struct clem_axis x =                                                                       \
            clem_axis_at(facts->flags, at_x, (int)facts->width, facts->address[0], is_linear);     \
        struct clem_axis y = {0, 0, 0.0f};                                                         \
        if (axes > 1)                                                                              \
            y = clem_axis_at(facts->flags, at_y, (int)facts->height, facts->address[1],            \
                             is_linear);                                                           \
        size_t pitch = facts->pitch / sizeof(texel);                                               \
        __global const texel *texels =                                                             \
            (__global const texel *)(memory + facts->offset +                                      \
                                     (ulong)(facts->first_layer + layer) * facts->slice_bytes);    \
        __global const texel *upper = texels + (size_t)max(y.first, 0) * pitch;                    \
        type value = convert(CLEM_TAP(upper, x.first));                                            \
        value = (x.first | y.first) < 0 ? border : value;                                          \
        if (is_linear) {                                                                           \
            __global const texel *lower = texels + (size_t)max(y.second, 0) * pitch;               \
            type right = convert(CLEM_TAP(upper, x.second));                                       \
            right = (x.second | y.first) < 0 ? border : right;                                     \
            value = value * (1.0f - x.weight) + right * x.weight;                                  \
            if (axes > 1) {                                                                        \
                type below = convert(CLEM_TAP(lower, x.first));                                    \
                below = (x.first | y.second) < 0 ? border : below;                                 \
                right = convert(CLEM_TAP(lower, x.second));                                        \
                right = (x.second | y.second) < 0 ? border : right;                                \
                below = below * (1.0f - x.weight) + right * x.weight;                              \
                value = value * (1.0f - y.weight) + below * y.weight;                              \
            }                                                                                      \
        }                                                                                          \
        return value;                                                                              \
    }
#define CLEM_BORDER1 (facts->border[0])
#define CLEM_BORDER4                                                                               \
    ((float4)(facts->border[0], facts->border[1], facts->border[2], facts->border[3]))
CLEM_SHORTCUT(f32, float, float, CLEM_SAME, CLEM_BORDER1)
CLEM_SHORTCUT(f32x4, float4, float4, CLEM_SAME, CLEM_BORDER4)
CLEM_SHORTCUT(unorm8, float, uchar, CLEM_UNORM8, CLEM_BORDER1)
CLEM_SHORTCUT(unorm8x4, float4, uchar4, CLEM_UNORM8X4, CLEM_BORDER4)

/* ---- Plain textures ----
 * One level, one or two dimensions, clamped or wrapped, of a common format. */

struct clem_plain_axis {
    size_t first, second;
    float weight;
};

CLEM_INLINE float clem_plain_place(float coordinate, int size, uint plain, uint wraps)
{
    float kept = plain & wraps ? clem_fraction(coordinate) : coordinate;
    return plain & CLEM_PLAIN_NORMALIZED ? kept * (float)size : kept;
}

CLEM_INLINE size_t clem_plain_index(float coordinate, int size, uint plain, uint wraps)
{
    float at = clem_plain_place(coordinate, size, plain, wraps);
    return (size_t)(int)clem_limit(at, 0.0f, (float)(size - 1));
}

/* Steps of 1/256 texel from the centre of texel 0: within the texture, or half a texel around it.
 * Wraps: a constant. */
CLEM_INLINE struct clem_plain_axis clem_plain_axis(float coordinate, int size, uint plain,
                                                   uint wraps)
{
    struct clem_plain_axis axis;
    float at = clem_plain_place(coordinate, size, plain, wraps) * 256.0f - 127.5f;
    int steps, around = size * 256;
    if (wraps) {
        steps = clem_floor(at);
        steps += steps < 0 ? around : 0;
    } else {
        steps = (int)clem_limit(at, 0.0f, (float)(around - 256));
    }
    axis.first = (size_t)(steps >> 8);
    axis.second = wraps ? axis.first + 1 : min(axis.first + 1, (size_t)size - 1);
    if (wraps && axis.second == (size_t)size)
        axis.second = 0;
    axis.weight = (float)(steps & 255) * (1.0f / 256.0f);
    return axis;
}

#define CLEM_PLAIN_TEXELS(texel) ((__global const texel *)(memory + facts->offset))
#define CLEM_PLAIN_WIDTH         (int)(facts->plain_size & 0x7fffffffu)
#define CLEM_PLAIN_HEIGHT        (int)(facts->plain_size >> 32)
#define CLEM_PLAIN_COLUMN                                                                          \
    clem_plain_index(x, CLEM_PLAIN_WIDTH, (uint)facts->plain, CLEM_PLAIN_WRAPS_X)
#define CLEM_PLAIN_ROW                                                                             \
    clem_plain_index(y, CLEM_PLAIN_HEIGHT, (uint)facts->plain, CLEM_PLAIN_WRAPS_Y)
#define CLEM_PLAIN_ACROSS                                                                          \
    clem_plain_axis(x, CLEM_PLAIN_WIDTH, (uint)facts->plain, wraps &CLEM_PLAIN_WRAPS_X)
#define CLEM_PLAIN_DOWN                                                                            \
    clem_plain_axis(y, CLEM_PLAIN_HEIGHT, (uint)facts->plain, wraps &CLEM_PLAIN_WRAPS_Y)

#define CLEM_DEFINE_PLAIN_TEXEL(name, type, texel, convert)                                        \
    CLEM_INLINE type clem_plain_texel_1d_##name(__global const uchar *memory,                      \
                                                const struct clem_texture *facts, float x)         \
    {                                                                                              \
        return convert(CLEM_PLAIN_TEXELS(texel)[CLEM_PLAIN_COLUMN]);                               \
    }                                                                                              \
    CLEM_INLINE type clem_plain_texel_2d_##name(                                                   \
        __global const uchar *memory, const struct clem_texture *facts, float x, float y)          \
    {                                                                                              \
        size_t pitch = facts->plain_pitch / sizeof(texel);                                         \
        return convert(CLEM_PLAIN_TEXELS(texel)[CLEM_PLAIN_ROW * pitch + CLEM_PLAIN_COLUMN]);      \
    }
#define CLEM_DEFINE_PLAIN_LINEAR(name, type, texel, convert, scale)                                \
    CLEM_INLINE type clem_plain_linear_1d_##name(                                                  \
        __global const uchar *memory, const struct clem_texture *facts, float x, uint wraps)       \
    {                                                                                              \
        __global const texel *texels = CLEM_PLAIN_TEXELS(texel);                                   \
        struct clem_plain_axis across = CLEM_PLAIN_ACROSS;                                         \
        return scale(convert(texels[across.first]) * (1.0f - across.weight) +                      \
                     convert(texels[across.second]) * across.weight);                              \
    }                                                                                              \
    CLEM_INLINE type clem_plain_linear_2d_##name(__global const uchar *memory,                     \
                                                 const struct clem_texture *facts, float x,        \
                                                 float y, uint wraps)                              \
    {                                                                                              \
        size_t pitch = facts->plain_pitch / sizeof(texel);                                         \
        struct clem_plain_axis across = CLEM_PLAIN_ACROSS;                                         \
        struct clem_plain_axis down = CLEM_PLAIN_DOWN;                                             \
        __global const texel *upper = CLEM_PLAIN_TEXELS(texel) + down.first * pitch;               \
        __global const texel *lower = CLEM_PLAIN_TEXELS(texel) + down.second * pitch;              \
        type above = convert(upper[across.first]) * (1.0f - across.weight) +                       \
                     convert(upper[across.second]) * across.weight;                                \
        type under = convert(lower[across.first]) * (1.0f - across.weight) +                       \
                     convert(lower[across.second]) * across.weight;                                \
        return scale(above * (1.0f - down.weight) + under * down.weight);                          \
    }

CLEM_DEFINE_PLAIN_TEXEL(float, float, float, CLEM_SAME)
CLEM_DEFINE_PLAIN_LINEAR(float, float, float, CLEM_SAME, CLEM_SAME)
CLEM_DEFINE_PLAIN_TEXEL(float4, float4, float4, CLEM_SAME)
CLEM_DEFINE_PLAIN_LINEAR(float4, float4, float4, CLEM_SAME, CLEM_SAME)
CLEM_DEFINE_PLAIN_TEXEL(unorm8_1, float, uchar, CLEM_PLAIN_UNORM8)
CLEM_DEFINE_PLAIN_LINEAR(unorm8_1, float, uchar, convert_float, CLEM_PLAIN_UNORM8)
CLEM_DEFINE_PLAIN_TEXEL(unorm8_4, float4, uchar4, CLEM_UNORM8X4)
CLEM_DEFINE_PLAIN_LINEAR(unorm8_4, float4, uchar4, convert_float4, CLEM_PLAIN_UNORM8)
CLEM_DEFINE_PLAIN_TEXEL(unorm16_4, float4, ushort4, CLEM_UNORM16X4)
CLEM_DEFINE_PLAIN_LINEAR(unorm16_4, float4, ushort4, convert_float4, CLEM_PLAIN_UNORM16)

#define CLEM_PLAIN_WRAPS (CLEM_PLAIN_WRAPS_X | CLEM_PLAIN_WRAPS_Y)

/* Linear, of one layer and two dimensions, wrapped in both. */
CLEM_INLINE uint clem_wraps_plainly(const struct clem_texture *facts, int axes)
{
    uint wanted = CLEM_PLAIN_WRAPS | CLEM_PLAIN_LINEAR;
    return axes == 2 && facts->layers == 1 && ((uint)facts->plain & wanted) == wanted;
}

static __attribute__((noinline)) float4 clem_sample_wrapped(__global const uchar *memory,
                                                            const struct clem_texture *facts,
                                                            float x, float y)
{
    switch (facts->shortcut) {
    case CLEM_SHORTCUT_F32:
        return (float4)(clem_plain_linear_2d_float(memory, facts, x, y, CLEM_PLAIN_WRAPS), 0.0f,
                        0.0f, 0.0f);
    case CLEM_SHORTCUT_F32X4:
        return clem_plain_linear_2d_float4(memory, facts, x, y, CLEM_PLAIN_WRAPS);
    case CLEM_SHORTCUT_UNORM8:
        return (float4)(clem_plain_linear_2d_unorm8_1(memory, facts, x, y, CLEM_PLAIN_WRAPS), 0.0f,
                        0.0f, 0.0f);
    default:
        return clem_plain_linear_2d_unorm8_4(memory, facts, x, y, CLEM_PLAIN_WRAPS);
    }
}

static __attribute__((noinline)) float4 clem_sample_short(__global const uchar *memory,
                                                          const struct clem_texture *facts,
                                                          int axes, float x, float y, uint layer)
{
    switch (facts->shortcut) {
    case CLEM_SHORTCUT_F32:
        return (float4)(clem_shortcut_f32(memory, facts, axes, x, y, layer), 0.0f, 0.0f, 0.0f);
    case CLEM_SHORTCUT_F32X4:
        return clem_shortcut_f32x4(memory, facts, axes, x, y, layer);
    case CLEM_SHORTCUT_UNORM8:
        return (float4)(clem_shortcut_unorm8(memory, facts, axes, x, y, layer), 0.0f, 0.0f, 0.0f);
    default:
        return clem_shortcut_unorm8x4(memory, facts, axes, x, y, layer);
    }
}

CLEM_INLINE struct clem_place clem_at(float x, float y, float z, uint layer)
{
    struct clem_place place;
    place.x = x;
    place.y = y;
    place.z = z;
    place.layer = layer;
    return place;
}

/* Functions for each number of axes, and calls of them: a kernel has many fetches. Coordinates are
 * passed one by one, because compilers for CPUs work on two in one register with great effort. */
#define CLEM_DEFINE_SAMPLE(axes)                                                                   \
    static __attribute__((noinline))                                                               \
    float4 clem_sample_flat_##axes(__global const uchar *memory, const struct clem_texture *facts, \
                                   float x, float y, float z, uint layer)                          \
    {                                                                                              \
        return clem_sample_at(memory, facts, axes, clem_at(x, y, z, layer), 0);                    \
    }                                                                                              \
    static __attribute__((noinline)) float4 clem_sample_levels_##axes(                             \
        __global const uchar *memory, const struct clem_texture *facts, float x, float y, float z, \
        uint layer, float lod)                                                                     \
    {                                                                                              \
        return clem_sample(memory, facts, axes, clem_at(x, y, z, layer), lod);                     \
    }
CLEM_DEFINE_SAMPLE(1)
CLEM_DEFINE_SAMPLE(2)
CLEM_DEFINE_SAMPLE(3)
CLEM_DEFINE_SAMPLE(4)

#define CLEM_DEFINE_DISPATCH(axes, flat)                                                           \
    CLEM_INLINE float4 clem_sample_##axes(__global const uchar *memory,                            \
                                          const struct clem_texture *facts, struct clem_place at,  \
                                          float lod)                                               \
    {                                                                                              \
        if (facts->levels > 1)                                                                     \
            return clem_sample_levels_##axes(memory, facts, at.x, at.y, at.z, at.layer, lod);      \
        return flat;                                                                               \
    }
#define CLEM_FLAT(axes) clem_sample_flat_##axes(memory, facts, at.x, at.y, at.z, at.layer)
#define CLEM_FLAT_OR_SHORT(axes)                                                                   \
    (facts->shortcut && clem_wraps_plainly(facts, axes)                                            \
         ? clem_sample_wrapped(memory, facts, at.x, at.y)                                          \
     : facts->shortcut ? clem_sample_short(memory, facts, axes, at.x, at.y, at.layer)              \
                       : CLEM_FLAT(axes))
CLEM_DEFINE_DISPATCH(1, CLEM_FLAT_OR_SHORT(1))
CLEM_DEFINE_DISPATCH(2, CLEM_FLAT_OR_SHORT(2))
CLEM_DEFINE_DISPATCH(3, CLEM_FLAT(3))
CLEM_DEFINE_DISPATCH(4, CLEM_FLAT(4))

/* The level at which the longer step on the screen is one texel long. */
static float clem_gradient_lod(const struct clem_texture *facts, float4 dx, float4 dy)
{
    if (facts->flags & CLEM_TEXTURE_NORMALIZED) {
        float4 size = convert_float4((uint4)(facts->width, facts->height, facts->depth, 0));
        dx *= size;
        dy *= size;
    }
    return 0.5f * log2(fmax(dot(dx, dx), dot(dy, dy)));
}

/* How the place on a face that a direction goes through moves while the direction moves. */
static float4 clem_face_step(float3 direction, float4 step)
{
    float2 spot;
    uint face = clem_cube_face(direction, &spot);
    float3 size = fabs(direction);
    float major = fmax(fmax(size.x, size.y), size.z);
    float sign = face % 2 ? -1.0f : 1.0f;
    float out, s, t;
    if (face >= 4u) {
        out = sign * step.z;
        s = sign * step.x;
        t = -step.y;
    } else if (face >= 2u) {
        out = sign * step.y;
        s = step.x;
        t = sign * step.z;
    } else {
        out = sign * step.x;
        s = -sign * step.z;
        t = -step.y;
    }
    if (!(major > 0.0f))
        return (float4)(0.0f, 0.0f, 0.0f, 0.0f);
    s = 0.5f * (s - (2.0f * spot.x - 1.0f) * out) / major;
    t = 0.5f * (t - (2.0f * spot.y - 1.0f) * out) / major;
    return (float4)(s, t, 0.0f, 0.0f);
}

static float clem_cube_lod(const struct clem_texture *facts, float3 direction, float4 dx, float4 dy)
{
    return clem_gradient_lod(facts, clem_face_step(direction, dx), clem_face_step(direction, dy));
}

/* Layers have no sign: those before the first are behind the last. */
CLEM_INLINE uint clem_layer(int layer, uint layers)
{
    return min((uint)layer, layers - 1);
}

/* A cube is sampled on a face. */
static struct clem_place clem_at_face(uint layers, float x, float y, float z, int cube)
{
    float2 spot;
    uint face = clem_cube_face((float3)(x, y, z), &spot);
    return clem_at(spot.x, spot.y, 0.0f, clem_layer(cube, max(layers / 6, 1u)) * 6 + face);
}

/* One component of the four texels that linear filtering would take: lower left, lower right, upper
 * right, upper left. */
static __attribute__((noinline)) float4 clem_gather(__global const uchar *memory,
                                                    const struct clem_texture *facts, float at_x,
                                                    float at_y, int component)
{
    struct clem_level level = clem_level_at(memory, facts, 2, 0);
    struct clem_axis x = clem_axis_at(facts->flags, at_x, level.width, facts->address[0], 1);
    struct clem_axis y = clem_axis_at(facts->flags, at_y, level.height, facts->address[1], 1);
    float4 texels[4];
    level.texels += (ulong)facts->first_layer * level.slice_bytes;
    texels[0] = clem_texel(facts, &level, x.first, y.second, 0);
    texels[1] = clem_texel(facts, &level, x.second, y.second, 0);
    texels[2] = clem_texel(facts, &level, x.second, y.first, 0);
    texels[3] = clem_texel(facts, &level, x.first, y.first, 0);
    switch (component) {
    case 1:
        return (float4)(texels[0].y, texels[1].y, texels[2].y, texels[3].y);
    case 2:
        return (float4)(texels[0].z, texels[1].z, texels[2].z, texels[3].z);
    case 3:
        return (float4)(texels[0].w, texels[1].w, texels[2].w, texels[3].w);
    default:
        return (float4)(texels[0].x, texels[1].x, texels[2].x, texels[3].x);
    }
}

/* Linear memory. Needs: such a texel. */
CLEM_INLINE float4 clem_fetch_inside(__global const uchar *memory, const struct clem_texture *facts,
                                     uint index)
{
    __global const uchar *texels = memory + facts->offset;
    if (facts->shortcut == CLEM_SHORTCUT_F32)
        return (float4)(((__global const float *)texels)[index], 0.0f, 0.0f, 0.0f);
    if (facts->shortcut == CLEM_SHORTCUT_F32X4)
        return ((__global const float4 *)texels)[index];
    uint bytes = facts->channels * clem_channel_bytes(facts->format);
    return clem_decode(texels + (ulong)index * bytes, facts->format, facts->channels);
}

/* 0 outside. */
CLEM_INLINE float4 clem_fetch(__global const uchar *memory, const struct clem_texture *facts,
                              int index)
{
    if ((uint)index >= facts->width)
        return (float4)(0.0f);
    return clem_fetch_inside(memory, facts, (uint)index);
}

/* ---- Shortcuts of plain textures ----
 * One level, one or two dimensions, clamped or wrapped, of the formats that the type of the fetch
 * is commonly read from. Small enough that compilers take the test whether they apply out of the
 * loop over work-items, and make vector code of what is left where the type has one channel. */

#define CLEM_WIDE1(value) (float4)((value), 0.0f, 0.0f, 0.0f)
#define CLEM_WIDE4(value) (value)
#define CLEM_PLAIN_BITS1  (CLEM_PLAIN_X | CLEM_PLAIN_LINEAR | 0xfffu)
#define CLEM_PLAIN_BITS2  (CLEM_PLAIN_Y | CLEM_PLAIN_BITS1)
#define CLEM_PLAIN_AXES1  CLEM_PLAIN_X
#define CLEM_PLAIN_AXES2  (CLEM_PLAIN_X | CLEM_PLAIN_Y)
#define CLEM_UNWRAPPED1   CLEM_PLAIN_WRAPS_X
#define CLEM_UNWRAPPED2   CLEM_PLAIN_WRAPS
#define CLEM_IF_PLAIN(axes, format, channels, filter)                                              \
    if (((uint)facts->plain &                                                                      \
         (CLEM_PLAIN_BITS##axes | ((filter) != 0u ? CLEM_UNWRAPPED##axes : 0u))) ==                \
        (CLEM_PLAIN(format, channels##u) | filter | CLEM_PLAIN_AXES##axes))

/* Any texture. A call, and one for all that is left: with more tests in it, the loop over work-items
 * is not taken apart any more, and floats took three times as long on PoCL. */
static __attribute__((noinline)) float4
clem_sample_1d_any(__global const uchar *memory, const struct clem_texture *facts, float x)
{
    return clem_sample_1(memory, facts, clem_at(x, 0.0f, 0.0f, 0), -INFINITY);
}
static __attribute__((noinline)) float4
clem_sample_2d_any(__global const uchar *memory, const struct clem_texture *facts, float x, float y)
{
    return clem_sample_2(memory, facts, clem_at(x, y, 0.0f, 0), -INFINITY);
}

/* What tex1D() and tex2D() of a type do. Floats: of two formats, float4s of a third; of one channel
 * that would be too many tests for PoCL. */
#define CLEM_IF_UNORM16_1
#define CLEM_IF_UNORM16_4                                                                          \
    CLEM_IF_PLAIN(2, CLEM_FORMAT_UNORM16, 4, CLEM_PLAIN_LINEAR)                                    \
    return clem_plain_linear_2d_unorm16_4(memory, facts, x, y, 0u);                                \
    CLEM_IF_PLAIN(2, CLEM_FORMAT_UNORM16, 4, 0u)                                                   \
    return clem_plain_texel_2d_unorm16_4(memory, facts, x, y)
#define CLEM_DEFINE_FLOAT_FETCH(T, N)                                                              \
    CLEM_INLINE float4 clem_sample_1d_##T(__global const uchar *memory,                            \
                                          const struct clem_texture *facts, float x)               \
    {                                                                                              \
        CLEM_IF_PLAIN(1, CLEM_FORMAT_F32, N, CLEM_PLAIN_LINEAR)                                    \
        return CLEM_WIDE##N(clem_plain_linear_1d_##T(memory, facts, x, 0u));                       \
        CLEM_IF_PLAIN(1, CLEM_FORMAT_F32, N, 0u)                                                   \
        return CLEM_WIDE##N(clem_plain_texel_1d_##T(memory, facts, x));                            \
        return clem_sample_1d_any(memory, facts, x);                                               \
    }                                                                                              \
    CLEM_INLINE float4 clem_sample_2d_##T(__global const uchar *memory,                            \
                                          const struct clem_texture *facts, float x, float y)      \
    {                                                                                              \
        CLEM_IF_PLAIN(2, CLEM_FORMAT_F32, N, CLEM_PLAIN_LINEAR)                                    \
        return CLEM_WIDE##N(clem_plain_linear_2d_##T(memory, facts, x, y, 0u));                    \
        CLEM_IF_PLAIN(2, CLEM_FORMAT_F32, N, 0u)                                                   \
        return CLEM_WIDE##N(clem_plain_texel_2d_##T(memory, facts, x, y));                         \
        CLEM_IF_PLAIN(2, CLEM_FORMAT_UNORM8, N, CLEM_PLAIN_LINEAR)                                 \
        return CLEM_WIDE##N(clem_plain_linear_2d_unorm8_##N(memory, facts, x, y, 0u));             \
        CLEM_IF_PLAIN(2, CLEM_FORMAT_UNORM8, N, 0u)                                                \
        return CLEM_WIDE##N(clem_plain_texel_2d_unorm8_##N(memory, facts, x, y));                  \
        CLEM_IF_UNORM16_##N;                                                                       \
        return clem_sample_2d_any(memory, facts, x, y);                                            \
    }
#define CLEM_DEFINE_BITS_FETCH(T, N, format, convert)                                              \
    CLEM_DEFINE_PLAIN_TEXEL(T, float##N, T, convert)                                               \
    CLEM_INLINE float4 clem_sample_1d_##T(__global const uchar *memory,                            \
                                          const struct clem_texture *facts, float x)               \
    {                                                                                              \
        CLEM_IF_PLAIN(1, format, N, 0u)                                                            \
        return CLEM_WIDE##N(clem_plain_texel_1d_##T(memory, facts, x));                            \
        return clem_sample_1d_any(memory, facts, x);                                               \
    }                                                                                              \
    CLEM_INLINE float4 clem_sample_2d_##T(__global const uchar *memory,                            \
                                          const struct clem_texture *facts, float x, float y)      \
    {                                                                                              \
        CLEM_IF_PLAIN(2, format, N, 0u)                                                            \
        return CLEM_WIDE##N(clem_plain_texel_2d_##T(memory, facts, x, y));                         \
        return clem_sample_2d_any(memory, facts, x, y);                                            \
    }
#define float1 float
CLEM_DEFINE_FLOAT_FETCH(float, 1)
CLEM_DEFINE_FLOAT_FETCH(float4, 4)
CLEM_DEFINE_BITS_FETCH(uchar, 1, CLEM_FORMAT_U8, CLEM_BITS)
CLEM_DEFINE_BITS_FETCH(uchar4, 4, CLEM_FORMAT_U8, CLEM_BITSX4)
CLEM_DEFINE_BITS_FETCH(ushort, 1, CLEM_FORMAT_U16, CLEM_BITS)
CLEM_DEFINE_BITS_FETCH(ushort4, 4, CLEM_FORMAT_U16, CLEM_BITSX4)
CLEM_DEFINE_BITS_FETCH(uint, 1, CLEM_FORMAT_U32, CLEM_BITS)
CLEM_DEFINE_BITS_FETCH(uint4, 4, CLEM_FORMAT_U32, CLEM_BITSX4)
CLEM_DEFINE_BITS_FETCH(char, 1, CLEM_FORMAT_S8, CLEM_BITS)
CLEM_DEFINE_BITS_FETCH(char4, 4, CLEM_FORMAT_S8, CLEM_BITSX4)
CLEM_DEFINE_BITS_FETCH(short, 1, CLEM_FORMAT_S16, CLEM_BITS)
CLEM_DEFINE_BITS_FETCH(short4, 4, CLEM_FORMAT_S16, CLEM_BITSX4)
CLEM_DEFINE_BITS_FETCH(int, 1, CLEM_FORMAT_S32, CLEM_BITS)
CLEM_DEFINE_BITS_FETCH(int4, 4, CLEM_FORMAT_S32, CLEM_BITSX4)
#undef float1

/* Two channels have no shortcuts. */
#define clem_sample_1d_float2  clem_sample_1d_any
#define clem_sample_2d_float2  clem_sample_2d_any
#define clem_sample_1d_int2    clem_sample_1d_any
#define clem_sample_2d_int2    clem_sample_2d_any
#define clem_sample_1d_short2  clem_sample_1d_any
#define clem_sample_2d_short2  clem_sample_2d_any
#define clem_sample_1d_char2   clem_sample_1d_any
#define clem_sample_2d_char2   clem_sample_2d_any
#define clem_sample_1d_uint2   clem_sample_1d_any
#define clem_sample_2d_uint2   clem_sample_2d_any
#define clem_sample_1d_ushort2 clem_sample_1d_any
#define clem_sample_2d_ushort2 clem_sample_2d_any
#define clem_sample_1d_uchar2  clem_sample_1d_any
#define clem_sample_2d_uchar2  clem_sample_2d_any

#endif
