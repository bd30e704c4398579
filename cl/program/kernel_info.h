/* What the parameters of kernels are: kinds, sizes, alignments. Private to cl/program/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_KERNEL_INFO_H
#define OCL_KERNEL_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cl/status.h"

struct ocl_program;

/* Size and alignment of a type of OpenCL C's own, by the name that drivers report ("uint4",
 * "unsigned char", "size_t"). Units: bytes. Returns false for names that only the program knows.
 * Source: OpenCL C 3.0, 6.3.1, 6.3.2 and 6.3.5 (a vector of 3 takes the room of 4). */
bool ocl_kernel_info_type(const char *name, uint32_t address_bits, size_t *bytes,
                          size_t *alignment);

/* Finds the sizes of all types of the program that ocl_kernel_info_type() does not know, by
 * building and running a kernel that stores them. Types that it cannot name keep size 0.
 * Errors: OCL_E_OUT_OF_MEMORY, the driver's: worth trying again. */
ocl_status ocl_kernel_size_types(struct ocl_program *program);

#endif
