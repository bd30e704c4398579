/* What a program brings along of the program cache.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/pack_private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cl/trace.h"
#include "kernels/hash.h"

/* A pack is a head and entries side by side; an entry is a head, its key and its binary, and zeros up to a multiple of 8. */
struct head {
    char magic[8];
    uint64_t bytes;    /* with this; what follows is padding */
    uint64_t checksum; /* of the entries */
};

struct entry {
    uint64_t key_bytes, binary_bytes;
};

static const char magic[8] = "clempak1";

struct ocl_pack {
    size_t references;
    struct ocl_pack *next;
    size_t bytes;
    _Alignas(8) unsigned char data[];
};

/* Held for as long as it takes to copy an entry. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ocl_pack *packs;
static _Atomic(size_t) pack_count;

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

char *ocl_cache_key_make(const struct ocl_cache_key *key, size_t *bytes)
{
    const struct ocl_device_facts *device = key->device;
    /* Each ends with its NUL, so that no two keys have the same bytes. */
    const char *const texts[] = {device->name,           device->vendor,
                                 device->driver_version, device->device_version,
                                 device->platform_name,  device->platform_version,
                                 device->processor,      key->options};
    size_t length = key->bytes;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        length += strlen(texts[i]) + 1;
    char *made = malloc(length);
    if (!made)
        return NULL;
    char *end = made;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        end = stpcpy(end, texts[i]) + 1;
    memcpy(end, key->code, key->bytes);
    *bytes = length;
    return made;
}

/* ---- Reading ---- */

/* The entry at a place of the pack; NULL at its end, and where it does not fit. */
static const struct entry *entry_at(const unsigned char *data, size_t bytes, size_t at)
{
    if (at > bytes || bytes - at < sizeof(struct entry))
        return NULL;
    const struct entry *entry = (const void *)(data + at);
    const size_t left = bytes - at - sizeof *entry;
    return entry->key_bytes <= left && entry->binary_bytes <= left - entry->key_bytes ? entry
                                                                                      : NULL;
}

static size_t entry_bytes(const struct entry *entry)
{
    return padded(sizeof *entry + (size_t)entry->key_bytes + (size_t)entry->binary_bytes);
}

static const struct entry *find(const unsigned char *data, size_t bytes, const char *key,
                                size_t key_bytes)
{
    const struct entry *entry;
    for (size_t at = sizeof(struct head); (entry = entry_at(data, bytes, at)) != NULL;
         at += entry_bytes(entry))
        if (entry->key_bytes == key_bytes && memcmp(entry + 1, key, key_bytes) == 0)
            return entry;
    return NULL;
}

static void *copy_binary(const struct entry *entry, size_t *bytes)
{
    *bytes = (size_t)entry->binary_bytes;
    void *copy = malloc(*bytes + 1);
    if (copy)
        memcpy(copy, (const unsigned char *)(entry + 1) + entry->key_bytes, *bytes);
    return copy;
}

