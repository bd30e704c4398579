/* Blocks whose addresses are given out before anybody may use them: their parts, counting, giving them back.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/memory/address.h"
#include "cl/memory/fixed_private.h"
#include "cl/memory/ordered_private.h"
#include "cl/queue/queue_private.h"
#include "cl/state/state.h"

/* Work that may use parts which are none any more: the first so many commands of a queue, which may be gone. */
struct use {
    const struct ocl_queue *queue;
    uint64_t queue_id, position;
};

/* Everything but what never changes is under the lock. */
struct ocl_fixed {
    uint64_t address;
    size_t bytes, unit;
    int device;
    bool gives_pages; /* the host can give back its pages */
    size_t holders;   /* those of ocl_fixed_hold(), and each part until it is taken apart */
    const struct ocl_context *context; /* NULL: closed */
    struct ocl_allocation *whole;      /* with the block's reference; NULL: closed */
    struct ocl_allocation **parts;     /* in use, by address */
    size_t part_count, part_capacity;
    struct use *uses;
    size_t use_count, use_capacity;
    bool is_in_doubt;        /* a use could not be noted: the block waits for its context's end */
    uint64_t used, reserved; /* as counted for the device */
    struct ocl_fixed *next, *previous;
};

enum { COUNTED_DEVICES = 64 };
struct counts {
    uint64_t used, used_high, reserved, reserved_high;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct ocl_fixed *blocks;
static _Atomic size_t block_count; /* who finds none needs no lock */
static struct counts counts[COUNTED_DEVICES];
static _Atomic unsigned releasing; /* threads that give blocks back */

/* --- counting: lock held ---------------------------------------------------------------------- */

static void recount(struct ocl_fixed *block, uint64_t used, uint64_t reserved)
{
    if (block->device >= 0 && block->device < COUNTED_DEVICES) {
        struct counts *now = &counts[block->device];
        now->used += used - block->used;
        now->reserved += reserved - block->reserved;
        now->used_high = now->used > now->used_high ? now->used : now->used_high;
        now->reserved_high =
            now->reserved > now->reserved_high ? now->reserved : now->reserved_high;
    }
    block->used = used;
    block->reserved = reserved;
}

/* --- what is still to be done with parts that ended: lock held -------------------------------- */

static bool is_over(const struct use *use)
{
    return atomic_load(&use->queue->id) != use->queue_id ||
           ocl_queue_has_finished(use->queue, use->queue_id, use->position);
}

static void forget_uses(struct ocl_fixed *block)
{
    size_t kept = 0;
    for (size_t i = 0; i < block->use_count; i++) {
        if (!is_over(&block->uses[i]))
            block->uses[kept++] = block->uses[i];
    }
    block->use_count = kept;
}

static bool is_idle(struct ocl_fixed *block)
{
    forget_uses(block);
    return block->part_count == 0 && block->use_count == 0 && !block->is_in_doubt;
}

static void note_use(struct ocl_fixed *block, const struct ocl_queue *queue)
{
    const struct use use = {queue, atomic_load(&queue->id), atomic_load(&queue->submitted)};
    forget_uses(block);
    for (size_t i = 0; i < block->use_count; i++) {
        if (block->uses[i].queue_id == use.queue_id) {
            block->uses[i] = use;
            return;
        }
    }
    if (block->use_count == block->use_capacity) {
        const size_t capacity = 2 * block->use_capacity + 2;
        struct use *uses = realloc(block->uses, capacity * sizeof *uses);
        if (!uses) {
            block->is_in_doubt = true;
            return;
        }
        block->uses = uses;
        block->use_capacity = capacity;
    }
    block->uses[block->use_count++] = use;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void list(struct ocl_fixed *block)
{
    block->next = blocks;
    if (blocks)
        blocks->previous = block;
    blocks = block;
    atomic_fetch_add(&block_count, 1);
}

static void unlist(struct ocl_fixed *block)
{
    if (block->next)
        block->next->previous = block->previous;
    if (block->previous)
        block->previous->next = block->next;
    else
        blocks = block->next;
    atomic_fetch_sub(&block_count, 1);
}

static void free_block(struct ocl_fixed *block)
{
    free(block->parts);
    free(block->uses);
    free(block);
}

ocl_status ocl_fixed_create(struct ocl_context *context, size_t bytes, struct ocl_fixed **made)
{
    struct ocl_fixed *block = calloc(1, sizeof *block);
    if (!block)
        return OCL_E_OUT_OF_MEMORY;
    (void)ocl_fixed_settle();
    const ocl_status status = ocl_allocation_make_whole(context, bytes, block, &block->whole);
    if (status != OCL_OK) {
        free(block);
        return status;
    }
    const struct ocl_capability *capability = &context->capability;
    const size_t sub_buffer =
        capability->address == OCL_ADDRESS_HANDLE ? context->device->facts.base_align_bytes : 0;
    block->address = block->whole->address;
    block->bytes = bytes;
    block->unit = sub_buffer > OCL_MEMORY_ALIGNMENT ? sub_buffer : OCL_MEMORY_ALIGNMENT;
    block->device = context->device->index;
    block->gives_pages = capability->has_addresses && capability->device_is_host_memory;
    block->holders = 1;
    block->context = context;
    pthread_mutex_lock(&lock);
    list(block);
    recount(block, 0, block->gives_pages ? 0 : bytes);
    pthread_mutex_unlock(&lock);
    *made = block;
    return OCL_OK;
}

/* Lock held. Whether nobody needs the block, which the caller ends then, without the lock. */
static bool take_out_unneeded(struct ocl_fixed *block)
{
    if (block->holders > 0 || (block->whole && !is_idle(block)))
        return false;
    recount(block, 0, 0);
    unlist(block);
    return true;
}

static void end_block(struct ocl_fixed *block)
{
    if (block->whole)
        ocl_allocation_release(block->whole);
    free_block(block);
}

void ocl_fixed_hold(struct ocl_fixed *block)
{
    pthread_mutex_lock(&lock);
    block->holders++;
    pthread_mutex_unlock(&lock);
}

void ocl_fixed_let_go(struct ocl_fixed *block)
{
    pthread_mutex_lock(&lock);
    block->holders--;
    const bool is_unneeded = take_out_unneeded(block);
    if (is_unneeded)
        atomic_fetch_add(&releasing, 1);
    pthread_mutex_unlock(&lock);
    if (!is_unneeded)
        return;
    end_block(block);
    atomic_fetch_sub(&releasing, 1);
}

bool ocl_fixed_settle(void)
{
    struct ocl_fixed *victims = NULL;
    if (atomic_load_explicit(&block_count, memory_order_relaxed) == 0)
        return false;
    atomic_fetch_add(&releasing, 1); /* a context that closes waits until they are gone */
    pthread_mutex_lock(&lock);
    for (struct ocl_fixed *block = blocks, *next; block; block = next) {
        next = block->next;
        if (take_out_unneeded(block)) {
            block->next = victims;
            victims = block;
        }
    }
    pthread_mutex_unlock(&lock);
    const bool had_any = victims != NULL;
    while (victims) {
        struct ocl_fixed *next = victims->next;
        end_block(victims);
        victims = next;
    }
    atomic_fetch_sub(&releasing, 1);
    return had_any;
}

/* One whole after the other, since ending one waits for whoever looks at it. */
void ocl_fixed_leave(const struct ocl_context *context)
{
    struct ocl_allocation *whole;
    do {
        whole = NULL;
        pthread_mutex_lock(&lock);
        for (struct ocl_fixed *block = blocks; block && !whole; block = block->next) {
            if (block->context != context)
                continue;
            whole = block->whole;
            block->whole = NULL;
            block->context = NULL;
            recount(block, 0, 0);
        }
        pthread_mutex_unlock(&lock);
        if (whole)
            ocl_allocation_end(whole);
    } while (whole);
    while (atomic_load(&releasing) != 0)
        sched_yield();
    (void)ocl_fixed_settle();
}

uint64_t ocl_fixed_address(const struct ocl_fixed *block)
{
    return block->address;
}

size_t ocl_fixed_bytes(const struct ocl_fixed *block)
{
    return block->bytes;
}

size_t ocl_fixed_unit(const struct ocl_fixed *block)
{
    return block->unit;
}

/* --- parts ------------------------------------------------------------------------------------ */

/* Lock held. How many parts in use begin at address or before it. */
static size_t count_to(const struct ocl_fixed *block, uint64_t address)
{
    size_t low = 0, high = block->part_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (block->parts[middle]->address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Lock held. */
static ocl_status list_part(struct ocl_fixed *block, struct ocl_allocation *part)
{
    const uint64_t end = part->address + part->bytes;
    const size_t at = count_to(block, part->address);
    if ((at > 0 && block->parts[at - 1]->address + block->parts[at - 1]->bytes > part->address) ||
        (at < block->part_count && block->parts[at]->address < end))
        return OCL_E_ALREADY;
    if (block->part_count == block->part_capacity) {
        const size_t capacity = 2 * block->part_capacity + 8;
        struct ocl_allocation **parts = realloc(block->parts, capacity * sizeof(*parts));
        if (!parts)
            return OCL_E_OUT_OF_MEMORY;
        block->parts = parts;
        block->part_capacity = capacity;
    }
    memmove(block->parts + at + 1, block->parts + at, (block->part_count - at) * sizeof(part));
    block->parts[at] = part;
    block->part_count++;
    return OCL_OK;
}

/* Lock held. */
static void unlist_part(struct ocl_fixed *block, const struct ocl_allocation *part)
{
    const size_t behind = count_to(block, part->address);
    if (behind == 0 || block->parts[behind - 1] != part)
        return;
    memmove(block->parts + behind - 1, block->parts + behind,
            (block->part_count - behind) * sizeof(part));
    block->part_count--;
}

void ocl_fixed_unlist(struct ocl_allocation *part)
{
    pthread_mutex_lock(&lock);
    unlist_part(part->fixed, part);
    pthread_mutex_unlock(&lock);
}

/* The block's allocation, with a reference, and a holder more for a part; or NULL. */
static struct ocl_allocation *hold_whole(struct ocl_fixed *block)
{
    pthread_mutex_lock(&lock);
    struct ocl_allocation *whole = block->whole;
    if (whole && !ocl_allocation_retain(whole))
        whole = NULL;
    if (whole)
        block->holders++;
    pthread_mutex_unlock(&lock);
    return whole;
}

static ocl_status wait_for(const struct use *use, struct ocl_queue *queue)
{
    struct ocl_queue_waits waits;
    ocl_queue_copy_waits(queue, &waits);
    if (use->queue_id == atomic_load(&queue->id) ||
        ocl_queue_waits_have(&waits, use->queue_id, use->position))
        return OCL_OK;
    struct ocl_queue *other = ocl_queue_acquire(use->queue, use->queue_id);
    ocl_status status = OCL_OK;
    if (!other)
        return OCL_OK;
    if (other->context != queue->context) {
        status = ocl_event_follow(queue, other);
    } else if (!ocl_queue_comes_after(queue, other, use->queue_id, use->position)) {
        status = ocl_queue_wait_for(queue, other);
        if (status == OCL_OK)
            ocl_queue_note_wait(queue, use->queue_id, use->position);
    }
    ocl_queue_release(other);
    return status;
}

/* More queues than this hold no block up at once, or the queue waits for all of them. */
enum { MOST_USES = 16 };

/* *is_used: there may be some. */
static ocl_status wait_for_uses(struct ocl_fixed *block, struct ocl_queue *queue, bool *is_used)
{
    struct use uses[MOST_USES];
    pthread_mutex_lock(&lock);
    forget_uses(block);
    const size_t count = block->use_count;
    const bool is_known = count <= MOST_USES && !block->is_in_doubt;
    if (is_known && count > 0)
        memcpy(uses, block->uses, count * sizeof uses[0]);
    pthread_mutex_unlock(&lock);
    *is_used = !is_known || count > 0;
    if (!is_known)
        return ocl_event_follow_all(queue, queue->context);
    if (count == 0)
        return OCL_OK;
    ocl_status status = ocl_queue_order(queue);
    for (size_t i = 0; status == OCL_OK && i < count; i++)
        status = wait_for(&uses[i], queue);
    return status;
}

ocl_status ocl_fixed_begin(struct ocl_fixed *block, struct ocl_queue *queue, uint64_t address,
                           size_t bytes)
{
    const size_t offset = (size_t)(address - block->address);
    bool is_used;
    const ocl_status ordered = wait_for_uses(block, queue, &is_used);
    if (ordered != OCL_OK)
        return ordered;
    struct ocl_allocation *whole = hold_whole(block);
    if (!whole)
        return OCL_E_NOT_FOUND;
    struct ocl_allocation *part = ocl_allocation_make_part(whole, block, offset, bytes);
    ocl_allocation_release(whole);
    if (!part) {
        ocl_fixed_let_go(block);
        return OCL_E_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&lock);
    const ocl_status status = list_part(block, part);
    if (status == OCL_OK) {
        const uint64_t end = offset + bytes;
        recount(block, end > block->used ? end : block->used, block->bytes);
        atomic_store(&part->is_live, true);
        part->is_in_use = is_used;
        ocl_allocation_count(part, true);
    }
    pthread_mutex_unlock(&lock);
    if (status != OCL_OK)
        ocl_allocation_release(part);
    return status;
}

ocl_status ocl_fixed_give(struct ocl_allocation *part, const struct ocl_queue *queue)
{
    struct ocl_fixed *block = part->fixed;
    pthread_mutex_lock(&lock);
    unlist_part(block, part);
    if (queue)
        note_use(block, queue);
    pthread_mutex_unlock(&lock);
    const ocl_status status = queue ? OCL_OK : ocl_queues_finish(part->context);
    ocl_allocation_release(part);
    return status;
}

struct ocl_allocation *ocl_fixed_acquire(struct ocl_fixed *block, uint64_t address)
{
    struct ocl_allocation *found = NULL;
    pthread_mutex_lock(&lock);
    const size_t behind = count_to(block, address);
    if (behind > 0 && address - block->parts[behind - 1]->address < block->parts[behind - 1]->bytes)
        found = block->parts[behind - 1];
    if (found && (!atomic_load(&found->is_live) || !ocl_allocation_retain(found)))
        found = NULL;
    pthread_mutex_unlock(&lock);
    return found;
}

/* The part in use that begins at address, with a reference. */
static struct ocl_allocation *part_at(uint64_t address)
{
    if (atomic_load_explicit(&block_count, memory_order_relaxed) == 0)
        return NULL;
    struct ocl_allocation *found = ocl_address_acquire(address);
    if (!found || (found->fixed && found->address == address))
        return found;
    ocl_allocation_release(found);
    return NULL;
}

ocl_status ocl_fixed_end(struct ocl_queue *queue, uint64_t address)
{
    struct ocl_allocation *part = part_at(address);
    if (!part)
        return OCL_E_NOT_FOUND;
    ocl_status status = ocl_queue_order(queue);
    if (status == OCL_OK && atomic_exchange(&part->is_live, false)) {
        ocl_allocation_count(part, false);
        status = ocl_fixed_give(part, queue);
    } else if (status == OCL_OK) {
        status = OCL_E_NOT_FOUND;
    }
    ocl_allocation_release(part);
    return status;
}

bool ocl_fixed_is_used(uint64_t address)
{
    struct ocl_allocation *part = part_at(address);
    if (!part)
        return false;
    ocl_allocation_release(part);
    return true;
}

bool ocl_fixed_find(uint64_t address, struct ocl_context **context, size_t *left)
{
    if (atomic_load_explicit(&block_count, memory_order_relaxed) == 0)
        return false;
    struct ocl_allocation *whole = ocl_address_acquire_held(address);
    if (!whole)
        return false;
    const bool is_fixed = whole->fixed != NULL;
    if (is_fixed && context)
        *context = whole->context;
    if (is_fixed && left)
        *left = whole->bytes - (size_t)(address - whole->address);
    ocl_allocation_release(whole);
    return is_fixed;
}

/* --- asking and giving back ------------------------------------------------------------------- */

static uint64_t *count_of(int device, enum ocl_fixed_attribute attribute)
{
    struct counts *now = &counts[device];
    uint64_t *const all[] = {
        [OCL_FIXED_USED] = &now->used,
        [OCL_FIXED_USED_HIGH] = &now->used_high,
        [OCL_FIXED_RESERVED] = &now->reserved,
        [OCL_FIXED_RESERVED_HIGH] = &now->reserved_high,
    };
    return all[attribute];
}

static bool is_counted(int device)
{
    return device >= 0 && device < COUNTED_DEVICES;
}

uint64_t ocl_fixed_get(int device, enum ocl_fixed_attribute attribute)
{
    if (!is_counted(device))
        return 0;
    pthread_mutex_lock(&lock);
    const uint64_t bytes = *count_of(device, attribute);
    pthread_mutex_unlock(&lock);
    return bytes;
}

void ocl_fixed_reset(int device, enum ocl_fixed_attribute attribute)
{
    if (!is_counted(device))
        return;
    pthread_mutex_lock(&lock);
    if (attribute == OCL_FIXED_USED_HIGH)
        counts[device].used_high = counts[device].used;
    else if (attribute == OCL_FIXED_RESERVED_HIGH)
        counts[device].reserved_high = counts[device].reserved;
    pthread_mutex_unlock(&lock);
}

/* The whole pages in the block. Contents were not defined anyway. */
static bool give_pages(const struct ocl_fixed *block)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    const uint64_t first = (block->address + page - 1) / page * page;
    const uint64_t end = (block->address + block->bytes) / page * page;
    return block->gives_pages && end > first &&
           madvise((void *)(uintptr_t)first, end - first, MADV_DONTNEED) == 0;
}

/* Giving pages back does not block, and nobody may begin a part of the block meanwhile. */
void ocl_fixed_trim(int device)
{
    pthread_mutex_lock(&lock);
    for (struct ocl_fixed *block = blocks; block; block = block->next) {
        if (block->device == device && block->used > 0 && block->whole && is_idle(block))
            recount(block, 0, give_pages(block) ? 0 : block->reserved);
    }
    pthread_mutex_unlock(&lock);
    (void)ocl_fixed_settle();
}
