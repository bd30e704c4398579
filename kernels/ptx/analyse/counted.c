/* Loops that end by themselves after some number of turns, whatever memory says: in each turn there is a way out that
 * is taken when a counter, which each turn moves on, has come to its end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/analyse/plan.h"

/* What is looked at: longer chains are none that a compiler makes of a counter and its comparison. */
enum { MOST_FACTS = 8, MOST_STEPS = 8 };

struct counting {
    const struct ptx_flow *flow;
    const struct ptx_loop *loop;
    struct {
        int32_t index;
        bool value;
    } facts[MOST_FACTS]; /* predicates, as they are where a thread stays in the loop */
    size_t fact_count;
};

/* ---- What writes a register ---- */

static bool is_in_each_turn(const struct counting *c, int32_t at)
{
    const struct ptx_node *head = &c->flow->nodes[c->loop->head];
    for (uint32_t i = 0; i < head->previous_count; i++)
        if (c->loop->is_in[head->previous[i]] &&
            !ptx_flow_dominates(c->flow, at, head->previous[i]))
            return false;
    return true;
}

/* How many instructions of the loop write the register; `writer` gets the last of those that do in each turn. */
static size_t find_writers(const struct counting *c, int32_t index,
                           const struct ptx_instruction **writer)
{
    size_t count = 0;
    *writer = NULL;
    for (size_t i = 0; i < c->loop->count; i++) {
        const int32_t at = c->loop->nodes[i];
        const struct ptx_node *node = &c->flow->nodes[at];
        ptx_steps(c->flow->arena, 1 + node->end - node->first);
        for (uint32_t j = node->first; j < node->end; j++) {
            const struct ptx_instruction *in = &c->flow->function->instructions[j];
            if (!ptx_flow_writes_register(in, (uint32_t)index))
                continue;
            count++;
            if (in->guard < 0 && is_in_each_turn(c, at))
                *writer = in;
        }
    }
    return count;
}

/* What alone writes it in the loop, once in each turn; or NULL. */
static const struct ptx_instruction *only_writer(const struct counting *c, int32_t index)
{
    const struct ptx_instruction *writer;
    return find_writers(c, index, &writer) == 1 ? writer : NULL;
}

static bool is_register(const struct ptx_operand *operand)
{
    return operand->kind == PTX_OPERAND_REGISTER && operand->part == 0;
}

/* ---- Facts ---- */

static void add_fact(struct counting *c, int32_t index, bool value)
{
    if (c->fact_count == MOST_FACTS)
        return;
    c->facts[c->fact_count].index = index;
    c->facts[c->fact_count++].value = value;
}

/* Where both of a conjunction are true, or none of a disjunction, each is known. */
static void spread_fact(struct counting *c, size_t number)
{
    const bool value = c->facts[number].value;
    const struct ptx_instruction *in = only_writer(c, c->facts[number].index);
    if (!in || in->operand_count < 2)
        return;
    const bool is_known = (in->opcode == PTX_OPCODE_and && value) ||
                          (in->opcode == PTX_OPCODE_or && !value) || in->opcode == PTX_OPCODE_mov;
    const bool is_turned = in->opcode == PTX_OPCODE_not;
    for (uint32_t i = 1; (is_known || is_turned) && i < in->operand_count; i++)
        if (is_register(&in->operands[i]))
            add_fact(c, in->operands[i].index, value != (is_turned || in->operands[i].is_negated));
}

static bool is_known(const struct counting *c, int32_t index, bool *value)
{
    for (size_t i = 0; i < c->fact_count; i++)
        if (c->facts[i].index == index) {
            *value = c->facts[i].value;
            return true;
        }
    return false;
}

/* ---- The counter ---- */

/* What a turn adds, if that is known, or 0. */
static int64_t step_of(const struct counting *c, const struct ptx_operand *operand)
{
    bool value;
    if (operand->kind == PTX_OPERAND_INTEGER)
        return operand->bits;
    const struct ptx_instruction *in = is_register(operand) ? only_writer(c, operand->index) : NULL;
    if (!in || in->opcode != PTX_OPCODE_selp || in->operand_count != 4 ||
        !is_register(&in->operands[3]) || !is_known(c, in->operands[3].index, &value))
        return 0;
    const struct ptx_operand *chosen = &in->operands[value ? 1 : 2];
    return chosen->kind == PTX_OPERAND_INTEGER ? chosen->bits : 0;
}

