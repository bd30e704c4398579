/* Textures and surfaces for kernels in the native form: what the device header computes by hand, as C of the host
 * (host_sampling.h).
 * SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "kernels/ptx/host/surfaces.h"
#include "kernels/ptx/host/texels.h"
#include "kernels/ptx/ir/ir.h"

enum { WORTH_A_LOOP = 4 /* as many lanes are worth one over all of them */ };

/* Of two functions the one for the processor. */
#ifdef __x86_64__
#define CHOSEN(name) (__builtin_cpu_supports("avx2") ? name##_avx2 : name##_any)
#else
#define CHOSEN(name) name##_any
#endif

#define FOR_LANES(lane)                                                                            \
    for (unsigned lane = 0; lane < PTX_FETCH_LANES; lane++)                                        \
        if (lanes >> lane & 1u)

/* What a lane has in a row of its list. */
static int whole(const uint32_t *list, enum ptx_fetch_row row)
{
    return (int)list[PTX_FETCH_LANES * row];
}

static float real(const uint32_t *list, enum ptx_fetch_row row)
{
    return as_float(list[PTX_FETCH_LANES * row]);
}

/* Three rows. */
static float4 vector(const uint32_t *list, unsigned row)
{
    const uint32_t *const at = &list[PTX_FETCH_LANES * row];
    return (float4){as_float(at[0]), as_float(at[PTX_FETCH_LANES]),
                    as_float(at[2 * PTX_FETCH_LANES])};
}

static const uint64_t *objects_of(const uint32_t *list)
{
    return (const uint64_t *)(const void *)&list[PTX_FETCH_LANES * PTX_FETCH_OBJECT];
}

/* Takes from *lanes those that have the object of the first of them: all where *object is known. */
static uint32_t take_alike(uint32_t *lanes, const uint32_t *list, uint64_t *object)
{
    uint32_t alike = *lanes;
    if (*object == 0) {
        const uint64_t *const each = objects_of(list);
        *object = each[__builtin_ctz(*lanes)];
        for (unsigned i = 0; i < PTX_FETCH_LANES; i++)
            alike &= ~((uint32_t)(each[i] != *object) << i);
    }
    *lanes &= ~alike;
    return alike;
}

static const struct clem_texture *row_of(uint64_t object)
{
    return (const struct clem_texture *)(uintptr_t)object;
}

/* ---- Textures ---- */

static float level_of(const struct clem_texture *facts, union ptx_fetch what, const uint32_t *list)
{
    switch (what.texture.level) {
    case PTX_FETCH_AT_LEVEL:
        return real(list, PTX_FETCH_LEVEL);
    case PTX_FETCH_BY_STEPS: {
        const float4 dx = vector(list, PTX_FETCH_STEPS), dy = vector(list, PTX_FETCH_STEPS + 3);
        return what.texture.way == PTX_FETCH_SAMPLE_4
                   ? clem_cube_lod(facts, vector(list, PTX_FETCH_X), dx, dy)
                   : clem_gradient_lod(facts, dx, dy);
    }
    default:
        return -INFINITY;
    }
}

static struct clem_place place_of(const struct clem_texture *facts, union ptx_fetch what,
                                  const uint32_t *list)
{
    const float x = real(list, PTX_FETCH_X), y = real(list, PTX_FETCH_Y);
    const float z = real(list, PTX_FETCH_Z);
    const bool has_layer = what.texture.has_layer;
    const int layer = has_layer ? whole(list, PTX_FETCH_LAYER) : 0;
    if (what.texture.way == PTX_FETCH_SAMPLE_4)
        return clem_at_face(facts->layers, x, y, z, layer);
    return clem_at(x, y, z, has_layer ? clem_layer(layer, facts->layers) : 0);
}

