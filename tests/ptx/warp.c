/* The text of kernels in PTX_FORM_WARP: what is written as vectors, where lanes part, what lies where, and which kernels get
 * the form.
 * SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "kernels/ptx/host/native_runtime.h"
#include "tests/ptx/read.h"

static const struct ptx_target cpu = {.is_cpu = true,
                                      .has_double = true,
                                      .has_exact_divide = true,
                                      .has_lane_vectors = true,
                                      .max_parameter_bytes = 4096,
                                      .force_form = PTX_FORM_WARP};

/* Of the kernel alone, without its library. */
static size_t count(const struct ptx_kernel *kernel, const char *word)
{
    size_t found = 0;
    for (const char *at = strstr(kernel->text, "static CLEM_ALONE void clem_run_block("); at;
         found++) {
        at = strstr(at + 1, word);
        if (!at)
            return found;
    }
    fail_msg("no kernel in:\n%s", kernel->text);
    return 0;
}

/* The kernel of a body has each of the words, up to NULL. */
static void assert_written(const char *text, const char *const *words, const char *const *others)
{
    struct ptx_kernel kernel = translate_for(text, &cpu);
    assert_int_equal(kernel.form, PTX_FORM_WARP);
    for (size_t i = 0; words[i]; i++)
        if (count(&kernel, words[i]) == 0)
            fail_msg("'%s' is not in:\n%s", words[i], kernel.text);
    for (size_t i = 0; others && others[i]; i++)
        if (count(&kernel, others[i]) > 0)
            fail_msg("'%s' is in:\n%s", others[i], kernel.text);
    ptx_kernel_free(&kernel);
}

#define WRITTEN(text, ...) assert_written(text, (const char *const[]){__VA_ARGS__, NULL}, NULL)
#define SHARED             ".shared .align 4 .b8 s[1024];\n"
#define LOAD               "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"

TEST_BODY(ptx_warp_writes_arithmetic_as_vectors)
{
    const char *const words[] = {"(v_r1 + v_r1)",
                                 "(v_r2 << 3)",
                                 "clem_vshr_u32(v_r2, v_r1)",
                                 "v_r3 < v_r2 ? v_r3 : v_r2",
                                 "clem_to(v_r1, clem_u64v) * clem_to(((clem_u32v)(4u)), clem_u64v)",
                                 "clem_to(v_r4, clem_f32v)",
                                 "clem_vfma_f32(v_f1, v_f1, v_f1)",
                                 "(clem_to(v_r5, clem_u64v) | clem_to(v_r6, clem_u64v) << 32)",
                                 NULL};
    const char *const others[] = {"CLEM_LANES_OF_WARP", NULL};
    assert_written(PTX_BODY(LOAD "add.u32 %r2, %r1, %r1;\nshl.b32 %r3, %r2, 3;\n"
                                 "shr.u32 %r4, %r2, %r1;\nmin.u32 %r5, %r3, %r2;\n"
                                 "mul.wide.u32 %rd2, %r1, 4;\ncvt.rn.f32.u32 %f1, %r4;\n"
                                 "fma.rn.f32 %f2, %f1, %f1, %f1;\nxor.b32 %r6, %r5, %r4;\n"
                                 "mov.b64 %rd3, {%r5, %r6};\nadd.s64 %rd4, %rd1, %rd2;\n"
                                 "st.global.f32 [%rd4], %f2;\nst.global.u64 [%rd4], %rd3;\nret;\n"),
                   words, others);
}

TEST_BODY(ptx_warp_takes_fields_as_vectors)
{
    const char *const words[] = {
        "(v_r1 >> 3 & 31u)", "(v_r2 >> 24)",
        "(clem_as(clem_as(clem_as(v_r3, clem_s32v), clem_u32v) << 21, clem_s32v) >> 24)",
        "r5 = clem_bfe_u32(r4, 32u, 8u)", NULL};
    assert_written(PTX_BODY(LOAD "bfe.u32 %r2, %r1, 3, 5;\nbfe.u32 %r3, %r2, 24, 9;\n"
                                 "bfe.s32 %r4, %r3, 3, 8;\nbfe.u32 %r5, %r4, 32, 8;\n"
                                 "st.global.u32 [%rd1], %r5;\nret;\n"),
                   words, NULL);
}

/* What has no vectors is written lane by lane, neighbours in one loop. */
TEST_BODY(ptx_warp_has_loops_over_lanes_for_the_rest)
{
    struct ptx_kernel kernel = translate_for(
        PTX_BODY(LOAD "brev.b32 %r2, %r1;\npopc.b32 %r3, %r2;\nadd.u32 %r4, %r3, %r1;\n"
                      "prmt.b32 %r5, %r4, %r1, %r3;\nst.global.u32 [%rd1], %r5;\nret;\n"),
        &cpu);
    assert_int_equal(count(&kernel, "CLEM_LANES_OF_WARP"), 2);
    assert_int_equal(count(&kernel, "r2 = clem_brev_b32("), 1);
    assert_int_equal(count(&kernel, "v_r4 = (v_r3 + v_r1)"), 1);
    assert_int_equal(count(&kernel, "clem_lowest_u32(v_r5, clem_active)"), 1); /* to one place */
    ptx_kernel_free(&kernel);
}

/* Of stores at one place that have no vectors one lane does its own; where each has a place, or a guard says who stores, all. */
TEST_BODY(ptx_warp_stores_once_at_one_place)
{
    struct ptx_kernel kernel = translate_for(
        PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                      "setp.gt.u32 %p1, %r1, 5;\nst.volatile.global.u32 [%rd1], %r1;\n"
                      "st.volatile.global.u32 [%rd3], %r1;\n"
                      "@%p1 st.global.u32 [%rd1], %r1;\nret;\n"),
        &cpu);
    assert_int_equal(count(&kernel, "CLEM_LANE_THAT_WINS"), 1);
    assert_int_equal(count(&kernel, "while (CLEM_LANES_DOWNWARD)"), 2);
    ptx_kernel_free(&kernel);
}

/* What a thread hands on beside its registers comes from one loop to the next. */
TEST_BODY(ptx_warp_keeps_carries)
{
    struct ptx_kernel kernel = translate_for(
        PTX_BODY(LOAD "add.cc.u32 %r2, %r1, %r1;\nxor.b32 %r3, %r1, 5;\naddc.u32 %r4, %r1, 0;\n"
                      "add.u32 %r5, %r2, %r4;\nadd.u32 %r5, %r5, %r3;\n"
                      "st.global.u32 [%rd1], %r5;\nret;\n"),
        &cpu);
    assert_int_equal(count(&kernel, "CLEM_LANES_OF_WARP"), 2);
    assert_int_equal(count(&kernel, "uint clem_carry = clem_of_lane(uint, "), 2);
    assert_int_equal(count(&kernel, ") = clem_carry;"), 2);
    ptx_kernel_free(&kernel);
}

/* What all threads count alike is one variable, and its branch a plain one. */
TEST_BODY(ptx_warp_counts_once_for_all_lanes)
{
    const char *const words[] = {"clem_one(uint, ", "r4 = (uint)r4 + 1u;",
                                 "const uint clem_taken = p1 ? clem_active : 0u;",
                                 "clem_store_shared_u32(clem_shared, v_r2", NULL};
    const char *const others[] = {"clem_blend_", "clem_others == 0u)\n                goto N",
                                  NULL};
    assert_written(PTX_BODY(SHARED LOAD
                            "ld.param.u32 %r9, [n];\nshl.b32 %r2, %r1, 2;\nmov.u32 %r4, 0;\n"
                            "LOOP:\nbar.sync 0;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n"
                            "ld.shared.u32 %r1, [%r2];\nadd.u32 %r4, %r4, 1;\n"
                            "setp.lt.u32 %p1, %r4, %r9;\n@%p1 bra LOOP;\n"
                            "st.global.u32 [%rd1], %r1;\nret;\n"),
                   words, others);
}

/* Ways that lanes part on and wait for nobody are one piece with a mask for each node, and keep what others have. */
TEST_BODY(ptx_warp_takes_detours)
{
    const char *const words[] = {"uint clem_all = clem_active", " |= clem_active & ~clem_taken;",
                                 "clem_active = clem_all;", "clem_blend_u32(", NULL};
    const char *const others[] = {"clem_send_lanes(clem_state + clem_base, clem_wait + clem_base, "
                                  "clem_active, 1u",
                                  NULL};
#define PTX_WAY(middle)                                                                            \
    PTX_BODY(SHARED LOAD "mov.u32 %r2, %r1;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 bra ON;\n"             \
                         "add.u32 %r2, %r1, 3;\n" middle "ON:\nst.shared.u32 [s], %r2;\n"          \
                         "bar.sync 0;\nld.shared.u32 %r3, [s];\n"                                  \
                         "st.global.u32 [%rd1], %r3;\nret;\n")
    assert_written(PTX_WAY(""), words, others);
    /* Not where they may wait. */
    const char *const parts[] = {"clem_send_lanes(clem_state", "goto clem_choose;", NULL};
    const char *const no_detour[] = {"clem_all", NULL};
    assert_written(PTX_WAY("bar.sync 1;\n"), parts, no_detour);
#undef PTX_WAY
}

/* A loop that lanes leave at different turns goes on for those that have not. */
TEST_BODY(ptx_warp_loops_until_no_lane_is_left)
{
    WRITTEN(PTX_BODY(LOAD "mov.u32 %r2, 0;\nLOOP:\nadd.u32 %r2, %r2, 3;\n"
                          "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra LOOP;\n"
                          "st.global.u32 [%rd1], %r2;\nret;\n"),
            "clem_to1 |= clem_taken;", "if (clem_to1 != 0u)\n", "goto K1;");
}

TEST_BODY(ptx_warp_exchanges_by_vectors)
{
    WRITTEN(PTX_BODY(LOAD "shfl.sync.up.b32 %r2, %r1, 1, 0, -1;\n"
                          "shfl.sync.idx.b32 %r3, %r2, %r1, 31, -1;\n"
                          "setp.gt.u32 %p1, %r3, 4;\nvote.sync.ballot.b32 %r4, %p1, -1;\n"
                          "match.any.sync.b32 %r5, %r4, -1;\nredux.sync.add.u32 %r6, %r5, -1;\n"
                          "st.global.u32 [%rd1], %r6;\nret;\n"),
            "clem_shift_up(", "clem_permute(", "clem_mask_of(v_p1) & clem_active",
            "clem_match_lanes(", "clem_vlanes_add(");
}

/* Lanes that did one warp operation together wait at no other of the same mask; at one of another mask they do. */
TEST_BODY(ptx_warp_goes_on_from_operation_to_operation)
{
    static const char *const bodies[] = {
        PTX_BODY(LOAD "shfl.sync.up.b32 %r2, %r1, 1, 0, -1;\nadd.u32 %r3, %r2, %r1;\n"
                      "shfl.sync.up.b32 %r4, %r3, 2, 0, -1;\nst.global.u32 [%rd1], %r4;\nret;\n"),
        PTX_BODY(LOAD "shfl.sync.up.b32 %r2, %r1, 1, 0, -1;\nadd.u32 %r3, %r2, %r1;\n"
                      "shfl.sync.up.b32 %r4, %r3, 2, 0, 15;\nst.global.u32 [%rd1], %r4;\nret;\n"),
        PTX_BODY(LOAD "shfl.sync.up.b32 %r2, %r1, 1, 0, %r1;\nadd.u32 %r1, %r2, %r1;\n"
                      "shfl.sync.up.b32 %r4, %r3, 2, 0, %r1;\nst.global.u32 [%rd1], %r4;\nret;\n"),
        PTX_BODY(LOAD "shfl.sync.up.b32 %r2, %r1, 1, 0, -1;\nbar.sync 0;\n"
                      "shfl.sync.up.b32 %r4, %r2, 2, 0, -1;\nst.global.u32 [%rd1], %r4;\nret;\n")};
    static const size_t nodes[] = {2, 3, 3, 4};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct ptx_kernel kernel = translate_for(bodies[i], &cpu);
        assert_int_equal(count(&kernel, "clem_shift_up("), 2);
        assert_int_equal(count(&kernel, ":;\n            {\n"), nodes[i]);
        ptx_kernel_free(&kernel);
    }
}

/* Barriers that count, or tell results, go by each lane's own state. */
TEST_BODY(ptx_warp_knows_every_barrier)
{
    WRITTEN(PTX_BODY(LOAD "setp.gt.u32 %p1, %r1, 4;\nbar.red.popc.u32 %r2, 0, %p1;\n"
                          "st.global.u32 [%rd1], %r2;\nret;\n"),
            "clem_wait[clem_index] = (0u & 15u) | ", "goto clem_send_on;", "& 0xffffu)");
    WRITTEN(PTX_BODY(LOAD "bar.arrive 1, 64;\nbar.sync 2, 64;\nst.global.u32 [%rd1], %r1;\nret;\n"),
            "clem_arrived[", "clem_weight(");
}

