/* Mappings: physical memory at reserved addresses, as the registry and kernels see it.
 *
 * Memory and addresses belong to a device and outlive contexts, but the registry knows memory of contexts. So what it knows
 * of a mapping is an object of its own, the appearance, which another context takes over when its own closes.
 * SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/memory/ordered_private.h"
#include "cl/queue/queue_private.h"
#include "cl/slab.h"
#include "cl/state/contexts.h"
#include "cl/state/failure.h"
#include "cl/state/state.h"
#include "cl/virtual/mapping.h"
#include "cl/virtual/virtual_private.h"

/* The registry's; its block is in no context's list: kernels need not be told of the process's own pages. */
struct appearance {
    struct ocl_allocation allocation; /* its slab's word comes first */
    struct ocl_block block;
    _Atomic int access; /* what calls may do: enum ocl_access */
};

static struct ocl_slab appearances = OCL_SLAB_INITIALIZER(sizeof(struct appearance));

struct ocl_mapping {
    uint64_t address;
    size_t bytes;
    struct ocl_physical *physical; /* a reference */
    uint64_t id;                   /* as the registry tells it */
    unsigned char given[OCL_VIRTUAL_DEVICES];
    enum ocl_access access; /* of all devices together: what the pages allow */
    const void *busy;       /* the call that changes it, which others wait for, or NULL */
    bool is_ending;         /* that call unmaps it */
    bool has_contents;      /* others may have written the memory than those who see this mapping */
    struct appearance *seen; /* NULL: no context of the device is open, or it is ending */
    struct ocl_mapping *next, *previous;
};

static struct ocl_mapping *mappings; /* all, linked by next (virtual lock) */
static struct ocl_context *homes;    /* open contexts, linked by next_home (virtual lock) */

/* ---- Appearances ---- */

static void destroy(struct ocl_allocation *allocation)
{
    ocl_slab_give(&appearances, allocation);
}

static void fill_in(struct appearance *made, const struct ocl_mapping *mapping,
                    struct ocl_context *context, enum ocl_access access)
{
    struct ocl_allocation *allocation = &made->allocation;
    made->block = (struct ocl_block){
        .context = context,
        .pointer = (void *)(uintptr_t)mapping->address,
        .address = mapping->address,
        .bytes = mapping->bytes,
        .kind = OCL_BLOCK_DEVICE,
    };
    atomic_store(&made->access, (int)access);
    allocation->destroy = destroy;
    allocation->kind = allocation->home = OCL_MEMORY_DEVICE;
    allocation->context = context;
    allocation->address = mapping->address;
    allocation->bytes = mapping->bytes;
    allocation->flags = ocl_physical_flags(mapping->physical);
    allocation->id = mapping->id;
    allocation->block = &made->block;
    allocation->is_virtual = true;
}

/* Virtual lock held. Errors: OCL_E_OUT_OF_MEMORY. */
static ocl_status appear(struct ocl_mapping *mapping, struct ocl_context *context,
                         enum ocl_access access)
{
    struct appearance *made = ocl_slab_take(&appearances);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    fill_in(made, mapping, context, access);
    atomic_store_explicit(&made->allocation.references, 1, memory_order_release);
    if (ocl_address_insert(&made->allocation) != OCL_OK) {
        ocl_allocation_release(&made->allocation);
        return OCL_E_OUT_OF_MEMORY;
    }
    mapping->seen = made;
    ocl_allocation_check(&made->allocation, true);
    if (mapping->has_contents)
        ocl_check_filled(mapping->address);
    mapping->has_contents = true; /* for the next context */
    atomic_store(&made->allocation.is_live, true);
    return OCL_OK;
}

/* From now on lookups do not find the mapping. Returns what they found, which calls may still use, or NULL. Virtual lock
 * held. */
static struct appearance *take_down(struct ocl_mapping *mapping)
{
    struct appearance *seen = mapping->seen;
    mapping->seen = NULL;
    if (seen) {
        atomic_store(&seen->allocation.is_live, false);
        ocl_allocation_check(&seen->allocation, false);
        ocl_address_erase(&seen->allocation);
    }
    return seen;
}

