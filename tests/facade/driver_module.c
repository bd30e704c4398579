/* Tests of facade/driver/driver_module.c and facade/driver/driver_library.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "tests/cl/captured.h"
#include "tests/facade/driver_support.h"
#include "tests/facade/fatbins.h"

static int run_store(CUfunction function, int value)
{
    CUdeviceptr out = driver_allocate(4);
    int seen = 0;
    void *params[] = {&out, &value};
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    assert_driver(cuMemcpyDtoH(&seen, out, sizeof seen));
    assert_driver(cuMemFree(out));
    return seen;
}

TEST_BODY(driver_module_gives_its_functions)
{
    CUmodule module = NULL, owner = NULL;
    CUfunction function = NULL, list[8] = {NULL};
    unsigned count = 0;
    const char *name = NULL;
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, driver_kernels));
    assert_driver(cuModuleGetFunction(&function, module, "store"));
    assert_int_equal(run_store(function, 7), 7);
    assert_driver(cuModuleGetFunctionCount(&count, module));
    assert_int_equal(count, 3);
    assert_driver(cuModuleEnumerateFunctions(list, 8, module));
    assert_non_null(list[2]);
    assert_null(list[3]);
    assert_driver(cuFuncGetName(&name, function));
    assert_string_equal(name, "store");
    assert_driver(cuFuncGetModule(&owner, function));
    assert_ptr_equal(owner, module);
    assert_driver(cuModuleUnload(module));
    assert_int_equal(cuFuncGetModule(&owner, function), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
}

TEST_BODY(driver_module_comes_from_a_file)
{
    char path[] = "/tmp/clem_driver_module_XXXXXX";
    CUmodule module = NULL;
    CUfunction function = NULL;
    int file = mkstemp(path);
    driver_use_primary();
    assert_true(file >= 0);
    assert_int_equal(write(file, driver_kernels, sizeof driver_kernels - 1),
                     sizeof driver_kernels - 1);
    close(file);
    CUresult result = cuModuleLoad(&module, path);
    unlink(path);
    assert_driver(result);
    assert_driver(cuModuleGetFunction(&function, module, "store"));
    assert_int_equal(run_store(function, 9), 9);
    assert_int_equal(cuModuleLoad(&module, path), CUDA_ERROR_FILE_NOT_FOUND);
}

/* Neither what is no file nor what is called PTX and is none comes in as something else. */
TEST_BODY(driver_module_refuses_what_is_no_code)
{
    char path[] = "/tmp/clem_module_XXXXXX", pipe[sizeof path + 8], printed[4096];
    static const char kernel[] = "__kernel void k(__global int *a) { a[0] = 1; }";
    struct fatbin fatbin;
    CUmodule module = NULL;
    setenv("CLEM_TRACE", "1", 1);
    driver_use_primary();
    assert_non_null(mkdtemp(path));
    snprintf(pipe, sizeof pipe, "%s/pipe", path);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    struct capture capture = capture_begin();
    const CUresult results[] = {cuModuleLoad(&module, path), cuModuleLoad(&module, pipe)};
    capture_end(&capture, printed, sizeof printed);
    unlink(pipe);
    rmdir(path);
    assert_int_equal(results[0], CUDA_ERROR_OUT_OF_MEMORY);
    assert_int_equal(results[1], CUDA_ERROR_FILE_NOT_FOUND);
    assert_non_null(strstr(printed, " is a directory"));
    fatbin_begin(&fatbin);
    fatbin_add_text(&fatbin, 75, kernel);
    assert_int_equal(cuModuleLoadData(&module, fatbin.bytes), CUDA_ERROR_INVALID_PTX);
    assert_null(module);
}

