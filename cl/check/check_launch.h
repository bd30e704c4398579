/* Launches of kernels that are checked, and their accesses. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CHECK_LAUNCH_H
#define OCL_CHECK_LAUNCH_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "cl/check.h"
#include "cl/check/check_transfer.h"
#include "cl/check/streams.h"
#include "kernels/ptx/library/check.h"
#include "kernels/ptx/ptx.h"

enum { OCL_CHECK_OWN = 4 };

/* Upper halves of generic addresses. Source: kernels/ptx/library/memory.cl. */
enum { OCL_CHECK_SHARED_WINDOW = 0x7fff0001, OCL_CHECK_LOCAL_WINDOW = 0x7fff0002 };

/* What a launch's accesses are told with. Lives until its last block has ended. */
struct ocl_check_launch {
    struct clem_check_launch head; /* first: what the kernel has */
    uint64_t number;               /* of the process's launches, from 1 on */
    const void *context;           /* whose device runs it */
    struct ptx_module *module;     /* held */
    const char *kernel;            /* the module's */
    uint32_t grid[3], threads[3];
    size_t shared_bytes; /* static and dynamic */
    size_t local_bytes;  /* of each thread */
    size_t parameter_bytes;
    struct {
        _Atomic uint64_t base, bytes;
    } own
        [OCL_CHECK_OWN]; /* the launch's own memory, which its accesses may reach: CLEM_CHECK_OWN */
    struct ocl_stack stack;
    _Atomic uint64_t blocks; /* that have not ended */
    uint64_t block_count;
    bool takes_turns; /* its blocks: one work-item runs all of them */
    pthread_mutex_t turn_lock;
    pthread_cond_t turn;
    uint64_t next;             /* the block whose turn it is, under turn_lock */
    unsigned waiting;          /* threads, for others' blocks, likewise */
    uint32_t race;             /* its number there, under the lock of races; 0: none yet */
    _Atomic uint32_t put_off;  /* accesses of copies that are not complete (check_later.h) */
    _Atomic bool groups_begun; /* there were any */
    bool is_cooperative;
    uint64_t told; /* CLEM_CHECK_LAUNCH's answer, where a kernel launched it */
    bool is_tail;  /* likewise: it begins when that grid has ended */
    struct ocl_stream stream;
    struct ocl_stream_time
        time;       /* under that lock once it runs; head's `touched` too: ocl_touches_bound() */
    bool is_fenced; /* likewise: some thread of it had a fence of the system's scope */
    bool
        hears; /* likewise: some thread of it has read, or is about to, what the host may tell it */
    uint64_t ended; /* blocks, under that too */
};

/* One access, as the host understands it. */
struct ocl_access {
    struct ocl_check_launch *launch;
    unsigned kind, space; /* CLEM_CHECK_...; generic ones are of the space that they are in */
    unsigned order, scope, flags;
    uint32_t bytes;
    uint64_t address; /* of the host; shared and local ones too */
    uint64_t offset;  /* in shared or local memory; elsewhere the address */
    uint32_t thread;  /* its number in its block; CLEM_CHECK_ALL */
    uint64_t block;   /* its number in the grid */
    uint64_t value, more;
    uint32_t line, location; /* of PTX; of its source: ptx_module_source() */
    const struct clem_check_call *call;
};

/* A launch begins; NULL without memory. Needs: numbers in launch's grid, threads, bytes; the module is held by this.
 * part_of: the launch of the host's that this is a part of; NULL: it is one of its own. */
struct ocl_check_launch *ocl_check_begin(const struct ocl_check_launch *facts,
                                         const struct ocl_check_origin *part_of);

/* It is not in its queue, nor will be. NULL is allowed. */
void ocl_check_cancel(struct ocl_check_launch *launch);

/* How many launches have begun; one more does, whose number that is then. */
uint64_t ocl_check_launches(void);
uint64_t ocl_check_count_launch(void);

static inline bool ocl_access_is_memory(const struct ocl_access *a)
{
    return a->kind == CLEM_CHECK_LOAD || a->kind == CLEM_CHECK_STORE ||
           a->kind == CLEM_CHECK_ATOMIC;
}

/* Reports what is wrong with an access. Fills in kernel, place, source and stack; the finding has the rest. */
void ocl_check_report_access(const struct ocl_access *access, struct ocl_finding *finding);

/* Who fills in where the memory at an address was made, unless that is known, and freed. Is below those who keep it, who say so. */
typedef void ocl_check_namer(uint64_t address, struct ocl_finding *finding);
void ocl_check_name_by(ocl_check_namer *namer);

/* Blocks of a launch run in order, one at a time, whatever threads they come from. ocl_check_begin_block() waits for those
 * before it. */
bool ocl_check_orders(const struct ocl_check_launch *launch);
void ocl_check_begin_block(struct ocl_check_launch *launch, uint64_t block);
void ocl_check_end_block(struct ocl_check_launch *launch);

/* The checks, each in a file of its own. memory: whether the access may be made; otherwise it goes to memory of nobody's. */
bool ocl_check_memory(const struct ocl_access *access);
void ocl_check_race(const struct ocl_access *access);
uint64_t ocl_check_race_launches(const struct ocl_access *access); /* CLEM_CHECK_LAUNCH */
void ocl_check_sync(const struct ocl_access *access);

/* What plain accesses call, and what they look at before: struct clem_check_launch's `access` and `gate`. Of no bytes: nothing is
 * accessed, but from then on what is kept of accesses there can be looked at. */
uint64_t ocl_check_race_plain(struct ocl_check_launch *launch, uint64_t what, uint64_t site,
                              uint64_t address, uint64_t thread, uint64_t block);
uint64_t ocl_check_race_gate(void);
/* struct clem_check_launch's `meets` and `warp_meets`. */
bool ocl_check_race_meets(struct ocl_check_launch *launch, uint64_t block, uint32_t live);
bool ocl_check_race_warp_meets(struct ocl_check_launch *launch, uint64_t block, uint32_t warp);
/* The launch's head has what was reported of its kernel before. */
void ocl_check_race_begin(struct ocl_check_launch *launch);

/* Nothing is known of memory that is still; `times`: as struct clem_check_launch's, 0: nothing will be. */
static inline void ocl_check_still_begin(struct ocl_check_launch *launch, uint64_t times)
{
    launch->head.still_times = times;
    launch->head.stored_times = 0;
    for (size_t i = 0; i < CLEM_CHECK_STILL; i++)
        launch->head.still[i] = launch->head.none;
}
/* A launch begins: nothing will be, so far. */
void ocl_check_still(struct ocl_check_launch *launch);

/* An access to memory that the host has as well, by which it may wait for the kernel, or be waited for. */
void ocl_check_talk(const struct ocl_access *access);

/* CLEM_CHECK_SURFACE and TEXTURE; CLEM_CHECK_TRAP. */
void ocl_check_place(const struct ocl_access *access);
void ocl_check_trap(const struct ocl_access *access);

/* A thread got memory of the device's heap; or frees it: whether it may. */
void ocl_check_heap_taken(const struct ocl_access *access);
void ocl_check_heap_note(const struct ocl_access *access); /* where that was */
bool ocl_check_heap_freed(const struct ocl_access *access);

#endif
