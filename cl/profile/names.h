/* Names that records have by number. Private to cl/profile/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROFILE_NAMES_H
#define OCL_PROFILE_NAMES_H

#include "cl/profile.h"

/* Writes the first names, which have the numbers from 1 on. Needs: the process has a spool, and one thread calls. */
void ocl_names_begin(const char *const *names, size_t count);

/* In the child of a fork: its spool will have names of its own. */
void ocl_names_forget(void);

#endif
