/* What IR is written with, and how registers are read and set.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/native/native_flow.h"

/* ---- Writing ---- */

static void put_list(struct ptx_native *n, const char *before, const char *format, va_list list)
{
    char words[4096];
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(words, sizeof words, format, list);
    ptx_text_put(n->e->out, before);
    if (length >= 0 && (size_t)length < sizeof words) {
        ptx_text_put(n->e->out, words);
    } else {
        char *longer = ptx_arena_take(n->e->arena, (size_t)length + 1);
        vsnprintf(longer, (size_t)length + 1, format, again);
        ptx_text_put(n->e->out, longer);
    }
    va_end(again);
    ptx_text_put(n->e->out, "\n");
}

const char *ptx_native_emit(struct ptx_native *n, const char *format, ...)
{
    const char *name = ptx_format(n->e, "%%v%u", n->values++);
    va_list list;
    va_start(list, format);
    put_list(n, ptx_format(n->e, "  %s = ", name), format, list);
    va_end(list);
    return name;
}

void ptx_native_do(struct ptx_native *n, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    put_list(n, "  ", format, list);
    va_end(list);
}

struct ptx_native_declared {
    const char *text;
    struct ptx_native_declared *next;
};

void ptx_native_declare(struct ptx_native *n, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int length = vsnprintf(NULL, 0, format, list);
    va_end(list);
    char *words = ptx_arena_take(n->e->arena, (size_t)length + 1);
    va_start(list, format);
    vsnprintf(words, (size_t)length + 1, format, list);
    va_end(list);
    for (const struct ptx_native_declared *d = n->declared; d; d = d->next)
        if (strcmp(d->text, words) == 0)
            return;
    struct ptx_native_declared *made = ptx_arena_take(n->e->arena, sizeof *made);
    made->text = words;
    made->next = n->declared;
    n->declared = made;
    ptx_text_put(n->declarations, words);
    ptx_text_put(n->declarations, "\n");
}

bool ptx_native_has_declared(const struct ptx_native *n, const char *start)
{
    for (const struct ptx_native_declared *d = n->declared; d; d = d->next)
        if (strncmp(d->text, start, strlen(start)) == 0)
            return true;
    return false;
}

const char *ptx_native_name(struct ptx_native *n, const char *what)
{
    return ptx_format(n->e, "%s%u", what, n->values++);
}

void ptx_native_label(struct ptx_native *n, const char *name)
{
    ptx_text_put(n->e->out, name);
    ptx_text_put(n->e->out, ":\n");
    n->flow->block = name;
}

void ptx_native_hold_apart(struct ptx_native *n)
{
    ptx_native_do(n, "call void asm sideeffect \"\", \"\"()");
}

const char *ptx_native_held_apart(struct ptx_native *n, const char *number)
{
    return ptx_native_emit(n, "call i32 asm sideeffect \"\", \"=r,0\"(i32 %s)", number);
}

void ptx_native_jump(struct ptx_native *n, const char *name)
{
    ptx_native_do(n, "br label %%%s", name);
}

/* ---- Types ---- */

const char *ptx_native_integer(unsigned bits)
{
    switch (bits) {
    case 1:
        return "i1";
    case 8:
        return "i8";
    case 16:
        return "i16";
    case 32:
        return "i32";
    case 64:
        return "i64";
    default:
        return "i128";
    }
}

const char *ptx_native_type(struct ptx_native *n, const char *element)
{
    return n->is_vector ? ptx_format(n->e, "<32 x %s>", element) : element;
}

const char *ptx_native_suffix(struct ptx_native *n, const char *element)
{
    const char *name = strcmp(element, "float") == 0    ? "f32"
                       : strcmp(element, "double") == 0 ? "f64"
                       : strcmp(element, "half") == 0   ? "f16"
                                                        : element;
    return n->is_vector ? ptx_format(n->e, "v32%s", name) : name;
}

const char *ptx_native_value_type(const struct ptx_native *n, struct ptx_native_value value)
{
    const char *element = ptx_native_integer(value.bits);
    return value.is_vector ? ptx_format(n->e, "<32 x %s>", element) : element;
}

