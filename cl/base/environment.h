/* Changing the environment for the libraries that a driver brings. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_ENVIRONMENT_H
#define OCL_ENVIRONMENT_H

#include <stdbool.h>

/* Gives the process a copy of its environment, without the variables whose names begin with one of the
 * prefixes and with the entries ("NAME=value") of added in place of those of the same name. Both lists
 * end with NULL.
 * Threads: others may read their environment meanwhile, which setenv() would not allow: what they read is
 *          never freed. None may change it.
 * Owns:    added stays in use for good. */
bool ocl_environment_replace(const char *const *prefixes, char *const *added);

/* Brings back what was there before, unless somebody changed the environment in between. */
void ocl_environment_restore(void);

#endif
