/* Tests of launches whose textures and surfaces the device header declares, by image and by hand.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "tests/cl/textures.h"

/* The header's parameters without its functions; path says which variant ran. */
static const char declared_kernels[] =
    "#define LINES\n"
    "/* #include \"clem_device.h\" in a comment */\n"
    "  #  include <clem_device.h>\n"
    "__kernel void fetch(char before, CLEM_TEXTURE2D(picture), __global float *out, int width,\n"
    "                    __global int *path)\n"
    "{ int x = get_global_id(0), y = get_global_id(1);\n"
    "#if CLEM_TEXTURES_BY_IMAGE\n"
    "  out[y * width + x] = read_imagef(clem_texture_image__picture,\n"
    "                                   clem_texture_sampler__picture, (int2)(x, y)).x + before;\n"
    "#else\n"
    "  out[y * width + x] = *(__global const float *)(clem_texture_memory__picture\n"
    "      + clem_texture_facts__picture.offset + y * clem_texture_facts__picture.pitch + 4 * x)\n"
    "      + before;\n"
    "#endif\n"
    "  path[0] = CLEM_TEXTURES_BY_IMAGE;\n"
    "  path[1] = clem_texture_facts__picture.width; }\n"
    "__kernel void store(CLEM_SURFACE(target), int value)\n"
    "{ __global uchar *row = clem_surface_memory__target + clem_surface_facts__target.offset\n"
    "      + get_global_id(1) * clem_surface_facts__target.pitch;\n"
    "  ((__global float *)row)[get_global_id(0)] = value; }\n"
    "__kernel void bound(CLEM_TEXTURE_REFERENCE2D(old), __global float *out)\n"
    "{\n"
    "#if CLEM_TEXTURES_BY_IMAGE\n"
    "  out[0] = read_imagef(clem_texture_image__old, clem_texture_sampler__old, (int2)(1, 1)).x;\n"
    "#else\n"
    "  out[0] = *(__global const float *)(clem_texture_memory__old\n"
    "      + clem_texture_facts__old.offset + clem_texture_facts__old.pitch + 4);\n"
    "#endif\n"
    "}\n"
    "__kernel void table(CLEM_TEXTURE1D_BUFFER(list), __global float *out)\n"
    "{ int x = get_global_id(0);\n"
    "  out[x] = ((__global const float *)(clem_texture_memory__list\n"
    "      + clem_texture_facts__list.offset))[x]; }\n"
    "__kernel void line(__global int *out) { out[0] = __LINE__; }\n";

enum { LINE_OF_LAST_KERNEL = 34, WIDTH = 37, HEIGHT = 5, TEXELS = WIDTH * HEIGHT };

/* Called before anything reads the options. */
static struct bench open_declared(const char *path)
{
    setenv("CLEM_TEXTURES", path, 1);
    struct bench bench = open_bench(declared_kernels, NULL);
    if (strcmp(path, "image") == 0)
        need_images(&bench);
    return bench;
}

static void fill_numbers(float *texels, size_t count, float first)
{
    for (size_t i = 0; i < count; i++)
        texels[i] = first + (float)i;
}

struct fetching {
    uint64_t out, path; /* device memory */
    size_t first;       /* where in out the results begin, in floats */
};

static struct fetching open_fetching(const struct bench *bench)
{
    return (struct fetching){make_device(bench, 4 * TEXELS * sizeof(float)),
                             make_device(bench, 2 * sizeof(cl_int)), 0};
}

static void close_fetching(const struct fetching *fetching)
{
    free_device(fetching->out);
    free_device(fetching->path);
}

static ocl_status launch_fetch(const struct bench *bench, const struct fetching *fetching,
                               uint64_t texture, char before)
{
    const cl_int width = WIDTH;
    const uint64_t out = fetching->out + fetching->first * sizeof(float);
    void *arguments[] = {&before, &texture, (void *)(uintptr_t)&out, (void *)(uintptr_t)&width,
                         (void *)(uintptr_t)&fetching->path};
    const struct ocl_launch launch = {
        .groups = {WIDTH, HEIGHT, 1}, .items = {1, 1, 1}, .arguments = arguments};

    return ocl_kernel_launch(find_kernel(bench, "fetch"), bench->queue, &launch);
}

