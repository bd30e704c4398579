/* PTX for drivers that take it as it is; printing and reading again.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>

#include "tests/ptx/read.h"

static const uint64_t addresses[PTX_BLOCKS] = {
    [PTX_BLOCK_CONSTANT] = 0x1000, [PTX_BLOCK_DEVICE] = 0x20000, [PTX_BLOCK_MANAGED] = 0x300000};

static void assert_placed(const char *text, const char *wanted)
{
    struct ptx_module *m = read_ptx(text);
    size_t bytes = 0;
    char *placed = ptx_module_place(m, addresses, &bytes);
    assert_non_null(placed);
    assert_string_equal(placed, wanted);
    assert_int_equal(bytes, strlen(wanted));
    free(placed);
    ptx_module_free(m);
}

TEST_BODY(ptx_places_variables)
{
    assert_placed(
        PTX_HEAD
        "// first\n.visible .global .align 4 .u32 x[4] = {1, 2};\n.const .u32 c = 3;\n"
        ".global .u32 y;\n.shared .b8 s[4];\n.visible .entry k() {\n"
        ".reg .u32 %r<3>; .reg .u64 %d<3>;\n"
        "mov.u64 %d1, x;\nld.global.u32 %r1, [x+4];\nld.global.u32 %r1, [y];\n"
        "ld.const.u32 %r1, [c]; ld.const.v2.u32 {%r1,%r2}, [%d1];\n"
        "cvta.global.u64 %d1, y;\ncvta.const.u64 %d1, %d2;\ncvta.to.const.u64 %d1, %d2;\n"
        "cvta.const.u64 %d1, c;\nmov.u64 %d1, x+8;\natom.global.add.u32 %r1, [ y + -4 ], 1;\n"
        "mov.u64 %d1, s;\nret;\n}\n",
        PTX_HEAD
        "// first\n\n\n"
        "\n.shared .align 4  .b8 s[4];\n.visible .entry k() {\n.reg .b64 %clem_address<8>;\n\n"
        ".reg .u32 %r<3>; .reg .u64 %d<3>;\n"
        "mov.u64 %d1, 0x20000;\nmov.u64 %clem_address0, 0x20004; ld.global.u32 %r1, "
        "[%clem_address0];\nmov.u64 %clem_address0, 0x20010; ld.global.u32 %r1, [%clem_address0];\n"
        "mov.u64 %clem_address0, 0x1000; ld.global.u32 %r1, [%clem_address0]; ld.global.v2.u32 "
        "{%r1,%r2}, [%d1];\n"
        "mov.u64 %d1, 0x20010;\ncvta.global.u64 %d1, %d2;\ncvta.to.global.u64 %d1, %d2;\n"
        "mov.u64 %d1, 0x1000;\nmov.u64 %d1, 0x20008;\nmov.u64 %clem_address0, 0x2000c; "
        "atom.global.add.u32 %r1, [ %clem_address0 ], 1;\n"
        "mov.u64 %d1, s;\nret;\n}\n");
}

TEST_BODY(ptx_places_variables_of_functions)
{
    assert_placed(
        PTX_HEAD
        ".func f() { .reg .u64 %d;\n.global .u32 x = 5; mov.u64 %d, x; mov.u64 %d, late; }\n"
        ".global .u32 late;\n",
        PTX_HEAD ".func f() { .reg .u64 %d;\n mov.u64 %d, 0x20004; mov.u64 %d, 0x20000; }\n\n");
}

/* Arrays of bytes that are read by vectors. What is no whole number of vectors, or is aligned already, stays as it is. */
TEST_BODY(ptx_places_shared_arrays_where_vectors_may_be_read)
{
    assert_placed(PTX_HEAD ".shared .align 1 .b8 s[64];\n.shared .b8 t[4][8];\n"
                           ".shared .align 4 .b8 some[20];\n.shared .align 128 .b8 far[64];\n"
                           ".shared .align 8 .u64 one;\n.shared .b8 words[100], pairs[24];\n"
                           ".visible .entry k() {\n.shared .align 1 .b8 own[4096];\nret;\n}\n",
                  PTX_HEAD
                  ".shared  .align 16  .b8 s[64];\n.shared .align 16  .b8 t[4][8];\n"
                  ".shared .align 4 .b8 some[20];\n.shared .align 128 .b8 far[64];\n"
                  ".shared .align 8 .u64 one;\n.shared .align 4  .b8 words[100], pairs[24];\n"
                  ".visible .entry k() {\n.shared  .align 16  .b8 own[4096];\nret;\n}\n");
}

