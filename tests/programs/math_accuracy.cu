/* How far every function of the math library lies from a result in long double, in units of the last place, over ranges
 * of its own, over numbers of any size and at the edges: zeros, infinities, NaN, subnormal and huge numbers, multiples of
 * pi. Each row has the bound that CUDA's documents give.
 * Prints the table, in which a row beyond its bound is marked.
 *
 * Source: CUDA C++ Programming Guide 13.0, Mathematical Functions: standard functions, intrinsic functions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

typedef long double real;

/* U(name, float's bound, double's bound, low, high, reference of x): bounds in ULP.
 * The range is where half of the random numbers lie; the other half have random bits. */
#define ONE_MORE(U)                                                                                \
    U(acos, 2, 2, -1, 1, acosl(x))                                                                 \
    U(acosh, 4, 3, 1, 100, acoshl(x))                                                              \
    U(asin, 2, 2, -1, 1, asinl(x))                                                                 \
    U(asinh, 3, 3, -10, 10, asinhl(x))                                                             \
    U(atan, 2, 2, -10, 10, atanl(x))                                                               \
    U(atanh, 3, 2, -1, 1, atanhl(x))                                                               \
    U(cbrt, 1, 1, -100, 100, cbrtl(x))                                                             \
    U(ceil, 0, 0, -100, 100, ceill(x))                                                             \
    U(cos, 2, 2, -10, 10, cosl(x))                                                                 \
    U(cosh, 2, 1, -80, 80, coshl(x))                                                               \
    U(cospi, 2, 2, -10, 10, cospi_of(x))                                                           \
    U(cyl_bessel_i0, 6, 6, -30, 30, bessel_i(0, x))                                                \
    U(cyl_bessel_i1, 6, 6, -30, 30, bessel_i(1, x))                                                \
    U(erf, 2, 2, -4, 4, erfl(x))                                                                   \
    U(erfc, 4, 5, -4, 10, erfcl(x))                                                                \
    U(erfcx, 4, 4, -5, 30, erfcx_of(x))                                                            \
    U(exp, 2, 1, -80, 80, expl(x))                                                                 \
    U(exp10, 2, 1, -30, 30, exp10_of(x))                                                           \
    U(exp2, 2, 1, -120, 120, exp2l(x))                                                             \
    U(expm1, 1, 1, -20, 20, expm1l(x))                                                             \
    U(fabs, 0, 0, -100, 100, fabsl(x))                                                             \
    U(floor, 0, 0, -100, 100, floorl(x))
#define ONE_REST(U)                                                                                \
    U(log, 1, 1, 0, 10, logl(x))                                                                   \
    U(log10, 2, 1, 0, 10, log10l(x))                                                               \
    U(log1p, 1, 1, -1, 10, log1pl(x))                                                              \
    U(log2, 1, 1, 0, 10, log2l(x))                                                                 \
    U(logb, 0, 0, 0, 10, logbl(x))                                                                 \
    U(nearbyint, 0, 0, -100, 100, nearbyintl(x))                                                   \
    U(normcdf, 5, 5, -10, 5, normcdf_of(x))                                                        \
    U(rcbrt, 1, 1, -100, 100, 1 / cbrtl(x))                                                        \
    U(rint, 0, 0, -100, 100, rintl(x))                                                             \
    U(round, 0, 0, -100, 100, roundl(x))                                                           \
    U(rsqrt, 2, 1, 0, 100, 1 / sqrtl(x))                                                           \
    U(sin, 2, 2, -10, 10, sinl(x))                                                                 \
    U(sinh, 3, 2, -80, 80, sinhl(x))                                                               \
    U(sinpi, 2, 2, -10, 10, sinpi_of(x))                                                           \
    U(sqrt, 0, 0, 0, 100, std::sqrt((T)x))                                                         \
    U(tan, 4, 2, -10, 10, tanl(x))                                                                 \
    U(tanh, 2, 1, -10, 10, tanhl(x))                                                               \
    U(tgamma, 5, 10, -10, 30, tgamma_of(x))                                                        \
    U(trunc, 0, 0, -100, 100, truncl(x))
