/* Device memory, pinned host memory, and the question "what is this pointer?".
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "cl/base/host_memory.h"
#include "cl/block/block.h"
#include "cl/check/guard.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/memory/detained.h"
#include "cl/memory/fixed_private.h"
#include "cl/memory/ordered_private.h"
#include "cl/memory/pool.h"
#include "cl/memory/twin.h"
#include "cl/memory/uses.h"
#include "cl/queue/queue_private.h"
#include "cl/slab.h"
#include "cl/state/paging.h"
#include "cl/state/state.h"
#include "cl/trace.h"

/* How an allocation lives. While references is 0 it belongs to one thread: the one that makes it or
 * takes it apart. Once published it has one reference of its own; whoever clears is_live gives that
 * one back. Lookups add others for a moment. The last one to go takes it apart. */

static struct ocl_slab allocations = OCL_SLAB_INITIALIZER(sizeof(struct ocl_allocation));
static _Atomic uint64_t last_id;

static _Atomic(struct ocl_pool *) *pool_place(struct ocl_context *context,
                                              enum ocl_memory_kind kind)
{
    if (kind == OCL_MEMORY_MANAGED)
        return &context->managed_pool;
    return kind == OCL_MEMORY_HOST ? &context->host_pool : &context->pool;
}

static const struct ocl_pool_source *source_of(enum ocl_memory_kind kind)
{
    if (kind == OCL_MEMORY_MANAGED)
        return &ocl_pool_managed;
    return kind == OCL_MEMORY_HOST ? &ocl_pool_host : &ocl_pool_device;
}

/* NULL without memory. */
static struct ocl_pool *pool_of(struct ocl_context *context, enum ocl_memory_kind kind)
{
    _Atomic(struct ocl_pool *) *place = pool_place(context, kind);
    struct ocl_pool *pool = atomic_load(place);
    struct ocl_pool *made = NULL;
    if (pool)
        return pool;
    if (ocl_pool_create(context, source_of(kind), &made) != OCL_OK)
        return NULL;
    if (atomic_compare_exchange_strong(place, &pool, made))
        return made;
    ocl_pool_destroy(made); /* another thread was first */
    return pool;
}

/* --- Making and ending --- */

/* Needs: no references. */
static void destroy(struct ocl_allocation *allocation)
{
    struct ocl_fixed *const part_of = allocation->piece ? NULL : allocation->fixed;
    if (part_of)
        ocl_fixed_unlist(allocation);
    ocl_address_erase(allocation);
    ocl_twin_destroy(atomic_load(&allocation->twin));
    allocation->context->paging->join(allocation);
    if (allocation->piece)
        ocl_pool_give(atomic_load(pool_place(allocation->context, allocation->home)),
                      allocation->piece);
    else if (!part_of)
        ocl_block_destroy(allocation->block);
    if (allocation->ordered)
        ocl_ordered_forget(allocation->ordered);
    ocl_slab_give(&allocations, allocation);
    if (part_of)
        ocl_fixed_let_go(part_of);
}

static struct ocl_allocation *allocation_take(struct ocl_context *context,
                                              enum ocl_memory_kind kind, size_t bytes,
                                              unsigned flags)
{
    struct ocl_allocation *made = ocl_slab_take(&allocations);
    if (!made)
        return NULL;
    made->destroy = destroy;
    atomic_store(&made->references, 0);
    made->kind = made->home = kind;
    made->context = context;
    made->address = 0;
    made->host = NULL;
    made->bytes = bytes;
    made->flags = flags;
    made->id = ocl_allocation_next_id();
    made->block = NULL;
    made->offset = 0;
    made->piece = NULL;
    made->span = 0;
    made->is_listed = false;
    made->is_virtual = false;
    made->is_in_use = false;
    atomic_store(&made->twin, NULL);
    atomic_store(&made->is_live, false);
    made->ordered = NULL;
    made->fixed = NULL;
    atomic_store(&made->region, NULL);
    return made;
}

uint64_t ocl_allocation_next_id(void)
{
    return atomic_fetch_add(&last_id, 1) + 1;
}

/* Makes an allocation known, or takes it apart, whoever refers to it: when status, that of filling it in, is a failure,
 * or the registry refuses it. */
