/* What the native form computes otherwise, for whole warps at once: approximations without branches, and integer division by
 * doubles. No loops (native/lanes.h).
 *
 * Source: PTX ISA 9.0, the errors that sin.approx, cos.approx, ex2.approx, lg2.approx and tanh.approx may have; these have
 * two units of the last place and less.
 * SPDX-License-Identifier: Apache-2.0 */

/* 2^x: of the nearest whole number by the exponent, in halves for subnormal results, of the rest by a polynomial. */
float clem_approx_exp2(float x)
{
    const float inside = x < -160.0f ? -160.0f : x > 160.0f ? 160.0f : x == x ? x : 0.0f;
    const float whole = rint(inside);
    const float rest = inside - whole;
    const int power = (int)whole;
    const int half = power >> 1;
    float value = 0x1.44138ap-13f;
    value = fma(value, rest, 0x1.5f0890p-10f);
    value = fma(value, rest, 0x1.3b2a54p-7f);
    value = fma(value, rest, 0x1.c6af6cp-5f);
    value = fma(value, rest, 0x1.ebfbe0p-3f);
    value = fma(value, rest, 0x1.62e430p-1f);
    value = fma(value, rest, 1.0f);
    value = value * as_float((uint)(half + 127) << 23) * as_float((uint)(power - half + 127) << 23);
    return x != x ? x : value;
}

/* log2(x): the exponent, and of what is left between the root of a half and the root of two a polynomial. */
float clem_approx_log2(float x)
{
    const uint is_small = x < 0x1p-126f;
    const uint bits = as_uint(is_small ? x * 0x1p24f : x);
    const int power = (int)(bits - 0x3f3504f3u) >> 23;
    const float rest = as_float(bits - ((uint)power << 23)) - 1.0f;
    float value = -0x1.b82e94p-4f;
    value = fma(value, rest, 0x1.7a5dc2p-3f);
    value = fma(value, rest, -0x1.87fa34p-3f);
    value = fma(value, rest, 0x1.a38d86p-3f);
    value = fma(value, rest, -0x1.eab764p-3f);
    value = fma(value, rest, 0x1.277a4ap-2f);
    value = fma(value, rest, -0x1.715a70p-2f);
    value = fma(value, rest, 0x1.ec70aap-2f);
    value = fma(value, rest, -0x1.715470p-1f);
    value = fma(value, rest, 0x1.715476p+0f);
    value = fma(value, rest, (float)(is_small ? power - 24 : power));
    value = x == as_float(0x7f800000u) ? x : value;
    value = x == 0.0f ? as_float(0xff800000u) : value;
    return x >= 0.0f ? value : as_float(0x7fffffffu);
}

/* The sine of a number of quarters of turns and of an angle within an eighth of one. */
double clem_approx_sine(double quarters, double angle)
{
    const double square = angle * angle;
    const int quarter = (int)(quarters - 4.0 * floor(quarters * 0.25));
    double odd = -0x1.ae64567f544e4p-26;
    odd = fma(odd, square, 0x1.71de3a556c734p-19);
    odd = fma(odd, square, -0x1.a01a01a01a01ap-13);
    odd = fma(odd, square, 0x1.1111111111111p-7);
    odd = fma(odd, square, -0x1.5555555555555p-3);
    odd = fma(odd * square, angle, angle);
    double even = -0x1.27e4fb7789f5cp-22;
    even = fma(even, square, 0x1.a01a01a01a01ap-16);
    even = fma(even, square, -0x1.6c16c16c16c17p-10);
    even = fma(even, square, 0x1.5555555555555p-5);
    even = fma(even, square, -0.5);
    even = fma(even, square, 1.0);
    const double value = quarter & 1 ? even : odd;
    return quarter & 2 ? -value : value;
}

/* Those of numbers between which there are many turns are not needed: clem_lane_sinf(). */
float clem_approx_sin(float x)
{
    const double wide = (double)(fabs(x) < 0x1p40f ? x : 0.0f);
    const double quarters = rint(wide * 0x1.45f306dc9c883p-1);
    const double angle =
        fma(-quarters, 0x1.1a62633145c07p-54, fma(-quarters, 0x1.921fb54442d18p+0, wide));
    const float value = (float)clem_approx_sine(quarters, angle);
    return fabs(x) < as_float(0x7f800000u) ? (x == 0.0f ? x : value) : as_float(0x7fffffffu);
}