/* Those that are measured in another way: by the function of which they are the inverse, or by the absolute error. */
#define ONE_OTHERWISE(U)                                                                           \
    U(erfcinv, 4, 6, 0, 2, 0)                                                                      \
    U(erfinv, 3, 5, -1, 1, 0)                                                                      \
    U(normcdfinv, 5, 8, 0, 1, 0)                                                                   \
    U(lgamma, 6, 4, -20, 20, lgamma_of(x))                                                         \
    U(j0, 9, 7, -30, 30, j0l(x))                                                                   \
    U(j1, 9, 7, -30, 30, j1l(x))                                                                   \
    U(y0, 9, 7, 0, 30, x < 0 ? NAN : y0l(x))                                                       \
    U(y1, 9, 7, 0, 30, x < 0 ? NAN : y1l(x))
/* Of x and y. */
#define TWO(U)                                                                                     \
    U(atan2, 3, 2, -10, 10, atan2l(x, y))                                                          \
    U(copysign, 0, 0, -10, 10, copysignl(x, y))                                                    \
    U(fdim, 0, 0, -10, 10, fdim((T)x, (T)y))                                                       \
    U(fmax, 0, 0, -10, 10, x == y ? (x + y) / 2 : fmaxl(x, y))                                     \
    U(fmin, 0, 0, -10, 10, x == y ? -(-x - y) / 2 : fminl(x, y))                                   \
    U(fmod, 0, 0, -10, 10, fmodl(x, y))                                                            \
    U(hypot, 3, 2, -10, 10, hypotl(x, y))                                                          \
    U(nextafter, 0, 0, -10, 10, std::nextafter((T)x, (T)y))                                        \
    U(pow, 4, 2, 0, 10, powl(x, y))                                                                \
    U(remainder, 0, 0, -10, 10, remainderl(x, y))                                                  \
    U(rhypot, 2, 1, -10, 10, 1 / hypotl(x, y))
/* Of x, y and the two numbers that come with them. */
#define FOUR(U)                                                                                    \
    U(norm3d, 3, 2, -10, 10, norm_of(x, y, z, 0))                                                  \
    U(norm4d, 3, 2, -10, 10, norm_of(x, y, z, w))                                                  \
    U(rnorm3d, 2, 1, -10, 10, 1 / norm_of(x, y, z, 0))                                             \
    U(rnorm4d, 2, 1, -10, 10, 1 / norm_of(x, y, z, w))

#define NAME(name, ...) name##_,
enum { ONE_MORE(NAME) ONE_REST(NAME) ONE_OTHERWISE(NAME) TWO(NAME) FOUR(NAME) FUNCTIONS };

/* --- References ------------------------------------------------------------------------------- */

static const real pi = 3.14159265358979323846264338327950288L;

static real sinpi_of(real x)
{
    const real part = remainderl(x, 2); /* exact, in [-1, 1] */
    if (part == 0 || fabsl(part) == 1)
        return copysignl(0, x);
    if (fabsl(part) <= 0.25L)
        return sinl(pi * part);
    return copysignl(fabsl(part) <= 0.75L ? cosl(pi * (fabsl(part) - 0.5L))
                                          : sinl(pi * (1 - fabsl(part))),
                     part);
}

static real cospi_of(real x)
{
    const real part = fabsl(remainderl(x, 2));
    return part == 0.5L    ? 0
           : part <= 0.25L ? cosl(pi * part)
           : part < 0.75L  ? -sinl(pi * (part - 0.5L))
                           : -cosl(pi * (1 - part));
}

/* The power series: all terms have one sign. */
static real bessel_i(int order, real x)
{
    if (std::isinf(x))
        return order ? x : fabsl(x);
    if (fabsl(x) > 800)
        return order ? copysignl(INFINITY, x) : INFINITY;
    real term = order ? x / 2 : 1, sum = term;
    for (int k = 1; k < 3000 && fabsl(term) > fabsl(sum) * 1e-21L; k++) {
        term *= x * x / 4 / k / (k + order);
        sum += term;
    }
    return sum;
}

static real exp10_of(real x)
{
    return powl(10, x);
}

/* The square and its rounding error. */
static real erfcx_of(real x)
{
    if (std::isinf(x))
        return x > 0 ? 0 : INFINITY;
    if (x < 20) {
        const real square = x * x, power = expl(square);
        return std::isinf(power) ? power : power * (1 + fmal(x, x, -square)) * erfcl(x);
    }
    real fraction = x;
    for (int k = 200; k > 0; k--)
        fraction = x + k * 0.5L / fraction;
    return 1 / (sqrtl(pi) * fraction);
}

