/* The text of kernels in PTX_FORM_ITEM, what it is given, and what is refused.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/read.h"

static const struct ptx_target plain = {.has_double = true,
                                        .has_int64_atomics = true,
                                        .max_parameter_bytes = 4096,
                                        .force_form = PTX_FORM_ITEM};

/* That the text of a kernel contains each of the words up to a NULL, in this order. */
static void assert_text(const char *ptx, const struct ptx_target *target, const char *const *words)
{
    struct ptx_kernel kernel = translate_for(ptx, target);
    const char *at = kernel.text;
    for (; *words; words++) {
        const char *found = strstr(at, *words);
        if (!found)
            fail_msg("'%s' is not behind the others in:\n%s", *words, kernel.text);
        at = found + strlen(*words);
    }
    ptx_kernel_free(&kernel);
}

#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static void assert_without(const char *ptx, const struct ptx_target *target, const char *word)
{
    struct ptx_kernel kernel = translate_for(ptx, target);
    if (strstr(kernel.text, word))
        fail_msg("'%s' is in:\n%s", word, kernel.text);
    ptx_kernel_free(&kernel);
}

/* That translating is refused with a status, in words that contain `part`. */
static void assert_not_translated(const char *ptx, const struct ptx_target *target,
                                  enum ptx_status expected, const char *part)
{
    struct ptx_module *module = read_ptx(ptx);
    struct ptx_kernel kernel = {0};
    struct ptx_log log = {0};
    assert_int_equal(ptx_translate(module, 0, target, &kernel, &log), expected);
    assert_non_null(log.text);
    if (!strstr(log.text, part))
        fail_msg("'%s' does not say '%s'", log.text, part);
    assert_null(kernel.text);
    free(log.text);
    ptx_kernel_free(&kernel);
    ptx_module_free(module);
}

static const struct ptx_target buffers = {.pointers = PTX_POINTERS_BUFFERS, .force_form = -1};

TEST_BODY(ptx_translate_casts_a_pointer_once)
{
    const char *ptx = PTX_BODY("ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd2, %rd1;\n"
                               "mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
                               "ld.global.f32 %f1, [%rd4+8];\nst.global.f32 [%rd4+-4], %f1;");
    assert_text(ptx, &plain,
                WORDS("__global uchar *rd1", "rd1 = (__global uchar *)a0;", "rd2 = rd1;",
                      "rd4 = rd2 + rd3;", "f1 = *(__global clem_f32_a *)(rd4 + 8);",
                      "*(__global clem_f32_a *)(rd4 - 4) = f1;"));
}

TEST_BODY(ptx_translate_keeps_pointers_over_loops)
{
    const char *ptx = PTX_BODY("ld.param.u64 %rd1, [a];\ncvta.to.global.u64 %rd2, %rd1;\n"
                               "L1: st.global.u32 [%rd2], %r1;\nadd.s64 %rd2, %rd2, 4;\n"
                               "setp.ne.s64 %p1, %rd2, %rd3;\n@%p1 bra L1;");
    assert_text(ptx, &plain,
                WORDS("__global uchar *rd1, *rd2;", "L0:;", "*(__global clem_u32_a *)rd2 = r1;",
                      "rd2 = rd2 + 4l;", "goto L0;"));
}

TEST_BODY(ptx_translate_follows_loaded_numbers)
{
    const char *ptx = PTX_BODY("ld.param.u64 %rd1, [a];\nld.u64 %rd2, [%rd1];\n"
                               "ld.u32 %r1, [%rd2+4];");
    assert_text(ptx, &plain,
                WORDS("rd2 = (__global uchar *)(*(__global clem_u64_a *)rd1);",
                      "r1 = *(__global clem_u32_a *)(rd2 + 4);"));
}

TEST_BODY(ptx_translate_looks_where_addresses_may_be_shared)
{
    const char *ptx =
        PTX_BODY(".shared .align 4 .b8 s[64];\nmov.u64 %rd1, s;\ncvta.shared.u64 %rd2, %rd1;\n"
                 "ld.param.u64 %rd3, [a];\nselp.b64 %rd4, %rd2, %rd3, %p1;\nld.u32 %r1, [%rd4];\n"
                 "ld.u32 %r2, [%rd3];\nst.shared.u32 [s+8], %r1;\nld.shared.u32 %r3, [%rd1+4];");
    assert_text(ptx, &plain,
                WORDS("rd2 = clem_shared_to_generic(rd1);",
                      "clem_generic_load(, clem_u32_a, t1, clem_shared, clem_local)",
                      "r2 = *(__global clem_u32_a *)rd3;", "(clem_shared + 8ul) = r1;",
                      "(clem_shared + (rd1 + 4ul));"));
}

