/* Tests of cl/transfer*.c: every pair of ends against a three-loop reference, order, staging and
 * overlap.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer.h"
#include "cl/state/failure.h"

#include <pthread.h>
#include <time.h>

#include "tests/cl/arena.h"

/* ---- Random rectangles ---- */

enum { ARENA_BYTES = 300 * 1000, ROUNDS = 60 };

static size_t random_width(uint64_t *dice)
{
    static const size_t interesting[] = {1,  2,  3,  4,   8,   12,   16,   17,   48,
                                         63, 64, 65, 128, 200, 1000, 1024, 2048, 4095};

    if (random_between(dice, 0, 1))
        return interesting[random_between(dice, 0, sizeof interesting / sizeof interesting[0] - 1)];
    return random_between(dice, 1, 400);
}

/* Strides that suit the shape: tight, padded to a power of two, or anything. */
static size_t random_stride(size_t least, uint64_t *dice)
{
    switch (random_between(dice, 0, 2)) {
    case 0:
        return least;
    case 1:
        return (least + 63) / 64 * 64;
    default:
        return least + random_between(dice, 0, 40);
    }
}

static size_t span(const struct ocl_copy_end *end, const struct ocl_copy *copy)
{
    return (copy->depth - 1) * end->slice_bytes + (copy->height - 1) * end->pitch + copy->width;
}

/* Slices of a source may overlap each other; rows of a target may lie between those of another
 * slice. */
static void random_strides(struct ocl_copy *copy, uint64_t *dice)
{
    copy->source.pitch = random_stride(copy->width, dice);
    copy->source.slice_bytes = random_stride(copy->source.pitch * copy->height, dice);
    if (random_between(dice, 0, 4) == 0)
        copy->source.slice_bytes = random_between(dice, 0, copy->source.slice_bytes);
    copy->target.pitch = random_stride(copy->width, dice);
    copy->target.slice_bytes = random_stride(copy->target.pitch * copy->height, dice);
    if (random_between(dice, 0, 4) == 0) {
        copy->target.slice_bytes = random_stride(copy->width, dice);
        copy->target.pitch = copy->target.slice_bytes * copy->depth;
    }
}

static struct ocl_copy random_copy(const struct arena *target, const struct arena *source,
                                   uint64_t *dice)
{
    struct ocl_copy copy;

    do {
        copy.width = random_width(dice);
        copy.height = random_between(dice, 0, 2) ? random_between(dice, 1, 70) : 1;
        copy.depth = random_between(dice, 0, 2) ? 1 : random_between(dice, 1, 9);
        random_strides(&copy, dice);
    } while (span(&copy.source, &copy) + 64 > source->bytes ||
             span(&copy.target, &copy) + 64 > target->bytes);
    copy.source.address =
        source->address + random_between(dice, 0, source->bytes - span(&copy.source, &copy));
    copy.target.address =
        target->address + random_between(dice, 0, target->bytes - span(&copy.target, &copy));
    if (random_between(dice, 0, 1)) {
        copy.source.address -= (copy.source.address - source->address) % 64;
        copy.target.address -= (copy.target.address - target->address) % 64;
    }
    return copy;
}

/* Work before the copy, so that the copy cannot be done at once: a fill of any bytes of a device
 * arena. */
static void keep_busy(struct ocl_queue *queue, struct arena *arena, uint64_t *dice)
{
    struct ocl_fill fill = {
        .height = 1, .depth = 1, .element_bytes = 1, .value = (uint32_t)random_next(dice)};

    fill.count = random_between(dice, arena->bytes / 2, arena->bytes);
    fill.address = arena->address + random_between(dice, 0, arena->bytes - fill.count);
    fill.pitch = fill.slice_bytes = fill.count;
    assert_int_equal(ocl_transfer_fill(queue, &fill, OCL_WAIT_SOURCE), OCL_OK);
    model_fill(arena, &fill);
}

