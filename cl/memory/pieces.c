/* Blocks cut into pieces of size classes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory/pieces.h"

#include <assert.h>
#include <stdlib.h>

#include "cl/base/size_class.h"

/* Requests are rounded up to their size class and free pieces stand in the class they reach, so any
 * piece of a request's class or a higher one is large enough, and two bit scans find it. A free piece
 * that is larger than needed is cut; neighbours are joined when they become free. */

enum { CHUNK_PIECES = 256 };

struct chunk {
    struct chunk *next;
    struct ocl_piece pieces[CHUNK_PIECES];
};

/* --- Structures --- */

static bool has_spare(struct ocl_pieces *pieces)
{
    if (pieces->spare)
        return true;
    struct chunk *chunk = malloc(sizeof *chunk);
    if (!chunk)
        return false;
    chunk->next = pieces->chunks;
    pieces->chunks = chunk;
    for (size_t i = CHUNK_PIECES; i-- > 0;) {
        chunk->pieces[i].next = pieces->spare;
        pieces->spare = &chunk->pieces[i];
    }
    return true;
}

static void spare_add(struct ocl_pieces *pieces, struct ocl_piece *piece)
{
    piece->next = pieces->spare;
    pieces->spare = piece;
}

void ocl_pieces_release(struct ocl_pieces *pieces)
{
    for (struct chunk *chunk = pieces->chunks; chunk;) {
        struct chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    *pieces = (struct ocl_pieces){0};
}

/* --- Free pieces by class --- */

static void list_add(struct ocl_pieces *pieces, struct ocl_piece *piece)
{
    const unsigned class = ocl_size_class(piece->bytes);
    piece->is_free = true;
    piece->previous = NULL;
    piece->next = pieces->lists[class];
    if (piece->next)
        piece->next->previous = piece;
    pieces->lists[class] = piece;
    pieces->filled[class / 64] |= (uint64_t)1 << class % 64;
}

static void list_remove(struct ocl_pieces *pieces, struct ocl_piece *piece)
{
    const unsigned class = ocl_size_class(piece->bytes);
    piece->is_free = false;
    if (piece->next)
        piece->next->previous = piece->previous;
    if (piece->previous)
        piece->previous->next = piece->next;
    else
        pieces->lists[class] = piece->next;
    if (!pieces->lists[class])
        pieces->filled[class / 64] &= ~((uint64_t)1 << class % 64);
}

/* A free piece of class or the next higher one that has any. */
static struct ocl_piece *list_first(const struct ocl_pieces *pieces, unsigned class)
{
    uint64_t found = pieces->filled[class / 64] & ~(uint64_t)0 << class % 64;
    unsigned word = class / 64;
    while (!found && ++word < OCL_PIECE_CLASSES / 64)
        found = pieces->filled[word];
    return found ? pieces->lists[word * 64 + (unsigned)__builtin_ctzll(found)] : NULL;
}

/* --- Cutting and joining --- */

/* Leaves piece with bytes and makes the rest behind it a free piece. Needs: a spare structure. */
static void cut(struct ocl_pieces *pieces, struct ocl_piece *piece, size_t bytes)
{
    struct ocl_piece *rest = pieces->spare;
    pieces->spare = rest->next;
    *rest = (struct ocl_piece){
        .home = piece->home,
        .offset = piece->offset + bytes,
        .bytes = piece->bytes - bytes,
        .before = piece,
        .after = piece->after,
    };
    if (rest->after)
        rest->after->before = rest;
    piece->after = rest;
    piece->bytes = bytes;
    list_add(pieces, rest);
}

/* Adds the piece behind left to left. Neither is in a list. */
static void join(struct ocl_pieces *pieces, struct ocl_piece *left)
{
    struct ocl_piece *right = left->after;
    left->bytes += right->bytes;
    left->after = right->after;
    if (left->after)
        left->after->before = left;
    spare_add(pieces, right);
}

struct ocl_piece *ocl_pieces_whole(struct ocl_pieces *pieces, struct ocl_pool_block *home)
{
    if (!has_spare(pieces))
        return NULL;
    struct ocl_piece *piece = pieces->spare;
    pieces->spare = piece->next;
    *piece = (struct ocl_piece){.home = home, .bytes = home->bytes};
    return piece;
}

struct ocl_piece *ocl_pieces_take(struct ocl_pieces *pieces, size_t bytes)
{
    assert(bytes > 0 && bytes <= OCL_PIECE_MOST_BYTES);
    const size_t wanted = ocl_size_class_bytes(bytes);
    struct ocl_piece *piece = list_first(pieces, ocl_size_class(wanted));
    if (!piece || !has_spare(pieces))
        return NULL;
    list_remove(pieces, piece);
    if (piece->bytes > wanted)
        cut(pieces, piece, wanted);
    return piece;
}

struct ocl_piece *ocl_pieces_give(struct ocl_pieces *pieces, struct ocl_piece *piece)
{
    assert(!piece->is_free);
    if (piece->after && piece->after->is_free) {
        list_remove(pieces, piece->after);
        join(pieces, piece);
    }
    if (piece->before && piece->before->is_free) {
        piece = piece->before;
        list_remove(pieces, piece);
        join(pieces, piece);
    }
    list_add(pieces, piece);
    return piece;
}

void ocl_pieces_forget(struct ocl_pieces *pieces, struct ocl_piece *piece)
{
    assert(!piece->before && !piece->after);
    if (piece->is_free)
        list_remove(pieces, piece);
    spare_add(pieces, piece);
}
