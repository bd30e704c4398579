/* Modules of PTX through the driver API and the runtime: every way in, their variables, limits of their launches, contexts
 * and threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "tests/cl/captured.h"
#include "tests/facade/driver_support.h"

#define HEAD ".version 7.5\n.target sm_75\n.address_size 64\n"
#define INDEX                                                                                      \
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"                        \
    "mad.lo.u32 %r1, %r1, %r2, %r3;\n"

/* store: out[i] = v + c[1] + d + m, and counter += 1. */
static const char module_text[] =
    HEAD ".visible .const .align 4 .u32 c[2] = {3, 40};\n"
         ".visible .global .align 4 .u32 d = 500;\n"
         ".visible .global .align 4 .u32 counter;\n"
         ".global .align 4 .u32 inner = 1;\n"
         ".visible .entry store(.param .u64 out, .param .u32 v)\n{\n"
         ".reg .b32 %r<12>; .reg .b64 %d<4>;\n" INDEX
         "ld.param.u64 %d1, [out];\nld.param.u32 %r4, [v];\n"
         "ld.const.u32 %r5, [c+4];\nadd.u32 %r4, %r4, %r5;\nld.global.u32 %r5, [d];\n"
         "add.u32 %r4, %r4, %r5;\natom.global.add.u32 %r6, [counter], 1;\n"
         "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\ncvta.to.global.u64 %d1, %d1;\n"
         "st.global.u32 [%d1], %r4;\nret;\n}\n"
         ".visible .entry tensor(.param .u64 out)\n{\n.reg .b32 %r<20>; .reg .f32 %f<8>;\n"
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0,%f1,%f2,%f3}, %rd1, %rd2, "
         "1, 1, 1, 0, 0;\nret;\n}\n"
         ".visible .entry bounded(.param .u64 out)\n.maxntid 16, 4, 1\n{ ret; }\n"
         ".visible .entry required(.param .u64 out)\n.reqntid 8\n{ ret; }\n";

enum { ADDED = 540, ITEMS = 64 };

static CUfunction function_of(CUmodule module, const char *name)
{
    CUfunction function = NULL;
    assert_driver(cuModuleGetFunction(&function, module, name));
    return function;
}

static CUresult launch_store(CUfunction function, CUstream stream, CUdeviceptr out, unsigned v)
{
    void *arguments[] = {&out, &v};
    return cuLaunchKernel(function, 2, 1, 1, ITEMS / 2, 1, 1, 0, stream, arguments, NULL);
}

static void expect_stored(CUdeviceptr out, unsigned expected)
{
    unsigned values[ITEMS];
    assert_driver(cuMemcpyDtoH(values, out, sizeof values));
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(values[i], expected);
}

static void run_store(CUfunction function, unsigned v, unsigned added)
{
    CUdeviceptr out = driver_allocate(ITEMS * sizeof(unsigned));
    assert_driver(launch_store(function, NULL, out, v));
    expect_stored(out, v + added);
    assert_driver(cuMemFree(out));
}

/* ---- Ways in ---- */

TEST_BODY(ptx_module_comes_in_every_way)
{
    CUmodule module = NULL;
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction function = NULL;
    cudaLibrary_t runtime_library = NULL;
    cudaKernel_t runtime_kernel = NULL;
    char info[64] = "unset";
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {info, (void *)sizeof info, (void *)(uintptr_t)4};
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, module_text));
    run_store(function_of(module, "store"), 1, ADDED);
    assert_driver(cuModuleUnload(module));
    assert_driver(cuModuleLoadDataEx(&module, module_text, 3, options, values));
    run_store(function_of(module, "store"), 2, ADDED);
    assert_int_equal((uintptr_t)values[1], 0);
    assert_driver(cuModuleUnload(module));
    assert_driver(cuLibraryLoadData(&library, module_text, NULL, NULL, 0, NULL, NULL, 0));
    assert_driver(cuLibraryGetKernel(&kernel, library, "store"));
    assert_driver(cuKernelGetFunction(&function, kernel));
    run_store(function, 3, ADDED);
    run_store((CUfunction)kernel, 4, ADDED);
    assert_driver(cuLibraryUnload(library));
    assert_int_equal(
        cudaLibraryLoadData(&runtime_library, module_text, NULL, NULL, 0, NULL, NULL, 0),
        cudaSuccess);
    assert_int_equal(cudaLibraryGetKernel(&runtime_kernel, runtime_library, "store"), cudaSuccess);
    run_store((CUfunction)runtime_kernel, 5, ADDED);
    assert_int_equal(cudaLibraryUnload(runtime_library), cudaSuccess);
}

