/* What a kernel is told about a texture or a surface: the same layout in C and in OpenCL C.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_TEXTURE_FACTS_H
#define CLEM_TEXTURE_FACTS_H

#ifdef __OPENCL_C_VERSION__
#define CLEM_U32         uint
#define CLEM_U64         ulong
#define CLEM_F32         float
#define CLEM_JOIN_(a, b) a##b
#define CLEM_JOIN(a, b)  CLEM_JOIN_(a, b) /* after the expansion of a and b */
#else
#include <stdint.h>
#define CLEM_U32 uint32_t
#define CLEM_U64 uint64_t
#define CLEM_F32 float
#endif

/* How one channel's bits become a number. U, S: element read mode, the bits zero- or sign-extended;
 * UNORM, SNORM: normalised read mode; SRGB8: normalised, and channels x, y, z hold sRGB; only x of
 * two channels does. */
#define CLEM_FORMAT_F32     0u
#define CLEM_FORMAT_F16     1u
#define CLEM_FORMAT_UNORM8  2u
#define CLEM_FORMAT_UNORM16 3u
#define CLEM_FORMAT_SNORM8  4u
#define CLEM_FORMAT_SNORM16 5u
#define CLEM_FORMAT_SRGB8   6u
#define CLEM_FORMAT_U8      7u
#define CLEM_FORMAT_U16     8u
#define CLEM_FORMAT_U32     9u
#define CLEM_FORMAT_S8      10u
#define CLEM_FORMAT_S16     11u
#define CLEM_FORMAT_S32     12u

/* Address modes, numbered as enum ocl_address_mode and CUDA number them. */
#define CLEM_ADDRESS_WRAP   0u
#define CLEM_ADDRESS_CLAMP  1u
#define CLEM_ADDRESS_MIRROR 2u
#define CLEM_ADDRESS_BORDER 3u

/* Bits of clem_texture.flags. */
#define CLEM_TEXTURE_LINEAR        1u  /* filter between texels */
#define CLEM_TEXTURE_LEVELS_LINEAR 2u  /* filter between mipmap levels */
#define CLEM_TEXTURE_NORMALIZED    4u  /* coordinates are parts of the whole, not texels */
#define CLEM_TEXTURE_SEAMLESS      8u  /* linear filtering crosses the edges of cube faces */
#define CLEM_TEXTURE_CUBE          16u /* layers are faces */

/* clem_texture.plain, which clem_texture_complete() sets for the hand path's fastest cases: what is
 * told apart, once for all fetches of a kernel, by comparing these bits. 0 with several levels. */
#define CLEM_PLAIN(format, channels) (((format) + 1u) | (channels) << 8)
#define CLEM_PLAIN_LINEAR            (1u << 12) /* is filtered between texels */
#define CLEM_PLAIN_X                 (1u << 13) /* the address mode of an axis is clamp or wrap */
#define CLEM_PLAIN_Y                 (1u << 14)
#define CLEM_PLAIN_WRAPS_X           (1u << 15) /* it is wrap */
#define CLEM_PLAIN_WRAPS_Y           (1u << 16)
#define CLEM_PLAIN_NORMALIZED        (1u << 17)

/* What else the hand path has shortcuts for: textures of one level. */
#define CLEM_SHORTCUT_NONE     0u
#define CLEM_SHORTCUT_F32      1u
#define CLEM_SHORTCUT_F32X4    2u
#define CLEM_SHORTCUT_UNORM8   3u
#define CLEM_SHORTCUT_UNORM8X4 4u

/* Levels after the first start at multiples of this many bytes. */
#define CLEM_LEVEL_UNIT 256u
#define CLEM_MAX_LEVELS 16

/* A texture as sampled from memory. Texel (x, y, z) of level 0 lies at memory + offset +
 * z * slice_bytes + y * pitch + x * channels * (bytes of one channel).
 * Level n > 0 has max(1, width >> n) texels in a row and so on (layers and faces stay as many); it
 * starts at memory + offset + level_start[n] * CLEM_LEVEL_UNIT, its pitch is its row's bytes
 * rounded up to a multiple of pitch_alignment, and its slices or layers stand pitch * rows apart.
 * A view of some of an array's levels or layers has its first level as level 0 here (width, height,
 * depth, pitch, slice_bytes are that level's, level_start counts from `offset` on) and says in
 * first_layer which of the layers that lie in memory its layer 0 is. Layered one-dimensional
 * textures have height 1: layers stand slice_bytes apart there too. */
struct clem_texture {
    CLEM_U64 offset;      /* bytes from the memory parameter to texel 0 of level 0 */
    CLEM_U64 slice_bytes; /* level 0: from slice to slice, or from layer to layer */
    /* By clem_texture_complete(), for plain textures. So wide because compilers then see that no
     * store of a user's float or int changes them. */
    CLEM_U64 plain, plain_size, plain_pitch; /* width + (height << 32) */
    CLEM_U32 pitch;                          /* level 0: bytes from row to row */
    CLEM_U32 width, height, depth; /* level 0, texels, each at least 1. CLEM_TEXTURE1D_BUFFER: width
                                    * is the number of texels. depth is 1 where there are layers */
    CLEM_U32 layers;               /* at least 1; cubes: six for each */
    CLEM_U32 first_layer;
    CLEM_U32 levels; /* at least 1 */
    CLEM_U32 format, channels;
    CLEM_U32 flags;
    CLEM_U32 address[3]; /* the effective ones: clem_texture_complete() */
    CLEM_F32 border[4];  /* integer formats: the bits of the channel values */
    CLEM_F32 level_bias, min_level, max_level;
    CLEM_U32 pitch_alignment; /* bytes, a power of two */
    CLEM_U32 level_start[CLEM_MAX_LEVELS];
    CLEM_U32 shortcut; /* clem_texture_complete() */
};

