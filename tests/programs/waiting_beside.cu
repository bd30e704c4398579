/* Kernels of which all blocks wait for what other streams do: for further kernels, a copy, a host function, or for the host, which
 * waits for another stream first. On CPUs they keep one processor, and leave the others to that.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { BLOCKS = 16, THREADS = 64, ADDS = 50 };

/* Registers and shared memory live across the wait. */
__global__ void wait_for(volatile unsigned *word, unsigned wanted, unsigned *out)
{
    __shared__ unsigned own[THREADS];
    own[threadIdx.x] = 5 * threadIdx.x + blockIdx.x;
    while (*word < wanted)
        ;
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = own[THREADS - 1 - threadIdx.x] + *word;
}

__global__ void add(unsigned *word)
{
    atomicAdd(word, 1u);
}

static void check(const unsigned *out, unsigned word)
{
    static unsigned got[BLOCKS * THREADS];
    bool is_right = true;
    CUDA(cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault));
    for (unsigned i = 0; i < BLOCKS * THREADS; i++)
        is_right = is_right && got[i] == 5 * (THREADS - 1 - i % THREADS) + i / THREADS + word;
    EXPECT(is_right);
}

static void test_kernels(unsigned *memory, cudaStream_t waits, cudaStream_t adds)
{
    CUDA(cudaMemset(memory, 0, sizeof *memory));
    CUDA(cudaDeviceSynchronize());
    wait_for<<<BLOCKS, THREADS, 0, waits>>>(memory, ADDS * THREADS, memory + 1);
    for (int i = 0; i < ADDS; i++)
        add<<<1, THREADS, 0, adds>>>(memory);
    CUDA(cudaStreamSynchronize(waits));
    CUDA(cudaStreamSynchronize(adds));
    check(memory + 1, ADDS * THREADS);
}

static void test_copy(unsigned *memory, cudaStream_t waits, cudaStream_t copies)
{
    const unsigned word = 77;
    CUDA(cudaMemset(memory, 0, sizeof *memory));
    CUDA(cudaDeviceSynchronize());
    wait_for<<<BLOCKS, THREADS, 0, waits>>>(memory, word, memory + 1);
    CUDA(cudaMemcpyAsync(memory, &word, sizeof word, cudaMemcpyHostToDevice, copies));
    CUDA(cudaStreamSynchronize(copies));
    CUDA(cudaStreamSynchronize(waits));
    check(memory + 1, word);
}

static void set_word(void *word)
{
    *(volatile unsigned *)word = 9;
}

static void test_host(unsigned *memory, cudaStream_t waits, cudaStream_t calls)
{
    unsigned *word, *mapped;
    CUDA(cudaHostAlloc(&word, sizeof *word, cudaHostAllocMapped));
    CUDA(cudaHostGetDevicePointer(&mapped, word, 0));
    *word = 0;
    wait_for<<<BLOCKS, THREADS, 0, waits>>>(mapped, 9, memory + 1);
    CUDA(cudaLaunchHostFunc(calls, set_word, word));
    CUDA(cudaStreamSynchronize(waits));
    check(memory + 1, 9);
    CUDA(cudaStreamSynchronize(calls));
    CUDA(cudaFreeHost(word));
}

/* The host's ways of waiting for another stream, of which the kernel knows nothing. */
enum way { BY_STREAM, BY_QUERY, BY_EVENT, BY_EVENT_QUERY, BY_COPY, WAYS };

static void wait_for_stream(enum way way, cudaStream_t stream, unsigned *copy, const unsigned *from)
{
    cudaEvent_t event;
    CUDA(cudaEventCreateWithFlags(&event,
                                  way == BY_EVENT ? cudaEventDefault : cudaEventDisableTiming));
    CUDA(cudaEventRecord(event, stream));
    if (way == BY_QUERY)
        while (cudaStreamQuery(stream) == cudaErrorNotReady)
            ;
    if (way == BY_EVENT)
        CUDA(cudaEventSynchronize(event));
    if (way == BY_EVENT_QUERY)
        while (cudaEventQuery(event) == cudaErrorNotReady)
            ;
    if (way == BY_COPY)
        CUDA(cudaMemcpyAsync(copy, from, sizeof *copy, cudaMemcpyDeviceToHost, stream));
    if (way == BY_STREAM || way == BY_COPY)
        CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaEventDestroy(event));
}

static void test_ways(unsigned *memory, cudaStream_t waits, cudaStream_t others)
{
    unsigned *word, *mapped;
    CUDA(cudaHostAlloc(&word, 2 * sizeof *word, cudaHostAllocMapped));
    CUDA(cudaHostGetDevicePointer(&mapped, word, 0));
    for (int way = BY_STREAM; way < WAYS; way++) {
        word[0] = word[1] = 0;
        CUDA(cudaMemset(memory, 0, sizeof *memory));
        CUDA(cudaDeviceSynchronize());
        wait_for<<<BLOCKS, THREADS, 0, waits>>>(mapped, 9, memory + 1);
        add<<<1, THREADS, 0, others>>>(memory);
        wait_for_stream((enum way)way, others, word + 1, memory);
        EXPECT(cudaStreamQuery(waits) == cudaErrorNotReady);
        EXPECT(word[1] == (way == BY_COPY ? THREADS : 0));
        set_word(word);
        CUDA(cudaStreamSynchronize(waits));
        check(memory + 1, 9);
    }
    CUDA(cudaFreeHost(word));
}

/* What the kernel waits for comes behind an event of another stream, and behind a host function. */
static void test_chain(unsigned *memory, cudaStream_t waits, cudaStream_t first)
{
    unsigned word = 0;
    cudaStream_t second;
    cudaEvent_t event;
    CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    CUDA(cudaMemset(memory, 0, sizeof *memory));
    CUDA(cudaDeviceSynchronize());
    wait_for<<<BLOCKS, THREADS, 0, waits>>>(memory, 3 * THREADS, memory + 1);
    add<<<1, THREADS, 0, first>>>(memory);
    CUDA(cudaEventRecord(event, first));
    CUDA(cudaStreamWaitEvent(second, event, 0));
    add<<<1, THREADS, 0, second>>>(memory);
    CUDA(cudaLaunchHostFunc(second, set_word, &word));
    add<<<1, THREADS, 0, second>>>(memory);
    CUDA(cudaStreamSynchronize(waits));
    check(memory + 1, 3 * THREADS);
    EXPECT(word == 9);
    CUDA(cudaEventDestroy(event));
    CUDA(cudaStreamDestroy(second));
}

/* A kernel may be loaded at its first use, which may wait for those that run: both are, before one waits for the other. */
static void load(void)
{
    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, (const void *)wait_for));
    CUDA(cudaFuncGetAttributes(&attributes, (const void *)add));
}

int main(int count, char **arguments)
{
    unsigned *memory = nullptr;
    cudaStream_t waits, others;
    program_begin(count, arguments);
    load();
    CUDA(cudaMalloc(&memory, (1 + BLOCKS * THREADS) * sizeof *memory));
    CUDA(cudaStreamCreateWithFlags(&waits, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&others, cudaStreamNonBlocking));
    for (int i = 0; i < 3; i++) {
        test_kernels(memory, waits, others);
        test_copy(memory, waits, others);
        test_host(memory, waits, others);
        test_ways(memory, waits, others);
        test_chain(memory, waits, others);
    }
    CUDA(cudaStreamDestroy(others));
    CUDA(cudaStreamDestroy(waits));
    CUDA(cudaFree(memory));
    return program_end();
}