const char *ptx_native_pointer_type(struct ptx_native *n, const char *type)
{
    return n->llvm_major < 15 ? ptx_format(n->e, "%s*", type) : "ptr";
}

const char *ptx_native_pointer(struct ptx_native *n, const char *type, const char *address)
{
    return ptx_native_emit(n, "inttoptr i64 %s to %s", address, ptx_native_pointer_type(n, type));
}

const char *ptx_native_load_word(struct ptx_native *n, const char *word)
{
    return ptx_native_emit(n, "load i32, %s %s", ptx_native_pointer_type(n, "i32"), word);
}

void ptx_native_store_word(struct ptx_native *n, const char *word, const char *value)
{
    ptx_native_do(n, "store i32 %s, %s %s", value, ptx_native_pointer_type(n, "i32"), word);
}

unsigned ptx_native_bits(enum ptx_type type)
{
    return type == PTX_PRED ? 1 : type == PTX_NONE ? 32 : 8 * (unsigned)ptx_type_bytes(type);
}

bool ptx_native_is_number(enum ptx_type type)
{
    return (type >= PTX_B8 && type <= PTX_B64) || (type >= PTX_U8 && type <= PTX_S64);
}

/* ---- Constants ---- */

static const char *list_of(struct ptx_native *n, const char *type, const char *value)
{
    const char *one = ptx_format(n->e, ",%s %s", type, value);
    const size_t bytes = strlen(one);
    char *text = ptx_arena_take(n->e->arena, PTX_NATIVE_LANES * bytes + 2); /* zeroed */
    for (size_t i = 0; i < PTX_NATIVE_LANES * bytes; i++)
        text[i] = one[i % bytes];
    text[0] = '<';
    text[PTX_NATIVE_LANES * bytes] = '>';
    return text;
}

const char *ptx_native_constant(struct ptx_native *n, unsigned bits, uint64_t value)
{
    if (bits < 64)
        value &= (1ull << bits) - 1;
    const char *text =
        bits == 1 ? (value ? "true" : "false") : ptx_format(n->e, "%lld", (long long)value);
    if (!n->is_vector)
        return text;
    return value == 0 ? "zeroinitializer" : list_of(n, ptx_native_integer(bits), text);
}

const char *ptx_native_iota(unsigned bits)
{
    return bits == 64
               ? "<i64 0,i64 1,i64 2,i64 3,i64 4,i64 5,i64 6,i64 7,i64 8,i64 9,i64 10,i64 11,i64 "
                 "12,"
                 "i64 13,i64 14,i64 15,i64 16,i64 17,i64 18,i64 19,i64 20,i64 21,i64 22,i64 23,"
                 "i64 24,i64 25,i64 26,i64 27,i64 28,i64 29,i64 30,i64 31>"
               : "<i32 0,i32 1,i32 2,i32 3,i32 4,i32 5,i32 6,i32 7,i32 8,i32 9,i32 10,i32 11,i32 "
                 "12,"
                 "i32 13,i32 14,i32 15,i32 16,i32 17,i32 18,i32 19,i32 20,i32 21,i32 22,i32 23,"
                 "i32 24,i32 25,i32 26,i32 27,i32 28,i32 29,i32 30,i32 31>";
}

const char *ptx_native_down(void)
{
    return "<i32 31,i32 30,i32 29,i32 28,i32 27,i32 26,i32 25,i32 24,i32 23,i32 22,i32 21,i32 20,"
           "i32 19,i32 18,i32 17,i32 16,i32 15,i32 14,i32 13,i32 12,i32 11,i32 10,i32 9,i32 8,"
           "i32 7,i32 6,i32 5,i32 4,i32 3,i32 2,i32 1,i32 0>";
}

struct ptx_native_value ptx_native_number(struct ptx_native *n, unsigned bits, const char *text)
{
    (void)n;
    return (struct ptx_native_value){text, (uint8_t)bits, false};
}

/* ---- Shapes ---- */

