/* Textures and surfaces of PTX kernels: handles as parameters, from memory and chosen at run time.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "tests/facade/driver_support.h"

enum { SIDE = 8 };

#define FETCH(handle)                                                                              \
    "tex.2d.v4.f32.f32 {%f3,%f4,%f5,%f6}, [" handle ", {%f1,%f2}];\n"                              \
    "st.global.f32 [%rd3], %f3;\nret;\n}\n"
/* Thread (x, y) writes element y * 8 + x of out; f1, f2 are its texel's middle. */
#define BEGIN(name)                                                                                \
    ".visible .entry " name "(.param .u64 handle, .param .u64 out)\n{\n"                           \
    ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<8>;\n.reg .f32 %f<8>;\n"                   \
    "ld.param.u64 %rd1, [handle];\nld.param.u64 %rd2, [out];\n"                                    \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nshl.b32 %r3, %r2, 3;\nadd.u32 %r3, %r3, %r1;\n"   \
    "mul.wide.u32 %rd6, %r3, 4;\nadd.u64 %rd3, %rd2, %rd6;\n"                                      \
    "cvt.rn.f32.u32 %f1, %r1;\ncvt.rn.f32.u32 %f2, %r2;\n"                                         \
    "add.f32 %f1, %f1, 0f3F000000;\nadd.f32 %f2, %f2, 0f3F000000;\n"

