/* CUDA's calls behind a kernel that fails.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "clem.h"
#include "wild.h"

enum { BYTES = 1 << 16, SLOW_MS = 2000, NOT_POSSIBLE = 77 };

static const char kernels[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .entry hurt(.param .u64 address, .param .u32 how)\n"
    "{ .reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [address]; ld.param.u32 %r1, [how];\n"
    "  setp.eq.u32 %p1, %r1, 3; @%p1 bra TRAP;\n"
    "  mov.u32 %r2, 7;\n"
    "  setp.ne.u32 %p2, %r1, 1; @%p2 bra WRITE;\n"
    "  ld.volatile.global.u32 %r2, [%d1]; bra.uni END;\n"
    "WRITE: st.volatile.global.u32 [%d1], %r2; bra.uni END;\n"
    "TRAP: trap;\n"
    "END: ret; }\n"
    ".visible .entry fill(.param .u64 memory)\n"
    "{ .reg .b32 %r<2>; .reg .b64 %d<2>;\n"
    "  ld.param.u64 %d1, [memory]; mov.u32 %r1, 42; st.global.u32 [%d1], %r1; ret; }\n";

/* All that the calls are made with, and what they make, which the reset frees. */
static struct {
    cudaLibrary_t code, other_code;
    cudaKernel_t hurt, fill;
    cudaStream_t stream, other_stream;
    cudaEvent_t event, other_event;
    char *device, *pinned, *managed, *other;
    cudaArray_t array;
    char host[BYTES];
} it;

static void nothing(void *data)
{
    (void)data;
}

static cudaError_t launch_fill(cudaStream_t stream)
{
    void *args[] = {&it.device};
    return cudaLaunchKernel((const void *)it.fill, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0,
                            stream);
}

/* ---- The calls ---- */

static size_t sizes[2];
static int number;
static struct cudaDeviceProp properties;
static struct cudaPointerAttributes pointer;
static struct cudaFuncAttributes function;
static const struct cudaChannelFormatDesc texel = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
static CUdeviceptr driver_memory;
static CUcontext driver_context;
static CUmodule driver_module;

#define CALLS(X)                                                                                   \
    X(cudaDeviceSynchronize, ())                                                                   \
    X(cudaGetLastError, ())                                                                        \
    X(cudaPeekAtLastError, ())                                                                     \
    X(cudaStreamSynchronize, (it.stream))                                                          \
    X(cudaStreamQuery, (it.stream))                                                                \
    X(cudaStreamCreate, (&it.other_stream))                                                        \
    X(cudaStreamDestroy, (it.stream))                                                              \
    X(cudaStreamWaitEvent, (it.stream, it.event, 0))                                               \
    X(cudaEventCreate, (&it.other_event))                                                          \
    X(cudaEventRecord, (it.event, it.stream))                                                      \
    X(cudaEventQuery, (it.event))                                                                  \
    X(cudaEventSynchronize, (it.event))                                                            \
    X(cudaEventDestroy, (it.event))                                                                \
    X(cudaMalloc, ((void **)&it.other, BYTES))                                                     \
    X(cudaFree, (it.device))                                                                       \
    X(cudaMallocHost, ((void **)&it.other, BYTES))                                                 \
    X(cudaFreeHost, (it.pinned))                                                                   \
    X(cudaHostRegister, (it.host, BYTES, 0))                                                       \
    X(cudaMallocManaged, ((void **)&it.other, BYTES, cudaMemAttachGlobal))                         \
    X(cudaMallocAsync, ((void **)&it.other, BYTES, it.stream))                                     \
    X(cudaMallocArray, (&it.array, &texel, 64, 64, 0))                                             \
    X(cudaMemGetInfo, (&sizes[0], &sizes[1]))                                                      \
    X(cudaMemcpy, (it.host, it.device, BYTES, cudaMemcpyDeviceToHost))                             \
    X(cudaMemcpyAsync, (it.device, it.pinned, BYTES, cudaMemcpyHostToDevice, it.stream))           \
    X(cudaMemcpy2D, (it.device, 128, it.host, 128, 64, 64, cudaMemcpyHostToDevice))                \
    X(cudaMemset, (it.device, 0, BYTES))                                                           \
    X(cudaMemsetAsync, (it.device, 0, BYTES, it.stream))                                           \
    X(cudaMemPrefetchAsync,                                                                        \
      (it.managed, BYTES, (struct cudaMemLocation){cudaMemLocationTypeDevice, 0}, 0, it.stream))   \
    X(launch_fill, (it.stream))                                                                    \
    X(cudaLaunchHostFunc, (it.stream, nothing, NULL))                                              \
    X(cudaLibraryLoadData, (&it.other_code, kernels, NULL, NULL, 0, NULL, NULL, 0))                \
    X(cudaLibraryUnload, (it.code))                                                                \
    X(cudaFuncGetAttributes, (&function, (const void *)it.fill))                                   \
    X(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (&number, (const void *)it.fill, 64, 0))      \
    X(cudaPointerGetAttributes, (&pointer, it.device))                                             \
    X(cudaGetDeviceCount, (&number))                                                               \
    X(cudaGetDeviceProperties, (&properties, 0))                                                   \
    X(cudaDeviceGetAttribute, (&number, cudaDevAttrWarpSize, 0))                                   \
    X(cudaSetDevice, (0))                                                                          \
    X(cuCtxSynchronize, ())                                                                        \
    X(cuMemAlloc, (&driver_memory, BYTES))                                                         \
    X(cuMemsetD8, ((CUdeviceptr)(uintptr_t)it.device, 0, BYTES))                                   \
    X(cuModuleLoadData, (&driver_module, kernels))                                                 \
    X(cuDevicePrimaryCtxRetain, (&driver_context, 0))

