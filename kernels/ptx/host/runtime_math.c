/* The arithmetic and the math library as C of the host, for native kernels. host_library.inc is made of library/ by CMake: its
 * functions, static and named clem_native_; host_math_names.inc lists those of math.cl.
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdatomic.h>

#include "kernels/ptx/host/checks.h"
#include "kernels/ptx/host/fetch.h"
#include "kernels/ptx/host/host_math.h"
#include "kernels/ptx/host/native_runtime.h"
#include "kernels/ptx/host/opencl_c.h"

/* ---- What OpenCL C has and C has not ---- */

static double sine_of_half_turns(double x)
{
    double rest = x - 2 * rint(x * 0.5);
    if (fabs(rest) > 0.5)
        rest = copysign(1.0, rest) - rest;
    return sin(3.14159265358979323846 * rest);
}

static double cosine_of_half_turns(double x)
{
    const double rest = fabs(x - 2 * rint(x * 0.5));
    return rest > 0.75   ? -cos(3.14159265358979323846 * (1 - rest))
           : rest > 0.25 ? sin(3.14159265358979323846 * (0.5 - rest))
                         : cos(3.14159265358979323846 * rest);
}

static float sine_of_half_turns_f(float x)
{
    return (float)sine_of_half_turns((double)x);
}

static float cosine_of_half_turns_f(float x)
{
    return (float)cosine_of_half_turns((double)x);
}

static double power_of_ten(double x)
{
    return pow(10.0, x);
}

static float power_of_ten_f(float x)
{
    return pow(10.0f, x);
}

static double reciprocal_root(double x)
{
    return 1 / sqrt(x);
}

static float reciprocal_root_f(float x)
{
    return 1 / sqrt(x);
}

/* C's own miss CUDA's bounds by a unit of the last place. */
static double cube_root(double x)
{
    return (double)cbrt((long double)x);
}

static float cube_root_f(float x)
{
    return (float)cbrt((double)x);
}

static double hyperbolic_tangent(double x)
{
    return (double)tanh((long double)x);
}

static float hyperbolic_tangent_f(float x)
{
    return (float)tanh((double)x);
}

typedef struct {
    double x, y;
} double2;

static double2 double2_of(double x, double y)
{
    return (double2){x, y};
}

#undef cbrt
#define cbrt(x) _Generic((x), float : cube_root_f, default : cube_root)(x)
#undef tanh
#define tanh(x)  _Generic((x), float : hyperbolic_tangent_f, default : hyperbolic_tangent)(x)
#define sinpi(x) _Generic((x), float : sine_of_half_turns_f, default : sine_of_half_turns)(x)
#define cospi(x) _Generic((x), float : cosine_of_half_turns_f, default : cosine_of_half_turns)(x)
#undef exp10
#define exp10(x) _Generic((x), float : power_of_ten_f, default : power_of_ten)(x)
#define rsqrt(x) _Generic((x), float : reciprocal_root_f, default : reciprocal_root)(x)

/* ---- The libraries ---- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "host_library.inc"
#pragma GCC diagnostic pop

/* ---- Atomic sums of halves ---- */

static uint32_t sum_of_f16x2(uint32_t a, uint32_t b)
{
    return clem_native_add_f16((ushort)a, (ushort)b) |
           (uint32_t)clem_native_add_f16((ushort)(a >> 16), (ushort)(b >> 16)) << 16;
}

static uint32_t sum_of_bf16x2(uint32_t a, uint32_t b)
{
    return clem_native_add_bf16((ushort)a, (ushort)b) |
           (uint32_t)clem_native_add_bf16((ushort)(a >> 16), (ushort)(b >> 16)) << 16;
}

static uint32_t sum_of_f16(uint32_t a, uint32_t b)
{
    return clem_native_add_f16((ushort)a, (ushort)b);
}

static uint32_t sum_of_bf16(uint32_t a, uint32_t b)
{
    return clem_native_add_bf16((ushort)a, (ushort)b);
}

/* Adds values[lane] to what lies at addresses[lane], for each lane of the mask, the lowest first; what was there comes in the
 * place of the value. */
#define ADD_HALVES(name, type)                                                                     \
    void clem_native_add_halves_##name(const uint64_t addresses[32], uint32_t values[32],          \
                                       uint32_t lanes)                                             \
    {                                                                                              \
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {                                 \
            const int lane = __builtin_ctz(rest);                                                  \
            _Atomic type *const at = (_Atomic type *)(uintptr_t)addresses[lane];                   \
            type old = atomic_load_explicit(at, memory_order_relaxed);                             \
            while (!atomic_compare_exchange_weak_explicit(                                         \
                at, &old, (type)sum_of_##name(old, values[lane]), memory_order_relaxed,            \
                memory_order_relaxed))                                                             \
                ;                                                                                  \
            values[lane] = old;                                                                    \
        }                                                                                          \
    }
ADD_HALVES(f16, uint16_t)
ADD_HALVES(bf16, uint16_t)
ADD_HALVES(f16x2, uint32_t)
ADD_HALVES(bf16x2, uint32_t)

#define LIBM(FUNCTION)                                                                             \
    FUNCTION(fma)                                                                                  \
    FUNCTION(rint)                                                                                 \
    FUNCTION(floor)                                                                                \
    FUNCTION(ceil)                                                                                 \
    FUNCTION(trunc)

const struct ptx_native_symbol *ptx_native_symbols(size_t *count)
{
    static const struct ptx_native_symbol symbols[] = {
#define FUNCTION(name) {"clem_native_" #name, (void (*)(void))clem_native_##name},
        CLEM_NATIVE_MATH(FUNCTION) CLEM_NATIVE_RUNTIME(FUNCTION) CLEM_NATIVE_PICTURES(FUNCTION)
            CLEM_NATIVE_CHECKS(FUNCTION)
#include "host_math_names.inc"
#undef FUNCTION
#define FUNCTION(name) {#name, (void (*)(void))(name)}, {#name "f", (void (*)(void))(name##f)},
                LIBM(FUNCTION)
#undef FUNCTION
    };
    *count = sizeof symbols / sizeof *symbols;
    return symbols;
}
