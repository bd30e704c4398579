/* library/runtime.cl as C of the host, for kernels in the native form.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/native_runtime.h"
#include "kernels/ptx/host/opencl_c.h"

/* What runtime.cl is written with beside what opencl_c.h has. Generic addresses are the host's. */
struct clem_uint8 {
    uint s0, s1, s2, s3, s4, s5, s6, s7;
};
#define uint8                                     struct clem_uint8
#define __global                                  /* one memory */
#define __local                                   /* for all */
#define CLEM_LOCAL                                /* spaces */
#define clem_generic_load(Q, T, a, shared, local) ((void)(shared), (void)(local), *(Q T *)(a))
#define clem_fence_global()                       __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define atomic_add(p, v)                          __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST)
#define atomic_sub(p, v)                          __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST)
#define atomic_and(p, v)                          __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST)
#define atomic_or(p, v)                           __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST)
#define atomic_inc(p)                             __atomic_fetch_add(p, 1u, __ATOMIC_SEQ_CST)
#define atomic_dec(p)                             __atomic_fetch_sub(p, 1u, __ATOMIC_SEQ_CST)
#define atomic_xchg(p, v)                         __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)

static inline uint atomic_cmpxchg(volatile uint *p, uint expected, uint value)
{
    __atomic_compare_exchange_n(p, &expected, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "kernels/ptx/library/runtime.cl"
#pragma GCC diagnostic pop

enum { LANES = 32 };

static struct clem_runtime *runtime_of(const struct ptx_native_launch *launch)
{
    return (struct clem_runtime *)(uintptr_t)launch->runtime;
}

static uint32_t tid_of(const struct ptx_native_block *block, int axis, int lane)
{
    return ((const uint32_t *)(uintptr_t)block->own_tids)[axis * LANES + lane];
}

#define FOR_LANES(lane)                                                                            \
    for (int lane = 0; lane < LANES; lane++)                                                       \
        if (lanes >> lane & 1u)

void clem_native_vprintf(const struct ptx_native_launch *launch, struct ptx_native_block *block,
                         uint32_t lanes, uint64_t *arguments)
{
    (void)block;
    FOR_LANES(i)
    arguments[i] =
        (uint32_t)clem_vprintf(runtime_of(launch), arguments[i], arguments[LANES + i], NULL, NULL);
}

void clem_native_malloc(const struct ptx_native_launch *launch, struct ptx_native_block *block,
                        uint32_t lanes, uint64_t *arguments)
{
    FOR_LANES(i)
    arguments[i] = clem_malloc(runtime_of(launch), arguments[i],
                               block->index[0] * 1024u + tid_of(block, 0, i));
}

void clem_native_aligned_malloc(const struct ptx_native_launch *launch,
                                struct ptx_native_block *block, uint32_t lanes, uint64_t *arguments)
{
    FOR_LANES(i)
    arguments[i] = clem_aligned_malloc(runtime_of(launch), arguments[i], arguments[LANES + i],
                                       block->index[0] * 1024u + tid_of(block, 0, i));
}

void clem_native_free(const struct ptx_native_launch *launch, struct ptx_native_block *block,
                      uint32_t lanes, uint64_t *arguments)
{
    (void)block;
    FOR_LANES(i)
    clem_free(runtime_of(launch), arguments[i]);
}

void clem_native_assertfail(const struct ptx_native_launch *launch, struct ptx_native_block *block,
                            uint32_t lanes, uint64_t *arguments)
{
    FOR_LANES(i)
    {
        const struct clem_uint8 place = {
            block->index[0],     block->index[1],     block->index[2],     0,
            tid_of(block, 0, i), tid_of(block, 1, i), tid_of(block, 2, i), 0};
        clem_assertfail(runtime_of(launch), arguments[i], arguments[LANES + i],
                        (uint32_t)arguments[2 * LANES + i], arguments[3 * LANES + i], place, NULL,
                        NULL);
    }
}

void clem_native_set_conditional(const struct ptx_native_launch *launch,
                                 struct ptx_native_block *block, uint32_t lanes,
                                 uint64_t *arguments)
{
    (void)block;
    FOR_LANES(i)
    clem_set_conditional((uint *)(uintptr_t)launch->conditions, arguments[i],
                         (uint32_t)arguments[LANES + i]);
}

uint64_t clem_native_clock(uint64_t runtime)
{
    return clem_clock((struct clem_runtime *)(uintptr_t)runtime);
}

void clem_native_trap(const struct ptx_native_launch *launch, uint32_t lanes)
{
    if (lanes)
        clem_trap(runtime_of(launch));
}

void clem_native_stick(const struct ptx_native_launch *launch)
{
    if (launch->runtime)
        clem_trap(runtime_of(launch));
}

bool clem_native_has_failed(const struct ptx_native_launch *launch)
{
    return launch->runtime && clem_has_failed(runtime_of(launch));
}
