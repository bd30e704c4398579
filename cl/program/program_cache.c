/* Built programs on disk: one file per key, named by its hash and holding the whole key.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/program_cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl/base/cache_limit.h"
#include "cl/base/options.h"
#include "cl/base/trust.h"
#include "cl/base/user_cache.h"
#include "cl/device/pack_private.h"
#include "cl/program/cache_folder.h"
#include "cl/trace.h"
#include "cl/whole.h"
#include "kernels/hash.h"

static const uint64_t usual_bytes = (uint64_t)256 << 20;

/* A file is this header, key_bytes of key and binary_bytes of binary, and nothing behind them. */
struct header {
    char magic[8];
    uint64_t key_bytes, binary_bytes;
    uint64_t checksum; /* of key and binary: finds damage; trust comes from the file's owner */
};

static const char magic[8] = "clemprg1";

static const uint64_t second_start = UINT64_C(0x9e3779b97f4a7c15); /* any other value will do */

static void make_name(char name[OCL_CACHE_NAME_BYTES], const char *key, size_t bytes)
{
    snprintf(name, OCL_CACHE_NAME_BYTES, "%016llx%016llx.bin",
             (unsigned long long)fnv_add(FNV_START, key, bytes),
             (unsigned long long)fnv_add(second_start, key, bytes));
}

/* More than the folder may hold is in no file of the cache's. */
static uint64_t most_bytes(void)
{
    uint64_t bytes = usual_bytes;
    (void)ocl_cache_limit(&bytes);
    return bytes;
}

static bool read_all(int file, void *target, size_t bytes)
{
    return whole_read(file, target, bytes) == (ssize_t)bytes;
}

static bool fits(const struct header *header, uint64_t file_bytes, size_t key_bytes)
{
    const uint64_t contents = file_bytes - sizeof *header;
    return memcmp(header->magic, magic, sizeof magic) == 0 && header->key_bytes == key_bytes &&
           header->binary_bytes > 0 && header->key_bytes <= contents &&
           header->binary_bytes == contents - header->key_bytes;
}

/* Key and binary behind the header, or NULL when the file is not what the key asks for. */
static char *read_contents(int file, uint64_t file_bytes, const char *key, size_t key_bytes,
                           size_t *binary_bytes)
{
    struct header header;
    if (file_bytes < sizeof header || file_bytes > most_bytes() ||
        !read_all(file, &header, sizeof header) || !fits(&header, file_bytes, key_bytes))
        return NULL;
    const size_t bytes = key_bytes + (size_t)header.binary_bytes;
    char *contents = malloc(bytes);
    if (!contents)
        return NULL;
    if (!read_all(file, contents, bytes) || memcmp(contents, key, key_bytes) != 0 ||
        fnv_add(FNV_START, contents, bytes) != header.checksum) {
        free(contents);
        return NULL;
    }
    *binary_bytes = (size_t)header.binary_bytes;
    return contents;
}

static char *read_file(int folder, const char *key, size_t key_bytes, size_t *binary_bytes)
{
    char name[OCL_CACHE_NAME_BYTES];
    uint64_t file_bytes = 0;
    make_name(name, key, key_bytes);
    const int file = ocl_cache_folder_read(folder, name, &file_bytes);
    if (file < 0)
        return NULL;
    char *contents = read_contents(file, file_bytes, key, key_bytes, binary_bytes);
    (void)futimens(file, NULL); /* used at this time: trimming goes by it */
    close(file);
    if (!contents)
        ocl_trace("program cache: %s is not usable", name);
    return contents;
}

/* The binary alone, where malloc aligned it. */
static char *load_file(const char *directory, const char *key, size_t key_bytes, size_t *bytes)
{
    const int folder = directory ? ocl_cache_folder_open(directory, false) : -1;
    if (folder < 0)
        return NULL;
    char *contents = read_file(folder, key, key_bytes, bytes);
    close(folder);
    if (contents)
        memmove(contents, contents + key_bytes, *bytes);
    return contents;
}

