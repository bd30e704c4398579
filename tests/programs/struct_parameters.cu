/* Kernel parameters: structs by value up to 4 KiB, small types side by side, arrays in structs by computed index, nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct mixed {
    char c;
    double d;
    short s[3];
    float3 f;
    unsigned char last;
};

struct large {
    int words[1000];
    float tail[4];
};

struct empty {
};

__global__ void small_ones(double *out, char c, short s, bool b, float f, mixed m, unsigned char u,
                           long long l, float2 pair, empty, int3 triple)
{
    if (threadIdx.x == 0) {
        const double values[16] = {(double)c,        (double)s,
                                   (double)b,        f,
                                   (double)m.c,      m.d,
                                   (double)m.s[2],   m.f.y,
                                   (double)m.last,   (double)u,
                                   (double)l,        pair.x,
                                   pair.y,           (double)triple.x,
                                   (double)triple.z, 1};
        for (int i = 0; i < 16; i++)
            out[i] = values[i];
    }
}

__global__ void large_one(int *out, large l)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000)
        out[i] = l.words[i] + l.words[999 - i] + (int)l.tail[i % 4];
}

/* The parameter is changed and passed on by address: each thread has its own. */
__device__ __noinline__ int sum_of(const mixed *m)
{
    return m->s[0] + m->s[1] + m->s[2] + (int)m->d;
}

__global__ void changed(int *out, mixed m)
{
    m.s[threadIdx.x % 3] = (short)threadIdx.x;
    out[threadIdx.x] = sum_of(&m);
}

__device__ int touched;
__global__ void nothing(void)
{
    touched = 99;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<double> values(16);
    device_array<int> out(1000);
    const mixed m = {'q', 6.5, {1, -2, 300}, make_float3(1, 2, 3), 200};
    small_ones<<<1, 32>>>(values.data, 'a', -7, true, 0.25f, m, 250, -1ll << 40, make_float2(8, 9),
                          empty(), make_int3(-1, 0, 5));
    LAUNCHED();
    const double expected[16] = {'a', -7, 1,  0.25, 'q', 6.5, 300, 2, 200, 250, -1099511627776.0,
                                 8,   9,  -1, 5,    1};
    EXPECT(memcmp(values.host().data(), expected, sizeof expected) == 0);
    result("small", values.host());

    large l;
    for (int i = 0; i < 1000; i++)
        l.words[i] = (int)(random_word(i) >> 4);
    for (int i = 0; i < 4; i++)
        l.tail[i] = (float)(i * 10);
    large_one<<<8, 128>>>(out.data, l);
    LAUNCHED();
    std::vector<int> got = out.host();
    for (int i = 0; i < 1000; i++)
        EXPECT(got[i] == l.words[i] + l.words[999 - i] + i % 4 * 10);
    result("large", got);
    changed<<<1, 96>>>(out.data, m);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < 96; i++)
        EXPECT(got[i] == 299 + 6 - m.s[i % 3] + i);
    nothing<<<1, 1>>>();
    LAUNCHED();
    int seen = 0;
    CUDA(cudaMemcpyFromSymbol(&seen, touched, sizeof seen));
    EXPECT(seen == 99);
    return program_end();
}
