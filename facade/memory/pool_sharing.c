/* Pools whose memory several processes have.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/memory.h"
#include "facade/memory/memory_pool.h"
#include "facade/state/handles.h"
#include "facade/state/runtime.h"

_Static_assert(sizeof(struct cudaMemPoolPtrExportData) == sizeof(struct ocl_share_handle),
               "a handle of cl/ is CUDA's");

static bool is_asked_right(enum cudaMemAllocationHandleType type, unsigned long long flags)
{
    return type == cudaMemHandleTypePosixFileDescriptor && flags == 0;
}

cudaError_t facade_pool_export(void *handle, cudaMemPool_t pool,
                               enum cudaMemAllocationHandleType type, unsigned long long flags)
{
    int device = 0, file = -1;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    const struct facade_pool_sharing *sharing = facade_pool_sharing_of(pool, &device);
    if (handle == NULL || sharing == NULL || !sharing->is_exportable ||
        !is_asked_right(type, flags))
        return cudaErrorInvalidValue;
    error = facade_error_from(ocl_share_make_pool_file(&sharing->name, &file), FACADE_OTHER);
    if (error == cudaSuccess)
        memcpy(handle, &file, sizeof file);
    return error;
}

cudaError_t facade_pool_import(cudaMemPool_t *pool, void *handle,
                               enum cudaMemAllocationHandleType type, unsigned long long flags)
{
    struct facade_context *context = NULL;
    struct ocl_share_pool name;
    if (pool == NULL || !is_asked_right(type, flags))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    if (!ocl_share_is_possible(atomic_load_explicit(&context->cl, memory_order_acquire)))
        return cudaErrorNotSupported;
    error = facade_error_from(ocl_share_read_pool_file((int)(intptr_t)handle, &name), FACADE_OTHER);
    return error == cudaSuccess ? facade_pool_import_as(pool, context->device, &name) : error;
}

cudaError_t facade_pool_export_pointer(struct cudaMemPoolPtrExportData *data, const void *pointer)
{
    struct ocl_memory_view view;
    struct ocl_share_handle made;
    int device = 0;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    if (data == NULL || !ocl_memory_find(pointer, &view) || view.pool_owner == NULL)
        return cudaErrorInvalidValue;
    const struct facade_pool_sharing *sharing = facade_pool_sharing_of(view.pool_owner, &device);
    if (sharing == NULL || !sharing->is_exportable)
        return cudaErrorInvalidValue;
    const ocl_status status = ocl_share_memory(pointer, &sharing->name, &made);
    if (status == OCL_OK)
        memcpy(data, &made, sizeof *data);
    return status == OCL_E_NOT_READY ? cudaErrorMapBufferObjectFailed
                                     : facade_error_from(status, FACADE_OTHER);
}

cudaError_t facade_pool_import_pointer(void **pointer, cudaMemPool_t pool,
                                       const struct cudaMemPoolPtrExportData *data)
{
    struct ocl_share_handle given;
    uint64_t address = 0;
    int device = 0;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    const struct facade_pool_sharing *sharing = facade_pool_sharing_of(pool, &device);
    if (pointer == NULL || data == NULL || sharing == NULL || !sharing->is_imported)
        return cudaErrorInvalidValue;
    struct facade_context *primary = facade_primary(device);
    error = facade_primary_hold(primary);
    if (error != cudaSuccess)
        return error;
    memcpy(&given, data, sizeof given);
    error = facade_error_from(
        ocl_share_open_pooled(atomic_load_explicit(&primary->cl, memory_order_acquire),
                              &sharing->name, &given, &address),
        FACADE_SHARING);
    if (error == cudaSuccess)
        *pointer = (void *)(uintptr_t)address;
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                               enum cudaMemAllocationHandleType handleType,
                                               unsigned int flags)
{
    return facade_result(facade_pool_export(shareableHandle, memPool, handleType, flags));
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *memPool, void *shareableHandle,
                                                 enum cudaMemAllocationHandleType handleType,
                                                 unsigned int flags)
{
    return facade_result(facade_pool_import(memPool, shareableHandle, handleType, flags));
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr)
{
    return facade_result(facade_pool_export_pointer(exportData, ptr));
}

cudaError_t cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                                     struct cudaMemPoolPtrExportData *exportData)
{
    return facade_result(facade_pool_import_pointer(ptr, memPool, exportData));
}
