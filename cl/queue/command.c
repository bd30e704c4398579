/* The door to the driver: where commands of queues begin, are enqueued and end.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/command.h"

#include "cl/base/steady.h"
#include "cl/device/extension.h"
#include "cl/queue/chain.h"
#include "cl/queue/lane.h"
#include "cl/queue/queue_private.h"
#include "cl/state/paging.h"
#include "cl/state/stillness.h"

/* ---- Begin and end ---- */

static ocl_status wait_for_order(struct ocl_queue *queue, enum ocl_command_kind kind)
{
    const ocl_status status = kind == OCL_COMMAND_ORDER ? OCL_OK : ocl_queue_order(queue);

    return status == OCL_OK ? ocl_queue_open(queue) : status;
}

/* What others wait by writes nothing, and must come through while writes have to wait. */
static bool may_write(enum ocl_command_kind kind)
{
    return kind == OCL_COMMAND_MEMORY || kind == OCL_COMMAND_CHAINED || kind == OCL_COMMAND_APART;
}

static bool may_touch_managed(enum ocl_command_kind kind)
{
    return kind == OCL_COMMAND_MEMORY || kind == OCL_COMMAND_CHAINED || kind == OCL_COMMAND_ALONE;
}

static void close_chain(struct ocl_queue *queue, enum ocl_command_kind kind)
{
    if (kind != OCL_COMMAND_CHAINED)
        ocl_chain_close(queue);
}

static void leave(const struct ocl_queue *queue, enum ocl_command_kind kind)
{
    if (may_touch_managed(kind))
        queue->context->paging->leave();
    if (may_write(kind))
        ocl_write_end(queue->context);
}

static void open_command(struct ocl_command *command, struct ocl_command opened)
{
    *command = opened;
    ocl_command_watch(opened.cl, 1);
}

ocl_status ocl_command_begin(struct ocl_command *command, struct ocl_queue *queue,
                             enum ocl_command_kind kind)
{
    if (may_write(kind))
        ocl_write_begin(queue->context);
    if (may_touch_managed(kind))
        queue->context->paging->enter(queue);
    const ocl_status status = wait_for_order(queue, kind);
    close_chain(queue, kind); /* nothing waits for a thread of the driver that waits for more */
    if (status == OCL_OK)
        open_command(command, (struct ocl_command){
                                  .queue = queue, .cl = atomic_load(&queue->cl), .kind = kind});
    else
        leave(queue, kind);
    return status;
}

void ocl_command_begin_own(struct ocl_command *command, cl_command_queue queue)
{
    open_command(command, (struct ocl_command){.cl = queue, .kind = OCL_COMMAND_OWN});
}

/* A failure of starting is kept in the context, or met by who waits. */
static void end_in_queue(const struct ocl_command *command)
{
    struct ocl_queue *queue = command->queue;

    close_chain(queue, command->kind); /* what comes from now on comes behind this */
    if (command->count > 0) {
        ocl_queue_count(queue, command->count);
        if (command->kind != OCL_COMMAND_ORDER)
            (void)ocl_queue_flush(queue);
    }
    leave(queue, command->kind);
}

void ocl_command_end(struct ocl_command *command)
{
    ocl_command_watch(command->cl, -1);
    if (command->queue)
        end_in_queue(command);
    else if (command->count > 0)
        clFlush(command->cl);
}

/* ---- Enqueuing ---- */

static cl_int taken(struct ocl_command *command, cl_int error)
{
    if (command->watched.is_watched)
        ocl_lane_note(command, error);
    command->count += error == CL_SUCCESS;
    return error;
}

/* The first command may take long to enqueue, and tells little of how the device's clock is to the host's. */
static void compare_clocks(struct ocl_command *command)
{
    enum { PROBES = 3 };
    cl_event event;

    for (int i = 0; i < PROBES; i++) {
        const uint64_t before = ocl_profile_clock();
        if (clEnqueueMarkerWithWaitList(command->cl, 0, NULL, &event) == CL_SUCCESS)
            ocl_lane_probe(command->queue, event, before);
    }
}

