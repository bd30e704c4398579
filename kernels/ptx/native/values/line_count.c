/* Comparisons of numbers that go up by one from lane to lane, as those of threads do, with one number: which lanes it holds for is
 * counted, without a vector.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

enum { HALF = PTX_NATIVE_LANES / 2 };

/* What of a comparison is counted: lanes before a number, lanes up to it, or the one at it, or all others. */
struct counting {
    bool is_equal, has_last, is_others;
};

static bool counting_of(enum ptx_compare compare, bool is_swapped, struct counting *counting)
{
    switch (compare) {
    case PTX_EQ:
    case PTX_NE:
        *counting = (struct counting){true, false, compare == PTX_NE};
        return true;
    case PTX_LT:
    case PTX_CMP_LO:
        *counting = (struct counting){false, is_swapped, is_swapped};
        return true;
    case PTX_LE:
    case PTX_CMP_LS:
        *counting = (struct counting){false, !is_swapped, is_swapped};
        return true;
    case PTX_GT:
    case PTX_CMP_HI:
        *counting = (struct counting){false, !is_swapped, !is_swapped};
        return true;
    case PTX_GE:
    case PTX_CMP_HS:
        *counting = (struct counting){false, is_swapped, !is_swapped};
        return true;
    default:
        return false;
    }
}

/* Whether lanes count up from a number to one that is none of less: the base's low bits are 0. */
static bool counts_up(const struct ptx_native *n, const struct ptx_operand *o)
{
    if (o->kind != PTX_OPERAND_REGISTER || o->is_negated ||
        !ptx_native_is_line(n, (uint32_t)o->index))
        return false;
    const struct ptx_native_line line = n->flow->lines[o->index];
    return line.kind == PTX_LINE_PLAIN && line.step == 1 && line.zeros >= (line.is_whole ? 5 : 4) &&
           ptx_native_bits((enum ptx_type)n->flow->function->registers[o->index].type) == 32;
}

static bool is_one_number(const struct ptx_native *n, const struct ptx_operand *o)
{
    if (o->kind == PTX_OPERAND_INTEGER)
        return true;
    return o->kind == PTX_OPERAND_REGISTER && !o->is_negated && o->part == 0 &&
           ptx_native_is_uniform(n, (uint32_t)o->index) &&
           ptx_native_bits((enum ptx_type)n->flow->function->registers[o->index].type) == 32;
}

/* From the line's base to the number: lanes as bits, of a warp or of half of one. */
static const char *count_lanes(struct ptx_native *n, struct counting counting, bool is_signed,
                               const char *base, const char *number, unsigned lanes)
{
    const char *extend = is_signed ? "sext" : "zext";
    const char *from = ptx_native_emit(n, "%s i32 %s to i64", extend, base);
    const char *to = ptx_native_emit(n, "%s i32 %s to i64", extend, number);
    const char *far = ptx_native_emit(n, "sub i64 %s, %s", to, from), *bits;
    if (counting.is_equal) {
        const char *is = ptx_native_emit(n, "icmp ult i64 %s, %u", far, lanes);
        const char *safe = ptx_native_emit(n, "and i64 %s, 31", far);
        const char *bit = ptx_native_emit(n, "shl i64 1, %s", safe);
        bits = ptx_native_emit(n, "select i1 %s, i64 %s, i64 0", is, bit);
    } else {
        if (counting.has_last)
            far = ptx_native_emit(n, "add i64 %s, 1", far);
        const char *is_any = ptx_native_emit(n, "icmp sgt i64 %s, 0", far);
        far = ptx_native_emit(n, "select i1 %s, i64 %s, i64 0", is_any, far);
        const char *is_in = ptx_native_emit(n, "icmp slt i64 %s, %u", far, lanes);
        far = ptx_native_emit(n, "select i1 %s, i64 %s, i64 %u", is_in, far, lanes);
        const char *next = ptx_native_emit(n, "shl i64 1, %s", far);
        bits = ptx_native_emit(n, "sub i64 %s, 1", next);
    }
    return ptx_native_emit(n, "trunc i64 %s to i32", bits);
}

bool ptx_native_count_line(struct ptx_native *n, const struct ptx_instruction *in,
                           struct ptx_native_value *result)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    struct counting counting;
    if (in->opcode != PTX_OPCODE_setp || in->has_second_destination || in->operand_count != 3 ||
        in->flags || in->operands[0].kind != PTX_OPERAND_REGISTER || ptx_type_is_float(type) ||
        ptx_native_bits(type) != 32 || ptx_native_is_uniform(n, (uint32_t)in->operands[0].index))
        return false;
    const bool is_swapped = !counts_up(n, &in->operands[1]);
    const struct ptx_operand *up = &in->operands[is_swapped ? 2 : 1],
                             *other = &in->operands[is_swapped ? 1 : 2];
    if (!counts_up(n, up) || !is_one_number(n, other) ||
        !counting_of((enum ptx_compare)in->compare, is_swapped, &counting))
        return false;
    const bool is_signed = ptx_type_is_signed(type);
    const struct ptx_native_term line = ptx_native_term_of(n, up, 32);
    n->is_vector = false;
    const char *number = ptx_native_read(n, other, PTX_B32).text;
    n->is_vector = true;
    const unsigned lanes = line.line.is_whole ? PTX_NATIVE_LANES : HALF;
    const char *bits = count_lanes(n, counting, is_signed, line.base[0], number, lanes);
    if (!line.line.is_whole) {
        const char *upper = line.line.is_twin
                                ? bits
                                : count_lanes(n, counting, is_signed, line.base[1], number, lanes);
        bits =
            ptx_native_emit(n, "or i32 %s, %s", bits, ptx_native_emit(n, "shl i32 %s, 16", upper));
    }
    if (counting.is_others)
        bits = ptx_native_emit(n, "xor i32 %s, -1", bits);
    *result =
        (struct ptx_native_value){ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", bits), 1, true};
    return true;
}
