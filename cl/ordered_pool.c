/* Stream-ordered memory: allocated and freed in the order of queues, reused without waiting.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/ordered_pool.h"

#include <sched.h>
#include <stdlib.h>

#include "cl/address.h"
#include "cl/ordered_private.h"
#include "cl/queue_private.h"
#include "cl/size_class.h"
#include "cl/slab.h"
#include "cl/trace.h"

/* What was freed stays an allocation that the registry holds, only not a live one, with a note of
 * the queue and the number of commands it was freed behind. To hand it out again takes a list, a
 * number or two and no look at the driver. The notes stand in shards, chosen by the queue where the
 * memory was freed: threads with queues of their own never meet. */

/* What is kept stands in the highest size class it reaches. */
enum { CLASSES = 320, SHARDS = 32 };

/* Small sizes are rounded up to their class, larger ones to pages, as the memory's pool does. */
static const size_t SMALL_MOST = (size_t)1 << 20;
enum { PAGE = 4096 };

/* How many kept blocks of one class are looked at. */
enum { LONGEST_LOOK = 64 };

struct shard {
    pthread_mutex_t lock; /* a leaf */
    _Atomic uint32_t count;
    uint64_t filled[CLASSES / 64]; /* bit c: list c is not empty */
    struct ocl_ordered *lists[CLASSES];
};

struct ocl_ordered_pool {
    uint64_t id;                 /* rises with every pool made */
    _Atomic uint32_t references; /* the owner's, one of each allocation, and of each walk */
    _Atomic(void *) owner;       /* NULL when destroyed */
    _Atomic bool is_destroyed;
    uint64_t most_bytes;
    _Atomic uint64_t settings[OCL_ORDERED_THRESHOLD + 1];
    _Atomic uint64_t used, used_high, reserved, reserved_high;
    _Atomic uint32_t releasing;               /* threads that are giving blocks back */
    struct ocl_ordered_pool *next, *previous; /* pools_lock */
    struct shard shards[SHARDS];
};

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf: the list */
static struct ocl_ordered_pool *pools;                         /* newest first */
static _Atomic uint64_t pool_count;
static uint64_t last_id;
static struct ocl_slab slab = OCL_SLAB_INITIALIZER(sizeof(struct ocl_ordered));

/* --- Sizes --- */

static unsigned class_of(size_t bytes)
{
    const unsigned class = ocl_size_class(bytes);
    return class < CLASSES ? class : CLASSES - 1;
}

static size_t rounded(size_t bytes)
{
    return bytes > SMALL_MOST ? (bytes + PAGE - 1) / PAGE * PAGE : ocl_size_class_bytes(bytes);
}

/* --- Pools --- */

static bool pool_retain(struct ocl_ordered_pool *pool)
{
    uint32_t now = atomic_load(&pool->references);
    while (now != 0)
        if (atomic_compare_exchange_weak(&pool->references, &now, now + 1))
            return true;
    return false;
}

static void pool_release(struct ocl_ordered_pool *pool)
{
    if (atomic_fetch_sub(&pool->references, 1) != 1)
        return;
    pthread_mutex_lock(&pools_lock);
    if (pool->next)
        pool->next->previous = pool->previous;
    if (pool->previous)
        pool->previous->next = pool->next;
    else
        pools = pool->next;
    atomic_fetch_sub(&pool_count, 1);
    pthread_mutex_unlock(&pools_lock);
    for (size_t i = 0; i < SHARDS; i++)
        pthread_mutex_destroy(&pool->shards[i].lock);
    free(pool);
}

/* The next pool of the list with a reference, newest first, or NULL. *cursor is UINT64_MAX at
 * first. */
static struct ocl_ordered_pool *pool_next(uint64_t *cursor)
{
    struct ocl_ordered_pool *pool;
    if (atomic_load_explicit(&pool_count, memory_order_relaxed) == 0)
        return NULL;
    pthread_mutex_lock(&pools_lock);
    for (pool = pools; pool; pool = pool->next) {
        if (pool->id < *cursor && pool_retain(pool)) {
            *cursor = pool->id;
            break;
        }
    }
    pthread_mutex_unlock(&pools_lock);
    return pool;
}

