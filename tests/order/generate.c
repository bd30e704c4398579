/* Random programs. A proposed command is kept if the model finds it ordered with what it conflicts with; else, mostly,
 * something that orders both goes before it: an event, a synchronisation, or the other one's stream.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "interpret.h"
#include "model.h"

/* Every device has arrays of such rows. */
enum { WIDEST_ARRAY = 4100, WIDEST_CUBE = 1000 };

struct maker {
    uint64_t random;
    struct program *program;
    const struct features *features;
    const struct facts *facts;
    struct model *model;
    int wanted;     /* the buffer that the next proposal shall name, or -1 */
    uint8_t graphs; /* so many so far */
};

/* Source: splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t next(struct maker *maker)
{
    uint64_t z = maker->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* below: 0 to limit - 1. */
static unsigned below(struct maker *maker, unsigned limit)
{
    return (unsigned)(next(maker) % limit);
}

static bool chance(struct maker *maker, unsigned percent)
{
    return below(maker, 100) < percent;
}

/* weighted: an index, by its weight. */
static unsigned weighted(struct maker *maker, const uint8_t *weights, unsigned count)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++)
        sum += weights[i];
    unsigned at = below(maker, sum);
    for (unsigned i = 0; i < count; i++) {
        if (at < weights[i])
            return i;
        at -= weights[i];
    }
    return count - 1;
}

static uint8_t pick_device(struct maker *maker)
{
    return (uint8_t)below(maker, maker->program->devices);
}

static void make_streams(struct maker *maker)
{
    struct program *p = maker->program;

    p->streams = (uint8_t)(FIRST_CREATED + 2 + below(maker, 4));
    for (unsigned i = FIRST_CREATED; i < p->streams; i++) {
        p->stream[i].kind = chance(maker, 60) ? STREAM_BLOCKING : STREAM_NON_BLOCKING;
        p->stream[i].device = pick_device(maker);
        p->stream[i].priority = maker->features->priorities && chance(maker, 30) ? -1 : 0;
    }
    p->events = (uint8_t)(3 + below(maker, MOST_EVENTS - 3));
    for (unsigned i = 0; i < p->events; i++) {
        p->event[i].is_timed = chance(maker, 20);
        p->event[i].device = (uint8_t)(i % p->devices);
    }
}

static void make_buffers(struct maker *maker)
{
    const struct features *f = maker->features;
    struct program *p = maker->program;
    uint8_t weights[MEMORY_KINDS] = {
        [MEMORY_PAGEABLE] = 4,
        [MEMORY_PINNED] = 5,
        [MEMORY_MAPPED] = f->mapped ? 2 : 0,
        [MEMORY_REGISTERED] = f->registered ? 2 : 0,
        [MEMORY_MANAGED] = f->managed ? 5 : 0,
        [MEMORY_DEVICE] = 9,
        [MEMORY_POOL] = f->pool ? 5 : 0,
        [MEMORY_ARRAY] = f->arrays && p->unit <= WIDEST_ARRAY ? 3 : 0,
        [MEMORY_CUBE] = f->arrays && f->boxes && p->unit <= WIDEST_CUBE ? 1 : 0,
    };

    /* Memory of one kind meets its like. */
    if (chance(maker, 25)) {
        const unsigned kind = below(maker, MEMORY_KINDS);
        weights[kind] = weights[kind] ? 30 : 0;
    }
    p->buffers = (uint8_t)(4 + below(maker, 6));
    for (unsigned i = 0; i < p->buffers; i++) {
        p->buffer[i].memory = (uint8_t)weighted(maker, weights, MEMORY_KINDS);
        p->buffer[i].device = pick_device(maker);
        p->buffer[i].units = (uint8_t)(1 + below(maker, MOST_UNITS));
        p->buffer[i].is_late =
            f->late && may_name(DO_MALLOC, p->buffer[i].memory, f, true, true) && chance(maker, 25);
    }
    p->buffer[0].memory = MEMORY_DEVICE;
    p->buffer[1].memory = MEMORY_PAGEABLE;
    p->buffer[0].is_late = p->buffer[1].is_late = false;
    if (f->symbols && p->unit <= STORE_BYTES / MOST_UNITS && chance(maker, 30)) {
        p->buffer[2].is_late = false;
        p->buffer[2].memory = MEMORY_SYMBOL;
        p->buffer[2].device = 0;
    }
}

