/* Runs random programs and compares what they read with what CUDA's rules say; program.h says how.
 *
 *   --seed N       the first program's seed; else a new one
 *   --count N      how many programs (default 100)
 *   --seconds N    no program begins after so many
 *   --with A,B     these features also; "list" prints all
 *   --without A,B  without these
 *   --again N      how often a program runs (default 1)
 *   --print        prints the programs and runs none
 *   --keep FILE    the C text of a failing program goes there, whole
 *   --opencl       the kernel is OpenCL C, not PTX, and there are no symbols
 *   --table        prints how often each kind of command (row) was followed by each other (column) on one buffer
 *   --whole        no program is shrunk
 *
 * Programs run in a child process, so that one that crashes or never ends is a finding as well, and is shrunk. Exit status: 0 as
 * CUDA has it, 1 a finding, 2 it could not run, 77 no device.
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interpret.h"
#include "model.h"
#include "print.h"
#include "shrink.h"

/* A program that takes longer never ends; one that was seen not to end is given less. */
enum { PATIENCE_MS = 30000, SHORT_PATIENCE_MS = 4000 };

struct options {
    uint64_t seed;
    long count, seconds, again;
    bool prints, is_not_shrunk, is_opencl, has_table;
    const char *keep;
    struct features features;
};

/* What both processes see. */
struct shared {
    struct program program;
    struct outcome outcome;
    struct facts facts;
};

struct child {
    pid_t id;
    int orders, answers; /* pipes, a byte for a program */
    int patience_ms;
    bool is_opencl;
    struct shared *shared;
};

struct counts {
    long programs, counted, commands, checks;
};

/* The features by name. Those that are off say why. */
static const struct {
    const char *name;
    size_t at;
    bool is_on;
} feature_names[] = {
#define FEATURE(name, is_on)                                                                       \
    {                                                                                              \
#name, offsetof(struct features, name), is_on                                              \
    }
    FEATURE(host_functions, true), FEATURE(polls, true),           FEATURE(per_thread, true),
    FEATURE(threads, true),        FEATURE(gates, true),           FEATURE(priorities, true),
    FEATURE(pinned_kernels, true), FEATURE(pinned_fills, true),

    FEATURE(host_to_host, true),   FEATURE(pageable_copies, true), FEATURE(legacy_waits, true),
    FEATURE(mapped, true),         FEATURE(registered, true),      FEATURE(managed, true),
    FEATURE(managed_copies, true), FEATURE(prefetch, true),        FEATURE(attach, true),
    FEATURE(pool, true),           FEATURE(symbols, true),         FEATURE(arrays, true),
    FEATURE(rectangles, true),     FEATURE(devices, true),
#undef FEATURE
};

/* The child. */

static void serve(struct child *child)
{
    char byte = 0;
    if (!interpreter_begin(&child->shared->facts, child->is_opencl, &child->shared->outcome) ||
        write(child->answers, &byte, 1) != 1)
        _exit(2);
    setenv("STUB_FAULT_ARMED", "1", 1); /* tests/stub/faulty.c, where that is in use */
    while (read(child->orders, &byte, 1) == 1) {
        interpret(&child->shared->program, &child->shared->outcome);
        if (write(child->answers, &byte, 1) != 1)
            break;
    }
    _exit(0);
}

static bool start_child(struct child *child)
{
    int orders[2];
    int answers[2];
    if (pipe(orders) || pipe(answers))
        return false;
    fflush(NULL);
    child->id = fork();
    if (child->id < 0)
        return false;
    child->orders = orders[child->id == 0 ? 0 : 1];
    child->answers = answers[child->id == 0 ? 1 : 0];
    close(orders[child->id == 0 ? 1 : 0]);
    close(answers[child->id == 0 ? 0 : 1]);
    if (child->id == 0)
        serve(child);
    char byte;
    return read(child->answers, &byte, 1) == 1;
}

/* stop_child: what became of it. */
static int stop_child(struct child *child, bool is_killed)
{
    int status = 0;
    if (!child->id)
        return 0;
    close(child->orders);
    if (is_killed)
        kill(child->id, SIGKILL);
    waitpid(child->id, &status, 0);
    close(child->answers);
    child->id = 0;
    return status;
}