static const char kernels[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".global .texref old;\n.global .surfref canvas;\n" BEGIN("by_parameter") FETCH("%rd1")
    /* Doubles each texel of the surface. */
    BEGIN("by_surface") "shl.b32 %r4, %r1, 2;\nsuld.b.2d.b32.trap {%r5}, [%rd1, {%r4,%r2}];\n"
                        "mov.b32 %f3, %r5;\nadd.f32 %f3, %f3, %f3;\nmov.b32 %r5, %f3;\n"
                        "sust.b.2d.b32.trap [%rd1, {%r4,%r2}], {%r5};\nret;\n}\n"
    /* As nvcc names references, and as clang does; what becomes of handle is not read. */
    BEGIN("by_reference") FETCH("old")
        BEGIN("by_moved_reference") "mov.u64 %rd4, old;\n" FETCH("%rd4") BEGIN(
            "by_surface_reference") "shl.b32 %r4, %r1, 2;\nmov.u64 %rd4, canvas;\n"
                                    "suld.b.2d.b32.trap {%r5}, [%rd4, {%r4,%r2}];\n"
                                    "mov.b32 %f3, %r5;\nadd.f32 %f3, %f3, %f3;\nmov.b32 %r5, %f3;\n"
                                    "sust.b.2d.b32.trap [canvas, {%r4,%r2}], {%r5};\nret;\n}\n";

static const char table_kernels[] =
    /* handle is where it lies. */
    BEGIN("by_memory") "ld.global.u64 %rd4, [%rd1];\n" FETCH("%rd4")
        BEGIN("surface_by_memory") "ld.global.u64 %rd4, [%rd1];\nshl.b32 %r4, %r1, 2;\n"
                                   "suld.b.2d.b32.trap {%r5}, [%rd4, {%r4,%r2}];\n"
                                   "mov.b32 %f3, %r5;\nadd.f32 %f3, %f3, %f3;\nmov.b32 %r5, %f3;\n"
                                   "sust.b.2d.b32.trap [%rd4, {%r4,%r2}], {%r5};\nret;\n}\n"
    /* handle is where two lie, for threads of even and of odd x. */
    BEGIN("chosen") "ld.global.v2.u64 {%rd4, %rd5}, [%rd1];\nand.b32 %r4, %r1, 1;\n"
                    "setp.eq.u32 %p1, %r4, 0;\nselp.b64 %rd4, %rd4, %rd5, %p1;\n" FETCH("%rd4");

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
    char text[sizeof kernels + sizeof table_kernels];
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
    snprintf(text, sizeof text, "%s%s", kernels, table_kernels);
    assert_driver(cuModuleLoadData(&made->module, text));
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

/* ---- Objects that only the running kernel knows ---- */

/* Where kernels cannot follow addresses there is no table: those kernels are refused. */
static bool is_refused(const struct picture *made, const char *name, CUdeviceptr place)
{
    clemDeviceInfo info;
    CUfunction function = NULL;
    void *args[] = {&place, (void *)(uintptr_t)&made->out};
    assert_int_equal(clemGetDeviceInfo(&info, 0), cudaSuccess);
    if (info.address != clemAddressHandle)
        return false;
    assert_true(cuModuleGetFunction(&function, made->module, name) != CUDA_SUCCESS ||
                cuLaunchKernel(function, 1, 1, 1, SIDE, SIDE, 1, 0, NULL, args, NULL) !=
                    CUDA_SUCCESS);
    return true;
}

static CUdeviceptr place_of(const CUtexObject *objects, size_t count)
{
    CUdeviceptr place = driver_allocate(count * sizeof *objects);
    assert_driver(cuMemcpyHtoD(place, objects, count * sizeof *objects));
    return place;
}

TEST_BODY(ptx_texture_by_memory)
{
    struct picture made = {0};
    open_picture(&made);
    CUdeviceptr place = place_of(&made.texture, 1);
    if (!is_refused(&made, "by_memory", place)) {
        run_kernel(&made, "by_memory", place);
        assert_fetched(&made);
    }
    assert_driver(cuMemFree(place));
    close_picture(&made);
}

TEST_BODY(ptx_surface_by_memory)
{
    struct picture made = {0};
    float before[SIDE * SIDE];
    open_picture(&made);
    CUdeviceptr place = place_of(&made.surface, 1);
    memcpy(before, made.texels, sizeof before);
    if (!is_refused(&made, "surface_by_memory", place)) {
        run_kernel(&made, "by_parameter", made.texture); /* an image is made from it where it can */
        run_kernel(&made, "surface_by_memory", place);
        copy_picture(&made, false);
        for (unsigned i = 0; i < SIDE * SIDE; i++)
            assert_true(made.texels[i] == 2 * before[i]);
        run_kernel(&made, "by_parameter", made.texture);
        assert_fetched(&made);
    }
    assert_driver(cuMemFree(place));
    close_picture(&made);
}

TEST_BODY(ptx_texture_chosen_at_run_time)
{
    struct picture made = {0}, other = {0};
    float got[SIDE * SIDE];
    open_picture(&made);
    open_picture(&other);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        other.texels[i] = -made.texels[i];
    copy_picture(&other, true);
    CUdeviceptr place = place_of((const CUtexObject[]){made.texture, other.texture}, 2);
    if (!is_refused(&made, "chosen", place)) {
        run_kernel(&made, "chosen", place);
        assert_driver(cuMemcpyDtoH(got, made.out, sizeof got));
        for (unsigned i = 0; i < SIDE * SIDE; i++)
            assert_true(got[i] == (i % 2 ? other.texels[i] : made.texels[i]));
    }
    assert_driver(cuMemFree(place));
    close_picture(&other);
    close_picture(&made);
}

static CUtexObject texture_of(CUarray array)
{
    const CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY,
                                         .res.array.hArray = array};
    const CUDA_TEXTURE_DESC how = {
        .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP}};
    CUtexObject texture = 0;
    assert_driver(cuTexObjectCreate(&texture, &resource, &how, NULL));
    return texture;
}

