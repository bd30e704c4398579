/* Functions of sub-groups under the layer "device" (stub/sub_groups.c), which has them in place of a device's: what it gives is
 * what the extensions say, for the size that STUB_SUB_GROUP tells.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "tests/cl/launch.h"

enum { GROUPS = 5, MOST = 128, ANSWERS = 20 };

static const char text[] =
    "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n"
    "#if !defined(cl_khr_subgroup_shuffle) || !defined(cl_khr_subgroup_ballot)\n"
    "#error no shuffles\n"
    "#endif\n"
    "static uint in_a_function(uint value) { return sub_group_reduce_add(value); }\n"
    "__kernel void ask(__global uint *answers, __global const uint *words)\n"
    "{\n"
    "    const uint word = words[get_global_id(0)], lane = get_sub_group_local_id();\n"
    "    __global uint *to = answers + get_global_id(0) * 20;\n"
    "    to[0] = get_max_sub_group_size();\n"
    "    to[1] = get_sub_group_size();\n"
    "    to[2] = get_num_sub_groups();\n"
    "    to[3] = get_sub_group_id();\n"
    "    to[4] = lane;\n"
    "    to[5] = in_a_function(word);\n"
    "    to[6] = sub_group_reduce_min(word);\n"
    "    to[7] = sub_group_reduce_max(word);\n"
    "    to[8] = sub_group_scan_inclusive_add(word);\n"
    "    to[9] = sub_group_scan_exclusive_add(word);\n"
    "    to[10] = sub_group_scan_exclusive_max(word);\n"
    "    to[11] = as_uint(sub_group_reduce_add((float)word));\n"
    "    to[12] = (uint)(sub_group_reduce_add(((ulong)word) << 32) >> 32);\n"
    "    to[13] = sub_group_broadcast(word, 2);\n"
    "    to[14] = sub_group_shuffle_xor(word, 1);\n"
    "    to[15] = sub_group_shuffle_down(word, 1);\n"
    "    to[16] = (uint)sub_group_any(word == 7);\n"
    "    to[17] = (uint)sub_group_all(word < 100);\n"
    "    const uint4 bits = sub_group_ballot((int)(word & 1));\n"
    "    to[18] = bits.x;\n"
    "    to[19] = bits.y;\n"
    "}\n";

static uint32_t words[GROUPS * MOST], answers[GROUPS * MOST * ANSWERS];

/* What the sub-group's words are to give, in the lane. */
static void expect(const uint32_t *told, uint32_t size, uint32_t lane, uint32_t wanted[ANSWERS])
{
    uint64_t bits = 0;
    uint32_t sum = 0, has_seven = 0, are_small = 1;
    float whole = 0;
    wanted[6] = wanted[7] = told[0];
    wanted[10] = 0;
    for (uint32_t i = 0; i < size; i++) {
        wanted[6] = told[i] < wanted[6] ? told[i] : wanted[6];
        wanted[7] = told[i] > wanted[7] ? told[i] : wanted[7];
        if (i < lane && told[i] > wanted[10])
            wanted[10] = told[i];
        if (i == lane)
            wanted[9] = sum;
        sum += told[i];
        whole += (float)told[i];
        bits |= (uint64_t)(told[i] & 1) << i;
        has_seven |= told[i] == 7;
        are_small &= told[i] < 100;
    }
    wanted[1] = size;
    wanted[4] = lane;
    wanted[5] = wanted[12] = sum;
    wanted[8] = wanted[9] + told[lane];
    memcpy(&wanted[11], &whole, sizeof whole);
    wanted[13] = told[2];
    wanted[14] = (lane ^ 1) < size ? told[lane ^ 1] : told[lane];
    wanted[15] = lane + 1 < size ? told[lane + 1] : told[lane];
    wanted[16] = has_seven;
    wanted[17] = are_small;
    wanted[18] = (uint32_t)bits;
    wanted[19] = (uint32_t)(bits >> 32);
}

static void compare(uint32_t items, uint32_t most)
{
    for (uint32_t group = 0; group < GROUPS; group++) {
        for (uint32_t item = 0; item < items; item++) {
            const uint32_t first = item / most * most;
            const uint32_t size = items - first < most ? items - first : most;
            uint32_t wanted[ANSWERS];
            expect(words + group * items + first, size, item - first, wanted);
            wanted[0] = most;
            wanted[2] = (items + most - 1) / most;
            wanted[3] = item / most;
            for (uint32_t i = 0; i < ANSWERS; i++)
                assert_int_equal(answers[(group * items + item) * ANSWERS + i], wanted[i]);
        }
    }
}

/* Work-groups of whole sub-groups, of a last one that is not whole, and smaller than one. */
TEST_BODY(sub_group_functions_are_those_of_the_size)
{
    static const uint32_t sizes[] = {MOST, 100, 5};
    const char *size = getenv("STUB_SUB_GROUP");
    if (!size)
        TEST_SKIP("the layer that has sub-groups is not there");
    const struct ocl_device_facts *facts = ocl_device_count() > 0 ? ocl_device_facts(0) : NULL;
    if (!facts || !strstr(facts->platform_version, "PoCL 3."))
        TEST_SKIP("the compiler below has sub-groups of its own");
    struct bench bench = open_bench(NULL, "");
    char *log = NULL;
    assert_int_equal(ocl_program_build(bench.context, text, strlen(text), "", &bench.program, &log),
                     OCL_OK);
    free(log); /* the pragma of an extension that the compiler below does not know */
    const uint64_t to = make_device(&bench, sizeof answers);
    const uint64_t from = make_device(&bench, sizeof words);
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        void *arguments[] = {(void *)&to, (void *)&from};
        for (uint32_t i = 0; i < GROUPS * MOST; i++)
            words[i] = i * 7919 % 103;
        write_device(&bench, from, words, sizeof words);
        assert_int_equal(
            launch_line(&bench, find_kernel(&bench, "ask"), GROUPS, sizes[n], 0, arguments),
            OCL_OK);
        read_device(&bench, answers, to, sizeof answers);
        compare(sizes[n], (uint32_t)atoi(size));
    }
    free_device(to);
    free_device(from);
    close_bench(&bench);
}