/* run_program: in the child, which is started where there is none and not used again after a finding. */
static void run_program(struct child *child, const struct program *program)
{
    struct outcome *outcome = &child->shared->outcome;
    char byte = 0;

    child->shared->program = *program;
    outcome->is_wrong = true;
    outcome->command = -1;
    outcome->text[0] = 0;
    if (!child->id && !start_child(child)) {
        snprintf(outcome->text, sizeof outcome->text, "no process: %s", strerror(errno));
        return;
    }
    struct pollfd wanted = {.fd = child->answers, .events = POLLIN};
    const bool is_sent = write(child->orders, &byte, 1) == 1;
    const int ready = is_sent ? poll(&wanted, 1, child->patience_ms) : -1;
    if (ready > 0 && read(child->answers, &byte, 1) == 1) {
        if (outcome->is_wrong)
            stop_child(child, true);
        return;
    }
    const int status = stop_child(child, ready == 0);
    outcome->is_wrong = true;
    if (ready == 0)
        snprintf(outcome->text, sizeof outcome->text, "no end after %d s",
                 child->patience_ms / 1000);
    else if (WIFSIGNALED(status))
        snprintf(outcome->text, sizeof outcome->text, "killed by signal %d", WTERMSIG(status));
    else if (!outcome->text[0])
        snprintf(outcome->text, sizeof outcome->text, "exit status %d", WEXITSTATUS(status));
}

static bool still_fails(void *data, const struct program *program, int times)
{
    struct child *child = data;
    for (int i = 0; i < times; i++) {
        run_program(child, program);
        if (child->shared->outcome.is_wrong)
            return true;
    }
    return false;
}

/* Options. */

static void default_features(struct features *features)
{
    for (size_t i = 0; i < sizeof feature_names / sizeof feature_names[0]; i++)
        *(bool *)((char *)features + feature_names[i].at) = feature_names[i].is_on;
}

static bool name_features(struct features *features, const char *names, bool value)
{
    char text[400];
    char *rest = NULL;
    snprintf(text, sizeof text, "%s", names);
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        bool is_found = false;
        for (size_t i = 0; i < sizeof feature_names / sizeof feature_names[0]; i++)
            if (!strcmp(name, feature_names[i].name)) {
                *(bool *)((char *)features + feature_names[i].at) = value;
                is_found = true;
            }
        if (!is_found) {
            fprintf(stderr, "no feature %s\n", name);
            return false;
        }
    }
    return true;
}

static void list_features(void)
{
    for (size_t i = 0; i < sizeof feature_names / sizeof feature_names[0]; i++)
        printf("%s%s\n", feature_names[i].name, feature_names[i].is_on ? "" : " (off)");
    exit(0);
}

static bool read_option(struct options *options, const char *name, const char *value)
{
    if (!strcmp(name, "--seed"))
        options->seed = strtoull(value, NULL, 0);
    else if (!strcmp(name, "--count"))
        options->count = atol(value);
    else if (!strcmp(name, "--seconds"))
        options->seconds = atol(value);
    else if (!strcmp(name, "--again"))
        options->again = atol(value);
    else if (!strcmp(name, "--keep"))
        options->keep = value;
    else if (!strcmp(name, "--with")) {
        if (!strcmp(value, "list"))
            list_features();
        return name_features(&options->features, value, true);
    } else if (!strcmp(name, "--without"))
        return name_features(&options->features, value, false);
    else
        return false;
    return true;
}

static bool read_options(struct options *options, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (!strcmp(words[i], "--print"))
            options->prints = true;
        else if (!strcmp(words[i], "--table"))
            options->has_table = true;
        else if (!strcmp(words[i], "--opencl"))
            options->is_opencl = true;
        else if (!strcmp(words[i], "--whole"))
            options->is_not_shrunk = true;
        else if (i + 1 < count && read_option(options, words[i], words[i + 1]))
            i++;
        else
            return false;
    }
    return true;
}

/* Programs. */

/* count_program: a program counts that is large enough, uses three streams and has an order across streams and a checked read. */
static void count_program(struct counts *counts, const struct program *program, int checks)
{
    static struct model model;
    bool is_used[MOST_STREAMS] = {false};
    int used = 0;

    model_build(&model, program);
    for (int i = 0; i < program->commands; i++)
        if (is_work(&program->command[i]) && !is_used[program->command[i].stream]) {
            is_used[program->command[i].stream] = true;
            used++;
        }
    counts->programs++;
    counts->commands += program->commands;
    counts->checks += checks;
    counts->counted += program->commands >= 40 && used >= 3 && model.cross_waits > 0 && checks > 0;
}

