/* Memory: ld, st, copies, fences, and hints, for which nothing is written.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/emit_memory.h"
#include "kernels/ptx/analyse/step.h"
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/checked.h"

#include <string.h>

/* ---- Types of memory ---- */

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

struct ptx_instruction ptx_spread_registers(struct ptx_emitter *e, const struct ptx_instruction *in,
                                            uint32_t which)
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

/* ---- Loads ---- */

/* An access by a load or store, a scalar or a whole vector. Where the space is not known, within braces: its address is a
 * variable then. */
static struct ptx_access access_of(struct ptx_emitter *e, const struct ptx_instruction *in,
                                   const struct ptx_operand *address, unsigned width)
{
    struct ptx_access made = {.kind =
                                  in->opcode == PTX_OPCODE_st ? PTX_ACCESS_STORE : PTX_ACCESS_LOAD,
                              .space = (uint8_t)ptx_space_of(e, address, in->space),
                              .is_volatile = ptx_is_volatile(in),
                              .address = address,
                              .type = in->types[0],
                              .width = (uint8_t)width};
    if (made.space != PTX_SPACE_GENERIC)
        return made;
    ptx_need(e, PTX_NEED_SHARED | PTX_NEED_LOCAL);
    made.number = ptx_temporary(e);
    ptx_line(e, "const ulong %s = %s;", made.number, ptx_address_number(e, address));
    return made;
}

