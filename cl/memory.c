/* Device memory, pinned host memory, and the question "what is this pointer?".
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "cl/address.h"
#include "cl/block.h"
#include "cl/pool.h"
#include "cl/slab.h"
#include "cl/state.h"
#include "cl/trace.h"

/* How an allocation lives. While references is 0 it belongs to one thread: the one that makes it or
 * takes it apart. Once published it has one reference of its own; whoever clears is_live gives that
 * one back. Lookups add others for a moment. The last one to go takes it apart. */

static struct ocl_slab allocations = OCL_SLAB_INITIALIZER(sizeof(struct ocl_allocation));
static _Atomic uint64_t last_id;

static _Atomic(struct ocl_pool *) *pool_place(struct ocl_context *context,
                                              enum ocl_memory_kind kind)
{
    return kind == OCL_MEMORY_HOST ? &context->host_pool : &context->pool;
}

/* NULL without memory. */
static struct ocl_pool *pool_of(struct ocl_context *context, enum ocl_memory_kind kind)
{
    _Atomic(struct ocl_pool *) *place = pool_place(context, kind);
    struct ocl_pool *pool = atomic_load(place);
    struct ocl_pool *made = NULL;
    if (pool)
        return pool;
    if (ocl_pool_create(context, kind == OCL_MEMORY_HOST ? &ocl_pool_host : &ocl_pool_device,
                        &made) != OCL_OK)
        return NULL;
    if (atomic_compare_exchange_strong(place, &pool, made))
        return made;
    ocl_pool_destroy(made); /* another thread was first */
    return pool;
}

/* --- Making and ending --- */

static struct ocl_allocation *allocation_take(struct ocl_context *context,
                                              enum ocl_memory_kind kind, size_t bytes,
                                              unsigned flags)
{
    struct ocl_allocation *made = ocl_slab_take(&allocations);
    if (!made)
        return NULL;
    made->kind = kind;
    made->context = context;
    made->address = 0;
    made->host = NULL;
    made->bytes = bytes;
    made->flags = flags;
    made->id = atomic_fetch_add(&last_id, 1) + 1;
    made->block = NULL;
    made->offset = 0;
    made->piece = NULL;
    return made;
}

/* Makes an allocation known, or takes it apart: when status, that of filling it in, is a failure,
 * or the registry refuses it. */
static ocl_status publish(struct ocl_allocation *made, ocl_status status)
{
    if (status != OCL_OK) {
        ocl_allocation_destroy(made);
        return status;
    }
    atomic_store_explicit(&made->references, 1, memory_order_release);
    status = ocl_address_insert(made);
    if (status == OCL_OK)
        atomic_store(&made->is_live, true);
    else
        ocl_allocation_release(made);
    return status;
}

void ocl_allocation_destroy(struct ocl_allocation *allocation)
{
    if (allocation->piece)
        ocl_pool_give(atomic_load(pool_place(allocation->context, allocation->kind)),
                      allocation->piece);
    else
        ocl_block_destroy(allocation->block);
    ocl_slab_give(&allocations, allocation);
}

/* --- Allocating --- */

/* Where the allocation begins, for whoever can see it. */
static void place(struct ocl_allocation *made, struct ocl_block *block, size_t offset)
{
    made->block = block;
    made->offset = offset;
    made->address = block->address + offset;
    if (made->kind != OCL_MEMORY_DEVICE)
        made->host = (char *)block->pointer + offset;
}

/* What the pool of this kind is asked for: pinned memory begins at a page, and so must what follows
 * it. */
static size_t pooled_bytes(enum ocl_memory_kind kind, size_t bytes)
{
    const size_t page = kind == OCL_MEMORY_HOST ? (size_t)sysconf(_SC_PAGESIZE) : 1;
    return bytes > SIZE_MAX - page ? bytes : (bytes + page - 1) / page * page;
}

static ocl_status allocate(struct ocl_context *context, enum ocl_memory_kind kind, size_t bytes,
                           unsigned flags, void **host, uint64_t *address)
{
    struct ocl_pool *pool = pool_of(context, kind);
    struct ocl_allocation *made = pool ? allocation_take(context, kind, bytes, flags) : NULL;
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = ocl_pool_take(pool, pooled_bytes(kind, bytes), &made->piece);
    if (status == OCL_OK) {
        const struct ocl_piece_view view = ocl_pool_view(made->piece);
        place(made, view.block, view.offset);
    }
    void *const made_host = made->host; /* once published, it may be freed */
    const uint64_t made_address = made->address;
    status = publish(made, status);
    if (status == OCL_OK) {
        *host = made_host;
        *address = made_address;
    } else if (status == OCL_E_ALREADY) {
        /* Memory that was registered and freed without being unregistered, or another device that
         * counts from the same number. */
        ocl_trace("%#llx of new memory is known already", (unsigned long long)made_address);
        status = OCL_E_OUT_OF_MEMORY;
    }
    return status;
}

ocl_status ocl_memory_allocate(struct ocl_context *context, size_t bytes, unsigned flags,
                               uint64_t *address)
{
    void *host;
    return allocate(context, OCL_MEMORY_DEVICE, bytes, flags, &host, address);
}

