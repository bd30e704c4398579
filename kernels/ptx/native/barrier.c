/* Barriers of the block in the native form: where a warp leaves its function, and enters it again.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "kernels/ptx/native/native_flow.h"
#include "kernels/ptx/native/runtime.h"

/* ---- The frame ---- */

/* A part's alloca's type, and the one that memory has: predicates are words of lanes. */
static void move_register(struct ptx_native *n, uint32_t index, unsigned part, bool is_saved)
{
    const char *type = ptx_native_place_type(n, index);
    const bool is_mask = n->flow->function->registers[index].type == PTX_PRED &&
                         !ptx_native_is_uniform(n, index);
    const char *stored = is_mask ? "i32" : type;
    const bool is_uniform = ptx_native_is_uniform(n, index);
    const size_t bytes =
        is_uniform ? 16 : 32 * (ptx_native_bits((enum ptx_type)n->flow->function->registers[index].type) + 7) / 8;
    const char *frame = ptx_native_of_block(n, offsetof(struct ptx_native_block, frame), "i64");
    const char *at =
        ptx_native_emit(n, "add i64 %s, %zu", frame, n->flow->frame_at[index] + part * bytes);
    const char *p = ptx_native_pointer(n, stored, at);
    const char *place = ptx_native_place(n, index, part);
    const unsigned alignment = is_uniform ? 16 : is_mask ? 4 : 32;
    if (is_saved) {
        const char *value = ptx_native_emit(n, "load %s, %s %s", type,
                                            ptx_native_pointer_type(n, type), place);
        if (is_mask)
            value = ptx_native_emit(n, "bitcast <32 x i1> %s to i32", value);
        ptx_native_do(n, "store %s %s, %s %s, align %u", stored, value,
                      ptx_native_pointer_type(n, stored), p, alignment);
        return;
    }
    const char *value = ptx_native_emit(n, "load %s, %s %s, align %u", stored,
                                        ptx_native_pointer_type(n, stored), p, alignment);
    if (is_mask)
        value = ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", value);
    ptx_native_do(n, "store %s %s, %s %s", type, value, ptx_native_pointer_type(n, type), place);
}

static void move_registers(struct ptx_native *n, bool is_saved)
{
    const struct ptx_native_flow *f = n->flow;
    for (uint32_t i = 0; i < f->function->register_count; i++)
        for (unsigned part = 0;
             f->has_place[i] && ptx_flow_is_live(f->graph, f->node, i) && part < ptx_native_parts(n, i);
             part++)
            move_register(n, i, part, is_saved);
}

/* ---- Barriers ---- */

static struct ptx_native_value number_of(struct ptx_native *n, const struct ptx_operand *o)
{
    n->is_vector = false;
    return ptx_native_read(n, o, PTX_U32);
}

static void tell(struct ptx_native *n, size_t at, const char *value)
{
    const char *address = ptx_native_emit(n, "add i64 %%state, %zu", at);
    const char *p = ptx_native_pointer(n, "i32", address);
    ptx_native_do(n, "store i32 %s, %s %s", value, ptx_native_pointer_type(n, "i32"), p);
}

#define TELL(n, member, value) tell(n, offsetof(struct ptx_native_block, member), value)

/* What of a barrier's operands is the number, the count (0: none), and of a reduction the predicate. */
struct parts {
    uint32_t number, count, predicate;
};

static struct parts parts_of(const struct ptx_instruction *in)
{
    if (!ptx_barrier_reduces(in))
        return (struct parts){0, in->operand_count > 1 ? 1 : 0, 0};
    return (struct parts){1, in->operand_count > 3 ? 2 : 0, in->operand_count > 3 ? 3 : 2};
}

static void take_result(struct ptx_native *n, const struct ptx_instruction *in)
{
    const uint8_t operation = in->operation == PTX_OP_RED ? in->second_operation : in->operation;
    const char *result =
        ptx_native_of_block(n, offsetof(struct ptx_native_block, result), "i32");
    const char *votes = ptx_native_emit(n, "and i32 %s, 65535", result);
    if (operation == PTX_OP_POPC) {
        ptx_native_set(n, in, &in->operands[0], PTX_U32, ptx_native_number(n, 32, votes));
        return;
    }
    const char *all = ptx_native_emit(n, "lshr i32 %s, 16", result);
    const char *holds = operation == PTX_OP_AND
                            ? ptx_native_emit(n, "icmp eq i32 %s, %s", votes, all)
                            : ptx_native_emit(n, "icmp ne i32 %s, 0", votes);
    ptx_native_set(n, in, &in->operands[0], PTX_PRED, ptx_native_number(n, 1, holds));
}

static void write_barrier(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    struct ptx_native_flow *f = n->flow;
    const int32_t site = f->sites[f->node];
    const struct parts parts = parts_of(in);
    if (in->operand_count <= parts.number || in->operand_count <= parts.predicate) {
        ptx_refuse(e, "a barrier without a number");
        return;
    }
    TELL(n, number, number_of(n, &in->operands[parts.number]).text);
    TELL(n, count, parts.count ? number_of(n, &in->operands[parts.count]).text : "0");
    TELL(n, lanes, f->mask);
    if (parts.predicate) {
        n->is_vector = true;
        const struct ptx_native_value p =
            ptx_native_read(n, &in->operands[parts.predicate], PTX_PRED);
        TELL(n, votes,
             ptx_native_emit(n, "and i32 %s, %s", ptx_native_lanes(n, p), f->mask));
    } else {
        TELL(n, votes, "0");
    }
    move_registers(n, true);
    ptx_native_do(n, "ret i32 %d", (int)site);
    ptx_native_label(n, ptx_format(e, "S%d", (int)site));
    move_registers(n, false);
    f->mask = ptx_native_of_block(n, offsetof(struct ptx_native_block, lanes), "i32");
    f->stamp++;
    n->carry.text = NULL;
    if (ptx_barrier_reduces(in))
        take_result(n, in);
}

static void write_arrival(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    struct ptx_native *n = e->native;
    if (in->operand_count < 2) {
        ptx_refuse(e, "a barrier without a count");
        return;
    }
    ptx_native_declare(n, "declare void @clem_native_arrive(i64, i32, i32, i32)");
    const char *number = number_of(n, &in->operands[0]).text;
    const char *count = number_of(n, &in->operands[1]).text;
    ptx_native_do(n, "call void @clem_native_arrive(i64 %%state, i32 %s, i32 %s, i32 %s)",
                  n->flow->mask, number, count);
}

void ptx_native_park(struct ptx_native *n, const struct ptx_instruction *in)
{
    ptx_access(n->e, &(struct ptx_access){.kind = PTX_ACCESS_BARRIER,
                                          .write = ptx_barrier_arrives(in) ? write_arrival
                                                                           : write_barrier});
}
