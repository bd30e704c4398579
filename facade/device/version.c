/* Which CUDA clem speaks, and the profiler's switches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/state/internal.h"
#include "include/cuda_profiler_api.h"

cudaError_t cudaDriverGetVersion(int *driverVersion)
{
    if (driverVersion == NULL)
        return facade_result(cudaErrorInvalidValue);
    *driverVersion = CUDA_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
    if (runtimeVersion == NULL)
        return facade_result(cudaErrorInvalidValue);
    *runtimeVersion = CUDART_VERSION;
    return cudaSuccess;
}

/* There is no profiler to switch: a program's marks are accepted. */
cudaError_t cudaProfilerStart(void)
{
    return facade_result(facade_process_state());
}

cudaError_t cudaProfilerStop(void)
{
    return facade_result(facade_process_state());
}
