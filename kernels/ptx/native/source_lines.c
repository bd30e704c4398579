/* Where in the CUDA sources each instruction of the native form comes from, for debuggers: the text has a line "; @N" before what
 * is written for an instruction of another source line, and gets LLVM's metadata of that when it is whole.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "kernels/ptx/native/native.h"
#include "kernels/ptx/native/native_flow.h"

/* Numbers of metadata: some that are always there, then files, then scopes of files, then places. */
enum { UNIT = 2, VERSION, DWARF, SUBPROGRAM, TYPE, TYPES, FILES = 16 }; /* !8: kernel.c */

/* The place in the kernel's own sources: of the call in whose place an instruction is. */
struct place {
    uint32_t file, line, column;
};

static bool place_of(const struct ptx_module *module, uint32_t location, struct place *place)
{
    const struct ptx_location *at = location > 0 && location <= module->location_count
                                        ? &module->locations[location - 1]
                                        : NULL;
    if (!at || at->line == 0)
        return false;
    const bool is_inlined = at->at_line > 0 && ptx_find_file(module, at->at_file);
    *place = is_inlined ? (struct place){at->at_file, at->at_line, at->at_column}
                        : (struct place){at->file, at->line, at->column};
    return ptx_find_file(module, place->file) != NULL;
}

static size_t index_of(const struct ptx_module *module, uint32_t file)
{
    return (size_t)(ptx_find_file(module, file) - module->files);
}

/* The first instruction that has a place says where the kernel is. */
static bool first_place(const struct ptx_native *n, struct place *place)
{
    const struct ptx_function *function = n->flow->function;
    for (size_t i = 0; i < function->instruction_count; i++)
        if (place_of(n->e->module, function->instructions[i].location, place))
            return true;
    return false;
}

void ptx_native_find_sources(struct ptx_native *n)
{
    struct place place;
    n->has_sources = first_place(n, &place);
    if (n->has_sources)
        n->is_named = ptx_arena_take(n->e->arena, n->e->module->location_count + 1);
}

const char *ptx_native_subprogram(struct ptx_native *n)
{
    return n->has_sources ? ptx_format(n->e, " !dbg !%d", SUBPROGRAM) : "";
}

void ptx_native_at_source(struct ptx_native *n, const struct ptx_instruction *in)
{
    struct place place;
    if (!n->has_sources || in->location == n->location)
        return;
    n->location = in->location;
    ptx_text_add(n->e->out, "; @%u\n",
                 place_of(n->e->module, in->location, &place) ? (unsigned)in->location : 0u);
}

/* The place that a line of the text names, or `before`. */
static uint32_t location_at(const char *line, uint32_t before)
{
    uint32_t location = 0;
    if (strncmp(line, "; @", 3) != 0)
        return before;
    for (line += 3; *line >= '0' && *line <= '9'; line++)
        location = location * 10 + (uint32_t)(*line - '0');
    return location;
}

void ptx_native_write_sources(struct ptx_native *n)
{
    struct ptx_text *text = n->e->out;
    uint32_t location = 0;
    if (!n->has_sources)
        return;
    const size_t places = FILES + 2 * n->e->module->file_count;
    const char *whole = ptx_arena_text(n->e->arena, text->data, text->used);
    text->used = 0;
    for (const char *line = whole, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        if (!end)
            break;
        location = location_at(line, location);
        if (*line == ';')
            continue;
        ptx_text_add(text, "%.*s", (int)(end - line), line);
        if (*line == ' ' && location > 0) {
            ptx_text_add(text, ", !dbg !%zu", places + location);
            n->is_named[location] = true;
        }
        ptx_text_put(text, "\n");
    }
}

/* As strings of LLVM's text have it. */
static void put_string(struct ptx_text *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (text[i] == '"' || text[i] == '\\' || (unsigned char)text[i] < ' ')
            ptx_text_add(out, "\\%02X", (unsigned char)text[i]);
        else
            ptx_text_add(out, "%c", text[i]);
}

static void put_file(struct ptx_text *out, size_t number, const struct ptx_file *file)
{
    ptx_text_add(out, "!%zu = !DIFile(filename: \"", number);
    put_string(out, file->name, file->name_length);
    ptx_text_put(out, "\", directory: \"\")\n");
}

static void put_unit(const struct ptx_native *n, struct ptx_text *out, const struct place *first)
{
    const struct ptx_module *module = n->e->module;
    const char *name = n->e->plan->original->name;
    const size_t file = FILES + index_of(module, first->file);
    ptx_text_add(out, "!llvm.dbg.cu = !{!%d}\n!llvm.module.flags = !{!%d, !%d}\n", UNIT, VERSION,
                 DWARF);
    ptx_text_add(out,
                 "!%d = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !%zu, "
                 "producer: \"clem\", isOptimized: true, runtimeVersion: 0, emissionKind: "
                 "FullDebug)\n",
                 UNIT, file);
    ptx_text_add(out, "!%d = !{i32 2, !\"Debug Info Version\", i32 3}\n", VERSION);
    ptx_text_add(out, "!%d = !{i32 2, !\"Dwarf Version\", i32 4}\n", DWARF);
    ptx_text_add(out,
                 "!%d = distinct !DISubprogram(name: \"%s\", linkageName: \"%s\", scope: !%zu, "
                 "file: !%zu, line: %u, type: !%d, scopeLine: %u, spFlags: DISPFlagDefinition | "
                 "DISPFlagOptimized, unit: !%d)\n",
                 SUBPROGRAM, name, name, file, file, (unsigned)first->line, TYPE,
                 (unsigned)first->line, UNIT);
    ptx_text_add(out, "!%d = !DISubroutineType(types: !%d)\n!%d = !{null}\n", TYPE, TYPES, TYPES);
}

void ptx_native_describe_sources(struct ptx_native *n)
{
    const struct ptx_module *module = n->e->module;
    struct ptx_text *out = n->e->out;
    const size_t scopes = FILES + module->file_count, places = scopes + module->file_count;
    struct place place;
    if (!n->has_sources || !first_place(n, &place))
        return;
    put_unit(n, out, &place);
    for (size_t i = 0; i < module->file_count; i++) {
        put_file(out, FILES + i, &module->files[i]);
        ptx_text_add(out, "!%zu = !DILexicalBlockFile(scope: !%d, file: !%zu, discriminator: 0)\n",
                     scopes + i, SUBPROGRAM, FILES + i);
    }
    for (uint32_t i = 1; i <= module->location_count; i++)
        if (n->is_named[i] && place_of(module, i, &place))
            ptx_text_add(out, "!%zu = !DILocation(line: %u, column: %u, scope: !%zu)\n", places + i,
                         (unsigned)place.line, (unsigned)place.column,
                         scopes + index_of(module, place.file));
}
