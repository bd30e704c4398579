/* What PTX_FORM_BLOCK's kernels do with the threads of their block. One work-item runs them all.
 * SPDX-License-Identifier: Apache-2.0 */

/* Of clem_state: the region that a thread goes on with, and what it waits for there. */
#define CLEM_REGION 0xffffu

#define CLEM_AT_WARP 0x10000u

#define CLEM_AT_BARRIER 0x20000u

#define CLEM_SPUN 0x40000u

#define CLEM_ENDED 0xffffffffu

/* How many turns of a loop a thread takes in which it waits before others go on, and how many steps of a warp are
 * gone before threads that meet in such loops are left. */
#define CLEM_TURNS 64u

#define CLEM_PATIENCE 256u

typedef __global uchar *clem_pointer;

/* A function that is not put in place of its calls. */
#define CLEM_ALONE __attribute__((noinline))

/* Which work-item of the grid has the number, where a row has `row` of them and a plane `rows` rows. Divides as seldom, and
 * numbers as small, as it can: blocks may be short. */
uint3 clem_item_of(ulong number, uint row, uint rows)
{
    if (number < row)
        return (uint3)((uint)number, 0u, 0u);
    const ulong above = number >> 32 ? number / row : (uint)number / row;
    const uint x = (uint)(number - above * row);
    return above < rows ? (uint3)(x, (uint)above, 0u)
                        : (uint3)(x, (uint)(above % rows), (uint)(above / rows));
}

/* An array with an element for each thread, from so many bytes for each on; and a warp's elements of one, as bits. */
#define CLEM_ARRAY(type, name, at)                                                                 \
    CLEM_SCRATCH type *const name = (CLEM_SCRATCH type *)(clem_scratch + (at) * clem_threads);

#define CLEM_BITS(array) (CLEM_SCRATCH clem_u32_a *)((array) + clem_base)

/* The thread's numbers, from its number in the block. */
#define CLEM_THREAD(number)                                                                        \
    const uint clem_index = (number);                                                             \
    const uint clem_tid_x = clem_index % clem_grid.s4;                                            \
    const uint clem_tid_y = clem_index / clem_grid.s4 % clem_grid.s5;                             \
    const uint clem_tid_z = clem_index / clem_grid.s4 / clem_grid.s5;

/* Likewise for the lanes of a warp one after the other, without a division for each. */
#define CLEM_FIRST_LANE(base)                                                                      \
    clem_tid_x = (base) % clem_grid.s4, clem_tid_y = (base) / clem_grid.s4 % clem_grid.s5,        \
    clem_tid_z = (base) / clem_grid.s4 / clem_grid.s5

#define CLEM_NEXT_LANE                                                                             \
    clem_lane++,                                                                                   \
        ++clem_tid_x == clem_grid.s4                                                               \
            ? (clem_tid_x = 0u,                                                                    \
               ++clem_tid_y == clem_grid.s5 ? (clem_tid_y = 0u, clem_tid_z++) : clem_tid_z)        \
            : clem_tid_z

/* The same where the threads are those of several blocks. */
#define CLEM_JOINED_THREAD(number)                                                                 \
    const uint clem_index = (number);                                                             \
    const uint clem_tid_x = clem_index % clem_grid.s4;                                            \
    const uint clem_tid_y = clem_index / clem_grid.s4 % clem_grid.s5;                             \
    const uint clem_tid_z = clem_index / clem_grid.s4 / clem_grid.s5 % clem_grid.s6;              \
    const uint clem_ctaid_x =                                                                     \
        clem_first + clem_index / clem_grid.s4 / clem_grid.s5 / clem_grid.s6;

/* Which of some lanes of a warp have not ended. */
static inline uint clem_living(CLEM_SCRATCH const uint *state, uint lanes)
{
    uint living = 0u;
    for (uint i = 0; i < 32u; i++)
        if (lanes >> i & 1u)
            living |= (uint)(state[i] != CLEM_ENDED) << i;
    return living;
}

/* Whether all threads that have not ended go on with the same region, and are those whose numbers are
 * below some in each dimension: `live`, and in s3 how many. are_first: none of the block is before one of
 * them that has ended. */
static bool clem_is_together(CLEM_SCRATCH const uint *state, uint8 grid, uint are_first, uint4 *live)
{
    const uint first = state[0];
    uint differ = 0u, end = 0u, index = 0u;
    uint4 found = (uint4)(0u);
    for (uint z = 0; z < grid.s6; z++)
        for (uint y = 0; y < grid.s5; y++)
            for (uint x = 0; x < grid.s4; x++, index++) {
                if (state[index] == CLEM_ENDED)
                    continue;
                differ |= state[index] ^ first;
                found = (uint4)(max(found.s0, x + 1u), max(found.s1, y + 1u),
                                max(found.s2, z + 1u), found.s3 + 1u);
                end = index + 1u;
            }
    if (differ != 0u || found.s3 == 0u || found.s0 * found.s1 * found.s2 != found.s3 ||
        first == CLEM_ENDED ||
        (are_first && end != found.s3))
        return false;
    *live = found;
    return true;
}

