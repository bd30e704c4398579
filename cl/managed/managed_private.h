/* Managed memory whose pages move between host and device. Private to cl/.
 *
 * A region is a block of coarse-grained SVM, or the part of one that a small allocation was given for
 * itself because it is attached. The driver keeps host pages and device memory for it; a map copies
 * its range to the host, the unmap of a map for writing copies it back. Pages that are not mapped
 * belong to the device and are PROT_NONE, so that the host's touch faults.
 *
 * Traffic. Pages move only while no command is being enqueued, and commands are enqueued only while no
 * page moves: every enqueue stands between ocl_migration_enter() and ocl_migration_leave() (ocl_command_begin() and ocl_command_end()), any
 * number of which go on at a time, and every move between begin_move and end_move, of which there
 * is one. enter() first sends the pages that the host has back to the device. So a page that the
 * host got holds what all commands enqueued before have written (the move waited for them), and a
 * command enqueued later finds what the host wrote.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_MANAGED_PRIVATE_H
#define OCL_MANAGED_PRIVATE_H

#include "cl/managed.h"
#include "cl/memory/allocation.h"
#include "cl/state/state.h"

enum {
    OCL_MIGRATION_LEAST = 64 * 1024,       /* bytes that the first fault of a run moves */
    OCL_MIGRATION_MOST = 16 * 1024 * 1024, /* and the most that one fault does */
    OCL_MIGRATION_SMALL = 4 * 1024 * 1024, /* regions that come back whole when the host waits */
    OCL_MIGRATION_POOLED = 1024 * 1024,    /* larger allocations have a block of their own */
    OCL_MIGRATION_MAPS = 8192              /* migration.most_maps */
};

/* What the host may do with a page. */
enum ocl_page_state {
    OCL_PAGE_DEVICE, /* nothing: PROT_NONE */
    OCL_PAGE_APART,  /* what another region says, which has it now */
    OCL_PAGE_READ,   /* in a map for reading */
    OCL_PAGE_WRITE   /* in a map for writing */
};

/* One range that the driver has mapped for the host. */
struct ocl_page_map {
    struct ocl_page_map *next;
    cl_event event; /* of the command that maps or unmaps it, until it was waited for */
    size_t offset, bytes;
    size_t run; /* bytes before and in it that faults reached one after the other */
    bool is_write;
};

struct ocl_region {
    struct ocl_region *next;
    struct ocl_block *block;
    char *base;
    size_t bytes;          /* whole pages */
    size_t extent;         /* of the part that allocations ever used */
    unsigned char *states; /* enum ocl_page_state, one per page */
    struct ocl_page_map *maps;
    struct ocl_page_map *leaving;       /* unmapped, but perhaps not yet on the device: PROT_READ */
    size_t map_count;                   /* of both lists */
    size_t wanted_offset, wanted_bytes; /* what comes back as a whole when the device is done */
    _Atomic int attachment;             /* enum ocl_managed_attachment */
    _Atomic(const struct ocl_queue *) queue; /* for OCL_MANAGED_SINGLE; may be gone, and another be
                                                in its place: queue_id tells */
    _Atomic uint64_t queue_id;
    unsigned returns;     /* times that it came back because the host waited, since it was tried
                           whether the host still touches it */
    bool is_on_trial;     /* it did not come back, to see whether the host touches it */
    bool is_forgotten;    /* the host did not: it comes back no more until it does */
    bool is_host_writing; /* the host wrote since the last trial */
};

/* Who may go on. Commands are enqueued, any number at once, or pages move, or neither:
 *  - a command is in from enter() to leave(): entered counts them;
 *  - a move, begin_move() to end_move(), is alone: is_moving. It waits until entered is 0 (a host function's does not, see there), and
 *    those that wait come before further commands: waiting_moves;
 *  - who has to see the device idle is quiet, begin_quiet() to end_quiet(): is_quiet. Commands that could keep it busy wait.
 * Moves and quiet ones are in closed as long as they are there, so that a command need not take the lock to see that there are
 * none. Before a command is in, the pages that it may use are with the device: it sends those that are not, by a move. */
struct ocl_migration {
    struct ocl_context *context;
    cl_command_queue queue; /* maps and unmaps; no kernel ever runs here */
    /* A leaf: what follows, but for the atomics. Regions change only in a move; others look at them
     * while there is none, with the lock. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    _Atomic unsigned entered; /* enter() without leave() */
    _Atomic unsigned closed;  /* not 0: enter() must look closer */
    unsigned waiting_moves;
    bool is_moving;
    bool is_quiet;                       /* somebody waits for kernels: no new ones meanwhile ... */
    const struct ocl_queue *quiet_queue; /* ... in this queue, NULL: in any */
    struct ocl_region *regions;
    _Atomic size_t resident; /* maps of all regions */
    _Atomic size_t wanted;   /* regions with something wanted */
    struct {
        _Atomic uint64_t maps, bytes_to_host, bytes_to_device;
    } counts;                    /* for tests */
    size_t most_maps;            /* resident ones, from which on a fault brings larger ranges */
    bool is_touched_by_function; /* a host function that goes on, of any context, got pages */
    _Atomic uint64_t uses;       /* commands enqueued */
    _Atomic uint64_t returned;   /* uses when small regions came back last */
};

/* ---- managed_traffic.c ---- */

/* Around every command of a queue that may touch managed memory. One atomic read where the context
 * has no region. Needs: the thread is not between the two already. Locks: migration.lock, and none
 * when it returns; waits for the host's dirty pages to arrive on the device. */
void ocl_migration_enter(struct ocl_queue *queue);
void ocl_migration_leave(void);

/* When a queue is destroyed: what was attached to it belongs to all queues from now on. Its work that
 * is still under way is waited for like theirs. */
