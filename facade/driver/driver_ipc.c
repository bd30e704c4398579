/* The driver API's sharing between processes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <string.h>

#include "facade/memory/ipc.h"

CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    CUresult result = facade_driver_check();
    cudaIpcMemHandle_t made;
    if (result == CUDA_SUCCESS && pHandle == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result =
            facade_driver_error(facade_ipc_memory_handle(&made, (const void *)(uintptr_t)dptr));
    if (result == CUDA_SUCCESS)
        memcpy(pHandle, &made, sizeof made);
    return result;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    CUresult result = facade_driver_check();
    cudaIpcMemHandle_t given;
    void *pointer = NULL;
    memcpy(&given, &handle, sizeof given);
    if (result == CUDA_SUCCESS && pdptr == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_ipc_open_memory(&pointer, &given, Flags));
    if (result == CUDA_SUCCESS)
        *pdptr = (uintptr_t)pointer;
    return result;
}

/* The older name takes what the newer one does. */
CUresult cuIpcOpenMemHandle(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    return cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_ipc_close_memory((const void *)(uintptr_t)dptr))
               : result;
}
