/* Setting a cl_kernel's arguments from void **args. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_ARGUMENT_H
#define OCL_KERNEL_ARGUMENT_H

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

/* One launch on its way to the driver. */
struct ocl_call {
    struct ocl_kernel *kernel;
    const struct ocl_launch *launch;
    const struct ocl_plan *plan;
    struct ocl_target *targets; /* one per parameter where the pass needs buffers, otherwise NULL */
    const struct ocl_bound *bound; /* one per group */
    struct ocl_ptx_memory memory;
};

/* What a kernel must get for a pointer of the user's. */
uint64_t ocl_address_for_kernel(const struct ocl_context *context, uint64_t pointer);

/* The device whose memory an argument points into where it is none of this platform's, or another context's managed memory
 * whose pages move, or NULL; *entry is then that of void **args. Of OpenCL C pointers count, of PTX, which does not tell them, all that 8 bytes can hold. */
const struct ocl_device *ocl_launch_stranger(const struct ocl_kernel *kernel,
                                             const struct ocl_launch *launch, size_t *entry);

/* Whether a pointer argument is NULL, and whether one is in no allocation. */
bool ocl_call_has_null(const struct ocl_call *call);
bool ocl_call_has_unknown(const struct ocl_call *call);

/* Where pointers lie in their buffers: all at the beginning, where the device can make sub-buffers,
 * or somewhere else. */
enum ocl_fit { OCL_FIT_WHOLE, OCL_FIT_PARTS, OCL_FIT_NONE };

/* Finds the buffers of the pointers: all of them, or those into __constant memory only.
 * *fit is that of the one that fits worst.
 * Needs:  targets are zero.
 * Errors: OCL_E_NEEDS_ADDRESS (logged) for a pointer that is in no allocation of the context. The
 *         caller releases the targets in either case. */
ocl_status ocl_targets_find(const struct ocl_call *call, bool constant_only, enum ocl_fit *fit);

/* Makes the sub-buffers that the form needs: without offsets, of every pointer into the middle;
 * with offsets, only of __constant pointers into buffers that are larger than the device's
 * __constant memory. */
ocl_status ocl_targets_divide(const struct ocl_call *call, bool has_offsets);
void ocl_targets_release(const struct ocl_call *call);

/* Gives every argument of the instance its value; those that have it already are left alone.
 * Errors: the driver's. */
ocl_status ocl_arguments_set(const struct ocl_call *call, struct ocl_form *form,
                             struct ocl_instance *instance);

#endif
