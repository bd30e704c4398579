/* What races are found by. Private to race/.
 *
 * Time is a number that grows where threads are put in order, in one for all blocks, so that of all that a thread did until
 * some time one can say that another thread knows it. An access is kept with its time; which block it is of follows from the
 * time, since one block runs at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_RACE_RACE_STATE_H
#define CL_RACE_RACE_STATE_H

#include <sys/types.h>

#include "cl/race/race.h"
#include "kernels/ptx/library/check.h"
#include "kernels/ptx/library/rows.h"

enum { WARPS = OCL_RACE_THREADS / 32, BARRIERS = 16, SLOTS = CLEM_RACE_SLOTS, DOUBTS = 64 };

/* An access to some of 4 bytes; time 0: none. */
struct slot {
    uint32_t time;
    uint32_t
        word; /* from the lowest bit: 10 of the thread, 4 of the bytes, SLOT_..., 14 of the site */
};
enum {
    SLOT_THREAD = CLEM_RACE_THREAD,
    SLOT_BYTES_AT = CLEM_RACE_BYTES_AT,
    SLOT_BYTES = CLEM_RACE_BYTES,
    SLOT_WRITES = CLEM_RACE_WRITES,
    SLOT_STRONG = CLEM_RACE_STRONG,
    SLOT_NARROW = CLEM_RACE_NARROW,
    SLOT_SAME = CLEM_RACE_SAME,
    SLOT_SITE_AT = CLEM_RACE_SITE_AT,
    SLOT_SITES = 1 << (32 - CLEM_RACE_SITE_AT)
};

/* Of 4 bytes; as it lies in memory, see CLEM_RACE_SLOTS. */
struct cell {
    struct slot slots[SLOTS];
};

enum { PAGE_BYTES = CLEM_RACE_PAGE_BYTES, PAGE_CELLS = PAGE_BYTES / 4 };
struct page {
    _Alignas(
        64) struct slot first[PAGE_CELLS]; /* kernels have its address, and that of what follows */
    struct slot others[PAGE_CELLS][SLOTS - 1];
    uint64_t number; /* the first address by PAGE_BYTES */
};

/* Pages that were taken from the system together. */
struct slab {
    struct slab *next;
    size_t bytes;
    struct page pages[];
};

/* What is known: a node says that something of a block is known until a time, and all that `left` and `right` say. Nodes
 * never change, so a number stands for all that a thread knows; 0: nothing. */
struct node {
    uint32_t left, right;
    uint32_t block; /* the number of a run's block, `serial`; 0: nothing of its own */
    uint32_t who;   /* a thread, WHO_WARP + a warp, or WHO_ALL */
    uint32_t time;
    uint32_t latest; /* the highest time in it and all below */
    uint32_t mark;   /* of the last question that came by */
};
enum { WHO_WARP = 0x10000, WHO_ALL = 0x20000 };

/* What a thread could tell others at a time. */
struct stamp {
    uint32_t time, barrier, warp; /* 0: none */
    uint32_t block_knows, knows;  /* nodes */
    uint32_t node;                /* all of it, once somebody asked */
};

enum { WIDE, NARROW, SCOPES };
struct thread {
    uint32_t knows;           /* beside what its block and its warp know */
    uint32_t pending[SCOPES]; /* read by strong accesses, and known behind a fence */
    struct stamp fenced[SCOPES];
    uint32_t told[SCOPES]; /* what lanes had a fence behind that it met since */
};

struct warp {
    uint32_t time;  /* until when each lane knows all others */
    uint32_t *rows; /* 32 by 32: until when a lane knows another; NULL: not beside */
};

struct barrier {
    uint32_t times[WARPS]; /* until when those who came know each warp */
    uint32_t knows;
};