TEST_BODY(ptx_translate_lists_arguments)
{
    const char *ptx =
        PTX_HEAD ".global .u32 g;\n.const .u32 c;\n.extern .shared .align 16 .b8 dyn[];\n"
                 ".visible .entry k(.param .u8 a, .param .align 8 .b8 b[24], .param .f32 c0)\n{\n"
                 ".reg .b32 %r<4>;\n.shared .align 4 .b8 s[20];\nld.global.u32 %r1, [g];\n"
                 "ld.const.u32 %r2, [c];\nst.shared.u32 [s], %r1;\nst.shared.u32 [dyn], %r2;\n"
                 "mov.u32 %r3, %dynamic_smem_size;\n}\n";
    static const struct {
        enum ptx_argument_kind kind;
        size_t index, bytes;
    } expected[] = {
        {PTX_ARGUMENT_VALUE, 0, 1},
        {PTX_ARGUMENT_VALUE, 1, 24},
        {PTX_ARGUMENT_VALUE, 2, 4},
        {PTX_ARGUMENT_BLOCK, PTX_BLOCK_CONSTANT, 0},
        {PTX_ARGUMENT_BLOCK, PTX_BLOCK_DEVICE, 0},
        {PTX_ARGUMENT_SHARED, 0, 32},
        {PTX_ARGUMENT_DYNAMIC, 0, 4},
    };
    struct ptx_kernel kernel = translate_for(ptx, &plain);
    assert_string_equal(kernel.name, "kernel_k");
    assert_int_equal(kernel.form, PTX_FORM_ITEM);
    assert_int_equal(kernel.argument_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < kernel.argument_count; i++) {
        assert_int_equal(kernel.arguments[i].kind, expected[i].kind);
        assert_int_equal(kernel.arguments[i].index, expected[i].index);
        assert_int_equal(kernel.arguments[i].bytes, expected[i].bytes);
    }
    assert_non_null(strstr(kernel.text, "uchar a0,"));
    assert_non_null(strstr(kernel.text, "struct clem_bytes_24 a1,"));
    assert_non_null(strstr(kernel.text, "float a2,"));
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_translate_reads_parameters_from_a_bank)
{
    const char *ptx = PTX_HEAD ".visible .entry k(.param .u32 n, .param .align 4 .b8 a[64])\n{\n"
                               ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nmov.b64 %rd1, a;\n"
                               "cvta.param.u64 %rd2, %rd1;\nld.u32 %r1, [%rd2+4];\n"
                               "ld.param.u32 %r2, [n];\nld.param.u32 %r3, [%rd1];\n}\n";
    assert_text(ptx, &plain,
                WORDS("__global uchar *clem_bank", "rd1 = (ulong)(clem_bank + 4);",
                      "r1 = *(__global clem_u32_a *)(rd2 + 4);",
                      "r2 = *(const __global clem_u32_a *)(ulong)(clem_bank + 0);"));
    struct ptx_kernel kernel = translate_for(ptx, &plain);
    assert_int_equal(kernel.argument_count, 1);
    assert_int_equal(kernel.arguments[0].kind, PTX_ARGUMENT_BANK);
    assert_int_equal(kernel.arguments[0].bytes, 68);
    ptx_kernel_free(&kernel);
}

TEST_BODY(ptx_translate_gives_pointers_as_buffers)
{
    const char *ptx = PTX_BODY("ld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\n"
                               "cvta.to.global.u64 %rd2, %rd1;\nst.global.u32 [%rd2], %r1;");
    assert_text(ptx, &buffers, WORDS("__global uchar *a0", "rd1 = a0;", "rd2 = rd1;"));
    struct ptx_kernel kernel = translate_for(ptx, &buffers);
    assert_int_equal(kernel.arguments[0].kind, PTX_ARGUMENT_POINTER);
    assert_int_equal(kernel.arguments[1].kind, PTX_ARGUMENT_VALUE);
    ptx_kernel_free(&kernel);
    assert_not_translated(PTX_BODY("ld.param.u64 %rd1, [a];\nld.global.u64 %rd2, [%rd1];\n"
                                   "ld.global.u32 %r1, [%rd2];"),
                          &buffers, PTX_E_NEEDS_ADDRESS, "kernel k, line 14: ld.global.u32");
    assert_not_translated(PTX_BODY("ld.param.u64 %rd1, [a];\nst.global.u64 [%rd1], %rd1;"),
                          &buffers, PTX_E_NEEDS_ADDRESS,
                          "stores %rd1 (line 12: ld of a), an address");
}

/* As clang reads structures: by way of a register that holds their address. */
TEST_BODY(ptx_translate_reads_structures_by_name)
{
    const char *ptx = PTX_HEAD
        ".visible .entry k(.param .align 8 .b8 a[32])\n{\n.reg .b32 %r<4>;\n.reg .b64 %rd<9>;\n"
        "mov.b64 %rd1, a;\nmov.u64 %rd2, %rd1;\nadd.s64 %rd3, %rd2, 8;\n"
        "ld.param.u32 %r1, [%rd2];\nld.param.u64 %rd4, [%rd3];\n"
        "ld.param.v2.u64 {%rd5, %rd6}, [a+16];\n"
        "st.global.u32 [%rd4], %r1;\nst.global.u64 [%rd5], %rd6;\n}\n";
    struct ptx_kernel kernel = translate_for(ptx, &plain);
    assert_int_equal(kernel.argument_count, 1);
    assert_int_equal(kernel.arguments[0].kind, PTX_ARGUMENT_VALUE);
    ptx_kernel_free(&kernel);
    assert_text(ptx, &buffers,
                WORDS("__global uchar *a0_at_8", "__global uchar *a0_at_16", "rd4 = a0_at_8;",
                      "rd5 = a0_at_16;"));
    kernel = translate_for(ptx, &buffers);
    assert_int_equal(kernel.argument_count, 3);
    assert_int_equal(kernel.arguments[0].kind, PTX_ARGUMENT_VALUE);
    assert_int_equal(kernel.arguments[1].kind, PTX_ARGUMENT_POINTER);
    assert_int_equal(kernel.arguments[1].index, 0);
    assert_int_equal(kernel.arguments[1].offset, 8);
    assert_int_equal(kernel.arguments[2].offset, 16);
    ptx_kernel_free(&kernel);
    /* At a place that only the kernel knows. */
    assert_not_translated(PTX_HEAD
                          ".visible .entry k(.param .align 8 .b8 a[32], .param .u64 n)\n{\n"
                          ".reg .b64 %rd<9>;\nmov.b64 %rd1, a;\nld.param.u64 %rd2, [n];\n"
                          "add.s64 %rd3, %rd1, %rd2;\nld.param.u64 %rd4, [%rd3];\n"
                          "st.global.u64 [%rd4], %rd2;\n}\n",
                          &buffers, PTX_E_NEEDS_ADDRESS, "a parameter at an unknown place");
}

TEST_BODY(ptx_translate_refuses_the_heap_where_pointers_are_buffers)
{
    const char *take =
        PTX_HEAD ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
                 ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [a];\n"
                 "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 8;\n"
                 "call.uni (r), malloc, (n);\nld.param.b64 %rd2, [r];\n}\n"
                 "st.global.u64 [%rd1], %rd2;\n}\n";
    const char *give =
        PTX_HEAD ".extern .func free(.param .b64 p);\n"
                 ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [a];\n"
                 "ld.global.u64 %rd2, [%rd1];\n{\n.param .b64 p;\nst.param.b64 [p], %rd2;\n"
                 "call.uni free, (p);\n}\n}\n";
    assert_not_translated(take, &buffers, PTX_E_NEEDS_ADDRESS, "malloc speaks of memory");
    assert_not_translated(give, &buffers, PTX_E_NEEDS_ADDRESS, "free speaks of memory");
}

