/* nvtx3/nvToolsExtCudaRt.h: names that tools show for objects of CUDA's runtime API. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVTX3_NVTOOLSEXTCUDART_H
#define NVTX3_NVTOOLSEXTCUDART_H

#include "../driver_types.h"
#include "nvToolsExt.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Nobody asks for the names; see nvToolsExt.h.
 *
 * Source: NVTX 3.2, the names of CUDA's runtime API.
 */
NVTX_INLINE_STATIC void nvtxNameCudaDeviceA(int device, const char *name)
{
    (void)device, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCudaDeviceW(int device, const wchar_t *name)
{
    (void)device, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCudaStreamA(cudaStream_t stream, const char *name)
{
    (void)stream, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCudaStreamW(cudaStream_t stream, const wchar_t *name)
{
    (void)stream, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCudaEventA(cudaEvent_t event, const char *name)
{
    (void)event, (void)name;
}

NVTX_INLINE_STATIC void nvtxNameCudaEventW(cudaEvent_t event, const wchar_t *name)
{
    (void)event, (void)name;
}

#if defined(UNICODE)
#define nvtxNameCudaDevice nvtxNameCudaDeviceW
#define nvtxNameCudaStream nvtxNameCudaStreamW
#define nvtxNameCudaEvent  nvtxNameCudaEventW
#else
#define nvtxNameCudaDevice nvtxNameCudaDeviceA
#define nvtxNameCudaStream nvtxNameCudaStreamA
#define nvtxNameCudaEvent  nvtxNameCudaEventA
#endif

#if defined(__cplusplus)
}
#endif

#endif
