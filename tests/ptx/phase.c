/* Shared memory of checked blocks from one barrier to the next: which loads need no look at races, and that of accesses which are seen not
 * to race none does, and enough is written down.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "kernels/ptx/host/host_race.h"
#include "kernels/ptx/host/phase.h"
#include "tests/ptx/read.h"

/* ---- Loads that nobody's store can meet ---- */

/* How many there are. */
static size_t calm_loads(const char *text)
{
    return count_told(text, PTX_NATIVE_CALM);
}

#define SHARED                                                                                     \
    ".shared .align 4 .b8 s[1024];\nld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; shl.b32 %r2, "    \
    "%r1, 2; mov.u32 %r3, s; add.u32 %r4, %r3, %r2; ld.param.u32 %r9, [n];"
#define STORE "st.shared.u32 [%r4], %r1;"
#define LOAD  "ld.shared.u32 %r5, [%r4+4];"
#define MEET  "bar.sync 0;"
#define END   "st.global.u32 [%rd1], %r5; ret;"

TEST_BODY(loads_between_barriers_without_stores_need_no_look_at_races)
{
    assert_int_equal(calm_loads(PTX_BODY(SHARED STORE MEET LOAD END)), 1);
    assert_int_equal(calm_loads(PTX_BODY(SHARED STORE MEET LOAD MEET STORE END)), 1);
    assert_int_equal(calm_loads(PTX_BODY(
                         SHARED "L: " STORE MEET LOAD MEET
                                "sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra L; " END)),
                     1);
}

