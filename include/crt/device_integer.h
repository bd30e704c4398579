/* device_integer.h: minimum and maximum, bit counting, bytes, high products, dot products. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_INTEGER_H
#define CLEM_CRT_DEVICE_INTEGER_H

#include "device_runtime.h"

/* Source: CUDA Math API Reference Manual 13.0, Integer Mathematical Functions, Integer Intrinsics.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_BOTH   static __inline__ __attribute__((host, device, always_inline))
#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))

/* ---- bytes in reverse order, of the host too ------------------------------------------------ */

#define CLEM_REVERSE(bits, T)                                                                      \
    CLEM_BOTH T __nv_bswap##bits(T x)                                                              \
    {                                                                                              \
        return __builtin_bswap##bits(x);                                                           \
    }
CLEM_REVERSE(16, unsigned short)
CLEM_REVERSE(32, unsigned int)
CLEM_REVERSE(64, unsigned long long)
#undef CLEM_REVERSE

/* ---- minimum and maximum, of the host too -------------------------------------------------- */

#define CLEM_MIN_MAX(R, T, U)                                                                      \
    CLEM_BOTH constexpr R min(const T a, const U b)                                                \
    {                                                                                              \
        return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b);      \
    }                                                                                              \
    CLEM_BOTH constexpr R max(const T a, const U b)                                                \
    {                                                                                              \
        return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(b) : static_cast<R>(a);      \
    }
#define CLEM_MIN_MAX_SIGNED(T)                                                                     \
    CLEM_MIN_MAX(T, T, T)                                                                          \
    CLEM_MIN_MAX(unsigned T, unsigned T, unsigned T)                                               \
    CLEM_MIN_MAX(unsigned T, T, unsigned T)                                                        \
    CLEM_MIN_MAX(unsigned T, unsigned T, T)
CLEM_MIN_MAX_SIGNED(int)
CLEM_MIN_MAX_SIGNED(long)
CLEM_MIN_MAX_SIGNED(long long)
#undef CLEM_MIN_MAX_SIGNED
#undef CLEM_MIN_MAX

#define CLEM_MIN_MAX_FLOAT(R, T, U, f)                                                             \
    CLEM_BOTH R min(const T a, const U b)                                                          \
    {                                                                                              \
        return __builtin_fmin##f(a, b);                                                            \
    }                                                                                              \
    CLEM_BOTH R max(const T a, const U b)                                                          \
    {                                                                                              \
        return __builtin_fmax##f(a, b);                                                            \
    }
CLEM_MIN_MAX_FLOAT(float, float, float, f)
CLEM_MIN_MAX_FLOAT(double, double, double, )
CLEM_MIN_MAX_FLOAT(double, float, double, )
CLEM_MIN_MAX_FLOAT(double, double, float, )
#undef CLEM_MIN_MAX_FLOAT

#define CLEM_NAMED(T, letters)                                                                     \
    CLEM_BOTH T letters##min(const T a, const T b)                                                 \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    CLEM_BOTH T letters##max(const T a, const T b)                                                 \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
CLEM_NAMED(unsigned int, u)
CLEM_NAMED(long long, ll)
CLEM_NAMED(unsigned long long, ull)
#undef CLEM_NAMED

/* ---- bits ------------------------------------------------------------------------------------ */

