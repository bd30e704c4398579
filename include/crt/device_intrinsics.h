/* device_intrinsics.h: arithmetic with a rounding of its own, conversions, bits of numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_INTRINSICS_H
#define CLEM_CRT_DEVICE_INTRINSICS_H

#include "../device_types.h"
#include "device_runtime.h"

/* An instruction each, so that no two of them are fused.
 *
 * Source: CUDA Math API Reference Manual 13.0, Single Precision Intrinsics, Double Precision
 * Intrinsics, Type Casting Intrinsics.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))

#if defined(__CUDA_FTZ) && __CUDA_FTZ
#define CLEM_FTZ ".ftz"
#else
#define CLEM_FTZ ""
#endif

/* ---- arithmetic ------------------------------------------------------------------------------ */

#define CLEM_ROUND_1(name, instruction, T, c)                                                      \
    CLEM_DEVICE T name(T x)                                                                        \
    {                                                                                              \
        T r;                                                                                       \
        __asm__(instruction " %0, %1;" : "=" c(r) : c(x));                                         \
        return r;                                                                                  \
    }
#define CLEM_ROUND_2(name, instruction, T, c)                                                      \
    CLEM_DEVICE T name(T x, T y)                                                                   \
    {                                                                                              \
        T r;                                                                                       \
        __asm__(instruction " %0, %1, %2;" : "=" c(r) : c(x), c(y));                               \
        return r;                                                                                  \
    }
#define CLEM_ROUND_3(name, instruction, T, c)                                                      \
    CLEM_DEVICE T name(T x, T y, T z)                                                              \
    {                                                                                              \
        T r;                                                                                       \
        __asm__(instruction " %0, %1, %2, %3;" : "=" c(r) : c(x), c(y), c(z));                     \
        return r;                                                                                  \
    }
