/* What nvcc takes and clang does not, mended where clang names the place: copies of the sources, which clang reads in their
 * place (-ivfsoverlay).
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facade/tools/clemcc.h"

/* A place that clang complains of, and what mends it. */
struct fault {
    char *file;
    unsigned long line, column;
    bool (*mend)(char **text, size_t at);
};

struct faults {
    struct fault *list;
    size_t count;
};

/* ---- Mending ---- */

/* Bytes from..to of the text become `middle`. */
static bool replace(char **text, const char *from, const char *to, const char *middle)
{
    char *made = NULL;
    if (asprintf(&made, "%.*s%s%s", (int)(from - *text), *text, middle, to) < 0)
        return false;
    free(*text);
    *text = made;
    return true;
}

/* asm("mov.u32 %0, %laneid;"): the sign before a register's name is doubled, in the whole string. */
static bool double_signs(char **text, size_t at)
{
    const char *start = *text + at;
    while (start > *text && *start != '\n' && (*start != '"' || start[-1] == '\\'))
        --start;
    const char *end = *start == '"' ? source_behind_quote(start) : start;
    char *made = calloc(2, (size_t)(end - start) + 1);
    bool is_other = false;
    if (!made)
        return false;
    char *to = made;
    for (const char *from = start; from < end; from++) {
        const bool is_sign = *from == '%' && from[1] != '%' && from[-1] != '%';
        *to++ = *from;
        if (is_sign && isalpha((unsigned char)from[1])) {
            *to++ = '%';
            is_other = true;
        }
    }
    is_other = is_other && replace(text, start, end, made);
    free(made);
    return is_other;
}

/* k<<<1, {2, 2}>>>(): the braces get a type. */
static bool name_type(char **text, size_t at)
{
    const char *before = *text + at;
    if (*before != '{')
        return false;
    while (before > *text && *before != ';' && strncmp(before, "<<<", 3) != 0)
        --before;
    return *before == '<' && replace(text, *text + at, *text + at, "dim3");
}

/* The text from..to, between two others. */
static bool add_text(char **made, const char *before, const char *from, const char *to,
                     const char *behind)
{
    char *longer = NULL;
    const bool is_made =
        asprintf(&longer, "%s%s%.*s%s", *made, before, (int)(to - from), from, behind) >= 0;
    free(*made);
    *made = is_made ? longer : NULL;
    return is_made;
}

/* One more argument that the macro has a name for. What has braces or commas stands in parentheses, since commas would divide it; and
 * braces alone get a type. */
static bool add_part(char **made, const char *from, const char *to, const char *otherwise)
{
    const char *const part = from ? source_behind_blanks(from) : otherwise;
    const char *const end = from ? to : otherwise + strlen(otherwise);
    const char *const braces = memchr(part, '{', (size_t)(end - part));
    const bool is_whole = !braces && !memchr(part, ',', (size_t)(end - part));
    return *part == '{' ? add_text(made, ", (dim3", part, end, ")")
           : is_whole   ? add_text(made, ", ", part, end, "")
                        : add_text(made, ", (", part, end, ")");
}

/* Whether values for a kernel have no type before they are its parameters, or stand where none may be asked for: braces and lambdas. */
static bool want_parameters(const char *from, const char *to)
{
    for (const char *at = from; at && at < to; at = source_find_end(at, ",", NULL)) {
        at = source_behind_blanks(at + (*at == ','));
        if (*at == '{')
            return true;
    }
    for (const char *at = from; (at = memchr(at, '[', (size_t)(to - at))) != NULL; at++) {
        const char *const before = source_before_blanks(from, at);
        if (before == from || !(isalnum((unsigned char)before[-1]) || strchr("_)]\"", before[-1])))
            return true;
    }
    return false;
}

/* Where kernel<<<grid, block, shared, stream>>>(arguments) has its parts. */
struct launch {
    const char *name, *name_end, *parts, *arguments, *close;
};

