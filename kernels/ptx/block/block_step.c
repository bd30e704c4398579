/* Steps: what the threads of a block or a warp do together at the start of a region.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/block/block.h"
#include "kernels/ptx/emit/access.h"
#include "kernels/ptx/emit/checked.h"

#include <string.h>

/* ---- What steps read ---- */

struct ptx_barrier_operands ptx_barrier_operands_of(const struct ptx_instruction *in)
{
    struct ptx_barrier_operands found = {0};
    uint32_t at = ptx_destination_count(in), end = in->operand_count;
    if (ptx_barrier_reduces(in) && end > at)
        found.predicate = &in->operands[--end];
    if (at < end)
        found.number = &in->operands[at++];
    if (at < end)
        found.threads = &in->operands[at];
    return found;
}

const struct ptx_operand *ptx_member_mask(const struct ptx_instruction *in)
{
    const bool has_mask = in->opcode == PTX_OPCODE_bar || in->opcode == PTX_OPCODE_elect ||
                          in->opcode == PTX_OPCODE_redux || in->opcode == PTX_OPCODE_match ||
                          ((in->opcode == PTX_OPCODE_shfl || in->opcode == PTX_OPCODE_vote) &&
                           (in->flags & PTX_SYNC));
    return has_mask && in->operand_count > 0 ? &in->operands[in->operand_count - 1] : NULL;
}

/* ---- Loops over lanes ---- */

static void note(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    ((bool *)with)[index] = true;
}

void ptx_block_name_local(struct ptx_emitter *e)
{
    ptx_line(e, "CLEM_SCRATCH uchar *const clem_local = clem_locals + clem_index * %zuu;",
             ptx_local_stride(e));
    ptx_line(e, "(void)clem_local;");
}

void ptx_block_begin_thread(struct ptx_emitter *e)
{
    ptx_line(e, "uint clem_next = CLEM_ENDED, clem_for = 0u;");
    ptx_block_name_local(e);
}

/* The registers that the step reads are loaded, those that it writes declared; closed by end_lanes(). */
static void begin_lanes(struct ptx_emitter *e, bool writes)
{
    const struct ptx_instruction *step = e->block_writer->region->step;
    const size_t count = e->function->register_count;
    bool *reads = ptx_arena_lend(e->arena, count + 1, sizeof *reads);
    bool *written = ptx_arena_lend(e->arena, count + 1, sizeof *written);
    const bool is_straight = e->block_writer->way == PTX_WAY_STRAIGHT;
    ptx_text_put(e->out, PTX_BLOCK_PLAIN_LOOP);
    ptx_line(e, "for (uint clem_lane = 0; clem_lane < clem_lanes; clem_lane++) {");
    if (!is_straight) {
        ptx_line(e, "if (!(clem_active >> clem_lane & 1u))");
        ptx_line(e, "    continue;");
    }
    ptx_line(e, "CLEM_THREAD(clem_base + clem_lane)");
    ptx_line(e, "(void)clem_tid_x, (void)clem_tid_y, (void)clem_tid_z;");
    if (writes && !is_straight) {
        ptx_block_begin_thread(e);
        ptx_line(e, "{");
    }
    if (writes)
        ptx_flow_writes(step, note, written);
    else
        ptx_flow_reads(step, note, reads);
    ptx_block_load(e, reads, written);
    e->instruction = step; /* what is loaded may be computed anew */
    ptx_arena_return(e->arena, written);
    ptx_arena_return(e->arena, reads);
    if (writes && !(ptx_check_exchanges(e, step) && (is_straight || !ptx_is_barrier(step))))
        ptx_check_step(e, step);
}

static bool is_used(const struct ptx_block_writer *writer, uint32_t index)
{
    const struct ptx_region *region = writer->region;
    if (region->touched[index])
        return true;
    for (size_t i = 0; i < region->target_count; i++)
        if (ptx_flow_is_live(writer->regions->flow, writer->regions->all[region->targets[i]].head,
                             index))
            return true;
    return false;
}

/* Where warps go one by one, the loop in which lanes take their results is left open for the rest of the
 * region. */