static const char *loaded(struct ptx_emitter *e, const struct ptx_instruction *in, unsigned width)
{
    const struct ptx_access access = access_of(e, in, &in->operands[1], width);
    return ptx_access(e, &access);
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
    const char *value = loaded(e, in, width);
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

static bool needs_braces(struct ptx_emitter *e, const struct ptx_instruction *in,
                         const struct ptx_operand *address)
{
    return ptx_space_of(e, address, in->space) == PTX_SPACE_GENERIC;
}

static void load_scalar(struct ptx_emitter *e, const struct ptx_instruction *in, enum ptx_type type)
{
    const bool in_braces = needs_braces(e, in, &in->operands[1]);
    if (in_braces)
        ptx_line(e, "{");
    ptx_set(e, &in->operands[0], type, loaded(e, in, 1));
    if (in_braces)
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

/* OpenCL of a CPU may make vectors of work-items, as the block form does of threads. */
static bool keeps_order(struct ptx_emitter *e)
{
    return e->plan->form == PTX_FORM_ITEM && ptx_loses_order(e) &&
           ptx_ask(e, PTX_FACT_THREAD_FENCE)->has_thread_fence;
}

static void store(struct ptx_emitter *e, const struct ptx_instruction *in, unsigned width,
                  const char *value)
{
    const bool in_braces = needs_braces(e, in, &in->operands[0]);
    if (in_braces)
        ptx_line(e, "{");
    struct ptx_access access = access_of(e, in, &in->operands[0], width);
    access.value = value;
    const char *written = ptx_access(e, &access);
    ptx_line(e, "%s%s;", e->store_condition ? e->store_condition : "", written);
    if (keeps_order(e))
        ptx_line(e, "clem_fence_compiler();");
    if (in_braces)
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
        store(e, in, from->count, vector_value(e, from, type));
    else
        store(e, in, 1, ptx_value(e, from, type));
}

/* ---- Loads and stores ---- */

/* ld, ldu, st */
static void emit_access(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_load = in->opcode != PTX_OPCODE_st;
    if (in->operand_count < 2 || in->operands[is_load ? 1 : 0].kind != PTX_OPERAND_ADDRESS) {
        ptx_refuse(e, "operands of a kind that does not belong here");
        return;
    }
    if (ptx_is_wide_access(in)) {
        ptx_refuse(e, "accesses of 16 bytes at once have a translation for CPUs alone");
        return;
    }
    const struct ptx_variable *v = in->operands[is_load ? 1 : 0].variable;
    const bool is_parameter = in->space == PTX_SPACE_PARAM ||
                              (in->space == PTX_SPACE_GENERIC && v && v->space == PTX_SPACE_PARAM);
    const struct ptx_instruction spread = ptx_spread_registers(e, in, is_load ? 0 : 1);
    in = &spread;
    if (is_load && is_parameter)
        ptx_emit_load_parameter(e, in);
    else if (is_load)
        emit_load(e, in);
    else if (is_parameter)
        ptx_emit_store_parameter(e, in);
    else
        emit_store(e, in);
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
        ptx_line(e, "%s;",
                 ptx_access(e, &(struct ptx_access){.kind = PTX_ACCESS_COPY,
                                                    .space = PTX_SPACE_SHARED,
                                                    .address = &o[0],
                                                    .from = &o[1],
                                                    .bytes = (unsigned)size,
                                                    .value = from}));
        return;
    }
    struct ptx_access access = {.kind = PTX_ACCESS_LOAD,
                                .space = PTX_SPACE_GLOBAL,
                                .is_read_only = true,
                                .address = &o[1],
                                .type = PTX_B32,
                                .width = (uint8_t)(size / 4)};
    const char *value = ptx_access(e, &access);
    access.kind = PTX_ACCESS_STORE;
    access.space = PTX_SPACE_SHARED;
    access.is_read_only = false;
    access.address = &o[0];
    access.value = value;
    ptx_line(e, "%s;", ptx_access(e, &access));
}

/* What has been asked for is there already; checks are told that it may not have been until now. Copies that arrive at a barrier
 * in shared memory are complete for whoever finds that they have. */
static void check_groups(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const bool is_bulk = in->operation == PTX_OP_BULK;
    const uint8_t what = is_bulk ? in->second_operation : in->operation;
    const bool commits = what == PTX_OP_COMMIT_GROUP;
    const bool leaves = what == PTX_OP_WAIT_GROUP && in->operand_count > 0;
    const struct ptx_told told = {.kind = CLEM_CHECK_GROUP,
                                  .checks = PTX_CHECK_RACE | PTX_CHECK_INIT,
                                  .address = commits  ? "0ul"
                                             : leaves ? "1ul"
                                                      : "2ul",
                                  .value = leaves ? ptx_value(e, &in->operands[0], PTX_U32) : NULL,
                                  .more = !is_bulk                     ? NULL
                                          : strstr(in->words, ".read") ? "3ul"
                                                                       : "1ul"};
    ptx_check_told(e, &told);
}

/* By the thread that asks for it, at once. */
static void emit_bulk_copy(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    if (in->second_operation != PTX_OP_COMPLETE_TX && in->second_operation != PTX_OP_BULK_GROUP) {
        if (strstr(in->words, "_group"))
            check_groups(e, in);
        return;
    }
    const char *bytes = ptx_value(e, &o[2], PTX_U32);
    const struct ptx_access access = {
        .kind = PTX_ACCESS_COPY,
        .space = in->space,
        .address = &o[0],
        .from = &o[1],
        .from_space = in->second_space,
        .function = in->space == PTX_SPACE_GLOBAL          ? "clem_copy_bulk_out"
                    : in->second_space == PTX_SPACE_GLOBAL ? "clem_copy_bulk_in"
                                                           : "clem_copy_bulk_within",
        .bytes = 16,
        .value = bytes};
    ptx_line(e, "%s;", ptx_access(e, &access));
    if (in->second_operation == PTX_OP_COMPLETE_TX)
        ptx_emit_bytes_arrive(e, &o[3], bytes);
}

static void emit_cp(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (strncmp(in->words, "cp.async", 8) != 0 || strstr(in->words, ".reduce"))
        ptx_refuse(e, "copies that compute have no translation");
    else if (in->operation == PTX_OP_BULK)
        emit_bulk_copy(e, in);
    else if (strstr(in->words, "_group") || strstr(in->words, "wait_all"))
        check_groups(e, in);
    else if (in->operation == PTX_OP_MBARRIER) {
        check_groups(e, in);
        ptx_emit_copies_arrive(e, in);
    } else {
        emit_copy(e, in);
    }
}

/* ---- All of them ---- */

/* fence.sc by an older name. */
static void emit_membar(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    ptx_write_fence(e, in->scope, PTX_ORDER_SC);
}

static void emit_fence(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    ptx_write_fence(e, in->scope, in->order);
}

bool ptx_emit_memory(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const struct ptx_emit_row rows[] = {
        {PTX_OPCODE_ld, emit_access},      {PTX_OPCODE_ldu, emit_access},
        {PTX_OPCODE_st, emit_access},      {PTX_OPCODE_cp, emit_cp},
        {PTX_OPCODE_membar, emit_membar},  {PTX_OPCODE_fence, emit_fence},
        {PTX_OPCODE_prefetch, NULL},       {PTX_OPCODE_prefetchu, NULL},
        {PTX_OPCODE_discard, NULL},        {PTX_OPCODE_applypriority, NULL},
        {PTX_OPCODE_griddepcontrol, NULL}, /* launches begin when those before have ended */
    };
    return ptx_emit_by_row(e, in, rows, sizeof rows / sizeof *rows);
}
