/* Peer access as runtime and driver API share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_PEER_H
#define FACADE_PEER_H

#include "facade/state/internal.h"

/* Whether kernels on device reach memory of peer: found out by trying where both are CPUs, which
 * opens their primary contexts; no elsewhere. A device is no peer of itself.
 * Errors: cudaErrorInvalidValue, cudaErrorInvalidDevice. */
cudaError_t facade_peer_can_access(int *can, int device, int peer);

/* Access from a context to a device's memory. Where it can be had at all it is there without being
 * asked for; what was asked for is remembered, so that asking twice is told from asking once.
 * Errors: cudaErrorPeerAccessUnsupported, cudaErrorPeerAccessAlreadyEnabled,
 *         cudaErrorPeerAccessNotEnabled. */
cudaError_t facade_peer_enable(struct facade_context *context, int peer);
cudaError_t facade_peer_disable(struct facade_context *context, int peer);

#endif