/* A container of one PTX entry: a head and so many blanks, as one frame of zstd. The caller frees it. */
/* A module for one capability: `store` adds that to what it stores, `matrix` has what is not translated. */
static void add_module(struct fatbin *fatbin, unsigned capability)
{
    char text[1024];
    snprintf(text, sizeof text,
             ".version 8.0\n.target sm_%u\n.address_size 64\n"
             ".visible .entry store(.param .u64 out, .param .u32 value)\n{\n.reg .b64 %%d<2>;\n"
             ".reg .b32 %%r<2>;\nld.param.u64 %%d1, [out];\nld.param.u32 %%r1, [value];\n"
             "add.u32 %%r1, %%r1, %u;\nst.global.u32 [%%d1], %%r1;\nret;\n}\n"
             ".visible .entry matrix()\n{\nsetmaxnreg.inc.sync.aligned.u32 64;\nret;\n}\n",
             capability, capability);
    fatbin_add_text(fatbin, capability, text);
}

/* What is stored where 1 is asked for, by a fat binary for those capabilities. How often a line says that none was for
 * devices of 7.5 is added to *told. */
static int store_of_fatbin(const unsigned *capabilities, size_t count, int *told)
{
    static char printed[65536];
    struct fatbin fatbin;
    CUmodule module = NULL;
    CUfunction store = NULL, matrix = NULL;
    fatbin_begin(&fatbin);
    for (size_t i = 0; i < count; i++)
        add_module(&fatbin, capabilities[i]);
    struct capture capture = capture_begin();
    const CUresult result = cuModuleLoadFatBinary(&module, fatbin.bytes);
    capture_end(&capture, printed, sizeof printed);
    assert_driver(result);
    for (const char *at = printed; (at = strstr(at, "no PTX for compute capability 7.5")); at++)
        ++*told;
    assert_driver(cuModuleGetFunction(&store, module, "store"));
    const int stored = run_store(store, 1);
    assert_driver(cuModuleGetFunction(&matrix, module, "matrix"));
    assert_int_equal(cuLaunchKernel(matrix, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
                     CUDA_ERROR_NOT_SUPPORTED);
    assert_driver(cuModuleUnload(module));
    return stored;
}

/* PTX for later GPUs is taken where there is no other, and said to be; its kernels are tried one by one. */
TEST_BODY(driver_module_takes_later_ptx_where_there_is_no_other)
{
    int told = 0;
    setenv("CLEM_TRACE", "1", 1);
    setenv("CLEM_PTX", "text", 1);
    driver_use_primary();
    assert_int_equal(store_of_fatbin((const unsigned[]){90, 75, 80}, 3, &told), 76);
    assert_int_equal(store_of_fatbin((const unsigned[]){90, 60}, 2, &told), 61);
    assert_int_equal(told, 0);
    assert_int_equal(store_of_fatbin((const unsigned[]){90, 80}, 2, &told), 81);
    assert_int_equal(told, 1);
    assert_int_equal(store_of_fatbin((const unsigned[]){90}, 1, &told), 91);
    assert_int_equal(told, 2);
}

static void *fatbin_of_blanks(const char *head, size_t blanks)
{
    enum { CAPACITY = 1 << 20, PIECE = 1 << 20, BEGIN = FATBIN_HEADER + FATBIN_ENTRY_HEADER };
    char *piece = malloc(PIECE);
    unsigned char *bytes = calloc(1, CAPACITY);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_true(piece && bytes && context);
    memset(piece, ' ', PIECE);
    ZSTD_outBuffer out = {bytes + BEGIN, CAPACITY - BEGIN - 8, 0};
    ZSTD_inBuffer in = {head, strlen(head), 0};
    ZSTD_CCtx_setPledgedSrcSize(context, strlen(head) + blanks);
    size_t left = ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
    for (size_t done = 0; done < blanks && !ZSTD_isError(left); done += in.size) {
        in = (ZSTD_inBuffer){piece, blanks - done < PIECE ? blanks - done : PIECE, 0};
        left = ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
    }
    in = (ZSTD_inBuffer){piece, 0, 0};
    assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
    ZSTD_freeCCtx(context);
    free(piece);
    struct fatbin heads;
    fatbin_begin(&heads);
    fatbin_add(&heads, FATBIN_PTX, 75, FATBIN_ZSTD, "", 0, strlen(head) + blanks);
    const size_t padded = (out.pos + 8) / 8 * 8;
    fatbin_put(&heads, 8, FATBIN_ENTRY_HEADER + padded, 8);
    fatbin_put(&heads, FATBIN_HEADER + 8, padded, 8);
    fatbin_put(&heads, FATBIN_HEADER + 0x10, out.pos, 4);
    memcpy(bytes, heads.bytes, BEGIN);
    return bytes;
}

static size_t most_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss << 10;
}

