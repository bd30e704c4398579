/* Launch-bound: shortest ways between all nodes, a launch for each node between.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static int *input, *distance;

static void prepare(void)
{
    n = pair_size(128, 512);
    input = pair_input<int>((long long)n * n, [](uint64_t i) { return 1 + pair_random(i) % 1000; });
    distance = pair_output<int>((long long)n * n);
}

#ifdef __CUDACC__
__global__ void improve(int *distance, int n, int k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < n && y < n)
        distance[y * n + x] = min(distance[y * n + x], distance[y * n + k] + distance[k * n + x]);
}

static void work(void)
{
    PAIR_CHECK(cudaMemcpyAsync(distance, input, (size_t)n * n * 4, cudaMemcpyDeviceToDevice));
    for (int k = 0; k < n; k++)
        improve<<<dim3(pair_blocks(n, 32), pair_blocks(n, 8)), dim3(32, 8)>>>(distance, n, k);
}
#else
static void work(void)
{
    std::copy(input, input + (size_t)n * n, distance);
    for (int k = 0; k < n; k++) {
#pragma omp parallel for
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                distance[y * n + x] =
                    std::min(distance[y * n + x], distance[y * n + k] + distance[k * n + x]);
    }
}
#endif
