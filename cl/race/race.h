/* Races of kernels: two accesses to the same bytes, at least one of which writes, that nothing orders.
 *
 * Who checks tells of each block, in the order in which its threads run: what they access, and where they wait for each
 * other. Blocks may take turns; nothing depends on which runs first but what their own control flow makes of it.
 * An access is ordered behind an earlier one by: the same thread; a barrier of the block that both threads came to; a warp
 * operation whose mask has both; a release that an acquire read, directly or by others (releases: .release, or a fence before
 * a strong write; acquires: .acquire, or a strong read and a fence or a barrier of the block behind it), of a scope that holds
 * both; the end of a launch that another is ordered behind. Volatile accesses order nothing.
 *
 * Memory: 32 bytes for each 4 bytes that were accessed. Four accesses are kept of each 4 bytes: where more are not ordered,
 * a few of those of most different threads.
 * Locks: none; one thread at a time calls for one struct ocl_race.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CL_RACE_RACE_H
#define CL_RACE_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ocl_race;
struct ocl_race_block;

enum { OCL_RACE_THREADS = 1024 }; /* the most of a block */

/* One access of a thread. */
struct ocl_race_access {
    uint64_t address; /* of global memory; or an offset in the block's shared memory */
    uint64_t site;    /* the caller's name of the instruction, > 0 */
    uint32_t bytes;
    bool is_shared;
    bool reads, writes; /* both: an atomic operation */
    bool is_strong; /* atomic, or with an order: no race with others of a scope that holds both */
    bool is_volatile;
    bool is_narrow;          /* the scope is the block */
    bool acquires, releases; /* by its own order */
    bool is_same;            /* writes what is there already, in shared memory perhaps by chance */
    uint32_t parties;        /* of a grid's barrier: how many come to it; 0: it is none */
};

enum ocl_race_kind {
    OCL_RACE_DIFFERS, /* values can differ */
    OCL_RACE_SAME, /* both write the same value, or the one what is there in global memory already */
    OCL_RACE_WARP  /* lanes of one warp, by different instructions: right where warps go in step */
};

/* One thread's access of two. */
struct ocl_race_party {
    uint64_t site; /* 0: no longer known */
    uint64_t block;
    uint32_t launch, thread;
    bool writes, is_strong;
};

struct ocl_race_report {
    enum ocl_race_kind kind;
    struct ocl_race_party now, before;
    uint64_t address; /* as in the access */
    uint32_t bytes;   /* that both access, from there on */
    bool is_shared;
    uint64_t pair; /* CLEM_RACE_PAIR() (kernels/ptx/library/check.h); 0: it has none */
    bool is_scope; /* both are atomic, and their scope is too small */
};

typedef void (*ocl_race_reporter)(void *user, const struct ocl_race_report *report);

/* Shape:  `most` bytes are the most that it takes; what comes beyond is not checked, ocl_race_is_full() says so.
 * Errors: NULL without memory. */
struct ocl_race *ocl_race_new(size_t most, ocl_race_reporter reporter, void *user);
void ocl_race_free(struct ocl_race *race);
bool ocl_race_is_full(const struct ocl_race *race);

/* What kernels look at, and change cells by (kernels/ptx/library/check.h): as long as it is there, and of the block that runs.
 * Needs:  nobody calls for it meanwhile. */
struct clem_race_look;
const struct clem_race_look *ocl_race_look(const struct ocl_race *race);

/* What a launch is ordered behind: each has a position on a line, and comes behind those of each line up to a position. */
struct ocl_race_order {
    uint32_t line, position; /* position 0: it is in order with all */
    const uint32_t *known;   /* of each line; read until the launch ends */
    bool forgets;            /* all that has ended is ordered before all that comes from now on */
    uint64_t told; /* ocl_race_launches()' answer to the thread that launched it; 0: the host did */
    bool is_tail;  /* likewise: it comes behind all that the grid of that thread does */
};

