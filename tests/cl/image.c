/* Tests of images made from textures, through kernels that know nothing of clem's device header.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <time.h>

#include "cl/queue/queue_private.h"
#include "tests/cl/textures.h"

static const char plain_kernels[] =
    "__kernel void fetch(read_only image2d_t i, sampler_t s, __global float *out, int width)\n"
    "{ int x = get_global_id(0), y = get_global_id(1);\n"
    "  out[y * width + x] = read_imagef(i, s, (int2)(x, y)).x; }\n"
    "__kernel void lone(__global float *out, read_only image2d_t i, int width)\n"
    "{ const sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  out[y * width + x] = read_imagef(i, s, (int2)(x, y)).x; }\n"
    "__kernel void store(write_only image2d_t o, float value)\n"
    "{ write_imagef(o, (int2)(get_global_id(0), get_global_id(1)), (float4)(value)); }\n"
    "__kernel void table(read_only image1d_buffer_t b, __global float *out)\n"
    "{ int x = get_global_id(0); out[x] = read_imagef(b, x).x; }\n";

enum { WIDTH = 37, HEIGHT = 5, TEXELS = WIDTH * HEIGHT };

static struct bench open_plain(void)
{
    if (ocl_device_count() > 0 && !ocl_device_facts(0)->has_images)
        TEST_SKIP("the device has no images");
    struct bench bench = open_bench(plain_kernels, NULL);
    need_images(&bench);
    return bench;
}

static void fill_numbers(float *texels, size_t count, float first)
{
    for (size_t i = 0; i < count; i++)
        texels[i] = first + (float)i;
}

/* Launches fetch or lone over the plane, in a queue. */
static ocl_status launch_fetch(struct ocl_kernel *kernel, struct ocl_queue *queue, uint64_t texture,
                               uint64_t out, size_t width, size_t height)
{
    const cl_int row = (cl_int)width;
    const bool is_lone = strcmp(ocl_kernel_name(kernel), "lone") == 0;
    void *arguments[] = {is_lone ? &out : &texture, is_lone ? &texture : &out,
                         (void *)(uintptr_t)&row};
    const struct ocl_launch launch = {
        .groups = {width, height, 1}, .items = {1, 1, 1}, .arguments = arguments};

    return ocl_kernel_launch(kernel, queue, &launch);
}

static void expect_fetched(const struct bench *bench, const char *name,
                           const struct ocl_texture *texture, const float *expected, size_t width,
                           size_t height)
{
    const size_t bytes = width * height * sizeof(float);
    const uint64_t out = make_device(bench, bytes);
    float *found = malloc(bytes);

    assert_int_equal(launch_fetch(find_kernel(bench, name), bench->queue, ocl_texture_id(texture),
                                  out, width, height),
                     OCL_OK);
    read_device(bench, found, out, bytes);
    assert_memory_equal(found, expected, bytes);
    free(found);
    free_device(out);
}

static void check_plane(const struct bench *bench, size_t width, size_t height)
{
    float texels[64 * 8];
    struct ocl_array *array = make_plane(bench, &float_texel, width, height);
    struct ocl_texture *texture = make_simple(bench, array);

    for (int round = 0; round < 3; round++) {
        fill_numbers(texels, width * height, 1000.0f * (float)round);
        write_texels(bench, array, texels);
        expect_fetched(bench, "fetch", texture, texels, width, height);
        expect_fetched(bench, "lone", texture, texels, width, height);
    }
    ocl_texture_release(texture);
    ocl_array_release(array);
}

/* Rows with gaps, rows without, and a single one. */
TEST_BODY(image_follows_writes_to_its_array)
{
    struct bench bench = open_plain();

    check_plane(&bench, WIDTH, HEIGHT);
    check_plane(&bench, 64, 8);
    check_plane(&bench, 3, 1);
    close_bench(&bench);
}

