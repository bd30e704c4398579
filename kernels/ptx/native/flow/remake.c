/* Registers that need not be kept at barriers: what is made of numbers, of where the thread is and of the kernel's parameters alone
 * is made again behind them. A warp's frame takes stores and loads; these are a few operations on one number, of which LLVM
 * leaves those that somebody wants.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

enum { MOST_DEPTH = 4 }; /* instructions that lead from one to the next */

static bool is_simple(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_mov:
    case PTX_OPCODE_ld:
    case PTX_OPCODE_cvta:
    case PTX_OPCODE_cvt:
    case PTX_OPCODE_add:
    case PTX_OPCODE_sub:
    case PTX_OPCODE_mul:
    case PTX_OPCODE_mad:
    case PTX_OPCODE_shl:
    case PTX_OPCODE_shr:
    case PTX_OPCODE_and:
    case PTX_OPCODE_or:
    case PTX_OPCODE_setp:
        return in->guard < 0 && in->width <= 1 && !(in->flags & PTX_CC) &&
               !in->has_second_destination;
    default:
        return false;
    }
}

static bool is_place_of_thread(int32_t special)
{
    return special >= PTX_TID_X && special <= PTX_LANEID;
}

static bool can_be_made(struct ptx_native *n, uint32_t index, int depth);

static bool can_be_read(struct ptx_native *n, const struct ptx_operand *o, int depth)
{
    switch (o->kind) {
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
        return true;
    case PTX_OPERAND_SPECIAL:
        return is_place_of_thread(o->index);
    case PTX_OPERAND_VARIABLE:
        return o->variable->space == PTX_SPACE_SHARED;
    case PTX_OPERAND_ADDRESS:
        return o->index < 0 && o->variable && o->variable->space == PTX_SPACE_PARAM;
    case PTX_OPERAND_REGISTER:
        return !o->part && can_be_made(n, (uint32_t)o->index, depth + 1);
    default:
        return false;
    }
}

/* Of one number for a warp, or a comparison of such. */
static bool is_cheap(const struct ptx_native *n, uint32_t index, const struct ptx_instruction *in)
{
    const bool is_number = ptx_native_is_uniform(n, index) || ptx_native_is_line(n, index);
    return is_number ||
           (in->opcode == PTX_OPCODE_setp && !ptx_type_is_float((enum ptx_type)in->types[0]));
}

static bool can_be_made(struct ptx_native *n, uint32_t index, int depth)
{
    const struct ptx_native_flow *f = n->flow;
    if (depth >= MOST_DEPTH || f->definitions[index] != 1)
        return false;
    const struct ptx_instruction *in = f->set_by[index];
    if (!is_simple(in) || !ptx_flow_is_pure(f->function, in) || in->operand_count < 2 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].part ||
        !is_cheap(n, index, in) ||
        f->graph->position[f->graph->node_of[in - f->function->instructions]] == PTX_NO_NODE)
        return false;
    for (uint32_t i = 1; i < in->operand_count; i++)
        if (!can_be_read(n, &in->operands[i], depth))
            return false;
    return true;
}

void ptx_native_find_remade(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    f->is_remade = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    for (uint32_t r = 0; !f->is_parted && f->site_count > 0 && r < f->function->register_count; r++)
        f->is_remade[r] = can_be_made(n, r, 0);
}

/* What it reads first. */
static void remake(struct ptx_native *n, uint32_t index)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *in = f->set_by[index];
    if (f->remade_in[index] == f->stamp)
        return;
    f->remade_in[index] = f->stamp;
    for (uint32_t i = 1; i < in->operand_count; i++)
        if (in->operands[i].kind == PTX_OPERAND_REGISTER)
            remake(n, (uint32_t)in->operands[i].index);
    f->write(n, in);
}

void ptx_native_remake_of(struct ptx_native *n, const bool *which)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *const here = n->e->instruction;
    if (!f->remade_in)
        f->remade_in =
            ptx_arena_array(n->e->arena, f->function->register_count + 1, sizeof *f->remade_in);
    for (uint32_t r = 0; r < f->function->register_count; r++)
        if (f->is_remade[r] && f->has_place[r] && which[r])
            remake(n, r);
    n->e->instruction = here;
}

void ptx_native_remake(struct ptx_native *n)
{
    const struct ptx_native_flow *f = n->flow;
    bool *lives = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    for (uint32_t r = 0; r < f->function->register_count; r++)
        lives[r] = ptx_flow_is_live(f->graph, f->node, r);
    ptx_native_remake_of(n, lives);
}
