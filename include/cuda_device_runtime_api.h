/* cuda_device_runtime_api.h: kept for sources that include it; kernels cannot call the runtime. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "builtin_types.h"

/* Launching kernels from kernels needs the device runtime, which OpenCL has no equal of. What kernels may call of it,
 * cudaGraphSetConditional(), clemcc declares in each source (crt/device_runtime.h).
 */

#endif
