/* PTX_FORM_ITEM where threads may come to barriers in different turns, at different places, or not at
 * all: OpenCL's barrier() must be met by all work-items of a group, those that would have ended too.
 *
 * One loop around the kernel has its only barrier. A work-item that comes to a barrier of the kernel
 * notes where in clem_state and goes to the loop's; one that ends stays in the loop and only waits,
 * until no other of its group is left. In each turn those that are left say so in clem_live, of which
 * one element is for this turn and one is made ready for the next.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/flow.h"
#include "kernels/ptx/emit/access.h"

/* ---- Whether a kernel needs it ---- */

struct search {
    const struct ptx_flow *flow;
    struct ptx_uniformity uniform;
    bool *leads_to_barrier; /* per node: a barrier may come in it or after it */
};

/* From an instruction of the node on, to its end. */
static bool has_barrier(const struct ptx_flow *flow, const struct ptx_node *node, uint32_t first)
{
    for (uint32_t i = first; i < node->end; i++)
        if (ptx_is_barrier(&flow->function->instructions[i]))
            return true;
    return false;
}

static bool leads_on(const struct search *s, const struct ptx_node *node)
{
    bool leads = false;
    for (uint32_t k = 0; k < node->next_count; k++)
        leads |= s->leads_to_barrier[node->next[k]];
    return leads;
}

static void find_ways_to_barriers(struct search *s)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        ptx_steps(s->flow->arena, s->flow->function->instruction_count);
        for (size_t i = s->flow->count; i-- > 0;) {
            const struct ptx_node *node = &s->flow->nodes[i];
            if (s->leads_to_barrier[i] ||
                !(has_barrier(s->flow, node, node->first) || leads_on(s, node)))
                continue;
            s->leads_to_barrier[i] = is_changed = true;
        }
    }
}

/* Whether one way from the node leads to barriers and another to none. */
static bool parts_before_barrier(const struct search *s, const struct ptx_node *node)
{
    bool misses = node->leaves;
    for (uint32_t k = 0; k < node->next_count; k++)
        misses |= !s->leads_to_barrier[node->next[k]];
    return misses && leads_on(s, node);
}

static bool may_end(uint16_t opcode)
{
    return opcode == PTX_OPCODE_ret || opcode == PTX_OPCODE_exit || opcode == PTX_OPCODE_trap ||
           opcode == PTX_OPCODE_alloca || opcode == PTX_OPCODE_call;
}

/* Whether all threads of the block come alike to the barriers in and behind an instruction. Calls and
 * what may fail can end a thread whatever others do. */
static bool is_done_by_all(const struct search *s, int32_t at, uint32_t index)
{
    const struct ptx_instruction *in = &s->flow->function->instructions[index];
    const struct ptx_node *node = &s->flow->nodes[at];
    const bool is_apart =
        s->uniform.is_divergent[at] || (in->guard >= 0 && !s->uniform.registers[in->guard]);
    if (in->opcode == PTX_OPCODE_brx)
        return !parts_before_barrier(s, node);
    if (in->opcode == PTX_OPCODE_call || in->opcode == PTX_OPCODE_alloca)
        return !has_barrier(s->flow, node, index) && !leads_on(s, node);
    if (!is_apart)
        return true;
    if (ptx_is_barrier(in))
        return false;
    if (in->opcode == PTX_OPCODE_bra)
        return !parts_before_barrier(s, node);
    return !may_end(in->opcode) || (!has_barrier(s->flow, node, index) && !leads_on(s, node));
}

bool ptx_resume_is_needed(struct ptx_emitter *e, const struct ptx_function *entry)
{
    struct search s = {.flow = ptx_flow_make(e->arena, entry, NULL)};
    s.uniform = ptx_flow_uniformity(e->arena, s.flow);
    s.leads_to_barrier = ptx_arena_array(e->arena, s.flow->count + 1, sizeof *s.leads_to_barrier);
    find_ways_to_barriers(&s);
    for (size_t i = 0; i < s.flow->reachable; i++) {
        const int32_t at = s.flow->order[i];
        for (uint32_t k = s.flow->nodes[at].first; k < s.flow->nodes[at].end; k++)
            if (!is_done_by_all(&s, at, k))
                return true;
    }
    return false;
}

/* ---- Writing ---- */

void ptx_resume_barrier(struct ptx_emitter *e)
{
    struct ptx_plan *plan = e->plan;
    if (!e->function->is_entry) {
        ptx_refuse(e, "function %s, which is called by its address, has barriers",
                   e->function->name);
        return;
    }
    plan->resume_count++;
    ptx_keep_order(e);
    ptx_line(e, "clem_state = %uu;", plan->resume_count);
    ptx_line(e, "%s", ptx_access_text(e, PTX_ACCESS_BARRIER, "goto clem_meet;"));
    ptx_text_add(e->out, "R%u:;\n", plan->resume_count);
    ptx_keep_order(e);
}

static const char *leave_hook(struct ptx_emitter *e)
{
    return e->function->is_entry ? "{ clem_state = ~0u; goto clem_meet; }" : NULL;
}

static const struct ptx_form_hooks hooks = {.leave = leave_hook};

void ptx_resume_prepare(struct ptx_emitter *e)
{
    e->hooks = &hooks;
}

/* Before the instructions, whose number of barriers is known only behind them. */
static const char *loop_head(struct ptx_emitter *e)
{
    const char *ways = "";
    for (unsigned i = 1; i <= e->plan->resume_count; i++)
        ways = ptx_format(e, "%s    case %uu: goto R%u;\n", ways, i, i);
    return ptx_format(e,
                      "    %s uint clem_live[3];\n"
                      "    const bool clem_is_first = get_local_id(0) == 0 && get_local_id(1) == 0 "
                      "&& get_local_id(2) == 0;\n"
                      "    uint clem_state = 0u, clem_turn = 0u;\n"
                      "    if (clem_is_first)\n"
                      "        clem_live[0] = 0u;\n"
                      "    %s;\n"
                      "    for (;;) {\n"
                      "    switch (clem_state) {\n"
                      "    case 0u: break;\n"
                      "%s"
                      "    default: goto clem_meet;\n"
                      "    }\n",
                      e->target->shared_is_global ? "local" : "__local",
                      ptx_own_access_text(e, PTX_ACCESS_BARRIER, "barrier(CLK_LOCAL_MEM_FENCE)"),
                      ways);
}

static const char *loop_tail(struct ptx_emitter *e)
{
    return ptx_format(e,
                      "    clem_state = ~0u;\n"
                      "clem_meet:;\n"
                      "    const uint clem_next = clem_turn == 2u ? 0u : clem_turn + 1u;\n"
                      "    if (clem_state != ~0u)\n"
                      "        clem_live[clem_turn] = 1u;\n"
                      "    if (clem_is_first)\n"
                      "        clem_live[clem_next] = 0u;\n"
                      "    %s;\n"
                      "    if (clem_live[clem_turn] == 0u)\n"
                      "        break;\n"
                      "    clem_turn = clem_next;\n"
                      "    }\n",
                      ptx_own_access_text(e, PTX_ACCESS_BARRIER,
                                          "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"));
}

void ptx_resume_wrap(struct ptx_emitter *e, size_t start)
{
    struct ptx_text *out = e->out;
    const char *body = ptx_arena_text(e->arena, out->data + start, out->used - start);
    out->used = start;
    ptx_text_put(out, loop_head(e));
    ptx_text_put(out, body);
    ptx_text_put(out, loop_tail(e));
}