/* Lets lanes go that wait for a member mask all of whose lanes have come or ended: true if any. */
static inline bool clem_release_lanes(CLEM_SCRATCH uint *state, CLEM_SCRATCH const uint *wait, uint lanes,
                                      uint live, uint waiting)
{
    bool is_any = false;
#pragma clang loop vectorize(disable) unroll(disable)
    for (uint i = 0; i < lanes; i++) {
        if (!(waiting >> i & 1u))
            continue;
        uint there = 0u;
#pragma clang loop vectorize(disable) unroll(disable)
        for (uint j = 0; j < lanes; j++)
            there |= (uint)((waiting >> j & 1u) && wait[j] == wait[i]) << j;
        const uint members = wait[i] & live;
        if (members & ~there)
            continue;
        is_any = true;
        state[i] &= CLEM_REGION;
#pragma clang loop vectorize(disable) unroll(disable)
        for (uint j = 0; j < lanes; j++)
            if (there >> j & 1u)
                state[j] &= CLEM_REGION;
        waiting &= ~(there | 1u << i);
    }
    return is_any;
}

/* The lowest region that some lanes of a warp can go on with, and which lanes; CLEM_ENDED: none. */
static inline uint clem_choose_region(CLEM_SCRATCH uint *state, CLEM_SCRATCH const uint *wait, uint lanes,
                                      uint *active)
{
    for (;;) {
        uint lowest = CLEM_ENDED, live = 0u, waiting = 0u, chosen = 0u;
        for (uint i = 0; i < lanes; i++)
            lowest = min(lowest, state[i]);
        if (lowest == CLEM_ENDED)
            return lowest;
        lowest = CLEM_ENDED;
        for (uint i = 0; i < lanes; i++) {
            const uint s = state[i];
            live |= (uint)(s != CLEM_ENDED) << i;
            waiting |= (uint)(s != CLEM_ENDED && (s & CLEM_AT_WARP)) << i;
            lowest = s <= CLEM_REGION ? min(lowest, s) : lowest;
        }
        if (waiting && clem_release_lanes(state, wait, lanes, live, waiting))
            continue;
        for (uint i = 0; i < lanes; i++)
            chosen |= (uint)(state[i] == lowest) << i;
        *active = chosen;
        return lowest;
    }
}

/* The same where lanes may wait in loops: those that do are left until no other lane of the warp can go on, and then
 * until all other warps had their turn, which `left` says. */
static inline uint clem_choose_waiting(CLEM_SCRATCH uint *state, CLEM_SCRATCH const uint *wait, uint lanes,
                                       uint *active, uint *left)
{
    for (;;) {
        uint lowest = CLEM_ENDED, live = 0u, waiting = 0u, chosen = 0u;
        for (uint i = 0; i < lanes; i++) {
            const uint s = state[i];
            live |= (uint)(s != CLEM_ENDED) << i;
            waiting |= (uint)((s & (CLEM_AT_WARP | CLEM_SPUN)) == CLEM_AT_WARP) << i;
            lowest = s <= CLEM_REGION ? min(lowest, s) : lowest;
        }
        if (waiting && clem_release_lanes(state, wait, lanes, live, waiting))
            continue;
        for (uint i = 0; i < lanes; i++)
            chosen |= (uint)(state[i] == lowest) << i;
        *active = chosen;
        for (uint i = 0; i < lanes && lowest == CLEM_ENDED; i++)
            if (state[i] != CLEM_ENDED && (state[i] & CLEM_SPUN)) {
                state[i] &= ~CLEM_SPUN;
                *left = 1u;
            }
        return lowest;
    }
}

/* How many threads some lanes of a warp count for at a barrier: all 32 where no other lane lives, for
 * barriers count warps. */
static inline uint clem_weight(CLEM_SCRATCH const uint *state, uint lanes, uint there)
{
#pragma clang loop vectorize(disable) unroll(disable)
    for (uint i = 0; i < lanes; i++)
        if (!(there >> i & 1u) && state[i] != CLEM_ENDED)
            return popcount(there);
    return 32u;
}

#define CLEM_RELEASED 1u

#define CLEM_STUCK 2u

#define CLEM_FINISHED 3u

/* The threads that wait at one barrier. */
struct clem_gathering {
    uint waiting, weight, expected, votes;
};

