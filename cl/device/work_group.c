/* How large the work-groups of a device can be. AMD's drivers say 256 for kernels that are compiled for groups of any size,
 * and take 1,024 of those that say so in their text.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/work_group.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/base/steady.h"
#include "cl/device/driver_declarations.h"
#include "cl/device/trial.h"
#include "cl/own_thread.h"
#include "cl/trace.h"

/* Source: CUDA C++ Programming Guide 13.0, technical specifications: threads of a block. */
enum { BLOCK_THREADS = 1024 };

/* 0: not known. Of the first devices; others are tried at each question. */
enum { DEVICES = 64 };
static _Atomic size_t answers[DEVICES];

/* Every work-item hands a number to the one opposite: they have to be there all at once, with one local memory. */
static const char trial_text[] =
    "__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void trial(__global uint *words)\n"
    "{\n"
    "    __local uint told[ITEMS];\n"
    "    uint item = (uint)get_local_id(0);\n"
    "    told[item] = words[item] * 3 + item;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    words[item] = told[ITEMS - 1 - item] + (uint)get_local_size(0);\n"
    "}\n";

static cl_uint given(size_t item)
{
    return (cl_uint)item * 17 + 5;
}

static bool is_right(const cl_uint *words, size_t items)
{
    for (size_t i = 0; i < items; i++) {
        const size_t opposite = items - 1 - i;
        if (words[i] != given(opposite) * 3 + (cl_uint)opposite + (cl_uint)items)
            return false;
    }
    return true;
}

static cl_int build(struct ocl_trial *trial, size_t items)
{
    char options[64];
    snprintf(options, sizeof options, "-cl-std=CL1.2 -D ITEMS=%zu", items);
    cl_int error = ocl_driver_build_own(trial->device, trial->context, trial_text,
                                        sizeof trial_text - 1, options, &trial->program);
    if (error == CL_SUCCESS)
        trial->kernel = clCreateKernel(trial->program, "trial", &error);
    return error;
}

/* words: of the kernel, as it gets them and leaves them. */
static cl_int run(struct ocl_trial *trial, cl_uint *words, size_t items)
{
    const size_t bytes = items * sizeof *words;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < items; i++)
        words[i] = given(i);
    trial->buffer = clCreateBuffer(trial->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                   words, &error);
    if (error == CL_SUCCESS)
        error = clSetKernelArg(trial->kernel, 0, sizeof(cl_mem), &trial->buffer);
    if (error == CL_SUCCESS)
        error =
            ocl_steady_range(trial->queue, trial->kernel, 1, NULL, &items, &items, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        error = ocl_steady_read(trial->queue, trial->buffer, bytes, words);
    return error;
}

static bool takes(const struct ocl_device *device, size_t items)
{
    struct ocl_trial trial = {.device = device};
    cl_uint words[BLOCK_THREADS];
    cl_int error = ocl_trial_begin(&trial);
    if (error == CL_SUCCESS)
        error = build(&trial, items);
    if (error == CL_SUCCESS)
        error = run(&trial, words, items);
    ocl_trial_end(&trial);
    const bool takes = error == CL_SUCCESS && is_right(words, items);
    ocl_trace("%s: work-groups of %zu work-items: %s", device->facts.name, items,
              takes                 ? "taken of kernels built for them"
              : error != CL_SUCCESS ? ocl_status_name(error)
                                    : "wrong result");
    return takes;
}

struct search {
    const struct ocl_device *device;
    size_t most;
};

/* From the largest on, since that is what programs ask for. */
static ocl_status find(void *data)
{
    struct search *search = data;
    const struct ocl_device_facts *facts = &search->device->facts;
    size_t most = facts->max_work_item[0] < BLOCK_THREADS ? facts->max_work_item[0] : BLOCK_THREADS;
    while (most > facts->max_work_group && !takes(search->device, most))
        most /= 2;
    search->most = most > facts->max_work_group ? most : facts->max_work_group;
    return OCL_OK;
}

/* Compilers want a larger stack than some threads have, and leave locks behind in one that is cancelled. */
static size_t search(const struct ocl_device *device)
{
    struct search search = {.device = device, .most = device->facts.max_work_group};
    const int before = ocl_steady_begin();
    (void)own_thread_call(find, &search, OCL_E_OUT_OF_MEMORY);
    ocl_steady_end(before);
    return search.most;
}

size_t ocl_work_group_most(const struct ocl_device *device)
{
    const struct ocl_device_facts *facts = &device->facts;
    const bool is_kept = device->index < DEVICES;
    if (facts->max_work_group >= BLOCK_THREADS || facts->max_work_group >= facts->max_work_item[0])
        return facts->max_work_group;
    size_t most = is_kept ? atomic_load(&answers[device->index]) : 0;
    if (most > 0)
        return most;
    most = search(device);
    if (is_kept)
        atomic_store(&answers[device->index], most);
    return most;
}

size_t ocl_device_most_threads(int device)
{
    const size_t most = ocl_work_group_most(ocl_device_get(device));
    return most < BLOCK_THREADS ? most : BLOCK_THREADS;
}
