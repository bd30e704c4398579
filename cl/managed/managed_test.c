/* Proves that coarse-grained SVM can be managed memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

#include "cl/base/steady.h"
#include "cl/block/block_strategy.h"
#include "cl/block/probe.h"
#include "cl/managed/managed_private.h"

enum {
    TEST_BYTES = 65536,
    PAIR_AT = 4104, /* not at a large power of two */
    PART_BYTES = 4096,
    ROUNDS = 2 /* a copy that the driver made once would pass one round */
};

/* What kernels/probe.cl's probe_add() reads and writes. */
struct pair {
    uint32_t before, after;
};

static ocl_status add(struct ocl_context *context, void *pair, cl_uint n)
{
    cl_kernel kernel;
    ocl_status status = ocl_probe_kernel(context, "probe_add", &kernel);

    if (status != OCL_OK)
        return status;
    status = clSetKernelArgSVMPointer(kernel, 0, pair);
    if (status == OCL_OK)
        status = clSetKernelArg(kernel, 1, sizeof n, &n);
    if (status == OCL_OK)
        status = ocl_probe_run(context, kernel);
    clReleaseKernel(kernel);
    return status;
}

/* Host and kernel alternate, with maps of a part in between. */
static bool is_mapped_right(struct ocl_context *context, char *memory)
{
    volatile struct pair *pair = (volatile struct pair *)(memory + PAIR_AT);
    const size_t bytes = TEST_BYTES - PAIR_AT;
    const cl_command_queue queue = context->service;
    bool is_right = true;

    for (uint32_t round = 1; round <= ROUNDS && is_right; round++) {
        if (clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, memory + PAIR_AT, bytes, 0,
                            NULL, NULL) != CL_SUCCESS)
            return false;
        pair->before = 100 * round;
        pair->after = 0;
        is_right = clEnqueueSVMUnmap(queue, memory + PAIR_AT, 0, NULL, NULL) == CL_SUCCESS &&
                   add(context, memory + PAIR_AT, round) == OCL_OK &&
                   clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory + PAIR_AT, bytes, 0, NULL,
                                   NULL) == CL_SUCCESS;
        if (!is_right)
            return false;
        is_right = pair->after == 101 * round;
        clEnqueueSVMUnmap(queue, memory + PAIR_AT, 0, NULL, NULL);
        ocl_steady_finish(queue);
    }
    return is_right;
}

/* A kernel works behind what the host has of the same allocation: neither disturbs the other. */
static bool is_part_right(struct ocl_context *context, char *memory)
{
    struct pair *pair = (struct pair *)(memory + PAIR_AT);
    volatile uint32_t *first = (volatile uint32_t *)memory;
    const cl_command_queue queue = context->service;
    const cl_map_flags both = CL_MAP_READ | CL_MAP_WRITE;
    bool is_right = true;

    for (uint32_t round = 1; round <= ROUNDS && is_right; round++) {
        if (clEnqueueSVMMap(queue, CL_TRUE, both, pair, sizeof *pair, 0, NULL, NULL) != CL_SUCCESS)
            return false;
        *pair = (struct pair){.before = 3000 * round};
        if (clEnqueueSVMUnmap(queue, pair, 0, NULL, NULL) != CL_SUCCESS ||
            clEnqueueSVMMap(queue, CL_TRUE, both, memory, PART_BYTES, 0, NULL, NULL) != CL_SUCCESS)
            return false;
        *first = round;
        is_right = add(context, pair, round) == OCL_OK;
        *first += 50;
        is_right &= clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL) == CL_SUCCESS;
        if (clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, TEST_BYTES, 0, NULL, NULL) !=
            CL_SUCCESS)
            return false;
        is_right &= *first == round + 50 && pair->after == 3001 * round;
        clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL);
        ocl_steady_finish(queue);
    }
    return is_right;
}

/* Buffer commands and kernels alternate. */
static bool is_wrapper_right(struct ocl_context *context, cl_mem wrapper, char *memory)
{
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        struct pair pair = {.before = 1000 * round};
        if (clEnqueueWriteBuffer(context->service, wrapper, CL_TRUE, PAIR_AT, sizeof pair, &pair, 0,
                                 NULL, NULL) != CL_SUCCESS ||
            add(context, memory + PAIR_AT, round) != OCL_OK ||
            clEnqueueReadBuffer(context->service, wrapper, CL_TRUE, PAIR_AT, sizeof pair, &pair, 0,
                                NULL, NULL) != CL_SUCCESS ||
            pair.after != 1001 * round)
            return false;
    }
    return true;
}

static bool has_wrapper(struct ocl_context *context, char *memory)
{
    cl_int error;
    cl_mem wrapper = clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                    TEST_BYTES, memory, &error);

    if (error != CL_SUCCESS)
        return false;
    const bool is_right = is_wrapper_right(context, wrapper, memory);
    clReleaseMemObject(wrapper);
    return is_right;
}

bool ocl_managed_test_coarse(struct ocl_context *context)
{
    const struct ocl_device_facts *facts = &context->device->facts;
    const enum ocl_pass pass = context->capability.pass;

    if (!facts->has_svm_coarse || facts->opencl_major < 2 || facts->platform_major < 2 ||
        (pass != OCL_PASS_SVM_POINTER && pass != OCL_PASS_BUFFER))
        return false;
    char *memory = ocl_block_svm_allocate(context, CL_MEM_READ_WRITE, TEST_BYTES);
    if (!memory)
        return false;
    const bool is_right = is_mapped_right(context, memory);
    context->capability.managed_has_buffers = is_right && has_wrapper(context, memory);
    context->capability.managed_has_parts = is_right && is_part_right(context, memory);
    ocl_block_svm_free(context, memory);
    return is_right && (pass == OCL_PASS_SVM_POINTER || context->capability.managed_has_buffers);
}
