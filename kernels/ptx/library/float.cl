/* Float and double arithmetic beyond what C gives: rounding in any direction (exact, by integers),
 * flushing, saturation, the rules for NaN. C of both kinds, so that the host can test it.
 *
 * A format is told by its digits (24, 53, 11, 8: with the hidden one) and the width of its
 * exponent (8, 11, 5, 8).
 * SPDX-License-Identifier: Apache-2.0 */

#define clem_rn 0u

#define clem_rz 1u

#define clem_rm 2u

#define clem_rp 3u

#define clem_rna 4u

/* Whether what was cut off (left-aligned in `rest`) raises the last digit kept. */
uint clem_rounds_up(uint negative, ulong rest, uint odd, uint mode)
{
    ulong middle = 1ul << 63;
    if (mode == clem_rn)
        return rest > middle || (rest == middle && odd);
    if (mode == clem_rna)
        return rest >= middle;
    return rest != 0ul && ((mode == clem_rm && negative) || (mode == clem_rp && !negative));
}

/* The number m * 2^e in a format. The lowest bit of m may stand for any smaller rest. */
ulong clem_pack(uint negative, int e, ulong m, uint mode, int digits, int width)
{
    ulong sign = (ulong)negative << (digits - 1 + width);
    ulong infinite = ((1ul << width) - 1ul) << (digits - 1);
    if (m == 0ul)
        return sign;
    int lead = (int)clz(m);
    int field = e - lead + 62 + (1 << (width - 1));
    int cut = 64 - digits + (field < 1 ? 1 - field : 0);
    m <<= lead;
    ulong kept = cut > 63 ? 0ul : m >> cut;
    ulong rest = cut > 64 ? 1ul : cut == 64 ? m : m << (64 - cut);
    if (field < (1 << width) - 1) {
        kept += clem_rounds_up(negative, rest, (uint)kept & 1u, mode);
        kept += field > 1 ? (ulong)(field - 1) << (digits - 1) : 0ul;
    }
    if (field >= (1 << width) - 1 || kept >= infinite) {
        uint away = mode == clem_rn || mode == clem_rna || mode == (negative ? clem_rm : clem_rp);
        kept = infinite - (away ? 0ul : 1ul);
    }
    return sign | kept;
}

/* A finite number as mantissa * 2^exponent. */
ulong clem_mantissa(ulong bits, int digits, int width)
{
    ulong fraction = bits & ((1ul << (digits - 1)) - 1ul);
    ulong field = bits >> (digits - 1) & ((1ul << width) - 1ul);
    return field == 0ul ? fraction : fraction | 1ul << (digits - 1);
}

int clem_exponent(ulong bits, int digits, int width)
{
    int field = (int)(bits >> (digits - 1) & ((1ul << width) - 1ul));
    return (field == 0 ? 1 : field) - (1 << (width - 1)) + 2 - digits;
}

uint clem_negative(ulong bits, int digits, int width)
{
    return (uint)(bits >> (digits - 1 + width)) & 1u;
}

/* high:low shifted left by less than 128. */
ulong clem_high_left(ulong high, ulong low, int n)
{
    return n == 0 ? high : n < 64 ? high << (n & 63) | low >> (64 - n & 63) : low << (n - 64 & 63);
}

ulong clem_low_left(ulong low, int n)
{
    return n < 64 ? low << (n & 63) : 0ul;
}

/* high:low shifted right; what falls out sets the lowest bit. */
ulong clem_low_right(ulong high, ulong low, int n)
{
    if (n == 0)
        return low;
    if (n < 64)
        return low >> n | high << (64 - n) | (ulong)(low << (64 - n) != 0ul);
    if (n == 64)
        return high | (ulong)(low != 0ul);
    if (n < 128)
        return high >> (n - 64) | (ulong)((high << (128 - n) | low) != 0ul);
    return (high | low) != 0ul;
}

ulong clem_high_right(ulong high, int n)
{
    return n < 64 ? high >> (n & 63) : 0ul;
}

/* The number high:low * 2^e in a format. */
ulong clem_pack_wide(uint negative, int e, ulong high, ulong low, uint mode, int digits, int width)
{
    int lead = high != 0ul ? (int)clz(high) : 64;
    ulong m = clem_high_left(high, low, lead) | (ulong)(clem_low_left(low, lead) != 0ul);
    return clem_pack(negative, e + 64 - lead, m, mode, digits, width);
}

