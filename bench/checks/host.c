/* Checks of host memory that devices reach: its flags, one address for all, changes in turn.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "bench/checks/checks.h"

enum { WORDS = 4096, GROUP = 64 };

/* Adds value to all words with a kernel, and waits. */
static bool add(struct attempt *attempt, cudaLibrary_t library, uint32_t *device, uint32_t value)
{
    void *arguments[] = {&device, &value};
    return check_launch(attempt, library, "check_add", (dim3){WORDS / GROUP, 1, 1},
                        (dim3){GROUP, 1, 1}, arguments) &&
           check_wait(attempt);
}

/* Memory of one choice of flags: they are told, the device pointer is there, a kernel works on it. */
static bool try_flags(struct attempt *attempt, cudaLibrary_t library, unsigned flags)
{
    uint32_t *host = NULL, *device = NULL;
    unsigned told = 0;
    if (!cuda_ok(attempt, cudaHostAlloc((void **)&host, WORDS * sizeof *host, flags),
                 "cudaHostAlloc"))
        return false;
    bool fine = cuda_ok(attempt, cudaHostGetFlags(&told, host), "cudaHostGetFlags") &&
                check_that(attempt, (told & flags) == flags, "cudaHostGetFlags forgot a flag") &&
                check_error(attempt, cudaHostGetDevicePointer((void **)&device, host, 1),
                            cudaErrorInvalidValue, "cudaHostGetDevicePointer with flags 1") &&
                cuda_ok(attempt, cudaHostGetDevicePointer((void **)&device, host, 0),
                        "cudaHostGetDevicePointer");
    for (uint32_t i = 0; fine && i < WORDS; i++)
        host[i] = i;
    fine = fine && add(attempt, library, device, 7);
    for (uint32_t i = 0; fine && i < WORDS; i++)
        if (host[i] != i + 7)
            fine = attempt_wrong(attempt, i * sizeof *host);
    cudaFreeHost(host);
    return fine;
}

bool check_host_flags(struct attempt *attempt)
{
    const unsigned every = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    void *none = NULL;
    int stranger = 0;
    cudaLibrary_t library = NULL;
    bool fine = check_load(attempt, "check", &library);
    for (unsigned flags = 0; fine && flags <= every; flags++)
        fine = try_flags(attempt, library, flags);
    fine = fine &&
           check_error(attempt, cudaHostAlloc(&none, 64, every + 1), cudaErrorInvalidValue,
                       "cudaHostAlloc with an unknown flag") &&
           check_error(attempt, cudaFreeHost(&stranger), cudaErrorInvalidValue,
                       "cudaFreeHost of other memory");
    check_unload(library);
    return fine;
}

/* One way that cudaMemcpyDefault has to find out. */
static bool copy_default(struct attempt *attempt, void *target, const void *source)
{
    return cuda_ok(attempt, cudaMemcpy(target, source, WORDS * 4, cudaMemcpyDefault),
                   "cudaMemcpy with cudaMemcpyDefault");
}

static bool use_unified(struct attempt *attempt, cudaLibrary_t library, uint32_t *pinned,
                        uint32_t *device)
{
    static uint32_t pageable[WORDS], expected[WORDS];
    void *seen = NULL;
    pattern_fill(expected, sizeof expected, PATTERN_WORDS, 0);
    memcpy(pageable, expected, sizeof pageable);
    if (!cuda_ok(attempt, cudaHostGetDevicePointer(&seen, pinned, 0), "cudaHostGetDevicePointer"))
        return false;
    if (seen != pinned && strcmp(attempt->device->strategy, "handle") == 0)
        return attempt_fail(attempt, STATUS_UNSUPPORTED,
                            "the handle strategy has names of its own for pinned memory");
    if (!check_that(attempt, seen == pinned, "host and device name pinned memory differently") ||
        !copy_default(attempt, device, pageable) || !copy_default(attempt, pinned, device))
        return false;
    memset(pageable, POISON, sizeof pageable);
    for (size_t i = 0; i < WORDS; i++)
        expected[i] += 9;
    return add(attempt, library, pinned, 9) && copy_default(attempt, pageable, pinned) &&
           check_that(attempt, memcmp(pageable, expected, sizeof expected) == 0,
                      "a copy brought other bytes");
}

bool check_unified(struct attempt *attempt)
{
    uint32_t *pinned = NULL, *device = NULL;
    cudaLibrary_t library = NULL;
    int is_unified = 0;
    if (!cuda_ok(attempt,
                 cudaDeviceGetAttribute(&is_unified, cudaDevAttrUnifiedAddressing,
                                        attempt->device->index),
                 "cudaDeviceGetAttribute"))
        return false;
    if (!is_unified)
        return attempt_fail(attempt, STATUS_UNSUPPORTED,
                            "the device says that it has no unified addresses");
    bool fine = check_load(attempt, "check", &library) &&
                cuda_ok(attempt, cudaMallocHost((void **)&pinned, WORDS * 4), "cudaMallocHost") &&
                cuda_ok(attempt, cudaMalloc((void **)&device, WORDS * 4), "cudaMalloc") &&
                use_unified(attempt, library, pinned, device);
    check_unload(library);
    cudaFreeHost(pinned);
    cudaFree(device);
    return fine;
}

/* Host and device change the same memory in turn; a wait lies between. Without it CUDA promises
 * nothing, so nothing else is asked. */
bool check_zerocopy_turns(struct attempt *attempt)
{
    uint32_t *host = NULL, *device = NULL, expected = 1;
    cudaLibrary_t library = NULL;
    bool fine =
        check_load(attempt, "check", &library) &&
        cuda_ok(attempt, cudaHostAlloc((void **)&host, WORDS * sizeof *host, cudaHostAllocMapped),
                "cudaHostAlloc") &&
        cuda_ok(attempt, cudaHostGetDevicePointer((void **)&device, host, 0),
                "cudaHostGetDevicePointer");
    for (size_t i = 0; fine && i < WORDS; i++)
        host[i] = expected;
    for (uint32_t turn = 0; fine && turn < 8; turn++) {
        fine = add(attempt, library, device, turn + 1);
        expected = 5 * (expected + turn + 1);
        for (size_t i = 0; fine && i < WORDS; i++) {
            host[i] *= 5;
            if (host[i] != expected)
                fine = attempt_wrong(attempt, i * sizeof *host);
        }
    }
    check_unload(library);
    cudaFreeHost(host);
    return fine;
}