static cl_mem_object_type type_for(const struct ocl_array_shape *shape)
{
    if (shape->layers > 0)
        return shape->height > 0 ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE1D_ARRAY;
    if (shape->depth > 0)
        return CL_MEM_OBJECT_IMAGE3D;
    return shape->height > 0 ? CL_MEM_OBJECT_IMAGE2D : CL_MEM_OBJECT_IMAGE1D;
}

/* Texels of level 0 as bytes, through a texture of any format and shape, by the two ways of filling. */
static void check_filling(struct bench *bench, const struct ocl_array_shape *shape)
{
    struct ocl_array *array = make_array(bench, shape);
    struct ocl_array_level level;
    struct ocl_image *image = NULL;
    const struct ocl_texture_view view = view_of(array);
    struct ocl_sampling sampling = clamped();
    const cl_mem_object_type type = type_for(shape);
    const bool is_rows = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;

    sampling.reads_normalized = shape->texel.type == OCL_CHANNEL_UNSIGNED;
    ocl_array_level(array, 0, &level);
    const size_t bytes = level.width * level.height * level.slices * ocl_texel_bytes(&shape->texel);
    unsigned char *texels = malloc(bytes), *found = malloc(bytes);
    for (size_t i = 0; i < bytes; i++) /* no float among them is a NaN */
        texels[i] = (unsigned char)(i % 2 == 1 ? 0x40 : i * 7 + i / 256);
    write_texels(bench, array, texels);
    struct ocl_texture *texture = make_texture(bench, &view, &sampling);
    const ocl_status status = ocl_image_get(texture, type, &image);
    if (status == OCL_OK) {
        const size_t origin[3] = {0};
        const size_t region[3] = {level.width, is_rows ? level.slices : level.height,
                                  is_rows ? 1 : level.slices};
        assert_int_equal(ocl_image_refresh(image, bench->queue), OCL_OK);
        assert_int_equal(clEnqueueReadImage(bench->queue->cl, image->cl, CL_TRUE, origin, region, 0,
                                            0, found, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_memory_equal(found, texels, bytes);
    } else { /* devices need not have all formats, but those of four channels */
        assert_int_equal(status, OCL_E_NOT_SUPPORTED);
        assert_true(shape->texel.channels < 4);
    }
    free(texels);
    free(found);
    ocl_texture_release(texture);
    ocl_array_release(array);
}

static void check_shapes(struct bench *bench)
{
    static const struct ocl_texel texels[] = {
        {OCL_CHANNEL_FLOAT, 1, 4},    {OCL_CHANNEL_FLOAT, 4, 4},   {OCL_CHANNEL_SIGNED, 2, 4},
        {OCL_CHANNEL_UNSIGNED, 4, 1}, {OCL_CHANNEL_SIGNED, 1, 1},  {OCL_CHANNEL_UNSIGNED, 1, 2},
        {OCL_CHANNEL_UNSIGNED, 4, 4}, {OCL_CHANNEL_FLOAT, 4, 2},   {OCL_CHANNEL_SIGNED, 4, 2},
        {OCL_CHANNEL_SIGNED, 4, 1},   {OCL_CHANNEL_UNSIGNED, 4, 2}};

    static const struct ocl_array_shape shapes[] = {
        {.texel = {OCL_CHANNEL_FLOAT, 4, 4}, .width = 45, .levels = 1},
        {.texel = {OCL_CHANNEL_FLOAT, 4, 4}, .width = 45, .layers = 3, .levels = 1},
        {.texel = {OCL_CHANNEL_FLOAT, 4, 4}, .width = 17, .height = 3, .layers = 5, .levels = 1},
        {.texel = {OCL_CHANNEL_FLOAT, 4, 4}, .width = 17, .height = 3, .depth = 4, .levels = 1}};

    for (size_t i = 0; i < sizeof texels / sizeof *texels; i++)
        check_filling(bench, &(struct ocl_array_shape){
                                 .texel = texels[i], .width = 35, .height = 18, .levels = 1});
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        check_filling(bench, &shapes[i]);
}

TEST_BODY(image_holds_every_bit)
{
    struct bench bench = open_plain();

    check_shapes(&bench);
    close_bench(&bench);
}

/* The same by kernels, as on GPUs. */
TEST_BODY(image_filled_by_kernels_holds_every_bit)
{
    if (ocl_device_count() == 0)
        TEST_SKIP("no OpenCL device");
    struct bench bench = open_plain();
    struct ocl_device *device = (struct ocl_device *)(uintptr_t)ocl_device_get(0);

    device->facts.device_class = OCL_CLASS_GPU; /* after the context has chosen its ways */
    check_shapes(&bench);
    close_bench(&bench);
}

TEST_BODY(image_is_shared_by_equal_views)
{
    struct bench bench = open_plain();
    struct ocl_array *array = make_plane(&bench, &byte_texel, 16, 4);
    const struct ocl_texture_view view = view_of(array);
    struct ocl_sampling sampling = clamped();
    struct ocl_image *images[3] = {NULL};
    struct ocl_texture *textures[3];

    textures[0] = make_texture(&bench, &view, &sampling);
    sampling.address[0] = sampling.address[1] = OCL_ADDRESS_MODE_BORDER;
    textures[1] = make_texture(&bench, &view, &sampling);
    sampling.reads_normalized = true;
    textures[2] = make_texture(&bench, &view, &sampling);
    for (int i = 0; i < 3; i++)
        assert_int_equal(ocl_image_get(textures[i], CL_MEM_OBJECT_IMAGE2D, &images[i]), OCL_OK);
    assert_ptr_equal(images[0], images[1]);
    assert_ptr_not_equal(images[0], images[2]);
    assert_int_equal(ocl_image_get(textures[0], CL_MEM_OBJECT_IMAGE3D, &images[0]),
                     OCL_E_NOT_SUPPORTED);
    for (int i = 0; i < 3; i++)
        ocl_texture_release(textures[i]);
    ocl_array_release(array);
    close_bench(&bench);
}

TEST_BODY(image_needs_what_samplers_can_do)
{
    struct bench bench = open_plain();
    struct ocl_array *array = make_plane(&bench, &float_texel, 16, 4);
    const struct ocl_texture_view view = view_of(array);
    struct ocl_sampling mixed = clamped(), coloured = clamped(), wrapped = clamped();
    cl_sampler sampler;

    mixed.address[1] = OCL_ADDRESS_MODE_BORDER;
    coloured.address[0] = coloured.address[1] = OCL_ADDRESS_MODE_BORDER;
    coloured.border[0] = 0.5f;
    wrapped.address[0] = OCL_ADDRESS_MODE_WRAP; /* clamps: coordinates are not normalised */
    struct ocl_texture *textures[] = {make_texture(&bench, &view, &mixed),
                                      make_texture(&bench, &view, &coloured),
                                      make_texture(&bench, &view, &wrapped)};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ocl_image_suits(textures[i]), i == 2);
        assert_int_equal(ocl_image_sampler(textures[i], &sampler),
                         i == 2 ? OCL_OK : OCL_E_NOT_SUPPORTED);
        ocl_texture_release(textures[i]);
    }
    ocl_array_release(array);
    close_bench(&bench);
}