static void make_objects(struct maker *maker)
{
    static const uint32_t units[] = {1, 4, 7, 64, 256, 1000, 4096, 4099, 16384};
    static const uint32_t large[] = {65536, 131072, 262144, 524288}; /* staged in several chunks */
    struct program *p = maker->program;

    p->unit = maker->features->large && below(maker, 150) == 0
                  ? large[below(maker, sizeof large / sizeof large[0])]
                  : units[below(maker, sizeof units / sizeof units[0])];
    p->is_concurrent = maker->facts->is_concurrent;
    p->is_pageable = maker->facts->is_pageable;
    p->is_documented = maker->features->documented;
    p->is_managed_work = maker->features->managed_work;
    p->is_reused = maker->features->reuse && p->seed % 8 != 0;
    p->is_shared = maker->facts->is_shared && (p->is_concurrent || maker->features->foreign);
    p->threads = !maker->features->threads || !chance(maker, 40) ? 1
                 : chance(maker, 80)                             ? (uint8_t)(2 + below(maker, 3))
                                     : (uint8_t)(5 + below(maker, MOST_THREADS - 4));
    p->devices = maker->features->devices && maker->facts->devices > 1 && chance(maker, 50) ? 2 : 1;
    make_streams(maker);
    make_buffers(maker);
}

/* Regions. */

static enum memory memory_at(const struct maker *maker, unsigned buffer)
{
    return (enum memory)maker->program->buffer[buffer].memory;
}

bool may_name(enum kind kind, enum memory memory, const struct features *features,
              bool is_concurrent, bool is_pageable)
{
    const bool is_pinned = is_host_memory(memory) && memory != MEMORY_PAGEABLE;

    switch (kind) {
    case DO_KERNEL:
        return is_pinned                   ? features->pinned_kernels
               : memory == MEMORY_PAGEABLE ? is_pageable
                                           : !is_array(memory);
    case DO_HOST_FUNCTION:
        return features->host_functions && is_host_accessible(memory);
    case DO_CALLBACK:
        return features->callbacks && is_host_accessible(memory);
    case DO_HOST_WRITE:
        return is_host_accessible(memory);
    case DO_SET:
    case DO_SET_ASYNC:
    case DO_SET_2D:
    case DO_SET_2D_ASYNC:
        return is_pinned ? features->pinned_fills : !is_host_memory(memory) && !is_array(memory);
    case DO_COPY_ARRAY:
    case DO_COPY_ARRAY_ASYNC:
        return memory != MEMORY_CUBE;
    case DO_COPY_BATCH:
        return features->batches && !is_array(memory);
    case DO_COPY_BOXES:
        return features->batches;
    case DO_COPY_SYMBOL:
    case DO_COPY_SYMBOL_ASYNC:
        return features->symbols && features->symbol_copies && !is_array(memory);
    case DO_PREFETCH:
        return (memory == MEMORY_MANAGED && is_concurrent) ||
               (memory == MEMORY_PAGEABLE && is_pageable);
    case DO_ADVISE:
        return features->advise &&
               may_name(DO_PREFETCH, memory, features, is_concurrent, is_pageable);
    case DO_ATTACH:
        return memory == MEMORY_MANAGED;
    case DO_MALLOC_ASYNC:
    case DO_FREE_ASYNC:
        return memory == MEMORY_POOL;
    case DO_MALLOC:
    case DO_FREE:
        return memory != MEMORY_PAGEABLE && memory != MEMORY_POOL && memory != MEMORY_SYMBOL;
    case DO_COPY_3D:
    case DO_COPY_3D_ASYNC:
    case DO_CHECK:
        return true;
    default:
        return is_copy(&(struct command){.kind = (uint8_t)kind}) && !is_array(memory);
    }
}

/* may_touch: whether the command can read or write that buffer. */
static bool may_touch(const struct maker *maker, const struct command *c, unsigned buffer)
{
    const struct program *p = maker->program;
    const enum kind kind = (enum kind)c->kind;
    const enum memory memory = memory_at(maker, buffer);

    if (!may_name(kind, memory, maker->features, p->is_concurrent, p->is_pageable))
        return false;
    switch (kind) {
    case DO_MALLOC:
    case DO_FREE:
        return p->buffer[buffer].is_late && p->buffer[buffer].device == c->device;
    case DO_COPY_ASYNC:
    case DO_COPY:
    case DO_COPY_2D_ASYNC:
    case DO_COPY_2D:
    case DO_COPY_BATCH:
    case DO_CHECK:
        return memory != MEMORY_POOL || p->buffer[buffer].device == c->device;
    case DO_PREFETCH:
    case DO_ADVISE:
        return true;
    case DO_ATTACH:
        return p->buffer[buffer].device == c->device;
    case DO_KERNEL:
        return p->buffer[buffer].device == c->device || memory == MEMORY_PAGEABLE ||
               (is_host_accessible(memory) && p->is_shared);
    default:
        return is_host_accessible(memory) || p->buffer[buffer].device == c->device;
    }
}

static bool pick_buffer(struct maker *maker, const struct command *c, uint8_t *buffer)
{
    const int wanted = maker->wanted;
    maker->wanted = -1;
    if (wanted >= 0 && may_touch(maker, c, (unsigned)wanted)) {
        *buffer = (uint8_t)wanted;
        return true;
    }
    for (int tries = 0; tries < 20; tries++) {
        *buffer = (uint8_t)below(maker, maker->program->buffers);
        if (may_touch(maker, c, *buffer))
            return true;
    }
    return false;
}

