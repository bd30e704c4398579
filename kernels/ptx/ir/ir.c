/* Finding things of a module by name or by index, as ptx.h and ir.h offer it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/ir/ir.h"

#include <stdlib.h>
#include <string.h>

static int compare_function(const void *name, const void *row)
{
    return strcmp(name, (*(struct ptx_function *const *)row)->name);
}

const struct ptx_function *ptx_find_function(const struct ptx_module *module, const char *name)
{
    struct ptx_function *const *found =
        module->function_count == 0 ? NULL
                                    : bsearch(name, module->function_index, module->function_count,
                                              sizeof *module->function_index, compare_function);
    return found ? *found : NULL;
}

static int compare_variable(const void *name, const void *row)
{
    return strcmp(name, (*(struct ptx_variable *const *)row)->name);
}

const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, const char *name)
{
    struct ptx_variable *const *found =
        module->variable_count == 0 ? NULL
                                    : bsearch(name, module->variable_index, module->variable_count,
                                              sizeof *module->variable_index, compare_variable);
    return found ? *found : NULL;
}

bool ptx_position_of(const struct ptx_function *function, const struct ptx_variable *variable,
                     size_t *position)
{
    if (function->variable_count == 0 || variable->number < function->variables[0]->number)
        return false;
    *position = variable->number - function->variables[0]->number;
    return *position < function->variable_count && function->variables[*position] == variable;
}

const struct ptx_file *ptx_find_file(const struct ptx_module *module, uint32_t number)
{
    size_t from = 0, to = module->file_count; /* the first that is not below it */
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (module->files[middle].number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from < module->file_count && module->files[from].number == number ? &module->files[from]
                                                                             : NULL;
}

const struct ptx_location *ptx_location_of(const struct ptx_module *module,
                                           const struct ptx_instruction *in)
{
    const struct ptx_location *found =
        in->location > 0 ? &module->locations[in->location - 1] : NULL;
    return found && found->line > 0 ? found : NULL;
}

size_t ptx_module_entry_count(const struct ptx_module *module)
{
    return module->entry_count;
}

const struct ptx_entry *ptx_module_entry(const struct ptx_module *module, size_t index)
{
    return &module->entries[index];
}

size_t ptx_module_entry_number(const struct ptx_module *module, size_t index)
{
    return module->entry_functions[index]->number;
}

size_t ptx_module_symbol_count(const struct ptx_module *module)
{
    return module->symbol_count;
}

const struct ptx_symbol *ptx_module_symbol(const struct ptx_module *module, size_t index)
{
    return &module->symbols[index];
}

size_t ptx_module_block_bytes(const struct ptx_module *module, enum ptx_block block)
{
    return module->block_bytes[block];
}

const unsigned char *ptx_module_block_values(const struct ptx_module *module, enum ptx_block block)
{
    return module->block_values[block];
}

size_t ptx_module_relocation_count(const struct ptx_module *module)
{
    return module->relocation_count;
}

const struct ptx_relocation *ptx_module_relocation(const struct ptx_module *module, size_t index)
{
    return &module->relocations[index];
}

size_t ptx_module_reference_count(const struct ptx_module *module)
{
    return module->reference_count;
}

const struct ptx_reference *ptx_module_reference(const struct ptx_module *module, size_t index)
{
    return &module->references[index];
}
