/* Tests of kernels/ptx/emit/access.c: that all accesses of a translation, in every form, are written there.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>

#include "tests/ptx/read.h"
#include "tests/ptx/scan.h"

static const struct ptx_target targets[] = {
    {.is_cpu = true, .has_thread_fence = true, .force_form = -1},
    {.is_cpu = true, .has_thread_fence = true, .force_form = PTX_FORM_BLOCK},
    {.is_cpu = true, .has_thread_fence = true, .force_form = PTX_FORM_WARP},
    {.is_cpu = true, .loses_wraps = true, .loses_turns = true, .force_form = PTX_FORM_ITEM},
    {.force_form = -1},
    {.has_nvidia_asm = true, .has_images = true, .force_form = -1},
    {.pointers = PTX_POINTERS_BUFFERS, .is_cpu = true, .force_form = -1},
    {.pointers = PTX_POINTERS_BUFFERS, .shared_is_global = true, .force_form = PTX_FORM_ITEM}};

enum { TARGETS = sizeof targets / sizeof *targets };

static struct ptx_kernel translated(const struct ptx_module *m, size_t index, size_t target,
                                    bool is_marked)
{
    struct ptx_target t = targets[target];
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    t.has_double = t.has_int64_atomics = true;
    t.max_parameter_bytes = 1024;
    t.max_private_bytes = 65536;
    t.marks_accesses = is_marked;
    ptx_translate(m, index, &t, &kernel, &log);
    free(log.text);
    return kernel;
}

/* ---- The scan itself ---- */

static const char *scanned(const char *statement, const char **why)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "static inline uint clem_pure(uint a)\n{\n    return a;\n}\n"
             "static inline uint clem_taking(__global uint *a)\n{\n    return *a;\n}\n"
             "static inline uint clem_hiding(uint a)\n{\n    asm(\"{ ld.u32 %%0, [%%1]; }\");\n}\n"
             "__kernel CLEM_WORK_GROUP void k(__global uchar *a0)\n{\n    %s\n}\n",
             statement);
    return scan_for_accesses(text, scan_start(text), false, why);
}

TEST_BODY(ptx_scan_finds_accesses_without_marks)
{
    static const char *const accesses[] = {
        "r1 = *(__global clem_u32_a *)rd1;",
        "*(__local clem_u32_a *)(clem_shared + rd1) = r1;",
        "*rd1 = 3;",
        "r1 = r2 + *p;",
        "r1 = (uint)*p;",
        "if (p1) *rd1 = 3;",
        "if (p1)\n *rd1 = 3;",
        "else\n *rd1 = 3;",
        "const uint t1 = *p;",
        "uint t1 = 0, t2 = *p;",
        "f(*p);",
        "r1 = rd1[3];",
        "(clem_shared)[r1] = 2;",
        "r1 = clem_x[3];",
        "r1 = rd1->member;",
        "atomic_add(rd1, 1u);",
        "r1 = clem_pure(*p);",
        "r1 = clem_taking(rd1);",
        "r1 = clem_hiding(3u);",
        "r1 = clem_unknown(3u);",
        "r1 = vload4(0, rd1).s0;",
        "r1 = clem_generic_load(, clem_u32_a, t1, clem_shared, clem_local);",
        "float4 t1 = tex2D(float4, t0, f1, f2);",
        "barrier(CLK_LOCAL_MEM_FENCE);",
        "clem_fence();",
        "r1 = clem_native_shfl_down(r1, r2, r3, r4, &t1);",
        "if (p1)\n goto L3;",
        "return;",
        "clem_trap(clem_runtime);",
        "asm volatile(\"bar.sync 0;\");",
        "asm(\"{ .reg .b32 x; ld.shared.u32 %0, [%1]; }\" : \"=r\"(r1) : \"r\"(r2));",
        "/*{store global 4 1 0:0*/*(__global clem_u32_a *)rd1 = /*[*/*p/*]*//*}*/;",
        "/*{warp none 0 1 0:0*/r1 = *p;/*}*/",
        "/*{branch none 0 1 0:0*/*p = 3;/*}*/",
        "/*{fence none 0 1 0:0*/barrier(0)/*}*/;",
        "/*{load global 4 1 0:0*/*p",
        "/*}*/",
    };
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; ++i) {
        const char *why;
        if (!scanned(accesses[i], &why))
            fail_msg("'%s' is taken for no access", accesses[i]);
    }
}

