/* What PTX_FORM_WARP's kernels do: a register of a warp is a vector with an element for each of its 32 lanes, a predicate
 * one of -1 and 0. What is not inline is long, and better compiled once.
 * SPDX-License-Identifier: Apache-2.0 */

/* m: the same in memory, which need not be aligned as vectors are. half: of half a warp in memory, as blocks of 16 threads in
 * x have rows. */
typedef uchar clem_u8v __attribute__((ext_vector_type(32)));
typedef char clem_s8v __attribute__((ext_vector_type(32)));
typedef ushort clem_u16v __attribute__((ext_vector_type(32)));
typedef short clem_s16v __attribute__((ext_vector_type(32)));
typedef uint clem_u32v __attribute__((ext_vector_type(32)));
typedef int clem_s32v __attribute__((ext_vector_type(32)));
typedef ulong clem_u64v __attribute__((ext_vector_type(32)));
typedef long clem_s64v __attribute__((ext_vector_type(32)));
typedef float clem_f32v __attribute__((ext_vector_type(32)));
typedef uchar clem_u8m __attribute__((ext_vector_type(32), aligned(1), may_alias));
typedef ushort clem_u16m __attribute__((ext_vector_type(32), aligned(2), may_alias));
typedef uint clem_u32m __attribute__((ext_vector_type(32), aligned(4), may_alias));
typedef ulong clem_u64m __attribute__((ext_vector_type(32), aligned(8), may_alias));
typedef float clem_f32m __attribute__((ext_vector_type(32), aligned(4), may_alias));
typedef uchar clem_half_u8 __attribute__((ext_vector_type(16), aligned(1), may_alias));
typedef ushort clem_half_u16 __attribute__((ext_vector_type(16), aligned(2), may_alias));
typedef uint clem_half_u32 __attribute__((ext_vector_type(16), aligned(4), may_alias));
typedef ulong clem_half_u64 __attribute__((ext_vector_type(16), aligned(8), may_alias));

typedef double clem_f64v __attribute__((ext_vector_type(32)));

typedef double clem_f64m __attribute__((ext_vector_type(32), aligned(8), may_alias));

#define clem_as(x, T) __builtin_astype(x, T)

#define clem_to(x, T) __builtin_convertvector(x, T)

#define clem_iota                                                                                  \
    ((clem_u32v)(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 14u, 15u, 16u, 17u,   \
                 18u, 19u, 20u, 21u, 22u, 23u, 24u, 25u, 26u, 27u, 28u, 29u, 30u, 31u))

#define clem_lane_bits ((clem_u32v)(1u) << clem_iota)

/* Which lanes of a mask there are, and the mask of lanes. */
#define clem_lanes_of(mask) (((clem_u32v)(mask) & clem_lane_bits) != 0u)

static inline uint clem_mask_of(clem_s32v lanes)
{
    return __builtin_reduce_or(clem_as(lanes, clem_u32v) & clem_lane_bits);
}

/* ---- Registers between the nodes of a kernel: in the frame of their warp, which is CLEM_FRAME ---- */

/* Of the lane that is being run. */
#define clem_of_lane(T, at) (((CLEM_FRAME T *)(clem_frame + (at)))[clem_lane])

/* One for all lanes. */
#define clem_one(T, at) (*(CLEM_FRAME T *)(clem_frame + (at)))

#define clem_home_u8(at) (*(CLEM_FRAME clem_u8m *)(clem_frame + (at)))
#define clem_home_u16(at) (*(CLEM_FRAME clem_u16m *)(clem_frame + (at)))
#define clem_home_u32(at) (*(CLEM_FRAME clem_u32m *)(clem_frame + (at)))
#define clem_home_u64(at) (*(CLEM_FRAME clem_u64m *)(clem_frame + (at)))
#define clem_home_f32(at) (*(CLEM_FRAME clem_f32m *)(clem_frame + (at)))

#define clem_home_f64(at) (*(CLEM_FRAME clem_f64m *)(clem_frame + (at)))

/* Predicates are bytes there, 0 or 1. */
#define clem_take_pred(at) (clem_to(clem_home_u8(at), clem_s32v) != 0)

#define clem_put_pred(at, x) (clem_home_u8(at) = clem_to(-(x), clem_u8v))

