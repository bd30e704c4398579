/* What a program brings along of the program cache, as who keeps binaries sees it, and the keys of both. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PACK_PRIVATE_H
#define OCL_PACK_PRIVATE_H

#include "cl/device/device_private.h"
#include "cl/pack.h"

/* Everything that a program's binary depends on. */
struct ocl_cache_key {
    const struct ocl_device_facts *device;
    const char *options;
    const void *code;
    size_t bytes;
};

/* The key as bytes, which the caller frees: no two keys have the same. NULL: no memory. */
char *ocl_cache_key_make(const struct ocl_cache_key *key, size_t *bytes);

/* Whether there is any pack. */
bool ocl_pack_is_there(void);

/* A copy of what is under the key, which the caller frees; NULL: nothing, or no memory. */
void *ocl_pack_find(const char *key, size_t key_bytes, size_t *bytes);

/* Where the process makes a pack: this belongs to it. What is noted again stays as it is. */
bool ocl_pack_is_noting(void);
void ocl_pack_note(const char *key, size_t key_bytes, const void *binary, size_t bytes);

#endif