/* Libraries of kernels look for their own target in it. */
TEST_BODY(ptx_module_tells_the_target_of_its_text)
{
    int version = 0;
    CUmodule module = NULL;
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, ".version 7.5\n.target sm_60\n.address_size 64\n"
                                            ".visible .entry nothing()\n{ ret; }\n"));
    CUfunction function = function_of(module, "nothing");
    assert_driver(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
    assert_int_equal(version, 60);
    assert_driver(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function));
    assert_int_equal(version, 75);
    assert_driver(cuModuleUnload(module));
}

TEST_BODY(ptx_module_refuses_what_it_has_not)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr address = 0, out = 0;
    size_t bytes = 0;
    setenv("CLEM_PTX", "text", 1); /* a driver that takes PTX may have tensor cores */
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, module_text));
    assert_int_equal(cuModuleGetFunction(&function, module, "none"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetFunction(&function, module, "d"), CUDA_ERROR_NOT_FOUND);
    assert_int_equal(cuModuleGetFunction(&function, module, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuModuleGetFunction(NULL, module, "store"), CUDA_ERROR_INVALID_VALUE);
    assert_null(function);
    assert_int_equal(cuModuleGetGlobal(&address, &bytes, module, "none"), CUDA_ERROR_NOT_FOUND);
    out = driver_allocate(4);
    void *arguments[] = {&out};
    function = function_of(module, "tensor");
    assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL),
                     CUDA_ERROR_NOT_SUPPORTED);
    run_store(function_of(module, "store"), 6, ADDED);
}

/* What stderr gets from two launches through the driver API and one through the runtime, which
 * has a kernel of its own. */
static void launch_refused(const char *trace, char *printed, size_t bytes)
{
    CUmodule module = NULL;
    cudaLibrary_t library = NULL;
    cudaKernel_t kernel = NULL;
    CUdeviceptr out = 0;
    void *arguments[] = {&out};
    const dim3 one = {1, 1, 1};
    setenv("CLEM_PTX", "text", 1);
    trace != NULL ? setenv("CLEM_TRACE", trace, 1) : unsetenv("CLEM_TRACE");
    driver_use_primary();
    out = driver_allocate(4);
    assert_driver(cuModuleLoadData(&module, module_text));
    CUfunction function = function_of(module, "tensor");
    struct capture capture = capture_begin();
    for (int i = 0; i < 2; i++)
        assert_int_equal(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL),
                         CUDA_ERROR_NOT_SUPPORTED);
    capture_end(&capture, printed, bytes);
    assert_int_equal(cudaLibraryLoadData(&library, module_text, NULL, NULL, 0, NULL, NULL, 0),
                     cudaSuccess);
    assert_int_equal(cudaLibraryGetKernel(&kernel, library, "tensor"), cudaSuccess);
    capture = capture_begin();
    assert_int_equal(cudaLaunchKernel(kernel, one, one, arguments, 0, NULL), cudaErrorNotSupported);
    const size_t length = strlen(printed);
    capture_end(&capture, printed + length, bytes - length);
    assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
    assert_int_equal(cudaLibraryUnload(library), cudaSuccess);
}

