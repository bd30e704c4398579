/* Variables of kernels: __constant__ and __device__ scalars, arrays and structs with and without initial values, pointers
 * from one to another, and the host's ways to them.
 * Pointers live in device memory here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct settings {
    char tag;
    double scale;
    int steps[3];
};

__constant__ float coefficients[5] = {1, -2, 3, -4, 5};
__constant__ settings chosen = {'x', 2.5, {7, 8, 9}};
__constant__ unsigned char odd_bytes[7];
__device__ int counter = 41;
__device__ float table[256];
__device__ short grid_of[3][4] = {{1, 2, 3, 4}, {5, 6}, {7}};
__device__ int target[8] = {10, 11, 12, 13, 14, 15, 16, 17};
__device__ int *into_target = target;
__device__ const char *words[2];
__device__ double *far_away;
static __device__ unsigned long long hidden = 0x123456789abcdef0ull;

__global__ void use(double *out)
{
    const int i = threadIdx.x;
    double value = coefficients[i % 5] * chosen.scale + chosen.steps[i % 3] + odd_bytes[i % 7];
    value += table[i] + grid_of[i % 3][i % 4] + into_target[i % 8] + chosen.tag;
    out[i] = value;
    table[i] = (float)i;
    atomicAdd(&counter, i);
    __syncthreads(); /* all have read what thread 0 changes */
    if (i == 0) {
        far_away[0] = 6.25;
        hidden += 1;
        into_target = &target[3];
        words[0] = (const char *)&odd_bytes[2];
    }
}

__global__ void follow(int *out)
{
    out[0] = into_target[0];
    out[1] = words[0][0];
    out[2] = (int)(hidden & 0xffff);
    out[3] = (int)(into_target - target);
}

static void host_side(void)
{
    size_t bytes = 0;
    void *address = NULL;
    CUDA(cudaGetSymbolSize(&bytes, grid_of));
    EXPECT(bytes == sizeof(short) * 12);
    CUDA(cudaGetSymbolSize(&bytes, chosen));
    EXPECT(bytes == sizeof(settings));
    CUDA(cudaGetSymbolAddress(&address, table));
    float one = 0;
    CUDA(
        cudaMemcpy(&one, (char *)address + 10 * sizeof(float), sizeof one, cudaMemcpyDeviceToHost));
    EXPECT(one == 10.0f);
    static const int elsewhere = 0;
    EXPECT(cudaGetSymbolAddress(&address, (const void *)&elsewhere) == cudaErrorInvalidSymbol);
    EXPECT(cudaGetLastError() == cudaErrorInvalidSymbol);
    float *table_address;
    CUDA(cudaGetSymbolAddress((void **)&table_address, table));
    const float three[3] = {1.5f, 2.5f, 3.5f};
    CUDA(cudaMemcpyToSymbol(table, three, sizeof three, 100 * sizeof(float)));
    CUDA(cudaMemcpy(&one, table_address + 101, sizeof one, cudaMemcpyDeviceToHost));
    EXPECT(one == 2.5f);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<double> out(256), far_memory(1);
    device_array<int> followed(4);
    const unsigned char bytes[7] = {1, 2, 4, 8, 16, 32, 64};
    CUDA(cudaMemcpyToSymbol(odd_bytes, bytes, sizeof bytes));
    CUDA(cudaMemcpyToSymbol(far_away, &far_memory.data, sizeof far_memory.data));
    use<<<1, 256>>>(out.data);
    LAUNCHED();
    static const float c[5] = {1, -2, 3, -4, 5};
    static const short g[3][4] = {{1, 2, 3, 4}, {5, 6}, {7}};
    const std::vector<double> got = out.host();
    for (int i = 0; i < 256; i++)
        EXPECT(got[i] ==
               c[i % 5] * 2.5 + 7 + i % 3 + bytes[i % 7] + g[i % 3][i % 4] + 10 + i % 8 + 'x');
    result("use", got);
    int total = 0;
    CUDA(cudaMemcpyFromSymbol(&total, counter, sizeof total));
    EXPECT(total == 41 + 255 * 128);
    EXPECT(far_memory.host()[0] == 6.25);
    follow<<<1, 1>>>(followed.data);
    LAUNCHED();
    EXPECT(followed.host() == (std::vector<int>{13, 4, 0xdef1, 3}));
    host_side();
    return program_end();
}
