/* Looking through a kernel before it is written: which functions it uses, where its shared and
 * local variables lie, whether generic addresses can be anything but global.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/analyse/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "kernels/hash.h"
#include "kernels/ptx/base/budget.h"

enum { MOST_NESTED = 1000 }; /* calls within calls; far beyond what compilers take */
static const uint64_t MOST_COUNTED = UINT64_C(1) << 40;

/* ---- Functions that may be called by number ---- */

static void add_target(const struct ptx_module *module, bool *is_target, const char *name)
{
    const struct ptx_function *function = ptx_find_function(module, name);
    if (function && !function->is_entry && function->has_body)
        is_target[function->number] = true;
}

static void find_targets_in_values(const struct ptx_module *module, bool *is_target)
{
    for (size_t i = 0; i < module->variable_count; i++)
        for (size_t j = 0; j < module->variables[i]->initial_count; j++)
            if (module->variables[i]->initials[j].symbol)
                add_target(module, is_target, module->variables[i]->initials[j].symbol);
}

static void find_targets_in_code(const struct ptx_function *function, bool *is_target)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        for (uint32_t j = 0; j < in->operand_count; j++) {
            const struct ptx_operand *o = &in->operands[j];
            if (in->opcode != PTX_OPCODE_call && o->kind == PTX_OPERAND_FUNCTION &&
                !o->function->is_entry && o->function->has_body)
                is_target[o->function->number] = true;
        }
    }
}

static void find_targets(struct ptx_emitter *e)
{
    struct ptx_plan *plan = e->plan;
    const struct ptx_module *module = e->module;
    if (plan->targets)
        return;
    bool *is_target = ptx_arena_array(e->arena, module->function_count + 1, sizeof *is_target);
    find_targets_in_values(module, is_target);
    for (size_t i = 0; i < module->function_count; i++)
        find_targets_in_code(module->functions[i], is_target);
    plan->targets = ptx_arena_array(e->arena, module->function_count + 1, sizeof *plan->targets);
    for (size_t i = 0; i < module->function_count; i++)
        if (is_target[module->functions[i]->number])
            plan->targets[plan->target_count++] = module->functions[i];
}

/* ---- The call graph, callees first ---- */

struct walk {
    struct ptx_emitter *e;
    struct ptx_plan *plan;
    uint8_t *states; /* per function number: 0, 1 within, 2 done */
    unsigned depth;
};

static void visit(struct walk *w, const struct ptx_function *function);

static void visit_callee(struct walk *w, const struct ptx_function *callee)
{
    if (callee->is_entry) { /* it ends with the launch that began it: PTX calls functions alone */
        ptx_refuse(w->e, "kernel %s is called as a function", callee->name);
        return;
    }
    if (!callee->has_body || w->states[callee->number] == 2)
        return;
    if (w->states[callee->number] == 1) {
        w->plan->has_cycle = true;
        return;
    }
    const struct ptx_function *caller = w->e->function;
    const struct ptx_instruction *in = w->e->instruction;
    visit(w, callee);
    w->e->function = caller;
    w->e->instruction = in;
}

static void visit_targets(struct walk *w, const struct ptx_function *caller,
                          const struct ptx_instruction *in)
{
    const struct ptx_function *prototype = ptx_call_prototype(caller, in);
    find_targets(w->e);
    ptx_steps(w->e->arena, w->plan->target_count);
    for (size_t i = 0; prototype && i < w->plan->target_count; i++)
        if (ptx_same_shape(w->plan->targets[i], prototype))
            visit_callee(w, w->plan->targets[i]);
}

/* A name in C. One that is long keeps its beginning, for people, and a hash of all of it behind that. */
static const char *name_in_c(struct ptx_arena *arena, const char *prefix, const char *name)
{
    enum { HASH_DIGITS = 16 };
    char *made = ptx_arena_format(arena, "%s%s", prefix, name);
    if (strlen(made) > PTX_LONGEST_NAME) {
        char *end = made + PTX_LONGEST_NAME - HASH_DIGITS - 1;
        snprintf(end, HASH_DIGITS + 2, "_%0*" PRIx64, HASH_DIGITS,
                 fnv_add(FNV_START, name, strlen(name)));
    }
    for (char *c = made; *c; c++)
        if (*c == '$' || *c == '%' || *c == '.')
            *c = '_';
    return made;
}