#define PTX_SET_CONDITION(parameters, arguments)                                                   \
    PTX_HEAD                                                                                       \
    ".extern .func cudaGraphSetConditional(" parameters ");\n"                                     \
    ".visible .entry k(.param .u64 h, .param .u32 v)\n{\n"                                         \
    ".reg .b64 %rd<2>; .reg .b32 %r<2>;\n"                                                         \
    "ld.param.u64 %rd1, [h];\nld.param.u32 %r1, [v];\n{\n.param .b64 p;\n.param .b32 q;\n"         \
    "st.param.b64 [p], %rd1;\nst.param.b32 [q], %r1;\n"                                            \
    "call.uni cudaGraphSetConditional, (" arguments ");\n}\n}\n"

TEST_BODY(ptx_translate_sets_conditions_of_graphs)
{
    const char *set = PTX_SET_CONDITION(".param .b64 p, .param .b32 q", "p, q");
    assert_text(set, &plain,
                WORDS("__global uint *clem_conditions", "clem_set_conditional(clem_conditions, "));
    assert_text(set, &buffers, WORDS("clem_set_conditional(clem_conditions, "));
    assert_not_translated(PTX_SET_CONDITION(".param .b64 p", "p"), &plain, PTX_E_UNSUPPORTED,
                          "cudaGraphSetConditional is called with other arguments");
}

#define PTX_STORE_BY_FUNCTION(before)                                                              \
    PTX_HEAD ".func f(.param .b64 p)\n{\n.reg .b64 %rd<2>;\nld.param.u64 %rd1, [p];\n"             \
             "st.u32 [%rd1], 5;\nret;\n}\n"                                                        \
             ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [a];\n"   \
             "ld.param.u64 %rd2, [a];\n" before "{\n.param .b64 q;\nst.param.b64 [q], %rd2;\n"     \
             "call.uni f, (q);\n}\n}\n"

TEST_BODY(ptx_translate_hands_only_pointers_to_functions_that_follow_them)
{
    assert_text(PTX_STORE_BY_FUNCTION(""), &buffers, WORDS("__global uchar *a0", "rd2 = a0;"));
    assert_not_translated(PTX_STORE_BY_FUNCTION("ld.global.u64 %rd2, [%rd1];\n"), &buffers,
                          PTX_E_NEEDS_ADDRESS, "hands %rd2");
    assert_text(PTX_STORE_BY_FUNCTION("ld.global.u64 %rd2, [%rd1];\n"), &plain, WORDS("f1_f("));
}

/* Generic addresses that may be of shared memory: made by the kernel, and found in memory. */
TEST_BODY(ptx_translate_follows_generic_addresses_of_its_own_making)
{
#define PTX_CHOOSE(second)                                                                         \
    PTX_HEAD ".visible .entry k(.param .u64 a)\n{\n.reg .pred %p<2>;\n.reg .b64 %rd<6>;\n"         \
             ".shared .align 4 .b8 s[64];\nld.param.u64 %rd1, [a];\nmov.u64 %rd2, s;\n"            \
             "cvta.shared.u64 %rd3, %rd2;\n" second "selp.b64 %rd5, %rd3, %rd4, %p1;\n"            \
             "st.u32 [%rd5+4], 7;\n}\n"
    assert_text(PTX_CHOOSE("add.s64 %rd4, %rd3, 16;\n"), &buffers, WORDS("clem_generic_store("));
    assert_not_translated(PTX_CHOOSE("ld.global.u64 %rd4, [%rd1];\n"), &buffers,
                          PTX_E_NEEDS_ADDRESS, "it follows %rd5");
    assert_text(PTX_CHOOSE("ld.global.u64 %rd4, [%rd1];\n"), &plain, WORDS("clem_generic_store("));
#undef PTX_CHOOSE
}

TEST_BODY(ptx_translate_writes_guards)
{
    const char *ptx = PTX_BODY("@%p1 mov.u32 %r1, 5;\n@!%p2 exit;\n"
                               "@%p1 mov.b64 {%r1, %r2}, %rd1;");
    assert_text(ptx, &plain,
                WORDS("if (p1)\n", "r1 = 5u;", "if (!p2)\n", "return;", "if (p1) {\n",
                      "r2 = (uint)(t1 >> 32);", "}"));
}

TEST_BODY(ptx_translate_writes_constants)
{
    const char *ptx = PTX_BODY("mov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 0f7FC00000;\n"
                               "mov.f32 %f3, 0fBDCCCCCD;\nmov.f64 %fd1, 0d3FB999999999999A;\n"
                               "mov.u32 %r1, -1;\nmov.u64 %rd1, 0x8000000000000000;\n"
                               "st.global.f32 [%rd1], %f1;");
    assert_text(ptx, &plain,
                WORDS("f1 = 1.0f;", "f2 = as_float(0x7fc00000u);", "f3 = (-0.100000001f);",
                      "fd1 = 0.10000000000000001;", "r1 = 4294967295u;", "9223372036854775808ul"));
}

TEST_BODY(ptx_translate_turns_words_with_floats_into_floats)
{
    const char *ptx = PTX_BODY(
        "ld.param.u64 %rd1, [a];\nld.global.b32 %r1, [%rd1];\nfma.rn.f32 %r2, %r1, %r1, %r1;\n"
        "st.global.b32 [%rd1], %r2;\nadd.s32 %r3, %r3, 1;");
    assert_text(
        ptx, &plain,
        WORDS("float r1, r2;", "r1 = as_float((*(__global clem_u32_a *)rd1));", "= as_uint(r2);"));
}

