/* A recursive device function: either it runs right, or the launch is refused with an error and everything else goes on.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__global__ void recursive(int *out)
{
    out[threadIdx.x] = ackermann(2, (int)threadIdx.x);
}

__global__ void plain(int *out)
{
    out[threadIdx.x] = (int)threadIdx.x;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> out(4);
    recursive<<<1, 4>>>(out.data);
    const cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) {
        CUDA(cudaDeviceSynchronize());
        EXPECT(out.host() == (std::vector<int>{3, 5, 7, 9}));
    } else if (!program_prints_hashes) {
        printf("refused: %s\n", cudaGetErrorName(error));
    }
    plain<<<1, 4>>>(out.data);
    LAUNCHED();
    EXPECT(out.host() == (std::vector<int>{0, 1, 2, 3}));
    return program_end();
}
