/* cuComplex.h: complex numbers, on the host and in kernels. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_types.h"

/* Source: the functions that the programs of NVIDIA's cuBLAS and cuFFT manuals call. x is the real
 * part, y the imaginary one.
 */
typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* The quotient divides by the sum of the parts' magnitudes first, and the magnitude by the greater
 * part, so that no square overflows.
 * Defines make_cuFloatComplex cuCrealf cuCimagf cuConjf cuCaddf cuCsubf cuCmulf cuCdivf cuCabsf, and
 * the like for double without the f. */
#define CLEM_COMPLEX(TYPE, REAL, MAKE, F)                                                          \
    static __inline__ __host__ __device__ TYPE MAKE(REAL r, REAL i)                                \
    {                                                                                              \
        TYPE z;                                                                                    \
        z.x = r;                                                                                   \
        z.y = i;                                                                                   \
        return z;                                                                                  \
    }                                                                                              \
    static __inline__ __host__ __device__ REAL cuCreal##F(TYPE z)                                  \
    {                                                                                              \
        return z.x;                                                                                \
    }                                                                                              \
    static __inline__ __host__ __device__ REAL cuCimag##F(TYPE z)                                  \
    {                                                                                              \
        return z.y;                                                                                \
    }                                                                                              \
    static __inline__ __host__ __device__ TYPE cuConj##F(TYPE z)                                   \
    {                                                                                              \
        return MAKE(z.x, -z.y);                                                                    \
    }                                                                                              \
    static __inline__ __host__ __device__ TYPE cuCadd##F(TYPE a, TYPE b)                           \
    {                                                                                              \
        return MAKE(a.x + b.x, a.y + b.y);                                                         \
    }                                                                                              \
    static __inline__ __host__ __device__ TYPE cuCsub##F(TYPE a, TYPE b)                           \
    {                                                                                              \
        return MAKE(a.x - b.x, a.y - b.y);                                                         \
    }                                                                                              \
    static __inline__ __host__ __device__ TYPE cuCmul##F(TYPE a, TYPE b)                           \
    {                                                                                              \
        return MAKE(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                                 \
    }                                                                                              \
    static __inline__ __host__ __device__ TYPE cuCdiv##F(TYPE a, TYPE b)                           \
    {                                                                                              \
        const REAL scale = 1 / (fabs##F(b.x) + fabs##F(b.y));                                      \
        const REAL ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;         \
        const REAL over = 1 / (br * br + bi * bi);                                                 \
        return MAKE((ar * br + ai * bi) * over, (ai * br - ar * bi) * over);                       \
    }                                                                                              \
    static __inline__ __host__ __device__ REAL cuCabs##F(TYPE z)                                   \
    {                                                                                              \
        const REAL r = fabs##F(z.x), i = fabs##F(z.y);                                             \
        const REAL most = r > i ? r : i, least = r > i ? i : r;                                    \
        const REAL part = least / most;                                                            \
        if (most + most == most) /* 0 or infinite */                                               \
            return r + i;                                                                          \
        return most * sqrt##F(1 + part * part);                                                    \
    }

CLEM_COMPLEX(cuFloatComplex, float, make_cuFloatComplex, f)
CLEM_COMPLEX(cuDoubleComplex, double, make_cuDoubleComplex, )
#undef CLEM_COMPLEX

static __inline__ __host__ __device__ cuComplex make_cuComplex(float x, float y)
{
    return make_cuFloatComplex(x, y);
}

static __inline__ __host__ __device__ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z)
{
    return make_cuDoubleComplex(z.x, z.y);
}

static __inline__ __host__ __device__ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z)
{
    return make_cuFloatComplex((float)z.x, (float)z.y);
}

/* a * b + c */
static __inline__ __host__ __device__ cuComplex cuCfmaf(cuComplex a, cuComplex b, cuComplex c)
{
    return make_cuFloatComplex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);
}

static __inline__ __host__ __device__ cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b,
                                                             cuDoubleComplex c)
{
    return make_cuDoubleComplex(a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x);
}

#endif
