/* Stream-ordered memory: allocated and freed in the order of queues, reused without waiting.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>

#include "cl/base/deadline.h"
#include "cl/check/check_transfer.h"
#include "cl/check/guard.h"
#include "cl/memory/address.h"
#include "cl/memory/allocation.h"
#include "cl/memory/fixed_private.h"
#include "cl/memory/ordered_shard.h"
#include "cl/memory/uses.h"
#include "cl/queue/queue_private.h"
#include "cl/trace.h"

/* Small sizes are rounded up to their class, larger ones to pages, as the memory's pool does. */
static const size_t SMALL_MOST = (size_t)1 << 20;
enum { PAGE = 4096 };

/* How many kept blocks of one class are looked at. */
enum { LONGEST_LOOK = 64 };

static size_t rounded(size_t bytes)
{
    if (ocl_guard_is_on())
        return bytes;
    return bytes > SMALL_MOST ? (bytes + PAGE - 1) / PAGE * PAGE : ocl_size_class_bytes(bytes);
}

/* --- When may memory be used again? --- */

/* Someone who wants memory. */
struct request {
    struct ocl_ordered_pool *pool;
    struct ocl_context *context; /* whose memory */
    struct ocl_queue *queue;
    uint64_t queue_id;
    size_t bytes, capacity;
    struct ocl_queue_waits waits; /* a copy, for what was freed in other queues */
    bool is_local;                /* look at what was freed in the same queue only */
    bool follows;                 /* what was freed in queues that waits tells of will do */
    bool takes_held; /* what a copy on its way still has a reference to will do, once it has not */
    /* A queue whose work is not known to be complete, and its id, or 0; it may be gone. */
    const struct ocl_queue *blocking;
    uint64_t blocked_by;
    ocl_status refusal; /* what asking about it came to first, or OCL_OK */
};

/* Whether the kinds of the two queues put the free before what the request's gets from now on. Needs:
 * ocl_queue_order() of that. */
static bool is_ordered_by_kind(const struct request *request, const struct ocl_ordered *ordered)
{
    return ordered->queue_context == request->queue->context &&
           ocl_queue_comes_after(request->queue, ordered->queue, ordered->queue_id,
                                 ordered->position);
}

/* What checks know of memory begins anew when the host hands it out: no kernel of its last owner's may still run then. */
static bool must_be_complete(void)
{
    return ocl_check_wants(OCL_CHECK_KERNELS);
}

static bool is_reusable(const struct request *request, const struct ocl_ordered *ordered)
{
    const struct ocl_ordered_pool *pool = request->pool;
    if (must_be_complete() && !ocl_ordered_is_complete(ordered))
        return false;
    if (ordered->queue_id == request->queue_id)
        return true;
    if (request->is_local)
        return false;
    if (ocl_ordered_pool_is_on(pool, OCL_ORDERED_OPPORTUNISTIC) && ocl_ordered_is_complete(ordered))
        return true;
    return request->follows &&
           (ocl_queue_waits_have(&request->waits, ordered->queue_id, ordered->position) ||
            is_ordered_by_kind(request, ordered));
}

/* --- Finding kept memory --- */

/* Memory is handed out once nobody but its keeper has a reference; a copy between contexts has one until its turn is over,
 * which may be long. */
static bool is_held(const struct ocl_ordered *ordered)
{
    return atomic_load(&ordered->allocation->references) > 1;
}

static struct ocl_ordered *find_in_list(struct request *request, struct ocl_ordered *first)
{
    unsigned looks = LONGEST_LOOK;
    for (struct ocl_ordered *found = first; found && looks-- > 0; found = found->next) {
        if (found->capacity < request->capacity || found->allocation->context != request->context)
            continue;
        if (is_held(found) && !request->takes_held)
            continue;
        if (is_reusable(request, found))
            return found;
        if (request->blocked_by == 0) {
            request->blocking = found->queue;
            request->blocked_by = found->queue_id;
        }
    }
    return NULL;
}

