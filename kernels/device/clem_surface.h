/* Surfaces in OpenCL C: CUDA's surf... functions on an array's memory, x in bytes.
 * SPDX-License-Identifier: Apache-2.0
 *
 *     __kernel void twice(CLEM_SURFACE(picture)) {
 *         int x = get_global_id(0) * sizeof(float), y = get_global_id(1);
 *         surf2Dwrite(float, 2.0f * surf2Dread(float, picture, x, y), picture, x, y);
 *     }
 *
 * The type comes first and is one name (uchar4, not unsigned char). The functions named ...Mode
 * take a boundary mode as well, the others trap as CUDA's do by default. A kernel cannot trap here:
 * where CUDA would end the kernel with an error, reads give 0 and writes are dropped, as with
 * cudaBoundaryModeZero. x has to be a multiple of the type's size and is rounded down to one.
 *
 * Surfaces are memory in both variants of a program, so one kernel may read and write them; which
 * of two work-items comes first is as undefined as in CUDA. clem_texture.h says how the parameters
 * are fed. */
#ifndef CLEM_SURFACE_H
#define CLEM_SURFACE_H

#include "clem_texture_facts.h"

#define CLEM_SURFACE(name)                                                                         \
    __global uchar *clem_surface_memory__##name, struct clem_surface clem_surface_facts__##name
#define CLEM_PASS_SURFACE(name)      clem_surface_memory__##name, clem_surface_facts__##name
#define CLEM_SURFACE_REFERENCE(name) CLEM_SURFACE(name), uint clem_surface_reference__##name

#define cudaBoundaryModeZero  0
#define cudaBoundaryModeClamp 1
#define cudaBoundaryModeTrap  2

/* Where an element lies, or -1: nowhere. In layers, -1 is behind the last layer. */
static inline long clem_surface_offset(const struct clem_surface *facts, int x, int y, int z,
                                       int is_layered, int bytes, int mode)
{
    int last_x = (int)facts->row_bytes - bytes, last_y = (int)facts->height - 1;
    int last_z = (int)facts->depth - 1;
    x &= -bytes;
    if (mode == cudaBoundaryModeClamp) {
        x = clamp(x, 0, max(last_x, 0));
        y = clamp(y, 0, last_y);
        z = is_layered && z < 0 ? last_z : clamp(z, 0, last_z);
    }
    if (x < 0 || x > last_x || y < 0 || y > last_y || z < 0 || z > last_z)
        return -1;
    ulong row = facts->offset + (ulong)z * facts->slice_bytes + (ulong)y * facts->pitch;
    return (long)(row + (ulong)x);
}

#define CLEM_DEFINE_SURFACE(T)                                                                     \
    static inline T clem_surface_read_##T(__global const uchar *memory, long offset)               \
    {                                                                                              \
        return offset < 0 ? (T)(0) : *(__global const T *)(memory + offset);                       \
    }                                                                                              \
    static inline void clem_surface_write_##T(T value, __global uchar *memory, long offset)        \
    {                                                                                              \
        if (offset >= 0)                                                                           \
            *(__global T *)(memory + offset) = value;                                              \
    }
#define CLEM_DEFINE_SURFACES(T)                                                                    \
    CLEM_DEFINE_SURFACE(T) CLEM_DEFINE_SURFACE(T##2) CLEM_DEFINE_SURFACE(T##4)
CLEM_DEFINE_SURFACES(char)
CLEM_DEFINE_SURFACES(uchar)
CLEM_DEFINE_SURFACES(short)
CLEM_DEFINE_SURFACES(ushort)
CLEM_DEFINE_SURFACES(int)
CLEM_DEFINE_SURFACES(uint)
CLEM_DEFINE_SURFACES(float)
CLEM_DEFINE_SURFACE(long)
CLEM_DEFINE_SURFACE(long2)
CLEM_DEFINE_SURFACE(ulong)
CLEM_DEFINE_SURFACE(ulong2)

#define CLEM_SURFACE_AT(T, surf, x, y, z, is_layered, mode)                                        \
    clem_surface_memory__##surf, clem_surface_offset(&clem_surface_facts__##surf, (x), (y), (z),   \
                                                     is_layered, (int)sizeof(T), (mode))
#define CLEM_SURFACE_READ(T)  CLEM_JOIN(clem_surface_read_, T)
#define CLEM_SURFACE_WRITE(T) CLEM_JOIN(clem_surface_write_, T)

#define surf1DreadMode(T, surf, x, mode)                                                           \
    CLEM_SURFACE_READ(T)(CLEM_SURFACE_AT(T, surf, x, 0, 0, 0, mode))
#define surf1Dread(T, surf, x) surf1DreadMode(T, surf, x, cudaBoundaryModeTrap)
#define surf1DwriteMode(T, value, surf, x, mode)                                                   \
    CLEM_SURFACE_WRITE(T)(value, CLEM_SURFACE_AT(T, surf, x, 0, 0, 0, mode))
