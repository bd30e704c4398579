/* Copies words in an order that stays inside segments of 32 words.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       target[i] = source[place of i], where the place has another order in the same 32 words.
 * Index space: permute: one item per word. permute_segments: one run of `chunk` segments per item, as
 *              far as there are `segments`. permute_shuffled: the same in registers (built with
 *              CLEM_DEVICE_IS_CPU).
 * ORDER:       0 as it is, 1 reversed, 2 shuffled.
 * Moves:       8 bytes per word.
 * Rows:        S0-15, S0-16, S0-17, S4-12.
 */
#include "access.h"

#ifndef ORDER
#define ORDER 2
#endif
/* The factors are odd, so that every lane has a place of its own. */
#define PERMUTE_FACTOR      (ORDER == 0 ? 1 : ORDER == 1 ? 31 : 13)
#define PERMUTE_FIRST       (ORDER == 0 ? 0 : ORDER == 1 ? 31 : 7)
#define PERMUTE_PLACE(lane) (((lane)*PERMUTE_FACTOR + PERMUTE_FIRST) & 31)

__kernel void VARIANT(permute)(__global uint *restrict target,
                               __global const uint *restrict source) {
    size_t i = get_global_id(0);
    size_t lane = i & 31;
    target[i] = source[i - lane + PERMUTE_PLACE(lane)];
}

__kernel void VARIANT(permute_segments)(__global uint *restrict target,
                                        __global const uint *restrict source, ulong segments,
                                        ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < segments ? begin + chunk : segments;
    for (size_t segment = begin; segment < end; ++segment) {
        __global uint *to = target + segment * 32;
        __global const uint *from = source + segment * 32;
#pragma unroll
        for (uint lane = 0; lane < 32; ++lane)
            to[lane] = from[PERMUTE_PLACE(lane)];
    }
}

#ifdef CLEM_DEVICE_IS_CPU

#define PERMUTE_4(lane)                                                                            \
    PERMUTE_PLACE(lane), PERMUTE_PLACE((lane) + 1), PERMUTE_PLACE((lane) + 2),                     \
        PERMUTE_PLACE((lane) + 3)
#define PERMUTE_16(lane)                                                                           \
    (uint16)(PERMUTE_4(lane), PERMUTE_4((lane) + 4), PERMUTE_4((lane) + 8), PERMUTE_4((lane) + 12))

__kernel void VARIANT(permute_shuffled)(__global uint16 *restrict target,
                                        __global const uint16 *restrict source, ulong segments,
                                        ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < segments ? begin + chunk : segments;
    for (size_t segment = begin; segment < end; ++segment) {
        uint16 low = source[segment * 2], high = source[segment * 2 + 1];
        target[segment * 2] = shuffle2(low, high, PERMUTE_16(0));
        target[segment * 2 + 1] = shuffle2(low, high, PERMUTE_16(16));
    }
}

#endif
