/* What a texel of an array is: channel descriptions, the driver's formats, and the same for cl/.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/memory/memory_array.h"

/* --- the driver's formats --------------------------------------------------------------------- */

/* Formats of any number of channels have channels 0. kind: the runtime's name. */
static const struct known_format {
    CUarray_format format;
    enum ocl_channel_type type;
    unsigned bytes, channels;
    enum cudaChannelFormatKind kind;
} known_formats[] = {
    {CU_AD_FORMAT_UNSIGNED_INT8, OCL_CHANNEL_UNSIGNED, 1, 0, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT16, OCL_CHANNEL_UNSIGNED, 2, 0, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_UNSIGNED_INT32, OCL_CHANNEL_UNSIGNED, 4, 0, cudaChannelFormatKindUnsigned},
    {CU_AD_FORMAT_SIGNED_INT8, OCL_CHANNEL_SIGNED, 1, 0, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT16, OCL_CHANNEL_SIGNED, 2, 0, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_SIGNED_INT32, OCL_CHANNEL_SIGNED, 4, 0, cudaChannelFormatKindSigned},
    {CU_AD_FORMAT_HALF, OCL_CHANNEL_FLOAT, 2, 0, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_FLOAT, OCL_CHANNEL_FLOAT, 4, 0, cudaChannelFormatKindFloat},
    {CU_AD_FORMAT_UNORM_INT8X1, OCL_CHANNEL_UNSIGNED, 1, 1,
     cudaChannelFormatKindUnsignedNormalized8X1},
    {CU_AD_FORMAT_UNORM_INT8X2, OCL_CHANNEL_UNSIGNED, 1, 2,
     cudaChannelFormatKindUnsignedNormalized8X2},
    {CU_AD_FORMAT_UNORM_INT8X4, OCL_CHANNEL_UNSIGNED, 1, 4,
     cudaChannelFormatKindUnsignedNormalized8X4},
    {CU_AD_FORMAT_UNORM_INT16X1, OCL_CHANNEL_UNSIGNED, 2, 1,
     cudaChannelFormatKindUnsignedNormalized16X1},
    {CU_AD_FORMAT_UNORM_INT16X2, OCL_CHANNEL_UNSIGNED, 2, 2,
     cudaChannelFormatKindUnsignedNormalized16X2},
    {CU_AD_FORMAT_UNORM_INT16X4, OCL_CHANNEL_UNSIGNED, 2, 4,
     cudaChannelFormatKindUnsignedNormalized16X4},
    {CU_AD_FORMAT_SNORM_INT8X1, OCL_CHANNEL_SIGNED, 1, 1, cudaChannelFormatKindSignedNormalized8X1},
    {CU_AD_FORMAT_SNORM_INT8X2, OCL_CHANNEL_SIGNED, 1, 2, cudaChannelFormatKindSignedNormalized8X2},
    {CU_AD_FORMAT_SNORM_INT8X4, OCL_CHANNEL_SIGNED, 1, 4, cudaChannelFormatKindSignedNormalized8X4},
    {CU_AD_FORMAT_SNORM_INT16X1, OCL_CHANNEL_SIGNED, 2, 1,
     cudaChannelFormatKindSignedNormalized16X1},
    {CU_AD_FORMAT_SNORM_INT16X2, OCL_CHANNEL_SIGNED, 2, 2,
     cudaChannelFormatKindSignedNormalized16X2},
    {CU_AD_FORMAT_SNORM_INT16X4, OCL_CHANNEL_SIGNED, 2, 4,
     cudaChannelFormatKindSignedNormalized16X4},
};

enum { KNOWN_FORMATS = sizeof known_formats / sizeof known_formats[0] };

/* Block-compressed, planar and packed formats: NVIDIA's hardware has them, OpenCL's images and
 * clem's kernels do not. */
static bool is_nvidias_alone(CUarray_format format)
{
    return format == CU_AD_FORMAT_NV12 || format == CU_AD_FORMAT_UNORM_INT_101010_2 ||
           (format >= CU_AD_FORMAT_BC1_UNORM && format <= CU_AD_FORMAT_Y410) ||
           (format >= CU_AD_FORMAT_Y416 && format <= CU_AD_FORMAT_YUV444_16bit_SemiPlanar);
}

static const struct known_format *find_format(CUarray_format format)
{
    for (size_t i = 0; i < KNOWN_FORMATS; i++)
        if (known_formats[i].format == format)
            return &known_formats[i];
    return NULL;
}

static bool is_channel_count(unsigned channels)
{
    return channels == 1 || channels == 2 || channels == 4;
}

static void fill_in(struct facade_array_format *format, const struct known_format *known,
                    unsigned channels)
{
    *format = (struct facade_array_format){
        .texel = {.type = known->type, .channels = channels, .channel_bytes = known->bytes},
        .format = known->format,
        .is_normalized = known->channels != 0,
    };
}

cudaError_t facade_array_format_from_driver(struct facade_array_format *format,
                                            CUarray_format driver_format, unsigned channels)
{
    const struct known_format *known = find_format(driver_format);
    if (known == NULL)
        return is_nvidias_alone(driver_format) ? cudaErrorNotSupported : cudaErrorInvalidValue;
    if (!is_channel_count(channels) || (known->channels != 0 && known->channels != channels))
        return cudaErrorInvalidValue;
    fill_in(format, known, channels);
    return cudaSuccess;
}

/* --- channel descriptions --------------------------------------------------------------------- */

/* How many channels there are: x first, without gaps and of one size; 0 when they are not. */
static unsigned count_channels(const struct cudaChannelFormatDesc *desc)
{
    const int bits[] = {desc->x, desc->y, desc->z, desc->w};
    unsigned count = 0;
    while (count < 4 && bits[count] != 0)
        count++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < count ? desc->x : 0))
            return 0;
    return is_channel_count(count) ? count : 0;
}

static bool is_described(const struct known_format *known, const struct cudaChannelFormatDesc *desc,
                         unsigned channels)
{
    return known->kind == desc->f && (int)known->bytes * 8 == desc->x &&
           (known->channels == 0 || known->channels == channels);
}

static bool is_described_as_nvidias(const struct cudaChannelFormatDesc *desc)
{
    if (desc->f == cudaChannelFormatKindNV12)
        return desc->x == 8 && desc->y == 8 && desc->z == 8 && desc->w == 0;
    return desc->f >= cudaChannelFormatKindUnsignedBlockCompressed1 &&
           desc->f <= cudaChannelFormatKindUnsignedNormalized1010102;
}

cudaError_t facade_array_format_from_desc(struct facade_array_format *format,
                                          const struct cudaChannelFormatDesc *desc)
{
    const unsigned channels = count_channels(desc);
    if (is_described_as_nvidias(desc))
        return cudaErrorNotSupported;
    for (size_t i = 0; channels != 0 && i < KNOWN_FORMATS; i++) {
        if (is_described(&known_formats[i], desc, channels)) {
            fill_in(format, &known_formats[i], channels);
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidChannelDescriptor;
}

struct cudaChannelFormatDesc facade_array_desc(const struct facade_array_format *format)
{
    const struct known_format *known = find_format(format->format);
    const int bits = (int)format->texel.channel_bytes * 8;
    const unsigned channels = format->texel.channels;
    return (struct cudaChannelFormatDesc){
        .x = bits,
        .y = channels > 1 ? bits : 0,
        .z = channels > 2 ? bits : 0,
        .w = channels > 2 ? bits : 0,
        .f = known != NULL ? known->kind : cudaChannelFormatKindNone,
    };
}