static void copy_random(struct ocl_queue *queue, struct arena *target, struct arena *source,
                        uint64_t *dice)
{
    const struct ocl_copy copy = random_copy(target, source, dice);
    const enum ocl_transfer_wait wait = random_between(dice, 0, 1) ? OCL_WAIT_ALL : OCL_WAIT_SOURCE;

    if (source->kind != ARENA_PAGEABLE && random_between(dice, 0, 1))
        keep_busy(queue, source, dice);
    if (target->kind != ARENA_PAGEABLE && random_between(dice, 0, 1))
        keep_busy(queue, target, dice);
    assert_int_equal(ocl_transfer_copy(queue, &copy, wait), OCL_OK);
    model_copy(target, source, &copy);
    if (wait == OCL_WAIT_SOURCE && source->kind == ARENA_PAGEABLE) {
        randomize(source->model, source->bytes, dice); /* the source is the caller's again */
        memcpy(source->host, source->model, source->bytes);
    }
    if (wait == OCL_WAIT_SOURCE && target->kind != ARENA_PAGEABLE)
        assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    arena_check(target, queue);
}

static void check_pair_in(struct ocl_context *context, enum arena_kind to, enum arena_kind from)
{
    uint64_t dice = 88172645463325252u + 16 * to + from;
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct arena source = arena_open(context, from, ARENA_BYTES, &dice);
    struct arena target = arena_open(context, to, ARENA_BYTES, &dice);

    for (int round = 0; round < ROUNDS; round++)
        copy_random(round % 3 ? queue : ocl_queue_legacy(context), &target, &source, &dice);
    arena_check(&source, queue);
    arena_close(&source);
    arena_close(&target);
    ocl_queue_destroy(queue);
}

static void check_pair(enum arena_kind to, enum arena_kind from)
{
    struct ocl_context *context = open_context();

    check_pair_in(context, to, from);
    ocl_context_close(context);
}

TEST_BODY(transfer_rects_device_to_device)
{
    check_pair(ARENA_DEVICE, ARENA_DEVICE);
}
TEST_BODY(transfer_rects_device_to_pinned)
{
    check_pair(ARENA_PINNED, ARENA_DEVICE);
}
TEST_BODY(transfer_rects_device_to_registered)
{
    check_pair(ARENA_REGISTERED, ARENA_DEVICE);
}
TEST_BODY(transfer_rects_device_to_pageable)
{
    check_pair(ARENA_PAGEABLE, ARENA_DEVICE);
}
TEST_BODY(transfer_rects_pinned_to_device)
{
    check_pair(ARENA_DEVICE, ARENA_PINNED);
}
TEST_BODY(transfer_rects_pinned_to_pinned)
{
    check_pair(ARENA_PINNED, ARENA_PINNED);
}
TEST_BODY(transfer_rects_pinned_to_registered)
{
    check_pair(ARENA_REGISTERED, ARENA_PINNED);
}
TEST_BODY(transfer_rects_pinned_to_pageable)
{
    check_pair(ARENA_PAGEABLE, ARENA_PINNED);
}
TEST_BODY(transfer_rects_registered_to_device)
{
    check_pair(ARENA_DEVICE, ARENA_REGISTERED);
}
TEST_BODY(transfer_rects_registered_to_pinned)
{
    check_pair(ARENA_PINNED, ARENA_REGISTERED);
}
TEST_BODY(transfer_rects_registered_to_registered)
{
    check_pair(ARENA_REGISTERED, ARENA_REGISTERED);
}
TEST_BODY(transfer_rects_registered_to_pageable)
{
    check_pair(ARENA_PAGEABLE, ARENA_REGISTERED);
}
TEST_BODY(transfer_rects_pageable_to_device)
{
    check_pair(ARENA_DEVICE, ARENA_PAGEABLE);
}
TEST_BODY(transfer_rects_pageable_to_pinned)
{
    check_pair(ARENA_PINNED, ARENA_PAGEABLE);
}
TEST_BODY(transfer_rects_pageable_to_registered)
{
    check_pair(ARENA_REGISTERED, ARENA_PAGEABLE);
}
TEST_BODY(transfer_rects_pageable_to_pageable)
{
    check_pair(ARENA_PAGEABLE, ARENA_PAGEABLE);
}

TEST_BODY(transfer_rects_as_on_a_gpu)
{
    static const enum arena_kind kinds[] = {ARENA_PINNED, ARENA_REGISTERED, ARENA_PAGEABLE};
    struct ocl_context *context = open_context_as_gpu();

    check_pair_in(context, ARENA_DEVICE, ARENA_DEVICE);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        check_pair_in(context, ARENA_DEVICE, kinds[i]);
        check_pair_in(context, kinds[i], ARENA_DEVICE);
    }
    ocl_context_close(context);
}