TEST_BODY(ptx_translate_loads_vectors)
{
    const char *ptx =
        PTX_BODY("ld.param.u64 %rd1, [a];\nld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];\n"
                 "st.global.v2.u64 [%rd1+16], {%rd2, %rd3};\n"
                 "ld.global.nc.v8.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1+32];\n"
                 "ld.volatile.global.s16 %r1, [%rd1];\nld.global.v2.s8 {%h1, %h2}, [%rd1];");
    assert_text(ptx, &plain,
                WORDS("const float4 t1 = *(__global clem_f32x4_a *)rd1;", "f4 = t1.s3;",
                      "*(__global clem_u64x2_a *)(rd1 + 16) = (ulong2)(rd2, rd3);", "const float8",
                      "f8 = t2.s7;", "= (short)(*(volatile __global clem_s16_a *)rd1);",
                      "h2 = (char)((char)t3.s1);"));
}

TEST_BODY(ptx_translate_calls_functions)
{
    const char *ptx = PTX_HEAD
        ".func (.param .b32 r) f(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];\n"
        "add.u32 %r2, %r1, 1;\nst.param.b32 [r], %r2;\nret;\n}\n"
        ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n"
        "ld.param.u64 %rd1, [a];\n{\n.param .b32 p;\nst.param.b32 [p], 5;\n.param .b32 q;\n"
        "call.uni (q), f, (p);\nld.param.b32 %r1, [q];\n}\nst.global.u32 [%rd1], %r1;\n}\n";
    assert_text(ptx, &plain,
                WORDS("static uint f1_f(CLEM_CONTEXT_AND uint a0);", "q0 = r2;", "return q0;",
                      "kernel_k(", "s0 = 5u;", "s1 = f1_f(CLEM_PASS_AND s0);", "r1 = s1;"));
}

/* Of a value that is read behind the call, the place in the frame; a way back for each call; a failure where frames are full. */
TEST_BODY(ptx_translate_keeps_values_in_frames)
{
    const char *ptx = PTX_HEAD
        ".func g(.param .b32 n);\n"
        ".func (.param .b32 q) f(.param .b32 n)\n{\n.reg .b32 %r<4>;\n.reg .pred %p<2>;\n"
        ".local .align 8 .b8 own[24];\nld.param.u32 %r1, [n];\nst.local.u32 [own+8], %r1;\n"
        "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra end;\n"
        "{\n.param .b32 a;\nst.param.b32 [a], %r1;\ncall g, (a);\n}\n"
        "end:\nld.local.u32 %r2, [own+8];\nadd.u32 %r2, %r2, %r1;\n"
        "st.param.b32 [q], %r2;\nret;\n}\n"
        ".func g(.param .b32 n)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [n];\n"
        "{\n.param .b32 a;\nst.param.b32 [a], %r1;\n.param .b32 b;\n"
        "call (b), f, (a);\n}\nret;\n}\n"
        ".visible .entry k()\n{\n{\n.param .b32 a;\nst.param.b32 [a], 3;\ncall g, (a);\n}\n"
        "ret;\n}\n";
    assert_text(ptx, &plain,
                WORDS("uchar clem_local_memory[8192]", "vend_", " + 8192ul",
                      "clem_trap(clem_runtime)", "(clem_local + vtop_", "switch (vback_"));
    assert_text(ptx, &buffers, WORDS("(clem_local + vtop_", "switch (vback_"));
}

#define PTX_LAUNCH                                                                                 \
    PTX_HEAD ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, "        \
             ".param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);\n"             \
             ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2_ptsz(.param .b64 p, "         \
             ".param .b64 s);\n"                                                                   \
             ".visible .entry k(.param .u64 a)\n{\n.reg .b64 %rd<4>;\n"                            \
             "{\n.param .b64 f;\n.param .align 4 .b8 g[12];\n.param .align 4 .b8 b[12];\n"         \
             ".param .b32 s;\n.param .b64 r;\nmov.u64 %rd1, k;\nst.param.b64 [f], %rd1;\n"         \
             "st.param.b32 [g], 1;\nst.param.b32 [s], 0;\n"                                        \
             "call (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\n"                           \
             "ld.param.b64 %rd2, [r];\n}\n{\n.param .b64 p;\n.param .b64 s;\n.param .b32 r;\n"     \
             "st.param.b64 [p], %rd2;\nst.param.b64 [s], 3;\n"                                     \
             "call (r), __cudaCDP2LaunchDeviceV2_ptsz, (p, s);\n}\nret;\n}\n"

TEST_BODY(ptx_translate_launches_kernels)
{
    assert_text(PTX_LAUNCH, &plain,
                WORDS("__global struct clem_launches *clem_launches",
                      "clem_launch_room(clem_launches, s0, clem_launch_dim3(s1), "
                      "clem_launch_dim3(s2), s3, (ulong2)(",
                      "clem_launch_begin(clem_launches, s"));
    assert_not_translated(PTX_LAUNCH, &buffers, PTX_E_NEEDS_ADDRESS,
                          "__cudaCDP2GetParameterBufferV2 speaks of memory by its address");
}

/* Fills a name whose last letter is the given one. */
static void fill_name(char *name, size_t length, char last)
{
    memset(name, 'n', length);
    name[length - 1] = last;
    name[length] = '\0';
}

/* A kernel named so calls a function named so; copies the kernel's name in the translation. */
static void translate_named(const char *entry, const char *function, char *name, size_t bytes)
{
    static char text[20000];
    snprintf(text, sizeof text,
             PTX_HEAD ".func %s() { trap; ret; }\n"
                      ".visible .entry %s() { call %s; ret; }\n",
             function, entry, function);
    struct ptx_kernel kernel = translate_for(text, &plain);
    snprintf(name, bytes, "%s", kernel.name);
    assert_non_null(strstr(kernel.text, name));
    for (const char *at = kernel.text; *at; at += strspn(at, "n")) {
        at += strcspn(at, "n");
        assert_true(strspn(at, "n") <= PTX_LONGEST_NAME);
    }
    ptx_kernel_free(&kernel);
}