static void add_body(struct walk *w, const struct ptx_function *function)
{
    struct ptx_arena *arena = w->e->arena;
    w->plan->body_of[function->number] = (uint32_t)w->plan->body_count;
    struct ptx_body *body = &w->plan->bodies[w->plan->body_count++];
    body->function = function;
    body->name =
        name_in_c(arena,
                  function->is_entry ? "kernel_"
                                     : ptx_arena_format(arena, "f%u_", (unsigned)function->number),
                  function->name);
}

static void visit(struct walk *w, const struct ptx_function *function)
{
    w->states[function->number] = 1;
    if (++w->depth > MOST_NESTED)
        ptx_refuse(w->e, "calls are nested deeper than %d", MOST_NESTED);
    w->e->function = function;
    for (size_t i = 0; i < function->instruction_count && w->e->status == PTX_OK; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (in->opcode != PTX_OPCODE_call || in->operand_count < 2)
            continue;
        w->e->instruction = in;
        if (in->operands[1].kind == PTX_OPERAND_FUNCTION)
            visit_callee(w, in->operands[1].function);
        else
            visit_targets(w, function, in);
    }
    w->depth--;
    w->states[function->number] = 2;
    add_body(w, function);
}

/* ---- What functions do, and those they call ---- */

typedef void visit_function(struct ptx_emitter *e, struct ptx_body *caller,
                            struct ptx_body *callee);

/* Shows each body that a call may reach. */
static void for_each_callee(struct ptx_emitter *e, struct ptx_body *body,
                            const struct ptx_instruction *in, visit_function *show)
{
    const struct ptx_plan *plan = e->plan;
    if (in->opcode != PTX_OPCODE_call || in->operand_count < 2)
        return;
    if (in->operands[1].kind == PTX_OPERAND_FUNCTION) {
        struct ptx_body *callee = ptx_plan_body(plan, in->operands[1].function);
        if (callee)
            show(e, body, callee);
        return;
    }
    const struct ptx_function *prototype = ptx_call_prototype(body->function, in);
    ptx_steps(e->arena, plan->target_count);
    for (size_t i = 0; prototype && i < plan->target_count; i++) {
        struct ptx_body *callee = ptx_plan_body(plan, plan->targets[i]);
        if (callee && ptx_same_shape(plan->targets[i], prototype)) {
            callee->is_target = true;
            show(e, body, callee);
        }
    }
}

static void take_facts(struct ptx_emitter *e, struct ptx_body *caller, struct ptx_body *callee)
{
    (void)e;
    caller->has_barriers |= callee->has_barriers;
    caller->has_warp_operations |= callee->has_warp_operations;
    caller->can_exit |= callee->can_exit;
    caller->sees_others |= callee->sees_others;
    caller->waits |= callee->waits;
    caller->waits_without_end |= callee->waits_without_end;
    caller->inlined += callee->inlined;
    if (caller->inlined > MOST_COUNTED)
        caller->inlined = MOST_COUNTED;
}

static bool can_fail(const struct ptx_instruction *in)
{
    return in->opcode == PTX_OPCODE_trap || in->opcode == PTX_OPCODE_alloca ||
           (in->opcode == PTX_OPCODE_call && ptx_call_is_last(in));
}

static bool launches(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    if (in->opcode != PTX_OPCODE_call || in->operand_count < 2 ||
        in->operands[1].kind != PTX_OPERAND_FUNCTION || in->operands[1].function->has_body)
        return false;
    const char *name = ptx_device_runtime_name(e, in->operands[1].function);
    return name && strncmp(name, "LaunchDevice", strlen("LaunchDevice")) == 0;
}

