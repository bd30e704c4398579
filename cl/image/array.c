/* CUDA arrays: texels in device memory, addressed by coordinates.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/array.h"

#include <assert.h>
#include <stdlib.h>

#include "cl/image/array_private.h"
#include "cl/memory.h"
#include "cl/queue/queue_private.h"

/* --- Where texels lie --- */

static bool round_up(size_t *value, size_t alignment)
{
    if (__builtin_add_overflow(*value, alignment - 1, value))
        return false;
    *value -= *value % alignment;
    return true;
}

/* Rows begin where every copy is fast, and where a driver that makes images from buffers wants
 * them. */
static size_t row_alignment(const struct ocl_context *context, size_t texel_bytes)
{
    const size_t wanted = context->device->facts.image_pitch_alignment * texel_bytes;
    const bool is_power = wanted != 0 && (wanted & (wanted - 1)) == 0;
    return is_power && wanted > OCL_MEMORY_ALIGNMENT ? wanted : OCL_MEMORY_ALIGNMENT;
}

static size_t at_least_one(size_t size)
{
    return size > 0 ? size : 1;
}

/* Places a level at *end and moves *end behind it; false when no size_t measures that. */
static bool place_level(const struct ocl_context *context, const struct ocl_array_shape *shape,
                        unsigned level, struct ocl_array_level *placed, size_t *end)
{
    const size_t texel_bytes = ocl_texel_bytes(&shape->texel);
    size_t bytes = 0;
    placed->address = *end;
    placed->width = at_least_one(shape->width >> level);
    placed->height = at_least_one(shape->height >> level);
    placed->slices =
        shape->layers > 0 ? (size_t)shape->layers : at_least_one(shape->depth >> level);
    return !__builtin_mul_overflow(placed->width, texel_bytes, &placed->pitch) &&
           round_up(&placed->pitch, row_alignment(context, texel_bytes)) &&
           !__builtin_mul_overflow(placed->pitch, placed->height, &placed->slice_bytes) &&
           !__builtin_mul_overflow(placed->slice_bytes, placed->slices, &bytes) &&
           !__builtin_add_overflow(*end, bytes, end);
}

static ocl_status place_levels(struct ocl_array *array)
{
    for (unsigned i = 0; i < array->shape.levels; i++)
        if (!place_level(array->context, &array->shape, i, &array->levels[i], &array->bytes))
            return OCL_E_OUT_OF_MEMORY;
    return OCL_OK;
}

/* --- Making and ending --- */

/* Where the texels of an imported array are. */
struct bytes_of_file {
    int file;
    uint64_t offset, room;
};

static ocl_status import(struct ocl_array *array, const struct bytes_of_file *from)
{
    array->is_imported = true;
    if (array->bytes > from->room || from->offset % OCL_MEMORY_ALIGNMENT != 0)
        return OCL_E_INVALID_VALUE;
    return ocl_memory_import(array->context, from->file, from->offset, array->bytes, 0,
                             &array->address);
}

static ocl_status fill_in(struct ocl_array *array, const struct bytes_of_file *from)
{
    ocl_status status = place_levels(array);
    if (status == OCL_OK)
        status = from ? import(array, from)
                      : ocl_memory_allocate(array->context, array->bytes, 0, &array->address);
    if (status != OCL_OK)
        return status;
    for (unsigned i = 0; i < array->shape.levels; i++)
        array->levels[i].address += array->address;
    return OCL_OK;
}

static ocl_status make_array(struct ocl_context *context, const struct ocl_array_shape *shape,
                             const struct bytes_of_file *from, struct ocl_array **array)
{
    assert(shape->levels >= 1 && shape->levels <= OCL_ARRAY_MAX_LEVELS && shape->width > 0);
    struct ocl_array *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    made->context = context;
    made->shape = *shape;
    const ocl_status status = fill_in(made, from);
    if (status != OCL_OK) {
        free(made);
        return status;
    }
    atomic_store(&made->references, 1);
    pthread_mutex_init(&made->lock, NULL);
    *array = made;
    return OCL_OK;
}

ocl_status ocl_array_create(struct ocl_context *context, const struct ocl_array_shape *shape,
                            struct ocl_array **array)
{
    return make_array(context, shape, NULL, array);
}

ocl_status ocl_array_import(struct ocl_context *context, const struct ocl_array_shape *shape,
                            int file, uint64_t offset, uint64_t room, struct ocl_array **array)
{
    const struct bytes_of_file from = {file, offset, room};
    return make_array(context, shape, &from, array);
}

void ocl_array_retain(struct ocl_array *array)
{
    if (array)
        atomic_fetch_add(&array->references, 1);
}

void ocl_array_release(struct ocl_array *array)
{
    if (!array || atomic_fetch_sub(&array->references, 1) != 1)
        return;
    ocl_memory_discard(array->address);
    if (array->images)
        array->release_images(array);
    pthread_mutex_destroy(&array->lock);
    free(array);
}

void ocl_array_free(struct ocl_array *array)
{
    if (array) {
        (void)ocl_queues_finish(array->context); /* calls that ask tell whether it failed */
        atomic_store(&array->is_freed, true);
    }
    ocl_array_release(array);
}

