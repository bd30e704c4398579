/* What clem-run --check checks of a launch's arguments. Private to launch/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_CHECKED_H
#define OCL_KERNEL_CHECKED_H

#include "cl/program/kernel.h"

/* Under --check=guard: OCL_E_ACCESS, reported, where an argument is the address of what the process can read and no call of
 * CUDA's has made. Otherwise OCL_OK. Of OpenCL C pointers are looked at, of PTX, which does not tell them, all that has 8 bytes. Needs: the
 * launch has its arguments. */
ocl_status ocl_kernel_refuse_host_pointers(const struct ocl_kernel *kernel,
                                           const struct ocl_launch *launch);

/* The kernel runs without the checks of kernels: what it writes counts as all that there is, and of a PTX kernel it is said. */
void ocl_kernel_note_unchecked(const struct ocl_kernel *kernel);

/* What the arguments point to is used by the queue, which has got the launch (cl/memory/uses.h). Needs: as above. */
void ocl_kernel_note_uses(const struct ocl_kernel *kernel, const struct ocl_launch *launch,
                          const struct ocl_queue *queue);

#endif
