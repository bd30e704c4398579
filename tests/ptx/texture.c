/* Textures and surfaces in the translation: which parameters their kernels get, and which fetches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/ptx/read.h"

struct translation {
    struct ptx_module *module;
    struct ptx_kernel kernel;
    struct ptx_log log;
    enum ptx_status status;
};

static const struct ptx_target any_target = {.pointers = PTX_POINTERS_NUMBERS,
                                             .has_double = true,
                                             .max_parameter_bytes = 1024,
                                             .max_private_bytes = 65536,
                                             .force_form = -1};

static struct translation translate_as(const char *text, const struct ptx_target *target)
{
    struct translation made = {.module = read_ptx(text)};
    made.status = ptx_translate(made.module, 0, target, &made.kernel, &made.log);
    return made;
}

static struct translation translate(const char *text)
{
    return translate_as(text, &any_target);
}

/* For a CPU that has LLVM. */
static struct translation translate_natively(const char *text)
{
    struct ptx_target target = any_target;
    target.is_cpu = true;
    target.llvm_major = 15;
    struct translation made = translate_as(text, &target);
    assert_int_equal(made.status, PTX_OK);
    assert_int_equal(made.kernel.form, PTX_FORM_NATIVE);
    return made;
}

static void drop(struct translation *made)
{
    ptx_kernel_free(&made->kernel);
    ptx_module_free(made->module);
    free(made->log.text);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        ++count;
    return count;
}

/* The argument of that kind number `which`, or NULL. */
static const struct ptx_argument *argument_of(const struct translation *made,
                                              enum ptx_argument_kind kind, size_t which)
{
    for (size_t i = 0; i < made->kernel.argument_count; ++i)
        if (made->kernel.arguments[i].kind == kind && which-- == 0)
            return &made->kernel.arguments[i];
    return NULL;
}

static void assert_says(const struct translation *made, const char *part, size_t times)
{
    assert_int_equal(made->status, PTX_OK);
    if (count_of(made->kernel.text, part) != times)
        fail_msg("'%s' is there %zu times in:\n%s", part, count_of(made->kernel.text, part),
                 made->kernel.text);
}

#define KERNEL(parameters, body)                                                                   \
    PTX_HEAD ".global .texref ref;\n.global .surfref sref;\n.visible .entry k(" parameters         \
             ")\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n" body "\nret;\n}\n"
#define FETCH "{%f1,%f2,%f3,%f4}, [%rd1, "
#define USE   "st.global.v4.f32 [%rd8], {%f1,%f2,%f3,%f4};\n"

TEST_BODY(ptx_handles_of_parameters_become_bundles)
{
    struct translation made = translate(KERNEL(".param .u32 n, .param .u64 t",
                                               "ld.param.u64 %rd2, [t];\nmov.b64 %rd1, %rd2;\n"
                                               "tex.2d.v4.f32.f32 " FETCH "{%f5,%f6}];\n" USE
                                               "tex.2d.v4.f32.f32 " FETCH "{%f6,%f5}];\n" USE));
    assert_says(&made, "CLEM_TEXTURE2D(", 1);
    assert_says(&made, "tex2D(float4, ", 2);
    const struct ptx_argument *bundle = argument_of(&made, PTX_ARGUMENT_TEXTURE, 0);
    assert_non_null(bundle);
    assert_int_equal(bundle->index, 1);
    assert_int_equal(bundle->bytes, 2);
    assert_null(bundle->name);
    assert_null(argument_of(&made, PTX_ARGUMENT_TEXTURE, 1));
    assert_null(argument_of(&made, PTX_ARGUMENT_TABLE, 0));
    assert_true(made.kernel.needs_device_header);
    drop(&made);
}

TEST_BODY(ptx_fetches_of_one_channel_are_told)
{
    struct translation made = translate(
        KERNEL(".param .u64 t", "ld.param.u64 %rd1, [t];\ntex.2d.v4.f32.f32 " FETCH "{%f5,%f6}];\n"
                                "st.global.f32 [%rd8], %f1;"));
    assert_says(&made, "tex2D(float, ", 1);
    drop(&made);
    made = translate(KERNEL(".param .u64 t", "ld.param.u64 %rd1, [t];\ntex.2d.v4.f32.f32 " FETCH
                                             "{%f5,%f6}];\nst.global.f32 [%rd8], %f2;"));
    assert_says(&made, "tex2D(float4, ", 1);
    drop(&made);
}

