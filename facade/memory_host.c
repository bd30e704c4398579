/* Pinned host memory: allocated, or the user's own pinned in place.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/handles.h"
#include "facade/memory.h"
#include "facade/pointer_attributes.h"

enum {
    ALLOCATE_FLAGS = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined,
    REGISTER_FLAGS =
        cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly
};

static struct ocl_context *context_cl(struct facade_context *context)
{
    return atomic_load_explicit(&context->cl, memory_order_acquire);
}

cudaError_t facade_memory_allocate_host(void **host, size_t bytes, unsigned flags)
{
    struct facade_context *context = NULL;
    void *made = NULL;
    uint64_t address = 0;
    if (host == NULL || (flags & ~(unsigned)ALLOCATE_FLAGS) != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    if (bytes > 0) {
        ocl_status status = ocl_memory_allocate_host(context_cl(context), bytes, flags, &made, &address);
        if (status != OCL_OK)
            return facade_error_from(status, FACADE_ALLOCATE);
    }
    *host = made;
    return cudaSuccess;
}

cudaError_t facade_memory_free_host(void *host)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess || host == NULL)
        return error;
    return facade_error_from(ocl_memory_free(OCL_MEMORY_HOST, host), FACADE_OTHER);
}

/* cudaHostRegisterIoMemory names memory of another device, which OpenCL cannot pin. */
cudaError_t facade_memory_register(void *host, size_t bytes, unsigned flags)
{
    struct facade_context *context = NULL;
    if (host == NULL || bytes == 0 || (flags & ~(unsigned)REGISTER_FLAGS) != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    if ((flags & cudaHostRegisterIoMemory) != 0)
        return cudaErrorNotSupported;
    return facade_error_from(ocl_memory_register(context_cl(context), host, bytes, flags), FACADE_ALLOCATE);
}

cudaError_t facade_memory_unregister(void *host)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    if (host == NULL)
        return cudaErrorInvalidValue;
    ocl_status status = ocl_memory_free(OCL_MEMORY_REGISTERED, host);
    return status == OCL_E_NOT_FOUND ? cudaErrorHostMemoryNotRegistered : facade_error_from(status, FACADE_OTHER);
}

/* The host memory that holds the byte at host. Errors: cudaErrorInvalidValue. */
static cudaError_t find_host(const void *host, struct ocl_memory_view *view)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    if (!ocl_memory_find(host, view) || view->kind == OCL_MEMORY_DEVICE)
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t facade_memory_device_pointer(void **device, const void *host, unsigned flags)
{
    struct ocl_memory_view view;
    if (device == NULL || flags != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = find_host(host, &view);
    if (error != cudaSuccess)
        return error;
    *device = facade_place_device_pointer(&view, (uintptr_t)host);
    return cudaSuccess;
}

cudaError_t facade_memory_host_flags(unsigned *flags, const void *host)
{
    struct ocl_memory_view view;
    if (flags == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = find_host(host, &view);
    if (error == cudaSuccess)
        *flags = view.flags;
    return error;
}

/* --- entry points ---------------------------------------------------------------------------------------------- */

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return facade_result(facade_memory_allocate_host(ptr, size, cudaHostAllocDefault));
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    return facade_result(facade_memory_allocate_host(pHost, size, flags));
}

cudaError_t cudaFreeHost(void *ptr)
{
    return facade_result(facade_memory_free_host(ptr));
}

cudaError_t cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    return facade_result(facade_memory_register(ptr, size, flags));
}

cudaError_t cudaHostUnregister(void *ptr)
{
    return facade_result(facade_memory_unregister(ptr));
}

cudaError_t cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    return facade_result(facade_memory_device_pointer(pDevice, pHost, flags));
}

cudaError_t cudaHostGetFlags(unsigned int *pFlags, void *pHost)
{
    return facade_result(facade_memory_host_flags(pFlags, pHost));
}
