/* The checks that every copy goes through, and the two forms that all others become.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/copy_request.h"

#include "facade/graph/capture.h"
#include "facade/memory/managed_advice.h"
#include "facade/memory/memory_array.h"
#include "facade/memory/memory_work.h"
#include "facade/memory/misuse.h"
#include "facade/memory/pointer_attributes.h"
#include "facade/state/handles.h"
#include "facade/state/runtime.h"
#include "facade/stream/stream.h"

/* --- checking and submitting ------------------------------------------------------------------ */

static const struct {
    enum facade_claim source, target;
} claims[] = {
    [cudaMemcpyHostToHost] = {FACADE_CLAIM_HOST, FACADE_CLAIM_HOST},
    [cudaMemcpyHostToDevice] = {FACADE_CLAIM_HOST, FACADE_CLAIM_DEVICE},
    [cudaMemcpyDeviceToHost] = {FACADE_CLAIM_DEVICE, FACADE_CLAIM_HOST},
    [cudaMemcpyDeviceToDevice] = {FACADE_CLAIM_DEVICE, FACADE_CLAIM_DEVICE},
    [cudaMemcpyDefault] = {FACADE_CLAIM_ANY, FACADE_CLAIM_ANY},
};

cudaError_t facade_copy_claim(struct facade_copy_request *request, enum cudaMemcpyKind kind)
{
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    request->source = claims[kind].source;
    request->target = claims[kind].target;
    return cudaSuccess;
}

cudaError_t facade_copy_claim_arrays(struct facade_copy_request *request, enum cudaMemcpyKind kind,
                                     bool source_is_array, bool target_is_array)
{
    cudaError_t error = facade_copy_claim(request, kind);
    if (error == cudaSuccess && ((source_is_array && request->source == FACADE_CLAIM_HOST) ||
                                 (target_is_array && request->target == FACADE_CLAIM_HOST)))
        error = cudaErrorInvalidMemcpyDirection;
    return error;
}

/* An end of a copy, the allocation that holds it, NULL for pageable memory, and what is mapped of it. */
struct held_place {
    struct facade_place place;
    struct ocl_allocation *allocation;
    struct ocl_virtual_hold mapped;
};

/* From the volume's first byte to its last; false: no size_t measures it. */
static bool measure(const struct ocl_copy *copy, const struct ocl_copy_end *end, size_t *bytes)
{
    size_t slices = 0, rows = 0;
    return !__builtin_mul_overflow(copy->depth - 1, end->slice_bytes, &slices) &&
           !__builtin_mul_overflow(copy->height - 1, end->pitch, &rows) &&
           !__builtin_add_overflow(slices, rows, bytes) &&
           !__builtin_add_overflow(*bytes, copy->width, bytes);
}

/* Whether the volume fits in where the end begins. Mapped memory is held. */
static bool fits(const struct ocl_copy *copy, const struct ocl_copy_end *end,
                 struct held_place *held)
{
    const bool is_target = end == &copy->target;
    size_t bytes = 0;
    return measure(copy, end, &bytes) &&
           facade_place_keep(&held->place, bytes, is_target, &held->mapped);
}

static struct held_place hold(uint64_t address)
{
    struct held_place held = {.allocation = NULL};
    held.place = facade_place_hold(address, &held.allocation);
    return held;
}

/* What a graph is still to allocate is memory for nodes alone; elsewhere it is nobody's, and not the host's either. */
static cudaError_t find_to_be(uint64_t base, uint64_t address, bool is_node,
                              struct facade_place *place)
{
    struct facade_place found;
    if (place->kind != FACADE_PAGEABLE || !facade_place_find_to_be(base, &found))
        return cudaSuccess;
    if (!is_node || address - base >= found.left)
        return cudaErrorInvalidValue;
    *place = found;
    place->left -= (size_t)(address - base);
    return cudaSuccess;
}

/* An end that begins inside its base's allocation is in there; otherwise only pageable memory
 * has no bounds to leave, and mapped memory goes on in the next mapping. */
