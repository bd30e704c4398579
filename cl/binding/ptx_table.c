/* The table of textures and surfaces: a row for each object, written when a launch needs it and
 * objects came since the last time. Rows of objects that are gone stay until another object has their
 * place: nobody may use those.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/binding/ptx_table.h"

#include <stdlib.h>
#include <string.h>

#include "cl/base/steady.h"
#include "cl/image/texture_private.h"
#include "cl/launch/kernel_call.h"
#include "cl/memory.h"
#include "cl/memory/address.h"
#include "cl/queue/queue_private.h"
#include "cl/transfer.h"

enum { ROWS_LEAST = 16 };

/* Memory that launches still read when a larger or newer table took its place. */
struct retired {
    struct retired *next;
    uint64_t address;
};

struct ocl_table {
    struct ocl_context *context;
    struct ocl_queue *queue; /* of its own: what it copies waits for nobody's work */
    _Atomic uint64_t address;
    pthread_mutex_t lock; /* a leaf: the next two */
    pthread_cond_t changed;
    bool is_writing;           /* a thread has the rest, without the lock */
    uint64_t version;          /* context.texture_version whose objects are all in the table */
    struct clem_texture *rows; /* as they are on the device */
    size_t row_count;
    struct retired *retired;
};

/* ---- What is in the table ---- */

/* Objects as rows. */
struct picture {
    struct ocl_context *context;
    struct clem_texture *rows;
    size_t row_count; /* without rows: how many there have to be */
};

struct clem_texture ocl_table_row(const struct ocl_texture *texture)
{
    const uint64_t address = ocl_address_for_kernel(texture->context, texture->view.address);
    struct clem_texture row = {0};
    if (texture->is_surface) {
        const struct clem_surface *surface = &texture->facts.surface;
        row.slice_bytes = surface->slice_bytes;
        row.pitch = surface->pitch;
        row.width = surface->row_bytes;
        row.height = surface->height;
        row.depth = surface->depth;
    } else {
        row = texture->facts.texture;
    }
    row.offset = address;
    return row;
}

static void count_rows(struct ocl_texture *texture, void *argument)
{
    struct picture *picture = argument;
    if (texture->context == picture->context && texture->slot >= picture->row_count)
        picture->row_count = (size_t)texture->slot + 1;
}

/* Objects made since they were counted come with the next launch. */
static void draw_row(struct ocl_texture *texture, void *argument)
{
    const struct picture *picture = argument;
    if (texture->context == picture->context && texture->slot < picture->row_count)
        picture->rows[texture->slot] = ocl_table_row(texture);
}

/* Rows of objects that are gone are as they were. */
static ocl_status draw(const struct ocl_table *table, struct picture *picture)
{
    size_t count = table->row_count ? table->row_count : ROWS_LEAST;
    *picture = (struct picture){.context = table->context};
    ocl_texture_visit(count_rows, picture);
    while (count < picture->row_count)
        count *= 2;
    picture->row_count = count;
    picture->rows = calloc(count, sizeof *picture->rows);
    if (!picture->rows)
        return OCL_E_OUT_OF_MEMORY;
    if (table->row_count > 0)
        memcpy(picture->rows, table->rows, table->row_count * sizeof *picture->rows);
    ocl_texture_visit(draw_row, picture);
    return OCL_OK;
}

/* ---- Bringing it to the device ---- */

static ocl_status write_rows(const struct ocl_table *table, uint64_t address,
                             const struct clem_texture *rows, size_t count)
{
    const size_t bytes = count * sizeof *rows;
    const struct ocl_copy linear = ocl_copy_linear(address, (uint64_t)(uintptr_t)rows, bytes);
    return bytes > 0 ? ocl_transfer_copy(table->queue, &linear, OCL_WAIT_ALL) : OCL_OK;
}

static void free_retired(struct ocl_table *table)
{
    while (table->retired) {
        struct retired *first = table->retired;
        table->retired = first->next;
        ocl_memory_discard(first->address);
        free(first);
    }
}

/* Whether no launch reads what the table held before: this one is counted already, others have to be
 * enqueued, and then complete. */
static bool is_unread(struct ocl_context *context)
{
    return atomic_load(&context->table_users) == 1 && ocl_queues_are_idle(context);
}

static bool is_row(const struct clem_texture *row)
{
    return row->offset != 0;
}

