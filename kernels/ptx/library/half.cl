/* Half and bfloat16 as their bits, on devices that know neither: computed in float (exactly, or
 * with a rounding that does no harm), then rounded once to nearest. C of both kinds, so that the
 * host can test it.
 * SPDX-License-Identifier: Apache-2.0 */

float clem_f32_from_f16(ushort bits)
{
    uint sign = (uint)(bits & 0x8000) << 16;
    uint field = bits & 0x7c00;
    uint fraction = bits & 0x3ff;
    uint whole =
        field == 0x7c00u ? 0x7f800000u | fraction << 13 : ((field | fraction) << 13) + 0x38000000u;
    uint small = as_uint((float)fraction * 0x1p-24f);
    return as_float(sign | (field == 0u ? small : whole));
}

/* To nearest. Below 2^-14 an addition does the rounding: the sum's last digit is 2^-24. NaN
 * becomes 0x7fff. */
ushort clem_f16_from_f32(float a)
{
    uint sign = as_uint(a) >> 16 & 0x8000u;
    uint size = as_uint(a) & 0x7fffffffu;
    uint small = as_uint(as_float(size < 0x38800000u ? size : 0u) + 0.5f) - 0x3f000000u;
    uint whole = (size + 0xfffu + (size >> 13 & 1u) - 0x38000000u) >> 13;
    uint bits = size < 0x38800000u ? small : size < 0x477ff000u ? whole : 0x7c00u;
    return (ushort)(size > 0x7f800000u ? 0x7fffu : sign | bits);
}

ushort clem_f16_from_f32_mode(float a, uint mode)
{
    uint bits = as_uint(a);
    if ((bits & 0x7f800000u) == 0x7f800000u)
        return clem_f16_from_f32(a);
    return (ushort)clem_pack(bits >> 31, clem_exponent(bits, 24, 8), clem_mantissa(bits, 24, 8),
                             mode, 11, 5);
}

float clem_f32_from_bf16(ushort bits)
{
    return as_float((uint)bits << 16);
}

