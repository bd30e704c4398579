/* host_math.h: what the device's math library has beyond C's, on the host. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_HOST_MATH_H
#define CLEM_CRT_HOST_MATH_H

#include "../host_defines.h"

/* Within a few units in the last place of the exact value, as the device's. They are templates, so
 * that a program's own function of the same name and parameters goes before them.
 *
 * Source: CUDA Math API Reference Manual 13.0.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__) && !defined(__CUDACC_RTC__)

/* int is a parameter that no call gives. */
#define CLEM_HOST template <int = 0> static __inline__ __attribute__((host))

/* In double, and the float forms from it. */
#define CLEM_HOST_FLOATS_1(name)                                                                   \
    CLEM_HOST float name##f(float x)                                                               \
    {                                                                                              \
        return static_cast<float>(name(static_cast<double>(x)));                                   \
    }                                                                                              \
    CLEM_HOST float name(float x)                                                                  \
    {                                                                                              \
        return static_cast<float>(name(static_cast<double>(x)));                                   \
    }

CLEM_HOST double rsqrt(double x)
{
    return 1 / __builtin_sqrt(x);
}
CLEM_HOST_FLOATS_1(rsqrt)

CLEM_HOST double rcbrt(double x)
{
    return 1 / __builtin_cbrt(x);
}
CLEM_HOST_FLOATS_1(rcbrt)

CLEM_HOST float fdividef(float x, float y)
{
    return x / y;
}

/* pi times x by quarters of a turn: their number modulo 4, and the angle that is left. */
CLEM_HOST int clem_quarters(double x, double *rest)
{
    x = __builtin_fmod(x, 2);
    const double quarters = __builtin_nearbyint(2 * x);
    *rest = 3.14159265358979323846 * (x - quarters / 2);
    return static_cast<int>(quarters) & 3;
}
CLEM_HOST void sincospi(double x, double *sine, double *cosine)
{
    if (__builtin_isinf(x) || __builtin_isnan(x)) {
        *sine = *cosine = x - x;
        return;
    }
    double rest = 0;
    const int quarters = clem_quarters(x, &rest);
    const double s = __builtin_sin(rest), c = __builtin_cos(rest);
    const double sines[4] = {s, c, -s, -c};
    *sine = x == __builtin_trunc(x) ? __builtin_copysign(0., x) : sines[quarters];
    *cosine = sines[(quarters + 1) & 3] + 0.;
}
CLEM_HOST double sinpi(double x)
{
    double sine = 0, cosine = 0;
    sincospi(x, &sine, &cosine);
    return sine;
}
CLEM_HOST double cospi(double x)
{
    double sine = 0, cosine = 0;
    sincospi(x, &sine, &cosine);
    return cosine;
}
CLEM_HOST void sincospif(float x, float *sine, float *cosine)
{
    double s = 0, c = 0;
    sincospi(static_cast<double>(x), &s, &c);
    *sine = static_cast<float>(s);
    *cosine = static_cast<float>(c);
}
CLEM_HOST void sincospi(float x, float *sine, float *cosine)
{
    sincospif(x, sine, cosine);
}
CLEM_HOST_FLOATS_1(sinpi)
CLEM_HOST_FLOATS_1(cospi)

/* x with erf(x) == y, |y| <= 1/2: Halley's steps from the tangent at 0. */
CLEM_HOST double clem_erfinv_middle(double y)
{
    double x = y * 0.88622692545275801365;
    for (int step = 0; step < 4; step++) {
        const double off = __builtin_erf(x) - y;
        x -= off / (1.12837916709551257390 * __builtin_exp(-x * x) + x * off);
    }
    return x;
}
/* x with erfc(x) == y, 0 < y < 1/2: from Hastings' estimate. */
CLEM_HOST double clem_erfcinv_tail(double y)
{
    const double t = __builtin_sqrt(-2 * __builtin_log(y / 2));
    double x =
        0.70710678118654752440 * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
    for (int step = 0; step < 4; step++) {
        const double slope = 1.12837916709551257390 * __builtin_exp(-x * x);
        const double off = __builtin_erfc(x) - y;
        if (!(slope > 0))
            break;
        x += off / (slope - x * off);
    }
    return x;
}
CLEM_HOST double erfcinv(double y)
{
    if (!(y >= 0 && y <= 2))
        return __builtin_nan("");
    if (y == 0 || y == 2)
        return y == 0 ? __builtin_inf() : -__builtin_inf();
    if (y >= 0.5 && y <= 1.5)
        return clem_erfinv_middle(1 - y);
    return y < 1 ? clem_erfcinv_tail(y) : -clem_erfcinv_tail(2 - y);
}
CLEM_HOST double erfinv(double y)
{
    if (__builtin_fabs(y) <= 0.5)
        return clem_erfinv_middle(y);
    return y < 0 ? -erfcinv(1 + y) : erfcinv(1 - y);
}
CLEM_HOST_FLOATS_1(erfcinv)
CLEM_HOST_FLOATS_1(erfinv)

