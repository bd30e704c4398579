/* Parameters of functions whose address is moved to a register, as compilers do with structures: those lie in memory, as
 * copies.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/ir/layout.h"

/* A parameter of the function as its owner may change it; NULL where it is none. */
static struct ptx_variable *own_parameter(struct ptx_arena *arena,
                                          const struct ptx_function *function,
                                          const struct ptx_variable *variable)
{
    size_t position;
    if (variable->owner != function || variable->space != PTX_SPACE_PARAM ||
        ptx_position_of(function, variable, &position))
        return NULL;
    ptx_steps(arena, function->parameter_count / 4);
    for (size_t i = 0; i < function->parameter_count; i++)
        if (function->parameters[i] == variable)
            return function->parameters[i];
    return NULL;
}

static void add_copy(struct ptx_module *module, struct ptx_function *function,
                     struct ptx_variable *parameter)
{
    const size_t count = function->variable_count;
    struct ptx_variable *made = ptx_arena_take(&module->arena, sizeof *made);
    struct ptx_variable **all = ptx_arena_array(&module->arena, count + 1, sizeof *all);
    if (count)
        memcpy(all, function->variables, count * sizeof *all);
    *made = *parameter;
    made->name = ptx_arena_format(&module->arena, "%s_copy", parameter->name);
    made->space = PTX_SPACE_LOCAL;
    made->copy_of = parameter;
    if (count)
        made->number = all[0]->number + (uint32_t)count;
    all[count] = made;
    function->variables = all;
    function->variable_count = count + 1;
    parameter->copy = made;
}

static bool add_copies(struct ptx_module *module, struct ptx_function *function)
{
    bool has_some = false;
    for (size_t i = 0; i < function->instruction_count; i++) {
        const struct ptx_instruction *in = &function->instructions[i];
        if (in->opcode != PTX_OPCODE_mov || in->operand_count < 2 ||
            in->operands[1].kind != PTX_OPERAND_VARIABLE || in->operands[1].variable->copy)
            continue;
        struct ptx_variable *parameter =
            own_parameter(&module->arena, function, in->operands[1].variable);
        if (parameter)
            add_copy(module, function, parameter);
        has_some |= parameter != NULL;
    }
    return has_some;
}

/* Where an address in .param is in a register, it is that of a copy. */
static void use_copies(const struct ptx_function *function)
{
    for (size_t i = 0; i < function->instruction_count; i++) {
        struct ptx_instruction *in = &function->instructions[i];
        for (uint32_t j = 0; j < in->operand_count; j++) {
            struct ptx_operand *o = &in->operands[j];
            const bool is_copied = o->variable && o->variable->copy;
            if (o->kind == PTX_OPERAND_ADDRESS && in->space == PTX_SPACE_PARAM &&
                (is_copied || o->index >= 0))
                in->space = PTX_SPACE_LOCAL;
            if (is_copied)
                o->variable = o->variable->copy;
        }
    }
}

void ptx_place_parameters(struct ptx_module *module)
{
    for (size_t i = 0; i < module->function_count; i++)
        if (!module->functions[i]->is_entry && add_copies(module, module->functions[i]))
            use_copies(module->functions[i]);
}
