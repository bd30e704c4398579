/* The sum of 0 to n - 1: sums N.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>
#include <cstdlib>

__global__ void add(unsigned long long *sum, int n)
{
    __shared__ unsigned long long parts[64];
    unsigned long long part = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        part += i;
    parts[threadIdx.x] = part;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, parts[0]);
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 0;
    const unsigned long long wanted = (unsigned long long)n * (n - 1) / 2;
    unsigned long long *sum, result = 0;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    add<<<8, 64>>>(sum, n);
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(sum);
    printf("%llu, %llu expected: %s\n", result, wanted, cudaGetErrorString(cudaGetLastError()));
    return n <= 0 || result != wanted;
}
