/* What the tests of streams, events, launches and devices share: gates, kernels, threads.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_RUNTIME_SUPPORT_H
#define TESTS_FACADE_RUNTIME_SUPPORT_H

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "tests/test.h"

#include <cuda_runtime.h>

/* They define functions of the C library themselves, and libclem's stay away. */
static inline bool has_sanitizer(void)
{
    return dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace") != NULL;
}

#define assert_success(call) assert_int_equal((call), cudaSuccess)

/* The call fails with this code, which is then the last error once. */
#define assert_fails(code, call)                                                                   \
    do {                                                                                           \
        assert_int_equal((call), (code));                                                          \
        assert_int_equal(cudaGetLastError(), (code));                                              \
        assert_int_equal(cudaGetLastError(), cudaSuccess);                                         \
    } while (0)

/* --- gates ------------------------------------------------------------------------------------ */

/* Holds a stream: its later work starts when the gate is opened, whatever the machine's speed. */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_open;
};

#define GATE_INITIALIZER                                                                           \
    {                                                                                              \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false                                 \
    }

static inline void gate_wait(void *data)
{
    struct gate *gate = data;
    pthread_mutex_lock(&gate->lock);
    while (!gate->is_open)
        pthread_cond_wait(&gate->changed, &gate->lock);
    pthread_mutex_unlock(&gate->lock);
}

static inline void gate_open(struct gate *gate)
{
    pthread_mutex_lock(&gate->lock);
    gate->is_open = true;
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}

/* A gate in a stream; it is used once. */
static inline void gate_hold(struct gate *gate, cudaStream_t stream)
{
    assert_success(cudaLaunchHostFunc(stream, gate_wait, gate));
}

/* A host function that waits for what the caller does next. It gives up when that takes so long that the caller must be
 * waiting for it. */
struct patience {
    struct gate gate;
    bool is_lost;
};

#define PATIENCE_INITIALIZER                                                                       \
    {                                                                                              \
        GATE_INITIALIZER, false                                                                    \
    }

static inline void patience_wait(void *data)
{
    struct patience *patience = data;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 120;
    pthread_mutex_lock(&patience->gate.lock);
    while (!patience->gate.is_open && !patience->is_lost)
        patience->is_lost =
            pthread_cond_timedwait(&patience->gate.changed, &patience->gate.lock, &end) != 0;
    pthread_mutex_unlock(&patience->gate.lock);
}

static inline void patience_hold(struct patience *patience, cudaStream_t stream)
{
    assert_success(cudaLaunchHostFunc(stream, patience_wait, patience));
}

/* Whether the function has not given up; it goes on. */
static inline bool patience_end(struct patience *patience)
{
    pthread_mutex_lock(&patience->gate.lock);
    const bool is_lost = patience->is_lost;
    pthread_mutex_unlock(&patience->gate.lock);
    gate_open(&patience->gate);
    return !is_lost;
}

static inline void pause_briefly(void)
{
    const struct timespec pause = {0, 1000000};
    nanosleep(&pause, NULL);
}

/* Not ready now, and not a little later either. Needs: a gate holds the stream, so that no correct
 * library can answer anything else; the pauses only give a wrong one time to show itself. */
static inline void assert_stays_busy(cudaStream_t stream)
{
    for (int i = 0; i < 20; i++) {
        assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
        pause_briefly();
    }
}

/* --- kernels ---------------------------------------------------------------------------------- */

static inline cudaLibrary_t load_text(const char *text)
{
    cudaLibrary_t library = NULL;
    assert_success(cudaLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
    return library;
}

static inline const void *find_kernel(cudaLibrary_t library, const char *name)
{
    cudaKernel_t kernel = NULL;
    assert_success(cudaLibraryGetKernel(&kernel, library, name));
    return (const void *)kernel;
}

static inline cudaError_t launch_1d(const void *kernel, unsigned grid, unsigned block, void **args,
                                    size_t shared, cudaStream_t stream)
{
    return cudaLaunchKernel(kernel, (dim3){grid, 1, 1}, (dim3){block, 1, 1}, args, shared, stream);
}

static inline int *device_ints(size_t count)
{
    int *p = NULL;
    assert_success(cudaMalloc((void **)&p, count * sizeof *p));
    assert_success(cudaMemset(p, 0, count * sizeof *p));
    assert_success(cudaDeviceSynchronize());
    return p;
}

static inline int read_device_int(const int *p)
{
    int value = -1;
    assert_success(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/* --- threads ---------------------------------------------------------------------------------- */

/* In threads other than the test's own, a failed assert would end the wrong stack: they tell what
 * failed, return a pointer other than NULL, and the test asserts that. */
#define THREAD_CHECK(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);              \
            return (void *)1;                                                                      \
        }                                                                                          \
    } while (0)

#define THREAD_SUCCESS(call) THREAD_CHECK((call) == cudaSuccess)

static inline void run_threads(int count, void *(*body)(void *), void *data, size_t bytes)
{
    pthread_t threads[64];
    assert_true(count <= 64);
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, (char *)data + (size_t)i * bytes),
                         0);
    int failures = 0;
    for (int i = 0; i < count; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        failures += result != NULL;
    }
    assert_int_equal(failures, 0);
}

#endif
