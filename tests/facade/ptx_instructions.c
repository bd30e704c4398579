/* PTX instructions on the device, one kernel for each row of ptx_instructions.def, in the forms that
 * kernels can be translated to.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <CL/cl.h>

#include <clem.h>

#include "tests/facade/driver_support.h"

enum {
    THREADS = 64,
    OWN_BYTES = 64,
    COMMON_BYTES = 512,
    DYNAMIC_BYTES = 256,
    ITEM = 1,
    BLOCK = 2,
    BOTH = 3,
    ADDRESSES = 4,
    WIDE = 8 /* atomic operations of 64 bits that give back what was there */
};

#define VERSION(isa, target) ".version " isa "\n.target sm_" target "\n.address_size 64\n"

/* In place of that of the other rows: what later ones have no more, and what later ones have first. */
#define OLDER VERSION("6.3", "60")
#define NEWER VERSION("8.8", "100")

/* What thread t is given. */
#define INPUT(t) (((t) + 1) * 0x0123456789abcdefull)

static uint64_t top_bit(uint64_t a)
{
    return 63 - (uint64_t)__builtin_clzll(a);
}

/* The bits of a * a - 1, where a is a bit more than 1: a double holds the product, and the difference, exactly. */
static uint32_t square_less_one(uint64_t t, bool is_at_once)
{
    const uint32_t bits = 0x3f800800u + (uint32_t)t;
    float a;
    memcpy(&a, &bits, sizeof a);
    const volatile float square = a * a;
    const float result = is_at_once ? (float)((double)a * a - 1.0) : square - 1.0f;
    uint32_t result_bits;
    memcpy(&result_bits, &result, sizeof result_bits);
    return result_bits;
}

#define ROW(name, forms, before, body, expected)                                                   \
    static uint64_t expect_##name(uint64_t t, uint64_t x)                                          \
    {                                                                                              \
        (void)t, (void)x;                                                                          \
        return (uint64_t)(expected);                                                               \
    }
#include "tests/facade/ptx_instructions.def"
#undef ROW

static const struct row {
    const char *name;
    int forms;
    const char *before, *body;
    uint64_t (*expect)(uint64_t t, uint64_t x);
} rows[] = {
#define ROW(name, forms, before, body, expected) {#name, forms, before, body, expect_##name},
#include "tests/facade/ptx_instructions.def"
#undef ROW
};

static const char head[] =
    ".visible .entry row(.param .u64 in, .param .u64 out, .param .u64 own, .param .u64 common)\n{\n"
    ".reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.reg .f32 "
    "%f<16>;\n"
    ".reg .f64 %fd<16>;\nld.param.u64 %rd30, [in];\nld.param.u64 %rd2, [out];\n"
    "ld.param.u64 %rd4, [own];\nld.param.u64 %rd5, [common];\ncvta.to.global.u64 %rd30, %rd30;\n"
    "cvta.to.global.u64 %rd2, %rd2;\ncvta.to.global.u64 %rd4, %rd4;\ncvta.to.global.u64 %rd5, "
    "%rd5;\n"
    "mov.u32 %r1, %tid.x;\nmad.wide.u32 %rd30, %r1, 8, %rd30;\nmad.wide.u32 %rd2, %r1, 8, %rd2;\n"
    "mad.wide.u32 %rd4, %r1, 64, %rd4;\nld.global.u64 %rd3, [%rd30];\n";
static const char tail[] = "st.global.u64 [%rd2], %rd9;\nret;\n}\n";

static CUdeviceptr in, out, own, common;

static void make_memory(void)
{
    uint64_t inputs[THREADS];
    driver_use_primary();
    in = driver_allocate(sizeof inputs);
    out = driver_allocate(sizeof inputs);
    own = driver_allocate((size_t)THREADS * OWN_BYTES);
    common = driver_allocate(COMMON_BYTES);
    for (uint64_t t = 0; t < THREADS; t++)
        inputs[t] = INPUT(t);
    assert_driver(cuMemcpyHtoD(in, inputs, sizeof inputs));
}

