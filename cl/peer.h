/* Whether kernels of one context reach the device memory of another.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_PEER_H
#define OCL_PEER_H

#include <stdbool.h>

#include "cl/context.h"

/* Whether kernels of context may read and write device memory of peer at its address. Proved by a
 * kernel that does; only where both contexts' device memory is the host's, which both of them can
 * then name. OpenCL gives no other way, and elsewhere trying might end the context.
 * Cost: builds and runs a small program in context: for who keeps the answer. */
bool ocl_peer_reaches(struct ocl_context *context, struct ocl_context *peer);

#endif
