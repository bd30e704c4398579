/* PTX_FORM_ITEM: barriers, and what the threads of a warp do together. By OpenCL C's barrier() where
 * that is all; otherwise by inline PTX, which only devices with NVIDIA's asm have: for others
 * translate.c chooses PTX_FORM_BLOCK.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/emit/access.h"

/* ---- Barriers ---- */

static bool has_operation(const struct ptx_instruction *in, uint8_t operation)
{
    return in->operation == operation || in->second_operation == operation;
}

/* bar.sync 0, barrier.sync 0: all threads of the block, nothing else. */
static bool is_plain_barrier(const struct ptx_instruction *in)
{
    return !has_operation(in, PTX_OP_RED) && !has_operation(in, PTX_OP_ARRIVE) &&
           in->operand_count == 1 && in->operands[0].kind == PTX_OPERAND_INTEGER &&
           in->operands[0].bits == 0;
}

bool ptx_has_partial_barriers(const struct ptx_plan *plan)
{
    for (size_t i = 0; i < plan->body_count; i++) {
        const struct ptx_function *function = plan->bodies[i].function;
        for (size_t j = 0; j < function->instruction_count; j++)
            if (ptx_is_barrier(&function->instructions[j]) &&
                !is_plain_barrier(&function->instructions[j]))
                return true;
    }
    return false;
}

/* bar.red.popc.u32 d, a{, b}, c and .and.pred, .or.pred. */
static void emit_reduction(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    const bool has_count = in->operand_count > 3;
    const uint8_t operation = in->operation == PTX_OP_RED ? in->second_operation : in->operation;
    const bool is_count = operation == PTX_OP_POPC;
    const char *name = is_count ? "popc" : operation == PTX_OP_AND ? "and" : "or";
    if (in->operand_count < 3 || (!is_count && operation != PTX_OP_AND && operation != PTX_OP_OR)) {
        ptx_refuse(e, "a reduction of a kind that has no translation");
        return;
    }
    const char *call = ptx_access_text(
        e, PTX_ACCESS_BARRIER,
        ptx_format(e, "clem_native_bar_%s%s(%s, %s, %s)", name, has_count ? "_count" : "",
                   ptx_value(e, &o[1], PTX_U32), has_count ? ptx_value(e, &o[2], PTX_U32) : "0u",
                   ptx_predicate(e, &o[has_count ? 3 : 2])));
    if (is_count)
        ptx_set(e, &o[0], PTX_U32, call);
    else
        ptx_set(e, &o[0], PTX_PRED, ptx_format(e, "(uchar)%s", call));
}

static void write_barrier(struct ptx_emitter *e, const char *call)
{
    ptx_line(e, "%s;", ptx_access_text(e, PTX_ACCESS_BARRIER, call));
}

/* Compilers that make one loop over work-items of what lies between two barriers take those away. */
static void write_plain_barrier(struct ptx_emitter *e)
{
    ptx_keep_order(e);
    write_barrier(e, "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)");
    ptx_keep_order(e);
}

static void emit_barrier(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_operand *o = in->operands;
    if (is_plain_barrier(in) && e->plan->resumes)
        ptx_resume_barrier(e);
    else if (is_plain_barrier(in))
        write_plain_barrier(e);
    else if (!e->target->has_nvidia_asm)
        ptx_refuse(e, "barriers of some threads have no translation here");
    else if (has_operation(in, PTX_OP_RED))
        emit_reduction(e, in);
    else if (in->operand_count == 2)
        write_barrier(e, ptx_format(e, "clem_native_bar_%s(%s, %s)",
                                    has_operation(in, PTX_OP_ARRIVE) ? "arrive" : "sync_count",
                                    ptx_value(e, &o[0], PTX_U32), ptx_value(e, &o[1], PTX_U32)));
    else if (in->operand_count == 1)
        write_barrier(e, ptx_format(e, "clem_native_bar_sync(%s)", ptx_value(e, &o[0], PTX_U32)));
    else
        ptx_refuse(e, "a barrier without a number");
}

/* ---- Warps ---- */

/* The member mask: the last operand of .sync instructions; all that are here for the older ones. */
static const char *members(struct ptx_emitter *e, const struct ptx_instruction *in, uint32_t index)
{
    return index < in->operand_count ? ptx_value(e, &in->operands[index], PTX_U32)
                                     : "clem_native_activemask()";
}

static const char *warp_call(struct ptx_emitter *e, const char *call)
{
    return ptx_access_text(e, PTX_ACCESS_WARP, call);
}

/* `{ uint t1; d = call; p = t1; }` where the call's last argument is &t1. */
static void write_pair(struct ptx_emitter *e, const struct ptx_instruction *in, const char *call)
{
    const char *flag = ptx_temporary(e);
    const char *value = ptx_temporary(e);
    ptx_line(e, "{");
    ptx_line(e, "uint %s;", flag);
    ptx_line(e, "const uint %s = %s;", value, warp_call(e, ptx_format(e, "%s, &%s)", call, flag)));
    ptx_set(e, &in->operands[0], PTX_U32, value);
    if (in->has_second_destination)
        ptx_set(e, &in->operands[1], PTX_PRED, ptx_format(e, "(uchar)(%s != 0u)", flag));
    ptx_line(e, "}");
}

