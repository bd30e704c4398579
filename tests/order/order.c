/* Runs random programs and compares what they read with what CUDA's rules say; program.h says how.
 *
 *   --seed N       the first program's seed; else a new one
 *   --count N      how many programs (default 100)
 *   --seconds N    no program begins after so many; --minutes N likewise
 *   --jobs N       so many processes share the programs
 *   --findings N   programs go on after a finding, up to so many (default 1)
 *   --with A,B     these features also; "list" prints all
 *   --without A,B  without these
 *   --again N      how often a program runs (default 1)
 *   --print        prints the programs and runs none
 *   --keep FILE    the C text of a failing program goes there, whole; of several, with the seed behind the name
 *   --opencl       the kernel is OpenCL C, not PTX, and there are no symbols
 *   --table        prints how often each kind of command (row) was followed by each other (column) on one buffer
 *   --pairs        prints which of those came fewer than 50 times
 *   --times        prints how long a program's objects and its commands took
 *   --not A,B      programs for devices without this: concurrent (managed access), pageable (memory access)
 *   --whole        no program is shrunk
 *   --look COMMAND gets the number of a process whose program never ends: "gdb -batch -ex 'thread apply all bt' -p"
 *
 * Programs run in a child process, so that one that crashes or never ends is a finding as well, and is shrunk. Exit status: 0 as
 * CUDA has it, 1 a finding, 2 it could not run, 77 no device.
 * SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "model.h"
#include "print.h"
#include "shrink.h"
#include "tally.h"

enum { MOST_JOBS = 256 };

/* Off where the runtime is NVIDIA's. */
#ifndef ORDER_DOCUMENTED
#define ORDER_DOCUMENTED false
#endif

struct options {
    uint64_t seed;
    long count, seconds, again, jobs, findings;
    bool prints, is_not_shrunk, is_opencl, has_table, has_pairs, has_times;
    bool is_not_concurrent, is_not_pageable;
    const char *keep, *look;
    struct features features;
};

/* A process that generates programs and has a child run them. */
struct worker {
    struct shared shared;
    struct tally tally;
    int status; /* of the process, were it alone */
};

/* What all of them see. */
struct crew {
    atomic_long findings;
    struct worker worker[];
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
    FEATURE(host_functions, true),
    FEATURE(polls, true),
    FEATURE(per_thread, true),
    FEATURE(threads, true),
    FEATURE(gates, true),
    FEATURE(priorities, true),
    FEATURE(pinned_kernels, true),
    FEATURE(pinned_fills, true),

    FEATURE(host_to_host, true),
    FEATURE(pageable_copies, true),
    FEATURE(legacy_waits, true),
    FEATURE(mapped, true),
    FEATURE(registered, true),
    FEATURE(managed, true),
    FEATURE(managed_copies, true),
    FEATURE(prefetch, true),
    FEATURE(attach, true),
    FEATURE(pool, true),
    FEATURE(symbols, true),
    FEATURE(arrays, true),
    FEATURE(rectangles, true),
    FEATURE(devices, true),
    FEATURE(advise, true),
    FEATURE(late, true),
    FEATURE(spellings, true),
    FEATURE(callbacks, true),
    FEATURE(boxes, true),
    FEATURE(large, true),
    FEATURE(batches, true),
    FEATURE(lives, true),
    FEATURE(graphs, true),
    FEATURE(conditions, true),
    FEATURE(values, true),
    FEATURE(cooperative, true),
    /* Programs register their variables as compilers have them do it. */
    FEATURE(symbol_copies, ORDER_DOCUMENTED),
    /* Where concurrentManagedAccess is 0, a launch sends the pages of its own device's managed memory alone. */
    FEATURE(foreign, true),
    FEATURE(documented, ORDER_DOCUMENTED),
    FEATURE(managed_work, !ORDER_DOCUMENTED),
    /* CUDA makes objects slowly, and is not what is tested. */
    FEATURE(reuse, !ORDER_DOCUMENTED),
#undef FEATURE
};

static bool still_fails(void *data, const struct program *program, int times)
{
    return child_fails(data, program, times);
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

static bool name_facts(struct options *options, const char *names)
{
    options->is_not_concurrent = strstr(names, "concurrent") != NULL;
    options->is_not_pageable = strstr(names, "pageable") != NULL;
    return options->is_not_concurrent || options->is_not_pageable;
}

static bool read_option(struct options *options, const char *name, const char *value)
{
    if (!strcmp(name, "--seed"))
        options->seed = strtoull(value, NULL, 0);
    else if (!strcmp(name, "--count"))
        options->count = atol(value);
    else if (!strcmp(name, "--seconds"))
        options->seconds = atol(value);
    else if (!strcmp(name, "--minutes"))
        options->seconds = atol(value) * 60;
    else if (!strcmp(name, "--jobs"))
        options->jobs = atol(value);
    else if (!strcmp(name, "--findings"))
        options->findings = atol(value);
    else if (!strcmp(name, "--again"))
        options->again = atol(value);
    else if (!strcmp(name, "--keep"))
        options->keep = value;
    else if (!strcmp(name, "--look"))
        options->look = value;
    else if (!strcmp(name, "--with")) {
        if (!strcmp(value, "list"))
            list_features();
        return name_features(&options->features, value, true);
    } else if (!strcmp(name, "--without"))
        return name_features(&options->features, value, false);
    else if (!strcmp(name, "--not"))
        return name_facts(options, value);
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
        else if (!strcmp(words[i], "--pairs"))
            options->has_pairs = true;
        else if (!strcmp(words[i], "--times"))
            options->has_times = true;
        else if (!strcmp(words[i], "--opencl"))
            options->is_opencl = true;
        else if (!strcmp(words[i], "--whole"))
            options->is_not_shrunk = true;
        else if (i + 1 < count && read_option(options, words[i], words[i + 1]))
            i++;
        else
            return false;
    }
    return options->jobs > 0 && options->jobs <= MOST_JOBS;
}

