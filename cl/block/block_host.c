/* Blocks of host memory that the device can reach, pinned by clem.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>
#include <unistd.h>

#include "cl/base/address_range.h"
#include "cl/base/steady.h"
#include "cl/block/block.h"
#include "cl/block/block_strategy.h"
#include "cl/block/probe.h"
#include "cl/device/extension.h"

size_t ocl_block_page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t round_to_pages(size_t bytes)
{
    return (bytes + ocl_block_page_bytes() - 1) / ocl_block_page_bytes() * ocl_block_page_bytes();
}

/* Maps the whole buffer and keeps it mapped: its pages stay where they are. */
static ocl_status map_for_good(struct ocl_block *block)
{
    cl_int error;
    const int before = ocl_steady_begin();
    void *mapped =
        clEnqueueMapBuffer(block->context->service, block->buffer, CL_TRUE,
                           CL_MAP_READ | CL_MAP_WRITE, 0, block->bytes, 0, NULL, NULL, &error);
    ocl_steady_end(before);
    if (error != CL_SUCCESS)
        return error;
    block->is_mapped = true;
    if (block->pointer && mapped != block->pointer) /* USE_HOST_PTR promises the same pointer */
        return OCL_E_NOT_SUPPORTED;
    block->pointer = mapped;
    return OCL_OK;
}

static void unmap(struct ocl_block *block)
{
    if (!block->is_mapped)
        return;
    clEnqueueUnmapMemObject(block->context->service, block->buffer, block->pointer, 0, NULL, NULL);
    ocl_steady_finish(block->context->service);
}

/* What kernels use for byte 0: the host's own address where they reach it; else, where learnt
 * addresses are proved, what the device calls the buffer; else a reserved number that only stands
 * for the buffer. */
ocl_status ocl_block_choose_address(struct ocl_block *block, bool is_reached)
{
    const struct ocl_capability *capability = &block->context->capability;
    if (is_reached) {
        block->address = (uint64_t)(uintptr_t)block->pointer;
        return OCL_OK;
    }
    if (capability->address == OCL_ADDRESS_RAW && block->buffer &&
        ocl_probe_learn(block->context, block->buffer, &block->address) == OCL_OK)
        return OCL_OK;
    ocl_status status =
        ocl_address_range_reserve(block->bytes, &block->reserved, &block->reserved_bytes);
    block->address = (uint64_t)(uintptr_t)block->reserved;
    return status;
}

ocl_status ocl_block_wrap_pointer(struct ocl_block *block)
{
    cl_int error;
    block->buffer = clCreateBuffer(block->context->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                   block->bytes, block->pointer, &error);
    return error == CL_SUCCESS ? map_for_good(block) : error;
}

static ocl_status create_use(struct ocl_block *block)
{
    block->pages =
        mmap(NULL, block->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block->pages == MAP_FAILED) {
        block->pages = NULL;
        return OCL_E_OUT_OF_MEMORY;
    }
    block->pointer = block->pages;
    return ocl_block_wrap_pointer(block);
}

void ocl_block_release_buffer(struct ocl_block *block)
{
    if (!block->buffer)
        return;
    unmap(block);
    clReleaseMemObject(block->buffer);
    block->buffer = NULL;
    block->pointer = NULL;
}

static bool is_page_aligned(const void *pointer)
{
    return (uintptr_t)pointer % (uintptr_t)ocl_block_page_bytes() == 0;
}

static cl_mem new_buffer(const struct ocl_block *block, cl_int *error)
{
    const struct ocl_context *context = block->context;
    if (context->capability.host_method == OCL_HOST_LOCATED)
        return OCL_STEADY(context->device->extension->create_located(
            context->cl, CL_MEM_READ_WRITE, OCL_LOCATED_HOST, block->bytes, NULL, error));
    return clCreateBuffer(context->cl, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, block->bytes,
                          NULL, error);
}

/* Drivers that pin give whole pages. One that does not (it uses malloc) has nothing to gain over
 * pages of our own. */
static ocl_status create_alloc(struct ocl_block *block)
{
    cl_int error;
    block->buffer = new_buffer(block, &error);
    ocl_status status = error == CL_SUCCESS ? map_for_good(block) : error;
    if (status != OCL_OK || is_page_aligned(block->pointer))
        return status;
    ocl_block_release_buffer(block);
    return create_use(block);
}

/* The driver aligns SVM and USM to a data type and not to a page, so a page more is asked for:
 * pages is the allocation and pointer the first whole page in it. */
static ocl_status align_pages(struct ocl_block *block)
{
    if (!block->pages)
        return OCL_E_OUT_OF_MEMORY;
    block->pointer = (void *)round_to_pages((uintptr_t)block->pages);
    return OCL_OK;
}

static ocl_status create_fine_svm(struct ocl_block *block)
{
    block->pages =
        ocl_block_svm_allocate(block->context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
                               block->bytes + ocl_block_page_bytes());
    return align_pages(block);
}

static ocl_status create_host_usm(struct ocl_block *block)
{
    cl_int error = CL_SUCCESS;
    block->pages = OCL_STEADY(block->context->device->extension->host_alloc(
        block->context->cl, NULL, block->bytes + ocl_block_page_bytes(), 0, &error));
    return error == CL_SUCCESS ? align_pages(block) : error;
}

static ocl_status create_host(struct ocl_block *block)
{
    static ocl_status (*const methods[])(struct ocl_block *) = {
        [OCL_HOST_ALLOC] = create_alloc,  [OCL_HOST_LOCATED] = create_alloc,
        [OCL_HOST_USE] = create_use,      [OCL_HOST_SVM] = create_fine_svm,
        [OCL_HOST_USM] = create_host_usm,
    };
    const struct ocl_capability *capability = &block->context->capability;
    if (capability->host_method == OCL_HOST_NONE)
        return OCL_E_NOT_SUPPORTED;
    if (block->bytes > SIZE_MAX - 2 * ocl_block_page_bytes())
        return OCL_E_OUT_OF_MEMORY;
    block->bytes = round_to_pages(block->bytes);
    ocl_status status = methods[capability->host_method](block);
    return status == OCL_OK ? ocl_block_choose_address(block, capability->reaches_pinned_host)
                            : status;
}

static void free_pages(struct ocl_block *block)
{
    const enum ocl_host_method method = block->context->capability.host_method;
    if (method == OCL_HOST_SVM)
        ocl_block_svm_free(block->context, block->pages);
    else if (method == OCL_HOST_USM)
        OCL_STEADY(block->context->device->extension->mem_free(block->context->cl, block->pages));
    else
        munmap(block->pages, block->bytes);
}

static void destroy_host(struct ocl_block *block)
{
    ocl_block_release_buffer(block);
    if (block->pages)
        free_pages(block);
    ocl_address_range_release(block->reserved, block->reserved_bytes);
}

const struct ocl_block_strategy ocl_block_host = {create_host, destroy_host};