/* Drivers name files after kernels. Names that differ only at their ends stay different. */
TEST_BODY(ptx_translate_shortens_long_names)
{
    static char entry[5000], other[5000];
    char first[200], second[200];
    fill_name(entry, 57, 'x');
    translate_named(entry, "brief", first, sizeof first);
    assert_string_equal(first + strlen("kernel_"), entry);
    fill_name(entry, 58, 'x');
    translate_named(entry, "brief", first, sizeof first);
    assert_int_equal(strlen(first), PTX_LONGEST_NAME);
    assert_memory_equal(first, "kernel_nnnnnnnn", 15);
    fill_name(entry, 4900, 'x');
    fill_name(other, 4900, 'y');
    translate_named(entry, other, first, sizeof first);
    translate_named(other, entry, second, sizeof second);
    assert_int_equal(strlen(first), PTX_LONGEST_NAME);
    assert_string_not_equal(first, second);
}

TEST_BODY(ptx_translate_refuses_by_name_and_line)
{
    assert_not_translated(PTX_BODY("mov.u32 %r1, %envreg3;"), &plain, PTX_E_UNSUPPORTED,
                          "kernel k, line 12: mov.u32: %envreg");
    assert_not_translated(PTX_BODY("mbarrier.init.shared.b64 [%rd1];"), &plain, PTX_E_UNSUPPORTED,
                          "line 12: mbarrier.init.shared.b64");
    assert_not_translated(PTX_HEAD ".entry k() .reqnctapercluster 1, 2 { ret; }\n", &plain,
                          PTX_E_UNSUPPORTED, "kernel k: clusters of several blocks");
    assert_not_translated(PTX_BODY("bar.sync 1, 64;"), &plain, PTX_E_UNSUPPORTED, "line 12");
    assert_not_translated(PTX_BODY("atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f3, %f4};"),
                          &plain, PTX_E_UNSUPPORTED, "vectors");
}

TEST_BODY(ptx_translate_uses_inline_asm_only_where_it_is_ptx)
{
    const char *ptx = PTX_BODY("shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;\nbar.sync 1, 64;\n"
                               "vote.sync.ballot.b32 %r3, !%p1, -1;\nmov.u64 %rd1, %clock64;\n"
                               "st.global.u64 [%rd2], %rd1;");
    struct ptx_target nvidia = plain;
    nvidia.has_nvidia_asm = true;
    assert_text(ptx, &nvidia,
                WORDS("shfl.sync.", "clem_native_shfl_down(r2, 16u, 31u, 4294967295u, &t1);",
                      "p1 = (uchar)(t1 != 0u);", "clem_native_bar_sync_count(1u, 64u);",
                      "clem_native_vote_ballot(!p1, 4294967295u)", "clem_native_clock64()"));
    assert_without(PTX_BODY("bar.sync 0;\nmov.u64 %rd1, %clock64;"), &plain, "asm");
}

/* What decides who is at a warp operation is hidden from compilers that would copy it; a loop without
 * one stays as they like it, be it between warp operations or within a loop that has one. */
TEST_BODY(ptx_translate_hides_conditions_around_warp_operations)
{
    const char *ptx = PTX_BODY(
        "setp.lt.u32 %p1, %r1, %r2;\nFIRST:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, %r2;\n"
        "@%p1 bra FIRST;\nOUTER:\nsetp.lt.u32 %p2, %r1, %r2;\n@!%p2 bra DONE;\n"
        "INNER:\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p3, %r3, %r2;\n@%p3 bra INNER;\n"
        "activemask.b32 %r4;\n@%p4 bra OUTER;\n@%p5 st.global.u32 [%rd1], %r4;\nbra OUTER;\n"
        "DONE:\n@%p6 st.global.u32 [%rd1], %r4;\nLAST:\n@%p7 bra LAST;");
    struct ptx_target nvidia = plain;
    nvidia.has_nvidia_asm = true;
    assert_text(ptx, &nvidia,
                WORDS("if (p1)", "if (!clem_native_opaque(p2))", "if (p3)",
                      "if (clem_native_opaque(p4))", "if (clem_native_opaque(p5))",
                      "if (clem_native_opaque(p6))", "if (p7)"));
    assert_without(PTX_BODY("@%p1 st.global.u32 [%rd1], %r4;"), &nvidia, "opaque");
}

/* Loads that may wait for another thread are volatile; fences are OpenCL C's, or C's where those may be nothing. */
TEST_BODY(ptx_translate_orders_memory)
{
    const char *ptx = PTX_BODY(
        "ld.param.u64 %rd1, [a];\nld.global.cg.u32 %r1, [%rd1];\nld.relaxed.gpu.global.u32 %r2, "
        "[%rd1];\nst.release.gpu.global.u32 [%rd1], %r1;\nld.acquire.sys.global.u32 %r3, [%rd1];\n"
        "st.global.wt.u32 [%rd1], %r2;\nmembar.gl;\nfence.acq_rel.cta;\nld.global.ca.u32 %r4, "
        "[%rd1];\nbar.sync 0;");
    const char *const words[] = {"r1 = *(volatile __global clem_u32_a *)rd1;",
                                 "r2 = *(volatile __global clem_u32_a *)rd1;",
                                 "clem_fence_acq_rel();",
                                 "*(volatile __global clem_u32_a *)rd1 = r1;",
                                 "r3 = *(volatile __global clem_u32_a *)rd1;",
                                 "clem_fence_acq_rel();",
                                 "*(volatile __global clem_u32_a *)rd1 = r2;",
                                 "clem_fence();",
                                 "clem_fence_acq_rel();",
                                 "r4 = *(__global clem_u32_a *)rd1;",
                                 NULL};
    struct ptx_target fenced = plain;
    fenced.has_thread_fence = true;
    assert_text(ptx, &plain, WORDS("#define CLEM_FENCE(flags, order) mem_fence(flags)"));
    assert_text(ptx, &plain, words);
    assert_without(ptx, &plain, "__atomic_");
    assert_text(ptx, &fenced,
                WORDS("#define CLEM_FENCE(flags, order) __atomic_thread_fence(order)"));
    assert_text(ptx, &fenced, words);
    assert_text(ptx, &fenced,
                WORDS("clem_fence_compiler();", "barrier(CLK_", "clem_fence_compiler();"));
}

