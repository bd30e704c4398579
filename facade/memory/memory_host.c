/* Pinned host memory: allocated, or the user's own pinned in place.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check_made.h"
#include "facade/graph/capture.h"
#include "facade/memory/managed_advice.h"
#include "facade/memory/memory.h"
#include "facade/memory/misuse.h"
#include "facade/memory/pointer_attributes.h"
#include "facade/state/handles.h"
#include "facade/state/runtime.h"

/* What the flags are worth here. Mapped: all pinned memory is. Portable: every device copies to and
 * from pinned memory of any other, asked for or not. Write-combined: OpenCL has no such memory; it is
 * ordinary pinned memory, which the host reads faster than it would read the other. All are told by
 * cudaHostGetFlags as NVIDIA's runtime does.
 *
 * cudaHostRegisterIoMemory is not among them: it is for memory of another device, which OpenCL
 * cannot pin and NVIDIA's runtime refuses with the same error when the memory is the host's. */
enum {
    ALLOCATE_FLAGS = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined,
    REGISTER_FLAGS = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly
};

/* Under unified addressing all pinned memory is mapped, and cudaHostGetFlags says so. Read-only
 * is not told. */
static unsigned kept_flags(unsigned flags)
{
    return (flags & ALLOCATE_FLAGS) | cudaHostAllocMapped;
}

static struct ocl_context *context_cl(struct facade_context *context)
{
    return atomic_load_explicit(&context->cl, memory_order_acquire);
}

static cudaError_t allocate_in(struct facade_context *context, void **host, size_t bytes,
                               unsigned flags)
{
    void *made = NULL;
    uint64_t address = 0;
    ocl_status status =
        ocl_memory_allocate_host(context_cl(context), bytes, kept_flags(flags), &made, &address);
    if (status != OCL_OK)
        return facade_error_from(status, FACADE_OTHER);
    *host = made;
    ocl_made_add("pinned host memory", (uint64_t)(uintptr_t)made, bytes, context);
    return cudaSuccess;
}

cudaError_t facade_memory_allocate_host(void **host, size_t bytes, unsigned flags)
{
    if (host == NULL)
        return cudaErrorInvalidValue;
    *host = NULL;
    if ((flags & ~(unsigned)ALLOCATE_FLAGS) != 0)
        return cudaErrorInvalidValue;
    return facade_memory_allocate_by(allocate_in, host, bytes, flags);
}

static cudaError_t free_known(enum ocl_memory_kind kind, const void *host)
{
    struct ocl_memory_view view;
    const bool is_known = ocl_memory_find(host, &view);
    ocl_status status = ocl_memory_free(kind, host);
    if (is_known && status != OCL_E_NOT_FOUND)
        facade_advice_forget(view.id);
    return facade_error_from(status, FACADE_OTHER);
}

cudaError_t facade_memory_free_host(void *host)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current_enter(&context);
    if (error == cudaErrorCudartUnloading)
        return facade_misuse_free(host, NULL, error);
    if (error != cudaSuccess)
        return error;
    error = facade_capture_check_call();
    if (error == cudaSuccess && host != NULL)
        error = facade_misuse_free(host, "pinned host memory", free_known(OCL_MEMORY_HOST, host));
    facade_context_leave(context);
    return error;
}

/* The user's half of the address space. Source: x86-64 and AArch64 Linux with four levels of
 * page tables. */
enum { USER_ADDRESS_BITS = 47 };

/* "Already registered" is said of the user's memory only; the rest is no memory that may be
 * registered. */
static cudaError_t refuse_known(const void *host)
{
    struct ocl_memory_view view;
    bool is_ours = ocl_memory_find(host, &view) && view.kind != OCL_MEMORY_REGISTERED;
    return is_ours ? cudaErrorInvalidValue : cudaErrorHostMemoryAlreadyRegistered;
}

cudaError_t facade_memory_register(void *host, size_t bytes, unsigned flags)
{
    struct facade_context *context = NULL;
    if (host == NULL || bytes == 0 || (flags & ~(unsigned)REGISTER_FLAGS) != 0 ||
        bytes > UINTPTR_MAX - (uintptr_t)host)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error != cudaSuccess)
        return error;
    if (bytes >> USER_ADDRESS_BITS != 0)
        return cudaErrorMemoryAllocation;
    ocl_status status = ocl_memory_register(context_cl(context), host, bytes,
                                            kept_flags(flags & cudaHostRegisterPortable));
    if (status == OCL_OK)
        ocl_made_add("registered host memory", (uint64_t)(uintptr_t)host, bytes, context);
    return status == OCL_E_ALREADY ? refuse_known(host) : facade_error_from(status, FACADE_OTHER);
}

cudaError_t facade_memory_unregister(void *host)
{
    struct facade_context *context = NULL;
    struct ocl_memory_view view;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error != cudaSuccess)
        return error;
    if (host == NULL)
        return cudaErrorInvalidValue;
    ocl_status status = ocl_memory_free(OCL_MEMORY_REGISTERED, host);
    if (status == OCL_OK)
        ocl_made_remove((uint64_t)(uintptr_t)host);
    if (status == OCL_E_NOT_FOUND)
        return ocl_memory_find(host, &view) ? cudaErrorInvalidValue
                                            : cudaErrorHostMemoryNotRegistered;
    return facade_error_from(status, FACADE_OTHER);
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

/* Managed memory is no pinned memory that is mapped, though it has flags like some. */
static unsigned host_flags(const struct ocl_memory_view *view)
{
    return view->kind == OCL_MEMORY_MANAGED ? cudaHostAllocMapped : view->flags;
}

cudaError_t facade_memory_device_pointer(void **device, const void *host, unsigned flags)
{
    struct ocl_memory_view view;
    if (device == NULL || flags != 0)
        return cudaErrorInvalidValue;
    cudaError_t error = find_host(host, &view);
    if (error != cudaSuccess)
        return error;
    if (view.kind == OCL_MEMORY_MANAGED)
        return cudaErrorInvalidValue;
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
        *flags = host_flags(&view);
    return error;
}

/* Without bytes the runtime looks at nothing else, the driver at the flags first. */
static cudaError_t allocate(void **host, size_t bytes, unsigned flags)
{
    return facade_memory_allocate_host(host, bytes, bytes == 0 ? cudaHostAllocDefault : flags);
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaMallocHost(void **ptr, size_t size)
{
    return facade_result(facade_memory_allocate_host(ptr, size, cudaHostAllocDefault));
}

cudaError_t cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    return facade_result(allocate(pHost, size, flags));
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
