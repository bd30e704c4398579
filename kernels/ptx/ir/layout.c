/* What ptx.h tells of a module: where its variables lie and what they begin as, what its kernels
 * take and use.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/ir/layout.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/base/budget.h"

static size_t aligned(size_t offset, size_t alignment)
{
    return alignment ? (offset + alignment - 1) / alignment * alignment : offset;
}

/* ---- Names ---- */

static int compare_functions(const void *a, const void *b)
{
    return strcmp((*(struct ptx_function *const *)a)->name,
                  (*(struct ptx_function *const *)b)->name);
}

static int compare_variables(const void *a, const void *b)
{
    return strcmp((*(struct ptx_variable *const *)a)->name,
                  (*(struct ptx_variable *const *)b)->name);
}

static void make_indices(struct ptx_module *m)
{
    m->function_index = ptx_arena_array(&m->arena, m->function_count, sizeof *m->function_index);
    m->variable_index = ptx_arena_array(&m->arena, m->variable_count, sizeof *m->variable_index);
    if (m->function_count) {
        memcpy(m->function_index, m->functions, m->function_count * sizeof *m->functions);
        qsort(m->function_index, m->function_count, sizeof *m->functions, compare_functions);
    }
    if (m->variable_count) {
        memcpy(m->variable_index, m->variables, m->variable_count * sizeof *m->variables);
        qsort(m->variable_index, m->variable_count, sizeof *m->variables, compare_variables);
    }
}

/* ---- Variables ---- */

static bool is_reference(const struct ptx_variable *variable)
{
    return variable->type >= PTX_TEXREF && variable->type <= PTX_SURFREF;
}

static bool has_place(const struct ptx_variable *variable)
{
    const bool is_stored =
        variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST;
    return is_stored && !is_reference(variable) && variable->linkage != PTX_LINKAGE_EXTERN;
}

static enum ptx_block block_of(const struct ptx_variable *variable)
{
    return variable->space == PTX_SPACE_CONST ? PTX_BLOCK_CONSTANT
           : variable->is_managed             ? PTX_BLOCK_MANAGED
                                              : PTX_BLOCK_DEVICE;
}

/* The variables of the module, then those of .global and .const within functions. */
struct walk {
    struct ptx_variable **variables;
    size_t count;
};

static struct walk all_variables(struct ptx_module *m)
{
    size_t count = m->variable_count;
    for (size_t i = 0; i < m->function_count; ++i)
        count += m->functions[i]->variable_count;
    struct walk all = {ptx_arena_array(&m->arena, count, sizeof *all.variables), 0};
    for (size_t i = 0; i < m->variable_count; ++i)
        all.variables[all.count++] = m->variables[i];
    for (size_t i = 0; i < m->function_count; ++i)
        for (size_t k = 0; k < m->functions[i]->variable_count; ++k)
            all.variables[all.count++] = m->functions[i]->variables[k];
    return all;
}

static const char *place_variables(struct ptx_module *m, const struct walk *all)
{
    for (size_t i = 0; i < all->count; ++i) {
        struct ptx_variable *variable = all->variables[i];
        if (!has_place(variable))
            continue;
        if (variable->is_unsized)
            return ptx_arena_format(&m->arena, "'%s' has no size", variable->name);
        if (variable->is_placed)
            continue;
        size_t *end = &m->block_bytes[block_of(variable)];
        variable->offset = aligned(*end, variable->alignment);
        *end = variable->offset + variable->bytes;
        if (*end > (size_t)1 << 40)
            return ptx_arena_format(&m->arena, "'%s' is too large", variable->name);
    }
    return NULL;
}

static bool is_visible(const struct ptx_variable *variable)
{
    return variable->linkage == PTX_LINKAGE_VISIBLE || variable->linkage == PTX_LINKAGE_WEAK ||
           variable->linkage == PTX_LINKAGE_COMMON;
}

