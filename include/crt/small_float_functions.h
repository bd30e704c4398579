/* small_float_functions.h: functions of a 16 bit floating point type, included once for each type by
 * cuda_fp16.h and cuda_bf16.h. */
/* SPDX-License-Identifier: Apache-2.0 */

/* Before it come CLEM_H and CLEM_H2, the types; CLEM_BOTH and CLEM_DEVICE, qualifiers; and
 * clem_to_float(h), clem_from_float(f, H), clem_add, clem_sub, clem_mul, clem_fma of CLEM_H and of
 * CLEM_H2. A float holds every value of such a type, and rounding a float sum, product, quotient or
 * root to the type gives what rounding the exact one gives.
 *
 * Source: CUDA Math API Reference Manual 13.0, Half and Bfloat16 Arithmetic, Comparison and Math
 * Functions.
 */
#if defined(CLEM_H)

#define CLEM_ROUND(value) clem_from_float(value, CLEM_H())

/* ---- arithmetic ---------------------------------------------------------------------------- */

CLEM_BOTH CLEM_H __hadd(CLEM_H a, CLEM_H b)
{
    return clem_add(a, b);
}
CLEM_BOTH CLEM_H2 __hadd2(CLEM_H2 a, CLEM_H2 b)
{
    return clem_add(a, b);
}
CLEM_BOTH CLEM_H __hadd_rn(CLEM_H a, CLEM_H b)
{
    return clem_add(a, b);
}
CLEM_BOTH CLEM_H2 __hadd2_rn(CLEM_H2 a, CLEM_H2 b)
{
    return clem_add(a, b);
}
CLEM_BOTH CLEM_H __hadd_sat(CLEM_H a, CLEM_H b)
{
    return CLEM_ROUND(clem_saturate(clem_to_float(clem_add(a, b))));
}
CLEM_BOTH CLEM_H2 __hadd2_sat(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y));
}
CLEM_BOTH CLEM_H __hsub(CLEM_H a, CLEM_H b)
{
    return clem_sub(a, b);
}
CLEM_BOTH CLEM_H2 __hsub2(CLEM_H2 a, CLEM_H2 b)
{
    return clem_sub(a, b);
}
CLEM_BOTH CLEM_H __hsub_rn(CLEM_H a, CLEM_H b)
{
    return clem_sub(a, b);
}
CLEM_BOTH CLEM_H2 __hsub2_rn(CLEM_H2 a, CLEM_H2 b)
{
    return clem_sub(a, b);
}
CLEM_BOTH CLEM_H __hsub_sat(CLEM_H a, CLEM_H b)
{
    return CLEM_ROUND(clem_saturate(clem_to_float(clem_sub(a, b))));
}
CLEM_BOTH CLEM_H2 __hsub2_sat(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(__hsub_sat(a.x, b.x), __hsub_sat(a.y, b.y));
}
CLEM_BOTH CLEM_H __hmul(CLEM_H a, CLEM_H b)
{
    return clem_mul(a, b);
}
CLEM_BOTH CLEM_H2 __hmul2(CLEM_H2 a, CLEM_H2 b)
{
    return clem_mul(a, b);
}
CLEM_BOTH CLEM_H __hmul_rn(CLEM_H a, CLEM_H b)
{
    return clem_mul(a, b);
}
CLEM_BOTH CLEM_H2 __hmul2_rn(CLEM_H2 a, CLEM_H2 b)
{
    return clem_mul(a, b);
}
CLEM_BOTH CLEM_H __hmul_sat(CLEM_H a, CLEM_H b)
{
    return CLEM_ROUND(clem_saturate(clem_to_float(clem_mul(a, b))));
}
CLEM_BOTH CLEM_H2 __hmul2_sat(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y));
}
CLEM_BOTH CLEM_H __hdiv(CLEM_H a, CLEM_H b)
{
    return CLEM_ROUND(clem_to_float(a) / clem_to_float(b));
}
CLEM_BOTH CLEM_H2 __h2div(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
CLEM_BOTH CLEM_H __hfma(CLEM_H a, CLEM_H b, CLEM_H c)
{
    return clem_fma(a, b, c);
}
CLEM_BOTH CLEM_H2 __hfma2(CLEM_H2 a, CLEM_H2 b, CLEM_H2 c)
{
    return clem_fma(a, b, c);
}
CLEM_BOTH CLEM_H __hfma_sat(CLEM_H a, CLEM_H b, CLEM_H c)
{
    return CLEM_ROUND(clem_saturate(clem_to_float(clem_fma(a, b, c))));
}
CLEM_BOTH CLEM_H2 __hfma2_sat(CLEM_H2 a, CLEM_H2 b, CLEM_H2 c)
{
    return CLEM_H2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
CLEM_BOTH CLEM_H __hfma_relu(CLEM_H a, CLEM_H b, CLEM_H c)
{
    const CLEM_H r = clem_fma(a, b, c);
    return clem_to_float(r) < 0 ? CLEM_ROUND(0.0f) : r;
}
CLEM_BOTH CLEM_H2 __hfma2_relu(CLEM_H2 a, CLEM_H2 b, CLEM_H2 c)
{
    return CLEM_H2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
/* a * b + c of complex numbers. */
CLEM_BOTH CLEM_H2 __hcmadd(CLEM_H2 a, CLEM_H2 b, CLEM_H2 c)
{
    const CLEM_H minus = CLEM_H(clem_bits_t{static_cast<unsigned short>(clem_bits(a.y) ^ 0x8000)});
    return CLEM_H2(clem_fma(minus, b.y, clem_fma(a.x, b.x, c.x)),
                   clem_fma(a.y, b.x, clem_fma(a.x, b.y, c.y)));
}
CLEM_BOTH CLEM_H __hneg(CLEM_H a)
{
    return CLEM_H(clem_bits_t{static_cast<unsigned short>(clem_bits(a) ^ 0x8000)});
}
CLEM_BOTH CLEM_H2 __hneg2(CLEM_H2 a)
{
    return CLEM_H2(__hneg(a.x), __hneg(a.y));
}
CLEM_BOTH CLEM_H __habs(CLEM_H a)
{
    return CLEM_H(clem_bits_t{static_cast<unsigned short>(clem_bits(a) & 0x7fff)});
}
CLEM_BOTH CLEM_H2 __habs2(CLEM_H2 a)
{
    return CLEM_H2(__habs(a.x), __habs(a.y));
}

/* ---- comparison: false where a number is none, but for the u ones, which are then true ------ */

CLEM_BOTH bool __hisnan(CLEM_H a)
{
    return clem_to_float(a) != clem_to_float(a);
}
CLEM_BOTH CLEM_H2 __hisnan2(CLEM_H2 a)
{
    return CLEM_H2(CLEM_ROUND(__hisnan(a.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hisnan(a.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __heq(CLEM_H a, CLEM_H b)
{
    return clem_to_float(a) == clem_to_float(b);
}
CLEM_BOTH bool __hequ(CLEM_H a, CLEM_H b)
{
    return __heq(a, b) || __hisnan(a) || __hisnan(b);
}
CLEM_BOTH CLEM_H2 __heq2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__heq(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__heq(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbeq2(CLEM_H2 a, CLEM_H2 b)
{
    return __heq(a.x, b.x) && __heq(a.y, b.y);
}
CLEM_BOTH unsigned __heq2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__heq(a.x, b.x) ? 0xffffu : 0u) | (__heq(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH CLEM_H2 __hequ2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hequ(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hequ(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbequ2(CLEM_H2 a, CLEM_H2 b)
{
    return __hequ(a.x, b.x) && __hequ(a.y, b.y);
}
CLEM_BOTH unsigned __hequ2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hequ(a.x, b.x) ? 0xffffu : 0u) | (__hequ(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH bool __hne(CLEM_H a, CLEM_H b)
{
    return clem_to_float(a) < clem_to_float(b) || clem_to_float(a) > clem_to_float(b);
}
CLEM_BOTH bool __hneu(CLEM_H a, CLEM_H b)
{
    return clem_to_float(a) != clem_to_float(b);
}
CLEM_BOTH CLEM_H2 __hne2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hne(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hne(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbne2(CLEM_H2 a, CLEM_H2 b)
{
    return __hne(a.x, b.x) && __hne(a.y, b.y);
}
CLEM_BOTH unsigned __hne2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hne(a.x, b.x) ? 0xffffu : 0u) | (__hne(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH CLEM_H2 __hneu2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hneu(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hneu(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbneu2(CLEM_H2 a, CLEM_H2 b)
{
    return __hneu(a.x, b.x) && __hneu(a.y, b.y);
}
CLEM_BOTH unsigned __hneu2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hneu(a.x, b.x) ? 0xffffu : 0u) | (__hneu(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH bool __hlt(CLEM_H a, CLEM_H b)
{
    return clem_to_float(a) < clem_to_float(b);
}
CLEM_BOTH bool __hltu(CLEM_H a, CLEM_H b)
{
    return __hlt(a, b) || __hisnan(a) || __hisnan(b);
}
CLEM_BOTH CLEM_H2 __hlt2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hlt(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hlt(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hblt2(CLEM_H2 a, CLEM_H2 b)
{
    return __hlt(a.x, b.x) && __hlt(a.y, b.y);
}
CLEM_BOTH unsigned __hlt2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hlt(a.x, b.x) ? 0xffffu : 0u) | (__hlt(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH CLEM_H2 __hltu2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hltu(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hltu(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbltu2(CLEM_H2 a, CLEM_H2 b)
{
    return __hltu(a.x, b.x) && __hltu(a.y, b.y);
}
CLEM_BOTH unsigned __hltu2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hltu(a.x, b.x) ? 0xffffu : 0u) | (__hltu(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH bool __hle(CLEM_H a, CLEM_H b)
{
    return clem_to_float(a) <= clem_to_float(b);
}
CLEM_BOTH bool __hleu(CLEM_H a, CLEM_H b)
{
    return __hle(a, b) || __hisnan(a) || __hisnan(b);
}
CLEM_BOTH CLEM_H2 __hle2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hle(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hle(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hble2(CLEM_H2 a, CLEM_H2 b)
{
    return __hle(a.x, b.x) && __hle(a.y, b.y);
}
CLEM_BOTH unsigned __hle2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hle(a.x, b.x) ? 0xffffu : 0u) | (__hle(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH CLEM_H2 __hleu2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hleu(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hleu(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbleu2(CLEM_H2 a, CLEM_H2 b)
{
    return __hleu(a.x, b.x) && __hleu(a.y, b.y);
}
CLEM_BOTH unsigned __hleu2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hleu(a.x, b.x) ? 0xffffu : 0u) | (__hleu(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH bool __hgt(CLEM_H a, CLEM_H b)
{
    return clem_to_float(a) > clem_to_float(b);
}
CLEM_BOTH bool __hgtu(CLEM_H a, CLEM_H b)
{
    return __hgt(a, b) || __hisnan(a) || __hisnan(b);
}
CLEM_BOTH CLEM_H2 __hgt2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hgt(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hgt(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbgt2(CLEM_H2 a, CLEM_H2 b)
{
    return __hgt(a.x, b.x) && __hgt(a.y, b.y);
}
CLEM_BOTH unsigned __hgt2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hgt(a.x, b.x) ? 0xffffu : 0u) | (__hgt(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH CLEM_H2 __hgtu2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hgtu(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hgtu(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbgtu2(CLEM_H2 a, CLEM_H2 b)
{
    return __hgtu(a.x, b.x) && __hgtu(a.y, b.y);
}
CLEM_BOTH unsigned __hgtu2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hgtu(a.x, b.x) ? 0xffffu : 0u) | (__hgtu(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH bool __hge(CLEM_H a, CLEM_H b)
{
    return clem_to_float(a) >= clem_to_float(b);
}
CLEM_BOTH bool __hgeu(CLEM_H a, CLEM_H b)
{
    return __hge(a, b) || __hisnan(a) || __hisnan(b);
}
CLEM_BOTH CLEM_H2 __hge2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hge(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hge(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbge2(CLEM_H2 a, CLEM_H2 b)
{
    return __hge(a.x, b.x) && __hge(a.y, b.y);
}
CLEM_BOTH unsigned __hge2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hge(a.x, b.x) ? 0xffffu : 0u) | (__hge(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH CLEM_H2 __hgeu2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(CLEM_ROUND(__hgeu(a.x, b.x) ? 1.0f : 0.0f),
                   CLEM_ROUND(__hgeu(a.y, b.y) ? 1.0f : 0.0f));
}
CLEM_BOTH bool __hbgeu2(CLEM_H2 a, CLEM_H2 b)
{
    return __hgeu(a.x, b.x) && __hgeu(a.y, b.y);
}
CLEM_BOTH unsigned __hgeu2_mask(CLEM_H2 a, CLEM_H2 b)
{
    return (__hgeu(a.x, b.x) ? 0xffffu : 0u) | (__hgeu(a.y, b.y) ? 0xffff0000u : 0u);
}
CLEM_BOTH CLEM_H __hmax(CLEM_H a, CLEM_H b)
{
    return __hisnan(a)   ? b
           : __hisnan(b) ? a
           : clem_to_float(a) > clem_to_float(b) ||
                   (clem_to_float(a) == clem_to_float(b) && clem_bits(b) >> 15)
               ? a
               : b;
}
CLEM_BOTH CLEM_H __hmin(CLEM_H a, CLEM_H b)
{
    return __hisnan(a)   ? b
           : __hisnan(b) ? a
           : clem_to_float(a) < clem_to_float(b) ||
                   (clem_to_float(a) == clem_to_float(b) && clem_bits(a) >> 15)
               ? a
               : b;
}
CLEM_BOTH CLEM_H __hmax_nan(CLEM_H a, CLEM_H b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b);
}
CLEM_BOTH CLEM_H2 __hmax2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
CLEM_BOTH CLEM_H2 __hmax2_nan(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y));
}
CLEM_BOTH CLEM_H __hmin_nan(CLEM_H a, CLEM_H b)
{
    return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b);
}
CLEM_BOTH CLEM_H2 __hmin2(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(__hmin(a.x, b.x), __hmin(a.y, b.y));
}
CLEM_BOTH CLEM_H2 __hmin2_nan(CLEM_H2 a, CLEM_H2 b)
{
    return CLEM_H2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y));
}

/* ---- pairs ---------------------------------------------------------------------------------- */

CLEM_BOTH float __low2float(CLEM_H2 a)
{
    return clem_to_float(a.x);
}
CLEM_BOTH float __high2float(CLEM_H2 a)
{
    return clem_to_float(a.y);
}

/* ---- operators ------------------------------------------------------------------------------ */

CLEM_BOTH CLEM_H operator+(const CLEM_H &a, const CLEM_H &b)
{
    return clem_add(a, b);
}
CLEM_BOTH CLEM_H &operator+=(CLEM_H &a, const CLEM_H &b)
{
    return a = clem_add(a, b);
}
CLEM_BOTH CLEM_H2 operator+(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return clem_add(a, b);
}
CLEM_BOTH CLEM_H2 &operator+=(CLEM_H2 &a, const CLEM_H2 &b)
{
    return a = clem_add(a, b);
}
CLEM_BOTH CLEM_H operator-(const CLEM_H &a, const CLEM_H &b)
{
    return clem_sub(a, b);
}
CLEM_BOTH CLEM_H &operator-=(CLEM_H &a, const CLEM_H &b)
{
    return a = clem_sub(a, b);
}
CLEM_BOTH CLEM_H2 operator-(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return clem_sub(a, b);
}
CLEM_BOTH CLEM_H2 &operator-=(CLEM_H2 &a, const CLEM_H2 &b)
{
    return a = clem_sub(a, b);
}
CLEM_BOTH CLEM_H operator*(const CLEM_H &a, const CLEM_H &b)
{
    return clem_mul(a, b);
}
CLEM_BOTH CLEM_H &operator*=(CLEM_H &a, const CLEM_H &b)
{
    return a = clem_mul(a, b);
}
CLEM_BOTH CLEM_H2 operator*(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return clem_mul(a, b);
}
CLEM_BOTH CLEM_H2 &operator*=(CLEM_H2 &a, const CLEM_H2 &b)
{
    return a = clem_mul(a, b);
}
CLEM_BOTH CLEM_H operator/(const CLEM_H &a, const CLEM_H &b)
{
    return __hdiv(a, b);
}
CLEM_BOTH CLEM_H &operator/=(CLEM_H &a, const CLEM_H &b)
{
    return a = __hdiv(a, b);
}
CLEM_BOTH CLEM_H2 operator/(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return __h2div(a, b);
}
CLEM_BOTH CLEM_H2 &operator/=(CLEM_H2 &a, const CLEM_H2 &b)
{
    return a = __h2div(a, b);
}
CLEM_BOTH CLEM_H &operator++(CLEM_H &a)
{
    return a = clem_add(a, CLEM_ROUND(1.0f));
}
CLEM_BOTH CLEM_H operator++(CLEM_H &a, int)
{
    const CLEM_H old = a;
    a = clem_add(a, CLEM_ROUND(1.0f));
    return old;
}
CLEM_BOTH CLEM_H &operator--(CLEM_H &a)
{
    return a = clem_sub(a, CLEM_ROUND(1.0f));
}
CLEM_BOTH CLEM_H operator--(CLEM_H &a, int)
{
    const CLEM_H old = a;
    a = clem_sub(a, CLEM_ROUND(1.0f));
    return old;
}
CLEM_BOTH CLEM_H operator+(const CLEM_H &a)
{
    return a;
}
CLEM_BOTH CLEM_H operator-(const CLEM_H &a)
{
    return __hneg(a);
}
CLEM_BOTH CLEM_H2 operator+(const CLEM_H2 &a)
{
    return a;
}
CLEM_BOTH CLEM_H2 operator-(const CLEM_H2 &a)
{
    return __hneg2(a);
}
CLEM_BOTH bool operator==(const CLEM_H &a, const CLEM_H &b)
{
    return __heq(a, b);
}
CLEM_BOTH bool operator==(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return __hbeq2(a, b);
}
CLEM_BOTH bool operator!=(const CLEM_H &a, const CLEM_H &b)
{
    return __hneu(a, b);
}
CLEM_BOTH bool operator!=(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return __hbneu2(a, b);
}
CLEM_BOTH bool operator<(const CLEM_H &a, const CLEM_H &b)
{
    return __hlt(a, b);
}
CLEM_BOTH bool operator<(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return __hblt2(a, b);
}
CLEM_BOTH bool operator<=(const CLEM_H &a, const CLEM_H &b)
{
    return __hle(a, b);
}
CLEM_BOTH bool operator<=(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return __hble2(a, b);
}
CLEM_BOTH bool operator>(const CLEM_H &a, const CLEM_H &b)
{
    return __hgt(a, b);
}
CLEM_BOTH bool operator>(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return __hbgt2(a, b);
}
CLEM_BOTH bool operator>=(const CLEM_H &a, const CLEM_H &b)
{
    return __hge(a, b);
}
CLEM_BOTH bool operator>=(const CLEM_H2 &a, const CLEM_H2 &b)
{
    return __hbge2(a, b);
}

/* ---- what only device code has -------------------------------------------------------------- */

#if defined(__CUDA__) && defined(__clang__)

CLEM_DEVICE CLEM_H hsqrt(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(sqrtf(x));
}
CLEM_DEVICE CLEM_H2 h2sqrt(CLEM_H2 a)
{
    return CLEM_H2(hsqrt(a.x), hsqrt(a.y));
}
CLEM_DEVICE CLEM_H hrsqrt(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(rsqrtf(x));
}
CLEM_DEVICE CLEM_H2 h2rsqrt(CLEM_H2 a)
{
    return CLEM_H2(hrsqrt(a.x), hrsqrt(a.y));
}
CLEM_DEVICE CLEM_H hrcp(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(1.0f / x);
}
CLEM_DEVICE CLEM_H2 h2rcp(CLEM_H2 a)
{
    return CLEM_H2(hrcp(a.x), hrcp(a.y));
}
CLEM_DEVICE CLEM_H hexp(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(expf(x));
}
CLEM_DEVICE CLEM_H2 h2exp(CLEM_H2 a)
{
    return CLEM_H2(hexp(a.x), hexp(a.y));
}
CLEM_DEVICE CLEM_H hexp2(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(exp2f(x));
}
CLEM_DEVICE CLEM_H2 h2exp2(CLEM_H2 a)
{
    return CLEM_H2(hexp2(a.x), hexp2(a.y));
}
CLEM_DEVICE CLEM_H hexp10(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(exp10f(x));
}
CLEM_DEVICE CLEM_H2 h2exp10(CLEM_H2 a)
{
    return CLEM_H2(hexp10(a.x), hexp10(a.y));
}
CLEM_DEVICE CLEM_H hlog(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(logf(x));
}
CLEM_DEVICE CLEM_H2 h2log(CLEM_H2 a)
{
    return CLEM_H2(hlog(a.x), hlog(a.y));
}
CLEM_DEVICE CLEM_H hlog2(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(log2f(x));
}
CLEM_DEVICE CLEM_H2 h2log2(CLEM_H2 a)
{
    return CLEM_H2(hlog2(a.x), hlog2(a.y));
}
CLEM_DEVICE CLEM_H hlog10(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(log10f(x));
}
CLEM_DEVICE CLEM_H2 h2log10(CLEM_H2 a)
{
    return CLEM_H2(hlog10(a.x), hlog10(a.y));
}
CLEM_DEVICE CLEM_H hsin(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(sinf(x));
}
CLEM_DEVICE CLEM_H2 h2sin(CLEM_H2 a)
{
    return CLEM_H2(hsin(a.x), hsin(a.y));
}
CLEM_DEVICE CLEM_H hcos(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(cosf(x));
}
CLEM_DEVICE CLEM_H2 h2cos(CLEM_H2 a)
{
    return CLEM_H2(hcos(a.x), hcos(a.y));
}
CLEM_DEVICE CLEM_H htanh(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(tanhf(x));
}
CLEM_DEVICE CLEM_H2 h2tanh(CLEM_H2 a)
{
    return CLEM_H2(htanh(a.x), htanh(a.y));
}
CLEM_DEVICE CLEM_H hfloor(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(floorf(x));
}
CLEM_DEVICE CLEM_H2 h2floor(CLEM_H2 a)
{
    return CLEM_H2(hfloor(a.x), hfloor(a.y));
}
CLEM_DEVICE CLEM_H hceil(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(ceilf(x));
}
CLEM_DEVICE CLEM_H2 h2ceil(CLEM_H2 a)
{
    return CLEM_H2(hceil(a.x), hceil(a.y));
}
CLEM_DEVICE CLEM_H htrunc(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(truncf(x));
}
CLEM_DEVICE CLEM_H2 h2trunc(CLEM_H2 a)
{
    return CLEM_H2(htrunc(a.x), htrunc(a.y));
}
CLEM_DEVICE CLEM_H hrint(CLEM_H a)
{
    const float x = clem_to_float(a);
    return CLEM_ROUND(rintf(x));
}
CLEM_DEVICE CLEM_H2 h2rint(CLEM_H2 a)
{
    return CLEM_H2(hrint(a.x), hrint(a.y));
}
CLEM_DEVICE CLEM_H htanh_approx(CLEM_H a)
{
    return CLEM_ROUND(__tanhf(clem_to_float(a)));
}
CLEM_DEVICE CLEM_H2 h2tanh_approx(CLEM_H2 a)
{
    return CLEM_H2(htanh_approx(a.x), htanh_approx(a.y));
}
CLEM_DEVICE int __hisinf(CLEM_H a)
{
    return (clem_bits(a) & 0x7fff) != clem_bits(CLEM_ROUND(__builtin_inff())) ? 0
           : clem_bits(a) >> 15                                               ? -1
                                                                              : 1;
}
CLEM_DEVICE CLEM_H __shfl_sync(unsigned int mask, CLEM_H value, int lane, int width = warpSize)
{
    const unsigned int r =
        __shfl_sync(mask, static_cast<unsigned int>(clem_bits(value)), lane, width);
    return CLEM_H(clem_bits_t{static_cast<unsigned short>(r)});
}
CLEM_DEVICE CLEM_H2 __shfl_sync(unsigned int mask, CLEM_H2 value, int lane, int width = warpSize)
{
    return __builtin_bit_cast(
        CLEM_H2, __shfl_sync(mask, __builtin_bit_cast(unsigned int, value), lane, width));
}
CLEM_DEVICE CLEM_H __shfl_up_sync(unsigned int mask, CLEM_H value, unsigned int lane,
                                  int width = warpSize)
{
    const unsigned int r =
        __shfl_up_sync(mask, static_cast<unsigned int>(clem_bits(value)), lane, width);
    return CLEM_H(clem_bits_t{static_cast<unsigned short>(r)});
}
CLEM_DEVICE CLEM_H2 __shfl_up_sync(unsigned int mask, CLEM_H2 value, unsigned int lane,
                                   int width = warpSize)
{
    return __builtin_bit_cast(
        CLEM_H2, __shfl_up_sync(mask, __builtin_bit_cast(unsigned int, value), lane, width));
}
CLEM_DEVICE CLEM_H __shfl_down_sync(unsigned int mask, CLEM_H value, unsigned int lane,
                                    int width = warpSize)
{
    const unsigned int r =
        __shfl_down_sync(mask, static_cast<unsigned int>(clem_bits(value)), lane, width);
    return CLEM_H(clem_bits_t{static_cast<unsigned short>(r)});
}
CLEM_DEVICE CLEM_H2 __shfl_down_sync(unsigned int mask, CLEM_H2 value, unsigned int lane,
                                     int width = warpSize)
{
    return __builtin_bit_cast(
        CLEM_H2, __shfl_down_sync(mask, __builtin_bit_cast(unsigned int, value), lane, width));
}
CLEM_DEVICE CLEM_H __shfl_xor_sync(unsigned int mask, CLEM_H value, int lane, int width = warpSize)
{
    const unsigned int r =
        __shfl_xor_sync(mask, static_cast<unsigned int>(clem_bits(value)), lane, width);
    return CLEM_H(clem_bits_t{static_cast<unsigned short>(r)});
}
CLEM_DEVICE CLEM_H2 __shfl_xor_sync(unsigned int mask, CLEM_H2 value, int lane,
                                    int width = warpSize)
{
    return __builtin_bit_cast(
        CLEM_H2, __shfl_xor_sync(mask, __builtin_bit_cast(unsigned int, value), lane, width));
}

/* Loads and stores with a cache operator. */
#define CLEM_LOAD(name)                                                                            \
    CLEM_DEVICE CLEM_H name(const CLEM_H *address)                                                 \
    {                                                                                              \
        return CLEM_H(clem_bits_t{name(reinterpret_cast<const unsigned short *>(address))});       \
    }                                                                                              \
    CLEM_DEVICE CLEM_H2 name(const CLEM_H2 *address)                                               \
    {                                                                                              \
        return __builtin_bit_cast(CLEM_H2, name(reinterpret_cast<const unsigned int *>(address))); \
    }
#define CLEM_STORE(name)                                                                           \
    CLEM_DEVICE void name(CLEM_H *address, CLEM_H value)                                           \
    {                                                                                              \
        name(reinterpret_cast<unsigned short *>(address), clem_bits(value));                       \
    }                                                                                              \
    CLEM_DEVICE void name(CLEM_H2 *address, CLEM_H2 value)                                         \
    {                                                                                              \
        name(reinterpret_cast<unsigned int *>(address), __builtin_bit_cast(unsigned int, value));  \
    }
CLEM_LOAD(__ldg)
CLEM_LOAD(__ldca)
CLEM_LOAD(__ldcg)
CLEM_LOAD(__ldcs)
CLEM_LOAD(__ldcv)
CLEM_LOAD(__ldlu)
CLEM_STORE(__stcg)
CLEM_STORE(__stcs)
CLEM_STORE(__stwb)
CLEM_STORE(__stwt)
#undef CLEM_LOAD
#undef CLEM_STORE

/* Whatever the compiler made of it meanwhile, the sum is of the old value that is returned. */
CLEM_DEVICE CLEM_H atomicAdd(CLEM_H *address, CLEM_H value)
{
    unsigned short *const bits = reinterpret_cast<unsigned short *>(address);
    unsigned short old = *const_cast<volatile unsigned short *>(bits), seen;
    do {
        seen = old;
        const CLEM_H sum = clem_add(CLEM_H(clem_bits_t{seen}), value);
        old = atomicCAS(bits, seen, clem_bits(sum));
    } while (old != seen);
    return CLEM_H(clem_bits_t{old});
}
/* Each half is added atomically, and here both at once. */
CLEM_DEVICE CLEM_H2 atomicAdd(CLEM_H2 *address, CLEM_H2 value)
{
    unsigned int *const bits = reinterpret_cast<unsigned int *>(address);
    unsigned int old = *const_cast<volatile unsigned int *>(bits), seen;
    do {
        seen = old;
        const CLEM_H2 sum = clem_add(__builtin_bit_cast(CLEM_H2, seen), value);
        old = atomicCAS(bits, seen, __builtin_bit_cast(unsigned int, sum));
    } while (old != seen);
    return __builtin_bit_cast(CLEM_H2, old);
}

#endif

#undef CLEM_ROUND

#endif