/* Lanes that are not active keep what they have: clem_m. */
#define clem_blend_pred(at, x)                                                                     \
    (clem_home_u8(at) = clem_to(clem_m, clem_s8v) ? clem_to(-(x), clem_u8v) : clem_home_u8(at))

#define clem_blend_u8(at, x) (clem_home_u8(at) = clem_to(clem_m, clem_s8v) ? (x) : clem_home_u8(at))

#define clem_blend_u16(at, x)                                                                      \
    (clem_home_u16(at) = clem_to(clem_m, clem_s16v) ? (x) : clem_home_u16(at))

#define clem_blend_u32(at, x) (clem_home_u32(at) = clem_m ? (x) : clem_home_u32(at))

#define clem_blend_f32(at, x) (clem_home_f32(at) = clem_m ? (x) : clem_home_f32(at))

#define clem_blend_u64(at, x)                                                                      \
    (clem_home_u64(at) = clem_to(clem_m, clem_s64v) ? (x) : clem_home_u64(at))

#define clem_blend_f64(at, x)                                                                      \
    (clem_home_f64(at) = clem_to(clem_m, clem_s64v) ? (x) : clem_home_f64(at))

/* ---- Lane after lane ---- */

/* Whether there is another, clem_rest being those that are not run yet and that one. */
#define CLEM_LANES_OF_WARP ((clem_rest &= clem_rest - 1u) != 0u)

#define CLEM_LANE_OF_WARP                                                                               \
    const uint clem_lane = 31u - clz(clem_rest & (0u - clem_rest)), clem_index = clem_base + clem_lane;

/* Of lanes of a warp that store at one place: the one whose value stays. NVIDIA's hardware keeps the lowest lane's. The order
 * of CLEM_LANES_DOWNWARD and of clem_scatter_...() follows it, and so do the owners of the block form. */
#define CLEM_WINNER(active) (31u - clz((active) & (0u - (active))))

/* Some lane is active. */
#define CLEM_LANE_THAT_WINS                                                                        \
    const uint clem_lane = CLEM_WINNER(clem_active), clem_index = clem_base + clem_lane;

/* The highest first. */
#define CLEM_LANES_DOWNWARD ((clem_rest &= ~(0x80000000u >> clz(clem_rest))) != 0u)

#define CLEM_HIGHEST_LANE                                                                          \
    const uint clem_lane = 31u - clz(clem_rest), clem_index = clem_base + clem_lane;

/* ---- Where the lanes of a warp go on ---- */

/* Of clem_pc: the lanes of the warp are not together, clem_state says where each is. */
#define CLEM_PARTED 0xfffffffeu

/* The lanes that there are, and where they begin. */
static inline void clem_begin_warps(CLEM_SCRATCH uint *pc, CLEM_SCRATCH uint *masks, uint threads)
{
    for (uint i = 0; i * 32u < threads; i++) {
        pc[i] = 0u;
        masks[i] = ~0u >> (32u - min(32u, threads - i * 32u));
    }
}

/* The numbers of all threads, a frame after the other. Those beyond the last thread are nobody's. */
static CLEM_ALONE void clem_number_threads(CLEM_SCRATCH uchar *frames, uint bytes, uint8 grid)
{
    const uint threads = grid.s4 * grid.s5 * grid.s6;
    if (grid.s4 % 32u == 0u || grid.s5 * grid.s6 == 1u) {
        for (uint base = 0u, x = 0u, y = 0u, z = 0u; base < threads; base += 32u, frames += bytes) {
            ((CLEM_SCRATCH clem_u32m *)frames)[0] = clem_iota + x;
            ((CLEM_SCRATCH clem_u32m *)frames)[1] = (clem_u32v)(y);
            ((CLEM_SCRATCH clem_u32m *)frames)[2] = (clem_u32v)(z);
            x += 32u;
            if (x >= grid.s4) {
                x = 0u;
                z += y + 1u == grid.s5;
                y = y + 1u == grid.s5 ? 0u : y + 1u;
            }
        }
        return;
    }
    for (uint at = 0u, z = 0u; z < grid.s6; z++)
        for (uint y = 0; y < grid.s5; y++)
            for (uint x = 0; x < grid.s4; x++, at++) {
                CLEM_SCRATCH uint *const to = (CLEM_SCRATCH uint *)(frames + (at >> 5) * bytes) + (at & 31u);
                to[0] = x;
                to[32] = y;
                to[64] = z;
            }
}

