/* Device code of two sources linked together.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

extern __device__ int base;
extern __managed__ int calls;
__device__ int part(int x);
bool set_part(int value);

/* The other unit has one of the same name; both are the host's to write, though no other unit's. */
static __constant__ int factors[2];

__global__ void kernel(int *out)
{
    out[threadIdx.x] = part((int)threadIdx.x) * factors[1] + base;
    atomicAdd(&calls, 1);
}

int main()
{
    const int values[2] = {0, 2};
    int *out;
    if (!set_part(3) || cudaMemcpyToSymbol(factors, values, sizeof values) != cudaSuccess)
        return 1;
    if (calls != 5 || cudaMallocManaged(&out, 32 * sizeof(int)) != cudaSuccess)
        return 1;
    kernel<<<1, 32>>>(out);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    const bool is_right = out[31] == 3 * 31 * 2 + 100 && calls == 37;
    printf("%d\n", is_right);
    return !is_right;
}
