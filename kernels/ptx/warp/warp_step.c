/* Steps: what the lanes of a warp, or the threads of a block, do together where a node begins.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/warp/warp.h"

const struct ptx_instruction *ptx_warp_step_of(const struct ptx_warp_writer *w, int32_t node)
{
    const struct ptx_instruction *first =
        &w->flow->function->instructions[w->flow->nodes[node].first];
    return ptx_is_barrier(first) || ptx_is_warp_operation(first) ? first : NULL;
}

/* ---- Warp operations ---- */

/* A vector of the emitter's own. */
static const char *hold(struct ptx_emitter *e, const char *type, const char *value)
{
    const char *name = ptx_temporary(e);
    ptx_line(e, "const %s %s = %s;", type, name, value);
    return name;
}

/* Of each lane, the lanes that it exchanges with. */
static const char *members(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_operand *mask = ptx_member_mask(step);
    return hold(e, "clem_u32v",
                mask ? ptx_format(e, "%s & clem_active", ptx_warp_value(e, mask, PTX_U32))
                     : "(clem_u32v)(clem_active)");
}

static const struct {
    uint8_t operation;
    const char *lanes, *shift;
} shuffles[] = {
    {PTX_OP_UP, "clem_vlane_up", "clem_shift_up"},
    {PTX_OP_DOWN, "clem_vlane_down", "clem_shift_down"},
    {PTX_OP_BFLY, "clem_vlane_across", "clem_shift_across"},
    {PTX_OP_IDX, "clem_vlane_at", NULL},
};

static bool is_same_for_all(const struct ptx_emitter *e, const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_INTEGER ||
           (operand->kind == PTX_OPERAND_REGISTER && e->warp_writer->is_uniform[operand->index]);
}

/* A lane that does not take part brings 0, as in the block form. */
static void write_shuffle(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_operand *o = step->operands;
    const unsigned from = ptx_destination_count(step);
    size_t kind = 0;
    while (kind < sizeof shuffles / sizeof *shuffles && shuffles[kind].operation != step->operation)
        kind++;
    if (kind == sizeof shuffles / sizeof *shuffles || step->operand_count < from + 3) {
        ptx_refuse(e, "an unknown shuffle");
        return;
    }
    const char *x = hold(e, "clem_u32v", ptx_warp_value(e, &o[from], PTX_B32));
    const char *b = hold(e, "clem_u32v", ptx_warp_value(e, &o[from + 1], PTX_U32));
    const char *c = ptx_warp_value(e, &o[from + 2], PTX_U32), *within = ptx_temporary(e);
    ptx_line(e, "clem_s32v %s;", within);
    const char *lanes =
        hold(e, "clem_u32v", ptx_format(e, "%s(%s, %s, &%s)", shuffles[kind].lanes, b, c, within));
    const char *brought = hold(
        e, "clem_u32v",
        ptx_format(e, "clem_active == ~0u ? %s : clem_lanes_of(clem_active) ? %s : (clem_u32v)(0u)",
                   x, x));
    const bool shifts = shuffles[kind].shift && is_same_for_all(e, &o[from + 1]);
    ptx_warp_set(e, step, &o[0], PTX_B32,
                 shifts ? ptx_format(e, "(%s ? %s(%s, %s) : %s)", within, shuffles[kind].shift,
                                     brought, ptx_value(e, &o[from + 1], PTX_U32), x)
                        : ptx_format(e, "clem_permute(%s, %s)", brought, lanes));
    if (from == 2)
        ptx_warp_set(e, step, &o[1], PTX_PRED, within);
}

static void write_vote(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const char *votes = hold(e, "uint",
                             ptx_format(e, "clem_mask_of(%s) & clem_active",
                                        ptx_warp_value(e, &step->operands[1], PTX_PRED)));
    const char *mask = members(e, step);
    const char *some = hold(e, "clem_u32v", ptx_format(e, "%s & %s", mask, votes));
    const struct ptx_operand *to = &step->operands[0];
    switch (step->operation) {
    case PTX_OP_ALL:
        ptx_warp_set(e, step, to, PTX_PRED, ptx_format(e, "(%s == %s)", some, mask));
        break;
    case PTX_OP_ANY:
        ptx_warp_set(e, step, to, PTX_PRED, ptx_format(e, "(%s != 0u)", some));
        break;
    case PTX_OP_UNI:
        ptx_warp_set(e, step, to, PTX_PRED,
                     ptx_format(e, "((%s == %s) | (%s == 0u))", some, mask, some));
        break;
    case PTX_OP_BALLOT:
        ptx_warp_set(e, step, to, PTX_B32, some);
        break;
    default:
        ptx_refuse(e, "an unknown vote");
    }
}

static void write_match(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const unsigned from = ptx_destination_count(step);
    const struct ptx_operand *o = step->operands;
    const bool is_wide = step->types[0] == PTX_B64;
    const char *x = ptx_warp_value(e, &o[from], is_wide ? PTX_U64 : PTX_U32);
    if (!is_wide)
        x = ptx_format(e, "clem_to(%s, clem_u64v)", x);
    const char *mask = members(e, step);
    const char *same =
        hold(e, "clem_u32v", ptx_format(e, "clem_match_lanes(%s, %s, clem_active)", x, mask));
    if (step->operation != PTX_OP_ALL) {
        ptx_warp_set(e, step, &o[0], PTX_B32, same);
        return;
    }
    ptx_warp_set(e, step, &o[0], PTX_B32,
                 ptx_format(e, "(%s == %s ? %s : (clem_u32v)(0u))", same, mask, same));
    if (from == 2)
        ptx_warp_set(e, step, &o[1], PTX_PRED, ptx_format(e, "(%s == %s)", same, mask));
}