TEST_BODY(ptx_references_are_bundles_of_their_name)
{
    struct translation made =
        translate(KERNEL("", "tex.3d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [ref, {%f5,%f6,%f7,%f7}];\n" USE
                             "suld.b.2d.v2.b32.zero {%r1,%r2}, [sref, {%r3,%r4}];\n"
                             "st.global.v2.u32 [%rd8], {%r1,%r2};"));
    assert_says(&made, "CLEM_TEXTURE_REFERENCE3D(t0)", 1);
    assert_says(&made, "CLEM_SURFACE_REFERENCE(t1)", 1);
    assert_says(&made, "surf2DreadMode(uint2, t1, ", 1);
    const struct ptx_argument *first = argument_of(&made, PTX_ARGUMENT_TEXTURE, 0);
    const struct ptx_argument *second = argument_of(&made, PTX_ARGUMENT_TEXTURE, 1);
    assert_non_null(first);
    assert_non_null(second);
    assert_string_equal(first->name, "ref");
    assert_string_equal(second->name, "sref");
    assert_int_equal(first->bytes, 3);
    assert_false(first->is_surface);
    assert_true(second->is_surface);
    drop(&made);
}

TEST_BODY(ptx_other_handles_come_from_the_table)
{
    static const char *const texts[] = {
        KERNEL(".param .u64 t", "ld.param.u64 %rd2, [t];\nld.global.u64 %rd1, [%rd2];\n"
                                "tex.2d.v4.f32.f32 " FETCH "{%f5,%f6}];\n" USE),
        KERNEL(".param .align 8 .b8 t[16]",
               "ld.param.u64 %rd1, [t+8];\ntex.2d.v4.f32.f32 " FETCH "{%f5,%f6}];\n" USE),
        KERNEL(".param .u64 a, .param .u64 b",
               ".reg .pred %p;\nsetp.eq.u32 %p, %r1, 0;\nld.param.u64 %rd1, [a];\n"
               "@%p ld.param.u64 %rd1, [b];\ntex.2d.v4.f32.f32 " FETCH "{%f5,%f6}];\n" USE)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        struct translation made = translate(texts[i]);
        assert_says(&made, "CLEM_TABLE_ROW(", 2); /* its definition and its use */
        assert_says(&made, "clem_sample_2(", 1);
        assert_non_null(argument_of(&made, PTX_ARGUMENT_TABLE, 0));
        assert_null(argument_of(&made, PTX_ARGUMENT_TEXTURE, 0));
        drop(&made);
    }
}

TEST_BODY(ptx_fetches_of_every_geometry)
{
    static const struct {
        const char *instruction, *bundle, *fetch;
    } rows[] = {{"tex.1d.v4.f32.f32 " FETCH "{%f5}];", "CLEM_TEXTURE1D(t0)", "tex1D(float4, t0, "},
                {"tex.1d.v4.f32.s32 " FETCH "{%r5}];", "CLEM_TEXTURE1D_BUFFER(t0)",
                 "tex1Dfetch(float4, t0, "},
                {"tex.3d.v4.f32.f32 " FETCH "{%f5,%f6,%f7,%f7}];", "CLEM_TEXTURE3D(t0)",
                 "tex3D(float4, t0, "},
                {"tex.a1d.v4.f32.f32 " FETCH "{%r5,%f5}];", "CLEM_TEXTURE1D_LAYERED(t0)",
                 "tex1DLayered(float4, t0, "},
                {"tex.a2d.v4.f32.f32 " FETCH "{%r5,%f5,%f6,%f6}];", "CLEM_TEXTURE2D_LAYERED(t0)",
                 "tex2DLayered(float4, t0, "},
                {"tex.cube.v4.f32.f32 " FETCH "{%f5,%f6,%f7,%f7}];", "CLEM_TEXTURECUBE(t0)",
                 "texCubemap(float4, t0, "},
                {"tex.acube.v4.f32.f32 " FETCH "{%r5,%f5,%f6,%f7}];",
                 "CLEM_TEXTURECUBE_LAYERED(t0)", "texCubemapLayered(float4, t0, "},
                {"tex.level.2d.v4.f32.f32 " FETCH "{%f5,%f6}], %f7;", "CLEM_TEXTURE2D(t0)",
                 "tex2DLod(float4, t0, "},
                {"tex.grad.2d.v4.f32.f32 " FETCH "{%f5,%f6}], {%f5,%f6}, {%f6,%f5};",
                 "CLEM_TEXTURE2D(t0)", "tex2DGrad(float4, t0, "},
                {"tld4.g.2d.v4.f32.f32 " FETCH "{%f5,%f6}];", "CLEM_TEXTURE2D(t0)",
                 "tex2Dgather(float4, t0, "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s\n%s%s",
                 PTX_HEAD
                 ".visible .entry k(.param .u64 t)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n"
                 ".reg .f32 %f<9>;\nld.param.u64 %rd1, [t];\n",
                 rows[i].instruction, USE, "ret;\n}\n");
        struct translation made = translate(text);
        assert_says(&made, rows[i].bundle, 1);
        assert_says(&made, rows[i].fetch, 1);
        drop(&made);
        made = translate_natively(text);
        assert_says(&made, "call void @clem_native_fetch(", 1);
        assert_non_null(argument_of(&made, PTX_ARGUMENT_TEXTURE, 0));
        assert_null(argument_of(&made, PTX_ARGUMENT_TABLE, 0));
        drop(&made);
    }
}

