/* Conversions between numbers as cvt makes them: integers from floats are clamped and never
 * undefined, floats are rounded in any direction. C of both kinds, so that the host can test it.
 * SPDX-License-Identifier: Apache-2.0 */

/* OpenCL's rint(), of CPUs: PoCL 3.1's goes by way of an int, and compilers take what kernels do with a constant that no int
 * holds to be undefined. Numbers so large that they are whole stay. */
float clem_rint_f32(float a)
{
    float size = fabs(a);
    float whole = (size + 0x1p23f) - 0x1p23f;
    return copysign(size < 0x1p23f ? whole : size, a);
}

double clem_rint_f64(double a)
{
    double size = fabs(a);
    double whole = (size + 0x1p52) - 0x1p52;
    return copysign(size < 0x1p52 ? whole : size, a);
}

/* From a float that is already whole: clamped; NaN as the hardware answers, zero for 32 bits and
 * less. */
int clem_s32_from_f32(float a)
{
    int inside = (int)(a >= -0x1p31f && a < 0x1p31f ? a : 0.0f);
    return a >= 0x1p31f ? 0x7fffffff : a < -0x1p31f ? -0x7fffffff - 1 : inside;
}

uint clem_u32_from_f32(float a)
{
    uint inside = (uint)(a >= 0.0f && a < 0x1p32f ? a : 0.0f);
    return a >= 0x1p32f ? 0xffffffffu : inside;
}

long clem_s64_from_f32(float a)
{
    long inside = (long)(a >= -0x1p63f && a < 0x1p63f ? a : 0.0f);
    return a >= 0x1p63f ? 0x7fffffffffffffffl : a >= -0x1p63f ? inside : -0x7fffffffffffffffl - 1l;
}

ulong clem_u64_from_f32(float a)
{
    ulong inside = (ulong)(a >= 0.0f && a < 0x1p64f ? a : 0.0f);
    return a != a ? 0x8000000000000000ul : a >= 0x1p64f ? 0xfffffffffffffffful : inside;
}

/* From double NaN gives the highest bit alone. */
int clem_s32_from_f64(double a)
{
    int inside = (int)(a >= -0x1p31 && a < 0x1p31 ? a : 0.0);
    return a >= 0x1p31 ? 0x7fffffff : a >= -0x1p31 ? inside : -0x7fffffff - 1;
}

uint clem_u32_from_f64(double a)
{
    uint inside = (uint)(a >= 0.0 && a < 0x1p32 ? a : 0.0);
    return a != a ? 0x80000000u : a >= 0x1p32 ? 0xffffffffu : inside;
}

long clem_s64_from_f64(double a)
{
    long inside = (long)(a >= -0x1p63 && a < 0x1p63 ? a : 0.0);
    return a >= 0x1p63 ? 0x7fffffffffffffffl : a >= -0x1p63 ? inside : -0x7fffffffffffffffl - 1l;
}

ulong clem_u64_from_f64(double a)
{
    ulong inside = (ulong)(a >= 0.0 && a < 0x1p64 ? a : 0.0);
    return a != a ? 0x8000000000000000ul : a >= 0x1p64 ? 0xfffffffffffffffful : inside;
}

/* Narrower ones: clamped in double's or float's range of whole numbers; from double NaN gives the
 * highest bit. */
int clem_narrow_from_f32(float a, int least, int most)
{
    int value = clem_s32_from_f32(a);
    return value < least ? least : value > most ? most : value;
}

int clem_narrow_from_f64(double a, int least, int most, int of_nan)
{
    int value = clem_s32_from_f64(a);
    return a != a ? of_nan : value < least ? least : value > most ? most : value;
}

/* Whole numbers into a format, rounded in any direction. */
ulong clem_pack_u64(ulong a, uint mode, int digits, int width)
{
    return clem_pack(0u, 0, a, mode, digits, width);
}

ulong clem_pack_s64(long a, uint mode, int digits, int width)
{
    return clem_pack(a < 0, 0, a < 0 ? 0ul - (ulong)a : (ulong)a, mode, digits, width);
}

/* Double into a smaller format, rounded once. */
ulong clem_narrow_f64(double a, uint mode, int digits, int width)
{
    ulong bits = as_ulong(a);
    ulong infinite = ((1ul << width) - 1ul) << (digits - 1);
    ulong sign = bits >> 63 << (digits - 1 + width);
    if (a != a)
        return (1ul << (digits - 1 + width)) - 1ul;
    if ((bits & 0x7ff0000000000000ul) == 0x7ff0000000000000ul)
        return sign | infinite;
    return clem_pack((uint)(bits >> 63), clem_exponent(bits, 53, 11), clem_mantissa(bits, 53, 11),
                     mode, digits, width);
}

/* .satfinite: infinity becomes the largest finite number; NaN stays. `infinite` tells the format.
 */
ushort clem_satfinite_half(ushort a, uint infinite)
{
    return (ushort)((a & 0x7fffu) == infinite ? a - 1 : a);
}

/* tf32: float with 10 digits after the point. */
uint clem_tf32_from_f32(float a, uint mode)
{
    uint bits = as_uint(a);
    if ((bits & 0x7f800000u) == 0x7f800000u)
        return a != a ? 0x7fffe000u : bits;
    return (uint)clem_pack(bits >> 31, clem_exponent(bits, 24, 8), clem_mantissa(bits, 24, 8), mode,
                           11, 8)
           << 13;
}

long clem_clamp_s64(long a, long least, long most)
{
    return a < least ? least : a > most ? most : a;
}

ulong clem_clamp_u64(ulong a, ulong most)
{
    return a > most ? most : a;
}
