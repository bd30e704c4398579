/* device_simd.h: two halves or four bytes of a word at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_SIMD_H
#define CLEM_CRT_DEVICE_SIMD_H

#include "device_runtime.h"

/* Source: CUDA Math API Reference Manual 13.0, SIMD Intrinsics. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))

/* One part of a word, extended by its sign or by zeros. */
template <int bits> CLEM_DEVICE int clem_part_s(unsigned int word, int at)
{
    return static_cast<int>(word << (32 - bits - at)) >> (32 - bits);
}
template <int bits> CLEM_DEVICE int clem_part_u(unsigned int word, int at)
{
    return static_cast<int>(word << (32 - bits - at) >> (32 - bits));
}
template <int bits> CLEM_DEVICE int clem_saturate_s(int x)
{
    const int most = (1 << (bits - 1)) - 1;
    return x > most ? most : x < -most - 1 ? -most - 1 : x;
}
template <int bits> CLEM_DEVICE int clem_saturate_u(int x)
{
    const int most = (1 << bits) - 1;
    return x > most ? most : x < 0 ? 0 : x;
}

/* name2 and name4: `value` from the parts a and b, in every part. */
#define CLEM_SIMD_BITS(name, bits, kind, value)                                                    \
    CLEM_DEVICE unsigned int name(unsigned int x, unsigned int y)                                  \
    {                                                                                              \
        unsigned int r = 0;                                                                        \
        _Pragma("unroll") for (int at = 0; at < 32; at += bits)                                    \
        {                                                                                          \
            constexpr int n = bits;                                                                \
            const int a = clem_part_##kind<n>(x, at), b = clem_part_##kind<n>(y, at);              \
            r |= (static_cast<unsigned>(value) & ((1u << n) - 1)) << at;                           \
        }                                                                                          \
        return r;                                                                                  \
    }
#define CLEM_SIMD(name, kind, value)                                                               \
    CLEM_SIMD_BITS(name##2, 16, kind, value)                                                       \
    CLEM_SIMD_BITS(name##4, 8, kind, value)

CLEM_SIMD(__vadd, u, a + b)
CLEM_SIMD(__vsub, u, a - b)
CLEM_SIMD(__vaddss, s, clem_saturate_s<n>(a + b))
CLEM_SIMD(__vsubss, s, clem_saturate_s<n>(a - b))
CLEM_SIMD(__vaddus, u, clem_saturate_u<n>(a + b))
CLEM_SIMD(__vsubus, u, clem_saturate_u<n>(a - b))
CLEM_SIMD(__vabsdiffs, s, a > b ? a - b : b - a)
CLEM_SIMD(__vabsdiffu, u, a > b ? a - b : b - a)
CLEM_SIMD(__vavgs, s, (a + b + (a + b >= 0)) >> 1)
CLEM_SIMD(__vavgu, u, (a + b + 1) >> 1)
CLEM_SIMD(__vhaddu, u, (a + b) >> 1)
CLEM_SIMD(__vmaxs, s, a > b ? a : b)
CLEM_SIMD(__vmaxu, u, a > b ? a : b)
CLEM_SIMD(__vmins, s, a < b ? a : b)
CLEM_SIMD(__vminu, u, a < b ? a : b)

/* __vcmp: all bits of a part; __vset: 1. */
#define CLEM_SIMD_COMPARE(name, kind, condition)                                                   \
    CLEM_SIMD(__vcmp##name, kind, (condition) ? ~0u : 0u)                                          \
    CLEM_SIMD(__vset##name, kind, (condition) ? 1u : 0u)
CLEM_SIMD_COMPARE(eq, u, a == b)
CLEM_SIMD_COMPARE(ne, u, a != b)
CLEM_SIMD_COMPARE(ges, s, a >= b)
CLEM_SIMD_COMPARE(geu, u, a >= b)
CLEM_SIMD_COMPARE(gts, s, a > b)
CLEM_SIMD_COMPARE(gtu, u, a > b)
CLEM_SIMD_COMPARE(les, s, a <= b)
CLEM_SIMD_COMPARE(leu, u, a <= b)
CLEM_SIMD_COMPARE(lts, s, a < b)
CLEM_SIMD_COMPARE(ltu, u, a < b)
#undef CLEM_SIMD_COMPARE
#undef CLEM_SIMD

#define CLEM_SIMD_1(name, two, y)                                                                  \
    CLEM_DEVICE unsigned int name##2(unsigned int x)                                               \
    {                                                                                              \
        return two##2(y, x);                                                                       \
    }                                                                                              \
    CLEM_DEVICE unsigned int name##4(unsigned int x)                                               \
    {                                                                                              \
        return two##4(y, x);                                                                       \
    }
CLEM_SIMD_1(__vneg, __vsub, 0)
CLEM_SIMD_1(__vnegss, __vsubss, 0)
CLEM_SIMD_1(__vabs, __vabsdiffs, 0)
#undef CLEM_SIMD_1
CLEM_SIMD_BITS(clem_absss2, 16, s, clem_saturate_s<n>(a > b ? a - b : b - a))
CLEM_SIMD_BITS(clem_absss4, 8, s, clem_saturate_s<n>(a > b ? a - b : b - a))
CLEM_DEVICE unsigned int __vabsss2(unsigned int x)
{
    return clem_absss2(x, 0);
}
CLEM_DEVICE unsigned int __vabsss4(unsigned int x)
{
    return clem_absss4(x, 0);
}
#undef CLEM_SIMD_BITS

/* Sums of absolute differences. */
#define CLEM_SIMD_SUM(name, differences, bits)                                                     \
    CLEM_DEVICE unsigned int name(unsigned int x, unsigned int y)                                  \
    {                                                                                              \
        const unsigned int d = differences(x, y);                                                  \
        unsigned int sum = 0;                                                                      \
        _Pragma("unroll") for (int at = 0; at < 32; at += bits) sum +=                             \
            d >> at & ((1u << bits) - 1);                                                          \
        return sum;                                                                                \
    }
CLEM_SIMD_SUM(__vsads2, __vabsdiffs2, 16)
CLEM_SIMD_SUM(__vsads4, __vabsdiffs4, 8)
CLEM_SIMD_SUM(__vsadu2, __vabsdiffu2, 16)
CLEM_SIMD_SUM(__vsadu4, __vabsdiffu4, 8)
#undef CLEM_SIMD_SUM

#undef CLEM_DEVICE

#endif

#endif
