/* Surfaces, for all lanes of a warp at once: neighbours in a row of memory are moved together.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernels/ptx/host/surfaces.h"

#ifndef LOAD_SURFACE
#define LOAD_SURFACE  ptx_load_surface_any
#define STORE_SURFACE ptx_store_surface_any
#endif

enum { EIGHT = 8, SIXTEEN = 16 };

/* The first of the elements of `count` lanes, where those are neighbours that the surface has; otherwise NULL. */
static inline uchar *neighbours(const struct surface *surface, uint32_t lanes, const uint32_t *list,
                                unsigned first, int bytes, unsigned count)
{
    const uint32_t *const own = &list[first];
    const unsigned axes = surface->what.surface.axes;
    const unsigned y = axes > 1 ? PTX_FETCH_Y : PTX_FETCH_X;
    const unsigned z = surface->what.surface.has_layer ? PTX_FETCH_LAYER
                       : axes > 2                      ? PTX_FETCH_Z
                                                       : PTX_FETCH_X;
    const uint32_t step = (uint32_t)bytes;
    const uint32_t y_step = y == PTX_FETCH_X ? step : 0, z_step = z == PTX_FETCH_X ? step : 0;
    uint32_t differs = ~lanes >> first & ((1u << count) - 1);
    for (unsigned i = 0; i < count; i++) {
        differs |=
            own[PTX_FETCH_LANES * PTX_FETCH_X + i] - own[PTX_FETCH_LANES * PTX_FETCH_X] - i * step;
        differs |= own[PTX_FETCH_LANES * y + i] - own[PTX_FETCH_LANES * y] - i * y_step;
        differs |= own[PTX_FETCH_LANES * z + i] - own[PTX_FETCH_LANES * z] - i * z_step;
    }
    const int64_t x = (int)own[PTX_FETCH_LANES * PTX_FETCH_X] & -bytes;
    if (differs || x < 0 || x + (int64_t)count * bytes > surface->facts.row_bytes)
        return NULL;
    return element(surface, own, bytes);
}

#define DEFINE_NEIGHBOURS(name, count)                                                             \
    static __attribute__((noinline)) uchar *name(const struct surface *surface, uint32_t lanes,    \
                                                 const uint32_t *list, unsigned first, int bytes)  \
    {                                                                                              \
        return neighbours(surface, lanes, list, first, bytes, count);                              \
    }
DEFINE_NEIGHBOURS(eight, EIGHT)
DEFINE_NEIGHBOURS(sixteen, SIXTEEN)

