/* What kernels read from textures: PTX for a native run, the device header's functions for clem.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texels are small integers and coordinates multiples of 1/4 of a texel, so that linear filtering is
 * exact for hardware with weights of 8 bits and for full precision alike.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle.h"

#ifdef ORACLE_NATIVE

#define FETCH(name, text)                                                                          \
    ".visible .entry " name "(.param .u64 t, .param .u64 out, .param .u64 at) {\n"                 \
    "  .reg .b64 %rd<8>; .reg .b32 %r<9>; .reg .f32 %f<9>;\n"                                      \
    "  ld.param.u64 %rd1, [t];\n"                                                                  \
    "  ld.param.u64 %rd2, [out];\n"                                                                \
    "  ld.param.u64 %rd3, [at];\n"                                                                 \
    "  cvta.to.global.u64 %rd2, %rd2;\n"                                                           \
    "  cvta.to.global.u64 %rd3, %rd3;\n"                                                           \
    "  mov.u32 %r1, %tid.x;\n"                                                                     \
    "  mul.wide.u32 %rd4, %r1, 16;\n"                                                              \
    "  add.s64 %rd5, %rd3, %rd4;\n"                                                                \
    "  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd5];\n"                                           \
    "  add.s64 %rd6, %rd2, %rd4;\n" text "  ret;\n"                                                \
    "}\n"
#define FLOATS       " {%f5, %f6, %f7, %f8}, "
#define WORDS        " {%r5, %r6, %r7, %r8}, "
#define STORE_FLOATS "  st.global.v4.f32 [%rd6], {%f5, %f6, %f7, %f8};\n"
#define STORE_WORDS  "  st.global.v4.b32 [%rd6], {%r5, %r6, %r7, %r8};\n"
#define TO_INT       "  cvt.rni.s32.f32 %r2, "

static const char *const kernel_texts[] = {
    ".version 7.5\n.target sm_75\n.address_size 64\n",
    FETCH("fetch1", TO_INT "%f1;\n  tex.1d.v4.f32.s32" FLOATS "[%rd1, {%r2}];\n" STORE_FLOATS),
    FETCH("fetch1_words", TO_INT "%f1;\n  tex.1d.v4.u32.s32" WORDS "[%rd1, {%r2}];\n" STORE_WORDS),
    FETCH("sample1", "  tex.1d.v4.f32.f32" FLOATS "[%rd1, {%f1}];\n" STORE_FLOATS),
    FETCH("sample2", "  tex.2d.v4.f32.f32" FLOATS "[%rd1, {%f1, %f2}];\n" STORE_FLOATS),
    FETCH("sample2_words", "  tex.2d.v4.u32.f32" WORDS "[%rd1, {%f1, %f2}];\n" STORE_WORDS),
    FETCH("sample3", "  tex.3d.v4.f32.f32" FLOATS "[%rd1, {%f1, %f2, %f3, %f3}];\n" STORE_FLOATS),
    FETCH("layered1",
          TO_INT "%f3;\n  tex.a1d.v4.f32.f32" FLOATS "[%rd1, {%r2, %f1}];\n" STORE_FLOATS),
    FETCH("layered2", TO_INT "%f3;\n  tex.a2d.v4.f32.f32" FLOATS
                             "[%rd1, {%r2, %f1, %f2, %f2}];\n" STORE_FLOATS),
    FETCH("cube", "  tex.cube.v4.f32.f32" FLOATS "[%rd1, {%f1, %f2, %f3, %f3}];\n" STORE_FLOATS),
    FETCH("lod2", "  tex.level.2d.v4.f32.f32" FLOATS "[%rd1, {%f1, %f2}], %f3;\n" STORE_FLOATS),
    FETCH("gather2", "  tld4.r.2d.v4.f32.f32" FLOATS "[%rd1, {%f1, %f2}];\n" STORE_FLOATS),
};

#else

#define FETCH(name, texture, value)                                                                \
    "kernel void " name "(" texture "(t), global float4 *out, global const float4 *at) {\n"        \
    "    int i = (int)get_local_id(0);\n"                                                          \
    "    float4 p = at[i];\n"                                                                      \
    "    out[i] = " value ";\n"                                                                    \
    "}\n"

static const char *const kernel_texts[] = {
    "#include \"clem_device.h\"\n",
    FETCH("fetch1", "CLEM_TEXTURE1D_BUFFER", "tex1Dfetch(float4, t, convert_int(p.x))"),
    FETCH("fetch1_words", "CLEM_TEXTURE1D_BUFFER",
          "as_float4(tex1Dfetch(uint4, t, convert_int(p.x)))"),
    FETCH("sample1", "CLEM_TEXTURE1D", "tex1D(float4, t, p.x)"),
    FETCH("sample2", "CLEM_TEXTURE2D", "tex2D(float4, t, p.x, p.y)"),
    FETCH("sample2_words", "CLEM_TEXTURE2D", "as_float4(tex2D(uint4, t, p.x, p.y))"),
    FETCH("sample3", "CLEM_TEXTURE3D", "tex3D(float4, t, p.x, p.y, p.z)"),
    FETCH("layered1", "CLEM_TEXTURE1D_LAYERED", "tex1DLayered(float4, t, p.x, convert_int(p.z))"),
    FETCH("layered2", "CLEM_TEXTURE2D_LAYERED",
          "tex2DLayered(float4, t, p.x, p.y, convert_int(p.z))"),
    FETCH("cube", "CLEM_TEXTURECUBE", "texCubemap(float4, t, p.x, p.y, p.z)"),
    FETCH("lod2", "CLEM_TEXTURE2D", "tex2DLod(float4, t, p.x, p.y, p.z)"),
    FETCH("gather2", "CLEM_TEXTURE2D", "tex2Dgather(float4, t, p.x, p.y, 0)"),
};

#endif

enum { MOST = 32, SIDE = 8 };

struct point {
    float x, y, z, w;
};

static cudaLibrary_t loaded;
static void *out_block, *at_block;

static void load(void)
{
    size_t length = 1;
    for (size_t i = 0; i < sizeof kernel_texts / sizeof kernel_texts[0]; i++) {
        length += strlen(kernel_texts[i]);
    }
    char *text = calloc(1, length);
    require(text != NULL, "calloc");
    for (size_t i = 0; i < sizeof kernel_texts / sizeof kernel_texts[0]; i++) {
        strcat(text, kernel_texts[i]);
    }
    REQUIRE(cudaLibraryLoadData(&loaded, text, NULL, NULL, 0, NULL, NULL, 0));
    free(text);
    out_block = device_block(MOST * sizeof(struct point));
    at_block = device_block(MOST * sizeof(struct point));
}

/* read_at: what one kernel reads at some points. */
static bool read_at(const char *name, cudaTextureObject_t texture, const struct point *at,
                    size_t count, struct point *out)
{
    cudaKernel_t kernel_handle = NULL;
    void *args[] = {&texture, &out_block, &at_block};
    dim3 one = {1, 1, 1};
    dim3 block = {(unsigned)count, 1, 1};
    return cudaLibraryGetKernel(&kernel_handle, loaded, name) == cudaSuccess &&
           cudaMemcpy(at_block, at, count * sizeof *at, cudaMemcpyHostToDevice) == cudaSuccess &&
           cudaLaunchKernel((const void *)kernel_handle, one, block, args, 0, NULL) ==
               cudaSuccess &&
           cudaMemcpy(out, out_block, count * sizeof *out, cudaMemcpyDeviceToHost) == cudaSuccess;
}

