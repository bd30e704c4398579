/* Tests of cl/image/array.c: where texels lie, references, and who waits for whom.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/array.h"

#include <pthread.h>

#include "cl/image/array_private.h"
#include "tests/cl/held.h"

static const struct ocl_array_shape plane = {
    .texel = {OCL_CHANNEL_FLOAT, 1, 4}, .width = 100, .height = 30, .levels = 1};

static struct ocl_array *make_array(struct ocl_context *context,
                                    const struct ocl_array_shape *shape)
{
    struct ocl_array *array = NULL;
    assert_int_equal(ocl_array_create(context, shape, &array), OCL_OK);
    assert_non_null(array);
    return array;
}

static size_t halved(size_t size, unsigned times)
{
    size_t left = size;
    for (unsigned i = 0; i < times && left > 1; i++)
        left /= 2;
    return left > 0 ? left : 1;
}

/* Each level is as large as it should be, begins behind the one before, and ends in the allocation.
 */
static void check_levels(struct ocl_array *array)
{
    const struct ocl_array_shape *shape = ocl_array_shape(array);
    struct ocl_memory_view memory;
    uint64_t end = 0;
    for (unsigned i = 0; i < shape->levels; i++) {
        struct ocl_array_level level;
        ocl_array_level(array, i, &level);
        if (i == 0) {
            assert_true(ocl_memory_find((const void *)(uintptr_t)level.address, &memory));
            assert_int_equal(memory.address, level.address);
            end = level.address;
        }
        assert_int_equal(level.address, end);
        assert_int_equal(level.address % 256, 0);
        assert_int_equal(level.pitch % 256, 0);
        assert_int_equal(level.width, halved(shape->width, i));
        assert_int_equal(level.height, halved(shape->height, i));
        assert_int_equal(level.slices, shape->layers > 0 ? shape->layers : halved(shape->depth, i));
        assert_true(level.pitch >= level.width * ocl_texel_bytes(&shape->texel));
        assert_true(level.slice_bytes >= level.pitch * level.height);
        end += level.slice_bytes * level.slices;
    }
    assert_true(end <= memory.address + memory.bytes);
}

TEST_BODY(array_levels_lie_one_behind_the_other)
{
    static const struct ocl_array_shape shapes[] = {
        {.texel = {OCL_CHANNEL_UNSIGNED, 1, 1}, .width = 1, .levels = 1},
        {.texel = {OCL_CHANNEL_UNSIGNED, 1, 1}, .width = 257, .levels = 9},
        {.texel = {OCL_CHANNEL_FLOAT, 4, 4}, .width = 16, .height = 16, .levels = 5},
        {.texel = {OCL_CHANNEL_SIGNED, 2, 2}, .width = 33, .height = 7, .depth = 5, .levels = 6},
        {.texel = {OCL_CHANNEL_FLOAT, 1, 2}, .width = 65, .layers = 7, .levels = 3},
        {.texel = {OCL_CHANNEL_UNSIGNED, 4, 1},
         .width = 20,
         .height = 20,
         .layers = 12,
         .is_cube = true,
         .levels = 4},
    };
    struct ocl_context *context = open_context();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct ocl_array *array = make_array(context, &shapes[i]);
        assert_ptr_equal(ocl_array_context(array), context);
        check_levels(array);
        ocl_array_release(array);
    }
    ocl_context_close(context);
}

TEST_BODY(array_that_no_size_measures_is_refused)
{
    static const struct ocl_array_shape shapes[] = {
        {.texel = {OCL_CHANNEL_FLOAT, 4, 4}, .width = SIZE_MAX / 4, .levels = 1},
        {.texel = {OCL_CHANNEL_UNSIGNED, 1, 1}, .width = SIZE_MAX, .levels = 1},
        {.texel = {OCL_CHANNEL_UNSIGNED, 1, 1}, .width = 256, .height = SIZE_MAX / 8, .levels = 1},
        {.texel = {OCL_CHANNEL_UNSIGNED, 1, 1},
         .width = (size_t)1 << 20,
         .height = (size_t)1 << 22,
         .depth = (size_t)1 << 22,
         .levels = 2},
    };
    struct ocl_context *context = open_context();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct ocl_array *array = NULL;
        assert_int_equal(ocl_array_create(context, &shapes[i], &array), OCL_E_OUT_OF_MEMORY);
        assert_null(array);
    }
    ocl_context_close(context);
}

TEST_BODY(array_memory_goes_with_the_last_reference)
{
    struct ocl_context *context = open_context();
    struct ocl_array *array = make_array(context, &plane);
    struct ocl_array_level level;
    struct ocl_memory_view memory;
    ocl_array_level(array, 0, &level);
    ocl_array_retain(array);
    ocl_array_release(array);
    assert_true(ocl_memory_find((const void *)(uintptr_t)level.address, &memory));
    ocl_array_release(array);
    assert_false(ocl_memory_find((const void *)(uintptr_t)level.address, &memory));
    ocl_array_retain(NULL);
    ocl_array_release(NULL);
    ocl_context_close(context);
}

/* --- who waits -------------------------------------------------------------------------------- */

static struct ocl_event *mark(struct ocl_context *context, struct ocl_queue *queue)
{
    struct ocl_event *event = NULL;
    assert_int_equal(ocl_event_create(context, false, &event), OCL_OK);
    assert_int_equal(ocl_event_record(event, queue), OCL_OK);
    return event;
}

