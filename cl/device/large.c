/* Allocations of more than CL_DEVICE_MAX_MEM_ALLOC_SIZE: Intel's drivers say 4 GiB, which is what the usual way of addressing
 * buffers reaches, and give more to those who ask, for kernels that address them otherwise.
 * Source: github.com/intel/compute-runtime, programmers-guide/ALLOCATIONS_GREATER_THAN_4GB.md.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/large.h"

#include <stdatomic.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/device/trial.h"
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
    struct ocl_trial objects;
    bool allocates; /* otherwise it only builds */
    cl_uint first, last;
};

static cl_int build(struct ocl_trial *trial)
{
    const char *text = trial_text;
    cl_int error = CL_SUCCESS;
    trial->program = clCreateProgramWithSource(trial->context, 1, &text, NULL, &error);
    return error == CL_SUCCESS
               ? clBuildProgram(trial->program, 1, &trial->device->id, option, NULL, NULL)
               : error;
}

static cl_int touch(struct trial *trial, size_t bytes)
{
    const struct ocl_trial *objects = &trial->objects;
    const size_t one = 1;
    const cl_ulong last = bytes / sizeof(cl_uint) - 1;
    cl_int error = clSetKernelArg(objects->kernel, 0, sizeof(cl_mem), &objects->buffer);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(objects->kernel, 1, sizeof last, &last);
    if (error == CL_SUCCESS)
        error =
            ocl_steady_range(objects->queue, objects->kernel, 1, NULL, &one, &one, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error =
            ocl_steady_read(objects->queue, objects->buffer, sizeof trial->first, &trial->first);
    if (error == CL_SUCCESS)
        error =
            clEnqueueReadBuffer(objects->queue, objects->buffer, CL_TRUE, last * sizeof(cl_uint),
                                sizeof trial->last, &trial->last, 0, NULL, NULL);
    return error;
}

static cl_int allocate(struct trial *trial)
{
    struct ocl_trial *objects = &trial->objects;
    const size_t bytes = (size_t)objects->device->facts.max_alloc_bytes + BEYOND;
    cl_int error = CL_SUCCESS;
    objects->kernel = clCreateKernel(objects->program, "trial", &error);
    if (error == CL_SUCCESS)
        objects->buffer =
            clCreateBuffer(objects->context, CL_MEM_READ_WRITE | UNRESTRICTED, bytes, NULL, &error);
    return error == CL_SUCCESS ? touch(trial, bytes) : error;
}

static int run(void *data)
{
    struct trial *trial = data;
    cl_int error = ocl_trial_begin(&trial->objects);
    if (error == CL_SUCCESS)
        error = build(&trial->objects);
    if (error == CL_SUCCESS && trial->allocates)
        error = allocate(trial);
    ocl_trial_end(&trial->objects);
    return error;
}

static int find(const struct ocl_device *device, bool allocates)
{
    struct trial trial = {.objects.device = device, .allocates = allocates};
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
