/* PTX_FORM_BLOCK: one work-item runs all threads of a CUDA block. Private to kernels/ptx/.
 *
 * A kernel is cut into regions: each has one way in, and a barrier, a warp operation or an access that
 * warps make in lockstep stands at a region's start only: its step, done for all threads before the rest
 * of the region is run for each of them. Registers that live from one region into another are arrays
 * in clem_scratch, but for those that can be had otherwise (enum ptx_keep).
 *
 * The text has two ways through the regions. The straight way runs a region for all threads of the
 * block in a plain loop, then goes on to the next; it holds as long as all threads go the same way,
 * which is either known (ptx_flow_uniformity()) or looked at after each region. Otherwise each thread's
 * next region is kept in clem_state, and the other way is taken: warp by warp, the lowest region that
 * lanes of the warp wait for is run for those lanes, until all have ended or wait for a barrier.
 * When a barrier releases all threads of the block at once, the straight way is taken again: or all that
 * have not ended, if those are the threads below some number in each dimension, as they are after
 * `if (i >= n) return;`. Where no thread ever waits for another, those that part go on one after the
 * other, each to its end.
 *
 * Loops in which threads wait for what others do without saying so (block_wait.c) begin regions too, though not
 * on the straight way: there a thread takes many turns of such a loop, then parts from the others. Warp by
 * warp, one that has had its turns is left (CLEM_SPUN) until the others of its warp have gone as far as they
 * can, and all other warps too. What it waits for may come from another block as well. Where threads never
 * meet there is no straight way: one after the other goes on alone until it ends or waits.
 *
 * Loops that stride through memory begin regions too, so that their turns are run for all threads of the
 * block before the next (block_stride.c). Kernels with such loops and neither barriers nor shared
 * memory take several neighbouring blocks as one, for longer runs of memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_BLOCK_H
#define KERNELS_PTX_BLOCK_H

#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/emit/emit.h"

/* How a register comes from one region into another. In the text, register %r5 of the thread being run is the variable
 * r5; between regions there are
 *   a_r5[clem_index]  in clem_scratch: each thread's own value;
 *   u_r5              on the straight way: what all threads have in common, which is the value, or for an offset
 *                     what has been added to each thread's first value;
 *   o_r5              u_r5 as it was when the region began, whose threads set u_r5 one after the other;
 *   s_r5              an offset's first value, computed again for the thread being run. */
enum ptx_keep {
    PTX_KEEP_NOT,        /* lives within regions only */
    PTX_KEEP_CONSTANT,   /* the same for the whole block: computed once, before all regions */
    PTX_KEEP_RECOMPUTED, /* follows from the thread's number: computed again where it is used */
    PTX_KEEP_UNIFORM,    /* the same for all threads in step: one variable on the straight way */
    PTX_KEEP_OFFSET, /* what it began with, computed again, and one sum for all threads in step */
    PTX_KEEP_ARRAY   /* one element for each thread */
};

struct ptx_region {
    int32_t head;                       /* node */
    const struct ptx_instruction *step; /* barrier or warp operation at its start, or NULL */
    int32_t *nodes;                     /* in reverse post order */
    size_t node_count;
    uint32_t *targets; /* regions that threads go to from here */
    size_t target_count;
    bool leaves; /* threads may end here */
    bool waits;  /* it begins a loop in which threads wait for what others do */
    bool
        yields; /* on the straight way: the block has others go here, now and then, for which it may wait */
    bool turns; /* of such a loop within it each thread takes many turns at a time, on its own */
    size_t exit_count; /* of its last targets: starts of loops which threads leave so */
    bool is_decided;   /* all threads that come along in step go the same way */
    bool has_call;
    bool is_alike; /* of the straight way: the parted way has the same */
    bool is_wide;  /* on the straight way it has a loop of its own, which is made vectors of */
    bool is_short; /* and one which is not */
    bool *touched; /* per register: read or written here, after the step */
    bool *written;
    bool *late;  /* per register: written where threads that end here need not have come by */
    bool *split; /* per register: threads that part here may have different values, though all that
                  * come to the same region have the same */
};

