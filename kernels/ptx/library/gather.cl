/* The beginning of a cooperative launch's kernel where a work-item is a thread.
 * SPDX-License-Identifier: Apache-2.0 */
#include "gather.h"

/* By an atomic operation, which no cache of a compute unit answers. */
static inline uint clem_gather_word(__global uint *word)
{
    return atomic_or((volatile __global uint *)word, 0u);
}

/* Where the launch's barrier is. */
static inline ulong clem_gather_workspace(__global struct clem_gather *gathering)
{
    return (ulong)&gathering->workspace[0];
}

/* The first who leaves the state says how for all. True: it was this block. */
static inline bool clem_gather_ends(__global struct clem_gather *gathering, uint state)
{
    return atomic_cmpxchg((volatile __global uint *)&gathering->state, CLEM_GATHER_OPEN, state) == CLEM_GATHER_OPEN;
}

/* Blocks stay until nobody has come for some time: as many were at work at once. Later ones see that it is over. */
static inline void clem_gather_count(__global struct clem_gather *gathering)
{
    uint seen = 0u, left = gathering->patience;
    if (clem_gather_word(&gathering->state) != CLEM_GATHER_OPEN)
        return;
    atomic_inc((volatile __global uint *)&gathering->arrived);
    while (clem_gather_word(&gathering->state) == CLEM_GATHER_OPEN) {
        const uint now = clem_gather_word(&gathering->arrived);
        left = now == seen ? left - 1u : gathering->patience;
        seen = now;
        if (left == 0u)
            clem_gather_ends(gathering, CLEM_GATHER_COUNTED);
    }
}

/* Either all blocks go on or none does anything. */
static inline void clem_gather_all(__global struct clem_gather *gathering, __global struct clem_runtime *runtime)
{
    uint left = gathering->patience;
    if (atomic_inc((volatile __global uint *)&gathering->arrived) + 1u == gathering->blocks)
        clem_gather_ends(gathering, CLEM_GATHER_ALL);
    while (clem_gather_word(&gathering->state) == CLEM_GATHER_OPEN)
        if (--left == 0u && clem_gather_ends(gathering, CLEM_GATHER_GAVE_UP) && !gathering->is_quiet)
            clem_fail(runtime, CLEM_FAILURE_GATHER);
}

/* One thread of a block waits; the others wait for it at a barrier that follows. */
static inline void clem_gather_begin(__global struct clem_gather *gathering, __global struct clem_runtime *runtime)
{
    if (get_local_id(0) != 0 || get_local_id(1) != 0 || get_local_id(2) != 0)
        return;
    if (gathering->blocks == 0u)
        clem_gather_count(gathering);
    else
        clem_gather_all(gathering, runtime);
}

/* For all threads, behind that barrier: the state is what it stays, and an atomic operation by each would take longest of all. */
static inline bool clem_has_gathered(__global struct clem_gather *gathering)
{
    return *(volatile __global uint *)&gathering->state == CLEM_GATHER_ALL;
}
