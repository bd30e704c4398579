/* Tests of the LLVM in a driver.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cl/device/driver_llvm.h"

#include "tests/cl/launch.h"

TEST_BODY(driver_llvm_is_what_the_platform_names)
{
    assert_int_equal(
        ocl_driver_llvm_major("OpenCL 3.0 PoCL 6.0  Linux, Debian, LLVM 18.1.8, SLEEF"), 18);
    assert_int_equal(ocl_driver_llvm_major("OpenCL 3.0 LINUX"), 0);
    assert_false(ocl_driver_llvm_set(9999, "-instcombine-code-sinking=false"));
}

/* Also one that LLVM does not have, after which kernels are compiled and right. */
TEST_BODY(driver_llvm_takes_options)
{
    enum { COUNT = 64 };
    static const char text[] = "__kernel void k(__global int *p)\n"
                               "{\n"
                               "    const int i = (int)get_global_id(0), product = p[i] * 3;\n"
                               "    if (i % 2) p[i] = product / (i + 1); else p[i] = -1;\n"
                               "}\n";
    struct bench bench = open_bench(NULL, NULL);
    const unsigned major = ocl_driver_llvm_major(ocl_device_facts(0)->platform_version);
    if (major == 0 || !ocl_driver_llvm_set(major, "-instcombine-code-sinking=false"))
        TEST_SKIP("the driver has no LLVM that is a library");
    assert_true(ocl_driver_llvm_set(major, "-no-such-option-of-llvm"));
    assert_int_equal(ocl_program_build(bench.context, text, strlen(text), "", &bench.program, NULL),
                     OCL_OK);
    uint64_t memory = make_device(&bench, COUNT * sizeof(int));
    int values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = 100 * i;
    write_device(&bench, memory, values, sizeof values);
    void *const arguments[] = {&memory};
    assert_int_equal(launch_line(&bench, find_kernel(&bench, "k"), 1, COUNT, 0, arguments), OCL_OK);
    read_device(&bench, values, memory, sizeof values);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(values[i], i % 2 ? 300 * i / (i + 1) : -1);
    free_device(memory);
    close_bench(&bench);
}
