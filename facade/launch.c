/* Launching kernels, and what can be asked about them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/device.h"
#include "facade/launch.h"
#include "facade/registration.h"
#include "facade/runtime.h"
#include "facade/stream.h"

/* CUDA's limits for compute capability 7.5, which clem reports. A device may have less. */
static const unsigned grid_limits[3] = {2147483647u, 65535u, 65535u};
static const unsigned block_limits[3] = {1024u, 1024u, 64u};
static const unsigned thread_limit = 1024u;

static unsigned smaller(size_t a, unsigned b)
{
    return a < b ? (unsigned)a : b;
}

cudaError_t facade_function_find(const void *func, struct facade_function **function)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    if (facade_handle_find(FACADE_KERNEL, func) != NULL)
        return facade_kernel_function((cudaKernel_t)(uintptr_t)func, function);
    *function = facade_handle_find(FACADE_FUNCTION, func);
    if (*function != NULL)
        return cudaSuccess;
    return facade_registered_function(func, function);
}

void facade_launch_limits(const struct facade_function *function, struct facade_launch_limits *limits)
{
    const struct ocl_device_facts *device = ocl_device_facts(function->module->context->device);
    const struct ocl_kernel_facts *kernel = ocl_kernel_facts(function->kernel);
    for (int i = 0; i < 3; i++) {
        limits->grid[i] = grid_limits[i];
        limits->block[i] = smaller(device->max_work_item[i], block_limits[i]);
    }
    limits->threads = smaller(device->max_work_group, thread_limit);
    if (kernel->max_work_group > 0)
        limits->threads = smaller(kernel->max_work_group, limits->threads);
    limits->shared = device->local_bytes > kernel->local_bytes ? (size_t)device->local_bytes - kernel->local_bytes : 0;
}

static bool is_within(dim3 size, const unsigned limits[3])
{
    return size.x > 0 && size.y > 0 && size.z > 0 && size.x <= limits[0] && size.y <= limits[1] && size.z <= limits[2];
}

static cudaError_t check_shape(const struct facade_function *function, dim3 grid, dim3 block, size_t shared)
{
    struct facade_launch_limits limits;
    facade_launch_limits(function, &limits);
    if (!is_within(grid, limits.grid) || !is_within(block, limits.block))
        return cudaErrorInvalidConfiguration;
    if ((uint64_t)block.x * block.y * block.z > limits.threads)
        return cudaErrorInvalidConfiguration;
    return shared <= limits.shared ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t facade_launch(struct facade_function *function, dim3 grid, dim3 block, void *const *args, size_t shared,
                          cudaStream_t stream_handle)
{
    struct facade_stream *stream = NULL;
    cudaError_t error = check_shape(function, grid, block, shared);
    if (error != cudaSuccess)
        return error;
    error = facade_stream_find(stream_handle, &stream);
    if (error != cudaSuccess)
        return error;
    if (stream->context != function->module->context)
        return cudaErrorInvalidResourceHandle;
    if (args == NULL && ocl_kernel_facts(function->kernel)->entry_count > 0)
        return cudaErrorInvalidValue;
    const struct ocl_launch launch = {
        .groups = {grid.x, grid.y, grid.z},
        .items = {block.x, block.y, block.z},
        .local_bytes = shared,
        .arguments = args,
    };
    return facade_error_from(ocl_kernel_launch(function->kernel, stream->queue, &launch), FACADE_LAUNCH);
}

cudaError_t facade_function_attributes(const struct facade_function *function, struct cudaFuncAttributes *attributes)
{
    struct facade_launch_limits limits;
    const struct ocl_kernel_facts *kernel = ocl_kernel_facts(function->kernel);
    facade_launch_limits(function, &limits);
    memset(attributes, 0, sizeof *attributes);
    attributes->sharedSizeBytes = kernel->local_bytes;
    attributes->localSizeBytes = kernel->private_bytes;
    attributes->maxThreadsPerBlock = (int)limits.threads;
    attributes->ptxVersion = 75;
    attributes->binaryVersion = 75;
    attributes->maxDynamicSharedSizeBytes =
        function->max_dynamic_shared >= 0 ? function->max_dynamic_shared : (int)limits.shared;
    attributes->preferredShmemCarveout = function->preferred_carveout;
    return cudaSuccess;
}

cudaError_t facade_function_set_attribute(struct facade_function *function, enum cudaFuncAttribute attribute, int value)
{
    struct facade_launch_limits limits;
    facade_launch_limits(function, &limits);
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0 || (size_t)value > limits.shared)
            return cudaErrorInvalidValue;
        function->max_dynamic_shared = value;
        return cudaSuccess;
    }
    if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        if (value < -1 || value > 100)
            return cudaErrorInvalidValue;
        function->preferred_carveout = value;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