TEST_BODY(ptx_surfaces_of_every_kind)
{
    static const char *const text =
        KERNEL(".param .u64 s", "ld.param.u64 %rd1, [s];\n"
                                "sust.b.1d.b32.trap [%rd1, {%r1}], %r2;\n"
                                "sust.b.2d.v4.b32.clamp [%rd1, {%r1,%r2}], {%r1,%r2,%r3,%r4};\n"
                                "sust.b.3d.b64.zero [%rd1, {%r1,%r2,%r3,%r3}], %rd2;\n"
                                "sust.b.a1d.b32.trap [%rd1, {%r1,%r2}], %r2;\n"
                                "sust.b.a2d.b32.trap [%rd1, {%r1,%r2,%r3,%r3}], %r2;\n"
                                "sured.b.max.2d.s32.clamp [%rd1, {%r1,%r2}], %r3;\n");
    struct translation made = translate(text);
    assert_says(&made, "CLEM_SURFACE(", 1);
    assert_says(&made, "surf1DwriteMode(uint, ", 1);
    assert_says(&made, "surf2DwriteMode(uint4, ", 1);
    assert_says(&made, "surf3DwriteMode(ulong, ", 1);
    assert_says(&made, "surf1DLayeredwriteMode(uint, ", 1);
    assert_says(&made, "surf2DLayeredwriteMode(uint, ", 1);
    assert_says(&made, "atomic_max(", 1);
    assert_says(&made, "cudaBoundaryModeTrap", 3);
    assert_says(&made, "cudaBoundaryModeClamp", 2);
    assert_says(&made, "cudaBoundaryModeZero", 1);
    drop(&made);
    made = translate_natively(text);
    assert_says(&made, "call void @clem_native_store_surface(", 5);
    assert_says(&made, "call void @clem_native_reduce_surface(", 1);
    assert_true(argument_of(&made, PTX_ARGUMENT_TEXTURE, 0)->is_surface);
    drop(&made);
}

TEST_BODY(ptx_refuses_fetches_that_cannot_be_had)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {KERNEL(".param .u64 t", "tex.2dms.v4.f32.s32 " FETCH "{%r1,%r2,%r3,%r3}];"),
         "multisampled"},
        {KERNEL(".param .u64 t", "tex.2d.v4.f32.f32 " FETCH "{%f5,%f6}], {%r1,%r2};"), "offsets"},
        {KERNEL(".param .u64 t", "sust.p.2d.v4.b32.trap [%rd1, {%r1,%r2}], {%r1,%r2,%r3,%r4};"),
         "as bits"},
        {KERNEL(".param .u64 t", "suq.width.b32 %r1, [%rd1];"), "not known"},
        {KERNEL(".param .u64 t", "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f5,%f6}];"),
         "samplers"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        struct translation made = translate(rows[i].text);
        assert_int_equal(made.status, PTX_E_UNSUPPORTED);
        assert_non_null(made.log.text);
        if (!strstr(made.log.text, rows[i].why) || !strstr(made.log.text, "kernel k"))
            fail_msg("'%s' does not say '%s'", made.log.text, rows[i].why);
        drop(&made);
    }
}