/* Some lanes of a warp go to a state; what they wait for there, unless it is known already. */
static CLEM_ALONE void clem_send_lanes(CLEM_SCRATCH uint *state, CLEM_SCRATCH uint *wait, uint lanes, uint go,
                                uint what_for, uint has_wait)
{
    const clem_s32v m = clem_lanes_of(lanes);
    CLEM_SCRATCH clem_u32m *const s = (CLEM_SCRATCH clem_u32m *)state;
    CLEM_SCRATCH clem_u32m *const w = (CLEM_SCRATCH clem_u32m *)wait;
    *s = m ? (clem_u32v)(go) : *s;
    if (has_wait)
        *w = m ? (clem_u32v)(what_for) : *w;
}

/* What some lanes of a warp wait for. */
static inline void clem_wait_for(CLEM_SCRATCH uint *wait, uint lanes, uint what_for)
{
    CLEM_SCRATCH clem_u32m *const w = (CLEM_SCRATCH clem_u32m *)wait;
    *w = clem_lanes_of(lanes) ? (clem_u32v)(what_for) : *w;
}

/* The lanes of a warp were together until now: `active`, all others have ended. */
static inline void clem_part_lanes(CLEM_SCRATCH uint *state, uint active)
{
    *(CLEM_SCRATCH clem_u32m *)state = clem_lanes_of(active) ? (clem_u32v)(0u) : (clem_u32v)(CLEM_ENDED);
}

/* The lowest node that some lanes of a warp can go on with, and which lanes; CLEM_ENDED: none. others: whether more lanes
 * live. As clem_choose_region() and clem_choose_waiting(). */
static CLEM_ALONE uint clem_choose_lanes(CLEM_SCRATCH uint *state, CLEM_SCRATCH const uint *wait, uint *active,
                                  uint *others, uint *left)
{
    for (;;) {
        const clem_u32v s = *(CLEM_SCRATCH clem_u32m *)state;
        const uint lowest = __builtin_reduce_min(s);
        if (lowest == CLEM_ENDED)
            return lowest;
        const uint live = clem_mask_of(s != CLEM_ENDED);
        const uint spun = clem_mask_of((s & CLEM_SPUN) != 0u) & live;
        const uint waiting = clem_mask_of((s & CLEM_AT_WARP) != 0u) & live & ~spun;
        if (waiting && clem_release_lanes(state, wait, 32u, live, waiting))
            continue;
        if (lowest <= CLEM_REGION) {
            *active = clem_mask_of(s == lowest);
            *others = live != *active;
            return lowest;
        }
        if (spun) {
            const clem_s32v m = clem_lanes_of(spun);
            *(CLEM_SCRATCH clem_u32m *)state = m ? s & ~CLEM_SPUN : s;
            *left = 1u;
        }
        return CLEM_ENDED;
    }
}

/* What a warp has come to of which no lane can go on: all its lanes to the one barrier of the block (then *mask), to
 * their ends, or elsewhere. */
static inline uint clem_settle_lanes(CLEM_SCRATCH const uint *state, CLEM_SCRATCH const uint *wait,
                                     CLEM_SCRATCH uint *mask)
{
    const clem_u32v s = *(CLEM_SCRATCH const clem_u32m *)state, w = *(CLEM_SCRATCH const clem_u32m *)wait;
    const uint live = clem_mask_of(s != CLEM_ENDED);
    const uint first = __builtin_reduce_min(s);
    if (live == 0u)
        return CLEM_ENDED;
    if ((first & ~CLEM_REGION) != CLEM_AT_BARRIER || (clem_mask_of((s != first) | (w != 0u)) & live))
        return CLEM_PARTED;
    *mask = live;
    return first;
}

