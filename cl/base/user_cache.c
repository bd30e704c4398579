/* The user's folder for caches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/user_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length without the slashes at the end. */
static size_t bare_length(const char *path)
{
    size_t length = strlen(path);
    while (length > 0 && path[length - 1] == '/')
        length--;
    return length;
}

/* What the folder lies in must be there, and the folder itself where it is the home. */
static size_t least_of(const char *folder, size_t length, const char *home)
{
    size_t above = length;
    if (home && bare_length(home) == length && strncmp(home, folder, length) == 0)
        return length;
    while (above > 0 && folder[above - 1] != '/')
        above--;
    return above;
}

struct ocl_user_cache ocl_user_cache_find(const char *behind)
{
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    struct ocl_user_cache found = {NULL, 0};
    int length = -1;
    if (cache && *cache == '/') {
        const size_t bare = bare_length(cache);
        found.least = least_of(cache, bare, home);
        length = asprintf(&found.path, "%.*s%s", (int)bare, cache, behind);
    } else if (home && *home == '/') {
        found.least = bare_length(home);
        length = asprintf(&found.path, "%.*s/.cache%s", (int)found.least, home, behind);
    }
    if (length < 0)
        found.path = NULL;
    return found;
}
