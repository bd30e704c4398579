/* What recording costs the recorded program (clem-run --trace): this program measures some rows in processes of its own, in turn
 * without and with a trace, until trace_bar.c says that the bars are kept, or the rounds are over.
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/checks/checks.h"
#include "bench/report.h"
#include "bench/runtime.h"
#include "bench/trace_bar.h"

extern char **environ;

/* The first is a call that does nearly nothing; of the others those of a millisecond and more count. */
#define CALL_ROW "call.query"
#define ROWS     "=" CALL_ROW ",=set.2d,=set.3d,=transfer.pinned.h2d"

enum { PATH_BYTES = 256 };

/* Seconds of a repetition, in one process; 0: none. */
struct rows {
    double call;
    double others[TRACE_MOST_ROWS];
};

/* ---- One process ---- */

/* The field of a line of CSV; what stands in quotes has no quote in it. NULL: there are fewer. */
static const char *field_of(const char *line, size_t number)
{
    for (bool is_quoted = false; number > 0; line++) {
        if (*line == '\0')
            return NULL;
        if (*line == '"')
            is_quoted = !is_quoted;
        if (*line == ',' && !is_quoted)
            number--;
    }
    return line;
}

static size_t find_field(const char *head, const char *name)
{
    const size_t length = strlen(name);
    for (size_t number = 0;; number++) {
        const char *field = field_of(head, number);
        if (!field || (strncmp(field, name, length) == 0 && strcspn(field, ",\n") == length))
            return number;
    }
}

static void read_line(const char *line, size_t name_field, size_t seconds_field, size_t *count,
                      struct rows *rows)
{
    const char *name = field_of(line, name_field), *seconds = field_of(line, seconds_field);
    if (!name || !seconds)
        return;
    if (strncmp(name, CALL_ROW ",", sizeof CALL_ROW) == 0)
        rows->call = strtod(seconds, NULL);
    else if (*count < TRACE_MOST_ROWS)
        rows->others[(*count)++] = strtod(seconds, NULL);
}

static void read_rows(FILE *table, struct rows *rows)
{
    char *line = NULL, name[64];
    size_t size = 0, name_field = 0, seconds_field = 0, count = 0;
    snprintf(name, sizeof name, "%s_seconds_best", contender_name(BY_CUDA));
    if (getline(&line, &size, table) > 0) {
        name_field = find_field(line, "row");
        seconds_field = find_field(line, name);
    }
    while (getline(&line, &size, table) > 0)
        read_line(line, name_field, seconds_field, &count, rows);
    free(line);
}

/* This program once more, its table into a pipe, with this environment. False where it did not end well. */
static bool run_rows(char *const argv[], char **environment, struct rows *rows)
{
    posix_spawn_file_actions_t actions;
    int ends[2], status = -1;
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const bool is_started =
        posix_spawn(&child, "/proc/self/exe", &actions, NULL, argv, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    FILE *table = fdopen(ends[0], "r");
    if (table)
        read_rows(table, rows);
    if (table)
        fclose(table);
    else
        close(ends[0]);
    return is_started && waitpid(child, &status, 0) == child && status == 0;
}

/* ---- The records ---- */

static bool is_profile(const char *variable)
{
    return strncmp(variable, "CLEM_PROFILE=", sizeof "CLEM_PROFILE=" - 1) == 0;
}

/* The environment with this in place of what records this program, if something does. The caller frees the list. */
static char **environment_with(char *profile)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = calloc(count + 2, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (!is_profile(environ[i]))
            list[kept++] = environ[i];
    if (list && profile)
        list[kept] = profile;
    return list;
}

static void remove_folder(const char *folder)
{
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    rmdir(folder);
}

static bool make_folder(char folder[PATH_BYTES])
{
    const char *temporary = getenv("TMPDIR");
    const int length = snprintf(folder, PATH_BYTES, "%s/clem-bench-XXXXXX",
                                temporary && temporary[0] == '/' ? temporary : "/tmp");
    return length < PATH_BYTES && mkdtemp(folder);
}

/* Each round has new records: they would fill the disk otherwise. */
static bool run_way(int device, bool is_traced, struct rows *rows)
{
    char folder[PATH_BYTES], profile[PATH_BYTES + 64], number[16];
    char *argv[] = {(char *)"clem-bench",
                    (char *)"--normal",
                    (char *)"--format",
                    (char *)"csv",
                    (char *)"--filter",
                    (char *)ROWS,
                    (char *)"--device",
                    number,
                    NULL};
    snprintf(number, sizeof number, "%d", device);
    if (!make_folder(folder))
        return false;
    snprintf(profile, sizeof profile, "CLEM_PROFILE=mb=256 file=%s/trace", folder);
    char **environment = environment_with(is_traced ? profile : NULL);
    const bool is_run = environment && run_rows(argv, environment, rows);
    free(environment);
    remove_folder(folder);
    return is_run;
}

/* ---- The verdict ---- */

static bool is_clem_bench(void)
{
    char own[PATH_BYTES] = "";
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    const char *slash = length > 0 ? strrchr(own, '/') : NULL;
    return slash && strcmp(slash + 1, "clem-bench") == 0 && strcmp(runtime_name(), "clem") == 0;
}

static bool run_round(struct attempt *attempt, int round, struct trace_rounds *rounds)
{
    for (int way = TRACE_PLAIN; way < TRACE_WAYS; way++) {
        struct rows rows = {0};
        if (!run_way(attempt->device->index, way == TRACE_TRACED, &rows))
            return attempt_fail(attempt, STATUS_SKIPPED, "a process of it did not end well");
        rounds->call.seconds[way][round] = rows.call;
        for (size_t i = 0; i < TRACE_MOST_ROWS; i++)
            rounds->others[i].seconds[way][round] = rows.others[i];
        if (rows.call == 0)
            return attempt_fail(attempt, STATUS_SKIPPED, "no call could be measured");
    }
    return true;
}

/* Open to the end, the best figures decide for the bar, and never against it: they are the machine's noise. */
static bool conclude(struct attempt *attempt, const struct trace_bar *bar)
{
    char words[256];
    snprintf(words, sizeof words,
             "a call takes %.0f ns more (%.0f to %.0f, bar: 300), rows of 1 ms keep %.3f of their "
             "rate (%.3f to %.3f, bar: 0.97)",
             bar->more.best * 1e9, bar->more.low * 1e9, bar->more.high * 1e9, bar->share.best,
             bar->share.low, bar->share.high);
    if (bar->verdict == TRACE_BEYOND)
        return attempt_fail(attempt, STATUS_SUSPECT, "%s", words);
    if (bar->verdict == TRACE_OPEN &&
        (bar->more.best > 300e-9 || (bar->share.best > 0 && bar->share.best < 0.97)))
        return attempt_fail(attempt, STATUS_SKIPPED, "undecided: %s", words);
    check_note(attempt, "%s", words);
    return true;
}

bool check_trace(struct attempt *attempt)
{
    static struct trace_rounds rounds;
    struct trace_bar bar = {TRACE_OPEN, {0, 0, 0}, {0, 0, 0}};
    memset(&rounds, 0, sizeof rounds);
    if (!is_clem_bench())
        return attempt_fail(attempt, STATUS_UNSUPPORTED, "clem-bench alone measures its own trace");
    for (int round = 0;
         round < TRACE_MOST_ROUNDS && (round < TRACE_LEAST_ROUNDS || bar.verdict != TRACE_WITHIN);
         round++) {
        if (!run_round(attempt, round, &rounds))
            return false;
        bar = trace_judge(&rounds);
    }
    return conclude(attempt, &bar);
}
