/* The math library of device code: what the headers call and PTX has no instruction for. An extern
 * function __clem_NAME of a PTX module is clem_NAME here. OpenCL's own functions where it has them,
 * whose error bounds are close to CUDA's; none of its native_ ones.
 * What is no number does not reach those that compute with integers inside: of a constant one
 * PoCL's compiler makes any value, or an end of the kernel.
 *
 * Source: CUDA C++ Programming Guide 13.0, Mathematical Functions; OpenCL 1.2, 6.12.2 and 7.4.
 * SPDX-License-Identifier: Apache-2.0 */

double clem_acos(double x)
{
    return acos(x);
}

double clem_acosh(double x)
{
    return acosh(x);
}

double clem_asin(double x)
{
    return asin(x);
}

double clem_asinh(double x)
{
    return asinh(x);
}

double clem_atan(double x)
{
    return atan(x);
}

double clem_atanh(double x)
{
    return atanh(x);
}

double clem_cbrt(double x)
{
    return cbrt(x);
}

double clem_cos(double x)
{
    return cos(x);
}

double clem_cosh(double x)
{
    return cosh(x);
}

/* A zero is positive. */
double clem_cospi(double x)
{
    return cospi(x) + 0.0;
}

double clem_erf(double x)
{
    return erf(x);
}

double clem_erfc(double x)
{
    return erfc(x);
}

double clem_exp(double x)
{
    return isnan(x) ? x : exp(x);
}

double clem_exp10(double x)
{
    return isnan(x) ? x : exp10(x);
}

double clem_exp2(double x)
{
    return isnan(x) ? x : exp2(x);
}

double clem_expm1(double x)
{
    return isnan(x) ? x : expm1(x);
}

/* Stirling's first terms where x * log(x) may have no value though the result has. */
double clem_lgamma(double x)
{
    return x > 1.0e300 ? x * (log(x) - 1.0) : lgamma(x);
}

double clem_log(double x)
{
    return log(x);
}

double clem_log10(double x)
{
    return log10(x);
}

double clem_log1p(double x)
{
    return log1p(x);
}

double clem_log2(double x)
{
    return log2(x);
}

double clem_logb(double x)
{
    return logb(x);
}

double clem_round(double x)
{
    return isnan(x) ? x : round(x);
}

double clem_rsqrt(double x)
{
    return rsqrt(x);
}

double clem_sin(double x)
{
    return sin(x);
}

double clem_sinh(double x)
{
    return isnan(x) ? x : sinh(x);
}

/* A zero has the sign of x. */
double clem_sinpi(double x)
{
    return x == trunc(x) ? x * 0 : sinpi(x);
}

double clem_tan(double x)
{
    return tan(x);
}

double clem_tanh(double x)
{
    return tanh(x);
}

double clem_tgamma(double x)
{
    return isnan(x) ? x : tgamma(x);
}

double clem_atan2(double x, double y)
{
    return atan2(x, y);
}

double clem_fdim(double x, double y)
{
    return fdim(x, y);
}

double clem_fmod(double x, double y)
{
    return fmod(x, y);
}

double clem_hypot(double x, double y)
{
    return hypot(x, y);
}

double clem_nextafter(double x, double y)
{
    return nextafter(x, y);
}

double clem_pow(double x, double y)
{
    if (isnan(x) || isnan(y))
        return x == 1.0 || y == 0.0 ? 1.0 : x + y;
    return pow(x, y);
}

double clem_remainder(double x, double y)
{
    return remainder(x, y);
}

double clem_ldexp(double x, int exponent)
{
    return ldexp(x, exponent);
}

double clem_frexp_fraction(double x)
{
    int exponent;
    return frexp(x, &exponent);
}

int clem_frexp_exponent(double x)
{
    int exponent = 0;
    if (isfinite(x))
        frexp(x, &exponent);
    return exponent;
}

int clem_remquo_quotient(double x, double y)
{
    int quotient;
    remquo(x, y, &quotient);
    return quotient;
}

/* Of zero and of no number: the least int. */
int clem_ilogb(double x)
{
    return isinf(x) ? INT_MAX : x == 0 || isnan(x) ? INT_MIN : ilogb(x);
}