/* ---- Runs of bytes ---- */

static void copy_run(struct ocl_queue *queue, struct arena *target, struct arena *source,
                     size_t bytes, enum ocl_transfer_wait wait, uint64_t *dice)
{
    const struct ocl_copy copy = linear_copy(target->address + random_between(dice, 0, 16),
                                             source->address + random_between(dice, 0, 16), bytes);

    if (wait == OCL_WAIT_SOURCE && target->kind == ARENA_DEVICE)
        keep_busy(queue, target, dice);
    assert_int_equal(ocl_transfer_copy(queue, &copy, wait), OCL_OK);
    model_copy(target, source, &copy);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    arena_check(target, queue);
}

/* Sizes on both sides of each threshold, at every alignment. */
static void check_runs(struct ocl_context *context)
{
    static const size_t sizes[] = {
        1, 3, 15, 16, 31, 63, 64, 127, 4095, 65536, 65537, (1 << 20) + 3, (5 << 20) + 7};
    static const enum arena_kind pairs[][2] = {
        {ARENA_DEVICE, ARENA_DEVICE}, {ARENA_DEVICE, ARENA_PAGEABLE},
        {ARENA_DEVICE, ARENA_PINNED}, {ARENA_PAGEABLE, ARENA_DEVICE},
        {ARENA_PINNED, ARENA_DEVICE}, {ARENA_PAGEABLE, ARENA_PAGEABLE}};
    uint64_t dice = 7;
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);

    for (size_t pair = 0; pair < sizeof pairs / sizeof pairs[0]; pair++) {
        for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++) {
            struct arena target = arena_open(context, pairs[pair][0], sizes[size] + 32, &dice);
            struct arena source = arena_open(context, pairs[pair][1], sizes[size] + 32, &dice);
            for (int round = 0; round < (sizes[size] < 100000 ? 8 : 2); round++)
                copy_run(queue, &target, &source, sizes[size],
                         round % 2 ? OCL_WAIT_ALL : OCL_WAIT_SOURCE, &dice);
            arena_close(&target);
            arena_close(&source);
        }
    }
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

TEST_BODY(transfer_runs_of_many_sizes)
{
    check_runs(open_context());
}
TEST_BODY(transfer_runs_as_on_a_gpu)
{
    check_runs(open_context_as_gpu());
}

/* Pieces, the ring and the streaming stores: more than all chunks together hold. */
static void check_80_mib(struct ocl_context *context)
{
    enum { BYTES = 80 * 1024 * 1024 };
    uint64_t dice = 8;
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct arena device = arena_open(context, ARENA_DEVICE, BYTES, &dice);
    struct arena other = arena_open(context, ARENA_DEVICE, BYTES, &dice);
    struct arena host = arena_open(context, ARENA_PAGEABLE, BYTES, &dice);

    for (int round = 0; round < 2; round++) {
        const enum ocl_transfer_wait wait = round ? OCL_WAIT_ALL : OCL_WAIT_SOURCE;
        copy_run(queue, &device, &host, BYTES - 100, wait, &dice);
        copy_run(queue, &other, &device, BYTES - 100, wait, &dice);
        copy_run(queue, &host, &other, BYTES - 100, wait, &dice);
    }
    arena_close(&device);
    arena_close(&other);
    arena_close(&host);
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

TEST_BODY(transfer_runs_of_80_mib)
{
    check_80_mib(open_context());
}
TEST_BODY(transfer_runs_of_80_mib_as_on_a_gpu)
{
    check_80_mib(open_context_as_gpu());
}

/* Rectangles of some MiB: several portions through the ring, rows longer than a chunk. */
static void check_large_rects(struct ocl_context *context)
{
    static const size_t shapes[][3] = {
        {3000, 900, 1}, {16, 40000, 2}, {1300000, 2, 1}, {5, 3, 9000}};
    static const enum arena_kind pairs[][2] = {{ARENA_DEVICE, ARENA_DEVICE},
                                               {ARENA_DEVICE, ARENA_PAGEABLE},
                                               {ARENA_PAGEABLE, ARENA_DEVICE},
                                               {ARENA_PINNED, ARENA_DEVICE},
                                               {ARENA_DEVICE, ARENA_PINNED}};
    uint64_t dice = 9;
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);

    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        for (size_t pair = 0; pair < sizeof pairs / sizeof pairs[0]; pair++) {
            struct ocl_copy copy = {{0}, {0}, shapes[shape][0], shapes[shape][1], shapes[shape][2]};
            copy.source.pitch = copy.width + 24;
            copy.source.slice_bytes = copy.source.pitch * copy.height + 8;
            copy.target.pitch = copy.width + 3;
            copy.target.slice_bytes = copy.target.pitch * copy.height;
            struct arena target =
                arena_open(context, pairs[pair][0], span(&copy.target, &copy) + 8, &dice);
            struct arena source =
                arena_open(context, pairs[pair][1], span(&copy.source, &copy) + 8, &dice);
            copy.source.address = source.address + 8;
            copy.target.address = target.address + 5;
            if (target.kind == ARENA_DEVICE)
                keep_busy(queue, &target, &dice);
            assert_int_equal(ocl_transfer_copy(queue, &copy, OCL_WAIT_SOURCE), OCL_OK);
            model_copy(&target, &source, &copy);
            assert_int_equal(ocl_queue_finish(queue), OCL_OK);
            arena_check(&target, queue);
            arena_close(&target);
            arena_close(&source);
        }
    }
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