/* Where the device's compiler goes wrong with them: operands whose steps may get lost, of instructions that addresses
 * depend on, and no others. */
TEST_BODY(ptx_translate_hides_indices)
{
#define PTX_INDEX(middle, index)                                                                   \
    PTX_BODY("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\n" middle "mul.wide.u32 %rd2, " index  \
             ", 4;\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r9, [%rd3];\n"                       \
             "st.global.u32 [%rd1], %r9;")
    struct ptx_target strided = plain, all = plain, turns = plain;
    strided.loses_wraps = all.loses_wraps = all.loses_all_wraps = turns.loses_turns = true;
    const char *wraps = PTX_INDEX("mul.lo.u32 %r2, %r1, 3;\nand.b32 %r3, %r2, 63;\n", "%r3");
    const char *lanes = PTX_INDEX("and.b32 %r3, %r1, 31;\n", "%r3");
    const char *clamps = PTX_INDEX("min.u32 %r3, %r1, 46;\n", "%r3");
    const char *counts =
        PTX_INDEX("mov.u32 %r2, 0;\nLOOP:\nand.b32 %r3, %r2, 63;\nadd.u32 %r2, %r2, 4;\n"
                  "setp.lt.u32 %p1, %r2, %r8;\n@%p1 bra LOOP;\n",
                  "%r3");
    assert_text(wraps, &strided, WORDS("uint clem_zero", "r3 = (r2 | clem_zero) & 63u;"));
    assert_text(counts, &strided, WORDS("r3 = (r2 | clem_zero) & 63u;"));
    assert_text(lanes, &all, WORDS("r3 = (r1 | clem_zero) & 31u;"));
    assert_text(clamps, &turns, WORDS("min((r1 | clem_zero), 46u)"));
    assert_without(wraps, &plain, "clem_zero");
    assert_without(wraps, &turns, "clem_zero");
    assert_without(lanes, &strided, "clem_zero");
    assert_without(clamps, &strided, "clem_zero");
    assert_without(PTX_INDEX("ld.global.u32 %r2, [%rd1];\nand.b32 %r3, %r2, 63;\n", "%r3"),
                   &strided, "clem_zero");
    assert_without(PTX_INDEX("mul.lo.u32 %r2, %r1, 3;\nand.b32 %r3, %r2, 63;\n", "%r1"), &strided,
                   "clem_zero");
    struct ptx_target block = strided;
    block.force_form = PTX_FORM_BLOCK;
    assert_text(wraps, &block,
                WORDS("const uint clem_zero = clem_grid.s7;", "| clem_zero) & 63u;"));
#undef PTX_INDEX
}

/* That a translation depends on these facts, and is the same where all others are otherwise. */
static void assert_facts(const char *ptx, enum ptx_form form, unsigned facts)
{
    struct ptx_target assumed = plain;
    assumed.force_form = (int)form;
    assumed.has_exact_divide = assumed.has_thread_fence = true;
    assumed.loses_wraps = assumed.loses_all_wraps = assumed.loses_turns = true;
    struct ptx_target other = assumed;
    other.has_int64_atomics = (facts & PTX_FACT_INT64_ATOMICS) != 0;
    other.has_exact_divide = (facts & PTX_FACT_EXACT_DIVIDE) != 0;
    other.has_thread_fence = (facts & PTX_FACT_THREAD_FENCE) != 0;
    other.loses_wraps = other.loses_all_wraps = other.loses_turns = (facts & PTX_FACT_INDICES) != 0;
    struct ptx_kernel first = translate_for(ptx, &assumed), second = translate_for(ptx, &other);
    assert_int_equal(first.facts, facts);
    assert_string_equal(first.text, second.text);
    ptx_kernel_free(&first);
    ptx_kernel_free(&second);
}

TEST_BODY(ptx_translate_says_which_facts_it_depends_on)
{
    const char *add = PTX_BODY("ld.param.u64 %rd1, [a];\nadd.f32 %f1, %f2, %f3;\ndiv.full.f32 %f4, "
                               "%f1, %f2;\nst.global.f32 [%rd1], %f4;"),
               *divide = PTX_BODY("ld.param.u64 %rd1, [a];\ndiv.rn.f32 %f1, %f2, %f3;\n"
                                  "st.global.f32 [%rd1], %f1;"),
               *atomic = PTX_BODY("ld.param.u64 %rd1, [a];\natom.global.add.u64 %rd2, [%rd1], 1;"),
               *fence = PTX_BODY("membar.gl;"), *barrier = PTX_BODY("bar.sync 0;"),
               *index =
                   PTX_BODY("ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, "
                            "3;\nand.b32 %r3, %r2, 63;\nmul.wide.u32 %rd2, %r3, 4;\n"
                            "add.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;");
    for (int form = PTX_FORM_ITEM; form <= PTX_FORM_BLOCK; form++) {
        assert_facts(add, (enum ptx_form)form, 0);
        assert_facts(divide, (enum ptx_form)form, PTX_FACT_EXACT_DIVIDE);
        assert_facts(atomic, (enum ptx_form)form, PTX_FACT_INT64_ATOMICS);
        assert_facts(fence, (enum ptx_form)form, PTX_FACT_THREAD_FENCE);
        assert_facts(index, (enum ptx_form)form, PTX_FACT_INDICES);
    }
    assert_facts(barrier, PTX_FORM_ITEM, PTX_FACT_THREAD_FENCE);
}

