/* device_types.h: rounding modes of the conversion functions. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __DEVICE_TYPES_H__
#define __DEVICE_TYPES_H__

#include "host_defines.h"

/* Source: CUDA Runtime API 13.0, Data types used by CUDA Runtime. */

enum cudaRoundMode {
    cudaRoundNearest = 0,
    cudaRoundZero = 1,
    cudaRoundPosInf = 2,
    cudaRoundMinInf = 3,
};

#endif
