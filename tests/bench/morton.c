/* Tests of bench/morton.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "bench/morton.h"

#include <stdlib.h>

#include "bench/device.h"
#include "bench/plan.h"
#include "bench/study_run.h"
#include "tests/test.h"

TEST_BODY(morton_codes_of_4_by_4)
{
    static const uint32_t table[4][4] = {
        {0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}};

    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 4; x++)
            assert_int_equal(morton_encode2(x, y), table[y][x]);
}

TEST_BODY(morton_codes_of_volumes)
{
    static const uint32_t table[2][2][2] = {{{0, 1}, {2, 3}}, {{4, 5}, {6, 7}}};

    for (uint32_t z = 0; z < 2; z++)
        for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 2; x++)
                assert_int_equal(morton_encode3(x, y, z), table[z][y][x]);
    assert_int_equal(morton_encode3(2, 0, 0), 8);
    assert_int_equal(morton_encode3(0, 2, 0), 16);
    assert_int_equal(morton_encode3(0, 0, 2), 32);
}

static uint32_t interleave(const uint32_t *at, unsigned axes, unsigned bits)
{
    uint32_t code = 0;
    for (unsigned bit = 0; bit < bits; bit++)
        for (unsigned axis = 0; axis < axes; axis++)
            code |= (at[axis] >> bit & 1u) << (bit * axes + axis);
    return code;
}

TEST_BODY(morton_codes_are_bits_in_turn_and_go_back)
{
    uint32_t random = 1, found[3];

    for (int i = 0; i < 100000; i++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t plane[2] = {random >> 16, random & 0xffffu};
        const uint32_t volume[3] = {random >> 22, random >> 12 & 0x3ffu, random >> 2 & 0x3ffu};
        const uint32_t code2 = morton_encode2(plane[0], plane[1]);
        const uint32_t code3 = morton_encode3(volume[0], volume[1], volume[2]);
        assert_int_equal(code2, interleave(plane, 2, 16));
        assert_int_equal(code3, interleave(volume, 3, 10));
        morton_decode2(code2, found);
        assert_memory_equal(found, plane, sizeof plane);
        morton_decode3(code3, found);
        assert_memory_equal(found, volume, sizeof volume);
    }
}

/* Sides that differ by a factor of two leave no gap. */
TEST_BODY(morton_codes_fill_their_range)
{
    unsigned char seen[64] = {0};

    for (uint32_t y = 0; y < 4; y++)
        for (uint32_t x = 0; x < 8; x++)
            seen[morton_encode2(x, y)]++;
    for (int i = 0; i < 64; i++)
        assert_int_equal(seen[i], i < 32);
    for (uint32_t z = 0; z < 2; z++)
        for (uint32_t y = 0; y < 4; y++)
            for (uint32_t x = 0; x < 4; x++)
                seen[morton_encode3(x, y, z)]++;
    for (int i = 0; i < 64; i++)
        assert_int_equal(seen[i], i < 32 ? 2 : 0);
}

/* All choices of the study, small; the sides of a volume differ then. */
static void check_walks(unsigned dimensions)
{
    struct device_facts device;
    struct task *tasks;
    size_t count, checked = 0;
    assert_true(device_count() > 0);
    assert_true(device_describe(0, &device));
    assert_true(plan_make(MODE_FULL, "morton", &device, &tasks, &count));
    for (size_t i = 0; i < count; i++) {
        struct attempt attempt = {.task = &tasks[i], .device = &device};
        tasks[i].bytes = (size_t)1 << 16;
        if (tasks[i].parameters[0] != dimensions || tasks[i].form == FORM_TRANSLATED)
            continue;
        assert_true(cuda_study.open(&attempt) && cuda_study.poison(&attempt));
        if (!cuda_study.methods[0].run(&attempt, 1) || !cuda_study.verify(&attempt))
            fail_msg("layout %u, walk %u: %s", tasks[i].parameters[1], tasks[i].parameters[2],
                     attempt.reason);
        cuda_study.close(&attempt);
        checked++;
    }
    assert_int_equal(checked, 15);
    free(tasks);
    study_forget_kernels();
    study_forget_words();
}

TEST_BODY(morton_walks_of_planes_are_right)
{
    check_walks(2);
}

TEST_BODY(morton_walks_of_volumes_are_right)
{
    check_walks(3);
}
