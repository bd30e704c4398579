/* device_math.h: the C and C++ math library in device code. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_MATH_H
#define CLEM_CRT_DEVICE_MATH_H

#include "../host_defines.h"

/* Has to come before the C++ library's <cmath>: a constexpr function there is one of the device too,
 * unless a device function of its name and parameters is declared already, and its body calls
 * builtins that clang cannot turn into PTX.
 *
 * What is one PTX instruction is written as such. Everything else is a call of an extern function
 * __clem_<name>, which the translator from PTX supplies (kernels/ptx/library/math.cl). Its functions
 * take and return numbers only.
 *
 * Source: CUDA Math API Reference Manual 13.0; ISO C11 7.12; ISO C++17 29.9.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))
#define CLEM_MATH   extern "C" __attribute__((device, const, nothrow))

/* -use_fast_math makes these names mean the fast intrinsics. */
#if defined(__USE_FAST_MATH__)
#define CLEM_FAST(name) __clem_fast_##name
#else
#define CLEM_FAST(name) __clem_##name
#endif

/* Calls of the math library: the names of C and their parameters. */
#define CLEM_MATH_1(name)                                                                          \
    CLEM_MATH double __clem_##name(double);                                                        \
    CLEM_MATH float __clem_##name##f(float);                                                       \
    CLEM_DEVICE double name(double x)                                                              \
    {                                                                                              \
        return __clem_##name(x);                                                                   \
    }                                                                                              \
    CLEM_DEVICE float name##f(float x)                                                             \
    {                                                                                              \
        return __clem_##name##f(x);                                                                \
    }                                                                                              \
    CLEM_DEVICE float name(float x)                                                                \
    {                                                                                              \
        return name##f(x);                                                                         \
    }
#define CLEM_MATH_2(name)                                                                          \
    CLEM_MATH double __clem_##name(double, double);                                                \
    CLEM_MATH float __clem_##name##f(float, float);                                                \
    CLEM_DEVICE double name(double x, double y)                                                    \
    {                                                                                              \
        return __clem_##name(x, y);                                                                \
    }                                                                                              \
    CLEM_DEVICE float name##f(float x, float y)                                                    \
    {                                                                                              \
        return __clem_##name##f(x, y);                                                             \
    }                                                                                              \
    CLEM_DEVICE float name(float x, float y)                                                       \
    {                                                                                              \
        return name##f(x, y);                                                                      \
    }

/* One instruction each, which clang makes of its builtin. */
#define CLEM_BUILTIN_1(name)                                                                       \
    CLEM_DEVICE double name(double x)                                                              \
    {                                                                                              \
        return __builtin_##name(x);                                                                \
    }                                                                                              \
    CLEM_DEVICE float name##f(float x)                                                             \
    {                                                                                              \
        return __builtin_##name##f(x);                                                             \
    }                                                                                              \
    CLEM_DEVICE float name(float x)                                                                \
    {                                                                                              \
        return __builtin_##name##f(x);                                                             \
    }
#define CLEM_BUILTIN_2(name)                                                                       \
    CLEM_DEVICE double name(double x, double y)                                                    \
    {                                                                                              \
        return __builtin_##name(x, y);                                                             \
    }                                                                                              \
    CLEM_DEVICE float name##f(float x, float y)                                                    \
    {                                                                                              \
        return __builtin_##name##f(x, y);                                                          \
    }                                                                                              \
    CLEM_DEVICE float name(float x, float y)                                                       \
    {                                                                                              \
        return __builtin_##name##f(x, y);                                                          \
    }

/* ---- the fast intrinsics, one or a few approximate instructions each ---------------------- */

/* Of PTX: op.approx.f32, and op.approx.ftz.f32 where denormals are flushed. */
#if defined(__CUDA_FTZ) && __CUDA_FTZ
#define CLEM_APPROXIMATE(op) op ".approx.ftz.f32 %0, %1;"
#else
#define CLEM_APPROXIMATE(op) op ".approx.f32 %0, %1;"
#endif

