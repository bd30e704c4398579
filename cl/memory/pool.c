/* Blocks of the driver, cut up for small sizes and kept for reuse.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/pool.h"

#include <assert.h>
#include <stdlib.h>

#include "cl/check/guard.h"
#include "cl/memory/kept.h"
#include "cl/memory/pieces.h"

#define MIB ((size_t)1 << 20)

/* Small sizes share blocks. The first is as small as CUDA's own (2 MiB), later ones grow with what
 * the program uses: half as much as there is already, because a driver block costs the driver's
 * time and a kernel that learns its address. */
static const size_t SMALL_MOST = MIB;
static const size_t SHARED_LEAST = 2 * MIB;
static const size_t SHARED_MOST = OCL_PIECE_MOST_BYTES;

/* Freed blocks are kept up to a sixteenth of the device. */
enum { KEPT_SHARE = 16 };

/* A kept block serves requests of at least 8/9 of its size: 12.5 % waste. */
enum { WASTE_SHARE = 8 };

/* Larger sizes are rounded up to whole pages. */
enum { PAGE = 4096 };

/* How far into a page each second large block begins. Of two that begin at a page what has the same number would lie at the same
 * place of its page: a processor that has stored to one takes loads from the other for loads of that until all of their address
 * is known. A stencil up the columns of a cube, whose layers are whole pages, takes 1.1 times as long so (AMD Zen 4). Half a
 * page, since kernels read runs of 1 or 2 KiB at a stride, which are not to lie across two pages. What has whole MiB begins at a page:
 * two such arrays that are read side by side at a stride of 128 KiB take up to 1.15 times as long otherwise (dot; why is not
 * known). */
enum { STAGGER = 2048 };

/* An eighth of what the host had when it was asked last may be taken before it is asked again. */
enum { CREDIT_SHARE = 8 };

struct ocl_pool {
    struct ocl_context *context;
    const struct ocl_pool_source *source;
    struct ocl_pieces pieces;
    struct ocl_pool_block *blocks; /* all */
    struct ocl_piece *empty;       /* all of a shared block, free: one such block stays as it is */
    struct ocl_kept kept;
    uint64_t shared_bytes;
    _Atomic uint64_t own_taken; /* what taken points to, unless the device's pools share a count */
    _Atomic uint64_t *taken;    /* from the source, and what is just being asked for */
    uint64_t available;         /* what the source said when asked last */
    uint64_t credit;            /* what may be taken before it is asked again */
    uint64_t budget;            /* the most that it ever said: an upper bound on total */
    size_t stagger;             /* of the block made last */
    bool
        is_whole; /* each piece has a block of exactly its size, of which none is kept: --check=guard */
};

static void lock(struct ocl_pool *pool)
{
    pthread_mutex_lock(&pool->context->memory_lock);
}

static void unlock(struct ocl_pool *pool)
{
    pthread_mutex_unlock(&pool->context->memory_lock);
}

/* --- Accounting --- */

/* Bytes that accounting would still hand out. memory_lock is held. */
static uint64_t room_left(const struct ocl_pool *pool, uint64_t total, uint64_t reusable)
{
    const uint64_t most = total < pool->budget ? total : pool->budget;
    const uint64_t taken = atomic_load(pool->taken) - reusable;
    return most > taken ? most - taken : 0;
}

/* Asks the source what can be touched. What this context took and never touched still counts as
 * available there, so the answer may only raise the budget, which all that was taken is then
 * subtracted from. */
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
        atomic_fetch_add(pool->taken, bytes);
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

/* Where the next block begins that one piece is all of. */
static size_t next_stagger(struct ocl_pool *pool, size_t bytes)
{
    const struct ocl_context *const context = pool->context;
    if (!pool->source->is_staggered || pool->is_whole || bytes % MIB == 0 ||
        !context->capability.device_is_host_memory ||
        bytes + PAGE > context->device->facts.max_alloc_bytes)
        return 0;
    lock(pool);
    const size_t stagger = pool->stagger = (pool->stagger + STAGGER) % PAGE;
    unlock(pool);
    return stagger;
}