static inline struct clem_gathering
clem_gather_waiting(CLEM_SCRATCH const uint *state, CLEM_SCRATCH const uint *wait, uint threads, uint number)
{
    struct clem_gathering g = {0u, 0u, 0u, 0u};
#pragma clang loop vectorize(disable) unroll(disable)
    for (uint base = 0; base < threads; base += 32u) {
        const uint lanes = min(32u, threads - base);
        uint there = 0u;
#pragma clang loop vectorize(disable) unroll(disable)
        for (uint i = 0; i < lanes; i++) {
            const uint s = state[base + i], w = wait[base + i];
            if (s == CLEM_ENDED || !(s & CLEM_AT_BARRIER) || (w & 15u) != number)
                continue;
            there |= 1u << i;
            g.expected = max(g.expected, w << 1 >> 5);
            g.votes += w >> 31;
        }
        if (there) {
            g.waiting += popcount(there);
            g.weight += clem_weight(state + base, lanes, there);
        }
    }
    return g;
}

/* Called when no lane of the block can go on: opens each barrier that all it waits for have come to. Each
 * released thread is left in clem_wait how many voted yes, and of how many in the upper half. */
static uint clem_release_barriers(CLEM_SCRATCH uint *state, CLEM_SCRATCH uint *wait, uint threads,
                                  uint *arrived)
{
    uint live = 0u, open = 0u, numbers = 0u;
#pragma clang loop vectorize(disable) unroll(disable)
    for (uint i = 0; i < threads; i++) {
        const uint s = state[i];
        live += s != CLEM_ENDED;
        numbers |= s != CLEM_ENDED && (s & CLEM_AT_BARRIER) ? 1u << (wait[i] & 15u) : 0u;
    }
    if (live == 0u)
        return CLEM_FINISHED;
#pragma clang loop vectorize(disable) unroll(disable)
    for (uint number = 0; number < 16u; number++) {
        if (!(numbers >> number & 1u))
            continue;
        const struct clem_gathering g = clem_gather_waiting(state, wait, threads, number);
        const bool is_open = g.expected ? g.weight + arrived[number] >= g.expected
                                        : g.waiting == live;
        if (g.waiting == 0u || !is_open)
            continue;
        open = 1u;
        arrived[number] = 0u;
#pragma clang loop vectorize(disable) unroll(disable)
        for (uint i = 0; i < threads; i++)
            if (state[i] != CLEM_ENDED && (state[i] & CLEM_AT_BARRIER) &&
                (wait[i] & 15u) == number) {
                state[i] &= CLEM_REGION | CLEM_AT_WARP;
                wait[i] = g.votes | g.waiting << 16;
            }
    }
    return open ? CLEM_RELEASED : CLEM_STUCK;
}

/* The lane that a shuffle reads, and in bit 5 whether it is within its segment. c: as PTX has it, the
 * clamp in bits 0 to 4, the segments' mask in bits 8 to 12. */
static inline uint clem_lane_up(uint lane, uint b, uint c)
{
    const int from = (int)lane - (int)(b & 31u);
    const uint mask = c >> 8 & 31u, last = (lane & mask) | (c & 31u & ~mask);
    return from >= (int)last ? (uint)from | 32u : lane;
}

static inline uint clem_lane_down(uint lane, uint b, uint c)
{
    const uint from = lane + (b & 31u);
    const uint mask = c >> 8 & 31u, last = (lane & mask) | (c & 31u & ~mask);
    return from <= last ? from | 32u : lane;
}

static inline uint clem_lane_across(uint lane, uint b, uint c)
{
    const uint from = lane ^ (b & 31u);
    const uint mask = c >> 8 & 31u, last = (lane & mask) | (c & 31u & ~mask);
    return from <= last ? from | 32u : lane;
}

static inline uint clem_lane_at(uint lane, uint b, uint c)
{
    const uint mask = c >> 8 & 31u, last = (lane & mask) | (c & 31u & ~mask);
    const uint from = (lane & mask) | (b & 31u & ~mask);
    return from <= last ? from | 32u : lane;
}

/* The lanes `active` of a warp exchange values: `from` and `to` are its elements of arrays, which may be one. is_within, if
 * not 0, gets whether a lane read within its segment. A lane that is not active brings 0: undefined in CUDA, but sums over
 * the first lanes of a warp that shuffle at full width rely on it. */
