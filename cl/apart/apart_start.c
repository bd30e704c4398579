/* Starts clem-compile.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cl/apart/apart.h"
#include "cl/apart/apart_wire.h"
#include "cl/base/opencl.h"
#include "cl/base/steady.h"
#include "cl/device/driver_folder.h"
#include "cl/trace.h"

extern char **environ;

static const char place[] = "clem/clem-compile";

/* Where the library is, if the loader found it by a name that is relative to where the program was then: from where it is
 * later, that may be a file of somebody else's. */
static const char *loaded_from;
static bool is_relative;

__attribute__((constructor)) static void note_place(void)
{
    Dl_info info;
    is_relative = dladdr(place, &info) != 0 && info.dli_fname[0] != '/';
    if (is_relative)
        loaded_from = realpath(info.dli_fname, NULL);
}

static const char *find_library(void)
{
    Dl_info info;
    if (is_relative)
        return loaded_from;
    return dladdr(place, &info) != 0 ? info.dli_fname : NULL;
}

/* It lies in the folder clem beside the library, installed and in a build tree. */
static const char *find_program(char path[PATH_MAX])
{
    const char *library = find_library();
    char own[PATH_MAX];
    if (!library || !realpath(library, own))
        return NULL;
    *(strrchr(own, '/') + 1) = '\0';
    if (snprintf(path, PATH_MAX, "%s%s", own, place) >= PATH_MAX || access(path, X_OK) != 0)
        return NULL;
    return path;
}

/* ---- Its environment ---- */

static bool is_variable(const char *entry, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* This process's, but for what is loaded into every program, and with the cache that PoCL has here. The caller frees the list
 * and its first entry. */
static char **make_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ && environ[count])
        count++;
    char **made = calloc(count + 2, sizeof *made);
    if (!made || asprintf(&made[kept++], "POCL_CACHE_DIR=%s", ocl_driver_folder()) < 0) {
        free(made);
        return NULL;
    }
    for (size_t i = 0; i < count && environ[i]; i++)
        if (!is_variable(environ[i], "LD_PRELOAD") && !is_variable(environ[i], "POCL_CACHE_DIR"))
            made[kept++] = environ[i];
    return made;
}

/* ---- The process ---- */

/* Two stacks that grow down: of the child, and of the child's child. */
enum { STACK_BYTES = 32 << 10 };

struct start {
    const char *path;
    char **environment;
    int file;
    char (*stacks)[STACK_BYTES];
};

static void *stack_top(const struct start *start, int which)
{
    return (void *)((uintptr_t)start->stacks[which + 1] & ~(uintptr_t)63);
}

/* The child's child makes the socket number 3, and becomes clem-compile, which closes all others. */
static int become(void *data)
{
    const struct start *start = data;
    char *const words[] = {(char *)(uintptr_t) "clem-compile", NULL};
    if (start->file == OCL_APART_FILE ? fcntl(OCL_APART_FILE, F_SETFD, 0) == 0
                                      : dup2(start->file, OCL_APART_FILE) >= 0)
        execve(start->path, words, start->environment);
    _exit(127);
}

/* Both are in the memory of the thread that started them, which waits: they may do no more than call the system. The child's
 * child is the system's to wait for once the child has gone. */
static int start_child(void *data)
{
    _exit(clone(become, stack_top(data, 1), CLONE_VM | CLONE_VFORK | SIGCHLD, data) < 0);
}

/* A child without a signal for its end is waited for by __WCLONE alone. */
static bool start_process(struct start *start)
{
    sigset_t all, before;
    int status = 1;
    start->stacks = malloc(2 * sizeof *start->stacks);
    if (!start->stacks)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = clone(start_child, stack_top(start, 0), CLONE_VM | CLONE_VFORK, start);
    const bool has_ended = child > 0 && waitpid(child, &status, (int)__WCLONE) == child;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(start->stacks);
    return has_ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* A program without standard streams gets their numbers for whatever is opened next. */
static int above_standard(int file)
{
    const int moved = fcntl(file, F_DUPFD_CLOEXEC, OCL_APART_FILE + 1);
    close(file);
    return moved;
}

int ocl_apart_start(void)
{
    char path[PATH_MAX];
    int ends[2] = {-1, -1};
    struct start start = {.path = find_program(path)};
    if (!start.path || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    const int before = ocl_steady_begin();
    start.environment = make_environment();
    start.file = ends[1];
    const bool is_started = start.environment && start_process(&start);
    if (start.environment)
        free(start.environment[0]);
    free(start.environment);
    close(ends[1]);
    if (!is_started) {
        close(ends[0]);
        ends[0] = -1;
        ocl_trace("%s does not start", path);
    }
    ocl_steady_end(before);
    return ends[0] < 0 ? -1 : above_standard(ends[0]);
}
