/* Races that are looked for at each access, without a call: as check.cl has kernels do it, and as C of the host
 * (native/runtime_check.c).
 * SPDX-License-Identifier: Apache-2.0 */

/* The access at hand, as slots have it, until when accesses are ordered before it, and which races of it are nothing new: as of struct
 * clem_check_launch, or NULL. */
struct clem_race_now {
    ulong slot;
    uint old;
    __global const struct clem_race_look *look;
    __global const ulong *reported;
};

#ifdef __clang__
#define CLEM_UNROLL _Pragma("unroll")
#else
#define CLEM_UNROLL _Pragma("GCC unroll 4")
#endif

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

/* Whether it is a race with an earlier access that was reported. Source: kind_of() of cl/race/race.c */
CLEM_RACE_INLINE bool clem_race_is_reported(const struct clem_race_now *now, ulong slot, bool is_ours)
{
    const uint word = (uint)(slot >> 32), mine = (uint)(now->slot >> 32), differs = word ^ mine;
    const bool is_same = (mine & CLEM_RACE_WRITES ? mine : word) & CLEM_RACE_SAME;
    const bool is_warp = is_ours && (differs & CLEM_RACE_THREAD & ~31u) == 0u && differs >> CLEM_RACE_SITE_AT != 0u;
    const ulong pair = CLEM_RACE_PAIR(mine, word, is_same ? 1u : is_warp ? 2u : 0u);
    return now->reported != 0 && now->reported[CLEM_RACE_PAIR_PLACE(pair)] == pair;
}

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
    if (bytes != 0u && (word | mine) & CLEM_RACE_WRITES && !is_own && !clem_race_is_before(now, time)) {
        if (!clem_race_is_reported(now, slot, is_ours))
            return CLEM_RACE_TOLD;
        if (mine & CLEM_RACE_WRITES)
            return CLEM_RACE_FREE;
    }
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

/* Whether all bytes that one has others have as well, the new one or such as are not ordered before its launch. */
CLEM_RACE_INLINE bool clem_race_is_of_others(const struct clem_race_now *now, const ulong *slots, uint which)
{
    uint words = (uint)(now->slot >> 32);
    CLEM_UNROLL
    for (uint i = 0u; i < CLEM_RACE_SLOTS; i++)
        words |= i != which && ((uint)slots[i] > now->look->clear || !(slots[i] >> 32 & CLEM_RACE_WRITES))
                     ? (uint)(slots[i] >> 32)
                     : 0u;
    return (uint)slots[which] <= now->old || !((uint)(slots[which] >> 32) & CLEM_RACE_BYTES & ~words);
}

