/* Memory and kernels through the CUDA API.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/cuda_side.h"

#include <stdlib.h>
#include <string.h>

#include "bench/runtime.h"

bool cuda_ok(struct attempt *attempt, cudaError_t error, const char *call)
{
    if (error == cudaSuccess)
        return true;
    cudaGetLastError();
    enum status status = STATUS_ERROR;
    if (error == cudaErrorNotSupported)
        status = STATUS_UNSUPPORTED;
    else if (error == cudaErrorMemoryAllocation)
        status = STATUS_SKIPPED;
    return attempt_fail(attempt, status, "%s: %s", call, cudaGetErrorString(error));
}

static bool take_pageable(struct attempt *attempt, struct span *span)
{
    if (posix_memalign(&span->pointer, 4096, span->bytes) != 0) {
        span->pointer = NULL;
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    }
    span->device = span->pointer;
    return true;
}

static bool take_mapped(struct attempt *attempt, struct span *span)
{
    return cuda_ok(attempt, cudaHostAlloc(&span->pointer, span->bytes, cudaHostAllocMapped),
                   "cudaHostAlloc") &&
           cuda_ok(attempt, cudaHostGetDevicePointer(&span->device, span->pointer, 0),
                   "cudaHostGetDevicePointer");
}

bool span_take(struct attempt *attempt, struct span *span, enum place place, size_t bytes)
{
    *span = (struct span){.place = place, .bytes = bytes};
    bool taken = true;
    if (place == PAGEABLE)
        taken = take_pageable(attempt, span);
    else if (place == MAPPED)
        taken = take_mapped(attempt, span);
    else if (place == COMBINED)
        taken = cuda_ok(attempt, cudaHostAlloc(&span->pointer, bytes, cudaHostAllocWriteCombined),
                        "cudaHostAlloc");
    else if (place == PORTABLE)
        taken = cuda_ok(attempt, cudaHostAlloc(&span->pointer, bytes, cudaHostAllocPortable),
                        "cudaHostAlloc");
    else if (place == PINNED)
        taken = cuda_ok(attempt, cudaMallocHost(&span->pointer, bytes), "cudaMallocHost");
    else if (place == MANAGED)
        taken = cuda_ok(attempt, cudaMallocManaged(&span->pointer, bytes, cudaMemAttachGlobal),
                        "cudaMallocManaged");
    else if (place == DEVICE)
        taken = cuda_ok(attempt, cudaMalloc(&span->pointer, bytes), "cudaMalloc");
    if (taken && place != MAPPED)
        span->device = span->pointer;
    return taken;
}

void span_give(struct span *span)
{
    if (span->place == PAGEABLE)
        free(span->pointer);
    else if (span->place == DEVICE || span->place == MANAGED)
        cudaFree(span->pointer);
    else if (span->pointer)
        cudaFreeHost(span->pointer);
    memset(span, 0, sizeof *span);
}

#define PIECE ((size_t)16 << 20)

static size_t piece_at(size_t bytes, size_t offset, size_t piece)
{
    return bytes - offset < piece ? bytes - offset : piece;
}

bool span_fill(struct attempt *attempt, struct span *span, enum pattern pattern)
{
    if (span->place != DEVICE) {
        pattern_fill(span->pointer, span->bytes, pattern, 0);
        return true;
    }
    void *host = malloc(piece_at(span->bytes, 0, PIECE));
    bool filled = host || attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    for (size_t at = 0; filled && at < span->bytes; at += PIECE) {
        size_t bytes = piece_at(span->bytes, at, PIECE);
        pattern_fill(host, bytes, pattern, at);
        filled = cuda_ok(
            attempt, cudaMemcpy((char *)span->pointer + at, host, bytes, cudaMemcpyHostToDevice),
            "filling with cudaMemcpy");
    }
    free(host);
    return filled;
}

bool span_poison(struct attempt *attempt, struct span *span)
{
    if (span->place != DEVICE) {
        memset(span->pointer, POISON, span->bytes);
        return true;
    }
    return cuda_ok(attempt, cudaMemset(span->pointer, POISON, span->bytes),
                   "poisoning with cudaMemset") &&
           cuda_ok(attempt, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/* Gives visit the span's first bytes in pieces; visit returns false to end. */