#define surf1Dwrite(T, value, surf, x) surf1DwriteMode(T, value, surf, x, cudaBoundaryModeTrap)

#define surf2DreadMode(T, surf, x, y, mode)                                                        \
    CLEM_SURFACE_READ(T)(CLEM_SURFACE_AT(T, surf, x, y, 0, 0, mode))
#define surf2Dread(T, surf, x, y) surf2DreadMode(T, surf, x, y, cudaBoundaryModeTrap)
#define surf2DwriteMode(T, value, surf, x, y, mode)                                                \
    CLEM_SURFACE_WRITE(T)(value, CLEM_SURFACE_AT(T, surf, x, y, 0, 0, mode))
#define surf2Dwrite(T, value, surf, x, y)                                                          \
    surf2DwriteMode(T, value, surf, x, y, cudaBoundaryModeTrap)

#define surf3DreadMode(T, surf, x, y, z, mode)                                                     \
    CLEM_SURFACE_READ(T)(CLEM_SURFACE_AT(T, surf, x, y, z, 0, mode))
#define surf3Dread(T, surf, x, y, z) surf3DreadMode(T, surf, x, y, z, cudaBoundaryModeTrap)
#define surf3DwriteMode(T, value, surf, x, y, z, mode)                                             \
    CLEM_SURFACE_WRITE(T)(value, CLEM_SURFACE_AT(T, surf, x, y, z, 0, mode))
#define surf3Dwrite(T, value, surf, x, y, z)                                                       \
    surf3DwriteMode(T, value, surf, x, y, z, cudaBoundaryModeTrap)

#define surf1DLayeredreadMode(T, surf, x, layer, mode)                                             \
    CLEM_SURFACE_READ(T)(CLEM_SURFACE_AT(T, surf, x, 0, layer, 1, mode))
#define surf1DLayeredread(T, surf, x, layer)                                                       \
    surf1DLayeredreadMode(T, surf, x, layer, cudaBoundaryModeTrap)
#define surf1DLayeredwriteMode(T, value, surf, x, layer, mode)                                     \
    CLEM_SURFACE_WRITE(T)(value, CLEM_SURFACE_AT(T, surf, x, 0, layer, 1, mode))
#define surf1DLayeredwrite(T, value, surf, x, layer)                                               \
    surf1DLayeredwriteMode(T, value, surf, x, layer, cudaBoundaryModeTrap)

#define surf2DLayeredreadMode(T, surf, x, y, layer, mode)                                          \
    CLEM_SURFACE_READ(T)(CLEM_SURFACE_AT(T, surf, x, y, layer, 1, mode))
#define surf2DLayeredread(T, surf, x, y, layer)                                                    \
    surf2DLayeredreadMode(T, surf, x, y, layer, cudaBoundaryModeTrap)
#define surf2DLayeredwriteMode(T, value, surf, x, y, layer, mode)                                  \
    CLEM_SURFACE_WRITE(T)(value, CLEM_SURFACE_AT(T, surf, x, y, layer, 1, mode))
#define surf2DLayeredwrite(T, value, surf, x, y, layer)                                            \
    surf2DLayeredwriteMode(T, value, surf, x, y, layer, cudaBoundaryModeTrap)

/* Faces are layers: face 0 to 5, or six times the cube and the face. */
#define surfCubemapreadMode(T, surf, x, y, face, mode)                                             \
    CLEM_SURFACE_READ(T)(CLEM_SURFACE_AT(T, surf, x, y, face, 1, mode))
#define surfCubemapread(T, surf, x, y, face)                                                       \
    surfCubemapreadMode(T, surf, x, y, face, cudaBoundaryModeTrap)
#define surfCubemapwriteMode(T, value, surf, x, y, face, mode)                                     \
    CLEM_SURFACE_WRITE(T)(value, CLEM_SURFACE_AT(T, surf, x, y, face, 1, mode))
#define surfCubemapwrite(T, value, surf, x, y, face)                                               \
    surfCubemapwriteMode(T, value, surf, x, y, face, cudaBoundaryModeTrap)

#define surfCubemapLayeredreadMode(T, surf, x, y, layerFace, mode)                                 \
    CLEM_SURFACE_READ(T)(CLEM_SURFACE_AT(T, surf, x, y, layerFace, 1, mode))
#define surfCubemapLayeredread(T, surf, x, y, layerFace)                                           \
    surfCubemapLayeredreadMode(T, surf, x, y, layerFace, cudaBoundaryModeTrap)
#define surfCubemapLayeredwriteMode(T, value, surf, x, y, layerFace, mode)                         \
    CLEM_SURFACE_WRITE(T)(value, CLEM_SURFACE_AT(T, surf, x, y, layerFace, 1, mode))
#define surfCubemapLayeredwrite(T, value, surf, x, y, layerFace)                                   \
    surfCubemapLayeredwriteMode(T, value, surf, x, y, layerFace, cudaBoundaryModeTrap)

#endif