static void find_facts(struct ptx_emitter *e, struct ptx_body *body)
{
    body->inlined = body->function->instruction_count;
    ptx_steps(e->arena, body->function->instruction_count);
    for (size_t i = 0; i < body->function->instruction_count; i++) {
        const struct ptx_instruction *in = &body->function->instructions[i];
        body->has_barriers |= ptx_is_barrier(in);
        body->has_warp_operations |= ptx_is_warp_operation(in) || ptx_is_lockstep(in);
        body->sees_others |= ptx_sees_others(in);
        e->plan->can_fail |= can_fail(in);
        e->plan->has_wide_accesses |= ptx_is_wide_access(in);
        e->plan->launches |= launches(e, in);
        body->can_exit |= in->opcode == PTX_OPCODE_exit || can_fail(in);
        e->plan->has_stack |= in->opcode == PTX_OPCODE_alloca || in->opcode == PTX_OPCODE_stacksave;
        if (in->opcode == PTX_OPCODE_cvta && in->operation != PTX_OP_TO)
            e->plan->has_windows |= in->space == PTX_SPACE_SHARED || in->space == PTX_SPACE_LOCAL;
        for_each_callee(e, body, in, take_facts);
    }
    body->waits |= ptx_block_waits(e, body->function, NULL);
    body->waits_without_end |= body->waits && ptx_waits_without_end(e, body->function);
}

/* ---- Local memory: one stack frame behind another ---- */

static size_t round_up(size_t value, size_t multiple)
{
    return multiple < 2 ? value : (value + multiple - 1) / multiple * multiple;
}

static void place_callee(struct ptx_emitter *e, struct ptx_body *caller, struct ptx_body *callee)
{
    (void)e;
    const size_t end = caller->local_offset + caller->local_bytes;
    if (callee->local_offset < end)
        callee->local_offset = end;
}

static void place_local(struct ptx_emitter *e, struct ptx_body *body)
{
    struct ptx_plan *plan = e->plan;
    const struct ptx_function *function = body->function;
    body->local_offset = round_up(body->local_offset, 16);
    body->local_offsets =
        ptx_arena_array(e->arena, function->variable_count, sizeof *body->local_offsets);
    size_t end = body->local_offset;
    for (size_t i = 0; i < function->variable_count; i++) {
        const struct ptx_variable *v = function->variables[i];
        if (v->space != PTX_SPACE_LOCAL)
            continue;
        if (v->alignment > plan->local_alignment)
            plan->local_alignment = v->alignment;
        end = round_up(end, v->alignment);
        body->local_offsets[i] = end;
        end += v->bytes;
    }
    body->local_bytes = end - body->local_offset;
    if (end > plan->local_bytes)
        plan->local_bytes = end;
    for (size_t i = 0; i < function->instruction_count; i++)
        for_each_callee(e, body, &function->instructions[i], place_callee);
}

/* The stack that alloca takes from, behind all of them. */
static void place_stack(struct ptx_plan *plan)
{
    if (!plan->has_stack)
        return;
    plan->stack_at = round_up(plan->local_bytes, 16);
    plan->local_bytes = plan->stack_at + 16 + PTX_STACK_BYTES;
}

/* ---- Shared memory ---- */

static void add_shared(struct ptx_emitter *e, const struct ptx_variable *variable)
{
    struct ptx_plan *plan = e->plan;
    ptx_steps(e->arena, plan->shared_count);
    for (size_t i = 0; i < plan->shared_count; i++)
        if (plan->shared[i].variable == variable)
            return;
    plan->shared = ptx_arena_grow(e->arena, plan->shared, plan->shared_count, &plan->shared_room,
                                  sizeof *plan->shared);
    plan->shared[plan->shared_count++] = (struct ptx_shared){.variable = variable};
}

static void find_shared_operand(struct ptx_emitter *e, const struct ptx_operand *operand)
{
    if (operand->variable && operand->variable->space == PTX_SPACE_SHARED)
        add_shared(e, operand->variable);
    if (operand->kind == PTX_OPERAND_VECTOR)
        for (uint32_t i = 0; i < operand->count; i++)
            find_shared_operand(e, &operand->list[i]);
}

