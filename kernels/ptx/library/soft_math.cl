/* The math library of double where a device has none: by numbers with 64 digits, so that what is rounded in the end is almost
 * always right to the last digit. Bounds: CUDA's. C of both kinds, so that the host can test it.
 *
 * Source: CUDA C++ Programming Guide 13.0, Mathematical Functions (special values, errors).
 * SPDX-License-Identifier: Apache-2.0 */

/* ---- Numbers with 64 digits ---- */

/* m * 2^e; bit 63 of m is 1, or all are 0. */
struct clem_wide {
    ulong m;
    int e;
    uint negative;
};

struct clem_wide clem_wide_of(uint negative, ulong m, int e)
{
    struct clem_wide w;
    int left = m ? (int)clz(m) : 0;
    w.m = m << left;
    w.e = e - left;
    w.negative = negative;
    return w;
}

/* Of a finite number. */
struct clem_wide clem_wide_from(ulong a)
{
    return clem_wide_of((uint)(a >> 63), clem_mantissa(a, 53, 11), clem_exponent(a, 53, 11));
}

struct clem_wide clem_wide_whole(int n)
{
    return clem_wide_of(n < 0, n < 0 ? (ulong)(-(long)n) : (ulong)n, 0);
}

ulong clem_wide_round(struct clem_wide w)
{
    return clem_pack(w.negative, w.e, w.m, clem_rn, 53, 11);
}

struct clem_wide clem_wide_minus(struct clem_wide w)
{
    w.negative ^= 1u;
    return w;
}

struct clem_wide clem_wide_scale(struct clem_wide w, int n)
{
    w.e += n;
    return w;
}

struct clem_wide clem_wide_mul(struct clem_wide a, struct clem_wide b)
{
    return clem_wide_of(a.negative ^ b.negative, mul_hi(a.m, b.m), a.e + b.e + 64);
}

/* Exact where the exponents differ by one at most and much is lost. */
struct clem_wide clem_wide_add(struct clem_wide a, struct clem_wide b)
{
    int right;
    ulong part, sum;
    if (a.m == 0ul || b.m == 0ul)
        return a.m == 0ul ? b : a;
    if (a.e < b.e || (a.e == b.e && a.m < b.m)) {
        struct clem_wide other = a;
        a = b;
        b = other;
    }
    right = a.e - b.e;
    part = right > 63 ? 0ul : b.m >> right;
    if (a.negative == b.negative) {
        sum = a.m + part;
        return sum < part ? clem_wide_of(a.negative, sum >> 1 | CLEM_SOFT_SIGN, a.e + 1)
                          : clem_wide_of(a.negative, sum, a.e);
    }
    sum = a.m - part;
    if (right == 1 && sum < CLEM_SOFT_SIGN)
        return clem_wide_of(a.negative, (sum << 1) - (b.m & 1ul), a.e - 1);
    return clem_wide_of(sum ? a.negative : 0u, sum, a.e);
}

struct clem_wide clem_wide_sub(struct clem_wide a, struct clem_wide b)
{
    return clem_wide_add(a, clem_wide_minus(b));
}

/* Digit by digit. b: not zero. *rest: what comes behind the 64 digits. */
struct clem_wide clem_wide_div_rest(struct clem_wide a, struct clem_wide b, struct clem_wide *rest)
{
    ulong x = a.m >> 1;
    ulong y = b.m >> 1;
    ulong quotient = 0ul;
    uint negative = a.negative ^ b.negative;
    int e = a.e - b.e - 63;
    int i;
    for (i = 0; i < 64; ++i) {
        quotient <<= 1;
        if (x >= y) {
            x -= y;
            quotient |= 1ul;
        }
        x <<= 1;
    }
    *rest = clem_wide_of(negative, x, e - 63);
    return clem_wide_of(negative, quotient, e);
}

struct clem_wide clem_wide_div(struct clem_wide a, struct clem_wide b)
{
    struct clem_wide rest;
    return clem_wide_div_rest(a, b, &rest);
}

/* Of a number that is not negative: 62 digits. */
struct clem_wide clem_wide_sqrt(struct clem_wide a)
{
    ulong m = a.m;
    ulong root = 0ul;
    ulong rest = 0ul;
    int e = a.e;
    int i;
    if (e & 1) {
        m >>= 1;
        e += 1;
    }
    for (i = 0; i < 62; ++i) {
        ulong trial = root << 2 | 1ul;
        rest = rest << 2 | m >> 62;
        m <<= 2;
        root <<= 1;
        if (rest >= trial) {
            rest -= trial;
            root |= 1ul;
        }
    }
    return clem_wide_of(0u, root, e / 2 - 30);
}

/* ---- Fractions of 64 digits behind the point ---- */

/* Of a number from 0 to below 1. */
ulong clem_wide_fraction(struct clem_wide w)
{
    int right = -(w.e + 64);
    return right > 63 ? 0ul : w.m >> right;
}

/* 1 + x, or 1 - x, of a fraction. */
struct clem_wide clem_wide_near_one(ulong x, uint less)
{
    return clem_wide_of(0u, less ? CLEM_SOFT_SIGN - (x >> 1) : CLEM_SOFT_SIGN + (x >> 1), -63);
}

/* 1 / n! from n = 2 on. */
__constant ulong clem_soft_inverse_factorials[] = {
    0x8000000000000000ul, 0x2aaaaaaaaaaaaaabul, 0x0aaaaaaaaaaaaaabul, 0x0222222222222222ul, 0x005b05b05b05b05bul,
    0x000d00d00d00d00dul, 0x0001a01a01a01a02ul, 0x00002e3bc74aad8eul, 0x0000049f93edde28ul, 0x0000006b99159fd5ul,
    0x00000008f76c77fcul, 0x00000000b092309dul, 0x000000000c9cba54ul, 0x0000000000d73f9ful, 0x00000000000d73faul,
    0x000000000000ca96ul, 0x0000000000000b41ul, 0x0000000000000098ul, 0x0000000000000008ul, 0x0000000000000000ul};

/* Of every step-th from the first on: the sum of n terms times powers of t, of which every second is subtracted or none. */
ulong clem_soft_factorial_series(int first, int step, int n, ulong t, uint alternates)
{
    ulong sum = clem_soft_inverse_factorials[first + (n - 1) * step];
    int i;
    for (i = n - 2; i >= 0; --i) {
        ulong product = mul_hi(sum, t);
        sum = clem_soft_inverse_factorials[first + i * step] + (alternates ? 0ul - product : product);
    }
    return sum;
}

/* 1/3 + t/5 + t^2/7 and so on, or with every second subtracted. */
ulong clem_soft_odd_series(int n, ulong t, uint alternates)
{
    ulong sum = 0xfffffffffffffffful / (ulong)(2 * n + 1);
    int i;
    for (i = n - 1; i >= 1; --i) {
        ulong product = mul_hi(sum, t);
        sum = 0xfffffffffffffffful / (ulong)(2 * i + 1) + (alternates ? 0ul - product : product);
    }
    return sum;
}

/* ---- Powers ---- */

/* whole + fraction * 2^-64 */
struct clem_fixed {
    long whole;
    ulong fraction;
};

/* Of high:low * 2^s, which is below 2^63. */
struct clem_fixed clem_fixed_of(uint negative, ulong high, ulong low, int s)
{
    struct clem_fixed x;
    int right = high ? -(s + 64) : 64;
    x.fraction = right > 127 ? 0ul : right >= 64 ? high >> (right - 64) : low >> right | (right ? high << (64 - right) : 0ul);
    x.whole = right > 63 ? 0l : (long)(high >> right);
    if (negative) {
        x.whole = -x.whole - (x.fraction ? 1l : 0l);
        x.fraction = 0ul - x.fraction;
    }
    return x;
}

struct clem_fixed clem_fixed_add(struct clem_fixed a, struct clem_fixed b)
{
    a.fraction += b.fraction;
    a.whole += b.whole + (a.fraction < b.fraction ? 1l : 0l);
    return a;
}

struct clem_wide clem_soft_power_of_two(struct clem_fixed x)
{
    ulong t = mul_hi(x.fraction, 0xb17217f7d1cf79acul);
    ulong part = mul_hi(mul_hi(t, t), clem_soft_factorial_series(0, 1, 20, t, 0u));
    return clem_wide_of(0u, CLEM_SOFT_SIGN + (t >> 1) + (part >> 1), (int)max(min(x.whole, 0x10000l), -0x10000l) - 63);
}

/* base^x by log2(base) = (high + low * 2^-64) * 2^s. */
struct clem_wide clem_soft_power(struct clem_wide x, ulong high, ulong low, int s)
{
    ulong last = x.m * high;
    ulong sum = last + mul_hi(x.m, low);
    if (x.e > -48)
        return clem_wide_of(0u, CLEM_SOFT_SIGN, x.negative ? -0x10000 : 0x10000);
    return clem_soft_power_of_two(clem_fixed_of(x.negative, mul_hi(x.m, high) + (ulong)(sum < last), sum, x.e + s));
}

