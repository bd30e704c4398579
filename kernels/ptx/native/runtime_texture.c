/* Textures and surfaces for kernels in the native form: what the device header computes by hand, as C of the host.
 * host_sampling.inc is made of kernels/device/ by CMake.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "kernels/device/clem_texture_facts.h"
#include "kernels/ptx/ir/ir.h"
#include "kernels/ptx/native/fetch.h"
#include "kernels/ptx/native/opencl_vectors.h"

#define __global   /* one memory */
#define __constant /* for all */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-const-variable"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wtautological-constant-compare"
#endif
#include "host_sampling.inc"
#include "kernels/ptx/library/texture.cl"
#pragma GCC diagnostic pop

enum { LANES = 32 };

#define FOR_LANES(lane)                                                                            \
    for (unsigned lane = 0; lane < LANES; lane++)                                                  \
        if (lanes >> lane & 1u)

/* What a lane has in a row of its list. */
static uint64_t number(const uint64_t *list, enum ptx_fetch_row row)
{
    return list[LANES * row];
}

static int whole(const uint64_t *list, enum ptx_fetch_row row)
{
    return (int)number(list, row);
}

static float real(const uint64_t *list, enum ptx_fetch_row row)
{
    return as_float((uint)number(list, row));
}

/* Takes from *lanes those that have the object of the first of them: all where *object is known. */
static uint32_t take_alike(uint32_t *lanes, const uint64_t *list, uint64_t *object)
{
    uint32_t alike = *lanes;
    if (*object == 0) {
        *object = list[__builtin_ctz(*lanes)];
        for (unsigned i = 0; i < LANES; i++)
            alike &= ~((uint32_t)(list[i] != *object) << i);
    }
    *lanes &= ~alike;
    return alike;
}

static const struct clem_texture *row_of(uint64_t object)
{
    return (const struct clem_texture *)(uintptr_t)object;
}

/* ---- Textures ---- */

static float level_of(const struct clem_texture *facts, union ptx_fetch what, const uint64_t *list)
{
    const uint64_t *const steps = &list[LANES * PTX_FETCH_STEPS];
    switch (what.texture.level) {
    case PTX_FETCH_AT_LEVEL:
        return real(list, PTX_FETCH_LEVEL);
    case PTX_FETCH_BY_STEPS:
        return clem_gradient_lod(facts,
                                 (float4){as_float((uint)steps[0]), as_float((uint)steps[LANES]),
                                          as_float((uint)steps[2 * LANES])},
                                 (float4){as_float((uint)steps[3 * LANES]),
                                          as_float((uint)steps[4 * LANES]),
                                          as_float((uint)steps[5 * LANES])});
    default:
        return -INFINITY;
    }
}

static struct clem_place place_of(const struct clem_texture *facts, union ptx_fetch what,
                                  const uint64_t *list)
{
    const float x = real(list, PTX_FETCH_X), y = real(list, PTX_FETCH_Y);
    const float z = real(list, PTX_FETCH_Z);
    const bool has_layer = what.texture.has_layer;
    const int layer = has_layer ? whole(list, PTX_FETCH_LAYER) : 0;
    if (what.texture.way == PTX_FETCH_SAMPLE_4)
        return clem_at_face(facts->layers, x, y, z, layer);
    return clem_at(x, y, z, has_layer ? clem_layer(layer, facts->layers) : 0);
}

static inline void put(uint64_t *list, unsigned count, float4 value)
{
    const uint4 bits = (uint4)value;
    for (unsigned k = 0; k < count; k++)
        list[LANES * k] = bits[k];
}

/* A loop for each way, so that what depends on the texture alone is decided before it. */
#define EACH(count, value)                                                                         \
    FOR_LANES(i)                                                                                   \
    {                                                                                              \
        uint64_t *const own = &list[i];                                                            \
        put(own, count, value);                                                                    \
    }                                                                                              \
    break
