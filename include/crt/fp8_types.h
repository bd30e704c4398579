/* fp8_types.h: one kind of floats of 8 bits, alone, two and four of them; for each kind cuda_fp8.h includes it again. */
/* SPDX-License-Identifier: Apache-2.0 */
#if defined(CLEM_FP8)

struct CLEM_FP8 {
    CLEM_FP8() = default;
#define CLEM_FROM(type, function, argument)                                                        \
    CLEM_MEMBER explicit CLEM_FP8(const type value)                                                \
        : __x(function(argument, __NV_SATFINITE, CLEM_FP8_KIND))                                   \
    {                                                                                              \
    }
    CLEM_FROM(__half, __nv_cvt_halfraw_to_fp8, static_cast<__half_raw>(value))
    CLEM_FROM(__nv_bfloat16, __nv_cvt_bfloat16raw_to_fp8, static_cast<__nv_bfloat16_raw>(value))
    CLEM_FROM(float, __nv_cvt_float_to_fp8, value)
    CLEM_FROM(double, __nv_cvt_double_to_fp8, value)
    CLEM_FROM(short, __nv_cvt_double_to_fp8, static_cast<double>(value))
    CLEM_FROM(unsigned short, __nv_cvt_double_to_fp8, static_cast<double>(value))
    CLEM_FROM(int, __nv_cvt_double_to_fp8, static_cast<double>(value))
    CLEM_FROM(unsigned int, __nv_cvt_double_to_fp8, static_cast<double>(value))
    CLEM_FROM(long, __nv_cvt_double_to_fp8, static_cast<double>(value))
    CLEM_FROM(unsigned long, __nv_cvt_double_to_fp8, static_cast<double>(value))
    CLEM_FROM(long long, __nv_cvt_double_to_fp8, static_cast<double>(value))
    CLEM_FROM(unsigned long long, __nv_cvt_double_to_fp8, static_cast<double>(value))
#undef CLEM_FROM
    CLEM_MEMBER explicit operator __half() const
    {
        return __half(__nv_cvt_fp8_to_halfraw(__x, CLEM_FP8_KIND));
    }
    CLEM_MEMBER explicit operator __nv_bfloat16() const
    {
        return __nv_bfloat16(clem_fp8_to_float(__x, CLEM_FP8_KIND));
    }
    CLEM_MEMBER explicit operator float() const
    {
        return clem_fp8_to_float(__x, CLEM_FP8_KIND);
    }
    CLEM_MEMBER explicit operator double() const
    {
        return static_cast<double>(clem_fp8_to_float(__x, CLEM_FP8_KIND));
    }
    CLEM_MEMBER explicit operator bool() const
    {
        return (__x & 0x7f) != 0;
    }
    /* What the type cannot hold becomes its nearest number. */
    CLEM_TO_INTEGERS(clem_fp8_to_float(__x, CLEM_FP8_KIND))
    __nv_fp8_storage_t __x;
};

struct __attribute__((aligned(2))) CLEM_FP8X2 {
    CLEM_FP8X2() = default;
    CLEM_MEMBER explicit CLEM_FP8X2(const __half2 value)
        : __x(__nv_cvt_halfraw2_to_fp8x2(static_cast<__half2_raw>(value), __NV_SATFINITE,
                                         CLEM_FP8_KIND))
    {
    }
    CLEM_MEMBER explicit CLEM_FP8X2(const __nv_bfloat162 value)
        : __x(__nv_cvt_bfloat16raw2_to_fp8x2(static_cast<__nv_bfloat162_raw>(value), __NV_SATFINITE,
                                             CLEM_FP8_KIND))
    {
    }
    CLEM_MEMBER explicit CLEM_FP8X2(const float2 value)
        : __x(__nv_cvt_float2_to_fp8x2(value, __NV_SATFINITE, CLEM_FP8_KIND))
    {
    }
    CLEM_MEMBER explicit CLEM_FP8X2(const double2 value)
        : __x(__nv_cvt_double2_to_fp8x2(value, __NV_SATFINITE, CLEM_FP8_KIND))
    {
    }
    CLEM_MEMBER explicit operator __half2() const
    {
        return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, CLEM_FP8_KIND));
    }
    CLEM_MEMBER explicit operator float2() const
    {
        const __half2_raw halves = __nv_cvt_fp8x2_to_halfraw2(__x, CLEM_FP8_KIND);
        const float2 r = {clem_half_to_float(halves.x), clem_half_to_float(halves.y)};
        return r;
    }
    __nv_fp8x2_storage_t __x;
};

struct __attribute__((aligned(4))) CLEM_FP8X4 {
    CLEM_FP8X4() = default;
    CLEM_MEMBER explicit CLEM_FP8X4(const __half2 low, const __half2 high)
        : __x(clem_four(CLEM_FP8X2(low), CLEM_FP8X2(high)))
    {
    }
    CLEM_MEMBER explicit CLEM_FP8X4(const __nv_bfloat162 low, const __nv_bfloat162 high)
        : __x(clem_four(CLEM_FP8X2(low), CLEM_FP8X2(high)))
    {
    }
    CLEM_MEMBER explicit CLEM_FP8X4(const float4 value)
        : __x(clem_four(CLEM_FP8X2(float2{value.x, value.y}), CLEM_FP8X2(float2{value.z, value.w})))
    {
    }
    CLEM_MEMBER explicit CLEM_FP8X4(const double4 value)
        : __x(clem_four(CLEM_FP8X2(double2{value.x, value.y}),
                        CLEM_FP8X2(double2{value.z, value.w})))
    {
    }
    CLEM_MEMBER explicit CLEM_FP8X4(const double4_16a value)
        : CLEM_FP8X4(double4{value.x, value.y, value.z, value.w})
    {
    }
    CLEM_MEMBER explicit CLEM_FP8X4(const double4_32a value)
        : CLEM_FP8X4(double4{value.x, value.y, value.z, value.w})
    {
    }
    CLEM_MEMBER explicit operator float4() const
    {
        CLEM_FP8X2 low, high;
        low.__x = static_cast<__nv_fp8x2_storage_t>(__x & 0xffffu);
        high.__x = static_cast<__nv_fp8x2_storage_t>(__x >> 16);
        const float2 first = static_cast<float2>(low), second = static_cast<float2>(high);
        const float4 r = {first.x, first.y, second.x, second.y};
        return r;
    }
    __nv_fp8x4_storage_t __x;

  private:
    CLEM_MEMBER static __nv_fp8x4_storage_t clem_four(CLEM_FP8X2 low, CLEM_FP8X2 high)
    {
        return static_cast<__nv_fp8x4_storage_t>(low.__x) |
               static_cast<__nv_fp8x4_storage_t>(high.__x) << 16;
    }
};

#undef CLEM_FP8
#undef CLEM_FP8X2
#undef CLEM_FP8X4
#undef CLEM_FP8_KIND

#endif
