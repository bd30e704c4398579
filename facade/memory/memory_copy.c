/* Linear, peer and batch copies.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "facade/memory/copy_request.h"
#include "facade/stream/stream.h"

cudaError_t facade_copy_bytes(void *target, enum facade_claim target_claim, const void *source,
                              enum facade_claim source_claim, size_t bytes, cudaStream_t stream,
                              bool is_async)
{
    struct facade_copy_request request = facade_copy_linear(target, source, bytes);
    request.target = target_claim;
    request.source = source_claim;
    return facade_copy_submit(&request, stream, is_async);
}

static cudaError_t copy_by_kind(void *target, const void *source, size_t bytes,
                                enum cudaMemcpyKind kind, cudaStream_t stream, bool is_async)
{
    struct facade_copy_request request = facade_copy_linear(target, source, bytes);
    cudaError_t error = bytes == 0 ? cudaSuccess : facade_copy_claim(&request, kind);
    return error == cudaSuccess ? facade_copy_submit(&request, stream, is_async) : error;
}

cudaError_t facade_copy_peer(void *target, const void *source, size_t bytes)
{
    struct facade_copy_request request = facade_copy_linear(target, source, bytes);
    request.target = request.source = FACADE_CLAIM_DEVICE;
    request.is_alone = true;
    return facade_copy_submit(&request, NULL, false);
}

static cudaError_t check_devices(int target, int source, size_t bytes)
{
    if (bytes == 0)
        return cudaSuccess;
    cudaError_t error = facade_copy_check_device(target);
    return error == cudaSuccess ? facade_copy_check_device(source) : error;
}

/* --- batches ---------------------------------------------------------------------------------- */

/* The attributes of both APIs are the same bytes, so each is read as bytes. */
_Static_assert(sizeof(struct cudaMemcpyAttributes) == sizeof(CUmemcpyAttributes), "one layout");
_Static_assert(offsetof(struct cudaMemcpyAttributes, flags) == offsetof(CUmemcpyAttributes, flags),
               "one layout");

static struct cudaMemcpyAttributes attributes_at(const void *list, size_t index)
{
    struct cudaMemcpyAttributes attributes;
    memcpy(&attributes, (const char *)list + index * sizeof attributes, sizeof attributes);
    return attributes;
}

/* Each entry of attributes is for the copies from its start to the next one's; the first starts
 * at copy 0. */
static cudaError_t check_attributes(const void *attributes, const size_t *starts,
                                    size_t attribute_count, size_t count)
{
    for (size_t i = 0; i < attribute_count; i++) {
        const struct cudaMemcpyAttributes one = attributes_at(attributes, i);
        if (starts[i] >= count || (i == 0 ? starts[i] != 0 : starts[i] <= starts[i - 1]))
            return cudaErrorInvalidValue;
        cudaError_t error = facade_copy_check_attributes(&one);
        if (error != cudaSuccess)
            return error;
    }
    return cudaSuccess;
}

static cudaError_t check_copies(void *const *targets, const void *const *sources,
                                const size_t *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (targets[i] == NULL || sources[i] == NULL || sizes[i] == 0)
            return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

/* A source that is to be read during the call is read when the stream has got that far. */
static cudaError_t submit_in_batch(const struct facade_copy_request *request,
                                   enum cudaMemcpySrcAccessOrder order, cudaStream_t stream)
{
    struct facade_copy_request ordered = *request;
    ordered.reads_in_order = order == cudaMemcpySrcAccessOrderStream;
    cudaError_t error = facade_copy_submit(&ordered, stream, true);
    if (error == cudaSuccess && order == cudaMemcpySrcAccessOrderDuringApiCall)
        error = facade_stream_synchronize(stream);
    return error;
}

cudaError_t facade_copy_batch(void *const *targets, const void *const *sources, const size_t *sizes,
                              size_t count, const void *attributes, const size_t *starts,
                              size_t attribute_count, cudaStream_t stream)
{
    if (targets == NULL || sources == NULL || sizes == NULL || attributes == NULL ||
        starts == NULL || count == 0 || attribute_count == 0 || attribute_count > count ||
        facade_stream_is_legacy(stream))
        return cudaErrorInvalidValue;
    cudaError_t error = check_attributes(attributes, starts, attribute_count, count);
    if (error == cudaSuccess)
        error = check_copies(targets, sources, sizes, count);
    for (size_t i = 0, rule = 0; error == cudaSuccess && i < count; i++) {
        const struct facade_copy_request request =
            facade_copy_linear(targets[i], sources[i], sizes[i]);
        if (rule + 1 < attribute_count && starts[rule + 1] == i)
            rule++;
        error = submit_in_batch(&request, attributes_at(attributes, rule).srcAccessOrder, stream);
    }
    return error;
}

cudaError_t facade_copy_operation(const struct cudaMemcpy3DBatchOp *operation, cudaStream_t stream)
{
    struct facade_copy_request request;
    cudaError_t error = facade_copy_from_operation(&request, operation);
    return error == cudaSuccess ? submit_in_batch(&request, operation->srcAccessOrder, stream)
                                : error;
}

static cudaError_t copy_batch_3d(size_t count, const struct cudaMemcpy3DBatchOp *operations,
                                 unsigned long long flags, cudaStream_t stream)
{
    cudaError_t error = cudaSuccess;
    if (count == 0 || operations == NULL || flags != 0 || facade_stream_is_legacy(stream))
        return cudaErrorInvalidValue;
    for (size_t i = 0; error == cudaSuccess && i < count; i++)
        error = facade_copy_operation(&operations[i], stream);
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    return facade_result(copy_by_kind(dst, src, count, kind, NULL, false));
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    return facade_result(copy_by_kind(dst, src, count, kind, stream, true));
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
    cudaError_t error = check_devices(dstDevice, srcDevice, count);
    return facade_result(error == cudaSuccess ? facade_copy_peer(dst, src, count) : error);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream)
{
    cudaError_t error = check_devices(dstDevice, srcDevice, count);
    if (error == cudaSuccess)
        error = facade_copy_bytes(dst, FACADE_CLAIM_DEVICE, src, FACADE_CLAIM_DEVICE, count, stream,
                                  true);
    return facade_result(error);
}

cudaError_t cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes,
                                 size_t count, struct cudaMemcpyAttributes *attrs,
                                 size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream)
{
    return facade_result(
        facade_copy_batch(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream));
}

cudaError_t cudaMemcpy3DBatchAsync(size_t numOps, struct cudaMemcpy3DBatchOp *opList,
                                   unsigned long long flags, cudaStream_t stream)
{
    return facade_result(copy_batch_3d(numOps, opList, flags, stream));
}
