/* Allocations of more than CL_DEVICE_MAX_MEM_ALLOC_SIZE. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_LARGE_H
#define OCL_LARGE_H

#include "cl/device/device_private.h"

/* What every program has to be built with whose kernels may get such memory: "" where there is none, or nothing is wanted.
 * Order: the first question may build a program. Safe from any thread. */
const char *ocl_large_option(const struct ocl_device *device);

/* Flags beside others for memory of so many bytes: 0 where it is no more than the driver gives without, or the driver was
 * not seen to give more.
 * Order: the first question about more makes such an allocation, and waits for a kernel that touches both its ends. */
cl_mem_flags ocl_large_flags(const struct ocl_device *device, size_t bytes);

#endif
