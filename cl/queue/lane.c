/* The commands of a queue that a trace wants the times of.
 *
 * Each gets an event. Whoever enqueues the next command, or waits, looks at the oldest ones and records those that are
 * complete: no thread of ours waits for them, and a busy queue has only so many.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/lane.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cl/queue/queue_private.h"
#include "cl/thread.h"

/* More are recorded without times. */
enum {
    MOST_PENDING = 4096,
    FIRST_PENDING = 64,
    LOOKS = 4,
    SECOND = 1000000000,
    SAMPLE = 1000000,
    FIRST_SAMPLES = 64
};

/* What is no command of anybody, but there to compare the clocks: the first command may take long to enqueue. */
enum { PROBE = 0xffff };

/* Commands that clem needs for itself alone. */
enum { OWN = 0xfffe };

/* Where so many bits of the number of commands are 0, recording one is timed. */
enum { COST_MASK = 7 };

struct pending {
    cl_event event;
    uint64_t before, after; /* the host's times around the enqueuing */
    struct ocl_profile_work work;
    uint64_t call;
};

/* How the device's clock is to the host's. What is added to a time of the device's to get the host's lies between the two
 * bounds: the device noted when the command was queued, between the host's times before and after. */
struct clock {
    int64_t least, most;
    uint64_t begin,
        sampled; /* the host's times of the first sample of this second and of the last */
    uint64_t samples;
};

struct ocl_lane {
    struct ocl_lane *next, **link; /* (lanes_lock) */
    pthread_mutex_t lock;          /* a leaf: what follows */
    struct pending *ring;
    unsigned first, count, size;
    uint32_t place, device;
    unsigned watched; /* commands so far */
    struct clock clock;
};

static pthread_mutex_t lanes_lock = PTHREAD_MUTEX_INITIALIZER; /* outside of a lane's */
static struct ocl_lane *lanes;

/* ---- What the thread is at ---- */

static bool begin(struct ocl_lane_scope *scope)
{
    struct ocl_thread *thread = ocl_thread();

    scope->outer = thread->work;
    if (scope->outer || !ocl_profile_is_on())
        return false;
    thread->work = &scope->work;
    return true;
}

void ocl_lane_begin_kernel(struct ocl_lane_scope *scope, uint32_t name, const size_t grid[3],
                           const size_t block[3], size_t shared)
{
    if (!begin(scope))
        return;
    scope->work =
        (struct ocl_profile_work){.small = OCL_SPOOL_KERNEL, .name = name, .bytes = shared};
    for (int d = 0; d < 3; d++) {
        scope->work.grid[d] = (uint32_t)grid[d];
        scope->work.block[d] = (uint32_t)block[d];
    }
}

void ocl_lane_begin_copy(struct ocl_lane_scope *scope, enum ocl_spool_end source,
                         enum ocl_spool_end target, size_t bytes)
{
    if (begin(scope))
        scope->work = (struct ocl_profile_work){.small = OCL_SPOOL_COPY | (unsigned)source << 4 |
                                                         (unsigned)target << 6,
                                                .bytes = bytes};
}

void ocl_lane_begin_fill(struct ocl_lane_scope *scope, size_t bytes)
{
    if (begin(scope))
        scope->work = (struct ocl_profile_work){
            .small = OCL_SPOOL_FILL | (unsigned)OCL_SPOOL_AT_DEVICE << 6, .bytes = bytes};
}

void ocl_lane_begin_own(struct ocl_lane_scope *scope)
{
    if (begin(scope))
        scope->work = (struct ocl_profile_work){.small = OWN};
}

static bool is_own(void)
{
    const struct ocl_profile_work *work = ocl_thread()->work;

    return work && work->small == OWN;
}

void ocl_lane_end(const struct ocl_lane_scope *scope)
{
    struct ocl_thread *thread = ocl_thread();

    if (thread->work == &scope->work)
        thread->work = NULL;
}

/* ---- Records ---- */

static void record(const struct ocl_profile_work *work, unsigned flags, uint32_t place,
                   uint32_t device, const uint64_t times[3], uint64_t call)
{
    const uint64_t words[] = {times[0],
                              times[1],
                              times[2],
                              call,
                              place | (uint64_t)device << 32,
                              work->bytes,
                              work->grid[0] | (uint64_t)work->grid[1] << 32,
                              work->grid[2] | (uint64_t)work->block[0] << 32,
                              work->block[1] | (uint64_t)work->block[2] << 32};

    ocl_profile_write(OCL_SPOOL_COMMAND, work->small | flags, work->name, words,
                      sizeof words / sizeof words[0]);
}

static uint32_t place_of(const struct ocl_queue *queue)
{
    return (uint32_t)atomic_load(&queue->id);
}