static void add_number(char *text, size_t size, const char *format, double value)
{
    size_t used = strlen(text);
    /* -0 and 0 are the same texel. */
    snprintf(text + used, size - used, format, value == 0 ? 0.0 : value);
}

/* record: the x channels, as one text. */
static void record(const char *kernel_text, cudaTextureObject_t texture, const struct point *at,
                   size_t count, const char *label)
{
    struct point out[MOST] = {{0}};
    char text[400] = "";
    if (!read_at(kernel_text, texture, at, count, out)) {
        snprintf(text, sizeof text, "error %s", cudaGetErrorName(cudaGetLastError()));
    } else {
        for (size_t i = 0; i < count; i++) {
            add_number(text, sizeof text, i ? " %.6g" : "%.6g", (double)out[i].x);
        }
    }
    TEXT(text, "%s", label);
}

/* record_all: all channels at each point, a text for each; words holds integers. */
static void record_all(const char *kernel_text, cudaTextureObject_t texture, const struct point *at,
                       size_t count, bool words, const char *label)
{
    struct point out[MOST] = {{0}};
    bool ok = read_at(kernel_text, texture, at, count, out);
    for (size_t i = 0; i < count; i++) {
        float floats[4];
        unsigned bits[4];
        char text[200];
        memcpy(floats, &out[i], sizeof floats);
        memcpy(bits, &out[i], sizeof bits);
        if (!ok) {
            snprintf(text, sizeof text, "error");
        } else if (words) {
            snprintf(text, sizeof text, "0x%x 0x%x 0x%x 0x%x", bits[0], bits[1], bits[2], bits[3]);
        } else {
            snprintf(text, sizeof text, "%.5g %.5g %.5g %.5g", (double)floats[0], (double)floats[1],
                     (double)floats[2], (double)floats[3]);
        }
        TEXT(text, "%s: point %zu", label, i);
    }
    cudaGetLastError();
}

