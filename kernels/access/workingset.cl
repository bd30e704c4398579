/* A set of memory read again and again, and walked in a random circle (S1-06, S2-01, S2-17, S3-08).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       set: a power of two of words of 16 bytes, at least 64. sums[item] = sum, modulo
 *              2^32, of every 32-bit component that the item read.
 * Index space: workingset_read: any number of groups of a power of two of items; group g reads
 *              `steps` rows of as many words as it has items, one after the other, from word
 *              g * apart on, and behind the last word from the first on.
 *              workingset_chunked: any number of items; each reads the whole set `passes` times,
 *              from its own share of the set on.
 *              workingset_chase: one item. set[at] is where to go next; place[0] is where it
 *              stands.
 * Moves:       workingset_read: 16 * steps bytes per item. workingset_chunked: 16 * words * passes.
 *              workingset_chase: 4 per step, each of which waits for the one before.
 */
#include "access.h"

__kernel void VARIANT(workingset_read)(__global const uint4 *restrict set,
                                       __global uint *restrict sums, ulong mask, ulong apart,
                                       ulong steps)
{
    const size_t row = get_local_size(0);
    size_t at = get_group_id(0) * apart + get_local_id(0);
    uint4 a = (uint4)(0), b = (uint4)(0), c = (uint4)(0), d = (uint4)(0);
    ulong k = 0;
    for (; k + 4 <= steps; k += 4) {
        a += set[at & mask];
        b += set[(at + row) & mask];
        c += set[(at + 2 * row) & mask];
        d += set[(at + 3 * row) & mask];
        at += 4 * row;
    }
    for (; k < steps; k++, at += row)
        a += set[at & mask];
    sums[get_global_id(0)] = sum_of4(a + b + c + d);
}

#ifndef __CUDACC__

/* 64 bytes at a time in four sums: on PoCL single words reached half of that, 16 bytes two thirds.
 * */
FUNCTION uint VARIANT(workingset_sum)(__global const uint16 *set, size_t begin, size_t end)
{
    uint16 a = (uint16)(0), b = (uint16)(0), c = (uint16)(0), d = (uint16)(0);
    size_t i = begin;
    for (; i + 4 <= end; i += 4) {
        a += set[i];
        b += set[i + 1];
        c += set[i + 2];
        d += set[i + 3];
    }
    for (; i < end; i++)
        a += set[i];
    a += b + c + d;
    const uint8 half_sum = a.lo + a.hi;
    return sum_of4(half_sum.lo + half_sum.hi);
}

__kernel void VARIANT(workingset_chunked)(__global const uint16 *restrict set,
                                          __global uint *restrict sums, ulong words, ulong passes)
{
    const size_t all = words / 4;
    const size_t begin = all / get_global_size(0) * get_global_id(0);
    uint sum = 0;
    for (ulong k = 0; k < passes; k++)
        sum += VARIANT(workingset_sum)(set, begin, all) + VARIANT(workingset_sum)(set, 0, begin);
    sums[get_global_id(0)] = sum;
}

#endif

__kernel void VARIANT(workingset_chase)(__global const uint *restrict set,
                                        __global uint *restrict place, uint steps)
{
    uint at = place[0];
    for (uint k = 0; k < steps; k++)
        at = set[at];
    place[0] = at;
}
