/* Device and pinned memory in pieces: blocks of the driver, cut up for small sizes and kept for reuse.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/pool.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cl/block.h"
#include "cl/host_memory.h"
#include "cl/pieces.h"

#define MIB ((size_t)1 << 20)

/* Small sizes share blocks. The first is as small as CUDA's own (2 MiB), later ones grow with what the program uses:
 * half as much as there is already, because a driver block costs the driver's time and a kernel that learns its address. */
static const size_t SMALL_MOST = MIB;
static const size_t SHARED_LEAST = 2 * MIB;
static const size_t SHARED_MOST = OCL_PIECE_MOST_BYTES;

/* Freed blocks are kept up to a sixteenth of the device. */
enum { KEPT_SHARE = 16 };

/* A kept block serves requests of at least 8/9 of its size: 12.5 % waste. */
enum { WASTE_SHARE = 8 };

/* Larger sizes are rounded up to whole pages. */
enum { PAGE = 4096 };

/* An eighth of what the host had when it was asked last may be taken before it is asked again. */
enum { CREDIT_SHARE = 8 };

struct ocl_pool {
    struct ocl_context *context;
    const struct ocl_pool_source *source;
    struct ocl_pieces pieces;
    struct ocl_pool_block *blocks; /* all */
    struct ocl_piece *empty;       /* the free piece that is all of a shared block: one such block stays as it is */
    struct ocl_pool_block **kept;  /* sorted by bytes, older ones first among equals */
    size_t kept_count, kept_room;
    uint64_t kept_bytes, kept_most;
    uint64_t clock;
    uint64_t shared_bytes;
    _Atomic uint64_t taken; /* from the source, and what is just being asked for */
    uint64_t available; /* what the source said when asked last */
    uint64_t credit;    /* what may be taken before it is asked again */
    uint64_t budget;    /* the most that the host ever had: accounting's upper bound on the device's total, there */
};

static void lock(struct ocl_pool *pool)
{
    pthread_mutex_lock(&pool->context->memory_lock);
}

static void unlock(struct ocl_pool *pool)
{
    pthread_mutex_unlock(&pool->context->memory_lock);
}

/* --- The driver as a source --- */

static uint64_t device_total(struct ocl_context *context)
{
    uint64_t total = 0, largest = 0;
    ocl_device_memory(context->device->index, &total, &largest);
    return total;
}

static uint64_t device_available(struct ocl_context *context)
{
    const struct ocl_device_facts *facts = &context->device->facts;
    const bool takes_host_memory = facts->device_class == OCL_CLASS_CPU || facts->has_host_unified_memory;
    return takes_host_memory ? ocl_host_memory_available() : UINT64_MAX;
}

const struct ocl_pool_source ocl_pool_device = {
    .create = ocl_block_create,
    .destroy = ocl_block_destroy,
    .first = ocl_block_first,
    .total = device_total,
    .available = device_available,
    .kept_most = (uint64_t)4 << 30,
};

static size_t host_first(const struct ocl_block *block)
{
    (void)block;
    return 0;
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
    .create = ocl_block_create_host,
    .destroy = ocl_block_destroy,
    .first = host_first,
    .total = host_total,
    .available = host_available,
    .kept_most = (uint64_t)256 << 20,
};

/* --- Accounting --- */

/* Bytes that accounting would still hand out. memory_lock is held. */
static uint64_t room_left(const struct ocl_pool *pool, uint64_t total, uint64_t reusable)
{
    const uint64_t most = total < pool->budget ? total : pool->budget;
    const uint64_t taken = atomic_load(&pool->taken) - reusable;
    return most > taken ? most - taken : 0;
}

/* Asks the source what can be touched. What this context took and never touched still counts as available there, so the
 * answer may only raise the budget, which all that was taken is then subtracted from. */
static void refresh(struct ocl_pool *pool)
{
    const uint64_t available = pool->source->available(pool->context);
    lock(pool);
    pool->available = available;
    pool->credit = available / CREDIT_SHARE;
    if (available > pool->budget)
        pool->budget = available;
    unlock(pool);
}

