/* The registry: which allocation holds this address?
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/address.h"

#include <pthread.h>

#include "cl/memory/allocation.h"
#include "cl/memory/fixed_private.h"
#include "cl/range_map.h"
#include "cl/state/state.h"
#include "cl/thread.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct ocl_range_map
    *ranges; /* made once, for the life of the process; NULL without memory */

static void make_ranges(void)
{
    if (ocl_range_map_create(&ranges) != OCL_OK)
        ranges = NULL;
}

static struct ocl_range_map *registry(void)
{
    pthread_once(&once, make_ranges);
    return ranges;
}

/* Bytes that stand in the registry. */
static size_t span_of(const struct ocl_allocation *allocation)
{
    if (allocation->span > 0)
        return allocation->span;
    if (allocation->kind == OCL_MEMORY_REGISTERED)
        return allocation->bytes;
    return (allocation->bytes + OCL_MEMORY_ALIGNMENT - 1) / OCL_MEMORY_ALIGNMENT *
           OCL_MEMORY_ALIGNMENT;
}

static uint64_t host_address(const struct ocl_allocation *allocation)
{
    return (uint64_t)(uintptr_t)allocation->host;
}

static bool has_two_sides(const struct ocl_allocation *allocation)
{
    return allocation->host && host_address(allocation) != allocation->address;
}

ocl_status ocl_address_insert(struct ocl_allocation *allocation)
{
    struct ocl_range_map *map = registry();
    if (!map)
        return OCL_E_OUT_OF_MEMORY;
    const size_t span = span_of(allocation);
    ocl_status status = ocl_range_map_insert(map, allocation->address, span, allocation);
    if (status == OCL_OK && has_two_sides(allocation)) {
        status = ocl_range_map_insert(map, host_address(allocation), span, allocation);
        if (status != OCL_OK)
            ocl_range_map_erase(map, allocation->address, span);
    }
    allocation->is_listed = status == OCL_OK;
    return status;
}

void ocl_address_erase(struct ocl_allocation *allocation)
{
    struct ocl_range_map *map = registry();
    const size_t span = span_of(allocation);
    if (!allocation->is_listed)
        return;
    allocation->is_listed = false;
    ocl_range_map_erase(map, allocation->address, span);
    if (has_two_sides(allocation))
        ocl_range_map_erase(map, host_address(allocation), span);
}

bool ocl_address_is_free(uint64_t base, size_t bytes)
{
    struct ocl_range_map *map = registry();
    return !map || ocl_range_map_is_free(map, base, bytes);
}

uint64_t ocl_allocation_offset(const struct ocl_allocation *allocation, uint64_t address)
{
    const uint64_t offset = address - allocation->address; /* wraps, and is then too large */
    if (offset < allocation->bytes || !allocation->host)
        return offset;
    return address - host_address(allocation);
}

static bool finds_freed(void)
{
    const struct ocl_thread *thread = ocl_thread_if_any();
    return thread && thread->finds_freed;
}

/* Behind work that has still to come, the same memory may have been given out again, for fewer bytes. */
size_t ocl_allocation_reach(const struct ocl_allocation *allocation)
{
    return allocation->ordered && finds_freed() ? span_of(allocation) : allocation->bytes;
}

bool ocl_allocation_retain(struct ocl_allocation *allocation)
{
    uint32_t count = atomic_load_explicit(&allocation->references, memory_order_relaxed);
    while (count != 0)
        if (atomic_compare_exchange_weak_explicit(&allocation->references, &count, count + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    return false;
}

/* The map may hand out an allocation that is just being freed, that a pool keeps for later, or that
 * a new owner has made of it since. A reference keeps it from changing; only then its fields can be
 * read and say whether it is the right one. */
static struct ocl_allocation *acquire(uint64_t address, bool is_live)
{
    struct ocl_range_map *map = registry();
    struct ocl_allocation *found = map ? ocl_range_map_find(map, address) : NULL;
    if (!found || !ocl_allocation_retain(found))
        return NULL;
    if (ocl_allocation_offset(found, address) < ocl_allocation_reach(found) &&
        (!is_live || atomic_load_explicit(&found->is_live, memory_order_acquire)))
        return found;
    struct ocl_allocation *part =
        is_live && found->fixed ? ocl_fixed_acquire(found->fixed, address) : NULL;
    ocl_allocation_release(found);
    return part;
}

struct ocl_allocation *ocl_address_acquire(uint64_t address)
{
    struct ocl_allocation *found = acquire(address, true);
    return !found && finds_freed() ? acquire(address, false) : found;
}

void ocl_memory_find_freed(bool does)
{
    ocl_thread()->finds_freed = does;
}

struct ocl_allocation *ocl_address_acquire_held(uint64_t address)
{
    return acquire(address, false);
}

void ocl_allocation_release(struct ocl_allocation *allocation)
{
    if (atomic_fetch_sub_explicit(&allocation->references, 1, memory_order_acq_rel) == 1)
        allocation->destroy(allocation);
}

uint64_t ocl_allocation_address(const struct ocl_allocation *allocation, uint64_t pointer)
{
    const uint64_t host = (uint64_t)(uintptr_t)allocation->host;
    const bool is_host = allocation->host && pointer - host < allocation->bytes;
    return is_host ? allocation->address + (pointer - host) : pointer;
}

/* Only where pinned memory has a device address of its own does that need a look into the
 * registry. */
uint64_t ocl_address_for_kernel(const struct ocl_context *context, uint64_t pointer)
{
    const struct ocl_capability *capability = &context->capability;
    if (pointer == 0 || (capability->reaches_pinned_host && capability->reaches_registered_host))
        return pointer;
    struct ocl_allocation *allocation = ocl_address_acquire(pointer);
    if (!allocation)
        return pointer;
    if (allocation->context == context)
        pointer = ocl_allocation_address(allocation, pointer);
    ocl_allocation_release(allocation);
    return pointer;
}

/* ---- Guesses ---- */

/* How far the side of the allocation that is nearer to the address is from it. */
static struct ocl_nearby measure(const struct ocl_allocation *found, uint64_t address)
{
    const uint64_t bytes = found->bytes, host = host_address(found);
    const bool is_host =
        host != 0 && (address - host < bytes || address - found->address > address - host);
    struct ocl_nearby nearby = {.address = is_host ? host : found->address, .bytes = bytes};
    const uint64_t offset = address - nearby.address;
    nearby.is_before = address >= nearby.address;
    nearby.distance = !nearby.is_before ? nearby.address - address
                      : offset < bytes  ? 0
                                        : offset - bytes + 1;
    return nearby;
}

bool ocl_address_look_near(uint64_t address, struct ocl_nearby *nearby)
{
    bool is_any = false;
    if (!ranges)
        return false;
    const struct ocl_allocation *const sides[] = {ocl_range_map_find_below(ranges, address),
                                                  ocl_range_map_find_above(ranges, address)};
    for (int i = 0; i < 2; i++) {
        if (!sides[i] || !atomic_load_explicit(&sides[i]->is_live, memory_order_acquire))
            continue;
        const struct ocl_nearby now = measure(sides[i], address);
        if (!is_any || now.distance < nearby->distance)
            *nearby = now;
        is_any = true;
    }
    return is_any;
}
