/* Stores that compilers bring out of order with what the same thread does behind them, where they make vectors of threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/step.h"

bool ptx_is_plain_access(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_ld || in->opcode == PTX_OPCODE_st) &&
           in->space != PTX_SPACE_PARAM && in->space != PTX_SPACE_CONST;
}

static const struct ptx_operand *address_of(const struct ptx_instruction *in)
{
    return &in->operands[in->opcode == PTX_OPCODE_ld];
}

static int64_t bytes_of(const struct ptx_instruction *in)
{
    const int64_t elements = in->width > 1 ? in->width : 1;
    return elements * (int64_t)ptx_type_bytes((enum ptx_type)in->types[0]);
}

/* Whether threads access places at a distance from each other. */
static bool is_at_distance(const int32_t *steps, const struct ptx_instruction *in)
{
    const int64_t step = ptx_step_of_operand(steps, address_of(in));
    return step != PTX_STEP_SLOW && step != 0 && step != bytes_of(in) && step != -bytes_of(in);
}

/* Whether a thread may come to what it has stored before; is_same: a register has in both what it had in the first. */
static bool may_meet(const struct ptx_instruction *store, const struct ptx_instruction *in,
                     bool is_same)
{
    const struct ptx_operand *a = address_of(store), *b = address_of(in);
    const bool are_apart = store->space != in->space && store->space != PTX_SPACE_GENERIC &&
                           in->space != PTX_SPACE_GENERIC;
    if (are_apart || (in->flags & PTX_NC))
        return false;
    if (!is_same || a->index != b->index || a->variable != b->variable)
        return true;
    return a->bits < b->bits + bytes_of(in) && b->bits < a->bits + bytes_of(store);
}

bool ptx_may_lose_order(const struct ptx_flow *flow, const int32_t *steps, const int32_t *nodes,
                        size_t count, const struct ptx_instruction *store)
{
    const struct ptx_function *f = flow->function;
    if (store->opcode != PTX_OPCODE_st || !ptx_is_plain_access(store))
        return false;
    const struct ptx_operand *address = address_of(store);
    bool is_same = true;
    for (size_t i = 0; i < count; i++) {
        const struct ptx_node *node = &flow->nodes[nodes[i]];
        const struct ptx_instruction *in = i == 0 ? store + 1 : &f->instructions[node->first];
        ptx_steps(flow->arena, 1 + node->end - node->first);
        for (; in < &f->instructions[node->end]; in++) {
            if (ptx_is_plain_access(in) && in->operand_count > 1 && may_meet(store, in, is_same) &&
                (is_at_distance(steps, store) || is_at_distance(steps, in)))
                return true;
            is_same = is_same && (address->index < 0 ||
                                  !ptx_flow_writes_register(in, (uint32_t)address->index));
        }
    }
    return false;
}

static bool has_loop(const struct ptx_flow *flow)
{
    for (size_t i = 0; i < flow->reachable; i++) {
        const struct ptx_node *node = &flow->nodes[flow->order[i]];
        for (uint32_t j = 0; j < node->next_count; j++)
            if (flow->position[node->next[j]] <= (int32_t)i)
                return true;
    }
    return false;
}

/* Threads with loops within are not made vectors of, unless it is between barriers there. */
static bool *find_lost(struct ptx_emitter *e, const struct ptx_body *body)
{
    const struct ptx_function *f = body->function;
    bool *lost = ptx_arena_array(e->arena, f->instruction_count + 1, sizeof *lost);
    const struct ptx_flow *flow = ptx_flow_make(e->arena, f, NULL);
    const int32_t *steps = ptx_find_steps(e->arena, f, NULL);
    const bool may_be = body->has_barriers || !has_loop(flow);
    for (size_t i = 0; may_be && i < flow->reachable; i++) {
        const struct ptx_node *node = &flow->nodes[flow->order[i]];
        for (uint32_t j = node->first; j < node->end; j++)
            lost[j] = ptx_may_lose_order(flow, steps, &flow->order[i], flow->reachable - i,
                                         &f->instructions[j]);
    }
    return lost;
}

bool ptx_loses_order(struct ptx_emitter *e)
{
    const struct ptx_instruction *in = e->instruction;
    struct ptx_body *body = ptx_current_body(e);
    const struct ptx_function *f = body->function;
    if (!e->target->is_cpu || in < f->instructions || in >= f->instructions + f->instruction_count)
        return false;
    if (!body->loses)
        body->loses = find_lost(e, body);
    return body->loses[in - f->instructions];
}