/* Counts bytes as taken, if there is room for them. */
static bool reserve(struct ocl_pool *pool, size_t bytes)
{
    const uint64_t total = pool->source->total(pool->context);
    lock(pool);
    const bool must_ask = bytes > pool->credit || bytes > room_left(pool, total, 0);
    unlock(pool);
    if (must_ask)
        refresh(pool);
    lock(pool);
    const bool has_room = bytes <= room_left(pool, total, 0) && bytes <= pool->available;
    if (has_room) {
        atomic_fetch_add(&pool->taken, bytes);
        pool->credit -= bytes < pool->credit ? bytes : pool->credit;
    }
    unlock(pool);
    return has_room;
}

/* --- Driver blocks --- */

static void list_add(struct ocl_pool_block **list, struct ocl_pool_block *home)
{
    home->previous = NULL;
    home->next = *list;
    if (home->next)
        home->next->previous = home;
    *list = home;
}

static void list_remove(struct ocl_pool_block **list, struct ocl_pool_block *home)
{
    if (home->next)
        home->next->previous = home->previous;
    if (home->previous)
        home->previous->next = home->next;
    else
        *list = home->next;
}

static ocl_status try_block(struct ocl_pool *pool, size_t bytes, struct ocl_pool_block **home)
{
    struct ocl_pool_block *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = OCL_E_OUT_OF_MEMORY;
    if (!reserve(pool, bytes))
        goto fail;
    status = pool->source->create(pool->context, bytes, &made->block);
    if (status != OCL_OK) {
        atomic_fetch_sub(&pool->taken, bytes);
        goto fail;
    }
    made->bytes = bytes;
    made->first = pool->source->first(made->block);
    lock(pool);
    list_add(&pool->blocks, made);
    unlock(pool);
    *home = made;
    return OCL_OK;
fail:
    free(made);
    return status;
}

/* As try_block(), and when there is no room, gives back what is kept and tries once more. */
static ocl_status make_block(struct ocl_pool *pool, size_t bytes, struct ocl_pool_block **home)
{
    ocl_status status = try_block(pool, bytes, home);
    if (status == OCL_E_OUT_OF_MEMORY && ocl_pool_trim(pool))
        status = try_block(pool, bytes, home);
    return status;
}

/* Gives a list of blocks, which are in no other, back to the driver. memory_lock is not held. */
static void destroy_blocks(struct ocl_pool *pool, struct ocl_pool_block *victims)
{
    while (victims) {
        struct ocl_pool_block *next = victims->next;
        pool->source->destroy(victims->block);
        atomic_fetch_sub(&pool->taken, victims->bytes);
        free(victims);
        victims = next;
    }
}

/* --- Kept blocks. memory_lock is held. --- */

