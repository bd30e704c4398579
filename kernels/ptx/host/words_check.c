/* Checks of what most warps do, with as little as it takes: lanes side by side load or store 4 or 8 bytes each of global memory, which
 * is in order with all that is kept of it. What quick_check.c does for any.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <sys/types.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/host/host_race.h"
#include "kernels/ptx/host/still.h"
#include "kernels/ptx/host/written.h"
#include "kernels/ptx/library/check.h"
#include "kernels/ptx/library/rows.h"

enum { HALF = 16 };

/* What is the same for all lanes. */
struct words {
    const struct clem_check_launch *head;
    const struct clem_race_look *look;
    const struct ptx_native_launch *launch;
    const struct ptx_native_told *told;
    uint32_t word, thread; /* of slots; of lane 0 */
    uint32_t bytes;        /* of each lane */
    bool writes, may_be_touched;
};

/* Lanes side by side: the place of the first, and which it is. */
struct some {
    uint64_t low;
    uint32_t lane, count;
};

static inline bool begin(struct words *w, const struct ptx_native_launch *launch,
                         const struct ptx_native_block *block, const struct ptx_native_told *told)
{
    w->head = (const struct clem_check_launch *)(uintptr_t)launch->checked;
    const struct clem_race_gate *const gate =
        (const struct clem_race_gate *)(uintptr_t)w->head->gate;
    w->look = (const struct clem_race_look *)(uintptr_t)gate->look;
    const struct clem_race_site *const known = &w->look->sites[told->site % CLEM_RACE_SITES];
    w->launch = launch;
    w->told = told;
    w->bytes = CLEM_CHECK_BYTES(told->what);
    w->writes = CLEM_CHECK_KIND(told->what) == CLEM_CHECK_STORE;
    w->word = (w->writes ? CLEM_RACE_WRITES : 0u) | (uint32_t)known->bits;
    w->thread = block->thread;
    const uint64_t change = clem_race_change(gate);
    w->may_be_touched = change != 0;
    return known->site == told->site && w->look->block == block->number_in_grid &&
           (change == 0 || w->head->touched_change == change) && !clem_race_is_put_off(w->head);
}

/* Memory and init; NULL: it is not seen to be right. */
static inline const struct clem_check_memory *right_memory(const struct words *w,
                                                           const struct some *s)
{
    const uint64_t *const pages = (const uint64_t *)(uintptr_t)w->head->memory;
    const struct clem_check_memory *const memory =
        (const struct clem_check_memory *)(uintptr_t)pages[CLEM_CHECK_PLACE(s->low)];
    const uint64_t at = s->low - memory->base, bytes = (uint64_t)s->count * w->bytes;
    if (at >= memory->bytes || bytes > memory->bytes - at)
        return NULL;
    unsigned char *const own = ptx_written_at(memory, at);
    if (w->writes) {
        ptx_still_ends(w->head, memory, s->low);
        if (own)
            memset(own, 1, bytes);
    } else if (own && !ptx_are_written(own, bytes)) {
        return NULL;
    }
    return memory;
}

/* Whether all lanes store what is there already, or none. */
static inline bool are_alike(const struct words *w, const struct some *s, const uint32_t *values,
                             bool *are_same)
{
    const uint32_t count = s->count * (w->bytes / 4);
    const uint32_t *const there = (const uint32_t *)(uintptr_t)s->low;
    bool all = true, any = false;
    uint32_t i = 0;
#ifdef __SSE2__
    __m128i every = _mm_set1_epi32(-1), some = _mm_setzero_si128();
    for (; i + 4 <= count; i += 4) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(there + i));
        const __m128i y = _mm_loadu_si128((const __m128i *)(const void *)(values + i));
        const __m128i equal = _mm_cmpeq_epi32(x, y);
        every = _mm_and_si128(every, equal);
        some = _mm_or_si128(some, equal);
    }
    all = _mm_movemask_epi8(every) == 0xffff;
    any = _mm_movemask_epi8(some) != 0;
#endif
    for (; i < count; i++) {
        all &= there[i] == values[i];
        any |= there[i] == values[i];
    }
    *are_same = all;
    return all || !any;
}

/* Whether the only access that is kept makes room for one of these cells. */
static inline bool makes_room(const struct words *w, const struct ptx_front *front, uint32_t cells)
{
    const struct ptx_row_access *const kept = &front->kept[0];
    const bool is_read = !(kept->word & CLEM_RACE_WRITES);
    return kept->time <= w->look->old ||
           (kept->time <= w->look->clear && (is_read || w->writes) && !(kept->cells & ~cells));
}