static void list_symbols(struct ptx_module *m, const struct walk *all)
{
    m->symbols = ptx_arena_array(&m->arena, all->count, sizeof *m->symbols);
    m->references = ptx_arena_array(&m->arena, all->count, sizeof *m->references);
    for (size_t i = 0; i < all->count; ++i) {
        const struct ptx_variable *variable = all->variables[i];
        if (variable->space == PTX_SPACE_GLOBAL && is_reference(variable))
            m->references[m->reference_count++] = (struct ptx_reference){
                .name = variable->name, .is_surface = variable->type == PTX_SURFREF};
        else if (has_place(variable) && !variable->owner)
            m->symbols[m->symbol_count++] = (struct ptx_symbol){.name = variable->name,
                                                                .block = block_of(variable),
                                                                .offset = variable->offset,
                                                                .bytes = variable->bytes,
                                                                .alignment = variable->alignment,
                                                                .is_visible = is_visible(variable)};
    }
}

/* ---- First values ---- */

static const char *add_relocation(struct ptx_module *m, const struct ptx_variable *variable,
                                  const struct ptx_initial *initial)
{
    struct ptx_relocation made = {.block = block_of(variable),
                                  .offset = variable->offset + initial->offset,
                                  .bytes = initial->bytes > 8 ? 8 : initial->bytes,
                                  .first = initial->first};
    const struct ptx_variable *target = ptx_find_variable(m, initial->symbol);
    const struct ptx_function *function = target ? NULL : ptx_find_function(m, initial->symbol);
    if (!target && !function)
        return ptx_arena_format(&m->arena,
                                "'%s' begins with the address of '%s', which is not declared",
                                variable->name, initial->symbol);
    if (target && !has_place(target))
        return ptx_arena_format(&m->arena,
                                "'%s' begins with the address of '%s', which has none yet",
                                variable->name, initial->symbol);
    made.is_function = function != NULL;
    made.target = target ? block_of(target) : PTX_BLOCK_CONSTANT;
    made.addend = (uint64_t)initial->bits + (target ? target->offset : function->number);
    m->relocations[m->relocation_count++] = made;
    return NULL;
}

static const char *fill_variable(struct ptx_module *m, const struct ptx_variable *variable)
{
    unsigned char *values = m->block_values[block_of(variable)] + variable->offset;
    for (size_t i = 0; i < variable->initial_count; ++i) {
        const struct ptx_initial *initial = &variable->initials[i];
        if (!initial->symbol) {
            memcpy(values + initial->offset, initial->values, initial->bytes);
            continue;
        }
        const char *why = add_relocation(m, variable, initial);
        if (why)
            return why;
    }
    return NULL;
}

static const char *fill_blocks(struct ptx_module *m, const struct walk *all)
{
    size_t addresses = 0;
    for (size_t i = 0; i < all->count; ++i)
        for (size_t k = 0; k < all->variables[i]->initial_count; ++k)
            addresses += all->variables[i]->initials[k].symbol != NULL;
    m->relocations = ptx_arena_array(&m->arena, addresses, sizeof *m->relocations);
    for (int block = 0; block < PTX_BLOCKS; ++block)
        m->block_values[block] = ptx_arena_storage(&m->arena, m->block_bytes[block]);
    const char *why = NULL;
    for (size_t i = 0; i < all->count && !why; ++i)
        if (has_place(all->variables[i]))
            why = fill_variable(m, all->variables[i]);
    return why;
}

/* ---- Variables whose place the host knows ---- */

static void manage(struct ptx_module *m, const struct ptx_managed_place *place)
{
    struct ptx_variable *variable = (void *)(uintptr_t)ptx_find_variable(m, place->name);
    if (!variable || !has_place(variable) || variable->space != PTX_SPACE_GLOBAL)
        return;
    variable->is_managed = variable->is_placed = true;
    variable->offset = place->offset;
}

/* Whether each managed variable has a place, and one within the block. */
static bool is_managed_whole(const struct walk *all, size_t block_bytes)
{
    for (size_t i = 0; i < all->count; ++i) {
        const struct ptx_variable *variable = all->variables[i];
        if (!variable->is_managed || !has_place(variable))
            continue;
        if (!variable->is_placed || variable->bytes > block_bytes ||
            variable->offset > block_bytes - variable->bytes)
            return false;
    }
    return true;
}

