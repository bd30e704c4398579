/* Rows of cells of races: what is kept of 32 cells that lie side by side, while accesses to them are plain and none is a race
 * that has not been reported, as a list of a warp's accesses in place of the cells. It lies where they would: the row where the first slots are, its accesses
 * where the others are. Whoever wants a cell closes its row first, from which on there are cells.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_LIBRARY_ROWS_H
#define KERNELS_PTX_LIBRARY_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernels/ptx/library/check.h"

enum {
    PTX_ROW_CELLS = CLEM_RACE_ROW_CELLS,
    PTX_ROW_BYTES = PTX_ROW_CELLS * 4,
    PTX_ROW_ACCESSES = PTX_ROW_CELLS * (CLEM_RACE_SLOTS - 1) / 3
};

/* Lanes' accesses. Lane i is of the bytes from start + i * stride on, where that is within the row; or of all the cells. */
struct ptx_row_access {
    uint32_t time, word; /* of slots, without bytes; the thread is the first lane's */
    uint32_t lanes;
    uint32_t cells; /* of which some byte is accessed */
    union {
        struct {
            int16_t start, stride;
            uint8_t bytes; /* of each lane; 0: the cells, each by every lane */
            uint8_t unused[3];
        };
        uint64_t shape; /* all of that */
    };
};

/* Processors wait where they read in one what was written in parts. */
static inline uint64_t ptx_row_shape(int64_t start, int64_t stride, uint32_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return (uint16_t)start | (uint64_t)(uint16_t)stride << 16 | (uint64_t)(uint8_t)bytes << 32;
#else
    return (uint64_t)(uint16_t)start << 48 | (uint64_t)(uint16_t)stride << 32 |
           (uint64_t)(uint8_t)bytes << 24;
#endif
}

static inline void ptx_row_copy(struct ptx_row_access *to, const struct ptx_row_access *from)
{
    uint32_t time = from->time, word = from->word, lanes = from->lanes, cells = from->cells;
    __asm__(""
            : "+r"(time), "+r"(word), "+r"(lanes),
              "+r"(cells)); /* one by one, as they were written */
    to->time = time;
    to->word = word;
    to->lanes = lanes;
    to->cells = cells;
    to->shape = from->shape;
}

/* What is kept of a row of global memory while that is little: in place of a struct ptx_row, with no list behind it. */
enum { PTX_FRONT_ACCESSES = 10 };
struct ptx_front {
    uint64_t mark; /* PTX_FRONT_MARK: that is so */
    uint32_t count, unused;
    struct ptx_row_access kept[PTX_FRONT_ACCESSES]; /* in no order */
};
#define PTX_FRONT_MARK (CLEM_RACE_ROW | (uint64_t)1 << 32)

/* A bit for each byte of a row. */
__extension__ typedef unsigned __int128 ptx_row_bytes;

struct ptx_row {
    uint64_t mark; /* CLEM_RACE_ROW: there is a list */
    uint32_t time; /* of the latest access */
    uint32_t count;
    uint32_t singles;                 /* of single lanes, at most */
    uint32_t written;                 /* cells that listed accesses write, */
    uint32_t first_write, last_write; /* at these times */
    uint32_t next;                    /* of the list, rather the one that is read again */
    uint32_t alone;                   /* `mine` and `settled` are of accesses since then */
    int32_t origin; /* where thread 0 would have read as some lanes did at that time, */
    uint8_t size;   /* each so many bytes; 0: none did */
    uint8_t warp;   /* the highest that read then, */
    bool has_more,
        has_past; /* the others are something; else all are 0, but `mapped` where it is `own` */
    /* Bytes that were read, and not written since: */
    ptx_row_bytes own;     /* by the warp, */
    ptx_row_bytes mapped;  /* by those lanes, of which all are the warp's, */
    ptx_row_bytes pair;    /* by two of the warp's threads, */
    ptx_row_bytes others;  /* by lower warps, */
    ptx_row_bytes twice;   /* by two warps; */
    ptx_row_bytes mine;    /* before that time by the block that runs, */
    ptx_row_bytes settled; /* by one of its launch that has ended */
};

/* When accesses were ordered before the one at hand, as struct clem_race_look has it; old: until then they concern nobody; alone: 0
 * where some access orders others, and of shared memory. */
struct ptx_row_times {
    uint32_t old, clear, turn, barrier, alone;
    const ulong *
        reported; /* as of struct clem_check_launch: these races are nothing new; NULL: there are none */
};

/* Those of the access at hand. head: NULL: it is one of shared memory. */
static inline struct ptx_row_times ptx_row_times_of(const struct clem_race_look *look,
                                                    const struct clem_check_launch *head)
{
    return (struct ptx_row_times){.old = head ? look->old : look->barrier,
                                  .clear = look->clear,
                                  .turn = look->turn,
                                  .barrier = look->barrier,
                                  .alone = head && look->relaxed ? look->alone : 0,
                                  .reported = head ? head->reported : NULL};
}

static inline struct ptx_row *ptx_row_of(uint64_t *cells, uint64_t address)
{
    const uint64_t at = address % CLEM_RACE_PAGE_BYTES / PTX_ROW_BYTES * PTX_ROW_CELLS;
    return (struct ptx_row *)(void *)(cells + at);
}

static inline bool ptx_row_is_open(const struct ptx_row *row)
{
    return (uint32_t)row->mark == CLEM_RACE_ROW;
}

