/* PTX for drivers that take it as it is: which modules they can run, and the text in which
 * variables are the addresses they were given.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/ir/ir.h"

/* ---- Which modules ---- */

static bool is_dynamic_operand(const struct ptx_operand *operand)
{
    return operand->variable && ptx_is_dynamic(operand->variable);
}

/* Entries have a parameter for .extern .shared memory, other functions have none. Registers can
 * stand for it where an address stands, and in a mov. */
static const char *obstacle_of_dynamic(const struct ptx_function *function,
                                       const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; ++i) {
        const struct ptx_operand *operand = &in->operands[i];
        const bool is_nested = operand->list && operand->kind != PTX_OPERAND_LABEL;
        for (uint32_t k = 0; is_nested && k < operand->count; ++k)
            if (is_dynamic_operand(&operand->list[k]))
                return "it hands dynamic shared memory on";
        if (!is_dynamic_operand(operand))
            continue;
        if (!function->is_entry)
            return "a function that is no kernel uses dynamic shared memory";
        if (operand->kind == PTX_OPERAND_VARIABLE && in->opcode != PTX_OPCODE_mov &&
            !(in->opcode == PTX_OPCODE_cvta && operand->bits == 0))
            return "it computes with the address of dynamic shared memory";
    }
    return NULL;
}

static const char *obstacle_of_special(const struct ptx_instruction *in)
{
    for (uint32_t i = 0; i < in->operand_count; ++i) {
        if (in->operands[i].kind != PTX_OPERAND_SPECIAL)
            continue;
        switch (in->operands[i].index) {
        case PTX_ENVREG:
        case PTX_ENVREG1:
        case PTX_ENVREG2:
            return "it reads %envreg, which is the driver's own";
        case PTX_DYNAMIC_SMEM_SIZE:
        case PTX_TOTAL_SMEM_SIZE:
        case PTX_AGGR_SMEM_SIZE:
            return "it asks how much shared memory it has";
        default:
            break;
        }
    }
    return NULL;
}

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
    case PTX_OPCODE_trap: /* it would end the context, and not only for CUDA */
    case PTX_OPCODE_brkpt:
        return "it may trap";
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
    if (function->has_cluster || function->is_explicit_cluster || function->cluster[0] > 0)
        return "it has clusters, which OpenCL launches none of";
    for (size_t i = 0; i < function->instruction_count; ++i) {
        const struct ptx_instruction *in = &function->instructions[i];
        const char *why = obstacle_of_instruction(in);
        if (!why)
            why = obstacle_of_special(in);
        if (!why)
            why = obstacle_of_dynamic(function, in);
        if (why)
            return why;
    }
    return NULL;
}

