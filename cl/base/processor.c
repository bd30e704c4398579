/* What the host's processor can do.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/processor.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/hash.h"

/* What the line is called: on x86, Arm, RISC-V, LoongArch. Power's and others' "cpu" names the processor. */
static bool is_listing(const char *line)
{
    static const char *const names[] = {"flags", "Features", "isa", "features", "cpu"};
    size_t length = strcspn(line, ":");
    while (length > 0 && strchr(" \t\n", line[length - 1]))
        length--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(line, names[i], length) == 0)
            return true;
    return false;
}

/* The sum of the words' hashes: kernels do not promise an order. */
static uint64_t hash_words(const char *words)
{
    static const char blanks[] = " \t\n";
    uint64_t sum = 0;
    for (words += strspn(words, blanks); *words; words += strspn(words, blanks)) {
        const size_t length = strcspn(words, blanks);
        sum += fnv_add(FNV_START, words, length);
        words += length;
    }
    return sum;
}

void ocl_processor_features(const char *root, char digits[OCL_PROCESSOR_BYTES])
{
    char *path = NULL, *line = NULL;
    size_t room = 0;
    digits[0] = '\0';
    if (asprintf(&path, "%s/proc/cpuinfo", root) < 0)
        return;
    FILE *file = fopen(path, "re");
    free(path);
    if (!file)
        return;
    while (!digits[0] && getline(&line, &room, file) > 0) {
        const char *words = is_listing(line) ? strchr(line, ':') : NULL;
        if (words)
            snprintf(digits, OCL_PROCESSOR_BYTES, "%016llx",
                     (unsigned long long)hash_words(words + 1));
    }
    free(line);
    fclose(file);
}