static void find_shared(struct ptx_emitter *e, const struct ptx_function *function)
{
    for (size_t i = 0; i < function->instruction_count; i++)
        for (uint32_t j = 0; j < function->instructions[i].operand_count; j++)
            find_shared_operand(e, &function->instructions[i].operands[j]);
}

/* Sized variables in the order in which they were met, then all unsized ones at the same place. */
static void place_shared(struct ptx_plan *plan)
{
    bool has_unsized = false;
    for (size_t i = 0; i < plan->shared_count; i++) {
        const struct ptx_variable *v = plan->shared[i].variable;
        if (v->is_unsized || v->bytes == 0) {
            has_unsized = true;
            continue;
        }
        plan->shared[i].offset = round_up(plan->shared_bytes, v->alignment);
        plan->shared_bytes = plan->shared[i].offset + v->bytes;
    }
    if (has_unsized)
        plan->shared_bytes = round_up(plan->shared_bytes, 16);
    for (size_t i = 0; i < plan->shared_count; i++)
        if (plan->shared[i].variable->is_unsized || plan->shared[i].variable->bytes == 0)
            plan->shared[i].offset = plan->shared_bytes;
}

/* ---- Parameters ---- */

static bool takes_parameter_address(const struct ptx_plan *plan, const struct ptx_instruction *in)
{
    if (in->opcode == PTX_OPCODE_cvta && in->space == PTX_SPACE_PARAM)
        return true;
    if (in->opcode == PTX_OPCODE_call)
        return false;
    for (uint32_t i = 0; i < in->operand_count; i++) {
        const struct ptx_operand *o = &in->operands[i];
        if (o->kind == PTX_OPERAND_VARIABLE && o->variable->space == PTX_SPACE_PARAM)
            return true;
        if (o->kind == PTX_OPERAND_ADDRESS && o->index >= 0 && in->space == PTX_SPACE_PARAM)
            return plan->original->is_entry;
    }
    return false;
}

/* A bank where parameters are too many for arguments, or where their address is taken. */
static void choose_bank(struct ptx_emitter *e)
{
    enum { LEAST_ARGUMENT_BYTES = 1024 }; /* that OpenCL promises */
    struct ptx_plan *plan = e->plan;
    const size_t limit =
        e->target->max_parameter_bytes ? e->target->max_parameter_bytes : LEAST_ARGUMENT_BYTES;
    const size_t hidden = 128; /* of blocks, shared memory, grid */
    plan->has_bank = plan->info->parameter_bytes + hidden > limit;
    for (size_t i = 0; i < plan->entry->instruction_count; i++) {
        const struct ptx_instruction *in = &plan->entry->instructions[i];
        if (!takes_parameter_address(plan, in))
            continue;
        plan->has_bank = true;
        plan->bank_is_global |= in->opcode == PTX_OPCODE_cvta;
    }
}

/* ---- All of it ---- */

static void walk_calls(struct ptx_emitter *e)
{
    struct ptx_plan *plan = e->plan;
    struct walk w = {.e = e, .plan = plan};
    w.states = ptx_arena_take(e->arena, e->module->function_count + 1);
    plan->bodies = ptx_arena_array(e->arena, e->module->function_count + 1, sizeof *plan->bodies);
    plan->body_of = ptx_arena_array(e->arena, e->module->function_count + 2, sizeof *plan->body_of);
    plan->body_count = 0;
    visit(&w, plan->entry);
}

/* Calls that call twice each, and so on, are few words and more instructions than anybody has. */
static void check_inlined(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    size_t own = 0;
    for (size_t i = 0; i < plan->body_count; i++)
        own += plan->bodies[i].function->instruction_count;
    if (e->status == PTX_OK && plan->bodies[plan->body_count - 1].inlined > ptx_most_inlined(own))
        ptx_exceed(e->arena, "inlined instructions");
}

static void see_jump(struct ptx_emitter *e, struct ptx_body *caller, struct ptx_body *callee)
{
    (void)e;
    caller->reaches_jump |= callee->is_jump;
}

