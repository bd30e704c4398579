/* Double by integers, run on the host, against the processor's own. SOFT_CASES: how many random operands of each function.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "tests/test.h"

#include "tests/ptx/opencl_c.h"

static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD}; /* clem_rn, ... */

/* ---- Numbers to try ---- */

/* Ends of ranges, of digits, and of what fits into other types. */
static const ulong hard[] = {
    0x0000000000000000ul, 0x0000000000000001ul, 0x0000000000000003ul, 0x000ffffffffffffful,
    0x0010000000000000ul, 0x0010000000000001ul, 0x001ffffffffffffful, 0x0020000000000000ul,
    0x1ff0000000000000ul, 0x2000000000000001ul, 0x3690000000000000ul, 0x36a0000000000001ul,
    0x3810000000000000ul, 0x3ca0000000000000ul, 0x3ca0000000000001ul, 0x3cb0000000000000ul,
    0x3fdffffffffffffful, 0x3fe0000000000000ul, 0x3fe0000000000001ul, 0x3feffffffffffffful,
    0x3ff0000000000000ul, 0x3ff0000000000001ul, 0x3ff8000000000000ul, 0x3ffffffffffffffful,
    0x4000000000000000ul, 0x4004000000000000ul, 0x400c000000000000ul, 0x41dffffffffffffful,
    0x41e0000000000000ul, 0x41efffffffe00000ul, 0x41efffffffffffful,  0x432ffffffffffffful,
    0x4330000000000001ul, 0x433ffffffffffffful, 0x4340000000000000ul, 0x43dffffffffffffful,
    0x43e0000000000000ul, 0x43effffffffffffful, 0x43f0000000000000ul, 0x47efffffe0000000ul,
    0x47effffff0000000ul, 0x5fe0000000000001ul, 0x7fd0000000000000ul, 0x7fdffffffffffffful,
    0x7fe0000000000000ul, 0x7feffffffffffffful, 0x7ff0000000000000ul, 0x7ff0000000000001ul,
    0x7ff8000000000000ul, 0x7ffffffffffffffful};
enum { HARD = 2 * sizeof hard / sizeof *hard };

static ulong hard_number(size_t i)
{
    return hard[i / 2] ^ (i % 2 ? CLEM_SOFT_SIGN : 0ul);
}

static ulong random_state;

static ulong next_bits(void)
{
    ulong z = random_state += 0x9e3779b97f4a7c15ul;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return z ^ z >> 31;
}

/* Any; subnormal, near 1, of few digits, huge, powers of two, whole, of no value, with rows of zeros and ones. */
static ulong next_number(void)
{
    const ulong choice = next_bits(), bits = next_bits(), sign = bits & CLEM_SOFT_SIGN;
    const uint count = (uint)(choice >> 8) & 63u;
    switch (choice & 15ul) {
    case 0:
        return bits & 0x800ffffffffffffful;
    case 1:
        return (bits & 0x800ffffffffffffful) | (1008ul + (choice >> 8 & 31ul)) << 52;
    case 2:
        return (bits & 0x8000000000000003ul) | (choice >> 8 & 2047ul) << 52;
    case 3:
        return (bits | 0x7fe0000000000000ul) & 0xffeffffffffffffful;
    case 4:
        return bits & 0xfff0000000000000ul;
    case 5:
        return sign | as_ulong((double)(bits >> count));
    case 6:
        return sign | 0x7ff0000000000000ul | (choice & 256ul ? bits >> 12 : 0ul);
    case 7:
        return bits & (CLEM_SOFT_SIGN | ~0ul << count);
    case 8:
        return bits | ~0ul >> 12 >> count;
    default:
        return bits;
    }
}

/* How many random operands each function gets. */
static long case_count(void)
{
    const char *wanted = getenv("SOFT_CASES");
    return wanted ? atol(wanted) : 50000;
}

/* ---- Checks ---- */

