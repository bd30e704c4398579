/* Rows of cells of races: what is kept of 32 cells that lie side by side, while accesses to them are plain and none is a race
 * that has not been reported, as a list of a warp's accesses in place of the cells. It lies where they would: the row where the first slots are, its accesses
 * where the others are. Whoever wants a cell closes its row first, from which on there are cells.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_LIBRARY_ROWS_H
#define KERNELS_PTX_LIBRARY_ROWS_H

#include <stdbool.h>
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
    int16_t start, stride;
    uint8_t bytes; /* of each lane; 0: the cells, each by every lane */
    uint8_t unused[3];
};

struct ptx_row {
    uint64_t mark; /* CLEM_RACE_ROW: there is a list */
    uint32_t time; /* of the latest access */
    uint32_t count;
    uint32_t singles;                 /* of single lanes, at most */
    uint32_t warp;                    /* at that time, cells that threads of this warp read, */
    uint32_t once;                    /* all bytes of them, */
    uint32_t twice;                   /* and that those of another did, too */
    uint32_t written;                 /* cells that listed accesses write, */
    uint32_t first_write, last_write; /* at these times */
};

/* When accesses were ordered before the one at hand, as struct clem_race_look has it; old: until then they concern nobody. */
struct ptx_row_times {
    uint32_t old, clear, turn, barrier;
    const ulong *
        reported; /* as of struct clem_check_launch: these races are nothing new; NULL: there are none */
};

static inline struct ptx_row *ptx_row_of(uint64_t *cells, uint64_t address)
{
    const uint64_t at = address % CLEM_RACE_PAGE_BYTES / PTX_ROW_BYTES * PTX_ROW_CELLS;
    return (struct ptx_row *)(void *)(cells + at);
}

static inline bool ptx_row_is_open(const struct ptx_row *row)
{
    return (uint32_t)row->mark == CLEM_RACE_ROW;
}

/* Whether a read in the row of a page's cells is there already. */
static inline bool ptx_row_has_read(const struct ptx_row *row, uint32_t time, uint32_t cells)
{
    return ptx_row_is_open(row) && row->time == time && !(cells & ~row->twice);
}

/* Notes an access in the row that has an address, of a page's cells. false: the row is closed. Needs: it is plain, and lanes' bytes
 * are at multiples of so many. */
bool ptx_row_note(uint64_t *cells, uint64_t address, const struct ptx_row_times *times,
                  const struct ptx_row_access *access);
/* The list of the row, in their order in time; NULL: there are cells. */
const struct ptx_row_access *ptx_row_listed(uint64_t *cells, uint64_t address, uint32_t *count);

/* Makes a list of cells, where a short one is as good. */
void ptx_row_open(uint64_t *cells, uint64_t address);

/* Makes cells of a list. turn: as of struct clem_race_look. */
void ptx_row_close(uint64_t *cells, uint64_t address, uint32_t turn);

#endif