TEST_BODY(ptx_scan_takes_arithmetic_for_what_it_is)
{
    static const char *const others[] = {
        "__global uchar *rd3, *rd1;",
        "uint r1, r2;",
        "r1 = (uint)r2 * r3;",
        "r1 = (r2) * (uint)r3;",
        "rd1 = rd2 + (ulong)r4 * 4u;",
        "rd1 = (__global uchar *)rd2;",
        "uchar clem_exit_flag = 0, *const clem_exited = &clem_exit_flag;",
        "*clem_exited = 1;",
        "r1 = clem_pure(r2 * r3) * 2u;",
        "r1 = p1 ? r2 * r3 : r4;",
        "f1 = 1.5e-3f * f2;",
        "a_r1[clem_index] = r1 * r2;",
        "asm(\"cvt.rzi.s32.f32 %0, %1;\" : \"=r\"(t1) : \"f\"(f1));",
        "/*{store global 4 1 0:0*/*(__global clem_u32_a *)rd1 = /*[*/r1 * r2/*]*//*}*/;",
        "if (p1)\n /*{branch none 0 1 0:0*/goto L0;/*}*/",
        "goto S_1;",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        const char *why;
        if (scanned(others[i], &why))
            fail_msg("'%s' is taken for %s", others[i], why);
    }
}

/* ---- Translations ---- */

static void check_kernel(const struct ptx_module *m, size_t index, size_t target, const char *name)
{
    struct ptx_kernel kernel = translated(m, index, target, true);
    struct ptx_kernel plain = translated(m, index, target, false);
    assert_int_equal(!kernel.text, !plain.text);
    if (kernel.text) {
        char *bare = scan_without_marks(kernel.text);
        assert_string_equal(bare, plain.text);
        free(bare);
        const char *why, *at = scan_for_accesses(kernel.text, scan_start(kernel.text),
                                                 kernel.form != PTX_FORM_ITEM, &why);
        if (at)
            fail_msg("%s, kernel %zu, target %zu: %s without a mark: %.*s", name, index, target,
                     why, (int)strcspn(at, "\n"), at);
    }
    ptx_kernel_free(&kernel);
    ptx_kernel_free(&plain);
}

/* How many kernels were looked at. */
static size_t check_text(const char *text, size_t bytes, const char *name)
{
    struct ptx_module *m = NULL;
    struct ptx_log log = {0};
    size_t count = 0;
    if (ptx_module_parse(text, bytes, &m, &log) == PTX_OK)
        for (count = 0; count < ptx_module_entry_count(m); ++count)
            for (size_t i = 0; i < TARGETS; ++i)
                check_kernel(m, count, i, name);
    ptx_module_free(m);
    free(log.text);
    return count;
}

static size_t check_folder(const char *path)
{
    enum { MOST_BYTES = 1 << 20 };
    DIR *folder = opendir(path);
    char *text = malloc(MOST_BYTES);
    size_t count = 0;
    assert_non_null(folder);
    assert_non_null(text);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(name, "rb");
        if (!file)
            continue;
        const size_t bytes = fread(text, 1, MOST_BYTES, file);
        assert_true(bytes < MOST_BYTES);
        fclose(file);
        count += check_text(text, bytes, entry->d_name);
    }
    closedir(folder);
    free(text);
    return count;
}

TEST_BODY(ptx_writes_no_access_elsewhere)
{
    assert_true(check_folder(TEST_PROGRAMS) > 30);
}

TEST_BODY(ptx_writes_no_access_of_the_fuzzers_corpus_elsewhere)
{
    assert_true(check_folder(TEST_CORPUS "/ptx") > 100);
}

/* Loads and stores for which a loop stands that copies: each of the loop's is marked. */
TEST_BODY(ptx_marks_copies_in_runs)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fputs(PTX_HEAD ".visible .entry k(.param .align 8 .b8 s[512], .param .u64 a)\n{\n"
                   ".local .align 8 .b8 l[512];\n.reg .b32 %r<128>;\n.reg .b64 %d<4>;\n"
                   "ld.param.u64 %d1, [a];\ncvta.to.global.u64 %d2, %d1;\n",
          out);
    for (unsigned i = 0; i < 128; ++i)
        fprintf(out, "ld.param.u32 %%r%u, [s+%u];\n", i, 4 * i);
    for (unsigned i = 0; i < 128; ++i)
        fprintf(out, "st.local.u32 [l+%u], %%r%u;\n", 4 * i, i);
    fputs("ld.local.u32 %r1, [l+128];\nst.global.u32 [%d2], %r1;\nret;\n}\n", out);
    fclose(out);
    struct ptx_module *m = read_ptx(text);
    for (size_t i = 0; i < TARGETS; ++i) {
        struct ptx_kernel kernel = translated(m, 0, i, true);
        assert_non_null(kernel.text);
        assert_non_null(strstr(kernel.text, "/*{store local 4 "));
        const char *loop = strstr(kernel.text, "for (uint t");
        assert_non_null(loop);
        const char *load = strstr(loop, "/*{load param 4 ");
        assert_true(load && load < strstr(loop, "\n    }"));
        ptx_kernel_free(&kernel);
    }
    ptx_module_free(m);
    check_text(text, bytes, "copies");
    free(text);
}

