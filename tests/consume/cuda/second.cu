/* See first.cu.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda/pipeline>

__managed__ int sum = 10;

struct pair_of_both {
    int value;
    int *other;
};

__managed__ pair_of_both pair = {14, nullptr};

__global__ void add()
{
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    init(&barrier, blockDim.x);
    barrier.arrive_and_wait();
    for (int i = 0; i < 3; i++)
        sum += *(pair.other + i) / 2;
    pair.other[0]++;
}

int second_part(int *of_first)
{
    pair.other = of_first;
    add<<<1, 1>>>();
    return cudaDeviceSynchronize() == cudaSuccess ? sum + pair.value : -1;
}
