/* What the device's math library has beyond C's, on the host: known values, and what the device computes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cmath>

constexpr int functions = 32;

__host__ __device__ int write(double x, double *out)
{
    const double many[] = {x, 2, 3 * x, 0.5}, away = fabs(x) > 1 ? 1 / x : x;
    const float f = x, few[] = {f, 2, 3 * f, 0.5f};
    double sine, cosine;
    sincospi(x, &sine, &cosine);
    int n = 0;
    out[n++] = rsqrt(fabs(x));
    out[n++] = rcbrt(x);
    out[n++] = sinpi(x);
    out[n++] = cospi(x);
    out[n++] = sine;
    out[n++] = cosine;
    out[n++] = erfinv(away);
    out[n++] = erfcinv(1 - away);
    out[n++] = normcdf(x);
    out[n++] = normcdfinv(fabs(away));
    out[n++] = erfcx(x);
    out[n++] = rsqrtf(fabsf(f)) + rcbrtf(fabsf(f));
    out[n++] = sinpif(f) + cospif(f);
    out[n++] = erfinvf(f / 32) + erfcinvf(f / 32 + 1) + normcdff(f);
    out[n++] = normcdfinvf(f / 32 + 0.5f) + erfcxf(f);
    out[n++] = fdividef(f, 3) + rsqrt(fabsf(f));
#if defined(__clang__) /* NVIDIA's may be the device's alone */
    out[n++] = rhypot(x, 3.0);
    out[n++] = norm3d(x, 1.0, 2.0);
    out[n++] = rnorm3d(x, 1.0, 2.0);
    out[n++] = norm4d(x, 1.0, 2.0, 3.0);
    out[n++] = rnorm4d(x, 1.0, 2.0, 3.0);
    out[n++] = norm(4, many);
    out[n++] = rnorm(4, many);
    out[n++] = rhypotf(f, 2) + norm3df(f, 1, 2) + rnorm3df(f, 1, 2) + norm4df(f, 1, 2, 3) +
               rnorm4df(f, 1, 2, 3);
    out[n++] = normf(4, few) + rnormf(4, few);
#else
    (void)many, (void)few;
#endif
    return n;
}

__global__ void write_all(const double *x, double *out)
{
    write(x[threadIdx.x], out + threadIdx.x * functions);
}

/* Sums of numbers about 1, whose signs may differ. */
static bool near_sum(double a, double b, double error)
{
    return a == b || fabs(a - b) <= error * fmax(1, fmax(fabs(a), fabs(b)));
}

static bool near(double a, double b, double error)
{
    return a == b || (std::isnan(a) && std::isnan(b)) ||
           fabs(a - b) <= error * fmax(fabs(a), fabs(b));
}

static void known()
{
    const double tiny = 1e-15;
    EXPECT(rsqrt(16.0) == 0.25 && rsqrtf(4.0f) == 0.5f && near(rcbrt(27.0), 1 / 3.0, tiny));
    EXPECT(sinpi(0.5) == 1 && sinpi(-1.5) == 1 && cospi(0.5) == 0 && cospi(1.0) == -1 &&
           cospi(-7.0) == -1);
    EXPECT(sinpi(1e300) == 0 && cospi(1e300) == 1 && std::signbit(sinpi(-2.0)) &&
           std::isnan(sinpi(INFINITY)));
    EXPECT(near(sinpi(1e9 + 0.25), sqrt(0.5), tiny) && near(sinpi(1.0 / 6), 0.5, tiny));
    EXPECT(near(erfinv(0.5), 0.47693627620446987, tiny) &&
           near(erfinv(1e-10), 8.862269254527581e-11, tiny));
    EXPECT(near(erfinv(0.999), 2.3267537655135246, tiny * 10) && erfinv(1.0) == INFINITY &&
           erfinv(-1.0) == -INFINITY);
    EXPECT(std::isnan(erfinv(1.5)) && std::isnan(erfcinv(-0.5)) && erfcinv(0.0) == INFINITY);
    EXPECT(near(erfc(erfcinv(1e-200)), 1e-200, 1e-12) && near(erfc(erfcinv(1e-10)), 1e-10, 1e-13));
    EXPECT(near(normcdf(1.0), 0.8413447460685429, tiny) &&
           near(normcdfinv(0.975), 1.959963984540054, tiny * 4));
    EXPECT(near(erfcx(1.0), 0.427583576155807, tiny * 4) &&
           near(erfcx(10.0), 0.056140992743822584, tiny * 4));
    EXPECT(near(erfcx(9.0), exp(81.0) * erfc(9.0), tiny * 4) &&
           near(erfcx(10 - 1e-9), erfcx(10 + 1e-9), 1e-9));
    EXPECT(near(erfcx(1e10), 5.641895835477563e-11, tiny));
    EXPECT(rhypot(3.0, 4.0) == 0.2 && norm3d(2.0, 3.0, 6.0) == 7 &&
           norm4d(1.0, 1.0, 1.0, 1.0) == 2);
}

int main(int argc, char **argv)
{
    program_begin(argc, argv);
    known();
    const std::vector<double> values = {0.001, 0.1,   0.25,  1 / 3.0, 0.5,  0.75, 0.9, 1,
                                        1.5,   2.5,   3,     7.3,     9.99, 10.1, 15,  -0.001,
                                        -0.1,  -0.25, -0.75, -0.9,    -1.5, -2.5, -3,  -4.7};
    const size_t count = values.size();
    device_array<double> x(values), out(count * functions);
    write_all<<<1, count>>>(x.data, out.data);
    LAUNCHED();
    const std::vector<double> got = out.host();
    for (size_t i = 0; i < count; i++) {
        double expected[functions];
        const int written = write(values[i], expected);
        for (int n = 0; n < written; n++)
            if (!EXPECT(n < 11 || (n > 15 && n < 23)
                            ? near(got[i * functions + n], expected[n], 4e-15)
                            : near_sum(got[i * functions + n], expected[n], 4e-6)))
                printf("function %d of %g: %.17g, not %.17g\n", n, values[i],
                       got[i * functions + n], expected[n]);
    }
    return program_end();
}
