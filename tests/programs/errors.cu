/* Errors of launches and calls: what each gives, that it is given once, and that work goes on afterwards.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void add(int *out, int by)
{
    out[threadIdx.x] += by;
}

__global__ void __launch_bounds__(64) bounded(int *out)
{
    out[threadIdx.x] = 1;
}

extern __shared__ int shared[];
__global__ void uses_shared(int *out)
{
    shared[threadIdx.x] = 5;
    out[threadIdx.x] = shared[threadIdx.x];
}

static void refused(cudaError_t expected, const char *what)
{
    const cudaError_t peeked = cudaPeekAtLastError(), got = cudaGetLastError();
    if (!EXPECT(got == expected && peeked == expected))
        printf("    %s: %s, not %s\n", what, cudaGetErrorName(got), cudaGetErrorName(expected));
    EXPECT(cudaGetLastError() == cudaSuccess);
}

/* What the launch of a kernel with impossible dimensions gives: nvcc 13 launches kernels by handles, of which the
 * runtime says no more; clang by the addresses of host functions. */
#ifdef __clang__
static const cudaError_t wrong_shape = cudaErrorInvalidConfiguration;
#else
static const cudaError_t wrong_shape = cudaErrorInvalidValue;
#endif

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> out(1024);
    add<<<1, 1025>>>(out.data, 1);
    refused(wrong_shape, "1025 threads");
    add<<<1, dim3(32, 32, 2)>>>(out.data, 1);
    refused(wrong_shape, "2048 threads");
    add<<<1, dim3(1, 1, 65)>>>(out.data, 1);
    refused(wrong_shape, "65 deep");
    add<<<0, 32>>>(out.data, 1);
    refused(wrong_shape, "no blocks");
    add<<<1, 0>>>(out.data, 1);
    refused(wrong_shape, "no threads");
    add<<<dim3(1, 65536), 1>>>(out.data, 1);
    refused(wrong_shape, "65536 rows");
    int device = -1;
    cudaDeviceProp properties;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaGetDeviceProperties(&properties, device));
    uses_shared<<<1, 32, properties.sharedMemPerBlock + 1>>>(out.data);
    refused(cudaErrorInvalidValue, "a byte too much of shared memory");
    EXPECT(cudaMemcpy(out.data, NULL, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    refused(cudaErrorInvalidValue, "copy from nothing");
    void *huge = &huge;
    EXPECT(cudaMalloc(&huge, (size_t)1 << 60) == cudaErrorMemoryAllocation);
    refused(cudaErrorMemoryAllocation, "an exbibyte");
    EXPECT(cudaSetDevice(1000) == cudaErrorInvalidDevice);
    refused(cudaErrorInvalidDevice, "device 1000");
    EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration),
                  "cudaErrorInvalidConfiguration") == 0);

    cudaFuncAttributes attributes;
    CUDA(cudaFuncGetAttributes(&attributes, bounded));
    EXPECT(attributes.maxThreadsPerBlock == 64);
    CUDA(cudaFuncGetAttributes(&attributes, add));
    EXPECT(attributes.maxThreadsPerBlock >= 256 && attributes.sharedSizeBytes == 0);
    int blocks = 0;
    EXPECT(properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 128, 0));
    EXPECT(blocks >= 1);

    add<<<1, 1024>>>(out.data, 41);
    bounded<<<1, 64>>>(out.data + 100);
    LAUNCHED();
    const std::vector<int> got = out.host();
    for (int i = 0; i < 1024; i++)
        EXPECT(got[i] == (i >= 100 && i < 164 ? 1 : 41));
    return program_end();
}
