/* Managed memory: one pointer for host and kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/managed.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "cl/address.h"
#include "cl/managed_private.h"
#include "cl/pool.h"
#include "cl/trace.h"

enum ocl_managed_method ocl_managed_method(const struct ocl_context *context)
{
    switch (context->capability.managed) {
    case OCL_MANAGED_NOWHERE:
        return OCL_MANAGED_NONE;
    case OCL_MANAGED_IN_COARSE_SVM:
        return OCL_MANAGED_MIGRATING;
    default:
        return OCL_MANAGED_SHARED;
    }
}

/* The managed allocation that holds pointer, with a reference, or NULL. */
static struct ocl_allocation *find(const void *pointer)
{
    struct ocl_allocation *found = ocl_address_acquire((uint64_t)(uintptr_t)pointer);

    if (found && found->kind != OCL_MEMORY_MANAGED) {
        ocl_allocation_release(found);
        found = NULL;
    }
    return found;
}

static size_t offset_in(const struct ocl_region *region, const void *pointer)
{
    return (size_t)((const char *)pointer - region->base);
}

/* ---- Allocating ---- */

/* Below, zeroing memory that is warm costs less than touching it anew. */
enum { LAZY_FROM = 32 * 1024 * 1024 };

/* Small allocations share a block, and then its region, which all queues use. */
static bool is_alone(const struct ocl_allocation *allocation)
{
    return ocl_pool_view(allocation->piece).bytes > OCL_MIGRATION_POOLED;
}

/* Memory that begins with an attachment is meant to have some: it gets a block of its own. */
static size_t least_bytes(const struct ocl_context *context, enum ocl_managed_attachment attachment)
{
    const bool is_attached =
        ocl_managed_method(context) == OCL_MANAGED_MIGRATING && attachment != OCL_MANAGED_GLOBAL;
    return is_attached ? OCL_MIGRATION_POOLED + 1 : 0;
}

static ocl_status prepare_region(const struct ocl_allocation *allocation,
                                 enum ocl_managed_attachment attachment)
{
    struct ocl_region *region = allocation->block->region;
    struct ocl_migration *migration = atomic_load(&allocation->context->migration);
    const size_t offset = allocation->offset;

    ocl_fault_watch_again();
    ocl_migration_begin_move(migration);
    if (region->extent < offset + allocation->bytes)
        region->extent = offset + allocation->bytes;
    ocl_region_want_nothing(region);
    region->is_on_trial = region->is_forgotten = false;
    region->returns = 0;
    atomic_store(&region->attachment, attachment == OCL_MANAGED_HOST && is_alone(allocation)
                                          ? OCL_MANAGED_HOST
                                          : OCL_MANAGED_GLOBAL);
    const ocl_status status = ocl_region_zero(region, offset, allocation->bytes);
    ocl_migration_end_move(migration);
    return status;
}

/* Pages of the process that nobody pinned can be given back to the system, which hands out zeros when
 * they are touched: large sizes then cost what is used of them. */
static void zero_shared(const struct ocl_allocation *allocation)
{
    const struct ocl_capability *capability = &allocation->context->capability;
    const bool is_pageable = capability->managed == OCL_MANAGED_IN_HOST &&
                             capability->host_method == OCL_HOST_USE &&
                             capability->device_is_host_memory;

    if (!is_pageable || allocation->bytes < LAZY_FROM ||
        madvise(allocation->host, allocation->bytes, MADV_DONTNEED) != 0)
        memset(allocation->host, 0, allocation->bytes);
}

static ocl_status prepare(const void *pointer, enum ocl_managed_attachment attachment)
{
    struct ocl_allocation *allocation = find(pointer);
    ocl_status status = OCL_OK;

    assert(allocation);
    if (allocation->block->region)
        status = prepare_region(allocation, attachment);
    else
        zero_shared(allocation);
    ocl_allocation_release(allocation);
    return status;
}

ocl_status ocl_managed_allocate(struct ocl_context *context, size_t bytes, unsigned flags,
                                enum ocl_managed_attachment attachment, void **pointer)
{
    void *made;

