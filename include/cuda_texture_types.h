/* cuda_texture_types.h: texture references as C++ types. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CUDA_TEXTURE_TYPES_H__
#define __CUDA_TEXTURE_TYPES_H__

#include "channel_descriptor.h"
#include "texture_types.h"

#if defined(__cplusplus)

/* clang makes an object of such a type a .texref of PTX in the device's code. */
#if defined(__CUDA__) && defined(__clang__)
#define CLEM_REFERENCE __attribute__((device_builtin_texture_type))
#else
#define CLEM_REFERENCE
#endif

/* A texture of texels of type T, read by kernels that name it. The object is what the host says of
 * it; __cudaRegisterTexture ties it to a name in device code, and binding reads its members.
 *
 * Source: CUDA C++ Programming Guide 11.8, Texture Reference API.
 */
template <class T, int dim = cudaTextureType1D,
          enum cudaTextureReadMode mode = cudaReadModeElementType>
struct CLEM_REFERENCE texture : public textureReference {
    explicit texture(int isNormalized = 0, enum cudaTextureFilterMode filter = cudaFilterModePoint,
                     enum cudaTextureAddressMode address = cudaAddressModeClamp)
        : texture(isNormalized, filter, address, cudaCreateChannelDesc<T>())
    {
    }

    texture(int isNormalized, enum cudaTextureFilterMode filter,
            enum cudaTextureAddressMode address, struct cudaChannelFormatDesc desc)
        : textureReference()
    {
        normalized = isNormalized;
        filterMode = filter;
        addressMode[0] = address;
        addressMode[1] = address;
        addressMode[2] = address;
        channelDesc = desc;
    }
};

#undef CLEM_REFERENCE

#endif

#endif
