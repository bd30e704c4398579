/* Programs of OpenCL C built once more for work-groups of one shape, which may be larger then. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROGRAM_SHAPED_H
#define OCL_PROGRAM_SHAPED_H

#include "cl/program/kernel.h"

/* The same kernel, in a variant of its program whose kernels are all for work-groups of that shape alone; built at the
 * first request. It goes with the program.
 * Needs:  the kernel is no translation, and its text wants no shape of its own.
 * Errors: OCL_E_NOT_SUPPORTED where it cannot be had, which a line of the log says; OCL_E_OUT_OF_MEMORY; the driver's.
 * Locks:  program.lock, not while it builds. */
ocl_status ocl_program_shaped(struct ocl_kernel *kernel, const size_t shape[3],
                              struct ocl_kernel **shaped);

#endif