    if (ocl_managed_method(context) == OCL_MANAGED_NONE)
        return OCL_E_NOT_SUPPORTED;
    ocl_status status =
        ocl_memory_allocate_managed(context, bytes, least_bytes(context, attachment), flags, &made);
    if (status != OCL_OK)
        return status;
    status = prepare(made, attachment);
    if (status == OCL_OK)
        *pointer = made;
    else
        (void)ocl_memory_free(OCL_MEMORY_MANAGED, made);
    return status;
}

/* ---- Memory of the program's own ---- */

static bool is_adopted_already(const struct ocl_context *context, const void *host, size_t bytes)
{
    struct ocl_memory_view view;
    return ocl_memory_find(host, &view) && view.kind == OCL_MEMORY_MANAGED &&
           view.context == context && view.host == host && view.bytes == bytes;
}

ocl_status ocl_managed_adopt(struct ocl_context *context, void *host, size_t bytes)
{
    if (is_adopted_already(context, host, bytes))
        return OCL_OK;
    const ocl_status status = ocl_memory_adopt(context, host, bytes);
    if (status == OCL_E_ALREADY && is_adopted_already(context, host, bytes))
        return OCL_OK; /* another thread was first */
    if (status == OCL_E_NOT_SUPPORTED || status == OCL_E_INVALID_VALUE)
        ocl_log(true,
                "kernels on %s cannot use the program's managed variables: they do not reach "
                "the host's memory",
                context->device->facts.name);
    return status == OCL_E_INVALID_VALUE ? OCL_E_NOT_SUPPORTED : status;
}

void ocl_managed_give_back(void *host)
{
    (void)ocl_memory_give_back(host);
}

/* ---- Attaching ---- */

static void attach(struct ocl_region *region, const struct ocl_queue *queue,
                   enum ocl_managed_attachment attachment)
{
    struct ocl_migration *migration = atomic_load(&region->block->context->migration);

    ocl_migration_begin_move(migration);
    atomic_store(&region->queue, attachment == OCL_MANAGED_SINGLE ? queue : NULL);
    atomic_store(&region->queue_id, atomic_load(&queue->id));
    atomic_store(&region->attachment, attachment);
    ocl_migration_end_move(migration);
}

void ocl_migration_detach(const struct ocl_queue *queue)
{
    struct ocl_migration *migration = atomic_load(&queue->context->migration);

    if (!migration)
        return;
    ocl_migration_begin_move(migration);
    for (struct ocl_region *region = migration->regions; region; region = region->next) {
        if (atomic_load(&region->attachment) == OCL_MANAGED_SINGLE &&
            atomic_load(&region->queue) == queue)
            atomic_store(&region->attachment, OCL_MANAGED_GLOBAL);
    }
    ocl_migration_end_move(migration);
}

/* Whoever is attached is looked at by itself, if the driver lets kernels use the rest of a block meanwhile. Otherwise it
 * stays with its neighbours, and touches wait longer than they need, but never too short. */
static ocl_status attach_allocation(struct ocl_allocation *allocation,
                                    const struct ocl_queue *queue,
                                    enum ocl_managed_attachment attachment)
{
    ocl_status status = OCL_OK;

    if (!atomic_load(&allocation->region) && !is_alone(allocation)) {
        if (attachment == OCL_MANAGED_GLOBAL || !allocation->context->capability.managed_has_parts)
            return OCL_OK;
        status = ocl_region_part(allocation);
    }
    if (status == OCL_OK)
        attach(ocl_region_of(allocation), queue, attachment);
    return status;
}

/* At once, and not in the queue's order: what the queue was given before finds its pages on the
 * device already, and the host that wants to touch them has to wait for the queue in any case. */
ocl_status ocl_managed_attach(struct ocl_queue *queue, void *pointer,
                              enum ocl_managed_attachment attachment)
{
    struct ocl_allocation *allocation = find(pointer);
    ocl_status status = OCL_E_NOT_FOUND;

