/* PTX_FORM_WARP: one work-item runs a CUDA block, warp by warp, and a register of a warp is a vector of its 32 lanes.
 * Private to kernels/ptx/warp/.
 *
 * Each node (basic block) of the kernel is written once, as code for the lanes clem_active of the warp being run. Warps
 * take turns: one goes from node to node until its lanes have ended or wait for others, then comes the next; when none
 * can go on, barriers open. As long as all lanes of a warp that live are together (clem_others is 0), a branch that they
 * take alike is a goto. Where they part, the node that each goes on with is noted in clem_state, as in the block form, and
 * of all nodes that lanes wait at the lowest in the order of the flow is run for those lanes: so that they come together
 * again where their ways do.
 *
 * Most ways on which lanes part are short, and wait for nobody: a detour, all nodes from one with such a branch to where
 * all its ways meet again. It is written in one piece: each of its nodes has a variable for the lanes that come to it, and
 * is run for them, in the order of the flow, back where its loops lead back, until none is left of the lanes that began it.
 *
 * Some nodes are only ever run for all lanes that live (is_whole): no branch that lanes may take differently lies on the
 * way there. Registers that are the same for all threads of a block are one variable there.
 *
 * What lives from one node to another lies in the frame of its warp, in scratch memory: compilers see no value that runs
 * through the many ways between nodes. Within a node, instructions are written in one of these ways (enum ptx_item): as
 * they are, once, where all lanes have the same operands; as arithmetic of vectors; and all others, neighbours together,
 * as a loop over the active lanes, whose body the emitters of the other forms write.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_WARP_H
#define KERNELS_PTX_WARP_H

#include "kernels/ptx/block/block.h"

enum ptx_item {
    PTX_ITEM_NOTHING, /* written elsewhere: steps that nodes begin with, branches, constants */
    PTX_ITEM_STEP,    /* a warp operation of the lanes that did the one before */
    PTX_ITEM_ONCE,
    PTX_ITEM_VECTOR,
    PTX_ITEM_LANES,
    PTX_ITEM_STORE /* lane after lane in a loop of its own, the lowest last: of several at one place its value stays. At one
                    * place for all, that lane alone */
};

enum { PTX_NO_HOME = -1 };

struct ptx_warp_writer {
    const struct ptx_block_facts *facts;
    const struct ptx_flow *flow;
    bool *
        is_constant; /* per register: the same for the whole block at any time, and computed before all nodes */
    bool *is_uniform; /* per register: one variable for all lanes of a warp */
    bool *crosses;    /* per register: some node begins with it, or several use it */
    int32_t *homes;   /* per register: where in the frame, others there too, or PTX_NO_HOME */
    bool *is_whole;   /* per node */
    bool *waits;      /* per node: it begins a loop in which threads wait for what others do */
    bool *
        strides; /* per node: it begins a loop of which all warps had better take a turn before the next */
    bool *is_sent;  /* per node: lanes are sent there, not only led by a goto */
    uint8_t *items; /* per instruction: enum ptx_item */
    int32_t *
        detour_of; /* per node: the node that the detour begins with which it belongs to, or PTX_NO_NODE */
    bool calls_memory; /* loads and stores are so many that compilers had better see calls */
    size_t frame_bytes;
    int32_t
        numbers; /* where in the frame the x, y and z of the lanes' threads are; and their carries */
    int32_t carries;

    /* The node being written. */
    int32_t node;
    bool *is_declared; /* per register: as a vector, or as one variable */
    bool *is_cached;   /* per register: that has its value */
};

/* warp_detour.c: finds them; writes the nodes of the one that begins with a node, by what writes a node's instructions. */
void ptx_warp_find_detours(struct ptx_emitter *e);
typedef void ptx_write_node(struct ptx_emitter *e, int32_t node);
void ptx_warp_write_detour(struct ptx_emitter *e, int32_t first, ptx_write_node *write);

/* warp_homes.c: where registers are in the frame, its bytes, and which nodes begin with a register. After how each
 * instruction is written. */
