/* How a warp's lanes access memory in the native form. Private to kernels/ptx/native/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_NATIVE_MEMORY_H
#define KERNELS_PTX_NATIVE_MEMORY_H

#include "kernels/ptx/native/native_flow.h"

/* Where lanes access memory: at base + offset each, or at the offset, which is an address then. */
struct ptx_native_place {
    const char *base; /* i64, or NULL */
    struct ptx_native_value offset;
    bool is_strided;  /* known not to be neighbours */
    bool is_numbered; /* each lane's is `origin` and a number of 32 bits, extended, times `scale` */
    bool is_signed;
    const char *origin, *numbers; /* i64, <32 x i32> */
    unsigned number_bits;         /* that hold each, without a sign: 8, 16 or 32 */
    int64_t scale;
    bool is_line; /* the offset is that of the term, and has no text */
    struct ptx_native_term term;
};

struct ptx_native_transfer {
    struct ptx_native_place at;
    const char *lanes; /* that do it */
    bool may_be_none;  /* of them */
    unsigned bits, width;
    bool is_volatile, is_constant;
    struct ptx_native_value *values;   /* width of them: what is stored, or was loaded */
    const struct ptx_operand *shared;  /* where, of the first warp alone; otherwise NULL */
    const struct ptx_checked *checked; /* what is told of it before; NULL: nothing */
};

/* ---- memory_kept.c ---- */

/* Of a warp that goes alone: so many words of a row that is stored; true: that waits until somebody may read them. Such words, or
 * one, that were; NULL: they are not known. Whether such words are, and whether a row that is stored would wait. */
bool ptx_native_keep_row(struct ptx_native *n, const struct ptx_native_transfer *t, unsigned count,
                         const char *value);
const char *ptx_native_kept_row(struct ptx_native *n, const struct ptx_native_transfer *t,
                                unsigned count);
const char *ptx_native_kept_word(struct ptx_native *n, const struct ptx_native_transfer *t);
bool ptx_native_knows_row(struct ptx_native *n, const struct ptx_native_transfer *t,
                          unsigned count);
bool ptx_native_stores_late(struct ptx_native *n, const struct ptx_native_transfer *t);

/* ---- memory_fields.c ---- */

/* Whether an access is of such, all lanes' are one row, and so it is one with theirs. `t`: as if it were alone. */
bool ptx_native_joins(struct ptx_native *n, const struct ptx_instruction *in,
                      const struct ptx_native_transfer *t);
/* Of those with which it is one: the lowest's address, and how many. */
const struct ptx_operand *ptx_native_first_field(const struct ptx_native *n,
                                                 const struct ptx_instruction *in);
unsigned ptx_native_count_fields(const struct ptx_native *n, const struct ptx_instruction *in);
/* Whether the first of them has loaded its value; that one says what it has loaded, and gets its own. */
bool ptx_native_has_loaded(const struct ptx_native *n, const struct ptx_instruction *in,
                           struct ptx_native_value *value);
struct ptx_native_value ptx_native_note_loaded(struct ptx_native *n,
                                               const struct ptx_instruction *in,
                                               const struct ptx_native_value *values);
/* Takes what it stores. True: it is the last, and gets all. */
bool ptx_native_has_all(struct ptx_native *n, const struct ptx_instruction *in,
                        struct ptx_native_value *values);

/* memory_line.c: how many first lanes do it, where no mask is needed for them; 0: it is none such. */
unsigned ptx_native_lanes_of_row(const struct ptx_native_transfer *t);

/* ---- reach.c ---- */

/* The parameters that lead to memory which the kernel writes, as struct ptx_native_told has them (host/checks.h). */
uint64_t ptx_native_reach_of_stores(struct ptx_native *n);

/* ---- checks.c ---- */

/* What is told of an access of e->instruction; NULL: nothing, or it was refused. */
const struct ptx_checked *ptx_native_checked(struct ptx_native *n, const struct ptx_instruction *in,
                                             enum ptx_access_kind kind,
                                             const struct ptx_operand *address);
/* Tells it. An i64: 0 where all lanes access what is theirs; otherwise those that the host has not done itself, as it does stores
 * of one value that it is told, go to ptx_native_listed(): one place where all have one. */
const char *ptx_native_check_transfer(struct ptx_native *n, const struct ptx_native_transfer *t);
struct ptx_native_value ptx_native_listed(struct ptx_native *n, bool is_one);
bool ptx_native_is_done_by_host(const struct ptx_native_transfer *t);

/* ---- calm.c ---- */

/* Finds the function's loads that cannot race. */
void ptx_native_find_calm(struct ptx_native *n);
/* Whether what is told of e->instruction is such a load, or races are not looked for. */
bool ptx_native_is_calm(const struct ptx_native *n, const struct ptx_checked *checked);
/* Whether it is seen to be right: an i1, or NULL: that has to be told. */
const char *ptx_native_seen_calm(struct ptx_native *n, const struct ptx_native_transfer *t);
/* The word of 8 bytes so far behind an address. */
const char *ptx_native_word_at(struct ptx_native *n, const char *address, size_t at);

