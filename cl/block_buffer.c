/* Blocks that are a cl_mem: bda, raw and handle.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/address_range.h"
#include "cl/block.h"
#include "cl/block_strategy.h"
#include "cl/extension.h"
#include "cl/probe.h"
#include "cl/trace.h"

/* How many blocks at unusable addresses are set aside before giving up. */
enum { COLLISION_TRIES = 16 };

static void destroy_buffer(struct ocl_block *block)
{
    if (block->buffer)
        clReleaseMemObject(block->buffer);
    ocl_address_range_disclaim(&block->claim);
    ocl_address_range_release(block->reserved, block->reserved_bytes);
}

/* Whether the block's numbers are its own: neither the host's nor another device's. */
static bool keeps_apart(struct ocl_block *block)
{
    struct ocl_context *context = block->context;
    pthread_mutex_lock(&context->block_lock);
    bool is_drivers = block->address >= context->driver_low &&
                      block->address + block->bytes <= context->driver_high;
    pthread_mutex_unlock(&context->block_lock);
    enum ocl_range_finding finding =
        ocl_address_range_claim(block->address, block->bytes, is_drivers, &block->claim);
    if (finding == OCL_RANGE_BLOCKED && !is_drivers) {
        pthread_mutex_lock(&context->block_lock);
        context->driver_low = block->claim.low;
        context->driver_high = block->claim.high;
        pthread_mutex_unlock(&context->block_lock);
    }
    return finding != OCL_RANGE_TAKEN;
}

/* A buffer whose address means something else already is kept until a usable one was found, so that
 * the driver hands out another address; then it is freed. */
static ocl_status create_apart(struct ocl_block *block, ocl_status (*create)(struct ocl_block *))
{
    cl_mem aside[COLLISION_TRIES];
    int count = 0;
    ocl_status status = create(block);
    while (status == OCL_OK && block->context->reserves_addresses && !keeps_apart(block)) {
        ocl_trace("device address %#llx means something else already: block of %zu bytes set aside",
                  (unsigned long long)block->address, block->bytes);
        aside[count++] = block->buffer;
        block->buffer = NULL;
        status = count < COLLISION_TRIES ? create(block) : OCL_E_OUT_OF_MEMORY;
    }
    while (count > 0)
        clReleaseMemObject(aside[--count]);
    return status;
}

/* Both revisions. The dispatch table of a platform before OpenCL 3.0 has no
 * clCreateBufferWithProperties. */
static ocl_status create_with_address(struct ocl_block *block)
{
    struct ocl_context *context = block->context;
    const bool is_draft = context->capability.bda_revision == OCL_BDA_DRAFT;
    const cl_mem_properties properties[] = {OCL_BDA_RELEASED_PROPERTY, CL_TRUE, 0};
    const cl_mem_info query = is_draft ? OCL_BDA_DRAFT_ADDRESS : OCL_BDA_RELEASED_ADDRESS;
    const cl_mem_flags flags = CL_MEM_READ_WRITE | (is_draft ? OCL_BDA_DRAFT_FLAG : 0);
    cl_ulong address = 0;
    cl_int error;
    if (is_draft)
        block->buffer = clCreateBuffer(context->cl, flags, block->bytes, NULL, &error);
    else
        block->buffer = clCreateBufferWithProperties(context->cl, properties, flags, block->bytes,
                                                     NULL, &error);
    if (error == CL_SUCCESS)
        error = clGetMemObjectInfo(block->buffer, query, sizeof address, &address, NULL);
    block->address = address;
    return error == CL_SUCCESS && address == 0 ? OCL_E_NOT_SUPPORTED : error;
}

static ocl_status create_bda(struct ocl_block *block)
{
    return create_apart(block, create_with_address);
}

const struct ocl_block_strategy ocl_block_bda = {create_bda, destroy_buffer};

static ocl_status create_learnt(struct ocl_block *block)
{
    cl_int error;
    block->buffer =
        clCreateBuffer(block->context->cl, CL_MEM_READ_WRITE, block->bytes, NULL, &error);
    return error == CL_SUCCESS ? ocl_probe_learn(block->context, block->buffer, &block->address)
                               : error;
}

static ocl_status create_raw(struct ocl_block *block)
{
    return create_apart(block, create_learnt);
}

const struct ocl_block_strategy ocl_block_raw = {create_raw, destroy_buffer};

static ocl_status create_handle(struct ocl_block *block)
{
    cl_int error;
    block->buffer =
        clCreateBuffer(block->context->cl, CL_MEM_READ_WRITE, block->bytes, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    ocl_status status =
        ocl_address_range_reserve(block->bytes, &block->reserved, &block->reserved_bytes);
    block->address = (uint64_t)(uintptr_t)block->reserved;
    return status;
}

const struct ocl_block_strategy ocl_block_handle = {create_handle, destroy_buffer};
