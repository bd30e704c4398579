/* y = a x + y, on whatever device there is:  clemcc example.cu -o example && ./example
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1 << 20;
    float *x, *y;
    if (cudaMallocManaged(&x, n * sizeof *x) != cudaSuccess || cudaMallocManaged(&y, n * sizeof *y) != cudaSuccess)
        return 1;
    for (int i = 0; i < n; i++)
        x[i] = 1, y[i] = 2;
    saxpy<<<(n + 255) / 256, 256>>>(n, 3, x, y);
    if (cudaDeviceSynchronize() != cudaSuccess)
        return 1;
    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += y[i] != 5;
    printf("%s\n", wrong ? "wrong" : "right");
    return wrong != 0;
}
