/* cudaProfiler.h: the driver API's profiler switches. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDAPROFILER_H
#define CUDAPROFILER_H

#include "cuda.h"

/* cuProfilerStart, cuProfilerStop: ask a profiler to record, or to stop recording.
 *
 * Differs: OpenCL has no profiler to steer. Both succeed and do nothing, so they need no library.
 * Source:  CUDA Driver API 13.0, Profiler Control.
 */
static __inline__ CUresult cuProfilerStart(void)
{
    return CUDA_SUCCESS;
}

static __inline__ CUresult cuProfilerStop(void)
{
    return CUDA_SUCCESS;
}

#endif
