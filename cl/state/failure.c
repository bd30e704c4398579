/* The sticky failure of a context.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/state/failure.h"

#include "cl/context.h"
#include "cl/state/state.h"
#include "cl/trace.h"

/* Not in the specification: NVIDIA's code after a kernel's illegal access. That driver answers too that a queue is invalid,
 * which a queue of ours is for no other reason (H200, driver 580). */
enum { NVIDIA_ILLEGAL_ACCESS = -9999 };

bool ocl_tells_failure(ocl_status status)
{
    return status == NVIDIA_ILLEGAL_ACCESS || status == CL_INVALID_COMMAND_QUEUE ||
           status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

ocl_status ocl_context_failure(const struct ocl_context *context)
{
    return atomic_load(&context->failure);
}

/* What a refused call means is not what a failed context means: neither memory nor anything else that may be better the
 * next time is what it lacks. */
static ocl_status sticky(ocl_status status)
{
    switch (status) {
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case OCL_E_OUT_OF_MEMORY:
        return OCL_E_EXECUTION;
    case NVIDIA_ILLEGAL_ACCESS:
    case CL_INVALID_COMMAND_QUEUE:
        return OCL_E_ACCESS;
    default:
        return status;
    }
}

ocl_status ocl_context_fail(struct ocl_context *context, ocl_status status)
{
    ocl_status kept = OCL_OK;
    status = sticky(status);
    if (status == OCL_OK || !atomic_compare_exchange_strong(&context->failure, &kept, status))
        return kept;
    ocl_trace("%s: work failed: %s", context->device->facts.name, ocl_status_name(status));
    pthread_mutex_lock(
        &context->queue_lock); /* who closes the context waits no longer than so long */
    pthread_cond_broadcast(&context->queue_gone);
    pthread_mutex_unlock(&context->queue_lock);
    return status;
}
