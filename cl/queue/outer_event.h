/* Events that are not this process's alone: what stands in place of an event's own point. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_OUTER_EVENT_H
#define OCL_OUTER_EVENT_H

#include <stdatomic.h>

#include "cl/event.h"

struct ocl_outer_event;

/* What the functions of event.h come to, with their errors. */
struct ocl_outer_ways {
    ocl_status (*record)(struct ocl_outer_event *outer, struct ocl_queue *queue);
    ocl_status (*query)(struct ocl_outer_event *outer);
    ocl_status (*wait)(struct ocl_outer_event *outer);
    ocl_status (*wait_in_queue)(struct ocl_outer_event *outer, struct ocl_queue *queue);
    void (*destroy)(struct ocl_outer_event *outer);
};

/* The first member of what share/ knows of an event. */
struct ocl_outer_event {
    const struct ocl_outer_ways *ways;
    _Atomic unsigned references;
};

/* Makes an event of it, which takes over a reference. Errors: OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_event_create_outer(struct ocl_context *context, struct ocl_outer_event *outer,
                                  struct ocl_event **event);

/* What the event is made of, with a reference for the caller to release; NULL: a point of its own. */
struct ocl_outer_event *ocl_event_hold_outer(struct ocl_event *event);
void ocl_outer_event_release(struct ocl_outer_event *outer);

#endif
