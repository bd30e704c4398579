/* What an address is, for both APIs' queries and for every copy and fill.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/pointer_attributes.h"

#include <string.h>

#include "facade/handles.h"
#include "facade/runtime.h"

/* What NVIDIA's runtime says about memory that no device knows. */
enum { NO_DEVICE = -2 };

/* Host memory may have two addresses: the host's and, where kernels cannot use that one, the
 * device's. */
static size_t offset_in(const struct ocl_memory_view *view, uint64_t address)
{
    uint64_t host = (uintptr_t)view->host;
    if (view->host != NULL && address - host < view->bytes)
        return (size_t)(address - host);
    return (size_t)(address - view->address);
}

struct facade_place facade_place_find(uint64_t address)
{
    struct ocl_memory_view view;
    if (!ocl_memory_find((const void *)(uintptr_t)address, &view))
        return (struct facade_place){FACADE_PAGEABLE, NULL, SIZE_MAX};
    return (struct facade_place){
        .kind = view.kind == OCL_MEMORY_DEVICE ? FACADE_DEVICE : FACADE_PINNED,
        .context = view.context,
        .left = view.bytes - offset_in(&view, address),
    };
}

void *facade_place_device_pointer(const struct ocl_memory_view *view, uint64_t address)
{
    return (void *)(uintptr_t)(view->address + offset_in(view, address));
}

/* NULL for device memory, also where the host could reach it: CUDA's programs may not. */
void *facade_place_host_pointer(const struct ocl_memory_view *view, uint64_t address)
{
    if (view->kind == OCL_MEMORY_DEVICE)
        return NULL;
    return (char *)view->host + offset_in(view, address);
}

cudaError_t facade_pointer_attributes(struct cudaPointerAttributes *attributes, const void *pointer)
{
    struct facade_context *current = NULL;
    struct ocl_memory_view view;
    if (attributes == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&current);
    if (error != cudaSuccess)
        return error;
    if (!ocl_memory_find(pointer, &view)) {
        *attributes = (struct cudaPointerAttributes){.type = cudaMemoryTypeUnregistered,
                                                     .device = NO_DEVICE,
                                                     .hostPointer = (void *)(uintptr_t)pointer};
        return cudaSuccess;
    }
    *attributes = (struct cudaPointerAttributes){
        .type = view.kind == OCL_MEMORY_DEVICE ? cudaMemoryTypeDevice : cudaMemoryTypeHost,
        .device = ocl_context_device(view.context),
        .devicePointer = facade_place_device_pointer(&view, (uintptr_t)pointer),
        .hostPointer = facade_place_host_pointer(&view, (uintptr_t)pointer),
    };
    return cudaSuccess;
}

/* --- the driver's attributes ------------------------------------------------------------------ */

/* The answers to all questions about one pointer; all zero for an unknown one. */
struct facts {
    void *context; /* a CUcontext */
    CUmemorytype memory_type;
    CUdeviceptr device_pointer, range_start;
    void *host_pointer, *pool;
    unsigned long long buffer_id, handle_types;
    int ordinal;
    size_t range_bytes;
    unsigned no; /* for what clem's memory never is */
    unsigned is_mapped;
    CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS access;
};

#define FACT(attribute, field)                                                                     \
    {                                                                                              \
        attribute, offsetof(struct facts, field), sizeof(((struct facts *)NULL)->field)            \
    }
/* The attributes of type bool are one byte: the low one of an unsigned. Source: CUDA Driver API
 * 13.0, cuPointerGetAttribute; one byte is what NVIDIA's driver writes. */
#define FACT_BOOL(attribute, field)                                                                \
    {                                                                                              \
        attribute, offsetof(struct facts, field), 1                                                \
    }

static const struct {
    CUpointer_attribute attribute;
    size_t offset, bytes;
} rows[] = {
    FACT(CU_POINTER_ATTRIBUTE_CONTEXT, context),
    FACT(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory_type),
    FACT(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, device_pointer),
    FACT(CU_POINTER_ATTRIBUTE_HOST_POINTER, host_pointer),
    FACT_BOOL(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, no),
    FACT(CU_POINTER_ATTRIBUTE_BUFFER_ID, buffer_id),
    FACT_BOOL(CU_POINTER_ATTRIBUTE_IS_MANAGED, no),
    FACT(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ordinal),
    FACT_BOOL(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, no),
    FACT(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, range_start),
    FACT(CU_POINTER_ATTRIBUTE_RANGE_SIZE, range_bytes),
    FACT_BOOL(CU_POINTER_ATTRIBUTE_MAPPED, is_mapped),
    FACT(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, handle_types),
    FACT_BOOL(CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE, no),
    FACT(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, access),
    FACT(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, pool),
    FACT(CU_POINTER_ATTRIBUTE_MAPPING_SIZE, range_bytes),
    FACT(CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR, range_start),
    FACT(CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID, buffer_id),
    FACT_BOOL(CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE, no),
};

static struct facts facts_of(const struct ocl_memory_view *view, uint64_t address)
{
    bool is_device = view->kind == OCL_MEMORY_DEVICE;
    return (struct facts){
        .context = (CUcontext)facade_context_owning(view->context),
        .memory_type = is_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
        .device_pointer = (uintptr_t)facade_place_device_pointer(view, address),
        .range_start = view->address,
        .host_pointer = facade_place_host_pointer(view, address),
        .buffer_id = view->id,
        .ordinal = ocl_context_device(view->context),
        .range_bytes = view->bytes,
        .is_mapped = 1,
        .access = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE,
    };
}

static bool write_fact(void *data, CUpointer_attribute attribute, const struct facts *facts)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].attribute == attribute) {
            memcpy(data, (const char *)facts + rows[i].offset, rows[i].bytes);
            return true;
        }
    }
    return false;
}

cudaError_t facade_pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer)
{
    struct ocl_memory_view view;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    if (data == NULL || !ocl_memory_find((const void *)(uintptr_t)pointer, &view))
        return cudaErrorInvalidValue;
    /* Device memory has no host address to give; the driver says so instead of giving NULL. */
    if (attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER && view.kind == OCL_MEMORY_DEVICE)
        return cudaErrorInvalidValue;
    const struct facts facts = facts_of(&view, pointer);
    return write_fact(data, attribute, &facts) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t facade_pointer_attribute_list(unsigned count, const CUpointer_attribute *attributes,
                                          void **data, CUdeviceptr pointer)
{
    struct ocl_memory_view view;
    struct facts facts = {.ordinal = NO_DEVICE};
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    if (count == 0 || attributes == NULL || data == NULL)
        return cudaErrorInvalidValue;
    if (ocl_memory_find((const void *)(uintptr_t)pointer, &view))
        facts = facts_of(&view, pointer);
    for (unsigned i = 0; i < count; i++) {
        if (data[i] == NULL || !write_fact(data[i], attributes[i], &facts))
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
    return facade_result(facade_pointer_attributes(attributes, ptr));
}
