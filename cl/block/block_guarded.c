/* Blocks between pages that nobody may touch (cl/check/guard.h): memory of the process's own, which the driver is given to use.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>

#include "cl/block/block.h"
#include "cl/block/block_strategy.h"
#include "cl/check.h"
#include "cl/check/check_host.h"
#include "cl/check/guard.h"
#include "cl/state/paging.h"

/* Kernels and copies use the bytes where they are, at the host's address where they have addresses. */
static bool uses_in_place(const struct ocl_capability *capability)
{
    if (!capability
             ->has_addresses) /* copies and arguments name buffers, wherever the driver has their bytes */
        return capability->address == OCL_ADDRESS_HANDLE;
    return capability->device_is_host_memory && capability->reaches_registered_host;
}

static bool can_use_own(const struct ocl_context *context, enum ocl_block_kind kind)
{
    const struct ocl_capability *const capability = &context->capability;
    if (context->device->facts.device_class != OCL_CLASS_CPU || !uses_in_place(capability))
        return false;
    return kind == OCL_BLOCK_DEVICE || kind == OCL_BLOCK_HOST ||
           capability->managed == OCL_MANAGED_IN_FINE_SVM;
}

/* The buffer is not mapped: as that of any device memory. */
static ocl_status create_device(struct ocl_block *block)
{
    cl_int error;
    void *const pages = (void *)block->guarded->first;
    block->buffer = clCreateBuffer(block->context->cl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                   block->bytes, pages, &error);
    if (error != CL_SUCCESS)
        return error;
    block->address = block->guarded->first;
    if (block->context->capability.has_addresses)
        return OCL_OK;
    const ocl_status status =
        ocl_address_range_reserve(block->bytes, &block->reserved, &block->reserved_bytes);
    block->address = (uint64_t)(uintptr_t)block->reserved;
    return status;
}

/* Pinned and managed memory. */
static ocl_status create_host(struct ocl_block *block, void *pages)
{
    ocl_status status = OCL_OK;
    block->pointer = pages;
    block->address = (uint64_t)(uintptr_t)pages;
    if (block->kind == OCL_BLOCK_HOST)
        status = ocl_block_wrap_pointer(block);
    if (status == OCL_OK && block->kind == OCL_BLOCK_HOST)
        status = ocl_block_choose_address(block, block->context->capability.reaches_pinned_host);
    if (status == OCL_OK && ocl_check_wants(OCL_CHECK_RACE) &&
        block->context->paging->watch() == OCL_OK)
        ocl_host_watch(pages, block->bytes);
    return status;
}

static ocl_status create_guarded(struct ocl_block *block)
{
    block->guarded = ocl_guard_take(block->bytes);
    if (!block->guarded)
        return OCL_E_NOT_SUPPORTED;
    block->bytes = block->guarded->room;
    return block->kind == OCL_BLOCK_DEVICE ? create_device(block)
                                           : create_host(block, (void *)block->guarded->first);
}

static void destroy_guarded(struct ocl_block *block)
{
    ocl_host_unwatch(block->pointer);
    if (block->is_mapped)
        ocl_block_release_buffer(block);
    else if (block->buffer)
        clReleaseMemObject(block->buffer);
    ocl_address_range_release(block->reserved, block->reserved_bytes);
    ocl_guard_give(block->guarded);
}

/* Pages between which there is nothing, for the checks that look at what the program does to them. */
static ocl_status create_watched(struct ocl_block *block)
{
    block->pages =
        mmap(NULL, block->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block->pages == MAP_FAILED) {
        block->pages = NULL;
        return OCL_E_OUT_OF_MEMORY;
    }
    return create_host(block, block->pages);
}

static void destroy_watched(struct ocl_block *block)
{
    ocl_host_unwatch(block->pointer);
    if (block->is_mapped)
        ocl_block_release_buffer(block);
    ocl_address_range_release(block->reserved, block->reserved_bytes);
    if (block->pages)
        munmap(block->pages, block->bytes);
}

static const struct ocl_block_strategy guarded = {create_guarded, destroy_guarded};
static const struct ocl_block_strategy watched = {create_watched, destroy_watched};

/* The same without, from a page on: what is left over is nobody's. */
static ocl_status create_plain(struct ocl_context *context, enum ocl_block_kind kind, size_t bytes,
                               struct ocl_block **block)
{
    if (kind == OCL_BLOCK_DEVICE)
        return ocl_block_create(context, bytes, block);
    return kind == OCL_BLOCK_HOST ? ocl_block_create_host(context, bytes, block)
                                  : ocl_block_create_managed(context, bytes, block);
}

ocl_status ocl_block_create_guarded(struct ocl_context *context, enum ocl_block_kind kind,
                                    size_t bytes, struct ocl_block **block)
{
    const size_t page = ocl_block_page_bytes();
    if (bytes > SIZE_MAX / 2)
        return OCL_E_OUT_OF_MEMORY;
    if (kind == OCL_BLOCK_MANAGED && context->capability.managed == OCL_MANAGED_IN_HOST)
        kind = OCL_BLOCK_HOST;
    const struct ocl_block_strategy *const strategy = ocl_guard_is_on() ? &guarded : &watched;
    const size_t whole = (bytes + page - 1) / page * page;
    const ocl_status status = can_use_own(context, kind)
                                  ? ocl_block_create_by(context, kind, strategy, NULL,
                                                        ocl_guard_is_on() ? bytes : whole, block)
                                  : OCL_E_NOT_SUPPORTED;
    return status == OCL_OK ? OCL_OK : create_plain(context, kind, whole, block);
}
