/* Runs a program whose calls and commands are recorded, and makes of the records what was asked for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/tools/trace_run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "facade/tools/trace_files.h"

extern char **environ;

enum { EXIT_USAGE = 64, EXIT_NOT_WRITTEN = 74, EXIT_CANNOT_RUN = 126 };

bool trace_read_summary(struct trace_wishes *wishes, const char *value)
{
    static const char *const forms[] = {"text", "csv", "json"};
    wishes->has_summary = true;
    wishes->summary = TRACE_TEXT;
    if (value == NULL)
        return true;
    const size_t length = strcspn(value, ":");
    wishes->summary_file = value[length] == ':' ? value + length + 1 : NULL;
    for (int i = 0; i < 3; i++) {
        if (strlen(forms[i]) == length && strncmp(forms[i], value, length) == 0) {
            wishes->summary = (enum trace_summary_form)i;
            return true;
        }
    }
    return false;
}

/* A full disk, a limit of files (ulimit -f) and a gzip that ended are errors like others. */
static void ignore_signals_of_writing(void)
{
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

/* ---- Joining ---- */

/* A file that is read must not be the one that is written. */
static bool is_among(const char *path, char *const *files, size_t count)
{
    struct stat own, other;
    if (stat(path, &own) != 0)
        return false;
    for (size_t i = 0; i < count; i++)
        if (stat(files[i], &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino)
            return true;
    return false;
}

int trace_merge(char *const *files, int count)
{
    const size_t others = (size_t)count - 1;
    if (is_among(files[0], files + 1, others)) {
        fprintf(stderr, "clem-run: %s is to be written and to be read\n", files[0]);
        return EXIT_USAGE;
    }
    ignore_signals_of_writing();
    return trace_join(files[0], files + 1, others) ? EXIT_SUCCESS : EXIT_NOT_WRITTEN;
}

/* ---- Running ---- */

static pid_t child;

static void pass_on(int number)
{
    if (child > 0)
        kill(child, number);
}

static const int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

/* The program gets them as if it were in clem-run's place. A terminal sends some to both. */
static void pass_signals_on(void)
{
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    struct sigaction old;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++) {
        const bool is_terminals = passed_on[i] == SIGINT || passed_on[i] == SIGQUIT;
        if (sigaction(passed_on[i], NULL, &old) != 0 || old.sa_handler == SIG_IGN)
            continue;
        if (is_terminals && isatty(STDIN_FILENO))
            signal(passed_on[i], SIG_IGN);
        else
            sigaction(passed_on[i], &action, NULL);
    }
}

static pid_t start(const char *path, char **argv, bool is_elf)
{
    const pid_t started = fork();
    if (started != 0)
        return started;
    if (is_elf)
        execv(path, argv);
    else
        execvp(path, argv);
    fprintf(stderr, "clem-run: %s: %s\n", path, strerror(errno));
    _exit(EXIT_CANNOT_RUN);
}

/* Names of records are longer than the trace's, which may be as long as names can be. */
static size_t stem_length(const char *trace)
{
    enum { MOST_OF_NAME = 160 };
    const char *slash = strrchr(trace, '/');
    const char *name = slash != NULL ? slash + 1 : trace;
    const size_t length = strlen(name);
    return (size_t)(name - trace) + (length < MOST_OF_NAME ? length : MOST_OF_NAME);
}

/* What names of records begin with: a whole path beside the trace, which no other run has. */
static char *stem_of(const struct trace_wishes *wishes)
{
    const char *trace = wishes->trace != NULL ? wishes->trace : "clem-run";
    const char *temporary = secure_getenv("TMPDIR");
    char *whole = NULL, *folder = NULL;
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    if (wishes->trace == NULL)
        folder = strdup(temporary != NULL && temporary[0] == '/' ? temporary : "/tmp");
    else if (trace[0] != '/')
        folder = getcwd(NULL, 0);
    if (asprintf(&whole, "%s%s%.*s.%llx", folder != NULL ? folder : "", folder != NULL ? "/" : "",
                 (int)stem_length(trace), trace,
                 (unsigned long long)now.tv_sec << 20 ^ (unsigned long long)now.tv_nsec >> 10 ^
                     (unsigned long long)getpid() << 40) < 0)
        whole = NULL;
    free(folder);
    return whole;
}

static bool set_profile(const struct trace_wishes *wishes, const char *stem)
{
    char *value = NULL;
    if (asprintf(&value, "%s%s%s%s%sfile=%s", wishes->after != NULL ? "after=" : "",
                 wishes->after != NULL ? wishes->after : "", wishes->after != NULL ? " " : "",
                 wishes->is_api_only ? "detail=api " : "", "", stem) < 0)
        return false;
    char *whole = value;
    bool is_set = true;
    if (wishes->most_mb != NULL)
        is_set = asprintf(&whole, "mb=%s %s", wishes->most_mb, value) >= 0;
    is_set = is_set && setenv("CLEM_PROFILE", whole, 1) == 0;
    if (whole != value)
        free(whole);
    free(value);
    return is_set;
}

/* ---- What is written ---- */

/* The program's own trace has the name that was asked for, a child's the number of the process in it. */
static char *name_for(const char *trace, unsigned long long process)
{
    char *name = NULL;
    const char *ending = trace_ending(trace);
    if (process == (unsigned long long)child)
        return strdup(trace);
    if (asprintf(&name, "%.*s.%llu%s", (int)(strlen(trace) - strlen(ending)), trace, process,
                 ending) < 0)
        return NULL;
    return name;
}

/* The spools are of one process. */
static bool write_trace(const struct trace_wishes *wishes, const struct trace_spool *spools,
                        size_t count)
{
    char *name = name_for(wishes->trace, spools[0].process);
    char **files = calloc(count, sizeof *files);
    for (size_t i = 0; files != NULL && i < count; i++)
        files[i] = spools[i].path;
    const bool is_good = name != NULL && files != NULL && trace_join(name, files, count);
    free(files);
    free(name);
    return is_good;
}

static bool has_summary_begun;

/* Without a trace: the end of it, behind those of all processes. */
static bool write_summary(const struct trace_wishes *wishes, const struct trace *trace,
                          const double peaks[TRACE_PEAKS])
{
    const bool is_first = !has_summary_begun;
    bool is_good = true;
    FILE *to =
        wishes->summary_file != NULL ? fopen(wishes->summary_file, is_first ? "we" : "ae") : stderr;
    if (to == NULL) {
        fprintf(stderr, "clem-run: %s: %s\n", wishes->summary_file, strerror(errno));
        return false;
    }
    has_summary_begun = true;
    if (trace != NULL)
        is_good = trace_summarize(trace, to, wishes->summary, peaks, is_first);
    else
        trace_end_summary(to, wishes->summary, is_first);
    is_good = !ferror(to) && is_good;
    return (to == stderr || fclose(to) == 0) && is_good;
}

/* What copies can reach here, as the clem-info beside this program measures it; zeros where it cannot. */
static void measure_peaks(double peaks[TRACE_PEAKS])
{
    char own[PATH_MAX] = "";
    char *const argv[] = {(char *)"clem-info", (char *)"--peaks", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2], status;
    pid_t process;
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - sizeof "clem-info");
    if (length <= 0 || pipe2(ends, O_CLOEXEC) != 0)
        return;
    strcpy(strrchr(own, '/') + 1, "clem-info");
    unsetenv("CLEM_PROFILE");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const int error = posix_spawn(&process, own, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *answer = fdopen(ends[0], "r");
    if (answer != NULL && error == 0 &&
        fscanf(answer, "%lf %lf %lf", &peaks[TRACE_PEAK_TO_DEVICE], &peaks[TRACE_PEAK_TO_HOST],
               &peaks[TRACE_PEAK_WITHIN]) != TRACE_PEAKS)
        peaks[TRACE_PEAK_TO_DEVICE] = peaks[TRACE_PEAK_TO_HOST] = peaks[TRACE_PEAK_WITHIN] = 0;
    if (answer != NULL)
        fclose(answer);
    if (error == 0)
        waitpid(process, &status, 0);
}

/* One that nobody has waited for is there and does nothing any more: in a container whose first process never waits, that
 * stays so. */
static bool is_dead(unsigned long long process)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%llu/stat", process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool is_read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    const char *state = strrchr(text, ')'); /* behind the program's name, which may have any */
    return is_read && state != NULL && strlen(state) > 2 && (state[2] == 'Z' || state[2] == 'X');
}

