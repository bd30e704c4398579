/* What a device tells of itself, and writes of other devices.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_NOTIFICATION_H
#define FACADE_NOTIFICATION_H

#include "facade/state/internal.h"

/* Registers a function for notifications of the device. The only kind, that the process has exceeded its budget of device memory,
 * does not come on Linux, where there are no budgets: the function is never called.
 * Errors: cudaErrorInvalidDevice; cudaErrorInvalidValue; cudaErrorMemoryAllocation. */
cudaError_t facade_notification_register(int device, const void *function, void **handle);
cudaError_t facade_notification_unregister(int device, const void *handle);

/* What other devices wrote into this one's memory is seen by the owner, or all: OpenCL lets none write there, and what devices
 * write into the host's memory the host sees, so that nothing is left to do. target, scope: cudaFlushGPUDirectRDMAWrites*.
 * Errors: cudaErrorInvalidValue; those of the current context. */
cudaError_t facade_flush_remote_writes(int target, int scope);

#endif
