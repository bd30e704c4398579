/* Double by integers, for devices that have none: a number is its 64 bits. Rounded as IEEE 754 says, with subnormal numbers;
 * of NaNs the first operand's that is one, made quiet, and the negative one where there was none. C of both kinds, so that the
 * host can test it. What rounds in any direction, in one step, is float.cl's.
 * SPDX-License-Identifier: Apache-2.0 */

#define CLEM_SOFT_SIGN 0x8000000000000000ul

#define CLEM_SOFT_ABS 0x7ffffffffffffffful

#define CLEM_SOFT_FRACTION 0x000ffffffffffffful

#define CLEM_SOFT_HIDDEN 0x0010000000000000ul

#define CLEM_SOFT_INFINITE 0x7ff0000000000000ul

#define CLEM_SOFT_QUIET 0x0008000000000000ul

#define CLEM_SOFT_NAN 0xfff8000000000000ul

#define CLEM_SOFT_ONE 0x3ff0000000000000ul

uint clem_soft_is_nan(ulong a)
{
    return (a & CLEM_SOFT_ABS) > CLEM_SOFT_INFINITE;
}

uint clem_soft_is_finite(ulong a)
{
    return (a & CLEM_SOFT_INFINITE) != CLEM_SOFT_INFINITE;
}

/* The first of two that is NaN. */
ulong clem_soft_nan(ulong a, ulong b)
{
    return (clem_soft_is_nan(a) ? a : b) | CLEM_SOFT_QUIET;
}

/* m, whose bit 63 has the exponent's field, to the nearest number. Field: 1 or more; bit 63 may be 0 where it is 1. */
ulong clem_soft_pack_nearest(ulong sign, int field, ulong m)
{
    ulong kept = m >> 11;
    kept += (ulong)((m & 0x7fful) + (kept & 1ul) > 0x400ul);
    kept += (ulong)(field - 1) << 52;
    return sign | min(kept, CLEM_SOFT_INFINITE);
}

ulong clem_soft_add_special(ulong a, ulong b)
{
    if (clem_soft_is_nan(a) || clem_soft_is_nan(b))
        return clem_soft_nan(a, b);
    if (clem_soft_is_finite(a))
        return b;
    return clem_soft_is_finite(b) || a == b ? a : CLEM_SOFT_NAN;
}

/* Ten digits below the last one: what is shifted out of them sets the lowest. */
ulong clem_soft_add(ulong a, ulong b)
{
    uint swaps = (a & CLEM_SOFT_ABS) < (b & CLEM_SOFT_ABS);
    ulong large = swaps ? b : a;
    ulong small = swaps ? a : b;
    ulong differ = (a ^ b) >> 63;
    int field = (int)(large >> 52) & 0x7ff;
    int other = (int)(small >> 52) & 0x7ff;
    ulong m = ((large & CLEM_SOFT_FRACTION) | (field ? CLEM_SOFT_HIDDEN : 0ul)) << 10;
    ulong n = ((small & CLEM_SOFT_FRACTION) | (other ? CLEM_SOFT_HIDDEN : 0ul)) << 10;
    if (field == 0x7ff)
        return clem_soft_add_special(a, b);
    field = max(field, 1);
    int right = min(field - max(other, 1), 63);
    ulong kept = n >> right;
    kept |= (ulong)(kept << right != n);
    m += (kept ^ (0ul - differ)) + differ;
    if (m == 0ul)
        return a & b & CLEM_SOFT_SIGN;
    int left = min((int)clz(m), field);
    return clem_soft_pack_nearest(large & CLEM_SOFT_SIGN, field + 1 - left, m << left);
}

ulong clem_soft_sub(ulong a, ulong b)
{
    return clem_soft_is_nan(b) ? clem_soft_nan(a, b) : clem_soft_add(a, b ^ CLEM_SOFT_SIGN);
}

/* Of two numbers from 1 to below 2, whose first digit is bit 63. field: of a product from 2 on. */
ulong clem_soft_product(ulong sign, int field, ulong x, ulong y)
{
    ulong high = mul_hi(x, y);
    int left = high >> 63 ? 0 : 1;
    ulong m = high << left | (ulong)(x * y != 0ul);
    field -= left;
    if (field < 1) {
        int right = min(1 - field, 63);
        ulong kept = m >> right;
        m = kept | (ulong)(kept << right != m);
        field = 1;
    }
    return clem_soft_pack_nearest(sign, field, m);
}

ulong clem_soft_first_digit(ulong a)
{
    ulong m = (a & CLEM_SOFT_FRACTION) | (a & CLEM_SOFT_INFINITE ? CLEM_SOFT_HIDDEN : 0ul);
    return m << clz(m);
}

