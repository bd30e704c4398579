/* device_ordered.h: atomic functions whose order and scope are arguments (__nv_atomic_...). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_ORDERED_H
#define CLEM_CRT_DEVICE_ORDERED_H

#include "device_atomic.h"
#include "device_warp.h"

/* Each access is relaxed and of the system's scope, or of the device's where no more is asked; fences around it keep the order. So
 * both are at least as asked. Order and scope are constants of the caller, as nvcc wants them, so one path is left of each branch.
 *
 * Source: CUDA C++ Programming Guide 13.0, Built-in Atomic Functions.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define __NV_ATOMIC_RELAXED       0
#define __NV_ATOMIC_CONSUME       1
#define __NV_ATOMIC_ACQUIRE       2
#define __NV_ATOMIC_RELEASE       3
#define __NV_ATOMIC_ACQ_REL       4
#define __NV_ATOMIC_SEQ_CST       5
#define __NV_THREAD_SCOPE_THREAD  0
#define __NV_THREAD_SCOPE_BLOCK   1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE  3
#define __NV_THREAD_SCOPE_SYSTEM  4

#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))

/* An unsigned integer of so many bytes, and T as a parameter that T is not deduced from. */
template <__SIZE_TYPE__ bytes> struct clem_bits_of;
template <> struct clem_bits_of<1> {
    typedef unsigned char type;
};
template <> struct clem_bits_of<2> {
    typedef unsigned short type;
};
template <> struct clem_bits_of<4> {
    typedef unsigned int type;
};
template <> struct clem_bits_of<8> {
    typedef unsigned long long type;
};
template <> struct clem_bits_of<16> {
    typedef unsigned __int128 type;
};
template <class T> struct clem_itself {
    typedef T type;
};
#define CLEM_BITS   typename clem_bits_of<sizeof(T)>::type
#define CLEM_ITSELF typename clem_itself<T>::type

CLEM_DEVICE void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD)
        return;
    if (scope == __NV_THREAD_SCOPE_BLOCK)
        __threadfence_block();
    else if (scope == __NV_THREAD_SCOPE_SYSTEM)
        __threadfence_system();
    else
        __threadfence();
}
CLEM_DEVICE void clem_order_before(int order, int scope)
{
    if (order >= __NV_ATOMIC_RELEASE)
        __nv_atomic_thread_fence(order, scope);
}
CLEM_DEVICE void clem_order_after(int order, int scope)
{
    if (order != __NV_ATOMIC_RELEASE)
        __nv_atomic_thread_fence(order, scope);
}

/* ---- load and store ------------------------------------------------------------------------- */

#define CLEM_RELAXED(T, R, suffix, letter)                                                         \
    CLEM_DEVICE T clem_load(const volatile T *address)                                             \
    {                                                                                              \
        R r;                                                                                       \
        __asm__ __volatile__("ld.relaxed.sys." suffix " %0, [%1];"                                 \
                             : "=" letter(r)                                                       \
                             : "l"(address)                                                        \
                             : "memory");                                                          \
        return static_cast<T>(r);                                                                  \
    }                                                                                              \
    CLEM_DEVICE void clem_store(volatile T *address, R value)                                      \
    {                                                                                              \
        __asm__ __volatile__("st.relaxed.sys." suffix " [%0], %1;" ::"l"(address), letter(value)   \
                             : "memory");                                                          \
    }
CLEM_RELAXED(unsigned char, unsigned short, "u8", "h")
CLEM_RELAXED(unsigned short, unsigned short, "u16", "h")
CLEM_RELAXED(unsigned int, unsigned int, "u32", "r")
CLEM_RELAXED(unsigned long long, unsigned long long, "u64", "l")
#undef CLEM_RELAXED

/* Of 16 bytes, which asm has as two halves. */
#define CLEM_HALVES(value)                                                                         \
    "l"(static_cast<unsigned long long>(value)), "l"(static_cast<unsigned long long>((value) >> 64))