static const char *find_obstacle(const struct ptx_module *module)
{
    if (module->address_bits != 64)
        return "its addresses have 32 bits";
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

/* By their beginning; at the same place what is put in comes first, then what covers more. */
static int compare_edits(const void *left, const void *right)
{
    const struct ptx_edit *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if ((a->to == a->from) != (b->to == b->from))
        return a->to == a->from ? -1 : 1;
    if ((a->kind == PTX_EDIT_BODY) != (b->kind == PTX_EDIT_BODY)) /* "{ld.global": declare first */
        return a->kind == PTX_EDIT_BODY ? -1 : 1;
    return a->to > b->to ? -1 : a->to < b->to;
}

#define DYNAMIC_PARAMETER ".param .u64 .ptr .shared .align 16 clem_dynamic"
#define DYNAMIC_REGISTERS                                                                          \
    "\n.reg .b64 %clem_dynamic64;\n.reg .b32 %clem_dynamic32;\n"                                   \
    "ld.param.u64 %clem_dynamic64, [clem_dynamic];\n"                                              \
    "cvt.u32.u64 %clem_dynamic32, %clem_dynamic64;\n"

#define ADDRESS_REGISTERS "\n.reg .b64 %clem_address<8>;\n"
_Static_assert(PTX_EDIT_REGISTERS == 8, "as ADDRESS_REGISTERS says");

/* The longest replacements: of functions, and others: a mov to a register of 18 digits. */
enum { BODY_BYTES = sizeof DYNAMIC_REGISTERS ADDRESS_REGISTERS, LITERAL_BYTES = 64 };

static bool is_of_function(enum ptx_edit_kind kind)
{
    return kind == PTX_EDIT_PARAMETERS || kind == PTX_EDIT_BODY;
}

static int write_parameter(char *out, enum ptx_parameters parameters)
{
    static const char *const texts[] = {
        [PTX_SOME_PARAMETERS] = ", " DYNAMIC_PARAMETER,
        [PTX_NO_PARAMETERS] = DYNAMIC_PARAMETER,
        [PTX_NO_PARENTHESES] = "(" DYNAMIC_PARAMETER ")",
    };
    return snprintf(out, BODY_BYTES, "%s", texts[parameters]);
}

static int write_number(char *out, const struct ptx_edit *edit, int bits)
{
    return edit->addend == 0
               ? snprintf(out, LITERAL_BYTES, "%%clem_dynamic%d", bits)
               : snprintf(out, LITERAL_BYTES, "%%clem_dynamic%d, %" PRId64, bits, edit->addend);
}

static int write_place(char *out, const struct ptx_edit *edit)
{
    return edit->addend == 0
               ? snprintf(out, LITERAL_BYTES, "%%clem_dynamic64")
               : snprintf(out, LITERAL_BYTES, "%%clem_dynamic64+%" PRId64, edit->addend);
}

static uint64_t address_of(const struct ptx_edit *edit, const uint64_t *addresses)
{
    return addresses[block_of(edit->variable)] + edit->variable->offset + (uint64_t)edit->addend;
}

/* What the text needs beside its own registers. */
struct additions {
    bool has_dynamic, has_addresses;
};

static int write_body(char *out, const struct ptx_edit *edit, const struct additions *additions)
{
    const bool is_dynamic = additions->has_dynamic && edit->addend;
    return snprintf(out, BODY_BYTES, "%s%s", is_dynamic ? DYNAMIC_REGISTERS : "",
                    additions->has_addresses ? ADDRESS_REGISTERS : "");
}

static int write_edit(char *out, const struct ptx_edit *edit, const uint64_t *addresses,
                      const struct additions *additions)
{
    switch (edit->kind) {
    case PTX_EDIT_ADDRESS:
        return snprintf(out, LITERAL_BYTES, "0x%" PRIx64, address_of(edit, addresses));
    case PTX_EDIT_LOAD:
        return snprintf(out, LITERAL_BYTES, "mov.u64 %%clem_address%u, 0x%" PRIx64 "; ",
                        edit->number, address_of(edit, addresses));
    case PTX_EDIT_LOADED:
        return snprintf(out, LITERAL_BYTES, "%%clem_address%u", edit->number);
    case PTX_EDIT_CONST:
        return snprintf(out, LITERAL_BYTES, "global");
    case PTX_EDIT_CVTA:
        return snprintf(out, LITERAL_BYTES, "mov.u%d ", (int)edit->addend);
    case PTX_EDIT_ADD:
        return snprintf(out, LITERAL_BYTES, "add.u%d ", (int)edit->addend);
    case PTX_EDIT_ALIGN:
        return snprintf(out, LITERAL_BYTES, " .align %" PRId64 " ", edit->addend);
    case PTX_EDIT_DYNAMIC:
        return write_place(out, edit);
    case PTX_EDIT_DYNAMIC_32:
        return write_number(out, edit, 32);
    case PTX_EDIT_DYNAMIC_64:
        return write_number(out, edit, 64);
    case PTX_EDIT_PARAMETERS:
        return additions->has_dynamic ? write_parameter(out, (enum ptx_parameters)edit->addend) : 0;
    case PTX_EDIT_BODY:
        return write_body(out, edit, additions);
    case PTX_EDIT_REMOVE:
        break;
    }
    return 0;
}

static bool has_dynamic(const struct ptx_module *module)
{
    for (size_t i = 0; i < module->variable_count; ++i)
        if (ptx_is_dynamic(module->variables[i]))
            return true;
    return false;
}

static bool has_loads(const struct ptx_module *module)
{
    for (size_t i = 0; i < module->edit_count; ++i)
        if (module->edits[i].kind == PTX_EDIT_LOAD)
            return true;
    return false;
}

/* Enough for all replacements. */
static size_t replaced_bytes(const struct ptx_module *module)
{
    size_t bytes = 0;
    for (size_t i = 0; i < module->edit_count; ++i)
        bytes += is_of_function(module->edits[i].kind) ? BODY_BYTES : LITERAL_BYTES;
    return bytes;
}

static size_t write_text(char *out, const struct ptx_module *module, const struct ptx_edit *edits,
                         const uint64_t *addresses)
{
    size_t at = 0, used = 0;
    const struct additions additions = {has_dynamic(module), has_loads(module)};
    for (size_t i = 0; i < module->edit_count; ++i) {
        if (edits[i].from < at)
            continue; /* within one that is made already */
        memcpy(out + used, module->text + at, edits[i].from - at);
        used += edits[i].from - at;
        used += (size_t)write_edit(out + used, &edits[i], addresses, &additions);
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
    const size_t capacity = module->text_bytes + replaced_bytes(module) + 1;
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
