/* Checked kernels in the native form: which have it, and that a warp's row of accesses leaves in the cells of races what its lanes
 * leave there one after the other.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "kernels/ptx/library/check.h"
#include "kernels/ptx/native/cells.h"
#include "kernels/ptx/native/checks.h"
#include "kernels/ptx/native/host_race.h"
#include "tests/ptx/read.h"

/* ---- Forms ---- */

static enum ptx_form form_of(const char *text)
{
    static const struct ptx_target target = {.is_cpu = true,
                                             .has_double = true,
                                             .has_int64_atomics = true,
                                             .max_parameter_bytes = 4096,
                                             .llvm_major = 14,
                                             .checks = PTX_CHECK_MEMORY | PTX_CHECK_INIT |
                                                       PTX_CHECK_RACE | PTX_CHECK_SYNC,
                                             .force_form = -1};
    struct ptx_kernel kernel = translate_for(text, &target);
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

/* ---- Cells ---- */

enum { LANES = 32, WORDS = 1024, CELL_WORDS = WORDS * CLEM_RACE_SLOTS, SITE = 77 };

/* What kernels and host share, twice: for rows, and for lanes. */
struct side {
    struct clem_check_launch head;
    struct clem_race_gate gate;
    struct clem_race_look look;
    uint64_t cells[CELL_WORDS], page, told;
    uint32_t zero;
};
static struct side sides[2];
static _Alignas(4096) uint32_t memory[WORDS], shared[WORDS];
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
    s->look.sites[SITE] = (struct clem_race_site){SITE, 5ull << CLEM_RACE_SITE_AT};
    s->look.time = 10;
    s->look.old = s->look.clear = s->look.begin = 2;
    s->look.turn = 3;
}

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

/* Time goes on: a barrier, another block's turn, or nothing but that. */
static void go_on(struct clem_race_look *look)
{
    look->barrier = draw(2) ? look->time : look->barrier;
    look->time++;
    if (draw(6) == 0) {
        look->begin = look->time++;
        look->turn = look->time;
        look->barrier = look->begin;
        look->old = draw(3) ? look->old : look->begin - 1;
        look->clear = draw(2) ? look->old : look->begin - 1;
        look->time++;
    }
}

struct drawn {
    bool is_shared, writes;
    uint32_t bytes, lanes, thread;
    uint64_t first, second; /* of the halves */
    int64_t stride;
};

static struct drawn draw_access(void)
{
    static const uint32_t sizes[] = {4, 4, 4, 8, 16, 2, 1};
    static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, 0xffff,    0xfffe0000,
                                     0x7ffffff,  1,          0x0f0ff0f0};
    struct drawn d = {.is_shared = draw(2), .writes = draw(3) == 0, .thread = draw(4) * LANES};
    d.bytes = sizes[draw(7)];
    d.lanes = masks[draw(7)];
    d.stride = draw(3) == 0 ? 0 : draw(4) ? (int64_t)d.bytes : (int64_t)(4 * d.bytes);
    d.first = (uint64_t)draw(8) * 16;
    d.second = draw(3) ? d.first + (uint64_t)(16 * d.stride) : (uint64_t)draw(3) * 16;
    return d;
}

static uint64_t what_of(const struct drawn *d)
{
    return (uint64_t)d->bytes << 32 | (d->is_shared ? CLEM_CHECK_SHARED : CLEM_CHECK_GLOBAL) << 8 |
           (d->writes ? CLEM_CHECK_STORE : CLEM_CHECK_LOAD);
}

static void by_row(struct side *s, const struct drawn *d)
{
    static struct ptx_native_list list;
    const uint64_t base = (uint64_t)(uintptr_t)(d->is_shared ? shared : memory);
    const struct ptx_native_launch launch = {.checked = (uint64_t)(uintptr_t)&s->head};
    const struct ptx_native_block block = {.shared = (uint64_t)(uintptr_t)shared,
                                           .thread = d->thread,
                                           .number_in_grid = s->look.block};
    const struct ptx_native_told told = {
        .what = what_of(d), .site = SITE, .ways = PTX_NATIVE_RACES, .stride = d->stride};
    told_lanes = 0;
    assert_int_equal(clem_native_check_line(&launch, &block, &told, d->lanes, base + d->first,
                                            base + d->second, &list),
                     0);
    s->told = told_lanes;
}

static uint64_t offset_of(const struct drawn *d, uint32_t lane)
{
    const uint64_t start = lane < LANES / 2 ? d->first : d->second;
    return start + (uint64_t)(d->stride * (int64_t)(lane % (LANES / 2)));
}

/* Of several cells of a lane that is told some may have been done before: the host does all. */
static void forget_told(struct side *s, const struct drawn *d)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint64_t i = 0; s->told >> lane & 1 && i < d->bytes; i += 4) {
            const uint64_t cell = (offset_of(d, lane) + i) / 4;
            s->cells[cell] = 0;
            memset(&s->cells[WORDS + 3 * cell], 0, 3 * sizeof *s->cells);
        }
}

static void by_lanes(struct side *s, const struct drawn *d)
{
    s->told = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const uint64_t offset = offset_of(d, lane);
        const uint64_t at = d->is_shared ? offset : (uint64_t)(uintptr_t)memory + offset;
        if (d->lanes >> lane & 1 &&
            !clem_race_look_at(&s->head, what_of(d), SITE, at, d->thread + lane, s->look.block,
                               d->writes, d->is_shared))
            s->told |= 1ull << lane;
    }
}

TEST_BODY(rows_of_accesses_leave_in_cells_what_lanes_leave)
{
    prepare(&sides[0]);
    prepare(&sides[1]);
    for (int i = 0; i < 20000; i++) {
        const struct drawn d = draw_access();
        by_row(&sides[0], &d);
        by_lanes(&sides[1], &d);
        assert_int_equal(sides[0].told, sides[1].told);
        forget_told(&sides[0], &d);
        forget_told(&sides[1], &d);
        assert_memory_equal(sides[0].cells, sides[1].cells, sizeof sides[0].cells);
        if (draw(3) == 0)
            go_on(&sides[0].look);
        if (draw(400) == 0) /* what races stays, and all that comes is one */
            memset(sides[0].cells, 0, sizeof sides[0].cells);
        memcpy(sides[1].cells, sides[0].cells, sizeof sides[0].cells);
        const uint64_t page = sides[1].page;
        sides[1].look = sides[0].look;
        sides[1].look.shared_pages = (uint64_t)(uintptr_t)&sides[1].page;
        const uint64_t number = (uint64_t)(uintptr_t)memory >> CLEM_RACE_PAGE_BITS;
        sides[1].look.pages[number % CLEM_RACE_PAGES].cells = page;
    }
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
