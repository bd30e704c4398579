/* cuda_awbarrier_primitives.h: barriers in shared memory at which a thread arrives first and waits later. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_

#include "crt/device_functions.h"

/* Source: CUDA C++ Programming Guide 13.0, Memory Barrier Primitives Interface; PTX ISA 9.0, mbarrier. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;

static __inline__ __host__ __device__ unsigned int __mbarrier_maximum_count()
{
    return (1u << 20) - 1;
}

static __inline__ __device__ void __mbarrier_init(__mbarrier_t *barrier,
                                                  unsigned int expected_count)
{
    __asm__ __volatile__("mbarrier.init.b64 [%0], %1;" ::"l"(barrier), "r"(expected_count)
                         : "memory");
}
static __inline__ __device__ void __mbarrier_inval(__mbarrier_t *barrier)
{
    __asm__ __volatile__("mbarrier.inval.b64 [%0];" ::"l"(barrier) : "memory");
}

/* Arrivals release what their thread wrote, waits acquire it. and_drop: later phases expect one arrival less. */
#define CLEM_ARRIVE(name, instruction)                                                             \
    static __inline__ __device__ __mbarrier_token_t name(__mbarrier_t *barrier)                    \
    {                                                                                              \
        __mbarrier_token_t token;                                                                  \
        __asm__ __volatile__("mbarrier." instruction ".b64 %0, [%1];"                              \
                             : "=l"(token)                                                         \
                             : "l"(barrier)                                                        \
                             : "memory");                                                          \
        return token;                                                                              \
    }
CLEM_ARRIVE(__mbarrier_arrive, "arrive")
CLEM_ARRIVE(__mbarrier_arrive_and_drop, "arrive_drop")
#undef CLEM_ARRIVE

static __inline__ __device__ unsigned int __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    unsigned int count;
    __asm__("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(token));
    return count;
}

/* Whether the phase of the token, or of the parity, is over. */
static __inline__ __device__ bool __mbarrier_test_wait(__mbarrier_t *barrier,
                                                       __mbarrier_token_t token)
{
    int is_over;
    __asm__ __volatile__(
        "{ .reg .pred p; mbarrier.test_wait.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
        : "=r"(is_over)
        : "l"(barrier), "l"(token)
        : "memory");
    return is_over != 0;
}
static __inline__ __device__ bool __mbarrier_test_wait_parity(__mbarrier_t *barrier,
                                                              bool phase_parity)
{
    int is_over;
    __asm__ __volatile__(
        "{ .reg .pred p; mbarrier.test_wait.parity.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
        : "=r"(is_over)
        : "l"(barrier), "r"(static_cast<unsigned int>(phase_parity))
        : "memory");
    return is_over != 0;
}

/* The same, looked at for so many nanoseconds. */
#define CLEM_TRY(name, test, T, what)                                                              \
    static __inline__ __device__ bool name(__mbarrier_t *barrier, T what,                          \
                                           unsigned int max_sleep_nanosec)                         \
    {                                                                                              \
        const unsigned long long start = clem_globaltimer();                                       \
        while (!test(barrier, what))                                                               \
            if (clem_globaltimer() - start >= max_sleep_nanosec)                                   \
                return test(barrier, what);                                                        \
        return true;                                                                               \
    }
CLEM_TRY(__mbarrier_try_wait, __mbarrier_test_wait, __mbarrier_token_t, token)
CLEM_TRY(__mbarrier_try_wait_parity, __mbarrier_test_wait_parity, bool, phase_parity)
#undef CLEM_TRY

#endif

#endif
