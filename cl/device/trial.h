/* The objects of OpenCL with which it is tried what a device can do before there is a context of clem's. Private to
 * cl/device/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_TRIAL_H
#define OCL_TRIAL_H

#include "cl/device/device_private.h"

/* Each NULL until it is there; all are released in the end. */
struct ocl_trial {
    const struct ocl_device *device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer;
};

/* Makes context and queue. Needs: device is set, the rest NULL. Errors: the driver's; the caller calls end then too. */
cl_int ocl_trial_begin(struct ocl_trial *trial);
void ocl_trial_end(const struct ocl_trial *trial);

#endif