static cudaError_t hold_end(uint64_t base, uint64_t address, struct held_place *held)
{
    *held = hold(base);
    if (base == address)
        return cudaSuccess;
    if (held->place.kind == FACADE_PAGEABLE || held->place.virtual_address != 0) {
        const bool was_virtual = held->place.virtual_address != 0;
        ocl_memory_let_go(held->allocation);
        *held = hold(address);
        if (was_virtual && held->place.virtual_address == 0)
            return cudaErrorInvalidValue;
    } else if (address - base >= held->place.left) {
        return cudaErrorInvalidValue;
    } else {
        held->place.left -= (size_t)(address - base);
    }
    return cudaSuccess;
}

/* Sets *held, whatever comes of it. */
static cudaError_t check_end(const struct ocl_copy *copy, const struct ocl_copy_end *end,
                             uint64_t base, enum facade_claim claim,
                             const struct facade_array *array, bool is_node,
                             struct held_place *held)
{
    *held = (struct held_place){.allocation = NULL};
    if (array != NULL) {
        *held = hold(end->address);
        /* A graph may name an array that another has taken the place of since. */
        const bool is_inside = held->place.kind != FACADE_PAGEABLE && fits(copy, end, held);
        held->place = (struct facade_place){.kind = FACADE_DEVICE,
                                            .context = ocl_array_context(array->array)};
        return is_inside ? cudaSuccess : cudaErrorInvalidValue;
    }
    if (end->address == 0)
        return cudaErrorInvalidValue;
    if (base == 0)
        base = end->address;
    cudaError_t error = hold_end(base, end->address, held);
    if (error == cudaSuccess)
        error = find_to_be(base, end->address, is_node, &held->place);
    if (error != cudaSuccess)
        return error;
    if (held->place.kind == FACADE_PAGEABLE && claim == FACADE_CLAIM_DEVICE)
        return cudaErrorInvalidValue;
    if (fits(copy, end, held))
        return cudaSuccess;
    size_t bytes = 0;
    if (measure(copy, end, &bytes))
        facade_misuse_range(end->address, bytes, "a copy");
    return cudaErrorInvalidValue;
}

static void let_go(struct held_place *held)
{
    ocl_memory_let_go(held->allocation);
    ocl_virtual_let_go(&held->mapped);
}

/* Both ends; none is held where one is bad. */
static cudaError_t check_ends(const struct facade_copy_request *request, bool is_node,
                              struct held_place *source, struct held_place *target)
{
    const struct ocl_copy *copy = &request->copy;
    *source = (struct held_place){.allocation = NULL};
    cudaError_t error = check_end(copy, &copy->target, request->target_base, request->target,
                                  request->target_array, is_node, target);
    if (error == cudaSuccess)
        error = check_end(copy, &copy->source, request->source_base, request->source,
                          request->source_array, is_node, source);
    if (error != cudaSuccess) {
        let_go(source);
        let_go(target);
    }
    return error;
}

/* Source: CUDA Runtime API 13.0, API synchronization behavior. Where it leaves a choice, as
 *         NVIDIA's runtime does. */
static enum ocl_transfer_wait wait_for(enum facade_place_kind source, enum facade_place_kind target,
                                       bool is_async)
{
    const bool is_managed = source == FACADE_MANAGED || target == FACADE_MANAGED;
    if (source == FACADE_DEVICE && target == FACADE_DEVICE)
        return OCL_WAIT_SOURCE;
    if (source != FACADE_DEVICE && target != FACADE_DEVICE && !is_managed)
        return OCL_WAIT_ALL;
    return is_async ? OCL_WAIT_SOURCE : OCL_WAIT_ALL;
}

/* Such a copy comes between all work of both devices, unless it is asynchronous.
 * Source: CUDA C++ Programming Guide 13.0, peer-to-peer memory copy. */
static bool is_between_devices(const struct facade_place *source, const struct facade_place *target)
{
    return source->kind == FACADE_DEVICE && target->kind == FACADE_DEVICE &&
           source->context != target->context;
}