/* When all warps had their turn: opens barriers, unless some can go on. Most often all warps are at the same one. */
static CLEM_ALONE uint clem_release_warps(CLEM_SCRATCH uint *pc, CLEM_SCRATCH const uint *masks, CLEM_SCRATCH uint *state,
                                   CLEM_SCRATCH uint *wait, uint warps, uint *arrived)
{
    uint first = CLEM_ENDED, differ = 0u;
    for (uint i = 0; i < warps; i++) {
        if (pc[i] <= CLEM_REGION)
            return CLEM_RELEASED;
        first = first == CLEM_ENDED ? pc[i] : first;
        differ |= pc[i] != CLEM_ENDED && pc[i] != first;
    }
    if (first == CLEM_ENDED)
        return CLEM_FINISHED;
    if (!differ && first != CLEM_PARTED) {
        for (uint i = 0; i < warps; i++)
            pc[i] = pc[i] == CLEM_ENDED ? CLEM_ENDED : first & CLEM_REGION;
        return CLEM_RELEASED;
    }
    for (uint i = 0; i < warps; i++) {
        if (pc[i] == CLEM_PARTED)
            continue;
        clem_part_lanes(state + i * 32u, pc[i] == CLEM_ENDED ? 0u : masks[i]);
        if (pc[i] != CLEM_ENDED)
            clem_send_lanes(state + i * 32u, wait + i * 32u, masks[i], pc[i], 0u, 1u);
        pc[i] = CLEM_PARTED;
    }
    return clem_release_barriers(state, wait, warps * 32u, arrived);
}

/* ---- Arithmetic ---- */

static inline clem_u32v clem_vshl_b32(clem_u32v a, clem_u32v b)
{
    return b > 31u ? (clem_u32v)(0u) : a << (b & 31u);
}

static inline clem_u32v clem_vshr_u32(clem_u32v a, clem_u32v b)
{
    return b > 31u ? (clem_u32v)(0u) : a >> (b & 31u);
}

static inline clem_s32v clem_vshr_s32(clem_s32v a, clem_u32v b)
{
    return a >> clem_as(b > 31u ? (clem_u32v)(31u) : b, clem_s32v);
}

static inline clem_u64v clem_vshl_b64(clem_u64v a, clem_u32v b)
{
    const clem_u64v by = clem_to(b, clem_u64v);
    return by > 63ul ? (clem_u64v)(0ul) : a << (by & 63ul);
}

static inline clem_u64v clem_vshr_u64(clem_u64v a, clem_u32v b)
{
    const clem_u64v by = clem_to(b, clem_u64v);
    return by > 63ul ? (clem_u64v)(0ul) : a >> (by & 63ul);
}

static inline clem_s64v clem_vshr_s64(clem_s64v a, clem_u32v b)
{
    return a >> clem_to(b > 63u ? (clem_u32v)(63u) : b, clem_s64v);
}

/* Ones: counted in pairs of bits, then in fours, in bytes, in all. */
static CLEM_ALONE clem_u32v clem_vpopc_b32(clem_u32v a)
{
    a = a - (a >> 1 & 0x55555555u);
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    a = a + (a >> 8);
    return (a + (a >> 16)) & 63u;
}

/* Zeros above the highest one: all bits that have no one above or at their place. */
static CLEM_ALONE clem_u32v clem_vclz_b32(clem_u32v a)
{
    a = a | a >> 1;
    a = a | a >> 2;
    a = a | a >> 4;
    a = a | a >> 8;
    return clem_vpopc_b32(~(a | a >> 16));
}

static inline clem_u32v clem_vmul_hi_u32(clem_u32v a, clem_u32v b)
{
    return clem_to(clem_to(a, clem_u64v) * clem_to(b, clem_u64v) >> 32, clem_u32v);
}

static inline clem_s32v clem_vmul_hi_s32(clem_s32v a, clem_s32v b)
{
    return clem_to(clem_to(a, clem_s64v) * clem_to(b, clem_s64v) >> 32, clem_s32v);
}

static inline clem_f32v clem_vfma_f32(clem_f32v a, clem_f32v b, clem_f32v c)
{
    clem_f32v r;
    r.lo = fma(a.lo, b.lo, c.lo);
    r.hi = fma(a.hi, b.hi, c.hi);
    return r;
}

static inline clem_f64v clem_vfma_f64(clem_f64v a, clem_f64v b, clem_f64v c)
{
    clem_f64v r;
    r.lo = fma(a.lo, b.lo, c.lo);
    r.hi = fma(a.hi, b.hi, c.hi);
    return r;
}

/* ---- Memory ---- */

#define CLEM_NO_BASE

#define CLEM_SHARED_BASE __local uchar *base,

#define CLEM_PASS_BASE base,

#define CLEM_GLOBAL_PLACE(T, at) ((__global T *)(at))