struct ocl_race_block {
    struct ocl_race_block *next;
    uint64_t number;
    uint32_t launch, serial, threads;
    uint32_t begin;   /* when it began */
    uint32_t clear;   /* until when all that others did is ordered before its launch */
    bool is_clear;    /* that is all that came before the launch, and no other has run since */
    uint32_t barrier; /* until when each thread knows all others */
    uint32_t turn;    /* since when no other block ran; 0: another does */
    uint32_t knows;   /* each thread knows this */
    uint32_t fenced;  /* each thread had a fence behind this */
    uint32_t fences;  /* threads with a wide one since the barrier */
    bool is_touched;  /* some thread has something in struct thread */
    bool is_parted;   /* likewise some warp in `rows`, its own or the block's, or some barrier */
    uint32_t doubts;  /* reports that may yet turn out to be none */
    struct ocl_race_report doubt[DOUBTS];
    uint32_t *rows; /* WARPS by WARPS: until when a warp knows another; NULL: not beside */
    struct thread *all;
    size_t room; /* of those */
    size_t page_count;
    struct page **pages; /* of shared memory */
    struct warp warps[WARPS];
    struct barrier barriers[BARRIERS];
};

/* From when on a block ran. */
struct run {
    uint32_t time, serial, launch;
    uint64_t block;
};

/* When a launch began and ended; end 0: it has not. And where it stands, if that was told. */
struct span {
    uint32_t begin, end;
    bool has_order;
    uint32_t line, position;
    const uint32_t *known; /* NULL: it has ended */
    uint32_t clear;        /* it is ordered behind all that was until then */
    uint32_t parent,
        knows; /* the launch whose thread launched it, and what that knew; 0: the host did */
};

/* What strong writes of an address have released. */
struct release {
    uint64_t key; /* 0: free */
    uint32_t knows, narrow;
    uint32_t narrow_block; /* the serial of the block that `narrow` is for */
    uint32_t coming,
        come; /* of a barrier of a grid: what those have released who have come to it, and how many */
};

struct ocl_race {
    ocl_race_reporter reporter;
    void *user;
    size_t bytes, most;
    bool is_full;
    uint32_t serial;
    uint32_t alone; /* the launch whose blocks have run one after the other; 0: none */
    uint32_t launches, open_launches;
    uint32_t launch_begin; /* since when some launch has been open */
    uint32_t launch_base;  /* launches before that */
    struct span *spans;    /* of those since */
    size_t span_room;
    struct ocl_race_block *open, *kept, *last;
    struct run *runs;
    size_t run_count, run_room, run_last;
    struct node *nodes;
    uint32_t node_count, node_room, question;
    uint32_t *stack;
    size_t stack_room;
    struct release *releases;
    size_t release_count, release_room;
    struct slab *slabs;
    size_t slab_pages, slab_left; /* of the newest; those that are not taken are its first ones */
    struct page **pages;
    size_t page_count, page_room;
    uint64_t *sites; /* by number; 0 stands for none */
    uint32_t *site_table;
    uint32_t site_count;
    struct clem_race_look look; /* the time, and what kernels look at */
};

/* Memory, of which no more than `most` bytes are taken: NULL then, and is_full. It is zero. */
void *race_take(struct ocl_race *race, size_t bytes);
/* Likewise a page. They are given back together. */
struct page *race_take_page(struct ocl_race *race);
void race_free_pages(struct ocl_race *race);
/* As much memory, twice as much where it is not enough for one more; false: none, and the old stays. */
bool race_grow(struct ocl_race *race, void **memory, size_t *room, size_t count, size_t element);

/* race_shadow.c: the page that has an address, where there is one; or that is made for it, or for an offset in shared memory: NULL
 * without memory. */
struct page *race_page(struct ocl_race *race, uint64_t address);
struct page *race_page_for(struct ocl_race *race, uint64_t address);
struct page *race_shared_page_for(struct ocl_race *race, struct ocl_race_block *block,
                                  uint64_t offset);
