/* What a kernel's trap or failed assertion leaves behind: every call that works in the context answers with it until the
 * device is reset.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "tests/facade/driver_support.h"

enum { BYTES = 1 << 16 };

/* Source: the sticky errors of the CUDA Runtime API 13.0, cudaErrorAssert and cudaErrorLaunchFailure. */
static const char code[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".extern .func __assertfail (.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, "
    ".param .b64 c);\n"
    ".global .align 1 .b8 text[2] = {120, 0};\n"
    ".visible .entry stop()\n{\ntrap;\nret;\n}\n"
    ".visible .entry check()\n{\n.reg .b64 %rd<4>;\n.reg .b32 %r<2>;\n"
    "mov.u64 %rd1, text;\ncvta.global.u64 %rd2, %rd1;\nmov.u32 %r1, 1;\nmov.u64 %rd3, 1;\n"
    "{\n.param .b64 m;\nst.param.b64 [m], %rd2;\n.param .b64 f;\nst.param.b64 [f], %rd2;\n"
    ".param .b32 l;\nst.param.b32 [l], %r1;\n.param .b64 n;\nst.param.b64 [n], %rd2;\n"
    ".param .b64 c;\nst.param.b64 [c], %rd3;\ncall.uni __assertfail, (m, f, l, n, c);\n}\n"
    "ret;\n}\n";

static struct things {
    void *device, *pinned, *managed, *plain;
    cudaStream_t stream;
    cudaEvent_t event, recorded;
    cudaArray_t array;
    CUmodule module;
    CUfunction stop, check;
} things;

static void make_things(struct things *t)
{
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    driver_use_primary();
    assert_int_equal(cudaMalloc(&t->device, BYTES), cudaSuccess);
    assert_int_equal(cudaMallocHost(&t->pinned, BYTES), cudaSuccess);
    assert_int_equal(cudaMallocManaged(&t->managed, BYTES, cudaMemAttachGlobal), cudaSuccess);
    t->plain = calloc(2, BYTES);
    assert_non_null(t->plain);
    assert_int_equal(cudaStreamCreate(&t->stream), cudaSuccess);
    assert_int_equal(cudaEventCreate(&t->event), cudaSuccess);
    assert_int_equal(cudaEventCreate(&t->recorded), cudaSuccess);
    assert_int_equal(cudaEventRecord(t->recorded, NULL), cudaSuccess);
    assert_int_equal(cudaMallocArray(&t->array, &format, 16, 16, 0), cudaSuccess);
    assert_driver(cuModuleLoadData(&t->module, code));
    assert_driver(cuModuleGetFunction(&t->stop, t->module, "stop"));
    assert_driver(cuModuleGetFunction(&t->check, t->module, "check"));
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
}

static int wrong;

static void expect(int got, int expected, const char *call)
{
    if (got == expected)
        return;
    print_message("%s: %d in place of %d\n", call, got, expected);
    wrong++;
}

#define EXPECT(call) expect((int)(call), error, #call)

static void call_memory(const struct things *t, int error)
{
    const struct cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    void *made = NULL, *plain = t->plain;
    char *end = (char *)t->plain + BYTES;
    size_t size = 0, total = 0, pitch = 0;
    EXPECT(cudaMalloc(&made, 16));
    EXPECT(cudaMallocPitch(&made, &pitch, 16, 16));
    EXPECT(cudaMallocHost(&made, 16));
    EXPECT(cudaHostAlloc(&made, 16, cudaHostAllocDefault));
    EXPECT(cudaMallocManaged(&made, 16, cudaMemAttachGlobal));
    EXPECT(cudaMallocAsync(&made, 16, t->stream));
    EXPECT(cudaHostRegister(plain, BYTES, cudaHostRegisterDefault));
    EXPECT(cudaMemGetInfo(&size, &total));
    EXPECT(cudaMemcpy(plain, t->device, 16, cudaMemcpyDeviceToHost));
    EXPECT(cudaMemcpy(t->device, plain, 16, cudaMemcpyHostToDevice));
    EXPECT(cudaMemcpy(end, plain, 16, cudaMemcpyHostToHost));
    EXPECT(cudaMemcpy(t->pinned, plain, 16, cudaMemcpyDefault));
    EXPECT(cudaMemcpyAsync(t->device, t->pinned, 16, cudaMemcpyDefault, t->stream));
    EXPECT(cudaMemcpy2D(t->device, 16, plain, 16, 16, 2, cudaMemcpyHostToDevice));
    EXPECT(cudaMemcpy2DToArray(t->array, 0, 0, plain, 64, 64, 2, cudaMemcpyHostToDevice));
    EXPECT(cudaMemset(t->device, 0, 16));
    EXPECT(cudaMemsetAsync(t->managed, 0, 16, t->stream));
    EXPECT(cudaMemPrefetchAsync(t->managed, BYTES, host, 0, NULL));
    EXPECT(cudaFreeAsync(t->device, t->stream));
}

static void call_streams(const struct things *t, int error)
{
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    float time = 0;
    EXPECT(cudaStreamCreate(&stream));
    EXPECT(cudaStreamQuery(NULL));
    EXPECT(cudaStreamQuery(t->stream));
    EXPECT(cudaStreamSynchronize(t->stream));
    EXPECT(cudaStreamWaitEvent(t->stream, t->recorded, 0));
    EXPECT(cudaEventCreate(&event));
    EXPECT(cudaEventRecord(t->event, t->stream));
    EXPECT(cudaEventQuery(t->recorded));
    EXPECT(cudaEventQuery(t->event));
    EXPECT(cudaEventSynchronize(t->recorded));
    EXPECT(cudaEventElapsedTime(&time, t->recorded, t->recorded));
    EXPECT(cuCtxSynchronize());
    EXPECT(cuStreamSynchronize(t->stream));
    EXPECT(cuEventQuery(t->recorded));
}

static void call_code(const struct things *t, int error)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    struct cudaFuncAttributes attributes;
    EXPECT(cuLaunchKernel(t->stop, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(cuModuleLoadData(&module, code));
    EXPECT(cuModuleGetFunction(&function, t->module, "stop"));
    EXPECT(cudaFuncGetAttributes(&attributes, (const void *)t->stop));
    EXPECT(cuMemAlloc(&memory, 16));
    EXPECT(cuMemcpyDtoH(t->plain, (CUdeviceptr)(uintptr_t)t->device, 16));
}

/* What is given back is given back all the same. */
static void call_ends(const struct things *t, int error)
{
    EXPECT(cudaFreeArray(t->array));
    EXPECT(cudaFreeHost(t->pinned));
    EXPECT(cudaFree(t->managed));
    EXPECT(cudaFree(t->device));
    EXPECT(cudaFree(NULL));
    EXPECT(cudaEventDestroy(t->event));
    EXPECT(cudaEventDestroy(t->recorded));
    EXPECT(cudaStreamDestroy(t->stream));
    EXPECT(cuModuleUnload(t->module));
}

static void call_everything(struct things *t, CUfunction kernel, int error)
{
    void *memory = NULL;
    int count = 0;
    assert_driver(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(cudaDeviceSynchronize());
    call_memory(t, error);
    call_streams(t, error);
    call_code(t, error);
    call_ends(t, error);
    /* What asks nothing of the context works, and arguments are looked at first. */
    assert_int_equal(cudaGetDeviceCount(&count), cudaSuccess);
    assert_int_equal(cudaMalloc(NULL, 16), cudaErrorInvalidValue);
    EXPECT(cudaDeviceSynchronize());
    assert_int_equal(wrong, 0);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
    free(t->plain);
    (void)cudaGetLastError();
    assert_int_equal(cudaMalloc(&memory, 16), cudaSuccess);
    assert_int_equal(cudaFree(memory), cudaSuccess);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_BODY(sticky_trap)
{
    setenv("CLEM_PTX", "text", 1);
    make_things(&things);
    call_everything(&things, things.stop, cudaErrorLaunchFailure);
}

TEST_BODY(sticky_assert)
{
    setenv("CLEM_PTX", "text", 1);
    make_things(&things);
    call_everything(&things, things.check, cudaErrorAssert);
}
