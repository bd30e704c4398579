/* Double by integers, run on the host, against the processor's own. SOFT_CASES: how many random operands of each function.
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
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

/* ---- The math library, against that of long double ---- */

static long double inverse_cbrt(long double x)
{
    return 1 / cbrtl(x);
}

static long double inverse_sqrt(long double x)
{
    return 1 / sqrtl(x);
}

/* Of up to a quarter, where pi * x is as right as long double is. */
static long double sine_of_halves(long double x)
{
    return sinl(3.14159265358979323846264338327950288L * x);
}

static long double cosine_of_halves(long double x)
{
    return cosl(3.14159265358979323846264338327950288L * x);
}

static long double scaled_erfc(long double x)
{
    return expl(x * x) * erfcl(x);
}

static long double normal(long double x)
{
    return erfcl(-x / sqrtl(2)) / 2;
}

static const struct {
    const char *name;
    ulong (*soft)(ulong);
    long double (*right)(long double);
    double low, high, bound; /* of the error, in units of the last place: CUDA's, or less */
} functions[] = {
    {"exp", clem_soft_exp, expl, -745, 710, 0.51},
    {"exp", clem_soft_exp, expl, -1, 1, 0.51},
    {"exp2", clem_soft_exp2, exp2l, -1075, 1024, 0.51},
    {"exp10", clem_soft_exp10, exp10l, -320, 308, 0.51},
    {"expm1", clem_soft_expm1, expm1l, -40, 709, 0.51},
    {"expm1", clem_soft_expm1, expm1l, -0.7, 0.7, 0.51},
    {"log", clem_soft_log, logl, 0, 1e300, 0.51},
    {"log", clem_soft_log, logl, 0.5, 2, 0.51},
    {"log2", clem_soft_log2, log2l, 0, 1e300, 0.51},
    {"log2", clem_soft_log2, log2l, 0.5, 2, 0.51},
    {"log10", clem_soft_log10, log10l, 0, 1e300, 0.51},
    {"log10", clem_soft_log10, log10l, 0.5, 2, 0.51},
    {"log1p", clem_soft_log1p, log1pl, -1, 10, 0.51},
    {"log1p", clem_soft_log1p, log1pl, -0.3, 0.3, 0.51},
    {"sin", clem_soft_sin, sinl, -10, 10, 0.51},
    {"sin", clem_soft_sin, sinl, -1e300, 1e300, 0.51},
    {"cos", clem_soft_cos, cosl, -10, 10, 0.51},
    {"cos", clem_soft_cos, cosl, -1e15, 1e15, 0.51},
    {"tan", clem_soft_tan, tanl, -10, 10, 0.51},
    {"tan", clem_soft_tan, tanl, -1e5, 1e5, 0.51},
    {"sinpi", clem_soft_sinpi, sine_of_halves, -0.25, 0.25, 0.51},
    {"cospi", clem_soft_cospi, cosine_of_halves, -0.25, 0.25, 0.51},
    {"asin", clem_soft_asin, asinl, -1, 1, 0.51},
    {"acos", clem_soft_acos, acosl, -1, 1, 0.51},
    {"atan", clem_soft_atan, atanl, -10, 10, 0.51},
    {"atan", clem_soft_atan, atanl, -1e30, 1e30, 0.51},
    {"sinh", clem_soft_sinh, sinhl, -710, 710, 0.51},
    {"sinh", clem_soft_sinh, sinhl, -2, 2, 0.51},
    {"cosh", clem_soft_cosh, coshl, -710, 710, 0.51},
    {"tanh", clem_soft_tanh, tanhl, -20, 20, 0.51},
    {"asinh", clem_soft_asinh, asinhl, -1e3, 1e3, 0.51},
    {"asinh", clem_soft_asinh, asinhl, -1e300, 1e300, 0.51},
    {"acosh", clem_soft_acosh, acoshl, 1, 5, 0.51},
    {"acosh", clem_soft_acosh, acoshl, 1, 1e300, 0.51},
    {"atanh", clem_soft_atanh, atanhl, -1, 1, 0.51},
    {"cbrt", clem_soft_cbrt, cbrtl, -1e300, 1e300, 0.51},
    {"rcbrt", clem_soft_rcbrt, inverse_cbrt, -1e3, 1e3, 0.51},
    {"rsqrt", clem_soft_rsqrt, inverse_sqrt, 0, 1e300, 0.51},
    {"erf", clem_soft_erf, erfl, -6, 6, 0.6},
    {"erfc", clem_soft_erfc, erfcl, -5, 27, 5},
    {"erfcx", clem_soft_erfcx, scaled_erfc, -3, 3, 4},
    {"normcdf", clem_soft_normcdf, normal, -10, 10, 5},
    {"tgamma", clem_soft_tgamma, tgammal, 0, 171, 5},
    {"tgamma", clem_soft_tgamma, tgammal, -20, 20, 2},
    {"lgamma", clem_soft_lgamma, lgammal, 0, 4, 4},
    {"lgamma", clem_soft_lgamma, lgammal, 0, 1e300, 1},
    {"lgamma", clem_soft_lgamma, lgammal, -2.2, 0, 4},
};

