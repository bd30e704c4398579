/* Copies words from, or to, a place some words past an aligned one.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       offset_read: target[i] = source[i + offset]. offset_write: target[i + offset] =
 *              source[i]. offset_chunked, offset_streaming: target[i + to] = source[i + from], with
 *              one run of `chunk` words per item, as far as there are `words`.
 * Index space: offset_read, offset_write: one item for UNROLL words, a group's size apart; exactly
 *              words / UNROLL items. Others: any number.
 *              offset_streaming: stores that go past the caches, of 4-byte words only (built with
 *              CLEM_DEVICE_IS_CPU).
 * WORD:        uchar, ushort, uint, uint2 or uint4. UNROLL: words per item.
 * Alignment:   of WORD.
 * Moves:       2 * sizeof(WORD) per word.
 * Rows:        S0-15, S1-01, S1-05, S2-15, S4-12, S4-13.
 */
#include "access.h"

#ifndef WORD
#define WORD uint
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

__kernel void VARIANT(offset_read)(__global WORD *restrict target,
                                   __global const WORD *restrict source, ulong offset) {
    size_t size = get_local_size(0);
    size_t i = get_group_id(0) * size * UNROLL + get_local_id(0);
#pragma unroll
    for (uint k = 0; k < UNROLL; ++k)
        target[i + k * size] = source[i + k * size + offset];
}

__kernel void VARIANT(offset_write)(__global WORD *restrict target,
                                    __global const WORD *restrict source, ulong offset) {
    size_t size = get_local_size(0);
    size_t i = get_group_id(0) * size * UNROLL + get_local_id(0);
#pragma unroll
    for (uint k = 0; k < UNROLL; ++k)
        target[i + k * size + offset] = source[i + k * size];
}

__kernel void VARIANT(offset_chunked)(__global WORD *restrict target,
                                      __global const WORD *restrict source, ulong to, ulong from,
                                      ulong words, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < words ? begin + chunk : words;
    for (size_t i = begin; i < end; ++i)
        target[i + to] = source[i + from];
}

#ifdef CLEM_DEVICE_IS_CPU

__kernel void VARIANT(offset_streaming)(__global uint *restrict target,
                                        __global const uint *restrict source, ulong to, ulong from,
                                        ulong words, ulong chunk) {
    size_t i = get_global_id(0) * chunk;
    size_t end = i + chunk < words ? i + chunk : words;
    while (i < end && (size_t)(target + i + to) % 64) {
        target[i + to] = source[i + from];
        ++i;
    }
    for (; i + 16 <= end; i += 16)
        __builtin_nontemporal_store(vload16(0, source + i + from),
                                    (__global uint16 *)(target + i + to));
    for (; i < end; ++i)
        target[i + to] = source[i + from];
}

#endif
