/* Checked kernels in the native form: which have it, and that a warp's row of accesses leaves in the cells of races what its lanes
 * leave there one after the other.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "kernels/ptx/host/cells.h"
#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/host/host_race.h"
#include "kernels/ptx/library/check.h"
#include "kernels/ptx/library/rows.h"
#include "tests/ptx/read.h"

/* ---- Forms ---- */

static enum ptx_form form_of(const char *text)
{
    struct ptx_kernel kernel = translate_checked(text);
    const enum ptx_form form = kernel.form;
    ptx_kernel_free(&kernel);
    return form;
}

#define ELEMENT                                                                                    \
    "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, " \
    "%rd2;"

TEST_BODY(checked_kernels_are_native_where_lanes_can_be_told_of_at_once)
{
    assert_int_equal(form_of(PTX_BODY(ELEMENT "ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, 1; "
                                              "st.global.u32 [%rd3], %r2; ret;")),
                     PTX_FORM_NATIVE);
    assert_int_equal(form_of(PTX_BODY(ELEMENT "ld.global.u32 %r2, [%rd3]; bar.sync 0; "
                                              "shfl.sync.down.b32 %r3, %r2, 1, 31, -1; "
                                              "atom.global.add.u32 %r4, [%rd1], %r3; ret;")),
                     PTX_FORM_NATIVE);
}

TEST_BODY(checked_kernels_are_not_native_where_threads_are_told_of)
{
    static const char *const bodies[] = {
        PTX_BODY(
            ELEMENT
            "setp.eq.u32 %p1, %r1, 5; @%p1 bra E; bar.sync 0; E: st.global.u32 [%rd3], %r1; ret;"),
        PTX_BODY(ELEMENT "cp.async.bulk.commit_group; ret;"),
        PTX_BODY(".local .b8 l[16];\n" ELEMENT "st.local.u32 [l], %r1; ret;"),
        PTX_BODY(ELEMENT "setp.eq.u32 %p1, %r1, 5; @%p1 trap; ret;"),
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        assert_int_not_equal(form_of(bodies[i]), PTX_FORM_NATIVE);
}

static bool tells_of_meetings(const char *text)
{
    struct ptx_kernel kernel = translate_checked(text);
    assert_int_equal(kernel.form, PTX_FORM_NATIVE);
    const bool tells = strstr(kernel.text, "call void @clem_native_check_meeting") != NULL;
    ptx_kernel_free(&kernel);
    return tells;
}

TEST_BODY(warps_that_come_to_a_barrier_go_on_where_they_have_told_of_it)
{
    assert_true(tells_of_meetings(PTX_BODY(ELEMENT "ld.global.u32 %r2, [%rd3]; bar.sync 0; "
                                                   "st.global.u32 [%rd3+4], %r2; ret;")));
    assert_false(tells_of_meetings(
        PTX_BODY(ELEMENT "ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd3], %r2; ret;")));
}

static uint32_t met_threads, other_calls;

static bool meets(uint64_t name, uint64_t number, uint32_t live)
{
    (void)name, (void)number;
    met_threads = live;
    return live == 40;
}

static uint64_t count_call(const struct clem_check_call *call)
{
    other_calls++;
    assert_int_equal(CLEM_CHECK_KIND(call->what), CLEM_CHECK_BARRIER);
    assert_int_equal(call->value, met_threads);
    assert_int_equal(call->site, 9);
    return 0;
}

TEST_BODY(a_meeting_is_of_the_threads_that_have_not_ended)
{
    static struct clem_check_launch head;
    struct ptx_native_turn turns[3] = {{.lanes = UINT32_MAX}, {.lanes = 0}, {.lanes = 0xff00}};
    const struct ptx_native_launch launch = {.checked = (uint64_t)(uintptr_t)&head};
    const struct ptx_native_block block = {.turns = (uint64_t)(uintptr_t)turns, .end = 3, .met = 9};
    head.meets = (uint64_t)(uintptr_t)meets;
    head.function = (uint64_t)(uintptr_t)count_call;
    clem_native_check_meeting(&launch, &block);
    assert_int_equal(met_threads, 40);
    assert_int_equal(other_calls, 0);
    turns[1].lanes = 1;
    clem_native_check_meeting(&launch, &block);
    assert_int_equal(met_threads, 41);
    assert_int_equal(other_calls, 1);
}

/* ---- Where stores go ---- */

#define ADDRESSES                                                                                  \
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 n)\n{\n.reg .pred %p<8>;\n"       \
    ".reg .b32 %r<16>;\n.reg .b64 %rd<16>;\n"                                                      \
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [n]; mov.u32 %r1, "        \
    "%tid.x; "                                                                                     \
    "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd5, %rd1, %rd4; add.s64 %rd6, %rd2, %rd4; "

/* What the text tells of a kernel's first access: parameters that its stores may go to. */
static uint64_t stores_of(const char *body)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "%s%s%s\n}\n", PTX_HEAD, ADDRESSES, body);
    struct ptx_kernel kernel = translate_checked(text);
    assert_int_equal(kernel.form, PTX_FORM_NATIVE);
    const char *at = strstr(kernel.text, "constant [10 x i64] [");
    assert_non_null(at);
    for (size_t word = 0; word < offsetof(struct ptx_native_told, stores) / 8 + 1; word++)
        at = strstr(at, "i64 ") + (word == 0 ? strlen("i64] [i64 ") : strlen("i64 "));
    const uint64_t stores = (uint64_t)strtoll(at, NULL, 10);
    ptx_kernel_free(&kernel);
    return stores;
}

