/* Textures of PTX kernels in every geometry, sampling and element type: handles as parameters and from
 * memory, against what OpenCL C with the device header reads.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/facade/driver_support.h"
#include "tests/facade/text_pair.h"

enum { POINTS = 48 };

/* ---- Fetches ---- */

/* Coordinates are %f1 to %f4, rounded %r1 to %r4, and p and q; ptx is what stands between the results
 * and the handle, and behind the handle. */
struct fetch {
    const char *name, *ptx, *behind, *macro, *value;
};

#define F32(geometry) "tex." geometry ".v4.f32.f32 "
static const struct fetch fetch_1d = {"f1d", F32("1d"), ", {%f1}]", "1D", "tex1D(float4, t, p.x)"};
static const struct fetch fetch_2d = {"f2d", F32("2d"), ", {%f1, %f2}]", "2D",
                                      "tex2D(float4, t, p.x, p.y)"};
static const struct fetch fetches_2d[] = {
    {"i2d", "tex.2d.v4.f32.s32 ", ", {%r1, %r2}]", "2D",
     "tex2D(float4, t, (float)q.x, (float)q.y)"},
    {"l2d", F32("level.2d"), ", {%f1, %f2}], %f4", "2D", "tex2DLod(float4, t, p.x, p.y, p.w)"},
    {"d2d", F32("grad.2d"), ", {%f1, %f2}], {%f3, %f4}, {%f4, %f3}", "2D",
     "tex2DGrad(float4, t, p.x, p.y, (float2)(p.z, p.w), (float2)(p.w, p.z))"},
    {"gr", "tld4.r.2d.v4.f32.f32 ", ", {%f1, %f2}]", "2D", "tex2Dgather(float4, t, p.x, p.y, 0)"},
    {"gg", "tld4.g.2d.v4.f32.f32 ", ", {%f1, %f2}]", "2D", "tex2Dgather(float4, t, p.x, p.y, 1)"},
    {"gb", "tld4.b.2d.v4.f32.f32 ", ", {%f1, %f2}]", "2D", "tex2Dgather(float4, t, p.x, p.y, 2)"},
    {"ga", "tld4.a.2d.v4.f32.f32 ", ", {%f1, %f2}]", "2D", "tex2Dgather(float4, t, p.x, p.y, 3)"},
};
static const struct fetch fetches_1d[] = {
    {"l1d", F32("level.1d"), ", {%f1}], %f4", "1D", "tex1DLod(float4, t, p.x, p.w)"},
    {"d1d", F32("grad.1d"), ", {%f1}], {%f3}, {%f4}", "1D", "tex1DGrad(float4, t, p.x, p.z, p.w)"},
};
static const struct fetch fetches_3d[] = {
    {"f3d", F32("3d"), ", {%f1, %f2, %f3, %f3}]", "3D", "tex3D(float4, t, p.x, p.y, p.z)"},
    {"l3d", F32("level.3d"), ", {%f1, %f2, %f3, %f3}], %f4", "3D",
     "tex3DLod(float4, t, p.x, p.y, p.z, p.w)"},
    {"d3d", F32("grad.3d"), ", {%f1, %f2, %f3, %f3}], {%f2, %f3, %f4, %f4}, {%f4, %f1, %f2, %f2}",
     "3D", "tex3DGrad(float4, t, p.x, p.y, p.z, (float4)(p.yzw, 0.0f), (float4)(p.wxy, 0.0f))"},
};
static const struct fetch fetches_rows[] = {
    {"fa1", F32("a1d"), ", {%r3, %f1}]", "1D_LAYERED", "tex1DLayered(float4, t, p.x, q.z)"},
    {"la1", F32("level.a1d"), ", {%r3, %f1}], %f4", "1D_LAYERED",
     "tex1DLayeredLod(float4, t, p.x, q.z, p.w)"},
};
static const struct fetch fetches_planes[] = {
    {"fa2", F32("a2d"), ", {%r3, %f1, %f2, %f2}]", "2D_LAYERED",
     "tex2DLayered(float4, t, p.x, p.y, q.z)"},
    {"la2", F32("level.a2d"), ", {%r3, %f1, %f2, %f2}], %f4", "2D_LAYERED",
     "tex2DLayeredLod(float4, t, p.x, p.y, q.z, p.w)"},
    {"da2", F32("grad.a2d"), ", {%r3, %f1, %f2, %f2}], {%f3, %f4}, {%f4, %f3}", "2D_LAYERED",
     "tex2DLayeredGrad(float4, t, p.x, p.y, q.z, (float2)(p.z, p.w), (float2)(p.w, p.z))"},
};
static const struct fetch fetches_cube[] = {
    {"fc", F32("cube"), ", {%f1, %f2, %f3, %f3}]", "CUBE", "texCubemap(float4, t, p.x, p.y, p.z)"},
    {"lc", F32("level.cube"), ", {%f1, %f2, %f3, %f3}], %f4", "CUBE",
     "texCubemapLod(float4, t, p.x, p.y, p.z, p.w)"},
    {"dc", F32("grad.cube"), ", {%f1, %f2, %f3, %f3}], {%f2, %f3, %f4, %f4}, {%f4, %f1, %f2, %f2}",
     "CUBE",
     "texCubemapGrad(float4, t, p.x, p.y, p.z, (float4)(p.yzw, 0.0f), (float4)(p.wxy, 0.0f))"},
};
static const struct fetch fetches_cubes[] = {
    {"fac", F32("acube"), ", {%r4, %f1, %f2, %f3}]", "CUBE_LAYERED",
     "texCubemapLayered(float4, t, p.x, p.y, p.z, q.w)"},
    {"dac", F32("grad.acube"),
     ", {%r4, %f1, %f2, %f3}], {%f2, %f3, %f4, %f4}, {%f4, %f1, %f2, %f2}", "CUBE_LAYERED",
     "texCubemapLayeredGrad(float4, t, p.x, p.y, p.z, q.w, (float4)(p.yzw, 0.0f), "
     "(float4)(p.wxy, 0.0f))"},
};
static const struct fetch fetch_line = {"line", "tex.1d.v4.f32.s32 ", ", {%r1}]", "1D_BUFFER",
                                        "tex1Dfetch(float4, t, q.x)"};
