/* Managed memory as runtime and driver API share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MEMORY_MANAGED_H
#define FACADE_MEMORY_MANAGED_H

#include "facade/state/internal.h"

/* None of these keeps a last error: entry points do, through facade_result() or
 * facade_driver_error(). Ranges are counted in bytes and lie in one managed allocation. Where
 * all devices have cudaDevAttrPageableMemoryAccess, attaching, prefetching, discarding and advice
 * also take mapped memory that CUDA did not allocate; nothing moves or is kept then. */

/* Managed memory in the current context; flags: cudaMemAttachGlobal or cudaMemAttachHost, which
 * have the values of CU_MEM_ATTACH_*. Contents are zero. Zero bytes give NULL and cudaSuccess, a
 * failure leaves NULL.
 * Errors: cudaErrorInvalidValue; cudaErrorMemoryAllocation; cudaErrorNotSupported. */
cudaError_t facade_managed_allocate(void **pointer, size_t bytes, unsigned flags);

/* Who uses an allocation, in stream's order. bytes: 0 or all of it. flags: cudaMemAttach*.
 * Errors: cudaErrorInvalidValue, also for the legacy stream with cudaMemAttachSingle. */
cudaError_t facade_managed_attach(cudaStream_t stream, void *pointer, size_t bytes, unsigned flags);

/* Where a range is wanted next, in stream's order; does not wait.
 * Errors: cudaErrorInvalidValue; cudaErrorInvalidDevice. */
cudaError_t facade_managed_prefetch(const void *pointer, size_t bytes,
                                    struct cudaMemLocation location, unsigned flags,
                                    cudaStream_t stream);

/* A batch of those. locations: range i goes to the last entry whose index is at most i.
 * Nothing is sent when any range or location is wrong. */
struct facade_managed_batch {
    void *const *pointers;
    const size_t *sizes;
    size_t count;
    const struct cudaMemLocation *locations;
    const size_t *indices;
    size_t location_count;
    unsigned long long flags;
};
cudaError_t facade_managed_prefetch_batch(const struct facade_managed_batch *batch,
                                          cudaStream_t stream);

/* The contents are needed no more: they stay, which is allowed. Locations are not read. */
cudaError_t facade_managed_discard_batch(const struct facade_managed_batch *batch,
                                         cudaStream_t stream);

/* advice: cudaMemAdvise*, whose values are CU_MEM_ADVISE_*. It is kept and given back; where pages
 * are does not depend on it. Errors: as prefetch. */
cudaError_t facade_managed_advise(const void *pointer, size_t bytes, int advice,
                                  struct cudaMemLocation location);

/* attribute: cudaMemRangeAttribute*, whose values are CU_MEM_RANGE_ATTRIBUTE_*. */
cudaError_t facade_managed_range_attribute(void *data, size_t data_bytes, int attribute,
                                           const void *pointer, size_t bytes);
cudaError_t facade_managed_range_attributes(void *const *data, const size_t *data_bytes,
                                            const int *attributes, size_t count,
                                            const void *pointer, size_t bytes);

#endif
