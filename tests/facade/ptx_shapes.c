/* Tests of launches of one native kernel in blocks of several shapes, each of which has code of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <sys/prctl.h>

#include "tests/facade/driver_support.h"
#include "tests/facade/runtime_support.h"

enum { MOST = 256 };

/* out[i] = 7 + i, i being the thread's number in a block of any shape. */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry number(.param .u64 out) {\n"
    "  .reg .b32 %r<9>; .reg .b64 %d<4>;\n"
    "  ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;\n"
    "  mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %ntid.x;\n"
    "  mad.lo.u32 %r4, %r2, %r3, %r1; add.u32 %r5, %r4, 7;\n"
    "  mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2; st.global.u32 [%d3], %r5; ret;\n}\n";

struct numbering {
    CUfunction function;
    CUdeviceptr out;
};

static struct numbering open_numbering(void)
{
    struct numbering numbering = {0};
    CUmodule module = NULL;
    setenv("CLEM_PTX_FORM", "native", 1);
    (void)driver_use_primary();
    assert_driver(cuModuleLoadData(&module, text));
    assert_driver(cuModuleGetFunction(&numbering.function, module, "number"));
    assert_driver(cuMemAlloc(&numbering.out, MOST * sizeof(unsigned)));
    return numbering;
}

static void assert_numbers(struct numbering *numbering, unsigned width, unsigned height)
{
    unsigned found[MOST];
    void *args[] = {&numbering->out};
    assert_driver(cuMemsetD32(numbering->out, 1, MOST));
    assert_driver(
        cuLaunchKernel(numbering->function, 1, 1, 1, width, height, 1, 0, NULL, args, NULL));
    assert_driver(cuMemcpyDtoH(found, numbering->out, sizeof found));
    for (unsigned i = 0; i < MOST; i++)
        assert_int_equal(found[i], i < width * height ? 7 + i : 1);
}

TEST_BODY(ptx_shapes_of_one_kernel_are_each_right)
{
    static const unsigned shapes[][2] = {{32, 1}, {64, 2}, {16, 8}, {16, 3}, {24, 1}, {1, 1},
                                         {8, 8},  {5, 7},  {33, 1}, {1, 32}, {48, 2}, {256, 1}};
    struct numbering numbering = open_numbering();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        assert_numbers(&numbering, shapes[i][0], shapes[i][1]);
}

/* Where the code of one shape is there, and another's may not be made any more, that is launched as OpenCL C. */
TEST_BODY(ptx_shapes_without_code_are_launched_all_the_same)
{
    enum { SET_MDWE = 65, REFUSE_EXEC_GAIN = 1 }; /* prctl(2), from Linux 6.3 on */
    struct numbering numbering = open_numbering();
    assert_numbers(&numbering, 32, 1);
    if (prctl(SET_MDWE, REFUSE_EXEC_GAIN, 0, 0, 0) != 0)
        TEST_SKIP("this Linux cannot refuse code");
    assert_numbers(&numbering, 24, 1);
    assert_numbers(&numbering, 16, 2);
    assert_numbers(&numbering, 64, 1);
    assert_numbers(&numbering, 24, 1);
}