static struct ocl_ordered *take_from(struct request *request, struct ocl_shard *shard)
{
    const unsigned rank = ocl_shard_class(request->capacity);
    struct ocl_ordered *found = NULL;
    if (!ocl_shard_has_any(shard) || ocl_guard_is_on()) /* what was freed is never used again */
        return NULL;
    pthread_mutex_lock(&shard->lock);
    for (unsigned next = rank; !found && next <= rank + 1 && next < OCL_SHARD_CLASSES; next++)
        found = find_in_list(request, shard->lists[next]);
    if (found)
        ocl_shard_remove(shard, found);
    pthread_mutex_unlock(&shard->lock);
    return found;
}

static struct ocl_ordered *take_from_all(struct request *request)
{
    struct ocl_ordered *found = NULL;
    request->blocked_by = 0;
    for (size_t i = 0; i < OCL_SHARDS && !found; i++)
        found = take_from(request, &request->pool->shards[i]);
    return found;
}

/* A queue with nothing left to do ends its mark in the time that a command takes. The more often that was
 * waited for in vain, as where streams are busy, the shorter the next wait; in the end there is none. */
static bool ends_soon(struct ocl_ordered_pool *pool, cl_event event)
{
    enum { PATIENCE_NS = 50000, MOST_IN_VAIN = 15 };
    const uint32_t vain = atomic_load_explicit(&pool->in_vain, memory_order_relaxed);
    const uint64_t end = vain < MOST_IN_VAIN ? ocl_now() + (PATIENCE_NS >> vain) : 0;
    cl_int state = ocl_event_state(event);
    while (state > CL_COMPLETE && end > 0 && ocl_now() < end) {
        sched_yield();
        state = ocl_event_state(event);
    }
    if (state == CL_COMPLETE)
        atomic_store_explicit(&pool->in_vain, 0, memory_order_relaxed);
    else if (vain < MOST_IN_VAIN)
        atomic_store_explicit(&pool->in_vain, vain + 1, memory_order_relaxed);
    return state == CL_COMPLETE;
}

/* Notes what the driver has refused: the memory may be missing for that alone. */
static bool is_granted(struct request *request, ocl_status status)
{
    if (status != OCL_OK && request->refusal == OCL_OK)
        request->refusal = status;
    return status == OCL_OK;
}

/* Asks the driver about the queue that holds up memory that would fit. can_wait: and if its work is
 * not complete, makes the request's queue wait for it. True: looking again may find something. */
static bool unblock(struct request *request, bool can_wait)
{
    struct ocl_queue *from = ocl_queue_acquire(request->blocking, request->blocked_by);
    uint64_t position;
    cl_event event;
    if (!from)
        return false;
    bool is_over = false;
    /* Events of another context are no use here. */
    const bool is_near = from->context == request->queue->context;
    if (is_near && is_granted(request, ocl_queue_mark(from, &event, &position))) {
        if (!can_wait)
            is_over = ends_soon(request->pool, event);
        else if (must_be_complete())
            is_over = is_granted(request, ocl_queue_wait_for_event(from->context, event));
        else
            is_over = ocl_event_state(event) == CL_COMPLETE;
        if (is_over)
            ocl_queue_note_finished(from, request->blocked_by, position);
        if (!is_over && can_wait && !must_be_complete() &&
            is_granted(request, ocl_queue_hold(request->queue, 1, &event))) {
            ocl_trace("memory is short: a queue waits for another one's to become free");
            (void)ocl_queue_flush(request->queue); /* a failure is kept in the context */
            ocl_queue_note_wait(request->queue, request->blocked_by, position);
            is_over = true;
        }
        clReleaseEvent(event);
    }
    ocl_queue_release(from);
    return is_over;
}

/* Memory that was freed in another queue. */
static ocl_status take_elsewhere(struct request *request, struct ocl_ordered **taken)
{
    const ocl_status status = ocl_queue_order(request->queue);
    if (status != OCL_OK)
        return status;
    ocl_queue_copy_waits(request->queue, &request->waits);
    request->is_local = false;
    *taken = take_from_all(request);
    if (!*taken && request->blocked_by != 0 &&
        ocl_ordered_pool_is_on(request->pool, OCL_ORDERED_OPPORTUNISTIC) && unblock(request, false))
        *taken = take_from_all(request);
    return OCL_OK;
}

