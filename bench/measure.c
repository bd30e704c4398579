/* The one measuring loop: choose methods, calibrate, take samples in turn, verify the result.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/pair.h"
#include "bench/runtime.h"
#include "bench/study_run.h"

#define MAX_COUNT  1000000
#define MAX_ROUNDS 2000
/* Slow work ends after this many seconds, however few samples there are. */
#define MAX_SECONDS 30

struct side {
    enum contender contender;
    struct attempt attempt;
    const struct way *way;
    const struct method *method;
    char dropped[200]; /* the last method that failed, and why */
    size_t count;
    struct series samples;
    bool open, in;
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds for count repetitions, or a negative number when they failed. */
static double time_run(struct side *side, const struct method *method, size_t count)
{
    double start = now();
    bool done = method->run(&side->attempt, count);
    double seconds = now() - start;
    return done ? seconds : -1;
}

static bool poison(struct side *side)
{
    return !side->way->poison || side->way->poison(&side->attempt);
}

static bool verify(struct side *side)
{
    return !side->way->verify || side->way->verify(&side->attempt);
}

/* How often the method must run for a sample of `target` seconds; 0 when it failed. */
static size_t calibrate(struct side *side, const struct method *method, double target)
{
    size_t count = 1;
    for (;;) {
        double seconds = time_run(side, method, count);
        if (seconds < 0)
            return 0;
        if (seconds >= target * 0.7 || count >= MAX_COUNT)
            return count;
        double wanted = (double)count * target / (seconds > 1e-9 ? seconds : 1e-9);
        double most = (double)count * 10;
        count = (size_t)(wanted < most ? wanted : most) + 1;
    }
}

/* The fastest of three runs, for one repetition; negative when the method fails or its data is
 * wrong. */
static double try_method(struct side *side, const struct method *method, double best_so_far)
{
    if (!poison(side) || !method->run(&side->attempt, 1) || !verify(side))
        return -1;
    double first = time_run(side, method, 1);
    if (first < 0 || (best_so_far > 0 && first > 20 * best_so_far))
        return first;
    size_t count = calibrate(side, method, 0.002);
    double best = first;
    for (int i = 0; i < 3 && count; i++) {
        double seconds = time_run(side, method, count);
        if (seconds >= 0 && seconds / (double)count < best)
            best = seconds / (double)count;
    }
    return count ? best : -1;
}

static bool method_is_allowed(const struct side *side, const struct method *method)
{
    const char *only = side->attempt.task->row->only;
    if (only && strcmp(only, method->name) != 0)
        return false;
    return (only && side->attempt.task->row->work == WORK_PEAK) || !method->suits ||
           method->suits(&side->attempt);
}

/* A study's methods are its forms, or its loops on the host, by number. */
static const char *title_of(const struct side *side, const struct method *method)
{
    const struct study *study = side->attempt.task->row->study;
    const size_t number = (size_t)(method - side->way->methods);
    if (!study)
        return method->name;
    return side->contender == BY_HOST ? study->hosts[number].name : study->forms[number].name;
}

/* Every method that suits is tried and verified; the fastest is kept. Failing ones drop out, unless
 * all do; but wrong data from the API under test is never passed over. */
static bool choose_method(struct side *side)
{
    double best = -1;
    for (const struct method *method = side->way->methods; method->name; method++) {
        if (!method_is_allowed(side, method))
            continue;
        double seconds = try_method(side, method, best);
        if (side->contender == BY_CUDA && side->attempt.wrong_data)
            return false;
        if (seconds < 0)
            snprintf(side->dropped, sizeof side->dropped, "%.60s: %.120s", title_of(side, method),
                     side->attempt.reason);
        if (seconds >= 0 && (best < 0 || seconds < best)) {
            best = seconds;
            side->method = method;
        }
    }
    if (!side->method && side->attempt.status == STATUS_OK)
        return attempt_fail(&side->attempt, STATUS_UNSUPPORTED, "no method suits");
    /* What a method that dropped out said no longer matters. */
    if (side->method)
        side->attempt.status = STATUS_OK;
    return side->method != NULL;
}

static void open_side(struct side *side, double sample_seconds)
{
    side->open = true;
    if (!side->way->open(&side->attempt) || !choose_method(side))
        return;
    side->attempt.wrong_data = false;
    /* Another method may have run since: what this one prepares anew must not count. */
    side->method->run(&side->attempt, 1);
    side->count = calibrate(side, side->method, sample_seconds);
    side->in = side->count > 0 && poison(side);
}

static bool take_sample(struct side *side)
{
    double seconds = time_run(side, side->method, side->count);
    return seconds >= 0 && series_add(&side->samples, seconds / (double)side->count);
}

/* Whether all contenders have been measured long enough, or so steadily that more would not tell
 * more. */
static bool is_enough(const struct side *sides, const struct effort *effort, double elapsed)
{
    int in = 0;
    bool steady = true;
    for (int i = 0; i < CONTENDERS; i++) {
        if (!sides[i].in)
            continue;
        in++;
        if (sides[i].samples.count < effort->samples)
            return false;
        steady = steady && series_cov(&sides[i].samples) < 0.02;
    }
    return in == 0 || steady || elapsed >= effort->seconds * in;
}

static void sample_rounds(struct side *sides, const struct effort *effort)
{
    double start = now();
    for (size_t round = 0; round < MAX_ROUNDS; round++) {
        for (int i = 0; i < CONTENDERS; i++)
            if (sides[i].in && !take_sample(&sides[i]))
                sides[i].in = false;
        double elapsed = now() - start;
        if (is_enough(sides, effort, elapsed) || elapsed > MAX_SECONDS)
            return;
    }
}

static void close_side(struct side *side)
{
    if (side->open)
        side->way->close(&side->attempt);
    series_free(&side->samples);
}

static void report_side(const struct side *side, struct measured *measured)
{
    if (side->way && side->in && side->samples.count) {
        measured->method = title_of(side, side->method);
        measured->count = side->count;
        measured->time = series_summarize(&side->samples);
        memcpy(measured->reason, side->dropped, sizeof measured->reason);
    } else if (side->open) {
        memcpy(measured->reason, side->attempt.reason, sizeof measured->reason);
    }
}

void mark_suspect(struct result *result, const struct device_facts *device, double host_seconds)
{
    if (unit_of(&result->task) != UNIT_GB_S || !result->by[BY_CUDA].method ||
        (result->status != STATUS_OK && result->status != STATUS_SUSPECT))
        return;
    if (result->status == STATUS_SUSPECT)
        result->reason[0] = '\0';
    result->status = STATUS_OK;
    for (int i = 0; i < CONTENDERS; i++) {
        double ceiling = ceiling_of(&result->task, device, i == BY_HOST ? 0 : host_seconds);
        double value = value_of(&result->task, result->by[i].time.median);
        if (result->by[i].method && value > ceiling) {
            result->status = STATUS_SUSPECT;
            snprintf(result->reason, sizeof result->reason,
                     "%s: %.1f GB/s is above the ceiling of %.1f GB/s",
                     contender_name((enum contender)i), value, ceiling);
            return;
        }
    }
}

static void compare_sides(const struct side *sides, struct result *result)
{
    const struct series *ours = &sides[BY_CUDA].samples;
    if (result->by[BY_CUDA].method && result->by[BY_RAW].method) {
        result->speed_over_raw = series_median_ratio(&sides[BY_RAW].samples, ours);
        result->difference_raw = series_median_difference(ours, &sides[BY_RAW].samples);
    }
    if (result->by[BY_CUDA].method && result->by[BY_HOST].method)
        result->speed_over_host = series_median_ratio(&sides[BY_HOST].samples, ours);
}

static void verify_sides(struct side *sides, struct result *result)
{
    for (int i = 0; i < CONTENDERS; i++) {
        if (sides[i].in && !verify(&sides[i])) {
            sides[i].in = false;
            result->wrong_data = result->wrong_data || sides[i].attempt.wrong_data;
        }
    }
}

static void judge(const struct side *sides, struct result *result,
                  const struct device_facts *device)
{
    const struct attempt *ours = &sides[BY_CUDA].attempt;
    for (int i = 0; i < CONTENDERS; i++)
        report_side(&sides[i], &result->by[i]);
    compare_sides(sides, result);
    if (!result->by[BY_CUDA].method) {
        result->status = ours->status == STATUS_OK ? STATUS_ERROR : ours->status;
        result->wrong_data = result->wrong_data || ours->wrong_data;
        snprintf(result->reason, sizeof result->reason, "%s",
                 ours->reason[0] ? ours->reason : "no sample");
    }
    for (int i = BY_RAW; i < CONTENDERS && result->wrong_data && result->status == STATUS_OK; i++)
        if (sides[i].attempt.wrong_data) {
            result->status = STATUS_ERROR;
            snprintf(result->reason, sizeof result->reason, "%s: %s",
                     contender_name((enum contender)i), sides[i].attempt.reason);
        }
    mark_suspect(result, device, result->by[BY_HOST].time.best);
}

static const struct way *cuda_way(enum work work)
{
    static const struct way *const ways[WORKS] = {
        [WORK_TRANSFER] = &cuda_transfer, [WORK_SET] = &cuda_set,
        [WORK_RECT] = &cuda_rect,         [WORK_PEAK] = &cuda_peak,
        [WORK_ALLOC] = &cuda_alloc,       [WORK_LAUNCH] = &cuda_launch,
        [WORK_GRAPH] = &cuda_graph,       [WORK_CALL] = &cuda_call,
        [WORK_MANAGED] = &cuda_managed,   [WORK_TOUCH] = &cuda_touch,
        [WORK_TEXTURE] = &cuda_texture,   [WORK_ARRAY] = &cuda_array,
        [WORK_SYMBOL] = &cuda_symbol,     [WORK_SUM] = &cuda_sum,
        [WORK_STAGING] = &cuda_staging,   [WORK_PINNED] = &cuda_pinned,
        [WORK_PEER] = &cuda_peer,         [WORK_STUDY] = &cuda_study};
    return ways[work];
}

/* A question answered by yes or no: there is nothing to time. */
static void answer_check(const struct task *task, const struct device_facts *device,
                         struct result *result)
{
    struct attempt attempt = {.task = task, .device = device};
    if (!task->row->check(&attempt)) {
        result->status = attempt.status == STATUS_OK ? STATUS_ERROR : attempt.status;
        result->wrong_data = attempt.wrong_data;
    }
    snprintf(result->reason, sizeof result->reason, "%s", attempt.reason);
}

static void measure_sides(const struct task *task, const struct device_facts *device,
                          const struct effort *effort, struct result *result)
{
    struct side sides[CONTENDERS] = {0};
    const struct way *ways[CONTENDERS] = {cuda_way(task->row->work), runtime_raw_way(task),
                                          host_way(task, device)};
    for (int i = 0; i < CONTENDERS; i++) {
        sides[i].contender = (enum contender)i;
        sides[i].attempt = (struct attempt){.task = task, .device = device};
        sides[i].way = ways[i];
        if (ways[i] && (i == BY_CUDA || sides[BY_CUDA].in))
            open_side(&sides[i], effort->sample_seconds);
    }
    if (sides[BY_CUDA].in) {
        sample_rounds(sides, effort);
        verify_sides(sides, result);
    }
    judge(sides, result, device);
    for (int i = 0; i < CONTENDERS; i++)
        close_side(&sides[i]);
}

void measure_task(const struct task *task, const struct device_facts *device,
                  const struct effort *effort, struct result *result)
{
    memset(result, 0, sizeof *result);
    result->task = *task;
    if (task->row->work == WORK_CHECK)
        answer_check(task, device, result);
    else
        measure_sides(task, device, effort, result);
}

/* ---- Two cells in turn ---- */

/* Seconds that one call takes rounds for. */
#define PAIR_SECONDS 10

/* Each is first in every other round: what a sample leaves in caches and clocks goes both ways. */
static bool take_round(struct side sides[PAIR_SIDES], struct pair *pair)
{
    for (size_t i = 0; i < PAIR_SIDES; i++) {
        const size_t at = (pair->count + i) % PAIR_SIDES;
        struct side *side = &sides[at];
        const double seconds = time_run(side, side->method, side->count);
        if (seconds <= 0)
            return false;
        pair->seconds[at][pair->count] = seconds / (double)side->count;
    }
    pair->count++;
    return true;
}

static bool take_rounds(struct side sides[PAIR_SIDES], size_t rounds, struct pair *pair)
{
    const double start = now();
    bool is_good = sides[PAIR_OVER].in && sides[PAIR_UNDER].in;
    while (is_good && pair->count < rounds && now() - start < PAIR_SECONDS)
        is_good = take_round(sides, pair);
    return is_good && verify(&sides[PAIR_OVER]) && verify(&sides[PAIR_UNDER]);
}

bool measure_pair(const struct task *const tasks[PAIR_SIDES], const struct device_facts *device,
                  const struct effort *effort, size_t rounds, struct pair *pair)
{
    struct side sides[PAIR_SIDES] = {0};
    for (size_t i = 0; i < PAIR_SIDES; i++) {
        sides[i].contender = BY_CUDA;
        sides[i].attempt = (struct attempt){.task = tasks[i], .device = device};
        sides[i].way = cuda_way(tasks[i]->row->work);
        open_side(&sides[i], effort->sample_seconds);
    }
    const bool is_good =
        take_rounds(sides, rounds < PAIR_MOST_ROUNDS ? rounds : PAIR_MOST_ROUNDS, pair);
    for (size_t i = 0; i < PAIR_SIDES; i++)
        close_side(&sides[i]);
    if (!is_good)
        pair->count = 0;
    return is_good;
}
