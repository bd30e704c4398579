/* Semantics of the last error, lasting errors, and calls at odd times.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../oracle.h"

static cudaError_t fail(void)
{
    return cudaMemcpy(NULL, NULL, 16, (enum cudaMemcpyKind)9);
}

void case_error_last(void)
{
    void *p = NULL;
    int count = 0;
    TEXT(cudaGetErrorName(cudaPeekAtLastError()), "peek, first call of the process");
    TEXT(cudaGetErrorName(cudaGetLastError()), "get, nothing happened");
    (void)fail();
    TEXT(cudaGetErrorName(cudaPeekAtLastError()), "peek after a failure");
    TEXT(cudaGetErrorName(cudaPeekAtLastError()), "peek again");
    REQUIRE(cudaMalloc(&p, 16));
    REQUIRE(cudaGetDeviceCount(&count));
    REQUIRE(cudaDeviceSynchronize());
    TEXT(cudaGetErrorName(cudaPeekAtLastError()), "kept by calls that succeed");
    (void)cudaSetDevice(-1);
    TEXT(cudaGetErrorName(cudaPeekAtLastError()), "replaced by a later failure");
    TEXT(cudaGetErrorName(cudaGetLastError()), "get");
    TEXT(cudaGetErrorName(cudaGetLastError()), "get again");
}

/* Which calls record nothing. */
void case_error_not_recorded(void)
{
    cudaStream_t s = NULL;
    cudaEvent_t e = NULL;
    float ms = 0;
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    REQUIRE(cudaEventCreate(&e));
    spin_prepare();
    (void)cudaGetLastError();
    REQUIRE(spin_start(s, SPIN_MS));
    REQUIRE(cudaEventRecord(e, s));
    CALL(cudaStreamQuery(s));
    CALL(cudaEventQuery(e));
    CALL(cudaEventElapsedTime(&ms, e, e));
    CALL(cudaEventQuery(NULL));
    CALL(cudaGetErrorName((cudaError_t)99999) == NULL ? cudaErrorUnknown : cudaSuccess);
    CALL(cudaDeviceSynchronize());
    CALL(cudaPointerGetAttributes(NULL, NULL));
    CALL(cudaGetDevice(NULL));
    CALL(cudaDriverGetVersion(NULL));
    CALL(cudaRuntimeGetVersion(NULL));
    CALL(cudaGetDriverEntryPoint("nothing", NULL, 0, NULL));
    CALL(cudaLaunchHostFunc(NULL, NULL, NULL));
    CALL(cudaProfilerStart());
    /* A failure of the driver API is not the runtime's. */
    DRIVER(cuMemFree(3));
    TEXT(cudaGetErrorName(cudaPeekAtLastError()), "after a failure of the driver API");
}

void case_error_names(void)
{
    for (int code = 0; code <= 1000; code++) {
        const char *name = cudaGetErrorName((cudaError_t)code);
        if (name && name[0] == 'c') {
            TEXT(name, "name of %d", code);
        }
    }
    TEXT(cudaGetErrorName((cudaError_t)9999), "name of 9999");
    TEXT(cudaGetErrorName((cudaError_t)-1), "name of -1");
    TEXT(cudaGetErrorName((cudaError_t)10000), "name of 10000");
    TEXT(cudaGetErrorString((cudaError_t)9999), "text of 9999");
    VALUE(cudaGetErrorString(cudaErrorInvalidValue) != NULL,
          "text of cudaErrorInvalidValue exists");
}

void case_error_driver_names(void)
{
    const char *name = NULL;
    DRIVER(cuGetErrorName(CUDA_SUCCESS, NULL));
    DRIVER(cuGetErrorName((CUresult)99999, &name));
    VALUE(name == NULL, "unknown code gives NULL");
    name = "before";
    DRIVER(cuGetErrorString((CUresult)99999, &name));
    VALUE(name == NULL, "unknown code gives NULL text");
    for (int code = 0; code <= 1000; code++) {
        if (cuGetErrorName((CUresult)code, &name) == CUDA_SUCCESS && name) {
            TEXT(name, "name of %d", code);
        }
    }
}

struct other_thread {
    cudaError_t before, after;
    int device;
};

static void *fails_elsewhere(void *data)
{
    struct other_thread *t = data;
    t->before = cudaPeekAtLastError();
    (void)cudaSetDevice(-1);
    t->after = cudaPeekAtLastError();
    (void)cudaGetDevice(&t->device);
    return NULL;
}

void case_error_threads(void)
{
    pthread_t thread;
    struct other_thread t = {cudaErrorUnknown, cudaErrorUnknown, 77};
    (void)fail();
    require(pthread_create(&thread, NULL, fails_elsewhere, &t) == 0, "pthread_create");
    pthread_join(thread, NULL);
    TEXT(cudaGetErrorName(t.before), "other thread at its start");
    TEXT(cudaGetErrorName(t.after), "other thread after its failure");
    VALUE(t.device, "other thread's device");
    TEXT(cudaGetErrorName(cudaGetLastError()), "this thread afterwards");
}

