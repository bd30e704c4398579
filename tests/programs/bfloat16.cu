/* bfloat16: every value to float and back, rounding, arithmetic of scalars and pairs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuda_bf16.h>

__global__ void there_and_back(float *wide, unsigned short *back)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const float value = __bfloat162float(__ushort_as_bfloat16((unsigned short)i));
    wide[i] = value;
    back[i] = __bfloat16_as_ushort(__float2bfloat16(value));
}

struct results {
    unsigned short rounded, sum, product, pair[2];
    int is_less;
};

__global__ void arithmetic(results *out, const float *x, const float *y)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const __nv_bfloat16 a = __float2bfloat16_rn(x[i]), b = __float2bfloat16_rn(y[i]);
    results r;
    r.rounded = __bfloat16_as_ushort(a);
    r.sum = __bfloat16_as_ushort(__hadd(a, b)), r.product = __bfloat16_as_ushort(__hmul(a, b));
    const __nv_bfloat162 p = __halves2bfloat162(a, b), q = __hadd2(p, p);
    r.pair[0] = __bfloat16_as_ushort(__low2bfloat16(q));
    r.pair[1] = __bfloat16_as_ushort(__high2bfloat16(q));
    r.is_less = __hlt(a, b);
    out[i] = r;
}

static unsigned bits_of(float value)
{
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float value_of(unsigned half)
{
    float value;
    half <<= 16;
    memcpy(&value, &half, sizeof value);
    return value;
}

static unsigned nearest(float value)
{
    const unsigned bits = bits_of(value);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
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
        EXPECT(std::isnan(expected) ? std::isnan(values[i]) && (bits[i] & 0x7fff) > 0x7f80
                                    : bits_of(values[i]) == i << 16 && bits[i] == i);
    }
    const int n = 2048;
    /* Few bits, so that sums and products are exact in float and round once. */
    std::vector<float> x = random_floats(n, -64, 64), y = random_floats(n, -8, 8, n), loose = x;
    for (int i = 0; i < n; i++)
        x[i] = value_of(nearest(x[i])), y[i] = rintf(y[i] * 8) / 8;
    device_array<float> dx(x), dy(y), dloose(loose);
    device_array<results> out(n);
    arithmetic<<<n / 128, 128>>>(out.data, dx.data, dy.data);
    LAUNCHED();
    std::vector<results> got = out.host();
    std::vector<unsigned short> all;
    for (int i = 0; i < n; i++) {
        const results &r = got[i];
        EXPECT(r.rounded == bits_of(x[i]) >> 16);
        EXPECT(r.sum == nearest(x[i] + y[i]) && r.product == nearest(x[i] * y[i]));
        EXPECT(r.pair[0] == nearest(2 * x[i]) && r.pair[1] == nearest(2 * y[i]));
        EXPECT(r.is_less == (x[i] < y[i]));
        all.insert(all.end(), {r.sum, r.product});
    }
    arithmetic<<<n / 128, 128>>>(out.data, dloose.data, dy.data);
    LAUNCHED();
    got = out.host();
    for (int i = 0; i < n; i++)
        EXPECT(got[i].rounded == nearest(loose[i]));
    result("all", all);
    return program_end();
}
