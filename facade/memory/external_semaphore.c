/* Semaphores that the program has from elsewhere, and nodes of graphs that signal them and wait for them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/external_semaphore.h"

#include <stddef.h>
#include <string.h>

#include "cl/check_made.h"
#include "cl/device.h"
#include "cl/semaphore.h"
#include "facade/graph/capture.h"
#include "facade/state/handles.h"
#include "facade/stream/stream.h"

/* CUexternalSemaphore. */
struct facade_semaphore {
    struct ocl_semaphore *semaphore;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* that none ends while it is found */

_Static_assert(sizeof(struct cudaExternalSemaphoreSignalParams) ==
                       sizeof(struct cudaExternalSemaphoreWaitParams) &&
                   offsetof(struct cudaExternalSemaphoreSignalParams, flags) ==
                       offsetof(struct cudaExternalSemaphoreWaitParams, flags),
               "one form for both");

/* --- importing -------------------------------------------------------------------------------- */

static cudaError_t check_description(const struct cudaExternalSemaphoreHandleDesc *description)
{
    if ((int)description->type < (int)cudaExternalSemaphoreHandleTypeOpaqueFd ||
        (int)description->type > (int)cudaExternalSemaphoreHandleTypeTimelineSemaphoreWin32 ||
        description->flags != 0)
        return cudaErrorInvalidValue;
    return description->type == cudaExternalSemaphoreHandleTypeOpaqueFd ||
                   description->type == cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd
               ? cudaSuccess
               : cudaErrorNotSupported;
}

/* A GPU's own semaphores are no files that the host reads. */
static cudaError_t check_device(void)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = facade_capture_check_call();
    if (error == cudaSuccess && ocl_device_facts(context->device)->device_class != OCL_CLASS_CPU)
        error = cudaErrorNotSupported;
    return error;
}

static cudaError_t open_file(const struct cudaExternalSemaphoreHandleDesc *description,
                             struct ocl_semaphore **made)
{
    const bool is_timeline =
        description->type == cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
    const ocl_status status = ocl_semaphore_open(
        description->handle.fd, is_timeline ? OCL_SEMAPHORE_TIMELINE : OCL_SEMAPHORE_BINARY, made);
    return status == OCL_E_NOT_FOUND ? cudaErrorOperatingSystem
                                     : facade_error_from(status, FACADE_OTHER);
}

