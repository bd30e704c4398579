/* Copies to and from a module's constant variable of 64 KiB.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_side.h"

struct symbol {
    struct span host;
    cudaLibrary_t library;
    void *address;
    size_t bytes;
};

static bool is_inward(const struct attempt *attempt)
{
    return attempt->task->row->target == DEVICE;
}

static bool open_symbol(struct attempt *attempt)
{
    struct symbol *symbol = attempt->state = calloc(1, sizeof *symbol);
    if (!symbol)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    return kernels_load(attempt, KERNELS_SYMBOL, &symbol->library) &&
           cuda_ok(attempt,
                   cudaLibraryGetGlobal(&symbol->address, &symbol->bytes, symbol->library,
                                        "bench_constant"),
                   "cudaLibraryGetGlobal") &&
           span_take(attempt, &symbol->host, PAGEABLE, symbol->bytes);
}

static cudaError_t copy_in(const struct symbol *symbol)
{
    return cudaMemcpy(symbol->address, symbol->host.pointer, symbol->bytes, cudaMemcpyHostToDevice);
}

static cudaError_t copy_out(const struct symbol *symbol)
{
    return cudaMemcpy(symbol->host.pointer, symbol->address, symbol->bytes, cudaMemcpyDeviceToHost);
}

/* Where the copy comes from holds a pattern, where it goes holds none of it. */
static bool poison_symbol(struct attempt *attempt)
{
    struct symbol *symbol = attempt->state;
    const int poison = POISON;
    pattern_fill(symbol->host.pointer, symbol->bytes, PATTERN_WORDS, 0);
    if (is_inward(attempt))
        return cuda_ok(attempt, cudaMemset(symbol->address, poison, symbol->bytes), "cudaMemset");
    if (!cuda_ok(attempt, copy_in(symbol), "cudaMemcpy"))
        return false;
    memset(symbol->host.pointer, poison, symbol->bytes);
    return true;
}

static bool verify_symbol(struct attempt *attempt)
{
    struct symbol *symbol = attempt->state;
    const uint32_t *words = symbol->host.pointer;
    if (is_inward(attempt)) {
        memset(symbol->host.pointer, POISON, symbol->bytes);
        if (!cuda_ok(attempt, copy_out(symbol), "cudaMemcpy"))
            return false;
    }
    for (size_t i = 0; i < symbol->bytes / 4; i++)
        if (words[i] != pattern_word(PATTERN_WORDS, i))
            return attempt_wrong(attempt, i * 4);
    return true;
}

static void close_symbol(struct attempt *attempt)
{
    struct symbol *symbol = attempt->state;
    if (!symbol)
        return;
    if (symbol->library)
        cudaLibraryUnload(symbol->library);
    span_give(&symbol->host);
    free(symbol);
}

static bool run_symbol(struct attempt *attempt, size_t count)
{
    const struct symbol *symbol = attempt->state;
    const bool inward = is_inward(attempt);
    cudaError_t error = cudaSuccess;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = inward ? copy_in(symbol) : copy_out(symbol);
    return cuda_ok(attempt, error, "cudaMemcpy") &&
           cuda_ok(attempt, cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
}

static const struct method methods[] = {{"cudaMemcpy", NULL, run_symbol}, {NULL, NULL, NULL}};

const struct way cuda_symbol = {open_symbol, poison_symbol, verify_symbol, close_symbol, methods};
