/* Distances in a graph, level by level: a launch for each, over all nodes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { DEGREE = 6, LEVELS = 12 };
static int nodes;
static int *edges, *distance;

static void prepare(void)
{
    nodes = pair_size(1 << 13, 1 << 20);
    edges = pair_input<int>((long long)nodes * DEGREE,
                            [](uint64_t i) { return pair_random(i) % (unsigned)nodes; });
    distance = pair_output<int>(nodes);
}

#ifdef __CUDACC__
__global__ void start(int *distance, int nodes)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node < nodes)
        distance[node] = node == 0 ? 0 : -1;
}

__global__ void expand(const int *edges, int *distance, int nodes, int level)
{
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || distance[node] != level)
        return;
    for (int i = 0; i < DEGREE; i++) {
        const int next = edges[node * DEGREE + i];
        if (distance[next] < 0)
            distance[next] = level + 1;
    }
}

static void work(void)
{
    start<<<pair_blocks(nodes, 256), 256>>>(distance, nodes);
    for (int level = 0; level < LEVELS; level++)
        expand<<<pair_blocks(nodes, 256), 256>>>(edges, distance, nodes, level);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int node = 0; node < nodes; node++)
        distance[node] = node == 0 ? 0 : -1;
    for (int level = 0; level < LEVELS; level++) {
#pragma omp parallel for
        for (int node = 0; node < nodes; node++) {
            if (distance[node] != level)
                continue;
            for (int i = 0; i < DEGREE; i++) {
                const int next = edges[node * DEGREE + i];
                if (distance[next] < 0)
                    distance[next] = level + 1;
            }
        }
    }
}
#endif
