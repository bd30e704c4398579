/* A whole run: every task of every chosen device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/measure_run.h"

#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/device.h"
#include "bench/estimate.h"
#include "bench/expect.h"
#include "bench/runtime.h"
#include "bench/study_run.h"

/* The tasks of one device and how far they are. */
struct course {
    const struct options *options;
    struct resume *resume;
    const struct device_facts *facts;
    struct effort effort;
    struct task *tasks;
    size_t count;
    struct estimate estimate;
    double told; /* when the last line about the progress was written */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Of a signal that ends the run. */
static volatile sig_atomic_t stop;

static void note_stop(int number)
{
    stop = number;
}

/* The second signal ends the program at once. A driver's compiler may have handlers of its own by now. */
static void stop_on_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = note_stop, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction before;
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

static void progress_words(const struct course *course, size_t done, const struct task *task)
{
    char variable[VARIABLE_BYTES], left[32];
    variable_of(variable, task);
    estimate_text(left, estimate_left(&course->estimate));
    fprintf(stderr, "[%zu/%zu, %s left] %s %s", done + 1, course->count, left, task->row->name,
            variable);
}

/* On a terminal a line that changes, elsewhere one every ten seconds. task NULL: the line goes away. */
static void progress(struct course *course, size_t done, const struct task *task)
{
    const double between = 10;
    if (isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
        if (task)
            progress_words(course, done, task);
    } else if (task && now() - course->told > between) {
        course->told = now();
        progress_words(course, done, task);
        fputc('\n', stderr);
    }
    fflush(stderr);
}

/* A failed row must not take the others with it: an error that sticks goes with the context. */
static void recover(void)
{
    if (cudaDeviceSynchronize() == cudaSuccess)
        return;
    runtime_close_raw();
    study_forget_kernels();
    cudaDeviceReset();
    cudaGetLastError();
}

/* Long runs say beforehand what they are going to take. */
static void announce(const struct course *course)
{
    char left[32];
    size_t before = resume_count(course->resume, course->facts, course->tasks, course->count);
    if (course->options->mode != MODE_FULL)
        return;
    estimate_text(left, course->estimate.left);
    fprintf(stderr, "%s: %zu cells, %zu of them measured before", course->facts->name,
            course->count, before);
    if (before == 0)
        fprintf(stderr, "; about %s", left);
    if (course->resume->file)
        fprintf(stderr, ". The same command goes on where this one ends: %s\n",
                course->resume->path);
    else
        fprintf(stderr, ". Nothing is kept before the end: --json FILE does that.\n");
}

static void predict(struct course *course)
{
    for (size_t i = 0; i < course->count; i++)
        estimate_add(&course->estimate, estimate_task(&course->tasks[i], &course->effort));
}

static void measure_cell(struct course *course, size_t i, struct result *result)
{
    const struct task *task = &course->tasks[i];
    double predicted = estimate_task(task, &course->effort);
    if (resume_find(course->resume, course->facts, task, result)) {
        estimate_skip(&course->estimate, predicted);
        return;
    }
    progress(course, i, task);
    double start = now();
    measure_task(task, course->facts, &course->effort, result);
    estimate_done(&course->estimate, predicted, now() - start);
    resume_add(course->resume, course->facts, result);
    if (result->status == STATUS_ERROR)
        recover();
}

static double host_best(const struct result *one, const struct result *other)
{
    const double first = one->by[BY_HOST].time.best, second = other->by[BY_HOST].time.best;
    return first > 0 && (second <= 0 || first < second) ? first : second;
}

/* A result that says less than the one before does not take its place. Plain C's best of both says how fast the host can be. */
static void measure_again(struct course *course, size_t i, const struct effort *effort,
                          struct result *result)
{
    struct result again;
    progress(course, i, &course->tasks[i]);
    measure_task(&course->tasks[i], course->facts, effort, &again);
    mark_suspect(&again, course->facts, host_best(result, &again));
    if (again.status == STATUS_OK || again.wrong_data)
        *result = again;
    else if (again.status == STATUS_ERROR)
        recover();
}

/* A CPU that was faster than it can be: plain C beside it, which says how fast that is, may have been slowed down. */
static void measure_suspect_cells(struct course *course, struct device_report *device)
{
    enum { ROOM = 64, PASSES = 2 };
    size_t cells[ROOM];
    struct effort effort = course->effort;
    for (int pass = 0; pass < PASSES; pass++) {
        const size_t count = expectation_suspect_cells(device, cells, ROOM);
        effort.samples *= 3;
        effort.seconds *= 3;
        for (size_t i = 0; i < count && !stop; i++)
            measure_again(course, cells[i], &effort, &device->results[cells[i]]);
    }
}

static struct pair *find_pair(struct device_report *device, const struct pair *wanted)
{
    for (size_t i = 0; i < device->pair_count; i++)
        if (memcmp(device->pairs[i].cells, wanted->cells, sizeof wanted->cells) == 0)
            return &device->pairs[i];
    device->pairs[device->pair_count] = *wanted;
    return &device->pairs[device->pair_count++];
}

static void measure_in_turn(struct course *course, size_t rounds, struct pair *pair)
{
    const struct task *const tasks[PAIR_SIDES] = {&course->tasks[pair->cells[PAIR_OVER]],
                                                  &course->tasks[pair->cells[PAIR_UNDER]]};
    progress(course, pair->cells[PAIR_OVER], tasks[PAIR_OVER]);
    if (!measure_pair(tasks, course->facts, &course->effort, rounds, pair))
        recover();
}

/* What leaves a verdict open, or speaks against the device, is measured in turn: once, and where the interval still lies across
 * a bound, for three and nine times as long. */
static void measure_open_pairs(struct course *course, struct device_report *device)
{
    enum { ROOM = 64, PASSES = 3 };
    struct pair *open = calloc(ROOM, sizeof *open);
    size_t before = 0, count = 0, rounds = PAIR_LEAST_ROUNDS;
    device->pairs = calloc((size_t)PASSES * ROOM, sizeof *device->pairs);
    for (int pass = 0; open && device->pairs && pass < PASSES; pass++, rounds *= 3) {
        count = expectation_open_pairs(device, open, ROOM);
        before = pass == 0 ? count : before;
        for (size_t i = 0; i < count && !stop; i++)
            measure_in_turn(course, rounds, find_pair(device, &open[i]));
    }
    if (before > 0) {
        count = expectation_open_pairs(device, open, ROOM);
        progress(course, 0, NULL);
        fprintf(stderr, "%s: %zu ratios left verdicts open, %zu after they were measured in turn\n",
                course->facts->name, before, count);
    }
    free(open);
}

static void measure_what_is_open(struct course *course, struct device_report *device)
{
    if (course->options->mode != MODE_NORMAL && course->options->mode != MODE_FULL)
        return;
    measure_suspect_cells(course, device);
    measure_open_pairs(course, device);
}

static void measure_cells(struct course *course, struct device_report *device)
{
    predict(course);
    announce(course);
    for (size_t i = 0; i < course->count && !stop; i++) {
        measure_cell(course, i, &device->results[i]);
        device->count = i + 1;
    }
    measure_what_is_open(course, device);
    progress(course, 0, NULL);
    runtime_close_raw();
    study_forget_kernels();
    study_forget_words();
}

/* False without memory. */
static bool measure_device(const struct options *options, const struct device_facts *facts,
                           struct resume *resume, struct device_report *device)
{
    struct course course = {.options = options,
                            .resume = resume,
                            .facts = facts,
                            .effort = plan_effort(options->mode),
                            .told = now()};
    device->facts = *facts;
    if (cudaSetDevice(facts->index) != cudaSuccess)
        return true;
    if (!plan_make(options->mode, options->filter, facts, &course.tasks, &course.count))
        return false;
    device->results = calloc(course.count + 1, sizeof *device->results);
    if (device->results)
        measure_cells(&course, device);
    free(course.tasks);
    return device->results != NULL;
}

static void describe_run(struct report *report, const struct options *options)
{
    time_t date = time(NULL);
    report->runtime = runtime_name();
    report->program = runtime_program();
    report->mode = mode_name(options->mode);
    report->has_tables = options->wants_tables || options->filter;
    report->command = options->command;
    strftime(report->date, sizeof report->date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&date));
    getloadavg(&report->load_before, 1);
    report->host_cores = sysconf(_SC_NPROCESSORS_ONLN);
    report->host_memory_bytes = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

/* This program alone takes all cores, and one thread more that waits. */
static void note_load(struct report *report)
{
    for (size_t i = 0; i < report->device_count; i++)
        report->devices[i].host_was_busy =
            report->load_after > 1.5 * (double)report->host_cores + 1;
}

static bool is_listed(const char *lines, const char *name)
{
    char line[sizeof((struct device_facts *)0)->name + 3];
    snprintf(line, sizeof line, "\n%s\n", name);
    return !lines || strstr(lines, line);
}

bool run_measure(const struct options *options, int devices, struct resume *resume,
                 struct report *report, int *stopped)
{
    struct device_facts facts;
    stop_on_signals();
    describe_run(report, options);
    report->devices = calloc((size_t)devices, sizeof *report->devices);
    for (int i = 0; report->devices && i < devices && !stop; i++) {
        if (!device_describe(i, &facts) || !device_is_chosen(&facts, options->device) ||
            !is_listed(options->devices, facts.name))
            continue;
        if (!measure_device(options, &facts, resume, &report->devices[report->device_count++]))
            return false;
    }
    *stopped = stop;
    getloadavg(&report->load_after, 1);
    note_load(report);
    return report->devices != NULL;
}

void run_free(struct report *report)
{
    for (size_t d = 0; d < report->device_count; d++) {
        free(report->devices[d].results);
        free(report->devices[d].pairs);
    }
    free(report->devices);
}