TEST_BODY(transfer_large_rects)
{
    check_large_rects(open_context());
}
TEST_BODY(transfer_large_rects_as_on_a_gpu)
{
    check_large_rects(open_context_as_gpu());
}

/* ---- Overlap ---- */

static void check_overlap(struct ocl_context *context, enum arena_kind kind, size_t bytes,
                          size_t distance)
{
    uint64_t dice = 10 + bytes + distance;
    struct ocl_queue *queue = ocl_queue_legacy(context);
    struct arena arena = arena_open(context, kind, bytes + distance + 7, &dice);

    for (int is_upward = 0; is_upward < 2; is_upward++) {
        const uint64_t low = arena.address + 3;
        const struct ocl_copy copy =
            linear_copy(is_upward ? low + distance : low, is_upward ? low : low + distance, bytes);
        if (kind == ARENA_DEVICE)
            keep_busy(queue, &arena, &dice);
        assert_int_equal(ocl_transfer_copy(queue, &copy, OCL_WAIT_SOURCE), OCL_OK);
        memmove(arena.model + (copy.target.address - arena.address),
                arena.model + (copy.source.address - arena.address), bytes);
        assert_int_equal(ocl_queue_finish(queue), OCL_OK);
        arena_check(&arena, queue);
    }
    arena_close(&arena);
}

static void check_overlaps(struct ocl_context *context)
{
    static const size_t sizes[] = {2, 100, 5000, (2 << 20) + 1, (70 << 20) + 5};

    for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++) {
        check_overlap(context, ARENA_DEVICE, sizes[size], 1);
        check_overlap(context, ARENA_DEVICE, sizes[size], sizes[size] / 2 + 1);
        if (sizes[size] < 10000000)
            check_overlap(context, ARENA_PINNED, sizes[size], 1 + sizes[size] / 3);
    }
    check_overlap(context, ARENA_DEVICE, 1000, 0);
    ocl_context_close(context);
}

TEST_BODY(transfer_overlapping_runs_move)
{
    check_overlaps(open_context());
}
TEST_BODY(transfer_overlapping_runs_move_as_on_a_gpu)
{
    check_overlaps(open_context_as_gpu());
}

/* ---- Order ---- */

