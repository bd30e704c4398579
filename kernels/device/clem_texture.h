/* Textures in OpenCL C: CUDA's fetch functions, sampled by hand from memory or by image.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A kernel names its textures with the parameter macros below and fetches with CUDA's functions,
 * the type first:
 *
 *     #include "clem_device.h"
 *     __kernel void smooth(CLEM_TEXTURE2D(picture), __global float *out, int width) {
 *         int x = get_global_id(0), y = get_global_id(1);
 *         out[y * width + x] = tex2D(float, picture, x + 1.0f, y + 1.0f);
 *     }
 *
 * The texture takes one entry of void **args: the 64-bit texture object. A kernel's own functions
 * take textures with the same macros, and are given them by CLEM_PASS_TEXTURE(picture),
 * CLEM_PASS_TEXTURE1D_BUFFER(table) and CLEM_PASS_SURFACE(target).
 *
 * What the launcher does. A program that contains a parameter macro is built in up to two variants:
 *
 *   -DCLEM_TEXTURES_BY_IMAGE=0 (or nothing)     a texture is the kernel parameters
 *        __global const uchar *clem_texture_memory__NAME,
 *        struct clem_texture clem_texture_facts__NAME
 *   -DCLEM_TEXTURES_BY_IMAGE=1                  a texture is the kernel parameters
 *        imageXX_t clem_texture_image__NAME, sampler_t clem_texture_sampler__NAME,
 *        struct clem_image clem_texture_facts__NAME
 *
 * in this order, side by side, recognised by the names before "__". The bundle stands where its
 * first parameter does and takes one args entry; so do
 *
 *   CLEM_TEXTURE1D_BUFFER in both variants: clem_texture_memory__NAME and clem_texture_facts__NAME
 *        (a plain load is what an image buffer's fetch is, and sees later writes)
 *   CLEM_SURFACE in both variants: __global uchar *clem_surface_memory__NAME,
 *        struct clem_surface clem_surface_facts__NAME
 *
 * CLEM_TEXTURE_REFERENCE1D(NAME) and so on, the texture references of old programs, are the same
 * bundle followed by `uint clem_texture_reference__NAME`: the bundle then takes no args entry, it is
 * fed from the module's reference NAME, and that last parameter is given anything (0).
 * CLEM_SURFACE_REFERENCE(NAME) likewise: clem_surface_reference__NAME.
 *
 * struct clem_texture (clem_texture_facts.h) is finished by clem_texture_complete(), and struct
 * clem_image made from it by clem_image_of(). The memory parameter is the array's first byte (or
 * the buffer that holds it with the rest in facts.offset); no alignment beyond the texel's own is
 * needed (rows too start at multiples of it), except that mipmap levels start at multiples of
 * CLEM_LEVEL_UNIT from the first one.
 *
 * Nothing else is specialised: the hand path reads the facts at run time. Its commonest cases,
 * plain textures (CLEM_PLAIN) of one channel, become vector code on CPUs all the same.
 *
 * By image everything is left to the sampler, so a texture can go by image only if all of this
 * holds (and the image variant is launched only if it holds for every texture of the launch):
 *   - it views one level of an array, from layer 0 on;
 *   - all used dimensions have one address mode after clem_texture_complete(): clamp is
 *     CL_ADDRESS_CLAMP_TO_EDGE, wrap is CL_ADDRESS_REPEAT, mirror is CL_ADDRESS_MIRRORED_REPEAT,
 *     border is CL_ADDRESS_CLAMP and its colour 0 (0.0f in all four); cubes: clamp, not seamless;
 *   - the device has the format for this image type: F32 CL_FLOAT, F16 CL_HALF_FLOAT, UNORM8
 *     CL_UNORM_INT8, ... U8 CL_UNSIGNED_INT8, ... S32 CL_SIGNED_INT32; 1, 2, 4 channels CL_R,
 *     CL_RG, CL_RGBA; SRGB8 CL_sRGBA with CL_UNORM_INT8;
 *   - the sampler's filter is linear if CLEM_TEXTURE_LINEAR, its coordinates are normalised if
 *     CLEM_TEXTURE_NORMALIZED; for the cube types always;
 *   - the driver does it right, which cl/image/image_test.c tries. PoCL 3.1 reads CL_HALF_FLOAT as whole
 *     numbers, and scales the number of the layer of an image array, cubes too, where coordinates
 *     are normalised.
 * Image types: 1D image1d_t, 2D image2d_t, 3D image3d_t, 1D_LAYERED image1d_array_t, 2D_LAYERED,
 * CUBE and CUBE_LAYERED image2d_array_t (faces are layers). */