static real normcdf_of(real x)
{
    const real root = 0.707106781186547524400844362104849039L, lower = -1.2e-20L;
    const real t = -x * root;
    if (std::isinf(t) || std::isnan(t) || fabsl(t) > 110)
        return erfcl(t) / 2;
    const real rest = fmal(-x, root, -t) - x * (lower * 0);
    return (erfcl(t) - rest * 2 / sqrtl(pi) * expl(-t * t)) / 2;
}

static real tgamma_of(real x)
{
    return x < 0 && x == floorl(x) ? (real)NAN : tgammal(x);
}

static real lgamma_of(real x)
{
    return x <= 0 && x == floorl(x) ? (real)INFINITY : lgammal(x);
}

static real norm_of(real a, real b, real c, real d)
{
    return hypotl(hypotl(a, b), hypotl(c, d));
}

/* --- Kernels ---------------------------------------------------------------------------------- */

#define CALL1(name, ...)                                                                           \
    case name##_:                                                                                  \
        out[i] = name(x[i]);                                                                       \
        break;
#define CALL2(name, ...)                                                                           \
    case name##_:                                                                                  \
        out[i] = name(x[i], y[i]);                                                                 \
        break;
#define CALL3F(name, ...)                                                                          \
    case name##_:                                                                                  \
        norm(out + i, which, x[i], y[i], z[i], w[i]);                                              \
        break;

__device__ void norm(float *out, int which, float x, float y, float z, float w)
{
    *out = which == norm3d_    ? norm3df(x, y, z)
           : which == norm4d_  ? norm4df(x, y, z, w)
           : which == rnorm3d_ ? rnorm3df(x, y, z)
                               : rnorm4df(x, y, z, w);
}

__device__ void norm(double *out, int which, double x, double y, double z, double w)
{
    *out = which == norm3d_    ? norm3d(x, y, z)
           : which == norm4d_  ? norm4d(x, y, z, w)
           : which == rnorm3d_ ? rnorm3d(x, y, z)
                               : rnorm4d(x, y, z, w);
}

template <class T> __global__ void apply_more(T *out, const T *x, int which)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (which) {
        ONE_MORE(CALL1)
    }
}

template <class T>
__global__ void apply_rest(T *out, const T *x, const T *y, const T *z, const T *w, int which)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (which) {
        ONE_REST(CALL1)
        TWO(CALL2)
        FOUR(CALL3F)
    }
}

template <class T> __global__ void apply_otherwise(T *out, const T *x, int which)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (which) {
        ONE_OTHERWISE(CALL1)
    }
}

/* --- Errors ----------------------------------------------------------------------------------- */

template <class T> struct format;
template <> struct format<float> {
    static const int digits = 24, least = -125, most = 128;
    static constexpr double far = 2.2e-6;
    static const char *suffix()
    {
        return "f";
    }
};
template <> struct format<double> {
    static const int digits = 53, least = -1021, most = 1024;
    static constexpr double far = 5e-12;
    static const char *suffix()
    {
        return "";
    }
};

template <class T> static real unit(real value)
{
    int exponent;
    frexpl(value, &exponent);
    exponent = value == 0 || exponent < format<T>::least ? format<T>::least : exponent;
    return ldexpl(1, (exponent > format<T>::most ? format<T>::most : exponent) - format<T>::digits);
}

/* As CUDA counts: from the correctly rounded result. Infinity stands for the power of two behind the largest number. */
template <class T> static double error_of(T got, real expected)
{
    const T rounded = (T)expected;
    if (std::isnan(got) || std::isnan(expected))
        return std::isnan(got) && std::isnan(expected) ? 0 : INFINITY;
    if (got == rounded)
        return got == 0 && std::signbit(got) != std::signbit(rounded) ? INFINITY : 0;
    if (std::isinf(expected) || (std::isinf(got) && std::signbit(got) != std::signbit(rounded)))
        return INFINITY;
    const real behind = copysignl(ldexpl(1, format<T>::most), got);
    const real a = std::isinf(got) ? behind : (real)got;
    const real b = std::isinf(rounded) ? copysignl(behind, rounded) : (real)rounded;
    return (double)(fabsl(a - b) / unit<T>(expected));
}

