/* The user's folder for caches. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_USER_CACHE_H
#define OCL_USER_CACHE_H

#include <stddef.h>

/* A folder that may not be there yet. */
struct ocl_user_cache {
    char *path;   /* without a slash at its end */
    size_t least; /* so much of the path must be there: a home that is missing is not made */
};

/* The folder by the XDG Base Directory Specification: XDG_CACHE_HOME, or .cache in HOME; with a path of
 * its own behind it that begins with a slash. path is NULL where the environment names none, there is
 * no memory, or the program has more rights than who started it and chose the environment.
 * Owns: the caller frees path. */
struct ocl_user_cache ocl_user_cache_find(const char *behind);

#endif