TEST_BODY(ptx_places_without_debug_information)
{
    assert_placed(PTX_HEAD ".file 1 \"a.cu\"\n.visible .entry k() {\n.loc 1 2 3\nret;\n}\n"
                           ".section .debug_str { L: .b8 1 }\n",
                  PTX_HEAD "\n.visible .entry k() {\n\nret;\n}\n\n");
}

#define DYNAMIC_PARAMETER ".param .u64 .ptr .shared .align 16 clem_dynamic"
#define DYNAMIC_REGISTERS                                                                          \
    "\n.reg .b64 %clem_dynamic64;\n.reg .b32 %clem_dynamic32;\n"                                   \
    "ld.param.u64 %clem_dynamic64, [clem_dynamic];\ncvt.u32.u64 %clem_dynamic32, "                 \
    "%clem_dynamic64;\n"

TEST_BODY(ptx_places_dynamic_shared_memory)
{
    assert_placed(
        PTX_HEAD ".extern .shared .align 16 .b8 s[];\n"
                 ".visible .entry k(.param .u64 .ptr .global .align 4 out) {.loc 1 2 3\n"
                 ".reg .pred %p; .reg .u32 %r<3>; .reg .u64 %d<3>;\n"
                 "mov.u64 %d1, s;\nmov.u32 %r1, s;\nmov.b32 %r1, s+16;\nmov.u64 %d1, s+8;\n"
                 "ld.shared.u32 %r1, [s];\nst.shared.u32 [s+4], %r1;\nst.shared.u32 [s+-4], %r1;\n"
                 "@%p cvta.shared.u64 %d1, s;\n}\n"
                 ".entry none() { ret; }\n.entry bare { ret; }\n",
        PTX_HEAD "\n.visible .entry k(.param .u64  out, " DYNAMIC_PARAMETER ") {" DYNAMIC_REGISTERS
                 "\n.reg .pred %p; .reg .u32 %r<3>; .reg .u64 %d<3>;\n"
                 "mov.u64 %d1, %clem_dynamic64;\nmov.u32 %r1, %clem_dynamic32;\n"
                 "add.u32 %r1, %clem_dynamic32, 16;\nadd.u64 %d1, %clem_dynamic64, 8;\n"
                 "ld.shared.u32 %r1, [%clem_dynamic64];\n"
                 "st.shared.u32 [%clem_dynamic64+4], %r1;\n"
                 "st.shared.u32 [%clem_dynamic64+-4], %r1;\n"
                 "@%p cvta.shared.u64 %d1, %clem_dynamic64;\n}\n"
                 ".entry none(" DYNAMIC_PARAMETER ") {" DYNAMIC_REGISTERS
                 " ret; }\n.entry bare(" DYNAMIC_PARAMETER ") {" DYNAMIC_REGISTERS " ret; }\n");
}

static void assert_suits(const char *text, const char *obstacle)
{
    const char *why = "unset";
    struct ptx_module *m = read_ptx(text);
    const bool suits = ptx_module_suits_binary(m, &why);
    assert_int_equal(suits, obstacle == NULL);
    if (!obstacle)
        assert_null(why);
    else if (!strstr(why, obstacle))
        fail_msg("'%s' does not say '%s'", why, obstacle);
    ptx_module_free(m);
}

