/* The operations, computed on the host by means other than the translator's: IEEE arithmetic
 * under fesetround(), 128-bit integers, bit by bit.
 * SPDX-License-Identifier: Apache-2.0 */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "tests/differential/differential.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* ---- Bits as numbers ---- */

/* Read through volatile, so that nothing is computed before the rounding is set. */
static float F(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    volatile float opaque = value;
    return opaque;
}

static double D(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    volatile double opaque = value;
    return opaque;
}

/* Written through volatile, so that nothing is computed after the rounding is reset. */
static uint64_t bits_of(float value)
{
    volatile float opaque = value;
    value = opaque;
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static uint64_t bits_of_double(double value)
{
    volatile double opaque = value;
    value = opaque;
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static int64_t S(uint64_t bits, unsigned count)
{
    const unsigned spare = 64 - count;
    return (int64_t)(bits << spare) >> spare;
}

/* A number of `digits` digits (with the hidden one) and `width` bits of exponent. */
static double N(uint64_t bits, int digits, int width)
{
    const int most = (1 << width) - 1, field = (int)(bits >> (digits - 1)) & most;
    const double fraction = (double)(bits & ((1ULL << (digits - 1)) - 1));
    const double hidden = ldexp(1, digits - 1);
    const int exponent = (field ? field : 1) - (1 << (width - 1)) + 2 - digits;
    const double size = field == most ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                                      : ldexp(field ? fraction + hidden : fraction, exponent);
    return bits >> (digits - 1 + width) & 1 ? -size : size;
}

static double H(uint64_t bits)
{
    return N(bits, 11, 5);
}

/* Rounded as fegetround() says. */
static uint64_t encoded(double x, int digits, int width)
{
    const uint64_t infinite = ((1ULL << width) - 1) << (digits - 1);
    const uint64_t sign = signbit(x) ? 1ULL << (digits - 1 + width) : 0;
    const int least = 2 - (1 << (width - 1)), mode = fegetround();
    int lead;
    if (isnan(x))
        return (1ULL << (digits - 1 + width)) - 1;
    if (isinf(x) || x == 0)
        return sign | (x == 0 ? 0 : infinite);
    frexp(x, &lead);
    lead = lead - 1 < least ? least : lead - 1;
    const uint64_t bits = (uint64_t)fabs(nearbyint(ldexp(x, digits - 1 - lead))) +
                          ((uint64_t)(lead - least) << (digits - 1));
    const bool is_away = mode == FE_TONEAREST || mode == (sign ? FE_DOWNWARD : FE_UPWARD);
    return sign | (bits < infinite ? bits : is_away ? infinite : infinite - 1);
}

/* ---- Rounding ---- */

static int begin(int mode)
{
    return fesetround(mode);
}

static uint64_t ended(uint64_t value)
{
    volatile uint64_t opaque = value;
    value = opaque;
    fesetround(FE_TONEAREST);
    return value;
}

#define MODE_rn         FE_TONEAREST
#define MODE_rz         FE_TOWARDZERO
#define MODE_rm         FE_DOWNWARD
#define MODE_rp         FE_UPWARD
#define AT(mode, value) ((void)begin(mode), ended(value))
#define FROM(r, value)  AT(MODE_##r, bits_of(value))
#define FROMD(r, value) AT(MODE_##r, bits_of_double(value))

/* a * b + c with an odd last digit where it is not exact, so that it can be rounded once more. */
static double fused(double a, double b, double c)
{
    const int mode = fegetround();
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_INEXACT);
    volatile double x = a, y = b, z = c;
    volatile double result = fma(x, y, z);
    const bool is_exact = !fetestexcept(FE_INEXACT);
    fesetround(mode);
    return is_exact || !isfinite(result) ? result : D(bits_of_double(result) | 1);
}

/* ---- Parts of the rules ---- */

static uint64_t flushed(uint64_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

static uint64_t flushed_double(uint64_t bits)
{
    return bits & 0x7ff0000000000000 ? bits : bits & 0x8000000000000000;
}

static uint64_t saturated(uint64_t bits)
{
    const float value = F(bits);
    return value > 0 ? (value < 1 ? bits : 0x3f800000) : 0;
}

static uint64_t flushed_half(uint64_t bits)
{
    return bits & 0x7c00 ? bits : bits & 0x8000;
}

static uint64_t saturated_half(uint64_t bits)
{
    return H(bits) > 0 ? (H(bits) < 1 ? bits : 0x3c00) : 0;
}

/* Floats of 8 bits: of e4m3 (3 digits behind the point) and e5m2 (2), by looking at all there are. */
static double byte_value(uint64_t bits, int fraction)
{
    const int exponent = (int)(bits & 0x7f) >> fraction, bias = fraction == 3 ? 7 : 15;
    const double digits = (double)(bits & ((1U << fraction) - 1)) / (1 << fraction);
    const double size =
        exponent == 0 ? ldexp(digits, 1 - bias) : ldexp(1 + digits, exponent - bias);
    if ((bits & 0x7f) > (fraction == 3 ? 0x7eU : 0x7cU))
        return NAN;
    if (fraction == 2 && (bits & 0x7f) == 0x7c)
        return bits & 0x80 ? -INFINITY : INFINITY;
    return bits & 0x80 ? -size : size;
}

static uint64_t nearest_byte(double x, int fraction)
{
    const uint64_t most = fraction == 3 ? 0x7e : 0x7b;
    uint64_t nearest = 0;
    if (isnan(x))
        return 0x7f;
    for (uint64_t bits = 1; bits <= most; ++bits) {
        const double above = byte_value(bits, fraction) - fabs(x);
        const double below = fabs(x) - byte_value(bits - 1, fraction);
        if (above < below || (above == below && bits % 2 == 0))
            nearest = bits;
    }
    return nearest | (signbit(x) ? 0x80 : 0);
}

static uint64_t nearest_bytes(double low, double high, int fraction)
{
    return nearest_byte(low, fraction) | nearest_byte(high, fraction) << 8;
}

static double not_negative(double x)
{
    return signbit(x) && !isnan(x) ? 0 : x;
}

static uint64_t positive(uint64_t bits, int digits, int width)
{
    const double value = N(bits, digits, width);
    return value > 0 || isnan(value) ? bits : 0;
}

static uint64_t least(uint64_t a, uint64_t b, bool is_most, bool keeps_nan, bool is_xorsign)
{
    const uint64_t sign = (a ^ b) & 0x80000000;
    a = is_xorsign ? a & 0x7fffffff : a;
    b = is_xorsign ? b & 0x7fffffff : b;
    const bool a_first = F(a) < F(b) || (F(a) == F(b) && a >> 31 > b >> 31);
    uint64_t value = isnan(F(a)) ? b : isnan(F(b)) ? a : a_first != is_most ? a : b;
    if ((keeps_nan && isnan(F(a))) || isnan(F(value)))
        value = 0x7fffffff;
    if (keeps_nan && isnan(F(b)))
        value = 0x7fffffff;
    return is_xorsign && !isnan(F(value)) ? value | sign : value;
}

static uint64_t least_double(uint64_t a, uint64_t b, bool is_most)
{
    const bool a_first = D(a) < D(b) || (D(a) == D(b) && a >> 63 > b >> 63);
    return isnan(D(a)) ? b : isnan(D(b)) ? a : a_first != is_most ? a : b;
}

static uint64_t least_half(uint64_t a, uint64_t b, int digits, int width, bool is_most,
                           bool keeps_nan)
{
    const double x = N(a, digits, width), y = N(b, digits, width);
    const bool a_first = x < y || (x == y && a >> 15 > b >> 15);
    if (isnan(x) || isnan(y))
        return keeps_nan || (isnan(x) && isnan(y)) ? 0x7fff : isnan(x) ? b : a;
    return a_first != is_most ? a : b;
}

static uint64_t compared(double a, double b, unsigned relations)
{
    const unsigned relation = isnan(a) || isnan(b) ? 8 : a < b ? 1 : a > b ? 4 : 2;
    return (relations & relation) != 0;
}

static uint64_t clamped(int64_t value, unsigned bits, bool is_signed)
{
    const s128 most = (((s128)1) << (bits - is_signed)) - 1, lowest = is_signed ? -most - 1 : 0;
    return (uint64_t)(value < lowest ? lowest : value > most ? most : value);
}

static uint64_t extended(int64_t value, unsigned bits, bool is_signed)
{
    if (bits == 64)
        return (uint64_t)value;
    return is_signed ? (uint64_t)S((uint64_t)value, bits) : (uint64_t)value & ((1ULL << bits) - 1);
}

/* A whole number into an integer type. NaN: zero, or the highest bit for doubles and for 64
 * bits. */
static uint64_t whole_of(double value, unsigned bits, bool is_signed, bool is_double)
{
    const double limit = ldexp(1, (int)bits - (is_signed ? 1 : 0));
    if (isnan(value))
        return is_double || bits == 64 ? extended((int64_t)(1ULL << (bits - 1)), bits, is_signed)
                                       : 0;
    if (value >= limit)
        return is_signed ? (1ULL << (bits - 1)) - 1 : bits == 64 ? UINT64_MAX : (1ULL << bits) - 1;
    if (value < (is_signed ? -limit : 0))
        return is_signed ? (uint64_t)S(1ULL << (bits - 1), bits) : 0;
    return is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static uint64_t tf32_of(uint64_t bits)
{
    if (!isfinite(F(bits)))
        return isnan(F(bits)) ? 0x7fffe000 : bits;
    return (bits + 0x1000) & 0xffffe000;
}

/* ---- Bits ---- */

static uint64_t count_ones(uint64_t a)
{
    uint64_t count = 0;
    for (; a; a &= a - 1)
        ++count;
    return count;
}

static uint64_t highest(uint64_t a, unsigned bits)
{
    for (unsigned i = bits; i > 0; --i)
        if (a >> (i - 1) & 1)
            return i - 1;
    return UINT64_MAX;
}

static uint64_t reversed(uint64_t a, unsigned bits)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < bits; ++i)
        result |= (a >> i & 1) << (bits - 1 - i);
    return result;
}

static uint64_t field(uint64_t a, uint64_t position, uint64_t count, unsigned bits, bool is_signed)
{
    uint64_t result = 0;
    position &= 255;
    count &= 255;
    const uint64_t last = position + count - 1 < bits - 1 ? position + count - 1 : bits - 1;
    const bool fill = is_signed && count && (a >> last & 1);
    for (uint64_t i = 0; i < bits; ++i)
        if (i < count && position + i < bits ? a >> (position + i) & 1 : fill)
            result |= 1ULL << i;
    return result;
}

static uint64_t inserted(uint64_t part, uint64_t into, uint64_t position, uint64_t count,
                         unsigned bits)
{
    position &= 255;
    count &= 255;
    for (uint64_t i = 0; i < count && position + i < bits; ++i)
        into = (into & ~(1ULL << (position + i))) | (part >> i & 1) << (position + i);
    return into;
}

static uint64_t nth_one(uint64_t mask, uint64_t base, int offset)
{
    const int step = offset > 0 ? 1 : -1;
    int left = offset > 0 ? offset : -offset;
    for (int i = (int)base; i >= 0 && i < 32; i += step)
        if ((mask >> i & 1) && --left == 0)
            return (uint64_t)i;
    return UINT64_MAX;
}

static uint64_t logic(uint64_t a, uint64_t b, uint64_t c, unsigned table)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 32; ++i) {
        const unsigned row = (unsigned)((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1));
        result |= (uint64_t)(table >> row & 1) << i;
    }
    return result;
}

