/* Generated kernels that make pointers of what a driver can pass. Private to cl/program/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_WRAPPER_H
#define OCL_WRAPPER_H

#include "cl/program/kernel.h"

/* The OpenCL C text of a kernel `name` with one parameter per slot of the form, which calls the
 * user's kernel.
 * Shape: pointers to global memory are converted through void pointers, so that no name of a
 *        pointed-to type is needed; __local pointers are declared with the widest alignment,
 *        because NVIDIA's compiler aligns them by their declared type.
 * Owns:  the caller frees it. NULL only without memory. */
char *ocl_wrapper_text(const struct ocl_kernel *kernel, const struct ocl_form *form,
                       const char *name);

/* Builds the program's text with the wrapper behind it, and fills in form's program and name.
 * Errors: OCL_E_NOT_SUPPORTED where the program has no text or the wrapper does not build (both
 *         logged); OCL_E_OUT_OF_MEMORY; the driver's. */
ocl_status ocl_wrapper_build(struct ocl_kernel *kernel, struct ocl_form *form);

#endif
