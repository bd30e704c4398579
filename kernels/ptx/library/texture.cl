/* Textures and surfaces whose handle is only known when the kernel runs: rows of the table of all
 * objects. Memory is at NULL there and `offset` an address; rows of surfaces say in `width` how many
 * bytes a row has.
 * SPDX-License-Identifier: Apache-2.0 */

#define CLEM_TABLE_MASK 0xfffffu /* the part of a handle that is the row */

#define CLEM_TABLE_ROW(handle) (clem_table[(uint)(handle) & CLEM_TABLE_MASK])

/* How far the coordinates move from one point of the screen to the next, as a level. */
#define CLEM_LOD_OF1(facts, dx, dy) \
    clem_gradient_lod(facts, (float4)((dx), 0.0f, 0.0f, 0.0f), (float4)((dy), 0.0f, 0.0f, 0.0f))

#define CLEM_LOD_OF2(facts, dx, dy) \
    clem_gradient_lod(facts, (float4)((dx), 0.0f, 0.0f), (float4)((dy), 0.0f, 0.0f))

#define CLEM_LOD_OF3(facts, dx, dy) clem_gradient_lod(facts, dx, dy)

static inline struct clem_surface clem_table_surface(__global const struct clem_texture *row)
{
    struct clem_surface facts;
    facts.offset = row->offset;
    facts.slice_bytes = row->slice_bytes;
    facts.pitch = row->pitch;
    facts.row_bytes = row->width;
    facts.height = row->height;
    facts.depth = row->depth;
    return facts;
}
