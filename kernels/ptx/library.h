/* The OpenCL C library that translated kernels draw on, as text.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_LIBRARY_H
#define KERNELS_PTX_LIBRARY_H

#include "kernels/kernels.h"

/* Every file of kernels/ptx/library/; the entry after the last has no name. */
extern const struct kernel_source ptx_library_sources[];

#endif
