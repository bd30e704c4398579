/* Reads the environment variables that options.def lists.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/options.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cl/process.h"
#include "cl/whole.h"

extern char **environ;

static struct ocl_options options;
static pthread_once_t options_once = PTHREAD_ONCE_INIT;

static const char *const known_variables[] = {
    "CLEM_CLANG", /* clemcc's and the run-time compiler's */
#define TEXT(field, variable)           variable,
#define FOLDER(field, variable)         variable,
#define LIST(field, variable)           variable,
#define CHOICE(field, variable, values) variable,
#define FLAG(field, variable)           variable,
#define ZERO(field, variable)           variable,
#define WORD(field, variable, word)     variable,
#include "cl/base/options.def"
#undef TEXT
#undef FOLDER
#undef LIST
#undef CHOICE
#undef FLAG
#undef ZERO
#undef WORD
};

void ocl_options_refuse(const char *variable, const char *value, const char *why)
{
    whole_say("clem: %s=%s is ignored: %s\n", variable, value, why);
}

/* A copy, because the program may change its environment later. It lives as long as the process. */
static const char *read_list(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value ? strdup(value) : NULL;
}

static const char *read_text(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value ? strdup(value) : NULL;
}

/* What is relative means the same when the program goes elsewhere. */
static const char *read_folder(const char *variable)
{
    const char *value = secure_getenv(variable);
    char *here = value && *value && *value != '/' ? getcwd(NULL, 0) : NULL, *whole = NULL;
    if (!here)
        return read_text(variable);
    if (asprintf(&whole, "%s/%s", here, value) < 0)
        whole = NULL;
    free(here);
    return whole;
}

static bool read_flag(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

static bool is_value(const char *variable, const char *word)
{
    const char *value = secure_getenv(variable);
    return value && strcmp(value, word) == 0;
}

static bool is_word_of(const char *word, const char *words)
{
    size_t length = strlen(word);
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t here = strcspn(at, " ");
        if (here == length && strncmp(at, word, length) == 0)
            return true;
        at += here;
    }
    return false;
}

static const char *read_choice(const char *variable, const char *values)
{
    const char *value = secure_getenv(variable);
    if (!value || !*value)
        return NULL;
    if (is_word_of(value, values))
        return strdup(value);
    char why[128];
    snprintf(why, sizeof why, "it takes one of: %s", values);
    ocl_options_refuse(variable, value, why);
    return NULL;
}

static bool is_known(const char *entry, size_t length)
{
    for (size_t i = 0; i < sizeof known_variables / sizeof known_variables[0]; i++)
        if (strlen(known_variables[i]) == length && strncmp(known_variables[i], entry, length) == 0)
            return true;
    return false;
}

static void report_unknown_names(void)
{
    for (char **entry = environ; entry && *entry; entry++) {
        size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "CLEM_", 5) == 0 && !is_known(*entry, length))
            whole_say("clem: %.*s is not a variable that clem knows; it is ignored\n", (int)length,
                      *entry);
    }
}

static void read_options(void)
{
#define TEXT(field, variable)           options.field = read_text(variable);
#define FOLDER(field, variable)         options.field = read_folder(variable);
#define LIST(field, variable)           options.field = read_list(variable);
#define CHOICE(field, variable, values) options.field = read_choice(variable, values);
#define FLAG(field, variable)           options.field = read_flag(variable);
#define ZERO(field, variable)           options.field = is_value(variable, "0");
#define WORD(field, variable, word)     options.field = is_value(variable, word);
#include "cl/base/options.def"
#undef TEXT
#undef FOLDER
#undef LIST
#undef CHOICE
#undef FLAG
#undef ZERO
#undef WORD
    if (!ocl_process_is_privileged())
        report_unknown_names();
}

const struct ocl_options *ocl_options_get(void)
{
    pthread_once(&options_once, read_options);
    return &options;
}
