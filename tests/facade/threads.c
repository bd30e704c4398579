/* Many threads at once, each with streams, memory and kernels of its own, and sharing what may be
 * shared.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "tests/facade/runtime_support.h"
#include "tests/small_stack.h"

enum { THREADS = 16, COUNT = 3000 };

static const char *const scale_text = "__kernel void scale(__global int *p, int n, int by)\n"
                                      "{\n"
                                      "    int i = (int)get_global_id(0);\n"
                                      "    if (i < n)\n"
                                      "        p[i] *= by;\n"
                                      "}\n";

struct worker {
    const void *kernel;
    int number;
};

static void *work(void *data)
{
    const struct worker *self = data;
    static _Thread_local int put[COUNT], got[COUNT];
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    THREAD_SUCCESS(
        cudaStreamCreateWithFlags(&stream, self->number % 2 != 0 ? cudaStreamNonBlocking : 0));
    THREAD_SUCCESS(cudaEventCreate(&event));
    for (int round = 0; round < 15; round++) {
        int *p = NULL, *q = NULL, n = COUNT, by = self->number + 2;
        void *args[] = {&q, &n, &by};
        for (int i = 0; i < COUNT; i++)
            put[i] = i + round * self->number;
        THREAD_SUCCESS(cudaMalloc((void **)&p, sizeof put));
        THREAD_SUCCESS(cudaMalloc((void **)&q, sizeof put));
        THREAD_SUCCESS(cudaMemcpyAsync(p, put, sizeof put, cudaMemcpyHostToDevice, stream));
        THREAD_SUCCESS(cudaMemcpyAsync(q, p, sizeof put, cudaMemcpyDeviceToDevice, stream));
        THREAD_SUCCESS(launch_1d(self->kernel, (COUNT + 63) / 64, 64, args, 0, stream));
        THREAD_SUCCESS(cudaEventRecord(event, stream));
        THREAD_SUCCESS(cudaMemcpyAsync(got, q, sizeof got, cudaMemcpyDeviceToHost, stream));
        THREAD_SUCCESS(cudaStreamSynchronize(stream));
        THREAD_SUCCESS(cudaEventQuery(event));
        for (int i = 0; i < COUNT; i++)
            THREAD_CHECK(got[i] == put[i] * by);
        THREAD_SUCCESS(cudaFree(p));
        THREAD_SUCCESS(cudaFree(q));
    }
    THREAD_CHECK(cudaGetLastError() == cudaSuccess);
    THREAD_SUCCESS(cudaEventDestroy(event));
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

TEST_BODY(threads_allocate_copy_launch_and_free)
{
    cudaLibrary_t library = load_text(scale_text);
    struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){find_kernel(library, "scale"), i};
    run_threads(THREADS, work, workers, sizeof workers[0]);
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaLibraryUnload(library));
}

static void *make_and_destroy(void *data)
{
    (void)data;
    for (int i = 0; i < 40; i++) {
        cudaStream_t streams[4];
        cudaEvent_t event = NULL;
        THREAD_SUCCESS(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
        for (int k = 0; k < 4; k++)
            THREAD_SUCCESS(cudaStreamCreateWithFlags(&streams[k], (unsigned)k % 2));
        THREAD_SUCCESS(cudaEventRecord(event, streams[0]));
        THREAD_SUCCESS(cudaStreamWaitEvent(streams[1], event, 0));
        for (int k = 3; k >= 0; k--)
            THREAD_SUCCESS(cudaStreamDestroy(streams[k]));
        THREAD_SUCCESS(cudaEventDestroy(event));
    }
    return NULL;
}

TEST_BODY(threads_create_and_destroy_streams)
{
    char unused[1] = {0};
    assert_success(cudaFree(NULL));
    run_threads(8, make_and_destroy, unused, 0);
    assert_success(cudaDeviceSynchronize());
}

struct shared_counter {
    cudaStream_t stream;
    int *p;
    const void *kernel;
};

static void *add_in_the_shared_stream(void *data)
{
    const struct shared_counter *self = data;
    int *p = self->p, n = 1, by = 1;
    void *args[] = {&p, &n, &by};
    for (int i = 0; i < 100; i++) {
        THREAD_SUCCESS(launch_1d(self->kernel, 1, 1, args, 0, self->stream));
        cudaError_t error = cudaStreamQuery(self->stream);
        THREAD_CHECK(error == cudaSuccess || error == cudaErrorNotReady);
    }
    THREAD_SUCCESS(cudaStreamSynchronize(self->stream));
    return NULL;
}

/* A stream may be used by all: each launch runs alone and once. */
TEST_BODY(threads_share_a_stream)
{
    cudaLibrary_t library =
        load_text("__kernel void scale(__global int *p, int n, int by) { p[0] += n * by; }\n");
    struct shared_counter shared = {NULL, device_ints(1), find_kernel(library, "scale")};
    assert_success(cudaStreamCreate(&shared.stream));
    run_threads(8, add_in_the_shared_stream, &shared, 0);
    assert_int_equal(read_device_int(shared.p), 800);
    assert_success(cudaStreamDestroy(shared.stream));
    assert_success(cudaFree(shared.p));
    assert_success(cudaLibraryUnload(library));
}

