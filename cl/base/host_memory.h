/* What the host has left. Private to cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef OCL_HOST_MEMORY_H
#define OCL_HOST_MEMORY_H

#include <stdint.h>

/* Bytes that this process can take from the host and touch without being killed for it, as far as
 * can be known; UINT64_MAX when nothing can. Cost: opens files, so it is not for hot paths. */
uint64_t ocl_host_memory_available(void);

/* The most bytes that the control groups of this process let it have, as they were at the first call; UINT64_MAX
 * when they do not say. */
uint64_t ocl_host_memory_limit(void);

#endif
