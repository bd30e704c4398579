/* Tests of code that comes and goes: libraries with kernels that are opened and closed while other threads use the device.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "tests/facade/runtime_support.h"

enum { SECONDS = 250 };

typedef cudaError_t advance_function(int *out, int by, int turns, cudaStream_t stream);
typedef cudaError_t counter_function(int *value);

struct plugin {
    void *file;
    advance_function *advance;
    counter_function *counter;
};

static struct plugin open_plugin(const char *path)
{
    struct plugin plugin = {dlopen(path, RTLD_NOW | RTLD_LOCAL), NULL, NULL};
    assert_non_null(plugin.file);
    *(void **)&plugin.advance = dlsym(plugin.file, "clem_test_advance");
    *(void **)&plugin.counter = dlsym(plugin.file, "clem_test_counter");
    assert_non_null(plugin.advance);
    assert_non_null(plugin.counter);
    return plugin;
}

static atomic_bool is_over;
static _Atomic int rounds_of_others, failures_of_others;

static void note(cudaError_t error)
{
    if (error != cudaSuccess && atomic_fetch_add(&failures_of_others, 1) == 0)
        fprintf(stderr, "another thread: %s\n", cudaGetErrorName(error));
}

/* Code that was never seen before, so that the driver loads what it made of it. */
static void *launch_own(void *argument)
{
    static _Atomic int texts;
    cudaStream_t stream = NULL;
    int *memory = NULL, value = 0;
    (void)argument;
    note(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    note(cudaMalloc((void **)&memory, 64));
    while (!atomic_load(&is_over)) {
        char text[256];
        const int expected = atomic_fetch_add(&texts, 1) + (int)getpid() * 1000;
        cudaLibrary_t library = NULL;
        cudaKernel_t kernel = NULL;
        void *args[] = {&memory};
        snprintf(text, sizeof text, "__kernel void own(__global int *p) { *p = %d; }", expected);
        note(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
        note(cudaLibraryGetKernel(&kernel, library, "own"));
        note(cudaLaunchKernel((const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, args, 0,
                              stream));
        note(cudaMemcpyAsync(&value, memory, sizeof value, cudaMemcpyDeviceToHost, stream));
        note(cudaStreamSynchronize(stream));
        note(cudaLibraryUnload(library));
        note(value == expected ? cudaSuccess : cudaErrorUnknown);
        atomic_fetch_add(&rounds_of_others, 1);
    }
    note(cudaFree(memory));
    note(cudaStreamDestroy(stream));
    return NULL;
}

/* Names and addresses that no code has: all of it is looked through. */
static void *search_all(void *argument)
{
    static int no_symbol;
    int value = 0;
    (void)argument;
    while (!atomic_load(&is_over)) {
        if (cudaMemcpyToSymbol("no_such_variable", &value, sizeof value, 0,
                               cudaMemcpyHostToDevice) != cudaErrorInvalidSymbol ||
            cudaMemcpyToSymbol(&no_symbol, &value, sizeof value, 0, cudaMemcpyHostToDevice) !=
                cudaErrorInvalidSymbol)
            note(cudaErrorUnknown);
        (void)cudaGetLastError();
        atomic_fetch_add(&rounds_of_others, 1);
    }
    return NULL;
}

/* Opens the library so many times, launches without waiting, and closes it; the variable begins anew each time. */
static void come_and_go(int times)
{
    cudaStream_t stream;
    int *memory = device_ints(1), value = 0;
    assert_success(cudaStreamCreate(&stream));
    for (int i = 1; i <= times; i++) {
        const struct plugin plugin = open_plugin(PLUGIN_LIBRARY);
        assert_success(plugin.advance(memory, i, 1000, stream));
        if (i % 2 == 0) {
            assert_success(plugin.counter(&value));
            assert_int_equal(value, 7 + i * 1000);
        }
        assert_int_equal(dlclose(plugin.file), 0);
        assert_null(dlopen(PLUGIN_LIBRARY, RTLD_NOW | RTLD_NOLOAD));
        assert_success(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost));
        assert_int_equal(value, 7 + i * 1000);
    }
    assert_success(cudaStreamDestroy(stream));
    assert_success(cudaFree(memory));
}

static void amid(void *(*function)(void *), int times)
{
    enum { OTHERS = 2 };
    pthread_t others[OTHERS];
    alarm(SECONDS);
    come_and_go(1);
    for (int i = 0; i < OTHERS; i++)
        assert_int_equal(pthread_create(&others[i], NULL, function, NULL), 0);
    come_and_go(times);
    atomic_store(&is_over, true);
    for (int i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    assert_int_equal(atomic_load(&failures_of_others), 0);
    printf("%d rounds of other threads\n", atomic_load(&rounds_of_others));
    assert_true(atomic_load(&rounds_of_others) > 0);
}

TEST_BODY(plugin_closed_amid_launches)
{
    amid(launch_own, 5);
}

TEST_BODY(plugin_closed_amid_searches)
{
    amid(search_all, 20);
}

/* Devices may use its pages. */
TEST_BODY(plugin_with_managed_variables_stays)
{
    int *memory = device_ints(1), value = 0;
    for (int i = 1; i <= 2; i++) {
        const struct plugin plugin = open_plugin(KEPT_LIBRARY);
        assert_success(plugin.advance(memory, 5, 1, NULL));
        assert_success(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost));
        assert_int_equal(value, 7 + i * 5);
        assert_int_equal(dlclose(plugin.file), 0);
        void *again = dlopen(KEPT_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
        assert_non_null(again);
        assert_int_equal(dlclose(again), 0);
    }
    assert_success(cudaFree(memory));
}
