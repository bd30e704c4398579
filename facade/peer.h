/* Peer access as runtime and driver API share it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef FACADE_PEER_H
#define FACADE_PEER_H

#include "facade/internal.h"

/* Whether kernels on device reach memory of peer: never. Errors: cudaErrorInvalidValue,
 * cudaErrorInvalidDevice. */
cudaError_t facade_peer_can_access(int *can, int device, int peer);

#endif
