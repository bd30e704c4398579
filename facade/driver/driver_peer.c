/* The driver API's peer access.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/device/peer.h"
#include "facade/driver/driver.h"

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_peer_can_access(canAccessPeer, dev, peerDev))
               : result;
}

static CUresult find_pair(CUcontext handle, struct facade_context **context,
                          struct facade_context **peer)
{
    CUresult result = facade_driver_current(context);
    if (result != CUDA_SUCCESS)
        return result;
    *peer = facade_context_find(handle);
    return *peer != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    struct facade_context *context = NULL, *peer = NULL;
    CUresult result = find_pair(peerContext, &context, &peer);
    if (result == CUDA_SUCCESS && Flags != 0)
        result = CUDA_ERROR_INVALID_VALUE;
    return result == CUDA_SUCCESS ? facade_driver_error(facade_peer_enable(context, peer->device))
                                  : result;
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
    struct facade_context *context = NULL, *peer = NULL;
    CUresult result = find_pair(peerContext, &context, &peer);
    return result == CUDA_SUCCESS ? facade_driver_error(facade_peer_disable(context, peer->device))
                                  : result;
}
