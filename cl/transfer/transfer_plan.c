/* The arithmetic of copies and fills: shapes, portions, grids and thresholds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer/transfer_plan.h"

#include <assert.h>

#define KIB   ((size_t)1024)
#define MIB   (1024 * KIB)
#define NEVER SIZE_MAX

/* CPU: medians of interleaved runs on PoCL 3.1 with two cores. A memcpy of 16 KiB took 0.7 us where
 * enqueueing costs 3 us and waiting 10; at 1 MiB memcpy and the kernel met (50 and 47 us). memset
 * and the fill kernel met near 128 KiB. Streaming stores lost below 4 MiB in kernels, where the
 * target still fits the caches, and won a factor of 1.2 to 1.6 above; those of host threads are 16
 * bytes wide and win from 48 MiB (2.4 against 1.9 times memcpy at 64 MiB). Commands use one core:
 * the kernel is 1.9 times as fast from the size on where it is ahead of the launch. */
static const struct ocl_transfer_limits cpu_limits = {
    .direct_at_once = 16 * KIB,
    .direct_waiting = 1 * MIB,
    .chained = 1 * MIB,
    .direct_fill = 128 * KIB,
    .driver_write = 0,
    .driver_write_waits = 0,
    .kernel_copy_from = 512 * KIB,
    .kernel_pinned_from = 512 * KIB,
    .streaming_from = 4 * MIB,
    .host_streaming_from = 48 * MIB,
    .copy_rows_from = 2048,
    .fill_rows_from = 256,
    .rect_command_row = NEVER,
    .rect_command_rows = 0,
    .write_fill = 0,
    .chunk = 1 * MIB,
    .smallest_portion = 256 * KIB,
    .copy_threads = 8,
};

/* GPU: NVIDIA H200. A kernel copied faster than the command at every size: 4 KiB 1.5 times, 1 MiB
 * 1.6 times, 1 GiB 1.02 times, misaligned 1.7 times. Kernels on pinned memory reached 0.93 of the copy
 * engine, which is better for all but short rows. Pageable memory, GB/s by threads with chunks of 4
 * MiB: to the device 9.4 (1), 18.5 (2), 35.9 (4), 47.3 (6), 46.2 (8), 29 (4, streaming stores); to
 * the host, with streaming stores, 15.6 (1), 27.7 (2), 45.4 (4), 40.5 (6), and without 30.2 (4) and
 * 40.2 (6); the driver alone 9.8 and 17.2. For little memory the driver alone is ahead: 4 bytes 5.9
 * us by a command and a wait, 7.7 through a chunk, 8.9 in a call that waits; 64 KiB 12.5 (to the host) through a chunk, 17.7
 * in a call that waits; 1 MiB 80 us in a call that waits, 90 by a command and a wait, 106 through chunks. To enqueue a write
 * from pinned memory took 2.2 to 2.9 us, of 64 rows 3.1, a kernel 5 and a fill by the driver 6.2. */
static const struct ocl_transfer_limits gpu_limits = {
    .direct_at_once = 4 * KIB,
    .direct_waiting = 64 * KIB,
    .chained = 0,
    .direct_fill = 4 * KIB,
    .driver_write = 4 * KIB,
    .driver_write_waits = 1 * MIB,
    .kernel_copy_from = 1,
    .kernel_pinned_from = NEVER,
    .streaming_from = NEVER,
    .host_streaming_from = 4 * MIB,
    .copy_rows_from = NEVER,
    .fill_rows_from = NEVER,
    .rect_command_row = 512,
    .rect_command_rows = 128,
    .write_fill = 64 * KIB,
    .chunk = 4 * MIB,
    .smallest_portion = 512 * KIB,
    .copy_threads = 6,
};

const struct ocl_transfer_limits *ocl_plan_limits(enum ocl_device_class device_class)
{
    return device_class == OCL_CLASS_CPU ? &cpu_limits : &gpu_limits;
}

/* ---- Shapes ---- */

/* Rows that are alone in their slices are the rows of one slice. */
static void slices_to_rows(struct ocl_copy *copy)
{
    if (copy->height != 1 || copy->depth == 1)
        return;
    copy->source.pitch = copy->source.slice_bytes;
    copy->target.pitch = copy->target.slice_bytes;
    copy->height = copy->depth;
    copy->depth = 1;
}

static bool slices_follow(const struct ocl_copy_end *end, size_t height)
{
    size_t bytes;

    return !__builtin_mul_overflow(end->pitch, height, &bytes) && bytes == end->slice_bytes;
}

/* Slices that follow each other at the distance of rows are one slice. */
static void merge_slices(struct ocl_copy *copy)
{
    size_t height;

    if (copy->depth == 1 || !slices_follow(&copy->source, copy->height) ||
        !slices_follow(&copy->target, copy->height) ||
        __builtin_mul_overflow(copy->height, copy->depth, &height))
        return;
    copy->height = height;
    copy->depth = 1;
}