/* pick_step: for rectangles, how far their rows are apart. */
static uint8_t pick_step(struct maker *maker, const struct command *c, unsigned buffer)
{
    switch (c->kind) {
    case DO_COPY_2D:
    case DO_COPY_2D_ASYNC:
    case DO_COPY_3D:
    case DO_COPY_3D_ASYNC:
    case DO_COPY_BATCH:
    case DO_COPY_BOXES:
    case DO_SET_2D:
    case DO_SET_2D_ASYNC:
        return is_array(memory_at(maker, buffer)) ? 1 : (uint8_t)(1 + below(maker, 3));
    default:
        return 1;
    }
}

static bool pick_region(struct maker *maker, const struct command *c, struct region *region)
{
    if (!pick_buffer(maker, c, &region->buffer))
        return false;
    const unsigned units = maker->program->buffer[region->buffer].units;
    region->first = (uint8_t)(chance(maker, 50) ? 0 : below(maker, units));
    region->step = pick_step(maker, c, region->buffer);
    region->count = (uint8_t)(1 + below(maker, (units - region->first - 1) / region->step + 1));
    if (chance(maker, 20) && region->step == 1) {
        region->first = 0;
        region->count = (uint8_t)units;
    }
    return true;
}

/* extent: from the first unit to behind the last. */
static unsigned extent(const struct region *region)
{
    return (region->count - 1U) * region->step + 1;
}

static bool is_apart(const struct region *a, const struct region *b)
{
    return a->buffer != b->buffer || a->first + extent(a) <= b->first ||
           b->first + extent(b) <= a->first;
}

/* pick_source: as many units as the target, the same units or others altogether. */
static bool pick_source(struct maker *maker, const struct command *c, bool may_be_same,
                        struct region *source)
{
    for (int tries = 0; tries < 20; tries++) {
        if (may_be_same && chance(maker, 30)) {
            *source = c->target;
            return true;
        }
        if (!pick_buffer(maker, c, &source->buffer))
            return false;
        const unsigned units = maker->program->buffer[source->buffer].units;
        source->count = c->target.count;
        source->step = pick_step(maker, c, source->buffer);
        if (units < extent(source))
            continue;
        source->first = (uint8_t)below(maker, units - extent(source) + 1);
        if (is_apart(source, &c->target))
            return true;
    }
    return false;
}

/* pick_target: of a copy, whose other side may be the one that is wanted. */
static bool pick_target(struct maker *maker, struct command *c)
{
    const int wanted = chance(maker, 50) ? maker->wanted : -1;
    if (wanted >= 0)
        maker->wanted = -1;
    const bool is_found = pick_region(maker, c, &c->target);
    maker->wanted = wanted;
    return is_found;
}

/* pick_copy_with: one side is of that memory, the other may be the one that is wanted. */
static bool pick_copy_with(struct maker *maker, struct command *c, enum memory memory)
{
    const struct program *p = maker->program;
    const unsigned start = below(maker, p->buffers);
    const int wanted = maker->wanted;
    const bool is_target = chance(maker, 50);
    int side = -1;

    for (unsigned i = 0; i < p->buffers && side < 0; i++) {
        const unsigned buffer = (start + i) % p->buffers;
        if (memory_at(maker, buffer) == memory && may_touch(maker, c, buffer))
            side = (int)buffer;
    }
    if (side < 0)
        return false;
    maker->wanted = is_target ? side : wanted;
    if (!pick_region(maker, c, &c->target))
        return false;
    maker->wanted = is_target ? wanted : side;
    return pick_source(maker, c, false, &c->first) &&
           (memory_at(maker, c->target.buffer) == memory ||
            memory_at(maker, c->first.buffer) == memory);
}

/* pick_whole: all of a buffer. */
static bool pick_whole(struct maker *maker, const struct command *c, struct region *region)
{
    if (!pick_buffer(maker, c, &region->buffer))
        return false;
    region->count = maker->program->buffer[region->buffer].units;
    region->step = 1;
    return true;
}

/* Proposals. */

/* is_destroyed: the stream, or the event, so far. */
static bool is_destroyed(const struct maker *maker, bool is_event, unsigned which)
{
    const struct program *p = maker->program;
    for (int x = p->commands - 1; x >= 0; x--) {
        const struct command *c = &p->command[x];
        if (is_event ? is_event_life(c) && c->event == which
                     : is_stream_life(c) && c->stream == which)
            return c->kind == DO_EVENT_DESTROY || c->kind == DO_STREAM_DESTROY;
    }
    return false;
}