TEST_BODY(ptx_module_says_once_why_a_kernel_is_refused)
{
    char printed[4096];
    launch_refused(NULL, printed, sizeof printed);
    assert_int_equal(count_text(printed, "\n"), 2);
    assert_int_equal(count_text(printed, "clem: kernel tensor cannot be launched: "), 2);
    assert_int_equal(count_text(printed, "line 31: wgmma.mma_async"), 2);
}

TEST_BODY(ptx_module_is_silent_of_refusals_where_asked)
{
    char printed[4096];
    launch_refused("0", printed, sizeof printed);
    assert_string_equal(printed, "");
}

/* ---- Variables ---- */

TEST_BODY(ptx_module_variables_are_the_kernels)
{
    CUmodule module = NULL;
    CUdeviceptr c = 0, d = 0, counter = 0;
    size_t bytes = 0;
    unsigned value = 0;
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, module_text));
    assert_driver(cuModuleGetGlobal(&c, &bytes, module, "c"));
    assert_int_equal(bytes, 8);
    assert_driver(cuModuleGetGlobal(&d, NULL, module, "d"));
    assert_driver(cuModuleGetGlobal(NULL, &bytes, module, "counter"));
    assert_int_equal(bytes, 4);
    assert_driver(cuModuleGetGlobal(&counter, NULL, module, "counter"));
    run_store(function_of(module, "store"), 1, ADDED);
    assert_driver(cuMemsetD32(c + 4, 70, 1));
    value = 9000;
    assert_driver(cuMemcpyHtoD(d, &value, sizeof value));
    run_store(function_of(module, "store"), 2, 9070);
    assert_driver(cuMemcpyDtoH(&value, counter, sizeof value));
    assert_int_equal(value, 2 * ITEMS);
    assert_int_equal(cuMemFree(d), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuModuleUnload(module));
}

