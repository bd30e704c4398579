/* device_memory.h: loads and stores with a cache operator, address spaces of pointers. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_MEMORY_H
#define CLEM_CRT_DEVICE_MEMORY_H

#include "device_runtime.h"

/* Types of 1, 2, 4, 8 and 16 bytes, moved in one access as their alignment allows.
 *
 * Source: CUDA C++ Programming Guide 13.0, Read-Only Data Cache Load Function, Load Functions Using
 * Cache Hints, Store Functions Using Cache Hints, Address Space Predicate and Conversion Functions.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))

/* The registers that hold so many bytes. */
template <int bytes> struct clem_registers;
template <> struct clem_registers<1> {
    unsigned char x;
};
template <> struct clem_registers<2> {
    unsigned short x;
};
template <> struct clem_registers<4> {
    unsigned int x;
};
template <> struct clem_registers<8> {
    unsigned long long x;
};
template <> struct clem_registers<16> {
    unsigned long long x, y;
};

/* how: "volatile" or nothing, for the compiler; it may then merge loads that are equal. */
#define CLEM_LOAD(name, operator, how)                                                             \
    CLEM_DEVICE void clem_load##name(const void *from, clem_registers<1> &r)                       \
    {                                                                                              \
        unsigned int x;                                                                            \
        __asm__ how("ld.global" operator".u8 %0, [%1];" : "=r"(x) : "l"(from));                    \
        r.x = static_cast<unsigned char>(x);                                                       \
    }                                                                                              \
    CLEM_DEVICE void clem_load##name(const void *from, clem_registers<2> &r)                       \
    {                                                                                              \
        __asm__ how("ld.global" operator".u16 %0, [%1];" : "=h"(r.x) : "l"(from));                 \
    }                                                                                              \
    CLEM_DEVICE void clem_load##name(const void *from, clem_registers<4> &r)                       \
    {                                                                                              \
        __asm__ how("ld.global" operator".u32 %0, [%1];" : "=r"(r.x) : "l"(from));                 \
    }                                                                                              \
    CLEM_DEVICE void clem_load##name(const void *from, clem_registers<8> &r)                       \
    {                                                                                              \
        __asm__ how("ld.global" operator".u64 %0, [%1];" : "=l"(r.x) : "l"(from));                 \
    }                                                                                              \
    CLEM_DEVICE void clem_load##name(const void *from, clem_registers<16> &r)                      \
    {                                                                                              \
        __asm__ how("ld.global" operator".v2.u64 {%0, %1}, [%2];"                                  \
                    : "=l"(r.x), "=l"(r.y)                                                         \
                    : "l"(from));                                                                  \
    }                                                                                              \
    template <class T> CLEM_DEVICE T name(const T *from)                                           \
    {                                                                                              \
        static_assert(alignof(T) == sizeof(T), "one access needs the alignment of its size");      \
        clem_registers<sizeof(T)> r;                                                               \
        clem_load##name(from, r);                                                                  \
        return __builtin_bit_cast(T, r);                                                           \
    }
CLEM_LOAD(__ldg, ".nc", )
CLEM_LOAD(__ldca, ".ca", __volatile__)
CLEM_LOAD(__ldcg, ".cg", __volatile__)
CLEM_LOAD(__ldcs, ".cs", __volatile__)
CLEM_LOAD(__ldlu, ".lu", __volatile__)
CLEM_LOAD(__ldcv, ".cv", __volatile__)
#undef CLEM_LOAD

#define CLEM_STORE(name, operator)                                                                 \
    CLEM_DEVICE void clem_store##name(void *to, const clem_registers<1> &r)                        \
    {                                                                                              \
        const unsigned int x = r.x;                                                                \
        __asm__ __volatile__("st.global" operator".u8 [%0], %1;" ::"l"(to), "r"(x) : "memory");    \
    }                                                                                              \
    CLEM_DEVICE void clem_store##name(void *to, const clem_registers<2> &r)                        \
    {                                                                                              \
        __asm__ __volatile__("st.global" operator".u16 [%0], %1;" ::"l"(to), "h"(r.x) : "memory"); \
    }                                                                                              \
    CLEM_DEVICE void clem_store##name(void *to, const clem_registers<4> &r)                        \
    {                                                                                              \
        __asm__ __volatile__("st.global" operator".u32 [%0], %1;" ::"l"(to), "r"(r.x) : "memory"); \
    }                                                                                              \
    CLEM_DEVICE void clem_store##name(void *to, const clem_registers<8> &r)                        \
    {                                                                                              \
        __asm__ __volatile__("st.global" operator".u64 [%0], %1;" ::"l"(to), "l"(r.x) : "memory"); \
    }                                                                                              \
    CLEM_DEVICE void clem_store##name(void *to, const clem_registers<16> &r)                       \
    {                                                                                              \
        __asm__ __volatile__("st.global" operator".v2.u64 [%0], {%1, %2};" ::"l"(to), "l"(r.x),    \
                             "l"(r.y)                                                              \
                             : "memory");                                                          \
    }                                                                                              \
    template <class T> CLEM_DEVICE void name(T *to, T value)                                       \
    {                                                                                              \
        static_assert(alignof(T) == sizeof(T), "one access needs the alignment of its size");      \
        clem_store##name(to, __builtin_bit_cast(clem_registers<sizeof(T)>, value));                \
    }
CLEM_STORE(__stwb, ".wb")
CLEM_STORE(__stcg, ".cg")
CLEM_STORE(__stcs, ".cs")
CLEM_STORE(__stwt, ".wt")
#undef CLEM_STORE

/* ---- address spaces -------------------------------------------------------------------------- */

CLEM_DEVICE unsigned int __isGlobal(const void *pointer)
{
    return __nvvm_isspacep_global(pointer);
}
CLEM_DEVICE unsigned int __isShared(const void *pointer)
{
    return __nvvm_isspacep_shared(pointer);
}
CLEM_DEVICE unsigned int __isConstant(const void *pointer)
{
    return __nvvm_isspacep_const(pointer);
}
CLEM_DEVICE unsigned int __isLocal(const void *pointer)
{
    return __nvvm_isspacep_local(pointer);
}
CLEM_DEVICE unsigned int __isGridConstant(const void *pointer)
{
    unsigned int r;
    __asm__("{ .reg .pred p; isspacep.param p, %1; selp.u32 %0, 1, 0, p; }"
            : "=r"(r)
            : "l"(pointer));
    return r;
}

#define CLEM_CONVERT(space, name)                                                                  \
    CLEM_DEVICE __SIZE_TYPE__ __cvta_generic_to_##name(const void *pointer)                        \
    {                                                                                              \
        __SIZE_TYPE__ r;                                                                           \
        __asm__("cvta.to." space ".u64 %0, %1;" : "=l"(r) : "l"(pointer));                         \
        return r;                                                                                  \
    }                                                                                              \
    CLEM_DEVICE void *__cvta_##name##_to_generic(__SIZE_TYPE__ address)                            \
    {                                                                                              \
        void *r;                                                                                   \
        __asm__("cvta." space ".u64 %0, %1;" : "=l"(r) : "l"(address));                            \
        return r;                                                                                  \
    }
CLEM_CONVERT("global", global)
CLEM_CONVERT("shared", shared)
CLEM_CONVERT("const", constant)
CLEM_CONVERT("local", local)
CLEM_CONVERT("param", grid_constant)
#undef CLEM_CONVERT

#undef CLEM_DEVICE

#endif

#endif
