/* The README's example, word for word from the first include on.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

__global__ void saxpy(float *y, const float *x, float a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] += a * x[i];
}

int main()
{
    const int n = 100000;
    float *x, *y;
    if (cudaMallocManaged(&x, n * sizeof(float)) || cudaMallocManaged(&y, n * sizeof(float))) {
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    for (int i = 0; i < n; i++)
        x[i] = i, y[i] = 1;
    saxpy<<<64, 256>>>(y, x, 2, n);
    const cudaError_t error = cudaDeviceSynchronize();
    const bool is_right = error == cudaSuccess && y[n - 1] == 2 * (n - 1) + 1;
    cudaFree(x);
    cudaFree(y);
    printf("%s\n", is_right ? "ok" : cudaGetErrorString(error));
    return !is_right;
}
