/* Tests of facade/code/library.c: loading code, finding kernels, build failures, unloading.
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "tests/facade/fatbins.h"
#include "tests/facade/runtime_support.h"

static const char *const two_text = "__kernel void one(__global int *p) { p[0] = 1; }\n"
                                    "__kernel void two(__global int *p) { p[0] = 2; }\n";
static const char *const bad_text =
    "__kernel void broken(__global int *p) { p[0] = no_such_name; }\n";

static int run_kernel(const void *kernel)
{
    int *p = device_ints(1);
    void *args[] = {&p};
    assert_success(launch_1d(kernel, 1, 1, args, 0, NULL));
    int value = read_device_int(p);
    assert_success(cudaFree(p));
    return value;
}

TEST_BODY(library_finds_its_kernels)
{
    cudaLibrary_t library = load_text(two_text);
    cudaKernel_t kernel = NULL, again = NULL;
    assert_success(cudaLibraryGetKernel(&kernel, library, "two"));
    assert_success(cudaLibraryGetKernel(&again, library, "two"));
    assert_ptr_equal(kernel, again);
    assert_int_equal(run_kernel((const void *)kernel), 2);
    assert_int_equal(run_kernel(find_kernel(library, "one")), 1);
    again = NULL;
    assert_fails(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&again, library, "three"));
    assert_fails(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&again, library, ""));
    assert_fails(cudaErrorInvalidValue, cudaLibraryGetKernel(&again, library, NULL));
    assert_fails(cudaErrorInvalidValue, cudaLibraryGetKernel(NULL, library, "one"));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLibraryGetKernel(&again, NULL, "one"));
    assert_null(again);
    assert_success(cudaLibraryUnload(library));
}

TEST_BODY(library_enumerates_its_kernels)
{
    cudaLibrary_t library = load_text(two_text);
    cudaKernel_t kernels[4] = {NULL, NULL, NULL, NULL};
    const char *first = NULL, *second = NULL;
    unsigned count = 77;
    assert_success(cudaLibraryGetKernelCount(&count, library));
    assert_int_equal(count, 2);
    assert_success(cudaLibraryEnumerateKernels(kernels, 1, library));
    assert_non_null(kernels[0]);
    assert_null(kernels[1]);
    assert_success(cudaLibraryEnumerateKernels(kernels, 4, library));
    assert_null(kernels[2]);
    assert_success(cudaFuncGetName(&first, (const void *)kernels[0]));
    assert_success(cudaFuncGetName(&second, (const void *)kernels[1]));
    assert_true((strcmp(first, "one") == 0 && strcmp(second, "two") == 0) ||
                (strcmp(first, "two") == 0 && strcmp(second, "one") == 0));
    assert_fails(cudaErrorInvalidValue, cudaLibraryGetKernelCount(NULL, library));
    assert_fails(cudaErrorInvalidValue, cudaLibraryEnumerateKernels(NULL, 1, library));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLibraryEnumerateKernels(kernels, 1, NULL));
    assert_success(cudaLibraryUnload(library));
}

/* The code is the caller's again when the call returns. */
TEST_BODY(library_copies_its_code)
{
    char text[256];
    cudaLibrary_t library = NULL;
    snprintf(text, sizeof text, "%s", two_text);
    assert_success(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    memset(text, 'x', sizeof text);
    assert_int_equal(run_kernel(find_kernel(library, "two")), 2);
    assert_success(cudaLibraryUnload(library));
}

/* --- files ------------------------------------------------------------------------------------ */

static void write_file(char *path, const char *text)
{
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static cudaError_t load_file(cudaLibrary_t *library, const char *path)
{
    return cudaLibraryLoadFromFile(library, path, NULL, NULL, 0, NULL, NULL, 0);
}

TEST_BODY(library_loads_from_files)
{
    char path[] = "/tmp/clem-test-XXXXXX", empty[] = "/tmp/clem-test-XXXXXX";
    cudaLibrary_t library = NULL;
    write_file(path, two_text);
    write_file(empty, "");
    assert_success(load_file(&library, path));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(run_kernel(find_kernel(library, "one")), 1);
    assert_success(cudaLibraryUnload(library));
    library = NULL;
    assert_fails(cudaErrorFileNotFound, load_file(&library, path));
    assert_fails(cudaErrorInvalidKernelImage, load_file(&library, empty));
    assert_fails(cudaErrorInvalidValue, load_file(&library, NULL));
    assert_fails(cudaErrorInvalidValue, load_file(&library, ""));
    assert_fails(cudaErrorInvalidValue, load_file(NULL, empty));
    assert_null(library);
    unlink(empty);
}

/* --- build failures --------------------------------------------------------------------------- */

static void on_message(void *data, cudaLogLevel level, char *message, size_t length)
{
    bool *is_told = data;
    if (level == cudaLogLevelError && strlen(message) == length &&
        strstr(message, "no_such_name") != NULL)
        *is_told = true;
}

/* The code is built when a kernel is asked for; the compiler's words reach whoever listens. */
TEST_BODY(library_bad_code_is_told)
{
    cudaLogsCallbackHandle handle = NULL;
    cudaLogIterator before = 0;
    static char dump[25600];
    size_t bytes = sizeof dump;
    bool is_told = false;
    cudaKernel_t kernel = NULL;
    assert_success(cudaLogsRegisterCallback(on_message, &is_told, &handle));
    assert_success(cudaLogsCurrent(&before, 0));
    cudaLibrary_t library = load_text(bad_text);
    assert_fails(cudaErrorInvalidKernelImage, cudaLibraryGetKernel(&kernel, library, "broken"));
    assert_null(kernel);
    assert_true(is_told);
    assert_success(cudaLogsDumpToMemory(&before, dump, &bytes, 0));
    assert_non_null(strstr(dump, "no_such_name"));
    unsigned count = 0;
    assert_fails(cudaErrorInvalidKernelImage, cudaLibraryGetKernelCount(&count, library));
    assert_success(cudaLogsUnregisterCallback(handle));
    assert_success(cudaLibraryUnload(library));
    library = load_text("");
    assert_fails(cudaErrorInvalidKernelImage, cudaLibraryGetKernel(&kernel, library, "broken"));
    assert_success(cudaLibraryUnload(library));
    library = load_text(two_text);
    assert_int_equal(run_kernel(find_kernel(library, "two")), 2);
    assert_success(cudaLibraryUnload(library));
}

/* Whoever gives a log buffer gets the log at once, cut to the buffer, and its length. */
TEST_BODY(library_bad_code_fills_log_buffers)
{
    static const size_t sizes[] = {8192, 20, 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        static char log[8192];
        enum cudaJitOption options[] = {cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
        void *values[] = {log, (void *)(uintptr_t)sizes[i]};
        cudaLibrary_t library = NULL;
        memset(log, '#', sizeof log);
        assert_fails(cudaErrorInvalidKernelImage,
                     cudaLibraryLoadData(&library, bad_text, options, values, 2, NULL, NULL, 0));
        assert_null(library);
        size_t length = strnlen(log, sizes[i]);
        assert_true(length < sizes[i]);
        assert_int_equal((uintptr_t)values[1], length);
        if (i == 0)
            assert_non_null(strstr(log, "no_such_name"));
        for (size_t k = sizes[i]; k < sizeof log; k++)
            assert_int_equal(log[k], '#');
    }
}

TEST_BODY(library_refuses_bad_arguments)
{
    cudaLibrary_t library = NULL;
    enum cudaJitOption option = (enum cudaJitOption)999;
    enum cudaLibraryOption kept = cudaLibraryBinaryIsPreserved,
                           unknown = (enum cudaLibraryOption)99;
    void *value = NULL;
    assert_fails(cudaErrorInvalidValue,
                 cudaLibraryLoadData(NULL, two_text, NULL, NULL, 0, NULL, NULL, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaLibraryLoadData(&library, NULL, NULL, NULL, 0, NULL, NULL, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaLibraryLoadData(&library, two_text, NULL, NULL, 1, NULL, NULL, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaLibraryLoadData(&library, two_text, &option, &value, 1, NULL, NULL, 0));
    assert_fails(cudaErrorInvalidValue,
                 cudaLibraryLoadData(&library, two_text, NULL, NULL, 0, &unknown, &value, 1));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLibraryUnload(NULL));
    assert_null(library);
    assert_success(cudaLibraryLoadData(&library, two_text, NULL, NULL, 0, &kept, &value, 1));
    assert_success(cudaLibraryUnload(library));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
}

/* Code for NVIDIA GPUs is told from text, whatever follows. */
TEST_BODY(library_refuses_machine_code)
{
    static const uint32_t elf[16] = {0x464c457f}, damaged[16] = {0xba55ed50u};
    static const char *const bad_ptx = "// comment\n.version 8.0\n.target sm_75\nno PTX at all\n";
    static const char *const new_ptx = "\n/* */ .version 10.1\n.target sm_75\n";
    struct fatbin fatbin;
    fatbin_of_machine_code(&fatbin);
    const struct {
        const void *code;
        cudaError_t error;
    } cases[] = {{elf, cudaErrorNoKernelImageForDevice},
                 {fatbin.bytes, cudaErrorNoKernelImageForDevice},
                 {damaged, cudaErrorInvalidKernelImage},
                 {bad_ptx, cudaErrorInvalidPtx},
                 {new_ptx, cudaErrorUnsupportedPtxVersion}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cudaLibrary_t library = NULL;
        cudaKernel_t kernel = NULL;
        cudaError_t error =
            cudaLibraryLoadData(&library, cases[i].code, NULL, NULL, 0, NULL, NULL, 0);
        if (error == cudaSuccess) {
            error = cudaLibraryGetKernel(&kernel, library, "k");
            assert_success(cudaLibraryUnload(library));
        }
        assert_int_equal(error, cases[i].error);
        assert_int_equal(cudaGetLastError(), cases[i].error);
    }
}

/* --- several libraries, and the end of one ---------------------------------------------------- */

TEST_BODY(library_equal_names_are_apart)
{
    cudaLibrary_t a = load_text("__kernel void k(__global int *p) { p[0] = 10; }\n");
    cudaLibrary_t b = load_text("__kernel void k(__global int *p) { p[0] = 20; }\n");
    const void *in_a = find_kernel(a, "k"), *in_b = find_kernel(b, "k");
    assert_ptr_not_equal(in_a, in_b);
    assert_int_equal(run_kernel(in_a), 10);
    assert_int_equal(run_kernel(in_b), 20);
    assert_success(cudaLibraryUnload(a));
    assert_int_equal(run_kernel(in_b), 20);
    assert_success(cudaLibraryUnload(b));
}

TEST_BODY(library_unloaded_one_is_unknown)
{
    cudaLibrary_t library = load_text(two_text);
    const void *kernel = find_kernel(library, "one");
    const char *name = NULL;
    unsigned count = 0;
    assert_int_equal(run_kernel(kernel), 1);
    assert_success(cudaLibraryUnload(library));
    assert_fails(cudaErrorInvalidResourceHandle, launch_1d(kernel, 1, 1, NULL, 0, NULL));
    assert_fails(cudaErrorInvalidResourceHandle, cudaFuncGetName(&name, kernel));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLibraryGetKernelCount(&count, library));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
}

static void *open_soon(void *data)
{
    for (int i = 0; i < 20; i++)
        pause_briefly();
    gate_open(data);
    return NULL;
}

/* Unloading waits for launches that are queued: they run to their end. */
TEST_BODY(library_unload_waits_for_its_launches)
{
    static struct gate gate = GATE_INITIALIZER;
    cudaLibrary_t library = load_text(two_text);
    cudaStream_t stream = NULL;
    pthread_t opener;
    int *p = device_ints(1);
    void *args[] = {&p};
    assert_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    gate_hold(&gate, stream);
    assert_success(launch_1d(find_kernel(library, "two"), 1, 1, args, 0, stream));
    assert_int_equal(pthread_create(&opener, NULL, open_soon, &gate), 0);
    assert_success(cudaLibraryUnload(library));
    assert_success(cudaStreamQuery(stream));
    assert_int_equal(read_device_int(p), 2);
    pthread_join(opener, NULL);
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(p));
}

TEST_BODY(library_outlives_a_reset)
{
    cudaLibrary_t library = load_text(two_text);
    const void *kernel = find_kernel(library, "two");
    cudaFunction_t function = NULL;
    assert_int_equal(run_kernel(kernel), 2);
    assert_success(cudaGetFuncBySymbol(&function, kernel));
    assert_success(cudaDeviceReset());
    assert_int_equal(run_kernel(kernel), 2);
    assert_int_equal(run_kernel(find_kernel(library, "one")), 1);
    assert_success(cudaDeviceReset());
    assert_success(cudaLibraryUnload(library));
}

struct loader {
    int number;
};

static void *load_and_run(void *data)
{
    const struct loader *self = data;
    char text[128];
    for (int i = 0; i < 5; i++) {
        cudaLibrary_t library = NULL;
        cudaKernel_t kernel = NULL;
        int *p = NULL, value = 0;
        void *args[] = {&p};
        snprintf(text, sizeof text, "__kernel void k(__global int *p) { p[0] = %d; }\n",
                 self->number);
        THREAD_SUCCESS(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
        THREAD_SUCCESS(cudaLibraryGetKernel(&kernel, library, "k"));
        THREAD_SUCCESS(cudaMalloc((void **)&p, sizeof *p));
        THREAD_SUCCESS(launch_1d((const void *)kernel, 1, 1, args, 0, cudaStreamPerThread));
        THREAD_SUCCESS(
            cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, cudaStreamPerThread));
        THREAD_SUCCESS(cudaStreamSynchronize(cudaStreamPerThread));
        THREAD_CHECK(value == self->number);
        THREAD_SUCCESS(cudaFree(p));
        THREAD_SUCCESS(cudaLibraryUnload(library));
    }
    return NULL;
}

TEST_BODY(library_loaded_by_many_threads)
{
    struct loader loaders[8];
    for (int i = 0; i < 8; i++)
        loaders[i].number = i + 100;
    run_threads(8, load_and_run, loaders, sizeof loaders[0]);
}

struct shared_library {
    cudaLibrary_t library;
};

static void *find_and_run(void *data)
{
    const struct shared_library *self = data;
    cudaKernel_t kernel = NULL;
    int *p = NULL, value = 0;
    void *args[] = {&p};
    THREAD_SUCCESS(cudaLibraryGetKernel(&kernel, self->library, "two"));
    THREAD_SUCCESS(cudaMalloc((void **)&p, sizeof *p));
    THREAD_SUCCESS(launch_1d((const void *)kernel, 1, 1, args, 0, cudaStreamPerThread));
    THREAD_SUCCESS(
        cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    THREAD_SUCCESS(cudaStreamSynchronize(cudaStreamPerThread));
    THREAD_CHECK(value == 2);
    THREAD_SUCCESS(cudaFree(p));
    return NULL;
}

/* Nobody built it yet: the threads' first requests come together. */
TEST_BODY(library_first_used_by_many_threads)
{
    struct shared_library shared[8];
    cudaLibrary_t library = load_text(two_text);
    for (int i = 0; i < 8; i++)
        shared[i].library = library;
    run_threads(8, find_and_run, shared, sizeof shared[0]);
    assert_success(cudaLibraryUnload(library));
}