struct ptx_native_value ptx_native_of_lanes(struct ptx_native *n, const char *lanes)
{
    return (struct ptx_native_value){ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", lanes), 1,
                                     true};
}

const char *ptx_native_lanes(struct ptx_native *n, struct ptx_native_value predicate)
{
    return predicate.is_vector ? ptx_native_emit(n, "bitcast <32 x i1> %s to i32", predicate.text)
                               : ptx_native_emit(n, "sext i1 %s to i32", predicate.text);
}

struct ptx_native_value ptx_native_vector(struct ptx_native *n, struct ptx_native_value value)
{
    if (value.is_vector)
        return value;
    const char *type = ptx_native_integer(value.bits);
    const char first = value.text[0];
    if (first != '%') {
        value.is_vector = true;
        value.text = strcmp(value.text, "0") == 0 || strcmp(value.text, "false") == 0
                         ? "zeroinitializer"
                         : list_of(n, type, value.text);
        return value;
    }
    if (value.bits == 1)
        return ptx_native_of_lanes(n, ptx_native_lanes(n, value));
    const char *one =
        ptx_native_emit(n, "insertelement <32 x %s> undef, %s %s, i32 0", type, type, value.text);
    value.text = ptx_native_emit(n,
                                 "shufflevector <32 x %s> %s, <32 x %s> undef, <32 x i32> "
                                 "zeroinitializer",
                                 type, one, type);
    value.is_vector = true;
    return value;
}

struct ptx_native_value ptx_native_spread(struct ptx_native *n, struct ptx_native_value value)
{
    return n->is_vector ? ptx_native_vector(n, value) : value;
}

struct ptx_native_value ptx_native_resize(struct ptx_native *n, struct ptx_native_value value,
                                          unsigned bits, bool is_signed)
{
    if (value.bits == bits)
        return value;
    const char *from = ptx_native_value_type(n, value);
    const unsigned before = value.bits;
    value.bits = (uint8_t)bits;
    value.text = ptx_native_emit(n, "%s %s %s to %s",
                                 before > bits ? "trunc"
                                 : is_signed   ? "sext"
                                               : "zext",
                                 from, value.text, ptx_native_value_type(n, value));
    return value;
}

int32_t ptx_native_only_lane(const char *lanes)
{
    const uint32_t word = lanes[0] == '%' ? 0 : (uint32_t)strtoll(lanes, NULL, 10);
    return word != 0 && (word & (word - 1)) == 0 ? __builtin_ctz(word) : -1;
}

struct ptx_native_value ptx_native_first(struct ptx_native *n, struct ptx_native_value value,
                                         const char *lanes)
{
    if (!value.is_vector)
        return value;
    ptx_native_declare(n, "declare i32 @llvm.cttz.i32(i32, i1)");
    const char *lane = ptx_native_emit(n, "call i32 @llvm.cttz.i32(i32 %s, i1 true)", lanes);
    const char *at = ptx_native_emit(n, "and i32 %s, 31", lane);
    const char *type = ptx_native_value_type(n, value);
    value.text = ptx_native_emit(n, "extractelement %s %s, i32 %s", type, value.text, at);
    value.is_vector = false;
    return value;
}

/* ---- Registers ---- */

unsigned ptx_native_parts(const struct ptx_native *n, uint32_t index)
{
    const unsigned width = n->flow->function->registers[index].width;
    return width < 1 ? 1 : width > 4 ? 4 : width;
}

bool ptx_native_is_uniform(const struct ptx_native *n, uint32_t index)
{
    return n->flow->uniform.registers[index];
}

static unsigned register_bits(const struct ptx_native *n, uint32_t index)
{
    return ptx_native_bits((enum ptx_type)n->flow->function->registers[index].type);
}

const char *ptx_native_place(struct ptx_native *n, uint32_t index, unsigned part)
{
    if (n->flow->is_framed[index])
        return ptx_native_frame_place(n, index, 0, ptx_native_place_type(n, index));
    return ptx_format(n->e, "%%R%u.%u", index, part);
}