/* x + y where both are high:low * 2^e with the highest one at bit 126. */
ulong clem_sum_wide(uint x_negative, int x_e, ulong x_high, ulong x_low, uint y_negative, int y_e,
                    ulong y_high, uint mode, int digits, int width)
{
    ulong y_low = 0ul;
    int e = x_e > y_e ? x_e : y_e;
    int x_right = e - x_e;
    int y_right = e - y_e;
    x_low = clem_low_right(x_high, x_low, x_right);
    x_high = clem_high_right(x_high, x_right);
    y_low = clem_low_right(y_high, y_low, y_right);
    y_high = clem_high_right(y_high, y_right);
    if (x_negative == y_negative) {
        x_low += y_low;
        x_high += y_high + (ulong)(x_low < y_low);
    } else if (x_high > y_high || (x_high == y_high && x_low >= y_low)) {
        x_high -= y_high + (ulong)(x_low < y_low);
        x_low -= y_low;
    } else {
        x_high = y_high - x_high - (ulong)(y_low < x_low);
        x_low = y_low - x_low;
        x_negative = y_negative;
    }
    if ((x_high | x_low) == 0ul)
        x_negative = mode == clem_rm;
    return clem_pack_wide(x_negative, e, x_high, x_low, mode, digits, width);
}

/* a * b + c of finite numbers, rounded once. */
ulong clem_fma_bits(ulong a, ulong b, ulong c, uint mode, int digits, int width)
{
    ulong x = clem_mantissa(a, digits, width);
    ulong y = clem_mantissa(b, digits, width);
    ulong z = clem_mantissa(c, digits, width);
    uint negative = clem_negative(a, digits, width) ^ clem_negative(b, digits, width);
    uint z_negative = clem_negative(c, digits, width);
    int e = clem_exponent(a, digits, width) + clem_exponent(b, digits, width);
    ulong high = mul_hi(x, y);
    ulong low = x * y;
    if ((high | low) == 0ul) {
        if (z == 0ul)
            c = (ulong)(negative == z_negative ? negative : mode == clem_rm)
                << (digits - 1 + width);
        return c;
    }
    if (z == 0ul)
        return clem_pack_wide(negative, e, high, low, mode, digits, width);
    int left = (high != 0ul ? (int)clz(high) : 64 + (int)clz(low)) - 1;
    high = clem_high_left(high, low, left);
    low = clem_low_left(low, left);
    int z_left = (int)clz(z) - 1;
    int z_e = clem_exponent(c, digits, width) - z_left - 64;
    return clem_sum_wide(negative, e - left, high, low, z_negative, z_e, z << z_left, mode, digits,
                         width);
}

/* a / b of finite numbers that are not zero: digit by digit, or by one division where it has room.
 */
ulong clem_div_bits(ulong a, ulong b, uint mode, int digits, int width)
{
    ulong x = clem_mantissa(a, digits, width);
    ulong y = clem_mantissa(b, digits, width);
    uint negative = clem_negative(a, digits, width) ^ clem_negative(b, digits, width);
    int x_left = (int)clz(x) - 1;
    int y_left = (int)clz(y) - 1;
    int e = clem_exponent(a, digits, width) - x_left - clem_exponent(b, digits, width) + y_left;
    ulong quotient = 0ul;
    int i;
    x <<= x_left;
    y <<= y_left;
    if (digits == 24) {
        y >>= 39;
        quotient = x / y;
        return clem_pack(negative, e - 40, quotient << 1 | (ulong)(x % y != 0ul), mode, digits,
                         width);
    }
    for (i = 0; i < 60; ++i) {
        quotient <<= 1;
        if (x >= y) {
            x -= y;
            quotient |= 1ul;
        }
        x <<= 1;
    }
    return clem_pack(negative, e - 60, quotient << 1 | (ulong)(x != 0ul), mode, digits, width);
}

/* The root of a finite number above zero, digit by digit. */
ulong clem_sqrt_bits(ulong a, uint mode, int digits, int width)
{
    ulong m = clem_mantissa(a, digits, width);
    int left = (int)clz(m) - 1;
    int e = clem_exponent(a, digits, width) - left;
    ulong root = 0ul;
    ulong rest = 0ul;
    int i;
    m <<= left;
    if (e & 1) {
        m <<= 1;
        e -= 1;
    }
    for (i = 0; i < 57; ++i) {
        ulong trial = root << 2 | 1ul;
        rest = rest << 2 | m >> 62;
        m <<= 2;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1ul;
        }
    }
    return clem_pack(0u, e / 2 - 26, root << 1 | (ulong)(rest != 0ul), mode, digits, width);
}

uint clem_is_finite_f32(float a)
{
    return (as_uint(a) & 0x7f800000u) != 0x7f800000u;
}

uint clem_is_finite_f64(double a)
{
    return (as_ulong(a) & 0x7ff0000000000000ul) != 0x7ff0000000000000ul;
}

float clem_fma_f32(float a, float b, float c, uint mode)
{
    if (!clem_is_finite_f32(a) || !clem_is_finite_f32(b) || !clem_is_finite_f32(c))
        return fma(a, b, c);
    return as_float((uint)clem_fma_bits(as_uint(a), as_uint(b), as_uint(c), mode, 24, 8));
}

float clem_add_f32(float a, float b, uint mode)
{
    return clem_fma_f32(a, 1.0f, b, mode);
}

/* A zero of the product's sign changes nothing, not even a zero's sign. */
float clem_mul_f32(float a, float b, uint mode)
{
    return clem_fma_f32(a, b, as_float((as_uint(a) ^ as_uint(b)) & 0x80000000u), mode);
}