static void expect_fetched(const struct bench *bench, const struct fetching *fetching,
                           uint64_t texture, const float *texels, int path)
{
    float found[TEXELS];
    cl_int told[2];

    assert_int_equal(launch_fetch(bench, fetching, texture, 3), OCL_OK);
    read_device(bench, found, fetching->out + fetching->first * sizeof(float), sizeof found);
    read_device(bench, told, fetching->path, sizeof told);
    assert_int_equal(told[0], path);
    assert_int_equal(told[1], WIDTH);
    for (int i = 0; i < TEXELS; i++)
        assert_true(found[i] == texels[i] + 3.0f);
}

static void check_path(const char *name, int path)
{
    float texels[TEXELS];
    struct bench bench = open_declared(name);
    struct fetching fetching = open_fetching(&bench);
    struct ocl_array *array = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
    struct ocl_texture *texture = make_simple(&bench, array);

    for (int round = 0; round < 3; round++) {
        fetching.first = (size_t)round; /* wrappers or sub-buffers, under some strategies */
        fill_numbers(texels, TEXELS, 100.0f * (float)round);
        write_texels(&bench, array, texels);
        expect_fetched(&bench, &fetching, ocl_texture_id(texture), texels, path);
    }
    ocl_texture_release(texture);
    ocl_array_release(array);
    close_fetching(&fetching);
    close_bench(&bench);
}

TEST_BODY(texture_launch_by_image)
{
    check_path("image", 1);
}

TEST_BODY(texture_launch_by_hand)
{
    check_path("hand", 0);
}

/* Forced or not, what a sampler cannot do goes by hand; and a kernel goes both ways in turn. */
static void check_choice(const struct bench *bench)
{
    float texels[TEXELS];
    struct fetching fetching = open_fetching(bench);
    struct ocl_array *array = make_plane(bench, &float_texel, WIDTH, HEIGHT);
    const struct ocl_texture_view view = view_of(array);
    struct ocl_sampling coloured = clamped();
    struct ocl_texture *simple = make_simple(bench, array);

    coloured.address[0] = coloured.address[1] = OCL_ADDRESS_MODE_BORDER;
    coloured.border[0] = 1.0f;
    struct ocl_texture *special = make_texture(bench, &view, &coloured);
    fill_numbers(texels, TEXELS, 0.0f);
    write_texels(bench, array, texels);
    for (int round = 0; round < 2; round++) {
        expect_fetched(bench, &fetching, ocl_texture_id(simple), texels, 1);
        expect_fetched(bench, &fetching, ocl_texture_id(special), texels, 0);
    }
    ocl_texture_release(special);
    ocl_texture_release(simple);
    ocl_array_release(array);
    close_fetching(&fetching);
}

TEST_BODY(texture_launch_chooses_by_its_arguments)
{
    struct bench bench = open_declared("image");

    check_choice(&bench);
    close_bench(&bench);
}

/* As on devices whose drivers take addresses only as numbers. */
TEST_BODY(texture_launch_goes_through_wrappers)
{
    struct bench bench = open_declared("image");

    if (!bench.context->capability.has_addresses)
        TEST_SKIP("kernels cannot follow addresses");
    bench.context->capability.pass = OCL_PASS_NUMBER;
    check_choice(&bench);
    close_bench(&bench);
}

TEST_BODY(texture_launch_sees_what_surfaces_wrote)
{
    float texels[TEXELS];
    struct bench bench = open_declared("image");
    struct fetching fetching = open_fetching(&bench);
    struct ocl_array *array = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
    struct ocl_texture *texture = make_simple(&bench, array), *surface = make_surface(array);
    const uint64_t id = ocl_texture_id(surface);
    const cl_int value = 77;

    fill_numbers(texels, TEXELS, 0.0f);
    write_texels(&bench, array, texels);
    expect_fetched(&bench, &fetching, ocl_texture_id(texture), texels, 1);
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "store"), WIDTH, 1, 0,
                                 (void *[]){(void *)(uintptr_t)&id, (void *)(uintptr_t)&value}),
                     OCL_OK);
    for (int i = 0; i < WIDTH; i++)
        texels[i] = (float)value;
    expect_fetched(&bench, &fetching, ocl_texture_id(texture), texels, 1);
    ocl_texture_release(surface);
    ocl_texture_release(texture);
    ocl_array_release(array);
    close_fetching(&fetching);
    close_bench(&bench);
}