const char *ptx_native_place_type(struct ptx_native *n, uint32_t index)
{
    const struct ptx_native_value like = {NULL, (uint8_t)register_bits(n, index),
                                          !ptx_native_is_uniform(n, index)};
    if (n->flow->by_thread && n->flow->function->registers[index].type == PTX_F32)
        return "float";
    if (n->flow->by_thread && n->flow->function->registers[index].type == PTX_F64)
        return "double";
    return like.bits == 1 && like.is_vector ? "i32" : ptx_native_value_type(n, like);
}

/* Parts are counted from 0 in `held`. */
static uint32_t slot_of(const struct ptx_operand *operand)
{
    return 4 * (uint32_t)operand->index + (operand->part ? (operand->part - 1u) & 3u : 0u);
}

/* A register's value at the node's start. */
static const char *load_register(struct ptx_native *n, uint32_t index, unsigned part)
{
    const char *type = ptx_native_place_type(n, index), *p = ptx_native_pointer_type(n, type);
    if (!ptx_native_rereads(n->flow, index))
        return ptx_native_emit(n, "load %s, %s %s", type, p, ptx_native_place(n, index, part));
    const size_t bytes = 4 * (size_t)register_bits(n, index); /* of 32 lanes */
    return ptx_native_emit(n, "load %s, %s %s, align 32", type, p,
                           ptx_native_frame_place(n, index, part * bytes, type));
}

static struct ptx_native_value read_register(struct ptx_native *n, uint32_t slot)
{
    struct ptx_native_flow *f = n->flow;
    if (f->held_in[slot] == f->stamp)
        return f->held[slot];
    const uint32_t index = slot / 4;
    struct ptx_native_value value = {NULL, (uint8_t)register_bits(n, index),
                                     !ptx_native_is_uniform(n, index)};
    if (ptx_native_is_line(n, index)) {
        value = ptx_native_of_term(n, ptx_native_line_term(n, index), value.bits);
        f->held[slot] = value;
        f->held_in[slot] = f->stamp;
        return value;
    }
    const char *type = ptx_native_place_type(n, index);
    if (f->has_place[index])
        value.text = load_register(n, index, slot % 4);
    if (f->has_place[index] && type[0] != 'i' && !value.is_vector)
        value.text = ptx_native_emit(n, "bitcast %s %s to i%u", type, value.text, value.bits);
    if (f->has_place[index] && value.bits == 1 && value.is_vector)
        value = ptx_native_of_lanes(n, value.text);
    else if (!f->has_place[index])
        value.text = value.is_vector ? "zeroinitializer" : value.bits == 1 ? "false" : "0";
    f->held[slot] = value;
    f->held_in[slot] = f->stamp;
    return value;
}

static void mark_dirty(struct ptx_native_flow *f, uint32_t slot)
{
    if (f->is_dirty[slot])
        return;
    f->is_dirty[slot] = true;
    f->dirty[f->dirty_count++] = slot;
}

static void hold(struct ptx_native *n, uint32_t slot, struct ptx_native_value value)
{
    struct ptx_native_flow *f = n->flow;
    f->held[slot] = value;
    f->held_in[slot] = f->stamp;
    mark_dirty(f, slot);
}

void ptx_native_hold_term(struct ptx_native *n, uint32_t index, struct ptx_native_term term)
{
    struct ptx_native_flow *f = n->flow;
    f->terms[index] = term;
    f->term_in[index] = f->stamp;
    f->held_in[4 * (size_t)index] = 0;
    mark_dirty(f, 4 * index);
}

/* ---- Operands ---- */

static uint64_t float_bits(const struct ptx_operand *operand, enum ptx_type type)
{
    if (operand->kind == PTX_OPERAND_INTEGER)
        return (uint64_t)operand->bits;
    if (operand->is_double && ptx_type_bytes(type) <= 4) {
        double wide;
        memcpy(&wide, &operand->bits, sizeof wide);
        const float narrow = (float)wide;
        uint32_t bits;
        memcpy(&bits, &narrow, sizeof bits);
        return bits;
    }
    if (!operand->is_double && ptx_type_bytes(type) == 8) {
        float narrow;
        const uint32_t low = (uint32_t)operand->bits;
        memcpy(&narrow, &low, sizeof narrow);
        const double wide = narrow;
        uint64_t bits;
        memcpy(&bits, &wide, sizeof bits);
        return bits;
    }
    return (uint64_t)operand->bits;
}

