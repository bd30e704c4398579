/* Stream capture: beginning, ending and asking, and what threads forbid meanwhile.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/graph/capture.h"
#include "facade/state/thread_state.h"
#include "facade/stream/stream.h"

static bool is_mode(int mode)
{
    return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

cudaError_t facade_stream_begin_capture(cudaStream_t handle, int mode)
{
    struct facade_stream *stream = NULL;
    cudaError_t error = facade_stream_look(handle, &stream);
    if (error == cudaSuccess && !is_mode(mode))
        error = cudaErrorInvalidValue;
    return error == cudaSuccess ? facade_capture_begin(stream, mode, NULL, NULL, 0) : error;
}

cudaError_t facade_stream_begin_capture_to(cudaStream_t handle, cudaGraph_t graph_handle,
                                           const cudaGraphNode_t *nodes,
                                           const cudaGraphEdgeData *edges, size_t count, int mode)
{
    struct facade_stream *stream = NULL;
    struct facade_graph *graph = NULL;
    cudaError_t error = facade_stream_look(handle, &stream);
    if (error == cudaSuccess && !is_mode(mode))
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = facade_graph_find(graph_handle, &graph);
    if (error == cudaSuccess)
        error = facade_graph_check_nodes(graph, nodes, count);
    if (error == cudaSuccess)
        error = facade_graph_check_edges(edges, count);
    return error == cudaSuccess ? facade_capture_begin(stream, mode, graph, nodes, count) : error;
}

cudaError_t facade_stream_end_capture(cudaStream_t handle, cudaGraph_t *graph)
{
    struct facade_stream *stream = NULL;
    cudaError_t error = facade_stream_look(handle, &stream);
    return error == cudaSuccess ? facade_capture_end(stream, graph) : error;
}

/* Nothing but the status is written for a stream that is not capturing. */
cudaError_t facade_stream_capture_info(cudaStream_t handle, int *status, unsigned long long *id,
                                       cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                       const cudaGraphEdgeData **edges, size_t *count)
{
    struct facade_stream *stream = NULL;
    struct facade_capture_info info;
    cudaError_t error = facade_stream_look(handle, &stream);
    if (error == cudaSuccess)
        error = facade_capture_ask(stream, &info);
    if (error != cudaSuccess)
        return error;
    *status = (int)info.status;
    if (info.status == cudaStreamCaptureStatusNone)
        return cudaSuccess;
    if (id != NULL)
        *id = info.id;
    if (info.status == cudaStreamCaptureStatusInvalidated)
        return cudaSuccess;
    if (graph != NULL)
        *graph = info.graph;
    if (nodes != NULL)
        *nodes = info.nodes;
    if (edges != NULL)
        *edges = info.edges;
    if (count != NULL)
        *count = info.count;
    return cudaSuccess;
}

cudaError_t facade_stream_depend(cudaStream_t handle, const cudaGraphNode_t *nodes,
                                 const cudaGraphEdgeData *edges, size_t count, unsigned flags)
{
    struct facade_stream *stream = NULL;
    cudaError_t error = facade_stream_look(handle, &stream);
    if (error == cudaSuccess && flags > cudaStreamSetCaptureDependencies)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = facade_graph_check_edges(edges, count);
    return error == cudaSuccess ? facade_capture_depend(stream, nodes, count,
                                                        flags == cudaStreamSetCaptureDependencies)
                                : error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    return facade_result(facade_stream_begin_capture(stream, (int)mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *dependencyData,
                                          size_t numDependencies, enum cudaStreamCaptureMode mode)
{
    return facade_result(facade_stream_begin_capture_to(stream, graph, dependencies, dependencyData,
                                                        numDependencies, (int)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *pGraph)
{
    return facade_result(facade_stream_end_capture(stream, pGraph));
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *dependencyData,
                                                size_t numDependencies, unsigned int flags)
{
    return facade_result(
        facade_stream_depend(stream, dependencies, dependencyData, numDependencies, flags));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
    return cudaStreamGetCaptureInfo(stream, pCaptureStatus, NULL, NULL, NULL, NULL, NULL);
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream,
                                     enum cudaStreamCaptureStatus *captureStatus_out,
                                     unsigned long long *id_out, cudaGraph_t *graph_out,
                                     const cudaGraphNode_t **dependencies_out,
                                     const cudaGraphEdgeData **edgeData_out,
                                     size_t *numDependencies_out)
{
    int status = 0;
    if (captureStatus_out == NULL)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_stream_capture_info(
        stream, &status, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out);
    if (error == cudaSuccess)
        *captureStatus_out = (enum cudaStreamCaptureStatus)status;
    return facade_result(error);
}

cudaError_t facade_exchange_capture_mode(int *mode)
{
    if (*mode < cudaStreamCaptureModeGlobal || *mode > cudaStreamCaptureModeRelaxed)
        return cudaErrorInvalidValue;
    int old = facade_thread()->capture_mode;
    facade_thread()->capture_mode = *mode;
    *mode = old;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    if (mode == NULL)
        return facade_result(cudaErrorInvalidValue);
    int value = (int)*mode;
    cudaError_t error = facade_exchange_capture_mode(&value);
    if (error == cudaSuccess)
        *mode = (enum cudaStreamCaptureMode)value;
    return facade_result(error);
}