/* Those of a row from one on, which may be outside of it. */
static inline ptx_row_bytes ptx_row_from(int64_t first)
{
    const uint64_t all = ~(uint64_t)0, moved = all << (first & 63);
    const uint64_t low = first <= 0   ? all
                         : first < 64 ? moved
                                      : 0,
                   high = first < 64              ? all
                          : first < PTX_ROW_BYTES ? moved
                                                  : 0;
    return (ptx_row_bytes)high << 64 | low;
}

/* Likewise to before `end`. */
static inline ptx_row_bytes ptx_row_between(int64_t first, int64_t end)
{
    return ptx_row_from(first) & ~ptx_row_from(end);
}

/* Those that an access has. */
ptx_row_bytes ptx_row_bytes_of(const struct ptx_row_access *access);

/* Where its list lies. */
static inline struct ptx_row_access *ptx_row_accesses(uint64_t *cells, const struct ptx_row *row)
{
    const size_t at = (size_t)((const uint64_t *)(const void *)row - cells);
    return (struct ptx_row_access *)(void *)(cells + CLEM_RACE_PAGE_BYTES / 4 +
                                             at * (CLEM_RACE_SLOTS - 1));
}

/* Whether lanes that read one place did so next to it before, at the same time: then these bytes are added to that. bytes: those of
 * the access, which it has all of. false: it has to be noted. */
static inline bool ptx_row_read_on(uint64_t *cells, struct ptx_row *row,
                                   const struct ptx_row_access *access, ptx_row_bytes bytes)
{
    struct ptx_row_access *const last = &ptx_row_accesses(cells, row)[row->next];
    if (!ptx_row_is_open(row) || row->next >= row->count || !row->has_more ||
        row->time != access->time || access->cells & row->written ||
        row->warp != (access->word & CLEM_RACE_THREAD) / 32 || last->shape != 0 ||
        last->lanes != access->lanes || last->time != access->time || last->word != access->word)
        return false;
    last->cells |= access->cells;
    row->next++;
    row->own |= bytes;
    row->pair |= bytes;
    row->twice |= bytes & row->others;
    return true;
}

/* Whether reads of these bytes by this warp find no race that those do not which are there. */
static inline bool ptx_row_has_read(const struct ptx_row *row, const struct ptx_row_times *times,
                                    uint32_t time, uint32_t warp, ptx_row_bytes bytes)
{
    ptx_row_bytes enough = 0;
    if (!ptx_row_is_open(row)) /* what lies there is cells, then */
        return false;
    if (row->has_more && row->time == time)
        enough = row->twice | (row->warp == warp ? row->pair : 0);
    if (row->has_past && row->alone == times->alone)
        enough |= row->settled;
    return !(bytes & ~enough);
}

/* Notes an access in the row that has an address, of a page's cells. false: the row is closed. Needs: it is plain, lanes' bytes
 * are at multiples of so many, and `bytes` are those that it has there. */
bool ptx_row_note(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                  const struct ptx_row_access *access, ptx_row_bytes bytes);
/* Likewise two stores of one instruction, which some lanes make and others. */
bool ptx_row_note_both(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                       const struct ptx_row_access stores[2]);
/* Notes a read of memory that no block of its launch writes: one more of the list. false: that has no room, or it is no list. */
bool ptx_row_note_still(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                        const struct ptx_row_access *access);
/* The list of the row, in their order in time; NULL: there are cells. */
const struct ptx_row_access *ptx_row_listed(uint64_t *cells, uint64_t address, uint32_t *count);

/* Notes a read that is no race with anything, and may be older than what is there. As ptx_row_note(); alone: as of ptx_front_note(). */
void ptx_row_note_late(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                       const struct ptx_row_access *access, ptx_row_bytes bytes, uint32_t alone);

/* Makes a list of cells, where a short one is as good. */
void ptx_row_open(uint64_t *cells, uint64_t address);

/* Forgets a list of old accesses, in place of which there are cells. */
void ptx_row_forget(uint64_t *cells, uint64_t address);

/* Makes cells of a list. */
void ptx_row_close(uint64_t *cells, uint64_t address, const struct ptx_row_times *times);

/* ---- Fronts ---- */

static inline struct ptx_front *ptx_front_of(uint64_t *cells, uint64_t address)
{
    return (struct ptx_front *)(void *)ptx_row_of(cells, address);
}

/* Whether a row has a front, or may have one for accesses that all until `clear` are ordered before. */
static inline bool ptx_front_may_be(uint64_t *cells, uint64_t address, uint32_t clear)
{
    const struct ptx_row *const row = ptx_row_of(cells, address);
    return row->mark == PTX_FRONT_MARK ||
           (ptx_row_is_open(row) ? row->time : (uint32_t)row->mark) <= clear;
}

/* What is in the front becomes the list. */
void ptx_front_empty(uint64_t *cells, uint64_t address, const struct ptx_row_times *times);

/* Needed before the list or the cells of a row of global memory are looked at. */
static inline void ptx_front_settle(uint64_t *cells, uint64_t address,
                                    const struct ptx_row_times *times)
{
    if (ptx_front_of(cells, address)->mark == PTX_FRONT_MARK)
        ptx_front_empty(cells, address, times);
}

/* Notes an access in the front, where that is possible. false: it has to be settled. Needs: the access is plain, of a block that
 * runs alone; bytes: that it has in the row; is_still: it reads, and no block of its launch writes there; alone: as of struct
 * clem_race_look. */
bool ptx_front_note(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                    const struct ptx_row_access *access, ptx_row_bytes bytes, bool is_still,
                    uint32_t alone);
/* Likewise a store, of which two are kept, some lanes' and others'. */
bool ptx_front_note_both(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                         const struct ptx_row_access *access, const struct ptx_row_access both[2],
                         uint32_t alone);

#endif
