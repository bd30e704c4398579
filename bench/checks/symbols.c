/* Check of device variables by name: copies, addresses, sizes, and names that do not exist.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench/checks/checks.h"

/* bench_constant of kernels/symbol.cl. */
enum { WORDS = 16384, AT = 100, SOME = 50 };

static bool use_symbol(struct attempt *attempt, cudaLibrary_t library, uint32_t *target)
{
    static uint32_t expected[WORDS], zeros[WORDS];
    char *address = NULL;
    size_t bytes = 0;
    void *arguments[] = {&target};
    if (!cuda_ok(attempt,
                 cudaLibraryGetGlobal((void **)&address, &bytes, library, "bench_constant"),
                 "cudaLibraryGetGlobal") ||
        !check_that(attempt, bytes == sizeof expected, "a variable has another size") ||
        !cuda_ok(attempt, cudaLibraryGetGlobal((void **)&address, NULL, library, "bench_constant"),
                 "cudaLibraryGetGlobal without a size") ||
        !check_error(attempt, cudaLibraryGetGlobal((void **)&target, NULL, library, "no_such_name"),
                     cudaErrorSymbolNotFound, "cudaLibraryGetGlobal of no variable") ||
        !check_words_at(attempt, address, zeros, WORDS))
        return false;
    for (size_t i = 0; i < WORDS; i++)
        expected[i] = i >= AT && i < AT + SOME ? pattern_word(PATTERN_WORDS, i) : 0;
    return cuda_ok(attempt,
                   cudaMemcpy(address + AT * 4, expected + AT, SOME * 4, cudaMemcpyHostToDevice),
                   "cudaMemcpy to a variable") &&
           check_launch(attempt, library, "symbol_read", (dim3){WORDS / 64, 1, 1}, (dim3){64, 1, 1},
                        arguments) &&
           check_words_at(attempt, target, expected, WORDS);
}

bool check_symbols(struct attempt *attempt)
{
    cudaLibrary_t library = NULL;
    uint32_t *target = NULL;
    bool fine = kernels_load(attempt, KERNELS_SYMBOL, &library) &&
                cuda_ok(attempt, cudaMalloc((void **)&target, WORDS * 4), "cudaMalloc") &&
                use_symbol(attempt, library, target);
    check_unload(library);
    cudaFree(target);
    return fine;
}
