/* Launch-bound: a thousand launches of one block, each over what the one before wrote.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { STEPS = 1000 };
static int n;
static unsigned *words;

static void prepare(void)
{
    n = pair_size(256, 1024);
    words = pair_output<unsigned>(n);
}

#ifdef __CUDACC__
__global__ void step(unsigned *words, unsigned i)
{
    words[threadIdx.x] = words[threadIdx.x] * 1664525u + i;
}

static void work(void)
{
    PAIR_CHECK(cudaMemsetAsync(words, 1, (size_t)n * 4));
    for (unsigned i = 0; i < STEPS; i++)
        step<<<1, n>>>(words, i);
}
#else
static void work(void)
{
    memset(words, 1, (size_t)n * 4);
    for (unsigned i = 0; i < STEPS; i++) {
#pragma omp parallel for
        for (int k = 0; k < n; k++)
            words[k] = words[k] * 1664525u + i;
    }
}
#endif
