/* What programs say about memory: advice about ranges of managed memory, and where they were sent
 * last; which allocations are only to be used synchronously. Private to facade/memory/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_MANAGED_ADVICE_H
#define FACADE_MANAGED_ADVICE_H

#include "cl/memory.h"
#include "facade/state/internal.h"

/* Of one page. A location of type cudaMemLocationTypeNone is none. */
struct facade_advice {
    bool is_read_mostly;
    bool is_accessed_by_host;
    uint64_t accessed_by; /* bit d: device d */
    struct cudaMemLocation preferred, prefetched;
};

enum { FACADE_ADVICE_DEVICES = 64 };

/* Applies change to the pages of a managed allocation that hold any of bytes from offset.
 * Needs:  bytes > 0; they lie in the allocation.
 * Locks:  change is called with the table's lock, a leaf.
 * Errors: cudaErrorMemoryAllocation: nothing is changed. */
cudaError_t facade_advice_change(const struct ocl_memory_view *view, size_t offset, size_t bytes,
                                 void (*change)(struct facade_advice *advice, const void *argument),
                                 const void *argument);

/* What all those pages have in common: a location that differs is none. Needs: as above. */
struct facade_advice facade_advice_common(const struct ocl_memory_view *view, size_t offset,
                                          size_t bytes);

/* Whether copies and fills of an allocation are done when the call returns, as programs ask for by
 * CU_POINTER_ATTRIBUTE_SYNC_MEMOPS. The second is for any address, and costs one atomic read as
 * long as nobody asks. Errors: cudaErrorMemoryAllocation. */
cudaError_t facade_advice_set_synchronous(const struct ocl_memory_view *view, bool is_synchronous);
bool facade_advice_is_synchronous(uint64_t address);

/* The allocation is freed, or all those of a context are. */
void facade_advice_forget(uint64_t allocation_id);

#endif
