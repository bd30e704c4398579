/* Events: points in a queue that can be waited for, asked about and timed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_EVENT_H
#define OCL_EVENT_H

#include <stdbool.h>

#include "cl/queue.h"
#include "cl/status.h"

/* Makes an event that was never recorded (and therefore counts as complete). has_timing: record
 * device time. */
ocl_status ocl_event_create(struct ocl_context *context, bool has_timing, struct ocl_event **event);

/* Returns at once, also when the recorded work is not complete; waiters keep what they need. */
void ocl_event_destroy(struct ocl_event *event);

/* Records the point after all work submitted to queue so far; forgets the point recorded before.
 * Errors: OCL_E_INVALID_VALUE when event and queue belong to different contexts. */
ocl_status ocl_event_record(struct ocl_event *event, struct ocl_queue *queue);

/* OCL_OK when complete (or never recorded), OCL_E_NOT_READY, or the failure. */
ocl_status ocl_event_query(struct ocl_event *event);
ocl_status ocl_event_wait(struct ocl_event *event);

/* The same for a whole context: records the point after all work submitted to all its queues so far;
 * makes all work submitted from now on wait, in queues that are made later too. */
ocl_status ocl_event_record_all(struct ocl_event *event);
ocl_status ocl_event_wait_in_all(struct ocl_event *event, struct ocl_context *context);
/* Makes one queue, of any context, wait for all work submitted to all queues of a context so far. */
ocl_status ocl_event_follow_all(struct ocl_queue *queue, struct ocl_context *context);
/* The same for what one other queue, of any context, has got so far. */
ocl_status ocl_event_follow(struct ocl_queue *queue, struct ocl_queue *other);

bool ocl_event_is_recorded(struct ocl_event *event);
struct ocl_context *ocl_event_context(const struct ocl_event *event);

/* Device time from start to end in nanoseconds. Errors: OCL_E_TIMING_DISABLED; OCL_E_INVALID_VALUE
 * when one was never recorded or they belong to different contexts; OCL_E_NOT_READY when one is not
 * complete. */
ocl_status ocl_event_elapsed(struct ocl_event *start, struct ocl_event *end, double *nanoseconds);

/* Makes work submitted to queue from now on wait for the point event holds now (none: no effect).
 * Queue and event may belong to different contexts: then the worker carries the news across. Never
 * blocks the caller. */
ocl_status ocl_event_wait_in_queue(struct ocl_event *event, struct ocl_queue *queue);

#endif
