/* A private array that does not fit into registers (S3-03).
 * SPDX-License-Identifier: Apache-2.0
 *
 * WORDS:       of the array, 0 to 256; with 0 a plain variable stands for it.
 * Shape:       source: 256 words per item, sums: one. The item adds its word k to element
 *              (k * step) modulo WORDS of the array, which begins with zeros; then
 *              sum = 3 * sum + w * (element (k * step) modulo WORDS), for k = 0 .. 255 with w = 1
 *              for each element's first time and otherwise 2, and for k = 255 .. 0 with w = 2: all
 *              elements are needed at one time, and each counts an odd number of times, so that the
 *              sum shows all of its bits. An item does the same for every size of array, and only
 *              its footprint differs. step is odd. spill_fixed knows that step is 1, so that the
 *              array can be in registers; spill_moving is told when it runs.
 * Index space: items in groups of any size; neighbours read neighbouring words. _chunked: an item's
 *              words are together.
 * Moves:       1024 bytes in and 4 out per item.
 */
#include "access.h"

#ifndef WORDS
#define WORDS 16
#endif

#if WORDS > 0
#define COUNT   WORDS
#define STRIP   WORDS
#define PRIVATE uint own[WORDS];
#define CLEAR                                                                                      \
    for (uint k = 0; k < WORDS; k++)                                                               \
        own[k] = 0;
#define ELEMENT(k) own[(k) % WORDS]
#else
#define COUNT      1
#define STRIP      16
#define PRIVATE    uint own;
#define CLEAR      own = 0;
#define ELEMENT(k) own
#endif

/* Unrolled as far as the array goes, so that every place in it is known. */
FUNCTION uint VARIANT(spill_known)(__global const uint *from, size_t apart)
{
    uint sum = 0;
    PRIVATE
    CLEAR
    for (uint j = 0; j < 256; j += STRIP) {
#pragma unroll
        for (uint k = 0; k < STRIP; k++)
            ELEMENT(k) += from[(j + k) * apart];
    }
    for (uint j = 0; j < 256; j += STRIP) {
#pragma unroll
        for (uint k = 0; k < STRIP; k++)
            sum = 3 * sum + (j + k < COUNT ? 1 : 2) * ELEMENT(k);
    }
    for (uint j = 0; j < 256; j += STRIP) {
#pragma unroll
        for (uint k = 0; k < STRIP; k++)
            sum = 3 * sum + 2 * ELEMENT(STRIP - 1 - k);
    }
    return sum;
}

FUNCTION uint VARIANT(spill_told)(__global const uint *from, size_t apart, uint step)
{
    uint sum = 0;
    (void)step; /* an array of no words has no places */
    PRIVATE
    CLEAR
    for (uint k = 0; k < 256; k++)
        ELEMENT(k * step) += from[k * apart];
    for (uint k = 0; k < 256; k++)
        sum = 3 * sum + (k < COUNT ? 1 : 2) * ELEMENT(k * step);
    for (uint k = 0; k < 256; k++)
        sum = 3 * sum + 2 * ELEMENT((255 - k) * step);
    return sum;
}

__kernel void VARIANT(spill_fixed)(__global const uint *restrict source,
                                   __global uint *restrict sums, uint step)
{
    const size_t row = get_local_size(0);
    sums[get_global_id(0)] =
        VARIANT(spill_known)(source + get_group_id(0) * row * 256 + get_local_id(0), row) + step -
        step;
}

__kernel void VARIANT(spill_moving)(__global const uint *restrict source,
                                    __global uint *restrict sums, uint step)
{
    const size_t row = get_local_size(0);
    sums[get_global_id(0)] =
        VARIANT(spill_told)(source + get_group_id(0) * row * 256 + get_local_id(0), row, step);
}

__kernel void VARIANT(spill_fixed_chunked)(__global const uint *restrict source,
                                           __global uint *restrict sums, uint step)
{
    sums[get_global_id(0)] = VARIANT(spill_known)(source + get_global_id(0) * 256, 1) + step - step;
}

__kernel void VARIANT(spill_moving_chunked)(__global const uint *restrict source,
                                            __global uint *restrict sums, uint step)
{
    sums[get_global_id(0)] = VARIANT(spill_told)(source + get_global_id(0) * 256, 1, step);
}

#undef COUNT
#undef STRIP
#undef PRIVATE
#undef CLEAR
#undef ELEMENT
