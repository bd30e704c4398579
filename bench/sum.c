/* Sums of arrays and matrices with all that belongs to them: zero-copy or copied, managed or by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_side.h"
#include "bench/runtime.h"

enum { GROUP = 256, TILE_WIDTH = 32, TILE_HEIGHT = 8 };

struct sum {
    struct span host[3];   /* target, first, second; what the host reads and writes */
    struct span device[3]; /* of SUM_COPIED and SUM_BY_HAND */
    cudaLibrary_t library;
    cudaKernel_t kernel;
    char *values;                   /* of both sources, one behind the other */
    unsigned long long words, side; /* of arrays; of matrices, which are square */
};

static enum sum_detail what(const struct attempt *attempt)
{
    return (enum sum_detail)attempt->task->row->detail;
}

static bool is_matrix(const struct attempt *attempt)
{
    return what(attempt) >= SUM_BY_HAND;
}

static bool has_copies(const struct attempt *attempt)
{
    return what(attempt) == SUM_COPIED || what(attempt) == SUM_BY_HAND ||
           what(attempt) == SUM_BY_HAND_KERNEL;
}

static enum place host_place(const struct attempt *attempt)
{
    switch (what(attempt)) {
    case SUM_MAPPED:
        return MAPPED;
    case SUM_COPIED:
        return PINNED;
    case SUM_BY_HAND:
    case SUM_BY_HAND_KERNEL:
        return PAGEABLE;
    case SUM_MANAGED:
    case SUM_MANAGED_KERNEL:
        break;
    }
    return MANAGED;
}

static bool load(struct attempt *attempt, struct sum *sum)
{
    const struct shot shot = {.file = "sum",
                              .kernel = is_matrix(attempt) ? "sum_matrices" : "sum_arrays"};
    char name[KERNEL_NAME_BYTES];
    void *owned = NULL;
    const void *image = runtime_shot_kernels(attempt->device, &shot, name, &owned);
    if (!image)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    cudaError_t error = cudaLibraryLoadData(&sum->library, image, NULL, NULL, 0, NULL, NULL, 0);
    free(owned);
    return cuda_ok(attempt, error, "cudaLibraryLoadData") &&
           cuda_ok(attempt, cudaLibraryGetKernel(&sum->kernel, sum->library, name), name);
}

static void fill_sources(struct sum *sum)
{
    memcpy(sum->host[1].pointer, sum->values, sum->host[1].bytes);
    memcpy(sum->host[2].pointer, sum->values + sum->host[1].bytes, sum->host[2].bytes);
}

static cudaError_t copy_sources(struct sum *sum)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 1; error == cudaSuccess && i < 3; i++)
        error = cudaMemcpyAsync(sum->device[i].pointer, sum->host[i].pointer, sum->host[i].bytes,
                                cudaMemcpyHostToDevice, NULL);
    return error;
}

static bool open_sum(struct attempt *attempt)
{
    struct sum *sum = attempt->state = calloc(1, sizeof *sum);
    if (!sum)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    sum->values = malloc(2 * attempt->task->bytes);
    if (!sum->values)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    pattern_fill(sum->values, 2 * attempt->task->bytes, PATTERN_WORDS, 0);
    sum->words = attempt->task->bytes / 4;
    for (sum->side = 1; (sum->side + 1) * (sum->side + 1) <= sum->words;)
        sum->side++;
    for (size_t i = 0; i < 3; i++)
        if (!span_take(attempt, &sum->host[i], host_place(attempt), attempt->task->bytes) ||
            (has_copies(attempt) &&
             !span_take(attempt, &sum->device[i], DEVICE, attempt->task->bytes)))
            return false;
    fill_sources(sum);
    if (has_copies(attempt) && !cuda_ok(attempt, copy_sources(sum), "cudaMemcpyAsync"))
        return false;
    return load(attempt, sum);
}

static struct span *result(struct attempt *attempt)
{
    struct sum *sum = attempt->state;
    return what(attempt) == SUM_BY_HAND_KERNEL ? &sum->device[0] : &sum->host[0];
}

static bool poison_sum(struct attempt *attempt)
{
    return span_poison(attempt, result(attempt));
}

static bool verify_sum(struct attempt *attempt)
{
    const struct sum *sum = attempt->state;
    const struct span *target = result(attempt);
    const uint32_t *values = (const uint32_t *)(const void *)sum->values;
    const size_t words = is_matrix(attempt) ? sum->side * sum->side : sum->words;
    uint32_t *copy = malloc(target->bytes);
    if (!copy)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    bool fine = cuda_ok(
        attempt, cudaMemcpy(copy, target->pointer, target->bytes, cudaMemcpyDefault), "cudaMemcpy");
    for (size_t i = 0; fine && i < words; i++)
        if (copy[i] != values[i] + values[sum->words + i])
            fine = attempt_wrong(attempt, i * 4);
    free(copy);
    return fine;
}

