/* What the emitters of arithmetic share: expressions from templates, instructions handed to NVIDIA's compiler as they are.
 * Private to kernels/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_EMIT_NUMBER_H
#define KERNELS_PTX_EMIT_NUMBER_H

#include "kernels/ptx/emit/emit.h"

enum { PTX_ARGUMENTS = 4 };

/* Where the expressions of the sources stand that a template calls $a to $d, and the type it is for. */
struct ptx_fill {
    enum ptx_type type;
    const char *arguments[PTX_ARGUMENTS];
};

/* An expression from a template. Within it:
 *   $a $b $c $d  the arguments           $t  the type's name, "s16"
 *   $m  "u32", "s64": the type in which C computes it           $z  "b32" or "b64": that one's bits
 *   $y  the type in C
 *   $k  "uint" or "ulong": the unsigned C type of $m            $w, $v  C types of twice the size, signed as
 *                                                               the type, and unsigned */
const char *ptx_expression(struct ptx_emitter *e, const char *template,
                           const struct ptx_fill *fill);

/* The same size without sign, and types of twice the size. */
enum ptx_type ptx_unsigned_type(enum ptx_type type);
enum ptx_type ptx_wide_type(enum ptx_type type);

/* .f16 .bf16, or packed. */
bool ptx_is_half(enum ptx_type type);
/* Two numbers in a register; ptx_single_type() is that of one. */
bool ptx_is_packed(enum ptx_type type);
enum ptx_type ptx_single_type(enum ptx_type type);

/* A source as an expression. Refuses instructions that have too few. */
const char *ptx_source(struct ptx_emitter *e, const struct ptx_instruction *in, uint32_t index,
                       enum ptx_type type);

/* "clem_rz" of .rz. */
const char *ptx_rounding_name(const struct ptx_instruction *in);
static inline bool ptx_is_directed(const struct ptx_instruction *in)
{
    return in->rounding == PTX_ROUND_RZ || in->rounding == PTX_ROUND_RM ||
           in->rounding == PTX_ROUND_RP;
}

/* Writes the instruction as inline PTX: types[0] is the destination's, the rest those of the sources.
 * Only where the target has NVIDIA's asm. Constants go through registers. */
void ptx_native(struct ptx_emitter *e, const struct ptx_instruction *in, const enum ptx_type *types,
                unsigned count);

/* Declares a temporary of a type within open braces and gives it a value. */
const char *ptx_hold(struct ptx_emitter *e, enum ptx_type type, const char *value);

/* Writes the two halves of a packed result; `one` makes the expression of a half from its arguments. */
void ptx_write_packed(struct ptx_emitter *e, const struct ptx_instruction *in,
                      const char *(*one)(struct ptx_emitter *, const struct ptx_instruction *,
                                         const struct ptx_fill *));

/* The function of lop3 with a table, of $a, $b and $c. */
const char *ptx_lop3_template(struct ptx_emitter *e, unsigned table);

/* How two numbers $a and $b are compared, or two vectors of them; NULL: not so. emit_compare.c. */
const char *ptx_comparison(uint8_t compare, bool is_float, bool is_of_lanes);

/* Whether ptx_emit_arithmetic() writes it. */
bool ptx_is_arithmetic(const struct ptx_instruction *in);

/* Refuses doubles where the device has none. */
bool ptx_is_soft(const struct ptx_emitter *e, enum ptx_type type);

/* Parts of ptx_emit_arithmetic(), by type. */
bool ptx_emit_integer(struct ptx_emitter *e, const struct ptx_instruction *in);
void ptx_emit_float(struct ptx_emitter *e, const struct ptx_instruction *in);
void ptx_emit_half(struct ptx_emitter *e, const struct ptx_instruction *in);

#endif
