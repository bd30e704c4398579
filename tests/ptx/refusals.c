/* What has no translation: refused by name, with kernel and line, where that kernel is asked for and
 * not where another of the module is.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "tests/ptx/read.h"

/* A device that lacks nothing, and one that lacks 64-bit atomics. */
static const struct ptx_target full = {
    .has_double = true, .has_int64_atomics = true, .max_parameter_bytes = 4096, .force_form = -1};
static const struct ptx_target cpu = {.is_cpu = true,
                                      .has_double = true,
                                      .has_int64_atomics = true,
                                      .max_parameter_bytes = 4096,
                                      .force_form = -1};
static const struct ptx_target losing = {.is_cpu = true,
                                         .has_double = true,
                                         .has_int64_atomics = true,
                                         .loses_wraps = true,
                                         .max_parameter_bytes = 4096,
                                         .force_form = -1};
static const struct ptx_target old = {
    .has_double = true, .max_parameter_bytes = 4096, .force_form = -1};

/* The instruction stands in line 15, as below. */
static const struct {
    const struct ptx_target *target;
    const char *before, *body, *part;
} rows[] = {
    {&full, "", "mov.u32 %r1, %envreg3;", "line 15: mov.u32: %envreg"},
    {&cpu, "", "mov.b32 %r1, %envreg0;", "line 15: mov.b32: %envreg"},
    {&cpu, "", "shfl.sync.add.b32 %r1, %r2, 1, 31, -1; st.global.u32 [%rd1], %r1;",
     "line 15: shfl.sync.add.b32: an unknown shuffle"},
    {&full, "", "mbarrier.init.shared.b64 [%r1];", "line 15: mbarrier.init.shared.b64"},
    {&full, "", "mbarrier.init.shared.b32 [%r1], %r2;", "line 15: mbarrier.init.shared.b32"},
    {&full, "", "mbarrier.arrive.shared.b64 [%r1];", "line 15: mbarrier.arrive"},
    {&full, "", "mbarrier.arrive.parity.shared.b64 %rd1, [%r1];", "line 15: mbarrier.arrive"},
    {&full, "", "mbarrier.arrive.expect_tx.shared::cta.b64 %rd1, [%r1];", "line 15: mbarrier"},
    {&full, "", "mbarrier.init.expect_tx.shared::cta.b64 [%r1], %r2;", "line 15: mbarrier"},
    {&full, "", "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1, %r2;", "line 15: mbarrier.test"},
    {&full, "", "mbarrier.pending_count.b64 %r1, [%r2];", "line 15: mbarrier.pending_count"},
    {&full, "", "mbarrier.shared.b64 [%r1];", "line 15: mbarrier"},
    {&old, "", "mbarrier.arrive.shared.b64 _, [%r1];", "atomic operations of 64 bits"},
    {&full, "",
     "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.or.popc {%r1, %r2}, {%r3}, {%r4}, {%r5, "
     "%r6};",
     "matrix instructions"},
    {&full, "",
     "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r2}, {%r3, %r4}, {%r4}, {%r5, %r6};",
     "matrix instructions"},
    {&full, "",
     "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, "
     "%r4}, {%r1, %r2, %r3, %r4}, {%r1, %r2, %r3, %r4}, %r5, 1;",
     "matrix instructions"},
    {&full, "", "wmma.load.a.sync.aligned.row.m8n8k128.global.b1 {%r1, %r2}, [%rd1], %r9;",
     "matrix instructions"},
    {&full, "", "wmma.load.a.sync.aligned.col.m8n8k32.global.s4 {%r1}, [%rd1], %r9;",
     "matrix instructions"},
    {&full, "", "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], {%r1};", "matrix instructions"},
    {&full, "", "movmatrix.sync.aligned.m8n8.b16 %r1, %r2;", "matrix instructions"},
    {&full, "", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r5];",
     "line 15: ldmatrix"},
    {&full, "", "wgmma.fence.sync.aligned;", "matrix instructions"},
    {&full, "", "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
     "matrix instructions"},
    {&full, "", ".reg .v2 .b32 %v; mov.b64 %rd1, %v;", "line 15: mov.b64: a whole vector register"},
    {&full, ".func (.reg .v2 .u32 q) f(.reg .v2 .u32 a) { mov.v2.u32 q, a; ret; }\n",
     ".reg .v2 .u32 %v; call (%v), f, (%v);", "a vector register as a function's parameter"},
    {&full, ".func (.reg .u32 q, .reg .u32 r) f() { mov.u32 q, 1; mov.u32 r, 2; ret; }\n",
     "call (%r1, %r2), f, ();", "function f has more than one result"},
    {&full, "", "createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;", "cache policies"},
    {&full, "", "mapa.shared::cluster.u32 %r1, %r2;", "line 15: mapa"},
    {&full, "", "getctarank.shared::cluster.u32 %r1, %r2, %r3;", "line 15: getctarank"},
    {&full, "", "barrier.cluster.sync;", "line 15: barrier.cluster.sync"},
    {&full, "", "barrier.cluster.arrive 0;", "line 15: barrier.cluster.arrive"},
    {&full, "", "cp.async.bulk.commit_group 0;", "line 15: cp.async.bulk"},
    {&full, "", "cp.async.bulk.global.global.bulk_group [%rd1], [%rd2], 16;",
     "line 15: cp.async.bulk"},
    {&full, "",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2], 16;",
     "line 15: cp.async.bulk"},
    {&full, "",
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], "
     "[%rd2], 16, [%r2], %h1;",
     "line 15: cp.async.bulk"},
    {&full, "",
     "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd2, "
     "{%r3}], [%r2];",
     "line 15: cp.async.bulk.tensor"},
    {&full, "", "cvt.rn.relu.f64.f32 %fd1, %f1;", "line 15: cvt.rn.relu.f64.f32"},
    {&full, "", "cvt.rn.satfinite.f32.f64 %f1, %fd1;", "line 15: cvt.rn.satfinite.f32.f64"},
    {&full, "", "max.NaN.f64 %fd1, %fd2, %fd3;", "line 15: max.NaN.f64"},
    {&full, "", "min.xorsign.abs.f64 %fd1, %fd2, %fd3;", "line 15: min.xorsign.abs.f64"},
    {&full, "", "max.abs.f32 %f1, %f2, %f3, %f4;", "line 15: max.abs.f32"},
    {&full, "", "min.s32 %r1, %r2, %r3, %r4;", "line 15: min.s32"},
    {&full, "", "max.f16 %h1, %h2, %h3, %h4;", "line 15: max.f16"},
    {&full, "", ".reg .b128 %q; ld.global.v8.b128 {%q, %q, %q, %q, %q, %q, %q, %q}, [%rd1];",
     "line 15: ld.global.v8.b128"},
    {&full, "", "st.global.v8.f64 [%rd1], {%fd1, %fd2, %fd3, %fd4, %fd5, %fd6, %fd7, %fd1};",
     "line 15: st.global.v8.f64"},
    {&full, "", "cp.reduce.async.bulk;", "line 15: cp.reduce.async.bulk"},
    {&losing, "", "ld.param.bulk.u32 %r1;", "line 15: ld.param.bulk.u32"},
    {&losing, "", "st.bulk.global.u32 [%rd1];", "line 15: st.bulk.global.u32"},
    {&losing, "", "atom.bulk.global.u32 %r1;", "line 15: atom.bulk.global.u32"},
    {&full, "", "cp.async.mbarrier.arrive.shared.b64 %r1;", "line 15: cp.async.mbarrier"},
    {&full, "",
     "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
     "[%rd1], "
     "[%r1], 128;",
     "line 15: tensormap"},
    {&full, "", "multimem.red.relaxed.gpu.global.add.u32 [%rd1], %r1;", "line 15: multimem"},
    {&full, "", "setmaxnreg.inc.sync.aligned.u32 64;", "line 15: setmaxnreg"},
    {&full, "", "unheard.of.u32 %r1, %r2;", "line 15: unheard.of.u32"},
    {&full, "", "atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f3, %f4};",
     "line 15: atom.global.add.v2.f32: atomic "
     "operations on vectors"},
    {&full, "", "red.global.v4.f32.add [%rd1], {%f1, %f2, %f3, %f4};", "vectors"},
    {&full, "", ".reg .b128 q<3>;\natom.global.exch.b128 q1, [%rd1], q2;",
     "line 16: atom.global.exch.b128"},
    {&full, "", ".reg .b128 q<3>;\natom.global.cas.b128 q1, [%rd1], q2, q1;",
     "line 16: atom.global.cas.b128"},
    {&old, "", "atom.global.add.u64 %rd2, [%rd1], 1;", "atomic operations of 64 bits"},
    {&old, "", "atom.global.cas.b64 %rd2, [%rd1], 1, 2;", "atomic operations of 64 bits"},
    {&full, ".func f(.reg .b32 n) { call f, (n); ret; }", "call f, (%r1);",
     "function f leads back to itself and has parameters in registers"},
    {&full, "", "call other;", "line 15: call: kernel other is called as a function"},
    {&cpu, "", "call other;", "kernel other is called as a function"},
    {&cpu, ".entry other(); .func f() { call other; ret; }", "call f;",
     "kernel other is called as a function"},
    {&full, ".entry g();", "call g;", "kernel g is called as a function"},
    {&full, "", "call k;", "kernel k is called as a function"},
    {&full, ".extern .func (.param .b32 r) missing(.param .b32 a);",
     "{ .param .b32 p; .param .b32 q; call (q), missing, (p); }",
     "function missing is declared but not defined"},
    /* Kernels that launch kernels, as CUDA's compilers write it since CUDA 5 and since CUDA 12. */
    {&full, ".extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 a);",
     "{ .param .b64 p; .param .b64 q; call (q), cudaGetParameterBufferV2, (p); }",
     "cudaGetParameterBufferV2 is called with other arguments than it has"},
    {&full, ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a);",
     "{ .param .b64 p; .param .b32 q; call (q), __cudaCDP2LaunchDeviceV2, (p); }",
     "__cudaCDP2LaunchDeviceV2 is called with other arguments than it has"},
    {&full, ".extern .func (.param .b32 r) cudaDeviceSynchronize();",
     "{ .param .b32 q; call (q), cudaDeviceSynchronize; }",
     "line 15: call: cudaDeviceSynchronize in a kernel has no translation"},
    {&full, ".extern .func (.param .b32 r) __cudaCDP2DeviceGetLimit(.param .b64 a, .param .b32 b);",
     "{ .param .b64 p; .param .b32 o; .param .b32 q; call (q), __cudaCDP2DeviceGetLimit, (p, o); }",
     "__cudaCDP2DeviceGetLimit in a kernel has no translation"},
    {&full, ".extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 a);",
     "{ .param .b32 p; .param .b64 q; call (q), cudaCGGetIntrinsicHandle, (p); }",
     "cudaCGGetIntrinsicHandle in a kernel has no translation"},
    {&full, ".extern .func (.param .b32 r) cudaUnheardOf();",
     "{ .param .b32 q; call (q), cudaUnheardOf; }",
     "function cudaUnheardOf is declared but not defined"},
    {&full, ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);",
     "{ .param .b64 p; .param .b64 o; .param .b32 q; call (q), __cudaCDP2LaunchDeviceV2, (p, o); "
     "}\n"
     "$wait: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0; @%p1 bra $wait;",
     "it launches kernels, which begin when it has ended, and has loops that wait for what others "
     "do"},
};