static uint64_t permuted(uint64_t a, uint64_t b, uint64_t choices)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const uint64_t choice = choices >> (4 * i) & 15;
        const uint64_t byte = (b << 32 | a) >> (8 * (choice & 7)) & 255;
        result |= (choice & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * i);
    }
    return result;
}

/* Parts of a times bytes of b. */
static uint64_t dot(uint64_t a, uint64_t b, unsigned parts, bool a_signed, bool b_signed,
                    bool upper)
{
    const unsigned bits = 32 / parts;
    int64_t sum = 0;
    for (unsigned i = 0; i < parts; ++i) {
        const uint64_t x = a >> (bits * i) & ((1ULL << bits) - 1);
        const uint64_t y = b >> (8 * i + (upper ? 16 : 0)) & 255;
        sum += (a_signed ? S(x, bits) : (int64_t)x) * (b_signed ? S(y, 8) : (int64_t)y);
    }
    return (uint64_t)sum;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t differences(uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < 32; i += 8) {
        const uint64_t x = a >> i & 255, y = b >> i & 255;
        sum += x > y ? x - y : y - x;
    }
    return sum;
}

enum part_operation { ADD, SUB, AVERAGE, MAX, MIN, AT_LEAST };

static int64_t part_result(enum part_operation operation, int64_t x, int64_t y)
{
    switch (operation) {
    case ADD:
        return x + y;
    case SUB:
        return x - y;
    case AVERAGE:
        return (x + y + (x + y >= 0)) >> 1;
    case MAX:
        return x > y ? x : y;
    case MIN:
        return x < y ? x : y;
    default:
        return x >= y;
    }
}