void *ocl_pack_find(const char *key, size_t key_bytes, size_t *bytes)
{
    void *found = NULL;
    pthread_mutex_lock(&lock);
    for (const struct ocl_pack *pack = packs; !found && pack; pack = pack->next) {
        const struct entry *entry = find(pack->data, pack->bytes, key, key_bytes);
        found = entry ? copy_binary(entry, bytes) : NULL;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool ocl_pack_is_there(void)
{
    return atomic_load_explicit(&pack_count, memory_order_relaxed) > 0;
}

/* ---- Packs ---- */

/* The bytes of the pack without what pads it; 0: it is damaged. */
static size_t check(const void *data, size_t bytes)
{
    struct head head;
    if (bytes < sizeof head)
        return 0;
    memcpy(&head, data, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.bytes < sizeof head ||
        head.bytes > bytes)
        return 0;
    const size_t own = (size_t)head.bytes;
    const uint64_t sum =
        fnv_add(FNV_START, (const unsigned char *)data + sizeof head, own - sizeof head);
    return sum == head.checksum ? own : 0;
}

static struct ocl_pack *copy_pack(const void *data, size_t bytes)
{
    struct ocl_pack *made = malloc(sizeof *made + bytes);
    if (!made)
        return NULL;
    made->references = 1;
    made->bytes = bytes;
    made->next = packs;
    memcpy(made->data, data, bytes);
    packs = made;
    atomic_fetch_add_explicit(&pack_count, 1, memory_order_relaxed);
    return made;
}

struct ocl_pack *ocl_pack_open(const void *data, size_t bytes)
{
    const size_t own = check(data, bytes);
    if (own == 0) {
        ocl_trace("what was compiled ahead of time is damaged; kernels are compiled from text");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    struct ocl_pack *pack = packs;
    while (pack && (pack->bytes != own || memcmp(pack->data, data, own) != 0))
        pack = pack->next;
    if (pack)
        pack->references++;
    else
        pack = copy_pack(data, own);
    pthread_mutex_unlock(&lock);
    return pack;
}

struct ocl_pack *ocl_pack_hold(struct ocl_pack *pack)
{
    if (!pack)
        return NULL;
    pthread_mutex_lock(&lock);
    pack->references++;
    pthread_mutex_unlock(&lock);
    return pack;
}

void ocl_pack_release(struct ocl_pack *pack)
{
    if (!pack)
        return;
    pthread_mutex_lock(&lock);
    const bool is_last = --pack->references == 0;
    struct ocl_pack **link = &packs;
    while (is_last && *link != pack)
        link = &(*link)->next;
    if (is_last) {
        *link = pack->next;
        atomic_fetch_sub_explicit(&pack_count, 1, memory_order_relaxed);
    }
    pthread_mutex_unlock(&lock);
    if (is_last)
        free(pack);
}

/* ---- Making one ---- */

/* As it will be, with a head whose facts are still to come. */
static struct {
    unsigned char *data;
    size_t bytes;
    bool has_failed;
} noted;
static _Atomic bool is_noting;

static unsigned char *grow(size_t bytes)
{
    unsigned char *grown = realloc(noted.data, noted.bytes + bytes);
    if (!grown) {
        noted.has_failed = true;
        return NULL;
    }
    unsigned char *added = grown + noted.bytes;
    memset(added, 0, bytes);
    noted.data = grown;
    noted.bytes += bytes;
    return added;
}

void ocl_pack_begin(void)
{
    pthread_mutex_lock(&lock);
    if (noted.bytes == 0)
        (void)grow(sizeof(struct head));
    pthread_mutex_unlock(&lock);
    atomic_store(&is_noting, true);
}

bool ocl_pack_is_noting(void)
{
    return atomic_load_explicit(&is_noting, memory_order_relaxed);
}

void ocl_pack_note(const char *key, size_t key_bytes, const void *binary, size_t bytes)
{
    if (!ocl_pack_is_noting())
        return;
    const struct entry head = {key_bytes, bytes};
    pthread_mutex_lock(&lock);
    const bool is_new = noted.bytes > 0 && !find(noted.data, noted.bytes, key, key_bytes);
    unsigned char *entry = is_new ? grow(entry_bytes(&head)) : NULL;
    if (entry) {
        memcpy(entry, &head, sizeof head);
        memcpy(entry + sizeof head, key, key_bytes);
        memcpy(entry + sizeof head + key_bytes, binary, bytes);
    }
    pthread_mutex_unlock(&lock);
}

void *ocl_pack_end(size_t *bytes)
{
    atomic_store(&is_noting, false);
    pthread_mutex_lock(&lock);
    unsigned char *made = noted.data;
    struct head head = {.bytes = noted.bytes};
    const bool is = made && !noted.has_failed && noted.bytes > sizeof head;
    noted.data = NULL;
    noted.bytes = 0;
    noted.has_failed = false;
    pthread_mutex_unlock(&lock);
    if (!is) {
        free(made);
        return NULL;
    }
    memcpy(head.magic, magic, sizeof magic);
    head.checksum = fnv_add(FNV_START, made + sizeof head, (size_t)head.bytes - sizeof head);
    memcpy(made, &head, sizeof head);
    *bytes = (size_t)head.bytes;
    return made;
}
