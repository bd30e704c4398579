/* Registers that need not be kept at barriers: what is made of numbers, of where the thread is and of the kernel's parameters alone
 * is made again behind them. A warp's frame takes stores and loads; these are a few operations on one number, of which LLVM
 * leaves those that somebody wants.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/native/native_flow.h"

enum { MOST_DEPTH = 4 }; /* instructions that lead from one to the next */

bool ptx_native_is_simple(const struct ptx_instruction *in)
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

/* Whether it is the same for all blocks of a launch. */
static bool is_of_launch(int32_t special)
{
    return (special >= PTX_NTID_X && special <= PTX_NTID_Z) ||
           (special >= PTX_NCTAID_X && special <= PTX_NCTAID_Z);
}

/* of: which special registers it may be made of. */
struct making {
    struct ptx_native *n;
    bool (*of)(int32_t special);
};

static bool can_be_made(struct making making, uint32_t index, int depth);

static bool can_be_read(struct making making, const struct ptx_operand *o, int depth)
{
    switch (o->kind) {
    case PTX_OPERAND_INTEGER:
    case PTX_OPERAND_FLOAT:
        return true;
    case PTX_OPERAND_SPECIAL:
        return making.of(o->index);
    case PTX_OPERAND_VARIABLE:
        return o->variable->space == PTX_SPACE_SHARED;
    case PTX_OPERAND_ADDRESS:
        return o->index < 0 && o->variable && o->variable->space == PTX_SPACE_PARAM;
    case PTX_OPERAND_REGISTER:
        return !o->part && can_be_made(making, (uint32_t)o->index, depth + 1);
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

static bool can_be_made(struct making making, uint32_t index, int depth)
{
    const struct ptx_native_flow *f = making.n->flow;
    if (depth >= MOST_DEPTH || f->definitions[index] != 1)
        return false;
    const struct ptx_instruction *in = f->set_by[index];
    if (!ptx_native_is_simple(in) || !ptx_flow_is_pure(f->function, in) || in->operand_count < 2 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER || in->operands[0].part ||
        !is_cheap(making.n, index, in) ||
        f->graph->position[f->graph->node_of[in - f->function->instructions]] == PTX_NO_NODE)
        return false;
    for (uint32_t i = 1; i < in->operand_count; i++)
        if (!can_be_read(making, &in->operands[i], depth))
            return false;
    return true;
}

void ptx_native_find_remade(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    f->is_remade = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    for (uint32_t r = 0; !f->is_parted && f->site_count > 0 && r < f->function->register_count; r++)
        f->is_remade[r] = can_be_made((struct making){n, is_place_of_thread}, r, 0);
}

/* What LLVM computes before all turns, once the nodes that want it do not wait for the one that sets it. */
void ptx_native_find_constants(struct ptx_native *n)
{
    struct ptx_native_flow *f = n->flow;
    f->is_constant = ptx_arena_take(n->e->arena, f->function->register_count + 1);
    if (f->is_parted || f->by_thread || ptx_native_is_checked(n))
        return;
    for (uint32_t r = 0; r < f->function->register_count; r++)
        f->is_constant[r] = f->has_place[r] && ptx_native_is_uniform(n, r) &&
                            can_be_made((struct making){n, is_of_launch}, r, 0);
}

/* What it reads first. */
static void remake(struct ptx_native *n, uint32_t index)
{
    struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *in = f->set_by[index];
    if (!f->remade_in)
        f->remade_in =
            ptx_arena_array(n->e->arena, f->function->register_count + 1, sizeof *f->remade_in);
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
    for (uint32_t r = 0; r < f->function->register_count; r++)
        if (f->is_remade[r] && f->has_place[r] && which[r])
            remake(n, r);
    n->e->instruction = here;
}

static void remake_constant(void *with, uint32_t index, bool is_whole)
{
    (void)is_whole;
    struct ptx_native *const n = with;
    if (n->flow->is_constant[index] && ptx_flow_is_live(n->flow->graph, n->flow->node, index))
        remake(n, index);
}

void ptx_native_remake_constants(struct ptx_native *n, const struct ptx_node *range)
{
    const struct ptx_native_flow *f = n->flow;
    const struct ptx_instruction *const here = n->e->instruction;
    if (f->sites[f->node] > 0)
        return; /* behind its barrier all are made that live */
    for (uint32_t i = range->first; i < range->end; i++)
        ptx_flow_reads(&f->function->instructions[i], remake_constant, n);
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
