/* The last error of each thread, and the names and texts of every error.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/trace.h"
#include "facade/state/thread_state.h"

cudaError_t facade_result(cudaError_t error)
{
    if (error != cudaSuccess && error != cudaErrorNotReady)
        facade_thread()->last_error = error;
    return error;
}

cudaError_t facade_take_last_error(void)
{
    cudaError_t error = facade_thread()->last_error;
    facade_thread()->last_error = cudaSuccess;
    return error;
}

cudaError_t facade_unsupported(const char *name)
{
    ocl_trace("%s is not supported", name);
    return facade_result(cudaErrorNotSupported);
}

CUresult facade_driver_unsupported(const char *name)
{
    ocl_trace("%s is not supported", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

struct error_row {
    int value;
    const char *name;
    const char *text;
};

static const struct error_row runtime_errors[] = {
#define ERROR(name, value, text) {value, #name, text},
#include "facade/lists/errors.def"
#undef ERROR
};

static const struct error_row driver_errors[] = {
#define ERROR(name, value, text) {value, #name, text},
#include "facade/lists/driver_errors.def"
#undef ERROR
};

static const struct error_row *find_row(const struct error_row *rows, size_t count, int value)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].value == value)
            return &rows[i];
    }
    return NULL;
}

static const struct error_row *runtime_row(cudaError_t error)
{
    return find_row(runtime_errors, sizeof runtime_errors / sizeof runtime_errors[0], (int)error);
}

static const struct error_row *driver_row(CUresult error)
{
    return find_row(driver_errors, sizeof driver_errors / sizeof driver_errors[0], (int)error);
}

cudaError_t cudaGetLastError(void)
{
    return facade_take_last_error();
}

cudaError_t cudaPeekAtLastError(void)
{
    return facade_thread()->last_error;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const struct error_row *row = runtime_row(error);
    return row != NULL ? row->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const struct error_row *row = runtime_row(error);
    return row != NULL ? row->text : "unrecognized error code";
}

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
    const struct error_row *row = driver_row(error);
    if (pStr == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = row != NULL ? row->name : NULL;
    return row != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
    const struct error_row *row = driver_row(error);
    if (pStr == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *pStr = row != NULL ? row->text : NULL;
    return row != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