static bool has_ended(unsigned long long process)
{
    return (kill((pid_t)process, 0) != 0 && errno == ESRCH) || is_dead(process);
}

static bool summarize_spool(const struct trace_wishes *wishes, const double peaks[TRACE_PEAKS],
                            const struct trace_spool *spool)
{
    struct trace trace;
    if (!trace_read(&trace, spool->path))
        return false;
    if (wishes->trace == NULL)
        trace_tell_lost(&trace);
    const bool is_good = write_summary(wishes, &trace, peaks);
    trace_free(&trace);
    return is_good;
}

/* A process that goes on writes on: its file stays. */
static void remove_spool(const struct trace_spool *spool, bool is_written)
{
    if (!has_ended(spool->process))
        fprintf(stderr,
                "clem-run: process %llu goes on; what it does from now on is in %s, which "
                "clem-run --merge reads\n",
                spool->process, spool->path);
    else if (is_written)
        unlink(spool->path);
    else
        fprintf(stderr,
                "clem-run: the records of process %llu stay in %s, which clem-run --merge reads\n",
                spool->process, spool->path);
}

static bool write_process(const struct trace_wishes *wishes, const double peaks[TRACE_PEAKS],
                          const struct trace_spool *spools, size_t count)
{
    bool is_good = wishes->trace == NULL || write_trace(wishes, spools, count);
    for (size_t i = 0; wishes->has_summary && i < count; i++)
        is_good = summarize_spool(wishes, peaks, &spools[i]) && is_good;
    for (size_t i = 0; i < count; i++)
        remove_spool(&spools[i], is_good);
    return is_good;
}

