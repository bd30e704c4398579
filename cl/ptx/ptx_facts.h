/* What a device can do for PTX. Private to cl/ptx/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PTX_FACTS_H
#define OCL_PTX_FACTS_H

#include "cl/state/state.h"
#include "kernels/ptx/ptx.h"

/* Translations are OpenCL C 1.2, whatever else the driver would take. */
#define OCL_TRANSLATION_OPTIONS "-cl-std=CL1.2"

/* The option under which a device divides exactly, where it can: ptx_target.has_exact_divide. */
#define OCL_EXACT_DIVISION "-cl-fp32-correctly-rounded-divide-sqrt"

struct ocl_ptx_facts {
    struct ptx_target target;
    bool runs_ptx; /* as it is: ptx_binary.h */
};

/* Found out at the first request of a context, with kernels of its own. NULL only without memory. */
const struct ocl_ptx_facts *ocl_ptx_facts(struct ocl_context *context);

#endif
