/* Device memory: allocation, rows with a pitch, freeing, how much there is.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/memory.h"
#include "facade/handles.h"
#include "facade/memory.h"

static struct ocl_context *context_cl(struct facade_context *context)
{
    return atomic_load_explicit(&context->cl, memory_order_acquire);
}

cudaError_t facade_memory_allocate(void **pointer, size_t bytes)
{
    struct facade_context *context = NULL;
    uint64_t address = 0;
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    if (bytes > 0) {
        ocl_status status = ocl_memory_allocate(context_cl(context), bytes, 0, &address);
        if (status != OCL_OK)
            return facade_error_from(status, FACADE_ALLOCATE);
    }
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

/* Errors: cudaErrorMemoryAllocation, because no device has what no size_t holds. */
static cudaError_t pitched_bytes(struct cudaExtent extent, size_t *pitch, size_t *bytes)
{
    size_t rows = 0;
    if (__builtin_add_overflow(extent.width, (size_t)FACADE_PITCH_ALIGNMENT - 1, pitch))
        return cudaErrorMemoryAllocation;
    *pitch -= *pitch % FACADE_PITCH_ALIGNMENT;
    if (__builtin_mul_overflow(extent.height, extent.depth, &rows) || __builtin_mul_overflow(rows, *pitch, bytes))
        return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

cudaError_t facade_memory_allocate_pitched(void **pointer, size_t *pitch, struct cudaExtent extent)
{
    size_t row = 0, bytes = 0;
    if (pointer == NULL || pitch == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = pitched_bytes(extent, &row, &bytes);
    if (error == cudaSuccess)
        error = facade_memory_allocate(pointer, bytes);
    if (error == cudaSuccess)
        *pitch = row;
    return error;
}

/* The pointer names its context, so the current device does not matter; a thread without one gets one, as from any
 * first call. */
cudaError_t facade_memory_free(void *pointer)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess || pointer == NULL)
        return error;
    return facade_error_from(ocl_memory_free(OCL_MEMORY_DEVICE, pointer), FACADE_OTHER);
}

cudaError_t facade_memory_info(size_t *free_bytes, size_t *total_bytes)
{
    struct facade_context *context = NULL;
    size_t available = 0, total = 0;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    ocl_memory_info(context_cl(context), &available, &total);
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
    if (!ocl_memory_find((const void *)(uintptr_t)address, &view))
        return cudaErrorInvalidValue;
    if (base != NULL)
        *base = view.address;
    if (bytes != NULL)
        *bytes = view.bytes;
    return cudaSuccess;
}

/* --- entry points ---------------------------------------------------------------------------------------------- */

cudaError_t cudaMalloc(void **devPtr, size_t size)
{
    return facade_result(facade_memory_allocate(devPtr, size));
}

cudaError_t cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    return facade_result(facade_memory_allocate_pitched(devPtr, pitch, (struct cudaExtent){width, height, 1}));
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
    struct cudaPitchedPtr made = {.xsize = extent.width, .ysize = extent.height};
    if (pitchedDevPtr == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_memory_allocate_pitched(&made.ptr, &made.pitch, extent);
    if (error == cudaSuccess)
        *pitchedDevPtr = made;
    return facade_result(error);
}

cudaError_t cudaFree(void *devPtr)
{
    return facade_result(facade_memory_free(devPtr));
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    return facade_result(facade_memory_info(free, total));
}
