/* Stream-ordered memory and its pools.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/memory_pool.h"

#include <string.h>

#include "cl/check_made.h"
#include "cl/device.h"
#include "cl/memory.h"
#include "cl/ordered_pool.h"
#include "facade/device/device.h"
#include "facade/device/peer.h"
#include "facade/graph/capture.h"
#include "facade/memory/graph_block.h"
#include "facade/memory/ipc.h"
#include "facade/memory/misuse.h"
#include "facade/state/runtime.h"
#include "facade/stream/stream.h"

enum { MOST_DEVICES = 64 };

/* CUmemoryPool. A default pool belongs to its device for the life of the process. */
struct facade_pool {
    int device;
    bool is_default;
    struct ocl_ordered_pool *pool;
    struct facade_pool_sharing sharing;
    _Atomic unsigned char access[MOST_DEVICES]; /* cudaMemAccessFlags of other devices */
};

static pthread_mutex_t defaults_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */

static struct facade_pool *find(cudaMemPool_t handle)
{
    return facade_handle_find(FACADE_POOL, handle);
}

static cudaMemPool_t handle_of(struct facade_pool *pool)
{
    return (cudaMemPool_t)pool;
}

/* --- which pool ------------------------------------------------------------------------------- */

static struct facade_pool *new_pool(int device, size_t most_bytes,
                                    const struct facade_pool_sharing *sharing)
{
    struct facade_pool *made = facade_handle_new(FACADE_POOL, sizeof *made);
    if (made == NULL)
        return NULL;
    made->device = device;
    made->sharing = *sharing;
    if (ocl_ordered_pool_create(most_bytes, made, &made->pool) == OCL_OK)
        return made;
    facade_handle_free(made);
    return NULL;
}

static struct facade_pool *default_of(struct facade_context *primary)
{
    struct facade_pool *pool = atomic_load_explicit(&primary->default_pool, memory_order_acquire);
    if (pool != NULL)
        return pool;
    pthread_mutex_lock(&defaults_lock);
    pool = atomic_load(&primary->default_pool);
    if (pool == NULL) {
        pool = new_pool(primary->device, 0, &(struct facade_pool_sharing){.is_imported = false});
        if (pool != NULL)
            pool->is_default = true;
        atomic_store_explicit(&primary->default_pool, pool, memory_order_release);
    }
    pthread_mutex_unlock(&defaults_lock);
    return pool;
}

static struct facade_pool *current_of(struct facade_context *primary)
{
    struct facade_pool *pool = atomic_load_explicit(&primary->current_pool, memory_order_acquire);
    return pool != NULL ? pool : default_of(primary);
}

static cudaError_t tell(cudaMemPool_t *handle, struct facade_pool *pool)
{
    if (handle == NULL)
        return cudaErrorInvalidValue;
    if (pool == NULL)
        return cudaErrorMemoryAllocation;
    *handle = handle_of(pool);
    return cudaSuccess;
}

cudaError_t facade_pool_get_default(cudaMemPool_t *pool, int device)
{
    cudaError_t error = facade_device_check(device);
    return error == cudaSuccess ? tell(pool, default_of(facade_primary(device))) : error;
}

/* Unlike the question for the default pool, the other two call a wrong device a wrong value. */
static cudaError_t check_device(int device)
{
    cudaError_t error = facade_device_check(device);
    return error == cudaErrorInvalidDevice ? cudaErrorInvalidValue : error;
}

cudaError_t facade_pool_get_current(cudaMemPool_t *pool, int device)
{
    cudaError_t error = check_device(device);
    return error == cudaSuccess ? tell(pool, current_of(facade_primary(device))) : error;
}

cudaError_t facade_pool_set_current(int device, cudaMemPool_t handle)
{
    cudaError_t error = check_device(device);
    if (error != cudaSuccess)
        return error;
    struct facade_pool *pool = find(handle);
    if (pool == NULL || pool->device != device || pool->sharing.is_imported)
        return cudaErrorInvalidValue;
    atomic_store_explicit(&facade_primary(device)->current_pool, pool, memory_order_release);
    return cudaSuccess;
}

/* --- by location ------------------------------------------------------------------------------ */

