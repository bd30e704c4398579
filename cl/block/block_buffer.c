/* Blocks that are a cl_mem: bda, raw and handle.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/address_range.h"
#include "cl/block/block.h"
#include "cl/block/block_strategy.h"
#include "cl/block/probe.h"
#include "cl/device/extension.h"
#include "cl/device/large.h"
#include "cl/trace.h"

/* How many blocks at unusable addresses are set aside before giving up: of 2 MiB, more than what malloc() reserves for
 * a thread. */
enum { COLLISION_TRIES = 40 };

/* What a block's buffer is created with. */
static cl_mem_flags flags_of(const struct ocl_block *block)
{
    return CL_MEM_READ_WRITE | ocl_large_flags(block->context->device, block->bytes);
}

static void destroy_buffer(struct ocl_block *block)
{
    if (block->buffer)
        clReleaseMemObject(block->buffer);
    ocl_address_range_disclaim(&block->claim);
    ocl_address_range_release(block->reserved, block->reserved_bytes);
}

/* ---- Numbers that mean one thing ---- */

enum { UNKNOWN, NO, YES };

/* Whether the driver puts a buffer where the host is kept out. */
static ocl_status look_at(struct ocl_context *context, size_t bytes, cl_mem *buffer,
                          bool *is_blocked)
{
    uint64_t address;
    cl_int error;
    *buffer = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, bytes, NULL, &error);
    if (error != CL_SUCCESS) {
        *buffer = NULL;
        return error;
    }
    const ocl_status status = ocl_probe_learn(context, *buffer, &address);
    if (status == OCL_OK)
        *is_blocked = ocl_address_range_is_blocked(address, bytes);
    return status;
}

/* One buffer may meet what the program has reserved by chance. Several do not, of which one has no room in the 64 MiB
 * that malloc() reserves for a thread. Where there is no memory for that one the others have to do; without any,
 * somebody will ask again. */
static int ask_driver(struct ocl_context *context)
{
    static const size_t sizes[] = {64 << 10, 2 << 20, (64 << 20) + (64 << 10)};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    cl_mem buffers[COUNT] = {0};
    ocl_status status = OCL_OK;
    bool is_blocked = true;
    int asked = 0;
    while (status == OCL_OK && is_blocked && asked < COUNT) {
        status = look_at(context, sizes[asked], &buffers[asked], &is_blocked);
        asked += status == OCL_OK;
    }
    for (int i = 0; i < COUNT; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    if (asked == 0)
        return UNKNOWN;
    return is_blocked ? YES : NO;
}

bool ocl_block_driver_reserves(struct ocl_context *context)
{
    int answer = atomic_load(&context->driver_reserves);
    if (answer == UNKNOWN) {
        answer = ask_driver(context);
        atomic_store(&context->driver_reserves, answer);
    }
    return answer == YES;
}

/* Whether the block's numbers are its own: neither the host's nor another device's. may_doubt: a reservation is enough
 * that is not known to be the driver's. */
static bool keeps_apart(struct ocl_block *block, bool may_doubt, bool *is_in_doubt)
{
    struct ocl_context *context = block->context;
    pthread_mutex_lock(&context->block_lock);
    bool is_drivers = block->address >= context->driver_low &&
                      block->address + block->bytes <= context->driver_high;
    pthread_mutex_unlock(&context->block_lock);
    enum ocl_range_finding finding =
        ocl_address_range_claim(block->address, block->bytes, is_drivers, &block->claim);
    if (finding != OCL_RANGE_BLOCKED || is_drivers)
        return finding != OCL_RANGE_TAKEN;
    if (ocl_block_driver_reserves(context)) {
        pthread_mutex_lock(&context->block_lock);
        context->driver_low = block->claim.low;
        context->driver_high = block->claim.high;
        pthread_mutex_unlock(&context->block_lock);
    } else if (!may_doubt) {
        *is_in_doubt = true;
        ocl_address_range_disclaim(&block->claim);
        return false;
    }
    return true;
}

/* A buffer whose address means something else already is kept until a usable one was found, so that
 * the driver hands out another address; then it is freed. */
static ocl_status try_apart(struct ocl_block *block, ocl_status (*create)(struct ocl_block *),
                            bool may_doubt, bool *is_in_doubt)
{
    cl_mem aside[COLLISION_TRIES];
    int count = 0;
    ocl_status status = create(block);
    while (status == OCL_OK && block->context->reserves_addresses &&
           !keeps_apart(block, may_doubt, is_in_doubt)) {
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

/* A driver that has nothing but places in reservations gets its way. */
static ocl_status create_apart(struct ocl_block *block, ocl_status (*create)(struct ocl_block *))
{
    bool is_in_doubt = false;
    const ocl_status status = try_apart(block, create, false, &is_in_doubt);
    return status != OCL_OK && is_in_doubt ? try_apart(block, create, true, &is_in_doubt) : status;
}

/* Both revisions. The dispatch table of a platform before OpenCL 3.0 has no
 * clCreateBufferWithProperties. */
static ocl_status create_with_address(struct ocl_block *block)
{
    struct ocl_context *context = block->context;
    const bool is_draft = context->capability.bda_revision == OCL_BDA_DRAFT;
    const cl_mem_properties properties[] = {OCL_BDA_RELEASED_PROPERTY, CL_TRUE, 0};
    const cl_mem_info query = is_draft ? OCL_BDA_DRAFT_ADDRESS : OCL_BDA_RELEASED_ADDRESS;
    const cl_mem_flags flags = flags_of(block) | (is_draft ? OCL_BDA_DRAFT_FLAG : 0);
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
    block->buffer = clCreateBuffer(block->context->cl, flags_of(block), block->bytes, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    return ocl_probe_learn(block->context, block->buffer, &block->address);
}

static ocl_status create_raw(struct ocl_block *block)
{
    return create_apart(block, create_learnt);
}

const struct ocl_block_strategy ocl_block_raw = {create_raw, destroy_buffer};

static ocl_status create_handle(struct ocl_block *block)
{
    cl_int error;
    block->buffer = clCreateBuffer(block->context->cl, flags_of(block), block->bytes, NULL, &error);
    if (error != CL_SUCCESS)
        return error;
    ocl_status status =
        ocl_address_range_reserve(block->bytes, &block->reserved, &block->reserved_bytes);
    block->address = (uint64_t)(uintptr_t)block->reserved;
    return status;
}

const struct ocl_block_strategy ocl_block_handle = {create_handle, destroy_buffer};
