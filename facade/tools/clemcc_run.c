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

#include "cl/whole.h"
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

/* ---- Signals ---- */

static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};
enum { ENDING = sizeof ending / sizeof *ending };

static volatile sig_atomic_t ended_by;
static volatile sig_atomic_t running; /* the child; 0: none */

/* What a terminal sends, the child has got as well. */
static void end_child(int signal, siginfo_t *facts, void *context)
{
    (void)context;
    ended_by = signal;
    if (running > 0 && facts->si_code != SI_KERNEL)
        kill((pid_t)running, signal);
}

/* Signals that clemcc was told to ignore stay ignored, here and in what it runs; but children are waited
 * for. System calls are not made again: what clemcc reads may never come. */
void clemcc_watch_signals(void)
{
    struct sigaction action = {.sa_sigaction = end_child, .sa_flags = SA_SIGINFO}, old;
    signal(SIGCHLD, SIG_DFL);
    for (int i = 0; i < ENDING; i++)
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ending[i], &action, NULL);
}

static void forget_signals(void)
{
    for (int i = 0; i < ENDING; i++) {
        struct sigaction old;
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            signal(ending[i], SIG_DFL);
    }
}

void clemcc_heed_signals(void)
{
    if (!ended_by)
        return;
    forget_signals();
    raise(ended_by);
}

static void hold_signals(sigset_t *old)
{
    sigset_t held;
    sigemptyset(&held);
    for (int i = 0; i < ENDING; i++)
        sigaddset(&held, ending[i]);
    sigprocmask(SIG_BLOCK, &held, old);
}

/* ---- Running ---- */

/* log: the file that takes what the command says; NULL: it goes where this process's goes. */
static int spawn(const struct clang_arguments *command, const char *log, const sigset_t *mask,
                 pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
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
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    error =
        posix_spawnp(child, command->values[0], &actions, &attributes, command->values, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Between the look at what came and the start of the child no signal comes. */
static int start(const struct clang_arguments *command, const char *log, pid_t *child)
{
    sigset_t old;
    hold_signals(&old);
    const int error = ended_by ? EINTR : spawn(command, log, &old, child);
    if (!error)
        running = *child;
    sigprocmask(SIG_SETMASK, &old, NULL);
    return error;
}

/* Its exit status, or as shells do 128 and the signal that ended it. A number that is no longer the
 * child's gets no signal. */
static int wait_for(pid_t child)
{
    siginfo_t facts;
    int status = 0;
    sigset_t old;
    while (waitid(P_PID, (id_t)child, &facts, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    hold_signals(&old);
    running = 0;
    const bool is_known = whole_wait(child, &status);
    sigprocmask(SIG_SETMASK, &old, NULL);
    if (!is_known)
        return 1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(const struct job *job, const struct clang_arguments *command, const char *log)
{
    if (command->has_failed)
        return clemcc_refuse_memory();
    if (job->is_verbose || job->is_dry)
        print_command(command);
    if (job->is_dry)
        return 0;
    pid_t child;
    const int error = start(command, log, &child);
    const int status = !error     ? wait_for(child)
                       : ended_by ? 1
                                  : clemcc_refuse(command->values[0], strerror(error));
    return ended_by ? 128 + ended_by : status;
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

int clemcc_become(struct job *job, struct clang_arguments *command)
{
    if (job->is_dry || command->has_failed)
        return clemcc_run(job, command);
    if (job->is_verbose)
        print_command(command);
    clemcc_remove_scratch(job);
    forget_signals();
    clemcc_heed_signals();
    fflush(NULL);
    execvp(command->values[0], command->values);
    const int status = clemcc_refuse(command->values[0], strerror(errno));
    clang_arguments_free(command);
    return status;
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
    job->scratch[0] = 0;
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
