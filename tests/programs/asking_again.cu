/* More threads than the device's heap has room for at once: those that get no memory ask until others have given theirs back.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void ask_again(unsigned *sum, size_t bytes)
{
    char *own;
    while ((own = (char *)malloc(bytes)) == NULL)
        ;
    own[0] = 1;
    own[bytes - 1] = 2;
    atomicAdd(sum, (unsigned)(own[0] + own[bytes - 1]));
    free(own);
}

int main(int count, char **arguments)
{
    enum { THREADS = 64, BLOCKS = 3 };
    program_begin(count, arguments);
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 8 << 20));
    device_array<unsigned> sum(1);
    CUDA(cudaMemset(sum.data, 0, sizeof(unsigned)));
    ask_again<<<BLOCKS, THREADS>>>(sum.data, 1 << 20);
    LAUNCHED();
    EXPECT(sum.host()[0] == 3 * THREADS * BLOCKS);
    return program_end();
}