/* stagger: of the first usable byte behind that of the driver's block. */
static ocl_status try_block(struct ocl_pool *pool, size_t bytes, size_t stagger,
                            struct ocl_pool_block **home)
{
    struct ocl_pool_block *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    ocl_status status = OCL_E_OUT_OF_MEMORY;
    if (!reserve(pool, bytes))
        goto fail;
    status = pool->source->create(pool->context, bytes + stagger, &made->block);
    if (status != OCL_OK) {
        atomic_fetch_sub(pool->taken, bytes);
        goto fail;
    }
    made->bytes = bytes;
    made->first = pool->source->first(made->block) + stagger;
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
static ocl_status make_block(struct ocl_pool *pool, size_t bytes, size_t stagger,
                             struct ocl_pool_block **home)
{
    ocl_status status = try_block(pool, bytes, stagger, home);
    if (status == OCL_E_OUT_OF_MEMORY && ocl_pool_trim(pool))
        status = try_block(pool, bytes, stagger, home);
    return status;
}

/* Gives a list of blocks, which are in no other, back to the driver. memory_lock is not held. */
static void destroy_blocks(struct ocl_pool *pool, struct ocl_pool_block *victims)
{
    while (victims) {
        struct ocl_pool_block *next = victims->next;
        pool->source->destroy(victims->block);
        atomic_fetch_sub(pool->taken, victims->bytes);
        free(victims);
        victims = next;
    }
}

/* --- Blocks nobody uses. memory_lock is held. --- */

static void discard(struct ocl_pool *pool, struct ocl_pool_block *home,
                    struct ocl_pool_block **victims)
{
    list_remove(&pool->blocks, home);
    list_add(victims, home);
}

/* Keeps a block, and adds those to victims that are to be destroyed for it, perhaps itself. */
static void keep(struct ocl_pool *pool, struct ocl_pool_block *home,
                 struct ocl_pool_block **victims)
{
    if (!ocl_kept_add(&pool->kept, home))
        discard(pool, home, victims);
    while (pool->kept.bytes > pool->kept.most)
        discard(pool, ocl_kept_take_oldest(&pool->kept), victims);
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

/* A block whose pieces are all free stays as it is if no other one does; otherwise it is shared no
 * more and kept. */
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

ocl_status ocl_pool_create(struct ocl_context *context, const struct ocl_pool_source *source,
                           struct ocl_pool **pool)
{
    struct ocl_pool *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->context = context;
    made->source = source;
    made->is_whole = ocl_guard_is_on();
    made->taken = source->is_device_memory ? &context->device_taken : &made->own_taken;
    const uint64_t share = source->total(context) / KEPT_SHARE;
    made->kept.most = made->is_whole ? 0 : share < source->kept_most ? share : source->kept_most;
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
    ocl_kept_release(&pool->kept);
    free(pool);
}

/* A block that only this piece uses. */
static ocl_status take_whole(struct ocl_pool *pool, size_t bytes, struct ocl_piece **piece)
{
    if (!pool->is_whole)
        bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    lock(pool);
    struct ocl_pool_block *home = ocl_kept_take(&pool->kept, bytes, bytes + bytes / WASTE_SHARE);
    unlock(pool);
    ocl_status status = home ? OCL_OK : make_block(pool, bytes, next_stagger(pool, bytes), &home);
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
    *home = ocl_kept_take(&pool->kept, SHARED_LEAST, SHARED_MOST);
    unlock(pool);
    if (*home)
        return OCL_OK;
    const ocl_status status =
        bytes > SHARED_LEAST ? try_block(pool, bytes, 0, home) : OCL_E_OUT_OF_MEMORY;
    return status == OCL_E_OUT_OF_MEMORY ? make_block(pool, SHARED_LEAST, 0, home) : status;
}

static ocl_status take_from_new_block(struct ocl_pool *pool, size_t bytes, struct ocl_piece **piece)
{
    struct ocl_pool_block *home = NULL, *victims = NULL;
    const ocl_status status = make_shared_block(pool, &home);
    if (status ==
        OCL_E_OUT_OF_MEMORY) /* what is left may still hold what was asked for, and no more */
        return take_whole(pool, bytes, piece);
    if (status != OCL_OK)
        return status;
    lock(pool);
    struct ocl_piece *added = shared_add(pool, home);
    *piece =
        shared_take(pool, bytes); /* perhaps from another block, where some was freed meanwhile */
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
    if (bytes > SMALL_MOST || pool->is_whole)
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
    while (pool->kept.count > 0)
        discard(pool, ocl_kept_take(&pool->kept, 0, SIZE_MAX), &victims);
    unlock(pool);
    const bool had_any = victims != NULL;
    destroy_blocks(pool, victims);
    return had_any;
}

/* memory_lock is held. */
static uint64_t reusable_bytes(const struct ocl_pool *pool)
{
    return pool->kept.bytes + (pool->empty ? pool->empty->bytes : 0);
}

uint64_t ocl_pool_reusable(struct ocl_pool *pool)
{
    lock(pool);
    const uint64_t bytes = reusable_bytes(pool);
    unlock(pool);
    return bytes;
}

void ocl_pool_info(struct ocl_pool *pool, uint64_t *free_bytes, uint64_t *total_bytes)
{
    const uint64_t total = pool->source->total(pool->context);
    lock(pool);
    *free_bytes = room_left(pool, total, reusable_bytes(pool));
    unlock(pool);
    *total_bytes = total;
}