/* What others may change at any time. */
const char *ptx_native_changing_word(struct ptx_native *n, const char *address, size_t at);

/* ---- seen_course.c ---- */

/* Of a line of shared memory, by its lanes' first places of both half warps: whether the block does what the one before did, an i1; and
 * how it goes on to what comes next, where it does. told: as the call's that tells it. */
struct ptx_native_course {
    const char *phase, *next; /* i64 */
};
const char *ptx_native_takes_course(struct ptx_native *n, const struct ptx_native_transfer *t,
                                    const char *told, const char *first, const char *second,
                                    int64_t stride, struct ptx_native_course *course);
void ptx_native_go_on_in_course(struct ptx_native *n, const struct ptx_native_course *course);

/* ---- seen_still.c ---- */

/* Likewise of a load that may be of still memory; `number`: as of struct ptx_native_told. */
const char *ptx_native_seen_still(struct ptx_native *n, const struct ptx_native_transfer *t,
                                  uint64_t number);

/* ---- memory_place.c ---- */

/* The space that an ADDRESS is in: that of its variable where the instruction names none. */
uint8_t ptx_native_space_of(const struct ptx_operand *address, uint8_t space);

struct ptx_native_place ptx_native_place_of(struct ptx_native *n, const struct ptx_operand *address,
                                            uint8_t space);

/* "<i32 0,i32 4,...>": count numbers, of which number i is i / many * major + i % many * minor. */
const char *ptx_native_numbers(struct ptx_native *n, unsigned bits, unsigned count, size_t many,
                               size_t major, size_t minor);
/* "<i32 16,...,i32 31>", from the first on. */
const char *ptx_native_numbers_from(struct ptx_native *n, unsigned first);

/* The addresses, as the host has them; and those of element k where each lane has several. */
struct ptx_native_value ptx_native_full_address(struct ptx_native *n, struct ptx_native_place at);
struct ptx_native_value ptx_native_element_address(struct ptx_native *n, struct ptx_native_value a,
                                                   const struct ptx_native_transfer *t, unsigned k);

/* ---- memory_number.c ---- */

/* Whether an address of memory is one that all lanes have and a number of each lane's, as elements of an array have it whose indices
 * come from memory: then the place tells of it. */
void ptx_native_find_numbers(struct ptx_native *n, const struct ptx_operand *address,
                             struct ptx_native_place *at);
/* Of shared memory, where an offset is a number of 32 bits: then the place tells of that. */
void ptx_native_number_offsets(struct ptx_native_place *at);
/* Loads of such places, which are any; and stores of one element of each lane. */
void ptx_native_gather_numbered(struct ptx_native *n, const struct ptx_native_transfer *t,
                                struct ptx_native_value *to);
void ptx_native_scatter_numbered(struct ptx_native *n, const struct ptx_native_transfer *t);

/* ---- memory_lanes.c ---- */

/* Defines the function @clem_gather_SUFFIX or @clem_scatter_SUFFIX, for elements of any addresses, once. */
void ptx_native_define_lanes(struct ptx_native *n, const struct ptx_native_transfer *t,
                             bool is_store);
const char *ptx_native_transfer_suffix(struct ptx_native *n, const struct ptx_native_transfer *t);

/* Element after element by those functions: to has t->width values. */
void ptx_native_gather(struct ptx_native *n, const struct ptx_native_transfer *t,
                       struct ptx_native_value a, struct ptx_native_value *to);
void ptx_native_scatter(struct ptx_native *n, const struct ptx_native_transfer *t,
                        struct ptx_native_value a);

/* Jumps where all lanes are there and each is beside the one before it; starts[0] is lane 0's address. With starts[1], that of the
 * second half, it is so of each half. The others are for a warp that is so as a whole. */
void ptx_native_branch_on_neighbours(struct ptx_native *n, const struct ptx_native_transfer *t,
                                     const char *fast, const char *slow, const char *starts[2]);
void ptx_native_load_neighbours(struct ptx_native *n, const struct ptx_native_transfer *t,
                                const char *start, struct ptx_native_value *to);
void ptx_native_store_neighbours(struct ptx_native *n, const struct ptx_native_transfer *t,
                                 const char *start);

/* Two vectors of count numbers as one. */
const char *ptx_native_joined(struct ptx_native *n, unsigned bits, unsigned count, const char *a,
                              const char *b);

/* Whether the vector of a lane must be one access of the processor; then these do it: for each lane, or for one place of
 * all. */
bool ptx_native_is_whole(const struct ptx_native_transfer *t);
void ptx_native_load_pieces(struct ptx_native *n, const struct ptx_native_transfer *t,
                            struct ptx_native_value a, struct ptx_native_value *to);
void ptx_native_store_pieces(struct ptx_native *n, const struct ptx_native_transfer *t,
                             struct ptx_native_value a);
void ptx_native_one_piece(struct ptx_native *n, struct ptx_native_transfer *t, bool is_store);

/* ---- memory_line.c: places that lie on a line ---- */

