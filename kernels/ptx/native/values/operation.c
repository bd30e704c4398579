/* Operations: the emitters of emit/ write what an instruction means as OpenCL C, of registers with names of their own, and
 * lanes.c makes IR of that.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/emit/emit_number.h"
#include "kernels/ptx/native/values/lanes.h"

/* ---- Which there are ---- */

static bool (*emitter_of(const struct ptx_instruction *in))(struct ptx_emitter *,
                                                            const struct ptx_instruction *)
{
    switch (in->opcode) {
    case PTX_OPCODE_mov:
        return ptx_emit_move;
    case PTX_OPCODE_cvt:
        return ptx_emit_convert;
    case PTX_OPCODE_setp:
    case PTX_OPCODE_set:
    case PTX_OPCODE_selp:
    case PTX_OPCODE_slct:
    case PTX_OPCODE_testp:
        return ptx_emit_compare;
    case PTX_OPCODE_vmad:
    case PTX_OPCODE_vadd:
    case PTX_OPCODE_vsub:
    case PTX_OPCODE_vabsdiff:
    case PTX_OPCODE_vmin:
    case PTX_OPCODE_vmax:
    case PTX_OPCODE_vshl:
    case PTX_OPCODE_vshr:
    case PTX_OPCODE_vset:
    case PTX_OPCODE_vadd2:
    case PTX_OPCODE_vsub2:
    case PTX_OPCODE_vavrg2:
    case PTX_OPCODE_vabsdiff2:
    case PTX_OPCODE_vmin2:
    case PTX_OPCODE_vmax2:
    case PTX_OPCODE_vset2:
    case PTX_OPCODE_vadd4:
    case PTX_OPCODE_vsub4:
    case PTX_OPCODE_vavrg4:
    case PTX_OPCODE_vabsdiff4:
    case PTX_OPCODE_vmin4:
    case PTX_OPCODE_vmax4:
    case PTX_OPCODE_vset4:
        return ptx_emit_video;
    default:
        return ptx_is_arithmetic(in) ? ptx_emit_arithmetic : NULL;
    }
}

static bool is_reference(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_VARIABLE &&
           (operand->variable->type == PTX_TEXREF || operand->variable->type == PTX_SURFREF ||
            operand->variable->type == PTX_SAMPLERREF);
}

bool ptx_native_has_operation(const struct ptx_instruction *in)
{
    return emitter_of(in) && in->operand_count >= 2 && !is_reference(&in->operands[1]);
}

/* ---- Registers with names of their own ---- */

enum { MOST_NAMES = 24 };

/* A function that has only the registers of one instruction, by operand. */
struct own_names {
    struct ptx_native *n;
    const struct ptx_instruction *in;
    const struct ptx_function *from;
    struct ptx_function function;
    struct ptx_body body;
    struct ptx_register registers[MOST_NAMES];
    uint8_t types[MOST_NAMES];
    const char *names[MOST_NAMES];
    bool is_pointer[MOST_NAMES]; /* none */
    bool is_read[MOST_NAMES];
    struct ptx_operand operands[MOST_NAMES]; /* those that they stand for */
    struct ptx_lane_variable *variables[MOST_NAMES];
    uint32_t count;
};

static const char *const all_names[MOST_NAMES] = {
    "x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11",
    "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23"};

/* What C declares a register of a type as. */
static enum ptx_type held_type(enum ptx_type type)
{
    if (type == PTX_F32 || type == PTX_F64 || type == PTX_PRED || type == PTX_B128)
        return type;
    switch (ptx_type_bytes(type)) {
    case 1:
        return PTX_U8;
    case 2:
        return PTX_U16;
    case 4:
        return PTX_U32;
    case 16:
        return PTX_B128;
    default:
        return PTX_U64;
    }
}

static enum ptx_lane_type lane_type(enum ptx_type held)
{
    switch (held) {
    case PTX_U8:
    case PTX_PRED:
        return LANE_UCHAR;
    case PTX_U16:
        return LANE_USHORT;
    case PTX_U32:
        return LANE_UINT;
    case PTX_F32:
        return LANE_FLOAT;
    case PTX_F64:
        return LANE_DOUBLE;
    case PTX_B128:
        return LANE_WIDE;
    default:
        return LANE_ULONG;
    }
}

/* A constant with a point has the type that is read where it stands: digits would depend on the locale. */
static enum ptx_type type_of_float(const struct ptx_instruction *in,
                                   const struct ptx_operand *operand)
{
    const bool is_second = in->opcode == PTX_OPCODE_cvt || in->opcode == PTX_OPCODE_set ||
                           (in->opcode == PTX_OPCODE_slct && operand == &in->operands[3]);
    switch (ptx_type_bytes((enum ptx_type)in->types[is_second && in->type_count > 1])) {
    case 8:
        return PTX_F64;
    case 4:
        return PTX_F32;
    default:
        return PTX_U16;
    }
}

