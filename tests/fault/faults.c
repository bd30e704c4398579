/* Lets the first, second, third ... OpenCL call of each operation fail, until the operation needs no more calls. Each
 * time: the error is a proper one, the same operation works right after it, and a reset leaves nothing behind.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <string.h>

#include "tests/fault/opencl.h"
#include "tests/test.h"

enum { BYTES = 1 << 16, LONGEST = 2000 };

static char host[BYTES];

/* One operation: everything it makes, it also frees, whether or not something fails on the way. */
typedef cudaError_t operation(void);

static cudaError_t first_of(cudaError_t a, cudaError_t b)
{
    return a != cudaSuccess ? a : b;
}

static void check_error(cudaError_t error)
{
    /* The injected code means "no memory"; what failed in a program build or a launch is told as such. */
    static const cudaError_t proper[] = {cudaSuccess,
                                         cudaErrorMemoryAllocation,
                                         cudaErrorLaunchOutOfResources,
                                         cudaErrorInvalidKernelImage,
                                         cudaErrorNotSupported,
                                         cudaErrorInvalidValue};
    for (size_t i = 0; i < sizeof proper / sizeof proper[0]; i++) {
        if (error == proper[i])
            return;
    }
    print_error("%s after a failed %s\n", cudaGetErrorName(error), fault_name());
    fail();
}

static void expect_nothing_alive(const char *when, long n)
{
    if (fault_live_objects() == 0)
        return;
    fault_print_live();
    print_error("%s: call %ld (%s) left objects behind\n", when, n, fault_name());
    fail();
}

static void run_with_faults(operation *op)
{
    assert_int_equal(op(), cudaSuccess);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
    expect_nothing_alive("without a fault", 0);
    long n = 1;
    for (; n < LONGEST; n++) {
        assert_int_equal(cudaFree(NULL), cudaSuccess);
        fault_at(n);
        cudaError_t error = op();
        int was_met = fault_was_met();
        fault_at(0);
        if (!was_met) {
            assert_int_equal(error, cudaSuccess);
            break;
        }
        check_error(error);
        cudaGetLastError();
        cudaError_t again = op();
        if (again != cudaSuccess)
            print_error("%s in the operation after a failed %s\n", cudaGetErrorName(again),
                        fault_name());
        assert_int_equal(again, cudaSuccess);
        assert_int_equal(cudaDeviceReset(), cudaSuccess);
        expect_nothing_alive("after a fault", n);
    }
    if (n == 1)
        TEST_SKIP("the operation makes no call of those that can fail here (extensions are not "
                  "among them)");
    assert_true(n < LONGEST);
    assert_int_equal(cudaDeviceReset(), cudaSuccess);
}

static cudaError_t allocate_small(void)
{
    void *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, 1000);
    return first_of(error, cudaFree(memory));
}

static cudaError_t allocate_large(void)
{
    void *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, (size_t)8 << 20);
    return first_of(error, cudaFree(memory));
}

static cudaError_t allocate_pinned(void)
{
    void *memory = NULL;
    cudaError_t error = cudaMallocHost(&memory, BYTES);
    return first_of(error, cudaFreeHost(memory));
}

static cudaError_t register_host(void)
{
    cudaError_t error = cudaHostRegister(host, sizeof host, cudaHostRegisterDefault);
    return error == cudaSuccess ? cudaHostUnregister(host) : error;
}

/* Calls body with device memory. */
static cudaError_t with_memory(cudaError_t (*body)(char *memory))
{
    char *memory = NULL;
    cudaError_t error = cudaMalloc((void **)&memory, 2 * BYTES);
    if (error == cudaSuccess)
        error = body(memory);
    return first_of(error, cudaFree(memory));
}

static cudaError_t copy_there_and_back(char *memory)
{
    memset(host, 7, sizeof host);
    cudaError_t error = cudaMemcpy(memory, host, BYTES, cudaMemcpyHostToDevice);
    error = first_of(error, cudaMemcpy(memory + BYTES, memory, BYTES, cudaMemcpyDeviceToDevice));
    memset(host, 0, sizeof host);
    error = first_of(error, cudaMemcpy(host, memory + BYTES, BYTES, cudaMemcpyDeviceToHost));
    if (error == cudaSuccess)
        assert_true(host[0] == 7 && host[BYTES - 1] == 7);
    return error;
}

static cudaError_t copy(void)
{
    return with_memory(copy_there_and_back);
}

static cudaError_t set_and_copy_rectangles(char *memory)
{
    cudaError_t error = cudaMemset2D(memory, 512, 5, 300, 100);
    error = first_of(
        error, cudaMemcpy2D(memory + BYTES, 400, memory, 512, 300, 100, cudaMemcpyDeviceToDevice));
    error = first_of(
        error, cudaMemcpy2D(host, 300, memory + BYTES, 400, 300, 100, cudaMemcpyDeviceToHost));
    if (error == cudaSuccess)
        assert_true(host[0] == 5 && host[29999] == 5);
    return error;
}

