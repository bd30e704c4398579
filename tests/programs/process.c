/* A program that tests/facade/process.c starts: it ends with work queued, calls CUDA while it ends,
 * or finds no device.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include <clem.h>
#include <cuda.h>

static const char *const text = "__kernel void k(__global int *p) { p[0] += 5; }\n";

static cudaKernel_t kernel;
static cudaStream_t stream;
static void *memory;
static int is_checking_the_end;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            printf("line %d: not true: %s\n", __LINE__, #condition);                               \
            fflush(stdout);                                                                        \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void call_everything(void)
{
    const dim3 one = {1, 1, 1};
    void *p = NULL, *args[] = {&memory};
    int count = 0;
    CHECK(cudaMalloc(&p, 16) == cudaErrorCudartUnloading);
    CHECK(cudaGetLastError() == cudaErrorCudartUnloading);
    CHECK(cudaFree(memory) == cudaErrorCudartUnloading);
    CHECK(cudaMemset(memory, 0, 4) == cudaErrorCudartUnloading);
    CHECK(cudaMemcpy(&count, memory, 4, cudaMemcpyDeviceToHost) == cudaErrorCudartUnloading);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorCudartUnloading);
    CHECK(cudaStreamDestroy(stream) == cudaErrorCudartUnloading);
    CHECK(cudaLaunchKernel((const void *)kernel, one, one, args, 0, NULL) ==
          cudaErrorCudartUnloading);
    CHECK(cudaDeviceSynchronize() == cudaErrorCudartUnloading);
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess && count > 0);
}

static void handler(void)
{
    call_everything();
    puts("handler ran");
}

__attribute__((destructor)) static void at_the_end(void)
{
    if (!is_checking_the_end)
        return;
    call_everything();
    puts("destructor ran");
}

static void use(void)
{
    const dim3 one = {1, 1, 1};
    cudaLibrary_t library = NULL;
    int got = 0;
    void *args[] = {&memory};
    CHECK(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess);
    CHECK(cudaLibraryGetKernel(&kernel, library, "k") == cudaSuccess);
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    CHECK(cudaMalloc(&memory, 64) == cudaSuccess);
    CHECK(cudaMemset(memory, 0, 64) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaLaunchKernel((const void *)kernel, one, one, args, 0, stream) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaMemcpy(&got, memory, 4, cudaMemcpyDeviceToHost) == cudaSuccess);
    CHECK(got == 5);
}

static void queue_much(void)
{
    const dim3 one = {1, 1, 1};
    void *args[] = {&memory};
    for (int i = 0; i < 500; i++)
        CHECK(cudaLaunchKernel((const void *)kernel, one, one, args, 0, stream) == cudaSuccess);
}

/* Kernels that no cache has: drivers compile them when they are launched, and some behind that. */
static void compile_much(void)
{
    const dim3 one = {1, 1, 1};
    void *args[] = {&memory};
    char fresh[512];
    for (int i = 0; i < 4; i++) {
        cudaLibrary_t library = NULL;
        snprintf(fresh, sizeof fresh,
                 "__kernel void k(__global int *p) { __local int t[64]; t[get_local_id(0)] = p[0];"
                 " barrier(CLK_LOCAL_MEM_FENCE); p[1] = t[0] * %d + %ld; }\n",
                 i, (long)getpid() + time(NULL));
        CHECK(cudaLibraryLoadData(&library, fresh, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess);
        CHECK(cudaLibraryGetKernel(&kernel, library, "k") == cudaSuccess);
        CHECK(cudaLaunchKernel((const void *)kernel, one, one, args, 0, stream) == cudaSuccess);
    }
}

static void wait_forever(void *unused)
{
    (void)unused;
    for (;;)
        pause();
}

static void *close_another(void *context)
{
    usleep(300000); /* the main thread has returned from main() */
    if (cuCtxDestroy(context) == CUDA_SUCCESS)
        fputs("closed another context\n", stderr);
    return NULL;
}

/* Two contexts have work that never ends, and a third is closed while the program waits. */
static void never_end(void)
{
    CUcontext contexts[2];
    pthread_t thread;
    CUstream other;
    int is_integrated = 0;
    CHECK(cuCtxCreate(&contexts[0], NULL, 0, 0) == CUDA_SUCCESS);
    CHECK(cuCtxCreate(&contexts[1], NULL, 0, 0) == CUDA_SUCCESS);
    CHECK(cuStreamCreate(&other, 0) == CUDA_SUCCESS);
    CHECK(cuLaunchHostFunc(other, wait_forever, NULL) == CUDA_SUCCESS);
    CHECK(cudaLaunchHostFunc(stream, wait_forever, NULL) == cudaSuccess);
    CHECK(pthread_create(&thread, NULL, close_another, contexts[0]) == 0);
    CHECK(cudaDeviceGetAttribute(&is_integrated, cudaDevAttrIntegrated, 0) == cudaSuccess);
    if (!is_integrated)
        fputs("not a CPU\n", stderr);
}

/* The group may have 500 MB, and others have taken 300 of them. */
static void have_little(void)
{
    struct cudaDeviceProp properties;
    size_t left = 0, total = 0;
    void *p = NULL;
    CHECK(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    if (!properties.integrated)
        _exit(77);
    CHECK(properties.totalGlobalMem == 500000000);
    CHECK(cudaMemGetInfo(&left, &total) == cudaSuccess);
    CHECK(total == 500000000 && left <= 200000000 && left > 150000000);
    CHECK(cudaMalloc(&p, 250000000) == cudaErrorMemoryAllocation);
    CHECK(cudaMallocHost(&p, 250000000) == cudaErrorMemoryAllocation);
    CHECK(cudaMallocManaged(&p, 250000000, cudaMemAttachGlobal) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&p, 100000000) == cudaSuccess);
    CHECK(cudaFree(p) == cudaSuccess);
}

static void *go_on(void *number)
{
    enum { BYTES = 16 };
    const cudaStream_t own = (intptr_t)number % 2 ? cudaStreamPerThread : stream;
    char *part = (char *)memory + BYTES * (intptr_t)number;
    while (cudaMemsetAsync(part, 1, BYTES, own) == cudaSuccess)
        continue;
    return NULL;
}

/* Threads that work on while the program returns. */
static void leave_threads(void)
{
    pthread_t thread;
    for (intptr_t i = 0; i < 3; i++) {
        CHECK(pthread_create(&thread, NULL, go_on, (void *)i) == 0);
        CHECK(pthread_detach(thread) == 0);
    }
    usleep(20000);
}

static void *open_library(void *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const cudaError_t *early = library ? dlsym(library, "clem_test_early") : NULL;
    int is_integrated = 0;
    CHECK(early);
    CHECK(cudaDeviceGetAttribute(&is_integrated, cudaDevAttrIntegrated, 0) == cudaSuccess);
    CHECK(*early == (is_integrated ? cudaErrorDevicesUnavailable : cudaSuccess));
    CHECK(cudaMalloc(&memory, 64) == cudaSuccess);
    CHECK(cudaFree(memory) == cudaSuccess);
    return NULL;
}

/* The driver starts in a library's constructor, in a thread that has too little stack for it: the loader keeps all
 * other threads meanwhile. */
static void open_in_small_stack(char *path)
{
    pthread_attr_t attributes;
    pthread_t thread;
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0);
    CHECK(pthread_create(&thread, &attributes, open_library, path) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    pthread_attr_destroy(&attributes);
}

static void find_nothing(void)
{
    struct cudaDeviceProp properties;
    int count = 77, device = 77;
    void *p = NULL;
    CHECK(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
    CHECK(count == 0);
    CHECK(cudaGetLastError() == cudaErrorNoDevice);
    CHECK(cudaMalloc(&p, 16) == cudaErrorNoDevice);
    CHECK(cudaFree(NULL) == cudaErrorNoDevice);
    CHECK(cudaSetDevice(0) == cudaErrorNoDevice);
    CHECK(cudaGetDevice(&device) == cudaErrorNoDevice);
    CHECK(cudaGetDeviceProperties(&properties, 0) == cudaErrorNoDevice);
    CHECK(cudaStreamCreate(&stream) == cudaErrorNoDevice);
    CHECK(cudaDeviceSynchronize() == cudaErrorNoDevice);
    CHECK(cudaDeviceReset() == cudaErrorNoDevice);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    cl_uint platforms = 0;
    int devices = 0;
    if (strcmp(mode, "platforms") == 0)
        return clGetPlatformIDs(0, NULL, &platforms) == CL_SUCCESS && platforms > 0;
    if (strcmp(mode, "privileged") == 0 && getauxval(AT_SECURE) == 0)
        return 77;
    if (strcmp(mode, "devices") == 0)
        return cudaGetDeviceCount(&devices) != cudaSuccess || devices < 1;
    if (strcmp(mode, "none") == 0) {
        find_nothing();
        return 0;
    }
    if (strcmp(mode, "elsewhere") == 0)
        CHECK(cudaFree(NULL) == cudaSuccess && chdir("/proc") == 0);
    if (strcmp(mode, "small") == 0) {
        have_little();
        return 0;
    }
    if (strcmp(mode, "early") == 0 && argc > 2) {
        open_in_small_stack(argv[2]);
        return 0;
    }
    if (strcmp(mode, "exit") == 0) {
        atexit(handler);
        is_checking_the_end = 1;
    }
    use();
    if (strcmp(mode, "busy") == 0)
        queue_much();
    if (strcmp(mode, "threads") == 0)
        leave_threads();
    if (strcmp(mode, "forever") == 0)
        never_end();
    if (strcmp(mode, "compile") == 0)
        compile_much();
    return 0;
}
