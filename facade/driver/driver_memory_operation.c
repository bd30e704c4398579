/* The driver API's stream memory operations.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/value.h"
#include "facade/driver/driver.h"
#include "facade/memory/pointer_attributes.h"
#include "facade/state/handles.h"

/* Source: CUDA Driver API 13.0, cuStreamBatchMemOp(). */
enum { MOST_OPERATIONS = 256 };

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

/* --- checks ----------------------------------------------------------------------------------- */

/* Managed memory is refused, as CUDA documents. */
static CUresult check_address(const struct ocl_value *value, bool is_write)
{
    if (value->address == 0 || value->address % value->bytes != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const struct facade_place place = facade_place_find(value->address);
    return (place.kind == FACADE_DEVICE || place.kind == FACADE_PINNED) &&
                   facade_place_holds(&place, value->bytes, is_write)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* Remote writes cannot be flushed: CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES is 0. */
static CUresult check_wait(const struct operation *operation)
{
    const unsigned known =
        (unsigned)CU_STREAM_WAIT_VALUE_NOR | (unsigned)CU_STREAM_WAIT_VALUE_FLUSH;
    if ((operation->flags & ~known) != 0)
        return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = check_address(&operation->value, false);
    if (result != CUDA_SUCCESS)
        return result;
    return (operation->flags & CU_STREAM_WAIT_VALUE_FLUSH) != 0 ? CUDA_ERROR_NOT_SUPPORTED
                                                                : CUDA_SUCCESS;
}

static CUresult check(const struct operation *operation)
{
    if (is_wait(operation->type))
        return check_wait(operation);
    if (is_write(operation->type))
        return operation->flags == CU_STREAM_WRITE_VALUE_DEFAULT
                   ? check_address(&operation->value, true)
                   : CUDA_ERROR_INVALID_VALUE;
    if (operation->type == CU_STREAM_MEM_OP_BARRIER)
        return operation->flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? CUDA_SUCCESS
                                                                     : CUDA_ERROR_INVALID_VALUE;
    return operation->type == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES ? CUDA_ERROR_NOT_SUPPORTED
                                                                   : CUDA_ERROR_INVALID_VALUE;
}

/* --- carrying out ----------------------------------------------------------------------------- */

/* A barrier orders what the stream does anyhow, one after the other. */
static ocl_status give(struct ocl_queue *queue, const struct operation *operation)
{
    ocl_status status = OCL_OK;
    if (is_wait(operation->type))
        status = ocl_queue_wait_value(queue, &operation->value,
                                      (enum ocl_value_test)(operation->flags & 3));
    else if (is_write(operation->type))
        status = ocl_queue_write_value(queue, &operation->value);
    return status;
}

/* What was checked may have been unmapped since. */
static CUresult carry_out(struct ocl_queue *queue, const struct operation *operation)
{
    const struct facade_place place = facade_place_find(operation->value.address);
    struct ocl_virtual_hold hold;
    const bool is_there =
        facade_place_keep(&place, operation->value.bytes, is_write(operation->type), &hold);
    const ocl_status status = is_there ? give(queue, operation) : OCL_E_INVALID_VALUE;
    ocl_virtual_let_go(&hold);
    return facade_driver_error(facade_error_from(status, FACADE_OTHER));
}

static CUresult find_queue(CUstream handle, struct ocl_queue **queue)
{
    struct facade_stream *stream = NULL;
    CUresult result = facade_driver_check();
    if (result == CUDA_SUCCESS)
        result = facade_driver_error(facade_stream_find(handle, &stream));
    if (result == CUDA_SUCCESS)
        *queue = stream->queue;
    return result;
}

static CUresult operate(CUstream stream, struct operation operation)
{
    struct ocl_queue *queue = NULL;
    CUresult result = find_queue(stream, &queue);
    if (result == CUDA_SUCCESS)
        result = check(&operation);
    return result == CUDA_SUCCESS ? carry_out(queue, &operation) : result;
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

/* --- entry points ----------------------------------------------------------------------------- */

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                unsigned int flags)
{
    return operate(stream, (struct operation){CU_STREAM_MEM_OP_WAIT_VALUE_32,
                                              flags,
                                              {.address = addr, .value = value, .bytes = 4}});
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                unsigned int flags)
{
    return operate(stream, (struct operation){CU_STREAM_MEM_OP_WAIT_VALUE_64,
                                              flags,
                                              {.address = addr, .value = value, .bytes = 8}});
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value,
                                 unsigned int flags)
{
    return operate(stream, (struct operation){CU_STREAM_MEM_OP_WRITE_VALUE_32,
                                              flags,
                                              {.address = addr, .value = value, .bytes = 4}});
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value,
                                 unsigned int flags)
{
    return operate(stream, (struct operation){CU_STREAM_MEM_OP_WRITE_VALUE_64,
                                              flags,
                                              {.address = addr, .value = value, .bytes = 8}});
}

/* All are checked before the first is carried out. */
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count,
                               CUstreamBatchMemOpParams *paramArray, unsigned int flags)
{
    struct ocl_queue *queue = NULL;
    if (flags != 0 || count > MOST_OPERATIONS || (count > 0 && paramArray == NULL))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = find_queue(stream, &queue);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++) {
        const struct operation operation = describe(&paramArray[i]);
        result = check(&operation);
    }
    for (unsigned i = 0; result == CUDA_SUCCESS && i < count; i++) {
        const struct operation operation = describe(&paramArray[i]);
        result = carry_out(queue, &operation);
    }
    return result;
}