static void end_lanes(struct ptx_emitter *e, bool writes)
{
    struct ptx_block_writer *writer = e->block_writer;
    const size_t count = e->function->register_count;
    bool *written = ptx_arena_lend(e->arena, count + 1, sizeof *written);
    if (writes)
        ptx_flow_writes(writer->region->step, note, written);
    for (uint32_t i = 0; i < count; i++)
        written[i] = written[i] && is_used(writer, i);
    ptx_block_store(e, written);
    ptx_arena_return(e->arena, written);
    ptx_line(e, "}");
    writer->is_lane_open = writes && writer->way != PTX_WAY_STRAIGHT;
}

/* ---- Warp operations ---- */

/* In the first loop lanes lay down what they bring: clem_x, clem_b, clem_c, and clem_m, the lanes that
 * they exchange with; in the second they take their results. */
static void lay_mask(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_operand *mask = ptx_member_mask(step);
    if (mask)
        ptx_line(e, "clem_m[clem_lane] = %s & clem_active;", ptx_value(e, mask, PTX_U32));
    else
        ptx_line(e, "clem_m[clem_lane] = clem_active;");
}

/* The end of the names of its functions, clem_lane_ and clem_warp_. */
static const char *shuffle_way(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    switch (step->operation) {
    case PTX_OP_UP:
        return "up";
    case PTX_OP_DOWN:
        return "down";
    case PTX_OP_BFLY:
        return "across";
    case PTX_OP_IDX:
        return "at";
    default:
        ptx_refuse(e, "an unknown shuffle");
        return "";
    }
}

/* The array that an operation leaves its result in, of elements of so many bytes; "0" where nobody reads it, NULL where it
 * is kept in another way. */
static const char *result_array(struct ptx_emitter *e, const struct ptx_operand *operand,
                                size_t bytes)
{
    const struct ptx_block_writer *writer = e->block_writer;
    if (operand->kind == PTX_OPERAND_SINK ||
        (operand->kind == PTX_OPERAND_REGISTER && !is_used(writer, (uint32_t)operand->index)))
        return "0";
    const char *array = ptx_block_array(e, operand);
    return array && ptx_type_bytes(ptx_register_type(e, (uint32_t)operand->index)) == bytes
               ? ptx_format(e, bytes == 4 ? "CLEM_BITS(%s)" : "%s + clem_base", array)
               : NULL;
}

/* The array that lanes bring their values in; likewise. */
static const char *brought_array(struct ptx_emitter *e, const struct ptx_operand *operand,
                                 size_t bytes)
{
    const char *array = ptx_block_array(e, operand);
    return array && ptx_type_bytes(ptx_register_type(e, (uint32_t)operand->index)) == bytes
               ? ptx_format(e, bytes == 4 ? "CLEM_BITS(%s)" : "%s + clem_base", array)
               : NULL;
}

/* What a warp does with registers that are in arrays, in one call: written out, each operation would cost compilers two
 * loops, and be made vectors of anew. */
static bool calls_shuffle(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_operand *o = step->operands;
    const unsigned from = ptx_destination_count(step);
    const char *to = result_array(e, &o[0], 4), *brought = brought_array(e, &o[from], 4);
    const char *is_within = from == 2 ? result_array(e, &o[1], 1) : "0";
    if (!to || !brought || !is_within || !ptx_block_is_constant(e, &o[from + 1]) ||
        !ptx_block_is_constant(e, &o[from + 2]))
        return false;
    ptx_line(e, "clem_warp_%s(%s, %s, %s, %s, %s, clem_active);", shuffle_way(e, step), to,
             is_within, brought, ptx_value(e, &o[from + 1], PTX_U32),
             ptx_value(e, &o[from + 2], PTX_U32));
    return true;
}

/* A lane that does not take part brings 0: undefined in CUDA, but sums over the first lanes of a warp
 * that shuffle at full width rely on it. */