TEST_BODY(loads_that_a_store_can_meet_need_a_look_at_races)
{
    static const char *const bodies[] = {
        PTX_BODY(SHARED STORE LOAD END),
        PTX_BODY(SHARED STORE "bar.warp.sync -1;" LOAD END),
        PTX_BODY(SHARED STORE MEET LOAD STORE END),
        PTX_BODY(SHARED STORE MEET LOAD "red.shared.add.u32 [%r4], 1;" END),
        /* by other threads, in the other branch */
        PTX_BODY(SHARED STORE MEET "setp.lt.u32 %p1, %r1, 5; @%p1 bra L; " LOAD "bra M; L: " STORE
                                   "M: " END),
        /* in the next turn of a loop */
        PTX_BODY(SHARED MEET "L: " LOAD STORE
                             "sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra L; " END),
        PTX_BODY(SHARED "L: " STORE MEET LOAD
                        "sub.u32 %r9, %r9, 1; setp.ne.u32 %p1, %r9, 0; @%p1 bra L; " END),
        PTX_BODY(SHARED "L: " LOAD "sub.u32 %r9, %r9, 1; setp.eq.u32 %p1, %r9, 0; @%p1 bra M; " MEET
                        "bra N; M: " STORE "N: " END),
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (calm_loads(bodies[i]) != 0)
            fail_msg("kernel %zu", i);
}

/* ---- Accesses that are seen not to race ---- */

enum { LANES = 32, WARPS = 3, THREADS = WARPS * LANES, CELLS = 128, BYTES = 4 * CELLS };

static struct {
    struct ptx_native_launch launch;
    struct clem_check_launch head;
    struct clem_race_gate gate;
    struct clem_race_look look;
    struct ptx_native_block block;
    unsigned char shadow[BYTES];
    struct ptx_native_told told[PTX_PHASE_ACCESSES * 2];
    size_t told_count;
} here;

enum kind { LOAD_KIND, STORE_KIND, ATOMIC_KIND, KINDS };

/* Threads that have accessed a cell. */
static bool by_all[KINDS][CELLS][THREADS], by_noted[KINDS][CELLS][THREADS];

static uint32_t draw(uint32_t below)
{
    static uint64_t state = 7;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static bool are_lines; /* in this phase most accesses are what clem_native_check_shared() has */

/* An access, and where its lanes make it. */
struct drawn {
    enum kind kind;
    uint32_t bytes, lanes, warp;
    bool is_list;
    uint32_t places[LANES];
    int64_t stride;
};

static uint32_t draw_lanes(void)
{
    switch (draw(5)) {
    case 0:
        return 1u << draw(LANES);
    case 1:
        return (2u << draw(31)) - 1;
    case 2:
        return draw(UINT32_MAX) | 1u << draw(LANES);
    default:
        return UINT32_MAX;
    }
}

/* Loads of anything, and otherwise mostly what is a warp's own: not all shall race at once. is_atomic: the phase has more of these. */
static struct drawn draw_access(bool is_atomic)
{
    struct drawn d = {.kind = draw(is_atomic ? 2 : 40) == 0 ? ATOMIC_KIND
                              : draw(4)                     ? LOAD_KIND
                                                            : STORE_KIND,
                      .bytes = draw(4) ? 4u : 4u << draw(3),
                      .lanes = draw_lanes(),
                      .warp = draw(WARPS)};
    static const int64_t strides[] = {0, 1, 1, 1, 1, 2, -1, 3};
    d.is_list = d.kind == ATOMIC_KIND || draw(3) == 0;
    d.bytes = d.kind == ATOMIC_KIND && d.bytes == 16 ? 8 : d.bytes;
    const bool is_own = draw(8) != 0 && d.kind != ATOMIC_KIND, is_one = is_own || draw(2);
    d.stride = (is_own ? 1 : strides[draw(8)]) * (int64_t)d.bytes;
    uint32_t first = is_own ? d.warp * LANES * 4 : draw(CELLS) * 4 & -d.bytes,
             second = draw(CELLS) * 4 & -d.bytes;
    if (are_lines && draw(20) != 0) {
        d.is_list = d.kind == ATOMIC_KIND;
        d.bytes = 4;
        d.stride = is_own ? 4 : 0;
        first = is_own ? first : (THREADS + draw(CELLS - THREADS)) * 4;
        second = is_own ? first + 16 * 4 : first;
    }
    if (is_own && d.bytes > 4)
        d.lanes &= d.bytes == 8 ? 0xffff : 0xff;
    for (int64_t lane = 0; lane < LANES; lane++) {
        const uint32_t half = is_one || lane < 16 ? first : second;
        const int64_t away = is_one || lane < 16 ? lane : lane - 16;
        d.places[lane] =
            d.is_list && !is_own ? draw(CELLS) * 4 & -d.bytes : half + (uint32_t)(away * d.stride);
    }
    d.lanes |= d.lanes ? 0 : 1;
    return d;
}

/* What threads of other warps, or any others, did to a cell. */
static bool have(bool by[CELLS][THREADS], uint32_t cell, uint32_t thread, bool of_others)
{
    for (uint32_t i = 0; i < THREADS; i++)
        if (by[cell][i] && (of_others ? i / LANES != thread / LANES : i != thread))
            return true;
    return false;
}

static bool races_at(bool by[KINDS][CELLS][THREADS], enum kind kind, uint32_t cell, uint32_t thread,
                     bool of_others)
{
    return (kind != ATOMIC_KIND && have(by[ATOMIC_KIND], cell, thread, of_others)) ||
           have(by[STORE_KIND], cell, thread, of_others) ||
           (kind != LOAD_KIND && have(by[LOAD_KIND], cell, thread, of_others));
}

static bool races(bool by[KINDS][CELLS][THREADS], const struct drawn *d, bool of_others)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t at = 0; d->lanes >> lane & 1 && at < d->bytes; at += 4)
            if (races_at(by, d->kind, (d->places[lane] + at) / 4, d->warp * LANES + lane,
                         of_others))
                return true;
    return false;
}

/* That one thread has stored to a cell, too, which orders all that it does; but its own atomic operations are not told apart. */
static bool is_mixed(const struct drawn *d)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t at = 0; d->lanes >> lane & 1 && at < d->bytes; at += 4) {
            const uint32_t cell = (d->places[lane] + at) / 4, thread = d->warp * LANES + lane;
            if (by_all[d->kind == ATOMIC_KIND ? STORE_KIND : ATOMIC_KIND][cell][thread])
                return true;
        }
    return false;
}

static bool is_within(const struct drawn *d)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (d->lanes >> lane & 1 && (uint64_t)d->places[lane] + d->bytes > BYTES)
            return false;
    return true;
}

static bool meet_at_store(const struct drawn *d)
{
    for (uint32_t i = 0; d->kind == STORE_KIND && i < LANES; i++)
        for (uint32_t j = 0; j < i; j++)
            if (d->lanes >> i & d->lanes >> j & 1 && d->places[i] == d->places[j])
                return true;
    return false;
}

static void add(bool by[KINDS][CELLS][THREADS], enum kind kind, uint32_t bytes, uint32_t place,
                uint32_t thread)
{
    for (uint32_t at = 0; at < bytes; at += 4)
        by[kind][(place + at) / 4][thread] = true;
}