#define CLEM_SHARED_PLACE(T, at) ((__local T *)(base + (at)))

#define CLEM_HALF(T) clem_half_##T

#define clem_half_iota ((clem_half_u32)(0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 14u, 15u))

/* Whether the addresses of the active lanes are those of neighbours, lane 0's being `start`. */
#define CLEM_ARE_NEIGHBOURS(A, N, a, start, bytes, active)                                               \
    ((clem_mask_of(clem_to(a == (N)(start) + clem_to(clem_iota, clem_##A##v) * (N)(bytes), clem_s32v)) & \
      (active)) == (active))

/* What the lanes load from and store to addresses of their own: neighbours at once where the warp is whole, otherwise one
 * after the other, the lowest last, since its value is what stays where several store to one place.
 * clem_call_...: not inline, for kernels with many. */
#define CLEM_VECTOR_MEMORY(T, E, V, S, A, N, BASE, PASS, PLACE)                                                   \
    static inline void clem_gather_half_##S##_##T(BASE const N *a, uint active, E *r)                             \
    {                                                                                                             \
        const CLEM_HALF(A) at = *(const CLEM_HALF(A) *)a;                                                         \
        const CLEM_HALF(A) off = at - at.s0;                                                                      \
        if (active == 0xffffu && __builtin_reduce_or(off) == 0)                                                   \
            *(CLEM_HALF(T) *)r = (CLEM_HALF(T))(*PLACE(E, at.s0));                                                \
        else if (active == 0xffffu &&                                                                             \
            __builtin_reduce_or(off - clem_to(clem_half_iota, CLEM_HALF(A)) * (N)sizeof(E)) == 0)                 \
            *(CLEM_HALF(T) *)r = *PLACE(CLEM_HALF(T), at.s0);                                                     \
        else                                                                                                      \
            for (uint rest = active; rest != 0u; rest &= rest - 1u) {                                             \
                const uint i = 31u - clz(rest & (0u - rest));                                                     \
                r[i] = *PLACE(E, a[i]);                                                                           \
            }                                                                                                     \
    }                                                                                                             \
    static CLEM_ALONE V clem_gather_##S##_##T(BASE clem_##A##v a, uint active)                                           \
    {                                                                                                             \
        E r[32];                                                                                                  \
        clem_##A##v at[1] = {a};                                                                                  \
        const uint first = 31u - clz(active & (0u - active));                                                     \
        const long start = (long)((N *)at)[first] - (long)(first * sizeof(E));                                    \
        if (active != ~0u && CLEM_ARE_NEIGHBOURS(A, N, a, start, sizeof(E), active)) {                            \
            for (uint i = 0; i < 32u; i++)                                                                        \
                if (active >> i & 1u)                                                                             \
                    r[i] = PLACE(E, start)[i];                                                                    \
            return *(clem_##T##m *)r;                                                                             \
        }                                                                                                         \
        clem_gather_half_##S##_##T(PASS (N *)at, active & 0xffffu, r);                                            \
        clem_gather_half_##S##_##T(PASS (N *)at + 16, active >> 16, r + 16);                                      \
        return *(clem_##T##m *)r;                                                                                 \
    }                                                                                                             \
    static inline void clem_scatter_half_##S##_##T(BASE const N *a, const E *x, uint active)                      \
    {                                                                                                             \
        const CLEM_HALF(A) at = *(const CLEM_HALF(A) *)a;                                                         \
        if (active == 0xffffu &&                                                                                  \
            __builtin_reduce_or(at - at.s0 - clem_to(clem_half_iota, CLEM_HALF(A)) * (N)sizeof(E)) == 0)          \
            *PLACE(CLEM_HALF(T), at.s0) = *(const CLEM_HALF(T) *)x;                                               \
        else                                                                                                      \
            for (uint rest = active; rest != 0u;) {                                                               \
                const uint i = 31u - clz(rest);                                                                   \
                *PLACE(E, a[i]) = x[i];                                                                           \
                rest &= ~(1u << i);                                                                               \
            }                                                                                                     \
    }                                                                                                             \
    static CLEM_ALONE void clem_scatter_##S##_##T(BASE clem_##A##v a, V x, uint active)                                  \
    {                                                                                                             \
        clem_##A##v at[1] = {a};                                                                                  \
        V from[1] = {x};                                                                                          \
        const uint first = 31u - clz(active & (0u - active));                                                     \
        const long start = (long)((N *)at)[first] - (long)(first * sizeof(E));                                    \
        if (active != ~0u && CLEM_ARE_NEIGHBOURS(A, N, a, start, sizeof(E), active)) {                            \
            for (uint i = 0; i < 32u; i++)                                                                        \
                if (active >> i & 1u)                                                                             \
                    PLACE(E, start)[i] = ((E *)from)[i];                                                          \
            return;                                                                                               \
        }                                                                                                         \
        clem_scatter_half_##S##_##T(PASS (N *)at + 16, (E *)from + 16, active >> 16);                             \
        clem_scatter_half_##S##_##T(PASS (N *)at, (E *)from, active & 0xffffu);                                   \
    }                                                                                                             \
    static inline V clem_load_##S##_##T(BASE clem_##A##v a, uint active)                                          \
    {                                                                                                             \
        if (active == ~0u && __builtin_reduce_or(a - a.s0 - clem_to(clem_iota, clem_##A##v) * (N)sizeof(E)) == 0) \
            return *PLACE(clem_##T##m, a.s0);                                                                     \
        return clem_gather_##S##_##T(PASS a, active);                                                             \
    }                                                                                                             \
    static inline void clem_store_##S##_##T(BASE clem_##A##v a, V x, uint active)                                 \
    {                                                                                                             \
        if (active == ~0u && __builtin_reduce_or(a - a.s0 - clem_to(clem_iota, clem_##A##v) * (N)sizeof(E)) == 0) \
            *PLACE(clem_##T##m, a.s0) = x;                                                                        \
        else                                                                                                      \
            clem_scatter_##S##_##T(PASS a, x, active);                                                            \
    }                                                                                                             \
    static CLEM_ALONE V clem_call_load_##S##_##T(BASE clem_##A##v a, uint active)                                        \
    {                                                                                                             \
        return clem_load_##S##_##T(PASS a, active);                                                               \
    }                                                                                                             \
    static CLEM_ALONE void clem_call_store_##S##_##T(BASE clem_##A##v a, V x, uint active)                               \
    {                                                                                                             \
        clem_store_##S##_##T(PASS a, x, active);                                                                  \
    }

/* Defines clem_load_global_u8 clem_store_global_u8 clem_call_load_global_u8 clem_call_store_global_u8 */
CLEM_VECTOR_MEMORY(u8, clem_u8_a, clem_u8v, global, u64, ulong, CLEM_NO_BASE, CLEM_NO_BASE, CLEM_GLOBAL_PLACE)

/* Defines clem_load_global_u16 clem_store_global_u16 clem_call_load_global_u16 clem_call_store_global_u16 */
CLEM_VECTOR_MEMORY(u16, clem_u16_a, clem_u16v, global, u64, ulong, CLEM_NO_BASE, CLEM_NO_BASE, CLEM_GLOBAL_PLACE)

/* Defines clem_load_global_u32 clem_store_global_u32 clem_call_load_global_u32 clem_call_store_global_u32 */
CLEM_VECTOR_MEMORY(u32, clem_u32_a, clem_u32v, global, u64, ulong, CLEM_NO_BASE, CLEM_NO_BASE, CLEM_GLOBAL_PLACE)

/* Defines clem_load_global_u64 clem_store_global_u64 clem_call_load_global_u64 clem_call_store_global_u64 */
CLEM_VECTOR_MEMORY(u64, clem_u64_a, clem_u64v, global, u64, ulong, CLEM_NO_BASE, CLEM_NO_BASE, CLEM_GLOBAL_PLACE)

/* Defines clem_load_shared_u8 clem_store_shared_u8 clem_call_load_shared_u8 clem_call_store_shared_u8 */
CLEM_VECTOR_MEMORY(u8, clem_u8_a, clem_u8v, shared, u32, uint, CLEM_SHARED_BASE, CLEM_PASS_BASE, CLEM_SHARED_PLACE)

/* Defines clem_load_shared_u16 clem_store_shared_u16 clem_call_load_shared_u16 clem_call_store_shared_u16 */
CLEM_VECTOR_MEMORY(u16, clem_u16_a, clem_u16v, shared, u32, uint, CLEM_SHARED_BASE, CLEM_PASS_BASE, CLEM_SHARED_PLACE)

/* Defines clem_load_shared_u32 clem_store_shared_u32 clem_call_load_shared_u32 clem_call_store_shared_u32 */
CLEM_VECTOR_MEMORY(u32, clem_u32_a, clem_u32v, shared, u32, uint, CLEM_SHARED_BASE, CLEM_PASS_BASE, CLEM_SHARED_PLACE)

/* Defines clem_load_shared_u64 clem_store_shared_u64 clem_call_load_shared_u64 clem_call_store_shared_u64 */
CLEM_VECTOR_MEMORY(u64, clem_u64_a, clem_u64v, shared, u32, uint, CLEM_SHARED_BASE, CLEM_PASS_BASE, CLEM_SHARED_PLACE)

/* ---- What the lanes of a warp do together ---- */

/* The value of lane from[i] of each lane i. */
static CLEM_ALONE clem_u32v clem_permute(clem_u32v x, clem_u32v from)
{
    uint values[32], lanes[32], r[32];
    *(clem_u32m *)values = x;
    *(clem_u32m *)lanes = from & 31u;
    for (uint i = 0; i < 32u; i++)
        r[i] = values[lanes[i]];
    return *(clem_u32m *)r;
}

/* The same where it is lane i - d, i + d and i ^ d; what comes from beyond is not looked at. */
static inline clem_u32v clem_shift_up(clem_u32v x, uint d)
{
    switch (d) {
    case 1u:
        return __builtin_shufflevector(x, x, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                                       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30);
    case 2u:
        return __builtin_shufflevector(x, x, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                                       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
    case 4u:
        return __builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                       15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27);
    case 8u:
        return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
                                       12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23);
    case 16u:
        return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2,
                                       3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    default:
        return clem_permute(x, clem_iota - d);
    }
}

static inline clem_u32v clem_shift_down(clem_u32v x, uint d)
{
    switch (d) {
    case 1u:
        return __builtin_shufflevector(x, x, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                                       19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 31);
    case 2u:
        return __builtin_shufflevector(x, x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
                                       20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 30, 31);
    case 4u:
        return __builtin_shufflevector(x, x, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
                                       21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 28, 29, 30, 31);
    case 8u:
        return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
                                       24, 25, 26, 27, 28, 29, 30, 31, 24, 25, 26, 27, 28, 29, 30, 31);
    case 16u:
        return __builtin_shufflevector(x, x, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                       16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    default:
        return clem_permute(x, clem_iota + d);
    }
}

static inline clem_u32v clem_shift_across(clem_u32v x, uint d)
{
    switch (d) {
    case 1u:
        return __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 17, 16,
                                       19, 18, 21, 20, 23, 22, 25, 24, 27, 26, 29, 28, 31, 30);
    case 2u:
        return __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 18, 19,
                                       16, 17, 22, 23, 20, 21, 26, 27, 24, 25, 30, 31, 28, 29);
    case 4u:
        return __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11, 20, 21,
                                       22, 23, 16, 17, 18, 19, 28, 29, 30, 31, 24, 25, 26, 27);
    case 8u:
        return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25,
                                       26, 27, 28, 29, 30, 31, 16, 17, 18, 19, 20, 21, 22, 23);
    case 16u:
        return __builtin_shufflevector(x, x, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                       0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    default:
        return clem_permute(x, clem_iota ^ d);
    }
}

/* As clem_lane_up() and kin of library/block.cl. */
#define CLEM_VECTOR_LANES(from, is_within)                                                         \
    const clem_u32v mask = c >> 8 & 31u, last = (clem_iota & mask) | (c & 31u & ~mask);            \
    const clem_u32v there = from;                                                                  \
    *within = is_within;                                                                           \
    return *within ? there : clem_iota;

static inline clem_u32v clem_vlane_up(clem_u32v b, clem_u32v c, clem_s32v *within)
{
    CLEM_VECTOR_LANES(clem_iota - (b & 31u), clem_as(there, clem_s32v) >= clem_as(last, clem_s32v))
}

static inline clem_u32v clem_vlane_down(clem_u32v b, clem_u32v c, clem_s32v *within)
{
    CLEM_VECTOR_LANES(clem_iota + (b & 31u), there <= last)
}

static inline clem_u32v clem_vlane_across(clem_u32v b, clem_u32v c, clem_s32v *within)
{
    CLEM_VECTOR_LANES(clem_iota ^ (b & 31u), there <= last)
}

static inline clem_u32v clem_vlane_at(clem_u32v b, clem_u32v c, clem_s32v *within)
{
    CLEM_VECTOR_LANES((clem_iota & mask) | (b & 31u & ~mask), there <= last)
}

/* Of each lane: the lanes of its own mask with its own value. */
static CLEM_ALONE clem_u32v clem_match_lanes(clem_u64v x, clem_u32v members, uint active)
{
    ulong values[32];
    *(clem_u64m *)values = x;
    clem_u32v r = (clem_u32v)(0u);
    for (uint rest = active; rest != 0u;) {
        const uint i = 31u - clz(rest & (0u - rest));
        const uint same = clem_mask_of(clem_to(x == values[i], clem_s32v)) & active;
        r = clem_lanes_of(same) ? (clem_u32v)(same) : r;
        rest &= ~same;
    }
    return r & members;
}

/* Of each lane: a reduction over the lanes of its own mask, by a function of library/block.cl. */
#define CLEM_VECTOR_REDUCTION(name, f)                                                             \
    static CLEM_ALONE clem_u32v name(clem_u32v x, clem_u32v members, uint active)                         \
    {                                                                                              \
        uint values[32], masks[32], r[32];                                                         \
        *(clem_u32m *)values = x;                                                                  \
        *(clem_u32m *)masks = members;                                                             \
        uint mask = 0u, found = 0u;                                                                \
        for (uint i = 0; i < 32u; i++) {                                                           \
            if (!(active >> i & 1u))                                                               \
                continue;                                                                          \
            if (masks[i] != mask) {                                                                \
                mask = masks[i];                                                                   \
                found = f(values, mask);                                                           \
            }                                                                                      \
            r[i] = found;                                                                          \
        }                                                                                          \
        return *(clem_u32m *)r;                                                                    \
    }

/* Defines clem_vlanes_add */
CLEM_VECTOR_REDUCTION(clem_vlanes_add, clem_lanes_add)

/* Defines clem_vlanes_and */
CLEM_VECTOR_REDUCTION(clem_vlanes_and, clem_lanes_and)

/* Defines clem_vlanes_or */
CLEM_VECTOR_REDUCTION(clem_vlanes_or, clem_lanes_or)

/* Defines clem_vlanes_xor */
CLEM_VECTOR_REDUCTION(clem_vlanes_xor, clem_lanes_xor)

/* Defines clem_vlanes_min_u32 */
CLEM_VECTOR_REDUCTION(clem_vlanes_min_u32, clem_lanes_min_u32)

/* Defines clem_vlanes_max_u32 */
CLEM_VECTOR_REDUCTION(clem_vlanes_max_u32, clem_lanes_max_u32)

/* Defines clem_vlanes_min_s32 */
CLEM_VECTOR_REDUCTION(clem_vlanes_min_s32, clem_lanes_min_s32)

/* Defines clem_vlanes_max_s32 */
CLEM_VECTOR_REDUCTION(clem_vlanes_max_s32, clem_lanes_max_s32)

/* The value of the lane whose store stays. */
#define CLEM_LOWEST(V, T, E)                                                                       \
    static CLEM_ALONE E clem_lowest_##T(V x, uint active)                                                 \
    {                                                                                              \
        V at[1] = {x};                                                                             \
        return ((E *)at)[CLEM_WINNER(active)];                                                     \
    }

/* Defines clem_lowest_u8 */
CLEM_LOWEST(clem_u8v, u8, clem_u8_a)

/* Defines clem_lowest_u16 */
CLEM_LOWEST(clem_u16v, u16, clem_u16_a)

/* Defines clem_lowest_u32 */
CLEM_LOWEST(clem_u32v, u32, clem_u32_a)

/* Defines clem_lowest_u64 */
CLEM_LOWEST(clem_u64v, u64, clem_u64_a)

/* Of each lane: the lowest of its own mask. */
static CLEM_ALONE clem_u32v clem_first_lanes(clem_u32v members)
{
    uint masks[32];
    *(clem_u32m *)masks = members;
    for (uint i = 0; i < 32u; i++)
        masks[i] = 31u - clz(masks[i] & (0u - masks[i]));
    return *(clem_u32m *)masks;
}
