/* cuda_runtime.h: the CUDA runtime API; in C++ with its typed overloads. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "crt/device_runtime.h" /* first: see there */

#include "builtin_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "cuda_surface_types.h"
#include "cuda_texture_types.h"
#include "driver_functions.h"
#include "vector_functions.h"

#include "crt/device_functions.h"

/* What follows is for the host. */
#if defined(__cplusplus) && !defined(__CUDACC_RTC__)

#include <utility>

/* Each overload calls the C function of its name, with typed pointers in place of void pointers, a
 * variable in place of its address, or values in place of an argument array. What it does, needs
 * and returns is said at that C function. They are static because a program may mix translation
 * units with and without per-thread default streams.
 *
 * Source: CUDA Runtime API 13.0, C++ API Routines.
 */

/* ---- events ------------------------------------------------------------------------------ */

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

/* Any pointer to a pointer, as the C functions take it. */
template <class T> static inline void **clem_untyped(T **pointer)
{
    return static_cast<void **>(static_cast<void *>(pointer));
}

/* ---- allocation -------------------------------------------------------------------------- */

template <class T> static inline cudaError_t cudaMalloc(T **devPtr, size_t size)
{
    return ::cudaMalloc(clem_untyped(devPtr), size);
}

template <class T>
static inline cudaError_t cudaMallocPitch(T **devPtr, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch(clem_untyped(devPtr), pitch, width, height);
}

static inline cudaError_t cudaMallocHost(void **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(ptr, size, flags);
}

template <class T>
static inline cudaError_t cudaMallocHost(T **ptr, size_t size, unsigned int flags = 0)
{
    return ::cudaHostAlloc(clem_untyped(ptr), size, flags);
}

template <class T> static inline cudaError_t cudaHostAlloc(T **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(clem_untyped(ptr), size, flags);
}

template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **pDevice, void *pHost, unsigned int flags)
{
    return ::cudaHostGetDevicePointer(clem_untyped(pDevice), pHost, flags);
}

template <class T>
static inline cudaError_t cudaMallocManaged(T **devPtr, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged(clem_untyped(devPtr), size, flags);
}

template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *devPtr,
                                                   size_t length = 0,
                                                   unsigned int flags = cudaMemAttachSingle)
{
    void *address = const_cast<void *>(static_cast<const volatile void *>(devPtr));
    return ::cudaStreamAttachMemAsync(stream, address, length, flags);
}

/* ---- stream ordered allocation ----------------------------------------------------------- */

static inline cudaError_t cudaMallocAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                          cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaMemPool_t memPool,
                                          cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(clem_untyped(ptr), size, memPool, stream);
}

template <class T>
static inline cudaError_t cudaMallocAsync(T **ptr, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync(clem_untyped(ptr), size, stream);
}

template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **ptr, size_t size, cudaMemPool_t memPool,
                                                  cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(clem_untyped(ptr), size, memPool, stream);
}

/* ---- batches ----------------------------------------------------------------------------- */

template <class T, class U>
static inline cudaError_t cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes,
                                               size_t count, cudaMemcpyAttributes *attrs,
                                               size_t *attrsIdxs, size_t numAttrs,
                                               cudaStream_t hStream)
{
    void *const *to = const_cast<void *const *>(reinterpret_cast<const void *const *>(dsts));
    const void *const *from = reinterpret_cast<const void *const *>(srcs);
    return ::cudaMemcpyBatchAsync(to, from, sizes, count, attrs, attrsIdxs, numAttrs, hStream);
}

/* One attribute for all copies of the batch. */
template <class T, class U>
static inline cudaError_t cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes,
                                               size_t count, cudaMemcpyAttributes attr,
                                               cudaStream_t hStream)
{
    size_t first = 0;
    return ::cudaMemcpyBatchAsync(dsts, srcs, sizes, count, &attr, &first, 1, hStream);
}

