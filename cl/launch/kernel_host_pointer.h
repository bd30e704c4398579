/* Arguments that point to the host's memory, which kernels of a GPU do not reach. Private to launch/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_HOST_POINTER_H
#define OCL_KERNEL_HOST_POINTER_H

#include "cl/program/kernel.h"

/* Under --check=guard: OCL_E_ACCESS, reported, where an argument is the address of what the process can read and no call of CUDA's has
 * made. Otherwise OCL_OK. Of OpenCL C pointers are looked at, of PTX, which does not tell them, all that has 8 bytes. Needs: the
 * launch has its arguments. */
ocl_status ocl_kernel_refuse_host_pointers(const struct ocl_kernel *kernel,
                                           const struct ocl_launch *launch);

#endif
