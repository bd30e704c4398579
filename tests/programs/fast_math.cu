/* Intrinsics that are fast instead of accurate, each within the error that CUDA documents; that a * b + c is fused where
 * nothing forbids it and nowhere else; what is flushed to zero is not flushed without being asked for.
 *
 * Source: CUDA C++ Programming Guide 13.0, Mathematical Functions: intrinsic functions; for sine and cosine PTX ISA 8.5,
 * sin.approx and cos.approx within two pi, which tell more of newer GPUs than the guide does.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

struct results {
    float sine, cosine, tangent, power_e, power_10, log_e, log_2, log_10, power, quotient, root;
    float plain, separate, fused, small;
    double plain_double, separate_double;
};

__global__ void compute(results *out, const float *x, const float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float a = x[i], b = y[i];
    results r;
    r.sine = __sinf(a), r.cosine = __cosf(a), r.tangent = __tanf(a);
    r.power_e = __expf(a), r.power_10 = __exp10f(a);
    r.log_e = __logf(b), r.log_2 = __log2f(b), r.log_10 = __log10f(b);
    r.power = __powf(b, a), r.quotient = __fdividef(a, b), r.root = __frsqrt_rn(b);
    r.plain = a * b + 1.0f;
    r.separate = __fadd_rn(__fmul_rn(a, b), 1.0f);
    r.fused = __fmaf_rn(a, b, 1.0f);
    r.small = b * 1e-38f * 1e-3f;
    r.plain_double = (double)a * 1.1 + (double)b;
    r.separate_double = __dadd_rn(__dmul_rn((double)a, 1.1), (double)b);
    out[i] = r;
}

/* Quotients near the ends of the range of the divisor for which CUDA tells a bound. */
__global__ void ends(float *out, float large, float tiny)
{
    out[0] = __fdividef(1.0f, large);
    out[1] = __fdividef(tiny, tiny);
}

static bool within(float got, double expected, double absolute, double ulps)
{
    return fabs(got - expected) <= absolute || ulps_between(got, expected) <= ulps;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 8192;
    std::vector<float> x = random_floats(n, -3.1415926f, 3.1415926f), y(n);
    for (int i = 0; i < n; i++)
        y[i] = i % 2 ? 0.5f + 1.5f * (float)(random_word(i + n) >> 8) / 16777216.0f
                     : ldexpf(1.0f + (float)(random_word(i + n) >> 8) / 16777216.0f,
                              (int)(random_word(i + 2 * n) % 200) - 100);
    device_array<float> dx(x), dy(y), dends(2);
    device_array<results> out(n);
    compute<<<n / 128, 128>>>(out.data, dx.data, dy.data);
    ends<<<1, 1>>>(dends.data, 0x1p125f, 0x1p-125f);
    LAUNCHED();
    const std::vector<results> got = out.host();
    int differ = 0;
    for (int i = 0; i < n; i++) {
        const results &r = got[i];
        const double a = x[i], b = y[i];
        const bool is_middle = b >= 0.5 && b <= 2;
        EXPECT(within(r.sine, sin(a), exp2(-20.5), 0));
        EXPECT(within(r.cosine, cos(a), exp2(-20.5), 0));
        EXPECT(fabs(cos(a)) < 0.01 ||
               fabs(r.tangent - tan(a)) <= exp2(-20) * (1 + fabs(tan(a))) / fabs(cos(a)));
        // One more, for units are counted from the float nearest to what is expected.
        EXPECT(within(r.power_e, exp(a), 0, 3 + floor(fabs(1.173 * a))));
        EXPECT(within(r.power_10, pow(10, a), 0, 3 + floor(fabs(2.97 * a))));
        EXPECT(within(r.log_e, log(b), is_middle ? exp2(-21.41) : 0, 3));
        EXPECT(within(r.log_2, log2(b), is_middle ? exp2(-22) : 0, 2));
        EXPECT(within(r.log_10, log10(b), is_middle ? exp2(-24) : 0, 3));
        if (fabs(a * log2(b)) < 100)
            EXPECT(fabs(r.power / pow(b, a) - 1) <=
                   1e-6 * (1 + fabs(a * log2(b))) + fabs(a) * exp2(-21));
        EXPECT(within(r.quotient, a / b, 0, 2));
        EXPECT(r.root == (float)(1 / sqrt(b)));
        EXPECT(r.plain == fmaf(x[i], y[i], 1.0f) && r.fused == r.plain);
        volatile float product = x[i] * y[i];
        volatile double wide = a * 1.1;
        EXPECT(r.separate == product + 1.0f);
        EXPECT(r.plain_double == fma(a, 1.1, b) && r.separate_double == wide + b);
        volatile float once = y[i] * 1e-38f;
        EXPECT(r.small == once * 1e-3f);
        differ += r.plain != r.separate;
    }
    EXPECT(differ > 0);
    const std::vector<float> at_ends = dends.host();
    EXPECT(at_ends[0] == 0x1p-125f && at_ends[1] == 1);
    return program_end();
}
