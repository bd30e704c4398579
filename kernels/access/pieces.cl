/* Writes some of the four 32-byte pieces of each 128-byte line.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       PIECES of a line's pieces are written: pieces 0, APART, ... Item i writes seed + i: word
 *              i % 8 of piece i / 8 % PIECES of line i / 8 / PIECES.
 * Index space: pieces: one item per word. pieces_chunked: one run of `chunk` lines per item, as far as
 *              there are `lines` (built with CLEM_DEVICE_IS_CPU).
 * PIECES:      1, 2 or 4. APART: 1, or 3 with PIECES 2.
 * Moves:       32 * PIECES bytes of each line.
 * Rows:        S4-15.
 */
#include "access.h"

#ifndef PIECES
#define PIECES 2
#endif
#ifndef APART
#define APART 3
#endif

__kernel void VARIANT(pieces)(__global uint *restrict target, uint seed) {
    size_t i = get_global_id(0);
    size_t piece = i / 8;
    target[piece / PIECES * 32 + piece % PIECES * (8 * APART) + i % 8] = seed + (uint)i;
}

#ifdef CLEM_DEVICE_IS_CPU

/* In vectors, because loops over words became scatters across lines, at half of the speed. */
__kernel void VARIANT(pieces_chunked)(__global uint8 *restrict target, uint seed, ulong lines,
                                      ulong chunk) {
    size_t begin = get_global_id(0) * chunk;
    size_t end = begin + chunk < lines ? begin + chunk : lines;
    uint8 words = (uint8)(0, 1, 2, 3, 4, 5, 6, 7) + seed;
    for (size_t line = begin; line < end; ++line) {
        uint8 first = words + (uint)line * (8 * PIECES);
#pragma unroll
        for (uint k = 0; k < PIECES; ++k)
            target[line * 4 + k * APART] = first + k * 8;
    }
}

#endif