/* When no other is to be had: memory that a copy still holds, for the caller to wait, or that is still used elsewhere, for a
 * queue that is made to wait. The latter is noted as a wait for an event is. */
static struct ocl_ordered *take_by_waiting(struct request *request)
{
    struct ocl_ordered *found = NULL;
    request->takes_held = true;
    found = take_from_all(request);
    if (!ocl_ordered_pool_is_on(request->pool, OCL_ORDERED_INTERNAL))
        return found;
    for (int tries = 0; !found && request->blocked_by != 0 && tries < OCL_SHARDS; tries++) {
        if (!unblock(request, true))
            break;
        ocl_queue_copy_waits(request->queue, &request->waits);
        request->follows = true;
        found = take_from_all(request);
    }
    return found;
}

/* --- Making and handing out --- */

static ocl_status make_new(struct request *request, uint64_t *address)
{
    struct ocl_ordered_pool *pool = request->pool;
    const bool has_room = ocl_ordered_pool_reserve(pool, request->capacity) ||
                          (ocl_ordered_pool_release_kept(pool, request->context, 0) &&
                           ocl_ordered_pool_reserve(pool, request->capacity));
    struct ocl_ordered *made = has_room ? ocl_ordered_new(pool, request->capacity) : NULL;
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status =
        ocl_allocation_make_ordered(request->context, request->bytes, made, address);
    if (status == OCL_OK)
        ocl_ordered_pool_note_peak(pool);
    return status;
}

/* Makes a kept allocation a live one again. Its fields may change only while nobody has a
 * reference: a lookup of another address may look at it for a moment. */
static uint64_t hand_out(struct ocl_ordered *ordered, size_t bytes)
{
    struct ocl_allocation *allocation = ordered->allocation;
    for (uint32_t own = 1; !atomic_compare_exchange_strong_explicit(
             &allocation->references, &own, 0, memory_order_acquire, memory_order_relaxed);
         own = 1)
        sched_yield();
    allocation->bytes = bytes;
    allocation->id = ocl_allocation_next_id();
    const uint64_t address = allocation->address;
    ocl_ordered_count_used(ordered);
    atomic_store_explicit(&allocation->references, 1, memory_order_release);
    ocl_allocation_count(allocation, true);
    atomic_store_explicit(&allocation->is_live, true, memory_order_release);
    return address;
}

static ocl_status allocate_slowly(struct request *request, uint64_t *address)
{
    struct ocl_ordered *found = NULL;
    ocl_status status = take_elsewhere(request, &found);
    if (status == OCL_OK && !found) {
        status = make_new(request, address);
        if (status != OCL_E_OUT_OF_MEMORY)
            return status;
        found = take_by_waiting(request);
    }
    if (found) {
        *address = hand_out(found, request->bytes);
        return OCL_OK;
    }
    return request->refusal != OCL_OK ? request->refusal : status;
}

static ocl_status allocate(struct ocl_ordered_pool *pool, struct ocl_context *context,
                           struct ocl_queue *queue, size_t bytes, uint64_t *address)
{
    const ocl_status failure = ocl_context_failure(context);
    if (failure != OCL_OK)
        return failure;
    if (bytes > SIZE_MAX / 2) /* below, rounding cannot overflow */
        return OCL_E_OUT_OF_MEMORY;
    struct request request;
    request.pool = pool;
    request.context = context;
    request.queue = queue;
    request.queue_id = atomic_load_explicit(&queue->id, memory_order_relaxed);
    request.bytes = bytes;
    request.capacity = rounded(bytes);
    request.is_local = true;
    request.follows = ocl_ordered_pool_is_on(pool, OCL_ORDERED_FOLLOW_EVENTS);
    request.takes_held = false;
    request.blocking = NULL;
    request.blocked_by = 0;
    request.refusal = OCL_OK;
    struct ocl_ordered *found = take_from(&request, ocl_shard_of(pool, request.queue_id));
    if (!found)
        return allocate_slowly(&request, address);
    *address = hand_out(found, bytes);
    return OCL_OK;
}

