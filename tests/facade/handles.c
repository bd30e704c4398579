/* Tests of facade/state/handles.c: a handle of another kind, a stale one or any number is an error and
 * never a crash.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/runtime_support.h"

static void check_is_nothing(void *value)
{
    cudaStream_t stream = value;
    cudaEvent_t event = value;
    cudaLibrary_t library = value;
    cudaKernel_t kernel = NULL;
    float ms = 0;
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamQuery(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamDestroy(stream));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamSynchronize(stream));
    assert_fails(cudaErrorContextIsDestroyed, cudaEventQuery(event));
    assert_fails(cudaErrorContextIsDestroyed, cudaEventDestroy(event));
    assert_fails(cudaErrorContextIsDestroyed, cudaEventElapsedTime(&ms, event, event));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLibraryUnload(library));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLibraryGetKernel(&kernel, library, "k"));
    assert_fails(cudaErrorInvalidResourceHandle, launch_1d(value, 1, 1, NULL, 0, NULL));
    assert_fails(cudaErrorInvalidValue, cudaLogsUnregisterCallback(value));
}

TEST_BODY(handles_any_number_is_an_error)
{
    static const uintptr_t numbers[] = {
        3, 8, 0x1000, 0xdeadbeef, UINTPTR_MAX / 2, UINTPTR_MAX - 7, UINTPTR_MAX};
    int on_stack = 0;
    assert_success(cudaFree(NULL));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        check_is_nothing((void *)numbers[i]);
    check_is_nothing(&on_stack);
}

/* Addresses next to a live handle are none. */
TEST_BODY(handles_are_exact)
{
    cudaStream_t stream = NULL;
    assert_success(cudaStreamCreate(&stream));
    for (int i = -16; i <= 16; i++) {
        if (i != 0)
            check_is_nothing((void *)((uintptr_t)stream + (uintptr_t)i));
    }
    assert_success(cudaStreamQuery(stream));
    assert_success(cudaStreamDestroy(stream));
    check_is_nothing(stream);
}

TEST_BODY(handles_of_another_kind_are_errors)
{
    cudaStream_t stream = NULL;
    cudaEvent_t event = NULL;
    cudaLibrary_t library = load_text("__kernel void k(__global int *p) { p[0] = 1; }\n");
    const void *kernel = find_kernel(library, "k");
    assert_success(cudaStreamCreate(&stream));
    assert_success(cudaEventCreate(&event));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamDestroy((cudaStream_t)(void *)event));
    assert_fails(cudaErrorInvalidResourceHandle, cudaStreamQuery((cudaStream_t)(void *)library));
    assert_fails(cudaErrorContextIsDestroyed, cudaEventRecord((cudaEvent_t)(void *)stream, NULL));
    assert_fails(cudaErrorContextIsDestroyed, cudaEventDestroy((cudaEvent_t)(uintptr_t)kernel));
    assert_fails(cudaErrorInvalidResourceHandle, cudaLibraryUnload((cudaLibrary_t)(void *)stream));
    assert_fails(cudaErrorInvalidResourceHandle, launch_1d(event, 1, 1, NULL, 0, NULL));
    assert_success(cudaEventRecord(event, stream));
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaEventDestroy(event));
    assert_success(cudaLibraryUnload(library));
}

/* A handle that one thread destroyed is unknown to the next. */
struct destroyer {
    cudaEvent_t event;
    atomic_int *successes;
};

static void *destroy(void *data)
{
    struct destroyer *self = data;
    cudaError_t error = cudaEventDestroy(self->event);
    THREAD_CHECK(error == cudaSuccess || error == cudaErrorContextIsDestroyed);
    atomic_fetch_add(self->successes, error == cudaSuccess);
    return NULL;
}

TEST_BODY(handles_destroyed_one_after_the_other)
{
    atomic_int successes = 0;
    for (int i = 0; i < 20; i++) {
        struct destroyer one;
        assert_success(cudaEventCreate(&one.event));
        one.successes = &successes;
        run_threads(1, destroy, &one, 0);
        run_threads(1, destroy, &one, 0);
    }
    assert_int_equal(successes, 20);
}

/* What a thread found last it must not find again once another thread has destroyed it. */
TEST_BODY(handles_destroyed_behind_the_back)
{
    for (int i = 0; i < 20; i++) {
        atomic_int successes = 0;
        struct destroyer one = {NULL, &successes};
        assert_success(cudaEventCreate(&one.event));
        assert_success(cudaEventRecord(one.event, NULL));
        assert_success(cudaEventSynchronize(one.event));
        run_threads(1, destroy, &one, 0);
        assert_int_equal(successes, 1);
        assert_fails(cudaErrorContextIsDestroyed, cudaEventRecord(one.event, NULL));
    }
}
