/* device_dpx.h: minimum and maximum of three, of a sum, and with what was chosen (DPX), of the host too. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_DPX_H
#define CLEM_CRT_DEVICE_DPX_H

#include "device_runtime.h"

/* Source: CUDA Math API Reference Manual 13.0, SIMD Intrinsics; CUDA C++ Programming Guide 13.0, DPX. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_BOTH static __inline__ __attribute__((host, device, always_inline))

template <class T> CLEM_BOTH T clem_less(T a, T b)
{
    return b < a ? b : a;
}
template <class T> CLEM_BOTH T clem_more(T a, T b)
{
    return a < b ? b : a;
}
/* Wraps around. */
template <class T> CLEM_BOTH T clem_sum(T a, T b)
{
    return static_cast<T>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b));
}

/* __NAME_s32 and __NAME_s16x2, or u: `value` from a, b and c, each a number of 32 or of 16 bits. */
#define CLEM_DPX(name, sign, W, H, relu, value)                                                    \
    CLEM_BOTH W __##name##_##sign##32##relu(W a, W b, W c)                                         \
    {                                                                                              \
        typedef W number;                                                                          \
        return value;                                                                              \
    }                                                                                              \
    CLEM_BOTH unsigned int __##name##_##sign##16x2##relu(unsigned int x, unsigned int y,           \
                                                         unsigned int z)                           \
    {                                                                                              \
        typedef H number;                                                                          \
        unsigned int r = 0;                                                                        \
        _Pragma("unroll") for (int at = 0; at < 32; at += 16)                                      \
        {                                                                                          \
            const number a = static_cast<number>(x >> at), b = static_cast<number>(y >> at);       \
            const number c = static_cast<number>(z >> at);                                         \
            r |= static_cast<unsigned int>(static_cast<unsigned short>(value)) << at;              \
        }                                                                                          \
        return r;                                                                                  \
    }
#define CLEM_DPX_SIGNS(name, value)                                                                \
    CLEM_DPX(name, s, int, short, , value)                                                         \
    CLEM_DPX(name, u, unsigned int, unsigned short, , value)                                       \
    CLEM_DPX(name, s, int, short, _relu, clem_more<number>(value, 0))
CLEM_DPX_SIGNS(vimax3, clem_more<number>(clem_more<number>(a, b), c))
CLEM_DPX_SIGNS(vimin3, clem_less<number>(clem_less<number>(a, b), c))
CLEM_DPX_SIGNS(viaddmax, clem_more<number>(clem_sum<number>(a, b), c))
CLEM_DPX_SIGNS(viaddmin, clem_less<number>(clem_sum<number>(a, b), c))
#undef CLEM_DPX_SIGNS
#undef CLEM_DPX

/* The least and the greatest of two, and of zero. */
#define CLEM_DPX_RELU(W, word)                                                                     \
    CLEM_BOTH W __vimax_##word##_relu(W a, W b)                                                    \
    {                                                                                              \
        return __vimax3_##word##_relu(a, b, a);                                                    \
    }                                                                                              \
    CLEM_BOTH W __vimin_##word##_relu(W a, W b)                                                    \
    {                                                                                              \
        return __vimin3_##word##_relu(a, b, a);                                                    \
    }
CLEM_DPX_RELU(int, s32)
CLEM_DPX_RELU(unsigned int, s16x2)
#undef CLEM_DPX_RELU

/* Says whether a was chosen; where both are the same, it was. */
#define CLEM_DPX_CHOICE(name, sign, W, H, order)                                                   \
    CLEM_BOTH W __##name##_##sign##32(W a, W b, bool *is_a)                                        \
    {                                                                                              \
        *is_a = a order b;                                                                         \
        return *is_a ? a : b;                                                                      \
    }                                                                                              \
    CLEM_BOTH unsigned int __##name##_##sign##16x2(unsigned int x, unsigned int y,                 \
                                                   bool *is_high_x, bool *is_low_x)                \
    {                                                                                              \
        *is_high_x = static_cast<H>(x >> 16) order static_cast<H>(y >> 16);                        \
        *is_low_x = static_cast<H>(x) order static_cast<H>(y);                                     \
        return ((*is_high_x ? x : y) & 0xffff0000u) | ((*is_low_x ? x : y) & 0xffffu);             \
    }
CLEM_DPX_CHOICE(vibmax, s, int, short, >=)
CLEM_DPX_CHOICE(vibmax, u, unsigned int, unsigned short, >=)
CLEM_DPX_CHOICE(vibmin, s, int, short, <=)
CLEM_DPX_CHOICE(vibmin, u, unsigned int, unsigned short, <=)
#undef CLEM_DPX_CHOICE

#undef CLEM_BOTH

#endif

#endif