/* ---- Every kind of instruction ---- */

/* A statement in the fourth line of a kernel, and what its access is. */
static const struct {
    const char *statement, *mark;
} rows[] = {
    {"ld.global.u32 %r1, [%rd1];", "load global 4"},
    {"ld.volatile.global.u32 %r1, [%rd1];", "load global 4"},
    {"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "load global 16"},
    {"ld.shared.u8 %r1, [%r2];", "load shared 1"},
    {"ld.u64 %rd2, [%rd3];", "load "},
    {"ld.param.u32 %r1, [n];", "load param 4"},
    {"ld.const.u16 %h1, [c];", "load global 2"},
    {"ld.local.f64 %fd1, [l];", "load local 8"},
    {"ldu.global.u32 %r1, [%rd1];", "load global 4"},
    {"st.global.v2.u32 [%rd1], {%r1, %r2};", "store global 8"},
    {"st.shared.f32 [%r2], %f1;", "store shared 4"},
    {"st.u16 [%rd3], %h1;", "store "},
    {"st.local.u32 [l], %r1;", "store local 4"},
    {"@%p1 st.global.u32 [%rd1], %r1;", "store global 4"},
    {"cp.async.ca.shared.global [%r1], [%rd1], 8;", "load global 8"},
    {"cp.async.ca.shared.global [%r1], [%rd1], 4;", "store shared 4"},
    {"cp.async.ca.shared.global [%r1], [%rd1], 16, %r2;", "copy shared 16"},
    {"atom.global.add.u32 %r1, [%rd1], %r2;", "atomic global 4"},
    {"atom.shared.cas.b64 %rd1, [%r1], %rd2, %rd3;", "atomic shared 8"},
    {"atom.add.u32 %r1, [%rd3], %r2;", "atomic "},
    {"red.global.max.s32 [%rd1], %r2;", "atomic global 4"},
    {"mbarrier.init.shared.b64 [%r1], 4;", "store shared 8"},
    {"mbarrier.arrive.shared.b64 %rd1, [%r1];", "atomic shared 8"},
    {"mbarrier.arrive_drop.expect_tx.b64 _, [%rd3], %r1;", "atomic shared 8"},
    {"mbarrier.complete_tx.shared::cta.b64 [%r1], 4;", "atomic shared 8"},
    {"mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;", "load shared 4"},
    {"mbarrier.try_wait.parity.b64 %p1, [%rd3], 1, %r2;", "load shared 4"},
    {"cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];", "atomic shared 8"},
    {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];",
     "copy shared 16"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 32, [%r3];",
     "atomic shared 8"},
    {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 48;", "copy global 16"},
    {"barrier.cluster.arrive;", "fence none 0"},
    {"barrier.cluster.wait;", "barrier none 0"},
    {"membar.gl;", "fence none 0"},
    {"fence.acq_rel.cta;", "fence none 0"},
    {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];", "texture tex 4"},
    {"tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r1}];", "texture tex 4"},
    {"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f2}];", "texture tex 4"},
    {"suld.b.2d.b32.trap %r1, [%rd1, {%r1, %r2}];", "surface tex 4"},
    {"sust.b.2d.b32.clamp [%rd1, {%r1, %r2}], %r3;", "surface tex 4"},
    {"sured.b.add.2d.u32.trap [%rd1, {%r1, %r2}], %r3;", "surface tex 4"},
    {"bar.sync 0;", "barrier none 0"},
    {"barrier.sync.aligned 1, 64;", "barrier none 0"},
    {"bar.arrive 1, 64;", "barrier none 0"},
    {"bar.red.popc.u32 %r1, 0, %p1;", "barrier none 0"},
    {"bar.warp.sync -1;", "warp none 0"},
    {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;", "warp none 0"},
    {"vote.sync.ballot.b32 %r1, %p1, -1;", "warp none 0"},
    {"match.any.sync.b32 %r1, %r2, -1;", "warp none 0"},
    {"redux.sync.add.s32 %r1, %r2, -1;", "warp none 0"},
    {"activemask.b32 %r1;", "warp none 0"},
    {"elect.sync %r1|%p1, -1;", "warp none 0"},
    {"@%p1 bra END;", "branch none 0"},
    {"brx.idx %r1, TO;", "branch none 0"},
    {"@%p1 ret;", "branch none 0"},
    {"@%p1 exit;", "branch none 0"},
    {"@%p1 trap;", "branch none 0"},
    {"call f, (%rd1);", "call none 0"},
    {"call %rd2, (%rd1), P;", "call none 0"},
    {"call (%rd2), malloc, (%rd1);", "call none 0"},
    {"alloca.u64 %rd1, %rd2;", "branch none 0"},
};

static char *text_of(const char *statement)
{
    char *text = NULL;
    if (asprintf(&text,
                 PTX_HEAD
                 ".const .u16 c; .extern .func (.param .u64 r) malloc(.param .u64 b);"
                 ".func f(.param .u64 a) { .reg .u64 %%a; ld.param.u64 %%a, [a]; ret; }\n"
                 ".visible .entry k(.param .u64 a, .param .u32 n) { .reg .pred %%p<4>; .reg .b16 "
                 "%%h<4>; .reg .b32 %%r<8>; .reg .b64 %%rd<8>; .reg .f32 %%f<8>; .reg .f64 "
                 "%%fd<2>; .local .align 8 .b8 l[8]; P: .callprototype _ (.param .u64 _); TO: "
                 ".branchtargets END, ON; mov.u32 %%r3, %%tid.x; ld.param.u64 %%rd1, [a]; "
                 "cvta.to.global.u64 %%rd1, %%rd1; cvta.local.u64 %%rd3, l; mov.u64 %%rd5, f; "
                 "setp.lt.u32 %%p1, %%r3, 7; .loc 3 77 1\n"
                 "%s .loc 1 1 1\n"
                 "ON: st.global.u32 [%%rd1], %%r1; END: ret; }\n",
                 statement) < 0)
        fail();
    return text;
}

/* Line 6 of the text: PTX_HEAD has three. */
TEST_BODY(ptx_marks_accesses_of_every_instruction)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char *text = text_of(rows[i].statement);
        struct ptx_module *m = read_ptx(text);
        size_t written = 0;
        for (size_t j = 0; j < TARGETS; ++j) {
            struct ptx_kernel kernel = translated(m, 0, j, true);
            const char *at = kernel.text;
            bool is_marked = false;
            while (at && (at = strstr(at, "/*{"))) {
                unsigned line, file, source;
                char kind[16], space[16], *mark = NULL;
                size_t bytes;
                assert_int_equal(sscanf(at, "/*{%15s %15s %zu %u %u:%u*/", kind, space, &bytes,
                                        &line, &file, &source),
                                 6);
                if (line == 6) {
                    assert_int_equal(file, 3);
                    assert_int_equal(source, 77);
                    is_marked |= strncmp(at + 3, rows[i].mark, strlen(rows[i].mark)) == 0;
                }
                free(mark);
                at += 3;
            }
            if (kernel.text && !is_marked)
                fail_msg("target %zu: '%s' has no mark '%s':\n%s", j, rows[i].statement,
                         rows[i].mark, scan_start(kernel.text));
            written += kernel.text != NULL;
            ptx_kernel_free(&kernel);
        }
        if (written == 0)
            fail_msg("'%s' is translated for no target", rows[i].statement);
        check_text(text, strlen(text), rows[i].statement);
        ptx_module_free(m);
        free(text);
    }
}