ocl_status ocl_memory_allocate_host(struct ocl_context *context, size_t bytes, unsigned flags,
                                    void **host, uint64_t *address)
{
    return allocate(context, OCL_MEMORY_HOST, bytes, flags, host, address);
}

ocl_status ocl_memory_register(struct ocl_context *context, void *host, size_t bytes,
                               unsigned flags)
{
    const uint64_t base = (uint64_t)(uintptr_t)host;
    if (bytes == 0 || base + (bytes - 1) < base)
        return OCL_E_INVALID_VALUE;
    /* Asked before the driver pins it twice and has something else to say about it. */
    if (!ocl_address_is_free(base, bytes))
        return OCL_E_ALREADY;
    struct ocl_allocation *made = allocation_take(context, OCL_MEMORY_REGISTERED, bytes, flags);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status = ocl_block_wrap_host(context, host, bytes, &made->block);
    if (status == OCL_OK)
        place(made, made->block, (size_t)((char *)host - (char *)made->block->pointer));
    return publish(made, status);
}

/* --- Freeing --- */

static bool starts_at(const struct ocl_allocation *allocation, uint64_t address)
{
    return ocl_allocation_offset(allocation, address) == 0;
}

ocl_status ocl_memory_free(enum ocl_memory_kind kind, const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct ocl_allocation *found = ocl_address_acquire(address);
    if (!found)
        return OCL_E_NOT_FOUND;
    ocl_status status = OCL_E_NOT_FOUND;
    if (found->kind == kind && starts_at(found, address) &&
        atomic_exchange(&found->is_live, false)) {
        ocl_address_erase(found);
        status = ocl_queues_finish(found->context);
        ocl_allocation_release(found); /* its own */
    }
    ocl_allocation_release(found);
    return status;
}

/* Ends an allocation if it belongs to the context. A lookup in another thread, for whatever it was
 * looking, may hold a reference for a moment: it must not be the one that takes the allocation
 * apart, after the context has gone. */
static void end_if_of(void *object, void *argument)
{
    struct ocl_allocation *allocation = object;
    if (!ocl_allocation_retain(allocation))
        return;
    if (allocation->context == argument && atomic_exchange(&allocation->is_live, false)) {
        ocl_address_erase(allocation);
        atomic_fetch_sub(&allocation->references, 1); /* its own; this thread has another */
        for (uint32_t mine = 1; !atomic_compare_exchange_strong(&allocation->references, &mine, 0);
             mine = 1)
            sched_yield();
        ocl_allocation_destroy(allocation);
    } else {
        ocl_allocation_release(allocation);
    }
}

void ocl_memory_release_all(struct ocl_context *context)
{
    ocl_slab_visit(&allocations, end_if_of, context);
    ocl_pool_destroy(atomic_exchange(&context->pool, NULL));
    ocl_pool_destroy(atomic_exchange(&context->host_pool, NULL));
}

void ocl_memory_trim(struct ocl_context *context)
{
    struct ocl_pool *const pools[] = {atomic_load(&context->pool),
                                      atomic_load(&context->host_pool)};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++)
        if (pools[i])
            ocl_pool_trim(pools[i]);
}

/* --- Asking --- */

bool ocl_memory_find(const void *pointer, struct ocl_memory_view *view)
{
    struct ocl_allocation *found = ocl_address_acquire((uint64_t)(uintptr_t)pointer);
    if (!found)
        return false;
    *view = (struct ocl_memory_view){
        .kind = found->kind,
        .context = found->context,
        .address = found->address,
        .host = found->host,
        .bytes = found->bytes,
        .flags = found->flags,
        .id = found->id,
    };
    ocl_allocation_release(found);
    return true;
}

ocl_status ocl_memory_check(const void *pointer, size_t bytes)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct ocl_allocation *found = ocl_address_acquire(address);
    if (!found)
        return OCL_E_NOT_FOUND;
    const uint64_t left = found->bytes - ocl_allocation_offset(found, address);
    ocl_allocation_release(found);
    return bytes <= left ? OCL_OK : OCL_E_OUT_OF_RANGE;
}

void ocl_memory_info(struct ocl_context *context, size_t *free_bytes, size_t *total_bytes)
{
    uint64_t free_now = 0, total = 0;
    struct ocl_pool *pool = pool_of(context, OCL_MEMORY_DEVICE);
    if (pool)
        ocl_pool_info(pool, &free_now, &total);
    *free_bytes = (size_t)free_now;
    *total_bytes = (size_t)total;
}

struct ocl_place ocl_allocation_place(const struct ocl_allocation *allocation, uint64_t address)
{
    const struct ocl_block *block = allocation->block;
    const uint64_t inner = ocl_allocation_offset(allocation, address);
    assert(inner < allocation->bytes);
    const size_t offset = allocation->offset + (size_t)inner;
    return (struct ocl_place){
        .buffer = block->buffer,
        .offset = offset,
        .pointer = block->pointer ? (char *)block->pointer + offset : NULL,
    };
}