/* Those of them that are in one row. */
static inline bool note(const struct words *w, uint64_t *cells, uint64_t at, const struct some *s,
                        uint32_t same)
{
    struct ptx_front *const front = ptx_front_of(cells, at);
    const unsigned cell = (unsigned)(s->low - at) / 4;
    const uint32_t lanes = (uint32_t)(((uint64_t)1 << s->count) - 1),
                   its = (uint32_t)(((uint64_t)1 << s->count * (w->bytes / 4)) - 1);
    const struct ptx_row_access access = {.time = w->look->time,
                                          .word = w->word | same | (w->thread + s->lane),
                                          .lanes = lanes,
                                          .cells = its << cell,
                                          .shape =
                                              ptx_row_shape((int64_t)cell * 4, w->bytes, w->bytes)};
    if (front->mark == PTX_FRONT_MARK &&
        (front->count == 0 || (front->count == 1 && makes_room(w, front, access.cells)))) {
        ptx_row_copy(&front->kept[0], &access);
        front->count = 1;
        return true;
    }
    const struct ptx_row_times times = ptx_row_times_of(w->look, w->head);
    const int64_t first = (int64_t)cell * 4;
    const bool is_still = w->told->ways & PTX_NATIVE_STILL && ptx_still_is_kept(w->head, s->low);
    return ptx_front_note(cells, at, &times, &access,
                          ptx_row_between(first, first + (int64_t)s->count * w->bytes), is_still,
                          w->look->alone);
}

/* Whether rows' fronts may be all that there is of them. */
static inline bool have_fronts(const struct words *w, uint64_t *cells, uint64_t first,
                               uint64_t last)
{
    const uint32_t clear = w->look->clear;
    return ptx_front_may_be(cells, first, clear) && ptx_front_may_be(cells, last, clear);
}

static inline bool passes(const struct words *w, const struct some *s,
                          const struct ptx_native_list *list)
{
    const uint64_t end = s->low + (uint64_t)s->count * w->bytes;
    uint64_t at = s->low & ~(uint64_t)(PTX_ROW_BYTES - 1);
    uint64_t *const cells = (uint64_t *)(uintptr_t)clem_race_cells_of(w->look, s->low, false);
    const uint32_t *const values =
        (const uint32_t *)(const void *)list->values + (size_t)s->lane * (w->bytes / 4);
    bool are_same = false;
    if (w->may_be_touched && clem_race_is_among(w->head, s->low, end + 16))
        return false;
    if (s->low % w->bytes != 0 || !cells || (s->low ^ (end - 1)) >> CLEM_RACE_PAGE_BITS ||
        !have_fronts(w, cells, s->low, end - 1))
        return false;
    const struct clem_check_memory *const memory = right_memory(w, s);
    if (!memory || (w->writes && CLEM_CHECK_FLAGS(w->told->what) & CLEM_CHECK_VALUE &&
                    !are_alike(w, s, values, &are_same)))
        return false;
    for (struct some rest = *s; rest.count > 0; at += PTX_ROW_BYTES) {
        const uint32_t most = (uint32_t)(at + PTX_ROW_BYTES - rest.low) / w->bytes,
                       count = rest.count < most ? rest.count : most;
        const struct some here = {rest.low, rest.lane, count};
        if (!note(w, cells, at, &here, are_same ? CLEM_RACE_SAME : 0u))
            return false;
        rest = (struct some){at + PTX_ROW_BYTES, rest.lane + count, rest.count - count};
    }
    if (w->told->ways & PTX_NATIVE_STILL)
        ptx_still_note(w->launch, w->told, s->low, (uint64_t)s->count * w->bytes);
    return true;
}

static inline bool pass_half(const struct words *w, uint64_t first, uint32_t lane, uint32_t lanes,
                             const struct ptx_native_list *list)
{
    const unsigned from = (unsigned)__builtin_ctz(lanes);
    const uint32_t run = lanes >> from;
    const struct some s = {first + (uint64_t)from * w->bytes, lane + from,
                           32u - (unsigned)__builtin_clz(run)};
    return (run & (run + 1)) == 0 && passes(w, &s, list);
}

bool ptx_check_words(const struct ptx_native_launch *launch, const struct ptx_native_block *block,
                     const struct ptx_native_told *told, uint32_t lanes, uint64_t first,
                     uint64_t second, const struct ptx_native_list *list)
{
    struct words w;
    const uint64_t apart = second - first, half = (uint64_t)HALF * CLEM_CHECK_BYTES(told->what);
    const uint32_t low = lanes & 0xffff, high = lanes >> HALF;
    bool is_right = clem_race_enter(launch->checked) && begin(&w, launch, block, told);
    if (is_right && apart == half)
        is_right = pass_half(&w, first, 0, lanes, list);
    else if (is_right)
        is_right = (!w.writes || low == 0 || high == 0 || apart + half - 1 > 2 * half - 2) &&
                   (low == 0 || pass_half(&w, first, 0, low, list)) &&
                   (high == 0 || pass_half(&w, second, HALF, high, list));
    clem_race_leave(launch->checked);
    return is_right;
}
