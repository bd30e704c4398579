/* clem's own kernels (kernels/), built per context when first needed. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_BUILTIN_H
#define OCL_BUILTIN_H

#include "cl/program.h"
#include "cl/state/state.h"

/* The kernel `name` of kernels/<file>.cl, built at the first request of the context and kept until
 * it closes.
 * Locks: one thread builds, others wait for it.
 * Errors: those of ocl_program_build(); OCL_E_NOT_FOUND when there is no such file or kernel. */
ocl_status ocl_builtin_kernel(struct ocl_context *context, const char *file, const char *name,
                              struct ocl_kernel **kernel);

/* All of kernels/<file>.cl, likewise. */
ocl_status ocl_builtin_program(struct ocl_context *context, const char *file,
                               struct ocl_program **program);

/* Releases every built-in program of a context that is closing. */
void ocl_builtin_release(struct ocl_context *context);

#endif
