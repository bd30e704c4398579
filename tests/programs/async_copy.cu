/* Asynchronous copies into shared memory by the pipeline functions, in one stage and in two.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuda_pipeline.h>

__global__ void one_stage(float4 *out, const float4 *in)
{
    __shared__ float4 values[128];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    __pipeline_memcpy_async(&values[t], &in[i], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[i] = values[127 - t];
}

/* The next tile arrives while this one is summed. */
__global__ void two_stages(int *out, const int *in, int tiles)
{
    __shared__ int values[2][64];
    const int t = threadIdx.x;
    const int *mine = in + blockIdx.x * tiles * 64;
    __pipeline_memcpy_async(&values[0][t], &mine[t], sizeof(int));
    __pipeline_commit();
    int sum = 0;
    for (int tile = 0; tile < tiles; tile++) {
        if (tile + 1 < tiles)
            __pipeline_memcpy_async(&values[(tile + 1) % 2][t], &mine[(tile + 1) * 64 + t],
                                    sizeof(int));
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += values[tile % 2][63 - t];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 1024, tiles = 9;
    std::vector<float4> values(n);
    const std::vector<float> random = random_floats(4 * n, -1, 1);
    memcpy(values.data(), random.data(), 4 * n * sizeof(float));
    device_array<float4> in(values), out(n);
    one_stage<<<n / 128, 128>>>(out.data, in.data);
    LAUNCHED();
    const std::vector<float4> got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(memcmp(&got[i], &values[i / 128 * 128 + 127 - i % 128], sizeof(float4)) == 0);
    result("one", got);
    std::vector<int> numbers(3 * tiles * 64);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = (int)(random_word(i) % 1000);
    device_array<int> dnumbers(numbers), sums(3 * 64);
    two_stages<<<3, 64>>>(sums.data, dnumbers.data, tiles);
    LAUNCHED();
    const std::vector<int> totals = sums.host();
    for (int i = 0; i < 3 * 64; i++) {
        int sum = 0;
        for (int tile = 0; tile < tiles; tile++)
            sum += numbers[(i / 64 * tiles + tile) * 64 + 63 - i % 64];
        EXPECT(totals[i] == sum);
    }
    result("two", totals);
    return program_end();
}
