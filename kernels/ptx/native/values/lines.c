/* Registers that lie on lines: which they are, and what is computed of them as one number for a warp or for each half of it
 * instead of one for each lane. Addresses mostly are such: those of neighbours then are so without being looked at.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <string.h>

#include "kernels/ptx/native/native_flow.h"

enum { HALF = 16, ALL_ZEROS = 64 };

/* A way to evaluate: to learn what lines there are, or to write the numbers. */
struct evaluation {
    struct ptx_native *n;
    bool is_writing;
};

__attribute__((format(printf, 2, 3))) static const char *say(const struct evaluation *v,
                                                             const char *format, ...)
{
    va_list list;
    if (!v->is_writing)
        return "";
    va_start(list, format);
    char words[512];
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    return ptx_native_emit(v->n, "%s", words);
}

/* ---- Lines ---- */

static struct ptx_native_term unknown(enum ptx_native_line_kind kind)
{
    return (struct ptx_native_term){.line = {.kind = (uint8_t)kind}};
}

static bool is_set(struct ptx_native_term a)
{
    return a.line.kind > PTX_LINE_NONE;
}

static bool is_plain(struct ptx_native_term a)
{
    return a.line.kind == PTX_LINE_PLAIN;
}

static bool is_flat(struct ptx_native_term a)
{
    return is_plain(a) && a.line.step == 0;
}

static unsigned halves_of(struct ptx_native_line line)
{
    return line.is_whole || line.is_twin ? 1 : 2;
}

/* Halves that are alike and flat are a flat warp. */
static struct ptx_native_term settled(struct ptx_native_term a)
{
    if (a.line.is_twin && is_flat(a)) {
        a.line.is_twin = false;
        a.line.is_whole = true;
    }
    return a;
}