template <class T>
static inline cudaError_t cudaMemPrefetchBatchAsync(T **dptrs, size_t *sizes, size_t count,
                                                    cudaMemLocation *prefetchLocs,
                                                    size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                    unsigned long long flags, cudaStream_t stream)
{
    return ::cudaMemPrefetchBatchAsync(clem_untyped(dptrs), sizes, count, prefetchLocs,
                                       prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

template <class T>
static inline cudaError_t cudaMemPrefetchBatchAsync(T **dptrs, size_t *sizes, size_t count,
                                                    cudaMemLocation prefetchLocs,
                                                    unsigned long long flags, cudaStream_t stream)
{
    size_t first = 0;
    return ::cudaMemPrefetchBatchAsync(clem_untyped(dptrs), sizes, count, &prefetchLocs, &first, 1,
                                       flags, stream);
}

template <class T>
static inline cudaError_t cudaMemDiscardAndPrefetchBatchAsync(
    T **dptrs, size_t *sizes, size_t count, cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
    size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream)
{
    return ::cudaMemDiscardAndPrefetchBatchAsync(clem_untyped(dptrs), sizes, count, prefetchLocs,
                                                 prefetchLocIdxs, numPrefetchLocs, flags, stream);
}

template <class T>
static inline cudaError_t
cudaMemDiscardAndPrefetchBatchAsync(T **dptrs, size_t *sizes, size_t count,
                                    cudaMemLocation prefetchLocs, unsigned long long flags,
                                    cudaStream_t stream)
{
    size_t first = 0;
    return ::cudaMemDiscardAndPrefetchBatchAsync(clem_untyped(dptrs), sizes, count, &prefetchLocs,
                                                 &first, 1, flags, stream);
}

/* ---- symbols -----------------------------------------------------------------------------
 * A symbol is the device variable itself: its host address is what the library knows it by.
 */

template <class T> static inline const void *clem_symbol_address(const T &symbol)
{
    return const_cast<char *>(&reinterpret_cast<const volatile char &>(symbol));
}

template <class T> static inline cudaError_t cudaGetSymbolAddress(void **devPtr, const T &symbol)
{
    return ::cudaGetSymbolAddress(devPtr, clem_symbol_address(symbol));
}

template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return ::cudaGetSymbolSize(size, clem_symbol_address(symbol));
}

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol(clem_symbol_address(symbol), src, count, offset, kind);
}

template <class T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                        cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync(clem_symbol_address(symbol), src, count, offset, kind, stream);
}

template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, clem_symbol_address(symbol), count, offset, kind);
}

template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                          cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, clem_symbol_address(symbol), count, offset, kind,
                                       stream);
}

/* ---- functions and launches -------------------------------------------------------------- */

template <class T> static inline const void *clem_function_address(T *func)
{
    return reinterpret_cast<const void *>(func);
}

template <class T>
static inline cudaError_t cudaLaunchKernel(T *func, dim3 gridDim, dim3 blockDim, void **args,
                                           size_t sharedMem = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel(clem_function_address(func), gridDim, blockDim, args, sharedMem,
                              stream);
}

template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *func, dim3 gridDim, dim3 blockDim,
                                                      void **args, size_t sharedMem = 0,
                                                      cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel(clem_function_address(func), gridDim, blockDim, args,
                                         sharedMem, stream);
}

/* Converts the arguments to the kernel's parameter types, then launches with their addresses. */
template <class... ExpTypes, class... ActTypes>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(ExpTypes...), ActTypes &&...args)
{
    const auto launch = [config, kernel](ExpTypes... values) {
        void *addresses[sizeof...(ExpTypes) + 1] = {
            const_cast<void *>(static_cast<const volatile void *>(&values))..., nullptr};
        return ::cudaLaunchKernelExC(config, clem_function_address(kernel), addresses);
    };
    return launch(std::forward<ActTypes>(args)...);
}

/* A kernel of a library has no parameter types here: the arguments must have the right ones. */
template <class... ActTypes>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             const cudaKernel_t kernel, ActTypes &&...args)
{
    void *addresses[sizeof...(ActTypes) + 1] = {
        const_cast<void *>(static_cast<const volatile void *>(&args))..., nullptr};
    return ::cudaLaunchKernelExC(config, clem_function_address(kernel), addresses);
}

template <class T>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attr, T *entry)
{
    return ::cudaFuncGetAttributes(attr, clem_function_address(entry));
}

