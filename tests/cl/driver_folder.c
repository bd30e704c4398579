/* Tests that PoCL compiles each kernel once for a shape of work-groups: what its folder has then.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/driver_folder.h"

#include <ftw.h>
#include <stdlib.h>

#include "cl/device/driver_limits.h"
#include "tests/cl/launch.h"

/* One kernel for a thread in each work-item, one for a block in each. */
static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                           ".visible .entry add(.param .u64 p, .param .u32 n)\n"
                           "{\n"
                           "  .reg .pred %p1; .reg .b32 %r<8>; .reg .b64 %rd<4>;\n"
                           "  ld.param.u64 %rd1, [p];\n"
                           "  ld.param.u32 %r1, [n];\n"
                           "  mov.u32 %r2, %ctaid.x;\n"
                           "  mov.u32 %r3, %ntid.x;\n"
                           "  mov.u32 %r4, %tid.x;\n"
                           "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                           "  setp.ge.u32 %p1, %r5, %r1;\n"
                           "  @%p1 bra DONE;\n"
                           "  mul.wide.u32 %rd2, %r5, 4;\n"
                           "  add.s64 %rd3, %rd1, %rd2;\n"
                           "  ld.global.u32 %r6, [%rd3];\n"
                           "  add.u32 %r7, %r6, 1;\n"
                           "  st.global.u32 [%rd3], %r7;\n"
                           "DONE:\n"
                           "  ret;\n"
                           "}\n"
                           ".visible .entry turn(.param .u64 p, .param .u32 n)\n"
                           "{\n"
                           "  .shared .align 4 .b8 s[1024];\n"
                           "  .reg .b32 %r<12>; .reg .b64 %rd<4>;\n"
                           "  ld.param.u64 %rd1, [p];\n"
                           "  mov.u32 %r1, s;\n"
                           "  mov.u32 %r2, %ctaid.x;\n"
                           "  mov.u32 %r3, %ntid.x;\n"
                           "  mov.u32 %r4, %tid.x;\n"
                           "  mad.lo.s32 %r5, %r2, %r3, %r4;\n"
                           "  mul.wide.u32 %rd2, %r5, 4;\n"
                           "  add.s64 %rd3, %rd1, %rd2;\n"
                           "  ld.global.u32 %r6, [%rd3];\n"
                           "  shl.b32 %r7, %r4, 2;\n"
                           "  add.u32 %r8, %r1, %r7;\n"
                           "  st.shared.u32 [%r8], %r6;\n"
                           "  bar.sync 0;\n"
                           "  xor.b32 %r9, %r7, 4;\n"
                           "  add.u32 %r10, %r1, %r9;\n"
                           "  ld.shared.u32 %r11, [%r10];\n"
                           "  st.global.u32 [%rd3], %r11;\n"
                           "  ret;\n"
                           "}\n";

enum { ITEMS = 256, MOST_GROUPS = 255, WORDS = ITEMS * MOST_GROUPS, MOST_FOLDERS = 64 };

static char folder[] = "/tmp/clem_folder_XXXXXX";
static char found[MOST_FOLDERS][1024]; /* the kernel and the shape, without what else it is for */
static int found_count;

/* PoCL names a kernel's folders after the shape of its work-groups, and what more they are for. */
static int note_folder(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    unsigned x, y, z;
    int length = 0;
    (void)facts;
    if (type != FTW_D || sscanf(path + place->base, "%u-%u-%u%n", &x, &y, &z, &length) != 3)
        return 0;
    assert_true(found_count < MOST_FOLDERS);
    snprintf(found[found_count++], sizeof found[0], "%.*s", place->base + length, path);
    return 0;
}

/* The first of two folders for the same kernel and shape, or NULL. */
static const char *find_twice(void)
{
    for (int i = 0; i < found_count; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(found[i], found[j]) == 0)
                return found[i];
    return NULL;
}

static void launch_all(const struct bench *bench, uint64_t memory)
{
    static const size_t groups[] = {3, 1, MOST_GROUPS, 17};
    static const char *const names[] = {"add", "turn"};
    uint32_t count = WORDS;
    void *arguments[] = {&memory, &count};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (size_t j = 0; j < sizeof names / sizeof *names; j++)
            assert_int_equal(
                launch_line(bench, find_kernel(bench, names[j]), groups[i], ITEMS, 0, arguments),
                OCL_OK);
}

/* Grids of up to 65,534 work-items in each direction: PoCL compiles for wider ones anew. */
TEST_BODY(driver_folder_has_each_kernel_once)
{
    static uint32_t words[WORDS];
    char command[64];
    assert_non_null(mkdtemp(folder));
    setenv("POCL_CACHE_DIR", folder, 1);
    struct bench bench = open_bench(text, NULL);
    if (ocl_driver_pocl_major(bench.context->device) == 0)
        TEST_SKIP("the driver is not PoCL");
    const uint64_t memory = make_device(&bench, sizeof words);
    write_device(&bench, memory, words, sizeof words);
    launch_all(&bench, memory);
    read_device(&bench, words, memory, sizeof words);
    assert_int_equal(words[0], 4);
    assert_int_equal(words[WORDS - 1], 1);
    free_device(memory);
    close_bench(&bench);
    assert_string_equal(ocl_driver_folder(), folder);
    assert_int_equal(nftw(folder, note_folder, 8, FTW_PHYS), 0);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    assert_true(found_count >= 3);
    if (find_twice())
        fail_msg("twice: %s", find_twice());
}

static int program_count;

static int note_program(const char *path, const struct stat *facts, int type, struct FTW *place)
{
    (void)facts;
    program_count += type == FTW_F && strcmp(path + place->base, "program.bc") == 0;
    return 0;
}

/* How many programs PoCL keeps once one is built as for a processor. */
static int build_for(const struct bench *bench, const char *processor)
{
    static const char kernel[] = "__kernel void k(__global int *p) { p[0] = 1; }\n";
    const char *const code = kernel;
    struct ocl_device device = *bench->context->device;
    strcpy(device.facts.processor, processor);
    cl_program program =
        clCreateProgramWithSource(bench->context->cl, 1, (const char **)&code, NULL, NULL);
    assert_non_null(program);
    assert_int_equal(ocl_driver_build(&device, program, ""), OCL_OK);
    clReleaseProgram(program);
    program_count = 0;
    assert_int_equal(nftw(folder, note_program, 8, FTW_PHYS), 0);
    return program_count;
}

/* What has machine code of one processor is not what another one is given. */
TEST_BODY(driver_folder_tells_processors_apart)
{
    char command[64];
    assert_non_null(mkdtemp(folder));
    setenv("POCL_CACHE_DIR", folder, 1);
    struct bench bench = open_bench(NULL, NULL);
    if (ocl_driver_pocl_major(bench.context->device) == 0)
        TEST_SKIP("the driver is not PoCL");
    assert_int_equal(strlen(bench.context->device->facts.processor), 16);
    const int first = build_for(&bench, "0000000000000001");
    assert_int_equal(build_for(&bench, "0000000000000001"), first);
    assert_int_equal(build_for(&bench, "0000000000000002"), first + 1);
    close_bench(&bench);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
}
