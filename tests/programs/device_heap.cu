/* malloc, free, new and delete in kernels: memory outlives launches, any thread may free it, an exhausted heap gives NULL,
 * the limit is settled by the first use, and the host cannot free what a kernel allocated.
 * Pointers live in device memory here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__device__ int *kept[64];

__global__ void make(void)
{
    const unsigned i = threadIdx.x;
    kept[i] = (int *)malloc((i + 1) * sizeof(int));
    if (kept[i])
        for (unsigned j = 0; j <= i; j++)
            kept[i][j] = (int)(i * 1000 + j);
}

/* Each thread reads and frees what another thread of another launch allocated. */
__global__ void sum_and_free(int *sums)
{
    const unsigned i = 63 - threadIdx.x;
    int sum = 0;
    for (unsigned j = 0; j <= i; j++)
        sum += kept[i][j];
    sums[i] = sum;
    free(kept[i]);
    kept[i] = NULL;
}

struct node {
    int value;
    node *next;
    __device__ node(int v, node *n) : value(v), next(n)
    {
    }
};

__global__ void lists(int *sums)
{
    node *list = nullptr;
    for (int i = 0; i < 10; i++)
        list = new node(i * (int)threadIdx.x, list);
    register int *array = new int[10]; /* nvcc takes the old word everywhere */
    for (int i = 0; list; i++) {
        node *next = list->next;
        array[i] = list->value;
        delete list;
        list = next;
    }
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += (i + 1) * array[i];
    delete[] array;
    sums[threadIdx.x] = sum;
}

__global__ void exhaust(unsigned *counts)
{
    kept[0] = (int *)malloc((size_t)1 << 40); /* stored, so that no compiler leaves the call out */
    counts[0] = kept[0] == NULL;
    unsigned pieces = 0;
    void **last = NULL;
    for (void **p; (p = (void **)malloc(1 << 20)) != NULL; pieces++) {
        p[0] = last;
        last = p;
    }
    counts[1] = pieces;
    while (last) {
        void **previous = (void **)last[0];
        free(last);
        last = previous;
    }
    void *again = malloc(1 << 20);
    counts[2] = again != NULL;
    free(again);
    free(NULL);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    device_array<int> sums(64);
    make<<<1, 64>>>();
    LAUNCHED();
    int *pointer = NULL;
    CUDA(cudaMemcpyFromSymbol(&pointer, kept, sizeof pointer, 5 * sizeof pointer));
    EXPECT(pointer != NULL);
    EXPECT(cudaFree(pointer) != cudaSuccess);
    cudaGetLastError();
    sum_and_free<<<1, 64>>>(sums.data);
    LAUNCHED();
    std::vector<int> got = sums.host();
    for (int i = 0; i < 64; i++)
        EXPECT(got[i] == (i + 1) * i * 1000 + i * (i + 1) / 2);
    result("kept", got);
    lists<<<1, 64>>>(sums.data);
    LAUNCHED();
    got = sums.host();
    for (int i = 0; i < 64; i++)
        EXPECT(got[i] == 165 * i); /* the sum of (k + 1) (9 - k) */
    result("lists", got);
    EXPECT(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20) != cudaSuccess);
    cudaGetLastError();
    device_array<unsigned> counts(3);
    exhaust<<<1, 1>>>(counts.data);
    LAUNCHED();
    const std::vector<unsigned> seen = counts.host();
    EXPECT(seen[0] == 1);
    EXPECT(seen[1] >= 8 && seen[1] <= 32);
    EXPECT(seen[2] == 1);
    return program_end();
}
