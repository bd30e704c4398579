/* Half and bfloat16, on the device and on the host: every value through every function of one argument, random ones and
 * edges through those of two and three, each bit for bit what the exact result rounds to; functions that are no
 * arithmetic within a unit of the last place; pairs, loads, stores and atomics. NVIDIA's headers have all of bfloat16's
 * functions only from 8.0 on:
 * Compute capability: 80
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <limits>

/* NVIDIA's headers have some of these functions in device code only. */
#if defined(__clang__)
#define SIDES __host__ __device__
#else
#define SIDES __device__
#endif

/* What differs between the two, and the exact side: values as doubles, which hold every sum and product of theirs but
 * for some of bfloat16, whose fma is compared where the double is exact. */
template <class H> struct format;
template <> struct format<__half> {
    typedef __half2 pair;
    static const int digits = 11, least = -13, most = 16;
    static SIDES __half of(unsigned short bits)
    {
        return __ushort_as_half(bits);
    }
    static SIDES unsigned short bits(__half value)
    {
        return __half_as_ushort(value);
    }
    static SIDES __half2 two(__half low, __half high)
    {
        return __halves2half2(low, high);
    }
    template <class T> static SIDES void integers(__half a, T *to)
    {
        to[0] = __half2int_rn(a), to[1] = __half2int_rz(a), to[2] = __half2int_ru(a);
        to[3] = __half2int_rd(a), to[4] = __half2short_rn(a), to[5] = __half2ushort_rz(a);
        to[6] = __half2uint_ru(a), to[7] = __half2ll_rd(a), to[8] = (T)__half2ull_rn(a);
        to[9] = __half2char_rz(a), to[10] = __half2uchar_rz(a);
    }
    static SIDES void narrow(float a, __half *to)
    {
        to[0] = __float2half_rn(a), to[1] = __float2half_rz(a);
        to[2] = __float2half_ru(a), to[3] = __float2half_rd(a);
    }
    static SIDES void narrow(int a, __half *to)
    {
        to[0] = __int2half_rn(a), to[1] = __int2half_rz(a);
        to[2] = __int2half_ru(a), to[3] = __int2half_rd(a);
    }
};
template <> struct format<__nv_bfloat16> {
    typedef __nv_bfloat162 pair;
    static const int digits = 8, least = -125, most = 128;
    static SIDES __nv_bfloat16 of(unsigned short bits)
    {
        return __ushort_as_bfloat16(bits);
    }
    static SIDES unsigned short bits(__nv_bfloat16 value)
    {
        return __bfloat16_as_ushort(value);
    }
    static SIDES __nv_bfloat162 two(__nv_bfloat16 low, __nv_bfloat16 high)
    {
        return __halves2bfloat162(low, high);
    }
    template <class T> static SIDES void integers(__nv_bfloat16 a, T *to)
    {
        to[0] = __bfloat162int_rn(a), to[1] = __bfloat162int_rz(a), to[2] = __bfloat162int_ru(a);
        to[3] = __bfloat162int_rd(a), to[4] = __bfloat162short_rn(a);
        to[5] = __bfloat162ushort_rz(a), to[6] = __bfloat162uint_ru(a);
        to[7] = __bfloat162ll_rd(a), to[8] = (T)__bfloat162ull_rn(a);
        to[9] = __bfloat162char_rz(a), to[10] = __bfloat162uchar_rz(a);
    }
    static SIDES void narrow(float a, __nv_bfloat16 *to)
    {
        to[0] = __float2bfloat16_rn(a), to[1] = __float2bfloat16_rz(a);
        to[2] = __float2bfloat16_ru(a), to[3] = __float2bfloat16_rd(a);
    }
    static SIDES void narrow(int a, __nv_bfloat16 *to)
    {
        to[0] = __int2bfloat16_rn(a), to[1] = __int2bfloat16_rz(a);
        to[2] = __int2bfloat16_ru(a), to[3] = __int2bfloat16_rd(a);
    }
};

/* --- The exact side --------------------------------------------------------------------------- */

