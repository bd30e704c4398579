/* Nodes of graphs that launch kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "facade/code/launch.h"
#include "facade/code/launch_work.h"
#include "facade/device/device.h"
#include "facade/state/runtime.h"
#include "facade/stream/stream.h"

/* Hints of a launch, which are kept and given back. */
struct hints {
    struct cudaAccessPolicyWindow window;
    int cluster_policy, priority;
    unsigned cluster[3], carveout, nvlink;
    cudaLaunchMemSyncDomainMap domain_map;
    cudaLaunchMemSyncDomain domain;
};

/* Those of a node that nobody has told any. */
static const struct hints no_hints = {.domain_map = {0, 1}};

/* Behind it lie the pointers to the arguments, and then the arguments as a structure of all would have them. */
struct launch_work {
    struct facade_work work;
    struct facade_function *function;
    uint64_t function_number;
    struct cudaKernelNodeParams params;
    bool is_cooperative;
    struct hints *hints; /* NULL: no_hints */
    size_t bytes, count; /* of all of it; of arguments */
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

static void end_launch(struct facade_work *work)
{
    free(((struct launch_work *)work)->hints);
}

static const struct facade_work_kind launch_kind = {cudaGraphNodeTypeKernel, run_launch, may_become,
                                                    end_launch};

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
    const size_t all = sizeof(struct launch_work) + count * sizeof(void *) + bytes;
    struct launch_work *made = (struct launch_work *)facade_work_new(&launch_kind, all);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->bytes = all;
    made->count = count;
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

static bool copy_hints(struct launch_work *made, const struct hints *hints)
{
    if (hints == NULL)
        return true;
    made->hints = malloc(sizeof *hints);
    if (made->hints != NULL)
        *made->hints = *hints;
    return made->hints != NULL;
}

/* Nobody else has made yet. */
static cudaError_t take_attributes(struct launch_work *made, const struct hints *hints,
                                   bool is_cooperative)
{
    if (!copy_hints(made, hints))
        return cudaErrorMemoryAllocation;
    made->is_cooperative = is_cooperative;
    if (!made->is_cooperative)
        return cudaSuccess;
    return facade_launch_check_cooperation(made->function, made->params.gridDim,
                                           made->params.blockDim, made->params.sharedMemBytes);
}

cudaError_t facade_work_cooperate_as(struct facade_work *work, const struct facade_work *before)
{
    const struct launch_work *from = (const struct launch_work *)before;
    return before->kind == &launch_kind
               ? take_attributes((struct launch_work *)work, from->hints, from->is_cooperative)
               : cudaSuccess;
}

/* --- attributes -------------------------------------------------------------------------------- */

/* The same launch, but for its attributes, which it has none of. */
static struct launch_work *copy_launch(const struct launch_work *launch)
{
    struct launch_work *made = (struct launch_work *)facade_work_new(&launch_kind, launch->bytes);
    if (made == NULL)
        return NULL;
    const size_t bytes = launch->bytes - sizeof *launch;
    made->function = launch->function;
    made->function_number = launch->function_number;
    made->params = launch->params;
    made->bytes = launch->bytes;
    made->count = launch->count;
    made->work.context = launch->work.context;
    made->work.context_id = launch->work.context_id;
    memcpy(made->arguments, launch->arguments, bytes);
    for (size_t i = 0; i < launch->count; i++)
        made->arguments[i] = (char *)made + ((char *)launch->arguments[i] - (const char *)launch);
    made->params.kernelParams = made->arguments;
    return made;
}

static const struct hints *hints_of(const struct launch_work *launch)
{
    return launch->hints != NULL ? launch->hints : &no_hints;
}

cudaError_t facade_work_attribute(const struct facade_work *work, int attribute,
                                  cudaLaunchAttributeValue *value)
{
    const struct launch_work *launch = (const struct launch_work *)work;
    const struct hints *hints = hints_of(launch);
    cudaLaunchAttributeValue told;
    memset(&told, 0, sizeof told);
    switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
        told.accessPolicyWindow = hints->window;
        break;
    case cudaLaunchAttributeCooperative:
        told.cooperative = launch->is_cooperative;
        break;
    case cudaLaunchAttributeClusterDimension:
        told.clusterDim.x = hints->cluster[0];
        told.clusterDim.y = hints->cluster[1];
        told.clusterDim.z = hints->cluster[2];
        break;
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        told.clusterSchedulingPolicyPreference =
            (enum cudaClusterSchedulingPolicy)hints->cluster_policy;
        break;
    case cudaLaunchAttributePriority:
        told.priority = hints->priority;
        break;
    case cudaLaunchAttributeMemSyncDomainMap:
        told.memSyncDomainMap = hints->domain_map;
        break;
    case cudaLaunchAttributeMemSyncDomain:
        told.memSyncDomain = hints->domain;
        break;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        told.sharedMemCarveout = hints->carveout;
        break;
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
        told.nvlinkUtilCentricScheduling = hints->nvlink;
        break;
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
        break;
    default:
        return cudaErrorInvalidValue;
    }
    *value = told;
    return cudaSuccess;
}

static cudaError_t set_cluster(struct hints *hints, const cudaLaunchAttributeValue *value)
{
    if (value->clusterDim.x > 1 || value->clusterDim.y > 1 || value->clusterDim.z > 1)
        return cudaErrorInvalidClusterSize;
    hints->cluster[0] = value->clusterDim.x;
    hints->cluster[1] = value->clusterDim.y;
    hints->cluster[2] = value->clusterDim.z;
    return cudaSuccess;
}

