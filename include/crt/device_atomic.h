/* device_atomic.h: atomic functions in device code. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_ATOMIC_H
#define CLEM_CRT_DEVICE_ATOMIC_H

#include "device_runtime.h"

/* Each returns the old value. Those that clang knows as builtins are given to it, because it finds
 * out which memory a pointer points into; the others are instructions of PTX on generic addresses.
 * Every scope is at least as wide as asked: the ones of a block are those of the device.
 *
 * Source: CUDA C++ Programming Guide 13.0, Atomic Functions; PTX ISA 9.0, atom.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))

/* name, name_block and name_system of one type, by a function of the bits. */
#define CLEM_ATOMIC_SCOPE(name, T, B, function)                                                    \
    CLEM_DEVICE T name(T *address, T value)                                                        \
    {                                                                                              \
        return static_cast<T>(function(reinterpret_cast<B *>(address), static_cast<B>(value)));    \
    }
#define CLEM_ATOMIC(name, T, B, function)                                                          \
    CLEM_ATOMIC_SCOPE(name, T, B, function)                                                        \
    CLEM_ATOMIC_SCOPE(name##_block, T, B, function)                                                \
    CLEM_ATOMIC_SCOPE(name##_system, T, B, function)

/* The integers that CUDA lists, and long, which programs use for 64 bits. */
#define CLEM_ATOMIC_BITS(name, function)                                                           \
    CLEM_ATOMIC(name, int, int, __nvvm_atom_##function##_gen_i)                                    \
    CLEM_ATOMIC(name, unsigned int, int, __nvvm_atom_##function##_gen_i)                           \
    CLEM_ATOMIC(name, long, long long, __nvvm_atom_##function##_gen_ll)                            \
    CLEM_ATOMIC(name, unsigned long, long long, __nvvm_atom_##function##_gen_ll)                   \
    CLEM_ATOMIC(name, long long, long long, __nvvm_atom_##function##_gen_ll)                       \
    CLEM_ATOMIC(name, unsigned long long, long long, __nvvm_atom_##function##_gen_ll)
#define CLEM_ATOMIC_ORDER(name, function)                                                          \
    CLEM_ATOMIC(name, int, int, __nvvm_atom_##function##_gen_i)                                    \
    CLEM_ATOMIC(name, unsigned int, unsigned int, __nvvm_atom_##function##_gen_ui)                 \
    CLEM_ATOMIC(name, long, long long, __nvvm_atom_##function##_gen_ll)                            \
    CLEM_ATOMIC(name, unsigned long, unsigned long long, __nvvm_atom_##function##_gen_ull)         \
    CLEM_ATOMIC(name, long long, long long, __nvvm_atom_##function##_gen_ll)                       \
    CLEM_ATOMIC(name, unsigned long long, unsigned long long, __nvvm_atom_##function##_gen_ull)

CLEM_ATOMIC_BITS(atomicAdd, add)
CLEM_ATOMIC(atomicAdd, float, float, __nvvm_atom_add_gen_f)
CLEM_ATOMIC(atomicAdd, double, double, __nvvm_atom_add_gen_d)
CLEM_ATOMIC_BITS(atomicExch, xchg)
CLEM_ATOMIC_BITS(atomicAnd, and)
CLEM_ATOMIC_BITS(atomicOr, or)
CLEM_ATOMIC_BITS(atomicXor, xor)
CLEM_ATOMIC_ORDER(atomicMin, min)
CLEM_ATOMIC_ORDER(atomicMax, max)
CLEM_ATOMIC(atomicInc, unsigned int, unsigned int, __nvvm_atom_inc_gen_ui)
CLEM_ATOMIC(atomicDec, unsigned int, unsigned int, __nvvm_atom_dec_gen_ui)

#define CLEM_ATOMIC_SUBTRACT(scope)                                                                \
    CLEM_DEVICE int atomicSub##scope(int *address, int value)                                      \
    {                                                                                              \
        return atomicAdd##scope(address, static_cast<int>(-static_cast<unsigned>(value)));         \
    }                                                                                              \
    CLEM_DEVICE unsigned int atomicSub##scope(unsigned int *address, unsigned int value)           \
    {                                                                                              \
        return atomicAdd##scope(address, -value);                                                  \
    }
CLEM_ATOMIC_SUBTRACT()
CLEM_ATOMIC_SUBTRACT(_block)
CLEM_ATOMIC_SUBTRACT(_system)
#undef CLEM_ATOMIC_SUBTRACT

/* float and double are exchanged as bits. */
#define CLEM_ATOMIC_EXCHANGE(scope)                                                                \
    CLEM_DEVICE float atomicExch##scope(float *address, float value)                               \
    {                                                                                              \
        return __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i(reinterpret_cast<int *>(address),  \
                                                                __builtin_bit_cast(int, value)));  \
    }                                                                                              \
    CLEM_DEVICE double atomicExch##scope(double *address, double value)                            \
    {                                                                                              \
        return __builtin_bit_cast(double,                                                          \
                                  __nvvm_atom_xchg_gen_ll(reinterpret_cast<long long *>(address),  \
                                                          __builtin_bit_cast(long long, value)));  \
    }
CLEM_ATOMIC_EXCHANGE()
CLEM_ATOMIC_EXCHANGE(_block)
CLEM_ATOMIC_EXCHANGE(_system)
#undef CLEM_ATOMIC_EXCHANGE

/* ---- compare and swap ----------------------------------------------------------------------- */

#define CLEM_ATOMIC_CAS(scope, T, B, letters)                                                      \
    CLEM_DEVICE T atomicCAS##scope(T *address, T compare, T value)                                 \
    {                                                                                              \
        return static_cast<T>(__nvvm_atom_cas_gen_##letters(                                       \
            reinterpret_cast<B *>(address), static_cast<B>(compare), static_cast<B>(value)));      \
    }
#define CLEM_ATOMIC_CAS_SCOPE(scope)                                                               \
    CLEM_ATOMIC_CAS(scope, int, int, i)                                                            \
    CLEM_ATOMIC_CAS(scope, unsigned int, int, i)                                                   \
    CLEM_ATOMIC_CAS(scope, long, long long, ll)                                                    \
    CLEM_ATOMIC_CAS(scope, unsigned long, long long, ll)                                           \
    CLEM_ATOMIC_CAS(scope, long long, long long, ll)                                               \
    CLEM_ATOMIC_CAS(scope, unsigned long long, long long, ll)                                      \
    CLEM_DEVICE unsigned short atomicCAS##scope(unsigned short *address, unsigned short compare,   \
                                                unsigned short value)                              \
    {                                                                                              \
        unsigned short r;                                                                          \
        __asm__ __volatile__("atom.cas.b16 %0, [%1], %2, %3;"                                      \
                             : "=h"(r)                                                             \
                             : "l"(address), "h"(compare), "h"(value)                              \
                             : "memory");                                                          \
        return r;                                                                                  \
    }
CLEM_ATOMIC_CAS_SCOPE()
CLEM_ATOMIC_CAS_SCOPE(_block)
CLEM_ATOMIC_CAS_SCOPE(_system)

#undef CLEM_ATOMIC_CAS_SCOPE
#undef CLEM_ATOMIC_CAS
#undef CLEM_ATOMIC_ORDER
#undef CLEM_ATOMIC_BITS
#undef CLEM_ATOMIC
#undef CLEM_ATOMIC_SCOPE
#undef CLEM_DEVICE

#endif

#endif