static enum ptx_type type_of_operand(const struct own_names *own, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_REGISTER)
        return held_type((enum ptx_type)own->from->registers[operand->index].type);
    if (operand->kind == PTX_OPERAND_SPECIAL)
        return ptx_special_is_wide(operand->index) ? PTX_U64 : PTX_U32;
    if (operand->kind == PTX_OPERAND_FLOAT)
        return type_of_float(own->in, operand);
    return PTX_U64;
}

static bool has_part(const struct ptx_operand *operand)
{
    return operand->part > 0 && operand->part < PTX_PART_BYTES;
}

static bool is_same(const struct ptx_operand *a, const struct ptx_operand *b)
{
    return a->kind == PTX_OPERAND_REGISTER && b->kind == PTX_OPERAND_REGISTER &&
           a->index == b->index && (has_part(a) ? a->part : 0) == (has_part(b) ? b->part : 0);
}

/* The register that stands for an operand, a new one for one that has none yet. */
static uint32_t index_of(struct own_names *own, const struct ptx_operand *operand)
{
    for (uint32_t i = 0; i < own->count; i++)
        if (is_same(&own->operands[i], operand))
            return i;
    if (own->count == MOST_NAMES) {
        ptx_refuse(own->n->e, "so many operands have no native form");
        return 0;
    }
    const uint32_t index = own->count++;
    const enum ptx_type type = type_of_operand(own, operand);
    own->registers[index] =
        (struct ptx_register){.name = all_names[index], .type = (uint8_t)type, .width = 1};
    own->types[index] = (uint8_t)type;
    own->names[index] = all_names[index];
    own->operands[index] = *operand;
    own->operands[index].is_negated = false;
    if (!has_part(operand)) /* digits of video instructions */
        own->operands[index].part = 0;
    return index;
}

static struct ptx_operand renamed(struct own_names *own, const struct ptx_operand *operand,
                                  bool is_read)
{
    struct ptx_operand made = *operand;
    if (operand->kind == PTX_OPERAND_VECTOR) {
        made.list = ptx_arena_array(own->n->e->arena, operand->count, sizeof *made.list);
        for (uint32_t i = 0; i < operand->count; i++)
            made.list[i] = renamed(own, &operand->list[i], is_read);
    } else if (operand->kind == PTX_OPERAND_REGISTER || operand->kind == PTX_OPERAND_SPECIAL ||
               operand->kind == PTX_OPERAND_VARIABLE || operand->kind == PTX_OPERAND_FLOAT) {
        const uint32_t index = index_of(own, operand);
        own->is_read[index] |= is_read;
        made.kind = PTX_OPERAND_REGISTER;
        made.index = (int32_t)index;
        made.part = has_part(operand) ? 0 : operand->part;
    }
    return made;
}

static struct ptx_instruction with_own_names(struct own_names *own,
                                             const struct ptx_instruction *in)
{
    const uint32_t destinations = ptx_destination_count(in);
    struct ptx_instruction made = *in;
    own->in = in;
    made.operands = ptx_arena_array(own->n->e->arena, in->operand_count, sizeof *made.operands);
    for (uint32_t i = 0; i < in->operand_count; i++)
        made.operands[i] = renamed(own, &in->operands[i], i >= destinations);
    own->function = (struct ptx_function){.name = own->from->name,
                                          .is_entry = own->from->is_entry,
                                          .registers = own->registers,
                                          .register_count = own->count};
    own->body = (struct ptx_body){.function = &own->function,
                                  .is_pointer = own->is_pointer,
                                  .types = own->types,
                                  .names = own->names};
    return made;
}

/* ---- What the emitters write ---- */

/* As C of a CPU that has all that C has. */
static const char *text_of(struct own_names *own, const struct ptx_instruction *in)
{
    static const struct ptx_target target = {
        .is_cpu = true, .has_double = true, .has_exact_divide = true, .force_form = -1};
    struct ptx_emitter *e = own->n->e;
    struct ptx_emitter writing = *e;
    struct ptx_body *const body = e->plan->current;
    const size_t start = e->out->used;
    const unsigned depth = e->out->depth;
    writing.function = &own->function;
    writing.target = &target;
    writing.hooks = NULL;
    writing.is_hiding = false;
    e->plan->current = &own->body;
    e->out->depth = 0;
    emitter_of(in)(&writing, in);
    e->plan->current = body;
    e->out->depth = depth;
    e->status = writing.status;
    e->temporaries = writing.temporaries;
    const char *text = ptx_arena_text(e->arena, e->out->data + start, e->out->used - start);
    e->out->used = start;
    return text;
}

/* ---- IR of it ---- */

