/* The folder in which PoCL keeps compiled kernels: it runs what it finds there. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DRIVER_FOLDER_H
#define OCL_DRIVER_FOLDER_H

#include <stdbool.h>

/* Checks the folder that PoCL would take by the environment, as the program cache's own (cl/base/trust.h). One
 * that is not this user's alone, cannot be written, is on a full disk or would lie under a missing home or a
 * fixed name in /tmp is not for PoCL: it gets a private one through POCL_CACHE_DIR, under XDG_RUNTIME_DIR or else a
 * temporary one, which goes when the process ends.
 * In a program with more rights than who started it, PoCL always gets a temporary folder, and what the
 * environment says to OpenCL's loader, its layers and PoCL is dropped for good.
 * Limit: what is checked is the folder itself, once. PoCL goes by its path later, so whoever may rename
 *        what that path leads through is trusted, as everywhere with a user's files.
 * Order: before the first call of OpenCL. Where the program itself called OpenCL before, PoCL has read its
 *        environment already, and nothing here reaches it. */
void ocl_driver_folder_choose(void);

/* Ends what the first began: PoCL has read its environment, which becomes what it was.
 * Shape: is_needed: PoCL is there; one line says which folder it got, if not its usual one. Otherwise a
 *        folder that was made for it goes. */
void ocl_driver_folder_settle(bool is_needed);

/* What the files of a large kernel take, with room to spare: a small one's take half a MiB. */
enum { OCL_DRIVER_FOLDER_BYTES = 16 << 20 };

/* Whether the disk of a path has less room than that. *room: the bytes that are free, where that is known. */
bool ocl_driver_folder_is_full(const char *path, unsigned long long *room);

/* The folder that PoCL has by this choice; empty before it, and without memory. As long as the process. */
const char *ocl_driver_folder(void);

#endif
