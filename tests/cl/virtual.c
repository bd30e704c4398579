/* Tests of cl/virtual/: random calls against a model, and what files are taken for memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/virtual.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cl/memory.h"
#include "tests/cl/launch.h"

enum { PLACES = 12, LONGEST = 3, STEPS = 3000, NOTHING = 0 };

/* What is at each place of a reservation, a grain each. */
struct place {
    unsigned number; /* of the mapping, or NOTHING */
    size_t first;    /* the place where that begins */
    unsigned access;
};

struct model {
    struct ocl_context *context;
    uint64_t address;
    struct place places[PLACES];
    unsigned last_number;
    uint32_t seed;
};

static unsigned draw(struct model *model, unsigned limit)
{
    model->seed = model->seed * 1664525u + 1013904223u;
    return (model->seed >> 8) % limit;
}

static uint64_t address_of(const struct model *model, size_t place)
{
    return model->address + place * OCL_VIRTUAL_GRAIN;
}

struct range {
    size_t first, count;
};

static struct range draw_range(struct model *model, size_t longest)
{
    struct range range = {draw(model, PLACES), 0};
    const size_t left = PLACES - range.first;
    range.count = 1 + draw(model, (unsigned)(left < longest ? left : longest));
    return range;
}

static bool is_empty(const struct model *model, struct range range)
{
    for (size_t i = range.first; i < range.first + range.count; i++)
        if (model->places[i].number != NOTHING)
            return false;
    return true;
}

static bool is_full(const struct model *model, struct range range)
{
    for (size_t i = range.first; i < range.first + range.count; i++)
        if (model->places[i].number == NOTHING)
            return false;
    return true;
}

/* Whether no mapping lies on either end of the range. */
static bool is_whole(const struct model *model, struct range range)
{
    const size_t end = range.first + range.count;
    const struct place *first = &model->places[range.first];
    const bool begins = first->number == NOTHING || first->first == range.first;
    return begins && (end == PLACES || model->places[end].number == NOTHING ||
                      model->places[end].number != model->places[end - 1].number);
}

/* Each mapping holds its number in its first word from when it may be written. */
static void map(struct model *model)
{
    const struct range range = draw_range(model, LONGEST);
    struct ocl_physical *physical = NULL;
    assert_int_equal(ocl_physical_create(0, range.count * OCL_VIRTUAL_GRAIN, false, 0, &physical),
                     OCL_OK);
    const bool can = is_empty(model, range);
    assert_int_equal(ocl_virtual_map(model->context, physical, address_of(model, range.first)),
                     can ? OCL_OK : OCL_E_INVALID_VALUE);
    ocl_physical_release(physical);
    model->last_number += can;
    for (size_t i = range.first; can && i < range.first + range.count; i++)
        model->places[i] = (struct place){model->last_number, range.first, OCL_ACCESS_NONE};
}

static void unmap(struct model *model)
{
    const struct range range = draw_range(model, PLACES);
    const bool can = is_whole(model, range);
    assert_int_equal(
        ocl_virtual_unmap(address_of(model, range.first), range.count * OCL_VIRTUAL_GRAIN),
        can ? OCL_OK : OCL_E_INVALID_VALUE);
    for (size_t i = range.first; can && i < range.first + range.count; i++)
        model->places[i] = (struct place){NOTHING, 0, OCL_ACCESS_NONE};
}

static void set_access(struct model *model)
{
    static const enum ocl_access all[] = {OCL_ACCESS_NONE, OCL_ACCESS_READ, OCL_ACCESS_WRITE};
    const struct range range = draw_range(model, PLACES);
    const struct ocl_virtual_access access = {0, all[draw(model, 3)]};
    const bool can = is_whole(model, range) && is_full(model, range);
    assert_int_equal(ocl_virtual_set_access(address_of(model, range.first),
                                            range.count * OCL_VIRTUAL_GRAIN, &access, 1),
                     can ? OCL_OK : OCL_E_INVALID_VALUE);
    for (size_t i = range.first; can && i < range.first + range.count; i++) {
        const struct place *place = &model->places[i];
        if (access.access == OCL_ACCESS_WRITE && place->first == i)
            *(unsigned *)(uintptr_t)address_of(model, i) = place->number;
        model->places[i].access = access.access;
    }
}

static bool model_allows(const struct model *model, struct range range, unsigned access)
{
    for (size_t i = range.first; i < range.first + range.count; i++)
        if (model->places[i].number == NOTHING || (model->places[i].access & access) != access)
            return false;
    return true;
}

static void check_place(const struct model *model, size_t i)
{
    const struct place *place = &model->places[i];
    const uint64_t address = address_of(model, i);
    struct ocl_memory_view view;
    enum ocl_access access = OCL_ACCESS_NONE;
    const bool is_mapped = place->number != NOTHING;
    assert_true(ocl_virtual_is_reserved(address));
    assert_int_equal(ocl_virtual_access(address + 9, 0, &access),
                     is_mapped ? OCL_OK : OCL_E_INVALID_VALUE);
    assert_int_equal(access, place->access);
    assert_int_equal(ocl_memory_find((const void *)(uintptr_t)(address + 5), &view), is_mapped);
    if (!is_mapped)
        return;
    assert_true(view.is_virtual);
    assert_int_equal(view.address, address_of(model, place->first));
    if (place->access != OCL_ACCESS_NONE) {
        const unsigned word = *(const unsigned *)(uintptr_t)view.address;
        assert_true(word == place->number || word == 0); /* never written */
    }
}

