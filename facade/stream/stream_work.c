/* Nodes of graphs that call host functions, record events and wait for them.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/stream/stream_work.h"
#include "facade/stream/event.h"
#include "facade/stream/stream.h"

struct host_work {
    struct facade_work work;
    struct cudaHostNodeParams params;
};

struct event_work {
    struct facade_work work;
    cudaEvent_t event;
    uint64_t event_number;
};

static enum cudaGraphExecUpdateResult may_always_become(const struct facade_work *work,
                                                        const struct facade_work *with)
{
    (void)work;
    (void)with;
    return cudaGraphExecUpdateSuccess;
}

/* --- host functions --------------------------------------------------------------------------- */

static cudaError_t run_host(const struct facade_work *work, struct facade_stream *stream)
{
    const struct cudaHostNodeParams params = facade_work_host(work);
    return facade_stream_call(stream, params.fn, params.userData);
}

static const struct facade_work_kind host_kind = {cudaGraphNodeTypeHost, run_host,
                                                  may_always_become, NULL};

cudaError_t facade_work_of_host(const struct cudaHostNodeParams *params, struct facade_work **work)
{
    if (params == NULL || params->fn == NULL)
        return cudaErrorInvalidValue;
    struct host_work *made = (struct host_work *)facade_work_new(&host_kind, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->params = *params;
    *work = &made->work;
    return cudaSuccess;
}

struct cudaHostNodeParams facade_work_host(const struct facade_work *work)
{
    return ((const struct host_work *)work)->params;
}

/* --- events ----------------------------------------------------------------------------------- */

/* The event may have been destroyed since, and another one be in its place. */
static bool is_there(const struct facade_work *work)
{
    const struct event_work *made = (const struct event_work *)work;
    return facade_handle_find_again(FACADE_EVENT, made->event, made->event_number) != NULL;
}

static cudaError_t run_record(const struct facade_work *work, struct facade_stream *stream)
{
    return is_there(work) ? facade_event_record_in(facade_work_event(work), stream)
                          : cudaErrorInvalidResourceHandle;
}

static cudaError_t run_wait(const struct facade_work *work, struct facade_stream *stream)
{
    return is_there(work) ? facade_event_wait_in(facade_work_event(work), stream)
                          : cudaErrorInvalidResourceHandle;
}

static const struct facade_work_kind record_kind = {cudaGraphNodeTypeEventRecord, run_record,
                                                    may_always_become, NULL};
static const struct facade_work_kind wait_kind = {cudaGraphNodeTypeWaitEvent, run_wait,
                                                  may_always_become, NULL};

static cudaError_t make_event_work(const struct facade_work_kind *kind, cudaEvent_t event,
                                   struct facade_work **work, struct facade_event **found)
{
    if (event == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_event_find(event, found);
    if (error != cudaSuccess)
        return error;
    struct event_work *made = (struct event_work *)facade_work_new(kind, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->event = event;
    made->event_number = facade_handle_number(*found);
    *work = &made->work;
    return cudaSuccess;
}

/* An event is recorded in streams of its own context. */
cudaError_t facade_work_of_record(cudaEvent_t event, struct facade_work **work)
{
    struct facade_event *found = NULL;
    cudaError_t error = make_event_work(&record_kind, event, work, &found);
    if (error != cudaSuccess)
        return error;
    (*work)->context = found->context;
    (*work)->context_id = found->context->id;
    return cudaSuccess;
}

cudaError_t facade_work_of_wait(cudaEvent_t event, struct facade_work **work)
{
    struct facade_event *found = NULL;
    return make_event_work(&wait_kind, event, work, &found);
}

cudaEvent_t facade_work_event(const struct facade_work *work)
{
    return ((const struct event_work *)work)->event;
}
