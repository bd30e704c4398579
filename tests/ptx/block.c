/* The text of kernels in PTX_FORM_BLOCK: which way through the regions, what is kept where, what is
 * refused.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/read.h"

static const struct ptx_target cpu = {
    .is_cpu = true, .has_double = true, .max_parameter_bytes = 4096, .force_form = -1};

static struct ptx_kernel translate(const char *text)
{
    return translate_for(text, &cpu);
}

static void assert_has(const struct ptx_kernel *kernel, const char *word, bool expected)
{
    if ((strstr(kernel->text, word) != NULL) != expected)
        fail_msg("'%s' is %s in:\n%s", word, expected ? "not" : "", kernel->text);
}

static bool has_argument(const struct ptx_kernel *kernel, enum ptx_argument_kind kind)
{
    for (size_t i = 0; i < kernel->argument_count; i++)
        if (kernel->arguments[i].kind == kind)
            return true;
    return false;
}

#define SHARED ".shared .align 4 .b8 s[1024];\n"

TEST_BODY(ptx_block_kernels_without_barriers_are_items)
{
    struct ptx_kernel kernel =
        translate(PTX_BODY("mov.u32 %r1, %tid.x;\nst.global.u32 [%rd1], %r1;\nret;\n"));
    assert_int_equal(kernel.form, PTX_FORM_ITEM);
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_block_barriers_in_step_need_no_states)
{
    struct ptx_kernel kernel = translate(PTX_BODY(
        SHARED "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nld.param.u64 %rd1, [a];\n"
               "ld.param.u32 %r9, [n];\nld.global.u32 %r3, [%rd1];\nmov.u32 %r4, 0;\n"
               "LOOP:\nbar.sync 0;\nst.shared.u32 [%r2], %r3;\nbar.sync 0;\n"
               "ld.shared.u32 %r3, [s];\nadd.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r9;\n"
               "@%p1 bra LOOP;\nst.global.u32 [%rd1], %r3;\nret;\n"));
    assert_int_equal(kernel.form, PTX_FORM_BLOCK);
    assert_has(&kernel, "clem_choose_region", false);
    assert_has(&kernel, "barrier(", false);
    assert_has(&kernel, "a_r3[", true);   /* differs between threads, lives across barriers */
    assert_has(&kernel, "u_r4 = ", true); /* counts alike in all */
    assert_has(&kernel, "a_r4[", false);
    assert_has(&kernel, "a_r2[", false); /* follows from tid: computed anew */
    assert_has(&kernel, "a_r9[", false);
    assert_true(has_argument(&kernel, PTX_ARGUMENT_SCRATCH));
    assert_true(has_argument(&kernel, PTX_ARGUMENT_GRID));
    assert_false(has_argument(&kernel, PTX_ARGUMENT_RUNTIME));
    ptx_kernel_free(&kernel);
}

/* Of what a host's thread does for a whole block, only its compiler must keep the order. */
TEST_BODY(ptx_block_orders_memory)
{
    struct ptx_target fenced = cpu;
    fenced.has_thread_fence = true;
    const char *ptx =
        PTX_BODY(SHARED "LOOP:\nld.global.u32 %r1, [%rd1];\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n"
                        "@%p1 bra LOOP;\nret;\n");
    struct ptx_kernel kernel = translate_for(ptx, &fenced);
    assert_has(&kernel, "clem_fence_compiler();", true);
    assert_has(&kernel, "clem_fence();", false);
    ptx_kernel_free(&kernel);
    fenced.force_form = PTX_FORM_BLOCK;
    kernel = translate_for(PTX_BODY("membar.cta;\nret;\n"), &fenced);
    assert_has(&kernel, "clem_fence_compiler();", true);
    assert_has(&kernel, "clem_fence();", false);
    ptx_kernel_free(&kernel);
    kernel = translate_for(PTX_BODY("membar.gl;\nret;\n"), &fenced);
    assert_has(&kernel, "clem_fence();", true);
    ptx_kernel_free(&kernel);
    kernel = translate(ptx);
    assert_has(&kernel, "clem_fence", false);
    ptx_kernel_free(&kernel);
}