static void write_shuffle(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_operand *o = step->operands;
    const unsigned from = ptx_destination_count(step);
    if (step->operand_count < from + 3) {
        ptx_refuse(e, "operands are missing");
        return;
    }
    if (calls_shuffle(e, step))
        return;
    ptx_line(e, "uint clem_x[32], clem_b[32];");
    begin_lanes(e, false);
    ptx_line(e, "clem_x[clem_lane] = %s;", ptx_value(e, &o[from], PTX_B32));
    ptx_line(e, "clem_b[clem_lane] = clem_lane_%s(clem_lane, %s, %s);", shuffle_way(e, step),
             ptx_value(e, &o[from + 1], PTX_U32), ptx_value(e, &o[from + 2], PTX_U32));
    end_lanes(e, false);
    begin_lanes(e, true);
    ptx_line(e, "const uint clem_from = clem_b[clem_lane] & 31u;");
    ptx_set(e, &o[0], PTX_B32,
            e->block_writer->way == PTX_WAY_STRAIGHT
                ? "(clem_from < clem_lanes ? clem_x[clem_from] : 0u)"
                : "(clem_active >> clem_from & 1u ? clem_x[clem_from] : 0u)");
    if (from == 2)
        ptx_set(e, &o[1], PTX_PRED, "(uchar)(clem_b[clem_lane] >> 5)");
    end_lanes(e, true);
}

/* Of the votes of the lanes of a mask, which is named. */
static const char *vote_result(struct ptx_emitter *e, const struct ptx_instruction *step,
                               const char *mask)
{
    switch (step->operation) {
    case PTX_OP_ALL:
        return ptx_format(e, "(uchar)((clem_votes & %s) == %s)", mask, mask);
    case PTX_OP_ANY:
        return ptx_format(e, "(uchar)((clem_votes & %s) != 0u)", mask);
    case PTX_OP_UNI:
        return ptx_format(e, "(uchar)((clem_votes & %s) == %s || (clem_votes & %s) == 0u)", mask,
                          mask, mask);
    case PTX_OP_BALLOT:
        return ptx_format(e, "(clem_votes & %s)", mask);
    default:
        ptx_refuse(e, "an unknown vote");
        return "0";
    }
}

/* Into clem_votes. */
static void collect_votes(struct ptx_emitter *e, const struct ptx_instruction *step, bool has_masks)
{
    const struct ptx_operand *vote = &step->operands[1];
    const char *brought = brought_array(e, vote, 1);
    if (brought && !has_masks) {
        ptx_line(e, "const uint clem_votes = %sclem_warp_votes(%s, clem_active);",
                 vote->is_negated ? "~" : "", brought);
        return;
    }
    ptx_line(e, "uint clem_votes = 0u;");
    begin_lanes(e, false);
    ptx_line(e, "clem_votes |= (uint)(%s) << clem_lane;", ptx_predicate(e, vote));
    if (has_masks)
        lay_mask(e, step);
    end_lanes(e, false);
}

static void write_vote(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_operand *mask = ptx_member_mask(step), *to = &step->operands[0];
    const bool is_ballot = step->operation == PTX_OP_BALLOT;
    const char *array = result_array(e, to, is_ballot ? 4 : 1);
    const bool has_masks = !array || (mask && !ptx_block_is_constant(e, mask));
    const bool is_full =
        !mask || (mask->kind == PTX_OPERAND_INTEGER && (uint32_t)mask->bits == UINT32_MAX);
    if (has_masks)
        ptx_line(e, "uint clem_m[32];");
    else if (!is_full)
        ptx_line(e, "const uint clem_mask = %s & clem_active;", ptx_value(e, mask, PTX_U32));
    collect_votes(e, step, has_masks);
    if (!has_masks) {
        ptx_line(e,
                 is_ballot ? "clem_warp_fill(%s, %s, clem_active);"
                           : "clem_warp_tell(%s, %s, clem_active);",
                 array, vote_result(e, step, is_full ? "clem_active" : "clem_mask"));
        return;
    }
    begin_lanes(e, true);
    ptx_set(e, to, is_ballot ? PTX_B32 : PTX_PRED, vote_result(e, step, "clem_m[clem_lane]"));
    end_lanes(e, true);
}

