/* Parameters of the most bytes that every PTX allows, 4,096: read at places known at run time only, changed, and copied as
 * a whole, with a barrier between. Compilers copy such structures element by element.
 * checked: -DPARAMETER_BYTES=512
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#ifndef PARAMETER_BYTES
#define PARAMETER_BYTES 4096
#endif

enum { BYTES = PARAMETER_BYTES - 2 * sizeof(void *), THREADS = 32 };

struct large {
    signed char value[BYTES];
};

__host__ __device__ static int total(const large &l)
{
    int sum = 0;
    for (int i = 0; i < BYTES; i++)
        sum = sum * 3 + l.value[i];
    return sum;
}

__host__ __device__ static void change(large &l, int i)
{
    l.value[i] += (signed char)i;
    l.value[i * 97 % BYTES] ^= 5;
}

__global__ void kernel(large l, int *out, large *all)
{
    __shared__ int sums[THREADS];
    const int i = (int)threadIdx.x;
    change(l, i);
    sums[i] = total(l);
    __syncthreads();
    all[i] = l;
    out[i] = sums[THREADS - 1 - i];
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    static large l;
    for (int i = 0; i < BYTES; i++)
        l.value[i] = (signed char)(i * 7 + i / 256);
    device_array<int> out(THREADS);
    device_array<large> all(THREADS);
    kernel<<<1, THREADS>>>(l, out.data, all.data);
    LAUNCHED();
    const std::vector<int> got = out.host();
    const std::vector<large> copies = all.host();
    for (int i = 0; i < THREADS; i++) {
        large own = l;
        change(own, i);
        EXPECT(memcmp(&own, &copies[i], sizeof own) == 0);
        EXPECT(got[THREADS - 1 - i] == total(own));
    }
    return program_end();
}