/* Few kilobytes of a fat binary may hold any amount of PTX: what is too much is not even unpacked. */
TEST_BODY(driver_module_of_many_blanks)
{
    static const char head[] = ".version 7.5\n.target sm_75\n.address_size 64\n";
    enum { MEGABYTE = 1 << 20, SOME = 48 };
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module = NULL;
    driver_use_primary();
    void *much = fatbin_of_blanks(head, (size_t)300 * MEGABYTE);
    void *none = fatbin_of_blanks("", (size_t)SOME * MEGABYTE);
    void *some = fatbin_of_blanks(head, (size_t)SOME * MEGABYTE);
    size_t before = most_memory();
    assert_int_equal(cuModuleLoadDataEx(&module, much, 2, options, values), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "\"text of a module\""));
    assert_true(most_memory() < before + (size_t)32 * MEGABYTE);
    values[1] = (void *)(uintptr_t)sizeof log;
    assert_int_equal(cuModuleLoadDataEx(&module, none, 2, options, values), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "no PTX"));
    assert_driver(cuModuleLoadData(&module, some));
    assert_driver(cuModuleUnload(module));
    assert_true(most_memory() < before + (size_t)(64 + 4 * SOME) * MEGABYTE);
    free(much);
    free(none);
    free(some);
}

/* Calls that call twice each: 60 lines that would be a thousand million instructions. */
TEST_BODY(driver_module_of_doubling_calls)
{
    char text[4096], printed[4096];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   ".version 7.5\n.target sm_75\n.address_size 64\n"
                                   ".func f0() { .reg .b32 %%r<3>; mov.u32 %%r1, 1; ret; }\n");
    for (int i = 0; i < 30; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 ".func f%d() { call f%d; call f%d; ret; }\n", i + 1, i, i);
    snprintf(text + used, sizeof text - used, ".visible .entry k() { call f30; ret; }\n");
    CUmodule module = NULL;
    CUfunction function = NULL;
    setenv("CLEM_PTX", "text", 1);
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, text));
    assert_driver(cuModuleGetFunction(&function, module, "k"));
    struct capture capture = capture_begin();
    const CUresult result = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    capture_end(&capture, printed, sizeof printed);
    assert_int_equal(result, CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(printed, "\"inlined instructions\""));
}

