/* Directives that say nothing about what a kernel does: .pragma, and debug information. Of that it is kept where in the
 * sources instructions come from: .file, .loc and the section .debug_str. What is not as the ISA has it is passed over.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/parse/parse.h"

static uint32_t as_32(uint64_t number)
{
    return number > UINT32_MAX ? UINT32_MAX : (uint32_t)number;
}

/* The numbers that stand here, of which the first `most` are kept; how many there are. Over strings and plus signs too. */
static unsigned read_numbers(struct ptx_parser *p, uint64_t *numbers, unsigned most)
{
    unsigned count = 0;
    while (p->token.kind == PTX_TOKEN_INTEGER || p->token.kind == PTX_TOKEN_STRING ||
           p->token.kind == '+') {
        if (p->token.kind == PTX_TOKEN_INTEGER && count++ < most)
            numbers[count - 1] = p->token.bits;
        ptx_next(p);
    }
    return count;
}

/* ---- Files ---- */

/* .file 1 "folder" "name", time, bytes: without a semicolon. The folder is clang's. */
static void read_file(struct ptx_parser *p)
{
    struct ptx_file made = {0};
    uint64_t number = 0, *const facts[] = {&made.time, &made.bytes};
    const bool has_number = p->token.kind == PTX_TOKEN_INTEGER;
    if (has_number) {
        number = p->token.bits;
        ptx_next(p);
    }
    for (; has_number && p->token.kind == PTX_TOKEN_STRING; ptx_next(p)) {
        made.name = p->token.text;
        made.name_length = (uint32_t)p->token.length;
    }
    uint64_t ignored;
    unsigned count = 0;
    read_numbers(p, &ignored, 0);
    for (; ptx_accept(p, ','); ++count)
        made.has_facts = read_numbers(p, count < 2 ? facts[count] : &ignored, 1) == 1 && count == 1;
    if (!made.name)
        return;
    made.number = as_32(number);
    struct ptx_file *added = ptx_list_add(p, &p->files, sizeof *added);
    *added = made;
}

/* Of one number, the first in the text comes first. */
static int compare_files(const void *a, const void *b)
{
    const struct ptx_file *one = a, *other = b;
    if (one->number != other->number)
        return one->number < other->number ? -1 : 1;
    return (one->name > other->name) - (one->name < other->name);
}

/* ---- Locations ---- */

/* function_name label + 4, from the label on. */
static void read_function_name(struct ptx_parser *p, struct ptx_location *location)
{
    const struct ptx_token label = p->token;
    uint64_t offset = 0;
    ptx_expect(p, PTX_TOKEN_WORD);
    read_numbers(p, &offset, 1);
    location->function = label.text;
    location->function_length = (uint32_t)label.length;
    location->offset = as_32(offset);
}

/* Compilers say the same of one instruction after the other. */
static bool is_last(const struct ptx_parser *p, const struct ptx_location *location)
{
    if (p->location == 0 || p->location != p->locations.count)
        return false;
    const struct ptx_location *last = (struct ptx_location *)p->locations.items + p->location - 1;
    const bool has_same_numbers =
        memcmp(last, location, offsetof(struct ptx_location, function)) == 0;
    if (!has_same_numbers || !last->function || !location->function)
        return has_same_numbers && last->function == location->function;
    return last->offset == location->offset && last->function_length == location->function_length &&
           memcmp(last->function, location->function, last->function_length) == 0;
}

/* .loc 1 2 3, function_name name + 4, inlined_at 1 2 3: without a semicolon. */
static void read_location(struct ptx_parser *p)
{
    struct ptx_location made = {0};
    uint64_t at[3] = {0}, call[3] = {0};
    unsigned count = read_numbers(p, at, 3), call_count = 0;
    while (ptx_accept(p, ',')) {
        uint64_t ignored;
        if (ptx_accept_word(p, "function_name"))
            read_function_name(p, &made);
        else if (ptx_accept_word(p, "inlined_at"))
            call_count = read_numbers(p, call, 3);
        else
            count += read_numbers(p, &ignored, 0);
    }
    if (count != 3 || (call_count != 3 && call_count != 0))
        return;
    made.file = as_32(at[0]), made.line = as_32(at[1]), made.column = as_32(at[2]);
    made.at_file = as_32(call[0]), made.at_line = as_32(call[1]), made.at_column = as_32(call[2]);
    if (is_last(p, &made))
        return;
    struct ptx_location *added = ptx_list_add(p, &p->locations, sizeof *added);
    *added = made;
    p->location = (uint32_t)p->locations.count;
}

/* ---- Sections ---- */

static void read_section(struct ptx_parser *p, const char *start)
{
    const bool has_strings = ptx_at_word(p, ".debug_str");
    size_t depth = 0;
    bool is_end = false;
    for (; p->token.kind != PTX_TOKEN_END && !is_end; ptx_next(p)) {
        depth += p->token.kind == '{';
        is_end = p->token.kind == '}' && --depth == 0;
    }
    if (!is_end)
        ptx_syntax(p, "'}' expected");
    if (!has_strings)
        return;
    struct ptx_passage *added = ptx_list_add(p, &p->debug_strings, sizeof *added);
    added->from = (size_t)(start - p->module->text);
    added->to = (size_t)(p->consumed - p->module->text);
}

/* ---- All of them ---- */

static bool read_debug(struct ptx_parser *p, const char *start)
{
    if (ptx_accept_word(p, ".section"))
        read_section(p, start);
    else if (ptx_accept_word(p, ".loc"))
        read_location(p);
    else if (ptx_accept_word(p, ".file"))
        read_file(p);
    else if (p->token.kind == '@' && p->lexer.at[0] == '@') {
        const uint32_t line = p->token.line; /* @@DWARF: to the end of the line */
        while (p->token.line == line && p->token.kind != PTX_TOKEN_END)
            ptx_next(p);
    } else
        return false;
    return true;
}

bool ptx_pass_directive(struct ptx_parser *p)
{
    if (ptx_accept_word(p, ".pragma")) {
        while (p->token.kind != ';' && p->token.kind != PTX_TOKEN_END)
            ptx_next(p);
        ptx_expect(p, ';');
        return true;
    }
    const char *const text = p->module->text, *const start = p->token.text;
    if (!read_debug(p, start))
        return false;
    ptx_note_edit(p, PTX_EDIT_REMOVE, (size_t)(start - text), (size_t)(p->consumed - text), NULL,
                  0);
    return true;
}

void ptx_keep_locations(struct ptx_parser *p)
{
    struct ptx_module *module = p->module;
    module->location_count = p->locations.count;
    module->locations = ptx_list_keep(p, &p->locations, sizeof *module->locations);
    module->debug_string_count = p->debug_strings.count;
    module->debug_strings = ptx_list_keep(p, &p->debug_strings, sizeof *module->debug_strings);
    module->file_count = p->files.count;
    module->files = ptx_list_keep(p, &p->files, sizeof *module->files);
    if (module->file_count > 0)
        qsort(module->files, module->file_count, sizeof *module->files, compare_files);
}