/* Between two ends, a quarter of them close to zero by any factor. */
static double next_between(double low, double high)
{
    const double part = (double)(next_bits() >> 11) / 0x1p53;
    double x = low + (high - low) * part;
    if (next_bits() % 4 == 0)
        x = ldexp(x, -(int)(next_bits() % 80));
    return x >= low && x <= high ? x : high;
}

/* Of a unit in the last place. Where both are no numbers, or beyond what doubles reach: none. */
static double error_of(double given, long double right)
{
    if (isnan(right) || isnan(given))
        return isnan(right) && isnan(given) ? 0 : HUGE_VAL;
    if (isinf(given) || fabsl(right) > (long double)DBL_MAX)
        return isinf(given) && fabsl(right) > (long double)DBL_MAX ? 0 : HUGE_VAL;
    const double near = fabs((double)right);
    const double unit = near < DBL_MIN ? 0x1p-1074 : ldexp(1.0, ilogb(near) - 52);
    return (double)(fabsl((long double)given - right) / (long double)unit);
}

/* Long double must have digits enough to tell. */
static void need_long_double(void)
{
    if (LDBL_MANT_DIG < 64)
        TEST_SKIP("long double is no longer than double");
}

TEST_BODY(soft_functions_are_within_bounds)
{
    need_long_double();
    random_state = 6;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        for (long j = 0; j < case_count() / 50; j++) {
            const double x = next_between(functions[i].low, functions[i].high);
            const double y = as_double(functions[i].soft(as_ulong(x)));
            const double error = error_of(y, functions[i].right((long double)x));
            if (error > functions[i].bound)
                fail_msg("%s(%.17g) = %.17g: wrong by %g", functions[i].name, x, y, error);
        }
}

TEST_BODY(soft_functions_of_two_numbers_are_within_bounds)
{
    static const struct {
        const char *name;
        ulong (*soft)(ulong, ulong);
        long double (*right)(long double, long double);
        double low, high, second;
    } rows[] = {
        {"pow", clem_soft_pow, powl, 0, 10, 300},
        {"pow", clem_soft_pow, powl, 0.99, 1.01, 70000},
        {"pow", clem_soft_pow, powl, 0, 1e300, 1},
        {"atan2", clem_soft_atan2, atan2l, -10, 10, 10},
        {"hypot", clem_soft_hypot, hypotl, -1e300, 1e300, 1e300},
        {"fdim", clem_soft_fdim, fdiml, -10, 10, 10},
    };
    need_long_double();
    random_state = 7;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (long j = 0; j < case_count() / 50; j++) {
            const double x = next_between(rows[i].low, rows[i].high);
            const double y = next_between(-rows[i].second, rows[i].second);
            const double z = as_double(rows[i].soft(as_ulong(x), as_ulong(y)));
            const double error = error_of(z, rows[i].right((long double)x, (long double)y));
            if (error > 1) /* powl() has its own */
                fail_msg("%s(%.17g, %.17g) = %.17g: wrong by %g", rows[i].name, x, y, z, error);
        }
}

/* Two for whole and odd numbers beyond the digits behind the point, and for none at all. */
static const double special[] = {0.0,
                                 1,
                                 0.5,
                                 2,
                                 3,
                                 1.5,
                                 HUGE_VAL,
                                 NAN,
                                 DBL_MAX,
                                 DBL_MIN,
                                 0x1p-1074,
                                 1e-310,
                                 0x1.0000000000001p52,
                                 0x1p53,
                                 1 - 0x1p-53,
                                 1 + 0x1p-52,
                                 709.9,
                                 745.2,
                                 746,
                                 1024,
                                 1074.5,
                                 1075};
enum { SPECIAL = 2 * sizeof special / sizeof *special };

static double special_number(size_t i)
{
    return i % 2 ? -special[i / 2] : special[i / 2];
}

