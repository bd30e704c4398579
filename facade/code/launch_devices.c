/* Cooperative launches on several devices at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/launch_devices.h"

#include <stdlib.h>
#include <string.h>

#include "cl/event.h"
#include "facade/graph/capture.h"
#include "facade/stream/stream.h"

/* A launch whose handles are found. */
struct part {
    const struct facade_device_launch *launch;
    struct facade_stream *stream;
    struct facade_function *function;
};

/* --- checks ----------------------------------------------------------------------------------- */

static bool is_alike(dim3 one, dim3 other)
{
    return one.x == other.x && one.y == other.y && one.z == other.z;
}

static bool are_alike(const struct part *part, const struct part *first)
{
    return is_alike(part->launch->grid, first->launch->grid) &&
           is_alike(part->launch->block, first->launch->block) &&
           part->launch->shared == first->launch->shared &&
           strcmp(ocl_kernel_name(part->function->kernel),
                  ocl_kernel_name(first->function->kernel)) == 0;
}

static bool is_special(cudaStream_t handle)
{
    return handle == NULL || handle == cudaStreamLegacy || handle == cudaStreamPerThread;
}

static cudaError_t find_stream(struct part *part)
{
    bool is_capturing = false;
    if (is_special(part->launch->stream))
        return cudaErrorInvalidResourceHandle;
    const cudaError_t error = facade_stream_look(part->launch->stream, &part->stream);
    return error == cudaSuccess
               ? facade_capture_check(part->stream, FACADE_TO_SUBMIT, &is_capturing)
               : error;
}

/* The function is that of the stream's context, which is the current one. */
static cudaError_t find_function(struct part *part)
{
    const struct facade_device_launch *launch = part->launch;
    cudaError_t error = facade_function_find(launch->func, &part->function);
    if (error == cudaSuccess && part->function->module->context != part->stream->context)
        error = cudaErrorInvalidResourceHandle;
    if (error == cudaSuccess)
        error =
            facade_launch_check_shape(part->function, launch->grid, launch->block, launch->shared);
    return error == cudaSuccess ? facade_launch_check_cooperation(part->function, launch->grid,
                                                                  launch->block, launch->shared)
                                : error;
}

static cudaError_t find_part(struct part *part)
{
    cudaError_t error = find_stream(part);
    if (error != cudaSuccess)
        return error;
    if (!facade_stack_push(part->stream->context))
        return cudaErrorMemoryAllocation;
    error = find_function(part);
    (void)facade_stack_pop();
    return error;
}

static cudaError_t check_parts(const struct part *parts, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        if (!are_alike(&parts[i], &parts[0]))
            return cudaErrorInvalidValue;
        for (unsigned k = 0; k < i; k++)
            if (parts[k].stream->context->device == parts[i].stream->context->device)
                return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

/* --- order ------------------------------------------------------------------------------------ */

/* Makes all other streams wait for what one was given so far. */
static ocl_status precede(const struct part *parts, unsigned count, unsigned one)
{
    struct ocl_queue *queue = parts[one].stream->queue;
    struct ocl_event *point = NULL;
    ocl_status status = ocl_event_create(ocl_queue_context(queue), false, &point);
    if (status != OCL_OK)
        return status;
    status = ocl_event_record(point, queue);
    for (unsigned i = 0; status == OCL_OK && i < count; i++)
        if (i != one)
            status = ocl_event_wait_in_queue(point, parts[i].stream->queue);
    ocl_event_destroy(point);
    return status;
}

/* Later points are behind earlier ones too, and so the last is behind all. */
static cudaError_t meet(const struct part *parts, unsigned count)
{
    ocl_status status = OCL_OK;
    for (unsigned i = 0; status == OCL_OK && i < count; i++)
        status = precede(parts, count, i);
    return facade_error_from(status, FACADE_OTHER);
}

/* --- launching -------------------------------------------------------------------------------- */

static cudaError_t launch_part(const struct part *part)
{
    const struct facade_device_launch *launch = part->launch;
    if (!facade_stack_push(part->stream->context))
        return cudaErrorMemoryAllocation;
    const cudaError_t error = facade_launch_in(part->function, launch->grid, launch->block,
                                               launch->args, launch->shared, part->stream, true);
    (void)facade_stack_pop();
    return error;
}

static cudaError_t launch_parts(const struct part *parts, unsigned count, unsigned flags)
{
    cudaError_t error = cudaSuccess;
    if ((flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC) == 0)
        error = meet(parts, count);
    for (unsigned i = 0; error == cudaSuccess && i < count; i++)
        error = launch_part(&parts[i]);
    if (error == cudaSuccess &&
        (flags & CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC) == 0)
        error = meet(parts, count);
    return error;
}

cudaError_t facade_launch_on_devices(const struct facade_device_launch *list, unsigned count,
                                     unsigned flags)
{
    const unsigned known = CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_PRE_LAUNCH_SYNC |
                           CUDA_COOPERATIVE_LAUNCH_MULTI_DEVICE_NO_POST_LAUNCH_SYNC;
    int devices = 0;
    cudaError_t error = facade_devices(&devices);
    if (error != cudaSuccess)
        return error;
    if (list == NULL || count == 0 || count > (unsigned)devices || (flags & ~known) != 0)
        return cudaErrorInvalidValue;
    struct part *parts = calloc(count, sizeof *parts);
    if (parts == NULL)
        return cudaErrorMemoryAllocation;
    for (unsigned i = 0; error == cudaSuccess && i < count; i++) {
        parts[i].launch = &list[i];
        error = find_part(&parts[i]);
    }
    if (error == cudaSuccess)
        error = check_parts(parts, count);
    if (error == cudaSuccess)
        error = launch_parts(parts, count, flags);
    free(parts);
    return error;
}
