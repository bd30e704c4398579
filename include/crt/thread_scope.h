/* thread_scope.h: what cuda/barrier and cuda/pipeline share: which threads see an operation, words that such threads change
 * together, sizes with an alignment. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_THREAD_SCOPE_H
#define CLEM_CRT_THREAD_SCOPE_H

#include "device_functions.h"

/* Source: CUDA C++ Programming Guide 13.0, Asynchronous Data Copies; libcu++ 3.0, Thread Scopes. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_BOTH __host__ __device__ __inline__ __attribute__((always_inline))

namespace cuda
{

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread
};

namespace std
{

using size_t = decltype(sizeof 0);
using ptrdiff_t = decltype(static_cast<char *>(nullptr) - static_cast<char *>(nullptr));

template <class T> struct clem_no_reference {
    typedef T type;
};
template <class T> struct clem_no_reference<T &> {
    typedef T type;
};
template <class T> struct clem_no_reference<T &&> {
    typedef T type;
};
template <class T>
CLEM_BOTH constexpr typename clem_no_reference<T>::type &&move(T &&value) noexcept
{
    return static_cast<typename clem_no_reference<T>::type &&>(value);
}

} // namespace std

/* A count of bytes that is a multiple of Alignment, as are the addresses that it is said of. */
template <std::size_t Alignment> struct aligned_size_t {
    static_assert(Alignment != 0 && (Alignment & (Alignment - 1)) == 0,
                  "an alignment is a power of 2");
    static constexpr std::size_t align = Alignment;
    std::size_t value;
    CLEM_BOTH constexpr explicit aligned_size_t(std::size_t bytes) : value(bytes)
    {
    }
    CLEM_BOTH constexpr operator std::size_t() const
    {
        return value;
    }
};

/* ---- words that several threads change ------------------------------------------------------ */

/* Of the scope's threads, those of the host among them: adds and returns what was there before, both ways in order with
 * what stands around it; and looks, in order with what follows. */
#define CLEM_SCOPE(NAME, WORD)                                                                     \
    template <> struct clem_words<NAME> {                                                          \
        __device__ static __inline__ unsigned long long add(unsigned long long *word,              \
                                                            unsigned long long value)              \
        {                                                                                          \
            unsigned long long before;                                                             \
            __asm__ __volatile__("atom.add.acq_rel." WORD ".u64 %0, [%1], %2;"                     \
                                 : "=l"(before)                                                    \
                                 : "l"(word), "l"(value)                                           \
                                 : "memory");                                                      \
            return before;                                                                         \
        }                                                                                          \
        __device__ static __inline__ unsigned long long look(const unsigned long long *word)       \
        {                                                                                          \
            unsigned long long now;                                                                \
            __asm__ __volatile__("ld.acquire." WORD ".u64 %0, [%1];"                               \
                                 : "=l"(now)                                                       \
                                 : "l"(word)                                                       \
                                 : "memory");                                                      \
            return now;                                                                            \
        }                                                                                          \
    };

template <thread_scope Scope> struct clem_words;
#if defined(__CUDA_ARCH__)
CLEM_SCOPE(thread_scope_system, "sys")
CLEM_SCOPE(thread_scope_device, "gpu")
CLEM_SCOPE(thread_scope_block, "cta")
CLEM_SCOPE(thread_scope_thread, "cta")
#else
template <thread_scope Scope> struct clem_words {
    __host__ __device__ static __inline__ unsigned long long add(unsigned long long *word,
                                                                 unsigned long long value)
    {
        return __atomic_fetch_add(word, value, 4 /* acquire and release */);
    }
    __host__ __device__ static __inline__ unsigned long long look(const unsigned long long *word)
    {
        return __atomic_load_n(word, 2 /* acquire */);
    }
};
#endif

#undef CLEM_SCOPE

/* ---- copies --------------------------------------------------------------------------------- */

/* A thread's part of a copy by `size` threads, of which it is number `rank`: whole elements of T, then bytes. */
template <class T>
CLEM_BOTH void clem_copy_part(void *to, const void *from, std::size_t bytes, std::size_t rank,
                              std::size_t size)
{
    const std::size_t count = bytes / sizeof(T);
    for (std::size_t i = rank; i < count; i += size)
        static_cast<T *>(to)[i] = static_cast<const T *>(from)[i];
    for (std::size_t i = count * sizeof(T) + rank; i < bytes; i += size)
        static_cast<char *>(to)[i] = static_cast<const char *>(from)[i];
}

struct alignas(16) clem_sixteen_bytes {
    unsigned long long word[2];
};

/* What is known of the alignment only when the program runs. */
CLEM_BOTH std::size_t clem_alignment_of(const void *to, const void *from)
{
    const std::size_t bits =
        reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from);
    return (bits & 15) == 0 ? 16 : (bits & 7) == 0 ? 8 : (bits & 3) == 0 ? 4 : 1;
}

CLEM_BOTH void clem_copy_by(std::size_t alignment, void *to, const void *from, std::size_t bytes,
                            std::size_t rank, std::size_t size)
{
    if (alignment >= 16)
        clem_copy_part<clem_sixteen_bytes>(to, from, bytes, rank, size);
    else if (alignment >= 8)
        clem_copy_part<unsigned long long>(to, from, bytes, rank, size);
    else if (alignment >= 4)
        clem_copy_part<unsigned int>(to, from, bytes, rank, size);
    else
        clem_copy_part<char>(to, from, bytes, rank, size);
}

CLEM_BOTH void clem_copy(void *to, const void *from, std::size_t bytes, std::size_t rank,
                         std::size_t size)
{
    clem_copy_by(clem_alignment_of(to, from), to, from, bytes, rank, size);
}
template <std::size_t Alignment>
CLEM_BOTH void clem_copy(void *to, const void *from, aligned_size_t<Alignment> bytes,
                         std::size_t rank, std::size_t size)
{
    clem_copy_by(Alignment, to, from, bytes.value, rank, size);
}

} // namespace cuda

#endif

#endif
