/* Runs a program whose calls and commands are recorded, and makes of the records what was asked for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/tools/trace_run.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { EXIT_CANNOT_RUN = 126, EXIT_NOT_WRITTEN = 74 };

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_json(const char *file)
{
    return ends_with(file, ".json") || ends_with(file, ".json.gz");
}

bool trace_has_form(const char *file)
{
    return ends_with(file, ".pftrace") || is_json(file);
}

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

/* ---- Files ---- */

struct output {
    FILE *file;
    pid_t gzip; /* that writes the file from what file gives it; or 0 */
};

/* gzip is there wherever packages are; without it the file is not written. */
static bool open_packed(struct output *output, const char *path)
{
    int ends[2];
    char *const argv[] = {(char *)"gzip", (char *)"-c", NULL};
    posix_spawn_file_actions_t actions;
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        close(file);
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
    const int error = posix_spawnp(&output->gzip, "gzip", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(file);
    close(ends[0]);
    output->file = error == 0 ? fdopen(ends[1], "w") : NULL;
    if (output->file == NULL)
        close(ends[1]);
    errno = error;
    return output->file != NULL;
}

static bool open_output(struct output *output, const char *path)
{
    *output = (struct output){NULL, 0};
    if (ends_with(path, ".gz")) {
        if (open_packed(output, path))
            return true;
    } else {
        output->file = fopen(path, "we");
    }
    if (output->file == NULL)
        fprintf(stderr, "clem-run: %s: %s\n", path, strerror(errno));
    return output->file != NULL;
}

static bool close_output(struct output *output, const char *path)
{
    int status = 0;
    bool is_good = !ferror(output->file);
    is_good = fclose(output->file) == 0 && is_good;
    if (output->gzip != 0)
        is_good = waitpid(output->gzip, &status, 0) == output->gzip && status == 0 && is_good;
    if (!is_good)
        fprintf(stderr, "clem-run: %s: not all of it could be written\n", path);
    return is_good;
}

/* ---- Joining ---- */

struct joined {
    FILE *to;
    bool is_json, is_first;
    uint32_t sequence;
};

static void begin_joined(struct joined *joined, FILE *to, bool is_in_json)
{
    *joined = (struct joined){to, is_in_json, true, 1};
    if (is_in_json)
        fputs("[\n", to);
}

static void add_trace(struct joined *joined, const struct trace *trace)
{
    if (joined->is_json)
        trace_write_json(trace, joined->to, joined->is_first);
    else
        joined->sequence = trace_write_perfetto(trace, joined->to, joined->sequence);
    joined->is_first = false;
}

static void end_joined(const struct joined *joined)
{
    if (joined->is_json)
        fputs("\n]\n", joined->to);
}

static bool add_spool(struct joined *joined, const char *path)
{
    struct trace trace;
    if (!trace_read(&trace, path))
        return false;
    add_trace(joined, &trace);
    trace_free(&trace);
    return true;
}

/* One event a line, as clem-run writes it: the brackets are lines of their own. */
static bool add_json(struct joined *joined, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    for (ssize_t length; (length = getline(&line, &size, file)) >= 0;) {
        while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == ','))
            line[--length] = '\0';
        if (length == 0 || line[0] != '{')
            continue;
        fprintf(joined->to, "%s%s", joined->is_first ? "" : ",\n", line);
        joined->is_first = false;
    }
    free(line);
    fclose(file);
    return true;
}

static bool add_file(struct joined *joined, const char *path)
{
    if (ends_with(path, OCL_SPOOL_SUFFIX))
        return add_spool(joined, path);
    if (joined->is_json)
        return ends_with(path, ".json") && add_json(joined, path);
    const uint32_t next = trace_append_perfetto(path, joined->to, joined->sequence);
    if (next != 0)
        joined->sequence = next;
    return next != 0;
}