/* uses_buffer: what the command names; a check reads. */
static bool uses_buffer(const struct command *c, unsigned buffer)
{
    return (c->target.count && c->target.buffer == buffer) ||
           (c->first.count && c->first.buffer == buffer) ||
           (c->second.count && c->second.buffer == buffer);
}

static void count_pairs(long pairs[KINDS][KINDS], const struct program *program)
{
    for (int y = 1; y < program->commands; y++)
        for (int x = 0; x < y; x++)
            for (unsigned buffer = 0; buffer < program->buffers; buffer++)
                if (uses_buffer(&program->command[x], buffer) &&
                    uses_buffer(&program->command[y], buffer)) {
                    pairs[program->command[x].kind][program->command[y].kind]++;
                    break;
                }
}

static bool names_memory(long pairs[KINDS][KINDS], int kind)
{
    for (int i = 0; i < KINDS; i++)
        if (pairs[kind][i] || pairs[i][kind])
            return true;
    return false;
}

static void print_pairs(long pairs[KINDS][KINDS])
{
    printf("%-18s", "");
    for (int column = 0; column < KINDS; column++)
        if (names_memory(pairs, column))
            printf(" %16s", kind_names[column]);
    for (int row = 0; row < KINDS; row++) {
        if (!names_memory(pairs, row))
            continue;
        printf("\n%-18s", kind_names[row]);
        for (int column = 0; column < KINDS; column++)
            if (names_memory(pairs, column))
                printf(" %16ld", pairs[row][column]);
    }
    printf("\n");
}

static void report(struct child *child, const struct options *options, struct program *program)
{
    printf("seed %llu: %s\n", (unsigned long long)program->seed, child->shared->outcome.text);
    fflush(stdout);
    child->patience_ms = SHORT_PATIENCE_MS;
    if (!options->is_not_shrunk) {
        shrink(program, still_fails, child);
        still_fails(child, program, 200);
        printf("%d commands are left: %s\n", program->commands, child->shared->outcome.text);
    }
    print_program(stdout, program, false);
    FILE *file = options->keep ? fopen(options->keep, "w") : NULL;
    if (file) {
        print_program(file, program, true);
        fclose(file);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int run_programs(struct child *child, const struct options *options)
{
    struct counts counts = {0};
    struct program program;
    static long pairs[KINDS][KINDS];
    const double start = now();

    if (!start_child(child)) {
        printf("%s\n", child->shared->outcome.text);
        return strstr(child->shared->outcome.text, "cudaErrorNoDevice") ? 77 : 2;
    }
    for (long i = 0;
         i < options->count && (!options->seconds || now() - start < (double)options->seconds);
         i++) {
        generate(&program, options->seed + (uint64_t)i, &options->features, &child->shared->facts);
        if (options->prints) {
            print_program(stdout, &program, true);
            continue;
        }
        if (still_fails(child, &program, (int)options->again)) {
            report(child, options, &program);
            return 1;
        }
        count_program(&counts, &program, child->shared->outcome.checks);
        if (options->has_table)
            count_pairs(pairs, &program);
    }
    stop_child(child, false);
    if (options->has_table)
        print_pairs(pairs);
    printf(
        "seeds %llu to %llu: %ld programs, %ld counted, %ld commands, %ld checked reads, %.1f s\n",
        (unsigned long long)options->seed,
        (unsigned long long)(options->seed + (uint64_t)counts.programs - 1), counts.programs,
        counts.counted, counts.commands, counts.checks, now() - start);
    return 0;
}

int main(int count, char **words)
{
    struct options options = {.count = 100, .again = 1};
    struct child child = {.patience_ms = PATIENCE_MS};
    uint32_t seed = 1;

    signal(SIGPIPE, SIG_IGN);
    default_features(&options.features);
    if (getrandom(&seed, sizeof seed, 0) == sizeof seed)
        options.seed = seed;
    if (!read_options(&options, count, words)) {
        fprintf(stderr, "%s: see the head of order.c\n", words[0]);
        return 2;
    }
    child.is_opencl = options.is_opencl;
    if (options.is_opencl)
        options.features.symbols = false;
    child.shared =
        mmap(NULL, sizeof *child.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (child.shared == MAP_FAILED)
        return 2;
    return run_programs(&child, &options);
}
