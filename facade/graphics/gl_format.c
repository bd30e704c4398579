/* Formats of OpenGL's textures that CUDA's arrays have, too.
 * SPDX-License-Identifier: Apache-2.0 */
#include "facade/graphics/gl.h"

/* Source: the registry of OpenGL's values; which formats: CUDA Runtime API 13.0, OpenGL Interoperability. */
enum {
    BYTE = 0x1400,
    UNSIGNED_BYTE = 0x1401,
    SHORT = 0x1402,
    UNSIGNED_SHORT = 0x1403,
    INT = 0x1404,
    UNSIGNED_INT = 0x1405,
    FLOAT = 0x1406,
    HALF_FLOAT = 0x140B,
    RED = 0x1903,
    ALPHA = 0x1906,
    RGBA = 0x1908,
    LUMINANCE = 0x1909,
    LUMINANCE_ALPHA = 0x190A,
    RG = 0x8227,
    RG_INTEGER = 0x8228,
    RED_INTEGER = 0x8D94,
    ALPHA_INTEGER = 0x8D97,
    RGBA_INTEGER = 0x8D99,
    LUMINANCE_INTEGER = 0x8D9C,
    LUMINANCE_ALPHA_INTEGER = 0x8D9D,
    INTENSITY = 0x8049
};