/* Objects come and go, more than the table has rows at first; places of old ones are used again. */
TEST_BODY(ptx_texture_table_follows_objects)
{
    enum { MOST = 100 };
    struct picture made = {0};
    CUtexObject many[MOST];
    open_picture(&made);
    CUdeviceptr place = place_of(&made.texture, 1);
    if (!is_refused(&made, "by_memory", place)) {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < MOST; i++)
                many[i] = texture_of(made.array);
            for (int i = 0; i < MOST; i += 33) {
                made.texels[0] = (float)(round + i);
                copy_picture(&made, true);
                assert_driver(cuMemcpyHtoD(place, &many[i], sizeof many[i]));
                run_kernel(&made, "by_memory", place);
                assert_fetched(&made);
            }
            for (int i = 0; i < MOST; i++)
                assert_driver(cuTexObjectDestroy(many[i]));
        }
    }
    assert_driver(cuMemFree(place));
    close_picture(&made);
}

/* Each thread makes an object, lets a kernel find it, and ends it, again and again. */
static void *churn(void *argument)
{
    struct picture *made = argument;
    CUdeviceptr place = driver_allocate(sizeof(CUtexObject));
    for (int i = 0; i < 30; i++) {
        CUtexObject texture = texture_of(made->array);
        assert_driver(cuMemcpyHtoD(place, &texture, sizeof texture));
        assert_driver(cuMemsetD8(made->out, 0, SIDE * SIDE * 4));
        run_kernel(made, "by_memory", place);
        assert_fetched(made);
        assert_driver(cuTexObjectDestroy(texture));
    }
    assert_driver(cuMemFree(place));
    return NULL;
}

static void *churn_in_context(void *argument)
{
    driver_use_primary();
    return churn(argument);
}

TEST_BODY(ptx_texture_table_from_many_threads)
{
    enum { THREADS = 4 };
    struct picture made[THREADS] = {{0}};
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        open_picture(&made[i]);
        for (unsigned k = 0; k < SIDE * SIDE; k++)
            made[i].texels[k] += (float)(1000 * i);
        copy_picture(&made[i], true);
    }
    CUdeviceptr place = place_of(&made[0].texture, 1);
    if (!is_refused(&made[0], "by_memory", place)) {
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, churn_in_context, &made[i]), 0);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_driver(cuMemFree(place));
    for (int i = 0; i < THREADS; i++)
        close_picture(&made[i]);
}

/* ---- References of the module ---- */

static void launch_unbound(const struct picture *made, const char *name)
{
    uint64_t unread = 0;
    CUfunction function = NULL;
    void *args[] = {&unread, (void *)(uintptr_t)&made->out};
    assert_driver(cuModuleGetFunction(&function, made->module, name));
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, SIDE, SIDE, 1, 0, NULL, args, NULL),
                     CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(ptx_texture_by_reference)
{
    static const char *const names[] = {"by_reference", "by_moved_reference"};
    struct picture made = {0};
    CUtexref reference = NULL;
    open_picture(&made);
    assert_int_equal(cuModuleGetTexRef(&reference, made.module, "new"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetTexRef(&reference, made.module, "canvas"), CUDA_ERROR_NOT_FOUND);
    assert_driver(cuModuleGetTexRef(&reference, made.module, "old"));
    launch_unbound(&made, "by_reference");
    assert_driver(cuTexRefSetArray(reference, made.array, CU_TRSA_OVERRIDE_FORMAT));
    for (int i = 0; i < 2; i++) {
        assert_driver(cuMemsetD8(made.out, 0, SIDE * SIDE * 4));
        run_kernel(&made, names[i], 0);
        assert_fetched(&made);
    }
    close_picture(&made);
}

TEST_BODY(ptx_surface_by_reference)
{
    struct picture made = {0};
    float before[SIDE * SIDE];
    CUsurfref reference = NULL;
    open_picture(&made);
    memcpy(before, made.texels, sizeof before);
    launch_unbound(&made, "by_surface_reference");
    assert_driver(cuModuleGetSurfRef(&reference, made.module, "canvas"));
    assert_driver(cuSurfRefSetArray(reference, made.array, 0));
    run_kernel(&made, "by_surface_reference", 0);
    copy_picture(&made, false);
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        assert_true(made.texels[i] == 2 * before[i]);
    close_picture(&made);
}