/* Of an inverse: how far the function of the result is off, over its slope. */
template <class T> static double error_of_inverse(int which, T got, T y)
{
    const real x = which == normcdfinv_ ? -(real)got / sqrtl(2) : (real)got;
    const real z = which == normcdfinv_ ? 2 * (real)y : (real)y;
    const real most = which == erfinv_ ? 1 : 2, least = which == erfinv_ ? -1 : 0;
    if (!(z >= least && z <= most))
        return std::isnan(got) ? 0 : INFINITY;
    if (z == least || z == most) {
        const bool is_negative = (z == least) == (which != erfcinv_);
        return std::isinf(got) && std::signbit(got) == is_negative ? 0 : INFINITY;
    }
    if (std::isinf(got) || std::isnan(got))
        return INFINITY;
    const real slope = 2 / sqrtl(pi) * expl(-x * x);
    real wrong;
    if (which == erfinv_)
        wrong = fabsl(z) < 0.5L ? erfl(x) - z : (1 - fabsl(z)) - erfcl(z < 0 ? -x : x);
    else
        wrong = z > 0.5L && z < 1.5L ? (1 - z) - erfl(x)
                : z < 1              ? erfcl(x) - z
                                     : (2 - z) - erfcl(-x);
    if (got == 0)
        return z == (which == erfinv_ ? 0 : 1) ? 0 : INFINITY;
    return (double)(fabsl(wrong) / slope * (which == normcdfinv_ ? sqrtl(2) : 1) /
                    unit<T>((real)got));
}

template <class T> struct row {
    const char *name;
    int which;
    double bound;
    T low, high;
    real (*reference)(real, real, real, real);
};

template <class T> static double error_at(const row<T> &r, T got, const T *at)
{
    const real x = at[0];
    if (r.which == erfcinv_ || r.which == erfinv_ || r.which == normcdfinv_)
        return error_of_inverse(r.which, got, at[0]);
    const real expected = r.reference(x, at[1], at[2], at[3]);
    const bool is_far = r.which >= j0_ && r.which <= y1_ && fabsl(x) >= 8;
    const bool is_near_zeros = r.which == lgamma_ && x < -2.2 && x > -11.1;
    const bool is_bessel = r.which >= j0_ && r.which <= y1_ && fabsl(x) < 8;
    if (is_bessel && fabsl((real)got - expected) < ldexpl(4, -format<T>::digits))
        return 0; /* near a zero: within what rounding of 1 amounts to */
    if ((is_far || is_near_zeros) && std::isfinite(got) && std::isfinite(expected) &&
        fabsl((real)got - expected) < format<T>::far)
        return 0;
    if (r.which == tgamma_ && got == 0 && (T)expected == 0)
        return 0; /* of either sign: between poles it vanishes */
    return error_of(got, expected);
}

/* --- Inputs ----------------------------------------------------------------------------------- */