/* One row for each internal format: its value; how it is transferred; channels, bits of each, and their kind. */
static const struct gl_format formats[] = {
    /* As the implementation chooses: bytes. */
    {RED, RED, UNSIGNED_BYTE, 1, 8, 'u'},
    {RG, RG, UNSIGNED_BYTE, 2, 8, 'u'},
    {RGBA, RGBA, UNSIGNED_BYTE, 4, 8, 'u'},
    {ALPHA, ALPHA, UNSIGNED_BYTE, 1, 8, 'u'},
    {LUMINANCE, LUMINANCE, UNSIGNED_BYTE, 1, 8, 'u'},
    {LUMINANCE_ALPHA, LUMINANCE_ALPHA, UNSIGNED_BYTE, 2, 8, 'u'},
    {INTENSITY, RED, UNSIGNED_BYTE, 1, 8, 'u'},
    /* Normalized: R8, RG8, RGBA8, R16, RG16, RGBA16, SRGB8_ALPHA8. */
    {0x8229, RED, UNSIGNED_BYTE, 1, 8, 'u'},
    {0x822B, RG, UNSIGNED_BYTE, 2, 8, 'u'},
    {0x8058, RGBA, UNSIGNED_BYTE, 4, 8, 'u'},
    {0x822A, RED, UNSIGNED_SHORT, 1, 16, 'u'},
    {0x822C, RG, UNSIGNED_SHORT, 2, 16, 'u'},
    {0x805B, RGBA, UNSIGNED_SHORT, 4, 16, 'u'},
    {0x8C43, RGBA, UNSIGNED_BYTE, 4, 8, 'u'},
    /* R16F, RG16F, RGBA16F, R32F, RG32F, RGBA32F. */
    {0x822D, RED, HALF_FLOAT, 1, 16, 'f'},
    {0x822F, RG, HALF_FLOAT, 2, 16, 'f'},
    {0x881A, RGBA, HALF_FLOAT, 4, 16, 'f'},
    {0x822E, RED, FLOAT, 1, 32, 'f'},
    {0x8230, RG, FLOAT, 2, 32, 'f'},
    {0x8814, RGBA, FLOAT, 4, 32, 'f'},
    /* R8I to R32UI, RG8I to RG32UI. */
    {0x8231, RED_INTEGER, BYTE, 1, 8, 's'},
    {0x8232, RED_INTEGER, UNSIGNED_BYTE, 1, 8, 'u'},
    {0x8233, RED_INTEGER, SHORT, 1, 16, 's'},
    {0x8234, RED_INTEGER, UNSIGNED_SHORT, 1, 16, 'u'},
    {0x8235, RED_INTEGER, INT, 1, 32, 's'},
    {0x8236, RED_INTEGER, UNSIGNED_INT, 1, 32, 'u'},
    {0x8237, RG_INTEGER, BYTE, 2, 8, 's'},
    {0x8238, RG_INTEGER, UNSIGNED_BYTE, 2, 8, 'u'},
    {0x8239, RG_INTEGER, SHORT, 2, 16, 's'},
    {0x823A, RG_INTEGER, UNSIGNED_SHORT, 2, 16, 'u'},
    {0x823B, RG_INTEGER, INT, 2, 32, 's'},
    {0x823C, RG_INTEGER, UNSIGNED_INT, 2, 32, 'u'},
    /* RGBA32UI, RGBA16UI, RGBA8UI, RGBA32I, RGBA16I, RGBA8I. */
    {0x8D70, RGBA_INTEGER, UNSIGNED_INT, 4, 32, 'u'},
    {0x8D76, RGBA_INTEGER, UNSIGNED_SHORT, 4, 16, 'u'},
    {0x8D7C, RGBA_INTEGER, UNSIGNED_BYTE, 4, 8, 'u'},
    {0x8D82, RGBA_INTEGER, INT, 4, 32, 's'},
    {0x8D88, RGBA_INTEGER, SHORT, 4, 16, 's'},
    {0x8D8E, RGBA_INTEGER, BYTE, 4, 8, 's'},
    /* ALPHA8, ALPHA16, LUMINANCE8, LUMINANCE16, LUMINANCE8_ALPHA8, LUMINANCE16_ALPHA16, INTENSITY8, INTENSITY16. */
    {0x803C, ALPHA, UNSIGNED_BYTE, 1, 8, 'u'},
    {0x803E, ALPHA, UNSIGNED_SHORT, 1, 16, 'u'},
    {0x8040, LUMINANCE, UNSIGNED_BYTE, 1, 8, 'u'},
    {0x8042, LUMINANCE, UNSIGNED_SHORT, 1, 16, 'u'},
    {0x8045, LUMINANCE_ALPHA, UNSIGNED_BYTE, 2, 8, 'u'},
    {0x8048, LUMINANCE_ALPHA, UNSIGNED_SHORT, 2, 16, 'u'},
    {0x804B, RED, UNSIGNED_BYTE, 1, 8, 'u'},
    {0x804D, RED, UNSIGNED_SHORT, 1, 16, 'u'},
    /* ALPHA, INTENSITY, LUMINANCE and LUMINANCE_ALPHA of 32F and of 16F. */
    {0x8816, ALPHA, FLOAT, 1, 32, 'f'},
    {0x8817, RED, FLOAT, 1, 32, 'f'},
    {0x8818, LUMINANCE, FLOAT, 1, 32, 'f'},
    {0x8819, LUMINANCE_ALPHA, FLOAT, 2, 32, 'f'},
    {0x881C, ALPHA, HALF_FLOAT, 1, 16, 'f'},
    {0x881D, RED, HALF_FLOAT, 1, 16, 'f'},
    {0x881E, LUMINANCE, HALF_FLOAT, 1, 16, 'f'},
    {0x881F, LUMINANCE_ALPHA, HALF_FLOAT, 2, 16, 'f'},
    /* The same four of 32UI, 16UI, 8UI, 32I, 16I and 8I. */
    {0x8D72, ALPHA_INTEGER, UNSIGNED_INT, 1, 32, 'u'},
    {0x8D73, RED_INTEGER, UNSIGNED_INT, 1, 32, 'u'},
    {0x8D74, LUMINANCE_INTEGER, UNSIGNED_INT, 1, 32, 'u'},
    {0x8D75, LUMINANCE_ALPHA_INTEGER, UNSIGNED_INT, 2, 32, 'u'},
    {0x8D78, ALPHA_INTEGER, UNSIGNED_SHORT, 1, 16, 'u'},
    {0x8D79, RED_INTEGER, UNSIGNED_SHORT, 1, 16, 'u'},
    {0x8D7A, LUMINANCE_INTEGER, UNSIGNED_SHORT, 1, 16, 'u'},
    {0x8D7B, LUMINANCE_ALPHA_INTEGER, UNSIGNED_SHORT, 2, 16, 'u'},
    {0x8D7E, ALPHA_INTEGER, UNSIGNED_BYTE, 1, 8, 'u'},
    {0x8D7F, RED_INTEGER, UNSIGNED_BYTE, 1, 8, 'u'},
    {0x8D80, LUMINANCE_INTEGER, UNSIGNED_BYTE, 1, 8, 'u'},
    {0x8D81, LUMINANCE_ALPHA_INTEGER, UNSIGNED_BYTE, 2, 8, 'u'},
    {0x8D84, ALPHA_INTEGER, INT, 1, 32, 's'},
    {0x8D85, RED_INTEGER, INT, 1, 32, 's'},
    {0x8D86, LUMINANCE_INTEGER, INT, 1, 32, 's'},
    {0x8D87, LUMINANCE_ALPHA_INTEGER, INT, 2, 32, 's'},
    {0x8D8A, ALPHA_INTEGER, SHORT, 1, 16, 's'},
    {0x8D8B, RED_INTEGER, SHORT, 1, 16, 's'},
    {0x8D8C, LUMINANCE_INTEGER, SHORT, 1, 16, 's'},
    {0x8D8D, LUMINANCE_ALPHA_INTEGER, SHORT, 2, 16, 's'},
    {0x8D90, ALPHA_INTEGER, BYTE, 1, 8, 's'},
    {0x8D91, RED_INTEGER, BYTE, 1, 8, 's'},
    {0x8D92, LUMINANCE_INTEGER, BYTE, 1, 8, 's'},
    {0x8D93, LUMINANCE_ALPHA_INTEGER, BYTE, 2, 8, 's'},
};

const struct gl_format *gl_format_find(gl_enum internal)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].internal == internal)
            return &formats[i];
    return NULL;
}
