/* Textures and surfaces whose handle is only known when the kernel runs: rows of the table of all
 * objects. `offset` is an address there; rows of surfaces say in `width` how many bytes a row has.
 * SPDX-License-Identifier: Apache-2.0 */

#define CLEM_TABLE_MASK 0xfffffu /* the part of a handle that is the row */

#define CLEM_TABLE_ROW(handle) (clem_table[(uint)(handle) & CLEM_TABLE_MASK])
#define CLEM_ROW_MEMORY(row)   ((__global uchar *)(row)->offset)

/* How far the coordinates move from one point of the screen to the next, as a level. */
#define CLEM_LOD_OF1(facts, dx, dy) \
    clem_gradient_lod(facts, (float4)((dx), 0.0f, 0.0f, 0.0f), (float4)((dy), 0.0f, 0.0f, 0.0f))

#define CLEM_LOD_OF2(facts, dx, dy) \
    clem_gradient_lod(facts, (float4)((dx), 0.0f, 0.0f), (float4)((dy), 0.0f, 0.0f))

#define CLEM_LOD_OF3(facts, dx, dy) clem_gradient_lod(facts, dx, dy)

/* Field by field, so that compilers load only what a fetch uses; places of levels, which they cannot
 * tell apart, only where there are some. */
static inline struct clem_texture clem_table_texture(__global const struct clem_texture *row)
{
    struct clem_texture facts;
    facts.offset = 0;
    facts.slice_bytes = row->slice_bytes;
    facts.plain = row->plain;
    facts.plain_size = row->plain_size;
    facts.plain_pitch = row->plain_pitch;
    facts.pitch = row->pitch;
    facts.width = row->width;
    facts.height = row->height;
    facts.depth = row->depth;
    facts.layers = row->layers;
    facts.first_layer = row->first_layer;
    facts.levels = row->levels;
    facts.format = row->format;
    facts.channels = row->channels;
    facts.flags = row->flags;
    for (int i = 0; i < 3; i++)
        facts.address[i] = row->address[i];
    for (int i = 0; i < 4; i++)
        facts.border[i] = row->border[i];
    facts.level_bias = row->level_bias;
    facts.min_level = row->min_level;
    facts.max_level = row->max_level;
    facts.pitch_alignment = row->pitch_alignment;
    facts.level_start[0] = 0;
    for (uint i = 1; i < row->levels; i++)
        facts.level_start[i] = row->level_start[i];
    facts.shortcut = row->shortcut;
    return facts;
}

static inline struct clem_surface clem_table_surface(__global const struct clem_texture *row)
{
    struct clem_surface facts;
    facts.offset = 0;
    facts.slice_bytes = row->slice_bytes;
    facts.pitch = row->pitch;
    facts.row_bytes = row->width;
    facts.height = row->height;
    facts.depth = row->depth;
    return facts;
}
