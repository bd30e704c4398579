/* Managed memory: one pointer for host and kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/managed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cl/block/block_strategy.h"
#include "cl/check/check_host.h"
#include "cl/managed/managed_private.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/memory/pool.h"
#include "cl/queue/queue_private.h"
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
static bool give_back_pages(void *from, size_t bytes)
{
    return bytes == 0 || madvise(from, bytes, MADV_DONTNEED) == 0;
}

/* All whole pages, which then are ones that nobody has touched. */
static void zero_untouched(unsigned char *first, size_t bytes)
{
    const size_t page = ocl_block_page_bytes();
    const uintptr_t from = (uintptr_t)first, end = from + bytes;
    const uintptr_t whole = (from + page - 1) / page * page, last = end / page * page;
    if (whole >= last || !give_back_pages((void *)whole, last - whole)) {
        memset(first, 0, bytes);
        return;
    }
    memset(first, 0, whole - from);
    memset((void *)last, 0, end - last);
}

static void zero_shared(const struct ocl_allocation *allocation)
{
    const struct ocl_capability *capability = &allocation->context->capability;
    const bool is_pageable = capability->managed == OCL_MANAGED_IN_HOST &&
                             capability->host_method == OCL_HOST_USE &&
                             capability->device_is_host_memory;

    if (ocl_check_wants(OCL_CHECK_INIT) && ocl_allocation_has_pages(allocation))
        zero_untouched(allocation->host, allocation->bytes);
    else if (!is_pageable || allocation->bytes < LAZY_FROM ||
             !give_back_pages(allocation->host, allocation->bytes))
        memset(allocation->host, 0, allocation->bytes);
}

static ocl_status prepare(const struct ocl_allocation *allocation,
                          enum ocl_managed_attachment attachment)
{
    if (allocation->block->region)
        return prepare_region(allocation, attachment);
    zero_shared(allocation);
    return OCL_OK;
}

ocl_status ocl_managed_allocate(struct ocl_context *context, size_t bytes, unsigned flags,
                                enum ocl_managed_attachment attachment, void **pointer)
{
    struct ocl_allocation *made;

