/* What an address is, for both APIs' queries and for every copy and fill.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/pointer_attributes.h"

#include <string.h>

#include "cl/fixed_memory.h"
#include "cl/share.h"
#include "facade/memory/managed_advice.h"
#include "facade/state/handles.h"
#include "facade/state/runtime.h"

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

static enum facade_place_kind place_kind(enum ocl_memory_kind kind)
{
    switch (kind) {
    case OCL_MEMORY_DEVICE:
        return FACADE_DEVICE;
    case OCL_MEMORY_MANAGED:
        return FACADE_MANAGED;
    default:
        return FACADE_PINNED;
    }
}

/* Nothing is mapped at reserved addresses, but they are never the program's own memory. */
static struct facade_place unknown_place(uint64_t address)
{
    if (ocl_virtual_is_reserved(address))
        return (struct facade_place){.kind = FACADE_DEVICE, .virtual_address = address};
    return (struct facade_place){.kind = FACADE_PAGEABLE, .left = SIZE_MAX};
}

struct facade_place facade_place_hold(uint64_t address, struct ocl_allocation **allocation)
{
    struct ocl_memory_view view;
    *allocation = ocl_memory_hold((const void *)(uintptr_t)address, &view);
    if (*allocation == NULL && ocl_virtual_is_reserved(address)) /* a call may just change it */
        *allocation = ocl_memory_hold((const void *)(uintptr_t)address, &view);
    if (*allocation == NULL)
        return unknown_place(address);
    return (struct facade_place){
        .kind = place_kind(view.kind),
        .context = view.context,
        .left = view.bytes - offset_in(&view, address),
        .virtual_address = view.is_virtual ? address : 0,
    };
}

bool facade_place_keep(const struct facade_place *place, size_t bytes, bool is_write,
                       struct ocl_virtual_hold *hold)
{
    *hold = (struct ocl_virtual_hold){.count = 0};
    if (place->virtual_address == 0)
        return bytes <= place->left;
    return ocl_virtual_hold(place->virtual_address, bytes,
                            is_write ? OCL_ACCESS_WRITE : OCL_ACCESS_READ, hold);
}

bool facade_place_holds(const struct facade_place *place, size_t bytes, bool is_write)
{
    struct ocl_virtual_hold hold;
    const bool holds = facade_place_keep(place, bytes, is_write, &hold);
    ocl_virtual_let_go(&hold);
    return holds;
}

struct facade_place facade_place_find(uint64_t address)
{
    struct ocl_allocation *allocation;
    const struct facade_place place = facade_place_hold(address, &allocation);
    ocl_memory_let_go(allocation);
    return place;
}

bool facade_place_find_to_be(uint64_t address, struct facade_place *place)
{
    struct ocl_memory_view view;
    struct facade_place found = {.kind = FACADE_DEVICE};
    if (!ocl_fixed_find(address, &found.context, &found.left) ||
        ocl_memory_find((const void *)(uintptr_t)address, &view))
        return false;
    *place = found;
    return true;
}

void *facade_place_device_pointer(const struct ocl_memory_view *view, uint64_t address)
{
    return (void *)(uintptr_t)(view->address + offset_in(view, address));
}

/* The byte at address as the host sees it: NULL for device memory, also where the host could reach it: CUDA's programs may not. */
static void *host_pointer(const struct ocl_memory_view *view, uint64_t address)
{
    if (view->kind == OCL_MEMORY_DEVICE)
        return NULL;
    return (char *)view->host + offset_in(view, address);
}

static const enum cudaMemoryType types[FACADE_PLACES] = {
    [FACADE_PINNED] = cudaMemoryTypeHost,
    [FACADE_DEVICE] = cudaMemoryTypeDevice,
    [FACADE_MANAGED] = cudaMemoryTypeManaged,
};

static cudaError_t tell_attributes(struct cudaPointerAttributes *attributes, const void *pointer)
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
        .type = types[place_kind(view.kind)],
        .device = ocl_context_device(view.context),
        .devicePointer = facade_place_device_pointer(&view, (uintptr_t)pointer),
        .hostPointer = host_pointer(&view, (uintptr_t)pointer),
    };
    attributes->isManaged = attributes->type == cudaMemoryTypeManaged;
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
    unsigned is_mapped, is_managed, is_synchronous, is_shareable, is_unpacked;
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
    FACT_BOOL(CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, is_synchronous),
    FACT(CU_POINTER_ATTRIBUTE_BUFFER_ID, buffer_id),
    FACT_BOOL(CU_POINTER_ATTRIBUTE_IS_MANAGED, is_managed),
    FACT(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ordinal),
    FACT_BOOL(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, is_shareable),
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
    FACT_BOOL(CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE, is_unpacked),
};

static CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS access_of(const struct ocl_memory_view *view,
                                                     uint64_t address)
{
    if (!view->is_virtual || ocl_virtual_allows(address, 1, OCL_ACCESS_WRITE))
        return CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
    return ocl_virtual_allows(address, 1, OCL_ACCESS_READ) ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ
                                                           : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE;
}

static struct facts facts_of(const struct ocl_memory_view *view, uint64_t address)
{
    const bool is_managed = view->kind == OCL_MEMORY_MANAGED;
    const bool is_device = view->kind == OCL_MEMORY_DEVICE || is_managed;
    return (struct facts){
        /* Memory of a pool, and what is mapped, belongs to a device and to no context. */
        .context = view->pool_owner || view->is_virtual
                       ? NULL
                       : (CUcontext)facade_context_owning(view->context),
        .memory_type = is_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
        .device_pointer = (uintptr_t)facade_place_device_pointer(view, address),
        .range_start = view->address,
        .host_pointer = host_pointer(view, address),
        .buffer_id = view->id,
        .pool = view->pool_owner,
        .ordinal = ocl_context_device(view->context),
        .range_bytes = view->bytes,
        .is_mapped = 1,
        .is_managed = is_managed,
        .is_unpacked = is_device,
        .is_shareable = view->kind == OCL_MEMORY_DEVICE && view->pool_owner == NULL &&
                        !view->is_imported && ocl_share_is_possible(view->context),
        .is_synchronous = is_managed || facade_advice_is_synchronous(address),
        .access = access_of(view, address),
        .handle_types = view->is_virtual ? view->flags : 0,
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

cudaError_t facade_pointer_set_attribute(const void *value, CUpointer_attribute attribute,
                                         CUdeviceptr pointer)
{
    struct ocl_memory_view view;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    if (value == NULL || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ||
        !ocl_memory_find((const void *)(uintptr_t)pointer, &view))
        return cudaErrorInvalidValue;
    return facade_advice_set_synchronous(&view, *(const unsigned *)value != 0);
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
    return facade_result(tell_attributes(attributes, ptr));
}