#define CLEM_ROUND(suffix, mode)                                                                   \
    CLEM_ROUND_2(__fadd_##suffix, "add." mode CLEM_FTZ ".f32", float, "f")                         \
    CLEM_ROUND_2(__fsub_##suffix, "sub." mode CLEM_FTZ ".f32", float, "f")                         \
    CLEM_ROUND_2(__fmul_##suffix, "mul." mode CLEM_FTZ ".f32", float, "f")                         \
    CLEM_ROUND_2(__fdiv_##suffix, "div." mode CLEM_FTZ ".f32", float, "f")                         \
    CLEM_ROUND_3(__fmaf_##suffix, "fma." mode CLEM_FTZ ".f32", float, "f")                         \
    CLEM_ROUND_3(__fmaf_ieee_##suffix, "fma." mode ".f32", float, "f")                             \
    CLEM_ROUND_1(__frcp_##suffix, "rcp." mode CLEM_FTZ ".f32", float, "f")                         \
    CLEM_ROUND_1(__fsqrt_##suffix, "sqrt." mode CLEM_FTZ ".f32", float, "f")                       \
    CLEM_ROUND_2(__dadd_##suffix, "add." mode ".f64", double, "d")                                 \
    CLEM_ROUND_2(__dsub_##suffix, "sub." mode ".f64", double, "d")                                 \
    CLEM_ROUND_2(__dmul_##suffix, "mul." mode ".f64", double, "d")                                 \
    CLEM_ROUND_2(__ddiv_##suffix, "div." mode ".f64", double, "d")                                 \
    CLEM_ROUND_3(__fma_##suffix, "fma." mode ".f64", double, "d")                                  \
    CLEM_ROUND_1(__drcp_##suffix, "rcp." mode ".f64", double, "d")                                 \
    CLEM_ROUND_1(__dsqrt_##suffix, "sqrt." mode ".f64", double, "d")
CLEM_ROUND(rn, "rn")
CLEM_ROUND(rz, "rz")
CLEM_ROUND(ru, "rp")
CLEM_ROUND(rd, "rm")
#undef CLEM_ROUND
#undef CLEM_ROUND_1
#undef CLEM_ROUND_2
#undef CLEM_ROUND_3

CLEM_DEVICE float __frsqrt_rn(float x)
{
    return static_cast<float>(__drcp_rn(__dsqrt_rn(static_cast<double>(x))));
}

/* ---- conversions ----------------------------------------------------------------------------- */

#define CLEM_CONVERSION(name, instruction, R, cr, T, ct)                                           \
    CLEM_DEVICE R name(T x)                                                                        \
    {                                                                                              \
        R r;                                                                                       \
        __asm__("cvt." instruction " %0, %1;" : "=" cr(r) : ct(x));                                \
        return r;                                                                                  \
    }
/* mode: of roundings to floating point, whole: of those to integers */
#define CLEM_CONVERSIONS(suffix, mode, whole)                                                      \
    CLEM_CONVERSION(__float2int_##suffix, whole CLEM_FTZ ".s32.f32", int, "r", float, "f")         \
    CLEM_CONVERSION(__float2uint_##suffix, whole CLEM_FTZ ".u32.f32", unsigned int, "r", float,    \
                    "f")                                                                           \
    CLEM_CONVERSION(__float2ll_##suffix, whole CLEM_FTZ ".s64.f32", long long, "l", float, "f")    \
    CLEM_CONVERSION(__float2ull_##suffix, whole CLEM_FTZ ".u64.f32", unsigned long long, "l",      \
                    float, "f")                                                                    \
    CLEM_CONVERSION(__double2int_##suffix, whole ".s32.f64", int, "r", double, "d")                \
    CLEM_CONVERSION(__double2uint_##suffix, whole ".u32.f64", unsigned int, "r", double, "d")      \
    CLEM_CONVERSION(__double2ll_##suffix, whole ".s64.f64", long long, "l", double, "d")           \
    CLEM_CONVERSION(__double2ull_##suffix, whole ".u64.f64", unsigned long long, "l", double, "d") \
    CLEM_CONVERSION(__double2float_##suffix, mode CLEM_FTZ ".f32.f64", float, "f", double, "d")    \
    CLEM_CONVERSION(__int2float_##suffix, mode ".f32.s32", float, "f", int, "r")                   \
    CLEM_CONVERSION(__uint2float_##suffix, mode ".f32.u32", float, "f", unsigned int, "r")         \
    CLEM_CONVERSION(__ll2float_##suffix, mode ".f32.s64", float, "f", long long, "l")              \
    CLEM_CONVERSION(__ull2float_##suffix, mode ".f32.u64", float, "f", unsigned long long, "l")    \
    CLEM_CONVERSION(__int2double_##suffix, mode ".f64.s32", double, "d", int, "r")                 \
    CLEM_CONVERSION(__uint2double_##suffix, mode ".f64.u32", double, "d", unsigned int, "r")       \
    CLEM_CONVERSION(__ll2double_##suffix, mode ".f64.s64", double, "d", long long, "l")            \
    CLEM_CONVERSION(__ull2double_##suffix, mode ".f64.u64", double, "d", unsigned long long, "l")
CLEM_CONVERSIONS(rn, "rn", "rni")
CLEM_CONVERSIONS(rz, "rz", "rzi")
CLEM_CONVERSIONS(ru, "rp", "rpi")
CLEM_CONVERSIONS(rd, "rm", "rmi")
#undef CLEM_CONVERSIONS
#undef CLEM_CONVERSION
#undef CLEM_FTZ

/* ---- bits ------------------------------------------------------------------------------------ */

#define CLEM_SAME_BITS(name, R, T)                                                                 \
    CLEM_DEVICE R name(T x)                                                                        \
    {                                                                                              \
        return __builtin_bit_cast(R, x);                                                           \
    }
CLEM_SAME_BITS(__float_as_int, int, float)
CLEM_SAME_BITS(__float_as_uint, unsigned int, float)
CLEM_SAME_BITS(__int_as_float, float, int)
CLEM_SAME_BITS(__uint_as_float, float, unsigned int)
CLEM_SAME_BITS(__double_as_longlong, long long, double)
CLEM_SAME_BITS(__longlong_as_double, double, long long)
#undef CLEM_SAME_BITS

CLEM_DEVICE int __double2hiint(double x)
{
    return static_cast<int>(__double_as_longlong(x) >> 32);
}
CLEM_DEVICE int __double2loint(double x)
{
    return static_cast<int>(__double_as_longlong(x));
}
CLEM_DEVICE double __hiloint2double(int high, int low)
{
    const unsigned long long bits = static_cast<unsigned long long>(static_cast<unsigned>(high))
                                        << 32 |
                                    static_cast<unsigned>(low);
    return __builtin_bit_cast(double, bits);
}

/* Names that CUDA keeps from its first versions. */
CLEM_DEVICE float int_as_float(int x)
{
    return __int_as_float(x);
}
CLEM_DEVICE int float_as_int(float x)
{
    return __float_as_int(x);
}
CLEM_DEVICE int float2int(float x, cudaRoundMode mode = cudaRoundZero)
{
    return mode == cudaRoundNearest  ? __float2int_rn(x)
           : mode == cudaRoundPosInf ? __float2int_ru(x)
           : mode == cudaRoundMinInf ? __float2int_rd(x)
                                     : __float2int_rz(x);
}
CLEM_DEVICE float saturate(float x)
{
    return __saturatef(x);
}

#undef CLEM_DEVICE

#endif

#endif
