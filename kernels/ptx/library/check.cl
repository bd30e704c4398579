/* Each access of a kernel that is checked.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* OpenCL C has no pointers to functions, so the call is written out, with all that a function of C may change. On x86-64 it is
 * made from a stack as functions want it, beyond what the compiler may keep below its end. */
#if defined(__AVX512F__)
#define CLEM_CHECK_VECTORS                                                                         \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",    \
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",  \
        "k7"
#else
#define CLEM_CHECK_VECTORS
#endif

#if defined(__x86_64__)
#define CLEM_CHECK_CALL_SIX(function, a, b, c, d, e, f, answer)                                    \
    do {                                                                                           \
        ulong clem_a = (a), clem_b = (b), clem_c = (c), clem_d = (d);                              \
        __asm__ volatile("movq %%rsp, %%r12\n\t"                                                   \
                         "subq $256, %%rsp\n\t"                                                    \
                         "andq $-64, %%rsp\n\t"                                                    \
                         "movq %6, %%r8\n\t"                                                       \
                         "movq %7, %%r9\n\t"                                                       \
                         "call *%%rax\n\t"                                                         \
                         "movq %%r12, %%rsp"                                                       \
                         : "=a"(answer), "+D"(clem_a), "+S"(clem_b), "+d"(clem_c), "+c"(clem_d)    \
                         : "0"(function), "r"((ulong)(e)), "r"((ulong)(f))                         \
                         : "r8", "r9", "r10", "r11", "r12", "memory", "cc", "xmm0", "xmm1",        \
                           "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",         \
                           "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",                            \
                           "xmm15" CLEM_CHECK_VECTORS);                                            \
    } while (0)
