/* The folder of the program cache: opening it, names in it, its size. Private to cl/program/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CACHE_FOLDER_H
#define OCL_CACHE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* What the cache calls its own, in whatever folder it is given: nothing outside it is written or deleted. */
#define OCL_CACHE_SUBFOLDER "clem-cache-v1"

enum {
    OCL_CACHE_NAME_BYTES = 64,   /* of any name that the functions below write */
    OCL_CACHE_ENTRY_LENGTH = 36, /* 32 hexadecimal digits and ".bin" */
    OCL_CACHE_TEMPORARY_LENGTH = OCL_CACHE_ENTRY_LENGTH + 1 + 16 /* '.' and 16 more digits */
};

/* Opens the cache's own folder within directory, and first makes directory (its last part) and that folder
 * where makes says so. -1 where there is none, or where it is a link, belongs to others or can be written
 * by them: the first such refusal of the process is one line on stderr.
 * Owns: the caller closes it. */
int ocl_cache_folder_open(const char *directory, bool makes);

/* Opens what one entry holds, for reading. -1 for whatever is not a regular file of this user's that
 * nobody else may write to. *bytes: how much it holds. */
int ocl_cache_folder_read(int folder, const char *name, uint64_t *bytes);

/* Makes a file that no other thread, process or machine writes, for what becomes the named entry. -1:
 * cannot. */
int ocl_cache_folder_write(int folder, const char *name, char temporary[OCL_CACHE_NAME_BYTES]);

/* Deletes entries, those first that were not used for longest, until the folder holds no more than kept
 * bytes, if it holds more than most; and temporary files that are older than a day, whose writers are gone.
 * Regular files of the cache's own names only. Other processes may do the same at the same time. */
void ocl_cache_folder_trim(int folder, uint64_t most, uint64_t kept);

#endif