enum cudaMemcpyKind facade_copy_kind(const struct facade_copy_request *request)
{
    for (int kind = cudaMemcpyHostToHost; kind < cudaMemcpyDefault; kind++) {
        if (claims[kind].source == request->source && claims[kind].target == request->target)
            return (enum cudaMemcpyKind)kind;
    }
    return cudaMemcpyDefault;
}

bool facade_copy_is_empty(const struct facade_copy_request *request)
{
    return request->copy.width == 0 || request->copy.height == 0 || request->copy.depth == 0;
}

static bool is_synchronous_memory(const struct ocl_copy *copy)
{
    return facade_advice_is_synchronous(copy->source.address) ||
           facade_advice_is_synchronous(copy->target.address);
}

static enum ocl_transfer_wait choose_wait(const struct facade_copy_request *request,
                                          enum facade_place_kind source,
                                          enum facade_place_kind target, bool is_async)
{
    const enum ocl_transfer_wait wait = wait_for(source, target, is_async);
    return wait == OCL_WAIT_SOURCE && request->reads_in_order ? OCL_WAIT_TARGET : wait;
}

/* Lets the ends go, which are found again between the work of all the contexts. */
static ocl_status submit_alone(const struct ocl_copy *copy, struct ocl_copy_holds holds,
                               struct ocl_queue *queue)
{
    ocl_memory_let_go(holds.source);
    ocl_memory_let_go(holds.target);
    return ocl_transfer_copy_alone(queue, copy);
}

static cudaError_t capture_copy(const struct facade_copy_request *request,
                                struct facade_stream *stream)
{
    struct facade_work *work = NULL;
    cudaError_t error = facade_work_of_request(request, &work);
    return error == cudaSuccess ? facade_capture_add(stream, cudaGraphNodeTypeMemcpy, work, NULL)
                                : error;
}

static cudaError_t submit_within(const struct facade_copy_request *request, cudaStream_t stream,
                                 bool is_async)
{
    struct facade_stream *found = NULL;
    bool is_capturing = false;
    cudaError_t error = is_async ? facade_stream_find_to_capture(stream, &found, &is_capturing)
                                 : facade_stream_find(stream, &found);
    if (error != cudaSuccess)
        return error;
    return is_capturing ? capture_copy(request, found)
                        : facade_copy_submit_in(request, found, is_async);
}

cudaError_t facade_copy_submit(const struct facade_copy_request *request, cudaStream_t stream,
                               bool is_async)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current_enter(&context);
    if (error != cudaSuccess)
        return error;
    if (!facade_copy_is_empty(request))
        error = submit_within(request, stream, is_async);
    facade_context_leave(context);
    return error;
}

cudaError_t facade_copy_check(const struct facade_copy_request *request)
{
    struct facade_context *context = NULL;
    struct held_place source, target;
    cudaError_t error = facade_current(&context);
    if (error != cudaSuccess || facade_copy_is_empty(request))
        return error;
    error = check_ends(request, true, &source, &target);
    if (error != cudaSuccess)
        return error;
    let_go(&source);
    let_go(&target);
    return cudaSuccess;
}

cudaError_t facade_copy_submit_in(const struct facade_copy_request *request,
                                  struct facade_stream *found, bool is_async)
{
    const struct ocl_copy *copy = &request->copy;
    struct held_place source, target;
    cudaError_t error = check_ends(request, false, &source, &target);
    if (error != cudaSuccess)
        return error;
    const struct ocl_copy_holds holds = {source.allocation, target.allocation};
    if (copy->height == 1 && copy->depth == 1)
        facade_misuse_overlap(copy->target.address, copy->source.address, copy->width);
    const bool is_synchronous = is_synchronous_memory(copy);
    const enum ocl_transfer_wait wait =
        is_synchronous ? OCL_WAIT_ALL
                       : choose_wait(request, source.place.kind, target.place.kind, is_async);
    const bool is_alone =
        request->is_alone || (!is_async && is_between_devices(&source.place, &target.place));
    ocl_status status = is_alone ? submit_alone(copy, holds, found->queue)
                                 : ocl_transfer_copy_held(found->queue, copy, holds, wait);
    ocl_virtual_let_go(&source.mapped);
    ocl_virtual_let_go(&target.mapped);
    if (status == OCL_OK && request->target_array != NULL)
        status = ocl_array_written(request->target_array->array, found->queue);
    if (status == OCL_OK && is_alone && is_synchronous)
        status = ocl_queue_finish(found->queue);
    return facade_error_from(status, FACADE_OTHER);
}

