/* The sweep for peak bandwidth: writes, reads and copies of words of 1 to 16 bytes.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Defines:     WORD (uchar, ushort, uint, uint2 or uint4), UNROLL (how many words are dealt with
 *              without a jump; 1 to 16).
 * Shape:       arrays of `words` words, any number unless said. write: target = value in all
 *              components. read: sums[item] = sum, modulo 2^32, of all components that the item
 *              read. copy: target = source. copy2: the same for two pairs of arrays at once.
 * Index space: _interleaved: any number of groups; a group takes tiles of UNROLL * group words, and
 *              an item of it every group-th word; the groups take the tiles in turn.
 *              _chunked: item i takes words i * chunk .. i * chunk + chunk - 1 as far as there are
 *              any.
 *              _item: as many groups as there are tiles; words is a multiple of UNROLL * group.
 * Moves:       write, read: a word; copy: two; copy2: four, for each of `words`.
 * Rows:        S0-01 S0-14 S0-19 S1-05 S2-14 S2-15.
 */
#include "access.h"

#ifndef WORD
#define WORD uint
#endif
#ifndef UNROLL
#define UNROLL 1
#endif

/* What sums of words are kept in, and how its components add up. */
#define TOTAL_uchar      uint
#define TOTAL_ushort     uint
#define TOTAL_uint       uint
#define TOTAL_uint2      uint2
#define TOTAL_uint4      uint4
#define TOTAL            JOIN(TOTAL_, WORD)
#define SUM_OF_uchar(v)  (v)
#define SUM_OF_ushort(v) (v)
#define SUM_OF_uint(v)   (v)
#define SUM_OF_uint2(v)  sum_of2(v)
#define SUM_OF_uint4(v)  sum_of4(v)
#define SUM_OF(v)        JOIN(SUM_OF_, WORD)(v)

/* Each traversal does `work` for every place `at` of the item. */
#define SWEEP_TILES(words, work)                                                                   \
    size_t local_size = get_local_size(0);                                                         \
    size_t step = get_global_size(0) * UNROLL;                                                     \
    size_t i = get_group_id(0) * local_size * UNROLL + get_local_id(0);                            \
    for (; i + (UNROLL - 1) * local_size < words; i += step) {                                     \
        _Pragma("unroll") for (uint j = 0; j < UNROLL; ++j) {                                      \
            size_t at = i + j * local_size;                                                        \
            work;                                                                                  \
        }                                                                                          \
    }                                                                                              \
    for (size_t at = i; at < words; at += local_size) {                                            \
        work;                                                                                      \
    }

#define SWEEP_CHUNK(words, chunk, work)                                                            \
    size_t i = get_global_id(0) * chunk;                                                           \
    size_t end = min((ulong)(i + chunk), words);                                                   \
    for (; i + UNROLL <= end; i += UNROLL) {                                                       \
        _Pragma("unroll") for (uint j = 0; j < UNROLL; ++j) {                                      \
            size_t at = i + j;                                                                     \
            work;                                                                                  \
        }                                                                                          \
    }                                                                                              \
    for (size_t at = i; at < end; ++at) {                                                          \
        work;                                                                                      \
    }

#define SWEEP_ITEM(work)                                                                           \
    size_t local_size = get_local_size(0);                                                         \
    size_t i = get_group_id(0) * local_size * UNROLL + get_local_id(0);                            \
    _Pragma("unroll") for (uint j = 0; j < UNROLL; ++j) {                                          \
        size_t at = i + j * local_size;                                                            \
        work;                                                                                      \
    }

__kernel void VARIANT(sweep_write_interleaved)(__global WORD *target, uint value, ulong words) {
    SWEEP_TILES(words, target[at] = (WORD)(value));
}

__kernel void VARIANT(sweep_write_chunked)(__global WORD *target, uint value, ulong words,
                                           ulong chunk) {
    SWEEP_CHUNK(words, chunk, target[at] = (WORD)(value));
}

__kernel void VARIANT(sweep_write_item)(__global WORD *target, uint value) {
    SWEEP_ITEM(target[at] = (WORD)(value));
}

__kernel void VARIANT(sweep_read_interleaved)(__global uint *restrict sums,
                                              __global const WORD *restrict source, ulong words) {
    TOTAL sum = (TOTAL)(0);
    SWEEP_TILES(words, sum += source[at]);
    sums[get_global_id(0)] = SUM_OF(sum);
}

__kernel void VARIANT(sweep_read_chunked)(__global uint *restrict sums,
                                          __global const WORD *restrict source, ulong words,
                                          ulong chunk) {
    TOTAL sum = (TOTAL)(0);
    SWEEP_CHUNK(words, chunk, sum += source[at]);
    sums[get_global_id(0)] = SUM_OF(sum);
}

__kernel void VARIANT(sweep_read_item)(__global uint *restrict sums,
                                       __global const WORD *restrict source) {
    TOTAL sum = (TOTAL)(0);
    SWEEP_ITEM(sum += source[at]);
    sums[get_global_id(0)] = SUM_OF(sum);
}

__kernel void VARIANT(sweep_copy_interleaved)(__global WORD *restrict target,
                                              __global const WORD *restrict source, ulong words) {
    SWEEP_TILES(words, target[at] = source[at]);
}

__kernel void VARIANT(sweep_copy_chunked)(__global WORD *restrict target,
                                          __global const WORD *restrict source, ulong words,
                                          ulong chunk) {
    SWEEP_CHUNK(words, chunk, target[at] = source[at]);
}

__kernel void VARIANT(sweep_copy_item)(__global WORD *restrict target,
                                       __global const WORD *restrict source) {
    SWEEP_ITEM(target[at] = source[at]);
}

#define COPY_BOTH                                                                                  \
    target[at] = source[at];                                                                       \
    second_target[at] = second_source[at]

__kernel void VARIANT(sweep_copy2_interleaved)(__global WORD *restrict target,
                                               __global WORD *restrict second_target,
                                               __global const WORD *restrict source,
                                               __global const WORD *restrict second_source,
                                               ulong words) {
    SWEEP_TILES(words, COPY_BOTH);
}

__kernel void VARIANT(sweep_copy2_chunked)(__global WORD *restrict target,
                                           __global WORD *restrict second_target,
                                           __global const WORD *restrict source,
                                           __global const WORD *restrict second_source, ulong words,
                                           ulong chunk) {
    SWEEP_CHUNK(words, chunk, COPY_BOTH);
}

__kernel void VARIANT(sweep_copy2_item)(__global WORD *restrict target,
                                        __global WORD *restrict second_target,
                                        __global const WORD *restrict source,
                                        __global const WORD *restrict second_source) {
    SWEEP_ITEM(COPY_BOTH);
}