TEST_BODY(stores_go_to_what_parameters_say_and_otherwise_anywhere)
{
    static const struct {
        const char *body;
        uint64_t stores;
    } rows[] = {
        {"ld.global.u32 %r2, [%rd5]; st.global.u32 [%rd6], %r2; ret;", 2},
        {"ld.global.u32 %r2, [%rd5]; atom.global.add.u32 %r3, [%rd6], 1; ret;", 2},
        {"ld.global.u32 %r2, [%rd5]; ret;", 0},
        {"ld.global.u32 %r2, [%rd5]; st.global.u32 [%rd6], %r2; st.global.u32 [%rd5+4], %r2; ret;",
         3},
        /* by an index: from memory, of 32 bits or 64, and another parameter */
        {"ld.global.u32 %r2, [%rd5]; mul.wide.u32 %rd7, %r2, 4; add.s64 %rd8, %rd2, %rd7; "
         "st.global.u32 [%rd8], %r1; ret;",
         2},
        {"ld.global.u64 %rd7, [%rd5]; shl.b64 %rd7, %rd7, 2; add.s64 %rd8, %rd2, %rd7; "
         "st.global.u32 [%rd8], %r1; ret;",
         PTX_REACHES_ALL}, /* rd7 is a pointer at first */
        {"ld.global.u64 %rd7, [%rd5]; shl.b64 %rd9, %rd7, 2; add.s64 %rd8, %rd2, %rd9; "
         "st.global.u32 [%rd8], %r1; ret;",
         2},
        {"ld.global.u32 %r2, [%rd5]; add.s64 %rd8, %rd6, %rd3; st.global.u32 [%rd8], %r2; ret;", 6},
        /* one of two, and what no parameter says */
        {"setp.eq.u32 %p1, %r1, 3; selp.b64 %rd8, %rd5, %rd6, %p1; ld.global.u32 %r2, [%rd5]; "
         "st.global.u32 [%rd8], %r2; ret;",
         3},
        {"ld.global.u64 %rd7, [%rd5]; st.global.u32 [%rd7], %r1; ret;", PTX_REACHES_ALL},
        {"ld.global.u64 %rd7, [%rd5]; and.b64 %rd8, %rd7, -16; add.s64 %rd9, %rd8, %rd3; "
         "st.global.u32 [%rd9], %r1; ret;",
         PTX_REACHES_ALL},
        /* where threads tell others what they have done */
        {"ld.global.u32 %r2, [%rd5]; st.global.u32 [%rd6], %r2; membar.gl; ret;", PTX_REACHES_ALL},
        {"ld.volatile.global.u32 %r2, [%rd5]; st.global.u32 [%rd6], %r2; ret;", PTX_REACHES_ALL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(stores_of(rows[i].body), rows[i].stores);
}

/* ---- Cells ---- */

enum { LANES = 32, WORDS = 1024, CELL_WORDS = WORDS * CLEM_RACE_SLOTS, SITE = 77, OTHER_SITE };

/* What kernels and host share. */
static struct side {
    struct clem_check_launch head;
    struct clem_race_gate gate;
    struct clem_race_look look;
    _Alignas(64) uint64_t cells[CELL_WORDS];
    struct clem_check_memory whole;
    uint64_t memory[CLEM_CHECK_PAGES];
    uint64_t page, site;
    uint32_t zero;
} side;
static _Alignas(4096) uint32_t memory[WORDS];
static uint32_t told_lanes;

static uint64_t note(uint64_t launch, uint64_t what, uint64_t site, uint64_t address,
                     uint64_t thread, uint64_t block)
{
    (void)launch, (void)what, (void)site, (void)address, (void)block;
    told_lanes |= 1u << thread % LANES;
    return 1;
}

static void prepare(struct side *s)
{
    static uint64_t no_change;
    memset(s, 0, sizeof *s);
    s->page = (uint64_t)(uintptr_t)s->cells;
    s->gate.sole = (uint64_t)(uintptr_t)&s->head;
    s->gate.look = (uint64_t)(uintptr_t)&s->look;
    s->gate.change = (uint64_t)(uintptr_t)&no_change;
    s->head.gate = (uint64_t)(uintptr_t)&s->gate;
    s->head.put_off = (uint64_t)(uintptr_t)&s->zero;
    s->head.access = (uint64_t)(uintptr_t)note;
    s->look.block = 3;
    s->look.shared_pages = (uint64_t)(uintptr_t)&s->page;
    s->look.shared_count = 1;
    const uint64_t number = (uint64_t)(uintptr_t)memory >> CLEM_RACE_PAGE_BITS;
    s->look.pages[number % CLEM_RACE_PAGES] = (struct clem_race_page){number, s->page};
    s->site = SITE;
    s->look.sites[SITE] = (struct clem_race_site){SITE, 5ull << CLEM_RACE_SITE_AT};
    s->look.sites[OTHER_SITE] = (struct clem_race_site){OTHER_SITE, 6ull << CLEM_RACE_SITE_AT};
    s->whole = (struct clem_check_memory){(uint64_t)(uintptr_t)memory, sizeof memory, 0, 0};
    for (size_t i = 0; i < CLEM_CHECK_PAGES; i++)
        s->memory[i] = (uint64_t)(uintptr_t)&s->whole;
    s->head.memory = (uint64_t)(uintptr_t)s->memory;
    s->look.time = 10;
    s->look.old = s->look.clear = s->look.begin = 2;
    s->look.turn = s->look.alone = 3;
    s->look.relaxed = 1;
}

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* Another block's turn, of a launch that may be ordered behind all of the others. */
static void take_turn(struct clem_race_look *look)
{
    look->begin = look->time++;
    look->turn = look->time;
    look->barrier = look->begin;
    look->old = draw(12) ? look->old : look->begin - 1;
    look->clear = draw(2) ? look->clear : look->begin - 1;
    look->clear = look->clear > look->old ? look->clear : look->old;
    look->alone = look->clear > look->alone ? look->turn : look->alone;
}

/* Time goes on: a barrier, another block's turn, or nothing but that. */
static void go_on(struct clem_race_look *look)
{
    look->barrier = draw(2) ? look->time : look->barrier;
    look->time++;
    if (draw(6) == 0) {
        take_turn(look);
        look->time++;
    }
}

/* Cells as accesses of all kinds leave them. */
static uint64_t draw_slot(const struct clem_race_look *look)
{
    static const uint32_t bytes[] = {15, 15, 15, 3, 8};
    const uint32_t word = (draw(3) * 32 + draw(4)) | bytes[draw(5)] << CLEM_RACE_BYTES_AT |
                          (draw(3) ? 0 : CLEM_RACE_WRITES) | (draw(9) ? 0 : CLEM_RACE_STRONG) |
                          (draw(4) ? 0 : CLEM_RACE_SAME) | draw(4) << CLEM_RACE_STATE_AT |
                          (draw(2) + 1) << CLEM_RACE_SITE_AT;
    return draw(4) ? (uint64_t)word << 32 | draw(look->time + 1) : 0;
}

typedef uint64_t pass_function(const struct ptx_cells *x, uint64_t *first, uint64_t *others,
                               uint32_t count);

static pass_function *pass_of(uint32_t number)
{
#ifdef __x86_64__
    if (number == 1 && __builtin_cpu_supports("avx2"))
        return ptx_cells_avx2;
    if (number == 2 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return ptx_cells_avx512;
#endif
    return ptx_cells_any;
}

/* A second reader besides, which clem_race_among() notes. */
static bool is_done_alone(const struct ptx_cells *x, const struct clem_race_look *look,
                          uint64_t slot, uint64_t *first, uint64_t *others)
{
    const struct clem_race_now now = {slot, (uint32_t)x->old, look, NULL};
    const uint64_t known = *first, differs = known ^ slot;
    const uint32_t word = (uint32_t)(differs >> 32);
    const uint32_t state = (uint32_t)(known >> 32) & CLEM_RACE_STATE;
    const bool is_behind = !x->writes && word & CLEM_RACE_WRITES && state == CLEM_RACE_ALONE &&
                           (uint32_t)known > x->old;
    const bool is_more = !x->writes && state == CLEM_RACE_MORE && !(known >> 32 & CLEM_RACE_FULL) &&
                         (uint32_t)known > x->old && (uint32_t)known < look->turn &&
                         differs & x->like;
    if (!is_behind && !is_more &&
        clem_race_at_first(&now, x->like, (ulong *)first, (ulong *)others))
        return true;
    return !x->writes && (uint32_t)differs == 0 && (uint32_t)known > x->old &&
           !(word & (CLEM_RACE_BYTES | CLEM_RACE_STRONG | CLEM_RACE_WRITES)) &&
           state == CLEM_RACE_ALONE &&
           clem_race_among(slot, now.old, look, NULL, (ulong *)first, (ulong *)others);
}

TEST_BODY(rows_of_accesses_leave_in_cells_what_lanes_leave)
{
    enum { COUNT = 21, OTHERS = CLEM_RACE_SLOTS - 1 };
    prepare(&side);
    for (uint32_t i = 0; i < 30000; i++) {
        uint64_t first[2][COUNT], others[2][COUNT * OTHERS], left = 0;
        const struct clem_race_look *const look = &side.look;
        const bool writes = draw(2);
        side.look.relaxed = draw(2);
        const struct ptx_cells x = {
            .like = writes ? ~((uint64_t)CLEM_RACE_STATE << 32)
                           : (uint64_t)(CLEM_RACE_FULL - 1u) << 32 | 0xffffffffu,
            .old = draw(2) ? look->old : look->barrier,
            .clear = look->clear,
            .turn = look->turn,
            .barrier = look->barrier,
            .alone = look->relaxed ? look->alone : INT64_MAX,
            .writes = writes,
            .slot = (uint64_t)(draw(3) * 32 | 15u << CLEM_RACE_BYTES_AT | 1u << CLEM_RACE_SITE_AT |
                               (writes ? CLEM_RACE_WRITES : 0))
                        << 32 |
                    look->time,
            .shift = draw(3)};
        for (uint32_t k = 0; k < COUNT; k++) {
            first[0][k] = first[1][k] = draw_slot(look);
            for (uint32_t m = 0; m < OTHERS; m++)
                others[0][k * OTHERS + m] = others[1][k * OTHERS + m] =
                    draw_slot(look) & ~((uint64_t)CLEM_RACE_STATE << 32);
        }
        for (uint32_t k = 0; k < COUNT; k++)
            if (!is_done_alone(&x, look, ptx_cells_slot(&x, k), &first[1][k],
                               &others[1][(size_t)k * OTHERS]))
                left |= 1ull << k;
        assert_int_equal(pass_of(i % 3)(&x, first[0], others[0], COUNT), left);
        assert_memory_equal(first[0], first[1], sizeof first[0]);
        assert_memory_equal(others[0], others[1], sizeof others[0]);
        go_on(&side.look);
    }
}

/* ---- Lists in place of cells ---- */

struct drawn {
    bool is_shared, writes;
    uint32_t bytes, lanes, thread, time;
    uint64_t first, second; /* of the halves */
    int64_t stride;
};

static struct drawn draw_access(void)
{
    static const uint32_t sizes[] = {4, 4, 4, 4, 8, 16};
    static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0xffff,
                                     0xfffe0000, 1,          0x0f0ff0f0};
    struct drawn d = {.writes = draw(14) == 0, .thread = draw(4) * LANES, .time = side.look.time};
    d.bytes = sizes[draw(6)];
    d.lanes = masks[draw(7)];
    d.stride = draw(5) == 0 ? 0 : draw(6) ? (int64_t)d.bytes : draw(2) ? 2 * (int64_t)d.bytes : 160;
    d.first = (uint64_t)draw(12) * 16 + (d.bytes == 4 ? draw(4) * 4 : 0);
    d.second =
        draw(4) && d.stride < 128 ? d.first + (uint64_t)(16 * d.stride) : (uint64_t)draw(3) * 16;
    return d;
}

static uint64_t offset_of(const struct drawn *d, uint32_t lane)
{
    const uint64_t start = lane < LANES / 2 ? d->first : d->second;
    return start + (uint64_t)(d->stride * (int64_t)(lane % (LANES / 2)));
}

static bool always_looks; /* at memory and init, too */
static bool is_still;     /* loads are of memory that may be still */
static uint64_t parameters[1];

static void by_row(struct side *s, const struct drawn *d, bool is_list)
{
    static struct ptx_native_list list;
    const uint64_t base = (uint64_t)(uintptr_t)memory;
    const struct ptx_native_launch launch = {.checked = (uint64_t)(uintptr_t)&s->head,
                                             .parameters = (uint64_t)(uintptr_t)parameters};
    const struct ptx_native_block block = {.thread = d->thread, .number_in_grid = s->look.block};
    const bool looks = always_looks || draw(2),
               are_words = (d->bytes == 4 || d->bytes == 8) && d->stride == (int64_t)d->bytes;
    const struct ptx_native_told told = {
        .what = (uint64_t)d->bytes << 32 | CLEM_CHECK_GLOBAL << 8 |
                (d->writes ? CLEM_CHECK_STORE : CLEM_CHECK_LOAD),
        .site = s->site,
        .ways = PTX_NATIVE_RACES | (looks ? (uint64_t)PTX_NATIVE_LOOKS : 0) |
                (is_still && !d->writes ? (uint64_t)PTX_NATIVE_STILL : 0) |
                (looks && are_words ? (uint64_t)PTX_NATIVE_WORDS : 0),
        .stride = d->stride,
        .stores = 1,
        .number = d->bytes};
    const uint64_t first = base + d->first, second = base + d->second;
    told_lanes = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        list.addresses[lane] = base + offset_of(d, lane);
    if (told.ways & PTX_NATIVE_STILL && !is_list && draw(3)) /* as the text calls it */
        assert_int_equal(
            clem_native_check_still(&launch, &block, &told, d->lanes, first, second, &list), 0);
    else
        assert_int_equal(is_list ? clem_native_check_list(&launch, &block, &told, d->lanes, &list)
                                 : clem_native_check_line(&launch, &block, &told, d->lanes, first,
                                                          second, &list),
                         0);
}

/* All that was done to memory since it was wiped. */
enum { PAST = 400 };
static struct past {
    struct drawn all[PAST];
    uint32_t count;
    uint32_t forgotten[WORDS]; /* of each cell, so many */
} past;

static bool is_ordered(const struct clem_race_look *look, uint32_t time)
{
    return time <= look->clear || time <= look->old ||
           (time >= look->turn && time <= look->barrier);
}

/* Whether a lane's access is a race with an earlier one's, or with one of its own before it. */
static bool races_with(const struct drawn *d, uint32_t lane, uint32_t earlier)
{
    const struct drawn *const e = &past.all[earlier];
    const bool is_own = e->time >= side.look.turn;
    if (!(d->writes || e->writes) || (e != d && is_ordered(&side.look, e->time)))
        return false;
    for (uint32_t other = 0; other < (e == d ? lane : LANES); other++) {
        const uint64_t a = offset_of(d, lane), b = offset_of(e, other);
        const uint64_t low = a > b ? a : b;
        if (e->lanes >> other & 1 && !(e == d && told_lanes >> other & 1) && a < b + e->bytes &&
            b < a + d->bytes && !(is_own && e->thread + other == d->thread + lane) &&
            past.forgotten[low / 4] <= earlier)
            return true;
    }
    return false;
}

static uint32_t racing_lanes(const struct drawn *d)
{
    uint32_t racing = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; d->lanes >> lane & 1 && i < past.count; i++)
            racing |= races_with(d, lane, i) ? 1u << lane : 0;
    return racing;
}

/* What is in a row's front is its list then. */
static void settle(uint64_t at)
{
    const struct ptx_row_times times = ptx_row_times_of(&side.look, &side.head);
    ptx_front_settle(side.cells, at, &times);
}

/* What is told the host does. */
static void forget_told(const struct drawn *d)
{
    const struct ptx_row_times times = ptx_row_times_of(&side.look, NULL);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint64_t i = 0; told_lanes >> lane & 1 && i < d->bytes; i += 4) {
            const uint64_t at = offset_of(d, lane) + i;
            settle(at);
            ptx_row_close(side.cells, at, &times);
            side.cells[at / 4] = 0;
            past.forgotten[at / 4] = past.count;
        }
}