/* One way through a kernel. */
struct ptx_regions {
    const struct ptx_block_facts *facts;
    const struct ptx_flow *flow;
    struct ptx_region *all; /* in reverse post order; threads begin in the first */
    size_t count;
    size_t exit_count;  /* behind them; of these only the head is there */
    int32_t *region_of; /* per node; PTX_NO_NODE: unreachable */
    bool *is_turn; /* per node: a loop begins there of which a thread takes many turns at a time */
    bool *is_passed;               /* per node: see struct ptx_cuts */
    struct ptx_uniformity uniform; /* of threads that begin each region together */
};

/* What is known of a kernel: block_regions.c, its registers: block_keeps.c. */
struct ptx_block_facts {
    struct ptx_flow *flow;
    /* Both ways. They differ only where there are loops that wait, with which regions begin on the other. Where
     * starts_alone says so both are that one. */
    struct ptx_regions *straight, *parted;
    uint8_t *keeps;       /* enum ptx_keep per register */
    int32_t *definitions; /* of constant and recomputed registers: instruction; of those with an
                           * offset: the one that they begin with */
    int32_t *steps;       /* of registers along a row of threads: block_vector.c */
    bool has_parts;       /* barriers that not all threads of the block take part in */
    bool is_straight;     /* no thread ever leaves the straight way */
    bool never_meets;     /* threads never meet: those that part may each go on alone */
    bool waits;           /* there are loops in which threads wait for what others do */
    bool starts_alone;    /* and wait: no thread ever takes the straight way */
    bool
        yields; /* the block may wait for others as a whole: for some region, or between barriers */
    bool joins_blocks; /* threads are those of clem_grid.s3 blocks in a row */
    /* Threads that end need not keep the others from the straight way: it is for the threads of the
     * box clem_live.s012, of which there are clem_live.s3. Where lanes exchange values there
     * (has_lanes), those must be the first of the block. */
    bool shrinks, has_lanes;
};

const struct ptx_block_facts *ptx_block_cut(struct ptx_emitter *e,
                                            const struct ptx_function *function);
/* Of a kernel whose ways are known. */
void ptx_block_find_keeps(struct ptx_emitter *e, struct ptx_block_facts *facts);

/* Whether threads may begin with a region, not only come by. */
static inline bool ptx_region_is_entered(const struct ptx_regions *r, size_t number)
{
    return !r->facts->starts_alone || number == 0 || r->all[number].waits;
}

/* What a region of either way is called where threads note that they are there: its number on the parted way. */
static inline size_t ptx_region_number(const struct ptx_block_facts *facts,
                                       const struct ptx_region *region)
{
    return (size_t)facts->parted->region_of[region->head];
}

/* One variable on the straight way. */
static inline bool ptx_keep_is_shared(uint8_t keep)
{
    return keep == PTX_KEEP_UNIFORM || keep == PTX_KEEP_OFFSET;
}

/* Where threads meet, per instruction: barriers, warp operations, accesses in lockstep; and where
 * regions begin in any case, which strided loops do too. block_lockstep.c. */
bool *ptx_block_meetings(struct ptx_emitter *e, const struct ptx_function *function);
bool *ptx_block_starts(struct ptx_emitter *e, const struct ptx_function *function);

/* Of those operands that are read: the barrier's number, the count of threads or NULL, the predicate of
 * a reduction or NULL. */
struct ptx_barrier_operands {
    const struct ptx_operand *number, *threads, *predicate;
};
struct ptx_barrier_operands ptx_barrier_operands_of(const struct ptx_instruction *in);

/* The mask of member lanes of a warp operation, or NULL where it has none. */
const struct ptx_operand *ptx_member_mask(const struct ptx_instruction *in);

/* ---- Writing: block.c, block_warps.c, block_registers.c, block_step.c ---- */

enum ptx_way {
    PTX_WAY_STRAIGHT, /* all threads of the block, region by region, each in loops of its own */
    PTX_WAY_PARTED,   /* warp by warp */
    PTX_WAY_EITHER,   /* warp by warp, and clem_parted says whether threads are in step */
    PTX_WAY_ALONE /* thread by thread, each to its end or to where it waits: where threads never meet */
};

