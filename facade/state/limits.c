/* Limits of contexts: kept and given back; only the kernels' heap and ring read them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/state/limits.h"

#include "cl/context.h"
#include "facade/state/handles.h"

enum limit_use { LIMIT_SETTABLE, LIMIT_READ_ONLY, LIMIT_UNSUPPORTED };

/* largest 0: any value. Source: the defaults of NVIDIA's driver for compute capability 7.5; a stack
 * may have 512 KiB per thread (CUDA C++ Programming Guide 13.0, compute capabilities). */
static const struct {
    enum limit_use use;
    size_t initial, largest, unit;
} limit_rows[] = {
    [CU_LIMIT_STACK_SIZE] = {LIMIT_SETTABLE, 1024, (size_t)512 * 1024, 16},
    [CU_LIMIT_PRINTF_FIFO_SIZE] = {LIMIT_SETTABLE, 1048576, 0, 1},
    [CU_LIMIT_MALLOC_HEAP_SIZE] = {LIMIT_SETTABLE, 8388608, 0, 1},
    [CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH] = {LIMIT_UNSUPPORTED, 0, 0, 1},
    [CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT] = {LIMIT_SETTABLE, 2048, 0, 1},
    [CU_LIMIT_MAX_L2_FETCH_GRANULARITY] = {LIMIT_SETTABLE, 64, 128, 1},
    [CU_LIMIT_PERSISTING_L2_CACHE_SIZE] = {LIMIT_SETTABLE, 0, 0, 1},
    [CU_LIMIT_SHMEM_SIZE] = {LIMIT_READ_ONLY, 0, 0, 1},
    [CU_LIMIT_CIG_ENABLED] = {LIMIT_READ_ONLY, 0, 0, 1},
};
enum { LIMIT_COUNT = sizeof limit_rows / sizeof limit_rows[0] };

_Static_assert(LIMIT_COUNT == sizeof((struct facade_context *)NULL)->limits / sizeof(size_t),
               "one place for each");

void facade_limits_reset(struct facade_context *context)
{
    for (int i = 0; i < LIMIT_COUNT; i++)
        context->limits[i] = limit_rows[i].initial;
    context->limits[CU_LIMIT_SHMEM_SIZE] = FACADE_SHARED_BYTES;
    context->cache_config = cudaFuncCachePreferNone;
    context->shared_config = cudaSharedMemBankSizeFourByte;
}

static cudaError_t check_limit(int limit)
{
    if (limit < 0 || limit >= LIMIT_COUNT)
        return cudaErrorInvalidValue;
    return limit_rows[limit].use != LIMIT_UNSUPPORTED ? cudaSuccess : cudaErrorUnsupportedLimit;
}

/* The kernels' ring and heap are made once, for the first kernel that needs them. */
static bool is_in_use(struct facade_context *context, int limit, size_t value)
{
    struct ocl_context *cl = atomic_load(&context->cl);
    if (limit == CU_LIMIT_PRINTF_FIFO_SIZE)
        return ocl_context_limit(cl, OCL_LIMIT_PRINT_BYTES, value) != OCL_OK;
    return limit == CU_LIMIT_MALLOC_HEAP_SIZE &&
           ocl_context_limit(cl, OCL_LIMIT_HEAP_BYTES, value) != OCL_OK;
}

cudaError_t facade_limit_change(struct facade_context *context, int limit, size_t value)
{
    const cudaError_t error = check_limit(limit);
    if (error != cudaSuccess)
        return error;
    if (limit_rows[limit].use == LIMIT_READ_ONLY)
        return cudaErrorNotPermitted;
    if (limit_rows[limit].largest != 0 && value > limit_rows[limit].largest)
        return cudaErrorInvalidValue;
    if (is_in_use(context, limit, value))
        return cudaErrorInvalidValue;
    size_t unit = limit_rows[limit].unit;
    context->limits[limit] = value % unit == 0 ? value : value - value % unit + unit;
    return cudaSuccess;
}

cudaError_t facade_limit_read(const struct facade_context *context, int limit, size_t *value)
{
    const cudaError_t error = check_limit(limit);
    if (error == cudaSuccess)
        *value = context->limits[limit];
    return error;
}