/* ---- What entries are ---- */

TEST_BODY(texture_takes_one_entry)
{
    struct bench bench = open_declared("hand");
    struct ocl_kernel *kernel = find_kernel(&bench, "fetch");
    const struct ocl_kernel_facts *facts = ocl_kernel_facts(kernel);
    static const struct ocl_parameter expected[] = {
        {OCL_PARAMETER_VALUE, 1, 0},   {OCL_PARAMETER_TEXTURE, 8, 8},
        {OCL_PARAMETER_HIDDEN, 0, 16}, {OCL_PARAMETER_POINTER, 8, 16},
        {OCL_PARAMETER_VALUE, 4, 24},  {OCL_PARAMETER_POINTER, 8, 32},
    };

    assert_int_equal(facts->status, OCL_OK);
    assert_int_equal(facts->parameter_count, sizeof expected / sizeof *expected);
    assert_int_equal(facts->entry_count, 5);
    assert_int_equal(facts->argument_bytes, 40);
    for (size_t i = 0; i < facts->parameter_count; i++) {
        const struct ocl_parameter *parameter = ocl_kernel_parameter(kernel, i);
        assert_int_equal(parameter->kind, expected[i].kind);
        assert_int_equal(parameter->bytes, expected[i].bytes);
        assert_int_equal(parameter->offset, expected[i].offset);
    }
    assert_int_equal(ocl_kernel_facts(find_kernel(&bench, "bound"))->entry_count, 1);
    assert_int_equal(ocl_kernel_facts(find_kernel(&bench, "store"))->entry_count, 2);
    close_bench(&bench);
}

TEST_BODY(texture_header_leaves_lines_alone)
{
    struct bench bench = open_declared("hand");
    const uint64_t out = make_device(&bench, sizeof(cl_int));
    cl_int line = 0;

    assert_int_equal(launch_line(&bench, find_kernel(&bench, "line"), 1, 1, 0,
                                 (void *[]){(void *)(uintptr_t)&out}),
                     OCL_OK);
    read_device(&bench, &line, out, sizeof line);
    assert_int_equal(line, LINE_OF_LAST_KERNEL);
    free_device(out);
    close_bench(&bench);
}

static void launch_bound(const struct bench *bench, uint64_t out, ocl_status expected)
{
    assert_int_equal(launch_line(bench, find_kernel(bench, "bound"), 1, 1, 0, (void *[]){&out}),
                     expected);
}

static void check_references(const char *path)
{
    float texels[TEXELS], found = 0.0f;
    struct bench bench = open_declared(path);
    const uint64_t out = make_device(&bench, sizeof found);
    struct ocl_array *arrays[2];

    listen_to_logs();
    launch_bound(&bench, out, OCL_E_INVALID_VALUE);
    assert_non_null(strstr(heard(), "texture reference old is not bound"));
    for (int i = 0; i < 2; i++) {
        arrays[i] = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
        fill_numbers(texels, TEXELS, 1000.0f * (float)i);
        write_texels(&bench, arrays[i], texels);
        struct ocl_texture *texture = make_simple(&bench, arrays[i]);
        assert_int_equal(ocl_program_set_reference(bench.program, "old", texture), OCL_OK);
        ocl_texture_release(texture); /* the program keeps it */
        launch_bound(&bench, out, OCL_OK);
        read_device(&bench, &found, out, sizeof found);
        assert_true(found == 1000.0f * (float)i + WIDTH + 1);
    }
    assert_int_equal(ocl_program_set_reference(bench.program, "old", NULL), OCL_OK);
    launch_bound(&bench, out, OCL_E_INVALID_VALUE);
    for (int i = 0; i < 2; i++)
        ocl_array_release(arrays[i]);
    free_device(out);
    close_bench(&bench);
}

TEST_BODY(texture_references_feed_launches_by_hand)
{
    check_references("hand");
}

TEST_BODY(texture_references_feed_launches_by_image)
{
    check_references("image");
}