ushort clem_bf16_from_f32(float a)
{
    uint bits = as_uint(a);
    uint whole = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    return (ushort)((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fffu : whole);
}

ushort clem_bf16_from_f32_mode(float a, uint mode)
{
    uint bits = as_uint(a);
    if ((bits & 0x7f800000u) == 0x7f800000u)
        return clem_bf16_from_f32(a);
    return (ushort)clem_pack(bits >> 31, clem_exponent(bits, 24, 8), clem_mantissa(bits, 24, 8),
                             mode, 8, 8);
}

uint clem_pair(ushort low, ushort high)
{
    return (uint)high << 16 | low;
}

/* ---- Floats of 8 bits, two of them: e4m3, which has no infinity and ends at 448, and e5m2. ---- */

/* Rounded to nearest, what is too large to the largest number, `most`, what is none to 0x7f. `lost`: the digits that a float has
 * more; `least`: its bits of the least normal number. Below that an addition does the rounding, whose sum ends where the
 * format does. */
uchar clem_byte_from_f32(float a, uint least, uint lost, uint most)
{
    uint size = as_uint(a) & 0x7fffffffu, addend = least + (lost << 23);
    uint small = as_uint(as_float(size < least ? size : 0u) + as_float(addend)) - addend;
    uint half_unit = (1u << (lost - 1u)) - 1u + (size >> lost & 1u);
    uint whole = (size + half_unit + 0x800000u - least) >> lost;
    uint bits = size < least ? small : whole < most ? whole : most;
    return (uchar)(size > 0x7f800000u ? 0x7fu : (as_uint(a) >> 24 & 0x80u) | bits);
}

uchar clem_e4m3_from_f32(float a)
{
    return clem_byte_from_f32(a, 0x3c800000u, 20u, 0x7eu);
}

uchar clem_e5m2_from_f32(float a)
{
    return clem_byte_from_f32(a, 0x38800000u, 21u, 0x7bu);
}

/* Exact. */
ushort clem_f16_from_e4m3(uint bits)
{
    uint sign = (bits & 0x80u) << 8, size = bits & 0x7fu;
    uint small = as_uint((float)size * 0x1p-9f) >> 13;
    uint half_bits = size >= 8u ? (size << 7) + 0x2000u : small - 0x1c000u;
    return (ushort)(size == 0x7fu ? 0x7fffu : size == 0u ? sign : sign | half_bits);
}

ushort clem_f16_from_e5m2(uint bits)
{
    return (ushort)((bits & 0x7fu) > 0x7cu ? 0x7fffu : (bits & 0xffu) << 8);
}

ushort clem_e4m3x2_from_f32(float low, float high)
{
    return (ushort)((uint)clem_e4m3_from_f32(high) << 8 | clem_e4m3_from_f32(low));
}

ushort clem_e5m2x2_from_f32(float low, float high)
{
    return (ushort)((uint)clem_e5m2_from_f32(high) << 8 | clem_e5m2_from_f32(low));
}

uint clem_f16x2_from_e4m3x2(ushort bits)
{
    return (uint)clem_f16_from_e4m3((uint)bits >> 8) << 16 | clem_f16_from_e4m3(bits & 0xffu);
}

uint clem_f16x2_from_e5m2x2(ushort bits)
{
    return (uint)clem_f16_from_e5m2((uint)bits >> 8) << 16 | clem_f16_from_e5m2(bits & 0xffu);
}

/* The sum, with an odd last digit where it is not exact: rounding that to fewer digits is rounding
 * the exact sum. */
float clem_odd_sum(float a, float b)
{
    float sum = a + b;
    float part = sum - a;
    float rest = (a - (sum - part)) + (b - part);
    uint bits = as_uint(sum);
    uint toward = (rest > 0.0f) == (sum > 0.0f) ? bits + 1u : bits - 1u;
    return as_float((rest > 0.0f || rest < 0.0f) && !(bits & 1u) ? toward : bits);
}

ushort clem_add_f16(ushort a, ushort b)
{
    return clem_f16_from_f32(clem_f32_from_f16(a) + clem_f32_from_f16(b));
}

ushort clem_sub_f16(ushort a, ushort b)
{
    return clem_f16_from_f32(clem_f32_from_f16(a) - clem_f32_from_f16(b));
}

ushort clem_mul_f16(ushort a, ushort b)
{
    return clem_f16_from_f32(clem_f32_from_f16(a) * clem_f32_from_f16(b));
}

/* The product of 11 digits by 11 is exact in float. */
ushort clem_fma_f16(ushort a, ushort b, ushort c)
{
    float product = clem_f32_from_f16(a) * clem_f32_from_f16(b);
    return clem_f16_from_f32(clem_odd_sum(product, clem_f32_from_f16(c)));
}

ushort clem_add_bf16(ushort a, ushort b)
{
    return clem_bf16_from_f32(clem_f32_from_bf16(a) + clem_f32_from_bf16(b));
}

ushort clem_sub_bf16(ushort a, ushort b)
{
    return clem_bf16_from_f32(clem_f32_from_bf16(a) - clem_f32_from_bf16(b));
}

/* bfloat16 has float's exponents, so products in float may lose digits at the small end. */
ushort clem_fma_bf16(ushort a, ushort b, ushort c)
{
    float x = clem_f32_from_bf16(a);
    float y = clem_f32_from_bf16(b);
    float z = clem_f32_from_bf16(c);
    if (!clem_is_finite_f32(x) || !clem_is_finite_f32(y) || !clem_is_finite_f32(z))
        return clem_bf16_from_f32(fma(x, y, z));
    return (ushort)clem_fma_bits(a, b, c, clem_rn, 8, 8);
}

ushort clem_mul_bf16(ushort a, ushort b)
{
    return clem_fma_bf16(a, b, (ushort)((a ^ b) & 0x8000));
}

ushort clem_neg_half(ushort a)
{
    return (ushort)(a ^ 0x8000);
}

ushort clem_abs_half(ushort a)
{
    return (ushort)(a & 0x7fff);
}

ushort clem_ftz_f16(ushort a)
{
    return (ushort)(a & 0x7c00 ? a : a & 0x8000);
}

ushort clem_ftz_bf16(ushort a)
{
    return (ushort)(a & 0x7f80 ? a : a & 0x8000);
}

/* Into 0 to 1; NaN and -0 give +0. */
ushort clem_sat_f16(ushort a)
{
    return (ushort)(a & 0x8000 || a > 0x7c00 ? 0 : a > 0x3c00 ? 0x3c00 : a);
}

ushort clem_sat_bf16(ushort a)
{
    return (ushort)(a & 0x8000 || a > 0x7f80 ? 0 : a > 0x3f80 ? 0x3f80 : a);
}

/* Negative numbers to +0; NaN to its one form. */
ushort clem_relu_f16(ushort a)
{
    return (ushort)((a & 0x7fff) > 0x7c00 ? 0x7fff : a & 0x8000 ? 0 : a);
}

uint clem_relu_f16x2(uint a)
{
    return clem_pair(clem_relu_f16((ushort)a), clem_relu_f16((ushort)(a >> 16)));
}

ushort clem_relu_bf16(ushort a)
{
    return (ushort)((a & 0x7fff) > 0x7f80 ? 0x7fff : a & 0x8000 ? 0 : a);
}

/* The order of both formats as that of whole numbers: -0 below +0. */
int clem_order_half(ushort a)
{
    return a & 0x8000 ? -1 - (int)(a & 0x7fff) : (int)a;
}

/* `infinite`: the bits of infinity, which tell the format. */
ushort clem_min_half(ushort a, ushort b, uint infinite)
{
    uint a_is_nan = (a & 0x7fffu) > infinite;
    uint b_is_nan = (b & 0x7fffu) > infinite;
    ushort least = clem_order_half(a) < clem_order_half(b) ? a : b;
    return (ushort)(a_is_nan ? (b_is_nan ? 0x7fff : b) : b_is_nan ? a : least);
}

ushort clem_max_half(ushort a, ushort b, uint infinite)
{
    uint a_is_nan = (a & 0x7fffu) > infinite;
    uint b_is_nan = (b & 0x7fffu) > infinite;
    ushort most = clem_order_half(a) > clem_order_half(b) ? a : b;
    return (ushort)(a_is_nan ? (b_is_nan ? 0x7fff : b) : b_is_nan ? a : most);
}

/* .NaN: if one is NaN, so is the result. */
ushort clem_nan_half(ushort result, ushort a, ushort b, uint infinite)
{
    return (ushort)((a & 0x7fffu) > infinite || (b & 0x7fffu) > infinite ? 0x7fff : result);
}

/* .xorsign.abs: of the absolute values, then the product's sign. */
ushort clem_xorsign_half(ushort magnitude, ushort a, ushort b)
{
    return (ushort)((magnitude & 0x7fff) | ((a ^ b) & 0x8000));
}
