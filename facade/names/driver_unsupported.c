/* Bodies of the driver functions that clem does not offer, so that programs which name them link. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif
#include "facade/state/internal.h"
#include "include/cudaProfiler.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define UNSUPPORTED(name, parameters)                                                              \
    CUresult name parameters                                                                       \
    {                                                                                              \
        return facade_driver_unsupported(#name);                                                   \
    }
#include "facade/lists/driver_unsupported.def"