cudaError_t facade_function_parameter(const struct facade_function *function, size_t index, size_t *offset,
                                      size_t *bytes)
{
    size_t count = ocl_kernel_facts(function->kernel)->parameter_count;
    for (size_t i = 0; i < count; i++) {
        const struct ocl_parameter *parameter = ocl_kernel_parameter(function->kernel, i);
        if (parameter->kind == OCL_PARAMETER_LOCAL || index-- > 0)
            continue;
        *offset = parameter->offset;
        if (bytes != NULL)
            *bytes = parameter->bytes;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

/* --- entry points ---------------------------------------------------------------------------------------------- */

static cudaError_t launch(const void *func, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream)
{
    struct facade_function *function = NULL;
    cudaError_t error = facade_function_find(func, &function);
    return error == cudaSuccess ? facade_launch(function, grid, block, args, shared, stream) : error;
}

cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                             cudaStream_t stream)
{
    return facade_result(launch(func, gridDim, blockDim, args, sharedMem, stream));
}

/* Attributes that ask for more than an ordinary launch are refused; hints are accepted and change nothing. */
static cudaError_t check_attributes(const struct cudaLaunchAttribute_st *attributes, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        const cudaLaunchAttributeValue *value = &attributes[i].val;
        if (attributes[i].id == cudaLaunchAttributeCooperative && value->cooperative != 0)
            return cudaErrorNotSupported;
        if (attributes[i].id == cudaLaunchAttributeClusterDimension &&
            (value->clusterDim.x > 1 || value->clusterDim.y > 1 || value->clusterDim.z > 1))
            return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    if (config == NULL || (config->numAttrs > 0 && config->attrs == NULL))
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = check_attributes(config->attrs, config->numAttrs);
    if (error != cudaSuccess)
        return facade_result(error);
    return facade_result(
        launch(func, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream));
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    struct facade_function *function = NULL;
    if (attr == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_function_find(func, &function);
    return facade_result(error == cudaSuccess ? facade_function_attributes(function, attr) : error);
}

cudaError_t cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    struct facade_function *function = NULL;
    cudaError_t error = facade_function_find(func, &function);
    return facade_result(error == cudaSuccess ? facade_function_set_attribute(function, attr, value) : error);
}

cudaError_t cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    struct facade_function *function = NULL;
    cudaError_t error = facade_function_find(func, &function);
    if (error != cudaSuccess)
        return facade_result(error);
    if ((int)cacheConfig < cudaFuncCachePreferNone || cacheConfig > cudaFuncCachePreferEqual)
        return facade_result(cudaErrorInvalidValue);
    function->cache_config = (int)cacheConfig;
    return cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    struct facade_function *function = NULL;
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess && ((int)config < 0 || config > cudaSharedMemBankSizeEightByte))
        error = cudaErrorInvalidValue;
    return facade_result(error);
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
    struct facade_function *function = NULL;
    if (name == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess)
        *name = ocl_kernel_facts(function->kernel)->name;
    return facade_result(error);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    struct facade_function *function = NULL;
    if (paramOffset == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess)
        error = facade_function_parameter(function, paramIndex, paramOffset, paramSize);
    return facade_result(error);
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value, int device)
{
    struct facade_function *function = NULL;
    int count = 0;
    cudaError_t error = facade_devices(&count);
    if (error == cudaSuccess && (device < 0 || device >= count))
        error = cudaErrorInvalidDevice;
    if (error == cudaSuccess)
        error = facade_kernel_function(kernel, &function);
    return facade_result(error == cudaSuccess ? facade_function_set_attribute(function, attr, value) : error);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
    struct facade_function *function = NULL;
    if (functionPtr == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_function_find(symbolPtr, &function);
    if (error == cudaSuccess)
        *functionPtr = (cudaFunction_t)function;
    return facade_result(error);
}
