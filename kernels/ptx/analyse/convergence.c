/* PTX_FORM_ITEM with warp operations by inline PTX: compilers may take such a statement for one that any
 * threads may come to by any way, and copy it. A loop whose number of turns they can tell becomes one
 * of four turns at a time and another for the rest, and code behind two branches on the same
 * condition becomes two pieces: the lanes of a warp then stand at different copies. So no condition
 * near a warp operation may be known to them: it passes through a statement that they cannot see into.
 * Source: LLVM copies so what is not marked convergent; NVIDIA 580's OpenCL compiler has no such mark
 * on asm statements, and lanes that leave a loop one by one got each other's values wrong.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/plan.h"

struct marks {
    struct ptx_emitter *e;
    const struct ptx_function *function;
    uint32_t *last;      /* per instruction: of the loop that begins there; 0: none does */
    bool *has_operation; /* per instruction: the loop that begins there has a warp operation */
    bool *is_marked;
};

static bool has_operation(const struct marks *m, uint32_t index)
{
    const struct ptx_instruction *in = &m->function->instructions[index];
    if (in->opcode != PTX_OPCODE_call)
        return ptx_is_warp_operation(in);
    if (in->operand_count < 2 || in->operands[1].kind != PTX_OPERAND_FUNCTION)
        return true;
    const struct ptx_body *callee = ptx_plan_body(m->e->plan, in->operands[1].function);
    return callee && callee->has_warp_operations;
}

static void note_jump(struct marks *m, uint32_t from, int64_t label)
{
    const uint32_t to = m->function->labels[label].instruction;
    if (to <= from && m->last[to] < from + 1)
        m->last[to] = from + 1;
}

/* A loop is what lies in the text between a label and the last jump back to it. */
static void find_loops(struct marks *m)
{
    for (uint32_t i = 0; i < m->function->instruction_count; i++) {
        const struct ptx_instruction *in = &m->function->instructions[i];
        if (in->opcode == PTX_OPCODE_bra && in->operand_count > 0 &&
            in->operands[0].kind == PTX_OPERAND_LABEL)
            note_jump(m, i, in->operands[0].index);
        if (in->opcode != PTX_OPCODE_brx || in->operand_count < 2 ||
            in->operands[1].kind != PTX_OPERAND_TARGETS)
            continue;
        const struct ptx_targets *targets = &m->function->targets[in->operands[1].index];
        for (size_t j = 0; j < targets->count; j++)
            note_jump(m, i, targets->labels[j]);
    }
}

/* The instructions from `first` up to `end` that are in no loop further in, which were all seen before:
 * marks their guards where one of those up to `end` is a warp operation. A loop further in that
 * goes on behind `end` takes `end` with it. Returns `end`. */
static uint32_t mark_level(struct marks *m, uint32_t first, uint32_t end, bool *has)
{
    const uint32_t begin = first;
    for (uint32_t i = first; i < end;) {
        const bool is_inner = m->last[i] > 0 && i > begin;
        *has |= is_inner ? m->has_operation[i] : has_operation(m, i);
        i = is_inner ? m->last[i] : i + 1;
        end = end < i ? i : end;
    }
    for (uint32_t i = first; *has && i < end;) {
        const bool is_inner = m->last[i] > 0 && i > begin;
        m->is_marked[i] |= !is_inner && m->function->instructions[i].guard >= 0;
        i = is_inner ? m->last[i] : i + 1;
    }
    return end;
}

const bool *ptx_opaque_guards(struct ptx_emitter *e)
{
    const struct ptx_body *body = ptx_current_body(e);
    const uint32_t count = (uint32_t)body->function->instruction_count;
    if (!e->target->has_nvidia_asm || !body->has_warp_operations || count == 0)
        return NULL;
    struct marks m = {.e = e, .function = body->function};
    m.last = ptx_arena_array(e->arena, count + 1, sizeof *m.last);
    m.has_operation = ptx_arena_array(e->arena, count + 1, sizeof *m.has_operation);
    m.is_marked = ptx_arena_array(e->arena, count, sizeof *m.is_marked);
    find_loops(&m);
    for (uint32_t i = count; i-- > 0;)
        if (m.last[i] > 0)
            m.last[i] = mark_level(&m, i, m.last[i], &m.has_operation[i]);
    bool is_any = true;
    (void)mark_level(&m, 0, count, &is_any);
    return m.is_marked;
}