static void emit_shfl(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const char *const modes[] = {
        [PTX_OP_UP] = "up", [PTX_OP_DOWN] = "down", [PTX_OP_BFLY] = "bfly", [PTX_OP_IDX] = "idx"};
    const uint32_t first = in->has_second_destination ? 2 : 1;
    if (in->operation < PTX_OP_UP || in->operation > PTX_OP_IDX || in->operand_count < first + 3) {
        ptx_refuse(e, "a shuffle of a kind that has no translation");
        return;
    }
    const struct ptx_operand *o = &in->operands[first];
    write_pair(e, in,
               ptx_format(e, "clem_native_shfl_%s(%s, %s, %s, %s", modes[in->operation],
                          ptx_value(e, &o[0], PTX_U32), ptx_value(e, &o[1], PTX_U32),
                          ptx_value(e, &o[2], PTX_U32), members(e, in, first + 3)));
}

static void emit_vote(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const char *const modes[] = {[PTX_OP_ALL] = "all",
                                        [PTX_OP_ANY] = "any",
                                        [PTX_OP_UNI] = "uni",
                                        [PTX_OP_BALLOT] = "ballot"};
    if (in->operation < PTX_OP_ALL || in->operation > PTX_OP_BALLOT || in->operand_count < 2) {
        ptx_refuse(e, "a vote of a kind that has no translation");
        return;
    }
    const char *call =
        warp_call(e, ptx_format(e, "clem_native_vote_%s(%s, %s)", modes[in->operation],
                                ptx_predicate(e, &in->operands[1]), members(e, in, 2)));
    if (in->operation == PTX_OP_BALLOT)
        ptx_set(e, &in->operands[0], PTX_U32, call);
    else
        ptx_set(e, &in->operands[0], PTX_PRED, ptx_format(e, "(uchar)%s", call));
}

static void emit_match(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const uint32_t first = in->has_second_destination ? 2 : 1;
    if (in->operand_count < first + 2) {
        ptx_refuse(e, "operands are missing");
        return;
    }
    const unsigned bits = 8 * (unsigned)ptx_type_bytes(in->types[0]);
    const char *value = ptx_value(e, &in->operands[first], bits == 64 ? PTX_U64 : PTX_U32);
    const char *mask = ptx_value(e, &in->operands[first + 1], PTX_U32);
    const bool is_all = in->operation == PTX_OP_ALL;
    const char *call =
        ptx_format(e, "clem_native_match_%s_%u(%s, %s", is_all ? "all" : "any", bits, value, mask);
    if (is_all)
        write_pair(e, in, call);
    else
        ptx_set(e, &in->operands[0], PTX_U32, warp_call(e, ptx_format(e, "%s)", call)));
}

static void emit_redux(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    static const char *const names[] = {
        [PTX_OP_AND] = "and", [PTX_OP_OR] = "or",   [PTX_OP_XOR] = "xor",
        [PTX_OP_ADD] = "add", [PTX_OP_MIN] = "min", [PTX_OP_MAX] = "max"};
    const char *name = in->operation < sizeof names / sizeof *names ? names[in->operation] : NULL;
    const enum ptx_type type = in->types[0];
    if (!name || in->operand_count < 3 || ptx_type_bytes(type) != 4 || ptx_type_is_float(type)) {
        ptx_refuse(e, "a reduction of a kind that has no translation");
        return;
    }
    ptx_set(e, &in->operands[0], type,
            warp_call(e, ptx_format(e, "clem_native_redux_%s_%s(%s, %s)", name, ptx_type_name(type),
                                    ptx_value(e, &in->operands[1], type),
                                    ptx_value(e, &in->operands[2], PTX_U32))));
}

static void emit_warp_operation(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_shfl:
        emit_shfl(e, in);
        break;
    case PTX_OPCODE_vote:
        emit_vote(e, in);
        break;
    case PTX_OPCODE_match:
        emit_match(e, in);
        break;
    case PTX_OPCODE_redux:
        emit_redux(e, in);
        break;
    case PTX_OPCODE_activemask:
        ptx_set(e, &in->operands[0], PTX_U32, warp_call(e, "clem_native_activemask()"));
        break;
    case PTX_OPCODE_elect:
        write_pair(e, in,
                   ptx_format(e, "clem_native_elect(%s",
                              members(e, in, in->has_second_destination ? 2 : 1)));
        break;
    default:
        ptx_line(e, "%s;",
                 warp_call(e, ptx_format(e, "clem_native_bar_warp(%s)", members(e, in, 0))));
    }
}

bool ptx_emit_warp(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (ptx_is_barrier(in)) {
        emit_barrier(e, in);
        return true;
    }
    if (!ptx_is_warp_operation(in))
        return false;
    if (e->target->has_nvidia_asm)
        emit_warp_operation(e, in);
    else
        ptx_refuse(e, "warp operations have no translation here");
    return true;
}
