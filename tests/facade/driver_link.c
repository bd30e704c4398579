/* Tests of facade/driver/driver_link.c: PTX goes in, one text comes out; what cannot be linked is named.
 * SPDX-License-Identifier: Apache-2.0 */
#include <unistd.h>

#include "include/clem.h"
#include "tests/facade/driver_support.h"
#include "tests/facade/fatbins.h"

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static char calls_twice[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                                 ".visible .global .align 4 .u32 added = 5;\n"
                                 ".global .align 1 .b8 $str[4] = {104, 105, 10};\n"
                                 ".visible .entry run(.param .u64 out)\n"
                                 "{\n"
                                 "    .reg .b32 %r<4>;\n"
                                 "    .reg .b64 %rd<4>;\n"
                                 "    ld.param.u64 %rd1, [out];\n"
                                 "    cvta.to.global.u64 %rd2, %rd1;\n"
                                 "    ld.global.u32 %r1, [%rd2];\n"
                                 "    { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1;\n"
                                 "      call.uni (q), twice, (p); ld.param.b32 %r2, [q]; }\n"
                                 "    ld.global.u8 %r3, [$str];\n"
                                 "    add.u32 %r2, %r2, %r3;\n"
                                 "    st.global.u32 [%rd2], %r2;\n"
                                 "    ret;\n"
                                 "}\n";
static char has_twice[] = "// another file\n" HEAD ".extern .global .align 4 .u32 added;\n"
                          ".global .align 1 .b8 $str[4] = {1, 111, 10};\n"
                          ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                          "{\n"
                          "    .reg .b32 %r<5>;\n"
                          "    ld.param.b32 %r1, [x];\n"
                          "    ld.global.u32 %r2, [added];\n"
                          "    ld.global.u8 %r3, [$str];\n"
                          "    shl.b32 %r4, %r1, 1;\n"
                          "    add.u32 %r4, %r4, %r2;\n"
                          "    add.u32 %r4, %r4, %r3;\n"
                          "    st.param.b32 [r], %r4;\n"
                          "    ret;\n"
                          "}\n";

static CUlinkState new_link(unsigned count, CUjit_option *options, void **values)
{
    CUlinkState link = NULL;
    driver_use_primary();
    assert_driver(cuLinkCreate(count, options, values, &link));
    assert_non_null(link);
    return link;
}

static CUresult add_text(CUlinkState link, char *text, const char *name)
{
    return cuLinkAddData(link, CU_JIT_INPUT_PTX, text, strlen(text) + 1, name, 0, NULL, NULL);
}

TEST_BODY(driver_link_of_one_text_is_that_text)
{
    CUlinkState link = new_link(0, NULL, NULL);
    void *code = NULL, *again = NULL;
    size_t bytes = 0;
    assert_driver(add_text(link, calls_twice, "one"));
    assert_driver(cuLinkComplete(link, &code, &bytes));
    assert_string_equal(code, calls_twice);
    assert_int_equal(bytes, sizeof calls_twice);
    assert_driver(cuLinkComplete(link, &again, NULL));
    assert_ptr_equal(again, code);
    assert_int_equal(add_text(link, has_twice, "late"), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuLinkDestroy(link));
    assert_int_equal(cuLinkDestroy(link), CUDA_ERROR_INVALID_HANDLE);
}

static int run_linked(const void *code)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    int value = 100;
    void *arguments[] = {&memory};
    assert_driver(cuModuleLoadData(&module, code));
    assert_driver(cuModuleGetFunction(&function, module, "run"));
    assert_driver(cuMemAlloc(&memory, sizeof value));
    assert_driver(cuMemcpyHtoD(memory, &value, sizeof value));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    assert_driver(cuMemcpyDtoH(&value, memory, sizeof value));
    assert_driver(cuMemFree(memory));
    assert_driver(cuModuleUnload(module));
    return value;
}

/* Each text's own $str stays its own; the function and the variable are the other text's. */
TEST_BODY(driver_link_joins_texts)
{
    for (int order = 0; order < 2; order++) {
        CUlinkState link = new_link(0, NULL, NULL);
        void *code = NULL;
        assert_driver(add_text(link, order == 0 ? calls_twice : has_twice, "one"));
        assert_driver(add_text(link, order == 0 ? has_twice : calls_twice, NULL));
        assert_driver(cuLinkComplete(link, &code, NULL));
        assert_int_equal(run_linked(code), 100 * 2 + 5 + 1 + 104);
        assert_driver(cuLinkDestroy(link));
    }
}