static const struct fetch fetch_unsigned = {"u2d", "tex.2d.v4.u32.f32 ", ", {%f1, %f2}]", "2D",
                                            "as_float4(tex2D(uint4, t, p.x, p.y))"};
static const struct fetch fetch_signed = {"s2d", "tex.2d.v4.s32.f32 ", ", {%f1, %f2}]", "2D",
                                          "as_float4(tex2D(int4, t, p.x, p.y))"};

/* ---- Kernels ---- */

/* p_NAME has the handle as parameter, m_NAME is given where it lies. */
static void add_kernel(struct texts *texts, const struct fetch *fetch, bool from_memory)
{
    const char file = strstr(fetch->ptx, ".v4.f32.") ? 'f' : 'r';
    add(texts->ptx, &texts->ptx_used,
        ".visible .entry %c_%s(.param .u64 handle, .param .u64 out, .param .u64 at)\n{\n"
        ".reg .b32 %%r<12>;\n.reg .b64 %%rd<12>;\n.reg .f32 %%f<12>;\n"
        "ld.param.u64 %%rd1, [handle];\nld.param.u64 %%rd2, [out];\nld.param.u64 %%rd3, [at];\n%s"
        "mov.u32 %%r5, %%tid.x;\nmul.wide.u32 %%rd4, %%r5, 16;\nadd.u64 %%rd5, %%rd2, %%rd4;\n"
        "add.u64 %%rd6, %%rd3, %%rd4;\nld.global.v4.f32 {%%f1, %%f2, %%f3, %%f4}, [%%rd6];\n"
        "cvt.rzi.s32.f32 %%r1, %%f1;\ncvt.rzi.s32.f32 %%r2, %%f2;\ncvt.rzi.s32.f32 %%r3, %%f3;\n"
        "cvt.rzi.s32.f32 %%r4, %%f4;\n"
        "%s{%%%c8, %%%c9, %%%c10, %%%c11}, [%s%s;\n"
        "st.global.v4.b32 [%%rd5], {%%%c8, %%%c9, %%%c10, %%%c11};\nret;\n}\n",
        from_memory ? 'm' : 'p', fetch->name, from_memory ? "ld.global.u64 %rd7, [%rd1];\n" : "",
        fetch->ptx, file, file, file, file, from_memory ? "%rd7" : "%rd1", fetch->behind, file,
        file, file, file);
}

