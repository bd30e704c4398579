/* The arithmetic library run on the host, against IEEE arithmetic under fesetround() and against definitions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/test.h"

#include "tests/ptx/opencl_c.h"

enum { CASES = 200000 };

static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD}; /* clem_rn, ... */

/* ---- Numbers to try ---- */

static ulong random_state;

static ulong next_bits(void)
{
    ulong z = random_state += 0x9e3779b97f4a7c15ul;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return z ^ z >> 31;
}

/* Any, subnormal, near 1, few digits, huge, powers of two. */
static float next_float(void)
{
    const ulong choice = next_bits();
    uint bits = (uint)(choice >> 32);
    switch (choice & 7) {
    case 0:
        bits &= 0x807fffffu;
        break;
    case 1:
        bits = (bits & 0x807fffffu) | (120u + ((uint)choice >> 3 & 15u)) << 23;
        break;
    case 2:
        bits = (bits & 0x80000003u) | ((uint)choice >> 3 & 255u) << 23;
        break;
    case 3:
        bits = (bits | 0x7f000000u) & 0xff7fffffu;
        break;
    case 4:
        bits &= 0xff800000u;
        break;
    default:
        break;
    }
    return as_float(bits);
}

static double next_double(void)
{
    const ulong choice = next_bits();
    ulong bits = next_bits();
    switch (choice & 7) {
    case 0:
        bits &= 0x800ffffffffffffful;
        break;
    case 1:
        bits = (bits & 0x800ffffffffffffful) | (1016ul + (choice >> 3 & 15)) << 52;
        break;
    case 2:
        bits = (bits & 0x8000000000000003ul) | (choice >> 3 & 2047) << 52;
        break;
    case 3:
        bits = (bits | 0x7fe0000000000000ul) & 0xffeffffffffffffful;
        break;
    case 4:
        bits &= 0xfff0000000000000ul;
        break;
    default:
        break;
    }
    return as_double(bits);
}

/* ---- Floats ---- */

static void same_float(float given, float wanted)
{
    if (!(isnan(given) && isnan(wanted)))
        assert_int_equal(as_uint(given), as_uint(wanted));
}

static void same_double(double given, double wanted)
{
    if (!(isnan(given) && isnan(wanted)))
        assert_int_equal(as_ulong(given), as_ulong(wanted));
}

/* The value of an expression under a rounding; volatile keeps it between the two calls. */
#define UNDER(mode, variable, expression)                                                          \
    do {                                                                                           \
        fesetround(modes[mode]);                                                                   \
        (variable) = (expression);                                                                 \
        fesetround(FE_TONEAREST);                                                                  \
    } while (0)

TEST_BODY(library_rounds_floats_in_every_direction)
{
    random_state = 1;
    for (int i = 0; i < CASES; i++) {
        volatile float a = next_float(), b = next_float(), wanted;
        volatile float c = i % 8 ? next_float() : -a * b;
        for (uint mode = 0; mode < 4; mode++) {
            UNDER(mode, wanted, fmaf(a, b, c));
            same_float(clem_fma_f32(a, b, c, mode), wanted);
            UNDER(mode, wanted, a + b);
            same_float(clem_add_f32(a, b, mode), wanted);
            UNDER(mode, wanted, a * b);
            same_float(clem_mul_f32(a, b, mode), wanted);
            UNDER(mode, wanted, a / b);
            same_float(clem_div_f32(a, b, mode), wanted);
            UNDER(mode, wanted, sqrtf(a));
            same_float(clem_sqrt_f32(a, mode), wanted);
        }
        same_float(clem_div_by_double(a, b), a / b);
        same_float(clem_sqrt_by_double(a), sqrtf(a));
    }
}

TEST_BODY(library_rounds_doubles_in_every_direction)
{
    random_state = 2;
    for (int i = 0; i < CASES; i++) {
        volatile double a = next_double(), b = next_double(), wanted;
        volatile double c = i % 8 ? next_double() : -a * b;
        for (uint mode = 0; mode < 4; mode++) {
            UNDER(mode, wanted, fma(a, b, c));
            same_double(clem_fma_f64(a, b, c, mode), wanted);
            UNDER(mode, wanted, a + b);
            same_double(clem_add_f64(a, b, mode), wanted);
            UNDER(mode, wanted, a * b);
            same_double(clem_mul_f64(a, b, mode), wanted);
            UNDER(mode, wanted, a / b);
            same_double(clem_div_f64(a, b, mode), wanted);
            UNDER(mode, wanted, sqrt(a));
            same_double(clem_sqrt_f64(a, mode), wanted);
        }
    }
}

