/* Regions: a block of managed memory whose pages move, or a part of one, from its making to its end.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/managed/managed_private.h"
#include "cl/memory/allocation.h"
#include "cl/queue/queue_private.h"

/* Of all contexts: never fewer than contexts have. */
static _Atomic unsigned migrations;

static struct ocl_migration *make(struct ocl_context *context)
{
    struct ocl_migration *made = calloc(1, sizeof *made);
    cl_int error;

    if (!made)
        return NULL;
    made->context = context;
    made->most_maps = OCL_MIGRATION_MAPS;
    made->queue = ocl_queue_make(context, 0, false, &error);
    if (!made->queue) {
        free(made);
        return NULL;
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    atomic_fetch_add(&migrations, 1);
    return made;
}

static void discard(struct ocl_migration *migration)
{
    clReleaseCommandQueue(migration->queue);
    pthread_cond_destroy(&migration->changed);
    pthread_mutex_destroy(&migration->lock);
    free(migration);
    atomic_fetch_sub(&migrations, 1);
}

/* The migration of a context, made at the first request; NULL without memory. */
static struct ocl_migration *get(struct ocl_context *context)
{
    struct ocl_migration *found = atomic_load(&context->migration);
    struct ocl_migration *made = found ? NULL : make(context);

    if (found || !made)
        return found;
    if (atomic_compare_exchange_strong(&context->migration, &found, made))
        return made;
    discard(made); /* another thread was first */
    return found;
}

void ocl_migration_destroy(struct ocl_context *context)
{
    struct ocl_migration *migration = atomic_exchange(&context->migration, NULL);

    if (migration)
        discard(migration);
}

/* Its own is read first: what is seen of it is counted then. */
bool ocl_managed_moves_elsewhere(const struct ocl_context *own)
{
    const unsigned count = atomic_load(&own->migration) ? 1 : 0;

    return atomic_load(&migrations) > count;
}

bool ocl_managed_is_of_another(const struct ocl_context *own,
                               const struct ocl_allocation *allocation)
{
    return allocation->context != own && ocl_region_of(allocation);
}

static size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void free_region(struct ocl_region *region)
{
    free(region->states);
    free(region);
}

/* All of its pages the device's; NULL without memory. */
static struct ocl_region *make_region(struct ocl_block *block, char *base, size_t bytes)
{
    struct ocl_region *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->block = block;
    made->base = base;
    made->bytes = bytes;
    made->states = calloc(bytes / page_bytes(), 1);
    if (made->states)
        return made;
    free_region(made);
    return NULL;
}

/* In a move. */
static void list_region(struct ocl_migration *migration, struct ocl_region *region)
{
    region->next = migration->regions;
    migration->regions = region;
}

/* In a move: its pages go to the device, and it is looked at no more. */
static void unlist_region(struct ocl_migration *migration, struct ocl_region *region)
{
    struct ocl_region **place = &migration->regions;

    ocl_region_want_nothing(region);
    ocl_region_send(region, 0, region->bytes);
    while (*place != region)
        place = &(*place)->next;
    *place = region->next;
}

ocl_status ocl_migration_add(struct ocl_block *block)
{
    struct ocl_migration *migration = get(block->context);
    const ocl_status status = migration ? ocl_fault_watch() : OCL_E_OUT_OF_MEMORY;
    struct ocl_region *region;

    if (status != OCL_OK)
        return status;
    region = make_region(block, block->pointer, block->bytes);
    if (!region)
        return OCL_E_OUT_OF_MEMORY;
    if (mprotect(region->base, region->bytes, PROT_NONE) != 0) {
        free_region(region);
        return OCL_E_OUT_OF_MEMORY;
    }
    block->region = region;
    ocl_migration_begin_move(migration);
    list_region(migration, region);
    ocl_migration_end_move(migration);
    return OCL_OK;
}

void ocl_migration_remove(struct ocl_block *block)
{
    struct ocl_region *region = block->region;
    struct ocl_migration *migration = atomic_load(&block->context->migration);

    if (!region)
        return;
    ocl_migration_begin_move(migration);
    unlist_region(migration, region);
    ocl_migration_end_move(migration);
    mprotect(region->base, region->bytes, PROT_READ | PROT_WRITE); /* as the driver made them */
    free_region(region);
    block->region = NULL;
}

/* ---- Parts of a block ---- */

/* In a move. */
static void set_pages(const struct ocl_allocation *allocation, const struct ocl_region *own,
                      enum ocl_page_state state)
{
    memset(allocation->block->region->states + allocation->offset / page_bytes(), (int)state,
           own->bytes / page_bytes());
}

/* Two threads may come at once: the first one's region stays. */
ocl_status ocl_region_part(struct ocl_allocation *allocation)
{
    struct ocl_migration *migration = atomic_load(&allocation->context->migration);
    struct ocl_region *const shared = allocation->block->region;
    const size_t bytes = (allocation->bytes + page_bytes() - 1) / page_bytes() * page_bytes();
    struct ocl_region *own = make_region(allocation->block, allocation->host, bytes);

    if (!own)
        return OCL_E_OUT_OF_MEMORY;
    own->extent = bytes;
    ocl_migration_begin_move(migration);
    const bool is_first = !atomic_load(&allocation->region);
    if (is_first) {
        ocl_region_send(shared, allocation->offset, bytes);
        set_pages(allocation, own, OCL_PAGE_APART);
        list_region(migration, own);
        atomic_store(&allocation->region, own);
    }
    ocl_migration_end_move(migration);
    if (!is_first)
        free_region(own);
    return OCL_OK;
}

void ocl_region_join(struct ocl_allocation *allocation)
{
    struct ocl_region *own = atomic_exchange(&allocation->region, NULL);

    if (!own)
        return;
    struct ocl_migration *migration = atomic_load(&allocation->context->migration);
    ocl_migration_begin_move(migration);
    unlist_region(migration, own);
    set_pages(allocation, own, OCL_PAGE_DEVICE);
    ocl_migration_end_move(migration);
    free_region(own);
}
