/* The folder of the program cache: opening it, names in it, its size.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/program/cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cl/base/draw.h"
#include "cl/base/trust.h"
#include "cl/trace.h"
#include "cl/whole.h"

/* ---- Opening ---- */

static void refuse(const char *directory, const char *why)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_told))
        ocl_notice("the program cache is not used: %s/%s %s", directory, OCL_CACHE_SUBFOLDER, why);
}

/* A folder that somebody else put there is refused before anything in it is looked at. */
static bool is_trusted(int folder, const char *directory)
{
    struct stat facts;
    const char *fault =
        fstat(folder, &facts) != 0 ? "cannot be examined" : ocl_trust_fault(folder, &facts);
    if (fault)
        refuse(directory, fault);
    return !fault;
}

static int open_subfolder(int parent, const char *directory)
{
    const int folder = openat(parent, OCL_CACHE_SUBFOLDER,
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (folder < 0) {
        if (errno == ELOOP || errno == ENOTDIR)
            refuse(directory, "is not a folder");
        return -1;
    }
    if (is_trusted(folder, directory))
        return folder;
    close(folder);
    return -1;
}

int ocl_cache_folder_open(const char *directory, bool makes)
{
    if (makes)
        (void)mkdir(directory, 0700); /* opening tells */
    const int parent = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return -1;
    if (makes)
        (void)mkdirat(parent, OCL_CACHE_SUBFOLDER, 0700);
    const int folder = open_subfolder(parent, directory);
    close(parent);
    return folder;
}

/* ---- Files ---- */

int ocl_cache_folder_read(int folder, const char *name, uint64_t *bytes)
{
    struct stat facts;
    const int file =
        openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        if (errno != ENOENT)
            ocl_trace("program cache: %s is not read: %s", name, strerror(errno));
        return -1;
    }
    const char *fault = "cannot be examined";
    if (fstat(file, &facts) == 0)
        fault = S_ISREG(facts.st_mode) ? ocl_trust_fault(file, &facts) : "is no regular file";
    if (!fault) {
        *bytes = (uint64_t)facts.st_size;
        return file;
    }
    ocl_trace("program cache: %s %s", name, fault);
    close(file);
    return -1;
}

int ocl_cache_folder_write(int folder, const char *name, char temporary[OCL_CACHE_NAME_BYTES])
{
    enum { TRIES = 8 };
    int file = -1;
    for (int i = 0; file < 0 && i < TRIES; i++) {
        snprintf(temporary, OCL_CACHE_NAME_BYTES, "%s.%016llx", name,
                 (unsigned long long)ocl_draw_number());
        file =
            openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST)
            break;
    }
    if (file < 0)
        return -1;
    file = whole_above_streams(file);
    if (file < 0)
        unlinkat(folder, temporary, 0);
    return file;
}

/* ---- Size ---- */

struct entry {
    time_t used;
    uint64_t bytes;
    char name[OCL_CACHE_NAME_BYTES];
};

struct entry_list {
    struct entry *entries;
    size_t count, room;
    uint64_t bytes;
};

static bool are_digits(const char *text, size_t count)
{
    return strspn(text, "0123456789abcdef") >= count;
}

static bool is_entry(const char *name)
{
    return strlen(name) == OCL_CACHE_ENTRY_LENGTH && are_digits(name, 32) &&
           strcmp(name + 32, ".bin") == 0;
}

static bool is_temporary(const char *name)
{
    return strlen(name) == OCL_CACHE_TEMPORARY_LENGTH && are_digits(name, 32) &&
           strncmp(name + 32, ".bin.", 5) == 0 && are_digits(name + 37, 16);
}

static bool add(struct entry_list *list, const char *name, const struct stat *facts)
{
    if (list->count == list->room) {
        const size_t room = 2 * list->room + 64;
        struct entry *grown = realloc(list->entries, room * sizeof *grown);
        if (!grown)
            return false;
        list->entries = grown;
        list->room = room;
    }
    struct entry *entry = &list->entries[list->count++];
    *entry = (struct entry){facts->st_mtime, (uint64_t)facts->st_size, ""};
    strcpy(entry->name, name);
    list->bytes += entry->bytes;
    return true;
}

/* Lists the entries, and deletes what writers left behind that ended on the way. */
static void list_entries(DIR *stream, struct entry_list *list)
{
    enum { DAY = 24 * 60 * 60 };
    const time_t yesterday = time(NULL) - DAY;
    bool goes_on = true;
    for (const struct dirent *file; goes_on && (file = readdir(stream)) != NULL;) {
        struct stat facts;
        const bool is_old = is_temporary(file->d_name);
        if ((!is_old && !is_entry(file->d_name)) ||
            fstatat(dirfd(stream), file->d_name, &facts, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(facts.st_mode) || facts.st_uid != geteuid())
            continue;
        if (!is_old)
            goes_on = add(list, file->d_name, &facts);
        else if (facts.st_mtime < yesterday)
            (void)unlinkat(dirfd(stream), file->d_name, 0);
    }
}

static int compare_age(const void *a, const void *b)
{
    const time_t first = ((const struct entry *)a)->used, second = ((const struct entry *)b)->used;
    return (first > second) - (first < second);
}

/* A file that another process deleted already is no harm. */
void ocl_cache_folder_trim(int folder, uint64_t most, uint64_t kept)
{
    struct entry_list list = {NULL, 0, 0, 0};
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = again < 0 ? NULL : fdopendir(again);
    if (!stream) {
        if (again >= 0)
            close(again);
        return;
    }
    list_entries(stream, &list);
    if (list.bytes > most) {
        qsort(list.entries, list.count, sizeof *list.entries, compare_age);
        for (size_t i = 0; i < list.count && list.bytes > kept; i++) {
            (void)unlinkat(folder, list.entries[i].name, 0);
            list.bytes -= list.entries[i].bytes;
        }
    }
    free(list.entries);
    closedir(stream);
}
