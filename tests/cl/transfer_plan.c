/* Tests of cl/transfer/transfer_plan.c: shapes, portions and grids, also of sizes that no machine has.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/transfer/transfer_plan.h"

#include <string.h>

#include "tests/test.h"

#define GIB ((size_t)1 << 30)

static struct ocl_copy make_copy(size_t width, size_t height, size_t depth, size_t pitch,
                                 size_t slice)
{
    const struct ocl_copy_end end = {0, pitch, slice};

    return (struct ocl_copy){end, end, width, height, depth};
}

static uint64_t next(uint64_t *dice)
{
    *dice = *dice * 6364136223846793005u + 1442695040888963407u;
    return *dice >> 33;
}

/* Marks every byte that an end touches; false when it leaves the field. */
static bool mark(unsigned char *field, size_t bytes, const struct ocl_copy_end *end,
                 const struct ocl_copy *copy)
{
    for (size_t z = 0; z < copy->depth; z++) {
        for (size_t y = 0; y < copy->height; y++) {
            for (size_t x = 0; x < copy->width; x++) {
                const size_t at = (size_t)end->address + z * end->slice_bytes + y * end->pitch + x;
                if (at >= bytes)
                    return false;
                field[at]++;
            }
        }
    }
    return true;
}

/* ---- Collapsing ---- */

/* From the first byte of an end to behind its last one. */
static size_t span(const struct ocl_copy_end *end, const struct ocl_copy *copy)
{
    return (copy->depth - 1) * end->slice_bytes + (copy->height - 1) * end->pitch + copy->width;
}

TEST_BODY(transfer_plan_collapse_names_the_same_bytes)
{
    enum { FIELD = 4000 };
    uint64_t dice = 1;

    for (int round = 0; round < 20000; round++) {
        struct ocl_copy copy =
            make_copy(1 + next(&dice) % 6, 1 + next(&dice) % 4, 1 + next(&dice) % 4, 0, 0);
        struct ocl_copy_end *const ends[] = {&copy.source, &copy.target};
        for (int i = 0; i < 2; i++) {
            ends[i]->address = next(&dice) % 8;
            ends[i]->pitch = copy.width + next(&dice) % 3 * (next(&dice) % 2);
            ends[i]->slice_bytes =
                ends[i]->pitch * copy.height + next(&dice) % 3 * (next(&dice) % 2);
        }
        struct ocl_copy collapsed = copy;
        ocl_plan_collapse(&collapsed);
        assert_int_equal(ocl_plan_bytes(&collapsed), ocl_plan_bytes(&copy));
        assert_int_equal(span(&collapsed.source, &collapsed), span(&copy.source, &copy));
        const struct ocl_copy_end *const collapsed_ends[] = {&collapsed.source, &collapsed.target};
        for (int i = 0; i < 2; i++) {
            unsigned char before[FIELD] = {0}, after[FIELD] = {0};
            assert_true(mark(before, FIELD, ends[i], &copy));
            assert_true(mark(after, FIELD, collapsed_ends[i], &collapsed));
            assert_memory_equal(before, after, FIELD);
        }
    }
}

TEST_BODY(transfer_plan_collapse_finds_runs)
{
    struct ocl_copy copy = make_copy(64, 10, 5, 64, 640);

    ocl_plan_collapse(&copy);
    assert_true(ocl_plan_is_linear(&copy));
    assert_int_equal(copy.width, 3200);

    copy = make_copy(64, 1, 1, 7, 3); /* strides that mean nothing */
    ocl_plan_collapse(&copy);
    assert_true(ocl_plan_is_linear(&copy));

    copy = make_copy(64, 1, 9, 64, 100); /* single rows in slices */
    ocl_plan_collapse(&copy);
    assert_int_equal(copy.depth, 1);
    assert_int_equal(copy.height, 9);
    assert_int_equal(copy.source.pitch, 100);

    copy = make_copy(64, 10, 5, 64, 1000); /* whole slices become rows */
    ocl_plan_collapse(&copy);
    assert_int_equal(copy.width, 640);
    assert_int_equal(copy.height, 5);
    assert_int_equal(copy.depth, 1);

    copy = make_copy(64, 10, 5, 80, 800); /* rows at one distance throughout */
    copy.target.slice_bytes = 900;        /* but not in the target */
    ocl_plan_collapse(&copy);
    assert_int_equal(copy.depth, 5);
    copy.target.slice_bytes = 800;
    ocl_plan_collapse(&copy);
    assert_int_equal(copy.depth, 1);
    assert_int_equal(copy.height, 50);
}

TEST_BODY(transfer_plan_collapse_of_huge_volumes)
{
    struct ocl_copy copy = make_copy(5 * GIB, 3, 7, 5 * GIB, 15 * GIB);

    ocl_plan_collapse(&copy);
    assert_true(ocl_plan_is_linear(&copy));
    assert_true(copy.width == 105 * GIB);

    copy = make_copy(3, (size_t)1 << 40, 2, 4, (size_t)1 << 43);
    ocl_plan_collapse(&copy);
    assert_int_equal(copy.depth, 2);
    assert_true(ocl_plan_bytes(&copy) == (size_t)6 << 40);
    assert_true(span(&copy.source, &copy) == ((size_t)1 << 43) + ((size_t)4 << 40) - 1);

    copy = make_copy(1, SIZE_MAX / 2, 3, 1, SIZE_MAX / 2); /* a product that size_t does not hold */
    ocl_plan_collapse(&copy);
    assert_false(ocl_plan_is_linear(&copy));
}