TEST_BODY(texture_over_memory_sees_later_writes)
{
    enum { COUNT = 100, SKIPPED = 12 };
    float texels[COUNT], found[COUNT];
    struct bench bench = open_declared("image");
    const uint64_t memory = make_device(&bench, 4096), out = make_device(&bench, sizeof found);
    const struct ocl_texture_view view = linear_view(memory + 4 * SKIPPED, COUNT);
    const struct ocl_sampling sampling = clamped();
    struct ocl_texture *texture = make_texture(&bench, &view, &sampling);
    const uint64_t id = ocl_texture_id(texture);

    for (int round = 0; round < 2; round++) {
        fill_numbers(texels, COUNT, 9.0f * (float)round);
        write_device(&bench, view.address, texels, sizeof texels);
        assert_int_equal(launch_line(&bench, find_kernel(&bench, "table"), COUNT, 1, 0,
                                     (void *[]){(void *)(uintptr_t)&id, (void *)(uintptr_t)&out}),
                         OCL_OK);
        read_device(&bench, found, out, sizeof found);
        assert_memory_equal(found, texels, sizeof found);
    }
    ocl_texture_release(texture);
    free_device(out);
    free_device(memory);
    close_bench(&bench);
}

/* ---- Every shape, both ways ---- */

static const char shape_kernels[] =
    "#include \"clem_device.h\"\n"
    "#define BEGIN int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2); \\\n"
    "  float u = x + 0.5f, v = y + 0.5f, w = z + 0.5f; \\\n"
    "  int at = (z * get_global_size(1) + y) * get_global_size(0) + x; \\\n"
    "  path[0] = CLEM_TEXTURES_BY_IMAGE;\n"
    "#define OUT __global float *out, __global int *path\n"
    "__kernel void row(CLEM_TEXTURE1D(t), OUT) { BEGIN out[at] = tex1D(float, t, u); }\n"
    "__kernel void rows(CLEM_TEXTURE1D_LAYERED(t), OUT)\n"
    "{ BEGIN out[at] = tex1DLayered(float, t, u, z); }\n"
    "__kernel void plane(CLEM_TEXTURE2D(t), OUT) { BEGIN out[at] = tex2D(float, t, u, v); }\n"
    "__kernel void planes(CLEM_TEXTURE2D_LAYERED(t), OUT)\n"
    "{ BEGIN out[at] = tex2DLayered(float, t, u, v, z); }\n"
    "__kernel void volume(CLEM_TEXTURE3D(t), OUT)\n"
    "{ BEGIN out[at] = tex3D(float, t, u, v, w); }\n";

struct shape_row {
    const char *kernel;
    struct ocl_array_shape shape;
};

static const struct shape_row shape_rows[] = {
    {"row", {.texel = {OCL_CHANNEL_FLOAT, 1, 4}, .width = 45, .levels = 1}},
    {"rows", {.texel = {OCL_CHANNEL_FLOAT, 1, 4}, .width = 45, .layers = 3, .levels = 1}},
    {"plane", {.texel = {OCL_CHANNEL_FLOAT, 1, 4}, .width = 12, .height = 7, .levels = 1}},
    {"planes",
     {.texel = {OCL_CHANNEL_FLOAT, 1, 4}, .width = 12, .height = 7, .layers = 3, .levels = 1}},
    {"volume",
     {.texel = {OCL_CHANNEL_FLOAT, 1, 4}, .width = 12, .height = 7, .depth = 3, .levels = 1}},
};