/* A reader that began to wait is held until every gate is open. */
static void check_reader_waits(struct ocl_array *array, cl_event *gates, int count)
{
    struct ocl_context *context = ocl_array_context(array);
    struct ocl_queue *reader = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    assert_int_equal(ocl_array_wait_for_writes(array, reader), OCL_OK);
    struct ocl_event *event = mark(context, reader);
    for (int i = 0; i < count; i++) {
        let_others_run(context);
        assert_int_equal(ocl_event_query(event), OCL_E_NOT_READY);
        let_go(gates[i]);
    }
    assert_int_equal(poll_until_complete(event), OCL_OK);
    ocl_event_destroy(event);
    ocl_queue_destroy(reader);
}

TEST_BODY(array_reader_waits_for_the_writer)
{
    struct ocl_context *context = open_context();
    struct ocl_array *array = make_array(context, &plane);
    struct ocl_queue *writer = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    const uint64_t version = atomic_load(&array->version);
    cl_event gate = hold(writer);
    assert_int_equal(ocl_array_written(array, writer), OCL_OK);
    assert_true(atomic_load(&array->version) > version);
    check_reader_waits(array, &gate, 1);
    ocl_queue_destroy(writer);
    ocl_array_release(array);
    ocl_context_close(context);
}

/* Neither for writes that are complete, nor for work that wrote nothing here, nor for itself. */
TEST_BODY(array_reader_waits_for_nothing_else)
{
    struct ocl_context *context = open_context();
    struct ocl_array *array = make_array(context, &plane);
    struct ocl_queue *writer = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    struct ocl_queue *reader = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    cl_mem cells = make_cells(context, 1);
    const int value = 1;
    put(writer, cells, 0, &value);
    assert_int_equal(ocl_array_written(array, writer), OCL_OK);
    assert_int_equal(ocl_queue_finish(writer), OCL_OK);
    cl_event gate = hold(writer);
    assert_int_equal(ocl_array_wait_for_writes(array, reader), OCL_OK);
    assert_int_equal(ocl_queue_finish(reader), OCL_OK);
    assert_int_equal(ocl_array_written(array, writer), OCL_OK);
    const uint64_t submitted = atomic_load(&writer->submitted);
    assert_int_equal(ocl_array_wait_for_writes(array, writer), OCL_OK);
    assert_int_equal(atomic_load(&writer->submitted), submitted);
    let_go(gate);
    clReleaseMemObject(cells);
    ocl_queue_destroy(writer);
    ocl_queue_destroy(reader);
    ocl_array_release(array);
    ocl_context_close(context);
}

/* More queues than are remembered each by itself, the legacy queue among them. */
TEST_BODY(array_reader_waits_for_many_writers)
{
    enum { WRITERS = OCL_ARRAY_WRITERS + 2 };
    struct ocl_context *context = open_context();
    struct ocl_array *array = make_array(context, &plane);
    struct ocl_queue *writers[WRITERS];
    cl_event gates[WRITERS + 1];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = make_queue(context, OCL_QUEUE_NON_BLOCKING);
        gates[i] = hold(writers[i]);
        assert_int_equal(ocl_array_written(array, writers[i]), OCL_OK);
    }
    gates[WRITERS] = hold(ocl_queue_legacy(context));
    assert_int_equal(ocl_array_written(array, ocl_queue_legacy(context)), OCL_OK);
    check_reader_waits(array, gates, WRITERS + 1);
    for (int i = 0; i < WRITERS; i++)
        ocl_queue_destroy(writers[i]);
    ocl_array_release(array);
    ocl_context_close(context);
}

TEST_BODY(array_writer_may_be_destroyed)
{
    struct ocl_context *context = open_context();
    struct ocl_array *array = make_array(context, &plane);
    struct ocl_queue *writer = make_queue(context, OCL_QUEUE_NON_BLOCKING);
    cl_event gate = hold(writer);
    assert_int_equal(ocl_array_written(array, writer), OCL_OK);
    ocl_queue_destroy(writer);
    check_reader_waits(array, &gate, 1);
    ocl_array_release(array);
    ocl_context_close(context);
}

TEST_BODY(array_writer_of_another_context)
{
    struct ocl_context *context = open_context(), *foreign = open_context();
    struct ocl_array *array = make_array(context, &plane);
    struct ocl_queue *writer = make_queue(foreign, OCL_QUEUE_NON_BLOCKING);
    cl_event gate = hold(writer);
    assert_int_equal(ocl_array_written(array, writer), OCL_OK);
    check_reader_waits(array, &gate, 1);
    ocl_queue_destroy(writer);
    ocl_context_close(foreign);
    assert_int_equal(ocl_context_finish(context), OCL_OK);
    ocl_array_release(array);
    ocl_context_close(context);
}

/* --- threads ---------------------------------------------------------------------------------- */

enum { THREADS = 4, WRITES = 300 };

static void *write_and_read(void *data)
{
    struct ocl_array *array = data;
    struct ocl_context *context = ocl_array_context(array);
    struct ocl_queue *queue = NULL;
    ocl_status status = ocl_queue_create(context, OCL_QUEUE_BLOCKING, 0, &queue);
    for (int i = 0; i < WRITES && status == OCL_OK; i++) {
        ocl_array_retain(array);
        status = ocl_array_written(array, queue);
        if (status == OCL_OK)
            status = ocl_array_wait_for_writes(array, queue);
        ocl_array_release(array);
    }
    ocl_queue_destroy(queue);
    return status == OCL_OK ? NULL : data;
}

TEST_BODY(array_written_by_many_threads)
{
    struct ocl_context *context = open_context();
    struct ocl_array *array = make_array(context, &plane);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_and_read, array), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_true(atomic_load(&array->version) >= THREADS * WRITES);
    ocl_array_release(array);
    ocl_context_close(context);
}
