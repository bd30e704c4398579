/* channel_descriptor.h: the channel format of a C++ type or of a format kind. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#if defined(__cplusplus)

/* What an array element of type T holds: count components of bits bits. Types that no array can
 * hold, vectors of three and 8 byte components among them, have no components.
 */
template <class T> struct clem_channels {
    static constexpr int count = 0;
    static constexpr int bits = 0;
    static constexpr cudaChannelFormatKind kind = cudaChannelFormatKindNone;
};

#define CLEM_CHANNELS(type, components, component_kind)                                            \
    template <> struct clem_channels<type> {                                                       \
        static constexpr int count = components;                                                   \
        static constexpr int bits = static_cast<int>(sizeof(type)) * 8 / components;               \
        static constexpr cudaChannelFormatKind kind = cudaChannelFormatKind##component_kind;       \
    };

CLEM_CHANNELS(char, 1, Signed)
CLEM_CHANNELS(signed char, 1, Signed)
CLEM_CHANNELS(char1, 1, Signed)
CLEM_CHANNELS(char2, 2, Signed)
CLEM_CHANNELS(char4, 4, Signed)
CLEM_CHANNELS(unsigned char, 1, Unsigned)
CLEM_CHANNELS(uchar1, 1, Unsigned)
CLEM_CHANNELS(uchar2, 2, Unsigned)
CLEM_CHANNELS(uchar4, 4, Unsigned)
CLEM_CHANNELS(short, 1, Signed)
CLEM_CHANNELS(short1, 1, Signed)
CLEM_CHANNELS(short2, 2, Signed)
CLEM_CHANNELS(short4, 4, Signed)
CLEM_CHANNELS(unsigned short, 1, Unsigned)
CLEM_CHANNELS(ushort1, 1, Unsigned)
CLEM_CHANNELS(ushort2, 2, Unsigned)
CLEM_CHANNELS(ushort4, 4, Unsigned)
CLEM_CHANNELS(int, 1, Signed)
CLEM_CHANNELS(int1, 1, Signed)
CLEM_CHANNELS(int2, 2, Signed)
CLEM_CHANNELS(int4, 4, Signed)
CLEM_CHANNELS(unsigned int, 1, Unsigned)
CLEM_CHANNELS(uint1, 1, Unsigned)
CLEM_CHANNELS(uint2, 2, Unsigned)
CLEM_CHANNELS(uint4, 4, Unsigned)
CLEM_CHANNELS(float, 1, Float)
CLEM_CHANNELS(float1, 1, Float)
CLEM_CHANNELS(float2, 2, Float)
CLEM_CHANNELS(float4, 4, Float)

#undef CLEM_CHANNELS

static inline cudaChannelFormatDesc clem_channel_description(int count, int bits,
                                                             cudaChannelFormatKind kind)
{
    return {count > 0 ? bits : 0, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
            kind};
}

/* cudaCreateChannelDesc<T>: the format of array elements of type T.
 *
 * Returns: bits of each component, 0 for those that T lacks; kind None for a type that cannot be an
 *          array element.
 * Source:  CUDA Runtime API 13.0, C++ API Routines.
 */
template <class T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    return clem_channel_description(clem_channels<T>::count, clem_channels<T>::bits,
                                    clem_channels<T>::kind);
}

/* cudaCreateChannelDesc<kind>: the format that a normalized, packed or compressed kind implies.
 *
 * Returns: bits of each component; kind None for the plain kinds, which imply no size.
 * Source:  CUDA Runtime API 13.0, C++ API Routines.
 */
template <cudaChannelFormatKind kind> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    switch (kind) {
    case cudaChannelFormatKindUnsignedNormalized8X1:
    case cudaChannelFormatKindSignedNormalized8X1:
    case cudaChannelFormatKindUnsignedBlockCompressed4:
    case cudaChannelFormatKindSignedBlockCompressed4:
        return clem_channel_description(1, 8, kind);
    case cudaChannelFormatKindUnsignedNormalized8X2:
    case cudaChannelFormatKindSignedNormalized8X2:
    case cudaChannelFormatKindUnsignedBlockCompressed5:
    case cudaChannelFormatKindSignedBlockCompressed5:
        return clem_channel_description(2, 8, kind);
    case cudaChannelFormatKindNV12:
        return clem_channel_description(3, 8, kind);
    case cudaChannelFormatKindUnsignedNormalized8X4:
    case cudaChannelFormatKindSignedNormalized8X4:
    case cudaChannelFormatKindUnsignedBlockCompressed1:
    case cudaChannelFormatKindUnsignedBlockCompressed1SRGB:
    case cudaChannelFormatKindUnsignedBlockCompressed2:
    case cudaChannelFormatKindUnsignedBlockCompressed2SRGB:
    case cudaChannelFormatKindUnsignedBlockCompressed3:
    case cudaChannelFormatKindUnsignedBlockCompressed3SRGB:
    case cudaChannelFormatKindUnsignedBlockCompressed7:
    case cudaChannelFormatKindUnsignedBlockCompressed7SRGB:
        return clem_channel_description(4, 8, kind);
    case cudaChannelFormatKindUnsignedNormalized16X1:
    case cudaChannelFormatKindSignedNormalized16X1:
        return clem_channel_description(1, 16, kind);
    case cudaChannelFormatKindUnsignedNormalized16X2:
    case cudaChannelFormatKindSignedNormalized16X2:
        return clem_channel_description(2, 16, kind);
    case cudaChannelFormatKindUnsignedBlockCompressed6H:
    case cudaChannelFormatKindSignedBlockCompressed6H:
        return clem_channel_description(3, 16, kind);
    case cudaChannelFormatKindUnsignedNormalized16X4:
    case cudaChannelFormatKindSignedNormalized16X4:
        return clem_channel_description(4, 16, kind);
    case cudaChannelFormatKindUnsignedNormalized1010102:
        return {10, 10, 10, 2, kind};
    default:
        return clem_channel_description(0, 0, cudaChannelFormatKindNone);
    }
}

/* cudaCreateChannelDescHalf...: formats of one, two or four 16 bit floating point components. */
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return clem_channel_description(1, 16, cudaChannelFormatKindFloat);
}

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1()
{
    return clem_channel_description(1, 16, cudaChannelFormatKindFloat);
}

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2()
{
    return clem_channel_description(2, 16, cudaChannelFormatKindFloat);
}

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4()
{
    return clem_channel_description(4, 16, cudaChannelFormatKindFloat);
}

#endif

#endif
