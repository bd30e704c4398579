/* device_texture.h: reading textures in device code, through objects and references. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_TEXTURE_H
#define CLEM_CRT_DEVICE_TEXTURE_H

#include "../channel_descriptor.h"
#include "../cuda_texture_types.h"
#include "../vector_types.h"
#include "device_runtime.h"

/* Source: CUDA C++ Programming Guide 13.0 and 11.8, Texture Functions; PTX ISA 9.0, tex and tld4. */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE static __inline__ __attribute__((device, always_inline))

/* ---- texels ---------------------------------------------------------------------------------- */

/* What an instruction returns for texels of a kind: four components of 32 bits. */
template <cudaChannelFormatKind kind> struct clem_fetched;
template <> struct clem_fetched<cudaChannelFormatKindSigned> {
    typedef int4 vector;
};
template <> struct clem_fetched<cudaChannelFormatKindUnsigned> {
    typedef uint4 vector;
};
template <> struct clem_fetched<cudaChannelFormatKindFloat> {
    typedef float4 vector;
};

/* A texel of type T from the four components; T has only those that it needs. */
template <class T, int components = clem_channels<T>::count,
          bool is_scalar = clem_arithmetic<T>::is_one>
struct clem_texel;
template <class T> struct clem_texel<T, 1, true> {
    template <class V> CLEM_DEVICE T of(const V &v)
    {
        return static_cast<T>(v.x);
    }
};
template <class T> struct clem_texel<T, 1, false> {
    template <class V> CLEM_DEVICE T of(const V &v)
    {
        T r;
        r.x = static_cast<decltype(r.x)>(v.x);
        return r;
    }
};
template <class T> struct clem_texel<T, 2, false> {
    template <class V> CLEM_DEVICE T of(const V &v)
    {
        T r;
        r.x = static_cast<decltype(r.x)>(v.x), r.y = static_cast<decltype(r.y)>(v.y);
        return r;
    }
};
template <class T> struct clem_texel<T, 4, false> {
    template <class V> CLEM_DEVICE T of(const V &v)
    {
        T r;
        r.x = static_cast<decltype(r.x)>(v.x), r.y = static_cast<decltype(r.y)>(v.y);
        r.z = static_cast<decltype(r.z)>(v.z), r.w = static_cast<decltype(r.w)>(v.w);
        return r;
    }
};

/* What a reference returns: elements, or floats of as many components. */
template <class T, cudaTextureReadMode mode, int components = clem_channels<T>::count>
struct clem_read {
    typedef T type;
};
template <class T> struct clem_read<T, cudaReadModeNormalizedFloat, 1> {
    typedef float type;
};
template <class T> struct clem_read<T, cudaReadModeNormalizedFloat, 2> {
    typedef float2 type;
};
template <class T> struct clem_read<T, cudaReadModeNormalizedFloat, 4> {
    typedef float4 type;
};

/* The number that a reference is in device code. */
template <class R> CLEM_DEVICE cudaTextureObject_t clem_handle(R reference)
{
    cudaTextureObject_t handle;
    __asm__("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
    return handle;
}

/* ---- instructions ---------------------------------------------------------------------------- */

#define CLEM_LIST(...) __VA_ARGS__

/* One instruction for the three kinds of texels. operands: coordinates and what follows them, from
 * %5 on; parameters and arguments: their declarations and asm operands. */
#define CLEM_FETCH_KIND(name, instruction, V, type, c, coordinate, operands, parameters,           \
                        arguments)                                                                 \
    CLEM_DEVICE void name(V &r, cudaTextureObject_t object, parameters)                            \
    {                                                                                              \
        __asm__ __volatile__(instruction ".v4." type "." coordinate                                \
                                         " {%0, %1, %2, %3}, [%4, " operands ";"                   \
                             : "=" c(r.x), "=" c(r.y), "=" c(r.z), "=" c(r.w)                      \
                             : "l"(object), arguments);                                            \
    }
