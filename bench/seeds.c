/* The list of the 71 promised rows.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/seeds.h"

#include <string.h>

#define SEED(id, what, covers) {id, what, covers},
const struct seed seeds[SEEDS] = {
#include "bench/seeds.def"
};
#undef SEED

bool seed_word_covers(const char *word, size_t length, const char *name)
{
    char separator = memchr(word, '/', length) ? '/' : '.';
    if (strncmp(word, name, length) != 0)
        return false;
    return name[length] == '\0' || name[length] == separator;
}

/* One line for the benchmark's rows, one for tests, where there are any. */
static void print_words(FILE *file, const char *covers, bool tests, const char *head)
{
    bool first = true;
    while (*covers) {
        size_t length = strcspn(covers, " ");
        if ((memchr(covers, '/', length) != NULL) == tests && length > 0) {
            fprintf(file, "%s%.*s", first ? head : " ", (int)length, covers);
            first = false;
        }
        covers += length + (covers[length] == ' ');
    }
    if (!first)
        fputc('\n', file);
}

void seeds_print(FILE *file)
{
    for (size_t i = 0; i < SEEDS; i++) {
        fprintf(file, "%s  %s\n", seeds[i].id, seeds[i].what);
        print_words(file, seeds[i].covers, false, "       rows:  ");
        print_words(file, seeds[i].covers, true, "       tests: ");
    }
}