/* Blocks that may wait for one another are not done as one. */
TEST_BODY(ptx_block_fences_keep_blocks_apart)
{
#define PTX_LOOP(middle)                                                                           \
    PTX_BODY("mov.u32 %r1, 0;\nLOOP:\n" middle                                                     \
             "ld.global.u32 %r2, [%rd1];\nadd.u32 %r1, %r1, 1;\n"                                  \
             "setp.lt.u32 %p1, %r1, %r2;\n@%p1 bra LOOP;\nret;\n")
    struct ptx_target block = cpu;
    block.force_form = PTX_FORM_BLOCK;
    static const struct {
        const char *ptx;
        bool joins_blocks;
    } rows[] = {{PTX_LOOP(""), true},
                {PTX_LOOP("membar.gl;\n"), false},
                {PTX_LOOP("ld.global.cg.u32 %r3, [%rd1];\n"), false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ptx_kernel kernel = translate_for(rows[i].ptx, &block);
        assert_int_equal(kernel.joins_blocks, rows[i].joins_blocks);
        ptx_kernel_free(&kernel);
    }
#undef PTX_LOOP
}

TEST_BODY(ptx_block_threads_that_part_have_states)
{
    struct ptx_kernel kernel = translate(
        PTX_BODY("mov.u32 %r1, %tid.x;\nld.param.u32 %r9, [n];\nsetp.ge.u32 %p1, %r1, %r9;\n"
                 "@%p1 ret;\nbar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;\n"));
    assert_has(&kernel, "clem_is_together", true);
    assert_has(&kernel, "clem_tid_x < clem_live.s0", true); /* those that have not ended, in step */
    assert_has(&kernel, "clem_choose_region", true);
    assert_has(&kernel, "clem_trap(clem_runtime)", true); /* where nothing can go on */
    ptx_kernel_free(&kernel);
}

/* What the text calls of the library is found by its name: no label may have one of a function of doubles. */
TEST_BODY(ptx_block_labels_are_no_functions_of_doubles)
{
    struct ptx_target single = cpu;
    single.has_double = false;
    struct ptx_kernel kernel = translate_for(
        PTX_BODY("mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [a];\nmov.u32 %r9, 0;\n"
                 "ROUND:\nbar.sync 0;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MET;\n"
                 "WAIT:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n"
                 "@%p1 bra WAIT;\nMET:\nbar.sync 0;\nadd.u32 %r9, %r9, 1;\n"
                 "setp.lt.u32 %p1, %r9, 9;\n@%p1 bra ROUND;\nst.global.u32 [%rd1], %r1;\nret;\n"),
        &single);
    assert_has(&kernel, "goto clem_next_round;", true);
    ptx_kernel_free(&kernel);
}

/* Between taking a lock and letting go of it no region begins, as it would where shared memory is stored
 * at one place and loaded from another. */
TEST_BODY(ptx_block_critical_sections_are_not_cut)
{
#define PTX_SECTION(end)                                                                           \
    PTX_BODY(SHARED                                                                                \
             "bar.sync 0;\nmov.u64 %rd2, s;\nLOOP:\natom.shared.cas.b32 %r1, [%rd2], 0, 1;\n"      \
             "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\nst.shared.u32 [s+4], %r2;\n"               \
             "ld.shared.u32 %r3, [s+8];\n" end "st.global.u32 [%rd1], %r3;\nret;\n")
    struct ptx_kernel kernel = translate(PTX_SECTION("atom.shared.exch.b32 %r4, [%rd2], 0;\n"));
    assert_has(&kernel, "S_0:", true);
    assert_has(&kernel, "S_1:", false);
    ptx_kernel_free(&kernel);
    kernel = translate(PTX_SECTION("")); /* no lock: nothing lets go of it */
    assert_has(&kernel, "S_1:", true);
    ptx_kernel_free(&kernel);
#undef PTX_SECTION
}

#define PTX_LOOP(turn)                                                                             \
    PTX_BODY("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r9, 0;\nmov.u32 %r2, 0;\n"   \
             "LOOP:\n" turn "@%p1 bra LOOP;\nst.global.u32 [%rd1+4], %r2;\nret;\n")

/* Loops whose end follows from what other threads do, however it is read and handed on. */
TEST_BODY(ptx_block_threads_that_wait_let_others_go)
{
    static const char *const waits[] = {
        PTX_LOOP("ld.volatile.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p1, %r2, %r1;\n"),
        PTX_LOOP(
            "ld.global.cg.u32 %r2, [%rd1];\nadd.u32 %r3, %r2, 1;\nsetp.ne.u32 %p1, %r3, %r1;\n"),
        PTX_LOOP("membar.gl;\nld.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n"),
        PTX_LOOP("atom.global.exch.b32 %r2, [%rd1], 1;\nsetp.eq.u32 %p1, %r2, 1;\n"),
        PTX_LOOP("atom.global.add.u32 %r2, [%rd1], 0;\nsetp.eq.u32 %p1, %r2, 1;\n"),
        PTX_LOOP(
            "mov.u32 %r3, 0;\natom.global.add.u32 %r2, [%rd1], %r3;\nsetp.eq.u32 %p1, %r2, 1;\n"),
        PTX_LOOP("atom.global.add.u32 %r2, [%rd1], -1;\nsetp.lt.s32 %p1, %r2, 1;\n"
                 "@%p1 red.global.add.u32 [%rd1], 1;\n"),
        /* Numbers that grow as long as nobody sets them back: locks. */
        PTX_LOOP("atom.global.add.u32 %r2, [%rd1], 1;\nsetp.ne.u32 %p1, %r2, 0;\n"),
        PTX_LOOP("atom.global.inc.u32 %r2, [%rd1], -1;\nsetp.gt.s32 %p1, %r2, 0;\n"),
        PTX_LOOP("atom.global.add.u32 %r2, [%rd1], 1;\nand.b32 %r3, %r2, 255;\n"
                 "setp.ne.u32 %p1, %r3, 0;\n"),
        /* Its turns begin where the one before falls through to. */
        PTX_LOOP("bra ON;\nTOP:\nadd.u32 %r2, %r2, 1;\nON:\nld.volatile.global.u32 %r3, [%rd1];\n"
                 "setp.eq.u32 %p2, %r3, %r9;\n@!%p2 bra TOP;\nsetp.ne.u32 %p1, %r9, %r9;\n"),
        /* A loop with two ways in, within one that ends by itself. */
        PTX_LOOP("and.b32 %r3, %r9, 1;\nsetp.eq.u32 %p2, %r3, 0;\n@%p2 bra ON;\n"
                 "TOP:\nadd.u32 %r2, %r2, 1;\nON:\nld.volatile.global.u32 %r3, [%rd1];\n"
                 "setp.ne.u32 %p2, %r3, %r9;\n@%p2 bra TOP;\nadd.u32 %r9, %r9, 1;\n"
                 "setp.lt.u32 %p1, %r9, 4;\n"),
        /* The new value is not what was there: the loop waits for the lowest bit to go. */
        PTX_LOOP(
            "ld.volatile.global.u32 %r3, [%rd1];\nand.b32 %r4, %r3, -2;\nadd.u32 %r5, %r4, 2;\n"
            "atom.global.cas.b32 %r2, [%rd1], %r4, %r5;\nsetp.ne.u32 %p1, %r2, %r4;\n"),
        /* Not every turn tries. */
        PTX_LOOP("ld.global.u32 %r3, [%rd1];\nand.b32 %r4, %r3, 1;\nsetp.ne.u32 %p2, %r4, 0;\n"
                 "@%p2 bra LOOP;\nadd.u32 %r4, %r3, 1;\n"
                 "atom.global.cas.b32 %r2, [%rd1], %r3, %r4;\nsetp.ne.u32 %p1, %r2, %r3;\n"),
        /* What is to be there was seen elsewhere. */
        PTX_LOOP("ld.global.u32 %r3, [%rd1+8];\nadd.u32 %r4, %r3, 1;\n"
                 "atom.global.cas.b32 %r2, [%rd1], %r3, %r4;\nsetp.ne.u32 %p1, %r2, %r3;\n"),
        /* What is seen decides whether the flag is set that ends the loop. */
        PTX_LOOP("atom.global.cas.b32 %r2, [%rd1], 0, 1;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra ON;\n"
                 "mov.u32 %r9, 1;\nst.global.u32 [%rd1], 0;\nON:\nsetp.eq.u32 %p1, %r9, 0;\n"),
    };
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        struct ptx_kernel kernel = translate(waits[i]);
        assert_int_equal(kernel.form, PTX_FORM_BLOCK);
        assert_has(&kernel, "++clem_turns < CLEM_TURNS", true);
        assert_has(&kernel, "S_0:", false); /* no thread meets another */
        ptx_kernel_free(&kernel);
    }
}