static CUresult launch(const struct row *row, uint64_t results[THREADS])
{
    char text[16384];
    CUmodule module = NULL;
    CUfunction function = NULL;
    snprintf(text, sizeof text, "%s%s%s%s%s",
             strncmp(row->before, ".version", 8) == 0 ? "" : VERSION("8.5", "90"), row->before,
             head, row->body, tail);
    CUresult result = cuModuleLoadData(&module, text);
    if (result == CUDA_SUCCESS)
        result = cuModuleGetFunction(&function, module, "row");
    assert_driver(cuMemsetD8(own, 0, (size_t)THREADS * OWN_BYTES));
    assert_driver(cuMemsetD8(common, 0, COMMON_BYTES));
    assert_driver(cuMemsetD8(out, 0xee, THREADS * sizeof *results));
    void *parameters[] = {&in, &out, &own, &common};
    if (result == CUDA_SUCCESS)
        result =
            cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, DYNAMIC_BYTES, NULL, parameters, NULL);
    if (result == CUDA_SUCCESS)
        result = cuMemcpyDtoH(results, out, THREADS * sizeof *results);
    if (module)
        assert_driver(cuModuleUnload(module));
    return result;
}

static bool has_addresses(void)
{
    const char *forced = getenv("CLEM_ADDRESS");
    return forced == NULL || strcmp(forced, "handle") != 0;
}

static bool has_wide_atomics(void)
{
    static char extensions[16384];
    cl_device_id device = NULL;
    assert_int_equal(clemDeviceGetOpenCL(0, NULL, &device, NULL), cudaSuccess);
    assert_int_equal(
        clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL),
        CL_SUCCESS);
    return strstr(extensions, "cl_khr_int64_base_atomics") != NULL;
}

static bool is_right(const struct row *row)
{
    uint64_t results[THREADS];
    const CUresult result = launch(row, results);
    if (((row->forms & ADDRESSES) && !has_addresses()) ||
        ((row->forms & WIDE) && !has_wide_atomics()))
        return result == CUDA_ERROR_NOT_SUPPORTED;
    if (result != CUDA_SUCCESS) {
        printf("%s: error %d\n", row->name, (int)result);
        return false;
    }
    for (uint64_t t = 0; t < THREADS; t++) {
        const uint64_t expected = row->expect(t, INPUT(t));
        if (results[t] == expected)
            continue;
        printf("%s: thread %u has %016llx, not %016llx\n", row->name, (unsigned)t,
               (unsigned long long)results[t], (unsigned long long)expected);
        return false;
    }
    return true;
}

static void run_rows(int form)
{
    int failures = 0;
    const char *only = getenv("TEST_ROW");
    make_memory();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((rows[i].forms & form) && (!only || strcmp(only, rows[i].name) == 0))
            failures += !is_right(&rows[i]);
    assert_int_equal(failures, 0);
}

TEST_BODY(ptx_instructions_by_item)
{
    setenv("CLEM_PTX_FORM", "item", 1);
    run_rows(ITEM);
}

TEST_BODY(ptx_instructions_by_block)
{
    setenv("CLEM_PTX_FORM", "block", 1);
    run_rows(BLOCK);
}

TEST_BODY(ptx_instructions_by_warp)
{
    setenv("CLEM_PTX_FORM", "warp", 1);
    run_rows(BLOCK);
}

TEST_BODY(ptx_instructions_as_the_device_has_them)
{
    run_rows(BOTH);
}

/* Also those that are better off in another form. */
TEST_BODY(ptx_instructions_by_warps_of_the_host)
{
    setenv("CLEM_PTX_FORM", "native", 1);
    run_rows(BOTH);
}

/* As on a GPU that knows no PTX: what a form cannot do must be known before it is chosen. */
TEST_BODY(ptx_instructions_as_on_a_gpu)
{
    setenv("CLEM_PTX_FORM", "gpu", 1);
    run_rows(BOTH);
}

/* ---- What is no row: traps, large parameters ---- */

static CUfunction load(const char *text, const char *name)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, text));
    assert_driver(cuModuleGetFunction(&function, module, name));
    return function;
}

