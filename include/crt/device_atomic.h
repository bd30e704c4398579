/* device_atomic.h: atomic functions in device code. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_ATOMIC_H
#define CLEM_CRT_DEVICE_ATOMIC_H

#include "../vector_types.h"
#include "device_runtime.h"

/* Each returns the old value. Those that clang knows as builtins are given to it, because it finds
 * out which memory a pointer points into; the others are instructions of PTX on generic addresses.
 * Every scope is at least as wide as asked: the ones of a block are those of the device.
 *
 * Source: CUDA C++ Programming Guide 13.0, Atomic Functions; PTX ISA 9.0, atom.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))

/* name, name_block and name_system of one type: by a function of the bits, and by PTX's words for the last, of which clang's
 * functions take unsigned numbers for signed ones. */
#define CLEM_ATOMIC_SCOPE(name, T, B, function)                                                    \
    CLEM_DEVICE T name(T *address, T value)                                                        \
    {                                                                                              \
        return static_cast<T>(function(reinterpret_cast<B *>(address), static_cast<B>(value)));    \
    }
#define CLEM_ATOMIC(name, T, B, function, words, letter)                                           \
    CLEM_ATOMIC_SCOPE(name, T, B, __nvvm_atom_##function)                                          \
    CLEM_ATOMIC_SCOPE(name##_block, T, B, __nvvm_atom_##function)                                  \
    CLEM_DEVICE T name##_system(T *address, T value)                                               \
    {                                                                                              \
        T r;                                                                                       \
        __asm__ __volatile__("atom.sys." words " %0, [%1], %2;"                                    \
                             : "=" letter(r)                                                       \
                             : "l"(address), letter(value)                                         \
                             : "memory");                                                          \
        return r;                                                                                  \
    }

/* The integers that CUDA lists, and long, which programs use for 64 bits. */
#define CLEM_ATOMIC_BITS(name, function, words)                                                    \
    CLEM_ATOMIC(name, int, int, function##_gen_i, words "32", "r")                                 \
    CLEM_ATOMIC(name, unsigned int, int, function##_gen_i, words "32", "r")                        \
    CLEM_ATOMIC(name, long, long long, function##_gen_ll, words "64", "l")                         \
    CLEM_ATOMIC(name, unsigned long, long long, function##_gen_ll, words "64", "l")                \
    CLEM_ATOMIC(name, long long, long long, function##_gen_ll, words "64", "l")                    \
    CLEM_ATOMIC(name, unsigned long long, long long, function##_gen_ll, words "64", "l")
#define CLEM_ATOMIC_ORDER(name, function)                                                          \
    CLEM_ATOMIC(name, int, int, function##_gen_i, #function ".s32", "r")                           \
    CLEM_ATOMIC(name, unsigned int, unsigned int, function##_gen_ui, #function ".u32", "r")        \
    CLEM_ATOMIC(name, long, long long, function##_gen_ll, #function ".s64", "l")                   \
    CLEM_ATOMIC(name, unsigned long, unsigned long long, function##_gen_ull, #function ".u64",     \
                "l")                                                                               \
    CLEM_ATOMIC(name, long long, long long, function##_gen_ll, #function ".s64", "l")              \
    CLEM_ATOMIC(name, unsigned long long, unsigned long long, function##_gen_ull,                  \
                #function ".u64", "l")

CLEM_ATOMIC_BITS(atomicAdd, add, "add.u")
CLEM_ATOMIC(atomicAdd, float, float, add_gen_f, "add.f32", "f")
CLEM_ATOMIC(atomicAdd, double, double, add_gen_d, "add.f64", "d")
CLEM_ATOMIC_BITS(atomicExch, xchg, "exch.b")
CLEM_ATOMIC_BITS(atomicAnd, and, "and.b")
CLEM_ATOMIC_BITS(atomicOr, or, "or.b")
CLEM_ATOMIC_BITS(atomicXor, xor, "xor.b")
CLEM_ATOMIC_ORDER(atomicMin, min)
CLEM_ATOMIC_ORDER(atomicMax, max)
CLEM_ATOMIC(atomicInc, unsigned int, unsigned int, inc_gen_ui, "inc.u32", "r")
CLEM_ATOMIC(atomicDec, unsigned int, unsigned int, dec_gen_ui, "dec.u32", "r")

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

/* Of compute capability 9.0: each element for itself. */
#define CLEM_ATOMIC_VECTOR(scope)                                                                  \
    CLEM_DEVICE float2 atomicAdd##scope(float2 *address, float2 value)                             \
    {                                                                                              \
        const float2 old = {atomicAdd##scope(&address->x, value.x),                                \
                            atomicAdd##scope(&address->y, value.y)};                               \
        return old;                                                                                \
    }                                                                                              \
    CLEM_DEVICE float4 atomicAdd##scope(float4 *address, float4 value)                             \
    {                                                                                              \
        const float4 old = {                                                                       \
            atomicAdd##scope(&address->x, value.x), atomicAdd##scope(&address->y, value.y),        \
            atomicAdd##scope(&address->z, value.z), atomicAdd##scope(&address->w, value.w)};       \
        return old;                                                                                \
    }
CLEM_ATOMIC_VECTOR()
CLEM_ATOMIC_VECTOR(_block)
CLEM_ATOMIC_VECTOR(_system)
#undef CLEM_ATOMIC_VECTOR

/* float and double are exchanged as bits. */
#define CLEM_ATOMIC_EXCHANGE(scope)                                                                \
    CLEM_DEVICE float atomicExch##scope(float *address, float value)                               \
    {                                                                                              \
        return __builtin_bit_cast(float, atomicExch##scope(reinterpret_cast<int *>(address),       \
                                                           __builtin_bit_cast(int, value)));       \
    }                                                                                              \
    CLEM_DEVICE double atomicExch##scope(double *address, double value)                            \
    {                                                                                              \
        return __builtin_bit_cast(double,                                                          \
                                  atomicExch##scope(reinterpret_cast<long long *>(address),        \
                                                    __builtin_bit_cast(long long, value)));        \
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
    CLEM_ATOMIC_CAS(scope, unsigned long long, long long, ll)
CLEM_ATOMIC_CAS_SCOPE()
CLEM_ATOMIC_CAS_SCOPE(_block)

#define CLEM_ATOMIC_CAS_AS(name, T, words, letter)                                                 \
    CLEM_DEVICE T name(T *address, T compare, T value)                                             \
    {                                                                                              \
        T r;                                                                                       \
        __asm__ __volatile__("atom" words " %0, [%1], %2, %3;"                                     \
                             : "=" letter(r)                                                       \
                             : "l"(address), letter(compare), letter(value)                        \
                             : "memory");                                                          \
        return r;                                                                                  \
    }
CLEM_ATOMIC_CAS_AS(atomicCAS, unsigned short, ".cas.b16", "h")
CLEM_ATOMIC_CAS_AS(atomicCAS_block, unsigned short, ".cas.b16", "h")
CLEM_ATOMIC_CAS_AS(atomicCAS_system, unsigned short, ".sys.cas.b16", "h")
CLEM_ATOMIC_CAS_AS(atomicCAS_system, int, ".sys.cas.b32", "r")
CLEM_ATOMIC_CAS_AS(atomicCAS_system, unsigned int, ".sys.cas.b32", "r")
CLEM_ATOMIC_CAS_AS(atomicCAS_system, long, ".sys.cas.b64", "l")
CLEM_ATOMIC_CAS_AS(atomicCAS_system, unsigned long, ".sys.cas.b64", "l")
CLEM_ATOMIC_CAS_AS(atomicCAS_system, long long, ".sys.cas.b64", "l")
CLEM_ATOMIC_CAS_AS(atomicCAS_system, unsigned long long, ".sys.cas.b64", "l")

#undef CLEM_ATOMIC_CAS_AS
#undef CLEM_ATOMIC_CAS_SCOPE
#undef CLEM_ATOMIC_CAS
#undef CLEM_ATOMIC_ORDER
#undef CLEM_ATOMIC_BITS
#undef CLEM_ATOMIC
#undef CLEM_ATOMIC_SCOPE
#undef CLEM_DEVICE

#endif

#endif