static cl_event *watch_command(struct ocl_command *command, cl_event *event, unsigned small,
                               size_t bytes)
{
    if (command->queue && ocl_lane_is_new(command->queue))
        compare_clocks(command);
    return ocl_lane_watch(command, event, small, bytes);
}

/* Where the driver is to put the command's event: a trace wants its times. */
static cl_event *watch(struct ocl_command *command, cl_event *event, unsigned small, size_t bytes)
{
    return __builtin_expect(ocl_profile_is_on(), 0) ? watch_command(command, event, small, bytes)
                                                    : event;
}

enum {
    WRITE = OCL_SPOOL_COPY | OCL_SPOOL_AT_DEVICE << 6,
    READ = OCL_SPOOL_COPY | OCL_SPOOL_AT_DEVICE << 4,
    COPY = OCL_SPOOL_COPY | OCL_SPOOL_AT_DEVICE << 4 | OCL_SPOOL_AT_DEVICE << 6
};

static size_t volume(const size_t extent[3])
{
    return extent[0] * extent[1] * extent[2];
}

cl_int ocl_enqueue_range(struct ocl_command *command, cl_kernel kernel, cl_uint dimensions,
                         const size_t *offset, const size_t *global, const size_t *local,
                         cl_event *event)
{
    return taken(command, ocl_steady_range(command->cl, kernel, dimensions, offset, global, local,
                                           0, NULL, watch(command, event, OCL_SPOOL_OWN, 0)));
}

cl_int ocl_enqueue_write(struct ocl_command *command, cl_mem target, bool is_blocking,
                         size_t offset, size_t bytes, const void *source, cl_event *event)
{
    return taken(command,
                 clEnqueueWriteBuffer(command->cl, target, is_blocking, offset, bytes, source, 0,
                                      NULL, watch(command, event, WRITE, bytes)));
}

cl_int ocl_enqueue_read(struct ocl_command *command, cl_mem source, size_t offset, size_t bytes,
                        void *target, cl_event *event)
{
    return taken(command, clEnqueueReadBuffer(command->cl, source, CL_FALSE, offset, bytes, target,
                                              0, NULL, watch(command, event, READ, bytes)));
}

cl_int ocl_enqueue_copy(struct ocl_command *command, cl_mem source, cl_mem target,
                        size_t source_offset, size_t target_offset, size_t bytes, cl_event *event)
{
    return taken(command,
                 clEnqueueCopyBuffer(command->cl, source, target, source_offset, target_offset,
                                     bytes, 0, NULL, watch(command, event, COPY, bytes)));
}

cl_int ocl_enqueue_pointer_copy(struct ocl_command *command, void *target, const void *source,
                                size_t bytes, cl_event *event)
{
    const struct ocl_context *context = command->queue->context;

    if (context->capability.address == OCL_ADDRESS_USM)
        return taken(command, OCL_STEADY(context->device->extension->enqueue_usm_copy(
                                  command->cl, CL_FALSE, target, source, bytes, 0, NULL,
                                  watch(command, event, OCL_SPOOL_COPY, bytes))));
    return taken(command, clEnqueueSVMMemcpy(command->cl, CL_FALSE, target, source, bytes, 0, NULL,
                                             watch(command, event, OCL_SPOOL_COPY, bytes)));
}

cl_int ocl_enqueue_write_rows(struct ocl_command *command, cl_mem target,
                              const struct ocl_rows *device, const void *source,
                              const struct ocl_rows *host, const size_t extent[3])
{
    return taken(command, clEnqueueWriteBufferRect(
                              command->cl, target, CL_FALSE, device->origin, host->origin, extent,
                              device->pitch, device->slice_bytes, host->pitch, host->slice_bytes,
                              source, 0, NULL, watch(command, NULL, WRITE, volume(extent))));
}