TEST_BODY(ptx_translate_writes_atomics)
{
    const char *ptx =
        PTX_BODY("ld.param.u64 %rd1, [a];\natom.global.add.u32 %r1, [%rd1], 1;\nred.shared.max.s32 "
                 "[%r2], -3;\n"
                 "atom.global.cas.b64 %rd2, [%rd1], 1, 2;\natom.global.add.f32 %f1, [%rd1], %f2;\n"
                 "atom.acq_rel.gpu.global.exch.b32 %r3, [%rd1], 7;");
    assert_text(ptx, &plain,
                WORDS("cl_khr_int64_base_atomics",
                      "r1 = atomic_add((volatile __global uint *)rd1, 1u);",
                      "atomic_max((volatile __local int *)(clem_shared + r2), (-3));",
                      "rd2 = atom_cmpxchg((volatile __global ulong *)rd1, 1ul, 2ul);",
                      "f1 = clem_atomic_add_f32_global(", "clem_fence_acq_rel();", "atomic_xchg",
                      "clem_fence_acq_rel();"));
    struct ptx_target old = plain;
    old.has_int64_atomics = false;
    assert_not_translated(PTX_BODY("atom.global.add.u64 %rd2, [%rd1], 1;"), &old, PTX_E_UNSUPPORTED,
                          "64 bits");
    assert_text(PTX_BODY("ld.param.u64 %rd1, [a];\nred.global.add.u64 [%rd1], 1;"), &old,
                WORDS("clem_atomic_sum_64_global((volatile __global uint *)rd1, 1ul);"));
}

TEST_BODY(ptx_translate_uses_native_atomics)
{
    struct ptx_target nvidia = plain, old = plain;
    nvidia.has_nvidia_asm = true;
    old.has_int64_atomics = false;
    assert_text(PTX_BODY("ld.param.u64 %rd1, [a];\natom.global.add.f32 %f1, [%rd1], %f2;\n"
                         "red.shared.add.f64 [%r2], %fd1;\natom.shared.inc.u32 %r3, [%r2], 5;\n"
                         "mov.u32 %r4, %smid;\nst.global.u32 [%rd1], %r4;"),
                &nvidia,
                WORDS("atom.shared.add.f64", "clem_native_add_f32_global(",
                      "clem_native_add_f64_shared(", "clem_native_inc_shared(",
                      "r4 = clem_native_smid();"));
    assert_text(PTX_BODY("ld.param.u64 %rd1, [a];\nred.global.and.b64 [%rd1], %rd2;\n"
                         "red.shared.or.b64 [%r2], 1;\natom.global.xor.b64 _, [%rd1], 2;"),
                &old,
                WORDS("clem_atomic_and_64_global((volatile __global uint *)rd1, rd2);",
                      "clem_atomic_or_64_shared(", "clem_atomic_xor_64_global("));
    assert_not_translated(PTX_BODY("red.global.max.u64 [%rd1], 1;"), &old, PTX_E_UNSUPPORTED,
                          "64 bits");
    assert_not_translated(PTX_BODY("atom.global.or.b64 %rd2, [%rd1], 1;"), &old, PTX_E_UNSUPPORTED,
                          "64 bits");
}

TEST_BODY(ptx_translate_links_only_what_is_used)
{
    assert_without(PTX_BODY("st.global.u32 [%rd1], %r1;"), &plain, "clem_atomic");
    assert_without(PTX_BODY("st.global.u32 [%rd1], %r1;"), &plain, "cl_khr_fp64");
    assert_text(PTX_BODY("st.global.f64 [%rd1], %fd1;"), &plain,
                WORDS("cl_khr_fp64", "typedef double clem_f64_a", "(__global clem_f64_a *)"));
}

TEST_BODY(ptx_translate_gives_the_same_text_again)
{
    const char *ptx = PTX_BODY(".local .align 8 .b8 l[16];\nmov.u64 %rd1, l;\n"
                               "cvta.local.u64 %rd2, %rd1;\nst.u32 [%rd2], %r1;\n"
                               "atom.add.u32 %r2, [%rd3], 1;\ncos.approx.f32 %f1, %f2;\n"
                               "cvt.rn.f16.f32 %h1, %f1;");
    struct ptx_kernel first = translate_for(ptx, &plain);
    struct ptx_kernel second = translate_for(ptx, &plain);
    assert_string_equal(first.text, second.text);
    ptx_kernel_free(&first);
    ptx_kernel_free(&second);
}

TEST_BODY(ptx_translate_copies_asynchronously_at_once)
{
    const char *ptx =
        PTX_BODY("ld.param.u64 %rd1, [a];\ncp.async.cg.shared.global [%r1], [%rd1], 16;\n"
                 "cp.async.ca.shared.global [%r1+16], [%rd1+16], 4, %r2;\n"
                 "cp.async.commit_group;\ncp.async.wait_group 0;");
    assert_text(ptx, &plain,
                WORDS("*(__local clem_u32x4_a *)(clem_shared + r1) = "
                      "*(const __global clem_u32x4_a *)rd1;",
                      "clem_copy_async((__local uchar *)(clem_shared + (r1 + 16u)), "
                      "(const __global uchar *)(rd1 + 16), 4u, r2);"));
}

TEST_BODY(ptx_translate_supplies_math)
{
    const char *ptx =
        PTX_HEAD ".extern .func (.param .b32 r) __clem_powf(.param .b32 x, .param .b32 y);\n"
                 ".visible .entry k(.param .u64 a)\n{\n.reg .f32 %f<3>;\n.reg .b64 %rd<3>;\n"
                 "ld.param.u64 %rd1, [a];\n{\n.param .b32 p;\n.param .b32 q;\n.param .b32 r;\n"
                 "st.param.f32 [p], %f1;\nst.param.f32 [q], 0f40000000;\n"
                 "call.uni (r), __clem_powf, (p, q);\nld.param.f32 %f2, [r];\n}\n"
                 "st.global.f32 [%rd1], %f2;\n}\n";
    assert_text(ptx, &plain,
                WORDS("float clem_powf(", "s0 = as_uint(f1);",
                      "s2 = as_uint(clem_powf(as_float(s0), as_float(s1)));"));
}