/* A kernel that stores through an address that is nobody's. */
void case_error_sticky(void)
{
    void *p = NULL;
    int host = 0;
    int *good = device_block(4096);
    void **cell = device_block(4096);
    void *target = (void *)(uintptr_t)0x123456789000;
    int value = 1;
    void *args[] = {&cell, &value};
    REQUIRE(cudaMemcpy(cell, &target, sizeof target, cudaMemcpyHostToDevice));
    CALL(launch(KERNEL_FOLLOW, 1, 1, args, 0, NULL));
    CALL(cudaDeviceSynchronize());
    CALL(cudaGetLastError());
    CALL(cudaPeekAtLastError());
    CALL(cudaMalloc(&p, 16));
    CALL(cudaMemcpy(&host, good, 4, cudaMemcpyDeviceToHost));
    CALL(cudaFree(good));
    CALL(cudaFree(NULL));
    CALL(cudaStreamQuery(NULL));
    CALL(cudaGetDevice(&host));
    CALL(cudaMemcpy(NULL, NULL, 16, (enum cudaMemcpyKind)9));
    CALL(cudaMalloc(NULL, 16));
    CALL(cudaDeviceSynchronize());
    CALL(cudaDeviceReset());
    CALL(cudaDeviceSynchronize());
    CALL(cudaMalloc(&p, 16));
}

void case_error_fork(void)
{
    int pipe_ends[2];
    cudaError_t code[4] = {cudaErrorUnknown, cudaErrorUnknown, cudaErrorUnknown, cudaErrorUnknown};
    make_runtime_context();
    require(pipe(pipe_ends) == 0, "pipe");
    pid_t child = fork();
    if (child == 0) {
        void *p = NULL;
        int n = 0;
        alarm(60);
        code[0] = cudaMalloc(&p, 16);
        code[1] = cudaPeekAtLastError();
        code[2] = cudaGetDeviceCount(&n);
        code[3] = cudaDeviceSynchronize();
        _exit(write(pipe_ends[1], code, sizeof code) == (ssize_t)sizeof code ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    VALUE(WIFSIGNALED(status) ? WTERMSIG(status) : 0, "signal that ended the child");
    if (!WIFSIGNALED(status) && read(pipe_ends[0], code, sizeof code) == (ssize_t)sizeof code) {
        TEXT(cudaGetErrorName(code[0]), "child's cudaMalloc");
        TEXT(cudaGetErrorName(code[1]), "child's last error");
        TEXT(cudaGetErrorName(code[2]), "child's cudaGetDeviceCount");
        TEXT(cudaGetErrorName(code[3]), "child's cudaDeviceSynchronize");
    }
    CALL(cudaDeviceSynchronize());
}

void case_error_fork_before_use(void)
{
    int pipe_ends[2];
    cudaError_t code = cudaErrorUnknown;
    require(pipe(pipe_ends) == 0, "pipe");
    pid_t child = fork();
    if (child == 0) {
        void *p = NULL;
        alarm(60);
        code = cudaMalloc(&p, 16);
        _exit(write(pipe_ends[1], &code, sizeof code) == (ssize_t)sizeof code ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) && read(pipe_ends[0], &code, sizeof code) == (ssize_t)sizeof code) {
        TEXT(cudaGetErrorName(code), "child's cudaMalloc");
    }
    VALUE(WIFSIGNALED(status) ? WTERMSIG(status) : 0, "signal that ended the child");
    CALL(cudaFree(NULL));
}

static void calls_at_exit(void)
{
    void *p = NULL;
    int n = 0;
    CALL_AS(cudaMalloc(&p, 16), "exit handler of before the first call: cudaMalloc");
    CALL_AS(cudaGetDeviceCount(&n), "exit handler of before the first call: cudaGetDeviceCount");
    CALL_AS(cudaDeviceSynchronize(),
            "exit handler of before the first call: cudaDeviceSynchronize");
    CALL_AS(launch(KERNEL_NOOP, 1, 1, NULL, 0, NULL),
            "exit handler of before the first call: launch");
}

static bool destructor_wanted;

__attribute__((destructor)) static void calls_from_destructor(void)
{
    void *p = NULL;
    int n = 0;
    if (destructor_wanted) {
        CALL_AS(cudaMalloc(&p, 16), "destructor: cudaMalloc");
        CALL_AS(cudaFree(NULL), "destructor: cudaFree NULL");
        CALL_AS(cudaGetDeviceCount(&n), "destructor: cudaGetDeviceCount");
        CALL_AS(cudaDeviceSynchronize(), "destructor: cudaDeviceSynchronize");
        CALL_AS(launch(KERNEL_NOOP, 1, 1, NULL, 0, NULL), "destructor: launch");
    }
}

void case_error_at_exit(void)
{
    atexit(calls_at_exit);
    destructor_wanted = true;
    CALL(launch(KERNEL_NOOP, 1, 1, NULL, 0, NULL));
    CALL(cudaDeviceSynchronize());
}

void case_error_at_exit_first_use(void)
{
    destructor_wanted = true;
    TEXT("nothing called", "before exit");
}
