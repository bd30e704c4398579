/* A row filter of 17 weights in constant memory over an image, rims of tiles in shared memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { RADIUS = 8, TILE = 128 };
static int width, height;
static float *in, *out;

#ifdef __CUDACC__
__constant__ float weights[2 * RADIUS + 1];
#else
static float weights[2 * RADIUS + 1];
#endif

static void prepare(void)
{
    float values[2 * RADIUS + 1];
    width = pair_size(512, 8192);
    height = pair_size(128, 4096);
    for (int i = 0; i < 2 * RADIUS + 1; i++)
        values[i] = pair_random_float((uint64_t)i) / (2 * RADIUS + 1);
    in = pair_input<float>((long long)width * height, pair_random_float);
    out = pair_output<float>((long long)width * height);
#ifdef __CUDACC__
    PAIR_CHECK(cudaMemcpyToSymbol(weights, values, sizeof values));
#else
    std::copy(values, values + 2 * RADIUS + 1, weights);
#endif
}

#ifdef __CUDACC__
__global__ void convolve(const float *in, float *out, int width)
{
    __shared__ float part[TILE + 2 * RADIUS];
    const int first = blockIdx.x * TILE - RADIUS, row = blockIdx.y * width;
    for (int i = threadIdx.x; i < TILE + 2 * RADIUS; i += TILE) {
        const int x = first + i;
        part[i] = x >= 0 && x < width ? in[row + x] : 0;
    }
    __syncthreads();
    float sum = 0;
    for (int i = 0; i <= 2 * RADIUS; i++)
        sum += weights[i] * part[threadIdx.x + i];
    out[row + blockIdx.x * TILE + threadIdx.x] = sum;
}

static void work(void)
{
    convolve<<<dim3(width / TILE, height), TILE>>>(in, out, width);
}
#else
static void work(void)
{
#pragma omp parallel for
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const int begin = std::max(0, RADIUS - x),
                      end = std::min(2 * RADIUS, RADIUS + width - 1 - x);
            float sum = 0;
            for (int i = begin; i <= end; i++)
                sum += weights[i] * in[y * width + x + i - RADIUS];
            out[y * width + x] = sum;
        }
}
#endif