/* What is left for clem to know of a texture that goes by image, where the sampler does the rest: the
 * fields of that name in struct clem_texture. Small, because every launch hands it to the driver. */
struct clem_image {
    CLEM_U32 width, height, layers;
    CLEM_U32 format, channels;
    CLEM_U32 flags;
    CLEM_U32 address[2];
};

/* A surface: one level of an array. Byte x of row y of slice or layer z lies at memory + offset +
 * z * slice_bytes + y * pitch + x. */
struct clem_surface {
    CLEM_U64 offset;
    CLEM_U64 slice_bytes;
    CLEM_U32 pitch;
    CLEM_U32 row_bytes;     /* width of the level in bytes */
    CLEM_U32 height, depth; /* rows; slices, or layers (cubes: six for each); each at least 1 */
};

#ifndef __OPENCL_C_VERSION__
static inline struct clem_image clem_image_of(const struct clem_texture *texture)
{
    return (struct clem_image){texture->width,
                               texture->height,
                               texture->layers,
                               texture->format,
                               texture->channels,
                               texture->flags,
                               {texture->address[0], texture->address[1]}};
}

/* What a texel that held the value would read as. Units: steps from 0 to 1. */
static inline float clem_border_stored(float value, float least, float steps)
{
    const float kept = value < least ? least : value > 1 ? 1 : value == value ? value : 0;
    return (float)((int32_t)(kept * steps + steps + 0.5f) - (int32_t)steps) / steps;
}

static inline float clem_border_channel(uint32_t format, uint32_t channels, uint32_t channel,
                                        float value)
{
    union {
        float real;
        uint32_t bits;
    } kept = {value};
    switch (format) {
    case CLEM_FORMAT_UNORM8:
        return clem_border_stored(value, 0, 255);
    case CLEM_FORMAT_UNORM16:
        return clem_border_stored(value, 0, 65535);
    case CLEM_FORMAT_SNORM8:
        return clem_border_stored(value, -1, 127);
    case CLEM_FORMAT_SNORM16:
        return clem_border_stored(value, -1, 32767);
    case CLEM_FORMAT_SRGB8:
        if (channel == 3 || (channels == 2 && channel == 1))
            return clem_border_stored(value, 0, 255);
        return value > 0 ? value < 1 ? value : 1 : 0;
    case CLEM_FORMAT_U8:
        kept.bits &= 0xffu;
        break;
    case CLEM_FORMAT_U16:
        kept.bits &= 0xffffu;
        break;
    case CLEM_FORMAT_S8:
        kept.bits = ((kept.bits & 0xffu) ^ 0x80u) - 0x80u;
        break;
    case CLEM_FORMAT_S16:
        kept.bits = ((kept.bits & 0xffffu) ^ 0x8000u) - 0x8000u;
        break;
    default:
        break;
    }
    return kept.real;
}

/* What clem_texture.plain is to be, the other fields being complete. */
static inline uint32_t clem_plain_bits(const struct clem_texture *texture)
{
    uint32_t bits = CLEM_PLAIN(texture->format, texture->channels);
    if (texture->levels != 1)
        return 0;
    if (texture->format < CLEM_FORMAT_U8 && texture->flags & CLEM_TEXTURE_LINEAR)
        bits |= CLEM_PLAIN_LINEAR;
    if (texture->flags & CLEM_TEXTURE_NORMALIZED)
        bits |= CLEM_PLAIN_NORMALIZED;
    for (int i = 0; i < 2; i++) {
        if (texture->address[i] <= CLEM_ADDRESS_CLAMP)
            bits |= CLEM_PLAIN_X << i;
        if (texture->address[i] == CLEM_ADDRESS_WRAP)
            bits |= CLEM_PLAIN_WRAPS_X << i;
    }
    return bits;
}

/* To be called once all other fields are filled in as the user asked: brings address modes and
 * border to what the hardware makes of them, and sets the bits that are clem's own. */
static inline void clem_texture_complete(struct clem_texture *texture)
{
    for (int i = 0; i < 3; i++) {
        uint32_t *mode = &texture->address[i];
        const int folds = *mode == CLEM_ADDRESS_WRAP || *mode == CLEM_ADDRESS_MIRROR;
        if (folds && !(texture->flags & CLEM_TEXTURE_NORMALIZED))
            *mode = CLEM_ADDRESS_CLAMP;
    }
    for (uint32_t i = 0; i < 4; i++)
        texture->border[i] =
            i < texture->channels
                ? clem_border_channel(texture->format, texture->channels, i, texture->border[i])
                : 0;
    texture->shortcut = CLEM_SHORTCUT_NONE;
    if (texture->levels == 1 && texture->channels != 2) {
        const uint32_t is_wide = texture->channels == 4;
        if (texture->format == CLEM_FORMAT_F32)
            texture->shortcut = CLEM_SHORTCUT_F32 + is_wide;
        else if (texture->format == CLEM_FORMAT_UNORM8)
            texture->shortcut = CLEM_SHORTCUT_UNORM8 + is_wide;
    }
    texture->plain = clem_plain_bits(texture);
    texture->plain_size = texture->width | (uint64_t)texture->height << 32;
    texture->plain_pitch = texture->pitch;
}
#endif

#endif