static uint8_t zeros_of(int64_t number)
{
    return number == 0 ? ALL_ZEROS : (uint8_t)__builtin_ctzll((uint64_t)number);
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static int64_t cut(int64_t number, unsigned bits)
{
    return bits == 32 ? (int32_t)number : number;
}

static struct ptx_native_term constant(struct ptx_native *n, int64_t number, unsigned bits)
{
    struct ptx_native_term term = {
        .line = {.kind = PTX_LINE_PLAIN, .is_whole = true, .zeros = zeros_of(number)},
        .is_known = true,
        .known = cut(number, bits)};
    term.base[0] = term.base[1] = ptx_format(n->e, "%lld", (long long)term.known);
    return term;
}

int64_t ptx_native_step_of(struct ptx_native_line line)
{
    return line.kind == PTX_LINE_WIDE
               ? (int64_t)((uint64_t)line.slope + (uint64_t)line.step * (uint64_t)line.scale)
               : line.step;
}

/* A plain line as a wide one of that kind: the lanes' parts are those of a base of 0. */
static bool can_widen(struct ptx_native_line plain, struct ptx_native_line wide)
{
    enum { MOST = 1 << 20 }; /* no lane's part wraps around */
    return plain.kind == PTX_LINE_PLAIN && wide.kind == PTX_LINE_WIDE && plain.step != 0 &&
           wide.step <= MOST && wide.step >= (wide.is_signed ? -MOST : 0) &&
           plain.step == ptx_native_step_of(wide);
}

static struct ptx_native_line as_wide(struct ptx_native_line plain, struct ptx_native_line wide)
{
    wide.is_whole = plain.is_whole;
    wide.is_twin = plain.is_twin;
    return wide;
}

/* What is said of registers is learned or forgotten: what two lines have in common. A plain line turns out to be a wide one where
 * less is known of low bits than it seemed. */
static struct ptx_native_line meet(struct ptx_native_line a, struct ptx_native_line b)
{
    if (a.kind == PTX_LINE_UNKNOWN)
        return b;
    if (b.kind == PTX_LINE_UNKNOWN)
        return a;
    if (can_widen(a, b))
        a = as_wide(a, b);
    else if (can_widen(b, a))
        b = as_wide(b, a);
    if (a.kind != b.kind || a.step != b.step || a.scale != b.scale || a.slope != b.slope ||
        a.is_signed != b.is_signed)
        return (struct ptx_native_line){.kind = PTX_LINE_NONE};
    a.is_whole &= b.is_whole;
    a.is_twin &= b.is_twin;
    a.zeros = least(a.zeros, b.zeros);
    return a;
}

/* The numbers of the second half where there are only those of the warp. */
static struct ptx_native_term in_halves(const struct evaluation *v, struct ptx_native_term a,
                                        unsigned bits)
{
    if (halves_of(a.line) == 2)
        return a;
    const bool is_wide = a.line.kind == PTX_LINE_WIDE, is_twin = a.line.is_twin;
    a.line.is_whole = a.line.is_twin = false;
    const uint64_t far = (uint64_t)a.line.slope * HALF; /* which may wrap */
    a.start[1] = a.line.slope == 0 || is_twin
                     ? a.start[0]
                     : say(v, "add i64 %s, %lld", a.start[0], (long long)far);
    a.base[1] =
        a.line.step == 0 || is_twin
            ? a.base[0]
            : say(v, "add i%u %s, %lld", is_wide ? 32 : bits, a.base[0],
                  (long long)cut((int64_t)((uint64_t)a.line.step * HALF), is_wide ? 32 : bits));
    return a;
}

static void align(const struct evaluation *v, struct ptx_native_term *a, struct ptx_native_term *b,
                  unsigned bits)
{
    if (a->line.is_whole == b->line.is_whole && a->line.is_twin == b->line.is_twin)
        return;
    if ((a->line.is_twin && is_flat(*b)) || (b->line.is_twin && is_flat(*a))) {
        if (halves_of(a->line) == halves_of(b->line)) {
            a->line.is_whole = b->line.is_whole = false;
            a->line.is_twin = b->line.is_twin = true;
            return;
        }
    }
    *a = in_halves(v, *a, bits);
    *b = in_halves(v, *b, bits);
}

/* ---- Arithmetic ---- */

static struct ptx_native_term sum(const struct evaluation *v, struct ptx_native_term a,
                                  struct ptx_native_term b, bool is_minus, unsigned bits)
{
    const char *operation = is_minus ? "sub" : "add";
    if (a.is_known && b.is_known)
        return constant(v->n,
                        (int64_t)(is_minus ? (uint64_t)a.known - (uint64_t)b.known
                                           : (uint64_t)a.known + (uint64_t)b.known),
                        bits);
    if (is_plain(a) && b.line.kind == PTX_LINE_WIDE && !is_minus) {
        const struct ptx_native_term swap = a;
        a = b;
        b = swap;
    }
    if (!is_plain(b) || !is_set(a))
        return unknown(PTX_LINE_NONE);
    align(v, &a, &b, bits);
    for (unsigned h = 0; h < halves_of(a.line); h++) {
        const char **to = a.line.kind == PTX_LINE_WIDE ? &a.start[h] : &a.base[h];
        *to = say(v, "%s i%u %s, %s", operation, bits, *to, b.base[h]);
    }
    int64_t *const step = is_plain(a) ? &a.line.step : &a.line.slope;
    *step = cut((int64_t)(is_minus ? (uint64_t)*step - (uint64_t)b.line.step
                                   : (uint64_t)*step + (uint64_t)b.line.step),
                bits);
    a.line.zeros = is_plain(a) ? least(a.line.zeros, b.line.zeros) : 0;
    a.is_known = false;
    return settled(a);
}

static struct ptx_native_term product(const struct evaluation *v, struct ptx_native_term a,
                                      struct ptx_native_term b, unsigned bits)
{
    if (a.is_known) {
        const struct ptx_native_term swap = a;
        a = b;
        b = swap;
    }
    if (a.is_known && b.is_known)
        return constant(v->n, (int64_t)((uint64_t)a.known * (uint64_t)b.known), bits);
    if (b.is_known ? !is_set(a) : !is_flat(a) || !is_flat(b))
        return unknown(PTX_LINE_NONE);
    align(v, &a, &b, bits);
    const bool is_wide = a.line.kind == PTX_LINE_WIDE;
    for (unsigned h = 0; h < halves_of(a.line); h++) {
        const char **to = is_wide ? &a.start[h] : &a.base[h];
        *to = say(v, "mul i%u %s, %s", bits, *to, b.base[h]);
    }
    a.line.slope = (int64_t)((uint64_t)a.line.slope * (uint64_t)b.known);
    if (is_wide)
        a.line.scale = (int64_t)((uint64_t)a.line.scale * (uint64_t)b.known);
    else if (b.is_known)
        a.line.step = cut((int64_t)((uint64_t)a.line.step * (uint64_t)b.known), bits);
    const unsigned zeros = (unsigned)a.line.zeros + b.line.zeros;
    a.line.zeros = is_wide ? 0 : (uint8_t)(zeros < ALL_ZEROS ? zeros : ALL_ZEROS);
    a.is_known = false;
    return settled(a);
}

/* Whether no lane's number is past a wrap that the base's is before: the lanes' parts stay within the low bits that are 0. */
static bool stays_in_zeros(struct ptx_native_term a)
{
    const unsigned zeros = a.line.zeros < 31 ? a.line.zeros : 31;
    const int64_t last = a.line.is_whole ? PTX_NATIVE_LANES - 1 : HALF - 1;
    return a.line.step >= 0 && a.line.step <= INT32_MAX && a.line.step * last < (int64_t)1 << zeros;
}

/* From 32 bits to 64. */
static struct ptx_native_term widened(const struct evaluation *v, struct ptx_native_term a,
                                      bool is_signed)
{
    if (!is_plain(a))
        return unknown(PTX_LINE_NONE);
    if (a.is_known)
        return constant(v->n, is_signed ? a.known : (int64_t)(uint32_t)a.known, 64);
    if (a.line.step == 0 || stays_in_zeros(a)) {
        for (unsigned h = 0; h < halves_of(a.line); h++)
            a.base[h] = say(v, "%s i32 %s to i64", is_signed ? "sext" : "zext", a.base[h]);
        return a;
    }
    a.line.kind = PTX_LINE_WIDE;
    a.line.is_signed = is_signed;
    a.line.scale = 1;
    a.line.zeros = 0;
    a.start[0] = a.start[1] = "0";
    return a;
}

/* From 64 bits to 32. */
static struct ptx_native_term narrowed(const struct evaluation *v, struct ptx_native_term a)
{
    if (!is_set(a))
        return a;
    if (a.is_known)
        return constant(v->n, a.known, 32);
    for (unsigned h = 0; h < halves_of(a.line); h++) {
        if (is_plain(a)) {
            a.base[h] = say(v, "trunc i64 %s to i32", a.base[h]);
            continue;
        }
        const char *start = say(v, "trunc i64 %s to i32", a.start[h]);
        const char *base = say(v, "mul i32 %s, %d", a.base[h], (int)(int32_t)a.line.scale);
        a.base[h] = say(v, "add i32 %s, %s", start, base);
    }
    a.line.step = ptx_native_step_of(a.line);
    a.line = (struct ptx_native_line){.kind = PTX_LINE_PLAIN,
                                      .is_whole = a.line.is_whole,
                                      .is_twin = a.line.is_twin,
                                      .zeros = is_plain(a) ? a.line.zeros : 0,
                                      .step = cut(a.line.step, 32)};
    return settled(a);
}

/* Lanes are the low bits of its numbers. */
static bool counts_lanes(struct ptx_native_term a, unsigned *bits)
{
    *bits = a.line.is_whole ? 5 : 4;
    return is_plain(a) && a.line.step == 1 && a.line.zeros >= *bits;
}

static struct ptx_native_term both(const struct evaluation *v, struct ptx_native_term a,
                                   struct ptx_native_term b, unsigned bits)
{
    unsigned lanes;
    if (is_flat(a) && !is_flat(b)) {
        const struct ptx_native_term swap = a;
        a = b;
        b = swap;
    }
    if (!is_flat(b) || (!is_flat(a) && (!counts_lanes(a, &lanes) || !b.is_known)))
        return unknown(PTX_LINE_NONE);
    const bool is_flat_before = is_flat(a);
    align(v, &a, &b, bits);
    for (unsigned h = 0; h < halves_of(a.line); h++)
        a.base[h] = say(v, "and i%u %s, %s", bits, a.base[h], b.base[h]);
    a.is_known = false;
    if (is_flat_before) {
        a.line.zeros = a.line.zeros > b.line.zeros ? a.line.zeros : b.line.zeros;
        return a;
    }
    counts_lanes(a, &lanes);
    const uint64_t low = ((uint64_t)1 << lanes) - 1;
    if (((uint64_t)b.known & low) != 0 && ((uint64_t)b.known & low) != low)
        return unknown(PTX_LINE_NONE);
    a.line.step = ((uint64_t)b.known & low) == low;
    return settled(a);
}

/* Other bits than those that lanes count in. */
static struct ptx_native_term changed(const struct evaluation *v, const char *operation,
                                      struct ptx_native_term a, struct ptx_native_term b,
                                      unsigned bits)
{
    unsigned lanes;
    if (is_flat(a) && !is_flat(b)) {
        const struct ptx_native_term swap = a;
        a = b;
        b = swap;
    }
    if (is_plain(a) && is_plain(b))
        align(v, &a, &b, bits);
    if (!is_flat(b) || (!is_flat(a) && (!counts_lanes(a, &lanes) || b.line.zeros < lanes)))
        return unknown(PTX_LINE_NONE);
    for (unsigned h = 0; h < halves_of(a.line); h++)
        a.base[h] = say(v, "%s i%u %s, %s", operation, bits, a.base[h], b.base[h]);
    a.line.zeros = least(a.line.zeros, b.line.zeros);
    a.is_known = false;
    return a;
}

static struct ptx_native_term shifted_down(const struct evaluation *v, struct ptx_native_term a,
                                           unsigned by, bool is_signed, unsigned bits)
{
    unsigned lanes;
    if (by >= bits || (!is_flat(a) && (!counts_lanes(a, &lanes) || by < lanes)))
        return unknown(PTX_LINE_NONE);
    for (unsigned h = 0; h < halves_of(a.line); h++)
        a.base[h] = say(v, "%s i%u %s, %u", is_signed ? "ashr" : "lshr", bits, a.base[h], by);
    a.line.step = 0;
    a.line.zeros = a.line.zeros == ALL_ZEROS ? ALL_ZEROS
                   : a.line.zeros > by       ? (uint8_t)(a.line.zeros - by)
                                             : 0;
    a.is_known = false;
    return settled(a);
}

/* ---- Operands ---- */

static struct ptx_native_term special(const struct evaluation *v, int32_t index)
{
    struct ptx_native *n = v->n;
    struct ptx_native_term term = {.line = {.kind = PTX_LINE_PLAIN, .is_whole = true}};
    const enum ptx_threads threads = n->e->target->threads;
    if (index == PTX_LANEID) {
        term = constant(n, 0, 32);
        term.is_known = false;
        term.line.step = 1;
        return term;
    }
    if (index < PTX_TID_X || index > PTX_TID_Z) {
        if (!ptx_special_is_uniform(index) && index != PTX_WARPID)
            return unknown(PTX_LINE_NONE);
        if (index == PTX_NTID_X && threads == PTX_THREADS_HALVES)
            return constant(n, HALF, 32);
        if (index == PTX_NTID_X && ptx_native_has_rows(threads))
            term.line.zeros = 5; /* a warp that is a row is none of two rows */
        if (v->is_writing)
            term.base[0] = term.base[1] =
                ptx_native_resize(n, ptx_native_special(n, index), 32, false).text;
        return term;
    }
    if (threads == PTX_THREADS_ANY)
        return unknown(PTX_LINE_NONE);
    const bool has_rows = ptx_native_has_rows(threads) || threads == PTX_THREADS_ROW;
    const bool is_whole = has_rows || index == PTX_TID_Z;
    if (threads == PTX_THREADS_HALVES && index == PTX_TID_X) {
        term = constant(n, 0, 32);
        term.is_known = false;
    } else if (v->is_writing) {
        term.base[0] = ptx_native_tid_of_half(n, index - PTX_TID_X, 0);
        term.base[1] = is_whole ? term.base[0] : ptx_native_tid_of_half(n, index - PTX_TID_X, 1);
    }
    term.line.is_whole = is_whole;
    term.line.is_twin = threads == PTX_THREADS_HALVES && index == PTX_TID_X;
    term.line.step = index == PTX_TID_X;
    if (has_rows && index == PTX_TID_X)
        term.line.zeros = 5;
    return term;
}

unsigned ptx_native_line_places(const struct ptx_native *n, uint32_t index)
{
    const struct ptx_native_line line = n->flow->lines[index];
    return halves_of(line) * (line.kind == PTX_LINE_WIDE ? 2 : 1);
}

/* Bases come first. */
const char *ptx_native_line_type(const struct ptx_native *n, uint32_t index, unsigned place)
{
    const struct ptx_native_line line = n->flow->lines[index];
    if (line.kind == PTX_LINE_WIDE)
        return place < halves_of(line) ? "i32" : "i64";
    return ptx_native_integer(
        ptx_native_bits((enum ptx_type)n->flow->function->registers[index].type));
}

const char *ptx_native_line_place(struct ptx_native *n, uint32_t index, unsigned place)
{
    if (n->flow->is_framed[index])
        return ptx_native_frame_place(n, index, 8 * (size_t)place,
                                      ptx_native_line_type(n, index, place));
    return ptx_format(n->e, "%%L%u.%u", index, place);
}

static const char **place_in(struct ptx_native_term *term, unsigned place)
{
    const unsigned halves = halves_of(term->line);
    return place < halves ? &term->base[place] : &term->start[place - halves];
}

void ptx_native_store_line(struct ptx_native *n, uint32_t index)
{
    for (unsigned i = 0; i < ptx_native_line_places(n, index); i++) {
        const char *type = ptx_native_line_type(n, index, i);
        ptx_native_do(n, "store %s %s, %s %s", type, *place_in(&n->flow->terms[index], i),
                      ptx_native_pointer_type(n, type), ptx_native_line_place(n, index, i));
    }
}

static struct ptx_native_term load_line(const struct evaluation *v, uint32_t index)
{
    struct ptx_native *n = v->n;
    struct ptx_native_flow *f = n->flow;
    struct ptx_native_term term = {.line = f->lines[index]};
    if (!v->is_writing)
        return term;
    if (f->term_in[index] == f->stamp)
        return f->terms[index];
    for (unsigned i = 0; i < ptx_native_line_places(n, index); i++) {
        const char *type = ptx_native_line_type(n, index, i);
        *place_in(&term, i) =
            f->has_place[index]
                ? ptx_native_emit(n, "load %s, %s %s", type, ptx_native_pointer_type(n, type),
                                  ptx_native_line_place(n, index, i))
                : "0";
    }
    f->terms[index] = term;
    f->term_in[index] = f->stamp;
    return term;
}

struct ptx_native_term ptx_native_line_term(struct ptx_native *n, uint32_t index)
{
    return load_line(&(struct evaluation){n, true}, index);
}

bool ptx_native_is_line(const struct ptx_native *n, uint32_t index)
{
    return !n->flow->uniform.registers[index] && n->flow->lines[index].kind > PTX_LINE_NONE;
}

bool ptx_native_is_move(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_mov && in->guard < 0 && in->operand_count == 2 &&
           in->width <= 1 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
           !in->operands[0].part && !in->operands[1].part;
}

/* A register that is only ever one number. */
static bool is_number(const struct ptx_native_flow *f, const struct ptx_operand *o, int64_t *number)
{
    if (o->kind == PTX_OPERAND_INTEGER) {
        *number = o->bits;
        return true;
    }
    if (o->kind != PTX_OPERAND_REGISTER || f->definitions[o->index] != 1)
        return false;
    const struct ptx_instruction *by = f->set_by[o->index];
    if (!ptx_native_is_move(by) || by->operands[1].kind != PTX_OPERAND_INTEGER)
        return false;
    *number = by->operands[1].bits;
    return true;
}

static struct ptx_native_term of_register(const struct evaluation *v, const struct ptx_operand *o,
                                          unsigned bits)
{
    struct ptx_native *n = v->n;
    const struct ptx_register *r = &n->flow->function->registers[o->index];
    const uint32_t index = (uint32_t)o->index;
    struct ptx_native_term term = {.line = n->flow->lines[index]};
    const unsigned has = ptx_native_bits((enum ptx_type)r->type);
    if (o->part != 0 || r->width > 1 || has < bits || ptx_type_is_float((enum ptx_type)r->type) ||
        has < 32 || has > 64)
        return unknown(PTX_LINE_NONE);
    if (n->flow->uniform.registers[index]) {
        const bool is_vector = n->is_vector;
        if (term.line.kind != PTX_LINE_PLAIN || term.line.step != 0)
            term.line = (struct ptx_native_line){.kind = PTX_LINE_PLAIN, .is_whole = true};
        term.line.is_whole = true;
        term.line.is_twin = false;
        n->is_vector = false;
        if (v->is_writing)
            term.base[0] = term.base[1] = ptx_native_read(n, o, has == 64 ? PTX_B64 : PTX_B32).text;
        n->is_vector = is_vector;
    } else if (is_set(term)) {
        term = load_line(v, index);
    }
    return is_set(term) && has > bits ? narrowed(v, term) : term;
}

static struct ptx_native_term operand_of(const struct evaluation *v, const struct ptx_operand *o,
                                         unsigned bits)
{
    int64_t number;
    if (o->is_negated)
        return unknown(PTX_LINE_NONE);
    if (is_number(v->n->flow, o, &number))
        return constant(v->n, number, bits);
    struct ptx_native_term term = {.line = {.kind = PTX_LINE_PLAIN, .is_whole = true}};
    switch (o->kind) {
    case PTX_OPERAND_REGISTER:
        return of_register(v, o, bits);
    case PTX_OPERAND_SPECIAL:
        return bits == 32 ? special(v, o->index) : unknown(PTX_LINE_NONE);
    case PTX_OPERAND_VARIABLE:
        if (o->variable && o->variable->space == PTX_SPACE_LOCAL)
            return unknown(PTX_LINE_NONE);
        if (o->variable && o->variable->space == PTX_SPACE_SHARED)
            term.line.zeros =
                zeros_of((int64_t)ptx_native_shared_offset(v->n, o->variable) + o->bits);
        if (v->is_writing)
            term.base[0] = term.base[1] =
                ptx_native_resize(v->n, ptx_native_variable(v->n, o->variable, o->bits), bits,
                                  false)
                    .text;
        return term;
    default:
        return unknown(PTX_LINE_NONE);
    }
}

struct ptx_native_term ptx_native_term_of(struct ptx_native *n, const struct ptx_operand *o,
                                          unsigned bits)
{
    return operand_of(&(struct evaluation){n, true}, o, bits);
}

struct ptx_native_term ptx_native_term_plus(struct ptx_native *n, struct ptx_native_term term,
                                            int64_t number, unsigned bits)
{
    return number == 0
               ? term
               : sum(&(struct evaluation){n, true}, term, constant(n, number, bits), false, bits);
}

/* ---- Instructions ---- */

static bool is_whole_number(enum ptx_type type, unsigned *bits)
{
    *bits = ptx_native_bits(type);
    return !ptx_type_is_float(type) && (*bits == 32 || *bits == 64);
}

static struct ptx_native_term converted(const struct evaluation *v,
                                        const struct ptx_instruction *in)
{
    unsigned to, from;
    if (in->type_count != 2 || in->operand_count != 2 || in->flags ||
        in->operation != PTX_OP_NONE || !is_whole_number((enum ptx_type)in->types[0], &to) ||
        !is_whole_number((enum ptx_type)in->types[1], &from))
        return unknown(PTX_LINE_NONE);
    const struct ptx_native_term a = operand_of(v, &in->operands[1], from);
    if (!is_set(a) || to == from)
        return a;
    return to > from ? widened(v, a, ptx_type_is_signed((enum ptx_type)in->types[1]))
                     : narrowed(v, a);
}

static struct ptx_native_term shifted(const struct evaluation *v, const struct ptx_instruction *in,
                                      unsigned bits)
{
    const struct ptx_native_term a = operand_of(v, &in->operands[1], bits);
    int64_t by;
    if (!is_set(a))
        return a;
    if (!is_number(v->n->flow, &in->operands[2], &by) || by < 0 || by >= (int64_t)bits)
        return unknown(PTX_LINE_NONE);
    if (in->opcode == PTX_OPCODE_shl)
        return product(v, a, constant(v->n, (int64_t)((uint64_t)1 << by), 64), bits);
    return shifted_down(v, a, (unsigned)by, ptx_type_is_signed((enum ptx_type)in->types[0]), bits);
}

static struct ptx_native_term multiplied(const struct evaluation *v,
                                         const struct ptx_instruction *in, unsigned bits)
{
    const uint32_t kind = in->flags & (PTX_LO | PTX_WIDE | PTX_HI);
    const bool is_wide = kind == PTX_WIDE && bits == 32;
    const bool is_signed = ptx_type_is_signed((enum ptx_type)in->types[0]);
    if (!is_wide && kind != PTX_LO)
        return unknown(PTX_LINE_NONE);
    struct ptx_native_term a = operand_of(v, &in->operands[1], bits);
    struct ptx_native_term b = operand_of(v, &in->operands[2], bits);
    if (!is_set(a) || !is_set(b))
        return is_set(a) ? b : a;
    if (is_wide) {
        a = widened(v, a, is_signed);
        b = widened(v, b, is_signed);
    }
    a = product(v, a, b, is_wide ? 64 : bits);
    if (!is_set(a) || in->opcode == PTX_OPCODE_mul)
        return a;
    b = operand_of(v, &in->operands[3], is_wide ? 64 : bits);
    return is_set(b) ? sum(v, a, b, false, is_wide ? 64 : bits) : b;
}

/* Generic addresses are those of global memory. */
static struct ptx_native_term address_of(const struct evaluation *v,
                                         const struct ptx_instruction *in)
{
    const uint8_t space =
        in->operation == PTX_OP_TO && in->second_space ? in->second_space : in->space;
    return space == PTX_SPACE_GLOBAL || space == PTX_SPACE_CONST
               ? operand_of(v, &in->operands[1], 64)
               : unknown(PTX_LINE_NONE);
}

static struct ptx_native_term of_two(const struct evaluation *v, const struct ptx_instruction *in,
                                     unsigned bits)
{
    const struct ptx_native_term a = operand_of(v, &in->operands[1], bits);
    const struct ptx_native_term b = operand_of(v, &in->operands[2], bits);
    if (!is_set(a) || !is_set(b))
        return a.line.kind == PTX_LINE_NONE || is_set(b) ? a : b;
    switch (in->opcode) {
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
        return sum(v, a, b, in->opcode == PTX_OPCODE_sub, bits);
    case PTX_OPCODE_or:
        return changed(v, "or", a, b, bits);
    case PTX_OPCODE_xor:
        return changed(v, "xor", a, b, bits);
    default:
        return both(v, a, b, bits);
    }
}

static struct ptx_native_term evaluate(const struct evaluation *v, const struct ptx_instruction *in)
{
    enum { OTHER = PTX_HI | PTX_SAT | PTX_CC };
    unsigned bits;
    if (in->guard >= 0 || (in->flags & OTHER) || in->type_count == 0 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].part != 0)
        return unknown(PTX_LINE_NONE);
    if (in->opcode == PTX_OPCODE_cvta)
        return address_of(v, in);
    if (in->opcode == PTX_OPCODE_cvt)
        return converted(v, in);
    if (!is_whole_number((enum ptx_type)in->types[0], &bits))
        return unknown(PTX_LINE_NONE);
    switch (in->opcode) {
    case PTX_OPCODE_mov:
        return in->operand_count == 2 ? operand_of(v, &in->operands[1], bits)
                                      : unknown(PTX_LINE_NONE);
    case PTX_OPCODE_neg: {
        const struct ptx_native_term a = operand_of(v, &in->operands[1], bits);
        return is_set(a) ? sum(v, constant(v->n, 0, bits), a, true, bits) : a;
    }
    case PTX_OPCODE_shl:
    case PTX_OPCODE_shr:
        return shifted(v, in, bits);
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mad:
        return multiplied(v, in, bits);
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_and:
    case PTX_OPCODE_or:
    case PTX_OPCODE_xor:
        return of_two(v, in, bits);
    default:
        return unknown(PTX_LINE_NONE);
    }
}

