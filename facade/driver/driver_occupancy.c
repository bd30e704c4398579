/* The driver API's occupancy questions.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/code/launch.h"
#include "facade/code/occupancy.h"

static CUresult find_function(CUfunction handle, struct facade_function **function)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_function_find(handle, function))
                                  : result;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
                                                              int blockSize, size_t dynamicSMemSize,
                                                              unsigned int flags)
{
    struct facade_function *function = NULL;
    if (numBlocks == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(func, &function);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_occupancy_blocks(numBlocks, function, blockSize, dynamicSMemSize, flags));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
                                                     size_t dynamicSMemSize)
{
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
                                                   CUfunction func,
                                                   CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                   size_t dynamicSMemSize, int blockSizeLimit,
                                                   unsigned int flags)
{
    struct facade_function *function = NULL;
    if (minGridSize == NULL || blockSize == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(func, &function);
    if (result != CUDA_SUCCESS)
        return result;
    const struct facade_occupancy_wish wish = {blockSizeToDynamicSMemSize, dynamicSMemSize,
                                               blockSizeLimit, flags};
    return facade_driver_error(facade_occupancy_best(minGridSize, blockSize, function, &wish));
}

CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                          CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                          size_t dynamicSMemSize, int blockSizeLimit)
{
    return cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func,
                                                     blockSizeToDynamicSMemSize, dynamicSMemSize,
                                                     blockSizeLimit, CU_OCCUPANCY_DEFAULT);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
                                                 int numBlocks, int blockSize)
{
    struct facade_function *function = NULL;
    if (dynamicSmemSize == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(func, &function);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_occupancy_shared(dynamicSmemSize, function, numBlocks, blockSize));
}

static CUresult find_with_config(CUfunction handle, const void *answer,
                                 const CUlaunchConfig *config, struct facade_function **function)
{
    if (answer == NULL || config == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    return find_function(handle, function);
}

CUresult cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
                                      const CUlaunchConfig *config)
{
    struct facade_function *function = NULL;
    const CUresult result = find_with_config(func, numClusters, config, &function);
    if (result != CUDA_SUCCESS)
        return result;
    const cudaLaunchConfig_t same = {
        .gridDim = {config->gridDimX, config->gridDimY, config->gridDimZ},
        .blockDim = {config->blockDimX, config->blockDimY, config->blockDimZ},
        .dynamicSmemBytes = config->sharedMemBytes,
        .attrs = (cudaLaunchAttribute *)config->attrs, /* the same type by another name */
        .numAttrs = config->numAttrs};
    return facade_driver_error(facade_occupancy_clusters(numClusters, function, &same));
}

CUresult cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
                                            const CUlaunchConfig *config)
{
    struct facade_function *function = NULL;
    const CUresult result = find_with_config(func, clusterSize, config, &function);
    if (result == CUDA_SUCCESS)
        *clusterSize = 1;
    return result;
}
