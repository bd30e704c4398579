/* Which CUDA clem speaks, and the profiler's switches.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/profile.h"
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

cudaError_t cudaProfilerStart(void)
{
    const cudaError_t error = facade_process_state();
    if (error == cudaSuccess)
        ocl_profile_resume();
    return facade_result(error);
}

cudaError_t cudaProfilerStop(void)
{
    const cudaError_t error = facade_process_state();
    if (error == cudaSuccess)
        ocl_profile_pause();
    return facade_result(error);
}