int trace_merge(char *const *files, int count)
{
    struct output output;
    struct joined joined;
    bool is_good = true;
    if (!open_output(&output, files[0]))
        return EXIT_NOT_WRITTEN;
    begin_joined(&joined, output.file, is_json(files[0]));
    for (int i = 1; i < count; i++) {
        if (add_file(&joined, files[i]))
            continue;
        fprintf(stderr, "clem-run: %s: no trace of the form that %s has\n", files[i], files[0]);
        is_good = false;
    }
    end_joined(&joined);
    return close_output(&output, files[0]) && is_good ? EXIT_SUCCESS : EXIT_NOT_WRITTEN;
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

/* The trace's file without its ending, as a whole path: what processes' files begin with. */
static char *stem_of(const struct trace_wishes *wishes)
{
    const char *trace = wishes->trace;
    char *whole = NULL, *here = NULL;
    const char *temporary = secure_getenv("TMPDIR");
    if (trace == NULL) {
        if (asprintf(&whole, "%s/clem-run-%ld",
                     temporary != NULL && temporary[0] == '/' ? temporary : "/tmp",
                     (long)getpid()) < 0)
            return NULL;
        return whole;
    }
    here = trace[0] == '/' ? NULL : getcwd(NULL, 0);
    if (asprintf(&whole, "%s%s%s", here != NULL ? here : "", here != NULL ? "/" : "", trace) < 0)
        whole = NULL;
    free(here);
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
static char *name_for(const char *trace, uint64_t process, bool is_own)
{
    char *name = NULL;
    const char *ending = ends_with(trace, ".pftrace") ? ".pftrace"
                         : ends_with(trace, ".gz")    ? ".json.gz"
                                                      : ".json";
    if (is_own)
        return strdup(trace);
    if (asprintf(&name, "%.*s.%llu%s", (int)(strlen(trace) - strlen(ending)), trace,
                 (unsigned long long)process, ending) < 0)
        return NULL;
    return name;
}

static bool write_trace(const struct trace_wishes *wishes, const struct trace *trace, bool is_own)
{
    struct output output;
    struct joined joined;
    char *name = name_for(wishes->trace, trace->head.process, is_own);
    bool is_good = name != NULL && open_output(&output, name);
    if (is_good) {
        begin_joined(&joined, output.file, is_json(name));
        add_trace(&joined, trace);
        end_joined(&joined);
        is_good = close_output(&output, name);
    }
    free(name);
    return is_good;
}

static bool write_summary(const struct trace_wishes *wishes, const struct trace *trace,
                          const double peaks[TRACE_PEAKS], const char *mode)
{
    FILE *to = wishes->summary_file != NULL ? fopen(wishes->summary_file, mode) : stderr;
    if (to == NULL) {
        fprintf(stderr, "clem-run: %s: %s\n", wishes->summary_file, strerror(errno));
        return false;
    }
    const bool is_good = trace_summarize(trace, to, wishes->summary, peaks);
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

/* A process that goes on writes on: its file stays. */
static bool has_ended(const struct trace *trace)
{
    return kill((pid_t)trace->head.process, 0) != 0 && errno == ESRCH;
}

static bool write_process(const struct trace_wishes *wishes, const double peaks[TRACE_PEAKS],
                          const char *spool, size_t index)
{
    struct trace trace;
    if (!trace_read(&trace, spool))
        return false;
    const bool is_own = trace.head.process == (uint64_t)child;
    bool is_good = wishes->trace == NULL || write_trace(wishes, &trace, is_own);
    if (wishes->has_summary)
        is_good = write_summary(wishes, &trace, peaks, index == 0 ? "we" : "ae") && is_good;
    if (!has_ended(&trace))
        fprintf(stderr,
                "clem-run: process %llu goes on; what it does from now on is in %s, which "
                "clem-run --merge reads\n",
                (unsigned long long)trace.head.process, spool);
    else if (is_good)
        unlink(spool);
    trace_free(&trace);
    return is_good;
}

static bool write_all(const struct trace_wishes *wishes, const char *stem)
{
    glob_t found;
    char *pattern = NULL;
    bool is_good = true;
    size_t count = 0;
    double peaks[TRACE_PEAKS] = {0};
    if (wishes->has_summary)
        measure_peaks(peaks);
    if (asprintf(&pattern, "%s.*" OCL_SPOOL_SUFFIX, stem) < 0)
        return false;
    if (glob(pattern, 0, NULL, &found) == 0) {
        count = found.gl_pathc;
        for (size_t i = 0; i < count; i++)
            is_good = write_process(wishes, peaks, found.gl_pathv[i], i) && is_good;
        globfree(&found);
    }
    free(pattern);
    if (count == 0)
        fprintf(stderr, "clem-run: there are no records: the program called nothing of CUDA's, or "
                        "clem said why\n");
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

int trace_run(const struct trace_wishes *wishes, const char *path, char **argv, bool is_elf)
{
    int status = 0;
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
    signal(SIGXFSZ, SIG_IGN); /* a trace that is too large (ulimit -f) is an error like others */
    const bool is_written = write_all(wishes, stem);
    free(stem);
    return conclude(status, is_written);
}