void ocl_lane_note_host(const struct ocl_queue *queue, uint64_t start)
{
    const struct ocl_profile_work *work = ocl_thread()->work;
    const uint64_t times[3] = {start, start, ocl_profile_clock()};

    if (work && !is_own() && ocl_profile_is_on())
        record(work, OCL_SPOOL_HOST_TIME, 0, (uint32_t)queue->context->device->index, times,
               ocl_profile_call());
}

/* ---- Clocks ---- */

static uint64_t read_time(cl_event event, cl_profiling_info what)
{
    cl_ulong time = 0;

    return clGetEventProfilingInfo(event, what, sizeof time, &time, NULL) == CL_SUCCESS ? time : 0;
}

static void tell_clock(const struct ocl_lane *lane)
{
    const struct clock *clock = &lane->clock;
    const int64_t wide = clock->most > clock->least ? clock->most - clock->least : 0;
    const uint64_t words[] = {clock->sampled, lane->device,
                              (uint64_t)(clock->least + (clock->most - clock->least) / 2),
                              (uint64_t)(wide / 2)};

    if (clock->sampled != 0)
        ocl_profile_keep(OCL_SPOOL_CLOCK, 0, 0, words, sizeof words / sizeof words[0]);
}

static void sample_clock(struct ocl_lane *lane, const struct pending *pending)
{
    struct clock *clock = &lane->clock;
    const uint64_t queued = read_time(pending->event, CL_PROFILING_COMMAND_QUEUED);
    const int64_t least = (int64_t)(pending->before - queued);
    const int64_t most = (int64_t)(pending->after - queued);

    if (queued == 0)
        return;
    const bool is_first = clock->sampled == 0;
    if (is_first || pending->after - clock->begin >= SECOND) {
        if (!is_first)
            tell_clock(lane);
        clock->begin = pending->after;
        clock->least = least;
        clock->most = most;
    }
    clock->least = least > clock->least ? least : clock->least;
    clock->most = most < clock->most ? most : clock->most;
    clock->sampled = pending->after;
    clock->samples++;
    if (is_first)
        tell_clock(lane);
}

/* ---- Pending commands ---- */

/* Lane's lock held. */
static bool grow(struct ocl_lane *lane)
{
    const unsigned size = lane->size ? 2 * lane->size : FIRST_PENDING;
    struct pending *larger = size > MOST_PENDING ? NULL : malloc(size * sizeof *larger);

    if (!larger)
        return false;
    for (unsigned i = 0; i < lane->count; i++)
        larger[i] = lane->ring[(lane->first + i) % lane->size];
    free(lane->ring);
    lane->ring = larger;
    lane->size = size;
    lane->first = 0;
    return true;
}

/* The oldest, which is complete or has failed. Lane's lock held. */
static void take_first(struct ocl_lane *lane)
{
    const struct pending *pending = &lane->ring[lane->first];
    const uint64_t times[3] = {pending->before,
                               read_time(pending->event, CL_PROFILING_COMMAND_START),
                               read_time(pending->event, CL_PROFILING_COMMAND_END)};

    if (pending->after - lane->clock.sampled >= SAMPLE || lane->clock.samples < FIRST_SAMPLES)
        sample_clock(lane, pending);
    if (pending->work.small != PROBE)
        record(&pending->work, times[2] == 0 ? OCL_SPOOL_UNTIMED : 0, lane->place, lane->device,
               times, pending->call);
    clReleaseEvent(pending->event);
    lane->first = (lane->first + 1) % lane->size;
    lane->count--;
}

/* Lane's lock held. */
static void take_complete(struct ocl_lane *lane, unsigned looks)
{
    while (lane->count > 0 && looks-- > 0 &&
           ocl_event_state(lane->ring[lane->first].event) <= CL_COMPLETE)
        take_first(lane);
}

void ocl_lanes_collect(void)
{
    if (!ocl_profile_times_commands() || pthread_mutex_trylock(&lanes_lock) != 0)
        return;
    for (struct ocl_lane *lane = lanes; lane; lane = lane->next) {
        pthread_mutex_lock(&lane->lock);
        take_complete(lane, MOST_PENDING);
        pthread_mutex_unlock(&lane->lock);
    }
    pthread_mutex_unlock(&lanes_lock);
}

void ocl_lanes_end(void)
{
    ocl_lanes_collect();
    pthread_mutex_lock(&lanes_lock);
    for (struct ocl_lane *lane = lanes; lane; lane = lane->next) {
        pthread_mutex_lock(&lane->lock);
        tell_clock(lane);
        pthread_mutex_unlock(&lane->lock);
    }
    pthread_mutex_unlock(&lanes_lock);
    ocl_profile_end();
}

