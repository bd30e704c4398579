/* Archives with device code: a linker takes nothing from an archive but what is asked for, and nobody asks for a unit that
 * has device code alone. So all of them are asked for, by the symbol that each has for its code.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/compile/clang_flags.h"
#include "facade/tools/clemcc.h"

enum {
    MAGIC_BYTES = 8,
    HEADER_BYTES = 60,
    SIZE_AT = 48,
    SIZE_DIGITS = 10,
    MOST_INDEX_BYTES = 64 << 20
};

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool is_identifier(const char *name)
{
    return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] ==
           0;
}

/* Who made an archive chose the names in it, and not what the linker is told: only what compilers can
 * have called a unit's code is asked for. */
static void ask_for_name(struct job *job, const char *name)
{
    static const char beginning[] = "__fatbinwrap_";
    if (strncmp(name, beginning, sizeof beginning - 1) != 0 || !is_identifier(name))
        return;
    clemcc_tell_linker(&job->linker, "-u");
    clemcc_tell_linker(&job->linker, name);
}

/* The index is the first member, called "/": how many symbols, where each one's member is, the names. */
static void ask_for_names(struct job *job, const char *index, size_t bytes)
{
    if (bytes < 4)
        return;
    const size_t count = big_endian((const unsigned char *)index);
    if (count > (bytes - 4) / 5)
        return;
    const char *name = index + 4 + 4 * count;
    for (size_t i = 0; i < count; i++) {
        const size_t left = (size_t)(index + bytes - name), length = strnlen(name, left);
        if (length == left)
            return;
        ask_for_name(job, name);
        name += length + 1;
    }
}

static void read_index(struct job *job, FILE *file)
{
    char head[MAGIC_BYTES + HEADER_BYTES], digits[SIZE_DIGITS + 1] = "";
    if (fread(head, 1, sizeof head, file) != sizeof head ||
        memcmp(head, "!<arch>\n", MAGIC_BYTES) != 0 || memcmp(head + MAGIC_BYTES, "/ ", 2) != 0)
        return;
    memcpy(digits, head + MAGIC_BYTES + SIZE_AT, SIZE_DIGITS);
    const unsigned long bytes = strtoul(digits, NULL, 10);
    char *index = bytes <= MOST_INDEX_BYTES ? malloc(bytes + 1) : NULL;
    if (index && fread(index, 1, bytes, file) == bytes)
        ask_for_names(job, index, bytes);
    free(index);
}

/* Whether there is such a file. What is no archive asks for nothing. */
static bool ask_file(struct job *job, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    read_index(job, file);
    fclose(file);
    return true;
}

/* As the linker finds it: the first folder that has it, a shared library before an archive. */
static void ask_library(struct job *job, const char *name)
{
    for (size_t i = 0; i < job->linker.count; i++) {
        const char *folder = job->linker.values[i];
        char path[4096];
        if (strncmp(folder, "-L", 2) != 0)
            continue;
        snprintf(path, sizeof path, "%s/lib%s.so", folder + 2, name);
        FILE *shared = fopen(path, "rb");
        if (shared)
            fclose(shared);
        snprintf(path, sizeof path, "%s/lib%s.a", folder + 2, name);
        if (shared || ask_file(job, path))
            return;
    }
}

void clemcc_ask_archives(struct job *job)
{
    for (size_t i = 0; i < job->input_count; i++)
        if (strcmp(clemcc_suffix(job->inputs[i].name), ".a") == 0)
            ask_file(job, job->inputs[i].name);
    const size_t count = job->linker.count;
    for (size_t i = 0; i < count; i++)
        if (strncmp(job->linker.values[i], "-l", 2) == 0)
            ask_library(job, job->linker.values[i] + 2);
}
