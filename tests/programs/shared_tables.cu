/* Local arrays of addresses of shared memory that nothing changes: clang keeps them as variables in global memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct part {
    float *values;
    int add;
};

extern __shared__ float dynamic[];

__global__ void two_halves(float *out, unsigned which)
{
    __shared__ float values[64];
    float *const halves[2] = {values, values + 32};
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = halves[(which + threadIdx.x) & 1][threadIdx.x & 31];
}

__global__ void two_arrays(float *out, unsigned which)
{
    __shared__ float first[64], second[64];
    const float *arrays[2] = {first, second};
    first[threadIdx.x] = 1;
    second[threadIdx.x] = 2;
    __syncthreads();
    out[threadIdx.x] = arrays[(which + (threadIdx.x >> 3)) & 1][63 - threadIdx.x];
}

/* Not inlined: the table is of a function. */
__device__ __noinline__ float of_part(unsigned which, unsigned at)
{
    const part parts[3] = {{dynamic, 100}, {dynamic + 64, 200}, {dynamic + 128, -300}};
    return parts[which].values[at] + parts[which].add;
}

__global__ void three_parts(float *out, unsigned which)
{
    for (int i = 0; i < 3; i++)
        dynamic[64 * i + threadIdx.x] = 1000 * i + threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = of_part((which + threadIdx.x) % 3, 63 - threadIdx.x);
}

/* Written to and changed places: each thread has a table of its own. */
__global__ void turns(float *out, int rounds)
{
    __shared__ float one[64], other[64];
    float *buffers[2] = {one, other};
    one[threadIdx.x] = threadIdx.x;
    other[threadIdx.x] = 0;
    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        buffers[1 - (i & 1)][threadIdx.x] = buffers[i & 1][(threadIdx.x + 1) % 64];
    }
    out[threadIdx.x] = buffers[rounds & 1][threadIdx.x];
}

int main(int argc, char **argv)
{
    program_begin(argc, argv);
    device_array<float> out(64);
    for (unsigned which = 0; which < 3; which++) {
        two_halves<<<1, 64>>>(out.data, which);
        LAUNCHED();
        std::vector<float> got = out.host();
        for (unsigned i = 0; i < 64; i++)
            EXPECT(got[i] == 32 * ((which + i) & 1) + (i & 31));
        two_arrays<<<1, 64>>>(out.data, which);
        LAUNCHED();
        got = out.host();
        for (unsigned i = 0; i < 64; i++)
            EXPECT(got[i] == 1 + ((which + (i >> 3)) & 1));
        three_parts<<<1, 64, 3 * 64 * sizeof(float)>>>(out.data, which);
        LAUNCHED();
        got = out.host();
        const float adds[3] = {100, 200, -300};
        for (unsigned i = 0; i < 64; i++)
            EXPECT(got[i] == 1000.0f * ((which + i) % 3) + (63 - i) + adds[(which + i) % 3]);
        turns<<<1, 64>>>(out.data, (int)which + 4);
        LAUNCHED();
        got = out.host();
        for (unsigned i = 0; i < 64; i++)
            EXPECT(got[i] == (i + which + 4) % 64);
    }
    return program_end();
}