/* Operands, of which at most one is NaN: of several, processors take one or the other. */
struct operands {
    ulong a, b, c;
};

static bool has_one_nan(const struct operands *o, int count)
{
    return clem_soft_is_nan(o->a) + (count > 1 && clem_soft_is_nan(o->b)) +
               (count > 2 && clem_soft_is_nan(o->c)) <=
           1;
}

static void check(const char *name, const struct operands *o, uint mode, ulong given, ulong wanted)
{
    if (given != wanted)
        fail_msg("%s (rounding %u) of %016lx %016lx %016lx: %016lx, but %016lx is right", name,
                 mode, o->a, o->b, o->c, given, wanted);
}

/* Evaluates to the bits of an expression of doubles A, B, C under a rounding; volatile keeps it between the calls. */
#define UNDER(mode, expression)                                                                    \
    __extension__({                                                                                \
        fesetround(modes[mode]);                                                                   \
        const volatile double wanted_ = (expression);                                              \
        fesetround(FE_TONEAREST);                                                                  \
        as_ulong(wanted_);                                                                         \
    })

static void check_nearest(const struct operands *o)
{
    volatile double a = as_double(o->a), b = as_double(o->b);
    if (!has_one_nan(o, 2))
        return;
    check("add", o, 0, clem_soft_add(o->a, o->b), UNDER(0, a + b));
    check("sub", o, 0, clem_soft_sub(o->a, o->b), UNDER(0, a - b));
    check("mul", o, 0, clem_soft_mul(o->a, o->b), UNDER(0, a * b));
}

static void check_directed(const struct operands *o, uint mode)
{
    volatile double a = as_double(o->a), b = as_double(o->b), c = as_double(o->c);
    if (has_one_nan(o, 2)) {
        check("add", o, mode, clem_soft_add_mode(o->a, o->b, mode), UNDER(mode, a + b));
        check("sub", o, mode, clem_soft_sub_mode(o->a, o->b, mode), UNDER(mode, a - b));
        check("mul", o, mode, clem_soft_mul_mode(o->a, o->b, mode), UNDER(mode, a * b));
        check("div", o, mode, clem_soft_div(o->a, o->b, mode), UNDER(mode, a / b));
    }
    if (has_one_nan(o, 3))
        check("fma", o, mode, clem_soft_fma(o->a, o->b, o->c, mode), UNDER(mode, fma(a, b, c)));
    check("sqrt", o, mode, clem_soft_sqrt(o->a, mode), UNDER(mode, sqrt(a)));
    check("whole", o, mode, clem_soft_whole(o->a, mode), UNDER(mode, nearbyint(a)));
    check("f64.u64", o, mode, clem_pack_u64(o->a, mode, 53, 11), UNDER(mode, (double)o->a));
    check("f64.s64", o, mode, clem_pack_s64((long)o->a, mode, 53, 11),
          UNDER(mode, (double)(long)o->a));
}

static void check_comparisons(const struct operands *o)
{
    const double a = as_double(o->a), b = as_double(o->b);
    check("lt", o, 0, clem_soft_lt(o->a, o->b), a < b);
    check("le", o, 0, clem_soft_le(o->a, o->b), a <= b);
    check("eq", o, 0, clem_soft_eq(o->a, o->b), a == b);
    check("numbers", o, 0, clem_soft_are_numbers(o->a, o->b), a == a && b == b);
    check("min", o, 0, clem_soft_min(o->a, o->b), as_ulong(clem_min_f64(a, b)));
    check("max", o, 0, clem_soft_max(o->a, o->b), as_ulong(clem_max_f64(a, b)));
    check("sat", o, 0, clem_soft_sat(o->a), as_ulong(clem_sat_f64(a)));
}

