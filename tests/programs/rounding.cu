/* Arithmetic and conversions of float with directed rounding and saturation, bit for bit, and approximate intrinsics
 * within bounds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cfenv>

struct rounded {
    float add[4], multiply[4], divide[4], root[4], fuse[4], reciprocal[4], from_int[4];
    int to_int[4];
    unsigned to_unsigned;
    float saturated;
    float fast_divide, fast_sine, fast_exp, fast_log, fast_power, reciprocal_root;
};

__global__ void compute(rounded *out, const float *x, const float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float a = x[i], b = y[i];
    const int word = __float_as_int(a);
    rounded r;
#define ALL(member, f, ...)                                                                        \
    r.member[0] = f##_rn(__VA_ARGS__), r.member[1] = f##_rz(__VA_ARGS__),                          \
    r.member[2] = f##_ru(__VA_ARGS__), r.member[3] = f##_rd(__VA_ARGS__)
    ALL(add, __fadd, a, b);
    ALL(multiply, __fmul, a, b);
    ALL(divide, __fdiv, a, b);
    ALL(root, __fsqrt, fabsf(a));
    ALL(fuse, __fmaf, a, b, a);
    ALL(reciprocal, __frcp, a);
    ALL(from_int, __int2float, word);
    ALL(to_int, __float2int, a);
    r.to_unsigned = __float2uint_rz(a);
    r.saturated = __saturatef(a);
    r.fast_divide = __fdividef(a, b);
    r.fast_sine = __sinf(b);
    r.fast_exp = __expf(b);
    r.fast_log = __logf(fabsf(a));
    r.fast_power = __powf(fabsf(a), b);
    r.reciprocal_root = rsqrtf(fabsf(a));
    out[i] = r;
}

typedef float function(float, float);
static float add(float a, float b)
{
    return a + b;
}
static float multiply(float a, float b)
{
    return a * b;
}
static float divide(float a, float b)
{
    return a / b;
}
static float root(float a, float)
{
    return sqrtf(fabsf(a));
}
static float fuse(float a, float b)
{
    return fmaf(a, b, a);
}
static float reciprocal(float a, float)
{
    return 1.0f / a;
}
static float from_int(float a, float)
{
    int word;
    memcpy(&word, &a, sizeof word);
    return (float)word;
}
static float to_int(float a, float)
{
    return nearbyintf(a);
}

static const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

/* Called through a pointer that compilers know nothing of: nothing is computed before or after. */
static float by_mode(int mode, function *f, float a, float b)
{
    function *volatile called = f;
    fesetround(modes[mode]);
    const float value = called(a, b);
    fesetround(FE_TONEAREST);
    return value;
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    const int n = 2048;
    std::vector<float> x = random_floats(n, -1000, 1000), y = random_floats(n, -3, 3, n);
    x[0] = 1e-40f, x[1] = 3e38f, y[1] = 2.9f, x[2] = 1.0f, y[2] = 1e-30f, x[3] = 0.25f;
    device_array<float> dx(x), dy(y);
    device_array<rounded> out(n);
    compute<<<n / 128, 128>>>(out.data, dx.data, dy.data);
    LAUNCHED();
    const std::vector<rounded> got = out.host();
    std::vector<float> exact;
    for (int i = 0; i < n; i++) {
        const rounded &r = got[i];
        const float a = x[i], b = y[i];
        for (int m = 0; m < 4; m++) {
            EXPECT(r.add[m] == by_mode(m, add, a, b));
            EXPECT(r.multiply[m] == by_mode(m, multiply, a, b));
            EXPECT(r.divide[m] == by_mode(m, divide, a, b));
            EXPECT(r.root[m] == by_mode(m, root, a, b));
            EXPECT(r.fuse[m] == by_mode(m, fuse, a, b));
            EXPECT(r.reciprocal[m] == by_mode(m, reciprocal, a, b));
            EXPECT(r.from_int[m] == by_mode(m, from_int, a, b));
            EXPECT(i == 1 || r.to_int[m] == (int)by_mode(m, to_int, a, b));
            exact.push_back(r.add[m]), exact.push_back(r.divide[m]), exact.push_back(r.fuse[m]);
            exact.push_back(r.reciprocal[m]), exact.push_back(r.from_int[m]);
        }
        EXPECT(r.to_unsigned == (a <= 0 ? 0u : i == 1 ? 0xffffffffu : (unsigned)a));
        EXPECT(r.saturated == (a < 0 ? 0 : a > 1 ? 1 : a));
        if (i < 4)
            continue;
        EXPECT(ulps_between(r.fast_divide, (double)a / b) <= 2.5);
        EXPECT(fabs(r.fast_sine - sin((double)b)) <= 1e-6);
        EXPECT(ulps_between(r.fast_exp, exp((double)b)) <= 2 + floor(fabs(1.173 * b)) + 3);
        EXPECT(fabs(r.fast_log - log(fabs((double)a))) <= 1e-5);
        EXPECT(fabs(r.fast_power / pow(fabs((double)a), b) - 1) <= 1e-5);
        EXPECT(ulps_between(r.reciprocal_root, 1 / sqrt(fabs((double)a))) <= 2);
    }
    result("exact", exact);
    return program_end();
}