/* Needed once before the list of a row is looked at: there may be something that is not in it yet. */
static inline void race_settle_row(struct ocl_race *race, struct page *page, uint64_t address)
{
    const struct ptx_row_times times = ptx_row_times_of(&race->look, NULL);
    ptx_front_settle((uint64_t *)(void *)page->first, address, &times);
}
/* Likewise before cells at an address are read or written: there may be a list in place of them. */
static inline void race_close_row(struct ocl_race *race, struct page *page, uint64_t address)
{
    uint64_t *const cells = (uint64_t *)(void *)page->first;
    const struct ptx_row_times times = ptx_row_times_of(&race->look, NULL);
    race_settle_row(race, page, address);
    ptx_row_close(cells, address, &times);
}
/* The cell of an address or offset in its page. */
static inline struct cell race_cell(const struct page *page, uint64_t address)
{
    const size_t at = address % PAGE_BYTES / 4;
    struct cell cell = {{page->first[at]}};
    const uint32_t state = cell.slots[0].word & CLEM_RACE_STATE;
    cell.slots[0].word ^= state;
    if (!(cell.slots[0].word & SLOT_WRITES))
        cell.slots[0].word &= ~(uint32_t)CLEM_RACE_FULL;
    if (state != CLEM_RACE_ALONE && cell.slots[0].time != 0)
        for (unsigned i = 1; i < SLOTS; i++)
            cell.slots[i] = page->others[at][i - 1];
    return cell;
}
/* Puts it back; newest: the number of the slot that is now the first. What is not newer than `old` concerns nobody. */
void race_put_cell(struct page *page, uint64_t address, const struct cell *cell, unsigned newest,
                   uint32_t old);
uint32_t race_site(struct ocl_race *race, uint64_t site);

/* Reports what is in doubt, at the latest when the block ends. */
void race_end_doubts(struct ocl_race *race, struct ocl_race_block *block);

/* race_known.c */
uint32_t race_join(struct ocl_race *race, uint32_t a, uint32_t b);
uint32_t race_tell(struct ocl_race *race, uint32_t knows, uint32_t block, uint32_t who,
                   uint32_t time);
bool race_knows(struct ocl_race *race, uint32_t knows, uint32_t block, uint32_t thread,
                uint32_t time);

/* race_release.c: what a strong access reads of others, and tells them. */
void race_strong(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                 const struct ocl_race_access *access);
uint32_t race_told(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                   struct stamp *stamp);
/* What some lanes of the warp that begins with thread `first` know, read, and had fences behind, all of them do. */
void race_join_lanes(struct ocl_race *race, struct ocl_race_block *block, uint32_t first,
                     uint32_t lanes);
/* What threads that come to a barrier know, with what their strong accesses read. */
uint32_t race_gather_lanes(struct ocl_race *race, struct ocl_race_block *block, uint32_t first,
                           uint32_t lanes);
/* The whole block has met: all that its threads have becomes the block's. */
void race_gather_block(struct ocl_race *race, struct ocl_race_block *block);

/* race_block.c: whether a launch, or what has an order like one, is ordered behind another. */
bool race_is_behind(struct ocl_race *race, uint32_t launch, uint32_t earlier);
bool race_is_before(struct ocl_race *race, uint32_t earlier, const struct ocl_race_order *order);

/* race_turn.c: what kernels look at is that of the block that runs. */
void race_show(struct ocl_race *race);
static inline void race_show_shared(struct ocl_race *race, const struct ocl_race_block *block)
{
    race->look.shared_pages = (ulong)(uintptr_t)block->pages;
    race->look.shared_count = block->page_count;
}
/* The block is the one that runs. */
void race_take_turn(struct ocl_race *race, struct ocl_race_block *block);
static inline void race_turn(struct ocl_race *race, struct ocl_race_block *block)
{
    if (block->turn == 0)
        race_take_turn(race, block);
}
const struct run *race_run(struct ocl_race *race, uint32_t time);

#endif
