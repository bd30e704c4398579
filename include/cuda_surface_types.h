/* cuda_surface_types.h: surface references as C++ types. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_SURFACE_TYPES_H__
#define __CUDA_SURFACE_TYPES_H__

#include "channel_descriptor.h"
#include "surface_types.h"

#if defined(__cplusplus)

/* A surface that kernels read and write by name; T is void.
 *
 * Source: CUDA C++ Programming Guide 11.8, Surface Reference API.
 */
template <class T, int dim = cudaSurfaceType1D> struct surface : public surfaceReference {
    surface() : surfaceReference()
    {
        channelDesc = cudaCreateChannelDesc<T>();
    }
};

#endif

#endif