TEST_BODY(virtual_memory_is_as_a_model_says)
{
    static void (*const steps[])(struct model *) = {map, unmap, set_access, set_access};
    struct bench bench = open_bench(NULL, "");
    struct model model = {.context = bench.context, .seed = 20};
    if (!ocl_virtual_is_supported(bench.context))
        TEST_SKIP("no virtual memory management");
    assert_int_equal(ocl_virtual_reserve(PLACES * OCL_VIRTUAL_GRAIN, 0, 0, &model.address), OCL_OK);
    for (int i = 0; i < STEPS; i++) {
        steps[draw(&model, 4)](&model);
        const struct range range = draw_range(&model, PLACES);
        check_place(&model, draw(&model, PLACES));
        for (unsigned access = OCL_ACCESS_READ; access <= OCL_ACCESS_WRITE; access += 2)
            assert_int_equal(ocl_virtual_allows(address_of(&model, range.first) + 1,
                                                range.count * OCL_VIRTUAL_GRAIN - 1,
                                                (enum ocl_access)access),
                             model_allows(&model, range, access));
    }
    const bool is_free = is_empty(&model, (struct range){0, PLACES});
    assert_int_equal(ocl_virtual_free(model.address, PLACES * OCL_VIRTUAL_GRAIN),
                     is_free ? OCL_OK : OCL_E_INVALID_VALUE);
    if (!is_free) {
        assert_int_equal(ocl_virtual_unmap(model.address, PLACES * OCL_VIRTUAL_GRAIN), OCL_OK);
        assert_int_equal(ocl_virtual_free(model.address, PLACES * OCL_VIRTUAL_GRAIN), OCL_OK);
    }
    assert_int_equal(ocl_physical_taken(0), 0);
    close_bench(&bench);
}

TEST_BODY(virtual_addresses_are_aligned_and_wished_for)
{
    uint64_t first = 0, second = 0, third = 0;
    const size_t alignment = 64 * OCL_VIRTUAL_GRAIN;
    assert_int_equal(ocl_virtual_reserve(OCL_VIRTUAL_GRAIN, 24, 0, &first), OCL_E_INVALID_VALUE);
    assert_int_equal(ocl_virtual_reserve(0, 0, 0, &first), OCL_E_INVALID_VALUE);
    assert_int_equal(
        ocl_virtual_reserve(SIZE_MAX / OCL_VIRTUAL_GRAIN * OCL_VIRTUAL_GRAIN, 0, 0, &first),
        OCL_E_OUT_OF_MEMORY);
    assert_int_equal(ocl_virtual_reserve(OCL_VIRTUAL_GRAIN, alignment, 0, &first), OCL_OK);
    assert_int_equal(first % alignment, 0);
    assert_int_equal(ocl_virtual_reserve(OCL_VIRTUAL_GRAIN, 0, first, &second), OCL_OK);
    assert_int_not_equal(second, first);
    assert_int_equal(ocl_virtual_free(first, OCL_VIRTUAL_GRAIN), OCL_OK);
    assert_false(ocl_virtual_is_reserved(first));
    assert_int_equal(ocl_virtual_reserve(OCL_VIRTUAL_GRAIN, alignment, first, &third), OCL_OK);
    assert_int_equal(third, first);
    assert_int_equal(ocl_virtual_free(second, OCL_VIRTUAL_GRAIN), OCL_OK);
    assert_int_equal(ocl_virtual_free(third, OCL_VIRTUAL_GRAIN), OCL_OK);
}

static void assert_import(int file, ocl_status expected)
{
    struct ocl_physical *physical = NULL;
    assert_int_equal(ocl_physical_import(0, file, 1, &physical), expected);
    ocl_physical_release(physical);
}

/* Memory that its owner could cut short, or that is not whole grains, is none. */
TEST_BODY(virtual_memory_comes_from_sealed_files)
{
    int file = memfd_create("test", MFD_ALLOW_SEALING | MFD_CLOEXEC);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, (off_t)OCL_VIRTUAL_GRAIN), 0);
    assert_import(file, OCL_E_FILE);
    assert_int_equal(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK), 0);
    assert_import(file, OCL_OK);
    assert_int_equal(ftruncate(file, (off_t)OCL_VIRTUAL_GRAIN + 4096), 0);
    assert_import(file, OCL_E_FILE);
    close(file);
    assert_import(file, OCL_E_FILE);
    assert_import(-1, OCL_E_FILE);
}

TEST_BODY(virtual_memory_is_shared_by_descriptors)
{
    struct ocl_physical *physical = NULL, *imported = NULL;
    int file = -1;
    if (ocl_device_count() == 0)
        TEST_SKIP("no OpenCL device");
    assert_int_equal(ocl_physical_create(0, OCL_VIRTUAL_GRAIN, false, 0, &physical), OCL_OK);
    assert_int_equal(ocl_physical_export(physical, &file), OCL_E_NOT_SUPPORTED);
    ocl_physical_release(physical);
    assert_int_equal(ocl_physical_create(0, OCL_VIRTUAL_GRAIN, true, 0, &physical), OCL_OK);
    assert_int_equal(ocl_physical_taken(0), OCL_VIRTUAL_GRAIN);
    assert_int_equal(ocl_physical_export(physical, &file), OCL_OK);
    assert_int_equal(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(ftruncate(file, 0), -1);
    assert_int_equal(ocl_physical_import(0, file, 1, &imported), OCL_OK);
    close(file);
    assert_int_equal(ocl_physical_bytes(imported), OCL_VIRTUAL_GRAIN);
    assert_int_equal(ocl_physical_taken(0), OCL_VIRTUAL_GRAIN); /* the importer's is no other */
    ocl_physical_release(physical);
    assert_int_equal(ocl_physical_taken(0), 0);
    ocl_physical_release(imported);
}
