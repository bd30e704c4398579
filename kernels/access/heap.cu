/* Kernels that allocate: CUDA C++ only, because OpenCL C has no malloc. nvcc builds clem-bench-native's from this file;
 * clem loads heap.ptx, which is what
 *     nvcc -ptx -arch=sm_75 -o heap.ptx heap.cu
 * makes of it.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       heap_take: each item allocates `bytes` bytes, writes its number to the first and last
 *              word, and leaves the address; heap_give looks, frees, and says in fine[i] whether
 *              all was right. heap_time does both, and fine[i] is whether there was memory.
 * Index space: one item per allocation.
 * Moves:       what nobody counts.
 * Rows:        S0-07, S0-08.
 */

extern "C" __global__ void heap_take(unsigned long long *addresses, unsigned bytes)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *memory = (unsigned *)malloc(bytes);
    addresses[i] = (unsigned long long)memory;
    if (memory)
        memory[0] = memory[bytes / 4 - 1] = i;
}

extern "C" __global__ void heap_give(unsigned *fine, const unsigned long long *addresses,
                                     unsigned bytes)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned *memory = (unsigned *)addresses[i];
    fine[i] = memory && memory[0] == i && memory[bytes / 4 - 1] == i;
    free(memory);
}

/* The volatile store keeps compilers from leaving malloc and free out. */
extern "C" __global__ void heap_time(unsigned *fine, unsigned bytes)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    volatile unsigned *memory = (volatile unsigned *)malloc(bytes);
    if (memory)
        memory[0] = i;
    fine[i] = memory != 0;
    free((void *)memory);
}
