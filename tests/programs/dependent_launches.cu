/* Launches that may begin before those they depend on have ended, and wait for them in the kernel.
 * Compute capability: 90
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { COUNT = 4096, BLOCK = 128, ROUNDS = 8 };

__global__ void first(int *to, int round)
{
    const int i = (int)(blockIdx.x * BLOCK + threadIdx.x);
    cudaTriggerProgrammaticLaunchCompletion();
    to[i] = i + round;
}

/* Reads what other blocks of the kernel before have written. */
__global__ void second(const int *from, int *to)
{
    const int i = (int)(blockIdx.x * BLOCK + threadIdx.x);
    cudaGridDependencySynchronize();
    to[i] += from[COUNT - 1 - i];
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    int *between, *sums;
    CUDA(cudaMallocManaged(&between, COUNT * sizeof *between));
    CUDA(cudaMallocManaged(&sums, COUNT * sizeof *sums));
    CUDA(cudaMemset(sums, 0, COUNT * sizeof *sums));

    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(COUNT / BLOCK);
    config.blockDim = dim3(BLOCK);
    config.attrs = &attribute;
    for (int round = 0; round < ROUNDS; round++) {
        config.numAttrs = 0;
        CUDA(cudaLaunchKernelEx(&config, first, between, round));
        config.numAttrs = 1;
        CUDA(cudaLaunchKernelEx(&config, second, (const int *)between, sums));
    }
    LAUNCHED();
    for (int i = 0; i < COUNT; i++)
        EXPECT(sums[i] == ROUNDS * (COUNT - 1 - i) + ROUNDS * (ROUNDS - 1) / 2);
    CUDA(cudaFree(between));
    CUDA(cudaFree(sums));
    return program_end();
}
