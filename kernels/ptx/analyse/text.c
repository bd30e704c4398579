/* The text being made, the expressions it is made of, and refusals.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/analyse/plan.h"

enum { FIRST_BYTES = 16 << 10, SHORT_BYTES = 512 };

/* Room for `more` bytes and a NUL. */
static char *text_room(struct ptx_text *text, size_t more)
{
    if (text->capacity - text->used <= more) {
        size_t capacity = text->capacity ? text->capacity : FIRST_BYTES;
        while (capacity - text->used <= more) {
            if (capacity > SIZE_MAX / 2)
                longjmp(text->arena->out_of_memory, 1);
            capacity *= 2;
        }
        if (text->arena->budget && capacity > 2 * text->arena->budget->most_emitted)
            ptx_exceed(text->arena, "emitted text");
        char *grown = realloc(text->data, capacity);
        if (!grown)
            longjmp(text->arena->out_of_memory, 1);
        text->data = grown;
        text->capacity = capacity;
    }
    return text->data + text->used;
}

static void text_append(struct ptx_text *text, const char *bytes, size_t count)
{
    char *room = text_room(text, count);
    memcpy(room, bytes, count);
    room[count] = '\0';
    text->used += count;
}

void ptx_text_put(struct ptx_text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

static void text_add_list(struct ptx_text *text, const char *format, va_list list)
{
    va_list again;
    va_copy(again, list);
    text_room(text, SHORT_BYTES);
    const size_t room = text->capacity - text->used;
    const int length = vsnprintf(text->data + text->used, room, format, list);
    if (length >= 0 && (size_t)length >= room) {
        text_room(text, (size_t)length);
        vsnprintf(text->data + text->used, (size_t)length + 1, format, again);
    }
    va_end(again);
    text->used += length < 0 ? 0 : (size_t)length;
}

void ptx_text_add(struct ptx_text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    text_add_list(text, format, list);
    va_end(list);
}

__attribute__((format(printf, 2, 0))) static const char *
format_list(struct ptx_emitter *e, const char *format, va_list list)
{
    char room[SHORT_BYTES];
    va_list again;
    va_copy(again, list);
    const int length = vsnprintf(room, sizeof room, format, list);
    const size_t bytes = length < 0 ? 0 : (size_t)length;
    const bool is_short = bytes < sizeof room;
    char *made =
        is_short ? ptx_arena_text(e->arena, room, bytes) : ptx_arena_take(e->arena, bytes + 1);
    if (!is_short)
        vsnprintf(made, bytes + 1, format, again);
    va_end(again);
    return made;
}

const char *ptx_format(struct ptx_emitter *e, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const char *made = format_list(e, format, list);
    va_end(list);
    return made;
}

void ptx_line(struct ptx_emitter *e, const char *format, ...)
{
    static const char blanks[] = "                                ";
    struct ptx_text *out = e->out;
    if (format[0] == '}' && out->depth > 0)
        out->depth--;
    const size_t indent = 4 * (size_t)out->depth;
    text_append(out, blanks, indent < sizeof blanks ? indent : sizeof blanks - 1);
    va_list list;
    va_start(list, format);
    text_add_list(out, format, list);
    va_end(list);
    if (out->data[out->used - 1] == '{')
        out->depth++;
    text_append(out, "\n", 1);
}

const char *ptx_temporary(struct ptx_emitter *e)
{
    return ptx_format(e, "t%u", ++e->temporaries);
}

/* "k.cu:12", or NULL where the file is not known. */
static const char *source_text(struct ptx_emitter *e, uint32_t file, uint32_t line)
{
    const struct ptx_file *found = line > 0 ? ptx_find_file(e->module, file) : NULL;
    return found ? ptx_format(e, "%.*s:%u", (int)found->name_length, found->name, (unsigned)line)
                 : NULL;
}

const char *ptx_line_text(struct ptx_emitter *e, const struct ptx_instruction *in)
{
    const struct ptx_location *at = ptx_location_of(e->module, in);
    const char *own = at ? source_text(e, at->file, at->line) : NULL;
    if (!own)
        return ptx_format(e, "line %u", (unsigned)in->line);
    const char *call = source_text(e, at->at_file, at->at_line);
    return ptx_format(e, "%s%s%s, PTX line %u", own, call ? ", inlined at " : "", call ? call : "",
                      (unsigned)in->line);
}

/* Who is refused, and where. */
static const char *place_of(struct ptx_emitter *e)
{
    const struct ptx_plan *plan = e->plan;
    const struct ptx_function *function = e->function;
    const bool within = function && !function->is_entry;
    const char *head = ptx_format(e, "kernel %s%s%s", plan->original->name,
                                  within ? ", function " : "", within ? function->name : "");
    if (!e->instruction)
        return head;
    return ptx_format(e, "%s, %s: %s", head, ptx_line_text(e, e->instruction),
                      e->instruction->words ? e->instruction->words
                                            : ptx_opcode_name(e->instruction->opcode));
}

static void refuse_list(struct ptx_emitter *e, enum ptx_status status, const char *why,
                        va_list list)
{
    if (e->status != PTX_OK)
        return;
    e->status = status;
    const char *words = format_list(e, why, list);
    const char *whole = ptx_format(e, "%s: %s\n", place_of(e), words);
    if (!e->log)
        return;
    const size_t before = e->log->text ? strlen(e->log->text) : 0, bytes = strlen(whole) + 1;
    char *grown = realloc(e->log->text, before + bytes);
    if (!grown)
        longjmp(e->arena->out_of_memory, 1);
    memcpy(grown + before, whole, bytes);
    e->log->text = grown;
}

void ptx_refuse(struct ptx_emitter *e, const char *why, ...)
{
    va_list list;
    va_start(list, why);
    refuse_list(e, PTX_E_UNSUPPORTED, why, list);
    va_end(list);
}

void ptx_refuse_address(struct ptx_emitter *e, const char *why, ...)
{
    va_list list;
    va_start(list, why);
    refuse_list(e, PTX_E_NEEDS_ADDRESS, why, list);
    va_end(list);
}