/* ---- What lanes elsewhere want ---- */

static const struct ptx_native_loop *loop_from(const struct ptx_native_flow *f, int32_t head)
{
    for (size_t i = 0; i < f->loop_count; i++)
        if (f->loops[i].head == head)
            return &f->loops[i];
    return NULL;
}

/* Whether lanes that took a way between two positions may wait at its end while others are at a position. */
static bool may_wait(const struct ptx_native_flow *f, int32_t from, int32_t to, int32_t at)
{
    const struct ptx_native_loop *back = to <= from ? loop_from(f, to) : NULL;
    if (to > from ? from < at && at < to : from < at && back && at <= back->last)
        return true;
    for (size_t i = 0; i < f->loop_count; i++) {
        const struct ptx_native_loop *l = &f->loops[i];
        if (l->head <= from && from <= l->last && l->head <= at && at <= l->last &&
            (to < l->head || to > l->last))
            return true;
    }
    return false;
}

static uint64_t *find_wanted(struct ptx_native *n, int32_t node)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_flow *g = f->graph;
    uint64_t *wanted = ptx_arena_array(n->e->arena, g->words + 1, sizeof *wanted);
    ptx_steps(n->e->arena, g->reachable);
    for (size_t i = 0; i < g->reachable; i++) {
        const int32_t from = g->order[i];
        if (!f->uniform.is_divergent[from] && f->uniform.branches[from])
            continue;
        for (uint32_t j = 0; j < g->nodes[from].next_count; j++) {
            const int32_t to = g->nodes[from].next[j];
            if (!may_wait(f, (int32_t)i, g->position[to], g->position[node]))
                continue;
            for (size_t k = 0; k < g->words; k++)
                wanted[k] |= g->live_in[(size_t)to * g->words + k];
        }
    }
    return wanted;
}

