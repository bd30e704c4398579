/* Functions of float: each within the bound of its row of a result in double; what is correctly rounded bit for bit.
 * The bounds are the larger of what CUDA and OpenCL promise.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

/* F(function, low, high, bound in ULP) */
#define FUNCTIONS(F)                                                                               \
    F(sin, -100, 100, 4)                                                                           \
    F(cos, -100, 100, 4) F(tan, -100, 100, 5) F(asin, -1, 1, 4) F(acos, -1, 1, 4)                  \
        F(atan, -1000, 1000, 5) F(sinh, -80, 80, 4) F(cosh, -80, 80, 4) F(tanh, -10, 10, 5)        \
            F(asinh, -1000, 1000, 4) F(acosh, 1, 1000, 4) F(atanh, -1, 1, 5) F(exp, -80, 80, 3)    \
                F(exp2, -120, 120, 3) F(expm1, -20, 20, 3) F(log, 0, 1000, 3) F(log2, 0, 1000, 3)  \
                    F(log10, 0, 1000, 3) F(log1p, -1, 1000, 2) F(cbrt, -1000, 1000, 2)             \
                        F(erf, -4, 4, 16) F(erfc, -4, 4, 16) F(tgamma, 0.5, 30, 16)                \
                            F(lgamma, 3, 1000, 6)
#define FUNCTIONS2(F) F(pow, 0, 40, 16) F(atan2, -100, 100, 6) F(hypot, -1000, 1000, 4)
#define EXACT(F)      F(sqrt) F(floor) F(ceil) F(trunc) F(rint) F(round) F(nearbyint) F(fabs) F(logb)
#define EXACT2(F)     F(fmod) F(remainder) F(fmin) F(fmax) F(fdim) F(copysign) F(nextafter)

#define NAME(f, ...) f##_,
enum { FUNCTIONS(NAME) FUNCTIONS2(NAME) EXACT(NAME) EXACT2(NAME) };

#define CASE(name, ...)                                                                            \
    case name##_:                                                                                  \
        out[i] = name##f(x[i]);                                                                    \
        break;
#define CASE2(name, ...)                                                                           \
    case name##_:                                                                                  \
        out[i] = name##f(x[i], y[i]);                                                              \
        break;

__global__ void apply(float *out, const float *x, const float *y, int which)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (which) {
        FUNCTIONS(CASE)
        FUNCTIONS2(CASE2)
    }
}

__global__ void apply_exact(float *out, const float *x, const float *y, int which)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (which) {
        EXACT(CASE)
        EXACT2(CASE2)
    }
}

struct parts {
    float sine, cosine, fraction, whole, mantissa, scaled, fused, quotient;
    int exponent, rounded, kind;
};

__global__ void more(parts *out, const float *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    parts p;
    sincosf(x[i], &p.sine, &p.cosine);
    p.fraction = modff(x[i], &p.whole);
    p.mantissa = frexpf(x[i], &p.exponent);
    p.scaled = ldexpf(x[i], 3);
    p.fused = fmaf(x[i], x[i], -1.0f);
    p.quotient = x[i] / 3.7f;
    p.rounded = (int)lrintf(x[i]);
    p.kind = (isnan(x[i]) ? 1 : 0) + (isinf(x[i]) ? 2 : 0) + (signbit(x[i]) ? 4 : 0);
    out[i] = p;
}

static const int n = 4096;
static std::vector<float> x, y;

static std::vector<float> run(int which, bool is_exact)
{
    device_array<float> dx(x), dy(y), out(n);
    if (is_exact)
        apply_exact<<<n / 128, 128>>>(out.data, dx.data, dy.data, which);
    else
        apply<<<n / 128, 128>>>(out.data, dx.data, dy.data, which);
    LAUNCHED();
    return out.host();
}

static void bounded(const char *name, int which, double low, double high, double bound,
                    double (*reference)(double, double))
{
    x = random_floats(n, (float)low, (float)high);
    y = random_floats(n, -8, 8, n);
    static const float edges[] = {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN};
    if (which < pow_)
        memcpy(x.data(), edges, sizeof edges);
    const std::vector<float> got = run(which, false);
    double worst = 0;
    int at = 0;
    for (int i = 0; i < n; i++) {
        const double ulps = ulps_between(got[i], reference(x[i], y[i]));
        if (ulps > worst)
            worst = ulps, at = i;
    }
    if (!EXPECT(worst <= bound))
        printf("    %s(%a, %a) = %a: %.2f ULP of %g\n", name, x[at], y[at], got[at], worst, bound);
    if (!program_prints_hashes)
        printf("%-8s %5.2f ULP of %g\n", name, worst, bound);
}

static void exact(const char *name, int which, float (*reference)(float, float))
{
    x = random_floats(n, -100, 100);
    y = random_floats(n, -10, 10, n);
    if (which == sqrt_)
        for (float &v : x)
            v = fabsf(v);
    const float edges[] = {0.0f, -0.0f, 0.5f, 1.5f, 2.5f, 8388609.0f, 1e-40f, 3e38f};
    memcpy(x.data(), edges, sizeof edges);
    const std::vector<float> got = run(which, true);
    int wrong = 0;
    for (int i = 0; i < n; i++) {
        const float expected = reference(x[i], y[i]);
        wrong += memcmp(&got[i], &expected, sizeof expected) != 0;
    }
    if (!EXPECT(wrong == 0))
        printf("    %s: %d of %d differ\n", name, wrong, n);
    result(name, got);
}

static void several(void)
{
    x = random_floats(n, -50, 50);
    x[0] = NAN, x[1] = -INFINITY, x[2] = 2.5f, x[3] = -0.0f;
    device_array<float> dx(x);
    device_array<parts> out(n);
    more<<<n / 128, 128>>>(out.data, dx.data);
    LAUNCHED();
    const std::vector<parts> got = out.host();
    for (int i = 2; i < n; i++) {
        float whole;
        int exponent;
        EXPECT(ulps_between(got[i].sine, sin((double)x[i])) <= 4);
        EXPECT(ulps_between(got[i].cosine, cos((double)x[i])) <= 4);
        EXPECT(got[i].fraction == modff(x[i], &whole) && got[i].whole == whole);
        EXPECT(got[i].mantissa == frexpf(x[i], &exponent) && got[i].exponent == exponent);
        EXPECT(got[i].scaled == 8 * x[i] && got[i].fused == fmaf(x[i], x[i], -1));
        EXPECT(got[i].quotient == x[i] / 3.7f && got[i].rounded == (int)lrintf(x[i]));
        EXPECT(got[i].kind == (std::signbit(x[i]) ? 4 : 0));
    }
    EXPECT((got[0].kind & 3) == 1 && got[1].kind == 6);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
#define BOUNDED(f, low, high, bound)                                                               \
    bounded(#f, f##_, low, high, bound, [](double a, double) { return (double)f(a); });
#define BOUNDED2(f, low, high, bound)                                                              \
    bounded(#f, f##_, low, high, bound, [](double a, double b) { return (double)f(a, b); });
#define SAME(name)  exact(#name, name##_, [](float a, float) { return (float)name##f(a); });
#define SAME2(name) exact(#name, name##_, [](float a, float b) { return (float)name##f(a, b); });
    FUNCTIONS(BOUNDED)
    FUNCTIONS2(BOUNDED2)
    EXACT(SAME)
    EXACT2(SAME2)
    several();
    return program_end();
}