TEST_BODY(transfer_plan_element_follows_the_worst_alignment)
{
    struct ocl_copy copy = make_copy(100, 3, 2, 256, 1024);

    copy.source.address = 512;
    copy.target.address = 16;
    assert_int_equal(ocl_plan_element(&copy), 16);
    copy.target.address = 24;
    assert_int_equal(ocl_plan_element(&copy), 8);
    copy.target.pitch = 260;
    assert_int_equal(ocl_plan_element(&copy), 4);
    copy.source.slice_bytes = 1026;
    assert_int_equal(ocl_plan_element(&copy), 2);
    copy.depth = 1; /* then the slices do not matter */
    assert_int_equal(ocl_plan_element(&copy), 4);
    copy.source.address = 513;
    assert_int_equal(ocl_plan_element(&copy), 1);
}

/* ---- Portions ---- */

TEST_BODY(transfer_plan_portions_cover_everything_once)
{
    enum { FIELD = 6000 };
    uint64_t dice = 2;

    for (int round = 0; round < 5000; round++) {
        struct ocl_copy copy =
            make_copy(1 + next(&dice) % 30, 1 + next(&dice) % 6, 1 + next(&dice) % 5, 0, 0);
        copy.source.pitch = copy.target.pitch = copy.width + next(&dice) % 4;
        copy.source.slice_bytes = copy.target.slice_bytes =
            copy.source.pitch * copy.height + next(&dice) % 4;
        copy.target.address = 5;
        const size_t limit = 1 + next(&dice) % 200;
        unsigned char whole[FIELD] = {0}, portions[FIELD] = {0};
        struct ocl_cursor cursor = {0};
        struct ocl_copy portion;
        assert_true(mark(whole, FIELD, &copy.target, &copy));
        while (ocl_plan_next(&copy, limit, &cursor, &portion)) {
            assert_true(ocl_plan_bytes(&portion) > 0 && ocl_plan_bytes(&portion) <= limit);
            assert_int_equal(portion.target.address - portion.source.address, 5);
            assert_true(mark(portions, FIELD, &portion.target, &portion));
        }
        assert_memory_equal(whole, portions, FIELD);
    }
}

TEST_BODY(transfer_plan_portions_of_huge_copies)
{
    struct ocl_copy copy = make_copy(9 * GIB + 5, 2, 1, 16 * GIB, 0);
    struct ocl_cursor cursor = {0};
    struct ocl_copy portion;
    size_t total = 0, count = 0;

    while (ocl_plan_next(&copy, GIB, &cursor, &portion)) {
        total += ocl_plan_bytes(&portion);
        count++;
    }
    assert_true(total == 18 * GIB + 10);
    assert_int_equal(count, 20);
    assert_true(portion.source.address == 16 * GIB + 9 * GIB);
}

TEST_BODY(transfer_plan_portion_bytes_stay_within_a_chunk)
{
    for (int class = OCL_CLASS_GPU; class <= OCL_CLASS_CPU; class ++) {
        const struct ocl_transfer_limits *limits = ocl_plan_limits((enum ocl_device_class) class);
        for (size_t bytes = 1; bytes < 64 * GIB; bytes = bytes * 3 + 1) {
            const size_t portion = ocl_plan_portion_bytes(limits, bytes);
            assert_true(portion >= limits->smallest_portion && portion <= limits->chunk);
        }
    }
}

/* ---- Grids ---- */

TEST_BODY(transfer_plan_grids_have_an_item_for_everything)
{
    for (unsigned alignment = 1; alignment <= 16; alignment *= 2) {
        for (size_t width = 1; width < 300; width++) {
            const unsigned element = ocl_plan_grid_element(width, alignment);
            const size_t items = ocl_plan_grid_items(width, 7, element);
            assert_true(element == 0 || (element <= alignment && alignment % element == 0));
            assert_int_equal(items % 7, 0);
            if (element)
                assert_true(items / 7 * element >= width && (items / 7 - 1) * element < width);
            else /* wherever in an aligned word the row begins */
                assert_true(items / 7 * 16 >= 15 + width && items / 7 * 16 < 31 + width);
        }
    }
}

TEST_BODY(transfer_plan_grids_of_huge_rectangles)
{
    for (unsigned element = 0; element <= 16; element = element ? element * 2 : 1) {
        for (size_t width = 1; width < OCL_GRID_BYTES; width = width * 2 + width / 3 + 1) {
            const size_t rows = OCL_GRID_BYTES / width;
            const size_t items = ocl_plan_grid_items(width, rows, element);
            assert_true(items >= rows);
            if (element || width >= 64)
                assert_true(items / OCL_GROUP_ITEMS < INT32_MAX);
        }
    }
}

TEST_BODY(transfer_plan_narrow_rows)
{
    assert_int_equal(ocl_plan_narrow(1), 1);
    assert_int_equal(ocl_plan_narrow(6), 2);
    assert_int_equal(ocl_plan_narrow(60), 4);
    assert_int_equal(ocl_plan_narrow(56), 8);
    assert_int_equal(ocl_plan_narrow(48), 16);
    assert_int_equal(ocl_plan_narrow(512), 16);
    assert_int_equal(ocl_plan_narrow(65), 0);
    assert_int_equal(ocl_plan_narrow(4096), 0);
    for (size_t width = 1; width < 5000; width++) {
        const unsigned narrow = ocl_plan_narrow(width);
        assert_true(narrow ? width % narrow == 0 : width >= 64);
        assert_true(ocl_plan_rows_per_item(width) >= 1);
    }
}
