/* How many blocks fit on a multiprocessor: an estimate from the limits that clem reports; of kernels for cooperative launches on
 * GPUs, what was measured.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/occupancy.h"

#include <limits.h>

#include "cl/device.h"
#include "facade/code/launch.h"
#include "facade/device/device.h"

static int attribute(int device, enum cudaDeviceAttr attr)
{
    int value = 0;
    facade_device_attribute(&value, (int)attr, device);
    return value;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* Threads are handed out by whole warps. */
static int rounded_threads(int threads, int warp)
{
    return (threads + warp - 1) / warp * warp;
}

cudaError_t facade_occupancy_measured(int *blocks, const struct facade_function *function,
                                      int block_size, size_t dynamic_shared)
{
    const int processors =
        attribute(function->module->context->device, cudaDevAttrMultiProcessorCount);
    size_t all = 0;
    const ocl_status status =
        ocl_kernel_at_once(function->kernel, (size_t)block_size, dynamic_shared, &all);
    *blocks =
        processors > 0 && all / (size_t)processors < INT_MAX ? (int)(all / (size_t)processors) : 0;
    return facade_error_from(status, FACADE_LAUNCH);
}

/* Of kernels that need it, what was measured; of all others it would take a trial of each. */
static bool is_measured(const struct facade_function *function)
{
    return ocl_kernel_is_measured(function->kernel) &&
           attribute(function->module->context->device, cudaDevAttrCooperativeLaunch) != 0;
}

cudaError_t facade_occupancy_blocks(int *blocks, const struct facade_function *function,
                                    int block_size, size_t dynamic_shared, unsigned flags)
{
    struct facade_launch_limits limits;
    int device = function->module->context->device;
    if (block_size <= 0 || (flags & ~(unsigned)cudaOccupancyDisableCachingOverride) != 0)
        return cudaErrorInvalidValue;
    const cudaError_t error = facade_launch_limits(function, &limits);
    if (error != cudaSuccess)
        return error;
    size_t shared = dynamic_shared + limits.own_shared;
    *blocks = 0;
    if ((unsigned)block_size > limits.threads || dynamic_shared > limits.shared)
        return cudaSuccess;
    if (is_measured(function) &&
        facade_occupancy_measured(blocks, function, block_size, dynamic_shared) == cudaSuccess)
        return cudaSuccess;
    int threads = rounded_threads(block_size, attribute(device, cudaDevAttrWarpSize));
    int fit = attribute(device, cudaDevAttrMaxThreadsPerMultiProcessor) / threads;
    fit = smaller(fit, attribute(device, cudaDevAttrMaxBlocksPerMultiprocessor));
    if (shared > 0)
        fit = smaller(
            fit,
            (int)((size_t)attribute(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor) / shared));
    *blocks = fit;
    return cudaSuccess;
}

/* Tries every whole number of warps, largest first, so that of equal ones the largest block
 * wins. */
cudaError_t facade_occupancy_best(int *grid, int *block_size,
                                  const struct facade_function *function,
                                  const struct facade_occupancy_wish *wish)
{
    struct facade_launch_limits limits;
    int device = function->module->context->device, warp = attribute(device, cudaDevAttrWarpSize),
        most = 0, best = 0;
    cudaError_t error = facade_launch_limits(function, &limits);
    if (error != cudaSuccess)
        return error;
    int largest = wish->limit > 0 ? smaller(wish->limit, (int)limits.threads) : (int)limits.threads;
    for (int size = rounded_threads(largest, warp); size > 0; size -= warp) {
        int block = smaller(size, largest), blocks = 0;
        size_t shared = wish->shared_of != NULL ? wish->shared_of(block) : wish->shared;
        error = facade_occupancy_blocks(&blocks, function, block, shared, wish->flags);
        if (error != cudaSuccess)
            return error;
        if (blocks * block > most) {
            most = blocks * block;
            best = block;
        }
    }
    *block_size = best;
    *grid = best > 0 ? most / best * attribute(device, cudaDevAttrMultiProcessorCount) : 0;
    return cudaSuccess;
}

cudaError_t facade_occupancy_shared(size_t *shared, const struct facade_function *function,
                                    int blocks, int block_size)
{
    struct facade_launch_limits limits;
    int fit = 0;
    int device = function->module->context->device;
    if (blocks <= 0 || block_size <= 0)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_launch_limits(function, &limits);
    if (error == cudaSuccess)
        error = facade_occupancy_blocks(&fit, function, block_size, 0, 0);
    if (error != cudaSuccess)
        return error;
    if (blocks > fit)
        return cudaErrorInvalidValue;
    size_t share =
        (size_t)attribute(device, cudaDevAttrMaxSharedMemoryPerMultiprocessor) / (size_t)blocks;
    size_t left = share > limits.own_shared ? share - limits.own_shared : 0;
    *shared = left < limits.shared ? left : limits.shared;
    return cudaSuccess;
}

static bool has_clusters(const cudaLaunchConfig_t *config)
{
    for (unsigned i = 0; config->attrs != NULL && i < config->numAttrs; i++) {
        const cudaLaunchAttributeValue *value = &config->attrs[i].val;
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension &&
            (value->clusterDim.x > 1 || value->clusterDim.y > 1 || value->clusterDim.z > 1))
            return true;
    }
    return false;
}

cudaError_t facade_occupancy_clusters(int *clusters, const struct facade_function *function,
                                      const cudaLaunchConfig_t *config)
{
    const dim3 block = config->blockDim;
    const uint64_t threads = (uint64_t)block.x * block.y * block.z;
    int blocks = 0;
    if (has_clusters(config))
        return cudaErrorInvalidClusterSize;
    const cudaError_t error = facade_occupancy_blocks(
        &blocks, function, threads < INT_MAX ? (int)threads : INT_MAX, config->dynamicSmemBytes, 0);
    if (error == cudaSuccess)
        *clusters =
            blocks * attribute(function->module->context->device, cudaDevAttrMultiProcessorCount);
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func,
                                                                   int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags)
{
    struct facade_function *function = NULL;
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess && numBlocks == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = facade_occupancy_blocks(numBlocks, function, blockSize, dynamicSMemSize, flags);
    return facade_result(error);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                                          int blockSize, size_t dynamicSMemSize)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, cudaOccupancyDefault);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func,
                                                      int numBlocks, int blockSize)
{
    struct facade_function *function = NULL;
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess && dynamicSmemSize == NULL)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = facade_occupancy_shared(dynamicSmemSize, function, numBlocks, blockSize);
    return facade_result(error);
}

static cudaError_t find_with_config(const void *func, const void *result,
                                    const cudaLaunchConfig_t *config,
                                    struct facade_function **function)
{
    const cudaError_t error = facade_function_find(func, function);
    return error == cudaSuccess && (result == NULL || config == NULL) ? cudaErrorInvalidValue
                                                                      : error;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                                           const cudaLaunchConfig_t *launchConfig)
{
    struct facade_function *function = NULL;
    cudaError_t error = find_with_config(func, numClusters, launchConfig, &function);
    if (error == cudaSuccess)
        error = facade_occupancy_clusters(numClusters, function, launchConfig);
    return facade_result(error);
}

/* Every block is a cluster of its own. */
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                                 const cudaLaunchConfig_t *launchConfig)
{
    struct facade_function *function = NULL;
    const cudaError_t error = find_with_config(func, clusterSize, launchConfig, &function);
    if (error == cudaSuccess)
        *clusterSize = 1;
    return facade_result(error);
}
