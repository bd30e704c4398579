/* The spool's file: chunks that threads map one after the other.
 *
 * The file is opened anew for each chunk, so that programs which close all files lose nothing, and memory in use is a chunk
 * for each thread, however long the trace. Room on the disk is claimed before it is mapped: a full disk is a lost record, and
 * no SIGBUS.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/profile/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cl/base/deadline.h"
#include "cl/whole.h"

static struct ocl_spool_header *page;
static char path[4096];
static dev_t device;
static ino_t inode;

struct ocl_spool_header *ocl_spool_page(void)
{
    return page;
}

void ocl_spool_forget(void)
{
    page = NULL; /* mapped still: the parent's threads are gone, and nobody writes to it */
}

static uint64_t clock_now(clockid_t clock)
{
    struct timespec now = {0, 0};

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void read_program(char program[256])
{
    const ssize_t length = readlink("/proc/self/exe", program, 255);

    program[length < 0 ? 0 : length] = '\0';
}

static void fill_page(struct ocl_spool_header *header, uint64_t most_bytes)
{
    const uint64_t most = most_bytes / OCL_SPOOL_CHUNK;

    header->version = OCL_SPOOL_VERSION;
    header->chunk_bytes = OCL_SPOOL_CHUNK;
    header->process = (uint64_t)getpid();
    header->parent = (uint64_t)getppid();
    header->monotonic = ocl_now();
    header->realtime = clock_now(CLOCK_REALTIME);
    header->boottime = clock_now(CLOCK_BOOTTIME);
    header->most = most < OCL_SPOOL_LEAST_CHUNKS ? OCL_SPOOL_LEAST_CHUNKS
                   : most > UINT32_MAX           ? UINT32_MAX
                                                 : (uint32_t)most;
    read_program(header->program);
    memcpy(header->magic, OCL_SPOOL_MAGIC, sizeof header->magic);
}

/* Who writes beyond the limit of a process's files is ended. */
static bool may_reach(off_t end)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           (rlim_t)end <= limit.rlim_cur;
}

/* Room on the disk first. Without it NULL, and errno. */
static void *map(int file, off_t offset, size_t bytes)
{
    const int error =
        may_reach(offset + (off_t)bytes) ? posix_fallocate(file, offset, (off_t)bytes) : EFBIG;

    if (error != 0) {
        errno = error;
        return NULL;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool name_part(const char *stem, unsigned part)
{
    const long process = (long)getpid();
    const int length =
        part == 1 ? snprintf(path, sizeof path, "%s.%ld" OCL_SPOOL_SUFFIX, stem, process)
                  : snprintf(path, sizeof path, "%s.%ld-%u" OCL_SPOOL_SUFFIX, stem, process, part);

    return length >= 0 && (size_t)length < sizeof path;
}

/* A program that becomes another one by exec() stays the same process, and what it was has written. */
static int create_file(const char *stem)
{
    int file = -1;

    for (unsigned part = 1; file < 0 && part <= OCL_SPOOL_MOST_PARTS; part++) {
        if (!name_part(stem, part)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        file = whole_above_streams(whole_open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

struct ocl_spool_header *ocl_spool_create(const char *stem, uint64_t most_bytes)
{
    struct stat status;
    struct ocl_spool_header *made = NULL;
    const int file = create_file(stem);

    if (file >= 0 && fstat(file, &status) == 0) {
        device = status.st_dev;
        inode = status.st_ino;
        made = map(file, 0, OCL_SPOOL_PAGE);
    }
    if (!made)
        whole_say("clem: no trace is written: %s: %s\n", path, strerror(errno));
    else
        fill_page(made, most_bytes);
    if (!made && file >= 0)
        unlink(path);
    if (file >= 0)
        close(file);
    page = made;
    return made;
}

static int open_again(void)
{
    struct stat status;
    const int file = whole_above_streams(whole_open(path, O_RDWR | O_NOFOLLOW, 0));

    if (file >= 0 && fstat(file, &status) == 0 && status.st_dev == device && status.st_ino == inode)
        return file;
    if (file >= 0)
        close(file);
    return -1;
}

/* Linux has pages of up to 64 KiB on arm64, and maps files from the start of one. */
_Static_assert(OCL_SPOOL_PAGE % (64 << 10) == 0 && OCL_SPOOL_CHUNK % (64 << 10) == 0,
               "chunks begin at pages");

static struct ocl_spool_chunk *map_chunk(int file, uint64_t place)
{
    return map(file, (off_t)(OCL_SPOOL_PAGE + place * OCL_SPOOL_CHUNK), OCL_SPOOL_CHUNK);
}

/* Whether the chunk was nobody's and is the caller's now. */
static bool claim(struct ocl_spool_chunk *chunk)
{
    uint32_t none = 0;

    return chunk->use != OCL_SPOOL_NAMES && atomic_compare_exchange_strong(&chunk->busy, &none, 1);
}

/* The first chunk from number on, round and round, that may be written over. */
static struct ocl_spool_chunk *find(int file, uint64_t *number)
{
    for (uint32_t tries = 0; tries < page->most; tries++) {
        *number = atomic_fetch_add(&page->next, 1);
        struct ocl_spool_chunk *chunk = map_chunk(file, *number % page->most);
        if (!chunk || claim(chunk))
            return chunk;
        munmap(chunk, OCL_SPOOL_CHUNK);
    }
    return NULL;
}

/* Where there was no room, a call of the program is not made to wait for the answer each time. */
enum { RETRY_AFTER = 100000000 };
static _Atomic uint64_t retry_at;

struct ocl_spool_chunk *ocl_spool_take(enum ocl_spool_use use)
{
    uint64_t number = 0;
    const int error = errno;

    if (ocl_now() < atomic_load(&retry_at))
        return NULL;
    const int file = open_again();
    struct ocl_spool_chunk *chunk = file < 0 ? NULL : find(file, &number);
    if (file >= 0)
        close(file);
    if (!chunk)
        atomic_store(&retry_at, ocl_now() + RETRY_AFTER);
    if (chunk) {
        if (chunk->number != 0)
            atomic_fetch_add(&page->overwritten, 1);
        memset(chunk + 1, 0, OCL_SPOOL_CHUNK - sizeof *chunk);
        chunk->number = number + 1;
        chunk->use = use;
    }
    errno = error;
    return chunk;
}

void ocl_spool_give(struct ocl_spool_chunk *chunk)
{
    atomic_store(&chunk->busy, 0);
    munmap(chunk, OCL_SPOOL_CHUNK);
}