cudaError_t facade_semaphore_import(cudaExternalSemaphore_t *semaphore,
                                    const struct cudaExternalSemaphoreHandleDesc *description)
{
    if (semaphore == NULL || description == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = check_device();
    if (error == cudaSuccess)
        error = check_description(description);
    if (error != cudaSuccess)
        return error;
    struct facade_semaphore *made = facade_handle_new(FACADE_SEMAPHORE, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    error = open_file(description, &made->semaphore);
    if (error != cudaSuccess) {
        facade_handle_free(made);
        return error;
    }
    ocl_made_note("external semaphore", made, NULL);
    *semaphore = (cudaExternalSemaphore_t)made;
    return cudaSuccess;
}

cudaError_t facade_semaphore_destroy(cudaExternalSemaphore_t semaphore)
{
    struct ocl_semaphore *ended = NULL;
    cudaError_t error = facade_process_state();
    if (error != cudaSuccess)
        return error;
    pthread_mutex_lock(&lock);
    struct facade_semaphore *found = facade_handle_find(FACADE_SEMAPHORE, semaphore);
    if (found != NULL) {
        ended = found->semaphore;
        facade_handle_free(found);
    }
    pthread_mutex_unlock(&lock);
    if (ended == NULL)
        return cudaErrorInvalidResourceHandle;
    ocl_semaphore_release(ended);
    return cudaSuccess;
}

/* With a reference; number: of the handle that is meant, or NULL. */
static struct ocl_semaphore *hold(cudaExternalSemaphore_t handle, const uint64_t *number)
{
    struct ocl_semaphore *held = NULL;
    pthread_mutex_lock(&lock);
    const struct facade_semaphore *found =
        number != NULL ? facade_handle_find_again(FACADE_SEMAPHORE, handle, *number)
                       : facade_handle_find(FACADE_SEMAPHORE, handle);
    if (found != NULL)
        held = ocl_semaphore_retain(found->semaphore);
    pthread_mutex_unlock(&lock);
    return held;
}

/* --- signals and waits ------------------------------------------------------------------------ */

static cudaError_t check_use(const struct facade_semaphores *use)
{
    if (use->count == 0 || use->handles == NULL || use->params == NULL)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < use->count; i++) {
        if (facade_handle_find(FACADE_SEMAPHORE, use->handles[i]) == NULL)
            return cudaErrorInvalidResourceHandle;
        if (use->params[i].flags != 0)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static cudaError_t give(struct facade_stream *stream, const struct facade_semaphores *use,
                        unsigned index, const uint64_t *number)
{
    struct ocl_semaphore *held = hold(use->handles[index], number);
    const uint64_t value = use->params[index].params.fence.value;
    if (held == NULL)
        return cudaErrorInvalidResourceHandle;
    const ocl_status status = use->are_waits ? ocl_semaphore_wait(stream->queue, held, value)
                                             : ocl_semaphore_signal(stream->queue, held, value);
    ocl_semaphore_release(held);
    return facade_error_from(status, FACADE_OTHER);
}

/* --- works ------------------------------------------------------------------------------------ */

/* All that use points to lies behind the work: parameters, handles, and their numbers. */
struct semaphores_work {
    struct facade_work work;
    struct facade_semaphores use;
    const uint64_t *numbers;
    struct cudaExternalSemaphoreWaitParams params[];
};

static cudaError_t run_semaphores(const struct facade_work *work, struct facade_stream *stream)
{
    const struct semaphores_work *made = (const struct semaphores_work *)work;
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; error == cudaSuccess && i < made->use.count; i++)
        error = give(stream, &made->use, i, &made->numbers[i]);
    return error;
}

/* Their number stays. Source: CUDA Runtime API 13.0, cudaGraphExecExternalSemaphoresSignalNodeSetParams(). */
static enum cudaGraphExecUpdateResult may_become(const struct facade_work *work,
                                                 const struct facade_work *with)
{
    return facade_work_semaphores(work).count == facade_work_semaphores(with).count
               ? cudaGraphExecUpdateSuccess
               : cudaGraphExecUpdateErrorParametersChanged;
}

static const struct facade_work_kind signals_kind = {
    .type = cudaGraphNodeTypeExtSemaphoreSignal, .run = run_semaphores, .may_become = may_become};
static const struct facade_work_kind waits_kind = {
    .type = cudaGraphNodeTypeExtSemaphoreWait, .run = run_semaphores, .may_become = may_become};

static void fill_work(struct semaphores_work *made, const struct facade_semaphores *use)
{
    const size_t count = use->count;
    uint64_t *numbers = (uint64_t *)(made->params + count);
    cudaExternalSemaphore_t *handles = (cudaExternalSemaphore_t *)(numbers + count);
    memcpy(made->params, use->params, count * sizeof made->params[0]);
    memcpy(handles, use->handles, count * sizeof *handles);
    for (size_t i = 0; i < count; i++)
        numbers[i] = facade_handle_number(handles[i]);
    made->numbers = numbers;
    made->use = (struct facade_semaphores){handles, made->params, use->count, use->are_waits};
}

cudaError_t facade_work_of_semaphores(const struct facade_semaphores *use,
                                      struct facade_work **work)
{
    const size_t each = sizeof(struct cudaExternalSemaphoreWaitParams) + sizeof(uint64_t) +
                        sizeof(cudaExternalSemaphore_t);
    const cudaError_t error = check_use(use);
    if (error != cudaSuccess)
        return error;
    struct semaphores_work *made = (struct semaphores_work *)facade_work_new(
        use->are_waits ? &waits_kind : &signals_kind,
        sizeof(struct semaphores_work) + use->count * each);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    fill_work(made, use);
    *work = &made->work;
    return cudaSuccess;
}

struct facade_semaphores facade_work_semaphores(const struct facade_work *work)
{
    return ((const struct semaphores_work *)work)->use;
}

/* --- in streams ------------------------------------------------------------------------------- */

static cudaError_t capture(struct facade_stream *stream, const struct facade_semaphores *use)
{
    struct facade_work *work = NULL;
    const cudaError_t error = facade_work_of_semaphores(use, &work);
    return error == cudaSuccess ? facade_capture_add(stream, work->kind->type, work, NULL) : error;
}

cudaError_t facade_semaphores_use(cudaStream_t handle, const struct facade_semaphores *use)
{
    struct facade_stream *stream = NULL;
    bool is_capturing = false;
    cudaError_t error = facade_stream_find_to_capture(handle, &stream, &is_capturing);
    if (error == cudaSuccess)
        error = check_use(use);
    if (error == cudaSuccess && is_capturing)
        return capture(stream, use);
    for (unsigned i = 0; error == cudaSuccess && i < use->count; i++)
        error = give(stream, use, i, NULL);
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t *extSem_out,
                                        const struct cudaExternalSemaphoreHandleDesc *semHandleDesc)
{
    return facade_result(facade_semaphore_import(extSem_out, semHandleDesc));
}

cudaError_t
cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
                                  const struct cudaExternalSemaphoreSignalParams *paramsArray,
                                  unsigned int numExtSems, cudaStream_t stream)
{
    const struct facade_semaphores use = {extSemArray, (const void *)paramsArray, numExtSems,
                                          false};
    return facade_result(facade_semaphores_use(stream, &use));
}

cudaError_t
cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *extSemArray,
                                const struct cudaExternalSemaphoreWaitParams *paramsArray,
                                unsigned int numExtSems, cudaStream_t stream)
{
    const struct facade_semaphores use = {extSemArray, paramsArray, numExtSems, true};
    return facade_result(facade_semaphores_use(stream, &use));
}

cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t extSem)
{
    return facade_result(facade_semaphore_destroy(extSem));
}
