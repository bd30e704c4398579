/* Holds results against the shapes of expect.def.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/expect.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/selector.h"

#define ROOM 4096
/* By how much FALLS lets a point be faster than the one before. */
#define RISE 1.3
/* No bound. */
#define ANY 1e30
/* Bounds are numbers that somebody wrote down: a ratio that lies across one, but this near to it all over, keeps it. Only where
 * cells were measured in turn is a ratio known as well as that. */
#define NEAR 1.03

#define EXPECT(seed, class, kind, low, high, first, second, words)                                 \
    {seed, ON_##class, EXPECT_##kind, low, high, first, second, words},
const struct expectation expectations[] = {
#include "bench/expect.def"
};
#undef EXPECT
const size_t expectation_count = sizeof expectations / sizeof expectations[0];

/* What a selector names, in the report's order. */
struct found {
    const struct result **results;
    size_t count;
};

/* Speeds: of the median, and of the ends of the interval in which it lies with 95 % confidence. */
struct speed {
    double low, median, high;
};

static void conclude(struct finding *finding, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void conclude(struct finding *finding, enum verdict verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding->words, sizeof finding->words, format, arguments);
    va_end(arguments);
    finding->verdict = verdict;
    finding->measured = true;
}

static double speed_from(const struct task *task, double seconds)
{
    enum unit unit = unit_of(task);
    double value = value_of(task, seconds);
    if (value <= 0)
        return 0;
    return unit == UNIT_GB_S || unit == UNIT_GOP_S ? value : 1 / value;
}

/* The error of a median is 1.25 deviations over the root of the samples' number, and the 10th and 90th percentiles lie 1.28
 * deviations beside it: 1.96 errors are this part of the way to them. */
static double confidence(size_t count)
{
    const double part = 1.96 * 1.2533 / 1.2816 / sqrt((double)(count > 0 ? count : 1));
    return part < 1 ? part : 1;
}

static struct speed speed_of(const struct result *result)
{
    const struct series_summary *time = &result->by[BY_CUDA].time;
    const struct task *task = &result->task;
    const double part = confidence(time->count);
    return (struct speed){speed_from(task, time->median + part * (time->p90 - time->median)),
                          speed_from(task, time->median),
                          speed_from(task, time->median - part * (time->median - time->p10))};
}

static bool is_measured(const struct result *result)
{
    return result->status == STATUS_OK && result->by[BY_CUDA].method && speed_of(result).low > 0;
}

/* Owns: the caller frees found->results. False when the selector names nothing here, after saying
 * so. */
static bool find(const struct device_report *device, const char *text, struct found *found,
                 struct finding *finding)
{
    struct selector selector;
    found->results = calloc(ROOM, sizeof *found->results);
    found->count = found->results && selector_parse(text, &selector)
                       ? selector_find(&selector, device, found->results, ROOM)
                       : 0;
    if (found->count > 0)
        return true;
    conclude(finding, VERDICT_INCONCLUSIVE, "%s was not measured in this run", text);
    finding->measured = false;
    return false;
}

static const struct result *with_status(const struct found *found, enum status status)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->results[i]->status == status)
            return found->results[i];
    return NULL;
}

static const struct result *with_wrong_data(const struct found *found)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->results[i]->wrong_data)
            return found->results[i];
    return NULL;
}

/* Why nothing can be said about speeds: the gravest reason among the results. */
static void say_why(const struct found *found, struct finding *finding)
{
    const struct result *result;
    const char *name = found->results[0]->task.row->name;
    if ((result = with_status(found, STATUS_SUSPECT)) ||
        (result = with_status(found, STATUS_ERROR)))
        conclude(finding, VERDICT_SUSPECT, "%s: %s", result->task.row->name, result->reason);
    else if ((result = with_status(found, STATUS_UNSUPPORTED)))
        conclude(finding, VERDICT_UNSUPPORTED, "%s: %s", name, result->reason);
    else if ((result = with_status(found, STATUS_SKIPPED)))
        conclude(finding, VERDICT_INCONCLUSIVE, "%s: %s", name, result->reason);
    else
        conclude(finding, VERDICT_INCONCLUSIVE, "%s has no samples", name);
}