static void give_variables(struct ptx_lanes *l, struct own_names *own)
{
    for (uint32_t i = 0; i < own->count; i++) {
        const enum ptx_type type = (enum ptx_type)own->types[i];
        struct ptx_lane_variable *v = own->variables[i] =
            ptx_lanes_declare(l, own->names[i], strlen(own->names[i]), lane_type(type));
        v->is_truth = type == PTX_PRED;
        if (!own->is_read[i])
            continue;
        const struct ptx_native_value value = ptx_native_read(l->n, &own->operands[i], type);
        const bool is_float = ptx_lane_is_float(lane_type(type));
        v->value = ptx_lane_of(is_float ? (type == PTX_F32 ? LANE_UINT : LANE_ULONG) : v->type,
                               value.text);
        v->value.is_truth = v->is_truth;
        if (is_float)
            v->value = ptx_lane_recast(l, v->value, (enum ptx_lane_type)v->type);
    }
}

static struct ptx_native_value value_of(struct ptx_lanes *l, const struct ptx_lane_variable *v)
{
    struct ptx_native_value made = {.is_vector = l->n->is_vector};
    made.bits = v->is_truth ? 1 : (uint8_t)ptx_lane_bits((enum ptx_lane_type)v->type);
    if (v->is_truth)
        made.text = ptx_lane_truth(l, v->value);
    else if (ptx_lane_is_float((enum ptx_lane_type)v->type))
        made.text = ptx_lane_text(
            l, ptx_lane_recast(l, v->value, v->type == LANE_FLOAT ? LANE_UINT : LANE_ULONG));
    else
        made.text = ptx_lane_text(l, v->value);
    return made;
}

static void add_result(struct ptx_lanes *l, struct own_names *own,
                       const struct ptx_operand *destination,
                       struct ptx_native_value results[PTX_NATIVE_RESULTS], size_t *count)
{
    if (*count == PTX_NATIVE_RESULTS)
        return;
    results[(*count)++] = destination->kind == PTX_OPERAND_REGISTER
                              ? value_of(l, own->variables[destination->index])
                              : (struct ptx_native_value){.text = ptx_native_constant(l->n, 32, 0),
                                                          .bits = 32,
                                                          .is_vector = l->n->is_vector};
}

/* The flag as the instruction has it: one number spread, or that of any lane. */
static const char *carry_as_is(struct ptx_native *n)
{
    if (n->carry.is_vector && !n->is_vector)
        return ptx_native_emit(n, "extractelement <32 x i1> %s, i32 0", n->carry.text);
    return ptx_native_spread(n, n->carry).text;
}

static void write_text(struct ptx_native *n, struct own_names *own,
                       const struct ptx_instruction *in, const char *text,
                       struct ptx_native_value results[PTX_NATIVE_RESULTS], size_t *count)
{
    struct ptx_lanes l = {.n = n, .call = ptx_lane_call, .macro = ptx_lane_macro};
    give_variables(&l, own);
    struct ptx_lane_variable *carry = NULL;
    if (ptx_is_carry(in)) {
        carry = ptx_lanes_declare(&l, "clem_carry", strlen("clem_carry"), LANE_UINT);
        carry->is_truth = true;
        if (n->carry.text) {
            carry->value = ptx_lane_of(LANE_UINT, carry_as_is(n));
            carry->value.is_truth = true;
        }
    }
    ptx_lanes_run(&l, text);
    for (uint32_t i = 0; i < ptx_destination_count(in); i++) {
        const struct ptx_operand *to = &in->operands[i];
        for (uint32_t j = 0; j < (to->kind == PTX_OPERAND_VECTOR ? to->count : 1); j++)
            add_result(&l, own, to->kind == PTX_OPERAND_VECTOR ? &to->list[j] : to, results, count);
    }
    if (carry && (in->flags & PTX_CC))
        n->carry = value_of(&l, carry);
}

/* ---- Moves of whole values ---- */

static bool is_plain_move(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_mov && in->width <= 1 &&
           in->operands[0].kind != PTX_OPERAND_VECTOR && in->operands[1].kind != PTX_OPERAND_VECTOR;
}

void ptx_native_operation(struct ptx_native *n, const struct ptx_instruction *in,
                          struct ptx_native_value results[PTX_NATIVE_RESULTS], size_t *count)
{
    *count = 0;
    if (is_plain_move(in)) {
        results[(*count)++] = ptx_native_read(n, &in->operands[1], (enum ptx_type)in->types[0]);
        return;
    }
    if (in->operands[0].kind == PTX_OPERAND_REGISTER && ptx_native_plain(n, in, &results[0])) {
        *count = 1;
        return;
    }
    struct ptx_instruction spread = *in;
    if (in->opcode == PTX_OPCODE_mov && in->width > 1) {
        spread = ptx_spread_registers(n->e, in, 0);
        spread = ptx_spread_registers(n->e, &spread, 1);
    }
    struct own_names own = {.n = n, .from = n->e->function};
    const struct ptx_instruction named = with_own_names(&own, &spread);
    write_text(n, &own, &named, text_of(&own, &named), results, count);
}
