/* Reads every texel of a texture once, in several orders, and writes what it read.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       a texture of width x height texels, read at texel centres, so that filters change nothing.
 *              target[y * width + x] = texel (x, y); _column: target[x * height + y]; _fetch: target[x].
 *              r32f: floats. rgba32f: float4. rgba8: uchar4, read as floats from 0 to 1.
 * Index space: one item per texel. Dimension 0 walks along a row, for _column down a column.
 * Moves:       one texel in and out per item.
 */
#include <clem_device.h>

#define WALK(name, T, store, S)                                                                    \
    __kernel void texture_##name(CLEM_TEXTURE2D(tex), __global S *target) {                        \
        size_t x = get_global_id(0), y = get_global_id(1);                                         \
        T texel = tex2D(T, tex, (float)x + 0.5f, (float)y + 0.5f);                                 \
        target[y * get_global_size(0) + x] = store(texel);                                         \
    }                                                                                              \
    __kernel void texture_##name##_column(CLEM_TEXTURE2D(tex), __global S *target) {               \
        size_t y = get_global_id(0), x = get_global_id(1);                                         \
        T texel = tex2D(T, tex, (float)x + 0.5f, (float)y + 0.5f);                                 \
        target[x * get_global_size(0) + y] = store(texel);                                         \
    }                                                                                              \
    __kernel void texture_##name##_fetch(CLEM_TEXTURE1D_BUFFER(tex), __global S *target) {         \
        int i = (int)get_global_id(0);                                                             \
        T texel = tex1Dfetch(T, tex, i);                                                           \
        target[i] = store(texel);                                                                  \
    }

#define SAME(texel)  (texel)
#define BYTES(texel) convert_uchar4_rte((texel) * 255.0f)

WALK(r32f, float, SAME, float)
WALK(rgba32f, float4, SAME, float4)
WALK(rgba8, float4, BYTES, uchar4)
