/* Tests of several platforms in one process, and of several devices of one: PoCL's devices, which a layer shows as a GPU's
 * and as another platform's.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>

#include "tests/cl/captured.h"
#include "tests/facade/runtime_support.h"

enum { COUNT = 1000 };

static const char text[] =
    "__kernel void add(__global int *p, int by) { p[get_global_id(0)] += by; }\n";

static const char ptx_text[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                               ".visible .entry add(.param .u64 p, .param .u32 by)\n"
                               "{\n.reg .b32 %r<6>; .reg .b64 %d<4>;\n"
                               "ld.param.u64 %d1, [p];\nld.param.u32 %r1, [by];\n"
                               "cvta.to.global.u64 %d1, %d1;\nmov.u32 %r2, %ctaid.x;\n"
                               "mov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\n"
                               "mad.lo.u32 %r2, %r2, %r3, %r4;\nmul.wide.u32 %d2, %r2, 4;\n"
                               "add.u64 %d1, %d1, %d2;\nld.global.u32 %r5, [%d1];\n"
                               "add.u32 %r5, %r5, %r1;\nst.global.u32 [%d1], %r5;\nret;\n}\n";

/* Before the first call of CUDA's. gpus: of two devices, how many are GPUs; choice: CLEM_DEVICE, or NULL. */
static int show(const char *gpus, const char *choice)
{
    int count = 0;
#ifdef STUB_PLATFORMS
    setenv("OPENCL_LAYERS", STUB_PLATFORMS, 1);
#endif
    setenv("POCL_DEVICES", "pthread pthread", 1);
    setenv("STUB_GPUS", gpus, 1);
    unsetenv("CUDA_VISIBLE_DEVICES");
    choice != NULL ? setenv("CLEM_DEVICE", choice, 1) : unsetenv("CLEM_DEVICE");
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

static clemDeviceInfo info_of(int device)
{
    clemDeviceInfo info;
    assert_success(clemGetDeviceInfo(&info, device));
    return info;
}

static void need_layer(void)
{
#ifndef STUB_PLATFORMS
    TEST_SKIP("there are no headers of OpenCL's layers");
#endif
    if (show("0", "all") != 2 || strcmp(info_of(0).platformName, info_of(1).platformName) == 0)
        TEST_SKIP("the loader has no layers, or PoCL is not the only driver");
}

/* ---- Which devices there are ---- */

TEST_BODY(platforms_cpus_are_hidden_beside_a_gpu)
{
    const int count = show("1", NULL);
    if (count == 0 || strcmp(info_of(0).platformName, "Portable Computing Language") != 0)
        TEST_SKIP("PoCL is not the first driver");
    if (count == 2 && strcmp(info_of(0).platformName, info_of(1).platformName) == 0)
        TEST_SKIP("the loader has no layers");
#ifdef STUB_PLATFORMS
    assert_int_equal(count, 1);
    assert_int_equal(info_of(0).deviceClass, 0);
#endif
}

TEST_BODY(platforms_cpus_are_shown_without_a_gpu)
{
    if (show("0", NULL) < 2)
        TEST_SKIP("PoCL is not the only driver");
    assert_int_equal(info_of(0).deviceClass, 2);
    assert_int_equal(info_of(1).deviceClass, 2);
}

/* The index is that of the full list, the GPU's is 0. */
TEST_BODY(platforms_a_hidden_cpu_is_had_by_its_index)
{
    if (show("1", "1") != 1)
        TEST_SKIP("PoCL is not the only driver");
    assert_int_equal(info_of(0).deviceClass, 2);
}

/* ---- Memory ---- */

struct memory {
    const char *name;
    int *p;
};

static void free_memory(const struct memory memory[3])
{
    assert_success(cudaFree(memory[0].p));
    assert_success(cudaFree(memory[1].p));
    assert_success(cudaFreeHost(memory[2].p));
}

/* Of the current device; no managed memory is no error. */
static void make_memory(struct memory memory[3])
{
    memset(memory, 0, 3 * sizeof *memory);
    memory[0].name = "device";
    memory[1].name = "managed";
    memory[2].name = "portable";
    assert_success(cudaMalloc((void **)&memory[0].p, COUNT * sizeof(int)));
    if (cudaMallocManaged((void **)&memory[1].p, COUNT * sizeof(int), cudaMemAttachGlobal) !=
        cudaSuccess) {
        memory[1].p = NULL;
        (void)cudaGetLastError();
    }
    assert_success(cudaHostAlloc((void **)&memory[2].p, COUNT * sizeof(int),
                                 cudaHostAllocPortable | cudaHostAllocMapped));
    for (int i = 0; i < 3; i++)
        if (memory[i].p)
            assert_success(cudaMemset(memory[i].p, 0, COUNT * sizeof(int)));
    assert_success(cudaDeviceSynchronize());
}

static cudaError_t launch_add(const void *kernel, int *p, int by)
{
    void *args[] = {&p, &by};
    const cudaError_t error = launch_1d(kernel, COUNT / 100, 100, args, 0, NULL);
    return error == cudaSuccess ? cudaDeviceSynchronize() : error;
}

static void expect_words(const int *p, int value)
{
    int got[COUNT];
    assert_success(cudaMemcpy(got, p, sizeof got, cudaMemcpyDefault));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(got[i], value);
}

static void refuse_foreign(const char *code)
{
    struct memory foreign[3], own[3];
    char printed[2048];
    int can = 1;
    need_layer();
    assert_success(cudaSetDevice(0));
    make_memory(foreign);
    assert_success(cudaSetDevice(1));
    make_memory(own);
    cudaLibrary_t library = load_text(code);
    const void *add = find_kernel(library, "add");
    for (int i = 0; i < 3; i++) {
        struct capture capture = capture_begin();
        const cudaError_t error =
            foreign[i].p ? launch_add(add, foreign[i].p + 1, 5) : cudaErrorNotSupported;
        capture_end(&capture, printed, sizeof printed);
        assert_int_equal(error, cudaErrorNotSupported);
        (void)cudaGetLastError();
        if (i == 0)
            assert_non_null(strstr(printed, "(Portable Computing Language), and it would run on"));
        assert_true(count_text(printed, "\n") <= 1);
        if (own[i].p) {
            assert_success(launch_add(add, own[i].p, 5));
            expect_words(own[i].p, 5);
        }
    }
    assert_success(launch_add(add, own[0].p, 2));
    assert_success(cudaMemcpy(foreign[0].p, own[0].p, COUNT * sizeof(int), cudaMemcpyDefault));
    expect_words(foreign[0].p, 7);
    assert_success(cudaDeviceCanAccessPeer(&can, 1, 0));
    assert_int_equal(can, 0);
    free_memory(own);
    free_memory(foreign);
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(platforms_kernels_refuse_memory_of_another)
{
    refuse_foreign(text);
}

TEST_BODY(platforms_kernels_of_ptx_refuse_memory_of_another)
{
    refuse_foreign(ptx_text);
}

/* Numbers that are no address stay numbers. */
TEST_BODY(platforms_numbers_are_no_memory)
{
    static const char numbers[] = "__kernel void keep(__global ulong *p, ulong a) { p[0] = a; }\n";
    uint64_t *foreign = NULL, *own = NULL, got = 0;
    need_layer();
    assert_success(cudaSetDevice(0));
    assert_success(cudaMalloc((void **)&foreign, 8));
    assert_success(cudaSetDevice(1));
    assert_success(cudaMalloc((void **)&own, 8));
    cudaLibrary_t library = load_text(numbers);
    void *args[] = {&own, &foreign};
    assert_success(launch_1d(find_kernel(library, "keep"), 1, 1, args, 0, NULL));
    assert_success(cudaMemcpy(&got, own, 8, cudaMemcpyDeviceToHost));
    assert_true(got == (uint64_t)(uintptr_t)foreign);
    assert_success(cudaFree(own));
    assert_success(cudaFree(foreign));
    assert_success(cudaLibraryUnload(library));
}

/* Devices of one platform: no layer. */
TEST_BODY(platforms_devices_of_one_share_managed_and_portable_memory)
{
    struct memory memory[3];
    int count = 0;
    setenv("POCL_DEVICES", "pthread pthread", 0);
    if (cudaGetDeviceCount(&count) != cudaSuccess || count < 2 ||
        strcmp(info_of(0).platformName, info_of(1).platformName) != 0)
        TEST_SKIP("there are no two devices of one platform");
    if (info_of(0).address == clemAddressHandle)
        TEST_SKIP("under the handle strategy kernels reach what is their context's");
    assert_success(cudaSetDevice(0));
    make_memory(memory);
    assert_success(cudaSetDevice(1));
    cudaLibrary_t library = load_text(text);
    const void *add = find_kernel(library, "add");
    for (int i = 1; i < 3; i++) {
        if (!memory[i].p)
            continue;
        assert_success(launch_add(add, memory[i].p, 5 + i));
        for (int k = 0; k < COUNT; k++)
            assert_int_equal(memory[i].p[k], 5 + i);
    }
    free_memory(memory);
    assert_success(cudaLibraryUnload(library));
}