static void add_all(const struct drawn *d)
{
    for (uint32_t lane = 0; lane < LANES; lane++)
        if (d->lanes >> lane & 1)
            add(by_all, d->kind, d->bytes, d->places[lane], d->warp * LANES + lane);
}

/* What the phase has written down, and was not noted yet. */
static void add_noted(void)
{
    struct ptx_phase *const phase = ptx_phase_of(&here.block);
    for (uint32_t i = phase->noted; i < phase->count; i++) {
        const struct ptx_phase_access *a = &phase->accesses[i];
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint32_t half = lane < 16 ? a->first : a->second;
            const uint32_t place = a->places
                                       ? a->places[lane]
                                       : half + (uint32_t)(a->told->stride * (int64_t)(lane % 16));
            if (a->lanes >> lane & 1)
                add(by_noted, (enum kind)CLEM_CHECK_KIND(a->told->what),
                    CLEM_CHECK_BYTES(a->told->what), place, a->thread + lane);
        }
    }
    ptx_phase_is_noted(phase);
}

static size_t taken; /* as lines */

static bool passes(ptx_phase_function *pass, const struct drawn *d)
{
    struct ptx_native_told *told = &here.told[here.told_count++];
    struct ptx_native_list list;
    *told = (struct ptx_native_told){.what = (uint64_t)d->bytes << 32 | CLEM_CHECK_SHARED << 8 |
                                             (uint64_t)d->kind,
                                     .ways = PTX_NATIVE_LOOKS | PTX_NATIVE_RACES |
                                             (d->kind == ATOMIC_KIND ? PTX_NATIVE_TELLS : 0u),
                                     .stride = d->is_list ? 0 : d->stride};
    for (uint32_t lane = 0; lane < LANES; lane++)
        list.addresses[lane] = here.block.shared + d->places[lane];
    here.block.thread = d->warp * LANES;
    const uint64_t first = here.block.shared + d->places[0],
                   second = here.block.shared + d->places[16];
    if (are_lines && !d->is_list && (d->stride == 0 || d->stride == (int64_t)d->bytes) &&
        ptx_phase_takes_line(&here.launch, &here.block, told, d->lanes, first, second)) {
        taken++;
        return true;
    }
    return pass(&here.launch, &here.block, told, d->lanes, first, second,
                d->is_list ? &list : NULL);
}

static void begin(void)
{
    memset(&here, 0, sizeof here);
    here.block.shared = 4096;
    here.launch.shared_bytes = BYTES;
    here.launch.checked = (uint64_t)(uintptr_t)&here.head;
    here.head.shared_bytes = BYTES;
    here.head.gate = (uint64_t)(uintptr_t)&here.gate;
    here.gate.sole = (uint64_t)(uintptr_t)&here.head;
    here.gate.look = (uint64_t)(uintptr_t)&here.look;
    here.look.relaxed = 1;
    ptx_phase_begin(&here.launch, &here.block);
}

/* Until something races; how many accesses did not. */
static size_t run_phase(ptx_phase_function *pass)
{
    memset(by_all, 0, sizeof by_all);
    memset(by_noted, 0, sizeof by_noted);
    here.told_count = 0;
    are_lines = draw(2);
    const bool is_atomic = draw(3) == 0;
    for (size_t count = 0;; count++) {
        struct drawn d = draw_access(is_atomic);
        if (ptx_phase_of(&here.block)->list_count == PTX_PHASE_LISTS || count == PTX_PHASE_ACCESSES)
            return count;
        const bool is = passes(pass, &d);
        if (!is_within(&d)) {
            assert_false(is);
            return count;
        }
        const bool race = races(by_all, &d, false) || meet_at_store(&d);
        assert_true(is ? !race : race || is_mixed(&d));
        if (is) {
            add_all(&d);
            if (draw(40) == 0) { /* some of a warp meet */
                add_noted();
                ptx_phase_of(&here.block)->orders |= 1u << draw(WARPS);
            }
            continue;
        }
        add_noted();
        for (unsigned of_others = 0; of_others < 2; of_others++)
            assert_int_equal(races(by_noted, &d, of_others), races(by_all, &d, of_others));
        return count;
    }
}

TEST_BODY(what_is_seen_not_to_race_does_not_and_enough_is_written_down)
{
    ptx_phase_function *const ways[] = {
        ptx_phase_pass_any,
#ifdef __x86_64__
        __builtin_cpu_supports("avx2") ? ptx_phase_pass_avx2 : ptx_phase_pass_any,
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
            ? ptx_phase_pass_avx512
            : ptx_phase_pass_any
#endif
    };
    size_t passed = 0;
    begin();
    for (size_t i = 0; i < 30000; i++) {
        passed += run_phase(ways[i % (sizeof ways / sizeof *ways)]);
        ptx_phase_meet(&here.launch, &here.block);
    }
    assert_true(passed > 60000);
    assert_true(taken > 30000);
    ptx_phase_end(&here.block);
}

