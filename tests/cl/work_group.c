/* Tests of cl/device/work_group.c and of the variants that launches of large thread blocks take: on devices that take them
 * of kernels alone which are compiled for their size (stub/devices.def has AMD's), and on all others.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/work_group.h"

#include <stdlib.h>

#include "cl/program/translation.h"
#include "tests/cl/launch.h"

enum { GROUPS = 3, MOST = OCL_BLOCK_THREADS };

/* Each thread hands its number to the one opposite, through a variable of the program's and memory of the launch's. */
static const char text[] =
    "#define FIRST 7\n"
    "kernel void turn(global uint *words)\n"
    "{\n"
    "    local uint told[1024];\n"
    "    uint width = (uint)get_local_size(0), all = width * (uint)get_local_size(1);\n"
    "    uint item = (uint)get_local_id(0) + (uint)get_local_id(1) * width;\n"
    "    told[item] = words[get_group_id(0) * all + item] + FIRST;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    words[get_group_id(0) * all + item] = told[all - 1 - item];\n"
    "}\n"
    "__kernel void other(__global uint *words)\n"
    "{\n"
    "    words[get_global_id(0)] += 1;\n"
    "}";

static const char ptx[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry turn(.param .u64 words)\n{\n"
    ".reg .b32 %r<12>; .reg .b64 %d<4>; .shared .align 4 .b8 told[4096];\n"
    "ld.param.u64 %d1, [words];\ncvta.to.global.u64 %d1, %d1;\n"
    "mov.u32 %r1, %ntid.x;\nmov.u32 %r2, %ntid.y;\nmul.lo.u32 %r3, %r1, %r2;\n"
    "mov.u32 %r4, %tid.x;\nmov.u32 %r5, %tid.y;\nmad.lo.u32 %r6, %r5, %r1, %r4;\n"
    "mov.u32 %r7, %ctaid.x;\nmad.lo.u32 %r8, %r7, %r3, %r6;\n"
    "mul.wide.u32 %d2, %r8, 4;\nadd.u64 %d3, %d1, %d2;\n"
    "ld.global.u32 %r9, [%d3];\nadd.u32 %r9, %r9, 7;\n"
    "mov.u32 %r10, told;\nmad.lo.u32 %r11, %r6, 4, %r10;\nst.shared.u32 [%r11], %r9;\n"
    "bar.sync 0;\n"
    "sub.u32 %r6, %r3, %r6;\nsub.u32 %r6, %r6, 1;\nmad.lo.u32 %r11, %r6, 4, %r10;\n"
    "ld.shared.u32 %r9, [%r11];\nst.global.u32 [%d3], %r9;\nret;\n}\n";

static ocl_status launch(const struct bench *bench, const char *name, uint64_t words, size_t width,
                         size_t height)
{
    void *arguments[] = {&words};
    const struct ocl_launch wanted = {
        .groups = {GROUPS, 1, 1}, .items = {width, height, 1}, .arguments = arguments};
    return ocl_kernel_launch(find_kernel(bench, name), bench->queue, &wanted);
}

static void turn(const struct bench *bench, uint64_t words, size_t width, size_t height)
{
    static uint32_t host[GROUPS * MOST], back[GROUPS * MOST];
    const size_t all = width * height;
    for (size_t i = 0; i < GROUPS * all; i++)
        host[i] = (uint32_t)(i * 3 + width);
    write_device(bench, words, host, GROUPS * all * sizeof *host);
    assert_int_equal(launch(bench, "turn", words, width, height), OCL_OK);
    read_device(bench, back, words, GROUPS * all * sizeof *host);
    for (size_t i = 0; i < GROUPS * all; i++)
        assert_int_equal(back[i], host[i / all * all + all - 1 - i % all] + 7);
}

static void turn_all(const struct bench *bench)
{
    static const size_t shapes[][2] = {{64, 1}, {257, 1}, {512, 1}, {1024, 1}, {16, 48}, {257, 1}};
    const uint64_t words = make_device(bench, GROUPS * MOST * sizeof(uint32_t));
    const size_t most = ocl_device_most_threads(0);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i][0] * shapes[i][1] <= most)
            turn(bench, words, shapes[i][0], shapes[i][1]);
        else
            assert_int_equal(launch(bench, "turn", words, shapes[i][0], shapes[i][1]),
                             OCL_E_LAUNCH_SIZE);
    free_device(words);
}

TEST_BODY(work_group_may_have_all_threads_of_a_block)
{
    struct bench bench = open_bench(text, "");
    const struct ocl_device_facts *facts = ocl_device_facts(0);
    turn_all(&bench);
    if (facts->max_work_item[0] >= MOST)
        assert_int_equal(ocl_device_most_threads(0), MOST);
    assert_in_range(ocl_work_group_most(bench.context->device), facts->max_work_group, SIZE_MAX);
    close_bench(&bench);
}

TEST_BODY(work_group_of_translations_may_too)
{
    setenv("CLEM_PTX_FORM", "gpu", 1);
    struct bench bench = open_bench(ptx, NULL);
    turn_all(&bench);
    close_bench(&bench);
}

/* A kernel of the same program that has launched before is another one. */
TEST_BODY(work_group_variants_are_of_one_kernel)
{
    struct bench bench = open_bench(text, "");
    const size_t all = ocl_device_most_threads(0);
    const uint64_t words = make_device(&bench, GROUPS * MOST * sizeof(uint32_t));
    uint32_t host[2] = {10, 20}, back[2];
    turn(&bench, words, all, 1);
    write_device(&bench, words, host, sizeof host);
    assert_int_equal(launch(&bench, "other", words, all, 1), OCL_OK);
    assert_int_equal(launch(&bench, "other", words, 1, 1), OCL_OK);
    read_device(&bench, back, words, sizeof back);
    assert_int_equal(back[0], 12);
    assert_int_equal(back[1], 22);
    free_device(words);
    close_bench(&bench);
}

TEST_BODY(work_group_of_more_is_refused)
{
    struct bench bench = open_bench(text, "");
    const size_t most = ocl_work_group_most(bench.context->device);
    const uint64_t words = make_device(&bench, 4096);
    char wanted[64];
    listen_to_logs();
    assert_int_equal(launch(&bench, "other", words, most + 1, 1), OCL_E_LAUNCH_SIZE);
    snprintf(wanted, sizeof wanted, "and %zu in all", most);
    assert_non_null(strstr(heard(), wanted));
    ocl_trace_listen(NULL);
    free_device(words);
    close_bench(&bench);
}