static void write_match(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const unsigned from = ptx_destination_count(step);
    const enum ptx_type type = step->types[0];
    ptx_line(e, "ulong clem_x[32];");
    ptx_line(e, "uint clem_m[32];");
    begin_lanes(e, false);
    ptx_line(e, "clem_x[clem_lane] = %s;",
             ptx_value(e, &step->operands[from], type == PTX_B64 ? PTX_U64 : PTX_U32));
    lay_mask(e, step);
    end_lanes(e, false);
    begin_lanes(e, true);
    ptx_line(e, "const uint clem_same = clem_lanes_equal(clem_x, clem_m[clem_lane], clem_lane);");
    if (step->operation == PTX_OP_ALL) {
        ptx_set(e, &step->operands[0], PTX_B32, "clem_same == clem_m[clem_lane] ? clem_same : 0u");
        if (from == 2)
            ptx_set(e, &step->operands[1], PTX_PRED, "(uchar)(clem_same == clem_m[clem_lane])");
    } else {
        ptx_set(e, &step->operands[0], PTX_B32, "clem_same");
    }
    end_lanes(e, true);
}

static const char *reduction_function(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const bool is_signed = step->types[0] == PTX_S32;
    if (ptx_type_is_float(step->types[0]))
        ptx_refuse(e, "reductions of floats by a warp have no translation");
    switch (step->operation) {
    case PTX_OP_ADD:
        return "clem_lanes_add";
    case PTX_OP_MIN:
        return is_signed ? "clem_lanes_min_s32" : "clem_lanes_min_u32";
    case PTX_OP_MAX:
        return is_signed ? "clem_lanes_max_s32" : "clem_lanes_max_u32";
    case PTX_OP_AND:
        return "clem_lanes_and";
    case PTX_OP_OR:
        return "clem_lanes_or";
    case PTX_OP_XOR:
        return "clem_lanes_xor";
    default:
        ptx_refuse(e, "an unknown reduction");
        return "";
    }
}

static void write_reduction(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    ptx_line(e, "uint clem_x[32], clem_m[32];");
    begin_lanes(e, false);
    ptx_line(e, "clem_x[clem_lane] = %s;", ptx_value(e, &step->operands[1], PTX_U32));
    lay_mask(e, step);
    end_lanes(e, false);
    begin_lanes(e, true);
    ptx_set(e, &step->operands[0], PTX_U32,
            ptx_format(e, "%s(clem_x, clem_m[clem_lane])", reduction_function(e, step)));
    end_lanes(e, true);
}

static void write_election(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    ptx_line(e, "uint clem_m[32];");
    begin_lanes(e, false);
    lay_mask(e, step);
    end_lanes(e, false);
    begin_lanes(e, true);
    ptx_line(e, "const uint clem_first = 31u - clz(clem_m[clem_lane] & -clem_m[clem_lane]);");
    ptx_set(e, &step->operands[0], PTX_B32, "clem_first");
    if (ptx_destination_count(step) == 2)
        ptx_set(e, &step->operands[1], PTX_PRED, "(uchar)(clem_first == clem_lane)");
    end_lanes(e, true);
}

static void write_active(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    begin_lanes(e, true);
    ptx_set(e, &step->operands[0], PTX_B32, "clem_active");
    end_lanes(e, true);
}

/* ---- Barriers ---- */

static const char *barrier_result(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const uint8_t operation =
        step->operation == PTX_OP_RED ? step->second_operation : step->operation;
    switch (operation) {
    case PTX_OP_POPC:
        return "clem_count";
    case PTX_OP_AND:
        return "(uchar)(clem_count == clem_all)";
    case PTX_OP_OR:
        return "(uchar)(clem_count != 0u)";
    default:
        ptx_refuse(e, "an unknown reduction");
        return "0";
    }
}

static void set_barrier_result(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const bool is_count = step->operation == PTX_OP_POPC || step->second_operation == PTX_OP_POPC;
    ptx_set(e, &step->operands[0], is_count ? PTX_U32 : PTX_PRED, barrier_result(e, step));
}

/* Released threads find in clem_wait how many of how many said yes. */
static void write_parted_barrier(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_barrier_operands o = ptx_barrier_operands_of(step);
    if (ptx_barrier_arrives(step) && o.number) {
        ptx_line(e, "uint clem_number = 0u;");
        begin_lanes(e, false);
        ptx_line(e, "clem_number = %s & 15u;", ptx_value(e, o.number, PTX_U32));
        end_lanes(e, false);
        ptx_line(e, "clem_arrived[clem_number] += clem_weight(clem_state + clem_base, clem_lanes, "
                    "clem_active);");
    } else if (ptx_barrier_reduces(step)) {
        begin_lanes(e, true);
        ptx_line(e, "const uint clem_count = clem_wait[clem_index] & 0xffffu;");
        ptx_line(e, "const uint clem_all = clem_wait[clem_index] >> 16;");
        ptx_line(e, "(void)clem_count, (void)clem_all;");
        set_barrier_result(e, step);
        end_lanes(e, true);
    }
}

