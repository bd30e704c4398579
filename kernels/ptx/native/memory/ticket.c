/* Tickets: atomic sums whose results are wanted, as of counters that say where in memory to go on.
 *
 * Several threads of the host that add to one word wait for each other longer than for anything else that a warp does. Where a kernel
 * has one such sum, at one place for all lanes of a warp, and neither loops nor barriers, warps of several blocks come to it one
 * after the other, and wait there; one operation then adds for all of them, and each gets what there would have been without the
 * others behind it. Who waits keeps what it has as in a loop that is gone through in step (stroll.c).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdio.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

#define OF_TURN(member)   offsetof(struct ptx_native_turn, member)
#define OF_TICKET(member) offsetof(struct ptx_native_ticket, member)

/* ---- Which sum ---- */

static bool is_sum(struct ptx_native *n, const struct ptx_instruction *in)
{
    const struct ptx_operand *address = &in->operands[1];
    return in->opcode == PTX_OPCODE_atom && in->operation == PTX_OP_ADD && in->guard < 0 &&
           (in->types[0] == PTX_U32 || in->types[0] == PTX_S32) && in->operand_count == 3 &&
           in->space == PTX_SPACE_GLOBAL && in->scope != PTX_SCOPE_SYS &&
           ptx_native_is_relaxed(in) && ptx_native_wants_result(n->flow, in) &&
           address->kind == PTX_OPERAND_ADDRESS && !ptx_native_varies(n, address);
}

/* Whether a warp that waits keeps others from nothing. */
static bool is_harmless(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_atom:
    case PTX_OPCODE_red:
    case PTX_OPCODE_call:
    case PTX_OPCODE_trap:
    case PTX_OPCODE_brkpt:
        return false;
    default:
        return in->space != PTX_SPACE_SHARED;
    }
}

const struct ptx_instruction *ptx_native_find_ticket(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *found = NULL;
    if (f->is_parted || f->site_count > 0 || f->loop_count > 0 || n->e->plan->shared_count > 0 ||
        ptx_native_is_checked(n))
        return NULL;
    for (size_t i = 0; i < f->function->instruction_count; i++) {
        const struct ptx_instruction *in = &f->function->instructions[i];
        if (f->graph->position[f->graph->node_of[i]] == PTX_NO_NODE || is_harmless(in))
            continue;
        if (found || !is_sum(n, in))
            return NULL;
        found = in;
    }
    return found;
}

/* ---- What lanes add ---- */

static const char *of_lanes(struct ptx_native *n, const char *lanes, const char *vector)
{
    const char *here = ptx_native_emit(n, "bitcast i32 %s to <32 x i1>", lanes);
    return ptx_native_emit(n, "select <32 x i1> %s, <32 x i32> %s, <32 x i32> zeroinitializer",
                           here, vector);
}

const char *ptx_native_total(struct ptx_native *n, struct ptx_native_value x, const char *lanes)
{
    if (!x.is_vector) {
        ptx_native_declare(n, "declare i32 @llvm.ctpop.i32(i32)");
        const char *count = ptx_native_emit(n, "call i32 @llvm.ctpop.i32(i32 %s)", lanes);
        return ptx_native_emit(n, "mul i32 %s, %s", count, x.text);
    }
    ptx_native_declare(n, "declare i32 @llvm.vector.reduce.add.v32i32(<32 x i32>)");
    return ptx_native_emit(n, "call i32 @llvm.vector.reduce.add.v32i32(<32 x i32> %s)",
                           of_lanes(n, lanes, x.text));
}

static const char *vector_of(struct ptx_native *n, uint32_t (*element)(unsigned i, unsigned from),
                             unsigned from)
{
    char words[512];
    size_t used = 0;
    for (unsigned i = 0; i < PTX_NATIVE_LANES; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%si32 %u", i ? "," : "<",
                                 element(i, from));
    return ptx_format(n->e, "%s>", words);
}

static uint32_t number_from(unsigned i, unsigned from)
{
    return from + i;
}

static uint32_t lanes_before(unsigned i, unsigned from)
{
    (void)from;
    return (UINT32_C(1) << i) - 1u;
}