float clem_approx_cos(float x)
{
    const double wide = (double)(fabs(x) < 0x1p40f ? x : 0.0f);
    const double quarters = rint(wide * 0x1.45f306dc9c883p-1);
    const double angle =
        fma(-quarters, 0x1.1a62633145c07p-54, fma(-quarters, 0x1.921fb54442d18p+0, wide));
    const float value = (float)clem_approx_sine(quarters + 1.0, angle);
    return fabs(x) < as_float(0x7f800000u) ? value : as_float(0x7fffffffu);
}

/* A polynomial of small numbers, of others 1 - 2 / (e^2x + 1). */
float clem_approx_tanh(float x)
{
    const float size = fabs(x);
    const float square = size * size;
    float small = -0x1.8c2d0ap-8f;
    small = fma(small, square, 0x1.576e30p-6f);
    small = fma(small, square, -0x1.b91582p-5f);
    small = fma(small, square, 0x1.110dd8p-3f);
    small = fma(small, square, -0x1.555552p-2f);
    small = fma(small * square, size, size);
    const float large = 1.0f - 2.0f / (clem_approx_exp2(size * 0x1.715476p+1f) + 1.0f);
    const float value = size < 0.625f ? small : large;
    return x != x ? x : as_float(as_uint(value) | (as_uint(x) & 0x80000000u));
}

/* a * b + c rounded once: the product is exact in double, the sum gets an odd last digit where it is not exact, first of
 * double's and then of so few that float has them all. */
ushort clem_lane_fma_bf16(ushort a, ushort b, ushort c)
{
    const double product = (double)clem_f32_from_bf16(a) * (double)clem_f32_from_bf16(b);
    const double addend = (double)clem_f32_from_bf16(c);
    const double sum = product + addend;
    const double part = sum - product;
    const double rest = (product - (sum - part)) + (addend - part);
    const ulong bits = as_ulong(sum);
    const ulong toward = (rest > 0.0) == (sum > 0.0) ? bits + 1ul : bits - 1ul;
    const ulong odd = (rest > 0.0 || rest < 0.0) && !(bits & 1ul) ? toward : bits;
    const ulong few = odd & ~0x3fffffffffful;
    const ulong sticky = (odd & 0x3fffffffffful) != 0ul ? 0x40000000000ul : 0ul;
    return sum != sum ? (ushort)0x7fffu : clem_bf16_from_f32((float)as_double(few | sticky));
}

/* Of numbers of 32 bits a quotient in double is above no whole number that the exact one is below. */
uint clem_lane_div_u32(uint a, uint b)
{
    const uint quotient = (uint)((double)a / (double)(b | (uint)(b == 0u)));
    return b == 0u ? ~0u : quotient;
}

uint clem_lane_rem_u32(uint a, uint b)
{
    const uint divisor = b | (uint)(b == 0u);
    const uint quotient = (uint)((double)a / (double)divisor);
    return b == 0u ? ~0u : a - quotient * divisor;
}

int clem_lane_div_s32(int a, int b)
{
    const int divisor = b == 0 || b == -1 ? 1 : b;
    const int quotient = (int)((double)a / (double)divisor);
    return b == 0 ? -1 : b == -1 ? (int)(0u - (uint)a) : quotient;
}

int clem_lane_rem_s32(int a, int b)
{
    const int divisor = b == 0 || b == -1 ? 1 : b;
    const int quotient = (int)((double)a / (double)divisor);
    return b == 0 ? -1 : (int)((uint)a - (uint)quotient * (uint)divisor);
}

/* ---- Roundings in a direction, by way of double ---- */

/* A sum with what its rounding dropped, as an odd last digit. */
double clem_lane_odd_sum(double a, double b)
{
    const double sum = a + b;
    const double part = sum - a;
    const double rest = (a - (sum - part)) + (b - part);
    const ulong bits = as_ulong(sum);
    const ulong toward = (rest > 0.0) == (sum > 0.0) ? bits + 1ul : bits - 1ul;
    return as_double((rest > 0.0 || rest < 0.0) && !(bits & 1ul) ? toward : bits);
}