bool ptx_native_is_wanted(struct ptx_native *n, int32_t node, uint32_t index)
{
    struct ptx_native_flow *f = n->flow;
    if (!f->uniform.is_divergent[node] || f->is_fixed[index])
        return false;
    if (f->is_late[node] || f->is_tangled) /* others may be ahead of these */
        return true;
    if (!f->wanted[node])
        f->wanted[node] = find_wanted(n, node);
    return f->wanted[node][index / 64] >> index % 64 & 1;
}

/* ---- Finding lines ---- */

struct finding {
    struct ptx_native *n;
    const struct ptx_instruction *in;
    int32_t node;
    struct ptx_native_line line;
    bool is_changed;
};

struct reading {
    const struct ptx_native_flow *flow;
    bool is_alike, is_unknown;
};

static bool is_alike(const struct ptx_native_flow *f, uint32_t index)
{
    const struct ptx_native_line line = f->lines[index];
    return f->uniform.registers[index] ||
           (line.kind == PTX_LINE_PLAIN && line.is_whole && line.step == 0);
}

static void read_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct reading *r = with;
    r->is_unknown |= r->flow->lines[index].kind == PTX_LINE_UNKNOWN;
    r->is_alike &= is_alike(r->flow, index) || r->flow->lines[index].kind == PTX_LINE_UNKNOWN;
}