TEST_BODY(driver_link_takes_files_and_fat_binaries)
{
    char path[] = "/tmp/clem-link-XXXXXX";
    struct fatbin fatbin;
    void *code = NULL;
    fatbin_begin(&fatbin);
    fatbin_add_text(&fatbin, 52, has_twice);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, calls_twice, sizeof calls_twice - 1), sizeof calls_twice - 1);
    close(fd);
    CUlinkState link = new_link(0, NULL, NULL);
    CUresult result = cuLinkAddFile(link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL);
    unlink(path);
    assert_driver(result);
    for (int type = 0; type < CU_JIT_NUM_INPUT_TYPES - 1;
         type++) /* whatever it would be: all but NVVM */
        assert_int_equal(cuLinkAddFile(link, (CUjitInputType)type, path, 0, NULL, NULL),
                         CUDA_ERROR_FILE_NOT_FOUND);
    assert_driver(cuLinkAddData(link, CU_JIT_INPUT_FATBINARY, fatbin.bytes, fatbin.size, "fat", 0,
                                NULL, NULL));
    assert_driver(cuLinkComplete(link, &code, NULL));
    assert_int_equal(run_linked(code), 310);
    assert_driver(cuLinkDestroy(link));
}

/* What other compilers than NVIDIA's call for a grid's barrier: each block counts what all had written before it. */
TEST_BODY(driver_link_has_the_barrier_of_a_grid)
{
    static char meets[] =
        HEAD ".extern .func (.param .b64 h) cudaCGGetIntrinsicHandle(.param .b32 s);\n"
             ".extern .func (.param .b32 e) cudaCGSynchronize(.param .b64 h, .param .b32 f);\n"
             ".visible .entry meet(.param .u64 out)\n{\n"
             "    .reg .pred %p;\n    .reg .b32 %r<4>;\n    .reg .b64 %rd<6>;\n"
             "    { .param .b32 s; .param .b64 h; st.param.b32 [s], 1;\n"
             "      call.uni (h), cudaCGGetIntrinsicHandle, (s); ld.param.b64 %rd1, [h]; }\n"
             "    ld.param.u64 %rd2, [out];\n    cvta.to.global.u64 %rd2, %rd2;\n"
             "    atom.global.add.u32 %r1, [%rd2], 1;\n"
             "    { .param .b64 h; .param .b32 f; .param .b32 e; st.param.b64 [h], %rd1; "
             "st.param.b32 [f], 0;\n"
             "      call.uni (e), cudaCGSynchronize, (h, f); ld.param.b32 %r2, [e]; }\n"
             "    ld.volatile.global.u32 %r1, [%rd2];\n    add.u32 %r1, %r1, %r2;\n"
             "    mov.u32 %r3, %ctaid.x;\n    mul.wide.u32 %rd3, %r3, 4;\n    add.s64 %rd3, %rd2, "
             "%rd3;\n"
             "    st.global.u32 [%rd3+4], %r1;\n    ret;\n}\n";
    enum { BLOCKS = 3, THREADS = 33 };
    int values[1 + BLOCKS] = {0}, is_possible = 0;
    clemDeviceInfo info;
    CUlinkState link = new_link(0, NULL, NULL);
    CUmodule module = NULL;
    CUfunction function = NULL;
    void *code = NULL;
    assert_driver(cuDeviceGetAttribute(&is_possible, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0));
    assert_driver(add_text(link, meets, "meets"));
    assert_driver(cuLinkComplete(link, &code, NULL));
    assert_int_equal(clemGetDeviceInfo(&info, 0), cudaSuccess);
    if (!is_possible || info.address == clemAddressHandle)
        TEST_SKIP("no barrier of a grid");
    CUdeviceptr memory = driver_allocate(sizeof values);
    void *arguments[] = {&memory};
    assert_driver(cuModuleLoadData(&module, code));
    assert_driver(cuLinkDestroy(link));
    assert_driver(cuModuleGetFunction(&function, module, "meet"));
    assert_driver(cuMemsetD32(memory, 0, 1 + BLOCKS));
    assert_driver(
        cuLaunchCooperativeKernel(function, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, arguments));
    assert_driver(cuMemcpyDtoH(values, memory, sizeof values));
    for (int i = 0; i <= BLOCKS; i++)
        assert_int_equal(values[i], BLOCKS * THREADS);
    /* Not a cooperative one: there is nothing to meet at. */
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    assert_driver(cuMemcpyDtoH(values, memory, sizeof values));
    assert_int_equal(values[1], BLOCKS * THREADS + 1 + CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuMemFree(memory));
    assert_driver(cuModuleUnload(module));
}

