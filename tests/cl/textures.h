/* For the tests of textures: arrays with texels in them, and textures of the simplest sampling.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CL_TEXTURES_H
#define TESTS_CL_TEXTURES_H

#include "cl/image/image_private.h"
#include "tests/cl/launch.h"

static const struct ocl_texel float_texel = {OCL_CHANNEL_FLOAT, 1, 4};
static const struct ocl_texel byte_texel = {OCL_CHANNEL_UNSIGNED, 1, 1};

/* Skips where planes of one float cannot be images, or cannot be filled. */
static inline void need_images(const struct bench *bench)
{
    const cl_image_format format = {CL_R, CL_FLOAT};

    if (!ocl_device_facts(0)->has_images)
        TEST_SKIP("the device has no images");
    if (!bench->context->capability.has_block_buffers)
        TEST_SKIP("device memory is no cl_mem here, so images cannot be filled from it");
    if (ocl_image_has_format(bench->context, CL_MEM_OBJECT_IMAGE2D, &format, false) != OCL_OK ||
        ocl_image_has_format(bench->context, CL_MEM_OBJECT_IMAGE2D, &format, true) != OCL_OK)
        TEST_SKIP("the device has no images of one float");
}

static inline struct ocl_array *make_array(const struct bench *bench,
                                           const struct ocl_array_shape *shape)
{
    struct ocl_array *array = NULL;

    assert_int_equal(ocl_array_create(bench->context, shape, &array), OCL_OK);
    return array;
}

static inline struct ocl_array *make_plane(const struct bench *bench, const struct ocl_texel *texel,
                                           size_t width, size_t height)
{
    return make_array(bench, &(struct ocl_array_shape){
                                 .texel = *texel, .width = width, .height = height, .levels = 1});
}

/* Writes (or reads back) level 0: rows without gaps at host. */
static inline void move_texels(struct ocl_queue *queue, struct ocl_array *array, void *host,
                               bool is_write, enum ocl_transfer_wait wait)
{
    struct ocl_array_level level;

    ocl_array_level(array, 0, &level);
    const size_t row = level.width * ocl_texel_bytes(&ocl_array_shape(array)->texel);
    const struct ocl_copy_end texels = {level.address, level.pitch, level.slice_bytes};
    const struct ocl_copy_end memory = {(uint64_t)(uintptr_t)host, row, row * level.height};
    const struct ocl_copy copy = {
        .source = is_write ? memory : texels,
        .target = is_write ? texels : memory,
        .width = row,
        .height = level.height,
        .depth = level.slices,
    };
    assert_int_equal(ocl_transfer_copy(queue, &copy, wait), OCL_OK);
    if (is_write)
        assert_int_equal(ocl_array_written(array, queue), OCL_OK);
}

static inline void write_texels(const struct bench *bench, struct ocl_array *array, void *host)
{
    move_texels(bench->queue, array, host, true, OCL_WAIT_ALL);
}

static inline void read_texels(const struct bench *bench, struct ocl_array *array, void *host)
{
    move_texels(bench->queue, array, host, false, OCL_WAIT_ALL);
}

static inline struct ocl_sampling clamped(void)
{
    return (struct ocl_sampling){
        .address = {OCL_ADDRESS_MODE_CLAMP, OCL_ADDRESS_MODE_CLAMP, OCL_ADDRESS_MODE_CLAMP}};
}

static inline struct ocl_texture_view view_of(struct ocl_array *array)
{
    const struct ocl_array_shape *shape = ocl_array_shape(array);

    return (struct ocl_texture_view){
        .source = OCL_TEXTURE_ARRAY,
        .texel = shape->texel,
        .array = array,
        .last_layer = shape->layers > 0 ? shape->layers - 1 : 0,
    };
}

static inline struct ocl_texture *make_texture(const struct bench *bench,
                                               const struct ocl_texture_view *view,
                                               const struct ocl_sampling *sampling)
{
    struct ocl_texture *texture = NULL;

    assert_int_equal(ocl_texture_create(bench->context, view, sampling, &texture), OCL_OK);
    assert_non_null(texture);
    return texture;
}

/* Point sampling, clamped, texel coordinates. */
static inline struct ocl_texture *make_simple(const struct bench *bench, struct ocl_array *array)
{
    const struct ocl_texture_view view = view_of(array);
    const struct ocl_sampling sampling = clamped();

    return make_texture(bench, &view, &sampling);
}

static inline struct ocl_texture *make_surface(struct ocl_array *array)
{
    struct ocl_texture *surface = NULL;

    assert_int_equal(ocl_surface_create(array, 0, &surface), OCL_OK);
    return surface;
}

static inline struct ocl_texture_view linear_view(uint64_t address, size_t width)
{
    return (struct ocl_texture_view){.source = OCL_TEXTURE_LINEAR,
                                     .texel = float_texel,
                                     .address = address,
                                     .width = width,
                                     .height = 1};
}

#endif
