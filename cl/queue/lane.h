/* The commands of a queue that a trace wants the times of. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_LANE_H
#define OCL_LANE_H

#include "cl/profile.h"
#include "cl/queue/command.h"

struct ocl_lane;

/* What the calling thread's next commands are part of, from begin to end. Within a copy or fill, kernels are part of that.
 * Costs nothing where nothing is recorded. */
struct ocl_lane_scope {
    const struct ocl_profile_work *outer;
    struct ocl_profile_work work;
};
void ocl_lane_begin_kernel(struct ocl_lane_scope *scope, uint32_t name, const size_t grid[3],
                           const size_t block[3], size_t shared);
void ocl_lane_begin_copy(struct ocl_lane_scope *scope, enum ocl_spool_end source,
                         enum ocl_spool_end target, size_t bytes);
void ocl_lane_begin_fill(struct ocl_lane_scope *scope, size_t bytes);
/* What clem does for itself, which is in no trace. */
void ocl_lane_begin_own(struct ocl_lane_scope *scope);
void ocl_lane_end(const struct ocl_lane_scope *scope);

/* Work of the queue that the host did itself since start, which is of ocl_profile_clock(). */
void ocl_lane_note_host(const struct ocl_queue *queue, uint64_t start);

/* Whether the queue's first command that is to be timed comes next: markers before it compare the clocks. Each is told of with
 * its event, which becomes the lane's, and the time before it was enqueued. */
bool ocl_lane_is_new(struct ocl_queue *queue);
void ocl_lane_probe(struct ocl_queue *queue, cl_event event, uint64_t before);

/* A command is about to be enqueued: where its event is to go, which is event, or a place of the lane's own. */
cl_event *ocl_lane_watch(struct ocl_command *command, cl_event *event, unsigned small,
                         size_t bytes);
/* And was: error is the driver's answer. */
void ocl_lane_note(struct ocl_command *command, cl_int error);

/* Records what is complete of all queues. */
void ocl_lanes_collect(void);

/* The process ends: all that is complete is recorded. */
void ocl_lanes_end(void);

/* The queue goes: its work is complete. Safe on NULL. */
void ocl_lane_close(struct ocl_lane *lane);

#endif