static bool check_row(size_t row)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s\n.visible .entry other()\n{\nret;\n}\n%s",
             ".version 8.5\n.target sm_90\n.address_size 64\n", rows[row].before,
             ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .pred %p<8>; .reg .b16 "
             "%h<8>; .reg .b32 "
             "%r<16>; .reg .b64 %rd<16>; .reg .f32 %f<16>; .reg .f64 %fd<8>;\n\n\n\n");
    strncat(text, rows[row].body, sizeof text - strlen(text) - 1);
    strncat(text, "\nst.global.u64 [%rd1], %rd2;\nret;\n}\n", sizeof text - strlen(text) - 1);
    struct ptx_module *module = read_ptx(text);
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    assert_int_equal(ptx_translate(module, 0, rows[row].target, &kernel, &log), PTX_OK);
    ptx_kernel_free(&kernel);
    if (ptx_translate(module, 1, rows[row].target, &kernel, &log) != PTX_E_UNSUPPORTED || !log.text)
        fail_msg("'%s' is not refused", rows[row].body);
    const bool is_named = strstr(log.text, "kernel k") && strstr(log.text, rows[row].part);
    if (!is_named)
        printf("'%s' does not say '%s'\n", log.text, rows[row].part);
    free(log.text);
    ptx_kernel_free(&kernel);
    ptx_module_free(module);
    return is_named;
}

