/* Sums of an array, modulo 2^32: trees over a group's items, and runs of memory.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       the trees write one sum per group of 256 items: sums[group].
 *              reduce_interleaved: items 0, 2, 4, ... add, then 0, 4, 8, ...: neighbours diverge.
 *              reduce_strided: the first items add at twice the stride each time: banks conflict.
 *              reduce_sequential: the first half adds the second half.
 *              reduce_first_add: as sequential, each item adds two words while it loads.
 *              reduce_unrolled: as first_add with the tree written out. Every step keeps its
 *              barrier: a group's last items need not run in step.
 *              reduce_sub_group: as first_add; items of a sub-group add without local memory.
 *              reduce_wide: each item adds 8 words of 16 bytes, a group apart, then as sequential.
 *              reduce_wide_sub_group: the same with sub-groups.
 *              reduce_chunked: item i adds the words of 16 bytes from i * chunk on, without a group:
 *              sums[item].
 * Index space: one item per word; first_add, unrolled and sub_group: per two words; wide: per 32
 *              words; chunked: any number of items, words = 4 * chunk * items.
 * Moves:       4 bytes per word.
 * Rows:        S2-03.
 */
#include "access.h"

#define REDUCE_GROUP 256

__kernel void VARIANT(reduce_interleaved)(__global const uint *restrict source,
                                          __global uint *restrict sums)
{
    __local uint partial[REDUCE_GROUP];
    uint item = (uint)get_local_id(0);
    partial[item] = source[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < REDUCE_GROUP; step *= 2) {
        if (item % (2 * step) == 0)
            partial[item] += partial[item + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

__kernel void VARIANT(reduce_strided)(__global const uint *restrict source,
                                      __global uint *restrict sums)
{
    __local uint partial[REDUCE_GROUP];
    uint item = (uint)get_local_id(0);
    partial[item] = source[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < REDUCE_GROUP; step *= 2) {
        uint place = 2 * step * item;
        if (place < REDUCE_GROUP)
            partial[place] += partial[place + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

/* The tree whose loads have no conflicts: partial is filled, and no barrier was passed since. */
#define REDUCE_TREE(partial, item)                                                                 \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    for (uint step = REDUCE_GROUP / 2; step > 0; step /= 2) {                                      \
        if (item < step)                                                                           \
            partial[item] += partial[item + step];                                                 \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    }

__kernel void VARIANT(reduce_sequential)(__global const uint *restrict source,
                                         __global uint *restrict sums)
{
    __local uint partial[REDUCE_GROUP];
    uint item = (uint)get_local_id(0);
    partial[item] = source[get_global_id(0)];
    REDUCE_TREE(partial, item)
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

__kernel void VARIANT(reduce_first_add)(__global const uint *restrict source,
                                        __global uint *restrict sums)
{
    __local uint partial[REDUCE_GROUP];
    uint item = (uint)get_local_id(0);
    __global const uint *from = source + get_group_id(0) * (2 * REDUCE_GROUP) + item;
    partial[item] = from[0] + from[REDUCE_GROUP];
    REDUCE_TREE(partial, item)
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

#define REDUCE_STEP(count)                                                                         \
    if (item < (count))                                                                            \
        partial[item] += partial[item + (count)];                                                  \
    barrier(CLK_LOCAL_MEM_FENCE);

__kernel void VARIANT(reduce_unrolled)(__global const uint *restrict source,
                                       __global uint *restrict sums)
{
    __local uint partial[REDUCE_GROUP];
    uint item = (uint)get_local_id(0);
    __global const uint *from = source + get_group_id(0) * (2 * REDUCE_GROUP) + item;
    partial[item] = from[0] + from[REDUCE_GROUP];
    barrier(CLK_LOCAL_MEM_FENCE);
    REDUCE_STEP(128)
    REDUCE_STEP(64)
    REDUCE_STEP(32)
    REDUCE_STEP(16)
    REDUCE_STEP(8)
    REDUCE_STEP(4)
    REDUCE_STEP(2)
    if (item == 0)
        sums[get_group_id(0)] = partial[0] + partial[1];
}

__kernel void VARIANT(reduce_wide)(__global const uint4 *restrict source,
                                   __global uint *restrict sums)
{
    __local uint partial[REDUCE_GROUP];
    uint item = (uint)get_local_id(0);
    __global const uint4 *from = source + get_group_id(0) * (8 * REDUCE_GROUP) + item;
    uint4 sum = (uint4)(0);
#pragma unroll
    for (uint k = 0; k < 8; ++k)
        sum += from[k * REDUCE_GROUP];
    partial[item] = sum.x + sum.y + sum.z + sum.w;
    REDUCE_TREE(partial, item)
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

/* The sum over a sub-group, in all of its items or at least in the first. NVIDIA's OpenCL has no
 * sub-groups, and AMD's has them in OpenCL C 2.0 alone, but their compilers know the instructions; the checked sums prove
 * that those did their work. */
#if defined(__CUDACC__)
#define REDUCE_HAS_SUB_GROUPS
FUNCTION uint VARIANT(sub_group_sum)(uint value)
{
    for (uint step = 16; step > 0; step /= 2)
        value += __shfl_down_sync(0xFFFFFFFFu, value, step);
    return value;
}
#define SUB_GROUP      (get_local_id(0) / 32)
#define SUB_GROUP_ITEM (get_local_id(0) % 32)
#define SUB_GROUPS     (REDUCE_GROUP / 32)
#elif defined(__NV_CL_C_VERSION)
#define REDUCE_HAS_SUB_GROUPS
FUNCTION uint VARIANT(sub_group_sum)(uint value)
{
    for (uint step = 16; step > 0; step /= 2) {
        uint other;
        __asm__ volatile("shfl.sync.down.b32 %0, %1, %2, 31, 0xFFFFFFFF;"
                         : "=r"(other)
                         : "r"(value), "r"(step));
        value += other;
    }
    return value;
}
#define SUB_GROUP      (get_local_id(0) / 32)
#define SUB_GROUP_ITEM (get_local_id(0) % 32)
#define SUB_GROUPS     (REDUCE_GROUP / 32)
#elif defined(__AMDGCN__) && !defined(cl_khr_subgroups)
#define REDUCE_HAS_SUB_GROUPS
/* The compiler's macro for the size says 64 also where it is 32; its library knows. */
extern const __constant uchar __oclc_wavefrontsize64;
#define AMD_WAVE (__oclc_wavefrontsize64 ? 64u : 32u)
FUNCTION uint VARIANT(sub_group_sum)(uint value)
{
    int lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
    for (int step = (int)AMD_WAVE / 2; step > 0; step /= 2)
        value += (uint)__builtin_amdgcn_ds_bpermute((lane ^ step) * 4, (int)value);
    return value;
}
#define SUB_GROUP      (get_local_id(0) / AMD_WAVE)
#define SUB_GROUP_ITEM (get_local_id(0) % AMD_WAVE)
#define SUB_GROUPS     (REDUCE_GROUP / AMD_WAVE)
#elif defined(cl_khr_subgroups) || defined(cl_intel_subgroups)
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#else
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#endif
#define REDUCE_HAS_SUB_GROUPS
FUNCTION uint VARIANT(sub_group_sum)(uint value)
{
    return sub_group_reduce_add(value);
}
#define SUB_GROUP      get_sub_group_id()
#define SUB_GROUP_ITEM get_sub_group_local_id()
#define SUB_GROUPS     get_num_sub_groups()
#endif

#ifdef REDUCE_HAS_SUB_GROUPS

/* A sum per sub-group, of which the first item then adds the few that there are. */
#define SUB_GROUP_TREE(partial, value)                                                             \
    value = VARIANT(sub_group_sum)(value);                                                         \
    if (SUB_GROUP_ITEM == 0)                                                                       \
        partial[SUB_GROUP] = value;                                                                \
    barrier(CLK_LOCAL_MEM_FENCE);                                                                  \
    if (get_local_id(0) == 0)                                                                      \
        for (uint other = 1; other < SUB_GROUPS; ++other)                                          \
            partial[0] += partial[other];

__kernel void VARIANT(reduce_sub_group)(__global const uint *restrict source,
                                        __global uint *restrict sums)
{
    __local uint partial[REDUCE_GROUP];
    uint item = (uint)get_local_id(0);
    __global const uint *from = source + get_group_id(0) * (2 * REDUCE_GROUP) + item;
    uint value = from[0] + from[REDUCE_GROUP];
    SUB_GROUP_TREE(partial, value)
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

__kernel void VARIANT(reduce_wide_sub_group)(__global const uint4 *restrict source,
                                             __global uint *restrict sums)
{
    __local uint partial[REDUCE_GROUP];
    uint item = (uint)get_local_id(0);
    __global const uint4 *from = source + get_group_id(0) * (8 * REDUCE_GROUP) + item;
    uint4 wide = (uint4)(0);
#pragma unroll
    for (uint k = 0; k < 8; ++k)
        wide += from[k * REDUCE_GROUP];
    uint value = wide.x + wide.y + wide.z + wide.w;
    SUB_GROUP_TREE(partial, value)
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

#endif

__kernel void VARIANT(reduce_chunked)(__global const uint4 *restrict source,
                                      __global uint *restrict sums, ulong chunk)
{
    __global const uint4 *from = source + get_global_id(0) * chunk;
    /* Four sums, because one would wait for itself at every addition. */
    uint4 a = (uint4)(0), b = (uint4)(0), c = (uint4)(0), d = (uint4)(0);
    for (size_t i = 0; i < chunk; i += 4) {
        a += from[i];
        b += from[i + 1];
        c += from[i + 2];
        d += from[i + 3];
    }
    a += b + c + d;
    sums[get_global_id(0)] = a.x + a.y + a.z + a.w;
}

#ifdef CLEM_DEVICE_IS_CPU

/* As reduce_chunked with a whole cache line in each sum. */
__kernel void VARIANT(reduce_lines)(__global const uint16 *restrict source,
                                    __global uint *restrict sums, ulong chunk)
{
    __global const uint16 *from = source + get_global_id(0) * (chunk / 4);
    uint16 a = (uint16)(0), b = (uint16)(0), c = (uint16)(0), d = (uint16)(0);
    for (size_t i = 0; i < chunk / 4; i += 4) {
        a += from[i];
        b += from[i + 1];
        c += from[i + 2];
        d += from[i + 3];
    }
    a += b + c + d;
    uint8 e = a.lo + a.hi;
    uint4 f = e.lo + e.hi;
    sums[get_global_id(0)] = f.x + f.y + f.z + f.w;
}

#endif
