/* Device code of two sources linked together.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

extern __device__ int base;
extern __managed__ int calls;
__device__ int part(int x);

__global__ void kernel(int *out)
{
    out[threadIdx.x] = part((int)threadIdx.x) + base;
    atomicAdd(&calls, 1);
}

int main()
{
    int *out;
    if (calls != 5 || cudaMallocManaged(&out, 32 * sizeof(int)) != cudaSuccess)
        return 1;
    kernel<<<1, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    const bool is_right = out[31] == 31 * 31 + 100 && calls == 37;
    printf("%d\n", is_right);
    return !is_right;
}
