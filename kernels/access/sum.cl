/* Adds two arrays, or two matrices, as the sources do it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       sum_arrays: target[i] = first[i] + second[i], i below words. sum_matrices: the same
 *              of element (x, y) of `width` x `height` elements in dense rows.
 * Index space: one item per element, in 1 or 2 dimensions; items past the end do nothing.
 * Alignment:   4 bytes.
 * Moves:       12 bytes per element.
 * Rows:        S4-06, S4-10.
 */
#include "access.h"

__kernel void VARIANT(sum_arrays)(__global uint *restrict target,
                                  __global const uint *restrict first,
                                  __global const uint *restrict second, ulong words)
{
    size_t i = get_global_id(0);
    if (i < words)
        target[i] = first[i] + second[i];
}

__kernel void VARIANT(sum_matrices)(__global uint *restrict target,
                                    __global const uint *restrict first,
                                    __global const uint *restrict second, ulong width,
                                    ulong height)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    size_t i = y * width + x;
    if (x < width && y < height)
        target[i] = first[i] + second[i];
}
