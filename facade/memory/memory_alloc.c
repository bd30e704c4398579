/* Device memory: allocation, rows with a pitch, freeing, how much there is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/check_made.h"
#include "cl/memory.h"
#include "cl/virtual.h"
#include "facade/graph/capture.h"
#include "facade/memory/ipc.h"
#include "facade/memory/managed_advice.h"
#include "facade/memory/memory.h"
#include "facade/memory/misuse.h"
#include "facade/state/handles.h"
#include "facade/state/runtime.h"

static struct ocl_context *context_cl(struct facade_context *context)
{
    return atomic_load_explicit(&context->cl, memory_order_acquire);
}

cudaError_t facade_memory_allocate_by(facade_memory_allocator *allocate, void **pointer,
                                      size_t bytes, unsigned flags)
{
    struct facade_context *context = NULL;
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    cudaError_t error = facade_current_enter(&context);
    if (error != cudaSuccess)
        return error;
    error = facade_capture_check_call();
    if (error == cudaSuccess && bytes > 0)
        error = allocate(context, pointer, bytes, flags);
    facade_context_leave(context);
    return error;
}

static cudaError_t allocate_in(struct facade_context *context, void **pointer, size_t bytes,
                               unsigned flags)
{
    uint64_t address = 0;
    (void)flags;
    ocl_status status = ocl_memory_allocate(context_cl(context), bytes, 0, &address);
    if (status != OCL_OK)
        return facade_error_from(status, FACADE_OTHER);
    *pointer = (void *)(uintptr_t)address;
    ocl_made_add("device memory", address, bytes, context);
    return cudaSuccess;
}

cudaError_t facade_memory_allocate(void **pointer, size_t bytes)
{
    return facade_memory_allocate_by(allocate_in, pointer, bytes, 0);
}

/* NVIDIA's driver multiplies without looking: what wraps around to nothing is a bad value, what
 * wraps around to anything else is too much memory. */
static cudaError_t pitched_bytes(struct cudaExtent extent, size_t *pitch, size_t *bytes)
{
    size_t rows = 0;
    bool wraps = __builtin_add_overflow(extent.width, (size_t)FACADE_PITCH_ALIGNMENT - 1, pitch);
    *pitch -= *pitch % FACADE_PITCH_ALIGNMENT;
    wraps |= __builtin_mul_overflow(extent.height, extent.depth, &rows);
    wraps |= __builtin_mul_overflow(rows, *pitch, bytes);
    if (!wraps)
        return cudaSuccess;
    return *bytes == 0 ? cudaErrorInvalidValue : cudaErrorMemoryAllocation;
}

cudaError_t facade_memory_allocate_pitched(void **pointer, size_t *pitch, struct cudaExtent extent)
{
    size_t row = 0, bytes = 0;
    cudaError_t error = cudaSuccess;
    if (pointer == NULL || pitch == NULL)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    *pitch = 0;
    if (extent.width != 0 && extent.height != 0 && extent.depth != 0)
        error = pitched_bytes(extent, &row, &bytes);
    if (error == cudaSuccess)
        error = facade_memory_allocate(pointer, bytes);
    if (error == cudaSuccess)
        *pitch = row;
    return error;
}

static cudaError_t free_within(void *pointer)
{
    struct ocl_memory_view view;
    const cudaError_t error = facade_capture_check_call();
    if (error != cudaSuccess || pointer == NULL)
        return error;
    if (!ocl_memory_find(pointer, &view))
        return facade_misuse_free(pointer, "device memory", cudaErrorInvalidValue);
    if (view.is_imported)
        return facade_ipc_free_imported(pointer);
    const bool is_managed = view.kind == OCL_MEMORY_MANAGED;
    ocl_status status =
        ocl_memory_free(is_managed ? OCL_MEMORY_MANAGED : OCL_MEMORY_DEVICE, pointer);
    if (status != OCL_E_NOT_FOUND)
        facade_advice_forget(view.id);
    return facade_misuse_free(pointer, "device memory", facade_error_from(status, FACADE_OTHER));
}

/* The pointer names its context, so the current device does not matter; a thread without one
 * gets one, as from any first call. */
cudaError_t facade_memory_free(void *pointer)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current_enter(&context);
    if (error == cudaErrorCudartUnloading)
        return facade_misuse_free(pointer, NULL, error);
    if (error != cudaSuccess)
        return error;
    error = free_within(pointer);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_memory_info(size_t *free_bytes, size_t *total_bytes)
{
    struct facade_context *context = NULL;
    size_t available = 0, total = 0;
    cudaError_t error = facade_current_enter(&context);
    if (error != cudaSuccess)
        return error;
    ocl_memory_info(context_cl(context), &available, &total);
    facade_context_leave(context);
    const uint64_t physical = ocl_physical_taken(context->device);
    available = physical < available ? available - (size_t)physical : 0;
    if (free_bytes != NULL)
        *free_bytes = available;
    if (total_bytes != NULL)
        *total_bytes = total;
    return cudaSuccess;
}

cudaError_t facade_memory_address_range(uint64_t *base, size_t *bytes, uint64_t address)
{
    struct ocl_memory_view view;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    if (base == NULL && bytes == NULL)
        return cudaSuccess;
    bool is_known = ocl_memory_find((const void *)(uintptr_t)address, &view);
    if (base != NULL)
        *base = is_known ? view.address : 0;
    if (bytes != NULL)
        *bytes = is_known ? view.bytes : 0;
    return is_known ? cudaSuccess : cudaErrorSymbolNotFound;
}

static cudaError_t allocate_3d(struct cudaPitchedPtr *pitched, struct cudaExtent extent)
{
    if (pitched == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_memory_allocate_pitched(&pitched->ptr, &pitched->pitch, extent);
    if (error == cudaSuccess) {
        pitched->xsize = extent.width;
        pitched->ysize = extent.height;
    }
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    return facade_result(facade_memory_allocate(devPtr, size));
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    return facade_result(
        facade_memory_allocate_pitched(devPtr, pitch, (struct cudaExtent){width, height, 1}));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
    return facade_result(allocate_3d(pitchedDevPtr, extent));
}

cudaError_t cudaFree(void *devPtr)
{
    return facade_result(facade_memory_free(devPtr));
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    return facade_result(facade_memory_info(free, total));
}
