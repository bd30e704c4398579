/* The cheapest way down a grid, several rows in a launch: a block keeps a strip that shrinks by one on each side for each row.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { THREADS = 256, ROWS_AT_ONCE = 20 };
static int width, rows;
static int *cost, *ways[2], *result;

static void prepare(void)
{
    width = pair_size(1 << 13, 1 << 19);
    rows = 101;
    cost = pair_input<int>((long long)width * rows, [](uint64_t i) { return pair_random(i) % 10; });
    for (int **way = ways; way < ways + 2; way++)
        *way = pair_input<int>(width, [](uint64_t) { return 0; });
    result = pair_output<int>(width);
}

#ifdef __CUDACC__
__global__ void go(const int *cost, const int *from, int *to, int width, int first, int count)
{
    __shared__ int last[THREADS], now[THREADS];
    const int t = threadIdx.x;
    const int x = (int)(blockIdx.x * (THREADS - 2 * count)) - count + t;
    const bool is_in = x >= 0 && x < width;
    if (is_in)
        last[t] = from[x];
    __syncthreads();
    for (int i = 0; i < count; i++) {
        const bool does = is_in && t >= i + 1 && t <= THREADS - 2 - i;
        if (does) {
            int best = last[t];
            if (x > 0)
                best = min(best, last[t - 1]);
            if (x < width - 1)
                best = min(best, last[t + 1]);
            now[t] = best + cost[(first + i) * width + x];
        }
        __syncthreads();
        if (does)
            last[t] = now[t];
        __syncthreads();
    }
    if (is_in && t >= count && t < THREADS - count)
        to[x] = last[t];
}

static void work(void)
{
    int now = 0;
    PAIR_CHECK(cudaMemcpyAsync(ways[0], cost, (size_t)width * 4, cudaMemcpyDeviceToDevice));
    for (int first = 1; first < rows; first += ROWS_AT_ONCE, now = 1 - now)
        go<<<pair_blocks(width, THREADS - 2 * ROWS_AT_ONCE), THREADS>>>(
            cost, ways[now], ways[1 - now], width, first,
            std::min((int)ROWS_AT_ONCE, rows - first));
    PAIR_CHECK(cudaMemcpyAsync(result, ways[now], (size_t)width * 4, cudaMemcpyDeviceToDevice));
}
#else
static void work(void)
{
    int now = 0;
    std::copy(cost, cost + width, ways[0]);
    for (int row = 1; row < rows; row++, now = 1 - now) {
        const int *from = ways[now];
        int *to = ways[1 - now];
#pragma omp parallel for
        for (int x = 0; x < width; x++) {
            int best = from[x];
            if (x > 0)
                best = std::min(best, from[x - 1]);
            if (x < width - 1)
                best = std::min(best, from[x + 1]);
            to[x] = best + cost[row * width + x];
        }
    }
    std::copy(ways[now], ways[now] + width, result);
}
#endif
