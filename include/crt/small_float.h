/* small_float.h: the bits of half and bfloat16 numbers, made from and into others. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_SMALL_FLOAT_H
#define CLEM_CRT_SMALL_FLOAT_H

#include "../host_defines.h"

/* Source: IEEE 754-2019, 3.4 and 4.3; CUDA Math API Reference Manual 13.0. */
#if defined(__cplusplus)

#define CLEM_BOTH static __inline__ __host__ __device__

/* Bits as such, apart from integers that are values. */
struct clem_bits_t {
    unsigned short bits;
};

enum clem_rounding { CLEM_NEAREST, CLEM_TOWARD_ZERO, CLEM_UP, CLEM_DOWN };

template <class To, class From> CLEM_BOTH To clem_same_bits(const From &from)
{
    To to;
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}

/* A positive number `whole` of units with `rest` below, and whether there is more below that: one
 * unit more where the rounding says so. half is the rest of half a unit. */
CLEM_BOTH unsigned long long clem_rounded(unsigned long long whole, unsigned long long rest,
                                          unsigned long long half, bool is_negative,
                                          clem_rounding rounding)
{
    if (rest == 0 || rounding == CLEM_TOWARD_ZERO)
        return whole;
    if (rounding == CLEM_UP)
        return whole + !is_negative;
    if (rounding == CLEM_DOWN)
        return whole + is_negative;
    return whole + (rest > half || (rest == half && (whole & 1) != 0));
}

/* The size of a finite double in units of the least positive number of a format with `fraction` bits after the point, where
 * normal numbers are above 2^-`most`, as bits of that format; they go on where it ends. */
CLEM_BOTH unsigned long long clem_small_size(double value, int fraction, int most,
                                             clem_rounding rounding)
{
    const unsigned long long bits = clem_same_bits<unsigned long long>(value);
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    unsigned long long mantissa = bits & 0xfffffffffffffull;
    if (exponent > -1023)
        mantissa |= 1ull << 52;
    /* Below the least normal exponent units stay what they are there. */
    const int least = 1 - most;
    const int kept = exponent < least ? least : exponent;
    int drop = 52 - fraction + (kept - exponent);
    if (drop > 62) {
        mantissa = mantissa ? 1 : 0;
        drop = 62;
    }
    const unsigned long long rest = mantissa & ((1ull << drop) - 1);
    const unsigned long long whole =
        clem_rounded(mantissa >> drop, rest, 1ull << (drop - 1), bits >> 63, rounding);
    /* The mantissa's leading bit is the first of the exponent's. */
    return whole + (static_cast<unsigned long long>(kept - least) << fraction);
}

/* The bits of a double as a number of `fraction` bits after the point and exponents up to `most`;
 * infinity is the exponent after that. */
CLEM_BOTH unsigned short clem_small_from_double(double value, int fraction, int most,
                                                clem_rounding rounding)
{
    const unsigned long long bits = clem_same_bits<unsigned long long>(value);
    const bool is_negative = bits >> 63;
    const unsigned sign = is_negative ? 0x8000u : 0u;
    const unsigned infinity = static_cast<unsigned>(2 * most + 1) << fraction;
    if ((bits >> 52 & 0x7ff) == 0x7ff)
        return static_cast<unsigned short>(bits << 12 ? 0x7fffu : sign | infinity);
    unsigned long long r = clem_small_size(value, fraction, most, rounding);
    if (r >= infinity) {
        const bool stays = rounding == CLEM_TOWARD_ZERO || (rounding == CLEM_UP && is_negative) ||
                           (rounding == CLEM_DOWN && !is_negative);
        r = stays ? infinity - 1 : infinity;
    }
    return static_cast<unsigned short>(sign | static_cast<unsigned>(r));
}

/* ---- half: 10 bits after the point, exponents up to 15 --------------------------------------- */

CLEM_BOTH unsigned short clem_half_from_double(double value, clem_rounding rounding = CLEM_NEAREST)
{
    return clem_small_from_double(value, 10, 15, rounding);
}
CLEM_BOTH unsigned short clem_half_from_float(float value, clem_rounding rounding = CLEM_NEAREST)
{
#if defined(__CUDA_ARCH__)
    if (rounding == CLEM_NEAREST) {
        unsigned short r;
        __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(value));
        return r;
    }
#endif
    return clem_half_from_double(static_cast<double>(value), rounding);
}
CLEM_BOTH float clem_half_to_float(unsigned short bits)
{
#if defined(__CUDA_ARCH__)
    float r;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(bits));
    return r;
#else
    const unsigned sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1fu;
    const unsigned fraction = bits & 0x3ffu;
    if (exponent == 31)
        return clem_same_bits<float>(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0)
        return clem_same_bits<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float size = static_cast<float>(fraction) * 5.9604644775390625e-8f;
    return sign ? -size : size;
#endif
}