/* Where the register lies in the frame of its warp, as the first loop over lanes that keeps it says. */
static unsigned home_of(const struct ptx_kernel *kernel, const char *name)
{
    char word[96];
    const char *at = kernel->text;
    while ((at = strstr(at, "clem_of_lane(uint, "))) {
        unsigned home = 0;
        if (sscanf(at, "clem_of_lane(uint, %u) = %95[^;_]", &home, word) == 2 &&
            strcmp(word, name) == 0)
            return home;
        at++;
    }
    fail_msg("%s has no home in:\n%s", name, kernel->text);
    return 0;
}

/* What two nodes use, each for itself, must not lie where one of them keeps something else. */
TEST_BODY(ptx_warp_keeps_registers_of_several_nodes_apart)
{
    struct ptx_kernel kernel = translate_for(
        PTX_BODY(LOAD "brev.b32 %r5, %r1;\nadd.u32 %r7, %r5, 1;\nst.global.u32 [%rd1], %r7;\n"
                      "setp.gt.u32 %p1, %r1, 4;\n@%p1 bra NEXT;\nst.global.u32 [%rd1+4], %r1;\n"
                      "NEXT:\nbrev.b32 %r6, %r1;\nadd.u32 %r8, %r6, 1;\nbrev.b32 %r5, %r8;\n"
                      "add.u32 %r9, %r5, %r6;\nst.global.u32 [%rd1+8], %r9;\nret;\n"),
        &cpu);
    assert_int_not_equal(home_of(&kernel, "r5"), home_of(&kernel, "r6"));
    ptx_kernel_free(&kernel);
}

/* Each lane has its own way: what no node knows together needs one place. */
TEST_BODY(ptx_warp_keeps_registers_that_never_meet_at_one_place)
{
    struct ptx_kernel kernel = translate_for(
        PTX_BODY(LOAD "brev.b32 %r5, %r1;\nsetp.gt.u32 %p1, %r1, 4;\n@%p1 bra A;\n"
                      "st.global.u32 [%rd1+4], %r1;\nA:\nst.global.u32 [%rd1], %r5;\n"
                      "@%p1 bra B;\nst.global.u32 [%rd1+8], %r1;\nB:\nbrev.b32 %r6, %r1;\n"
                      "brev.b32 %r7, %r6;\n@%p1 bra C;\nst.global.u32 [%rd1+12], %r1;\n"
                      "C:\nadd.u32 %r8, %r6, %r7;\nst.global.u32 [%rd1+16], %r8;\nret;\n"),
        &cpu);
    assert_int_equal(home_of(&kernel, "r5"), home_of(&kernel, "r6"));
    assert_int_not_equal(home_of(&kernel, "r6"), home_of(&kernel, "r7"));
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_warp_counts_bits_of_all_lanes_at_once)
{
    WRITTEN(PTX_BODY(LOAD "popc.b32 %r2, %r1;\nclz.b32 %r3, %r1;\nadd.u32 %r4, %r2, %r3;\n"
                          "st.global.u32 [%rd1], %r4;\nret;\n"),
            "v_r2 = (clem_vpopc_b32(v_r1))", "v_r3 = (clem_vclz_b32(v_r1))");
}

/* Threads that wait in a loop let others go. */
TEST_BODY(ptx_warp_leaves_loops_that_wait)
{
    WRITTEN(PTX_BODY(SHARED LOAD
                     "LOOP:\natom.global.cas.b32 %r2, [%rd1], 0, 1;\n"
                     "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra LOOP;\n"
                     "st.global.u32 [%rd1+4], %r1;\natom.global.exch.b32 %r3, [%rd1], 0;\n"
                     "bar.sync 0;\nret;\n"),
            "if (clem_steps++ >= clem_patience)", " | CLEM_SPUN", "clem_has_failed(clem_runtime)");
}

#define SHUFFLE "shfl.sync.down.b32 %r1, %r1, 1, 31, -1;\n"

static enum ptx_form form_of(const char *text, const struct ptx_target *target)
{
    struct ptx_kernel kernel = translate_for(text, target);
    const enum ptx_form form = kernel.form;
    ptx_kernel_free(&kernel);
    return form;
}

TEST_BODY(ptx_warp_is_chosen_where_warps_do_much)
{
    static const char *const many =
        PTX_BODY(LOAD SHUFFLE SHUFFLE SHUFFLE SHUFFLE SHUFFLE SHUFFLE SHUFFLE SHUFFLE
                 "st.global.u32 [%rd1], %r1;\nret;\n");
    static const char *const few =
        PTX_BODY(LOAD SHUFFLE "bar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;\n");
    struct ptx_target target = cpu;
    target.force_form = -1;
    assert_int_equal(form_of(many, &target), PTX_FORM_WARP);
    assert_int_equal(form_of(few, &target), PTX_FORM_BLOCK);
    target.has_lane_vectors = false;
    assert_int_equal(form_of(many, &target), PTX_FORM_BLOCK);
    target.has_lane_vectors = true;
    target.is_cpu = false;
    assert_int_equal(form_of(many, &target), PTX_FORM_BLOCK);
}

#define PTX_CALLED(name, body)                                                                     \
    ".func (.param .b32 r) " name "(.param .b32 x)\n{\n.reg .b32 %a; .reg .pred %p;\n"             \
    "ld.param.b32 %a, [x];\n" body "st.param.b32 [r], %a;\nret;\n}\n"
#define PTX_CALL(how)                                                                              \
    "{\n.param .b32 x, r;\nst.param.b32 [x], %a;\ncall (r), " how ";\nld.param.b32 %a, [r];\n}\n"

/* Calls by number, a function that calls itself, and a grid that waits for all of its blocks. */
TEST_BODY(ptx_native_takes_all_calls_and_grids)
{
    static const char *const texts[] = {
        PTX_HEAD PTX_CALLED("f", "add.u32 %a, %a, 1;\n") PTX_CALLED(
            "g",
            "shl.b32 %a, %a, 1;\n") ".global .align 8 .u64 table[2] = {f, g};\n"
                                    ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %a; .reg .b64 "
                                    "%rd<4>;\n"
                                    "ld.param.u64 %rd1, [a];\nmov.u32 %a, %tid.x;\nmov.u64 %rd3, "
                                    "table;\n"
                                    "ld.global.u64 %rd2, [%rd3+8];\n" PTX_CALL(
                                        "%rd2, (x), shape;\nshape: .callprototype (.param .b32 _) "
                                        "_ (.param .b32 _)") "st.global.u32 [%rd1], %a;\nret;\n}\n",
        PTX_HEAD PTX_CALLED(
            "f",
            "setp.eq.u32 %p, %a, 0;\n@%p bra END;\nsub.u32 %a, %a, 1;\n" PTX_CALL(
                "f, (x)") "add.u32 %a, %a, 3;\nEND:\n") ".visible .entry k(.param .u64 a)\n{\n.reg "
                                                        ".b32 %a; .reg .b64 %rd<2>;\n"
                                                        "ld.param.u64 %rd1, [a];\nmov.u32 %a, "
                                                        "%tid.x;\n" PTX_CALL(
                                                            "f, (x)") "bar.sync 0;\nst.global.u32 "
                                                                      "[%rd1], %a;\nret;\n}\n",
        PTX_HEAD
        ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<3>;\n"
        ".reg .pred %p;\nld.param.u64 %rd1, [a];\nmov.u32 %r1, %envreg1;\nmov.u32 %r2, %envreg2;\n"
        "mov.b64 %rd2, {%r2, %r1};\natom.global.add.u32 %r3, [%rd2+4], 1;\n"
        "WAIT:\nld.volatile.global.u32 %r3, [%rd2+4];\nsetp.lt.u32 %p, %r3, 64;\n@%p bra WAIT;\n"
        "bar.sync 0;\nst.global.u32 [%rd1], %r3;\nret;\n}\n"};
    struct ptx_target target = cpu;
    target.force_form = PTX_FORM_NATIVE;
    target.llvm_major = 15;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ptx_kernel kernel = translate_for(texts[i], &target);
        assert_int_equal(kernel.form, PTX_FORM_NATIVE);
        assert_int_equal(kernel.waits_for_blocks, i == 2);
        ptx_kernel_free(&kernel);
    }
}

/* A loop that sums what is at steps of a distance, in a block of a row. */
#define STRIDING_AND(step, more)                                                                   \
    PTX_BODY(LOAD "mov.u32 %r2, %nctaid.x;\nmov.u32 %r3, %ntid.x;\nmul.lo.u32 %r4, %r2, %r3;\n"    \
                  "mov.u32 %r5, 0;\nL: mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"    \
                  "ld.global.u32 %r6, [%rd3];\nadd.u32 %r5, %r5, %r6;\n" more                      \
                  "add.u32 %r1, %r1, " step ";\nsetp.lt.u32 %p1, %r1, 4096;\n@%p1 bra L;\n"        \
                  "st.global.u32 [%rd1], %r5;\nret;\n")
#define STRIDING(step) STRIDING_AND(step, "")

static struct ptx_target native_target(enum ptx_threads threads)
{
    struct ptx_target target = cpu;
    target.force_form = PTX_FORM_NATIVE;
    target.llvm_major = 15;
    target.threads = threads;
    return target;
}

static size_t count_with(const struct ptx_target *target, const char *text, const char *word)
{
    struct ptx_kernel kernel = translate_for(text, target);
    assert_int_equal(kernel.form, PTX_FORM_NATIVE);
    size_t count = 0;
    for (const char *at = kernel.text; (at = strstr(at, word)) != NULL; at++)
        count++;
    ptx_kernel_free(&kernel);
    return count;
}

static size_t count_for(enum ptx_threads threads, const char *text, const char *word)
{
    const struct ptx_target target = native_target(threads);
    return count_with(&target, text, word);
}

static bool native_has_for(enum ptx_threads threads, const char *text, const char *word)
{
    return count_for(threads, text, word) > 0;
}

static size_t count_of(const char *text, const char *word)
{
    return count_for(PTX_THREADS_ROWS, text, word);
}

static bool native_has(const char *text, const char *word)
{
    return native_has_for(PTX_THREADS_ROWS, text, word);
}

TEST_BODY(ptx_native_tells_llvm_where_rows_of_threads_begin)
{
    static const char *const text =
        PTX_BODY(LOAD "st.global.u32 [%rd1], %r1;\nbar.sync 0;\nret;\n");
    static const struct {
        enum ptx_threads threads;
        bool are_one, begin_rows;
    } cases[] = {{PTX_THREADS_ROWS, true, false},
                 {PTX_THREADS_ROW, true, false},
                 {PTX_THREADS_STACKED, false, true},
                 {PTX_THREADS_HALVES, false, false},
                 {PTX_THREADS_ANY, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(native_has_for(cases[i].threads, text, " = shl nuw nsw i32 %state."),
                         cases[i].are_one);
        assert_int_equal(native_has_for(cases[i].threads, text, ", -32\n"), cases[i].begin_rows);
    }
}

TEST_BODY(ptx_native_has_warps_of_a_block_stride_in_step)
{
    static const char *const in_step = "%mode.1 = alloca";
    assert_true(native_has(STRIDING("%r4"), in_step));
    assert_false(native_has(STRIDING("%r3"), in_step));
    assert_false(native_has(STRIDING("32"), in_step));
}

/* A loop of a warp over rows of shared memory, as far as a bound. */
#define ROWS_TO(compare)                                                                           \
    PTX_BODY(LOAD "mov.u32 %r2, %laneid;\nL: shl.b32 %r3, %r2, 2;\nst.shared.u32 [%r3], %r1;\n"    \
                  "add.u32 %r2, %r2, 32;\nsetp." compare ";\n@%p1 bra L;\nbar.sync 0;\n"           \
                  "ld.shared.u32 %r4, [0];\nst.global.u32 [%rd1], %r4;\nret;\n")

TEST_BODY(ptx_native_has_lanes_in_step_where_rows_end_together)
{
    static const char *const masked = "call void @llvm.masked.store";
    static const char *const alike[] = {
        ROWS_TO("lt.u32 %p1, %r2, 256"), ROWS_TO("lt.s32 %p1, %r2, 96"),
        ROWS_TO("le.u32 %p1, %r2, 255"), ROWS_TO("gt.s32 %p1, %r2, 31"),
        ROWS_TO("ge.u32 %p1, %r2, 64"),
    };
    static const char *const others[] = {
        ROWS_TO("lt.u32 %p1, %r2, 250"), ROWS_TO("le.u32 %p1, %r2, 256"),
        ROWS_TO("lt.u32 %p1, %r2, %r1"), ROWS_TO("ne.u32 %p1, %r2, 256"),
        ROWS_TO("gt.u32 %p1, %r2, 32"),  ROWS_TO("ge.s32 %p1, %r2, 31"),
    };
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        assert_false(native_has(alike[i], masked));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(native_has(others[i], masked));
}

/* Lanes wait for memory, at the end or before a barrier, and keep a number of their own meanwhile. */
#define WAITING                                                                                    \
    "WAIT: ld.volatile.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra WAIT;\n"
#define KEEPING(before, behind)                                                                    \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd3, %rd1, %rd2;\n"                        \
                  "ld.global.u32 %r2, [%rd3];\n" before "bar.sync 0;\nst.global.u32 [%rd3], "      \
                  "%r2;\n" behind "ret;\n")

