/* The header that Thrust and others include for its name; they use nothing of it. CUDA's has functions (cudaOcc...) that
 * compute occupancy from the numbers of NVIDIA's multiprocessors: here the device is asked instead, by
 * cudaOccupancyMaxActiveBlocksPerMultiprocessor() and cudaOccupancyMaxPotentialBlockSize() of cuda_runtime.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef __cuda_occupancy_h__
#define __cuda_occupancy_h__

#include <stddef.h>

#endif
