/* Managed memory: allocation, attachment, prefetch, advice.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/memory_managed.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/check_made.h"
#include "cl/managed.h"
#include "facade/device/device.h"
#include "facade/graph/capture.h"
#include "facade/memory/managed_advice.h"
#include "facade/memory/memory.h"
#include "facade/memory/pointer_attributes.h"
#include "facade/stream/stream.h"

static struct ocl_context *context_cl(struct facade_context *context)
{
    return atomic_load_explicit(&context->cl, memory_order_acquire);
}

static cudaError_t allocate_in(struct facade_context *context, void **pointer, size_t bytes,
                               unsigned flags)
{
    void *made = NULL;
    if (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)
        return cudaErrorInvalidValue;
    ocl_status status = ocl_managed_allocate(
        context_cl(context), bytes, flags,
        flags == cudaMemAttachHost ? OCL_MANAGED_HOST : OCL_MANAGED_GLOBAL, &made);
    if (status != OCL_OK)
        return facade_error_from(status, FACADE_OTHER);
    *pointer = made;
    ocl_made_add("managed memory", (uint64_t)(uintptr_t)made, bytes, context);
    return cudaSuccess;
}

cudaError_t facade_managed_allocate(void **pointer, size_t bytes, unsigned flags)
{
    return facade_memory_allocate_by(allocate_in, pointer, bytes, flags);
}

/* --- ranges and places ------------------------------------------------------------------------ */

struct range {
    struct ocl_memory_view view; /* nothing of pageable memory */
    size_t offset, bytes;
    bool is_pageable; /* the program's own memory, which all devices use where it is */
};

static cudaError_t find_range(struct range *range, const void *pointer, size_t bytes)
{
    struct facade_context *context = NULL;
    range->is_pageable = false;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess)
        return error;
    if (bytes == 0 || !ocl_memory_find(pointer, &range->view) ||
        range->view.kind != OCL_MEMORY_MANAGED)
        return cudaErrorInvalidValue;
    range->offset = (size_t)((const char *)pointer - (const char *)range->view.host);
    range->bytes = bytes;
    return bytes <= range->view.bytes - range->offset ? cudaSuccess : cudaErrorInvalidValue;
}

/* Whether the process has memory there: all pages of the bytes are mapped. */
static bool is_mapped(const void *pointer, size_t bytes)
{
    enum { PAGES = 1024 };
    unsigned char resident[PAGES];
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t at = (uintptr_t)pointer / page * page;
    const uintptr_t last = (uintptr_t)pointer + (bytes - 1);
    if (last < (uintptr_t)pointer)
        return false;
    for (; at <= last; at += PAGES * page) {
        const size_t left = last - at + 1;
        if (mincore((void *)at, left < PAGES * page ? left : PAGES * page, resident) != 0)
            return false;
        if (left <= PAGES * page)
            break; /* the address after it may be none */
    }
    return true;
}

static bool is_pageable(const void *pointer, size_t bytes)
{
    return facade_place_find((uintptr_t)pointer).kind == FACADE_PAGEABLE &&
           facade_devices_reach_pageable() && is_mapped(pointer, bytes);
}

/* Also the program's own memory, where devices use it. */
static cudaError_t find_any_range(struct range *range, const void *pointer, size_t bytes)
{
    const cudaError_t error = find_range(range, pointer, bytes);
    if (error != cudaErrorInvalidValue || bytes == 0 || !is_pageable(pointer, bytes))
        return error;
    *range = (struct range){.bytes = bytes, .is_pageable = true};
    return cudaSuccess;
}

/* Hosts without such nodes have their memory in node 0. */
static bool is_host_node(int node)
{
    char path[64];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d", node);
    return node == 0 || (node > 0 && access(path, F_OK) == 0);
}

/* The node of the calling thread is the thread's choice once, so it is remembered by its number. */
static struct cudaMemLocation resolve(struct cudaMemLocation location)
{
    unsigned cpu = 0, node = 0;
    if (location.type == cudaMemLocationTypeHostNumaCurrent && getcpu(&cpu, &node) == 0)
        return (struct cudaMemLocation){cudaMemLocationTypeHostNuma, (int)node};
    return location;
}

static cudaError_t check_location(struct cudaMemLocation location)
{
    switch (location.type) {
    case cudaMemLocationTypeDevice:
        return facade_device_check(location.id);
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNumaCurrent:
        return cudaSuccess;
    case cudaMemLocationTypeHostNuma:
        return is_host_node(location.id) ? cudaSuccess : cudaErrorInvalidValue;
    default:
        return cudaErrorInvalidValue;
    }
}

