/* Runs the semantics cases, each in a process of its own, and prints or compares what they record.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Output is tab-separated: case, step, value. Lines that start with '#' are comments.
 */
#include "oracle.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

enum { REPORT_FD = 3, STEP_TIMEOUT_MS = 20000, MAX_RUNS = 120, EXIT_USAGE = 64 };
enum { LEAST_WORK_MS = STEP_TIMEOUT_MS / 200, MOST_WORK_MS = 3 * STEP_TIMEOUT_MS };

extern char **environ;

struct case_row {
    const char *group;
    const char *name;
    void (*run)(void);
    bool alone; /* measures time or free memory, so nothing may run beside it */
};

static const struct case_row cases[] = {
#define CASE(group, name)       {#group, #group "/" #name, case_##group##_##name, false},
#define CASE_ALONE(group, name) {#group, #group "/" #name, case_##group##_##name, true},
#include "cases.def"
#undef CASE_ALONE
#undef CASE
};
enum { CASE_COUNT = sizeof cases / sizeof cases[0] };

/* A growing list of rows. Strings are owned by the list and live until the process ends. */
struct row {
    char *case_name;
    char *step;
    char *value;
    bool used;
};
struct rows {
    struct row *list;
    size_t count, room;
};

static char *copy_text(const char *text)
{
    char *copy = strdup(text);
    if (!copy) {
        fprintf(stderr, "oracle: out of memory\n");
        exit(EXIT_FAILURE);
    }
    return copy;
}

static void add_row(struct rows *rows, const char *case_name, const char *step, const char *value)
{
    if (rows->count == rows->room) {
        rows->room = rows->room ? rows->room * 2 : 256;
        rows->list = realloc(rows->list, rows->room * sizeof *rows->list);
        if (!rows->list) {
            fprintf(stderr, "oracle: out of memory\n");
            exit(EXIT_FAILURE);
        }
    }
    rows->list[rows->count++] =
        (struct row){copy_text(case_name), copy_text(step), copy_text(value), false};
}

static void print_row(const struct row *row)
{
    printf("%s\t%s\t%s\n", row->case_name, row->step, row->value);
}

/* ---- Running one case in a child ---- */

/* What became of one run of a child. */
struct run {
    char pending[MAX_STEP]; /* the step begun and not ended, or "" */
    bool poisoned;
    bool timed_out;
    int status;
};

static bool spawn_child(const char *program, const char *name, const struct rows *known,
                        pid_t *child, int *report_fd)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return false;
    }
    const char **arguments = calloc(4 + 2 * known->count, sizeof *arguments);
    if (!arguments) {
        close(ends[0]);
        close(ends[1]);
        return false;
    }
    size_t n = 0;
    arguments[n++] = program;
    arguments[n++] = "--child";
    arguments[n++] = name;
    for (size_t i = 0; i < known->count; i++) {
        arguments[n++] = known->list[i].step;
        arguments[n++] = known->list[i].value;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    /* Both ends close on exec, so children of other threads do not hold them open; the copy does
     * not. */
    posix_spawn_file_actions_adddup2(&actions, ends[1], REPORT_FD);
    /* What a driver prints belongs to no row. */
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    int error = posix_spawn(child, "/proc/self/exe", &actions, NULL,
                            (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(arguments);
    close(ends[1]);
    *report_fd = ends[0];
    if (error) {
        close(ends[0]);
    }
    return error == 0;
}

/* take_line: one report. Results become rows; the step that is open stays in run->pending. */
static void take_line(char *line, const char *name, struct run *run, struct rows *rows,
                      struct rows *known)
{
    char *step = strchr(line, '\t');
    if (!step) {
        return;
    }
    step++;
    if (line[0] == 'B') {
        snprintf(run->pending, sizeof run->pending, "%s", step);
        return;
    }
    char *value = strchr(step, '\t');
    if (!value) {
        return;
    }
    *value++ = '\0';
    run->pending[0] = '\0';
    if (line[0] == 'P') {
        run->poisoned = true;
        add_row(known, name, step, value);
        return;
    }
    add_row(rows, name, step, value);
}

/* What processors have spent on the child; -1 where nobody tells. */
static long worked_ms(pid_t child)
{
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &time) != 0) {
        return -1;
    }
    return (long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* A child that is silent and works is not stuck: on a busy machine it may get little of a processor. *reported: its work at
 * its last line; *last: at the last look. */
static bool is_stuck(pid_t child, long reported, long *last)
{
    const long before = *last;
    *last = worked_ms(child);
    return *last < 0 || *last - before < LEAST_WORK_MS || *last - reported > MOST_WORK_MS;
}

/* read_reports: until the child closes its end, or is stuck. */
static void read_reports(int fd, pid_t child, const char *name, struct run *run, struct rows *rows,
                         struct rows *known)
{
    char buffer[16384];
    size_t filled = 0;
    long reported = worked_ms(child), last = reported;
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = poll(&wait, 1, STEP_TIMEOUT_MS);
        if (ready < 0 && errno == EINTR) {
            continue;
        }
        if (ready == 0 && !is_stuck(child, reported, &last)) {
            continue;
        }
        if (ready == 0) {
            run->timed_out = true;
            kill(child, SIGKILL);
            return;
        }
        ssize_t got = read(fd, buffer + filled, sizeof buffer - 1 - filled);
        if (got <= 0) {
            return;
        }
        reported = last = worked_ms(child);
        filled += (size_t)got;
        buffer[filled] = '\0';
        char *line = buffer;
        for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            take_line(line, name, run, rows, known);
        }
        filled -= (size_t)(line - buffer);
        memmove(buffer, line, filled);
    }
}

