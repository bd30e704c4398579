/* Contexts as runtime.c makes and unmakes them; for the few files that manage contexts.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_RUNTIME_H
#define FACADE_RUNTIME_H

#include "facade/internal.h"

/* A closed context that is a live handle. NULL without memory. */
struct facade_context *facade_context_new(int device, bool is_primary);

/* Closes the context and ends its handle. */
void facade_context_delete(struct facade_context *context);

/* facade_current() without giving back the context's sticky error: what cudaDeviceReset needs. */
cudaError_t facade_current_even_failed(struct facade_context **context);

/* Called by facade_context_close() before the OpenCL context goes: the handles of what it owned become unknown. */
void facade_modules_forget(struct facade_context *context); /* library.c */
void facade_streams_forget(struct facade_context *context); /* stream.c */
void facade_events_forget(struct facade_context *context);  /* event.c */

/* cudaLimit* back to their values at start. */
void facade_limits_reset(struct facade_context *context); /* device.c */

#endif
