/* OpenCL C as far as kernels/access/ uses it, in CUDA C++: one source for both.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Vectors have our own types, because OpenCL's operators and the conversion from a scalar need them;
 * they lie in memory as CUDA's do and are read and written in one piece. */
#ifndef CLEM_BENCH_OPENCL_C_CUH
#define CLEM_BENCH_OPENCL_C_CUH

#ifndef __CUDACC_RTC__
#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>
#endif

#define __kernel   extern "C" __global__
#define __global
#define __constant const
#define __local    __shared__
#define __private
#define restrict   __restrict__
#define FUNCTION   __attribute__((unused)) static __device__ __forceinline__

/* Apart from CUDA's own names. Kernels have C's linkage, so that their names stay what they are. */
namespace opencl_c
{
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned uint;
typedef unsigned long ulong;

#define CLK_LOCAL_MEM_FENCE  1
#define CLK_GLOBAL_MEM_FENCE 2

FUNCTION size_t get_local_id(unsigned d)
{
    return d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : threadIdx.z;
}

FUNCTION size_t get_local_size(unsigned d)
{
    return d == 0 ? blockDim.x : d == 1 ? blockDim.y : blockDim.z;
}

FUNCTION size_t get_group_id(unsigned d)
{
    return d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : blockIdx.z;
}

FUNCTION size_t get_num_groups(unsigned d)
{
    return d == 0 ? gridDim.x : d == 1 ? gridDim.y : gridDim.z;
}

FUNCTION size_t get_global_id(unsigned d)
{
    return get_group_id(d) * get_local_size(d) + get_local_id(d);
}

FUNCTION size_t get_global_size(unsigned d)
{
    return get_num_groups(d) * get_local_size(d);
}

FUNCTION void barrier(unsigned)
{
    __syncthreads();
}

/* Orders what the item's own group sees, as OpenCL 1.2 promises. */
FUNCTION void mem_fence(unsigned)
{
    __threadfence_block();
}

struct alignas(8) uint2 {
    unsigned x, y;
    uint2() = default;
    __device__ uint2(unsigned v) : x(v), y(v) {}
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
    uint4() = default;
    __device__ uint4(unsigned v) : x(v), y(v), z(v), w(v) {}
};
struct alignas(8) float2 {
    float x, y;
    float2() = default;
    __device__ float2(float v) : x(v), y(v) {}
};
struct alignas(16) float4 {
    float x, y, z, w;
    float4() = default;
    __device__ float4(float v) : x(v), y(v), z(v), w(v) {}
};
struct alignas(16) double2 {
    double x, y;
    double2() = default;
    __device__ double2(double v) : x(v), y(v) {}
};

#define OPERATOR2(type, op)                                                                        \
    FUNCTION type operator op(type a, type b)                                                      \
    {                                                                                              \
        type r;                                                                                    \
        r.x = a.x op b.x;                                                                          \
        r.y = a.y op b.y;                                                                          \
        return r;                                                                                  \
    }                                                                                              \
    FUNCTION type &operator op##=(type &a, type b)                                                 \
    {                                                                                              \
        return a = a op b;                                                                         \
    }
#define OPERATOR4(type, op)                                                                        \
    FUNCTION type operator op(type a, type b)                                                      \
    {                                                                                              \
        type r;                                                                                    \
        r.x = a.x op b.x;                                                                          \
        r.y = a.y op b.y;                                                                          \
        r.z = a.z op b.z;                                                                          \
        r.w = a.w op b.w;                                                                          \
        return r;                                                                                  \
    }                                                                                              \
    FUNCTION type &operator op##=(type &a, type b)                                                 \
    {                                                                                              \
        return a = a op b;                                                                         \
    }
OPERATOR2(uint2, +)
OPERATOR2(uint2, -)
OPERATOR2(uint2, *)
OPERATOR2(uint2, ^)
OPERATOR2(uint2, &)
OPERATOR2(uint2, |)
OPERATOR4(uint4, +)
OPERATOR4(uint4, -)
OPERATOR4(uint4, *)
OPERATOR4(uint4, ^)
OPERATOR4(uint4, &)
OPERATOR4(uint4, |)
OPERATOR2(float2, +)
OPERATOR2(float2, -)
OPERATOR2(float2, *)
OPERATOR4(float4, +)
OPERATOR4(float4, -)
OPERATOR4(float4, *)
OPERATOR2(double2, +)
OPERATOR2(double2, -)
OPERATOR2(double2, *)

#define ATOMIC(type)                                                                               \
    FUNCTION type atomic_add(volatile type *p, type v) { return atomicAdd((type *)p, v); }         \
    FUNCTION type atomic_inc(volatile type *p) { return atomicAdd((type *)p, (type)1); }           \
    FUNCTION type atomic_dec(volatile type *p) { return atomicSub((type *)p, (type)1); }           \
    FUNCTION type atomic_sub(volatile type *p, type v) { return atomicSub((type *)p, v); }         \
    FUNCTION type atomic_xchg(volatile type *p, type v) { return atomicExch((type *)p, v); }       \
    FUNCTION type atomic_cmpxchg(volatile type *p, type c, type v)                                 \
    {                                                                                              \
        return atomicCAS((type *)p, c, v);                                                         \
    }                                                                                              \
    FUNCTION type atomic_min(volatile type *p, type v) { return atomicMin((type *)p, v); }         \
    FUNCTION type atomic_max(volatile type *p, type v) { return atomicMax((type *)p, v); }         \
    FUNCTION type atomic_and(volatile type *p, type v) { return atomicAnd((type *)p, v); }         \
    FUNCTION type atomic_or(volatile type *p, type v) { return atomicOr((type *)p, v); }           \
    FUNCTION type atomic_xor(volatile type *p, type v) { return atomicXor((type *)p, v); }
ATOMIC(unsigned)
ATOMIC(int)

/* A hint that CUDA C++ has no function for. */
template <class T> FUNCTION void prefetch(const T *, size_t)
{
}
}

#endif