/* With a step of Newton's on 1 - x * y^3, of whose products the rounded parts count too. */
double clem_rcbrt(double x)
{
    const double y = 1 / cbrt(x);
    if (x == 0 || isinf(x))
        return y;
    const double square = y * y, product = x * y;
    const double rests = fma(product, fma(y, y, -square), square * fma(x, y, -product));
    return fma(y * (1.0 / 3), -(fma(square, product, -1.0) + rests), y);
}

/* The length of four numbers times 2^-scale, to less than a unit of the last place: squares and
 * their sum with what rounding drops. Needs: no infinity. */
double clem_length(double a, double b, double c, double d, int *scale)
{
    const double most = fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d)));
    double sum = 0, rest = 0;
    *scale = most > 0 ? ilogb(most) : 0;
    for (int i = 0; i < 4; i++) {
        const double part = ldexp(i == 0 ? a : i == 1 ? b : i == 2 ? c : d, -*scale);
        const double square = part * part;
        const double next = sum + square;
        const double back = next - sum;
        rest += (sum - (next - back)) + (square - back) + fma(part, part, -square);
        sum = next;
    }
    const double root = sqrt(sum + rest);
    return most > 0 ? root + (fma(-root, root, sum) + rest) / (2 * root) : root;
}

double clem_norm4d(double a, double b, double c, double d)
{
    int scale;
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d))
        return INFINITY;
    const double length = clem_length(a, b, c, d, &scale);
    return ldexp(length, scale);
}

double clem_rnorm4d(double a, double b, double c, double d)
{
    int scale;
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d))
        return 0;
    const double length = clem_length(a, b, c, d, &scale);
    return ldexp(1 / length, -scale);
}

double clem_norm3d(double a, double b, double c)
{
    return clem_norm4d(a, b, c, 0);
}

double clem_rnorm3d(double a, double b, double c)
{
    return clem_rnorm4d(a, b, c, 0);
}

double clem_rhypot(double x, double y)
{
    return clem_rnorm4d(x, y, 0, 0);
}

/* exp(x * x), with the part of the square that rounding drops. */
double clem_exp_square(double x, double sign)
{
    const double square = x * x;
    const double rest = isinf(square) ? 0 : fma(x, x, -square);
    const double power = exp(sign * square);
    return isinf(power) ? power : fma(power, sign * rest, power);
}

/* (1 + 2x) * exp(x * x) * erfc(x) for x from 1 to 8, by a polynomial in (x - 3) / (x + 3). */
double clem_erfcx_part(double x)
{
    const double q = (x - 3) / (x + 3);
    double value = -0x1.fa1ba33c2faa7p-22;
    value = fma(value, q, 0x1.03b6cc5a228a2p-22);
    value = fma(value, q, 0x1.c6c652f392a53p-19);
    value = fma(value, q, -0x1.7170621d415bbp-21);
    value = fma(value, q, -0x1.50ce2ae2e61bap-16);
    value = fma(value, q, 0x1.4b8b5c8ef35e3p-18);
    value = fma(value, q, 0x1.0657d64f0830ep-13);
    value = fma(value, q, -0x1.b91146da00e5ap-14);
    value = fma(value, q, -0x1.98db41648009ep-11);
    value = fma(value, q, 0x1.ef1bdbeedb01dp-10);
    value = fma(value, q, 0x1.4b884e084e4e3p-9);
    value = fma(value, q, -0x1.8574c40af8978p-6);
    value = fma(value, q, 0x1.17ca287800502p-4);
    value = fma(value, q, -0x1.e88b803a4a275p-4);
    value = fma(value, q, 0x1.098366a5b4500p-3);
    value = fma(value, q, -0x1.85a15c58aa5a2p-5);
    value = fma(value, q, -0x1.15c084bb9e8f1p-3);
    value = fma(value, q, 0x1.40c522d7e4987p+0);
    return value;
}

/* exp(x * x) * erfc(x): the product itself below the polynomial's numbers, above them the continued
 * fraction 1 / (x + (1/2) / (x + (2/2) / (x + ...))) over the root of pi. */
double clem_erfcx(double x)
{
    if (x < 1.0)
        return clem_exp_square(x, 1) * erfc(x);
    if (x < 8.0)
        return clem_erfcx_part(x) / fma(2.0, x, 1.0);
    double fraction = x;
    for (int k = 48; k > 0; k--)
        fraction = x + k * 0.5 / fraction;
    return 0.5641895835477562869 / fraction;
}