static const char *reduction_function(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const bool is_signed = step->types[0] == PTX_S32;
    if (ptx_type_is_float(step->types[0]))
        ptx_refuse(e, "reductions of floats by a warp have no translation");
    switch (step->operation) {
    case PTX_OP_ADD:
        return "clem_vlanes_add";
    case PTX_OP_MIN:
        return is_signed ? "clem_vlanes_min_s32" : "clem_vlanes_min_u32";
    case PTX_OP_MAX:
        return is_signed ? "clem_vlanes_max_s32" : "clem_vlanes_max_u32";
    case PTX_OP_AND:
        return "clem_vlanes_and";
    case PTX_OP_OR:
        return "clem_vlanes_or";
    case PTX_OP_XOR:
        return "clem_vlanes_xor";
    default:
        ptx_refuse(e, "an unknown reduction");
        return "";
    }
}

static void write_reduction(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const char *mask = members(e, step);
    ptx_warp_set(e, step, &step->operands[0], PTX_U32,
                 ptx_format(e, "%s(%s, %s, clem_active)", reduction_function(e, step),
                            ptx_warp_value(e, &step->operands[1], PTX_U32), mask));
}

static void write_election(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const char *first =
        hold(e, "clem_u32v", ptx_format(e, "clem_first_lanes(%s)", members(e, step)));
    ptx_warp_set(e, step, &step->operands[0], PTX_B32, first);
    if (ptx_destination_count(step) == 2)
        ptx_warp_set(e, step, &step->operands[1], PTX_PRED,
                     ptx_format(e, "(%s == clem_iota)", first));
}

static void write_warp_step(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    switch (step->opcode) {
    case PTX_OPCODE_shfl:
        write_shuffle(e, step);
        break;
    case PTX_OPCODE_vote:
        write_vote(e, step);
        break;
    case PTX_OPCODE_match:
        write_match(e, step);
        break;
    case PTX_OPCODE_redux:
        write_reduction(e, step);
        break;
    case PTX_OPCODE_elect:
        write_election(e, step);
        break;
    case PTX_OPCODE_activemask:
        ptx_warp_set(e, step, &step->operands[0], PTX_B32, "((clem_u32v)(clem_active))");
        break;
    default:
        break; /* bar.warp.sync: to be here together is all */
    }
}

/* ---- Barriers ---- */

/* Released lanes find in clem_wait how many of how many said yes, or 0 where nobody in the block did: warps then pass as they
 * do a barrier without a question (clem_settle_lanes()). */
static void write_barrier_result(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const uint8_t operation =
        step->operation == PTX_OP_RED ? step->second_operation : step->operation;
    const struct ptx_operand *to = &step->operands[0];
    const char *found =
        hold(e, "uint", "clem_wait[clem_base + 31u - clz(clem_active & (0u - clem_active))]");
    const bool is_count = operation == PTX_OP_POPC;
    const char *count = ptx_format(e, "(%s & 0xffffu)", found);
    const char *value = is_count ? count
                        : operation == PTX_OP_AND
                            ? ptx_format(e, "(uchar)(%s && %s == %s >> 16)", found, count, found)
                            : ptx_format(e, "(uchar)(%s != 0u)", count);
    if (to->kind == PTX_OPERAND_REGISTER && e->warp_writer->is_uniform[to->index]) {
        ptx_warp_take_one(e, (uint32_t)to->index, false);
        ptx_set(e, to, is_count ? PTX_U32 : PTX_PRED, value);
        ptx_warp_keep_one(e, (uint32_t)to->index);
    } else {
        ptx_warp_set(e, step, to, is_count ? PTX_U32 : PTX_PRED,
                     is_count ? ptx_format(e, "((clem_u32v)(%s))", value)
                              : ptx_format(e, "((clem_s32v)(-(int)%s))", value));
    }
}

static void write_arrival(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_barrier_operands o = ptx_barrier_operands_of(step);
    if (!o.number)
        return;
    ptx_line(e, "if (clem_others == 0u)");
    ptx_line(e, "    clem_part_lanes(clem_state + clem_base, clem_active);");
    ptx_line(e,
             "clem_arrived[clem_lowest_u32(%s, clem_active) & 15u] += "
             "clem_weight(clem_state + clem_base, 32u, clem_active);",
             ptx_warp_value(e, o.number, PTX_U32));
}

static void write_step(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    if (!ptx_is_barrier(step))
        write_warp_step(e, step);
    else if (ptx_barrier_arrives(step))
        write_arrival(e, step);
    else if (ptx_barrier_reduces(step))
        write_barrier_result(e, step);
}

void ptx_warp_step(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    e->instruction = step;
    if (ptx_orders_memory(step))
        ptx_keep_order(e);
    ptx_access(
        e, &(struct ptx_access){.kind = ptx_is_barrier(step) ? PTX_ACCESS_BARRIER : PTX_ACCESS_WARP,
                                .write = write_step});
}
