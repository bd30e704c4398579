/* Nodes of graphs that copy and fill.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/memory_work.h"
#include "facade/memory/copy_request.h"
#include "facade/memory/memory.h"
#include "facade/memory/memory_array.h"
#include "facade/memory/pointer_attributes.h"

struct copy_work {
    struct facade_work work;
    struct cudaMemcpy3DParms params;
    struct facade_copy_request request;
    uint64_t source_number, target_number; /* of its arrays; 0: memory */
};

struct fill_work {
    struct facade_work work;
    struct cudaMemsetParams params;
    struct ocl_fill fill;
};

/* --- copies ----------------------------------------------------------------------------------- */

/* An array may have been freed since, and another one be in its place. */
static bool is_there(const struct facade_array *array, uint64_t number)
{
    return array == NULL || facade_handle_find_again(FACADE_ARRAY, array, number) != NULL;
}

static uint64_t number_of(const struct facade_array *array)
{
    return array != NULL ? facade_handle_number(array) : 0;
}

static cudaError_t run_copy(const struct facade_work *work, struct facade_stream *stream)
{
    const struct copy_work *made = (const struct copy_work *)work;
    const struct facade_copy_request *request = &made->request;
    if (!is_there(request->source_array, made->source_number) ||
        !is_there(request->target_array, made->target_number))
        return cudaErrorInvalidResourceHandle;
    return facade_copy_is_empty(request) ? cudaSuccess
                                         : facade_copy_submit_in(request, stream, true);
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
                                                  copy_may_become, NULL};

/* Memory in an allocation does not become pageable when that is freed before a launch: a claim keeps it from that. */
static void claim_allocation(enum facade_claim *claim, uint64_t address)
{
    if (facade_place_find(address).kind != FACADE_PAGEABLE)
        *claim = FACADE_CLAIM_DEVICE;
}

/* What nodes before it write to pageable memory is what a copy reads there. */
static cudaError_t make_copy(const struct facade_copy_request *request,
                             const struct cudaMemcpy3DParms *params, struct facade_work **work)
{
    cudaError_t error = facade_copy_check(request);
    if (error != cudaSuccess)
        return error;
    struct copy_work *made = (struct copy_work *)facade_work_new(&copy_kind, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->params = *params;
    made->request = *request;
    made->request.reads_in_order = true;
    claim_allocation(&made->request.source, request->copy.source.address);
    claim_allocation(&made->request.target, request->copy.target.address);
    made->source_number = number_of(request->source_array);
    made->target_number = number_of(request->target_array);
    *work = &made->work;
    return cudaSuccess;
}

static bool has_nothing(struct cudaExtent extent)
{
    return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

/* Nothing to copy is no node, though it is no error of a call. */
cudaError_t facade_work_of_copy(const struct cudaMemcpy3DParms *params, struct facade_work **work)
{
    struct facade_copy_request request;
    if (params == NULL || has_nothing(params->extent))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_copy_from_3d(&request, params);
    return error == cudaSuccess ? make_copy(&request, params, work) : error;
}

/* What cudaMemcpy3D() would be told about an end. */
static struct cudaPitchedPtr describe_memory(const struct ocl_copy *copy,
                                             const struct ocl_copy_end *end)
{
    const size_t pitch = end->pitch != 0 ? end->pitch : copy->width;
    return (struct cudaPitchedPtr){(void *)(uintptr_t)end->address, pitch, copy->width,
                                   copy->depth > 1 ? end->slice_bytes / pitch : copy->height};
}

static struct cudaPos describe_place(const struct facade_array *array,
                                     const struct ocl_copy_end *end)
{
    struct ocl_array_level level;
    ocl_array_level(array->array, array->level, &level);
    const size_t offset = (size_t)(end->address - level.address);
    const size_t slice = end->slice_bytes, pitch = end->pitch;
    const size_t in_slice = slice != 0 ? offset % slice : offset;
    return (struct cudaPos){
        (pitch != 0 ? in_slice % pitch : in_slice) / ocl_texel_bytes(&array->format.texel),
        pitch != 0 ? in_slice / pitch : 0,
        slice != 0 ? offset / slice : 0,
    };
}

cudaError_t facade_work_of_request(const struct facade_copy_request *request,
                                   struct facade_work **work)
{
    const struct ocl_copy *copy = &request->copy;
    const struct facade_array *from = request->source_array, *to = request->target_array;
    const struct facade_array *array = from != NULL ? from : to;
    const size_t unit = array != NULL ? ocl_texel_bytes(&array->format.texel) : 1;
    struct cudaMemcpy3DParms params = {
        .extent = {copy->width / unit, copy->height, copy->depth},
        .kind = facade_copy_kind(request),
    };
    params.srcArray = (cudaArray_t)request->source_array;
    params.dstArray = (cudaArray_t)request->target_array;
    if (from != NULL)
        params.srcPos = describe_place(from, &copy->source);
    else
        params.srcPtr = describe_memory(copy, &copy->source);
    if (to != NULL)
        params.dstPos = describe_place(to, &copy->target);
    else
        params.dstPtr = describe_memory(copy, &copy->target);
    return make_copy(request, &params, work);
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

/* Runs may change their length, rows may not. Source: CUDA Runtime API 13.0, cudaGraphExecMemsetNodeSetParams. */
static enum cudaGraphExecUpdateResult fill_may_become(const struct facade_work *work,
                                                      const struct facade_work *with)
{
    const struct cudaMemsetParams *old = &((const struct fill_work *)work)->params;
    const struct cudaMemsetParams *new = &((const struct fill_work *)with)->params;
    const bool is_same = old->width == new->width && old->height == new->height &&
                         old->pitch == new->pitch && old->elementSize == new->elementSize;
    return is_same || (old->height <= 1 && new->height <= 1)
               ? cudaGraphExecUpdateSuccess
               : cudaGraphExecUpdateErrorParametersChanged;
}

static const struct facade_work_kind fill_kind = {cudaGraphNodeTypeMemset, run_fill,
                                                  fill_may_become, NULL};

static cudaError_t make_fill(const struct ocl_fill *fill, const struct cudaMemsetParams *params,
                             struct facade_work **work)
{
    cudaError_t error = facade_memory_set_check(fill);
    if (error != cudaSuccess)
        return error;
    struct fill_work *made = (struct fill_work *)facade_work_new(&fill_kind, sizeof *made);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->params = *params;
    made->fill = *fill;
    *work = &made->work;
    return cudaSuccess;
}

cudaError_t facade_work_of_fill(const struct cudaMemsetParams *params, struct facade_work **work)
{
    if (params == NULL || params->width == 0 || params->height == 0 ||
        (params->elementSize != 1 && params->elementSize != 2 && params->elementSize != 4))
        return cudaErrorInvalidValue;
    const struct ocl_fill fill = {
        .address = (uintptr_t)params->dst,
        .pitch = params->pitch,
        .count = params->width,
        .height = params->height,
        .depth = 1,
        .element_bytes = params->elementSize,
        .value = params->value,
    };
    return make_fill(&fill, params, work);
}

cudaError_t facade_work_of_ocl_fill(const struct ocl_fill *fill, struct facade_work **work)
{
    const struct cudaMemsetParams params = {
        .dst = (void *)(uintptr_t)fill->address,
        .pitch = fill->pitch,
        .value = fill->value,
        .elementSize = (unsigned)fill->element_bytes,
        .width = fill->count,
        .height = fill->height,
    };
    return make_fill(fill, &params, work);
}

struct cudaMemsetParams facade_work_fill(const struct facade_work *work)
{
    return ((const struct fill_work *)work)->params;
}