/* While the queue is held, copies that need not wait return, and they happen in their turn. */
TEST_BODY(transfer_async_returns_before_earlier_work_is_done)
{
    enum { BYTES = 3000 };
    uint64_t dice = 11;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct arena device = arena_open(context, ARENA_DEVICE, BYTES, &dice);
    struct arena other = arena_open(context, ARENA_DEVICE, BYTES, &dice);
    struct arena pageable = arena_open(context, ARENA_PAGEABLE, BYTES, &dice);
    struct arena pinned = arena_open(context, ARENA_PINNED, BYTES, &dice);

    cl_event gate = hold(queue);
    struct ocl_copy copy = linear_copy(device.address, pageable.address, BYTES);
    assert_int_equal(ocl_transfer_copy(queue, &copy, OCL_WAIT_SOURCE), OCL_OK);
    model_copy(&device, &pageable, &copy);
    memset(pageable.host, 0, BYTES);
    copy = linear_copy(other.address, device.address, BYTES);
    assert_int_equal(ocl_transfer_copy(queue, &copy, OCL_WAIT_SOURCE), OCL_OK);
    model_copy(&other, &device, &copy);
    copy = linear_copy(pinned.address, other.address, BYTES);
    assert_int_equal(ocl_transfer_copy(queue, &copy, OCL_WAIT_SOURCE), OCL_OK);
    assert_memory_equal(pinned.host, pinned.model, BYTES); /* nothing has happened yet */
    model_copy(&pinned, &other, &copy);
    let_go(gate);
    assert_int_equal(ocl_queue_finish(queue), OCL_OK);
    arena_check(&device, queue);
    arena_check(&other, queue);
    arena_check(&pinned, queue);
    arena_close(&device);
    arena_close(&other);
    arena_close(&pageable);
    arena_close(&pinned);
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

static void *let_go_later(void *gate)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    let_go(gate);
    return NULL;
}

/* A copy to pageable memory, or between host memories, waits for the queue, also when the host does
 * it. */
TEST_BODY(transfer_to_the_host_waits_for_earlier_work)
{
    static const int before = 5, after = 6;
    int seen = 0;
    uint64_t address;
    pthread_t thread;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);

    assert_int_equal(ocl_memory_allocate(context, sizeof seen, 0, &address), OCL_OK);
    assert_int_equal(copy_bytes(queue, address, &before, sizeof before), OCL_OK);
    cl_event gate = hold(queue);
    const struct ocl_copy in = linear_copy(address, address_of(&after), sizeof after);
    assert_int_equal(ocl_transfer_copy(queue, &in, OCL_WAIT_SOURCE), OCL_OK);
    assert_int_equal(pthread_create(&thread, NULL, let_go_later, gate), 0);
    const struct ocl_copy out = linear_copy(address_of(&seen), address, sizeof seen);
    assert_int_equal(ocl_transfer_copy(queue, &out, OCL_WAIT_SOURCE), OCL_OK);
    assert_int_equal(seen, after);
    pthread_join(thread, NULL);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, (void *)(uintptr_t)address), OCL_OK);
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

/* The legacy queue's copies wait for blocking queues, also those that the host does. */
TEST_BODY(transfer_legacy_copy_waits_for_blocking_queues)
{
    static const int after = 6;
    int seen = 0;
    uint64_t address;
    pthread_t thread;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);

    assert_int_equal(ocl_memory_allocate(context, sizeof seen, 0, &address), OCL_OK);
    cl_event gate = hold(queue);
    const struct ocl_copy in = linear_copy(address, address_of(&after), sizeof after);
    assert_int_equal(ocl_transfer_copy(queue, &in, OCL_WAIT_SOURCE), OCL_OK);
    assert_int_equal(pthread_create(&thread, NULL, let_go_later, gate), 0);
    assert_int_equal(copy_bytes(ocl_queue_legacy(context), address_of(&seen),
                                (void *)(uintptr_t)address, sizeof seen),
                     OCL_OK);
    assert_int_equal(seen, after);
    pthread_join(thread, NULL);
    assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, (void *)(uintptr_t)address), OCL_OK);
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

/* ---- Threads and contexts ---- */

struct copier {
    struct ocl_context *context;
    struct ocl_queue *queue;
    uint64_t dice;
};

static void *copy_many(void *argument)
{
    struct copier *copier = argument;
    struct arena arenas[] = {arena_open(copier->context, ARENA_DEVICE, 100000, &copier->dice),
                             arena_open(copier->context, ARENA_PINNED, 100000, &copier->dice),
                             arena_open(copier->context, ARENA_PAGEABLE, 100000, &copier->dice),
                             arena_open(copier->context, ARENA_DEVICE, 100000, &copier->dice)};

    for (int round = 0; round < 40; round++) {
        struct arena *target = &arenas[random_between(&copier->dice, 0, 3)];
        struct arena *source = &arenas[random_between(&copier->dice, 0, 3)];
        if (target != source)
            copy_random(copier->queue, target, source, &copier->dice);
    }
    for (size_t i = 0; i < 4; i++)
        arena_close(&arenas[i]);
    return NULL;
}