template <class H> static double value_of(unsigned short bits)
{
    typedef format<H> f;
    const int width = 16 - f::digits, field = bits >> (f::digits - 1) & ((1 << width) - 1);
    const int fraction = bits & ((1 << (f::digits - 1)) - 1);
    double value = field == 0 ? ldexp(fraction, f::least - f::digits)
                   : field == (1 << width) - 1
                       ? (fraction ? NAN : INFINITY)
                       : ldexp(fraction + (1 << (f::digits - 1)), field - 1 + f::least - f::digits);
    return bits & 0x8000 ? -value : value;
}

/* mode: to nearest, toward zero, up, down. */
template <class H> static double rounded(double value, int mode)
{
    typedef format<H> f;
    if (!std::isfinite(value) || value == 0)
        return value;
    int exponent;
    frexp(value, &exponent);
    const int last = (exponent < f::least ? f::least : exponent) - f::digits;
    const double scaled = ldexp(value, -last);
    const double whole = mode == 0   ? nearbyint(scaled)
                         : mode == 1 ? trunc(scaled)
                         : mode == 2 ? ceil(scaled)
                                     : floor(scaled);
    const double result = copysign(ldexp(whole, last), value);
    if (fabs(result) < ldexp(1, f::most))
        return result;
    const bool is_infinite = mode == 0 || (mode == 2 && value > 0) || (mode == 3 && value < 0);
    return copysign(is_infinite ? INFINITY : ldexp(1, f::most) - ldexp(1, f::most - f::digits),
                    value);
}

template <class H> static bool same(unsigned short got, double expected)
{
    const double value = value_of<H>(got);
    return std::isnan(value) || std::isnan(expected)
               ? std::isnan(value) && std::isnan(expected)
               : value == expected && std::signbit(value) == std::signbit(expected);
}

/* --- What is calculated, on either side -------------------------------------------------------- */

enum { INTEGERS = 11, OPERATIONS = 22, FUNCTIONS = 14 };

struct unary {
    float wide;
    long long integers[INTEGERS];
    unsigned short negative, absolute, back;
    bool is_nan;
};

template <class H> static SIDES void calculate(unary *out, unsigned short bits)
{
    typedef format<H> f;
    const H a = f::of(bits);
    out->wide = (float)a;
    f::integers(a, out->integers);
    out->negative = f::bits(__hneg(a)), out->absolute = f::bits(__habs(a));
    out->back = f::bits(H((float)a)), out->is_nan = __hisnan(a);
}

struct several {
    unsigned short of[OPERATIONS], narrow[4], narrow_int[4];
    unsigned compared, pairs;
};

template <class H>
static SIDES void calculate(several *out, unsigned short x, unsigned short y, unsigned short z,
                            float wide, int whole)
{
    typedef format<H> f;
    const H a = f::of(x), b = f::of(y), c = f::of(z);
    const typename f::pair p = f::two(a, b), q = f::two(b, c), r = f::two(c, a);
    H sum = a, difference = a, product = a, quotient = a;
    sum += b, difference -= b, product *= b, quotient /= b;
    const typename f::pair s = __hadd2(p, q), d = p - q, m = __hmul2(p, q), u = __hfma2(p, q, r);
    const H of[OPERATIONS] = {__hadd(a, b),
                              __hsub(a, b),
                              __hmul(a, b),
                              __hdiv(a, b),
                              __hfma(a, b, c),
                              sum,
                              difference,
                              product,
                              quotient,
                              __hadd_sat(a, b),
                              __hmul_sat(a, b),
                              __hmax(a, b),
                              __hmin(a, b),
                              __hmax_nan(a, b),
                              __hmin_nan(a, b),
                              s.x,
                              s.y,
                              d.y,
                              m.y,
                              u.x,
                              u.y,
                              __hfma_relu(a, b, c)};
    for (int i = 0; i < OPERATIONS; i++)
        out->of[i] = f::bits(of[i]);
    H narrow[4];
    f::narrow(wide, narrow);
    for (int i = 0; i < 4; i++)
        out->narrow[i] = f::bits(narrow[i]);
    f::narrow(whole, narrow);
    for (int i = 0; i < 4; i++)
        out->narrow_int[i] = f::bits(narrow[i]);
    out->compared = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 |
                    (a != b) << 5 | __hltu(a, b) << 6 | __hgeu(a, b) << 7 | __hequ(a, b) << 8 |
                    __hne(a, b) << 9;
    out->pairs = __hblt2(p, q) | __hbeq2(p, p) << 1 | (__heq2_mask(p, p) & 0x00010004);
}