/* A double as a float, from the nearest one a step back where that is on the wrong side. */
float clem_lane_narrow(double a, uint mode)
{
    const float near = (float)a;
    const double back = (double)near;
    const uint bits = as_uint(near);
    const uint is_above = back > a, is_below = back < a, is_negative = bits >> 31;
    const uint is_beyond = is_negative ? is_below : is_above;
    const uint down = mode == clem_rn   ? 0u
                      : mode == clem_rz ? is_beyond
                      : mode == clem_rm ? is_above & !is_negative
                                        : is_below & is_negative;
    const uint up = mode == clem_rm ? is_above & is_negative : mode == clem_rp ? is_below & !is_negative : 0u;
    return as_float(bits - down + up);
}

/* A sum that is zero is negative if it is rounded down and not of two positive zeros. */
float clem_lane_narrow_sum(double a, double b, uint mode)
{
    const double sum = clem_lane_odd_sum(a, b);
    const uint has_sign = (uint)((as_ulong(a) | as_ulong(b)) >> 63);
    const float value = clem_lane_narrow(sum, mode);
    return mode == clem_rm && sum == 0.0 && has_sign ? as_float(0x80000000u) : value;
}

float clem_lane_add_f32(float a, float b, uint mode)
{
    return clem_lane_narrow_sum((double)a, (double)b, mode);
}

float clem_lane_mul_f32(float a, float b, uint mode)
{
    return clem_lane_narrow((double)a * (double)b, mode);
}

float clem_lane_fma_f32(float a, float b, float c, uint mode)
{
    return clem_lane_narrow_sum((double)a * (double)b, (double)c, mode);
}

/* A double as a half, to nearest: first as a float with an odd last digit where that is not exact. */
ushort clem_lane_f16_from_f64(double a)
{
    const ulong bits = as_ulong(a);
    const ulong few = bits & ~0x1ffffffful;
    const ulong odd = few | ((bits & 0x1ffffffful) != 0ul ? 0x20000000ul : 0ul);
    return clem_f16_from_f32((float)(a != a ? a : as_double(odd)));
}

/* Those of the library that are asked for float, or for half to nearest. */
ulong clem_lane_narrow_f64(double a, uint mode, int digits, int width)
{
    const ulong single = a != a ? 0x7ffffffful : (ulong)as_uint(clem_lane_narrow(a, mode));
    return digits == 24                    ? single
           : digits == 11 && mode == clem_rn ? (ulong)clem_lane_f16_from_f64(a)
                                             : clem_narrow_f64(a, mode, digits, width);
}

ulong clem_lane_pack_s64(long a, uint mode, int digits, int width)
{
    const double sum = clem_lane_odd_sum((double)(a >> 32) * 0x1p32, (double)(uint)a);
    return digits == 24                    ? (ulong)as_uint(clem_lane_narrow(sum, mode))
           : digits == 11 && mode == clem_rn ? (ulong)clem_lane_f16_from_f64(sum)
                                             : clem_pack_s64(a, mode, digits, width);
}

ulong clem_lane_pack_u64(ulong a, uint mode, int digits, int width)
{
    const double sum = clem_lane_odd_sum((double)(uint)(a >> 32) * 0x1p32, (double)(uint)a);
    return digits == 24                    ? (ulong)as_uint(clem_lane_narrow(sum, mode))
           : digits == 11 && mode == clem_rn ? (ulong)clem_lane_f16_from_f64(sum)
                                             : clem_pack_u64(a, mode, digits, width);
}

/* Where the rest of a quotient or a root is not zero, an odd last digit says so. */
double clem_lane_odd(double value, uint is_less)
{
    const ulong bits = as_ulong(value);
    return as_double(bits & 1ul ? bits : is_less ? bits - 1ul : bits + 1ul);
}

float clem_lane_div_f32(float a, float b, uint mode)
{
    const double value = (double)a / (double)b;
    const double rest = fma(-value, (double)b, (double)a);
    const uint is_less = (rest < 0.0) != (a < 0.0f);
    return clem_lane_narrow(rest < 0.0 || rest > 0.0 ? clem_lane_odd(value, is_less) : value, mode);
}

