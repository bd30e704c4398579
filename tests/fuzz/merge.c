/* libFuzzer's way into the merging of PTX texts: two, with a zero byte between them. What was merged and can be read merges,
 * alone, into itself.
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
    char *second =
        first != NULL && is_readable(first) ? merged_of((const char *const *)&first, 1) : NULL;
    if (second != NULL && strcmp(first, second) != 0) {
        fprintf(stderr, "%s\n---- merges into\n%s\n", first, second);
        abort();
    }
    free(first);
    free(second);
    free(copy);
    return 0;
}