/* Lanes part and meet again, and what some have had meanwhile nobody wants. */
#define PARTING                                                                                    \
    "setp.eq.u32 %p2, %r2, 5;\n@%p2 bra MEET;\nadd.u32 %r4, %r2, 1;\nsetp.eq.u32 %p3, %r2, 7;\n"   \
    "@%p3 bra MEET;\nst.global.u32 [%rd3+4], %r4;\nMEET:\n"

TEST_BODY(ptx_native_blends_at_barriers_what_comes_in_parts)
{
    static const char *const blended = "select <32 x i1> ";
    assert_false(native_has(KEEPING(PARTING, WAITING), blended));
    assert_false(native_has(KEEPING("", WAITING), blended));
    assert_true(native_has(KEEPING(WAITING, ""), blended));
}

TEST_BODY(ptx_native_takes_from_the_frame_what_lanes_that_waited_want)
{
    static const char *const again = "again:\n", *const row = "load <32 x i32>, ";
    struct ptx_target target = cpu;
    target.force_form = PTX_FORM_NATIVE;
    target.llvm_major = 15;
    target.threads = PTX_THREADS_ROWS;
    struct ptx_kernel kernel = translate_for(KEEPING("", WAITING), &target);
    const char *at = strstr(kernel.text, again);
    assert_non_null(at);
    const char *start = strstr(at, "start:\n"), *taken = strstr(at, row);
    assert_non_null(start);
    assert_true(taken && taken > start);
    ptx_kernel_free(&kernel);
}

/* What a text tells of sums that wait from one run to the next. */
#define LATER "i64 -9223372036854775808)"

/* An addition to the thread's own word of a row, before which and behind which a block does something. */
#define ROW(before, add, behind)                                                                   \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n" before add             \
                  " [%rd3], %r1;\n" behind "ret;\n")

TEST_BODY(ptx_native_keeps_rows_of_sums_for_more_blocks)
{
    static const char *const call = "call void @clem_native_add_row(";
    static const char *const kept = ROW("bar.sync 0;\n", "red.global.add.u32", "");
    static const char *const others[] = {
        ROW("", "red.global.add.u32", ""), /* nobody tells that all are there */
        ROW("bar.sync 0;\n", "red.global.add.u32", "bar.sync 0;\n"),
        ROW("bar.sync 0;\n", "red.global.add.u32", "st.global.u32 [%rd3 + 4096], %r1;\n"),
        ROW("bar.sync 0;\n", "red.release.gpu.global.add.u32", ""),
        ROW("bar.sync 0;\n", "red.relaxed.sys.global.add.u32", ""),
        ROW("bar.sync 0;\n", "red.global.max.u32", ""),
        ROW("bar.sync 0;\n", "red.global.add.u32", "membar.gl;\n"),
    };
    assert_true(native_has(kept, call));
    assert_true(native_has(kept, LATER));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_false(native_has(others[i], call));
        assert_false(native_has(others[i], LATER));
    }
}

/* One lane's addition of floating point to one place. */
#define LISTED(before, add, behind)                                                                \
    PTX_BODY(LOAD "mov.f32 %f1, 0f3F800000;\nsetp.ne.u32 %p1, %r1, 0;\n" before                    \
                  "@%p1 bra L;\n" add " [%rd1], %f1;\n" behind "L:\nret;\n")

TEST_BODY(ptx_native_keeps_lists_of_floats_for_more_blocks)
{
    static const char *const call = "call void @clem_native_add_later(";
    static const char *const kept[] = {
        LISTED("", "red.global.add.f32", ""),
        LISTED("bar.sync 0;\n", "red.global.add.f32", ""),
    };
    static const char *const others[] = {
        LISTED("", "red.global.add.f32", "st.global.u32 [%rd1 + 4096], %r1;\n"),
        LISTED("", "red.release.gpu.global.add.f32", ""),
        LISTED("", "red.relaxed.sys.global.add.f32", ""),
        LISTED("", "red.global.add.f32", "membar.gl;\n"),
    };
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        assert_true(native_has(kept[i], call));
        assert_true(native_has(kept[i], LATER));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(native_has(others[i], call));
}

/* All lanes' additions to a place that comes of memory. */
#define SUMMED(add) PTX_BODY(LOAD "ld.global.u64 %rd2, [%rd1];\n" add " [%rd2], 1;\nret;\n")

TEST_BODY(ptx_native_keeps_sums_of_global_memory_for_more_blocks)
{
    assert_true(native_has(SUMMED("red.global.add.u32"), LATER));
    assert_false(native_has(SUMMED("red.add.u32"), LATER));
}

/* Threads add to a counter and store where it was. */
#define DRAWN(before, sum, behind)                                                                 \
    PTX_BODY(LOAD before sum ";\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"          \
                             "st.global.u32 [%rd3], %r1;\n" behind "ret;\n")

TEST_BODY(ptx_native_has_warps_wait_for_each_other_at_counters)
{
    static const char *const call = "call void @clem_native_draw(";
    static const char *const drawn[] = {
        DRAWN("", "atom.global.add.u32 %r2, [%rd1], 3", ""),
        DRAWN("", "atom.global.add.u32 %r2, [%rd1+8], %r1", ""),
        DRAWN("setp.gt.u32 %p1, %r1, 7;\n@%p1 bra L;\n", "atom.global.add.u32 %r2, [%rd1], 3",
              "L:\n"),
    };
    static const char *const others[] = {
        DRAWN("", "atom.global.max.u32 %r2, [%rd1], 3", ""),
        DRAWN("", "atom.acquire.gpu.global.add.u32 %r2, [%rd1], 3", ""),
        DRAWN("", "atom.relaxed.sys.global.add.u32 %r2, [%rd1], 3", ""),
        DRAWN("", "atom.global.add.u32 %r2, [%rd1], 3", "red.global.add.u32 [%rd3], 1;\n"),
        DRAWN("bar.sync 0;\n", "atom.global.add.u32 %r2, [%rd1], 3", ""),
        DRAWN("mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n",
              "atom.global.add.u32 %r2, [%rd3], 3", ""),
        DRAWN("mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1;\n", "atom.global.add.u32 %r2, [%rd1], 3",
              "setp.lt.u32 %p1, %r3, 5;\n@%p1 bra L;\n"),
    };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        assert_true(native_has(drawn[i], call));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(native_has(others[i], call));
}

/* Threads for which %p2 holds store behind those before them, by what `rank` makes of their ballot in %r4. */
#define PACKED(before, rank, place)                                                                \
    PTX_BODY(LOAD "and.b32 %r2, %r1, 31;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n" \
                  "ld.global.u32 %r3, [%rd3];\nsetp.lt.s32 %p2, %r3, 300;\n"                       \
                  "vote.sync.ballot.b32 %r4, %p2, -1;\n" before "@!%p2 bra L;\n" rank              \
                  "popc.b32 %r7, %r6;\nadd.s32 %r8, %r7, 5;\n" place                               \
                  "add.s64 %rd5, %rd1, %rd4;\nst.global.u32 [%rd5+64], %r3;\nL:\nret;\n")
#define BELOW "shl.b32 %r9, -1, %r2;\nnot.b32 %r5, %r9;\nand.b32 %r6, %r4, %r5;\n"
#define PLACE "mul.wide.s32 %rd4, %r8, 4;\n"

static bool packs(const char *text, bool has_masks)
{
    struct ptx_target target = native_target(PTX_THREADS_ROWS);
    target.has_byte_masks = has_masks;
    return count_with(&target, text, "call void @clem_store_packed(") > 0;
}

TEST_BODY(ptx_native_packs_words_of_lanes_that_count_each_other)
{
    static const char *const packed[] = {
        PACKED("", BELOW, PLACE),
        PACKED("", "mov.u32 %r5, %lanemask_lt;\nand.b32 %r6, %r5, %r4;\n", PLACE),
        PACKED("", "shl.b32 %r9, 1, %r2;\nadd.s32 %r5, %r9, -1;\nand.b32 %r6, %r4, %r5;\n", PLACE),
        PACKED("", BELOW, "mul.wide.u32 %rd4, %r8, 4;\n"),
    };
    static const char *const others[] = {
        PACKED("", "and.b32 %r6, %r4, %r2;\n", PLACE),
        PACKED("", "shl.b32 %r9, -2, %r2;\nnot.b32 %r5, %r9;\nand.b32 %r6, %r4, %r5;\n", PLACE),
        PACKED("", "shl.b32 %r9, -1, %r3;\nnot.b32 %r5, %r9;\nand.b32 %r6, %r4, %r5;\n", PLACE),
        PACKED("mov.u32 %r4, %r3;\n", BELOW, PLACE), /* no number of the warp */
        PACKED("", BELOW, "mul.wide.s32 %rd4, %r8, 8;\n"),
        PACKED("", BELOW, "@%p1 add.s32 %r8, %r8, 1;\n" PLACE),
    };
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        assert_true(packs(packed[i], true));
        assert_false(packs(packed[i], false));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(packs(others[i], true));
}

/* Two barriers that a row of numbers, set at two places, lives across, and what is done between. */
#define CROSSED(number, between)                                                                   \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                        \
                  "ld.global.u32 %r2, [%rd3];\nadd.u32 %r2, %r2, %r1;\nbar.sync " number ";\n"     \
                  "ld.global.u32 %r3, [%rd3+128];\nst.global.u32 [%rd3], %r3;\n" between           \
                  "bar.sync 0;\nst.global.u32 [%rd3+128], %r2;\nret;\n")

TEST_BODY(ptx_native_stores_at_barriers_what_has_changed)
{
    static const char *const of_frame = ", align 32\n"; /* one load behind each, and stores */
    assert_int_equal(count_of(CROSSED("0", ""), of_frame), 3);
    assert_int_equal(count_of(CROSSED("0", "add.u32 %r2, %r2, %r3;\n"), of_frame), 4);
    assert_int_equal(
        count_of(CROSSED("0", "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra L;\n"
                              "st.global.u32 [%rd3+256], %r3;\nadd.u32 %r2, %r2, 1;\nL:\n"),
                 of_frame),
        4);
}

/* The same of lanes that wait for memory behind both. */
#define CROSSED_BEFORE(behind, between)                                                            \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                        \
                  "ld.global.u32 %r2, [%rd3];\nadd.u32 %r2, %r2, %r1;\nbar.sync 0;\n"              \
                  "ld.global.u32 %r3, [%rd3+128];\nst.global.u32 [%rd3], %r3;\n" between           \
                  "bar.sync 0;\nst.global.u32 [%rd3+128], %r2;\n" behind "ret;\n")

TEST_BODY(ptx_native_stores_at_barriers_what_has_changed_where_lanes_may_part)
{
    static const char *const of_frame = ", align 32\n";
    const size_t kept = count_of(CROSSED_BEFORE(WAITING, ""), of_frame);
    assert_int_equal(count_of(CROSSED_BEFORE(WAITING, "add.u32 %r2, %r2, %r3;\n"), of_frame),
                     kept + 1);
    /* Lanes that wait store it, and those that go on at the next barrier. */
    assert_true(count_of(CROSSED_BEFORE("", "add.u32 %r2, %r2, %r3;\n" WAITING), of_frame) >
                count_of(CROSSED_BEFORE("", WAITING), of_frame) + 1);
}

/* Rows that live across a barrier, and are read by a node behind it. */
#define ROW_OF(r, at) "ld.global.u32 %r" r ", [%rd3+" at "];\n"
#define PUT_OF(r, at) "st.global.u32 [%rd3+" at "], %r" r ";\n"
#define ROWS_OF(all)                                                                               \
    all("2", "0") all("3", "128") all("4", "256") all("5", "384") all("6", "512") all("7", "640")  \
        all("8", "768") all("9", "896") all("10", "1024") all("11", "1152") all("12", "1280")      \
            all("13", "1408")
#define LIVING(load, store)                                                                        \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n" load                   \
                  "bar.sync 0;\nsetp.eq.u32 %p1, %r1, 5;\n@%p1 bra M;\n"                           \
                  "st.global.u32 [%rd3+4096], %r1;\nM:\n" store WAITING "ret;\n")

