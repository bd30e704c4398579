/* libFuzzer's way into clemcc's reader of archives. The linker is asked for names and for nothing else.
 * SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/tools/clemcc.h"

static const uint8_t *archive;
static size_t archive_bytes;

/* What clemcc_archive.c opens is the input: it is compiled with this function for fopen(). */
FILE *fuzz_open(const char *path, const char *mode);
FILE *fuzz_open(const char *path, const char *mode)
{
    (void)path;
    return fmemopen((void *)(uintptr_t)archive, archive_bytes, mode);
}

/* Of clemcc's other files. */
const char *clemcc_suffix(const char *name)
{
    return name;
}

void clemcc_tell_linker(struct clang_arguments *words, const char *word)
{
    clang_arguments_add(words, word);
}

static bool is_name(const char *word)
{
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && *word != '_')
            return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {.name = ".a"};
    struct job job = {.inputs = &input, .input_count = 1};
    archive = data;
    archive_bytes = size;
    if (size > 0)
        clemcc_ask_archives(&job);
    for (size_t i = 0; i < job.linker.count; i++)
        if (strcmp(job.linker.values[i], "-u") != 0 && !is_name(job.linker.values[i]))
            abort();
    clang_arguments_free(&job.linker);
    return 0;
}
