/* The options of clem-run --check, as variables for the program.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/tools/check_run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- values ----------------------------------------------------------------------------------- */

static bool is_check(const char *word, size_t length)
{
    static const char *const words[] = {
#define CHECK(name, word) word,
#include "cl/check.def"
#undef CHECK
        "all",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == length && strncmp(words[i], word, length) == 0)
            return true;
    return false;
}

static bool is_list(const char *list)
{
    for (;;) {
        const size_t length = strcspn(list, ",");
        if (!is_check(list, length))
            return false;
        if (list[length] == '\0')
            return true;
        list += length + 1;
    }
}

static bool is_number(const char *text, unsigned long long most)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && number <= most;
}

static bool is_one_of(const char *text, const char *one, const char *other, const char *third)
{
    return strcmp(text, one) == 0 || strcmp(text, other) == 0 || strcmp(text, third) == 0;
}

bool check_keep_wish(struct check_wishes *wishes, int option, const char *value)
{
    enum { LARGEST_CODE = 255 };
    switch (option) {
    case CHECK_LIST:
        wishes->list = value != NULL ? value : "guard";
        return is_list(wishes->list);
    case CHECK_ERROR_EXITCODE:
        wishes->error_exitcode = value;
        return is_number(value, LARGEST_CODE);
    case CHECK_MAX_REPORTS:
        wishes->max_reports = value;
        return is_number(value, ULLONG_MAX);
    case CHECK_FORMAT:
        wishes->format = value;
        return is_one_of(value, "text", "json", "junit");
    case CHECK_GUARD_ALIGN:
        wishes->guard_align = value;
        return is_one_of(value, "256", "16", "1");
    case CHECK_SUPPRESSIONS:
        wishes->suppressions = value;
        return value[0] != '\0';
    default:
        wishes->output = value;
        return value[0] != '\0';
    }
}

/* --- variables -------------------------------------------------------------------------------- */

/* The program may go elsewhere before it opens the file. */
static char *whole_path(const char *path)
{
    char *whole = NULL, *const folder = path[0] == '/' ? NULL : getcwd(NULL, 0);
    if (folder == NULL)
        return strdup(path);
    if (asprintf(&whole, "%s/%s", folder, path) < 0)
        whole = NULL;
    free(folder);
    return whole;
}

static void put_option(FILE *to, const char *name, const char *value)
{
    if (value == NULL)
        return;
    fprintf(to, "%s=", name);
    for (; *value != '\0'; value++)
        fprintf(to, *value == ':' || *value == '\\' ? "\\%c" : "%c", *value);
    putc(':', to);
}

static void put_path(FILE *to, const char *name, const char *path)
{
    char *const whole = path != NULL ? whole_path(path) : NULL;
    put_option(to, name, whole != NULL ? whole : path);
    free(whole);
}

static bool complain(const char *path)
{
    fprintf(stderr, "clem-run: %s: %s\n", path, strerror(errno));
    return false;
}

/* The file is there, and empty, where the program never comes to write it: all processes of the run append to it. Not what has a name
 * only once there is a process, nor what is no file. */
static bool make_output(const char *path)
{
    if (strstr(path, "%p") != NULL || strncmp(path, "/dev/", 5) == 0)
        return true;
    FILE *const file = fopen(path, "we");
    return file != NULL && fclose(file) == 0 ? true : complain(path);
}

static bool set_options(const struct check_wishes *wishes)
{
    char *options = NULL;
    size_t bytes = 0;
    FILE *const to = open_memstream(&options, &bytes);
    if (to == NULL)
        return complain("options");
    put_option(to, "error-exitcode", wishes->error_exitcode);
    put_option(to, "max-reports", wishes->max_reports);
    put_option(to, "format", wishes->format);
    put_option(to, "guard-align", wishes->guard_align);
    put_path(to, "suppressions", wishes->suppressions);
    put_path(to, "output", wishes->output);
    if (wishes->output != NULL)
        fputs("begun:", to);
    const bool is_whole = fclose(to) == 0;
    const bool is_set = is_whole && setenv("CLEM_CHECK", wishes->list, 1) == 0 &&
                        setenv("CLEM_CHECK_OPTIONS", options, 1) == 0;
    free(options);
    return is_set ? true : complain("options");
}

static bool has_options(const struct check_wishes *wishes)
{
    return wishes->error_exitcode != NULL || wishes->max_reports != NULL ||
           wishes->suppressions != NULL || wishes->format != NULL || wishes->output != NULL ||
           wishes->guard_align != NULL;
}

bool check_set_environment(const struct check_wishes *wishes)
{
    if (wishes->list == NULL && has_options(wishes)) {
        fprintf(stderr, "clem-run: options of checks need --check\n");
        return false;
    }
    if (wishes->list == NULL)
        return true;
    if (wishes->suppressions != NULL && access(wishes->suppressions, R_OK) != 0)
        return complain(wishes->suppressions);
    if (wishes->output != NULL && !make_output(wishes->output))
        return false;
    return set_options(wishes);
}