static void begin_warps(struct ptx_emitter *e)
{
    const char *threads = ptx_block_threads(e);
    ptx_line(e, "for (uint clem_base = 0; clem_base < %s; clem_base += 32u) {", threads);
    ptx_line(e, "const uint clem_lanes = min(32u, %s - clem_base);", threads);
    ptx_line(e, "const uint clem_active = ~0u >> (32u - clem_lanes);");
}

static void write_straight_barrier(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    if (!ptx_barrier_reduces(step))
        return;
    const struct ptx_operand *predicate = ptx_barrier_operands_of(step).predicate;
    if (ptx_check_exchanges(e, step)) {
        ptx_line(e, "if (CLEM_SELDOM(CLEM_FOLLOWS(clem_checked))) {");
        ptx_check_exchange(e, step, &(struct ptx_exchange){.given = predicate});
        ptx_line(e, "}");
    }
    ptx_line(e, "const uint clem_all = %s;", ptx_block_threads(e));
    ptx_line(e, "uint clem_count = 0u;");
    ptx_line(e, "(void)clem_all;");
    begin_warps(e);
    begin_lanes(e, false);
    ptx_line(e, "clem_count += %s;", ptx_predicate(e, predicate));
    end_lanes(e, false);
    ptx_line(e, "}");
    begin_warps(e);
    begin_lanes(e, true);
    set_barrier_result(e, step);
    end_lanes(e, true);
    ptx_line(e, "}");
}

/* ---- Checks ---- */

/* Of threads in step, once for the block: the text may be run for one warp after the other. */
static void tell_barrier(struct ptx_emitter *e)
{
    if (e->block_writer->way == PTX_WAY_PARTED)
        return;
    if (e->block_writer->way == PTX_WAY_EITHER)
        ptx_line(e, "if (!clem_parted && clem_base == 0u)");
    ptx_check_meeting(
        e, &(struct ptx_meeting){.kind = "CLEM_CHECK_BARRIER", .value = ptx_block_threads(e)});
}

static void tell_arrival(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_barrier_operands o = ptx_barrier_operands_of(step);
    if (!ptx_barrier_arrives(step) || !o.number)
        return;
    begin_lanes(e, false);
    ptx_check_meeting(
        e, &(struct ptx_meeting){
               .kind = "CLEM_CHECK_BARRIER",
               .thread = "clem_index",
               .address = ptx_format(e, "(ulong)(%s & 15u)", ptx_value(e, o.number, PTX_U32))});
    end_lanes(e, false);
}

/* All lanes have one mask, so one tells, where any is there: the first, or the first that it does not name. */
static void tell_constant_mask(struct ptx_emitter *e, uint32_t mask)
{
    const char *name = ptx_format(e, "0x%xu", (unsigned)mask);
    ptx_line(e, "const uint clem_strange = clem_active & ~%s;", name);
    ptx_line(e, "const uint clem_some = clem_strange ? clem_strange : clem_active;");
    ptx_line(e, "if (clem_active != 0u) {");
    ptx_check_meeting(
        e, &(struct ptx_meeting){.kind = "CLEM_CHECK_WARP",
                                 .thread = "clem_base + 31u - clz(clem_some & -clem_some)",
                                 .address = "clem_there",
                                 .value = "clem_active",
                                 .more = name});
    ptx_line(e, "}");
}

static void tell_lanes(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_operand *mask = ptx_member_mask(step);
    if (!mask)
        return;
    const struct ptx_block_writer *writer = e->block_writer;
    const char *live = "clem_living(clem_state + clem_base, ~0u >> (32u - clem_lanes))";
    if (writer->way == PTX_WAY_STRAIGHT)
        live = "clem_active";
    else if (!writer->facts->has_parts)
        live = ptx_format(e, "(clem_parted ? %s : clem_active)", live);
    ptx_line(e, "const uint clem_there = %s;", live);
    if (mask->kind == PTX_OPERAND_INTEGER) {
        tell_constant_mask(e, (uint32_t)mask->bits);
        return;
    }
    begin_lanes(e, false);
    ptx_check_meeting(e, &(struct ptx_meeting){.kind = "CLEM_CHECK_WARP",
                                               .thread = "clem_index",
                                               .address = "clem_there",
                                               .value = "clem_active",
                                               .more = ptx_value(e, mask, PTX_U32)});
    end_lanes(e, false);
}

