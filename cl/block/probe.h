/* Runs kernels/probe.cl: learning addresses, and self-tests. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PROBE_H
#define OCL_PROBE_H

#include "cl/state/state.h"

/* Makes the driver's objects that a context begins with: context.cl, context.service, and the built
 * program.
 * Needs: context.device is set. Errors: OCL_E_BUILD, OCL_E_OUT_OF_MEMORY, the driver's; then none
 *        of them is left. */
ocl_status ocl_probe_create(struct ocl_context *context);

/* Releases them. Safe on a context without. Needs: nothing else of the context lives. */
void ocl_probe_destroy(struct ocl_context *context);

/* The device address of byte 0 of a buffer.
 * Order: waits for one kernel, and for nothing that users submitted. Safe from many threads. */
ocl_status ocl_probe_learn(struct ocl_context *context, cl_mem buffer, uint64_t *address);

/* A kernel of the program; the caller releases it. */
ocl_status ocl_probe_kernel(struct ocl_context *context, const char *name, cl_kernel *kernel);

/* The one that follows the address which it is given as argument 0; the same. Needs: no other thread asks. */
ocl_status ocl_probe_follow_kernel(struct ocl_context *context, cl_kernel *kernel);

/* Runs one work-item of a kernel whose arguments are set, and waits. Errors: the driver's, also
 * when the command itself failed. */
ocl_status ocl_probe_run(struct ocl_context *context, cl_kernel kernel);

#endif
