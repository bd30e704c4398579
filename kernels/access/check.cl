/* Small kernels for the questions that are answered by yes or no.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       check_fill: target[i] = value for every i below words; check_fill_bytes the same of
 *              bytes. check_add: target[i] += value. check_turn: target[i] = 3 * source[words - 1 -
 *              i] + 1. check_count: *counter counts all items. check_spin: target[0] comes from
 *              `rounds` dependent steps.
 * Index space: check_fill, check_fill_bytes: any number of items, a grid-stride apart. check_spin:
 *              one item. Others: one item per word.
 * Moves:       what nobody counts.
 * Rows:        S0-01, S0-04, S2-21, S4-04, S4-08, S4-11, S4-16.
 */
#include "access.h"

__kernel void VARIANT(check_fill)(__global uint *target, uint value, ulong words)
{
    for (size_t i = get_global_id(0); i < words; i += get_global_size(0))
        target[i] = value;
}

__kernel void VARIANT(check_fill_bytes)(__global uchar *target, uint value, ulong bytes)
{
    for (size_t i = get_global_id(0); i < bytes; i += get_global_size(0))
        target[i] = (uchar)value;
}

__kernel void VARIANT(check_add)(__global uint *target, uint value)
{
    target[get_global_id(0)] += value;
}

__kernel void VARIANT(check_turn)(__global uint *target, __global const uint *source, ulong words)
{
    size_t i = get_global_id(0);
    target[i] = 3 * source[words - 1 - i] + 1;
}

__kernel void VARIANT(check_count)(__global uint *counter)
{
    atomic_inc(counter);
}

__kernel void VARIANT(check_spin)(__global uint *target, uint rounds)
{
    uint state = target[0];
    for (uint i = 0; i < rounds; ++i)
        state = state * 1664525u + 1013904223u;
    target[0] = state;
}
