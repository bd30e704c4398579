/* Folders for one process alone, and those that processes left behind that were killed. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TEMPORARY_FOLDER_H
#define OCL_TEMPORARY_FOLDER_H

#include <limits.h>
#include <stdbool.h>

/* Makes a folder within place that only this user enters: path is its name, which is place/prefix-XXXXXX with six
 * characters drawn. It is locked while the process lives, or a child of fork(). Folders of such names that are older than
 * a day, this user's alone and not locked go first. False: cannot. */
bool ocl_temporary_folder_make(const char *place, const char *prefix, char path[PATH_MAX]);

/* Deletes a folder with all that is in it; links are deleted, and not followed. parent: a folder's descriptor, or AT_FDCWD. */
void ocl_temporary_folder_remove(int parent, const char *name);

#endif
