/* What it costs to wait until stores are seen: fences and barriers.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       an item stores `rounds` values to its own word, each made from the one before: value =
 *              value * 5 + round, at first source[item]. After each store comes nothing (fence_none), a
 *              fence for local memory (fence_local), one for global memory (fence_global), or a
 *              barrier of the group with that fence (fence_barrier_local, fence_barrier_global).
 *              target[item] = the last value.
 * Index space: groups of 64 items.
 * Does:        `rounds` times store and fence per item. A fence orders what its own group sees.
 * Rows:        S2-20.
 */
#include "access.h"

#define FENCE(name, fence)                                                                         \
    __kernel void VARIANT(name)(__global const uint *restrict source,                              \
                                __global volatile uint *target, uint rounds)                       \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        uint value = source[i];                                                                    \
        for (uint round = 0; round < rounds; ++round) {                                            \
            value = value * 5 + round;                                                             \
            target[i] = value;                                                                     \
            fence;                                                                                 \
        }                                                                                          \
    }

FENCE(fence_none, )
FENCE(fence_local, mem_fence(CLK_LOCAL_MEM_FENCE))
FENCE(fence_global, mem_fence(CLK_GLOBAL_MEM_FENCE))
FENCE(fence_barrier_local, barrier(CLK_LOCAL_MEM_FENCE))
FENCE(fence_barrier_global, barrier(CLK_GLOBAL_MEM_FENCE))
