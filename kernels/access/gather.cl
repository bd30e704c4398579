/* Reads or writes words at places that an index array names.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       gather: target[i] = source[index[i] & mask]. scatter: target[index[i] & mask] =
 *              source[i]. mask is the number of words less one, so that no index leads outside.
 * Index space: gather, scatter: one item per word. _four: 4 words per item, a group's size apart.
 *              _chunked: one run of `chunk` words per item, as far as there are `words`.
 * Moves:       12 bytes per word: index, source and target.
 * Rows:        S0-15, S0-17, S1-04, S3-04, S4-12.
 */
#include "access.h"

__kernel void VARIANT(gather)(__global uint *restrict target, __global const uint *restrict source,
                              __global const uint *restrict index, uint mask) {
    size_t i = get_global_id(0);
    target[i] = source[index[i] & mask];
}

__kernel void VARIANT(gather_four)(__global uint *restrict target,
                                   __global const uint *restrict source,
                                   __global const uint *restrict index, uint mask) {
    size_t size = get_local_size(0);
    size_t i = get_group_id(0) * size * 4 + get_local_id(0);
    uint place[4], word[4];
#pragma unroll
    for (uint k = 0; k < 4; ++k)
        place[k] = index[i + k * size] & mask;
#pragma unroll
    for (uint k = 0; k < 4; ++k)
        word[k] = source[place[k]];
#pragma unroll
    for (uint k = 0; k < 4; ++k)
        target[i + k * size] = word[k];
}

__kernel void VARIANT(gather_chunked)(__global uint *restrict target,
                                      __global const uint *restrict source,
                                      __global const uint *restrict index, uint mask, ulong words,
                                      ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < words ? begin + chunk : words;
    for (size_t i = begin; i < end; ++i)
        target[i] = source[index[i] & mask];
}

__kernel void VARIANT(scatter)(__global uint *restrict target, __global const uint *restrict source,
                               __global const uint *restrict index, uint mask) {
    size_t i = get_global_id(0);
    target[index[i] & mask] = source[i];
}

__kernel void VARIANT(scatter_four)(__global uint *restrict target,
                                    __global const uint *restrict source,
                                    __global const uint *restrict index, uint mask) {
    size_t size = get_local_size(0);
    size_t i = get_group_id(0) * size * 4 + get_local_id(0);
    uint place[4], word[4];
#pragma unroll
    for (uint k = 0; k < 4; ++k) {
        place[k] = index[i + k * size] & mask;
        word[k] = source[i + k * size];
    }
#pragma unroll
    for (uint k = 0; k < 4; ++k)
        target[place[k]] = word[k];
}

__kernel void VARIANT(scatter_chunked)(__global uint *restrict target,
                                       __global const uint *restrict source,
                                       __global const uint *restrict index, uint mask, ulong words,
                                       ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < words ? begin + chunk : words;
    for (size_t i = begin; i < end; ++i)
        target[index[i] & mask] = source[i];
}