/* Waits for calls that are just using it. No lock is held. */
static void end_appearance(struct appearance *seen)
{
    for (uint32_t last = 1; !atomic_compare_exchange_strong(&seen->allocation.references, &last, 0);
         last = 1)
        sched_yield();
    destroy(&seen->allocation);
}

static struct ocl_context *find_home(int device)
{
    struct ocl_context *context = homes;
    while (context && context->device->index != device)
        context = context->next_home;
    return context;
}

void ocl_virtual_join(struct ocl_context *context)
{
    ocl_virtual_lock();
    context->next_home = homes;
    homes = context;
    for (struct ocl_mapping *mapping = mappings; mapping; mapping = mapping->next)
        if (!mapping->seen && !mapping->is_ending &&
            ocl_physical_device(mapping->physical) == context->device->index)
            (void)appear(mapping, context, mapping->access);
    ocl_virtual_unlock();
}

/* Virtual lock held. A call that still uses the old appearance gives back the last reference to it. */
static void move_out(struct ocl_mapping *mapping)
{
    const enum ocl_access access = (enum ocl_access)atomic_load(&mapping->seen->access);
    struct ocl_context *home = find_home(ocl_physical_device(mapping->physical));
    ocl_allocation_release(&take_down(mapping)->allocation);
    if (home)
        (void)appear(mapping, home, access);
}

void ocl_virtual_leave(struct ocl_context *context)
{
    ocl_virtual_lock();
    struct ocl_context **link = &homes;
    while (*link && *link != context)
        link = &(*link)->next_home;
    if (*link)
        *link = context->next_home;
    for (struct ocl_mapping *mapping = mappings; mapping; mapping = mapping->next)
        if (mapping->seen && mapping->seen->allocation.context == context)
            move_out(mapping);
    ocl_virtual_unlock();
}

/* ---- Mappings of a reservation. The virtual lock is held. ---- */

