/* What checks share: kernels, driver functions, comparisons.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/checks/checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/runtime.h"

/* The driver functions of this version are asked for. */
#define DRIVER_VERSION 12000

bool check_that(struct attempt *attempt, bool is_so, const char *words)
{
    return is_so || attempt_fail(attempt, STATUS_ERROR, "%s", words);
}

bool check_error(struct attempt *attempt, cudaError_t error, cudaError_t expected, const char *call)
{
    cudaGetLastError();
    return error == expected ||
           attempt_fail(attempt, STATUS_ERROR, "%s gave %s instead of %s", call,
                        cudaGetErrorName(error), cudaGetErrorName(expected));
}

void check_note(struct attempt *attempt, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(attempt->reason, sizeof attempt->reason, format, arguments);
    va_end(arguments);
}

bool check_load(struct attempt *attempt, const char *file, cudaLibrary_t *library)
{
    const struct shot shot = {.file = file, .kernel = ""};
    char name[KERNEL_NAME_BYTES];
    void *owned = NULL;
    const void *image = runtime_shot_kernels(attempt->device, &shot, name, &owned);
    if (!image)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    cudaError_t error = cudaLibraryLoadData(library, image, NULL, NULL, 0, NULL, NULL, 0);
    free(owned);
    return cuda_ok(attempt, error, "cudaLibraryLoadData");
}

bool check_load_heap(struct attempt *attempt, cudaLibrary_t *library)
{
    if (strcmp(attempt->device->strategy, "handle") == 0)
        return attempt_fail(attempt, STATUS_UNSUPPORTED,
                            "under the strategy handle kernels cannot use addresses from memory");
    return check_load(attempt, "heap", library);
}

void check_unload(cudaLibrary_t library)
{
    if (library)
        cudaLibraryUnload(library);
}

bool check_launch(struct attempt *attempt, cudaLibrary_t library, const char *kernel, dim3 groups,
                  dim3 local, void **arguments)
{
    cudaKernel_t found;
    return cuda_ok(attempt, cudaLibraryGetKernel(&found, library, kernel), kernel) &&
           cuda_ok(attempt,
                   cudaLaunchKernel((const void *)found, groups, local, arguments, 0, NULL),
                   kernel);
}

bool check_wait(struct attempt *attempt)
{
    return cuda_ok(attempt, cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

bool check_driver(struct attempt *attempt, const char *name, check_function **function)
{
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    void *found = NULL;
    if (!cuda_ok(attempt,
                 cudaGetDriverEntryPointByVersion(name, &found, DRIVER_VERSION, cudaEnableDefault,
                                                  &result),
                 "cudaGetDriverEntryPointByVersion"))
        return false;
    if (result != cudaDriverEntryPointSuccess)
        return attempt_fail(attempt, STATUS_ERROR, "the driver has no %s", name);
    /* ISO C has no conversion from one to the other. */
    _Static_assert(sizeof found == sizeof *function, "pointers to functions are like others");
    memcpy(function, &found, sizeof found);
    return true;
}

bool check_words_at(struct attempt *attempt, const void *memory, const uint32_t *expected,
                    size_t words)
{
    uint32_t *found = malloc(words * sizeof *found);
    if (!found)
        return attempt_fail(attempt, STATUS_SKIPPED, "no host memory");
    bool fine =
        check_wait(attempt) &&
        cuda_ok(attempt, cudaMemcpy(found, memory, words * sizeof *found, cudaMemcpyDefault),
                "cudaMemcpy");
    for (size_t i = 0; fine && i < words; i++)
        if (found[i] != expected[i])
            fine = attempt_wrong(attempt, i * sizeof *found);
    free(found);
    return fine;
}
