/* Kernels whose threads neither meet nor wait, and go where memory tells them, in loops or if memory lets them: what a warp's lanes
 * do at once would be one load for each lane, for as many turns as the longest of them has. So the threads of a block run one after
 * the other: the text is that of a warp whose registers are all the same for its lanes, of which there is one.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "kernels/ptx/host/runtime.h"
#include "kernels/ptx/native/native_flow.h"

#define OF_BLOCK(member)  offsetof(struct ptx_native_block, member)
#define OF_LAUNCH(member) offsetof(struct ptx_native_launch, member)

/* ---- Which kernels ---- */

static bool is_known_special(int32_t special)
{
    return special >= PTX_TID_X && special <= PTX_NCTAID_Z;
}

static bool reads_known(const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_SPECIAL && !is_known_special(in->operands[i].index))
            return false;
    return true;
}

static bool is_simple(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_ld:
    case PTX_OPCODE_st:
        return !ptx_is_volatile(in) && in->space != PTX_SPACE_SHARED &&
               in->space != PTX_SPACE_LOCAL;
    case PTX_OPCODE_bra:
    case PTX_OPCODE_ret:
    case PTX_OPCODE_exit:
    case PTX_OPCODE_mov:
    case PTX_OPCODE_cvta:
        return true;
    default:
        return ptx_native_has_operation(in);
    }
}

bool ptx_native_suits_threads(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    if (plan->body_count != 1 || plan->shared_count > 0 || plan->local_bytes > 0 ||
        plan->jump_count > 0 || !ptx_native_goes_where_told(e))
        return false;
    const struct ptx_function *function = plan->bodies[0].function;
    for (size_t i = 0; i < function->instruction_count; i++)
        if (!is_simple(&function->instructions[i]) || !reads_known(&function->instructions[i]))
            return false;
    return true;
}

/* ---- What is known ---- */

static bool *all_true(struct ptx_native *n, size_t count)
{
    bool *made = ptx_arena_take(n->e->arena, count + 1);
    memset(made, true, count * sizeof *made);
    return made;
}

void ptx_native_find_threads(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    f->uniform.registers = all_true(n, f->function->register_count);
    f->uniform.branches = all_true(n, f->graph->count);
    f->uniform.is_divergent = ptx_arena_take(n->e->arena, f->graph->count + 1);
}

/* ---- The text ---- */

static const char *const counters[] = {"%warp", "%column", "%within"};

/* The counters of a turn count the threads of a row, its rows and layers. */
void ptx_native_turn_of_thread(struct ptx_native *n)
{
    for (unsigned axis = 0; axis < 3; axis++)
        ptx_native_do(n, "%%tid.%u.0 = load i32, %s %s", axis, ptx_native_pointer_type(n, "i32"),
                      counters[axis]);
    ptx_native_do(n, "%%state.%zu = or i32 1, 0", OF_BLOCK(lanes));
}

void ptx_native_next_thread(struct ptx_native *n)
{
    for (unsigned axis = 0; axis < 3; axis++) {
        const char *count = ptx_native_of_launch(n, OF_LAUNCH(block) + 4 * (size_t)axis, "i32");
        const char *next =
            ptx_native_emit(n, "add i32 %s, 1", ptx_native_load_word(n, counters[axis]));
        const char *is_more = ptx_native_emit(n, "icmp ult i32 %s, %s", next, count);
        const char *end = axis < 2 ? ptx_native_name(n, "end") : "leave";
        ptx_native_store_word(n, counters[axis], next);
        ptx_native_do(n, "br i1 %s, label %%turn, label %%%s", is_more, end);
        if (axis == 2)
            return;
        ptx_native_label(n, end);
        ptx_native_store_word(n, counters[axis], "0");
    }
}
