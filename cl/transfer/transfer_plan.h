/* The arithmetic of copies and fills: shapes, portions, grids and thresholds. No OpenCL here. Private to cl/transfer/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRANSFER_PLAN_H
#define OCL_TRANSFER_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/device.h"
#include "cl/transfer.h"

/* Where one way of moving bytes begins to beat another on a class of devices. All in bytes. */
struct ocl_transfer_limits {
    /* An idle device whose memory is the host's: up to here the host copies, though nobody waits;
     * up to here when the caller waits anyway; up to here fills. */
    size_t direct_at_once, direct_waiting, direct_fill;
    /* Up to here copies behind short launches come within their command (cl/queue/chain.h). */
    size_t chained;
    /* Pageable memory to the device, and the caller waits: up to here a command and then a wait; beyond what a small
     * chunk holds and up to here a call of the driver's that waits. */
    size_t driver_write, driver_write_waits;
    /* From here up a kernel: linear copies inside a device; between pinned and device memory. */
    size_t kernel_copy_from, kernel_pinned_from;
    /* From here up stores past the caches: kernels; copies by host threads. */
    size_t streaming_from, host_streaming_from;
    /* Rows at least this long, for streaming stores: copies; fills. */
    size_t copy_rows_from, fill_rows_from;
    /* Rectangles between host and device: a command for rows at least this long, or for few rows, no more than this; a
     * kernel for others. */
    size_t rect_command_row, rect_command_rows;
    /* Runs of device memory: up to here filled by a write from host memory, beyond by a kernel. */
    size_t write_fill;
    /* Staging: one large chunk; a transfer is cut into portions no smaller than smallest_portion. */
    size_t chunk, smallest_portion;
    /* Host threads that share a large copy, the caller's included. */
    unsigned copy_threads;
};

/* Constant. */
const struct ocl_transfer_limits *ocl_plan_limits(enum ocl_device_class device_class);

/* One or two sides and the volume they share: rewritten with the fewest dimensions that name the
 * same bytes. */
void ocl_plan_collapse(struct ocl_copy *copy);

/* Whether the volume is one run of bytes on this side. */
bool ocl_plan_is_linear(const struct ocl_copy *copy);

/* Bytes that are copied. Needs: they fit size_t, as all that exists does. */
size_t ocl_plan_bytes(const struct ocl_copy *copy);

/* The largest power of two up to 16 that divides both addresses and all strides in use. */
unsigned ocl_plan_element(const struct ocl_copy *copy);

/* Where the walk over a volume stands; starts as zeros. */
struct ocl_cursor {
    size_t x, y, z;
};

/* The next portion of at most limit bytes: part of a row, rows of a slice, or whole slices. False at
 * the end. */
bool ocl_plan_next(const struct ocl_copy *copy, size_t limit, struct ocl_cursor *cursor,
                   struct ocl_copy *portion);

/* How much of a transfer of bytes one portion holds, so that filling and sending overlap. */
size_t ocl_plan_portion_bytes(const struct ocl_transfer_limits *limits, size_t bytes);

enum { OCL_GROUP_ITEMS = 256 };

/* Bytes that one launch of a rectangle kernel for GPUs covers at most: group numbers have 31 bits.
 */
#define OCL_GRID_BYTES ((size_t)1 << 38)

/* The rectangle kernel for GPUs that suits rows of width bytes and an alignment: the element's
 * size, or 0 for the kernel that puts aligned words together. */
unsigned ocl_plan_grid_element(size_t width, unsigned alignment);

/* Its items: rows times elements, or times words at any alignment. */
size_t ocl_plan_grid_items(size_t width, size_t rows, unsigned element);

/* Rows, or bytes of a row, that one item of the kernels for CPUs takes. */
enum { OCL_CHUNK_BYTES = 64 * 1024 };
size_t ocl_plan_rows_per_item(size_t width);

/* Which width the kernel for narrow rows has for rows of `width` bytes, or 0: they are long enough
 * for the other. */
unsigned ocl_plan_narrow(size_t width);

#endif
