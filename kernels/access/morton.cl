/* Walks over a plane or a volume of words that lie in memory by rows, in Morton order or in tiles.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       2^lx by 2^ly words (DIMS 2), or 2^lx by 2^ly by 2^lz (DIMS 3). Word (x, y, z) lies at
 *              LAYOUT 0, rows: (z * 2^ly + y) * 2^lx + x. 1, Morton: x's bit k is bit DIMS * k of the
 *              place, y's the next one, z's the one after that. 2, tiles: in squares of 8 by 8 or cubes
 *              of 4 by 4 by 4, by rows inside them and among them.
 *              Morton needs lx >= ly >= lz >= lx - 1, tiles lx >= ly >= lz >= 3 (2).
 * Index space: WALK 0, rows: item (x, y + z * 2^ly) reads its word, target by rows.
 *              1, columns: item (y, x) or (z, x + y * 2^lx), target as the items are numbered.
 *              2, blocks: as rows, but a group has 16 by 16 words, or 8 by 8 by 4 (local size 8, 32).
 *              3, stencil: as rows, the sum of the word and its 4 or 6 neighbours; 0 outside.
 *              4, random: item i goes 64 steps from word to word at random, round the edges, and adds
 *              what it meets; 2^lx * 2^ly * 2^lz / 64 items.
 * Moves:       8 bytes per word; a stencil's neighbours are not counted. Random: 4 bytes per step.
 * Rows:        S2-08, S2-09.
 */
#include "access.h"

#ifndef DIMS
#define DIMS 2
#endif
#ifndef LAYOUT
#define LAYOUT 1
#endif
#ifndef WALK
#define WALK 0
#endif

/* The bits of a number, DIMS apart: bench/morton.h says the same. */
FUNCTION size_t VARIANT(spread)(size_t number)
{
    uint bits = (uint)number;
    if (DIMS == 3) {
        bits = (bits | bits << 16) & 0x030000ffu;
        bits = (bits | bits << 8) & 0x0300f00fu;
        bits = (bits | bits << 4) & 0x030c30c3u;
        return (bits | bits << 2) & 0x09249249u;
    }
    bits = (bits | bits << 8) & 0x00ff00ffu;
    bits = (bits | bits << 4) & 0x0f0f0f0fu;
    bits = (bits | bits << 2) & 0x33333333u;
    return (bits | bits << 1) & 0x55555555u;
}

FUNCTION size_t VARIANT(place)(size_t x, size_t y, size_t z, uint lx, uint ly)
{
    if (LAYOUT == 0)
        return (((z << ly) + y) << lx) + x;
    if (LAYOUT == 1)
        return VARIANT(spread)(x) | VARIANT(spread)(y) << 1 |
               (DIMS == 3 ? VARIANT(spread)(z) << 2 : 0);
    if (DIMS == 2)
        return (((y >> 3) << (lx - 3)) + (x >> 3)) * 64 + (y & 7) * 8 + (x & 7);
    return (((((z >> 2) << (ly - 2)) + (y >> 2)) << (lx - 2)) + (x >> 2)) * 64 + (z & 3) * 16 +
           (y & 3) * 4 + (x & 3);
}

#if WALK == 4
__kernel void VARIANT(morton)(__global uint *restrict target, __global const uint *restrict source,
                              uint lx, uint ly, uint lz)
{
    uint state = (uint)get_global_id(0) * 2654435761u, sum = 0;
    uint x = (state >> 7) & ((1u << lx) - 1), y = (state >> 15) & ((1u << ly) - 1);
    uint z = (state >> 11) & ((1u << lz) - 1);
    for (uint step = 0; step < 64; ++step) {
        sum += source[VARIANT(place)(x, y, z, lx, ly)];
        state = state * 1664525u + 1013904223u;
        uint axis = (state >> 16) % DIMS, by = state >> 31 ? 1u : ~0u;
        x = (x + (axis == 0 ? by : 0u)) & ((1u << lx) - 1);
        y = (y + (axis == 1 ? by : 0u)) & ((1u << ly) - 1);
        z = (z + (axis == 2 ? by : 0u)) & ((1u << lz) - 1);
    }
    target[get_global_id(0)] = sum;
}
#else
__kernel void VARIANT(morton)(__global uint *restrict target, __global const uint *restrict source,
                              uint lx, uint ly, uint lz)
{
    size_t across = get_global_id(0), down = get_global_id(1), x = across, y = down, z = 0;
    size_t out = down * get_global_size(0) + across;
    if (WALK == 1) {
        x = DIMS == 3 ? down & (((size_t)1 << lx) - 1) : down;
        y = DIMS == 3 ? down >> lx : across;
        z = DIMS == 3 ? across : 0;
    } else if (DIMS == 3) {
        y = down & (((size_t)1 << ly) - 1);
        z = down >> ly;
        if (WALK == 2) {
            size_t blocks = ((size_t)1 << ly) / 8, inside = get_local_id(1);
            y = get_group_id(1) % blocks * 8 + inside % 8;
            z = get_group_id(1) / blocks * 4 + inside / 8;
            out = (((z << ly) + y) << lx) + x;
        }
    }
    uint sum = source[VARIANT(place)(x, y, z, lx, ly)];
    if (WALK == 3) {
        sum += x > 0 ? source[VARIANT(place)(x - 1, y, z, lx, ly)] : 0u;
        sum += x + 1 < (size_t)1 << lx ? source[VARIANT(place)(x + 1, y, z, lx, ly)] : 0u;
        sum += y > 0 ? source[VARIANT(place)(x, y - 1, z, lx, ly)] : 0u;
        sum += y + 1 < (size_t)1 << ly ? source[VARIANT(place)(x, y + 1, z, lx, ly)] : 0u;
        if (DIMS == 3) {
            sum += z > 0 ? source[VARIANT(place)(x, y, z - 1, lx, ly)] : 0u;
            sum += z + 1 < (size_t)1 << lz ? source[VARIANT(place)(x, y, z + 1, lx, ly)] : 0u;
        }
    }
    target[out] = sum;
}
#endif
