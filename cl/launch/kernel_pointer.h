/* How the pointers of a launch reach its kernel. Private to cl/launch/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_POINTER_H
#define OCL_KERNEL_POINTER_H

#include "cl/launch/kernel_call.h"

/* Finds what the arguments point to, chooses the form that can take it, and enqueues the kernel in it.
 * Needs:  the call but for pointers and targets.
 * Errors: OCL_E_NOT_SUPPORTED (complained of) for memory that kernels of this context do not reach; OCL_E_NEEDS_ADDRESS
 *         (logged) for a pointer into no allocation where nothing else can be passed; those of ocl_form_launch(). */
ocl_status ocl_call_launch(struct ocl_call *call, struct ocl_queue *queue);

#endif
