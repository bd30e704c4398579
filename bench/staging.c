/* Pageable memory to the device through a ring of pinned chunks of our own, as drivers do it inside.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_side.h"

enum { RING = 2 };
#define LARGEST_CHUNK ((size_t)4 << 20)

struct staging {
    struct span source, target, ring[RING];
    cudaEvent_t sent[RING];
};

static bool open_staging(struct attempt *attempt)
{
    struct staging *staging = attempt->state = calloc(1, sizeof *staging);
    if (!staging)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    for (size_t i = 0; i < RING; i++)
        if (!span_take(attempt, &staging->ring[i], PINNED, LARGEST_CHUNK) ||
            !cuda_ok(attempt, cudaEventCreateWithFlags(&staging->sent[i], cudaEventDisableTiming),
                     "cudaEventCreateWithFlags"))
            return false;
    return span_take(attempt, &staging->source, PAGEABLE, attempt->task->bytes) &&
           span_take(attempt, &staging->target, DEVICE, attempt->task->bytes) &&
           span_fill(attempt, &staging->source, PATTERN_WORDS);
}

static bool poison_staging(struct attempt *attempt)
{
    struct staging *staging = attempt->state;
    return span_poison(attempt, &staging->target);
}

static bool verify_staging(struct attempt *attempt)
{
    struct staging *staging = attempt->state;
    return span_check(attempt, &staging->target, CONTENT_COPY);
}

static void close_staging(struct attempt *attempt)
{
    struct staging *staging = attempt->state;
    if (!staging)
        return;
    for (size_t i = 0; i < RING; i++) {
        span_give(&staging->ring[i]);
        if (staging->sent[i])
            cudaEventDestroy(staging->sent[i]);
    }
    span_give(&staging->source);
    span_give(&staging->target);
    free(staging);
}

/* Copies chunk after chunk into the ring and sends it from there. With two buffers one is filled while
 * the other is on its way. */
static cudaError_t send(struct staging *staging, size_t chunk, size_t buffers)
{
    const char *from = staging->source.pointer;
    char *to = staging->target.pointer;
    cudaError_t error = cudaSuccess;
    size_t turn = 0;
    for (size_t at = 0; error == cudaSuccess && at < staging->source.bytes; at += chunk, turn++) {
        const size_t bytes =
            staging->source.bytes - at < chunk ? staging->source.bytes - at : chunk;
        const size_t buffer = turn % buffers;
        if (turn >= buffers)
            error = cudaEventSynchronize(staging->sent[buffer]);
        memcpy(staging->ring[buffer].pointer, from + at, bytes);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(to + at, staging->ring[buffer].pointer, bytes,
                                    cudaMemcpyHostToDevice, NULL);
        if (error == cudaSuccess)
            error = cudaEventRecord(staging->sent[buffer], NULL);
    }
    return error == cudaSuccess ? cudaStreamSynchronize(NULL) : error;
}

static bool run(struct attempt *attempt, size_t count, size_t chunk)
{
    const size_t buffers = (size_t)attempt->task->row->detail;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = send(attempt->state, chunk, buffers);
    return cuda_ok(attempt, error, "staging");
}

static bool run_64k(struct attempt *attempt, size_t count)
{
    return run(attempt, count, (size_t)64 << 10);
}

static bool run_256k(struct attempt *attempt, size_t count)
{
    return run(attempt, count, (size_t)256 << 10);
}

static bool run_1m(struct attempt *attempt, size_t count)
{
    return run(attempt, count, (size_t)1 << 20);
}

static bool run_4m(struct attempt *attempt, size_t count)
{
    return run(attempt, count, LARGEST_CHUNK);
}

static const struct method methods[] = {
    {"chunks of 64 KiB", NULL, run_64k},
    {"chunks of 256 KiB", NULL, run_256k},
    {"chunks of 1 MiB", NULL, run_1m},
    {"chunks of 4 MiB", NULL, run_4m},
    {NULL, NULL, NULL},
};

const struct way cuda_staging = {open_staging, poison_staging, verify_staging, close_staging,
                                 methods};
