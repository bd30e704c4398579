/* Elements of four words as an array of structs, as four arrays, and in tiles of 32.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       word k of element i gets (k + 1) * add added. It lies at
 *              aos: 4 * i + k. soa: k * elements + i. tiled: i / 32 * 128 + k * 32 + i % 32.
 *              layout_X: target and source have the same layout. layout_X_field: target[i] = the
 *              element's word 1, + add.
 * Index space: one item per element (a multiple of 32). _chunked: one run of `chunk` elements per item,
 *              as far as there are `elements`; soa in two orders: a field after the other, and all
 *              fields together; tiled in runs of tiles.
 *              layout_aos_vector takes elements in one piece, alignment 16 bytes.
 * Moves:       32 bytes per element; _field: 8.
 * Rows:        S1-03, S1-05, S2-14.
 */
#include "access.h"

__kernel void VARIANT(layout_aos)(__global uint *restrict target,
                                  __global const uint *restrict source, uint add) {
    size_t i = get_global_id(0) * 4;
    target[i] = source[i] + add;
    target[i + 1] = source[i + 1] + 2 * add;
    target[i + 2] = source[i + 2] + 3 * add;
    target[i + 3] = source[i + 3] + 4 * add;
}

__kernel void VARIANT(layout_aos_vector)(__global uint4 *restrict target,
                                         __global const uint4 *restrict source, uint add) {
    size_t i = get_global_id(0);
    target[i] = source[i] + words4(add, 2 * add, 3 * add, 4 * add);
}

__kernel void VARIANT(layout_aos_chunked)(__global uint4 *restrict target,
                                          __global const uint4 *restrict source, uint add,
                                          ulong elements, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < elements ? begin + chunk : elements;
    uint4 adds = words4(add, 2 * add, 3 * add, 4 * add);
    for (size_t i = begin; i < end; ++i)
        target[i] = source[i] + adds;
}

__kernel void VARIANT(layout_soa)(__global uint *restrict target,
                                  __global const uint *restrict source, uint add, ulong elements) {
    size_t i = get_global_id(0);
#pragma unroll
    for (uint k = 0; k < 4; ++k)
        target[k * elements + i] = source[k * elements + i] + (k + 1) * add;
}

__kernel void VARIANT(layout_soa_chunked)(__global uint *restrict target,
                                          __global const uint *restrict source, uint add,
                                          ulong elements, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < elements ? begin + chunk : elements;
    for (uint k = 0; k < 4; ++k)
        for (size_t i = k * elements + begin; i < k * elements + end; ++i)
            target[i] = source[i] + (k + 1) * add;
}

__kernel void VARIANT(layout_soa_together)(__global uint *restrict target,
                                           __global const uint *restrict source, uint add,
                                           ulong elements, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < elements ? begin + chunk : elements;
    for (size_t i = begin; i < end; ++i) {
        target[i] = source[i] + add;
        target[elements + i] = source[elements + i] + 2 * add;
        target[2 * elements + i] = source[2 * elements + i] + 3 * add;
        target[3 * elements + i] = source[3 * elements + i] + 4 * add;
    }
}

__kernel void VARIANT(layout_tiled)(__global uint *restrict target,
                                    __global const uint *restrict source, uint add) {
    size_t i = get_global_id(0);
    size_t first = i / 32 * 128 + i % 32;
#pragma unroll
    for (uint k = 0; k < 4; ++k)
        target[first + k * 32] = source[first + k * 32] + (k + 1) * add;
}

__kernel void VARIANT(layout_tiled_chunked)(__global uint *restrict target,
                                            __global const uint *restrict source, uint add,
                                            ulong elements, ulong chunk) {
    size_t tiles = elements / 32, chunk_tiles = (chunk + 31) / 32;
    size_t begin = get_global_id(0) * chunk_tiles;
    size_t end = begin + chunk_tiles < tiles ? begin + chunk_tiles : tiles;
    for (size_t tile = begin; tile < end; ++tile)
#pragma unroll
        for (uint k = 0; k < 4; ++k)
#pragma unroll
            for (uint j = 0; j < 32; ++j)
                target[tile * 128 + k * 32 + j] = source[tile * 128 + k * 32 + j] + (k + 1) * add;
}

__kernel void VARIANT(layout_aos_field)(__global uint *restrict target,
                                        __global const uint *restrict source, uint add) {
    size_t i = get_global_id(0);
    target[i] = source[4 * i + 1] + add;
}

__kernel void VARIANT(layout_aos_field_chunked)(__global uint *restrict target,
                                                __global const uint *restrict source, uint add,
                                                ulong elements, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < elements ? begin + chunk : elements;
    for (size_t i = begin; i < end; ++i)
        target[i] = source[4 * i + 1] + add;
}

__kernel void VARIANT(layout_soa_field)(__global uint *restrict target,
                                        __global const uint *restrict source, uint add,
                                        ulong elements) {
    size_t i = get_global_id(0);
    target[i] = source[elements + i] + add;
}

__kernel void VARIANT(layout_soa_field_chunked)(__global uint *restrict target,
                                                __global const uint *restrict source, uint add,
                                                ulong elements, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < elements ? begin + chunk : elements;
    for (size_t i = begin; i < end; ++i)
        target[i] = source[elements + i] + add;
}

__kernel void VARIANT(layout_tiled_field)(__global uint *restrict target,
                                          __global const uint *restrict source, uint add) {
    size_t i = get_global_id(0);
    target[i] = source[i / 32 * 128 + 32 + i % 32] + add;
}

__kernel void VARIANT(layout_tiled_field_chunked)(__global uint *restrict target,
                                                  __global const uint *restrict source, uint add,
                                                  ulong elements, ulong chunk) {
    size_t tiles = elements / 32, chunk_tiles = (chunk + 31) / 32;
    size_t begin = get_global_id(0) * chunk_tiles;
    size_t end = begin + chunk_tiles < tiles ? begin + chunk_tiles : tiles;
    for (size_t tile = begin; tile < end; ++tile)
#pragma unroll
        for (uint j = 0; j < 32; ++j)
            target[tile * 32 + j] = source[tile * 128 + 32 + j] + add;
}
