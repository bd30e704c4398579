/* device_surface.h: reading and writing surfaces in device code, through objects and references. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLEM_CRT_DEVICE_SURFACE_H
#define CLEM_CRT_DEVICE_SURFACE_H

#include "../cuda_surface_types.h"
#include "device_memory.h"
#include "device_runtime.h"

/* The x coordinate counts bytes. Elements of 1, 2, 4, 8 and 16 bytes.
 *
 * Source: CUDA C++ Programming Guide 13.0 and 11.8, Surface Functions; PTX ISA 9.0, suld and sust.
 */
#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

#define CLEM_DEVICE    static __inline__ __attribute__((device, always_inline))
#define CLEM_LIST(...) __VA_ARGS__

/* The number that a reference is in device code. */
template <class T, int dimension>
CLEM_DEVICE cudaSurfaceObject_t clem_handle(surface<T, dimension> reference)
{
    cudaSurfaceObject_t handle;
    __asm__("mov.b64 %0, %1;" : "=l"(handle) : "l"(reference));
    return handle;
}

/* ---- one instruction ------------------------------------------------------------------------ */

/* parameters and arguments: declarations of the coordinates and their asm operands, which
 * `coordinates` names. */
#define CLEM_READ(name, geometry, mode, size, type, registers, outputs, coordinates, parameters,   \
                  arguments)                                                                       \
    CLEM_DEVICE void name(clem_registers<size> &r, cudaSurfaceObject_t object, parameters)         \
    {                                                                                              \
        __asm__ __volatile__("suld.b." geometry type mode " " registers                            \
                             ", [%[object], " coordinates "];"                                     \
                             : outputs                                                             \
                             : [object] "l"(object), arguments                                     \
                             : "memory");                                                          \
    }
#define CLEM_WRITE(name, geometry, mode, size, type, registers, inputs, coordinates, parameters,   \
                   arguments)                                                                      \
    CLEM_DEVICE void name(const clem_registers<size> &r, cudaSurfaceObject_t object, parameters)   \
    {                                                                                              \
        __asm__ __volatile__("sust.b." geometry type mode " [%[object], " coordinates              \
                             "], " registers ";" ::[object] "l"(object),                           \
                             arguments, inputs                                                     \
                             : "memory");                                                          \
    }

/* All sizes of an element, in one boundary mode. */
#define CLEM_SIZES(name, geometry, mode, coordinates, parameters, arguments)                       \
    CLEM_READ(clem_read_##name, geometry, mode, 2, ".b16", "{%[a]}", [a] "=h"(r.x), coordinates,   \
              CLEM_LIST(parameters), CLEM_LIST(arguments))                                         \
    CLEM_READ(clem_read_##name, geometry, mode, 4, ".b32", "{%[a]}", [a] "=r"(r.x), coordinates,   \
              CLEM_LIST(parameters), CLEM_LIST(arguments))                                         \
    CLEM_READ(clem_read_##name, geometry, mode, 8, ".b64", "{%[a]}", [a] "=l"(r.x), coordinates,   \
              CLEM_LIST(parameters), CLEM_LIST(arguments))                                         \
    CLEM_READ(clem_read_##name, geometry, mode, 16, ".v2.b64", "{%[a], %[b]}",                     \
              CLEM_LIST([a] "=l"(r.x), [b] "=l"(r.y)), coordinates, CLEM_LIST(parameters),         \
              CLEM_LIST(arguments))                                                                \
    CLEM_DEVICE void clem_read_##name(clem_registers<1> &result, cudaSurfaceObject_t object,       \
                                      parameters)                                                  \
    {                                                                                              \
        clem_registers<2> r;                                                                       \
        __asm__ __volatile__("suld.b." geometry ".b8" mode " {%[a]}, [%[object], " coordinates     \
                             "];"                                                                  \
                             : [a] "=h"(r.x)                                                       \
                             : [object] "l"(object), arguments                                     \
                             : "memory");                                                          \
        result.x = static_cast<unsigned char>(r.x);                                                \
    }                                                                                              \
    CLEM_WRITE(clem_write_##name, geometry, mode, 2, ".b16", "{%[a]}", [a] "h"(r.x), coordinates,  \
               CLEM_LIST(parameters), CLEM_LIST(arguments))                                        \
    CLEM_WRITE(clem_write_##name, geometry, mode, 4, ".b32", "{%[a]}", [a] "r"(r.x), coordinates,  \
               CLEM_LIST(parameters), CLEM_LIST(arguments))                                        \
    CLEM_WRITE(clem_write_##name, geometry, mode, 8, ".b64", "{%[a]}", [a] "l"(r.x), coordinates,  \
               CLEM_LIST(parameters), CLEM_LIST(arguments))                                        \
    CLEM_WRITE(clem_write_##name, geometry, mode, 16, ".v2.b64", "{%[a], %[b]}",                   \
               CLEM_LIST([a] "l"(r.x), [b] "l"(r.y)), coordinates, CLEM_LIST(parameters),          \
               CLEM_LIST(arguments))                                                               \
    CLEM_WRITE(clem_write_##name, geometry, mode, 1, ".b8",                                        \
               "{%[a]}", [a] "h"(static_cast<unsigned short>(r.x)), coordinates,                   \
               CLEM_LIST(parameters), CLEM_LIST(arguments))