/* A function that the block form puts in the place of its call: what it does is where it says so, and what is done for the
 * call, here the value that it is given in .local, is where the call is. */
TEST_BODY(ptx_marks_accesses_of_what_is_inlined)
{
    struct ptx_module *m =
        read_ptx(PTX_HEAD ".func f(.param .align 4 .b8 a[8]) { .reg .u64 %d; .reg .u32 %r;\n"
                          ".loc 2 3 1\nld.param.u32 %r, [a+4];\ncvt.u64.u32 %d, %r;\n"
                          ".loc 2 4 1\nbar.sync 0;\n"
                          ".loc 2 5 1\nst.global.u32 [%d], %r;\nret; }\n"
                          ".visible .entry k() { .param .align 4 .b8 p[8];\n"
                          ".loc 1 8 1\nst.param.u32 [p+4], 7;\n.loc 1 9 1\ncall f, (p);\n"
                          ".loc 1 10 1\nbar.sync 0;\nret; }\n");
    struct ptx_kernel kernel = translated(m, 0, 1, true);
    assert_non_null(kernel.text);
    static const char *const marks[] = {"/*{store local 4 15 1:8*/", "/*{load local 4 6 2:3*/",
                                        "/*{barrier none 0 9 2:4*/", "/*{store global 4 11 2:5*/",
                                        "/*{barrier none 0 19 1:10*/"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i)
        if (!strstr(kernel.text, marks[i]))
            fail_msg("no %s in %s", marks[i], scan_start(kernel.text));
    ptx_kernel_free(&kernel);
    ptx_module_free(m);
}
