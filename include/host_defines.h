/* host_defines.h: function and variable qualifiers of CUDA, and the export macros of the API. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

/* A CUDA compiler understands these attributes; for any other compiler the qualifiers are nothing.
 * A compiler that has defined one of the names itself keeps its own definition.
 * Source: CUDA C++ Programming Guide 13.0, C++ Language Extensions.
 */
#if defined(__CUDACC__) || defined(__CUDA__)
#define CLEM_QUALIFIER(name) __attribute__((name))
#else
#define CLEM_QUALIFIER(name)
#endif

#ifndef __host__
#define __host__ CLEM_QUALIFIER(host)
#endif
#ifndef __device__
#define __device__ CLEM_QUALIFIER(device)
#endif
#ifndef __global__
#define __global__ CLEM_QUALIFIER(global)
#endif
#ifndef __shared__
#define __shared__ CLEM_QUALIFIER(shared)
#endif
#ifndef __constant__
#define __constant__ CLEM_QUALIFIER(constant)
#endif
#ifndef __grid_constant__
#if defined(__has_attribute)
#if (defined(__CUDACC__) || defined(__CUDA__)) && __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
#else
#define __grid_constant__
#endif
#endif

/* clang has managed variables in another language only. Here the host's variable is the memory
 * itself: it lies in a section of its own, which crt/managed_section.h makes known to the library
 * before the variable is registered. */
#ifndef __managed__
#if defined(__CUDA__) && defined(__clang__) && !defined(__CUDA_ARCH__)
#define __managed__ __attribute__((device)) __attribute__((section("clem_managed")))
#elif defined(__CUDA__) && defined(__clang__)
#define __managed__ __attribute__((device))
#else
#define __managed__ CLEM_QUALIFIER(managed)
#endif
#endif

/* Marks for the compiler's own lists of built-in names; no compiler that clem knows needs them. */
#ifndef __cudart_builtin__
#define __cudart_builtin__
#endif
#ifndef __device_builtin__
#define __device_builtin__
#endif

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#ifndef __align__
#define __align__(n) __attribute__((aligned(n)))
#endif
#ifndef __builtin_align__
#define __builtin_align__(n) __align__(n)
#endif
#ifndef __inline_hint__
#define __inline_hint__
#endif
#ifndef __nv_pure__
#define __nv_pure__ __attribute__((pure))
#endif

/* Registers are the device's compiler's to count. */
#ifndef __maxnreg__
#define __maxnreg__(n)
#endif

/* Of no architecture alone: true where the compiler says so by a macro, which none does. */
#ifndef __CUDA_ARCH_HAS_FEATURE__
#define __CUDA_ARCH_HAS_FEATURE__(feature) __CUDA_ARCH_FEAT_##feature
#endif
#ifndef __launch_bounds__
#if defined(__CUDACC__) || defined(__CUDA__)
/* The third, of blocks in a cluster, is more than compilers take. */
#define CLEM_BOUNDS_1(threads, blocks)                     __attribute__((launch_bounds(threads)))
#define CLEM_BOUNDS_2(threads, blocks)                     __attribute__((launch_bounds(threads, blocks)))
#define CLEM_BOUNDS_3(threads, blocks)                     __attribute__((launch_bounds(threads, blocks)))
#define CLEM_BOUNDS(threads, blocks, clusters, count, ...) CLEM_BOUNDS_##count(threads, blocks)
#define __launch_bounds__(...)                             CLEM_BOUNDS(__VA_ARGS__, 3, 2, 1, 0)
#else
#define __launch_bounds__(...)
#endif
#endif

/* Clusters of one block are all that there are. No clang has the attribute: a size of others is an error here, that
 * an alignment is none. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__) && !defined(__cluster_dims__)
constexpr int clem_cluster_of_one_block(unsigned int x, unsigned int y = 1, unsigned int z = 1)
{
    return x == 1 && y == 1 && z == 1 ? 16 : 0;
}
#define __cluster_dims__(...) __attribute__((aligned(clem_cluster_of_one_block(__VA_ARGS__))))
#endif

/* __noinline__ is left alone on purpose: the C++ library spells an attribute with that name, and
 * clang knows it by itself since version 15. crt/device_runtime.h gives it to older ones. */

/* Calling conventions, which are the plain one on Linux. Functions are exported by a visibility
 * pragma around their declarations, so that these macros may also stand in function pointer types.
 */
#ifndef CUDARTAPI
#define CUDARTAPI
#endif
#ifndef CUDART_CB
#define CUDART_CB
#endif

#endif
