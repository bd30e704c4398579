/* Integers of 128 bits: what compilers have no instructions for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

typedef unsigned __int128 wide;

enum { VALUES = 24, PAIRS = VALUES * VALUES };

__host__ __device__ static wide make(unsigned long long high, unsigned long long low)
{
    return (wide)high << 64 | low;
}

struct results {
    wide quotient, rest;
    __int128 signed_quotient, signed_rest, from_double, from_float;
    wide from_unsigned_double;
    double as_double, as_unsigned_double;
    float as_float, as_unsigned_float;
};

/* The same on both sides, which is what is compared. */
__host__ __device__ static results compute(wide a, wide b)
{
    results r = {};
    r.quotient = a / b;
    r.rest = a % b;
    if ((__int128)b != -1) {
        r.signed_quotient = (__int128)a / (__int128)b;
        r.signed_rest = (__int128)a % (__int128)b;
    }
    r.as_double = (double)(__int128)a;
    r.as_unsigned_double = (double)a;
    r.as_float = (float)(__int128)a;
    r.as_unsigned_float = (float)(a >> 2);
    r.from_double = (__int128)(r.as_double * 0.25);
    r.from_unsigned_double = (wide)(r.as_unsigned_double * 0.25);
    r.from_float = (__int128)(r.as_float * 0.25f);
    return r;
}

__global__ void kernel(const wide *a, results *out)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < PAIRS)
        out[i] = compute(a[i / VALUES], a[i % VALUES]);
}

static bool same(const results &a, const results &b)
{
    return a.quotient == b.quotient && a.rest == b.rest && a.signed_quotient == b.signed_quotient &&
           a.signed_rest == b.signed_rest && a.from_double == b.from_double &&
           a.from_float == b.from_float && a.from_unsigned_double == b.from_unsigned_double &&
           a.as_double == b.as_double && a.as_unsigned_double == b.as_unsigned_double &&
           a.as_float == b.as_float && a.as_unsigned_float == b.as_unsigned_float;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const unsigned long long words[] = {0, 1, 3, 0x7fffffffffffffff, 0x8000000000000001, ~0ull};
    std::vector<wide> values;
    for (unsigned long long high : {words[0], words[1], words[3], words[5]})
        for (unsigned long long low : words)
            values.push_back(make(high, low));
    values[0] = make(0x123456789abcdef, 0xfedcba9876543211);
    device_array<wide> a(values);
    device_array<results> out(PAIRS);
    kernel<<<(PAIRS + 63) / 64, 64>>>(a.data, out.data);
    LAUNCHED();
    const std::vector<results> got = out.host();
    for (int i = 0; i < PAIRS; i++)
        EXPECT(same(got[i], compute(values[i / VALUES], values[i % VALUES])));
    return program_end();
}
