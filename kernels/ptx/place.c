/* PTX for drivers that take it as it is: which modules they can run, and the text in which
 * variables are the addresses they were given.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/ir.h"

/* ---- Which modules ---- */

static const char *obstacle_of_instruction(const struct ptx_instruction *in)
{
    switch (in->opcode) {
    case PTX_OPCODE_tex:
    case PTX_OPCODE_tld4:
    case PTX_OPCODE_txq:
        return "it fetches from textures";
    case PTX_OPCODE_suld:
    case PTX_OPCODE_sust:
    case PTX_OPCODE_sured:
    case PTX_OPCODE_suq:
        return "it uses surfaces";
    case PTX_OPCODE_isspacep: /* constants lie in global memory */
        return in->space == PTX_SPACE_CONST ? "it asks whether an address is constant" : NULL;
    default:
        return NULL;
    }
}

static const char *obstacle_of_function(const struct ptx_function *function)
{
    if (!function->has_body)
        return "it calls functions that are none of its own";
    for (size_t i = 0; i < function->instruction_count; ++i) {
        const char *why = obstacle_of_instruction(&function->instructions[i]);
        if (why)
            return why;
    }
    return NULL;
}

static const char *find_obstacle(const struct ptx_module *module)
{
    if (module->reference_count > 0)
        return "it has texture or surface references";
    if (module->block_bytes[PTX_BLOCK_MANAGED] > 0)
        return "it has managed variables";
    for (size_t i = 0; i < module->relocation_count; ++i)
        if (module->relocations[i].is_function)
            return "a variable begins with the address of a function";
    for (size_t i = 0; i < module->function_count; ++i) {
        const char *why = obstacle_of_function(module->functions[i]);
        if (why)
            return why;
    }
    return NULL;
}

bool ptx_module_suits_binary(const struct ptx_module *module, const char **why)
{
    *why = find_obstacle(module);
    return *why == NULL;
}

/* ---- The text ---- */

static enum ptx_block block_of(const struct ptx_variable *variable)
{
    return variable->space == PTX_SPACE_CONST ? PTX_BLOCK_CONSTANT
           : variable->is_managed             ? PTX_BLOCK_MANAGED
                                              : PTX_BLOCK_DEVICE;
}

/* By their beginning; at the same place the one that covers more comes first. */
static int compare_edits(const void *left, const void *right)
{
    const struct ptx_edit *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to > b->to ? -1 : a->to < b->to;
}

enum { LITERAL_BYTES = 24 }; /* the longest replacement: 0x and 16 digits */

static int write_edit(char *out, const struct ptx_edit *edit, const uint64_t *addresses)
{
    switch (edit->kind) {
    case PTX_EDIT_ADDRESS: {
        const struct ptx_variable *variable = edit->variable;
        const uint64_t address =
            addresses[block_of(variable)] + variable->offset + (uint64_t)edit->addend;
        return snprintf(out, LITERAL_BYTES, "0x%" PRIx64, address);
    }
    case PTX_EDIT_CONST:
        return snprintf(out, LITERAL_BYTES, "global");
    case PTX_EDIT_CVTA:
        return snprintf(out, LITERAL_BYTES, "mov.u%d ", (int)edit->addend);
    case PTX_EDIT_REMOVE:
        break;
    }
    return 0;
}

static size_t write_text(char *out, const struct ptx_module *module, const struct ptx_edit *edits,
                         const uint64_t *addresses)
{
    size_t at = 0, used = 0;
    for (size_t i = 0; i < module->edit_count; ++i) {
        if (edits[i].from < at)
            continue; /* within one that is made already */
        memcpy(out + used, module->text + at, edits[i].from - at);
        used += edits[i].from - at;
        used += (size_t)write_edit(out + used, &edits[i], addresses);
        at = edits[i].to;
    }
    memcpy(out + used, module->text + at, module->text_bytes - at);
    used += module->text_bytes - at;
    out[used] = 0;
    return used;
}

char *ptx_module_place(const struct ptx_module *module, const uint64_t addresses[PTX_BLOCKS],
                       size_t *bytes)
{
    const size_t capacity = module->text_bytes + module->edit_count * LITERAL_BYTES + 1;
    struct ptx_edit *edits = calloc(module->edit_count + 1, sizeof *edits);
    char *out = malloc(capacity);
    if (edits && out) {
        if (module->edit_count > 0)
            memcpy(edits, module->edits, module->edit_count * sizeof *edits);
        qsort(edits, module->edit_count, sizeof *edits, compare_edits);
        *bytes = write_text(out, module, edits, addresses);
    } else {
        free(out);
        out = NULL;
    }
    free(edits);
    return out;
}