TEST_BODY(ptx_refusals_name_kernel_and_line)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        wrong += !check_row(i);
    assert_int_equal(wrong, 0);
}

/* Whether a kernel that launches another and has this loop is translated, or refused because it waits. */
static bool may_launch(const char *loop)
{
    char text[4096];
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    snprintf(
        text, sizeof text,
        ".version 8.5\n.target sm_90\n.address_size 64\n"
        ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 a, .param .b64 b);\n"
        ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n.reg .pred %%p<8>; .reg .b32 "
        "%%r<16>; .reg .b64 %%rd<16>;\n"
        "{ .param .b64 p; .param .b64 o; .param .b32 q;\n"
        "call (q), __cudaCDP2LaunchDeviceV2, (p, o); }\n"
        "ld.param.u64 %%rd1, [a];\nld.param.u32 %%r5, [n];\nmov.u32 %%r2, 10000;\n"
        "%s\nst.global.u32 [%%rd1], %%r2;\nret;\n}\n",
        loop);
    struct ptx_module *module = read_ptx(text);
    const enum ptx_status result = ptx_translate(module, 0, &full, &kernel, &log);
    if (result != PTX_OK)
        assert_non_null(strstr(log.text, "loops that wait for what others do"));
    free(log.text);
    ptx_kernel_free(&kernel);
    ptx_module_free(module);
    return result == PTX_OK;
}

