/* For the tests of copies and fills: memory of any kind beside a model of what it must hold, and a
 * three-loop reference.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CL_ARENA_H
#define TESTS_CL_ARENA_H

#include <stdbool.h>
#include <string.h>

#include "cl/transfer.h"
#include "tests/cl/held.h"

enum arena_kind { ARENA_DEVICE, ARENA_PINNED, ARENA_REGISTERED, ARENA_PAGEABLE };

struct arena {
    enum arena_kind kind;
    struct ocl_context *context;
    uint64_t address;     /* what a caller of ocl_transfer_copy() passes */
    void *host;           /* NULL for device memory */
    unsigned char *model; /* what must be in it */
    size_t bytes;
};

/* xorshift: the same sequence in every run. */
static inline uint64_t random_next(uint64_t *dice)
{
    *dice ^= *dice << 13;
    *dice ^= *dice >> 7;
    *dice ^= *dice << 17;
    return *dice;
}

/* A number from least to most. */
static inline size_t random_between(uint64_t *dice, size_t least, size_t most)
{
    return least + (size_t)(random_next(dice) >> 11) % (most - least + 1);
}

static inline void randomize(unsigned char *bytes, size_t count, uint64_t *dice)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(random_next(dice) >> 32);
}

static inline uint64_t address_of(const void *pointer)
{
    return (uint64_t)(uintptr_t)pointer;
}

static inline struct ocl_copy linear_copy(uint64_t target, uint64_t source, size_t bytes)
{
    return (struct ocl_copy){{source, bytes, bytes}, {target, bytes, bytes}, bytes, 1, 1};
}

static inline ocl_status copy_bytes(struct ocl_queue *queue, uint64_t target, const void *source,
                                    size_t bytes)
{
    const struct ocl_copy copy = linear_copy(target, address_of(source), bytes);

    return ocl_transfer_copy(queue, &copy, OCL_WAIT_ALL);
}

static inline void arena_allocate(struct arena *arena)
{
    switch (arena->kind) {
    case ARENA_DEVICE:
        assert_int_equal(ocl_memory_allocate(arena->context, arena->bytes, 0, &arena->address),
                         OCL_OK);
        return;
    case ARENA_PINNED: {
        uint64_t alias;
        assert_int_equal(
            ocl_memory_allocate_host(arena->context, arena->bytes, 0, &arena->host, &alias),
            OCL_OK);
        break;
    }
    case ARENA_REGISTERED:
    case ARENA_PAGEABLE:
        arena->host = aligned_alloc(4096, (arena->bytes + 4095) / 4096 * 4096);
        assert_non_null(arena->host);
        if (arena->kind == ARENA_REGISTERED)
            assert_int_equal(ocl_memory_register(arena->context, arena->host, arena->bytes, 0),
                             OCL_OK);
        break;
    }
    arena->address = address_of(arena->host);
}

/* A context whose copies and fills go the ways of a discrete GPU, whatever the device is: its
 * kernels, its thresholds, and memory that the host does not reach. */
static inline struct ocl_context *open_context_as_gpu(void)
{
    assert_true(ocl_device_count() > 0);
    struct ocl_device *device = (struct ocl_device *)(uintptr_t)ocl_device_get(0);
    const bool is_cpu = device->facts.device_class == OCL_CLASS_CPU;
    device->facts.device_class = OCL_CLASS_GPU;
    struct ocl_context *context = open_context();
    if (is_cpu && (context->capability.address == OCL_ADDRESS_RAW ||
                   context->capability.address == OCL_ADDRESS_BDA))
        TEST_SKIP("a CPU's addresses are the host's and cannot be set aside as a GPU's are");
    context->capability.device_is_host_memory = false;
    return context;
}

/* Memory with random contents. */
static inline struct arena arena_open(struct ocl_context *context, enum arena_kind kind,
                                      size_t bytes, uint64_t *dice)
{
    struct arena arena = {.kind = kind, .context = context, .bytes = bytes, .model = malloc(bytes)};

    assert_non_null(arena.model);
    arena_allocate(&arena);
    randomize(arena.model, bytes, dice);
    if (arena.host)
        memcpy(arena.host, arena.model, bytes);
    else
        assert_int_equal(copy_bytes(ocl_queue_legacy(context), arena.address, arena.model, bytes),
                         OCL_OK);
    return arena;
}

static inline void arena_close(struct arena *arena)
{
    const void *pointer = arena->host ? arena->host : (const void *)(uintptr_t)arena->address;

    if (arena->kind == ARENA_DEVICE)
        assert_int_equal(ocl_memory_free(OCL_MEMORY_DEVICE, pointer), OCL_OK);
    else if (arena->kind == ARENA_PINNED)
        assert_int_equal(ocl_memory_free(OCL_MEMORY_HOST, pointer), OCL_OK);
    else if (arena->kind == ARENA_REGISTERED)
        assert_int_equal(ocl_memory_free(OCL_MEMORY_REGISTERED, pointer), OCL_OK);
    if (arena->kind == ARENA_REGISTERED || arena->kind == ARENA_PAGEABLE)
        free(arena->host);
    free(arena->model);
}

/* What is in the arena now, by way of queue. */
static inline void arena_read(const struct arena *arena, struct ocl_queue *queue,
                              unsigned char *bytes)
{
    if (arena->host)
        memcpy(bytes, arena->host, arena->bytes);
    else
        assert_int_equal(copy_bytes(queue, address_of(bytes),
                                    (const void *)(uintptr_t)arena->address, arena->bytes),
                         OCL_OK);
}

/* Fails unless the arena holds what its model holds, to the last byte. Needs: queue is finished for
 * host memory. */
static inline void arena_check(const struct arena *arena, struct ocl_queue *queue)
{
    unsigned char *bytes = malloc(arena->bytes);

    assert_non_null(bytes);
    arena_read(arena, queue, bytes);
    for (size_t i = 0; i < arena->bytes; i++) {
        if (bytes[i] != arena->model[i])
            fail_msg("byte %zu of %zu is %02x and not %02x", i, arena->bytes, bytes[i],
                     arena->model[i]);
    }
    free(bytes);
}

/* The reference: what a copy between two arenas does to the model of the target. */
static inline void model_copy(struct arena *target, const struct arena *source,
                              const struct ocl_copy *copy)
{
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++) {
            for (size_t x = 0; x < copy->width; x++)
                target->model[copy->target.address - target->address +
                              z * copy->target.slice_bytes + y * copy->target.pitch + x] =
                    source->model[copy->source.address - source->address +
                                  z * copy->source.slice_bytes + y * copy->source.pitch + x];
        }
    }
}

/* The same for fills. */
static inline void model_fill(struct arena *target, const struct ocl_fill *fill)
{
    for (size_t z = 0; z < fill->depth; z++) {
        for (size_t y = 0; y < fill->height; y++) {
            unsigned char *row = target->model + (fill->address - target->address) +
                                 z * fill->slice_bytes + y * fill->pitch;
            for (size_t i = 0; i < fill->count; i++)
                memcpy(row + i * fill->element_bytes, &fill->value, fill->element_bytes);
        }
    }
}

#endif
