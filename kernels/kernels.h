/* The OpenCL C files of kernels/, as text inside the library.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_H
#define KERNELS_H

#include <stddef.h>

/* One file: its name without ".cl" or ".ptx", its NUL-terminated text (OpenCL C begins with a
 * #line directive that names the file, PTX does not) and the number of bytes before the NUL. */
struct kernel_source {
    const char *name;
    const char *text;
    size_t bytes;
};

/* Every file, by name; the entry after the last has no name. */
extern const struct kernel_source kernel_sources[];

/* The same for kernels/access/, which only clem-bench has. */
extern const struct kernel_source access_sources[];

/* What a user's `#include "clem_device.h"` stands for: device/clem_device.h and all it includes. */
extern const struct kernel_source kernel_device_header;

#endif