static const struct cudaChannelFormatDesc float_desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static float texel(size_t x, size_t y, size_t z)
{
    return (float)(1 + x + 16 * y + 256 * z);
}

/* make_array: texel(x, y, z) everywhere. */
static cudaArray_t make_array(size_t w, size_t h, size_t d, unsigned flags)
{
    static float texels[SIDE * SIDE * SIDE];
    cudaArray_t array = NULL;
    struct cudaExtent extent = {w, h, d};
    size_t rows = h ? h : 1;
    size_t slices = d ? d : 1;
    REQUIRE(cudaMalloc3DArray(&array, &float_desc, extent, flags));
    for (size_t i = 0; i < w * rows * slices; i++) {
        texels[i] = texel(i % w, i / w % rows, i / w / rows);
    }
    struct cudaMemcpy3DParms copy = {0};
    copy.srcPtr = (struct cudaPitchedPtr){texels, w * sizeof(float), w, rows};
    copy.dstArray = array;
    copy.extent = (struct cudaExtent){w, rows, slices};
    copy.kind = cudaMemcpyHostToDevice;
    REQUIRE(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t make_texture(cudaArray_t array, int mode, int filter, int normalized)
{
    cudaTextureObject_t texture = 0;
    struct cudaResourceDesc resource = {0};
    struct cudaTextureDesc description = {0};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (int i = 0; i < 3; i++) {
        description.addressMode[i] = (enum cudaTextureAddressMode)mode;
    }
    description.filterMode = (enum cudaTextureFilterMode)filter;
    description.normalizedCoords = normalized;
    description.borderColor[0] = 99;
    REQUIRE(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    return texture;
}

/* Coordinates in texels of a row of SIDE. */
static const float line_coordinates[] = {
    -17.25f, -9,   -8.5f, -8,    -7.75f, -2.25f, -1, -0.5f, -0.25f, 0,     0.25f,  0.5f, 0.75f,
    1,       3.5f, 4.25f, 7.25f, 7.5f,   7.75f,  8,  8.25f, 8.5f,   9.75f, 12.25f, 16,   17.25f};
enum { LINE_COUNT = sizeof line_coordinates / sizeof line_coordinates[0] };

static size_t line_points(struct point *at, float scale)
{
    for (size_t i = 0; i < LINE_COUNT; i++) {
        at[i] = (struct point){line_coordinates[i] * scale, 2.5f * scale, 1.5f * scale, 0};
    }
    return LINE_COUNT;
}

static void sample_modes(cudaArray_t array, const char *kernel_text)
{
    struct point at[MOST];
    char label[80];
    for (int mode = 0; mode < 4; mode++) {
        for (int filter = 0; filter < 2; filter++) {
            for (int normalized = 0; normalized < 2; normalized++) {
                cudaTextureObject_t texture = make_texture(array, mode, filter, normalized);
                size_t count = line_points(at, normalized ? 1.0f / SIDE : 1.0f);
                snprintf(label, sizeof label, "mode %d, filter %d, normalized %d", mode, filter,
                         normalized);
                record(kernel_text, texture, at, count, label);
                REQUIRE(cudaDestroyTextureObject(texture));
            }
        }
    }
}

void case_texture_values_modes_1d(void)
{
    load();
    sample_modes(make_array(SIDE, 0, 0, 0), "sample1");
}

void case_texture_values_modes_2d(void)
{
    load();
    sample_modes(make_array(SIDE, SIDE, 0, 0), "sample2");
}

void case_texture_values_modes_3d(void)
{
    load();
    sample_modes(make_array(SIDE, SIDE, SIDE, 0), "sample3");
}

/* Corners, and dimensions with modes of their own. */
void case_texture_values_corners(void)
{
    static const struct point at[] = {{0, 0, 0, 0},         {0.25f, 0.25f, 0, 0},  {8, 8, 0, 0},
                                      {7.75f, 7.75f, 0, 0}, {-0.25f, 8.25f, 0, 0}, {-3, 4.5f, 0, 0},
                                      {4.5f, 11, 0, 0},     {4, 4, 0, 0}};
    struct point scaled[8];
    cudaTextureObject_t texture = 0;
    struct cudaResourceDesc resource = {0};
    struct cudaTextureDesc description = {0};
    char label[80];
    load();
    resource.res.array.array = make_array(SIDE, SIDE, 0, 0);
    for (int i = 0; i < 8; i++) {
        scaled[i] = (struct point){at[i].x / SIDE, at[i].y / SIDE, 0, 0};
    }
    description.normalizedCoords = 1;
    for (int x = 0; x < 4; x++) {
        for (int y = 0; y < 4; y++) {
            for (int filter = 0; filter < 2; filter++) {
                description.addressMode[0] = (enum cudaTextureAddressMode)x;
                description.addressMode[1] = (enum cudaTextureAddressMode)y;
                description.filterMode = (enum cudaTextureFilterMode)filter;
                description.borderColor[0] = 500;
                REQUIRE(cudaCreateTextureObject(&texture, &resource, &description, NULL));
                snprintf(label, sizeof label, "modes %d %d, filter %d", x, y, filter);
                record("sample2", texture, scaled, 8, label);
                REQUIRE(cudaDestroyTextureObject(texture));
            }
        }
    }
}

void case_texture_values_odd_coordinates(void)
{
    const struct point at[] = {{1e9f, 0.5f, 0, 0}, {-1e9f, 0.5f, 0, 0},    {1e30f, 0.5f, 0, 0},
                               {NAN, 0.5f, 0, 0},  {INFINITY, 0.5f, 0, 0}, {-INFINITY, 0.5f, 0, 0},
                               {0.5f, NAN, 0, 0},  {0.5f, INFINITY, 0, 0}};
    char label[80];
    load();
    cudaArray_t array = make_array(SIDE, SIDE, 0, 0);
    for (int mode = 1; mode < 4; mode += 2) {
        for (int filter = 0; filter < 2; filter++) {
            cudaTextureObject_t texture = make_texture(array, mode, filter, 0);
            snprintf(label, sizeof label, "mode %d, filter %d", mode, filter);
            record("sample2", texture, at, sizeof at / sizeof at[0], label);
        }
    }
}

void case_texture_values_layers(void)
{
    static const struct point at[] = {{1.5f, 2.5f, 0, 0},  {1.5f, 2.5f, 1, 0}, {1.5f, 2.5f, 2, 0},
                                      {1.5f, 2.5f, 3, 0},  {1.5f, 2.5f, 9, 0}, {1.5f, 2.5f, -1, 0},
                                      {2.25f, 3.5f, 1, 0}, {-4, 2.5f, 2, 0},   {20, 20, 2, 0}};
    load();
    size_t count = sizeof at / sizeof at[0];
    cudaArray_t two = make_array(SIDE, SIDE, 3, cudaArrayLayered);
    cudaArray_t one = make_array(SIDE, 0, 3, cudaArrayLayered);
    record("layered2", make_texture(two, 1, 0, 0), at, count, "2D, point");
    record("layered2", make_texture(two, 1, 1, 0), at, count, "2D, linear");
    record("layered2", make_texture(two, 3, 1, 0), at, count, "2D, linear, border");
    record("layered1", make_texture(one, 1, 0, 0), at, count, "1D, point");
    record("layered1", make_texture(one, 1, 1, 0), at, count, "1D, linear");
}

void case_texture_values_cube(void)
{
    static const struct point at[] = {{1, 0, 0, 0},        {-1, 0, 0, 0},       {0, 1, 0, 0},
                                      {0, -1, 0, 0},       {0, 0, 1, 0},        {0, 0, -1, 0},
                                      {1, 0.3f, 0.6f, 0},  {-1, 0.3f, 0.6f, 0}, {0.3f, 1, 0.6f, 0},
                                      {0.3f, -1, 0.6f, 0}, {0.3f, 0.6f, 1, 0},  {0.3f, 0.6f, -1, 0},
                                      {2, 0.6f, 1.2f, 0},  {1, 1, 1, 0},        {-1, -1, -1, 0},
                                      {1, -1, 0.5f, 0},    {0, 0, 0, 0}};
    load();
    cudaArray_t array = make_array(SIDE, SIDE, 6, cudaArrayCubemap);
    record("cube", make_texture(array, 1, 0, 1), at, sizeof at / sizeof at[0], "point");
    record("cube", make_texture(array, 0, 0, 0), at, sizeof at / sizeof at[0],
           "point, wrap, not normalized");
}

void case_texture_values_levels(void)
{
    static const struct point at[] = {
        {0.5f, 0.5f, 0, 0},     {0.5f, 0.5f, 1, 0},     {0.5f, 0.5f, 2, 0},
        {0.5f, 0.5f, 0.25f, 0}, {0.5f, 0.5f, 0.5f, 0},  {0.5f, 0.5f, 0.75f, 0},
        {0.5f, 0.5f, 1.5f, 0},  {0.5f, 0.5f, 1.75f, 0}, {0.5f, 0.5f, 5, 0},
        {0.5f, 0.5f, -1, 0},    {0.1f, 0.9f, 1, 0}};
    static float texels[SIDE * SIDE];
    struct cudaExtent extent = {SIDE, SIDE, 0};
    cudaMipmappedArray_t mipmap = NULL;
    load();
    REQUIRE(cudaMallocMipmappedArray(&mipmap, &float_desc, extent, 3, 0));
    for (unsigned level = 0; level < 3; level++) {
        cudaArray_t array = NULL;
        size_t side = SIDE >> level;
        for (size_t i = 0; i < side * side; i++) {
            texels[i] = (float)(100 * (level + 1));
        }
        REQUIRE(cudaGetMipmappedArrayLevel(&array, mipmap, level));
        REQUIRE(cudaMemcpy2DToArray(array, 0, 0, texels, side * 4, side * 4, side,
                                    cudaMemcpyHostToDevice));
    }
    struct cudaResourceDesc resource = {0};
    struct cudaTextureDesc t = {0};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    for (int step = 0; step < 7; step++) {
        cudaTextureObject_t texture = 0;
        char label[80];
        memset(&t, 0, sizeof t);
        t.normalizedCoords = 1;
        t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
        t.mipmapFilterMode = step % 2 ? cudaFilterModeLinear : cudaFilterModePoint;
        t.maxMipmapLevelClamp = step < 2 ? 2.0f : 9.0f;
        t.minMipmapLevelClamp = step == 3 ? 0.5f : 0.0f;
        t.mipmapLevelBias = step == 4 || step == 5 ? 0.5f : 0.0f;
        if (step == 6) {
            t.maxMipmapLevelClamp = 0.0f;
        }
        REQUIRE(cudaCreateTextureObject(&texture, &resource, &t, NULL));
        snprintf(label, sizeof label, "levels %d, bias %g, clamp %g..%g", (int)t.mipmapFilterMode,
                 (double)t.mipmapLevelBias, (double)t.minMipmapLevelClamp,
                 (double)t.maxMipmapLevelClamp);
        record("lod2", texture, at, sizeof at / sizeof at[0], label);
    }
}

void case_texture_values_gather(void)
{
    static const struct point at[] = {{2.5f, 3.5f, 0, 0}, {3, 4, 0, 0}, {2.25f, 3.75f, 0, 0},
                                      {0, 0, 0, 0},       {8, 8, 0, 0}, {-5, 4, 0, 0}};
    load();
    cudaArray_t array = make_array(SIDE, SIDE, 0, cudaArrayTextureGather);
    record_all("gather2", make_texture(array, 1, 0, 0), at, 6, false, "clamp");
    record_all("gather2", make_texture(array, 3, 1, 0), at, 6, false, "border, linear");
}

/* Texels of bytes that hold every sign and the ends of the range. */
static void sample_format(struct cudaChannelFormatDesc desc, const void *texels, size_t bytes,
                          const char *label)
{
    static const struct point at[] = {{0.5f, 0.5f, 0, 0}, {1.5f, 0.5f, 0, 0}, {-3, 0.5f, 0, 0}};
    cudaArray_t array = NULL;
    struct cudaResourceDesc resource = {0};
    REQUIRE(cudaMallocArray(&array, &desc, 2, 1, 0));
    REQUIRE(cudaMemcpy2DToArray(array, 0, 0, texels, bytes, bytes, 1, cudaMemcpyHostToDevice));
    resource.res.array.array = array;
    for (int normalized = 0; normalized < 2; normalized++) {
        for (int srgb = 0; srgb <= normalized; srgb++) {
            cudaTextureObject_t texture = 0;
            struct cudaTextureDesc t = {0};
            char name[100];
            t.addressMode[0] = t.addressMode[1] = cudaAddressModeBorder;
            t.borderColor[0] = 0.25f;
            t.borderColor[1] = 2;
            t.borderColor[2] = -7;
            t.borderColor[3] = 1000;
            t.readMode = (enum cudaTextureReadMode)normalized;
            t.sRGB = srgb;
            bool words = !normalized && desc.f != cudaChannelFormatKindFloat;
            snprintf(name, sizeof name, "%s, read mode %d, sRGB %d", label, normalized, srgb);
            if (cudaCreateTextureObject(&texture, &resource, &t, NULL) == cudaSuccess) {
                record_all(words ? "sample2_words" : "sample2", texture, at, 3, words, name);
                REQUIRE(cudaDestroyTextureObject(texture));
            } else {
                cudaGetLastError();
                TEXT("refused", "%s", name);
            }
        }
    }
}

void case_texture_values_formats(void)
{
    static const unsigned char bytes[8] = {0, 1, 128, 255, 127, 129, 64, 200};
    static const unsigned short shorts[8] = {0, 1, 0x8000, 0xffff, 0x7fff, 0x8001, 0x4000, 0xc000};
    static const unsigned halves[4] = {0x3c003800u, 0xc0000001u, 0x7bff0000u, 0x3555bc00u};
    static const float floats[8] = {0, 1, -2.5f, 1e30f, 3.25f, -0.125f, 1e-30f, 7};
    static const unsigned words[8] = {0, 1, 0x80000000u, 0xffffffffu, 0x7fffffffu, 2, 3, 4};
    enum cudaChannelFormatKind s = cudaChannelFormatKindSigned;
    enum cudaChannelFormatKind u = cudaChannelFormatKindUnsigned;
    enum cudaChannelFormatKind f = cudaChannelFormatKindFloat;
    load();
    sample_format((struct cudaChannelFormatDesc){8, 8, 8, 8, u}, bytes, 8, "4 x 8 unsigned");
    sample_format((struct cudaChannelFormatDesc){8, 8, 8, 8, s}, bytes, 8, "4 x 8 signed");
    sample_format((struct cudaChannelFormatDesc){8, 8, 0, 0, u}, bytes, 4, "2 x 8 unsigned");
    sample_format((struct cudaChannelFormatDesc){8, 0, 0, 0, s}, bytes + 2, 2, "1 x 8 signed");
    sample_format((struct cudaChannelFormatDesc){16, 16, 16, 16, u}, shorts, 16, "4 x 16 unsigned");
    sample_format((struct cudaChannelFormatDesc){16, 16, 16, 16, s}, shorts, 16, "4 x 16 signed");
    sample_format((struct cudaChannelFormatDesc){16, 0, 0, 0, u}, shorts + 1, 4, "1 x 16 unsigned");
    sample_format((struct cudaChannelFormatDesc){16, 16, 16, 16, f}, halves, 16, "4 x 16 float");
    sample_format((struct cudaChannelFormatDesc){16, 0, 0, 0, f}, halves, 4, "1 x 16 float");
    sample_format((struct cudaChannelFormatDesc){32, 32, 32, 32, f}, floats, 32, "4 x 32 float");
    sample_format((struct cudaChannelFormatDesc){32, 32, 0, 0, f}, floats, 16, "2 x 32 float");
    sample_format((struct cudaChannelFormatDesc){32, 32, 32, 32, u}, words, 32, "4 x 32 unsigned");
    sample_format((struct cudaChannelFormatDesc){32, 0, 0, 0, s}, words + 2, 8, "1 x 32 signed");
}

void case_texture_values_memory(void)
{
    static const struct point at[] = {{0, 0, 0, 0},  {1, 0, 0, 0},  {15, 0, 0, 0},  {16, 0, 0, 0},
                                      {-1, 0, 0, 0}, {17, 0, 0, 0}, {1000, 0, 0, 0}};
    static const struct point flat[] = {
        {0.5f, 0.5f, 0, 0}, {1.5f, 2.5f, 0, 0}, {2.25f, 1.75f, 0, 0}, {-4, 1.5f, 0, 0},
        {9, 1.5f, 0, 0},    {2.5f, 40, 0, 0},   {4.75f, 1.5f, 0, 0}};
    float texels[512];
    struct cudaResourceDesc resource = {0};
    struct cudaTextureDesc t = {0};
    cudaTextureObject_t texture = 0;
    load();
    for (int i = 0; i < 512; i++) {
        texels[i] = (float)(i + 1);
    }
    void *memory = device_block(4096);
    REQUIRE(cudaMemcpy(memory, texels, sizeof texels, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = float_desc;
    resource.res.linear.sizeInBytes = 16 * sizeof(float);
    REQUIRE(cudaCreateTextureObject(&texture, &resource, &t, NULL));
    record("fetch1", texture, at, sizeof at / sizeof at[0], "linear memory");
    REQUIRE(cudaMemset(memory, 0, 8));
    record("fetch1", texture, at, sizeof at / sizeof at[0], "linear memory written later");
    resource.res.linear.desc =
        (struct cudaChannelFormatDesc){8, 8, 0, 0, cudaChannelFormatKindUnsigned};
    resource.res.linear.sizeInBytes = 64;
    REQUIRE(cudaCreateTextureObject(&texture, &resource, &t, NULL));
    record_all("fetch1_words", texture, at + 1, 2, true, "linear memory of 2 x 8 unsigned");
    t.readMode = cudaReadModeNormalizedFloat;
    REQUIRE(cudaCreateTextureObject(&texture, &resource, &t, NULL));
    record_all("fetch1", texture, at + 1, 2, false, "linear memory, normalized");
    memset(&t, 0, sizeof t);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = float_desc;
    resource.res.pitch2D.width = 5;
    resource.res.pitch2D.height = 7;
    resource.res.pitch2D.pitchInBytes = 64;
    for (int mode = 1; mode < 4; mode += 2) {
        for (int filter = 0; filter < 2; filter++) {
            char label[80];
            t.addressMode[0] = t.addressMode[1] = (enum cudaTextureAddressMode)mode;
            t.filterMode = (enum cudaTextureFilterMode)filter;
            t.borderColor[0] = 50;
            REQUIRE(cudaCreateTextureObject(&texture, &resource, &t, NULL));
            snprintf(label, sizeof label, "pitched memory, mode %d, filter %d", mode, filter);
            record("sample2", texture, flat, sizeof flat / sizeof flat[0], label);
        }
    }
}

void case_texture_values_views(void)
{
    static const struct point at[] = {{1.5f, 2.5f, 0, 0}, {1.5f, 2.5f, 1, 0}, {1.5f, 2.5f, 2, 0}};
    struct cudaResourceDesc resource = {0};
    struct cudaTextureDesc t = {0};
    struct cudaResourceViewDesc v = {0};
    cudaTextureObject_t texture = 0;
    load();
    resource.res.array.array = make_array(SIDE, SIDE, 4, cudaArrayLayered);
    t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
    v.format = cudaResViewFormatFloat1;
    v.width = v.height = SIDE;
    v.depth = 4;
    v.firstLayer = 1;
    v.lastLayer = 2;
    if (cudaCreateTextureObject(&texture, &resource, &t, &v) == cudaSuccess) {
        record("layered2", texture, at, 3, "layers 1 to 2 of 4");
    }
    v.depth = 2;
    if (cudaCreateTextureObject(&texture, &resource, &t, &v) == cudaSuccess) {
        record("layered2", texture, at, 3, "layers 1 to 2 of 4, depth 2");
    }
    cudaGetLastError();
    resource.res.array.array = make_array(SIDE, SIDE, 0, 0);
    memset(&v, 0, sizeof v);
    v.format = cudaResViewFormatUnsignedInt1;
    v.width = v.height = SIDE;
    REQUIRE(cudaCreateTextureObject(&texture, &resource, &t, &v));
    record_all("sample2_words", texture, at, 1, true, "floats viewed as unsigned integers");
}