static bool has_own(const struct ptx_native *n, const struct ptx_operand *operands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_operand *o = &operands[i];
        if (o->kind == PTX_OPERAND_SPECIAL && !ptx_special_is_uniform(o->index) &&
            o->index != PTX_WARPID &&
            !(o->index >= PTX_TID_X && o->index <= PTX_TID_Z &&
              ptx_native_tid_is_alike(n, o->index - PTX_TID_X)))
            return true;
        if (o->variable && o->variable->space == PTX_SPACE_LOCAL)
            return true;
        if (o->kind == PTX_OPERAND_VECTOR && has_own(n, o->list, o->count))
            return true;
    }
    return false;
}

/* Whether an instruction gives all lanes that are there the same. */
static struct ptx_native_line alike_line(const struct ptx_native *n,
                                         const struct ptx_instruction *in)
{
    const struct ptx_native_flow *f = n->flow;
    struct reading r = {f, true, false};
    const bool is_load = (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_ldu) &&
                         in->space != PTX_SPACE_LOCAL && !ptx_is_volatile(in);
    if (in->guard >= 0 || (!is_load && !ptx_flow_is_pure(f->function, in)) ||
        (in->opcode == PTX_OPCODE_cvta && in->space == PTX_SPACE_LOCAL) ||
        has_own(n, in->operands, in->operand_count))
        return (struct ptx_native_line){.kind = PTX_LINE_NONE};
    ptx_flow_reads(in, read_register, &r);
    return r.is_alike
               ? (struct ptx_native_line){.kind = r.is_unknown ? PTX_LINE_UNKNOWN : PTX_LINE_PLAIN,
                                          .is_whole = true}
               : (struct ptx_native_line){.kind = PTX_LINE_NONE};
}

