/* Changing the environment for the libraries that a driver brings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/environment.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Both stay: other threads may be reading either. */
static char **before, **made;

static bool is_left_out(const char *entry, const char *const *prefixes, char *const *added)
{
    for (; *prefixes; prefixes++)
        if (strncmp(entry, *prefixes, strlen(*prefixes)) == 0)
            return true;
    for (; *added; added++)
        if (strncmp(entry, *added, strcspn(*added, "=") + 1) == 0)
            return true;
    return false;
}

static size_t count_entries(char *const *entries)
{
    size_t count = 0;
    while (entries && entries[count])
        count++;
    return count;
}

bool ocl_environment_replace(const char *const *prefixes, char *const *added)
{
    char **old = environ;
    const size_t count = count_entries(old), more = count_entries(added);
    char **copy = calloc(count + more + 1, sizeof *copy);
    size_t end = 0;
    if (!copy)
        return false;
    for (size_t i = 0; i < count && old[i]; i++)
        if (!is_left_out(old[i], prefixes, added))
            copy[end++] = old[i];
    for (size_t i = 0; i < more; i++)
        copy[end++] = added[i];
    before = old;
    made = copy;
    __atomic_store_n(&environ, copy, __ATOMIC_RELEASE);
    return true;
}

void ocl_environment_restore(void)
{
    if (made && environ == made)
        __atomic_store_n(&environ, before, __ATOMIC_RELEASE);
}