CLEM_HOST double normcdf(double x)
{
    return __builtin_erfc(x * -0.70710678118654752440) / 2;
}
CLEM_HOST_FLOATS_1(normcdf)

CLEM_HOST double normcdfinv(double p)
{
    return -1.41421356237309504880 * erfcinv(2 * p);
}
CLEM_HOST_FLOATS_1(normcdfinv)

/* exp(x * x) * erfc(x); exp() of the square's parts, and a series where erfc() is too small. */
CLEM_HOST double erfcx(double x)
{
    if (x < 10) {
        const double coarse = static_cast<double>(static_cast<float>(x));
        return __builtin_exp(coarse * coarse) * __builtin_exp((x - coarse) * (x + coarse)) *
               __builtin_erfc(x);
    }
    double sum = 0;
    for (int term = 20; term > 0; term--)
        sum = (1 + sum) * -(2 * term - 1) / (2 * x * x);
    return 0.56418958354775628695 / x * (1 + sum);
}
CLEM_HOST_FLOATS_1(erfcx)

CLEM_HOST double rhypot(double x, double y)
{
    return 1 / __builtin_hypot(x, y);
}
CLEM_HOST double norm3d(double x, double y, double z)
{
    return __builtin_hypot(__builtin_hypot(x, y), z);
}
CLEM_HOST double rnorm3d(double x, double y, double z)
{
    return 1 / norm3d(x, y, z);
}
CLEM_HOST double norm4d(double x, double y, double z, double w)
{
    return __builtin_hypot(norm3d(x, y, z), w);
}
CLEM_HOST double rnorm4d(double x, double y, double z, double w)
{
    return 1 / norm4d(x, y, z, w);
}
CLEM_HOST double norm(int dim, const double *p)
{
    double sum = 0;
    for (int i = 0; i < dim; i++)
        sum = __builtin_hypot(sum, p[i]);
    return sum;
}
CLEM_HOST double rnorm(int dim, const double *p)
{
    return 1 / norm(dim, p);
}
CLEM_HOST float rhypotf(float x, float y)
{
    return static_cast<float>(rhypot(static_cast<double>(x), static_cast<double>(y)));
}
CLEM_HOST float norm3df(float x, float y, float z)
{
    return static_cast<float>(
        norm3d(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)));
}
CLEM_HOST float rnorm3df(float x, float y, float z)
{
    return static_cast<float>(
        rnorm3d(static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)));
}
CLEM_HOST float norm4df(float x, float y, float z, float w)
{
    return static_cast<float>(norm4d(static_cast<double>(x), static_cast<double>(y),
                                     static_cast<double>(z), static_cast<double>(w)));
}
CLEM_HOST float rnorm4df(float x, float y, float z, float w)
{
    return static_cast<float>(rnorm4d(static_cast<double>(x), static_cast<double>(y),
                                      static_cast<double>(z), static_cast<double>(w)));
}
CLEM_HOST float normf(int dim, const float *p)
{
    double sum = 0;
    for (int i = 0; i < dim; i++)
        sum += static_cast<double>(p[i]) * static_cast<double>(p[i]);
    return static_cast<float>(__builtin_sqrt(sum));
}
CLEM_HOST float rnormf(int dim, const float *p)
{
    double sum = 0;
    for (int i = 0; i < dim; i++)
        sum += static_cast<double>(p[i]) * static_cast<double>(p[i]);
    return static_cast<float>(1 / __builtin_sqrt(sum));
}

#undef CLEM_HOST_FLOATS_1
#undef CLEM_HOST

#endif

#endif