/* How far it is from one lane's place to the next one's; the address of the first lane of the warp, or of a half. */
int64_t ptx_native_stride_of(const struct ptx_native_place *at);
const char *ptx_native_line_start(struct ptx_native *n, const struct ptx_native_place *at,
                                  unsigned half);
/* Whether the numbers that a line is made of do not wrap around: the i1, or NULL: they never do. */
const char *ptx_native_is_straight(struct ptx_native *n, const struct ptx_native_term *term);

/* Whether lanes' places are a row each half, a row that goes down, or, to be read, one place; and what has to hold for it: the i1, or NULL: nothing. */
bool ptx_native_is_row(const struct ptx_native_transfer *t, bool is_store);
const char *ptx_native_row_condition(struct ptx_native *n, const struct ptx_native_transfer *t);
/* Whether it may be done for no lanes at all: the processor leaves out those that are not there. */
bool ptx_native_takes_none(const struct ptx_native *n, const struct ptx_native_transfer *t,
                           bool is_store);

/* ---- atomic_alone.c ---- */

/* An operation of shared memory whose result nobody wants; x: one value of each lane's, or of all. */
struct ptx_native_alone {
    const char *name, *operation; /* in names of functions; LLVM's word, of two numbers */
    unsigned bits;
    struct ptx_native_value x;
    const char *lanes;
};

/* At an ADDRESS of e->instruction, and as the host has it. */
void ptx_native_act_alone(struct ptx_native *n, const struct ptx_native_alone *how,
                          const struct ptx_operand *place, struct ptx_native_value address);

/* ---- atomic_many.c ---- */

/* Whether an operation of shared memory, by its name, can be done so; and what was there, where its result is wanted: `how` has a
 * value for each lane, and `few` is the function for as few lanes as a loop is quicker for. */
bool ptx_native_may_act_together(const char *name, unsigned bits);
const char *ptx_native_act_together(struct ptx_native *n, const struct ptx_native_alone *how,
                                    struct ptx_native_value address, const char *few);

/* ahead.c: the name, as it is declared, of what asks for a line of the cache: of a pointer to i8, to write (1) or to read (0), how near
 * it is to come (3), and of data (1). */
const char *ptx_native_prefetch(struct ptx_native *n);
/* Where a loop goes on to other rows, that of a later turn is asked for. */
void ptx_native_ask_ahead(struct ptx_native *n, const struct ptx_operand *address,
                          const struct ptx_native_transfer *t);

/* ---- past.c: stores past the caches ---- */

/* Whether a kernel's store does so where its launch is vast. */
bool ptx_native_goes_past(const struct ptx_native *n, const struct ptx_native_transfer *t);
/* "store TYPE VALUE, POINTER" of whole lines of the cache, as far as `start` is where one begins. */
void ptx_native_store_past(struct ptx_native *n, const char *start, const char *store);

/* Of two rows of 16 places each, of which all lanes are there. */
void ptx_native_load_rows(struct ptx_native *n, const struct ptx_native_transfer *t,
                          const char *const starts[2], struct ptx_native_value *to);
void ptx_native_store_rows(struct ptx_native *n, const struct ptx_native_transfer *t,
                           const char *const starts[2]);

/* Of a row for which that holds, and of one for which it does not. */
void ptx_native_load_on_line(struct ptx_native *n, const struct ptx_native_transfer *t,
                             struct ptx_native_value *to);
void ptx_native_store_on_line(struct ptx_native *n, const struct ptx_native_transfer *t);
void ptx_native_far_line(struct ptx_native *n, const struct ptx_native_transfer *t, bool is_store,
                         struct ptx_native_value *to);

/* packed.c: stores what lanes have that are side by side for they have counted each other, and leaves the text where they turn out
 * not to be; returns the label behind both. NULL: it is no such store, and nothing is written. */
const char *ptx_native_store_packed(struct ptx_native *n, const struct ptx_instruction *in,
                                    struct ptx_native_transfer *t);

/* ---- memory_beside.c: rows of global memory beside others ---- */

/* A row that an instruction has loaded; and the row of e->instruction from `start` on, out of one beside it, or NULL. */
void ptx_native_note_row(struct ptx_native *n, const struct ptx_instruction *in,
                         const struct ptx_native_transfer *t);
const char *ptx_native_row_beside(struct ptx_native *n, const struct ptx_native_transfer *t,
                                  const char *start);

/* ---- memory_chunk.c: rows of shared memory that lie across each other ---- */

/* Whether a load may be of such a row, for all lanes; loads it where it is. */
bool ptx_native_is_of_chunks(struct ptx_native *n, const struct ptx_instruction *in,
                             const struct ptx_operand *address);
bool ptx_native_load_of_chunks(struct ptx_native *n, const struct ptx_operand *address,
                               const struct ptx_native_transfer *t, struct ptx_native_value *to);

/* ---- memory_stride.c: places on a line that are as far from each other as from the next ---- */

bool ptx_native_is_strided(const struct ptx_native_transfer *t);
void ptx_native_load_strided(struct ptx_native *n, const struct ptx_native_transfer *t,
                             struct ptx_native_value *to);
void ptx_native_store_strided(struct ptx_native *n, const struct ptx_native_transfer *t);

#endif
