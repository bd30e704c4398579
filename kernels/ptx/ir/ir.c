/* Finding things of a module by name or by index, as ptx.h and ir.h offer it.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/ir/ir.h"

#include <stdio.h>
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

/* "k.cu:12", or "". */
static void write_source(const struct ptx_module *module, uint32_t file, uint32_t line,
                         const char *before, char *text, size_t bytes)
{
    const struct ptx_file *found = line > 0 ? ptx_find_file(module, file) : NULL;
    if (found)
        snprintf(text, bytes, "%s%.*s:%u", before, (int)found->name_length, found->name,
                 (unsigned)line);
}

static bool has_word(const struct ptx_file *file, const char *word)
{
    return memmem(file->name, file->name_length, word, strlen(word)) != NULL;
}

/* clem's headers, and clang's with threadIdx and the like. */
static bool is_of_clem(const struct ptx_module *module, uint32_t number)
{
    const struct ptx_file *file = ptx_find_file(module, number);
    return file && (has_word(file, "/crt/") || has_word(file, "/__clang_cuda_"));
}

/* Compilers that do not say into what a function was inlined: for those of such headers, the line before. */
static const struct ptx_location *outer_of(const struct ptx_module *module, uint32_t location)
{
    enum { MOST_LOCATIONS = 64 };
    const struct ptx_location *at = &module->locations[location - 1];
    if (at->at_line > 0 || !is_of_clem(module, at->file))
        return NULL;
    for (uint32_t i = 1; i < location && i <= MOST_LOCATIONS; i++)
        if ((at - i)->line > 0 && !is_of_clem(module, (at - i)->file))
            return at - i;
    return NULL;
}

char *ptx_module_source(const struct ptx_module *module, uint32_t location)
{
    enum { MOST_BYTES = 4096 };
    if (location == 0 || location > module->location_count)
        return NULL;
    const struct ptx_location *at = &module->locations[location - 1];
    char own[MOST_BYTES] = "", call[MOST_BYTES] = "";
    write_source(module, at->file, at->line, "", own, sizeof own);
    const struct ptx_location *outer = outer_of(module, location);
    if (outer)
        write_source(module, outer->file, outer->line, ", inlined near ", call, sizeof call);
    else
        write_source(module, at->at_file, at->at_line, ", inlined at ", call, sizeof call);
    char *text = own[0] ? malloc(strlen(own) + strlen(call) + 1) : NULL;
    if (text) {
        strcpy(text, own);
        strcat(text, call);
    }
    return text;
}

unsigned ptx_module_target(const struct ptx_module *module)
{
    return module->sm;
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
