/* Blocks of managed memory that are neither device memory nor pinned host memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "cl/block/block.h"
#include "cl/block/block_strategy.h"
#include "cl/device/extension.h"
#include "cl/state/paging.h"

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void *allocate_usm(struct ocl_block *block, size_t bytes)
{
    const struct ocl_device *device = block->context->device;
    cl_int error = CL_SUCCESS;
    void *pointer = OCL_STEADY(
        device->extension->shared_alloc(block->context->cl, device->id, NULL, bytes, 0, &error));

    return error == CL_SUCCESS ? pointer : NULL;
}

static void *allocate_pages(struct ocl_block *block, size_t bytes)
{
    switch (block->context->capability.managed) {
    case OCL_MANAGED_IN_USM:
        return allocate_usm(block, bytes);
    case OCL_MANAGED_IN_FINE_SVM:
        return ocl_block_svm_allocate(block->context,
                                      CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, bytes);
    case OCL_MANAGED_IN_COARSE_SVM:
        return ocl_block_svm_allocate(block->context, CL_MEM_READ_WRITE, bytes);
    default:
        return NULL;
    }
}

/* With a cl_mem, copies go at the speed of buffer commands: NVIDIA's clEnqueueSVMMemcpy() to pinned
 * memory has a fifteenth of it (H200, driver 580). */
static ocl_status create_coarse(struct ocl_block *block)
{
    cl_int error = CL_SUCCESS;

    if (block->context->capability.managed_has_buffers)
        block->buffer = clCreateBuffer(block->context->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                       block->bytes, block->pointer, &error);
    return error == CL_SUCCESS ? block->context->paging->add(block) : error;
}

/* Drivers align to a data type and not to a page, so a page more is asked for. */
static ocl_status create_managed(struct ocl_block *block)
{
    const size_t page = page_bytes();

    if (block->context->capability.managed == OCL_MANAGED_NOWHERE)
        return OCL_E_NOT_SUPPORTED;
    if (block->bytes > SIZE_MAX - 2 * page)
        return OCL_E_OUT_OF_MEMORY;
    block->bytes = (block->bytes + page - 1) / page * page;
    block->pages = allocate_pages(block, block->bytes + page);
    if (!block->pages)
        return OCL_E_OUT_OF_MEMORY;
    block->address = ((uint64_t)(uintptr_t)block->pages + page - 1) / page * page;
    block->pointer = (void *)(uintptr_t)block->address;
    return block->context->capability.managed == OCL_MANAGED_IN_COARSE_SVM ? create_coarse(block)
                                                                           : OCL_OK;
}

static void destroy_managed(struct ocl_block *block)
{
    if (!block->pages)
        return;
    block->context->paging->remove(block);
    if (block->buffer)
        clReleaseMemObject(block->buffer);
    if (block->context->capability.managed == OCL_MANAGED_IN_USM)
        OCL_STEADY(block->context->device->extension->mem_free(block->context->cl, block->pages));
    else
        ocl_block_svm_free(block->context, block->pages);
}

ocl_status ocl_block_create_managed(struct ocl_context *context, size_t bytes,
                                    struct ocl_block **block)
{
    static const struct ocl_block_strategy strategy = {create_managed, destroy_managed};

    if (context->capability.managed == OCL_MANAGED_IN_HOST)
        return ocl_block_create_host(context, bytes, block);
    return ocl_block_create_by(context, OCL_BLOCK_MANAGED, &strategy, NULL, bytes, block);
}