/* The first that ends behind address. */
static size_t first_behind(const struct ocl_reservation *reservation, uint64_t address)
{
    size_t low = 0, high = reservation->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct ocl_mapping *mapping = reservation->mappings[middle];
        if (mapping->address + mapping->bytes > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Those of a range: count from index first on. */
struct span {
    struct ocl_reservation *reservation; /* NULL: the range is not all reserved */
    size_t first, count;
    size_t mapped; /* bytes of them */
    bool is_whole; /* none of them reaches out of the range */
    bool is_busy;  /* a call changes one of them */
};

static struct span span_of(uint64_t address, size_t bytes)
{
    struct span span = {.reservation = ocl_reservation_find(address, bytes), .is_whole = true};
    if (!span.reservation)
        return span;
    span.first = first_behind(span.reservation, address);
    for (size_t i = span.first; i < span.reservation->count; i++) {
        const struct ocl_mapping *mapping = span.reservation->mappings[i];
        if (mapping->address >= address + bytes)
            break;
        span.count++;
        span.mapped += mapping->bytes;
        span.is_whole &=
            mapping->address >= address && mapping->address + mapping->bytes <= address + bytes;
        span.is_busy |= mapping->busy != NULL;
    }
    return span;
}

/* The same, when no other call changes them. The lock is open while this waits. */
static struct span settled_span(uint64_t address, size_t bytes)
{
    struct span span = span_of(address, bytes);
    while (span.is_busy) {
        ocl_virtual_wait();
        span = span_of(address, bytes);
    }
    return span;
}

static struct ocl_mapping *mapping_at(uint64_t address)
{
    const struct span span = span_of(address, 1);
    struct ocl_mapping *found = span.count == 1 ? span.reservation->mappings[span.first] : NULL;
    return found && !found->is_ending ? found : NULL;
}

static bool make_room(struct ocl_reservation *reservation)
{
    if (reservation->count < reservation->capacity)
        return true;
    const size_t capacity = reservation->capacity ? 2 * reservation->capacity : 4;
    struct ocl_mapping **grown =
        realloc(reservation->mappings, capacity * sizeof *reservation->mappings);
    if (!grown)
        return false;
    reservation->mappings = grown;
    reservation->capacity = capacity;
    return true;
}

/* Needs: room. */
static void link_mapping(struct ocl_reservation *reservation, size_t index,
                         struct ocl_mapping *mapping)
{
    struct ocl_mapping **const place = reservation->mappings + index;
    memmove(place + 1, place, (reservation->count - index) * sizeof *place);
    *place = mapping;
    reservation->count++;
    mapping->next = mappings;
    if (mappings)
        mappings->previous = mapping;
    mappings = mapping;
}

/* Of the whole process, not of its reservation. */
static void unlink_mapping(struct ocl_mapping *mapping)
{
    if (mapping->previous)
        mapping->previous->next = mapping->next;
    else
        mappings = mapping->next;
    if (mapping->next)
        mapping->next->previous = mapping->previous;
}

/* ---- Mapping ---- */

/* The context, or, where another thread has closed it meanwhile, another one of its device, or NULL. */
static struct ocl_context *home_instead(const struct ocl_context *context, int device)
{
    struct ocl_context *home = homes;
    while (home && home != context)
        home = home->next_home;
    return home ? home : find_home(device);
}

/* Memory that can be written at other addresses too, from now on. Virtual lock held. */
static void fill_others(const struct ocl_physical *physical)
{
    for (const struct ocl_mapping *mapping = mappings; mapping; mapping = mapping->next)
        if (mapping->physical == physical && mapping->seen)
            ocl_check_filled(mapping->address);
}

/* Virtual lock held. */
static ocl_status place(struct ocl_mapping *mapping, const struct ocl_context *context)
{
    const struct span span = span_of(mapping->address, mapping->bytes);
    if (!span.reservation || span.count > 0)
        return OCL_E_INVALID_VALUE;
    if (!make_room(span.reservation))
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = ocl_physical_place(mapping->physical, mapping->address);
    struct ocl_context *home = home_instead(context, ocl_physical_device(mapping->physical));
    if (status == OCL_OK && home)
        status = appear(mapping, home, OCL_ACCESS_NONE);
    if (status == OCL_OK)
        link_mapping(span.reservation, span.first, mapping);
    else
        ocl_reservation_clear(mapping->address, mapping->bytes);
    return status;
}

ocl_status ocl_virtual_map(struct ocl_context *context, struct ocl_physical *physical,
                           uint64_t address)
{
    if (address % OCL_VIRTUAL_GRAIN != 0)
        return OCL_E_INVALID_VALUE;
    struct ocl_mapping *made = ocl_virtual_has_room() ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    ocl_physical_retain(physical);
    made->physical = physical;
    made->address = address;
    made->bytes = ocl_physical_bytes(physical);
    made->id = ocl_allocation_next_id();
    ocl_virtual_lock();
    made->has_contents = !ocl_physical_is_fresh(physical);
    if (made->has_contents)
        fill_others(physical);
    const ocl_status status = place(made, context);
    ocl_virtual_unlock();
    if (status != OCL_OK) {
        ocl_physical_release(physical);
        free(made);
    }
    return status;
}

/* ---- What calls and work still use ---- */

static void finish_queues(struct ocl_context *context)
{
    (void)ocl_queues_finish(context); /* its failure is for calls that ask for its work */
}

/* Whether the driver has refused to wait for work, so that nobody knows what it still does. Kernels that ended themselves
 * have ended. */
static bool is_lost(struct ocl_context *context)
{
    const ocl_status failure = ocl_context_failure(context);
    return failure != OCL_OK && failure != OCL_E_ASSERT && failure != OCL_E_TRAP &&
           failure != OCL_E_GATHER;
}

/* Appearances that were taken down. */
struct old {
    struct appearance **list; /* some may be NULL */
    size_t count;
};

static bool make_old(struct old *old, size_t count)
{
    old->count = count;
    old->list = calloc(count, sizeof *old->list);
    return old->list != NULL;
}

/* Waits until nobody uses them: work of any context, for all devices use the same pages; then the calls that had found
 * them, and what those gave to queues. False: some work may still go on, and a page that it uses must not be taken
 * away, which would end the process. No lock is held. */
static bool end_old(struct old *old)
{
    ocl_contexts_visit(finish_queues);
    for (size_t i = 0; i < old->count; i++)
        if (old->list[i])
            end_appearance(old->list[i]);
    ocl_contexts_visit(finish_queues);
    free(old->list);
    return ocl_contexts_find(is_lost) == NULL;
}

/* ---- Unmapping ---- */

/* Virtual lock held. The mappings are the call's from here on, and stay in their reservation. old: empty. */
static ocl_status begin_end(uint64_t address, size_t bytes, const void *call, struct old *old)
{
    const struct span span = settled_span(address, bytes);
    if (!span.reservation || !span.is_whole)
        return OCL_E_INVALID_VALUE;
    if (span.count > 0 && !make_old(old, span.count))
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < span.count; i++) {
        struct ocl_mapping *mapping = span.reservation->mappings[span.first + i];
        mapping->busy = call;
        mapping->is_ending = true;
        old->list[i] = take_down(mapping);
    }
    return OCL_OK;
}

/* Virtual lock held. Of what lies in the range now, others may have been mapped meanwhile where nothing was. Returns those
 * that the call ends, linked by next. */
static struct ocl_mapping *take_out(uint64_t address, size_t bytes, const void *call, bool is_over)
{
    const struct span span = span_of(address, bytes);
    struct ocl_reservation *reservation = span.reservation;
    struct ocl_mapping *ended = NULL;
    const size_t end = span.first + span.count;
    size_t kept = span.first;
    reservation->is_lost |= !is_over;
    for (size_t i = span.first; i < end; i++) {
        struct ocl_mapping *mapping = reservation->mappings[i];
        if (mapping->busy != call) {
            reservation->mappings[kept++] = mapping;
            continue;
        }
        if (is_over)
            ocl_reservation_clear(mapping->address, mapping->bytes);
        unlink_mapping(mapping);
        mapping->next = ended;
        ended = mapping;
    }
    memmove(reservation->mappings + kept, reservation->mappings + end,
            (reservation->count - end) * sizeof *reservation->mappings);
    reservation->count -= end - kept;
    ocl_virtual_wake();
    return ended;
}

static void end_mappings(struct ocl_mapping *ended)
{
    while (ended) {
        struct ocl_mapping *next = ended->next;
        ocl_physical_release(ended->physical);
        free(ended);
        ended = next;
    }
}

ocl_status ocl_virtual_unmap(uint64_t address, size_t bytes)
{
    struct old old = {NULL, 0};
    ocl_virtual_lock();
    const ocl_status status = begin_end(address, bytes, &old, &old);
    ocl_virtual_unlock();
    if (status != OCL_OK || old.count == 0)
        return status;
    const bool is_over = end_old(&old);
    ocl_virtual_lock();
    struct ocl_mapping *ended = take_out(address, bytes, &old, is_over);
    ocl_virtual_unlock();
    end_mappings(ended);
    return OCL_OK;
}

/* ---- Access ---- */

static enum ocl_access together(const unsigned char given[OCL_VIRTUAL_DEVICES])
{
    unsigned access = OCL_ACCESS_NONE;
    for (size_t i = 0; i < OCL_VIRTUAL_DEVICES; i++)
        access |= given[i];
    return (enum ocl_access)access;
}

/* What all devices could do with a mapping after the change. */
struct change {
    const struct ocl_virtual_access *list;
    size_t count;
};

static void change_given(const struct change *change, unsigned char given[OCL_VIRTUAL_DEVICES])
{
    for (size_t i = 0; i < change->count; i++)
        given[change->list[i].device] = (unsigned char)change->list[i].access;
}

static enum ocl_access access_after(const struct ocl_mapping *mapping, const struct change *change)
{
    unsigned char given[OCL_VIRTUAL_DEVICES];
    memcpy(given, mapping->given, sizeof given);
    change_given(change, given);
    return together(given);
}

static bool protect(const struct ocl_mapping *mapping, enum ocl_access access)
{
    static const int protections[] = {
        [OCL_ACCESS_NONE] = PROT_NONE,
        [OCL_ACCESS_READ] = PROT_READ,
        [OCL_ACCESS_WRITE] = PROT_READ | PROT_WRITE,
    };
    return mprotect((void *)(uintptr_t)mapping->address, mapping->bytes, protections[access]) == 0;
}

static enum ocl_access kept_access(const struct ocl_mapping *mapping, const struct change *change)
{
    return (enum ocl_access)((unsigned)access_after(mapping, change) & (unsigned)mapping->access);
}

/* Whether the change takes access away. */
static bool lowers(const struct span *span, const struct change *change)
{
    for (size_t i = 0; i < span->count; i++) {
        const struct ocl_mapping *mapping = span->reservation->mappings[span->first + i];
        if (kept_access(mapping, change) != mapping->access)
            return true;
    }
    return false;
}

/* The mappings are the call's from here on. What is taken away calls are refused by a new appearance; those that have found
 * the old one are waited for with it. */
static ocl_status lower(const struct span *span, const struct change *change, const void *call,
                        struct old *old)
{
    if (!make_old(old, span->count))
        return OCL_E_OUT_OF_MEMORY;
    for (size_t i = 0; i < span->count; i++) {
        struct ocl_mapping *mapping = span->reservation->mappings[span->first + i];
        const enum ocl_access kept = kept_access(mapping, change);
        mapping->busy = call;
        if (!mapping->seen || kept == mapping->access)
            continue;
        struct ocl_context *home = mapping->seen->allocation.context;
        old->list[i] = take_down(mapping);
        (void)appear(mapping, home, kept); /* settle() tries again */
    }
    return OCL_OK;
}

/* The system may have no room for one more range of pages; then all is as it was. */
static ocl_status protect_all(const struct span *span, const struct change *change)
{
    struct ocl_mapping **const first = span->reservation->mappings + span->first;
    size_t done = 0;
    while (done < span->count && protect(first[done], access_after(first[done], change)))
        done++;
    if (done == span->count)
        return OCL_OK;
    while (done-- > 0)
        (void)protect(first[done], first[done]->access);
    return OCL_E_OUT_OF_MEMORY;
}

static void settle(const struct span *span, const struct change *change, bool is_changed)
{
    for (size_t i = 0; i < span->count; i++) {
        struct ocl_mapping *mapping = span->reservation->mappings[span->first + i];
        struct ocl_context *home = find_home(ocl_physical_device(mapping->physical));
        mapping->busy = NULL;
        if (is_changed) {
            change_given(change, mapping->given);
            mapping->access = together(mapping->given);
        }
        if (mapping->seen)
            atomic_store(&mapping->seen->access, (int)mapping->access);
        else if (home)
            (void)appear(mapping, home, mapping->access);
    }
}

/* Virtual lock held. Where work that nobody can wait for may go on, pages keep what they allow. */
static ocl_status change_pages(const struct span *span, const struct change *change, bool is_over)
{
    const ocl_status status = is_over ? protect_all(span, change) : OCL_OK;
    settle(span, change, status == OCL_OK);
    return status;
}

/* Virtual lock held. old: empty; what has to be waited for before pages change, with a list where something has. */
static ocl_status begin_change(uint64_t address, size_t bytes, const struct change *change,
                               struct old *old)
{
    const struct span span = settled_span(address, bytes);
    if (!span.reservation || !span.is_whole || span.mapped != bytes || bytes == 0)
        return OCL_E_INVALID_VALUE;
    return lowers(&span, change) ? lower(&span, change, old, old)
                                 : change_pages(&span, change, true);
}

ocl_status ocl_virtual_set_access(uint64_t address, size_t bytes,
                                  const struct ocl_virtual_access *list, size_t count)
{
    const struct change change = {list, count};
    struct old old = {NULL, 0};
    ocl_virtual_lock();
    ocl_status status = begin_change(address, bytes, &change, &old);
    ocl_virtual_unlock();
    if (status != OCL_OK || !old.list)
        return status;
    const bool is_over = end_old(&old);
    ocl_virtual_lock();
    const struct span span = span_of(address, bytes); /* the same mappings: they are busy */
    status = change_pages(&span, &change, is_over);
    ocl_virtual_wake();
    ocl_virtual_unlock();
    return status;
}

ocl_status ocl_virtual_access(uint64_t address, int device, enum ocl_access *access)
{
    ocl_virtual_lock();
    const struct ocl_mapping *mapping = mapping_at(address);
    if (mapping)
        *access = (enum ocl_access)mapping->given[device];
    ocl_virtual_unlock();
    return mapping ? OCL_OK : OCL_E_INVALID_VALUE;
}

struct ocl_physical *ocl_virtual_memory_at(uint64_t address)
{
    ocl_virtual_lock();
    const struct ocl_mapping *mapping = mapping_at(address);
    struct ocl_physical *physical = mapping ? mapping->physical : NULL;
    if (physical)
        ocl_physical_retain(physical);
    ocl_virtual_unlock();
    return physical;
}

/* ---- Using ---- */

/* While a call changes a mapping it is not found for a moment, in which the lock is held. */
static struct ocl_allocation *find_mapping(uint64_t address)
{
    struct ocl_allocation *found = ocl_address_acquire(address);
    if (!found && ocl_virtual_is_reserved(address))
        found = ocl_address_acquire(address);
    return found;
}

/* A reference goes with it. False without memory. */
static bool add_held(struct ocl_virtual_hold *hold, struct ocl_allocation *found)
{
    enum { FEW = sizeof hold->few / sizeof *hold->few };
    if (hold->count < FEW) {
        hold->few[hold->count++] = found;
        return true;
    }
    const size_t more = hold->count - FEW;
    if ((more & (more - 1)) == 0) { /* 0, 1, 2, 4 .. are in use */
        struct ocl_allocation **grown =
            realloc(hold->more, (more > 0 ? 2 * more : 1) * sizeof *hold->more);
        if (!grown)
            return false;
        hold->more = grown;
    }
    hold->more[more] = found;
    hold->count++;
    return true;
}

static bool is_allowed(const struct ocl_allocation *found, enum ocl_access access)
{
    const struct appearance *seen = (const struct appearance *)found;
    return found->is_virtual &&
           ((unsigned)atomic_load(&seen->access) & (unsigned)access) == (unsigned)access;
}

bool ocl_virtual_hold(uint64_t address, size_t bytes, enum ocl_access access,
                      struct ocl_virtual_hold *hold)
{
    *hold = (struct ocl_virtual_hold){.count = 0};
    while (bytes > 0) {
        struct ocl_allocation *found = find_mapping(address);
        if (found && (!is_allowed(found, access) || !add_held(hold, found))) {
            ocl_allocation_release(found);
            found = NULL;
        }
        if (!found) {
            ocl_virtual_let_go(hold);
            return false;
        }
        const size_t left = found->bytes - (size_t)(address - found->address);
        const size_t part = bytes < left ? bytes : left;
        address += part;
        bytes -= part;
    }
    return true;
}

void ocl_virtual_let_go(struct ocl_virtual_hold *hold)
{
    enum { FEW = sizeof hold->few / sizeof *hold->few };
    for (size_t i = 0; i < hold->count; i++)
        ocl_allocation_release(i < FEW ? hold->few[i] : hold->more[i - FEW]);
    free(hold->more);
    *hold = (struct ocl_virtual_hold){.count = 0};
}

bool ocl_virtual_allows(uint64_t address, size_t bytes, enum ocl_access access)
{
    struct ocl_virtual_hold hold;
    const bool allows = ocl_virtual_hold(address, bytes, access, &hold);
    ocl_virtual_let_go(&hold);
    return allows;
}