#ifndef CLEM_TEXTURE_H
#define CLEM_TEXTURE_H

#include "clem_sampling.h"
#include "clem_texture_facts.h"

#ifndef CLEM_TEXTURES_BY_IMAGE
#define CLEM_TEXTURES_BY_IMAGE 0
#endif

#define CLEM_TEXTURE_BY_MEMORY(name)                                                               \
    __global const uchar *restrict clem_texture_memory__##name,                                    \
        struct clem_texture clem_texture_facts__##name
#if CLEM_TEXTURES_BY_IMAGE
#define CLEM_TEXTURE_BY(type, name)                                                                \
    __read_only type clem_texture_image__##name, sampler_t clem_texture_sampler__##name,           \
        struct clem_image clem_texture_facts__##name
#define CLEM_PASS_TEXTURE(name)                                                                    \
    clem_texture_image__##name, clem_texture_sampler__##name, clem_texture_facts__##name
#else
#define CLEM_TEXTURE_BY(type, name) CLEM_TEXTURE_BY_MEMORY(name)
#define CLEM_PASS_TEXTURE(name)     clem_texture_memory__##name, clem_texture_facts__##name
#endif

#define CLEM_TEXTURE1D(name)             CLEM_TEXTURE_BY(image1d_t, name)
#define CLEM_TEXTURE2D(name)             CLEM_TEXTURE_BY(image2d_t, name)
#define CLEM_TEXTURE3D(name)             CLEM_TEXTURE_BY(image3d_t, name)
#define CLEM_TEXTURE1D_LAYERED(name)     CLEM_TEXTURE_BY(image1d_array_t, name)
#define CLEM_TEXTURE2D_LAYERED(name)     CLEM_TEXTURE_BY(image2d_array_t, name)
#define CLEM_TEXTURECUBE(name)           CLEM_TEXTURE_BY(image2d_array_t, name)
#define CLEM_TEXTURECUBE_LAYERED(name)   CLEM_TEXTURE_BY(image2d_array_t, name)
#define CLEM_TEXTURE1D_BUFFER(name)      CLEM_TEXTURE_BY_MEMORY(name)
#define CLEM_PASS_TEXTURE1D_BUFFER(name) clem_texture_memory__##name, clem_texture_facts__##name

#define CLEM_REFERENCE(name)                   uint clem_texture_reference__##name
#define CLEM_TEXTURE_REFERENCE1D(name)         CLEM_TEXTURE1D(name), CLEM_REFERENCE(name)
#define CLEM_TEXTURE_REFERENCE2D(name)         CLEM_TEXTURE2D(name), CLEM_REFERENCE(name)
#define CLEM_TEXTURE_REFERENCE3D(name)         CLEM_TEXTURE3D(name), CLEM_REFERENCE(name)
#define CLEM_TEXTURE_REFERENCE1D_LAYERED(name) CLEM_TEXTURE1D_LAYERED(name), CLEM_REFERENCE(name)
#define CLEM_TEXTURE_REFERENCE2D_LAYERED(name) CLEM_TEXTURE2D_LAYERED(name), CLEM_REFERENCE(name)
#define CLEM_TEXTURE_REFERENCECUBE(name)       CLEM_TEXTURECUBE(name), CLEM_REFERENCE(name)
#define CLEM_TEXTURE_REFERENCECUBE_LAYERED(name)                                                   \
    CLEM_TEXTURECUBE_LAYERED(name), CLEM_REFERENCE(name)
#define CLEM_TEXTURE_REFERENCE1D_BUFFER(name) CLEM_TEXTURE1D_BUFFER(name), CLEM_REFERENCE(name)

/* ---- What a fetch returns ----
 * Fetches yield a float4 (integer formats: bits in it); these take the channels of a type from it.
 * The type is one name: uchar, not unsigned char. */

#define CLEM_AS(T, value) CLEM_JOIN(clem_as_, T)(value)

#define CLEM_DEFINE_AS(T, N, view, part)                                                           \
    static inline T##N clem_as_##T##N(float4 value)                                                \
    {                                                                                              \
        return convert_##T##N(view(value).part);                                                   \
    }
#define CLEM_DEFINE_AS_EACH(T, view)                                                               \
    CLEM_DEFINE_AS(T, , view, x) CLEM_DEFINE_AS(T, 2, view, xy) CLEM_DEFINE_AS(T, 4, view, xyzw)