/* The place is that of the name, or of what follows it. A kernel that an object has is none that the macro can name. */
static bool find_launch(const char *text, const char *place, struct launch *l)
{
    const char *const angles = source_find_end(place, ";", "<<<");
    if (!angles || *angles != '<')
        return false;
    const char *const last = source_find_end(angles + 3, "", ">>>");
    const char *const open = last ? source_behind_blanks(last + 3) : NULL;
    l->close = open && *open == '(' ? source_find_end(open + 1, ")", NULL) : NULL;
    l->name_end = source_before_blanks(text, angles);
    l->name = source_name_start(text, l->name_end);
    l->parts = angles + 3;
    l->arguments = l->close ? open + 1 : NULL;
    const char *const before = source_before_blanks(text, l->name);
    const bool is_member =
        before > text && (before[-1] == '.' || (before - text > 1 && !memcmp(before - 2, "->", 2)));
    return l->close && l->name < l->name_end && !is_member;
}

/* kernel<<<grid, block, shared, stream>>>(arguments) in a kernel becomes clem_launch(kernel, ..., arguments), or
 * clem_launch_of(kernel, ...)(arguments). */
static bool launch_by_call(char **text, size_t at)
{
    static const char *const otherwise[] = {"1", "1", "0", "0"};
    struct launch l;
    if (!find_launch(*text, *text + at, &l))
        return false;
    const bool has_commas = memchr(l.name, ',', (size_t)(l.name_end - l.name)) != NULL;
    const bool is_of = want_parameters(l.arguments, l.close);
    char *made = NULL;
    if (asprintf(&made, has_commas ? "clem_launch%s((%.*s)" : "clem_launch%s(%.*s",
                 is_of ? "_of" : "", (int)(l.name_end - l.name), l.name) < 0)
        return false;
    const char *part = l.parts;
    bool is_made = true;
    for (int i = 0; i < 4 && is_made; i++) {
        const char *end = part ? source_find_end(part, ",", ">>>") : NULL;
        is_made = add_part(&made, part, end, otherwise[i]);
        part = end && *end == ',' ? end + 1 : NULL;
    }
    const char *const separator = is_of                                          ? ")("
                                  : source_behind_blanks(l.arguments) == l.close ? ""
                                                                                 : ", ";
    is_made = is_made && add_text(&made, separator, l.arguments, l.close, ")") &&
              replace(text, l.name, l.close + 1, made);
    free(made);
    return is_made;
}

/* ---- What clang says ---- */

static bool (*mending(const char *message))(char **text, size_t at)
{
    static const struct {
        const char *beginning, *end;
        bool (*mend)(char **text, size_t at);
    } rows[] = {
        {"invalid % escape in inline assembly string", "", double_signs},
        {"expected expression", "", name_type},
        {"reference to __global__ function", "function", launch_by_call},
        {"reference to __host__ function '__cudaPushCallConfiguration'", "function",
         launch_by_call},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strncmp(message, rows[i].beginning, strlen(rows[i].beginning)))
            return rows[i].mend;
    return NULL;
}

