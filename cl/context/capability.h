/* Chooses and proves the address strategy of a context. Private to cl/context/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CAPABILITY_H
#define OCL_CAPABILITY_H

#include "cl/state/state.h"

/* Fills context->capability and what blocks need of it.
 * Needs:  ocl_probe_create() succeeded and block_lock exists; no other thread knows the context; no
 *         block lives.
 * Order:  a strategy that failed may have left the driver's context unusable: the next one gets a
 *         new one. Tries bda, usm, raw, svm, handle, the one that CLEM_ADDRESS names first, and
 *         takes the first that passes its self-test. What the others lacked stands in
 *         capability.reason, and under CLEM_TRACE on stderr.
 * Errors: when none passes, what the last one failed with. */
ocl_status ocl_capability_choose(struct ocl_context *context);

/* Keeps why a context of the device cannot be opened, for ocl_context_refusal(); what was kept before stays. */
void ocl_capability_refuse(const struct ocl_context *context, const char *reason);

#endif