/* What nvcc -dc makes, and an archive of it: containers at even bytes among much else. */
TEST_BODY(driver_link_takes_objects_and_archives)
{
    static unsigned char object[2 * sizeof(struct fatbin)];
    struct fatbin first, second;
    void *code = NULL;
    fatbin_begin(&first);
    fatbin_add_text(&first, 52, has_twice);
    fatbin_begin(&second);
    fatbin_add_text(&second, 52, calls_twice);
    memcpy(object, (const unsigned char[]){0x7f, 'E', 'L', 'F'}, 4);
    memcpy(object + 6, first.bytes, 3); /* not yet a magic number */
    memcpy(object + 26, first.bytes, first.size);
    CUlinkState link = new_link(0, NULL, NULL);
    assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_OBJECT, object, 26 + first.size - 1,
                                   "cut off", 0, NULL, NULL),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    memcpy(object + 32 + first.size, second.bytes, second.size);
    assert_driver(
        cuLinkAddData(link, CU_JIT_INPUT_LIBRARY, object, sizeof object, "two", 0, NULL, NULL));
    assert_driver(cuLinkComplete(link, &code, NULL));
    assert_int_equal(run_linked(code), 310);
    assert_driver(cuLinkDestroy(link));
}

/* clang's objects have the text itself, of any length, with a zero behind. */
TEST_BODY(driver_link_takes_objects_of_bare_text)
{
    static const char banner[] = "//\n// Generated by LLVM NVPTX Back-End\n//\n";
    char object[4096] = "\177ELF";
    void *code = NULL;
    for (int blanks = 0; blanks < 2; blanks++) {
        CUlinkState link = new_link(0, NULL, NULL);
        memset(object + 4, 0, sizeof object - 4);
        const int first = snprintf(object + 64, 1900, "%s%s%.*s", banner, has_twice, blanks, " ");
        snprintf(object + 2048, 2048, "%s%s", banner, calls_twice);
        assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_OBJECT, object, (size_t)first + 64,
                                       "no end", 0, NULL, NULL),
                         CUDA_ERROR_NO_BINARY_FOR_GPU);
        assert_driver(
            cuLinkAddData(link, CU_JIT_INPUT_OBJECT, object, sizeof object, "two", 0, NULL, NULL));
        assert_driver(cuLinkComplete(link, &code, NULL));
        assert_int_equal(run_linked(code), 310);
        assert_driver(cuLinkDestroy(link));
    }
}

/* Programs print both whatever came of it. */
TEST_BODY(driver_link_ends_both_logs)
{
    char errors[64], words[64];
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        void *values[] = {words, (void *)sizeof words, errors, (void *)sizeof errors};
        void *code = NULL;
        memset(errors, 'x', sizeof errors);
        memset(words, 'x', sizeof words);
        CUlinkState link = new_link(4, options, values);
        assert_driver(add_text(link, has_twice, "first.ptx"));
        assert_driver(add_text(link, is_wrong ? has_twice : calls_twice, "second.ptx"));
        assert_int_equal(cuLinkComplete(link, &code, NULL) != CUDA_SUCCESS, is_wrong);
        assert_string_equal(words, "");
        assert_int_equal((uintptr_t)values[1], 0);
        assert_non_null(memchr(errors, 0, sizeof errors));
        assert_int_equal((uintptr_t)values[3], strlen(errors));
        assert_int_equal(strlen(errors) > 0, is_wrong);
        assert_driver(cuLinkDestroy(link));
    }
}