/* Leaves only what has speeds; false when there is none or data was wrong, after saying so. */
static bool keep_measured(struct found *found, struct finding *finding)
{
    const struct result *wrong = with_wrong_data(found);
    size_t kept = 0;
    if (wrong) {
        conclude(finding, VERDICT_SUSPECT, "%s: %s", wrong->task.row->name, wrong->reason);
        return false;
    }
    for (size_t i = 0; i < found->count; i++)
        kept += is_measured(found->results[i]);
    if (kept == 0) {
        say_why(found, finding);
        return false;
    }
    kept = 0;
    for (size_t i = 0; i < found->count; i++)
        if (is_measured(found->results[i]))
            found->results[kept++] = found->results[i];
    found->count = kept;
    return true;
}

static bool find_measured(const struct device_report *device, const char *text, struct found *found,
                          struct finding *finding)
{
    return find(device, text, found, finding) && keep_measured(found, finding);
}

static const struct result *fastest(const struct found *found)
{
    const struct result *best = found->results[0];
    for (size_t i = 1; i < found->count; i++)
        if (speed_of(found->results[i]).median > speed_of(best).median)
            best = found->results[i];
    return best;
}

static const struct result *slowest(const struct found *found)
{
    const struct result *worst = found->results[0];
    for (size_t i = 1; i < found->count; i++)
        if (speed_of(found->results[i]).median < speed_of(worst).median)
            worst = found->results[i];
    return worst;
}

static void bounds_text(char out[64], const struct expectation *expectation)
{
    if (expectation->high >= ANY)
        snprintf(out, 64, "at least %.3g", expectation->low);
    else if (expectation->low <= 0)
        snprintf(out, 64, "at most %.3g", expectation->high);
    else
        snprintf(out, 64, "%.3g to %.3g", expectation->low, expectation->high);
}

static enum verdict verdict_of(const struct expectation *expectation, const struct finding *finding)
{
    const double near = finding->rounds > 0 ? NEAR : 1;
    if (finding->high < expectation->low || finding->low > expectation->high)
        return VERDICT_DIFFERS;
    return finding->low * near >= expectation->low && finding->high <= expectation->high * near
               ? VERDICT_AS_EXPECTED
               : VERDICT_INCONCLUSIVE;
}

/* Inside, outside, or across a bound. */
static void judge_interval(const struct expectation *expectation, struct finding *finding)
{
    char bounds[64], rounds[64] = "";
    bounds_text(bounds, expectation);
    if (finding->rounds > 0)
        snprintf(rounds, sizeof rounds, ", %zu rounds in turn", finding->rounds);
    conclude(finding, verdict_of(expectation, finding), "%s: %.3g (%.3g to %.3g%s), expected %s",
             expectation->words, finding->ratio, finding->low, finding->high, rounds, bounds);
}

static bool is_of(const struct pair *pair, const struct device_report *device,
                  const struct result *over, const struct result *under)
{
    return device->results + pair->cells[PAIR_OVER] == over &&
           device->results + pair->cells[PAIR_UNDER] == under;
}

/* The ratio from its rounds. False: these two were not measured in turn, or not often enough. */
static bool count_rounds(const struct device_report *device, struct finding *finding)
{
    double ratios[PAIR_MOST_ROUNDS];
    struct pair_interval interval;
    size_t at = 0;
    while (at < device->pair_count &&
           !is_of(&device->pairs[at], device, finding->over, finding->under))
        at++;
    if (at == device->pair_count)
        return false;
    const struct pair *pair = &device->pairs[at];
    for (size_t i = 0; i < pair->count; i++)
        ratios[i] = speed_from(&finding->over->task, pair->seconds[PAIR_OVER][i]) /
                    speed_from(&finding->under->task, pair->seconds[PAIR_UNDER][i]);
    if (!pair_interval(ratios, pair->count, &interval))
        return false;
    finding->low = interval.low;
    finding->ratio = interval.ratio;
    finding->high = interval.high;
    finding->rounds = pair->count;
    return true;
}

static void find_ratio(const struct device_report *device, const struct result *first,
                       const struct result *second, struct finding *finding)
{
    struct speed over = speed_of(first), under = speed_of(second);
    finding->over = first;
    finding->under = second;
    if (count_rounds(device, finding))
        return;
    finding->ratio = over.median / under.median;
    finding->low = over.low / under.high;
    finding->high = over.high / under.low;
}

static void judge_pair(const struct expectation *expectation, const struct device_report *device,
                       const struct result *first, const struct result *second,
                       struct finding *finding)
{
    find_ratio(device, first, second, finding);
    judge_interval(expectation, finding);
}