template <class H> __global__ void all(unary *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    calculate<H>(out + i, (unsigned short)i);
}

template <class H>
__global__ void many(several *out, const unsigned *xy, const unsigned *z, const float *wide)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    calculate<H>(out + i, (unsigned short)xy[i], (unsigned short)(xy[i] >> 16),
                 (unsigned short)z[i], wide[i], (int)z[i] >> (z[i] & 31));
}

template <class H> __global__ void functions(unsigned short *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const H a = format<H>::of((unsigned short)i);
    const H of[FUNCTIONS] = {hfloor(a), hceil(a), htrunc(a), hrint(a), hsqrt(a), hrcp(a), hrsqrt(a),
                             hexp(a),   hexp2(a), hexp10(a), hlog(a),  hlog2(a), hsin(a), hcos(a)};
    for (int k = 0; k < FUNCTIONS; k++)
        out[i * FUNCTIONS + k] = format<H>::bits(of[k]);
}

template <class H> __global__ void memory(typename format<H>::pair *sums, const H *in, H *out)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const H value = __ldg(in + i);
    __stcg(out + i, __shfl_xor_sync(0xffffffff, value, 1));
    atomicAdd(sums, format<H>::two(H(1.0f), H(2.0f)));
    atomicAdd(&sums[1].x, H(1.0f));
    typename format<H>::pair both = __ldcg(sums + 2);
    both = h2exp(both);
    if (i == 0)
        sums[3] = __hcmadd(both, both, both);
}

/* --- Comparison -------------------------------------------------------------------------------- */

template <class T> static bool whole_is(long long got, double value, int mode, bool is_wide)
{
    if (std::isnan(value))
        return got == (is_wide ? (long long)(1ull << 63) : 0);
    const double whole = mode == 0   ? nearbyint(value)
                         : mode == 1 ? trunc(value)
                         : mode == 2 ? ceil(value)
                                     : floor(value);
    const double least = (double)std::numeric_limits<T>::min(),
                 most = (double)std::numeric_limits<T>::max();
    const T expected = whole <= least  ? std::numeric_limits<T>::min()
                       : whole >= most ? std::numeric_limits<T>::max()
                                       : (T)whole;
    return got == (long long)expected;
}

template <class H> static bool is_right(const unary &u, unsigned short bits)
{
    const double a = value_of<H>(bits);
    return (std::isnan(a) ? std::isnan(u.wide)
                          : u.wide == a && std::signbit(u.wide) == std::signbit(a)) &&
           whole_is<int>(u.integers[0], a, 0, false) && whole_is<int>(u.integers[1], a, 1, false) &&
           whole_is<int>(u.integers[2], a, 2, false) && whole_is<int>(u.integers[3], a, 3, false) &&
           whole_is<short>(u.integers[4], a, 0, false) &&
           whole_is<unsigned short>(u.integers[5], a, 1, false) &&
           whole_is<unsigned>(u.integers[6], a, 2, false) &&
           whole_is<long long>(u.integers[7], a, 3, true) &&
           whole_is<unsigned long long>(u.integers[8], a, 0, true) &&
           whole_is<signed char>(u.integers[9], a, 1, false) &&
           whole_is<unsigned char>(u.integers[10], a, 1, false) && u.is_nan == std::isnan(a) &&
           (std::isnan(a) || (u.negative == (bits ^ 0x8000) && u.back == bits)) &&
           (std::isnan(a) || u.absolute == (bits & 0x7fff));
}

static double saturated(double value)
{
    return value > 1 ? 1 : value > 0 ? value : 0;
}
static double larger(double a, double b)
{
    return std::isnan(a) ? b : std::isnan(b) ? a : a > b || (a == b && std::signbit(b)) ? a : b;
}
static double smaller(double a, double b)
{
    return -larger(-a, -b);
}

/* Whether a * b + c is a double without rounding. */
static bool is_exact(double a, double b, double c)
{
    const double product = a * b, sum = product + c, back = sum - product;
    return !std::isfinite(sum) || (product - (sum - back)) + (c - back) == 0;
}

