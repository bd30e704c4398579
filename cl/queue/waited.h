/* What follows when the host has waited for work, asked for it, or copied.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_WAITED_H
#define OCL_WAITED_H

#include "cl/status.h"

struct ocl_context;

/* What each part of cl/ does then, in this order. Nearly free where it has nothing to do. */
struct ocl_following {
    void (*keep_failures)(struct ocl_context *context); /* of copies through staging memory */
    void (*trim_pools)(struct ocl_context *context);    /* give back what is more than they keep */
    void (*let_touch)(struct ocl_context *context);     /* managed memory */
    void (*bring_back)(struct ocl_context *context);    /* likewise */
    void (*print)(struct ocl_context *context); /* what kernels printed, and keep how they failed */
};

enum ocl_waited_for {
    OCL_WAITED_FOR_WORK,  /* it has waited for work of queues or for an event */
    OCL_WAITED_BY_ASKING, /* it has asked, and what it asked for is complete */
    OCL_WAITED_FOR_COPY,  /* a copy that it waited for is complete */
    OCL_WAITED_IN_TURN /* the work before a function of the program's is over; the function runs next */
};

/* For whoever waits, asks or copies: does all that follows. Returns status, or the failure of the context that is known by
 * then. Locks: none may be held, but for OCL_WAITED_FOR_COPY. */
ocl_status ocl_waited(struct ocl_context *context, enum ocl_waited_for what, ocl_status status);

#endif