/* The x >= 0 whose erfc is z, 0 < z <= 1: a first guess, then Halley's steps on erfc(x) - z. */
double clem_erfcinv_positive(double z)
{
    const double l = log(z * (2 - z));
    const double h = 4.3307467508 + l * 0.5;
    double x = sqrt(fmax(sqrt(h * h - l * 6.802721088) - h, (double)0));
    if (z < 1.0e-4) {
        const double q = -log(z);
        x = sqrt(q - 0.5 * log(q * 3.1415926535897932385));
    }
    /* On logarithms, where the slope would vanish. */
    for (int step = 0; step < 3 && z < 1.0e-290; step++) {
        const double scaled = clem_erfcx(x);
        x += (log(scaled) - x * x - log(z)) * scaled * 0.88622692545275801365;
    }
    for (int step = 0; step < 3 && z >= 1.0e-290; step++) {
        const double slope = 1.1283791670955125739 * clem_exp_square(x, -1);
        const double error = slope > 0 ? (erfc(x) - z) / slope : 0;
        x += error / (1 - x * error);
    }
    return x;
}

/* Below a half the same steps on erf(x) - y, which keep small values whole. */
double clem_erfinv(double y)
{
    const double size = fabs(y);
    if (!(size < 1))
        return size == 1 ? copysign((double)INFINITY, y) : (double)NAN;
    if (size >= 0.5)
        return copysign(clem_erfcinv_positive(1 - size), y);
    double x = y * 0.8862269254527580137;
    for (int step = 0; step < 3; step++) {
        const double slope = 1.1283791670955125739 * exp(-x * x);
        const double error = (erf(x) - y) / slope;
        x -= error / (1 + x * error);
    }
    return y == 0 ? y : x;
}

double clem_erfcinv(double z)
{
    if (!(z >= 0 && z <= 2))
        return NAN;
    if (z == 0)
        return INFINITY;
    if (z == 2)
        return -INFINITY;
    if (z > 0.5 && z < 1.5)
        return clem_erfinv(1 - z);
    return z < 1 ? clem_erfcinv_positive(z) : -clem_erfcinv_positive(2 - z);
}

/* The distribution function of the normal law: half of erfc(-x / sqrt(2)), with the part of the
 * product that rounding drops. */
double clem_normcdf(double x)
{
    if (isnan(x))
        return x;
    const double t = -x * 0.70710678118654757;
    const double rest =
        isinf(t) ? 0 : fma(-x, 0.70710678118654757, -t) - x * -4.8336466567264567e-17;
    const double slope = 1.1283791670955125739 * exp(-t * t);
    return 0.5 * (erfc(t) - slope * rest);
}

double clem_normcdfinv(double y)
{
    return -1.4142135623730950488 * clem_erfcinv(2 * y);
}

float clem_acosf(float x)
{
    return acos(x);
}

float clem_acoshf(float x)
{
    return acosh(x);
}

float clem_asinf(float x)
{
    return asin(x);
}

float clem_asinhf(float x)
{
    return asinh(x);
}

float clem_atanf(float x)
{
    return atan(x);
}

float clem_atanhf(float x)
{
    return atanh(x);
}

float clem_cbrtf(float x)
{
    return cbrt(x);
}

float clem_cosf(float x)
{
    return cos(x);
}

float clem_coshf(float x)
{
    return cosh(x);
}

/* A zero is positive. */
float clem_cospif(float x)
{
    return cospi(x) + 0.0f;
}

float clem_erff(float x)
{
    return erf(x);
}

float clem_expf(float x)
{
    return isnan(x) ? x : exp(x);
}

float clem_exp10f(float x)
{
    return isnan(x) ? x : exp10(x);
}

float clem_exp2f(float x)
{
    return isnan(x) ? x : exp2(x);
}

float clem_expm1f(float x)
{
    return isnan(x) ? x : expm1(x);
}

/* Stirling's first terms where x * log(x) may have no value though the result has. */
float clem_lgammaf(float x)
{
    return x > 1.0e30f ? x * (log(x) - 1.0f) : lgamma(x);
}

float clem_logf(float x)
{
    return log(x);
}

float clem_log10f(float x)
{
    return log10(x);
}

float clem_log1pf(float x)
{
    return log1p(x);
}

float clem_log2f(float x)
{
    return log2(x);
}

float clem_logbf(float x)
{
    return logb(x);
}

float clem_roundf(float x)
{
    return isnan(x) ? x : round(x);
}

