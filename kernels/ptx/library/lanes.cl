/* What the native form computes otherwise, for whole warps at once: approximations without branches, and integer division by
 * doubles. C of both kinds, so that the host can test it; no loops (native/lanes.h).
 *
 * Source: PTX ISA 9.0, the errors that sin.approx, cos.approx, ex2.approx, lg2.approx and tanh.approx may have; these have
 * two units of the last place and less, sin and cos up to 2^40.
 * SPDX-License-Identifier: Apache-2.0 */

/* 2^x: of the nearest whole number by the exponent, in halves for subnormal results, of the rest by a polynomial. */
float clem_lane_exp2(float x)
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
float clem_lane_log2(float x)
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
double clem_lane_sine(double quarters, double angle)
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

/* Numbers between which there are many turns count as 0. */
float clem_lane_sin(float x)
{
    const double wide = (double)(fabs(x) < 0x1p40f ? x : 0.0f);
    const double quarters = rint(wide * 0x1.45f306dc9c883p-1);
    const double angle =
        fma(-quarters, 0x1.1a62633145c07p-54, fma(-quarters, 0x1.921fb54442d18p+0, wide));
    const float value = (float)clem_lane_sine(quarters, angle);
    return fabs(x) < as_float(0x7f800000u) ? (x == 0.0f ? x : value) : as_float(0x7fffffffu);
}

float clem_lane_cos(float x)
{
    const double wide = (double)(fabs(x) < 0x1p40f ? x : 0.0f);
    const double quarters = rint(wide * 0x1.45f306dc9c883p-1);
    const double angle =
        fma(-quarters, 0x1.1a62633145c07p-54, fma(-quarters, 0x1.921fb54442d18p+0, wide));
    const float value = (float)clem_lane_sine(quarters + 1.0, angle);
    return fabs(x) < as_float(0x7f800000u) ? value : as_float(0x7fffffffu);
}

/* A polynomial of small numbers, of others 1 - 2 / (e^2x + 1). */
float clem_lane_tanh(float x)
{
    const float size = fabs(x);
    const float square = size * size;
    float small = -0x1.8c2d0ap-8f;
    small = fma(small, square, 0x1.576e30p-6f);
    small = fma(small, square, -0x1.b91582p-5f);
    small = fma(small, square, 0x1.110dd8p-3f);
    small = fma(small, square, -0x1.555552p-2f);
    small = fma(small * square, size, size);
    const float large = 1.0f - 2.0f / (clem_lane_exp2(size * 0x1.715476p+1f) + 1.0f);
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
