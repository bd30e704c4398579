/* cudaMalloc and cudaFree, cudaMallocAsync and cudaFreeAsync.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/cuda_side.h"

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

static bool verify_alloc(struct attempt *attempt)
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

static bool is_direct(const struct attempt *attempt)
{
    return attempt->task->row->detail == ALLOC_DEVICE;
}

static bool is_pool(const struct attempt *attempt)
{
    return attempt->task->row->detail == ALLOC_POOL;
}

static const struct method methods[] = {
    {"cudaMalloc, cudaFree", is_direct, run_alloc},
    {"cudaMallocAsync, cudaFreeAsync", is_pool, run_pool},
    {NULL, NULL, NULL},
};

const struct way cuda_alloc = {open_alloc, NULL, verify_alloc, close_alloc, methods};