static const char trapping[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".func stop(.param .b32 a)\n{\n.reg .b32 %r<2>;\n.reg .pred %p<2>;\nld.param.u32 %r1, [a];\n"
    "setp.eq.u32 %p1, %r1, 40;\n@%p1 trap;\nbrkpt;\nret;\n}\n"
    ".visible .entry k()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, %tid.x;\n{\n.param .b32 p;\n"
    "st.param.b32 [p], %r1;\ncall stop, (p);\n}\nret;\n}\n";

/* One thread of many traps, within a function; what others wrote stays, and the context is lost. */
TEST_BODY(ptx_instructions_trap)
{
    CUfunction function = load(trapping, "k");
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    assert_driver(cuCtxSynchronize());
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

static void count_call(void *data)
{
    ++*(int *)data;
}

struct told {
    cudaError_t runtime;
    CUresult driver;
};

static void keep_error(cudaStream_t stream, cudaError_t error, void *data)
{
    (void)stream;
    ((struct told *)data)->runtime = error;
}

static void keep_result(CUstream stream, CUresult result, void *data)
{
    (void)stream;
    ((struct told *)data)->driver = result;
}

/* Nobody has waited for the kernel before: what is called behind it finds out by itself. */
TEST_BODY(ptx_instructions_trap_before_a_host_function)
{
    CUfunction function = load(trapping, "k");
    CUstream stream = NULL;
    int before = 0, behind = 0;
    struct told told = {cudaSuccess, CUDA_SUCCESS};
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, stream, NULL, NULL));
    assert_driver(cuLaunchHostFunc(stream, count_call, &before));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, NULL, NULL));
    const CUresult first = cuLaunchHostFunc(stream, count_call, &behind);
    const cudaError_t second = cudaStreamAddCallback((cudaStream_t)stream, keep_error, &told, 0);
    const CUresult third = cuStreamAddCallback(stream, keep_result, &told, 0);
    assert_int_equal(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(before, 1);
    assert_int_equal(behind, 0);
    /* The kernel may have failed before the call, which then says so. */
    assert_int_equal(first == CUDA_SUCCESS ? CUDA_ERROR_LAUNCH_FAILED : first,
                     CUDA_ERROR_LAUNCH_FAILED);
    assert_int_equal(second == cudaSuccess ? told.runtime : second, cudaErrorLaunchFailure);
    assert_int_equal(third == CUDA_SUCCESS ? told.driver : third, CUDA_ERROR_LAUNCH_FAILED);
}

/* The stack that alloca takes from has an end. Only translated: CUDA does not say what happens there,
 * and a driver that takes PTX as it is lets the store go astray. */
TEST_BODY(ptx_instructions_trap_where_the_stack_ends)
{
    setenv("CLEM_PTX", "text", 1);
    CUfunction function =
        load(".version 7.5\n.target sm_75\n.address_size 64\n"
             ".visible .entry k(.param .u64 n)\n{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [n];\n"
             "alloca.u64 %rd2, %rd1;\nst.local.u8 [%rd2], 1;\nret;\n}\n",
             "k");
    uint64_t bytes = 1024;
    void *parameters[] = {&bytes};
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    assert_driver(cuCtxSynchronize());
    bytes = 0xffffffffffffffffull;
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    assert_int_equal(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
}

/* By constant offsets, by index, and through a generic address. */
TEST_BODY(ptx_instructions_parameters_of_eight_thousand_bytes)
{
    static struct {
        CUdeviceptr out;
        uint32_t words[1998];
    } big;
    uint64_t results[THREADS];
    CUfunction function = load(".version 8.1\n.target sm_75\n.address_size 64\n"
                               ".visible .entry k(.param .align 8 .b8 all[8000], .param .u16 "
                               "last)\n{\n.reg .b32 %r<8>;\n.reg .b64 "
                               "%rd<12>;\n.reg .b16 %h<2>;\nld.param.u64 %rd1, [all];\nmov.u32 "
                               "%r1, %tid.x;\nmad.wide.u32 %rd2, %r1, 8, "
                               "%rd1;\nmul.wide.u32 %rd3, %r1, 124;\nmov.b64 %rd4, all;\nadd.u64 "
                               "%rd5, %rd4, %rd3;\nld.param.u32 %r2, "
                               "[%rd5+8];\ncvta.param.u64 %rd6, %rd5;\nld.u32 %r3, "
                               "[%rd6+12];\nld.param.u32 %r4, [all+7996];\nld.param.u16 "
                               "%h1, [last];\ncvt.u32.u16 %r5, %h1;\nadd.u32 %r2, %r2, "
                               "%r4;\nadd.u32 %r3, %r3, %r5;\nst.global.v2.u32 "
                               "[%rd2], {%r2, %r3};\nret;\n}\n",
                               "k");
    uint16_t last = 777;
    big.out = driver_allocate(sizeof results);
    for (uint32_t i = 0; i < 1998; i++)
        big.words[i] = i * i;
    void *parameters[] = {&big, &last};
    assert_int_equal(sizeof big, 8000);
    assert_driver(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL));
    assert_driver(cuMemcpyDtoH(results, big.out, sizeof results));
    for (uint32_t t = 0; t < THREADS; t++) {
        assert_int_equal((uint32_t)results[t], (31 * t) * (31 * t) + 1997 * 1997);
        assert_int_equal(results[t] >> 32, (31 * t + 1) * (31 * t + 1) + 777);
    }
}
