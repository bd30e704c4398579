/* Memory as PTX sees it: any bytes, under any type. CLEM_LOCAL is the address space that .local memory is kept in.
 * SPDX-License-Identifier: Apache-2.0 */

typedef uchar clem_u8_a __attribute__((may_alias));
typedef char clem_s8_a __attribute__((may_alias));
typedef ushort clem_u16_a __attribute__((may_alias));
typedef short clem_s16_a __attribute__((may_alias));
typedef uint clem_u32_a __attribute__((may_alias));
typedef int clem_s32_a __attribute__((may_alias));
typedef ulong clem_u64_a __attribute__((may_alias));
typedef long clem_s64_a __attribute__((may_alias));
typedef float clem_f32_a __attribute__((may_alias));

typedef double clem_f64_a __attribute__((may_alias));

typedef uchar2 clem_u8x2_a __attribute__((may_alias));
typedef uchar4 clem_u8x4_a __attribute__((may_alias));
typedef uchar8 clem_u8x8_a __attribute__((may_alias));
typedef ushort2 clem_u16x2_a __attribute__((may_alias));
typedef ushort4 clem_u16x4_a __attribute__((may_alias));
typedef ushort8 clem_u16x8_a __attribute__((may_alias));
typedef uint2 clem_u32x2_a __attribute__((may_alias));
typedef uint4 clem_u32x4_a __attribute__((may_alias));
typedef uint8 clem_u32x8_a __attribute__((may_alias));
typedef ulong2 clem_u64x2_a __attribute__((may_alias));
typedef ulong4 clem_u64x4_a __attribute__((may_alias));
typedef ulong8 clem_u64x8_a __attribute__((may_alias));
typedef float2 clem_f32x2_a __attribute__((may_alias));
typedef float4 clem_f32x4_a __attribute__((may_alias));
typedef float8 clem_f32x8_a __attribute__((may_alias));

typedef double2 clem_f64x2_a __attribute__((may_alias));
typedef double4 clem_f64x4_a __attribute__((may_alias));

/* Generic addresses. Global ones are themselves; those of shared and local memory have an upper
 * half that no device's addresses have, and the offset in their window below. */
#define CLEM_SHARED_WINDOW 0x7fff0001ul

#define CLEM_LOCAL_WINDOW 0x7fff0002ul

#define clem_shared_to_generic(a) ((CLEM_SHARED_WINDOW << 32) | (ulong)(uint)(a))

#define clem_local_to_generic(a) ((CLEM_LOCAL_WINDOW << 32) | (ulong)(uint)(a))

/* Differences: a null pointer becomes none of the window's addresses, though 0 is one of them. */
#define clem_generic_to_shared(a) ((ulong)(a) - (CLEM_SHARED_WINDOW << 32))

#define clem_generic_to_local(a) ((ulong)(a) - (CLEM_LOCAL_WINDOW << 32))

#define clem_is_shared(a) ((a) >> 32 == CLEM_SHARED_WINDOW)

#define clem_is_local(a) ((a) >> 32 == CLEM_LOCAL_WINDOW)

/* A T at a generic address that is known only now. `shared` and `local` are the windows. */
#define clem_generic_load(Q, T, a, shared, local)                                                  \
    (clem_is_shared(a)  ? *(Q __local T *)((shared) + (uint)(a))                                   \
     : clem_is_local(a) ? *(Q CLEM_LOCAL T *)((local) + (uint)(a))                                 \
                        : *(Q __global T *)(a))

#define clem_generic_store(Q, T, a, shared, local, value)                                          \
    do {                                                                                           \
        if (clem_is_shared(a))                                                                     \
            *(Q __local T *)((shared) + (uint)(a)) = (value);                                      \
        else if (clem_is_local(a))                                                                 \
            *(Q CLEM_LOCAL T *)((local) + (uint)(a)) = (value);                                    \
        else                                                                                       \
            *(Q __global T *)(a) = (value);                                                        \
    } while (0)

/* cp.async: `size` bytes at d, of which the first `from` come from s and the others are zero. */
static inline void clem_copy_async(__local uchar *d, const __global uchar *s, uint size, uint from)
{
    for (uint i = 0; i < size; i++)
        d[i] = i < from ? s[i] : (uchar)0;
}

/* cp.async.bulk: 16 bytes after 16 bytes. */
#define CLEM_COPY_BULK(NAME, TO, FROM)                                                             \
    static inline void NAME(TO ulong2 *to, const FROM ulong2 *from, uint bytes)                    \
    {                                                                                              \
        for (uint i = 0; i < bytes / 16u; i++)                                                     \
            to[i] = from[i];                                                                       \
    }

/* Defines clem_copy_bulk_in clem_copy_bulk_out clem_copy_bulk_within */
CLEM_COPY_BULK(clem_copy_bulk_in, __local, __global)
CLEM_COPY_BULK(clem_copy_bulk_out, __global, __local)
CLEM_COPY_BULK(clem_copy_bulk_within, __local, __local)

/* Fences of all memory. CLEM_FENCE is of the text's head: mem_fence() is all that OpenCL C 1.2 has, and where it is
 * nothing, C's fence of that order (4: acquire and release, 5: sequentially consistent) stands in. */
#define clem_fence() CLEM_FENCE(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, 5)

#define clem_fence_acq_rel() CLEM_FENCE(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, 4)

/* Of global memory, before and behind what marks it as done. */
#define clem_fence_global() CLEM_FENCE(CLK_GLOBAL_MEM_FENCE, 4)

/* Between threads that one thread of the host runs: its compiler only must not reorder. */
#define clem_fence_compiler() __atomic_signal_fence(5)

/* The same as PTX, where inline asm is PTX. */
#define clem_native_fence_cta() __asm__ volatile("membar.cta;" ::: "memory")

#define clem_native_fence_gpu() __asm__ volatile("membar.gl;" ::: "memory")

#define clem_native_fence_sys() __asm__ volatile("membar.sys;" ::: "memory")
