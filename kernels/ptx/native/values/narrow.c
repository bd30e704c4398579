/* Numbers of 32 bits that fit into 16: images are bytes, which CUDA computes with as ints. What is known to come from numbers of
 * 8 and 16 bits and to stay as small is computed with 16, so that a vector has twice as many lanes; LLVM drops what is only
 * extended to be cut again.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit_number.h"
#include "kernels/ptx/native/native_flow.h"
#include "kernels/ptx/native/values/lanes.h"

/* What a register may have, as a signed number. */
struct ptx_native_range {
    int64_t least, most;
    bool is_known; /* has been looked for */
    bool is_short; /* in 16 bits, and made of such */
};

enum { DEEPEST = 32 };

static const struct ptx_native_range any = {INT32_MIN, INT32_MAX, true, false};

static bool is_within(struct ptx_native_range range, int64_t least, int64_t most)
{
    return range.least >= least && range.most <= most;
}

/* As a signed number or as one without a sign. */
static bool fits(struct ptx_native_range range)
{
    return is_within(range, INT16_MIN, INT16_MAX) || is_within(range, 0, UINT16_MAX);
}

static struct ptx_native_range between(int64_t least, int64_t most)
{
    const struct ptx_native_range range = {least, most, true, false};
    return is_within(range, INT32_MIN, INT32_MAX) ? range : any;
}

/* Of 32 bits or fewer. */
static struct ptx_native_range of_type(enum ptx_type type)
{
    const unsigned bits = ptx_native_bits(type);
    if (bits >= 32)
        return any;
    struct ptx_native_range range =
        ptx_type_is_signed(type)
            ? between(-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1)
            : between(0, (INT64_C(1) << bits) - 1);
    range.is_short = fits(range);
    return range;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- What is computed ---- */

/* A product of numbers of 16 bits, as one of 32. */
static bool is_wide(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_mul || in->opcode == PTX_OPCODE_mad) && in->flags == PTX_WIDE;
}

/* Whether an instruction is one of those below, on numbers of 16 or 32 bits, without modes. */
static bool is_plain(const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    const bool is_product = in->opcode == PTX_OPCODE_mul || in->opcode == PTX_OPCODE_mad;
    const unsigned bits =
        in->type_count == 1 && ptx_native_is_number(type) ? ptx_native_bits(type) : 0;
    return in->operation == PTX_OP_NONE &&
           (is_wide(in) ? bits == 16
                        : (bits == 16 || bits == 32) && in->flags == (is_product ? PTX_LO : 0));
}

static enum ptx_type result_type(const struct ptx_instruction *in)
{
    const enum ptx_type type = (enum ptx_type)in->types[0];
    return is_wide(in) ? ptx_wide_type(type) : type;
}

static struct ptx_native_range product(struct ptx_native_range a, struct ptx_native_range b)
{
    const int64_t p = a.least * b.least, q = a.least * b.most, r = a.most * b.least,
                  s = a.most * b.most;
    return between(smaller(smaller(p, q), smaller(r, s)), larger(larger(p, q), larger(r, s)));
}

static struct ptx_native_range absolute(struct ptx_native_range a)
{
    const int64_t most = larger(-a.least, a.most);
    return between(a.least > 0 ? a.least : a.most < 0 ? -a.most : 0, most);
}

static struct ptx_native_range shifted(const struct ptx_instruction *in, struct ptx_native_range a)
{
    const struct ptx_operand *by = &in->operands[2];
    if (by->kind != PTX_OPERAND_INTEGER || by->bits < 0 || by->bits > 15)
        return any;
    const int64_t factor = INT64_C(1) << by->bits;
    if (in->opcode == PTX_OPCODE_shl)
        return between(a.least * factor, a.most * factor);
    const bool is_signed = ptx_type_is_signed((enum ptx_type)in->types[0]);
    return is_signed || a.least >= 0 ? between(a.least >> by->bits, a.most >> by->bits) : any;
}

