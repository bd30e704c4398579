/* For tests that run kernels of their own on blocks, under any address strategy.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CL_KERNELS_H
#define TESTS_CL_KERNELS_H

#include "cl/block/block.h"
#include "cl/block/probe.h"
#include "cl/device/extension.h"
#include "tests/test.h"

static inline struct ocl_context *open_tested(void)
{
    struct ocl_context *context = NULL;
    if (ocl_device_count() == 0)
        TEST_SKIP("no OpenCL device");
    assert_int_equal(ocl_context_open(0, &context), OCL_OK);
    assert_non_null(context);
    return context;
}

static inline cl_program build_text(struct ocl_context *context, const char *text)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context->cl, 1, &text, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    assert_int_equal(clBuildProgram(program, 1, &context->device->id, "-cl-std=CL1.2", NULL, NULL),
                     CL_SUCCESS);
    return program;
}

static inline cl_kernel make_kernel(cl_program program, const char *name)
{
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    assert_int_equal(error, CL_SUCCESS);
    return kernel;
}

/* Sets a pointer parameter (a ulong one under OCL_PASS_NUMBER) to a byte of a block. */
static inline void set_place(cl_kernel kernel, cl_uint index, const struct ocl_block *block,
                             size_t offset)
{
    const struct ocl_context *context = block->context;
    const cl_ulong address = block->address + offset;
    const void *pointer = (const void *)(uintptr_t)address;
    cl_int error = CL_INVALID_VALUE;
    switch (context->capability.pass) {
    case OCL_PASS_SVM_POINTER:
        error = clSetKernelArgSVMPointer(kernel, index, pointer);
        break;
    case OCL_PASS_USM_POINTER:
        error = context->device->extension->set_arg_usm_pointer(kernel, index, pointer);
        break;
    case OCL_PASS_BDA_POINTER:
        error = context->device->extension->set_arg_device_pointer(kernel, index, address);
        break;
    case OCL_PASS_NUMBER:
        error = clSetKernelArg(kernel, index, sizeof address, &address);
        break;
    case OCL_PASS_BUFFER:
        assert_int_equal(offset, 0);
        error = clSetKernelArg(kernel, index, sizeof block->buffer, &block->buffer);
        break;
    }
    assert_int_equal(error, CL_SUCCESS);
}

/* Writes to or reads from a block with the driver's command for its kind. */
static inline void put_block(const struct ocl_block *block, size_t offset, const void *from,
                             size_t bytes)
{
    cl_command_queue queue = block->context->service;
    char *place = (char *)block->pointer + offset;
    cl_int error;
    if (block->buffer)
        error =
            clEnqueueWriteBuffer(queue, block->buffer, CL_TRUE, offset, bytes, from, 0, NULL, NULL);
    else if (block->context->capability.address == OCL_ADDRESS_USM)
        error = block->context->device->extension->enqueue_usm_copy(queue, CL_TRUE, place, from,
                                                                    bytes, 0, NULL, NULL);
    else
        error = clEnqueueSVMMemcpy(queue, CL_TRUE, place, from, bytes, 0, NULL, NULL);
    assert_int_equal(error, CL_SUCCESS);
}

static inline void get_block(const struct ocl_block *block, size_t offset, void *to, size_t bytes)
{
    cl_command_queue queue = block->context->service;
    const char *place = (const char *)block->pointer + offset;
    cl_int error;
    if (block->buffer)
        error =
            clEnqueueReadBuffer(queue, block->buffer, CL_TRUE, offset, bytes, to, 0, NULL, NULL);
    else if (block->context->capability.address == OCL_ADDRESS_USM)
        error = block->context->device->extension->enqueue_usm_copy(queue, CL_TRUE, to, place,
                                                                    bytes, 0, NULL, NULL);
    else
        error = clEnqueueSVMMemcpy(queue, CL_TRUE, to, place, bytes, 0, NULL, NULL);
    assert_int_equal(error, CL_SUCCESS);
}

#endif
