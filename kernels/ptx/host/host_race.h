/* Cells of races as the device's library has them, as C of the host. Private to kernels/ptx/host/ and its tests.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNELS_PTX_HOST_HOST_RACE_H
#define KERNELS_PTX_HOST_HOST_RACE_H

#include "kernels/ptx/host/opencl_c.h"
#include "kernels/ptx/library/check.h"

#define __global /* one memory */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#define CLEM_ALONE inline
#include "kernels/ptx/library/race.cl"
#pragma GCC diagnostic pop

#endif