#define CLEM_FETCH(name, instruction, coordinate, operands, parameters, arguments)                 \
    CLEM_FETCH_KIND(name, instruction, int4, "s32", "r", coordinate, operands,                     \
                    CLEM_LIST(parameters), CLEM_LIST(arguments))                                   \
    CLEM_FETCH_KIND(name, instruction, uint4, "u32", "r", coordinate, operands,                    \
                    CLEM_LIST(parameters), CLEM_LIST(arguments))                                   \
    CLEM_FETCH_KIND(name, instruction, float4, "f32", "f", coordinate, operands,                   \
                    CLEM_LIST(parameters), CLEM_LIST(arguments))

/* The functions of one kind of fetch: by an object (result returned or stored), by a reference. */
#define CLEM_TEXTURE(name, dimension, instruction, coordinate, operands, parameters, arguments,    \
                     values)                                                                       \
    CLEM_FETCH(clem_##name, instruction, coordinate, operands, CLEM_LIST(parameters),              \
               CLEM_LIST(arguments))                                                               \
    template <class T> CLEM_DEVICE T name(cudaTextureObject_t texObject, parameters)               \
    {                                                                                              \
        typename clem_fetched<clem_channels<T>::kind>::vector v;                                   \
        clem_##name(v, texObject, values);                                                         \
        return clem_texel<T>::of(v);                                                               \
    }                                                                                              \
    template <class T> CLEM_DEVICE void name(T *result, cudaTextureObject_t texObject, parameters) \
    {                                                                                              \
        *result = name<T>(texObject, values);                                                      \
    }                                                                                              \
    template <class T, cudaTextureReadMode mode>                                                   \
    CLEM_DEVICE typename clem_read<T, mode>::type name(texture<T, dimension, mode> texRef,         \
                                                       parameters)                                 \
    {                                                                                              \
        return name<typename clem_read<T, mode>::type>(clem_handle(texRef), values);               \
    }

CLEM_TEXTURE(tex1Dfetch, cudaTextureType1D, "tex.1d", "s32", "{%5}]", int x, "r"(x), x)
CLEM_TEXTURE(tex1D, cudaTextureType1D, "tex.1d", "f32", "{%5}]", float x, "f"(x), x)
CLEM_TEXTURE(tex2D, cudaTextureType2D, "tex.2d", "f32", "{%5, %6}]", CLEM_LIST(float x, float y),
             CLEM_LIST("f"(x), "f"(y)), CLEM_LIST(x, y))
CLEM_TEXTURE(tex3D, cudaTextureType3D, "tex.3d", "f32", "{%5, %6, %7, %7}]",
             CLEM_LIST(float x, float y, float z), CLEM_LIST("f"(x), "f"(y), "f"(z)),
             CLEM_LIST(x, y, z))
CLEM_TEXTURE(texCubemap, cudaTextureTypeCubemap, "tex.cube", "f32", "{%5, %6, %7, %7}]",
             CLEM_LIST(float x, float y, float z), CLEM_LIST("f"(x), "f"(y), "f"(z)),
             CLEM_LIST(x, y, z))
CLEM_TEXTURE(tex1DLayered, cudaTextureType1DLayered, "tex.a1d", "f32", "{%6, %5}]",
             CLEM_LIST(float x, int layer), CLEM_LIST("f"(x), "r"(layer)), CLEM_LIST(x, layer))
CLEM_TEXTURE(tex2DLayered, cudaTextureType2DLayered, "tex.a2d", "f32", "{%7, %5, %6, %6}]",
             CLEM_LIST(float x, float y, int layer), CLEM_LIST("f"(x), "f"(y), "r"(layer)),
             CLEM_LIST(x, y, layer))
CLEM_TEXTURE(texCubemapLayered, cudaTextureTypeCubemapLayered, "tex.acube", "f32",
             "{%8, %5, %6, %7}]", CLEM_LIST(float x, float y, float z, int layer),
             CLEM_LIST("f"(x), "f"(y), "f"(z), "r"(layer)), CLEM_LIST(x, y, z, layer))

/* At a level of a mipmapped array. */
CLEM_TEXTURE(tex1DLod, cudaTextureType1D, "tex.level.1d", "f32", "{%5}], %6",
             CLEM_LIST(float x, float level), CLEM_LIST("f"(x), "f"(level)), CLEM_LIST(x, level))