TEST_BODY(library_converts_in_every_direction)
{
    random_state = 3;
    for (int i = 0; i < CASES; i++) {
        volatile double a = next_double(), twofold;
        volatile ulong bits = next_bits() >> (next_bits() & 63);
        volatile long number = next_bits() & 1 ? (long)bits : -(long)bits;
        volatile float single;
        for (uint mode = 0; mode < 4; mode++) {
            UNDER(mode, single, (float)a);
            same_float(as_float((uint)clem_narrow_f64(a, mode, 24, 8)), single);
            UNDER(mode, single, (float)bits);
            same_float(as_float((uint)clem_pack_u64(bits, mode, 24, 8)), single);
            UNDER(mode, single, (float)number);
            same_float(as_float((uint)clem_pack_s64(number, mode, 24, 8)), single);
            UNDER(mode, twofold, (double)bits);
            same_double(as_double(clem_pack_u64(bits, mode, 53, 11)), twofold);
            UNDER(mode, twofold, (double)number);
            same_double(as_double(clem_pack_s64(number, mode, 53, 11)), twofold);
        }
    }
}

/* ---- Halves ---- */

/* Every half comes back from float, and every float between two neighbours goes to the nearer, or to the even one. */
TEST_BODY(library_rounds_to_half_to_the_nearest)
{
    for (uint bits = 0; bits < 0x7c00u; bits++) {
        const double low = (double)clem_f32_from_f16((ushort)bits);
        const double high =
            bits == 0x7bffu ? 65536.0 : (double)clem_f32_from_f16((ushort)(bits + 1));
        const float middle = (float)((low + high) / 2);
        assert_true(low < high);
        assert_int_equal(clem_f16_from_f32((float)low), bits);
        assert_int_equal(clem_f16_from_f32(middle), bits + (bits & 1));
        assert_int_equal(clem_f16_from_f32(nextafterf(middle, 0)), bits);
        assert_int_equal(clem_f16_from_f32(nextafterf(middle, INFINITY)), bits + 1);
        assert_int_equal(clem_f16_from_f32(-middle), 0x8000u | (bits + (bits & 1)));
        assert_int_equal(clem_f16_from_f32_mode((float)low, clem_rz), bits);
        assert_int_equal(clem_f16_from_f32_mode(middle, clem_rp), bits + 1);
        assert_int_equal(clem_f16_from_f32_mode(middle, clem_rz), bits);
    }
    assert_true(clem_f32_from_f16(0x7c00) == INFINITY);
    assert_true(isnan(clem_f32_from_f16(0x7c01)));
    assert_int_equal(clem_f16_from_f32(NAN), 0x7fff);
    assert_int_equal(clem_f16_from_f32(-INFINITY), 0xfc00);
}

TEST_BODY(library_rounds_to_bfloat_to_the_nearest)
{
    for (uint bits = 0; bits < 0x7f80u; bits++) {
        const uint middle = bits << 16 | 0x8000u;
        assert_int_equal(clem_bf16_from_f32(as_float(bits << 16)), bits);
        assert_int_equal(clem_bf16_from_f32(as_float(middle)), bits + (bits & 1));
        assert_int_equal(clem_bf16_from_f32(as_float(middle - 1)), bits);
        assert_int_equal(clem_bf16_from_f32(as_float(middle + 1)), bits + 1);
        assert_int_equal(clem_bf16_from_f32_mode(as_float(middle | 0x80000000u), clem_rm),
                         0x8000u | (bits + 1));
        assert_int_equal(clem_bf16_from_f32_mode(as_float(middle), clem_rz), bits);
    }
    assert_int_equal(clem_bf16_from_f32(NAN), 0x7fff);
}

