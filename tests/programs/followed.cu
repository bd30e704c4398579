/* Threads that go where memory tells them, with and without a loop, and neither meet nor wait, in blocks of one, two and three axes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { DEGREE = 4, LEVELS = 6 };

__host__ __device__ static int number_of(dim3 block, dim3 size, dim3 thread)
{
    return (int)(((block.x * size.z + thread.z) * size.y + thread.y) * size.x + thread.x);
}

/* A level of a search: only threads that memory lets go on look at others. */
__global__ void expand(const int *edges, int *distance, int nodes, int level)
{
    const int node = number_of(blockIdx, blockDim, threadIdx);
    if (node >= nodes || distance[node] != level)
        return;
    for (int i = 0; i < DEGREE; i++) {
        const int next = edges[node * DEGREE + i];
        if (distance[next] < 0)
            distance[next] = level + 1;
    }
}

/* A list for each thread, to its end; and the axes of the thread. */
__global__ void follow(const int *next, int *last, int nodes)
{
    const int node = number_of(blockIdx, blockDim, threadIdx);
    if (node >= nodes)
        return;
    int at = node, steps = 0;
#pragma unroll 1
    while (next[at] >= 0) {
        at = next[at];
        steps++;
    }
    last[node] =
        at * 64 + steps + (int)(threadIdx.x * 3 + threadIdx.y * 5 + threadIdx.z * 7) * 65536;
}

static int random_below(int place, int limit)
{
    const uint32_t word = (uint32_t)(place + 1) * 2654435761u;
    return (int)((word ^ word >> 15) % (uint32_t)limit);
}

static void check_expand(int nodes, dim3 block)
{
    std::vector<int> edges((size_t)nodes * DEGREE), distance((size_t)nodes, -1);
    for (size_t i = 0; i < edges.size(); i++)
        edges[i] = random_below((int)i, nodes);
    distance[0] = 0;
    device_array<int> graph(edges), found(distance);
    const int threads = (int)(block.x * block.y * block.z);
    for (int level = 0; level < LEVELS; level++) {
        expand<<<(nodes + threads - 1) / threads, block>>>(graph.data, found.data, nodes, level);
        for (int node = 0; node < nodes; node++)
            for (int i = 0; distance[node] == level && i < DEGREE; i++)
                if (distance[edges[node * DEGREE + i]] < 0)
                    distance[edges[node * DEGREE + i]] = level + 1;
    }
    LAUNCHED();
    EXPECT(found.host() == distance);
    result("expand", found.host());
}

static void check_follow(int nodes, dim3 block)
{
    std::vector<int> next(nodes), expected(nodes);
    for (int i = 0; i < nodes; i++)
        next[i] = i % 13 == 0 ? -1 : random_below(i, i);
    const int threads = (int)(block.x * block.y * block.z);
    for (int i = 0; i < nodes; i++) {
        int at = i, steps = 0;
        for (; next[at] >= 0; at = next[at])
            steps++;
        const int t = i % threads, x = t % (int)block.x, y = t / (int)block.x % (int)block.y,
                  z = t / (int)(block.x * block.y);
        expected[i] = at * 64 + steps + (x * 3 + y * 5 + z * 7) * 65536;
    }
    device_array<int> links(next), last(nodes);
    follow<<<(nodes + threads - 1) / threads, block>>>(links.data, last.data, nodes);
    LAUNCHED();
    EXPECT(last.host() == expected);
    result("follow", last.host());
}

int main(int count, char **arguments)
{
    static const dim3 blocks[] = {
        256, 32, 45, 1, dim3(8, 8), dim3(5, 3, 2), dim3(16, 2, 4), dim3(1, 7, 3)};
    program_begin(count, arguments);
    for (const dim3 &block : blocks)
        for (int nodes : {1, 500, 1000}) {
            check_expand(nodes, block);
            check_follow(nodes, block);
        }
    return program_end();
}