static void wipe(void)
{
    memset(side.cells, 0, sizeof side.cells);
    memset(&past, 0, sizeof past);
}

TEST_BODY(no_race_is_missed_where_rows_have_lists)
{
    uint32_t races = 0, told_in_vain = 0, lists = 0;
    prepare(&side);
    wipe();
    for (int i = 0; i < 6000; i++) {
        const struct drawn d = past.all[past.count++] = draw_access();
        by_row(&side, &d, draw(2));
        const uint32_t racing = racing_lanes(&past.all[past.count - 1]);
        assert_int_equal(racing & ~told_lanes, 0);
        races += (uint32_t)__builtin_popcount(racing);
        told_in_vain += (uint32_t)__builtin_popcount(told_lanes & ~racing);
        forget_told(&d);
        lists += ptx_row_is_open(ptx_row_of(side.cells, d.first));
        if (draw(2) == 0)
            go_on(&side.look);
        if (past.count == PAST || draw(40) == 0)
            wipe();
    }
    assert_true(races > 1000 && told_in_vain < races / 10 && lists > 1000);
}

TEST_BODY(a_race_that_was_reported_is_told_no_more_and_the_row_keeps_its_list)
{
    struct drawn d = {
        .writes = true, .bytes = 4, .stride = 4, .lanes = UINT32_MAX, .second = 64, .time = 10};
    const uint64_t pair = CLEM_RACE_PAIR(5u << CLEM_RACE_SITE_AT, 5u << CLEM_RACE_SITE_AT, 0u);
    for (uint32_t i = 0; i < 8; i++) {
        const bool is_reported = i & 1, is_of_other = i & 2, is_of_other_kind = i & 4;
        prepare(&side);
        wipe();
        d.writes = true;
        d.thread = 0;
        by_row(&side, &d, false);
        assert_int_equal(told_lanes, 0);
        side.look.begin = side.look.time++;
        side.look.turn = side.look.time;
        side.head.reported[CLEM_RACE_PAIR_PLACE(pair)] =
            is_reported ? pair + (is_of_other_kind ? 1 : 0) : 0;
        side.site = is_of_other ? OTHER_SITE : SITE;
        d.writes = false;
        d.thread = LANES;
        const bool is_known = is_reported && !is_of_other && !is_of_other_kind;
        for (uint32_t k = 0; k < 3; k++) {
            by_row(&side, &d, false);
            assert_int_equal(told_lanes, is_known ? 0 : UINT32_MAX);
            assert_int_equal(ptx_row_is_open(ptx_row_of(side.cells, 0)), is_known);
            d.thread += LANES;
        }
        side.site = OTHER_SITE;
        by_row(&side, &d, false);
        assert_int_equal(told_lanes, UINT32_MAX);
    }
}

