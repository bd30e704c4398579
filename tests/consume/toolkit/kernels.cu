/* A kernel, compiled by the toolkit's nvcc.
 * SPDX-License-Identifier: Apache-2.0 */
#include <nvtx3/nvToolsExt.h>

#include <cstdio>

__global__ void twice(int *p)
{
    p[threadIdx.x] *= 2;
}

int main()
{
    int *p, values[32] = {0, 21};
    nvtxRangePush("twice");
    if (cudaMalloc(&p, sizeof values) || cudaMemcpy(p, values, sizeof values, cudaMemcpyDefault))
        return 1;
    twice<<<1, 32>>>(p);
    const bool is_right = !cudaMemcpy(values, p, sizeof values, cudaMemcpyDefault) && values[1] == 42;
    nvtxRangePop();
    printf("%d\n", is_right);
    return !is_right;
}