TEST_BODY(driver_module_refuses_code_for_other_machines)
{
    static const char bad_ptx[] = ".version 7.5\n.target sm_75\nno PTX at all\n";
    static const char new_ptx[] = ".version 10.0\n.target sm_75\n";
    static const unsigned char elf[64] = {0x7f, 'E', 'L', 'F'};
    static const unsigned char damaged[64] = {0x50, 0xed, 0x55, 0xba};
    struct fatbin fatbin;
    CUmodule module = NULL;
    fatbin_of_machine_code(&fatbin);
    driver_use_primary();
    assert_int_equal(cuModuleLoadData(&module, bad_ptx), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(cuModuleLoadData(&module, new_ptx), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
    assert_int_equal(cuModuleLoadData(&module, elf), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoadFatBinary(&module, fatbin.bytes), CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(cuModuleLoadFatBinary(&module, damaged), CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(cuModuleLoadData(&module, ""), CUDA_ERROR_INVALID_IMAGE);
    assert_null(module);
}

TEST_BODY(driver_module_gives_the_compilers_log)
{
    static const char bad[] = "kernel void broken(global int *p) { *p = no_such_name; }\n";
    char log[4096] = "", cut[16];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    void *short_values[] = {cut, (void *)sizeof cut};
    CUmodule module = NULL;
    CUlibrary library = NULL;
    driver_use_primary();
    assert_int_equal(cuModuleLoadDataEx(&module, bad, 2, options, values),
                     CUDA_ERROR_INVALID_IMAGE);
    assert_non_null(strstr(log, "no_such_name"));
    assert_int_equal((uintptr_t)values[1], strlen(log));
    memset(cut, 'x', sizeof cut);
    assert_int_equal(cuModuleLoadDataEx(&module, bad, 2, options, short_values),
                     CUDA_ERROR_INVALID_IMAGE);
    assert_int_equal(strlen(cut), sizeof cut - 1);
    log[0] = '\0';
    values[1] = (void *)sizeof log;
    assert_int_equal(cuLibraryLoadData(&library, bad, options, values, 2, NULL, NULL, 0),
                     CUDA_ERROR_INVALID_IMAGE);
    assert_non_null(strstr(log, "no_such_name"));
}

static int is_a_time(void *value)
{
    float milliseconds;
    memcpy(&milliseconds, &value, sizeof milliseconds);
    return milliseconds > 0.0f && milliseconds < 60000.0f;
}

TEST_BODY(driver_module_tells_the_time)
{
    static const char bad[] = "kernel void broken(global int *p) { *p = no_such_name; }\n";
    CUjit_option options[] = {CU_JIT_MAX_REGISTERS, CU_JIT_WALL_TIME, CU_JIT_THREADS_PER_BLOCK};
    void *values[] = {(void *)32, (void *)(uintptr_t)-1, (void *)128};
    enum cudaJitOption runtime_option = cudaJitWallTime;
    CUmodule module = NULL;
    CUlibrary library = NULL;
    cudaLibrary_t runtime_library = NULL;
    driver_use_primary();
    assert_driver(cuModuleLoadDataEx(&module, driver_kernels, 3, options, values));
    assert_true(is_a_time(values[1]));
    assert_int_equal((uintptr_t)values[0], 32);
    assert_int_equal((uintptr_t)values[2], 128);
    assert_driver(cuModuleUnload(module));
    values[1] = (void *)(uintptr_t)-1;
    assert_driver(cuLibraryLoadData(&library, driver_kernels, options, values, 3, NULL, NULL, 0));
    assert_true(is_a_time(values[1]));
    assert_driver(cuLibraryUnload(library));
    values[1] = (void *)(uintptr_t)-1;
    assert_int_equal(cuModuleLoadDataEx(&module, bad, 3, options, values),
                     CUDA_ERROR_INVALID_IMAGE);
    assert_true(is_a_time(values[1]));
    values[1] = (void *)(uintptr_t)-1;
    assert_int_equal(cudaLibraryLoadData(&runtime_library, driver_kernels, &runtime_option,
                                         values + 1, 1, NULL, NULL, 0),
                     cudaSuccess);
    assert_true(is_a_time(values[1]));
    assert_int_equal(cudaLibraryUnload(runtime_library), cudaSuccess);
}

TEST_BODY(driver_library_is_built_for_each_context)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    CUfunction in_primary = NULL, in_made = NULL;
    CUmodule module = NULL;
    CUcontext made = NULL;
    driver_use_primary();
    assert_driver(cuLibraryLoadData(&library, driver_kernels, NULL, NULL, 0, NULL, NULL, 0));
    assert_driver(cuLibraryGetKernel(&kernel, library, "store"));
    assert_driver(cuKernelGetFunction(&in_primary, kernel));
    assert_int_equal(run_store((CUfunction)kernel, 3), 3);
    assert_driver(cuCtxCreate(&made, NULL, 0, 0));
    assert_driver(cuKernelGetFunction(&in_made, kernel));
    assert_ptr_not_equal(in_primary, in_made);
    assert_int_equal(run_store((CUfunction)kernel, 4), 4);
    assert_driver(cuLibraryGetModule(&module, library));
    assert_int_equal(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
    assert_driver(cuCtxDestroy(made));
    assert_int_equal(run_store((CUfunction)kernel, 5), 5);
    assert_driver(cuLibraryUnload(library));
    assert_int_equal(cuKernelGetFunction(&in_made, kernel), CUDA_ERROR_INVALID_HANDLE);
    assert_int_equal(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
}

TEST_BODY(driver_library_is_built_when_a_kernel_is_asked_for)
{
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    driver_use_primary();
    assert_driver(
        cuLibraryLoadData(&library, "this is no program {", NULL, NULL, 0, NULL, NULL, 0));
    assert_int_equal(cuLibraryGetKernel(&kernel, library, "store"), CUDA_ERROR_INVALID_IMAGE);
    assert_null(kernel);
    assert_driver(cuLibraryUnload(library));
}

TEST_BODY(driver_library_tells_parameters_and_attributes)
{
    static const size_t offsets[] = {0, 8, 10, 12, 16}, sizes[] = {8, 1, 2, 4, 8};
    CUlibrary library = NULL;
    CUkernel kernel = NULL;
    size_t offset = 0, size = 0;
    int value = -1;
    driver_use_primary();
    assert_driver(cuLibraryLoadData(&library, driver_kernels, NULL, NULL, 0, NULL, NULL, 0));
    assert_driver(cuLibraryGetKernel(&kernel, library, "mixed"));
    for (size_t i = 0; i < 5; i++) {
        assert_driver(cuKernelGetParamInfo(kernel, i, &offset, &size));
        assert_int_equal(offset, offsets[i]);
        assert_int_equal(size, sizes[i]);
    }
    assert_int_equal(cuKernelGetParamInfo(kernel, 5, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    assert_driver(
        cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100, kernel, 0));
    assert_driver(
        cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, kernel, 0));
    assert_int_equal(value, 100);
    assert_int_equal(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NUM_REGS, 1, kernel, 0),
                     CUDA_ERROR_INVALID_VALUE);
}

struct asker {
    CUlibrary library;
    CUcontext context;
    CUkernel kernel;
    CUfunction function;
    CUresult result;
};

static void *ask(void *data)
{
    struct asker *asker = data;
    asker->result = cuCtxSetCurrent(asker->context);
    if (asker->result == CUDA_SUCCESS)
        asker->result = cuLibraryGetKernel(&asker->kernel, asker->library, "store");
    if (asker->result == CUDA_SUCCESS)
        asker->result = cuKernelGetFunction(&asker->function, asker->kernel);
    return NULL;
}

TEST_BODY(driver_library_is_one_for_many_threads)
{
    pthread_t threads[4];
    struct asker askers[4];
    CUlibrary library = NULL;
    CUcontext context = driver_use_primary();
    assert_driver(cuLibraryLoadData(&library, driver_kernels, NULL, NULL, 0, NULL, NULL, 0));
    for (int i = 0; i < 4; i++) {
        askers[i] = (struct asker){.library = library, .context = context};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &askers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_driver(askers[i].result);
        assert_ptr_equal(askers[i].kernel, askers[0].kernel);
        assert_ptr_equal(askers[i].function, askers[0].function);
    }
    assert_driver(cuLibraryUnload(library));
}

/* --- PTX -------------------------------------------------------------------------------------- */

static void scale_with(CUmodule module)
{
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    float values[5] = {1, 2, 3, 4, 5}, factor = 3;
    int count = 4;
    void *arguments[] = {&memory, &factor, &count};
    assert_driver(cuModuleGetFunction(&function, module, "scale"));
    assert_driver(cuMemAlloc(&memory, sizeof values));
    assert_driver(cuMemcpyHtoD(memory, values, sizeof values));
    assert_driver(cuLaunchKernel(function, 3, 1, 1, 2, 1, 1, 0, NULL, arguments, NULL));
    assert_driver(cuMemcpyDtoH(values, memory, sizeof values));
    assert_driver(cuMemFree(memory));
    for (int i = 0; i < 5; i++)
        assert_true(values[i] == (float)(i + 1) * (i < count ? 3.0f : 1.0f));
}

/* As files, as what lies in memory, and behind a compiler's wrapper; packed in all three ways. */
TEST_BODY(driver_module_runs_fat_binaries)
{
    static const char *const names[] = {"plain", "lz4", "zstd"};
    driver_use_primary();
    for (int i = 0; i < 3; i++) {
        char path[1024];
        _Alignas(8) char code[1024] = {0};
        CUmodule module = NULL;
        snprintf(path, sizeof path, "%s/scale_%s.fatbin", TEST_DATA, names[i]);
        assert_driver(cuModuleLoad(&module, path));
        scale_with(module);
        assert_driver(cuModuleUnload(module));
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        assert_true(fread(code, 1, sizeof code, file) > 0);
        fclose(file);
        assert_driver(cuModuleLoadData(&module, code));
        scale_with(module);
        assert_driver(cuModuleUnload(module));
        const struct {
            unsigned magic, version;
            const void *code, *unused;
        } wrapper = {0x466243b1, 1, code, NULL};
        assert_driver(cuModuleLoadFatBinary(&module, &wrapper));
        scale_with(module);
        assert_driver(cuModuleUnload(module));
    }
}

static const char facts_ptx[] =
    ".version 7.5\n.target sm_75\n.address_size 64\n"
    ".visible .const .align 4 .b8 table[16] = {1, 2, 3, 4};\n"
    ".visible .global .align 8 .u64 counter = 7;\n"
    ".visible .entry facts(.param .u64 facts_param_0, .param .u8 facts_param_1,\n"
    "                      .param .align 8 .b8 facts_param_2[24])\n"
    "{\n"
    "    .shared .align 4 .b8 scratch[128];\n"
    "    .reg .b32 %r<2>;\n"
    "    mov.u32 %r1, scratch;\n"
    "    st.shared.u32 [%r1], %r1;\n"
    "    ret;\n"
    "}\n";

TEST_BODY(driver_module_tells_of_ptx)
{
    static const size_t offsets[] = {0, 8, 16}, sizes[] = {8, 1, 24};
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr address = 0;
    size_t offset = 0, bytes = 0;
    unsigned long long value = 0;
    int version = 0, shared = 0, threads = 0;
    driver_use_primary();
    assert_driver(cuModuleLoadData(&module, facts_ptx));
    assert_driver(cuModuleGetFunction(&function, module, "facts"));
    assert_driver(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, function));
    assert_int_equal(version, 75);
    assert_driver(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_BINARY_VERSION, function));
    assert_int_equal(version, 75);
    assert_driver(cuFuncGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    assert_int_equal(shared, 128);
    assert_driver(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    assert_true(threads > 0);
    for (size_t i = 0; i < 3; i++) {
        assert_driver(cuFuncGetParamInfo(function, i, &offset, &bytes));
        assert_int_equal(offset, offsets[i]);
        assert_int_equal(bytes, sizes[i]);
    }
    assert_int_equal(cuFuncGetParamInfo(function, 3, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuModuleGetGlobal(&address, &bytes, module, "counter"));
    assert_int_equal(bytes, 8);
    assert_driver(cuMemcpyDtoH(&value, address, sizeof value));
    assert_int_equal(value, 7);
    assert_driver(cuModuleGetGlobal(&address, &bytes, module, "table"));
    assert_int_equal(bytes, 16);
    assert_driver(cuMemcpyDtoH(&value, address, sizeof value));
    assert_int_equal(value, 0x04030201);
    assert_int_equal(cuModuleGetGlobal(&address, &bytes, module, "scratch"), CUDA_ERROR_NOT_FOUND);
    assert_driver(cuModuleUnload(module));
}

/* A log that the caller gives says where the text is wrong. */
TEST_BODY(driver_module_logs_errors_in_ptx)
{
    static const char bad[] = ".version 7.5\n.target sm_75\n.address_size 64\n"
                              ".visible .entry broken()\n{\n    ret\n}\n";
    char log[1024] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUmodule module = NULL;
    driver_use_primary();
    assert_int_equal(cuModuleLoadDataEx(&module, bad, 2, options, values), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "7"));
    assert_int_equal((uintptr_t)values[1], strlen(log));
    assert_null(module);
}
