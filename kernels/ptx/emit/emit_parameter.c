/* Loads and stores of parameters: those of the kernel or function being written, and those of calls within it. They
 * are variables of C, but for those of a kernel that is given them as a bank. Also copies, which may be of parameters.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/emit_memory.h"

/* ---- Parameters ---- */

/* One element of type `type` at `plus` bytes from an address in .param. */
static const char *parameter_element(struct ptx_emitter *e, const struct ptx_operand *address,
                                     enum ptx_type type, int64_t plus)
{
    struct ptx_operand moved = *address;
    moved.bits += plus;
    return ptx_access(e, &(struct ptx_access){.kind = PTX_ACCESS_LOAD,
                                              .space = PTX_SPACE_PARAM,
                                              .address = &moved,
                                              .type = (uint8_t)type});
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
    const char *place = ptx_register_name(e, (uint32_t)to->index, 0);
    const char *argument = pointer_argument(e, address, plus);
    if (argument) {
        ptx_line(e, "%s = %s;", place,
                 ptx_access(e, &(struct ptx_access){.kind = PTX_ACCESS_LOAD,
                                                    .space = PTX_SPACE_PARAM,
                                                    .type = PTX_U64,
                                                    .text = argument}));
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

void ptx_emit_load_parameter(struct ptx_emitter *e, const struct ptx_instruction *in)
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
    struct ptx_operand moved = *address;
    moved.bits += plus;
    const bool is_whole = ptx_is_whole_parameter(v, type, moved.bits);
    ptx_line(
        e, "%s;",
        ptx_access(e, &(struct ptx_access){
                          .kind = PTX_ACCESS_STORE,
                          .space = PTX_SPACE_PARAM,
                          .address = &moved,
                          .type = (uint8_t)type,
                          .value = ptx_value(e, value, is_whole ? ptx_parameter_type(v) : type)}));
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

void ptx_emit_store_parameter(struct ptx_emitter *e, const struct ptx_instruction *in)
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
        struct ptx_access access = {.kind = PTX_ACCESS_LOAD,
                                    .space = part->from.space,
                                    .address = &part->from.address,
                                    .type = (uint8_t)type,
                                    .index = at};
        const char *value = ptx_access(e, &access);
        access.kind = PTX_ACCESS_STORE;
        access.space = part->to.space;
        access.address = &part->to.address;
        access.value = value;
        ptx_line(e, "%s;", ptx_access(e, &access));
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
