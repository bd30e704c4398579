/* Copies and fills by the kernels of kernels/.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer/transfer_kernel.h"

#include "cl/base/deadline.h"
#include "cl/program/builtin.h"
#include "cl/queue/lane.h"
#include "cl/queue/queue_private.h"
#include "cl/trace.h"
#include "cl/transfer/staging.h"
#include "cl/transfer/transfer_plan.h"

enum { MAX_ARGUMENTS = 12 };

/* One launch in the making: which kernel, and the addresses of its arguments in order. */
struct call {
    const char *file;
    const char *name;
    const void *arguments[MAX_ARGUMENTS];
    unsigned count;
    size_t groups, items;
};

/* Names by element size: [0] one byte .. [4] sixteen bytes. */
#define BY_ELEMENT(name)                                                                           \
    {                                                                                              \
        name "_1", name "_2", name "_4", name "_8", name "_16"                                     \
    }

/* The kernels of a copy, and those of a fill. */
struct names {
    const char *linear_file, *items, *chunks, *chunks_streaming;
    const char *rect_file, *rows, *rows_streaming, *narrow[5], *rect_items[5], *rect_words;
};

static const struct names copy_names = {
    .linear_file = "copy",
    .items = "copy_items",
    .chunks = "copy_chunks",
    .chunks_streaming = "copy_chunks_streaming",
    .rect_file = "copy_rect",
    .rows = "copy_rect_rows",
    .rows_streaming = "copy_rect_rows_streaming",
    .narrow = BY_ELEMENT("copy_rect_narrow"),
    .rect_items = BY_ELEMENT("copy_rect_items"),
    .rect_words = "copy_rect_words",
};

static const struct names fill_names = {
    .linear_file = "fill",
    .items = "fill_items",
    .chunks = "fill_chunks",
    .chunks_streaming = "fill_chunks_streaming",
    .rect_file = "fill_rect",
    .rows = "fill_rect_rows",
    .rows_streaming = "fill_rect_rows_streaming",
    .narrow = BY_ELEMENT("fill_rect_narrow"),
    .rect_items = BY_ELEMENT("fill_rect_items"),
    .rect_words = "fill_rect_words",
};

static const struct names *names_for(const uint32_t *pattern)
{
    return pattern ? &fill_names : &copy_names;
}

/* Needs: element is a power of two up to 16. */
static unsigned element_index(unsigned element)
{
    return (unsigned)__builtin_ctz(element);
}

static void add(struct call *call, const void *argument)
{
    call->arguments[call->count++] = argument;
}

/* Work-groups of one item, which CPUs get, lie along the last dimension. PoCL up to 5 compiles a kernel anew for each grid
 * that is wider than those before, in which it does not count the groups of that dimension; and where an old one runs
 * several times while a new one comes, it releases the wrong one and ends the process
 * (pocl_release_dlhandle_cache: found->ref_count > 0). */
static ocl_status launch(struct ocl_queue *queue, const struct call *call)
{
    const bool is_last = call->items == 1;
    struct ocl_kernel *kernel;
    const ocl_status status = ocl_builtin_kernel(queue->context, call->file, call->name, &kernel);
    const struct ocl_launch launch = {
        .groups = {is_last ? 1 : call->groups, 1, is_last ? call->groups : 1},
        .items = {call->items, 1, 1},
        .arguments = (void *const *)call->arguments,
    };

    return status == OCL_OK ? ocl_kernel_launch(kernel, queue, &launch) : status;
}

static bool is_cpu(const struct ocl_queue *queue)
{
    return queue->context->device->facts.device_class == OCL_CLASS_CPU;
}

static const struct ocl_transfer_limits *limits_of(const struct ocl_queue *queue)
{
    return ocl_plan_limits(queue->context->device->facts.device_class);
}

static size_t divide_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

/* ---- Runs of bytes ---- */

/* A fill when there is a pattern, a copy otherwise. */
static ocl_status launch_linear(struct ocl_queue *queue, const struct ocl_copy *copy,
                                const uint32_t *pattern)
{
    const uint64_t bytes = copy->width;
    const uint64_t chunk = OCL_CHUNK_BYTES;
    const bool is_streaming = bytes >= limits_of(queue)->streaming_from;
    const struct names *names = names_for(pattern);
    struct call call = {.file = names->linear_file};

    add(&call, &copy->target.address);
    if (!pattern)
        add(&call, &copy->source.address);
    add(&call, &bytes);
    if (pattern)
        add(&call, pattern);
    if (is_cpu(queue)) {
        call.name = is_streaming ? names->chunks_streaming : names->chunks;
        add(&call, &chunk);
        call.groups = divide_up(bytes, chunk);
        call.items = 1;
    } else {
        call.name = names->items;
        call.groups = divide_up(divide_up(bytes, 16), OCL_GROUP_ITEMS);
        call.items = OCL_GROUP_ITEMS;
    }
    return launch(queue, &call);
}

/* ---- Rectangles ---- */

static void add_end(struct call *call, const struct ocl_copy_end *end)
{
    add(call, &end->address);
    add(call, &end->pitch);
    add(call, &end->slice_bytes);
}

static void add_ends(struct call *call, const struct ocl_copy *copy, bool is_fill)
{
    add_end(call, &copy->target);
    if (!is_fill)
        add_end(call, &copy->source);
    add(call, &copy->width);
}

