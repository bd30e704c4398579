/* cuda_surface_types.h: surface references as C++ types. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_SURFACE_TYPES_H__
#define __CUDA_SURFACE_TYPES_H__

#include "channel_descriptor.h"
#include "surface_types.h"

#if defined(__cplusplus)

/* clang makes an object of such a type a .surfref of PTX in the device's code. */
#if defined(__CUDA__) && defined(__clang__)
#define CLEM_REFERENCE __attribute__((device_builtin_surface_type))
#else
#define CLEM_REFERENCE
#endif

/* A surface that kernels read and write by name; T is void.
 *
 * Source: CUDA C++ Programming Guide 11.8, Surface Reference API.
 */
template <class T, int dim = cudaSurfaceType1D>
struct CLEM_REFERENCE surface : public surfaceReference {
    surface() : surfaceReference()
    {
        channelDesc = cudaCreateChannelDesc<T>();
    }
};

#undef CLEM_REFERENCE

#endif

#endif
