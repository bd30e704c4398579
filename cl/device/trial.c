/* The objects of OpenCL with which it is tried what a device can do.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/trial.h"

cl_int ocl_trial_begin(struct ocl_trial *trial)
{
    const struct ocl_device *device = trial->device;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)device->platform, 0};
    cl_int error = CL_SUCCESS;
    trial->context = clCreateContext(properties, 1, &device->id, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        trial->queue = clCreateCommandQueue(trial->context, device->id, 0, &error);
    return error;
}

void ocl_trial_end(const struct ocl_trial *trial)
{
    if (trial->kernel)
        clReleaseKernel(trial->kernel);
    if (trial->program)
        clReleaseProgram(trial->program);
    if (trial->buffer)
        clReleaseMemObject(trial->buffer);
    if (trial->queue)
        clReleaseCommandQueue(trial->queue);
    if (trial->context)
        clReleaseContext(trial->context);
}
