/* How large the work-groups of a device can be. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_WORK_GROUP_H
#define OCL_WORK_GROUP_H

#include "cl/device/device_private.h"

/* The most work-items of a work-group that a kernel can have which is built for groups of its size alone
 * (reqd_work_group_size): facts.max_work_group, or more where a trial has shown it, up to the threads of a CUDA block.
 * Order:  the first question may build and run a kernel, and wait for it, in a context of its own.
 *         Safe from any thread. */
size_t ocl_work_group_most(const struct ocl_device *device);

#endif