/* ---- What was written ---- */

TEST_BODY(loads_are_right_up_to_what_was_written)
{
    static const struct ptx_native_told told = {
        .what = 4ull << 32 | CLEM_CHECK_SHARED << 8 | CLEM_CHECK_LOAD,
        .ways = PTX_NATIVE_LOOKS | PTX_NATIVE_CALM | PTX_NATIVE_INIT,
        .stride = 4};
    begin();
    here.block.shadow = (uint64_t)(uintptr_t)here.shadow;
    memset(here.shadow, 1, 200);
    assert_int_equal(ptx_phase_of(&here.block)->known, 0);
    ptx_phase_meet(&here.launch, &here.block);
    assert_int_equal(ptx_phase_of(&here.block)->known, 200);
    assert_true(
        ptx_phase_reads_line(&here.launch, &here.block, &told, 0x3ffff, 4096 + 128, 4096 + 192));
    assert_false(
        ptx_phase_reads_line(&here.launch, &here.block, &told, 0x7ffff, 4096 + 128, 4096 + 192));
    assert_false(ptx_phase_reads_line(&here.launch, &here.block, &told, 1, 4096 + 2, 4096 + 66));
    memset(here.shadow + 200, 1, BYTES - 200);
    here.head.shared_bytes = 0; /* values are followed */
    ptx_phase_meet(&here.launch, &here.block);
    assert_int_equal(ptx_phase_of(&here.block)->known, 200);
    assert_false(ptx_phase_reads_line(&here.launch, &here.block, &told, 1, 4096, 4096 + 64));
    here.head.shared_bytes = BYTES;
    ptx_phase_forget(&here.block);
    assert_int_equal(ptx_phase_of(&here.block)->known, 0);
    ptx_phase_meet(&here.launch, &here.block);
    assert_int_equal(ptx_phase_of(&here.block)->known, BYTES);
    ptx_phase_end(&here.block);
}

static bool takes(uint64_t kind, uint32_t lanes, uint64_t place)
{
    static const struct ptx_native_told told[] = {
        {.what = 4ull << 32 | CLEM_CHECK_SHARED << 8 | CLEM_CHECK_LOAD,
         .ways = PTX_NATIVE_LOOKS | PTX_NATIVE_RACES | PTX_NATIVE_INIT,
         .stride = 4},
        {.what = 4ull << 32 | CLEM_CHECK_SHARED << 8 | CLEM_CHECK_STORE,
         .ways = PTX_NATIVE_LOOKS | PTX_NATIVE_RACES | PTX_NATIVE_INIT,
         .stride = 4}};
    return ptx_phase_takes_line(&here.launch, &here.block, &told[kind], lanes,
                                here.block.shared + place, here.block.shared + place + 64);
}

TEST_BODY(lines_are_right_where_they_were_written_and_are_when_they_are_stored)
{
    begin();
    here.block.shadow = (uint64_t)(uintptr_t)here.shadow;
    assert_false(takes(CLEM_CHECK_LOAD, 0xff, 0));
    assert_true(takes(CLEM_CHECK_STORE, 0xff, 0));
    assert_int_equal(here.shadow[31], 1);
    assert_int_equal(here.shadow[32], 0);
    assert_int_equal(ptx_phase_of(&here.block)->known, 32);
    assert_true(takes(CLEM_CHECK_STORE, 0xff0000, 0));
    assert_int_equal(ptx_phase_of(&here.block)->known, 32);
    assert_true(takes(CLEM_CHECK_LOAD, 0xff, 0));
    assert_false(takes(CLEM_CHECK_LOAD, 0x1ff, 0));
    assert_false(takes(CLEM_CHECK_LOAD, 0x1, 2));
    assert_false(takes(CLEM_CHECK_STORE, 0xf0f00, 0)); /* some between are nobody's */
    assert_int_equal(here.shadow[32], 0);
    assert_false(takes(CLEM_CHECK_STORE, 0x3, BYTES - 4));
    here.head.shared_bytes = 0; /* values are followed */
    assert_false(takes(CLEM_CHECK_LOAD, 0xff, 0));
    ptx_phase_end(&here.block);
}