static bool write_all(const struct trace_wishes *wishes, const char *stem)
{
    struct trace_spool *spools;
    size_t count = 0;
    double peaks[TRACE_PEAKS] = {0};
    if (wishes->has_summary)
        measure_peaks(peaks);
    bool is_good = trace_find_spools(stem, &spools, &count);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && spools[end].process == spools[first].process;)
            end++;
        is_good = write_process(wishes, peaks, &spools[first], end - first) && is_good;
    }
    is_good = (!wishes->has_summary || write_summary(wishes, NULL, peaks)) && is_good;
    if (is_good && count == 0)
        fprintf(stderr, "clem-run: there are no records: the program called nothing of CUDA's, or "
                        "clem said why\n");
    trace_free_spools(spools, count);
    return is_good;
}

/* As a shell would: what ended the program ends clem-run. */
static int conclude(int status, bool is_written)
{
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status) == 0 && !is_written ? EXIT_NOT_WRITTEN : WEXITSTATUS(status);
}

static bool can_be_at(const char *file)
{
    const bool can = file == NULL || trace_can_be_at(file);
    if (!can)
        fprintf(stderr, "clem-run: %s: %s\n", file, strerror(errno));
    return can;
}

int trace_run(const struct trace_wishes *wishes, const char *path, char **argv, bool is_elf)
{
    int status = 0;
    if (!can_be_at(wishes->trace) || !can_be_at(wishes->summary_file))
        return EXIT_NOT_WRITTEN;
    char *stem = stem_of(wishes);
    if (stem == NULL || !set_profile(wishes, stem))
        return EXIT_CANNOT_RUN;
    child = start(path, argv, is_elf);
    if (child < 0) {
        fprintf(stderr, "clem-run: %s: %s\n", path, strerror(errno));
        free(stem);
        return EXIT_CANNOT_RUN;
    }
    pass_signals_on();
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    ignore_signals_of_writing();
    const bool is_written = write_all(wishes, stem);
    free(stem);
    return conclude(status, is_written);
}
