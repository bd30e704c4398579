/* FNV-1a, 64 bits. Source: the FNV reference by Fowler, Noll and Vo. It stands here because this is what the translator of
 * PTX, cl/ and facade/ all may include.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_HASH_H
#define CLEM_HASH_H

#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)

/* The hash of all that hash is of, and of bytes of data behind it. Of nothing: FNV_START. */
static inline uint64_t fnv_add(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
