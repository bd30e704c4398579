/* Compiling text, SPIR-V and stored binaries into cl_programs. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROGRAM_COMPILE_H
#define OCL_PROGRAM_COMPILE_H

#include "cl/state/state.h"

/* Makes the driver remember what parameters kernels have. */
#define OCL_OPTION_ARGUMENT_INFO "-cl-kernel-arg-info"

/* Builds a program for the context's device, through the disk cache where there is one.
 * Needs:  options is not NULL.
 * Errors: OCL_E_BUILD, the driver's; *log is then the compiler's log or NULL, otherwise NULL.
 * Owns:   the caller releases *program and frees *log. */
ocl_status ocl_program_compile(struct ocl_context *context, const void *code, size_t bytes,
                               bool is_il, const char *options, cl_program *program, char **log);

/* The same for texts of clem's own (driver_declarations.h). */
ocl_status ocl_program_compile_own(struct ocl_context *context, const void *code, size_t bytes,
                                   const char *options, cl_program *program, char **log);

/* The same, with a disk cache also where nobody asked for one: of translations, which users
 * do not know as programs that they build. */
ocl_status ocl_program_compile_kept(struct ocl_context *context, const void *code, size_t bytes,
                                    const char *options, cl_program *program, char **log);

#endif