template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *func, cudaFuncAttribute attr, int value)
{
    return ::cudaFuncSetAttribute(clem_function_address(func), attr, value);
}

template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *func, cudaFuncCache cacheConfig)
{
    return ::cudaFuncSetCacheConfig(clem_function_address(func), cacheConfig);
}

template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *func, cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig(clem_function_address(func), config);
}

template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *func)
{
    return ::cudaFuncGetName(name, clem_function_address(func));
}

template <class T>
static inline cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, T *entryFuncAddr)
{
    return ::cudaGetKernel(kernelPtr, clem_function_address(entryFuncAddr));
}

/* ---- libraries --------------------------------------------------------------------------- */

template <class T>
static inline cudaError_t cudaLibraryGetGlobal(T **dptr, size_t *bytes, cudaLibrary_t library,
                                               const char *name)
{
    return ::cudaLibraryGetGlobal(clem_untyped(dptr), bytes, library, name);
}

template <class T>
static inline cudaError_t cudaLibraryGetManaged(T **dptr, size_t *bytes, cudaLibrary_t library,
                                                const char *name)
{
    return ::cudaLibraryGetManaged(clem_untyped(dptr), bytes, library, name);
}

template <class T>
static inline cudaError_t cudaLibraryGetUnifiedFunction(T **fptr, cudaLibrary_t library,
                                                        const char *symbol)
{
    return ::cudaLibraryGetUnifiedFunction(clem_untyped(fptr), library, symbol);
}

/* ---- occupancy --------------------------------------------------------------------------- */

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T func,
                                                                        int blockSize,
                                                                        size_t dynamicSMemSize)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, clem_function_address(func), blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, T func, int blockSize,
                                                       size_t dynamicSMemSize, unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, clem_function_address(func), blockSize, dynamicSMemSize, flags);
}

template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                                                    T *func, int numBlocks,
                                                                    int blockSize)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, clem_function_address(func),
                                                       numBlocks, blockSize);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, T *func,
                                                               const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, clem_function_address(func), config);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, T *func,
                                                         const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(numClusters, clem_function_address(func), config);
}

/* What the search for a block size needs to know of the device and the function. */
struct clem_block_limits {
    int warp;
    int multiprocessors;
    int threads_per_multiprocessor;
    int threads_per_block;
};

static inline cudaError_t clem_block_limits_get(clem_block_limits *limits, const void *func)
{
    int device = 0;
    cudaError_t error = ::cudaGetDevice(&device);
    if (error != cudaSuccess)
        return error;
    const struct {
        int *value;
        cudaDeviceAttr attribute;
    } wanted[] = {
        {&limits->warp, cudaDevAttrWarpSize},
        {&limits->multiprocessors, cudaDevAttrMultiProcessorCount},
        {&limits->threads_per_multiprocessor, cudaDevAttrMaxThreadsPerMultiProcessor},
        {&limits->threads_per_block, cudaDevAttrMaxThreadsPerBlock},
    };
    for (const auto &item : wanted) {
        error = ::cudaDeviceGetAttribute(item.value, item.attribute, device);
        if (error != cudaSuccess)
            return error;
    }
    cudaFuncAttributes attributes;
    error = ::cudaFuncGetAttributes(&attributes, func);
    if (error != cudaSuccess)
        return error;
    if (attributes.maxThreadsPerBlock < limits->threads_per_block)
        limits->threads_per_block = attributes.maxThreadsPerBlock;
    return cudaSuccess;
}

/* cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags: the block size that keeps most threads
 * of a multiprocessor busy, and the smallest grid that fills the device with such blocks.
 *
 * Shape:   tries every multiple of the warp size from the largest allowed block downwards and stops
 *          early when a multiprocessor is full; the first best, so the largest, wins.
 * Units:   blockSizeToDynamicSMemSize maps a block size in threads to bytes of dynamic shared
 *          memory; blockSizeLimit is threads, 0 meaning no limit; *minGridSize is blocks.
 * Errors:  cudaErrorInvalidValue for a NULL result or function, and those of cudaFuncGetAttributes.
 */