/* ---- Courses ---- */

enum { DEEDS = 60, ROUNDS = 3000, MEETS = 2, LISTS, CALM, DEED_KINDS };

/* What a block does: loads or stores a line, meets, loads a list of places, or loads what nobody stores meanwhile. */
struct deed {
    uint32_t kind, warp, lanes, place;
};

static struct deed draw_deed(size_t number, size_t round)
{
    static const uint32_t kinds[] = {CLEM_CHECK_LOAD,  CLEM_CHECK_LOAD,  CLEM_CHECK_STORE,
                                     CLEM_CHECK_STORE, CLEM_CHECK_STORE, MEETS};
    const uint32_t warp = draw(WARPS), kind = draw(60) ? kinds[draw(6)] : draw(2) ? LISTS : CALM;
    const bool is_own = draw(20) != 0;
    if (number < WARPS) /* later ones have something to load */
        return (struct deed){CLEM_CHECK_STORE, (uint32_t)(number + round) % WARPS, UINT32_MAX,
                             (uint32_t)(number + round) % WARPS * LANES * 4};
    return (struct deed){kind, warp, draw(4) ? UINT32_MAX : draw_lanes(),
                         is_own ? warp * LANES * 4 : draw(CELLS - LANES) * 4};
}

static bool do_deed(const struct deed *d)
{
    static const struct ptx_native_told calm = {
        .what = 4ull << 32 | CLEM_CHECK_SHARED << 8 | CLEM_CHECK_LOAD,
        .ways = PTX_NATIVE_LOOKS | PTX_NATIVE_CALM | PTX_NATIVE_INIT,
        .stride = 4};
    static const struct ptx_native_told listed = {
        .what = 4ull << 32 | CLEM_CHECK_SHARED << 8 | CLEM_CHECK_LOAD,
        .ways = PTX_NATIVE_LOOKS | PTX_NATIVE_RACES | PTX_NATIVE_INIT};
    const uint64_t first = here.block.shared + d->place;
    struct ptx_native_list list;
    here.block.thread = d->warp * LANES;
    switch (d->kind) {
    case MEETS:
        ptx_phase_meet(&here.launch, &here.block);
        return true;
    case CALM:
        return ptx_phase_reads_line(&here.launch, &here.block, &calm, d->lanes, first, first + 64);
    case LISTS:
        for (uint32_t lane = 0; lane < LANES; lane++)
            list.addresses[lane] = first + lane * 4;
        ptx_course_leave(&here.block);
        return ptx_phase_pass_any(&here.launch, &here.block, &listed, d->lanes, 0, 0, &list);
    default:
        if (takes(d->kind, d->lanes, d->place))
            return true;
        ptx_course_leave(&here.block); /* as whoever looks at it then does */
        return false;
    }
}

/* What is left of a block. */
struct left {
    bool are[DEEDS];
    uint64_t known;
    struct ptx_phase_lines lines;
    uint32_t count;
    struct ptx_phase_access accesses[DEEDS];
    unsigned char shadow[BYTES];
};

static size_t followed; /* deeds */

static void run_block(const struct deed *deeds, struct left *left)
{
    memset(left, 0, sizeof *left);
    memset(here.shadow, 0, sizeof here.shadow);
    ptx_phase_begin(&here.launch, &here.block);
    struct ptx_phase *const phase = ptx_phase_of(&here.block);
    for (size_t i = 0; i < DEEDS; i++) {
        left->are[i] = do_deed(&deeds[i]);
        followed += phase->way == PTX_COURSE_FOLLOWS;
    }
    ptx_course_wake(&here.block);
    left->known = phase->known;
    left->lines = phase->lines;
    left->count = phase->count;
    for (uint32_t i = 0; i < phase->count; i++) {
        left->accesses[i] = phase->accesses[i];
        left->accesses[i].places = NULL; /* where lists are */
    }
    memcpy(left->shadow, here.shadow, sizeof left->shadow);
    ptx_phase_end(&here.block);
}

static void begin_launch(void)
{
    begin();
    ptx_phase_end(&here.block);
    here.block.shadow = (uint64_t)(uintptr_t)here.shadow;
}

