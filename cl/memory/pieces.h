/* Blocks cut into pieces of size classes. Private to cl/memory/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PIECES_H
#define OCL_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pieces of a block, of all blocks and of all classes belong together: the caller's lock
 * (memory_lock) is held in every function here. Nothing of it lies in the memory that is handed
 * out, which the host may not be able to read. */

struct ocl_block;

/* A driver block of a pool. */
struct ocl_pool_block {
    struct ocl_block *block;
    size_t first;        /* offset of the first usable byte */
    size_t bytes;        /* usable; a multiple of OCL_MEMORY_ALIGNMENT */
    bool is_shared;      /* cut into pieces */
    uint64_t kept_since; /* kept.c's clock; meaningful while kept */
    struct ocl_pool_block *next, *previous;
};

struct ocl_piece {
    struct ocl_pool_block *home;
    size_t offset, bytes; /* in the usable bytes of home */
    bool is_free;
    struct ocl_piece *before, *after;  /* neighbours in home */
    struct ocl_piece *next, *previous; /* free pieces of a class; next alone: spare pieces */
};

enum { OCL_PIECE_CLASSES = 128, OCL_PIECE_MOST_BYTES = 32 * 1024 * 1024 };

struct ocl_pieces {
    struct ocl_piece *lists[OCL_PIECE_CLASSES];
    uint64_t filled[OCL_PIECE_CLASSES / 64]; /* bit c: list c is not empty */
    struct ocl_piece *spare;                 /* structures not in use */
    void *chunks;                            /* all that the structures were cut from */
};

/* Frees the structures, not the blocks. */
void ocl_pieces_release(struct ocl_pieces *pieces);

/* A piece in use that is all of home; NULL without memory. */
struct ocl_piece *ocl_pieces_whole(struct ocl_pieces *pieces, struct ocl_pool_block *home);

/* Takes 0 < bytes <= OCL_PIECE_MOST_BYTES from a free piece, at most an eighth more than asked for.
 * NULL: no room. */
struct ocl_piece *ocl_pieces_take(struct ocl_pieces *pieces, size_t bytes);

/* Makes piece free and joins it with its free neighbours. Returns what became of it: all of home,
 * if home is empty. */
struct ocl_piece *ocl_pieces_give(struct ocl_pieces *pieces, struct ocl_piece *piece);

/* Forgets a piece that is all of its home, free or not. */
void ocl_pieces_forget(struct ocl_pieces *pieces, struct ocl_piece *piece);

#endif
