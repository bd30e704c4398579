/* device_warp.h: barriers, fences, shuffles, votes and clocks in device code. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_WARP_H
#define CLEM_CRT_DEVICE_WARP_H

#include "device_runtime.h"

/* Source: CUDA C++ Programming Guide 13.0, C++ Language Extensions.
 * clang knows __syncthreads() by itself, but LLVM 14 holds that an intrinsic writes no variable whose
 * address is not taken, and moves reads of a __shared__ one before a barrier. It moves none over an
 * asm that clobbers memory: CLEM_KEEP_ORDER.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))

/* ---- barriers and fences -------------------------------------------------------------------- */

#define CLEM_KEEP_ORDER() __asm__ __volatile__("" ::: "memory")

CLEM_DEVICE void __clem_syncthreads()
{
    __syncthreads();
    CLEM_KEEP_ORDER();
}
#define __syncthreads() __clem_syncthreads()

CLEM_DEVICE int __syncthreads_count(int predicate)
{
    const int count = __nvvm_bar0_popc(predicate);
    CLEM_KEEP_ORDER();
    return count;
}
CLEM_DEVICE int __syncthreads_and(int predicate)
{
    const int all = __nvvm_bar0_and(predicate);
    CLEM_KEEP_ORDER();
    return all;
}
CLEM_DEVICE int __syncthreads_or(int predicate)
{
    const int any = __nvvm_bar0_or(predicate);
    CLEM_KEEP_ORDER();
    return any;
}
CLEM_DEVICE void __syncwarp(unsigned int mask = 0xffffffff)
{
    __asm__ __volatile__("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
CLEM_DEVICE void __barrier_sync(unsigned int id)
{
    __asm__ __volatile__("barrier.sync %0;" ::"r"(id) : "memory");
}
CLEM_DEVICE void __barrier_sync_count(unsigned int id, unsigned int count)
{
    __asm__ __volatile__("barrier.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
CLEM_DEVICE void __threadfence_block()
{
    __nvvm_membar_cta();
    CLEM_KEEP_ORDER();
}
CLEM_DEVICE void __threadfence()
{
    __nvvm_membar_gl();
    CLEM_KEEP_ORDER();
}
CLEM_DEVICE void __threadfence_system()
{
    __nvvm_membar_sys();
    CLEM_KEEP_ORDER();
}
CLEM_DEVICE void __nanosleep(unsigned int nanoseconds)
{
    __asm__ __volatile__("nanosleep.u32 %0;" ::"r"(nanoseconds));
}
CLEM_DEVICE void __trap()
{
    __asm__ __volatile__("trap;");
}
CLEM_DEVICE void __brkpt()
{
    __asm__ __volatile__("brkpt;");
}
CLEM_DEVICE void __prof_trigger(int)
{
}

/* ---- clocks --------------------------------------------------------------------------------- */

CLEM_DEVICE long long clock64()
{
    long long r;
    __asm__ __volatile__("mov.u64 %0, %%clock64;" : "=l"(r)::"memory");
    return r;
}
#if defined(__CUDACC_RTC__)
typedef long clock_t;
#endif
__attribute__((device)) static __inline__ clock_t clock()
{
    int r;
    __asm__ __volatile__("mov.u32 %0, %%clock;" : "=r"(r)::"memory");
    return r;
}
CLEM_DEVICE unsigned long long clem_globaltimer()
{
    unsigned long long r;
    __asm__ __volatile__("mov.u64 %0, %%globaltimer;" : "=l"(r)::"memory");
    return r;
}

/* ---- votes ---------------------------------------------------------------------------------- */

CLEM_DEVICE unsigned int __activemask()
{
    unsigned int r;
    __asm__ __volatile__("activemask.b32 %0;" : "=r"(r));
    return r;
}
CLEM_DEVICE int __all_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_all_sync(mask, predicate != 0);
}
CLEM_DEVICE int __any_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate != 0);
}
CLEM_DEVICE int __uni_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_uni_sync(mask, predicate != 0);
}
CLEM_DEVICE unsigned int __ballot_sync(unsigned int mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate != 0);
}

/* The forms without a mask, which CUDA 9 replaced: of the threads that are active. */
CLEM_DEVICE int __all(int predicate)
{
    return __all_sync(__activemask(), predicate);
}
CLEM_DEVICE int __any(int predicate)
{
    return __any_sync(__activemask(), predicate);
}
CLEM_DEVICE unsigned int __ballot(int predicate)
{
    return __ballot_sync(__activemask(), predicate);
}

/* ---- shuffles ------------------------------------------------------------------------------- */

/* One 32-bit register; the last operand says where the segment of width threads ends (for up:
 * begins) and which bits of a lane are the segment's. */