#define CLEM_WHOLE(low, high) (static_cast<unsigned __int128>(high) << 64 | (low))
CLEM_DEVICE unsigned __int128 clem_load(const volatile unsigned __int128 *address)
{
    unsigned long long low, high;
    __asm__ __volatile__("{ .reg .b128 q; ld.relaxed.sys.b128 q, [%2]; mov.b128 {%0, %1}, q; }"
                         : "=l"(low), "=l"(high)
                         : "l"(address)
                         : "memory");
    return CLEM_WHOLE(low, high);
}
CLEM_DEVICE void clem_store(volatile unsigned __int128 *address, unsigned __int128 value)
{
    __asm__ __volatile__(
        "{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.sys.b128 [%0], q; }" ::"l"(address),
        CLEM_HALVES(value)
        : "memory");
}
#define CLEM_WIDE(scope, word)                                                                     \
    CLEM_DEVICE unsigned __int128 atomicExch##scope(unsigned __int128 *address,                    \
                                                    unsigned __int128 value)                       \
    {                                                                                              \
        unsigned long long low, high;                                                              \
        __asm__ __volatile__("{ .reg .b128 q; mov.b128 q, {%3, %4}; atom.relaxed." word            \
                             ".exch.b128 q, [%2], q; mov.b128 {%0, %1}, q; }"                      \
                             : "=l"(low), "=l"(high)                                               \
                             : "l"(address), CLEM_HALVES(value)                                    \
                             : "memory");                                                          \
        return CLEM_WHOLE(low, high);                                                              \
    }                                                                                              \
    CLEM_DEVICE unsigned __int128 atomicCAS##scope(                                                \
        unsigned __int128 *address, unsigned __int128 compare, unsigned __int128 value)            \
    {                                                                                              \
        unsigned long long low, high;                                                              \
        __asm__ __volatile__("{ .reg .b128 p, q; mov.b128 p, {%3, %4}; mov.b128 q, {%5, %6}; "     \
                             "atom.relaxed." word                                                  \
                             ".cas.b128 q, [%2], p, q; mov.b128 {%0, %1}, q; }"                    \
                             : "=l"(low), "=l"(high)                                               \
                             : "l"(address), CLEM_HALVES(compare), CLEM_HALVES(value)              \
                             : "memory");                                                          \
        return CLEM_WHOLE(low, high);                                                              \
    }
CLEM_WIDE(, "gpu")
CLEM_WIDE(_system, "sys")
#undef CLEM_WIDE
#undef CLEM_WHOLE
#undef CLEM_HALVES

template <class T>
CLEM_DEVICE T __nv_atomic_load_n(const volatile T *address, int order,
                                 int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    if (order == __NV_ATOMIC_SEQ_CST)
        __nv_atomic_thread_fence(order, scope);
    const CLEM_BITS bits = clem_load(reinterpret_cast<const volatile CLEM_BITS *>(address));
    clem_order_after(order, scope);
    return __builtin_bit_cast(T, bits);
}
template <class T>
CLEM_DEVICE void __nv_atomic_load(const volatile T *address, T *result, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *result = __nv_atomic_load_n(address, order, scope);
}
template <class T>
CLEM_DEVICE void __nv_atomic_store_n(volatile T *address, CLEM_ITSELF value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    clem_order_before(order, scope);
    clem_store(reinterpret_cast<volatile CLEM_BITS *>(address),
               __builtin_bit_cast(CLEM_BITS, value));
}
template <class T>
CLEM_DEVICE void __nv_atomic_store(volatile T *address, const CLEM_ITSELF *value, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    __nv_atomic_store_n(address, *value, order, scope);
}

/* ---- exchange, compare and swap -------------------------------------------------------------- */

template <class T>
CLEM_DEVICE T __nv_atomic_exchange_n(T *address, CLEM_ITSELF value, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    clem_order_before(order, scope);
    CLEM_BITS *const at = reinterpret_cast<CLEM_BITS *>(address);
    const CLEM_BITS bits = __builtin_bit_cast(CLEM_BITS, value);
    const CLEM_BITS old =
        scope == __NV_THREAD_SCOPE_SYSTEM ? atomicExch_system(at, bits) : atomicExch(at, bits);
    clem_order_after(order, scope);
    return __builtin_bit_cast(T, old);
}
template <class T>
CLEM_DEVICE void __nv_atomic_exchange(T *address, const CLEM_ITSELF *value, CLEM_ITSELF *old,
                                      int order, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    *old = __nv_atomic_exchange_n(address, *value, order, scope);
}

