/* Texels at given places, and stores through a surface, for exact values.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       check_texel: target[i] = the texture of floats at (places[2 * i], places[2 * i + 1]).
 *              check_texel_linear: target[i] = texel i of linear memory. check_surface: element (x,
 *              y) of a surface of uints becomes value + x + 1000 * y. check_texel_uint: target[y *
 *              width + x] = texel (x, y) of a texture of uints.
 * Index space: check_texel, check_texel_linear: one item per place. Others: one per element.
 * Rows:        S2-06, S2-07, S2-12.
 */
#include "access.h"

#ifdef __CUDACC__
#define TEXTURE(name)            cudaTextureObject_t name
#define TEXTURE_OF_MEMORY(name)  cudaTextureObject_t name
#define SURFACE(name)            cudaSurfaceObject_t name
#define AT(T, name, x, y)        tex2D<T>(name, x, y)
#define FETCH(T, name, i)        tex1Dfetch<T>(name, i)
#define STORE(T, value, name, x, y) surf2Dwrite<T>(value, name, x, y)
#else
#include <clem_device.h>
#define TEXTURE(name)            CLEM_TEXTURE2D(name)
#define TEXTURE_OF_MEMORY(name)  CLEM_TEXTURE1D_BUFFER(name)
#define SURFACE(name)            CLEM_SURFACE(name)
#define AT(T, name, x, y)        tex2D(T, name, x, y)
#define FETCH(T, name, i)        tex1Dfetch(T, name, i)
#define STORE(T, value, name, x, y) surf2Dwrite(T, value, name, x, y)
#endif

__kernel void VARIANT(check_texel)(TEXTURE(tex), __global const float *places,
                                   __global float *target)
{
    size_t i = get_global_id(0);
    target[i] = AT(float, tex, places[2 * i], places[2 * i + 1]);
}

__kernel void VARIANT(check_texel_linear)(TEXTURE_OF_MEMORY(tex), __global float *target)
{
    int i = (int)get_global_id(0);
    target[i] = FETCH(float, tex, i);
}

__kernel void VARIANT(check_texel_uint)(TEXTURE(tex), __global uint *target)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    target[y * get_global_size(0) + x] = AT(uint, tex, (float)x + 0.5f, (float)y + 0.5f);
}

__kernel void VARIANT(check_surface)(SURFACE(surface), uint value)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    uint element = value + (uint)x + 1000 * (uint)y;
    STORE(uint, element, surface, (int)x * 4, (int)y);
}

#undef TEXTURE
#undef TEXTURE_OF_MEMORY
#undef SURFACE
#undef AT
#undef FETCH
#undef STORE
