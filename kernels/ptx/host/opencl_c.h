/* As much of OpenCL C as the arithmetic library needs, so that the host can run it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_OPENCL_C_H
#define KERNELS_PTX_HOST_OPENCL_C_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <tgmath.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

static inline float as_float(uint bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint as_uint(float value)
{
    uint bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double as_double(ulong bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline ulong as_ulong(double value)
{
    ulong bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline uint clz_32(uint a)
{
    return a ? (uint)__builtin_clz(a) : 32;
}

static inline ulong clz_64(ulong a)
{
    return a ? (ulong)__builtin_clzl(a) : 64;
}
#define clz(a) _Generic((a), ulong : clz_64, default : clz_32)(a)

static inline uint popcount(uint a)
{
    return (uint)__builtin_popcount(a);
}

static inline ulong mul_hi(ulong a, ulong b)
{
    __extension__ typedef unsigned __int128 wide;
    return (ulong)((wide)a * b >> 64);
}
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

#endif
