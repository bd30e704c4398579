/* The native form: a kernel as LLVM IR, for CPUs whose OpenCL implementation brings LLVM. Private to kernels/ptx/.
 *
 * A warp's register is one vector of its 32 lanes, or one number where all its lanes have the same; all registers are integers
 * of their width, predicates of one bit, and floats are bitcast where they are computed with. Lanes that are not active hold
 * anything, and what is pure is computed for them too: so nothing pure may trap (division by 0).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_NATIVE_H
#define KERNELS_PTX_NATIVE_H

#include "kernels/ptx/emit/emit.h"

struct ptx_native_flow; /* native_flow.h: how blocks, masks and frames are written */

/* An integer, or 32. */
struct ptx_native_value {
    const char *
        text; /* "%v17", "42", "zeroinitializer", "<i32 1, ...>": without type; lives in the arena */
    uint8_t bits;   /* of the type: 1, 8, 16, 32, 64, 128 */
    bool is_vector; /* <32 x iN>, otherwise iN */
};

struct ptx_native {
    struct ptx_emitter *e;
    struct ptx_text *declarations; /* before the functions */
    struct ptx_native_flow *flow;
    int llvm_major;    /* below 15: typed pointers */
    bool is_vector;    /* the instruction being written is over vectors */
    uint32_t values;   /* names made so far */
    uint32_t in_place; /* strided accesses that are no calls */
    /* The carry flag as an i1, or 32; .text NULL: nothing set it in this node. Set and read by operations alone. */
    struct ptx_native_value carry;
    struct ptx_native_declared *declared;
    bool has_sources;  /* source_lines.c: the module says where instructions come from */
    uint32_t location; /* likewise: of what is being written */
    bool *is_named;    /* likewise: by location, whether the text names it */
};

/* Writes "  %vN = " and what the format says, and returns "%vN"; writes a line that has no result. */
__attribute__((format(printf, 2, 3))) const char *ptx_native_emit(struct ptx_native *n,
                                                                  const char *format, ...);
__attribute__((format(printf, 2, 3))) void ptx_native_do(struct ptx_native *n, const char *format,
                                                         ...);

/* A line before all functions, once however often it is asked for: "declare ...", or a whole definition. */
__attribute__((format(printf, 2, 3))) void ptx_native_declare(struct ptx_native *n,
                                                              const char *format, ...);

/* Whether one that begins so has been: what is long need not be made again. */
bool ptx_native_has_declared(const struct ptx_native *n, const char *start);

/* An element's type as the instruction being written has it: "i32" or "<32 x i32>"; "float", "double", "half" too. The same as
 * overloaded intrinsics name it: "i32" or "v32i32", "f32" or "v32f32" for "float". */
const char *ptx_native_type(struct ptx_native *n, const char *element);
const char *ptx_native_suffix(struct ptx_native *n, const char *element);
/* "i32" of 32 bits. */
const char *ptx_native_integer(unsigned bits);

/* A constant as the instruction being written has it: a number, or a vector of it. */
const char *ptx_native_constant(struct ptx_native *n, unsigned bits, uint64_t value);

/* An operand with the width of the type (predicates: 1 bit, negated where the operand is), a vector where n->is_vector and one
 * number otherwise. Registers that are wider are cut, narrower ones extended by zeros. Floats are their bits. Registers, parts
 * of vector registers, integers, floats, special registers, addresses of variables and functions. */
struct ptx_native_value ptx_native_read(struct ptx_native *n, const struct ptx_operand *operand,
                                        enum ptx_type type);

/* A value with all lanes alike, if it is one number and the instruction is over vectors; as it is otherwise. */
struct ptx_native_value ptx_native_spread(struct ptx_native *n, struct ptx_native_value value);

/* Bits of a type as a register has them: 1 of a predicate. */
unsigned ptx_native_bits(enum ptx_type type);
/* Whether a type is one of whole numbers, or of bits, of up to 64. */
bool ptx_native_is_number(enum ptx_type type);

/* Whether a kernel that a work-item for each thread would do as well is worth the native form (worth.c). Needs: the survey. */
bool ptx_native_is_worth(struct ptx_emitter *e);

/* Whether memory tells it where to go, in a loop or where memory has let threads go on (worth.c). */
bool ptx_native_goes_where_told(struct ptx_emitter *e);
/* Whether one that is not is faster all the same with its threads one after the other (threads.c). Needs: that it is not worth it. */
bool ptx_native_suits_threads(struct ptx_emitter *e);

/* Whether an instruction is one on textures or surfaces (texture.c). */
bool ptx_native_is_picture(const struct ptx_instruction *in);

/* ---- Operations (operation*.c): what touches no memory, no other lane and no way ---- */

enum { PTX_NATIVE_RESULTS = 8 };

/* Whether an instruction is one that ptx_native_operation() writes. */
bool ptx_native_has_operation(const struct ptx_instruction *in);

/* Writes it without regard to its guard. Results come for each register that is written, in the order of operands, those of a
 * list one by one; each is a vector as n->is_vector says and has the width of its type in the instruction. Who calls stores
 * them: extended where the register is wider, by sign where the type is signed. Sinks get results as well. */
void ptx_native_operation(struct ptx_native *n, const struct ptx_instruction *in,
                          struct ptx_native_value results[PTX_NATIVE_RESULTS], size_t *count);

/* Whether a function is one of the math library, extern __clem_NAME; a call of it, whose arguments have the bits of its
 * parameters, and the value has those of its result. */
bool ptx_native_has_math(const struct ptx_function *callee);
struct ptx_native_value ptx_native_math(struct ptx_native *n, const struct ptx_function *callee,
                                        const struct ptx_native_value *arguments, size_t count);

/* Source lines for debuggers. Looks whether there are any; what a function's head has before its bracket; before what is written for
 * an instruction; of the function's text, in e->out, when it is whole; and at the module's end. */
void ptx_native_find_sources(struct ptx_native *n);
const char *ptx_native_subprogram(struct ptx_native *n);
void ptx_native_at_source(struct ptx_native *n, const struct ptx_instruction *in);
void ptx_native_write_sources(struct ptx_native *n);
void ptx_native_describe_sources(struct ptx_native *n);

/* Whether each warp is 32 threads of a row. */
static inline bool ptx_native_has_rows(enum ptx_threads threads)
{
    return threads == PTX_THREADS_ROWS || threads == PTX_THREADS_STACKED;
}

/* Whether a block is one row of threads: warp w begins with thread 32 w. */
static inline bool ptx_native_is_one_row(enum ptx_threads threads)
{
    return threads == PTX_THREADS_ROWS || threads == PTX_THREADS_ROW;
}

#endif
