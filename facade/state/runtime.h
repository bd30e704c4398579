/* Contexts as runtime.c makes and unmakes them; for the few files that manage contexts.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_RUNTIME_H
#define FACADE_RUNTIME_H

#include "facade/state/internal.h"

struct ocl_context; /* cl/context.h */

/* A closed context that is a live handle. NULL without memory. */
struct facade_context *facade_context_new(int device, bool is_primary);

/* The next of the ids that contexts have. */
uint64_t facade_context_next_id(void);

/* Closes the context and ends its handle. */
void facade_context_delete(struct facade_context *context);

/* The live context that cl belongs to; NULL when there is none any more. */
struct facade_context *facade_context_owning(const struct ocl_context *cl);

/* Keeps what the context owns until facade_context_leave(), for a call that another thread's reset may come upon. Between the two
 * facade_current() opens none. The object is the context, or something of it that was found before. false: it is there no more,
 * and nothing is to be left. */
bool facade_context_enter(struct facade_context *context, enum facade_kind kind,
                          const void *object);
void facade_context_leave(struct facade_context *context);
/* facade_current(), and enters that context. Errors: facade_current()'s; nothing is to be left then. */
cudaError_t facade_current_enter(struct facade_context **context);

/* cudaSuccess when context is alive, open and has not failed. Errors: cudaErrorContextIsDestroyed,
 * its failure, which also those calls answer with that give something of the context back. */
cudaError_t facade_context_check(const struct facade_context *context);

/* Opens a primary context and counts one holder more. The runtime is one holder, however often it
 * asks (hold); the driver API's callers are counted (retain). Releasing the last one closes the
 * context, as closing it ends every hold.
 * Errors: those of opening; release: cudaErrorDeviceUninitialized when nobody had retained it. */
cudaError_t facade_primary_hold(struct facade_context *primary);
cudaError_t facade_primary_retain(struct facade_context *primary);
cudaError_t facade_primary_release(struct facade_context *primary);

/* Whether facade_devices() has run: before, the driver API refuses most calls. */
bool facade_is_started(void);

/* Number of devices without starting anything: 0 before facade_devices() has run. */
int facade_known_devices(void);

/* Around a user's host function: between these two, calls of the thread are refused with
 * cudaErrorNotPermitted. */
void facade_host_function_begin(void);
void facade_host_function_end(void);

/* Waits for all work of the open context. Errors: its failure. */
cudaError_t facade_context_finish(struct facade_context *context);

#endif