static void *first_call(void *data)
{
    int count = 0, **place = data;
    THREAD_SUCCESS(cudaGetDeviceCount(&count));
    THREAD_SUCCESS(cudaMalloc((void **)place, 64));
    return NULL;
}

/* The first calls of the process come from many threads at once. */
TEST_BODY(threads_start_the_device_together)
{
    int *places[THREADS] = {NULL};
    run_threads(THREADS, first_call, places, sizeof places[0]);
    for (int i = 0; i < THREADS; i++)
        assert_success(cudaFree(places[i]));
}

static void *wait_for_legacy(void *data)
{
    (void)data;
    for (int i = 0; i < 50; i++) {
        THREAD_SUCCESS(cudaStreamSynchronize(NULL));
        THREAD_SUCCESS(cudaDeviceSynchronize());
        THREAD_SUCCESS(cudaMemsetAsync(data, i, 16, NULL));
    }
    return NULL;
}

static void *work_blocking(void *data)
{
    cudaStream_t stream = NULL;
    THREAD_SUCCESS(cudaStreamCreate(&stream));
    for (int i = 0; i < 50; i++) {
        THREAD_SUCCESS(cudaMemsetAsync(data, i, 16, stream));
        THREAD_SUCCESS(cudaStreamSynchronize(stream));
    }
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

static void *either(void *data)
{
    int *p = *(int **)data;
    return (uintptr_t)p / 16 % 2 != 0 ? wait_for_legacy(p) : work_blocking(p);
}

/* Waiting for the legacy stream beside blocking streams that come and go neither locks up nor
 * fails. */
TEST_BODY(threads_meet_in_the_legacy_stream)
{
    int *p = device_ints(8 * 4), *places[8];
    for (int i = 0; i < 8; i++)
        places[i] = p + i * 4;
    run_threads(8, either, places, sizeof places[0]);
    assert_success(cudaDeviceSynchronize());
    assert_int_equal(read_device_int(p), 49 * 0x01010101);
    assert_success(cudaFree(p));
}

static void *wait_to_be_cancelled(void *stream)
{
    (void)cudaStreamSynchronize((cudaStream_t)stream);
    pthread_testcancel();
    return NULL;
}

/* Who is cancelled in a wait leaves no lock behind, and is gone after it. */
TEST_BODY(threads_are_cancelled_behind_their_waits)
{
    struct gate gate = GATE_INITIALIZER;
    cudaStream_t stream;
    pthread_t thread;
    void *result = NULL, *memory = NULL;
    assert_success(cudaStreamCreate(&stream));
    gate_hold(&gate, stream);
    assert_int_equal(pthread_create(&thread, NULL, wait_to_be_cancelled, stream), 0);
    const struct timespec while_it_begins = {.tv_nsec = 100000000};
    nanosleep(&while_it_begins, NULL);
    assert_int_equal(pthread_cancel(thread), 0);
    nanosleep(&while_it_begins, NULL);
    gate_open(&gate);
    assert_success(cudaStreamSynchronize(stream));
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    assert_success(cudaMalloc(&memory, 4096));
    assert_success(cudaMemset(memory, 1, 4096));
    assert_success(cudaDeviceSynchronize());
    assert_success(cudaFree(memory));
    assert_success(cudaStreamDestroy(stream));
}

static const char *const add_text = ".version 6.0\n.target sm_70\n.address_size 64\n"
                                    ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
                                    "    .reg .u32 %r<3>;\n    .reg .u64 %rd<3>;\n"
                                    "    ld.param.u64 %rd1, [p];\n    ld.param.u32 %r1, [n];\n"
                                    "    atom.global.add.u32 %r2, [%rd1], %r1;\n    ret;\n}\n";

/* What calls in an unusual thread do: none of them may be where it ends. */
struct much {
    cudaLibrary_t library;
    int *device, *pinned, *managed;
    bool is_through;
};

static void *call_much(struct much *self)
{
    static char pages[2 * 65536], copy[4096];
    char *const page = (char *)(((uintptr_t)pages + 65535) / 65536 * 65536);
    int n = 5;
    cudaKernel_t kernel = NULL;
    THREAD_SUCCESS(cudaMalloc((void **)&self->device, 65536));
    THREAD_SUCCESS(cudaMemset(self->device, 0, 65536));
    THREAD_SUCCESS(cudaMallocHost((void **)&self->pinned, 65536));
    THREAD_SUCCESS(cudaMallocManaged((void **)&self->managed, 65536, cudaMemAttachGlobal));
    THREAD_SUCCESS(cudaLibraryLoadData(&self->library, add_text, NULL, NULL, 0, NULL, NULL, 0));
    THREAD_SUCCESS(cudaLibraryGetKernel(&kernel, self->library, "add"));
    void *args[] = {&self->device, &n};
    THREAD_SUCCESS(launch_1d(kernel, 2, 4, args, 0, NULL));
    THREAD_SUCCESS(cudaMemcpy(copy, self->device, sizeof copy, cudaMemcpyDeviceToHost));
    THREAD_SUCCESS(cudaHostRegister(page, 65536, 0));
    THREAD_SUCCESS(cudaHostUnregister(page));
    THREAD_SUCCESS(cudaDeviceSynchronize());
    return NULL;
}

/* More, each kind of command once; leaves device as it was. */
static void *call_more(struct much *self)
{
    cudaStream_t stream = NULL;
    cudaEvent_t first = NULL, last = NULL;
    cudaArray_t array = NULL;
    const struct cudaChannelFormatDesc format =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindSigned);
    struct cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    struct cudaTextureDesc description = {.readMode = cudaReadModeElementType};
    cudaTextureObject_t texture = 0;
    void *ordered = NULL, *other = NULL;
    size_t bytes = 0, total = 0;
    float time = 0;
    int n = 0;
    void *args[] = {&self->device, &n};
    cudaKernel_t kernel = NULL;
    THREAD_SUCCESS(cudaLibraryGetKernel(&kernel, self->library, "add"));
    THREAD_SUCCESS(cudaStreamCreate(&stream));
    THREAD_SUCCESS(cudaEventCreate(&first));
    THREAD_SUCCESS(cudaEventCreate(&last));
    THREAD_SUCCESS(cudaMalloc(&other, 65536));
    THREAD_SUCCESS(cudaEventRecord(first, stream));
    THREAD_SUCCESS(cudaMallocAsync(&ordered, 4096, stream));
    THREAD_SUCCESS(cudaMemsetAsync(ordered, 0, 4096, stream));
    THREAD_SUCCESS(cudaMemcpyAsync(other, self->pinned, 4096, cudaMemcpyHostToDevice, stream));
    THREAD_SUCCESS(cudaMemcpyAsync(self->pinned, other, 4096, cudaMemcpyDeviceToHost, stream));
    THREAD_SUCCESS(cudaMemcpyAsync(ordered, other, 4096, cudaMemcpyDeviceToDevice, stream));
    THREAD_SUCCESS(
        cudaMemcpy2DAsync(other, 256, self->pinned, 128, 100, 8, cudaMemcpyHostToDevice, stream));
    THREAD_SUCCESS(cudaFreeAsync(ordered, stream));
    THREAD_SUCCESS(launch_1d(kernel, 2, 4, args, 0, stream));
    THREAD_SUCCESS(cudaEventRecord(last, stream));
    THREAD_SUCCESS(cudaStreamWaitEvent(NULL, last, 0));
    THREAD_SUCCESS(cudaEventSynchronize(last));
    THREAD_SUCCESS(cudaStreamQuery(stream));
    THREAD_SUCCESS(cudaEventElapsedTime(&time, first, last));
    THREAD_SUCCESS(cudaMallocArray(&array, &format, 16, 16, 0));
    THREAD_SUCCESS(
        cudaMemcpy2DToArray(array, 0, 0, self->pinned, 64, 64, 16, cudaMemcpyHostToDevice));
    resource.res.array.array = array;
    THREAD_SUCCESS(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    THREAD_SUCCESS(cudaDestroyTextureObject(texture));
    THREAD_SUCCESS(cudaFreeArray(array));
    self->managed[0] = 1;
    THREAD_SUCCESS(cudaMemPrefetchAsync(
        self->managed, 4096, (struct cudaMemLocation){cudaMemLocationTypeDevice, 0}, 0, stream));
    THREAD_SUCCESS(cudaMemGetInfo(&bytes, &total));
    THREAD_SUCCESS(cudaFree(other));
    THREAD_SUCCESS(cudaEventDestroy(first));
    THREAD_SUCCESS(cudaEventDestroy(last));
    THREAD_SUCCESS(cudaStreamDestroy(stream));
    return NULL;
}

static void *call_when_cancelled(void *data)
{
    struct much *self = data;
    pthread_cancel(pthread_self());
    self->is_through = call_much(self) == NULL && call_more(self) == NULL;
    pthread_testcancel();
    return NULL;
}

static void check_and_free(const struct much *much)
{
    assert_int_equal(read_device_int(much->device), 40);
    assert_success(cudaLibraryUnload(much->library));
    assert_success(cudaFree(much->device));
    assert_success(cudaFreeHost(much->pinned));
    assert_success(cudaFree(much->managed));
}

static void cancel_and_check(void)
{
    struct much cancelled = {0};
    void *result = NULL;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, call_when_cancelled, &cancelled), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_true(cancelled.is_through);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    check_and_free(&cancelled);
}

/* From the start of the driver on: one that a thread left by half would never start again. */
TEST_BODY(threads_are_cancelled_behind_their_calls)
{
    cancel_and_check();
}

/* Wherever it has cancellation points. */
TEST_BODY(threads_are_cancelled_in_no_call_of_the_driver)
{
#ifndef STUB_CANCELLING
    TEST_SKIP("there are no headers of OpenCL's layers");
#else
    setenv("OPENCL_LAYERS", STUB_CANCELLING, 1);
#endif
    char path[] = "/tmp/clem-cancelled-XXXXXX", names[4096] = "";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    setenv("STUB_CANCELLED", path, 1);
    cancel_and_check();
    assert_true(read(file, names, sizeof names - 1) >= 0);
    close(file);
    unlink(path);
    assert_string_equal(names, "");
}

static void *call_in_small_stack(void *data)
{
    struct much *self = data;
    self->is_through = call_much(self) == NULL;
    return NULL;
}

/* As README.md promises. Drivers that start, and compilers, want more. */
TEST_BODY(threads_may_have_small_stacks)
{
    struct much small = {0};
    run_with_small_stack(call_in_small_stack, &small);
    assert_true(small.is_through);
    check_and_free(&small);
}