CLEM_DEFINE_AS_EACH(float, as_float4)
CLEM_DEFINE_AS_EACH(int, as_int4)
CLEM_DEFINE_AS_EACH(short, as_int4)
CLEM_DEFINE_AS_EACH(char, as_int4)
CLEM_DEFINE_AS_EACH(uint, as_uint4)
CLEM_DEFINE_AS_EACH(ushort, as_uint4)
CLEM_DEFINE_AS_EACH(uchar, as_uint4)

/* ---- Fetches ---- */

#define CLEM_FACTS(tex) (&clem_texture_facts__##tex)

/* What a type is read as: floats, integers with a sign or without. */
#define CLEM_READ_float   f
#define CLEM_READ_float2  f
#define CLEM_READ_float4  f
#define CLEM_READ_int     i
#define CLEM_READ_int2    i
#define CLEM_READ_int4    i
#define CLEM_READ_short   i
#define CLEM_READ_short2  i
#define CLEM_READ_short4  i
#define CLEM_READ_char    i
#define CLEM_READ_char2   i
#define CLEM_READ_char4   i
#define CLEM_READ_uint    ui
#define CLEM_READ_uint2   ui
#define CLEM_READ_uint4   ui
#define CLEM_READ_ushort  ui
#define CLEM_READ_ushort2 ui
#define CLEM_READ_ushort4 ui
#define CLEM_READ_uchar   ui
#define CLEM_READ_uchar2  ui
#define CLEM_READ_uchar4  ui

#if CLEM_TEXTURES_BY_IMAGE

#define CLEM_READ(T) CLEM_JOIN(read_image, CLEM_JOIN(CLEM_READ_, T))

/* Layers by image are rounded and clamped by the device; clem_layer() has done so before. */
static inline float clem_image_layer(int layer, uint layers)
{
    return (float)clem_layer(layer, layers);
}

static inline float4 clem_image_face(const struct clem_image *facts, float x, float y, float z,
                                     int cube)
{
    struct clem_place place = clem_at_face(facts->layers, x, y, z, cube);
    return (float4)(place.x, place.y, (float)place.layer, 0.0f);
}

/* Images make up a last channel of 1, CUDA one of 0. */
static inline float4 clem_image_value(const struct clem_image *facts, float4 value)
{
    value.w = facts->channels == 4 ? value.w : 0.0f;
    return value;
}

