/* Managed memory: what it costs when pages have to move, and when they need not.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_side.h"

struct managed {
    struct span source, target;
    struct peak_launch launch;
    bool is_poisoned; /* the target waits for its content */
};

static enum managed_detail what(const struct attempt *attempt)
{
    return (enum managed_detail)attempt->task->row->detail;
}

static bool open_managed(struct attempt *attempt)
{
    const size_t bytes = attempt->task->bytes;
    struct managed *managed = attempt->state = calloc(1, sizeof *managed);
    if (!managed)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    if (!span_take(attempt, &managed->source, MANAGED, bytes) ||
        !span_take(attempt, &managed->target, MANAGED, bytes) ||
        !span_fill(attempt, &managed->source, PATTERN_WORDS))
        return false;
    managed->launch.target = managed->target.device;
    managed->launch.first = managed->source.device;
    return kernels_load(attempt, KERNELS_PEAK, &managed->launch.library);
}

static bool poison_managed(struct attempt *attempt)
{
    struct managed *managed = attempt->state;
    managed->is_poisoned = true;
    return span_poison(attempt, &managed->target);
}

static bool verify_managed(struct attempt *attempt)
{
    struct managed *managed = attempt->state;
    return span_check(attempt, &managed->target, CONTENT_COPY);
}

static void close_managed(struct attempt *attempt)
{
    struct managed *managed = attempt->state;
    if (!managed)
        return;
    if (managed->launch.library)
        cudaLibraryUnload(managed->launch.library);
    span_give(&managed->source);
    span_give(&managed->target);
    free(managed);
}

/* Launches the copy kernel of the form that suits the device, and waits. */
static bool copy(struct attempt *attempt, size_t count)
{
    struct managed *managed = attempt->state;
    const enum kernel_form form = attempt->device->is_cpu ? FORM_CHUNKED : FORM_ITEM;
    if (!managed->launch.kernel &&
        !peak_prepare(attempt, &managed->launch, PEAK_COPY, form, attempt->task->bytes))
        return false;
    return peak_run(attempt, &managed->launch, count);
}

/* New pages each time: the source is allocated, filled by plain stores and freed. */
static bool run_first(struct attempt *attempt, size_t count)
{
    struct managed *managed = attempt->state;
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        struct span fresh;
        done = span_take(attempt, &fresh, MANAGED, attempt->task->bytes) &&
               span_fill(attempt, &fresh, PATTERN_WORDS);
        managed->launch.first = fresh.device;
        done = done && copy(attempt, 1);
        span_give(&fresh);
    }
    managed->launch.first = managed->source.device;
    return done;
}

static bool run_next(struct attempt *attempt, size_t count)
{
    return copy(attempt, count);
}

/* All bytes go to the host and back: the host copies the kernel's output over its input. */
static bool run_pingpong(struct attempt *attempt, size_t count)
{
    struct managed *managed = attempt->state;
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        done = copy(attempt, 1);
        if (done)
            memcpy(managed->source.pointer, managed->target.pointer, attempt->task->bytes);
    }
    return done;
}

/* Keeps the compiler from dropping reads. */
static volatile uint64_t sink;

static void read_words(const struct span *span, size_t bytes)
{
    const uint64_t *words = span->pointer;
    uint64_t sum = 0;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        sum += words[i];
    sink = sum;
}

static bool run_percent(struct attempt *attempt, size_t count)
{
    struct managed *managed = attempt->state;
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        done = copy(attempt, 1);
        if (done)
            read_words(&managed->target, attempt->task->bytes / 100);
    }
    return done;
}

static bool prefetch(struct attempt *attempt, const struct span *span,
                     struct cudaMemLocation location)
{
    return cuda_ok(attempt, cudaMemPrefetchAsync(span->pointer, span->bytes, location, 0, NULL),
                   "cudaMemPrefetchAsync") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static bool run_prefetch(struct attempt *attempt, size_t count)
{
    struct managed *managed = attempt->state;
    const struct cudaMemLocation host = {.type = cudaMemLocationTypeHost};
    const struct cudaMemLocation device = {.type = cudaMemLocationTypeDevice,
                                           .id = attempt->device->index};
    bool done = !managed->is_poisoned || copy(attempt, 1);
    managed->is_poisoned = false;
    for (size_t i = 0; done && i < count; i++)
        done = prefetch(attempt, &managed->target, host) &&
               prefetch(attempt, &managed->target, device);
    return done;
}

static bool is_first(const struct attempt *attempt)
{
    return what(attempt) == MANAGED_FIRST;
}

static bool is_next(const struct attempt *attempt)
{
    return what(attempt) == MANAGED_NEXT;
}

static bool is_pingpong(const struct attempt *attempt)
{
    return what(attempt) == MANAGED_PINGPONG;
}

static bool is_percent(const struct attempt *attempt)
{
    return what(attempt) == MANAGED_PERCENT;
}

static bool is_prefetch(const struct attempt *attempt)
{
    return what(attempt) == MANAGED_PREFETCH;
}

static const struct method methods[] = {
    {"fill, kernel", is_first, run_first},
    {"kernel", is_next, run_next},
    {"kernel, host", is_pingpong, run_pingpong},
    {"kernel, some of it read", is_percent, run_percent},
    {"cudaMemPrefetchAsync", is_prefetch, run_prefetch},
    {NULL, NULL, NULL},
};

const struct way cuda_managed = {open_managed, poison_managed, verify_managed, close_managed,
                                 methods};