static bool is_kind(enum cudaMemAllocationType type)
{
    return type == cudaMemAllocationTypePinned || type == cudaMemAllocationTypeManaged;
}

/* Only device memory has pools; for the rest that CUDA knows, clem has none. */
static cudaError_t check_place(const struct cudaMemLocation *location,
                               enum cudaMemAllocationType type)
{
    if (!is_kind(type) || location->type == cudaMemLocationTypeInvalid)
        return cudaErrorInvalidValue;
    if (location->type != cudaMemLocationTypeDevice)
        return cudaErrorNotSupported;
    cudaError_t error = check_device(location->id);
    if (error == cudaSuccess && type == cudaMemAllocationTypeManaged)
        error = cudaErrorNotSupported;
    return error;
}

cudaError_t facade_pool_get_default_at(cudaMemPool_t *pool, const struct cudaMemLocation *location,
                                       enum cudaMemAllocationType type)
{
    if (pool == NULL || location == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = check_place(location, type);
    return error == cudaSuccess ? facade_pool_get_default(pool, location->id) : error;
}

cudaError_t facade_pool_get_current_at(cudaMemPool_t *pool, const struct cudaMemLocation *location,
                                       enum cudaMemAllocationType type)
{
    if (pool == NULL || location == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = check_place(location, type);
    return error == cudaSuccess ? facade_pool_get_current(pool, location->id) : error;
}

/* No pool is of another kind than pinned device memory, so no other place takes one. */
cudaError_t facade_pool_set_current_at(const struct cudaMemLocation *location,
                                       enum cudaMemAllocationType type, cudaMemPool_t pool)
{
    if (location == NULL || type != cudaMemAllocationTypePinned)
        return cudaErrorInvalidValue;
    switch (location->type) {
    case cudaMemLocationTypeDevice:
        return facade_pool_set_current(location->id, pool);
    case cudaMemLocationTypeInvalid:
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
        return cudaErrorInvalidValue;
    default:
        return cudaErrorNotSupported;
    }
}

/* --- making and ending ------------------------------------------------------------------------ */

static bool is_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0)
            return false;
    }
    return true;
}

/* What can be made, of what CUDA's properties may say. NVIDIA's runtime looks at the kind of
 * managed memory's location only. */
static cudaError_t check_location(const struct cudaMemPoolProps *properties)
{
    const struct cudaMemLocation *location = &properties->location;
    bool is_pinned = properties->allocType == cudaMemAllocationTypePinned;
    switch (location->type) {
    case cudaMemLocationTypeDevice:
        return check_device(location->id) != cudaSuccess ? cudaErrorInvalidValue
               : is_pinned                               ? cudaSuccess
                                                         : cudaErrorNotSupported;
    case cudaMemLocationTypeHost:
        return cudaErrorNotSupported;
    case cudaMemLocationTypeHostNuma:
        return location->id == 0 ? cudaErrorNotSupported : cudaErrorInvalidValue;
    default:
        return is_pinned ? cudaErrorInvalidValue : cudaErrorNotSupported;
    }
}

/* Whether pools of the device can be exported: known for certain when its primary context is open, as it then is. */
static cudaError_t check_sharing(int device)
{
    struct facade_context *primary = facade_primary(device);
    cudaError_t error = facade_primary_hold(primary);
    if (error != cudaSuccess)
        return error;
    return ocl_share_is_possible(atomic_load_explicit(&primary->cl, memory_order_acquire))
               ? cudaSuccess
               : cudaErrorNotSupported;
}

/* There is no fabric. usage is a hint. */
cudaError_t facade_pool_check_properties(const struct cudaMemPoolProps *properties)
{
    uint64_t total = 0, largest = 0;
    const int handle_types = (int)properties->handleTypes;
    bool is_shared = handle_types == cudaMemHandleTypePosixFileDescriptor ||
                     handle_types == cudaMemHandleTypeFabric;
    if (!is_kind(properties->allocType) || (handle_types != cudaMemHandleTypeNone && !is_shared) ||
        !is_zero(properties->reserved, sizeof properties->reserved))
        return cudaErrorInvalidValue;
    cudaError_t error = check_location(properties);
    if (error == cudaSuccess && is_shared)
        error = handle_types == cudaMemHandleTypePosixFileDescriptor
                    ? check_sharing(properties->location.id)
                    : cudaErrorNotSupported;
    if (error != cudaSuccess || properties->maxSize == 0)
        return error;
    ocl_device_memory(properties->location.id, &total, &largest);
    return properties->maxSize > total ? cudaErrorMemoryAllocation : cudaSuccess;
}

