/* cuda_fp8.h: floats of 8 bits. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

/* e4m3: 3 bits behind the point, up to 448, no infinity; e5m2: 2 bits, up to 57,344. Host and device. Conversions round to nearest
 * even; __NV_SATFINITE makes of what is too large the largest number, __NV_NOSAT infinity, or NaN where there is none. The
 * constructors saturate. Pairs and fours have their first element in the lowest bits.
 *
 * Source: CUDA Math API Reference Manual 13.0, FP8 Intrinsics. Its e8m0, which is a power of two, is not here.
 */

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#if defined(__cplusplus)

#define CLEM_BOTH   static __inline__ __host__ __device__
#define CLEM_MEMBER __host__ __device__

/* ---- conversions ----------------------------------------------------------------------------- */

CLEM_BOTH __nv_fp8_storage_t __nv_cvt_double_to_fp8(double value, __nv_saturation_t saturation,
                                                    __nv_fp8_interpretation_t kind)
{
    const unsigned long long bits = clem_same_bits<unsigned long long>(value);
    const bool is_e4m3 = kind == __NV_E4M3;
    const unsigned sign = bits >> 63 ? 0x80u : 0u, most = is_e4m3 ? 0x7eu : 0x7bu;
    if (value != value)
        return static_cast<__nv_fp8_storage_t>(sign | 0x7eu | (is_e4m3 ? 1u : bits >> 50 & 1u));
    unsigned long long size = is_e4m3 ? clem_small_size(value, 3, 7, CLEM_NEAREST)
                                      : clem_small_size(value, 2, 15, CLEM_NEAREST);
    if (size > most)
        size = saturation == __NV_SATFINITE ? most : most + 1;
    return static_cast<__nv_fp8_storage_t>(sign | size);
}
CLEM_BOTH __nv_fp8_storage_t __nv_cvt_float_to_fp8(float value, __nv_saturation_t saturation,
                                                   __nv_fp8_interpretation_t kind)
{
    if (value != value)
        return 0x7f;
    return __nv_cvt_double_to_fp8(static_cast<double>(value), saturation, kind);
}
CLEM_BOTH __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw value, __nv_saturation_t saturation,
                                                     __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(clem_half_to_float(value.x), saturation, kind);
}
CLEM_BOTH __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw value,
                                                         __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(clem_bf16_to_float(value.x), saturation, kind);
}
CLEM_BOTH __nv_fp8x2_storage_t clem_fp8_pair(__nv_fp8_storage_t low, __nv_fp8_storage_t high)
{
    return static_cast<__nv_fp8x2_storage_t>(low | high << 8);
}
CLEM_BOTH __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(double2 value,
                                                         __nv_saturation_t saturation,
                                                         __nv_fp8_interpretation_t kind)
{
    return clem_fp8_pair(__nv_cvt_double_to_fp8(value.x, saturation, kind),
                         __nv_cvt_double_to_fp8(value.y, saturation, kind));
}
CLEM_BOTH __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 value, __nv_saturation_t saturation,
                                                        __nv_fp8_interpretation_t kind)
{
    return clem_fp8_pair(__nv_cvt_float_to_fp8(value.x, saturation, kind),
                         __nv_cvt_float_to_fp8(value.y, saturation, kind));
}
CLEM_BOTH __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw value,
                                                          __nv_saturation_t saturation,
                                                          __nv_fp8_interpretation_t kind)
{
    return clem_fp8_pair(__nv_cvt_float_to_fp8(clem_half_to_float(value.x), saturation, kind),
                         __nv_cvt_float_to_fp8(clem_half_to_float(value.y), saturation, kind));
}
CLEM_BOTH __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw value,
                                                              __nv_saturation_t saturation,
                                                              __nv_fp8_interpretation_t kind)
{
    return clem_fp8_pair(__nv_cvt_float_to_fp8(clem_bf16_to_float(value.x), saturation, kind),
                         __nv_cvt_float_to_fp8(clem_bf16_to_float(value.y), saturation, kind));
}

/* Exact. */
CLEM_BOTH __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t value,
                                             __nv_fp8_interpretation_t kind)
{
    const unsigned sign = (value & 0x80u) << 8, size = value & 0x7fu;
    unsigned bits = sign | size << 8;
    if (kind == __NV_E4M3)
        bits = sign | (size >= 8 ? (size << 7) + 0x2000u
                                 : clem_half_from_float(static_cast<float>(size) * 0.001953125f));
    if (size > (kind == __NV_E4M3 ? 0x7eu : 0x7cu))
        bits = 0x7fff;
    const __half_raw r = {static_cast<unsigned short>(bits)};
    return r;
}
CLEM_BOTH __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t value,
                                                 __nv_fp8_interpretation_t kind)
{
    const __half2_raw r = {
        __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(value & 0xff), kind).x,
        __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(value >> 8), kind).x};
    return r;
}

CLEM_BOTH float clem_fp8_to_float(__nv_fp8_storage_t value, __nv_fp8_interpretation_t kind)
{
    return clem_half_to_float(__nv_cvt_fp8_to_halfraw(value, kind).x);
}

/* ---- types ----------------------------------------------------------------------------------- */

#define CLEM_FP8      __nv_fp8_e4m3
#define CLEM_FP8X2    __nv_fp8x2_e4m3
#define CLEM_FP8X4    __nv_fp8x4_e4m3
#define CLEM_FP8_KIND __NV_E4M3
#include "crt/fp8_types.h"
#define CLEM_FP8      __nv_fp8_e5m2
#define CLEM_FP8X2    __nv_fp8x2_e5m2
#define CLEM_FP8X4    __nv_fp8x4_e5m2
#define CLEM_FP8_KIND __NV_E5M2
#include "crt/fp8_types.h"

#undef CLEM_MEMBER
#undef CLEM_BOTH

#endif

#endif