/* Where the writing has come to. */
struct ptx_block_writer {
    const struct ptx_block_facts *facts;
    const struct ptx_regions *regions; /* of the way being written */
    const struct ptx_region *region;   /* being written */
    int32_t node;                      /* likewise */
    enum ptx_way way;                  /* likewise */
    const bool *is_set;                /* per register: the region sets it in any case; or NULL */
    size_t contended;                  /* stores at one place of several threads, so far */
    bool is_at_end;                    /* the label at the region's end comes next */
    bool is_stepping;                  /* a step is being written, not the rest of its region */
    bool *
        is_kept; /* per register: what all have in common is kept, as it was when a region began, in o_: on EITHER */
    bool is_lane_open; /* the step's loop over lanes goes on with the rest of its region */
};

/* Registers of the thread clem_index, by flags per register: block_registers.c. Declares those of `loads` and
 * `declared`; the former get their values, the latter zeros, if the region may not set them. */
void ptx_block_load(struct ptx_emitter *e, const bool *loads, const bool *declared);
/* Likewise between two regions of the straight way, whichever way is being written. */
void ptx_block_load_common(struct ptx_emitter *e, const bool *loads, const bool *declared);
/* Writes the registers of `stores` back. */
void ptx_block_store(struct ptx_emitter *e, const bool *stores);
/* Where threads that were in step part: gives the thread its own, in arrays, of all that they had in common, but for what
 * threads stored that may differ in it where they parted, in the region clem_region. Loads offsets itself. */
void ptx_block_scatter(struct ptx_emitter *e);
/* The other way round: takes it from the first thread; clem_same is 0 from then on if another has other values. Only of
 * registers that matter: clem_matters has a bit for each that is shared, in the order of registers. */
void ptx_block_gather(struct ptx_emitter *e);

/* The array in which a register is between regions on the way being written, NULL: it is in none. */
const char *ptx_block_array(struct ptx_emitter *e, const struct ptx_operand *operand);
/* Whether an operand is the same for the whole block, and at hand outside loops over threads. */
bool ptx_block_is_constant(const struct ptx_emitter *e, const struct ptx_operand *operand);

/* At the start of the kernel: arrays in clem_scratch, whose bytes the plan is told; what all threads have in common.
 * ptx_block_keep_shared(): keeps it before a region that may be on either way. At the start of a region of the straight way: what they had so far, of the registers that it loads. */
void ptx_block_declare_arrays(struct ptx_emitter *e);
void ptx_block_declare_shared(struct ptx_emitter *e);
void ptx_block_keep_shared(struct ptx_emitter *e);
void ptx_block_take_shared(struct ptx_emitter *e, const bool *loads);
/* Which shared registers matter at a region's start, as a bit for each. */
uint64_t ptx_block_shared_at(struct ptx_emitter *e, const struct ptx_region *region);
bool ptx_block_has_shared(const struct ptx_emitter *e);

/* Which registers a region's threads begin with, which they leave, and all that its text names. */
struct ptx_block_needs {
    bool *loads, *stores, *declared;
};

/* The text of the region being written for one thread, on the way being written: block_thread.c. write_thread() gives back
 * what find_needs() lent. */
void ptx_block_take_way(struct ptx_block_writer *writer, enum ptx_way way);
struct ptx_block_needs ptx_block_find_needs(struct ptx_emitter *e);
void ptx_block_declare_thread(struct ptx_emitter *e);
void ptx_block_write_node(struct ptx_emitter *e, size_t place);
void ptx_block_write_thread(struct ptx_emitter *e, const struct ptx_block_needs n);
void ptx_block_thread(struct ptx_emitter *e);

/* Where its threads go: whether to what they must wait for; whether one of two ways, which can be told apart by how many
 * take the second; which of its targets one is; and what clem_state says of those that go to a region. */
bool ptx_block_notes_wait(const struct ptx_block_writer *writer);
bool ptx_block_has_two_ways(const struct ptx_region *region);
unsigned ptx_block_way_of(const struct ptx_region *region, uint32_t target);
const char *ptx_block_state_value(struct ptx_emitter *e, const struct ptx_region *region);