/* A launch begins: its number, > 0. order NULL: it is ordered behind those that have ended. */
uint32_t ocl_race_launch_begin(struct ocl_race *race, const struct ocl_race_order *order);
void ocl_race_launch_end(struct ocl_race *race, uint32_t launch);

/* What became of all that came before a launch when it began. */
enum ocl_race_past {
    OCL_RACE_OLD,    /* it concerns nobody any more */
    OCL_RACE_BEFORE, /* it is ordered before the launch */
    OCL_RACE_BESIDE  /* some of it may not be */
};
enum ocl_race_past ocl_race_past_of(struct ocl_race *race, uint32_t launch);

/* Notes what launches have read of memory that was still, as its log has it (kernels/ptx/library/check.h), which may lie back.
 * Needs:  none of it is old. */
struct clem_check_still;
void ocl_race_note_reads(struct ocl_race *race, const struct clem_check_still *log);
/* Whether all of a log is ordered before what has an order. Needs: there is something in it. */
bool ocl_race_is_log_before(struct ocl_race *race, const struct clem_check_still *log,
                            const struct ocl_race_order *order);

/* What was known of memory is forgotten: it is freed, or written by what is ordered behind all. */
void ocl_race_forget(struct ocl_race *race, uint64_t address, uint64_t bytes);

/* Whether all launches that have begun are ordered before what has this order. Their accesses may be going on meanwhile. */
bool ocl_race_are_all_before(struct ocl_race *race, const struct ocl_race_order *order);

/* Whether some access to global memory, of a launch's that began, is no order with one of all of these bytes that the order is
 * that of. order NULL: with any of these, whatever their order. Of the report kind, before, address and bytes are filled in. */
bool ocl_race_find(struct ocl_race *race, const struct ocl_race_order *order, uint64_t address,
                   uint64_t bytes, bool writes, struct ocl_race_report *found);

/* Needs:  0 < threads <= OCL_RACE_THREADS; no block of that number and launch that has not ended.
 * Errors: NULL without memory: the block is not checked. All functions below take NULL for a block, and do nothing. */
struct ocl_race_block *ocl_race_block_begin(struct ocl_race *race, uint32_t launch, uint64_t block,
                                            uint32_t threads);
struct ocl_race_block *ocl_race_block_find(struct ocl_race *race, uint32_t launch, uint64_t block);
void ocl_race_block_end(struct ocl_race *race, struct ocl_race_block *block);

/* Needs: thread < the block's; the bytes of shared memory < 2^32. Of no bytes, nothing is accessed: what is kept of accesses there
 * has its place then, and kernels may look. */
void ocl_race_access(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                     const struct ocl_race_access *access);
/* The thread launches a kernel, which knows what the thread knows, and may run beside all else that its grid does. The answer is that
 * launch's `told`, until more than all launches that are open are forgotten. */
uint64_t ocl_race_launches(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread);
void ocl_race_fence(struct ocl_race *race, struct ocl_race_block *block, uint32_t thread,
                    bool is_narrow);

/* All threads that have not ended meet. */
void ocl_race_meet(struct ocl_race *race, struct ocl_race_block *block);
/* Likewise those of the block that runs, or of a warp of its, if it is that one, and no thread of it has something to tell the others;
 * false: nothing is done. */
bool ocl_race_meets(struct ocl_race *race, uint32_t launch, uint64_t block);
bool ocl_race_warp_meets(struct ocl_race *race, uint32_t launch, uint64_t block, uint32_t warp);
/* A thread arrives at a barrier, and goes on. */
void ocl_race_arrive(struct ocl_race *race, struct ocl_race_block *block, uint32_t barrier,
                     uint32_t thread);
/* Lanes of each warp that wait at a barrier go on, since all have come that it is for. */
void ocl_race_pass(struct ocl_race *race, struct ocl_race_block *block, uint32_t barrier,
                   const uint32_t lanes[OCL_RACE_THREADS / 32]);
/* Lanes of a warp meet. */
void ocl_race_warp(struct ocl_race *race, struct ocl_race_block *block, uint32_t warp,
                   uint32_t lanes);

#endif
