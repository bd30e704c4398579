/* What the files of the driver API share. They include it first: it keeps cuda.h from giving
 * functions the names of their newest versions, because these files define every version.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_DRIVER_H
#define FACADE_DRIVER_H

#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif

#include "facade/state/handles.h"
#include "include/cudaProfiler.h"

/* Driver functions never call runtime entry points, which would record a last error: both APIs call
 * the same facade_* functions, and driver functions turn what those return with
 * facade_driver_error(). */

/* CUDA_SUCCESS once cuInit, or a runtime call that starts devices, was made.
 * Errors: CUDA_ERROR_NOT_INITIALIZED, also in a forked child; CUDA_ERROR_DEINITIALIZED after exit
 *         handlers have run. */
CUresult facade_driver_ready(void);

/* The calling thread's current context; unlike the runtime, the driver API neither makes nor opens
 * one.
 * Errors: those of facade_driver_ready(); CUDA_ERROR_INVALID_CONTEXT without a current context;
 *         CUDA_ERROR_CONTEXT_IS_DESTROYED for one that was destroyed, released or reset; the
 *         context's failure. */
CUresult facade_driver_current(struct facade_context **context);

/* The same for functions that want to know no more than that there is one. */
CUresult facade_driver_check(void);

/* Errors: those of facade_driver_ready(); CUDA_ERROR_INVALID_DEVICE. */
CUresult facade_driver_device(CUdevice device);

#endif
