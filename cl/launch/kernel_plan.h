/* What a launch comes to: which variant it goes in, its work-items, commands and memory. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_PLAN_H
#define OCL_KERNEL_PLAN_H

#include "cl/program/kernel.h"

/* Worked out once for a launch and carried with it: whoever makes memory, sets arguments or enqueues reads
 * it here. */
struct ocl_plan {
    /* Work-items per dimension, as clEnqueueNDRangeKernel takes them. */
    cl_uint dimensions;
    size_t global[3], local[3];
    size_t portion[3]; /* work-items of one enqueued command; all that there are, mostly */
    /* PTX_FORM_BLOCK: thread blocks in a row, along x, that each work-item runs; PTX_FORM_NATIVE: as ocl_widened(). */
    size_t joined;
    /* Bytes for the threads' scratch: of __local memory for a work-group; where the kernel spills, of
     * __global memory for each thread block of a command. */
    size_t scratch_bytes;
    size_t shared_bytes; /* where the kernel spills: of __global memory for each thread block */
    size_t
        at_once; /* where the kernel spills: thread blocks of a command, > 0; where they take turns: that may have
                          * begun and not ended */
    struct ocl_native
        *native;  /* PTX_FORM_NATIVE: the kernel's code for these blocks, which the kernel keeps */
    bool is_vast; /* likewise: as of struct ptx_target */
    size_t first; /* the offset of all its commands in dimension 0 */
};

/* Works it out, and replaces *kernel by the variant that keeps shared memory and scratch in __global memory
 * where the device's __local memory does not hold them.
 * Needs:  ocl_kernel_ready() was OCL_OK, and the facts' status is.
 * Errors: OCL_E_LAUNCH_SIZE for what kernel or device do not take; OCL_E_NOT_SUPPORTED (logged) for a cooperative launch of
 *         a kernel whose blocks cannot wait for each other; OCL_E_OUT_OF_MEMORY (logged where it is the
 *         device that has no room for one thread block); the driver's, about the variant. */
ocl_status ocl_plan_make(struct ocl_kernel **kernel, const struct ocl_launch *launch,
                         struct ocl_plan *plan);

/* What to launch after the driver refused the variant that the kernel's plan had chosen, as too large: the kernel anew where
 * its next plan spills, otherwise the variant compiled for this shape alone, which is the last resort. NULL: nothing. */
struct ocl_kernel *ocl_plan_smaller(struct ocl_kernel *kernel, struct ocl_kernel *variant,
                                    const struct ocl_launch *launch);

#endif