float clem_rsqrtf(float x)
{
    return rsqrt(x);
}

float clem_sinf(float x)
{
    return sin(x);
}

float clem_sinhf(float x)
{
    return isnan(x) ? x : sinh(x);
}

/* A zero has the sign of x. */
float clem_sinpif(float x)
{
    return x == trunc(x) ? x * 0 : sinpi(x);
}

float clem_tanf(float x)
{
    return tan(x);
}

/* Beyond 9.02 it is one to the last bit, which PoCL's stays below, even for infinities. */
float clem_tanhf(float x)
{
    return isnan(x) ? x : fabs(x) > 9.02f ? copysign(1.0f, x) : tanh(x);
}

float clem_tgammaf(float x)
{
    return isnan(x) ? x : tgamma(x);
}

float clem_atan2f(float x, float y)
{
    return atan2(x, y);
}

float clem_fdimf(float x, float y)
{
    return fdim(x, y);
}

float clem_fmodf(float x, float y)
{
    return fmod(x, y);
}

float clem_hypotf(float x, float y)
{
    return hypot(x, y);
}

float clem_nextafterf(float x, float y)
{
    return nextafter(x, y);
}

float clem_powf(float x, float y)
{
    if (isnan(x) || isnan(y))
        return x == 1.0f || y == 0.0f ? 1.0f : x + y;
    return pow(x, y);
}

float clem_remainderf(float x, float y)
{
    return remainder(x, y);
}

float clem_ldexpf(float x, int exponent)
{
    return ldexp(x, exponent);
}

float clem_frexp_fractionf(float x)
{
    int exponent;
    return frexp(x, &exponent);
}

int clem_frexp_exponentf(float x)
{
    int exponent = 0;
    if (isfinite(x))
        frexp(x, &exponent);
    return exponent;
}

int clem_remquo_quotientf(float x, float y)
{
    int quotient;
    remquo(x, y, &quotient);
    return quotient;
}

/* Of zero and of no number: the least int. */
int clem_ilogbf(float x)
{
    return isinf(x) ? INT_MAX : x == 0 || isnan(x) ? INT_MIN : ilogb(x);
}

/* With a step of Newton's on 1 - x * y^3, of whose products the rounded parts count too. */
float clem_rcbrtf(float x)
{
    const float y = 1 / cbrt(x);
    if (x == 0 || isinf(x))
        return y;
    const float square = y * y, product = x * y;
    const float rests = fma(product, fma(y, y, -square), square * fma(x, y, -product));
    return fma(y * (1.0f / 3), -(fma(square, product, -1.0f) + rests), y);
}

/* The length of four numbers times 2^-scale, to less than a unit of the last place: squares and
 * their sum with what rounding drops. Needs: no infinity. */
float clem_lengthf(float a, float b, float c, float d, int *scale)
{
    const float most = fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d)));
    float sum = 0, rest = 0;
    *scale = most > 0 ? ilogb(most) : 0;
    for (int i = 0; i < 4; i++) {
        const float part = ldexp(i == 0 ? a : i == 1 ? b : i == 2 ? c : d, -*scale);
        const float square = part * part;
        const float next = sum + square;
        const float back = next - sum;
        rest += (sum - (next - back)) + (square - back) + fma(part, part, -square);
        sum = next;
    }
    const float root = sqrt(sum + rest);
    return most > 0 ? root + (fma(-root, root, sum) + rest) / (2 * root) : root;
}

float clem_norm4df(float a, float b, float c, float d)
{
    int scale;
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d))
        return INFINITY;
    const float length = clem_lengthf(a, b, c, d, &scale);
    return ldexp(length, scale);
}

float clem_rnorm4df(float a, float b, float c, float d)
{
    int scale;
    if (isinf(a) || isinf(b) || isinf(c) || isinf(d))
        return 0;
    const float length = clem_lengthf(a, b, c, d, &scale);
    return ldexp(1 / length, -scale);
}

float clem_norm3df(float a, float b, float c)
{
    return clem_norm4df(a, b, c, 0);
}

float clem_rnorm3df(float a, float b, float c)
{
    return clem_rnorm4df(a, b, c, 0);
}

float clem_rhypotf(float x, float y)
{
    return clem_rnorm4df(x, y, 0, 0);
}

/* exp(sign * x * x), to a unit of the last place: the power by parts of ln 2, with the part of the square that rounding
 * drops. */
