/* Fills through the CUDA API: patterns of 1, 2 and 4 bytes, rows and slices.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include <cuda.h>

#include "bench/cuda_side.h"

struct set {
    struct span target;
    /* The driver API's fills, asked from the runtime so that nothing else needs to be linked. */
    CUresult(CUDAAPI *d16)(CUdeviceptr, unsigned short, size_t, CUstream);
    CUresult(CUDAAPI *d32)(CUdeviceptr, unsigned int, size_t, CUstream);
};

static bool find_driver_call(struct attempt *attempt, const char *name, void *function)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, (void **)function, 12000, cudaEnableDefault, &found);
    if (!cuda_ok(attempt, error, name))
        return false;
    return found == cudaDriverEntryPointSuccess ||
           attempt_fail(attempt, STATUS_UNSUPPORTED, "no %s", name);
}

static bool open_set(struct attempt *attempt)
{
    struct set *set = attempt->state = calloc(1, sizeof *set);
    if (!set)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    return span_take(attempt, &set->target, DEVICE, target_bytes(attempt->task)) &&
           find_driver_call(attempt, "cuMemsetD16Async", &set->d16) &&
           find_driver_call(attempt, "cuMemsetD32Async", &set->d32);
}

static bool poison_set(struct attempt *attempt)
{
    struct set *set = attempt->state;
    return span_poison(attempt, &set->target);
}

static bool verify_set(struct attempt *attempt)
{
    struct set *set = attempt->state;
    return span_check(attempt, &set->target, CONTENT_VALUE);
}

static void close_set(struct attempt *attempt)
{
    struct set *set = attempt->state;
    if (!set)
        return;
    span_give(&set->target);
    free(set);
}

static cudaError_t set_bytes(const struct set *set, const struct task *task)
{
    return cudaMemsetAsync(set->target.pointer, (int)(set_value(task) & 0xFF), task->bytes, NULL);
}

static cudaError_t set_halves(const struct set *set, const struct task *task)
{
    CUdeviceptr target = (CUdeviceptr)(uintptr_t)set->target.pointer;
    CUresult result = set->d16(target, (unsigned short)set_value(task), task->bytes / 2, NULL);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

static cudaError_t set_words(const struct set *set, const struct task *task)
{
    CUdeviceptr target = (CUdeviceptr)(uintptr_t)set->target.pointer;
    CUresult result = set->d32(target, set_value(task), task->bytes / 4, NULL);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorUnknown;
}

static cudaError_t set_rows(const struct set *set, const struct task *task)
{
    return cudaMemset2DAsync(set->target.pointer, task->target_pitch, (int)(set_value(task) & 0xFF),
                             task->row_bytes, task->rows, NULL);
}

static cudaError_t set_slices(const struct set *set, const struct task *task)
{
    struct cudaPitchedPtr target = {set->target.pointer, task->target_pitch, task->row_bytes,
                                    task->slice_rows};
    struct cudaExtent extent = {task->row_bytes, task->rows, task->slices};
    return cudaMemset3DAsync(target, (int)(set_value(task) & 0xFF), extent, NULL);
}

static bool run(struct attempt *attempt, size_t count,
                cudaError_t (*fill)(const struct set *, const struct task *), const char *name)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = fill(attempt->state, attempt->task);
    return cuda_ok(attempt, error, name) &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

#define FILL(row_detail, call, fill)                                                               \
    static bool run_##fill(struct attempt *attempt, size_t count)                                  \
    {                                                                                              \
        return run(attempt, count, fill, call);                                                    \
    }                                                                                              \
    static bool fill##_suits(const struct attempt *attempt)                                        \
    {                                                                                              \
        return attempt->task->row->detail == row_detail;                                           \
    }
FILL(SET_1, "cudaMemsetAsync", set_bytes)
FILL(SET_2, "cuMemsetD16Async", set_halves)
FILL(SET_4, "cuMemsetD32Async", set_words)
FILL(SET_2D, "cudaMemset2DAsync", set_rows)
FILL(SET_3D, "cudaMemset3DAsync", set_slices)

static const struct method methods[] = {
    {"cudaMemsetAsync", set_bytes_suits, run_set_bytes},
    {"cuMemsetD16Async", set_halves_suits, run_set_halves},
    {"cuMemsetD32Async", set_words_suits, run_set_words},
    {"cudaMemset2DAsync", set_rows_suits, run_set_rows},
    {"cudaMemset3DAsync", set_slices_suits, run_set_slices},
    {NULL, NULL, NULL},
};

const struct way cuda_set = {open_set, poison_set, verify_set, close_set, methods};