/* Whose value each lane takes, or the lanes whose values it takes in. */
static void follow_lanes(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_operand *o = step->operands;
    const unsigned from = ptx_destination_count(step);
    const struct ptx_operand *mask = ptx_member_mask(step);
    const bool is_shuffle = step->opcode == PTX_OPCODE_shfl;
    if (!ptx_check_exchanges(e, step) || (is_shuffle && step->operand_count < from + 3))
        return;
    ptx_line(e, "if (CLEM_SELDOM(CLEM_FOLLOWS(clem_checked))) {");
    ptx_line(e, "uint clem_others[32];");
    begin_lanes(e, false);
    if (is_shuffle)
        ptx_line(e, "clem_others[clem_lane] = clem_lane_%s(clem_lane, %s, %s) & 31u;",
                 shuffle_way(e, step), ptx_value(e, &o[from + 1], PTX_U32),
                 ptx_value(e, &o[from + 2], PTX_U32));
    else
        ptx_line(e, "clem_others[clem_lane] = %s;",
                 mask ? ptx_value(e, mask, PTX_U32) : "clem_active");
    end_lanes(e, false);
    ptx_check_exchange(e, step,
                       &(struct ptx_exchange){.given = &o[from],
                                              .chosen = is_shuffle ? &o[from + 1] : NULL,
                                              .lanes = "clem_others"});
    ptx_line(e, "}");
}

/* ---- All of them ---- */

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
        write_active(e, step);
        break;
    default:
        break; /* bar.warp.sync: to be here together is all */
    }
}

static void write_step(struct ptx_emitter *e, const struct ptx_instruction *step)
{
    const struct ptx_block_writer *writer = e->block_writer;
    const bool checks = ptx_checks_meetings(e);
    if (ptx_is_barrier(step) && checks) {
        tell_barrier(e);
        tell_arrival(e, step);
    }
    if (ptx_is_barrier(step) && writer->way == PTX_WAY_STRAIGHT) {
        write_straight_barrier(e, step);
    } else if (ptx_is_barrier(step)) {
        write_parted_barrier(e, step);
    } else {
        if (writer->way == PTX_WAY_STRAIGHT)
            begin_warps(e);
        if (checks)
            tell_lanes(e, step);
        follow_lanes(e, step);
        write_warp_step(e, step);
        if (writer->way == PTX_WAY_STRAIGHT)
            ptx_line(e, "}");
    }
}

bool ptx_block_has_step(const struct ptx_emitter *e, const struct ptx_region *region)
{
    const struct ptx_instruction *step = region->step;
    if (!step)
        return false;
    if (ptx_checks_meetings(e))
        return true;
    if (ptx_is_barrier(step))
        return ptx_barrier_arrives(step) || ptx_barrier_reduces(step);
    switch (step->opcode) {
    case PTX_OPCODE_shfl:
    case PTX_OPCODE_vote:
    case PTX_OPCODE_match:
    case PTX_OPCODE_redux:
    case PTX_OPCODE_elect:
    case PTX_OPCODE_activemask:
        return true;
    default:
        return false;
    }
}

void ptx_block_pass_step(struct ptx_emitter *e)
{
    struct ptx_block_writer *writer = e->block_writer;
    const struct ptx_instruction *step = writer->region->step;
    if (!step)
        return;
    e->instruction = step;
    writer->is_stepping = true;
    ptx_access(
        e, &(struct ptx_access){.kind = ptx_is_barrier(step) ? PTX_ACCESS_BARRIER : PTX_ACCESS_WARP,
                                .write = write_step});
    writer->is_stepping = false;
}

void ptx_block_step(struct ptx_emitter *e)
{
    if (!e->block_writer->region->step)
        return;
    ptx_line(e, "{");
    ptx_block_pass_step(e);
    if (!e->block_writer->is_lane_open)
        ptx_line(e, "}");
}