CLEM_DEVICE float __sinf(float x)
{
    float r;
    __asm__(CLEM_APPROXIMATE("sin") : "=f"(r) : "f"(x));
    return r;
}
CLEM_DEVICE float __cosf(float x)
{
    float r;
    __asm__(CLEM_APPROXIMATE("cos") : "=f"(r) : "f"(x));
    return r;
}
CLEM_DEVICE float __clem_ex2(float x)
{
    float r;
    __asm__(CLEM_APPROXIMATE("ex2") : "=f"(r) : "f"(x));
    return r;
}
CLEM_DEVICE float __clem_lg2(float x)
{
    float r;
    __asm__(CLEM_APPROXIMATE("lg2") : "=f"(r) : "f"(x));
    return r;
}
CLEM_DEVICE float __fdividef(float x, float y)
{
    float r;
#if defined(__CUDA_FTZ) && __CUDA_FTZ
    __asm__("div.approx.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
#else
    __asm__("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
#endif
    return r;
}
CLEM_DEVICE float __tanhf(float x)
{
    float r;
    __asm__("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}
CLEM_DEVICE float __tanf(float x)
{
    return __fdividef(__sinf(x), __cosf(x));
}
CLEM_DEVICE float __expf(float x)
{
    return __clem_ex2(x * 1.4426950408889634f);
}
CLEM_DEVICE float __exp10f(float x)
{
    return __clem_ex2(x * 3.3219280948873623f);
}
CLEM_DEVICE float __logf(float x)
{
    return __clem_lg2(x) * 0.6931471805599453f;
}
CLEM_DEVICE float __log2f(float x)
{
    return __clem_lg2(x);
}
CLEM_DEVICE float __log10f(float x)
{
    return __clem_lg2(x) * 0.3010299956639812f;
}
CLEM_DEVICE float __powf(float x, float y)
{
    return __clem_ex2(y * __clem_lg2(x));
}
CLEM_DEVICE void __sincosf(float x, float *sine, float *cosine)
{
    *sine = __sinf(x);
    *cosine = __cosf(x);
}
CLEM_DEVICE float __saturatef(float x)
{
    float r;
    __asm__("cvt.sat.f32.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
}

/* ---- one instruction each ----------------------------------------------------------------- */

CLEM_BUILTIN_1(ceil)
CLEM_BUILTIN_1(fabs)
CLEM_BUILTIN_1(floor)
CLEM_BUILTIN_1(nearbyint)
CLEM_BUILTIN_1(rint)
CLEM_BUILTIN_1(trunc)
CLEM_BUILTIN_2(copysign)
CLEM_BUILTIN_2(fmax)
CLEM_BUILTIN_2(fmin)

CLEM_DEVICE double fma(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
CLEM_DEVICE float fmaf(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
CLEM_DEVICE float fma(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}

CLEM_DEVICE double sqrt(double x)
{
    return __nvvm_sqrt_rn_d(x);
}
CLEM_DEVICE float sqrtf(float x)
{
#if defined(__CUDA_PREC_SQRT) && !__CUDA_PREC_SQRT
    return __nvvm_sqrt_approx_f(x);
#elif defined(__CUDA_FTZ) && __CUDA_FTZ
    return __nvvm_sqrt_rn_ftz_f(x);
#else
    return __nvvm_sqrt_rn_f(x);
#endif
}
CLEM_DEVICE float sqrt(float x)
{
    return sqrtf(x);
}

/* ---- calls of the translator's library ---------------------------------------------------- */

CLEM_MATH_1(acos)
CLEM_MATH_1(acosh)
CLEM_MATH_1(asin)
CLEM_MATH_1(asinh)
CLEM_MATH_1(atan)
CLEM_MATH_1(atanh)
CLEM_MATH_1(cbrt)
CLEM_MATH_1(cosh)
CLEM_MATH_1(cospi)
CLEM_MATH_1(cyl_bessel_i0)
CLEM_MATH_1(cyl_bessel_i1)
CLEM_MATH_1(erf)
CLEM_MATH_1(erfc)
CLEM_MATH_1(erfcinv)
CLEM_MATH_1(erfcx)
CLEM_MATH_1(erfinv)
CLEM_MATH_1(exp2)
CLEM_MATH_1(expm1)
CLEM_MATH_1(j0)
CLEM_MATH_1(j1)
CLEM_MATH_1(lgamma)
CLEM_MATH_1(log1p)
CLEM_MATH_1(logb)
CLEM_MATH_1(normcdf)
CLEM_MATH_1(normcdfinv)
CLEM_MATH_1(rcbrt)
CLEM_MATH_1(round)
CLEM_MATH_1(rsqrt)
CLEM_MATH_1(sinh)
CLEM_MATH_1(sinpi)
CLEM_MATH_1(tgamma)
CLEM_MATH_1(y0)
CLEM_MATH_1(y1)
CLEM_MATH_2(atan2)
CLEM_MATH_2(fdim)
CLEM_MATH_2(fmod)
CLEM_MATH_2(hypot)
CLEM_MATH_2(nextafter)
CLEM_MATH_2(remainder)
CLEM_MATH_2(rhypot)

/* Those that -use_fast_math replaces. */
#define CLEM_MATH_FAST(name)                                                                       \
    CLEM_MATH double __clem_##name(double);                                                        \
    CLEM_MATH float __clem_##name##f(float);                                                       \
    CLEM_DEVICE float __clem_fast_##name##f(float x)                                               \
    {                                                                                              \
        return __##name##f(x);                                                                     \
    }                                                                                              \
    CLEM_DEVICE double name(double x)                                                              \
    {                                                                                              \
        return __clem_##name(x);                                                                   \
    }                                                                                              \
    CLEM_DEVICE float name##f(float x)                                                             \
    {                                                                                              \
        return CLEM_FAST(name##f)(x);                                                              \
    }                                                                                              \
    CLEM_DEVICE float name(float x)                                                                \
    {                                                                                              \
        return name##f(x);                                                                         \
    }

CLEM_MATH_FAST(cos)
CLEM_MATH_FAST(exp)
CLEM_MATH_FAST(exp10)
CLEM_MATH_FAST(log)
CLEM_MATH_FAST(log10)
CLEM_MATH_FAST(log2)
CLEM_MATH_FAST(sin)
CLEM_MATH_FAST(tan)
CLEM_MATH_FAST(tanh)

CLEM_MATH double __clem_pow(double, double);
CLEM_MATH float __clem_powf(float, float);
CLEM_DEVICE float __clem_fast_powf(float x, float y)
{
    return __powf(x, y);
}
CLEM_DEVICE double pow(double x, double y)
{
    return __clem_pow(x, y);
}
CLEM_DEVICE float powf(float x, float y)
{
    return CLEM_FAST(powf)(x, y);
}
CLEM_DEVICE float pow(float x, float y)
{
    return powf(x, y);
}
CLEM_DEVICE double pow(double x, int y)
{
    return __clem_pow(x, y);
}
CLEM_DEVICE float pow(float x, int y)
{
    return powf(x, static_cast<float>(y));
}
CLEM_DEVICE double powi(double x, int y)
{
    return __clem_pow(x, y);
}
CLEM_DEVICE float powif(float x, int y)
{
    return powf(x, static_cast<float>(y));
}

CLEM_DEVICE void sincos(double x, double *sine, double *cosine)
{
    *sine = sin(x);
    *cosine = cos(x);
}
CLEM_DEVICE void sincosf(float x, float *sine, float *cosine)
{
    *sine = sinf(x);
    *cosine = cosf(x);
}
CLEM_DEVICE void sincos(float x, float *sine, float *cosine)
{
    sincosf(x, sine, cosine);
}
CLEM_DEVICE void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}
CLEM_DEVICE void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}
CLEM_DEVICE void sincospi(float x, float *sine, float *cosine)
{
    sincospif(x, sine, cosine);
}

/* ---- with an integer as argument or result ------------------------------------------------- */

/* What no long long holds becomes the nearest that one does, as by CUDA's instructions. */
#define CLEM_MATH_INTEGER(T, f, t)                                                                 \
    CLEM_MATH T __clem_ldexp##f(T, int);                                                           \
    CLEM_MATH int __clem_ilogb##f(T);                                                              \
    CLEM_MATH T __clem_jn##f(int, T);                                                              \
    CLEM_MATH T __clem_yn##f(int, T);                                                              \
    CLEM_MATH T __clem_frexp_fraction##f(T);                                                       \
    CLEM_MATH int __clem_frexp_exponent##f(T);                                                     \
    CLEM_MATH int __clem_remquo_quotient##f(T, T);                                                 \
    CLEM_DEVICE int ilogb##f(T x)                                                                  \
    {                                                                                              \
        return __clem_ilogb##f(x);                                                                 \
    }                                                                                              \
    CLEM_DEVICE T ldexp##f(T x, int exponent)                                                      \
    {                                                                                              \
        return __clem_ldexp##f(x, exponent);                                                       \
    }                                                                                              \
    CLEM_DEVICE T scalbn##f(T x, int exponent)                                                     \
    {                                                                                              \
        return __clem_ldexp##f(x, exponent);                                                       \
    }                                                                                              \
    CLEM_DEVICE T scalbln##f(T x, long exponent)                                                   \
    {                                                                                              \
        const long most = 10000;                                                                   \
        const long kept = exponent > most ? most : exponent < -most ? -most : exponent;            \
        return __clem_ldexp##f(x, static_cast<int>(kept));                                         \
    }                                                                                              \
    CLEM_DEVICE T jn##f(int n, T x)                                                                \
    {                                                                                              \
        return __clem_jn##f(n, x);                                                                 \
    }                                                                                              \
    CLEM_DEVICE T yn##f(int n, T x)                                                                \
    {                                                                                              \
        return __clem_yn##f(n, x);                                                                 \
    }                                                                                              \
    CLEM_DEVICE T frexp##f(T x, int *exponent)                                                     \
    {                                                                                              \
        *exponent = __clem_frexp_exponent##f(x);                                                   \
        return __clem_frexp_fraction##f(x);                                                        \
    }                                                                                              \
    CLEM_DEVICE T remquo##f(T x, T y, int *quotient)                                               \
    {                                                                                              \
        *quotient = __clem_remquo_quotient##f(x, y);                                               \
        return __clem_remainder##f(x, y);                                                          \
    }                                                                                              \
    CLEM_DEVICE T modf##f(T x, T *whole)                                                           \
    {                                                                                              \
        *whole = __builtin_trunc##f(x);                                                            \
        const T part = __builtin_isinf(x) ? T(0) : x - *whole;                                     \
        return __builtin_copysign##f(part, x);                                                     \
    }                                                                                              \
    CLEM_DEVICE long long llrint##f(T x)                                                           \
    {                                                                                              \
        return __nvvm_##t##2ll_rn(x);                                                              \
    }                                                                                              \
    CLEM_DEVICE long lrint##f(T x)                                                                 \
    {                                                                                              \
        return llrint##f(x);                                                                       \
    }                                                                                              \
    CLEM_DEVICE long long llround##f(T x)                                                          \
    {                                                                                              \
        return __nvvm_##t##2ll_rz(__clem_round##f(x));                                             \
    }                                                                                              \
    CLEM_DEVICE long lround##f(T x)                                                                \
    {                                                                                              \
        return llround##f(x);                                                                      \
    }

CLEM_MATH_INTEGER(double, , d)
CLEM_MATH_INTEGER(float, f, f)

CLEM_DEVICE int ilogb(float x)
{
    return ilogbf(x);
}
CLEM_DEVICE float ldexp(float x, int exponent)
{
    return ldexpf(x, exponent);
}
CLEM_DEVICE float scalbn(float x, int exponent)
{
    return scalbnf(x, exponent);
}
CLEM_DEVICE float scalbln(float x, long exponent)
{
    return scalblnf(x, exponent);
}
CLEM_DEVICE float frexp(float x, int *exponent)
{
    return frexpf(x, exponent);
}
CLEM_DEVICE float modf(float x, float *whole)
{
    return modff(x, whole);
}
CLEM_DEVICE float remquo(float x, float y, int *quotient)
{
    return remquof(x, y, quotient);
}
CLEM_DEVICE long long llrint(float x)
{
    return llrintf(x);
}
CLEM_DEVICE long lrint(float x)
{
    return lrintf(x);
}
CLEM_DEVICE long long llround(float x)
{
    return llroundf(x);
}
CLEM_DEVICE long lround(float x)
{
    return lroundf(x);
}
CLEM_DEVICE double nan(const char *)
{
    return __builtin_nan("");
}
CLEM_DEVICE float nanf(const char *)
{
    return __builtin_nanf("");
}
CLEM_DEVICE float fdividef(float x, float y)
{
#if defined(__USE_FAST_MATH__)
    return __fdividef(x, y);
#else
    return x / y;
#endif
}

/* ---- lengths -------------------------------------------------------------------------------- */

#define CLEM_MATH_NORM(T, f)                                                                       \
    CLEM_MATH T __clem_norm3d##f(T, T, T);                                                         \
    CLEM_MATH T __clem_norm4d##f(T, T, T, T);                                                      \
    CLEM_MATH T __clem_rnorm3d##f(T, T, T);                                                        \
    CLEM_MATH T __clem_rnorm4d##f(T, T, T, T);                                                     \
    CLEM_DEVICE T norm3d##f(T a, T b, T c)                                                         \
    {                                                                                              \
        return __clem_norm3d##f(a, b, c);                                                          \
    }                                                                                              \
    CLEM_DEVICE T norm4d##f(T a, T b, T c, T d)                                                    \
    {                                                                                              \
        return __clem_norm4d##f(a, b, c, d);                                                       \
    }                                                                                              \
    CLEM_DEVICE T rnorm3d##f(T a, T b, T c)                                                        \
    {                                                                                              \
        return __clem_rnorm3d##f(a, b, c);                                                         \
    }                                                                                              \
    CLEM_DEVICE T rnorm4d##f(T a, T b, T c, T d)                                                   \
    {                                                                                              \
        return __clem_rnorm4d##f(a, b, c, d);                                                      \
    }                                                                                              \
    CLEM_DEVICE T norm##f(int count, const T *values)                                              \
    {                                                                                              \
        T length = 0;                                                                              \
        for (int i = 0; i < count; i++)                                                            \
            length = __clem_hypot##f(length, values[i]);                                           \
        return length;                                                                             \
    }                                                                                              \
    CLEM_DEVICE T rnorm##f(int count, const T *values)                                             \
    {                                                                                              \
        return 1 / norm##f(count, values);                                                         \
    }

CLEM_MATH_NORM(double, )
CLEM_MATH_NORM(float, f)

#undef CLEM_MATH_NORM
#undef CLEM_MATH_INTEGER
#undef CLEM_MATH_FAST
#undef CLEM_MATH_1
#undef CLEM_MATH_2
#undef CLEM_BUILTIN_1
#undef CLEM_BUILTIN_2

/* ---- C's integer functions and classification ---------------------------------------------- */

/* The least number's is itself, as that of CUDA's instruction is; C leaves it undefined. */
CLEM_DEVICE int abs(int x)
{
    return x < 0 ? static_cast<int>(0u - static_cast<unsigned int>(x)) : x;
}
CLEM_DEVICE long labs(long x)
{
    return x < 0 ? static_cast<long>(0ul - static_cast<unsigned long>(x)) : x;
}
CLEM_DEVICE long long llabs(long long x)
{
    return x < 0 ? static_cast<long long>(0ull - static_cast<unsigned long long>(x)) : x;
}
CLEM_DEVICE long abs(long x)
{
    return labs(x);
}
CLEM_DEVICE long long abs(long long x)
{
    return llabs(x);
}
CLEM_DEVICE double abs(double x)
{
    return __builtin_fabs(x);
}
CLEM_DEVICE float abs(float x)
{
    return __builtin_fabsf(x);
}
/* Elsewhere the C++ library's are constexpr, and so the device's too. */
#if defined(__CUDACC_RTC__)
#define CLEM_CLASS(name)                                                                           \
    CLEM_DEVICE bool name(double x)                                                                \
    {                                                                                              \
        return __builtin_##name(x);                                                                \
    }                                                                                              \
    CLEM_DEVICE bool name(float x)                                                                 \
    {                                                                                              \
        return __builtin_##name(x);                                                                \
    }
CLEM_CLASS(isfinite)
CLEM_CLASS(isinf)
CLEM_CLASS(isnan)
CLEM_CLASS(isnormal)
#undef CLEM_CLASS
CLEM_DEVICE bool signbit(double x)
{
    return __builtin_signbit(x) != 0;
}
CLEM_DEVICE bool signbit(float x)
{
    return __builtin_signbitf(x) != 0;
}
#endif
CLEM_DEVICE int __finite(double x)
{
    return __builtin_isfinite(x);
}
CLEM_DEVICE int __finitef(float x)
{
    return __builtin_isfinite(x);
}
CLEM_DEVICE int __isinf(double x)
{
    return __builtin_isinf(x);
}
CLEM_DEVICE int __isinff(float x)
{
    return __builtin_isinf(x);
}
CLEM_DEVICE int __isnan(double x)
{
    return __builtin_isnan(x);
}
CLEM_DEVICE int __isnanf(float x)
{
    return __builtin_isnan(x);
}
CLEM_DEVICE int __signbit(double x)
{
    return __builtin_signbit(x);
}
CLEM_DEVICE int __signbitf(float x)
{
    return __builtin_signbitf(x);
}

/* ---- integers as arguments of floating point functions become doubles ---------------------- */

template <class T> struct clem_arithmetic { /* clang 14 cannot name its traits in symbols */
    static constexpr bool is_integer = __is_integral(T), is_one = __is_arithmetic(T);
};
template <class T, bool = clem_arithmetic<T>::is_integer> struct clem_integer {
};
template <class T> struct clem_integer<T, true> {
    typedef double as_double;
    typedef int as_int;
    typedef long as_long;
    typedef long long as_long_long;
};
/* Of two different arithmetic types, at least one of them no float: what C++ computes in. */
template <class T, class U, bool = clem_arithmetic<T>::is_one &&clem_arithmetic<U>::is_one>
struct clem_mixed {
};
template <class T, class U> struct clem_mixed<T, U, true> {
    typedef double as_double;
};
template <> struct clem_mixed<float, float, true> {
};
template <> struct clem_mixed<double, double, true> {
};

#define CLEM_INTEGER(result, name)                                                                 \
    template <class T> CLEM_DEVICE typename clem_integer<T>::as_##result name(T x)                 \
    {                                                                                              \
        return name(static_cast<double>(x));                                                       \
    }
#define CLEM_MIXED(name)                                                                           \
    template <class T, class U> CLEM_DEVICE typename clem_mixed<T, U>::as_double name(T x, U y)    \
    {                                                                                              \
        return name(static_cast<double>(x), static_cast<double>(y));                               \
    }

/* The names that are of the C++ library, too. */
// clang-format off
#define CLEM_STD_1(X) \
    X(acos) X(acosh) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) \
    X(erfc) X(exp) X(exp2) X(expm1) X(fabs) X(floor) X(lgamma) X(log) X(log10) X(log1p) X(log2) \
    X(logb) X(nearbyint) X(rint) X(round) X(sin) X(sinh) X(sqrt) X(tan) X(tanh) X(tgamma) \
    X(trunc)
// clang-format on
#define CLEM_STD_2(X)                                                                              \
    X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)

#define CLEM_INTEGER_DOUBLE(name) CLEM_INTEGER(double, name)
CLEM_STD_1(CLEM_INTEGER_DOUBLE)
CLEM_STD_2(CLEM_MIXED)
template <class T, class U>
CLEM_DEVICE typename clem_mixed<T, U>::as_double remquo(T x, U y, int *quotient)
{
    return remquo(static_cast<double>(x), static_cast<double>(y), quotient);
}
template <class T> CLEM_DEVICE typename clem_integer<T>::as_double frexp(T x, int *exponent)
{
    return frexp(static_cast<double>(x), exponent);
}
template <class T> CLEM_DEVICE typename clem_integer<T>::as_double ldexp(T x, int exponent)
{
    return ldexp(static_cast<double>(x), exponent);
}
template <class T> CLEM_DEVICE typename clem_integer<T>::as_double scalbn(T x, int exponent)
{
    return scalbn(static_cast<double>(x), exponent);
}
template <class T> CLEM_DEVICE typename clem_integer<T>::as_double scalbln(T x, long exponent)
{
    return scalbln(static_cast<double>(x), exponent);
}
CLEM_INTEGER(int, ilogb)
CLEM_INTEGER(long, lrint)
CLEM_INTEGER(long, lround)
CLEM_INTEGER(long_long, llrint)
CLEM_INTEGER(long_long, llround)
CLEM_INTEGER(double, exp10)
CLEM_INTEGER(double, rsqrt)
#undef CLEM_INTEGER_DOUBLE
#undef CLEM_INTEGER
#undef CLEM_MIXED

/* The C++ library's namespace gets all of them, so that std::sin names them in device code. */
namespace std
{
#define CLEM_USING(name) using ::name;
CLEM_STD_1(CLEM_USING)
CLEM_STD_2(CLEM_USING)
#define CLEM_USING_F(name) using ::name##f;
CLEM_STD_1(CLEM_USING_F)
CLEM_STD_2(CLEM_USING_F)
using ::abs;
using ::fma;
using ::fmaf;
using ::frexp;
using ::frexpf;
using ::ilogb;
using ::ilogbf;
using ::labs;
using ::ldexp;
using ::ldexpf;
using ::llabs;
using ::llrint;
using ::llrintf;
using ::llround;
using ::llroundf;
using ::lrint;
using ::lrintf;
using ::lround;
using ::lroundf;
using ::modf;
using ::modff;
using ::nan;
using ::nanf;
using ::remquo;
using ::remquof;
using ::scalbln;
using ::scalblnf;
using ::scalbn;
using ::scalbnf;
#undef CLEM_USING
#undef CLEM_USING_F
} // namespace std

#undef CLEM_STD_1
#undef CLEM_STD_2
#undef CLEM_FAST
#undef CLEM_MATH
#undef CLEM_DEVICE

#endif

#endif