ocl_status ocl_ordered_pool_create(uint64_t most_bytes, void *owner, struct ocl_ordered_pool **pool)
{
    struct ocl_ordered_pool *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->most_bytes = most_bytes;
    atomic_init(&made->references, 1);
    atomic_init(&made->owner, owner);
    for (size_t i = 0; i <= OCL_ORDERED_INTERNAL; i++)
        atomic_init(&made->settings[i], 1);
    for (size_t i = 0; i < SHARDS; i++)
        pthread_mutex_init(&made->shards[i].lock, NULL);
    pthread_mutex_lock(&pools_lock);
    made->id = ++last_id;
    made->next = pools;
    if (made->next)
        made->next->previous = made;
    pools = made;
    atomic_fetch_add(&pool_count, 1);
    pthread_mutex_unlock(&pools_lock);
    *pool = made;
    return OCL_OK;
}

static bool is_on(const struct ocl_ordered_pool *pool, enum ocl_ordered_attribute setting)
{
    return atomic_load_explicit(&pool->settings[setting], memory_order_relaxed) != 0;
}

uint64_t ocl_ordered_pool_get(const struct ocl_ordered_pool *pool,
                              enum ocl_ordered_attribute attribute)
{
    switch (attribute) {
    case OCL_ORDERED_RESERVED:
        return atomic_load(&pool->reserved);
    case OCL_ORDERED_RESERVED_HIGH:
        return atomic_load(&pool->reserved_high);
    case OCL_ORDERED_USED:
        return atomic_load(&pool->used);
    case OCL_ORDERED_USED_HIGH:
        return atomic_load(&pool->used_high);
    default:
        return atomic_load(&pool->settings[attribute]);
    }
}

void ocl_ordered_pool_set(struct ocl_ordered_pool *pool, enum ocl_ordered_attribute attribute,
                          uint64_t value)
{
    switch (attribute) {
    case OCL_ORDERED_RESERVED:
    case OCL_ORDERED_USED:
        break;
    case OCL_ORDERED_RESERVED_HIGH:
        atomic_store(&pool->reserved_high, atomic_load(&pool->reserved));
        break;
    case OCL_ORDERED_USED_HIGH:
        atomic_store(&pool->used_high, atomic_load(&pool->used));
        break;
    default:
        atomic_store(&pool->settings[attribute], value);
        break;
    }
}

/* Counts bytes as held, if the pool may hold that much. */
static bool reserve(struct ocl_ordered_pool *pool, size_t bytes)
{
    uint64_t now = atomic_load(&pool->reserved);
    do {
        if (pool->most_bytes != 0 && (now > pool->most_bytes || bytes > pool->most_bytes - now))
            return false;
    } while (!atomic_compare_exchange_weak(&pool->reserved, &now, now + bytes));
    return true;
}

/* After memory was made: what failed leaves no high mark. */
static void mark_reserved(struct ocl_ordered_pool *pool)
{
    ocl_counter_raise(&pool->reserved_high, atomic_load(&pool->reserved));
}

void ocl_ordered_count_used(struct ocl_ordered *ordered)
{
    struct ocl_ordered_pool *pool = ordered->pool;
    const size_t bytes = ordered->allocation->bytes;
    ordered->used = bytes;
    ocl_counter_raise(&pool->used_high, atomic_fetch_add(&pool->used, bytes) + bytes);
}

static void count_unused(struct ocl_ordered *ordered)
{
    atomic_fetch_sub(&ordered->pool->used, ordered->used);
    ordered->used = 0;
}

/* --- Notes --- */

/* Needs: capacity is reserved; it is no more when this fails. */
static struct ocl_ordered *ordered_new(struct ocl_ordered_pool *pool, size_t capacity)
{
    struct ocl_ordered *made = ocl_slab_take(&slab);
    if (!made) {
        atomic_fetch_sub(&pool->reserved, capacity);
        return NULL;
    }
    made->pool = pool;
    made->allocation = NULL;
    made->capacity = capacity;
    made->used = 0;
    atomic_fetch_add(&pool->references, 1);
    return made;
}

void ocl_ordered_forget(struct ocl_ordered *ordered)
{
    struct ocl_ordered_pool *pool = ordered->pool;
    count_unused(ordered);
    atomic_fetch_sub(&pool->reserved, ordered->capacity);
    ocl_slab_give(&slab, ordered);
    pool_release(pool);
}

void *ocl_ordered_owner(const struct ocl_ordered *ordered)
{
    return atomic_load(&ordered->pool->owner);
}

