/* What the tests of textures and surfaces share: arrays with known texels, kernels that read them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_TEXTURE_SUPPORT_H
#define TESTS_FACADE_TEXTURE_SUPPORT_H

#include "tests/facade/runtime_support.h"

enum { SIDE = 8, MOST_POINTS = 32 };

struct point {
    float x, y, z, w;
};

/* Each reads one texture at points of which its work-items have one each. */
static const char texture_kernels[] =
    "#include \"clem_device.h\"\n"
    "#define READER(name, texture, value)                                                    \\\n"
    "    kernel void name(texture(t), global float4 *out, global const float4 *at) {         \\\n"
    "        int i = (int)get_global_id(0);                                                  \\\n"
    "        float4 p = at[i];                                                               \\\n"
    "        out[i] = value;                                                                 \\\n"
    "    }\n"
    "READER(read_line, CLEM_TEXTURE1D_BUFFER, tex1Dfetch(float4, t, convert_int(p.x)))\n"
    "READER(read_2d, CLEM_TEXTURE2D, tex2D(float4, t, p.x, p.y))\n"
    "READER(read_words, CLEM_TEXTURE2D, as_float4(tex2D(uint4, t, p.x, p.y)))\n"
    "READER(read_layer, CLEM_TEXTURE2D_LAYERED, tex2DLayered(float4, t, p.x, p.y, (int)p.z))\n"
    "READER(read_level, CLEM_TEXTURE2D, tex2DLod(float4, t, p.x, p.y, p.z))\n";

static const struct cudaChannelFormatDesc float_desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
static const struct cudaChannelFormatDesc byte_desc = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
static const struct cudaChannelFormatDesc word_desc = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};

static inline float texel_at(size_t x, size_t y, size_t z)
{
    return (float)(1 + x + 16 * y + 256 * z);
}

/* An array of floats, texel_at(x, y, z + first) everywhere. */
static inline void fill_array(cudaArray_t array, size_t first)
{
    float texels[SIDE * SIDE * 6];
    struct cudaExtent extent;
    assert_success(cudaArrayGetInfo(NULL, &extent, NULL, array));
    size_t rows = extent.height != 0 ? extent.height : 1;
    size_t slices = extent.depth != 0 ? extent.depth : 1;
    for (size_t i = 0; i < extent.width * rows * slices; i++)
        texels[i] =
            texel_at(i % extent.width, i / extent.width % rows, i / extent.width / rows + first);
    struct cudaMemcpy3DParms copy = {
        .srcPtr = {texels, extent.width * sizeof(float), extent.width, rows},
        .dstArray = array,
        .extent = {extent.width, rows, slices},
        .kind = cudaMemcpyHostToDevice,
    };
    assert_success(cudaMemcpy3D(&copy));
}

static inline cudaArray_t make_array(size_t width, size_t height, size_t depth, unsigned flags)
{
    cudaArray_t array = NULL;
    assert_success(
        cudaMalloc3DArray(&array, &float_desc, (struct cudaExtent){width, height, depth}, flags));
    fill_array(array, 0);
    return array;
}

static inline struct cudaResourceDesc array_resource(cudaArray_t array)
{
    return (struct cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array.array = array};
}

static inline struct cudaTextureDesc clamped(void)
{
    return (struct cudaTextureDesc){
        .addressMode = {cudaAddressModeClamp, cudaAddressModeClamp, cudaAddressModeClamp}};
}

static inline cudaTextureObject_t make_texture(const struct cudaResourceDesc *resource,
                                               const struct cudaTextureDesc *texture)
{
    cudaTextureObject_t object = 0;
    assert_success(cudaCreateTextureObject(&object, resource, texture, NULL));
    assert_true(object != 0);
    return object;
}

static inline const void *texture_kernel(const char *name)
{
    static cudaLibrary_t library;
    if (library == NULL)
        library = load_text(texture_kernels);
    return find_kernel(library, name);
}

/* What a kernel reads at some points. */
static inline void read_points(const char *name, cudaTextureObject_t texture,
                               const struct point *at, unsigned count, struct point *out)
{
    void *out_block = NULL, *at_block = NULL;
    void *args[] = {&texture, &out_block, &at_block};
    assert_success(cudaMalloc(&out_block, count * sizeof *out));
    assert_success(cudaMalloc(&at_block, count * sizeof *at));
    assert_success(cudaMemcpy(at_block, at, count * sizeof *at, cudaMemcpyHostToDevice));
    assert_success(launch_1d(texture_kernel(name), 1, count, args, 0, NULL));
    assert_success(cudaMemcpy(out, out_block, count * sizeof *out, cudaMemcpyDeviceToHost));
    assert_success(cudaFree(out_block));
    assert_success(cudaFree(at_block));
}

static inline float read_x(const char *name, cudaTextureObject_t texture, float x, float y, float z)
{
    const struct point at = {x, y, z, 0};
    struct point out = {-1, -1, -1, -1};
    read_points(name, texture, &at, 1, &out);
    return out.x;
}

/* The tests run once for each way that kernels may read textures. It is chosen before the first call
 * of the runtime. */
static inline void read_by(const char *way)
{
    assert_int_equal(setenv("CLEM_TEXTURES", way, 1), 0);
}

#endif
