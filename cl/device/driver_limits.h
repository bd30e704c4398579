/* What ends the process in a driver instead of failing, refused before the driver is asked. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DRIVER_LIMITS_H
#define OCL_DRIVER_LIMITS_H

#include "cl/device/device_private.h"

/* clBuildProgram() for one device, or OCL_E_NOT_SUPPORTED where what comes of it could end the process;
 * then the log has the reason, and stderr once for each. */
ocl_status ocl_driver_build(const struct ocl_device *device, cl_program program,
                            const char *options);

/* The options with which ocl_driver_build() calls the driver, or NULL without memory. The caller frees them. */
char *ocl_driver_options(const struct ocl_device *device, const char *options);

/* The most characters that the name of a kernel may have which is launched. SIZE_MAX: any. */
size_t ocl_driver_longest_name(const struct ocl_device *device);

bool ocl_driver_is_pocl(const struct ocl_device_facts *facts);

/* The first number of PoCL's version, and 0 for all else. */
int ocl_driver_pocl_major(const struct ocl_device *device);

/* Whether the driver has a cache of its own for what it compiles, and compiles all again for whoever asks
 * for a program's binaries. PoCL does: it compiles every kernel for work-groups of any size then, which
 * takes as long as compiling for the launch (0.3 to 5 s) and is of use to no launch. */
bool ocl_driver_keeps_programs(const struct ocl_device *device);

#endif