/* The quick sums and products against the exact ones. */
TEST_BODY(library_computes_halves_exactly)
{
    random_state = 4;
    for (int i = 0; i < CASES; i++) {
        const ushort a = (ushort)next_bits(), b = (ushort)next_bits(), c = (ushort)next_bits();
        if ((a & 0x7c00) != 0x7c00 && (b & 0x7c00) != 0x7c00 && (c & 0x7c00) != 0x7c00) {
            assert_int_equal(clem_fma_f16(a, b, c), clem_fma_bits(a, b, c, clem_rn, 11, 5));
            assert_int_equal(clem_add_f16(a, b), clem_fma_bits(a, 0x3c00, b, clem_rn, 11, 5));
            assert_int_equal(clem_mul_f16(a, b),
                             clem_fma_bits(a, b, (a ^ b) & 0x8000, clem_rn, 11, 5));
        }
        if ((a & 0x7f80) != 0x7f80 && (b & 0x7f80) != 0x7f80)
            assert_int_equal(clem_add_bf16(a, b), clem_fma_bits(a, 0x3f80, b, clem_rn, 8, 8));
    }
    /* 1.5 * (1 + 2^-7) and 1.5 * (1 + 3 * 2^-7) lie between two bfloats; 2^-100 decides. In double that would be lost. */
    assert_int_equal(clem_fma_bf16(0x3f81, 0x3fc0, 0), 0x3fc2);
    assert_int_equal(clem_fma_bf16(0x3f81, 0x3fc0, 0x8d80), 0x3fc1);
    assert_int_equal(clem_fma_bf16(0x3f83, 0x3fc0, 0), 0x3fc4);
    assert_int_equal(clem_fma_bf16(0x3f83, 0x3fc0, 0x0d80), 0x3fc5);
}

/* ---- Integers ---- */

TEST_BODY(library_division_never_traps)
{
    assert_int_equal(clem_div_s32(-5, 0), -1);
    assert_int_equal(clem_rem_s32(-5, 0), -1);
    assert_int_equal(clem_div_u32(5, 0), 0xffffffffu);
    assert_int_equal(clem_rem_u32(5, 0), 0xffffffffu);
    assert_int_equal(clem_div_s32(INT32_MIN, -1), INT32_MIN);
    assert_int_equal(clem_rem_s32(INT32_MIN, -1), 0);
    assert_true(clem_div_s64(INT64_MIN, -1) == INT64_MIN);
    assert_true(clem_rem_s64(INT64_MIN, -1) == 0);
    assert_true(clem_div_u64(7, 0) == UINT64_MAX);
    assert_true(clem_div_s64(-7, 2) == -3 && clem_rem_s64(-7, 2) == -1);
}

/* vmad as the ISA defines it: in 128 bits. */
static uint defined_vmad(long a, long b, uint c, uint minus_product, uint minus_c, uint one,
                         uint is_signed, uint shift, uint saturate)
{
    __extension__ typedef __int128 wide;
    wide sum = (wide)a * b;
    sum = minus_product ? ~sum : sum;
    c = minus_c ? ~c : c;
    sum += (is_signed ? (wide)(int)c : (wide)c) + (one | minus_product | minus_c);
    sum >>= shift;
    const wide most = is_signed ? INT32_MAX : UINT32_MAX, least = is_signed ? INT32_MIN : 0;
    return (uint)(!saturate ? sum : sum > most ? most : sum < least ? least : sum);
}

TEST_BODY(library_vmad_as_defined)
{
    random_state = 5;
    for (int i = 0; i < CASES; i++) {
        const uint choice = (uint)next_bits(), c = (uint)next_bits();
        const uint x = (uint)next_bits() | (choice >> 8 & 1 ? 0xfffffff0u : 0);
        const uint y = (uint)next_bits() & (choice >> 9 & 1 ? 15u : ~0u);
        const long a = choice & 1 ? (int)x : (long)x, b = choice & 2 ? (int)y : (long)y;
        const uint minus_product = choice >> 2 & 1, minus_c = !minus_product && (choice >> 3 & 1);
        const uint one = !minus_product && !minus_c && (choice >> 4 & 1);
        const uint is_signed = (choice & 3) != 0 || minus_product || minus_c;
        const uint shift = choice >> 5 & 1   ? 7
                           : choice >> 6 & 1 ? 15
                                             : 0,
                   saturate = choice >> 7 & 1;
        assert_int_equal(
            clem_vmad(a, b, c, minus_product, minus_c, one, is_signed, shift, saturate),
            defined_vmad(a, b, c, minus_product, minus_c, one, is_signed, shift, saturate));
    }
}
