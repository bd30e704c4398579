/* What the function of a warp and runtime.c share. The text knows it by bytes from the start. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_RUNTIME_H
#define KERNELS_PTX_HOST_RUNTIME_H

#include "kernels/ptx/host/abi.h"

/* A warp between its turns. Where a warp waits as a whole, the text writes it. */
struct ptx_native_turn {
    uint32_t site, lanes;          /* where it waits, 0: it has ended; lanes: that go on next */
    uint32_t number, count, votes; /* as of the block */
    uint32_t result;
    uint32_t live; /* lanes that have not ended, where lanes may part */
    uint32_t unused;
};

/* What has been added to a word of memory, and is not there yet. at: its address; UINT64_MAX: nothing waits. */
struct ptx_native_sum {
    uint64_t at, sum;
    uint32_t bits, unused; /* of the word */
};

/* Numbers of floating point that are to be added to a word of memory, one after the other. */
enum { PTX_NATIVE_SUMS = 4, PTX_NATIVE_LIST = 16 };
struct ptx_native_addends {
    uint64_t at;
    uint32_t bits, count;
    uint64_t values[PTX_NATIVE_LIST];
};

/* A block while it runs. What is of a warp is that of the one being run where lanes may part, and otherwise of the first of
 * the block, behind which the others follow. */
struct ptx_native_block {
    uint64_t shared, frame,
        local; /* addresses: shared memory; of the warp its frame, and its first lane's local memory */
    uint64_t tids;          /* of the warp: three vectors of 32 uint32_t */
    uint32_t index[3];      /* blockIdx */
    uint32_t warp;          /* its number in the block */
    uint32_t site;          /* where it goes on; 0: at the start */
    uint32_t lanes;         /* those that do; when it returns, those that wait */
    uint32_t number, count; /* the barrier that they wait at, and for how many threads; 0: all */
    uint32_t votes;         /* lanes whose predicate holds there */
    uint32_t
        result; /* of a reduction: threads whose predicate held, and those that were there << 16 */
    uint32_t arrived[16]; /* per barrier: threads that did not wait */
    uint64_t own_tids;    /* of the warp being run, for functions that it calls */
    /* Where a warp waits as a whole: */
    uint64_t turns;      /* address of a struct ptx_native_turn for each warp */
    uint32_t first, end; /* warps to be run */
    uint32_t
        is_together; /* they are all that have not ended, and go on by themselves as long as all wait at one site */
    uint32_t last_lanes; /* of the last warp of the block, at its start */
    uint32_t
        columns; /* blocks from this one on, with the next blockIdx.x each, where a call runs several */
    uint32_t thread; /* where accesses are checked: the number of the first of the warp being run */
    /* Likewise: the block's number in the grid, what stands for bytes of shared memory that were written, and the barrier
     * that a warp came to last, as `site` of struct clem_check_call. */
    uint64_t number_in_grid, shadow, met;
    uint64_t phase; /* likewise: address of a struct ptx_phase (phase.h) */
    /* Where sums may wait, as of the launch: */
    struct ptx_native_sum
        sums[PTX_NATIVE_SUMS]; /* that wait for the blocks that the thread of the host runs next */
    struct ptx_native_addends list; /* likewise */
};

/* Where lanes of a warp wait while others may go on; a row of them at the start of the warp's frame. */
struct ptx_native_site {
    uint32_t lanes;
    uint32_t number, count,
        votes; /* as of the block; number PTX_NATIVE_TURN: for other threads to have had their turn */
};
/* number PTX_NATIVE_MEETING: for the lanes of the warp that each names, in a row of 32 uint32_t behind those of the sites. */
enum { PTX_NATIVE_TURN = 16, PTX_NATIVE_MEETING = 17 };

/* What a warp has added to 32 words in a row of global memory, and not yet there: the blocks that a thread of the host runs one after
 * the other mostly add to the same. A row of them at the start of the warp's frame. */
struct ptx_native_row {
    uint64_t at; /* address of the first word; UINT64_MAX: nothing waits */
    uint64_t unused[7];
    uint32_t sums[32];
};

/* Where no warp of a block has come to a site in this round. */
#define PTX_NATIVE_NOBODY UINT32_MAX

/* What a warp is to add to a word of memory, and then what was there: `amount`. In the warp's frame. */
struct ptx_native_ticket {
    uint64_t at;
    uint32_t amount, unused;
};

/* How blocks follow each other: one by one; several together, of which each warp has its turns before the next; several whose
 * warps wait for each other as those of one do; or several one by one in a call, which makes the block that it returns PTX_NATIVE_MIXED
 * for the first and only one of `columns`. */
enum ptx_native_sweep {
    PTX_NATIVE_ALONE,
    PTX_NATIVE_SWEPT,
    PTX_NATIVE_TOGETHER,
    PTX_NATIVE_IN_ROWS
};
/* Beside one of them: nobody reads threads' numbers from memory. */
enum { PTX_NATIVE_UNNUMBERED = 16 };

/* Runs lanes of a warp; returns the site where they wait, 0: all have ended. Where a warp waits as a whole: runs the warps that
 * the block says; returns 0 where all have ended, and otherwise PTX_NATIVE_MIXED: turns say where they wait. */
#define PTX_NATIVE_MIXED UINT32_MAX
typedef uint32_t ptx_native_warp_function(const struct ptx_native_launch *launch,
                                          struct ptx_native_block *block);

/* What clem_native_run and clem_native_scratch of a text do: bytes of a warp's frame, and of one lane's local memory. sites: how many
 * struct ptx_native_site a frame begins with; 0: a warp waits as a whole. barriers: how many sites there are then, where the text counts on what
 * the runtime says of each warp at its start. sweep: an enum
 * ptx_native_sweep. rows: how many struct ptx_native_row a frame begins with. later:
 * PTX_NATIVE_LATER where sums may wait, or 0. */
uint64_t clem_native_bytes(const struct ptx_native_launch *launch, uint64_t frame_bytes,
                           uint64_t local_bytes, uint64_t sweep, uint64_t later);
void clem_native_blocks(const struct ptx_native_launch *launch, uint64_t first, uint64_t count,
                        void *scratch, ptx_native_warp_function *warp, uint64_t frame_bytes,
                        uint64_t local_bytes, uint64_t sites, uint64_t barriers, uint64_t sweep,
                        uint64_t rows, uint64_t later);
/* Adds what warps that wait have in their frames, at `ticket`, one after the other. */
void clem_native_draw(struct ptx_native_block *block, uint64_t frame_bytes, uint64_t ticket);
/* Adds what waits in a row. */
void clem_native_add_row(struct ptx_native_row *row);

#endif
