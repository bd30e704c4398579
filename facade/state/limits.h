/* Limits of contexts: what cudaDeviceSetLimit() and cuCtxSetLimit() are about.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_LIMITS_H
#define FACADE_LIMITS_H

#include <driver_types.h>
#include <stddef.h>

struct facade_context;

/* Shared memory of a block, static and dynamic, that does not opt in to more (capability.h), whatever the device. Units: bytes.
 * Source: CUDA C++ Programming Guide 13.0, technical specifications. */
enum { FACADE_SHARED_BYTES = 48 * 1024 };

/* Those of a context that was opened just now, and its configurations. */
void facade_limits_reset(struct facade_context *context);

/* limit: CU_LIMIT_*. Errors: cudaErrorInvalidValue (no limit, more than can be, or one that kernels use already),
 * cudaErrorUnsupportedLimit, cudaErrorNotPermitted (read-only). */
cudaError_t facade_limit_change(struct facade_context *context, int limit, size_t value);
cudaError_t facade_limit_read(const struct facade_context *context, int limit, size_t *value);

#endif