TEST_BODY(single_lanes_whose_race_was_reported_are_told_no_more)
{
    static const uint32_t places[] = {5, 900, 17, 300, 18, 641, 77, 402};
    const uint64_t pair = CLEM_RACE_PAIR(5u << CLEM_RACE_SITE_AT, 5u << CLEM_RACE_SITE_AT, 0u);
    for (uint32_t i = 0; i < 4; i++) {
        const bool is_reported = i & 1;
        prepare(&side);
        wipe();
        for (uint32_t k = 0; k < 8; k++) {
            const struct drawn d = {
                .writes = !(i & 2), .bytes = 4, .lanes = 1, .first = places[k] * 4ull};
            by_row(&side, &d, true);
            assert_int_equal(told_lanes, 0);
        }
        side.look.begin = side.look.time++;
        side.look.turn = side.look.time;
        side.head.reported[CLEM_RACE_PAIR_PLACE(pair)] = is_reported ? pair : 0;
        for (uint32_t k = 0; k < 8; k++) {
            const struct drawn d = {.writes = i & 2,
                                    .bytes = 4,
                                    .lanes = 1,
                                    .thread = LANES,
                                    .first = places[k] * 4ull};
            by_row(&side, &d, true);
            assert_int_equal(told_lanes, is_reported ? 0 : 1);
        }
    }
}

