/* What follows when the host has waited for work.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/managed_private.h"
#include "cl/ordered_private.h"
#include "cl/ptx_runtime.h"
#include "cl/staging.h"
#include "cl/thread.h"

/* A wait that is part of moving managed memory has the turn that commands of what follows would wait for; the host's next
 * wait makes up for it. */
ocl_status ocl_waited(struct ocl_context *context, enum ocl_waited_for what, ocl_status status)
{
    if (!ocl_thread()->in_wait) {
        if (what != OCL_WAITED_IN_TURN && context->staging)
            ocl_staging_look(context->staging);
        if (what == OCL_WAITED_FOR_WORK)
            ocl_ordered_settle(context);
        if (what != OCL_WAITED_IN_TURN)
            ocl_migration_let_touch(context);
        if (what == OCL_WAITED_FOR_WORK || what == OCL_WAITED_BY_ASKING)
            ocl_migration_return(context);
        ocl_runtime_after_wait(context);
    }
    return status == OCL_OK ? ocl_context_failure(context) : status;
}
