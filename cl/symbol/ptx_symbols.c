/* The variables of PTX modules, as tables of symbols.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/symbol/ptx_symbols.h"

#include <stdlib.h>
#include <string.h>

#include "cl/managed.h"
#include "cl/program/translation.h"
#include "cl/trace.h"

_Static_assert((int)OCL_SYMBOL_CONSTANT == (int)PTX_BLOCK_CONSTANT &&
                   (int)OCL_SYMBOL_DEVICE == (int)PTX_BLOCK_DEVICE &&
                   (int)OCL_SYMBOL_MANAGED == (int)PTX_BLOCK_MANAGED &&
                   (int)OCL_SYMBOL_KINDS == (int)PTX_BLOCKS,
               "the blocks of a module are the blocks of symbols");

static size_t names_bytes(const struct ptx_module *module)
{
    size_t bytes = 0;
    for (size_t i = 0; i < ptx_module_symbol_count(module); i++)
        bytes += strlen(ptx_module_symbol(module, i)->name) + 1;
    return bytes;
}

static void write_rows(const struct ptx_module *module, struct ocl_symbol_table *table)
{
    cl_ulong *row = table->words + OCL_TABLE_HEAD_WORDS;
    char *name = table->names;
    for (size_t i = 0; i < ptx_module_symbol_count(module); i++, row += OCL_TABLE_ROW_WORDS) {
        const struct ptx_symbol *symbol = ptx_module_symbol(module, i);
        row[OCL_TABLE_ROW_KIND] = (cl_ulong)symbol->block;
        row[OCL_TABLE_ROW_OFFSET] = symbol->offset;
        row[OCL_TABLE_ROW_BYTES] = symbol->bytes;
        row[OCL_TABLE_ROW_NAME] = (cl_ulong)(name - table->names);
        name = stpcpy(name, symbol->name) + 1;
    }
}

/* A copy, because relocations change it; zeros where the text gives no value.
 */
static ocl_status copy_block(const struct ptx_module *module, int kind,
                             struct ocl_symbol_table *table)
{
    const size_t bytes = ptx_module_block_bytes(module, (enum ptx_block)kind);
    const unsigned char *values = ptx_module_block_values(module, (enum ptx_block)kind);
    table->words[OCL_TABLE_HEAD_BLOCK_BYTES + kind] = bytes;
    if (bytes == 0)
        return OCL_OK;
    table->values[kind] = calloc(bytes, 1);
    if (!table->values[kind])
        return OCL_E_OUT_OF_MEMORY;
    if (values)
        memcpy(table->values[kind], values, bytes);
    return OCL_OK;
}

ocl_status ocl_ptx_read_symbols(const struct ocl_program *program, struct ocl_symbol_table *table)
{
    const struct ptx_module *module = program->ptx->module;
    const size_t count = ptx_module_symbol_count(module);
    ocl_status status = OCL_OK;
    table->row_room = count;
    table->name_room = names_bytes(module);
    table->words = calloc(OCL_TABLE_HEAD_WORDS + count * OCL_TABLE_ROW_WORDS, sizeof *table->words);
    table->names = calloc(table->name_room + 1, 1);
    if (!table->words || !table->names)
        return OCL_E_OUT_OF_MEMORY;
    table->words[OCL_TABLE_HEAD_COUNT] = count;
    table->words[OCL_TABLE_HEAD_NAME_BYTES] = table->name_room;
    write_rows(module, table);
    for (int kind = 0; status == OCL_OK && kind < OCL_SYMBOL_KINDS; kind++)
        status = copy_block(module, kind, table);
    return status;
}

/* Devices and host are little-endian, as PTX is. */
static void relocate(const struct ptx_relocation *relocation,
                     const uint64_t addresses[OCL_SYMBOL_KINDS],
                     const struct ocl_symbol_table *table)
{
    uint64_t value = relocation->addend;
    if (!relocation->is_function)
        value += addresses[relocation->target];
    memcpy(table->values[relocation->block] + relocation->offset,
           (const unsigned char *)&value + relocation->first, relocation->bytes);
}

ocl_status ocl_program_share_variables(struct ocl_program *program,
                                       const struct ocl_managed_variables *variables)
{
    if (!program->ptx)
        return OCL_OK;
    const ocl_status status =
        ocl_managed_adopt(program->context, variables->start, variables->bytes);
    if (status != OCL_OK)
        return status == OCL_E_OUT_OF_MEMORY ? status : OCL_E_NOT_SUPPORTED;
    program->ptx->managed = variables->start;
    switch (ptx_module_manage(program->ptx->module, variables->places, variables->count,
                              variables->bytes)) {
    case PTX_OK:
        program->has_symbol_table = true;
        return OCL_OK;
    case PTX_E_OUT_OF_MEMORY:
        return OCL_E_OUT_OF_MEMORY;
    default:
        ocl_log(true, "the PTX has managed variables that the program does not");
        return OCL_E_NOT_SUPPORTED;
    }
}

/* The host's variables have had their values since they were registered, but for addresses of
 * variables that had no memory before this. What the host has written there since stays. */
void ocl_ptx_complete_managed(const struct ocl_program *program,
                              const struct ocl_symbol_table *table)
{
    static const unsigned char zeros[sizeof(uint64_t)];
    const struct ptx_module *module = program->ptx->module;
    for (size_t i = 0; i < ptx_module_relocation_count(module); i++) {
        const struct ptx_relocation *relocation = ptx_module_relocation(module, i);
        unsigned char *place = (unsigned char *)program->ptx->managed + relocation->offset;
        if (relocation->block == PTX_BLOCK_MANAGED && memcmp(place, zeros, relocation->bytes) == 0)
            memcpy(place, table->values[PTX_BLOCK_MANAGED] + relocation->offset, relocation->bytes);
    }
}

void ocl_ptx_relocate(const struct ocl_program *program, const uint64_t addresses[OCL_SYMBOL_KINDS],
                      const struct ocl_symbol_table *table)
{
    const struct ptx_module *module = program->ptx->module;
    for (size_t i = 0; i < ptx_module_relocation_count(module); i++)
        relocate(ptx_module_relocation(module, i), addresses, table);
}
