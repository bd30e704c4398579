/* Floats added at places that a list names, by atomics: what assembles finite elements.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n, places;
static int *where;
static float *values, *sums;

static void prepare(void)
{
    n = pair_size(1 << 16, 1 << 24);
    places = n / 4;
    where = pair_input<int>(n, [](uint64_t i) { return pair_random(i) % (unsigned)places; });
    values = pair_input<float>(n, [](uint64_t i) { return pair_random(i + 5) % 64; });
    sums = pair_output<float>(places);
}

#ifdef __CUDACC__
__global__ void add(const int *where, const float *values, float *sums, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&sums[where[i]], values[i]);
}

static void work(void)
{
    PAIR_CHECK(cudaMemsetAsync(sums, 0, (size_t)places * sizeof *sums));
    add<<<pair_blocks(n, 256), 256>>>(where, values, sums, n);
}
#else
static void work(void)
{
    memset(sums, 0, (size_t)places * sizeof *sums);
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
#pragma omp atomic
        sums[where[i]] += values[i];
    }
}
#endif