template <class H>
static int first_wrong(const several &s, double a, double b, double c, float wide, int whole)
{
    const double sum = rounded<H>(a + b, 0), product = rounded<H>(a * b, 0),
                 quotient = rounded<H>(a / b, 0);
    const double fused = rounded<H>(a * b + c, 0), difference = rounded<H>(a - b, 0);
    const bool is_none = std::isnan(a) || std::isnan(b);
    const double of[OPERATIONS] = {sum,
                                   difference,
                                   product,
                                   quotient,
                                   fused,
                                   sum,
                                   difference,
                                   product,
                                   quotient,
                                   saturated(sum),
                                   saturated(product),
                                   larger(a, b),
                                   smaller(a, b),
                                   is_none ? NAN : larger(a, b),
                                   is_none ? NAN : smaller(a, b),
                                   sum,
                                   rounded<H>(b + c, 0),
                                   rounded<H>(b - c, 0),
                                   rounded<H>(b * c, 0),
                                   fused,
                                   rounded<H>(b * c + a, 0),
                                   std::isnan(fused) ? NAN
                                   : fused > 0       ? fused
                                                     : 0};
    for (int i = 0; i < OPERATIONS; i++) {
        const bool is_fused = i == 4 || i == 19 || i == 21;
        if ((is_fused && !is_exact(a, b, c)) || (i == 20 && !is_exact(b, c, a)))
            continue;
        if (!(i == 21 && of[i] == 0 ? value_of<H>(s.of[i]) == 0 : same<H>(s.of[i], of[i])))
            return i;
    }
    for (int mode = 0; mode < 4; mode++)
        if (!same<H>(s.narrow[mode], rounded<H>(wide, mode)) ||
            !same<H>(s.narrow_int[mode], rounded<H>(whole, mode)))
            return 100 + mode;
    const unsigned compared = (a < b) | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 |
                              (a == b) << 4 | (a != b) << 5 | (is_none || a < b) << 6 |
                              (is_none || a >= b) << 7 | (is_none || a == b) << 8 |
                              (a < b || a > b) << 9;
    const unsigned pairs =
        (a < b && b < c) | (a == a && b == b) << 1 | (a == a) << 2 | (b == b) << 16;
    if (s.compared != compared)
        return 200;
    return s.pairs == pairs ? -1 : 201;
}

/* --- Runs -------------------------------------------------------------------------------------- */

template <class H> static void check_all(const char *name)
{
    device_array<unary> out(65536);
    all<H><<<256, 256>>>(out.data);
    LAUNCHED();
    const std::vector<unary> got = out.host();
    for (unsigned i = 0; i < 65536; i++) {
        unary here = got[i];
#if defined(__clang__)
        calculate<H>(&here, (unsigned short)i);
#endif
        if (!EXPECT(is_right<H>(here, (unsigned short)i)) ||
            !EXPECT(is_right<H>(got[i], (unsigned short)i)))
            printf("    %s %04x\n", name, i);
    }
}

