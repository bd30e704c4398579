/* Adds two arrays: the README's example.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime.h>
#include <stdio.h>

static const char code[] = "__kernel void add(__global const float *a, __global float *b)"
                           "{ size_t i = get_global_id(0); b[i] += a[i]; }";

int main(void)
{
    float a[1024], b[1024], *da, *db;
    for (int i = 0; i < 1024; i++)
        a[i] = (float)i, b[i] = 1.0f;
    cudaLibrary_t library;
    cudaKernel_t add;
    cudaLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0);
    cudaLibraryGetKernel(&add, library, "add");
    cudaMalloc((void **)&da, sizeof a);
    cudaMalloc((void **)&db, sizeof b);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    void *args[] = {&da, &db};
    cudaLaunchKernel((const void *)add, (dim3){4, 1, 1}, (dim3){256, 1, 1}, args, 0, NULL);
    cudaMemcpy(b, db, sizeof b, cudaMemcpyDeviceToHost);
    cudaFree(da);
    cudaFree(db);
    printf("b[1023] = %g, %s\n", (double)b[1023], cudaGetErrorString(cudaGetLastError()));
    return b[1023] == 1024.0f ? 0 : 1;
}
