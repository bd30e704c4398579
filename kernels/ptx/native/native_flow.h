/* How a kernel in the native form runs: what the files that write it share. Private to kernels/ptx/.
 *
 * The text has one function, clem_native_warp, which runs the lanes of one warp until they have ended or wait at a barrier; who
 * calls it is runtime.c, warp after warp. In it each node of the kernel stands once. Nodes that all lanes come to in step end in
 * plain jumps. Where lanes part, each node has a word of lanes that wait for it, and nodes are gone through in order: one that
 * no lane waits for is jumped over, and at the end of a loop its head is looked at again.
 *
 * A register that lives from node to node is an alloca, which LLVM makes values of; within a node it is a value. At a node's
 * end values go to the allocas, those of lanes that are not here blended in where they may still matter.
 *
 * At a barrier all lanes of the warp that live arrive together. What lives on is stored in the frame of the warp, and the
 * function returns the number of the barrier's site, where it is entered again.
 *
 * Where some lanes may wait while others go on, at barriers that not all come to in step and in loops that wait for memory to
 * change (is_parted), each site has words of its own at the frame's start (struct ptx_native_site): lanes that wait are noted
 * there, the others go on, and when none is left the function returns. Entered again, it takes those that are told from their
 * sites.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_NATIVE_FLOW_H
#define KERNELS_PTX_NATIVE_FLOW_H

#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native.h"

enum { PTX_NATIVE_LANES = 32, PTX_NATIVE_ROWS = 2, PTX_NATIVE_ASKED = 8 };

/* Nodes from `head` to `last` in reverse post order that are left by going on behind them. */
struct ptx_native_loop {
    int32_t head, last; /* positions */
};

/* What lanes have in a register, where it is known to lie on lines: lane l of a half warp has base + step * l, by halves or,
 * where is_whole, by the warp. */
enum ptx_native_line_kind {
    PTX_LINE_UNKNOWN, /* nothing sets it, so far */
    PTX_LINE_NONE,
    PTX_LINE_PLAIN, /* of the register's bits */
    PTX_LINE_WIDE /* 64 bits: start + slope * l + scale * (32 bits of base + step * l, extended) */
};

struct ptx_native_line {
    uint8_t kind;
    bool is_whole, is_signed; /* is_signed: how a wide one is extended */
    bool is_twin;             /* by halves that have the same numbers: the first one's */
    uint8_t zeros;            /* low bits of the bases that are 0, as far as is known */
    int64_t step, scale, slope;
};

/* The numbers that a line is made of: of both halves, or in the first place of the warp or of halves that are alike. */
struct ptx_native_term {
    struct ptx_native_line line;
    bool is_known; /* the same number for all */
    int64_t known;
    const char *base[2], *start[2];
};

/* A node that tells of warps which need no turn (rest.c). */
struct ptx_native_rest {
    const struct ptx_instruction
        *compared;    /* the number of a thread with a bound; NULL: none is told of */
    bool *spreads;    /* per register: its value is that of all warps */
    uint8_t relation; /* of busy threads: below, below or at, or at the bound */
    int32_t site;     /* where the others have come; 0: to their end */
    int32_t
        busy; /* the node that leads busy threads there with nothing else; PTX_NO_NODE: none does */
};

/* A loop whose turns the warps of a block take in step (stroll.c). */
struct ptx_native_stroll {
    struct ptx_native_loop loop;
    int32_t site;    /* where a warp waits for the others */
    bool *has_lanes; /* per node: lanes may be there meanwhile */
    bool *lives;     /* per register: somebody wants it there */
    bool *is_set;    /* per register: the loop sets it */
};

/* What is added to a number from turn to turn of a loop: scale times `step`. */
struct ptx_native_pace {
    const struct ptx_operand *step; /* NULL: it stays the same */
    int64_t scale;
    int32_t counter; /* the register that counts turns */
    int32_t from;    /* where that is no address: the one that has what it counts from; or -1 */
};