/* Long rows by the general kernel, short ones element by element. */
static ocl_status launch_rows(struct ocl_queue *queue, const struct ocl_copy *copy,
                              const uint32_t *pattern)
{
    const struct ocl_transfer_limits *limits = limits_of(queue);
    const uint64_t rows = copy->height * copy->depth;
    const uint64_t take = ocl_plan_rows_per_item(copy->width);
    const unsigned narrow = ocl_plan_narrow(copy->width);
    const bool is_streaming =
        ocl_plan_bytes(copy) >= limits->streaming_from &&
        copy->width >= (pattern ? limits->fill_rows_from : limits->copy_rows_from);
    const struct names *names = names_for(pattern);
    struct call call = {.file = names->rect_file};

    if (narrow && !is_streaming)
        call.name = names->narrow[element_index(narrow)];
    else
        call.name = is_streaming ? names->rows_streaming : names->rows;
    add_ends(&call, copy, pattern);
    add(&call, &copy->height);
    add(&call, &rows);
    add(&call, &take);
    if (pattern)
        add(&call, pattern);
    call.groups = divide_up(rows, take);
    call.items = 1;
    return launch(queue, &call);
}

static ocl_status launch_grid(struct ocl_queue *queue, const struct ocl_copy *copy,
                              const uint32_t *pattern)
{
    const struct names *names = names_for(pattern);
    const unsigned element = ocl_plan_grid_element(copy->width, ocl_plan_element(copy));
    const uint64_t rows = copy->height * copy->depth;
    struct call call = {.file = names->rect_file};

    call.name = element ? names->rect_items[element_index(element)] : names->rect_words;
    add_ends(&call, copy, pattern);
    add(&call, &copy->height);
    add(&call, &rows);
    if (pattern)
        add(&call, pattern);
    call.groups = divide_up(ocl_plan_grid_items(copy->width, rows, element), OCL_GROUP_ITEMS);
    call.items = OCL_GROUP_ITEMS;
    return launch(queue, &call);
}

/* A pattern begins anew in each portion, which is right because the limit is a multiple of four. */
static ocl_status launch_grids(struct ocl_queue *queue, const struct ocl_copy *copy,
                               const uint32_t *pattern)
{
    struct ocl_cursor cursor = {0};
    struct ocl_copy portion;
    ocl_status status = OCL_OK;

    while (status == OCL_OK && ocl_plan_next(copy, OCL_GRID_BYTES, &cursor, &portion))
        status = launch_grid(queue, &portion, pattern);
    return status;
}

static ocl_status launch_any(struct ocl_queue *queue, const struct ocl_copy *copy,
                             const uint32_t *pattern)
{
    if (ocl_plan_is_linear(copy))
        return launch_linear(queue, copy, pattern);
    if (is_cpu(queue))
        return launch_rows(queue, copy, pattern);
    return launch_grids(queue, copy, pattern);
}

ocl_status ocl_transfer_kernel_copy(struct ocl_queue *queue, const struct ocl_copy *copy)
{
    return launch_any(queue, copy, NULL);
}

ocl_status ocl_transfer_kernel_fill(struct ocl_queue *queue, const struct ocl_copy *shape,
                                    uint32_t pattern)
{
    return launch_any(queue, shape, &pattern);
}

/* ---- Before they are needed ---- */

/* One shape for each kernel, within twice PREPARED bytes from address on. Drivers load code when it is first launched. */
enum { PREPARED = 1024 };

static ocl_status launch_each(struct ocl_queue *queue, uint64_t address)
{
    const struct ocl_copy shapes[] = {
        {.width = 256, .height = 1, .source.pitch = 256}, /* a run */
        {.width = 1, .height = 2, .source.pitch = 3},     /* rows of elements of each size */
        {.width = 2, .height = 2, .source.pitch = 6},
        {.width = 4, .height = 2, .source.pitch = 12},
        {.width = 8, .height = 2, .source.pitch = 24},
        {.width = 16, .height = 2, .source.pitch = 48},
        {.width = 64, .height = 2, .source.pitch = 65}, /* rows at any alignment */
    };
    ocl_status status = OCL_OK;

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && status == OCL_OK; i++) {
        struct ocl_copy copy = shapes[i];
        copy.depth = 1;
        copy.source.slice_bytes = copy.source.pitch * copy.height;
        copy.target = copy.source;
        copy.source.address = address;
        copy.target.address = address + PREPARED;
        status = ocl_transfer_kernel_copy(queue, &copy);
        if (status == OCL_OK)
            status = ocl_transfer_kernel_fill(queue, &copy, 0);
    }
    return status;
}

/* In the device's twin of a chunk that nobody uses meanwhile. */
static ocl_status prepare(struct ocl_context *context, struct ocl_queue *queue)
{
    struct ocl_chunk *chunk;
    ocl_status status =
        ocl_staging_take(context->staging, queue, (size_t)2 * PREPARED, false, &chunk);

    if (status != OCL_OK || !chunk)
        return status;
    status = ocl_staging_twin(context->staging, chunk);
    if (status == OCL_OK) {
        struct ocl_lane_scope scope;
        ocl_lane_begin_own(&scope);
        status = launch_each(queue, chunk->twin);
        ocl_lane_end(&scope);
    }
    ocl_queue_wait_out(queue);
    ocl_staging_give(context->staging, chunk, NULL);
    return status;
}

void ocl_transfer_prepare(struct ocl_context *context)
{
    struct ocl_queue *queue;
    const uint64_t begin = ocl_now();

    if (context->device->facts.device_class == OCL_CLASS_CPU ||
        atomic_exchange(&context->has_copies, true) ||
        ocl_queue_create(context, OCL_QUEUE_APART, 0, &queue) != OCL_OK)
        return;
    const ocl_status status = prepare(context, queue);
    ocl_queue_destroy(queue);
    ocl_trace("%s: kernels for copies and fills: %s, %llu us", context->device->facts.name,
              ocl_status_name(status), (unsigned long long)(ocl_now() - begin) / 1000);
}