#define CLEM_SHUFFLE(lane_of)                                                                      \
    uint x[32];                                                                                    \
    const uint lanes = 32u - clz(active);                                                          \
    for (uint i = 0; i < 32u; i++)                                                                 \
        x[i] = 0u;                                                                                 \
    _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")                             \
    for (uint i = 0; i < lanes; i++)                                                               \
        x[i] = active >> i & 1u ? from[i] : 0u;                                                    \
    if (to)                                                                                        \
        _Pragma("clang loop vectorize(assume_safety) interleave_count(1)")                         \
        for (uint i = 0; i < lanes; i++)                                                           \
            if (active >> i & 1u)                                                                  \
                to[i] = x[lane_of(i, b, c) & 31u];                                                 \
    for (uint i = 0; is_within && i < lanes; i++)                                                  \
        if (active >> i & 1u)                                                                      \
            is_within[i] = (uchar)(lane_of(i, b, c) >> 5);

static CLEM_ALONE void clem_warp_up(CLEM_SCRATCH clem_u32_a *to, CLEM_SCRATCH uchar *is_within,
                                                   CLEM_SCRATCH const clem_u32_a *from, uint b, uint c, uint active)
{
    CLEM_SHUFFLE(clem_lane_up)
}

static CLEM_ALONE void clem_warp_down(CLEM_SCRATCH clem_u32_a *to, CLEM_SCRATCH uchar *is_within,
                                                     CLEM_SCRATCH const clem_u32_a *from, uint b, uint c, uint active)
{
    CLEM_SHUFFLE(clem_lane_down)
}

static CLEM_ALONE void clem_warp_across(CLEM_SCRATCH clem_u32_a *to, CLEM_SCRATCH uchar *is_within,
                                                       CLEM_SCRATCH const clem_u32_a *from, uint b, uint c, uint active)
{
    CLEM_SHUFFLE(clem_lane_across)
}

static CLEM_ALONE void clem_warp_at(CLEM_SCRATCH clem_u32_a *to, CLEM_SCRATCH uchar *is_within,
                                                   CLEM_SCRATCH const clem_u32_a *from, uint b, uint c, uint active)
{
    CLEM_SHUFFLE(clem_lane_at)
}

/* Which of the lanes have a 1. */
static CLEM_ALONE uint clem_warp_votes(CLEM_SCRATCH const uchar *from, uint active)
{
    uint votes = 0u;
    const uint lanes = 32u - clz(active);
#pragma clang loop vectorize(assume_safety) interleave_count(1)
    for (uint i = 0; i < lanes; i++)
        votes |= (from[i] & 1u) << i;
    return votes & active;
}

/* All lanes get the same. */
static CLEM_ALONE void clem_warp_fill(CLEM_SCRATCH clem_u32_a *to, uint value, uint active)
{
    const uint lanes = 32u - clz(active);
#pragma clang loop vectorize(assume_safety) interleave_count(1)
    for (uint i = 0; to && i < lanes; i++)
        if (active >> i & 1u)
            to[i] = value;
}

static CLEM_ALONE void clem_warp_tell(CLEM_SCRATCH uchar *to, uchar value, uint active)
{
    for (uint i = 0; to && i < 32u; i++)
        if (active >> i & 1u)
            to[i] = value;
}

static inline uint clem_lanes_equal(const ulong *x, uint members, uint lane)
{
    uint same = 0u;
    for (uint i = 0; i < 32u; i++)
        same |= (uint)((members >> i & 1u) && x[i] == x[lane]) << i;
    return same;
}

#define CLEM_LANES(type, start, step)                                                              \
    type r = start;                                                                                \
    for (uint i = 0; i < 32u; i++)                                                                 \
        if (members >> i & 1u) {                                                                   \
            const type v = (type)x[i];                                                             \
            r = step;                                                                              \
        }                                                                                          \
    return (uint)r;

static inline uint clem_lanes_add(const uint *x, uint members)
{
    CLEM_LANES(uint, 0u, r + v)
}

static inline uint clem_lanes_and(const uint *x, uint members)
{
    CLEM_LANES(uint, ~0u, r & v)
}

static inline uint clem_lanes_or(const uint *x, uint members)
{
    CLEM_LANES(uint, 0u, r | v)
}

static inline uint clem_lanes_xor(const uint *x, uint members)
{
    CLEM_LANES(uint, 0u, r ^ v)
}

static inline uint clem_lanes_min_u32(const uint *x, uint members)
{
    CLEM_LANES(uint, ~0u, min(r, v))
}

static inline uint clem_lanes_max_u32(const uint *x, uint members)
{
    CLEM_LANES(uint, 0u, max(r, v))
}

static inline uint clem_lanes_min_s32(const uint *x, uint members)
{
    CLEM_LANES(int, 0x7fffffff, min(r, v))
}

static inline uint clem_lanes_max_s32(const uint *x, uint members)
{
    CLEM_LANES(int, (int)0x80000000u, max(r, v))
}