static void describe_end(const struct run *run, char *text, size_t size)
{
    if (run->timed_out) {
        snprintf(text, size, "timeout");
    } else if (WIFSIGNALED(run->status)) {
        snprintf(text, size, "signal %d", WTERMSIG(run->status));
    } else {
        snprintf(text, size, "exit %d", WEXITSTATUS(run->status));
    }
}

/* run_once: true when the case must be repeated without the step that ended it. */
static bool run_once(const char *program, const char *name, struct rows *rows, struct rows *known)
{
    struct run run = {.pending = ""};
    pid_t child = 0;
    int fd = -1;
    size_t first = rows->count;
    if (!spawn_child(program, name, known, &child, &fd)) {
        add_row(rows, name, "(end)", "not started");
        return false;
    }
    read_reports(fd, child, name, &run, rows, known);
    close(fd);
    waitpid(child, &run.status, 0);
    char text[64];
    describe_end(&run, text, sizeof text);
    if (run.pending[0]) {
        add_row(known, name, run.pending, text);
        rows->count = first;
        return true;
    }
    if (run.poisoned) {
        rows->count = first;
        return true;
    }
    if (run.timed_out || !WIFEXITED(run.status) || WEXITSTATUS(run.status) != 0) {
        add_row(rows, name, "(end)", text);
    }
    return false;
}

static void run_case(const char *program, const char *name, struct rows *rows)
{
    struct rows known = {0};
    int runs = 0;
    while (run_once(program, name, rows, &known)) {
        if (++runs == MAX_RUNS) {
            add_row(rows, name, "(end)", "too many steps end the process");
            break;
        }
    }
    free(known.list);
}

/* ---- The modes ---- */

static bool is_chosen(const struct case_row *row, const char *group)
{
    return !group || strcmp(row->group, group) == 0 || strcmp(row->name, group) == 0;
}

static int list_cases(const char *group)
{
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (is_chosen(&cases[i], group)) {
            printf("%s\n", cases[i].name);
        }
    }
    return 0;
}

/* ---- Running many cases, several at a time ---- */

/* done is called for each case in order, and never by two threads at once. */
struct schedule {
    const char *program;
    void (*done)(const struct case_row *row, const struct rows *rows, void *data);
    void *data;
    const struct case_row *order[CASE_COUNT];
    struct rows results[CASE_COUNT];
    bool finished[CASE_COUNT];
    size_t together, count; /* the first `together` cases may run beside each other */
    size_t next, reported;  /* guarded by lock */
    pthread_mutex_t lock;
};

static void choose_cases(struct schedule *schedule, const char *group)
{
    for (int alone = 0; alone <= 1; alone++) {
        for (size_t i = 0; i < CASE_COUNT; i++) {
            if (is_chosen(&cases[i], group) && cases[i].alone == (alone == 1)) {
                schedule->order[schedule->count++] = &cases[i];
            }
        }
        if (!alone) {
            schedule->together = schedule->count;
        }
    }
}

