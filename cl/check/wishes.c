/* What is asked of the checks, from the environment.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/wishes.h"

#include <stdlib.h>
#include <string.h>

#include "cl/base/options.h"
#include "cl/check.h"

static const char list_variable[] = "CLEM_CHECK", option_variable[] = "CLEM_CHECK_OPTIONS";
enum { DEFAULT_MOST = 100, DEFAULT_ALIGN = 256, LARGEST_CODE = 255 };

const char *ocl_check_word(unsigned kind)
{
    switch (kind) {
#define CHECK(name, word)                                                                          \
    case OCL_CHECK_##name:                                                                         \
        return word;
#include "cl/check.def"
#undef CHECK
    default:
        return "check";
    }
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* Bits of a word; 0: it is none. */
static unsigned bits_of(const char *text, size_t length)
{
    static const struct {
        const char *word;
        unsigned bits;
    } words[] = {
#define CHECK(name, word) {word, OCL_CHECK_##name},
#include "cl/check.def"
#undef CHECK
        {"all", OCL_CHECK_ALL},
        {"1", OCL_CHECK_GUARD},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(text, length, words[i].word))
            return words[i].bits;
    return 0;
}

/* One word that is unknown makes the whole list worth nothing: a run that checks less than was asked for would look clean. */
static unsigned read_list(const char *list)
{
    unsigned bits = 0;
    if (!list || strcmp(list, "0") == 0)
        return 0;
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ",");
        const unsigned found = bits_of(at, length);
        if (found == 0) {
            ocl_options_refuse(list_variable, list,
                               "it takes guard, memory, init, race, sync, leak or all, with "
                               "commas between; nothing is checked");
            return 0;
        }
        bits |= found;
        at += length + (at[length] == ',');
    }
    return bits;
}

/* ---- Options ---- */

/* As far as a colon; "\:" is one in a value. */
static char *read_value(const char **at)
{
    char *const value = malloc(strlen(*at) + 1);
    size_t length = 0;
    while (**at && **at != ':') {
        if ((*at)[0] == '\\' && (*at)[1])
            ++*at;
        if (value)
            value[length++] = **at;
        ++*at;
    }
    if (**at == ':')
        ++*at;
    if (value)
        value[length] = '\0';
    return value;
}

static bool read_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    *number = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && !*end && *number <= most;
}

static bool read_format(const char *text, enum ocl_check_format *format)
{
    static const char *const names[] = {
        [OCL_CHECK_TEXT] = "text", [OCL_CHECK_JSON] = "json", [OCL_CHECK_JUNIT] = "junit"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i]) == 0) {
            *format = (enum ocl_check_format)i;
            return true;
        }
    return false;
}

/* False: the value is none. Texts stay, others are freed by the caller. */
static bool keep_option(struct ocl_check_wishes *wishes, const char *name, char **value)
{
    uint64_t number = 0;
    if (strcmp(name, "output") == 0 || strcmp(name, "suppressions") == 0) {
        *(name[0] == 'o' ? &wishes->output : &wishes->refused) = *value;
        *value = NULL;
        return true;
    }
    if (strcmp(name, "begun") == 0 && (*value)[0] == '\0') {
        wishes->is_begun = true;
        return true;
    }
    if (strcmp(name, "format") == 0)
        return read_format(*value, &wishes->format);
    if (strcmp(name, "error-exitcode") == 0 && read_number(*value, LARGEST_CODE, &number)) {
        wishes->error_code = (int)number;
        return true;
    }
    if (strcmp(name, "max-reports") == 0 && read_number(*value, UINT64_MAX, &number)) {
        wishes->most = number;
        return true;
    }
    if (strcmp(name, "guard-align") == 0 && read_number(*value, DEFAULT_ALIGN, &number) &&
        (number == DEFAULT_ALIGN || number == 16 || number == 1)) {
        wishes->align = (size_t)number;
        return true;
    }
    return false;
}

static void read_options(struct ocl_check_wishes *wishes, const char *text)
{
    for (const char *at = text; at && *at;) {
        const size_t length = strcspn(at, "=:");
        char *const name = strndup(at, length);
        at += length + (at[length] == '=');
        char *value = read_value(&at);
        if (!name || !value || !keep_option(wishes, name, &value))
            ocl_options_refuse(option_variable, name ? name : text,
                               "it is no such option, or not with this value");
        free(name);
        free(value);
    }
}

void ocl_check_read_wishes(struct ocl_check_wishes *wishes)
{
    const struct ocl_options *options = ocl_options_get();
    *wishes = (struct ocl_check_wishes){.most = DEFAULT_MOST, .align = DEFAULT_ALIGN};
    wishes->kinds = read_list(options->check);
    if (wishes->kinds != 0)
        read_options(wishes, options->check_options);
}
