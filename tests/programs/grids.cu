/* Grids and blocks of all shapes: three dimensions, one thread, 1024 threads, odd sizes, many blocks, special registers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void place(unsigned *out, unsigned *times)
{
    const unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
                   y = blockIdx.y * blockDim.y + threadIdx.y,
                   z = blockIdx.z * blockDim.z + threadIdx.z;
    const unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
    const unsigned i = (z * height + y) * width + x;
    atomicAdd(&times[i], 1);
    out[i] = x | y << 10 | z << 20;
}

__global__ void block_sums(unsigned *out)
{
    __shared__ unsigned sum;
    const unsigned t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (t == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, t);
    __syncthreads();
    if (t == 0)
        out[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = sum;
}

/* By the name that programs give it: CUDA's headers have none. */
__device__ static unsigned long long __globaltimer()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void registers(unsigned *out)
{
    unsigned lane, warp, warps;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    const unsigned t = threadIdx.y * blockDim.x + threadIdx.x;
    const long long before = clock64();
    const unsigned long long start = __globaltimer();
    const bool is_sane =
        lane == t % 32 && warp < 64 && warpSize == 32 && warps > 0 && clock64() >= before &&
        start > 0 && __globaltimer() >= start;
    if (!is_sane)
        atomicAdd(out, 1);
}

static void shape(dim3 grid, dim3 block)
{
    const unsigned width = grid.x * block.x, height = grid.y * block.y, depth = grid.z * block.z;
    const unsigned blocks = grid.x * grid.y * grid.z, threads = block.x * block.y * block.z;
    device_array<unsigned> out(width * height * depth), times(out.count), sums(blocks);
    place<<<grid, block>>>(out.data, times.data);
    block_sums<<<grid, block>>>(sums.data);
    LAUNCHED();
    const std::vector<unsigned> got = out.host(), once = times.host();
    for (unsigned i = 0; i < got.size(); i++) {
        const unsigned x = i % width, y = i / width % height, z = i / width / height;
        EXPECT(got[i] == (x | y << 10 | z << 20) && once[i] == 1);
    }
    for (unsigned sum : sums.host())
        EXPECT(sum == threads * (threads - 1) / 2);
    result("places", got);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    shape(dim3(1), dim3(1));
    shape(dim3(3), dim3(1024));
    shape(dim3(1), dim3(1, 1024, 1));
    shape(dim3(5, 3, 2), dim3(7, 5, 3));
    shape(dim3(2, 2, 2), dim3(16, 8, 8));
    shape(dim3(2, 1, 3), dim3(1, 1, 64));
    shape(dim3(1000), dim3(1));
    shape(dim3(7, 11), dim3(31, 3));
    shape(dim3(4, 200, 2), dim3(33));
    device_array<unsigned> wrong(1);
    registers<<<4, dim3(48, 2)>>>(wrong.data);
    LAUNCHED();
    EXPECT(wrong.host()[0] == 0);
    return program_end();
}
