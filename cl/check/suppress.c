/* Which reports the user's file takes away.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/suppress.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl/check.h"
#include "cl/check/report.h"
#include "cl/check/stack.h"
#include "cl/check/wishes.h"
#include "cl/whole.h"

struct rule {
    struct rule *next;
    unsigned kinds;
    char pattern[]; /* with a star at both ends */
};

static struct rule *rules; /* constant once read */

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
    const size_t bytes = strlen(pattern) + sizeof "**";
    struct rule *const made = malloc(sizeof *made + bytes);
    if (!made)
        return false;
    made->kinds = kinds;
    snprintf(made->pattern, bytes, "*%s*", pattern);
    made->next = rules;
    rules = made;
    return true;
}

void ocl_suppress_read(const char *path)
{
    FILE *const file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    if (!file) {
        whole_say("clem: the suppressions in %s cannot be read: nothing is suppressed\n", path);
        return;
    }
    for (unsigned number = 1; getline(&line, &room, file) >= 0; number++)
        if (!read_line(line))
            whole_say("clem: %s, line %u is ignored: it is none of the form CHECK:PATTERN\n", path,
                      number);
    free(line);
    fclose(file);
}

static bool matches(const char *text, const void *pattern)
{
    return fnmatch(pattern, text, 0) == 0;
}

static bool is_of(const struct rule *rule, const struct ocl_report *report)
{
    if ((rule->kinds & report->kind) == 0)
        return false;
    if (matches(report->what, rule->pattern))
        return true;
    for (int i = 0; i < OCL_REPORT_PARTS && report->parts[i].label; i++) {
        const struct ocl_report_part *const part = &report->parts[i];
        if ((part->text && matches(part->text, rule->pattern)) ||
            ocl_stack_visit(part->stack, matches, rule->pattern))
            return true;
    }
    return false;
}

bool ocl_suppress_has(const struct ocl_report *report)
{
    for (const struct rule *rule = rules; rule; rule = rule->next)
        if (is_of(rule, report))
            return true;
    return false;
}
