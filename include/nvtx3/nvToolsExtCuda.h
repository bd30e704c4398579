/* nvtx3/nvToolsExtCuda.h: names that tools show for objects of CUDA's driver API. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVTX3_NVTOOLSEXTCUDA_H
#define NVTX3_NVTOOLSEXTCUDA_H

#include "../cuda.h"
#include "nvToolsExt.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Nobody asks for the names; see nvToolsExt.h.
 *
 * Source: NVTX 3.2, the names of CUDA's driver API.
 */
NVTX_INLINE_STATIC void nvtxNameCuDeviceA(CUdevice device, const char *name)
{
    (void)device, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCuDeviceW(CUdevice device, const wchar_t *name)
{
    (void)device, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCuContextA(CUcontext context, const char *name)
{
    (void)context, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCuContextW(CUcontext context, const wchar_t *name)
{
    (void)context, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCuStreamA(CUstream stream, const char *name)
{
    (void)stream, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCuStreamW(CUstream stream, const wchar_t *name)
{
    (void)stream, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCuEventA(CUevent event, const char *name)
{
    (void)event, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCuEventW(CUevent event, const wchar_t *name)
{
    (void)event, (void)name;
}

#if defined(UNICODE)
#define nvtxNameCuDevice  nvtxNameCuDeviceW
#define nvtxNameCuContext nvtxNameCuContextW
#define nvtxNameCuStream  nvtxNameCuStreamW
#define nvtxNameCuEvent   nvtxNameCuEventW
#else
#define nvtxNameCuDevice  nvtxNameCuDeviceA
#define nvtxNameCuContext nvtxNameCuContextA
#define nvtxNameCuStream  nvtxNameCuStreamA
#define nvtxNameCuEvent   nvtxNameCuEventA
#endif

#if defined(__cplusplus)
}
#endif

#endif
