/* As much of OpenCL C's vectors as textures need, as arrays that compilers of C compute with.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_OPENCL_VECTORS_H
#define KERNELS_PTX_HOST_OPENCL_VECTORS_H

#include "kernels/ptx/host/opencl_c.h"

typedef float float2 __attribute__((vector_size(8)));
typedef float float4 __attribute__((vector_size(16)));
typedef float4 float3; /* the last is 0 */
typedef int int4 __attribute__((vector_size(16)));
typedef uint uint4 __attribute__((vector_size(16)));
typedef short short4 __attribute__((vector_size(8)));
typedef ushort ushort4 __attribute__((vector_size(8)));
typedef signed char char4 __attribute__((vector_size(4)));
typedef uchar uchar4 __attribute__((vector_size(4)));

/* Those that are not named are 0. */
#define float2_of(...) ((float2){__VA_ARGS__})
#define float3_of(...) ((float3){__VA_ARGS__})
#define float4_of(...) ((float4){__VA_ARGS__})
#define uint4_of(...)  ((uint4){__VA_ARGS__})

#define convert_float(a) ((float)(a))
#define convert_int4(a)                                                                            \
    _Generic((a), uchar4                                                                           \
             : ints_of_uchar4, char4                                                               \
             : ints_of_char4, ushort4                                                              \
             : ints_of_ushort4, short4                                                             \
             : ints_of_short4, uint4                                                               \
             : ints_of_uint4, int4                                                                 \
             : ints_of_int4)(a)
#define convert_float4(a)                                                                          \
    _Generic((a), uchar4                                                                           \
             : floats_of_uchar4, char4                                                             \
             : floats_of_char4, ushort4                                                            \
             : floats_of_ushort4, short4                                                           \
             : floats_of_short4, uint4                                                             \
             : floats_of_uint4)(a)
#define as_float4(a) ((float4)(a)) /* its bits */

static inline int4 ints_of_uchar4(uchar4 a)
{
#ifdef __AVX2__ /* whose shift by several amounts compilers do not find otherwise */
    uint bits;
    memcpy(&bits, &a, sizeof bits);
    return (int4)((uint4){bits, bits, bits, bits} >> (uint4){0, 8, 16, 24} & 0xffu);
#else
    return __builtin_convertvector(a, int4);
#endif
}

#define DEFINE_INTS(type)                                                                          \
    static inline int4 ints_of_##type(type a)                                                      \
    {                                                                                              \
        return __builtin_convertvector(a, int4);                                                   \
    }
DEFINE_INTS(char4)
DEFINE_INTS(ushort4)
DEFINE_INTS(short4)
DEFINE_INTS(int4)
DEFINE_INTS(uint4)
#undef DEFINE_INTS

/* Of small numbers in two steps, for each of which there is an instruction. */
#define DEFINE_FLOATS(type)                                                                        \
    static inline float4 floats_of_##type(type a)                                                  \
    {                                                                                              \
        return __builtin_convertvector(ints_of_##type(a), float4);                                 \
    }
DEFINE_FLOATS(uchar4)
DEFINE_FLOATS(char4)
DEFINE_FLOATS(ushort4)
DEFINE_FLOATS(short4)
#undef DEFINE_FLOATS

static inline float4 floats_of_uint4(uint4 a)
{
    return __builtin_convertvector(a, float4);
}

static inline float4 sizes_of(float4 a)
{
    return (float4)((int4)a & 0x7fffffff);
}

static inline float4 larger_of(float4 a, float b)
{
    for (int i = 0; i < 4; i++)
        a[i] = a[i] > b ? a[i] : b;
    return a;
}

static inline float dot(float4 a, float4 b)
{
    const float4 products = a * b;
    return products[0] + products[1] + products[2] + products[3];
}

typedef uint16_t half;

static inline float vload_half(size_t index, const half *from)
{
    const uint bits = from[index], sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
    if (rest < 0x400u) /* 0 and what is too small for an exponent, in steps of 2^-24 */
        return as_float(as_uint((float)rest * 0x1p-24f) | sign);
    return as_float(sign | (rest >= 0x7c00u ? 0x7f800000u | (rest & 0x3ffu) << 13
                                            : (rest << 13) + ((127u - 15u) << 23)));
}

static inline float4 vload_half4(size_t index, const half *from)
{
    from += 4 * index;
    return (float4){vload_half(0, from), vload_half(1, from), vload_half(2, from),
                    vload_half(3, from)};
}

#undef fabs
#define fabs(a) sizes_of(a)
#undef fmax
#define fmax(a, b) _Generic((a), float4 : larger_of, default : fmaxf)(a, b)
#undef log2
#define log2(a)               log2f(a)
#define clamp(a, least, most) min(max(a, least), most)

#endif