/* --- Lists. The shard's lock is held. --- */

static void list_add(struct shard *shard, struct ocl_ordered *ordered)
{
    const unsigned class = class_of(ordered->capacity);
    ordered->previous = NULL;
    ordered->next = shard->lists[class];
    if (ordered->next)
        ordered->next->previous = ordered;
    shard->lists[class] = ordered;
    shard->filled[class / 64] |= (uint64_t)1 << class % 64;
    atomic_fetch_add_explicit(&shard->count, 1, memory_order_relaxed);
}

static void list_remove(struct shard *shard, struct ocl_ordered *ordered)
{
    const unsigned class = class_of(ordered->capacity);
    if (ordered->next)
        ordered->next->previous = ordered->previous;
    if (ordered->previous)
        ordered->previous->next = ordered->next;
    else
        shard->lists[class] = ordered->next;
    if (!shard->lists[class])
        shard->filled[class / 64] &= ~((uint64_t)1 << class % 64);
    atomic_fetch_sub_explicit(&shard->count, 1, memory_order_relaxed);
}

static bool has_any(struct shard *shard)
{
    return atomic_load_explicit(&shard->count, memory_order_relaxed) > 0;
}

/* --- When may memory be used again? --- */

/* A queue goes when its work is complete, so that work of one that is gone is. */
static bool is_complete(const struct ocl_ordered *ordered)
{
    if (atomic_load(&ordered->queue->id) != ordered->queue_id)
        return true;
    return ocl_queue_has_finished(ordered->queue, ordered->queue_id, ordered->position);
}

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
    uint64_t blocked_by;          /* a queue whose work is not known to be complete, or 0 */
};

/* Whether the legacy queue's relation to the blocking ones puts the free before what queue gets
 * from now on. Needs: ocl_queue_order(queue). */
static bool is_ordered_by_kind(const struct request *request, const struct ocl_ordered *ordered)
{
    const struct ocl_queue *queue = request->queue, *from = ordered->queue;
    const struct ocl_queue *legacy = queue->context->legacy;
    if (ordered->queue_context != queue->context)
        return false;
    if (queue->kind == OCL_QUEUE_BLOCKING && from == legacy)
        return ordered->position <= atomic_load(&queue->seen) &&
               atomic_load(&legacy->id) == ordered->queue_id;
    if (queue != legacy)
        return false;
    const uint64_t seen = atomic_load(&from->seen_by_legacy);
    return seen >= ordered->position && atomic_load(&from->id) == ordered->queue_id;
}

static bool is_reusable(const struct request *request, const struct ocl_ordered *ordered)
{
    const struct ocl_ordered_pool *pool = request->pool;
    if (ordered->queue_id == request->queue_id)
        return true;
    if (request->is_local)
        return false;
    if (is_on(pool, OCL_ORDERED_OPPORTUNISTIC) && is_complete(ordered))
        return true;
    return request->follows &&
           (ocl_queue_waits_have(&request->waits, ordered->queue_id, ordered->position) ||
            is_ordered_by_kind(request, ordered));
}

/* --- Finding kept memory --- */

static struct ocl_ordered *find_in_list(struct request *request, struct ocl_ordered *first)
{
    unsigned looks = LONGEST_LOOK;
    for (struct ocl_ordered *found = first; found && looks-- > 0; found = found->next) {
        if (found->capacity < request->capacity || found->allocation->context != request->context)
            continue;
        if (is_reusable(request, found))
            return found;
        if (request->blocked_by == 0)
            request->blocked_by = found->queue_id;
    }
    return NULL;
}

static struct ocl_ordered *take_from(struct request *request, struct shard *shard)
{
    const unsigned class = class_of(request->capacity);
    struct ocl_ordered *found = NULL;
    if (!has_any(shard))
        return NULL;
    pthread_mutex_lock(&shard->lock);
    for (unsigned next = class; !found && next <= class + 1 && next < CLASSES; next++)
        found = find_in_list(request, shard->lists[next]);
    if (found)
        list_remove(shard, found);
    pthread_mutex_unlock(&shard->lock);
    return found;
}

static struct shard *shard_of(struct ocl_ordered_pool *pool, uint64_t queue_id)
{
    return &pool->shards[queue_id % SHARDS];
}

