/* Tests of cl/transfer/fill.c: every pattern and kind of memory against a three-loop reference.
 * SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "tests/cl/arena.h"

enum { ARENA_BYTES = 200 * 1000, ROUNDS = 120 };

static size_t fill_span(const struct ocl_fill *fill)
{
    return (fill->depth - 1) * fill->slice_bytes + (fill->height - 1) * fill->pitch +
           fill->count * fill->element_bytes;
}

static struct ocl_fill random_fill(const struct arena *arena, uint64_t *dice)
{
    static const size_t counts[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 64, 65, 100, 256, 1000};
    struct ocl_fill fill;

    do {
        fill.element_bytes = (size_t)1 << random_between(dice, 0, 2);
        fill.count = random_between(dice, 0, 1)
                         ? counts[random_between(dice, 0, sizeof counts / sizeof counts[0] - 1)]
                         : random_between(dice, 1, 5000);
        fill.height = random_between(dice, 0, 1) ? 1 : random_between(dice, 1, 60);
        fill.depth = random_between(dice, 0, 2) ? 1 : random_between(dice, 1, 8);
        fill.pitch = fill.count * fill.element_bytes +
                     random_between(dice, 0, 1) * random_between(dice, 0, 70);
        fill.slice_bytes =
            fill.pitch * fill.height + random_between(dice, 0, 1) * random_between(dice, 0, 70);
    } while (fill_span(&fill) + 8 > arena->bytes);
    fill.address =
        arena->address + random_between(dice, 0, (arena->bytes - fill_span(&fill)) / 4) * 4;
    if (fill.element_bytes < 4)
        fill.address += random_between(dice, 0, 3) / fill.element_bytes * fill.element_bytes;
    if (fill.address + fill_span(&fill) > arena->address + arena->bytes)
        fill.address -= 4;
    fill.value = random_between(dice, 0, 1) ? (uint32_t)random_next(dice)
                                            : 0x3000a0u * (uint32_t)random_between(dice, 0, 2);
    return fill;
}

static void check_kind(struct ocl_context *context, enum arena_kind kind)
{
    uint64_t dice = 3000 + kind;
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct arena arena = arena_open(context, kind, ARENA_BYTES, &dice);

    for (int round = 0; round < ROUNDS; round++) {
        /* One, two or three in a row: the later ones find the queue busy. */
        for (size_t i = random_between(&dice, 1, 3); i > 0; i--) {
            const struct ocl_fill fill = random_fill(&arena, &dice);
            assert_int_equal(
                ocl_transfer_fill(queue, &fill, round % 2 ? OCL_WAIT_ALL : OCL_WAIT_SOURCE),
                OCL_OK);
            model_fill(&arena, &fill);
        }
        if (round % 2 == 0)
            assert_int_equal(ocl_queue_finish(queue), OCL_OK);
        arena_check(&arena, queue);
    }
    arena_close(&arena);
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

TEST_BODY(fill_device_memory)
{
    check_kind(open_context(), ARENA_DEVICE);
}
TEST_BODY(fill_pinned_memory)
{
    check_kind(open_context(), ARENA_PINNED);
}
TEST_BODY(fill_registered_memory)
{
    check_kind(open_context(), ARENA_REGISTERED);
}
TEST_BODY(fill_device_memory_as_on_a_gpu)
{
    check_kind(open_context_as_gpu(), ARENA_DEVICE);
}
TEST_BODY(fill_pinned_memory_as_on_a_gpu)
{
    check_kind(open_context_as_gpu(), ARENA_PINNED);
}

/* Streaming stores and rows longer than an item's share. */
TEST_BODY(fill_large_ranges)
{
    enum { BYTES = 24 * 1024 * 1024 };
    static const size_t shapes[][3] = {
        {5000003, 1, 1}, {1000, 4000, 1}, {7, 100, 2000}, {16, 150000, 1}};
    uint64_t dice = 3;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_BLOCKING);
    struct arena arena = arena_open(context, ARENA_DEVICE, BYTES, &dice);

    for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
        for (size_t element = 1; element <= 4; element *= 2) {
            struct ocl_fill fill = {.address = arena.address + 4,
                                    .count = shapes[shape][0],
                                    .height = shapes[shape][1],
                                    .depth = shapes[shape][2],
                                    .element_bytes = element,
                                    .value = 0x01a2b3c4u};
            fill.pitch = fill.count * element + 12;
            fill.slice_bytes = fill.pitch * fill.height + 4;
            assert_int_equal(ocl_transfer_fill(queue, &fill, OCL_WAIT_SOURCE), OCL_OK);
            model_fill(&arena, &fill);
            assert_int_equal(ocl_queue_finish(queue), OCL_OK);
            arena_check(&arena, queue);
        }
    }
    arena_close(&arena);
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

/* Behind held work a fill that need not wait returns, and nothing is written before its turn. */
TEST_BODY(fill_waits_its_turn_without_blocking)
{
    static const enum arena_kind kinds[] = {ARENA_DEVICE, ARENA_PINNED, ARENA_REGISTERED};
    uint64_t dice = 4;
    struct ocl_context *context = open_context();
    struct ocl_queue *queue = make_queue(context, OCL_QUEUE_NON_BLOCKING);

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct arena arena = arena_open(context, kinds[i], 1000, &dice);
        const struct ocl_fill fill = {arena.address, 100, 100, 100, 1, 1, 1, 0xab};
        cl_event gate = hold(queue);
        assert_int_equal(ocl_transfer_fill(queue, &fill, OCL_WAIT_SOURCE), OCL_OK);
        if (arena.host)
            assert_memory_equal(arena.host, arena.model, 1000);
        let_go(gate);
        assert_int_equal(ocl_queue_finish(queue), OCL_OK);
        model_fill(&arena, &fill);
        arena_check(&arena, queue);
        arena_close(&arena);
    }
    ocl_queue_destroy(queue);
    ocl_context_close(context);
}

TEST_BODY(fill_refuses_memory_it_does_not_know)
{
    unsigned char bytes[16] = {1};
    struct ocl_context *context = open_context();
    const struct ocl_fill fill = {address_of(bytes), 16, 16, 16, 1, 1, 1, 2};

    assert_int_equal(ocl_transfer_fill(ocl_queue_legacy(context), &fill, OCL_WAIT_ALL),
                     OCL_E_NOT_FOUND);
    assert_int_equal(bytes[0], 1);
    ocl_context_close(context);
}

TEST_BODY(fill_another_contexts_memory)
{
    uint64_t dice = 5;
    struct ocl_context *here = open_context(), *there = open_context();
    static const enum arena_kind kinds[] = {ARENA_DEVICE, ARENA_PINNED};

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct arena arena = arena_open(there, kinds[i], 300000, &dice);
        struct ocl_fill fill = {arena.address + 4, 250000, 250000, 125000, 1, 1, 2, 0x1234};
        assert_int_equal(ocl_transfer_fill(ocl_queue_legacy(here), &fill, OCL_WAIT_SOURCE), OCL_OK);
        assert_int_equal(ocl_queue_finish(ocl_queue_legacy(here)), OCL_OK);
        model_fill(&arena, &fill);
        arena_check(&arena, ocl_queue_legacy(there));
        arena_close(&arena);
    }
    ocl_context_close(here);
    ocl_context_close(there);
}