/* Half of the threads have a queue of their own, the others share one. */
TEST_BODY(transfer_from_eight_threads)
{
    struct ocl_context *context = open_context();
    struct ocl_queue *queues[5];
    struct copier copiers[8];
    pthread_t threads[8];

    for (size_t i = 0; i < 5; i++)
        queues[i] = make_queue(context, i % 2 ? OCL_QUEUE_BLOCKING : OCL_QUEUE_NON_BLOCKING);
    for (size_t i = 0; i < 8; i++) {
        copiers[i] = (struct copier){context, queues[i < 4 ? i : 4], 1000 + i};
        assert_int_equal(pthread_create(&threads[i], NULL, copy_many, &copiers[i]), 0);
    }
    for (size_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < 5; i++)
        ocl_queue_destroy(queues[i]);
    ocl_context_close(context);
}

/* Device memory of two contexts, and a queue of either: every copy is complete on return. */
TEST_BODY(transfer_between_contexts)
{
    uint64_t dice = 12;
    struct ocl_context *here = open_context(), *there = open_context();
    struct ocl_queue *queues[] = {ocl_queue_legacy(here), make_queue(here, OCL_QUEUE_NON_BLOCKING),
                                  ocl_queue_legacy(there)};
    struct arena near = arena_open(here, ARENA_DEVICE, ARENA_BYTES, &dice);
    struct arena far = arena_open(there, ARENA_DEVICE, ARENA_BYTES, &dice);
    struct arena host = arena_open(here, ARENA_PAGEABLE, ARENA_BYTES, &dice);
    struct arena pinned = arena_open(there, ARENA_PINNED, ARENA_BYTES, &dice);
    struct arena *const all[] = {&near, &far, &host, &pinned};

    for (int round = 0; round < 60; round++) {
        struct arena *target = all[random_between(&dice, 0, 3)];
        struct arena *source = all[random_between(&dice, 0, 3)];
        if (target == source)
            continue;
        const struct ocl_copy copy = random_copy(target, source, &dice);
        assert_int_equal(ocl_transfer_copy(queues[round % 3], &copy, OCL_WAIT_ALL), OCL_OK);
        model_copy(target, source, &copy);
        arena_check(target, ocl_queue_legacy(target->context));
    }
    for (size_t i = 0; i < 4; i++)
        arena_close(all[i]);
    ocl_queue_destroy(queues[1]);
    ocl_context_close(here);
    ocl_context_close(there);
}

/* Freeing pinned memory of another context does not wait for the queue, so the copy keeps it. */
TEST_BODY(transfer_from_another_contexts_pinned_memory_keeps_it)
{
    uint64_t dice = 13;
    struct ocl_context *here = open_context(), *there = open_context();
    struct ocl_queue *queue = make_queue(here, OCL_QUEUE_NON_BLOCKING);
    struct arena near = arena_open(here, ARENA_DEVICE, 5000, &dice);
    struct arena pinned = arena_open(there, ARENA_PINNED, 5000, &dice);
    const struct ocl_copy copy = linear_copy(near.address, pinned.address, 5000);

    cl_event gate = hold(queue);
    assert_int_equal(ocl_transfer_copy(queue, &copy, OCL_WAIT_SOURCE), OCL_OK);
    model_copy(&near, &pinned, &copy);
    arena_close(&pinned);
    let_go(gate);
    arena_check(&near, queue);
    arena_close(&near);
    ocl_queue_destroy(queue);
    ocl_context_close(here);
    ocl_context_close(there);
}

/* A context that has failed refuses copies. */
TEST_BODY(transfer_reports_the_sticky_failure)
{
    int value = 0;
    uint64_t address;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = ocl_queue_legacy(context);

    assert_int_equal(ocl_memory_allocate(context, 64, 0, &address), OCL_OK);
    assert_int_equal(copy_bytes(queue, address, &value, sizeof value), OCL_OK);
    ocl_context_fail(context, OCL_E_EXECUTION);
    assert_int_equal(copy_bytes(queue, address, &value, sizeof value), OCL_E_EXECUTION);
    assert_int_equal(
        copy_bytes(queue, address_of(&value), (void *)(uintptr_t)address, sizeof value),
        OCL_E_EXECUTION);
    ocl_context_close(context);
}
