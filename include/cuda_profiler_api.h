/* cuda_profiler_api.h: switches a profiler on and off from inside a program. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__

#include "driver_types.h"

#if defined(__cplusplus)
extern "C" {
#endif

#pragma GCC visibility push(default)

/* cudaProfilerStart, cudaProfilerStop: ask a profiler to record, or to stop recording.
 *
 * Order:   neither waits for queued work.
 * Differs: OpenCL has no profiler to steer, so both only check that a device can be used.
 * Source:  CUDA Runtime API 13.0, Profiler Control.
 */
cudaError_t CUDARTAPI cudaProfilerStart(void);
cudaError_t CUDARTAPI cudaProfilerStop(void);

#pragma GCC visibility pop

#if defined(__cplusplus)
}
#endif

#endif