TEST_BODY(ptx_native_reads_from_the_frame_where_much_lives)
{
    static const char *const of_frame = ", align 32\n";
    /* Each is stored, taken from the frame behind the barrier, and read there where it is wanted. */
    assert_int_equal(count_of(LIVING(ROWS_OF(ROW_OF), ROWS_OF(PUT_OF)), of_frame), 2 * 12);
    assert_int_equal(
        count_of(LIVING(ROWS_OF(ROW_OF) ROW_OF("14", "1536"), ROWS_OF(PUT_OF) PUT_OF("14", "1536")),
                 of_frame),
        3 * 13);
}

/* An atomic operation at places of shared memory that a load brings. */
#define COUNTED(operation)                                                                         \
    PTX_BODY(LOAD "shl.b32 %r4, %r1, 2;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"  \
                  "ld.global.u32 %r2, [%rd3];\nand.b32 %r2, %r2, 60;\n" operation "ret;\n")

TEST_BODY(ptx_native_adds_to_shared_memory_without_a_call)
{
    static const char *const row = "call void @clem_atomic_alone_add_32_same_row(",
                             *const word = "call void @clem_atomic_alone_xor_32_row(",
                             *const inlined = "_row(i64 %s, <32 x i32> %a, i32 %x) alwaysinline";
    assert_true(native_has(COUNTED("red.shared.add.u32 [%r2], 1;\n"), row));
    assert_true(native_has(COUNTED("red.shared.add.u32 [%r2], 1;\n"), inlined));
    assert_true(native_has(COUNTED("red.shared.xor.b32 [%r2], %r1;\n"), word));
    assert_false(native_has(COUNTED("atom.shared.add.u32 %r3, [%r2], 1;\n"
                                    "st.global.u32 [%rd3], %r3;\n"),
                            row));
}

TEST_BODY(ptx_native_has_many_lanes_change_shared_memory_without_a_loop)
{
    static const char *const many = "call <32 x i32> @clem_atomic_many_add_32(",
                             *const most = "call <32 x i64> @clem_atomic_many_umax_64(",
                             *const any = "@clem_atomic_many_";
    assert_true(native_has(COUNTED("atom.shared.add.u32 %r3, [%r2], 1;\n"
                                   "st.global.u32 [%rd3], %r3;\n"),
                           many));
    assert_true(native_has(COUNTED("atom.shared.max.u64 %rd4, [%r2], %rd1;\n"
                                   "st.global.u64 [%rd3], %rd4;\n"),
                           most));
    assert_false(native_has(COUNTED("atom.shared.exch.b32 %r3, [%r2], %r1;\n"
                                    "st.global.u32 [%rd3], %r3;\n"),
                            any));
    /* Whoever is there adds what changes the bits of some numbers. */
    assert_false(native_has(COUNTED("atom.shared.add.f32 %f1, [%r2], 0f3f800000;\n"
                                    "st.global.f32 [%rd3], %f1;\n"),
                            any));
}

/* A place of shared memory that a number names, which a load brings. */
#define NAMED(number, place)                                                                       \
    PTX_BODY(LOAD                                                                                  \
             ".shared .align 4 .b8 own[4096];\nmul.wide.u32 %rd2, %r1, 4;\n"                       \
             "add.s64 %rd3, %rd1, %rd2;\nmov.u64 %rd4, own;\nmov.u32 %r4, own;\n" number place)
#define OF_WIDE(by)                                                                                \
    "mul.wide.u32 %rd5, %r2, " by ";\nadd.s64 %rd6, %rd4, %rd5;\nadd.s64 %rd7, %rd6, 64;\n"        \
    "red.shared.add.u32 [%rd7], 1;\nret;\n"
#define OF_SHORT                                                                                   \
    "shl.b32 %r5, %r2, 2;\nadd.s32 %r6, %r4, %r5;\nred.shared.add.u32 [%r6+4], 1;\nret;\n"

TEST_BODY(ptx_native_takes_places_of_few_bits_as_such)
{
    static const char *const bytes = "call void @clem_atomic_alone_add_32_same_at_8_4_row(",
                             *const shorts =
                                 "call void @clem_atomic_alone_add_32_same_at_16_4_row(",
                             *const words = "call void @clem_atomic_alone_add_32_same_row(";
    assert_true(native_has(NAMED("ld.global.u8 %r2, [%rd3];\n", OF_WIDE("4")), bytes));
    assert_true(native_has(NAMED("ld.global.u8 %r2, [%rd3];\n", OF_WIDE("12")),
                           "@clem_atomic_alone_add_32_same_at_8_12_row("));
    assert_true(native_has(NAMED("ld.global.u8 %r2, [%rd3];\n", OF_SHORT), bytes));
    assert_true(native_has(NAMED("ld.global.u16 %r2, [%rd3];\n", OF_SHORT), shorts));
    assert_true(native_has(
        NAMED("ld.global.u32 %r3, [%rd3];\nand.b32 %r2, %r3, 1023;\n", OF_WIDE("4")), shorts));
    assert_true(
        native_has(NAMED("ld.global.u32 %r3, [%rd3];\nshr.u32 %r2, %r3, 24;\n", OF_SHORT), bytes));
    /* They may be large, or have a sign. */
    assert_true(
        native_has(NAMED("ld.global.u32 %r3, [%rd3];\nshr.u32 %r2, %r3, 15;\n", OF_SHORT), words));
    assert_true(
        native_has(NAMED("ld.global.u32 %r3, [%rd3];\nshr.s32 %r2, %r3, 24;\n", OF_SHORT), words));
    assert_true(native_has(NAMED("ld.global.s8 %r2, [%rd3];\n", OF_WIDE("4")), words));
}

/* Time is told in nanoseconds, and a clock counts. */
TEST_BODY(ptx_native_timer_tells_nanoseconds)
{
    const char *const timer = PTX_BODY(
                          "mov.u64 %rd2, %globaltimer;\nst.global.u64 [%rd1], %rd2;\nret;\n"),
                      *const clock =
                          PTX_BODY("mov.u64 %rd2, %clock64;\nst.global.u64 [%rd1], %rd2;\nret;\n");
    assert_true(native_has_for(PTX_THREADS_ANY, timer, "call i64 @clem_native_timer()"));
    assert_false(native_has_for(PTX_THREADS_ANY, timer, "@clem_native_clock"));
    assert_true(native_has_for(PTX_THREADS_ANY, clock, "call i64 @clem_native_clock("));
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    const uint64_t now = clem_native_timer();
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_in_range(now, (uint64_t)before.tv_sec * 1000000000u + (uint64_t)before.tv_nsec,
                    (uint64_t)after.tv_sec * 1000000000u + (uint64_t)after.tv_nsec);
}

/* Warps may come to different barriers. */
#define APART "mov.u32 %r4, %warpid;\nsetp.eq.u32 %p2, %r4, 1;\n@%p2 bra M;\nbar.sync 0;\nM:\n"

/* A warp alone with a barrier goes on at once; where the barrier is told of as well, or lanes may be gone, it waits. */
#define HALVING(barrier)                                                                           \
    PTX_BODY(LOAD "bar.sync 0;\nsetp.gt.u32 %p1, %r1, 31;\n@%p1 bra L;\n"                          \
                  "st.global.u32 [%rd1], %r1;\nL:\n" barrier "ld.global.u32 %r2, [%rd1 + 4];\n"    \
                  "st.global.u32 [%rd1 + 8], %r2;\nret;\n")

TEST_BODY(ptx_native_goes_on_alone_behind_barriers)
{
    static const char *const alone = "label %alone";
    assert_true(native_has(HALVING("bar.sync 0;\n" APART), alone));
    assert_false(native_has(HALVING("bar.sync 1;\n" APART), alone));
    assert_false(native_has(HALVING("barrier.red.popc.u32 %r3, 0, %p1;\n"), alone));
}

/* All threads of a block go round as often as a number says. */
#define GOING_ROUND(number)                                                                        \
    PTX_BODY(LOAD number "L:\nst.shared.u32 [0], %r1;\nbar.sync 0;\nld.shared.u32 %r3, [4];\n"     \
                         "st.global.u32 [%rd1], %r3;\nsub.u32 %r2, %r2, 1;\n"                      \
                         "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra L;\nret;\n")

TEST_BODY(ptx_native_goes_from_barrier_to_barrier_by_legs)
{
    static const char *const leg = "leg.1:\n", *const of_block = "%block.of.";
    assert_true(native_has(HALVING("bar.sync 0;\n"), "leg.2:\n"));
    assert_true(native_has_for(PTX_THREADS_HALVES, HALVING("bar.sync 0;\n"), leg));
    assert_true(native_has(GOING_ROUND("mov.u32 %r2, %ctaid.x;\n"), leg));
    assert_true(native_has(GOING_ROUND("mov.u32 %r2, %ctaid.x;\n"), of_block));
    assert_false(native_has(GOING_ROUND("mov.u32 %r2, %warpid;\n"), leg));
    assert_false(native_has(GOING_ROUND("ld.global.u32 %r2, [%rd1];\n"), leg));
    assert_false(native_has(HALVING("bar.sync 0;\n" APART), leg));
    assert_false(native_has(HALVING("bar.sync 1;\n"), leg));
    assert_false(native_has_for(PTX_THREADS_ROW, HALVING("bar.sync 0;\n"), leg));
}

TEST_BODY(ptx_native_tells_of_warps_only_where_they_part)
{
    static const char *const quiet = "@clem_native_come(i64 %state";
    assert_true(native_has(HALVING("bar.sync 0;\n" APART), quiet));
    assert_false(native_has(HALVING("bar.sync 0;\n"), quiet));
    assert_false(native_has(HALVING("bar.sync 1;\n" APART), quiet));
    assert_false(native_has(HALVING("bar.sync 0, 64;\n"), quiet));
    assert_false(native_has(HALVING("barrier.red.popc.u32 %r3, 0, %p1;\n"), quiet));
    assert_false(native_has_for(PTX_THREADS_ROW, HALVING("bar.sync 0;\n" APART), quiet));
}

TEST_BODY(ptx_native_runs_blocks_of_a_row_in_one_call)
{
    static const char *const next = "label %another, label %last";
    assert_true(native_has(HALVING("bar.sync 0;\n"), next));
    assert_true(native_has(STRIDING("%r4"), next));
    assert_false(native_has(HALVING("bar.sync 0, 64;\n"), next));
    assert_false(native_has_for(PTX_THREADS_ROW, HALVING("bar.sync 0;\n"), next));
}

/* How blocks follow each other is told with whether threads' numbers are read: of a row they follow from the warp's. */
TEST_BODY(ptx_native_reads_no_numbers_of_threads_of_a_row)
{
    static const char *const unnumbered = ", i64 19, i64 0)\n", *const numbered =
                                                                    ", i64 3, i64 0)\n";
    assert_true(native_has(HALVING("bar.sync 0;\n"), unnumbered));
    assert_true(native_has_for(PTX_THREADS_STACKED, HALVING("bar.sync 0;\n"), numbered));
    assert_false(native_has_for(PTX_THREADS_STACKED, HALVING("bar.sync 0;\n"), unnumbered));
}

/* Two steps of a tree in shared memory, of so many threads each. */
#define STEP(bound, guard, label)                                                                  \
    "setp.ge.u32 " guard ", %r1, " bound ";\n@" guard " bra " label                                \
    ";\nld.shared.f32 %f3, [%r2 + 32];\nld.shared.f32 %f4, [%r2];\nadd.f32 %f3, %f3, %f4;\n"       \
    "st.shared.f32 [%r2], %f3;\n" label ":\nbar.sync 0;\n"
#define TREE(first, second)                                                                        \
    PTX_BODY(SHARED LOAD "shl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n" STEP(    \
        first, "%p1", "A") STEP(second, "%p2", "B") "ld.shared.u32 %r5, [0];\n"                    \
                                                    "st.global.u32 [%rd1], %r5;\nret;\n")

TEST_BODY(ptx_native_goes_solo_where_the_first_warp_alone_is_busy)
{
    static const char *const sum = "fadd <32 x float>", *const loop = "\narrived.";
    assert_int_equal(count_of(TREE("8", "4"), sum), 2);
    assert_int_equal(count_of(TREE("8", "4"), loop), 2);
    assert_int_equal(count_of(TREE("64", "32"), loop), 3);
    assert_int_equal(count_of(TREE("8", "64"), loop), 3);
    assert_int_equal(count_of(TREE("64", "64"), loop), 4);
}

/* Who stores the result comes behind the last barrier, which others leave for the end. */
TEST_BODY(ptx_native_goes_solo_to_the_end)
{
    static const char *const text =
        PTX_BODY(SHARED LOAD "shl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n" STEP(
            "4", "%p1", "A") "setp.ne.u32 %p2, %r1, 0;\n@%p2 bra E;\nld.shared.u32 %r5, [0];\n"
                             "st.global.u32 [%rd1], %r5;\nE: ret;\n");
    assert_int_equal(count_of(text, "\narrived."), 1);
}