#define MAKE(name, arguments)                                                                      \
    static int call_##name(void)                                                                   \
    {                                                                                              \
        return (int)name arguments;                                                                \
    }
CALLS(MAKE)

static const struct {
    const char *name;
    int (*call)(void);
} calls[] = {
#define ROW(name, arguments) {#name, call_##name},
    CALLS(ROW)};

/* ---- One process ---- */

struct visit {
    size_t call;
    enum hurt hurt;
    enum moment moment;
};

static int first_error(int a, int b)
{
    return a != 0 ? a : b;
}

static int prepare(void)
{
    int error = (int)cudaLibraryLoadData(&it.code, kernels, NULL, NULL, 0, NULL, NULL, 0);
    error = first_error(error, (int)cudaLibraryGetKernel(&it.hurt, it.code, "hurt"));
    error = first_error(error, (int)cudaLibraryGetKernel(&it.fill, it.code, "fill"));
    error = first_error(error, (int)cudaStreamCreate(&it.stream));
    error = first_error(error, (int)cudaEventCreate(&it.event));
    error = first_error(error, (int)cudaMalloc((void **)&it.device, BYTES));
    error = first_error(error, (int)cudaMallocHost((void **)&it.pinned, BYTES));
    error = first_error(error, (int)cudaMallocManaged((void **)&it.managed, BYTES, 1));
    error = first_error(error, (int)launch_fill(it.stream));
    return first_error(error, (int)cudaDeviceSynchronize());
}

static int launch_hurt(enum hurt hurt)
{
    uint64_t address = hurt == HURT_MISALIGNED ? (uint64_t)(uintptr_t)it.device + 1 : WILD_ADDRESS;
    int how = (int)hurt;
    void *args[] = {&address, &how};
    const int error = (int)cudaLaunchKernel((const void *)it.hurt, (dim3){1, 1, 1}, (dim3){1, 1, 1},
                                            args, 0, it.stream);
    return first_error(error, (int)cudaEventRecord(it.event, it.stream));
}

/* A device that was reset allocates, and runs a kernel that is loaded anew. */
static int work_anew(void)
{
    int value = 0;
    memset(&it, 0, sizeof it);
    int error = prepare();
    error = first_error(error, (int)cudaMemcpy(&value, it.device, 4, cudaMemcpyDeviceToHost));
    return error == 0 && value != 42 ? (int)cudaErrorUnknown : error;
}

static long milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static const char *named(int error)
{
    return error == 0 ? "0" : cudaGetErrorName((cudaError_t)error);
}

/* The failure that a call which waits was the first to tell stays: whatever fails behind it fails with that. */
static int visit_call(void *argument)
{
    const struct visit *visit = argument;
    int error = prepare();
    if (error != 0) {
        printf("%-34s cannot be prepared: %s\n", calls[visit->call].name, named(error));
        return 1;
    }
    error = launch_hurt(visit->hurt);
    if (visit->moment == UNTOLD)
        usleep(UNTOLD_US);
    if (visit->moment == TOLD)
        error = (int)cudaDeviceSynchronize();
    const long start = milliseconds();
    const int once = calls[visit->call].call(), told = (int)cudaDeviceSynchronize();
    const int again = (int)cudaStreamQuery(NULL), kept = (int)cudaGetLastError();
    const long took = milliseconds() - start;
    const int reset = (int)cudaDeviceReset(), anew = work_anew();
    const bool stays =
        told != 0 && again == told && (once == 0 || once == told || once == cudaErrorNotReady);
    const bool is_right = stays && took < SLOW_MS && reset == 0 && anew == 0;
    printf("%-34s %s, then %s, %s, last error %s; %ld ms; reset %s, anew %s%s\n",
           calls[visit->call].name, named(once), named(told), named(again), named(kept), took,
           named(reset), named(anew), is_right ? "" : "   WRONG");
    return is_right ? 0 : 1;
}

static int ask_whether_cpu(void *argument)
{
    clemDeviceInfo info;
    (void)argument;
    return cudaFree(NULL) == cudaSuccess && clemGetDeviceInfo(&info, 0) == cudaSuccess &&
                   info.deviceClass != 2
               ? 0
               : NOT_POSSIBLE;
}

int wild_cuda(enum hurt hurt, const char *only)
{
    static const char *const moments[MOMENTS] = {"at once", "when it has failed, untold", "told"};
    int wrong = 0, count = 0;
    if (hurt != HURT_TRAP && wild_child("device", ask_whether_cpu, NULL) != 0) {
        puts("skipped: a CPU's kernels run in this process");
        return NOT_POSSIBLE;
    }
    for (int moment = 0; moment < MOMENTS; moment++) {
        printf("---- %s\n", moments[moment]);
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
            struct visit visit = {i, hurt, (enum moment)moment};
            if (only != NULL && strcmp(only, calls[i].name) != 0)
                continue;
            count++;
            wrong += wild_child(calls[i].name, visit_call, &visit) != 0;
        }
    }
    printf("%d of %d right\n", count - wrong, count);
    return wrong != 0;
}