/* Bytes that many blocks read, each several times. */
TEST_BODY(of_many_reads_of_a_row_enough_are_kept)
{
    prepare(&side);
    wipe();
    for (uint32_t i = 0; i < 600; i++) {
        const struct drawn d = {.bytes = i % 3 ? 1 : 2,
                                .stride = i % 3 ? 1 : 2,
                                .lanes = i % 5 ? UINT32_MAX : 0xffff,
                                .thread = draw(4) * LANES,
                                .first = 34 + draw(30) / 2 * 2,
                                .time = side.look.time};
        struct drawn half = d;
        half.second = half.first + (uint64_t)(16 * d.stride);
        by_row(&side, &half, false);
        assert_int_equal(told_lanes, 0);
        assert_true(ptx_row_is_open(ptx_row_of(side.cells, 0)));
        if (i % 50 == 49)
            take_turn(&side.look);
        if (i % 7 == 0)
            side.look.time++;
    }
    side.look.clear = side.look.old = 2;
    take_turn(&side.look);
    side.look.clear = side.look.old = 2;
    const struct drawn last = {.writes = true,
                               .bytes = 1,
                               .stride = 1,
                               .lanes = UINT32_MAX,
                               .first = 64,
                               .second = 80,
                               .time = side.look.time};
    by_row(&side, &last, false);
    assert_int_equal(told_lanes, UINT32_MAX);
}

/* ---- Stores at one place ---- */

static uint32_t come; /* lanes that were told */

/* Who checks: each lane stores where it is told. */
static uint64_t take_note(const struct clem_check_call *call)
{
    come |= 1u << call->thread % LANES;
    return call->address + call->shared;
}

/* Lanes 4 to 31 store their numbers, each with what `ways` says, at addresses of its list; or at words[0]. */
static void store_numbers(uint64_t ways, const uint32_t *at, uint32_t *words)
{
    static struct ptx_native_list list;
    const struct clem_check_launch head = {.function = (uint64_t)(uintptr_t)take_note};
    const struct ptx_native_launch launch = {.checked = (uint64_t)(uintptr_t)&head};
    const struct ptx_native_block block = {.thread = LANES};
    const struct ptx_native_told told = {.what = 4ull << 32 | (uint64_t)CLEM_CHECK_VALUE << 24 |
                                                 CLEM_CHECK_GLOBAL << 8 | CLEM_CHECK_STORE,
                                         .ways = PTX_NATIVE_TELLS | ways};
    const uint64_t first = (uint64_t)(uintptr_t)words;
    come = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        ((uint32_t *)list.values)[lane] = lane;
        list.addresses[lane] = first + 4 * (at ? at[lane] : 0u);
    }
    assert_true(
        at ? clem_native_check_list(&launch, &block, &told, 0xfffffff0u, &list)
           : clem_native_check_line(&launch, &block, &told, 0xfffffff0u, first, first, &list));
    for (uint32_t lane = 4; lane < LANES; lane++)
        assert_int_equal(list.addresses[lane], first + 4 * (at ? at[lane] : 0u));
}

/* Lanes add to four words, each of its own, eight lanes to one. */
static void add_up(uint64_t order, uint64_t scope)
{
    static struct ptx_native_list list;
    const struct ptx_native_launch launch = {.checked = (uint64_t)(uintptr_t)&side.head};
    const struct ptx_native_block block = {.number_in_grid = side.look.block};
    const struct ptx_native_told told = {
        .what = 4ull << 32 | scope << 20 | order << 16 | CLEM_CHECK_GLOBAL << 8 | CLEM_CHECK_ATOMIC,
        .site = SITE,
        .ways = PTX_NATIVE_TELLS | PTX_NATIVE_LOOKS | PTX_NATIVE_RACES};
    come = told_lanes = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        list.addresses[lane] = (uint64_t)(uintptr_t)&memory[lane % 4];
    assert_int_equal(clem_native_check_list(&launch, &block, &told, UINT32_MAX, &list), 0);
    for (uint32_t lane = 0; lane < LANES; lane++)
        assert_int_equal(list.addresses[lane], (uint64_t)(uintptr_t)&memory[lane % 4]);
}

/* ---- What is enough ---- */

static void begin_again(void)
{
    prepare(&side);
    wipe();
    side.head.function = (uint64_t)(uintptr_t)take_note;
    always_looks = true;
    come = 0;
}

/* The next block of the launch. */
static void next_block(void)
{
    side.look.begin = side.look.barrier = side.look.time++;
    side.look.turn = side.look.time;
}

static uint32_t listed(void)
{
    uint32_t count;
    settle(0);
    return ptx_row_listed(side.cells, 0, &count) ? count : 0;
}

TEST_BODY(reads_of_a_block_that_has_ended_are_enough_where_nothing_orders_blocks)
{
    struct drawn d = {.bytes = 4, .stride = 4, .lanes = UINT32_MAX, .second = 64};
    for (uint32_t relaxed = 0; relaxed < 2; relaxed++) {
        begin_again();
        side.look.relaxed = relaxed;
        d.writes = false;
        for (uint32_t i = 0; i < 3; i++, next_block()) {
            d.thread = i * LANES;
            by_row(&side, &d, i == 1);
            assert_int_equal(told_lanes, 0);
        }
        assert_int_equal(listed(), relaxed ? 1 : 3);
        d.writes = true;
        by_row(&side, &d, false);
        assert_int_equal(told_lanes, UINT32_MAX);
    }
}

TEST_BODY(reads_of_a_block_that_has_ended_hide_no_write_of_its)
{
    struct drawn d = {.writes = true, .bytes = 4, .stride = 4, .lanes = UINT32_MAX, .second = 64};
    begin_again();
    by_row(&side, &d, false);
    side.look.barrier = side.look.time++;
    d.writes = false;
    d.thread = LANES;
    by_row(&side, &d, false);
    assert_int_equal(told_lanes, 0);
    for (uint32_t i = 0; i < 3; i++) {
        next_block();
        by_row(&side, &d, i & 1);
        assert_int_equal(told_lanes, UINT32_MAX);
    }
}

/* By threads that come one by one, where there are cells. */
TEST_BODY(two_threads_that_read_stay_however_often_one_of_them_does)
{
    struct drawn d = {.bytes = 4, .stride = 4, .lanes = 1};
    begin_again();
    for (uint32_t i = 0; i < 5; i++) {
        d.thread = i % 2;
        by_row(&side, &d, true);
        assert_int_equal(told_lanes, 0);
    }
    d.writes = true;
    by_row(&side, &d, true);
    assert_int_equal(told_lanes, 1);
}

TEST_BODY(a_row_that_is_closed_keeps_what_no_barrier_orders)
{
    struct drawn d = {.bytes = 4, .stride = 4, .lanes = UINT32_MAX};
    begin_again();
    for (uint32_t i = 0; i < 6; i++) {
        if (i == 4)
            side.look.barrier = side.look.time++;
        d.first = i == 4 ? 4 : 0;
        d.second = d.first + 64;
        d.thread = i < 4 ? (i + 1) * LANES : 0;
        by_row(&side, &d, false);
        assert_int_equal(told_lanes, 0);
    }
    const struct ptx_row_times times = ptx_row_times_of(&side.look, &side.head);
    settle(0);
    ptx_row_close(side.cells, 0, &times);
    d.writes = true;
    d.first = 20;
    d.lanes = 1;
    d.thread = 5;
    by_row(&side, &d, true);
    assert_int_equal(told_lanes, 1u << 5);
}

