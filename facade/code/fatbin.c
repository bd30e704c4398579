/* Finding the entries of fat binaries. Nothing here trusts a size.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/code/fatbin.h"

#include <string.h>

/* Where a container's header has what. */
enum {
    CONTAINER_HEADER_SIZE = 6,   /* u16: bytes of this header; before it u32 magic, u16 version */
    CONTAINER_CONTENT_BYTES = 8, /* u64: bytes after this header */
    CONTAINER_LEAST = 16
};

/* And an entry's. */
enum {
    ENTRY_KIND = 0x00,             /* u16 */
    ENTRY_HEADER_SIZE = 0x04,      /* u32: bytes of this header */
    ENTRY_PAYLOAD_BYTES = 0x08,    /* u64: with padding */
    ENTRY_COMPRESSED_BYTES = 0x10, /* u32: without padding; 0 where it is not compressed */
    ENTRY_CAPABILITY = 0x1c,       /* u32 */
    ENTRY_FLAGS = 0x28,            /* u64 */
    ENTRY_PLAIN_BYTES = 0x38,      /* u64 */
    ENTRY_LEAST = 0x40
};

static const uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000;

static uint64_t number(const unsigned char *bytes, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

/* Reads four bytes, or none if there are fewer. */
static bool is_container(const void *code, size_t bytes)
{
    return bytes >= sizeof(uint32_t) && number(code, sizeof(uint32_t)) == FACADE_FATBIN_MAGIC;
}

size_t facade_fatbin_bytes(const void *code)
{
    const unsigned char *bytes = code;
    if (!is_container(code, sizeof(uint32_t)))
        return 0;
    size_t header = (size_t)number(bytes + CONTAINER_HEADER_SIZE, 2);
    uint64_t content = number(bytes + CONTAINER_CONTENT_BYTES, 8);
    /* Half of all addresses: no container is larger, and sums with it do not overflow. */
    if (header < CONTAINER_LEAST || content > PTRDIFF_MAX)
        return 0;
    return header + (size_t)content;
}

/* Distance above the reported capability counts as worse than any below it. */
static unsigned rank(unsigned capability, unsigned reported)
{
    return capability <= reported ? reported - capability : capability + 1000;
}

static void take(struct facade_fatbin_contents *contents, const struct facade_fatbin_entry *entry)
{
    if (entry->kind == FACADE_FATBIN_MACHINE_CODE)
        contents->machine_code_count++;
    if (entry->kind == FACADE_FATBIN_PACK)
        contents->pack = *entry;
    if (entry->kind != FACADE_FATBIN_PTX)
        return;
    if (contents->ptx_count == 0 || rank(entry->capability, contents->reported) <
                                        rank(contents->best.capability, contents->reported))
        contents->best = *entry;
    contents->ptx_count++;
}

/* Bytes of the entry with its payload; 0: it does not fit into those that are left. */
static size_t read_entry(const unsigned char *bytes, size_t left, struct facade_fatbin_entry *entry)
{
    if (left < ENTRY_LEAST)
        return 0;
    uint64_t header = number(bytes + ENTRY_HEADER_SIZE, 4);
    uint64_t payload = number(bytes + ENTRY_PAYLOAD_BYTES, 8);
    uint64_t compressed = number(bytes + ENTRY_COMPRESSED_BYTES, 4);
    uint64_t flags = number(bytes + ENTRY_FLAGS, 8);
    if (header < ENTRY_LEAST || header > left || payload > left - header || compressed > payload)
        return 0;
    *entry = (struct facade_fatbin_entry){
        .kind = (unsigned)number(bytes + ENTRY_KIND, 2),
        .capability = (unsigned)number(bytes + ENTRY_CAPABILITY, 4) & 0xffffu,
        .is_lz4 = (flags & flag_lz4) != 0,
        .is_zstd = (flags & flag_zstd) != 0,
        .payload = bytes + header,
        .payload_bytes = (size_t)(compressed != 0 ? compressed : payload),
        .plain_bytes = (size_t)number(bytes + ENTRY_PLAIN_BYTES, 8),
    };
    return (size_t)(header + payload);
}

static bool read_container(const unsigned char *bytes, size_t size,
                           struct facade_fatbin_contents *contents)
{
    size_t place = (size_t)number(bytes + CONTAINER_HEADER_SIZE, 2);
    while (place < size) {
        struct facade_fatbin_entry entry;
        size_t entry_bytes = read_entry(bytes + place, size - place, &entry);
        if (entry_bytes == 0)
            return false;
        take(contents, &entry);
        place += entry_bytes;
    }
    return true;
}

bool facade_fatbin_read(const void *code, size_t bytes, unsigned reported,
                        struct facade_fatbin_contents *contents)
{
    const unsigned char *place = code;
    *contents = (struct facade_fatbin_contents){.reported = reported};
    if (!is_container(code, bytes))
        return false;
    while (bytes > 0) {
        if (*place == 0) {
            place++, bytes--;
            continue;
        }
        if (bytes < CONTAINER_LEAST)
            return false;
        size_t size = facade_fatbin_bytes(place);
        if (size == 0 || size > bytes || !read_container(place, size, contents))
            return false;
        place += size, bytes -= size;
    }
    return true;
}
