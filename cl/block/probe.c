/* Learns device addresses with a one-item kernel.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/block/probe.h"

#include <stdlib.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/device/driver_declarations.h"
#include "cl/trace.h"
#include "kernels/kernels.h"

#define PROBE_OPTIONS "-cl-std=CL1.2"

/* A kernel with the place of its answer. Arguments belong to a cl_kernel and not to a launch, so
 * each thread that learns takes one of its own; there are as many as threads ever learnt at once.
 */
struct learner {
    cl_kernel kernel;
    cl_mem answer;
    struct learner *next;
};

struct ocl_probe {
    cl_program program;
    /* An answer that makes probe_learn() follow the address; NULL before it is asked to. */
    cl_mem follows;
    pthread_mutex_t lock; /* a leaf: the list */
    struct learner *free;
};

static const struct kernel_source *find_source(const char *name)
{
    for (const struct kernel_source *source = kernel_sources; source->name; source++)
        if (strcmp(source->name, name) == 0)
            return source;
    return NULL;
}

static void log_build(struct ocl_context *context, cl_program program)
{
    char log[4096] = "";
    clGetProgramBuildInfo(program, context->device->id, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                          NULL);
    ocl_log(true, "kernels/probe.cl does not build on %s: %s", context->device->facts.name, log);
}

static ocl_status build_program(struct ocl_context *context, cl_program *program)
{
    const struct kernel_source *source = find_source("probe");
    if (!source)
        return OCL_E_NOT_FOUND;
    const ocl_status error = ocl_driver_build_own(context->device, context->cl, source->text,
                                                  source->bytes, PROBE_OPTIONS, program);
    if (error == OCL_OK)
        ocl_driver_note_own(context->device, source->text, source->bytes, PROBE_OPTIONS, *program);
    if (error == OCL_OK || !*program)
        return error;
    log_build(context, *program);
    return error == CL_BUILD_PROGRAM_FAILURE ? OCL_E_BUILD : error;
}

/* What a driver says about an error on its own account, on a thread of its own. */
static void CL_CALLBACK note_driver_message(const char *message, const void *private_info,
                                            size_t bytes, void *data)
{
    (void)private_info;
    (void)bytes;
    (void)data;
    ocl_trace("the driver says: %s", message);
}

/* What probe_learn() answers into. NULL after an error. */
static cl_mem create_answer(const struct ocl_context *context, cl_ulong follows, cl_int *error)
{
    cl_ulong words[2] = {0, follows};
    return clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof words,
                          words, error);
}

static ocl_status create_objects(struct ocl_context *context)
{
    cl_int error;
    const struct ocl_device *device = context->device;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)device->platform, 0};
    context->cl = clCreateContext(properties, 1, &device->id, note_driver_message, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    context->service = clCreateCommandQueue(context->cl, device->id, 0, &error);
    return error == CL_SUCCESS ? build_program(context, &context->probe->program) : error;
}

ocl_status ocl_probe_create(struct ocl_context *context)
{
    context->probe = calloc(1, sizeof *context->probe);
    if (!context->probe)
        return OCL_E_OUT_OF_MEMORY;
    pthread_mutex_init(&context->probe->lock, NULL);
    ocl_status status = create_objects(context);
    if (status != OCL_OK)
        ocl_probe_destroy(context);
    return status;
}

static void destroy_learner(struct learner *learner)
{
    if (learner->kernel)
        clReleaseKernel(learner->kernel);
    if (learner->answer)
        clReleaseMemObject(learner->answer);
    free(learner);
}

void ocl_probe_destroy(struct ocl_context *context)
{
    struct ocl_probe *probe = context->probe;
    if (!probe)
        return;
    while (probe->free) {
        struct learner *learner = probe->free;
        probe->free = learner->next;
        destroy_learner(learner);
    }
    if (probe->follows)
        clReleaseMemObject(probe->follows);
    if (probe->program)
        clReleaseProgram(probe->program);
    if (context->service)
        clReleaseCommandQueue(context->service);
    if (context->cl)
        clReleaseContext(context->cl);
    pthread_mutex_destroy(&probe->lock);
    free(probe);
    context->service = NULL;
    context->cl = NULL;
    context->probe = NULL;
}

