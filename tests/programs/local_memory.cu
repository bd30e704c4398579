/* Private memory: arrays indexed by run-time values, their addresses passed around, stacks of a depth-first walk, kernels
 * with more values than registers, large and per-thread.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

__global__ void permute(int *out, const int *in)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int values[32];
    for (int k = 0; k < 32; k++)
        values[k] = in[(i * 32 + k) % 4096];
    for (int k = 0; k < 32; k++) { /* swaps at places that only run time knows */
        const int other = (unsigned)values[k] % 32;
        const int kept = values[k];
        values[k] = values[other];
        values[other] = kept;
    }
    int sum = 0;
    for (int k = 0; k < 32; k++)
        sum = sum * 31 + values[k];
    out[i] = sum;
}

__host__ __device__ inline int queens(int n, unsigned first)
{
    int column[8], row = 1, found = 0;
    column[0] = (int)first;
    column[1] = -1;
    while (row > 0) {
        bool is_free = false;
        while (!is_free && ++column[row] < n) {
            is_free = true;
            for (int r = 0; r < row && is_free; r++) {
                const int d = column[r] - column[row];
                is_free = d != 0 && d != row - r && d != r - row;
            }
        }
        if (!is_free)
            row--;
        else if (row == n - 1)
            found++;
        else
            column[++row] = -1;
    }
    return found;
}

__global__ void solve(int *out, int n)
{
    out[threadIdx.x] = queens(n, threadIdx.x);
}

/* 4 KiB a thread. */
__global__ void large(unsigned *out, int turns)
{
    unsigned state[1024];
    for (int k = 0; k < 1024; k++)
        state[k] = k * 2654435761u + threadIdx.x;
    for (int t = 0; t < turns; t++)
        state[(state[t % 1024] >> 7) % 1024] += state[(t * 7) % 1024];
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 1024; k++)
        sum ^= state[k] + k;
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__device__ __noinline__ void bump(int *at, int by)
{
    *at += by;
}

__global__ void by_address(int *out)
{
    int pair[2] = {1, 2}, single = 3;
    int *which = threadIdx.x % 3 == 0 ? &pair[0] : threadIdx.x % 3 == 1 ? &pair[1] : &single;
    bump(which, (int)threadIdx.x * 100);
    out[threadIdx.x] = pair[0] + pair[1] * 3 + single * 5;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    std::vector<int> values(4096);
    for (int i = 0; i < 4096; i++)
        values[i] = (int)random_word(i);
    device_array<int> in(values), out(1024);
    permute<<<8, 128>>>(out.data, in.data);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int i = 0; i < 1024; i++) {
        int v[32];
        memcpy(v, &values[i * 32 % 4096], sizeof v);
        for (int k = 0; k < 32; k++)
            std::swap(v[k], v[(unsigned)v[k] % 32]);
        unsigned sum = 0;
        for (int k = 0; k < 32; k++)
            sum = sum * 31u + (unsigned)v[k];
        EXPECT(got[i] == (int)sum);
    }
    result("permuted", got);
    solve<<<1, 8>>>(out.data, 8);
    LAUNCHED();
    got = out.host();
    int solutions = 0;
    for (int i = 0; i < 8; i++)
        solutions += got[i];
    EXPECT(solutions == 92);
    device_array<unsigned> sums(128);
    large<<<2, 64>>>(sums.data, 3000);
    LAUNCHED();
    const std::vector<unsigned> all = sums.host();
    for (int i = 0; i < 128; i++) {
        std::vector<unsigned> state(1024);
        for (int k = 0; k < 1024; k++)
            state[k] = k * 2654435761u + i % 64;
        for (int t = 0; t < 3000; t++)
            state[(state[t % 1024] >> 7) % 1024] += state[(t * 7) % 1024];
        unsigned sum = 0;
        for (int k = 0; k < 1024; k++)
            sum ^= state[k] + k;
        EXPECT(all[i] == sum);
    }
    result("large", all);
    by_address<<<1, 60>>>(out.data);
    LAUNCHED();
    got = out.host();
    for (int t = 0; t < 60; t++)
        EXPECT(got[t] == 22 + t * 100 * (t % 3 == 0 ? 1 : t % 3 == 1 ? 3 : 5));
    return program_end();
}
