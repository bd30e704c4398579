/* Copies and fills by the kernels of kernels/. Private to cl/transfer/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRANSFER_KERNEL_H
#define OCL_TRANSFER_KERNEL_H

#include "cl/state/state.h"
#include "cl/transfer.h"

/* Copies a collapsed volume between addresses that kernels of the queue's context reach. Enqueues
 * without waiting.
 * Needs: source and target do not overlap. Errors: those of building and launching. */
ocl_status ocl_transfer_kernel_copy(struct ocl_queue *queue, const struct ocl_copy *copy);

/* Fills the target of a collapsed volume with a pattern of four bytes that begins anew in each row.
 */
ocl_status ocl_transfer_kernel_fill(struct ocl_queue *queue, const struct ocl_copy *shape,
                                    uint32_t pattern);

#endif