/* Of numbers that wrap around, as addresses do. */
static inline int64_t ptx_native_times(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* A load whose row of a later turn is asked for (ahead.c), for all that `counter` leads to from `from` in a loop; or a
 * sweep's. */
struct ptx_native_asked {
    int32_t head, counter, from;
    const struct ptx_instruction *in;
};

/* A way out of a node. */
struct ptx_native_way {
    int32_t to; /* a node; PTX_NO_NODE: lanes end */
    const char *lanes;
};

/* A number that the first lanes of whole warps are below, as long as all lanes are below a register's: what is computed once, before
 * a node that leads back to itself. */
struct ptx_native_limit {
    const char *name; /* an i32; NULL: there is none */
    uint32_t index;   /* the register, of 32 bits, which the node does not write */
    bool is_signed;
    int64_t less;
};

/* A row that a warp alone has stored in shared memory: so many words of so many bits. base: a register that points there, or -1: to the
 * start of the block's memory; so many bytes behind that. */
struct ptx_native_kept {
    int32_t base;
    int64_t at;
    const char *value; /* of all lanes; is_in_slot: what an alloca has */
    unsigned count, bits;
    bool is_in_slot;
};

enum { PTX_NATIVE_KEPT = 16 };

/* A row of words of global memory that a warp has loaded; in_node: the node's stamp. */
struct ptx_native_row_loaded {
    uint32_t in_node;
    const struct ptx_instruction *in;
    const char *value;
};

enum { PTX_NATIVE_ROWS_LOADED = 4 };

/* A comparison of a number that differs from thread to thread with one that does not. */
struct ptx_native_bound {
    const struct ptx_operand *number, *to;
    bool is_signed, is_strict; /* is_strict: below is less, not less or the same */
    bool holds;                /* where it is below */
};

/* What is known of one, of all threads of a block that is sure. */
struct ptx_native_answer {
    const struct ptx_instruction *in;
    struct ptx_native_bound bound;
    int64_t distance; /* in the loop: from its counter to the number */
    bool is_in_loop;
};

enum { PTX_NATIVE_ANSWERS = 6 };

/* A leg of which blocks may be sure (sure.c): with one loop, which ends where its counter is not below a bound. */
struct ptx_native_sure {
    struct ptx_native_loop loop;
    int32_t counter; /* a register */
    const struct ptx_instruction *begins, *steps, *ends;
    const struct ptx_operand *step;
    struct ptx_native_answer last;                        /* by which it ends */
    struct ptx_native_answer answers[PTX_NATIVE_ANSWERS]; /* all others: below their bounds */
    size_t count;
};

struct ptx_native_flow {
    const struct ptx_function *function;
    struct ptx_body *body;
    struct ptx_flow *graph;
    struct ptx_uniformity uniform;
    bool *has_place;                       /* per register: it lives from node to node */
    bool *is_read;                         /* per register: by any instruction */
    uint8_t *definitions;                  /* per register: 0, 1, or 2 for more */
    const struct ptx_instruction **set_by; /* per register: the last in the text */
    struct ptx_native_fields *
        *fields; /* per instruction: with which it is one access, or NULL (memory_fields.c) */
    bool *
        is_fixed; /* per register: whatever sets it gives a thread the same; it has one definition (fixed.c) */
    struct ptx_native_range *ranges; /* per register, once one is asked for (narrow.c) */
    struct ptx_native_line
        *lines; /* per register; of one that differs from lane to lane it is how it is kept */
    struct ptx_native_term *terms; /* per register: its value, where term_in is the node's stamp */
    uint32_t *term_in;
    uint64_t **
        wanted; /* per node: registers that lanes elsewhere may still want, or NULL: not yet found */
    struct ptx_native_row_loaded
        rows_loaded[PTX_NATIVE_ROWS_LOADED]; /* the last of them (memory_beside.c) */
    size_t row_noted;
    struct ptx_native_kept kept[PTX_NATIVE_KEPT]; /* solo.c */
    size_t kept_count;
    struct ptx_native_kept
        late[PTX_NATIVE_KEPT]; /* in order: rows that are stored only if somebody may read them */
    size_t late_count;
    bool has_kept,
        keeps_on; /* the last store is among them; what is known of them stays when the first warp goes on alone */
    bool
        fills_slots; /* rows are kept in allocas: the text has several ways to where they are read */
    uint32_t solo_warp; /* which warp it is that goes alone */
    char step_letter;   /* of names of steps (legs.c) */
    bool is_in_rows;    /* a call runs blocks of a row, one after the other */
    bool is_swept;      /* a warp of several blocks has its turns before the next warp */
    bool goes_past,
        has_gone_past; /* it is for vast launches, and may store past the caches (past.c); it does */
    bool
        asks_beside; /* it is for vast launches, and loops that stride ask for what the next block will (ahead.c) */
    bool is_together; /* warps of several blocks of a row take turns, at a ticket or in a loop */
    bool is_full; /* all lanes of a warp are in step wherever any are, but in nodes that are thin */
    bool by_thread; /* a turn is one thread's, and all registers are one number (threads.c) */
    bool
        is_solo; /* what is written is for the first warp alone, whose threads are the first of a row */
    bool is_quiet; /* warps are told of only where they part: ptx_native_tell_turns() */
    bool *
        is_whole; /* per node: it stands once more for warps that are whole, which come to it by jumps (whole.c) */
    bool has_legs;    /* all warps of a block come to the same site, whichever it is (legs.c) */
    int32_t leg;      /* the site that the leg being written begins at; 0: the block's start */
    bool *is_in_leg;  /* per node: that leg leads to it */
    bool leg_returns; /* it may end where it begins */
    int32_t
        short_at; /* the node that each of its warps begins with, where that tells of a known number of busy ones: others have no turn */
    bool *has_leg;    /* per site: a leg begins there */
    bool *is_chained; /* per site: the warps of a leg before it go on there, each alone */
    const struct ptx_native_sure *sure; /* what is written is for blocks that are; NULL: for any */
    int32_t comes_to;  /* the site that "%came" says as long as no warp has come to another */
    const char *frame; /* what is written finds the warp's frame there; NULL: in its usual place */
    bool *
        is_of_block; /* per register: where warps wait it is one value of the block's, and in no frame */
    bool *is_thin;   /* per node: lanes may have ended before it */
    bool *is_spread; /* per register: as an address it is not that of neighbours */
    bool *is_across; /* per register: it lives at a barrier */
    bool *is_kept; /* per register: the frame has it from where it is set, and not from barriers */
    bool *is_remade; /* per register: it is made again behind barriers, and kept nowhere */
    bool *
        is_constant; /* per register: it has one value in all of a launch, and is made again in each node that reads it */
    uint32_t *remade_in; /* per register: the node's stamp where it has been; NULL: none has */
    bool **
        is_changed; /* per node: registers that may not be what the frame has when a warp comes to its barrier; NULL: all may */
    bool *comes_as_often; /* per node: it is in no loop, or in one that has a barrier */
    bool *
        rereads; /* per register: nodes take it from the frame as long as that has it; NULL: none (reread.c) */
    bool
        is_restored; /* of the node being written: it has begun with a barrier, behind which the frame has all that lives */
    bool *is_framed; /* per register: it is kept, and has the frame for a place, and no alloca */
    size_t *frame_at; /* per register: where in the frame */
    size_t frame_bytes;
    int32_t *sites; /* per node: where lanes may wait at its start, from 1 on; 0: they do not */
    int32_t site_count;
    int32_t barrier_count; /* sites but those of strolls */
    const struct ptx_instruction *
        ticket; /* an atomic sum that warps of several blocks wait at, as at the only stroll; NULL: none (ticket.c) */
    size_t ticket_at; /* where in the frame */
    struct ptx_native_stroll *strolls;
    size_t stroll_count, strolls_at; /* strolls_at: where in the frame its lanes are noted */
    bool is_entering;                /* what is set goes to its place, whoever wants it */
    bool *waits; /* per node: it begins a loop in which lanes wait for memory to change */
    bool *
        meets; /* per node: it begins with what lanes of a warp do together that may come one by one */
    bool *is_late; /* per node: lanes may come to it after others that wait, or that have gone on */
    const struct ptx_regions *cut; /* of a kernel that is checked: as the block form runs it */
    bool
        *is_calm; /* likewise, per instruction: a load of shared memory that cannot race (calm.c) */
    uint64_t stores, told_count; /* likewise: as of struct ptx_native_told; accesses */
    bool is_parted;              /* some lanes of a warp may wait while others go on */
    bool is_tangled;             /* loops lie across each other: nodes are never come to in step */
    void (*write)(struct ptx_native *n,
                  const struct ptx_instruction *in); /* an instruction, in the node being written */
    void (*begin_nodes)(struct ptx_native *n);       /* the first node gets its lanes */
    void (*write_nodes)(struct ptx_native *n);       /* all, or those of a leg */
    void (*put_back)(struct ptx_native *n); /* stores what has been set since the node's start */
    struct ptx_native_rest *rests;          /* per node */
    const char **
        known_lanes; /* per node: lanes that are there whenever any are, a number; NULL: not known */
    bool has_rests;
    uint32_t
        waiting_count; /* of atomic sums that wait for more blocks (struct ptx_native_sum), and their widths */
    uint8_t waiting_bits[PTX_NATIVE_SUMS];
    size_t row_count; /* of atomic sums in rows that wait for more blocks (struct ptx_native_row) */
    bool adds_later;  /* any of these, or a list (struct ptx_native_addends) */
    const struct ptx_instruction *rows[PTX_NATIVE_ROWS];
    size_t asked_count;
    uint32_t asked_in; /* in sweeps: the node's stamp */
    struct ptx_native_asked asked[PTX_NATIVE_ASKED];
    struct ptx_native_loop *loops; /* the outer ones first */
    size_t loop_count;
    /* Of the node being written. */
    int32_t node;
    bool is_divergent;
    const char *mask; /* i32: the lanes that are here, never none */
    const char *
        whole; /* LLVM's block that the node begins with for a warp whose lanes are all here, while it is written for such */
    struct ptx_native_limit limit; /* of those */
    bool is_some;      /* what is written is for warps of which not all lanes are here */
    const char *block; /* name of LLVM's block that is being written */
    struct ptx_native_value
        *held; /* 4 per register: its value, where held_in is the node's stamp */
    uint32_t *held_in;
    uint32_t stamp;
    uint32_t *dirty; /* indices as of `held`, of those that were set */
    bool *is_dirty;
    size_t dirty_count;
    struct ptx_text *head, *code; /* the function's entry block, and all behind it */
    bool *has_special;            /* per enum ptx_special: its value is in the entry block */
    bool has_tid[6];              /* per axis and half of a warp, likewise */
    bool *has_launch;             /* per byte of the launch's struct, likewise */
    size_t local_bytes;           /* per lane */
    bool has_calls;
};

/* pace.c: what is added to an address, register `index`, from turn to turn of a loop. False: nothing, or it is not known, or the loop is
 * too long to look through. Whether so little that the processor foresees the rows itself. */
bool ptx_native_find_pace(struct ptx_native *n, const struct ptx_native_loop *loop, int32_t index,
                          struct ptx_native_pace *pace);
bool ptx_native_is_foreseen(struct ptx_native_pace pace);

/* past.c: whether a kernel's stores may; where a call ends, before others learn of it. */
bool ptx_native_may_go_past(const struct ptx_native *n);
void ptx_native_end_past(struct ptx_native *n);

/* native_value.c: operands, results. */

/* Whether an operand may differ from lane to lane. */
bool ptx_native_varies(struct ptx_native *n, const struct ptx_operand *operand);
/* Sets n->is_vector as the operands that an instruction reads ask for. */
void ptx_native_choose(struct ptx_native *n, const struct ptx_instruction *in);
/* Stores a result of that type under the instruction's guard. */
void ptx_native_set(struct ptx_native *n, const struct ptx_instruction *in,
                    const struct ptx_operand *to, enum ptx_type type,
                    struct ptx_native_value value);
/* The lanes of a predicate as an i32; lanes that are active and for which the guard holds, or all that are active. */
const char *ptx_native_lanes(struct ptx_native *n, struct ptx_native_value predicate);
const char *ptx_native_guarded(struct ptx_native *n, const struct ptx_instruction *in);
/* A word of lanes as a predicate. */
struct ptx_native_value ptx_native_of_lanes(struct ptx_native *n, const char *lanes);
/* A guard as a predicate: one bit or 32. */
struct ptx_native_value ptx_native_guard(struct ptx_native *n, const struct ptx_instruction *in);
/* The lane that a mask has alone, where that is known; or -1. */
int32_t ptx_native_only_lane(const char *lanes);
/* That of the lowest lane of a mask, as one number. */
struct ptx_native_value ptx_native_first(struct ptx_native *n, struct ptx_native_value value,
                                         const char *lanes);
struct ptx_native_value ptx_native_number(struct ptx_native *n, unsigned bits, const char *text);
/* A vector, whatever n->is_vector says. */
struct ptx_native_value ptx_native_vector(struct ptx_native *n, struct ptx_native_value value);
/* a op b, of which one at most may be a word while the other is one for each lane; "icmp ..." gives truths. */
struct ptx_native_value ptx_native_both(struct ptx_native *n, const char *operation,
                                        struct ptx_native_value a, struct ptx_native_value b);
/* Cut, or extended by zeros or by the sign. */
struct ptx_native_value ptx_native_resize(struct ptx_native *n, struct ptx_native_value value,
                                          unsigned bits, bool is_signed);
const char *ptx_native_value_type(const struct ptx_native *n, struct ptx_native_value value);
/* A register's alloca, or its place in the frame, and its type: predicates that differ are words of lanes. */
const char *ptx_native_place(struct ptx_native *n, uint32_t index, unsigned part);
const char *ptx_native_place_type(struct ptx_native *n, uint32_t index);
unsigned ptx_native_parts(const struct ptx_native *n, uint32_t index);
bool ptx_native_is_uniform(const struct ptx_native *n, uint32_t index);

/* Of words with a bit for each lane: that of lanes that are here, and the old one of others. */
const char *ptx_native_blended_words(struct ptx_native *n, const char *value, const char *old);

/* LLVM's blocks: a fresh name; the one that is written from here on; "br label %name". */
const char *ptx_native_name(struct ptx_native *n, const char *what);
void ptx_native_label(struct ptx_native *n, const char *name);
/* In a block that is hardly ever come to: it stays one, so that what only it wants is not computed elsewhere; and a number that LLVM
 * does not keep in a register of its own for it, in loops that lead past it. */
void ptx_native_hold_apart(struct ptx_native *n);
const char *ptx_native_held_apart(struct ptx_native *n, const char *number);
void ptx_native_jump(struct ptx_native *n, const char *name);
/* "i32*" or "ptr". */
const char *ptx_native_pointer_type(struct ptx_native *n, const char *type);
/* An address as a pointer. */
const char *ptx_native_pointer(struct ptx_native *n, const char *type, const char *address);
/* An i32 or i64 at a byte of the launch's or the block's struct, read at the function's start. */
const char *ptx_native_of_launch(struct ptx_native *n, size_t at, const char *type);
const char *ptx_native_of_block(struct ptx_native *n, size_t at, const char *type);
/* An alloca of 32 bits, or a pointer to one. */
const char *ptx_native_load_word(struct ptx_native *n, const char *word);
void ptx_native_store_word(struct ptx_native *n, const char *word, const char *value);
/* Names of functions are the text's own or runtime.c's. */
const char *ptx_native_iota(unsigned bits);
/* "<i32 31,...,i32 0>" */
const char *ptx_native_down(void);

/* native_special.c */
/* A register's numbered place in the frame, as a pointer. */
const char *ptx_native_frame_place(struct ptx_native *n, uint32_t index, size_t behind,
                                   const char *type);
/* The place of a member of the warp's struct ptx_native_turn. */
const char *ptx_native_of_turn(struct ptx_native *n, size_t at);
/* The word of lanes that wait for a node. */
const char *ptx_native_word_of(struct ptx_native *n, int32_t node);
struct ptx_native_value ptx_native_special(struct ptx_native *n, int32_t special);
/* Where a variable lies in its block's shared memory, which begins at a multiple of 64. */
size_t ptx_native_shared_offset(struct ptx_native *n, const struct ptx_variable *v);
struct ptx_native_value ptx_native_variable(struct ptx_native *n, const struct ptx_variable *v,
                                            int64_t plus);

/* memory.c, atomic.c, native_warp.c, call.c: true: written, or refused. */
bool ptx_native_memory(struct ptx_native *n, const struct ptx_instruction *in);
bool ptx_native_atomic(struct ptx_native *n, const struct ptx_instruction *in);
/* ld and st that are ptx_is_wide_access(): a comparison with zero, and an exchange. Within what writes the access. */
void ptx_native_wide_access(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_native_mbarrier(struct ptx_native *n, const struct ptx_instruction *in);
/* cp.async.mbarrier.arrive. */
void ptx_native_copies_arrive(struct ptx_native *n, const struct ptx_instruction *in);
bool ptx_native_warp(struct ptx_native *n, const struct ptx_instruction *in);
/* atomic.c: where the function returns, leaves what waits to the block's sums. */
void ptx_native_leave_waiting(struct ptx_native *n);
/* ticket.c. The sum that warps wait at, if there is one; needs: sites, lines. */
const struct ptx_instruction *ptx_native_find_ticket(struct ptx_native *n);
/* What lanes of a word add in all, numbers of 32 bits, and what each of them finds there, of which the first finds `first`. */
const char *ptx_native_total(struct ptx_native *n, struct ptx_native_value x, const char *lanes);
struct ptx_native_value ptx_native_shares(struct ptx_native *n, const char *first,
                                          struct ptx_native_value x, const char *lanes);
/* At the start of its node: the warp waits, with an address and a number, and goes on, with registers anew; what its first lane
 * finds; and, where all have come, one sum for all of them. */
void ptx_native_draw(struct ptx_native *n, const struct ptx_native_value given[2]);
const char *ptx_native_drawn(struct ptx_native *n);
void ptx_native_draw_all(struct ptx_native *n);
/* Fills `rows`; needs: sites, lines. */
void ptx_native_find_rows(struct ptx_native *n);
bool ptx_native_call(struct ptx_native *n, const struct ptx_instruction *in);
/* texture.c; what it needs of the function's entry block. */
bool ptx_native_picture(struct ptx_native *n, const struct ptx_instruction *in);
void ptx_native_declare_pictures(struct ptx_native *n);
bool ptx_native_move(struct ptx_native *n,
                     const struct ptx_instruction *in); /* move.c: cvta isspacep */
/* Whether generic addresses are those of a space: one bit or 32. */
struct ptx_native_value ptx_native_is_in_space(struct ptx_native *n, struct ptx_native_value a,
                                               uint8_t space);
void ptx_native_keep(struct ptx_native *n, const struct ptx_instruction *in,
                     const struct ptx_native_value *results, size_t count);
void ptx_native_trap(struct ptx_native *n, const struct ptx_instruction *in);
/* The address of an operand, as the lanes have it: i64, of the host. */
struct ptx_native_value ptx_native_address(struct ptx_native *n, const struct ptx_operand *address,
                                           uint8_t space);

/* narrow.c: of how many bits numbers are, without a sign, that hold all that a register of 32 bits or a number may be: 8, 16, or 32,
 * where it may also have a sign. */
unsigned ptx_native_number_bits(struct ptx_native *n, const struct ptx_operand *o);
/* lines.c: fills `lines`. Needs: what is uniform, and whether lanes may part. */
void ptx_native_find_lines(struct ptx_native *n);
/* How far it is from a lane's number to the next one's, where none wraps around. */
int64_t ptx_native_step_of(struct ptx_native_line line);
/* Whether lanes that are not at the node may want what they have of a register that is set there. */
bool ptx_native_is_wanted(struct ptx_native *n, int32_t node, uint32_t index);
/* Whether a register is kept as a line; its numbers' places: how many, their types, and their names. */
bool ptx_native_is_line(const struct ptx_native *n, uint32_t index);
/* mov of one value, as it is, to one register of each lane. */
bool ptx_native_is_move(const struct ptx_instruction *in);
unsigned ptx_native_line_places(const struct ptx_native *n, uint32_t index);
const char *ptx_native_line_type(const struct ptx_native *n, uint32_t index, unsigned place);
const char *ptx_native_line_place(struct ptx_native *n, uint32_t index, unsigned place);
void ptx_native_store_line(struct ptx_native *n, uint32_t index);
void ptx_native_hold_term(struct ptx_native *n, uint32_t index, struct ptx_native_term term);
/* What a register or a number is; of a register that is no line, .line.kind says so. */
struct ptx_native_term ptx_native_term_of(struct ptx_native *n, const struct ptx_operand *o,
                                          unsigned bits);
struct ptx_native_term ptx_native_term_plus(struct ptx_native *n, struct ptx_native_term term,
                                            int64_t number, unsigned bits);
struct ptx_native_term ptx_native_line_term(struct ptx_native *n, uint32_t index);
/* "<i64 0,i64 step,...>" of all lanes, or likewise of each half. */
const char *ptx_native_ramp(struct ptx_native *n, unsigned bits, int64_t step, bool is_whole);
/* One value for each lane. */
struct ptx_native_value ptx_native_of_term(struct ptx_native *n, struct ptx_native_term term,
                                           unsigned bits);
/* Writes what sets a register that is kept as a line; false: it sets none. */
bool ptx_native_write_line(struct ptx_native *n, const struct ptx_instruction *in);
/* line_compare.c: writes a comparison of a line with a number; false: it is none. */
bool ptx_native_compare_line(struct ptx_native *n, const struct ptx_instruction *in);
/* Whether a comparison gives all lanes of a warp the same, whichever row they are, if its first operand is a row that begins at
 * a multiple of 32; and whether that is so, by `lines`. Needs of the latter: the former. */
bool ptx_native_may_compare_alike(const struct ptx_instruction *in);
bool ptx_native_compares_alike(struct ptx_native *n, const struct ptx_instruction *in);
/* Whether such a comparison, also of a line by halves, can be told to hold for all lanes, or for none (wanted), by an i1. */
bool ptx_native_may_hold_for_all(struct ptx_native *n, const struct ptx_instruction *in);
const char *ptx_native_holds_for_all(struct ptx_native *n, const struct ptx_instruction *in,
                                     bool wanted);
/* quick_way.c: whether numbers can tell, of the node being written, that all lanes have what its last branch's guard is wanted to
 * be; and an i1 of that, behind what the node sets for all lanes. */
bool ptx_native_has_quick_way(struct ptx_native *n, const struct ptx_node *range, bool wanted);
const char *ptx_native_quick_condition(struct ptx_native *n, const struct ptx_node *range,
                                       bool wanted);
/* line_count.c: the same of a comparison of a line with one number, its guard apart; false: it is none such. */
bool ptx_native_count_line(struct ptx_native *n, const struct ptx_instruction *in,
                           struct ptx_native_value *result);
/* A number of a line from a special register: of the first thread of each half. */
const char *ptx_native_tid_of_half(struct ptx_native *n, int32_t axis, unsigned half);
/* Whether tid of the axis (0: x) is the same for all lanes. */
bool ptx_native_tid_is_alike(const struct ptx_native *n, int32_t axis);

/* The innermost loop that a node is in; NULL: none. Needs: loops. */
static inline const struct ptx_native_loop *ptx_native_inner_loop(const struct ptx_native_flow *f,
                                                                  int32_t node)
{
    const struct ptx_native_loop *inner = NULL;
    const int32_t at = f->graph->position[node];
    for (size_t i = 0; i < f->loop_count; i++)
        if (f->loops[i].head <= at && at <= f->loops[i].last &&
            (!inner || f->loops[i].head >= inner->head))
            inner = &f->loops[i];
    return inner;
}

/* Whether the node being written reads a register, that it has not set, from the frame. */
static inline bool ptx_native_rereads(const struct ptx_native_flow *f, uint32_t index)
{
    return f->rereads && f->rereads[index] && f->comes_as_often[f->node] &&
           (f->is_restored || !f->is_changed[f->node][index]);
}

/* The node that begins with a site. */
static inline int32_t ptx_native_node_of_site(const struct ptx_native_flow *f, int32_t site)
{
    for (size_t i = 0; i < f->graph->reachable; i++)
        if (f->sites[f->graph->order[i]] == site)
            return f->graph->order[i];
    return 0;
}

/* Whether an atomic operation orders nothing, and whether anybody reads what it gives. */
static inline bool ptx_native_is_relaxed(const struct ptx_instruction *in)
{
    return in->order != PTX_ORDER_ACQ_REL && in->order != PTX_ORDER_SC &&
           in->order != PTX_ORDER_RELEASE && in->order != PTX_ORDER_ACQUIRE;
}

static inline bool ptx_native_wants_result(const struct ptx_native_flow *f,
                                           const struct ptx_instruction *in)
{
    const struct ptx_operand *o = &in->operands[0];
    return in->opcode == PTX_OPCODE_atom && o->kind != PTX_OPERAND_SINK &&
           (o->kind != PTX_OPERAND_REGISTER || f->is_read[o->index]);
}

/* known_copies.c: gives moves the numbers that the registers have which they copy. Needs nothing. */
void ptx_native_take_known_copies(struct ptx_native *n, struct ptx_function *function);
/* two_bounds.c: the function with two comparisons in place of one of the larger or smaller of two numbers. Needs nothing. */
const struct ptx_function *ptx_native_with_two_bounds(struct ptx_native *n,
                                                      const struct ptx_function *from);
/* short_ways.c: the function without branches around a few instructions; NULL: it has none. Needs: what is uniform, sites. */
const struct ptx_function *ptx_native_without_short_ways(struct ptx_native *n);

/* checks.c, of kernels that are checked; otherwise nothing. Which are refused; what the function's entry block and the start of a
 * turn have; before an instruction, what becomes of values that nobody wrote; what fences, barriers, and lanes that come together
 * tell. from: as CLEM_CHECK_EXCHANGE has it of each lane. The address of an atomic operation, as it is to be used. */
static inline bool ptx_native_is_checked(const struct ptx_native *n)
{
    return n->e->target->checks != 0;
}
void ptx_native_refuse_unchecked(struct ptx_native *n);
void ptx_native_declare_list(struct ptx_native *n);
void ptx_native_check_turn(struct ptx_native *n);
void ptx_native_check_values(struct ptx_native *n, const struct ptx_instruction *in);
void ptx_native_check_fence(struct ptx_native *n, const struct ptx_instruction *in);
void ptx_native_check_barrier(struct ptx_native *n, const struct ptx_instruction *in);
/* All warps that have not ended have come to one barrier, and go on. */
void ptx_native_check_meeting(struct ptx_native *n);
/* mask: of the operation, NULL: none; is_again: its lanes have met, and nobody has accessed anything since. */
void ptx_native_check_members(struct ptx_native *n, const struct ptx_instruction *in,
                              const struct ptx_operand *mask, bool is_again);
void ptx_native_check_exchange(struct ptx_native *n, const struct ptx_instruction *in,
                               struct ptx_native_value from);
struct ptx_native_value ptx_native_check_atomic(struct ptx_native *n,
                                                const struct ptx_instruction *in,
                                                const struct ptx_operand *operand,
                                                struct ptx_native_value address);

/* fixed.c: fills is_fixed, by which definitions change. Needs: definitions. */
void ptx_native_find_fixed(struct ptx_native *n);

/* memory_fields.c: elements that are loaded, or stored, one by one and lie beside each other. Needs: definitions. */
void ptx_native_find_fields(struct ptx_native *n);
/* places.c: fills is_spread. Needs: what is uniform. */
void ptx_native_find_places(struct ptx_native *n);

/* turn.c, where a warp waits as a whole: before all turns, in the entry block; the start of a turn, in which what is known of the
 * warp gets its names, and its way to where the warp goes on; the end, to which warps come by "done", or by "arrived" with their
 * site in %came, and with %mixed set where the runtime has to open it. */
void ptx_native_begin_turns(struct ptx_native *n);
void ptx_native_turn(struct ptx_native *n);
void ptx_native_enter_turn(struct ptx_native *n);
void ptx_native_end_turn(struct ptx_native *n);
/* Whether a function can be quiet: all threads of a warp are there until they end, and barriers wait for all. Needs: sites, is_full. */
bool ptx_native_can_be_quiet(const struct ptx_native *n);
/* blockIdx.x of a turn, where a call has several blocks. */
#define PTX_NATIVE_COLUMN "%ctaid.x"

/* remake.c: whether an instruction computes one register of others, of a number, or of parameters, and does nothing else. */
bool ptx_native_is_simple(const struct ptx_instruction *in);
/* Fills is_remade; behind a barrier, makes what lives there. */
void ptx_native_find_remade(struct ptx_native *n);
void ptx_native_remake(struct ptx_native *n);
void ptx_native_remake_of(struct ptx_native *n, const bool *which);
/* Likewise is_constant; at the start of what is written of a node, makes those that it reads. */
void ptx_native_find_constants(struct ptx_native *n);
void ptx_native_remake_constants(struct ptx_native *n, const struct ptx_node *range);

/* stroll.c: loops whose turns warps take in step; needs: sites, lines. That which begins, or ends, at a position, or NULL. */
void ptx_native_find_strolls(struct ptx_native *n);
struct ptx_native_stroll *ptx_native_stroll_at(const struct ptx_native *n, int32_t position,
                                               bool is_end);
size_t ptx_native_stroll_bytes(const struct ptx_native_flow *f); /* of a frame */
/* The text before all turns, and what they begin with; at the head of the loop; at its end, where is_any is an i1: lanes go on with it; and before warps go
 * on from the site that all have come to. */
void ptx_native_begin_strolls(struct ptx_native *n);
void ptx_native_reset_strolls(struct ptx_native *n);
void ptx_native_begin_stroll(struct ptx_native *n, const struct ptx_native_stroll *stroll);
void ptx_native_end_stroll(struct ptx_native *n, const struct ptx_native_stroll *stroll,
                           const char *is_any, const char *behind);
/* What follows is for warps that go in step, in a loop of so many turns, up to the block that it returns. */
const char *ptx_native_where_in_step(struct ptx_native *n, const struct ptx_native_stroll *stroll);
/* All lanes of a warp take another turn: jumps to its start, or to where the loop's end is gone through. */
void ptx_native_step_in_stroll(struct ptx_native *n, const struct ptx_native_stroll *stroll,
                               const char *start, const char *end);
void ptx_native_stroll_on(struct ptx_native *n, const char *common);
/* Before a whole warp's first turn of such a loop; an i1: warps go through it each alone. */
void ptx_native_come_to_stroll(struct ptx_native *n);
const char *ptx_native_goes_alone(struct ptx_native *n, const struct ptx_native_stroll *stroll);
/* Stores what a warp has that waits, and returns the lanes that are anywhere; and takes it again. */
const char *ptx_native_wait_in_step(struct ptx_native *n, const struct ptx_native_stroll *stroll);
void ptx_native_go_on_in_step(struct ptx_native *n, const struct ptx_native_stroll *stroll);
/* barrier.c: registers to the frame, those alone that are set in the loop or not; and back. */
void ptx_native_save_all(struct ptx_native *n, const bool *which, const bool *is_set, bool set);
void ptx_native_restore(struct ptx_native *n, const bool *which);

/* native_special.c: the number of the first warp that has a turn, and an i1: a call has no others to wait for than those that it runs. */
const char *ptx_native_first_warp(struct ptx_native *n);
const char *ptx_native_are_together(struct ptx_native *n);
/* rest.c, where a warp waits as a whole. Fills `rests`; needs: what is thin. At the end of a node: tells of warps that need no
 * turn. Behind the turns: they count as come; is_alone, an i1: the runtime asks for where they are. */
void ptx_native_find_rests(struct ptx_native *n);
void ptx_native_find_lanes(struct ptx_native *n); /* known_lanes; needs: is_full */
void ptx_native_tell_rest(struct ptx_native *n);
/* So many warps at the start of a block have threads on the busy side of a branch; -1: that is not known before it. */
int64_t ptx_native_busy_warps(const struct ptx_native_flow *f, int32_t node);
/* Whether a warp that rests has to be told what registers are. */
bool ptx_native_spreads_any(const struct ptx_native_flow *f, const struct ptx_native_rest *rest);
void ptx_native_end_rest(struct ptx_native *n, const char *is_alone);

/* threads.c, of a function by threads: what is known of it before lines are; the start of a turn, and what follows it. */
void ptx_native_find_threads(struct ptx_native *n);
void ptx_native_turn_of_thread(struct ptx_native *n);
void ptx_native_next_thread(struct ptx_native *n);

/* quiet.c, where a function is quiet: writes what the runtime knows of warps, all that were quiet so far and those from one up to another,
 * which have come to a site, 0: to their end. Numbers all; changes %common, %mixed and %noted as it must. */
void ptx_native_tell_turns(struct ptx_native *n, const char *from, const char *to,
                           const char *site);

/* solo.c: at a barrier that the first warp alone comes to, behind which all others rest: it goes on through what it does alone.
 * Returns the site that it comes to with nothing done behind it, 0: to its end. */
int32_t ptx_native_go_solo(struct ptx_native *n);
/* Whether it goes alone from a barrier through its node and those of its lanes that are busy. */
bool ptx_native_goes_solo(const struct ptx_native_flow *f, int32_t node);
/* Whether, where a block has legs, so few warps are busy behind a barrier that each goes alone, one after the other, in a text of its
 * own; and that of one, solo_warp, through the barrier's node and what follows it. */
bool ptx_native_go_few(struct ptx_native *n, int32_t node, uint32_t *warps);
void ptx_native_go_as_one(struct ptx_native *n, int32_t node);
/* Whether the warps of a block that is sure, so many, can go through the leg at hand so, and on from the site that all come to. */
bool ptx_native_stays_in_rows(struct ptx_native *n, int32_t site, uint32_t *warps);
/* memory_kept.c: stores what those have left to store. */
void ptx_native_store_late(struct ptx_native *n);
/* And then the site that it comes to, as above. */
int32_t ptx_native_solo_end(const struct ptx_native_flow *f, int32_t node);

/* Whether a barrier opens as soon as all warps of the block wait at it. */
bool ptx_native_is_plain_barrier(const struct ptx_native_flow *f, const struct ptx_instruction *in);

/* whole.c. Fills is_whole; needs: sites, what is known of lanes. Whether the node being written stands once more; where it does so for jumps, by
 * which name; and at its end, the jumps of warps of which all lanes take the same way: true, others do not come there. */
void ptx_native_find_whole(struct ptx_native *n);
bool ptx_native_is_doubled(const struct ptx_native *n, const struct ptx_node *range);
const char *ptx_native_whole_name(struct ptx_native *n, int32_t node);
bool ptx_native_go_whole(struct ptx_native *n, const struct ptx_native_way *ways, size_t count);

/* legs.c: has_legs and is_of_block, by which is_kept and is_framed change; needs: rests. Their text, after what turns begin with. */
void ptx_native_find_legs(struct ptx_native *n);
void ptx_native_write_legs(struct ptx_native *n);
/* sure.c: whether blocks may be sure of the leg at hand; the words that this takes; the text that looks and jumps to "leg.0s" or, of other
 * blocks, to "leg.0g"; what a warp's turn begins with in the first of these; and whether an instruction's result
 * is known in it, and written. */
bool ptx_native_find_sure(struct ptx_native *n, struct ptx_native_sure *sure);
void ptx_native_declare_sure(struct ptx_native *n);
void ptx_native_look_whether_sure(struct ptx_native *n, const struct ptx_native_sure *sure);
void ptx_native_begin_sure(struct ptx_native *n);
bool ptx_native_write_answer(struct ptx_native *n, const struct ptx_instruction *in);
/* Whether such results are a guard's: all lanes of a warp take the same way by it. */
bool ptx_native_is_answered(const struct ptx_native_flow *f, int32_t guard);
/* line_compare.c: false: it is none such. */
bool ptx_native_describe_bound(struct ptx_native *n, const struct ptx_instruction *in,
                               struct ptx_native_bound *bound);
/* The position of the next node behind one that is written, in a leg or at all; and whether none of a loop's is behind it. */
int32_t ptx_native_next_in_leg(const struct ptx_native_flow *f, int32_t position);
bool ptx_native_ends_loop(const struct ptx_native_flow *f, const struct ptx_native_loop *loop,
                          int32_t position);
/* barrier.c: whether what follows an instruction, of the node being written, is another leg's. */
bool ptx_native_ends_leg(const struct ptx_native_flow *f, const struct ptx_instruction *in);
/* barrier.c: stores in the frame what lives at a node that begins with a barrier, or takes it from there. The node is the one being
 * written from then on. */
void ptx_native_save_at(struct ptx_native *n, int32_t node);
void ptx_native_restore_at(struct ptx_native *n, int32_t node);
/* barrier.c: in the entry block, the block's values; and whichever warp was last, it has what all have. */
void ptx_native_declare_of_block(struct ptx_native *n);
void ptx_native_keep_of_block(struct ptx_native *n);
/* piece.c: what is in `code` from a byte on is a piece: names that it defines end in the suffix, and lines go that nobody wants. */
void ptx_native_end_piece(struct ptx_native *n, size_t start, const char *suffix);
/* turn.c: the next warp's turn, at "turn", or "leave" where there is none; and what follows the last turn of a block. */
void ptx_native_next_warp(struct ptx_native *n);
void ptx_native_end_block(struct ptx_native *n);
/* barrier.c: fills is_changed; needs: rests, legs. */
void ptx_native_find_changed(struct ptx_native *n);
/* reread.c: fills rereads; needs: is_changed. */
void ptx_native_find_reread(struct ptx_native *n);
/* barrier.c: at the start of a node that begins with one: parks, is entered again; the rest of the node follows. */
void ptx_native_park(struct ptx_native *n, const struct ptx_instruction *in);
/* Stores what a register's place has in the frame. */
void ptx_native_save(struct ptx_native *n, uint32_t index, unsigned part);

/* The operand that names the lanes of a warp which an instruction waits for: a number, or a register; or NULL. */
const struct ptx_operand *ptx_native_members(const struct ptx_native *n,
                                             const struct ptx_instruction *in);
/* At the start of a node that not all lanes come to in step: those wait that must, and the mask becomes that of lanes that go on
 * with it. */
void ptx_native_wait(struct ptx_native *n, const struct ptx_instruction *in);
/* Of a function whose lanes may part, nobody waits yet; lanes are taken from their sites; whether some wait is returned. */
void ptx_native_clear_sites(struct ptx_native *n);
void ptx_native_enter_again(struct ptx_native *n);
void ptx_native_return(struct ptx_native *n);

/* rounds.c: the number of all lanes that is `less` below a register's or, where that is out of its range, its least, before all
 * rounds of the node; NULL: the node writes the register. And the block that whole warps come to first, which has it. */
const char *ptx_native_limit_of_rounds(struct ptx_native *n, const struct ptx_operand *o,
                                       bool is_signed, int64_t less);
void ptx_native_begin_rounds(struct ptx_native *n, const char *name);
/* Whether a comparison, the last of its node's, decides on the way back to the node's start, in a text for warps that are
 * whole; and the end of a block, from which such go there at once, and others to `rest`. Returns the block from which some that
 * are whole go to `end`, or NULL. */
bool ptx_native_closes_round(const struct ptx_native_flow *f, const struct ptx_instruction *in);
const char *ptx_native_round(struct ptx_native *n, const char *is_whole, const char *rest,
                             const char *end);

/* kernel.c: the whole text; e->status says whether it could be had. */
void ptx_native_kernel(struct ptx_emitter *e, struct ptx_body *entry, struct ptx_text *declarations,
                       struct ptx_text *head, struct ptx_text *code);

#endif
