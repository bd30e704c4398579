/* Warps: which lane a work-item is, and PTX's own instructions where inline asm is PTX.
 * SPDX-License-Identifier: Apache-2.0 */

/* The number of a work-item in its group, x first, as CUDA counts threads. */
static inline uint clem_thread(void)
{
    return (uint)(get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2)));
}

static inline uint clem_lane(void)
{
    return clem_thread() & 31u;
}

static inline uint clem_warp(void)
{
    return clem_thread() >> 5;
}

static inline uint clem_warps(void)
{
    return (uint)((get_local_size(0) * get_local_size(1) * get_local_size(2) + 31) >> 5);
}

/* %lanemask_eq and kin of a lane. */
#define clem_lanemask_eq(lane) (1u << (lane))

#define clem_lanemask_lt(lane) ((1u << (lane)) - 1u)

#define clem_lanemask_le(lane) ((2u << (lane)) - 1u)

#define clem_lanemask_gt(lane) (~((2u << (lane)) - 1u))

#define clem_lanemask_ge(lane) (~((1u << (lane)) - 1u))

/* ---- PTX ---- */

/* Exchanges: *inside tells whether the lane read from was in range. */
#define CLEM_NATIVE_SHFL(MODE)                                                                     \
    static inline uint clem_native_shfl_##MODE(uint a, uint b, uint c, uint mask, uint *inside)    \
    {                                                                                              \
        uint d, p;                                                                                 \
        __asm__ volatile("{\n\t.reg .pred q;\n\tshfl.sync." #MODE ".b32 %0|q, %2, %3, %4, %5;\n\t" \
                         "selp.u32 %1, 1, 0, q;\n\t}"                                              \
                         : "=r"(d), "=r"(p)                                                        \
                         : "r"(a), "r"(b), "r"(c), "r"(mask)                                       \
                         : "memory");                                                              \
        *inside = p;                                                                               \
        return d;                                                                                  \
    }

/* Defines clem_native_shfl_up clem_native_shfl_down clem_native_shfl_bfly clem_native_shfl_idx */
CLEM_NATIVE_SHFL(up)
CLEM_NATIVE_SHFL(down)
CLEM_NATIVE_SHFL(bfly)
CLEM_NATIVE_SHFL(idx)

#define CLEM_NATIVE_VOTE(MODE)                                                                     \
    static inline uint clem_native_vote_##MODE(uint a, uint mask)                                  \
    {                                                                                              \
        uint d;                                                                                    \
        __asm__ volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %1, 0;\n\t"                      \
                         "vote.sync." #MODE ".pred q, p, %2;\n\tselp.u32 %0, 1, 0, q;\n\t}"        \
                         : "=r"(d)                                                                 \
                         : "r"(a), "r"(mask)                                                       \
                         : "memory");                                                              \
        return d;                                                                                  \
    }

/* Defines clem_native_vote_all clem_native_vote_any clem_native_vote_uni */
CLEM_NATIVE_VOTE(all)
CLEM_NATIVE_VOTE(any)
CLEM_NATIVE_VOTE(uni)

static inline uint clem_native_vote_ballot(uint a, uint mask)
{
    uint d;
    __asm__ volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\tvote.sync.ballot.b32 %0, p, %2;\n\t}"
                     : "=r"(d)
                     : "r"(a), "r"(mask)
                     : "memory");
    return d;
}

static inline uint clem_native_match_any_32(uint a, uint mask)
{
    uint d;
    __asm__ volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(mask) : "memory");
    return d;
}

static inline uint clem_native_match_any_64(ulong a, uint mask)
{
    uint d;
    __asm__ volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(d) : "l"(a), "r"(mask) : "memory");
    return d;
}

/* *same: whether all lanes have the same value. */
static inline uint clem_native_match_all_32(uint a, uint mask, uint *same)
{
    uint d, p;
    __asm__ volatile("{\n\t.reg .pred q;\n\tmatch.all.sync.b32 %0|q, %2, %3;\n\tselp.u32 %1, 1, 0, q;\n\t}"
                     : "=r"(d), "=r"(p)
                     : "r"(a), "r"(mask)
                     : "memory");
    *same = p;
    return d;
}

static inline uint clem_native_match_all_64(ulong a, uint mask, uint *same)
{
    uint d, p;
    __asm__ volatile("{\n\t.reg .pred q;\n\tmatch.all.sync.b64 %0|q, %2, %3;\n\tselp.u32 %1, 1, 0, q;\n\t}"
                     : "=r"(d), "=r"(p)
                     : "l"(a), "r"(mask)
                     : "memory");
    *same = p;
    return d;
}

static inline uint clem_native_activemask(void)
{
    uint d;
    __asm__ volatile("activemask.b32 %0;" : "=r"(d) : : "memory");
    return d;
}

static inline uint clem_native_elect(uint mask, uint *elected)
{
    uint d, p;
    __asm__ volatile("{\n\t.reg .pred q;\n\telect.sync %0|q, %2;\n\tselp.u32 %1, 1, 0, q;\n\t}"
                     : "=r"(d), "=r"(p)
                     : "r"(mask)
                     : "memory");
    *elected = p;
    return d;
}