/* Rows without bytes between them are one row. */
static void merge_rows(struct ocl_copy *copy)
{
    size_t width;

    if (copy->height == 1 || copy->source.pitch != copy->width ||
        copy->target.pitch != copy->width ||
        __builtin_mul_overflow(copy->width, copy->height, &width))
        return;
    copy->width = width;
    copy->height = 1;
}

/* Strides that no address uses must not hide what could be merged or how well it is aligned. */
static void drop_unused_strides(struct ocl_copy_end *end, const struct ocl_copy *copy)
{
    if (copy->height == 1)
        end->pitch = copy->width;
    if (copy->depth == 1)
        end->slice_bytes = end->pitch * copy->height;
}

void ocl_plan_collapse(struct ocl_copy *copy)
{
    assert(copy->width > 0 && copy->height > 0 && copy->depth > 0);
    slices_to_rows(copy);
    merge_slices(copy);
    merge_rows(copy);
    slices_to_rows(copy);
    merge_rows(copy);
    drop_unused_strides(&copy->source, copy);
    drop_unused_strides(&copy->target, copy);
}

bool ocl_plan_is_linear(const struct ocl_copy *copy)
{
    return copy->height == 1 && copy->depth == 1;
}

size_t ocl_plan_bytes(const struct ocl_copy *copy)
{
    return copy->width * copy->height * copy->depth;
}

static uint64_t strides_of(const struct ocl_copy_end *end, const struct ocl_copy *copy)
{
    return (copy->height > 1 ? end->pitch : 0) | (copy->depth > 1 ? end->slice_bytes : 0);
}

unsigned ocl_plan_element(const struct ocl_copy *copy)
{
    const uint64_t all = copy->source.address | copy->target.address |
                         strides_of(&copy->source, copy) | strides_of(&copy->target, copy) | 16;

    return (unsigned)(all & -all);
}

/* ---- Portions ---- */

static void move_end(struct ocl_copy_end *end, const struct ocl_cursor *cursor)
{
    end->address += cursor->z * end->slice_bytes + cursor->y * end->pitch + cursor->x;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Sets the extent of the portion that begins at cursor and moves cursor behind it. */
static void take_extent(const struct ocl_copy *copy, size_t limit, struct ocl_cursor *cursor,
                        struct ocl_copy *portion)
{
    portion->height = portion->depth = 1;
    if (copy->width > limit) {
        portion->width = smaller(limit, copy->width - cursor->x);
        cursor->x += portion->width;
        if (cursor->x < copy->width)
            return;
        cursor->x = 0;
        cursor->y++;
    } else if (cursor->y == 0 && copy->height <= limit / copy->width) {
        portion->height = copy->height;
        portion->depth = smaller(copy->depth - cursor->z, limit / copy->width / copy->height);
        cursor->z += portion->depth;
        return;
    } else {
        portion->height = smaller(copy->height - cursor->y, limit / copy->width);
        cursor->y += portion->height;
    }
    if (cursor->y == copy->height) {
        cursor->y = 0;
        cursor->z++;
    }
}

bool ocl_plan_next(const struct ocl_copy *copy, size_t limit, struct ocl_cursor *cursor,
                   struct ocl_copy *portion)
{
    assert(limit > 0);
    if (cursor->z == copy->depth)
        return false;
    *portion = *copy;
    move_end(&portion->source, cursor);
    move_end(&portion->target, cursor);
    take_extent(copy, limit, cursor, portion);
    return true;
}

/* About eight portions, so that the first is under way soon, in steps of 64 KiB. */
size_t ocl_plan_portion_bytes(const struct ocl_transfer_limits *limits, size_t bytes)
{
    const size_t eighth = (bytes / 8 + 64 * KIB - 1) / (64 * KIB) * (64 * KIB);

    if (eighth < limits->smallest_portion)
        return limits->smallest_portion;
    return smaller(eighth, limits->chunk);
}

/* ---- Kernels ---- */

/* Elements of 8 and 16 bytes reach 0.8 to 1.0 of the memory's speed one by one, 4 bytes 0.5, single
 * bytes 0.2; whole words put together from misaligned rows nearly 1.0 (NVIDIA H200). */
unsigned ocl_plan_grid_element(size_t width, unsigned alignment)
{
    return alignment < 8 && width >= 64 ? 0 : alignment;
}

size_t ocl_plan_grid_items(size_t width, size_t rows, unsigned element)
{
    if (element == 0)
        return rows * ((width + 30) / 16);
    return rows * ((width - 1) / element + 1);
}

size_t ocl_plan_rows_per_item(size_t width)
{
    return width < OCL_CHUNK_BYTES ? OCL_CHUNK_BYTES / width : 1;
}

unsigned ocl_plan_narrow(size_t width)
{
    const unsigned element = (unsigned)((width | 16) & -(width | 16));

    if (width < 64 || (element == 16 && width < 1024))
        return element;
    return 0;
}