/* pick_created: a stream that is there, or is not; the first always is. */
static uint8_t pick_created(struct maker *maker, bool is_there)
{
    const unsigned streams = (unsigned)maker->program->streams - FIRST_CREATED;
    const unsigned start = below(maker, streams);

    for (unsigned i = 0; i < streams; i++) {
        const unsigned stream = FIRST_CREATED + (start + i) % streams;
        if (is_destroyed(maker, false, stream) != is_there)
            return (uint8_t)stream;
    }
    return FIRST_CREATED;
}

static uint8_t pick_stream(struct maker *maker)
{
    if (chance(maker, 20))
        return LEGACY;
    if (maker->features->per_thread && chance(maker, 12))
        return PER_THREAD;
    return pick_created(maker, true);
}

static uint8_t pick_event(struct maker *maker, bool is_there)
{
    const unsigned events = maker->program->events;
    const unsigned start = below(maker, events);

    for (unsigned i = 0; i < events; i++)
        if (is_destroyed(maker, true, (start + i) % events) != is_there)
            return (uint8_t)((start + i) % events);
    return (uint8_t)start;
}

static enum kind pick_kind(struct maker *maker)
{
    static const uint8_t weights[KINDS] = {
        [DO_KERNEL] = 28,
        [DO_HOST_FUNCTION] = 6,
        [DO_CALLBACK] = 2,
        [DO_PAUSE] = 2,
        [DO_COPY_ASYNC] = 24,
        [DO_COPY] = 6,
        [DO_COPY_2D_ASYNC] = 6,
        [DO_COPY_2D] = 3,
        [DO_COPY_3D_ASYNC] = 4,
        [DO_COPY_3D] = 2,
        [DO_COPY_ARRAY_ASYNC] = 6,
        [DO_COPY_ARRAY] = 4,
        [DO_COPY_BATCH] = 5,
        [DO_COPY_BOXES] = 3,
        [DO_COPY_SYMBOL_ASYNC] = 6,
        [DO_COPY_SYMBOL] = 3,
        [DO_STREAM_DESTROY] = 3,
        [DO_STREAM_CREATE] = 2,
        [DO_EVENT_DESTROY] = 2,
        [DO_EVENT_CREATE] = 2,
        [DO_SET_ASYNC] = 6,
        [DO_SET] = 3,
        [DO_SET_2D_ASYNC] = 3,
        [DO_SET_2D] = 2,
        [DO_ADVISE] = 2,
        [DO_MALLOC] = 8,
        [DO_FREE] = 4,
        [DO_PREFETCH] = 3,
        [DO_ATTACH] = 3,
        [DO_MALLOC_ASYNC] = 12,
        [DO_FREE_ASYNC] = 4,
        [DO_RECORD] = 5,
        [DO_WAIT] = 5,
        [DO_STREAM_SYNCHRONIZE] = 1,
        [DO_STREAM_POLL] = 1,
        [DO_STREAM_QUERY] = 2,
        [DO_EVENT_SYNCHRONIZE] = 1,
        [DO_EVENT_POLL] = 1,
        [DO_DEVICE_SYNCHRONIZE] = 1,
        [DO_HOST_WRITE] = 6,
        [DO_CHECK] = 5,
    };
    return (enum kind)weighted(maker, weights, KINDS);
}

static bool is_enabled(const struct maker *maker, enum kind kind)
{
    const struct features *f = maker->features;
    switch (kind) {
    case DO_HOST_FUNCTION:
    case DO_PAUSE:
        return f->host_functions;
    case DO_STREAM_POLL:
    case DO_EVENT_POLL:
    case DO_STREAM_QUERY:
        return f->polls;
    case DO_COPY_2D:
    case DO_COPY_2D_ASYNC:
    case DO_SET_2D:
    case DO_SET_2D_ASYNC:
        return f->rectangles;
    case DO_COPY_3D:
    case DO_COPY_3D_ASYNC:
        return f->boxes;
    case DO_PREFETCH:
        return f->prefetch;
    case DO_ATTACH:
        return f->attach;
    case DO_STREAM_DESTROY:
    case DO_STREAM_CREATE:
    case DO_EVENT_DESTROY:
    case DO_EVENT_CREATE:
        return f->lives;
    default:
        return true;
    }
}

/* is_copy_enabled: of these two kinds of memory. */
static bool is_copy_enabled(const struct maker *maker, const struct command *c)
{
    const enum memory from = memory_at(maker, c->first.buffer);
    const enum memory to = memory_at(maker, c->target.buffer);

    if (is_host_memory(from) && is_host_memory(to))
        return maker->features->host_to_host;
    if (is_synchronous(c) && from == MEMORY_PAGEABLE && !maker->features->pageable_copies)
        return false;
    return (from != MEMORY_MANAGED && to != MEMORY_MANAGED) || maker->features->managed_copies;
}