struct clem_wide clem_soft_wide_exp(struct clem_wide x)
{
    return clem_soft_power(x, 0xb8aa3b295c17f0bbul, 0xbe87fed0691d3e89ul, -63);
}

/* e^x - 1, with all its digits also where x is small. */
struct clem_wide clem_soft_wide_expm1(struct clem_wide x)
{
    ulong t, part;
    if (x.e >= -64)
        return clem_wide_sub(clem_soft_wide_exp(x), clem_wide_whole(1));
    t = clem_wide_fraction(x);
    part = mul_hi(t, clem_soft_factorial_series(0, 1, 20, t, x.negative));
    return clem_wide_mul(x, clem_wide_near_one(part, x.negative));
}

/* What e^x and the like are of no finite number: NaN, infinity, zero or `least`. */
ulong clem_soft_power_special(ulong x, ulong least)
{
    if (clem_soft_is_nan(x))
        return x | CLEM_SOFT_QUIET;
    return x & CLEM_SOFT_SIGN ? least : x;
}

ulong clem_soft_exp(ulong x)
{
    if (!clem_soft_is_finite(x))
        return clem_soft_power_special(x, 0ul);
    return clem_wide_round(clem_soft_wide_exp(clem_wide_from(x)));
}

ulong clem_soft_exp2(ulong x)
{
    if (!clem_soft_is_finite(x))
        return clem_soft_power_special(x, 0ul);
    return clem_wide_round(clem_soft_power(clem_wide_from(x), CLEM_SOFT_SIGN, 0ul, -63));
}

ulong clem_soft_exp10(ulong x)
{
    if (!clem_soft_is_finite(x))
        return clem_soft_power_special(x, 0ul);
    return clem_wide_round(clem_soft_power(clem_wide_from(x), 0xd49a784bcd1b8afeul, 0x492bf6ff4dafdb4dul, -62));
}

ulong clem_soft_expm1(ulong x)
{
    if (!clem_soft_is_finite(x))
        return clem_soft_power_special(x, CLEM_SOFT_ONE | CLEM_SOFT_SIGN);
    return (x & CLEM_SOFT_ABS) == 0ul ? x : clem_wide_round(clem_soft_wide_expm1(clem_wide_from(x)));
}

/* ---- Logarithms ---- */

/* 2 * artanh(a / b), of a quotient of 0.18 at most, without its largest part: that is twice the quotient. */
struct clem_wide clem_soft_wide_log_tail(struct clem_wide a, struct clem_wide b, struct clem_wide *twice)
{
    struct clem_wide rest;
    struct clem_wide s = clem_wide_div_rest(a, b, &rest);
    ulong square = clem_wide_fraction(clem_wide_mul(s, s));
    ulong part = mul_hi(square, clem_soft_odd_series(14, square, 0u));
    rest = clem_wide_div(rest, clem_wide_of(0u, b.m, -63));
    *twice = clem_wide_scale(s, 1);
    return clem_wide_scale(clem_wide_add(rest, clem_wide_mul(s, clem_wide_of(0u, part, -64))), 1);
}

struct clem_wide clem_soft_wide_log_of_ratio(struct clem_wide a, struct clem_wide b)
{
    struct clem_wide twice;
    struct clem_wide tail = clem_soft_wide_log_tail(a, b, &twice);
    return clem_wide_add(twice, tail);
}

/* Of a number above zero: 2^*whole times what has a logarithm of *twice and what is given. */
struct clem_wide clem_soft_wide_log_parts(struct clem_wide x, int *whole, struct clem_wide *twice)
{
    if (x.m >= 0xb504f333f9de6485ul) {
        *whole = x.e + 64;
        return clem_soft_wide_log_tail(clem_wide_of(1u, 0ul - x.m, -64), clem_wide_of(0u, (x.m >> 1) + CLEM_SOFT_SIGN, -63), twice);
    }
    *whole = x.e + 63;
    return clem_soft_wide_log_tail(clem_wide_of(0u, x.m - CLEM_SOFT_SIGN, -63),
                                   clem_wide_of(0u, (x.m >> 1) + (CLEM_SOFT_SIGN >> 1), -62), twice);
}

struct clem_wide clem_soft_wide_log_part(struct clem_wide x, int *whole)
{
    struct clem_wide twice;
    struct clem_wide tail = clem_soft_wide_log_parts(x, whole, &twice);
    return clem_wide_add(twice, tail);
}

struct clem_wide clem_soft_wide_log(struct clem_wide x)
{
    int whole;
    struct clem_wide part = clem_soft_wide_log_part(x, &whole);
    return clem_wide_add(clem_wide_mul(clem_wide_whole(whole), clem_wide_of(0u, 0xb17217f7d1cf79acul, -64)), part);
}

/* log(1 + x), of x above -1. */
struct clem_wide clem_soft_wide_log1p(struct clem_wide x)
{
    if (x.e < -65)
        return clem_soft_wide_log_of_ratio(x, clem_wide_add(clem_wide_whole(2), x));
    return clem_soft_wide_log(clem_wide_add(clem_wide_whole(1), x));
}

struct clem_wide clem_soft_wide_log2(struct clem_wide x)
{
    int whole;
    struct clem_wide part = clem_soft_wide_log_part(x, &whole);
    return clem_wide_add(clem_wide_whole(whole), clem_wide_mul(part, clem_wide_of(0u, 0xb8aa3b295c17f0bcul, -63)));
}

/* Whether a logarithm is of no number above zero that is finite. */
uint clem_soft_has_no_log(ulong x)
{
    return x - 1ul >= CLEM_SOFT_INFINITE - 1ul;
}

ulong clem_soft_log_special(ulong x)
{
    if (clem_soft_is_nan(x))
        return x | CLEM_SOFT_QUIET;
    if ((x & CLEM_SOFT_ABS) == 0ul)
        return CLEM_SOFT_SIGN | CLEM_SOFT_INFINITE;
    return x & CLEM_SOFT_SIGN ? CLEM_SOFT_NAN : x;
}

ulong clem_soft_log(ulong x)
{
    return clem_soft_has_no_log(x) ? clem_soft_log_special(x) : clem_wide_round(clem_soft_wide_log(clem_wide_from(x)));
}

ulong clem_soft_log2(ulong x)
{
    return clem_soft_has_no_log(x) ? clem_soft_log_special(x) : clem_wide_round(clem_soft_wide_log2(clem_wide_from(x)));
}

ulong clem_soft_log10(ulong x)
{
    int whole;
    struct clem_wide part;
    if (clem_soft_has_no_log(x))
        return clem_soft_log_special(x);
    part = clem_wide_mul(clem_soft_wide_log_part(clem_wide_from(x), &whole), clem_wide_of(0u, 0xde5bd8a937287195ul, -65));
    return clem_wide_round(clem_wide_add(clem_wide_mul(clem_wide_whole(whole), clem_wide_of(0u, 0x9a209a84fbcff799ul, -65)), part));
}

ulong clem_soft_log1p(ulong x)
{
    if ((x & CLEM_SOFT_ABS) == 0ul || x == CLEM_SOFT_INFINITE)
        return x;
    if (clem_soft_is_nan(x) || !clem_soft_lt(CLEM_SOFT_ONE | CLEM_SOFT_SIGN, x))
        return clem_soft_is_nan(x)                          ? x | CLEM_SOFT_QUIET
               : x == (CLEM_SOFT_ONE | CLEM_SOFT_SIGN) ? CLEM_SOFT_SIGN | CLEM_SOFT_INFINITE
                                                            : CLEM_SOFT_NAN;
    return clem_wide_round(clem_soft_wide_log1p(clem_wide_from(x)));
}

/* ---- pow ---- */

/* 0: no whole number; 1: an odd one; 2: an even one. Of a finite number. */
int clem_soft_parity(ulong y)
{
    int field = (int)(y >> 52) & 0x7ff;
    if ((y & CLEM_SOFT_ABS) == 0ul || field > 1075)
        return 2;
    if (field < 1023 || clem_soft_whole(y, clem_rz) != y)
        return 0;
    return clem_soft_magnitude(y) & 1ul ? 1 : 2;
}

ulong clem_soft_pow_special(ulong x, ulong y, int parity)
{
    ulong magnitude = x & CLEM_SOFT_ABS;
    ulong sign = parity == 1 ? x & CLEM_SOFT_SIGN : 0ul;
    uint grows = magnitude > CLEM_SOFT_ONE;
    if (x == CLEM_SOFT_ONE || (y & CLEM_SOFT_ABS) == 0ul)
        return CLEM_SOFT_ONE;
    if (clem_soft_is_nan(x) || clem_soft_is_nan(y))
        return clem_soft_nan(x, y);
    if (!clem_soft_is_finite(y) && magnitude == CLEM_SOFT_ONE)
        return CLEM_SOFT_ONE;
    if (y & CLEM_SOFT_SIGN)
        grows = !grows;
    return sign | (grows ? CLEM_SOFT_INFINITE : 0ul);
}

