/* A bitonic sorting network over keys: a launch for each step that leaves blocks, shared memory for those that do not.
 * SPDX-License-Identifier: Apache-2.0 */
#include "pair.h"

enum { BLOCK = 1024 };
static int n;
static unsigned *input, *keys;

static void prepare(void)
{
    n = pair_size(1 << 14, 1 << 21);
    input = pair_input<unsigned>(n, pair_random);
    keys = pair_output<unsigned>(n);
}

#ifdef __CUDACC__
__global__ void step_far(unsigned *keys, int size, int stride)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned low = t / stride * 2 * stride + t % stride, high = low + stride;
    const bool rises = (low & size) == 0;
    const unsigned a = keys[low], b = keys[high];
    if ((a > b) == rises) {
        keys[low] = b;
        keys[high] = a;
    }
}

__global__ void steps_near(unsigned *keys, int first_size, int last_size)
{
    __shared__ unsigned mine[BLOCK];
    const unsigned base = blockIdx.x * BLOCK, t = threadIdx.x;
    mine[t] = keys[base + t];
    mine[t + BLOCK / 2] = keys[base + t + BLOCK / 2];
    __syncthreads();
    for (int size = first_size; size <= last_size; size *= 2)
        for (int stride = size / 2 < BLOCK / 2 ? size / 2 : BLOCK / 2; stride > 0; stride /= 2) {
            const unsigned low = t / stride * 2 * stride + t % stride, high = low + stride;
            const bool rises = ((base + low) & size) == 0;
            const unsigned a = mine[low], b = mine[high];
            if ((a > b) == rises) {
                mine[low] = b;
                mine[high] = a;
            }
            __syncthreads();
        }
    keys[base + t] = mine[t];
    keys[base + t + BLOCK / 2] = mine[t + BLOCK / 2];
}

static void work(void)
{
    PAIR_CHECK(cudaMemcpyAsync(keys, input, (size_t)n * sizeof *keys, cudaMemcpyDeviceToDevice));
    steps_near<<<n / BLOCK, BLOCK / 2>>>(keys, 2, BLOCK);
    for (int size = 2 * BLOCK; size <= n; size *= 2) {
        for (int stride = size / 2; stride >= BLOCK; stride /= 2)
            step_far<<<n / BLOCK, BLOCK / 2>>>(keys, size, stride);
        steps_near<<<n / BLOCK, BLOCK / 2>>>(keys, size, size);
    }
}
#else
static void work(void)
{
    std::copy(input, input + n, keys);
#pragma omp parallel
    for (int size = 2; size <= n; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
#pragma omp for
            for (int t = 0; t < n / 2; t++) {
                const int low = t / stride * 2 * stride + t % stride, high = low + stride;
                const bool rises = (low & size) == 0;
                const unsigned a = keys[low], b = keys[high];
                if ((a > b) == rises) {
                    keys[low] = b;
                    keys[high] = a;
                }
            }
        }
}
#endif