TEST_BODY(ptx_module_managed_variables_are_the_hosts_too)
{
    static const char text[] =
        HEAD ".visible .global .attribute(.managed) .align 4 .u32 m = 21;\n"
             ".visible .entry twice()\n{\n.reg .b32 %r; ld.global.u32 %r, [m];\n"
             "add.u32 %r, %r, %r;\nst.global.u32 [m], %r;\nret;\n}\n";
    CUmodule module = NULL;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, text));
    const CUresult result = cuModuleGetGlobal(&address, &bytes, module, "m");
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        TEST_SKIP("there is no managed memory");
    assert_driver(result);
    assert_int_equal(bytes, 4);
    volatile unsigned *m = (volatile unsigned *)(uintptr_t)address;
    assert_int_equal(*m, 21);
    assert_driver(
        cuLaunchKernel(function_of(module, "twice"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    assert_driver(cuCtxSynchronize());
    assert_int_equal(*m, 42);
    *m = 4;
    assert_driver(
        cuLaunchKernel(function_of(module, "twice"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    assert_driver(cuCtxSynchronize());
    assert_int_equal(*m, 8);
    assert_driver(cuModuleUnload(module));
}

/* ---- Contexts ---- */

TEST_BODY(ptx_module_belongs_to_its_context)
{
    CUmodule module = NULL, other = NULL;
    CUcontext primary = driver_use_primary(), made = NULL;
    CUdeviceptr d = 0, other_d = 0, out = 0;
    assert_driver(cuModuleLoadData(&module, module_text));
    assert_driver(cuModuleGetGlobal(&d, NULL, module, "d"));
    assert_driver(cuMemsetD32(d, 7, 1));
    assert_driver(cuCtxCreate(&made, NULL, 0, 0));
    assert_driver(cuModuleLoadData(&other, module_text));
    assert_driver(cuModuleGetGlobal(&other_d, NULL, other, "d"));
    run_store(function_of(other, "store"), 1, ADDED);
    out = driver_allocate(ITEMS * sizeof(unsigned));
    assert_int_not_equal(launch_store(function_of(module, "store"), NULL, out, 1), CUDA_SUCCESS);
    assert_driver(cuCtxSetCurrent(primary));
    run_store(function_of(module, "store"), 2, 47);
    assert_driver(cuCtxDestroy(made));
    run_store(function_of(module, "store"), 3, 47);
    assert_driver(cuModuleUnload(module));
}

TEST_BODY(ptx_module_may_be_unloaded_while_it_works)
{
    enum { LAUNCHES = 50 };
    CUmodule module = NULL;
    CUstream stream = NULL;
    driver_use_primary();
    CUdeviceptr out = driver_allocate(LAUNCHES * ITEMS * sizeof(unsigned));
    assert_driver(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    assert_driver(cuModuleLoadData(&module, module_text));
    CUfunction function = function_of(module, "store");
    for (unsigned i = 0; i < LAUNCHES; i++)
        assert_driver(launch_store(function, stream, out + i * ITEMS * sizeof(unsigned), i));
    assert_driver(cuModuleUnload(module));
    assert_driver(cuStreamSynchronize(stream));
    for (unsigned i = 0; i < LAUNCHES; i++)
        expect_stored(out + i * ITEMS * sizeof(unsigned), i + ADDED);
    assert_driver(cuStreamDestroy(stream));
}

/* ---- Threads ---- */

enum { THREADS = 6, ROUNDS = 4 };

struct worker {
    CUcontext context;
    CUmodule shared;
    CUresult result;
    unsigned number, wrong;
};

static CUresult run_once(struct worker *worker, CUmodule module, unsigned v)
{
    CUfunction function = NULL;
    CUdeviceptr out = 0;
    unsigned values[ITEMS] = {0};
    CUresult result = cuModuleGetFunction(&function, module, "store");
    if (result == CUDA_SUCCESS)
        result = cuMemAlloc(&out, sizeof values);
    if (result == CUDA_SUCCESS)
        result = launch_store(function, CU_STREAM_PER_THREAD, out, v);
    if (result == CUDA_SUCCESS)
        result = cuStreamSynchronize(CU_STREAM_PER_THREAD);
    if (result == CUDA_SUCCESS)
        result = cuMemcpyDtoH(values, out, sizeof values);
    for (int i = 0; result == CUDA_SUCCESS && i < ITEMS; i++)
        worker->wrong += values[i] != v + ADDED;
    return result == CUDA_SUCCESS ? cuMemFree(out) : result;
}

static void *work(void *data)
{
    struct worker *worker = data;
    worker->result = cuCtxSetCurrent(worker->context);
    for (unsigned i = 0; i < ROUNDS && worker->result == CUDA_SUCCESS; i++) {
        CUmodule own = NULL;
        worker->result = run_once(worker, worker->shared, worker->number * 100 + i);
        if (worker->result == CUDA_SUCCESS)
            worker->result = cuModuleLoadData(&own, module_text);
        if (worker->result == CUDA_SUCCESS)
            worker->result = run_once(worker, own, worker->number * 1000 + i);
        if (worker->result == CUDA_SUCCESS)
            worker->result = cuModuleUnload(own);
    }
    return NULL;
}

TEST_BODY(ptx_module_serves_many_threads)
{
    pthread_t threads[THREADS];
    struct worker workers[THREADS];
    CUmodule module = NULL;
    CUdeviceptr counter = 0;
    unsigned count = 0;
    CUcontext context = driver_use_primary();
    assert_driver(cuModuleLoadData(&module, module_text));
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.context = context, .shared = module, .number = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_driver(workers[i].result);
        assert_int_equal(workers[i].wrong, 0);
    }
    assert_driver(cuModuleGetGlobal(&counter, NULL, module, "counter"));
    assert_driver(cuMemcpyDtoH(&count, counter, sizeof count));
    assert_int_equal(count, THREADS * ROUNDS * ITEMS);
}

/* ---- Parameters ---- */

/* The sum of all bytes of every parameter, each of another size. */
TEST_BODY(ptx_module_takes_parameters_of_all_sizes)
{
    static const char text[] =
        HEAD ".visible .entry sizes(.param .u8 a, .param .u64 out, .param .u16 b, .param .f64 e,\n"
             "    .param .align 1 .b8 odd[3], .param .u32 c, .param .align 16 .b8 wide[48])\n{\n"
             ".reg .b16 %h<4>; .reg .b32 %r<12>; .reg .b64 %d<8>; .reg .f64 %f<2>;\n"
             "ld.param.u64 %d1, [out];\nld.param.u8 %h1, [a];\ncvt.u64.u16 %d2, %h1;\n"
             "ld.param.u16 %h2, [b];\ncvt.u64.u16 %d3, %h2;\nadd.u64 %d2, %d2, %d3;\n"
             "ld.param.f64 %f1, [e];\ncvt.rzi.u64.f64 %d3, %f1;\nadd.u64 %d2, %d2, %d3;\n"
             "ld.param.u8 %h1, [odd+2];\ncvt.u64.u16 %d3, %h1;\nadd.u64 %d2, %d2, %d3;\n"
             "ld.param.u32 %r1, [c];\ncvt.u64.u32 %d3, %r1;\nadd.u64 %d2, %d2, %d3;\n"
             "ld.param.u64 %d3, [wide+40];\nadd.u64 %d2, %d2, %d3;\n"
             "cvta.to.global.u64 %d1, %d1;\nst.global.u64 [%d1], %d2;\nret;\n}\n";
    static const size_t offsets[] = {0, 8, 16, 24, 32, 36, 48};
    CUmodule module = NULL;
    CUdeviceptr out = 0;
    unsigned char a = 200, odd[3] = {1, 2, 77};
    unsigned short b = 60000;
    unsigned c = 4000000000u;
    double e = 5e9;
    unsigned long long wide[6] = {0, 0, 0, 0, 0, 1ull << 40}, sum = 0;
    driver_use_primary();
    out = driver_allocate(sizeof sum);
    assert_driver(cuModuleLoadData(&module, text));
    CUfunction function = function_of(module, "sizes");
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        size_t offset = 0, bytes = 0;
        assert_driver(cuFuncGetParamInfo(function, i, &offset, &bytes));
        assert_int_equal(offset, offsets[i]);
    }
    void *arguments[] = {&a, &out, &b, &e, odd, &c, wide};
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    assert_driver(cuMemcpyDtoH(&sum, out, sizeof sum));
    assert_int_equal(sum, 200 + 60000 + 5000000000ull + 77 + 4000000000ull + (1ull << 40));
}

/* More bytes than most devices take as arguments. */
TEST_BODY(ptx_module_takes_many_bytes_of_parameters)
{
    enum { WORDS = 1000 };
    static const char text[] = HEAD
        ".visible .entry last(.param .u64 out, .param .align 4 .b8 words[4000], .param .u32 n)\n{\n"
        ".reg .b32 %r<8>; .reg .b64 %d<8>;\n"
        "ld.param.u64 %d1, [out];\nld.param.u32 %r1, [n];\nmov.b64 %d2, words;\n"
        "mov.u32 %r2, %tid.x;\nadd.u32 %r1, %r1, %r2;\nmul.wide.u32 %d3, %r1, 4;\n"
        "add.u64 %d2, %d2, %d3;\nld.param.u32 %r3, [%d2];\nld.param.u32 %r4, [words+3996];\n"
        "add.u32 %r3, %r3, %r4;\nmul.wide.u32 %d3, %r2, 4;\nadd.u64 %d1, %d1, %d3;\n"
        "cvta.to.global.u64 %d1, %d1;\nst.global.u32 [%d1], %r3;\nret;\n}\n";
    unsigned words[WORDS], n = 900, seen[64];
    CUmodule module = NULL;
    driver_use_primary();
    CUdeviceptr out = driver_allocate(sizeof seen);
    for (unsigned i = 0; i < WORDS; i++)
        words[i] = i * 7;
    assert_driver(cuModuleLoadData(&module, text));
    for (n = 0; n <= 900; n += 300) {
        void *arguments[] = {&out, words, &n};
        assert_driver(cuLaunchKernel(function_of(module, "last"), 1, 1, 1, 64, 1, 1, 0, NULL,
                                     arguments, NULL));
        assert_driver(cuMemcpyDtoH(seen, out, sizeof seen));
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(seen[i], (n + i) * 7 + (WORDS - 1) * 7);
    }
}

/* ---- Launches ---- */

static CUresult launch_shape(CUfunction function, const unsigned shape[6], unsigned shared)
{
    static CUdeviceptr out;
    unsigned v = 0;
    void *arguments[] = {&out, &v};
    if (!out)
        out = driver_allocate(4096 * sizeof v);
    return cuLaunchKernel(function, shape[0], shape[1], shape[2], shape[3], shape[4], shape[5],
                          shared, NULL, arguments, NULL);
}

TEST_BODY(ptx_module_launches_have_limits)
{
    static const unsigned wrong[][6] = {
        {0, 1, 1, 1, 1, 1},  {1, 0, 1, 1, 1, 1},     {1, 1, 0, 1, 1, 1},     {1, 1, 1, 0, 1, 1},
        {1, 1, 1, 1, 0, 1},  {1, 1, 1, 1, 1, 0},     {1, 1, 1, 1025, 1, 1},  {1, 1, 1, 32, 33, 1},
        {1, 1, 1, 1, 1, 65}, {1, 65536, 1, 1, 1, 1}, {1, 1, 65536, 1, 1, 1},
    };
    CUmodule module = NULL;
    int limit = 0, value = 0;
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, module_text));
    CUfunction store = function_of(module, "store");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(launch_shape(store, wrong[i], 0), CUDA_ERROR_INVALID_VALUE);
    assert_driver(launch_shape(store, (const unsigned[6]){1, 1, 1, 1024, 1, 1}, 0));
    assert_driver(cuDeviceGetAttribute(&limit, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 0));
    assert_int_equal(
        launch_shape(store, (const unsigned[6]){1, 1, 1, 1, 1, 1}, (unsigned)limit + 1),
        CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuFuncSetAttribute(store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 512));
    assert_driver(
        cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, store));
    assert_int_equal(value, 512);
    assert_driver(launch_shape(store, (const unsigned[6]){1, 1, 1, 1, 1, 1}, 512));
    assert_int_equal(launch_shape(store, (const unsigned[6]){1, 1, 1, 1, 1, 1}, 513),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(
        cuDeviceGetAttribute(&limit, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 0));
    assert_int_equal(
        cuFuncSetAttribute(store, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, limit + 1),
        CUDA_ERROR_INVALID_VALUE);
}

TEST_BODY(ptx_module_kernels_bound_their_blocks)
{
    CUmodule module = NULL;
    int value = 0;
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, module_text));
    CUfunction bounded = function_of(module, "bounded"), required = function_of(module, "required");
    assert_driver(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, bounded));
    assert_int_equal(value, 64);
    assert_driver(launch_shape(bounded, (const unsigned[6]){1, 1, 1, 64, 1, 1}, 0));
    assert_driver(launch_shape(bounded, (const unsigned[6]){1, 1, 1, 4, 4, 4}, 0));
    assert_int_equal(launch_shape(bounded, (const unsigned[6]){1, 1, 1, 65, 1, 1}, 0),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(launch_shape(required, (const unsigned[6]){3, 1, 1, 8, 1, 1}, 0));
    assert_int_equal(launch_shape(required, (const unsigned[6]){3, 1, 1, 4, 1, 1}, 0),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(launch_shape(required, (const unsigned[6]){3, 1, 1, 9, 1, 1}, 0),
                     CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuCtxSynchronize());
}

TEST_BODY(ptx_module_launches_with_attributes)
{
    CUmodule module = NULL;
    unsigned v = 8;
    driver_use_primary();
    CUdeviceptr out = driver_allocate(ITEMS * sizeof v);
    assert_driver(cuModuleLoadData(&module, module_text));
    CUfunction store = function_of(module, "store");
    void *arguments[] = {&out, &v};
    CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY, .value.priority = 0};
    CUlaunchConfig config = {.gridDimX = 2,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = ITEMS / 2,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .attrs = &attribute,
                             .numAttrs = 1};
    assert_driver(cuLaunchKernelEx(&config, store, arguments, NULL));
    expect_stored(out, v + ADDED);
    struct {
        CUdeviceptr out;
        unsigned v;
    } packed = {out, 9};
    size_t bytes = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    assert_driver(cuLaunchKernelEx(&config, store, NULL, extra));
    expect_stored(out, 9 + ADDED);
    attribute = (CUlaunchAttribute){.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value.cooperative = 1};
    int can = 0;
    assert_driver(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0));
    const CUresult expected = can ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
    v = 11;
    assert_int_equal(cuLaunchKernelEx(&config, store, arguments, NULL), expected);
    expect_stored(out, (can ? v : 9) + ADDED);
    v = 12;
    assert_int_equal(cuLaunchCooperativeKernel(store, 2, 1, 1, ITEMS / 2, 1, 1, 0, NULL, arguments),
                     expected);
    expect_stored(out, (can ? v : 9) + ADDED);
    assert_int_equal(cuLaunchKernelEx(NULL, store, arguments, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLaunchCooperativeKernel(NULL, 2, 1, 1, ITEMS / 2, 1, 1, 0, NULL, arguments),
                     CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(
        cuLaunchCooperativeKernel(store, 65535, 1, 1, ITEMS / 2, 1, 1, 0, NULL, arguments),
        can ? CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_ERROR_NOT_SUPPORTED);
}

enum { LONG_NAME = 3000 };

/* The mangled names of templates. Messages have them whole, with the cause behind them. */
TEST_BODY(ptx_module_takes_names_of_any_length)
{
    static char name[LONG_NAME + 1], refused[LONG_NAME + 1], text[4 * LONG_NAME];
    static char printed[16 * LONG_NAME], expected[2 * LONG_NAME];
    CUmodule module = NULL;
    CUdeviceptr out = 0;
    const char *told = NULL;
    void *arguments[] = {&out};
    setenv("CLEM_PTX", "text", 1);
    memset(name, 'n', LONG_NAME);
    memset(refused, 'm', LONG_NAME);
    snprintf(text, sizeof text,
             HEAD ".visible .entry %s(.param .u64 out)\n{\n.reg .b64 %%d<2>;\n"
                  "ld.param.u64 %%d1, [out];\nst.global.u32 [%%d1], 7;\nret;\n}\n"
                  ".visible .entry %s()\n{\nsetmaxnreg.inc.sync.aligned.u32 64;\nret;\n}\n",
             name, refused);
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, text));
    CUfunction function = function_of(module, name);
    assert_driver(cuFuncGetName(&told, function));
    assert_string_equal(told, name);
    out = driver_allocate(4);
    unsigned value = 0;
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    assert_driver(cuMemcpyDtoH(&value, out, sizeof value));
    assert_int_equal(value, 7);
    struct capture capture = capture_begin();
    assert_int_equal(
        cuLaunchKernel(function_of(module, refused), 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL),
        CUDA_ERROR_NOT_SUPPORTED);
    capture_end(&capture, printed, sizeof printed);
    snprintf(expected, sizeof expected, "kernel %s, line ", refused);
    assert_non_null(strstr(printed, expected));
    assert_non_null(strstr(printed, "setmaxnreg.inc"));
    assert_driver(cuModuleUnload(module));
}
