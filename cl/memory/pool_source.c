/* The block layer as a source of a pool's blocks: device memory, and pinned host memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/host_memory.h"
#include "cl/block/block.h"
#include "cl/check.h"
#include "cl/check/guard.h"
#include "cl/memory/pool.h"

static uint64_t device_total(struct ocl_context *context)
{
    uint64_t total = 0, largest = 0;
    ocl_device_memory(context->device->index, &total, &largest);
    return total;
}

static uint64_t device_available(struct ocl_context *context)
{
    return ocl_device_takes_host_memory(&context->device->facts) ? ocl_host_memory_available()
                                                                 : UINT64_MAX;
}

static ocl_status create_device(struct ocl_context *context, size_t bytes, struct ocl_block **block)
{
    return ocl_guard_is_on() ? ocl_block_create_guarded(context, OCL_BLOCK_DEVICE, bytes, block)
                             : ocl_block_create(context, bytes, block);
}

static size_t device_first(const struct ocl_block *block)
{
    return block->guarded ? block->guarded->start - block->guarded->first : ocl_block_first(block);
}

const struct ocl_pool_source ocl_pool_device = {
    .create = create_device,
    .destroy = ocl_block_destroy,
    .first = device_first,
    .total = device_total,
    .available = device_available,
    .kept_most = (uint64_t)4 << 30,
    .is_device_memory = true,
    .is_staggered = true,
};

/* Whether it matters what pages are that the host touches. */
static bool is_looked_at(void)
{
    return ocl_guard_is_on() || ocl_check_wants(OCL_CHECK_RACE | OCL_CHECK_INIT);
}

static ocl_status create_host(struct ocl_context *context, size_t bytes, struct ocl_block **block)
{
    return is_looked_at() ? ocl_block_create_guarded(context, OCL_BLOCK_HOST, bytes, block)
                          : ocl_block_create_host(context, bytes, block);
}

static ocl_status create_managed(struct ocl_context *context, size_t bytes,
                                 struct ocl_block **block)
{
    return is_looked_at() ? ocl_block_create_guarded(context, OCL_BLOCK_MANAGED, bytes, block)
                          : ocl_block_create_managed(context, bytes, block);
}

static size_t host_first(const struct ocl_block *block)
{
    return block->guarded ? block->guarded->start - block->guarded->first : 0;
}

static uint64_t host_total(struct ocl_context *context)
{
    (void)context;
    return UINT64_MAX;
}

static uint64_t host_available(struct ocl_context *context)
{
    (void)context;
    return ocl_host_memory_available();
}

/* Pinned memory is taken from all programs, so less of it is kept. */
const struct ocl_pool_source ocl_pool_host = {
    .create = create_host,
    .destroy = ocl_block_destroy,
    .first = host_first,
    .total = host_total,
    .available = host_available,
    .kept_most = (uint64_t)256 << 20,
};

/* The driver keeps host pages for all of it, whatever the device. */
static uint64_t managed_available(struct ocl_context *context)
{
    (void)context;
    return ocl_host_memory_available();
}

/* Counted as device memory, which is what it is or may become: no more can be had than the device
 * holds. Much of it is kept, because SVM is slow to make: 0.7 s for 1 GiB on an NVIDIA H200 (driver
 * 580). */
const struct ocl_pool_source ocl_pool_managed = {
    .create = create_managed,
    .destroy = ocl_block_destroy,
    .first = host_first,
    .total = device_total,
    .available = managed_available,
    .kept_most = (uint64_t)2 << 30,
    .is_device_memory = true,
};