#define LOOK "$wait: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.s32 %p1, %r1, 0;\n"

TEST_BODY(ptx_refusals_let_launching_kernels_give_up)
{
    /* One comparison for both, as compilers write `while (*flag == 0 && n-- > 0)`. */
    assert_true(may_launch(LOOK "setp.ne.s32 %p2, %r2, 0; selp.b32 %r3, -1, 0, %p1;\n"
                                "add.s32 %r4, %r2, %r3; and.pred %p3, %p2, %p1; mov.u32 %r2, %r4;\n"
                                "@%p3 bra $wait;"));
    assert_true(may_launch(LOOK "setp.gt.u32 %p2, %r2, %r5; not.pred %p4, %p1; not.pred %p5, %p2;\n"
                                "sub.s32 %r2, %r2, 3; or.pred %p3, %p5, %p4; @!%p3 bra $wait;"));
    assert_true(may_launch(LOOK
                           "@!%p1 bra $out; add.s32 %r2, %r2, 1; setp.ne.u32 %p2, 20000, %r2;\n"
                           "@%p2 bra $wait; $out:"));
}

TEST_BODY(ptx_refusals_of_launching_kernels_that_may_not_give_up)
{
    /* It passes its end; it is compared with what changes; it moves in some turns only; it is set back. */
    assert_false(may_launch(LOOK "setp.ne.s32 %p2, %r2, 1; sub.s32 %r2, %r2, 2;\n"
                                 "and.pred %p3, %p2, %p1; @%p3 bra $wait;"));
    assert_false(may_launch(LOOK "setp.gt.s32 %p2, %r2, %r1; sub.s32 %r2, %r2, 1;\n"
                                 "and.pred %p3, %p2, %p1; @%p3 bra $wait;"));
    assert_false(may_launch(LOOK "setp.gt.s32 %p2, %r2, 0; @%p1 sub.s32 %r2, %r2, 1;\n"
                                 "and.pred %p3, %p2, %p1; @%p3 bra $wait;"));
    assert_false(may_launch(LOOK "setp.gt.s32 %p2, %r2, 0; sub.s32 %r2, %r2, 1;\n"
                                 "@%p1 mov.u32 %r2, 7; and.pred %p3, %p2, %p1; @%p3 bra $wait;"));
    /* One of both is enough to stay; the way out by number is not in each turn. */
    assert_false(may_launch(LOOK "setp.gt.s32 %p2, %r2, 0; sub.s32 %r2, %r2, 1;\n"
                                 "or.pred %p3, %p2, %p1; @%p3 bra $wait;"));
    assert_false(may_launch(LOOK "sub.s32 %r2, %r2, 1; setp.eq.s32 %p2, %r1, 7; @%p2 bra $wait;\n"
                                 "setp.gt.s32 %p3, %r2, 0; @%p3 bra $wait;"));
}

TEST_BODY(ptx_refusals_of_signs_before_registers)
{
    assert_refused(PTX_BODY("add.u32 %r1, %r2, -%r3;"), "a register with a sign");
    assert_refused(PTX_BODY("mov.b64 %rd1, {%r2, -%r3};"), "a register with a sign");
    assert_refused(PTX_BODY("selp.u32 %r1, 1, 2, -%p3;"), "a register expected");
    ptx_module_free(read_ptx(PTX_BODY("vmad.s32.s32.s32 %r1, %r2, -%r3, %r4;")));
}

/* ---- Barriers of devices whose barrier() must be met by all ---- */