/* A warp's first lane adds what shuffles have gathered: of the steps before, only what leads to it is wanted. */
#define ADD_OF(number)                                                                             \
    PTX_BODY(LOAD "mov.u32 %r2, %tid.x;\n" number "setp.ne.u32 %p1, %r3, 0;\n@%p1 bra A;\n"        \
                  "red.global.add.u32 [%rd2], %r1;\nA: ret;\n")

TEST_BODY(ptx_native_knows_the_lanes_that_numbers_of_lanes_name)
{
    static const char *const sum = "@llvm.vector.reduce.add.v32i32(<32 x i32> ";
    assert_false(native_has(ADD_OF("and.b32 %r3, %r2, 31;\n"), sum));
    assert_false(native_has(ADD_OF("mov.u32 %r3, %laneid;\n"), sum));
    assert_true(native_has(ADD_OF("and.b32 %r3, %r2, 15;\n"), sum));
    assert_true(native_has_for(PTX_THREADS_HALVES, ADD_OF("and.b32 %r3, %r2, 31;\n"), sum));
}

/* What is the same in all of a launch is made again where it is wanted, and lies in no place that nodes share. */
TEST_BODY(ptx_native_makes_constants_of_a_launch_where_they_are_wanted)
{
    static const char *const text =
        PTX_BODY(LOAD "mov.u32 %r5, %nctaid.x;\nmul.lo.u32 %r4, %r5, 5;\nsetp.gt.u32 %p1, %r1, 7;\n"
                      "@%p1 bra A;\nadd.u32 %r1, %r1, %r4;\nst.global.u32 [%rd1], %r1;\n"
                      "A: add.u32 %r1, %r1, %r4;\nst.global.u32 [%rd1], %r1;\nret;\n");
    assert_true(count_of(text, "mul i32 %launch.0, 5") >= 3);
}

/* Of a step for 64 threads two warps have turns. */
TEST_BODY(ptx_native_ends_legs_with_the_last_busy_warp)
{
    static const char *const two = ", i32 2, i32 %state.";
    assert_true(native_has(TREE("64", "64"), two));
    assert_false(native_has(TREE("96", "96"), two));
    assert_false(native_has_for(PTX_THREADS_STACKED, TREE("64", "64"), two));
}

/* Two steps of a tree: each as far away as it has threads. */
#define STEP_OF(bound, away, guard, label)                                                         \
    "setp.ge.u32 " guard ", %r1, " bound ";\n@" guard " bra " label                                \
    ";\nld.shared.f32 %f3, [%r2 + " away "];\nld.shared.f32 %f4, [%r2];\nadd.f32 %f3, %f3, %f4;\n" \
    "st.shared.f32 [%r2], %f3;\n" label ":\nbar.sync 0;\n"
#define TREE_OF(first, second)                                                                     \
    PTX_BODY(SHARED LOAD "shl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n" STEP_OF( \
        first, "256", "%p1", "A")                                                                  \
                 STEP_OF(second, "128", "%p2",                                                     \
                         "B") "ld.shared.u32 %r5, [0];\nst.global.u32 [%rd1], %r5;\nret;\n")

/* A sum of an array, from the first thread's number on, and what stands in the loop; then a tree's first steps. */
#define SUMMING(begin, within, end)                                                                \
    PTX_BODY(                                                                                      \
        SHARED LOAD                                                                                \
        "ld.param.u32 %r4, [n];\nmov.u32 %r5, %ctaid.x;\n" begin                                   \
        "setp.ge.u32 %p1, %r3, %r4;\n@%p1 bra E;\nL:\nmul.wide.u32 %rd2, %r3, 4;\n"                \
        "add.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f5, [%rd3];\nadd.f32 %f1, %f1, %f5;\n" within   \
        "add.u32 %r3, %r3, 4096;\nsetp.lt.u32 %p2, %r3, %r4;\n@%p2 bra L;\nE:\n"                   \
        "shl.b32 %r2, %r1, 2;\nst.shared.f32 [%r2], %f1;\nbar.sync 0;\n" end                       \
        "ld.shared.u32 %r6, [0];\nst.global.u32 [%rd1], %r6;\nret;\n")
#define FROM_BLOCK "mad.lo.u32 %r3, %r5, 256, %r1;\n"

/* A block of which all threads go round equally often knows it before its first warp begins. */
TEST_BODY(ptx_native_is_sure_of_blocks_within_bounds)
{
    static const char *const sure = "\nleg.0s:\n",
                             *const asks = "add.u32 %r7, %r3, 256;\nsetp.ge.u32 %p3, %r7, %r4;\n"
                                           "@%p3 bra M;\nadd.f32 %f1, %f1, %f5;\nM:\n",
                             *const other = "setp.ge.u32 %p3, %r3, 7;\n@%p3 bra E;\n",
                             *const changes =
                                 "setp.eq.f32 %p3, %f1, %f5;\n@%p3 add.u32 %r3, %r3, 1;\n";
    (void)asks;
    (void)other;
    (void)changes;
    assert_true(native_has(SUMMING(FROM_BLOCK, "", ""), sure));
    assert_true(native_has(SUMMING(FROM_BLOCK,
                                   "add.u32 %r7, %r3, 256;\nsetp.ge.u32 %p3, %r7, %r4;\n"
                                   "@%p3 bra M;\nld.global.f32 %f5, [%rd3 + 1024];\n"
                                   "add.f32 %f1, %f1, %f5;\nM:\n",
                                   ""),
                           sure));
    /* Warps do not follow each other, the loop ends elsewhere, or the counter is not what it seems. */
    assert_false(native_has(SUMMING("and.b32 %r3, %r1, 31;\n", "", ""), sure));
    assert_false(
        native_has(SUMMING(FROM_BLOCK, "setp.ge.f32 %p3, %f1, %f5;\n@%p3 bra E;\n", ""), sure));
    assert_false(native_has(
        SUMMING(FROM_BLOCK, "setp.eq.f32 %p3, %f1, %f5;\n@%p3 add.u32 %r3, %r3, 1;\n", ""), sure));
    assert_false(native_has_for(PTX_THREADS_STACKED, SUMMING(FROM_BLOCK, "", ""), sure));
}

/* Steps that few warps have threads in are theirs one after the other, and what one has stored the next takes as it is. */
TEST_BODY(ptx_native_goes_with_few_warps_from_step_to_step)
{
    static const char *const step = "\nstep.1f0:\n", *const row = " = load <32 x i32>, ptr";
    assert_true(native_has(TREE_OF("64", "32"), step));
    assert_false(native_has(TREE_OF("8", "4"), step));
    assert_false(native_has(TREE_OF("48", "32"), step));
    assert_false(native_has(TREE_OF("512", "48"), step));
    assert_false(native_has_for(PTX_THREADS_STACKED, TREE_OF("64", "32"), step));
    /* Two rows of two warps in the first step, and none in the second; and both again where the block has fewer. */
    assert_int_equal(count_of(TREE_OF("64", "32"), row), 4 + 2 + 2);
}

/* Where the processor has registers for them, what all warps of such a block bring to a tree goes on as values, too. */
TEST_BODY(ptx_native_brings_rows_of_all_warps_to_a_tree)
{
    static const char *const rows = "\nrow.0r3:\n", *const more = "\nrow.0r4:\n";
#define TO_TREE(bound, end)                                                                        \
    SUMMING(FROM_BLOCK, "", STEP_OF(bound, "256", "%p4", "A") STEP_OF("32", "128", "%p5", "B") end)
    struct ptx_target target = native_target(PTX_THREADS_ROWS);
    assert_int_equal(count_with(&target, TO_TREE("64", ""), rows), 0);
    target.has_wide_vectors = true;
    assert_int_equal(count_with(&target, TO_TREE("64", ""), rows), 1);
    assert_int_equal(count_with(&target, TO_TREE("64", ""), more), 0);
    assert_int_equal(count_with(&target, TO_TREE("128", ""), more), 1);
    assert_int_equal(count_with(&target, TO_TREE("256", ""), rows), 0);
    /* What else is done to memory before comes in its turn. */
    assert_int_equal(
        count_with(&target,
                   SUMMING(FROM_BLOCK "ld.shared.f32 %f1, [%r1];\n", "",
                           STEP_OF("64", "256", "%p4", "A") STEP_OF("32", "128", "%p5", "B")),
                   rows),
        0);
    assert_int_equal(
        count_with(&target,
                   SUMMING(FROM_BLOCK "st.global.u32 [%rd1], %r1;\n", "",
                           STEP_OF("64", "256", "%p4", "A") STEP_OF("32", "128", "%p5", "B")),
                   rows),
        0);
}

/* What a block's last steps leave in its memory is stored only if somebody reads it otherwise than as it was stored. */
#define TREE_TO(end)                                                                               \
    PTX_BODY(SHARED LOAD "shl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n" STEP_OF( \
        "8", "32", "%p1", "A")                                                                     \
                 STEP_OF("4", "16", "%p2", "B") "setp.ne.u32 %p3, %r1, 0;\n@%p3 bra E;\n" end      \
                                                "st.global.u32 [%rd1], %r5;\nE: ret;\n")

TEST_BODY(ptx_native_stores_rows_that_somebody_may_read)
{
    static const char *const eight = "store <8 x i32> ", *const four = "store <4 x i32> ";
    assert_false(native_has(TREE_TO("ld.shared.u32 %r5, [0];\n"), four));
    assert_false(native_has(TREE_TO("ld.shared.u32 %r5, [0];\n"), eight));
    assert_true(native_has(TREE_TO("ld.param.u32 %r6, [n];\nld.shared.u32 %r5, [%r6];\n"), four));
    assert_true(native_has(TREE_TO("ld.param.u32 %r6, [n];\nld.shared.u32 %r5, [%r6];\n"), eight));
    assert_true(native_has(TREE_TO("ld.volatile.shared.u32 %r5, [0];\n"), eight));
    assert_true(native_has(TREE_TO("atom.shared.add.u32 %r5, [0], 1;\n"), eight));
    /* Others go on behind. */
    assert_true(native_has(TREE("8", "4"), eight));
}

/* A step's lower half is what the one before has stored, unless something else has been stored since. */
#define TREE_WITH(more)                                                                            \
    PTX_BODY(SHARED LOAD "shl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\nbar.sync 0;\n" STEP(    \
        "16", "%p3", "C") "setp.ge.u32 %p1, %r1, 8;\n@%p1 bra A;\n"                                \
                          "ld.shared.f32 %f3, [%r2 + 32];\n"                                       \
                          "ld.shared.f32 %f4, [%r2];\nadd.f32 %f3, %f3, %f4;\n"                    \
                          "st.shared.f32 [%r2], %f3;\n" more "A:\nbar.sync 0;\n" STEP(             \
                              "4", "%p2", "B") "ld.shared.u32 %r5, [0];\n"                         \
                                               "st.global.u32 [%rd1], %r5;\nret;\n")

TEST_BODY(ptx_native_keeps_rows_that_the_first_warp_alone_stores)
{
    static const char *const row = " = load <4 x i32>";
    const size_t twice = count_of(TREE_WITH("st.shared.u32 [%r1 + 512], %r1;\n"), row);
    assert_true(twice > 0);
    assert_true(count_of(TREE_WITH(""), row) < twice);
}

TEST_BODY(ptx_native_goes_round_at_once_where_a_warp_is_whole)
{
    static const char *const text =
        PTX_BODY(LOAD "ld.param.u32 %r4, [n];\nL:\nmul.wide.u32 %rd2, %r1, 4;\n"
                      "add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];\n"
                      "add.u32 %r5, %r5, %r3;\nadd.u32 %r1, %r1, 32;\n"
                      "setp.lt.u32 %p1, %r1, %r4;\n@%p1 bra L;\n"
                      "st.global.u32 [%rd1], %r5;\nret;\n");
    assert_true(native_has(text, ", label %all"));
    assert_int_equal(count_of(text, "label %all"), 2);
    assert_int_equal(count_of(text, "call i32 @llvm.usub.sat.i32(i32 "), 1);
}

/* A loop over an array, of two nodes, and what stands before and in it. */
#define OVER_ARRAY(before, within)                                                                 \
    PTX_BODY(LOAD before "ld.param.u32 %r4, [n];\nsetp.ge.u32 %p1, %r1, %r4;\n@%p1 bra OUT;\n"     \
                         "L:\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"             \
                         "ld.global.u32 %r3, [%rd3];\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra NEXT;\n"  \
                         "st.global.u32 [%rd3 + 4], %r3;\n" within                                 \
                         "NEXT:\nadd.u32 %r1, %r1, 32;\nsetp.lt.u32 %p3, %r1, %r4;\n"              \
                         "@%p3 bra L;\nOUT:\nst.global.u32 [%rd1], %r5;\nret;\n")