/* Of two numbers times log2(e). */
struct clem_fixed clem_fixed_mul_log2(struct clem_wide a, struct clem_wide b)
{
    ulong last = a.m * 0xb8aa3b295c17f0bbul;
    ulong low = last + mul_hi(a.m, 0xbe87fed0691d3e89ul);
    ulong high = mul_hi(a.m, 0xb8aa3b295c17f0bbul) + (ulong)(low < last);
    last = high * b.m;
    low = last + mul_hi(low, b.m);
    return clem_fixed_of(a.negative ^ b.negative, mul_hi(high, b.m) + (ulong)(low < last), low, a.e + b.e + 1);
}

/* x^y, both of all the digits that a double has: y * log2(x), whose parts are each exact to 2^-64. */
struct clem_wide clem_soft_wide_pow(struct clem_wide x, struct clem_wide y)
{
    struct clem_wide twice, whole;
    int exponent;
    struct clem_wide tail = clem_soft_wide_log_parts(x, &exponent, &twice);
    struct clem_fixed sum = clem_fixed_add(clem_fixed_mul_log2(twice, y), clem_fixed_mul_log2(tail, y));
    whole = clem_wide_whole(exponent);
    sum = clem_fixed_add(sum, clem_fixed_of(whole.negative ^ y.negative, mul_hi(whole.m, y.m), whole.m * y.m, whole.e + y.e));
    return clem_soft_power_of_two(sum);
}

ulong clem_soft_pow(ulong x, ulong y)
{
    int parity = clem_soft_is_finite(y) ? clem_soft_parity(y) : 2;
    ulong magnitude = x & CLEM_SOFT_ABS;
    struct clem_wide power, factor;
    if (x == CLEM_SOFT_ONE || (y & CLEM_SOFT_ABS) == 0ul || magnitude == 0ul || !clem_soft_is_finite(x) ||
        !clem_soft_is_finite(y))
        return clem_soft_pow_special(x, y, parity);
    if (x & CLEM_SOFT_SIGN && parity == 0)
        return CLEM_SOFT_NAN;
    power = clem_soft_wide_log2(clem_wide_from(magnitude));
    factor = clem_wide_from(y);
    if (power.m == 0ul)
        power = clem_wide_whole(1);
    else if (power.e + factor.e > -112)
        power = clem_wide_of(0u, CLEM_SOFT_SIGN, power.negative == factor.negative ? 0x10000 : -0x10000);
    else
        power = clem_soft_wide_pow(clem_wide_from(magnitude), factor);
    power.negative = parity == 1 && x & CLEM_SOFT_SIGN ? 1u : 0u;
    return clem_wide_round(power);
}

/* ---- Circles ---- */

/* 2 / pi behind the point. */
__constant ulong clem_soft_two_by_pi[] = {
    0xa2f9836e4e441529ul, 0xfc2757d1f534ddc0ul, 0xdb6295993c439041ul, 0xfe5163abdebbc561ul, 0xb7246e3a424dd2e0ul,
    0x06492eea09d1921cul, 0xfe1deb1cb129a73eul, 0xe88235f52ebb4484ul, 0xe99c7026b45f7e41ul, 0x3991d639835339f4ul,
    0x9c845f8bbdf9283bul, 0x1ff897ffde05980ful, 0xef2f118b5a0a6d1ful, 0x6d367ecf27cb09b7ul, 0x4f463f669e5fea2dul,
    0x7527bac7ebe5f17bul, 0x3d0739f78a5292eaul, 0x6bfb5fb11f8d5d08ul, 0x56033046fc7b6babul, 0xf0cfbc209af4361dul};

/* 64 of its digits from one on. */
ulong clem_soft_digits_of_two_by_pi(int from)
{
    int word = from / 64;
    int left = from % 64;
    return clem_soft_two_by_pi[word] << left | (left ? clem_soft_two_by_pi[word + 1] >> (64 - left) : 0ul);
}

/* A fraction of 128 digits, high:low, of a quarter of a circle: as an angle up to pi / 4 on either side of the nearest
 * quarter, by which *quarter grows. */
struct clem_wide clem_soft_angle_of_fraction(ulong high, ulong low, int *quarter)
{
    uint negative = (uint)(high >> 63);
    int lead;
    if (negative) {
        *quarter += 1;
        high = ~high + (ulong)(low == 0ul);
        low = 0ul - low;
    }
    lead = high ? (int)clz(high) : 64 + (low ? (int)clz(low) : 0);
    return clem_wide_mul(clem_wide_of(negative, clem_high_left(high, low, lead), -64 - lead),
                         clem_wide_of(0u, 0xc90fdaa22168c235ul, -63));
}

/* The same of a finite number of 0.5 or more: what is a multiple of whole circles is left out of 2 / pi, and of the rest all
 * the digits that may count. */
struct clem_wide clem_soft_reduced(ulong x, int *quarter)
{
    int e = clem_exponent(x, 53, 11);
    ulong m = clem_mantissa(x, 53, 11);
    int from = e > 2 ? e - 2 : 0;
    int left = 62 - from + e; /* brings the quarters to the top of 256 digits */
    ulong first = clem_soft_digits_of_two_by_pi(from);
    ulong second = clem_soft_digits_of_two_by_pi(from + 64);
    ulong third = clem_soft_digits_of_two_by_pi(from + 128);
    ulong p0 = m * third;
    ulong p1 = m * second;
    ulong p2 = m * first;
    ulong p3 = mul_hi(m, first);
    ulong carry = mul_hi(m, third);
    ulong high, middle, low;
    p1 += carry;
    carry = mul_hi(m, second) + (ulong)(p1 < carry);
    p2 += carry;
    p3 += (ulong)(p2 < carry);
    if (left == 64) {
        p3 = p2;
        p2 = p1;
        p1 = p0;
        p0 = 0ul;
        left = 0;
    }
    high = left ? p3 << left | p2 >> (64 - left) : p3;
    middle = left ? p2 << left | p1 >> (64 - left) : p2;
    low = left ? p1 << left | p0 >> (64 - left) : p1;
    *quarter = (int)(high >> 62);
    return clem_soft_angle_of_fraction(high << 2 | middle >> 62, middle << 2 | low >> 62, quarter);
}

/* Of any finite number, without its sign. */
struct clem_wide clem_soft_angle(ulong x, int *quarter)
{
    *quarter = 0;
    x &= CLEM_SOFT_ABS;
    return x < 0x3fe0000000000000ul ? clem_wide_from(x) : clem_soft_reduced(x, quarter);
}

/* Of pi times a finite number, without its sign. */
struct clem_wide clem_soft_angle_of_halves(ulong x, int *quarter)
{
    int e = clem_exponent(x, 53, 11);
    ulong m = clem_mantissa(x, 53, 11);
    int left = e + 127; /* of 128 digits, of which the first has the worth 1 */
    ulong high, low;
    *quarter = 0;
    if (e > 0)
        return clem_wide_of(0u, 0ul, 0);
    if (left < 65)
        return clem_wide_mul(clem_wide_of(0u, m, e), clem_wide_of(0u, 0xc90fdaa22168c235ul, -62));
    high = clem_high_left(0ul, m, left);
    low = clem_low_left(m, left);
    *quarter = (int)(high >> 62);
    return clem_soft_angle_of_fraction(high << 2 | low >> 62, low << 2, quarter);
}

struct clem_wide clem_soft_wide_sin(struct clem_wide angle)
{
    ulong square = clem_wide_fraction(clem_wide_mul(angle, angle));
    return clem_wide_mul(angle, clem_wide_near_one(mul_hi(square, clem_soft_factorial_series(1, 2, 10, square, 1u)), 1u));
}

struct clem_wide clem_soft_wide_cos(struct clem_wide angle)
{
    ulong square = clem_wide_fraction(clem_wide_mul(angle, angle));
    return clem_wide_near_one(mul_hi(square, clem_soft_factorial_series(0, 2, 10, square, 1u)), 1u);
}

/* The sine of an angle that many quarters on. */
struct clem_wide clem_soft_wide_turned(struct clem_wide angle, int quarter)
{
    struct clem_wide w = quarter & 1 ? clem_soft_wide_cos(angle) : clem_soft_wide_sin(angle);
    w.negative ^= (uint)quarter >> 1 & 1u;
    return w;
}

ulong clem_soft_circle_special(ulong x)
{
    return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : CLEM_SOFT_NAN;
}

ulong clem_soft_sin(ulong x)
{
    int quarter;
    struct clem_wide angle;
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_finite(x) ? x : clem_soft_circle_special(x);
    angle = clem_soft_angle(x, &quarter);
    return clem_wide_round(clem_soft_wide_turned(angle, quarter)) ^ (x & CLEM_SOFT_SIGN);
}

