/* Access from one device to another one's memory: OpenCL offers none, so every question is answered
 * with no.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/peer.h"
#include "facade/device.h"

cudaError_t facade_peer_can_access(int *can, int device, int peer)
{
    if (can == NULL)
        return cudaErrorInvalidValue;
    cudaError_t error = facade_device_check(device);
    if (error == cudaSuccess)
        error = facade_device_check(peer);
    if (error == cudaSuccess)
        *can = 0;
    return error;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    return facade_result(facade_peer_can_access(canAccessPeer, device, peerDevice));
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    struct facade_context *context = NULL;
    if (flags != 0)
        return facade_result(cudaErrorInvalidValue);
    cudaError_t error = facade_device_check(peerDevice);
    if (error == cudaSuccess)
        error = facade_current(&context);
    return facade_result(error == cudaSuccess ? cudaErrorPeerAccessUnsupported : error);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_device_check(peerDevice);
    if (error == cudaSuccess)
        error = facade_current(&context);
    return facade_result(error == cudaSuccess ? cudaErrorPeerAccessNotEnabled : error);
}
