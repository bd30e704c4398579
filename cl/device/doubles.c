/* Whether a device has double for kernels in OpenCL C, by itself or by its driver.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/emulated.h"

bool ocl_device_has_double(int device)
{
    const struct ocl_device *asked = ocl_device_get(device);
    return asked->facts.has_double || *ocl_emulated_option(asked);
}
