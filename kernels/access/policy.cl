/* Hints and paths that say how memory shall go through the caches, over several patterns
 * (S0-17, S0-18, S1-04, S2-13, S2-17, S2-19, S3-02, S4-14).
 * SPDX-License-Identifier: Apache-2.0
 *
 * PATH of loads:  0 plain, 1 volatile, 2 read-only (const and restrict; __ldg), 3 prefetched,
 *                 4 to 8 PTX's ld.global.ca, .cg, .cs, .lu and .cv.
 * HINT of stores: 0 plain, 1 non-temporal (Clang's builtin), 2 to 5 PTX's st.global.wb, .cg, .cs,
 *                 .wt.
 * Shape:       source: a power of two of 32-bit words. sums[item] = sum, modulo 2^32, of the words
 *              that the item read; together each word is read once (policy_reread: equally often).
 *              policy_write: word i of target = i ^ value.
 * Index space: policy_stream, _strided, _gather, _hot: one item for 32 words, in groups of a power
 *              of two of items, at least 8. policy_reread: a group for mask + 1 words, which it
 *              reads over and over, in all `reads` per item. policy_write: one item for 4 words.
 *              _chunked: any number of items, each with a run of the words of its own.
 *              policy_probe: one item per word, target[i] = 3 * source[i] + i.
 * Moves:       reads: 4 bytes per word, and 4 per item out. policy_write: 16 bytes per item.
 */
#include "access.h"

#ifndef PATH
#define PATH 0
#endif
#ifndef HINT
#define HINT 0
#endif

#if PATH == 2
#define SOURCE __global const uint *restrict
#else
#define SOURCE __global const uint *
#endif

/* Other compilers take PTX for their own machine's text. */
#if (PATH >= 4 || HINT >= 2) && !defined(__CUDACC__) && !defined(__NV_CL_C_VERSION)
#error "PTX's cache operators need NVIDIA's compiler"
#endif

#if PATH == 4
#define OPERATOR "ca"
#elif PATH == 5
#define OPERATOR "cg"
#elif PATH == 6
#define OPERATOR "cs"
#elif PATH == 7
#define OPERATOR "lu"
#elif PATH == 8
#define OPERATOR "cv"
#endif

#if HINT == 1
#define STORE_OPERATOR "cs"
#elif HINT == 2
#define STORE_OPERATOR "wb"
#elif HINT == 3
#define STORE_OPERATOR "cg"
#elif HINT == 4
#define STORE_OPERATOR "cs"
#elif HINT == 5
#define STORE_OPERATOR "wt"
#endif

/* Kernels of a read-only path have to say so in their parameters; others may not, because target
 * could be the same memory. */
#if PATH == 2
#define SUMS __global uint *restrict
#else
#define SUMS __global uint *
#endif