CLEM_DEVICE int __clz(int x)
{
    return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
CLEM_DEVICE int __clzll(long long x)
{
    return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
/* The least number has no opposite with a sign. */
CLEM_DEVICE int __ffs(int x)
{
    const unsigned int word = static_cast<unsigned int>(x);
    return 32 - __clz(static_cast<int>(word & (0u - word)));
}
CLEM_DEVICE int __ffsll(long long x)
{
    const unsigned long long word = static_cast<unsigned long long>(x);
    return 64 - __clzll(static_cast<long long>(word & (0ull - word)));
}
CLEM_DEVICE int __popc(unsigned int x)
{
    return __builtin_popcount(x);
}
CLEM_DEVICE int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
CLEM_DEVICE unsigned int __brev(unsigned int x)
{
    return __builtin_bitreverse32(x);
}
CLEM_DEVICE unsigned long long __brevll(unsigned long long x)
{
    return __builtin_bitreverse64(x);
}
CLEM_DEVICE unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector)
{
    unsigned int r;
    __asm__("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(selector));
    return r;
}
/* Position of the offset-th set bit from base on, counting down for negative offsets. */
CLEM_DEVICE unsigned int __fns(unsigned int mask, unsigned int base, int offset)
{
    unsigned int r;
    __asm__("fns.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(mask), "r"(base), "r"(offset));
    return r;
}

#define CLEM_SHIFT(name, instruction)                                                              \
    CLEM_DEVICE unsigned int name(unsigned int low, unsigned int high, unsigned int shift)         \
    {                                                                                              \
        unsigned int r;                                                                            \
        __asm__(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(low), "r"(high), "r"(shift));       \
        return r;                                                                                  \
    }
CLEM_SHIFT(__funnelshift_l, "shf.l.wrap.b32")
CLEM_SHIFT(__funnelshift_lc, "shf.l.clamp.b32")
CLEM_SHIFT(__funnelshift_r, "shf.r.wrap.b32")
CLEM_SHIFT(__funnelshift_rc, "shf.r.clamp.b32")
#undef CLEM_SHIFT

/* ---- products, averages, differences ------------------------------------------------------- */

CLEM_DEVICE int __mulhi(int x, int y)
{
    return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
CLEM_DEVICE unsigned int __umulhi(unsigned int x, unsigned int y)
{
    return static_cast<unsigned>((static_cast<unsigned long long>(x) * y) >> 32);
}
CLEM_DEVICE long long __mul64hi(long long x, long long y)
{
    return __nvvm_mulhi_ll(x, y);
}
CLEM_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return __nvvm_mulhi_ull(x, y);
}
CLEM_DEVICE int mulhi(int x, int y)
{
    return __mulhi(x, y);
}
CLEM_DEVICE unsigned int mulhi(unsigned int x, unsigned int y)
{
    return __umulhi(x, y);
}
CLEM_DEVICE long long mul64hi(long long x, long long y)
{
    return __mul64hi(x, y);
}
CLEM_DEVICE unsigned long long mul64hi(unsigned long long x, unsigned long long y)
{
    return __umul64hi(x, y);
}
CLEM_DEVICE int __mul24(int x, int y)
{
    return __nvvm_mul24_i(x, y);
}
CLEM_DEVICE unsigned int __umul24(unsigned int x, unsigned int y)
{
    return __nvvm_mul24_ui(x, y);
}
CLEM_DEVICE int mul24(int x, int y)
{
    return __mul24(x, y);
}
CLEM_DEVICE unsigned int umul24(unsigned int x, unsigned int y)
{
    return __umul24(x, y);
}
CLEM_DEVICE int __hadd(int x, int y)
{
    return (x & y) + ((x ^ y) >> 1);
}
CLEM_DEVICE int __rhadd(int x, int y)
{
    return (x | y) - ((x ^ y) >> 1);
}
CLEM_DEVICE unsigned int __uhadd(unsigned int x, unsigned int y)
{
    return (x & y) + ((x ^ y) >> 1);
}
CLEM_DEVICE unsigned int __urhadd(unsigned int x, unsigned int y)
{
    return (x | y) - ((x ^ y) >> 1);
}
CLEM_DEVICE unsigned int __sad(int x, int y, unsigned int z)
{
    unsigned int r;
    __asm__("sad.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    return r;
}
CLEM_DEVICE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z)
{
    unsigned int r;
    __asm__("sad.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    return r;
}

/* ---- dot products of four bytes, or of two halves and two bytes ----------------------------- */

#define CLEM_DOT(name, instruction, A, B, R)                                                       \
    CLEM_DEVICE R name(A x, B y, R sum)                                                            \
    {                                                                                              \
        R r;                                                                                       \
        __asm__(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(sum));              \
        return r;                                                                                  \
    }
CLEM_DOT(__dp4a, "dp4a.s32.s32", int, int, int)
CLEM_DOT(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
CLEM_DOT(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
CLEM_DOT(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
CLEM_DOT(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
CLEM_DOT(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
#undef CLEM_DOT

#define CLEM_BITS(value, type) __builtin_bit_cast(type, value)
CLEM_DEVICE int __dp4a(char4 x, char4 y, int sum)
{
    return __dp4a(CLEM_BITS(x, int), CLEM_BITS(y, int), sum);
}
CLEM_DEVICE unsigned int __dp4a(uchar4 x, uchar4 y, unsigned int sum)
{
    return __dp4a(CLEM_BITS(x, unsigned), CLEM_BITS(y, unsigned), sum);
}
CLEM_DEVICE int __dp2a_lo(short2 x, char4 y, int sum)
{
    return __dp2a_lo(CLEM_BITS(x, int), CLEM_BITS(y, int), sum);
}
CLEM_DEVICE unsigned int __dp2a_lo(ushort2 x, uchar4 y, unsigned int sum)
{
    return __dp2a_lo(CLEM_BITS(x, unsigned), CLEM_BITS(y, unsigned), sum);
}
CLEM_DEVICE int __dp2a_hi(short2 x, char4 y, int sum)
{
    return __dp2a_hi(CLEM_BITS(x, int), CLEM_BITS(y, int), sum);
}
CLEM_DEVICE unsigned int __dp2a_hi(ushort2 x, uchar4 y, unsigned int sum)
{
    return __dp2a_hi(CLEM_BITS(x, unsigned), CLEM_BITS(y, unsigned), sum);
}
#undef CLEM_BITS

#undef CLEM_BOTH
#undef CLEM_DEVICE

#endif

#endif