static void add_fetch(struct texts *texts, const struct fetch *fetch)
{
    add_kernel(texts, fetch, false);
    add_kernel(texts, fetch, true);
    add(texts->c, &texts->c_used,
        "kernel void c_%s(CLEM_TEXTURE%s(t), global float4 *out, global const float4 *at)\n"
        "{\n    int i = (int)get_global_id(0);\n    float4 p = at[i];\n"
        "    int4 q = convert_int4_rtz(p);\n    out[i] = %s;\n}\n",
        fetch->name, fetch->macro, fetch->value);
}

/* As translations, without contractions: filters would round otherwise. */
struct bench {
    CUmodule ptx, c;
    CUdeviceptr out, at, handle;
    bool has_table; /* handles from memory can be had, and go the way that OpenCL C does */
    int32_t ulps;   /* by which results may differ */
    unsigned compared;
};

static struct bench open_bench(const char *way, struct texts *texts)
{
    struct bench bench = {.has_table = strcmp(way, "hand") == 0};
    clemDeviceInfo info;
    assert_int_equal(setenv("CLEM_TEXTURES", way, 1), 0);
    driver_use_primary();
    assert_int_equal(clemGetDeviceInfo(&info, 0), cudaSuccess);
    bench.has_table &= info.address != clemAddressHandle;
    assert_driver(cuModuleLoadData(&bench.ptx, texts->ptx));
    assert_driver(cuModuleLoadData(&bench.c, texts->c));
    free(texts);
    bench.out = driver_allocate(POINTS * 16);
    bench.at = driver_allocate(POINTS * 16);
    bench.handle = driver_allocate(8);
    return bench;
}

static void close_bench(struct bench *bench)
{
    assert_true(bench->compared > 0);
    assert_driver(cuModuleUnload(bench->ptx));
    assert_driver(cuModuleUnload(bench->c));
    assert_driver(cuMemFree(bench->out));
    assert_driver(cuMemFree(bench->at));
    assert_driver(cuMemFree(bench->handle));
}

static void run_one(struct bench *bench, char kind, const char *name, uint64_t object, float *got)
{
    char whole[32];
    CUfunction function = NULL;
    void *args[] = {&object, &bench->out, &bench->at};
    snprintf(whole, sizeof whole, "%c_%s", kind, name);
    memset(got, 0xa5, POINTS * 16);
    assert_driver(cuMemcpyHtoD(bench->out, got, POINTS * 16));
    assert_driver(cuModuleGetFunction(&function, kind == 'c' ? bench->c : bench->ptx, whole));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, POINTS, 1, 1, 0, NULL, args, NULL));
    assert_driver(cuMemcpyDtoH(got, bench->out, POINTS * 16));
}

/* Whether two floats of one sign are no further apart than so many units of the last place. */
static bool is_near(const float *got, const float *expected, int32_t ulps)
{
    int32_t words[2];
    memcpy(&words[0], got, sizeof words[0]);
    memcpy(&words[1], expected, sizeof words[1]);
    return (words[0] < 0) == (words[1] < 0) && abs(words[0] - words[1]) <= ulps;
}

