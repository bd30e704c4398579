/* Softmax of rows of 256: a block for each row, maximum and sum by shuffles and shared memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { COLUMNS = 256, WARPS = COLUMNS / 32 };
static int rows;
static float *in, *out;

static void prepare(void)
{
    rows = pair_size(256, 1 << 17);
    in = pair_input<float>((long long)rows * COLUMNS, pair_random_float);
    out = pair_output<float>((long long)rows * COLUMNS);
}

#ifdef __CUDACC__
template <class F> __device__ float over_block(float value, float *part, F join)
{
    for (int away = 16; away > 0; away /= 2)
        value = join(value, __shfl_xor_sync(0xffffffff, value, away));
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = value;
    __syncthreads();
    value = part[0];
    for (int i = 1; i < WARPS; i++)
        value = join(value, part[i]);
    __syncthreads();
    return value;
}

__global__ void softmax(const float *in, float *out)
{
    __shared__ float part[WARPS];
    const int place = blockIdx.x * COLUMNS + threadIdx.x;
    const float value = in[place];
    const float most = over_block(value, part, [](float a, float b) { return fmaxf(a, b); });
    const float grown = expf(value - most);
    const float sum = over_block(grown, part, [](float a, float b) { return a + b; });
    out[place] = grown / sum;
}

static void work(void)
{
    softmax<<<rows, COLUMNS>>>(in, out);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int row = 0; row < rows; row++) {
        const float *from = in + (long long)row * COLUMNS;
        float *to = out + (long long)row * COLUMNS;
        float most = from[0], sum = 0;
        for (int i = 1; i < COLUMNS; i++)
            most = std::max(most, from[i]);
        for (int i = 0; i < COLUMNS; i++)
            sum += to[i] = expf(from[i] - most);
        for (int i = 0; i < COLUMNS; i++)
            to[i] /= sum;
    }
}
#endif