TEST_BODY(all_is_told_while_values_are_followed_though_it_was_read_before)
{
    struct drawn d = {.bytes = 4, .stride = 4, .lanes = UINT32_MAX, .second = 64};
    begin_again();
    for (uint32_t i = 0; i < 3; i++) {
        d.thread = i * LANES;
        by_row(&side, &d, false);
        assert_int_equal(come, 0);
    }
    side.head.followed = 1;
    side.whole.bytes = 0;
    for (uint32_t i = 0; i < 2; i++) {
        come = 0;
        by_row(&side, &d, i);
        assert_int_equal(come, UINT32_MAX);
    }
}

/* Columns, and what lies anywhere. */
TEST_BODY(lanes_that_are_far_from_each_other_are_looked_at_without_a_call)
{
    struct drawn d = {.bytes = 4, .stride = 68, .lanes = UINT32_MAX, .second = 16 * 68};
    begin_again();
    for (uint32_t i = 0; i < 4; i++) {
        d.writes = i == 0;
        by_row(&side, &d, i & 1);
        assert_int_equal(told_lanes | come, 0);
        assert_false(ptx_row_is_open(ptx_row_of(side.cells, 0)));
        side.look.barrier = side.look.time++;
    }
    d.thread = LANES;
    next_block();
    by_row(&side, &d, false);
    assert_int_equal(told_lanes, UINT32_MAX);
}

TEST_BODY(atomic_operations_are_told_where_they_may_order_something)
{
    const struct drawn read = {.bytes = 4, .stride = 4, .lanes = 15, .thread = LANES, .second = 64};
    prepare(&side);
    wipe();
    side.head.function = (uint64_t)(uintptr_t)take_note;
    for (uint32_t i = 0; i < 3; i++) {
        side.look.relaxed = 1;
        add_up(PTX_ORDER_RELAXED, PTX_SCOPE_GPU);
        assert_int_equal(come, 0);
        add_up(PTX_ORDER_NONE, PTX_SCOPE_NONE);
        assert_int_equal(come, 0);
        add_up(PTX_ORDER_ACQUIRE, PTX_SCOPE_GPU);
        assert_int_equal(come, UINT32_MAX);
        add_up(PTX_ORDER_RELAXED, PTX_SCOPE_CTA);
        assert_int_equal(come, UINT32_MAX);
        add_up(PTX_ORDER_RELAXED, PTX_SCOPE_SYS);
        assert_int_equal(come, UINT32_MAX);
        side.look.relaxed = 0;
        add_up(PTX_ORDER_RELAXED, PTX_SCOPE_GPU);
        assert_int_equal(come, UINT32_MAX);
        take_turn(&side.look);
    }
    by_row(&side, &read, false);
    assert_int_equal(told_lanes, 15);
    wipe();
    by_row(&side, &read, false);
    assert_int_equal(told_lanes, 0);
    side.look.relaxed = 1;
    add_up(PTX_ORDER_RELAXED, PTX_SCOPE_GPU);
    assert_int_equal(come, UINT32_MAX);
}

TEST_BODY(of_lanes_at_one_place_the_lowest_ones_value_stays_and_each_is_told)
{
    uint32_t words[8] = {0}, at[LANES];
    store_numbers(0, NULL, words);
    assert_int_equal(come, 0xfffffff0u);
    assert_int_equal(words[0], 4);
    for (uint32_t lane = 0; lane < LANES; lane++)
        at[lane] = lane * 5 % 8;
    store_numbers(0, at, words);
    assert_int_equal(come, 0xfffffff0u);
    for (uint32_t lane = 4; lane < 12; lane++)
        assert_int_equal(words[at[lane]], lane);
}

TEST_BODY(neighbours_that_store_at_one_place_may_be_told_as_one)
{
    uint32_t words[8] = {0}, at[LANES];
    store_numbers(PTX_NATIVE_FIRST, NULL, words);
    assert_int_equal(come, 1u << 4);
    assert_int_equal(words[0], 4);
    for (uint32_t lane = 0; lane < LANES; lane++)
        at[lane] = lane / 4;
    store_numbers(PTX_NATIVE_FIRST, at, words);
    assert_int_equal(come, 0x11111110u);
    for (uint32_t word = 1; word < 8; word++)
        assert_int_equal(words[word], 4 * word);
}

/* ---- Stores of what is there ---- */

static uint32_t same; /* lanes that store it, as was told */

static uint64_t note_same(uint64_t launch, uint64_t what, uint64_t site, uint64_t address,
                          uint64_t thread, uint64_t block)
{
    (void)launch, (void)site, (void)address, (void)block;
    same |= (CLEM_CHECK_FLAGS(what) & CLEM_CHECK_SAME) != 0 ? 1u << thread % LANES : 0;
    return 1;
}

static void tell_row_of_same(uint32_t space, const uint32_t *words)
{
    static struct ptx_native_list list;
    const struct clem_check_launch head = {.access = (uint64_t)(uintptr_t)note_same};
    const struct ptx_native_launch launch = {.checked = (uint64_t)(uintptr_t)&head};
    const struct ptx_native_block block = {.shared = (uint64_t)(uintptr_t)words};
    const struct ptx_native_told told = {.what = 4ull << 32 | (uint64_t)CLEM_CHECK_VALUE << 24 |
                                                 space << 8 | CLEM_CHECK_STORE,
                                         .ways = PTX_NATIVE_RACES,
                                         .stride = 4};
    const uint64_t first = (uint64_t)(uintptr_t)words;
    for (uint32_t lane = 0; lane < LANES; lane++)
        ((uint32_t *)list.values)[lane] = lane % 3;
    same = 0;
    assert_int_equal(
        clem_native_check_line(&launch, &block, &told, UINT32_MAX, first, first + 64, &list), 0);
}

TEST_BODY(stores_of_what_is_there_are_told_as_such_in_all_memory)
{
    uint32_t words[LANES], expected = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        words[lane] = lane % 2;
        expected |= (uint32_t)(lane % 2 == lane % 3) << lane;
    }
    tell_row_of_same(CLEM_CHECK_SHARED, words);
    assert_int_equal(same, expected);
    tell_row_of_same(CLEM_CHECK_GLOBAL, words);
    assert_int_equal(same, expected);
}

/* ---- Memory that is still ---- */

static struct {
    struct clem_check_still head;
    uint64_t words[WORDS / 64 + 1], parts[1], each[WORDS * 4 / 64];
} kept;
static struct clem_check_memory nothing;

