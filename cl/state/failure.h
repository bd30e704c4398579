/* The sticky failure of a context: the first one that its work has come to.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_FAILURE_H
#define OCL_FAILURE_H

#include <stdbool.h>

#include "cl/status.h"

struct ocl_context;

/* Keeps the first failure of the context, as what it is as such: where it speaks of memory or of the device's absence,
 * OCL_E_EXECUTION. Returns the one that is kept; OCL_OK for OCL_OK. Ordinary refusals of a call (bad size, no memory) are not
 * sticky; a negative execution status of a command is. */
ocl_status ocl_context_fail(struct ocl_context *context, ocl_status status);

/* Whether only a device that has failed answers a call so. */
bool ocl_tells_failure(ocl_status status);

#endif
