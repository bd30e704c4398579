/* Values that queues write and wait for. One thread of each context looks at what its queues wait for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/value.h"

#include <stdlib.h>
#include <time.h>

#include "cl/base/deadline.h"
#include "cl/base/steady.h"
#include "cl/memory/transfer_command.h"
#include "cl/own_thread.h"
#include "cl/queue/command.h"
#include "cl/queue/queue_private.h"
#include "cl/state/failure.h"
#include "cl/state/stillness.h"
#include "cl/transfer.h"
#include "cl/transfer/side.h"
#include "cl/transfer/value_read.h"

/* How long the thread rests between two looks: at first, and when nothing has happened for a while. It rests longer then by
 * what looks cost, with waking up for them, so that they take less than a hundredth of a core. */
enum { FIRST_NAP_NS = 20000, LONG_NAP_NS = 1000000, NAPS_PER_LOOK = 150 };

/* A wait for a value, or its write by the host, which takes its turn. */
struct turn {
    struct ocl_values *values;
    struct ocl_gate *gate; /* of a wait */
    struct ocl_value value;
    struct ocl_side side;
    enum ocl_value_test test;
    struct ocl_awaited *awaited; /* in place of value and side, or NULL */
    struct ocl_value_read read;  /* of a wait in device memory */
    struct turn *next;
};

/* What the driver reads of a write. */
struct source {
    uint64_t value;
    struct source *next;
};

struct ocl_values {
    struct ocl_context *context;
    pthread_mutex_t lock;   /* a leaf */
    pthread_cond_t changed; /* with lock */
    pthread_t thread;
    struct turn *waits;  /* whose turn has come (lock) */
    struct source *kept; /* (lock) */
    uint64_t news;       /* counts what may have ended a wait (lock) */
    bool is_ending, is_closing;
    uint64_t spent; /* the thread's own: its time on a processor up to the last look */
    _Atomic(struct ocl_queue *) queue; /* for looks at device memory, or NULL */
};

/* ---- Looking ---- */

static bool holds(const struct turn *wait, uint64_t found)
{
    const uint64_t value = wait->value.value;
    const bool is_long = wait->value.bytes == 8;
    const uint64_t all = is_long ? UINT64_MAX : UINT32_MAX;

    switch (wait->test) {
    case OCL_VALUE_EQUAL:
        return ((found ^ value) & all) == 0;
    case OCL_VALUE_AND:
        return (found & value & all) != 0;
    case OCL_VALUE_NOR:
        return (~(found | value) & all) != 0;
    default:
        return is_long ? (int64_t)(found - value) >= 0 : (int32_t)(uint32_t)(found - value) >= 0;
    }
}

static uint64_t read_by_host(const struct turn *wait)
{
    const void *at = (const void *)(uintptr_t)wait->side.address;

    return wait->value.bytes == 8 ? __atomic_load_n((const uint64_t *)at, __ATOMIC_ACQUIRE)
                                  : __atomic_load_n((const uint32_t *)at, __ATOMIC_ACQUIRE);
}

static void write_by_host(const struct turn *write)
{
    const struct ocl_context *context = write->side.allocation->context;
    void *at = (void *)(uintptr_t)write->side.address;

    ocl_write_begin(context);
    if (write->value.bytes == 8)
        __atomic_store_n((uint64_t *)at, write->value.value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint32_t *)at, (uint32_t)write->value.value, __ATOMIC_RELEASE);
    ocl_write_end(context);
}

static bool is_of_device(const struct turn *wait)
{
    return !ocl_side_is_host_memory(&wait->side);
}

/* What cannot be read now is looked at again later. */
static void read_by_device(struct ocl_queue *queue, struct turn *waits)
{
    struct ocl_value_read *reads = NULL;

    for (struct turn *wait = waits; wait; wait = wait->next)
        if (is_of_device(wait)) {
            wait->read = (struct ocl_value_read){
                .side = &wait->side, .bytes = wait->value.bytes, .next = reads};
            reads = &wait->read;
        }
    if (reads)
        ocl_value_read_all(queue, reads);
}

/* Memory of another context that is being closed, which waits until nobody uses that any more. */
static bool is_in_closing(const struct turn *wait)
{
    return atomic_load(&wait->side.allocation->context->is_closing);
}

