/* The driver API's stream capture. What it makes is a graph of the runtime's: both APIs' handles are the same.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver/driver.h"

#include "facade/stream/stream.h"

/* Edges of both APIs are the same bytes. */
_Static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData), "one layout");
_Static_assert(offsetof(CUgraphEdgeData, type) == offsetof(cudaGraphEdgeData, type), "one layout");

static const cudaGraphEdgeData *edges_of(const CUgraphEdgeData *edges)
{
    return (const cudaGraphEdgeData *)(const void *)edges;
}

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_stream_begin_capture(hStream, (int)mode))
               : result;
}

CUresult cuStreamBeginCapture(CUstream hStream)
{
    return cuStreamBeginCapture_v2(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                     const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_stream_begin_capture_to(hStream, hGraph, dependencies,
                                                                    edges_of(dependencyData),
                                                                    numDependencies, (int)mode))
               : result;
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph *phGraph)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS ? facade_driver_error(facade_stream_end_capture(hStream, phGraph))
                                  : result;
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode *dependencies,
                                              const CUgraphEdgeData *dependencyData,
                                              size_t numDependencies, unsigned int flags)
{
    CUresult result = facade_driver_check();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_stream_depend(
                     hStream, dependencies, edges_of(dependencyData), numDependencies, flags))
               : result;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode *dependencies,
                                           size_t numDependencies, unsigned int flags)
{
    return cuStreamUpdateCaptureDependencies_v2(hStream, dependencies, NULL, numDependencies,
                                                flags);
}
