/* Kernels of which all blocks wait for what other streams do: for further kernels, a copy, a host function. On CPUs they keep one
 * processor, and leave the others to that.
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

int main(int count, char **arguments)
{
    unsigned *memory = nullptr;
    cudaStream_t waits, others;
    program_begin(count, arguments);
    CUDA(cudaMalloc(&memory, (1 + BLOCKS * THREADS) * sizeof *memory));
    CUDA(cudaStreamCreateWithFlags(&waits, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&others, cudaStreamNonBlocking));
    for (int i = 0; i < 3; i++) {
        test_kernels(memory, waits, others);
        test_copy(memory, waits, others);
        test_host(memory, waits, others);
    }
    CUDA(cudaStreamDestroy(others));
    CUDA(cudaStreamDestroy(waits));
    CUDA(cudaFree(memory));
    return program_end();
}
