/* Neighbouring work-items read, or write, one and the same word.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       same_read: lanes items in a row read the first of lanes words; sums[item] = sum, modulo
 *              2^32, of what the item read. same_write: lanes items in a row write to
 *              target[item / lanes]; item i writes (i, ~i, i * 3, i * 5) as far as WORD has room, so
 *              that a word of two writers can be told.
 * Index space: same_read: 16 words per item, a group's size apart. same_write: one item per write.
 *              _chunked: one run of `chunk` words per item, as far as there are `words`: each is read
 *              once and counted lanes times, or written once.
 * WORD:        of same_write: uint, uint2 or uint4.
 * Needs:       lanes is a power of two; shift is its exponent.
 * Moves:       sizeof(WORD) for each `lanes` items.
 * Rows:        S0-17, S1-07, S4-12.
 */
#include "access.h"

#ifndef WORD
#define WORD uint
#endif

#define SAME_READS 16

#define SAME_WORD_uint(v, i) v = (i)
#define SAME_WORD_uint2(v, i)                                                                      \
    v.x = (i);                                                                                     \
    v.y = ~(i)
#define SAME_WORD_uint4(v, i)                                                                      \
    SAME_WORD_uint2(v, i);                                                                         \
    v.z = (i)*3;                                                                                   \
    v.w = (i)*5
#define SAME_WORD JOIN(SAME_WORD_, WORD)

__kernel void VARIANT(same_read)(__global uint *restrict sums, __global const uint *restrict source,
                                 uint lanes) {
    size_t size = get_local_size(0);
    size_t i = get_group_id(0) * size * SAME_READS + get_local_id(0);
    size_t mask = ~(size_t)(lanes - 1);
    uint sum = 0;
#pragma unroll
    for (uint k = 0; k < SAME_READS; ++k)
        sum += source[(i + k * size) & mask];
    sums[get_global_id(0)] = sum;
}

__kernel void VARIANT(same_read_chunked)(__global uint *restrict sums,
                                         __global const uint *restrict source, uint lanes,
                                         ulong words, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < words ? begin + chunk : words;
    uint sum = 0;
    for (size_t i = begin; i < end; ++i)
        sum += source[i * lanes];
    sums[get_global_id(0)] = sum;
}

__kernel void VARIANT(same_write)(__global WORD *target, uint shift) {
    size_t i = get_global_id(0);
    WORD word;
    SAME_WORD(word, (uint)i);
    target[i >> shift] = word;
}

__kernel void VARIANT(same_write_chunked)(__global WORD *target, uint shift, ulong words,
                                          ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < words ? begin + chunk : words;
    for (size_t i = begin; i < end; ++i) {
        WORD word;
        SAME_WORD(word, ((uint)(i + 1) << shift) - 1);
        target[i] = word;
    }
}
