/* The driver's queues: how they are made, and what is known of drivers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"

bool ocl_queue_is_nvidia(const struct ocl_context *context)
{
    return strstr(context->device->facts.extensions, "cl_nv_compiler_options") != NULL;
}

/* Starting: see wants_flush(). Profiling: see stamp.c. Marks: see ocl_enqueue_mark(). */
struct ocl_queue_tuning ocl_queue_tuning_of(const struct ocl_context *context)
{
    return (struct ocl_queue_tuning){.starts_by_itself = ocl_queue_is_nvidia(context),
                                     .finishes_exactly = ocl_queue_is_nvidia(context),
                                     .marks_late = ocl_queue_is_nvidia(context),
                                     .is_profiled =
                                         atomic_load(&context->stamp) != OCL_STAMP_CLOCK ||
                                         ocl_profile_times_commands()};
}

/* Source: cl_khr_priority_hints in the OpenCL Extension Specification. */
static cl_queue_properties priority_hint(int priority)
{
    return priority < 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR;
}

static cl_command_queue make(const struct ocl_context *context, int priority, bool is_profiled,
                             cl_int *error)
{
    const struct ocl_device *device = context->device;
    const cl_command_queue_properties flags = is_profiled ? CL_QUEUE_PROFILING_ENABLE : 0;

    if (device->facts.opencl_major < 2 || device->facts.platform_major < 2)
        return clCreateCommandQueue(context->cl, device->id, flags, error);

    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, 0, 0, 0};
    if (priority != 0 && strstr(device->facts.extensions, "cl_khr_priority_hints")) {
        list[2] = CL_QUEUE_PRIORITY_KHR;
        list[3] = priority_hint(priority);
    }
    cl_command_queue made =
        clCreateCommandQueueWithProperties(context->cl, device->id, list, error);
    if (!made && list[2] != 0) { /* a hint is no reason to fail */
        list[2] = 0;
        made = clCreateCommandQueueWithProperties(context->cl, device->id, list, error);
    }
    return made;
}

cl_command_queue ocl_queue_make(const struct ocl_context *context, int priority, bool is_profiled,
                                cl_int *error)
{
    cl_command_queue made = make(context, priority, is_profiled, error);

    if (made)
        ocl_command_watch(made, 0);
    return made;
}

static ocl_status open_slowly(struct ocl_queue *queue)
{
    const struct ocl_context *context = queue->context;
    cl_int error = CL_SUCCESS;
    cl_command_queue none = NULL;
    cl_command_queue made =
        ocl_queue_make(context, queue->priority, context->tuning.is_profiled, &error);

    if (!made)
        return error;
    if (!atomic_compare_exchange_strong(&queue->cl, &none, made))
        clReleaseCommandQueue(made); /* another thread was first */
    return OCL_OK;
}

ocl_status ocl_queue_open(struct ocl_queue *queue)
{
    return atomic_load(&queue->cl) ? OCL_OK : open_slowly(queue);
}