/* The numbers of thread clem_number. A loop over all threads of the block, with them; closed by "}". Those that are not on
 * the straight way are passed over. */
void ptx_block_name_thread(struct ptx_emitter *e);
void ptx_block_begin_each(struct ptx_emitter *e);
void ptx_block_pass_over_ended(struct ptx_emitter *e, const char *action);

/* Whether its threads wait for others at a region's start. Whether threads that part go warp by warp; if not, they never
 * part or go on alone. Whether a region has loops of its own on the straight way. */
bool ptx_block_waits_for_block(const struct ptx_region *region);
bool ptx_block_has_warps(const struct ptx_block_facts *facts);
bool ptx_block_has_loops(const struct ptx_block_facts *facts, const struct ptx_region *region);

/* Regions warp by warp: the parted way, and the straight way for regions that have no loops of their own.
 * block_warps.c. */
void ptx_block_declare_warps(struct ptx_emitter *e);
void ptx_block_warps(struct ptx_emitter *e);

/* Whether the threads of the region being written note where they go, in clem_next; what that says of one that ends;
 * whether the thread at the end of a region does not end there, as an expression of C, NULL: none does. block_ways.c. */
bool ptx_block_notes_state(const struct ptx_block_writer *writer);
const char *ptx_block_ended_value(struct ptx_emitter *e);
const char *ptx_block_goes_on(struct ptx_emitter *e);

/* Computes what is the same for the whole block, before all else. block.c. */
void ptx_block_write_constants(struct ptx_emitter *e, const struct ptx_flow *flow,
                               const bool *is_constant);
/* What the threads that go to a barrier wait for, in clem_wait; a special register of the thread being run, or NULL. */
const char *ptx_block_barrier_wait(struct ptx_emitter *e, const struct ptx_instruction *step);
const char *ptx_block_special(enum ptx_special special);

/* What decides where the threads of a region go. */
struct ptx_choice {
    const struct ptx_instruction *comparison, *branch;
};

/* On the straight way: whether the threads of the region being written have one branch, at its end, by a
 * comparison of what is at hand after the region too. block_ways.c. */
bool ptx_block_finds_way(struct ptx_emitter *e, struct ptx_choice *choice);

/* How many threads are on the straight way. */
static inline const char *ptx_block_threads(const struct ptx_emitter *e)
{
    return e->block_writer->facts->shrinks ? "clem_live.s3" : "clem_threads";
}

/* Before loops that are seldom run, or have nothing that vectors could do at once: their copies would
 * cost compilers more time than the rest of the kernel. */
#define PTX_BLOCK_PLAIN_LOOP "#pragma clang loop vectorize(disable) unroll(disable)\n"

/* Whether the loop over the threads of a region is told to be made vectors of: block_vector.c. */
bool ptx_block_is_wide(const struct ptx_regions *r, const struct ptx_region *region);

/* Whether a store may be several threads' at one place: block_vector.c. NVIDIA's hardware then keeps what the first lane
 * stores. How many there are in a region, each of which knows the place and the thread that was first, in clem_places and
 * clem_owners: begun before a warp's lanes, or a block's threads, run the region being written. */
bool ptx_block_is_contended(const struct ptx_regions *r, size_t instruction);
size_t ptx_block_contended_in(const struct ptx_regions *r, const struct ptx_region *region);
void ptx_block_begin_firsts(struct ptx_emitter *e, size_t count);

/* The step of the region being written, for the lanes clem_active of the warp that begins with thread
 * clem_base; on the straight way, for all warps. If is_lane_open afterwards, then within a block and a
 * loop over lanes in it. */
void ptx_block_step(struct ptx_emitter *e);
/* One of which nothing is written. */
void ptx_block_pass_step(struct ptx_emitter *e);
/* What threads of all regions begin with there. */
void ptx_block_begin_thread(struct ptx_emitter *e);
/* The thread's part of local memory. */
void ptx_block_name_local(struct ptx_emitter *e);
/* Whether it writes anything where warps go one by one. */
bool ptx_block_has_step(const struct ptx_emitter *e, const struct ptx_region *region);

#endif