TEST_BODY(ptx_native_jumps_where_all_lanes_take_the_same_way)
{
    static const char *const whole = "br label %F";
    assert_true(native_has(OVER_ARRAY("", ""), whole));
    assert_true(native_has_for(PTX_THREADS_ANY, OVER_ARRAY("", ""), whole));
    assert_true(native_has(OVER_ARRAY("bar.sync 0;\n", ""), whole));
    assert_false(native_has(OVER_ARRAY("", "bar.sync 0;\n"), whole));
    assert_false(native_has(OVER_ARRAY(WAITING, ""), whole));
    assert_false(native_has(PTX_BODY(LOAD "st.global.u32 [%rd1], %r1;\nret;\n"), whole));
}

/* Elements of an array whose numbers are loaded, or made of loaded ones. */
#define NUMBERED(number)                                                                           \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                        \
                  "ld.global.u32 %r2, [%rd3];\n" number                                            \
                  "ld.global.u32 %r3, [%rd5 + 8];\nst.global.u32 [%rd3], %r3;\n"                   \
                  "bar.sync 0;\nret;\n")

TEST_BODY(ptx_native_picks_elements_by_their_numbers)
{
    static const char *const picks = "@clem_pick_half_s4_32(i64 ";
    assert_true(
        native_has(NUMBERED("mul.wide.s32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd1, %rd4;\n"), picks));
    assert_true(
        native_has(NUMBERED("mul.wide.s32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd4, %rd1;\n"), picks));
    /* The number is another by then, or the array is each lane's own. */
    assert_false(native_has(NUMBERED("mul.wide.s32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd1, %rd4;\n"
                                     "add.u32 %r2, %r2, 1;\n"),
                            picks));
    assert_false(
        native_has(NUMBERED("mul.wide.s32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd3, %rd4;\n"), picks));
}

static bool gathers(const char *text, bool is_wide)
{
    struct ptx_target target = native_target(PTX_THREADS_ROWS);
    target.has_wide_vectors = is_wide;
    const bool does = count_with(&target, text, "@llvm.masked.gather.") > 0;
    assert_int_equal(does, count_with(&target, text, "@clem_pick_half_") == 0);
    return does;
}

TEST_BODY(ptx_native_gathers_elements_where_the_processor_does)
{
    static const char *const plain =
        NUMBERED("mul.wide.s32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd1, %rd4;\n");
    assert_true(gathers(plain, true));
    assert_false(gathers(plain, false));
    assert_true(
        gathers(NUMBERED("mul.wide.u32 %rd4, %r2, 12;\nadd.s64 %rd5, %rd1, %rd4;\n"), true));
    assert_false(
        gathers(NUMBERED("mul.wide.s32 %rd4, %r2, -4;\nadd.s64 %rd5, %rd1, %rd4;\n"), true));
    static const char *const pointers =
        PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd3, %rd1, %rd2;\n"
                      "ld.global.u64 %rd4, [%rd3];\nld.global.u32 %r2, [%rd4];\n"
                      "st.global.u32 [%rd3], %r2;\nbar.sync 0;\nret;\n");
    struct ptx_target target = native_target(PTX_THREADS_ROWS);
    assert_int_equal(count_with(&target, pointers, " = call <16 x i32> @llvm.masked.gather."), 0);
    target.has_wide_vectors = true;
    assert_int_equal(count_with(&target, pointers, " = call <16 x i32> @llvm.masked.gather."), 1);
}

/* Neighbours in shared memory, of %r2 on. */
#define ACROSS(start, loads)                                                                       \
    PTX_BODY(SHARED LOAD "shl.b32 %r2, %r1, 2;\n" start                                            \
                         "st.shared.u32 [%r2 + 64], %r1;\nbar.sync 0;\n" loads                     \
                         "add.u32 %r3, %r3, %r4;\nadd.u32 %r3, %r3, %r5;\n"                        \
                         "st.global.u32 [%rd1], %r3;\nret;\n")
#define ACROSS_AT(a, b, c)                                                                         \
    "ld.shared.u32 %r3, [%r2 + " a "];\nld.shared.u32 %r4, [%r2 + " b "];\n"                       \
    "ld.shared.u32 %r5, [%r2 + " c "];\n"

static bool takes_of_chunks(const char *text, bool is_wide)
{
    struct ptx_target target = native_target(PTX_THREADS_ROWS);
    target.has_wide_vectors = is_wide;
    return count_with(&target, text, " = load <16 x i32>, ") > 0;
}

TEST_BODY(ptx_native_takes_rows_across_each_other_of_chunks)
{
    static const char *const neighbours = ACROSS("", ACROSS_AT("60", "64", "68"));
    assert_true(takes_of_chunks(neighbours, true));
    assert_false(takes_of_chunks(neighbours, false));
    /* The register is set twice. */
    assert_false(
        takes_of_chunks(ACROSS("add.u32 %r2, %r2, 64;\n", ACROSS_AT("60", "64", "68")), true));
    assert_false(takes_of_chunks(ACROSS("", ACROSS_AT("0", "128", "132")), true));
    assert_false(takes_of_chunks(ACROSS("", ACROSS_AT("62", "66", "70")), true));
}

TEST_BODY(ptx_native_counts_lanes_at_a_bound)
{
    static const char *const each = " = icmp slt <32 x i32> ", *const count = " = shl i32 -1, ";
    static const char *const turns =
        PTX_BODY(LOAD "ld.param.u32 %r4, [n];\nL:\nmul.wide.u32 %rd2, %r1, 4;\n"
                      "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\n"
                      "add.u32 %r1, %r1, 32;\nsetp.lt.s32 %p1, %r1, %r4;\n@%p1 bra L;\nret;\n");
    assert_true(count_of(turns, count) > 0);
    assert_int_equal(count_of(turns, count),
                     count_of(turns, each)); /* for numbers that wrap around */
}

/* A shuffle by what %r2 is, which something else sets later. */
#define SHUFFLED(set)                                                                              \
    PTX_BODY(LOAD "setp.lt.u32 %p1, %r1, 7;\n" set "shfl.sync.up.b32 %r3, %r1, %r2, 0, -1;\n"      \
                  "ld.global.u32 %r2, [%rd1];\nadd.u32 %r3, %r3, %r2;\n"                           \
                  "st.global.u32 [%rd1], %r3;\nret;\n")

TEST_BODY(ptx_native_shuffles_by_numbers_without_a_call)
{
    static const char *const call = "call <32 x i32> @clem_permute(", *const gather = "gather";
    static const char *const numbers[] = {
        SHUFFLED("mov.u32 %r2, 1;\n"), SHUFFLED("mov.u32 %r4, 1;\nmov.u32 %r2, %r4;\n"),
        SHUFFLED("ld.global.u32 %r2, [%rd1];\nmov.u32 %r2, 1;\n")};
    static const char *const others[] = {
        SHUFFLED("mov.u32 %r2, 1;\nld.global.u32 %r2, [%rd1];\n"),
        SHUFFLED("mov.u32 %r2, 1;\n@%p1 mov.u32 %r2, 2;\n"),
        SHUFFLED("mov.u32 %r2, 1;\n@%p1 bra M;\nmov.u32 %r2, 2;\nM:\n"),
        SHUFFLED("mov.u32 %r4, 1;\nadd.u32 %r4, %r4, %r1;\nmov.u32 %r2, %r4;\n")};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_false(native_has(numbers[i], call));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_true(native_has(others[i], call));
        assert_false(native_has(others[i], gather));
    }
}

/* What threads do that a comparison does not send past it. */
#define SPEAKING(compared, way)                                                                    \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                        \
                  "ld.global.u32 %r2, [%rd3];\nmov.u32 %r3, 0;\n"                                  \
                  "setp.ne.u32 %p1, " compared ";\n@%p1 bra M;\n" way                              \
                  "M:\nst.global.u32 [%rd3], %r3;\nret;\n")

TEST_BODY(ptx_native_has_no_nodes_for_lanes_that_speak_for_others)
{
    static const char *const two_nodes = "%m.1 = alloca";
    assert_false(
        native_has(SPEAKING("%r1, %r2", "atom.shared.add.u32 %r3, [%r2], 1;\n"), two_nodes));
    assert_true(native_has(SPEAKING("%r1, 7", "atom.shared.add.u32 %r3, [%r2], 1;\n"), two_nodes));
    assert_true(
        native_has(SPEAKING("%r1, %r2", "atom.global.add.u32 %r3, [%rd3], 1;\n"), two_nodes));
    assert_true(native_has(SPEAKING("%r1, %r2", "atom.acquire.cta.shared.add.u32 %r3, [%r2], 1;\n"),
                           two_nodes));
}

/* A vote's bits, or those that have not voted so. */
#define VOTED(guard)                                                                               \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                        \
                  "ld.global.u32 %r2, [%rd3];\nsetp.eq.u32 %p1, %r2, 0;\n"                         \
                  "vote.sync.ballot.b32 %r3, %p1, -1;\n" guard " not.b32 %r3, %r3;\n"              \
                  "st.global.u32 [%rd3], %r3;\nret;\n")

TEST_BODY(ptx_native_negates_no_guards_of_what_it_computes)
{
    static const char *const negated = "xor i32 %";
    assert_int_equal(count_of(VOTED("@!%p1"), negated), count_of(VOTED("@%p1"), negated));
}

/* What threads below a number do before all store. */
#define BESIDE(way)                                                                                \
    PTX_BODY(                                                                                      \
        LOAD                                                                                       \
        "ld.param.u32 %r4, [n];\nsetp.ge.u32 %p1, %r1, %r4;\nmov.u32 %r3, %r1;\n@%p1 bra M;\n" way \
        "M:\nst.global.u32 [%rd1], %r3;\nret;\n")

TEST_BODY(ptx_native_has_no_nodes_for_short_ways)
{
    static const char *const two_nodes = "%m.1 = alloca";
    static const char *const short_ways[] = {
        BESIDE("add.u32 %r3, %r3, 1;\n"), BESIDE("ld.global.u32 %r3, [%rd1 + 4];\n"),
        BESIDE("ld.global.u32 %r2, [%rd1 + 4];\nmin.u32 %r3, %r3, %r2;\n")};
    static const char *const others[] = {
        BESIDE("st.global.u32 [%rd1 + 4], %r3;\n"),
        BESIDE("ld.volatile.global.u32 %r3, [%rd1 + 4];\n"),
        BESIDE("atom.global.add.u32 %r3, [%rd1 + 4], 1;\n"),
        BESIDE("setp.eq.u32 %p1, %r1, 7;\n@%p1 add.u32 %r3, %r3, 1;\n"),
        BESIDE("N:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 64;\n@%p1 bra N;\n")};
    for (size_t i = 0; i < sizeof short_ways / sizeof *short_ways; i++)
        assert_false(native_has(short_ways[i], two_nodes));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(native_has(others[i], two_nodes));
}

/* An operation at places that memory names. */
#define SCATTERING(operation)                                                                      \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                        \
                  "ld.global.u32 %r2, [%rd3];\nmul.wide.u32 %rd4, %r2, 4;\n"                       \
                  "add.s64 %rd5, %rd1, %rd4;\n" operation ";\nret;\n")

TEST_BODY(ptx_native_stores_at_places_by_their_numbers)
{
    static const char *const puts = "call void @clem_put_u4_32(i64 ",
                             *const shared = "call void @clem_put_s1_32(i64 ",
                             *const picks = "@clem_pick_half_s1_32(i64 ";
    assert_true(native_has(SCATTERING("st.global.u32 [%rd5], %r1"), puts));
    assert_false(native_has(SCATTERING("st.volatile.global.u32 [%rd5], %r1"), puts));
    assert_false(native_has(SCATTERING("st.global.u32 [%rd3], %r2"), puts));
    assert_true(native_has(COUNTED("st.shared.u32 [%r2], %r1;\n"), shared));
    assert_true(
        native_has(COUNTED("ld.shared.u32 %r3, [%r2];\nst.global.u32 [%rd3], %r3;\n"), picks));
    /* Pairs of words that are numbers, of which each is a place. */
    assert_true(native_has(SCATTERING("st.global.v2.u32 [%rd5], {1, 2}"), ", <i64 32,i64 32,"));
}

/* Two words of each thread, by a pointer that goes on. */
#define GOING_ON(between)                                                                          \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 8;\nadd.s64 %rd3, %rd1, %rd2;\nmov.u32 %r2, 0;\nL:\n"   \
                  "st.global.u32 [%rd3+4], %r2;\n" between "st.global.u32 [%rd3], %r1;\n"          \
                  "add.s64 %rd3, %rd3, 8192;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9;\n"    \
                  "@%p1 bra L;\nret;\n")

TEST_BODY(ptx_native_takes_fields_by_pointers_that_go_on)
{
    static const char *const row = "store <64 x i32> ";
    assert_true(native_has(GOING_ON(""), row));
    assert_false(native_has(GOING_ON("add.s64 %rd3, %rd3, 8;\n"), row));
}