static inline void put(uint32_t *list, unsigned count, float4 value)
{
    const uint4 bits = (uint4)value;
    for (unsigned k = 0; k < count; k++)
        list[PTX_FETCH_LANES * (PTX_FETCH_RESULTS + k)] = bits[k];
}

/* A loop for each way, so that what depends on the texture alone is decided before it. */
#define EACH(count, value)                                                                         \
    FOR_LANES(i)                                                                                   \
    {                                                                                              \
        uint32_t *const own = &list[i];                                                            \
        put(own, count, value);                                                                    \
    }                                                                                              \
    break
static void fetch(const uchar *memory, const struct clem_texture *facts, union ptx_fetch what,
                  uint32_t lanes, uint32_t *list)
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

void clem_native_fetch(uint32_t what, uint32_t lanes, uint64_t object, uint32_t *list)
{
    const uint32_t all = lanes;
    while (lanes) {
        uint64_t own = object;
        const uint32_t alike = take_alike(&lanes, list, &own);
        if (alike == all && __builtin_popcount(all) >= WORTH_A_LOOP &&
            CHOSEN(ptx_texels)(row_of(own), (union ptx_fetch){.word = what}, list))
            return;
        const struct clem_texture facts = clem_table_texture(row_of(own));
        fetch(CLEM_ROW_MEMORY(row_of(own)), &facts, (union ptx_fetch){.word = what}, alike, list);
    }
}

/* ---- Surfaces ---- */

static uint32_t open_surface(uint32_t word, uint32_t *lanes, uint64_t object, const uint32_t *list,
                             struct surface *surface)
{
    const uint32_t alike = take_alike(lanes, list, &object);
    const struct clem_texture *row = row_of(object);
    *surface = (struct surface){CLEM_ROW_MEMORY(row), clem_table_surface(row), {.word = word}};
    return alike;
}

void clem_native_load_surface(uint32_t what, uint32_t lanes, uint64_t object, uint32_t *list)
{
    struct surface surface;
    while (lanes) {
        const uint32_t alike = open_surface(what, &lanes, object, list, &surface);
        CHOSEN(ptx_load_surface)(&surface, alike, list);
    }
}

void clem_native_store_surface(uint32_t what, uint32_t lanes, uint64_t object, uint32_t *list)
{
    struct surface surface;
    while (lanes) {
        const uint32_t alike = open_surface(what, &lanes, object, list, &surface);
        CHOSEN(ptx_store_surface)(&surface, alike, list);
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

static void reduce(const struct surface *surface, uint32_t lanes, const uint32_t *list)
{
    FOR_LANES(i)
    {
        uint32_t *const to = (uint32_t *)(void *)element(surface, &list[i], sizeof *to);
        const uint32_t value = (uint32_t)list[i + PTX_FETCH_LANES * PTX_FETCH_VALUES];
        uint32_t old = to ? __atomic_load_n(to, __ATOMIC_RELAXED) : 0;
        while (to && !__atomic_compare_exchange_n(to, &old, reduced(surface->what, old, value),
                                                  true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            ;
    }
}

void clem_native_reduce_surface(uint32_t what, uint32_t lanes, uint64_t object, uint32_t *list)
{
    struct surface surface;
    while (lanes) {
        const uint32_t alike = open_surface(what, &lanes, object, list, &surface);
        reduce(&surface, alike, list);
    }
}

/* ---- What they are ---- */

void clem_native_query(uint32_t word, uint32_t lanes, uint64_t object, uint32_t *list)
{
    const union ptx_fetch what = {.word = word};
    FOR_LANES(i)
    {
        const struct clem_texture *const row = row_of(object ? object : objects_of(list)[i]);
        uint32_t value;
        memcpy(&value, (const char *)row + (size_t)4 * what.query.at, sizeof value);
        if (what.query.is_of_cubes && row->flags & CLEM_TEXTURE_CUBE)
            value /= 6;
        list[i + PTX_FETCH_LANES * PTX_FETCH_RESULTS] = value;
    }
}