/* Where threads in step may part, threads that have parted may begin: at the kernel's start, the outer loop's, and the
 * barrier. */
TEST_BODY(ptx_block_loops_within_begin_no_regions)
{
    struct ptx_kernel kernel = translate(
        PTX_BODY("ld.param.u64 %rd1, [a];\nld.param.u32 %r5, [n];\nmov.u32 %r1, %tid.x;\n"
                 "mov.u32 %r2, 0;\nmov.u32 %r9, 0;\nROUND:\nadd.u32 %r4, %r9, %r1;\n"
                 "LOOP:\nld.volatile.global.u32 %r3, [%rd1];\nsetp.ne.u32 %p1, %r3, %r4;\n"
                 "@%p1 bra LOOP;\nadd.u32 %r2, %r2, %r1;\nmov.u32 %r6, 0;\n"
                 "SUM:\nadd.u32 %r2, %r2, %r6;\nadd.u32 %r6, %r6, 1;\n"
                 "setp.lt.u32 %p2, %r6, %r5;\n@%p2 bra SUM;\nst.volatile.global.u32 [%rd1], %r3;\n"
                 "bar.sync 0;\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p3, %r9, %r5;\n"
                 "@%p3 bra ROUND;\nst.global.u32 [%rd1+4], %r2;\nret;\n"));
    assert_has(&kernel, "clem_choose_waiting", true);
    assert_has(&kernel, "S_2:", true);
    assert_has(&kernel, "S_3:", false);
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_block_loops_that_end_by_themselves_wait_for_nobody)
{
    static const char *const others[] = {
        PTX_LOOP(
            "ld.volatile.global.u32 %r2, [%rd1];\nadd.u32 %r9, %r9, %r2;\nadd.u32 %r1, %r1, 1;\n"
            "setp.lt.u32 %p1, %r1, 99;\n"),
        /* Again, for another was first. */
        PTX_LOOP("mov.u32 %r3, %r2;\nadd.u32 %r4, %r3, %r1;\n"
                 "atom.global.cas.b32 %r2, [%rd1], %r3, %r4;\nsetp.ne.u32 %p1, %r3, %r2;\n"),
        PTX_LOOP("ld.volatile.global.u32 %r3, [%rd1];\nadd.u32 %r4, %r3, %r1;\n"
                 "atom.global.cas.b32 %r2, [%rd1], %r3, %r4;\nsetp.ne.u32 %p1, %r2, %r3;\n"),
        /* The same as long as the value is the largest. */
        PTX_LOOP("setp.ge.u32 %p2, %r2, %r1;\n@%p2 ret;\nmov.u32 %r3, %r2;\n"
                 "atom.global.cas.b32 %r2, [%rd1], %r3, %r1;\nsetp.ne.u32 %p1, %r3, %r2;\n"),
        /* The next piece of work. */
        PTX_LOOP("atom.global.add.u32 %r2, [%rd1], 1;\nsetp.lt.u32 %p1, %r2, 1000;\n"),
        PTX_LOOP("mov.u32 %r3, %ntid.x;\natom.global.add.u32 %r2, [%rd1], %r3;\n"
                 "setp.lt.u32 %p1, %r2, 1000;\n"),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ptx_kernel kernel = translate(others[i]);
        assert_int_equal(kernel.form, PTX_FORM_ITEM);
        ptx_kernel_free(&kernel);
    }
    struct ptx_kernel kernel = translate(
        PTX_LOOP("bar.sync 0;\nld.volatile.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p1, %r2, %r1;\n"));
    assert_has(&kernel, "clem_choose_region(", true); /* all come to the barrier */
    assert_has(&kernel, "clem_choose_waiting", false);
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_block_warps_that_wait_are_left)
{
    struct ptx_kernel kernel =
        translate(PTX_LOOP("ld.volatile.global.u32 %r2, [%rd1];\nsetp.ne.u32 %p2, %r2, 0;\n"
                           "vote.sync.any.pred %p3, %p2, -1;\nnot.pred %p1, %p3;\n"));
    assert_has(&kernel, "clem_choose_waiting(", true);
    assert_has(&kernel, "(clem_steps < clem_patience ? 0u : CLEM_SPUN)", true);
    ptx_kernel_free(&kernel);
    kernel = translate(
        PTX_HEAD
        ".func wait(.param .b64 at)\n{\n.reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n.reg .pred %p<2>;\n"
        "ld.param.u64 %rd1, [at];\nLOOP:\nld.volatile.global.u32 %r1, [%rd1];\n"
        "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\nret;\n}\n"
        ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [a];\n{\n"
        ".param .b64 at;\nst.param.b64 [at], %rd1;\ncall.uni wait, (at);\n}\n"
        "st.global.u64 [%rd1], %rd1;\nret;\n}\n");
    assert_has(&kernel, "_wait(", false); /* inlined */
    assert_has(&kernel, "++clem_turns < CLEM_TURNS", true);
    ptx_kernel_free(&kernel);
}
#undef PTX_LOOP

/* One thread waits for what another block does: all stay on the straight way unless that takes long. */
TEST_BODY(ptx_block_short_waits_keep_threads_in_step)
{
    struct ptx_kernel kernel = translate(
        PTX_BODY("mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra MEET;\n"
                 "LOOP:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 0;\n"
                 "@%p2 bra LOOP;\nMEET:\nbar.sync 0;\nst.global.u32 [%rd1], %r1;\nret;\n"));
    assert_has(&kernel, "S_1:", true); /* behind the barrier */
    assert_has(&kernel, "S_2:", false);
    assert_has(&kernel, "if (clem_all != clem_any || clem_any - 1u < 1u) {", true);
    assert_has(&kernel, "++clem_turns < CLEM_TURNS) goto S", true);
    assert_has(&kernel, "clem_next = 1u | CLEM_SPUN", true); /* warp by warp the loop is a region */
    ptx_kernel_free(&kernel);
}

/* More than can be private lies in memory, for which one work-item does a whole block. */
TEST_BODY(ptx_block_large_local_memory_lies_in_scratch)
{
    struct ptx_target small = cpu;
    small.max_private_bytes = 1024;
    const char *ptx = PTX_BODY(".local .align 4 .b8 l[2000];\nmov.u64 %rd1, l;\n"
                               "st.local.u32 [%rd1+1996], %r1;\nret;\n");
    struct ptx_kernel kernel = translate(ptx);
    assert_int_equal(kernel.form, PTX_FORM_ITEM);
    ptx_kernel_free(&kernel);
    kernel = translate_for(ptx, &small);
    assert_int_equal(kernel.form, PTX_FORM_BLOCK);
    assert_has(&kernel, "CLEM_SCRATCH ulong2 *clem_scratch_memory", true);
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_block_barriers_of_some_threads_are_never_straight)
{
    struct ptx_kernel kernel = translate(
        PTX_BODY("bar.arrive 1, 64;\nbar.sync 1, 64;\nst.global.u32 [%rd1], %r1;\nret;\n"));
    assert_has(&kernel, "S_0:", false);
    assert_has(&kernel, "clem_arrived[clem_number] +=", true);
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_block_functions_with_barriers_are_inlined)
{
    struct ptx_kernel kernel = translate(
        PTX_HEAD ".func (.param .b32 r) twice(.param .b32 x, .param .align 4 .b8 y[8])\n{\n"
                 ".reg .b32 %r<4>;\n.reg .pred %p<2>;\nld.param.u32 %r1, [x];\n"
                 "ld.param.u32 %r2, [y+4];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra SKIP;\n"
                 "bar.sync 0;\nadd.u32 %r1, %r1, %r2;\nst.param.b32 [r], %r1;\nret;\n"
                 "SKIP:\nst.param.b32 [r], 7;\nret;\n}\n"
                 ".func (.param .b32 r) plain(.param .b32 x)\n{\n.reg .b32 %r<4>;\n"
                 "ld.param.u32 %r1, [x];\nst.param.b32 [r], %r1;\nret;\n}\n"
                 ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n"
                 "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n"
                 "{\n.param .b32 p0;\nst.param.b32 [p0], %r1;\n.param .align 4 .b8 p1[8];\n"
                 "st.param.b32 [p1+4], %r1;\n.param .b32 q;\ncall.uni (q), twice, (p0, p1);\n"
                 "ld.param.b32 %r2, [q];\n}\n"
                 "{\n.param .b32 p0;\nst.param.b32 [p0], %r2;\n.param .b32 q;\n"
                 "call.uni (q), plain, (p0);\nld.param.b32 %r3, [q];\n}\n"
                 "st.global.u32 [%rd1], %r3;\nret;\n}\n");
    assert_has(&kernel, "twice(", false);
    assert_has(&kernel, "plain(CLEM_PASS_AND", true);
    assert_has(&kernel, "clem_local + ", true); /* the array that was passed */
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_block_volatile_shared_accesses_are_steps)
{
    struct ptx_kernel kernel = translate(PTX_BODY(
        SHARED "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nst.volatile.shared.u32 [%r2], %r1;\n"
               "ld.volatile.shared.u32 %r3, [%r2+4];\nst.global.u32 [%rd1], %r3;\nret;\n"));
    assert_int_equal(kernel.form, PTX_FORM_BLOCK);
    assert_has(&kernel, "S_2:", true); /* before each access a region begins */
    assert_has(&kernel, "S_3:", false);
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_block_loads_of_what_others_stored_are_steps)
{
    struct ptx_kernel kernel = translate(
        PTX_BODY(SHARED "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nst.shared.u32 [%r2], %r1;\n"
                        "ld.shared.u32 %r4, [%r2];\nld.shared.u32 %r3, [%r2+4];\n"
                        "st.global.v2.u32 [%rd1], {%r3, %r4};\nret;\n"));
    assert_int_equal(kernel.form, PTX_FORM_BLOCK);
    assert_has(&kernel, "a_r4[", true); /* a cut between the thread's own element and the next */
    ptx_kernel_free(&kernel);
    kernel = translate(PTX_BODY(SHARED "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\n"
                                       "st.shared.u32 [%r2], %r1;\nld.shared.u32 %r4, [%r2];\n"
                                       "st.global.u32 [%rd1], %r4;\nret;\n"));
    assert_int_equal(kernel.form, PTX_FORM_ITEM);
    ptx_kernel_free(&kernel);
}

/* However many they are: each thread may read what the one before has just stored. */
TEST_BODY(ptx_block_unrolled_shared_memory_is_in_lockstep)
{
    enum { ROWS = 60 };
    char body[ROWS * 90 + 200], *end = body;
    end += sprintf(end, "mov.u32 %%r1, %%tid.x;\nshl.b32 %%r2, %%r1, 2;\nbar.sync 0;\n");
    for (int i = 0; i < ROWS; i++)
        end += sprintf(end,
                       "ld.shared.u32 %%r3, [%%r2+%d];\nadd.u32 %%r4, %%r4, %%r3;\n"
                       "st.shared.u32 [%%r2+%d], %%r4;\n",
                       i * 64, i * 64 + 64);
    sprintf(end, "bar.sync 0;\nret;\n");
    const size_t bytes = strlen(body) + 1000;
    char *text = malloc(bytes);
    assert_non_null(text);
    snprintf(text, bytes,
             PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %%r<16>;\n"
                      ".shared .align 4 .b8 s[8192];\n%s\n}\n",
             body);
    struct ptx_kernel kernel = translate(text);
    assert_int_equal(kernel.form, PTX_FORM_BLOCK);
    assert_has(&kernel, "S_119:;", true); /* each access, and the barriers */
    ptx_kernel_free(&kernel);
    free(text);
}

/* Both factors are numbers; in a kernel with memory, where strides are looked for. */
TEST_BODY(ptx_block_products_of_numbers_end)
{
    struct ptx_kernel kernel = translate(
        PTX_BODY("ld.param.u64 %rd1, [a];\nmov.u32 %r3, 0;\nLOOP:\nmad.lo.u32 %r1, 3, 4, 5;\n"
                 "mul.lo.u32 %r2, 6, 7;\nst.global.u32 [%rd1], %r1;\nadd.u32 %r3, %r3, 1;\n"
                 "setp.lt.u32 %p1, %r3, 9;\n@%p1 bra LOOP;\nret;\n"));
    assert_int_equal(kernel.form, PTX_FORM_ITEM);
    ptx_kernel_free(&kernel);
}

/* The function stands in the kernel, where threads wait for each other. */
TEST_BODY(ptx_block_barriers_behind_addresses_are_met)
{
    struct ptx_kernel kernel =
        translate(PTX_HEAD ".func waits()\n{\nbar.sync 0;\nret;\n}\n"
                           ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<4>;\n"
                           "mov.u64 %rd1, waits;\nld.param.u64 %rd2, [a];\nbar.sync 0;\n"
                           "{\nproto: .callprototype _ ();\ncall %rd1, (), proto;\n}\nret;\n}\n");
    assert_int_equal(kernel.form, PTX_FORM_BLOCK);
    assert_has(&kernel, "_waits", false);
    assert_has(&kernel, "clem_trap", true); /* for what is no function's address */
    ptx_kernel_free(&kernel);
}

/* Threads next to each other touch words next to each other, and each turn is %r4 threads farther. */
#define STRIDE(step)                                                                               \
    PTX_BODY("ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %ntid.x;\n"            \
             "mov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %tid.x;\nmad.lo.s32 %r3, %r5, %r2, %r6;\n"      \
             "mov.u32 %r7, %nctaid.x;\nmul.lo.s32 %r4, %r7, %r2;\n"                                \
             "LOOP:\nmul.wide.s32 %rd2, %r3, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"                      \
             "st.global.u32 [%rd3], %r3;\nadd.s32 %r3, %r3, " step ";\n"                           \
             "setp.lt.s32 %p1, %r3, %r1;\n@%p1 bra LOOP;\nret;\n")

TEST_BODY(ptx_block_strided_loops_run_in_step)
{
    struct ptx_kernel kernel = translate(STRIDE("%r4"));
    assert_int_equal(kernel.form, PTX_FORM_BLOCK);
    assert_true(kernel.joins_blocks);
    assert_has(&kernel, "u_r3 = (uint)(r3 - s_r3);", true); /* grows alike for all threads */
    assert_has(&kernel, "clem_choose_region", false);       /* those that part go on alone */
    ptx_kernel_free(&kernel);
    kernel = translate(STRIDE("1")); /* the next turn is near: threads had better go one by one */
    assert_int_equal(kernel.form, PTX_FORM_ITEM);
    assert_false(kernel.joins_blocks);
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_block_kernels_with_shared_memory_join_no_blocks)
{
    struct ptx_kernel kernel = translate(
        PTX_BODY(SHARED "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ntid.x;\n"
                        "shl.b32 %r3, %r1, 2;\n"
                        "LOOP:\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"
                        "ld.global.u32 %r4, [%rd3];\nst.shared.u32 [%r3], %r4;\n"
                        "add.u32 %r1, %r1, %r2;\nsetp.lt.u32 %p1, %r1, 9999;\n@%p1 bra LOOP;\n"
                        "bar.sync 0;\nld.shared.u32 %r5, [s];\nst.global.u32 [%rd1], %r5;\n"
                        "ret;\n"));
    assert_int_equal(kernel.form, PTX_FORM_BLOCK);
    assert_false(kernel.joins_blocks);
    assert_has(&kernel, "clem_first", false);
    ptx_kernel_free(&kernel);
}

/* Behind a list of targets stands what no thread comes to. */
TEST_BODY(ptx_block_leaves_out_code_behind_lists_of_targets)
{
    struct ptx_kernel kernel = translate(
        PTX_BODY("mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [a];\nts: .branchtargets A, B, A;\n"
                 "brx.idx %r1, ts;\nshfl.sync.up.b32 %r2|%p1, %r1, %r1, 0, -1;\n"
                 "st.global.u32 [%rd1], %r2;\nA: bar.sync 0;\nmov.u32 %r3, 1;\nbra C;\n"
                 "B: mov.u32 %r3, 2;\nC: st.global.u32 [%rd1], %r3;\nret;\n"));
    assert_int_equal(kernel.form, PTX_FORM_BLOCK);
    assert_has(&kernel, "_r2", false);
    ptx_kernel_free(&kernel);
}

/* Compilers take as long for each text of a region as there are, of which short kernels have few. */
TEST_BODY(ptx_block_regions_without_vectors_are_written_once)
{
#define PTX_TEN(text) text text text text text text text text text text
#define PTX_SCATTER(more)                                                                          \
    PTX_BODY(SHARED "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nld.param.u64 %rd1, [a];\n"        \
                    "ld.param.u32 %r9, [n];\nsetp.ge.u32 %p1, %r1, %r9;\n@%p1 ret;\n"              \
                    "st.shared.u32 [%r2], %r1;\nbar.sync 0;\n"                                     \
                    "ld.shared.u32 %r3, [%r2+4];\n" more "mul.wide.u32 %rd2, %r3, 4;\n"            \
                    "add.u64 %rd3, %rd1, %rd2;\natom.global.add.u32 %r4, [%rd3], 31415;\n"         \
                    "st.global.u32 [%rd3+4], %r4;\nret;\n")
    struct ptx_kernel kernel = translate(PTX_SCATTER(""));
    assert_has(&kernel, "S_1:", true);
    ptx_kernel_free(&kernel);
    kernel = translate(PTX_SCATTER(PTX_TEN(PTX_TEN("add.u32 %r3, %r3, %r1;\n"))));
#undef PTX_SCATTER
#undef PTX_TEN
    const char *atomic = strstr(kernel.text, "31415u");
    assert_non_null(atomic);
    assert_null(strstr(atomic + 1, "31415u"));
    assert_has(&kernel,
               "S_0:", true); /* threads store side by side: vectors, on the straight way */
    assert_has(&kernel, "case 0u: goto S_0;", true);
    assert_has(&kernel, "S_1:", false);
    assert_has(&kernel, "E2:;", true);
    assert_has(&kernel, "clem_all &= clem_next", true);
    ptx_kernel_free(&kernel);
}

/* Threads are only told to be made vectors of where they touch memory side by side, be it within bounds. */
TEST_BODY(ptx_block_gathers_are_no_vectors)
{
#define PTX_ACCESS(address)                                                                        \
    PTX_BODY(SHARED "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nld.param.u64 %rd1, [a];\n"        \
                    "st.shared.u32 [%r2], %r1;\nbar.sync 0;\nld.shared.u32 %r3, [%r2];\n"          \
                    "mul.wide.u32 %rd2, " address ", 4;\nadd.u64 %rd3, %rd1, %rd2;\n"              \
                    "bar.sync 0;\nst.global.u32 [%rd3], %r1;\nret;\n")
    static const char *const texts[] = {PTX_ACCESS("%r1"), PTX_ACCESS("%r3"), PTX_ACCESS("%r4")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ptx_kernel kernel = translate(texts[i]);
        assert_has(&kernel, "vectorize(assume_safety)", true);
        const char *last = strstr(kernel.text, "S_2:;");
        assert_non_null(last);
        assert_int_equal(strstr(last, "vectorize(assume_safety)") != NULL, i != 1);
        ptx_kernel_free(&kernel);
    }
#undef PTX_ACCESS
}

/* But where they compute much with what they gather. */
TEST_BODY(ptx_block_gathers_amid_arithmetic_are_vectors)
{
#define PTX_SIX(text) text text text text text text
#define PTX_COMPUTE(arithmetic)                                                                    \
    PTX_BODY(SHARED "mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nld.param.u64 %rd1, [a];\n"        \
                    "ld.shared.u32 %r3, [%r2];\nmul.wide.u32 %rd2, %r1, 4;\n"                      \
                    "add.u64 %rd3, %rd1, %rd2;\nbar.sync 0;\n"                                     \
                    "ld.shared.f32 %f1, [%r3];\n" arithmetic "st.global.f32 [%rd3], %f1;\nret;\n")
    static const char *const texts[] = {
        PTX_COMPUTE(PTX_SIX("fma.rn.f32 %f1, %f1, %f1, %f1;\n")),
        PTX_COMPUTE(PTX_SIX(PTX_SIX("fma.rn.f32 %f1, %f1, %f1, %f1;\n")))};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ptx_kernel kernel = translate(texts[i]);
        const char *last = strstr(kernel.text, "S_1:;");
        assert_non_null(last);
        assert_int_equal(strstr(last, "vectorize(assume_safety)") != NULL, i == 1);
        ptx_kernel_free(&kernel);
    }
#undef PTX_COMPUTE
#undef PTX_SIX
}