TEST_BODY(image_of_a_surface_goes_to_its_array)
{
    struct bench bench = open_plain();
    float texels[TEXELS], expected[TEXELS];
    struct ocl_array *array = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
    struct ocl_texture *texture = make_simple(&bench, array), *surface = make_surface(array);
    const uint64_t id = ocl_texture_id(surface);
    const float value = -3.0f;

    fill_numbers(texels, TEXELS, 0.0f);
    write_texels(&bench, array, texels);
    expect_fetched(&bench, "fetch", texture, texels, WIDTH, HEIGHT);
    const struct ocl_launch launch = {
        .groups = {WIDTH - 1, 2, 1},
        .items = {1, 1, 1},
        .arguments = (void *[]){(void *)(uintptr_t)&id, (void *)(uintptr_t)&value}};
    assert_int_equal(ocl_kernel_launch(find_kernel(&bench, "store"), bench.queue, &launch), OCL_OK);
    for (int i = 0; i < TEXELS; i++)
        expected[i] = i % WIDTH < WIDTH - 1 && i / WIDTH < 2 ? value : texels[i];
    expect_fetched(&bench, "fetch", texture, expected, WIDTH, HEIGHT);
    read_texels(&bench, array, texels);
    assert_memory_equal(texels, expected, sizeof texels);
    ocl_texture_release(surface);
    ocl_texture_release(texture);
    ocl_array_release(array);
    close_bench(&bench);
}