#define CLEM_SHUFFLE_WORD(name, mode)                                                              \
    CLEM_DEVICE unsigned int clem_##name(unsigned int mask, unsigned int value, int lane,          \
                                         int control)                                              \
    {                                                                                              \
        unsigned int r;                                                                            \
        __asm__ __volatile__("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                          \
                             : "=r"(r)                                                             \
                             : "r"(value), "r"(lane), "r"(control), "r"(mask)                      \
                             : "memory");                                                          \
        return r;                                                                                  \
    }
CLEM_SHUFFLE_WORD(shfl, "idx")
CLEM_SHUFFLE_WORD(shfl_up, "up")
CLEM_SHUFFLE_WORD(shfl_down, "down")
CLEM_SHUFFLE_WORD(shfl_xor, "bfly")
#undef CLEM_SHUFFLE_WORD

/* Any type of 4 or 8 bytes, word by word. */
template <class T, int words = sizeof(T) / 4> struct clem_words {
    unsigned int word[words];
};

#define CLEM_SHUFFLE_TYPE(name, T, L, last)                                                        \
    CLEM_DEVICE T __##name##_sync(unsigned int mask, T value, L lane, int width = warpSize)        \
    {                                                                                              \
        clem_words<T> r = __builtin_bit_cast(clem_words<T>, value);                                \
        const int control = ((warpSize - width) << 8) | last;                                      \
        for (unsigned int &word : r.word)                                                          \
            word = clem_##name(mask, word, static_cast<int>(lane), control);                       \
        return __builtin_bit_cast(T, r);                                                           \
    }                                                                                              \
    CLEM_DEVICE T __##name(T value, L lane, int width = warpSize)                                  \
    {                                                                                              \
        return __##name##_sync(__activemask(), value, lane, width);                                \
    }
#define CLEM_SHUFFLE(T)                                                                            \
    CLEM_SHUFFLE_TYPE(shfl, T, int, 31)                                                            \
    CLEM_SHUFFLE_TYPE(shfl_up, T, unsigned int, 0)                                                 \
    CLEM_SHUFFLE_TYPE(shfl_down, T, unsigned int, 31)                                              \
    CLEM_SHUFFLE_TYPE(shfl_xor, T, int, 31)
CLEM_SHUFFLE(int)
CLEM_SHUFFLE(unsigned int)
CLEM_SHUFFLE(long)
CLEM_SHUFFLE(unsigned long)
CLEM_SHUFFLE(long long)
CLEM_SHUFFLE(unsigned long long)
CLEM_SHUFFLE(float)
CLEM_SHUFFLE(double)
#undef CLEM_SHUFFLE
#undef CLEM_SHUFFLE_TYPE

/* ---- matches -------------------------------------------------------------------------------- */

CLEM_DEVICE unsigned int clem_match_any(unsigned int mask, unsigned int value)
{
    unsigned int r;
    __asm__ __volatile__("match.any.sync.b32 %0, %1, %2;"
                         : "=r"(r)
                         : "r"(value), "r"(mask)
                         : "memory");
    return r;
}
CLEM_DEVICE unsigned int clem_match_any(unsigned int mask, unsigned long long value)
{
    unsigned int r;
    __asm__ __volatile__("match.any.sync.b64 %0, %1, %2;"
                         : "=r"(r)
                         : "l"(value), "r"(mask)
                         : "memory");
    return r;
}
CLEM_DEVICE unsigned int clem_match_all(unsigned int mask, unsigned int value, int *equal)
{
    unsigned int r;
    int all;
    __asm__ __volatile__("{ .reg .pred %%equal; match.all.sync.b32 %0|%%equal, %2, %3;"
                         " selp.s32 %1, 1, 0, %%equal; }"
                         : "=r"(r), "=r"(all)
                         : "r"(value), "r"(mask)
                         : "memory");
    *equal = all;
    return r;
}
CLEM_DEVICE unsigned int clem_match_all(unsigned int mask, unsigned long long value, int *equal)
{
    unsigned int r;
    int all;
    __asm__ __volatile__("{ .reg .pred %%equal; match.all.sync.b64 %0|%%equal, %2, %3;"
                         " selp.s32 %1, 1, 0, %%equal; }"
                         : "=r"(r), "=r"(all)
                         : "l"(value), "r"(mask)
                         : "memory");
    *equal = all;
    return r;
}

#define CLEM_MATCH(T, bits)                                                                        \
    CLEM_DEVICE unsigned int __match_any_sync(unsigned int mask, T value)                          \
    {                                                                                              \
        return clem_match_any(mask, __builtin_bit_cast(bits, value));                              \
    }                                                                                              \
    CLEM_DEVICE unsigned int __match_all_sync(unsigned int mask, T value, int *equal)              \
    {                                                                                              \
        return clem_match_all(mask, __builtin_bit_cast(bits, value), equal);                       \
    }
CLEM_MATCH(int, unsigned int)
CLEM_MATCH(unsigned int, unsigned int)
CLEM_MATCH(float, unsigned int)
CLEM_MATCH(long, unsigned long long)
CLEM_MATCH(unsigned long, unsigned long long)
CLEM_MATCH(long long, unsigned long long)
CLEM_MATCH(unsigned long long, unsigned long long)
CLEM_MATCH(double, unsigned long long)
#undef CLEM_MATCH

/* ---- reductions ----------------------------------------------------------------------------- */

#define CLEM_REDUCE(name, instruction, T)                                                          \
    CLEM_DEVICE T __reduce_##name##_sync(unsigned int mask, T value)                               \
    {                                                                                              \
        T r;                                                                                       \
        __asm__ __volatile__("redux.sync." instruction " %0, %1, %2;"                              \
                             : "=r"(r)                                                             \
                             : "r"(value), "r"(mask)                                               \
                             : "memory");                                                          \
        return r;                                                                                  \
    }
CLEM_REDUCE(add, "add.u32", unsigned int)
CLEM_REDUCE(add, "add.s32", int)
CLEM_REDUCE(min, "min.u32", unsigned int)
CLEM_REDUCE(min, "min.s32", int)
CLEM_REDUCE(max, "max.u32", unsigned int)
CLEM_REDUCE(max, "max.s32", int)
CLEM_REDUCE(and, "and.b32", unsigned int)
CLEM_REDUCE(or, "or.b32", unsigned int)
CLEM_REDUCE(xor, "xor.b32", unsigned int)
#undef CLEM_REDUCE

#undef CLEM_DEVICE

#endif

#endif