template <class UnaryFunction, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *minGridSize, int *blockSize, T func, UnaryFunction blockSizeToDynamicSMemSize,
    int blockSizeLimit = 0, unsigned int flags = 0)
{
    const void *address = clem_function_address(func);
    if (minGridSize == nullptr || blockSize == nullptr || address == nullptr)
        return cudaErrorInvalidValue;
    clem_block_limits limits = {};
    cudaError_t error = clem_block_limits_get(&limits, address);
    if (error != cudaSuccess)
        return error;

    int largest = limits.threads_per_block;
    if (blockSizeLimit > 0 && blockSizeLimit < largest)
        largest = blockSizeLimit;
    int best_threads = 0;
    int best_blocks = 0;
    int best_size = 0;
    const int warps = (largest + limits.warp - 1) / limits.warp;
    for (int warp = warps; warp > 0 && best_threads < limits.threads_per_multiprocessor; warp--) {
        const int size = warp * limits.warp < largest ? warp * limits.warp : largest;
        const size_t shared = static_cast<size_t>(blockSizeToDynamicSMemSize(size));
        int blocks = 0;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, address, size,
                                                                         shared, flags);
        if (error != cudaSuccess)
            return error;
        if (blocks * size > best_threads) {
            best_threads = blocks * size;
            best_blocks = blocks;
            best_size = size;
        }
    }
    *minGridSize = best_blocks * limits.multiprocessors;
    *blockSize = best_size;
    return cudaSuccess;
}

template <class UnaryFunction, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *minGridSize, int *blockSize, T func,
                                               UnaryFunction blockSizeToDynamicSMemSize,
                                               int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit,
        cudaOccupancyDefault);
}

template <class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, T func,
                                            size_t dynamicSMemSize = 0, int blockSizeLimit = 0,
                                            unsigned int flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        minGridSize, blockSize, func, [dynamicSMemSize](int) { return dynamicSMemSize; },
        blockSizeLimit, flags);
}

template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                                             T func, size_t dynamicSMemSize = 0,
                                                             int blockSizeLimit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(
        minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit, cudaOccupancyDefault);
}

/* ---- graphs ------------------------------------------------------------------------------ */

/* The error node and log of older versions: both stay as they were. */
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                               cudaGraphNode_t *pErrorNode, char *pLogBuffer,
                                               size_t bufferSize)
{
    (void)pErrorNode;
    (void)pLogBuffer;
    (void)bufferSize;
    return ::cudaGraphInstantiate(pGraphExec, graph, 0);
}

template <class T>
static inline cudaError_t
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                               const cudaGraphNode_t *pDependencies, size_t numDependencies,
                               const T &symbol, const void *src, size_t count, size_t offset,
                               cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeToSymbol(pGraphNode, graph, pDependencies, numDependencies,
                                            clem_symbol_address(symbol), src, count, offset, kind);
}

template <class T>
static inline cudaError_t
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                 const cudaGraphNode_t *pDependencies, size_t numDependencies,
                                 void *dst, const T &symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeFromSymbol(pGraphNode, graph, pDependencies, numDependencies,
                                              dst, clem_symbol_address(symbol), count, offset,
                                              kind);
}

template <class T>
static inline cudaError_t
cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol, const void *src,
                                     size_t count, size_t offset, cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, clem_symbol_address(symbol), src, count,
                                                  offset, kind);
}

template <class T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                                                 const T &symbol, size_t count,
                                                                 size_t offset, cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(node, dst, clem_symbol_address(symbol), count,
                                                    offset, kind);
}

template <class T>
static inline cudaError_t
cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                         const T &symbol, const void *src, size_t count,
                                         size_t offset, cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsToSymbol(hGraphExec, node, clem_symbol_address(symbol),
                                                      src, count, offset, kind);
}

template <class T>
static inline cudaError_t
cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                           void *dst, const T &symbol, size_t count, size_t offset,
                                           cudaMemcpyKind kind)
{
    return ::cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        hGraphExec, node, dst, clem_symbol_address(symbol), count, offset, kind);
}

/* Wraps an object that was made with new; the last release deletes it. */
template <class T>
static inline cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, T *objectToWrap,
                                               unsigned int initialRefcount, unsigned int flags)
{
    const cudaHostFn_t destroy = [](void *object) { delete static_cast<T *>(object); };
    return ::cudaUserObjectCreate(object_out, objectToWrap, destroy, initialRefcount, flags);
}

