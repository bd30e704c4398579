/* What launches of translated kernels need beside their entries.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "cl/kernel_argument.h"
#include "cl/ptx_kernel.h"
#include "cl/ptx_runtime.h"
#include "cl/ptx_table.h"
#include "cl/trace.h"

/* Words that may be addresses are changed as they are where they are arguments of their own. */
static void fill_bank(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                      unsigned char *bank)
{
    const struct ocl_context *context = kernel->program->context;
    for (size_t i = 0; i < kernel->facts.parameter_count; i++) {
        const struct ocl_parameter *parameter = &kernel->parameters[i];
        uint64_t word;
        memcpy(bank + parameter->offset, launch->arguments[i], parameter->bytes);
        if (parameter->bytes != sizeof word || !context->capability.has_addresses)
            continue;
        memcpy(&word, launch->arguments[i], sizeof word);
        word = ocl_address_for_kernel(context, word);
        memcpy(bank + parameter->offset, &word, sizeof word);
    }
}

/* The driver keeps the buffer until the launch is over. */
static ocl_status make_bank(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                            cl_mem *buffer)
{
    cl_int error = CL_SUCCESS;
    const size_t bytes = kernel->facts.argument_bytes;
    unsigned char *bank = calloc(bytes + 1, 1);
    if (!bank)
        return OCL_E_OUT_OF_MEMORY;
    fill_bank(kernel, launch, bank);
    *buffer = clCreateBuffer(kernel->program->context->cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                             bytes, bank, &error);
    free(bank);
    return error;
}

/* Of a block: as library and text round it. */
static size_t spilled_bytes(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    const size_t *items = launch->items;
    return (kernel->ptx->scratch_bytes * items[0] * items[1] * items[2] + 127) & ~(size_t)127;
}

/* Enough for all compute units to be busy, and no more than a part of the device's memory. */
size_t ocl_ptx_blocks_at_once(const struct ocl_kernel *kernel, const struct ocl_launch *launch)
{
    enum { WORTH = 64 << 20, BLOCKS_PER_UNIT = 4 };
    const struct ocl_device_facts *facts = &kernel->program->context->device->facts;
    const size_t all = launch->groups[0] * launch->groups[1] * launch->groups[2];
    if (!kernel->ptx->spills)
        return all;
    const size_t bytes = spilled_bytes(kernel, launch);
    const size_t most = (size_t)facts->max_alloc_bytes / 2 / bytes;
    const size_t busy = (size_t)facts->compute_units * BLOCKS_PER_UNIT;
    size_t blocks = WORTH / bytes > busy ? WORTH / bytes : busy;
    if (blocks > most)
        blocks = most;
    return blocks < all ? blocks : all;
}

static ocl_status make_scratch(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                               cl_mem *buffer)
{
    cl_int error = CL_SUCCESS;
    const size_t blocks = ocl_ptx_blocks_at_once(kernel, launch);
    if (blocks == 0) {
        const struct ocl_device_facts *facts = &kernel->program->context->device->facts;
        ocl_log(true, "kernel %s needs %zu bytes for the threads of a block; %s has room for %llu",
                kernel->name, spilled_bytes(kernel, launch), facts->name,
                (unsigned long long)facts->max_alloc_bytes / 2);
        return OCL_E_OUT_OF_MEMORY;
    }
    *buffer = clCreateBuffer(kernel->program->context->cl, CL_MEM_READ_WRITE,
                             blocks * spilled_bytes(kernel, launch), NULL, &error);
    return error;
}

ocl_status ocl_ptx_begin(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                         struct ocl_ptx_memory *memory)
{
    ocl_status status = OCL_OK;
    if (kernel->ptx->has_table)
        status = ocl_table_begin(kernel->program->context);
    if (kernel->ptx->has_runtime && ocl_ptx_entry(kernel)->uses_printf)
        ocl_runtime_before_launch(kernel->program->context);
    if (status == OCL_OK && kernel->ptx->has_runtime) {
        status = ocl_runtime_begin(kernel->program->context, ocl_ptx_entry(kernel)->uses_malloc);
        memory->is_noted = status == OCL_OK;
    }
    if (status == OCL_OK && kernel->ptx->has_bank)
        status = make_bank(kernel, launch, &memory->bank);
    if (status == OCL_OK && kernel->ptx->spills)
        status = make_scratch(kernel, launch, &memory->scratch);
    return status;
}

uint64_t ocl_ptx_memory(const struct ocl_kernel *kernel, uint32_t entry)
{
    const struct ocl_context *context = kernel->program->context;
    return entry == OCL_ENTRY_RUNTIME ? ocl_runtime_address(context) : ocl_table_address(context);
}

void ocl_ptx_end(const struct ocl_kernel *kernel, const struct ocl_ptx_memory *memory)
{
    if (kernel->ptx->has_table)
        ocl_table_end(kernel->program->context);
    if (memory->is_noted)
        ocl_runtime_end(kernel->program->context);
    if (memory->bank)
        clReleaseMemObject(memory->bank);
    if (memory->scratch)
        clReleaseMemObject(memory->scratch);
}
