/* The driver API's peer access: no device reaches another one's memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/driver.h"
#include "facade/peer.h"

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    CUresult result = facade_driver_ready();
    return result == CUDA_SUCCESS
               ? facade_driver_error(facade_peer_can_access(canAccessPeer, dev, peerDev))
               : result;
}

static CUresult check_peer(CUcontext peer)
{
    CUresult result = facade_driver_check();
    if (result != CUDA_SUCCESS)
        return result;
    return facade_handle_find(FACADE_CONTEXT, peer) != NULL ? CUDA_SUCCESS
                                                            : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    CUresult result = check_peer(peerContext);
    if (result != CUDA_SUCCESS)
        return result;
    return Flags == 0 ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
    CUresult result = check_peer(peerContext);
    return result == CUDA_SUCCESS ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : result;
}
