/* Unpacking the PTX of fat binaries: as it is, LZ4 (one raw block) or zstd (one frame).
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "facade/code/fatbin.h"

/* LZ4 expands no byte to more. Source: its block format, lengths in steps of 255. */
static const size_t lz4_most_ratio = 255;

static bool unpack_lz4(const struct facade_fatbin_entry *entry, char *text)
{
    if (entry->payload_bytes > INT_MAX)
        return false;
    return LZ4_decompress_safe((const char *)entry->payload, text, (int)entry->payload_bytes,
                               (int)entry->plain_bytes) == (int)entry->plain_bytes;
}

static bool unpack_zstd(const struct facade_fatbin_entry *entry, char *text)
{
    return ZSTD_decompress(text, entry->plain_bytes, entry->payload, entry->payload_bytes) ==
           entry->plain_bytes;
}

static bool has_possible_size(const struct facade_fatbin_entry *entry)
{
    if (entry->plain_bytes == 0 || entry->plain_bytes > FACADE_FATBIN_MOST_TEXT)
        return false;
    if (entry->is_zstd)
        return ZSTD_getFrameContentSize(entry->payload, entry->payload_bytes) == entry->plain_bytes;
    return entry->plain_bytes / lz4_most_ratio <= entry->payload_bytes;
}

static char *copy_plain(const struct facade_fatbin_entry *entry, size_t *bytes)
{
    *bytes = strnlen((const char *)entry->payload, entry->payload_bytes);
    return strndup((const char *)entry->payload, *bytes);
}

/* The room is not touched before bytes are unpacked into it, and has no more than the entry says. */
char *facade_fatbin_text(const struct facade_fatbin_entry *entry, size_t *bytes)
{
    *bytes = 0;
    if (!entry->is_lz4 && !entry->is_zstd)
        return copy_plain(entry, bytes);
    if (!has_possible_size(entry))
        return NULL;
    char *text = calloc(entry->plain_bytes + 1, 1);
    *bytes = entry->plain_bytes;
    if (text == NULL)
        return NULL;
    if (!(entry->is_zstd ? unpack_zstd(entry, text) : unpack_lz4(entry, text))) {
        free(text);
        *bytes = 0;
        return NULL;
    }
    *bytes = strlen(text);
    return text;
}
