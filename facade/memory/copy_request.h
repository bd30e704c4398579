/* Every form of copy of both APIs becomes one of these, is checked once and submitted once.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_COPY_REQUEST_H
#define FACADE_COPY_REQUEST_H

#include "cl/transfer.h"
#include "facade/state/internal.h"

struct facade_array; /* memory_array.h */

/* What the caller says an end is. Under unified addressing only one claim can be wrong: that
 * pageable memory is the device's. Device memory given as the host's is copied as what it is. */
enum facade_claim {
    FACADE_CLAIM_ANY, /* the address decides */
    FACADE_CLAIM_HOST,
    FACADE_CLAIM_DEVICE
};

/* A copy of depth slices of height rows of width bytes, with what the caller claims about its
 * ends. A pitch does not matter for a single row, slice_bytes not for a single slice. The
 * allocation that a base lies in has to hold the whole volume; base 0 stands for the address of
 * the copy's end. An end that is an array was checked when the request was made. */
struct facade_copy_request {
    struct ocl_copy copy;
    uint64_t source_base, target_base;
    enum facade_claim source, target;
    struct facade_array *source_array, *target_array; /* NULL: memory */
    bool
        is_alone; /* not asynchronous: ordered with all work of the current device and of both ends' */
    bool
        reads_in_order; /* asynchronous: pageable memory is read when the stream has got that far */
};

/* One end as descriptions give it: rows from slice to slice instead of bytes, and where the volume
 * begins. A pitch or a number of rows that is 0 is as small as the volume allows. Arrays have
 * their own: only the position is read. */
struct facade_copy_end {
    struct facade_array *array; /* NULL: memory at base */
    uint64_t base;
    size_t pitch, rows;
    size_t x, y, z; /* bytes, rows, slices or layers */
};

/* What a kind says about both ends; in the second form, an array is the device's.
 * Errors: cudaErrorInvalidMemcpyDirection. */
cudaError_t facade_copy_claim(struct facade_copy_request *request, enum cudaMemcpyKind kind);
cudaError_t facade_copy_claim_arrays(struct facade_copy_request *request, enum cudaMemcpyKind kind,
                                     bool source_is_array, bool target_is_array);

/* The kind that says the same about both ends, or cudaMemcpyDefault. */
enum cudaMemcpyKind facade_copy_kind(const struct facade_copy_request *request);

/* Fills in a volume of extent (bytes, rows, slices) between two ends, but not the claims.
 * Errors: cudaErrorInvalidValue: base 0; rows or slices too small; beyond an array. */
cudaError_t facade_copy_volume(struct facade_copy_request *request,
                               const struct facade_copy_end *source,
                               const struct facade_copy_end *target, struct cudaExtent extent);

/* Both ends may be anything until said otherwise. */
struct facade_copy_request facade_copy_linear(void *target, const void *source, size_t bytes);

/* A volume without anything in it. */
bool facade_copy_is_empty(const struct facade_copy_request *request);

/* Checks what the two addresses mean and submits. An empty copy is checked no further, not even
 * for its stream.
 * Order:  after earlier work of the stream. is_async false: done when it returns, except that
 *         device to device goes on. is_async true: pageable memory is read (but for reads_in_order), or
 *         written, when it returns; between two ranges of host memory all is done; the rest goes on.
 * Errors: cudaErrorInvalidValue: an end is not what the caller claims, or its range leaves the
 *         allocation; cudaErrorInvalidResourceHandle: no such stream. */
cudaError_t facade_copy_submit(const struct facade_copy_request *request, cudaStream_t stream,
                               bool is_async);

/* The same in a stream that was found, for a request that is not empty. */
cudaError_t facade_copy_submit_in(const struct facade_copy_request *request,
                                  struct facade_stream *stream, bool is_async);

/* The checks of facade_copy_submit() alone, for a node, which may name what a graph is still to allocate. */
cudaError_t facade_copy_check(const struct facade_copy_request *request);

/* --- copy_description.c ----------------------------------------------------------------------- */

/* Errors: cudaErrorInvalidDevice. */
cudaError_t facade_copy_check_device(int device);

/* The runtime's 3D descriptions. An empty extent gives an empty request whatever else is in
 * them, but for devices.
 * Errors: as cudaMemcpy3D. */
cudaError_t facade_copy_from_3d(struct facade_copy_request *request,
                                const struct cudaMemcpy3DParms *p);
cudaError_t facade_copy_from_3d_peer(struct facade_copy_request *request,
                                     const struct cudaMemcpy3DPeerParms *p);

/* What is said about a copy of a batch. Errors: cudaErrorInvalidValue. */
cudaError_t facade_copy_check_attributes(const struct cudaMemcpyAttributes *attributes);

/* One copy of a 3D batch. Errors: cudaErrorInvalidValue, also for an empty extent. */
cudaError_t facade_copy_from_operation(struct facade_copy_request *request,
                                       const struct cudaMemcpy3DBatchOp *op);

/* The driver's descriptions. An empty extent gives an empty request whatever else is in them.
 * Errors: cudaErrorInvalidValue; cudaErrorInvalidResourceHandle for what is no array. The peer
 *         form's contexts are the caller's matter. */
cudaError_t facade_copy_from_driver_2d(struct facade_copy_request *request, const CUDA_MEMCPY2D *p);
cudaError_t facade_copy_from_driver_3d(struct facade_copy_request *request, const CUDA_MEMCPY3D *p);
/* The same copy as the driver API describes it. */
CUDA_MEMCPY3D facade_copy_to_driver_3d(const struct cudaMemcpy3DParms *p);
cudaError_t facade_copy_from_driver_3d_peer(struct facade_copy_request *request,
                                            const CUDA_MEMCPY3D_PEER *p);

/* --- memory_copy.c: what the driver API's linear, peer and batch copies share ----------------- */

/* Claims as in struct facade_copy_request: cuMemcpyHtoD has target DEVICE and source HOST,
 * cuMemcpy has ANY twice. */
cudaError_t facade_copy_bytes(void *target, enum facade_claim target_claim, const void *source,
                              enum facade_claim source_claim, size_t bytes, cudaStream_t stream,
                              bool is_async);

/* cudaMemcpyPeer() between memory of devices that exist, on the current context's legacy stream. */
cudaError_t facade_copy_peer(void *target, const void *source, size_t bytes);

/* A batch of linear copies. What can be told without looking addresses up is checked before
 * anything is copied. attributes: attribute_count of struct cudaMemcpyAttributes or
 * CUmemcpyAttributes, which have one layout.
 * Errors: cudaErrorInvalidValue, also for the legacy stream. */
cudaError_t facade_copy_batch(void *const *targets, const void *const *sources, const size_t *sizes,
                              size_t count, const void *attributes, const size_t *starts,
                              size_t attribute_count, cudaStream_t stream);

/* One copy of a 3D batch. The caller has checked the stream. */
cudaError_t facade_copy_operation(const struct cudaMemcpy3DBatchOp *operation, cudaStream_t stream);

#endif
