/* Makes fat binaries byte by byte, for tests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_FATBINS_H
#define TESTS_FACADE_FATBINS_H

#include <assert.h>
#include <stdint.h>
#include <string.h>

enum {
    FATBIN_PTX = 1,
    FATBIN_MACHINE_CODE = 2,
    FATBIN_HEADER = 16,
    FATBIN_ENTRY_HEADER = 64,
    FATBIN_PLAIN = 0x11,
    FATBIN_LZ4 = 0x2011,
    FATBIN_ZSTD = 0x8011
};

struct fatbin {
    unsigned char bytes[4096];
    size_t size;
};

static inline void fatbin_put(struct fatbin *fatbin, size_t place, uint64_t value, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fatbin->bytes[place + i] = (unsigned char)(value >> (8 * i));
}

static inline void fatbin_begin(struct fatbin *fatbin)
{
    memset(fatbin, 0, sizeof *fatbin);
    fatbin_put(fatbin, 0, 0xba55ed50u, 4);
    fatbin_put(fatbin, 4, 1, 2);
    fatbin_put(fatbin, 6, FATBIN_HEADER, 2);
    fatbin->size = FATBIN_HEADER;
}

/* plain: the size before compression; 0 where flags say that there is none. Returns where the entry
 * begins. */
static inline size_t fatbin_add(struct fatbin *fatbin, unsigned kind, unsigned capability,
                                uint64_t flags, const void *payload, size_t bytes, size_t plain)
{
    size_t entry = fatbin->size, padded = (bytes + 8) / 8 * 8;
    assert(entry + FATBIN_ENTRY_HEADER + padded <= sizeof fatbin->bytes);
    fatbin_put(fatbin, entry, kind, 2);
    fatbin_put(fatbin, entry + 2, 0x101, 2);
    fatbin_put(fatbin, entry + 4, FATBIN_ENTRY_HEADER, 4);
    fatbin_put(fatbin, entry + 8, padded, 8);
    fatbin_put(fatbin, entry + 0x10, plain != 0 ? bytes : 0, 4);
    fatbin_put(fatbin, entry + 0x1c, capability, 4);
    fatbin_put(fatbin, entry + 0x28, flags, 8);
    fatbin_put(fatbin, entry + 0x38, plain, 8);
    memcpy(fatbin->bytes + entry + FATBIN_ENTRY_HEADER, payload, bytes);
    fatbin->size = entry + FATBIN_ENTRY_HEADER + padded;
    fatbin_put(fatbin, 8, fatbin->size - FATBIN_HEADER, 8);
    return entry;
}

static inline size_t fatbin_add_text(struct fatbin *fatbin, unsigned capability, const char *text)
{
    return fatbin_add(fatbin, FATBIN_PTX, capability, FATBIN_PLAIN, text, strlen(text), 0);
}

static inline void fatbin_of_machine_code(struct fatbin *fatbin)
{
    fatbin_begin(fatbin);
    fatbin_add(fatbin, FATBIN_MACHINE_CODE, 75, FATBIN_PLAIN, "\177ELF machine code", 17, 0);
}

#endif
