/* Why a launch is more than the device takes, in words. Private to cl/launch/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_LIMITS_H
#define OCL_KERNEL_LIMITS_H

#include "cl/program.h"

/* Says which limit a launch exceeds that ended with the status, with the limit and what was asked for, as
 * ocl_kernel_complain() does. For other statuses, nothing. Returns the status. */
ocl_status ocl_kernel_explain(struct ocl_kernel *kernel, const struct ocl_launch *launch,
                              ocl_status status);

#endif