static bool has_bytes(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

/* Which rows differ: from *first on up to *end. True: one of them had an object before, which a launch
 * may still read. */
static bool find_changes(const struct ocl_table *table, const struct picture *picture,
                         size_t *first, size_t *end)
{
    bool is_used_again = false;
    *first = *end = 0;
    for (size_t i = 0; i < table->row_count; i++) {
        if (has_bytes(&table->rows[i], &picture->rows[i], sizeof picture->rows[i]))
            continue;
        *first = *end ? *first : i;
        *end = i + 1;
        is_used_again |= is_row(&table->rows[i]);
    }
    return is_used_again;
}

/* A fresh table beside the old one. */
static ocl_status replace(struct ocl_table *table, const struct picture *picture)
{
    struct retired *old = calloc(1, sizeof *old);
    uint64_t address = 0;
    ocl_status status =
        old ? ocl_memory_allocate(table->context, picture->row_count * sizeof *picture->rows, 0,
                                  &address)
            : OCL_E_OUT_OF_MEMORY;
    if (status == OCL_OK)
        status = write_rows(table, address, picture->rows, picture->row_count);
    if (status != OCL_OK) {
        ocl_memory_discard(address);
        free(old);
        return status;
    }
    old->address = atomic_exchange(&table->address, address);
    old->next = table->retired;
    table->retired = old;
    return OCL_OK;
}

static ocl_status write_changes(struct ocl_table *table, const struct picture *picture)
{
    size_t first, end;
    const bool is_used_again = find_changes(table, picture, &first, &end);
    if (picture->row_count > table->row_count || (is_used_again && !is_unread(table->context)))
        return replace(table, picture);
    return write_rows(table, atomic_load(&table->address) + first * sizeof *picture->rows,
                      picture->rows + first, end - first);
}

static ocl_status write_table(struct ocl_table *table)
{
    struct picture picture;
    ocl_status status = draw(table, &picture);
    if (status == OCL_OK)
        status = write_changes(table, &picture);
    if (status == OCL_OK) {
        struct clem_texture *before = table->rows;
        table->rows = picture.rows;
        table->row_count = picture.row_count;
        picture.rows = before;
    }
    free(picture.rows);
    if (table->retired && is_unread(table->context))
        free_retired(table);
    return status;
}

/* One thread writes, the others wait for it, nobody holds the lock meanwhile. */
static ocl_status update(struct ocl_table *table)
{
    pthread_mutex_lock(&table->lock);
    while (table->is_writing)
        ocl_steady_wait(&table->changed, &table->lock);
    const uint64_t now = atomic_load(&table->context->texture_version);
    const bool is_mine = table->version != now;
    table->is_writing = is_mine;
    pthread_mutex_unlock(&table->lock);
    if (!is_mine)
        return OCL_OK;
    const ocl_status status = write_table(table);
    pthread_mutex_lock(&table->lock);
    table->is_writing = false;
    if (status == OCL_OK)
        table->version = now;
    pthread_cond_broadcast(&table->changed);
    pthread_mutex_unlock(&table->lock);
    return status;
}

/* ---- From begin to end ---- */

static void destroy(struct ocl_table *table)
{
    free_retired(table);
    ocl_memory_discard(atomic_load(&table->address));
    if (table->queue)
        ocl_queue_destroy(table->queue);
    pthread_mutex_destroy(&table->lock);
    pthread_cond_destroy(&table->changed);
    free(table->rows);
    free(table);
}

/* Whoever is first makes it; others that come meanwhile make one too, and take theirs apart. */
static ocl_status find(struct ocl_context *context, struct ocl_table **table)
{
    *table = atomic_load_explicit(&context->table, memory_order_acquire);
    if (*table)
        return OCL_OK;
    struct ocl_table *made = calloc(1, sizeof *made);
    if (!made)
        return OCL_E_OUT_OF_MEMORY;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    made->context = context;
    made->version = UINT64_MAX;
    const ocl_status status = ocl_queue_create(context, OCL_QUEUE_APART, 0, &made->queue);
    if (status == OCL_OK && atomic_compare_exchange_strong(&context->table, table, made)) {
        *table = made;
        return OCL_OK;
    }
    destroy(made);
    return status;
}

ocl_status ocl_table_begin(struct ocl_context *context)
{
    struct ocl_table *table;
    atomic_fetch_add(&context->table_users, 1);
    const ocl_status status = find(context, &table);
    return status == OCL_OK ? update(table) : status;
}

void ocl_table_end(struct ocl_context *context)
{
    atomic_fetch_sub(&context->table_users, 1);
}

uint64_t ocl_table_address(const struct ocl_context *context)
{
    return atomic_load(&atomic_load(&context->table)->address);
}

struct written {
    struct ocl_queue *queue;
    ocl_status status;
};

static void note_written(struct ocl_texture *texture, void *argument)
{
    struct written *written = argument;
    if (texture->context != written->queue->context || !texture->is_surface)
        return;
    const ocl_status status = ocl_array_written(texture->view.array, written->queue);
    if (written->status == OCL_OK)
        written->status = status;
}

ocl_status ocl_table_written(struct ocl_queue *queue)
{
    struct written written = {queue, OCL_OK};
    ocl_texture_visit(note_written, &written);
    return written.status;
}

void ocl_table_destroy(struct ocl_context *context)
{
    struct ocl_table *table = atomic_exchange(&context->table, NULL);
    if (table)
        destroy(table);
}