TEST_BODY(image_over_a_buffer_sees_later_writes)
{
    enum { COUNT = 64, BYTES = 8 << 20 };
    struct bench bench = open_plain();
    float texels[COUNT], found[COUNT];
    const uint64_t memory = make_device(&bench, BYTES), out = make_device(&bench, sizeof found);
    const struct ocl_texture_view view = linear_view(memory, COUNT);
    const struct ocl_sampling sampling = clamped();
    struct ocl_texture *texture = make_texture(&bench, &view, &sampling);
    const uint64_t id = ocl_texture_id(texture);
    void *arguments[] = {(void *)(uintptr_t)&id, (void *)(uintptr_t)&out};

    for (int round = 0; round < 2; round++) {
        fill_numbers(texels, COUNT, 7.0f * (float)round);
        write_device(&bench, memory, texels, sizeof texels);
        const ocl_status status =
            launch_line(&bench, find_kernel(&bench, "table"), COUNT, 1, 0, arguments);
        if (status == OCL_E_NOT_SUPPORTED)
            TEST_SKIP("the memory cannot be an image buffer on this device");
        assert_int_equal(status, OCL_OK);
        read_device(&bench, found, out, sizeof found);
        assert_memory_equal(found, texels, sizeof found);
    }
    ocl_texture_release(texture);
    free_device(out);
    free_device(memory);
    close_bench(&bench);
}

/* ---- Several queues ---- */

static void sleep_a_while(void *data, ocl_status status)
{
    const struct timespec pause = {0, 30 * 1000 * 1000};

    (void)data;
    (void)status;
    nanosleep(&pause, NULL);
}

/* The refresh waits for a write that another queue has not come to yet, and a launch in a third
 * queue for the refresh. */
TEST_BODY(image_refresh_waits_for_other_queues)
{
    struct bench bench = open_plain();
    static float texels[TEXELS], found[TEXELS];
    struct ocl_array *array = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
    struct ocl_texture *texture = make_simple(&bench, array);
    struct ocl_kernel *kernel = find_kernel(&bench, "fetch");
    struct ocl_queue *queues[3];
    uint64_t outs[2];

    for (int i = 0; i < 3; i++)
        assert_int_equal(ocl_queue_create(bench.context, OCL_QUEUE_NON_BLOCKING, 0, &queues[i]),
                         OCL_OK);
    fill_numbers(texels, TEXELS, 1.0f);
    write_texels(&bench, array, texels);
    expect_fetched(&bench, "fetch", texture, texels, WIDTH, HEIGHT);
    fill_numbers(texels, TEXELS, 500.0f);
    assert_int_equal(ocl_queue_host_function(queues[0], sleep_a_while, NULL, false), OCL_OK);
    move_texels(queues[0], array, texels, true, OCL_WAIT_SOURCE);
    for (int i = 0; i < 2; i++) {
        outs[i] = make_device(&bench, sizeof found);
        assert_int_equal(
            launch_fetch(kernel, queues[1 + i], ocl_texture_id(texture), outs[i], WIDTH, HEIGHT),
            OCL_OK);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ocl_queue_finish(queues[1 + i]), OCL_OK);
        read_device(&bench, found, outs[i], sizeof found);
        assert_memory_equal(found, texels, sizeof found);
        free_device(outs[i]);
    }
    for (int i = 0; i < 3; i++)
        ocl_queue_destroy(queues[i]);
    ocl_texture_release(texture);
    ocl_array_release(array);
    close_bench(&bench);
}

