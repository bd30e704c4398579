/* Quick sort whose parts are grids that kernels launch: one thread for each element of a part, a scan where it goes.
 * nvcc: -rdc=true -lcudadevrt
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <algorithm>
#include <cuda_device_runtime_api.h>

#ifndef clem_launch
#define clem_launch(kernel, grid, block, shared, stream, ...)                                      \
    ((kernel)<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__), cudaPeekAtLastError())
#endif

enum { SMALL = 64, THREADS = 128 };

/* Small parts, and those too deep, by one block: each element counts how many come before it. */
__global__ void place(const uint32_t *from, uint32_t *to, unsigned n)
{
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) {
        unsigned before = 0;
        for (unsigned j = 0; j < n; j++)
            before += from[j] < from[i] || (from[j] == from[i] && j < i);
        to[before] = from[i];
    }
}

__global__ void copy(const uint32_t *from, uint32_t *to, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i];
}

/* Numbers below the pivot from the front, those above from the back, equal ones between. ends: of both. */
__global__ void split(const uint32_t *from, uint32_t *to, unsigned n, uint32_t pivot, unsigned *ends)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (from[i] < pivot)
        to[atomicAdd(&ends[0], 1u)] = from[i];
    else if (from[i] > pivot)
        to[n - 1 - atomicAdd(&ends[1], 1u)] = from[i];
}

__global__ void sort(uint32_t *data, uint32_t *other, unsigned n, unsigned *ends, int depth);

__global__ void go_on(uint32_t *data, uint32_t *other, unsigned n, uint32_t pivot, unsigned *ends,
                      int depth)
{
    const unsigned below = ends[0], above = ends[1];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = i < below || i >= n - above ? other[i] : pivot;
    if (i == 0) {
        clem_launch(sort, 1, 1, 0, cudaStreamTailLaunch, data, other, below, ends + 2, depth + 1);
        clem_launch(sort, 1, 1, 0, cudaStreamTailLaunch, data + n - above, other + n - above, above,
                    ends + 2, depth + 1);
    }
}

__global__ void sort(uint32_t *data, uint32_t *other, unsigned n, unsigned *ends, int depth)
{
    if (n <= SMALL || depth > 12) {
        clem_launch(place, 1, SMALL, 0, 0, data, other, n);
        clem_launch(copy, 1, SMALL, 0, 0, other, data, n);
        return;
    }
    const uint32_t a = data[0], b = data[n / 2], c = data[n - 1];
    const uint32_t pivot = max(min(a, b), min(max(a, b), c));
    const unsigned blocks = (n + THREADS - 1) / THREADS;
    cudaMemsetAsync(ends, 0, 2 * sizeof *ends, 0);
    clem_launch(split, blocks, THREADS, 0, 0, data, other, n, pivot, ends);
    clem_launch(go_on, blocks, THREADS, 0, 0, data, other, n, pivot, ends, depth);
}

int main(int count, char **arguments)
{
    enum { N = 4000 };
    program_begin(count, arguments);
    std::vector<uint32_t> numbers(N);
    for (unsigned i = 0; i < N; i++)
        numbers[i] = random_word(i) % 3000;
    device_array<uint32_t> data(numbers), other(N);
    device_array<unsigned> ends(64);
    sort<<<1, 1>>>(data.data, other.data, N, ends.data, 0);
    LAUNCHED();
    std::sort(numbers.begin(), numbers.end());
    EXPECT(data.host() == numbers);
    result("sorted", data.host());
    return program_end();
}