static uint64_t find_memory(uint64_t address)
{
    return address - (uint64_t)(uintptr_t)memory < sizeof memory ? (uint64_t)(uintptr_t)&side.whole
                                                                 : 0;
}

static bool keep_memory(uint64_t its, uint64_t times)
{
    memset(&kept, 0, sizeof kept);
    kept.head = (struct clem_check_still){
        .times = times, .bytes = sizeof kept.words, .each = offsetof(__typeof__(kept), each)};
    ((struct clem_check_memory *)(uintptr_t)its)->still = (uint64_t)(uintptr_t)&kept;
    return true;
}

static void begin_still(uint64_t parameter)
{
    begin_again();
    side.head.find = (uint64_t)(uintptr_t)find_memory;
    side.head.keep = (uint64_t)(uintptr_t)keep_memory;
    side.head.none = (uint64_t)(uintptr_t)&nothing;
    for (size_t i = 0; i < CLEM_CHECK_STILL; i++)
        side.head.still[i] = side.head.none;
    side.head.still_times = 1;
    parameters[0] = parameter;
    is_still = true;
}

static struct drawn draw_read(void)
{
    static const uint32_t sizes[] = {1, 2, 4, 4, 8};
    static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, 0xfffe, 1, 0x0f0ff0f0};
    struct drawn d = {.thread = draw(4) * LANES, .time = side.look.time};
    d.bytes = sizes[draw(5)];
    d.lanes = masks[draw(5)];
    d.stride = draw(5) == 0 ? 0 : draw(6) ? (int64_t)d.bytes : 3 * (int64_t)d.bytes;
    d.first = (uint64_t)draw(200) * d.bytes;
    d.second = draw(4) ? d.first + (uint64_t)(16 * d.stride) : (uint64_t)draw(200) * d.bytes;
    if (draw(3) == 0) { /* as most are */
        d.bytes = 4;
        d.stride = 4;
        d.lanes = UINT32_MAX;
        d.first = (uint64_t)draw(40) * LANES;
        d.second = d.first + 64;
    }
    return d;
}

/* Bytes that the launch has read, and words of which it has read parts: of those no more than a few reads are kept. */
static struct {
    bool bytes[WORDS * 4], parts[WORDS];
} was_read;

/* What is told the host keeps. */
static void note_read(const struct drawn *d)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint64_t k = 0; (d->lanes & ~told_lanes) >> lane & 1 && k < d->bytes; k++) {
            was_read.bytes[offset_of(d, lane) + k] = true;
            was_read.parts[(offset_of(d, lane) + k) / 4] |= d->bytes < 4;
        }
}

static bool is_known_to_be_read(size_t at)
{
    return (kept.words[at / 256] >> at / 4 % 64 | kept.each[at / 64] >> at % 64) & 1;
}

/* How many words are known to be read. Needs: only such ones are. */
static uint32_t count_kept(void)
{
    uint32_t count = 0;
    for (size_t at = 0; at < sizeof was_read.bytes; at++) {
        assert_true(was_read.bytes[at] || !is_known_to_be_read(at));
        count += at % 4 == 0 && kept.words[at / 256] >> at / 4 % 64 & 1;
    }
    return count;
}

/* A launch that nothing orders behind it writes word after word: whatever was read is told of. */
static uint32_t write_all(uint32_t *in_vain)
{
    uint32_t races = 0;
    is_still = false;
    side.head.still_times = 0;
    side.look.begin = side.look.time++;
    side.look.turn = side.look.alone = side.look.time;
    for (uint64_t at = 0; at < sizeof memory; at += 4) {
        const struct drawn d = {.writes = true, .bytes = 4, .lanes = 1, .first = at};
        by_row(&side, &d, true);
        assert_true(told_lanes != 0 || !was_read.bytes[at] || was_read.parts[at / 4]);
        races += was_read.bytes[at];
        *in_vain += told_lanes != 0 && !was_read.bytes[at] && !was_read.parts[at / 4];
    }
    return races;
}

TEST_BODY(what_was_read_of_memory_that_is_still_is_kept_for_other_launches)
{
    uint32_t words = 0, races = 0, in_vain = 0;
    for (uint32_t turn = 0; turn < 60; turn++) {
        begin_still(5);
        memset(&was_read, 0, sizeof was_read);
        for (uint32_t i = 0; i < 1 + turn; i++) {
            const struct drawn d = draw_read();
            by_row(&side, &d, draw(2));
            assert_int_equal(come, 0);
            note_read(&d);
            if (draw(3) == 0)
                next_block();
        }
        words += count_kept();
        races += write_all(&in_vain);
    }
    assert_true(words > 1000 && races > 1000 && in_vain < races / 20);
}

TEST_BODY(memory_that_is_written_is_not_still)
{
    struct drawn d = {.bytes = 4, .stride = 4, .lanes = UINT32_MAX, .second = 64};
    begin_still((uint64_t)(uintptr_t)&memory[17]);
    by_row(&side, &d, false);
    assert_int_equal(side.whole.still, 0);
    begin_still((uint64_t)(uintptr_t)&memory[WORDS]); /* from behind */
    by_row(&side, &d, false);
    assert_int_equal(side.whole.still, 0);
    begin_still((uint64_t)1 << 40); /* in no memory: stores may go anywhere */
    by_row(&side, &d, false);
    assert_int_equal(side.whole.still | side.head.still_times, 0);
    for (uint32_t i = 0; i < 2; i++) {
        begin_still(5);
        by_row(&side, &d, false);
        assert_int_not_equal(side.whole.still, 0);
        side.look.pages[((uint64_t)(uintptr_t)memory >> CLEM_RACE_PAGE_BITS) % CLEM_RACE_PAGES]
            .number = 0; /* cells are not looked at again */
        by_row(&side, &d, i);
        assert_int_equal(told_lanes | come, 0);
        d.writes = true; /* though nothing said so */
        by_row(&side, &d, i);
        assert_int_equal(side.head.still_times, 0);
        d.writes = false;
        by_row(&side, &d, i);
        assert_int_equal(told_lanes, UINT32_MAX);
    }
    is_still = false;
}

/* ---- Logs ---- */

static uint64_t log_words[1 << 16];

static bool make_room(uint64_t its)
{
    kept.head.log = (uint64_t)(uintptr_t)log_words;
    kept.head.log_room = sizeof log_words / sizeof *log_words;
    return its == (uint64_t)(uintptr_t)&side.whole;
}

/* Whose thread's a read is, and when, for each byte: 0: nobody's. */
static uint64_t logged[WORDS * 4];

