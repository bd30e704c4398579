/* Functions of floating point take integers as doubles, under their own names and in std, as C++ has it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cmath>

template <class T> __host__ __device__ int write(T x, double *out)
{
    int exponent = 0, quotient = 0, n = 0;
    out[n++] = ldexp(x, 3);
    out[n++] = std::ldexp(x, -2);
    out[n++] = scalbn(x, 4);
    out[n++] = std::scalbn(x, -1);
    out[n++] = scalbln(x, 5L);
    out[n++] = std::scalbln(x, -3L);
    out[n++] = frexp(x, &exponent);
    out[n++] = exponent;
    out[n++] = std::frexp(x, &exponent);
    out[n++] = exponent;
    out[n++] = remquo(x, T(7), &quotient);
    out[n++] = ilogb(x);
    out[n++] = std::fabs(x);
    out[n++] = copysign(x, T(1));
    out[n++] = fmod(x, 2.5f);
    out[n++] = (double)llround(x);
    return n;
}

template <class T> __global__ void write_all(T x, double *out, int *count)
{
    *count = write(x, out);
}

template <class T> static void check(T x)
{
    device_array<double> out(32);
    device_array<int> count(1);
    write_all<<<1, 1>>>(x, out.data, count.data);
    LAUNCHED();
    double expected[32];
    const int n = write(x, expected);
    const std::vector<double> got = out.host();
    EXPECT(count.host()[0] == n);
    for (int i = 0; i < n; i++)
        EXPECT(got[i] == expected[i]);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check(12);
    check(-5);
    check(3000000000u);
    check(1L << 40);
    check(-(1LL << 50) - 1);
    check((short)99);
    check((unsigned char)200);
    return program_end();
}
