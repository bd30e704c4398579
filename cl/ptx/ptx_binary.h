/* PTX for drivers that take it as a program's binary. Private to cl/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PTX_BINARY_H
#define OCL_PTX_BINARY_H

#include "cl/program/kernel.h"
#include "cl/ptx/ptx_facts.h"

/* Whether the context's driver runs PTX as it is, by a kernel that leaves right values. Not tried
 * where CLEM_PTX says "text", where kernels have no addresses, and, unless CLEM_PTX says "binary",
 * where nothing suggests that it could. */
bool ocl_ptx_binary_works(struct ocl_context *context);

/* Takes the kernel from the driver's build of its module, which is made at the first request: fills
 * in program.cl and the arguments. False, traced with the reason, where the kernel must be
 * translated; what was filled in then is the caller's to take back.
 * Needs:  facts.parameter_count and kernel->ptx. */
bool ocl_ptx_binary_describe(struct ocl_kernel *kernel, const struct ocl_ptx_facts *facts);

#endif
