/* The driver API's sharing between processes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include <string.h>

#include "facade/memory/ipc.h"
#include "facade/memory/memory_pool.h"

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

/* --- pools: what they are made of has the runtime's layout ------------------------------------- */

CUresult cuMemPoolExportToShareableHandle(void *handle_out, CUmemoryPool pool,
                                          CUmemAllocationHandleType handleType,
                                          unsigned long long flags)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_pool_export(
                     handle_out, pool, (enum cudaMemAllocationHandleType)handleType, flags))
               : result;
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *pool_out, void *handle,
                                            CUmemAllocationHandleType handleType,
                                            unsigned long long flags)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_pool_import(
                     pool_out, handle, (enum cudaMemAllocationHandleType)handleType, flags))
               : result;
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *shareData_out, CUdeviceptr ptr)
{
    struct cudaMemPoolPtrExportData data;
    CUresult result = facade_driver_ready();
    if (result == CUDA_SUCCESS && shareData_out == NULL)
        result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS)
        result =
            facade_driver_error(facade_pool_export_pointer(&data, (const void *)(uintptr_t)ptr));
    if (result == CUDA_SUCCESS)
        memcpy(shareData_out, &data, sizeof data);
    return result;
}

CUresult cuMemPoolImportPointer(CUdeviceptr *ptr_out, CUmemoryPool pool,
                                CUmemPoolPtrExportData *shareData)
{
    struct cudaMemPoolPtrExportData data;
    void *pointer = NULL;
    CUresult result = facade_driver_ready();
    if (result == CUDA_SUCCESS && (ptr_out == NULL || shareData == NULL))
        result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
        return result;
    memcpy(&data, shareData, sizeof data);
    result = facade_driver_error(facade_pool_import_pointer(&pointer, pool, &data));
    if (result == CUDA_SUCCESS)
        *ptr_out = (uintptr_t)pointer;
    return result;
}
