/* One OpenCL context per device in use: everything that lives on a device hangs off it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_CONTEXT_H
#define OCL_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "cl/device.h"
#include "cl/status.h"

struct ocl_context;

/* Opens a context on a device: cl_context, address strategy (self-tested), library kernels on demand, worker.
 * Needs: device in range. Owns: the caller closes it. Errors: the driver's, OCL_E_OUT_OF_MEMORY. */
ocl_status ocl_context_open(int device, struct ocl_context **context);

/* Waits for all work, then frees every queue, allocation, program and pool of the context, and the context. Safe on
 * NULL. Pointers and queues of the context are unknown afterwards. */
void ocl_context_close(struct ocl_context *context);

/* Before a context is closed and its programs are released: what kernels of it launched, and has not begun, never begins. */
void ocl_context_end_launches(struct ocl_context *context);

/* What the program has of the context and never gives back is no leak (cl/check.h). */
void ocl_context_lose(struct ocl_context *context);

int ocl_context_device(const struct ocl_context *context);

/* The strategy in use and, in words, why it was chosen ("raw: self-test passed; usm: extension missing"). */
enum ocl_address ocl_context_address(const struct ocl_context *context);
const char *ocl_context_address_reason(const struct ocl_context *context);

/* Why ocl_context_open() failed on the device: what each strategy lacked, or what the driver answered; "" where it did not
 * fail. It stays as it is. Needs: device in range. */
const char *ocl_context_refusal(int device);

/* What kernels get of the device for printf, and for malloc. */
enum ocl_limit { OCL_LIMIT_PRINT_BYTES, OCL_LIMIT_HEAP_BYTES };

/* Sets a limit; at first they are 1 MiB and 8 MiB. Errors: OCL_E_ALREADY once a kernel that needs it was launched. */
ocl_status ocl_context_limit(struct ocl_context *context, enum ocl_limit limit, size_t bytes);

/* Waits until every queue of the context is idle. Returns the context's sticky failure, if any. */
ocl_status ocl_context_finish(struct ocl_context *context);

/* OCL_OK when all work of the context is complete, OCL_E_NOT_READY when not, otherwise its sticky failure. Does not wait. */
ocl_status ocl_context_query(struct ocl_context *context);

/* What a call of the driver has answered: where only a device that has failed answers so, the context has failed. A call
 * that was refused for want of resources has not by itself failed the context, whose work is asked then. Returns
 * what is kept, if the context has failed, otherwise status. No lock is held. */
ocl_status ocl_context_judge(struct ocl_context *context, ocl_status status);

/* The sticky failure of the context: OCL_OK, or what the first failed command left. */
ocl_status ocl_context_failure(const struct ocl_context *context);

/* Whether a device has cooperative launches. Where work-groups gather, that is tried once in the process: in the context that is
 * open, whose work is waited for, or else (open is NULL) in one for the purpose. Needs: device in range. No lock is held. */
bool ocl_device_cooperates(int device, struct ocl_context *open);

#endif
