/* A launch on its way to the driver. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_CALL_H
#define OCL_KERNEL_CALL_H

#include "cl/launch/kernel_binding.h"
#include "cl/launch/kernel_plan.h"
#include "cl/program/translation.h"

/* A pointer argument as OpenCL knows memory: byte `rest` of `part`, or of `buffer` where there
 * is no part. */
struct ocl_target {
    struct ocl_allocation *allocation; /* held until the command is enqueued */
    cl_mem buffer;                     /* this and allocation are NULL for a NULL pointer */
    size_t offset;                     /* of the pointer in buffer */
    size_t end;                        /* in buffer: behind the allocation's last byte */
    bool is_twin;                      /* buffer is that of the allocation's twin: twin.h */
    cl_mem part;                       /* a sub-buffer made for this launch, or NULL */
    size_t rest;
};

/* One launch of one translation of a kernel. */
struct ocl_call {
    struct ocl_kernel *kernel;
    const struct ocl_queue *queue;
    const struct ocl_launch *launch;
    const struct ocl_plan *plan;
    uint64_t *pointers; /* one per parameter: what a pointer is for the kernel; others have none */
    bool has_null;      /* one that is passed by address is NULL */
    struct ocl_target *targets; /* one per parameter where the pass needs buffers, otherwise NULL */
    const struct ocl_bound *bound; /* one per bundle */
    struct ocl_ptx_memory memory;
};

#endif
