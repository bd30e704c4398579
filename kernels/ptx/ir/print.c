/* Modules and functions as PTX again: for tests and traces.
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>

#include "kernels/ptx/ir/ir.h"
#include "kernels/ptx/ir/words.h"

static const char *const linkages[] = {[PTX_LINKAGE_NONE] = "",
                                       [PTX_LINKAGE_EXTERN] = ".extern ",
                                       [PTX_LINKAGE_VISIBLE] = ".visible ",
                                       [PTX_LINKAGE_WEAK] = ".weak ",
                                       [PTX_LINKAGE_COMMON] = ".common "};
static const char *const spaces[] = {
    [PTX_SPACE_GENERIC] = "",     [PTX_SPACE_GLOBAL] = ".global", [PTX_SPACE_SHARED] = ".shared",
    [PTX_SPACE_LOCAL] = ".local", [PTX_SPACE_CONST] = ".const",   [PTX_SPACE_PARAM] = ".param",
    [PTX_SPACE_REG] = ".reg",     [PTX_SPACE_TEX] = ".tex"};

/* ---- Operands ---- */

static void print_operand(FILE *out, const struct ptx_function *function,
                          const struct ptx_operand *operand);

static void print_list(FILE *out, const struct ptx_function *function,
                       const struct ptx_operand *operand, const char *open, const char *close)
{
    fputs(open, out);
    for (uint32_t i = 0; i < operand->count; ++i) {
        fputs(i ? ", " : "", out);
        print_operand(out, function, &operand->list[i]);
    }
    fputs(close, out);
}

static void print_part(FILE *out, const struct ptx_operand *operand)
{
    if (operand->part == 0)
        return;
    if (operand->part < PTX_PART_BYTES) {
        fprintf(out, ".%c", "xyzw"[operand->part - 1]);
        return;
    }
    const bool is_halves = operand->part >= PTX_PART_HALVES;
    const int digits = operand->part - (is_halves ? PTX_PART_HALVES : PTX_PART_BYTES);
    fprintf(out, ".%c%0*x", is_halves ? 'h' : 'b', digits, operand->count);
}

static void print_float(FILE *out, const struct ptx_operand *operand)
{
    if (operand->is_double)
        fprintf(out, "0d%016" PRIX64, (uint64_t)operand->bits);
    else
        fprintf(out, "0f%08" PRIX32, (uint32_t)operand->bits);
}

static void print_address(FILE *out, const struct ptx_function *function,
                          const struct ptx_operand *operand)
{
    if (operand->index >= 0)
        fprintf(out, "[%s", function->registers[operand->index].name);
    else if (operand->variable)
        fprintf(out, "[%s", operand->variable->name);
    else {
        fprintf(out, "[%" PRIu64 "U]", (uint64_t)operand->bits);
        return;
    }
    print_part(out, operand);
    fprintf(out, operand->bits ? "+%" PRIu64 "U]" : "]", (uint64_t)operand->bits);
}

static void print_operand(FILE *out, const struct ptx_function *function,
                          const struct ptx_operand *operand)
{
    switch ((enum ptx_operand_kind)operand->kind) {
    case PTX_OPERAND_REGISTER:
        fprintf(out, "%s%s",
                !operand->is_negated                                   ? ""
                : function->registers[operand->index].type == PTX_PRED ? "!"
                                                                       : "-",
                function->registers[operand->index].name);
        print_part(out, operand);
        break;
    case PTX_OPERAND_INTEGER:
        fprintf(out, "%" PRIu64 "U", (uint64_t)operand->bits);
        break;
    case PTX_OPERAND_FLOAT:
        print_float(out, operand);
        break;
    case PTX_OPERAND_SPECIAL:
        fputs(ptx_special_name((enum ptx_special)operand->index), out);
        break;
    case PTX_OPERAND_VARIABLE:
        fprintf(out, operand->bits ? "%s+%" PRIu64 "U" : "%s", operand->variable->name,
                (uint64_t)operand->bits);
        break;
    case PTX_OPERAND_FUNCTION:
        fputs(operand->function->name, out);
        break;
    case PTX_OPERAND_ADDRESS:
        print_address(out, function, operand);
        break;
    case PTX_OPERAND_VECTOR:
        print_list(out, function, operand, "{", "}");
        break;
    case PTX_OPERAND_LABEL:
        fputs(function->labels[operand->index].name, out);
        break;
    case PTX_OPERAND_TARGETS:
        fputs(function->targets[operand->index].name, out);
        break;
    case PTX_OPERAND_TEXTURE:
        print_list(out, function, operand, "[", "]");
        break;
    case PTX_OPERAND_SINK:
    case PTX_OPERAND_NONE:
        fputs("_", out);
        break;
    }
}

