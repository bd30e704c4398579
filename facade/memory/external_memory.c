/* Memory that the program has from elsewhere: on CPUs, files that can be mapped.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/external_memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include "cl/check_made.h"
#include "cl/memory.h"
#include "cl/share.h"
#include "facade/graph/capture.h"
#include "facade/state/handles.h"
#include "facade/state/runtime.h"

/* CUexternalMemory. */
struct facade_external {
    int file;
    uint64_t bytes;
};

static cudaError_t find_context(struct ocl_context **context)
{
    struct facade_context *current = NULL;
    cudaError_t error = facade_current(&current);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error == cudaSuccess)
        *context = atomic_load_explicit(&current->cl, memory_order_acquire);
    return error;
}

static cudaError_t find(cudaExternalMemory_t handle, struct facade_external **found)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    *found = facade_handle_find(FACADE_EXTERNAL, handle);
    return *found != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t check_description(const struct cudaExternalMemoryHandleDesc *description)
{
    if ((int)description->type < (int)cudaExternalMemoryHandleTypeOpaqueFd ||
        description->size == 0 ||
        (description->flags & ~(unsigned)cudaExternalMemoryDedicated) != 0)
        return cudaErrorInvalidValue;
    return description->type == cudaExternalMemoryHandleTypeOpaqueFd ? cudaSuccess
                                                                     : cudaErrorNotSupported;
}

/* Whoever touches what a file does not have ends the process. */
static cudaError_t check_file(const struct cudaExternalMemoryHandleDesc *description)
{
    struct stat facts;
    if (fstat(description->handle.fd, &facts) != 0)
        return cudaErrorOperatingSystem;
    return S_ISREG(facts.st_mode) && (uint64_t)facts.st_size >= description->size
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

cudaError_t facade_external_import(cudaExternalMemory_t *memory,
                                   const struct cudaExternalMemoryHandleDesc *description)
{
    struct ocl_context *context = NULL;
    if (memory == NULL || description == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = find_context(&context);
    if (error == cudaSuccess && !ocl_share_is_possible(context))
        error = cudaErrorNotSupported;
    if (error == cudaSuccess)
        error = check_description(description);
    if (error == cudaSuccess)
        error = check_file(description);
    if (error != cudaSuccess)
        return error;
    struct facade_external *made = facade_handle_new(FACADE_EXTERNAL, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->file = description->handle.fd;
    made->bytes = description->size;
    ocl_made_note("external memory", made, NULL);
    *memory = (cudaExternalMemory_t)made;
    return cudaSuccess;
}

static bool is_within(const struct facade_external *external,
                      const struct cudaExternalMemoryBufferDesc *description)
{
    return description->flags == 0 && description->size > 0 &&
           description->offset < external->bytes &&
           description->size <= external->bytes - description->offset;
}

cudaError_t facade_external_map(void **pointer, cudaExternalMemory_t memory,
                                const struct cudaExternalMemoryBufferDesc *description)
{
    struct facade_external *external = NULL;
    struct ocl_context *context = NULL;
    uint64_t address = 0;
    if (pointer == NULL || description == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = find(memory, &external);
    if (error == cudaSuccess && !is_within(external, description))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = find_context(&context);
    if (error != cudaSuccess)
        return error;
    error = facade_error_from(ocl_memory_import(context, external->file, description->offset,
                                                (size_t)description->size, FACADE_EXTERNAL_BUFFER,
                                                &address),
                              FACADE_OTHER);
    if (error != cudaSuccess)
        return error;
    ocl_made_add("external memory", address, description->size, facade_context_owning(context));
    *pointer = (void *)(uintptr_t)address;
    return cudaSuccess;
}

cudaError_t facade_external_map_array(cudaMipmappedArray_t *array, cudaExternalMemory_t memory,
                                      uint64_t offset, const struct facade_array_format *format,
                                      struct cudaExtent extent, unsigned levels, unsigned flags)
{
    struct facade_external *external = NULL;
    const cudaError_t error = find(memory, &external);
    if (error != cudaSuccess)
        return error;
    if (offset >= external->bytes)
        return cudaErrorInvalidValue;
    const struct facade_array_bytes from = {external->file, offset, external->bytes - offset};
    return facade_mipmapped_array_create(array, format, extent, levels, flags, &from);
}

cudaError_t facade_external_destroy(cudaExternalMemory_t memory)
{
    struct facade_external *external = NULL;
    cudaError_t error = find(memory, &external);
    if (error != cudaSuccess)
        return error;
    const int file = external->file;
    facade_handle_free(external);
    close(file);
    return cudaSuccess;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t *extMem_out,
                                     const struct cudaExternalMemoryHandleDesc *memHandleDesc)
{
    return facade_result(facade_external_import(extMem_out, memHandleDesc));
}

cudaError_t cudaExternalMemoryGetMappedBuffer(void **devPtr, cudaExternalMemory_t extMem,
                                              const struct cudaExternalMemoryBufferDesc *bufferDesc)
{
    return facade_result(facade_external_map(devPtr, extMem, bufferDesc));
}

cudaError_t cudaExternalMemoryGetMappedMipmappedArray(
    cudaMipmappedArray_t *mipmap, cudaExternalMemory_t extMem,
    const struct cudaExternalMemoryMipmappedArrayDesc *mipmapDesc)
{
    struct facade_array_format format;
    if (mipmap == NULL || mipmapDesc == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_array_format_from_desc(&format, &mipmapDesc->formatDesc);
    if (error == cudaSuccess)
        error =
            facade_external_map_array(mipmap, extMem, mipmapDesc->offset, &format,
                                      mipmapDesc->extent, mipmapDesc->numLevels, mipmapDesc->flags);
    return facade_result(error);
}

cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t extMem)
{
    return facade_result(facade_external_destroy(extMem));
}