bool ocl_program_cache_load(const char *directory, const struct ocl_cache_key *key, void **binary,
                            size_t *bytes)
{
    size_t key_bytes = 0;
    *binary = NULL;
    char *key_data = directory || ocl_pack_is_there() ? ocl_cache_key_make(key, &key_bytes) : NULL;
    if (!key_data)
        return false;
    *binary = ocl_pack_find(key_data, key_bytes, bytes);
    if (!*binary)
        *binary = load_file(directory, key_data, key_bytes, bytes);
    if (*binary)
        ocl_pack_note(key_data, key_bytes, *binary, *bytes);
    free(key_data);
    return *binary != NULL;
}

static bool write_file(int folder, const struct header *header, const char *key, const void *binary)
{
    char name[OCL_CACHE_NAME_BYTES], temporary[OCL_CACHE_NAME_BYTES];
    make_name(name, key, (size_t)header->key_bytes);
    const int file = ocl_cache_folder_write(folder, name, temporary);
    if (file < 0)
        return false;
    bool is_written = whole_write(file, header, sizeof *header) &&
                      whole_write(file, key, (size_t)header->key_bytes) &&
                      whole_write(file, binary, (size_t)header->binary_bytes);
    is_written = close(file) == 0 && is_written;
    if (is_written && renameat(folder, temporary, folder, name) == 0)
        return true;
    unlinkat(folder, temporary, 0);
    return false;
}

/* ---- Which folder ---- */

static bool is_there(char *path, size_t length)
{
    struct stat facts;
    const char kept = path[length];
    path[length] = '\0';
    const bool is = !*path || (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode));
    path[length] = kept;
    return is;
}

static bool make_directories(char *path, size_t from)
{
    for (char *slash = strchr(path + from + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* the last one tells */
        *slash = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static char *own_directory; /* as long as the process */

static void find_directory(void)
{
    const struct ocl_user_cache found = ocl_user_cache_find("/clem");
    if (found.path && is_there(found.path, found.least) &&
        make_directories(found.path, found.least)) {
        own_directory = found.path;
        return;
    }
    ocl_trace("program cache: there is no folder for it");
    free(found.path);
}

const char *ocl_program_cache_directory(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (ocl_options_get()->no_cache)
        return NULL;
    if (ocl_options_get()->cache_dir)
        return ocl_options_get()->cache_dir;
    if (ocl_options_get()->cuda_cache)
        return ocl_options_get()->cuda_cache;
    pthread_once(&once, find_directory);
    return own_directory;
}

bool ocl_program_cache_is_writable(const char *directory)
{
    const int folder = ocl_cache_folder_open(directory, true);
    if (folder < 0)
        return false;
    const bool is = ocl_trust_can_write(folder, ".");
    close(folder);
    return is;
}

/* A size that somebody asked for is kept at each store; otherwise now and then. */
static bool is_time_to_trim(void)
{
    enum { EVERY = 32 }; /* stores */
    static _Atomic unsigned stores;
    uint64_t asked = 0;
    return atomic_fetch_add(&stores, 1u) % EVERY == 0 || ocl_cache_limit(&asked);
}

void ocl_program_cache_note(const struct ocl_cache_key *key, const void *binary, size_t bytes)
{
    size_t key_bytes = 0;
    char *key_data = ocl_cache_key_make(key, &key_bytes);
    if (key_data)
        ocl_pack_note(key_data, key_bytes, binary, bytes);
    free(key_data);
}

void ocl_program_cache_store(const char *directory, const struct ocl_cache_key *key,
                             const void *binary, size_t bytes)
{
    const uint64_t most = most_bytes();
    size_t key_bytes = 0;
    const int folder = ocl_cache_folder_open(directory, true);
    char *key_data = folder < 0 ? NULL : ocl_cache_key_make(key, &key_bytes);
    bool is_stored = false;
    if (key_data && sizeof(struct header) + key_bytes + bytes <= most) {
        struct header header = {.key_bytes = key_bytes, .binary_bytes = bytes};
        memcpy(header.magic, magic, sizeof magic);
        header.checksum = fnv_add(fnv_add(FNV_START, key_data, key_bytes), binary, bytes);
        is_stored = write_file(folder, &header, key_data, binary);
    }
    free(key_data);
    if (!is_stored)
        ocl_trace("program cache: nothing can be stored in %s", directory);
    if (folder < 0)
        return;
    if (is_time_to_trim())
        ocl_cache_folder_trim(folder, most, most / 4 * 3);
    close(folder);
}