static void assert_resumes(const char *body, bool expected)
{
    struct ptx_module *module = read_ptx(body);
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    assert_int_equal(ptx_translate(module, 0, &full, &kernel, &log), PTX_OK);
    assert_int_equal(kernel.form, PTX_FORM_ITEM);
    assert_int_equal(strstr(kernel.text, "clem_live[") != NULL, expected);
    ptx_kernel_free(&kernel);
    ptx_module_free(module);
}

TEST_BODY(ptx_resume_is_chosen_where_barriers_are_not_met_by_all)
{
    assert_resumes(
        PTX_BODY("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 ret;\nbar.sync 0;\nret;"),
        true);
    assert_resumes(
        PTX_BODY(
            "mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 bra L;\nbar.sync 0;\nL: ret;"),
        true);
    assert_resumes(
        PTX_BODY(
            "mov.u32 %r1, %tid.x;\nL: bar.sync 0;\nsub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, "
            "0;\n@%p1 bra L;\nret;"),
        true);
    assert_resumes(
        PTX_BODY("mov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 bar.sync 0;\nret;"), true);
    assert_resumes(
        PTX_BODY(
            "ld.param.u32 %r1, [n];\nL: bar.sync 0;\nsub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, "
            "0;\n@%p1 bra L;\nret;"),
        false);
    assert_resumes(PTX_BODY("mov.u32 %r1, %tid.x;\nbar.sync 0;\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 "
                            "ret;\nst.global.u32 [%rd1], %r1;\nret;"),
                   false);
    assert_resumes(
        PTX_BODY("ld.param.u32 %r1, [n];\nsetp.gt.u32 %p1, %r1, 5;\n@%p1 ret;\nbar.sync 0;\nret;"),
        false);
}

/* ---- Where in the CUDA sources ---- */

static void assert_named(const struct ptx_target *target, const char *text, const char *words)
{
    struct ptx_module *module = read_ptx(text);
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    assert_true(ptx_translate(module, 0, target, &kernel, &log) != PTX_OK);
    assert_non_null(log.text);
    if (!strstr(log.text, words))
        fail_msg("'%s' does not say '%s'", log.text, words);
    free(log.text);
    ptx_kernel_free(&kernel);
    ptx_module_free(module);
}

#define FILES ".file 1 \"dir/k.cu\"\n.file 2 \"f.h\", 1, 2\n"

TEST_BODY(ptx_refusals_name_the_line_of_the_source)
{
    static const struct ptx_target buffers = {
        .pointers = PTX_POINTERS_BUFFERS, .max_parameter_bytes = 4096, .force_form = -1};
    assert_named(&full, PTX_BODY(".loc 1 77 5\nmov.u32 %r1, %envreg3;\nret;") FILES,
                 "kernel k, dir/k.cu:77, PTX line 13: mov.u32: %envreg");
    assert_named(&full,
                 PTX_BODY(".loc 2 3 1, function_name s, inlined_at 1 12 8\n"
                          "mov.u32 %r1, %envreg3;\nret;") FILES,
                 "kernel k, f.h:3, inlined at dir/k.cu:12, PTX line 13: mov.u32");
    /* No line, no such file, none for the instruction. */
    assert_named(&full, PTX_BODY(".loc 1 0 0\nmov.u32 %r1, %envreg3;\nret;") FILES,
                 "kernel k, line 13: mov.u32");
    assert_named(&full, PTX_BODY(".loc 7 8 0\nmov.u32 %r1, %envreg3;\nret;") FILES,
                 "kernel k, line 13: mov.u32");
    assert_named(&full, PTX_BODY("mov.u32 %r1, %envreg3;\n.loc 1 8 0\nret;") FILES,
                 "kernel k, line 12: mov.u32");
    assert_named(&buffers,
                 PTX_BODY("ld.param.u64 %rd1, [a];\n.loc 1 5 1\nld.global.u64 %rd2, [%rd1];\n"
                          ".loc 1 6 1\nld.global.u32 %r1, [%rd2];\nret;") FILES,
                 "%rd2 (dir/k.cu:5, PTX line 14: ld)");
}

/* In a function that the block form puts in the place of its call, and what is written for that. */
TEST_BODY(ptx_refusals_name_the_line_of_the_source_of_a_callee)
{
    assert_named(&cpu,
                 PTX_HEAD
                 ".func f(.param .u32 a) { .reg .u32 %r; .loc 2 3 1 bar.sync 0; .loc 2 4 1 "
                 "mov.u32 %r, %envreg3; ret; }\n"
                 ".visible .entry k() { .loc 1 9 1 call f, (1); ret; }\n" FILES,
                 "f.h:4, PTX line 4: mov.u32: %envreg");
}