float clem_exp_squaref(float x, float sign)
{
    const float square = x * x;
    if (square > 200)
        return sign > 0 ? INFINITY : 0;
    const float n = rint(sign * square * 1.44269504f);
    float rest = fma(n, -0x1.62e4p-1f, sign * square);
    rest = fma(n, -0x1.7f7d1cp-20f, rest) + sign * fma(x, x, -square);
    float value = 1.0f / 5040;
    value = fma(value, rest, 1.0f / 720);
    value = fma(value, rest, 1.0f / 120);
    value = fma(value, rest, 1.0f / 24);
    value = fma(value, rest, 1.0f / 6);
    value = fma(value, rest, 0.5f);
    value = fma(rest * rest, value, rest);
    return isnan(x) ? x : ldexp(1 + value, (int)n);
}

/* (1 + 2x) * exp(x * x) * erfc(x) for x from 0.25 to 10.5, by a polynomial in (x - 2) / (x + 2). */
float clem_erfcx_partf(float x)
{
    const float q = (x - 2) / (x + 2);
    float value = 0x1.1ed032p-13f;
    value = fma(value, q, -0x1.30b784p-12f);
    value = fma(value, q, -0x1.6aa51ep-10f);
    value = fma(value, q, 0x1.39a94ep-10f);
    value = fma(value, q, 0x1.1ce51p-7f);
    value = fma(value, q, -0x1.06bd8ep-7f);
    value = fma(value, q, -0x1.bc221cp-5f);
    value = fma(value, q, 0x1.4ff96p-3f);
    value = fma(value, q, -0x1.5407ep-3f);
    value = fma(value, q, -0x1.7bf5e2p-4f);
    value = fma(value, q, 0x1.46e80ep+0f);
    return value;
}

/* Where the polynomial serves, with the part of the quotient that rounding drops. */
float clem_erfcf(float x)
{
    if (!(x > 0.25f))
        return 1 - erf(x);
    if (x > 10.2f)
        return 0;
    const float above = clem_erfcx_partf(x), below = fma(2.0f, x, 1.0f);
    const float lost = x < 0.5f ? 2 * x - (below - 1) : 1 - (below - 2 * x);
    const float quotient = above / below;
    const float rest = (fma(-quotient, below, above) - quotient * lost) / below;
    const float power = clem_exp_squaref(x, -1);
    return fma(power, quotient, power * rest);
}

/* exp(x * x) * erfc(x): the product itself below the polynomial's numbers, above them the continued
 * fraction 1 / (x + (1/2) / (x + (2/2) / (x + ...))) over the root of pi. */
float clem_erfcxf(float x)
{
    if (x < 0.25f)
        return clem_exp_squaref(x, 1) * clem_erfcf(x);
    if (x < 10.0f)
        return clem_erfcx_partf(x) / fma(2.0f, x, 1.0f);
    float fraction = x;
    for (int k = 9; k > 0; k--)
        fraction = x + k * 0.5f / fraction;
    return 0.5641895835477562869f / fraction;
}

/* The x >= 0 whose erfc is z, 0 < z <= 1: a first guess, then Halley's steps on erfc(x) - z. */
float clem_erfcinv_positivef(float z)
{
    const float l = log(z * (2 - z));
    const float h = 4.3307467508f + l * 0.5f;
    float x = sqrt(fmax(sqrt(h * h - l * 6.802721088f) - h, (float)0));
    if (z < 1.0e-4f) {
        const float q = -log(z);
        x = sqrt(q - 0.5f * log(q * 3.1415926535897932385f));
    }
    /* On logarithms, where the slope would vanish. */
    for (int step = 0; step < 3 && z < 1.0e-30f; step++) {
        const float scaled = clem_erfcxf(x);
        x += (log(scaled) - x * x - log(z)) * scaled * 0.88622692545275801365f;
    }
    for (int step = 0; step < 3 && z >= 1.0e-30f; step++) {
        const float slope = 1.1283791670955125739f * clem_exp_squaref(x, -1);
        const float error = slope > 0 ? (clem_erfcf(x) - z) / slope : 0;
        x += error / (1 - x * error);
    }
    return x;
}

