/* device_runtime.h: what clang and the C library need to be told before device code can be read. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_RUNTIME_H
#define CLEM_CRT_DEVICE_RUNTIME_H

#include "../host_defines.h"

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

/* What a CUDA compiler says of itself. */
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#ifndef __CUDACC_EXTENDED_LAMBDA__
#define __CUDACC_EXTENDED_LAMBDA__ 1
#endif
#ifndef __CUDACC_RELAXED_CONSTEXPR__
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#endif

#include "../vector_types.h"
#include "device_math.h"
#include "host_math.h"

/* Device functions of the C library's names come first: what the library then declares with the
 * same parameters is for the host. */
extern "C" {
__attribute__((device)) int vprintf(const char *format, const char *arguments);
__attribute__((device)) int printf(const char *format, ...);
__attribute__((device)) void *malloc(__SIZE_TYPE__ bytes) __attribute__((nothrow, malloc));
__attribute__((device)) void free(void *memory) __attribute__((nothrow));
__attribute__((device)) void cudaGraphSetConditional(unsigned long long handle, unsigned value)
    __attribute__((nothrow));
__attribute__((device, noreturn)) void __assertfail(const char *condition, const char *file,
                                                    unsigned line, const char *function,
                                                    __SIZE_TYPE__ character_bytes);
static __inline__ __attribute__((device, always_inline, noreturn)) void
__assert_fail(const char *condition, const char *file, unsigned line, const char *function)
{
    __assertfail(condition, file, line, function, 1);
}
#define CLEM_MEMORY(name, source_type)                                                             \
    static __inline__ __attribute__((device, always_inline)) void *name(                           \
        void *to, source_type from, __SIZE_TYPE__ bytes)                                           \
    {                                                                                              \
        return __builtin_##name(to, from, bytes);                                                  \
    }
CLEM_MEMORY(memcpy, const void *)
CLEM_MEMORY(memset, int)
#undef CLEM_MEMORY
}

#if defined(__CUDA_ARCH__)
/* C++ libraries copy with it. clang's own stores through offsets into local memory as if they were generic addresses, where
 * it knows of one of the two what memory it is of. In constant expressions it stays. */
static __inline__ __attribute__((host, device, always_inline))
#if __cplusplus >= 201402L
constexpr
#endif
    void *
    clem_memmove(void *to, const void *from, __SIZE_TYPE__ bytes)
{
#if __cplusplus >= 201402L
    if (__builtin_is_constant_evaluated())
        return __builtin_memmove(to, from, bytes);
#endif
    typedef unsigned word __attribute__((may_alias));
    const bool is_words = (((__SIZE_TYPE__)to | (__SIZE_TYPE__)from | bytes) & 3) == 0;
    if ((__SIZE_TYPE__)to <= (__SIZE_TYPE__)from && is_words)
        for (__SIZE_TYPE__ i = 0; i < bytes / 4; i++)
            ((word *)to)[i] = ((const word *)from)[i];
    else if ((__SIZE_TYPE__)to <= (__SIZE_TYPE__)from)
        for (__SIZE_TYPE__ i = 0; i < bytes; i++)
            ((char *)to)[i] = ((const char *)from)[i];
    else if (is_words)
        for (__SIZE_TYPE__ i = bytes / 4; i-- > 0;)
            ((word *)to)[i] = ((const word *)from)[i];
    else
        for (__SIZE_TYPE__ i = bytes; i-- > 0;)
            ((char *)to)[i] = ((const char *)from)[i];
    return to;
}
#define __builtin_memmove(to, from, bytes) clem_memmove(to, from, bytes)
#endif

/* Sources that are compiled at run time assert without a header. */
#if defined(__CUDACC_RTC__) && defined(NDEBUG)
#define assert(condition) ((void)0)
#elif defined(__CUDACC_RTC__)
#define assert(condition)                                                                          \
    ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif

#if !defined(__CUDACC_RTC__)
#include <assert.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctype.h>
#include <math.h>
#include <new>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

namespace std
{
using ::free;
using ::malloc;
using ::memcpy;
using ::memset;
using ::printf;
#if defined(__CUDA_ARCH__)
/* Has a value in device code, so that kernels may name it; the C++ library has the host's. */
__attribute__((weak)) constexpr nothrow_t nothrow{};
#endif
} // namespace std

#if __clang_major__ < 15
/* The C++ library's headers that spell an attribute with this name come before it means one. */
#include <memory>
#include <string>
#define __noinline__ __attribute__((noinline))
#endif
#endif

#include <__clang_cuda_builtin_vars.h>

#define CLEM_CONVERSIONS(variable)                                                                 \
    __attribute__((device)) inline __cuda_builtin_##variable##_t::operator dim3() const            \
    {                                                                                              \
        return dim3(x, y, z);                                                                      \
    }                                                                                              \
    __attribute__((device)) inline __cuda_builtin_##variable##_t::operator uint3() const           \
    {                                                                                              \
        return uint3{x, y, z};                                                                     \
    }
CLEM_CONVERSIONS(threadIdx)
CLEM_CONVERSIONS(blockIdx)
CLEM_CONVERSIONS(blockDim)
CLEM_CONVERSIONS(gridDim)
#undef CLEM_CONVERSIONS

#endif

#endif
