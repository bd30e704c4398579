/* The door to the driver: commands of queues begin, are enqueued and end here, and nowhere else. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_COMMAND_H
#define OCL_COMMAND_H

#include "cl/profile.h"
#include "cl/state/state.h"

enum ocl_command_kind {
    OCL_COMMAND_MEMORY, /* touches memory: waits for moves of managed memory, and for what the queue must wait for */
    OCL_COMMAND_CHAINED, /* as OCL_COMMAND_MEMORY, for chain.h: the only one that does not close the queue's chain */
    OCL_COMMAND_APART, /* no managed memory, and so waits for no move: the caller may hold image.lock */
    OCL_COMMAND_ORDER, /* is what others wait by: itself waits for nothing but what it is given */
    OCL_COMMAND_ALONE, /* as OCL_COMMAND_MEMORY, between ocl_alone_begin() and ocl_alone_end() */
    OCL_COMMAND_OWN /* of a driver's queue that is no ocl_queue: its order is the caller's affair */
};

/* A program that defines this function is told of every queue that is made for commands (change is 0), and when a thread
 * begins (1) and ends (-1) a command of one: tests do, which stand between this library and OpenCL. */
__attribute__((weak, visibility("default"))) void clem_watch_command(const void *queue, int change);

static inline void ocl_command_watch(cl_command_queue queue, int change)
{
    if (clem_watch_command)
        clem_watch_command(queue, change);
}

/* lane.c: the command that is being enqueued, where somebody watches. */
struct ocl_watched {
    bool is_watched;
    cl_event own, *event;
    uint64_t before;
    struct ocl_profile_work work;
};

/* Commands that belong together, from their begin to their end: on the stack of who enqueues them. */
struct ocl_command {
    struct ocl_queue *queue; /* NULL: OCL_COMMAND_OWN */
    cl_command_queue cl;
    enum ocl_command_kind kind;
    unsigned count; /* of what the driver took, that which is work: all but markers and stamps */
    struct ocl_watched watched;
};

/* Begins: waits, and makes the device wait, as the kind says. Returns the sticky failure, or the driver's refusal. When it
 * returned OCL_OK, ocl_command_end() must follow on every path. begin_own: for OCL_COMMAND_OWN, which nothing refuses.
 * Needs: within a command of OCL_COMMAND_MEMORY the thread begins others of OCL_COMMAND_ORDER alone. */
ocl_status ocl_command_begin(struct ocl_command *command, struct ocl_queue *queue,
                             enum ocl_command_kind kind);
void ocl_command_begin_own(struct ocl_command *command, cl_command_queue queue);

/* Counts what the driver took and tells it to start that. Of OCL_COMMAND_ORDER nothing is started: who waits for it does so. */
void ocl_command_end(struct ocl_command *command);

/* Each gives the driver one command, without waiting unless is_blocking, and returns what it said. event may be NULL; otherwise
 * the caller releases *event. */
cl_int ocl_enqueue_range(struct ocl_command *command, cl_kernel kernel, cl_uint dimensions,
                         const size_t *offset, const size_t *global, const size_t *local,
                         cl_event *event);
cl_int ocl_enqueue_write(struct ocl_command *command, cl_mem target, bool is_blocking,
                         size_t offset, size_t bytes, const void *source, cl_event *event);
cl_int ocl_enqueue_read(struct ocl_command *command, cl_mem source, size_t offset, size_t bytes,
                        void *target, cl_event *event);
cl_int ocl_enqueue_copy(struct ocl_command *command, cl_mem source, cl_mem target,
                        size_t source_offset, size_t target_offset, size_t bytes, cl_event *event);
/* Between two pointers, by the extension for USM or as SVM. */
cl_int ocl_enqueue_pointer_copy(struct ocl_command *command, void *target, const void *source,
                                size_t bytes, cl_event *event);

/* One side of a rectangle command. slice_bytes may be 0: the driver computes it. */
struct ocl_rows {
    size_t origin[3];
    size_t pitch, slice_bytes;
};
cl_int ocl_enqueue_write_rows(struct ocl_command *command, cl_mem target,
                              const struct ocl_rows *device, const void *source,
                              const struct ocl_rows *host, const size_t extent[3]);
cl_int ocl_enqueue_read_rows(struct ocl_command *command, cl_mem source,
                             const struct ocl_rows *device, void *target,
                             const struct ocl_rows *host, const size_t extent[3]);
cl_int ocl_enqueue_copy_rows(struct ocl_command *command, cl_mem source,
                             const struct ocl_rows *from, cl_mem target, const struct ocl_rows *to,
                             const size_t extent[3], cl_event *event);

/* Between a whole image and rows without gaps from offset on. */
cl_int ocl_enqueue_load_image(struct ocl_command *command, cl_mem image, const size_t region[3],
                              cl_mem buffer, size_t offset, cl_event *event);
cl_int ocl_enqueue_store_image(struct ocl_command *command, cl_mem image, const size_t region[3],
                               cl_mem buffer, size_t offset, cl_event *event);

/* Behind all that the queue has got, and before all that it will get. The first three do not count: a marker, whose times may
 * be of use; a write of OCL_STAMP_BYTES to buffer where they are not; and what is over as soon as all before it is. */
enum { OCL_STAMP_BYTES = 4 };
cl_int ocl_enqueue_marker(struct ocl_command *command, cl_event *event);
cl_int ocl_enqueue_stamp(struct ocl_command *command, cl_mem buffer, cl_event *event);
cl_int ocl_enqueue_mark(struct ocl_command *command, cl_event *event);
cl_int ocl_enqueue_barrier(struct ocl_command *command, cl_uint count, const cl_event *events);

/* The managed mover's. */
cl_int ocl_enqueue_map(struct ocl_command *command, cl_map_flags flags, void *memory, size_t bytes,
                       cl_event *event);
cl_int ocl_enqueue_unmap(struct ocl_command *command, void *memory, cl_event *event);
cl_int ocl_enqueue_zeros(struct ocl_command *command, void *memory, size_t bytes);

#endif