/* A whole number where a float belongs, as ptx_value() has it. */
static uint64_t constant_bits(const struct ptx_operand *operand, enum ptx_type type)
{
    return float_bits(operand, type);
}

static struct ptx_native_value read_plain(struct ptx_native *n, const struct ptx_operand *operand,
                                          enum ptx_type type)
{
    const unsigned bits = ptx_native_bits(type);
    const bool is_vector = n->is_vector;
    struct ptx_native_value value = {"0", (uint8_t)bits, false};
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
        return ptx_native_resize(n, read_register(n, slot_of(operand)), bits, false);
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
        n->is_vector = false;
        value.text =
            bits == 1 ? (operand->bits ? "true" : "false")
                      : ptx_native_constant(n, bits > 64 ? 64 : bits, constant_bits(operand, type));
        n->is_vector = is_vector;
        return value;
    case PTX_OPERAND_SPECIAL:
        return ptx_native_resize(n, ptx_native_special(n, operand->index), bits, false);
    case PTX_OPERAND_VARIABLE:
        return ptx_native_resize(n, ptx_native_variable(n, operand->variable, operand->bits), bits,
                                 false);
    case PTX_OPERAND_FUNCTION:
        value.text = ptx_format(n->e, "%u", operand->function ? operand->function->number : 0u);
        return value;
    default:
        ptx_refuse(n->e, "an operand of a kind that the native form has not");
        return value;
    }
}

struct ptx_native_value ptx_native_read(struct ptx_native *n, const struct ptx_operand *operand,
                                        enum ptx_type type)
{
    struct ptx_native_value value = read_plain(n, operand, type);
    if (operand->is_negated && type == PTX_PRED)
        value.text =
            ptx_native_emit(n, "xor %s %s, %s", ptx_native_value_type(n, value), value.text,
                            value.is_vector ? list_of(n, "i1", "true") : "true");
    if (value.is_vector && !n->is_vector)
        return ptx_native_first(n, value, n->flow->mask);
    return ptx_native_spread(n, value);
}

bool ptx_native_varies(struct ptx_native *n, const struct ptx_operand *operand)
{
    const struct ptx_native_flow *f = n->flow;
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
    case PTX_OPERAND_ADDRESS: {
        if (operand->index < 0)
            return operand->variable && operand->variable->space == PTX_SPACE_LOCAL;
        const uint32_t slot =
            operand->kind == PTX_OPERAND_ADDRESS ? 4 * (uint32_t)operand->index : slot_of(operand);
        if (ptx_native_is_line(n, (uint32_t)operand->index))
            return true;
        return f->held_in[slot] == f->stamp ? f->held[slot].is_vector
                                            : !f->uniform.registers[operand->index];
    }
    case PTX_OPERAND_SPECIAL:
        if (operand->index >= PTX_TID_X && operand->index <= PTX_TID_Z)
            return !ptx_native_tid_is_alike(n, operand->index - PTX_TID_X);
        return !ptx_special_is_uniform(operand->index) && operand->index != PTX_WARPID;
    case PTX_OPERAND_VECTOR:
        for (uint32_t i = 0; i < operand->count; i++)
            if (ptx_native_varies(n, &operand->list[i]))
                return true;
        return false;
    default:
        return false;
    }
}

void ptx_native_choose(struct ptx_native *n, const struct ptx_instruction *in)
{
    n->is_vector = ptx_is_carry(in) && n->carry.text && n->carry.is_vector;
    for (uint32_t i = ptx_destination_count(in); i < in->operand_count; i++)
        n->is_vector |= ptx_native_varies(n, &in->operands[i]);
}

/* ---- Guards and results ---- */

