/* A cooperative launch of more blocks than are at work at once, which CLEM_AT_ONCE lets through where blocks gather: it ends with
 * an error, and none of its code has run.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cooperative_groups.h>
#include <cstdlib>

namespace cg = cooperative_groups;

__global__ void meet(unsigned *met)
{
    atomicAdd(met, 1u);
    cg::this_grid().sync();
    atomicAdd(met, 1u);
}

static void test(void)
{
    int processors = 0;
    unsigned *met = nullptr;
    void *args[] = {&met};
    CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    CUDA(cudaHostAlloc(&met, sizeof *met, cudaHostAllocMapped));
    *met = 0;
    CUDA(cudaLaunchCooperativeKernel(meet, dim3(1), dim3(32), args));
    CUDA(cudaDeviceSynchronize());
    EXPECT(*(volatile unsigned *)met == 64);
    const cudaError_t error =
        cudaLaunchCooperativeKernel(meet, dim3(processors * 64), dim3(32), args);
    if (error == cudaErrorCooperativeLaunchTooLarge) { /* blocks take turns */
        EXPECT(cudaGetLastError() == error);
        CUDA(cudaFreeHost(met));
        return;
    }
    CUDA(error);
    EXPECT(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    EXPECT(cudaGetLastError() == cudaErrorLaunchFailure);
    EXPECT(*(volatile unsigned *)met == 64);
}

int main(int count, char **arguments)
{
    int can = 0;
    setenv("CLEM_AT_ONCE", "1000000", 1);
    program_begin(count, arguments);
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    if (can)
        test();
    return program_end();
}
