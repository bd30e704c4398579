/* The spool's chunks. Private to cl/profile/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROFILE_SPOOL_H
#define OCL_PROFILE_SPOOL_H

#include "cl/profile.h"

/* Makes the file, whose name begins with stem, and its first page. Errors: NULL; a line on stderr says why. */
struct ocl_spool_header *ocl_spool_create(const char *stem, uint64_t most_bytes);

/* A chunk for the calling thread alone, full of zeros behind its header, or NULL: the disk is full, or the user took the file
 * away. Chunks of names are never overwritten. */
struct ocl_spool_chunk *ocl_spool_take(enum ocl_spool_use use);

/* The chunk's memory goes; what is in it stays in the file. */
void ocl_spool_give(struct ocl_spool_chunk *chunk);

/* The process's page, or NULL. */
struct ocl_spool_header *ocl_spool_page(void);

/* In the child of a fork: the file is the parent's. */
void ocl_spool_forget(void);

#endif
