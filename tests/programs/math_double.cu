/* Functions of double: each within the bound of its row of a result in long double; arithmetic, square root, fma and
 * directed rounding bit for bit.
 * SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <cfenv>

/* F(function, low, high, bound in ULP) */
#define FUNCTIONS(F)                                                                               \
    F(sin, -100, 100, 4)                                                                           \
    F(cos, -100, 100, 4) F(tan, -100, 100, 5) F(asin, -1, 1, 4) F(acos, -1, 1, 4)                  \
        F(atan, -1000, 1000, 5) F(sinh, -80, 80, 4) F(tanh, -10, 10, 5) F(exp, -80, 80, 3)         \
            F(exp2, -120, 120, 3) F(log, 0, 1000, 3) F(log2, 0, 1000, 3) F(log10, 0, 1000, 3)      \
                F(log1p, -1, 1000, 2) F(cbrt, -1000, 1000, 2) F(erf, -4, 4, 16)

#define NAME(f, ...) f##_,
enum { FUNCTIONS(NAME) pow_ };

__global__ void apply(double *out, const double *x, const double *y, int which)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#define CASE(f, ...)                                                                               \
    case f##_:                                                                                     \
        out[i] = f(x[i]);                                                                          \
        break;
    switch (which) {
        FUNCTIONS(CASE)
    default:
        out[i] = pow(x[i], y[i]);
    }
}

struct arithmetic {
    double sum, difference, product, quotient, root, fused, rounded;
    double up, down, zero, product_up, quotient_down, root_up, fused_zero;
    float narrowed, narrowed_up;
    long long integer;
    int floor_integer;
};

__global__ void compute(arithmetic *out, const double *x, const double *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const double a = x[i], b = y[i];
    arithmetic r;
    r.sum = __dadd_rn(a, b), r.difference = a - b, r.product = __dmul_rn(a, b);
    r.quotient = a / b, r.root = sqrt(fabs(a)), r.fused = fma(a, b, a), r.rounded = rint(a);
    r.up = __dadd_ru(a, b), r.down = __dadd_rd(a, b), r.zero = __dadd_rz(a, b);
    r.product_up = __dmul_ru(a, b), r.quotient_down = __ddiv_rd(a, b);
    r.root_up = __dsqrt_ru(fabs(a)), r.fused_zero = __fma_rz(a, b, a);
    r.narrowed = (float)a, r.narrowed_up = __double2float_ru(a);
    r.integer = (long long)a, r.floor_integer = __double2int_rd(a);
    out[i] = r;
}

static const int n = 4096;

static std::vector<double> random_doubles(double low, double high, uint64_t start)
{
    std::vector<double> values(n);
    for (int i = 0; i < n; i++) {
        const uint64_t word =
            (uint64_t)random_word(2 * i + start) << 32 | random_word(2 * i + 1 + start);
        values[i] = low + (high - low) * ((double)(word >> 11) / 9007199254740992.0);
    }
    return values;
}

static void bounded(const char *name, int which, double low, double high, double bound,
                    long double (*reference)(long double, long double))
{
    const std::vector<double> x = random_doubles(low, high, 0), y = random_doubles(-8, 8, 1 << 20);
    device_array<double> dx(x), dy(y), out(n);
    apply<<<n / 128, 128>>>(out.data, dx.data, dy.data, which);
    LAUNCHED();
    const std::vector<double> got = out.host();
    double worst = 0;
    for (int i = 0; i < n; i++) {
        const double ulps = ulps_between(got[i], reference(x[i], y[i]));
        worst = ulps > worst ? ulps : worst;
    }
    if (!EXPECT(worst <= bound))
        printf("    %s: %.2f ULP of %g\n", name, worst, bound);
    if (!program_prints_hashes)
        printf("%-8s %5.2f ULP of %g\n", name, worst, bound);
}

/* Called through a pointer that compilers know nothing of: nothing is computed before or after. */
static double rounded(int mode, double (*f)(double, double), double a, double b)
{
    double (*volatile called)(double, double) = f;
    fesetround(mode);
    const double value = called(a, b);
    fesetround(FE_TONEAREST);
    return value;
}

static double add(double a, double b)
{
    return a + b;
}
static double multiply(double a, double b)
{
    return a * b;
}
static double divide(double a, double b)
{
    return a / b;
}
static double root(double a, double)
{
    return sqrt(a);
}
static double narrow(double a, double)
{
    return (float)a;
}
static double fuse(double a, double b)
{
    return fma(a, b, a);
}

static void exact(void)
{
    std::vector<double> x = random_doubles(-1e6, 1e6, 7), y = random_doubles(-3, 3, 1 << 21);
    x[0] = 1e-310, x[1] = -0.0, x[2] = 1.7e308, y[2] = 10;
    device_array<double> dx(x), dy(y);
    device_array<arithmetic> out(n);
    compute<<<n / 128, 128>>>(out.data, dx.data, dy.data);
    LAUNCHED();
    const std::vector<arithmetic> got = out.host();
    for (int i = 0; i < n; i++) {
        const double a = x[i], b = y[i];
        const arithmetic &r = got[i];
        EXPECT(r.sum == a + b && r.difference == a - b && r.product == a * b);
        EXPECT(r.quotient == a / b && r.root == sqrt(fabs(a)));
        EXPECT(r.fused == fma(a, b, a) && r.rounded == rint(a));
        EXPECT(r.up == rounded(FE_UPWARD, add, a, b));
        EXPECT(r.down == rounded(FE_DOWNWARD, add, a, b));
        EXPECT(r.zero == rounded(FE_TOWARDZERO, add, a, b));
        EXPECT(r.product_up == rounded(FE_UPWARD, multiply, a, b));
        EXPECT(r.quotient_down == rounded(FE_DOWNWARD, divide, a, b));
        EXPECT(r.root_up == rounded(FE_UPWARD, root, fabs(a), 0));
        EXPECT(r.fused_zero == rounded(FE_TOWARDZERO, fuse, a, b));
        EXPECT(r.narrowed == (float)a && r.narrowed_up == (float)rounded(FE_UPWARD, narrow, a, 0));
        if (i != 2)
            EXPECT(r.integer == (long long)a && r.floor_integer == (int)floor(a));
    }
    result("arithmetic", &got[3], offsetof(arithmetic, floor_integer));
}

int main(int count, char **arguments)
{
    program_begin(count, arguments);
#define BOUNDED(f, low, high, bound)                                                               \
    bounded(#f, f##_, low, high, bound, [](long double a, long double) { return f##l(a); });
    FUNCTIONS(BOUNDED)
    bounded("pow", pow_, 0, 40, 16, [](long double a, long double b) { return powl(a, b); });
    exact();
    return program_end();
}
