/* Structures passed by value to functions that are not inlined: read at places known at run time only, changed, handed on,
 * with and without a barrier in the function.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

enum { WORDS = 37, THREADS = 64 };

struct words {
    int value[WORDS];
    unsigned char count;
};

__host__ __device__ __noinline__ int chosen(words w, int i)
{
    return w.value[i % w.count] * 3 + w.value[(i * 5) % w.count];
}

__host__ __device__ __noinline__ int changed(words w, int i)
{
    w.value[i % WORDS] += i;
    return chosen(w, i) - w.value[(i + 1) % WORDS];
}

__global__ void choose(words w, int *out)
{
    out[threadIdx.x] = chosen(w, (int)threadIdx.x) + changed(w, (int)threadIdx.x);
}

__device__ __noinline__ int exchanged(words w, int i)
{
    __shared__ int shared[THREADS];
    shared[i] = w.value[i % w.count];
    __syncthreads();
    const int other = shared[THREADS - 1 - i];
    __syncthreads();
    return other + w.value[(i + 7) % w.count];
}

__global__ void exchange(words w, int *out)
{
    const int i = (int)threadIdx.x;
    w.value[0] += 5;
    out[i] = exchanged(w, i);
    w.value[i % WORDS] ^= 9;
    out[i] += exchanged(w, i);
}

static int expected_exchange(words w, int i)
{
    const int j = THREADS - 1 - i;
    words before = w, own = w, other = w;
    before.value[0] += 5;
    own.value[0] += 5;
    other.value[0] += 5;
    own.value[i % WORDS] ^= 9;
    other.value[j % WORDS] ^= 9;
    return before.value[j % w.count] + before.value[(i + 7) % w.count] + other.value[j % w.count] +
           own.value[(i + 7) % w.count];
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<int> out(THREADS);
    words w;
    w.count = WORDS - 2;
    for (int i = 0; i < WORDS; i++)
        w.value[i] = i * i - 40;
    choose<<<1, THREADS>>>(w, out.data);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int i = 0; i < THREADS; i++)
        EXPECT(got[i] == chosen(w, i) + changed(w, i));
    exchange<<<1, THREADS>>>(w, out.data);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < THREADS; i++)
        EXPECT(got[i] == expected_exchange(w, i));
    return program_end();
}
