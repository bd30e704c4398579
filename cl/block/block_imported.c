/* Device memory of a CPU that is another's as well: pages of a file.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/mman.h>

#include "cl/base/steady.h"
#include "cl/block/block.h"
#include "cl/block/block_strategy.h"

/* A buffer over the pages, for commands: kernels have the address. */
static ocl_status create_imported(struct ocl_block *block)
{
    const ocl_status status = ocl_block_wrap_pointer(block);

    return status == OCL_OK ? ocl_block_choose_address(block, true) : status;
}

/* Kernels that still run, which nobody could wait for, find memory that is nobody's. */
static void unmap(struct ocl_block *block)
{
    if (!atomic_load(&block->context->is_doubtful))
        munmap(block->pages, block->bytes);
    else
        (void)mmap(block->pages, block->bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static void destroy_imported(struct ocl_block *block)
{
    ocl_block_release_buffer(block);
    if (block->pages)
        unmap(block);
}

const struct ocl_block_strategy ocl_block_imported = {create_imported, destroy_imported};

ocl_status ocl_block_import(struct ocl_context *context, int file, uint64_t offset, size_t bytes,
                            struct ocl_block **block)
{
    const size_t page = ocl_block_page_bytes();

    if (!context->capability.shares_memory)
        return OCL_E_NOT_SUPPORTED;
    bytes = (bytes + page - 1) / page * page;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    if (pages == MAP_FAILED)
        return CL_MAP_FAILURE;
    const ocl_status status =
        ocl_block_create_by(context, OCL_BLOCK_IMPORTED, &ocl_block_imported, pages, bytes, block);
    if (status != OCL_OK)
        munmap(pages, bytes);
    else
        (*block)->pages = pages;
    return status;
}
