/* What kernels are told about textures and surfaces.
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "cl/image/texture_private.h"
#include "cl/memory.h"

/* Types by bytes of a channel. CUDA normalises integers of one and two bytes only. */
static uint32_t find_format(const struct ocl_texel *texel, const struct ocl_sampling *sampling)
{
    const bool is_signed = texel->type == OCL_CHANNEL_SIGNED;
    if (texel->type == OCL_CHANNEL_FLOAT)
        return texel->channel_bytes == 2 ? CLEM_FORMAT_F16 : CLEM_FORMAT_F32;
    if (texel->channel_bytes == 4)
        return is_signed ? CLEM_FORMAT_S32 : CLEM_FORMAT_U32;
    if (texel->channel_bytes == 2 && sampling->reads_normalized)
        return is_signed ? CLEM_FORMAT_SNORM16 : CLEM_FORMAT_UNORM16;
    if (texel->channel_bytes == 2)
        return is_signed ? CLEM_FORMAT_S16 : CLEM_FORMAT_U16;
    if (!sampling->reads_normalized)
        return is_signed ? CLEM_FORMAT_S8 : CLEM_FORMAT_U8;
    if (is_signed)
        return CLEM_FORMAT_SNORM8;
    return sampling->is_srgb ? CLEM_FORMAT_SRGB8 : CLEM_FORMAT_UNORM8;
}

static uint32_t find_flags(const struct ocl_sampling *sampling)
{
    return (sampling->is_linear ? CLEM_TEXTURE_LINEAR : 0) |
           (sampling->is_mipmap_linear ? CLEM_TEXTURE_LEVELS_LINEAR : 0) |
           (sampling->has_normalized_coordinates ? CLEM_TEXTURE_NORMALIZED : 0) |
           (sampling->is_seamless_cube ? CLEM_TEXTURE_SEAMLESS : 0);
}

static void add_sampling(struct clem_texture *facts, const struct ocl_sampling *sampling)
{
    for (int i = 0; i < 3; i++)
        facts->address[i] = (uint32_t)sampling->address[i];
    memcpy(facts->border, sampling->border, sizeof facts->border);
    facts->level_bias = sampling->level_bias;
    facts->min_level = sampling->min_level;
    facts->max_level = sampling->max_level;
    facts->flags |= find_flags(sampling);
}

static bool is_aligned_to(const struct ocl_texture_view *view, size_t alignment)
{
    struct ocl_array_level level;
    const size_t texel = ocl_texel_bytes(&view->texel);
    for (unsigned i = view->first_level; i <= view->last_level; i++) {
        ocl_array_level(view->array, i, &level);
        if ((level.width * texel + alignment - 1) / alignment * alignment != level.pitch)
            return false;
    }
    return true;
}

/* What the rows of all levels are rounded up to. */
static uint32_t find_alignment(const struct ocl_texture_view *view)
{
    uint32_t alignment = OCL_MEMORY_ALIGNMENT;
    while (alignment < UINT32_C(1) << 30 && !is_aligned_to(view, alignment))
        alignment *= 2;
    return alignment;
}

static void add_levels(struct clem_texture *facts, const struct ocl_texture_view *view)
{
    struct ocl_array_level first, level;
    ocl_array_level(view->array, view->first_level, &first);
    facts->levels = view->last_level - view->first_level + 1;
    if (facts->levels > CLEM_MAX_LEVELS)
        facts->levels = CLEM_MAX_LEVELS;
    for (unsigned i = 0; i < facts->levels; i++) {
        ocl_array_level(view->array, view->first_level + i, &level);
        facts->level_start[i] = (uint32_t)((level.address - first.address) / CLEM_LEVEL_UNIT);
    }
    facts->pitch_alignment = facts->levels > 1 ? find_alignment(view) : OCL_MEMORY_ALIGNMENT;
}

static void add_array(struct clem_texture *facts, const struct ocl_texture_view *view)
{
    struct ocl_array_level level;
    const struct ocl_array_shape *shape = ocl_array_shape(view->array);
    ocl_array_level(view->array, view->first_level, &level);
    facts->slice_bytes = level.slice_bytes;
    facts->depth = shape->layers > 0 ? 1 : (uint32_t)level.slices;
    facts->layers = shape->layers > 0 ? view->last_layer - view->first_layer + 1 : 1;
    facts->first_layer = view->first_layer;
    facts->flags |= shape->is_cube ? CLEM_TEXTURE_CUBE : 0;
    add_levels(facts, view);
}

static void add_memory(struct clem_texture *facts, const struct ocl_texture_view *view)
{
    facts->slice_bytes = (uint64_t)view->pitch * view->height;
    facts->depth = facts->layers = facts->levels = 1;
    facts->pitch_alignment = OCL_MEMORY_ALIGNMENT;
}

static void describe_texture(struct ocl_texture *texture)
{
    struct clem_texture *facts = &texture->facts.texture;
    const struct ocl_texture_view *view = &texture->view;
    *facts = (struct clem_texture){
        .pitch = (uint32_t)view->pitch,
        .width = (uint32_t)view->width,
        .height = (uint32_t)view->height,
        .format = texture->format,
        .channels = view->texel.channels,
    };
    if (view->array)
        add_array(facts, view);
    else
        add_memory(facts, view);
    add_sampling(facts, &texture->sampling);
    clem_texture_complete(facts);
    texture->image_facts = clem_image_of(facts);
}

static void describe_surface(struct ocl_texture *texture)
{
    struct ocl_array_level level;
    ocl_array_level(texture->view.array, texture->view.first_level, &level);
    texture->facts.surface = (struct clem_surface){
        .slice_bytes = level.slice_bytes,
        .pitch = (uint32_t)level.pitch,
        .row_bytes = (uint32_t)(level.width * ocl_texel_bytes(&texture->view.texel)),
        .height = (uint32_t)level.height,
        .depth = (uint32_t)level.slices,
    };
}

void ocl_texture_describe(struct ocl_texture *texture)
{
    struct ocl_array_level level = {.slices = 1};
    if (texture->view.array)
        ocl_array_level(texture->view.array, texture->view.first_level, &level);
    texture->slices = level.slices;
    texture->format = find_format(&texture->view.texel, &texture->sampling);
    if (texture->is_surface)
        describe_surface(texture);
    else
        describe_texture(texture);
}