/* ---- Instructions ---- */

static void print_call(FILE *out, const struct ptx_function *function,
                       const struct ptx_instruction *in)
{
    if (in->operands[0].count > 0) {
        print_list(out, function, &in->operands[0], "(", "), ");
    }
    print_operand(out, function, &in->operands[1]);
    print_list(out, function, &in->operands[2], ", (", ")");
    for (uint32_t i = 3; i < in->operand_count; ++i) {
        fputs(", ", out);
        print_operand(out, function, &in->operands[i]);
    }
}

/* One that is refused, as check.c finds it, is written as it was read, too. */
static bool is_call(const struct ptx_instruction *in)
{
    return in->operand_count >= 3 && strncmp(in->words, "call", 4) == 0 &&
           (in->words[4] == '\0' || in->words[4] == '.');
}

/* Those of a function up to and with an instruction's, whether other instructions are left at them or not. */
static uint32_t print_locations(FILE *out, const struct ptx_module *module, uint32_t next,
                                uint32_t end)
{
    for (; next < end; ++next) {
        const struct ptx_location *at = &module->locations[next];
        fprintf(out, "    .loc %u %u %u", at->file, at->line, at->column);
        if (at->function)
            fprintf(out, at->offset ? ", function_name %.*s+%u" : ", function_name %.*s",
                    (int)at->function_length, at->function, at->offset);
        if (at->at_file)
            fprintf(out, ", inlined_at %u %u %u", at->at_file, at->at_line, at->at_column);
        fputs("\n", out);
    }
    return next;
}

static void print_instruction(FILE *out, const struct ptx_function *function,
                              const struct ptx_instruction *in)
{
    fputs("    ", out);
    if (in->guard >= 0)
        fprintf(out, "@%s%s ", in->guard_negated ? "!" : "", function->registers[in->guard].name);
    fprintf(out, "%s ", in->words);
    if (is_call(in))
        print_call(out, function, in);
    else
        for (uint32_t i = 0; i < in->operand_count; ++i) {
            const char *between = i == 1 && in->has_second_destination ? "|" : ", ";
            fputs(i ? between : "", out);
            print_operand(out, function, &in->operands[i]);
        }
    fputs(";\n", out);
}

/* ---- Declarations ---- */

static void print_variable(FILE *out, const struct ptx_variable *variable)
{
    fprintf(out, "%s%s", linkages[variable->linkage], spaces[variable->space]);
    if (variable->is_managed)
        fputs(" .attribute(.managed)", out);
    if (variable->type < PTX_TEXREF && variable->space != PTX_SPACE_REG)
        fprintf(out, " .align %zu", variable->alignment);
    if (variable->width > 1)
        fprintf(out, " .v%u", variable->width);
    fprintf(out, " .%s %s", ptx_type_name((enum ptx_type)variable->type), variable->name);
    const size_t element = ptx_type_bytes((enum ptx_type)variable->type) * variable->width;
    if (variable->is_unsized)
        fputs("[]", out);
    else if (variable->is_array)
        fprintf(out, "[%zu]", element ? variable->bytes / element : 0);
}

