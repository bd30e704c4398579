/* Green contexts: parts of a device, with streams of their own in its primary context. The parts are numbers: OpenCL runs
 * each command where there is room.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_GREEN_H
#define FACADE_GREEN_H

#include "facade/state/handles.h"

/* Makes one of so many multiprocessors, and retains the device's primary context. Errors: those of opening that;
 * cudaErrorMemoryAllocation. */
cudaError_t facade_green_create(int device, unsigned multiprocessors, struct facade_green **made);

/* Its streams stay, and are good for nothing but to be destroyed. Needs: green is live. */
void facade_green_destroy(struct facade_green *green);

/* Records the point after all that its streams, and its default stream if that was used, were given so far; makes all wait that
 * they are given from now on. Errors: the driver's. */
ocl_status facade_green_gather(struct facade_green *green, struct ocl_event *event);
ocl_status facade_green_hold(struct facade_green *green, struct ocl_event *event);

/* A new stream of the green context that is current. Errors: as facade_green_wait(). */
cudaError_t facade_green_join(struct facade_green *green, struct facade_stream *stream);

/* The legacy stream is about to be used as the default stream of the green context that is current. Errors: likewise. */
cudaError_t facade_green_enter_default(struct facade_green *green, struct facade_stream *legacy);

/* --- green_event.c ---------------------------------------------------------------------------- */

/* A non-blocking stream. Errors: cudaErrorMemoryAllocation; the context's failure. */
cudaError_t facade_green_create_stream(struct facade_green *green, int priority,
                                       cudaStream_t *handle);

/* Records the point after all that its streams were given so far, its default stream among them; makes all wait that they are
 * given from now on, in streams that are made later too.
 * Errors: those of finding the event; cudaErrorInvalidResourceHandle for one of another context; those of captures. */
cudaError_t facade_green_record(struct facade_green *green, cudaEvent_t event);
cudaError_t facade_green_wait(struct facade_green *green, cudaEvent_t event);

/* Waits for what its streams were given so far. Errors: as facade_green_wait(). */
cudaError_t facade_green_finish(struct facade_green *green);

#endif