cl_int ocl_enqueue_read_rows(struct ocl_command *command, cl_mem source,
                             const struct ocl_rows *device, void *target,
                             const struct ocl_rows *host, const size_t extent[3])
{
    return taken(command, clEnqueueReadBufferRect(
                              command->cl, source, CL_FALSE, device->origin, host->origin, extent,
                              device->pitch, device->slice_bytes, host->pitch, host->slice_bytes,
                              target, 0, NULL, watch(command, NULL, READ, volume(extent))));
}

cl_int ocl_enqueue_copy_rows(struct ocl_command *command, cl_mem source,
                             const struct ocl_rows *from, cl_mem target, const struct ocl_rows *to,
                             const size_t extent[3], cl_event *event)
{
    return taken(command, clEnqueueCopyBufferRect(
                              command->cl, source, target, from->origin, to->origin, extent,
                              from->pitch, from->slice_bytes, to->pitch, to->slice_bytes, 0, NULL,
                              watch(command, event, COPY, volume(extent))));
}

static const size_t image_origin[3];

cl_int ocl_enqueue_load_image(struct ocl_command *command, cl_mem image, const size_t region[3],
                              cl_mem buffer, size_t offset, cl_event *event)
{
    return taken(command,
                 clEnqueueCopyBufferToImage(command->cl, buffer, image, offset, image_origin,
                                            region, 0, NULL, watch(command, event, COPY, 0)));
}

cl_int ocl_enqueue_store_image(struct ocl_command *command, cl_mem image, const size_t region[3],
                               cl_mem buffer, size_t offset, cl_event *event)
{
    return taken(command,
                 clEnqueueCopyImageToBuffer(command->cl, image, buffer, image_origin, region,
                                            offset, 0, NULL, watch(command, event, COPY, 0)));
}

cl_int ocl_enqueue_marker(struct ocl_command *command, cl_event *event)
{
    return clEnqueueMarkerWithWaitList(command->cl, 0, NULL, event);
}

/* A marker of NVIDIA's driver is not over, flushed and waited for, while a kernel of another queue runs, though all before it
 * is; that kernel may wait for what the host does then. A fill has the same trouble; a barrier's event, those of a write
 * and of a copy do not (H200, driver 580). */
cl_int ocl_enqueue_mark(struct ocl_command *command, cl_event *event)
{
    return command->queue->context->tuning.marks_late
               ? clEnqueueBarrierWithWaitList(command->cl, 0, NULL, event)
               : ocl_enqueue_marker(command, event);
}

/* The driver may read the value at any later time. */
cl_int ocl_enqueue_stamp(struct ocl_command *command, cl_mem buffer, cl_event *event)
{
    static const char zeros[OCL_STAMP_BYTES];

    return clEnqueueWriteBuffer(command->cl, buffer, CL_FALSE, 0, sizeof zeros, zeros, 0, NULL,
                                event);
}

cl_int ocl_enqueue_barrier(struct ocl_command *command, cl_uint count, const cl_event *events)
{
    return taken(command, clEnqueueBarrierWithWaitList(command->cl, count, events, NULL));
}

cl_int ocl_enqueue_map(struct ocl_command *command, cl_map_flags flags, void *memory, size_t bytes,
                       cl_event *event)
{
    return taken(command,
                 clEnqueueSVMMap(command->cl, CL_FALSE, flags, memory, bytes, 0, NULL, event));
}

cl_int ocl_enqueue_unmap(struct ocl_command *command, void *memory, cl_event *event)
{
    return taken(command, clEnqueueSVMUnmap(command->cl, memory, 0, NULL, event));
}

cl_int ocl_enqueue_zeros(struct ocl_command *command, void *memory, size_t bytes)
{
    static const cl_uint zero = 0;

    return taken(command,
                 clEnqueueSVMMemFill(
                     command->cl, memory, &zero, sizeof zero, bytes, 0, NULL,
                     watch(command, NULL, OCL_SPOOL_FILL | OCL_SPOOL_AT_DEVICE << 6, bytes)));
}
