/* Double precision that a driver emulates where a device has none. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_EMULATED_H
#define OCL_EMULATED_H

#include "cl/device/device_private.h"

/* What every program has to be built with to have double there: "" where the device has it anyway, no driver emulates it, or
 * not with IEEE's bits; then clem's own takes its place.
 * Order: the first question may build a program and wait for a kernel of it. Safe from any thread. */
const char *ocl_emulated_option(const struct ocl_device *device);

#endif
