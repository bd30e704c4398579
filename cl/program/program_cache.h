/* Built programs on disk, so that the next process need not compile them. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROGRAM_CACHE_H
#define OCL_PROGRAM_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "cl/device/pack_private.h"

/* The folder for what is stored without anybody asking for it: CLEM_CACHE_DIR, or clem in the user's
 * cache folder, made at the first call. NULL where there is none, or it cannot be made, or the program
 * has more rights than who started it.
 * The cache itself is the folder clem-cache-v1 within it, which nobody else may write to: what is in it
 * runs in this process. A folder or file that others own or may change is not used, and nothing but the
 * cache's own files is ever deleted. */
const char *ocl_program_cache_directory(void);

/* Reads the binary that was stored under the key in directory, or is in what a program brings along (cl/pack.h), which is
 * looked through first. directory NULL: there alone.
 * Errors: none; false when there is no file, or one that others could have written, or that is damaged,
 *         cut off, of another version of the format, or of another key with the same hash.
 * Owns:   the caller frees *binary. */
bool ocl_program_cache_load(const char *directory, const struct ocl_cache_key *key, void **binary,
                            size_t *bytes);

/* For the pack that is being made, if one is. */
void ocl_program_cache_note(const struct ocl_cache_key *key, const void *binary, size_t bytes);

/* Whether a binary could be stored in directory, which is made as storing makes it. */
bool ocl_program_cache_is_writable(const char *directory);

/* Stores a binary; a reader sees the whole file or none, and the last writer wins. Makes directory
 * (its last part) when it is missing.
 * Size:   now and then the files that were not used for longest go, until the folder holds less than
 *         256 MiB.
 * Errors: none; what cannot be stored is traced and forgotten. */
void ocl_program_cache_store(const char *directory, const struct ocl_cache_key *key,
                             const void *binary, size_t bytes);

#endif