/* Never fails without cause, so weak says nothing. Which order is kept is not known before, so both are. */
template <class T>
CLEM_DEVICE bool __nv_atomic_compare_exchange_n(T *address, CLEM_ITSELF *expected,
                                                CLEM_ITSELF value, bool weak, int order,
                                                int failure, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    static_cast<void>(weak);
    CLEM_BITS *const at = reinterpret_cast<CLEM_BITS *>(address);
    const CLEM_BITS seen = __builtin_bit_cast(CLEM_BITS, *expected);
    const CLEM_BITS bits = __builtin_bit_cast(CLEM_BITS, value);
    clem_order_before(failure == __NV_ATOMIC_SEQ_CST ? failure : order, scope);
    const CLEM_BITS old = scope == __NV_THREAD_SCOPE_SYSTEM ? atomicCAS_system(at, seen, bits)
                                                            : atomicCAS(at, seen, bits);
    clem_order_after(order == __NV_ATOMIC_RELAXED || order == __NV_ATOMIC_RELEASE ? failure : order,
                     scope);
    if (old != seen)
        *expected = __builtin_bit_cast(T, old);
    return old == seen;
}
template <class T>
CLEM_DEVICE bool __nv_atomic_compare_exchange(T *address, CLEM_ITSELF *expected,
                                              const CLEM_ITSELF *value, bool weak, int order,
                                              int failure, int scope = __NV_THREAD_SCOPE_SYSTEM)
{
    return __nv_atomic_compare_exchange_n(address, expected, *value, weak, order, failure, scope);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* Integers wrap around. */
template <class T> CLEM_DEVICE T clem_opposite(T value)
{
    return -value;
}
CLEM_DEVICE int clem_opposite(int value)
{
    return static_cast<int>(0u - static_cast<unsigned int>(value));
}
CLEM_DEVICE long clem_opposite(long value)
{
    return static_cast<long>(0ul - static_cast<unsigned long>(value));
}
CLEM_DEVICE long long clem_opposite(long long value)
{
    return static_cast<long long>(0ull - static_cast<unsigned long long>(value));
}

/* __nv_atomic_fetch_NAME gives the old value, __nv_atomic_NAME nothing. */
#define CLEM_ORDERED(name, function, operand)                                                      \
    template <class T>                                                                             \
    CLEM_DEVICE T __nv_atomic_fetch_##name(T *address, CLEM_ITSELF value, int order,               \
                                           int scope = __NV_THREAD_SCOPE_SYSTEM)                   \
    {                                                                                              \
        clem_order_before(order, scope);                                                           \
        const T given = static_cast<T>(operand);                                                   \
        const T old = scope == __NV_THREAD_SCOPE_SYSTEM ? function##_system(address, given)        \
                                                        : function(address, given);                \
        clem_order_after(order, scope);                                                            \
        return old;                                                                                \
    }                                                                                              \
    template <class T>                                                                             \
    CLEM_DEVICE void __nv_atomic_##name(T *address, CLEM_ITSELF value, int order,                  \
                                        int scope = __NV_THREAD_SCOPE_SYSTEM)                      \
    {                                                                                              \
        __nv_atomic_fetch_##name(address, value, order, scope);                                    \
    }
CLEM_ORDERED(add, atomicAdd, value)
CLEM_ORDERED(sub, atomicAdd, clem_opposite(value))

#define CLEM_ORDERED_AS(name, function) CLEM_ORDERED(name, function, value)
CLEM_ORDERED_AS(and, atomicAnd)
CLEM_ORDERED_AS(or, atomicOr)
CLEM_ORDERED_AS(xor, atomicXor)
CLEM_ORDERED_AS(min, atomicMin)
CLEM_ORDERED_AS(max, atomicMax)

#undef CLEM_ORDERED_AS
#undef CLEM_ORDERED
#undef CLEM_ITSELF
#undef CLEM_BITS
#undef CLEM_DEVICE

#endif

#endif
