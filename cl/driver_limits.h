/* What ends the process in a driver instead of failing, refused before the driver is asked. Private to
 * cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_DRIVER_LIMITS_H
#define OCL_DRIVER_LIMITS_H

#include "cl/state.h"

/* clBuildProgram() for one device, or OCL_E_NOT_SUPPORTED where what comes of it could end the process;
 * then the log has the reason, and stderr once for each. */
ocl_status ocl_driver_build(const struct ocl_device *device, cl_program program,
                            const char *options);

/* The most characters that the name of a kernel may have which is launched, or whose binary is asked
 * for. SIZE_MAX: any. */
size_t ocl_driver_longest_name(const struct ocl_device *device);

/* Whether the driver may be asked for the binaries of a program, for which it compiles every kernel. */
bool ocl_driver_has_binaries(const struct ocl_device *device, cl_program program);

#endif
