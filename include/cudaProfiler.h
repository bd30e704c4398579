/* cudaProfiler.h: the driver API's profiler switches. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CUDAPROFILER_H
#define CUDAPROFILER_H

#include "cuda.h"

#if defined(__cplusplus)
extern "C" {
#endif

#pragma GCC visibility push(default)

/* cuProfilerStart, cuProfilerStop: ask a profiler to record, or to stop recording.
 *
 * Order:   neither waits for queued work.
 * Errors:  CUDA_ERROR_NOT_INITIALIZED; CUDA_ERROR_INVALID_CONTEXT without a current context.
 * Differs: OpenCL has no profiler to steer, so both only check that there is a context.
 * Source:  CUDA Driver API 13.0, Profiler Control.
 */
/* Not supported: CUDA 13 has no profiler that reads files. */
typedef enum CUoutput_mode_enum {
    CU_OUT_KEY_VALUE_PAIR = 0x00,
    CU_OUT_CSV = 0x01,
} CUoutput_mode;
CUresult CUDAAPI cuProfilerInitialize(const char *configFile, const char *outputFile,
                                      CUoutput_mode outputMode);

CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

#pragma GCC visibility pop

#if defined(__cplusplus)
}
#endif

#endif