/* Colours are taken out of a text, in its place. */
static void take_colours_out(char *text)
{
    char *to = text;
    for (const char *from = text; *from;) {
        if (from[0] == '\033' && from[1] == '[') {
            from += strcspn(from, "m");
            from += *from == 'm';
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

/* "file:line:column: error: message" */
static bool read_fault(char *line, struct fault *fault)
{
    static const char mark[] = ": error: ";
    char *message = strstr(line, mark), *column = message, *number;
    if (!message)
        return false;
    *message = 0;
    for (int i = 0; i < 2; i++) {
        number = strrchr(line, ':');
        if (!number || !isdigit((unsigned char)number[1]))
            return false;
        *number = 0;
        column = i == 0 ? number + 1 : column;
    }
    fault->mend = mending(message + sizeof mark - 1);
    fault->file = line;
    fault->line = strtoul(number + 1, NULL, 10);
    fault->column = strtoul(column, NULL, 10);
    return fault->mend != NULL;
}

/* By files, and in each from its end to its beginning, so that places stay where they are. */
static int compare_faults(const void *one, const void *other)
{
    const struct fault *a = one, *b = other;
    const int by_file = strcmp(a->file, b->file);
    if (by_file)
        return by_file;
    if (a->line != b->line)
        return a->line < b->line ? 1 : -1;
    return a->column < b->column ? 1 : a->column > b->column ? -1 : 0;
}

static struct faults read_faults(char *text)
{
    struct faults faults = {calloc(strlen(text) / 16 + 1, sizeof(struct fault)), 0};
    char *rest = NULL;
    if (!faults.list)
        return faults;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        faults.count += read_fault(line, &faults.list[faults.count]);
    qsort(faults.list, faults.count, sizeof *faults.list, compare_faults);
    return faults;
}

/* ---- Files ---- */

/* The copy of a file, as it is so far; NULL: there is none yet. */
static const char *copy_of(const struct job *job, const char *name)
{
    for (size_t i = 0; i + 1 < job->rewritten.count; i += 2)
        if (!strcmp(job->rewritten.values[i], name))
            return job->rewritten.values[i + 1];
    return NULL;
}

static bool write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "we");
    if (!file)
        return false;
    const bool is_written = fputs(text, file) >= 0;
    return fclose(file) == 0 && is_written;
}

/* The places of one file; whether anything was mended there. */
static bool mend_file(struct job *job, const struct fault *faults, size_t count)
{
    const char *copy = copy_of(job, faults->file);
    char *text = clemcc_read_text(copy ? copy : faults->file);
    bool is_mended = false;
    for (size_t i = 0; text && i < count; i++) {
        const char *line = text;
        if (i > 0 && compare_faults(&faults[i], &faults[i - 1]) == 0)
            continue;
        for (unsigned long n = 1; line && n < faults[i].line; n++)
            line = (line = strchr(line, '\n')) ? line + 1 : NULL;
        if (line && faults[i].column > 0 && faults[i].column <= strcspn(line, "\n"))
            is_mended |= faults[i].mend(&text, (size_t)(line - text) + faults[i].column - 1);
    }
    if (is_mended && !copy) {
        clang_arguments_format(&job->rewritten, "%s", faults->file);
        clang_arguments_format(&job->rewritten, "%s/rewritten.%zu", job->scratch,
                               job->rewritten.count);
        copy = job->rewritten.has_failed ? NULL : copy_of(job, faults->file);
    }
    is_mended = is_mended && copy && write_text(copy, text);
    free(text);
    return is_mended;
}

/* Whether the overlay's notation need not be told of anything in it. */
static bool is_plain(const char *name)
{
    return !strpbrk(name, "\"\\");
}

/* Names as clang looks for them: from the root on. */
static bool write_overlay(const struct job *job)
{
    char here[4096], name[sizeof job->scratch + 16];
    snprintf(name, sizeof name, "%s/overlay", job->scratch);
    FILE *file = getcwd(here, sizeof here) && is_plain(here) ? fopen(name, "we") : NULL;
    if (!file)
        return false;
    fputs("{\"version\": 0, \"use-external-names\": false, \"roots\": [", file);
    for (size_t i = 0; i + 1 < job->rewritten.count; i += 2) {
        const char *original = job->rewritten.values[i];
        fprintf(file, "%s{\"type\": \"file\", \"name\": \"%s%s%s\", \"external-contents\": \"%s\"}",
                i ? ",\n" : "", *original == '/' ? "" : here, *original == '/' ? "" : "/", original,
                job->rewritten.values[i + 1]);
    }
    fputs("]}\n", file);
    const bool is_written = !ferror(file);
    return fclose(file) == 0 && is_written;
}

bool clemcc_rewrite(struct job *job, const char *log)
{
    char *text = log ? strdup(log) : NULL;
    bool is_mended = false;
    if (!text)
        return false;
    take_colours_out(text);
    struct faults faults = read_faults(text);
    for (size_t i = 0, next; i < faults.count; i = next) {
        for (next = i + 1; next < faults.count; next++)
            if (strcmp(faults.list[next].file, faults.list[i].file) != 0)
                break;
        if (is_plain(faults.list[i].file))
            is_mended |= mend_file(job, faults.list + i, next - i);
    }
    free(faults.list);
    free(text);
    return is_mended && write_overlay(job);
}

void clemcc_add_overlay(const struct job *job, struct clang_arguments *command)
{
    if (job->rewritten.count == 0)
        return;
    clang_arguments_add(command, "-ivfsoverlay");
    clang_arguments_format(command, "%s/overlay", job->scratch);
}
