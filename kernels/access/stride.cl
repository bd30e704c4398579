/* Reads or writes every stride-th word.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       stride_read: sums[item] = sum, modulo 2^32, of source[i * stride] over the item's i.
 *              stride_write: target[i * stride] = seed + i.
 * Index space: stride_read: 16 words per item, a group's size apart. stride_write: one item per
 *              word. _chunked: one run of `chunk` words per item, as far as there are `words`.
 * Moves:       4 bytes of every 4 * stride.
 * Rows:        S0-15, S1-02, S3-02.
 */
#include "access.h"

#define STRIDE_READS 16

__kernel void VARIANT(stride_read)(__global uint *restrict sums,
                                   __global const uint *restrict source, ulong stride) {
    size_t size = get_local_size(0);
    size_t i = get_group_id(0) * size * STRIDE_READS + get_local_id(0);
    uint sum = 0;
#pragma unroll
    for (uint k = 0; k < STRIDE_READS; ++k)
        sum += source[(i + k * size) * stride];
    sums[get_global_id(0)] = sum;
}

__kernel void VARIANT(stride_read_chunked)(__global uint *restrict sums,
                                           __global const uint *restrict source, ulong stride,
                                           ulong words, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < words ? begin + chunk : words;
    uint sum = 0;
    for (size_t i = begin; i < end; ++i)
        sum += source[i * stride];
    sums[get_global_id(0)] = sum;
}

__kernel void VARIANT(stride_write)(__global uint *restrict target, uint seed, ulong stride) {
    size_t i = get_global_id(0);
    target[i * stride] = seed + (uint)i;
}

__kernel void VARIANT(stride_write_chunked)(__global uint *restrict target, uint seed, ulong stride,
                                            ulong words, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < words ? begin + chunk : words;
    for (size_t i = begin; i < end; ++i)
        target[i * stride] = seed + (uint)i;
}