/* ---- bfloat16: the upper half of a float ------------------------------------------------------ */

CLEM_BOTH unsigned short clem_bf16_from_double(double value, clem_rounding rounding = CLEM_NEAREST)
{
    return clem_small_from_double(value, 7, 127, rounding);
}
CLEM_BOTH unsigned short clem_bf16_from_float(float value, clem_rounding rounding = CLEM_NEAREST)
{
    const unsigned bits = clem_same_bits<unsigned>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return static_cast<unsigned short>(
        clem_rounded(bits >> 16, bits & 0xffffu, 0x8000u, bits >> 31, rounding));
}
CLEM_BOTH float clem_bf16_to_float(unsigned short bits)
{
    return clem_same_bits<float>(static_cast<unsigned>(bits) << 16);
}

/* ---- integers --------------------------------------------------------------------------------- */

/* An integer too large for a double is cut to one whose last bit says that something was cut, which
 * rounds alike. */
template <class T> CLEM_BOTH double clem_odd_double(T value)
{
    const bool is_negative = value < 0;
    unsigned long long size = is_negative ? 0 - static_cast<unsigned long long>(value)
                                          : static_cast<unsigned long long>(value);
    if (size >> 53)
        size = (size & ~0xfffull) | ((size & 0xfff) != 0 ? 0x1000ull : 0ull);
    const double r = static_cast<double>(size);
    return is_negative ? -r : r;
}
template <class T> CLEM_BOTH unsigned short clem_half_from_integer(T value, clem_rounding rounding)
{
    return clem_half_from_double(clem_odd_double(value), rounding);
}
template <class T> CLEM_BOTH unsigned short clem_bf16_from_integer(T value, clem_rounding rounding)
{
    return clem_bf16_from_double(clem_odd_double(value), rounding);
}

/* A whole number; what T cannot hold becomes its nearest, what is no number 0, or in 64 bits the
 * highest of them. */
template <class T> CLEM_BOTH T clem_whole(float value, clem_rounding rounding)
{
    const bool is_signed = T(-1) < T(0);
    const int bits = static_cast<int>(sizeof(T)) * 8 - is_signed;
    const T most = static_cast<T>(~0ull >> (64 - bits));
    const T least = is_signed ? static_cast<T>(-most - 1) : T(0);
    const float whole = rounding == CLEM_NEAREST ? __builtin_rintf(value)
                        : rounding == CLEM_UP    ? __builtin_ceilf(value)
                        : rounding == CLEM_DOWN  ? __builtin_floorf(value)
                                                 : __builtin_truncf(value);
    if (whole != whole)
        return sizeof(T) == 8 ? static_cast<T>(1ull << 63) : T(0);
    if (whole >= static_cast<float>(most))
        return most;
    return whole <= static_cast<float>(least) ? least : static_cast<T>(whole);
}

/* ---- arithmetic -------------------------------------------------------------------------------- */

CLEM_BOTH float clem_saturate(float value)
{
    return value > 1 ? 1.0f : value > 0 ? value : 0.0f;
}

/* a * b + c as a double whose last bit says whether anything is below it: rounding that to 16 bits
 * gives what rounding the exact sum gives. The product is exact. */
CLEM_BOTH double clem_odd_fma(float a, float b, float c)
{
    const double product = static_cast<double>(a) * b, addend = c;
    const double sum = product + addend;
    const double back = sum - product;
    const double error = (product - (sum - back)) + (addend - back);
    if (!(error < 0 || error > 0))
        return sum;
    unsigned long long bits = clem_same_bits<unsigned long long>(sum);
    if (bits & 1)
        return sum;
    /* Toward the error, whose side the even neighbour is not on. */
    bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
    return clem_same_bits<double>(bits);
}

/* The conversions of a small float to integers, toward zero, in its class: value is the float that it stands for. */
#define CLEM_TO_INTEGER(T, value)                                                                  \
    CLEM_MEMBER explicit operator T() const                                                        \
    {                                                                                              \
        return clem_whole<T>(value, CLEM_TOWARD_ZERO);                                             \
    }
#define CLEM_TO_INTEGERS(value)                                                                    \
    CLEM_TO_INTEGER(char, value)                                                                   \
    CLEM_TO_INTEGER(signed char, value)                                                            \
    CLEM_TO_INTEGER(unsigned char, value)                                                          \
    CLEM_TO_INTEGER(short, value)                                                                  \
    CLEM_TO_INTEGER(unsigned short, value)                                                         \
    CLEM_TO_INTEGER(int, value)                                                                    \
    CLEM_TO_INTEGER(unsigned int, value)                                                           \
    CLEM_TO_INTEGER(long, value)                                                                   \
    CLEM_TO_INTEGER(unsigned long, value)                                                          \
    CLEM_TO_INTEGER(long long, value)                                                              \
    CLEM_TO_INTEGER(unsigned long long, value)

#undef CLEM_BOTH

#endif

#endif