static cudaError_t make_pool(cudaMemPool_t *handle, int device, size_t most_bytes,
                             const struct facade_pool_sharing *sharing)
{
    struct facade_pool *made = new_pool(device, most_bytes, sharing);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    *handle = handle_of(made);
    ocl_made_note("memory pool", made, NULL);
    return cudaSuccess;
}

cudaError_t facade_pool_create(cudaMemPool_t *handle, const struct cudaMemPoolProps *properties)
{
    int count = 0;
    if (handle == NULL || properties == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_devices(&count);
    if (error == cudaSuccess)
        error = facade_pool_check_properties(properties);
    if (error != cudaSuccess)
        return error;
    struct facade_pool_sharing sharing = {.is_exportable = (int)properties->handleTypes ==
                                                           cudaMemHandleTypePosixFileDescriptor};
    if (sharing.is_exportable)
        error = facade_error_from(ocl_share_name_pool(&sharing.name), FACADE_OTHER);
    return error == cudaSuccess
               ? make_pool(handle, properties->location.id, properties->maxSize, &sharing)
               : error;
}

cudaError_t facade_pool_import_as(cudaMemPool_t *pool, int device,
                                  const struct ocl_share_pool *name)
{
    const struct facade_pool_sharing sharing = {.is_imported = true, .name = *name};
    return make_pool(pool, device, 0, &sharing);
}

const struct facade_pool_sharing *facade_pool_sharing_of(cudaMemPool_t handle, int *device)
{
    const struct facade_pool *pool = find(handle);
    if (pool == NULL)
        return NULL;
    *device = pool->device;
    return &pool->sharing;
}

cudaError_t facade_pool_destroy(cudaMemPool_t handle)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    struct facade_pool *pool = find(handle);
    if (pool == NULL || pool->is_default)
        return cudaErrorInvalidValue;
    struct facade_pool *own = pool;
    atomic_compare_exchange_strong(&facade_primary(pool->device)->current_pool, &own, NULL);
    struct ocl_ordered_pool *memory = pool->pool;
    facade_handle_free(pool);
    ocl_ordered_pool_destroy(memory);
    return cudaSuccess;
}

cudaError_t facade_pool_trim(cudaMemPool_t handle, size_t keep_bytes)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    struct facade_pool *pool = find(handle);
    if (pool == NULL)
        return cudaErrorInvalidValue;
    ocl_ordered_pool_trim(pool->pool, keep_bytes);
    return cudaSuccess;
}

/* --- attributes ------------------------------------------------------------------------------- */

static const struct {
    enum cudaMemPoolAttr attribute;
    enum ocl_ordered_attribute own;
    bool is_flag, is_read_only, is_high_mark;
} attributes[] = {
    {cudaMemPoolReuseFollowEventDependencies, OCL_ORDERED_FOLLOW_EVENTS, true, false, false},
    {cudaMemPoolReuseAllowOpportunistic, OCL_ORDERED_OPPORTUNISTIC, true, false, false},
    {cudaMemPoolReuseAllowInternalDependencies, OCL_ORDERED_INTERNAL, true, false, false},
    {cudaMemPoolAttrReleaseThreshold, OCL_ORDERED_THRESHOLD, false, false, false},
    {cudaMemPoolAttrReservedMemCurrent, OCL_ORDERED_RESERVED, false, true, false},
    {cudaMemPoolAttrReservedMemHigh, OCL_ORDERED_RESERVED_HIGH, false, false, true},
    {cudaMemPoolAttrUsedMemCurrent, OCL_ORDERED_USED, false, true, false},
    {cudaMemPoolAttrUsedMemHigh, OCL_ORDERED_USED_HIGH, false, false, true},
};

enum { ATTRIBUTES = sizeof attributes / sizeof attributes[0] };