static bool is_over(const struct turn *wait)
{
    if (wait->awaited)
        return wait->awaited->is_over(wait->awaited);
    if (is_in_closing(wait))
        return true;
    if (!is_of_device(wait))
        return holds(wait, read_by_host(wait));
    return wait->read.is_read && holds(wait, wait->read.value);
}

static void end_wait(struct turn *wait)
{
    if (wait->awaited)
        wait->awaited->end(wait->awaited);
    ocl_gate_open(wait->gate);
    ocl_side_release(&wait->side);
    free(wait);
}

/* Ends those of the list that are over, or all; returns the others. *ended is how many it was. */
static struct turn *sort_out(struct turn *waits, bool ends_all, unsigned *ended)
{
    struct turn *left = NULL, *next;

    *ended = 0;
    for (struct turn *wait = waits; wait; wait = next) {
        next = wait->next;
        if (ends_all || is_over(wait)) {
            end_wait(wait);
            ++*ended;
        } else {
            wait->next = left;
            left = wait;
        }
    }
    return left;
}

/* The queue goes when the context closes, which waits for this. */
static struct turn *look(struct ocl_values *values, struct turn *waits, bool is_ending,
                         unsigned *ended)
{
    struct ocl_queue *queue = atomic_load(&values->queue);

    if (is_ending || ocl_context_failure(values->context) != OCL_OK)
        return sort_out(waits, true, ended);
    if (queue && ocl_queue_retain(queue)) {
        read_by_device(queue, waits);
        ocl_queue_release(queue);
    }
    return sort_out(waits, false, ended);
}

/* ---- The thread ---- */

/* Lock held. */
static void put_back(struct ocl_values *values, struct turn *waits)
{
    struct turn **last = &waits;

    while (*last)
        last = &(*last)->next;
    *last = values->waits;
    values->waits = waits;
}

