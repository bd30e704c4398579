/* Grids that grow while others of the same kernel run in other streams, in all dimensions. PoCL up to 5, which makes something
 * anew for wider grids, must not see them as such: it would end the process.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { STREAMS = 4, ROUNDS = 40, MOST = 1 << 20 };

/* Not inlined: functions are told of their block, too. */
__device__ __noinline__ unsigned block_number()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

/* Busy, so that launches meet. */
template <int Number> __global__ void number_blocks(unsigned *out)
{
    __shared__ unsigned sum;
    if (threadIdx.x == 0)
        sum = Number;
    for (int i = 0; i < 200; i++) {
        __syncthreads();
        if (threadIdx.x == 1)
            sum++;
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[block_number()] = block_number() + sum - Number - 200;
}

static void expect_numbers(const unsigned *out, unsigned count)
{
    std::vector<unsigned> numbers(count);
    CUDA(cudaMemcpy(numbers.data(), out, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++)
        wrong += numbers[i] != i;
    EXPECT(wrong == 0);
    result("numbers", numbers);
}

template <int Number> static void grow(unsigned *const *out, const cudaStream_t *streams)
{
    dim3 grid[STREAMS];
    for (unsigned round = 1; round <= ROUNDS; round++)
        for (unsigned s = 0; s < STREAMS; s++) {
            grid[s] = dim3(round * 30 + s * 7, 1 + round % 3, 1 + round % 2);
            number_blocks<Number><<<grid[s], 2, 0, streams[s]>>>(out[s]);
        }
    LAUNCHED();
    for (unsigned s = 0; s < STREAMS; s++)
        expect_numbers(out[s], grid[s].x * grid[s].y * grid[s].z);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    cudaStream_t streams[STREAMS];
    unsigned *out[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        CUDA(cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking));
        CUDA(cudaMalloc(&out[s], MOST * sizeof(unsigned)));
    }
    grow<0>(out, streams);
    grow<1>(out, streams);
    grow<2>(out, streams);
    grow<3>(out, streams);
    for (int s = 0; s < STREAMS; s++) {
        CUDA(cudaFree(out[s]));
        CUDA(cudaStreamDestroy(streams[s]));
    }
    return program_end();
}