static void finish_case(struct schedule *schedule, size_t index)
{
    pthread_mutex_lock(&schedule->lock);
    schedule->finished[index] = true;
    while (schedule->reported < schedule->count && schedule->finished[schedule->reported]) {
        size_t i = schedule->reported++;
        schedule->done(schedule->order[i], &schedule->results[i], schedule->data);
    }
    pthread_mutex_unlock(&schedule->lock);
}

static void *work(void *data)
{
    struct schedule *schedule = data;
    for (;;) {
        pthread_mutex_lock(&schedule->lock);
        size_t index = schedule->next < schedule->together ? schedule->next++ : CASE_COUNT;
        pthread_mutex_unlock(&schedule->lock);
        if (index == CASE_COUNT) {
            return NULL;
        }
        run_case(schedule->program, schedule->order[index]->name, &schedule->results[index]);
        finish_case(schedule, index);
    }
}

static void run_schedule(struct schedule *schedule, const char *group, const char *jobs)
{
    enum { MOST_THREADS = 64 };
    pthread_t threads[MOST_THREADS];
    long wanted = jobs ? strtol(jobs, NULL, 10) : 1;
    int started = 0;
    choose_cases(schedule, group);
    pthread_mutex_init(&schedule->lock, NULL);
    while (started < MOST_THREADS && started < wanted - 1 &&
           pthread_create(&threads[started], NULL, work, schedule) == 0) {
        started++;
    }
    work(schedule);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    for (size_t i = schedule->together; i < schedule->count; i++) {
        run_case(schedule->program, schedule->order[i]->name, &schedule->results[i]);
        finish_case(schedule, i);
    }
    pthread_mutex_destroy(&schedule->lock);
}

static void print_rows(const struct case_row *row, const struct rows *rows, void *data)
{
    (void)row;
    (void)data;
    for (size_t i = 0; i < rows->count; i++) {
        print_row(&rows->list[i]);
    }
    fflush(stdout);
}

static int run_all(const char *program, const char *group, const char *jobs)
{
    static struct schedule schedule;
    schedule.program = program;
    schedule.done = print_rows;
    printf("# case\tstep\tvalue\n");
    run_schedule(&schedule, group, jobs);
    return 0;
}

static void (*find_case(const char *name))(void)
{
    for (size_t i = 0; i < CASE_COUNT; i++) {
        if (strcmp(cases[i].name, name) == 0) {
            return cases[i].run;
        }
    }
    return NULL;
}

static int run_here(const char *name, char **known, bool protocol)
{
    void (*run)(void) = find_case(name);
    if (!run) {
        fprintf(stderr, "oracle: no case %s\n", name);
        return EXIT_USAGE;
    }
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    FILE *out = protocol ? fdopen(REPORT_FD, "w") : stdout;
    if (!out) {
        fprintf(stderr, "oracle: no report channel\n");
        return EXIT_FAILURE;
    }
    record_open(out, name, protocol);
    for (size_t i = 0; known[i] && known[i + 1]; i += 2) {
        record_known(known[i], known[i + 1]);
    }
    run();
    return 0;
}

/* ---- Comparing ---- */

/* option: the argument after the option named, or NULL. */
static const char *option(char **arguments, const char *name)
{
    for (size_t i = 1; arguments[i] && arguments[i + 1]; i++) {
        if (strcmp(arguments[i], name) == 0) {
            return arguments[i + 1];
        }
    }
    return NULL;
}

static bool load_rows(const char *path, struct rows *rows)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "oracle: %s: %s\n", path, strerror(errno));
        return false;
    }
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, file) > 0) {
        line[strcspn(line, "\r\n")] = '\0';
        char *step = line[0] == '#' ? NULL : strchr(line, '\t');
        char *value = step ? strchr(step + 1, '\t') : NULL;
        if (value) {
            *step++ = '\0';
            *value++ = '\0';
            add_row(rows, line, step, value);
        }
    }
    free(line);
    fclose(file);
    return true;
}

static struct row *find_row(const struct rows *rows, const char *case_name, const char *step)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (strcmp(rows->list[i].step, step) == 0 &&
            strcmp(rows->list[i].case_name, case_name) == 0) {
            return &rows->list[i];
        }
    }
    return NULL;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* A value that differs by device is not compared. Neither is a step that ended the recording
 * process: what it does is not defined, and doing better is allowed. */
static bool values_match(const char *expected, const char *got)
{
    return (starts_with(expected, "device:") && starts_with(got, "device:")) ||
           starts_with(expected, "signal ") || strcmp(expected, got) == 0;
}