/* Facts of functions that may lead back to themselves are those of all of them. */
static void spread_facts(struct ptx_emitter *e, struct ptx_body *caller, struct ptx_body *callee)
{
    (void)e;
    caller->has_barriers |= callee->has_barriers;
    caller->has_warp_operations |= callee->has_warp_operations;
    caller->can_exit |= callee->can_exit;
    caller->sees_others |= callee->sees_others;
    caller->waits |= callee->waits;
    caller->waits_without_end |= callee->waits_without_end;
}

static void show_callees(struct ptx_emitter *e, struct ptx_body *body, visit_function *show)
{
    for (size_t i = 0; i < body->function->instruction_count; i++)
        for_each_callee(e, body, &body->function->instructions[i], show);
}

/* Those that are neither called by number with barriers, warp operations or waits in them, nor lead to
 * such a one or to a cycle, need no jump: taken out callees first, until no more can be. */
void ptx_plan_find_jumps(struct ptx_emitter *e)
{
    struct ptx_plan *plan = e->plan;
    bool has_changed = plan->targets != NULL || plan->has_cycle;
    if (!has_changed)
        return;
    for (size_t i = 0; plan->has_cycle && i < 2 * plan->body_count; i++)
        show_callees(e, &plan->bodies[i % plan->body_count], spread_facts);
    for (size_t i = 0; i < plan->body_count; i++)
        plan->bodies[i].is_jump = true;
    while (has_changed) {
        has_changed = false;
        for (size_t i = 0; i < plan->body_count; i++) {
            struct ptx_body *body = &plan->bodies[i];
            ptx_steps(e->arena, body->function->instruction_count);
            body->reaches_jump =
                body->is_target && (body->has_barriers || body->has_warp_operations ||
                                    (body->waits && e->target->is_cpu));
            show_callees(e, body, see_jump);
            has_changed |= body->is_jump && !body->reaches_jump;
            body->is_jump &= body->reaches_jump;
        }
    }
    plan->jumps = ptx_arena_array(e->arena, plan->body_count + 1, sizeof *plan->jumps);
    for (size_t i = 0; i + 1 < plan->body_count; i++)
        if (plan->bodies[i].is_jump)
            plan->jumps[plan->jump_count++] = plan->bodies[i].function;
}

/* Where it is said how many blocks a cluster has: threads of one may count on reaching the others'. */
static void refuse_cluster(struct ptx_emitter *e)
{
    const unsigned *cluster = e->plan->original->cluster;
    if (cluster[0] > 1 || cluster[1] > 1 || cluster[2] > 1)
        ptx_refuse(e, "clusters of several blocks have no translation");
}

void ptx_plan_survey(struct ptx_emitter *e)
{
    struct ptx_plan *plan = e->plan;
    walk_calls(e);
    for (size_t i = 0; i < plan->body_count && e->status == PTX_OK; i++)
        find_facts(e, &plan->bodies[i]);
    for (size_t i = 0; plan->can_fail && !e->target->is_cpu && i < plan->body_count; i++)
        plan->bodies[i].can_exit |=
            plan->bodies[i].waits; /* PTX_FORM_ITEM's waits, which failures end */
    check_inlined(e);
    refuse_cluster(e);
}

static void analyse_registers(struct ptx_emitter *e, struct ptx_body *body)
{
    ptx_find_pointers(e, body);
    ptx_find_origins(e, body);
    ptx_find_copies(e, body);
    ptx_name_registers(e, body);
}

void ptx_plan_make(struct ptx_emitter *e)
{
    struct ptx_plan *plan = e->plan;
    ptx_plan_survey(e);
    for (size_t i = plan->body_count; i > 0 && e->status == PTX_OK; i--)
        place_local(e, &plan->bodies[i - 1]);
    place_stack(plan);
    for (size_t i = 0; i < plan->body_count && e->status == PTX_OK; i++)
        find_shared(e, plan->bodies[i].function);
    place_shared(plan);
    choose_bank(e);
    for (size_t i = 0; i < plan->body_count && e->status == PTX_OK; i++)
        analyse_registers(e, &plan->bodies[i]);
}