/* Each group of lanes has one place, at which the first one's value stays. */
TEST_BODY(ptx_block_first_of_lanes_at_one_place_stores)
{
#define PTX_STORE(shift, store)                                                                    \
    PTX_BODY("mov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [a];\n"                                     \
             "shfl.sync.down.b32 %r2, %r1, 1, 31, -1;\n" shift                                     \
             "mul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd3, %rd1, %rd2;\n" store                       \
             " [%rd3], %r2;\nret;\n")
    struct ptx_kernel kernel = translate(PTX_STORE("shr.u32 %r3, %r1, 5;\n", "st.global.u32"));
    assert_has(&kernel, "if (clem_owners[0] == clem_index) {", true);
    ptx_kernel_free(&kernel);
    /* Addresses that all differ, and one that may be of each thread's own local memory. */
    static const char *const others[] = {PTX_STORE("add.u32 %r3, %r1, 5;\n", "st.global.u32"),
                                         PTX_STORE("shr.u32 %r3, %r1, 5;\n", "st.u32")};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kernel = translate(others[i]);
        assert_has(&kernel, "clem_owners", false);
        ptx_kernel_free(&kernel);
    }
#undef PTX_STORE
}

/* What a loop looks at, whether it is left because of that, and in which text; on a CPU, and otherwise. */
TEST_BODY(ptx_block_turns_are_taken_where_blocks_may_wait)
{
#define ASK(ends)                                                                                  \
    PTX_HEAD ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"                             \
             ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n"          \
             ".reg .pred %p<3>;\nld.param.u64 %rd2, [a];\nL: {\n.param .b64 x;\n.param .b64 y;\n"  \
             "st.param.b64 [x], 64;\ncall.uni (y), malloc, (x);\nld.param.b64 %rd1, [y];\n}\n"     \
             "setp.eq.s64 %p1, %rd1, 0;\n" ends "st.global.u64 [%rd2], %rd1;\nret;\n}\n"
#define POLL "L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;\n"
    static const struct {
        const char *text;
        bool takes;
    } rows[] = {
        {PTX_BODY("ld.param.u64 %rd1, [a];\n" POLL), true},
        {PTX_BODY("ld.param.u64 %rd1, [a];\nbar.sync 0;\n" POLL), true},
        {PTX_BODY("mov.u32 %r1, %envreg2;\nst.global.u32 [%rd1], %r1;\nret;\n"), true},
        {PTX_BODY("L: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n"
                  "@%p1 bra L;\nret;\n"),
         true},
        /* Through barriers, by way of shared memory. */
        {PTX_BODY(SHARED "L: ld.volatile.global.u32 %r1, [%rd1];\nst.shared.u32 [s], %r1;\n"
                         "bar.sync 0;\nld.shared.u32 %r2, [s];\nbar.sync 0;\n"
                         "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\nret;\n"),
         true},
        /* First thing in a loop that counts its turns: both begin at one place. */
        {PTX_BODY("mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%rd1];\n"
                  "setp.eq.u32 %p1, %r1, %r2;\n@%p1 bra L;\nadd.u32 %r2, %r2, 1;\n"
                  "st.global.u32 [%rd2], %r2;\nsetp.lt.u32 %p2, %r2, 9;\n@%p2 bra "
                  "L;\nst.global.u32 [%rd2], %r2;\nret;\n"),
         true},
        {PTX_BODY("L: ld.volatile.global.u32 %r1, [%rd1];\nadd.u32 %r3, %r3, 1;\n"
                  "setp.eq.u32 %p1, %r1, %r2;\n@%p1 bra L;\nadd.u32 %r2, %r2, 1;\n"
                  "st.global.u32 [%rd2], %r3;\nsetp.lt.u32 %p2, %r2, 9;\n@%p2 bra "
                  "L;\nst.global.u32 [%rd2], %r2;\nret;\n"),
         true},
        /* So many may pass as long as nobody takes the number back. */
        {PTX_BODY("L: atom.global.add.u32 %r1, [%rd1], 1;\nsetp.gt.u32 %p1, %r1, 3;\n"
                  "@%p1 bra L;\nret;\n"),
         true},
        {PTX_BODY("L: atom.global.add.u32 %r1, [%rd1], -1;\nsetp.gt.s32 %p1, %r1, 3;\n"
                  "@!%p1 bra L;\nret;\n"),
         true},
        /* Numbers that all pass some time. */
        {PTX_BODY("L: atom.global.add.u32 %r1, [%rd1], 1;\nsetp.gt.u32 %p1, %r1, 3;\n"
                  "@!%p1 bra L;\nret;\n"),
         false},
        {PTX_BODY("L: atom.global.add.u32 %r1, [%rd1], -1;\nsetp.lt.s32 %p1, 3, %r1;\n"
                  "@%p1 bra L;\nret;\n"),
         false},
        /* Memory that others have to give back; and as much as there is. */
        {ASK("@%p1 bra L;\n"), true},
        {ASK("add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 9;\n@%p2 bra L;\n"), false},
        {ASK("@%p1 bra E;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 9;\n@%p2 bra L;\nE:\n"),
         false},
        /* Another place each time, or another value. */
        {PTX_BODY("L: add.u64 %rd1, %rd1, 4;\nld.volatile.global.u32 %r1, [%rd1];\n"
                  "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nadd.u32 %r2, %r2, 1;\n"
                  "setp.lt.u32 %p2, %r2, 9;\n@%p2 bra L;\nst.global.u32 [%rd2], %r2;\nret;\n"),
         false},
        {PTX_BODY("L: add.u32 %r3, %r3, 1;\nld.volatile.global.u32 %r1, [%rd1];\n"
                  "setp.gt.u32 %p1, %r1, %r3;\n@%p1 bra L;\nadd.u32 %r2, %r2, 1;\n"
                  "setp.lt.u32 %p2, %r2, 9;\n@%p2 bra L;\nst.global.u32 [%rd2], %r2;\nret;\n"),
         false},
        /* Of the block's own; looked at once; so often as is known; until the exchange is one's own. */
        {PTX_BODY(SHARED "L: ld.volatile.shared.u32 %r1, [s];\nsetp.eq.u32 %p1, %r1, 0;\n"
                         "@%p1 bra L;\nret;\n"),
         false},
        {PTX_BODY("ld.volatile.global.u32 %r1, [%rd1];\nst.global.u32 [%rd2], %r1;\nret;\n"),
         false},
        {PTX_BODY("mov.u32 %r2, 0;\nL: ld.volatile.global.u32 %r1, [%rd1];\n"
                  "st.global.u32 [%rd2], %r1;\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9;\n"
                  "@%p1 bra L;\nret;\n"),
         false},
        {PTX_BODY("ld.global.u32 %r1, [%rd1];\nL: mov.u32 %r2, %r1;\nadd.u32 %r3, %r2, 1;\n"
                  "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;\nsetp.ne.u32 %p1, %r1, %r2;\n"
                  "@%p1 bra L;\nret;\n"),
         false},
    };
#undef POLL
#undef ASK
    struct ptx_target gpu = cpu;
    gpu.is_cpu = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ptx_kernel kernel = translate(rows[i].text);
        if (kernel.takes_turns != rows[i].takes)
            fail_msg("row %zu: %s", i, kernel.text);
        assert_int_equal(has_argument(&kernel, PTX_ARGUMENT_TURNS), rows[i].takes);
        assert_has(&kernel, "clem_rota", rows[i].takes);
        assert_has(&kernel, "clem_turn_of(", rows[i].takes);
        assert_false(kernel.waits_for_blocks);
        ptx_kernel_free(&kernel);
        if (strstr(rows[i].text, "%envreg"))
            continue;
        kernel = translate_for(rows[i].text, &gpu);
        assert_false(kernel.takes_turns || kernel.waits_for_blocks);
        assert_has(&kernel, "clem_rota", false);
        ptx_kernel_free(&kernel);
    }
}

/* A work-item for each thread cannot be left. */
TEST_BODY(ptx_block_items_take_no_turns)
{
    struct ptx_target items = cpu;
    items.force_form = PTX_FORM_ITEM;
    struct ptx_kernel kernel =
        translate_for(PTX_BODY("L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n"
                               "@%p1 bra L;\nret;\n"),
                      &items);
    assert_false(kernel.takes_turns);
    assert_true(kernel.waits_for_blocks);
    ptx_kernel_free(&kernel);
}