static struct ocl_ordered *take_from_all(struct request *request)
{
    struct ocl_ordered *found = NULL;
    request->blocked_by = 0;
    for (size_t i = 0; i < SHARDS && !found; i++)
        found = take_from(request, &request->pool->shards[i]);
    return found;
}

/* Asks the driver about the queue that holds up memory that would fit. can_wait: and if its work is
 * not complete, makes the request's queue wait for it. True: looking again may find something. */
static bool unblock(struct request *request, bool can_wait)
{
    struct ocl_queue *from = ocl_queue_by_id(request->queue->context, request->blocked_by);
    uint64_t position;
    cl_event event;
    if (!from) /* gone meanwhile, or of another context, whose events are no use here */
        return false;
    bool is_over = false;
    if (ocl_queue_mark(from, &event, &position) == OCL_OK) {
        is_over = ocl_event_state(event) == CL_COMPLETE;
        if (is_over)
            ocl_queue_note_finished(from, request->blocked_by, position);
        if (!is_over && can_wait && ocl_queue_hold(request->queue, 1, &event) == OCL_OK) {
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
    if (!*taken && request->blocked_by != 0 && is_on(request->pool, OCL_ORDERED_OPPORTUNISTIC) &&
        unblock(request, false))
        *taken = take_from_all(request);
    return OCL_OK;
}

/* Memory that is still used elsewhere, for a queue that is made to wait. The wait is noted as one
 * for an event is. */
static struct ocl_ordered *take_by_waiting(struct request *request)
{
    struct ocl_ordered *found = NULL;
    if (!is_on(request->pool, OCL_ORDERED_INTERNAL))
        return NULL;
    found = take_from_all(request);
    for (int tries = 0; !found && request->blocked_by != 0 && tries < SHARDS; tries++) {
        if (!unblock(request, true))
            break;
        ocl_queue_copy_waits(request->queue, &request->waits);
        request->follows = true;
        found = take_from_all(request);
    }
    return found;
}

/* --- Making and handing out --- */

static bool release_kept(struct ocl_ordered_pool *pool, const struct ocl_context *context,
                         uint64_t keep_bytes);

static ocl_status make_new(struct request *request, uint64_t *address)
{
    struct ocl_ordered_pool *pool = request->pool;
    const bool has_room =
        reserve(pool, request->capacity) ||
        (release_kept(pool, request->context, 0) && reserve(pool, request->capacity));
    struct ocl_ordered *made = has_room ? ordered_new(pool, request->capacity) : NULL;
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    const ocl_status status =
        ocl_allocation_make_ordered(request->context, request->bytes, made, address);
    if (status == OCL_OK)
        mark_reserved(pool);
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
    return status;
}

ocl_status ocl_ordered_allocate(struct ocl_ordered_pool *pool, struct ocl_context *context,
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
    request.follows = is_on(pool, OCL_ORDERED_FOLLOW_EVENTS);
    request.blocked_by = 0;
    struct ocl_ordered *found = take_from(&request, shard_of(pool, request.queue_id));
    if (!found)
        return allocate_slowly(&request, address);
    *address = hand_out(found, bytes);
    return OCL_OK;
}

/* --- Freeing --- */

/* Keeps memory that is free behind what queue has got so far. */
static void keep(struct ocl_ordered *ordered, const struct ocl_queue *queue)
{
    const uint64_t queue_id = atomic_load(&queue->id);
    struct shard *shard = shard_of(ordered->pool, queue_id);
    count_unused(ordered);
    pthread_mutex_lock(&shard->lock);
    ordered->queue = queue;
    ordered->queue_context = queue->context;
    ordered->queue_id = queue_id;
    ordered->position = atomic_load(&queue->submitted);
    list_add(shard, ordered);
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
    return ordered_new(pool, capacity);
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
    if (adopted) {
        adopted->allocation = found;
        found->span = adopted->capacity;
        found->ordered = adopted;
        mark_reserved(plain);
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
    if (found->kind == OCL_MEMORY_DEVICE && ocl_allocation_offset(found, address) == 0)
        status = free_found(queue, plain, found);
    ocl_allocation_release(found);
    return status;
}

/* --- Giving kept memory back --- */

/* Takes out what is complete, as long as *excess is not 0. The shard's lock is held. */
static void collect(struct shard *shard, const struct ocl_context *context, uint64_t *excess,
                    struct ocl_ordered **victims)
{
    for (unsigned class = 0; class<CLASSES && * excess> 0; class ++) {
        if (!(shard->filled[class / 64] >> class % 64 & 1))
            continue;
        for (struct ocl_ordered *kept = shard->lists[class], *next; kept && *excess > 0;
             kept = next) {
            next = kept->next;
            if ((context && kept->allocation->context != context) || !is_complete(kept))
                continue;
            list_remove(shard, kept);
            *excess -= kept->capacity < *excess ? kept->capacity : *excess;
            kept->next = *victims;
            *victims = kept;
        }
    }
}

/* Gives complete memory of context, or of any, back until the pool holds no more than keep_bytes.
 * Returns whether there was any. */
static bool release_kept(struct ocl_ordered_pool *pool, const struct ocl_context *context,
                         uint64_t keep_bytes)
{
    const uint64_t reserved = atomic_load(&pool->reserved);
    uint64_t excess = reserved > keep_bytes ? reserved - keep_bytes : 0;
    struct ocl_ordered *victims = NULL;
    atomic_fetch_add(&pool->releasing, 1); /* a context that closes waits until they are gone */
    for (size_t i = 0; i < SHARDS && excess > 0; i++) {
        struct shard *shard = &pool->shards[i];
        if (!has_any(shard))
            continue;
        pthread_mutex_lock(&shard->lock);
        collect(shard, context, &excess, &victims);
        pthread_mutex_unlock(&shard->lock);
    }
    const bool had_any = victims != NULL;
    while (victims) {
        struct ocl_ordered *next = victims->next;
        struct ocl_allocation *allocation = victims->allocation;
        ocl_address_erase(allocation);
        ocl_allocation_release(allocation); /* its own */
        victims = next;
    }
    atomic_fetch_sub(&pool->releasing, 1);
    return had_any;
}

void ocl_ordered_pool_trim(struct ocl_ordered_pool *pool, uint64_t keep_bytes)
{
    (void)release_kept(pool, NULL, keep_bytes);
}

void ocl_ordered_settle(struct ocl_context *context)
{
    uint64_t cursor = UINT64_MAX;
    struct ocl_ordered_pool *pool;
    while ((pool = pool_next(&cursor)) != NULL) {
        const uint64_t least = atomic_load(&pool->is_destroyed)
                                   ? 0
                                   : atomic_load(&pool->settings[OCL_ORDERED_THRESHOLD]);
        if (atomic_load(&pool->reserved) > least)
            (void)release_kept(pool, context, least);
        pool_release(pool);
    }
}

bool ocl_ordered_shrink(struct ocl_context *context)
{
    uint64_t cursor = UINT64_MAX;
    struct ocl_ordered_pool *pool;
    bool had_any = false;
    while ((pool = pool_next(&cursor)) != NULL) {
        had_any |= release_kept(pool, context, 0);
        pool_release(pool);
    }
    return had_any;
}

static void leave_shard(struct shard *shard, const struct ocl_context *context)
{
    struct ocl_ordered *victims = NULL;
    pthread_mutex_lock(&shard->lock);
    for (unsigned class = 0; class < CLASSES; class ++) {
        for (struct ocl_ordered *kept = shard->lists[class], *next; kept; kept = next) {
            next = kept->next;
            if (kept->allocation->context != context)
                continue;
            list_remove(shard, kept);
            kept->next = victims;
            victims = kept;
        }
    }
    pthread_mutex_unlock(&shard->lock);
    while (victims) {
        struct ocl_ordered *next = victims->next;
        ocl_address_erase(victims->allocation);
        ocl_allocation_end(victims->allocation);
        victims = next;
    }
}

void ocl_ordered_leave(struct ocl_context *context)
{
    uint64_t cursor = UINT64_MAX;
    struct ocl_ordered_pool *pool;
    while ((pool = pool_next(&cursor)) != NULL) {
        for (size_t i = 0; i < SHARDS; i++)
            leave_shard(&pool->shards[i], context);
        while (atomic_load(&pool->releasing) != 0)
            sched_yield();
        pool_release(pool);
    }
}

void ocl_ordered_pool_destroy(struct ocl_ordered_pool *pool)
{
    if (!pool)
        return;
    atomic_store(&pool->owner, NULL);
    atomic_store(&pool->is_destroyed, true);
    ocl_ordered_pool_trim(pool, 0);
    pool_release(pool);
}
