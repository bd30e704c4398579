/* A program that is recorded: it does one thing of each kind. traced [kill | exec | become | profiler | names | deep | tiny |
 * many [CALLS] | peak COMMAND...]
 * "names" makes many ranges, each with a name of its own, "deep" ranges within each other, "tiny" small copies beside a large
 * one. "many" makes so many calls that do nothing, and prints the most memory that it had in use, in KiB; "peak COMMAND..."
 * runs a command, and prints the same of it and all its children.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 1024 };

/* The kernel's name is what C++ makes of twice(float*). */
static const char code[] =
    "__kernel void _Z5twicePf(__global float *values) { values[get_global_id(0)] *= 2.0f; }";

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "traced: %s\n", cudaGetErrorString(error));
    exit(1);
}

static void launch(float *values, cudaStream_t stream)
{
    static cudaKernel_t twice;
    cudaLibrary_t library;
    void *arguments[] = {&values};
    if (twice == NULL) {
        check(cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0));
        check(cudaLibraryGetKernel(&twice, library, "_Z5twicePf"));
    }
    check(cudaLaunchKernel((const void *)twice, (dim3){COUNT / 64, 1, 1}, (dim3){64, 1, 1},
                           arguments, 0, stream));
}

static void *run(void *unused)
{
    float host[COUNT] = {1.0f}, *values;
    cudaStream_t stream;
    nvtxRangePushA("work of a thread");
    check(cudaStreamCreate(&stream));
    check(cudaMalloc((void **)&values, sizeof host));
    check(cudaMemcpyAsync(values, host, sizeof host, cudaMemcpyHostToDevice, stream));
    launch(values, stream);
    check(cudaMemcpyAsync(host, values, sizeof host, cudaMemcpyDeviceToHost, stream));
    check(cudaStreamSynchronize(stream));
    check(cudaFree(values));
    check(cudaStreamDestroy(stream));
    nvtxRangePop();
    if (host[0] != 2.0f)
        exit(2);
    return unused;
}

static void run_all(void)
{
    pthread_t thread;
    float *pinned;
    const nvtxRangeId_t range = nvtxRangeStartA("from start to end");
    nvtxMarkA("a \"mark\"");
    check(cudaMallocHost((void **)&pinned, COUNT * sizeof(float)));
    check(cudaMemset(pinned, 0, COUNT * sizeof(float)));
    run(NULL);
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        exit(3);
    pthread_join(thread, NULL);
    (void)cudaFree(&thread); /* an error, which is told */
    (void)cudaGetLastError();
    check(cudaFreeHost(pinned));
    nvtxRangeEnd(range);
}

static void print_peak(int whose)
{
    struct rusage usage;
    getrusage(whose, &usage);
    printf("%ld\n", usage.ru_maxrss);
}

static void call_often(long calls)
{
    int device;
    for (long i = 0; i < calls; i++)
        check(cudaGetDevice(&device));
    print_peak(RUSAGE_SELF);
}

static void name_often(void)
{
    char name[64];
    int device;
    for (int i = 0; i < 100000; i++) {
        snprintf(name, sizeof name, "a range with a name of its own, number %d", i);
        nvtxRangePushA(name);
        nvtxRangePop();
    }
    check(cudaGetDevice(&device));
}

static void go_deep(void)
{
    enum { DEPTH = 400 };
    int device;
    for (int i = 0; i < DEPTH; i++)
        nvtxRangePushA("deep");
    for (int i = 1; i < DEPTH; i++)
        nvtxRangePop();
    check(cudaGetDevice(&device));
    nvtxRangePop();
}

static void copy_often(void)
{
    enum { LARGE = 16 << 20 };
    char *host = calloc(1, LARGE), *values;
    check(cudaMalloc((void **)&values, LARGE));
    check(cudaMemcpy(values, host, LARGE, cudaMemcpyHostToDevice));
    for (int i = 0; i < 20000; i++)
        check(cudaMemcpy(values, host, 4, cudaMemcpyHostToDevice));
    check(cudaFree(values));
    free(host);
}

static void run_child(const char *program, char **argv)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        execv(program, argv);
        _exit(4);
    }
    if (waitpid(child, &status, 0) != child || status != 0)
        exit(5);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "plain";
    int device;
    if (strcmp(what, "profiler") == 0) {
        check(cudaGetDevice(&device));
        check(cudaProfilerStart());
        check(cudaSetDevice(0));
        check(cudaProfilerStop());
        check(cudaGetDevice(&device));
        return 0;
    }
    if (strcmp(what, "many") == 0) {
        call_often(argc > 2 ? strtol(argv[2], NULL, 10) : 100000);
        return 0;
    }
    if (strcmp(what, "names") == 0) {
        name_often();
        return 0;
    }
    if (strcmp(what, "deep") == 0) {
        go_deep();
        return 0;
    }
    if (strcmp(what, "tiny") == 0) {
        copy_often();
        return 0;
    }
    if (strcmp(what, "peak") == 0) {
        run_child(argv[2], argv + 2);
        print_peak(RUSAGE_CHILDREN);
        return 0;
    }
    run_all();
    if (strcmp(what, "exec") == 0)
        run_child(argv[0], (char *[]){argv[0], (char *)"plain", NULL});
    if (strcmp(what, "kill") == 0)
        raise(SIGKILL);
    if (strcmp(what, "become") == 0)
        execl("/proc/self/exe", argv[0], "profiler", (char *)NULL);
    return 0;
}