/* is_shape_known: a copy by this call between these two has a shape. */
static bool is_shape_known(const struct maker *maker, const struct command *c)
{
    const enum memory from = memory_at(maker, c->first.buffer);
    const enum memory to = memory_at(maker, c->target.buffer);

    if (c->kind == DO_COPY_ARRAY || c->kind == DO_COPY_ARRAY_ASYNC)
        return is_array(to) || is_array(from);
    return !is_array(to) || !is_array(from) || to == from || c->target.count == 1 ||
           c->kind == DO_COPY_BOXES;
}

static bool pick_memory(struct maker *maker, struct command *c)
{
    switch ((enum kind)c->kind) {
    case DO_KERNEL:
    case DO_HOST_FUNCTION:
    case DO_CALLBACK:
    case DO_HOST_WRITE:
        return pick_region(maker, c, &c->target) && pick_source(maker, c, true, &c->first) &&
               pick_source(maker, c, true, &c->second);
    case DO_COPY_ARRAY_ASYNC:
    case DO_COPY_ARRAY:
        return pick_copy_with(maker, c, MEMORY_ARRAY) && is_shape_known(maker, c) &&
               is_copy_enabled(maker, c);
    case DO_COPY_SYMBOL_ASYNC:
    case DO_COPY_SYMBOL:
        return pick_copy_with(maker, c, MEMORY_SYMBOL) && is_copy_enabled(maker, c);
    case DO_COPY_BATCH:
    case DO_COPY_BOXES:
    case DO_COPY_ASYNC:
    case DO_COPY:
    case DO_COPY_2D_ASYNC:
    case DO_COPY_2D:
    case DO_COPY_3D_ASYNC:
    case DO_COPY_3D:
        return pick_target(maker, c) && pick_source(maker, c, false, &c->first) &&
               is_shape_known(maker, c) && is_copy_enabled(maker, c);
    case DO_SET_ASYNC:
    case DO_SET:
    case DO_SET_2D_ASYNC:
    case DO_SET_2D:
        return pick_region(maker, c, &c->target);
    case DO_CHECK:
    case DO_PREFETCH:
    case DO_ADVISE:
        return pick_region(maker, c, &c->first);
    case DO_ATTACH:
        c->term = c->stream < FIRST_CREATED ? (uint8_t)below(maker, ATTACH_SINGLE)
                                            : (uint8_t)below(maker, ATTACH_SINGLE + 1);
        if (!pick_whole(maker, c, &c->target))
            return false;
        c->first = c->target;
        return true;
    case DO_MALLOC_ASYNC:
    case DO_FREE_ASYNC:
    case DO_MALLOC:
    case DO_FREE:
        return pick_whole(maker, c, &c->target);
    default:
        return true;
    }
}

/* pick_spelling: which of CUDA's names. */
static uint8_t pick_spelling(struct maker *maker, const struct command *c)
{
    unsigned spelling = maker->features->spellings ? below(maker, 16) : 0;
    if (is_synchronous(c))
        spelling &= SPELL_KIND | SPELL_OTHER;
    if (is_batch(c))
        spelling |= chance(maker, 50) ? 0 : chance(maker, 50) ? SPELL_EARLY : SPELL_ANY;
    if (is_batch(c) && !maker->features->documented)
        spelling &= ~(unsigned)SPELL_HANDLE_0;
    if ((c->kind == DO_RECORD || c->kind == DO_WAIT) && maker->features->values &&
        maker->facts->has_values && chance(maker, 50))
        spelling |= SPELL_VALUE;
    if (c->kind == DO_KERNEL && maker->features->cooperative && maker->facts->is_cooperative &&
        chance(maker, 10))
        spelling |= SPELL_COOPERATIVE;
    return (uint8_t)spelling;
}

/* pick_synchronous: the stream of calls that name none. */
static uint8_t pick_synchronous(struct maker *maker)
{
    const struct features *f = maker->features;
    return f->per_thread && f->spellings && chance(maker, 20) ? PER_THREAD : LEGACY;
}

/* propose: false where this program has nothing for the kind. */
static bool propose(struct maker *maker, struct command *c)
{
    const bool is_any = chance(maker, 30);
    *c = (struct command){.kind = (uint8_t)(is_any ? below(maker, KINDS) : pick_kind(maker)),
                          .after = -1};
    maker->wanted = is_any ? (int)below(maker, maker->program->buffers) : -1;
    if (!is_enabled(maker, (enum kind)c->kind) || c->kind == DO_GATE || c->kind == DO_OPEN)
        return false;
    c->thread = (uint8_t)below(maker, maker->program->threads);
    c->stream = is_synchronous(c)   ? pick_synchronous(maker)
                : is_stream_life(c) ? pick_created(maker, c->kind == DO_STREAM_DESTROY)
                                    : pick_stream(maker);
    if (is_stream_life(c) && c->stream == FIRST_CREATED)
        return false;
    c->spelling = pick_spelling(maker, c);
    c->device =
        c->stream >= FIRST_CREATED ? maker->program->stream[c->stream].device : pick_device(maker);
    c->event = pick_event(maker, c->kind != DO_EVENT_CREATE);
    if (is_event_life(c))
        c->device = maker->program->event[c->event].device;
    if (c->kind == DO_RECORD && maker->program->event[c->event].device != c->device)
        return false;
    c->factor = (uint8_t)(below(maker, 128) * 2 + 1);
    c->term = (uint8_t)below(maker, 256);
    if (c->kind == DO_PAUSE ||
        ((c->kind == DO_KERNEL || c->kind == DO_HOST_FUNCTION || c->kind == DO_CALLBACK) &&
         chance(maker, 35)))
        c->delay = (uint16_t)(20 + below(maker, chance(maker, 20) ? 600 : 150));
    return pick_memory(maker, c);
}