template <class T> static T from_bits(uint64_t word);
template <> float from_bits<float>(uint64_t word)
{
    const uint32_t bits = (uint32_t)(word >> 32);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
template <> double from_bits<double>(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static uint64_t random_long(uint64_t i)
{
    return (uint64_t)random_word(2 * i) << 32 | random_word(2 * i + 1);
}

template <class T> static std::vector<T> edges(void)
{
    const double most =
        std::is_same<T, float>::value ? 3.4028234663852886e38 : 1.7976931348623157e308;
    const double normal = std::is_same<T, float>::value ? 0x1p-126 : 0x1p-1022;
    const double least = std::is_same<T, float>::value ? 0x1p-149 : 0x1p-1074;
    const double whole[] = {0,
                            least,
                            2 * least,
                            normal - least,
                            normal,
                            most,
                            INFINITY,
                            1e22,
                            1e-10,
                            0.25,
                            0.5,
                            0.75,
                            1,
                            1.5,
                            2,
                            2.5,
                            3,
                            4,
                            5,
                            8,
                            16,
                            25,
                            30,
                            34.5,
                            88.7,
                            88.75,
                            104,
                            170.5,
                            171.7,
                            709.75,
                            710.5,
                            745.2,
                            1024,
                            8388609,
                            16777215,
                            4503599627370497.0,
                            9007199254740991.0,
                            0x1p62,
                            1e300,
                            0x1p1000,
                            0x1p120,
                            1.8446744e19,
                            10.75,
                            35.04,
                            1.0000001,
                            0.99999994};
    std::vector<T> all;
    all.push_back((T)NAN);
    for (double value : whole)
        for (int sign = 1; sign >= -1; sign -= 2)
            all.push_back((T)(sign * value));
    for (int k = 1; k < 12; k++)
        all.push_back((T)(k * (double)pi / 4)), all.push_back((T)(-k * (double)pi / 2));
    all.push_back(std::nextafter((T)1, (T)2)), all.push_back(std::nextafter((T)1, (T)0));
    all.push_back(-std::nextafter((T)1, (T)0)), all.push_back(std::nextafter((T)2, (T)0));
    all.push_back(6381956970095103.0 * (T)std::ldexp(1.0, 60)); /* nearly a multiple of pi / 2 */
    return all;
}

static const int n = 16384;

template <class T> struct points {
    std::vector<T> at[4];
};

template <class T> static points<T> choose(const row<T> &r)
{
    const std::vector<T> special = edges<T>();
    const size_t m = special.size(), pairs = r.which >= atan2_ ? m * m : m;
    points<T> p;
    for (int c = 0; c < 4; c++) {
        p.at[c].resize(n);
        for (size_t i = 0; i < (size_t)n; i++) {
            const uint64_t word = random_long((c + 1) * (size_t)n + i);
            const T low = c == 0 ? r.low : (T)-10, high = c == 0 ? r.high : (T)10;
            p.at[c][i] = i < pairs    ? special[c == 0   ? i % m
                                                : c == 1 ? i / m % m
                                                         : (i + c) % m]
                         : i % 2 == 0 ? low + (high - low) * (T)(word >> 11) / (T)9007199254740992.0
                                      : from_bits<T>(word);
        }
    }
    return p;
}

/* --- The table -------------------------------------------------------------------------------- */

template <class T> static std::vector<T> compute(int which, const points<T> &p)
{
    device_array<T> x(p.at[0]), y(p.at[1]), z(p.at[2]), w(p.at[3]), out(n);
    if (which <= floor_)
        apply_more<<<n / 128, 128>>>(out.data, x.data, which);
    else if (which >= erfcinv_ && which <= y1_)
        apply_otherwise<<<n / 128, 128>>>(out.data, x.data, which);
    else
        apply_rest<<<n / 128, 128>>>(out.data, x.data, y.data, z.data, w.data, which);
    LAUNCHED();
    return out.host();
}

template <class T> static void measure(const row<T> &r)
{
    const points<T> p = choose(r);
    const std::vector<T> got = compute(r.which, p);
    double worst = 0;
    int at = 0, beyond = 0;
    for (int i = 0; i < n; i++) {
        const T place[4] = {p.at[0][i], p.at[1][i], p.at[2][i], p.at[3][i]};
        const double error = error_at(r, got[i], place);
        beyond += error > r.bound;
        if (error > worst)
            worst = error, at = i;
    }
    EXPECT(beyond == 0);
    if (beyond > 0 || !program_prints_hashes)
        printf("%s%s%*s %8.2f ULP of %g%s", r.name, format<T>::suffix(),
               14 - (int)(strlen(r.name) + strlen(format<T>::suffix())), "", worst, r.bound,
               beyond > 0 ? " BEYOND" : "\n");
    if (beyond > 0)
        printf(" at %d, as at (%a, %a), which gave %a\n", beyond, p.at[0][at], p.at[1][at],
               got[at]);
}

template <class T> static void measure_all(void)
{
    const bool is_float = std::is_same<T, float>::value;
#define ROW(name, of_float, of_double, low, high, value)                                           \
    {#name,                                                                                        \
     name##_,                                                                                      \
     is_float ? of_float : of_double,                                                              \
     (T)(low),                                                                                     \
     (T)(high),                                                                                    \
     [](real x, real y, real z, real w) -> real {                                                  \
         (void)x, (void)y, (void)z, (void)w;                                                       \
         return value;                                                                             \
     }},
    const row<T> rows[] = {ONE_MORE(ROW) ONE_REST(ROW) ONE_OTHERWISE(ROW) TWO(ROW) FOUR(ROW)};
    for (const row<T> &r : rows)
        measure(r);
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
    measure_all<float>();
    measure_all<double>();
    return program_end();
}
