/* Folders for one process alone.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/base/temporary_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cl/base/trust.h"
#include "cl/whole.h"

enum { DRAWN = 6, DEEPEST = 32 };

static int open_folder(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

/* ---- Deleting ---- */

static void remove_within(int parent, const char *name, int depth);

/* Another process may delete, or make, files there at the same time. Closes folder. */
static void empty(int folder, int depth)
{
    DIR *stream = fdopendir(folder);
    if (!stream) {
        close(folder);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove_within(folder, entry->d_name, depth + 1);
    closedir(stream);
}

static void remove_within(int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0 || depth == DEEPEST)
        return;
    const int folder = open_folder(parent, name);
    if (folder >= 0)
        empty(folder, depth);
    (void)unlinkat(parent, name, AT_REMOVEDIR);
}

void ocl_temporary_folder_remove(int parent, const char *name)
{
    remove_within(parent, name, 0);
}

/* ---- What was left behind ---- */

static bool is_ours(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && name[length] == '-' &&
           strlen(name) == length + 1 + DRAWN;
}

static bool is_left(int folder)
{
    enum { DAY = 24 * 60 * 60 };
    struct stat facts;
    return fstat(folder, &facts) == 0 && !ocl_trust_fault(folder, &facts) &&
           facts.st_mtime < time(NULL) - DAY && flock(folder, LOCK_EX | LOCK_NB) == 0;
}

static void sweep(const char *place, const char *prefix)
{
    DIR *stream = opendir(place);
    for (const struct dirent *entry; stream && (entry = readdir(stream)) != NULL;) {
        if (!is_ours(entry->d_name, prefix))
            continue;
        const int folder = open_folder(dirfd(stream), entry->d_name);
        if (folder < 0)
            continue;
        if (is_left(folder)) {
            empty(folder, 0); /* as it was looked at, whatever has its name */
            (void)unlinkat(dirfd(stream), entry->d_name, AT_REMOVEDIR);
        } else {
            close(folder);
        }
    }
    if (stream)
        closedir(stream);
}

/* ---- Making ---- */

/* The lock goes with the open file, which stays open as long as the process. A file system without locks is good enough
 * for a day. */
static void lock(const char *path)
{
    const int folder = whole_above_streams(open_folder(AT_FDCWD, path));
    if (folder >= 0 && flock(folder, LOCK_EX | LOCK_NB) != 0)
        close(folder);
}

bool ocl_temporary_folder_make(const char *place, const char *prefix, char path[PATH_MAX])
{
    sweep(place, prefix);
    if (snprintf(path, PATH_MAX, "%s/%s-XXXXXX", place, prefix) >= PATH_MAX || !mkdtemp(path))
        return false;
    lock(path);
    return true;
}