static size_t find_attribute(enum cudaMemPoolAttr attribute)
{
    size_t i = 0;
    while (i < ATTRIBUTES && attributes[i].attribute != attribute)
        i++;
    return i;
}

cudaError_t facade_pool_get_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
                                      void *value)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    const struct facade_pool *pool = find(handle);
    const size_t row = find_attribute(attribute);
    if (pool == NULL || value == NULL || row == ATTRIBUTES)
        return cudaErrorInvalidValue;
    const uint64_t bytes = ocl_ordered_pool_get(pool->pool, attributes[row].own);
    const int flag = (int)bytes;
    if (attributes[row].is_flag)
        memcpy(value, &flag, sizeof flag);
    else
        memcpy(value, &bytes, sizeof bytes);
    return cudaSuccess;
}

/* Peaks are only ever reset. */
cudaError_t facade_pool_set_attribute(cudaMemPool_t handle, enum cudaMemPoolAttr attribute,
                                      const void *value)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    struct facade_pool *pool = find(handle);
    const size_t row = find_attribute(attribute);
    if (pool == NULL || value == NULL || row == ATTRIBUTES || attributes[row].is_read_only)
        return cudaErrorInvalidValue;
    uint64_t bytes = 0;
    int flag = 0;
    memcpy(attributes[row].is_flag ? (void *)&flag : (void *)&bytes, value,
           attributes[row].is_flag ? sizeof flag : sizeof bytes);
    if (attributes[row].is_flag)
        bytes = flag != 0;
    if (attributes[row].is_high_mark && bytes != 0)
        return cudaErrorInvalidValue;
    ocl_ordered_pool_set(pool->pool, attributes[row].own, bytes);
    return cudaSuccess;
}

/* --- access ----------------------------------------------------------------------------------- */