enum ptx_status ptx_module_manage(struct ptx_module *module, const struct ptx_managed_place *places,
                                  size_t count, size_t block_bytes)
{
    if (module->is_managed)
        return module->block_bytes[PTX_BLOCK_MANAGED] == block_bytes ? PTX_OK : PTX_E_UNSUPPORTED;
    if (setjmp(module->arena.out_of_memory))
        return PTX_E_OUT_OF_MEMORY;
    const struct walk all = all_variables(module);
    for (size_t i = 0; i < count; ++i)
        manage(module, &places[i]);
    if (!is_managed_whole(&all, block_bytes))
        return PTX_E_UNSUPPORTED;
    memset(module->block_bytes, 0, sizeof module->block_bytes);
    module->symbol_count = module->reference_count = module->relocation_count = 0;
    const char *why = place_variables(module, &all);
    module->block_bytes[PTX_BLOCK_MANAGED] = block_bytes;
    if (!why) {
        list_symbols(module, &all);
        why = fill_blocks(module, &all);
    }
    module->is_managed = !why;
    return why ? PTX_E_UNSUPPORTED : PTX_OK;
}

/* ---- Calls ---- */

/* What a function needs directly. */
struct use {
    uint32_t *callees; /* function numbers - 1 */
    size_t callee_count;
    const struct ptx_variable **shared; /* of the module */
    size_t shared_count;
    bool calls_by_number, asks_for_workspace;
};

struct graph {
    struct ptx_module *module;
    struct use *uses;        /* per function */
    bool *is_address_taken;  /* per function */
    uint32_t *seen_function; /* who asked last, + 1 */
    uint32_t *seen_variable; /* likewise, per variable of the module */
    uint32_t *stack;
};

static void visit_operand(struct graph *graph, uint32_t number, const struct ptx_operand *operand,
                          bool is_callee, struct use *use)
{
    for (uint32_t i = 0; operand->list && i < operand->count; ++i)
        visit_operand(graph, number, &operand->list[i], false, use);
    const struct ptx_function *function = operand->function;
    if (function && !is_callee)
        graph->is_address_taken[function->number - 1] = true;
    if (function && is_callee && graph->seen_function[function->number - 1] != number + 1) {
        graph->seen_function[function->number - 1] = number + 1;
        if (use->callees)
            use->callees[use->callee_count] = function->number - 1;
        ++use->callee_count;
    }
    const struct ptx_variable *variable = operand->variable;
    if (variable && !variable->owner && variable->space == PTX_SPACE_SHARED &&
        graph->seen_variable[variable->number] != number + 1) {
        graph->seen_variable[variable->number] = number + 1;
        if (use->shared)
            use->shared[use->shared_count] = variable;
        ++use->shared_count;
    }
}

static void visit_function(struct graph *graph, const struct ptx_function *function,
                           uint32_t number, struct use *use)
{
    for (size_t i = 0; i < function->instruction_count; ++i) {
        const struct ptx_instruction *in = &function->instructions[i];
        const bool is_call = in->opcode == PTX_OPCODE_call;
        use->calls_by_number |=
            is_call && in->operand_count > 1 && in->operands[1].kind == PTX_OPERAND_REGISTER;
        for (uint32_t k = 0; k < in->operand_count; ++k)
            use->asks_for_workspace |=
                in->operands[k].kind == PTX_OPERAND_SPECIAL &&
                (in->operands[k].index == PTX_ENVREG1 || in->operands[k].index == PTX_ENVREG2);
        for (uint32_t k = 0; k < in->operand_count; ++k)
            visit_operand(graph, number, &in->operands[k], is_call && k == 1, use);
    }
}

