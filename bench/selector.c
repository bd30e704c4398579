/* Finds the results that words name.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/selector.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "bench/study.h"

/* Copies what lies before one of `ends` and moves past it to that end; false if that is nothing, too
 * much, or the text ends first without '\0' being an end. */
static bool take_word(const char **text, char *word, size_t room, const char *ends)
{
    size_t length = strcspn(*text, ends);
    if (length == 0 || length >= room)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

static bool take_condition(const char **text, struct condition *condition)
{
    if (!take_word(text, condition->name, sizeof condition->name, "=,}{") || **text != '=')
        return false;
    ++*text;
    return take_word(text, condition->value, sizeof condition->value, "=,}{");
}

bool selector_parse(const char *text, struct selector *selector)
{
    memset(selector, 0, sizeof *selector);
    if (!take_word(&text, selector->row, sizeof selector->row, "{}=,"))
        return false;
    if (*text == '\0')
        return true;
    if (*text != '{')
        return false;
    do {
        text++;
        if (selector->count == SELECTOR_CONDITIONS ||
            !take_condition(&text, &selector->conditions[selector->count++]))
            return false;
    } while (*text == ',');
    return strcmp(text, "}") == 0;
}

const char *selector_axis(const struct selector *selector)
{
    for (size_t i = 0; i < selector->count; i++)
        if (strcmp(selector->conditions[i].value, "*") == 0)
            return selector->conditions[i].name;
    return NULL;
}

static bool row_fits(const struct selector *selector, const struct row *row)
{
    size_t length = strlen(selector->row);
    if (length > 1 && strcmp(selector->row + length - 2, ".*") == 0)
        return strncmp(selector->row, row->name, length - 1) == 0;
    return strcmp(selector->row, row->name) == 0;
}

static bool named_parameter(const struct task *task, const char *name,
                            struct task_parameter *parameter)
{
    for (size_t i = 0; task_parameter(task, i, parameter); i++)
        if (strcmp(parameter->name, name) == 0)
            return true;
    return false;
}

bool selector_number(const struct task *task, const char *name, double *number)
{
    struct task_parameter parameter;
    bool found = named_parameter(task, name, &parameter);
    if (found)
        *number = parameter.number;
    return found;
}

/* The first form has its own name beside "idiom". */
static bool form_fits(const struct task *task, const char *name)
{
    const struct study *study = task->row->study;
    return study && (strcmp(name, form_of(task)) == 0 ||
                     (task->form == 0 && strcmp(name, study->forms[0].name) == 0));
}

/* "64", "4K", "16M", "1G" in bytes or whatever the number counts; false for anything else. */
static bool plain_number(const char *text, double *number)
{
    static const char suffixes[] = "KMG";
    char *end;
    *number = strtod(text, &end);
    if (end == text || !isdigit((unsigned char)*text)) /* nor "nan" and " 4" */
        return false;
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    for (const char *s = suffixes; suffix && s <= suffix; s++)
        *number *= 1024;
    return end[suffix != NULL] == '\0';
}

static bool is_extreme(const struct condition *condition)
{
    return strcmp(condition->value, "min") == 0 || strcmp(condition->value, "max") == 0;
}

/* Extremes fit here; they are chosen afterwards. */
static bool condition_fits(const struct task *task, const struct condition *condition)
{
    struct task_parameter parameter;
    double wanted;
    if (strcmp(condition->name, "form") == 0)
        return form_fits(task, condition->value);
    if (!named_parameter(task, condition->name, &parameter))
        return false;
    if (is_extreme(condition) || strcmp(condition->value, "*") == 0)
        return true;
    if (parameter.word && strcmp(parameter.word, condition->value) == 0)
        return true;
    return plain_number(condition->value, &wanted) && parameter.number == wanted;
}

bool selector_fits(const struct selector *selector, const struct task *task)
{
    if (!row_fits(selector, task->row))
        return false;
    for (size_t i = 0; i < selector->count; i++)
        if (!condition_fits(task, &selector->conditions[i]))
            return false;
    return true;
}

/* Keeps of found[0..count-1] those that have the least or the greatest number. */
static size_t keep_extreme(const struct condition *condition, const struct result **found,
                           size_t count)
{
    double wanted = 0, has = 0;
    size_t kept = 0;
    bool least = strcmp(condition->value, "min") == 0;
    for (size_t i = 0; i < count; i++) {
        selector_number(&found[i]->task, condition->name, &has);
        if (i == 0 || (least ? has < wanted : has > wanted))
            wanted = has;
    }
    for (size_t i = 0; i < count; i++) {
        selector_number(&found[i]->task, condition->name, &has);
        if (has == wanted)
            found[kept++] = found[i];
    }
    return kept;
}

size_t selector_find(const struct selector *selector, const struct device_report *device,
                     const struct result **found, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < device->count && count < room; i++)
        if (selector_fits(selector, &device->results[i].task))
            found[count++] = &device->results[i];
    for (size_t i = 0; i < selector->count; i++)
        if (is_extreme(&selector->conditions[i]))
            count = keep_extreme(&selector->conditions[i], found, count);
    return count;
}
