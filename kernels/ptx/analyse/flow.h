/* How control and values run through a function: basic blocks, orders, loops, liveness, and what is the
 * same for all threads of a block. Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_FLOW_H
#define KERNELS_PTX_FLOW_H

#include "kernels/ptx/ir/ir.h"

enum { PTX_NO_NODE = -1 };

/* A basic block. "Node", because a block is a block of threads in this folder. */
struct ptx_node {
    uint32_t first, end; /* instructions */
    int32_t *next, *previous;
    uint32_t next_count, previous_count;
    bool
        leaves; /* a thread may end here, in something called from here, or in a node that does nothing
                     * else: to such nodes there are no edges */
    uint32_t depth; /* of loops around it */
};

struct ptx_flow {
    struct ptx_arena *arena; /* whose budget its searches spend */
    const struct ptx_function *function;
    struct ptx_node *nodes; /* in the order of the text; the first is where threads begin */
    size_t count;
    int32_t *node_of; /* per instruction, and one more for the end: PTX_NO_NODE there */
    int32_t *order;   /* reachable nodes in reverse post order: loops before what follows them */
    size_t reachable;
    int32_t *position;      /* of nodes in `order`, or PTX_NO_NODE */
    int32_t *dominator;     /* immediate; PTX_NO_NODE: the first node, or unreachable */
    int32_t *postdominator; /* immediate; PTX_NO_NODE: only the end of the thread */
    bool *
        ends_early; /* per node, in flows of a warp: threads there end, and never come to where the last ones do */
    bool *
        is_last_end; /* per node, likewise: threads end there, and no others go on elsewhere to a later end */
    size_t words;
    uint64_t *live_in; /* ptx_flow_find_live(): `words` per node: registers whose values matter at
                        * its start */
};

/* starts: per instruction, whether a node begins there in any case; or NULL. */
struct ptx_flow *ptx_flow_make(struct ptx_arena *arena, const struct ptx_function *function,
                               const bool *starts);

/* Where threads that end are waited for by nobody: a node at which others go on is post-dominated by where those meet, and
 * nodes of which no thread comes to the last end stand before those where the others go on. */
struct ptx_flow *ptx_flow_make_of_warp(struct ptx_arena *arena, const struct ptx_function *function,
                                       const bool *starts);

/* Nodes from which ways lead back to `head`, itself among them. */
struct ptx_loop {
    int32_t head;
    const int32_t *nodes;
    size_t count;
    const bool *is_in; /* per node of the flow */
};

/* Whether the loop ends by itself after some number of turns, whatever memory holds. counted.c. */
bool ptx_loop_is_counted(const struct ptx_flow *flow, const struct ptx_loop *loop);

/* A bit for each register and node, which only some searches want. */
void ptx_flow_find_live(struct ptx_flow *flow);

/* Whether every way to the reachable node b passes the node a. */
bool ptx_flow_dominates(const struct ptx_flow *flow, int32_t a, int32_t b);

/* Whether a node does nothing but end its threads. */
bool ptx_flow_only_leaves(const struct ptx_flow *flow, int32_t node);

static inline bool ptx_flow_is_live(const struct ptx_flow *flow, int32_t node, uint32_t index)
{
    return flow->live_in[(size_t)node * flow->words + index / 64] >> index % 64 & 1;
}

/* Shows each register that an instruction reads (its guard too), or writes. A write is whole unless the
 * instruction has a guard or writes a part of a vector. */
typedef void ptx_show_register(void *with, uint32_t index, bool is_whole);
void ptx_flow_reads(const struct ptx_instruction *in, ptx_show_register *show, void *with);
void ptx_flow_writes(const struct ptx_instruction *in, ptx_show_register *show, void *with);

/* Whether it writes the register, or a part of it. */
bool ptx_flow_writes_register(const struct ptx_instruction *in, uint32_t index);

/* Runs a pass over all instructions of a function, again and again until it changes nothing: it says whether it
 * changed anything. False if that takes too long: then nothing is known. */
enum ptx_direction { PTX_FORWARDS, PTX_BACKWARDS };
typedef bool ptx_flow_pass(void *with, const struct ptx_instruction *in);
bool ptx_flow_settle(struct ptx_arena *arena, const struct ptx_function *function,
                     enum ptx_direction direction, ptx_flow_pass *pass, void *with);

/* Whether the instruction only computes its results from its operands: nothing that depends on memory,
 * on time or on other threads, and nothing that may fault. Loads of a kernel's parameters and of .const
 * variables by name count, for they are the same at all times. */
bool ptx_flow_is_pure(const struct ptx_function *function, const struct ptx_instruction *in);

/* Per register, whether all threads of a block that are at the same place in the same turn of each loop
 * have the same value in it; and per node, whether all threads that go on from it take the same way (a
 * thread that ends there is none that goes on). */
struct ptx_uniformity {
    bool *registers, *branches;
    bool *is_divergent; /* per node: it lies on a way that not all threads take in step */
};
struct ptx_uniformity ptx_flow_uniformity(struct ptx_arena *arena, const struct ptx_flow *flow);

/* The same of the lanes of a warp that go in step, where each instruction is carried out for all of them at once and generic
 * addresses of local memory are each lane's own.
 * delays: per node, whether lanes may wait at its start while others go on; or NULL. They may also at barriers that not all
 * come to in step.
 * alike: per register, whether it is known to be the same for all lanes that may read it; or NULL. */
struct ptx_uniformity ptx_flow_uniformity_of_warp(struct ptx_arena *arena,
                                                  const struct ptx_flow *flow, const bool *delays,
                                                  const bool *alike);

/* Regions between which threads wait for each other until all of a block have come to the same one. */
struct ptx_cuts {
    const int32_t *region_of; /* per node */
    const bool *is_head;      /* per node: its region's first */
    const bool
        *is_passed; /* per node: all threads that come to a region that this node leads to have
                               * come by here, once */
    const bool
        *is_turned;    /* per node: of a region whose threads need not all have come by it at its
                            * end, whatever the branches say */
    bool joins_blocks; /* threads are those of several blocks in a row */
};

/* The same for threads that begin each region together: what parts them within a region is over at
 * its end, and nodes that are passed make nothing differ. */
struct ptx_uniformity ptx_flow_uniformity_between(struct ptx_arena *arena,
                                                  const struct ptx_flow *flow,
                                                  const struct ptx_cuts *cuts);

#endif
