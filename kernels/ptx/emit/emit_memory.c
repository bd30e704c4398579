/* Memory: ld, st, cvta and kin, and arithmetic on registers that hold pointers.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/emit.h"

/* ---- Types of memory ---- */

/* "clem_u32_a", "clem_f32x4_a": a type of library/memory.cl that may alias any other. */
static const char *memory_type(struct ptx_emitter *e, enum ptx_type type, unsigned width)
{
    static const char *const sized[] = {[1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64"};
    static const char *const with_sign[] = {[1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64"};
    const size_t bytes = ptx_type_bytes(type);
    if (bytes == 16)
        return ptx_format(e, "clem_u64x%u_a", 2 * width);
    const char *scalar = type == PTX_F32   ? "f32"
                         : type == PTX_F64 ? "f64"
                         : ptx_type_is_signed(type) && type != PTX_S16X2 && width == 1
                             ? with_sign[bytes]
                             : sized[bytes];
    return width == 1 ? ptx_format(e, "clem_%s_a", scalar)
                      : ptx_format(e, "clem_%sx%u_a", scalar, width);
}

/* The C type of a vector of elements as memory has them: "uint4". */
static const char *vector_c_type(struct ptx_emitter *e, enum ptx_type type, unsigned width)
{
    static const char *const sized[] = {[1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
    if (type == PTX_F32 || type == PTX_F64)
        return ptx_format(e, "%s%u", ptx_c_type(type), width);
    if (ptx_type_bytes(type) == 16)
        return ptx_format(e, "ulong%u", 2 * width);
    return ptx_format(e, "%s%u", sized[ptx_type_bytes(type)], width);
}

static const char *qualifiers_of(const struct ptx_instruction *in)
{
    return ptx_is_volatile(in) ? "volatile " : "";
}

/* ---- Loads ---- */

/* `*pointer` of an access, a scalar or a whole vector. */
static const char *loaded(struct ptx_emitter *e, const struct ptx_instruction *in,
                          const struct ptx_operand *address, const char *type)
{
    const enum ptx_space space = ptx_space_of(e, address, in->space);
    if (space != PTX_SPACE_GENERIC)
        return ptx_format(e, "*%s", ptx_pointer(e, address, space, qualifiers_of(in), type));
    ptx_need(e, PTX_NEED_SHARED | PTX_NEED_LOCAL);
    const char *number = ptx_temporary(e);
    ptx_line(e, "const ulong %s = %s;", number, ptx_address_number(e, address));
    return ptx_format(e, "clem_generic_load(%s, %s, %s, clem_shared, clem_local)",
                      qualifiers_of(in), type, number);
}

/* The type that a value is handed over in: elements of vectors have no sign. */
static enum ptx_type without_sign(enum ptx_type type)
{
    return ptx_type_is_signed(type) && type != PTX_S16X2 ? (enum ptx_type)(type - PTX_S8 + PTX_U8)
                                                         : type;
}

/* Destinations of one load: a register, or each of a vector's. */
static void load_vector(struct ptx_emitter *e, const struct ptx_instruction *in, enum ptx_type type)
{
    const struct ptx_operand *to = &in->operands[0];
    const unsigned width = to->count;
    const bool is_wide = ptx_type_bytes(type) == 16;
    ptx_line(e, "{");
    const char *value = loaded(e, in, &in->operands[1], memory_type(e, type, width));
    const char *name = ptx_temporary(e);
    ptx_line(e, "const %s %s = %s;", vector_c_type(e, type, width), name, value);
    for (unsigned i = 0; i < width; i++) {
        const char *part = is_wide ? ptx_format(e, "%s.s%x%x", name, 2 * i, 2 * i + 1)
                                   : ptx_format(e, "%s.s%x", name, i);
        const bool has_sign = without_sign(type) != type;
        ptx_set(e, &to->list[i], type,
                has_sign ? ptx_format(e, "(%s)%s", ptx_c_type(type), part) : part);
    }
    ptx_line(e, "}");
}

static bool needs_block(struct ptx_emitter *e, const struct ptx_instruction *in,
                        const struct ptx_operand *address)
{
    return ptx_space_of(e, address, in->space) == PTX_SPACE_GENERIC;
}

static void load_scalar(struct ptx_emitter *e, const struct ptx_instruction *in, enum ptx_type type)
{
    const bool in_block = needs_block(e, in, &in->operands[1]);
    if (in_block)
        ptx_line(e, "{");
    ptx_set(e, &in->operands[0], type, loaded(e, in, &in->operands[1], memory_type(e, type, 1)));
    if (in_block)
        ptx_line(e, "}");
}

static void emit_load(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = in->types[0];
    if (in->operands[0].kind == PTX_OPERAND_VECTOR && in->operands[0].count > 1)
        load_vector(e, in, type);
    else if (in->operands[0].kind == PTX_OPERAND_VECTOR)
        ptx_refuse(e, "a vector of one element");
    else
        load_scalar(e, in, type);
    ptx_fence_after(e, in);
}

/* ---- Stores ---- */

static void store_text(struct ptx_emitter *e, const struct ptx_instruction *in, const char *type,
                       const char *value)
{
    const struct ptx_operand *address = &in->operands[0];
    const enum ptx_space space = ptx_space_of(e, address, in->space);
    if (space != PTX_SPACE_GENERIC) {
        ptx_line(e, "*%s = %s;", ptx_pointer(e, address, space, qualifiers_of(in), type), value);
        return;
    }
    ptx_need(e, PTX_NEED_SHARED | PTX_NEED_LOCAL);
    const char *number = ptx_temporary(e);
    ptx_line(e, "{");
    ptx_line(e, "const ulong %s = %s;", number, ptx_address_number(e, address));
    ptx_line(e, "clem_generic_store(%s, %s, %s, clem_shared, clem_local, %s);", qualifiers_of(in),
             type, number, value);
    ptx_line(e, "}");
}

static const char *vector_value(struct ptx_emitter *e, const struct ptx_operand *from,
                                enum ptx_type type)
{
    const char *list = "";
    for (unsigned i = 0; i < from->count; i++)
        list = ptx_format(e, "%s%s%s", list, i ? ", " : "",
                          ptx_value(e, &from->list[i], without_sign(type)));
    return ptx_format(e, "(%s)(%s)", vector_c_type(e, type, from->count), list);
}

/* Where pointers are no numbers, one written to memory would be read back as something else; but as
 * an argument of printf it is only read by its library, within the same launch. */
static void refuse_pointer_value(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *value = &in->operands[1];
    if (e->plan->info->uses_printf &&
        ptx_space_of(e, &in->operands[0], in->space) == PTX_SPACE_LOCAL)
        return;
    if (e->target->pointers == PTX_POINTERS_BUFFERS && value->kind == PTX_OPERAND_REGISTER &&
        ptx_is_pointer_register(e, value->index))
        ptx_refuse_address(e,
                           "it stores %s, an address, and this device's pointers are not numbers",
                           ptx_described_register(e, value->index));
}

static void emit_store(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = in->types[0];
    const struct ptx_operand *from = &in->operands[1];
    refuse_pointer_value(e, in);
    ptx_fence_before(e, in);
    if (from->kind == PTX_OPERAND_VECTOR)
        store_text(e, in, memory_type(e, type, from->count), vector_value(e, from, type));
    else
        store_text(e, in, memory_type(e, type, 1), ptx_value(e, from, type));
}

/* ---- Parameters ---- */

/* A pointer to bytes at an offset of a parameter that is a C variable. */
static const char *parameter_bytes(struct ptx_emitter *e, const struct ptx_variable *v,
                                   enum ptx_type type, int64_t offset)
{
    return ptx_format(e, "(%s *)((uchar *)&%s + %lld)", memory_type(e, type, 1),
                      ptx_parameter_name(e, v), (long long)offset);
}

static bool is_in_bank(const struct ptx_emitter *e, const struct ptx_variable *v)
{
    return !v || (e->plan->has_bank && ptx_is_entry_parameter(e, v));
}

/* A pointer to bytes of the bank. */
static const char *bank_bytes(struct ptx_emitter *e, const struct ptx_operand *address,
                              enum ptx_type type)
{
    const bool is_global = e->plan->bank_is_global;
    ptx_need(e, PTX_NEED_BANK);
    return ptx_format(e,
                      is_global ? "(const __global %s *)%s" : "(__constant %s *)(clem_bank + %s)",
                      memory_type(e, type, 1), ptx_address_number(e, address));
}

static bool is_whole(const struct ptx_variable *v, enum ptx_type type, int64_t offset)
{
    return !v->is_array && v->width <= 1 && offset == 0 && ptx_type_bytes(type) == v->bytes &&
           v->bytes <= 8;
}

/* One element of type `type` at `plus` bytes from an address in .param. */
static const char *parameter_element(struct ptx_emitter *e, const struct ptx_operand *address,
                                     enum ptx_type type, int64_t plus)
{
    const struct ptx_plan *plan = e->plan;
    const struct ptx_variable *v = address->variable;
    const int64_t offset = address->bits + plus;
    if (!is_in_bank(e, v))
        return is_whole(v, type, offset)
                   ? ptx_as_type(e, ptx_parameter_name(e, v), ptx_parameter_type(v), type)
                   : ptx_format(e, "*%s", parameter_bytes(e, v, type, offset));
    if (!plan->has_bank) {
        ptx_refuse(e, "a parameter of a function at an address that is not constant");
        return "0";
    }
    struct ptx_operand moved = *address;
    moved.bits = offset;
    return ptx_format(e, "*%s", bank_bytes(e, &moved, type));
}

/* The argument of its own that a pointer among an entry's parameters is, or NULL. */
static const char *pointer_argument(struct ptx_emitter *e, const struct ptx_operand *address,
                                    int64_t plus)
{
    const struct ptx_plan *plan = e->plan;
    const struct ptx_function *entry = plan->original;
    const int64_t offset = address->bits + plus;
    for (size_t i = 0; address->index < 0 && i < entry->parameter_count; i++)
        if (entry->parameters[i] == address->variable && plan->is_pointer && plan->is_pointer[i])
            return ptx_parameter_name(e, address->variable);
    for (const struct ptx_member *m = plan->members; address->index < 0 && m; m = m->next)
        if (entry->parameters[m->parameter] == address->variable && (int64_t)m->offset == offset)
            return m->name;
    return NULL;
}

/* Of a function: its callers see to it that a pointer is one. */
static bool is_own_parameter(const struct ptx_emitter *e, const struct ptx_variable *v)
{
    for (size_t i = 0; !e->function->is_entry && i < e->function->parameter_count; i++)
        if (e->function->parameters[i] == v)
            return true;
    return false;
}

/* A parameter, or a part of one, that goes into a pointer register. */
static void load_pointer(struct ptx_emitter *e, const struct ptx_operand *address,
                         const struct ptx_operand *to, int64_t plus)
{
    const struct ptx_variable *v = address->variable;
    const char *place = ptx_register_place(e, (uint32_t)to->index, 0);
    const char *argument = pointer_argument(e, address, plus);
    if (argument) {
        ptx_line(e, "%s = %s;", place, argument);
        return;
    }
    if (e->target->pointers == PTX_POINTERS_BUFFERS && !is_own_parameter(e, v))
        ptx_refuse_address(e,
                           "it takes a pointer from %s, and this device's pointers are not numbers",
                           v && !ptx_is_entry_parameter(e, v) ? "the result of a function"
                                                              : "a parameter at an unknown place");
    ptx_line(e, "%s = (__global uchar *)%s;", place, parameter_element(e, address, PTX_U64, plus));
}

static void load_parameter(struct ptx_emitter *e, const struct ptx_operand *address,
                           const struct ptx_operand *to, enum ptx_type type, int64_t plus)
{
    if (to->kind == PTX_OPERAND_REGISTER && ptx_is_pointer_register(e, to->index) &&
        ptx_type_bytes(type) == 8)
        load_pointer(e, address, to, plus);
    else
        ptx_set(e, to, type, parameter_element(e, address, type, plus));
}

static void emit_load_parameter(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = in->types[0];
    const struct ptx_operand *to = &in->operands[0];
    if (to->kind != PTX_OPERAND_VECTOR)
        load_parameter(e, &in->operands[1], to, type, 0);
    for (uint32_t i = 0; to->kind == PTX_OPERAND_VECTOR && i < to->count; i++)
        load_parameter(e, &in->operands[1], &to->list[i], type,
                       (int64_t)(i * ptx_type_bytes(type)));
}

static void store_parameter(struct ptx_emitter *e, const struct ptx_operand *address,
                            const struct ptx_operand *value, enum ptx_type type, int64_t plus)
{
    const struct ptx_variable *v = address->variable;
    if (!v) {
        ptx_refuse(e, "a parameter at an address that is not constant");
        return;
    }
    const int64_t offset = address->bits + plus;
    if (is_whole(v, type, offset))
        ptx_line(e, "%s = %s;", ptx_parameter_name(e, v),
                 ptx_value(e, value, ptx_parameter_type(v)));
    else
        ptx_line(e, "*%s = %s;", parameter_bytes(e, v, type, offset), ptx_value(e, value, type));
}

/* What a function follows must be a pointer here already. */
static void check_argument(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    if (e->target->pointers != PTX_POINTERS_BUFFERS || !to->variable)
        return;
    const bool is_list = from->kind == PTX_OPERAND_VECTOR;
    for (uint32_t i = 0; i < (is_list ? from->count : 1); i++) {
        const struct ptx_operand *value = is_list ? &from->list[i] : from;
        if (value->kind == PTX_OPERAND_REGISTER && !ptx_is_pointer_register(e, value->index) &&
            !ptx_current_body(e)->is_made[value->index] &&
            ptx_is_followed(e, e->function, to->variable,
                            to->bits + (int64_t)(i * ptx_type_bytes(in->types[0]))))
            ptx_refuse_address(e,
                               "it hands %s to a function that follows it, an address that comes "
                               "from memory or from arithmetic, and this device's pointers are "
                               "not numbers",
                               ptx_described_register(e, value->index));
    }
}

static void emit_store_parameter(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *from = &in->operands[1];
    check_argument(e, in);
    if (from->kind != PTX_OPERAND_VECTOR) {
        store_parameter(e, &in->operands[0], from, in->types[0], 0);
        return;
    }
    for (uint32_t i = 0; i < from->count; i++)
        store_parameter(e, &in->operands[0], &from->list[i], in->types[0],
                        (int64_t)(i * ptx_type_bytes(in->types[0])));
}

/* ---- Copies ---- */

static const char *place_pointer(struct ptx_emitter *e, const struct ptx_place *place,
                                 enum ptx_type type)
{
    const struct ptx_variable *v = place->address.variable;
    if (place->space != PTX_SPACE_PARAM)
        return ptx_pointer(e, &place->address, (enum ptx_space)place->space, "",
                           memory_type(e, type, 1));
    return is_in_bank(e, v) ? bank_bytes(e, &place->address, type)
                            : parameter_bytes(e, v, type, place->address.bits);
}

static void write_copy(struct ptx_emitter *e, const struct ptx_copy *copy)
{
    static const enum ptx_type types[] = {
        [1] = PTX_B8, [2] = PTX_B16, [4] = PTX_B32, [8] = PTX_B64, [16] = PTX_B128};
    const char *turn = ptx_temporary(e);
    ptx_line(e, "for (uint %s = 0u; %s < %zuu; %s++) {", turn, turn, copy->turns, turn);
    for (size_t i = 0; i < copy->part_count; i++) {
        const struct ptx_copied *part = &copy->parts[i];
        const enum ptx_type type = types[part->bytes];
        const char *at = ptx_format(e, "%s * %zuu", turn, copy->stride / part->bytes);
        ptx_line(e, "(%s)[%s] = (%s)[%s];", place_pointer(e, &part->to, type), at,
                 place_pointer(e, &part->from, type), at);
    }
    ptx_line(e, "}");
}

bool ptx_emit_copied(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_body *body = ptx_current_body(e);
    const struct ptx_function *f = body->function;
    if (!body->copies || in < f->instructions || in >= f->instructions + f->instruction_count)
        return false;
    const size_t index = (size_t)(in - f->instructions);
    for (const struct ptx_copy *copy = body->copies[index]; copy; copy = copy->next)
        write_copy(e, copy);
    if (body->is_copied[index] && in->opcode == PTX_OPCODE_st && in->space == PTX_SPACE_PARAM)
        check_argument(e, in); /* pointers that are known as such are not copied */
    return body->is_copied[index];
}

/* ---- Pointers in registers ---- */

static bool goes_to_pointer(const struct ptx_emitter *e, const struct ptx_instruction *in)
{
    return in->operand_count >= 2 && in->operands[0].kind == PTX_OPERAND_REGISTER &&
           in->operands[0].part == 0 && ptx_is_pointer_register(e, in->operands[0].index);
}

static bool is_pointer_operand(const struct ptx_emitter *e, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER
               ? ptx_is_pointer_register(e, operand->index)
               : operand->kind == PTX_OPERAND_VARIABLE &&
                     (operand->variable->space == PTX_SPACE_GLOBAL ||
                      operand->variable->space == PTX_SPACE_CONST);
}

static const char *as_pointer(struct ptx_emitter *e, const struct ptx_operand *operand)
{
    if (!is_pointer_operand(e, operand)) {
        if (operand->kind != PTX_OPERAND_INTEGER)
            ptx_refuse_unknown_address(e, operand);
        return ptx_format(e, "(__global uchar *)%s", ptx_value(e, operand, PTX_U64));
    }
    if (operand->kind == PTX_OPERAND_VARIABLE)
        return ptx_global_place(e, operand->variable, operand->bits);
    return ptx_register_place(e, (uint32_t)operand->index, 0);
}

/* What is added to a pointer: as signed constants, which read better than huge unsigned ones. */
static const char *as_distance(struct ptx_emitter *e, const struct ptx_operand *operand)
{
    return ptx_value(e, operand, operand->kind == PTX_OPERAND_INTEGER ? PTX_S64 : PTX_U64);
}

static const char *sum_text(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *a = &in->operands[1], *b = &in->operands[2];
    if (!is_pointer_operand(e, a) && is_pointer_operand(e, b)) {
        const struct ptx_operand *swapped = a;
        a = b;
        b = swapped;
    }
    return ptx_format(e, "%s + %s", as_pointer(e, a), as_distance(e, b));
}

static const char *product_text(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = in->types[0];
    if (!(in->flags & PTX_WIDE))
        return ptx_format(e, "%s * %s", ptx_value(e, &in->operands[1], PTX_U64),
                          ptx_value(e, &in->operands[2], PTX_U64));
    const char *wide = ptx_type_is_signed(type) ? "long" : "ulong";
    return ptx_format(e, "(%s)%s * (%s)%s", wide, ptx_value(e, &in->operands[1], type), wide,
                      ptx_value(e, &in->operands[2], type));
}

/* mov, add, sub, mad, selp and cvta into registers that hold pointers. */
static bool emit_pointer(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (!goes_to_pointer(e, in))
        return false;
    const char *to = ptx_register_place(e, (uint32_t)in->operands[0].index, 0);
    const struct ptx_operand *o = in->operands;
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvta:
        ptx_line(e, "%s = %s;", to,
                 in->space == PTX_SPACE_PARAM
                     ? ptx_format(e, "(__global uchar *)%s", ptx_value(e, &o[1], PTX_U64))
                     : as_pointer(e, &o[1]));
        return true;
    case PTX_OPCODE_add:
        ptx_line(e, "%s = %s;", to, sum_text(e, in));
        return true;
    case PTX_OPCODE_sub:
        ptx_line(e, "%s = %s - %s;", to, as_pointer(e, &o[1]), as_distance(e, &o[2]));
        return true;
    case PTX_OPCODE_mad:
        ptx_line(e, "%s = %s + %s;", to, as_pointer(e, &o[3]), product_text(e, in));
        return true;
    case PTX_OPCODE_selp:
        ptx_line(e, "%s = %s ? %s : %s;", to, ptx_predicate(e, &o[3]), as_pointer(e, &o[1]),
                 as_pointer(e, &o[2]));
        return true;
    default:
        return false;
    }
}

/* ---- mov ---- */

/* The type of one of `count` parts of a value. */
static enum ptx_type part_type(enum ptx_type whole, uint32_t count)
{
    switch (ptx_type_bytes(whole) / count) {
    case 1:
        return PTX_B8;
    case 2:
        return PTX_B16;
    case 4:
        return PTX_B32;
    default:
        return PTX_B64;
    }
}

/* {a, b, ...} as one number: a is the lowest part. */
static const char *packed(struct ptx_emitter *e, const struct ptx_operand *parts,
                          enum ptx_type whole)
{
    const enum ptx_type type = part_type(whole, parts->count);
    const char *c_type = ptx_c_type(whole);
    const unsigned bits = 8 * (unsigned)ptx_type_bytes(type);
    const char *sum = "";
    for (uint32_t i = 0; i < parts->count; i++) {
        const char *part = ptx_value(e, &parts->list[i], type);
        sum = i == 0 ? ptx_format(e, "(%s)%s", c_type, part)
                     : ptx_format(e, "%s | (%s)%s << %u", sum, c_type, part, i * bits);
    }
    return sum;
}

/* {a, b} or {a, b, c, d} as .b128. */
static const char *packed_wide(struct ptx_emitter *e, const struct ptx_operand *parts)
{
    const uint32_t half = parts->count / 2;
    struct ptx_operand low = *parts, high = *parts;
    low.count = high.count = half;
    high.list += half;
    return ptx_format(e, "(ulong2)(%s, %s)", packed(e, &low, PTX_B64), packed(e, &high, PTX_B64));
}

static void emit_unpack(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    const enum ptx_type whole = in->types[0], type = part_type(whole, to->count);
    const unsigned bits = 8 * (unsigned)ptx_type_bytes(type);
    const char *name = ptx_temporary(e);
    ptx_line(e, "{");
    ptx_line(e, "const %s %s = %s;", ptx_c_type(whole), name,
             ptx_value(e, &in->operands[1], whole));
    for (uint32_t i = 0; i < to->count; i++) {
        const unsigned shift = i * bits;
        const char *word = whole == PTX_B128 ? ptx_format(e, "%s.s%u", name, shift / 64) : name;
        const unsigned rest = whole == PTX_B128 ? shift % 64 : shift;
        ptx_set(e, &to->list[i], type,
                rest ? ptx_format(e, "(%s)(%s >> %u)", ptx_c_type(type), word, rest)
                     : ptx_format(e, "(%s)%s", ptx_c_type(type), word));
    }
    ptx_line(e, "}");
}

static bool is_reference(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VARIABLE &&
           (operand->variable->type == PTX_TEXREF || operand->variable->type == PTX_SURFREF ||
            operand->variable->type == PTX_SAMPLERREF);
}

static bool is_texture_instruction(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_tex:
    case PTX_OPCODE_tld4:
    case PTX_OPCODE_txq:
    case PTX_OPCODE_suld:
    case PTX_OPCODE_sust:
    case PTX_OPCODE_sured:
    case PTX_OPCODE_suq:
        return true;
    default:
        return false;
    }
}

/* Whether anything but textures, to which emit_texture.c traces references, reads a register; also
 * by way of `steps` copies. */
static bool is_read_otherwise(const struct ptx_function *function, int32_t index, int steps)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        const bool is_copy = in->opcode == PTX_OPCODE_mov || in->opcode == PTX_OPCODE_cvta;
        for (uint32_t j = ptx_destination_count(in); j < in->operand_count; j++) {
            const struct ptx_operand *o = &in->operands[j];
            const bool reads =
                (o->kind == PTX_OPERAND_REGISTER || o->kind == PTX_OPERAND_ADDRESS) &&
                o->index == index;
            const bool is_in_list = o->kind == PTX_OPERAND_VECTOR && !is_texture_instruction(in);
            for (uint32_t k = 0; is_in_list && k < o->count; k++)
                if (o->list[k].kind == PTX_OPERAND_REGISTER && o->list[k].index == index)
                    return true;
            if (!reads || is_texture_instruction(in))
                continue;
            if (!is_copy || steps == 0 || in->operands[0].kind != PTX_OPERAND_REGISTER ||
                is_read_otherwise(function, in->operands[0].index, steps - 1))
                return true;
        }
    }
    return false;
}

/* A reference's address has no value; what reads textures through the register knows which. */
static void emit_reference(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *to = &in->operands[0];
    if (to->kind != PTX_OPERAND_REGISTER || is_read_otherwise(e->function, to->index, 3))
        ptx_refuse(e, "the address of reference %s is used as a number",
                   in->operands[1].variable->name);
    else
        ptx_set(e, to, PTX_U64, "0ul");
}

static void emit_mov(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = in->types[0];
    const struct ptx_operand *to = &in->operands[0], *from = &in->operands[1];
    const bool from_parts = from->kind == PTX_OPERAND_VECTOR;
    const bool to_parts = to->kind == PTX_OPERAND_VECTOR;
    const uint32_t parts = from_parts ? from->count : to->count;
    const bool is_whole = from->kind == PTX_OPERAND_REGISTER && from->part == 0 &&
                          e->function->registers[from->index].width > 1;
    if (is_whole)
        ptx_refuse(e, "a whole vector register as a number");
    else if ((from_parts && to_parts) ||
             ((from_parts || to_parts) &&
              (parts < 2 || parts > 4 || parts == 3 || ptx_type_bytes(type) % parts != 0)))
        ptx_refuse(e, "a vector of this size");
    else if (from_parts)
        ptx_set(e, to, type, type == PTX_B128 ? packed_wide(e, from) : packed(e, from, type));
    else if (to_parts)
        emit_unpack(e, in);
    else
        ptx_set(e, to, type, ptx_value(e, from, type));
}

/* ---- cvta, isspacep ---- */

static void emit_cvta(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_to = in->operation == PTX_OP_TO;
    const uint8_t space = is_to && in->second_space ? in->second_space : in->space;
    const struct ptx_operand *from = &in->operands[1];
    const char *number = ptx_value(e, from, PTX_U64);
    const bool has_window = space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;
    const char *name = space == PTX_SPACE_SHARED ? "shared" : "local";
    if (has_window && is_to)
        number = ptx_format(e, "clem_generic_to_%s(%s)", name, number);
    else if (has_window)
        number = ptx_format(e, "clem_%s_to_generic(%s)", name, number);
    ptx_set(e, &in->operands[0], PTX_U64, number);
}

static const char *constant_test(struct ptx_emitter *e, const char *number)
{
    const size_t bytes = e->module->block_bytes[PTX_BLOCK_CONSTANT];
    if (bytes == 0)
        return "0";
    ptx_need(e, PTX_NEED_CONSTANT);
    return ptx_format(e, "%s - (ulong)clem_constant < %zuul", number, bytes);
}

static const char *parameter_test(struct ptx_emitter *e, const char *number)
{
    const struct ptx_plan *plan = e->plan;
    if (!plan->has_bank || !plan->bank_is_global)
        return "0";
    ptx_need(e, PTX_NEED_BANK);
    return ptx_format(e, "%s - (ulong)clem_bank < %zuul", number, plan->info->parameter_bytes);
}

static void emit_isspacep(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const char *n = ptx_value(e, &in->operands[1], PTX_U64);
    const char *test;
    switch (in->space) {
    case PTX_SPACE_SHARED:
        test = ptx_format(e, "clem_is_shared(%s)", n);
        break;
    case PTX_SPACE_LOCAL:
        test = ptx_format(e, "clem_is_local(%s)", n);
        break;
    case PTX_SPACE_CONST:
        test = constant_test(e, n);
        break;
    case PTX_SPACE_PARAM:
        test = parameter_test(e, n);
        break;
    default:
        test = ptx_format(e, "!clem_is_shared(%s) && !clem_is_local(%s)", n, n);
    }
    ptx_set(e, &in->operands[0], PTX_PRED, test);
}

/* ---- cp.async ---- */

static void emit_copy(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    const int64_t size = in->operand_count >= 3 ? o[2].bits : 0;
    if (size != 4 && size != 8 && size != 16) {
        ptx_refuse(e, "a copy of this size has no translation");
        return;
    }
    if (in->operand_count > 3) {
        const bool is_ignored = o[3].kind == PTX_OPERAND_REGISTER &&
                                ptx_register_type(e, (uint32_t)o[3].index) == PTX_PRED;
        const char *from =
            is_ignored ? ptx_format(e, "(%s ? 0u : %uu)", ptx_predicate(e, &o[3]), (unsigned)size)
                       : ptx_value(e, &o[3], PTX_U32);
        ptx_line(e, "clem_copy_async(%s, %s, %uu, %s);",
                 ptx_pointer(e, &o[0], PTX_SPACE_SHARED, "", "uchar"),
                 ptx_pointer(e, &o[1], PTX_SPACE_GLOBAL, "const ", "uchar"), (unsigned)size, from);
        return;
    }
    const char *type = size == 4 ? "clem_u32_a" : size == 8 ? "clem_u32x2_a" : "clem_u32x4_a";
    ptx_line(e, "*%s = *%s;", ptx_pointer(e, &o[0], PTX_SPACE_SHARED, "", type),
             ptx_pointer(e, &o[1], PTX_SPACE_GLOBAL, "const ", type));
}

static void emit_cp(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (strncmp(in->words, "cp.async", 8) != 0 || strstr(in->words, ".bulk") ||
        strstr(in->words, ".mbarrier") || strstr(in->words, ".reduce"))
        ptx_refuse(e, "bulk copies and copies that arrive at barriers have no translation");
    else if (!strstr(in->words, "_group") && !strstr(in->words, "wait_all"))
        emit_copy(e, in);
}

/* ---- alloca ---- */

static const char *stack_top(struct ptx_emitter *e)
{
    ptx_need(e, PTX_NEED_LOCAL);
    return ptx_format(e, "*(CLEM_LOCAL uint *)(clem_local + %zu)", e->plan->stack_at);
}

/* Threads that take more than there is end as after a trap. */
static void emit_alloca(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    const int64_t alignment = in->operand_count > 2 ? o[2].bits : 16;
    if (alignment < 1 || alignment > 128 || (alignment & (alignment - 1)) != 0) {
        ptx_refuse(e, "an alignment that is no power of two up to 128");
        return;
    }
    const size_t start = e->plan->stack_at + 16;
    const long long mask = alignment < 16 ? 15 : alignment - 1;
    const char *size = ptx_temporary(e), *at = ptx_temporary(e);
    ptx_need(e, PTX_NEED_RUNTIME);
    ptx_line(e, "{");
    ptx_line(e, "const ulong %s = %s;", size, ptx_value(e, &o[1], PTX_U64));
    ptx_line(e, "const uint %s = (%s + %lluu) & ~%lluu;", at, stack_top(e),
             (unsigned long long)start + (unsigned long long)mask, (unsigned long long)mask);
    ptx_line(e, "if (%s > %zuu || %s > %zuu - %s) {", at, start + PTX_STACK_BYTES, size,
             start + PTX_STACK_BYTES, at);
    ptx_line(e, "clem_trap(clem_runtime);");
    ptx_write_exit(e);
    ptx_line(e, "}");
    ptx_line(e, "%s = %s - %zuu + (uint)%s;", stack_top(e), at, start, size);
    ptx_set(e, &o[0], PTX_U64, ptx_format(e, "(ulong)%s", at));
    ptx_line(e, "}");
}

/* ---- All of them ---- */

/* An access with a vector register, as with a list of its parts. */
static struct ptx_instruction spread_registers(struct ptx_emitter *e,
                                               const struct ptx_instruction *in, uint32_t which)
{
    struct ptx_instruction made = *in;
    const struct ptx_operand *whole = &in->operands[which];
    if (in->width < 2 || whole->kind != PTX_OPERAND_REGISTER || whole->part != 0 ||
        e->function->registers[whole->index].width != in->width)
        return made;
    made.operands = ptx_arena_array(e->arena, in->operand_count, sizeof *made.operands);
    for (uint32_t i = 0; i < in->operand_count; i++)
        made.operands[i] = in->operands[i];
    struct ptx_operand *parts = ptx_arena_array(e->arena, in->width, sizeof *parts);
    for (uint8_t i = 0; i < in->width; i++) {
        parts[i] = *whole;
        parts[i].part = (uint8_t)(1 + i);
    }
    made.operands[which] = (struct ptx_operand){
        .kind = PTX_OPERAND_VECTOR, .index = -1, .count = in->width, .list = parts};
    return made;
}

/* mov.v2, .v4 and .v8: part by part, all read before one is written. */
static void emit_move_of_parts(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const enum ptx_type type = in->types[0];
    const struct ptx_instruction half = spread_registers(e, in, 0);
    const struct ptx_instruction both = spread_registers(e, &half, 1);
    const struct ptx_operand *to = &both.operands[0], *from = &both.operands[1];
    if (to->kind != PTX_OPERAND_VECTOR || from->kind != PTX_OPERAND_VECTOR ||
        to->count != in->width || from->count != in->width) {
        ptx_refuse(e, "a vector of this size");
        return;
    }
    const char **held = ptx_arena_array(e->arena, in->width, sizeof *held);
    ptx_line(e, "{");
    for (uint8_t i = 0; i < in->width; i++) {
        held[i] = ptx_temporary(e);
        ptx_line(e, "const %s %s = %s;", ptx_c_type(type), held[i],
                 ptx_value(e, &from->list[i], type));
    }
    for (uint8_t i = 0; i < in->width; i++)
        ptx_set(e, &to->list[i], type, held[i]);
    ptx_line(e, "}");
}

static bool emit_access(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_load = in->opcode != PTX_OPCODE_st;
    if (in->operand_count < 2 || in->operands[is_load ? 1 : 0].kind != PTX_OPERAND_ADDRESS) {
        ptx_refuse(e, "operands of a kind that does not belong here");
        return true;
    }
    const struct ptx_variable *v = in->operands[is_load ? 1 : 0].variable;
    const bool is_parameter = in->space == PTX_SPACE_PARAM ||
                              (in->space == PTX_SPACE_GENERIC && v && v->space == PTX_SPACE_PARAM);
    const struct ptx_instruction spread = spread_registers(e, in, is_load ? 0 : 1);
    in = &spread;
    if (is_load && is_parameter)
        emit_load_parameter(e, in);
    else if (is_load)
        emit_load(e, in);
    else if (is_parameter)
        emit_store_parameter(e, in);
    else
        emit_store(e, in);
    return true;
}

bool ptx_emit_memory(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_ld:
    case PTX_OPCODE_ldu:
    case PTX_OPCODE_st:
        return emit_access(e, in);
    case PTX_OPCODE_cvta:
        if (in->operand_count > 1 && is_reference(&in->operands[1]))
            emit_reference(e, in);
        else if (!emit_pointer(e, in))
            emit_cvta(e, in);
        return true;
    case PTX_OPCODE_mov:
        if (in->operand_count > 1 && is_reference(&in->operands[1]))
            emit_reference(e, in);
        else if (in->width > 1)
            emit_move_of_parts(e, in);
        else if (!emit_pointer(e, in))
            emit_mov(e, in);
        return true;
    case PTX_OPCODE_isspacep:
        emit_isspacep(e, in);
        return true;
    case PTX_OPCODE_alloca:
        emit_alloca(e, in);
        return true;
    case PTX_OPCODE_stacksave:
        ptx_set(e, &in->operands[0], PTX_U64, ptx_format(e, "(ulong)%s", stack_top(e)));
        return true;
    case PTX_OPCODE_stackrestore:
        ptx_line(e, "%s = (uint)%s;", stack_top(e), ptx_value(e, &in->operands[0], PTX_U64));
        return true;
    case PTX_OPCODE_prefetch:
    case PTX_OPCODE_prefetchu:
    case PTX_OPCODE_discard:
    case PTX_OPCODE_applypriority:
        return true;
    case PTX_OPCODE_cp:
        emit_cp(e, in);
        return true;
    case PTX_OPCODE_membar: /* fence.sc by an older name */
        ptx_write_fence(e, in->scope, PTX_ORDER_SC);
        return true;
    case PTX_OPCODE_fence:
        ptx_write_fence(e, in->scope, in->order);
        return true;
    default:
        return emit_pointer(e, in);
    }
}