/* Order. */

/* may_wait: cudaStreamWaitEvent on its stream. */
static bool may_wait(const struct maker *maker, const struct command *c)
{
    return c->stream != LEGACY || maker->features->legacy_waits;
}

/* append: false, and nothing is added, where the model refuses it or there is no room. */
static bool append(struct maker *maker, const struct command *c)
{
    struct program *p = maker->program;
    if (p->commands == MOST_COMMANDS || (c->kind == DO_WAIT && !may_wait(maker, c)))
        return false;
    p->command[p->commands++] = *c;
    if (model_add(maker->model))
        return true;
    p->commands--;
    return false;
}

static void retract(struct maker *maker)
{
    maker->program->commands--;
    maker->model->commands--;
}

/* join: the thread's next call comes after the call of command x. */
static bool join(struct maker *maker, unsigned thread, int x)
{
    const struct command *c = &maker->program->command[x];
    if (c->thread == thread)
        return true;
    const struct command query = {.kind = DO_STREAM_QUERY,
                                  .device = maker->program->stream[FIRST_CREATED].device,
                                  .thread = (uint8_t)thread,
                                  .stream = FIRST_CREATED,
                                  .after = (int16_t)x};
    return append(maker, &query);
}

/* is_gone: the stream of command x was destroyed since. */
static bool is_gone(const struct maker *maker, int x)
{
    const struct program *p = maker->program;
    for (int y = x + 1; y < p->commands; y++)
        if (is_stream_life(&p->command[y]) && p->command[y].stream == p->command[x].stream)
            return true;
    return false;
}

/* on_stream_of: a command about the stream of command x, by a thread that can name it: a thread alone names its
 * per-thread stream. */
static bool on_stream_of(struct maker *maker, enum kind kind, int x, unsigned thread,
                         unsigned event)
{
    const struct command *of = &maker->program->command[x];
    if (is_gone(maker, x))
        return false;
    const struct command c = {
        .kind = (uint8_t)kind,
        .thread = of->stream == PER_THREAD ? of->thread : (uint8_t)thread,
        .device = of->device,
        .stream = of->stream,
        .event = (uint8_t)event,
        .spelling = kind == DO_RECORD && maker->features->values && maker->facts->has_values &&
                            chance(maker, 30)
                        ? SPELL_VALUE
                        : 0,
        .after = -1,
    };
    return join(maker, c.thread, x) && append(maker, &c) &&
           join(maker, thread, maker->program->commands - 1);
}

/* order_by_event: what y of the thread does follows command x. */
static bool order_by_event(struct maker *maker, int x, const struct command *y)
{
    struct command wait = *y;
    const unsigned start = below(maker, maker->program->events);

    for (unsigned i = 0; i < maker->program->events; i++) {
        wait.event = (uint8_t)((start + i) % maker->program->events);
        if (maker->program->event[wait.event].device != maker->program->command[x].device)
            continue;
        if (!on_stream_of(maker, DO_RECORD, x, y->thread, wait.event))
            continue;
        wait.kind = is_work(y) && may_wait(maker, y)              ? DO_WAIT
                    : maker->features->polls && chance(maker, 30) ? DO_EVENT_POLL
                                                                  : DO_EVENT_SYNCHRONIZE;
        wait.target.count = wait.first.count = wait.second.count = 0;
        wait.after = -1;
        wait.graph = wait.how = 0;
        wait.spelling &= (uint8_t)~SPELL_COOPERATIVE;
        if (maker->program->command[maker->program->commands - 1].spelling & SPELL_VALUE)
            wait.spelling |= SPELL_VALUE;
        return append(maker, &wait);
    }
    return false;
}