    if (ocl_managed_method(context) == OCL_MANAGED_NONE)
        return OCL_E_NOT_SUPPORTED;
    ocl_status status =
        ocl_memory_allocate_managed(context, bytes, least_bytes(context, attachment), flags, &made);
    if (status != OCL_OK)
        return status;
    /* Who has held memory there once, which a reset took, may free it meanwhile. */
    void *const host = made->host;
    status = prepare(made, attachment);
    ocl_allocation_release(made);
    if (status == OCL_OK)
        *pointer = host;
    else
        (void)ocl_memory_free(OCL_MEMORY_MANAGED, host);
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

/* ---- In the queue's order ---- */

/* What a queue's turn does to a region, or the caller where the queue has nothing left to do. */
struct errand {
    void (*run)(struct errand *errand, struct ocl_region *region);
    struct ocl_allocation *allocation; /* a reference */
    struct ocl_queue *queue;           /* which the turn keeps */
    const void *pointer;
    size_t bytes;
    enum ocl_managed_attachment attachment;
};

static void run_errand(struct errand *errand)
{
    struct ocl_migration *migration = atomic_load(&errand->allocation->context->migration);

    ocl_migration_begin_any_move(migration);
    if (atomic_load(&errand->allocation->is_live))
        errand->run(errand, ocl_region_of(errand->allocation));
    ocl_migration_end_move(migration);
    ocl_allocation_release(errand->allocation);
}

static void run_in_turn(void *data, ocl_status status)
{
    struct errand *errand = data;

    (void)status; /* nothing here makes a failure worse */
    run_errand(errand);
    free(errand);
}

/* Takes over the reference. */
static ocl_status run_in_order(const struct errand *errand)
{
    struct errand now = *errand;
    struct errand *kept;

    if (ocl_queue_is_idle(errand->queue)) {
        run_errand(&now);
        return ocl_context_failure(errand->queue->context);
    }
    kept = malloc(sizeof *kept);
    if (kept)
        *kept = *errand;
    const ocl_status status =
        kept ? ocl_queue_in_turn(errand->queue, run_in_turn, kept) : OCL_E_OUT_OF_MEMORY;
    if (status != OCL_OK) {
        ocl_allocation_release(errand->allocation);
        free(kept);
    }
    return status;
}

/* ---- Attaching ---- */

/* Commands that were enqueued behind this before it was its turn have not sent what the host had. What is attached to a queue
 * that goes belongs to all. */
static void attach(struct errand *errand, struct ocl_region *region)
{
    const bool is_single =
        errand->attachment == OCL_MANAGED_SINGLE && !ocl_queue_is_going(errand->queue);

    if (errand->attachment != OCL_MANAGED_HOST)
        ocl_region_send(region, 0, region->bytes);
    atomic_store(&region->queue, is_single ? errand->queue : NULL);
    atomic_store(&region->queue_id, atomic_load(&errand->queue->id));
    if (errand->attachment == OCL_MANAGED_SINGLE && !is_single)
        atomic_store(&region->attachment, OCL_MANAGED_GLOBAL);
    else
        atomic_store(&region->attachment, errand->attachment);
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
 * stays with its neighbours, and touches wait longer than they need, but never too short: *region is NULL then. */
static ocl_status find_own_region(struct ocl_allocation *allocation,
                                  enum ocl_managed_attachment attachment,
                                  struct ocl_region **region)
{
    ocl_status status = OCL_OK;

    *region = NULL;
    if (!ocl_region_of(allocation))
        return OCL_OK;
    if (!atomic_load(&allocation->region) && !is_alone(allocation)) {
        if (attachment == OCL_MANAGED_GLOBAL || !allocation->context->capability.managed_has_parts)
            return OCL_OK;
        status = ocl_region_part(allocation);
    }
    if (status == OCL_OK)
        *region = ocl_region_of(allocation);
    return status;
}

/* An attachment is work of the legacy queue's, even where nothing is to be done: blocking queues are behind each other then.
 * Source: seen natively, driver 580; in a blocking queue it waits for nothing of the legacy queue's. */
static ocl_status order_legacy(struct ocl_queue *queue)
{
    return queue->kind == OCL_QUEUE_LEGACY ? ocl_queue_order(queue)
                                           : ocl_context_failure(queue->context);
}

ocl_status ocl_managed_attach(struct ocl_queue *queue, void *pointer,
                              enum ocl_managed_attachment attachment)
{
    struct ocl_allocation *allocation = find(pointer);
    ocl_status status = OCL_E_NOT_FOUND;
    struct ocl_region *region = NULL;

    if (!allocation)
        return OCL_E_NOT_FOUND;
    if (allocation->host == pointer)
        status = order_legacy(queue);
    if (status == OCL_OK)
        status = find_own_region(allocation, attachment, &region);
    if (status == OCL_OK && region)
        return run_in_order(&(struct errand){
            .run = attach, .allocation = allocation, .queue = queue, .attachment = attachment});
    ocl_allocation_release(allocation);
    return status;
}

/* ---- Moving ahead of touches ---- */

static ocl_status move_in_order(struct ocl_queue *queue, void *pointer, size_t bytes,
                                void (*run)(struct errand *errand, struct ocl_region *region))
{
    struct ocl_allocation *allocation = find(pointer);

    if (allocation && ocl_region_of(allocation))
        return run_in_order(&(struct errand){.run = run,
                                             .allocation = allocation,
                                             .queue = queue,
                                             .pointer = pointer,
                                             .bytes = bytes});
    if (allocation)
        ocl_allocation_release(allocation);
    return ocl_queue_order(queue); /* nothing moves, and yet it is work of the queue's */
}

static void send(struct errand *errand, struct ocl_region *region)
{
    ocl_region_want_nothing(region);
    ocl_region_send_end(region);
    ocl_region_send_begin(region, offset_in(region, errand->pointer), errand->bytes);
}

ocl_status ocl_managed_to_device(struct ocl_queue *queue, void *pointer, size_t bytes)
{
    return move_in_order(queue, pointer, bytes, send);
}

/* Brings a range to the host unless its owner, the device, still works; true when that was not so. */
static bool try_fetch(struct ocl_region *region, size_t offset, size_t bytes, bool is_write)
{
    struct ocl_migration *migration = atomic_load(&region->block->context->migration);
    const bool in_function = ocl_migration_in_function();

    ocl_migration_begin_any_move(migration);
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
static void want(struct errand *errand, struct ocl_region *region)
{
    ocl_region_want(region, offset_in(region, errand->pointer), errand->bytes);
    if (ocl_migration_is_quiet(region))
        ocl_region_fetch_wanted(region);
}

ocl_status ocl_managed_to_host(struct ocl_queue *queue, void *pointer, size_t bytes)
{
    return move_in_order(queue, pointer, bytes, want);
}

void ocl_managed_make_resident(const void *pointer, size_t bytes, bool is_write)
{
    const char *at = pointer;

    ocl_host_lend(pointer, bytes);
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
