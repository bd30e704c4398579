/* Large kernels of PTX are compiled in another process, and those of a module that may be next ahead of their launches: where
 * PoCL compiles. Each test has caches of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl/sanitized.h"
#include "tests/facade/runtime_support.h"

enum { BLOCK = 64, STEPS = 8 };

/* ---- Caches ---- */

static char folder[64];

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Before the first call of CUDA. mode: of CLEM_COMPILE. */
static void begin(const char *mode)
{
    strcpy(folder, "/tmp/clem-apart-XXXXXX");
    assert_non_null(mkdtemp(folder));
    atexit(remove_folder);
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("CLEM_CACHE_DIR", folder, 1);
    setenv("CLEM_COMPILE", mode, 1);
    setenv("CLEM_PTX_FORM", "opencl", 1);
    struct cudaDeviceProp facts;
    const char *strategy = getenv("CLEM_ADDRESS");
    assert_success(cudaGetDeviceProperties(&facts, 0));
    if (!strstr(facts.name, "pthread") && !strstr(facts.name, "cpu"))
        skip();
    if (OCL_IS_SANITIZED || (strategy && strcmp(strategy, "handle") == 0))
        skip();
}

static int compiled; /* kernels of which the driver's cache has the code */
static const char *wanted;

static int count_one(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts;
    compiled += kind == FTW_F && strstr(path + place->base, ".so") && strstr(path, wanted);
    return 0;
}

static int count_compiled(const char *name)
{
    compiled = 0;
    wanted = name;
    nftw(folder, count_one, 16, FTW_PHYS);
    return compiled;
}

/* ---- Modules ---- */

/* A kernel that does the same as a small one, in as many more instructions as asked for: out[i] = in[i ^ 1] + i, between
 * barriers, and then much that comes to nothing. */
static void add_kernel(FILE *text, const char *name, unsigned steps)
{
    fprintf(text,
            ".visible .entry %s(.param .u64 out, .param .u64 in)\n{\n"
            ".reg .pred %%p<2>; .reg .b32 %%r<9>; .reg .b64 %%d<6>;\n"
            ".shared .align 4 .b8 %s_all[%d];\n"
            "ld.param.u64 %%d1, [out];\nld.param.u64 %%d2, [in];\nmov.u32 %%r1, %%tid.x;\n"
            "mul.wide.u32 %%d3, %%r1, 4;\nadd.u64 %%d1, %%d1, %%d3;\nadd.u64 %%d2, %%d2, %%d3;\n"
            "ld.global.u32 %%r2, [%%d2];\nmov.u32 %%r3, %s_all;\nmad.lo.u32 %%r4, %%r1, 4, %%r3;\n"
            "st.shared.u32 [%%r4], %%r2;\nbar.sync 0;\nxor.b32 %%r5, %%r4, 4;\n"
            "ld.shared.u32 %%r6, [%%r5];\nadd.u32 %%r6, %%r6, %%r1;\n",
            name, name, BLOCK * 4, name);
    for (unsigned i = 0; i < steps; i++) {
        fprintf(text, "mov.u32 %%r7, %%r6;\n");
        for (unsigned j = 0; j < STEPS; j++)
            fprintf(text,
                    "mad.lo.u32 %%r7, %%r7, %u, %%r1;\nshr.u32 %%r8, %%r7, %u;\nxor.b32 %%r7, "
                    "%%r7, %%r8;\n",
                    2 * (i * STEPS + j) + 3, j % 7 + 1);
        /* never equal: the number is above what any shift leaves */
        fprintf(text,
                "shr.u32 %%r7, %%r7, 1;\nsetp.eq.u32 %%p1, %%r7, 0x%x;\n@%%p1 add.u32 %%r6, %%r6, "
                "1;\nbar.sync 0;\n",
                0x80000000u + i);
    }
    fprintf(text, "st.global.u32 [%%d1], %%r6;\nret;\n}\n");
}

/* kernels k0 to k<count - 1>, the first of which has steps[0] steps. */
static cudaLibrary_t load(const unsigned *steps, unsigned count)
{
    char *text = NULL, name[8];
    size_t bytes = 0;
    cudaLibrary_t library = NULL;
    FILE *stream = open_memstream(&text, &bytes);
    fputs(".version 7.5\n.target sm_75\n.address_size 64\n", stream);
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "k%u", i);
        add_kernel(stream, name, steps[i]);
    }
    fclose(stream);
    if (cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0) != cudaSuccess)
        library = NULL;
    free(text);
    return library;
}