/* put_in_order: something between commands x and y, or another stream for y. */
static bool put_in_order(struct maker *maker, int x, struct command *y)
{
    const bool is_gated = maker->model->is_gated;
    const struct command *of = &maker->program->command[x];
    const unsigned how = below(maker, 100);

    if (!happens_before(maker->model, x, RETURN, maker->model->commands - 1, CALL)) {
        retract(maker);
        return join(maker, y->thread, x);
    }
    retract(maker);
    if ((how < 62 || is_gated) && !is_gone(maker, x))
        return order_by_event(maker, x, y);
    if (how < 80 && is_work(y) && !is_synchronous(y) && of->stream != PER_THREAD &&
        of->device == y->device && (y->kind != DO_ATTACH || of->stream >= FIRST_CREATED) &&
        !is_gone(maker, x)) {
        y->stream = of->stream;
        y->device = of->device;
        return true;
    }
    if (how < 97 && !is_gone(maker, x))
        return on_stream_of(
            maker, maker->features->polls && how < 86 ? DO_STREAM_POLL : DO_STREAM_SYNCHRONIZE, x,
            y->thread, 0);
    const struct command all = {
        .kind = DO_DEVICE_SYNCHRONIZE, .thread = y->thread, .device = of->device, .after = -1};
    return append(maker, &all);
}

/* drop_forbidden: the last command, if CUDA does not allow it where it is. */
static void drop_forbidden(struct maker *maker)
{
    if (maker->program->commands &&
        model_forbidden(maker->model, maker->program->commands - 1) >= 0)
        retract(maker);
}

/* add: the command, ordered with what it conflicts with, mostly. */
static void add(struct maker *maker, struct command *y)
{
    const bool may_race = chance(maker, 2);
    for (int tries = 0; tries < 12; tries++) {
        if (!append(maker, y))
            return;
        const int last = maker->program->commands - 1;
        const int forbidden = model_forbidden(maker->model, last);
        const int x = forbidden >= 0 ? forbidden : model_conflict(maker->model, last);
        if (x < 0 || (may_race && forbidden < 0))
            return;
        if (!put_in_order(maker, x, y)) {
            drop_forbidden(maker);
            return;
        }
    }
    drop_forbidden(maker);
}

/* find_pool: pool memory of the device that is allocated so far, or is not; -1: none. */
static int find_pool(struct maker *maker, unsigned device, bool is_allocated)
{
    const struct program *p = maker->program;
    const unsigned start = below(maker, p->buffers);

    for (unsigned i = 0; i < p->buffers; i++) {
        const unsigned buffer = (start + i) % p->buffers;
        bool has = false;
        if (p->buffer[buffer].memory != MEMORY_POOL || p->buffer[buffer].device != device)
            continue;
        for (int x = 0; x < p->commands; x++)
            if (p->command[x].target.buffer == buffer &&
                (allocates(&p->command[x]) || frees(&p->command[x])))
                has = allocates(&p->command[x]);
        if (has == is_allocated)
            return (int)buffer;
    }
    return -1;
}

/* hand_over: memory that is freed behind a kernel which takes its time, and asked for in another stream. */
static void hand_over(struct maker *maker)
{
    const struct program *p = maker->program;
    const uint8_t thread = (uint8_t)below(maker, p->threads);
    const uint8_t from = pick_stream(maker), to = pick_stream(maker);
    const uint8_t device =
        from >= FIRST_CREATED ? p->stream[from].device : (uint8_t)below(maker, p->devices);
    const int old = find_pool(maker, device, true), new = find_pool(maker, device, false);

    if (old < 0 || new < 0 || (to >= FIRST_CREATED && p->stream[to].device != device))
        return;
    const struct region freed = {(uint8_t)old, 0, p->buffer[old].units, 1};
    const struct region made = {(uint8_t) new, 0, p->buffer[new].units, 1};
    struct command commands[] = {
        {.kind = DO_KERNEL, .stream = from, .target = freed, .first = freed, .second = freed},
        {.kind = DO_FREE_ASYNC, .stream = from, .target = freed},
        {.kind = DO_MALLOC_ASYNC, .stream = to, .target = made},
        {.kind = DO_SET_ASYNC, .stream = to, .target = made},
    };
    commands[0].delay = (uint16_t)(100 + below(maker, 500));
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        commands[i].device = device;
        commands[i].thread = thread;
        commands[i].after = -1;
        commands[i].factor = 3;
        commands[i].term = (uint8_t)below(maker, 256);
        add(maker, &commands[i]);
    }
}

/* propose_node: something that a graph can have; it is like another command but for what it does. */
static bool propose_node(struct maker *maker, const struct command *like, struct command *c)
{
    static const uint8_t weights[KINDS] = {
        [DO_KERNEL] = 10,          [DO_HOST_FUNCTION] = 3,     [DO_PAUSE] = 1,
        [DO_COPY_ASYNC] = 9,       [DO_COPY_2D_ASYNC] = 2,     [DO_COPY_3D_ASYNC] = 2,
        [DO_COPY_ARRAY_ASYNC] = 2, [DO_COPY_SYMBOL_ASYNC] = 1, [DO_SET_ASYNC] = 5,
        [DO_SET_2D_ASYNC] = 1,     [DO_MALLOC_ASYNC] = 2,
    };
    *c = *like;
    c->kind = (uint8_t)weighted(maker, weights, KINDS);
    if (!is_enabled(maker, (enum kind)c->kind))
        return false;
    c->spelling |= (uint8_t)(pick_spelling(maker, c) & (SPELL_KIND | SPELL_COOPERATIVE));
    c->factor = (uint8_t)(below(maker, 128) * 2 + 1);
    c->term = (uint8_t)below(maker, 256);
    if (c->kind == DO_PAUSE ||
        ((c->kind == DO_KERNEL || c->kind == DO_HOST_FUNCTION) && chance(maker, 40)))
        c->delay = (uint16_t)(20 + below(maker, 150));
    return pick_memory(maker, c) && may_be_node(maker->program, c) &&
           (!maker->model->is_gated || is_asynchronous(maker->program, c));
}

