/* See linked.cu.
 * SPDX-License-Identifier: Apache-2.0 */
__device__ int base = 100;
__managed__ int calls = 5;

static __constant__ int factors[2];

__device__ int part(int x)
{
    return x * factors[0];
}

bool set_part(int value)
{
    return cudaMemcpyToSymbol(factors, &value, sizeof value) == cudaSuccess;
}