static bool is_sum(const struct ptx_instruction *in)
{
    return (in->opcode == PTX_OPCODE_add || in->opcode == PTX_OPCODE_sub) &&
           in->operand_count == 3 && in->type_count == 1 &&
           !ptx_type_is_float((enum ptx_type)in->types[0]);
}

/* What each turn adds to the register, or 0 where it does not do so alone. */
static int64_t turn_adds(const struct counting *c, int32_t index)
{
    int64_t step = 0;
    int32_t at = index;
    for (int i = 0; i < MOST_STEPS; i++) {
        const struct ptx_instruction *in = only_writer(c, at);
        if (!in)
            return 0;
        if (in->opcode == PTX_OPCODE_mov && in->operand_count == 2 &&
            is_register(&in->operands[1])) {
            at = in->operands[1].index;
        } else if (is_sum(in) && step == 0 && is_register(&in->operands[1])) {
            step = step_of(c, &in->operands[2]);
            at = in->operands[1].index;
        } else {
            return 0;
        }
        if (at == index)
            return step;
    }
    return 0;
}

static bool is_one(int64_t step)
{
    return step == 1 || step == -1 || step == UINT32_MAX;
}

static bool stays_the_same(const struct counting *c, const struct ptx_operand *operand)
{
    const struct ptx_instruction *writer;
    return operand->kind == PTX_OPERAND_INTEGER ||
           (is_register(operand) && find_writers(c, operand->index, &writer) == 0);
}

/* Whether a comparison of which a thread stays in the loop comes out otherwise in some turn. */
static bool ends_by_count(const struct counting *c, const struct ptx_instruction *in, bool value)
{
    if (in->opcode != PTX_OPCODE_setp || in->operand_count != 3 ||
        in->operands[0].kind != PTX_OPERAND_REGISTER ||
        ptx_type_is_float((enum ptx_type)in->types[0]))
        return false;
    const bool is_until_equal = value ? in->compare == PTX_NE : in->compare == PTX_EQ;
    for (int i = 1; i <= 2; i++) {
        const int64_t step =
            is_register(&in->operands[i]) ? turn_adds(c, in->operands[i].index) : 0;
        if (step != 0 && (!is_until_equal || is_one(step)) &&
            stays_the_same(c, &in->operands[3 - i]))
            return true;
    }
    return false;
}

/* ---- Ways out ---- */

static bool leads_out(const struct counting *c, uint32_t instruction)
{
    const int32_t to = c->flow->node_of[instruction];
    return to == PTX_NO_NODE || !c->loop->is_in[to];
}

/* Whether a thread leaves behind the node or not, by the branch's guard; `value` gets that with which it stays. */
static bool may_leave(const struct counting *c, const struct ptx_node *node, bool *value)
{
    const struct ptx_function *f = c->flow->function;
    const struct ptx_instruction *last = &f->instructions[node->end - 1];
    if (last->opcode != PTX_OPCODE_bra || last->guard < 0 || last->operand_count == 0)
        return false;
    const struct ptx_operand *target = &last->operands[last->operand_count - 1];
    if (target->kind != PTX_OPERAND_LABEL)
        return false;
    const bool is_taken_out = leads_out(c, f->labels[target->index].instruction);
    *value = is_taken_out == last->guard_negated;
    return is_taken_out != leads_out(c, node->end);
}

static bool ends_at(struct counting *c, int32_t at)
{
    const struct ptx_node *node = &c->flow->nodes[at];
    bool value;
    if (!may_leave(c, node, &value) || !is_in_each_turn(c, at))
        return false;
    c->fact_count = 0;
    add_fact(c, c->flow->function->instructions[node->end - 1].guard, value);
    for (size_t i = 0; i < c->fact_count; i++)
        spread_fact(c, i);
    for (size_t i = 0; i < c->fact_count; i++) {
        const struct ptx_instruction *in = only_writer(c, c->facts[i].index);
        if (in && ends_by_count(c, in, c->facts[i].value))
            return true;
    }
    return false;
}

bool ptx_loop_is_counted(const struct ptx_flow *flow, const struct ptx_loop *loop)
{
    struct counting c = {.flow = flow, .loop = loop};
    for (size_t i = 0; i < loop->count; i++)
        if (ends_at(&c, loop->nodes[i]))
            return true;
    return false;
}
