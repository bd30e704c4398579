/* Whether files that become code are this user's alone. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRUST_H
#define OCL_TRUST_H

#include <stdbool.h>
#include <sys/stat.h>

/* Why what an open file or folder holds may come from somebody else, as the end of a sentence that begins
 * with its name; NULL where its owner is this process's user and nobody else may write to it. Writing by
 * its group is writing by others, but for the private group of the user, which has their name and no
 * other member.
 * Shape: facts are those of fstat(file). */
const char *ocl_trust_fault(int file, const struct stat *facts);

/* Whether this process may list a folder and make files in it. Shape: path as in openat(). */
bool ocl_trust_can_write(int folder, const char *path);

#endif
