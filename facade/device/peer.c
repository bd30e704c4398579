/* Access from one device's kernels to another one's memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/device/peer.h"

#include "cl/device.h"
#include "cl/peer.h"
#include "facade/device/device.h"
#include "facade/state/runtime.h"

enum { MOST_DEVICES = 64 };

enum answer { NOT_ASKED, YES, NO };

static _Atomic unsigned char answers[MOST_DEVICES][MOST_DEVICES];

static bool is_cpu(int device)
{
    return ocl_device_facts(device)->device_class == OCL_CLASS_CPU;
}

static cudaError_t try_access(int device, int peer, enum answer *answer)
{
    struct facade_context *from = facade_primary(device), *to = facade_primary(peer);
    cudaError_t error = facade_primary_hold(from);
    if (error == cudaSuccess)
        error = facade_primary_hold(to);
    if (error == cudaSuccess)
        *answer = ocl_peer_reaches(atomic_load(&from->cl), atomic_load(&to->cl)) ? YES : NO;
    return error;
}

cudaError_t facade_peer_can_access(int *can, int device, int peer)
{
    cudaError_t error = facade_device_check(device);
    if (error == cudaSuccess)
        error = facade_device_check(peer);
    if (error == cudaSuccess && can == NULL)
        error = cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return error;
    *can = 0;
    if (device == peer || device >= MOST_DEVICES || peer >= MOST_DEVICES || !is_cpu(device) ||
        !is_cpu(peer) || !ocl_device_shares_platform(device, peer))
        return cudaSuccess;
    enum answer answer = (enum answer)atomic_load(&answers[device][peer]);
    if (answer == NOT_ASKED)
        error = try_access(device, peer, &answer);
    if (error == cudaSuccess)
        atomic_store(&answers[device][peer], (unsigned char)answer);
    *can = answer == YES;
    return error;
}

cudaError_t facade_peer_enable(struct facade_context *context, int peer)
{
    int can = 0;
    cudaError_t error = facade_peer_can_access(&can, context->device, peer);
    if (error != cudaSuccess)
        return error;
    if (can == 0)
        return cudaErrorPeerAccessUnsupported;
    const uint64_t bit = (uint64_t)1 << peer;
    return (atomic_fetch_or(&context->peers, bit) & bit) != 0 ? cudaErrorPeerAccessAlreadyEnabled
                                                              : cudaSuccess;
}

cudaError_t facade_peer_disable(struct facade_context *context, int peer)
{
    const uint64_t bit = peer < MOST_DEVICES ? (uint64_t)1 << peer : 0;
    return (atomic_fetch_and(&context->peers, ~bit) & bit) != 0 ? cudaSuccess
                                                                : cudaErrorPeerAccessNotEnabled;
}

/* --- entry points ----------------------------------------------------------------------------- */

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    return facade_result(facade_peer_can_access(canAccessPeer, device, peerDevice));
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_device_check(peerDevice);
    if (error == cudaSuccess && flags != 0)
        error = cudaErrorInvalidValue;
    if (error == cudaSuccess)
        error = facade_current(&context);
    return facade_result(error == cudaSuccess ? facade_peer_enable(context, peerDevice) : error);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice)
{
    struct facade_context *context = NULL;
    cudaError_t error = facade_device_check(peerDevice);
    if (error == cudaSuccess)
        error = facade_current(&context);
    return facade_result(error == cudaSuccess ? facade_peer_disable(context, peerDevice) : error);
}
