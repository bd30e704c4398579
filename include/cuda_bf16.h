/* cuda_bf16.h: bfloat16 numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "crt/device_functions.h"
#include "crt/small_float.h"
#include "cuda_fp16.h"
#include "vector_types.h"

#if defined(__cplusplus) && !defined(__CUDACC_RTC__)
#include <cstring>
#include <utility>
#endif

/* Host and device. Conversions round to nearest even unless their name says otherwise.
 *
 * Source: CUDA Math API Reference Manual 13.0, Bfloat16 Precision Intrinsics.
 */

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __nv_bfloat162_raw;

#if defined(__cplusplus)

#define CLEM_BOTH   static __inline__ __host__ __device__
#define CLEM_DEVICE static __inline__ __device__
#define CLEM_MEMBER __host__ __device__

struct __attribute__((aligned(2))) __nv_bfloat16 {
    __nv_bfloat16() = default;
    CLEM_MEMBER constexpr explicit __nv_bfloat16(clem_bits_t bits) : __x(bits.bits)
    {
    }
    CLEM_MEMBER constexpr __nv_bfloat16(const __nv_bfloat16_raw &raw) : __x(raw.x)
    {
    }
    CLEM_MEMBER explicit __nv_bfloat16(__half value)
        : __x(clem_bf16_from_float(clem_half_to_float(static_cast<__half_raw>(value).x)))
    {
    }
    CLEM_MEMBER __nv_bfloat16(float value) : __x(clem_bf16_from_float(value))
    {
    }
    CLEM_MEMBER __nv_bfloat16(double value) : __x(clem_bf16_from_double(value))
    {
    }
    CLEM_MEMBER __nv_bfloat16(short value) : __x(clem_bf16_from_double(static_cast<double>(value)))
    {
    }
    CLEM_MEMBER __nv_bfloat16(unsigned short value)
        : __x(clem_bf16_from_double(static_cast<double>(value)))
    {
    }
    CLEM_MEMBER __nv_bfloat16(int value) : __x(clem_bf16_from_double(static_cast<double>(value)))
    {
    }
    CLEM_MEMBER __nv_bfloat16(unsigned int value)
        : __x(clem_bf16_from_double(static_cast<double>(value)))
    {
    }
    CLEM_MEMBER __nv_bfloat16(long value) : __x(clem_bf16_from_integer(value, CLEM_NEAREST))
    {
    }
    CLEM_MEMBER __nv_bfloat16(unsigned long value)
        : __x(clem_bf16_from_integer(value, CLEM_NEAREST))
    {
    }
    CLEM_MEMBER __nv_bfloat16(long long value) : __x(clem_bf16_from_integer(value, CLEM_NEAREST))
    {
    }
    CLEM_MEMBER __nv_bfloat16(unsigned long long value)
        : __x(clem_bf16_from_integer(value, CLEM_NEAREST))
    {
    }
    CLEM_MEMBER operator __nv_bfloat16_raw() const
    {
        const __nv_bfloat16_raw raw = {__x};
        return raw;
    }
    CLEM_MEMBER operator float() const
    {
        return clem_bf16_to_float(__x);
    }
    CLEM_MEMBER explicit operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
    /* What the type cannot hold becomes its nearest number. */
    CLEM_TO_INTEGERS(clem_bf16_to_float(__x))
    unsigned short __x;
};

struct __attribute__((aligned(4))) __nv_bfloat162 {
    __nv_bfloat162() = default;
    CLEM_MEMBER constexpr __nv_bfloat162(const __nv_bfloat16 &low, const __nv_bfloat16 &high)
        : x(low), y(high)
    {
    }
    CLEM_MEMBER constexpr __nv_bfloat162(const __nv_bfloat162_raw &raw)
        : x(clem_bits_t{raw.x}), y(clem_bits_t{raw.y})
    {
    }
    CLEM_MEMBER operator __nv_bfloat162_raw() const
    {
        const __nv_bfloat162_raw raw = {x.__x, y.__x};
        return raw;
    }
    __nv_bfloat16 x, y;
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

CLEM_MEMBER inline __half::__half(__nv_bfloat16 value)
    : __x(clem_half_from_float(clem_bf16_to_float(value.__x)))
{
}

#define CUDART_INF_BF16        __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16        __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16   __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16       __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16        __ushort_as_bfloat16(0x3f80)

CLEM_BOTH unsigned short clem_bits(__nv_bfloat16 a)
{
    return a.__x;
}
CLEM_BOTH float clem_to_float(__nv_bfloat16 a)
{
    return clem_bf16_to_float(a.__x);
}
/* The second argument only says which type. */
CLEM_BOTH __nv_bfloat16 clem_from_float(float value, __nv_bfloat16)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_float(value)});
}

/* ---- conversions ----------------------------------------------------------------------------- */