static cudaError_t set_hint(struct hints *hints, int attribute,
                            const cudaLaunchAttributeValue *value)
{
    switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
        hints->window = value->accessPolicyWindow;
        return facade_window_check(&hints->window);
    case cudaLaunchAttributeClusterDimension:
        return set_cluster(hints, value);
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
        hints->cluster_policy = (int)value->clusterSchedulingPolicyPreference;
        return cudaSuccess;
    case cudaLaunchAttributePriority:
        hints->priority = value->priority;
        return value->priority <= FACADE_PRIORITY_LEAST &&
                       value->priority >= FACADE_PRIORITY_GREATEST
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    case cudaLaunchAttributeMemSyncDomainMap:
        hints->domain_map = value->memSyncDomainMap;
        return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomain:
        hints->domain = value->memSyncDomain;
        return cudaSuccess;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
        hints->carveout = value->sharedMemCarveout;
        return cudaSuccess;
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
        hints->nvlink = value->nvlinkUtilCentricScheduling;
        return cudaSuccess;
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
        return value->deviceUpdatableKernelNode.deviceUpdatable == 0 ? cudaSuccess
                                                                     : cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
}

/* Of what a stream says, priorities and windows are those of its launches.
 * Source: CUDA Driver API 13.0, cuGraphInstantiate(), "copied from stream priority during stream capture". */
static struct hints hints_of_stream(const struct facade_stream *stream)
{
    struct hints hints = no_hints;
    hints.window = stream->access_policy.accessPolicyWindow;
    hints.priority = stream->priority;
    hints.domain_map = stream->domain_map;
    hints.domain = stream->domain;
    return hints;
}

/* Launches are clamped where nodes are refused. */
static void take_hint(struct hints *hints, const struct cudaLaunchAttribute_st *attribute)
{
    cudaLaunchAttributeValue value = attribute->val;
    if ((int)attribute->id == cudaLaunchAttributePriority && value.priority > FACADE_PRIORITY_LEAST)
        value.priority = FACADE_PRIORITY_LEAST;
    if ((int)attribute->id == cudaLaunchAttributePriority &&
        value.priority < FACADE_PRIORITY_GREATEST)
        value.priority = FACADE_PRIORITY_GREATEST;
    (void)set_hint(hints, (int)attribute->id, &value); /* others are of launches alone */
}

cudaError_t facade_work_take_attributes(struct facade_work *work,
                                        const struct facade_stream *stream,
                                        const struct facade_launch_attributes *attributes)
{
    struct launch_work *made = (struct launch_work *)work;
    struct hints hints = hints_of_stream(stream);
    for (unsigned i = 0; i < attributes->count; i++)
        take_hint(&hints, &attributes->list[i]);
    made->is_cooperative = attributes->is_cooperative;
    return copy_hints(made, &hints) ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* The kernel's library may have been unloaded since. */
static bool is_function_there(const struct launch_work *launch)
{
    return facade_handle_find_again(FACADE_FUNCTION, launch->function, launch->function_number) !=
           NULL;
}

/* Takes the reference to made unless all went well. */
static cudaError_t end_copy(struct launch_work *made, cudaError_t error, struct facade_work **work)
{
    if (error == cudaSuccess)
        *work = &made->work;
    else
        facade_work_let_go(&made->work);
    return error;
}

cudaError_t facade_work_with_attribute(const struct facade_work *work, int attribute,
                                       const cudaLaunchAttributeValue *value,
                                       struct facade_work **made)
{
    const struct launch_work *launch = (const struct launch_work *)work;
    struct hints hints = *hints_of(launch);
    bool is_cooperative = launch->is_cooperative;
    cudaError_t error = cudaSuccess;
    if (!is_function_there(launch))
        return cudaErrorInvalidResourceHandle;
    if (attribute == cudaLaunchAttributeCooperative)
        is_cooperative = value->cooperative != 0;
    else
        error = set_hint(&hints, attribute, value);
    if (error != cudaSuccess)
        return error;
    struct launch_work *copy = copy_launch(launch);
    return copy != NULL ? end_copy(copy, take_attributes(copy, &hints, is_cooperative), made)
                        : cudaErrorMemoryAllocation;
}

cudaError_t facade_work_with_attributes_of(const struct facade_work *work,
                                           const struct facade_work *other,
                                           struct facade_work **made)
{
    const struct launch_work *launch = (const struct launch_work *)work;
    const struct launch_work *from = (const struct launch_work *)other;
    if (!is_function_there(launch))
        return cudaErrorInvalidResourceHandle;
    struct launch_work *copy = copy_launch(launch);
    if (copy == NULL)
        return cudaErrorMemoryAllocation;
    return end_copy(copy, take_attributes(copy, from->hints, from->is_cooperative), made);
}

const char *facade_work_kernel_name(const struct facade_work *work)
{
    const struct launch_work *launch = (const struct launch_work *)work;
    return is_function_there(launch) ? ocl_kernel_name(launch->function->kernel) : NULL;
}

struct cudaKernelNodeParams facade_work_launch(const struct facade_work *work)
{
    return ((const struct launch_work *)work)->params;
}

struct facade_function *facade_work_function(const struct facade_work *work)
{
    return ((const struct launch_work *)work)->function;
}