FUNCTION uint VARIANT(policy_load)(__global const uint *from)
{
#if PATH == 1
    return *(volatile __global const uint *)from;
#elif PATH == 2 && defined(__CUDACC__)
    return __ldg(from);
#elif PATH >= 4
    uint value;
    asm volatile("ld.global." OPERATOR ".u32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
#else
    return *from;
#endif
}

/* Where the run of an item begins: of `count` things the item's share. */
FUNCTION size_t VARIANT(policy_begin)(ulong count, size_t item)
{
    return count * item / get_global_size(0);
}

/* Asks for a word that is loaded later. */
FUNCTION void VARIANT(policy_announce)(__global const uint *from)
{
#if PATH == 3 && defined(__CUDACC__)
    asm volatile("prefetch.global.L2 [%0];" : : "l"(from));
#elif PATH == 3
    prefetch(from, 1);
#else
    (void)from;
#endif
}

FUNCTION void VARIANT(policy_store)(__global uint4 *to, uint4 value)
{
#if HINT == 1 && !defined(__CUDACC__)
    __builtin_nontemporal_store(value, to);
#elif HINT >= 1
    asm volatile("st.global." STORE_OPERATOR ".v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(to), "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
                 : "memory");
#else
    *to = value;
#endif
}

/* Where the i-th of a power of two of segments is: each comes once, in no order. */
FUNCTION size_t VARIANT(policy_shuffle)(size_t i, ulong mask, uint down)
{
    size_t place = i * 0x9E3779B1u & mask;
    place ^= place >> down;
    return place * 0x85EBCA6Bu & mask;
}

/* 32 words, `apart` from one another. */
FUNCTION uint VARIANT(policy_sum)(__global const uint *from, size_t apart)
{
    uint sum = 0;
    for (uint j = 0; j < 32; j += 8) {
#if PATH == 3
        for (uint k = 0; j < 24 && k < 8; k++)
            VARIANT(policy_announce)(from + (j + 8 + k) * apart);
#endif
#pragma unroll
        for (uint k = 0; k < 8; k++)
            sum += VARIANT(policy_load)(from + (j + k) * apart);
    }
    return sum;
}

/* Neighbours read neighbouring words, from word `shift` on. */
__kernel void VARIANT(policy_stream)(SOURCE source, SUMS sums, ulong shift)
{
    const size_t row = get_local_size(0);
    sums[get_global_id(0)] =
        VARIANT(policy_sum)(source + shift + get_group_id(0) * row * 32 + get_local_id(0), row);
}

/* Neighbours read 128 bytes apart, and their next words later. */
__kernel void VARIANT(policy_strided)(SOURCE source, SUMS sums, ulong shift)
{
    sums[get_global_id(0)] = VARIANT(policy_sum)(source + shift + get_global_id(0) * 32, 1);
}

/* Eight neighbours read 32 bytes somewhere. */
__kernel void VARIANT(policy_gather)(SOURCE source, SUMS sums, ulong mask, uint down)
{
    const size_t row = get_local_size(0) / 8;
    const size_t first = get_group_id(0) * row * 32 + get_local_id(0) / 8;
    SOURCE from = source + get_local_id(0) % 8;
    uint sum = 0;
    for (uint j = 0; j < 32; j += 8) {
#if PATH == 3
        for (uint k = 0; j < 24 && k < 8; k++)
            VARIANT(policy_announce)
        (from + VARIANT(policy_shuffle)(first + (j + 8 + k) * row, mask, down) * 8);
#endif
#pragma unroll
        for (uint k = 0; k < 8; k++)
            sum += VARIANT(policy_load)(
                from + VARIANT(policy_shuffle)(first + (j + k) * row, mask, down) * 8);
    }
    sums[get_global_id(0)] = sum;
}

__kernel void VARIANT(policy_reread)(SOURCE source, SUMS sums, ulong mask, ulong reads)
{
    const size_t row = get_local_size(0);
    SOURCE from = source + get_group_id(0) * (mask + 1);
    size_t at = get_local_id(0);
    uint sum = 0;
    for (ulong k = 0; k < reads; k++, at += row) {
        VARIANT(policy_announce)(from + ((at + row) & mask));
        sum += VARIANT(policy_load)(from + (at & mask));
    }
    sums[get_global_id(0)] = sum;
}

/* A stream of words along the path, and beside each a plain word out of a small table that should
 * stay in the cache. */
__kernel void VARIANT(policy_hot)(SOURCE source, SUMS sums, __global const uint *hot, ulong mask,
                                  uint down)
{
    const size_t row = get_local_size(0);
    const size_t first = get_group_id(0) * row * 32 + get_local_id(0);
    uint sum = 0;
    for (uint j = 0; j < 32; j += 4) {
#pragma unroll
        for (uint k = 0; k < 4; k++) {
            const size_t at = first + (j + k) * row;
            sum += VARIANT(policy_load)(source + at);
            sum += hot[VARIANT(policy_shuffle)(at / 8 & mask, mask, down) * 8 + at % 8];
        }
    }
    sums[get_global_id(0)] = sum;
}

/* Words begin .. end, a long run: what follows a page is asked for early. */
FUNCTION uint VARIANT(policy_run)(SOURCE source, size_t begin, size_t end)
{
    uint sum = 0;
#if PATH == 3
    for (size_t i = begin; i < end; i += 16) {
        VARIANT(policy_announce)(source + i + 1024);
        for (size_t k = 0; k < 16; k++)
            sum += source[i + k];
    }
#else
    for (size_t i = begin; i < end; i++)
        sum += VARIANT(policy_load)(source + i);
#endif
    return sum;
}

__kernel void VARIANT(policy_stream_chunked)(SOURCE source, SUMS sums, ulong shift, ulong words)
{
    const size_t item = get_global_id(0);
    sums[item] = VARIANT(policy_run)(source + shift, VARIANT(policy_begin)(words / 16, item) * 16,
                                     VARIANT(policy_begin)(words / 16, item + 1) * 16);
}

/* An item has a run of the segments' numbers. */
__kernel void VARIANT(policy_gather_chunked)(SOURCE source, SUMS sums, ulong mask, uint down)
{
    const size_t end = VARIANT(policy_begin)(mask + 1, get_global_id(0) + 1);
    uint sum = 0;
    for (size_t i = VARIANT(policy_begin)(mask + 1, get_global_id(0)); i < end; i++) {
        SOURCE from = source + VARIANT(policy_shuffle)(i, mask, down) * 8;
#if PATH == 3
        VARIANT(policy_announce)(source + VARIANT(policy_shuffle)(i + 16, mask, down) * 8);
#endif
        for (uint k = 0; k < 8; k++)
            sum += VARIANT(policy_load)(from + k);
    }
    sums[get_global_id(0)] = sum;
}

/* An item has a run of the tiles of mask + 1 words, and reads each `times` times. */
__kernel void VARIANT(policy_reread_chunked)(SOURCE source, SUMS sums, ulong mask, ulong times,
                                             ulong tiles)
{
    const size_t end = VARIANT(policy_begin)(tiles, get_global_id(0) + 1);
    uint sum = 0;
    for (size_t tile = VARIANT(policy_begin)(tiles, get_global_id(0)); tile < end; tile++)
        for (ulong k = 0; k < times; k++)
            sum += VARIANT(policy_run)(source, tile * (mask + 1), (tile + 1) * (mask + 1));
    sums[get_global_id(0)] = sum;
}

FUNCTION uint4 VARIANT(policy_value)(size_t i, uint value)
{
    const uint first = (uint)i * 4;
    return words4(first ^ value, (first + 1) ^ value, (first + 2) ^ value, (first + 3) ^ value);
}

__kernel void VARIANT(policy_write)(__global uint4 *target, uint value)
{
    const size_t i = get_global_id(0);
    VARIANT(policy_store)(target + i, VARIANT(policy_value)(i, value));
}

/* Plain stores word by word, for the compiler to put together. */
__kernel void VARIANT(policy_write_chunked)(__global uint4 *target, uint value, ulong words)
{
    const size_t begin = VARIANT(policy_begin)(words, get_global_id(0));
    const size_t end = VARIANT(policy_begin)(words, get_global_id(0) + 1);
#if HINT == 0
    __global uint *plain = (__global uint *)target;
    for (size_t i = 4 * begin; i < 4 * end; i++)
        plain[i] = (uint)i ^ value;
#else
    for (size_t i = begin; i < end; i++)
        VARIANT(policy_store)(target + i, VARIANT(policy_value)(i, value));
#endif
}

__kernel void VARIANT(policy_probe)(__global const uint *source, __global uint *target)
{
    const size_t i = get_global_id(0);
    target[i] = 3 * VARIANT(policy_load)(source + i) + (uint)i;
}

__kernel void VARIANT(policy_probe_store)(__global uint4 *target, uint value)
{
    const size_t i = get_global_id(0);
    VARIANT(policy_store)(target + i, VARIANT(policy_value)(i, value));
}

#undef SOURCE
#undef SUMS
#undef OPERATOR
#undef STORE_OPERATOR