static void close_sum(struct attempt *attempt)
{
    struct sum *sum = attempt->state;
    if (!sum)
        return;
    if (sum->library)
        cudaLibraryUnload(sum->library);
    for (size_t i = 0; i < 3; i++) {
        span_give(&sum->host[i]);
        span_give(&sum->device[i]);
    }
    free(sum->values);
    free(sum);
}

static unsigned pieces(unsigned long long count, unsigned piece)
{
    return (unsigned)((count + piece - 1) / piece);
}

static cudaError_t launch(struct attempt *attempt)
{
    struct sum *sum = attempt->state;
    struct span *spans = has_copies(attempt) ? sum->device : sum->host;
    void *of_arrays[] = {&spans[0].device, &spans[1].device, &spans[2].device, &sum->words};
    void *of_matrices[] = {&spans[0].device, &spans[1].device, &spans[2].device, &sum->side,
                           &sum->side};
    const dim3 tiles = {pieces(sum->side, TILE_WIDTH), pieces(sum->side, TILE_HEIGHT), 1};
    if (is_matrix(attempt))
        return cudaLaunchKernel((const void *)sum->kernel, tiles,
                                (dim3){TILE_WIDTH, TILE_HEIGHT, 1}, of_matrices, 0, NULL);
    return cudaLaunchKernel((const void *)sum->kernel, (dim3){pieces(sum->words, GROUP), 1, 1},
                            (dim3){GROUP, 1, 1}, of_arrays, 0, NULL);
}

/* The kernel alone, on memory that is where it wants it. */
static bool run_kernel(struct attempt *attempt, size_t count)
{
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = launch(attempt);
    return cuda_ok(attempt, error, "cudaLaunchKernel") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static cudaError_t copy_result(const struct sum *sum)
{
    return cudaMemcpyAsync(sum->host[0].pointer, sum->device[0].pointer, sum->host[0].bytes,
                           cudaMemcpyDeviceToHost, NULL);
}

/* Both arrays over, the kernel, the sum back: the host waits each time, as it must to use it. */
static bool run_copied(struct attempt *attempt, size_t count)
{
    struct sum *sum = attempt->state;
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++) {
        error = copy_sources(sum);
        if (error == cudaSuccess)
            error = launch(attempt);
        if (error == cudaSuccess)
            error = copy_result(sum);
        if (error == cudaSuccess)
            error = cudaStreamSynchronize(NULL);
    }
    return cuda_ok(attempt, error, "the copies and the kernel");
}

static bool run_mapped(struct attempt *attempt, size_t count)
{
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        done = run_kernel(attempt, 1);
    return done;
}

/* Keeps the compiler from dropping reads. */
static volatile uint32_t sink;

static void read_result(const struct sum *sum)
{
    const uint32_t *words = sum->host[0].pointer;
    uint32_t all = 0;
    for (size_t i = 0; i < sum->words; i++)
        all += words[i];
    sink = all;
}

/* What the host does to a matrix: writes both anew, has them added, reads the sum. */
static bool run_matrix(struct attempt *attempt, size_t count)
{
    struct sum *sum = attempt->state;
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        fill_sources(sum);
        done = has_copies(attempt) ? run_copied(attempt, 1) : run_kernel(attempt, 1);
        if (done)
            read_result(sum);
    }
    return done;
}

static bool is_mapped(const struct attempt *attempt)
{
    return what(attempt) == SUM_MAPPED;
}

static bool is_copied(const struct attempt *attempt)
{
    return what(attempt) == SUM_COPIED;
}

static bool is_whole_matrix(const struct attempt *attempt)
{
    return what(attempt) == SUM_BY_HAND || what(attempt) == SUM_MANAGED;
}

static bool is_kernel_only(const struct attempt *attempt)
{
    return what(attempt) == SUM_BY_HAND_KERNEL || what(attempt) == SUM_MANAGED_KERNEL;
}

static const struct method methods[] = {
    {"kernel, wait", is_mapped, run_mapped},
    {"copies, kernel, copy", is_copied, run_copied},
    {"fill, sum, read", is_whole_matrix, run_matrix},
    {"kernel", is_kernel_only, run_kernel},
    {NULL, NULL, NULL},
};

const struct way cuda_sum = {open_sum, poison_sum, verify_sum, close_sum, methods};