/* As unsigned numbers, negative ones are the largest. */
static struct ptx_native_range lesser(bool is_signed, struct ptx_native_range a,
                                      struct ptx_native_range b)
{
    return is_signed || (a.least >= 0 && b.least >= 0)
               ? between(smaller(a.least, b.least), smaller(a.most, b.most))
               : any;
}

static struct ptx_native_range greater(bool is_signed, struct ptx_native_range a,
                                       struct ptx_native_range b)
{
    return is_signed || (a.least >= 0 && b.least >= 0)
               ? between(larger(a.least, b.least), larger(a.most, b.most))
               : any;
}

/* Of the instruction's result, by those of what it reads. */
static struct ptx_native_range computed(const struct ptx_instruction *in,
                                        const struct ptx_native_range r[3])
{
    const bool is_signed = ptx_type_is_signed((enum ptx_type)in->types[0]);
    switch (in->opcode) {
    case PTX_OPCODE_add:
        return between(r[0].least + r[1].least, r[0].most + r[1].most);
    case PTX_OPCODE_sub:
        return between(r[0].least - r[1].most, r[0].most - r[1].least);
    case PTX_OPCODE_mul:
        return product(r[0], r[1]);
    case PTX_OPCODE_mad: {
        const struct ptx_native_range p = product(r[0], r[1]);
        return between(p.least + r[2].least, p.most + r[2].most);
    }
    case PTX_OPCODE_neg:
        return between(-r[0].most, -r[0].least);
    case PTX_OPCODE_abs:
        return absolute(r[0]);
    case PTX_OPCODE_shl:
    case PTX_OPCODE_shr:
        return shifted(in, r[0]);
    case PTX_OPCODE_min:
        return lesser(is_signed, r[0], r[1]);
    case PTX_OPCODE_max:
        return greater(is_signed, r[0], r[1]);
    case PTX_OPCODE_selp:
        return between(smaller(r[0].least, r[1].least), larger(r[0].most, r[1].most));
    default:
        return any;
    }
}

/* How many operands behind the first are numbers; 0: it is none of these. */
static unsigned numbers_of(const struct ptx_instruction *in)
{
    if (!is_plain(in) || in->operands[0].kind != PTX_OPERAND_REGISTER)
        return 0;
    switch (in->opcode) {
    case PTX_OPCODE_neg:
    case PTX_OPCODE_abs:
    case PTX_OPCODE_shl:
    case PTX_OPCODE_shr:
        return 1;
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_min:
    case PTX_OPCODE_max:
    case PTX_OPCODE_selp:
        return 2;
    case PTX_OPCODE_mad:
        return 3;
    default:
        return 0;
    }
}

/* ---- Registers ---- */

static struct ptx_native_range of_operand(struct ptx_native *n, const struct ptx_operand *o,
                                          unsigned depth);

static struct ptx_native_range of_conversion(struct ptx_native *n, const struct ptx_instruction *in,
                                             unsigned depth)
{
    const enum ptx_type to = (enum ptx_type)in->types[0], from = (enum ptx_type)in->types[1];
    if (!ptx_native_is_number(to) || !ptx_native_is_number(from) || in->flags != 0 ||
        ptx_native_bits(from) > 32)
        return any;
    const struct ptx_native_range of_from = of_type(from), of_to = of_type(to);
    struct ptx_native_range range = of_operand(n, &in->operands[1], depth);
    if (!is_within(range, of_from.least, of_from.most))
        range = of_from;
    return is_within(range, of_to.least, of_to.most) ? range : of_to;
}

/* What an instruction reads has its type's values, whatever it was made as. */
static struct ptx_native_range of_number(struct ptx_native *n, const struct ptx_instruction *in,
                                         unsigned index, unsigned depth)
{
    const bool is_sum = index == 2 && is_wide(in);
    const struct ptx_native_range of_read = of_type(is_sum ? result_type(in)
                                                           : (enum ptx_type)in->types[0]),
                                  range = of_operand(n, &in->operands[1 + index], depth);
    return is_within(range, of_read.least, of_read.most) ? range : of_read;
}