template <class H> static void check_many(const char *name)
{
    const int n = 32768;
    static const unsigned short edges[] = {0,      0x8000, 1,      0x8001, 0x7f,   0x80,   0x3ff,
                                           0x400,  0x7bff, 0x7c00, 0xfc00, 0x7e00, 0x7f7f, 0x7f80,
                                           0xff80, 0x7fc0, 0x3c00, 0x3f80, 0xbf80, 0xbc00};
    const int m = sizeof edges / sizeof *edges;
    std::vector<unsigned> xy = random_words(n, 1), z = random_words(n, 1 << 20);
    std::vector<float> wide(n);
    for (int i = 0; i < n; i++) {
        if (i < m * m)
            xy[i] = edges[i % m] | (unsigned)edges[i / m] << 16,
            z[i] = (z[i] & 0xffff0000) | edges[(i * 7) % m];
        if (i % 2) /* of like size, so that sums round */
            xy[i] = (xy[i] & 0x83ff83ff) | 0x3c003c00 | (xy[i] & 0x04000400);
        const uint32_t bits = random_word(i + (1 << 21));
        memcpy(&wide[i], &bits, sizeof bits);
        if (i % 2) /* between values of the format, ties among them */
            wide[i] = ldexpf((float)(int)(bits & 0xffff), (int)(bits >> 16 & 31) - 28) *
                      (bits >> 31 ? -1.0f : 1.0f);
    }
    device_array<unsigned> dxy(xy), dz(z);
    device_array<float> dwide(wide);
    device_array<several> out(n);
    many<H><<<n / 256, 256>>>(out.data, dxy.data, dz.data, dwide.data);
    LAUNCHED();
    const std::vector<several> got = out.host();
    for (int i = 0; i < n; i++) {
        const unsigned short x = (unsigned short)xy[i], y = (unsigned short)(xy[i] >> 16),
                             w = (unsigned short)z[i];
        const int whole = (int)z[i] >> (z[i] & 31);
        several here = got[i];
#if defined(__clang__)
        calculate<H>(&here, x, y, w, wide[i], whole);
#endif
        const double a = value_of<H>(x), b = value_of<H>(y), c = value_of<H>(w);
        const int host = first_wrong<H>(here, a, b, c, wide[i], whole),
                  device = first_wrong<H>(got[i], a, b, c, wide[i], whole);
        if (!EXPECT(host == -1) || !EXPECT(device == -1))
            printf("    %s %04x %04x %04x %a %d: %d on the host, %d on the device\n", name, x, y, w,
                   wide[i], whole, host, device);
    }
}

/* The first four are exact; the others may be a unit off. */
template <class H> static void check_functions(const char *name)
{
    static double (*const reference[FUNCTIONS])(double) = {floor,
                                                           ceil,
                                                           trunc,
                                                           nearbyint,
                                                           sqrt,
                                                           [](double x) { return 1 / x; },
                                                           [](double x) { return 1 / sqrt(x); },
                                                           exp,
                                                           exp2,
                                                           [](double x) { return pow(10, x); },
                                                           log,
                                                           log2,
                                                           sin,
                                                           cos};
    device_array<unsigned short> out(65536 * FUNCTIONS);
    functions<H><<<256, 256>>>(out.data);
    LAUNCHED();
    const std::vector<unsigned short> got = out.host();
    for (unsigned i = 0; i < 65536 * FUNCTIONS; i++) {
        const int k = i % FUNCTIONS;
        const double expected = reference[k](value_of<H>((unsigned short)(i / FUNCTIONS)));
        const double wanted = rounded<H>(expected, 0), value = value_of<H>(got[i]);
        int exponent = 0;
        frexp(wanted, &exponent);
        const double unit = ldexp(1, (exponent < format<H>::least ? format<H>::least : exponent) -
                                         format<H>::digits);
        const bool is_right = same<H>(got[i], wanted) || (k >= 4 && fabs(value - wanted) <= unit);
        if (!EXPECT(is_right))
            printf("    %s, function %d of %04x: %04x is %g, not %g\n", name, k, i / FUNCTIONS,
                   got[i], value, wanted);
    }
}

template <class H> static void check_memory(void)
{
    typedef format<H> f;
    std::vector<H> in(64);
    for (int i = 0; i < 64; i++)
        in[i] = H((float)i);
    typename f::pair zero;
    zero.x = zero.y = H(0.0f);
    device_array<H> din(in), out(64);
    device_array<typename f::pair> sums(std::vector<typename f::pair>(4, zero));
    memory<H><<<2, 32>>>(sums.data, din.data, out.data);
    LAUNCHED();
    const std::vector<H> got = out.host();
    const std::vector<typename f::pair> sum = sums.host();
    for (int i = 0; i < 64; i++)
        EXPECT((float)got[i] == (float)(i ^ 1));
    EXPECT((float)sum[0].x == 64 && (float)sum[0].y == 128 && (float)sum[1].x == 64 &&
           (float)sum[1].y == 0);
    EXPECT((float)sum[3].x == 1 && (float)sum[3].y == 3); /* (1 + i)(1 + i) + (1 + i) */
}

template <class H> static void check(const char *name)
{
    check_all<H>(name);
    check_many<H>(name);
    check_functions<H>(name);
    check_memory<H>();
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    check<__half>("half");
    check<__nv_bfloat16>("bfloat16");
    return program_end();
}
