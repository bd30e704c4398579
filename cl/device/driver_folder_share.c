/* Keeps the folder of PoCL's that CUDA_CACHE_PATH names as small as CUDA_CACHE_MAXSIZE says. PoCL deletes nothing, and ends the
 * process where a file goes that it counts on: so each process has a lock on the folder, and one that has it alone deletes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/driver_folder_share.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cl/base/cache_limit.h"
#include "cl/base/temporary_folder.h"
#include "cl/trace.h"
#include "cl/whole.h"

/* PoCL keeps a program in FOLDER/AB/CDEF..., letters of its hash each. Whatever has another name, is a link, has no such file or
 * belongs to another user is none of it. */
enum { PART_LETTERS = 2, PROGRAM_LETTERS = 37 }; /* PoCL 3.1 to 6.0 */
static const char program_file[] = "program.bc";

struct program {
    char part[PART_LETTERS + 1], name[PROGRAM_LETTERS + 1];
    uint64_t bytes;
    struct timespec used;
};

struct programs {
    struct program *list;
    size_t count, room;
    uint64_t bytes;
};

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Of the folder itself and what lies in it: PoCL writes a file each time that it takes the program. */
static void note_use(struct program *program, const struct stat *facts)
{
    const struct timespec *at = &facts->st_mtim;
    program->bytes += (uint64_t)facts->st_blocks * 512;
    if (at->tv_sec > program->used.tv_sec ||
        (at->tv_sec == program->used.tv_sec && at->tv_nsec > program->used.tv_nsec))
        program->used = *at;
}

enum { DEEPEST = 8 };

static void look_into(int parent, const char *name, struct program *program, int depth)
{
    struct stat facts;
    if (fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    note_use(program, &facts);
    const int folder = S_ISDIR(facts.st_mode) && depth < DEEPEST
                           ? openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                           : -1;
    DIR *stream = folder < 0 ? NULL : fdopendir(folder);
    if (!stream && folder >= 0)
        close(folder);
    for (const struct dirent *entry; stream && (entry = readdir(stream)) != NULL;)
        if (!is_dots(entry->d_name))
            look_into(dirfd(stream), entry->d_name, program, depth + 1);
    if (stream)
        closedir(stream);
}

static bool is_of_hash(const char *name, size_t letters)
{
    return strlen(name) == letters && strspn(name, "ABCDEFGHIJKLMNOP") == letters;
}

static int open_folder(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static bool is_program(int parent, const char *name)
{
    struct stat folder_facts, file_facts;
    const int folder = is_of_hash(name, PROGRAM_LETTERS) ? open_folder(parent, name) : -1;
    if (folder < 0)
        return false;
    const bool is = fstat(folder, &folder_facts) == 0 && folder_facts.st_uid == geteuid() &&
                    fstatat(folder, program_file, &file_facts, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISREG(file_facts.st_mode);
    close(folder);
    return is;
}

static void add(struct programs *programs, int parent, const char *part, const char *name)
{
    struct program program = {.bytes = 0};
    if (programs->count == programs->room) {
        const size_t room = 2 * programs->room + 64;
        struct program *grown = realloc(programs->list, room * sizeof *grown);
        if (!grown)
            return;
        programs->list = grown;
        programs->room = room;
    }
    memcpy(program.part, part, sizeof program.part);
    memcpy(program.name, name, sizeof program.name);
    look_into(parent, name, &program, 0);
    programs->bytes += program.bytes;
    programs->list[programs->count++] = program;
}

static void list_part(struct programs *programs, int folder, const char *part)
{
    const int file = open_folder(folder, part);
    DIR *stream = file < 0 ? NULL : fdopendir(file);
    if (!stream && file >= 0)
        close(file);
    for (const struct dirent *entry; stream && (entry = readdir(stream)) != NULL;)
        if (is_program(dirfd(stream), entry->d_name))
            add(programs, dirfd(stream), part, entry->d_name);
    if (stream)
        closedir(stream);
}

static void delete_program(int folder, const struct program *program)
{
    const int part = open_folder(folder, program->part);
    if (part < 0)
        return;
    ocl_temporary_folder_remove(part, program->name);
    close(part);
}

static int compare_use(const void *a, const void *b)
{
    const struct timespec *one = &((const struct program *)a)->used,
                          *other = &((const struct program *)b)->used;
    if (one->tv_sec != other->tv_sec)
        return one->tv_sec < other->tv_sec ? -1 : 1;
    return (one->tv_nsec > other->tv_nsec) - (one->tv_nsec < other->tv_nsec);
}

static void trim(const char *folder, uint64_t most)
{
    struct programs programs = {NULL, 0, 0, 0};
    DIR *stream = opendir(folder);
    if (!stream)
        return;
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (is_of_hash(entry->d_name, PART_LETTERS))
            list_part(&programs, dirfd(stream), entry->d_name);
    if (programs.count > 0)
        qsort(programs.list, programs.count, sizeof *programs.list, compare_use);
    const bool is_too_large = programs.bytes > most;
    for (size_t i = 0; is_too_large && i < programs.count && programs.bytes > most / 4 * 3; i++) {
        delete_program(dirfd(stream), &programs.list[i]);
        programs.bytes -= programs.list[i].bytes;
    }
    free(programs.list);
    closedir(stream);
}

/* Waits for nobody: one that deletes may be stopped. */
static void lock_shared(int file)
{
    enum { TRIES = 100, NANOSECONDS = 2000000 };
    const struct timespec pause = {0, NANOSECONDS};
    for (int i = 0; i < TRIES && flock(file, LOCK_SH | LOCK_NB) != 0; i++)
        nanosleep(&pause, NULL);
}

void ocl_driver_folder_share(const char *parent, const char *folder)
{
    uint64_t most = 0;
    (void)mkdir(parent, 0700); /* opening tells */
    (void)mkdir(folder, 0700);
    const int file = whole_above_streams(
        open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file < 0)
        return;
    if (ocl_cache_limit(&most) && flock(file, LOCK_EX | LOCK_NB) == 0)
        trim(folder, most);
    lock_shared(file); /* stays open: the lock goes with the process */
}