template <class T>
static inline cudaError_t cudaUserObjectCreate(cudaUserObject_t *object_out, T *objectToWrap,
                                               unsigned int initialRefcount,
                                               cudaUserObjectFlags flags)
{
    return cudaUserObjectCreate(object_out, objectToWrap, initialRefcount,
                                static_cast<unsigned int>(flags));
}

/* ---- functions that CUDA dropped between 8.0 and 13.0 ------------------------------------- */

/* The place that a device number meant. */
static inline cudaMemLocation clem_location_of(int device)
{
    const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
    const cudaMemLocation memory = {cudaMemLocationTypeDevice, device};
    return device == cudaCpuDeviceId ? host : memory;
}

static inline cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice,
                                               cudaStream_t stream = 0)
{
    return ::cudaMemPrefetchAsync(devPtr, count, clem_location_of(dstDevice), 0, stream);
}

static inline cudaError_t cudaMemAdvise(const void *devPtr, size_t count, cudaMemoryAdvise advice,
                                        int device)
{
    return ::cudaMemAdvise(devPtr, count, advice, clem_location_of(device));
}

/* What graphs took before edges had data. */
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   size_t numDependencies)
{
    return ::cudaGraphAddDependencies(graph, from, to, 0, numDependencies);
}

static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                                      const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to,
                                                      size_t numDependencies)
{
    return ::cudaGraphRemoveDependencies(graph, from, to, 0, numDependencies);
}

static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                            cudaGraphNode_t *to, size_t *numEdges)
{
    return ::cudaGraphGetEdges(graph, from, to, 0, numEdges);
}

static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                       cudaGraphNode_t *pDependencies,
                                                       size_t *pNumDependencies)
{
    return ::cudaGraphNodeGetDependencies(node, pDependencies, 0, pNumDependencies);
}

static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                         cudaGraphNode_t *pDependentNodes,
                                                         size_t *pNumDependentNodes)
{
    return ::cudaGraphNodeGetDependentNodes(node, pDependentNodes, 0, pNumDependentNodes);
}

static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t *pDependencies,
                                           size_t numDependencies, cudaGraphNodeParams *nodeParams)
{
    return ::cudaGraphAddNode(pGraphNode, graph, pDependencies, 0, numDependencies, nodeParams);
}

static inline cudaError_t cudaStreamUpdateCaptureDependencies(
    cudaStream_t stream, cudaGraphNode_t *dependencies, size_t numDependencies,
    cudaStreamUpdateCaptureDependenciesFlags flags = cudaStreamAddCaptureDependencies)
{
    return ::cudaStreamUpdateCaptureDependencies(stream, dependencies, 0, numDependencies, flags);
}

/* A count and flags; NULL, a long, is no count but stands for the data of edges. */
template <class Count, class Flags> struct clem_count_and_flags;
template <> struct clem_count_and_flags<int, int> {
    typedef cudaError_t type;
};
template <> struct clem_count_and_flags<int, unsigned int> {
    typedef cudaError_t type;
};
template <> struct clem_count_and_flags<unsigned int, int> {
    typedef cudaError_t type;
};
template <> struct clem_count_and_flags<unsigned int, unsigned int> {
    typedef cudaError_t type;
};
template <> struct clem_count_and_flags<size_t, int> {
    typedef cudaError_t type;
};
template <> struct clem_count_and_flags<size_t, unsigned int> {
    typedef cudaError_t type;
};

template <class Count, class Flags>
static inline typename clem_count_and_flags<Count, Flags>::type
cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                    Count numDependencies, Flags flags)
{
    return ::cudaStreamUpdateCaptureDependencies(stream, dependencies, 0,
                                                 static_cast<size_t>(numDependencies),
                                                 static_cast<unsigned int>(flags));
}

/* Count is size_t: a pointer to anything else does not compile, and a NULL stands for the data of edges. */
template <class Count>
static inline cudaError_t
cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *captureStatus_out,
                         unsigned long long *id_out, cudaGraph_t *graph_out,
                         const cudaGraphNode_t **dependencies_out, Count *numDependencies_out)
{
    return ::cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out,
                                      dependencies_out, 0, numDependencies_out);
}