static ocl_status publish(struct ocl_allocation *made, ocl_status status)
{
    atomic_fetch_add_explicit(&made->references, 1, memory_order_release);
    if (status == OCL_OK)
        status = ocl_address_insert(made);
    if (status == OCL_OK) {
        atomic_store(&made->is_live, true);
        ocl_allocation_count(made, true);
    } else {
        atomic_store(&made->references, 0);
        destroy(made);
    }
    return status;
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

/* What an allocation of this kind is a multiple of, and so begins at: pinned and managed memory a
 * page, device memory of the handle strategy what a sub-buffer can begin at, because kernels get
 * sub-buffers of it. */
static size_t pooled_unit(const struct ocl_context *context, enum ocl_memory_kind kind)
{
    if (kind != OCL_MEMORY_DEVICE)
        return (size_t)sysconf(_SC_PAGESIZE);
    if (context->capability.address != OCL_ADDRESS_HANDLE)
        return 1;
    const size_t sub_buffer = context->device->facts.base_align_bytes;
    return sub_buffer > 0 ? sub_buffer : 1;
}

static size_t pooled_bytes(const struct ocl_context *context, enum ocl_memory_kind kind,
                           size_t bytes)
{
    const size_t unit = ocl_guard_is_on() ? 1 : pooled_unit(context, kind);
    return bytes > SIZE_MAX - unit ? bytes : (bytes + unit - 1) / unit * unit;
}

/* Device memory and managed memory are counted together: what one of them keeps for reuse, the
 * other may need. */
static ocl_status take_piece(struct ocl_context *context, enum ocl_memory_kind kind, size_t bytes,
                             struct ocl_piece **piece)
{
    const enum ocl_memory_kind other =
        kind == OCL_MEMORY_DEVICE ? OCL_MEMORY_MANAGED : OCL_MEMORY_DEVICE;
    struct ocl_pool *const pool = atomic_load(pool_place(context, kind));
    struct ocl_pool *const kept =
        kind == OCL_MEMORY_HOST ? NULL : atomic_load(pool_place(context, other));
    const ocl_status status = ocl_pool_take(pool, bytes, piece);

    if (status != OCL_E_OUT_OF_MEMORY || !kept || !ocl_pool_trim(kept))
        return status;
    return ocl_pool_take(pool, bytes, piece);
}

/* Memory that was freed while kernels are checked is given back. */
static bool let_go(const struct ocl_context *context)
{
    struct ocl_allocation *found = ocl_let_go(context);
    const bool is_any = found != NULL;
    for (; found; found = ocl_let_go(context))
        ocl_allocation_release(found);
    return is_any;
}

/* The same when memory is short: what stream-ordered pools keep is given back first. */
static ocl_status take_scarce_piece(struct ocl_context *context, enum ocl_memory_kind kind,
                                    size_t bytes, struct ocl_piece **piece)
{
    const ocl_status status = take_piece(context, kind, bytes, piece);
    if (status != OCL_E_OUT_OF_MEMORY)
        return status;
    const bool has_let_go = let_go(NULL);
    if (!ocl_ordered_shrink(context) && !has_let_go)
        return status;
    return take_piece(context, kind, bytes, piece);
}

/* With the sixteenth that ocl_host_memory_available() leaves alone, a tenth of what the host has stays free. */
enum { PINNED_RESERVE_SHARE = 25 };

/* Managed memory beyond what the device has is CUDA's to grant. Drivers whose pages move refuse it, and kernels that reach
 * pinned memory find the host's bytes at the host's address there too. */
static bool may_be_pinned(const struct ocl_allocation *made, size_t bytes)
{
    const struct ocl_capability *capability = &made->context->capability;
    if (made->kind != OCL_MEMORY_MANAGED || capability->managed != OCL_MANAGED_IN_COARSE_SVM ||
        !capability->reaches_pinned_host)
        return false;
    const uint64_t available = ocl_host_memory_available();
    return bytes <= available - available / PINNED_RESERVE_SHARE;
}

static ocl_status take_piece_for(struct ocl_allocation *made, size_t bytes)
{
    const ocl_status status = take_scarce_piece(made->context, made->kind, bytes, &made->piece);
    if (status != OCL_E_OUT_OF_MEMORY || !may_be_pinned(made, bytes) ||
        !pool_of(made->context, OCL_MEMORY_HOST))
        return status;
    ocl_trace("%zu bytes of managed memory are pinned: the device has no room", made->bytes);
    made->home = OCL_MEMORY_HOST;
    return take_scarce_piece(made->context, made->home, bytes, &made->piece);
}

/* Fills in an allocation and publishes it; takes it apart when that fails. */
static ocl_status fill_in(struct ocl_allocation *made, size_t pool_bytes, void **host,
                          uint64_t *address)
{
    const bool has_margin = ocl_check_wants(OCL_CHECK_KERNELS) && !ocl_guard_is_on();
    const size_t margin = has_margin ? OCL_CHECK_MARGIN : 0;
    ocl_status status = take_piece_for(made, pool_bytes + margin);
    if (status == OCL_OK) {
        const struct ocl_piece_view view = ocl_pool_view(made->piece);
        place(made, view.block, view.offset);
        if (view.block->guarded) /* which need not begin at a multiple of anything */
            made->span = made->bytes;
        if (made->ordered)
            ocl_ordered_count_used(made->ordered);
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

static ocl_status allocate(struct ocl_context *context, enum ocl_memory_kind kind, size_t bytes,
                           unsigned flags, void **host, uint64_t *address)
{
    struct ocl_pool *pool = pool_of(context, kind);
    struct ocl_allocation *made = pool ? allocation_take(context, kind, bytes, flags) : NULL;
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    return fill_in(made, pooled_bytes(context, kind, bytes), host, address);
}

ocl_status ocl_memory_take_piece(struct ocl_context *context, size_t bytes,
                                 struct ocl_piece **piece)
{
    return pool_of(context, OCL_MEMORY_DEVICE)
               ? take_scarce_piece(context, OCL_MEMORY_DEVICE, bytes, piece)
               : OCL_E_OUT_OF_MEMORY;
}

void ocl_memory_give_piece(struct ocl_context *context, struct ocl_piece *piece)
{
    ocl_pool_give(atomic_load(pool_place(context, OCL_MEMORY_DEVICE)), piece);
}

ocl_status ocl_allocation_make_ordered(struct ocl_context *context, size_t bytes,
                                       struct ocl_ordered *ordered, uint64_t *address)
{
    void *host;
    struct ocl_pool *pool = pool_of(context, OCL_MEMORY_DEVICE);
    struct ocl_allocation *made =
        pool ? allocation_take(context, OCL_MEMORY_DEVICE, bytes, 0) : NULL;
    if (!made) {
        ocl_ordered_forget(ordered);
        return OCL_E_OUT_OF_MEMORY;
    }
    made->ordered = ordered;
    made->span = ordered->capacity;
    ordered->allocation = made;
    return fill_in(made, ordered->capacity, &host, address);
}

/* Users never know it: it is published, but not live. */
ocl_status ocl_allocation_make_whole(struct ocl_context *context, size_t bytes,
                                     struct ocl_fixed *block, struct ocl_allocation **whole)
{
    const enum ocl_memory_kind kind = OCL_MEMORY_DEVICE;
    struct ocl_allocation *made =
        pool_of(context, kind) ? allocation_take(context, kind, bytes, 0) : NULL;
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = take_piece_for(made, pooled_bytes(context, kind, bytes));
    if (status == OCL_OK) {
        const struct ocl_piece_view view = ocl_pool_view(made->piece);
        place(made, view.block, view.offset);
        made->fixed = block;
        atomic_store_explicit(&made->references, 1, memory_order_release);
        status = ocl_address_insert(made);
    }
    if (status == OCL_OK)
        *whole = made;
    else
        destroy(made);
    return status == OCL_E_ALREADY ? OCL_E_OUT_OF_MEMORY : status;
}

struct ocl_allocation *ocl_allocation_make_part(const struct ocl_allocation *whole,
                                                struct ocl_fixed *block, size_t offset,
                                                size_t bytes)
{
    struct ocl_allocation *made = allocation_take(whole->context, whole->kind, bytes, 0);
    if (!made)
        return NULL;
    place(made, whole->block, whole->offset + offset);
    made->fixed = block;
    atomic_store_explicit(&made->references, 1, memory_order_release);
    return made;
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

ocl_status ocl_memory_allocate_managed(struct ocl_context *context, size_t bytes, size_t least,
                                       unsigned flags, struct ocl_allocation **allocation)
{
    const enum ocl_memory_kind kind = OCL_MEMORY_MANAGED;
    void *host;
    uint64_t address;
    struct ocl_pool *pool = pool_of(context, kind);
    struct ocl_allocation *made = pool ? allocation_take(context, kind, bytes, flags) : NULL;
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    atomic_store(&made->references, 1); /* the caller's */
    *allocation = made;
    return fill_in(made, pooled_bytes(context, kind, bytes > least ? bytes : least), &host,
                   &address);
}

/* Kernels that have addresses must have this one; the others get the buffer, if that is over the
 * host's own bytes. */
static bool is_one_pointer(const struct ocl_allocation *allocation)
{
    const struct ocl_capability *capability = &allocation->context->capability;
    return allocation->address == (uint64_t)(uintptr_t)allocation->host ||
           (!capability->has_addresses && capability->device_is_host_memory);
}

static bool is_adopted(const struct ocl_allocation *allocation)
{
    return allocation->kind == OCL_MEMORY_MANAGED &&
           allocation->block->kind == OCL_BLOCK_REGISTERED;
}

/* Memory that is not the caller's to free. */
static bool is_lent(const struct ocl_allocation *allocation)
{
    return is_adopted(allocation) || ocl_allocation_is_imported(allocation);
}

static ocl_status pin(struct ocl_context *context, enum ocl_memory_kind kind, void *host,
                      size_t bytes, unsigned flags)
{
    const uint64_t base = (uint64_t)(uintptr_t)host;
    if (bytes == 0 || base + (bytes - 1) < base)
        return OCL_E_INVALID_VALUE;
    /* Asked before the driver pins it twice and has something else to say about it. */
    if (!ocl_address_is_free(base, bytes))
        return OCL_E_ALREADY;
    struct ocl_allocation *made = allocation_take(context, kind, bytes, flags);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->span = bytes; /* what lies behind is not the library's */
    ocl_status status = ocl_block_wrap_host(context, host, bytes, &made->block);
    if (status == OCL_OK)
        place(made, made->block, (size_t)((char *)host - (char *)made->block->pointer));
    if (status == OCL_OK && kind == OCL_MEMORY_MANAGED && !is_one_pointer(made))
        status = OCL_E_NOT_SUPPORTED;
    return publish(made, status);
}

ocl_status ocl_memory_register(struct ocl_context *context, void *host, size_t bytes,
                               unsigned flags)
{
    return pin(context, OCL_MEMORY_REGISTERED, host, bytes, flags);
}

ocl_status ocl_memory_adopt(struct ocl_context *context, void *host, size_t bytes)
{
    return pin(context, OCL_MEMORY_MANAGED, host, bytes, 0);
}

ocl_status ocl_memory_import(struct ocl_context *context, int file, uint64_t offset, size_t bytes,
                             unsigned flags, uint64_t *address)
{
    const uint64_t first = offset & -(uint64_t)sysconf(_SC_PAGESIZE);
    if (bytes == 0 || bytes > SIZE_MAX / 2 || !context->capability.shares_memory)
        return bytes == 0 ? OCL_E_INVALID_VALUE : OCL_E_NOT_SUPPORTED;
    struct ocl_allocation *made = allocation_take(context, OCL_MEMORY_DEVICE, bytes, flags);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->span = bytes;
    ocl_status status =
        ocl_block_import(context, file, first, (size_t)(offset - first) + bytes, &made->block);
    if (status == OCL_OK)
        place(made, made->block, (size_t)(offset - first));
    const uint64_t made_address = made->address; /* once published, it may be closed */
    status = publish(made, status);
    if (status == OCL_OK) {
        *address = made_address;
        ocl_check_filled(made_address); /* by whoever shares it */
    }
    return status == OCL_E_ALREADY ? OCL_E_OUT_OF_MEMORY : status;
}

/* --- Freeing --- */

static bool starts_at(const struct ocl_allocation *allocation, uint64_t address)
{
    return ocl_allocation_offset(allocation, address) == 0;
}

/* After is_live was cleared. What waits for its turn in a queue of whatever context holds the memory, and finds it in the
 * registry until then; the user's own is the user's again. */
static ocl_status end(struct ocl_allocation *allocation)
{
    ocl_allocation_count(allocation, false);
    ocl_guard_note_freed(allocation->block->guarded);
    ocl_use_forget(allocation);
    if (allocation->ordered)
        return ocl_ordered_give(allocation);
    if (allocation->fixed)
        return ocl_fixed_give(allocation, NULL);
    const ocl_status status = ocl_queues_finish(allocation->context);
    if (!allocation->piece)
        ocl_address_erase(allocation);
    /* A driver that was short of something may have it now. */
    if (status != OCL_OK && ocl_queues_finish(allocation->context) != OCL_OK)
        atomic_store(&allocation->context->is_doubtful, true);
    if (allocation->piece && ocl_check_wants(OCL_CHECK_MEMORY))
        allocation = ocl_detain(allocation);
    if (allocation)
        ocl_allocation_release(allocation); /* its own */
    return status;
}

/* Host functions that are still to run may touch managed memory, and a touch finds its page in the registry. So that
 * stays known until they are over. */
static void wait_for_touches(const struct ocl_allocation *allocation)
{
    if (allocation->kind == OCL_MEMORY_MANAGED)
        (void)ocl_queues_finish(allocation->context); /* end() waits again, and tells */
}

static ocl_status end_at(enum ocl_memory_kind kind, const void *pointer, bool lent)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct ocl_allocation *found = ocl_address_acquire(address);
    if (!found)
        return OCL_E_NOT_FOUND;
    ocl_status status = OCL_E_NOT_FOUND;
    if (found->kind == kind && is_lent(found) == lent && !found->is_virtual &&
        starts_at(found, address)) {
        wait_for_touches(found);
        if (atomic_exchange(&found->is_live, false))
            status = end(found);
    }
    ocl_allocation_release(found);
    return status;
}

ocl_status ocl_memory_free(enum ocl_memory_kind kind, const void *pointer)
{
    return end_at(kind, pointer, false);
}

void ocl_memory_discard(uint64_t address)
{
    struct ocl_allocation *found = address ? ocl_address_acquire(address) : NULL;
    if (!found)
        return;
    if (atomic_exchange(&found->is_live, false)) {
        ocl_allocation_count(found, false);
        ocl_allocation_release(found); /* its own */
    }
    ocl_allocation_release(found);
}

ocl_status ocl_memory_give_back(const void *host)
{
    return end_at(OCL_MEMORY_MANAGED, host, true);
}

ocl_status ocl_memory_close(const void *pointer)
{
    return end_at(OCL_MEMORY_DEVICE, pointer, true);
}

void ocl_allocation_end(struct ocl_allocation *allocation)
{
    for (uint32_t last = 1; !atomic_compare_exchange_strong(&allocation->references, &last, 0);
         last = 1)
        sched_yield();
    destroy(allocation);
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
        atomic_fetch_sub(&allocation->references, 1); /* its own; this thread has another */
        ocl_allocation_end(allocation);
    } else {
        ocl_allocation_release(allocation);
    }
}

void ocl_memory_release_all(struct ocl_context *context)
{
    (void)let_go(context);
    ocl_ordered_leave(context);
    ocl_slab_visit(&allocations, end_if_of, context);
    ocl_fixed_leave(context);
    ocl_pool_destroy(atomic_exchange(&context->pool, NULL));
    ocl_pool_destroy(atomic_exchange(&context->host_pool, NULL));
    ocl_pool_destroy(atomic_exchange(&context->managed_pool, NULL));
}

void ocl_memory_trim(struct ocl_context *context)
{
    struct ocl_pool *const pools[] = {atomic_load(&context->pool), atomic_load(&context->host_pool),
                                      atomic_load(&context->managed_pool)};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++)
        if (pools[i])
            ocl_pool_trim(pools[i]);
}

/* --- Asking --- */

struct ocl_allocation *ocl_memory_hold(const void *pointer, struct ocl_memory_view *view)
{
    struct ocl_allocation *found = ocl_address_acquire((uint64_t)(uintptr_t)pointer);
    if (found)
        *view = (struct ocl_memory_view){
            .kind = found->kind,
            .context = found->context,
            .address = found->address,
            .host = found->host,
            .bytes = ocl_allocation_reach(found),
            .flags = found->flags,
            .id = found->id,
            .is_imported = ocl_allocation_is_imported(found),
            .pool_owner = found->ordered ? ocl_ordered_owner(found->ordered) : NULL,
            .is_virtual = found->is_virtual,
        };
    return found;
}

void ocl_memory_let_go(struct ocl_allocation *allocation)
{
    if (allocation)
        ocl_allocation_release(allocation);
}

bool ocl_memory_find(const void *pointer, struct ocl_memory_view *view)
{
    struct ocl_allocation *found = ocl_memory_hold(pointer, view);

    ocl_memory_let_go(found);
    return found != NULL;
}

void ocl_memory_info(struct ocl_context *context, size_t *free_bytes, size_t *total_bytes)
{
    uint64_t free_now = 0, total = 0;
    struct ocl_pool *pool = pool_of(context, OCL_MEMORY_DEVICE);
    struct ocl_pool *managed = atomic_load(&context->managed_pool);
    if (pool)
        ocl_pool_info(pool, &free_now, &total);
    if (pool && managed)
        free_now += ocl_pool_reusable(managed);
    if (free_now > total)
        free_now = total;
    *free_bytes = (size_t)free_now;
    *total_bytes = (size_t)total;
}

struct ocl_place ocl_allocation_place(const struct ocl_allocation *allocation, uint64_t address)
{
    const struct ocl_block *block = allocation->block;
    const uint64_t inner = ocl_allocation_offset(allocation, address);
    assert(inner < allocation->bytes || allocation->is_virtual);
    const size_t offset = allocation->offset + (size_t)inner;
    return (struct ocl_place){
        .buffer = block->buffer,
        .offset = offset,
        .pointer = block->pointer ? (char *)block->pointer + offset : NULL,
    };
}