/* --- the forms -------------------------------------------------------------------------------- */

struct facade_copy_request facade_copy_linear(void *target, const void *source, size_t bytes)
{
    return (struct facade_copy_request){
        .copy = {.source = {(uintptr_t)source, bytes, bytes},
                 .target = {(uintptr_t)target, bytes, bytes},
                 .width = bytes,
                 .height = 1,
                 .depth = 1},
    };
}

/* What *given has to hold: position and size. Errors: cudaErrorInvalidValue when it does not. */
static cudaError_t check_side(size_t *given, size_t position, size_t size)
{
    size_t needed = 0;
    if (__builtin_add_overflow(position, size, &needed))
        return cudaErrorInvalidValue;
    if (*given == 0)
        *given = needed;
    return *given >= needed ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t place_end(struct ocl_copy_end *made, const struct facade_copy_end *end)
{
    size_t slice = 0, slices = 0, rows = 0;
    if (__builtin_mul_overflow(end->pitch, end->rows, &slice) ||
        __builtin_mul_overflow(end->z, slice, &slices) ||
        __builtin_mul_overflow(end->y, end->pitch, &rows) ||
        __builtin_add_overflow(end->base, (uint64_t)slices, &made->address) ||
        __builtin_add_overflow(made->address, (uint64_t)rows, &made->address) ||
        __builtin_add_overflow(made->address, (uint64_t)end->x, &made->address))
        return cudaErrorInvalidValue;
    made->pitch = end->pitch;
    made->slice_bytes = slice;
    return cudaSuccess;
}

static bool is_inside(size_t position, size_t size, size_t bound)
{
    return position <= bound && size <= bound - position;
}

/* The volume lies in the level, which has nothing between rows of a slice but the pitch. */
static cudaError_t place_in_array(struct ocl_copy_end *made, struct facade_copy_end end,
                                  struct cudaExtent extent)
{
    const size_t texel_bytes = ocl_texel_bytes(&end.array->format.texel);
    struct ocl_array_level level;
    ocl_array_level(end.array->array, end.array->level, &level);
    if (!is_inside(end.x, extent.width, level.width * texel_bytes) ||
        !is_inside(end.y, extent.height, level.height) ||
        !is_inside(end.z, extent.depth, level.slices))
        return cudaErrorInvalidValue;
    end.base = level.address;
    end.pitch = level.pitch;
    end.rows = level.height;
    return place_end(made, &end);
}

static cudaError_t make_end(struct ocl_copy_end *made, struct facade_copy_end end,
                            struct cudaExtent extent)
{
    if (end.array != NULL)
        return place_in_array(made, end, extent);
    if (end.base == 0)
        return cudaErrorInvalidValue;
    cudaError_t error = check_side(&end.pitch, end.x, extent.width);
    if (error == cudaSuccess)
        error = check_side(&end.rows, end.y, extent.height);
    return error == cudaSuccess ? place_end(made, &end) : error;
}

cudaError_t facade_copy_volume(struct facade_copy_request *request,
                               const struct facade_copy_end *source,
                               const struct facade_copy_end *target, struct cudaExtent extent)
{
    cudaError_t error = make_end(&request->copy.source, *source, extent);
    if (error == cudaSuccess)
        error = make_end(&request->copy.target, *target, extent);
    request->source_base = source->base;
    request->target_base = target->base;
    request->source_array = source->array;
    request->target_array = target->array;
    request->copy.width = extent.width;
    request->copy.height = extent.height;
    request->copy.depth = extent.depth;
    return error;
}
