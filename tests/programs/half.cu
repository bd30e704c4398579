/* Half precision: every value to float and back, arithmetic of scalars and pairs, comparisons, conversions by rounding.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuda_fp16.h>

__global__ void there_and_back(float *wide, unsigned short *back)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float value = __half2float(__ushort_as_half((unsigned short)i));
    wide[i] = value;
    back[i] = __half_as_ushort(__float2half_rn(value));
}

__global__ void narrow(unsigned short *out, const float *in)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[4 * i] = __half_as_ushort(__float2half(in[i]));
    out[4 * i + 1] = __half_as_ushort(__float2half_rz(in[i]));
    out[4 * i + 2] = __half_as_ushort(__float2half_ru(in[i]));
    out[4 * i + 3] = __half_as_ushort(__float2half_rd(in[i]));
}

struct results {
    float sum, difference, product, quotient, fused, negative, larger, root;
    float pair[2], pair_fused[2], low, high;
    int is_less, is_equal, integer, both;
};

__global__ void arithmetic(results *out, const float *x, const float *y)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const __half a = __float2half(x[i]), b = __float2half(y[i]);
    results r;
    r.sum = __half2float(__hadd(a, b)), r.difference = __half2float(__hsub(a, b));
    r.product = __half2float(a * b), r.quotient = __half2float(__hdiv(a, b));
    r.fused = __half2float(__hfma(a, b, a)), r.negative = __half2float(__hneg(a));
    r.larger = __half2float(__hgt(a, b) ? a : b), r.root = __half2float(hsqrt(__habs(a)));
    const __half2 p = __halves2half2(a, b), q = __float2half2_rn(0.5f);
    const __half2 s = __hadd2(p, q), f = __hfma2(p, q, p);
    r.pair[0] = __low2float(s), r.pair[1] = __high2float(s);
    r.pair_fused[0] = __low2float(f), r.pair_fused[1] = __high2float(f);
    const __half2 swapped = __lowhigh2highlow(p);
    r.low = __half2float(__low2half(swapped)), r.high = __half2float(__high2half(swapped));
    r.is_less = a < b, r.is_equal = __heq(a, a), r.integer = __half2int_rn(a);
    r.both = __hbgt2(p, __float2half2_rn(-100.0f));
    out[i] = r;
}

static float value_of(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    float value = exponent == 0    ? ldexpf((float)fraction, -24)
                  : exponent == 31 ? (fraction ? NAN : INFINITY)
                                   : ldexpf((float)(fraction + 1024), exponent - 25);
    return bits & 0x8000 ? -value : value;
}

/* The half nearest to a value, ties to even, as a float; by search in the 31744 of them. */
static float nearest(double value)
{
    unsigned low = 0, high = 0x7c00;
    const double size = fabs(value);
    while (high - low > 1) {
        const unsigned middle = (low + high) / 2;
        (value_of(middle) <= size ? low : high) = middle;
    }
    const double below = value_of(low), above = high == 0x7c00 ? 65536.0 : value_of(high);
    const bool takes_low =
        size - below < above - size || (size - below == above - size && low % 2 == 0);
    const float result = value_of(takes_low ? low : high);
    return value < 0 ? -result : result;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    device_array<float> wide(65536);
    device_array<unsigned short> back(65536);
    there_and_back<<<256, 256>>>(wide.data, back.data);
    LAUNCHED();
    const std::vector<float> values = wide.host();
    const std::vector<unsigned short> bits = back.host();
    for (unsigned i = 0; i < 65536; i++) {
        const float expected = value_of(i);
        EXPECT(std::isnan(expected) ? std::isnan(values[i]) && (bits[i] & 0x7fff) > 0x7c00
                                    : values[i] == expected && bits[i] == i);
    }
    const int n = 2048;
    std::vector<float> x = random_floats(n, -70, 70), y = random_floats(n, -8, 8, n);
    for (int i = 0; i < n; i++)
        x[i] = i < 200 ? ldexpf(x[i], i % 40 - 24) : rintf(x[i] * 16) / 16,
        y[i] = rintf(y[i] * 16) / 16;
    x[0] = 65519, x[1] = 65520, x[2] = -1e-8f, x[3] = 2.980232e-8f, x[4] = 2.9802322e-8f,
    x[5] = 1e9f;
    device_array<float> dx(x), dy(y);
    device_array<unsigned short> narrowed(4 * n);
    device_array<results> out(n);
    narrow<<<n / 128, 128>>>(narrowed.data, dx.data);
    arithmetic<<<n / 128, 128>>>(out.data, dx.data, dy.data);
    LAUNCHED();
    const std::vector<unsigned short> halves = narrowed.host();
    const std::vector<results> got = out.host();
    for (int i = 0; i < n; i++) {
        EXPECT(value_of(halves[4 * i]) == nearest(x[i]));
        const float up = value_of(halves[4 * i + 2]), down = value_of(halves[4 * i + 3]);
        EXPECT(up >= x[i] && down <= x[i] &&
               (up == down || nearest(x[i]) == up || nearest(x[i]) == down));
        EXPECT(value_of(halves[4 * i + 1]) == (x[i] < 0 ? up : down));
        if (i < 200)
            continue;
        const float a = x[i], b = y[i];
        const results &r = got[i];
        EXPECT(r.sum == nearest(a + b) && r.difference == nearest(a - b) &&
               r.product == nearest(a * b));
        EXPECT(r.fused == nearest((double)a * b + a) && r.negative == -a &&
               r.larger == (a > b ? a : b));
        EXPECT(b == 0 || fabsf(r.quotient - a / b) <= fabsf(a / b) / 1024 + 1e-6f);
        EXPECT(fabsf(r.root - sqrtf(fabsf(a))) <= sqrtf(fabsf(a)) / 1024);
        EXPECT(r.pair[0] == nearest(a + 0.5) && r.pair[1] == nearest(b + 0.5));
        EXPECT(r.pair_fused[0] == nearest(1.5 * a) && r.pair_fused[1] == nearest(1.5 * b));
        EXPECT(r.low == b && r.high == a && r.is_less == (a < b) && r.is_equal);
        EXPECT(r.integer == (int)rintf(a) && r.both == 1);
    }
    result("narrowed", halves);
    return program_end();
}