float clem_div_f32(float a, float b, uint mode)
{
    if (!clem_is_finite_f32(a) || !clem_is_finite_f32(b) || a == 0.0f || b == 0.0f)
        return a / b;
    return as_float((uint)clem_div_bits(as_uint(a), as_uint(b), mode, 24, 8));
}

float clem_sqrt_f32(float a, uint mode)
{
    if (!clem_is_finite_f32(a) || !(a > 0.0f))
        return sqrt(a);
    return as_float((uint)clem_sqrt_bits(as_uint(a), mode, 24, 8));
}

double clem_fma_f64(double a, double b, double c, uint mode)
{
    if (!clem_is_finite_f64(a) || !clem_is_finite_f64(b) || !clem_is_finite_f64(c))
        return fma(a, b, c);
    return as_double(clem_fma_bits(as_ulong(a), as_ulong(b), as_ulong(c), mode, 53, 11));
}

double clem_add_f64(double a, double b, uint mode)
{
    return clem_fma_f64(a, 1.0, b, mode);
}

double clem_mul_f64(double a, double b, uint mode)
{
    return clem_fma_f64(a, b, as_double((as_ulong(a) ^ as_ulong(b)) & 0x8000000000000000ul), mode);
}

double clem_div_f64(double a, double b, uint mode)
{
    if (!clem_is_finite_f64(a) || !clem_is_finite_f64(b) || a == 0.0 || b == 0.0)
        return a / b;
    return as_double(clem_div_bits(as_ulong(a), as_ulong(b), mode, 53, 11));
}

double clem_sqrt_f64(double a, uint mode)
{
    if (!clem_is_finite_f64(a) || !(a > 0.0))
        return sqrt(a);
    return as_double(clem_sqrt_bits(as_ulong(a), mode, 53, 11));
}

/* Correctly rounded by way of double: 53 digits are more than twice 24 and two, so the second
 * rounding does no harm. */
float clem_div_by_double(float a, float b)
{
    return (float)((double)a / (double)b);
}

float clem_sqrt_by_double(float a)
{
    return (float)sqrt((double)a);
}

/* Subnormal numbers to zero, with their sign. */
float clem_ftz(float a)
{
    return as_float(as_uint(a) & 0x7f800000u ? as_uint(a) : as_uint(a) & 0x80000000u);
}

/* Into 0 to 1; NaN and -0 give +0. */
float clem_sat_f32(float a)
{
    return a > 0.0f ? (a < 1.0f ? a : 1.0f) : 0.0f;
}

double clem_sat_f64(double a)
{
    return a > 0.0 ? (a < 1.0 ? a : 1.0) : 0.0;
}

/* Negative numbers to +0; NaN to its one form. */
float clem_relu_f32(float a)
{
    return a != a ? as_float(0x7fffffffu) : a > 0.0f ? a : 0.0f;
}

/* Of two numbers; of a number and NaN the number. Zeros: -0 is below +0. */
float clem_min_f32(float a, float b)
{
    uint same = as_uint(a) | as_uint(b);
    float least = a < b ? a : b < a ? b : as_float(same);
    return a != a ? (b != b ? as_float(0x7fffffffu) : b) : b != b ? a : least;
}

float clem_max_f32(float a, float b)
{
    uint same = as_uint(a) & as_uint(b);
    float most = a > b ? a : b > a ? b : as_float(same);
    return a != a ? (b != b ? as_float(0x7fffffffu) : b) : b != b ? a : most;
}

double clem_min_f64(double a, double b)
{
    ulong same = as_ulong(a) | as_ulong(b);
    double least = a < b ? a : b < a ? b : as_double(same);
    return a != a ? b : b != b ? a : least;
}

double clem_max_f64(double a, double b)
{
    ulong same = as_ulong(a) & as_ulong(b);
    double most = a > b ? a : b > a ? b : as_double(same);
    return a != a ? b : b != b ? a : most;
}

/* .NaN: if one is NaN, so is the result. */
float clem_min_nan_f32(float a, float b)
{
    return a != a || b != b ? as_float(0x7fffffffu) : clem_min_f32(a, b);
}

float clem_max_nan_f32(float a, float b)
{
    return a != a || b != b ? as_float(0x7fffffffu) : clem_max_f32(a, b);
}

/* .xorsign.abs: of the absolute values, then the product's sign. */
float clem_xorsign_f32(float magnitude, float a, float b)
{
    return as_float((as_uint(magnitude) & 0x7fffffffu) | ((as_uint(a) ^ as_uint(b)) & 0x80000000u));
}

/* The upper word alone: what the gross approximations of double give. */
double clem_upper_f64(double a)
{
    return as_double(as_ulong(a) & 0xffffffff00000000ul);
}

/* Subnormal doubles to zero, with their sign: the same approximations. */
double clem_ftz_f64(double a)
{
    return as_double(as_ulong(a) & 0x7ff0000000000000ul ? as_ulong(a)
                                                        : as_ulong(a) & 0x8000000000000000ul);
}