    if (!allocation)
        return OCL_E_NOT_FOUND;
    if (allocation->host == pointer) {
        status = ocl_context_failure(queue->context);
        if (status == OCL_OK && ocl_region_of(allocation))
            status = attach_allocation(allocation, queue, attachment);
    }
    ocl_allocation_release(allocation);
    return status;
}

/* ---- Moving ahead of touches ---- */

ocl_status ocl_managed_to_device(struct ocl_queue *queue, void *pointer, size_t bytes)
{
    struct ocl_allocation *allocation = find(pointer);

    if (allocation && ocl_region_of(allocation)) {
        struct ocl_region *region = ocl_region_of(allocation);
        struct ocl_migration *migration = atomic_load(&allocation->context->migration);
        ocl_migration_begin_move(migration);
        ocl_region_want_nothing(region);
        ocl_region_send_end(region);
        ocl_region_send_begin(region, offset_in(region, pointer), bytes);
        ocl_migration_end_move(migration);
    }
    if (allocation)
        ocl_allocation_release(allocation);
    return ocl_context_failure(queue->context);
}

/* Brings a range to the host unless its owner, the device, still works; true when that was not so. */
static bool try_fetch(struct ocl_region *region, size_t offset, size_t bytes, bool is_write)
{
    struct ocl_migration *migration = atomic_load(&region->block->context->migration);
    const bool in_function = ocl_migration_in_function();

    if (in_function)
        ocl_migration_begin_move_in_function(migration);
    else
        ocl_migration_begin_move(migration);
    bool is_done = ocl_region_is_resident(region, offset, bytes, is_write);
    if (!is_done && (in_function || ocl_migration_is_quiet(region))) {
        if (in_function)
            ocl_migration_note_touch(migration);
        ocl_region_fetch(region, offset, bytes, is_write);
        is_done = true;
    }
    ocl_migration_end_move(migration);
    return is_done;
}

/* The same, and waits for the device. */
static void fetch(struct ocl_region *region, size_t offset, size_t bytes, bool is_write)
{
    struct ocl_migration *migration = atomic_load(&region->block->context->migration);

    if (try_fetch(region, offset, bytes, is_write))
        return;
    ocl_migration_begin_quiet(migration, region);
    ocl_migration_begin_move(migration);
    ocl_region_fetch(region, offset, bytes, is_write);
    ocl_migration_end_move(migration);
    ocl_migration_end_quiet(migration);
}

/* Brings a range now when the device is done, and otherwise when the host has waited for it or
 * touches it. */
static void want(struct ocl_region *region, size_t offset, size_t bytes)
{
    struct ocl_migration *migration = atomic_load(&region->block->context->migration);

    ocl_migration_begin_move(migration);
    ocl_region_want(region, offset, bytes);
    if (ocl_migration_is_quiet(region))
        ocl_region_fetch_wanted(region);
    ocl_migration_end_move(migration);
}

ocl_status ocl_managed_to_host(struct ocl_queue *queue, void *pointer, size_t bytes)
{
    struct ocl_allocation *allocation = find(pointer);
    struct ocl_region *region = allocation ? ocl_region_of(allocation) : NULL;

    if (region)
        want(region, offset_in(region, pointer), bytes);
    if (allocation)
        ocl_allocation_release(allocation);
    return ocl_context_failure(queue->context);
}

void ocl_managed_make_resident(const void *pointer, size_t bytes, bool is_write)
{
    const char *at = pointer;

    while (bytes > 0 && ocl_fault_is_watched()) {
        struct ocl_allocation *allocation = find(at);
        if (!allocation)
            return;
        const size_t inner = (size_t)(at - (const char *)allocation->host);
        const size_t here = bytes < allocation->bytes - inner ? bytes : allocation->bytes - inner;
        struct ocl_region *region = ocl_region_of(allocation);
        if (region)
            fetch(region, offset_in(region, at), here, is_write);
        ocl_allocation_release(allocation);
        at += here;
        bytes -= here;
    }
}