#define CLEM_BY_IMAGE(T, tex, at)                                                                  \
    CLEM_AS(T, clem_image_value(CLEM_FACTS(tex),                                                   \
                                as_float4(CLEM_READ(T)(clem_texture_image__##tex,                  \
                                                       clem_texture_sampler__##tex, at))))

/* The texels that linear filtering would take, read one by one: images have no gather in OpenCL. */
#define CLEM_GATHER_FROM(tex) clem_texture_image__##tex, CLEM_FACTS(tex)
#define CLEM_DEFINE_GATHER(kind, type)                                                             \
    static inline float4 clem_gather_##kind(__read_only image2d_t image,                           \
                                            const struct clem_image *facts, float at_x,            \
                                            float at_y, int component)                             \
    {                                                                                              \
        const sampler_t texels =                                                                   \
            CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;                  \
        struct clem_axis x =                                                                       \
            clem_axis_at(facts->flags, at_x, (int)facts->width, facts->address[0], 1);             \
        struct clem_axis y =                                                                       \
            clem_axis_at(facts->flags, at_y, (int)facts->height, facts->address[1], 1);            \
        type left_low = read_image##kind(image, texels, (int2)(x.first, y.second));                \
        type right_low = read_image##kind(image, texels, (int2)(x.second, y.second));              \
        type right_high = read_image##kind(image, texels, (int2)(x.second, y.first));              \
        type left_high = read_image##kind(image, texels, (int2)(x.first, y.first));                \
        switch (component) {                                                                       \
        case 1:                                                                                    \
            return as_float4((type)(left_low.y, right_low.y, right_high.y, left_high.y));          \
        case 2:                                                                                    \
            return as_float4((type)(left_low.z, right_low.z, right_high.z, left_high.z));          \
        case 3:                                                                                    \
            if (facts->channels < 4)                                                               \
                return (float4)(0.0f);                                                             \
            return as_float4((type)(left_low.w, right_low.w, right_high.w, left_high.w));          \
        default:                                                                                   \
            return as_float4((type)(left_low.x, right_low.x, right_high.x, left_high.x));          \
        }                                                                                          \
    }
CLEM_DEFINE_GATHER(f, float4)
CLEM_DEFINE_GATHER(i, int4)
CLEM_DEFINE_GATHER(ui, uint4)

#define tex1D(T, tex, x)       CLEM_BY_IMAGE(T, tex, (float)(x))
#define tex2D(T, tex, x, y)    CLEM_BY_IMAGE(T, tex, (float2)((x), (y)))
#define tex3D(T, tex, x, y, z) CLEM_BY_IMAGE(T, tex, (float4)((x), (y), (z), 0.0f))
#define tex1DLayered(T, tex, x, layer)                                                             \
    CLEM_BY_IMAGE(T, tex, (float2)((x), clem_image_layer((layer), CLEM_FACTS(tex)->layers)))
#define tex2DLayered(T, tex, x, y, layer)                                                          \
    CLEM_BY_IMAGE(T, tex,                                                                          \
                  (float4)((x), (y), clem_image_layer((layer), CLEM_FACTS(tex)->layers), 0.0f))
#define texCubemap(T, tex, x, y, z)                                                                \
    CLEM_BY_IMAGE(T, tex, clem_image_face(CLEM_FACTS(tex), (x), (y), (z), 0))
#define texCubemapLayered(T, tex, x, y, z, layer)                                                  \
    CLEM_BY_IMAGE(T, tex, clem_image_face(CLEM_FACTS(tex), (x), (y), (z), (layer)))
#define tex2Dgather(T, tex, x, y, component)                                                       \
    CLEM_AS(T, CLEM_JOIN(clem_gather_, CLEM_JOIN(CLEM_READ_, T))(CLEM_GATHER_FROM(tex), (x), (y),  \
                                                                 (component)))

/* Textures that go by image have one level. */
#define tex1DLod(T, tex, x, lod)                          tex1D(T, tex, x)
#define tex2DLod(T, tex, x, y, lod)                       tex2D(T, tex, x, y)
#define tex3DLod(T, tex, x, y, z, lod)                    tex3D(T, tex, x, y, z)
#define tex1DLayeredLod(T, tex, x, layer, lod)            tex1DLayered(T, tex, x, layer)
#define tex2DLayeredLod(T, tex, x, y, layer, lod)         tex2DLayered(T, tex, x, y, layer)
#define texCubemapLod(T, tex, x, y, z, lod)               texCubemap(T, tex, x, y, z)
#define texCubemapLayeredLod(T, tex, x, y, z, layer, lod) texCubemapLayered(T, tex, x, y, z, layer)
#define tex1DGrad(T, tex, x, dx, dy)                      tex1D(T, tex, x)
#define tex2DGrad(T, tex, x, y, dx, dy)                   tex2D(T, tex, x, y)
#define tex3DGrad(T, tex, x, y, z, dx, dy)                tex3D(T, tex, x, y, z)
#define tex1DLayeredGrad(T, tex, x, layer, dx, dy)        tex1DLayered(T, tex, x, layer)
#define tex2DLayeredGrad(T, tex, x, y, layer, dx, dy)     tex2DLayered(T, tex, x, y, layer)
#define texCubemapGrad(T, tex, x, y, z, dx, dy)           texCubemap(T, tex, x, y, z)
#define texCubemapLayeredGrad(T, tex, x, y, z, layer, dx, dy)                                      \
    texCubemapLayered(T, tex, x, y, z, layer)

#else

#define CLEM_FROM(tex) clem_texture_memory__##tex, CLEM_FACTS(tex)
#define CLEM_BY_HAND(T, tex, axes, place, lod)                                                     \
    CLEM_AS(T, clem_sample_##axes(CLEM_FROM(tex), place, lod))
#define CLEM_LAYER(tex, layer) clem_layer((layer), CLEM_FACTS(tex)->layers)

#define tex1D(T, tex, x)                  CLEM_AS(T, CLEM_JOIN(clem_sample_1d_, T)(CLEM_FROM(tex), (x)))
#define tex2D(T, tex, x, y)               CLEM_AS(T, CLEM_JOIN(clem_sample_2d_, T)(CLEM_FROM(tex), (x), (y)))
#define tex3D(T, tex, x, y, z)            tex3DLod(T, tex, x, y, z, -INFINITY)
#define tex1DLayered(T, tex, x, layer)    tex1DLayeredLod(T, tex, x, layer, -INFINITY)
#define tex2DLayered(T, tex, x, y, layer) tex2DLayeredLod(T, tex, x, y, layer, -INFINITY)
#define texCubemap(T, tex, x, y, z)       texCubemapLod(T, tex, x, y, z, -INFINITY)
#define texCubemapLayered(T, tex, x, y, z, layer)                                                  \
    texCubemapLayeredLod(T, tex, x, y, z, layer, -INFINITY)
#define tex2Dgather(T, tex, x, y, component)                                                       \
    CLEM_AS(T, clem_gather(CLEM_FROM(tex), (x), (y), (component)))

#define tex1DLod(T, tex, x, lod)       CLEM_BY_HAND(T, tex, 1, clem_at((x), 0.0f, 0.0f, 0), (lod))
#define tex2DLod(T, tex, x, y, lod)    CLEM_BY_HAND(T, tex, 2, clem_at((x), (y), 0.0f, 0), (lod))
#define tex3DLod(T, tex, x, y, z, lod) CLEM_BY_HAND(T, tex, 3, clem_at((x), (y), (z), 0), (lod))
#define tex1DLayeredLod(T, tex, x, layer, lod)                                                     \
    CLEM_BY_HAND(T, tex, 1, clem_at((x), 0.0f, 0.0f, CLEM_LAYER(tex, layer)), (lod))
#define tex2DLayeredLod(T, tex, x, y, layer, lod)                                                  \
    CLEM_BY_HAND(T, tex, 2, clem_at((x), (y), 0.0f, CLEM_LAYER(tex, layer)), (lod))
#define texCubemapLod(T, tex, x, y, z, lod)                                                        \
    CLEM_BY_HAND(T, tex, 4, clem_at_face(CLEM_FACTS(tex)->layers, (x), (y), (z), 0), (lod))
#define texCubemapLayeredLod(T, tex, x, y, z, layer, lod)                                          \
    CLEM_BY_HAND(T, tex, 4, clem_at_face(CLEM_FACTS(tex)->layers, (x), (y), (z), (layer)), (lod))

/* dx and dy: how far the coordinates move from one point of the screen to the next; floats, float2s
 * and float4s as in CUDA. */
#define CLEM_LOD1(tex, dx, dy)                                                                     \
    clem_gradient_lod(CLEM_FACTS(tex), (float4)((dx), 0.0f, 0.0f, 0.0f),                           \
                      (float4)((dy), 0.0f, 0.0f, 0.0f))
#define CLEM_LOD2(tex, dx, dy)                                                                     \
    clem_gradient_lod(CLEM_FACTS(tex), (float4)((dx), 0.0f, 0.0f), (float4)((dy), 0.0f, 0.0f))
#define CLEM_LOD3(tex, dx, dy)             clem_gradient_lod(CLEM_FACTS(tex), (dx), (dy))
#define tex1DGrad(T, tex, x, dx, dy)       tex1DLod(T, tex, x, CLEM_LOD1(tex, dx, dy))
#define tex2DGrad(T, tex, x, y, dx, dy)    tex2DLod(T, tex, x, y, CLEM_LOD2(tex, dx, dy))
#define tex3DGrad(T, tex, x, y, z, dx, dy) tex3DLod(T, tex, x, y, z, CLEM_LOD3(tex, dx, dy))
#define tex1DLayeredGrad(T, tex, x, layer, dx, dy)                                                 \
    tex1DLayeredLod(T, tex, x, layer, CLEM_LOD1(tex, dx, dy))
#define tex2DLayeredGrad(T, tex, x, y, layer, dx, dy)                                              \
    tex2DLayeredLod(T, tex, x, y, layer, CLEM_LOD2(tex, dx, dy))
#define CLEM_LOD_CUBE(tex, x, y, z, dx, dy)                                                        \
    clem_cube_lod(CLEM_FACTS(tex), (float3)((x), (y), (z)), (dx), (dy))
#define texCubemapGrad(T, tex, x, y, z, dx, dy)                                                    \
    texCubemapLod(T, tex, x, y, z, CLEM_LOD_CUBE(tex, x, y, z, dx, dy))
#define texCubemapLayeredGrad(T, tex, x, y, z, layer, dx, dy)                                      \
    texCubemapLayeredLod(T, tex, x, y, z, layer, CLEM_LOD_CUBE(tex, x, y, z, dx, dy))

#endif

/* Linear memory, by texel number; 0 outside. */
#define tex1Dfetch(T, tex, index)                                                                  \
    CLEM_AS(T, clem_fetch(clem_texture_memory__##tex, CLEM_FACTS(tex), (index)))

#endif