ocl_status ocl_ordered_allocate(struct ocl_ordered_pool *pool, struct ocl_context *context,
                                struct ocl_queue *queue, size_t bytes, uint64_t *address)
{
    const ocl_status status = allocate(pool, context, queue, bytes, address);
    if (status == OCL_OK && ocl_check_wants(OCL_CHECK_RACE)) {
        const struct ocl_stream stream = ocl_queue_stream(queue);
        ocl_check_stream_allocated(&stream, *address, bytes);
    }
    return status;
}

/* --- Freeing --- */

/* Keeps memory that is free behind what queue has got so far. */
static void keep(struct ocl_ordered *ordered, const struct ocl_queue *queue)
{
    const uint64_t queue_id = atomic_load(&queue->id);
    struct ocl_shard *shard = ocl_shard_of(ordered->pool, queue_id);
    ocl_ordered_count_unused(ordered);
    pthread_mutex_lock(&shard->lock);
    ordered->queue = queue;
    ordered->queue_context = queue->context;
    ordered->queue_id = queue_id;
    ordered->position = atomic_load(&queue->submitted);
    ocl_shard_add(shard, ordered);
    pthread_mutex_unlock(&shard->lock);
}

ocl_status ocl_ordered_give(struct ocl_allocation *allocation)
{
    struct ocl_context *context = allocation->context;
    const ocl_status status = ocl_queue_order(context->legacy);
    keep(allocation->ordered, context->legacy);
    return status;
}

/* The note of memory that no pool has had so far. */
static struct ocl_ordered *adopt(struct ocl_ordered_pool *pool,
                                 const struct ocl_allocation *allocation)
{
    const size_t bytes = allocation->bytes + OCL_MEMORY_ALIGNMENT - 1;
    const size_t capacity = bytes / OCL_MEMORY_ALIGNMENT * OCL_MEMORY_ALIGNMENT;
    atomic_fetch_add(&pool->reserved, capacity); /* it is there already: no limit holds it off */
    return ocl_ordered_new(pool, capacity);
}

static ocl_status free_found(struct ocl_queue *queue, struct ocl_ordered_pool *plain,
                             struct ocl_allocation *found)
{
    ocl_status status = ocl_queue_order(queue);
    if (status != OCL_OK)
        return status;
    struct ocl_ordered *adopted = found->ordered ? NULL : adopt(plain, found);
    if (!found->ordered && !adopted)
        return OCL_E_OUT_OF_MEMORY;
    if (!atomic_exchange(&found->is_live, false)) {
        if (adopted)
            ocl_ordered_forget(adopted);
        return OCL_E_NOT_FOUND;
    }
    ocl_allocation_count(found, false);
    ocl_guard_note_freed(found->block->guarded);
    ocl_use_check_free(found, queue);
    ocl_use_forget(found);
    if (adopted) {
        adopted->allocation = found;
        if (!found->block->guarded) /* which stands in the registry to the byte */
            found->span = adopted->capacity;
        found->ordered = adopted;
        ocl_ordered_pool_note_peak(plain);
    }
    keep(found->ordered, queue);
    return OCL_OK;
}

ocl_status ocl_ordered_free(struct ocl_queue *queue, struct ocl_ordered_pool *plain,
                            const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    struct ocl_allocation *found = ocl_address_acquire(address);
    if (!found)
        return OCL_E_NOT_FOUND;
    ocl_status status = OCL_E_NOT_FOUND;
    if (found->kind == OCL_MEMORY_DEVICE && !ocl_allocation_is_imported(found) &&
        !found->is_virtual && ocl_allocation_offset(found, address) == 0)
        status = found->fixed ? ocl_fixed_end(queue, address) : free_found(queue, plain, found);
    ocl_allocation_release(found);
    return status;
}
