/* What it costs to take and give memory: of the device, of a pool, pitched, pinned, and the host's own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>

#include "bench/cuda_side.h"

/* Rows of pitched allocations. */
#define ROW_BYTES 1000
/* So much is held at once, in so many blocks at most. */
#define MOST_HELD   ((size_t)256 << 20)
#define MOST_BLOCKS 256

static enum alloc_detail what(const struct attempt *attempt)
{
    return (enum alloc_detail)attempt->task->row->detail;
}

/* Two allocations at once are apart and hold what is written at both ends. */
static bool holds_data(struct attempt *attempt, char *memory, uint64_t value)
{
    size_t last = attempt->task->bytes - sizeof value;
    uint64_t back[2] = {0, 0};
    return cuda_ok(attempt, cudaMemcpy(memory, &value, sizeof value, cudaMemcpyHostToDevice),
                   "cudaMemcpy") &&
           cuda_ok(attempt, cudaMemcpy(memory + last, &value, sizeof value, cudaMemcpyHostToDevice),
                   "cudaMemcpy") &&
           cuda_ok(attempt, cudaMemcpy(&back[0], memory, sizeof value, cudaMemcpyDeviceToHost),
                   "cudaMemcpy") &&
           cuda_ok(attempt,
                   cudaMemcpy(&back[1], memory + last, sizeof value, cudaMemcpyDeviceToHost),
                   "cudaMemcpy") &&
           ((back[0] == value && back[1] == value) || attempt_wrong(attempt, 0));
}

static bool verify_device(struct attempt *attempt)
{
    void *first = NULL, *second = NULL;
    bool fine = cuda_ok(attempt, cudaMalloc(&first, attempt->task->bytes), "cudaMalloc") &&
                holds_data(attempt, first, 0x0123456789ABCDEFu);
    /* A second large one may not fit, which is no fault. */
    if (fine && attempt->task->bytes < (size_t)64 << 20)
        fine = cuda_ok(attempt, cudaMalloc(&second, attempt->task->bytes), "cudaMalloc") &&
               holds_data(attempt, second, 0xFEDCBA9876543210u) &&
               (first != second || attempt_wrong(attempt, 0));
    cudaFree(first);
    cudaFree(second);
    return fine;
}

/* Pinned memory is the host's own from one end to the other. */
static bool verify_pinned(struct attempt *attempt)
{
    volatile char *memory = NULL;
    if (!cuda_ok(attempt, cudaMallocHost((void **)&memory, attempt->task->bytes), "cudaMallocHost"))
        return false;
    memory[0] = 1;
    memory[attempt->task->bytes - 1] = 2;
    bool fine = memory[0] == 1 && memory[attempt->task->bytes - 1] == 2;
    cudaFreeHost((void *)memory);
    return fine || attempt_wrong(attempt, 0);
}

static bool verify_alloc(struct attempt *attempt)
{
    if (what(attempt) == ALLOC_PAGEABLE)
        return true;
    return what(attempt) == ALLOC_PINNED ? verify_pinned(attempt) : verify_device(attempt);
}

static bool open_alloc(struct attempt *attempt)
{
    return verify_alloc(attempt);
}

static void close_alloc(struct attempt *attempt)
{
    (void)attempt;
}

static bool run_alloc(struct attempt *attempt, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *memory = NULL;
        cudaError_t error = cudaMalloc(&memory, attempt->task->bytes);
        if (error == cudaSuccess)
            error = cudaFree(memory);
        if (error != cudaSuccess)
            return cuda_ok(attempt, error, "cudaMalloc and cudaFree");
    }
    return true;
}

static bool run_pool(struct attempt *attempt, size_t count)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        void *memory = NULL;
        error = cudaMallocAsync(&memory, attempt->task->bytes, NULL);
        if (error == cudaSuccess)
            error = cudaFreeAsync(memory, NULL);
    }
    return cuda_ok(attempt, error, "cudaMallocAsync and cudaFreeAsync") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static size_t most_held(const struct attempt *attempt)
{
    const size_t fit = MOST_HELD / attempt->task->bytes;
    if (fit > MOST_BLOCKS)
        return MOST_BLOCKS;
    return fit > 0 ? fit : 1;
}

/* Blocks are taken without giving any back, as long as there is room for more. */
static bool run_held(struct attempt *attempt, size_t count)
{
    void *blocks[MOST_BLOCKS];
    const size_t most = most_held(attempt);
    cudaError_t error = cudaSuccess;
    while (error == cudaSuccess && count > 0) {
        size_t held = 0;
        for (; error == cudaSuccess && held < most && count > 0; count--) {
            error = cudaMalloc(&blocks[held], attempt->task->bytes);
            held += error == cudaSuccess;
        }
        while (held > 0) {
            const cudaError_t freed = cudaFree(blocks[--held]);
            error = error == cudaSuccess ? freed : error;
        }
    }
    return cuda_ok(attempt, error, "cudaMalloc and cudaFree");
}

static bool run_pitch(struct attempt *attempt, size_t count)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        void *memory = NULL;
        size_t pitch;
        error = cudaMallocPitch(&memory, &pitch, ROW_BYTES, attempt->task->bytes / ROW_BYTES + 1);
        if (error == cudaSuccess)
            error = cudaFree(memory);
    }
    return cuda_ok(attempt, error, "cudaMallocPitch and cudaFree");
}

static bool run_pinned(struct attempt *attempt, size_t count)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        void *memory = NULL;
        error = cudaMallocHost(&memory, attempt->task->bytes);
        if (error == cudaSuccess)
            error = cudaFreeHost(memory);
    }
    return cuda_ok(attempt, error, "cudaMallocHost and cudaFreeHost");
}

/* Pinned memory is in place when it has been allocated; for malloc's to be, each page is touched. */
static bool run_pageable(struct attempt *attempt, size_t count)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < count; i++) {
        volatile char *memory = malloc(attempt->task->bytes);
        if (!memory)
            return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
        for (size_t at = 0; at < attempt->task->bytes; at += page)
            memory[at] = 1;
        free((void *)memory);
    }
    return true;
}

static bool is_direct(const struct attempt *attempt)
{
    return what(attempt) == ALLOC_DEVICE;
}

static bool is_pool(const struct attempt *attempt)
{
    return what(attempt) == ALLOC_POOL;
}

static bool is_held(const struct attempt *attempt)
{
    return what(attempt) == ALLOC_HELD;
}

static bool is_pitch(const struct attempt *attempt)
{
    return what(attempt) == ALLOC_PITCH;
}

static bool is_pinned(const struct attempt *attempt)
{
    return what(attempt) == ALLOC_PINNED;
}

static bool is_pageable(const struct attempt *attempt)
{
    return what(attempt) == ALLOC_PAGEABLE;
}

static const struct method methods[] = {
    {"cudaMalloc, cudaFree", is_direct, run_alloc},
    {"cudaMallocAsync, cudaFreeAsync", is_pool, run_pool},
    {"many cudaMalloc, then cudaFree", is_held, run_held},
    {"cudaMallocPitch, cudaFree", is_pitch, run_pitch},
    {"cudaMallocHost, cudaFreeHost", is_pinned, run_pinned},
    {"malloc, touch, free", is_pageable, run_pageable},
    {NULL, NULL, NULL},
};

const struct way cuda_alloc = {open_alloc, NULL, verify_alloc, close_alloc, methods};