void ocl_migration_detach(const struct ocl_queue *queue);

/* Around a copy or a fill, in the thread that gives its commands: they use these regions, NULL for none, whatever those are
 * attached to. CUDA's attachments are about kernels; copies may use any memory in any queue. Not one within another. */
void ocl_migration_begin_transfer(const struct ocl_region *source, const struct ocl_region *target);
void ocl_migration_end_transfer(void);

/* One move at a time, and no command meanwhile. The second is for host functions, which must not wait
 * for commands that are being enqueued. */
void ocl_migration_begin_move(struct ocl_migration *migration);
void ocl_migration_begin_move_in_function(struct ocl_migration *migration);
void ocl_migration_begin_any_move(struct ocl_migration *migration); /* as the thread needs it */
void ocl_migration_end_move(struct ocl_migration *migration);

/* Waits until the work that may use a region is complete; commands that may use it are not enqueued
 * from then on, until ocl_migration_end_quiet(). Needs: no move of this thread goes on. */
void ocl_migration_begin_quiet(struct ocl_migration *migration, const struct ocl_region *region);
void ocl_migration_end_quiet(struct ocl_migration *migration);

/* Whether that work is known to be complete. Needs: a move goes on. */
bool ocl_migration_is_quiet(const struct ocl_region *region);

/* After the host has waited (ocl_waited()): it is about to touch what kernels made; and what was asked for and small regions
 * come back, when all queues are idle. */
void ocl_migration_let_touch(struct ocl_context *context);
void ocl_migration_return(struct ocl_context *context);

/* Around users' host functions: their touches do not wait for the device, since what is behind them
 * in the queue waits for them, be it through events of other contexts; what they got goes back before
 * that begins. note_touch: such a touch is served. Needs: a move of the migration goes on. */
void ocl_migration_begin_function(void);
void ocl_migration_end_function(void);
void ocl_migration_note_touch(struct ocl_migration *migration);
bool ocl_migration_in_function(void);

/* ---- managed_pages.c. Needs: a move goes on, but for ocl_region_is_used_by(). ---- */

/* Maps the pages around offset that a fault there should bring. alone: only pages of this allocation,
 * since kernels may be at work on its neighbours; NULL: any of the region. */
void ocl_region_fault(struct ocl_region *region, const struct ocl_allocation *alone, size_t offset,
                      bool is_write);

/* Maps all pages of a range. */
void ocl_region_fetch(struct ocl_region *region, size_t offset, size_t bytes, bool is_write);

/* Whether the host may already read, or write, all of a range. */
bool ocl_region_is_resident(const struct ocl_region *region, size_t offset, size_t bytes,
                            bool is_write);

/* Asks for a range that comes when the work of the device is complete; forgets what was asked for;
 * brings it now. */
void ocl_region_want(struct ocl_region *region, size_t offset, size_t bytes);
void ocl_region_want_nothing(struct ocl_region *region);
void ocl_region_fetch_wanted(struct ocl_region *region);

/* Sends the maps that touch a range back to the device. Between begin and end, which waits, the
 * pages are the driver's: only ocl_region_is_resident() may come between. */
void ocl_region_send(struct ocl_region *region, size_t offset, size_t bytes);
void ocl_region_send_begin(struct ocl_region *region, size_t offset, size_t bytes);
void ocl_region_send_end(struct ocl_region *region);

/* Sends back what commands of queue may use; NULL: everything. */
void ocl_migration_send(struct ocl_migration *migration, const struct ocl_queue *queue);

/* Whether commands that the thread gives the queue may use the region; NULL: any queue. */
bool ocl_region_is_used_by(const struct ocl_region *region, const struct ocl_queue *queue);

/* Fills a range with zeros, on the device. Errors: the driver's. */
ocl_status ocl_region_zero(struct ocl_region *region, size_t offset, size_t bytes);

/* ---- managed_region.c ---- */

/* A block comes or goes; its pages become the device's, or the host's for good. */
ocl_status ocl_migration_add(struct ocl_block *block);
void ocl_migration_remove(struct ocl_block *block);

/* Where the pages of an allocation are kept: NULL for memory whose pages do not move. */
static inline struct ocl_region *ocl_region_of(const struct ocl_allocation *allocation)
{
    struct ocl_region *own = atomic_load(&allocation->region);

    if (allocation->kind != OCL_MEMORY_MANAGED || own)
        return own;
    return allocation->block->region;
}

/* Gives an allocation a region of its own, if it shares one; and makes it a part of that again, if it
 * had one. Errors: OCL_E_OUT_OF_MEMORY. Needs: no move of this thread goes on. */
ocl_status ocl_region_part(struct ocl_allocation *allocation);
void ocl_region_join(struct ocl_allocation *allocation);

/* Needs: no region lives. Safe on a context without. */
void ocl_migration_destroy(struct ocl_context *context);

/* ---- managed_test.c ---- */

/* Whether maps of coarse-grained SVM do what this file says, for kernels that get its pointers, or a
 * cl_mem over it, as arguments. Sets capability.managed_has_buffers and managed_has_parts. Needs:
 * ocl_capability_choose() goes on. */
bool ocl_managed_test_coarse(struct ocl_context *context);

/* ---- managed_fault.c ---- */

/* Puts the handler for SIGSEGV in front, and starts its threads at the first call. Errors:
 * OCL_E_OUT_OF_MEMORY when the system gives no thread. */
ocl_status ocl_fault_watch(void);

/* Puts the handler in front again when the program has installed another one since. */
void ocl_fault_watch_again(void);

/* Whether any page of the process may be protected. */
bool ocl_fault_is_watched(void);

#endif
