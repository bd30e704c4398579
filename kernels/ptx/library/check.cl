/* Each access of a kernel that is checked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* OpenCL C has no pointers to functions, so the call is written out, with all that a function of C may change. On x86-64 it is
 * made from a stack as functions want it, beyond what the compiler may keep below its end. */
#if defined(__AVX512F__)
#define CLEM_CHECK_VECTORS                                                                         \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",    \
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",  \
        "k7"
#else
#define CLEM_CHECK_VECTORS
#endif

#if defined(__x86_64__)
#define CLEM_CHECK_CALL_SIX(function, a, b, c, d, e, f, answer)                                    \
    do {                                                                                           \
        ulong clem_a = (a), clem_b = (b), clem_c = (c), clem_d = (d);                              \
        __asm__ volatile("movq %%rsp, %%r12\n\t"                                                   \
                         "subq $256, %%rsp\n\t"                                                    \
                         "andq $-64, %%rsp\n\t"                                                    \
                         "movq %6, %%r8\n\t"                                                       \
                         "movq %7, %%r9\n\t"                                                       \
                         "call *%%rax\n\t"                                                         \
                         "movq %%r12, %%rsp"                                                       \
                         : "=a"(answer), "+D"(clem_a), "+S"(clem_b), "+d"(clem_c), "+c"(clem_d)    \
                         : "0"(function), "r"((ulong)(e)), "r"((ulong)(f))                         \
                         : "r8", "r9", "r10", "r11", "r12", "memory", "cc", "xmm0", "xmm1",        \
                           "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",         \
                           "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",                            \
                           "xmm15" CLEM_CHECK_VECTORS);                                            \
    } while (0)
#define CLEM_CHECK_CALL(function, call, answer)                                                    \
    __asm__ volatile("movq %%rsp, %%r12\n\t"                                                       \
                     "subq $256, %%rsp\n\t"                                                        \
                     "andq $-64, %%rsp\n\t"                                                        \
                     "call *%%rax\n\t"                                                             \
                     "movq %%r12, %%rsp"                                                           \
                     : "=a"(answer), "+D"(call)                                                    \
                     : "0"(function)                                                               \
                     : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "memory", "cc",       \
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",     \
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",                        \
                       "xmm15" CLEM_CHECK_VECTORS)