static cudaError_t rectangles(void)
{
    return with_memory(set_and_copy_rectangles);
}

static cudaError_t use_streams(void)
{
    cudaStream_t blocking = NULL, other = NULL;
    cudaError_t error = cudaStreamCreate(&blocking);
    error = first_of(error, cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    if (error == cudaSuccess)
        error = first_of(cudaStreamSynchronize(blocking), cudaStreamQuery(other));
    if (other != NULL)
        error = first_of(error, cudaStreamDestroy(other));
    if (blocking != NULL)
        error = first_of(error, cudaStreamDestroy(blocking));
    return error;
}

static cudaError_t time_on_stream(cudaEvent_t start, cudaEvent_t end, cudaStream_t stream,
                                  char *memory)
{
    float milliseconds = -1.0f;
    cudaError_t error = cudaEventRecord(start, stream);
    error = first_of(error, cudaMemsetAsync(memory, 1, BYTES, stream));
    error = first_of(error, cudaEventRecord(end, stream));
    error = first_of(error, cudaStreamWaitEvent(stream, end, 0));
    error = first_of(error, cudaEventSynchronize(end));
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, start, end);
    if (error == cudaSuccess)
        assert_true(milliseconds >= 0.0f);
    return error;
}

static cudaError_t use_events(char *memory)
{
    cudaEvent_t start = NULL, end = NULL;
    cudaStream_t stream = NULL;
    cudaError_t error = cudaEventCreate(&start);
    error = first_of(error, cudaEventCreate(&end));
    error = first_of(error, cudaStreamCreate(&stream));
    if (error == cudaSuccess)
        error = time_on_stream(start, end, stream, memory);
    if (stream != NULL)
        error = first_of(error, cudaStreamDestroy(stream));
    if (end != NULL)
        error = first_of(error, cudaEventDestroy(end));
    if (start != NULL)
        error = first_of(error, cudaEventDestroy(start));
    return error;
}

static cudaError_t events(void)
{
    return with_memory(use_events);
}

static void count_call(void *data)
{
    ++*(int *)data;
}

static cudaError_t host_function(void)
{
    static int calls;
    calls = 0;
    cudaError_t error = cudaLaunchHostFunc(NULL, count_call, &calls);
    cudaError_t waited = cudaStreamSynchronize(NULL);
    if (error == cudaSuccess && waited == cudaSuccess)
        assert_int_equal(calls, 1);
    return first_of(error, waited);
}

static const char code[] =
    "typedef struct { int a; char b; } pair;\n"
    "__kernel void fill(__global int *p, pair v) { p[get_global_id(0)] = v.a; }\n";

static cudaError_t launch_fill(cudaLibrary_t library, char *memory)
{
    struct {
        int a;
        char b;
    } pair = {42, 'x'};
    cudaKernel_t fill = NULL;
    void *args[] = {&memory, &pair};
    int last = 0;
    cudaError_t error = cudaLibraryGetKernel(&fill, library, "fill");
    if (error == cudaSuccess)
        error =
            cudaLaunchKernel((const void *)fill, (dim3){4, 1, 1}, (dim3){64, 1, 1}, args, 0, NULL);
    error = first_of(
        error, cudaMemcpy(&last, memory + 255 * sizeof(int), sizeof last, cudaMemcpyDeviceToHost));
    if (error == cudaSuccess)
        assert_int_equal(last, 42);
    return error;
}

static cudaError_t load_and_launch(char *memory)
{
    cudaLibrary_t library = NULL;
    cudaError_t error = cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
    if (error == cudaSuccess)
        error = launch_fill(library, memory);
    if (library != NULL)
        error = first_of(error, cudaLibraryUnload(library));
    return error;
}

static cudaError_t launch(void)
{
    return with_memory(load_and_launch);
}

/* Opening the device itself: a strategy may fall back, but something must work afterwards. */
static cudaError_t open_device(void)
{
    cudaError_t error = cudaDeviceReset();
    return first_of(error, cudaFree(NULL));
}

TEST_BODY(fault_allocate_small)
{
    run_with_faults(allocate_small);
}

TEST_BODY(fault_allocate_large)
{
    run_with_faults(allocate_large);
}

TEST_BODY(fault_allocate_pinned)
{
    run_with_faults(allocate_pinned);
}

TEST_BODY(fault_register_host)
{
    run_with_faults(register_host);
}

TEST_BODY(fault_copy)
{
    run_with_faults(copy);
}

TEST_BODY(fault_rectangles)
{
    run_with_faults(rectangles);
}

TEST_BODY(fault_streams)
{
    run_with_faults(use_streams);
}

TEST_BODY(fault_events)
{
    run_with_faults(events);
}

TEST_BODY(fault_host_function)
{
    run_with_faults(host_function);
}

TEST_BODY(fault_launch)
{
    run_with_faults(launch);
}

TEST_BODY(fault_open_device)
{
    run_with_faults(open_device);
}
