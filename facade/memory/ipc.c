/* Sharing between processes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/ipc.h"

#include <string.h>

#include "cl/check_made.h"
#include "cl/memory.h"
#include "cl/share.h"
#include "facade/graph/capture.h"
#include "facade/memory/external_memory.h"
#include "facade/state/handles.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(struct ocl_share_handle),
               "a handle of cl/ is CUDA's");

/* The current context, if memory can be shared there, in a thread that may wait. */
static cudaError_t find_context(struct ocl_context **context)
{
    struct facade_context *current = NULL;
    cudaError_t error = facade_current(&current);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error != cudaSuccess)
        return error;
    *context = atomic_load_explicit(&current->cl, memory_order_acquire);
    return ocl_share_is_possible(*context) ? cudaSuccess : cudaErrorNotSupported;
}

cudaError_t facade_ipc_memory_handle(cudaIpcMemHandle_t *handle, const void *pointer)
{
    struct ocl_context *context = NULL;
    struct ocl_share_handle made;
    if (handle == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = find_context(&context);
    if (error != cudaSuccess)
        return error;
    const ocl_status status = ocl_share_memory(pointer, NULL, &made);
    if (status == OCL_OK)
        memcpy(handle, &made, sizeof *handle);
    return status == OCL_E_NOT_READY ? cudaErrorMapBufferObjectFailed
                                     : facade_error_from(status, FACADE_OTHER);
}

cudaError_t facade_ipc_open_memory(void **pointer, const cudaIpcMemHandle_t *handle, unsigned flags)
{
    struct ocl_context *context = NULL;
    struct ocl_share_handle given;
    uint64_t address = 0;
    if (pointer == NULL || (flags & ~(unsigned)cudaIpcMemLazyEnablePeerAccess) != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = find_context(&context);
    if (error != cudaSuccess)
        return error;
    memcpy(&given, handle, sizeof given);
    error = facade_error_from(ocl_share_open_memory(context, &given, &address), FACADE_SHARING);
    if (error != cudaSuccess)
        return error;
    ocl_made_note("opened memory of a process", (void *)(uintptr_t)address, NULL);
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t facade_ipc_close_memory(const void *pointer)
{
    struct ocl_context *context = NULL;
    cudaError_t error = find_context(&context);
    if (error != cudaSuccess)
        return error;
    if (ocl_share_is_pooled(pointer))
        return cudaErrorInvalidValue;
    error = facade_error_from(ocl_share_close_memory(pointer), FACADE_OTHER);
    if (error == cudaSuccess)
        ocl_made_remove((uint64_t)(uintptr_t)pointer);
    return error;
}

cudaError_t facade_ipc_free_imported(const void *pointer)
{
    struct ocl_memory_view view;
    if (ocl_memory_find(pointer, &view) && view.flags == FACADE_EXTERNAL_BUFFER)
        return facade_error_from(ocl_memory_close(pointer), FACADE_OTHER);
    if (!ocl_share_is_pooled(pointer))
        return cudaErrorInvalidValue;
    return facade_error_from(ocl_share_close_memory(pointer), FACADE_OTHER);
}

cudaError_t facade_ipc_discard_imported(const void *pointer)
{
    struct ocl_memory_view view;
    const bool is_buffer = ocl_memory_find(pointer, &view) && view.flags == FACADE_EXTERNAL_BUFFER;
    if (is_buffer && view.address == (uintptr_t)pointer)
        ocl_memory_discard(view.address);
    else if (is_buffer || !ocl_share_is_pooled(pointer))
        return cudaErrorInvalidValue;
    else
        return facade_error_from(ocl_share_discard_memory(pointer), FACADE_OTHER);
    return cudaSuccess;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
    return facade_result(facade_ipc_memory_handle(handle, devPtr));
}

cudaError_t cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle, unsigned int flags)
{
    return facade_result(facade_ipc_open_memory(devPtr, &handle, flags));
}

cudaError_t cudaIpcCloseMemHandle(void *devPtr)
{
    return facade_result(facade_ipc_close_memory(devPtr));
}
