/* Which reports the user's file takes away.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/suppress.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl/check.h"
#include "cl/check/report.h"
#include "cl/check/stack.h"
#include "cl/check/text.h"
#include "cl/check/wishes.h"
#include "cl/whole.h"

struct rule {
    struct rule *next;
    unsigned kinds;
    char pattern[]; /* with a star at both ends */
};

static struct rule *rules; /* constant once read */

struct search {
    const char *pattern;
    bool may_allocate; /* not in handlers of signals */
};

static unsigned kinds_of(const char *word, size_t length)
{
    if (length == 1 && *word == '*')
        return ~0u;
    static const unsigned kinds[] = {
#define CHECK(name, word) OCL_CHECK_##name,
#include "cl/check.def"
#undef CHECK
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(ocl_check_word(kinds[i])) == length &&
            strncmp(ocl_check_word(kinds[i]), word, length) == 0)
            return kinds[i];
    return 0;
}

/* Brackets and backslashes, which fnmatch() takes for more, are themselves. */
static void write_pattern(const char *text, char *pattern)
{
    *pattern++ = '*';
    for (; *text; text++) {
        if (*text == '[' || *text == '\\')
            *pattern++ = '\\';
        *pattern++ = *text;
    }
    *pattern++ = '*';
    *pattern = '\0';
}

/* False: it is none. */
static bool read_line(char *line)
{
    line[strcspn(line, "\r\n")] = '\0';
    line += strspn(line, " \t");
    if (*line == '\0' || *line == '#')
        return true;
    const size_t length = strcspn(line, ":");
    const unsigned kinds = kinds_of(line, length);
    const char *const pattern = line[length] == ':' ? line + length + 1 : "";
    if (kinds == 0 || *pattern == '\0')
        return false;
    struct rule *const made = malloc(sizeof *made + 2 * strlen(pattern) + sizeof "**");
    if (!made)
        return false;
    made->kinds = kinds;
    write_pattern(pattern, made->pattern);
    made->next = rules;
    rules = made;
    return true;
}

/* NULL: it is no file, or too large for one that people write. */
static char *read_file(const char *path, size_t *bytes)
{
    enum { MOST_BYTES = 1 << 20 };
    struct stat facts;
    char *const text = malloc(MOST_BYTES + 1);
    const int file = text ? whole_open(path, O_RDONLY, 0) : -1;
    const bool is_file = file >= 0 && fstat(file, &facts) == 0 && !S_ISCHR(facts.st_mode);
    const ssize_t got = is_file ? whole_read(file, text, MOST_BYTES) : -1;
    if (file >= 0)
        close(file);
    if (got < 0 || got == MOST_BYTES) {
        free(text);
        return NULL;
    }
    text[got] = '\0';
    *bytes = (size_t)got;
    return text;
}

void ocl_suppress_read(const char *path)
{
    size_t bytes = 0;
    char *const text = read_file(path, &bytes), *at = text;
    if (!text) {
        whole_say("clem: the suppressions in %s cannot be read: nothing is suppressed\n", path);
        return;
    }
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0) /* what editors put in front of UTF-8 */
        at += 3;
    for (unsigned number = 1; at < text + bytes; number++) {
        char *const end = memchr(at, '\n', bytes - (size_t)(at - text));
        if (end)
            *end = '\0';
        if (strlen(at) != (end ? (size_t)(end - at) : bytes - (size_t)(at - text)) ||
            !read_line(at))
            whole_say("clem: %s, line %u is ignored: it is none of the form CHECK:PATTERN\n", path,
                      number);
        at = end ? end + 1 : text + bytes;
    }
    free(text);
}

/* Names of C++'s match as they are, and as reports show them. */
static bool matches(const char *text, const void *argument)
{
    const struct search *const search = argument;
    if (fnmatch(search->pattern, text, 0) == 0)
        return true;
    char *const plain = search->may_allocate ? ocl_text_demangled(text) : NULL;
    const bool is_found = plain && fnmatch(search->pattern, plain, 0) == 0;
    free(plain);
    return is_found;
}

/* One of the names of a list. */
static bool matches_any(const char *names, const struct search *search)
{
    char name[256];
    while (*names) {
        const char *const end = strstr(names, ", ");
        const size_t length = end ? (size_t)(end - names) : strlen(names);
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 names);
        if (matches(name, search))
            return true;
        names += length + (end ? 2 : 0);
    }
    return false;
}

static bool is_of(const struct rule *rule, const struct ocl_report *report, bool may_allocate)
{
    const struct search search = {rule->pattern, may_allocate};
    if ((rule->kinds & report->kind) == 0)
        return false;
    if (matches(report->what, &search))
        return true;
    for (int i = 0; i < OCL_REPORT_PARTS && report->parts[i].label; i++) {
        const struct ocl_report_part *const part = &report->parts[i];
        if ((part->text && matches(part->text, &search)) ||
            (part->text && part->has_names && matches_any(part->text, &search)) ||
            ocl_stack_visit(part->stack, matches, &search))
            return true;
    }
    return false;
}

bool ocl_suppress_has(const struct ocl_report *report, bool may_allocate)
{
    for (const struct rule *rule = rules; rule; rule = rule->next)
        if (is_of(rule, report, may_allocate))
            return true;
    return false;
}