/* The host may not use device memory: for it the answer is no. */
static cudaError_t find_access(enum cudaMemAccessFlags *flags, const struct facade_pool *pool,
                               const struct cudaMemLocation *location)
{
    switch (location->type) {
    case cudaMemLocationTypeDevice:
        if (check_device(location->id) != cudaSuccess)
            return cudaErrorInvalidValue;
        *flags = cudaMemAccessFlagsProtReadWrite;
        if (location->id != pool->device)
            *flags = location->id < MOST_DEVICES
                         ? (enum cudaMemAccessFlags)atomic_load(&pool->access[location->id])
                         : cudaMemAccessFlagsProtNone;
        return cudaSuccess;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
        *flags = cudaMemAccessFlagsProtNone;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t facade_pool_get_access(enum cudaMemAccessFlags *flags, cudaMemPool_t handle,
                                   const struct cudaMemLocation *location)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    const struct facade_pool *pool = find(handle);
    if (flags == NULL || pool == NULL || location == NULL)
        return cudaErrorInvalidValue;
    return find_access(flags, pool, location);
}

static cudaError_t check_flags(enum cudaMemAccessFlags flags)
{
    switch (flags) {
    case cudaMemAccessFlagsProtNone:
    case cudaMemAccessFlagsProtReadWrite:
        return cudaSuccess;
    case cudaMemAccessFlagsProtRead:
        return cudaErrorNotSupported;
    default:
        return cudaErrorInvalidValue;
    }
}

/* A device never loses access to its own memory. */
cudaError_t facade_pool_check_access(int device, const struct cudaMemAccessDesc *wanted)
{
    int can = 0;
    if (wanted->location.type != cudaMemLocationTypeDevice)
        return cudaErrorNotSupported;
    cudaError_t error = facade_device_check(wanted->location.id);
    if (error == cudaSuccess)
        error = check_flags(wanted->flags);
    if (error != cudaSuccess)
        return error;
    if (wanted->flags == cudaMemAccessFlagsProtNone || wanted->location.id == device) {
        bool is_lost = wanted->flags == cudaMemAccessFlagsProtNone && wanted->location.id == device;
        return is_lost ? cudaErrorInvalidDevice : cudaSuccess;
    }
    error = facade_peer_can_access(&can, wanted->location.id, device);
    if (error == cudaSuccess && (can == 0 || wanted->location.id >= MOST_DEVICES))
        error = cudaErrorInvalidDevice;
    return error;
}

cudaError_t facade_pool_set_access(cudaMemPool_t handle, const struct cudaMemAccessDesc *list,
                                   size_t count)
{
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    struct facade_pool *pool = find(handle);
    if (pool == NULL || (list == NULL && count > 0))
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        error = facade_pool_check_access(pool->device, &list[i]);
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        if (list[i].location.id != pool->device && list[i].location.id < MOST_DEVICES)
            atomic_store(&pool->access[list[i].location.id], (unsigned char)list[i].flags);
    }
    return error;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The context whose memory a pool gives to a stream: the stream's own on the pool's device,
 * elsewhere the device's primary one. */
static cudaError_t context_for(const struct facade_pool *pool, const struct facade_stream *stream,
                               struct facade_context **context)
{
    *context = stream->context;
    if ((*context)->device == pool->device)
        return cudaSuccess;
    *context = facade_primary(pool->device);
    return facade_primary_hold(*context);
}

/* A stream that captures nothing may be one in whose order no memory may be managed now. */
static cudaError_t find_stream(cudaStream_t handle, struct facade_stream **stream,
                               bool *is_capturing)
{
    cudaError_t error = facade_stream_find_to_capture(handle, stream, is_capturing);
    return error == cudaSuccess && !*is_capturing ? facade_capture_check_call() : error;
}

static cudaError_t capture_allocation(void **pointer, size_t bytes, const struct facade_pool *pool,
                                      struct facade_stream *stream)
{
    const struct cudaMemAllocNodeParams params = {
        .poolProps = {.allocType = cudaMemAllocationTypePinned,
                      .location = {cudaMemLocationTypeDevice, pool->device}},
        .bytesize = bytes,
    };
    return facade_capture_allocation(stream, &params, pointer);
}

/* Both contexts are entered. */
static cudaError_t allocate_within(void **pointer, size_t bytes, struct facade_pool *pool,
                                   const struct facade_stream *stream,
                                   const struct facade_context *context)
{
    uint64_t address = 0;
    const ocl_status status =
        ocl_ordered_allocate(pool->pool, atomic_load(&context->cl), stream->queue, bytes, &address);
    if (status == OCL_OK) {
        *pointer = (void *)(uintptr_t)address;
        ocl_made_add("device memory", address, bytes, stream->context);
    }
    return facade_error_from(status, FACADE_OTHER);
}

/* Another thread may reset a device meanwhile. */
static cudaError_t allocate_in_order(void **pointer, size_t bytes, struct facade_pool *pool,
                                     const struct facade_stream *stream)
{
    struct facade_context *context = NULL, *const own = stream->context;
    cudaError_t error = context_for(pool, stream, &context); /* before: it may open one */
    if (error != cudaSuccess)
        return error;
    if (!facade_context_enter(own, FACADE_STREAM, stream))
        return cudaErrorContextIsDestroyed;
    error = cudaErrorContextIsDestroyed;
    if (facade_context_enter(context, FACADE_CONTEXT, context)) {
        error = allocate_within(pointer, bytes, pool, stream, context);
        facade_context_leave(context);
    }
    facade_context_leave(own);
    return error;
}

static cudaError_t allocate(void **pointer, size_t bytes, struct facade_pool *pool,
                            struct facade_stream *stream, bool is_capturing)
{
    if (pool == NULL || pool->sharing.is_imported)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (is_capturing)
        return capture_allocation(pointer, bytes, pool, stream);
    return allocate_in_order(pointer, bytes, pool, stream);
}

cudaError_t facade_pool_allocate(void **pointer, size_t bytes, cudaStream_t handle)
{
    struct facade_stream *stream = NULL;
    bool is_capturing = false;
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = find_stream(handle, &stream, &is_capturing);
    if (error != cudaSuccess)
        return error;
    struct facade_pool *pool = current_of(facade_primary(stream->context->device));
    return pool != NULL ? allocate(pointer, bytes, pool, stream, is_capturing)
                        : cudaErrorMemoryAllocation;
}

cudaError_t facade_pool_allocate_from(void **pointer, size_t bytes, cudaMemPool_t handle,
                                      cudaStream_t stream_handle)
{
    struct facade_stream *stream = NULL;
    bool is_capturing = false;
    if (pointer == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = find_stream(stream_handle, &stream, &is_capturing);
    return error == cudaSuccess ? allocate(pointer, bytes, find(handle), stream, is_capturing)
                                : error;
}

static ocl_status let_go(void *held, ocl_status failure)
{
    (void)failure;
    ocl_memory_let_go(held);
    return OCL_OK;
}

/* Another process's memory, which nobody reuses here, is given back at once behind the stream's work. */
static cudaError_t free_imported(const void *pointer, const struct facade_stream *stream)
{
    struct ocl_memory_view view;
    struct ocl_allocation *held = ocl_memory_hold(pointer, &view);
    const cudaError_t error = facade_ipc_discard_imported(pointer);
    if (error != cudaSuccess || held == NULL) {
        ocl_memory_let_go(held);
        return error;
    }
    if (ocl_queue_take_turn(stream->queue, let_go, held) == OCL_OK)
        return cudaSuccess;
    const ocl_status status = ocl_queue_finish(stream->queue);
    ocl_memory_let_go(held);
    return facade_error_from(status, FACADE_OTHER);
}

/* The stream's context is entered. */
static cudaError_t free_in_order(void *pointer, const struct facade_stream *stream)
{
    struct ocl_memory_view view;
    const bool is_known = ocl_memory_find(pointer, &view);
    if (is_known && view.kind == OCL_MEMORY_MANAGED)
        return cudaErrorNotSupported;
    if (is_known && view.is_imported)
        return free_imported(pointer, stream);
    const struct facade_pool *plain = default_of(facade_primary(stream->context->device));
    if (plain == NULL)
        return cudaErrorMemoryAllocation;
    return facade_misuse_free(
        pointer, "device memory",
        facade_error_from(ocl_ordered_free(stream->queue, plain->pool, pointer), FACADE_OTHER));
}

cudaError_t facade_pool_free(void *pointer, cudaStream_t handle)
{
    struct facade_stream *stream = NULL;
    bool is_capturing = false;
    cudaError_t error = find_stream(handle, &stream, &is_capturing);
    if (error != cudaSuccess || pointer == NULL)
        return error;
    if (is_capturing)
        return facade_capture_free(stream, pointer);
    struct facade_context *const context = stream->context;
    if (!facade_context_enter(context, FACADE_STREAM, stream))
        return cudaErrorContextIsDestroyed;
    error = free_in_order(pointer, stream);
    facade_context_leave(context);
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    return facade_result(facade_pool_get_default(memPool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    return facade_result(facade_pool_get_current(memPool, device));
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
    return facade_result(facade_pool_set_current(device, memPool));
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type)
{
    return facade_result(facade_pool_get_default_at(memPool, location, type));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                              enum cudaMemAllocationType type)
{
    return facade_result(facade_pool_get_current_at(memPool, location, type));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type,
                              cudaMemPool_t memPool)
{
    return facade_result(facade_pool_set_current_at(location, type, memPool));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *memPool, const struct cudaMemPoolProps *poolProps)
{
    return facade_result(facade_pool_create(memPool, poolProps));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t memPool)
{
    return facade_result(facade_pool_destroy(memPool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
    return facade_result(facade_pool_trim(memPool, minBytesToKeep));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    return facade_result(facade_pool_set_attribute(memPool, attr, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void *value)
{
    return facade_result(facade_pool_get_attribute(memPool, attr, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc *descList,
                                 size_t count)
{
    return facade_result(facade_pool_set_access(memPool, descList, count));
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                                 struct cudaMemLocation *location)
{
    return facade_result(facade_pool_get_access(flags, memPool, location));
}

cudaError_t cudaMallocAsync(void **devPtr, size_t size, cudaStream_t hStream)
{
    return facade_result(facade_pool_allocate(devPtr, size, hStream));
}

cudaError_t cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                                    cudaStream_t stream)
{
    return facade_result(facade_pool_allocate_from(ptr, size, memPool, stream));
}

cudaError_t cudaFreeAsync(void *devPtr, cudaStream_t hStream)
{
    return facade_result(facade_pool_free(devPtr, hStream));
}