static uint64_t parts(uint64_t a, uint64_t b, unsigned bits, enum part_operation operation,
                      bool is_signed, bool saturates)
{
    const uint64_t mask = (1ULL << bits) - 1;
    uint64_t result = 0;
    for (unsigned i = 0; i < 32; i += bits) {
        const uint64_t x = a >> i & mask, y = b >> i & mask;
        const int64_t value = part_result(operation, is_signed ? S(x, bits) : (int64_t)x,
                                          is_signed ? S(y, bits) : (int64_t)y);
        result |= ((saturates ? clamped(value, bits, is_signed) : (uint64_t)value) & mask) << i;
    }
    return result;
}

#define LOW(x)          ((x)&0xffff)
#define HIGH(x)         ((x) >> 16 & 0xffff)
#define PAIR(low, high) ((low) | (high) << 16)

/* ---- Approximations ---- */

#define ANYTHING ((double)INFINITY)

/* The distance between floats about x. */
static double ULP(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

static bool is_within(float x, double least_size, double most_size)
{
    return fabs((double)x) >= least_size && fabs((double)x) <= most_size;
}

static double number_of(char class, uint64_t bits)
{
    return class == 'q' ? H(bits) : class == 'f' ? (double)F(bits) : D(bits);
}

/* The exact value as the class has it. */
static uint64_t nearest(char class, double exact)
{
    return class == 'q'   ? encoded(exact, 11, 5)
           : class == 'f' ? bits_of((float)exact)
                          : bits_of_double(exact);
}

/* Values beyond the class's largest number may be that or infinity. */
static bool is_near(char class, uint64_t given, double exact, double error)
{
    const double value = number_of(class, given),
                 largest = class == 'q' ? 65504 : (double)3.40282347e38F;
    if (error == ANYTHING || isnan(exact) || isnan(value))
        return error == ANYTHING || (isnan(exact) && isnan(value));
    if (class != 'd' && fabs(exact) + error > largest)
        return fabs(value) + error >= largest && signbit(value) == signbit(exact);
    return value == exact || fabs(value - exact) <= error;
}

/* ---- The table ---- */

#define OPERATION(name, text, result, sources, value)                                              \
    static uint64_t value_##name(uint64_t A, uint64_t B, uint64_t C)                               \
    {                                                                                              \
        (void)A, (void)B, (void)C;                                                                 \
        return (uint64_t)(value);                                                                  \
    }
#define APPROXIMATION(name, text, result, sources, value, allowed)                                 \
    static double exact_##name(uint64_t A, uint64_t B, uint64_t C, double *error)                  \
    {                                                                                              \
        (void)A, (void)B, (void)C;                                                                 \
        const double exact = value;                                                                \
        *error = allowed;                                                                          \
        return exact;                                                                              \
    }
#include "tests/differential/operations.def"
#undef OPERATION
#undef APPROXIMATION

#define ONE(c)     ((const char[]){c, 0})
#define TWO(c)     ((const char[]){c, c, 0})
#define THREE(c)   ((const char[]){c, c, c, 0})
#define WITH_R(c)  ((const char[]){c, 'r', 0})
#define WITH_S(c)  ((const char[]){c, 's', 0})
#define WITH_RR(c) ((const char[]){c, 'r', 'r', 0})
#define WITH_SS(c) ((const char[]){c, 's', 's', 0})
#define TWO_R(c)   ((const char[]){c, c, 'r', 0})
#define TWO_S(c)   ((const char[]){c, c, 's', 0})
const struct operation operations[] = {
#define OPERATION(name, text, result, sources, value)                                              \
    {#name, text, result, sources, value_##name, NULL},
#define APPROXIMATION(name, text, result, sources, exact, error)                                   \
    {#name, text, result, sources, NULL, exact_##name},
#include "tests/differential/operations.def"
};
const size_t operation_count = sizeof operations / sizeof *operations;

uint64_t step_value(const struct step *step, const uint64_t *values, uint64_t given)
{
    const struct operation *operation = step->operation;
    uint64_t from[SOURCES] = {0};
    for (size_t i = 0; i < SOURCES && operation->sources[i]; ++i)
        from[i] = operation->sources[i] == 's' ? step->sources[i] : values[step->sources[i]];
    if (operation->value)
        return class_bits(operation->result, operation->value(from[0], from[1], from[2]));
    double error;
    const double exact = operation->exact(from[0], from[1], from[2], &error);
    return is_near(operation->result, given, exact, error) ? given
                                                           : nearest(operation->result, exact);
}