#define CLEM_CHECK_CALL(function, call, answer)                                                    \
    __asm__ volatile("movq %%rsp, %%r12\n\t"                                                       \
                     "subq $256, %%rsp\n\t"                                                        \
                     "andq $-64, %%rsp\n\t"                                                        \
                     "call *%%rax\n\t"                                                             \
                     "movq %%r12, %%rsp"                                                           \
                     : "=a"(answer), "+D"(call)                                                    \
                     : "0"(function)                                                               \
                     : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "memory", "cc",       \
                       "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",     \
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",                        \
                       "xmm15" CLEM_CHECK_VECTORS)
#elif defined(__aarch64__)
#define CLEM_CHECK_CALL_SIX(function, a, b, c, d, e, f, answer) (answer) = 0ul /* none is plain */
#define CLEM_CHECK_CALL(function, call, answer)                                                    \
    __asm__ volatile("mov x16, %2\n\t"                                                             \
                     "mov x0, %1\n\t"                                                              \
                     "blr x16\n\t"                                                                 \
                     "mov %0, x0"                                                                  \
                     : "=&r"(answer)                                                               \
                     : "r"(call), "r"(function)                                                    \
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",   \
                       "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x30", "memory", "cc",     \
                       "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",   \
                       "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",       \
                       "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31")
#endif

static CLEM_ALONE ulong clem_check(ulong launch, ulong what, ulong site, ulong address,
                                   ulong thread, ulong block, ulong shared, ulong stack,
                                   ulong value, ulong more)
{
    struct clem_check_call call = {launch, what,  site, address, thread, block, shared,
                                   stack,  value, more, 0ul,     0ul,    0ul};
    const ulong function = ((__global const struct clem_check_launch *)launch)->function;
    ulong at = (ulong)&call, answer;
    CLEM_CHECK_CALL(function, at, answer);
    return answer;
}

static CLEM_ALONE ulong clem_check_values(ulong launch, ulong what, ulong site, ulong address,
                                          ulong thread, ulong block, ulong shared, ulong stack,
                                          ulong value, ulong more, ulong registers, ulong others,
                                          ulong base)
{
    struct clem_check_call call = {launch, what,  site, address,   thread, block, shared,
                                   stack,  value, more, registers, others, base};
    const ulong function = ((__global const struct clem_check_launch *)launch)->function;
    ulong at = (ulong)&call, answer;
    CLEM_CHECK_CALL(function, at, answer);
    return answer;
}

/* ---- Without a call ---- */

#define CLEM_SELDOM(condition) __builtin_expect((condition), 0)

/* Whether as many bytes as 1 << size, up to 16, were written; kind: a store writes them. */
static inline bool clem_check_written(ulong written, uint size, uint kind)
{
    switch (size) {
    case 0u:
        if (kind == CLEM_CHECK_STORE)
            *(__global uchar *)written = (uchar)CLEM_CHECK_WRITTEN;
        return *(__global const uchar *)written == (uchar)CLEM_CHECK_WRITTEN;
    case 1u:
        if (kind == CLEM_CHECK_STORE)
            *(__global ushort *)written = (ushort)CLEM_CHECK_WRITTEN;
        return *(__global const ushort *)written == (ushort)CLEM_CHECK_WRITTEN;
    case 2u:
        if (kind == CLEM_CHECK_STORE)
            *(__global uint *)written = (uint)CLEM_CHECK_WRITTEN;
        return *(__global const uint *)written == (uint)CLEM_CHECK_WRITTEN;
    case 3u:
        if (kind == CLEM_CHECK_STORE)
            *(__global ulong *)written = CLEM_CHECK_WRITTEN;
        return *(__global const ulong *)written == CLEM_CHECK_WRITTEN;
    default:
        if (kind == CLEM_CHECK_STORE)
            *(__global ulong2 *)written = (ulong2)(CLEM_CHECK_WRITTEN);
        return ((*(__global const ulong2 *)written).x ^ CLEM_CHECK_WRITTEN |
                (*(__global const ulong2 *)written).y ^ CLEM_CHECK_WRITTEN) == 0ul;
    }
}

/* Whether an access is right as far as memory and init go, and done with. An offset turned by `size` bits is small only where it
 * is a multiple. */
static inline bool clem_check_global(ulong launch, ulong address, uint size, uint kind)
{
    __global const struct clem_check_launch *const head =
        (__global const struct clem_check_launch *)launch;
    __global const struct clem_check_memory *const memory =
        (__global const struct clem_check_memory *)((__global const ulong *)
                                                        head->memory)[CLEM_CHECK_PLACE(address)];
    const ulong at = address - memory->base;
    if (rotate(at, 64ul - size) >= memory->bytes >> size)
        return false;
    const ulong written = memory->written; /* which the host may change at any time */
    return !(CLEM_CHECKS & 2) || written == 0ul || clem_check_written(written + at, size, kind);
}

static inline bool clem_check_shared(ulong launch, ulong shadow, uint at, uint size, uint kind)
{
    __global const struct clem_check_launch *const head =
        (__global const struct clem_check_launch *)launch;
    if (rotate(at, 32u - size) >= (uint)head->shared_bytes >> size)
        return false;
    return !(CLEM_CHECKS & 2) || shadow == 0ul || clem_check_written(shadow + at, size, kind);
}

static inline bool clem_check_local(ulong launch, ulong shadow, uint at, uint size, uint kind)
{
    __global const struct clem_check_launch *const head =
        (__global const struct clem_check_launch *)launch;
    if (rotate(at, 32u - size) >= (uint)head->local_bytes >> size)
        return false;
    return !(CLEM_CHECKS & 2) || clem_check_written(shadow + at, size, kind);
}

static inline bool clem_check_generic(ulong launch, ulong shadow, ulong locals, ulong address,
                                      uint size, uint kind)
{
    if (clem_is_shared(address))
        return clem_check_shared(launch, shadow, (uint)address, size, kind);
    if (clem_is_local(address))
        return clem_check_local(launch, locals, (uint)address, size, kind);
    return clem_check_global(launch, address, size, kind);
}

/* Whether the bytes that a store writes are there already. */
static inline ulong clem_check_same(ulong address, ulong value, uint size)
{
    const bool is_same = size == 0u   ? *(__global const uchar *)address == (uchar)value
                         : size == 1u ? *(__global const ushort *)address == (ushort)value
                         : size == 2u ? *(__global const uint *)address == (uint)value
                                      : *(__global const ulong *)address == value;
    return is_same ? (ulong)CLEM_CHECK_SAME << 24 : 0ul;
}

/* ---- Races ---- */

/* What the host is told of a plain load or store: whether it is done with, as far as races go. */
static CLEM_ALONE bool clem_race_tell(ulong launch, ulong what, ulong site, ulong address, ulong thread,
                                      ulong block)
{
    const ulong function = ((__global const struct clem_check_launch *)launch)->access;
    ulong answer;
    CLEM_CHECK_CALL_SIX(function, launch, what, site, address, thread, block, answer);
    return answer != 0ul;
}

CLEM_RACE_INLINE bool clem_race_check(ulong launch, ulong what, ulong site, ulong address, ulong thread,
                                      ulong block, bool writes, bool is_shared)
{
    const bool is_right = clem_race_enter(launch) &&
                          clem_race_look_at((__global const struct clem_check_launch *)launch, what, site,
                                            is_shared ? (ulong)(uint)address : address, thread, block, writes,
                                            is_shared);
    clem_race_leave(launch);
    return is_right || clem_race_tell(launch, what, site, address, thread, block);
}

#define CLEM_RACE_PLAIN(name, writes, is_shared)                                                   \
    static CLEM_ALONE bool name(ulong launch, ulong what, ulong site, ulong address, ulong thread, \
                                ulong block)                                                       \
    {                                                                                              \
        return clem_race_check(launch, what, site, address, thread, block, writes, is_shared);     \
    }

/* Defines clem_check_global_load clem_check_global_store clem_check_shared_load clem_check_shared_store */
/* Plain loads and stores: whether they are done with, as far as races go. */
CLEM_RACE_PLAIN(clem_check_global_load, false, false)
CLEM_RACE_PLAIN(clem_check_global_store, true, false)
CLEM_RACE_PLAIN(clem_check_shared_load, false, true)
CLEM_RACE_PLAIN(clem_check_shared_store, true, true)

static CLEM_ALONE bool clem_check_generic_load(ulong launch, ulong what, ulong site, ulong address, ulong thread,
                                               ulong block)
{
    return clem_is_local(address) || (clem_is_shared(address)
                                          ? clem_check_shared_load(launch, what, site, address, thread, block)
                                          : clem_check_global_load(launch, what, site, address, thread, block));
}

#define CLEM_FOLLOWS(launch)                                                                       \
    (((volatile __global const struct clem_check_launch *)(launch))->followed != 0ul)

/* What lies behind a thread's bytes is nobody's. */
#define CLEM_AND_MARGIN(bytes) ((bytes) > ~16ul ? (bytes) : (bytes) + 16ul)

static inline ulong clem_checked_made(ulong made, ulong bytes, ulong launch, ulong site,
                                      ulong thread, ulong block)
{
    (void)clem_check(launch, CLEM_CHECK_GLOBAL << 8 | CLEM_CHECK_MALLOC, site, made, thread, block,
                     0ul, 0ul, bytes, 0ul);
    return made;
}

static inline ulong clem_checked_malloc(__global struct clem_runtime *runtime, ulong bytes,
                                        uint seed, ulong launch, ulong site, ulong thread,
                                        ulong block)
{
    return clem_checked_made(clem_malloc(runtime, CLEM_AND_MARGIN(bytes), seed), bytes, launch,
                             site, thread, block);
}

static inline ulong clem_checked_aligned_malloc(__global struct clem_runtime *runtime, ulong bytes,
                                                ulong alignment, uint seed, ulong launch,
                                                ulong site, ulong thread, ulong block)
{
    return clem_checked_made(clem_aligned_malloc(runtime, CLEM_AND_MARGIN(bytes), alignment, seed),
                             bytes, launch, site, thread, block);
}

/* What is not to be freed becomes 0. */
static inline void clem_checked_free(__global struct clem_runtime *runtime, ulong address,
                                     ulong launch, ulong site, ulong thread, ulong block)
{
    clem_free(runtime, clem_check(launch, CLEM_CHECK_GLOBAL << 8 | CLEM_CHECK_FREE, site, address,
                                  thread, block, 0ul, 0ul, 0ul, 0ul));
}

/* cudaMalloc() and cudaFree() of kernels. */
static inline uint clem_checked_launch_malloc(__global struct clem_launches *launches,
                                              __global struct clem_runtime *runtime, ulong to,
                                              ulong bytes, ulong2 at, __local uchar *shared,
                                              CLEM_LOCAL uchar *stack, ulong launch, ulong site,
                                              ulong thread, ulong block)
{
    if (!launches || !runtime)
        return CLEM_LAUNCH_OK;
    if (to == 0ul || bytes == 0ul)
        return clem_launch_fail(launches, at, CLEM_LAUNCH_VALUE);
    return clem_launch_give(
        launches, to,
        clem_checked_malloc(runtime, bytes, (uint)at.s0, launch, site, thread, block), at, shared,
        stack);
}

/* Launches of kernels: each record has what its launch is told by. */
static inline void clem_checked_record(ulong parameters, uint error, ulong launch, ulong site,
                                       ulong thread, ulong block)
{
    if (error == CLEM_LAUNCH_OK && parameters != 0ul)
        ((__global struct clem_launch_record *)parameters - 1)->told =
            clem_check(launch, CLEM_CHECK_GLOBAL << 8 | CLEM_CHECK_LAUNCH, site, 0ul, thread, block,
                       0ul, 0ul, 0ul, 0ul);
}

static inline uint clem_checked_launch_begin(__global struct clem_launches *launches,
                                             ulong parameters, ulong stream, ulong2 at,
                                             ulong launch, ulong site, ulong thread, ulong block)
{
    const uint error = clem_launch_begin(launches, parameters, stream, at);
    if (launches)
        clem_checked_record(parameters, error, launch, site, thread, block);
    return error;
}

static inline uint clem_checked_launch_begin_of(__global struct clem_launches *launches,
                                                ulong function, ulong parameters, uint grid_x,
                                                uint grid_y, uint grid_z, uint block_x,
                                                uint block_y, uint block_z, uint shared,
                                                ulong stream, ulong2 at, ulong launch, ulong site,
                                                ulong thread, ulong block)
{
    if (launches && parameters == 0ul)
        parameters = clem_launch_room_of(launches, 1ul, 0ul, at);
    const uint error = clem_launch_begin_of(launches, function, parameters, grid_x, grid_y, grid_z,
                                            block_x, block_y, block_z, shared, stream, at);
    if (launches)
        clem_checked_record(parameters, error, launch, site, thread, block);
    return error;
}

static inline uint clem_checked_launch_free(__global struct clem_launches *launches,
                                            __global struct clem_runtime *runtime, ulong address,
                                            ulong2 at, ulong launch, ulong site, ulong thread,
                                            ulong block)
{
    if (runtime)
        clem_checked_free(runtime, address, launch, site, thread, block);
    return CLEM_LAUNCH_OK;
}