static void write_register(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct finding *s = with;
    struct ptx_native_flow *f = s->n->flow;
    struct ptx_native_line line = s->line;
    if (f->uniform.registers[index]) {
        if (line.kind != PTX_LINE_PLAIN || line.step != 0)
            line = (struct ptx_native_line){.kind = PTX_LINE_PLAIN, .is_whole = true};
        line.is_whole = true;
        line.is_twin = false;
    } else if (f->function->registers[index].width > 1 ||
               ptx_native_is_wanted(s->n, s->node, index)) {
        line = (struct ptx_native_line){.kind = PTX_LINE_NONE};
    }
    line = meet(f->lines[index], line);
    const struct ptx_native_line before = f->lines[index];
    if (line.kind == before.kind && line.is_whole == before.is_whole &&
        line.is_twin == before.is_twin && line.zeros == before.zeros)
        return; /* others change with the kind alone */
    f->lines[index] = line;
    s->is_changed = true;
}

static void look(struct finding *s, const struct ptx_instruction *in)
{
    const struct evaluation v = {s->n, false};
    s->line = alike_line(s->n, in);
    if (ptx_destination_count(in) == 1) {
        const struct ptx_native_line line = evaluate(&v, in).line;
        if (line.kind != PTX_LINE_NONE)
            s->line = line;
    }
    ptx_flow_writes(in, write_register, s);
}

