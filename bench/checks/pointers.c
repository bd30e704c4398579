/* Checks of what device pointers are: numbers that the host may calculate with.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda.h>
#include <string.h>

#include "bench/checks/checks.h"

enum { WORDS = 1024, AT = 300, SOME = 17 };

/* Words copied to an inner address and back through a driver pointer made of the same number. */
static bool copy_inside(struct attempt *attempt, uint32_t *memory)
{
    uint32_t expected[WORDS], back[SOME];
    CUdeviceptr driver = (CUdeviceptr)(uintptr_t)memory;
    memset(expected, POISON, sizeof expected);
    pattern_fill(expected + AT, SOME * sizeof *expected, PATTERN_WORDS, 0);
    if (!check_that(attempt, (uint32_t *)(uintptr_t)driver == memory, "the round trip lost bits") ||
        !cuda_ok(attempt, cudaMemset(memory, POISON, sizeof expected), "cudaMemset") ||
        !cuda_ok(attempt,
                 cudaMemcpy(memory + AT, expected + AT, sizeof back, cudaMemcpyHostToDevice),
                 "cudaMemcpy") ||
        !cuda_ok(attempt,
                 cudaMemcpy(back, (void *)(uintptr_t)(driver + AT * sizeof *memory), sizeof back,
                            cudaMemcpyDeviceToHost),
                 "cudaMemcpy"))
        return false;
    return check_words_at(attempt, memory, expected, WORDS) &&
           check_that(attempt, memcmp(back, expected + AT, sizeof back) == 0,
                      "a copy from an inner address brought other bytes");
}

/* A kernel that gets the inner address adds there and nowhere else. */
static bool add_inside(struct attempt *attempt, cudaLibrary_t library, uint32_t *memory)
{
    uint32_t expected[WORDS], *inner = memory + AT, value = 5;
    void *arguments[] = {&inner, &value};
    memset(expected, POISON, sizeof expected);
    pattern_fill(expected + AT, SOME * sizeof *expected, PATTERN_WORDS, 0);
    for (size_t i = AT; i < AT + SOME; i++)
        expected[i] += value;
    return check_launch(attempt, library, "check_add", (dim3){1, 1, 1}, (dim3){SOME, 1, 1},
                        arguments) &&
           check_words_at(attempt, memory, expected, WORDS);
}

bool check_pointers(struct attempt *attempt)
{
    uint32_t *memory = NULL;
    cudaLibrary_t library = NULL;
    bool fine =
        check_that(attempt, sizeof(CUdeviceptr) == sizeof(void *), "CUdeviceptr is too narrow") &&
        cuda_ok(attempt, cudaMalloc((void **)&memory, WORDS * sizeof *memory), "cudaMalloc") &&
        check_load(attempt, "check", &library) && copy_inside(attempt, memory) &&
        add_inside(attempt, library, memory);
    check_unload(library);
    cudaFree(memory);
    return fine;
}

#define BEYOND (((size_t)1 << 32) + 8192)

/* What a size cut to 32 bits would have written at byte `cut` must not be there. */
static bool hold_ends(struct attempt *attempt, char *memory, size_t cut)
{
    const uint64_t marks[2] = {0x0123456789ABCDEFu, 0xFEDCBA9876543210u};
    uint64_t back[2] = {0, 0};
    return cuda_ok(attempt, cudaMemcpy(memory + cut, &marks[0], 8, cudaMemcpyHostToDevice),
                   "cudaMemcpy") &&
           cuda_ok(attempt, cudaMemcpy(memory + BEYOND - 8, &marks[1], 8, cudaMemcpyHostToDevice),
                   "cudaMemcpy") &&
           cuda_ok(attempt, cudaMemcpy(&back[0], memory + cut, 8, cudaMemcpyDeviceToHost),
                   "cudaMemcpy") &&
           cuda_ok(attempt, cudaMemcpy(&back[1], memory + BEYOND - 8, 8, cudaMemcpyDeviceToHost),
                   "cudaMemcpy") &&
           check_that(attempt, memcmp(back, marks, sizeof marks) == 0,
                      "the end of more than 4 GiB is not apart from its beginning");
}

typedef CUresult range_function(CUdeviceptr *base, size_t *bytes, CUdeviceptr inner);
typedef CUresult alloc_function(CUdeviceptr *memory, size_t bytes);
typedef CUresult free_function(CUdeviceptr memory);

bool check_sizes(struct attempt *attempt)
{
    check_function *range = NULL, *alloc = NULL, *give = NULL;
    CUdeviceptr memory = 0, base = 0;
    size_t bytes = 0;
    if (!check_driver(attempt, "cuMemAlloc", &alloc) ||
        !check_driver(attempt, "cuMemFree", &give) ||
        !check_driver(attempt, "cuMemGetAddressRange", &range) ||
        !check_that(attempt, sizeof(CUdeviceptr) == 8 && sizeof(size_t) == 8, "not 64 bits wide"))
        return false;
    const CUresult taken = ((alloc_function *)alloc)(&memory, BEYOND);
    if (taken == CUDA_ERROR_OUT_OF_MEMORY)
        return attempt_fail(attempt, STATUS_UNSUPPORTED,
                            "the device gives no allocation of more than 4 GiB now");
    bool fine =
        check_that(attempt, taken == CUDA_SUCCESS, "cuMemAlloc failed") &&
        check_that(attempt,
                   ((range_function *)range)(&base, &bytes, memory + BEYOND - 1) == CUDA_SUCCESS &&
                       base == memory && bytes >= BEYOND,
                   "cuMemGetAddressRange tells another size") &&
        hold_ends(attempt, (char *)(uintptr_t)memory, BEYOND - 8 - ((size_t)1 << 32));
    ((free_function *)give)(memory);
    return fine;
}