static void check_conversions(const struct operands *o)
{
    const double a = as_double(o->a);
    const float narrow = as_float((uint)o->b);
    check("s32", o, 0, (ulong)clem_soft_to_s32(o->a), (ulong)clem_s32_from_f64(a));
    check("u32", o, 0, clem_soft_to_u32(o->a), clem_u32_from_f64(a));
    check("s64", o, 0, (ulong)clem_soft_to_s64(o->a), (ulong)clem_s64_from_f64(a));
    check("u64", o, 0, clem_soft_to_u64(o->a), clem_u64_from_f64(a));
    check("s8", o, 0, (ulong)clem_soft_narrow(o->a, -128, 127, -128),
          (ulong)clem_narrow_from_f64(a, -128, 127, -128));
    check("f64.f32", o, 0, clem_soft_from_f32(narrow), UNDER(0, (double)narrow));
    for (uint mode = 0; mode < 4; mode++) {
        check("f32", o, mode, clem_soft_to(o->a, mode, 24, 8), clem_narrow_f64(a, mode, 24, 8));
        check("f16", o, mode, clem_soft_to(o->a, mode, 11, 5), clem_narrow_f64(a, mode, 11, 5));
    }
}

/* Of quotients, three digits and the sign. */
static int last_digits(int quotient)
{
    return quotient < 0 ? -(-quotient & 7) : quotient & 7;
}

static void check_remainders(const struct operands *o)
{
    volatile double a = as_double(o->a), b = as_double(o->b);
    int quotient = 0;
    if (!has_one_nan(o, 2))
        return;
    check("fmod", o, 0, clem_soft_fmod(o->a, o->b), UNDER(0, fmod(a, b)));
    check("remainder", o, 0, clem_soft_remainder(o->a, o->b), UNDER(0, remquo(a, b, &quotient)));
    if (isfinite(a) && isfinite(b) && b != 0.0)
        check("remquo", o, 0, (ulong)clem_soft_remquo_quotient(o->a, o->b),
              (ulong)last_digits(quotient));
}

/* ---- Tests ---- */

TEST_BODY(soft_doubles_are_right_where_it_is_hard)
{
    random_state = 1;
    for (size_t i = 0; i < HARD; i++)
        for (size_t j = 0; j < HARD; j++) {
            const struct operands o = {hard_number(i), hard_number(j),
                                       hard_number(next_bits() % HARD)};
            check_nearest(&o);
            for (uint mode = 0; mode < 4; mode++)
                check_directed(&o, mode);
            check_comparisons(&o);
            check_conversions(&o);
            check_remainders(&o);
        }
}

TEST_BODY(soft_doubles_add_and_multiply)
{
    random_state = 2;
    for (long i = 0; i < case_count(); i++) {
        struct operands o = {next_number(), next_number(), 0ul};
        check_nearest(&o);
        o.b = o.a ^ CLEM_SOFT_SIGN ^
              (next_bits() & 3ul) << (next_bits() & 63ul); /* almost nothing is left */
        check_nearest(&o);
    }
}

TEST_BODY(soft_doubles_round_in_every_direction)
{
    random_state = 3;
    for (long i = 0; i < case_count(); i++) {
        struct operands o = {next_number(), next_number(), next_number()};
        if (i % 4 == 0)
            o.c = as_ulong(-as_double(o.a) * as_double(o.b));
        check_directed(&o, (uint)i & 3u);
    }
}

TEST_BODY(soft_doubles_compare_and_convert)
{
    random_state = 4;
    for (long i = 0; i < case_count(); i++) {
        struct operands o = {next_number(), next_number(), 0ul};
        if (i % 4 == 0)
            o.b = o.a ^ (next_bits() & 1ul) << (i % 8 ? 63 : 0);
        check_comparisons(&o);
        check_conversions(&o);
    }
}

TEST_BODY(soft_doubles_divide_with_remainder)
{
    random_state = 5;
    for (long i = 0; i < case_count() / 10; i++) {
        const struct operands o = {next_number(), next_number(), 0ul};
        check_remainders(&o);
    }
}