#elif defined(__aarch64__)
#define CLEM_CHECK_CALL_SIX(function, a, b, c, d, e, f, answer) (answer) = 0ul /* none is plain */
#define CLEM_CHECK_CALL(function, call, answer)                                                    \
    __asm__ volatile("mov x16, %2\n\t"                                                             \
                     "mov x0, %1\n\t"                                                              \
                     "blr x16\n\t"                                                                 \
                     "mov %0, x0"                                                                  \
                     : "=&r"(answer)                                                               \
                     : "r"(call), "r"(function)                                                    \
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",   \
                       "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x30", "memory", "cc",     \
                       "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",   \
                       "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",       \
                       "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31")
#endif

static CLEM_ALONE ulong clem_check(ulong launch, ulong what, ulong site, ulong address,
                                   ulong thread, ulong block, ulong shared, ulong stack,
                                   ulong value, ulong more)
{
    struct clem_check_call call = {launch, what,  site, address, thread, block, shared,
                                   stack,  value, more, 0ul,     0ul,    0ul};
    const ulong function = ((__global const struct clem_check_launch *)launch)->function;
    ulong at = (ulong)&call, answer;
    CLEM_CHECK_CALL(function, at, answer);
    return answer;
}

static CLEM_ALONE ulong clem_check_values(ulong launch, ulong what, ulong site, ulong address,
                                          ulong thread, ulong block, ulong shared, ulong stack,
                                          ulong value, ulong more, ulong registers, ulong others,
                                          ulong base)
{
    struct clem_check_call call = {launch, what,  site, address,   thread, block, shared,
                                   stack,  value, more, registers, others, base};
    const ulong function = ((__global const struct clem_check_launch *)launch)->function;
    ulong at = (ulong)&call, answer;
    CLEM_CHECK_CALL(function, at, answer);
    return answer;
}

/* ---- Without a call ---- */

#define CLEM_SELDOM(condition) __builtin_expect((condition), 0)

/* Whether as many bytes as 1 << size, up to 16, were written; kind: a store writes them. */
static inline bool clem_check_written(ulong written, uint size, uint kind)
{
    switch (size) {
    case 0u:
        if (kind == CLEM_CHECK_STORE)
            *(__global uchar *)written = (uchar)CLEM_CHECK_WRITTEN;
        return *(__global const uchar *)written == (uchar)CLEM_CHECK_WRITTEN;
    case 1u:
        if (kind == CLEM_CHECK_STORE)
            *(__global ushort *)written = (ushort)CLEM_CHECK_WRITTEN;
        return *(__global const ushort *)written == (ushort)CLEM_CHECK_WRITTEN;
    case 2u:
        if (kind == CLEM_CHECK_STORE)
            *(__global uint *)written = (uint)CLEM_CHECK_WRITTEN;
        return *(__global const uint *)written == (uint)CLEM_CHECK_WRITTEN;
    case 3u:
        if (kind == CLEM_CHECK_STORE)
            *(__global ulong *)written = CLEM_CHECK_WRITTEN;
        return *(__global const ulong *)written == CLEM_CHECK_WRITTEN;
    default:
        if (kind == CLEM_CHECK_STORE)
            *(__global ulong2 *)written = (ulong2)(CLEM_CHECK_WRITTEN);
        return ((*(__global const ulong2 *)written).x ^ CLEM_CHECK_WRITTEN |
                (*(__global const ulong2 *)written).y ^ CLEM_CHECK_WRITTEN) == 0ul;
    }
}

/* Whether an access is right as far as memory and init go, and done with. An offset turned by `size` bits is small only where it
 * is a multiple. */
static inline bool clem_check_global(ulong launch, ulong address, uint size, uint kind)
{
    __global const struct clem_check_launch *const head =
        (__global const struct clem_check_launch *)launch;
    __global const struct clem_check_memory *const memory =
        (__global const struct clem_check_memory *)((__global const ulong *)
                                                        head->memory)[CLEM_CHECK_PLACE(address)];
    const ulong at = address - memory->base;
    if (rotate(at, 64ul - size) >= memory->bytes >> size)
        return false;
    return !(CLEM_CHECKS & 2) || memory->written == 0ul ||
           clem_check_written(memory->written + at, size, kind);
}

static inline bool clem_check_shared(ulong launch, ulong shadow, uint at, uint size, uint kind)
{
    __global const struct clem_check_launch *const head =
        (__global const struct clem_check_launch *)launch;
    if (rotate(at, 32u - size) >= (uint)head->shared_bytes >> size)
        return false;
    return !(CLEM_CHECKS & 2) || shadow == 0ul || clem_check_written(shadow + at, size, kind);
}

static inline bool clem_check_local(ulong launch, ulong shadow, uint at, uint size, uint kind)
{
    __global const struct clem_check_launch *const head =
        (__global const struct clem_check_launch *)launch;
    if (rotate(at, 32u - size) >= (uint)head->local_bytes >> size)
        return false;
    return !(CLEM_CHECKS & 2) || clem_check_written(shadow + at, size, kind);
}

static inline bool clem_check_generic(ulong launch, ulong shadow, ulong locals, ulong address,
                                      uint size, uint kind)
{
    if (clem_is_shared(address))
        return clem_check_shared(launch, shadow, (uint)address, size, kind);
    if (clem_is_local(address))
        return clem_check_local(launch, locals, (uint)address, size, kind);
    return clem_check_global(launch, address, size, kind);
}

/* Whether the bytes that a store writes are there already. */
static inline ulong clem_check_same(ulong address, ulong value, uint size)
{
    const bool is_same = size == 0u   ? *(__global const uchar *)address == (uchar)value
                         : size == 1u ? *(__global const ushort *)address == (ushort)value
                         : size == 2u ? *(__global const uint *)address == (uint)value
                                      : *(__global const ulong *)address == value;
    return is_same ? (ulong)CLEM_CHECK_SAME << 24 : 0ul;
}

/* ---- Races ---- */

/* What the host is told of a plain load or store: whether it is done with, as far as races go. */
static CLEM_ALONE bool clem_race_tell(ulong launch, ulong what, ulong site, ulong address, ulong thread,
                                      ulong block)
{
    const ulong function = ((__global const struct clem_check_launch *)launch)->access;
    ulong answer;
    CLEM_CHECK_CALL_SIX(function, launch, what, site, address, thread, block, answer);
    return answer != 0ul;
}

/* The access at hand, as slots have it, and until when accesses are ordered before it. */
struct clem_race_now {
    ulong slot;
    uint old;
    __global const struct clem_race_look *look;
};

/* Compilers would rather call these, with all that they know in memory. */
#define CLEM_RACE_INLINE static inline __attribute__((always_inline))

/* Whether all that the block's threads do now is ordered behind what was done at a time. */
CLEM_RACE_INLINE bool clem_race_is_before(const struct clem_race_now *now, uint time)
{
    return time <= now->look->clear || (time >= now->look->turn && time <= now->look->barrier);
}

/* What becomes of an access that came before. */
#define CLEM_RACE_TOLD 0u /* the host has to decide */
#define CLEM_RACE_FREE 7u /* it goes */
/* Otherwise it stays; the higher, the sooner it makes room, 1 for writes alone. */

CLEM_RACE_INLINE uint clem_race_rank(const struct clem_race_now *now, ulong slot)
{
    const uint time = (uint)slot, word = (uint)(slot >> 32), mine = (uint)(now->slot >> 32);
    const uint bytes = word & mine & CLEM_RACE_BYTES;
    const bool is_ours = time >= now->look->turn, is_own = is_ours && ((word ^ mine) & CLEM_RACE_THREAD) == 0u;
    if (time <= now->old)
        return CLEM_RACE_FREE;
    if (word & CLEM_RACE_STRONG || (bytes != 0u && (word ^ mine) & CLEM_RACE_BYTES) ||
        (!is_ours && time > now->look->begin))
        return CLEM_RACE_TOLD;
    if (bytes != 0u && (is_own || clem_race_is_before(now, time)) &&
        (mine & CLEM_RACE_WRITES || !(word & CLEM_RACE_WRITES)))
        return CLEM_RACE_FREE;
    if (bytes != 0u && (word | mine) & CLEM_RACE_WRITES && !is_own && !clem_race_is_before(now, time))
        return CLEM_RACE_TOLD;
    return word & CLEM_RACE_WRITES ? 1u : !is_ours ? 2u : (word ^ mine) & CLEM_RACE_THREAD & ~31u ? 3u : 4u;
}

/* Whether one that stays is of the same bytes, and from before the launch. */
CLEM_RACE_INLINE bool clem_race_is_behind(const struct clem_race_now *now, ulong slot)
{
    return !((slot ^ now->slot) >> 32 & CLEM_RACE_BYTES) && (uint)slot <= now->look->clear;
}

/* Whether one that stays is no race with reads of the block's, whichever of its threads'. */
CLEM_RACE_INLINE bool clem_race_lets_read(const struct clem_race_now *now, ulong slot)
{
    const uint word = (uint)(slot >> 32);
    return !((word ^ (uint)(now->slot >> 32)) & CLEM_RACE_BYTES) &&
           (!(word & CLEM_RACE_WRITES) || clem_race_is_before(now, (uint)slot));
}

/* Each that came before stays or goes, and one makes room. Source: check_live() of cl/race/race.c, whose choices these are. */
static CLEM_ALONE bool clem_race_among(ulong slot, uint old, __global const struct clem_race_look *look,
                                       __global ulong *first, __global ulong *others)
{
    const struct clem_race_now now = {slot, old, look};
    const uint known = (uint)(*first >> 32);
    const uint state = CLEM_RACE_STATE | (known & CLEM_RACE_WRITES ? 0u : CLEM_RACE_FULL);
    const bool is_alone = (known & CLEM_RACE_STATE) == CLEM_RACE_ALONE;
    const ulong s[CLEM_RACE_SLOTS] = {*first & ~((ulong)state << 32), is_alone ? 0ul : others[0],
                                      is_alone ? 0ul : others[1], is_alone ? 0ul : others[2]};
    const bool writes = slot >> 32 & CLEM_RACE_WRITES;
    uint chosen = CLEM_RACE_SLOTS, stay = 0u;
    ulong best = 0ul;
    bool lets_read = !writes, is_behind = !writes;
    uint more = 0u; /* that read at this time */
#pragma unroll
    for (uint i = 0u; i < CLEM_RACE_SLOTS; i++) {
        const uint rank = clem_race_rank(&now, s[i]);
        if (rank == CLEM_RACE_TOLD)
            return false;
        stay |= (uint)(rank != CLEM_RACE_FREE) << i;
        const ulong key = (ulong)rank << 32 | (rank == CLEM_RACE_FREE ? 0u : ~(uint)s[i]);
        const bool is_better = key > best && (rank > 1u || writes);
        best = is_better ? key : best;
        chosen = is_better ? i : chosen;
    }
    if (chosen == CLEM_RACE_SLOTS)
        return false;
    stay &= ~(1u << chosen);
#pragma unroll
    for (uint i = 0u; i < CLEM_RACE_SLOTS; i++) {
        const bool stays = stay >> i & 1u;
        if (i > 0u && stay != 0u)
            others[i - 1u] = i == chosen ? s[0] : stays ? s[i] : 0ul;
        lets_read &= !stays || clem_race_lets_read(&now, s[i]);
        more += stays && (uint)s[i] == (uint)slot && !(s[i] >> 32 & CLEM_RACE_WRITES);
        is_behind &= !stays || clem_race_is_behind(&now, s[i]);
    }
    const uint full = more == CLEM_RACE_SLOTS - 1u ? CLEM_RACE_FULL : 0u;
    *first = slot | (ulong)(stay == 0u                ? CLEM_RACE_ALONE
                            : lets_read && more != 0u ? CLEM_RACE_MORE | full
                            : is_behind               ? CLEM_RACE_BEHIND
                                                      : CLEM_RACE_ANY)
                        << 32;
    return true;
}

/* Whether the access is no race at the cell, and noted there; where that is seen from its first slot. like: bits in which an access
 * that came before is as good as this one. */
CLEM_RACE_INLINE bool clem_race_at_first(const struct clem_race_now *now, ulong like, __global ulong *first,
                                         __global ulong *others)
{
    const ulong known = *first, differs = known ^ now->slot;
    const uint time = (uint)known, word = (uint)(differs >> 32), state = (uint)(known >> 32) & CLEM_RACE_STATE;
    const bool writes = now->slot >> 32 & CLEM_RACE_WRITES, is_one = !(word & CLEM_RACE_WRITES);
    uint next = CLEM_RACE_ALONE;
    if ((differs & like) == 0ul)
        return true;
    if (time <= now->old) {
        *first = now->slot | (ulong)CLEM_RACE_ALONE << 32;
        return true;
    }
    if (word & (CLEM_RACE_BYTES | CLEM_RACE_STRONG))
        return false;
    if (state == CLEM_RACE_MORE && !writes && (uint)differs == 0u &&
        (!(word & CLEM_RACE_THREAD & ~31u) || word & CLEM_RACE_FULL))
        next = CLEM_RACE_MORE | (word & CLEM_RACE_FULL); /* lanes of a warp read, one after the other */
    else if (state == CLEM_RACE_ALONE && !writes && !is_one && time <= now->look->clear) {
        others[0] = known & ~((ulong)CLEM_RACE_STATE << 32), others[1] = 0ul, others[2] = 0ul;
        next = CLEM_RACE_BEHIND; /* what an earlier launch wrote */
    } else if (!(writes || is_one) || !(state == CLEM_RACE_ALONE || (writes && state == CLEM_RACE_BEHIND)) ||
             !(clem_race_is_before(now, time) || (!(word & CLEM_RACE_THREAD) && time >= now->look->turn)))
        return false;
    *first = now->slot | (ulong)next << 32;
    return true;
}

/* Whether a copy or fill may touch an address. */
CLEM_RACE_INLINE bool clem_race_is_touched(__global const struct clem_check_launch *head,
                                        __global const struct clem_race_gate *gate, ulong address)
{
    const ulong change = *(volatile __global const ulong *)gate->change;
    return change != 0ul && (head->touched_change != change ||
                             (address < head->touched_high && address + 16ul > head->touched_low));
}

/* The page that has the cells of an address, or of an offset in shared memory; 0: the host knows. */
CLEM_RACE_INLINE ulong clem_race_cells_of(__global const struct clem_race_look *look, ulong address, bool is_shared)
{
    const ulong number = address >> CLEM_RACE_PAGE_BITS;
    if (is_shared)
        return number < look->shared_count ? ((__global const ulong *)look->shared_pages)[number] : 0ul;
    __global const struct clem_race_page *const page = &look->pages[number % CLEM_RACE_PAGES];
    return page->number == number ? page->cells : 0ul;
}

/* Whoever looks says so before and after: struct clem_race_gate. */
CLEM_RACE_INLINE bool clem_race_enter(ulong launch)
{
    volatile __global struct clem_race_gate *const gate =
        (volatile __global struct clem_race_gate *)((__global const struct clem_check_launch *)launch)->gate;
    if ((ulong)gate == 0ul)
        return false;
    gate->is_busy = 1ul;
    __asm__ volatile("" ::: "memory");
    return gate->sole == launch;
}

CLEM_RACE_INLINE void clem_race_leave(ulong launch)
{
    volatile __global struct clem_race_gate *const gate =
        (volatile __global struct clem_race_gate *)((__global const struct clem_check_launch *)launch)->gate;
    __asm__ volatile("" ::: "memory");
    if ((ulong)gate != 0ul)
        gate->is_busy = 0ul;
}

/* false: the host knows. */
CLEM_RACE_INLINE bool clem_race_look_at(__global const struct clem_check_launch *head, ulong what, ulong site,
                                        ulong at, ulong thread, ulong block, bool writes, bool is_shared)
{
    __global const struct clem_race_gate *const gate = (__global const struct clem_race_gate *)head->gate;
    __global const struct clem_race_look *const look = (__global const struct clem_race_look *)gate->look;
    __global const struct clem_race_site *const known = &look->sites[site % CLEM_RACE_SITES];
    const uint bytes = CLEM_CHECK_BYTES(what);
    if (look->block != block || known->site != site || at & (ulong)(bytes - 1u) ||
        *(volatile __global const uint *)head->put_off != 0u ||
        (!is_shared && clem_race_is_touched(head, gate, at)))
        return false;
    __global ulong *const cells = (__global ulong *)clem_race_cells_of(look, at, is_shared);
    if ((ulong)cells == 0ul)
        return false;
    const uint part = bytes < 4u ? ((1u << bytes) - 1u) << (at & 3ul) : 15u;
    const uint same = writes && !is_shared && CLEM_CHECK_FLAGS(what) & CLEM_CHECK_SAME ? CLEM_RACE_SAME : 0u;
    const uint word = (uint)thread | part << CLEM_RACE_BYTES_AT | (writes ? CLEM_RACE_WRITES : 0u) | same |
                      (uint)known->bits;
    const struct clem_race_now now = {(ulong)word << 32 | look->time, is_shared ? look->barrier : look->old, look};
    const ulong like =
        writes ? ~((ulong)CLEM_RACE_STATE << 32) : (ulong)(CLEM_RACE_FULL - 1u) << 32 | 0xfffffffful;
    const ulong cell = at % CLEM_RACE_PAGE_BYTES / 4ul;
    __global ulong *first = cells + cell,
                   *others = cells + CLEM_RACE_PAGE_BYTES / 4ul + cell * (CLEM_RACE_SLOTS - 1);
    for (uint i = 0u; i < bytes; i += 4u, first++, others += CLEM_RACE_SLOTS - 1)
        if (!clem_race_at_first(&now, like, first, others) &&
            !clem_race_among(now.slot, now.old, look, first, others))
            return false;
    return true;
}

CLEM_RACE_INLINE bool clem_race_check(ulong launch, ulong what, ulong site, ulong address, ulong thread,
                                      ulong block, bool writes, bool is_shared)
{
    const bool is_right = clem_race_enter(launch) &&
                          clem_race_look_at((__global const struct clem_check_launch *)launch, what, site,
                                            is_shared ? (ulong)(uint)address : address, thread, block, writes,
                                            is_shared);
    clem_race_leave(launch);
    return is_right || clem_race_tell(launch, what, site, address, thread, block);
}

#define CLEM_RACE_PLAIN(name, writes, is_shared)                                                   \
    static CLEM_ALONE bool name(ulong launch, ulong what, ulong site, ulong address, ulong thread, \
                                ulong block)                                                       \
    {                                                                                              \
        return clem_race_check(launch, what, site, address, thread, block, writes, is_shared);     \
    }

/* Defines clem_check_global_load clem_check_global_store clem_check_shared_load clem_check_shared_store */
/* Plain loads and stores: whether they are done with, as far as races go. */
CLEM_RACE_PLAIN(clem_check_global_load, false, false)
CLEM_RACE_PLAIN(clem_check_global_store, true, false)
CLEM_RACE_PLAIN(clem_check_shared_load, false, true)
CLEM_RACE_PLAIN(clem_check_shared_store, true, true)

static CLEM_ALONE bool clem_check_generic_load(ulong launch, ulong what, ulong site, ulong address, ulong thread,
                                               ulong block)
{
    return clem_is_local(address) || (clem_is_shared(address)
                                          ? clem_check_shared_load(launch, what, site, address, thread, block)
                                          : clem_check_global_load(launch, what, site, address, thread, block));
}

#define CLEM_FOLLOWS(launch)                                                                       \
    (((volatile __global const struct clem_check_launch *)(launch))->followed != 0ul)

/* What lies behind a thread's bytes is nobody's. */
static inline ulong clem_checked_malloc(__global struct clem_runtime *runtime, ulong bytes,
                                        uint seed, ulong launch, ulong site, ulong thread,
                                        ulong block)
{
    const ulong margin = 16ul;
    const ulong made = clem_malloc(runtime, bytes > ~margin ? bytes : bytes + margin, seed);
    (void)clem_check(launch, CLEM_CHECK_GLOBAL << 8 | CLEM_CHECK_MALLOC, site, made, thread, block,
                     0ul, 0ul, bytes, 0ul);
    return made;
}

/* What is not to be freed becomes 0. */
static inline void clem_checked_free(__global struct clem_runtime *runtime, ulong address,
                                     ulong launch, ulong site, ulong thread, ulong block)
{
    clem_free(runtime, clem_check(launch, CLEM_CHECK_GLOBAL << 8 | CLEM_CHECK_FREE, site, address,
                                  thread, block, 0ul, 0ul, 0ul, 0ul));
}

/* cudaMalloc() and cudaFree() of kernels. */
static inline uint clem_checked_launch_malloc(__global struct clem_launches *launches,
                                              __global struct clem_runtime *runtime, ulong to,
                                              ulong bytes, ulong2 at, __local uchar *shared,
                                              CLEM_LOCAL uchar *stack, ulong launch, ulong site,
                                              ulong thread, ulong block)
{
    if (!launches || !runtime)
        return CLEM_LAUNCH_OK;
    if (to == 0ul || bytes == 0ul)
        return clem_launch_fail(launches, at, CLEM_LAUNCH_VALUE);
    return clem_launch_give(
        launches, to,
        clem_checked_malloc(runtime, bytes, (uint)at.s0, launch, site, thread, block), at, shared,
        stack);
}

static inline uint clem_checked_launch_free(__global struct clem_launches *launches,
                                            __global struct clem_runtime *runtime, ulong address,
                                            ulong2 at, ulong launch, ulong site, ulong thread,
                                            ulong block)
{
    if (runtime)
        clem_checked_free(runtime, address, launch, site, thread, block);
    return CLEM_LAUNCH_OK;
}
