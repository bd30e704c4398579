/* Histograms of bytes: how often each of 256 values occurs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       source: words of 4 values each. bins[value] += number of times that value occurs.
 *              histogram_global: an atomic in global memory per value.
 *              histogram_local: each group counts with atomics in local memory, then adds its counts
 *              to bins.
 *              histogram_copies: as local, with 8 copies of the counts in a group, one for every 32
 *              items.
 *              histogram_wide: as copies, each item reads words of 16 bytes.
 *              histogram_private: item i counts the words from i * chunk on by itself, in 4 copies
 *              so that equal neighbours do not wait for one another.
 * Index space: groups of 256 items, any number of them; items take words i, i + items, ...
 *              private: words = chunk * items.
 * Moves:       4 bytes per word.
 * Rows:        S2-20.
 */
#include "access.h"

#define HISTOGRAM_VALUES 256
#define HISTOGRAM_GROUP  256
#define HISTOGRAM_COPIES 8

__kernel void VARIANT(histogram_global)(__global const uint *restrict source, __global uint *bins,
                                        ulong words)
{
    for (size_t i = get_global_id(0); i < words; i += get_global_size(0)) {
        uint word = source[i];
        atomic_inc(&bins[word & 0xFF]);
        atomic_inc(&bins[(word >> 8) & 0xFF]);
        atomic_inc(&bins[(word >> 16) & 0xFF]);
        atomic_inc(&bins[word >> 24]);
    }
}

__kernel void VARIANT(histogram_local)(__global const uint *restrict source, __global uint *bins,
                                       ulong words)
{
    __local uint counts[HISTOGRAM_VALUES];
    size_t item = get_local_id(0);
    counts[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < words; i += get_global_size(0)) {
        uint word = source[i];
        atomic_inc(&counts[word & 0xFF]);
        atomic_inc(&counts[(word >> 8) & 0xFF]);
        atomic_inc(&counts[(word >> 16) & 0xFF]);
        atomic_inc(&counts[word >> 24]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[item], counts[item]);
}

/* A copy begins one bank after the copy before. */
#define HISTOGRAM_COUNT(word)                                                                      \
    atomic_inc(&counts[mine + ((word)&0xFF)]);                                                     \
    atomic_inc(&counts[mine + (((word) >> 8) & 0xFF)]);                                            \
    atomic_inc(&counts[mine + (((word) >> 16) & 0xFF)]);                                           \
    atomic_inc(&counts[mine + ((word) >> 24)]);

__kernel void VARIANT(histogram_copies)(__global const uint *restrict source, __global uint *bins,
                                        ulong words)
{
    __local uint counts[HISTOGRAM_COPIES * (HISTOGRAM_VALUES + 1)];
    size_t item = get_local_id(0),
           mine = item / (HISTOGRAM_GROUP / HISTOGRAM_COPIES) * (HISTOGRAM_VALUES + 1);
    for (size_t i = item; i < HISTOGRAM_COPIES * (HISTOGRAM_VALUES + 1); i += HISTOGRAM_GROUP)
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < words; i += get_global_size(0)) {
        uint word = source[i];
        HISTOGRAM_COUNT(word)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (size_t copy = 0; copy < HISTOGRAM_COPIES; ++copy)
        sum += counts[copy * (HISTOGRAM_VALUES + 1) + item];
    atomic_add(&bins[item], sum);
}

__kernel void VARIANT(histogram_wide)(__global const uint4 *restrict source, __global uint *bins,
                                      ulong words)
{
    __local uint counts[HISTOGRAM_COPIES * (HISTOGRAM_VALUES + 1)];
    size_t item = get_local_id(0),
           mine = item / (HISTOGRAM_GROUP / HISTOGRAM_COPIES) * (HISTOGRAM_VALUES + 1);
    for (size_t i = item; i < HISTOGRAM_COPIES * (HISTOGRAM_VALUES + 1); i += HISTOGRAM_GROUP)
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t i = get_global_id(0); i < words / 4; i += get_global_size(0)) {
        uint4 word = source[i];
        HISTOGRAM_COUNT(word.x)
        HISTOGRAM_COUNT(word.y)
        HISTOGRAM_COUNT(word.z)
        HISTOGRAM_COUNT(word.w)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (size_t copy = 0; copy < HISTOGRAM_COPIES; ++copy)
        sum += counts[copy * (HISTOGRAM_VALUES + 1) + item];
    atomic_add(&bins[item], sum);
}

__kernel void VARIANT(histogram_private)(__global const uint *restrict source, __global uint *bins,
                                         ulong chunk)
{
    uint counts[4 * HISTOGRAM_VALUES];
    __global const uint *from = source + get_global_id(0) * chunk;
    for (size_t i = 0; i < 4 * HISTOGRAM_VALUES; ++i)
        counts[i] = 0;
    for (size_t i = 0; i < chunk; ++i) {
        uint word = from[i];
        ++counts[word & 0xFF];
        ++counts[HISTOGRAM_VALUES + ((word >> 8) & 0xFF)];
        ++counts[2 * HISTOGRAM_VALUES + ((word >> 16) & 0xFF)];
        ++counts[3 * HISTOGRAM_VALUES + (word >> 24)];
    }
    for (size_t i = 0; i < HISTOGRAM_VALUES; ++i)
        atomic_add(&bins[i], counts[i] + counts[HISTOGRAM_VALUES + i] +
                                 counts[2 * HISTOGRAM_VALUES + i] +
                                 counts[3 * HISTOGRAM_VALUES + i]);
}
