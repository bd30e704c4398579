/* Built programs on disk: one file per key, named by its hash and holding the whole key.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cl/options.h"
#include "cl/trace.h"

/* A file is this header, key_bytes of key and binary_bytes of binary, and nothing behind them. */
struct header {
    char magic[8];
    uint64_t key_bytes, binary_bytes;
    uint64_t checksum; /* of key and binary: a damaged binary must not reach a driver */
};

static const char magic[8] = "clemprg1";

/* FNV-1a, 64 bits. Source: the FNV reference by Fowler, Noll and Vo. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);
static const uint64_t second_start = UINT64_C(0x9e3779b97f4a7c15); /* any other value will do */

/* The key as bytes: texts end with their NUL, so no two keys have the same bytes. */
static char *make_key(const struct ocl_cache_key *key, size_t *bytes)
{
    const char *const texts[] = {key->device->name,
                                 key->device->vendor,
                                 key->device->driver_version,
                                 key->device->device_version,
                                 key->device->platform_name,
                                 key->device->platform_version,
                                 key->options};
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

static bool make_path(char path[PATH_MAX], const char *directory, const char *key, size_t bytes)
{
    int length = snprintf(path, PATH_MAX, "%s/%016llx%016llx.bin", directory,
                          (unsigned long long)hash_bytes(hash_start, key, bytes),
                          (unsigned long long)hash_bytes(second_start, key, bytes));
    return length > 0 && length < PATH_MAX;
}

static bool read_all(int file, void *target, size_t bytes)
{
    char *end = target;
    while (bytes > 0) {
        ssize_t got = read(file, end, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        end += got;
        bytes -= (size_t)got;
    }
    return true;
}

static bool write_all(int file, const void *source, size_t bytes)
{
    const char *next = source;
    while (bytes > 0) {
        ssize_t put = write(file, next, bytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        next += put;
        bytes -= (size_t)put;
    }
    return true;
}

static bool fits(const struct header *header, uint64_t file_bytes, size_t key_bytes)
{
    const uint64_t contents = file_bytes - sizeof *header;
    return memcmp(header->magic, magic, sizeof magic) == 0 && header->key_bytes == key_bytes &&
           header->binary_bytes > 0 && header->key_bytes <= contents &&
           header->binary_bytes == contents - header->key_bytes;
}

/* Key and binary behind the header, or NULL when the file is not what the key asks for. */
static char *read_contents(int file, const char *key, size_t key_bytes, size_t *binary_bytes)
{
    struct stat about;
    struct header header;
    if (fstat(file, &about) != 0 || about.st_size < (off_t)sizeof header ||
        !read_all(file, &header, sizeof header) ||
        !fits(&header, (uint64_t)about.st_size, key_bytes))
        return NULL;
    const size_t bytes = key_bytes + (size_t)header.binary_bytes;
    char *contents = malloc(bytes);
    if (!contents)
        return NULL;
    if (!read_all(file, contents, bytes) || memcmp(contents, key, key_bytes) != 0 ||
        hash_bytes(hash_start, contents, bytes) != header.checksum) {
        free(contents);
        return NULL;
    }
    *binary_bytes = (size_t)header.binary_bytes;
    return contents;
}

bool ocl_program_cache_load(const char *directory, const struct ocl_cache_key *key, void **binary,
                            size_t *bytes)
{
    char path[PATH_MAX];
    char *contents = NULL;
    size_t key_bytes = 0;
    char *key_data = make_key(key, &key_bytes);
    if (!key_data)
        return false;
    if (make_path(path, directory, key_data, key_bytes)) {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            contents = read_contents(file, key_data, key_bytes, bytes);
            (void)futimens(file, NULL); /* used now: trim() goes by it */
            close(file);
            if (!contents)
                ocl_trace("program cache: %s is not usable", path);
        }
    }
    free(key_data);
    if (contents) /* the binary alone, at the front, where malloc aligned it */
        memmove(contents, contents + key_bytes, *bytes);
    *binary = contents;
    return contents != NULL;
}

/* Opens a file that no other thread or process writes, next to the one it will replace. */
static int open_temporary(char name[PATH_MAX], const char *path)
{
    static _Atomic unsigned counter;
    int length =
        snprintf(name, PATH_MAX, "%s.%ld.%u", path, (long)getpid(), atomic_fetch_add(&counter, 1u));
    if (length <= 0 || length >= PATH_MAX)
        return -1;
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

static bool write_file(const char *path, const struct header *header, const void *key,
                       const void *binary)
{
    char name[PATH_MAX];
    const int file = open_temporary(name, path);
    if (file < 0)
        return false;
    bool is_written = write_all(file, header, sizeof *header) &&
                      write_all(file, key, (size_t)header->key_bytes) &&
                      write_all(file, binary, (size_t)header->binary_bytes);
    is_written = close(file) == 0 && is_written;
    if (is_written && rename(name, path) == 0)
        return true;
    unlink(name);
    return false;
}

/* ---- Which folder, and how large ---- */

static char *user_directory(void)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (cache && *cache == '/')
        length = asprintf(&path, "%s/clem", cache);
    else if (home && *home == '/')
        length = asprintf(&path, "%s/.cache/clem", home);
    return length < 0 ? NULL : path;
}

static bool make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* the last one tells */
        *slash = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static char *own_directory; /* as long as the process */

static void find_directory(void)
{
    own_directory = user_directory();
    if (own_directory && make_directories(own_directory))
        return;
    ocl_trace("program cache: there is no folder for it");
    free(own_directory);
    own_directory = NULL;
}

const char *ocl_program_cache_directory(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (ocl_options_get()->cache_dir)
        return ocl_options_get()->cache_dir;
    pthread_once(&once, find_directory);
    return own_directory;
}

enum { TRIM_EVERY = 32 }; /* stores */
static const uint64_t most_bytes = (uint64_t)256 << 20, kept_bytes = (uint64_t)192 << 20;

struct entry {
    time_t used;
    uint64_t bytes;
    char name[64];
};

static int compare_age(const void *a, const void *b)
{
    const time_t first = ((const struct entry *)a)->used, second = ((const struct entry *)b)->used;
    return (first > second) - (first < second);
}

/* The files of a folder; what has a longer name is none of the cache's. Returns how many. */
static size_t list_entries(DIR *folder, struct entry **entries, uint64_t *bytes)
{
    size_t count = 0, room = 0;
    for (const struct dirent *file = readdir(folder); file; file = readdir(folder)) {
        struct stat facts;
        if (strlen(file->d_name) >= sizeof(*entries)->name || !strstr(file->d_name, ".bin") ||
            fstatat(dirfd(folder), file->d_name, &facts, 0) != 0)
            continue;
        if (count == room) {
            struct entry *grown = realloc(*entries, (room = 2 * room + 64) * sizeof *grown);
            if (!grown)
                break;
            *entries = grown;
        }
        struct entry *entry = &(*entries)[count++];
        *entry = (struct entry){facts.st_mtime, (uint64_t)facts.st_size, ""};
        strcpy(entry->name, file->d_name);
        *bytes += entry->bytes;
    }
    return count;
}

/* Other processes may do the same at the same time: a file that is gone already is no harm. */
static void trim(const char *directory)
{
    DIR *folder = opendir(directory);
    struct entry *entries = NULL;
    uint64_t bytes = 0;
    if (!folder)
        return;
    const size_t count = list_entries(folder, &entries, &bytes);
    if (bytes > most_bytes) {
        qsort(entries, count, sizeof *entries, compare_age);
        for (size_t i = 0; i < count && bytes > kept_bytes; i++) {
            (void)unlinkat(dirfd(folder), entries[i].name, 0);
            bytes -= entries[i].bytes;
        }
    }
    free(entries);
    closedir(folder);
}

void ocl_program_cache_store(const char *directory, const struct ocl_cache_key *key,
                             const void *binary, size_t bytes)
{
    char path[PATH_MAX];
    size_t key_bytes = 0;
    char *key_data = make_key(key, &key_bytes);
    if (!key_data)
        return;
    struct header header = {.key_bytes = key_bytes, .binary_bytes = bytes};
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = hash_bytes(hash_bytes(hash_start, key_data, key_bytes), binary, bytes);
    mkdir(directory, 0700);
    if (!make_path(path, directory, key_data, key_bytes) ||
        !write_file(path, &header, key_data, binary))
        ocl_trace("program cache: nothing can be stored in %s", directory);
    free(key_data);
    static _Atomic unsigned stores;
    if (atomic_fetch_add(&stores, 1u) % TRIM_EVERY == 0)
        trim(directory);
}