/* Of elements, each of several numbers of a type, which are `wide` in the list. */
#define DEFINE_SURFACE(type, wide)                                                                 \
    static inline void load_##type(const struct surface *surface, uint32_t lanes, uint32_t *list,  \
                                   unsigned count)                                                 \
    {                                                                                              \
        const int bytes = (int)(count * sizeof(type));                                             \
        wide *const values = (wide *)(void *)&list[PTX_FETCH_LANES * PTX_FETCH_VALUES];            \
        type texels[PTX_FETCH_LANES * 4];                                                          \
        for (unsigned first = 0; first < PTX_FETCH_LANES; first += EIGHT) {                        \
            const uchar *at =                                                                      \
                first % SIXTEEN ? NULL : sixteen(surface, lanes, list, first, bytes);              \
            if (at) {                                                                              \
                memcpy(&texels[(size_t)first * count], at, SIXTEEN *(size_t)bytes);                \
                first += EIGHT;                                                                    \
                continue;                                                                          \
            }                                                                                      \
            at = eight(surface, lanes, list, first, bytes);                                        \
            if (at)                                                                                \
                memcpy(&texels[(size_t)first * count], at, EIGHT *(size_t)bytes);                  \
            for (unsigned i = first; !at && i < first + EIGHT; i++) {                              \
                const bool is_asked = lanes >> i & 1u;                                             \
                const uchar *const own = is_asked ? element(surface, &list[i], bytes) : NULL;      \
                for (unsigned k = 0; k < count; k++)                                               \
                    texels[i * count + k] = own        ? ((const type *)(const void *)own)[k]      \
                                            : is_asked ? 0                                         \
                                                       : (type)values[PTX_FETCH_LANES * k + i];    \
            }                                                                                      \
        }                                                                                          \
        for (unsigned k = 0; k < count; k++)                                                       \
            for (unsigned i = 0; i < PTX_FETCH_LANES; i++)                                         \
                values[PTX_FETCH_LANES * k + i] = texels[i * count + k];                           \
    }                                                                                              \
    static inline void store_##type(const struct surface *surface, uint32_t lanes,                 \
                                    const uint32_t *list, unsigned count)                          \
    {                                                                                              \
        const int bytes = (int)(count * sizeof(type));                                             \
        const wide *const values =                                                                 \
            (const wide *)(const void *)&list[PTX_FETCH_LANES * PTX_FETCH_VALUES];                 \
        type texels[PTX_FETCH_LANES * 4];                                                          \
        for (unsigned k = 0; k < count; k++)                                                       \
            for (unsigned i = 0; i < PTX_FETCH_LANES; i++)                                         \
                texels[i * count + k] = (type)values[PTX_FETCH_LANES * k + i];                     \
        for (unsigned end = PTX_FETCH_LANES; end > 0; end -= EIGHT) {                              \
            unsigned first = end - SIXTEEN;                                                        \
            uchar *at = end % SIXTEEN ? NULL : sixteen(surface, lanes, list, first, bytes);        \
            if (at) {                                                                              \
                memcpy(at, &texels[(size_t)first * count], SIXTEEN *(size_t)bytes);                \
                end -= EIGHT;                                                                      \
                continue;                                                                          \
            }                                                                                      \
            first = end - EIGHT;                                                                   \
            at = eight(surface, lanes, list, first, bytes);                                        \
            if (at)                                                                                \
                memcpy(at, &texels[(size_t)first * count], EIGHT *(size_t)bytes);                  \
            for (unsigned i = end; !at && i-- > first;) {                                          \
                uchar *const own = lanes >> i & 1u ? element(surface, &list[i], bytes) : NULL;     \
                if (own)                                                                           \
                    memcpy(own, &texels[(size_t)i * count], (size_t)bytes);                        \
            }                                                                                      \
        }                                                                                          \
    }
DEFINE_SURFACE(uchar, uint)
DEFINE_SURFACE(ushort, uint)
DEFINE_SURFACE(uint, uint)
DEFINE_SURFACE(ulong, ulong)

#define BY_TYPE(function, count)                                                                   \
    switch (surface->what.surface.bytes) {                                                         \
    case 1:                                                                                        \
        function##_uchar(surface, lanes, list, count);                                             \
        break;                                                                                     \
    case 2:                                                                                        \
        function##_ushort(surface, lanes, list, count);                                            \
        break;                                                                                     \
    case 4:                                                                                        \
        function##_uint(surface, lanes, list, count);                                              \
        break;                                                                                     \
    default:                                                                                       \
        function##_ulong(surface, lanes, list, count);                                             \
        break;                                                                                     \
    }
#define BY_COUNT(function)                                                                         \
    switch (surface->what.surface.count) {                                                         \
    case 1:                                                                                        \
        BY_TYPE(function, 1)                                                                       \
        break;                                                                                     \
    case 2:                                                                                        \
        BY_TYPE(function, 2)                                                                       \
        break;                                                                                     \
    default:                                                                                       \
        BY_TYPE(function, 4)                                                                       \
        break;                                                                                     \
    }

void LOAD_SURFACE(const struct surface *surface, uint32_t lanes, uint32_t *list)
{
    BY_COUNT(load)
}

void STORE_SURFACE(const struct surface *surface, uint32_t lanes, const uint32_t *list)
{
    BY_COUNT(store)
}