static void print_symbol(FILE *out, const struct ptx_initial *initial)
{
    if (initial->bytes == 1)
        fprintf(out, "0x%" PRIX64 "(", UINT64_C(0xff) << (8 * initial->first));
    fprintf(out, initial->is_generic ? "generic(%s)" : "%s", initial->symbol);
    if (initial->bits)
        fprintf(out, "+%" PRIu64 "U", (uint64_t)initial->bits);
    fputs(initial->bytes == 1 ? ")" : "", out);
}

/* The value of one element as a literal of its type. */
static void print_number(FILE *out, enum ptx_type type, uint64_t bits)
{
    if (ptx_type_is_float(type) && ptx_type_bytes(type) == 4)
        fprintf(out, "0f%08" PRIX32, (uint32_t)bits);
    else if (ptx_type_is_float(type) && ptx_type_bytes(type) == 8)
        fprintf(out, "0d%016" PRIX64, bits);
    else
        fprintf(out, "%" PRIu64 "U", bits);
}

static void print_numbers(FILE *out, enum ptx_type type, const struct ptx_initial *initial)
{
    const size_t step = ptx_type_bytes(type);
    for (size_t at = 0; at < initial->bytes; at += step) {
        uint64_t bits = 0;
        for (size_t i = 0; i < step && i < 8 && at + i < initial->bytes; ++i)
            bits |= (uint64_t)initial->values[at + i] << (8 * i);
        fputs(at > 0 ? ", " : "", out);
        print_number(out, type, bits);
    }
}

static void print_values(FILE *out, const struct ptx_variable *variable)
{
    const enum ptx_type type = (enum ptx_type)variable->type;
    const size_t step = ptx_type_bytes(type);
    const bool is_list = variable->is_array || variable->width > 1;
    size_t next = 0;
    fputs(is_list ? " = {" : " = ", out);
    for (size_t i = 0; i < variable->initial_count; ++i) {
        const struct ptx_initial *initial = &variable->initials[i];
        for (; next < initial->offset; next += step)
            fputs("0, ", out);
        if (initial->symbol)
            print_symbol(out, initial);
        else
            print_numbers(out, type, initial);
        next = initial->offset + (initial->bytes + step - 1) / step * step;
        fputs(i + 1 < variable->initial_count ? ", " : "", out);
    }
    fputs(is_list ? "}" : "", out);
}

static void print_definition(FILE *out, const struct ptx_variable *variable)
{
    print_variable(out, variable);
    if (variable->initial_count > 0)
        print_values(out, variable);
    fputs(";\n", out);
}

/* ---- Functions ---- */

static void print_parameters(FILE *out, struct ptx_variable *const *parameters, size_t count)
{
    fputs("(", out);
    for (size_t i = 0; i < count; ++i) {
        fputs(i ? ", " : "", out);
        print_variable(out, parameters[i]);
    }
    fputs(")", out);
}

static void print_threads(FILE *out, const char *word, const unsigned threads[3])
{
    if (threads[0])
        fprintf(out, "%s %u, %u, %u\n", word, threads[0], threads[1], threads[2]);
}

static void print_head(FILE *out, const struct ptx_function *function)
{
    fprintf(out, "%s%s ", linkages[function->linkage], function->is_entry ? ".entry" : ".func");
    if (function->result_count)
        print_parameters(out, function->results, function->result_count);
    fprintf(out, " %s", function->name);
    print_parameters(out, function->parameters, function->parameter_count);
    fputs("\n", out);
    if (function->is_noreturn)
        fputs(".noreturn\n", out);
    print_threads(out, ".maxntid", function->max_threads);
    print_threads(out, ".reqntid", function->required_threads);
    print_threads(out, ".reqnctapercluster", function->cluster);
    fputs(function->is_explicit_cluster ? ".explicitcluster\n" : "", out);
    if (function->min_blocks)
        fprintf(out, ".minnctapersm %u\n", function->min_blocks);
}