/* --- Asking --- */

bool ocl_array_is_freed(const struct ocl_array *array)
{
    return atomic_load(&array->is_freed);
}

struct ocl_context *ocl_array_context(const struct ocl_array *array)
{
    return array->context;
}

const struct ocl_array_shape *ocl_array_shape(const struct ocl_array *array)
{
    return &array->shape;
}

void ocl_array_level(const struct ocl_array *array, unsigned level, struct ocl_array_level *view)
{
    assert(level < array->shape.levels);
    *view = array->levels[level];
}

/* --- Who writes --- */

/* The work of a queue that is gone is complete. */
static bool is_finished(const struct ocl_array_write *write)
{
    return atomic_load(&write->queue->id) != write->id ||
           ocl_queue_has_finished(write->queue, write->id, write->position);
}

static bool is_by(const struct ocl_array_write *write, const struct ocl_queue *queue)
{
    return write->queue == queue && write->id == atomic_load(&queue->id);
}

/* Lock held. Forgets what is complete, for nobody has to wait for it. */
static void forget_finished(struct ocl_array *array)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < array->write_count; i++)
        if (!is_finished(&array->writes[i]))
            array->writes[kept++] = array->writes[i];
    array->write_count = kept;
}

/* Lock held. NULL: no more queues can be remembered. The last place is the legacy queue's, which
 * can stand for any other. */
static struct ocl_array_write *write_by(struct ocl_array *array, const struct ocl_queue *queue)
{
    const unsigned places = OCL_ARRAY_WRITERS - (queue->kind == OCL_QUEUE_LEGACY ? 0 : 1);
    for (unsigned i = 0; i < array->write_count; i++)
        if (is_by(&array->writes[i], queue))
            return &array->writes[i];
    forget_finished(array);
    return array->write_count < places ? &array->writes[array->write_count++] : NULL;
}

/* False: the queue's work has to be remembered in another way. */
static bool note_write(struct ocl_array *array, struct ocl_queue *queue)
{
    const struct ocl_array_write write = {queue, atomic_load(&queue->id),
                                          atomic_load(&queue->submitted)};
    pthread_mutex_lock(&array->lock);
    atomic_fetch_add(&array->version, 1);
    const bool is_complete = is_finished(&write);
    struct ocl_array_write *place = is_complete ? NULL : write_by(array, queue);
    if (place)
        *place = write;
    pthread_mutex_unlock(&array->lock);
    return is_complete || place != NULL;
}

/* The legacy queue of the array's context waits for queue, whose context may be another one, and
 * stands for it. */
static ocl_status note_for_legacy(struct ocl_array *array, struct ocl_queue *queue)
{
    struct ocl_queue *legacy = array->context->legacy;
    struct ocl_event *event = NULL;
    ocl_status status = ocl_event_create(queue->context, false, &event);
    if (status == OCL_OK)
        status = ocl_event_record(event, queue);
    if (status == OCL_OK)
        status = ocl_event_wait_in_queue(event, legacy);
    ocl_event_destroy(event);
    if (status != OCL_OK) /* without memory for an event, what was written is waited for here */
        status = ocl_queue_finish(queue);
    (void)note_write(array, legacy);
    return status;
}

ocl_status ocl_array_written(struct ocl_array *array, struct ocl_queue *queue)
{
    if (queue->context == array->context && note_write(array, queue))
        return OCL_OK;
    return note_for_legacy(array, queue);
}

/* --- Who reads --- */

/* Lock held for a moment: what is unfinished is looked at without it. */
static unsigned unfinished_writes(struct ocl_array *array,
                                  struct ocl_array_write writes[OCL_ARRAY_WRITERS])
{
    pthread_mutex_lock(&array->lock);
    forget_finished(array);
    for (unsigned i = 0; i < array->write_count; i++)
        writes[i] = array->writes[i];
    const unsigned count = array->write_count;
    pthread_mutex_unlock(&array->lock);
    return count;
}

/* The writer's reference is the caller's. */
static ocl_status wait_for_writer(struct ocl_queue *queue, struct ocl_queue *writer)
{
    uint64_t position;
    cl_event event;
    ocl_status status = ocl_queue_mark(writer, &event, &position);
    if (status != OCL_OK)
        return status;
    status = ocl_queue_hold(queue, 1, &event);
    clReleaseEvent(event);
    return status;
}

ocl_status ocl_array_wait_for_writes(struct ocl_array *array, struct ocl_queue *queue)
{
    struct ocl_array_write writes[OCL_ARRAY_WRITERS];
    const unsigned count = unfinished_writes(array, writes);
    ocl_status status = count > 0 ? ocl_queue_order(queue) : OCL_OK;
    for (unsigned i = 0; i < count && status == OCL_OK; i++) {
        if (is_by(&writes[i], queue) || is_finished(&writes[i]))
            continue;
        struct ocl_queue *writer = ocl_queue_acquire(writes[i].queue, writes[i].id);
        if (!writer)
            continue;
        status = wait_for_writer(queue, writer);
        ocl_queue_release(writer);
    }
    return status;
}
