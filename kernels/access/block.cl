/* A two-dimensional array is copied by blocks of several shapes; its rows have odd lengths.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       height rows of width words, one after the other without padding. target = source.
 *              block_copy: an item per word, and some beyond the edges.
 *              block_line: the same memory as one line of words of 16 bytes, one per item.
 *              block_chunked: item i copies chunk words of the line from i * chunk on.
 *              block_streaming: the same with stores that go past the caches.
 * Index space: block_copy: two dimensions, width x height rounded up to groups. Others: one.
 * Moves:       8 bytes per word.
 * Rows:        S3-01.
 */
#include "access.h"

__kernel void VARIANT(block_copy)(__global uint *restrict target,
                                  __global const uint *restrict source, ulong width, ulong height)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        target[y * width + x] = source[y * width + x];
}

__kernel void VARIANT(block_line)(__global uint4 *restrict target,
                                  __global const uint4 *restrict source)
{
    size_t i = get_global_id(0);
    target[i] = source[i];
}

__kernel void VARIANT(block_chunked)(__global uint4 *restrict target,
                                     __global const uint4 *restrict source, ulong words,
                                     ulong chunk)
{
    size_t begin = get_global_id(0) * chunk, end = min(begin + chunk, words);
    for (size_t i = begin; i < end; ++i)
        target[i] = source[i];
}

#ifdef CLEM_DEVICE_IS_CPU

__kernel void VARIANT(block_streaming)(__global uint4 *restrict target,
                                       __global const uint4 *restrict source, ulong words,
                                       ulong chunk)
{
    size_t begin = get_global_id(0) * chunk, end = min(begin + chunk, words);
    for (size_t i = begin; i < end; ++i)
        __builtin_nontemporal_store(source[i], target + i);
}

#endif