/* launch_again: what the last commands do, if they are the last graph, by the same one. */
static void launch_again(struct maker *maker)
{
    const int end = maker->program->commands;
    const uint8_t last = maker->graphs++;
    int first = end;

    while (first > 0 && maker->program->command[first - 1].graph == last &&
           !allocates(&maker->program->command[first - 1]))
        first--;
    for (int i = first; i < end; i++) {
        struct command c = maker->program->command[i];
        c.graph = maker->graphs;
        c.how |= GRAPH_AGAIN;
        c.after = -1;
        add(maker, &c);
    }
}

/* make_graph: several commands of one stream at once. */
static void make_graph(struct maker *maker)
{
    const struct program *p = maker->program;
    struct command like = {.thread = (uint8_t)below(maker, p->threads), .after = -1}, c;
    const unsigned wanted = 1 + below(maker, 6);

    if (maker->graphs > 200)
        return;
    like.stream = pick_stream(maker);
    like.device = like.stream >= FIRST_CREATED ? p->stream[like.stream].device : pick_device(maker);
    like.graph = ++maker->graphs;
    like.how = (uint8_t)(below(maker, GRAPH_HOWS) & ~(unsigned)GRAPH_AGAIN);
    if (!maker->features->conditions)
        like.how &= (uint8_t)~GRAPH_CONDITIONAL;
    like.spelling = maker->features->spellings ? (uint8_t)below(maker, 4) : 0;
    for (unsigned i = 0; i < wanted; i++) {
        maker->wanted = -1;
        if (propose_node(maker, &like, &c))
            add(maker, &c);
    }
    for (int times = 0; times < 3 && chance(maker, 35); times++)
        launch_again(maker);
}

/* finish: the first thread waits for all and looks at every buffer. */
static void finish(struct maker *maker)
{
    struct program *p = maker->program;
    for (unsigned thread = 1; thread < p->threads; thread++)
        for (int x = p->commands - 1; x >= 0; x--)
            if (p->command[x].thread == thread) {
                join(maker, 0, x);
                break;
            }
    for (unsigned device = 0; device < p->devices; device++) {
        const struct command all = {
            .kind = DO_DEVICE_SYNCHRONIZE, .device = (uint8_t)device, .after = -1};
        append(maker, &all);
    }
    for (unsigned i = 0; i < p->buffers; i++) {
        const struct command check = {
            .kind = DO_CHECK,
            .device = p->buffer[i].device,
            .after = -1,
            .first = {.buffer = (uint8_t)i, .count = p->buffer[i].units, .step = 1}};
        append(maker, &check);
    }
}

/* move_gate: sometimes a host function begins to wait for its caller, or is let go on. */
static void move_gate(struct maker *maker)
{
    const struct program *p = maker->program;
    struct command c = {.kind = DO_GATE, .after = -1};

    if (!maker->features->gates || p->threads > 1 ||
        !chance(maker, maker->model->is_gated ? 20 : 4))
        return;
    c.stream = pick_stream(maker);
    c.spelling = pick_spelling(maker, &c);
    c.device = c.stream >= FIRST_CREATED ? p->stream[c.stream].device : pick_device(maker);
    if (maker->model->is_gated)
        c.kind = DO_OPEN;
    append(maker, &c);
}

void generate(struct program *program, uint64_t seed, const struct features *features,
              const struct facts *facts)
{
    static _Thread_local struct model model;
    struct maker maker = {.random = seed,
                          .program = program,
                          .features = features,
                          .facts = facts,
                          .model = &model,
                          .wanted = -1};

    memset(program, 0, sizeof *program);
    program->seed = seed;
    make_objects(&maker);
    model_begin(&model, program);
    const int wanted = 40 + (int)below(&maker, 60);
    for (int tries = 0; program->commands < wanted && tries < 1000; tries++) {
        struct command c;
        move_gate(&maker);
        if (features->pool && chance(&maker, 6))
            hand_over(&maker);
        if (features->graphs && chance(&maker, 6))
            make_graph(&maker);
        if (propose(&maker, &c) && (!model.is_gated || is_asynchronous(program, &c)))
            add(&maker, &c);
    }
    while (model.is_gated)
        move_gate(&maker);
    finish(&maker);
}
