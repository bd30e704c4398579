/* cuda_fp16.h: half precision numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "crt/device_functions.h"
#include "crt/small_float.h"
#include "vector_types.h"

#if defined(__cplusplus) && !defined(__CUDACC_RTC__)
#include <cstring>
#include <utility>
#endif

/* Host and device. Conversions round to nearest even unless their name says otherwise.
 *
 * Source: CUDA Math API Reference Manual 13.0, Half Precision Intrinsics.
 */

typedef struct __attribute__((aligned(2))) {
    unsigned short x;
} __half_raw;
typedef struct __attribute__((aligned(4))) {
    unsigned short x, y;
} __half2_raw;

#if defined(__cplusplus)

#define CLEM_BOTH   static __inline__ __host__ __device__
#define CLEM_DEVICE static __inline__ __device__
#define CLEM_MEMBER __host__ __device__

struct __nv_bfloat16;

struct __attribute__((aligned(2))) __half {
    __half() = default;
    CLEM_MEMBER explicit __half(__nv_bfloat16 value); /* of cuda_bf16.h */
    CLEM_MEMBER constexpr explicit __half(clem_bits_t bits) : __x(bits.bits)
    {
    }
    CLEM_MEMBER constexpr __half(const __half_raw &raw) : __x(raw.x)
    {
    }
    CLEM_MEMBER __half(float value) : __x(clem_half_from_float(value))
    {
    }
    CLEM_MEMBER __half(double value) : __x(clem_half_from_double(value))
    {
    }
    CLEM_MEMBER __half(short value) : __x(clem_half_from_double(static_cast<double>(value)))
    {
    }
    CLEM_MEMBER __half(unsigned short value)
        : __x(clem_half_from_double(static_cast<double>(value)))
    {
    }
    CLEM_MEMBER __half(int value) : __x(clem_half_from_double(static_cast<double>(value)))
    {
    }
    CLEM_MEMBER __half(unsigned int value) : __x(clem_half_from_double(static_cast<double>(value)))
    {
    }
    CLEM_MEMBER __half(long value) : __x(clem_half_from_integer(value, CLEM_NEAREST))
    {
    }
    CLEM_MEMBER __half(unsigned long value) : __x(clem_half_from_integer(value, CLEM_NEAREST))
    {
    }
    CLEM_MEMBER __half(long long value) : __x(clem_half_from_integer(value, CLEM_NEAREST))
    {
    }
    CLEM_MEMBER __half(unsigned long long value) : __x(clem_half_from_integer(value, CLEM_NEAREST))
    {
    }
    CLEM_MEMBER operator __half_raw() const
    {
        const __half_raw raw = {__x};
        return raw;
    }
    CLEM_MEMBER operator float() const
    {
        return clem_half_to_float(__x);
    }
    CLEM_MEMBER explicit operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
    /* What the type cannot hold becomes its nearest number. */
    CLEM_TO_INTEGERS(clem_half_to_float(__x))
    unsigned short __x;
};

struct __attribute__((aligned(4))) __half2 {
    __half2() = default;
    CLEM_MEMBER constexpr __half2(const __half &low, const __half &high) : x(low), y(high)
    {
    }
    CLEM_MEMBER constexpr __half2(const __half2_raw &raw)
        : x(clem_bits_t{raw.x}), y(clem_bits_t{raw.y})
    {
    }
    CLEM_MEMBER operator __half2_raw() const
    {
        const __half2_raw raw = {x.__x, y.__x};
        return raw;
    }
    __half x, y;
};

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

#define CUDART_INF_FP16        __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16        __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16   __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16       __ushort_as_half(0x0000)
#define CUDART_ONE_FP16        __ushort_as_half(0x3c00)

CLEM_BOTH unsigned short clem_bits(__half a)
{
    return a.__x;
}
CLEM_BOTH float clem_to_float(__half a)
{
    return clem_half_to_float(a.__x);
}
/* The second argument only says which type. */
CLEM_BOTH __half clem_from_float(float value, __half)
{
    return __half(clem_bits_t{clem_half_from_float(value)});
}

/* ---- conversions ----------------------------------------------------------------------------- */