/* Registers that are computed of none that are known are none. */
static void end(struct ptx_native_flow *f)
{
    for (size_t i = 0; i < f->function->register_count; i++)
        if (f->lines[i].kind == PTX_LINE_UNKNOWN)
            f->lines[i].kind = PTX_LINE_NONE;
}

void ptx_native_find_lines(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_flow *g = f->graph;
    struct finding s = {.n = n};
    f->lines = ptx_arena_array(n->e->arena, f->function->register_count + 1, sizeof *f->lines);
    f->wanted = ptx_arena_array(n->e->arena, g->count + 1, sizeof *f->wanted);
    do {
        s.is_changed = false;
        for (size_t i = 0; i < g->reachable; i++) {
            const struct ptx_node *node = &g->nodes[g->order[i]];
            s.node = g->order[i];
            ptx_steps(n->e->arena, 1 + node->end - node->first);
            for (uint32_t j = node->first; j < node->end; j++)
                look(&s, &f->function->instructions[j]);
        }
    } while (s.is_changed);
    end(f);
}

/* ---- Writing ---- */

const char *ptx_native_ramp(struct ptx_native *n, unsigned bits, int64_t step, bool is_whole)
{
    char words[2048];
    size_t used = 0;
    for (unsigned i = 0; i < PTX_NATIVE_LANES; i++) {
        const unsigned l = is_whole ? i : i % HALF;
        used += (size_t)snprintf(words + used, sizeof words - used, "%si%u %lld", i ? "," : "<",
                                 bits, (long long)cut((int64_t)((uint64_t)step * l), bits));
    }
    return ptx_format(n->e, "%s>", words);
}

