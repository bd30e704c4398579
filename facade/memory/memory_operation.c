/* Stream memory operations: what they mean, and nodes of graphs that do them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/value.h"
#include "facade/graph/capture.h"
#include "facade/memory/memory_operation.h"
#include "facade/memory/pointer_attributes.h"
#include "facade/state/handles.h"
#include "facade/state/runtime.h"

/* An operation as it is carried out. */
struct operation {
    CUstreamBatchMemOpType type;
    unsigned flags;
    struct ocl_value value;
};

static bool is_wait(CUstreamBatchMemOpType type)
{
    return type == CU_STREAM_MEM_OP_WAIT_VALUE_32 || type == CU_STREAM_MEM_OP_WAIT_VALUE_64;
}

static bool is_write(CUstreamBatchMemOpType type)
{
    return type == CU_STREAM_MEM_OP_WRITE_VALUE_32 || type == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

/* All kinds of operations begin alike; those without an address are told apart by their type. */
static struct operation describe(const CUstreamBatchMemOpParams *params)
{
    struct operation made = {.type = params->operation};
    const bool is_long =
        made.type == CU_STREAM_MEM_OP_WAIT_VALUE_64 || made.type == CU_STREAM_MEM_OP_WRITE_VALUE_64;
    if (!is_wait(made.type) && !is_write(made.type)) {
        made.flags = params->memoryBarrier.flags;
        return made;
    }
    made.flags = params->waitValue.flags;
    made.value.address = params->waitValue.address;
    made.value.bytes = is_long ? 8 : 4;
    made.value.value = is_long ? params->waitValue.value64 : params->waitValue.value;
    return made;
}

/* --- checks ----------------------------------------------------------------------------------- */

/* Managed memory is refused, as CUDA documents. A node may name what a graph is still to allocate. */
static cudaError_t check_address(const struct ocl_value *value, bool is_node)
{
    if (value->address == 0 || value->address % value->bytes != 0)
        return cudaErrorInvalidValue;
    struct facade_place place = facade_place_find(value->address);
    if (is_node && place.kind == FACADE_PAGEABLE)
        (void)facade_place_find_to_be(value->address, &place);
    return (place.kind == FACADE_DEVICE || place.kind == FACADE_PINNED) &&
                   place.left >= value->bytes
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

/* Remote writes cannot be flushed: CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES is 0. */
static cudaError_t check_wait(const struct operation *operation, bool is_node)
{
    const unsigned known =
        (unsigned)CU_STREAM_WAIT_VALUE_NOR | (unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
    if ((operation->flags & ~known) != 0)
        return cudaErrorInvalidValue;
    const cudaError_t error = check_address(&operation->value, is_node);
    if (error != cudaSuccess)
        return error;
    return (operation->flags & CU_STREAM_WAIT_VALUE_FLUSH) != 0 ? cudaErrorNotSupported
                                                                : cudaSuccess;
}

static cudaError_t check(const CUstreamBatchMemOpParams *params, bool is_node)
{
    const struct operation operation = describe(params);
    if (is_wait(operation.type))
        return check_wait(&operation, is_node);
    if (is_write(operation.type))
        return operation.flags == CU_STREAM_WRITE_VALUE_DEFAULT
                   ? check_address(&operation.value, is_node)
                   : cudaErrorInvalidValue;
    if (operation.type == CU_STREAM_MEM_OP_BARRIER)
        return operation.flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? cudaSuccess
                                                                    : cudaErrorInvalidValue;
    return operation.type == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES ? cudaErrorNotSupported
                                                                  : cudaErrorInvalidValue;
}

static cudaError_t check_all(unsigned count, const CUstreamBatchMemOpParams *params, bool is_node)
{
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; error == cudaSuccess && i < count; i++)
        error = check(&params[i], is_node);
    return error;
}

/* --- carrying out ----------------------------------------------------------------------------- */

/* A barrier orders what the stream does anyhow, one after the other. */
static cudaError_t carry_out(struct ocl_queue *queue, const CUstreamBatchMemOpParams *params)
{
    const struct operation operation = describe(params);
    ocl_status status = OCL_OK;
    if (is_wait(operation.type))
        status = ocl_queue_wait_value(queue, &operation.value,
                                      (enum ocl_value_test)(operation.flags & 3));
    else if (is_write(operation.type))
        status = ocl_queue_write_value(queue, &operation.value);
    return facade_error_from(status, FACADE_OTHER);
}

static cudaError_t carry_out_all(struct ocl_queue *queue, unsigned count,
                                 const CUstreamBatchMemOpParams *params)
{
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; error == cudaSuccess && i < count; i++)
        error = carry_out(queue, &params[i]);
    return error;
}

/* --- works ------------------------------------------------------------------------------------ */

struct operations_work {
    struct facade_work work;
    unsigned count;
    CUstreamBatchMemOpParams operations[];
};

static cudaError_t run_operations(const struct facade_work *work, struct facade_stream *stream)
{
    const struct operations_work *made = (const struct operations_work *)work;
    const cudaError_t error = check_all(made->count, made->operations, false);
    return error == cudaSuccess ? carry_out_all(stream->queue, made->count, made->operations)
                                : error;
}

/* Addresses, values and what waits are for may change.
 * Source: CUDA Driver API 13.0, cuGraphExecBatchMemOpNodeSetParams(). */
static enum cudaGraphExecUpdateResult may_become(const struct facade_work *work,
                                                 const struct facade_work *with)
{
    const struct operations_work *one = (const struct operations_work *)work,
                                 *other = (const struct operations_work *)with;
    bool are_alike = work->context == with->context && one->count == other->count;
    for (unsigned i = 0; are_alike && i < one->count; i++) {
        const struct operation now = describe(&one->operations[i]),
                               then = describe(&other->operations[i]);
        are_alike = now.type == then.type && (now.value.bytes != 0 || now.flags == then.flags);
    }
    return are_alike ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorParametersChanged;
}

static const struct facade_work_kind operations_kind = {
    .type = FACADE_NODE_TYPE_OPERATIONS, .run = run_operations, .may_become = may_become};

static cudaError_t make_work(struct facade_context *context, unsigned count,
                             const CUstreamBatchMemOpParams *params, struct facade_work **work)
{
    const size_t bytes = count * sizeof *params;
    struct operations_work *made = (struct operations_work *)facade_work_new(
        &operations_kind, sizeof(struct operations_work) + bytes);
    if (made == NULL)
        return cudaErrorMemoryAllocation;
    made->count = count;
    if (count > 0)
        memcpy(made->operations, params, bytes);
    made->work.context = context;
    made->work.context_id = context->id;
    *work = &made->work;
    return cudaSuccess;
}

cudaError_t facade_work_of_operations(unsigned count, const CUstreamBatchMemOpParams *params,
                                      unsigned flags, struct facade_work **work)
{
    struct facade_context *context = NULL;
    if (flags != 0 || count > FACADE_MOST_OPERATIONS || (count > 0 && params == NULL))
        return cudaErrorInvalidValue;
    cudaError_t error = facade_current(&context);
    if (error == cudaSuccess)
        error = check_all(count, params, true);
    return error == cudaSuccess ? make_work(context, count, params, work) : error;
}

CUstreamBatchMemOpParams *facade_work_operations(const struct facade_work *work, unsigned *count)
{
    const struct operations_work *made = (const struct operations_work *)work;
    *count = made->count;
    return (CUstreamBatchMemOpParams *)(uintptr_t)made->operations;
}

/* --- in streams ------------------------------------------------------------------------------- */

static cudaError_t capture(struct facade_stream *stream, unsigned count,
                           const CUstreamBatchMemOpParams *params)
{
    struct facade_work *work = NULL;
    cudaError_t error = make_work(stream->context, count, params, &work);
    return error == cudaSuccess
               ? facade_capture_add(stream, FACADE_NODE_TYPE_OPERATIONS, work, NULL)
               : error;
}

cudaError_t facade_operate(struct facade_stream *stream, bool is_capturing, unsigned count,
                           const CUstreamBatchMemOpParams *params)
{
    cudaError_t error = check_all(count, params, is_capturing);
    if (error != cudaSuccess)
        return error;
    return is_capturing ? capture(stream, count, params)
                        : carry_out_all(stream->queue, count, params);
}
