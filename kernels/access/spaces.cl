/* Dependent steps in memory of a work-item's or a group's own, and in registers (S2-18).
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       table: 256 words, word i = (i * 1664525 + 1013904223) modulo 16384.
 *              place[0] = table[place[0]] modulo 256, `steps` times. spaces_register computes what
 *              would be there.
 * Index space: one item.
 * Moves:       4 bytes per step, out of a copy of the table.
 */
#include "access.h"

__kernel void spaces_private(__global const uint *restrict table, __global uint *restrict place,
                             uint steps)
{
    uint own[256];
    for (uint i = 0; i < 256; i++)
        own[i] = table[i];
    uint at = place[0];
    for (uint k = 0; k < steps; k++)
        at = own[at] % 256;
    place[0] = at;
}

__kernel void spaces_local(__global const uint *restrict table, __global uint *restrict place,
                           uint steps)
{
    __local uint shared[256];
    for (uint i = 0; i < 256; i++)
        shared[i] = table[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint at = place[0];
    for (uint k = 0; k < steps; k++)
        at = shared[at] % 256;
    place[0] = at;
}

__kernel void spaces_register(__global const uint *restrict table, __global uint *restrict place,
                              uint steps)
{
    const uint factor = table[1] - table[0], first = table[0];
    uint at = place[0];
    for (uint k = 0; k < steps; k++)
        at = (at * factor + first) % 256;
    place[0] = at;
}