static bool
for_each_piece(struct attempt *attempt, const struct span *span, size_t span_bytes, size_t piece,
               bool (*visit)(void *context, const void *memory, size_t bytes, size_t offset),
               void *context)
{
    void *host = span->place == DEVICE ? malloc(piece) : NULL;
    if (span->place == DEVICE && !host)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    bool going = true, read = true;
    for (size_t at = 0; going && read && at < span_bytes; at += piece) {
        size_t bytes = piece_at(span_bytes, at, piece);
        const char *from = (const char *)span->pointer + at;
        if (host)
            read = cuda_ok(attempt, cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost),
                           "reading back with cudaMemcpy");
        going = read && visit(context, host ? host : from, bytes, at);
    }
    free(host);
    return read;
}

struct check {
    const struct task *task;
    enum content content;
    size_t wrong;
};

static bool check_piece(void *context, const void *memory, size_t bytes, size_t offset)
{
    struct check *check = context;
    check->wrong = pattern_check(check->task, check->content, memory, bytes, offset);
    return check->wrong == PATTERN_FINE;
}

bool span_check(struct attempt *attempt, const struct span *span, enum content content)
{
    struct check check = {attempt->task, content, PATTERN_FINE};
    if (!for_each_piece(attempt, span, span->bytes, pattern_piece(attempt->task), check_piece,
                        &check))
        return false;
    return check.wrong == PATTERN_FINE || attempt_wrong(attempt, check.wrong);
}

static bool sum_piece(void *context, const void *memory, size_t bytes, size_t offset)
{
    (void)offset;
    const uint32_t *words = memory;
    for (size_t i = 0; i < bytes / 4; i++)
        *(uint32_t *)context += words[i];
    return true;
}

bool span_sum(struct attempt *attempt, const struct span *span, size_t bytes, uint32_t *sum)
{
    *sum = 0;
    return for_each_piece(attempt, span, bytes, PIECE, sum_piece, sum);
}

bool kernels_load(struct attempt *attempt, enum kernel_set set, cudaLibrary_t *library)
{
    void *owned = NULL;
    const void *image = runtime_kernels(attempt->device, set, &owned);
    if (!image)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    cudaError_t error = cudaLibraryLoadData(library, image, NULL, NULL, 0, NULL, NULL, 0);
    free(owned);
    return cuda_ok(attempt, error, "cudaLibraryLoadData");
}

static void set_arguments(struct peak_launch *launch)
{
    size_t n = 0;
    if (launch->what != PEAK_READ)
        launch->arguments[n++] = &launch->target;
    if (launch->what != PEAK_WRITE)
        launch->arguments[n++] = &launch->first;
    if (launch->what == PEAK_TRIAD) {
        launch->arguments[n++] = &launch->second;
        launch->arguments[n++] = &launch->factor;
    }
    if (launch->what == PEAK_WRITE)
        launch->arguments[n++] = &launch->value;
    if (launch->what == PEAK_READ)
        launch->arguments[n++] = &launch->target;
    if (launch->form != FORM_ITEM)
        launch->arguments[n++] = &launch->words;
    if (launch->form == FORM_CHUNKED || launch->form == FORM_STREAMING)
        launch->arguments[n] = &launch->chunk;
}

bool peak_prepare(struct attempt *attempt, struct peak_launch *launch, enum peak_detail what,
                  enum kernel_form form, size_t bytes)
{
    char name[64];
    form_kernel_name(name, what, form);
    launch->what = what;
    launch->form = form;
    launch->geometry = form_geometry(attempt->device, what, form, bytes / 16);
    launch->words = bytes / 16;
    launch->chunk = launch->geometry.chunk;
    launch->factor = TRIAD_FACTOR;
    set_arguments(launch);
    return cuda_ok(attempt, cudaLibraryGetKernel(&launch->kernel, launch->library, name), name);
}

bool peak_run(struct attempt *attempt, struct peak_launch *launch, size_t count)
{
    dim3 grid = {(unsigned)launch->geometry.groups, 1, 1},
         block = {(unsigned)launch->geometry.local, 1, 1};
    bool queued = true;
    for (size_t i = 0; queued && i < count; i++)
        queued = cuda_ok(
            attempt,
            cudaLaunchKernel((const void *)launch->kernel, grid, block, launch->arguments, 0, NULL),
            "cudaLaunchKernel");
    return cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize") && queued;
}