static void judge_ratio(const struct expectation *expectation, const struct device_report *device,
                        struct finding *finding)
{
    struct found first = {0}, second = {0};
    if (find_measured(device, expectation->first, &first, finding) &&
        find_measured(device, expectation->second, &second, finding)) {
        if (fastest(&first) == fastest(&second)) {
            conclude(finding, VERDICT_INCONCLUSIVE, "%s and %s are the same in this run",
                     expectation->first, expectation->second);
            finding->measured = false;
        } else {
            judge_pair(expectation, device, fastest(&first), fastest(&second), finding);
        }
    }
    free(first.results);
    free(second.results);
}

/* False after saying that one point makes no curve. */
static bool has_several(const struct expectation *expectation, const struct found *found,
                        struct finding *finding)
{
    if (found->count > 1)
        return true;
    conclude(finding, VERDICT_INCONCLUSIVE, "%s is one point only in this run", expectation->first);
    finding->measured = false;
    return false;
}

static void judge_spread(const struct expectation *expectation, const struct device_report *device,
                         struct finding *finding)
{
    struct found found = {0};
    if (find_measured(device, expectation->first, &found, finding) &&
        has_several(expectation, &found, finding))
        judge_pair(expectation, device, fastest(&found), slowest(&found), finding);
    free(found.results);
}

/* By the axis, ascending; so few that the simplest sort will do. */
static void sort_along(struct found *found, const char *axis)
{
    for (size_t i = 1; i < found->count; i++) {
        const struct result *moved = found->results[i];
        double place = 0, before = 0;
        size_t j = i;
        selector_number(&moved->task, axis, &place);
        for (; j > 0; j--) {
            selector_number(&found->results[j - 1]->task, axis, &before);
            if (before <= place)
                break;
            found->results[j] = found->results[j - 1];
        }
        found->results[j] = moved;
    }
}

/* The place at which the curve rises by more than noise and RISE allow, or 0; *step is the ratio there. */
static size_t first_rise(const struct device_report *device, const struct found *found,
                         struct finding *step)
{
    for (size_t i = 1; i < found->count; i++) {
        *step = (struct finding){.measured = true};
        find_ratio(device, found->results[i], found->results[i - 1], step);
        if (step->low > RISE)
            return i;
    }
    return 0;
}

static void judge_fall(const struct expectation *expectation, const struct device_report *device,
                       const struct found *found, const char *axis, struct finding *finding)
{
    struct finding step;
    double at = 0;
    judge_pair(expectation, device, found->results[0], found->results[found->count - 1], finding);
    if (finding->verdict != VERDICT_AS_EXPECTED)
        return;
    const size_t rise = first_rise(device, found, &step);
    if (rise == 0)
        return;
    selector_number(&found->results[rise]->task, axis, &at);
    *finding = step;
    conclude(finding, VERDICT_DIFFERS, "%s: %.3g times as fast again at %s %.0f",
             expectation->words, step.ratio, axis, at);
}

static void judge_falls(const struct expectation *expectation, const struct device_report *device,
                        struct finding *finding)
{
    struct found found = {0};
    struct selector selector;
    if (find_measured(device, expectation->first, &found, finding) &&
        has_several(expectation, &found, finding) &&
        selector_parse(expectation->first, &selector)) {
        sort_along(&found, selector_axis(&selector));
        judge_fall(expectation, device, &found, selector_axis(&selector), finding);
    }
    free(found.results);
}

/* A row that answers yes or no says in its reason what was found. */
static void judge_works(const struct expectation *expectation, const struct device_report *device,
                        struct finding *finding)
{
    static const struct {
        enum status status;
        enum verdict verdict;
    } meanings[] = {{STATUS_SUSPECT, VERDICT_SUSPECT},
                    {STATUS_ERROR, VERDICT_DIFFERS},
                    {STATUS_SKIPPED, VERDICT_INCONCLUSIVE},
                    {STATUS_UNSUPPORTED, VERDICT_UNSUPPORTED}};
    struct found found = {0};
    if (find(device, expectation->first, &found, finding)) {
        const struct result *result = with_wrong_data(&found);
        conclude(finding, result ? VERDICT_SUSPECT : VERDICT_AS_EXPECTED, "%s", expectation->words);
        for (size_t i = 0; !result && i < sizeof meanings / sizeof meanings[0]; i++)
            if ((result = with_status(&found, meanings[i].status)))
                finding->verdict = meanings[i].verdict;
        if (result)
            conclude(finding, finding->verdict, "%s: %s: %s", expectation->words,
                     result->task.row->name, result->reason);
    }
    free(found.results);
}

