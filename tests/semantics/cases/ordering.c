/* Semantics of ordering between the default streams and others, seen in values.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <pthread.h>

#include "../oracle.h"

/* Gives work that waits for nothing the time it takes. */
static void give_time(cudaStream_t stream)
{
    for (unsigned ms = 0; ms < SPIN_MS / 6 && cudaStreamQuery(stream) == cudaErrorNotReady; ms++) {
        sleep_ms(1);
    }
}

/* first: a long kernel, then a store of 1, on one stream. second: a copy of that value on the
 * other stream. The value copied is 1 when the second stream waited for the first. */
static void pair(const char *name, cudaStream_t first, cudaStream_t second)
{
    int *source = device_block(4096);
    int *copied = device_block(4096);
    REQUIRE(launch_store(source, 0, NULL));
    REQUIRE(cudaDeviceSynchronize());
    REQUIRE(spin_start(first, SPIN_MS));
    REQUIRE(launch_store(source, 1, first));
    CALL_AS(cudaMemcpyAsync(copied, source, sizeof(int), cudaMemcpyDeviceToDevice, second),
            "%s: copy", name);
    give_time(second);
    CALL_AS(cudaStreamQuery(second), "%s: second stream", name);
    CALL_AS(cudaStreamSynchronize(second), "%s: synchronize", name);
    CALL_AS(cudaStreamQuery(first), "%s: first stream after that", name);
    REQUIRE(cudaDeviceSynchronize());
    VALUE(read_int(copied), "%s: waited", name);
}

static cudaStream_t blocking(void)
{
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreate(&s));
    return s;
}

static cudaStream_t non_blocking(void)
{
    cudaStream_t s = NULL;
    REQUIRE(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
}

void case_ordering_legacy(void)
{
    spin_prepare();
    pair("blocking then legacy", blocking(), NULL);
    pair("legacy then blocking", NULL, blocking());
    pair("non-blocking then legacy", non_blocking(), NULL);
    pair("legacy then non-blocking", NULL, non_blocking());
    pair("legacy then NULL", cudaStreamLegacy, NULL);
}

void case_ordering_per_thread(void)
{
    spin_prepare();
    pair("per thread then legacy", cudaStreamPerThread, NULL);
    pair("legacy then per thread", NULL, cudaStreamPerThread);
    pair("per thread then blocking", cudaStreamPerThread, blocking());
    pair("blocking then per thread", blocking(), cudaStreamPerThread);
    pair("per thread then non-blocking", cudaStreamPerThread, non_blocking());
}

void case_ordering_created(void)
{
    spin_prepare();
    pair("blocking then blocking", blocking(), blocking());
    pair("non-blocking then blocking", non_blocking(), blocking());
    cudaStream_t s = blocking();
    pair("one stream", s, s);
}

/* Two streams with legacy work between them. */
void case_ordering_through_legacy(void)
{
    cudaStream_t a = blocking();
    cudaStream_t b = blocking();
    int *p = device_block(4096);
    int *q = device_block(4096);
    spin_prepare();
    REQUIRE(launch_store(p, 0, NULL));
    REQUIRE(cudaDeviceSynchronize());
    REQUIRE(spin_start(a, SPIN_MS));
    REQUIRE(launch_store(p, 1, a));
    REQUIRE(launch(KERNEL_NOOP, 1, 1, NULL, 0, NULL));
    REQUIRE(cudaMemcpyAsync(q, p, sizeof(int), cudaMemcpyDeviceToDevice, b));
    CALL(cudaStreamSynchronize(b));
    VALUE(read_int(q), "waited");
}

/* Does an event recorded, or a wait, on the legacy stream count as work of it? */
void case_ordering_legacy_event(void)
{
    cudaStream_t a = blocking();
    cudaEvent_t e = NULL;
    REQUIRE(cudaEventCreate(&e));
    spin_prepare();
    REQUIRE(launch(KERNEL_NOOP, 1, 1, NULL, 0, NULL));
    REQUIRE(cudaDeviceSynchronize());
    REQUIRE(spin_start(a, SPIN_MS));
    CALL(cudaEventRecord(e, NULL));
    CALL(cudaEventQuery(e));
    CALL(cudaStreamQuery(NULL));
    CALL(cudaEventSynchronize(e));
    CALL(cudaStreamQuery(a));
    CALL(cudaDeviceSynchronize());
}

struct other_thread {
    int *p;
    cudaError_t query;
    cudaError_t copy;
    int seen;
};

static void *runs_per_thread(void *data)
{
    struct other_thread *t = data;
    int *copied = device_block(4096);
    t->copy =
        cudaMemcpyAsync(copied, t->p, sizeof(int), cudaMemcpyDeviceToDevice, cudaStreamPerThread);
    t->query = cudaStreamQuery(cudaStreamPerThread);
    (void)cudaStreamSynchronize(cudaStreamPerThread);
    REQUIRE(cudaMemcpyAsync(&t->seen, copied, sizeof(int), cudaMemcpyDeviceToHost,
                            cudaStreamPerThread));
    REQUIRE(cudaStreamSynchronize(cudaStreamPerThread));
    return NULL;
}

void case_ordering_two_threads(void)
{
    pthread_t thread;
    struct other_thread t = {.p = device_block(4096), .seen = 77};
    spin_prepare();
    REQUIRE(launch_store(t.p, 0, cudaStreamPerThread));
    REQUIRE(cudaDeviceSynchronize());
    void *warm = NULL;
    REQUIRE(cudaMalloc(&warm, 4096));
    REQUIRE(spin_start(cudaStreamPerThread, SPIN_MS));
    REQUIRE(launch_store(t.p, 1, cudaStreamPerThread));
    require(pthread_create(&thread, NULL, runs_per_thread, &t) == 0, "pthread_create");
    pthread_join(thread, NULL);
    TEXT(cudaGetErrorName(t.copy), "copy on the other thread's per-thread stream");
    VALUE(t.seen, "it waited for this thread's per-thread stream");
    CALL(cudaDeviceSynchronize());
}

/* The plain entry points called with the _ptds and _ptsz variants' streams: cudaMemcpy on the
 * legacy stream does not wait for a per-thread stream's later work, but for its earlier work. */
void case_ordering_blocking_copy(void)
{
    int *p = device_block(4096);
    int seen = 77;
    cudaStream_t s = non_blocking();
    spin_prepare();
    REQUIRE(launch_store(p, 0, NULL));
    REQUIRE(cudaDeviceSynchronize());
    REQUIRE(spin_start(cudaStreamPerThread, SPIN_MS));
    REQUIRE(launch_store(p, 1, cudaStreamPerThread));
    CALL(cudaMemcpy(&seen, p, sizeof seen, cudaMemcpyDeviceToHost));
    VALUE(seen, "cudaMemcpy waited for the per-thread stream");
    REQUIRE(spin_start(s, SPIN_MS));
    REQUIRE(launch_store(p, 2, s));
    CALL(cudaMemcpy(&seen, p, sizeof seen, cudaMemcpyDeviceToHost));
    VALUE(seen, "cudaMemcpy did not wait for a non-blocking stream");
    CALL(cudaDeviceSynchronize());
    CALL(cudaMemcpy(&seen, p, sizeof seen, cudaMemcpyDeviceToHost));
    VALUE(seen, "in the end");
}