static void assert_same(const char *name, char kind, const float *at, const float *got,
                        const float *expected, int32_t ulps)
{
    for (unsigned i = 0; i < POINTS * 4; i++)
        if (!is_near(&got[i], &expected[i], ulps))
            fail_msg("%c_%s at (%g, %g, %g, %g), channel %u: %a, expected %a", kind, name,
                     (double)at[i / 4 * 4], (double)at[i / 4 * 4 + 1], (double)at[i / 4 * 4 + 2],
                     (double)at[i / 4 * 4 + 3], i % 4, (double)got[i], (double)expected[i]);
}

/* Points in and around a texture of these sizes, or of size 1 where coordinates are normalised. */
static void make_points(float *at, const float size[3])
{
    for (unsigned i = 0; i < POINTS; i++) {
        const float part[3] = {(float)(i * 7 % POINTS), (float)(i * 11 % POINTS),
                               (float)(i * 5 % POINTS)};
        for (int d = 0; d < 3; d++)
            at[4 * i + (unsigned)d] = (part[d] / (POINTS / 2) - 0.5f) * size[d] + 0.01f;
        at[4 * i + 3] = (float)(i % 9) * 0.4f - 0.5f;
    }
}

static void compare(struct bench *bench, const struct fetch *fetch, CUtexObject texture,
                    const float *at)
{
    float expected[POINTS * 4], got[POINTS * 4];
    assert_driver(cuMemcpyHtoD(bench->at, at, POINTS * 16));
    run_one(bench, 'c', fetch->name, texture, expected);
    run_one(bench, 'p', fetch->name, texture, got);
    assert_same(fetch->name, 'p', at, got, expected, bench->ulps);
    if (bench->has_table) {
        assert_driver(cuMemcpyHtoD(bench->handle, &texture, sizeof texture));
        run_one(bench, 'm', fetch->name, bench->handle, got);
        assert_same(fetch->name, 'm', at, got, expected, bench->ulps);
    }
    bench->compared++;
}

/* ---- Arrays ---- */

struct element {
    CUarray_format format;
    unsigned channels, bytes; /* bytes of a channel */
};

static const struct element float_element = {CU_AD_FORMAT_FLOAT, 1, 4};

static void fill_texels(unsigned char *texels, size_t bytes, CUarray_format format)
{
    fill_with(texels, bytes, 77);
    for (size_t i = 0; format == CU_AD_FORMAT_FLOAT && i < bytes / 4; i++) {
        const float value = (float)((int)texels[4 * i] - 100) * 0.125f;
        memcpy(texels + 4 * i, &value, 4);
    }
    for (size_t i = 0; format == CU_AD_FORMAT_HALF && i < bytes / 2; i++)
        texels[2 * i + 1] &= (unsigned char)0xbf; /* below 2 */
}

static void fill_array(CUarray array, const struct element *element, size_t width, size_t height,
                       size_t depth)
{
    const size_t row = width * element->channels * element->bytes;
    const size_t rows = height ? height : 1, slices = depth ? depth : 1;
    unsigned char *texels = malloc(row * rows * slices);
    assert_non_null(texels);
    fill_texels(texels, row * rows * slices, element->format);
    const CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = texels,
                                .srcPitch = row,
                                .srcHeight = rows,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = array,
                                .WidthInBytes = row,
                                .Height = rows,
                                .Depth = slices};
    assert_driver(cuMemcpy3D(&copy));
    free(texels);
}

struct shape {
    size_t width, height, depth;
    unsigned flags;
    const struct fetch *fetches;
    size_t count;
    float size[3]; /* of the coordinates where they are not normalised */
};