CLEM_BOTH __half __float2half(float value)
{
    return __half(value);
}
CLEM_BOTH __half __float2half_rn(float value)
{
    return __half(value);
}
CLEM_BOTH __half __float2half_rz(float value)
{
    return __half(clem_bits_t{clem_half_from_float(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH __half __float2half_ru(float value)
{
    return __half(clem_bits_t{clem_half_from_float(value, CLEM_UP)});
}
CLEM_BOTH __half __float2half_rd(float value)
{
    return __half(clem_bits_t{clem_half_from_float(value, CLEM_DOWN)});
}
CLEM_BOTH __half __double2half(double value)
{
    return __half(value);
}
CLEM_BOTH float __half2float(__half value)
{
    return clem_to_float(value);
}
CLEM_BOTH __half2 __float2half2_rn(float value)
{
    return __half2(__half(value), __half(value));
}
CLEM_BOTH __half2 __floats2half2_rn(float low, float high)
{
    return __half2(__half(low), __half(high));
}
CLEM_BOTH __half2 __float22half2_rn(float2 value)
{
    return __half2(__half(value.x), __half(value.y));
}
CLEM_BOTH float2 __half22float2(__half2 value)
{
    const float2 r = {clem_to_float(value.x), clem_to_float(value.y)};
    return r;
}
CLEM_BOTH __half2 __half2half2(__half value)
{
    return __half2(value, value);
}
CLEM_BOTH __half2 __halves2half2(__half low, __half high)
{
    return __half2(low, high);
}
CLEM_BOTH __half2 make_half2(__half low, __half high)
{
    return __half2(low, high);
}
CLEM_BOTH __half __low2half(__half2 value)
{
    return value.x;
}
CLEM_BOTH __half __high2half(__half2 value)
{
    return value.y;
}
CLEM_BOTH __half2 __low2half2(__half2 value)
{
    return __half2(value.x, value.x);
}
CLEM_BOTH __half2 __high2half2(__half2 value)
{
    return __half2(value.y, value.y);
}
CLEM_BOTH __half2 __lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
CLEM_BOTH __half2 __highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
CLEM_BOTH __half2 __lowhigh2highlow(__half2 value)
{
    return __half2(value.y, value.x);
}
CLEM_BOTH short __half_as_short(__half value)
{
    return static_cast<short>(value.__x);
}
CLEM_BOTH unsigned short __half_as_ushort(__half value)
{
    return value.__x;
}
CLEM_BOTH __half __short_as_half(short bits)
{
    return __half(clem_bits_t{static_cast<unsigned short>(bits)});
}
CLEM_BOTH __half __ushort_as_half(unsigned short bits)
{
    return __half(clem_bits_t{bits});
}
CLEM_BOTH int __half2int_rn(__half value)
{
    return clem_whole<int>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __half __int2half_rn(int value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH int __half2int_rz(__half value)
{
    return clem_whole<int>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __half __int2half_rz(int value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH int __half2int_ru(__half value)
{
    return clem_whole<int>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __half __int2half_ru(int value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_UP)});
}
CLEM_BOTH int __half2int_rd(__half value)
{
    return clem_whole<int>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __half __int2half_rd(int value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH unsigned int __half2uint_rn(__half value)
{
    return clem_whole<unsigned int>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __half __uint2half_rn(unsigned int value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH unsigned int __half2uint_rz(__half value)
{
    return clem_whole<unsigned int>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __half __uint2half_rz(unsigned int value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH unsigned int __half2uint_ru(__half value)
{
    return clem_whole<unsigned int>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __half __uint2half_ru(unsigned int value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_UP)});
}
CLEM_BOTH unsigned int __half2uint_rd(__half value)
{
    return clem_whole<unsigned int>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __half __uint2half_rd(unsigned int value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH signed char __half2char_rz(__half value)
{
    return clem_whole<signed char>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH unsigned char __half2uchar_rz(__half value)
{
    return clem_whole<unsigned char>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH short __half2short_rn(__half value)
{
    return clem_whole<short>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __half __short2half_rn(short value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH short __half2short_rz(__half value)
{
    return clem_whole<short>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __half __short2half_rz(short value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH short __half2short_ru(__half value)
{
    return clem_whole<short>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __half __short2half_ru(short value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_UP)});
}
CLEM_BOTH short __half2short_rd(__half value)
{
    return clem_whole<short>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __half __short2half_rd(short value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH unsigned short __half2ushort_rn(__half value)
{
    return clem_whole<unsigned short>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __half __ushort2half_rn(unsigned short value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH unsigned short __half2ushort_rz(__half value)
{
    return clem_whole<unsigned short>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __half __ushort2half_rz(unsigned short value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH unsigned short __half2ushort_ru(__half value)
{
    return clem_whole<unsigned short>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __half __ushort2half_ru(unsigned short value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_UP)});
}
CLEM_BOTH unsigned short __half2ushort_rd(__half value)
{
    return clem_whole<unsigned short>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __half __ushort2half_rd(unsigned short value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH long long __half2ll_rn(__half value)
{
    return clem_whole<long long>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __half __ll2half_rn(long long value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH long long __half2ll_rz(__half value)
{
    return clem_whole<long long>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __half __ll2half_rz(long long value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH long long __half2ll_ru(__half value)
{
    return clem_whole<long long>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __half __ll2half_ru(long long value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_UP)});
}
CLEM_BOTH long long __half2ll_rd(__half value)
{
    return clem_whole<long long>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __half __ll2half_rd(long long value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_DOWN)});
}
CLEM_BOTH unsigned long long __half2ull_rn(__half value)
{
    return clem_whole<unsigned long long>(clem_to_float(value), CLEM_NEAREST);
}
CLEM_BOTH __half __ull2half_rn(unsigned long long value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_NEAREST)});
}
CLEM_BOTH unsigned long long __half2ull_rz(__half value)
{
    return clem_whole<unsigned long long>(clem_to_float(value), CLEM_TOWARD_ZERO);
}
CLEM_BOTH __half __ull2half_rz(unsigned long long value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_TOWARD_ZERO)});
}
CLEM_BOTH unsigned long long __half2ull_ru(__half value)
{
    return clem_whole<unsigned long long>(clem_to_float(value), CLEM_UP);
}
CLEM_BOTH __half __ull2half_ru(unsigned long long value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_UP)});
}
CLEM_BOTH unsigned long long __half2ull_rd(__half value)
{
    return clem_whole<unsigned long long>(clem_to_float(value), CLEM_DOWN);
}
CLEM_BOTH __half __ull2half_rd(unsigned long long value)
{
    return __half(clem_bits_t{clem_half_from_integer(value, CLEM_DOWN)});
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

CLEM_BOTH __half clem_add(__half a, __half b)
{
#if defined(__CUDA_ARCH__)
    __half r;
    __asm__("add.rn.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x));
    return r;
#else
    return clem_from_float(clem_to_float(a) + clem_to_float(b), __half());
#endif
}
CLEM_BOTH __half2 clem_add(__half2 a, __half2 b)
{
#if defined(__CUDA_ARCH__)
    unsigned int r;
    __asm__("add.rn.f16x2 %0, %1, %2;"
            : "=r"(r)
            : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)));
    return __builtin_bit_cast(__half2, r);
#else
    return __half2(clem_add(a.x, b.x), clem_add(a.y, b.y));
#endif
}
CLEM_BOTH __half clem_sub(__half a, __half b)
{
#if defined(__CUDA_ARCH__)
    __half r;
    __asm__("sub.rn.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x));
    return r;
#else
    return clem_from_float(clem_to_float(a) - clem_to_float(b), __half());
#endif
}
CLEM_BOTH __half2 clem_sub(__half2 a, __half2 b)
{
#if defined(__CUDA_ARCH__)
    unsigned int r;
    __asm__("sub.rn.f16x2 %0, %1, %2;"
            : "=r"(r)
            : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)));
    return __builtin_bit_cast(__half2, r);
#else
    return __half2(clem_sub(a.x, b.x), clem_sub(a.y, b.y));
#endif
}
CLEM_BOTH __half clem_mul(__half a, __half b)
{
#if defined(__CUDA_ARCH__)
    __half r;
    __asm__("mul.rn.f16 %0, %1, %2;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x));
    return r;
#else
    return clem_from_float(clem_to_float(a) * clem_to_float(b), __half());
#endif
}
CLEM_BOTH __half2 clem_mul(__half2 a, __half2 b)
{
#if defined(__CUDA_ARCH__)
    unsigned int r;
    __asm__("mul.rn.f16x2 %0, %1, %2;"
            : "=r"(r)
            : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)));
    return __builtin_bit_cast(__half2, r);
#else
    return __half2(clem_mul(a.x, b.x), clem_mul(a.y, b.y));
#endif
}
CLEM_BOTH __half clem_fma(__half a, __half b, __half c)
{
#if defined(__CUDA_ARCH__)
    __half r;
    __asm__("fma.rn.f16 %0, %1, %2, %3;" : "=h"(r.__x) : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return r;
#else
    return __half(clem_bits_t{
        clem_half_from_double(clem_odd_fma(clem_to_float(a), clem_to_float(b), clem_to_float(c)))});
#endif
}
CLEM_BOTH __half2 clem_fma(__half2 a, __half2 b, __half2 c)
{
#if defined(__CUDA_ARCH__)
    unsigned int r;
    __asm__("fma.rn.f16x2 %0, %1, %2, %3;"
            : "=r"(r)
            : "r"(__builtin_bit_cast(unsigned int, a)), "r"(__builtin_bit_cast(unsigned int, b)),
              "r"(__builtin_bit_cast(unsigned int, c)));
    return __builtin_bit_cast(__half2, r);
#else
    return __half2(clem_fma(a.x, b.x, c.x), clem_fma(a.y, b.y, c.y));
#endif
}

#define CLEM_H  __half
#define CLEM_H2 __half2
#include "crt/small_float_functions.h"
#undef CLEM_H
#undef CLEM_H2

#undef CLEM_MEMBER
#undef CLEM_BOTH
#undef CLEM_DEVICE

#endif

#endif