static void fetch(const uchar *memory, const struct clem_texture *facts, union ptx_fetch what,
                  uint32_t lanes, uint64_t *list)
{
    const unsigned count = what.texture.count;
    switch (what.texture.way) {
#define FUNCTION(type, channels)                                                                   \
    case PTX_FETCH_1D_##type:                                                                      \
        EACH(channels, clem_sample_1d_##type(memory, facts, real(own, PTX_FETCH_X)));              \
    case PTX_FETCH_2D_##type:                                                                      \
        EACH(channels, clem_sample_2d_##type(memory, facts, real(own, PTX_FETCH_X),                \
                                             real(own, PTX_FETCH_Y)));
        PTX_FETCH_TYPES(FUNCTION)
#undef FUNCTION
#define SAMPLE(axes)                                                                               \
    case PTX_FETCH_SAMPLE_##axes:                                                                  \
        EACH(count, clem_sample_##axes(memory, facts, place_of(facts, what, own),                  \
                                       level_of(facts, what, own)));
        SAMPLE(1)
        SAMPLE(2)
        SAMPLE(3)
        SAMPLE(4)
#undef SAMPLE
    case PTX_FETCH_GATHER:
        EACH(count, clem_gather(memory, facts, real(own, PTX_FETCH_X), real(own, PTX_FETCH_Y),
                                whole(own, PTX_FETCH_LEVEL)));
    default:
        EACH(count, clem_fetch(memory, facts, whole(own, PTX_FETCH_X)));
    }
}

void clem_native_fetch(uint32_t what, uint32_t lanes, uint64_t object, uint64_t *list)
{
    while (lanes) {
        uint64_t own = object;
        const uint32_t alike = take_alike(&lanes, list, &own);
        const struct clem_texture facts = clem_table_texture(row_of(own));
        fetch(CLEM_ROW_MEMORY(row_of(own)), &facts, (union ptx_fetch){.word = what}, alike, list);
    }
}

/* ---- Surfaces ---- */

struct surface {
    uchar *memory;
    struct clem_surface facts;
    union ptx_fetch what;
};

static uint32_t open_surface(uint32_t word, uint32_t *lanes, uint64_t object, const uint64_t *list,
                             struct surface *surface)
{
    const uint32_t alike = take_alike(lanes, list, &object);
    const struct clem_texture *row = row_of(object);
    *surface = (struct surface){CLEM_ROW_MEMORY(row), clem_table_surface(row), {.word = word}};
    return alike;
}

/* An element of so many bytes in all, or NULL where the surface has none. */
static inline uchar *element(const struct surface *surface, const uint64_t *list, int bytes)
{
    const bool has_layer = surface->what.surface.has_layer;
    const unsigned axes = surface->what.surface.axes;
    const int y = axes > 1 ? whole(list, PTX_FETCH_Y) : 0;
    const int z = has_layer  ? whole(list, PTX_FETCH_LAYER)
                  : axes > 2 ? whole(list, PTX_FETCH_Z)
                             : 0;
    const long offset = clem_surface_offset(&surface->facts, whole(list, PTX_FETCH_X), y, z,
                                            has_layer, bytes, surface->what.surface.mode);
    return offset < 0 ? NULL : surface->memory + offset;
}

/* Of elements, each of several numbers of a type. */
#define DEFINE_SURFACE(type)                                                                       \
    static inline void load_##type(const struct surface *surface, uint32_t lanes, uint64_t *list,  \
                                   unsigned count)                                                 \
    {                                                                                              \
        FOR_LANES(i)                                                                               \
        {                                                                                          \
            const type *const from = (const type *)(const void *)element(                          \
                surface, &list[i], (int)(count * sizeof *from));                                   \
            for (unsigned k = 0; k < count; k++)                                                   \
                list[i + LANES * k] = from ? from[k] : 0;                                          \
        }                                                                                          \
    }                                                                                              \
    /* The lowest lane's stays, where several have one place. */                                   \
    static inline void store_##type(const struct surface *surface, uint32_t lanes,                 \
                                    const uint64_t *list, unsigned count)                          \
    {                                                                                              \
        for (unsigned i = LANES; i-- > 0;) {                                                       \
            if (!(lanes >> i & 1u))                                                                \
                continue;                                                                          \
            type *const to =                                                                       \
                (type *)(void *)element(surface, &list[i], (int)(count * sizeof *to));             \
            for (unsigned k = 0; to && k < count; k++)                                             \
                to[k] = (type)list[i + LANES * (PTX_FETCH_VALUES + k)];                            \
        }                                                                                          \
    }