static void check_special(const char *name, double x, double y, double given, double right)
{
    const bool is_right = isnan(right)
                              ? isnan(given)
                              : signbit(given) == signbit(right) &&
                                    (given == right || error_of(given, (long double)right) <= 2);
    if (!is_right)
        fail_msg("%s(%.17g, %.17g) = %.17g, not %.17g", name, x, y, given, right);
}

TEST_BODY(soft_functions_know_their_special_values)
{
#define ONE(name) check_special(#name, x, 0, as_double(clem_soft_##name(as_ulong(x))), (name)(x))
#define TWO(name)                                                                                  \
    check_special(#name, x, y, as_double(clem_soft_##name(as_ulong(x), as_ulong(y))), (name)(x, y))
    for (size_t i = 0; i < SPECIAL; i++) {
        const double x = special_number(i);
        ONE(exp);
        ONE(exp2);
        ONE(expm1);
        ONE(log);
        ONE(log2);
        ONE(log10);
        ONE(log1p);
        ONE(sin);
        ONE(cos);
        ONE(tan);
        ONE(asin);
        ONE(acos);
        ONE(atan);
        ONE(sinh);
        ONE(cosh);
        ONE(tanh);
        ONE(asinh);
        ONE(acosh);
        ONE(atanh);
        ONE(cbrt);
        ONE(round);
        ONE(logb);
        for (size_t j = 0; j < SPECIAL; j++) {
            const double y = special_number(j);
            TWO(pow);
            TWO(atan2);
            TWO(hypot);
            TWO(nextafter);
            TWO(fdim);
        }
    }
#undef ONE
#undef TWO
}

/* The error of an argument found, by the slope there. */
static double inverse_error(double x, long double missed)
{
    const long double slope =
        2 / sqrtl(3.14159265358979323846264338327950288L) * expl(-(long double)x * (long double)x);
    return x == 0.0 ? 0 : (double)fabsl(missed / slope) / ldexp(1.0, ilogb(x) - 52);
}

TEST_BODY(soft_inverse_functions_are_within_bounds)
{
    need_long_double();
    random_state = 8;
    for (long i = 0; i < case_count() / 200; i++) {
        const double y = next_between(-1, 1), rest = next_between(0, 1);
        double x = as_double(clem_soft_erfinv(as_ulong(y)));
        if (fabs(y) < 0.5 && inverse_error(x, erfl((long double)x) - (long double)y) > 2)
            fail_msg("erfinv(%.17g) = %.17g", y, x);
        x = as_double(clem_soft_erfcinv(as_ulong(rest)));
        if (rest < 0.5 && inverse_error(x, erfcl((long double)x) - (long double)rest) > 3)
            fail_msg("erfcinv(%.17g) = %.17g", rest, x);
        x = as_double(clem_soft_normcdfinv(as_ulong(rest / 2)));
        assert_true(error_of(x, -sqrtl(2) * (long double)as_double(
                                                clem_soft_erfcinv(as_ulong(rest)))) <= 2);
    }
}

/* Close to their zeros they are right to what a number near 1 is. */
TEST_BODY(soft_bessel_functions_are_within_bounds)
{
    static const struct {
        const char *name;
        ulong (*soft)(ulong);
        long double (*right)(long double);
        double low;
    } rows[] = {{"j0", clem_soft_j0, j0l, -60},
                {"j1", clem_soft_j1, j1l, -60},
                {"y0", clem_soft_y0, y0l, 0},
                {"y1", clem_soft_y1, y1l, 0}};
    need_long_double();
    random_state = 9;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (long j = 0; j < case_count() / 500; j++) {
            const double x = next_between(rows[i].low, 60);
            const double y = as_double(rows[i].soft(as_ulong(x)));
            const long double right = rows[i].right((long double)x);
            if (error_of(y, right) > 2 && fabsl((long double)y - right) > 1e-16L)
                fail_msg("%s(%.17g) = %.17g", rows[i].name, x, y);
        }
}

TEST_BODY(soft_parts_of_numbers_are_right)
{
    for (size_t i = 0; i < SPECIAL; i++) {
        const double x = special_number(i);
        int exponent = 0;
        check_special("frexp", x, 0, as_double(clem_soft_frexp_fraction(as_ulong(x))),
                      frexp(x, &exponent));
        if (isfinite(x))
            assert_int_equal(clem_soft_frexp_exponent(as_ulong(x)), exponent);
        for (int n = -2200; n < 2200; n += 7)
            check_special("ldexp", x, n, as_double(clem_soft_ldexp(as_ulong(x), n)), ldexp(x, n));
    }
}