static void print_targets(FILE *out, const struct ptx_function *function,
                          const struct ptx_targets *targets)
{
    fprintf(out, "%s: ", targets->name);
    if (targets->prototype) {
        const struct ptx_function *prototype = targets->prototype;
        fputs(".callprototype ", out);
        print_parameters(out, prototype->results, prototype->result_count);
        fprintf(out, " %s ", prototype->name);
        print_parameters(out, prototype->parameters, prototype->parameter_count);
        fputs(prototype->is_noreturn ? " .noreturn" : "", out);
    } else
        fputs(targets->labels ? ".branchtargets " : ".calltargets ", out);
    for (size_t i = 0; i < targets->count; ++i)
        fprintf(out, "%s%s", i ? ", " : "",
                targets->labels ? function->labels[targets->labels[i]].name
                                : targets->functions[i]->name);
    fputs(";\n", out);
}

static bool is_among(struct ptx_variable *const *parameters, size_t count, size_t index)
{
    for (size_t i = 0; i < count; ++i)
        if (parameters[i]->space == PTX_SPACE_REG && parameters[i]->number == index)
            return true;
    return false;
}

/* Parameters in registers are declared where the function's head is. */
static bool is_parameter(const struct ptx_function *function, size_t index)
{
    return is_among(function->parameters, function->parameter_count, index) ||
           is_among(function->results, function->result_count, index);
}

static void print_body(FILE *out, const struct ptx_module *module,
                       const struct ptx_function *function)
{
    fputs("{\n", out);
    for (size_t i = 0; i < function->register_count; ++i) {
        const struct ptx_register *made = &function->registers[i];
        if (is_parameter(function, i))
            continue;
        fputs(".reg", out);
        if (made->width > 1)
            fprintf(out, " .v%u", made->width);
        fprintf(out, " .%s %s;\n", ptx_type_name((enum ptx_type)made->type), made->name);
    }
    for (size_t i = 0; i < function->variable_count; ++i)
        print_definition(out, function->variables[i]);
    for (size_t i = 0; i < function->target_count; ++i)
        print_targets(out, function, &function->targets[i]);
    size_t label = 0;
    uint32_t location = function->first_location;
    for (size_t i = 0; i <= function->instruction_count; ++i) {
        for (; label < function->label_count && function->labels[label].instruction == i; ++label)
            fprintf(out, "%s:\n", function->labels[label].name);
        if (i == function->instruction_count)
            break;
        location = print_locations(out, module, location, function->instructions[i].location);
        print_instruction(out, function, &function->instructions[i]);
    }
    fputs("}\n", out);
}

static void print_function(FILE *out, const struct ptx_module *module,
                           const struct ptx_function *function)
{
    print_head(out, function);
    if (function->has_body)
        print_body(out, module, function);
    else
        fputs(";\n", out);
}

static void print_files(FILE *out, const struct ptx_module *module)
{
    for (size_t i = 0; i < module->file_count; ++i) {
        const struct ptx_file *file = &module->files[i];
        fprintf(out, ".file %u \"%.*s\"", file->number, (int)file->name_length, file->name);
        if (file->has_facts)
            fprintf(out, ", %" PRIu64 ", %" PRIu64, file->time, file->bytes);
        fputs("\n", out);
    }
    for (size_t i = 0; i < module->debug_string_count; ++i) {
        const struct ptx_passage *passage = &module->debug_strings[i];
        fprintf(out, "%.*s\n", (int)(passage->to - passage->from), module->text + passage->from);
    }
}

/* In the order in which the text is read again: functions count from their declarations on. So do kernels,
 * which bodies and variables that stand before theirs may name, and which need have none. */
void ptx_print_module(FILE *out, const struct ptx_module *module)
{
    fprintf(out, ".version %u.%u\n.target sm_%u\n.address_size %u\n", module->version / 10,
            module->version % 10, module->sm, module->address_bits);
    for (size_t i = 0; i < module->function_count; ++i) {
        struct ptx_function declaration = *module->functions[i];
        declaration.has_body = false;
        print_function(out, module, &declaration);
    }
    for (size_t i = 0; i < module->variable_count; ++i)
        print_definition(out, module->variables[i]);
    for (size_t i = 0; i < module->function_count; ++i)
        if (module->functions[i]->has_body)
            print_function(out, module, module->functions[i]);
    print_files(out, module);
}