/* Programs. */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void keep(const struct options *options, const struct program *program)
{
    char name[4096];
    FILE *file = NULL;

    if (options->keep && options->findings == 1)
        file = fopen(options->keep, "w");
    else if (options->keep && snprintf(name, sizeof name, "%s.%llu", options->keep,
                                       (unsigned long long)program->seed) < (int)sizeof name)
        file = fopen(name, "w");
    if (!file)
        return;
    print_program(file, program, true);
    fclose(file);
}

/* report: in two pieces, each whole beside those of other processes. */
static void report(struct child *child, const struct options *options, struct program *program)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);

    printf("seed %llu: %s\n", (unsigned long long)program->seed, child->shared->outcome.text);
    fflush(stdout);
    if (!stream)
        return;
    child->patience_ms = SHORT_PATIENCE_MS;
    if (!options->is_not_shrunk) {
        shrink(program, still_fails, child);
        child_fails(child, program, 200);
        fprintf(stream, "seed %llu: %d commands are left: %s\n", (unsigned long long)program->seed,
                program->commands, child->shared->outcome.text);
    }
    child->patience_ms = PATIENCE_MS;
    print_program(stream, program, false);
    if (!fclose(stream))
        fwrite(text, 1, length, stdout);
    fflush(stdout);
    free(text);
    keep(options, program);
}

static void print_programs(const struct options *options, const struct facts *facts)
{
    struct program program;
    for (long i = 0; i < options->count; i++) {
        generate(&program, options->seed + (uint64_t)i, &options->features, facts);
        print_program(stdout, &program, true);
    }
}

/* run_programs: every jobs-th program, from the worker's own on. */
static void run_programs(struct crew *crew, long number, const struct options *options)
{
    struct worker *worker = &crew->worker[number];
    struct child child = {.patience_ms = PATIENCE_MS,
                          .is_opencl = options->is_opencl,
                          .look = options->look,
                          .shared = &worker->shared};
    struct program program;
    const double start = now();

    if (!child_start(&child)) {
        worker->status = strstr(worker->shared.outcome.text, "cudaErrorNoDevice") ? 77 : 2;
        return;
    }
    worker->status = 0;
    if (options->is_not_concurrent)
        worker->shared.facts.is_concurrent = false;
    if (options->is_not_pageable)
        worker->shared.facts.is_pageable = false;
    if (options->prints && number == 0)
        print_programs(options, &worker->shared.facts);
    for (long i = number;
         i < options->count && !options->prints && crew->findings < options->findings &&
         (!options->seconds || now() - start < (double)options->seconds);
         i += options->jobs) {
        generate(&program, options->seed + (uint64_t)i, &options->features, &worker->shared.facts);
        if (!child_fails(&child, &program, (int)options->again)) {
            tally_program(&worker->tally, &program, &worker->shared.outcome);
            continue;
        }
        worker->tally.programs++;
        worker->tally.findings++;
        worker->status = 1;
        crew->findings++;
        report(&child, options, &program);
    }
    child_stop(&child);
}

/* run_workers: in a process each, none of which has called CUDA. */
static void run_workers(struct crew *crew, const struct options *options)
{
    if (options->jobs == 1) {
        run_programs(crew, 0, options);
        return;
    }
    fflush(NULL);
    for (long i = 0; i < options->jobs; i++)
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            run_programs(crew, i, options);
            fflush(NULL);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
}

/* sum_up: one line, and the exit status: a finding before what could not run. */
static int sum_up(const struct crew *crew, const struct options *options, double seconds)
{
    static struct tally all;
    int status = 0;

    for (long i = 0; i < options->jobs; i++) {
        const struct worker *worker = &crew->worker[i];
        tally_add(&all, &worker->tally);
        if (worker->status > 1 && !status)
            printf("%s\n", worker->shared.outcome.text);
        if (worker->status == 1 || !status)
            status = worker->status;
    }
    if (options->has_table)
        tally_table(&all);
    if (options->has_pairs)
        tally_rare(&all, &options->features, &crew->worker[0].shared.facts);
    if (options->has_times && all.programs)
        printf("a program: %.0f us to make its objects, %.0f to run, %.0f to free them\n",
               all.us[0] / (double)all.programs, all.us[1] / (double)all.programs,
               all.us[2] / (double)all.programs);
    if (all.programs)
        printf("from seed %llu on: %ld programs, %ld counted, %ld commands, %ld checked reads, %ld "
               "findings, %.1f s\n",
               (unsigned long long)options->seed, all.programs, all.counted, all.commands,
               all.checks, all.findings, seconds);
    return status;
}

int main(int count, char **words)
{
    struct options options = {.count = 100, .again = 1, .jobs = 1, .findings = 1};
    uint32_t seed = 1;

    signal(SIGPIPE, SIG_IGN);
    default_features(&options.features);
    if (getrandom(&seed, sizeof seed, 0) == sizeof seed)
        options.seed = seed;
    if (!read_options(&options, count, words)) {
        fprintf(stderr, "%s: see the head of order.c\n", words[0]);
        return 2;
    }
    if (options.is_opencl)
        options.features.symbols = false;
    const size_t bytes = sizeof(struct crew) + sizeof(struct worker) * (size_t)options.jobs;
    struct crew *crew =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (crew == MAP_FAILED)
        return 2;
    for (long i = 0; i < options.jobs; i++)
        crew->worker[i].status = 2; /* of one that ends before it can say */
    const double start = now();
    run_workers(crew, &options);
    return sum_up(crew, &options, now() - start);
}