float clem_lane_sqrt_f32(float a, uint mode)
{
    const double value = sqrt((double)a);
    const double rest = fma(-value, value, (double)a);
    return clem_lane_narrow(rest < 0.0 || rest > 0.0 ? clem_lane_odd(value, rest < 0.0) : value, mode);
}

/* ---- The math library's, by way of double ---- */

/* 2^x. */
double clem_lane_power(double x)
{
    const double inside = x < -1000.0 ? -1000.0 : x > 1000.0 ? 1000.0 : x == x ? x : 0.0;
    const double whole = rint(inside);
    const double rest = (inside - whole) * 0x1.62e42fefa39efp-1;
    double value = 0x1.71de3a556c734p-19;
    value = fma(value, rest, 0x1.a01a01a01a01ap-16);
    value = fma(value, rest, 0x1.a01a01a01a01ap-13);
    value = fma(value, rest, 0x1.6c16c16c16c17p-10);
    value = fma(value, rest, 0x1.1111111111111p-7);
    value = fma(value, rest, 0x1.5555555555555p-5);
    value = fma(value, rest, 0x1.5555555555555p-3);
    value = fma(value, rest, 0.5);
    value = fma(value, rest, 1.0);
    value = fma(value, rest, 1.0);
    value = value * as_double((ulong)((int)whole + 1023) << 52);
    return x != x ? x : value;
}

/* The logarithm to the base 2 of a normal number above zero: by that of (1 + s) / (1 - s). */
double clem_lane_logarithm(double x)
{
    const ulong bits = as_ulong(x);
    const int power = (int)((long)(bits - 0x3fe6a09e667f3bcdul) >> 52);
    const double rest = as_double(bits - ((ulong)(long)power << 52)) - 1.0;
    const double s = rest / (2.0 + rest);
    const double square = s * s;
    double value = 0x1.3b13b13b13b14p-4;
    value = fma(value, square, 0x1.745d1745d1746p-4);
    value = fma(value, square, 0x1.c71c71c71c71cp-4);
    value = fma(value, square, 0x1.2492492492492p-3);
    value = fma(value, square, 0x1.999999999999ap-3);
    value = fma(value, square, 0x1.5555555555555p-2);
    value = fma(value * square, s, s);
    return fma(value, 0x1.71547652b82fep+1, (double)power);
}

float clem_lane_expf(float x)
{
    return (float)clem_lane_power((double)x * 0x1.71547652b82fep+0);
}

float clem_lane_exp2f(float x)
{
    return (float)clem_lane_power((double)x);
}

float clem_lane_exp10f(float x)
{
    return (float)clem_lane_power((double)x * 0x1.a934f0979a371p+1);
}

/* What a logarithm is where it is not that of a number, or of zero. */
float clem_lane_logarithm_of(float x, double value)
{
    const float infinite = as_float(0x7f800000u);
    return !(x >= 0.0f) ? as_float(0x7fffffffu) : x == 0.0f ? -infinite : x == infinite ? x : (float)value;
}

float clem_lane_logf(float x)
{
    return clem_lane_logarithm_of(x, clem_lane_logarithm((double)x) * 0x1.62e42fefa39efp-1);
}

float clem_lane_log2f(float x)
{
    return clem_lane_logarithm_of(x, clem_lane_logarithm((double)x));
}

float clem_lane_log10f(float x)
{
    return clem_lane_logarithm_of(x, clem_lane_logarithm((double)x) * 0x1.34413509f79ffp-2);
}

float clem_lane_rsqrtf(float x)
{
    return rsqrt(x);
}

double clem_lane_rsqrt(double x)
{
    return rsqrt(x);
}

/* Numbers that these do not have go one by one. */
float clem_lane_sinf(float x)
{
    return clem_far_sinf(fabs(x) >= 0x1p40f, clem_approx_sin(x), x);
}

float clem_lane_cosf(float x)
{
    return clem_far_cosf(fabs(x) >= 0x1p40f, clem_approx_cos(x), x);
}

float clem_lane_powf(float x, float y)
{
    const float infinite = as_float(0x7f800000u);
    const uint is_near = x > 0.0f && x < infinite && fabs(y) < infinite;
    const double power = clem_lane_logarithm((double)x) * (double)y;
    return clem_far_powf(!is_near, (float)clem_lane_power(power), x, y);
}