/* Below a half the same steps on erf(x) - y, which keep small values whole. */
float clem_erfinvf(float y)
{
    const float size = fabs(y);
    if (!(size < 1))
        return size == 1 ? copysign((float)INFINITY, y) : (float)NAN;
    if (size >= 0.5f)
        return copysign(clem_erfcinv_positivef(1 - size), y);
    float x = y * 0.8862269254527580137f;
    for (int step = 0; step < 3; step++) {
        const float slope = 1.1283791670955125739f * exp(-x * x);
        const float error = (erf(x) - y) / slope;
        x -= error / (1 + x * error);
    }
    return y == 0 ? y : x;
}

float clem_erfcinvf(float z)
{
    if (!(z >= 0 && z <= 2))
        return NAN;
    if (z == 0)
        return INFINITY;
    if (z == 2)
        return -INFINITY;
    if (z > 0.5f && z < 1.5f)
        return clem_erfinvf(1 - z);
    return z < 1 ? clem_erfcinv_positivef(z) : -clem_erfcinv_positivef(2 - z);
}

/* The distribution function of the normal law: half of erfc(-x / sqrt(2)), with the part of the
 * product that rounding drops. */
float clem_normcdff(float x)
{
    if (isnan(x))
        return x;
    const float t = -x * 0.70710677f;
    const float rest = isinf(t) ? 0 : fma(-x, 0.70710677f, -t) - x * 1.2101617e-8f;
    const float slope = 1.1283791670955125739f * exp(-t * t);
    return 0.5f * (clem_erfcf(t) - slope * rest);
}

float clem_normcdfinvf(float y)
{
    return -1.4142135623730950488f * clem_erfcinvf(2 * y);
}

/* ---- Bessel functions, in doubles ----
 * Below 25, J by the recurrence J[k-1] = 2k/x J[k] - J[k+1] from far above down, made whole by
 * J[0] + 2 J[2] + 2 J[4] + ... = 1, and Y by Neumann's series of those J. From 25 on Hankel's
 * asymptotic expansion.
 * Source: Abramowitz and Stegun, 9.1.27, 9.1.46, 9.1.88, 9.2.5 to 9.2.10, 9.6.10, 9.7.1. */

/* J of order n, x >= 0, and sums for Y of order 0 and 1. */
struct clem_bessel {
    double j, j0, j1, sum0, sum1;
};

struct clem_bessel clem_bessel_down(int n, double x)
{
    struct clem_bessel r = {0, 0, 0, 0, 0};
    if (x < 1.0e-8) { /* the first term of the power series */
        r.j0 = 1, r.j1 = 0.5 * x, r.j = 1;
        for (int k = 1; k <= n && r.j > 0; k++)
            r.j *= 0.5 * x / k;
        return r;
    }
    const int top = (max(n, (int)x) + 60) / 2 * 2;
    double above = 0, here = 1.0e-200, whole = 0;
    for (int k = top; k >= 0; k--) {
        if (k == n)
            r.j = here;
        if (k % 2 == 0)
            whole += k ? 2 * here : here;
        if (k % 2 == 0 && k > 0)
            r.sum0 += (k / 2 % 2 ? -here : here) / (k / 2);
        if (k % 2 == 1 && k > 1)
            r.sum1 += (k / 2 % 2 ? -here : here) * k / ((double)(k / 2) * (k / 2 + 1));
        if (k == 1)
            r.j1 = here;
        if (k == 0)
            break;
        const double below = 2 * k / x * here - above;
        above = here;
        here = below;
        if (fabs(here) > 1.0e200) {
            const double scale = 1.0e-200;
            here *= scale, above *= scale, whole *= scale;
            r.j *= scale, r.j1 *= scale, r.sum0 *= scale, r.sum1 *= scale;
        }
    }
    r.j0 = here / whole;
    r.j /= whole, r.j1 /= whole, r.sum0 /= whole, r.sum1 /= whole;
    return r;
}

/* Order 0 or 1: x is J, y is Y. */
double2 clem_bessel_far(int order, double x)
{
    const double mu = 4.0 * order * order;
    double term = 1, p = 1, q = 0;
    for (int k = 1; k < 40; k++) {
        const double next = term * (mu - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8.0 * x);
        if (fabs(next) >= fabs(term))
            break;
        term = next;
        if (k % 2)
            q += k / 2 % 2 ? -term : term;
        else
            p += k / 2 % 2 ? -term : term;
    }
    /* cos and sin of x - (order / 2 + 1 / 4) pi, without rounding the difference. */
    const double s = sin(x), c = cos(x), r = M_SQRT1_2;
    const double cosine = order ? (s - c) * r : (c + s) * r;
    const double sine = order ? -(s + c) * r : (s - c) * r;
    const double size = sqrt(M_2_PI / x);
    return (double2)(size * (p * cosine - q * sine), size * (p * sine + q * cosine));
}