static struct ptx_native_range of_result(struct ptx_native *n, const struct ptx_instruction *in,
                                         unsigned depth)
{
    if (in->opcode == PTX_OPCODE_ld && ptx_native_is_number((enum ptx_type)in->types[0]))
        return of_type((enum ptx_type)in->types[0]);
    if (in->opcode == PTX_OPCODE_cvt && in->type_count == 2)
        return of_conversion(n, in, depth);
    if (in->opcode == PTX_OPCODE_mov && in->width <= 1 &&
        ptx_native_is_number((enum ptx_type)in->types[0]))
        return of_number(n, in, 0, depth);
    const unsigned count = numbers_of(in);
    if (count == 0)
        return any;
    struct ptx_native_range r[3] = {any, any, any};
    bool is_short = true;
    for (unsigned i = 0; i < count; i++) {
        r[i] = of_number(n, in, i, depth);
        is_short &= r[i].is_short;
    }
    const struct ptx_native_range of_written = of_type(result_type(in));
    struct ptx_native_range range = computed(in, r);
    if (!is_within(range, of_written.least, of_written.most))
        range = of_written;
    range.is_short = is_short && fits(range);
    return range;
}

/* The only instruction that sets a register, which has nothing before it; NULL otherwise. */
static const struct ptx_instruction *setter_of(const struct ptx_native_flow *f, uint32_t index)
{
    return f->definitions[index] == 1 && !ptx_flow_is_live(f->graph, f->graph->order[0], index)
               ? f->set_by[index]
               : NULL;
}

static struct ptx_native_range of_register(struct ptx_native *n, uint32_t index, unsigned depth)
{
    struct ptx_native_flow *f = n->flow;
    if (!f->ranges)
        f->ranges =
            ptx_arena_array(n->e->arena, f->function->register_count + 1, sizeof *f->ranges);
    if (f->ranges[index].is_known)
        return f->ranges[index];
    const struct ptx_instruction *in = depth < DEEPEST ? setter_of(f, index) : NULL;
    f->ranges[index] = any; /* where it depends on itself */
    if (in)
        f->ranges[index] = of_result(n, in, depth + 1);
    return f->ranges[index];
}

static struct ptx_native_range of_operand(struct ptx_native *n, const struct ptx_operand *o,
                                          unsigned depth)
{
    if (o->kind == PTX_OPERAND_REGISTER && o->part == 0 && !o->is_negated)
        return of_register(n, (uint32_t)o->index, depth);
    if (o->kind != PTX_OPERAND_INTEGER)
        return any;
    struct ptx_native_range range = between((int32_t)o->bits, (int32_t)o->bits);
    range.is_short = fits(range);
    return range;
}

/* What is cut out of a number of 32 bits, which is small whatever that was; it is not computed with 16. */
static struct ptx_native_range of_cut(const struct ptx_instruction *in)
{
    const bool is_known =
        is_plain(in) && in->operand_count == 3 && in->operands[2].kind == PTX_OPERAND_INTEGER;
    const int64_t by = is_known ? in->operands[2].bits : 0;
    if (in->opcode == PTX_OPCODE_and && by > 0)
        return between(0, by);
    if (in->opcode == PTX_OPCODE_shr && !ptx_type_is_signed((enum ptx_type)in->types[0]) &&
        by > 0 && by < 32)
        return between(0, UINT32_MAX >> by);
    return any;
}

unsigned ptx_native_number_bits(struct ptx_native *n, const struct ptx_operand *o)
{
    struct ptx_native_range range = n->flow->set_by ? of_operand(n, o, 0) : any;
    const struct ptx_instruction *in = n->flow->set_by && o->kind == PTX_OPERAND_REGISTER
                                           ? setter_of(n->flow, (uint32_t)o->index)
                                           : NULL;
    if (in && range.least < 0)
        range = of_cut(in);
    return is_within(range, 0, UINT8_MAX) ? 8 : is_within(range, 0, UINT16_MAX) ? 16 : 32;
}

/* ---- Writing ---- */

