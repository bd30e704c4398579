/* Local memory that is large for many threads: arrays that live across barriers in blocks of 1024 threads, in grids of
 * one and three dimensions, and arrays of 80 KB in a kernel without barriers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* Every thread keeps 2 KiB across a barrier, and tells its neighbour a word of them. Every third one may
 * end before the barrier. */
__global__ void across(unsigned *out, bool some_end)
{
    __shared__ unsigned shared[1024];
    unsigned kept[512];
    const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    const unsigned t = threadIdx.x, thread = block * blockDim.x + t;
    for (unsigned i = 0; i < 512; i += 7)
        kept[(i * 5 + t) % 512] = thread + i;
    shared[t] = kept[(7 * 5 + t) % 512];
    if (some_end && t % 3 == 1)
        return;
    __syncthreads();
    const unsigned other = shared[(t + 1) % blockDim.x];
    out[thread] = kept[(14 * 5 + t) % 512] * 3 + other;
}

static void check_across(dim3 grid, unsigned threads, bool some_end)
{
    const unsigned count = grid.x * grid.y * grid.z * threads;
    device_array<unsigned> out(count);
    across<<<grid, threads>>>(out.data, some_end);
    LAUNCHED();
    const std::vector<unsigned> got = out.host();
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned t = i % threads, neighbour = i - t + (t + 1) % threads;
        wrong += got[i] != (some_end && t % 3 == 1 ? 0 : (i + 14) * 3 + neighbour + 7);
    }
    EXPECT(wrong == 0);
    result("across", got);
}

__global__ void alone(unsigned *out, unsigned rounds)
{
    unsigned state[20000];
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned i = 0; i < 20000; i++)
        state[i] = i ^ t;
    unsigned at = t;
    for (unsigned i = 0; i < rounds; i++)
        at = (state[(at * 7919 + i) % 20000] += at) % 20000;
    out[t] = at;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check_across(1, 64, false);
    check_across(dim3(40), 1024, false);
    check_across(dim3(5, 3, 3), 1024, false);
    check_across(2, 1024, true);
    device_array<unsigned> out(64);
    alone<<<2, 32>>>(out.data, 1000);
    LAUNCHED();
    const std::vector<unsigned> got = out.host();
    for (unsigned t = 0; t < 64; t++) {
        std::vector<unsigned> state(20000);
        for (unsigned i = 0; i < 20000; i++)
            state[i] = i ^ t;
        unsigned at = t;
        for (unsigned i = 0; i < 1000; i++)
            at = (state[(at * 7919 + i) % 20000] += at) % 20000;
        EXPECT(got[t] == at);
    }
    result("alone", got);
    return program_end();
}
