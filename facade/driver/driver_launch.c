/* The driver API's functions: attributes, launches, and the launches of CUDA's first years.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <stdlib.h>
#include <string.h>

#include "facade/code/launch_devices.h"
#include "facade/state/runtime.h"

/* A kernel's handle may stand where a function's is expected: it means the function in the current
 * context. */
static CUresult find_function(CUfunction handle, struct facade_function **function)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_function_find(handle, function))
                                  : result;
}

/* --- attributes ------------------------------------------------------------------------------- */

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    struct facade_function *function = NULL;
    if (pi == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(hfunc, &function);
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_function_attribute(function, (int)attrib, pi))
               : result;
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    struct facade_function *function = NULL;
    CUresult result = find_function(hfunc, &function);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(facade_function_set_attribute(function, (int)attrib, value));
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    struct facade_function *function = NULL;
    CUresult result = find_function(hfunc, &function);
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_function_set_cache(function, (int)config))
               : result;
}

/* Banks are four bytes wide on every device of compute capability 5 and later, so the wish changes
 * nothing. */
CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
    struct facade_function *function = NULL;
    CUresult result = find_function(hfunc, &function);
    if (result != CUDA_SUCCESS)
        return result;
    bool is_known = (int)config >= CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE &&
                    config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE;
    return is_known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    struct facade_function *function = NULL;
    if (hmod == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(hfunc, &function);
    if (result == CUDA_SUCCESS)
        *hmod = (CUmodule)function->module;
    return result;
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
    struct facade_function *function = NULL;
    if (name == NULL || hfunc == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(hfunc, &function);
    if (result == CUDA_SUCCESS)
        *name = ocl_kernel_name(function->kernel);
    return result;
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset,
                            size_t *paramSize)
{
    struct facade_function *function = NULL;
    if (paramOffset == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(func, &function);
    if (result != CUDA_SUCCESS)
        return result;
    return facade_driver_error(
        facade_function_parameter(function, paramIndex, paramOffset, paramSize));
}

/* A function exists only in a module that is built. */
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    struct facade_function *found = NULL;
    if (state == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(function, &found);
    if (result == CUDA_SUCCESS)
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return result;
}

CUresult cuFuncLoad(CUfunction function)
{
    struct facade_function *found = NULL;
    return find_function(function, &found);
}

/* --- arguments in one buffer ------------------------------------------------------------------ */

/* Launches with arguments from a buffer. Parameters behind its end are zero, as NVIDIA's driver has
 * it. */
static CUresult launch_packed(struct facade_function *function, dim3 grid, dim3 block,
                              size_t shared, CUstream stream, const struct facade_packed *packed,
                              struct facade_launch_attributes attributes)
{
    size_t bytes = 0;
    size_t count = facade_function_measure(function, &bytes);
    CUresult result = facade_driver_error(facade_packed_check(packed, count, bytes));
    if (result != CUDA_SUCCESS)
        return result;
    char *copy = calloc(bytes + 1, 1);
    void **args = calloc(count + 1, sizeof *args);
    result = CUDA_ERROR_OUT_OF_MEMORY;
    if (copy == NULL || args == NULL)
        goto done;
    if (packed->size > 0)
        memcpy(copy, packed->bytes, packed->size);
    for (size_t i = 0; i < count; i++) {
        size_t offset = 0;
        facade_function_parameter(function, i, &offset, NULL);
        args[i] = copy + offset;
    }
    result =
        facade_driver_error(facade_launch(function, grid, block, args, shared, stream, attributes));
done:
    free(args);
    free(copy);
    return result;
}

/* --- launches --------------------------------------------------------------------------------- */

static CUresult launch(CUfunction handle, dim3 grid, dim3 block, size_t shared, CUstream stream,
                       void **params, void **extra, struct facade_launch_attributes attributes)
{
    struct facade_function *function = NULL;
    struct facade_packed packed = {NULL, 0};
    CUresult result = find_function(handle, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (params != NULL && extra != NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (extra == NULL)
        return facade_driver_error(
            facade_launch(function, grid, block, params, shared, stream, attributes));
    result = facade_driver_error(facade_packed_read(extra, &packed));
    return result == CUDA_SUCCESS
               ? launch_packed(function, grid, block, shared, stream, &packed, attributes)
               : result;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void **kernelParams, void **extra)
{
    const dim3 grid = {gridDimX, gridDimY, gridDimZ}, block = {blockDimX, blockDimY, blockDimZ};
    return launch(f, grid, block, sharedMemBytes, hStream, kernelParams, extra,
                  (struct facade_launch_attributes){0});
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void **kernelParams)
{
    const dim3 grid = {gridDimX, gridDimY, gridDimZ}, block = {blockDimX, blockDimY, blockDimZ};
    return launch(f, grid, block, sharedMemBytes, hStream, kernelParams, NULL,
                  (struct facade_launch_attributes){.is_cooperative = true});
}

CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launchParamsList,
                                              unsigned int numDevices, unsigned int flags)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    if (launchParamsList == NULL || numDevices > (unsigned)facade_known_devices())
        return CUDA_ERROR_INVALID_VALUE;
    struct facade_device_launch *list = calloc((size_t)numDevices + 1, sizeof *list);
    if (list == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (unsigned i = 0; i < numDevices; i++) {
        const CUDA_LAUNCH_PARAMS *from = &launchParamsList[i];
        list[i] = (struct facade_device_launch){
            .func = from->function,
            .grid = {from->gridDimX, from->gridDimY, from->gridDimZ},
            .block = {from->blockDimX, from->blockDimY, from->blockDimZ},
            .shared = from->sharedMemBytes,
            .stream = from->hStream,
            .args = from->kernelParams};
    }
    result = facade_driver_error(facade_launch_on_devices(list, numDevices, flags));
    free(list);
    return result;
}

/* The attributes of both APIs have one layout. */
_Static_assert(sizeof(CUlaunchAttribute) == sizeof(cudaLaunchAttribute), "one layout");

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams,
                          void **extra)
{
    struct facade_function *function = NULL;
    struct facade_launch_attributes attributes = {0};
    if (config == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_function(f, &function);
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_launch_read_attributes((const void *)config->attrs,
                                                                   config->numAttrs, &attributes));
    if (result != CUDA_SUCCESS)
        return result;
    const dim3 grid = {config->gridDimX, config->gridDimY, config->gridDimZ};
    const dim3 block = {config->blockDimX, config->blockDimY, config->blockDimZ};
    return launch(f, grid, block, config->sharedMemBytes, config->hStream, kernelParams, extra,
                  attributes);
}

/* --- launches by state ------------------------------------------------------------------------ */

/* CUDA's first versions set a function's block, shared bytes and arguments by calls of their own
 * before the launch. */
enum {
    MOST_BYTES = 4096
}; /* Source: CUDA Driver API 13.0, cuParamSetSize: limit of a kernel's parameters. */

struct facade_old_launch {
    dim3 block;
    unsigned shared, bytes;
    char arguments[MOST_BYTES];
};

/* A leaf lock: the state of functions. Nothing is called with it held. */
static pthread_mutex_t old_lock = PTHREAD_MUTEX_INITIALIZER;

/* Old lock held; the state is freed with the function. */
static struct facade_old_launch *old_state(struct facade_function *function)
{
    if (function->old_launch == NULL)
        function->old_launch = calloc(1, sizeof *function->old_launch);
    return function->old_launch;
}

CUresult cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
    struct facade_function *function = NULL;
    CUresult result = find_function(hfunc, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (x <= 0 || y <= 0 || z <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&old_lock);
    struct facade_old_launch *state = old_state(function);
    if (state != NULL)
        state->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z};
    pthread_mutex_unlock(&old_lock);
    return state != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
    struct facade_function *function = NULL;
    CUresult result = find_function(hfunc, &function);
    if (result != CUDA_SUCCESS)
        return result;
    pthread_mutex_lock(&old_lock);
    struct facade_old_launch *state = old_state(function);
    if (state != NULL)
        state->shared = bytes;
    pthread_mutex_unlock(&old_lock);
    return state != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    struct facade_function *function = NULL;
    CUresult result = find_function(hfunc, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (numbytes > MOST_BYTES)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&old_lock);
    struct facade_old_launch *state = old_state(function);
    if (state != NULL)
        state->bytes = numbytes;
    pthread_mutex_unlock(&old_lock);
    return state != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
    struct facade_function *function = NULL;
    CUresult result = find_function(hfunc, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (ptr == NULL || offset < 0 || offset > MOST_BYTES ||
        numbytes > MOST_BYTES - (unsigned)offset)
        return CUDA_ERROR_INVALID_VALUE;
    pthread_mutex_lock(&old_lock);
    struct facade_old_launch *state = old_state(function);
    if (state != NULL)
        memcpy(state->arguments + offset, ptr, numbytes);
    pthread_mutex_unlock(&old_lock);
    return state != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
    return cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult cuParamSetf(CUfunction hfunc, int offset, float value)
{
    return cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
    struct facade_function *function = NULL;
    CUresult result = find_function(f, &function);
    if (result != CUDA_SUCCESS)
        return result;
    if (grid_width <= 0 || grid_height <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct facade_old_launch *copy = malloc(sizeof *copy);
    if (copy == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    pthread_mutex_lock(&old_lock);
    const struct facade_old_launch *state = old_state(function);
    bool is_set = state != NULL && state->block.x > 0;
    if (is_set)
        *copy = *state;
    pthread_mutex_unlock(&old_lock);
    result = CUDA_ERROR_INVALID_VALUE;
    if (is_set) {
        const struct facade_packed packed = {copy->arguments, copy->bytes};
        const dim3 grid = {(unsigned)grid_width, (unsigned)grid_height, 1};
        result = launch_packed(function, grid, copy->block, copy->shared, hStream, &packed,
                               (struct facade_launch_attributes){0});
    }
    free(copy);
    return result;
}

CUresult cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
    return cuLaunchGridAsync(f, grid_width, grid_height, NULL);
}

CUresult cuLaunch(CUfunction f)
{
    return cuLaunchGrid(f, 1, 1);
}
