/* surface_types.h: surface modes and the surface object handle. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __SURFACE_TYPES_H__
#define __SURFACE_TYPES_H__

#include "driver_types.h"

/* Source: CUDA Runtime API 13.0, Data types used by CUDA Runtime. */

#define cudaSurfaceType1D             1
#define cudaSurfaceType2D             2
#define cudaSurfaceType3D             3
#define cudaSurfaceTypeCubemap        12
#define cudaSurfaceType1DLayered      241
#define cudaSurfaceType2DLayered      242
#define cudaSurfaceTypeCubemapLayered 252

enum cudaSurfaceBoundaryMode {
    cudaBoundaryModeZero = 0,
    cudaBoundaryModeClamp = 1,
    cudaBoundaryModeTrap = 2,
};

enum cudaSurfaceFormatMode {
    cudaFormatModeForced = 0,
    cudaFormatModeAuto = 1,
};

typedef unsigned long long cudaSurfaceObject_t;

/* A surface reference as the host sees it.
 *
 * Source: CUDA Runtime API 11.8, Surface Reference Management [DEPRECATED].
 */
struct surfaceReference {
    struct cudaChannelFormatDesc channelDesc;
};

#endif