static ocl_status create_learner(struct ocl_context *context, struct learner **learner)
{
    cl_int error;
    struct learner *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->kernel = clCreateKernel(context->probe->program, "probe_learn", &error);
    if (error != CL_SUCCESS)
        goto fail;
    made->answer = create_answer(context, 0, &error);
    if (error != CL_SUCCESS)
        goto fail;
    error = clSetKernelArg(made->kernel, 1, sizeof(cl_mem), &made->answer);
    if (error != CL_SUCCESS)
        goto fail;
    *learner = made;
    return OCL_OK;
fail:
    destroy_learner(made);
    return error;
}

static ocl_status take_learner(struct ocl_context *context, struct learner **learner)
{
    pthread_mutex_lock(&context->probe->lock);
    *learner = context->probe->free;
    if (*learner)
        context->probe->free = (*learner)->next;
    pthread_mutex_unlock(&context->probe->lock);
    return *learner ? OCL_OK : create_learner(context, learner);
}

static void give_learner(struct ocl_context *context, struct learner *learner)
{
    pthread_mutex_lock(&context->probe->lock);
    learner->next = context->probe->free;
    context->probe->free = learner;
    pthread_mutex_unlock(&context->probe->lock);
}

static ocl_status ask_address(struct ocl_context *context, struct learner *learner, cl_mem buffer,
                              cl_ulong *answer)
{
    const size_t one = 1;
    cl_int error = clSetKernelArg(learner->kernel, 0, sizeof(cl_mem), &buffer);
    if (error == CL_SUCCESS)
        error =
            ocl_steady_range(context->service, learner->kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = ocl_steady_read(context->service, learner->answer, sizeof *answer, answer);
    /* The kernel must not keep the caller's buffer alive, nor name it once it is gone. */
    clSetKernelArg(learner->kernel, 0, sizeof(cl_mem), &learner->answer);
    return error;
}

ocl_status ocl_probe_learn(struct ocl_context *context, cl_mem buffer, uint64_t *address)
{
    cl_ulong answer = 0;
    struct learner *learner;
    ocl_status status = take_learner(context, &learner);
    if (status != OCL_OK)
        return status;
    status = ask_address(context, learner, buffer, &answer);
    give_learner(context, learner);
    *address = answer;
    return status == OCL_OK && answer == 0 ? OCL_E_NOT_SUPPORTED : status;
}

ocl_status ocl_probe_kernel(struct ocl_context *context, const char *name, cl_kernel *kernel)
{
    cl_int error;
    *kernel = clCreateKernel(context->probe->program, name, &error);
    return error;
}

ocl_status ocl_probe_follow_kernel(struct ocl_context *context, cl_kernel *kernel)
{
    ocl_status status = OCL_OK;
    if (!context->probe->follows)
        context->probe->follows = create_answer(context, 1, &status);
    if (status == OCL_OK)
        status = ocl_probe_kernel(context, "probe_learn", kernel);
    if (status != OCL_OK)
        return status;
    status = clSetKernelArg(*kernel, 1, sizeof(cl_mem), &context->probe->follows);
    if (status != OCL_OK)
        clReleaseKernel(*kernel);
    return status;
}

ocl_status ocl_probe_run(struct ocl_context *context, cl_kernel kernel)
{
    const size_t one = 1;
    cl_event event;
    cl_int outcome = CL_COMPLETE;
    cl_int error = ocl_steady_range(context->service, kernel, 1, NULL, &one, &one, 0, NULL, &event);
    if (error != CL_SUCCESS)
        return error;
    error = ocl_steady_event(event);
    if (error != CL_SUCCESS) /* the kernel may follow addresses of what goes now */
        (void)ocl_steady_finish(context->service);
    clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof outcome, &outcome, NULL);
    clReleaseEvent(event);
    return outcome < 0 ? outcome : error;
}