static void read_log(void)
{
    memset(logged, 0, sizeof logged);
    for (uint64_t at = 0; at < kept.head.log_count;) {
        const uint64_t *const own = log_words + at;
        const uint32_t lanes = (uint32_t)own[2];
        const uint64_t bytes = CLEM_READ_LANE_BYTES(own[2]), how = CLEM_READ_HOW(own[2]);
        for (uint32_t rest = lanes, i = 0; rest != 0; rest &= rest - 1, i++) {
            const uint32_t lane = (uint32_t)__builtin_ctz(rest);
            uint64_t place = own[0] - (uint64_t)(uintptr_t)memory;
            if (how == CLEM_READ_LIST)
                place += (uint32_t)(own[CLEM_READ_WORDS + i / 2] >> i % 2 * 32);
            place += how == CLEM_READ_LINE ? lane * bytes : 0;
            for (uint64_t k = place; k < place + bytes; k++)
                logged[k] = own[1] + ((uint64_t)lane << 32);
        }
        at += CLEM_READ_SIZE(own[2]);
    }
}

TEST_BODY(what_is_read_of_still_memory_is_logged_where_all_before_is_ordered)
{
    for (uint32_t turn = 0; turn < 40; turn++) {
        begin_still(5);
        side.head.room = (uint64_t)(uintptr_t)make_room;
        side.look.is_clear = 1;
        memset(&was_read, 0, sizeof was_read);
        for (uint32_t i = 0; i < 1 + turn; i++) {
            const struct drawn d = draw_read();
            by_row(&side, &d, draw(2));
            assert_int_equal(come, 0);
            assert_int_equal(told_lanes, 0);
            note_read(&d);
        }
        (void)count_kept();
        read_log();
        for (size_t k = 0; k < sizeof was_read.bytes; k++) {
            const uint32_t word = (uint32_t)(logged[k] >> 32);
            assert_int_equal(logged[k] != 0, was_read.bytes[k]);
            assert_int_equal(is_known_to_be_read(k), was_read.bytes[k]);
            assert_true(!logged[k] || word >> CLEM_RACE_SITE_AT == 5);
        }
        for (size_t k = 0; k < CELL_WORDS; k++)
            assert_int_equal(side.cells[k], 0);
    }
    is_still = false;
}

TEST_BODY(words_of_a_warp_are_logged_only_while_nothing_else_is_to_be_looked_at)
{
    enum { NONE, UNWRITTEN, FOLLOWED, UNORDERED, PUT_OFF, OF_ANOTHER, TOUCHED, REASONS };
    static unsigned char written[sizeof memory];
    static uint64_t change;
    struct drawn d = {.bytes = 4, .stride = 4, .lanes = UINT32_MAX};
    for (uint32_t i = 0; i < 8 * REASONS; i++) {
        const uint32_t why = i % REASONS;
        begin_still(5);
        side.head.room = (uint64_t)(uintptr_t)make_room;
        side.gate.change = (uint64_t)(uintptr_t)&change;
        side.look.is_clear = 1;
        change = 0;
        for (uint32_t row = 0; row < 2; row++) {
            d.first = (uint64_t)row * 4 * LANES;
            d.second = d.first + 64;
            by_row(&side, &d, false);
            assert_int_equal(kept.head.log_count, (row + 1) * CLEM_READ_WORDS);
        }
        memset(written, 1, sizeof written);
        written[8 * LANES + 70] = why != UNWRITTEN;
        side.whole.written = why == UNWRITTEN ? (uint64_t)(uintptr_t)written : 0;
        side.head.followed = why == FOLLOWED;
        side.look.is_clear = why != UNORDERED;
        side.zero = why == PUT_OFF;
        side.look.sites[SITE].site += why == OF_ANOTHER;
        change = why == TOUCHED;
        d.first = 8 * LANES;
        d.second = d.first + 64;
        by_row(&side, &d, false);
        assert_int_equal(kept.head.log_count, (why == NONE ? 3 : 2) * CLEM_READ_WORDS);
    }
    is_still = false;
}

TEST_BODY(reads_that_are_noted_late_stay_beside_later_ones)
{
    const struct ptx_row_times times = {.old = 2, .clear = 3, .turn = 5};
    for (uint32_t i = 0; i < 60; i++) {
        const uint32_t cell = draw(PTX_ROW_CELLS - 4), time = 5 + draw(20);
        const struct ptx_row_access read = {.time = time,
                                            .word = 5u << CLEM_RACE_SITE_AT | 7,
                                            .lanes = 15,
                                            .cells = 15u << cell,
                                            .shape = ptx_row_shape((int64_t)cell * 4, 4, 4)};
        const ptx_row_bytes bytes = ptx_row_between(cell * 4, cell * 4 + 16);
        uint32_t found = 0;
        if (i % 20 == 0)
            prepare(&side);
        if (i % 3 == 2)
            ptx_front_settle(side.cells, 0, &times);
        if (i % 7 == 6)
            ptx_row_close(side.cells, 0, &times);
        ptx_row_note_late(side.cells, 0, &times, &read, bytes, 4);
        static struct side after;
        after = side;
        ptx_front_settle(after.cells, 0, &times);
        ptx_row_close(after.cells, 0, &times);
        for (uint32_t k = cell; k < cell + 4; k++)
            for (uint32_t m = 0; m < CLEM_RACE_SLOTS; m++) {
                const uint64_t slot = m == 0
                                          ? after.cells[k]
                                          : after.cells[WORDS + k * (CLEM_RACE_SLOTS - 1) + m - 1];
                found += (uint32_t)slot >= 5 ? 1u << (k - cell) * 4 : 0;
            }
        for (uint32_t k = 0; k < 4; k++)
            assert_true((found >> k * 4 & 15) != 0);
    }
}

/* How many loads the text itself looks at. */
static size_t seen_loads(const char *body)
{
    char text[2048];
    (void)snprintf(text, sizeof text, "%s%s%s\n}\n", PTX_HEAD, ADDRESSES, body);
    return count_told(text, PTX_NATIVE_SEEN);
}

TEST_BODY(loads_of_lines_are_looked_at_by_the_text_where_memory_may_be_still)
{
    assert_int_equal(seen_loads("ld.global.u32 %r2, [%rd5]; st.global.u32 [%rd6], %r2; ret;"), 1);
    assert_int_equal(seen_loads("ld.global.u32 %r2, [%rd5]; ld.global.u32 %r3, [%rd1]; add.u32 "
                                "%r2, %r2, %r3; st.global.u32 [%rd6], %r2; ret;"),
                     2);
    assert_int_equal(
        seen_loads("ld.global.u32 %r2, [%rd5]; st.global.u32 [%rd6], %r2; membar.gl; ret;"), 0);
}