struct ptx_native_value ptx_native_guard(struct ptx_native *n, const struct ptx_instruction *in)
{
    struct ptx_native_value p = read_register(n, 4 * (uint32_t)in->guard);
    if (!in->guard_negated)
        return p;
    if (p.is_vector) /* as a word, which most guards become */
        return ptx_native_of_lanes(n, ptx_native_emit(n, "xor i32 %s, -1", ptx_native_lanes(n, p)));
    p.text = ptx_native_emit(n, "xor i1 %s, true", p.text);
    return p;
}

const char *ptx_native_guarded(struct ptx_native *n, const struct ptx_instruction *in)
{
    if (in->guard < 0)
        return n->flow->mask;
    const char *lanes = ptx_native_lanes(n, ptx_native_guard(n, in));
    return ptx_native_emit(n, "and i32 %s, %s", lanes, n->flow->mask);
}

/* As of votes those that have voted otherwise. */
static bool is_complement(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_not && in->operand_count == 2 &&
           in->operands[1].kind == PTX_OPERAND_REGISTER &&
           in->operands[0].index == in->operands[1].index;
}

/* The guard of a complement, which a vote has mostly had as it is, stays so, and the two change places. Elsewhere several instructions have
 * a guard together, some of them of memory, and LLVM should see that its lanes are the same. */
static struct ptx_native_value blended(struct ptx_native *n, const struct ptx_instruction *in,
                                       uint32_t slot, struct ptx_native_value value)
{
    const bool is_turned = in->guard_negated && is_complement(in);
    const struct ptx_native_value guard =
        is_turned ? read_register(n, 4 * (uint32_t)in->guard) : ptx_native_guard(n, in);
    struct ptx_native_value old = read_register(n, slot);
    if (guard.is_vector || old.is_vector || value.is_vector) {
        old = ptx_native_vector(n, old);
        value = ptx_native_vector(n, value);
    }
    const char *type = ptx_native_value_type(n, value);
    value.text = ptx_native_emit(n, "select %s %s, %s %s, %s %s", ptx_native_value_type(n, guard),
                                 guard.text, type, is_turned ? old.text : value.text, type,
                                 is_turned ? value.text : old.text);
    return value;
}

void ptx_native_set(struct ptx_native *n, const struct ptx_instruction *in,
                    const struct ptx_operand *to, enum ptx_type type, struct ptx_native_value value)
{
    if (to->kind != PTX_OPERAND_REGISTER)
        return;
    const uint32_t slot = slot_of(to), index = (uint32_t)to->index;
    value = ptx_native_resize(n, value, register_bits(n, index), ptx_type_is_signed(type));
    if (in->guard >= 0)
        value = blended(n, in, slot, value);
    if (value.is_vector && (ptx_native_is_uniform(n, index) || ptx_native_is_line(n, index)))
        value = ptx_native_first(n, value, n->flow->mask);
    if (ptx_native_is_line(n, index)) /* all lanes have the same */
        ptx_native_hold_term(n, index,
                             (struct ptx_native_term){.line = n->flow->lines[index],
                                                      .base = {value.text, value.text}});
    else
        hold(n, slot, value);
}

struct ptx_native_value ptx_native_both(struct ptx_native *n, const char *operation,
                                        struct ptx_native_value a, struct ptx_native_value b)
{
    if (a.is_vector || b.is_vector) {
        a = ptx_native_vector(n, a);
        b = ptx_native_vector(n, b);
    }
    a.text =
        ptx_native_emit(n, "%s %s %s, %s", operation, ptx_native_value_type(n, a), a.text, b.text);
    if (strncmp(operation, "icmp", 4) == 0)
        a.bits = 1;
    return a;
}

const char *ptx_native_blended_words(struct ptx_native *n, const char *value, const char *old)
{
    const char *here = ptx_native_emit(n, "and i32 %s, %s", value, n->flow->mask);
    const char *others = ptx_native_emit(n, "xor i32 %s, -1", n->flow->mask);
    const char *kept = ptx_native_emit(n, "and i32 %s, %s", old, others);
    return ptx_native_emit(n, "or i32 %s, %s", here, kept);
}