TEST_BODY(ptx_native_asks_for_lines_of_lanes_behind)
{
    static const char *const asks = "call void @llvm.prefetch.p0(";
    enum { SITES = 2 }; /* for the first lanes, and from lane to lane */
    assert_int_equal(count_of(SCATTERING("red.global.add.u32 [%rd5], %r1"), asks), SITES);
    assert_int_equal(count_of(SCATTERING("red.global.add.f32 [%rd5], %f1"), asks), SITES);
    assert_int_equal(count_of(SCATTERING("atom.global.exch.b64 %rd6, [%rd5], %rd1"), asks), SITES);
    assert_int_equal(count_of(SCATTERING("atom.shared.exch.b32 %r3, [%r2], %r1"), asks), 0);
    assert_int_equal(count_of(SCATTERING("red.shared.add.f32 [%r2], %f1"), asks), 0);
}

/* A loop that reads at %rd3, which each turn makes, and at what is added here, so many bytes on each turn. */
#define READING_BY(step, set, add)                                                                 \
    PTX_BODY(LOAD                                                                                  \
             "ld.param.u32 %r4, [n];\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd4, %rd1, %rd2;\n"     \
             "mov.u32 %r2, 0;\nL:\n" set add                                                       \
             "ld.global.u32 %r3, [%rd3];\nadd.u32 %r5, %r5, %r3;\nadd.s64 %rd4, %rd4, " step ";\n" \
             "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r4;\n@%p1 bra L;\n"                     \
             "st.global.u32 [%rd1], %r5;\nret;\n")
#define READING(set, add) READING_BY("2048", set, add)

TEST_BODY(ptx_native_asks_for_rows_of_later_turns)
{
    static const char *const asks = "call void @llvm.prefetch.p0(";
    enum { LINES = 2 }; /* of 128 bytes */
    assert_true(native_has(STRIDING("%r4"), asks));
    /* Where a block strides, what is far behind comes with no turn. */
    const size_t one = count_of(STRIDING("%r4"), asks);
    assert_int_equal(count_of(STRIDING_AND("%r4", "ld.global.u32 %r6, [%rd3 + 512];\n"), asks),
                     one);
    assert_int_equal(count_of(STRIDING_AND("%r4", "ld.global.u32 %r6, [%rd3 + 1024];\n"), asks),
                     2 * one);
    assert_int_equal(count_of(READING("mov.u64 %rd3, %rd4;\n", ""), asks), LINES);
    assert_false(native_has(READING_BY("512", "mov.u64 %rd3, %rd4;\n", ""), asks)); /* foreseen */
    assert_true(native_has(READING("mov.u64 %rd3, %rd4;\n", ""), ", 16384\n"));
    assert_true(native_has(READING("mov.u64 %rd3, %rd4;\n", "bar.sync 0;\n"), ", 4096\n"));
    /* Neighbours come with it. */
    assert_int_equal(
        count_of(READING("add.s64 %rd3, %rd4, 4;\n", "ld.global.u32 %r5, [%rd4 + 400];\n"), asks),
        LINES);
    /* What stays, changes as memory says, or is one place for all. */
    assert_int_equal(count_of(READING("mov.u64 %rd3, %rd1;\n", ""), asks), 0);
    assert_int_equal(count_of(READING("add.s64 %rd3, %rd1, %rd2;\n", ""), asks), 0);
    assert_int_equal(count_of(READING("ld.global.u64 %rd5, [%rd1];\nadd.s64 %rd3, %rd4, %rd5;\n"
                                      "add.s64 %rd4, %rd4, %rd5;\n",
                                      ""),
                              asks),
                     0);
    assert_false(native_has(PTX_BODY(LOAD "ld.global.u32 %r1, [%rd1];\nret;\n"), asks));
}

/* Where the cache would lose them before their turn, loops in step ask for none. */
TEST_BODY(ptx_native_asks_in_step_where_caches_keep_what_comes)
{
    static const char *const asks = "call void @llvm.prefetch.p0(";
    struct ptx_target target = native_target(PTX_THREADS_ROWS);
    target.has_few_ways = true;
    assert_int_equal(count_with(&target, STRIDING("%r4"), asks), 0);
    assert_true(count_with(&target, READING("mov.u64 %rd3, %rd4;\n", ""), asks) > 0);
}

/* There launches through more memory than caches hold ask for what the next block will read, of the cache behind the nearest. */
TEST_BODY(ptx_native_asks_beside_where_caches_lose_what_comes)
{
    static const char *const asks = ", i32 0, i32 2, i32 1)";
    struct ptx_target target = native_target(PTX_THREADS_ROWS);
    target.has_few_ways = true;
    struct ptx_kernel kernel = translate_for(STRIDING("%r4"), &target);
    assert_int_equal(kernel.vast, PTX_VAST_MEMORY);
    ptx_kernel_free(&kernel);
    assert_int_equal(count_with(&target, STRIDING("%r4"), asks), 0);
    target.is_vast = true;
    assert_true(count_with(&target, STRIDING("%r4"), asks) > 0);
    /* What else a turn does takes longer. */
    assert_int_equal(
        count_with(&target, STRIDING_AND("%r4", "red.global.add.u32 [%rd1], %r1;\n"), asks), 0);
    target.has_few_ways = false;
    assert_int_equal(count_with(&target, STRIDING("%r4"), asks), 0);
}

/* A register that either side of a branch sets, and what is stored by it behind. */
#define SET_TWICE(first, second)                                                                   \
    PTX_BODY(SHARED LOAD "ld.param.u32 %r4, [n];\nmov.u32 %r2, 0;\nsetp.ge.u32 %p1, %r1, %r4;\n"   \
                         "@%p1 bra A;\nld.volatile.global.u32 %r2, [%rd1];\n" first                \
                         "bra.uni B;\nA:\n" second "B:\nshl.b64 %rd3, %rd2, 2;\n"                  \
                         "cvt.u32.u64 %r3, %rd3;\nst.shared.u32 [%r3], %r2;\nbar.sync 0;\n"        \
                         "ld.shared.u32 %r5, [%r3 + 4];\nst.global.u32 [%rd1], %r5;\nret;\n")

TEST_BODY(ptx_native_knows_registers_that_are_set_to_the_same)
{
    static const char *const searched = "@clem_scatter_32(<32 x i64> %a";
    assert_false(
        native_has(SET_TWICE("cvt.u64.u32 %rd2, %r1;\n", "cvt.u64.u32 %rd2, %r1;\n"), searched));
    assert_false(native_has(SET_TWICE("mov.u32 %r6, %tid.x;\ncvt.u64.u32 %rd2, %r6;\n",
                                      "mov.u32 %r7, %tid.x;\ncvt.u64.u32 %rd2, %r7;\n"),
                            searched));
    assert_true(
        native_has(SET_TWICE("cvt.u64.u32 %rd2, %r1;\n", "cvt.u64.u32 %rd2, %r4;\n"), searched));
    assert_true(native_has(SET_TWICE("add.u32 %r6, %r1, 1;\ncvt.u64.u32 %rd2, %r6;\n",
                                     "add.u32 %r7, %r1, 2;\ncvt.u64.u32 %rd2, %r7;\n"),
                           searched));
    /* What memory says may change. */
    assert_true(native_has(SET_TWICE("ld.global.u32 %r6, [%rd1];\ncvt.u64.u32 %rd2, %r6;\n",
                                     "ld.global.u32 %r6, [%rd1];\ncvt.u64.u32 %rd2, %r6;\n"),
                           searched));
}

TEST_BODY(ptx_native_sweeps_along_rows_of_threads)
{
    static const char *const by_rows = "\nalong:\n";
    assert_true(native_has(PTX_BODY(LOAD "st.global.u32 [%rd1], %r1;\nret;\n"), by_rows));
    assert_false(
        native_has(PTX_BODY(LOAD "bar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;\n"), by_rows));
}

TEST_BODY(ptx_native_knows_whether_blocks_are_rows)
{
    static const char *const sweep = PTX_BODY(LOAD "st.global.u32 [%rd1], %r1;\nret;\n"),
                             *const row = "%is.row = or i1 true, ",
                             *const several = "%is.row = or i1 false, ";
    assert_true(native_has_for(PTX_THREADS_ROWS, sweep, row));
    assert_true(native_has_for(PTX_THREADS_ROW, sweep, row));
    assert_true(native_has_for(PTX_THREADS_STACKED, sweep, several));
    assert_true(native_has_for(PTX_THREADS_HALVES, sweep, several));
    assert_false(native_has_for(PTX_THREADS_ANY, sweep, row));
    assert_false(native_has_for(PTX_THREADS_ANY, sweep, several));
    /* Lanes are as numbers in either. */
    assert_true(native_has_for(PTX_THREADS_STACKED, sweep, ", -32\n"));
}

/* if (ctaid.x * 16 + tid.x COMPARE LIMIT) *a = tid.x; */
#define BOUNDED(setp, guard)                                                                       \
    PTX_BODY(LOAD "mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r3, %r2, 16, %r1;\n" setp "\n" guard        \
                  " bra L;\nst.global.u32 [%rd1], %r1;\nL:\nret;\n")

#define FOUR(more) more more more more
#define DO_MORE    FOUR(FOUR(FOUR("add.u32 %r6, %r6, 3;\n")))

/* Rows of 16 threads are compared as numbers first, where all go on or end; rows of 32 are so elsewhere, but where a kernel that does
 * little compares them with several. */
#define BOTH                                                                                       \
    "mov.u32 %r4, %tid.y;\nsetp.gt.s32 %p2, %r3, 0;\nsetp.ne.s32 %p3, %r4, 0;\n"                   \
    "and.pred %p1, %p2, %p3;"

TEST_BODY(ptx_native_has_quick_ways_past_bounds)
{
    static const char *const quick = "\nquick";
    static const char *const above = BOUNDED("setp.gt.s32 %p1, %r3, 99;", "@%p1"),
                             *const equal = BOUNDED("setp.eq.s32 %p1, %r3, 99;", "@%p1");
    assert_true(native_has_for(PTX_THREADS_HALVES, above, quick));
    assert_false(native_has_for(PTX_THREADS_ROWS, above, quick));
    assert_false(native_has_for(PTX_THREADS_HALVES, equal, quick));
    assert_true(native_has_for(PTX_THREADS_STACKED, BOUNDED(BOTH, "@!%p1"), quick));
    assert_false(native_has_for(PTX_THREADS_STACKED, BOUNDED(DO_MORE BOTH, "@!%p1"), quick));
}

/* if (COMPARE(EXTREME of ctaid.x * 16 + tid.x and tid.y)) no more. */
#define CORNERED(extreme, setp)                                                                    \
    BOUNDED("mov.u32 %r4, %tid.y;\n" extreme " %r5, %r3, %r4;\n" setp, "@%p1")

TEST_BODY(ptx_native_compares_both_of_two_bounds)
{
    static const char *const quick = "\nquick";
    static const enum ptx_threads halves = PTX_THREADS_HALVES;
    assert_true(native_has_for(halves, CORNERED("max.s32", "setp.ge.s32 %p1, %r5, 99;"), quick));
    assert_true(native_has_for(halves, CORNERED("min.s32", "setp.lt.s32 %p1, %r5, 1;"), quick));
    assert_true(native_has_for(halves, CORNERED("max.u32", "setp.hi.u32 %p1, %r5, 99;"), quick));
    assert_true(native_has_for(halves, CORNERED("max.s32", "setp.lt.s32 %p1, 99, %r5;"), quick));
    /* Where warps are one row, of kernels that do more. */
    static const char *const extreme = "@llvm.smax.v32i32(<32 x i32> ";
    assert_true(native_has_for(PTX_THREADS_STACKED,
                               CORNERED("max.s32", "setp.ge.s32 %p1, %r5, 99;"), extreme));
    assert_false(native_has_for(PTX_THREADS_STACKED,
                                CORNERED(DO_MORE "max.s32", "setp.ge.s32 %p1, %r5, 99;"), extreme));
    /* As a number without a sign; one that is wanted elsewhere; one of others by then. */
    assert_false(native_has_for(halves, CORNERED("max.s32", "setp.ge.u32 %p1, %r5, 99;"), quick));
    assert_false(native_has_for(
        halves, CORNERED("max.s32", "setp.ge.s32 %p1, %r5, 99;\nst.global.u32 [%rd1], %r5;"),
        quick));
    assert_false(native_has_for(
        halves, CORNERED("max.s32", "add.u32 %r3, %r3, 1;\nsetp.ge.s32 %p1, %r5, 99;"), quick));
}

