/* A device as OpenCL knows it. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DEVICE_PRIVATE_H
#define OCL_DEVICE_PRIVATE_H

#include "cl/base/opencl.h"
#include "cl/device.h"

struct ocl_extension; /* extension.h: function pointers per platform */

struct ocl_device {
    int index;
    cl_platform_id platform;
    cl_device_id id;
    const struct ocl_extension *extension;
    struct ocl_device_facts facts;
};

/* Needs: index in range. */
const struct ocl_device *ocl_device_get(int index);

#endif
