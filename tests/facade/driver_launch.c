/* Tests of facade/driver/driver_launch.c and facade/driver/driver_occupancy.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "tests/facade/driver_support.h"

static void read_longs(long long *values, CUdeviceptr out)
{
    assert_driver(cuMemcpyDtoH(values, out, 4 * sizeof *values));
}

TEST_BODY(driver_launch_takes_arguments_one_by_one)
{
    CUfunction function = NULL;
    char a = -1;
    short b = -2;
    int c = -3;
    long long d = -4, seen[4];
    driver_use_primary();
    function = driver_function("mixed");
    CUdeviceptr out = driver_allocate(sizeof seen);
    void *params[] = {&out, &a, &b, &c, &d};
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    read_longs(seen, out);
    for (int i = 0; i < 4; i++)
        assert_int_equal(seen[i], -1 - i);
}

struct arguments {
    CUdeviceptr out;
    char a;
    short b;
    int c;
    long long d;
};

TEST_BODY(driver_launch_takes_arguments_in_a_buffer)
{
    long long seen[4];
    driver_use_primary();
    CUfunction function = driver_function("mixed");
    struct arguments arguments = {driver_allocate(sizeof seen), 1, 2, 3, 4};
    size_t size = sizeof arguments;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    read_longs(seen, arguments.out);
    for (int i = 0; i < 4; i++)
        assert_int_equal(seen[i], 1 + i);
    size = 16;
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    read_longs(seen, arguments.out);
    assert_int_equal(seen[2], 3);
    assert_int_equal(seen[3], 0);
    size = sizeof arguments + 1;
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
                     CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
}

TEST_BODY(driver_launch_gives_shared_memory)
{
    int n = 32, seen[32];
    driver_use_primary();
    CUfunction function = driver_function("reverse");
    CUdeviceptr out = driver_allocate(sizeof seen);
    void *params[] = {&out, &n};
    CUlaunchConfig config = {1, 1, 1, 32, 1, 1, sizeof seen, NULL, NULL, 0};
    assert_driver(cuLaunchKernelEx(&config, function, params, NULL));
    assert_driver(cuMemcpyDtoH(seen, out, sizeof seen));
    for (int i = 0; i < n; i++)
        assert_int_equal(seen[i], n - 1 - i);
    config.sharedMemBytes = 1u << 30;
    assert_int_equal(cuLaunchKernelEx(&config, function, params, NULL), CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(driver_launch_by_state)
{
    int seen[12];
    driver_use_primary();
    CUfunction function = driver_function("store");
    CUdeviceptr out = driver_allocate(sizeof seen);
    assert_int_equal(cuLaunchGrid(function, 1, 1), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuFuncSetBlockShape(function, 4, 1, 1));
    assert_driver(cuFuncSetSharedSize(function, 0));
    assert_driver(cuParamSetv(function, 0, &out, sizeof out));
    assert_driver(cuParamSeti(function, 8, 17));
    assert_driver(cuParamSetSize(function, 12));
    assert_driver(cuMemsetD32(out, 0, 12));
    assert_driver(cuLaunchGrid(function, 2, 1));
    assert_driver(cuMemcpyDtoH(seen, out, sizeof seen));
    for (int i = 0; i < 12; i++)
        assert_int_equal(seen[i], i < 8 ? 17 : 0);
    assert_driver(cuParamSeti(function, 8, 18));
    assert_driver(cuLaunch(function));
    assert_driver(cuMemcpyDtoH(seen, out, sizeof seen));
    assert_int_equal(seen[3], 18);
    assert_int_equal(seen[4], 17);
    assert_int_equal(cuParamSetv(function, 4090, &out, sizeof out), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuParamSetSize(function, 5000), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuFuncSetBlockShape(function, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(driver_launch_refuses_what_is_too_large)
{
    driver_use_primary();
    CUfunction function = driver_function("store");
    CUdeviceptr out = driver_allocate(4);
    int value = 0;
    void *params[] = {&out, &value};
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 65, 0, NULL, params, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(function, 0, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuCtxSynchronize());
}

static size_t four_per_thread(int block)
{
    return 4 * (size_t)block;
}

TEST_BODY(driver_occupancy_block_can_be_launched)
{
    int grid = 0, block = 0, blocks = 0, seen = 0, value = 5;
    size_t shared = 0;
    driver_use_primary();
    CUfunction function = driver_function("store");
    assert_driver(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0));
    assert_true(grid > 0 && block > 0);
    CUdeviceptr out = driver_allocate((size_t)block * sizeof(int));
    void *params[] = {&out, &value};
    assert_driver(cuLaunchKernel(function, 1, 1, 1, (unsigned)block, 1, 1, 0, NULL, params, NULL));
    assert_driver(cuMemcpyDtoH(&seen, out + ((size_t)block - 1) * sizeof(int), sizeof seen));
    assert_int_equal(seen, 5);
    assert_driver(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block, 0));
    assert_true(blocks > 0);
    assert_driver(cuOccupancyAvailableDynamicSMemPerBlock(&shared, function, blocks, block));
    assert_driver(
        cuOccupancyMaxPotentialBlockSize(&grid, &block, function, four_per_thread, 0, 100));
    assert_true(block > 0 && block <= 100);
}

/* The functions that CUDA replaced by cuLaunchKernel count bytes of PTX parameters as well. */
TEST_BODY(driver_launch_old_functions_run_ptx)
{
    static const char text[] =
        ".version 7.5\n.target sm_75\n.address_size 64\n"
        ".visible .entry put(.param .u16 p0, .param .u64 p1, .param .u32 p2)\n"
        "{\n"
        "    .reg .b16 %h<2>;\n"
        "    .reg .b32 %r<6>;\n"
        "    .reg .b64 %rd<5>;\n"
        "    ld.param.u16 %h1, [p0];\n"
        "    ld.param.u64 %rd1, [p1];\n"
        "    ld.param.u32 %r1, [p2];\n"
        "    cvta.to.global.u64 %rd2, %rd1;\n"
        "    cvt.u32.u16 %r2, %h1;\n"
        "    mov.u32 %r3, %tid.x;\n"
        "    mul.wide.u32 %rd3, %r3, 4;\n"
        "    add.s64 %rd4, %rd2, %rd3;\n"
        "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
        "    st.global.u32 [%rd4], %r4;\n"
        "    ret;\n"
        "}\n";
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    short factor = 3;
    int values[4] = {0};
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, text));
    assert_driver(cuModuleGetFunction(&function, module, "put"));
    assert_driver(cuMemAlloc(&memory, sizeof values));
    assert_driver(cuFuncSetBlockShape(function, 4, 1, 1));
    assert_driver(cuParamSetv(function, 0, &factor, sizeof factor));
    assert_driver(cuParamSetv(function, 8, &memory, sizeof memory));
    assert_driver(cuParamSeti(function, 16, 100));
    assert_driver(cuParamSetSize(function, 20));
    assert_driver(cuLaunchGrid(function, 1, 1));
    assert_driver(cuMemcpyDtoH(values, memory, sizeof values));
    for (int i = 0; i < 4; i++)
        assert_int_equal(values[i], 300 + i);
    assert_driver(cuMemFree(memory));
    assert_driver(cuModuleUnload(module));
}