/* The exponent's field, below 1 for subnormal numbers. */
int clem_soft_field(ulong a)
{
    int field = (int)(a >> 52) & 0x7ff;
    return field ? field : 12 - (int)clz(a & CLEM_SOFT_FRACTION);
}

/* Where one is subnormal or no number. */
ulong clem_soft_mul_special(ulong a, ulong b)
{
    ulong sign = (a ^ b) & CLEM_SOFT_SIGN;
    if (clem_soft_is_nan(a) || clem_soft_is_nan(b))
        return clem_soft_nan(a, b);
    if ((a & CLEM_SOFT_ABS) == 0ul || (b & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_finite(a) && clem_soft_is_finite(b) ? sign : CLEM_SOFT_NAN;
    if (!clem_soft_is_finite(a) || !clem_soft_is_finite(b))
        return sign | CLEM_SOFT_INFINITE;
    return clem_soft_product(sign, clem_soft_field(a) + clem_soft_field(b) - 1022, clem_soft_first_digit(a),
                             clem_soft_first_digit(b));
}

ulong clem_soft_mul(ulong a, ulong b)
{
    int x = (int)(a >> 52) & 0x7ff;
    int y = (int)(b >> 52) & 0x7ff;
    if (max(x, y) == 0x7ff || min(x, y) == 0)
        return clem_soft_mul_special(a, b);
    return clem_soft_product((a ^ b) & CLEM_SOFT_SIGN, x + y - 1022, (a | CLEM_SOFT_HIDDEN) << 11 | CLEM_SOFT_SIGN,
                             (b | CLEM_SOFT_HIDDEN) << 11 | CLEM_SOFT_SIGN);
}

ulong clem_soft_fma_special(ulong a, ulong b, ulong c)
{
    ulong product;
    if (clem_soft_is_nan(a) || clem_soft_is_nan(b))
        return clem_soft_nan(a, b);
    if (clem_soft_is_nan(c))
        return c | CLEM_SOFT_QUIET;
    if (clem_soft_is_finite(a) && clem_soft_is_finite(b))
        return c;
    product = clem_soft_mul_special(a, b);
    return clem_soft_is_nan(product) ? product : clem_soft_add_special(product, c);
}

ulong clem_soft_fma(ulong a, ulong b, ulong c, uint mode)
{
    if (!clem_soft_is_finite(a) || !clem_soft_is_finite(b) || !clem_soft_is_finite(c))
        return clem_soft_fma_special(a, b, c);
    return clem_fma_bits(a, b, c, mode, 53, 11);
}

/* Rounded in any direction. */
ulong clem_soft_add_mode(ulong a, ulong b, uint mode)
{
    return clem_soft_fma(a, CLEM_SOFT_ONE, b, mode);
}

ulong clem_soft_sub_mode(ulong a, ulong b, uint mode)
{
    return clem_soft_is_nan(b) ? clem_soft_nan(a, b) : clem_soft_add_mode(a, b ^ CLEM_SOFT_SIGN, mode);
}

/* A zero of the product's sign changes nothing, not even a zero's sign. */
ulong clem_soft_mul_mode(ulong a, ulong b, uint mode)
{
    return clem_soft_fma(a, b, (a ^ b) & CLEM_SOFT_SIGN, mode);
}

ulong clem_soft_div(ulong a, ulong b, uint mode)
{
    ulong sign = (a ^ b) & CLEM_SOFT_SIGN;
    ulong x = a & CLEM_SOFT_ABS;
    ulong y = b & CLEM_SOFT_ABS;
    if (clem_soft_is_nan(a) || clem_soft_is_nan(b))
        return clem_soft_nan(a, b);
    if ((x == 0ul && y == 0ul) || (x == CLEM_SOFT_INFINITE && y == CLEM_SOFT_INFINITE))
        return CLEM_SOFT_NAN;
    if (x == CLEM_SOFT_INFINITE || y == 0ul)
        return sign | CLEM_SOFT_INFINITE;
    if (x == 0ul || y == CLEM_SOFT_INFINITE)
        return sign;
    return clem_div_bits(a, b, mode, 53, 11);
}

ulong clem_soft_sqrt(ulong a, uint mode)
{
    if (clem_soft_is_nan(a))
        return a | CLEM_SOFT_QUIET;
    if (a == CLEM_SOFT_INFINITE || (a & CLEM_SOFT_ABS) == 0ul)
        return a;
    return a & CLEM_SOFT_SIGN ? CLEM_SOFT_NAN : clem_sqrt_bits(a, mode, 53, 11);
}

/* ---- Comparisons: false where one is NaN ---- */

long clem_soft_order(ulong a)
{
    return a & CLEM_SOFT_SIGN ? -(long)(a & CLEM_SOFT_ABS) : (long)a;
}

uint clem_soft_are_numbers(ulong a, ulong b)
{
    return max(a & CLEM_SOFT_ABS, b & CLEM_SOFT_ABS) <= CLEM_SOFT_INFINITE;
}

uint clem_soft_eq(ulong a, ulong b)
{
    return clem_soft_are_numbers(a, b) && (a == b || ((a | b) & CLEM_SOFT_ABS) == 0ul);
}

uint clem_soft_lt(ulong a, ulong b)
{
    return clem_soft_are_numbers(a, b) && clem_soft_order(a) < clem_soft_order(b);
}

uint clem_soft_le(ulong a, ulong b)
{
    return clem_soft_are_numbers(a, b) && clem_soft_order(a) <= clem_soft_order(b);
}

/* Of two numbers; of a number and NaN the number. Zeros: -0 is below +0. */
ulong clem_soft_min(ulong a, ulong b)
{
    if (clem_soft_is_nan(a) || clem_soft_is_nan(b))
        return clem_soft_is_nan(a) ? b : a;
    return clem_soft_lt(a, b) || (clem_soft_eq(a, b) && a & CLEM_SOFT_SIGN) ? a : b;
}

ulong clem_soft_max(ulong a, ulong b)
{
    if (clem_soft_is_nan(a) || clem_soft_is_nan(b))
        return clem_soft_is_nan(a) ? b : a;
    return clem_soft_lt(b, a) || (clem_soft_eq(a, b) && !(a & CLEM_SOFT_SIGN)) ? a : b;
}

/* Into 0 to 1; NaN and -0 give +0. */
ulong clem_soft_sat(ulong a)
{
    return clem_soft_lt(0ul, a) ? (clem_soft_lt(a, CLEM_SOFT_ONE) ? a : CLEM_SOFT_ONE) : 0ul;
}

ulong clem_soft_upper(ulong a)
{
    return a & 0xffffffff00000000ul;
}

ulong clem_soft_ftz(ulong a)
{
    return a & CLEM_SOFT_INFINITE ? a : a & CLEM_SOFT_SIGN;
}

/* ---- Whole numbers ---- */

/* Rounded to a whole number, still a double. */
ulong clem_soft_whole(ulong a, uint mode)
{
    uint negative = (uint)(a >> 63);
    int field = (int)(a >> 52) & 0x7ff;
    ulong unit, low;
    if (field >= 1075)
        return clem_soft_is_nan(a) ? a | CLEM_SOFT_QUIET : a;
    if (field < 1023) {
        ulong rest = field == 1022 ? a << 11 | CLEM_SOFT_SIGN : (ulong)((a & CLEM_SOFT_ABS) != 0ul);
        return (a & CLEM_SOFT_SIGN) | (clem_rounds_up(negative, rest, 0u, mode) ? CLEM_SOFT_ONE : 0ul);
    }
    unit = 1ul << (1075 - field);
    low = a & (unit - 1ul);
    a -= low;
    return a + (clem_rounds_up(negative, low << (field - 1011), (uint)((a & unit) != 0ul), mode) ? unit : 0ul);
}

/* Without its sign, cut off behind the point; the largest integer for more. */
ulong clem_soft_magnitude(ulong a)
{
    int field = (int)(a >> 52) & 0x7ff;
    ulong m = (a & CLEM_SOFT_FRACTION) | CLEM_SOFT_HIDDEN;
    if (field < 1023)
        return 0ul;
    if (field > 1086)
        return 0xfffffffffffffffful;
    return field >= 1075 ? m << (field - 1075) : m >> (1075 - field);
}

/* NaN gives the highest bit alone. */
ulong clem_soft_to_u64(ulong a)
{
    if (clem_soft_is_nan(a))
        return CLEM_SOFT_SIGN;
    return a & CLEM_SOFT_SIGN ? 0ul : clem_soft_magnitude(a);
}

long clem_soft_to_s64(ulong a)
{
    ulong m = clem_soft_magnitude(a);
    if (clem_soft_is_nan(a) || (a & CLEM_SOFT_SIGN && m > CLEM_SOFT_ABS))
        return -0x7fffffffffffffffl - 1l;
    return a & CLEM_SOFT_SIGN ? -(long)m : (long)min(m, CLEM_SOFT_ABS);
}

uint clem_soft_to_u32(ulong a)
{
    return clem_soft_is_nan(a) ? 0x80000000u : (uint)min(clem_soft_to_u64(a), 0xfffffffful);
}

int clem_soft_to_s32(ulong a)
{
    long whole = clem_soft_to_s64(a);
    return whole < -0x80000000l ? -0x7fffffff - 1 : whole > 0x7fffffffl ? 0x7fffffff : (int)whole;
}

int clem_soft_narrow(ulong a, int least, int most, int of_nan)
{
    int value = clem_soft_to_s32(a);
    return clem_soft_is_nan(a) ? of_nan : value < least ? least : value > most ? most : value;
}

/* ---- Other formats ---- */

ulong clem_soft_from_f32(float a)
{
    uint bits = as_uint(a);
    ulong sign = (ulong)(bits >> 31) << 63;
    uint field = bits >> 23 & 0xffu;
    ulong shifted = (ulong)(bits & 0x7fffffffu) << 29;
    if (field == 0xffu)
        return sign | CLEM_SOFT_INFINITE | shifted | (bits & 0x7fffffu ? CLEM_SOFT_QUIET : 0ul);
    if (field == 0u)
        return clem_pack(bits >> 31, -149, bits & 0x7fffffu, clem_rn, 53, 11);
    return sign | (shifted + 0x3800000000000000ul);
}

/* Into a smaller format, rounded once; NaN has one form there. */
ulong clem_soft_to(ulong a, uint mode, int digits, int width)
{
    ulong infinite = ((1ul << width) - 1ul) << (digits - 1);
    if (clem_soft_is_nan(a))
        return (1ul << (digits - 1 + width)) - 1ul;
    if (!clem_soft_is_finite(a))
        return a >> 63 << (digits - 1 + width) | infinite;
    return clem_pack((uint)(a >> 63), clem_exponent(a, 53, 11), clem_mantissa(a, 53, 11), mode, digits, width);
}

float clem_soft_to_f32(ulong a)
{
    return as_float((uint)clem_soft_to(a, clem_rn, 24, 8));
}

/* ---- Remainders ---- */

/* Of finite numbers without signs, y not zero: x - n * y with the n that is cut off, whose last digits are *quotient. */
ulong clem_soft_rest(ulong x, ulong y, uint *quotient)
{
    int n = clem_soft_field(x) - clem_soft_field(y);
    ulong by = clem_soft_first_digit(y) >> 11;
    ulong m;
    *quotient = 0u;
    if (x < y)
        return x;
    m = clem_soft_first_digit(x) >> 11;
    for (; n >= 0; --n) {
        *quotient <<= 1;
        if (m >= by) {
            m -= by;
            *quotient |= 1u;
        }
        m <<= n > 0 ? 1 : 0;
    }
    return clem_pack(0u, clem_soft_field(y) - 1075, m, clem_rn, 53, 11);
}

/* The quotient of no numbers, of infinity, by zero. */
uint clem_soft_has_no_rest(ulong x, ulong y)
{
    return !clem_soft_is_finite(x) || clem_soft_is_nan(y) || (y & CLEM_SOFT_ABS) == 0ul;
}

ulong clem_soft_fmod(ulong x, ulong y)
{
    uint quotient;
    if (clem_soft_is_nan(x) || clem_soft_is_nan(y))
        return clem_soft_nan(x, y);
    if (clem_soft_has_no_rest(x, y))
        return CLEM_SOFT_NAN;
    if (!clem_soft_is_finite(y))
        return x;
    return (x & CLEM_SOFT_SIGN) | clem_soft_rest(x & CLEM_SOFT_ABS, y & CLEM_SOFT_ABS, &quotient);
}

/* By the nearest quotient, of two the even one: its last digits with its sign. */
ulong clem_soft_nearest_rest(ulong x, ulong y, int *digits)
{
    ulong sign = x & CLEM_SOFT_SIGN;
    ulong by = y & CLEM_SOFT_ABS;
    ulong twice, rest;
    uint quotient = 0u;
    *digits = 0;
    if (clem_soft_is_nan(x) || clem_soft_is_nan(y))
        return clem_soft_nan(x, y);
    if (clem_soft_has_no_rest(x, y))
        return CLEM_SOFT_NAN;
    if (!clem_soft_is_finite(y))
        return x;
    rest = clem_soft_rest(x & CLEM_SOFT_ABS, by, &quotient);
    twice = clem_soft_add(rest, rest);
    if (twice > by || (twice == by && quotient & 1u)) {
        rest = clem_soft_add(rest, by | CLEM_SOFT_SIGN);
        quotient += 1u;
    }
    *digits = (int)((quotient & 7u) ^ (0u - (uint)((x ^ y) >> 63))) + (int)((x ^ y) >> 63);
    return rest ^ sign;
}

ulong clem_soft_remainder(ulong x, ulong y)
{
    int digits;
    return clem_soft_nearest_rest(x, y, &digits);
}

int clem_soft_remquo_quotient(ulong x, ulong y)
{
    int digits;
    clem_soft_nearest_rest(x, y, &digits);
    return digits;
}
