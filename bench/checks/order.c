/* Checks of kernels one after the other, of any grid, and of memory that kernels allocate.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "bench/checks/checks.h"

enum { WORDS = 1 << 16, GROUP = 64, ROUNDS = 16 };

/* Each kernel reads what the one before stored, at another item's place. */
bool check_dependent_kernels(struct attempt *attempt)
{
    uint32_t *memory[2] = {NULL, NULL};
    unsigned long long words = WORDS;
    cudaLibrary_t library = NULL;
    uint32_t *expected = malloc(WORDS * sizeof *expected);
    bool fine = (expected || attempt_fail(attempt, STATUS_SKIPPED, "no host memory")) &&
                check_load(attempt, "check", &library) &&
                cuda_ok(attempt, cudaMalloc((void **)&memory[0], WORDS * 4), "cudaMalloc") &&
                cuda_ok(attempt, cudaMalloc((void **)&memory[1], WORDS * 4), "cudaMalloc");
    for (size_t i = 0; fine && i < WORDS; i++)
        expected[i] = pattern_word(PATTERN_WORDS, i);
    fine =
        fine && cuda_ok(attempt, cudaMemcpy(memory[0], expected, WORDS * 4, cudaMemcpyHostToDevice),
                        "cudaMemcpy");
    for (size_t round = 0; fine && round < ROUNDS; round++) {
        void *arguments[] = {&memory[1 - round % 2], &memory[round % 2], &words};
        fine = check_launch(attempt, library, "check_turn", (dim3){WORDS / GROUP, 1, 1},
                            (dim3){GROUP, 1, 1}, arguments);
        for (size_t i = 0; fine && i < WORDS / 2; i++) {
            const uint32_t first = expected[i];
            expected[i] = 3 * expected[WORDS - 1 - i] + 1;
            expected[WORDS - 1 - i] = 3 * first + 1;
        }
    }
    fine = fine && check_words_at(attempt, memory[ROUNDS % 2], expected, WORDS);
    check_unload(library);
    cudaFree(memory[0]);
    cudaFree(memory[1]);
    free(expected);
    return fine;
}

/* One grid over one length: every word of it is written and the ones behind are not. */
static bool fill(struct attempt *attempt, cudaLibrary_t library, uint32_t *memory, bool is_bytes,
                 size_t length, unsigned groups, unsigned local)
{
    enum { ROOM = 5000 };
    static unsigned char expected[ROOM * 4];
    const uint32_t value = is_bytes ? 0xC3 : 0x9E3779B9u;
    unsigned long long count = length;
    uint32_t argument = value;
    void *arguments[] = {&memory, &argument, &count};
    memset(expected, POISON, sizeof expected);
    if (is_bytes)
        memset(expected, (int)value, length);
    else
        for (size_t i = 0; i < length; i++)
            memcpy(expected + i * 4, &value, 4);
    return cuda_ok(attempt, cudaMemset(memory, POISON, sizeof expected), "cudaMemset") &&
           check_launch(attempt, library, is_bytes ? "check_fill_bytes" : "check_fill",
                        (dim3){groups, 1, 1}, (dim3){local, 1, 1}, arguments) &&
           check_words_at(attempt, memory, (const uint32_t *)(const void *)expected, ROOM);
}

/* The sources' GPUmemset: any length, and any grid, one group of one item among them. */
bool check_grid_stride(struct attempt *attempt)
{
    static const size_t lengths[] = {1, 255, 4099};
    static const unsigned grids[][2] = {{1, 1}, {1, 64}, {7, 32}, {40, 128}};
    uint32_t *memory = NULL;
    cudaLibrary_t library = NULL;
    bool fine = check_load(attempt, "check", &library) &&
                cuda_ok(attempt, cudaMalloc((void **)&memory, 20000), "cudaMalloc");
    for (size_t i = 0; fine && i < 3; i++)
        for (size_t g = 0; fine && g < 4; g++)
            fine = fill(attempt, library, memory, false, lengths[i], grids[g][0], grids[g][1]) &&
                   fill(attempt, library, memory, true, lengths[i], grids[g][0], grids[g][1]);
    check_unload(library);
    cudaFree(memory);
    return fine;
}

enum { HEAP_ITEMS = 256, HEAP_BYTES = 64 };

/* Items allocate in one kernel, look and free in the next; the host cannot free for them. */
static bool use_heap(struct attempt *attempt, cudaLibrary_t library, unsigned long long *addresses,
                     uint32_t *told)
{
    uint32_t expected[HEAP_ITEMS], bytes = HEAP_BYTES;
    unsigned long long first = 0;
    void *take[] = {&addresses, &bytes}, *give[] = {&told, &addresses, &bytes};
    const dim3 groups = {HEAP_ITEMS / GROUP, 1, 1}, local = {GROUP, 1, 1};
    for (size_t i = 0; i < HEAP_ITEMS; i++)
        expected[i] = 1;
    return check_launch(attempt, library, "heap_take", groups, local, take) &&
           cuda_ok(attempt, cudaMemcpy(&first, addresses, sizeof first, cudaMemcpyDeviceToHost),
                   "cudaMemcpy") &&
           check_that(attempt, first != 0, "malloc in a kernel gave NULL") &&
           check_error(attempt, cudaFree((void *)(uintptr_t)first), cudaErrorInvalidValue,
                       "cudaFree of a kernel's memory") &&
           check_launch(attempt, library, "heap_give", groups, local, give) &&
           check_words_at(attempt, told, expected, HEAP_ITEMS);
}

bool check_heap(struct attempt *attempt)
{
    cudaLibrary_t library = NULL;
    unsigned long long *addresses = NULL;
    uint32_t *told = NULL;
    size_t bytes = 0;
    bool fine =
        check_load_heap(attempt, &library) &&
        cuda_ok(attempt, cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize),
                "cudaDeviceGetLimit") &&
        check_that(attempt, bytes > 0, "the heap's limit is 0") &&
        cuda_ok(attempt, cudaMalloc((void **)&addresses, HEAP_ITEMS * sizeof *addresses),
                "cudaMalloc") &&
        cuda_ok(attempt, cudaMalloc((void **)&told, HEAP_ITEMS * sizeof *told), "cudaMalloc") &&
        use_heap(attempt, library, addresses, told) &&
        /* Once a kernel used the heap its size is fixed. */
        check_that(attempt, cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes * 2) != cudaSuccess,
                   "the heap's limit was changed after its first use");
    cudaGetLastError();
    check_unload(library);
    cudaFree(addresses);
    cudaFree(told);
    return fine;
}