CLEM_TEXTURE(tex2DLod, cudaTextureType2D, "tex.level.2d", "f32", "{%5, %6}], %7",
             CLEM_LIST(float x, float y, float level), CLEM_LIST("f"(x), "f"(y), "f"(level)),
             CLEM_LIST(x, y, level))
CLEM_TEXTURE(tex3DLod, cudaTextureType3D, "tex.level.3d", "f32", "{%5, %6, %7, %7}], %8",
             CLEM_LIST(float x, float y, float z, float level),
             CLEM_LIST("f"(x), "f"(y), "f"(z), "f"(level)), CLEM_LIST(x, y, z, level))
CLEM_TEXTURE(texCubemapLod, cudaTextureTypeCubemap, "tex.level.cube", "f32",
             "{%5, %6, %7, %7}], %8", CLEM_LIST(float x, float y, float z, float level),
             CLEM_LIST("f"(x), "f"(y), "f"(z), "f"(level)), CLEM_LIST(x, y, z, level))
CLEM_TEXTURE(tex1DLayeredLod, cudaTextureType1DLayered, "tex.level.a1d", "f32", "{%6, %5}], %7",
             CLEM_LIST(float x, int layer, float level), CLEM_LIST("f"(x), "r"(layer), "f"(level)),
             CLEM_LIST(x, layer, level))
CLEM_TEXTURE(tex2DLayeredLod, cudaTextureType2DLayered, "tex.level.a2d", "f32",
             "{%7, %5, %6, %6}], %8", CLEM_LIST(float x, float y, int layer, float level),
             CLEM_LIST("f"(x), "f"(y), "r"(layer), "f"(level)), CLEM_LIST(x, y, layer, level))
CLEM_TEXTURE(texCubemapLayeredLod, cudaTextureTypeCubemapLayered, "tex.level.acube", "f32",
             "{%8, %5, %6, %7}], %9", CLEM_LIST(float x, float y, float z, int layer, float level),
             CLEM_LIST("f"(x), "f"(y), "f"(z), "r"(layer), "f"(level)),
             CLEM_LIST(x, y, z, layer, level))

/* With the derivatives that choose the level. */
CLEM_TEXTURE(tex1DGrad, cudaTextureType1D, "tex.grad.1d", "f32", "{%5}], {%6}, {%7}",
             CLEM_LIST(float x, float dx, float dy), CLEM_LIST("f"(x), "f"(dx), "f"(dy)),
             CLEM_LIST(x, dx, dy))
CLEM_TEXTURE(tex2DGrad, cudaTextureType2D, "tex.grad.2d", "f32", "{%5, %6}], {%7, %8}, {%9, %10}",
             CLEM_LIST(float x, float y, float2 dx, float2 dy),
             CLEM_LIST("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)),
             CLEM_LIST(x, y, dx, dy))
CLEM_TEXTURE(tex3DGrad, cudaTextureType3D, "tex.grad.3d", "f32",
             "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
             CLEM_LIST(float x, float y, float z, float4 dx, float4 dy),
             CLEM_LIST("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x),
                       "f"(dy.y), "f"(dy.z)),
             CLEM_LIST(x, y, z, dx, dy))
CLEM_TEXTURE(tex1DLayeredGrad, cudaTextureType1DLayered, "tex.grad.a1d", "f32",
             "{%6, %5}], {%7}, {%8}", CLEM_LIST(float x, int layer, float dx, float dy),
             CLEM_LIST("f"(x), "r"(layer), "f"(dx), "f"(dy)), CLEM_LIST(x, layer, dx, dy))
CLEM_TEXTURE(tex2DLayeredGrad, cudaTextureType2DLayered, "tex.grad.a2d", "f32",
             "{%7, %5, %6, %6}], {%8, %9}, {%10, %11}",
             CLEM_LIST(float x, float y, int layer, float2 dx, float2 dy),
             CLEM_LIST("f"(x), "f"(y), "r"(layer), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)),
             CLEM_LIST(x, y, layer, dx, dy))