/* Each that came before stays or goes, and one makes room. Source: check_live() of cl/race/race.c, whose choices these are. */
static CLEM_ALONE bool clem_race_among(ulong slot, uint old, __global const struct clem_race_look *look,
                                       __global const ulong *reported, __global ulong *first, __global ulong *others)
{
    const struct clem_race_now now = {slot, old, look, reported};
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
    CLEM_UNROLL
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
    if (chosen == CLEM_RACE_SLOTS || (!writes && !clem_race_is_of_others(&now, s, chosen)))
        return false;
    stay &= ~(1u << chosen);
    CLEM_UNROLL
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

/* Whether a block of the launch did that which has ended. While nothing orders blocks, whatever races with what this one reads does so
 * with what that one read. */
CLEM_RACE_INLINE bool clem_race_has_ended(__global const struct clem_race_look *look, uint time)
{
    return look->relaxed != 0u && time >= look->alone && time < look->turn;
}

/* Whether all that some of a cell's accesses wrote was so before the launch. */
CLEM_RACE_INLINE bool clem_race_were_before(__global const struct clem_race_look *look, __global const ulong *others)
{
    bool were = true;
    CLEM_UNROLL
    for (uint i = 0u; i < CLEM_RACE_SLOTS - 1u; i++)
        were &= !(others[i] >> 32 & CLEM_RACE_WRITES) || (uint)others[i] <= look->clear;
    return were;
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
    const bool is_read_again = !writes && is_one, is_full = known >> 32 & CLEM_RACE_FULL;
    if (is_read_again && clem_race_has_ended(now->look, time) &&
        (state == CLEM_RACE_ALONE || state == CLEM_RACE_BEHIND ||
         (state == CLEM_RACE_MORE && (is_full || clem_race_were_before(now->look, others)))))
        return true;
    if (is_read_again && state == CLEM_RACE_BEHIND && time <= now->look->clear)
        next = CLEM_RACE_BEHIND;
    else if (state == CLEM_RACE_MORE && !writes && (uint)differs == 0u &&
             !(word & CLEM_RACE_THREAD & ~31u))
        return true; /* lanes of a warp read, one after the other: two of them are there */
    else if (state == CLEM_RACE_MORE && !writes && (uint)differs == 0u && is_full)
        next = CLEM_RACE_MORE | CLEM_RACE_FULL;
    else if (state == CLEM_RACE_ALONE && !writes && !is_one && time <= now->look->clear) {
        others[0] = known & ~((ulong)CLEM_RACE_STATE << 32), others[1] = 0ul, others[2] = 0ul;
        next = CLEM_RACE_BEHIND; /* what an earlier launch wrote */
    } else if (!(writes || is_one) || !(state == CLEM_RACE_ALONE || (writes && state == CLEM_RACE_BEHIND)) ||
             !(clem_race_is_before(now, time) || (!(word & CLEM_RACE_THREAD) && time >= now->look->turn)))
        return false;
    *first = now->slot | (ulong)next << 32;
    return true;
}

/* What other threads change meanwhile: which copies and fills there are, and whether each access is told. As atomics these are the
 * plain loads that they would be anyway; sanitizers take no others for such. */
CLEM_RACE_INLINE ulong clem_race_change(__global const struct clem_race_gate *gate)
{
    return __atomic_load_n((__global const ulong *)gate->change, __ATOMIC_RELAXED);
}

CLEM_RACE_INLINE bool clem_race_is_put_off(__global const struct clem_check_launch *head)
{
    return __atomic_load_n((__global const uint *)head->put_off, __ATOMIC_RELAXED) != 0u;
}

/* Whether a copy or fill may touch some of the bytes from low up to end, as far as the launch knows. */
CLEM_RACE_INLINE bool clem_race_is_among(__global const struct clem_check_launch *head, ulong low, ulong end)
{
    bool is_among = false;
    if (low >= head->touched_high || end <= head->touched_low)
        return false;
    for (uint i = 0u; i < CLEM_CHECK_TOUCHED && !is_among; i++)
        is_among = low < head->touched[i][1] && end > head->touched[i][0];
    return is_among;
}

/* Whether a copy or fill may touch an address. */
CLEM_RACE_INLINE bool clem_race_is_touched(__global const struct clem_check_launch *head,
                                        __global const struct clem_race_gate *gate, ulong address)
{
    const ulong change = clem_race_change(gate);
    return change != 0ul && (head->touched_change != change || clem_race_is_among(head, address, address + 16ul));
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
    __global struct clem_check_launch *const head = (__global struct clem_check_launch *)launch;
    __global const struct clem_race_gate *const gate = (__global const struct clem_race_gate *)head->gate;
    if ((ulong)gate == 0ul)
        return false;
    __atomic_store_n(&head->is_busy, 1ul, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST); /* for processors, whoever waits has the fence: membarrier() */
    return __atomic_load_n(&gate->sole, __ATOMIC_RELAXED) == launch;
}

/* What was stored before is there for whoever sees that it has left. */
CLEM_RACE_INLINE void clem_race_leave(ulong launch)
{
    __atomic_store_n(&((__global struct clem_check_launch *)launch)->is_busy, 0ul, __ATOMIC_RELEASE);
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
        clem_race_is_put_off(head) ||
        (!is_shared && clem_race_is_touched(head, gate, at)))
        return false;
    __global ulong *const cells = (__global ulong *)clem_race_cells_of(look, at, is_shared);
    const ulong cell = at % CLEM_RACE_PAGE_BYTES / 4ul;
    if ((ulong)cells == 0ul || (cells[cell & ~(CLEM_RACE_ROW_CELLS - 1ul)] & CLEM_RACE_ROW) == CLEM_RACE_ROW)
        return false;
    const uint part = bytes < 4u ? ((1u << bytes) - 1u) << (at & 3ul) : 15u;
    const uint same = writes && !is_shared && CLEM_CHECK_FLAGS(what) & CLEM_CHECK_SAME ? CLEM_RACE_SAME : 0u;
    const uint word = (uint)thread | part << CLEM_RACE_BYTES_AT | (writes ? CLEM_RACE_WRITES : 0u) | same |
                      (uint)known->bits;
    const struct clem_race_now now = {(ulong)word << 32 | look->time, is_shared ? look->barrier : look->old, look,
                                      is_shared ? (__global const ulong *)0 : head->reported};
    const ulong like =
        writes ? ~((ulong)CLEM_RACE_STATE << 32) : (ulong)(CLEM_RACE_FULL - 1u) << 32 | 0xfffffffful;
    __global ulong *first = cells + cell,
                   *others = cells + CLEM_RACE_PAGE_BYTES / 4ul + cell * (CLEM_RACE_SLOTS - 1);
    for (uint i = 0u; i < bytes; i += 4u, first++, others += CLEM_RACE_SLOTS - 1)
        if (!clem_race_at_first(&now, like, first, others) &&
            !clem_race_among(now.slot, now.old, look, now.reported, first, others))
            return false;
    return true;
}