/* Index of the first kept block of at least bytes. */
static size_t kept_search(const struct ocl_pool *pool, size_t bytes)
{
    size_t low = 0, high = pool->kept_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (pool->kept[middle]->bytes < bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct ocl_pool_block *kept_remove(struct ocl_pool *pool, size_t index)
{
    struct ocl_pool_block *home = pool->kept[index];
    pool->kept_count--;
    memmove(&pool->kept[index], &pool->kept[index + 1], (pool->kept_count - index) * sizeof *pool->kept);
    pool->kept_bytes -= home->bytes;
    return home;
}

/* The smallest kept block of least to most bytes, or NULL. */
static struct ocl_pool_block *kept_take(struct ocl_pool *pool, size_t least, size_t most)
{
    const size_t index = kept_search(pool, least);
    return index < pool->kept_count && pool->kept[index]->bytes <= most ? kept_remove(pool, index) : NULL;
}

static size_t kept_oldest(const struct ocl_pool *pool)
{
    size_t oldest = 0;
    for (size_t i = 1; i < pool->kept_count; i++)
        if (pool->kept[i]->kept_since < pool->kept[oldest]->kept_since)
            oldest = i;
    return oldest;
}

static bool kept_has_room(struct ocl_pool *pool)
{
    if (pool->kept_count < pool->kept_room)
        return true;
    const size_t room = pool->kept_room ? 2 * pool->kept_room : 16;
    struct ocl_pool_block **larger = realloc(pool->kept, room * sizeof *larger);
    if (!larger)
        return false;
    pool->kept = larger;
    pool->kept_room = room;
    return true;
}

static void discard(struct ocl_pool *pool, struct ocl_pool_block *home, struct ocl_pool_block **victims)
{
    list_remove(&pool->blocks, home);
    list_add(victims, home);
}

/* Keeps a block nobody uses, dropping the oldest ones beyond the limit: what is to be destroyed is added to victims. */
static void keep(struct ocl_pool *pool, struct ocl_pool_block *home, struct ocl_pool_block **victims)
{
    if (home->bytes > pool->kept_most || !kept_has_room(pool)) {
        discard(pool, home, victims);
        return;
    }
    size_t index = kept_search(pool, home->bytes + 1);
    memmove(&pool->kept[index + 1], &pool->kept[index], (pool->kept_count - index) * sizeof *pool->kept);
    pool->kept[index] = home;
    pool->kept_count++;
    pool->kept_bytes += home->bytes;
    home->kept_since = ++pool->clock;
    while (pool->kept_bytes > pool->kept_most)
        discard(pool, kept_remove(pool, kept_oldest(pool)), victims);
}

/* --- Shared blocks. memory_lock is held. --- */

static struct ocl_piece *shared_take(struct ocl_pool *pool, size_t bytes)
{
    struct ocl_piece *piece = ocl_pieces_take(&pool->pieces, bytes);
    if (piece == pool->empty)
        pool->empty = NULL;
    return piece;
}

/* The free piece that is all of home now; NULL without memory. */
static struct ocl_piece *shared_add(struct ocl_pool *pool, struct ocl_pool_block *home)
{
    struct ocl_piece *piece = ocl_pieces_whole(&pool->pieces, home);
    if (!piece)
        return NULL;
    home->is_shared = true;
    pool->shared_bytes += home->bytes;
    return ocl_pieces_give(&pool->pieces, piece);
}

/* Ends the sharing of a block that piece is all of. */
static struct ocl_pool_block *shared_remove(struct ocl_pool *pool, struct ocl_piece *piece)
{
    struct ocl_pool_block *home = piece->home;
    ocl_pieces_forget(&pool->pieces, piece);
    home->is_shared = false;
    pool->shared_bytes -= home->bytes;
    return home;
}

/* A block whose pieces are all free stays as it is if no other one does; otherwise it is shared no more and kept. */
static void settle(struct ocl_pool *pool, struct ocl_piece *piece, struct ocl_pool_block **victims)
{
    if (!piece->is_free || piece->bytes < piece->home->bytes)
        return;
    if (pool->empty)
        keep(pool, shared_remove(pool, piece), victims);
    else
        pool->empty = piece;
}

static size_t next_shared_bytes(const struct ocl_pool *pool)
{
    size_t bytes = SHARED_LEAST;
    while (bytes < SHARED_MOST && bytes < pool->shared_bytes / 2)
        bytes *= 2;
    return bytes;
}

/* --- The interface --- */

ocl_status ocl_pool_create(struct ocl_context *context, const struct ocl_pool_source *source, struct ocl_pool **pool)
{
    struct ocl_pool *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->context = context;
    made->source = source;
    const uint64_t share = source->total(context) / KEPT_SHARE;
    made->kept_most = share < source->kept_most ? share : source->kept_most;
    refresh(made);
    *pool = made;
    return OCL_OK;
}

void ocl_pool_destroy(struct ocl_pool *pool)
{
    if (!pool)
        return;
    destroy_blocks(pool, pool->blocks);
    ocl_pieces_release(&pool->pieces);
    free(pool->kept);
    free(pool);
}

/* A block that only this piece uses. */
static ocl_status take_whole(struct ocl_pool *pool, size_t bytes, struct ocl_piece **piece)
{
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    lock(pool);
    struct ocl_pool_block *home = kept_take(pool, bytes, bytes + bytes / WASTE_SHARE);
    unlock(pool);
    ocl_status status = home ? OCL_OK : make_block(pool, bytes, &home);
    if (status != OCL_OK)
        return status;
    struct ocl_pool_block *victims = NULL;
    lock(pool);
    *piece = ocl_pieces_whole(&pool->pieces, home);
    if (!*piece)
        keep(pool, home, &victims);
    unlock(pool);
    destroy_blocks(pool, victims);
    return *piece ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

/* A block that is to be cut: a kept one of a fitting size, a new one, a new small one. */
static ocl_status make_shared_block(struct ocl_pool *pool, struct ocl_pool_block **home)
{
    lock(pool);
    const size_t bytes = next_shared_bytes(pool);
    *home = kept_take(pool, SHARED_LEAST, SHARED_MOST);
    unlock(pool);
    if (*home)
        return OCL_OK;
    const ocl_status status = bytes > SHARED_LEAST ? try_block(pool, bytes, home) : OCL_E_OUT_OF_MEMORY;
    return status == OCL_E_OUT_OF_MEMORY ? make_block(pool, SHARED_LEAST, home) : status;
}

static ocl_status take_from_new_block(struct ocl_pool *pool, size_t bytes, struct ocl_piece **piece)
{
    struct ocl_pool_block *home = NULL, *victims = NULL;
    const ocl_status status = make_shared_block(pool, &home);
    if (status == OCL_E_OUT_OF_MEMORY) /* what is left may still hold what was asked for, and no more */
        return take_whole(pool, bytes, piece);
    if (status != OCL_OK)
        return status;
    lock(pool);
    struct ocl_piece *added = shared_add(pool, home);
    *piece = shared_take(pool, bytes); /* perhaps from another block, where some was freed meanwhile */
    if (added)
        settle(pool, added, &victims);
    else
        keep(pool, home, &victims);
    unlock(pool);
    destroy_blocks(pool, victims);
    return *piece ? OCL_OK : OCL_E_OUT_OF_MEMORY;
}

ocl_status ocl_pool_take(struct ocl_pool *pool, size_t bytes, struct ocl_piece **piece)
{
    assert(bytes > 0);
    if (bytes > SIZE_MAX / 2) /* below, rounding cannot overflow */
        return OCL_E_OUT_OF_MEMORY;
    if (bytes > SMALL_MOST)
        return take_whole(pool, bytes, piece);
    lock(pool);
    *piece = shared_take(pool, bytes);
    unlock(pool);
    return *piece ? OCL_OK : take_from_new_block(pool, bytes, piece);
}

struct ocl_piece_view ocl_pool_view(const struct ocl_piece *piece)
{
    const struct ocl_pool_block *home = piece->home;
    return (struct ocl_piece_view){home->block, home->first + piece->offset, piece->bytes};
}

void ocl_pool_give(struct ocl_pool *pool, struct ocl_piece *piece)
{
    struct ocl_pool_block *home = piece->home, *victims = NULL;
    lock(pool);
    if (home->is_shared) {
        settle(pool, ocl_pieces_give(&pool->pieces, piece), &victims);
    } else {
        ocl_pieces_forget(&pool->pieces, piece);
        keep(pool, home, &victims);
    }
    unlock(pool);
    destroy_blocks(pool, victims);
}

bool ocl_pool_trim(struct ocl_pool *pool)
{
    struct ocl_pool_block *victims = NULL;
    lock(pool);
    if (pool->empty) {
        discard(pool, shared_remove(pool, pool->empty), &victims);
        pool->empty = NULL;
    }
    while (pool->kept_count > 0)
        discard(pool, kept_remove(pool, pool->kept_count - 1), &victims);
    unlock(pool);
    const bool had_any = victims != NULL;
    destroy_blocks(pool, victims);
    return had_any;
}

void ocl_pool_info(struct ocl_pool *pool, uint64_t *free_bytes, uint64_t *total_bytes)
{
    const uint64_t total = pool->source->total(pool->context);
    lock(pool);
    const uint64_t reusable = pool->kept_bytes + (pool->empty ? pool->empty->bytes : 0);
    *free_bytes = room_left(pool, total, reusable);
    unlock(pool);
    *total_bytes = total;
}