TEST_BODY(ptx_knows_what_drivers_can_run)
{
    assert_suits(PTX_BODY("ld.global.u32 %r1, [%rd1]; ret;"), NULL);
    assert_suits(PTX_HEAD ".global .texref t;\n", "references");
    assert_suits(PTX_HEAD ".global .attribute(.managed) .u32 x;\n", "managed");
    assert_suits(PTX_BODY("tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}];"), "textures");
    assert_suits(PTX_BODY("sust.b.1d.b32.trap [%rd1, {%r1}], %r2;"), "surfaces");
    assert_suits(PTX_BODY("isspacep.const %p1, %rd1;"), "constant");
    assert_suits(PTX_BODY("isspacep.shared %p1, %rd1;"), NULL);
    assert_suits(PTX_HEAD ".extern .func free(.param .b64 a);\n", "none of its own");
    assert_suits(PTX_HEAD ".func f() { }\n.global .u64 p = f;\n", "address of a function");
    assert_suits(PTX_BODY("mapa.u64 %rd1, %rd2, 0;"), "clusters");
    assert_suits(PTX_BODY("barrier.cluster.arrive;"), "clusters");
    assert_suits(PTX_BODY("mov.u32 %r1, %clusterid.x;"), NULL);
    assert_suits(PTX_BODY("mbarrier.arrive.shared::cluster.b64 _, [%r1];"), NULL);
    assert_suits(PTX_HEAD ".entry k() .reqnctapercluster 1, 1, 1 { ret; }\n", "clusters");
    assert_suits(PTX_BODY("trap;"), "may trap");
    assert_suits(PTX_BODY("mov.u32 %r1, %envreg2;"), "%envreg");
    assert_suits(PTX_BODY("mov.u32 %r1, %dynamic_smem_size;"), "how much shared memory");
    assert_suits(PTX_HEAD ".extern .shared .b8 s[];\n.entry k() { .reg .u64 %d; mov.u64 %d, s; }\n",
                 NULL);
    assert_suits(PTX_HEAD ".extern .shared .b8 s[];\n.func f() { .reg .u64 %d; mov.u64 %d, s; }\n",
                 "no kernel uses dynamic");
    assert_suits(PTX_HEAD ".extern .shared .b8 s[];\n"
                          ".entry k() { .reg .u64 %d; cvta.shared.u64 %d, s+4; }\n",
                 "address of dynamic");
}

/* ---- Printing ---- */

/* The print of a module reads as a module that prints alike. */
static void assert_round_trip(const char *text)
{
    struct ptx_module *m = read_ptx(text);
    char *first = print_ptx(m);
    ptx_module_free(m);
    m = read_ptx(first);
    char *second = print_ptx(m);
    ptx_module_free(m);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

TEST_BODY(ptx_prints_what_it_read)
{
    assert_round_trip(PTX_BODY(
        ".reg .v4 .f32 %v;\n.shared .align 8 .b8 s[64];\n{ .reg .b32 %r1; mov.u32 %r1, %ctaid.z; "
        "}\n"
        "L: ld.global.f32 %f1, [%rd1+-4];\n@!%p1 bra L;\nts: .branchtargets L, L;\nbrx.idx %r1, "
        "ts;\n"
        "setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;\nmov.f32 %f1, %v.z;\nmov.f32 %f1, 0f7F800000;\n"
        "mov.f64 %fd1, 0dFFF0000000000000;\ntex.2d.v4.f32.s32 {%f1,_,%f3,%f4}, [%rd1, {%r1,%r2}];\n"
        "vadd4.u32.u32.u32.sat %r1.b210, %r2.b7610, %r3.h1, %r4;\nret;"));
    assert_round_trip(
        PTX_HEAD
        ".visible .global .u64 p[3] = {p, generic(p)+8, 5};\n.global .b8 q[3] = {0xFF00(p), 0, "
        "7};\n"
        ".const .v2 .f32 v = {0f3F800000, 0f40000000};\n.weak .const .f64 d = 0d3FF0000000000000;\n"
        ".global .attribute(.managed) .u32 m = 1;\n.global .texref t;\n.extern .shared .b8 s[];\n"
        ".func (.reg .u32 %x) g(.reg .u32 %y) { mov.u32 %x, %y; ret; }\n"
        ".visible .entry k() .maxntid 4, 2 .minnctapersm 3 {\n.reg .u32 %r<3>; .reg .u64 %d;\n"
        "P: .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16]) .noreturn;\n"
        "C: .calltargets g;\n{ .param .b32 a; .param .b32 b; call (a), %d, (b), P; }\n"
        "call (%r1), g, (%r2);\ncall (%r1), %d, (%r2), C;\nret; }\n");
}

/* What fuzzing once kept reads without harm, and what reads prints as it reads. */
TEST_BODY(ptx_reads_the_fuzzers_corpus)
{
    DIR *folder = opendir(TEST_CORPUS "/ptx");
    assert_non_null(folder);
    unsigned files = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[1024], text[4097] = "";
        snprintf(path, sizeof path, "%s/ptx/%s", TEST_CORPUS, entry->d_name);
        FILE *file = entry->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file)
            continue;
        const size_t bytes = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        struct ptx_module *m = NULL;
        struct ptx_log log = {0};
        const enum ptx_status status = ptx_module_parse(text, bytes, &m, &log);
        assert_true(status == PTX_OK || (status == PTX_E_SYNTAX && log.text && !m));
        ptx_module_free(m);
        free(log.text);
        if (status == PTX_OK)
            assert_round_trip(text);
        ++files;
    }
    closedir(folder);
    assert_true(files > 0);
}
