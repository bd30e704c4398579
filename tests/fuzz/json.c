/* libFuzzer's way into saved runs of the benchmark. What was taken in reads the same when it is written and read again, and
 * every result is found again.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cjson/cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/saved.h"

/* Of the benchmark's other files, which would bring OpenCL with them. */
const char *contender_name(enum contender contender)
{
    static const char *const names[CONTENDERS] = {"cuda", "raw", "host"};
    return names[contender];
}

void text_size(char out[24], size_t bytes)
{
    snprintf(out, 24, "%zu B", bytes);
}

static void find_each(const struct saved *saved)
{
    for (size_t i = 0; i < saved->result_count; i++)
        if (saved_find(saved, saved->results[i].device, &saved->results[i]) == NULL)
            abort();
}

/* The run as text, after it was taken in; NULL: it is none. */
static char *taken(const char *text, size_t bytes)
{
    struct saved saved;
    cJSON *root = cJSON_ParseWithLength(text, bytes);
    if (root == NULL)
        return NULL;
    const bool is_run = saved_take(root, &saved);
    if (is_run)
        find_each(&saved);
    char *written = is_run ? cJSON_PrintUnformatted(root) : NULL;
    saved_free(&saved);
    return written;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *first = taken((const char *)data, size);
    char *second = first != NULL ? taken(first, strlen(first)) : NULL;
    if (first != NULL && (second == NULL || strcmp(first, second) != 0))
        abort();
    free(first);
    free(second);
    return 0;
}
