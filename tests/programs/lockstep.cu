/* Lanes of a warp that hand values through shared memory hundreds of times, with neither a barrier nor __syncwarp() between:
 * hardware that runs a warp in lockstep gives them what the lanes before have just stored.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { WARPS = 2, THREADS = 32 * WARPS, ROUNDS = 20 };

/* The compiler keeps their order. */
#define NOTHING_MOVES asm volatile("" ::: "memory")

/* Sums of all lanes before, of one number after the other; before the first lane lie zeros. */
__global__ void plain_scans(const unsigned *in, unsigned *out)
{
    __shared__ unsigned parts[WARPS][64];
    const unsigned t = threadIdx.x;
    unsigned *own = &parts[t / 32][32 + t % 32];
    own[-32] = 0;
#pragma unroll
    for (unsigned i = 0; i < ROUNDS; i++) {
        unsigned sum = in[i * THREADS + t];
#pragma unroll
        for (unsigned step = 1; step < 32; step *= 2) {
            *own = sum;
            NOTHING_MOVES;
            sum += *(own - step);
            NOTHING_MOVES;
        }
        out[i * THREADS + t] = sum;
    }
}

/* Sums of a warp's numbers, by halves. */
__global__ void volatile_sums(const unsigned *in, unsigned *out)
{
    __shared__ unsigned parts[WARPS][64];
    const unsigned t = threadIdx.x;
    volatile unsigned *own = &parts[t / 32][t % 32];
    own[32] = 0;
#pragma unroll
    for (unsigned i = 0; i < ROUNDS; i++) {
        *own = in[i * THREADS + t];
#pragma unroll
        for (unsigned step = 16; step > 0; step /= 2)
            *own += own[step];
        out[i * THREADS + t] = own[-(int)(t % 32)];
    }
}

/* NVIDIA's compilers promise it of volatile accesses at most, where threads are scheduled each for itself. */
static bool is_in_lockstep()
{
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    return strstr(properties.name, "NVIDIA") == nullptr;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    std::vector<unsigned> values(ROUNDS * THREADS), sums(values.size()), wholes(values.size());
    for (unsigned i = 0; i < values.size(); i++) {
        values[i] = random_word(i) % 1000;
        sums[i] = values[i] + (i % 32 ? sums[i - 1] : 0);
    }
    for (unsigned i = 0; i < values.size(); i++)
        wholes[i] = sums[i | 31];
    device_array<unsigned> in(values), out(values.size());
    if (is_in_lockstep()) {
        plain_scans<<<1, THREADS>>>(in.data, out.data);
        LAUNCHED();
        EXPECT(out.host() == sums);
    }
    volatile_sums<<<1, THREADS>>>(in.data, out.data);
    LAUNCHED();
    EXPECT(out.host() == wholes);
    result("sums", out.host());
    return program_end();
}