DEFINE_SURFACE(uchar)
DEFINE_SURFACE(ushort)
DEFINE_SURFACE(uint)
DEFINE_SURFACE(ulong)

#define BY_TYPE(function, count)                                                                   \
    switch (surface.what.surface.bytes) {                                                          \
    case 1:                                                                                        \
        function##_uchar(&surface, alike, list, count);                                            \
        break;                                                                                     \
    case 2:                                                                                        \
        function##_ushort(&surface, alike, list, count);                                           \
        break;                                                                                     \
    case 4:                                                                                        \
        function##_uint(&surface, alike, list, count);                                             \
        break;                                                                                     \
    default:                                                                                       \
        function##_ulong(&surface, alike, list, count);                                            \
        break;                                                                                     \
    }
#define BY_COUNT(function)                                                                         \
    switch (surface.what.surface.count) {                                                          \
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

void clem_native_load_surface(uint32_t what, uint32_t lanes, uint64_t object, uint64_t *list)
{
    struct surface surface;
    while (lanes) {
        const uint32_t alike = open_surface(what, &lanes, object, list, &surface);
        BY_COUNT(load)
    }
}

void clem_native_store_surface(uint32_t what, uint32_t lanes, uint64_t object, uint64_t *list)
{
    struct surface surface;
    while (lanes) {
        const uint32_t alike = open_surface(what, &lanes, object, list, &surface);
        BY_COUNT(store)
    }
}

static uint32_t reduced(union ptx_fetch what, uint32_t old, uint32_t value)
{
    const bool is_less = what.surface.is_signed ? (int)value < (int)old : value < old;
    switch (what.surface.operation) {
    case PTX_OP_ADD:
        return old + value;
    case PTX_OP_MIN:
        return is_less ? value : old;
    case PTX_OP_MAX:
        return is_less ? old : value;
    case PTX_OP_AND:
        return old & value;
    default:
        return old | value;
    }
}

static void reduce(const struct surface *surface, uint32_t lanes, const uint64_t *list)
{
    FOR_LANES(i)
    {
        uint32_t *const to = (uint32_t *)(void *)element(surface, &list[i], sizeof *to);
        const uint32_t value = (uint32_t)list[i + LANES * PTX_FETCH_VALUES];
        uint32_t old = to ? __atomic_load_n(to, __ATOMIC_RELAXED) : 0;
        while (to && !__atomic_compare_exchange_n(to, &old, reduced(surface->what, old, value),
                                                  true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
    }
}

void clem_native_reduce_surface(uint32_t what, uint32_t lanes, uint64_t object, uint64_t *list)
{
    struct surface surface;
    while (lanes) {
        const uint32_t alike = open_surface(what, &lanes, object, list, &surface);
        reduce(&surface, alike, list);
    }
}

/* ---- What they are ---- */

void clem_native_query(uint32_t word, uint32_t lanes, uint64_t object, uint64_t *list)
{
    const union ptx_fetch what = {.word = word};
    FOR_LANES(i)
    {
        const struct clem_texture *const row = row_of(object ? object : list[i]);
        uint32_t value;
        memcpy(&value, (const char *)row + 4 * what.query.at, sizeof value);
        if (what.query.is_of_cubes && row->flags & CLEM_TEXTURE_CUBE)
            value /= 6;
        list[i] = value;
    }
}
