/* Reads every texel of a texture once, in several orders, and the same over a plain buffer; surfaces.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       2^lx by 2^ly texels of CHANNELS channels of BITS bits, read at their centres, so that
 *              filters change nothing. 32 bits are floats; 8 and 16 become floats from 0 to 1, and go
 *              back. texture_X: a texture. buffer_X, plain_X: source[y * 2^lx + x], through const and
 *              restrict pointers and through others.
 * Index space: one item per texel, in rows of get_global_size(0): target[i] = what item number i reads.
 *              _row: item (x, y) reads texel (x, y), whatever the groups' shape. _column: item (y, x)
 *              does. _shifted: texel (x + 1, y), round the edge. _morton: the texel whose Morton code
 *              is i. _random: texel number scramble(i), which takes every number once.
 *              texture_fetch: texel i of linear memory.
 *              surface_read: target[i] = element (x, y). surface_write: element (x, y) = source[i].
 * Moves:       one texel in and out per item.
 * Rows:        S0-18, S2-05, S2-06, S2-08, S2-10, S2-11, S2-12, S2-13, S3-04.
 *
 * With IMAGES defined, textures and surfaces are OpenCL's own images.
 */
#include "access.h"

#ifndef BITS
#define BITS 32
#endif
#ifndef CHANNELS
#define CHANNELS 1
#endif

/* ---- Types: TEXEL is what a fetch gives, STORED what lies in memory ---- */

#ifdef __CUDACC__
#define VECTOR(T, n) ::T##n
#define BYTE         unsigned char
#define SHORT        unsigned short
#else
#define VECTOR(T, n) T##n
#define BYTE         uchar
#define SHORT        ushort
#endif
#if CHANNELS == 1
#define TEXEL         float
#define OF(T, scalar) scalar
#elif CHANNELS == 2
#define TEXEL         VECTOR(float, 2)
#define OF(T, scalar) VECTOR(T, 2)
#else
#define TEXEL         VECTOR(float, 4)
#define OF(T, scalar) VECTOR(T, 4)
#endif
#if BITS == 8
#define STORED OF(uchar, BYTE)
#define SCALE  255.0f
#elif BITS == 16
#define STORED OF(ushort, SHORT)
#define SCALE  65535.0f
#else
#define STORED TEXEL
#define SCALE  1.0f
#endif

#if BITS == 32
#define PUT(texel)   (texel)
#define TAKE(stored) (stored)
#elif !defined(__CUDACC__)
#define PUT(texel)   JOIN(convert_, STORED)((texel) * SCALE + 0.5f)
#define TAKE(stored) (JOIN(convert_, TEXEL)(stored) * (1.0f / SCALE))
#elif CHANNELS == 1
#define PUT(texel)   ((STORED)((texel) * SCALE + 0.5f))
#define TAKE(stored) ((float)(stored) * (1.0f / SCALE))
#else
#define PUT(texel)   VARIANT(put)(texel)
#define TAKE(stored) VARIANT(take)(stored)
#define EACH(to, from, step)                                                                       \
    to.x = step(from.x), to.y = step(from.y);                                                      \
    EACH_MORE(to, from, step)
#if CHANNELS == 4
#define EACH_MORE(to, from, step) to.z = step(from.z), to.w = step(from.w);
#else
#define EACH_MORE(to, from, step)
#endif
#define PUT_ONE(channel)  (channel) * SCALE + 0.5f
#define TAKE_ONE(channel) (float)(channel) * (1.0f / SCALE)
FUNCTION STORED VARIANT(put)(TEXEL texel)
{
    STORED stored;
    EACH(stored, texel, PUT_ONE)
    return stored;
}
FUNCTION TEXEL VARIANT(take)(STORED stored)
{
    TEXEL texel;
    EACH(texel, stored, TAKE_ONE)
    return texel;
}
#endif

/* ---- Textures and surfaces by their names ---- */

#ifdef __CUDACC__
#define TEXTURE(name)            cudaTextureObject_t name
#define TEXTURE_OF_MEMORY(name)  cudaTextureObject_t name
#define SURFACE_TO_READ(name)    cudaSurfaceObject_t name
#define SURFACE_TO_WRITE(name)   cudaSurfaceObject_t name
#define AT(name, x, y)           tex2D<TEXEL>(name, x, y)
#define FETCH(name, i)           tex1Dfetch<TEXEL>(name, i)
#define LOAD(name, x, y)         surf2Dread<STORED>(name, (x) * (int)sizeof(STORED), y)
#define STORE(value, name, x, y) surf2Dwrite(value, name, (x) * (int)sizeof(STORED), y)
#elif defined(IMAGES)
#if CHANNELS == 1
#define OF_PIXEL(value) (value).x
#define PIXEL(texel)    (float4)(texel, 0.0f, 0.0f, 1.0f)
#elif CHANNELS == 2
#define OF_PIXEL(value) (value).xy
#define PIXEL(texel)    (float4)(texel, 0.0f, 1.0f)
#else
#define OF_PIXEL(value) (value)
#define PIXEL(texel)    (texel)
#endif
#define TEXTURE(name)            __read_only image2d_t name, sampler_t name##_sampler
#define TEXTURE_OF_MEMORY(name)  __global const STORED *restrict name
#define SURFACE_TO_READ(name)    __read_only image2d_t name
#define SURFACE_TO_WRITE(name)   __write_only image2d_t name
#define AT(name, x, y)           OF_PIXEL(read_imagef(name, name##_sampler, (float2)(x, y)))
#define FETCH(name, i)           TAKE(name[i])
#define LOAD(name, x, y)         PUT(OF_PIXEL(read_imagef(name, texel_sampler, (int2)(x, y))))
#define STORE(value, name, x, y) write_imagef(name, (int2)(x, y), PIXEL(TAKE(value)))
__constant sampler_t texel_sampler =
    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
