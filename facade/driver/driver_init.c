/* Starting the driver API, what its functions check first, and the profiler's switches.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <stdio.h>

#include "facade/device/device.h"
#include "facade/driver/driver.h"

#include "cl/profile.h"
#include "facade/state/runtime.h"

CUresult facade_driver_ready(void)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return facade_driver_error(error);
    return facade_is_started() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult facade_driver_current(struct facade_context **context)
{
    CUresult result = facade_driver_ready();
    if (result != CUDA_SUCCESS)
        return result;
    if (facade_stack_top() == NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    *context = facade_stack_live();
    return facade_driver_error(facade_context_check(*context));
}

CUresult facade_driver_check(void)
{
    struct facade_context *context = NULL;
    return facade_driver_current(&context);
}

CUresult facade_driver_device(CUdevice device)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_device_check(device)) : result;
}

/* --- entry points ----------------------------------------------------------------------------- */

CUresult cuInit(unsigned int Flags)
{
    int count = 0;
    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    return facade_driver_error(facade_devices(&count));
}

CUresult cuDriverGetVersion(int *driverVersion)
{
    if (driverVersion == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* Only NVIDIA's own runtime cannot do without. It will report an error that explains nothing, in a
 * program that clem-run did not see, because a child started it. */
CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    static atomic_flag is_said = ATOMIC_FLAG_INIT;
    (void)ppExportTable, (void)pExportTableId;
    if (!atomic_flag_test_and_set(&is_said))
        fputs(
            "clem: NVIDIA's own CUDA runtime is in this program, and cannot run on clem: build it "
            "again with nvcc -cudart shared\n",
            stderr);
    return facade_driver_unsupported(__func__);
}

CUresult cuProfilerStart(void)
{
    const CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        ocl_profile_resume();
    return result;
}

CUresult cuProfilerStop(void)
{
    const CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        ocl_profile_pause();
    return result;
}
