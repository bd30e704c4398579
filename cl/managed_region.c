/* Regions: a block of managed memory whose pages move, from its making to its end.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/managed_private.h"
#include "cl/queue_private.h"

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
    return made;
}

static void discard(struct ocl_migration *migration)
{
    clReleaseCommandQueue(migration->queue);
    pthread_cond_destroy(&migration->changed);
    pthread_mutex_destroy(&migration->lock);
    free(migration);
}

struct ocl_migration *ocl_migration_get(struct ocl_context *context)
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

static ocl_status make_region(struct ocl_block *block, struct ocl_region **region)
{
    struct ocl_region *made = calloc(1, sizeof *made);

    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->block = block;
    made->base = block->pointer;
    made->bytes = block->bytes;
    made->states = calloc(block->bytes / (size_t)sysconf(_SC_PAGESIZE), 1);
    if (!made->states || mprotect(made->base, made->bytes, PROT_NONE) != 0) {
        free(made->states);
        free(made);
        return OCL_E_OUT_OF_MEMORY;
    }
    *region = made;
    return OCL_OK;
}

ocl_status ocl_migration_add(struct ocl_block *block)
{
    struct ocl_migration *migration = ocl_migration_get(block->context);
    ocl_status status = migration ? ocl_fault_watch() : OCL_E_OUT_OF_MEMORY;

    if (status == OCL_OK)
        status = make_region(block, &block->region);
    if (status != OCL_OK)
        return status;
    ocl_migration_begin_move(migration);
    block->region->next = migration->regions;
    migration->regions = block->region;
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
    ocl_region_want_nothing(region);
    ocl_region_send(region, 0, region->bytes);
    struct ocl_region **place = &migration->regions;
    while (*place != region)
        place = &(*place)->next;
    *place = region->next;
    ocl_migration_end_move(migration);
    mprotect(region->base, region->bytes, PROT_READ | PROT_WRITE); /* as the driver made them */
    free(region->states);
    free(region);
    block->region = NULL;
}
