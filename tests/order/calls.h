/* The names of the CUDA runtime API that streams take part in, as programs spell them without and with
 * CUDA_API_PER_THREAD_DEFAULT_STREAM.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef ORDER_CALLS_H
#define ORDER_CALLS_H

#include <cuda_runtime_api.h>

/* ENTRY(MEMBER, NAME) */
#define CALLS(ENTRY)                                                                               \
    ENTRY(launch, cudaLaunchKernel)                                                                \
    ENTRY(cooperate, cudaLaunchCooperativeKernel)                                                  \
    ENTRY(launch_graph, cudaGraphLaunch)                                                           \
    ENTRY(host_function, cudaLaunchHostFunc)                                                       \
    ENTRY(callback, cudaStreamAddCallback)                                                         \
    ENTRY(copy, cudaMemcpy)                                                                        \
    ENTRY(copy_async, cudaMemcpyAsync)                                                             \
    ENTRY(copy_2d, cudaMemcpy2D)                                                                   \
    ENTRY(copy_2d_async, cudaMemcpy2DAsync)                                                        \
    ENTRY(copy_3d, cudaMemcpy3D)                                                                   \
    ENTRY(copy_3d_async, cudaMemcpy3DAsync)                                                        \
    ENTRY(to_array, cudaMemcpy2DToArray)                                                           \
    ENTRY(to_array_async, cudaMemcpy2DToArrayAsync)                                                \
    ENTRY(from_array, cudaMemcpy2DFromArray)                                                       \
    ENTRY(from_array_async, cudaMemcpy2DFromArrayAsync)                                            \
    ENTRY(array_to_array, cudaMemcpy2DArrayToArray)                                                \
    ENTRY(copy_batch, cudaMemcpyBatchAsync)                                                        \
    ENTRY(copy_boxes, cudaMemcpy3DBatchAsync)                                                      \
    ENTRY(to_symbol, cudaMemcpyToSymbol)                                                           \
    ENTRY(to_symbol_async, cudaMemcpyToSymbolAsync)                                                \
    ENTRY(from_symbol, cudaMemcpyFromSymbol)                                                       \
    ENTRY(from_symbol_async, cudaMemcpyFromSymbolAsync)                                            \
    ENTRY(set, cudaMemset)                                                                         \
    ENTRY(set_async, cudaMemsetAsync)                                                              \
    ENTRY(set_2d, cudaMemset2D)                                                                    \
    ENTRY(set_2d_async, cudaMemset2DAsync)                                                         \
    ENTRY(set_3d, cudaMemset3D)                                                                    \
    ENTRY(set_3d_async, cudaMemset3DAsync)                                                         \
    ENTRY(prefetch, cudaMemPrefetchAsync)                                                          \
    ENTRY(attach, cudaStreamAttachMemAsync)                                                        \
    ENTRY(malloc_async, cudaMallocAsync)                                                           \
    ENTRY(free_async, cudaFreeAsync)                                                               \
    ENTRY(record, cudaEventRecord)                                                                 \
    ENTRY(record_with_flags, cudaEventRecordWithFlags)                                             \
    ENTRY(wait, cudaStreamWaitEvent)                                                               \
    ENTRY(synchronize, cudaStreamSynchronize)                                                      \
    ENTRY(query, cudaStreamQuery)

struct calls {
#define ENTRY(member, name) __typeof__(name) *member;
    CALLS(ENTRY)
#undef ENTRY
};

extern const struct calls ordinary_calls, per_thread_calls;

#endif