/* A pointer that was added to is not null, says C: what counts down to 0 must not be one. */
TEST_BODY(ptx_translate_counts_with_numbers)
{
    const char *ptx = PTX_HEAD
        ".visible .entry k(.param .u64 a, .param .u64 n)\n{\n.reg .b64 %rd<7>;\n.reg .b16 %rs<2>;\n"
        ".reg .pred %p<2>;\nld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [n];\n"
        "cvta.to.global.u64 %rd3, %rd1;\nmov.u16 %rs1, 7;\nmov.u64 %rd4, %rd2;\nL:\n"
        "add.s64 %rd5, %rd4, -1;\nadd.s64 %rd6, %rd3, %rd4;\nst.global.u8 [%rd6+-1], %rs1;\n"
        "setp.ne.s64 %p1, %rd5, 0;\nmov.u64 %rd4, %rd5;\n@%p1 bra L;\n}\n";
    assert_text(ptx, &plain, WORDS("rd2 = a1;", "rd5 = (ulong)rd4 + ", "rd6 = rd3 + rd4;"));
}
/* Offset 0 of shared memory is no null pointer. */
TEST_BODY(ptx_translate_null_is_nowhere_in_shared_memory)
{
    const char *ptx =
        PTX_BODY(".shared .b32 s;\nmov.u64 %rd1, 0;\ncvta.to.shared.u64 %rd2, %rd1;\n"
                 "mov.u64 %rd3, s;\nsetp.eq.s64 %p1, %rd3, %rd2;\n@%p1 st.shared.u32 [s], 1;");
    assert_text(ptx, &plain,
                WORDS("#define clem_generic_to_shared(a) ((ulong)(a) - (CLEM_SHARED_WINDOW << 32))",
                      "rd2 = clem_generic_to_shared(rd1);"));
}
TEST_BODY(ptx_translate_calls_of_nothing_trap)
{
    const char *ptx = PTX_BODY("ld.param.u64 %rd1, [a];\n{\n.param .b32 r;\n"
                               "p0: .callprototype (.param .b32 _) _ ();\ncall (r), %rd1, (), p0;\n"
                               "ld.param.b32 %r1, [r];\n}\nst.global.u32 [%rd2], %r1;");
    assert_text(ptx, &plain,
                WORDS("static uint call0(CLEM_CONTEXT_AND ulong number)",
                      "default: clem_trap(clem_runtime);"));
}
#define WAITING_FUNCTION                                                                           \
    ".func waiting(.reg .b64 %rd1)\n{\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\nW:\n"                  \
    "ld.volatile.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra W;\nret;\n}\n"
#define WAITING_ENTRY                                                                              \
    ".visible .entry k(.param .u64 a)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n.reg .pred "        \
    "%p<2>;\n"                                                                                     \
    "ld.param.u64 %rd1, [a];\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 40;\n"

TEST_BODY(ptx_translate_failures_end_waits)
{
    assert_text(PTX_HEAD WAITING_FUNCTION WAITING_ENTRY "@%p1 trap;\ncall waiting, (%rd1);\n"
                                                        "st.global.u32 [%rd1], 7;\nret;\n}\n",
                &plain,
                WORDS("L0:;", "if (clem_has_failed(clem_runtime))", "*clem_exited = 1;", "return;",
                      "clem_trap(clem_runtime);", "waiting(", "if (*clem_exited)", "return;",
                      "= 7"));
    assert_without(PTX_HEAD WAITING_FUNCTION WAITING_ENTRY
                   "@%p1 exit;\ncall waiting, (%rd1);\nst.global.u32 [%rd1], 7;\nret;\n}\n",
                   &plain, "clem_has_failed(clem_runtime)");
}

TEST_BODY(ptx_translate_assertions_in_functions_end_threads)
{
    const char *ptx =
        PTX_HEAD ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l,\n"
                 ".param .b64 n, .param .b64 s);\n"
                 ".func check(.reg .b32 %r1)\n{\n.reg .pred %p<2>;\nsetp.ne.u32 %p1, %r1, 0;\n"
                 "@%p1 bra E;\ncall __assertfail, (0, 0, 0, 0, 0);\nE:\nret;\n}\n" WAITING_ENTRY
                 "call check, (%r1);\nst.global.u32 [%rd1], 7;\nret;\n}\n";
    assert_text(ptx, &plain,
                WORDS("clem_assertfail(clem_runtime", "*clem_exited = 1;", "check(",
                      "if (*clem_exited)", "return;", "= 7"));
}

TEST_BODY(ptx_translate_computes_doubles_by_integers)
{
    struct ptx_target without = plain;
    without.has_double = false;
    assert_text(PTX_BODY("ld.global.f64 %fd1, [%rd1];\nadd.rn.f64 %fd2, %fd1, 0d3ff0000000000000;\n"
                         "cvt.rn.f32.f64 %f1, %fd2;\nst.global.f32 [%rd1], %f1;"),
                &without,
                WORDS("#define double ulong", "ulong clem_soft_add(",
                      "clem_soft_add(fd1, 0x3ff0000000000000ul)",
                      "clem_soft_to(fd2, clem_rn, 24, 8)"));
    assert_without(PTX_BODY("ld.global.f64 %fd1, [%rd1];\nst.global.f64 [%rd1+8], %fd1;"), &without,
                   "cl_khr_fp64");
    assert_not_translated(
        PTX_HEAD ".extern .func (.param .b64 r) __clem_erfcinv_positive(.param .b64 x);\n"
                 ".visible .entry k(.param .u64 p)\n{\n.param .b64 a, b;\n"
                 "call.uni (b), __clem_erfcinv_positive, (a);\nret;\n}\n",
        &without, PTX_E_UNSUPPORTED, "no double precision, and no translation is there of clem_");
}

TEST_BODY(ptx_translate_refuses_what_the_device_has_not)
{
    struct ptx_target small = plain;
    small.max_private_bytes = 1024;
    assert_not_translated(PTX_BODY(".local .align 4 .b8 l[2048];\nst.local.u32 [l], %r1;"), &small,
                          PTX_E_UNSUPPORTED, "2048 bytes of local memory");
    assert_text(PTX_BODY(".local .align 4 .b8 l[1024];\nst.local.u32 [l+4], %r1;"), &small,
                WORDS("uchar clem_local_memory[1024]", "(clem_local + 4ul) = r1;"));
}