double clem_jn(int n, double x)
{
    if (isnan(x))
        return x;
    if (n < 0)
        return NAN;
    const double size = fabs(x);
    const double sign = n % 2 && signbit(x) ? -1 : 1;
    if (isinf(size))
        return 0;
    if (size < 25 || n > size)
        return sign * clem_bessel_down(n, size).j;
    double below = clem_bessel_far(0, size).x, here = clem_bessel_far(1, size).x;
    if (n == 0)
        return below;
    for (int k = 1; k < n; k++) {
        const double above = 2 * k / size * here - below;
        below = here;
        here = above;
    }
    return sign * here;
}

double clem_yn(int n, double x)
{
    if (isnan(x) || x < 0 || n < 0)
        return NAN;
    if (x == 0)
        return -INFINITY;
    if (isinf(x))
        return 0;
    double below, here;
    if (x < 25) {
        const struct clem_bessel r = clem_bessel_down(0, x);
        const double l = log(x) - 0.11593151565841244881; /* log 2 less Euler's constant */
        below = M_2_PI * (l * r.j0 - 2 * r.sum0);
        here = M_2_PI * ((l - 1) * r.j1 - r.sum1) - M_2_PI * r.j0 / x;
    } else {
        below = clem_bessel_far(0, x).y;
        here = clem_bessel_far(1, x).y;
    }
    if (n == 0)
        return below;
    for (int k = 1; k < n && !isinf(here); k++) {
        const double above = 2 * k / x * here - below;
        below = here;
        here = above;
    }
    return here;
}

/* The modified function of order 0 or 1, x >= 0. */
double clem_bessel_i(int order, double x)
{
    if (isnan(x))
        return x;
    if (x > 800)
        return INFINITY;
    if (x < 20) { /* the power series; terms and their sum with what rounding drops */
        const double square = 0.25 * x * x, lost = 0.25 * fma(x, x, -4 * square);
        double term = order ? 0.5 * x : 1, rest = 0, sum = term, dropped = 0;
        for (int k = 1; term > sum * 1.0e-17; k++) {
            const double by = (double)k * (k + order), product = term * square;
            const double next = product / by;
            rest = (fma(term, square, -product) + fma(-next, by, product) + rest * square +
                    term * lost) /
                   by;
            term = next;
            const double total = sum + term;
            dropped += term - (total - sum) + rest;
            sum = total;
        }
        return sum + dropped;
    }
    const double mu = 4.0 * order * order;
    double term = 1, sum = 1, dropped = 0;
    for (int k = 1; k < 30; k++) {
        term *= -(mu - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8.0 * x);
        const double total = sum + term;
        dropped += term - (total - sum);
        sum = total;
    }
    const double rest = (sum + dropped) * 0.39894228040143267794 / sqrt(x); /* 1 / sqrt(2 pi) */
    return x < 700 ? exp(x) * rest : exp(0.5 * x) * rest * exp(0.5 * x);
}

double clem_j0(double x)
{
    return clem_jn(0, x);
}

float clem_j0f(float x)
{
    return (float)clem_j0(x);
}

double clem_j1(double x)
{
    return clem_jn(1, x);
}

float clem_j1f(float x)
{
    return (float)clem_j1(x);
}

double clem_y0(double x)
{
    return clem_yn(0, x);
}

float clem_y0f(float x)
{
    return (float)clem_y0(x);
}

double clem_y1(double x)
{
    return clem_yn(1, x);
}

float clem_y1f(float x)
{
    return (float)clem_y1(x);
}

double clem_cyl_bessel_i0(double x)
{
    return clem_bessel_i(0, fabs(x));
}

float clem_cyl_bessel_i0f(float x)
{
    return (float)clem_cyl_bessel_i0(x);
}

double clem_cyl_bessel_i1(double x)
{
    return copysign(clem_bessel_i(1, fabs(x)), x);
}

float clem_cyl_bessel_i1f(float x)
{
    return (float)clem_cyl_bessel_i1(x);
}

float clem_jnf(int n, float x)
{
    return (float)clem_jn(n, x);
}

float clem_ynf(int n, float x)
{
    return (float)clem_yn(n, x);
}