TEST_BODY(blocks_that_take_the_course_of_others_leave_what_they_would_alone)
{
    static struct left alone, after;
    struct deed deeds[2][DEEDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        const size_t parts = draw(DEEDS);
        for (size_t i = 0; i < DEEDS; i++) {
            deeds[0][i] = draw_deed(i, round);
            deeds[1][i] = round % 3 != 0 && i >= parts ? draw_deed(i, round) : deeds[0][i];
        }
        begin_launch();
        run_block(deeds[1], &alone);
        begin_launch();
        for (size_t i = 0; i < 2; i++)
            run_block(deeds[0], &after);
        for (size_t i = 0; i < 2; i++) {
            run_block(deeds[1], &after);
            assert_memory_equal(&after, &alone, sizeof alone);
        }
    }
    assert_true(followed > ROUNDS * DEEDS / 2);
}

TEST_BODY(a_course_has_an_end)
{
    begin_launch();
    for (size_t block = 0; block < 4; block++) {
        memset(here.shadow, 0, sizeof here.shadow);
        ptx_phase_begin(&here.launch, &here.block);
        struct ptx_phase *const phase = ptx_phase_of(&here.block);
        here.block.thread = 0;
        for (size_t i = 0; i < PTX_COURSE_STEPS; i++) {
            assert_true(takes(CLEM_CHECK_STORE, UINT32_MAX, 0));
            if (i % 9 == 0)
                ptx_phase_meet(&here.launch, &here.block);
        }
        assert_int_equal(phase->way, PTX_COURSE_LEFT);
        assert_int_equal(phase->steps[PTX_COURSE_STEPS].who, PTX_COURSE_ENDS);
        assert_int_equal(phase->writers[0], 0);
        assert_int_equal(phase->known, 128);
        assert_int_equal(phase->count, (PTX_COURSE_STEPS - 1) % 9);
        ptx_phase_end(&here.block);
    }
}

TEST_BODY(no_course_is_taken_while_values_are_followed)
{
    begin_launch();
    for (size_t i = 0; i < 2; i++) {
        ptx_phase_begin(&here.launch, &here.block);
        memset(here.shadow, 0, sizeof here.shadow);
        here.block.thread = 0;
        assert_true(takes(CLEM_CHECK_STORE, UINT32_MAX, 0));
        assert_int_equal(ptx_phase_of(&here.block)->way,
                         i ? PTX_COURSE_FOLLOWS : PTX_COURSE_EXTENDS);
        here.head.followed = i;
        here.head.shared_bytes = i ? 0 : BYTES;
        assert_int_equal(takes(CLEM_CHECK_LOAD, UINT32_MAX, 0), i == 0);
        assert_int_equal(here.shadow[127], 1);
        ptx_phase_meet(&here.launch, &here.block);
        ptx_phase_end(&here.block);
    }
}

/* ---- Constants ---- */

static size_t told_lanes;

static uint64_t tell(const struct clem_check_call *call)
{
    told_lanes++;
    return call->address;
}

/* How many lanes of a whole warp are told that read 4 bytes of a place. */
static size_t told_of(uint64_t place)
{
    static const struct ptx_native_told told = {.what = 4ull << 32 | CLEM_CHECK_GLOBAL << 8 |
                                                        CLEM_CHECK_LOAD,
                                                .ways = PTX_NATIVE_LOOKS | PTX_NATIVE_INIT};
    struct ptx_native_list list;
    told_lanes = 0;
    clem_native_check_line(&here.launch, &here.block, &told, UINT32_MAX, place, place, &list);
    return told_lanes;
}

TEST_BODY(a_constant_is_told_where_it_is_not_seen_to_be_right)
{
    static _Alignas(4096) uint32_t memory[16];
    static uint64_t pages[CLEM_CHECK_PAGES];
    const uint64_t place = (uint64_t)(uintptr_t)memory;
    begin();
    memset(here.shadow, 1, BYTES);
    struct clem_check_memory all = {
        .base = place, .bytes = sizeof memory, .written = (uint64_t)(uintptr_t)here.shadow};
    for (size_t i = 0; i < CLEM_CHECK_PAGES; i++)
        pages[i] = (uint64_t)(uintptr_t)&all;
    here.head.memory = (uint64_t)(uintptr_t)pages;
    here.head.function = (uint64_t)(uintptr_t)tell;
    assert_int_equal(told_of(place + 60), 0);
    assert_int_equal(told_of(place + 64), LANES);
    assert_int_equal(told_of(place + 62), LANES);
    assert_int_equal(told_of(place + 2), LANES);
    here.shadow[11] = 0;
    assert_int_equal(told_of(place + 4), 0);
    assert_int_equal(told_of(place + 8), LANES);
    all.bytes = 0; /* values are followed */
    assert_int_equal(told_of(place), LANES);
    ptx_phase_end(&here.block);
}