/* A number for each half, for each lane. */
static struct ptx_native_value of_halves(struct ptx_native *n, const char *const pair[2],
                                         bool is_one, unsigned bits)
{
    if (is_one || strcmp(pair[0], pair[1]) == 0)
        return ptx_native_vector(n, ptx_native_number(n, bits, pair[0]));
    const char *one =
        ptx_native_emit(n, "insertelement <32 x i%u> undef, i%u %s, i32 0", bits, bits, pair[0]);
    const char *two =
        ptx_native_emit(n, "insertelement <32 x i%u> %s, i%u %s, i32 1", bits, one, bits, pair[1]);
    return (struct ptx_native_value){
        ptx_native_emit(n,
                        "shufflevector <32 x i%u> %s, <32 x i%u> undef, <32 x i32> "
                        "<i32 0,i32 0,i32 0,i32 0,i32 0,i32 0,i32 0,i32 0,i32 0,i32 0,i32 0,i32 0,"
                        "i32 0,i32 0,i32 0,i32 0,i32 1,i32 1,i32 1,i32 1,i32 1,i32 1,i32 1,i32 1,"
                        "i32 1,i32 1,i32 1,i32 1,i32 1,i32 1,i32 1,i32 1>",
                        bits, two, bits),
        (uint8_t)bits, true};
}

struct ptx_native_value ptx_native_of_term(struct ptx_native *n, struct ptx_native_term term,
                                           unsigned bits)
{
    const struct ptx_native_line line = term.line;
    const bool is_wide = line.kind == PTX_LINE_WIDE;
    const unsigned inner = is_wide ? 32 : bits;
    struct ptx_native_value value = of_halves(n, term.base, halves_of(line) == 1, inner);
    if (line.step != 0)
        value.text = ptx_native_emit(n, "add <32 x i%u> %s, %s", inner, value.text,
                                     ptx_native_ramp(n, inner, line.step, line.is_whole));
    if (!is_wide)
        return value;
    value = ptx_native_resize(n, value, 64, line.is_signed);
    if (line.scale != 1)
        value.text = ptx_native_emit(
            n, "mul <32 x i64> %s, %s", value.text,
            ptx_native_vector(
                n, ptx_native_number(n, 64, ptx_format(n->e, "%lld", (long long)line.scale)))
                .text);
    if (line.slope != 0)
        value.text = ptx_native_emit(n, "add <32 x i64> %s, %s", value.text,
                                     ptx_native_ramp(n, 64, line.slope, line.is_whole));
    const struct ptx_native_value start = of_halves(n, term.start, halves_of(line) == 1, 64);
    value.text = ptx_native_emit(n, "add <32 x i64> %s, %s", value.text, start.text);
    return value;
}

bool ptx_native_write_line(struct ptx_native *n, const struct ptx_instruction *in)
{
    struct ptx_native_flow *f = n->flow;
    const struct evaluation v = {n, true};
    if (ptx_destination_count(in) != 1 || in->operands[0].kind != PTX_OPERAND_REGISTER ||
        !ptx_native_is_line(n, (uint32_t)in->operands[0].index))
        return false;
    const uint32_t index = (uint32_t)in->operands[0].index;
    struct ptx_native_term term = evaluate(&v, in);
    if (!is_set(term)) /* it gives all lanes the same, by the usual way */
        return false;
    const struct ptx_native_line line = f->lines[index];
    if (halves_of(line) == 2)
        term =
            in_halves(&v, term, ptx_native_bits((enum ptx_type)f->function->registers[index].type));
    if (line.kind == PTX_LINE_WIDE && is_plain(term))
        for (unsigned h = 0; h < halves_of(line); h++) {
            term.start[h] = term.base[h];
            term.base[h] = "0";
        }
    term.line = line;
    ptx_native_hold_term(n, index, term);
    return true;
}
