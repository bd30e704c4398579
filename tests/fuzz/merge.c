/* libFuzzer's way into the merging of PTX texts: two, with a zero byte between them. What was merged and can be read merges,
 * alone, into what merges into itself: statements that mean nothing may take each other along, once.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/ptx/ptx.h"

static char *merged_of(const char *const *texts, size_t count)
{
    static const char *const names[] = {"a", "b"};
    struct ptx_log log = {NULL};
    char *merged = NULL;
    size_t bytes = 0;
    if (ptx_merge(texts, names, count, &merged, &bytes, &log) == PTX_OK && strlen(merged) != bytes)
        abort();
    free(log.text);
    return merged;
}

static bool is_readable(const char *text)
{
    struct ptx_log log = {NULL};
    struct ptx_module *module = NULL;
    const bool is = ptx_module_parse(text, strlen(text), &module, &log) == PTX_OK;
    ptx_module_free(module);
    free(log.text);
    return is;
}

static char *merged_again(const char *text)
{
    return text != NULL && is_readable(text) ? merged_of(&text, 1) : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = calloc(size + 2, 1);
    if (copy == NULL)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    const char *const texts[] = {copy, copy + strlen(copy) + 1};
    char *first = merged_of(texts, 2);
    char *second = merged_again(first), *third = merged_again(second);
    if (third != NULL && strcmp(second, third) != 0) {
        fprintf(stderr, "%s\n---- merges into\n%s\n", second, third);
        abort();
    }
    free(first);
    free(second);
    free(third);
    free(copy);
    return 0;
}