static CUarray make_array(const struct shape *shape, const struct element *element)
{
    const CUDA_ARRAY3D_DESCRIPTOR desc = {shape->width,    shape->height,     shape->depth,
                                          element->format, element->channels, shape->flags};
    CUarray array = NULL;
    assert_driver(cuArray3DCreate(&array, &desc));
    fill_array(array, element, shape->width, shape->height, shape->depth);
    return array;
}

/* ---- Every geometry, address mode and filter ---- */

#define FETCHES(list) (list), sizeof(list) / sizeof *(list)
static const struct shape shapes[] = {
    {13, 0, 0, 0, &fetch_1d, 1, {13, 1, 1}},
    {13, 0, 0, 0, FETCHES(fetches_1d), {13, 1, 1}},
    {13, 9, 0, 0, &fetch_2d, 1, {13, 9, 1}},
    {13, 9, 0, CUDA_ARRAY3D_TEXTURE_GATHER, FETCHES(fetches_2d), {13, 9, 1}},
    {13, 9, 5, 0, FETCHES(fetches_3d), {13, 9, 5}},
    {13, 0, 4, CUDA_ARRAY3D_LAYERED, FETCHES(fetches_rows), {13, 1, 5}},
    {13, 9, 4, CUDA_ARRAY3D_LAYERED, FETCHES(fetches_planes), {13, 9, 5}},
    {8, 8, 6, CUDA_ARRAY3D_CUBEMAP, FETCHES(fetches_cube), {2, 2, 2}},
    {8, 8, 12, CUDA_ARRAY3D_CUBEMAP | CUDA_ARRAY3D_LAYERED, FETCHES(fetches_cubes), {2, 2, 2}},
};

static void sample_shape(struct bench *bench, const struct shape *shape, CUtexObject texture,
                         bool is_normalized)
{
    float at[POINTS * 4];
    const bool is_cube = shape->flags & CUDA_ARRAY3D_CUBEMAP;
    const bool is_layered = shape->flags & CUDA_ARRAY3D_LAYERED;
    const float size[3] = {is_normalized && !is_cube ? 1.5f : shape->size[0],
                           is_normalized && !is_cube ? 1.5f : shape->size[1],
                           is_normalized && !is_layered && !is_cube ? 1.5f : shape->size[2]};
    make_points(at, size);
    for (size_t i = 0; i < shape->count; i++)
        compare(bench, &shape->fetches[i], texture, at);
}

static void sample_array(struct bench *bench, const struct shape *shape, CUarray array, int way)
{
    const CUaddress_mode mode = (CUaddress_mode)(way & 3);
    const bool is_normalized = way & 8;
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = array};
    const CUDA_TEXTURE_DESC how = {.addressMode = {mode, mode, mode},
                                   .filterMode =
                                       way & 4 ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                                   .flags = is_normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0,
                                   .borderColor = {way & 1 ? 0.0f : 2.5f}};
    CUtexObject texture = 0;
    if ((mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR) && !is_normalized)
        return;
    assert_driver(cuTexObjectCreate(&texture, &resource, &how, NULL));
    sample_shape(bench, shape, texture, is_normalized);
    assert_driver(cuTexObjectDestroy(texture));
}

static void sample_shapes(const char *way)
{
    struct texts *texts = begin_texts();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t k = 0; k < shapes[i].count; k++)
            add_fetch(texts, &shapes[i].fetches[k]);
    struct bench bench = open_bench(way, texts);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        CUarray array = make_array(&shapes[i], &float_element);
        for (int how = 0; how < 16; how++)
            sample_array(&bench, &shapes[i], array, how);
        assert_driver(cuArrayDestroy(array));
    }
    close_bench(&bench);
}

TEST_BODY(ptx_texture_shapes_by_hand)
{
    sample_shapes("hand");
}

TEST_BODY(ptx_texture_shapes_by_image)
{
    sample_shapes("image");
}

/* ---- Levels ---- */