/* ---- functions -------------------------------------------------------------------------------- */

#define CLEM_BY_MODE(action, name, values)                                                         \
    if (boundaryMode == cudaBoundaryModeClamp)                                                     \
        clem_##action##_##name##_clamp(r, object, values);                                         \
    else if (boundaryMode == cudaBoundaryModeZero)                                                 \
        clem_##action##_##name##_zero(r, object, values);                                          \
    else                                                                                           \
        clem_##action##_##name##_trap(r, object, values);

#define CLEM_SURFACE(name, dimension, geometry, coordinates, parameters, arguments, values)        \
    CLEM_SIZES(name##_trap, geometry, ".trap", coordinates, CLEM_LIST(parameters),                 \
               CLEM_LIST(arguments))                                                               \
    CLEM_SIZES(name##_clamp, geometry, ".clamp", coordinates, CLEM_LIST(parameters),               \
               CLEM_LIST(arguments))                                                               \
    CLEM_SIZES(name##_zero, geometry, ".zero", coordinates, CLEM_LIST(parameters),                 \
               CLEM_LIST(arguments))                                                               \
    template <class T>                                                                             \
    CLEM_DEVICE T name##read(cudaSurfaceObject_t object, parameters,                               \
                             cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap)          \
    {                                                                                              \
        clem_registers<sizeof(T)> r;                                                               \
        CLEM_BY_MODE(read, name, CLEM_LIST(values))                                                \
        return __builtin_bit_cast(T, r);                                                           \
    }                                                                                              \
    template <class T>                                                                             \
    CLEM_DEVICE void name##read(T *result, cudaSurfaceObject_t object, parameters,                 \
                                cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap)       \
    {                                                                                              \
        *result = name##read<T>(object, values, boundaryMode);                                     \
    }                                                                                              \
    template <class T>                                                                             \
    CLEM_DEVICE void name##write(T value, cudaSurfaceObject_t object, parameters,                  \
                                 cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap)      \
    {                                                                                              \
        const auto r = __builtin_bit_cast(clem_registers<sizeof(T)>, value);                       \
        CLEM_BY_MODE(write, name, CLEM_LIST(values))                                               \
    }                                                                                              \
    template <class T>                                                                             \
    CLEM_DEVICE T name##read(surface<void, dimension> surfRef, parameters,                         \
                             cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap)          \
    {                                                                                              \
        return name##read<T>(clem_handle(surfRef), values, boundaryMode);                          \
    }                                                                                              \
    template <class T>                                                                             \
    CLEM_DEVICE void name##read(T *result, surface<void, dimension> surfRef, parameters,           \
                                cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap)       \
    {                                                                                              \
        *result = name##read<T>(clem_handle(surfRef), values, boundaryMode);                       \
    }                                                                                              \
    template <class T>                                                                             \
    CLEM_DEVICE void name##write(T value, surface<void, dimension> surfRef, parameters,            \
                                 cudaSurfaceBoundaryMode boundaryMode = cudaBoundaryModeTrap)      \
    {                                                                                              \
        name##write(value, clem_handle(surfRef), values, boundaryMode);                            \
    }

CLEM_SURFACE(surf1D, cudaSurfaceType1D, "1d", "{%[x]}", int x, [x] "r"(x), x)
CLEM_SURFACE(surf2D, cudaSurfaceType2D, "2d", "{%[x], %[y]}", CLEM_LIST(int x, int y),
             CLEM_LIST([x] "r"(x), [y] "r"(y)), CLEM_LIST(x, y))
CLEM_SURFACE(surf3D, cudaSurfaceType3D, "3d", "{%[x], %[y], %[z], %[z]}",
             CLEM_LIST(int x, int y, int z), CLEM_LIST([x] "r"(x), [y] "r"(y), [z] "r"(z)),
             CLEM_LIST(x, y, z))
CLEM_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, "a1d", "{%[layer], %[x]}",
             CLEM_LIST(int x, int layer), CLEM_LIST([x] "r"(x), [layer] "r"(layer)),
             CLEM_LIST(x, layer))
CLEM_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, "a2d", "{%[layer], %[x], %[y], %[y]}",
             CLEM_LIST(int x, int y, int layer),
             CLEM_LIST([x] "r"(x), [y] "r"(y), [layer] "r"(layer)), CLEM_LIST(x, y, layer))
CLEM_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, "a2d", "{%[layer], %[x], %[y], %[y]}",
             CLEM_LIST(int x, int y, int face),
             CLEM_LIST([x] "r"(x), [y] "r"(y), [layer] "r"(face)), CLEM_LIST(x, y, face))
CLEM_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, "a2d",
             "{%[layer], %[x], %[y], %[y]}", CLEM_LIST(int x, int y, int layerFace),
             CLEM_LIST([x] "r"(x), [y] "r"(y), [layer] "r"(layerFace)), CLEM_LIST(x, y, layerFace))

#undef CLEM_SURFACE
#undef CLEM_BY_MODE
#undef CLEM_SIZES
#undef CLEM_WRITE
#undef CLEM_READ
#undef CLEM_LIST
#undef CLEM_DEVICE

#endif

#endif