#define CLEM_NATIVE_REDUX(NAME, WORDS, T)                                                          \
    static inline T NAME(T a, uint mask)                                                           \
    {                                                                                              \
        T d;                                                                                       \
        __asm__ volatile("redux.sync." WORDS " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(mask) : "memory"); \
        return d;                                                                                  \
    }

/* Defines clem_native_redux_add_u32 clem_native_redux_min_u32 clem_native_redux_max_u32 */
CLEM_NATIVE_REDUX(clem_native_redux_add_u32, "add.u32", uint)
CLEM_NATIVE_REDUX(clem_native_redux_min_u32, "min.u32", uint)
CLEM_NATIVE_REDUX(clem_native_redux_max_u32, "max.u32", uint)

/* Defines clem_native_redux_add_s32 clem_native_redux_min_s32 clem_native_redux_max_s32 */
CLEM_NATIVE_REDUX(clem_native_redux_add_s32, "add.s32", int)
CLEM_NATIVE_REDUX(clem_native_redux_min_s32, "min.s32", int)
CLEM_NATIVE_REDUX(clem_native_redux_max_s32, "max.s32", int)

/* Defines clem_native_redux_and_b32 clem_native_redux_or_b32 clem_native_redux_xor_b32 */
CLEM_NATIVE_REDUX(clem_native_redux_and_b32, "and.b32", uint)
CLEM_NATIVE_REDUX(clem_native_redux_or_b32, "or.b32", uint)
CLEM_NATIVE_REDUX(clem_native_redux_xor_b32, "xor.b32", uint)

#define clem_native_bar_warp(mask) __asm__ volatile("bar.warp.sync %0;" : : "r"((uint)(mask)) : "memory")

/* Barriers with a number, a count, or both. */
#define clem_native_bar_sync(a) __asm__ volatile("barrier.sync %0;" : : "r"((uint)(a)) : "memory")

#define clem_native_bar_sync_count(a, b)                                                           \
    __asm__ volatile("barrier.sync %0, %1;" : : "r"((uint)(a)), "r"((uint)(b)) : "memory")

#define clem_native_bar_arrive(a, b)                                                               \
    __asm__ volatile("barrier.arrive %0, %1;" : : "r"((uint)(a)), "r"((uint)(b)) : "memory")

/* With a count, or for all threads of the block but those that have ended, which a count would
 * wait for: then count means nothing. */
#define CLEM_NATIVE_BAR_POPC(NAME, WHERE)                                                          \
    static inline uint NAME(uint a, uint count, uint c)                                            \
    {                                                                                              \
        uint d;                                                                                    \
        __asm__ volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %3, 0;\n\t"                         \
                         "barrier.red.popc.u32 %0, " WHERE ", p;\n\t}"                            \
                         : "=r"(d)                                                                 \
                         : "r"(a), "r"(count), "r"(c)                                              \
                         : "memory");                                                              \
        return d;                                                                                  \
    }

/* Defines clem_native_bar_popc clem_native_bar_popc_count */
CLEM_NATIVE_BAR_POPC(clem_native_bar_popc, "%1")
CLEM_NATIVE_BAR_POPC(clem_native_bar_popc_count, "%1, %2")

#define CLEM_NATIVE_BAR_RED(NAME, MODE, WHERE)                                                     \
    static inline uint NAME(uint a, uint count, uint c)                                            \
    {                                                                                              \
        uint d;                                                                                    \
        __asm__ volatile("{\n\t.reg .pred p, q;\n\tsetp.ne.u32 p, %3, 0;\n\t"                      \
                         "barrier.red." MODE ".pred q, " WHERE ", p;\n\tselp.u32 %0, 1, 0, q;\n\t}" \
                         : "=r"(d)                                                                 \
                         : "r"(a), "r"(count), "r"(c)                                              \
                         : "memory");                                                              \
        return d;                                                                                  \
    }

/* Defines clem_native_bar_and clem_native_bar_or clem_native_bar_and_count clem_native_bar_or_count */
CLEM_NATIVE_BAR_RED(clem_native_bar_and, "and", "%1")
CLEM_NATIVE_BAR_RED(clem_native_bar_or, "or", "%1")
CLEM_NATIVE_BAR_RED(clem_native_bar_and_count, "and", "%1, %2")
CLEM_NATIVE_BAR_RED(clem_native_bar_or_count, "or", "%1, %2")

/* A condition that compilers know nothing of: see convergence.c. */
static inline uint clem_native_opaque(uint a)
{
    uint d;
    __asm__ volatile("mov.u32 %0, %1;" : "=r"(d) : "r"(a));
    return d;
}

/* The multiprocessor, and how many there are. */
static inline uint clem_native_smid(void)
{
    uint d;
    __asm__ volatile("mov.u32 %0, %%smid;" : "=r"(d));
    return d;
}

static inline uint clem_native_nsmid(void)
{
    uint d;
    __asm__ volatile("mov.u32 %0, %%nsmid;" : "=r"(d));
    return d;
}

/* Clocks. */
static inline uint clem_native_clock(void)
{
    uint d;
    __asm__ volatile("mov.u32 %0, %%clock;" : "=r"(d) : : "memory");
    return d;
}

static inline ulong clem_native_clock64(void)
{
    ulong d;
    __asm__ volatile("mov.u64 %0, %%clock64;" : "=l"(d) : : "memory");
    return d;
}

static inline ulong clem_native_timer(void)
{
    ulong d;
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(d) : : "memory");
    return d;
}