static CUmipmappedArray make_levels(const struct shape *shape, unsigned levels)
{
    const CUDA_ARRAY3D_DESCRIPTOR desc = {
        shape->width, shape->height, shape->depth, CU_AD_FORMAT_FLOAT, 1, shape->flags};
    CUmipmappedArray array = NULL;
    assert_driver(cuMipmappedArrayCreate(&array, &desc, levels));
    for (unsigned i = 0; i < levels; i++) {
        CUarray level = NULL;
        const size_t height = shape->height >> i ? shape->height >> i : shape->height > 0;
        const bool has_slices = shape->flags == 0 && shape->depth > 0;
        const size_t depth = has_slices ? shape->depth >> i ? shape->depth >> i : 1 : shape->depth;
        assert_driver(cuMipmappedArrayGetLevel(&level, array, i));
        fill_array(level, &float_element, shape->width >> i, height, depth);
    }
    return array;
}

TEST_BODY(ptx_texture_levels)
{
    static const struct shape rows[] = {
        {32, 0, 0, 0, FETCHES(fetches_1d), {1.5f, 1, 1}},
        {32, 16, 0, 0, &fetches_2d[1], 2, {1.5f, 1.5f, 1}},
        {16, 16, 8, 0, FETCHES(fetches_3d), {1.5f, 1.5f, 1.5f}},
        {32, 16, 3, CUDA_ARRAY3D_LAYERED, FETCHES(fetches_planes), {1.5f, 1.5f, 4}},
        {16, 16, 6, CUDA_ARRAY3D_CUBEMAP, FETCHES(fetches_cube), {2, 2, 2}},
    };
    struct texts *texts = begin_texts();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < rows[i].count; k++)
            add_fetch(texts, &rows[i].fetches[k]);
    struct bench bench = open_bench("hand", texts);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CUmipmappedArray array = make_levels(&rows[i], 4);
        const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY,
                                             .res.mipmap.hMipmappedArray = array};
        for (int k = 0; k < 4; k++) {
            const CUDA_TEXTURE_DESC how = {
                .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
                                CU_TR_ADDRESS_MODE_CLAMP},
                .filterMode = k & 1 ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                .mipmapFilterMode = k & 2 ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                .flags = CU_TRSF_NORMALIZED_COORDINATES,
                .maxMipmapLevelClamp = 3};
            CUtexObject texture = 0;
            assert_driver(cuTexObjectCreate(&texture, &resource, &how, NULL));
            sample_shape(&bench, &rows[i], texture, true);
            assert_driver(cuTexObjectDestroy(texture));
        }
        assert_driver(cuMipmappedArrayDestroy(array));
    }
    close_bench(&bench);
}

/* ---- Every element type ---- */

static const struct {
    struct element element;
    bool is_integer, is_signed;
} element_rows[] = {
    {{CU_AD_FORMAT_FLOAT, 1, 4}, false, false},
    {{CU_AD_FORMAT_FLOAT, 2, 4}, false, false},
    {{CU_AD_FORMAT_FLOAT, 4, 4}, false, false},
    {{CU_AD_FORMAT_HALF, 1, 2}, false, false},
    {{CU_AD_FORMAT_HALF, 2, 2}, false, false},
    {{CU_AD_FORMAT_HALF, 4, 2}, false, false},
    {{CU_AD_FORMAT_UNSIGNED_INT8, 1, 1}, false, false},
    {{CU_AD_FORMAT_UNSIGNED_INT8, 2, 1}, false, false},
    {{CU_AD_FORMAT_UNSIGNED_INT8, 4, 1}, false, false},
    {{CU_AD_FORMAT_SIGNED_INT8, 4, 1}, false, false},
    {{CU_AD_FORMAT_UNSIGNED_INT16, 1, 2}, false, false},
    {{CU_AD_FORMAT_SIGNED_INT16, 2, 2}, false, false},
    {{CU_AD_FORMAT_UNSIGNED_INT8, 1, 1}, true, false},
    {{CU_AD_FORMAT_UNSIGNED_INT8, 4, 1}, true, false},
    {{CU_AD_FORMAT_SIGNED_INT8, 2, 1}, true, true},
    {{CU_AD_FORMAT_UNSIGNED_INT16, 2, 2}, true, false},
    {{CU_AD_FORMAT_SIGNED_INT16, 4, 2}, true, true},
    {{CU_AD_FORMAT_UNSIGNED_INT32, 1, 4}, true, false},
    {{CU_AD_FORMAT_UNSIGNED_INT32, 4, 4}, true, false},
    {{CU_AD_FORMAT_SIGNED_INT32, 2, 4}, true, true},
};

