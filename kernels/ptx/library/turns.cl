/* What the work-items of a launch do whose blocks may wait for each other.
 * SPDX-License-Identifier: Apache-2.0 */
#include "turns.h"

/* How many turns without progress anywhere a worker takes until it leaves the rest to the others, so that its processor is
 * free for what the blocks may wait for: some tenths of a second. */
#define CLEM_IDLE_TURNS 65536u

/* Where a cooperative launch's barrier is; 0 in other launches. */
static inline ulong clem_workspace(__global struct clem_rota *rota)
{
    return rota->is_cooperative ? (ulong)&rota->workspace[0] : 0ul;
}

static inline __global struct clem_rota_slot *clem_turn_of(__global struct clem_rota *rota, uint slot)
{
    return (__global struct clem_rota_slot *)(rota + 1) + slot;
}

static inline uint clem_rota_word(__global uint *word)
{
    return *(volatile __global uint *)word;
}

static inline bool clem_claim_slot(__global struct clem_rota_slot *turn, uint from)
{
    return clem_rota_word(&turn->state) == from &&
           atomic_cmpxchg((volatile __global uint *)&turn->state, from, CLEM_SLOT_RUNS) == from;
}

static inline void clem_give_slot(__global struct clem_rota_slot *turn, uint to)
{
    clem_fence();
    atomic_xchg((volatile __global uint *)&turn->state, to);
}

static inline uint clem_next_slot(__global struct clem_rota *rota, uint slot)
{
    return slot + 1u < rota->slots ? slot + 1u : 0u;
}

/* Begins the next block in a slot that is free; false: there is none, or the slot is not free. */
static bool clem_begin_block(__global struct clem_rota *rota, __global struct clem_rota_slot *turn, uint blocks)
{
    if (clem_rota_word(&rota->next) >= blocks || !clem_claim_slot(turn, CLEM_SLOT_FREE))
        return false;
    const uint block = atomic_inc((volatile __global uint *)&rota->next);
    if (block >= blocks) {
        clem_give_slot(turn, CLEM_SLOT_FREE);
        return false;
    }
    turn->block = block;
    turn->left = CLEM_TURN_ENDED;
    return true;
}

/* Goes on with a block that waits. */
static bool clem_resume_block(__global struct clem_rota *rota, __global struct clem_rota_slot *turn)
{
    if (!clem_claim_slot(turn, CLEM_SLOT_WAITS))
        return false;
    atomic_dec((volatile __global uint *)&rota->waiting);
    return true;
}

/* The next turn of a worker, from its slot on; false: other workers run all blocks that have not ended. Who leaves says so
 * first, and then looks whether a block was left waiting to one who is just leaving, too. */
static CLEM_ALONE bool clem_take_turn(__global struct clem_rota *rota, uint blocks, uint *slot, uint *block)
{
    for (;;) {
        for (uint i = 0; i < rota->slots; i++) {
            __global struct clem_rota_slot *const turn = clem_turn_of(rota, *slot);
            if (clem_resume_block(rota, turn) || clem_begin_block(rota, turn, blocks)) {
                clem_fence();
                *block = turn->block;
                return true;
            }
            *slot = clem_next_slot(rota, *slot);
        }
        atomic_dec((volatile __global uint *)&rota->workers);
        clem_fence();
        if (clem_rota_word(&rota->waiting) == 0u)
            return false;
        atomic_inc((volatile __global uint *)&rota->workers);
    }
}

/* Whether a worker that sees no progress leaves: the last one never does. */
static bool clem_leaves_turns(__global struct clem_rota *rota)
{
    uint workers = clem_rota_word(&rota->workers);
    while (workers > 1u) {
        const uint found = atomic_cmpxchg((volatile __global uint *)&rota->workers, workers, workers - 1u);
        if (found == workers)
            return true;
        workers = found;
    }
    return false;
}

/* The end of a turn. idle: how many in a row brought no progress, and what progress there was. False: the worker leaves. */
static CLEM_ALONE bool clem_end_turn(__global struct clem_rota *rota, uint *slot, uint2 *idle)
{
    __global struct clem_rota_slot *const turn = clem_turn_of(rota, *slot);
    const uint left = turn->left;
    if (left != CLEM_TURN_WAITED && clem_rota_word(&rota->waiting) != 0u)
        atomic_inc((volatile __global uint *)&rota->progress);
    if (left == CLEM_TURN_ENDED) {
        clem_give_slot(turn, CLEM_SLOT_FREE);
        if (clem_rota_word(&rota->waiting) != 0u)
            *slot = clem_next_slot(rota, *slot);
        return true;
    }
    atomic_inc((volatile __global uint *)&rota->waiting);
    clem_give_slot(turn, CLEM_SLOT_WAITS);
    *slot = clem_next_slot(rota, *slot);
    const uint progress = clem_rota_word(&rota->progress);
    *idle = left == CLEM_TURN_MOVED || progress != idle->y ? (uint2)(0u, progress)
                                                           : (uint2)(idle->x + 1u, progress);
    if (idle->x < CLEM_IDLE_TURNS)
        return true;
    idle->x = 0u;
    return !clem_leaves_turns(rota);
}

/* ---- Within a block ---- */

/* How often a block comes to loops in which it waits as a whole before it lets others go. */
#define CLEM_ROUNDS 64u

/* Whether the block goes on where it was left. Until it is left again, it is as if it ended in this turn. */
static inline uint clem_resumes_turn(__global struct clem_rota_slot *turn)
{
    const uint resumes = turn->left != CLEM_TURN_ENDED;
    turn->left = CLEM_TURN_ENDED;
    return resumes;
}

static inline bool clem_has_ended(__global struct clem_rota_slot *turn)
{
    return turn->left == CLEM_TURN_ENDED;
}

static inline void clem_leave_turn(__global struct clem_rota_slot *turn, uint moved)
{
    turn->left = moved ? CLEM_TURN_MOVED : CLEM_TURN_WAITED;
}

/* Those who have arrived at its barriers. */
static inline void clem_keep_arrived(__global struct clem_rota_slot *turn, const uint *arrived)
{
    for (uint i = 0; i < 16u; i++)
        turn->arrived[i] = arrived[i];
}

static inline void clem_take_arrived(__global const struct clem_rota_slot *turn, uint *arrived)
{
    for (uint i = 0; i < 16u; i++)
        arrived[i] = turn->arrived[i];
}
