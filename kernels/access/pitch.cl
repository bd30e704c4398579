/* Copies rows of words that lie `pitch` words apart.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       target[y * pitch + x] = source[y * pitch + x] for x below width, y below rows.
 * Index space: pitch_copy: two dimensions, x and y, of which x may go beyond width and y must not go
 *              beyond rows. pitch_rows: one run of `chunk` rows per item.
 * Moves:       8 bytes per word; the rest of each pitch is left alone.
 * Rows:        S0-05.
 */
#include "access.h"

__kernel void VARIANT(pitch_copy)(__global uint *restrict target,
                                  __global const uint *restrict source, ulong width, ulong pitch) {
    size_t x = get_global_id(0);
    size_t i = get_global_id(1) * pitch + x;
    if (x < width)
        target[i] = source[i];
}

__kernel void VARIANT(pitch_rows)(__global uint *restrict target,
                                  __global const uint *restrict source, ulong width, ulong pitch,
                                  ulong rows, ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < rows ? begin + chunk : rows;
    for (size_t y = begin; y < end; ++y)
        for (size_t x = 0; x < width; ++x)
            target[y * pitch + x] = source[y * pitch + x];
}