static CUtexObject texture_of(const CUDA_RESOURCE_DESC *resource, unsigned flags)
{
    const CUDA_TEXTURE_DESC how = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}, .flags = flags};
    CUtexObject texture = 0;
    assert_driver(cuTexObjectCreate(&texture, resource, &how, NULL));
    return texture;
}

static void sample_elements(const char *way)
{
    static const struct shape plane = {13, 9, 0, 0, NULL, 0, {13, 9, 1}};
    float at[POINTS * 4];
    struct texts *texts = begin_texts();
    add_fetch(texts, &fetch_2d);
    add_fetch(texts, &fetch_unsigned);
    add_fetch(texts, &fetch_signed);
    struct bench bench = open_bench(way, texts);
    make_points(at, plane.size);
    for (size_t i = 0; i < sizeof element_rows / sizeof *element_rows; i++) {
        CUarray array = make_array(&plane, &element_rows[i].element);
        const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                             .res.array.hArray = array};
        const bool is_integer = element_rows[i].is_integer;
        /* Integers become floats by a division, which translations round as CUDA does and OpenCL C
         * within 2.5 units of the last place. */
        const bool is_divided = !is_integer && element_rows[i].element.format < CU_AD_FORMAT_HALF;
        bench.ulps = is_divided ? 3 : 0;
        CUtexObject texture = texture_of(&resource, is_integer ? CU_TRSF_READ_AS_INTEGER : 0);
        compare(&bench,
                !is_integer                 ? &fetch_2d
                : element_rows[i].is_signed ? &fetch_signed
                                            : &fetch_unsigned,
                texture, at);
        assert_driver(cuTexObjectDestroy(texture));
        assert_driver(cuArrayDestroy(array));
    }
    close_bench(&bench);
}

TEST_BODY(ptx_texture_elements_by_hand)
{
    sample_elements("hand");
}

TEST_BODY(ptx_texture_elements_by_image)
{
    sample_elements("image");
}

TEST_BODY(ptx_texture_of_linear_memory)
{
    enum { COUNT = 40, SKIPPED = 128 };
    static const float size[3] = {COUNT, 1, 1};
    float at[POINTS * 4], texels[COUNT];
    struct texts *texts = begin_texts();
    add_fetch(texts, &fetch_line);
    struct bench bench = open_bench("hand", texts);
    CUdeviceptr memory = driver_allocate(4 * SKIPPED + sizeof texels);
    fill_texels((unsigned char *)texels, sizeof texels, CU_AD_FORMAT_FLOAT);
    assert_driver(cuMemcpyHtoD(memory + 4 * SKIPPED, texels, sizeof texels));
    make_points(at, size);
    const CUDA_RESOURCE_DESC resource = {
        .resType = CU_RESOURCE_TYPE_LINEAR,
        .res.linear = {memory + 4 * SKIPPED, CU_AD_FORMAT_FLOAT, 1, sizeof texels}};
    CUtexObject texture = texture_of(&resource, 0);
    compare(&bench, &fetch_line, texture, at);
    assert_driver(cuTexObjectDestroy(texture));
    assert_driver(cuMemFree(memory));
    close_bench(&bench);
}