/* The number of the least of 16 words, and what counts them, which begins as the same. */
#define LEAST(copy)                                                                                \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nmov.u32 %r5, -1;\n"      \
                  "mov.b32 %r2, 0;\n" copy "L:\nld.global.u32 %r4, [%rd3];\n"                      \
                  "setp.lt.u32 %p1, %r4, %r5;\nselp.b32 %r5, %r4, %r5, %p1;\n"                     \
                  "selp.b32 %r2, %r3, %r2, %p1;\nadd.u32 %r3, %r3, 1;\nadd.s64 %rd3, %rd3, 128;\n" \
                  "setp.ne.u32 %p2, %r3, 16;\n@%p2 bra L;\nst.global.u32 [%rd1], %r2;\nret;\n")

TEST_BODY(ptx_native_knows_copies_of_numbers)
{
    static const char *const one = "icmp ne i32 %", *const each = "icmp ne <32 x i32>";
    assert_true(native_has(LEAST("mov.u32 %r3, %r2;\n"), one));
    assert_false(native_has(LEAST("mov.u32 %r3, %r2;\n"), each));
    /* It may be another, which comes from elsewhere. */
    assert_true(native_has(LEAST("K:\nmov.u32 %r3, %r2;\nsetp.eq.u32 %p1, %r1, 77;\n"
                                 "mov.u32 %r2, %r1;\n@%p1 bra K;\n"),
                           each));
    assert_true(native_has(LEAST("mov.u32 %r2, %r1;\nmov.u32 %r3, %r2;\n"), each));
}

static bool reads_before_turns(const char *text)
{
    struct ptx_target target = cpu;
    target.force_form = PTX_FORM_NATIVE;
    target.llvm_major = 15;
    target.threads = PTX_THREADS_ROWS;
    struct ptx_kernel kernel = translate_for(text, &target);
    const char *const turn = strstr(kernel.text, "\nturn"), *const parameter = strstr(
                                                                kernel.text,
                                                                "align 8, !invariant.load !0");
    assert_non_null(turn);
    assert_non_null(parameter);
    const bool is_before = parameter < turn;
    ptx_kernel_free(&kernel);
    return is_before;
}

/* What all turns read alike is read once, where there is no loop, barrier or guard that it would be wasted before. */
TEST_BODY(ptx_native_reads_parameters_before_all_turns_of_a_sweep)
{
    static const char *const sweep = PTX_BODY(LOAD "st.global.u32 [%rd1], %r1;\nret;\n");
    static const char *const barrier =
        PTX_BODY(LOAD "bar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;\n");
    static const char *const apart = PTX_BODY(LOAD APART "st.global.u32 [%rd1], %r1;\nret;\n");
    static const char *const guarded =
        PTX_BODY("mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 7;\n@%p1 ld.param.u64 %rd1, [a];\n"
                 "@%p1 st.global.u32 [%rd1], %r1;\nret;\n");
    assert_true(reads_before_turns(sweep));
    assert_true(reads_before_turns(barrier));
    assert_false(reads_before_turns(apart));
    assert_false(reads_before_turns(guarded));
}

/* A thread follows numbers from place to place. */
#define FOLLOWING(more)                                                                            \
    PTX_BODY(LOAD "L:\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n" more               \
                  "ld.global.u32 %r1, [%rd3];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\n"            \
                  "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd4, %r2, 4;\nadd.s64 %rd5, %rd1, %rd4;\n"  \
                  "st.global.u32 [%rd5], %r2;\nret;\n")

TEST_BODY(ptx_native_is_chosen_where_it_is_faster)
{
    static const char *const many =
        PTX_BODY(LOAD SHUFFLE SHUFFLE SHUFFLE SHUFFLE SHUFFLE SHUFFLE SHUFFLE SHUFFLE
                 "st.global.u32 [%rd1], %r1;\nret;\n");
    static const char *const few =
        PTX_BODY(LOAD SHUFFLE "bar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;\n");
    static const char *const apart = PTX_BODY(LOAD "st.global.u32 [%rd1], %r1;\nret;\n");
    static const char *const gather =
        PTX_BODY(LOAD "ld.global.u32 %r2, [%rd1];\ncvt.u64.u32 %rd2, %r2;\n"
                      "add.u64 %rd2, %rd2, %rd1;\nld.global.u32 %r2, [%rd2];\n"
                      "st.global.u32 [%rd1], %r2;\nret;\n");
    static const char *const gather_of_some =
        PTX_BODY(LOAD "ld.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p1, %r2, 7;\n@%p1 ret;\n"
                      "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                      "ld.global.u32 %r3, [%rd3];\nst.global.u32 [%rd1], %r3;\nret;\n");
    static const char *const scatter =
        PTX_BODY(LOAD "ld.global.u32 %r2, [%rd1];\ncvt.u64.u32 %rd2, %r2;\n"
                      "add.u64 %rd2, %rd2, %rd1;\nred.global.add.f32 [%rd2], %f1;\nret;\n");
    static const char *const copies =
        PTX_BODY(LOAD "L: ld.global.u32 %r2, [%rd1];\nst.global.u32 [%rd1 + 4], %r2;\n"
                      "add.u64 %rd1, %rd1, 4;\nsetp.lt.u64 %p1, %rd1, 4096;\n@%p1 bra L;\nret;\n");
    static const char *const sums =
        PTX_BODY(LOAD "L: ld.global.u32 %r2, [%rd1];\nmad.lo.u32 %r1, %r1, %r2, 3;\n"
                      "xor.b32 %r1, %r1, %r2;\nadd.u64 %rd1, %rd1, 4;\n"
                      "setp.lt.u64 %p1, %rd1, 4096;\n@%p1 bra L;\n"
                      "st.global.u32 [%rd1], %r1;\nret;\n");
    static const char *const barrier =
        PTX_BODY(LOAD "bar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;\n");
    struct ptx_target target = cpu;
    target.force_form = -1;
    target.llvm_major = 15;
    assert_int_equal(form_of(few, &target), PTX_FORM_NATIVE);
    assert_int_equal(form_of(barrier, &target), PTX_FORM_NATIVE);
    assert_int_equal(form_of(apart, &target), PTX_FORM_NATIVE);
    assert_int_equal(form_of(sums, &target), PTX_FORM_NATIVE);
    assert_int_equal(form_of(gather, &target), PTX_FORM_ITEM);
    assert_int_equal(form_of(gather_of_some, &target), PTX_FORM_NATIVE);
    assert_int_equal(form_of(scatter, &target), PTX_FORM_NATIVE);
    assert_int_equal(form_of(copies, &target), PTX_FORM_ITEM);
    assert_int_equal(form_of(FOLLOWING(""), &target), PTX_FORM_NATIVE);
    assert_int_equal(form_of(FOLLOWING("red.global.add.u32 [%rd1], 1;\n"), &target), PTX_FORM_ITEM);
    assert_int_equal(form_of(FOLLOWING("mov.u32 %r4, %laneid;\n"), &target), PTX_FORM_ITEM);
    struct ptx_kernel following = translate_for(FOLLOWING(""), &target);
    assert_null(strstr(following.text, "<32 x "));
    ptx_kernel_free(&following);
    struct ptx_kernel kernel = translate_for(many, &target);
    assert_int_equal(kernel.form, PTX_FORM_NATIVE);
    assert_int_equal(kernel.facts, 0);
    ptx_kernel_free(&kernel);
    target.pointers = PTX_POINTERS_BUFFERS;
    assert_int_not_equal(form_of(many, &target), PTX_FORM_NATIVE);
    target.pointers = PTX_POINTERS_NUMBERS;
    target.llvm_major = 0;
    assert_int_equal(form_of(many, &target), PTX_FORM_WARP);
}

/* Calls hand parameters on in variables of one thread. */
TEST_BODY(ptx_warp_leaves_calls_to_the_block_form)
{
    static const char *const text =
        PTX_HEAD ".func f(.param .u64 a) { .reg .u64 %a; ld.param.u64 %a, [a]; ret; }\n"
                 ".visible .entry k(.param .u64 a) { .reg .u64 %rd1; ld.param.u64 %rd1, [a];\n"
                 "{ .param .u64 x; st.param.u64 [x], %rd1; call f, (x); }\nret; }\n";
    assert_int_equal(form_of(text, &cpu), PTX_FORM_BLOCK);
}

/* Each thread reads a word and stores another. */
#define MOVING(more, store)                                                                        \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                        \
                  "ld.global.u32 %r2, [%rd3];\nadd.s64 %rd4, %rd3, 8192;\n" more store "\nret;\n")
#define MOVE "st.global.u32 [%rd4], %r2;"

/* All threads go as often round a loop that reads words at steps of a distance. */
#define CLIMBING(step, more)                                                                       \
    PTX_BODY(LOAD "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                        \
                  "ld.param.u32 %r2, [n];\nmul.wide.u32 %rd5, %r2, 4;\nmov.u32 %r3, 0;\n"          \
                  "mov.u32 %r5, 0;\nL: ld.global.u32 %r6, [%rd3];\n" more                          \
                  "add.u32 %r5, %r5, %r6;\nadd.s64 %rd3, %rd3, " step ";\nadd.u32 %r3, %r3, 1;\n"  \
                  "setp.lt.u32 %p1, %r3, %r2;\n@%p1 bra L;\nst.global.u32 [%rd3], %r5;\nret;\n")

static size_t count_vast(const char *text, const char *word)
{
    struct ptx_target target = native_target(PTX_THREADS_ROWS);
    target.is_vast = true;
    return count_with(&target, text, word);
}

#if defined __x86_64__
TEST_BODY(ptx_native_stores_past_the_caches_what_they_do_not_hold)
{
    static const char *const past = "!nontemporal",
                             *const settles = "call void @llvm.x86.sse.sfence",
                             *const asks = "call void @llvm.prefetch";
    static const char *const near[] = {
        MOVING("", "st.global.u32 [%rd3], %r2;"), /* what was read */
        MOVING("", "st.global.u8 [%rd4], %r2;"),  /* no whole lines */
        MOVING("membar.gl;\n", MOVE),             /* whose order others see */
        MOVING("", "st.volatile.global.u32 [%rd4], %r2;"),
        MOVING("bar.sync 0;\n", MOVE),
        MOVING("@%p1 ", MOVE),
    };
    assert_int_equal(count_vast(MOVING("", MOVE), past), 1);
    assert_int_equal(count_vast(MOVING("", MOVE), settles), 1);
    assert_int_equal(count_vast(MOVING("", MOVE), asks), 2);
    assert_false(native_has(MOVING("", MOVE), past));
    assert_false(native_has(MOVING("", MOVE), settles));
    assert_false(native_has(MOVING("", MOVE), asks));
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        assert_int_equal(count_vast(near[i], past), 0);
        assert_int_equal(count_vast(near[i], settles), 0);
    }
    assert_int_equal(count_vast(near[0], asks), 2);
}

TEST_BODY(ptx_native_says_whether_vast_launches_have_another_text)
{
    static const struct {
        const char *text;
        enum ptx_vast vast;
    } cases[] = {{MOVING("", MOVE), PTX_VAST_THREADS},
                 {MOVING("bar.sync 0;\n", MOVE), PTX_VAST_NONE},
                 {CLIMBING("%rd5", ""), PTX_VAST_MEMORY},
                 {CLIMBING("%rd5", "bar.sync 0;\n"), PTX_VAST_NONE},
                 {CLIMBING("%rd5", "membar.gl;\n"), PTX_VAST_NONE},
                 {CLIMBING("%rd5", "red.global.add.u32 [%rd1], %r6;\n"), PTX_VAST_NONE},
                 {CLIMBING("%rd5", "shfl.sync.bfly.b32 %r6, %r6, 1, 31, -1;\n"), PTX_VAST_NONE},
                 {CLIMBING("128", ""), PTX_VAST_NONE},
                 {STRIDING("%r4"), PTX_VAST_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ptx_target target = native_target(PTX_THREADS_ROWS);
        struct ptx_kernel one = translate_for(cases[i].text, &target);
        target.is_vast = true;
        struct ptx_kernel other = translate_for(cases[i].text, &target);
        assert_int_equal(one.vast, cases[i].vast);
        assert_int_equal(other.vast, cases[i].vast);
        assert_int_equal(strcmp(one.text, other.text) != 0, cases[i].vast != PTX_VAST_NONE);
        ptx_kernel_free(&one);
        ptx_kernel_free(&other);
    }
}
#else
TEST_BODY(ptx_native_stores_past_the_caches_what_they_do_not_hold)
{
    TEST_SKIP("processors of other kinds have no such stores");
}

TEST_BODY(ptx_native_says_whether_vast_launches_have_another_text)
{
    TEST_SKIP("processors of other kinds have no such stores");
}
#endif

TEST_BODY(ptx_native_has_warps_of_several_blocks_climb_in_step)
{
    static const char *const in_step = "%mode.1 = alloca";
    assert_int_equal(count_vast(CLIMBING("%rd5", ""), in_step), 1);
    assert_int_equal(count_vast(CLIMBING("128", ""), in_step), 0);
    assert_false(native_has(CLIMBING("%rd5", ""), in_step));
}
