/* Streams that capture: what they are given becomes nodes of a graph. Here a call asks whether a stream does
 * (facade_capture_check()).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_CAPTURE_H
#define FACADE_CAPTURE_H

#include "facade/graph/graph.h"
#include "facade/state/handles.h"

/* What a call wants of a stream. */
enum facade_purpose {
    FACADE_TO_CAPTURE, /* to submit what can be a node instead */
    FACADE_TO_SUBMIT   /* to submit, wait or ask what cannot */
};

/* Whether the stream captures. Refuses what spoils captures, and spoils them, as CUDA has it.
 * Errors: cudaErrorStreamCaptureImplicit for the legacy stream while a stream captures that waits for it;
 *         cudaErrorStreamCaptureInvalidated for a capture that was spoilt; cudaErrorStreamCaptureUnsupported for
 *         FACADE_TO_SUBMIT in a stream that captures. */
cudaError_t facade_capture_check(struct facade_stream *stream, enum facade_purpose purpose,
                                 bool *is_capturing);

/* Calls that may wait for other streams, or be ordered with them, which threads may forbid themselves and others while
 * they capture (cudaThreadExchangeStreamCaptureMode). Errors: cudaErrorStreamCaptureUnsupported, which spoils. */
cudaError_t facade_capture_check_call(void);

/* Calls that ask a stream whether it is done, wait for it or manage memory in its order: what FACADE_TO_SUBMIT refuses, and
 * then what facade_capture_check_call() does. */
cudaError_t facade_capture_check_wait(struct facade_stream *stream);

/* The same for calls that wait for a whole context. */
cudaError_t facade_capture_check_context(const struct facade_context *context);

/* The same for those of a green context. */
cudaError_t facade_capture_check_green(const struct facade_green *green);

/* Adds a node behind what the stream has captured. Owns: takes the reference to work, and child, whatever comes of it.
 * Errors: cudaErrorMemoryAllocation; cudaErrorStreamCaptureInvalidated; cudaErrorIllegalState when the capture has
 *         ended meanwhile. */
cudaError_t facade_capture_add(struct facade_stream *stream, enum cudaGraphNodeType type,
                               struct facade_work *work, struct facade_graph *child);

/* An event that is recorded in a stream that captures, or in one that does not: what it stood for is forgotten. */
cudaError_t facade_capture_record(struct facade_event *event, struct facade_stream *stream);
void facade_capture_forget_event(struct facade_event *event);

/* A wait for an event in a stream; *is_done when there is nothing else to wait for.
 * Errors: cudaErrorStreamCaptureMerge, ...Isolation, ...Implicit, ...Invalidated; cudaErrorCapturedEvent. */
cudaError_t facade_capture_wait(struct facade_event *event, struct facade_stream *stream,
                                bool *is_done);

/* Errors: cudaErrorCapturedEvent for an event that was last recorded in a stream that captured, which spoils the
 *         capture. */
cudaError_t facade_capture_check_event(const struct facade_event *event);

/* The same for the time between events, which spoils nothing. Errors: cudaErrorInvalidValue once the capture is over. */
cudaError_t facade_capture_check_time(const struct facade_event *event);

/* Begins and ends. graph is the user's, or NULL for a new one.
 * Errors: begin: cudaErrorIllegalState, cudaErrorStreamCaptureUnsupported for the legacy stream; end: those of
 *         cudaStreamEndCapture(). */
cudaError_t facade_capture_begin(struct facade_stream *stream, int mode, struct facade_graph *graph,
                                 const cudaGraphNode_t *before, size_t count);
/* graph: NULL where nobody asks for it. */
cudaError_t facade_capture_end(struct facade_stream *stream, cudaGraph_t *graph);

/* The stream goes, and with it what it began. */
void facade_capture_leave(struct facade_stream *stream);

/* What the stream's next node depends on, until the stream is used again. Errors: cudaErrorStreamCaptureImplicit for the
 * legacy stream while a stream captures that waits for it. */
struct facade_capture_info {
    enum cudaStreamCaptureStatus status;
    unsigned long long id;
    cudaGraph_t graph;
    const cudaGraphNode_t *nodes;
    const cudaGraphEdgeData *edges;
    size_t count;
};
cudaError_t facade_capture_ask(struct facade_stream *stream, struct facade_capture_info *info);

/* Errors: cudaErrorIllegalState; cudaErrorStreamCaptureInvalidated; cudaErrorInvalidValue for other nodes than the
 *         graph's; cudaErrorMemoryAllocation. */
cudaError_t facade_capture_depend(struct facade_stream *stream, const cudaGraphNode_t *nodes,
                                  size_t count, bool only_these);

#endif
