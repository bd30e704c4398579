/* Blocks that are a pointer: svm and usm.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/block/block.h"
#include "cl/block/block_strategy.h"
#include "cl/device/extension.h"
#include "cl/device/large.h"

/* SVM is made and freed by one thread at a time in the whole process: NVIDIA's driver 580.159 crashed when six
 * threads did so at once. A leaf; the calls under it wait for nothing. */
static pthread_mutex_t svm_lock = PTHREAD_MUTEX_INITIALIZER;

void *ocl_block_svm_allocate(struct ocl_context *context, cl_svm_mem_flags flags, size_t bytes)
{
    pthread_mutex_lock(&svm_lock);
    void *pointer = clSVMAlloc(context->cl, flags, bytes, 0);
    pthread_mutex_unlock(&svm_lock);
    return pointer;
}

void ocl_block_svm_free(struct ocl_context *context, void *pointer)
{
    pthread_mutex_lock(&svm_lock);
    clSVMFree(context->cl, pointer);
    pthread_mutex_unlock(&svm_lock);
}

/* A cl_mem over the SVM memory lets buffer commands and images use it.
 * Source: OpenCL 3.0 API specification, clCreateBuffer: a host_ptr that is an SVM pointer is used
 *         as the storage. */
static ocl_status create_svm_alone(struct ocl_block *block)
{
    cl_int error = CL_SUCCESS;
    cl_context context = block->context->cl;
    const cl_mem_flags flags =
        CL_MEM_READ_WRITE | ocl_large_flags(block->context->device, block->bytes);
    block->pointer = clSVMAlloc(context, flags, block->bytes, 0);
    if (!block->pointer)
        return OCL_E_OUT_OF_MEMORY;
    block->address = (uint64_t)(uintptr_t)block->pointer;
    if (block->context->capability.has_block_buffers)
        block->buffer = clCreateBuffer(context, flags | CL_MEM_USE_HOST_PTR, block->bytes,
                                       block->pointer, &error);
    return error;
}

static ocl_status create_svm(struct ocl_block *block)
{
    pthread_mutex_lock(&svm_lock);
    ocl_status status = create_svm_alone(block);
    pthread_mutex_unlock(&svm_lock);
    return status;
}

static void destroy_svm(struct ocl_block *block)
{
    pthread_mutex_lock(&svm_lock);
    if (block->buffer)
        clReleaseMemObject(block->buffer);
    if (block->pointer)
        clSVMFree(block->context->cl, block->pointer);
    pthread_mutex_unlock(&svm_lock);
}

const struct ocl_block_strategy ocl_block_svm = {create_svm, destroy_svm};

static ocl_status create_usm(struct ocl_block *block)
{
    cl_int error = CL_SUCCESS;
    const struct ocl_device *device = block->context->device;
    const cl_ulong flags[] = {CL_MEM_FLAGS, ocl_large_flags(device, block->bytes), 0};
    block->pointer = OCL_STEADY(device->extension->device_alloc(
        block->context->cl, device->id, flags[1] ? flags : NULL, block->bytes, 0, &error));
    block->address = (uint64_t)(uintptr_t)block->pointer;
    return error == CL_SUCCESS && !block->pointer ? OCL_E_OUT_OF_MEMORY : error;
}

static void destroy_usm(struct ocl_block *block)
{
    if (block->pointer)
        OCL_STEADY(block->context->device->extension->mem_free(block->context->cl, block->pointer));
}

const struct ocl_block_strategy ocl_block_usm = {create_usm, destroy_usm};