struct reader {
    const struct bench *bench;
    struct ocl_queue *queue;
    struct ocl_kernel *kernel;
    uint64_t texture, out;
    ocl_status status;
};

static void *read_once(void *argument)
{
    struct reader *reader = argument;

    reader->status =
        launch_fetch(reader->kernel, reader->queue, reader->texture, reader->out, WIDTH, HEIGHT);
    return NULL;
}

TEST_BODY(image_is_refreshed_for_many_threads)
{
    enum { THREADS = 6, ROUNDS = 20 };
    struct bench bench = open_plain();
    static float texels[TEXELS], found[TEXELS];
    struct ocl_array *array = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
    struct ocl_texture *texture = make_simple(&bench, array);
    struct reader readers[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){.bench = &bench,
                                     .kernel = find_kernel(&bench, "fetch"),
                                     .texture = ocl_texture_id(texture),
                                     .out = make_device(&bench, sizeof found)};
        assert_int_equal(
            ocl_queue_create(bench.context, OCL_QUEUE_NON_BLOCKING, 0, &readers[i].queue), OCL_OK);
    }
    for (int round = 0; round < ROUNDS; round++) {
        fill_numbers(texels, TEXELS, 1000.0f * (float)round);
        write_texels(&bench, array, texels);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, read_once, &readers[i]), 0);
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_int_equal(readers[i].status, OCL_OK);
            assert_int_equal(ocl_queue_finish(readers[i].queue), OCL_OK);
            read_device(&bench, found, readers[i].out, sizeof found);
            assert_memory_equal(found, texels, sizeof found);
        }
    }
    for (int i = 0; i < THREADS; i++) {
        ocl_queue_destroy(readers[i].queue);
        free_device(readers[i].out);
    }
    ocl_texture_release(texture);
    ocl_array_release(array);
    close_bench(&bench);
}

/* ---- What is refused ---- */

static void expect_refused(const struct bench *bench, uint64_t object, const char *why,
                           ocl_status status)
{
    const uint64_t out = make_device(bench, TEXELS * sizeof(float));

    listen_to_logs();
    assert_int_equal(
        launch_fetch(find_kernel(bench, "fetch"), bench->queue, object, out, WIDTH, HEIGHT),
        status);
    assert_non_null(strstr(heard(), "kernel fetch, argument 0"));
    assert_non_null(strstr(heard(), why));
    free_device(out);
}

TEST_BODY(image_launches_refuse_wrong_objects)
{
    struct bench bench = open_plain();
    struct ocl_array *plane = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
    struct ocl_array *volume = make_array(
        &bench, &(struct ocl_array_shape){
                    .texel = float_texel, .width = 4, .height = 4, .depth = 4, .levels = 1});
    struct ocl_texture *flat = make_simple(&bench, plane), *deep = make_simple(&bench, volume);
    struct ocl_texture *surface = make_surface(plane);
    const uint64_t stale = ocl_texture_id(flat);

    expect_refused(&bench, 0, "is none", OCL_E_INVALID_VALUE);
    expect_refused(&bench, UINT64_C(0xdeadbeefdeadbeef), "is none", OCL_E_INVALID_VALUE);
    expect_refused(&bench, ocl_texture_id(surface), "is a surface object", OCL_E_INVALID_VALUE);
    expect_refused(&bench, ocl_texture_id(deep), "wrong dimensions", OCL_E_NOT_SUPPORTED);
    ocl_texture_release(flat);
    expect_refused(&bench, stale, "is none", OCL_E_INVALID_VALUE);
    ocl_texture_release(deep);
    ocl_texture_release(surface);
    ocl_array_release(plane);
    ocl_array_release(volume);
    close_bench(&bench);
}
