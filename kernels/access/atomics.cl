/* Atomic operations on global and local memory, by operation and by how many addresses share them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       global: item i does 16 operations on counters[i % addresses], addresses being a power
 *              of two. atomic_*_local: the same on the group's own 256 counters, which begin at 0
 *              and end in counters[group * 256 ...]; addresses <= 256.
 *              add: adds source[i] >> round, nobody wants the old value. inc: adds 1. max: of
 *              source[i] + round. fetch: adds 1; results[i] += all old values. cas: one
 *              compare-and-swap of the value last seen for one more; results[i] += how many swapped.
 * Index space: groups of 256 items.
 * Does:        16 operations per item.
 * Rows:        S2-20.
 */
#include "access.h"

#define ATOMIC_ROUNDS   16
#define ATOMIC_COUNTERS 256

#define ATOMIC_ADD(counter)   atomic_add(counter, value >> round);
#define ATOMIC_INC(counter)   atomic_inc(counter);
#define ATOMIC_MAX(counter)   atomic_max(counter, value + round);
#define ATOMIC_FETCH(counter) result += atomic_add(counter, 1u);
#define ATOMIC_CAS(counter)                                                                        \
    uint found = atomic_cmpxchg(counter, seen, seen + 1);                                          \
    result += found == seen ? 1 : 0;                                                               \
    seen = found == seen ? seen + 1 : found;

/* What an item knows before its operations, and what it leaves behind. */
#define ATOMIC_BEGIN_SOURCE uint value = source[get_global_id(0)];
#define ATOMIC_END_SOURCE
#define ATOMIC_BEGIN_RESULT uint result = 0;
#define ATOMIC_END_RESULT   results[get_global_id(0)] += result;
#define ATOMIC_BEGIN_CAS    uint result = 0, seen = 0;
#define ATOMIC_BEGIN_NOTHING
#define ATOMIC_END_NOTHING

#define ATOMIC_ON_GLOBAL(name, parameters, BEGIN, OPERATION, END)                                  \
    __kernel void VARIANT(name)(__global uint * counters, uint addresses parameters)               \
    {                                                                                              \
        __global uint *counter = counters + (get_global_id(0) & (addresses - 1));                  \
        BEGIN                                                                                      \
        for (uint round = 0; round < ATOMIC_ROUNDS; ++round) {                                     \
            OPERATION(counter)                                                                     \
        }                                                                                          \
        END                                                                                        \
    }

#define ATOMIC_ON_LOCAL(name, parameters, BEGIN, OPERATION, END)                                   \
    __kernel void VARIANT(name)(__global uint * counters, uint addresses parameters)               \
    {                                                                                              \
        __local uint mine[ATOMIC_COUNTERS];                                                        \
        for (size_t i = get_local_id(0); i < ATOMIC_COUNTERS; i += get_local_size(0))              \
            mine[i] = 0;                                                                           \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        BEGIN                                                                                      \
        for (uint round = 0; round < ATOMIC_ROUNDS; ++round) {                                     \
            OPERATION(&mine[get_local_id(0) & (addresses - 1)])                                    \
        }                                                                                          \
        END barrier(CLK_LOCAL_MEM_FENCE);                                                          \
        for (size_t i = get_local_id(0); i < addresses; i += get_local_size(0))                    \
            counters[get_group_id(0) * ATOMIC_COUNTERS + i] = mine[i];                             \
    }

#define ATOMIC_COMMA_SOURCE  , __global const uint *source
#define ATOMIC_COMMA_RESULTS , __global uint *results
#define ATOMIC_COMMA_NOTHING

ATOMIC_ON_GLOBAL(atomic_add_global, ATOMIC_COMMA_SOURCE, ATOMIC_BEGIN_SOURCE, ATOMIC_ADD,
                 ATOMIC_END_SOURCE)
ATOMIC_ON_GLOBAL(atomic_inc_global, ATOMIC_COMMA_NOTHING, ATOMIC_BEGIN_NOTHING, ATOMIC_INC,
                 ATOMIC_END_NOTHING)
ATOMIC_ON_GLOBAL(atomic_max_global, ATOMIC_COMMA_SOURCE, ATOMIC_BEGIN_SOURCE, ATOMIC_MAX,
                 ATOMIC_END_SOURCE)
ATOMIC_ON_GLOBAL(atomic_fetch_global, ATOMIC_COMMA_RESULTS, ATOMIC_BEGIN_RESULT, ATOMIC_FETCH,
                 ATOMIC_END_RESULT)
ATOMIC_ON_GLOBAL(atomic_cas_global, ATOMIC_COMMA_RESULTS, ATOMIC_BEGIN_CAS, ATOMIC_CAS,
                 ATOMIC_END_RESULT)

ATOMIC_ON_LOCAL(atomic_add_local, ATOMIC_COMMA_SOURCE, ATOMIC_BEGIN_SOURCE, ATOMIC_ADD,
                ATOMIC_END_SOURCE)
ATOMIC_ON_LOCAL(atomic_inc_local, ATOMIC_COMMA_NOTHING, ATOMIC_BEGIN_NOTHING, ATOMIC_INC,
                ATOMIC_END_NOTHING)
ATOMIC_ON_LOCAL(atomic_max_local, ATOMIC_COMMA_SOURCE, ATOMIC_BEGIN_SOURCE, ATOMIC_MAX,
                ATOMIC_END_SOURCE)
ATOMIC_ON_LOCAL(atomic_fetch_local, ATOMIC_COMMA_RESULTS, ATOMIC_BEGIN_RESULT, ATOMIC_FETCH,
                ATOMIC_END_RESULT)
ATOMIC_ON_LOCAL(atomic_cas_local, ATOMIC_COMMA_RESULTS, ATOMIC_BEGIN_CAS, ATOMIC_CAS,
                ATOMIC_END_RESULT)
