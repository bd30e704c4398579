/* What clemcc runs, and the files that it leaves nowhere.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "facade/tools/clemcc.h"

extern char **environ;

/* ---- Commands ---- */

static void print_command(const struct clang_arguments *command)
{
    fputs("#$ ", stderr);
    for (size_t i = 0; i < command->count; i++) {
        const char *value = command->values[i];
        const bool is_plain = *value && !strpbrk(value, " \t\n\"'\\$`&|;<>()*?#~");
        fprintf(stderr, is_plain ? "%s%s" : "%s'%s'", i ? " " : "", value);
    }
    fputc('\n', stderr);
}

/* Its exit status, or as shells do 128 and the signal that ended it. */
static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* log: the file that takes what the command says; NULL: it goes where this process's goes. */
static int start(const struct clang_arguments *command, bool is_interruptible, const char *log,
                 pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int error = posix_spawnattr_init(&attributes);
    if (error)
        return error;
    error = posix_spawn_file_actions_init(&actions);
    if (error) {
        posix_spawnattr_destroy(&attributes);
        return error;
    }
    if (log)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC,
                                         0600);
    sigemptyset(&signals);
    if (is_interruptible)
        sigaddset(&signals, SIGINT);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    error =
        posix_spawnp(child, command->values[0], &actions, &attributes, command->values, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* An interrupt ends the command, and this process has still to clean up. */
static int run(const struct job *job, const struct clang_arguments *command, const char *log)
{
    if (command->has_failed)
        return clemcc_refuse_memory();
    if (job->is_verbose || job->is_dry)
        print_command(command);
    if (job->is_dry)
        return 0;
    void (*const old)(int) = signal(SIGINT, SIG_IGN);
    pid_t child;
    const int error = start(command, old != SIG_IGN, log, &child);
    const int status = error ? clemcc_refuse(command->values[0], strerror(error)) : wait_for(child);
    signal(SIGINT, old);
    return status;
}

int clemcc_run_logged(const struct job *job, struct clang_arguments *command, const char *log)
{
    const int status = run(job, command, log);
    clang_arguments_free(command);
    return status;
}

int clemcc_run(const struct job *job, struct clang_arguments *command)
{
    return clemcc_run_logged(job, command, NULL);
}

struct clang_arguments clemcc_clang(const struct job *job)
{
    struct clang_arguments command = {0};
    clang_arguments_add(&command, job->compiler.path);
    return command;
}

/* ---- Files ---- */

static int remove_one(const char *name, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)kind, (void)place;
    return remove(name);
}

void clemcc_remove_scratch(struct job *job)
{
    if (job->scratch[0])
        nftw(job->scratch, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int clemcc_make_scratch(struct job *job)
{
    if (job->scratch[0])
        return 0;
    const char *folder = secure_getenv("TMPDIR");
    snprintf(job->scratch, sizeof job->scratch, "%s/clemcc-XXXXXX",
             folder && *folder ? folder : "/tmp");
    if (mkdtemp(job->scratch))
        return 0;
    const int status = clemcc_refuse(job->scratch, strerror(errno));
    job->scratch[0] = 0;
    return status;
}

/* folder/stem.suffix of a source; folder NULL: the current one. The caller frees it. */
char *clemcc_named_after(const char *source, const char *folder, const char *suffix)
{
    const char *last = strrchr(source, '/');
    const char *base = last ? last + 1 : source;
    const size_t stem = strlen(base) - strlen(clemcc_suffix(base));
    char *name = NULL;
    if (asprintf(&name, "%s%s%.*s%s", folder ? folder : "", folder ? "/" : "", (int)stem, base,
                 suffix) < 0)
        return NULL;
    return name;
}