#else
#include <clem_device.h>
#define TEXTURE(name)            CLEM_TEXTURE2D(name)
#define TEXTURE_OF_MEMORY(name)  CLEM_TEXTURE1D_BUFFER(name)
#define SURFACE_TO_READ(name)    CLEM_SURFACE(name)
#define SURFACE_TO_WRITE(name)   CLEM_SURFACE(name)
#define AT(name, x, y)           tex2D(TEXEL, name, x, y)
#define FETCH(name, i)           tex1Dfetch(TEXEL, name, i)
#define LOAD(name, x, y)         surf2Dread(STORED, name, (x) * (int)sizeof(STORED), y)
#define STORE(value, name, x, y) surf2Dwrite(STORED, value, name, (x) * (int)sizeof(STORED), y)
#endif

/* ---- Walks ----
 * The texel that an item reads, x and y, from its place in the grid. */

/* The even bits of a number. */
FUNCTION uint VARIANT(even_bits)(uint code)
{
    code &= 0x55555555u;
    code = (code | code >> 1) & 0x33333333u;
    code = (code | code >> 2) & 0x0f0f0f0fu;
    code = (code | code >> 4) & 0x00ff00ffu;
    return (code | code >> 8) & 0xffffu;
}

/* A permutation of the numbers of `bits` bits: odd factors and shifts to the right lose nothing. */
FUNCTION uint VARIANT(scramble)(uint number, uint bits)
{
    uint mask = (uint)(((ulong)1 << bits) - 1), shift = (bits + 1) / 2;
    number = number * 0x9e3779b1u & mask;
    number ^= number >> shift;
    number = number * 0x85ebca6bu & mask;
    return number ^ number >> shift;
}

#define GRID                                                                                       \
    size_t across = get_global_id(0), down = get_global_id(1);                                     \
    size_t i = down * get_global_size(0) + across
#define WALK_row     GRID; size_t x = across, y = down
#define WALK_column  GRID; size_t x = down, y = across
#define WALK_shifted GRID; size_t x = (across + 1) & (((size_t)1 << lx) - 1), y = down
#define WALK_morton                                                                                \
    GRID; size_t x = VARIANT(even_bits)((uint)i), y = VARIANT(even_bits)((uint)(i >> 1))
#define WALK_random                                                                                \
    GRID; size_t number = VARIANT(scramble)((uint)i, lx + ly);                                     \
    size_t x = number & (((size_t)1 << lx) - 1), y = number >> lx

/* Coordinates are made of ints: of size_t it takes some GPUs several steps. */
#define DEFINE_WALK(name)                                                                          \
    __kernel void VARIANT(texture_##name)(TEXTURE(tex), __global STORED *restrict target, uint lx, \
                                          uint ly)                                                 \
    {                                                                                              \
        WALK_##name;                                                                               \
        (void)lx, (void)ly;                                                                        \
        TEXEL texel = AT(tex, (float)(int)x + 0.5f, (float)(int)y + 0.5f);                         \
        target[i] = PUT(texel);                                                                    \
    }                                                                                              \
    __kernel void VARIANT(buffer_##name)(__global const STORED *restrict source,                   \
                                         __global STORED *restrict target, uint lx, uint ly)       \
    {                                                                                              \
        WALK_##name;                                                                               \
        (void)ly;                                                                                  \
        TEXEL texel = TAKE(source[(y << lx) + x]);                                                 \
        target[i] = PUT(texel);                                                                    \
    }                                                                                              \
    __kernel void VARIANT(plain_##name)(__global STORED *source, __global STORED *target, uint lx, \
                                        uint ly)                                                   \
    {                                                                                              \
        WALK_##name;                                                                               \
        (void)ly;                                                                                  \
        TEXEL texel = TAKE(source[(y << lx) + x]);                                                 \
        target[i] = PUT(texel);                                                                    \
    }
DEFINE_WALK(row)
DEFINE_WALK(column)
DEFINE_WALK(shifted)
DEFINE_WALK(morton)
DEFINE_WALK(random)

__kernel void VARIANT(texture_fetch)(TEXTURE_OF_MEMORY(tex), __global STORED *restrict target)
{
    GRID;
    TEXEL texel = FETCH(tex, (int)i);
    target[i] = PUT(texel);
}

__kernel void VARIANT(surface_read)(SURFACE_TO_READ(surface), __global STORED *restrict target)
{
    GRID;
    target[i] = LOAD(surface, (int)across, (int)down);
}

__kernel void VARIANT(surface_write)(SURFACE_TO_WRITE(surface),
                                     __global const STORED *restrict source)
{
    GRID;
    STORE(source[i], surface, (int)across, (int)down);
}

#undef VECTOR
#undef BYTE
#undef SHORT
#undef TEXEL
#undef OF
#undef STORED
#undef SCALE
#undef PUT
#undef TAKE
#undef EACH
#undef EACH_MORE
#undef PUT_ONE
#undef TAKE_ONE
#undef TEXTURE
#undef TEXTURE_OF_MEMORY
#undef SURFACE_TO_READ
#undef SURFACE_TO_WRITE
#undef AT
#undef FETCH
#undef LOAD
#undef STORE
#undef GRID
#undef WALK_row
#undef WALK_column
#undef WALK_shifted
#undef WALK_morton
#undef WALK_random
#undef DEFINE_WALK
