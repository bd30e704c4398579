/* clem-bench-trace: what clem-run --trace costs the program: nanoseconds of a thread's own time for each call, without a trace,
 * with calls alone, and with the times of commands; and what memory many records take.
 *
 *     clem-bench-trace [CALLS]
 *
 * Each line is of a process of its own. The fastest of some rounds counts, since other work of the machine only adds.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

enum { ROUNDS = 15, LAUNCHES = 200, MOST_CALLS = 1000000000 };

static const char code[] = "__kernel void none(__global int *word)"
                           "{ if (get_global_id(0) == 1000000) word[0] = 1; }";

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

struct launch {
    cudaKernel_t kernel;
    cudaStream_t stream;
    int *word;
};

static double time_calls(int calls)
{
    int device;
    const double start = now();
    for (int i = 0; i < calls; i++)
        cudaGetDevice(&device);
    return (now() - start) / calls;
}

static double time_launches(struct launch *launch)
{
    void *arguments[] = {&launch->word};
    const dim3 one = {1, 1, 1};
    const double start = now();
    for (int i = 0; i < LAUNCHES; i++)
        cudaLaunchKernel((const void *)launch->kernel, one, one, arguments, 0, launch->stream);
    const double taken = (now() - start) / LAUNCHES;
    cudaStreamSynchronize(launch->stream);
    return taken;
}

static int open_launch(struct launch *launch)
{
    cudaLibrary_t library;
    return cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0) == cudaSuccess &&
           cudaLibraryGetKernel(&launch->kernel, library, "none") == cudaSuccess &&
           cudaMalloc((void **)&launch->word, sizeof *launch->word) == cudaSuccess &&
           cudaStreamCreate(&launch->stream) == cudaSuccess;
}

/* One line: the way, a call, a launch, the largest memory in use. */
static int measure(const char *way, int calls)
{
    struct launch launch;
    struct rusage usage;
    double call = 1e9, launching = 1e9;
    if (!open_launch(&launch)) {
        fprintf(stderr, "clem-bench-trace: no kernel can be launched\n");
        return 1;
    }
    for (int i = 0; i < ROUNDS; i++) {
        const double one = time_calls(calls / ROUNDS), other = time_launches(&launch);
        call = one < call ? one : call;
        launching = other < launching ? other : launching;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%-24s %10.1f %10.1f %10.1f\n", way, call, launching, (double)usage.ru_maxrss / 1024);
    return 0;
}

static int run(const char *self, const char *way, const char *wishes, const char *calls)
{
    int status = 1;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        if (wishes != NULL)
            setenv("CLEM_PROFILE", wishes, 1);
        execl(self, self, way, calls, (char *)NULL);
        _exit(1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

static int run_all(const char *calls)
{
    char folder[] = "/tmp/clem-bench-trace-XXXXXX", api[128], kernels[128], removal[128];
    if (mkdtemp(folder) == NULL) {
        perror("clem-bench-trace");
        return 1;
    }
    snprintf(api, sizeof api, "detail=api file=%s/api", folder);
    snprintf(kernels, sizeof kernels, "file=%s/kernels", folder);
    printf("%-24s %10s %10s %10s\n", "trace", "call ns", "launch ns", "peak MiB");
    int status = run("/proc/self/exe", "none", NULL, calls);
    status |= run("/proc/self/exe", "--trace-detail=api", api, calls);
    status |= run("/proc/self/exe", "--trace", kernels, calls);
    snprintf(removal, sizeof removal, "rm -rf %s", folder);
    return system(removal) != 0 || status != 0;
}

int main(int argc, char **argv)
{
    const char *calls = argc > 1 ? argv[argc - 1] : "300000";
    const long count = strtol(calls, NULL, 10);
    if (count < ROUNDS || count > MOST_CALLS) {
        fprintf(stderr, "usage: clem-bench-trace [CALLS]\n");
        return 64;
    }
    return argc == 3 ? measure(argv[1], (int)count) : run_all(calls);
}
