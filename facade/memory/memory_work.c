/* Nodes of graphs that copy and fill.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/memory_work.h"
#include "facade/memory/copy_request.h"
#include "facade/memory/memory.h"

/* The request is made once, but where an array takes part, which may have gone when the copy is made. */
struct copy_work {
    struct facade_work work;
    struct cudaMemcpy3DParms params;
    struct facade_copy_request request;
};

struct fill_work {
    struct facade_work work;
    struct cudaMemsetParams params;
    struct ocl_fill fill;
};

/* --- copies ----------------------------------------------------------------------------------- */

/* What nodes before it write to pageable memory is what a copy reads there. */
static cudaError_t make_request(const struct cudaMemcpy3DParms *params,
                                struct facade_copy_request *request)
{
    const cudaError_t error = facade_copy_from_3d(request, params);
    request->reads_in_order = true;
    return error;
}

static cudaError_t run_copy(const struct facade_work *work, struct facade_stream *stream)
{
    const struct copy_work *copy = (const struct copy_work *)work;
    struct facade_copy_request again;
    if (copy->params.srcArray == NULL && copy->params.dstArray == NULL)
        return facade_copy_is_empty(&copy->request)
                   ? cudaSuccess
                   : facade_copy_submit_in(&copy->request, stream, true);
    const cudaError_t error = make_request(&copy->params, &again);
    return error == cudaSuccess && !facade_copy_is_empty(&again)
               ? facade_copy_submit_in(&again, stream, true)
               : error;
}

/* The kind stays what it was: an executable graph has chosen how it copies by it. */
static enum cudaGraphExecUpdateResult copy_may_become(const struct facade_work *work,
                                                      const struct facade_work *with)
{
    return facade_work_copy(work).kind == facade_work_copy(with).kind
               ? cudaGraphExecUpdateSuccess
               : cudaGraphExecUpdateErrorParametersChanged;
}

static const struct facade_work_kind copy_kind = {cudaGraphNodeTypeMemcpy, run_copy,
                                                  copy_may_become};

cudaError_t facade_work_of_copy(const struct cudaMemcpy3DParms *params, struct facade_work **work)
{
    struct facade_copy_request request;
    cudaError_t error = make_request(params, &request);
    if (error == cudaSuccess)
        error = facade_copy_check(&request);
    if (error != cudaSuccess)
        return error;
    struct copy_work *made = (struct copy_work *)facade_work_new(&copy_kind, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->params = *params;
    made->request = request;
    *work = &made->work;
    return cudaSuccess;
}

struct cudaMemcpy3DParms facade_copy_as_volume(void *target, const void *source, size_t bytes,
                                               enum cudaMemcpyKind kind)
{
    return (struct cudaMemcpy3DParms){
        .srcPtr = {(void *)(uintptr_t)source, bytes, bytes, 1},
        .dstPtr = {target, bytes, bytes, 1},
        .extent = {bytes, 1, 1},
        .kind = kind,
    };
}

struct cudaMemcpy3DParms facade_work_copy(const struct facade_work *work)
{
    return ((const struct copy_work *)work)->params;
}

/* --- fills ------------------------------------------------------------------------------------ */

static cudaError_t run_fill(const struct facade_work *work, struct facade_stream *stream)
{
    return facade_memory_set_in(&((const struct fill_work *)work)->fill, stream, true);
}

static enum cudaGraphExecUpdateResult fill_may_become(const struct facade_work *work,
                                                      const struct facade_work *with)
{
    (void)work;
    (void)with;
    return cudaGraphExecUpdateSuccess;
}

static const struct facade_work_kind fill_kind = {cudaGraphNodeTypeMemset, run_fill,
                                                  fill_may_become};

static cudaError_t make_fill(const struct cudaMemsetParams *params, struct ocl_fill *fill)
{
    if (params == NULL ||
        (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return cudaErrorInvalidValue;
    if (params->width == 0 || params->height == 0)
        return cudaErrorInvalidValue;
    *fill = (struct ocl_fill){
        .address = (uintptr_t)params->dst,
        .pitch = params->pitch,
        .count = params->width,
        .height = params->height,
        .depth = 1,
        .element_bytes = params->elementSize,
        .value = params->value,
    };
    return facade_memory_set_check(fill);
}

cudaError_t facade_work_of_fill(const struct cudaMemsetParams *params, struct facade_work **work)
{
    struct ocl_fill fill;
    cudaError_t error = make_fill(params, &fill);
    if (error != cudaSuccess)
        return error;
    struct fill_work *made = (struct fill_work *)facade_work_new(&fill_kind, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->params = *params;
    made->fill = fill;
    *work = &made->work;
    return cudaSuccess;
}

struct cudaMemsetParams facade_work_fill(const struct facade_work *work)
{
    return ((const struct fill_work *)work)->params;
}
