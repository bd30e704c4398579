/* Constant memory: one value for all threads, values by index, a full 64 KiB bank, and the same through read-only global
 * memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__constant__ float gpu_gamma;
__constant__ int bank[15000];
__constant__ unsigned char bytes[256];
__constant__ double pair[2] = {0.5, -0.25};

__global__ void immediate(float *out, const float *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * gpu_gamma + 7.5f * (float)pair[i & 1];
}

__global__ void uniform(int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int j = 0; j < 64; j++)
        sum += bank[j * 234 + blockIdx.x];
    out[i] = sum;
}

__global__ void by_thread(int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = bank[(i * 37) % 15000] + bytes[bytes[i & 255]];
}

/* The rule for uniform loads of global memory. */
__global__ void global_uniform(float *g_dst, const float *g_src)
{
    g_dst[blockIdx.x * blockDim.x + threadIdx.x] = g_src[0] + g_src[blockIdx.x];
}

__global__ void read_only(float *out, const float *__restrict__ in, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[(i * 7) % n] + __ldg(&in[(i * 5 + 1) % n]);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 2048;
    std::vector<int> values(15000);
    for (int i = 0; i < 15000; i++)
        values[i] = (int)(random_word(i) >> 8);
    std::vector<unsigned char> small(256);
    for (int i = 0; i < 256; i++)
        small[i] = (unsigned char)(i * 167 + 13);
    const float gamma = 2.25f;
    CUDA(cudaMemcpyToSymbol(gpu_gamma, &gamma, sizeof gamma));
    CUDA(cudaMemcpyToSymbol(bank, values.data(), sizeof bank));
    CUDA(cudaMemcpyToSymbol(bytes, small.data(), sizeof bytes));
    const std::vector<float> input = random_floats(n, -4, 4);
    device_array<float> in(input), out(n);
    device_array<int> sums(n);

    immediate<<<n / 256, 256>>>(out.data, in.data);
    LAUNCHED();
    std::vector<float> got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == fmaf(input[i], 2.25f, 7.5f * (i & 1 ? -0.25f : 0.5f)));
    result("immediate", got);
    uniform<<<n / 256, 256>>>(sums.data);
    LAUNCHED();
    std::vector<int> whole = sums.host();
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int j = 0; j < 64; j++)
            sum += values[j * 234 + i / 256];
        EXPECT(whole[i] == sum);
    }
    result("uniform", whole);
    by_thread<<<n / 256, 256>>>(sums.data);
    LAUNCHED();
    whole = sums.host();
    for (int i = 0; i < n; i++)
        EXPECT(whole[i] == values[(i * 37) % 15000] + small[small[i & 255]]);
    result("by thread", whole);
    global_uniform<<<n / 256, 256>>>(out.data, in.data);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == input[0] + input[i / 256]);
    read_only<<<n / 256, 256>>>(out.data, in.data, n);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == input[(i * 7) % n] + input[(i * 5 + 1) % n]);
    result("read only", got);
    return program_end();
}
