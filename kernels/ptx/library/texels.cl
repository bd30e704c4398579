/* Which texels a fetch is made of, where kernels are checked.
 * SPDX-License-Identifier: Apache-2.0 */

#define CLEM_TEXELS 16

/* One texel of each corner that has a weight; those of the border are nowhere. gathers: all four. */
static uint clem_texels_of_level(__global const uchar *memory, const struct clem_texture *facts,
                                 int axes, struct clem_place place, int number, bool gathers,
                                 ulong *at)
{
    struct clem_level level = clem_level_at(memory, facts, axes, number);
    const uint is_linear = gathers ? 1u : clem_filters(facts);
    const uint bytes = facts->channels * clem_channel_bytes(facts->format);
    struct clem_axis x =
        clem_axis_at(facts->flags, place.x, level.width, facts->address[0], is_linear);
    struct clem_axis y = {0, 0, 0.0f}, z = {0, 0, 0.0f};
    if (axes > 1)
        y = clem_axis_at(facts->flags, place.y, level.height, facts->address[1], is_linear);
    if (axes == 3)
        z = clem_axis_at(facts->flags, place.z, level.depth, facts->address[2], is_linear);
    else
        level.texels += (ulong)(facts->first_layer + place.layer) * level.slice_bytes;
    const int corners = (gathers || x.weight != 0.0f ? 1 : 0) |
                        (gathers || y.weight != 0.0f ? 2 : 0) | (z.weight != 0.0f ? 4 : 0);
    uint count = 0u;
    for (int i = 0; i <= corners; i++) {
        const int column = i & 1 ? x.second : x.first, row = i & 2 ? y.second : y.first,
                  slice = i & 4 ? z.second : z.first;
        if ((i & ~corners) == 0 && (column | row | slice) >= 0)
            at[count++] = (ulong)(level.texels + (ulong)slice * level.slice_bytes +
                                  (ulong)row * level.pitch + (ulong)column * bytes);
    }
    return count;
}

/* The levels are those of clem_sample(). Filtering across the edges of cubes is not looked at. */
static uint clem_texels(__global const uchar *memory, const struct clem_texture *facts, int axes,
                        struct clem_place place, float lod, ulong *at)
{
    float wanted = clem_limit(lod + facts->level_bias, facts->min_level, facts->max_level);
    wanted = clem_limit(wanted, 0.0f, (float)(facts->levels - 1));
    const bool is_between =
        facts->flags & CLEM_TEXTURE_LEVELS_LINEAR && facts->format < CLEM_FORMAT_U8;
    const int steps = is_between ? clem_floor(wanted * 256.0f) : clem_floor(wanted + 0.5f) << 8;
    if (axes == CLEM_CUBE && facts->flags & CLEM_TEXTURE_SEAMLESS && clem_filters(facts))
        return 0u;
    uint count = clem_texels_of_level(memory, facts, axes, place, steps >> 8, false, at);
    if (steps & 255)
        count +=
            clem_texels_of_level(memory, facts, axes, place, (steps >> 8) + 1, false, at + count);
    return count;
}