CLEM_BOTH __nv_bfloat16 __float2bfloat16(float value)
{
    return __nv_bfloat16(value);
}
CLEM_BOTH __nv_bfloat16 __float2bfloat16_rn(float value)
{
    return __nv_bfloat16(value);
}
CLEM_BOTH __nv_bfloat16 __float2bfloat16_rz(float value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_float(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH __nv_bfloat16 __float2bfloat16_ru(float value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_float(value, CLEM_UP)});
}
CLEM_BOTH __nv_bfloat16 __float2bfloat16_rd(float value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_float(value, CLEM_DOWN)});
}
CLEM_BOTH __nv_bfloat16 __double2bfloat16(double value)
{
    return __nv_bfloat16(value);
}
CLEM_BOTH float __bfloat162float(__nv_bfloat16 value)
{
    return clem_to_float(value);
}
CLEM_BOTH __nv_bfloat162 __float2bfloat162_rn(float value)
{
    return __nv_bfloat162(__nv_bfloat16(value), __nv_bfloat16(value));
}
CLEM_BOTH __nv_bfloat162 __floats2bfloat162_rn(float low, float high)
{
    return __nv_bfloat162(__nv_bfloat16(low), __nv_bfloat16(high));
}
CLEM_BOTH __nv_bfloat162 __float22bfloat162_rn(float2 value)
{
    return __nv_bfloat162(__nv_bfloat16(value.x), __nv_bfloat16(value.y));
}
CLEM_BOTH float2 __bfloat1622float2(__nv_bfloat162 value)
{
    const float2 r = {clem_to_float(value.x), clem_to_float(value.y)};
    return r;
}
CLEM_BOTH __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 value)
{
    return __nv_bfloat162(value, value);
}
CLEM_BOTH __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
    return __nv_bfloat162(low, high);
}
CLEM_BOTH __nv_bfloat162 make_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high)
{
    return __nv_bfloat162(low, high);
}
CLEM_BOTH __nv_bfloat16 __low2bfloat16(__nv_bfloat162 value)
{
    return value.x;
}
CLEM_BOTH __nv_bfloat16 __high2bfloat16(__nv_bfloat162 value)
{
    return value.y;
}
CLEM_BOTH __nv_bfloat162 __low2bfloat162(__nv_bfloat162 value)
{
    return __nv_bfloat162(value.x, value.x);
}
CLEM_BOTH __nv_bfloat162 __high2bfloat162(__nv_bfloat162 value)
{
    return __nv_bfloat162(value.y, value.y);
}
CLEM_BOTH __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
CLEM_BOTH __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
}
CLEM_BOTH __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 value)
{
    return __nv_bfloat162(value.y, value.x);
}
CLEM_BOTH short __bfloat16_as_short(__nv_bfloat16 value)
{
    return static_cast<short>(value.__x);
}
CLEM_BOTH unsigned short __bfloat16_as_ushort(__nv_bfloat16 value)
{
    return value.__x;
}
CLEM_BOTH __nv_bfloat16 __short_as_bfloat16(short bits)
{
    return __nv_bfloat16(clem_bits_t{static_cast<unsigned short>(bits)});
}
CLEM_BOTH __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits)
{
    return __nv_bfloat16(clem_bits_t{bits});
}
CLEM_BOTH int __bfloat162int_rn(__nv_bfloat16 value)
{
    return clem_whole<int>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __nv_bfloat16 __int2bfloat16_rn(int value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH int __bfloat162int_rz(__nv_bfloat16 value)
{
    return clem_whole<int>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __nv_bfloat16 __int2bfloat16_rz(int value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH int __bfloat162int_ru(__nv_bfloat16 value)
{
    return clem_whole<int>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __nv_bfloat16 __int2bfloat16_ru(int value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_UP)});
}
CLEM_BOTH int __bfloat162int_rd(__nv_bfloat16 value)
{
    return clem_whole<int>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __nv_bfloat16 __int2bfloat16_rd(int value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH unsigned int __bfloat162uint_rn(__nv_bfloat16 value)
{
    return clem_whole<unsigned int>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __nv_bfloat16 __uint2bfloat16_rn(unsigned int value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH unsigned int __bfloat162uint_rz(__nv_bfloat16 value)
{
    return clem_whole<unsigned int>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __nv_bfloat16 __uint2bfloat16_rz(unsigned int value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH unsigned int __bfloat162uint_ru(__nv_bfloat16 value)
{
    return clem_whole<unsigned int>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __nv_bfloat16 __uint2bfloat16_ru(unsigned int value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_UP)});
}
CLEM_BOTH unsigned int __bfloat162uint_rd(__nv_bfloat16 value)
{
    return clem_whole<unsigned int>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __nv_bfloat16 __uint2bfloat16_rd(unsigned int value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH signed char __bfloat162char_rz(__nv_bfloat16 value)
{
    return clem_whole<signed char>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH unsigned char __bfloat162uchar_rz(__nv_bfloat16 value)
{
    return clem_whole<unsigned char>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH short __bfloat162short_rn(__nv_bfloat16 value)
{
    return clem_whole<short>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __nv_bfloat16 __short2bfloat16_rn(short value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH short __bfloat162short_rz(__nv_bfloat16 value)
{
    return clem_whole<short>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __nv_bfloat16 __short2bfloat16_rz(short value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH short __bfloat162short_ru(__nv_bfloat16 value)
{
    return clem_whole<short>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __nv_bfloat16 __short2bfloat16_ru(short value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_UP)});
}
CLEM_BOTH short __bfloat162short_rd(__nv_bfloat16 value)
{
    return clem_whole<short>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __nv_bfloat16 __short2bfloat16_rd(short value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH unsigned short __bfloat162ushort_rn(__nv_bfloat16 value)
{
    return clem_whole<unsigned short>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __nv_bfloat16 __ushort2bfloat16_rn(unsigned short value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH unsigned short __bfloat162ushort_rz(__nv_bfloat16 value)
{
    return clem_whole<unsigned short>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __nv_bfloat16 __ushort2bfloat16_rz(unsigned short value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH unsigned short __bfloat162ushort_ru(__nv_bfloat16 value)
{
    return clem_whole<unsigned short>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __nv_bfloat16 __ushort2bfloat16_ru(unsigned short value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_UP)});
}
CLEM_BOTH unsigned short __bfloat162ushort_rd(__nv_bfloat16 value)
{
    return clem_whole<unsigned short>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __nv_bfloat16 __ushort2bfloat16_rd(unsigned short value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH long long __bfloat162ll_rn(__nv_bfloat16 value)
{
    return clem_whole<long long>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __nv_bfloat16 __ll2bfloat16_rn(long long value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH long long __bfloat162ll_rz(__nv_bfloat16 value)
{
    return clem_whole<long long>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __nv_bfloat16 __ll2bfloat16_rz(long long value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH long long __bfloat162ll_ru(__nv_bfloat16 value)
{
    return clem_whole<long long>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __nv_bfloat16 __ll2bfloat16_ru(long long value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_UP)});
}
CLEM_BOTH long long __bfloat162ll_rd(__nv_bfloat16 value)
{
    return clem_whole<long long>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __nv_bfloat16 __ll2bfloat16_rd(long long value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH unsigned long long __bfloat162ull_rn(__nv_bfloat16 value)
{
    return clem_whole<unsigned long long>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __nv_bfloat16 __ull2bfloat16_rn(unsigned long long value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH unsigned long long __bfloat162ull_rz(__nv_bfloat16 value)
{
    return clem_whole<unsigned long long>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __nv_bfloat16 __ull2bfloat16_rz(unsigned long long value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH unsigned long long __bfloat162ull_ru(__nv_bfloat16 value)
{
    return clem_whole<unsigned long long>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __nv_bfloat16 __ull2bfloat16_ru(unsigned long long value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_UP)});
}
CLEM_BOTH unsigned long long __bfloat162ull_rd(__nv_bfloat16 value)
{
    return clem_whole<unsigned long long>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __nv_bfloat16 __ull2bfloat16_rd(unsigned long long value)
{
    return __nv_bfloat16(clem_bits_t{clem_bf16_from_integer(value, CLEM_DOWN)});
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

CLEM_BOTH __nv_bfloat16 clem_add(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return clem_from_float(clem_to_float(a) + clem_to_float(b), __nv_bfloat16());
}
CLEM_BOTH __nv_bfloat162 clem_add(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(clem_add(a.x, b.x), clem_add(a.y, b.y));
}
CLEM_BOTH __nv_bfloat16 clem_sub(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return clem_from_float(clem_to_float(a) - clem_to_float(b), __nv_bfloat16());
}
CLEM_BOTH __nv_bfloat162 clem_sub(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(clem_sub(a.x, b.x), clem_sub(a.y, b.y));
}
CLEM_BOTH __nv_bfloat16 clem_mul(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return clem_from_float(clem_to_float(a) * clem_to_float(b), __nv_bfloat16());
}
CLEM_BOTH __nv_bfloat162 clem_mul(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(clem_mul(a.x, b.x), clem_mul(a.y, b.y));
}
CLEM_BOTH __nv_bfloat16 clem_fma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
    return __nv_bfloat16(clem_bits_t{
        clem_bf16_from_double(clem_odd_fma(clem_to_float(a), clem_to_float(b), clem_to_float(c)))});
}
CLEM_BOTH __nv_bfloat162 clem_fma(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c)
{
    return __nv_bfloat162(clem_fma(a.x, b.x, c.x), clem_fma(a.y, b.y, c.y));
}

#define CLEM_H  __nv_bfloat16
#define CLEM_H2 __nv_bfloat162
#include "crt/small_float_functions.h"
#undef CLEM_H
#undef CLEM_H2

#undef CLEM_MEMBER
#undef CLEM_BOTH
#undef CLEM_DEVICE

#endif

#endif