/* Both results had to be asked for. */
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                              cudaGraphNode_t *hErrorNode_out,
                                              cudaGraphExecUpdateResult *updateResult_out)
{
    cudaGraphExecUpdateResultInfo info = {cudaGraphExecUpdateError, 0, 0};
    if (!hErrorNode_out || !updateResult_out)
        return ::cudaGraphExecUpdate(0, hGraph, 0);
    const cudaError_t error = ::cudaGraphExecUpdate(hGraphExec, hGraph, &info);
    *hErrorNode_out = info.errorNode;
    *updateResult_out = info.result;
    return error;
}

/* One argument of the launch that is being put together. */
template <class T> static inline cudaError_t cudaSetupArgument(T arg, size_t offset)
{
    return ::cudaSetupArgument(static_cast<const void *>(&arg), sizeof arg, offset);
}

template <class T> static inline cudaError_t cudaLaunch(T *func)
{
    return ::cudaLaunch(reinterpret_cast<const void *>(func));
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dim, mode> &tex,
                                          const void *devPtr, const cudaChannelFormatDesc &desc,
                                          size_t size = UINT_MAX)
{
    return ::cudaBindTexture(offset, &tex, devPtr, &desc, size);
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, dim, mode> &tex,
                                          const void *devPtr, size_t size = UINT_MAX)
{
    return ::cudaBindTexture(offset, &tex, devPtr, &tex.channelDesc, size);
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &tex,
                                            const void *devPtr, const cudaChannelFormatDesc &desc,
                                            size_t width, size_t height, size_t pitch)
{
    return ::cudaBindTexture2D(offset, &tex, devPtr, &desc, width, height, pitch);
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, dim, mode> &tex,
                                            const void *devPtr, size_t width, size_t height,
                                            size_t pitch)
{
    return ::cudaBindTexture2D(offset, &tex, devPtr, &tex.channelDesc, width, height, pitch);
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dim, mode> &tex,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc)
{
    return ::cudaBindTextureToArray(&tex, array, &desc);
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToArray(const texture<T, dim, mode> &tex,
                                                 cudaArray_const_t array)
{
    cudaChannelFormatDesc desc = {};
    const cudaError_t error = ::cudaGetChannelDesc(&desc, array);
    return error == cudaSuccess ? ::cudaBindTextureToArray(&tex, array, &desc) : error;
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToMipmappedArray(const texture<T, dim, mode> &tex,
                                                          cudaMipmappedArray_const_t mipmappedArray,
                                                          const cudaChannelFormatDesc &desc)
{
    return ::cudaBindTextureToMipmappedArray(&tex, mipmappedArray, &desc);
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaBindTextureToMipmappedArray(const texture<T, dim, mode> &tex,
                                                          cudaMipmappedArray_const_t mipmappedArray)
{
    cudaArray_t level = nullptr;
    cudaChannelFormatDesc desc = {};
    cudaError_t error = ::cudaGetMipmappedArrayLevel(&level, mipmappedArray, 0);
    if (error == cudaSuccess)
        error = ::cudaGetChannelDesc(&desc, level);
    return error == cudaSuccess ? ::cudaBindTextureToMipmappedArray(&tex, mipmappedArray, &desc)
                                : error;
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaUnbindTexture(const texture<T, dim, mode> &tex)
{
    return ::cudaUnbindTexture(&tex);
}

template <class T, int dim, enum cudaTextureReadMode mode>
static inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                        const texture<T, dim, mode> &tex)
{
    return ::cudaGetTextureAlignmentOffset(offset, &tex);
}

template <class T, int dim>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dim> &surf,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &desc)
{
    return ::cudaBindSurfaceToArray(&surf, array, &desc);
}

template <class T, int dim>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, dim> &surf,
                                                 cudaArray_const_t array)
{
    cudaChannelFormatDesc desc = {};
    const cudaError_t error = ::cudaGetChannelDesc(&desc, array);
    return error == cudaSuccess ? ::cudaBindSurfaceToArray(&surf, array, &desc) : error;
}

#endif

#endif