void expectation_judge(const struct expectation *expectation, const struct device_report *device,
                       struct finding *finding)
{
    memset(finding, 0, sizeof *finding);
    switch (expectation->kind) {
    case EXPECT_RATIO:
        judge_ratio(expectation, device, finding);
        break;
    case EXPECT_SPREAD:
        judge_spread(expectation, device, finding);
        break;
    case EXPECT_FALLS:
        judge_falls(expectation, device, finding);
        break;
    case EXPECT_WORKS:
        judge_works(expectation, device, finding);
        break;
    }
}

size_t expectation_suspect_cells(const struct device_report *device, size_t *cells, size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < device->count && count < room; i++)
        if (device->facts.is_cpu && device->results[i].status == STATUS_SUSPECT)
            cells[count++] = i;
    return count;
}

static bool is_open(const struct finding *finding)
{
    return finding->over && (finding->verdict == VERDICT_INCONCLUSIVE ||
                             (finding->verdict == VERDICT_DIFFERS && finding->rounds == 0));
}

static bool has_pair(const struct device_report *device, const struct finding *finding,
                     const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_of(&pairs[i], device, finding->over, finding->under))
            return true;
    return false;
}

size_t expectation_open_pairs(const struct device_report *device, struct pair *pairs, size_t room)
{
    const enum device_class class = device->facts.is_cpu ? ON_CPU : ON_GPU;
    size_t count = 0;
    for (size_t i = 0; i < expectation_count && count < room; i++) {
        struct finding finding;
        if (!(expectations[i].on & class))
            continue;
        expectation_judge(&expectations[i], device, &finding);
        if (!is_open(&finding) || has_pair(device, &finding, pairs, count))
            continue;
        pairs[count++] = (struct pair){.cells = {(size_t)(finding.over - device->results),
                                                 (size_t)(finding.under - device->results)}};
    }
    return count;
}

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[] = {"as-expected", "unsupported", "inconclusive", "differs",
                                        "suspect"};
    return names[verdict];
}

/* The gravest finding is the row's, of equals the first. What this run did not measure counts only
 * where it measured nothing for the row. */
static void add_finding(struct seed_verdict *verdict, const struct finding *finding)
{
    if (verdict->measured && (!finding->measured || finding->verdict <= verdict->verdict))
        return;
    if (!verdict->measured && !finding->measured && verdict->words[0])
        return;
    verdict->verdict = finding->verdict;
    verdict->measured = finding->measured;
    memcpy(verdict->words, finding->words, sizeof verdict->words);
}

/* Cells of one ratio that were not measured in turn were measured minutes apart: on a busy host a CPU's speeds differ between
 * them by more than the samples of either show. */
static void soften(const struct expectation *expectation, const struct device_report *device,
                   struct finding *finding)
{
    size_t used = strlen(finding->words);
    if (finding->verdict != VERDICT_DIFFERS || expectation->kind == EXPECT_WORKS ||
        finding->rounds > 0 || !device->facts.is_cpu || !device->host_was_busy)
        return;
    finding->verdict = VERDICT_INCONCLUSIVE;
    snprintf(finding->words + used, sizeof finding->words - used, "; but the host was busy");
}

static void judge_seed(const char *id, const struct device_report *device,
                       struct seed_verdict *verdict)
{
    enum device_class class = device->facts.is_cpu ? ON_CPU : ON_GPU;
    struct finding finding;
    *verdict = (struct seed_verdict){.verdict = VERDICT_INCONCLUSIVE};
    for (size_t i = 0; i < expectation_count; i++) {
        if (strcmp(expectations[i].seed, id) != 0 || !(expectations[i].on & class))
            continue;
        expectation_judge(&expectations[i], device, &finding);
        soften(&expectations[i], device, &finding);
        add_finding(verdict, &finding);
        verdict->expected++;
        verdict->found += finding.measured;
    }
}

void seeds_judge(const struct device_report *device, struct seed_verdict verdicts[SEEDS])
{
    for (size_t i = 0; i < SEEDS; i++)
        judge_seed(seeds[i].id, device, &verdicts[i]);
}