/* A border colour is what makes a texture go by hand. */
static void check_shape(const struct bench *bench, const struct fetching *fetching,
                        const struct shape_row *row, bool is_by_hand)
{
    float texels[12 * 7 * 3], found[12 * 7 * 3];
    struct ocl_array_level level;
    struct ocl_array *array = make_array(bench, &row->shape);
    const struct ocl_texture_view view = view_of(array);
    struct ocl_sampling sampling = clamped();
    cl_int path = -1;

    for (int i = 0; is_by_hand && i < 3; i++)
        sampling.address[i] = OCL_ADDRESS_MODE_BORDER;
    sampling.border[0] = is_by_hand ? 1.0f : 0.0f;
    ocl_array_level(array, 0, &level);
    fill_numbers(texels, sizeof texels / sizeof *texels, 2.0f);
    write_texels(bench, array, texels);
    struct ocl_texture *texture = make_texture(bench, &view, &sampling);
    const uint64_t id = ocl_texture_id(texture);
    const struct ocl_launch launch = {.groups = {level.width, level.height, level.slices},
                                      .items = {1, 1, 1},
                                      .arguments = (void *[]){(void *)(uintptr_t)&id,
                                                              (void *)(uintptr_t)&fetching->out,
                                                              (void *)(uintptr_t)&fetching->path}};
    assert_int_equal(ocl_kernel_launch(find_kernel(bench, row->kernel), bench->queue, &launch),
                     OCL_OK);
    const size_t bytes = level.width * level.height * level.slices * sizeof(float);
    read_device(bench, found, fetching->out, bytes);
    read_device(bench, &path, fetching->path, sizeof path);
    assert_int_equal(path, !is_by_hand);
    assert_memory_equal(found, texels, bytes);
    ocl_texture_release(texture);
    ocl_array_release(array);
}

TEST_BODY(texture_shapes_go_both_ways)
{
    struct bench bench = open_declared("image");
    struct fetching fetching = open_fetching(&bench);
    char *log = NULL;

    ocl_program_release(bench.program);
    if (ocl_program_build(bench.context, shape_kernels, strlen(shape_kernels), NULL, &bench.program,
                          &log) != OCL_OK)
        fail_msg("does not build: %s", log);
    for (size_t i = 0; i < sizeof shape_rows / sizeof *shape_rows; i++)
        for (int is_by_hand = 0; is_by_hand < 2; is_by_hand++)
            check_shape(&bench, &fetching, &shape_rows[i], is_by_hand);
    close_fetching(&fetching);
    close_bench(&bench);
}

/* ---- What is refused ---- */

TEST_BODY(texture_launch_refuses_wrong_objects)
{
    struct bench bench = open_declared("hand");
    struct fetching fetching = open_fetching(&bench);
    struct ocl_array *array = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
    struct ocl_texture *texture = make_simple(&bench, array), *surface = make_surface(array);
    const uint64_t wrong[] = {0, ocl_texture_id(surface), UINT64_MAX, ocl_texture_id(texture)};

    ocl_texture_release(texture);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        listen_to_logs();
        assert_int_equal(launch_fetch(&bench, &fetching, wrong[i], 0), OCL_E_INVALID_VALUE);
        assert_non_null(strstr(heard(), "kernel fetch, argument 1"));
    }
    ocl_texture_release(surface);
    ocl_array_release(array);
    close_fetching(&fetching);
    close_bench(&bench);
}

/* ---- Threads ---- */

struct worker {
    const struct bench *bench;
    struct fetching fetching;
    struct ocl_texture *texture;
    ocl_status status;
};

static void *launch_often(void *argument)
{
    struct worker *worker = argument;

    for (int i = 0; i < 50 && worker->status == OCL_OK; i++)
        worker->status = launch_fetch(worker->bench, &worker->fetching,
                                      ocl_texture_id(worker->texture), (char)i);
    return NULL;
}

/* Every thread has a texture of its own, and all have one kernel. */
TEST_BODY(texture_launches_from_many_threads)
{
    enum { THREADS = 4 };
    float texels[TEXELS], found[TEXELS];
    struct bench bench = open_declared("image");
    struct worker workers[THREADS];
    struct ocl_array *arrays[THREADS];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++) {
        arrays[i] = make_plane(&bench, &float_texel, WIDTH, HEIGHT);
        fill_numbers(texels, TEXELS, 10000.0f * (float)i);
        write_texels(&bench, arrays[i], texels);
        workers[i] =
            (struct worker){&bench, open_fetching(&bench), make_simple(&bench, arrays[i]), OCL_OK};
        assert_int_equal(pthread_create(&threads[i], NULL, launch_often, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(workers[i].status, OCL_OK);
        read_device(&bench, found, workers[i].fetching.out, sizeof found);
        for (int at = 0; at < TEXELS; at++)
            assert_true(found[at] == 10000.0f * (float)i + (float)at + 49.0f);
        ocl_texture_release(workers[i].texture);
        ocl_array_release(arrays[i]);
        close_fetching(&workers[i].fetching);
    }
    close_bench(&bench);
}
