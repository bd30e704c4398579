/* device_int128.h: what clang calls for 128-bit integers and does not have for devices: division, conversions from and to
 * floats. Only where a first attempt to compile found them missing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_INT128_H
#define CLEM_CRT_DEVICE_INT128_H

#if defined(__cplusplus) && defined(__CUDA_ARCH__) && defined(__clang__)

/* The compiler looks for them by name when it writes code: they must stand there whether they are called or not. */
#define CLEM_CALLED static __attribute__((device, used, noinline))

/* Static, and named as the compiler asks for them. */
#define CLEM_DECLARE(T, NAME, ...) CLEM_CALLED T NAME(__VA_ARGS__) __asm__(#NAME)
CLEM_DECLARE(unsigned __int128, __udivti3, unsigned __int128, unsigned __int128);
CLEM_DECLARE(unsigned __int128, __umodti3, unsigned __int128, unsigned __int128);
CLEM_DECLARE(__int128, __divti3, __int128, __int128);
CLEM_DECLARE(__int128, __modti3, __int128, __int128);
CLEM_DECLARE(double, __floattidf, __int128);
CLEM_DECLARE(double, __floatuntidf, unsigned __int128);
CLEM_DECLARE(float, __floattisf, __int128);
CLEM_DECLARE(float, __floatuntisf, unsigned __int128);
CLEM_DECLARE(__int128, __fixdfti, double);
CLEM_DECLARE(unsigned __int128, __fixunsdfti, double);
CLEM_DECLARE(__int128, __fixsfti, float);
CLEM_DECLARE(unsigned __int128, __fixunssfti, float);
#undef CLEM_DECLARE

/* Bit by bit where the divisor or the quotient has more than 64; no 128-bit division here, which would call this. */
static __attribute__((device, noinline)) unsigned __int128
clem_divide(unsigned __int128 a, unsigned __int128 b, unsigned __int128 *rest)
{
    const unsigned long long a_high = (unsigned long long)(a >> 64),
                             b_high = (unsigned long long)(b >> 64);
    if ((a_high | b_high) == 0) {
        *rest = (unsigned long long)a % (unsigned long long)b;
        return (unsigned long long)a / (unsigned long long)b;
    }
    unsigned __int128 quotient = 0, left = 0;
    for (int i = 127; i >= 0; i--) {
        const bool carries = (bool)(left >> 127);
        left = left << 1 | (a >> i & 1);
        if (carries || left >= b) {
            left -= b;
            quotient |= (unsigned __int128)1 << i;
        }
    }
    *rest = left;
    return quotient;
}

CLEM_CALLED unsigned __int128 __udivti3(unsigned __int128 a, unsigned __int128 b)
{
    unsigned __int128 rest;
    return clem_divide(a, b, &rest);
}

CLEM_CALLED unsigned __int128 __umodti3(unsigned __int128 a, unsigned __int128 b)
{
    unsigned __int128 rest;
    clem_divide(a, b, &rest);
    return rest;
}

CLEM_CALLED __int128 __divti3(__int128 a, __int128 b)
{
    const unsigned __int128 u = a < 0 ? -(unsigned __int128)a : (unsigned __int128)a;
    const unsigned __int128 v = b < 0 ? -(unsigned __int128)b : (unsigned __int128)b;
    const unsigned __int128 quotient = __udivti3(u, v);
    return (__int128)((a < 0) != (b < 0) ? -quotient : quotient);
}

CLEM_CALLED __int128 __modti3(__int128 a, __int128 b)
{
    const unsigned __int128 u = a < 0 ? -(unsigned __int128)a : (unsigned __int128)a;
    const unsigned __int128 v = b < 0 ? -(unsigned __int128)b : (unsigned __int128)b;
    const unsigned __int128 rest = __umodti3(u, v);
    return (__int128)(a < 0 ? -rest : rest);
}

/* The highest 64 bits, the lowest of which says whether one is lost: that rounds as all of them would. */
#define CLEM_FROM_INT128(NAME, SIGNED_NAME, T)                                                     \
    CLEM_CALLED T NAME(unsigned __int128 a)                                                        \
    {                                                                                              \
        const unsigned long long high = (unsigned long long)(a >> 64);                             \
        if (high == 0)                                                                             \
            return (T)(unsigned long long)a;                                                       \
        const int shift = 64 - __builtin_clzll(high);                                              \
        const bool is_lost = (a & (((unsigned __int128)1 << shift) - 1)) != 0;                     \
        const unsigned long long kept = (unsigned long long)(a >> shift) | is_lost;                \
        return (T)kept * (shift == 64 ? (T)18446744073709551616.0 : (T)(1ull << shift));           \
    }                                                                                              \
    CLEM_CALLED T SIGNED_NAME(__int128 a)                                                          \
    {                                                                                              \
        return a < 0 ? -NAME(-(unsigned __int128)a) : NAME((unsigned __int128)a);                  \
    }
CLEM_FROM_INT128(__floatuntidf, __floattidf, double)
CLEM_FROM_INT128(__floatuntisf, __floattisf, float)
#undef CLEM_FROM_INT128

/* What does not fit, which is undefined, is cut off at the type's ends. */
#define CLEM_TO_INT128(NAME, SIGNED_NAME, T)                                                       \
    CLEM_CALLED unsigned __int128 NAME(T a)                                                        \
    {                                                                                              \
        const T word = (T)18446744073709551616.0;                                                  \
        if (!(a >= (T)1))                                                                          \
            return 0;                                                                              \
        if (a >= word * word)                                                                      \
            return ~(unsigned __int128)0;                                                          \
        if (a < word)                                                                              \
            return (unsigned long long)a;                                                          \
        const unsigned long long high = (unsigned long long)(a * ((T)1 / word));                   \
        return (unsigned __int128)high << 64 | (unsigned long long)(a - (T)high * word);           \
    }                                                                                              \
    CLEM_CALLED __int128 SIGNED_NAME(T a)                                                          \
    {                                                                                              \
        const T half = (T)9223372036854775808.0 * (T)18446744073709551616.0;                       \
        const unsigned __int128 least = (unsigned __int128)1 << 127;                               \
        if (a >= half)                                                                             \
            return (__int128)(least - 1);                                                          \
        if (a <= -half)                                                                            \
            return (__int128)least;                                                                \
        return a < 0 ? -(__int128)NAME(-a) : (__int128)NAME(a);                                    \
    }
CLEM_TO_INT128(__fixunsdfti, __fixdfti, double)
CLEM_TO_INT128(__fixunssfti, __fixsfti, float)
#undef CLEM_TO_INT128

#undef CLEM_CALLED
#endif
#endif
