/* Nodes of graphs that launch kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "facade/code/launch.h"
#include "facade/code/launch_work.h"
#include "facade/state/runtime.h"

/* Behind it lie the pointers to the arguments, and then the arguments as a structure of all would have them. */
struct launch_work {
    struct facade_work work;
    struct facade_function *function;
    uint64_t function_number;
    struct cudaKernelNodeParams params;
    bool is_cooperative;
    void *arguments[];
};

/* The kernel's library may have been unloaded since, and another kernel be in its place. */
static cudaError_t run_launch(const struct facade_work *work, struct facade_stream *stream)
{
    const struct launch_work *launch = (const struct launch_work *)work;
    if (facade_handle_find_again(FACADE_FUNCTION, launch->function, launch->function_number) ==
        NULL)
        return cudaErrorInvalidResourceHandle;
    return facade_launch_in(launch->function, launch->params.gridDim, launch->params.blockDim,
                            launch->arguments, launch->params.sharedMemBytes, stream,
                            launch->is_cooperative);
}

/* Another kernel may take its place, but none of another device. */
static enum cudaGraphExecUpdateResult may_become(const struct facade_work *work,
                                                 const struct facade_work *with)
{
    return work->context == with->context ? cudaGraphExecUpdateSuccess
                                          : cudaGraphExecUpdateErrorFunctionChanged;
}

static const struct facade_work_kind launch_kind = {cudaGraphNodeTypeKernel, run_launch, may_become,
                                                    NULL};

/* Parameters behind the buffer's end are zero, as in launches. */
static void copy_arguments(struct launch_work *made, size_t count, void *const *from,
                           const struct facade_packed *packed)
{
    char *bytes = (char *)(made->arguments + count);
    if (from == NULL && packed->size > 0)
        memcpy(bytes, packed->bytes, packed->size);
    for (size_t i = 0; i < count; i++) {
        size_t offset = 0, size = 0;
        (void)facade_function_parameter(made->function, i, &offset, &size);
        made->arguments[i] = bytes + offset;
        if (from != NULL)
            memcpy(bytes + offset, from[i], size);
    }
}

static cudaError_t check_arguments(const struct cudaKernelNodeParams *params, size_t count,
                                   size_t bytes, struct facade_packed *packed)
{
    if (params->kernelParams != NULL && params->extra != NULL)
        return cudaErrorInvalidValue;
    if (params->extra == NULL)
        return params->kernelParams != NULL || count == 0 ? cudaSuccess : cudaErrorInvalidValue;
    cudaError_t error = facade_packed_read(params->extra, packed);
    return error == cudaSuccess ? facade_packed_check(packed, count, bytes) : error;
}

static cudaError_t make_launch(struct facade_function *function,
                               const struct cudaKernelNodeParams *params, struct facade_work **work)
{
    struct facade_packed packed = {NULL, 0};
    size_t bytes = 0;
    const size_t count = facade_function_measure(function, &bytes);
    cudaError_t error = check_arguments(params, count, bytes, &packed);
    if (error != cudaSuccess)
        return error;
    struct launch_work *made = (struct launch_work *)facade_work_new(
        &launch_kind, sizeof *made + count * sizeof(void *) + bytes);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->function = function;
    made->function_number = facade_handle_number(function);
    made->params = *params;
    copy_arguments(made, count, params->kernelParams, &packed);
    made->params.kernelParams = made->arguments;
    made->params.extra = NULL;
    made->work.context = function->module->context;
    made->work.context_id = function->module->context->id;
    *work = &made->work;
    return cudaSuccess;
}

cudaError_t facade_work_of_launch(const struct cudaKernelNodeParams *params,
                                  struct facade_work **work)
{
    struct facade_function *function = NULL;
    if (params == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_function_find(params->func, &function);
    if (error == cudaSuccess)
        error = facade_launch_check_shape(function, params->gridDim, params->blockDim,
                                          params->sharedMemBytes);
    if (error == cudaSuccess)
        error = make_launch(function, params, work);
    return facade_launch_error_of(params->func, error);
}

void facade_work_set_cooperative(struct facade_work *work)
{
    ((struct launch_work *)work)->is_cooperative = true;
}

cudaError_t facade_work_cooperate_as(struct facade_work *work, const struct facade_work *before)
{
    struct launch_work *launch = (struct launch_work *)work;
    if (before->kind != &launch_kind || !((const struct launch_work *)before)->is_cooperative)
        return cudaSuccess;
    launch->is_cooperative = true;
    return facade_launch_check_cooperation(launch->function, launch->params.gridDim,
                                           launch->params.blockDim, launch->params.sharedMemBytes);
}

struct cudaKernelNodeParams facade_work_launch(const struct facade_work *work)
{
    return ((const struct launch_work *)work)->params;
}

struct facade_function *facade_work_function(const struct facade_work *work)
{
    return ((const struct launch_work *)work)->function;
}
