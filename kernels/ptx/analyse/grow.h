/* A function that grows, of others of the module and of instructions of the translation's own. Private to kernels/ptx/analyse/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_GROW_H
#define KERNELS_PTX_GROW_H

#include "kernels/ptx/analyse/plan.h"

/* A growing function. */
struct ptx_growing {
    struct ptx_emitter *e;
    struct ptx_arena *arena;
    struct ptx_function *made;
    size_t instruction_room, label_room, register_room, variable_room, target_room;
    uint32_t line, location;   /* of instructions that are added */
    uint8_t *verdicts;         /* per function number: 0 unknown, 1 stays a call, 2 to be inlined */
    struct ptx_jumped *jumped; /* of plan.jumps, in their order */
    uint32_t *jumped_of;       /* per function number: 1 + its place there, or 0 */
    bool has_frames; /* functions that are jumped to may lead back to themselves: frames.h */
    uint32_t top,
        end; /* registers then: .local addresses behind the frames in use, and behind all of them */
};

/* Where the numbers of a function being copied begin in the copy. */
struct ptx_bases {
    const struct ptx_function *from;
    uint32_t registers, labels, targets;
    const struct ptx_variable **variables;             /* copies of its variables, in their order */
    const struct ptx_variable **parameters, **results; /* what stands for them; NULL in the entry */
    int32_t end_label;                                 /* where ret goes; -1: it ends the thread */
    /* Of its variables in a frame: 1 + the register that has the address, which is one of .local; NULL: it has none there. */
    const uint32_t *addresses;
};

/* A function whose text stands once. Who calls it says where to go on, in a register, and jumps there. */
struct ptx_jumped {
    struct ptx_bases b;
    uint32_t start_label, back; /* back: a register */
    uint32_t targets;           /* of the copy: where to go on */
    int32_t *sites;
    size_t site_count, site_room;
    struct ptx_frame *frame; /* where it may lead back to itself, otherwise NULL: frames.c */
};

/* An empty instruction at the end. What is added from then on stands for an instruction, or for a function as a whole. */
struct ptx_instruction *ptx_grow_instruction(struct ptx_growing *c);
void ptx_grow_for(struct ptx_growing *c, const struct ptx_instruction *in);
void ptx_grow_at(struct ptx_growing *c, uint32_t line);

/* Names of the copy's own. A label stands nowhere until it is set to here. */
uint32_t ptx_grow_label(struct ptx_growing *c, const char *name);
void ptx_grow_label_here(struct ptx_growing *c, uint32_t label);
uint32_t ptx_grow_register(struct ptx_growing *c, struct ptx_register made);
struct ptx_variable *ptx_grow_variable(struct ptx_growing *c, const struct ptx_variable *like);

struct ptx_operand ptx_register_operand(uint32_t index);
struct ptx_operand ptx_number_operand(uint64_t number);

/* guard: a predicate, or -1. */
void ptx_grow_jump(struct ptx_growing *c, uint32_t label, int32_t guard, bool is_negated);
void ptx_grow_trap(struct ptx_growing *c, int32_t guard);
void ptx_grow_move(struct ptx_growing *c, enum ptx_type type, struct ptx_operand to,
                   struct ptx_operand from);
void ptx_grow_set(struct ptx_growing *c, uint32_t to, uint64_t number);

/* An instruction of one type: the last one, as one of so many operands. */
struct ptx_instruction *ptx_grow_typed(struct ptx_growing *c, uint16_t opcode, const char *words,
                                       enum ptx_type type, const struct ptx_operand *operands,
                                       uint32_t count);

/* A new predicate: whether a value is a number. */
int32_t ptx_grow_test(struct ptx_growing *c, enum ptx_type type, struct ptx_operand value,
                      uint64_t number);

/* Stores into or loads from a .param variable, as a whole or in part; and copies one. */
void ptx_grow_access(struct ptx_growing *c, uint16_t opcode, const struct ptx_variable *variable,
                     struct ptx_operand value);
void ptx_grow_part(struct ptx_growing *c, uint16_t opcode, enum ptx_type type,
                   const struct ptx_variable *variable, size_t offset, uint32_t index);
void ptx_grow_copy(struct ptx_growing *c, const struct ptx_variable *to,
                   const struct ptx_variable *from);

/* The largest unsigned type whose multiples a variable's bytes and both alignments are. */
enum ptx_type ptx_grow_unit(size_t bytes, size_t alignment, size_t other);

#endif