CLEM_TEXTURE(texCubemapGrad, cudaTextureTypeCubemap, "tex.grad.cube", "f32",
             "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13}",
             CLEM_LIST(float x, float y, float z, float4 dx, float4 dy),
             CLEM_LIST("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x),
                       "f"(dy.y), "f"(dy.z)),
             CLEM_LIST(x, y, z, dx, dy))
CLEM_TEXTURE(texCubemapLayeredGrad, cudaTextureTypeCubemapLayered, "tex.grad.acube", "f32",
             "{%8, %5, %6, %7}], {%9, %10, %11, %11}, {%12, %13, %14, %14}",
             CLEM_LIST(float x, float y, float z, int layer, float4 dx, float4 dy),
             CLEM_LIST("f"(x), "f"(y), "f"(z), "r"(layer), "f"(dx.x), "f"(dx.y), "f"(dx.z),
                       "f"(dy.x), "f"(dy.y), "f"(dy.z)),
             CLEM_LIST(x, y, z, layer, dx, dy))

/* One component of the four texels that a linear fetch would mix. */
CLEM_FETCH(clem_gather_0, "tld4.r.2d", "f32", "{%5, %6}]", CLEM_LIST(float x, float y),
           CLEM_LIST("f"(x), "f"(y)))
CLEM_FETCH(clem_gather_1, "tld4.g.2d", "f32", "{%5, %6}]", CLEM_LIST(float x, float y),
           CLEM_LIST("f"(x), "f"(y)))
CLEM_FETCH(clem_gather_2, "tld4.b.2d", "f32", "{%5, %6}]", CLEM_LIST(float x, float y),
           CLEM_LIST("f"(x), "f"(y)))
CLEM_FETCH(clem_gather_3, "tld4.a.2d", "f32", "{%5, %6}]", CLEM_LIST(float x, float y),
           CLEM_LIST("f"(x), "f"(y)))
template <class T>
CLEM_DEVICE T tex2Dgather(cudaTextureObject_t texObject, float x, float y, int component = 0)
{
    typename clem_fetched<clem_channels<T>::kind>::vector v;
    switch (component) {
    case 1:
        clem_gather_1(v, texObject, x, y);
        break;
    case 2:
        clem_gather_2(v, texObject, x, y);
        break;
    case 3:
        clem_gather_3(v, texObject, x, y);
        break;
    default:
        clem_gather_0(v, texObject, x, y);
        break;
    }
    return clem_texel<T>::of(v);
}
template <class T>
CLEM_DEVICE void tex2Dgather(T *result, cudaTextureObject_t texObject, float x, float y,
                             int component = 0)
{
    *result = tex2Dgather<T>(texObject, x, y, component);
}

/* Four texels of one component: the vector of four of the reference's base type. */
template <class T> struct clem_four {
    typedef typename clem_fetched<clem_channels<T>::kind>::vector type;
};
#define CLEM_FOUR(four, one, vector)                                                               \
    template <> struct clem_four<one> {                                                            \
        typedef four type;                                                                         \
    };                                                                                             \
    template <> struct clem_four<vector##1> : clem_four<one> {                                     \
    };                                                                                             \
    template <> struct clem_four<vector##2> : clem_four<one> {                                     \
    };                                                                                             \
    template <> struct clem_four<vector##4> : clem_four<one> {                                     \
    };
CLEM_FOUR(char4, signed char, char)
CLEM_FOUR(uchar4, unsigned char, uchar)
CLEM_FOUR(short4, short, short)
CLEM_FOUR(ushort4, unsigned short, ushort)
#undef CLEM_FOUR
template <class T, cudaTextureReadMode mode>
CLEM_DEVICE typename clem_four<typename clem_read<T, mode>::type>::type
tex2Dgather(texture<T, cudaTextureType2D, mode> texRef, float x, float y, int component = 0)
{
    typedef typename clem_four<typename clem_read<T, mode>::type>::type four;
    return tex2Dgather<four>(clem_handle(texRef), x, y, component);
}

#undef CLEM_TEXTURE
#undef CLEM_FETCH
#undef CLEM_FETCH_KIND
#undef CLEM_LIST
#undef CLEM_DEVICE

#endif

#endif