/* Of the row, each lane's and those before it, by steps of 1, 2, 4, 8 and 16. */
static const char *running_sums(struct ptx_native *n, const char *row)
{
    for (unsigned step = 1; step < PTX_NATIVE_LANES; step *= 2) {
        const char *before = ptx_native_emit(
            n, "shufflevector <32 x i32> zeroinitializer, <32 x i32> %s, <32 x i32> %s", row,
            vector_of(n, number_from, PTX_NATIVE_LANES - step));
        row = ptx_native_emit(n, "add <32 x i32> %s, %s", row, before);
    }
    return row;
}

struct ptx_native_value ptx_native_shares(struct ptx_native *n, const char *first,
                                          struct ptx_native_value x, const char *lanes)
{
    const char *before;
    if (x.is_vector) {
        const char *row = of_lanes(n, lanes, x.text);
        before = ptx_native_emit(n, "sub <32 x i32> %s, %s", running_sums(n, row), row);
    } else {
        ptx_native_declare(n, "declare <32 x i32> @llvm.ctpop.v32i32(<32 x i32>)");
        const char *lower = ptx_native_emit(
            n, "and <32 x i32> %s, %s", ptx_native_vector(n, ptx_native_number(n, 32, lanes)).text,
            vector_of(n, lanes_before, 0));
        const char *count =
            ptx_native_emit(n, "call <32 x i32> @llvm.ctpop.v32i32(<32 x i32> %s)", lower);
        before = ptx_native_emit(n, "mul <32 x i32> %s, %s", count, ptx_native_vector(n, x).text);
    }
    const struct ptx_native_value all = ptx_native_vector(n, ptx_native_number(n, 32, first));
    return (struct ptx_native_value){ptx_native_emit(n, "add <32 x i32> %s, %s", before, all.text),
                                     32, true};
}

/* ---- Waiting ---- */

static const char *place(struct ptx_native *n, size_t member, const char *type)
{
    const char *frame = ptx_native_of_block(n, offsetof(struct ptx_native_block, frame), "i64");
    return ptx_native_pointer(
        n, type, ptx_native_emit(n, "add i64 %s, %zu", frame, n->flow->ticket_at + member));
}

void ptx_native_draw(struct ptx_native *n, const struct ptx_native_value given[2])
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_native_stroll *pause = &f->strolls[0];
    const char *word = ptx_native_word_of(n, f->node);
    const bool is_known = f->mask[0] != '%';
    ptx_native_do(n, "store i64 %s, %s %s", given[0].text, ptx_native_pointer_type(n, "i64"),
                  place(n, OF_TICKET(at), "i64"));
    ptx_native_store_word(n, place(n, OF_TICKET(amount), "i32"),
                          ptx_native_total(n, given[1], f->mask));
    f->put_back(n);
    ptx_native_store_word(n, word, f->mask);
    const char *lanes = ptx_native_wait_in_step(n, pause);
    if (!f->is_full)
        ptx_native_store_word(n, ptx_native_of_turn(n, OF_TURN(lanes)), lanes);
    ptx_native_store_word(n, "%came", ptx_format(n->e, "%d", (int)pause->site));
    ptx_native_jump(n, "arrived");
    ptx_native_label(n, ptx_format(n->e, "S%d", (int)pause->site));
    const char *const before = f->mask;
    f->mask = "-1";
    ptx_native_go_on_in_step(n, pause);
    f->stamp++;
    n->carry.text = NULL;
    f->mask = is_known ? before : ptx_native_load_word(n, word);
    ptx_native_store_word(n, word, "0");
}

const char *ptx_native_drawn(struct ptx_native *n)
{
    return ptx_native_load_word(n, place(n, OF_TICKET(amount), "i32"));
}

void ptx_native_draw_all(struct ptx_native *n)
{
    ptx_native_declare(n, "declare void @clem_native_draw(i64, i64, i64)");
    ptx_native_do(n, "call void @clem_native_draw(i64 %%state, i64 %zu, i64 %zu)",
                  n->flow->frame_bytes, n->flow->ticket_at);
}