void ptx_warp_find_homes(struct ptx_emitter *e);

/* warp_plan.c: whether the form can have the kernel at all; what is written how, and where registers are. */
bool ptx_warp_plan(struct ptx_emitter *e, const struct ptx_function *function);

/* ---- warp_registers.c ---- */

/* "u32" of clem_u32v: vectors of what C has a type in. Predicates: of -1 and 0, "s32". */
const char *ptx_warp_vector_name(enum ptx_type type);
/* The bytes of a register's home in a frame. */
size_t ptx_warp_home_bytes(struct ptx_emitter *e, uint32_t index);

/* Forgets what the node before had at hand. */
void ptx_warp_begin_node(struct ptx_emitter *e, int32_t node);
/* A register that is one variable: declared, with its value. `wants_value`: it has one. */
void ptx_warp_take_one(struct ptx_emitter *e, uint32_t index, bool wants_value);
/* After it was set. */
void ptx_warp_keep_one(struct ptx_emitter *e, uint32_t index);

/* An operand as a vector of a type: as ptx_value(), for all lanes. A predicate: -1 or 0. */
const char *ptx_warp_value(struct ptx_emitter *e, const struct ptx_operand *operand,
                           enum ptx_type type);
/* Whether there is such a vector. */
bool ptx_warp_has_value(struct ptx_emitter *e, const struct ptx_operand *operand);
/* Whether all lanes have the same address. */
bool ptx_warp_is_one_place(const struct ptx_emitter *e, const struct ptx_operand *address);
/* A predicate for elements of so many bytes. */
const char *ptx_warp_mask(struct ptx_emitter *e, const char *mask, size_t bytes);
/* Sets a register from a vector of the type, under the instruction's guard. */
void ptx_warp_set(struct ptx_emitter *e, const struct ptx_instruction *in,
                  const struct ptx_operand *destination, enum ptx_type type, const char *value);

/* Over which lanes a loop is, and in which order: all active ones, or of stores at one place the one that wins. */
enum ptx_warp_lanes { PTX_LANES_UPWARD, PTX_LANES_DOWNWARD, PTX_LANES_WINNER };

/* A loop over the active lanes around instructions from `first` on: their registers are loaded before and stored
 * after. It begins with the lowest lane; of a PTX_ITEM_STORE, with the highest. */
void ptx_warp_lanes(struct ptx_emitter *e, uint32_t first, uint32_t end);
/* The head of such a loop, and the registers that an instruction reads; and its end. */
void ptx_warp_begin_lanes(struct ptx_emitter *e, const struct ptx_instruction *reader);
void ptx_warp_end_lanes(struct ptx_emitter *e, enum ptx_warp_lanes lanes);

/* ---- warp_vector.c, warp_memory.c: instructions as arithmetic of vectors ---- */

/* Whether it can be written so; and writes it. */
bool ptx_warp_is_vector(struct ptx_emitter *e, const struct ptx_instruction *in);
void ptx_warp_write_vector(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_warp_is_access(struct ptx_emitter *e, const struct ptx_instruction *in);
void ptx_warp_write_access(struct ptx_emitter *e, const struct ptx_instruction *in);

/* ---- warp_step.c, warp_edge.c ---- */

/* What the lanes of a warp do together where a node begins. */
void ptx_warp_step(struct ptx_emitter *e, const struct ptx_instruction *step);
const struct ptx_instruction *ptx_warp_step_of(const struct ptx_warp_writer *w, int32_t node);

/* Where lanes go at the end of the node being written; and all active lanes, at the end of a detour. */
void ptx_warp_write_edges(struct ptx_emitter *e);
void ptx_warp_write_edge(struct ptx_emitter *e, int32_t to);
/* The last instruction of a node may lead lanes two ways: to *taken those for which its guard holds. All go to *other where
 * it has none. */
bool ptx_warp_ways(const struct ptx_emitter *e, int32_t node, int32_t *taken, int32_t *other);

#endif
