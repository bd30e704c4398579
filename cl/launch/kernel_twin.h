/* Launches whose arguments point into memory that has twins. Private to cl/launch/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_TWIN_H
#define OCL_KERNEL_TWIN_H

#include "cl/launch/kernel_call.h"

/* Around the command of a launch: writes the twins of its targets; reads back those that the kernel
 * may have written. Nothing to do without twins. When begin returned OCL_OK, end must follow;
 * is_enqueued: there is such a command.
 * Locks:  twin_lock from begin to end. Errors: the driver's; the sticky failure. */
ocl_status ocl_twins_begin(const struct ocl_call *call, struct ocl_queue *queue);
ocl_status ocl_twins_end(const struct ocl_call *call, struct ocl_queue *queue, bool is_enqueued);

#endif
