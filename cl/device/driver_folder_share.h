/* The folder of PoCL's that CUDA_CACHE_PATH names: no process but clem's has it. Private to cl/device/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DRIVER_FOLDER_SHARE_H
#define OCL_DRIVER_FOLDER_SHARE_H

/* Makes the folder within parent (its last part, too), and locks it for as long as the process is there; a folder that cannot
 * be locked is used all the same. Where CUDA_CACHE_MAXSIZE says what it may hold, and no other process has it, first
 * deletes programs, those that were not used for longest, until it holds three quarters of that if it holds more.
 * Limit: in between PoCL makes it larger. */
void ocl_driver_folder_share(const char *parent, const char *folder);

#endif