ulong clem_soft_cos(ulong x)
{
    int quarter;
    struct clem_wide angle;
    if (!clem_soft_is_finite(x))
        return clem_soft_circle_special(x);
    angle = clem_soft_angle(x, &quarter);
    return clem_wide_round(clem_soft_wide_turned(angle, quarter + 1));
}

ulong clem_soft_tan(ulong x)
{
    int quarter;
    struct clem_wide angle, w;
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_finite(x) ? x : clem_soft_circle_special(x);
    angle = clem_soft_angle(x, &quarter);
    w = clem_wide_div(clem_soft_wide_turned(angle, quarter), clem_soft_wide_turned(angle, quarter + 1));
    return clem_wide_round(w) ^ (x & CLEM_SOFT_SIGN);
}

/* A zero has the sign of x. */
ulong clem_soft_sinpi(ulong x)
{
    int quarter;
    struct clem_wide w;
    if (!clem_soft_is_finite(x))
        return clem_soft_circle_special(x);
    w = clem_soft_angle_of_halves(x, &quarter);
    w = clem_soft_wide_turned(w, quarter);
    return w.m ? clem_wide_round(w) ^ (x & CLEM_SOFT_SIGN) : x & CLEM_SOFT_SIGN;
}

/* A zero is positive. */
ulong clem_soft_cospi(ulong x)
{
    int quarter;
    struct clem_wide w;
    if (!clem_soft_is_finite(x))
        return clem_soft_circle_special(x);
    w = clem_soft_angle_of_halves(x, &quarter);
    w = clem_soft_wide_turned(w, quarter + 1);
    return w.m ? clem_wide_round(w) : 0ul;
}

/* Of eighths. */
__constant ulong clem_soft_arctangents[] = {0x0000000000000000ul, 0x1fd5ba9aac2f6dc6ul, 0x3eb6ebf25901bac5ul,
                                            0x5bd86507937bc23aul, 0x76b19c1586ed3da3ul, 0x8f005d5ef7f59f9bul,
                                            0xa4bc7d1934f70924ul, 0xb8053e2bc2319e74ul, 0xc90fdaa22168c235ul};

/* Of y / x, both above zero: up to pi / 2. */
struct clem_wide clem_soft_wide_atan(struct clem_wide y, struct clem_wide x)
{
    uint is_steep = y.e > x.e || (y.e == x.e && y.m > x.m);
    struct clem_wide ratio = is_steep ? clem_wide_div(x, y) : clem_wide_div(y, x);
    int eighths = ratio.e < -68 ? 0 : ratio.e == -63 ? 8 : (int)((clem_wide_fraction(ratio) >> 60) + 1ul) >> 1;
    struct clem_wide near = clem_wide_of(0u, (ulong)eighths, -3);
    struct clem_wide t = ratio;
    ulong square;
    if (eighths)
        t = clem_wide_div(clem_wide_sub(ratio, near), clem_wide_add(clem_wide_whole(1), clem_wide_mul(ratio, near)));
    square = clem_wide_fraction(clem_wide_mul(t, t));
    t = clem_wide_mul(t, clem_wide_near_one(mul_hi(square, clem_soft_odd_series(9, square, 1u)), 1u));
    t = clem_wide_add(clem_wide_of(0u, clem_soft_arctangents[eighths], -64), t);
    return is_steep ? clem_wide_sub(clem_wide_of(0u, 0xc90fdaa22168c235ul, -63), t) : t;
}