/* Twice: to count, then to list. */
static void find_uses(struct graph *graph)
{
    struct ptx_module *m = graph->module;
    for (size_t i = 0; i < m->function_count; ++i) {
        struct use *use = &graph->uses[i];
        visit_function(graph, m->functions[i], (uint32_t)(2 * i), use);
        use->callees = ptx_arena_array(&m->arena, use->callee_count + 1, sizeof *use->callees);
        use->shared = ptx_arena_array(&m->arena, use->shared_count + 1, sizeof *use->shared);
        use->callee_count = use->shared_count = 0;
        visit_function(graph, m->functions[i], (uint32_t)(2 * i + 1), use);
    }
    for (size_t i = 0; i < m->relocation_count; ++i)
        if (m->relocations[i].is_function && m->relocations[i].addend - 1 < m->function_count)
            graph->is_address_taken[m->relocations[i].addend - 1] = true;
}

static void add_shared(struct ptx_entry *entry, const struct ptx_variable *variable)
{
    if (!variable->is_unsized)
        entry->shared_bytes = aligned(entry->shared_bytes, variable->alignment) + variable->bytes;
    if (variable->alignment > entry->shared_alignment)
        entry->shared_alignment = variable->alignment;
}

static void add_function(struct graph *graph, struct ptx_entry *entry, uint32_t entry_number,
                         uint32_t number)
{
    const struct ptx_function *function = graph->module->functions[number];
    const struct use *use = &graph->uses[number];
    ptx_steps(&graph->module->arena,
              4 + function->variable_count + use->shared_count + use->callee_count);
    const char *name = function->has_body ? "" : function->name;
    entry->uses_workspace |= use->asks_for_workspace;
    entry->uses_printf |= strcmp(name, "vprintf") == 0;
    entry->uses_malloc |= strcmp(name, "malloc") == 0 || strcmp(name, "free") == 0 ||
                          strcmp(name, "__cuda_syscall_aligned_malloc") == 0 ||
                          strcmp(name, "__cudaCDP2Malloc") == 0 || strcmp(name, "cudaMalloc") == 0;
    entry->uses_assert |= strcmp(name, "__assertfail") == 0;
    for (size_t i = 0; i < function->variable_count; ++i)
        if (function->variables[i]->space == PTX_SPACE_SHARED)
            add_shared(entry, function->variables[i]);
    for (size_t i = 0; i < use->shared_count; ++i) {
        if (graph->seen_variable[use->shared[i]->number] == entry_number)
            continue;
        graph->seen_variable[use->shared[i]->number] = entry_number;
        add_shared(entry, use->shared[i]);
    }
}

static void push(struct graph *graph, size_t *depth, uint32_t entry_number, uint32_t number)
{
    if (graph->seen_function[number] == entry_number)
        return;
    graph->seen_function[number] = entry_number;
    graph->stack[(*depth)++] = number;
}

/* Everything that the entry reaches by calls; all address-taken functions where one is by number. */
static void follow_calls(struct graph *graph, struct ptx_entry *entry, uint32_t number)
{
    const uint32_t functions = (uint32_t)graph->module->function_count;
    const uint32_t mark = 2 * functions + 1 + number; /* that no search has used before */
    size_t depth = 0;
    push(graph, &depth, mark, number);
    while (depth > 0) {
        const uint32_t reached = graph->stack[--depth];
        const struct use *use = &graph->uses[reached];
        add_function(graph, entry, mark, reached);
        for (size_t i = 0; i < use->callee_count; ++i)
            push(graph, &depth, mark, use->callees[i]);
        ptx_steps(&graph->module->arena, use->calls_by_number ? functions / 2 : 0);
        for (uint32_t i = 0; use->calls_by_number && i < functions; ++i)
            if (graph->is_address_taken[i])
                push(graph, &depth, mark, i);
    }
}

/* ---- Entries ---- */

static void lay_out_parameters(struct ptx_module *m, struct ptx_entry *entry,
                               struct ptx_function *function)
{
    struct ptx_parameter *made =
        ptx_arena_array(&m->arena, function->parameter_count, sizeof *made);
    size_t end = 0;
    for (size_t i = 0; i < function->parameter_count; ++i) {
        struct ptx_variable *parameter = function->parameters[i];
        parameter->offset = aligned(end, parameter->alignment);
        end = parameter->offset + parameter->bytes;
        made[i] = (struct ptx_parameter){parameter->offset, parameter->bytes, parameter->alignment};
    }
    entry->parameters = made;
    entry->parameter_count = function->parameter_count;
    entry->parameter_bytes = end;
}

