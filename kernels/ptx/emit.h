/* Writing OpenCL C: what the emitters of single instructions share. Private to kernels/ptx/.
 *
 * An instruction becomes one or more statements of C. Registers are C variables of the type they
 * were declared with (.pred: uchar 0 or 1; .b8 .u8 .s8: uchar; 16 bits: ushort; .b32 .u32 .s32: uint;
 * .b64 ...: ulong; .f16: ushort; .f32: float; .f64: double; packed types: uint; .b128: ulong2), but
 * for those that pointer.c found to be pointers into global memory. No emitter knows names of
 * registers or where they are kept: it asks ptx_value() and ptx_set().
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_EMIT_H
#define KERNELS_PTX_EMIT_H

#include "kernels/ptx/ir.h"

/* What a register holds in every definition of it; pointer.c. */
enum ptx_class {
    PTX_CLASS_NUMBER, /* a number, or an address of which nothing is known: a C integer or float */
    PTX_CLASS_GLOBAL  /* always points into global memory: __global uchar *. Shared and local
                       * addresses stay numbers: offsets from clem_shared and clem_local */
};

struct ptx_emitter;
struct ptx_plan;
struct ptx_block_writer;

/* What a form writes in its own way; any may be NULL. */
struct ptx_form_hooks {
    /* Writes the instruction if the form treats it itself (barriers, warp operations, exits,
     * special registers stay with ptx_special_value()). False: nobody else but the common
     * emitters. */
    bool (*instruction)(struct ptx_emitter *e, const struct ptx_instruction *in);
    /* The C expression (uint, or ulong for 64-bit ones) of a special register. */
    const char *(*special)(struct ptx_emitter *e, enum ptx_special special);
    /* The statement that ends the thread, and the one that goes to a label: NULL for "return;" and
     * "goto". */
    const char *(*leave)(struct ptx_emitter *e);
    const char *(*jump)(struct ptx_emitter *e, uint32_t label);
};

struct ptx_emitter {
    const struct ptx_module *module;
    const struct ptx_target *target;
    const struct ptx_function *function; /* the one being written */
    const uint8_t *classes;              /* enum ptx_class per register of it */
    const struct ptx_form_hooks *hooks;
    struct ptx_plan *plan;                     /* of the kernel: plan.h */
    struct ptx_block_writer *block_writer;     /* PTX_FORM_BLOCK: block.h */
    const struct ptx_instruction *instruction; /* being written: for messages */
    bool is_hiding; /* ptx_value() gives integers that the device's compiler knows nothing of */
    struct ptx_arena *arena; /* of the translation: expressions live here */
    struct ptx_text *out;
    struct ptx_log *log;
    enum ptx_status status; /* PTX_OK until something was refused; the first one stays */
    uint32_t temporaries;   /* counts names of the emitters' own variables */
};

/* ---- Text ---- */

struct ptx_text {
    char *data;
    size_t used, capacity;
    unsigned depth;          /* open braces: ptx_line() indents by them */
    struct ptx_arena *arena; /* whose jump is taken without memory; data itself is malloc'ed */
};
__attribute__((format(printf, 2, 3))) void ptx_text_add(struct ptx_text *text, const char *format,
                                                        ...);
void ptx_text_put(struct ptx_text *text, const char *string);

/* An expression in the arena. */
__attribute__((format(printf, 2, 3))) const char *ptx_format(struct ptx_emitter *e,
                                                             const char *format, ...);
/* A statement, indented and ended by "\n"; the format brings the semicolon. */
__attribute__((format(printf, 2, 3))) void ptx_line(struct ptx_emitter *e, const char *format, ...);

/* A fresh name for a variable of the emitter's own; declare it within a block { }. */
const char *ptx_temporary(struct ptx_emitter *e);

/* Refuses the instruction being written: "kernel k, line 12: mma.sync...: why". Goes on, so that the
 * caller just returns. */
__attribute__((format(printf, 2, 3))) void ptx_refuse(struct ptx_emitter *e, const char *why, ...);

/* ---- Operands ---- */

/* The C type that values of a PTX type are computed in: "uint" for .b32 and .u32, "int" for .s32,
 * "float", "double", "ulong", "long", "ushort", "short", "uchar", "char"; "ushort" for .f16 and
 * .bf16 (their bits), "uint" for packed ones, "uchar" for .pred, "ulong2" for .b128. */
const char *ptx_c_type(enum ptx_type type);

/* A C expression, safe as an operand of any C operator, that has the type ptx_c_type(type) and the
 * bits of the operand (registers wider than the type are cut, narrower ones extended with zeros,
 * as ld, st and cvt allow; otherwise the sizes agree). Registers, integers, floats, special
 * registers, addresses of variables and functions. A pointer register becomes a number here. */
const char *ptx_value(struct ptx_emitter *e, const struct ptx_operand *operand, enum ptx_type type);

/* Writes `destination = expression;` where the expression has the type ptx_c_type(type); converts
 * bits to what the register is declared as, extending by sign for signed and by zeros for other
 * types where the register is wider. Nothing for the sink. Sets pointers to numbers only where
 * pointer.c found none, so memory and address instructions do not use it for pointer registers. */
void ptx_set(struct ptx_emitter *e, const struct ptx_operand *destination, enum ptx_type type,
             const char *expression);

/* The predicate of an operand as 0 or 1, with its negation. */
const char *ptx_predicate(struct ptx_emitter *e, const struct ptx_operand *operand);

/* ---- Instructions: one file each. True: written (or refused). False: not theirs. ---- */

bool ptx_emit_arithmetic(struct ptx_emitter *e, const struct ptx_instruction *in);
/* Whether a function has add.cc, addc and kin: then its text declares `uint clem_carry = 0;`. */
bool ptx_uses_carry(const struct ptx_function *function);
bool ptx_emit_convert(struct ptx_emitter *e, const struct ptx_instruction *in); /* cvt */
bool ptx_emit_compare(struct ptx_emitter *e,
                      const struct ptx_instruction *in); /* setp set selp slct */
bool ptx_emit_video(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_emit_memory(struct ptx_emitter *e, const struct ptx_instruction *in); /* ld st mov
    cvta isspacep prefetch cp.async, fences, add/sub/mad/selp into pointer registers */
bool ptx_emit_atomic(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_emit_call(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_emit_texture(struct ptx_emitter *e, const struct ptx_instruction *in);
bool ptx_emit_warp(struct ptx_emitter *e, const struct ptx_instruction *in); /* PTX_FORM_ITEM: bar,
    shfl, vote, match, redux, activemask, elect */
bool ptx_emit_flow(struct ptx_emitter *e,
                   const struct ptx_instruction *in); /* bra brx ret exit trap */

/* Writes any one instruction with its guard: the form's hook first, then each of the above. */
void ptx_emit_instruction(struct ptx_emitter *e, const struct ptx_instruction *in);

/* ---- The library ---- */

/* kernels/ptx/library/ is OpenCL C whose names begin with "clem_" (types, macros and functions
 * alike). Every definition begins in column 0 and ends before the next blank line that is followed
 * by something in column 0. Emitters just write clem_something(...) into the text; in the end
 * ptx_link() puts those definitions in front that the text uses, and those that they use. */
void ptx_link(struct ptx_emitter *e, struct ptx_text *whole, const char *text);

#endif
