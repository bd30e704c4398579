/* Driver functions by name, CUDA version and kind of default stream.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <string.h>

#include "facade/names/driver_names.h"

static const struct facade_driver_name *driver_names;
static size_t driver_name_count;

void facade_driver_names_are(const struct facade_driver_name *names, size_t count)
{
    driver_names = names;
    driver_name_count = count;
}

enum { FLAG_LEGACY = 1, FLAG_PER_THREAD = 2, KNOWN_FLAGS = FLAG_LEGACY | FLAG_PER_THREAD };

/* The same numbers in both APIs. */
enum answer { FOUND = 0, NO_SUCH_NAME = 1, VERSION_TOO_LOW = 2 };

_Static_assert((int)CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND == NO_SUCH_NAME &&
                   (int)cudaDriverEntryPointSymbolNotFound == NO_SUCH_NAME &&
                   (int)CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT == VERSION_TOO_LOW &&
                   (int)cudaDriverEntryPointVersionNotSufficent == VERSION_TOO_LOW,
               "answers have one numbering");

static bool is_per_thread_symbol(const char *symbol)
{
    size_t length = strlen(symbol);
    return length > 5 &&
           (strcmp(symbol + length - 5, "_ptds") == 0 || strcmp(symbol + length - 5, "_ptsz") == 0);
}

/* The newest form of a function that the version has. A per-thread form goes before all others
 * where one is wanted; functions without streams have none. */
static const struct facade_driver_name *find(const char *name, int version, bool is_per_thread,
                                             enum answer *answer)
{
    const struct facade_driver_name *best = NULL;
    *answer = NO_SUCH_NAME;
    for (size_t i = 0; i < driver_name_count; i++) {
        const struct facade_driver_name *row = &driver_names[i];
        bool is_own = is_per_thread_symbol(row->symbol);
        if (strcmp(row->name, name) != 0 || (is_own && !is_per_thread))
            continue;
        if (*answer == NO_SUCH_NAME)
            *answer = VERSION_TOO_LOW;
        if (row->since > version)
            continue;
        *answer = FOUND;
        bool best_is_own = best != NULL && is_per_thread_symbol(best->symbol);
        if (best == NULL || (is_own && !best_is_own) ||
            (is_own == best_is_own && row->since > best->since))
            best = row;
    }
    return best;
}

/* Negative versions mean the newest. Only names without a suffix are known, as with NVIDIA's
 * driver. */
static CUresult look_up(const char *name, void **function, int version, cuuint64_t flags,
                        bool is_per_thread, enum answer *answer)
{
    if (name == NULL || function == NULL || (flags & ~(cuuint64_t)KNOWN_FLAGS) != 0 ||
        version > CUDA_VERSION)
        return CUDA_ERROR_INVALID_VALUE;
    const struct facade_driver_name *row =
        find(name, version < 0 ? CUDA_VERSION : version,
             is_per_thread || (flags & FLAG_PER_THREAD) != 0, answer);
    facade_any_function *found = row != NULL ? row->function : NULL;
    memcpy(function, &found, sizeof found);
    return CUDA_SUCCESS;
}

/* --- entry points ----------------------------------------------------------------------------- */

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *symbolStatus)
{
    enum answer answer = NO_SUCH_NAME;
    CUresult result = look_up(symbol, pfn, cudaVersion, flags, false, &answer);
    if (result == CUDA_SUCCESS && symbolStatus != NULL)
        *symbolStatus = (CUdriverProcAddressQueryResult)answer;
    return result;
}

/* The first version has no status to tell a failure by: it is the result. */
CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    enum answer answer = NO_SUCH_NAME;
    CUresult result = look_up(symbol, pfn, cudaVersion, flags, false, &answer);
    return result == CUDA_SUCCESS && answer != FOUND ? CUDA_ERROR_NOT_FOUND : result;
}

/* The default stream of a program that was compiled for per-thread streams is per thread here
 * too. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
                                             unsigned int cudaVersion, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *driverStatus)
{
    enum answer answer = NO_SUCH_NAME;
    bool is_per_thread = (flags & FLAG_LEGACY) == 0 && facade_is_per_thread();
    CUresult result = look_up(symbol, funcPtr, (int)cudaVersion, flags, is_per_thread, &answer);
    if (result == CUDA_SUCCESS && driverStatus != NULL)
        *driverStatus = (enum cudaDriverEntryPointQueryResult)answer;
    return facade_result(facade_runtime_error(result));
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *driverStatus)
{
    return cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}