/* What the value of CU_JIT_WALL_TIME holds: a float in its first bytes. */
static float milliseconds_of(void *const *value)
{
    float milliseconds;
    memcpy(&milliseconds, value, sizeof milliseconds);
    return milliseconds;
}

TEST_BODY(driver_link_tells_the_time)
{
    CUjit_option option = CU_JIT_WALL_TIME;
    for (int is_wrong = 0; is_wrong < 2; is_wrong++) {
        void *value = (void *)(uintptr_t)-1, *code = NULL;
        CUlinkState link = new_link(1, &option, &value);
        assert_driver(add_text(link, has_twice, "first.ptx"));
        const float after_one = milliseconds_of(&value);
        assert_true(after_one > 0.0f && after_one < 60000.0f);
        assert_driver(add_text(link, is_wrong ? has_twice : calls_twice, "second.ptx"));
        assert_int_equal(cuLinkComplete(link, &code, NULL) != CUDA_SUCCESS, is_wrong);
        assert_true(milliseconds_of(&value) > after_one && milliseconds_of(&value) < 60000.0f);
        assert_driver(cuLinkDestroy(link));
    }
}

TEST_BODY(driver_link_names_what_is_defined_twice)
{
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log}, *code = NULL;
    CUlinkState link = new_link(2, options, values);
    assert_driver(add_text(link, has_twice, "first.ptx"));
    assert_driver(add_text(link, has_twice, "second.ptx"));
    assert_int_equal(cuLinkComplete(link, &code, NULL), CUDA_ERROR_INVALID_IMAGE);
    assert_non_null(strstr(log, "twice is defined in first.ptx and in second.ptx"));
    assert_int_equal((uintptr_t)values[1], strlen(log));
    assert_null(code);
    assert_driver(cuLinkDestroy(link));
}

TEST_BODY(driver_link_refuses_what_it_cannot_link)
{
    static char no_ptx[] = "kernel void k(global int *p) {}";
    struct fatbin fatbin;
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log}, *code = NULL;
    CUlinkState link = new_link(2, options, values);
    fatbin_of_machine_code(&fatbin);
    assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_FATBINARY, fatbin.bytes, fatbin.size, "fat",
                                   0, NULL, NULL),
                     CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_non_null(strstr(log, "code=compute_75"));
    assert_int_equal(add_text(link, no_ptx, NULL), CUDA_ERROR_INVALID_PTX);
    assert_int_equal(
        cuLinkAddData(link, CU_JIT_INPUT_CUBIN, no_ptx, sizeof no_ptx, NULL, 0, NULL, NULL),
        CUDA_ERROR_NO_BINARY_FOR_GPU);
    assert_int_equal(
        cuLinkAddData(link, CU_JIT_INPUT_NVVM, no_ptx, sizeof no_ptx, NULL, 0, NULL, NULL),
        CUDA_ERROR_NOT_SUPPORTED);
    assert_int_equal(
        cuLinkAddData(link, CU_JIT_NUM_INPUT_TYPES, no_ptx, sizeof no_ptx, NULL, 0, NULL, NULL),
        CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_PTX, NULL, 4, NULL, 0, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLinkAddData(link, CU_JIT_INPUT_PTX, no_ptx, 0, NULL, 0, NULL, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLinkComplete(link, &code, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLinkComplete(link, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuLinkCreate(0, NULL, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuLinkDestroy(link));
    assert_int_equal(cuLinkComplete(NULL, &code, NULL), CUDA_ERROR_INVALID_HANDLE);
}

TEST_BODY(driver_link_logs_what_is_wrong_with_a_text)
{
    static char bad[] = HEAD ".visible .entry broken()\n{\n    ret\n}\n";
    char log[256] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)sizeof log};
    CUlinkState link = new_link(2, options, values);
    void *code = NULL;
    assert_driver(add_text(link, bad, "bad.ptx"));
    assert_int_equal(cuLinkComplete(link, &code, NULL), CUDA_ERROR_INVALID_PTX);
    assert_non_null(strstr(log, "line 7"));
    assert_null(code);
    assert_driver(cuLinkDestroy(link));
}
