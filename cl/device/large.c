/* Allocations of more than CL_DEVICE_MAX_MEM_ALLOC_SIZE: Intel's drivers say 4 GiB, which is what the usual way of addressing
 * buffers reaches, and give more to those who ask, for kernels that address them otherwise.
 * Source: github.com/intel/compute-runtime, programmers-guide/ALLOCATIONS_GREATER_THAN_4GB.md.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/large.h"

#include <stdatomic.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/own_thread.h"
#include "cl/trace.h"

/* Source: CL_MEM_ALLOW_UNRESTRICTED_SIZE_INTEL; Debian 12's headers lack it. */
#define UNRESTRICTED ((cl_mem_flags)1 << 23)
static const char option[] = "-cl-intel-greater-than-4GB-buffer-required";

enum { UNKNOWN, NO, YES };

/* Of the first devices; others are not tried. Two threads may both find out, and find the same. */
enum { DEVICES = 64 };
static _Atomic int takes_option[DEVICES], gives_more[DEVICES];

static const char trial_text[] = "__kernel void trial(__global uint *words, ulong last)\n"
                                 "{\n"
                                 "    words[0] = 11;\n"
                                 "    words[last] = 22;\n"
                                 "}\n";

/* Beyond the limit by this: the last word is where no smaller buffer reaches. */
enum { BEYOND = 64 << 10 };

struct trial {
    const struct ocl_device *device;
    bool allocates; /* otherwise it only builds */
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer;
    cl_uint first, last;
};

static cl_int build(struct trial *trial)
{
    const struct ocl_device *device = trial->device;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)device->platform, 0};
    const char *text = trial_text;
    cl_int error = CL_SUCCESS;
    trial->context = clCreateContext(properties, 1, &device->id, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        trial->program = clCreateProgramWithSource(trial->context, 1, &text, NULL, &error);
    if (error == CL_SUCCESS)
        error = clBuildProgram(trial->program, 1, &device->id, option, NULL, NULL);
    return error;
}

static cl_int touch(struct trial *trial, size_t bytes)
{
    const size_t one = 1;
    const cl_ulong last = bytes / sizeof(cl_uint) - 1;
    cl_int error = clSetKernelArg(trial->kernel, 0, sizeof(cl_mem), &trial->buffer);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(trial->kernel, 1, sizeof last, &last);
    if (error == CL_SUCCESS)
        error = ocl_steady_range(trial->queue, trial->kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = ocl_steady_read(trial->queue, trial->buffer, sizeof trial->first, &trial->first);
    if (error == CL_SUCCESS)
        error = clEnqueueReadBuffer(trial->queue, trial->buffer, CL_TRUE, last * sizeof(cl_uint),
                                    sizeof trial->last, &trial->last, 0, NULL, NULL);
    return error;
}

static cl_int allocate(struct trial *trial)
{
    const size_t bytes = (size_t)trial->device->facts.max_alloc_bytes + BEYOND;
    cl_int error = CL_SUCCESS;
    trial->queue = clCreateCommandQueue(trial->context, trial->device->id, 0, &error);
    if (error == CL_SUCCESS)
        trial->kernel = clCreateKernel(trial->program, "trial", &error);
    if (error == CL_SUCCESS)
        trial->buffer =
            clCreateBuffer(trial->context, CL_MEM_READ_WRITE | UNRESTRICTED, bytes, NULL, &error);
    return error == CL_SUCCESS ? touch(trial, bytes) : error;
}

static void end(struct trial *trial)
{
    if (trial->buffer)
        clReleaseMemObject(trial->buffer);
    if (trial->kernel)
        clReleaseKernel(trial->kernel);
    if (trial->program)
        clReleaseProgram(trial->program);
    if (trial->queue)
        clReleaseCommandQueue(trial->queue);
    if (trial->context)
        clReleaseContext(trial->context);
}

static int run(void *data)
{
    struct trial *trial = data;
    cl_int error = build(trial);
    if (error == CL_SUCCESS && trial->allocates)
        error = allocate(trial);
    end(trial);
    return error;
}

static int find(const struct ocl_device *device, bool allocates)
{
    struct trial trial = {.device = device, .allocates = allocates};
    const int before = ocl_steady_begin();
    const int error = own_thread_call(run, &trial, OCL_E_OUT_OF_MEMORY);
    ocl_steady_end(before);
    const bool is_right =
        error == CL_SUCCESS && (!allocates || (trial.first == 11 && trial.last == 22));
    ocl_trace("%s: %s: %s", device->facts.name, allocates ? "allocations beyond its limit" : option,
              is_right              ? "yes"
              : error != CL_SUCCESS ? ocl_status_name(error)
                                    : "wrong result");
    return is_right ? YES : NO;
}

/* Options that a compiler does not know may be worse than refused: only one of Intel's is shown it, where one allocation
 * cannot have most of the memory. */
static bool may_try(const struct ocl_device *device)
{
    const struct ocl_device_facts *facts = &device->facts;
    return device->index < DEVICES && facts->device_class != OCL_CLASS_CPU &&
           facts->max_alloc_bytes < facts->global_bytes / 10 * 9 &&
           strstr(facts->extensions, "cl_intel_") != NULL;
}

static bool is_found(_Atomic int *answer, const struct ocl_device *device, bool allocates)
{
    int found = atomic_load(answer);
    if (found == UNKNOWN) {
        found = find(device, allocates);
        atomic_store(answer, found);
    }
    return found == YES;
}

const char *ocl_large_option(const struct ocl_device *device)
{
    return may_try(device) && is_found(&takes_option[device->index], device, false) ? option : "";
}

cl_mem_flags ocl_large_flags(const struct ocl_device *device, size_t bytes)
{
    if (bytes <= device->facts.max_alloc_bytes || !*ocl_large_option(device))
        return 0;
    return is_found(&gives_more[device->index], device, true) ? UNRESTRICTED : 0;
}
