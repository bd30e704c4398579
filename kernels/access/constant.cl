/* Constants: a small table read at places that are the same for all work-items, for a group, or for
 * none (S2-04, S3-07, S2-18).
 * SPDX-License-Identifier: Apache-2.0
 *
 * SPACE says where the table is: 0 in __global memory, 1 there, const and restrict, 2 in __constant
 *              memory, 3 in a kernel parameter of 64 words.
 * Shape:       table: a power of two of 32-bit words, at least 16 and at most 16384; word i holds
 *              (i * 1664525 + 1013904223) modulo 16384, as does CUDA C++'s __constant__ variable.
 *              sums[item] = sum, modulo 2^32, of 16 * rounds words: in round r words
 *              (starts[item] + 16 * r + k) & mask with k = 0 .. 15. starts is there so that the
 *              compiler cannot know which places are the same.
 *              constant_immediate: words 0 .. 15 in each round, each xor (starts[item] + r);
 *              _unrolled and _chunked: 4 rounds.
 *              constant_chase: place[0] = table[place[0]] & mask, `steps` times.
 * Index space: one item for each sum. _chunked: any number of items, each with a run of the sums.
 *              constant_chase: one item.
 * Moves:       16 * rounds loads per sum, 4 bytes in and out.
 */
#include "access.h"

#ifndef SPACE
#define SPACE 2
#endif

#ifndef CONSTANT_ONCE
#define CONSTANT_ONCE
struct constant_block {
    uint words[64];
};

#ifdef __CUDACC__
/* All the memory for constants that a module has natively. */
#define CONSTANT_1(i)  (((i)*1664525u + 1013904223u) % 16384u)
#define CONSTANT_4(i)  CONSTANT_1(i), CONSTANT_1((i) + 1), CONSTANT_1((i) + 2), CONSTANT_1((i) + 3)
#define CONSTANT_16(i) CONSTANT_4(i), CONSTANT_4((i) + 4), CONSTANT_4((i) + 8), CONSTANT_4((i) + 12)
#define CONSTANT_64(i)                                                                             \
    CONSTANT_16(i), CONSTANT_16((i) + 16), CONSTANT_16((i) + 32), CONSTANT_16((i) + 48)
#define CONSTANT_256(i)                                                                            \
    CONSTANT_64(i), CONSTANT_64((i) + 64), CONSTANT_64((i) + 128), CONSTANT_64((i) + 192)
#define CONSTANT_1024(i)                                                                           \
    CONSTANT_256(i), CONSTANT_256((i) + 256), CONSTANT_256((i) + 512), CONSTANT_256((i) + 768)
#define CONSTANT_4096(i)                                                                           \
    CONSTANT_1024(i), CONSTANT_1024((i) + 1024), CONSTANT_1024((i) + 2048),                        \
        CONSTANT_1024((i) + 3072)
__constant__ uint constant_table[16384] = {CONSTANT_4096(0u), CONSTANT_4096(4096u),
                                           CONSTANT_4096(8192u), CONSTANT_4096(12288u)};
#endif
#endif

#if SPACE == 0
#define TABLE __global const uint *
#elif SPACE == 1
#define TABLE __global const uint *restrict
#elif SPACE == 2
#define TABLE __constant uint *
#else
#define TABLE const struct constant_block
#endif

/* A plain table may be where the sums are. */
#if SPACE == 0
#define SUMS __global uint *
#else
#define SUMS __global uint *restrict
#endif

#if SPACE == 2 && defined(__CUDACC__)
#define WORD(i) constant_table[i]
#elif SPACE == 3
#define WORD(i) table.words[i]
#else
#define WORD(i) table[i]
#endif

__kernel void VARIANT(constant_loop)(TABLE table, __global const uint *restrict starts, SUMS sums,
                                     uint mask, uint rounds)
{
    const size_t item = get_global_id(0);
    uint at = starts[item], sum = 0;
    for (uint r = 0; r < rounds; r++)
        for (uint k = 0; k < 16; k++, at++)
            sum += WORD(at & mask);
    sums[item] = sum;
}

__kernel void VARIANT(constant_unrolled)(TABLE table, __global const uint *restrict starts,
                                         SUMS sums, uint mask, uint rounds)
{
    const size_t item = get_global_id(0);
    uint at = starts[item], sum = 0;
    for (uint r = 0; r < rounds; r++, at += 16) {
#pragma unroll
        for (uint k = 0; k < 16; k++)
            sum += WORD((at + k) & mask);
    }
    sums[item] = sum;
}

__kernel void VARIANT(constant_immediate)(TABLE table, __global const uint *restrict starts,
                                          SUMS sums, uint mask, uint rounds)
{
    const size_t item = get_global_id(0);
    uint other = starts[item], sum = mask - mask;
    for (uint r = 0; r < rounds; r++, other++) {
#pragma unroll
        for (uint k = 0; k < 16; k++)
            sum += WORD(k) ^ other;
    }
    sums[item] = sum;
}

/* Four rounds; without a loop of the item's own, compilers can take several items at once. */
__kernel void VARIANT(constant_immediate_unrolled)(TABLE table,
                                                   __global const uint *restrict starts, SUMS sums)
{
    const size_t item = get_global_id(0);
    const uint other = starts[item];
    uint sum = 0;
#pragma unroll
    for (uint k = 0; k < 16; k++) {
        const uint word = WORD(k);
        sum += (word ^ other) + (word ^ (other + 1)) + (word ^ (other + 2)) + (word ^ (other + 3));
    }
    sums[item] = sum;
}

__kernel void VARIANT(constant_immediate_chunked)(TABLE table, __global const uint *restrict starts,
                                                  SUMS sums, ulong items)
{
    const size_t begin = items * get_global_id(0) / get_global_size(0);
    const size_t end = items * (get_global_id(0) + 1) / get_global_size(0);
    uint words[16];
#pragma unroll
    for (uint k = 0; k < 16; k++)
        words[k] = WORD(k);
    for (size_t item = begin; item < end; item++) {
        const uint other = starts[item];
        uint sum = 0;
#pragma unroll
        for (uint k = 0; k < 16; k++)
            sum += (words[k] ^ other) + (words[k] ^ (other + 1)) + (words[k] ^ (other + 2)) +
                   (words[k] ^ (other + 3));
        sums[item] = sum;
    }
}

/* Sixteen words that the table's end does not part are one run of memory. */
__kernel void VARIANT(constant_chunked)(TABLE table, __global const uint *restrict starts,
                                        SUMS sums, uint mask, uint rounds, ulong items)
{
    const size_t begin = items * get_global_id(0) / get_global_size(0);
    const size_t end = items * (get_global_id(0) + 1) / get_global_size(0);
    for (size_t item = begin; item < end; item++) {
        uint at = starts[item], sum = 0;
        for (uint r = 0; r < rounds; r++, at += 16) {
            const size_t first = at & mask;
            if (first + 15 <= mask) {
#pragma unroll
                for (uint k = 0; k < 16; k++)
                    sum += WORD(first + k);
            } else {
                for (uint k = 0; k < 16; k++)
                    sum += WORD((at + k) & mask);
            }
        }
        sums[item] = sum;
    }
}

__kernel void VARIANT(constant_chase)(TABLE table, __global uint *place, uint mask, uint steps)
{
    uint at = place[0];
    for (uint k = 0; k < steps; k++)
        at = WORD(at) & mask;
    place[0] = at;
}

#undef TABLE
#undef SUMS
#undef WORD
