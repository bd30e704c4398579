/* Tests of texture and surface objects: ids, what they hold, what kernels are told.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "cl/memory/allocation.h"
#include "tests/cl/textures.h"

TEST_BODY(texture_ids_are_found_until_release)
{
    struct bench bench = open_bench(NULL, NULL);
    struct ocl_array *array = make_plane(&bench, &float_texel, 8, 4);
    struct ocl_texture *texture = make_simple(&bench, array);
    const uint64_t id = ocl_texture_id(texture);

    assert_true(id > 0 && id <= UINT32_MAX);
    struct ocl_texture *found = ocl_texture_acquire(id);
    assert_ptr_equal(found, texture);
    ocl_texture_drop(found);
    assert_null(ocl_texture_acquire(0));
    assert_null(ocl_texture_acquire(id + 1));
    assert_null(ocl_texture_acquire(id + (UINT64_C(1) << 32)));
    assert_null(ocl_texture_acquire(UINT64_MAX));
    ocl_texture_release(texture);
    assert_null(ocl_texture_acquire(id));
    ocl_texture_release(NULL);
    ocl_array_release(array);
    close_bench(&bench);
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

    return first < second ? -1 : first > second;
}

/* More than one piece of memory has generations for. */
TEST_BODY(texture_ids_are_never_used_again)
{
    enum { COUNT = 10000 };
    static uint64_t ids[COUNT];
    struct bench bench = open_bench(NULL, NULL);
    struct ocl_array *array = make_plane(&bench, &float_texel, 8, 4);

    for (int i = 0; i < COUNT; i++) {
        struct ocl_texture *texture = i % 2 == 0 ? make_simple(&bench, array) : make_surface(array);
        ids[i] = ocl_texture_id(texture);
        ocl_texture_release(texture);
    }
    qsort(ids, COUNT, sizeof *ids, compare_ids);
    for (int i = 1; i < COUNT; i++)
        assert_true(ids[i - 1] < ids[i]);
    assert_null(ocl_texture_acquire(ids[0]));
    ocl_array_release(array);
    close_bench(&bench);
}

TEST_BODY(texture_keeps_its_array)
{
    struct bench bench = open_bench(NULL, NULL);
    struct ocl_array *array = make_plane(&bench, &float_texel, 8, 4);
    struct ocl_array_level level;
    struct ocl_memory_view memory;

    ocl_array_level(array, 0, &level);
    struct ocl_texture *texture = make_simple(&bench, array);
    ocl_array_release(array);
    assert_true(ocl_memory_find((void *)(uintptr_t)level.address, &memory));
    struct ocl_texture *found = ocl_texture_acquire(ocl_texture_id(texture));
    ocl_texture_release(texture);
    assert_true(ocl_memory_find((void *)(uintptr_t)level.address, &memory));
    ocl_texture_drop(found);
    assert_false(ocl_memory_find((void *)(uintptr_t)level.address, &memory));
    close_bench(&bench);
}

TEST_BODY(texture_refuses_what_it_cannot_view)
{
    struct bench bench = open_bench(NULL, NULL);
    struct ocl_array *array = make_plane(&bench, &float_texel, 8, 4);
    const struct ocl_sampling sampling = clamped();
    struct ocl_texture_view view = view_of(array);
    struct ocl_texture *texture = NULL;

    view.last_level = 1;
    assert_int_equal(ocl_texture_create(bench.context, &view, &sampling, &texture),
                     OCL_E_INVALID_VALUE);
    view = view_of(array);
    view.last_layer = 1;
    assert_int_equal(ocl_texture_create(bench.context, &view, &sampling, &texture),
                     OCL_E_INVALID_VALUE);
    view = view_of(array);
    view.texel.channels = 2;
    assert_int_equal(ocl_texture_create(bench.context, &view, &sampling, &texture),
                     OCL_E_INVALID_VALUE);
    view = linear_view((uint64_t)(uintptr_t)&view, 4);
    assert_int_equal(ocl_texture_create(bench.context, &view, &sampling, &texture),
                     OCL_E_NOT_FOUND);
    assert_null(texture);
    ocl_array_release(array);
    close_bench(&bench);
}