/* NULL, or what went wrong. */
static const char *run(cudaLibrary_t library, unsigned index)
{
    unsigned *memory = NULL, values[2 * BLOCK];
    cudaKernel_t kernel = NULL;
    cudaStream_t stream = NULL;
    char name[8];
    snprintf(name, sizeof name, "k%u", index);
    for (unsigned i = 0; i < BLOCK; i++)
        values[BLOCK + i] = 1000 + i;
    THREAD_SUCCESS(cudaLibraryGetKernel(&kernel, library, name));
    THREAD_SUCCESS(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    THREAD_SUCCESS(cudaMallocAsync((void **)&memory, sizeof values, stream));
    THREAD_SUCCESS(cudaMemcpyAsync(memory, values, sizeof values, cudaMemcpyHostToDevice, stream));
    unsigned *in = memory + BLOCK;
    void *arguments[] = {&memory, &in};
    THREAD_SUCCESS(launch_1d((const void *)kernel, 1, BLOCK, arguments, 0, stream));
    THREAD_SUCCESS(cudaMemcpyAsync(values, memory, sizeof values, cudaMemcpyDeviceToHost, stream));
    THREAD_SUCCESS(cudaStreamSynchronize(stream));
    for (unsigned i = 0; i < BLOCK; i++)
        THREAD_CHECK(values[i] == 1000 + (i ^ 1) + i);
    THREAD_SUCCESS(cudaFreeAsync(memory, stream));
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

static void assert_runs(cudaLibrary_t library, unsigned index)
{
    const char *wrong = run(library, index);
    if (wrong)
        fail_msg("%s", wrong);
}

/* ---- Tests ---- */

static const unsigned large[] = {340}, small[] = {1};

static volatile sig_atomic_t children;

static void count_child(int signal)
{
    (void)signal;
    children++;
}

/* One compilation serves both processes: this one needs no linker, which would be a child. A program that waits for its
 * children, or hears of their ends, meets none of clem's; and what it closes is closed, though the other process waits for
 * more to do. */
TEST_BODY(ptx_apart_compiles_a_large_kernel_once_and_unseen)
{
    int ends[2];
    struct pollfd end = {.events = POLLIN};
    begin("apart");
    cudaLibrary_t little = load(small, 1), library = load(large, 1);
    assert_runs(little, 0);
    assert_int_equal(pipe(ends), 0);
    signal(SIGCHLD, count_child);
    close(STDIN_FILENO); /* as services do: its number is given to what is opened next */
    assert_runs(library, 0);
    assert_int_equal(children, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    assert_int_equal(count_compiled("kernel_k0"), 2);
    close(ends[1]);
    end.fd = ends[0];
    assert_int_equal(poll(&end, 1, 5000), 1);
    assert_true(end.revents & POLLHUP);
    close(ends[0]);
    signal(SIGCHLD, SIG_DFL);
    assert_success(cudaLibraryUnload(little));
    assert_success(cudaLibraryUnload(library));
}

struct launch {
    cudaLibrary_t library;
    const char *wrong;
    atomic_bool is_done;
};

static void *run_in_thread(void *data)
{
    struct launch *launch = data;
    launch->wrong = run(launch->library, 0);
    atomic_store(&launch->is_done, true);
    return NULL;
}

/* PoCL compiles one program at a time in a process. */
TEST_BODY(ptx_apart_small_launch_waits_for_no_large_one)
{
    static const unsigned largest[] = {500};
    pthread_t thread;
    begin("apart");
    cudaLibrary_t little = load(small, 1);
    struct launch launch = {.library = load(largest, 1)};
    assert_int_equal(pthread_create(&thread, NULL, run_in_thread, &launch), 0);
    usleep(300000);
    assert_runs(little, 0);
    assert_false(atomic_load(&launch.is_done));
    pthread_join(thread, NULL);
    if (launch.wrong)
        fail_msg("%s", launch.wrong);
}

/* All kernels of a module are there some time after the first: where others take all processors, some minutes. */
TEST_BODY(ptx_apart_compiles_ahead)
{
    static const unsigned some[] = {16, 17, 18};
    begin("ahead");
    cudaLibrary_t library = load(some, 3);
    assert_runs(library, 0);
    for (int i = 0; i < 12000 && count_compiled("kernel_k") < 3; i++)
        usleep(20000);
    assert_int_equal(count_compiled("kernel_k"), 3);
    for (unsigned i = 0; i < 3; i++)
        assert_runs(library, i);
    assert_int_equal(count_compiled("kernel_k"), 3);
}

/* A kernel that is needed while it is compiled ahead, and a module that goes meanwhile. */
TEST_BODY(ptx_apart_needs_what_is_compiled_ahead)
{
    static const unsigned two[] = {25, 340, 30};
    begin("ahead");
    cudaLibrary_t library = load(two, 3), other = load(two, 3);
    assert_runs(library, 0);
    usleep(700000);
    assert_runs(library, 1);
    assert_success(cudaLibraryUnload(library));
    assert_runs(other, 2);
    assert_success(cudaLibraryUnload(other));
    assert_success(cudaDeviceReset());
}

/* "here" asks nobody. */
TEST_BODY(ptx_apart_can_be_switched_off)
{
    static const unsigned two[] = {25, 25};
    begin("here");
    cudaLibrary_t library = load(two, 2);
    assert_runs(library, 0);
    sleep(2);
    assert_int_equal(count_compiled("kernel_k1"), 0);
    assert_runs(library, 1);
    assert_int_equal(count_compiled("kernel_k1"), 1);
}

/* The program closes all files, and its own get the numbers of those that clem had. */
TEST_BODY(ptx_apart_writes_to_no_socket_of_the_program)
{
    enum { FIRST = 3, LAST = 64, PAIRS = 8 };
    static const unsigned two[] = {340, 341};
    int ends[PAIRS][2];
    char byte = 0;
    begin("apart");
    cudaLibrary_t library = load(two, 2);
    assert_runs(library, 0);
    for (int file = FIRST; file < LAST; file++)
        close(file);
    for (int i = 0; i < PAIRS; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends[i]), 0);
    assert_runs(library, 1);
    for (int i = 0; i < PAIRS; i++)
        for (int end = 0; end < 2; end++) {
            assert_int_equal(recv(ends[i][end], &byte, 1, 0), -1);
            assert_int_equal(errno, EAGAIN);
        }
}

/* A library that is loaded by a relative name belongs to where the program was then, and a program of its name elsewhere is
 * somebody else's: here one that leaves a file behind. */
static void make_program_of_others(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/clem", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/libclem.so.0", folder); /* has to be there, too */
    fclose(fopen(path, "w"));
    snprintf(path, sizeof path, "%s/clem/clem-compile", folder);
    FILE *program = fopen(path, "w");
    assert_non_null(program);
    fprintf(program, "#!/bin/sh\n: > %s/was-run\n", folder);
    fclose(program);
    assert_int_equal(chmod(path, 0700), 0);
}

static void start_again_beside_library(void)
{
    Dl_info info;
    assert_true(dladdr((void *)(uintptr_t)cudaMalloc, &info) != 0);
    char *library = realpath(info.dli_fname, NULL);
    assert_non_null(library);
    *strrchr(library, '/') = '\0';
    assert_int_equal(chdir(library), 0);
    free(library);
    assert_int_equal(setenv("LD_LIBRARY_PATH", ".", 1), 0);
    execl("/proc/self/exe", "clem_tests_facade", "ptx_apart_starts_nothing_of_others", NULL);
    fail();
}

TEST_BODY(ptx_apart_starts_nothing_of_others)
{
    static const char variable[] = "TEST_FOLDER";
    const char *given = getenv(variable);
    char path[128];
    Dl_info info;
    begin("apart");
    make_program_of_others();
    if (!given) {
        assert_int_equal(setenv(variable, folder, 1), 0);
        start_again_beside_library();
        return;
    }
    assert_true(dladdr((void *)(uintptr_t)cudaMalloc, &info) != 0);
    if (info.dli_fname[0] == '/')
        TEST_SKIP("the loader takes no relative name");
    assert_int_equal(chdir(folder), 0);
    assert_runs(load(large, 1), 0);
    snprintf(path, sizeof path, "%s/was-run", folder);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(chdir("/"), 0);
    remove_folder();
    strcpy(folder, given); /* what the one that started this has made goes at exit */
}