static void describe_entry(struct graph *graph, struct ptx_entry *entry,
                           struct ptx_function *function)
{
    entry->name = function->name;
    entry->shared_alignment = 1;
    lay_out_parameters(graph->module, entry, function);
    size_t local = 0;
    for (size_t i = 0; i < function->variable_count; ++i) {
        const struct ptx_variable *variable = function->variables[i];
        if (variable->space == PTX_SPACE_LOCAL)
            local = aligned(local, variable->alignment) + variable->bytes;
    }
    entry->local_bytes = local;
    memcpy(entry->max_threads, function->max_threads, sizeof entry->max_threads);
    memcpy(entry->required_threads, function->required_threads, sizeof entry->required_threads);
    follow_calls(graph, entry, function->number - 1);
}

static void describe_entries(struct ptx_module *m)
{
    struct graph graph = {.module = m};
    graph.uses = ptx_arena_array(&m->arena, m->function_count, sizeof *graph.uses);
    graph.is_address_taken = ptx_arena_array(&m->arena, m->function_count, sizeof(bool));
    graph.seen_function = ptx_arena_array(&m->arena, m->function_count, sizeof(uint32_t));
    graph.seen_variable = ptx_arena_array(&m->arena, m->variable_count, sizeof(uint32_t));
    graph.stack = ptx_arena_array(&m->arena, m->function_count, sizeof(uint32_t));
    find_uses(&graph);
    m->entries = ptx_arena_array(&m->arena, m->function_count, sizeof *m->entries);
    m->entry_functions = ptx_arena_array(&m->arena, m->function_count, sizeof *m->entry_functions);
    for (size_t i = 0; i < m->function_count; ++i)
        if (m->functions[i]->is_entry && m->functions[i]->has_body) {
            m->entry_functions[m->entry_count] = m->functions[i];
            describe_entry(&graph, &m->entries[m->entry_count++], m->functions[i]);
        }
}

/* Source: PTX ISA 8.1, kernel function parameters. Older versions are not held to their 4096: clang before 17 writes
 * none that is later than 7.8, whatever its kernels take. */
static size_t most_parameter_bytes(const struct ptx_module *m)
{
    return m->sm >= 70 ? 32764 : 4096;
}

static const char *check_entries(struct ptx_module *m)
{
    if (m->entry_count > ptx_most_kernels(m->text_bytes))
        ptx_exceed(&m->arena, "kernels of a module");
    for (size_t i = 0; i < m->entry_count; ++i)
        if (m->entries[i].parameter_bytes > most_parameter_bytes(m))
            return ptx_arena_format(
                &m->arena, "kernel '%.100s' has %zu bytes of parameters, more than %zu",
                m->entries[i].name, m->entries[i].parameter_bytes, most_parameter_bytes(m));
    return NULL;
}

static const char *check_external(struct ptx_module *m)
{
    for (size_t i = 0; i < m->variable_count; ++i) {
        const struct ptx_variable *variable = m->variables[i];
        const bool is_stored =
            variable->space == PTX_SPACE_GLOBAL || variable->space == PTX_SPACE_CONST;
        if (is_stored && variable->is_used && variable->linkage == PTX_LINKAGE_EXTERN &&
            !is_reference(variable))
            return ptx_arena_format(&m->arena, "external variable '%s' is defined nowhere",
                                    variable->name);
    }
    return NULL;
}

const char *ptx_lay_out(struct ptx_module *module)
{
    make_indices(module);
    const struct walk all = all_variables(module);
    const char *why = check_external(module);
    if (!why)
        why = place_variables(module, &all);
    if (!why) {
        list_symbols(module, &all);
        why = fill_blocks(module, &all);
    }
    if (!why)
        describe_entries(module);
    return why ? why : check_entries(module);
}