/* --- attaching -------------------------------------------------------------------------------- */

static cudaError_t attachment_of(unsigned flags, enum ocl_managed_attachment *attachment)
{
    switch (flags) {
    case cudaMemAttachGlobal:
        *attachment = OCL_MANAGED_GLOBAL;
        return cudaSuccess;
    case cudaMemAttachHost:
        *attachment = OCL_MANAGED_HOST;
        return cudaSuccess;
    case cudaMemAttachSingle:
        *attachment = OCL_MANAGED_SINGLE;
        return cudaSuccess;
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t facade_managed_attach(cudaStream_t stream, void *pointer, size_t bytes, unsigned flags)
{
    struct facade_stream *found = NULL;
    struct range range;
    enum ocl_managed_attachment attachment = OCL_MANAGED_GLOBAL;
    cudaError_t error = facade_stream_find(stream, &found);
    if (error == cudaSuccess)
        error = attachment_of(flags, &attachment);
    if (error == cudaSuccess)
        error =
            bytes == 0 ? find_range(&range, pointer, 1) : find_any_range(&range, pointer, bytes);
    if (error != cudaSuccess)
        return error;
    if (range.is_pageable)
        return attachment == OCL_MANAGED_SINGLE && facade_stream_is_legacy(stream)
                   ? cudaErrorInvalidValue
                   : cudaSuccess;
    if (range.offset != 0 || (bytes != 0 && bytes != range.view.bytes) ||
        (attachment == OCL_MANAGED_SINGLE && facade_stream_is_legacy(stream)) ||
        ocl_queue_context(found->queue) != range.view.context)
        return cudaErrorInvalidValue;
    return facade_error_from(ocl_managed_attach(found->queue, pointer, attachment), FACADE_OTHER);
}

/* --- prefetching ------------------------------------------------------------------------------ */

static void note_prefetch(struct facade_advice *advice, const void *location)
{
    advice->prefetched = *(const struct cudaMemLocation *)location;
}

/* A prefetch is a hint: between contexts, whose streams the memory's owner does not order, and to a
 * device that the memory is not of, nothing moves. */
static ocl_status move(struct ocl_queue *queue, const struct range *range,
                       struct cudaMemLocation location)
{
    char *begin = (char *)range->view.host + range->offset;
    if (ocl_queue_context(queue) != range->view.context)
        return OCL_OK;
    if (location.type != cudaMemLocationTypeDevice)
        return ocl_managed_to_host(queue, begin, range->bytes);
    if (location.id != ocl_context_device(range->view.context))
        return OCL_OK;
    return ocl_managed_to_device(queue, begin, range->bytes);
}

static cudaError_t send(struct ocl_queue *queue, const struct range *range,
                        struct cudaMemLocation location)
{
    cudaError_t error = cudaSuccess;
    if (range->is_pageable)
        return error;
    error = facade_error_from(move(queue, range, location), FACADE_OTHER);
    if (error != cudaSuccess)
        return error;
    return facade_advice_change(&range->view, range->offset, range->bytes, note_prefetch,
                                &location);
}

cudaError_t facade_managed_prefetch(const void *pointer, size_t bytes,
                                    struct cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream)
{
    struct facade_stream *found = NULL;
    struct range range;
    cudaError_t error = facade_stream_find(stream, &found);
    if (error == cudaSuccess && flags != 0)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = find_any_range(&range, pointer, bytes);
    if (error == cudaSuccess)
        error = check_location(location);
    return error == cudaSuccess ? send(found->queue, &range, resolve(location)) : error;
}

/* --- batches ---------------------------------------------------------------------------------- */

static cudaError_t check_ranges(const struct facade_managed_batch *batch, cudaStream_t stream,
                                struct facade_stream **found)
{
    struct range range;
    if (batch->pointers == NULL || batch->sizes == NULL || batch->count == 0 || batch->flags != 0 ||
        facade_stream_is_legacy(stream))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_stream_find(stream, found);
    for (size_t i = 0; error == cudaSuccess && i < batch->count; i++)
        error = find_any_range(&range, batch->pointers[i], batch->sizes[i]);
    return error;
}

static cudaError_t check_locations(const struct facade_managed_batch *batch)
{
    if (batch->locations == NULL || batch->indices == NULL || batch->location_count == 0 ||
        batch->location_count > batch->count)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < batch->location_count; i++) {
        const size_t index = batch->indices[i];
        if (index >= batch->count || (i == 0 ? index != 0 : index < batch->indices[i - 1]) ||
            check_location(batch->locations[i]) != cudaSuccess)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

cudaError_t facade_managed_prefetch_batch(const struct facade_managed_batch *batch,
                                          cudaStream_t stream)
{
    struct facade_stream *found = NULL;
    struct range range;
    cudaError_t error = check_locations(batch);
    if (error == cudaSuccess)
        error = check_ranges(batch, stream, &found);
    for (size_t i = 0, place = 0; error == cudaSuccess && i < batch->count; i++) {
        while (place + 1 < batch->location_count && batch->indices[place + 1] == i)
            place++;
        error = find_any_range(&range, batch->pointers[i], batch->sizes[i]);
        if (error == cudaSuccess)
            error = send(found->queue, &range, resolve(batch->locations[place]));
    }
    return error;
}

cudaError_t facade_managed_discard_batch(const struct facade_managed_batch *batch,
                                         cudaStream_t stream)
{
    struct facade_stream *found = NULL;
    return check_ranges(batch, stream, &found);
}

/* --- advice ----------------------------------------------------------------------------------- */

struct wanted_advice {
    int advice;
    struct cudaMemLocation location;
};

static void take_advice(struct facade_advice *advice, const void *argument)
{
    static const struct cudaMemLocation none;
    const struct wanted_advice *wanted = argument;
    const bool is_set = wanted->advice == cudaMemAdviseSetAccessedBy;
    switch (wanted->advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        advice->is_read_mostly = wanted->advice == cudaMemAdviseSetReadMostly;
        break;
    case cudaMemAdviseSetPreferredLocation:
        advice->preferred = wanted->location;
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        advice->preferred = none;
        break;
    default:
        if (wanted->location.type != cudaMemLocationTypeDevice) {
            advice->is_accessed_by_host = is_set;
        } else {
            const uint64_t device = UINT64_C(1) << (wanted->location.id % FACADE_ADVICE_DEVICES);
            advice->accessed_by =
                is_set ? advice->accessed_by | device : advice->accessed_by & ~device;
        }
    }
}

/* A type of location is wanted everywhere; only some advice reads more of it, and nodes of the host
 * access nothing by themselves. */
static cudaError_t check_advice(int advice, struct cudaMemLocation location)
{
    const bool is_host = location.type == cudaMemLocationTypeHost;
    if (location.type < cudaMemLocationTypeDevice ||
        location.type > cudaMemLocationTypeHostNumaCurrent)
        return cudaErrorInvalidValue;
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
    case cudaMemAdviseUnsetPreferredLocation:
        return cudaSuccess;
    case cudaMemAdviseSetPreferredLocation:
        break;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
        if (!is_host && location.type != cudaMemLocationTypeDevice)
            return cudaErrorInvalidValue;
        break;
    default:
        return cudaErrorInvalidValue;
    }
    return check_location(location) == cudaSuccess ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t facade_managed_advise(const void *pointer, size_t bytes, int advice,
                                  struct cudaMemLocation location)
{
    const struct wanted_advice wanted = {advice, resolve(location)};
    struct range range;
    cudaError_t error = check_advice(advice, location);
    if (error == cudaSuccess)
        error = find_any_range(&range, pointer, bytes);
    if (error != cudaSuccess || range.is_pageable)
        return error;
    return facade_advice_change(&range.view, range.offset, range.bytes, take_advice, &wanted);
}

/* --- what is known of a range ----------------------------------------------------------------- */

/* How the attributes without a type name a place: by a device's number or the host's. */
static int number_of(struct cudaMemLocation location)
{
    switch (location.type) {
    case cudaMemLocationTypeDevice:
        return location.id;
    case cudaMemLocationTypeNone:
        return cudaInvalidDeviceId;
    default:
        return cudaCpuDeviceId;
    }
}

/* The number that goes with a type: the host as a whole has none but that. */
static int id_of(struct cudaMemLocation location)
{
    return location.type == cudaMemLocationTypeHostNuma ? location.id : number_of(location);
}

/* The places that access the range, then numbers of no device up to the end of data. */
static void write_accessors(int *data, size_t count, const struct facade_advice *advice)
{
    size_t filled = 0;
    for (int device = 0; device < FACADE_ADVICE_DEVICES && filled < count; device++) {
        if ((advice->accessed_by >> device & 1) != 0)
            data[filled++] = device;
    }
    if (advice->is_accessed_by_host && filled < count)
        data[filled++] = cudaCpuDeviceId;
    while (filled < count)
        data[filled++] = cudaInvalidDeviceId;
}

static bool is_attribute(int attribute)
{
    return attribute >= cudaMemRangeAttributeReadMostly &&
           attribute <= cudaMemRangeAttributeLastPrefetchLocationId;
}

static void write_attribute(int *data, size_t count, int attribute,
                            const struct facade_advice *advice)
{
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        *data = advice->is_read_mostly;
        break;
    case cudaMemRangeAttributePreferredLocation:
        *data = number_of(advice->preferred);
        break;
    case cudaMemRangeAttributeAccessedBy:
        write_accessors(data, count, advice);
        break;
    case cudaMemRangeAttributeLastPrefetchLocation:
        *data = number_of(advice->prefetched);
        break;
    case cudaMemRangeAttributePreferredLocationType:
        *data = (int)advice->preferred.type;
        break;
    case cudaMemRangeAttributePreferredLocationId:
        *data = id_of(advice->preferred);
        break;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        *data = (int)advice->prefetched.type;
        break;
    default:
        *data = id_of(advice->prefetched);
    }
}

static cudaError_t check_attribute(const void *data, size_t data_bytes, int attribute)
{
    if (data == NULL || !is_attribute(attribute))
        return cudaErrorInvalidValue;
    if (attribute == cudaMemRangeAttributeAccessedBy)
        return data_bytes > 0 && data_bytes % sizeof(int) == 0 ? cudaSuccess
                                                               : cudaErrorInvalidValue;
    return data_bytes == sizeof(int) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t facade_managed_range_attributes(void *const *data, const size_t *data_bytes,
                                            const int *attributes, size_t count,
                                            const void *pointer, size_t bytes)
{
    struct range range;
    cudaError_t error = cudaSuccess;
    if (data == NULL || data_bytes == NULL || attributes == NULL || count == 0)
        return cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = check_attribute(data[i], data_bytes[i], attributes[i]);
    if (error == cudaSuccess)
        error = find_range(&range, pointer, bytes);
    if (error != cudaSuccess)
        return error;
    const struct facade_advice advice =
        facade_advice_common(&range.view, range.offset, range.bytes);
    for (size_t i = 0; i < count; i++)
        write_attribute(data[i], data_bytes[i] / sizeof(int), attributes[i], &advice);
    return cudaSuccess;
}

cudaError_t facade_managed_range_attribute(void *data, size_t data_bytes, int attribute,
                                           const void *pointer, size_t bytes)
{
    return facade_managed_range_attributes(&data, &data_bytes, &attribute, 1, pointer, bytes);
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    return facade_result(facade_managed_allocate(devPtr, size, flags));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length,
                                     unsigned int flags)
{
    return facade_result(facade_managed_attach(stream, devPtr, length, flags));
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, struct cudaMemLocation location,
                                 unsigned int flags, cudaStream_t stream)
{
    return facade_result(facade_managed_prefetch(devPtr, count, location, flags, stream));
}

cudaError_t cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                      struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                      size_t numPrefetchLocs, unsigned long long flags,
                                      cudaStream_t stream)
{
    const struct facade_managed_batch batch = {
        dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags};
    return facade_result(facade_managed_prefetch_batch(&batch, stream));
}

cudaError_t cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                     unsigned long long flags, cudaStream_t stream)
{
    const struct facade_managed_batch batch = {
        .pointers = dptrs, .sizes = sizes, .count = count, .flags = flags};
    return facade_result(facade_managed_discard_batch(&batch, stream));
}

/* Contents that stay are prefetched like others. */
cudaError_t cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                                struct cudaMemLocation *prefetchLocs,
                                                size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                                                unsigned long long flags, cudaStream_t stream)
{
    return cudaMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs,
                                     numPrefetchLocs, flags, stream);
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location)
{
    return facade_result(facade_managed_advise(devPtr, count, (int)advice, location));
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize,
                                     enum cudaMemRangeAttribute attribute, const void *devPtr,
                                     size_t count)
{
    return facade_result(
        facade_managed_range_attribute(data, dataSize, (int)attribute, devPtr, count));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                                      enum cudaMemRangeAttribute *attributes, size_t numAttributes,
                                      const void *devPtr, size_t count)
{
    return facade_result(facade_managed_range_attributes(data, dataSizes, (const int *)attributes,
                                                         numAttributes, devPtr, count));
}
