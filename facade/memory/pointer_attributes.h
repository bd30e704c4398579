/* What an address is: the question behind copies, fills and both APIs' pointer queries.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_POINTER_ATTRIBUTES_H
#define FACADE_POINTER_ATTRIBUTES_H

#include "cl/memory.h"
#include "cl/virtual.h"
#include "facade/state/internal.h"

enum facade_place_kind {
    FACADE_PAGEABLE, /* in no allocation: ordinary host memory, as far as anyone knows */
    FACADE_PINNED,   /* the host's and the device's: allocated or registered */
    FACADE_DEVICE,   /* the device's alone */
    FACADE_MANAGED,  /* the host's and the device's, wherever it is */
    FACADE_PLACES
};

struct facade_place {
    enum facade_place_kind kind;
    struct ocl_context *context; /* NULL for pageable memory */
    size_t left; /* bytes from the address to the end of its allocation; SIZE_MAX when pageable */
    uint64_t virtual_address; /* the address, where that is reserved, mapped or not; otherwise 0 */
};

/* Whether bytes from the place on are all of one allocation, or mapped one after the other, and may be read, or written
 * where is_write. */
bool facade_place_holds(const struct facade_place *place, size_t bytes, bool is_write);

/* The same, and what is mapped stays so until it is let go (ocl_virtual_let_go()). *hold is set in any case. */
bool facade_place_keep(const struct facade_place *place, size_t bytes, bool is_write,
                       struct ocl_virtual_hold *hold);

/* Never fails: what is not known is pageable. */
struct facade_place facade_place_find(uint64_t address);

/* Whether a graph allocates there, and nothing is in use there now: memory for nodes alone. Gives its context and the bytes to the
 * end of the graph's block. */
bool facade_place_find_to_be(uint64_t address, struct facade_place *place);

/* The same; the allocation, NULL for pageable memory, is the caller's to let go (ocl_memory_let_go()). */
struct facade_place facade_place_hold(uint64_t address, struct ocl_allocation **allocation);

/* The byte at address as kernels see it. Needs: view is what ocl_memory_find()
 * gave for address. */
void *facade_place_device_pointer(const struct ocl_memory_view *view, uint64_t address);

/* cuPointerGetAttribute. Errors: cudaErrorInvalidValue for an unknown pointer or attribute, or
 * data NULL. */
cudaError_t facade_pointer_attribute(void *data, CUpointer_attribute attribute,
                                     CUdeviceptr pointer);

/* cuPointerSetAttribute: CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, an unsigned, for the whole allocation.
 * Errors: cudaErrorInvalidValue; cudaErrorMemoryAllocation. */
cudaError_t facade_pointer_set_attribute(const void *value, CUpointer_attribute attribute,
                                         CUdeviceptr pointer);

/* cuPointerGetAttributes: an unknown pointer is no error and gives zeros. */
cudaError_t facade_pointer_attribute_list(unsigned count, const CUpointer_attribute *attributes,
                                          void **data, CUdeviceptr pointer);

#endif
