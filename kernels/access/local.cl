/* Reads words of local memory: at a stride between work-items, and in two layouts of pairs.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       each group keeps its 1024 words of source in local memory, and again as many as are
 *              read past their end. In each of 64 rounds an item adds 16 words up; total = 3 * total
 *              + the components of that sum, modulo 2^32, so that words and their order matter.
 *              target[item] = total.
 *              local_stride: the words from item * stride + round * shift, modulo 1024, on.
 *              local_pair: 8 pairs shared[2 * item], shared[2 * item + 1], each pair 2 words on.
 *              local_split: 8 pairs shared[item], shared[item + group], each pair a word on. In both
 *              the second words of pairs count five times.
 *              stride and shift come as arguments, so that no compiler can join loads.
 * Index space: groups of 256 items.
 * WORD:        uint, uint2 or uint4.
 * Moves:       1024 words of local memory per item; from global memory 1024 words per group.
 * Rows:        S2-02, S2-15.
 */
#include "access.h"

#ifndef WORD
#define WORD uint
#endif

#define LOCAL_WORDS  1024
#define LOCAL_BEYOND 288
#define LOCAL_ROUNDS 64

#define LOCAL_TOTAL_uint(v)  (v)
#define LOCAL_TOTAL_uint2(v) ((v).x + (v).y)
#define LOCAL_TOTAL_uint4(v) ((v).x + (v).y + (v).z + (v).w)
#define LOCAL_TOTAL          JOIN(LOCAL_TOTAL_, WORD)

__kernel void VARIANT(local_stride)(__global const WORD *restrict source,
                                    __global uint *restrict target, uint stride, uint shift)
{
    __local WORD tile[LOCAL_WORDS + LOCAL_BEYOND];
    uint item = (uint)get_local_id(0);
    __global const WORD *from = source + get_group_id(0) * LOCAL_WORDS;
    for (uint i = item; i < LOCAL_WORDS + LOCAL_BEYOND; i += (uint)get_local_size(0))
        tile[i] = from[i % LOCAL_WORDS];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint total = 0;
    for (uint round = 0; round < LOCAL_ROUNDS; ++round) {
        uint place = (item * stride + round * shift) % LOCAL_WORDS;
        WORD sum = (WORD)(0);
#pragma unroll
        for (uint k = 0; k < 16; ++k)
            sum += tile[place + k];
        total = total * 3 + LOCAL_TOTAL(sum);
    }
    target[get_global_id(0)] = total;
}

__kernel void VARIANT(local_pair)(__global const WORD *restrict source,
                                  __global uint *restrict target, uint stride, uint shift)
{
    __local WORD tile[LOCAL_WORDS + LOCAL_BEYOND];
    uint item = (uint)get_local_id(0);
    __global const WORD *from = source + get_group_id(0) * LOCAL_WORDS;
    for (uint i = item; i < LOCAL_WORDS + LOCAL_BEYOND; i += (uint)get_local_size(0))
        tile[i] = from[i % LOCAL_WORDS];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint total = 0;
    for (uint round = 0; round < LOCAL_ROUNDS; ++round) {
        uint place = (item * stride + round * shift) % LOCAL_WORDS;
        WORD first = (WORD)(0), second = (WORD)(0);
#pragma unroll
        for (uint k = 0; k < 16; k += 2) {
            first += tile[place + k];
            second += tile[place + k + 1];
        }
        total = total * 3 + LOCAL_TOTAL(first) + 5 * LOCAL_TOTAL(second);
    }
    target[get_global_id(0)] = total;
}

__kernel void VARIANT(local_split)(__global const WORD *restrict source,
                                   __global uint *restrict target, uint stride, uint shift)
{
    __local WORD tile[LOCAL_WORDS + LOCAL_BEYOND];
    uint item = (uint)get_local_id(0);
    __global const WORD *from = source + get_group_id(0) * LOCAL_WORDS;
    for (uint i = item; i < LOCAL_WORDS + LOCAL_BEYOND; i += (uint)get_local_size(0))
        tile[i] = from[i % LOCAL_WORDS];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint total = 0, group = (uint)get_local_size(0);
    for (uint round = 0; round < LOCAL_ROUNDS; ++round) {
        uint place = (item * stride + round * shift) % LOCAL_WORDS;
        WORD first = (WORD)(0), second = (WORD)(0);
#pragma unroll
        for (uint k = 0; k < 8; ++k) {
            first += tile[place + k];
            second += tile[place + k + group];
        }
        total = total * 3 + LOCAL_TOTAL(first) + 5 * LOCAL_TOTAL(second);
    }
    target[get_global_id(0)] = total;
}