void ocl_lane_close(struct ocl_lane *lane)
{
    if (!lane)
        return;
    pthread_mutex_lock(&lanes_lock);
    *lane->link = lane->next;
    if (lane->next)
        lane->next->link = lane->link;
    pthread_mutex_unlock(&lanes_lock);
    pthread_mutex_lock(&lane->lock);
    while (lane->count > 0)
        take_first(lane);
    tell_clock(lane);
    pthread_mutex_unlock(&lane->lock);
    pthread_mutex_destroy(&lane->lock);
    free(lane->ring);
    free(lane);
}

static struct ocl_lane *open_lane(struct ocl_queue *queue)
{
    struct ocl_lane *made = calloc(1, sizeof *made), *none = NULL;
    char name[320];

    if (!made)
        return NULL;
    made->place = place_of(queue);
    made->device = (uint32_t)queue->context->device->index;
    pthread_mutex_init(&made->lock, NULL);
    if (!atomic_compare_exchange_strong(&queue->lane, &none, made)) {
        pthread_mutex_destroy(&made->lock);
        free(made);
        return none;
    }
    snprintf(name, sizeof name, "%s %u, %s",
             queue->kind == OCL_QUEUE_LEGACY ? "legacy stream" : "stream", made->place,
             queue->context->device->facts.name);
    const uint64_t words[] = {made->place, made->device};
    ocl_profile_keep(OCL_SPOOL_PLACE, 0, ocl_profile_name(name), words, 2);
    pthread_mutex_lock(&lanes_lock);
    made->next = lanes;
    made->link = &lanes;
    if (lanes)
        lanes->link = &made->next;
    lanes = made;
    pthread_mutex_unlock(&lanes_lock);
    return made;
}

/* ---- Watching ---- */

static struct ocl_profile_work describe(unsigned small, size_t bytes)
{
    const struct ocl_profile_work *work = ocl_thread()->work;
    struct ocl_profile_work described = {.small = small, .bytes = bytes};

    if (!work)
        return described;
    described = *work;
    if ((work->small & 15) != OCL_SPOOL_KERNEL && bytes > 0)
        described.bytes = bytes;
    return described;
}

static void add(struct ocl_lane *lane, const struct pending *pending)
{
    if (lane->count == lane->size && !grow(lane)) {
        const uint64_t times[3] = {pending->before, 0, 0};
        record(&pending->work, OCL_SPOOL_UNTIMED, lane->place, lane->device, times, pending->call);
        clReleaseEvent(pending->event);
        return;
    }
    lane->ring[(lane->first + lane->count++) % lane->size] = *pending;
}

bool ocl_lane_is_new(struct ocl_queue *queue)
{
    return ocl_profile_times_commands() && ocl_profile_is_on() && !is_own() &&
           !atomic_load(&queue->lane) && open_lane(queue);
}

void ocl_lane_probe(struct ocl_queue *queue, cl_event event, uint64_t before)
{
    struct ocl_lane *lane = atomic_load(&queue->lane);
    const struct pending probe = {event, before, ocl_profile_clock(), {.small = PROBE}, 0};

    pthread_mutex_lock(&lane->lock);
    add(lane, &probe);
    pthread_mutex_unlock(&lane->lock);
}

cl_event *ocl_lane_watch(struct ocl_command *command, cl_event *event, unsigned small, size_t bytes)
{
    command->watched.is_watched = command->queue && ocl_profile_is_on() && !is_own();
    if (!command->watched.is_watched)
        return event;
    command->watched.work = describe(small, bytes);
    command->watched.own = NULL;
    command->watched.event = event ? event : &command->watched.own;
    command->watched.before = ocl_profile_clock();
    return ocl_profile_times_commands() ? command->watched.event : event;
}

static void note_untimed(const struct ocl_command *command)
{
    const uint64_t times[3] = {command->watched.before, 0, 0};

    record(&command->watched.work, OCL_SPOOL_UNTIMED, place_of(command->queue),
           (uint32_t)command->queue->context->device->index, times, ocl_profile_call());
}

void ocl_lane_note(struct ocl_command *command, cl_int error)
{
    struct ocl_watched *watched = &command->watched;

    watched->is_watched = false;
    if (error != CL_SUCCESS)
        return;
    struct ocl_lane *lane =
        ocl_profile_times_commands() ? atomic_load(&command->queue->lane) : NULL;
    if (!lane) {
        note_untimed(command);
        if (watched->own)
            clReleaseEvent(watched->own);
        return;
    }
    const struct pending pending = {*watched->event, watched->before, ocl_profile_clock(),
                                    watched->work, ocl_profile_call()};
    if (!watched->own)
        clRetainEvent(pending.event);
    pthread_mutex_lock(&lane->lock);
    take_complete(lane, LOOKS);
    add(lane, &pending);
    if ((lane->watched++ & COST_MASK) == 0)
        ocl_profile_note_cost(ocl_profile_clock() - pending.after);
    pthread_mutex_unlock(&lane->lock);
}
