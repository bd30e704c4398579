/* y = a x + y, one thread for each place.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

static int n;
static float *x, *y, *z;

static void prepare(void)
{
    n = pair_size(1 << 16, 1 << 25);
    x = pair_input<float>(n, pair_random_float);
    y = pair_input<float>(n, [](uint64_t i) { return pair_random_float(i + 7); });
    z = pair_output<float>(n);
}

#ifdef __CUDACC__
__global__ void saxpy(int n, float a, const float *x, const float *y, float *z)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
}

static void work(void)
{
    saxpy<<<pair_blocks(n, 256), 256>>>(n, 2.5f, x, y, z);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        z[i] = 2.5f * x[i] + y[i];
}
#endif
