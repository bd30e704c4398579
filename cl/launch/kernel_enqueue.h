/* A launch in one form. Private to cl/launch/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_ENQUEUE_H
#define OCL_KERNEL_ENQUEUE_H

#include "cl/launch/kernel_call.h"

/* Gives a cl_kernel of the form its arguments and enqueues it; written and read back are the twins of the targets.
 * Needs:  the call's pointers, and its targets where the form takes buffers. Errors: those of making the form; the
 *         driver's; OCL_E_LAUNCH_SIZE; the sticky failure. */
ocl_status ocl_form_launch(const struct ocl_call *call, enum ocl_form_kind kind,
                           struct ocl_queue *queue);

/* Whether the launch, of a native kernel, can be a piece of a chain (cl/queue/chain.h): one work-item does it, and waits for
 * nobody. And giving it to the queue as such. Errors: OCL_E_OUT_OF_MEMORY; the driver's; the sticky failure. */
bool ocl_form_may_chain(const struct ocl_call *call, const struct ocl_queue *queue);
ocl_status ocl_form_chain(const struct ocl_call *call, struct ocl_queue *queue);

#endif