struct verdict {
    const struct rows *expected, *accepted;
    size_t steps, different, accepted_count;
};

static void report_difference(struct verdict *verdict, const char *case_name, const char *step,
                              const char *expected, const char *got)
{
    struct row *reason = find_row(verdict->accepted, case_name, step);
    if (!reason) {
        reason = find_row(verdict->accepted, case_name, "*");
    }
    if (reason) {
        reason->used = true;
        verdict->accepted_count++;
        return;
    }
    verdict->different++;
    printf("DIFFERS %s\n    step     %s\n    expected %s\n    got      %s\n", case_name, step,
           expected, got);
}

static void compare_case(const struct case_row *row, const struct rows *got, void *data)
{
    struct verdict *verdict = data;
    const struct rows *expected = verdict->expected;
    bool skipped = false;
    verdict->steps += got->count;
    for (size_t i = 0; i < got->count; i++) {
        const struct row *have = &got->list[i];
        struct row *wanted = find_row(expected, row->name, have->step);
        if (strcmp(have->step, SKIPPED_STEP) == 0) {
            skipped = true;
            printf("SKIPPED %s: %s\n", row->name, have->value);
        } else if (!wanted) {
            report_difference(verdict, row->name, have->step, "(no such step)", have->value);
        } else {
            wanted->used = true;
            if (!values_match(wanted->value, have->value)) {
                report_difference(verdict, row->name, have->step, wanted->value, have->value);
            }
        }
    }
    for (size_t i = 0; i < expected->count && !skipped; i++) {
        const struct row *wanted = &expected->list[i];
        if (!wanted->used && strcmp(wanted->case_name, row->name) == 0) {
            report_difference(verdict, row->name, wanted->step, wanted->value, "(no such step)");
        }
    }
    fflush(stdout);
}

static void report_stale(const struct rows *accepted, const char *group)
{
    for (size_t i = 0; i < accepted->count; i++) {
        const struct row *row = &accepted->list[i];
        size_t length = group ? strlen(group) : 0;
        if (!row->used && (!group || (strncmp(row->case_name, group, length) == 0 &&
                                      strchr("/", row->case_name[length])))) {
            printf("NOTE accepted difference not seen: %s\t%s\n", row->case_name, row->step);
        }
    }
}

static int compare_all(const char *program, char **arguments, const char *group)
{
    static struct schedule schedule;
    struct rows expected = {0};
    struct rows accepted = {0};
    const char *accept_path = option(arguments, "--accept");
    if (!load_rows(option(arguments, "--compare"), &expected) ||
        (accept_path && !load_rows(accept_path, &accepted))) {
        return EXIT_FAILURE;
    }
    struct verdict verdict = {.expected = &expected, .accepted = &accepted};
    schedule.program = program;
    schedule.done = compare_case;
    schedule.data = &verdict;
    run_schedule(&schedule, group, option(arguments, "--jobs"));
    report_stale(&accepted, group);
    printf("%zu steps, %zu differ, %zu differ as accepted\n", verdict.steps, verdict.different,
           verdict.accepted_count);
    return verdict.different || !verdict.steps ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int usage(void)
{
    fprintf(stderr, "usage: oracle --list [--group GROUP]\n"
                    "       oracle --run CASE\n"
                    "       oracle --all [--group GROUP] [--jobs N]\n"
                    "       oracle --compare FILE [--accept FILE] [--group GROUP] [--jobs N]\n"
                    "GROUP is a group's name or one case's.\n");
    return EXIT_USAGE;
}

int main(int count, char **arguments)
{
    if (count < 2) {
        return usage();
    }
    if (strcmp(arguments[1], "--child") == 0 && count > 2) {
        return run_here(arguments[2], arguments + 3, true);
    }
    if (strcmp(arguments[1], "--run") == 0 && count == 3) {
        return run_here(arguments[2], arguments + 3, false);
    }
    const char *group = option(arguments, "--group");
    if (strcmp(arguments[1], "--list") == 0) {
        return list_cases(group);
    }
    if (strcmp(arguments[1], "--all") == 0) {
        return run_all(arguments[0], group, option(arguments, "--jobs"));
    }
    if (strcmp(arguments[1], "--compare") == 0 && count > 2) {
        return compare_all(arguments[0], arguments, group);
    }
    return usage();
}
