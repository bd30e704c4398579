/* What the host itself gets from pinned memory: reads of it, and copies beside much of it.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/cuda_side.h"

/* What is pinned beside the copies is so many times as large, but at most a quarter of what the host
 * has left, and no more than this. */
#define TIMES_BESIDE 16
#define MOST_BESIDE  ((size_t)1 << 30)

struct pinned {
    struct span source, target, beside;
    uint64_t sum;
};

static enum pinned_detail what(const struct attempt *attempt)
{
    return (enum pinned_detail)attempt->task->row->detail;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t bytes_beside(const struct task *task)
{
    const size_t left = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE) / 4;
    return smaller(smaller(TIMES_BESIDE * task->bytes, left), MOST_BESIDE);
}

static bool open_pinned(struct attempt *attempt)
{
    const struct task *task = attempt->task;
    struct pinned *pinned = attempt->state = calloc(1, sizeof *pinned);
    if (!pinned)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    if (!span_take(attempt, &pinned->source, task->row->source, task->bytes) ||
        !span_fill(attempt, &pinned->source, PATTERN_WORDS))
        return false;
    if (what(attempt) == PINNED_READ)
        return true;
    if (!span_take(attempt, &pinned->target, PAGEABLE, task->bytes))
        return false;
    if (what(attempt) == PINNED_COPY_ALONE)
        return true;
    if (!span_take(attempt, &pinned->beside, PINNED, bytes_beside(task)))
        return false;
    memset(pinned->beside.pointer, POISON, pinned->beside.bytes);
    return true;
}

static bool poison_pinned(struct attempt *attempt)
{
    struct pinned *pinned = attempt->state;
    pinned->sum = 0;
    return what(attempt) == PINNED_READ || span_poison(attempt, &pinned->target);
}

static uint64_t sum_of(const struct span *span)
{
    const volatile uint64_t *words = span->pointer;
    uint64_t sums[4] = {0, 0, 0, 0};
    for (size_t i = 0; i + 4 <= span->bytes / sizeof *words; i += 4)
        for (size_t k = 0; k < 4; k++)
            sums[k] += words[i + k];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

static bool verify_pinned(struct attempt *attempt)
{
    struct pinned *pinned = attempt->state;
    uint64_t expected = 0;
    if (what(attempt) != PINNED_READ)
        return span_check(attempt, &pinned->target, CONTENT_COPY);
    for (size_t i = 0; i < pinned->source.bytes / 8; i++)
        expected += (uint64_t)pattern_word(PATTERN_WORDS, 2 * i + 1) << 32 |
                    pattern_word(PATTERN_WORDS, 2 * i);
    return pinned->sum == expected || attempt_wrong(attempt, 0);
}

static void close_pinned(struct attempt *attempt)
{
    struct pinned *pinned = attempt->state;
    if (!pinned)
        return;
    span_give(&pinned->source);
    span_give(&pinned->target);
    span_give(&pinned->beside);
    free(pinned);
}

static bool run_read(struct attempt *attempt, size_t count)
{
    struct pinned *pinned = attempt->state;
    for (size_t i = 0; i < count; i++)
        pinned->sum = sum_of(&pinned->source);
    return true;
}

static bool run_copy(struct attempt *attempt, size_t count)
{
    struct pinned *pinned = attempt->state;
    for (size_t i = 0; i < count; i++)
        memcpy(pinned->target.pointer, pinned->source.pointer, pinned->source.bytes);
    return true;
}

static bool is_read(const struct attempt *attempt)
{
    return what(attempt) == PINNED_READ;
}

static bool is_copy(const struct attempt *attempt)
{
    return what(attempt) != PINNED_READ;
}

static const struct method methods[] = {
    {"one thread reads", is_read, run_read},
    {"memcpy", is_copy, run_copy},
    {NULL, NULL, NULL},
};

const struct way cuda_pinned = {open_pinned, poison_pinned, verify_pinned, close_pinned, methods};
