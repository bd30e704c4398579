/* Uses clem and OpenCL itself, through what clem.h gives.
 * SPDX-License-Identifier: Apache-2.0 */
#include <clem.h>
#include <stdio.h>

int main(void)
{
    cl_device_id device;
    char name[256] = "";
    if (clemDeviceGetOpenCL(0, NULL, &device, NULL) != cudaSuccess ||
        clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL) != CL_SUCCESS)
        return 1;
    puts(name);
    return 0;
}
