/* Sharing between processes, as runtime and driver API have it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_IPC_H
#define FACADE_IPC_H

#include "facade/state/internal.h"

_Static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle) &&
                   sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle),
               "both APIs have one handle");

/* The handle of the allocation that holds the byte at pointer.
 * Order:  the first one of a block of memory waits for the work of all devices, as freeing does.
 * Errors: cudaErrorInvalidValue for what is no device memory of this process's own, or is a pool's;
 *         cudaErrorNotSupported where device memory is not the host's, or kernels have no addresses;
 *         cudaErrorMapBufferObjectFailed where the device does not come to rest. */
cudaError_t facade_ipc_memory_handle(cudaIpcMemHandle_t *handle, const void *pointer);

/* Opens memory of another process in the current context. flags: 0 or cudaIpcMemLazyEnablePeerAccess.
 * Errors: cudaErrorDeviceUninitialized, which is CUDA_ERROR_INVALID_CONTEXT, in the process whose handle it is;
 *         cudaErrorInvalidResourceHandle when the memory is gone, or its process, or not this user's;
 *         cudaErrorMapBufferObjectFailed; cudaErrorNotSupported as above. */
cudaError_t facade_ipc_open_memory(void **pointer, const cudaIpcMemHandle_t *handle,
                                   unsigned flags);

/* Errors: cudaErrorInvalidValue when no opened memory starts there, or a pool's. */
cudaError_t facade_ipc_close_memory(const void *pointer);

/* What cudaFree() comes to for memory that is also another's: one opening less of a pool's; the end of an external object's buffer.
 * Errors: cudaErrorInvalidValue for memory of other processes that is closed otherwise. */
cudaError_t facade_ipc_free_imported(const void *pointer);

/* The same without waiting: the memory stays until nobody holds it. */
cudaError_t facade_ipc_discard_imported(const void *pointer);

#endif
