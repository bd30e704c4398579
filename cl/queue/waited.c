/* What follows when the host has waited for work.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/queue/waited.h"

#include "cl/context.h"
#include "cl/queue/lane.h"
#include "cl/state/state.h"
#include "cl/thread.h"

/* A wait that is part of moving managed memory is within a move, for which commands of what follows would wait; the host's
 * next wait makes up for it. */
ocl_status ocl_waited(struct ocl_context *context, enum ocl_waited_for what, ocl_status status)
{
    if (!ocl_thread()->in_wait) {
        const struct ocl_following *following = context->following;
        if (what != OCL_WAITED_IN_TURN)
            following->keep_failures(context);
        if (what == OCL_WAITED_FOR_WORK)
            following->trim_pools(context);
        if (what != OCL_WAITED_IN_TURN)
            following->let_touch(context);
        if (what == OCL_WAITED_FOR_WORK || what == OCL_WAITED_BY_ASKING)
            following->bring_back(context);
        following->print(context);
        ocl_lanes_collect();
    }
    return status == OCL_OK ? ocl_context_failure(context) : status;
}