TEST_BODY(texture_facts_describe_levels_and_layers)
{
    struct bench bench = open_bench(NULL, NULL);
    const struct ocl_array_shape shape = {.texel = {OCL_CHANNEL_SIGNED, 2, 2},
                                          .width = 300,
                                          .height = 77,
                                          .layers = 6,
                                          .is_cube = true,
                                          .levels = 5};
    struct ocl_array *array = make_array(&bench, &shape);
    struct ocl_texture_view view = view_of(array);
    struct ocl_array_level first, level;
    const struct ocl_sampling sampling = {
        .address = {OCL_ADDRESS_MODE_WRAP, OCL_ADDRESS_MODE_BORDER, OCL_ADDRESS_MODE_MIRROR},
        .reads_normalized = true,
        .has_normalized_coordinates = true,
        .is_linear = true,
        .border = {1, 2, 3, 4},
        .level_bias = 0.5f,
        .max_level = 3};

    view.first_level = 1;
    view.last_level = 4;
    view.first_layer = 2;
    view.last_layer = 4;
    struct ocl_texture *texture = make_texture(&bench, &view, &sampling);
    const struct clem_texture *facts = &texture->facts.texture;
    ocl_array_level(array, 1, &first);
    assert_int_equal(facts->width, 150);
    assert_int_equal(facts->height, 38);
    assert_int_equal(facts->depth, 1);
    assert_int_equal(facts->layers, 3);
    assert_int_equal(facts->first_layer, 2);
    assert_int_equal(facts->levels, 4);
    assert_int_equal(facts->format, CLEM_FORMAT_SNORM16);
    assert_int_equal(facts->channels, 2);
    assert_int_equal(facts->offset, 0);
    assert_int_equal(facts->flags,
                     CLEM_TEXTURE_LINEAR | CLEM_TEXTURE_NORMALIZED | CLEM_TEXTURE_CUBE);
    assert_int_equal(facts->address[1], CLEM_ADDRESS_BORDER);
    for (unsigned i = 0; i < 4; i++) {
        ocl_array_level(array, 1 + i, &level);
        const size_t row = level.width * 4, unit = facts->pitch_alignment;
        assert_int_equal(facts->level_start[i] * (uint64_t)CLEM_LEVEL_UNIT,
                         level.address - first.address);
        assert_int_equal((row + unit - 1) / unit * unit, level.pitch);
        assert_int_equal(level.pitch * level.height, level.slice_bytes);
    }
    assert_int_equal(facts->pitch, first.pitch);
    assert_int_equal(facts->slice_bytes, first.slice_bytes);
    assert_false(ocl_image_suits(texture));
    ocl_texture_release(texture);
    ocl_array_release(array);
    close_bench(&bench);
}

TEST_BODY(texture_facts_of_memory_and_surfaces)
{
    struct bench bench = open_bench(NULL, NULL);
    const struct ocl_sampling sampling = clamped();
    const uint64_t memory = make_device(&bench, 4096);
    struct ocl_texture_view view = linear_view(memory + 16, 100);
    struct ocl_texture *linear = make_texture(&bench, &view, &sampling);
    struct ocl_array *array = make_array(
        &bench, &(struct ocl_array_shape){
                    .texel = byte_texel, .width = 5, .height = 3, .depth = 7, .levels = 2});
    struct ocl_texture *surface = NULL;

    assert_int_equal(linear->facts.texture.width, 100);
    assert_int_equal(linear->facts.texture.height, 1);
    assert_int_equal(linear->facts.texture.levels, 1);
    view.source = OCL_TEXTURE_PITCHED;
    view.pitch = 512;
    view.height = 8;
    struct ocl_texture *pitched = make_texture(&bench, &view, &sampling);
    assert_int_equal(pitched->facts.texture.pitch, 512);
    assert_int_equal(pitched->facts.texture.height, 8);
    assert_false(ocl_image_suits(pitched));
    assert_int_equal(ocl_surface_create(array, 1, &surface), OCL_OK);
    assert_int_equal(surface->facts.surface.row_bytes, 2);
    assert_int_equal(surface->facts.surface.height, 1);
    assert_int_equal(surface->facts.surface.depth, 3);
    ocl_texture_release(surface);
    ocl_texture_release(pitched);
    ocl_texture_release(linear);
    ocl_array_release(array);
    free_device(memory);
    close_bench(&bench);
}

TEST_BODY(texture_objects_end_with_their_context)
{
    struct bench bench = open_bench(NULL, NULL);
    struct ocl_array *array = make_plane(&bench, &float_texel, 8, 4);
    const uint64_t id = ocl_texture_id(make_simple(&bench, array));
    const uint64_t other = ocl_texture_id(make_surface(array));

    ocl_array_release(array); /* leaks would be the sanitizer's to find */
    close_bench(&bench);
    assert_null(ocl_texture_acquire(id));
    assert_null(ocl_texture_acquire(other));
}

struct churn {
    const struct bench *bench;
    struct ocl_array *array;
    _Atomic uint64_t newest;
    _Atomic int wrong;
    _Atomic bool is_over;
};

static void *look_up(void *argument)
{
    struct churn *churn = argument;

    while (!atomic_load(&churn->is_over)) {
        const uint64_t id = atomic_load(&churn->newest);
        struct ocl_texture *found = ocl_texture_acquire(id);
        if (!found)
            continue;
        if (ocl_texture_id(found) != id || found->view.array != churn->array)
            atomic_fetch_add(&churn->wrong, 1);
        ocl_texture_drop(found);
    }
    return NULL;
}

TEST_BODY(texture_lookups_race_with_release)
{
    struct bench bench = open_bench(NULL, NULL);
    struct churn churn = {.bench = &bench, .array = make_plane(&bench, &float_texel, 8, 4)};
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up, &churn), 0);
    for (int i = 0; i < 20000; i++) {
        struct ocl_texture *texture = make_simple(&bench, churn.array);
        atomic_store(&churn.newest, ocl_texture_id(texture));
        ocl_texture_release(texture);
    }
    atomic_store(&churn.is_over, true);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&churn.wrong), 0);
    assert_int_equal(atomic_load(&churn.array->references), 1);
    ocl_array_release(churn.array);
    close_bench(&bench);
}