ulong clem_soft_atan(ulong x)
{
    ulong sign = x & CLEM_SOFT_SIGN;
    if (clem_soft_is_nan(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x;
    if (!clem_soft_is_finite(x))
        return sign | 0x3ff921fb54442d18ul;
    return sign | clem_wide_round(clem_soft_wide_atan(clem_wide_from(x & CLEM_SOFT_ABS), clem_wide_whole(1)));
}

ulong clem_soft_atan2(ulong y, ulong x)
{
    ulong sign = y & CLEM_SOFT_SIGN;
    ulong down = y & CLEM_SOFT_ABS;
    ulong along = x & CLEM_SOFT_ABS;
    struct clem_wide w;
    if (clem_soft_is_nan(x) || clem_soft_is_nan(y))
        return clem_soft_nan(y, x);
    if (down == 0ul || (along == CLEM_SOFT_INFINITE && down != CLEM_SOFT_INFINITE))
        return sign | (x & CLEM_SOFT_SIGN ? 0x400921fb54442d18ul : 0ul);
    if (along == 0ul || (down == CLEM_SOFT_INFINITE && along != CLEM_SOFT_INFINITE))
        return sign | 0x3ff921fb54442d18ul;
    if (down == CLEM_SOFT_INFINITE)
        return sign | (x & CLEM_SOFT_SIGN ? 0x4002d97c7f3321d2ul : 0x3fe921fb54442d18ul);
    w = clem_soft_wide_atan(clem_wide_from(down), clem_wide_from(along));
    if (x & CLEM_SOFT_SIGN)
        w = clem_wide_sub(clem_wide_of(0u, 0xc90fdaa22168c235ul, -62), w);
    return sign | clem_wide_round(w);
}

/* sqrt((1 - x) * (1 + x)) */
struct clem_wide clem_soft_wide_other_side(struct clem_wide x)
{
    return clem_wide_sqrt(clem_wide_mul(clem_wide_sub(clem_wide_whole(1), x), clem_wide_add(clem_wide_whole(1), x)));
}

ulong clem_soft_asin(ulong x)
{
    ulong magnitude = x & CLEM_SOFT_ABS;
    struct clem_wide side;
    if (magnitude > CLEM_SOFT_ONE)
        return clem_soft_circle_special(x);
    if (magnitude == 0ul || magnitude == CLEM_SOFT_ONE)
        return magnitude ? (x & CLEM_SOFT_SIGN) | 0x3ff921fb54442d18ul : x;
    side = clem_wide_from(magnitude);
    return (x & CLEM_SOFT_SIGN) | clem_wide_round(clem_soft_wide_atan(side, clem_soft_wide_other_side(side)));
}

ulong clem_soft_acos(ulong x)
{
    ulong magnitude = x & CLEM_SOFT_ABS;
    struct clem_wide side, angle;
    if (magnitude > CLEM_SOFT_ONE)
        return clem_soft_circle_special(x);
    if (magnitude == 0ul || magnitude == CLEM_SOFT_ONE)
        return magnitude == 0ul ? 0x3ff921fb54442d18ul : x & CLEM_SOFT_SIGN ? 0x400921fb54442d18ul : 0ul;
    side = clem_wide_from(magnitude);
    angle = clem_soft_wide_atan(clem_soft_wide_other_side(side), side);
    if (x & CLEM_SOFT_SIGN)
        angle = clem_wide_sub(clem_wide_of(0u, 0xc90fdaa22168c235ul, -62), angle);
    return clem_wide_round(angle);
}

/* ---- Hyperbolas ---- */

ulong clem_soft_sinh(ulong x)
{
    struct clem_wide grown;
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x;
    grown = clem_soft_wide_expm1(clem_wide_from(x & CLEM_SOFT_ABS));
    grown = clem_wide_add(grown, clem_wide_div(grown, clem_wide_add(grown, clem_wide_whole(1))));
    return (x & CLEM_SOFT_SIGN) | clem_wide_round(clem_wide_scale(grown, -1));
}

ulong clem_soft_cosh(ulong x)
{
    struct clem_wide power;
    if (!clem_soft_is_finite(x))
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : CLEM_SOFT_INFINITE;
    power = clem_soft_wide_exp(clem_wide_from(x & CLEM_SOFT_ABS));
    power = clem_wide_add(power, clem_wide_div(clem_wide_whole(1), power));
    return clem_wide_round(clem_wide_scale(power, -1));
}

ulong clem_soft_tanh(ulong x)
{
    ulong sign = x & CLEM_SOFT_SIGN;
    struct clem_wide grown;
    if (clem_soft_is_nan(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x;
    if ((x & CLEM_SOFT_ABS) > 0x4040000000000000ul)
        return sign | CLEM_SOFT_ONE;
    grown = clem_soft_wide_expm1(clem_wide_scale(clem_wide_from(x & CLEM_SOFT_ABS), 1));
    return sign | clem_wide_round(clem_wide_div(grown, clem_wide_add(grown, clem_wide_whole(2))));
}

ulong clem_soft_asinh(ulong x)
{
    struct clem_wide w, square;
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x;
    w = clem_wide_from(x & CLEM_SOFT_ABS);
    square = clem_wide_mul(w, w);
    square = clem_wide_div(square, clem_wide_add(clem_wide_whole(1), clem_wide_sqrt(clem_wide_add(clem_wide_whole(1), square))));
    return (x & CLEM_SOFT_SIGN) | clem_wide_round(clem_soft_wide_log1p(clem_wide_add(w, square)));
}

ulong clem_soft_acosh(ulong x)
{
    struct clem_wide above;
    if (clem_soft_is_nan(x) || !clem_soft_le(CLEM_SOFT_ONE, x))
        return clem_soft_circle_special(x);
    if (x == CLEM_SOFT_ONE || x == CLEM_SOFT_INFINITE)
        return x == CLEM_SOFT_ONE ? 0ul : x;
    above = clem_wide_sub(clem_wide_from(x), clem_wide_whole(1));
    above = clem_wide_add(above, clem_wide_sqrt(clem_wide_mul(above, clem_wide_add(above, clem_wide_whole(2)))));
    return clem_wide_round(clem_soft_wide_log1p(above));
}

ulong clem_soft_atanh(ulong x)
{
    ulong magnitude = x & CLEM_SOFT_ABS;
    struct clem_wide w;
    if (magnitude > CLEM_SOFT_ONE)
        return clem_soft_circle_special(x);
    if (magnitude == 0ul || magnitude == CLEM_SOFT_ONE)
        return magnitude ? (x & CLEM_SOFT_SIGN) | CLEM_SOFT_INFINITE : x;
    w = clem_wide_from(magnitude);
    w = clem_wide_div(clem_wide_scale(w, 1), clem_wide_sub(clem_wide_whole(1), w));
    return (x & CLEM_SOFT_SIGN) | clem_wide_round(clem_wide_scale(clem_soft_wide_log1p(w), -1));
}

/* ---- Roots and lengths ---- */

/* Of a number above zero: by its logarithm, and a step of Newton's. */
struct clem_wide clem_soft_wide_cbrt(struct clem_wide x)
{
    struct clem_wide y = clem_wide_div(clem_soft_wide_log2(x), clem_wide_whole(3));
    struct clem_wide square, step;
    y = y.m ? clem_soft_power(y, CLEM_SOFT_SIGN, 0ul, -63) : clem_wide_whole(1);
    square = clem_wide_mul(y, y);
    step = clem_wide_sub(clem_wide_div(x, square), y);
    return clem_wide_add(y, clem_wide_div(step, clem_wide_whole(3)));
}

ulong clem_soft_cbrt(ulong x)
{
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x;
    return (x & CLEM_SOFT_SIGN) | clem_wide_round(clem_soft_wide_cbrt(clem_wide_from(x & CLEM_SOFT_ABS)));
}

/* One by zero, infinity or no number. */
ulong clem_soft_inverse_special(ulong x)
{
    if (clem_soft_is_nan(x))
        return x | CLEM_SOFT_QUIET;
    return (x & CLEM_SOFT_SIGN) | (x & CLEM_SOFT_ABS ? 0ul : CLEM_SOFT_INFINITE);
}

ulong clem_soft_rcbrt(ulong x)
{
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_inverse_special(x);
    return (x & CLEM_SOFT_SIGN) |
           clem_wide_round(clem_wide_div(clem_wide_whole(1), clem_soft_wide_cbrt(clem_wide_from(x & CLEM_SOFT_ABS))));
}

ulong clem_soft_rsqrt(ulong x)
{
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return x == (CLEM_SOFT_SIGN | CLEM_SOFT_INFINITE) ? CLEM_SOFT_NAN : clem_soft_inverse_special(x);
    if (x & CLEM_SOFT_SIGN)
        return CLEM_SOFT_NAN;
    return clem_wide_round(clem_wide_div(clem_wide_whole(1), clem_wide_sqrt(clem_wide_from(x))));
}

struct clem_wide clem_soft_wide_square(ulong x)
{
    struct clem_wide w = clem_wide_from(x);
    return clem_wide_mul(w, w);
}

/* The length of four numbers, or one by it. */
ulong clem_soft_length(ulong a, ulong b, ulong c, ulong d, uint is_inverse)
{
    ulong most = max(max(a & CLEM_SOFT_ABS, b & CLEM_SOFT_ABS), max(c & CLEM_SOFT_ABS, d & CLEM_SOFT_ABS));
    struct clem_wide sum;
    if ((a & CLEM_SOFT_ABS) == CLEM_SOFT_INFINITE || (b & CLEM_SOFT_ABS) == CLEM_SOFT_INFINITE ||
        (c & CLEM_SOFT_ABS) == CLEM_SOFT_INFINITE || (d & CLEM_SOFT_ABS) == CLEM_SOFT_INFINITE)
        return is_inverse ? 0ul : CLEM_SOFT_INFINITE;
    if (most == 0ul || most > CLEM_SOFT_INFINITE)
        return most ? CLEM_SOFT_NAN & CLEM_SOFT_ABS : is_inverse ? CLEM_SOFT_INFINITE : 0ul;
    sum = clem_wide_sqrt(clem_wide_add(clem_wide_add(clem_soft_wide_square(a), clem_soft_wide_square(b)),
                                       clem_wide_add(clem_soft_wide_square(c), clem_soft_wide_square(d))));
    return clem_wide_round(is_inverse ? clem_wide_div(clem_wide_whole(1), sum) : sum);
}

ulong clem_soft_hypot(ulong x, ulong y)
{
    return clem_soft_length(x, y, 0ul, 0ul, 0u);
}

ulong clem_soft_rhypot(ulong x, ulong y)
{
    return clem_soft_length(x, y, 0ul, 0ul, 1u);
}

ulong clem_soft_norm3d(ulong a, ulong b, ulong c)
{
    return clem_soft_length(a, b, c, 0ul, 0u);
}

ulong clem_soft_rnorm3d(ulong a, ulong b, ulong c)
{
    return clem_soft_length(a, b, c, 0ul, 1u);
}

ulong clem_soft_norm4d(ulong a, ulong b, ulong c, ulong d)
{
    return clem_soft_length(a, b, c, d, 0u);
}

ulong clem_soft_rnorm4d(ulong a, ulong b, ulong c, ulong d)
{
    return clem_soft_length(a, b, c, d, 1u);
}

/* ---- The error function ---- */

/* e^-(a * b) */
struct clem_wide clem_soft_wide_fall(struct clem_wide a, struct clem_wide b)
{
    if (a.m == 0ul || b.m == 0ul)
        return clem_wide_whole(1);
    if (a.e + b.e > -112)
        return clem_wide_of(0u, CLEM_SOFT_SIGN, a.negative == b.negative ? -0x10000 : 0x10000);
    return clem_soft_power_of_two(clem_fixed_mul_log2(clem_wide_minus(a), b));
}

/* erf(x) of x from 0 to 2, where e^-(x * x) is fall: all terms are positive. */
struct clem_wide clem_soft_wide_erf(struct clem_wide x, struct clem_wide fall)
{
    struct clem_wide twice = clem_wide_scale(clem_wide_mul(x, x), 1);
    struct clem_wide term = x;
    struct clem_wide sum = x;
    int n;
    for (n = 3; n < 120 && term.m && term.e > sum.e - 66; n += 2) {
        term = clem_wide_mul(clem_wide_mul(term, twice), clem_wide_of(0u, 0xfffffffffffffffful / (ulong)n, -64));
        sum = clem_wide_add(sum, term);
    }
    return clem_wide_mul(clem_wide_mul(sum, fall), clem_wide_of(0u, 0x906eba8214db688dul, -63));
}

/* erfc(x) / e^-(x * x) of x from 2 on: a continued fraction. */
struct clem_wide clem_soft_wide_erfc_far(struct clem_wide x)
{
    struct clem_wide sum = x;
    int n;
    for (n = 80; n > 0; --n)
        sum = clem_wide_add(x, clem_wide_div(clem_wide_of(0u, (ulong)n, -1), sum));
    return clem_wide_div(clem_wide_of(0u, 0x906eba8214db688dul, -64), sum);
}

/* erfc(x), where e^-(x * x) is fall. */
struct clem_wide clem_soft_wide_erfc(struct clem_wide x, struct clem_wide fall)
{
    struct clem_wide part;
    uint negative = x.negative;
    x.negative = 0u;
    if (x.e < -62)
        part = clem_soft_wide_erf(x, fall);
    else
        part = clem_wide_mul(clem_soft_wide_erfc_far(x), fall);
    if (x.e < -62)
        return negative ? clem_wide_add(clem_wide_whole(1), part) : clem_wide_sub(clem_wide_whole(1), part);
    return negative ? clem_wide_sub(clem_wide_whole(2), part) : part;
}

ulong clem_soft_erf(ulong x)
{
    ulong sign = x & CLEM_SOFT_SIGN;
    struct clem_wide w;
    if (clem_soft_is_nan(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x;
    if ((x & CLEM_SOFT_ABS) > 0x4018000000000000ul)
        return sign | CLEM_SOFT_ONE;
    w = clem_wide_from(x & CLEM_SOFT_ABS);
    if (w.e < -62)
        return sign | clem_wide_round(clem_soft_wide_erf(w, clem_soft_wide_fall(w, w)));
    return sign | clem_wide_round(clem_wide_sub(clem_wide_whole(1), clem_soft_wide_erfc(w, clem_soft_wide_fall(w, w))));
}

ulong clem_soft_erfc(ulong x)
{
    struct clem_wide w;
    if (!clem_soft_is_finite(x))
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x & CLEM_SOFT_SIGN ? 0x4000000000000000ul : 0ul;
    w = clem_wide_from(x);
    return clem_wide_round(clem_soft_wide_erfc(w, clem_soft_wide_fall(w, w)));
}

ulong clem_soft_erfcx(ulong x)
{
    struct clem_wide w;
    if (!clem_soft_is_finite(x))
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x & CLEM_SOFT_SIGN ? CLEM_SOFT_INFINITE : 0ul;
    w = clem_wide_from(x);
    if (w.e >= -62 && !w.negative)
        return clem_wide_round(clem_soft_wide_erfc_far(w));
    return clem_wide_round(clem_wide_mul(clem_soft_wide_erfc(w, clem_soft_wide_fall(w, w)), clem_soft_wide_fall(clem_wide_minus(w), w)));
}

ulong clem_soft_normcdf(ulong x)
{
    struct clem_wide w;
    if (!clem_soft_is_finite(x))
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x & CLEM_SOFT_SIGN ? 0ul : CLEM_SOFT_ONE;
    w = clem_wide_from(x ^ CLEM_SOFT_SIGN);
    return clem_wide_round(clem_wide_scale(
        clem_soft_wide_erfc(clem_wide_mul(w, clem_wide_of(0u, 0xb504f333f9de6484ul, -64)), clem_soft_wide_fall(w, clem_wide_scale(w, -1))), -1));
}

/* x, from 0 on, of which erf or erfc is `wanted`; rest: 1 - wanted. An estimate to three digits, and steps of Halley's. */
struct clem_wide clem_soft_wide_inverse_erf(struct clem_wide wanted, struct clem_wide rest, uint of_erfc)
{
    struct clem_wide one = clem_wide_whole(1);
    struct clem_wide product =
        clem_wide_mul(of_erfc ? wanted : rest, clem_wide_add(one, of_erfc ? rest : wanted)); /* 1 - erf^2 */
    struct clem_wide log = clem_soft_wide_log(product);
    struct clem_wide sum = clem_wide_add(clem_wide_of(0u, 0x8a9c28e7ul, -29), clem_wide_scale(log, -1)); /* 4.331 */
    struct clem_wide by = clem_wide_mul(log, clem_wide_of(0u, 0xd9ae22deul, -29)); /* 1 / 0.147 */
    struct clem_wide x = clem_wide_sqrt(clem_wide_sub(clem_wide_sqrt(clem_wide_sub(clem_wide_mul(sum, sum), by)), sum));
    int i;
    if (!of_erfc && wanted.e < -84) /* below what the logarithm tells: erf(x) = 2 / sqrt(pi) * x */
        x = clem_wide_mul(wanted, clem_wide_of(0u, 0xe2dfc48da77b553dul, -64));
    for (i = 0; i < 4; ++i) {
        struct clem_wide fall = clem_soft_wide_fall(x, x);
        struct clem_wide error = clem_wide_sub(of_erfc ? clem_soft_wide_erfc(x, fall) : clem_soft_wide_erf(x, fall), wanted);
        struct clem_wide step = clem_wide_div(error, clem_wide_mul(fall, clem_wide_of(of_erfc, 0x906eba8214db688dul, -63)));
        x = clem_wide_sub(x, clem_wide_div(step, clem_wide_add(one, clem_wide_mul(x, step))));
    }
    return x;
}

ulong clem_soft_erfinv(ulong y)
{
    ulong magnitude = y & CLEM_SOFT_ABS;
    struct clem_wide w, rest;
    if (magnitude > CLEM_SOFT_ONE)
        return clem_soft_circle_special(y);
    if (magnitude == 0ul || magnitude == CLEM_SOFT_ONE)
        return magnitude ? (y & CLEM_SOFT_SIGN) | CLEM_SOFT_INFINITE : y;
    w = clem_wide_from(magnitude);
    rest = clem_wide_sub(clem_wide_whole(1), w);
    w = magnitude < 0x3fe0000000000000ul ? clem_soft_wide_inverse_erf(w, rest, 0u) : clem_soft_wide_inverse_erf(rest, w, 1u);
    return (y & CLEM_SOFT_SIGN) | clem_wide_round(w);
}

/* Of a number from above 0 to below 2. */
struct clem_wide clem_soft_wide_erfcinv(struct clem_wide z)
{
    struct clem_wide one = clem_wide_whole(1);
    struct clem_wide rest = clem_wide_sub(one, z);
    uint negative = rest.negative;
    rest.negative = 0u;
    if (rest.m == 0ul)
        return rest;
    if (negative)
        z = clem_wide_sub(clem_wide_whole(2), z);
    z = rest.e < -64 ? clem_soft_wide_inverse_erf(rest, z, 0u) : clem_soft_wide_inverse_erf(z, rest, 1u);
    z.negative = negative;
    return z;
}

ulong clem_soft_erfcinv(ulong z)
{
    if (clem_soft_is_nan(z) || clem_soft_lt(z, 0ul) || clem_soft_lt(0x4000000000000000ul, z))
        return clem_soft_circle_special(z);
    if ((z & CLEM_SOFT_ABS) == 0ul || z == 0x4000000000000000ul)
        return z == 0x4000000000000000ul ? CLEM_SOFT_SIGN | CLEM_SOFT_INFINITE : CLEM_SOFT_INFINITE;
    return clem_wide_round(clem_soft_wide_erfcinv(clem_wide_from(z)));
}

ulong clem_soft_normcdfinv(ulong y)
{
    struct clem_wide w;
    if (clem_soft_is_nan(y) || clem_soft_lt(y, 0ul) || clem_soft_lt(CLEM_SOFT_ONE, y))
        return clem_soft_circle_special(y);
    if ((y & CLEM_SOFT_ABS) == 0ul || y == CLEM_SOFT_ONE)
        return y == CLEM_SOFT_ONE ? CLEM_SOFT_INFINITE : CLEM_SOFT_SIGN | CLEM_SOFT_INFINITE;
    w = clem_soft_wide_erfcinv(clem_wide_scale(clem_wide_from(y), 1));
    w = clem_wide_mul(w, clem_wide_of(1u, 0xb504f333f9de6484ul, -63));
    return w.m ? clem_wide_round(w) : 0ul;
}

/* ---- The gamma function ---- */

/* Of Stirling's series: B(2k) / (2k * (2k - 1)), whose signs alternate. */
__constant ulong clem_soft_stirling[] = {
    0x1555555555555555ul, 0x00b60b60b60b60b6ul, 0x0034034034034034ul, 0x0027027027027027ul, 0x00372a3c5631fe47ul,
    0x007daac36664f1f2ul, 0x01a41a41a41a41a4ul, 0x0790a1b2c3d4e5f7ul};

/* zeta(k) / k from k = 2 on. */
__constant ulong clem_soft_zeta[] = {
    0xd28d3312983e9918ul, 0x6693556faacb5bd6ul, 0x4544c8ab1f6120dbul, 0x3517382f54c2924cul, 0x2b68196201860c29ul,
    0x24e0743b9d475cb2ul, 0x202166d5f0c72dd1ul, 0x1c806706d57db456ul, 0x19a01e385d5f8f30ul, 0x1748c33114c6d60ful,
    0x1556ad63243bc405ul, 0x13b1d971fc5984c3ul, 0x12496df8320c5f74ul, 0x111133476e7fe03cul, 0x100010064cdeb22ful,
    0x0f0f16988f455e4eul, 0x0e38e71d105a0c48ul, 0x0d79450dab44502ful, 0x0ccccd99a96add05ul, 0x0c30c36dbbdfdfaeul,
    0x0ba2e8e8bbc6fc88ul, 0x0b216442c8db365eul, 0x0aaaaab5557ee6abul, 0x0a3d70a8f5cfdbbaul, 0x09d89d8c4ec92f3ful,
    0x097b426000015e21ul, 0x09249249b6dbde3eul, 0x08d3dcb0d3dcd4c4ul, 0x08888888aaaab656ul, 0x08421084318c66dcul,
    0x0800000008000137ul, 0x07c1f07c22e8ba93ul};

/* log(gamma(z)), of z from 20 on. */
struct clem_wide clem_soft_wide_stirling(struct clem_wide z)
{
    struct clem_wide inverse = clem_wide_div(clem_wide_whole(1), z);
    struct clem_wide sum;
    ulong square = clem_wide_fraction(clem_wide_mul(inverse, inverse));
    ulong series = clem_soft_stirling[7];
    int i;
    for (i = 6; i >= 0; --i)
        series = clem_soft_stirling[i] - mul_hi(series, square);
    sum = clem_wide_mul(clem_wide_sub(z, clem_wide_of(0u, 1ul, -1)), clem_soft_wide_log(z));
    sum = clem_wide_add(clem_wide_sub(sum, z), clem_wide_of(0u, 0xeb3f8e4325f5a535ul, -64));
    return clem_wide_add(sum, clem_wide_mul(inverse, clem_wide_of(0u, series, -64)));
}

/* Of a number above zero: what it must be raised by to be 20 or more is *product, x * (x + 1) and so on. */
struct clem_wide clem_soft_wide_raised(struct clem_wide x, struct clem_wide *product)
{
    struct clem_wide one = clem_wide_whole(1);
    *product = one;
    while (x.e < -59 || (x.e == -59 && x.m < 0xa000000000000000ul)) {
        *product = clem_wide_mul(*product, x);
        x = clem_wide_add(x, one);
    }
    return x;
}

struct clem_wide clem_soft_wide_gamma(struct clem_wide x)
{
    struct clem_wide product;
    x = clem_soft_wide_stirling(clem_soft_wide_raised(x, &product));
    return clem_wide_div(clem_soft_wide_exp(x), product);
}

/* log(gamma(1 + x)), of a quarter on either side at most. */
struct clem_wide clem_soft_wide_log_gamma_near_one(struct clem_wide x)
{
    ulong t = clem_wide_fraction(clem_wide_of(0u, x.m, x.e));
    ulong sum = clem_soft_zeta[31];
    struct clem_wide w;
    int i;
    for (i = 30; i >= 0; --i) {
        ulong product = mul_hi(sum, t);
        sum = clem_soft_zeta[i] + (x.negative ? product : 0ul - product);
    }
    w = clem_wide_mul(x, clem_wide_of(0u, sum, -64));
    return clem_wide_mul(x, clem_wide_sub(w, clem_wide_of(0u, 0x93c467e37db0c7a5ul, -64)));
}

/* log(gamma(x)), of a number above zero. */
struct clem_wide clem_soft_wide_log_gamma(struct clem_wide x)
{
    struct clem_wide one = clem_wide_whole(1);
    struct clem_wide from_one = clem_wide_sub(x, one);
    struct clem_wide from_two = clem_wide_sub(from_one, one);
    struct clem_wide product;
    if (from_one.m == 0ul || from_two.m == 0ul)
        return clem_wide_of(0u, 0ul, 0);
    if (from_one.e < -65)
        return clem_soft_wide_log_gamma_near_one(from_one);
    if (from_two.e < -65)
        return clem_wide_add(clem_soft_wide_log_gamma_near_one(from_two), clem_soft_wide_log1p(from_two));
    x = clem_soft_wide_stirling(clem_soft_wide_raised(x, &product));
    return product.m == one.m && product.e == one.e ? x : clem_wide_sub(x, clem_soft_wide_log(product));
}

/* pi / sin(pi * x), of a number below zero that is not whole. */
struct clem_wide clem_soft_wide_reflection(ulong x)
{
    int quarter;
    struct clem_wide w = clem_soft_angle_of_halves(x, &quarter);
    w = clem_soft_wide_turned(w, quarter);
    return clem_wide_div(clem_wide_of(1u, 0xc90fdaa22168c235ul, -62), w);
}

ulong clem_soft_tgamma(ulong x)
{
    struct clem_wide w;
    if (clem_soft_is_nan(x))
        return x | CLEM_SOFT_QUIET;
    if ((x & CLEM_SOFT_ABS) == 0ul || x == CLEM_SOFT_INFINITE)
        return x | CLEM_SOFT_INFINITE;
    if (x & CLEM_SOFT_SIGN && (!clem_soft_is_finite(x) || clem_soft_parity(x) != 0))
        return CLEM_SOFT_NAN;
    w = clem_wide_from(x);
    if (!w.negative)
        return clem_wide_round(clem_soft_wide_gamma(w));
    w = clem_soft_wide_gamma(clem_wide_sub(clem_wide_whole(1), w));
    return clem_wide_round(clem_wide_div(clem_soft_wide_reflection(x), w));
}

ulong clem_soft_lgamma(ulong x)
{
    struct clem_wide w, reflection;
    if (clem_soft_is_nan(x))
        return x | CLEM_SOFT_QUIET;
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul || (x & CLEM_SOFT_SIGN && clem_soft_parity(x) != 0))
        return CLEM_SOFT_INFINITE;
    w = clem_wide_from(x);
    if (!w.negative) {
        w = clem_soft_wide_log_gamma(w);
        return w.m ? clem_wide_round(w) : 0ul;
    }
    reflection = clem_soft_wide_reflection(x);
    reflection.negative = 0u;
    w = clem_soft_wide_log_gamma(clem_wide_sub(clem_wide_whole(1), w));
    return clem_wide_round(clem_wide_sub(clem_soft_wide_log(reflection), w));
}

/* ---- Bessel functions: the ways of math.cl ---- */

/* J of order n, x >= 0, and sums for Y of order 0 and 1. */
struct clem_soft_bessel {
    struct clem_wide j, j0, j1, sum0, sum1;
};

/* A part, with the other sign in every second turn. */
struct clem_wide clem_wide_part(struct clem_wide w, int by, int turn)
{
    w = clem_wide_div(w, clem_wide_whole(by));
    w.negative ^= (uint)turn & 1u;
    return w;
}

struct clem_soft_bessel clem_soft_bessel_down(int n, struct clem_wide x)
{
    struct clem_soft_bessel r;
    struct clem_wide none = clem_wide_of(0u, 0ul, 0);
    struct clem_wide above = none;
    struct clem_wide here = clem_wide_whole(1);
    struct clem_wide whole = none;
    struct clem_wide below, factor;
    int size = x.e < -63 ? 0 : (int)(x.m >> -x.e);
    int k;
    r.j = r.j0 = r.j1 = r.sum0 = r.sum1 = none;
    if (x.e < -90) { /* the first term of the power series */
        r.j0 = r.j = clem_wide_whole(1);
        r.j1 = clem_wide_scale(x, -1);
        for (k = 1; k <= n && r.j.e > -2000; ++k)
            r.j = clem_wide_div(clem_wide_mul(r.j, r.j1), clem_wide_whole(k));
        return r;
    }
    factor = clem_wide_div(clem_wide_whole(2), x);
    for (k = (max(n, size) + 60) / 2 * 2; k > 0; --k) {
        if (k == n)
            r.j = here;
        if (k == 1)
            r.j1 = here;
        if (k % 2 == 0) {
            whole = clem_wide_add(whole, clem_wide_scale(here, 1));
            r.sum0 = clem_wide_add(r.sum0, clem_wide_part(here, k / 2, k / 2));
        } else if (k > 1)
            r.sum1 = clem_wide_add(r.sum1, clem_wide_mul(clem_wide_part(here, (k / 2) * (k / 2 + 1), k / 2), clem_wide_whole(k)));
        below = clem_wide_sub(clem_wide_mul(clem_wide_mul(factor, clem_wide_whole(k)), here), above);
        above = here;
        here = below;
    }
    whole = clem_wide_add(whole, here);
    r.j0 = clem_wide_div(here, whole);
    r.j = n == 0 ? r.j0 : clem_wide_div(r.j, whole);
    r.j1 = clem_wide_div(r.j1, whole);
    r.sum0 = clem_wide_div(r.sum0, whole);
    r.sum1 = clem_wide_div(r.sum1, whole);
    return r;
}

/* J, or Y, of order 0 or 1. */
struct clem_wide clem_soft_bessel_far(int order, ulong x, uint of_y)
{
    struct clem_wide w = clem_wide_from(x);
    struct clem_wide p = clem_wide_whole(1);
    struct clem_wide q = clem_wide_of(0u, 0ul, 0);
    struct clem_wide term = p;
    struct clem_wide sine, cosine, part, next;
    int k, quarter;
    for (k = 1; k < 40; ++k) {
        next = clem_wide_mul(term, clem_wide_whole(4 * order - (2 * k - 1) * (2 * k - 1)));
        next = clem_wide_div(next, clem_wide_mul(w, clem_wide_whole(8 * k)));
        if (next.e > term.e || (next.e == term.e && next.m >= term.m) || next.e < -160)
            break;
        term = next;
        part = term;
        part.negative ^= (uint)(k / 2) & 1u;
        if (k % 2)
            q = clem_wide_add(q, part);
        else
            p = clem_wide_add(p, part);
    }
    part = clem_soft_angle(x, &quarter);
    sine = clem_soft_wide_turned(part, quarter);
    cosine = clem_soft_wide_turned(part, quarter + 1);
    /* cos and sin of x - (order / 2 + 1 / 4) pi, times the root of 2 */
    next = clem_wide_sub(sine, cosine);
    part = clem_wide_add(sine, cosine);
    cosine = order ? next : part;
    sine = order ? clem_wide_minus(part) : next;
    part = of_y ? clem_wide_add(clem_wide_mul(p, sine), clem_wide_mul(q, cosine))
                : clem_wide_sub(clem_wide_mul(p, cosine), clem_wide_mul(q, sine));
    return clem_wide_mul(part, clem_wide_sqrt(clem_wide_div(clem_wide_of(0u, 0xa2f9836e4e44152aul, -65), w)));
}

/* From orders 0 and 1 up to n. */
struct clem_wide clem_soft_bessel_up(int n, struct clem_wide below, struct clem_wide here, struct clem_wide x)
{
    struct clem_wide factor = clem_wide_div(clem_wide_whole(2), x);
    int k;
    if (n == 0)
        return below;
    for (k = 1; k < n && here.e < 1100; ++k) {
        struct clem_wide above = clem_wide_sub(clem_wide_mul(clem_wide_mul(factor, clem_wide_whole(k)), here), below);
        below = here;
        here = above;
    }
    return here;
}

ulong clem_soft_jn(int n, ulong x)
{
    ulong size = x & CLEM_SOFT_ABS;
    ulong sign = n & 1 ? x & CLEM_SOFT_SIGN : 0ul;
    struct clem_wide w = clem_wide_from(size);
    if (clem_soft_is_nan(x) || n < 0)
        return n < 0 ? CLEM_SOFT_NAN : x | CLEM_SOFT_QUIET;
    if (size == CLEM_SOFT_INFINITE || size == 0ul)
        return size || n ? 0ul : CLEM_SOFT_ONE;
    if (size < 0x4039000000000000ul || clem_soft_magnitude(size) < (ulong)n)
        w = clem_soft_bessel_down(n, w).j;
    else
        w = clem_soft_bessel_up(n, clem_soft_bessel_far(0, size, 0u), clem_soft_bessel_far(1, size, 0u), w);
    return clem_wide_round(w) ^ sign;
}

ulong clem_soft_yn(int n, ulong x)
{
    struct clem_wide w = clem_wide_from(x);
    struct clem_wide by_pi = clem_wide_of(0u, 0xa2f9836e4e44152aul, -64);
    struct clem_wide below, here, log;
    struct clem_soft_bessel r;
    if ((x & CLEM_SOFT_ABS) == 0ul && n >= 0)
        return CLEM_SOFT_SIGN | CLEM_SOFT_INFINITE;
    if (clem_soft_is_nan(x) || x & CLEM_SOFT_SIGN || n < 0)
        return CLEM_SOFT_NAN;
    if (x == CLEM_SOFT_INFINITE)
        return 0ul;
    if (x < 0x4039000000000000ul) {
        r = clem_soft_bessel_down(0, w);
        log = clem_wide_sub(clem_soft_wide_log(w), clem_wide_of(0u, 0xed6d80a2a0f59038ul, -67)); /* log 2 less Euler's constant */
        below = clem_wide_mul(by_pi, clem_wide_sub(clem_wide_mul(log, r.j0), clem_wide_scale(r.sum0, 1)));
        here = clem_wide_sub(clem_wide_mul(clem_wide_sub(log, clem_wide_whole(1)), r.j1), r.sum1);
        here = clem_wide_mul(by_pi, clem_wide_sub(here, clem_wide_div(r.j0, w)));
    } else {
        below = clem_soft_bessel_far(0, x, 1u);
        here = clem_soft_bessel_far(1, x, 1u);
    }
    return clem_wide_round(clem_soft_bessel_up(n, below, here, w));
}

/* The modified function of order 0 or 1, x >= 0. */
ulong clem_soft_bessel_i(int order, ulong x)
{
    struct clem_wide w = clem_wide_from(x);
    struct clem_wide term = order ? clem_wide_scale(w, -1) : clem_wide_whole(1);
    struct clem_wide sum, square;
    int k;
    if (clem_soft_is_nan(x) || x == 0ul)
        return x ? x | CLEM_SOFT_QUIET : order ? 0ul : CLEM_SOFT_ONE;
    if (x > 0x4089000000000000ul)
        return CLEM_SOFT_INFINITE;
    if (x >= 0x4034000000000000ul) {
        term = clem_wide_whole(1);
        sum = term;
        for (k = 1; k < 30; ++k) {
            term = clem_wide_mul(term, clem_wide_whole((2 * k - 1) * (2 * k - 1) - 4 * order));
            term = clem_wide_div(term, clem_wide_mul(w, clem_wide_whole(8 * k)));
            sum = clem_wide_add(sum, term);
        }
        sum = clem_wide_div(clem_wide_mul(sum, clem_wide_of(0u, 0xcc42299ea1b28468ul, -65)), clem_wide_sqrt(w));
        return clem_wide_round(clem_wide_mul(sum, clem_soft_wide_exp(w)));
    }
    square = clem_wide_scale(clem_wide_mul(w, w), -2);
    sum = term;
    for (k = 1; term.m && term.e > sum.e - 66; ++k) {
        term = clem_wide_div(clem_wide_mul(term, square), clem_wide_whole(k * (k + order)));
        sum = clem_wide_add(sum, term);
    }
    return clem_wide_round(sum);
}

ulong clem_soft_j0(ulong x)
{
    return clem_soft_jn(0, x);
}

ulong clem_soft_j1(ulong x)
{
    return clem_soft_jn(1, x);
}

ulong clem_soft_y0(ulong x)
{
    return clem_soft_yn(0, x);
}

ulong clem_soft_y1(ulong x)
{
    return clem_soft_yn(1, x);
}

ulong clem_soft_cyl_bessel_i0(ulong x)
{
    return clem_soft_bessel_i(0, x & CLEM_SOFT_ABS);
}

ulong clem_soft_cyl_bessel_i1(ulong x)
{
    return clem_soft_bessel_i(1, x & CLEM_SOFT_ABS) | (x & CLEM_SOFT_SIGN);
}

/* Of float. */
float clem_soft_jnf(int n, float x)
{
    return clem_soft_to_f32(clem_soft_jn(n, clem_soft_from_f32(x)));
}

float clem_soft_ynf(int n, float x)
{
    return clem_soft_to_f32(clem_soft_yn(n, clem_soft_from_f32(x)));
}

float clem_soft_j0f(float x)
{
    return clem_soft_jnf(0, x);
}

float clem_soft_j1f(float x)
{
    return clem_soft_jnf(1, x);
}

float clem_soft_y0f(float x)
{
    return clem_soft_ynf(0, x);
}

float clem_soft_y1f(float x)
{
    return clem_soft_ynf(1, x);
}

float clem_soft_cyl_bessel_i0f(float x)
{
    return clem_soft_to_f32(clem_soft_cyl_bessel_i0(clem_soft_from_f32(x)));
}

float clem_soft_cyl_bessel_i1f(float x)
{
    return clem_soft_to_f32(clem_soft_cyl_bessel_i1(clem_soft_from_f32(x)));
}

/* ---- The parts of numbers ---- */

ulong clem_soft_round(ulong x)
{
    return clem_soft_whole(x, clem_rna);
}

ulong clem_soft_fdim(ulong x, ulong y)
{
    if (clem_soft_is_nan(x) || clem_soft_is_nan(y))
        return clem_soft_nan(x, y);
    return clem_soft_lt(y, x) ? clem_soft_sub(x, y) : 0ul;
}

ulong clem_soft_nextafter(ulong x, ulong y)
{
    if (clem_soft_is_nan(x) || clem_soft_is_nan(y))
        return clem_soft_nan(x, y);
    if (clem_soft_eq(x, y))
        return y;
    if ((x & CLEM_SOFT_ABS) == 0ul)
        return (y & CLEM_SOFT_SIGN) | 1ul;
    return clem_soft_lt(x, y) == (uint)(x >> 63) ? x - 1ul : x + 1ul;
}

ulong clem_soft_ldexp(ulong x, int exponent)
{
    struct clem_wide w = clem_wide_from(x);
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x;
    return clem_wide_round(clem_wide_scale(w, max(min(exponent, 10000), -10000)));
}

ulong clem_soft_frexp_fraction(ulong x)
{
    if (!clem_soft_is_finite(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return clem_soft_is_nan(x) ? x | CLEM_SOFT_QUIET : x;
    return (x & CLEM_SOFT_SIGN) | 0x3fe0000000000000ul | (clem_soft_first_digit(x) << 1 >> 12);
}

int clem_soft_frexp_exponent(ulong x)
{
    return clem_soft_is_finite(x) && (x & CLEM_SOFT_ABS) ? clem_soft_field(x) - 1022 : 0;
}

/* Of zero and of no number: the least int. */
int clem_soft_ilogb(ulong x)
{
    if (clem_soft_is_nan(x) || (x & CLEM_SOFT_ABS) == 0ul)
        return -0x7fffffff - 1;
    return clem_soft_is_finite(x) ? clem_soft_field(x) - 1023 : 0x7fffffff;
}

ulong clem_soft_logb(ulong x)
{
    if (clem_soft_is_nan(x))
        return x | CLEM_SOFT_QUIET;
    if ((x & CLEM_SOFT_ABS) == 0ul)
        return CLEM_SOFT_SIGN | CLEM_SOFT_INFINITE;
    if (!clem_soft_is_finite(x))
        return CLEM_SOFT_INFINITE;
    return clem_wide_round(clem_wide_whole(clem_soft_field(x) - 1023));
}
