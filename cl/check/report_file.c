/* Where reports go.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check/report_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cl/whole.h"

/* A file that is open, and what it was when it was opened. */
struct kept {
    int file; /* -1: none */
    dev_t device;
    ino_t inode;
    bool is_stream;
};
static struct kept standard = {.file = -1}, output = {.file = -1};
static char path[PATH_MAX]; /* empty: none was asked for */
static bool is_lines;
static atomic_bool has_failed;
static pid_t process; /* a child of a fork has nothing to say */

/* ---- Files that are kept ---- */

static struct kept keep(int file)
{
    struct stat facts;
    if (file < 0 || fstat(file, &facts) != 0)
        return (struct kept){.file = -1};
    return (struct kept){file, facts.st_dev, facts.st_ino, !S_ISREG(facts.st_mode)};
}

/* Whether the program has left it alone. */
static bool is_there(const struct kept *kept, int file)
{
    struct stat facts;
    return kept->file >= 0 && file >= 0 && fstat(file, &facts) == 0 &&
           facts.st_dev == kept->device && facts.st_ino == kept->inode;
}

/* Above the numbers that programs expect their own files to have. */
static int copy_of(int file)
{
    enum { HIGH = 512 };
    const int high = fcntl(file, F_DUPFD_CLOEXEC, HIGH);
    return high >= 0 ? high : fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

static int raised(int file)
{
    const int high = file >= 0 ? copy_of(file) : -1;
    if (high < 0)
        return file;
    close(file);
    return high;
}

static int standard_file(void)
{
    if (is_there(&standard, standard.file))
        return standard.file;
    return is_there(&standard, STDERR_FILENO) ? STDERR_FILENO : -1;
}

static void say(const char *what, int error)
{
    char text[PATH_MAX + 256];
    const int bytes = snprintf(text, sizeof text, "clem: %s %s%s%s\n", what, path,
                               error ? ": " : "", error ? strerror(error) : "");
    if (bytes > 0 && (size_t)bytes < sizeof text)
        (void)whole_write(standard_file(), text, (size_t)bytes);
}

/* ---- The file that was asked for ---- */

/* From where the process is now, and with its number for each %p. */
static bool take_path(const char *wanted)
{
    size_t length = 0;
    if (wanted[0] != '/') {
        if (!getcwd(path, sizeof path - 1))
            return false;
        length = strlen(path);
        path[length++] = '/';
    }
    for (const char *at = wanted; *at && length < sizeof path - 24; at++)
        if (at[0] == '%' && at[1] == 'p') {
            length += (size_t)snprintf(path + length, 24, "%ld", (long)getpid());
            at++;
        } else {
            path[length++] = *at;
        }
    path[length] = '\0';
    return length < sizeof path - 24;
}

/* Those of the process have names, under which opening them makes others of what they are. */
static int open_stream(void)
{
    if (strcmp(path, "/dev/stdout") == 0)
        return copy_of(STDOUT_FILENO);
    return strcmp(path, "/dev/stderr") == 0 ? copy_of(STDERR_FILENO) : -1;
}

static bool is_empty(int file)
{
    struct stat facts;
    return fstat(file, &facts) == 0 && facts.st_size == 0;
}

/* A document is one process's. Whose it is has it locked while it lives; from one that has ended it is taken over, unless all
 * of this began with an empty file. */
static int own(int file, bool is_begun)
{
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && (!is_begun || is_empty(file)))
        return file;
    close(file);
    const size_t length = strlen(path);
    say("another process has its reports in", 0);
    snprintf(path + length, sizeof path - length, ".%ld", (long)getpid());
    say("those of this one are in", 0);
    return whole_open(path, O_WRONLY | O_CREAT, 0666);
}

static int open_output(bool is_begun)
{
    const int stream = open_stream(), lines = is_lines ? O_APPEND : 0;
    struct stat facts;
    if (stream >= 0)
        return stream;
    int file = whole_open(path, O_WRONLY | O_CREAT | O_NONBLOCK | lines, 0666);
    if (file < 0 || fstat(file, &facts) != 0)
        return file;
    (void)fcntl(file, F_SETFL, lines); /* a pipe without a reader fails; later ones wait for it */
    if (S_ISREG(facts.st_mode) && !is_lines)
        file = own(file, is_begun);
    if (S_ISREG(facts.st_mode) && file >= 0 && !(is_lines && is_begun) && ftruncate(file, 0) != 0) {
        close(file);
        return -1;
    }
    return file;
}

void ocl_report_file_begin(const struct ocl_check_wishes *wishes)
{
    process = getpid();
    standard = keep(copy_of(STDERR_FILENO));
    standard.is_stream = true;
    is_lines = wishes->format == OCL_CHECK_TEXT;
    if (!wishes->output)
        return;
    errno = ENAMETOOLONG;
    if (take_path(wishes->output))
        output = keep(raised(open_output(wishes->is_begun)));
    if (output.file < 0)
        (void)ocl_report_file_fail(errno);
}

static bool uses_output(void)
{
    return path[0] && !atomic_load(&has_failed);
}

/* The program may have closed it. */
static void open_again(void)
{
    const int file = whole_open(path, O_WRONLY | (is_lines ? O_APPEND : 0), 0666);
    output = keep(file);
    if (file >= 0 && !is_there(&output, file))
        close(file);
}

int ocl_report_file(void)
{
    if (getpid() != process)
        return -1;
    if (!uses_output())
        return standard_file();
    if (!is_there(&output, output.file) && !output.is_stream)
        open_again();
    if (is_there(&output, output.file))
        return output.file;
    (void)ocl_report_file_fail(errno);
    return standard_file();
}

bool ocl_report_file_is_stream(void)
{
    return uses_output() ? output.is_stream : standard.is_stream;
}

/* ---- Whoever appends ---- */

void ocl_report_file_hold(int file)
{
    enum { TRIES = 100, PAUSE_NS = 1000000 };
    if (ocl_report_file_is_stream())
        return;
    for (int i = 0; i < TRIES && flock(file, LOCK_EX | LOCK_NB) != 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

void ocl_report_file_let_go(int file)
{
    if (!ocl_report_file_is_stream())
        (void)flock(file, LOCK_UN);
}

bool ocl_report_file_fail(int error)
{
    if (!path[0] || atomic_exchange(&has_failed, true))
        return false;
    say("reports go to standard error, since they cannot be written to", error);
    return true;
}