static uint64_t spent_by_thread(void)
{
    struct timespec time = {0};

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* After a look that others computed for took so long; what this thread has spent since the look before is not all in that. */
static uint64_t long_nap(struct ocl_values *values, uint64_t took)
{
    const uint64_t spent = spent_by_thread(), own = spent - values->spent;
    const uint64_t nap = (own > took ? own : took) * NAPS_PER_LOOK;

    values->spent = spent;
    return nap > LONG_NAP_NS ? nap : LONG_NAP_NS;
}

/* One look; the lock is held at the begin and the end. Returns how long to rest. */
static uint64_t look_once(struct ocl_values *values, uint64_t nap)
{
    struct turn *waits = values->waits;
    const bool is_ending = values->is_ending;
    unsigned ended;

    values->waits = NULL;
    pthread_mutex_unlock(&values->lock);
    const uint64_t begin = ocl_now();
    waits = look(values, waits, is_ending, &ended);
    const uint64_t took = ocl_now() - begin;
    pthread_mutex_lock(&values->lock);
    put_back(values, waits);
    nap = ended > 0 ? FIRST_NAP_NS : 2 * nap;
    const uint64_t rest = long_nap(values, took);
    return nap < LONG_NAP_NS ? nap : rest;
}

static void *watch(void *data)
{
    struct ocl_values *values = data;
    uint64_t nap = FIRST_NAP_NS, seen = 0;

    pthread_mutex_lock(&values->lock);
    while (values->waits || !values->is_closing) {
        if (!values->waits) {
            ocl_steady_wait(&values->changed, &values->lock);
            continue;
        }
        if (values->news != seen)
            nap = FIRST_NAP_NS / 2;
        seen = values->news;
        nap = look_once(values, nap);
        if (values->waits && values->news == seen)
            (void)ocl_condition_wait_until(&values->changed, &values->lock, ocl_now() + nap);
    }
    pthread_mutex_unlock(&values->lock);
    return NULL;
}

/* Lock held, or nobody else has the values. */
static void tell_news(struct ocl_values *values)
{
    values->news++;
    pthread_cond_signal(&values->changed);
}

static void note_news(struct ocl_values *values)
{
    pthread_mutex_lock(&values->lock);
    tell_news(values);
    pthread_mutex_unlock(&values->lock);
}

static void free_values(struct ocl_values *values)
{
    for (struct source *source = values->kept, *next; source; source = next) {
        next = source->next;
        free(source);
    }
    pthread_cond_destroy(&values->changed);
    pthread_mutex_destroy(&values->lock);
    free(values);
}

static struct ocl_values *make_values(struct ocl_context *context)
{
    struct ocl_values *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->context = context;
    pthread_mutex_init(&made->lock, NULL);
    ocl_condition_init(&made->changed);
    if (own_thread_start(&made->thread, 0, watch, made))
        return made;
    free_values(made);
    return NULL;
}

static void close_values(struct ocl_values *values)
{
    pthread_mutex_lock(&values->lock);
    values->is_closing = values->is_ending = true;
    tell_news(values);
    pthread_mutex_unlock(&values->lock);
    pthread_join(values->thread, NULL);
    free_values(values);
}

/* The context's, made at the first need. NULL: no memory, or no thread. */
static struct ocl_values *find_values(struct ocl_context *context)
{
    struct ocl_values *found = atomic_load(&context->values);

    if (found)
        return found;
    struct ocl_values *made = make_values(context);
    if (!made || atomic_compare_exchange_strong(&context->values, &found, made))
        return made;
    close_values(made);
    return found;
}

/* Made before the thread needs it: the context may be closing then. */
static ocl_status make_queue(struct ocl_values *values)
{
    struct ocl_queue *made, *found = atomic_load(&values->queue);

    if (found)
        return OCL_OK;
    const ocl_status status = ocl_queue_create(values->context, OCL_QUEUE_APART, 0, &made);
    if (status == OCL_OK && !atomic_compare_exchange_strong(&values->queue, &found, made))
        ocl_queue_destroy(made);
    return status;
}

/* ---- Turns ---- */

/* The wait's turn has come. */
static void begin_wait(void *data, cl_int status)
{
    struct turn *wait = data;
    struct ocl_values *values = wait->values;

    if (status < 0)
        (void)ocl_context_fail(values->context, status);
    pthread_mutex_lock(&values->lock);
    wait->next = values->waits;
    values->waits = wait;
    tell_news(values);
    pthread_mutex_unlock(&values->lock);
}

static void write_in_turn(void *data, cl_int status)
{
    struct turn *write = data;

    if (status < 0)
        (void)ocl_context_fail(write->values->context, status);
    else
        write_by_host(write);
    note_news(write->values);
    ocl_side_release(&write->side);
    free(write);
}

/* Behind what the queue has got. The side goes with the turn. */
static ocl_status enqueue_turn(struct ocl_queue *queue, struct turn *turn, bool is_wait)
{
    struct ocl_context *context = queue->context;
    cl_event before;
    ocl_status status = ocl_gate_source(queue, &before);

    if (status != OCL_OK)
        return status;
    status = is_wait ? ocl_gate_keep(queue, before, begin_wait, turn, &turn->gate)
                     : ocl_gate_hold(queue, context, before, context->bridge, write_in_turn, turn);
    clReleaseEvent(before);
    return status;
}

/* The side is taken over. */
static ocl_status take_turn(struct ocl_queue *queue, const struct turn *wanted, bool is_wait)
{
    struct turn *turn = malloc(sizeof *turn);
    ocl_status status = OCL_E_OUT_OF_MEMORY;

    if (turn) {
        *turn = *wanted;
        turn->values = find_values(queue->context);
        status = turn->values ? OCL_OK : OCL_E_OUT_OF_MEMORY;
        if (status == OCL_OK && !ocl_side_is_host_memory(&turn->side))
            status = make_queue(turn->values);
        if (status == OCL_OK)
            status = enqueue_turn(queue, turn, is_wait);
    }
    if (status != OCL_OK) {
        ocl_side_release(&(struct ocl_side){.allocation = wanted->side.allocation});
        free(turn);
    }
    return status;
}

/* ---- What queues are given ---- */

static void CL_CALLBACK free_source(cl_event event, cl_int status, void *source)
{
    (void)event;
    (void)status;
    free(source);
}

/* Where nobody will say that the driver has read the source, it stays until the context closes. */
static void keep_source(struct ocl_queue *queue, struct source *source, cl_event event)
{
    struct ocl_values *values = find_values(queue->context);

    if (!values) {
        (void)ocl_queue_wait_for_event(queue->context, event);
        free(source);
        return;
    }
    pthread_mutex_lock(&values->lock);
    source->next = values->kept;
    values->kept = source;
    pthread_mutex_unlock(&values->lock);
}

/* The driver reads the source in its turn: staging, which there is little of, is not held meanwhile. */
static ocl_status write_own(struct ocl_queue *queue, const struct turn *write)
{
    const struct ocl_place place = ocl_side_place(&write->side, write->side.address);
    struct source *source = malloc(sizeof *source);
    cl_event event;

    if (!source)
        return OCL_E_OUT_OF_MEMORY;
    source->value = write->value.value; /* little-endian, as all devices are */
    const ocl_status status =
        ocl_command_write(queue, &place, &source->value, write->value.bytes, &event);
    if (status != OCL_OK) {
        free(source);
        return status;
    }
    if (clSetEventCallback(event, CL_COMPLETE, free_source, source) != CL_SUCCESS)
        keep_source(queue, source, event);
    clReleaseEvent(event);
    return OCL_OK;
}

/* Memory of another context's device. */
static ocl_status write_foreign(struct ocl_queue *queue, const struct ocl_value *value)
{
    const struct ocl_copy copy = {
        .source = {.address = (uintptr_t)&value->value},
        .target = {.address = value->address},
        .width = value->bytes,
        .height = 1,
        .depth = 1,
    };

    return ocl_transfer_copy(queue, &copy, OCL_WAIT_SOURCE);
}

/* Through the device, where the host does not reach the memory. */
static ocl_status write_by_device(struct ocl_queue *queue, const struct turn *write)
{
    const bool is_own = write->side.allocation->context == queue->context;
    const ocl_status status =
        is_own ? write_own(queue, write) : write_foreign(queue, &write->value);

    ocl_values_tell(queue->context);
    return status;
}

static bool needs_no_turn(struct ocl_queue *queue, const struct turn *turn)
{
    return ocl_side_is_host_memory(&turn->side) && ocl_queue_is_idle(queue);
}

ocl_status ocl_queue_write_value(struct ocl_queue *queue, const struct ocl_value *value)
{
    struct turn write = {.value = *value, .side = ocl_side_find(value->address)};
    const struct ocl_stream stream = ocl_queue_stream(queue);

    ocl_stream_finished(&stream); /* the host may see it */
    if (write.side.kind == OCL_SIDE_PAGEABLE)
        return OCL_E_NOT_FOUND;
    if (!ocl_side_is_host_memory(&write.side)) {
        const ocl_status status = write_by_device(queue, &write);
        ocl_side_release(&write.side);
        return status;
    }
    if (!needs_no_turn(queue, &write))
        return take_turn(queue, &write, false);
    const ocl_status failure = ocl_context_failure(queue->context);
    if (failure == OCL_OK)
        write_by_host(&write);
    ocl_side_release(&write.side);
    ocl_values_tell(queue->context);
    return failure;
}

ocl_status ocl_queue_wait_value(struct ocl_queue *queue, const struct ocl_value *value,
                                enum ocl_value_test test)
{
    struct turn wait = {.value = *value, .side = ocl_side_find(value->address), .test = test};
    const struct ocl_stream stream = ocl_queue_stream(queue);

    ocl_stream_doubt(&stream);
    if (wait.side.kind == OCL_SIDE_PAGEABLE)
        return OCL_E_NOT_FOUND;
    if (!needs_no_turn(queue, &wait) || !holds(&wait, read_by_host(&wait)))
        return take_turn(queue, &wait, true);
    ocl_side_release(&wait.side);
    return ocl_context_failure(queue->context);
}

ocl_status ocl_queue_await(struct ocl_queue *queue, struct ocl_awaited *awaited)
{
    const struct turn wait = {.side = {.kind = OCL_SIDE_PAGEABLE}, .awaited = awaited};

    return take_turn(queue, &wait, true);
}

void ocl_values_tell(struct ocl_context *context)
{
    struct ocl_values *values = atomic_load(&context->values);

    if (values)
        note_news(values);
}

void ocl_values_end(struct ocl_context *context)
{
    struct ocl_values *values = atomic_load(&context->values);

    if (!values)
        return;
    pthread_mutex_lock(&values->lock);
    values->is_ending = true;
    tell_news(values);
    pthread_mutex_unlock(&values->lock);
}

void ocl_values_close(struct ocl_context *context)
{
    struct ocl_values *values = atomic_exchange(&context->values, NULL);

    if (values)
        close_values(values);
}