static const char *half_of(struct ptx_native *n, const struct ptx_operand *o, enum ptx_type type)
{
    if (o->kind == PTX_OPERAND_INTEGER)
        return ptx_native_constant(n, 16, (uint64_t)o->bits & UINT16_MAX);
    const char *read = ptx_native_read(n, o, type).text;
    return ptx_native_bits(type) == 16
               ? read
               : ptx_native_emit(n, "trunc %s %s to %s", ptx_native_type(n, "i32"), read,
                                 ptx_native_type(n, "i16"));
}

static const char *chosen(struct ptx_native *n, const char *condition, const char *a, const char *b)
{
    const char *text = ptx_native_type(n, "i16");
    return ptx_native_emit(n, "select %s %s, %s %s, %s %s", ptx_native_type(n, "i1"), condition,
                           text, a, text, b);
}

static const char *both(struct ptx_native *n, const char *how, const char *a, const char *b)
{
    return ptx_native_emit(n, "%s %s %s, %s", how, ptx_native_type(n, "i16"), a, b);
}

/* As numbers without a sign where none has one. */
static const char *written(struct ptx_native *n, const struct ptx_instruction *in,
                           const char *const h[3], bool is_signed)
{
    const char *const zero = "zeroinitializer";
    switch (in->opcode) {
    case PTX_OPCODE_add:
        return both(n, "add", h[0], h[1]);
    case PTX_OPCODE_sub:
        return both(n, "sub", h[0], h[1]);
    case PTX_OPCODE_mul:
        return both(n, "mul", h[0], h[1]);
    case PTX_OPCODE_mad:
        return both(n, "add", both(n, "mul", h[0], h[1]), h[2]);
    case PTX_OPCODE_neg:
        return both(n, "sub", zero, h[0]);
    case PTX_OPCODE_abs:
        return is_signed
                   ? chosen(n, both(n, "icmp slt", h[0], zero), both(n, "sub", zero, h[0]), h[0])
                   : h[0];
    case PTX_OPCODE_shl:
    case PTX_OPCODE_shr:
        return both(n,
                    in->opcode == PTX_OPCODE_shl ? "shl"
                    : is_signed                  ? "ashr"
                                                 : "lshr",
                    h[0], ptx_native_constant(n, 16, (uint64_t)in->operands[2].bits));
    case PTX_OPCODE_min:
        return chosen(n, both(n, is_signed ? "icmp slt" : "icmp ult", h[0], h[1]), h[0], h[1]);
    case PTX_OPCODE_max:
        return chosen(n, both(n, is_signed ? "icmp sgt" : "icmp ugt", h[0], h[1]), h[0], h[1]);
    default: /* selp */
        return chosen(n, ptx_native_read(n, &in->operands[3], PTX_PRED).text, h[0], h[1]);
    }
}

/* Which of two readings of 16 bits all numbers that are read have; false: neither. */
static bool agree(struct ptx_native *n, const struct ptx_instruction *in, unsigned count,
                  bool *is_signed)
{
    int64_t least = 0, most = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct ptx_native_range range = of_number(n, in, i, 0);
        least = smaller(least, range.least);
        most = larger(most, range.most);
    }
    *is_signed = least < 0;
    return least >= 0 || most <= INT16_MAX;
}

bool ptx_native_narrow(struct ptx_native *n, const struct ptx_instruction *in,
                       struct ptx_native_value *result)
{
    const unsigned count = numbers_of(in);
    bool is_signed;
    if (count == 0 || ptx_native_bits(result_type(in)) != 32 || !n->is_vector || !n->flow ||
        !n->flow->set_by)
        return false;
    const struct ptx_native_range range = of_result(n, in, 0);
    if (!range.is_short || !agree(n, in, count, &is_signed))
        return false;
    const char *h[3] = {NULL};
    for (unsigned i = 0; i < count; i++)
        h[i] = half_of(n, &in->operands[1 + i],
                       i == 2 ? result_type(in) : (enum ptx_type)in->types[0]);
    const char *value = ptx_native_emit(n, "%s %s %s to %s", range.least < 0 ? "sext" : "zext",
                                        ptx_native_type(n, "i16"), written(n, in, h, is_signed),
                                        ptx_native_type(n, "i32"));
    *result = (struct ptx_native_value){value, 32, true};
    return true;
}
