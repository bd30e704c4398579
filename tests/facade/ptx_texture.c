/* Textures and surfaces of PTX kernels: handles as parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include "tests/facade/driver_support.h"

enum { SIDE = 8 };

#define FETCH(handle)                                                                              \
    "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [" handle ", {%f1,%f2}];\n"                              \
    "st.global.f32 [%rd3], %f3;\nret;\n}\n"
/* Thread (x, y) writes element y * 8 + x of out; f1, f2 are its texel's middle. */
#define BEGIN(name)                                                                                \
    ".visible .entry " name "(.param .u64 handle, .param .u64 out)\n{\n"                           \
    ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n"                                      \
    "ld.param.u64 %rd1, [handle];\nld.param.u64 %rd2, [out];\n"                                    \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nshl.b32 %r3, %r2, 3;\nadd.u32 %r3, %r3, %r1;\n"   \
    "mul.wide.u32 %rd3, %r3, 4;\nadd.u64 %rd3, %rd2, %rd3;\n"                                      \
    "cvt.rn.f32.u32 %f1, %r1;\ncvt.rn.f32.u32 %f2, %r2;\n"                                         \
    "add.f32 %f1, %f1, 0f3F000000;\nadd.f32 %f2, %f2, 0f3F000000;\n"

static const char kernels[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n" BEGIN("by_parameter") FETCH("%rd1")
    /* Doubles each texel of the surface. */
    BEGIN("by_surface") "shl.b32 %r4, %r1, 2;\nsuld.b.2d.b32.trap {%r5}, [%rd1, {%r4,%r2}];\n"
                        "mov.b32 %f3, %r5;\nadd.f32 %f3, %f3, %f3;\nmov.b32 %r5, %f3;\n"
                        "sust.b.2d.b32.trap [%rd1, {%r4,%r2}], {%r5};\nret;\n}\n";

struct picture {
    CUarray array;
    CUtexObject texture;
    CUsurfObject surface;
    CUdeviceptr out;
    CUmodule module;
    float texels[SIDE * SIDE];
};

static void copy_picture(struct picture *made, bool to_array)
{
    const CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                              .srcHost = made->texels,
                              .srcPitch = SIDE * 4,
                              .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                              .dstArray = made->array,
                              .WidthInBytes = SIDE * 4,
                              .Height = SIDE};
    const CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                               .srcArray = made->array,
                               .dstMemoryType = CU_MEMORYTYPE_HOST,
                               .dstHost = made->texels,
                               .dstPitch = SIDE * 4,
                               .WidthInBytes = SIDE * 4,
                               .Height = SIDE};
    assert_driver(cuMemcpy2D(to_array ? &in : &out));
}

static void open_picture(struct picture *made)
{
    driver_use_primary();
    const CUDA_ARRAY3D_DESCRIPTOR desc = {
        SIDE, SIDE, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    assert_driver(cuArray3DCreate(&made->array, &desc));
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        made->texels[i] = (float)i * 0.5f + 1;
    copy_picture(made, true);
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = made->array};
    const CUDA_TEXTURE_DESC how = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}};
    assert_driver(cuTexObjectCreate(&made->texture, &resource, &how, NULL));
    assert_driver(cuSurfObjectCreate(&made->surface, &resource));
    made->out = driver_allocate(SIDE * SIDE * 4);
    assert_driver(cuModuleLoadData(&made->module, kernels));
}

static void close_picture(struct picture *made)
{
    assert_driver(cuModuleUnload(made->module));
    assert_driver(cuMemFree(made->out));
    assert_driver(cuSurfObjectDestroy(made->surface));
    assert_driver(cuTexObjectDestroy(made->texture));
    assert_driver(cuArrayDestroy(made->array));
}

static void run_kernel(struct picture *made, const char *name, uint64_t handle)
{
    CUfunction function = NULL;
    void *args[] = {&handle, &made->out};
    assert_driver(cuModuleGetFunction(&function, made->module, name));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, SIDE, SIDE, 1, 0, NULL, args, NULL));
}

static void assert_fetched(struct picture *made)
{
    float got[SIDE * SIDE] = {0};
    assert_driver(cuMemcpyDtoH(got, made->out, sizeof got));
    assert_memory_equal(got, made->texels, sizeof got);
}

TEST_BODY(ptx_texture_by_parameter)
{
    struct picture made = {0};
    open_picture(&made);
    run_kernel(&made, "by_parameter", made.texture);
    assert_fetched(&made);
    close_picture(&made);
}

TEST_BODY(ptx_surface_by_parameter)
{
    struct picture made = {0};
    float before[SIDE * SIDE];
    open_picture(&made);
    memcpy(before, made.texels, sizeof before);
    run_kernel(&made, "by_surface", made.surface);
    copy_picture(&made, false);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        assert_true(made.texels[i] == 2 * before[i]);
    close_picture(&made);
}
