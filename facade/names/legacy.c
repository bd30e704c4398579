/* Runtime functions that CUDA dropped between 8.0 and 13.0 and that older programs call.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "facade/code/launch_devices.h"
#include "facade/state/thread_state.h"

/* --- names that were replaced by others ------------------------------------------------------- */

cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(pValue, limit);
}

cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    return cudaDeviceGetCacheConfig(pCacheConfig);
}

cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    return cudaDeviceSetCacheConfig(cacheConfig);
}

cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device)
{
    return cudaGetDeviceProperties(prop, device);
}

cudaError_t cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
                                    struct cudaMemLocation location, unsigned int flags,
                                    cudaStream_t stream)
{
    return cudaMemPrefetchAsync(devPtr, count, location, flags, stream);
}

cudaError_t cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                             struct cudaMemLocation location)
{
    return cudaMemAdvise(devPtr, count, advice, location);
}

cudaError_t
cudaSignalExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
                                     const struct cudaExternalSemaphoreSignalParams *paramsArray,
                                     unsigned int numExtSems, cudaStream_t stream)
{
    return cudaSignalExternalSemaphoresAsync(extSemArray, paramsArray, numExtSems, stream);
}

cudaError_t
cudaWaitExternalSemaphoresAsync_v2(const cudaExternalSemaphore_t *extSemArray,
                                   const struct cudaExternalSemaphoreWaitParams *paramsArray,
                                   unsigned int numExtSems, cudaStream_t stream)
{
    return cudaWaitExternalSemaphoresAsync(extSemArray, paramsArray, numExtSems, stream);
}

cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                        enum cudaStreamCaptureStatus *captureStatus_out,
                                        unsigned long long *id_out, cudaGraph_t *graph_out,
                                        const cudaGraphNode_t **dependencies_out,
                                        size_t *numDependencies_out)
{
    return cudaStreamGetCaptureInfo(stream, captureStatus_out, id_out, graph_out, dependencies_out,
                                    NULL, numDependencies_out);
}

/* --- conversions of doubles for devices without them ------------------------------------------ */

/* Every device that is left has doubles, or kernels that use none: nothing is converted. */
static cudaError_t keep_double(const double *value)
{
    return value != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaSetDoubleForDevice(double *d)
{
    return facade_result(keep_double(d));
}

cudaError_t cudaSetDoubleForHost(double *d)
{
    return facade_result(keep_double(d));
}

/* --- launches in three steps ------------------------------------------------------------------ */

/* What one launch of the time took: 4 KiB of arguments, at most as many as it has bytes. */
enum { ARGUMENT_BYTES = 4096, MOST_ARGUMENTS = 1024 };

cudaError_t cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, cudaStream_t stream)
{
    const struct facade_launch_configuration configuration = {gridDim, blockDim, sharedMem, stream};
    facade_thread()->argument_bytes = 0;
    return facade_result(facade_launch_push(&configuration) ? cudaSuccess
                                                            : cudaErrorInvalidConfiguration);
}

cudaError_t cudaSetupArgument(const void *arg, size_t size, size_t offset)
{
    if (arg == NULL || offset > ARGUMENT_BYTES || size > ARGUMENT_BYTES - offset)
        return facade_result(cudaErrorInvalidValue);
    struct facade_thread *thread = facade_thread();
    if (thread->arguments == NULL && facade_thread_may_keep(thread))
        thread->arguments = calloc(1, ARGUMENT_BYTES);
    if (thread->arguments == NULL)
        return facade_result(cudaErrorMemoryAllocation);
    memcpy(thread->arguments + offset, arg, size);
    if (thread->argument_bytes < offset + size)
        thread->argument_bytes = offset + size;
    return cudaSuccess;
}

/* Points args at the pending bytes. Errors: cudaErrorInvalidValue when some are missing. */
static cudaError_t place_arguments(const struct facade_function *function,
                                   void *args[MOST_ARGUMENTS])
{
    size_t offset = 0;
    size_t bytes = 0;
    for (size_t i = 0; i < MOST_ARGUMENTS; i++) {
        if (facade_function_parameter(function, i, &offset, &bytes) != cudaSuccess)
            return cudaSuccess;
        if (offset + bytes > facade_thread()->argument_bytes)
            return cudaErrorInvalidValue;
        args[i] = facade_thread()->arguments + offset;
    }
    return cudaErrorInvalidValue;
}

static cudaError_t launch(const void *func)
{
    struct facade_launch_configuration configuration;
    struct facade_function *function = NULL;
    void *args[MOST_ARGUMENTS];
    if (!facade_launch_pop(&configuration))
        return cudaErrorMissingConfiguration;
    cudaError_t error = facade_function_find(func, &function);
    if (error == cudaSuccess)
        error = place_arguments(function, args);
    if (error == cudaSuccess)
        error = facade_launch(function, configuration.grid, configuration.block, args,
                              configuration.shared, configuration.stream,
                              (struct facade_launch_attributes){.named = func});
    facade_thread()->argument_bytes = 0;
    return error;
}

cudaError_t cudaLaunch(const void *func)
{
    return facade_result(launch(func));
}

/* --- launches on several devices -------------------------------------------------------------- */

static cudaError_t launch_on_devices(const struct cudaLaunchParams *params, unsigned count,
                                     unsigned flags)
{
    int devices = 0;
    cudaError_t error = facade_devices(&devices);
    if (error != cudaSuccess)
        return error;
    if (params == NULL || count > (unsigned)devices)
        return cudaErrorInvalidValue;
    struct facade_device_launch *list = calloc((size_t)count + 1, sizeof *list);
    if (list == NULL)
        return cudaErrorMemoryAllocation;
    for (unsigned i = 0; i < count; i++)
        list[i] = (struct facade_device_launch){params[i].func,     params[i].gridDim,
                                                params[i].blockDim, params[i].sharedMem,
                                                params[i].stream,   params[i].args};
    error = facade_launch_on_devices(list, count, flags);
    free(list);
    return error;
}

cudaError_t cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *launchParamsList,
                                                   unsigned int numDevices, unsigned int flags)
{
    return facade_result(launch_on_devices(launchParamsList, numDevices, flags));
}
