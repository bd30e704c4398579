/* Modules on a driver that takes PTX as it is. The driver here knows three kernels by their names, and gives their OpenCL C
 * to the real one: what is tested is what libclem hands to it, and what it does where that fails.
 * SPDX-License-Identifier: Apache-2.0 */
#include <cuda.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fault/opencl.h"
#include "tests/test.h"

#define assert_driver(call) assert_int_equal((call), CUDA_SUCCESS)

/* ---- The driver ---- */

/* What the self-test's kernel must do; the second stores other values. */
static const char trial[] =
    "struct pair { uint word[4]; };\n"
    "kernel void clem_trial(ulong out, struct pair pair, local uint *dynamic)\n"
    "{\n"
    "    const uint t = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0)"
    " + get_local_id(0);\n"
    "    const uint b = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * "
    "get_num_groups(0) + get_group_id(0);\n"
    "    const uint from = t ^ 1 ^ 63;\n"
    "    dynamic[t] = t * 7 + pair.word[0];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    ((global uint *)out)[b * 64 + t] = dynamic[from] + b * 1000 + from + pair.word[2] + "
    "WRONG;\n"
    "}\n";

static _Atomic int modules_taken, is_trial_wrong, refuses_modules;
static char last_module[4096];

static char *joined(const char *a, const char *b, const char *c)
{
    char *text = malloc(strlen(a) + strlen(b) + strlen(c) + 1);
    if (text != NULL)
        stpcpy(stpcpy(stpcpy(text, a), b), c);
    return text;
}

/* The module of the tests; the address of its variable is the number that stands in its place. */
static char *translate(const char *ptx)
{
    char address[32] = "0";
    if (strstr(ptx, "clem_trial") != NULL)
        return joined(is_trial_wrong ? "#define WRONG 1\n" : "#define WRONG 0\n", trial, "");
    modules_taken++;
    strncpy(last_module, ptx, sizeof last_module - 1);
    const char *place = strstr(ptx, "%clem_address0, 0x");
    if (refuses_modules)
        return NULL;
    if (place != NULL) {
        place = strchr(place, ' ') + 1;
        snprintf(address, sizeof address, "%.*s", (int)strcspn(place, ";"), place);
    }
    return joined(
        "#define COUNTER ", address,
        "ul\nstruct three { uint word[3]; };\n"
        "kernel void bump(ulong out, struct three s, local uint *dynamic)\n"
        "{\n"
        "    dynamic[get_local_id(0)] = s.word[get_local_id(0) % 3];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    atomic_add((volatile global uint *)COUNTER, 1u);\n"
        "    ((global uint *)out)[get_local_id(0)] = 1000 + dynamic[get_local_size(0) - 1 "
        "- get_local_id(0)];\n"
        "}\n"
        "kernel void other(uint a, uint b, uint c, uint d) { }\n");
}

/* ---- The module ---- */

/* The kernel is said to store words of s, from the other end; the driver's adds 1000, which shows who ran. `other` has one
 * parameter, and four on the driver; `third` the driver has not. */
static const char module_text[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 5;\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    ".visible .entry bump(.param .u64 .ptr .global .align 4 out, .param .align 4 .b8 s[12])\n{\n"
    ".reg .b32 %r<12>; .reg .b64 %d<8>;\n"
    "ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\nrem.u32 %r2, %r1, 3;\n"
    "mul.wide.u32 %d2, %r2, 4;\nmov.b64 %d3, s;\nadd.u64 %d3, %d3, %d2;\nld.param.u32 %r3, [%d3];\n"
    "mov.u32 %r4, dynamic;\nshl.b32 %r5, %r1, 2;\nadd.u32 %r6, %r4, %r5;\n"
    "st.shared.u32 [%r6], %r3;\nbar.sync 0;\n"
    "atom.global.add.u32 %r7, [counter], 1;\n"
    "mov.u32 %r8, %ntid.x;\nsub.u32 %r8, %r8, %r1;\nsub.u32 %r8, %r8, 1;\nshl.b32 %r8, %r8, 2;\n"
    "add.u32 %r8, %r8, %r4;\nld.shared.u32 %r9, [%r8];\n"
    "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\nst.global.u32 [%d1], %r9;\nret;\n}\n"
    ".visible .entry other(.param .u64 out)\n{\n"
    ".reg .b64 %d;\nld.param.u64 %d, [out];\nst.global.u32 [%d], 77;\nret;\n}\n"
    ".visible .entry third(.param .u64 out)\n{\n"
    ".reg .b64 %d;\nld.param.u64 %d, [out];\nst.global.u32 [%d], 78;\nret;\n}\n";

enum { THREADS = 8 };

/* Not every strategy has addresses; then nothing goes this way. */
static void begin(const char *way)
{
    CUcontext context = NULL;
    const char *strategy = getenv("CLEM_ADDRESS");
    if (strategy != NULL && strcmp(strategy, "handle") == 0)
        TEST_SKIP("kernels have no addresses");
    setenv("CLEM_PTX", way, 1);
    fault_take_ptx(translate);
    assert_driver(cuInit(0));
    assert_driver(cuDevicePrimaryCtxRetain(&context, 0));
    assert_driver(cuCtxSetCurrent(context));
}

static CUmodule load(void)
{
    CUmodule module = NULL;
    assert_driver(cuModuleLoadData(&module, module_text));
    return module;
}

/* What a launch adds to what the text says: 1000 by the driver's kernel. */
static unsigned run_bump(CUmodule module)
{
    static const unsigned words[3] = {11, 22, 33};
    unsigned out[THREADS] = {0};
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    void *arguments[] = {&memory, (void *)(uintptr_t)words};
    assert_driver(cuModuleGetFunction(&function, module, "bump"));
    assert_driver(cuMemAlloc(&memory, sizeof out));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, THREADS * sizeof *out, NULL,
                                 arguments, NULL));
    assert_driver(cuMemcpyDtoH(out, memory, sizeof out));
    assert_driver(cuMemFree(memory));
    const unsigned more = out[0] - words[(THREADS - 1) % 3];
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(out[i], words[(THREADS - 1 - i) % 3] + more);
    return more;
}

static unsigned counter_of(CUmodule module)
{
    CUdeviceptr address = 0;
    size_t bytes = 0;
    unsigned value = 0;
    assert_driver(cuModuleGetGlobal(&address, &bytes, module, "counter"));
    assert_int_equal(bytes, sizeof value);
    assert_driver(cuMemcpyDtoH(&value, address, sizeof value));
    return value;
}

static unsigned run_storing(CUmodule module, const char *name)
{
    unsigned value = 0;
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    void *arguments[] = {&memory};
    assert_driver(cuModuleGetFunction(&function, module, name));
    assert_driver(cuMemAlloc(&memory, sizeof value));
    assert_driver(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    assert_driver(cuMemcpyDtoH(&value, memory, sizeof value));
    assert_driver(cuMemFree(memory));
    return value;
}

TEST_BODY(ptx_binary_runs_whole_modules)
{
    begin("binary");
    CUmodule module = load();
    assert_int_equal(run_bump(module), 1000);
    assert_int_equal(run_bump(module), 1000);
    assert_int_equal(modules_taken, 1);
    assert_int_equal(counter_of(module), 5 + 2 * THREADS);
    assert_null(strstr(last_module, ".global .align"));
    assert_null(strstr(last_module, ".extern"));
    assert_null(strstr(last_module, ".ptr .global"));
    assert_driver(cuModuleUnload(module));
    assert_driver(cuDevicePrimaryCtxReset(0));
    assert_int_equal(fault_live_objects(), 0);
}

TEST_BODY(ptx_binary_kernels_tell_the_same)
{
    size_t offset = 0, bytes = 0;
    int value = 0;
    CUfunction function = NULL;
    begin("binary");
    CUmodule module = load();
    assert_driver(cuModuleGetFunction(&function, module, "bump"));
    assert_driver(cuFuncGetParamInfo(function, 1, &offset, &bytes));
    assert_int_equal(offset, 8);
    assert_int_equal(bytes, 12);
    assert_int_equal(cuFuncGetParamInfo(function, 2, &offset, &bytes), CUDA_ERROR_INVALID_VALUE);
    assert_driver(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
    assert_int_equal(value, 0);
    assert_driver(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    assert_int_equal(value, 1024);
    assert_int_equal(modules_taken, 1);
}

TEST_BODY(ptx_binary_translates_kernels_that_do_not_fit)
{
    begin("binary");
    CUmodule module = load();
    assert_int_equal(run_storing(module, "other"), 77);
    assert_int_equal(run_storing(module, "third"), 78);
    assert_int_equal(run_bump(module), 1000);
    assert_int_equal(modules_taken, 1);
}

TEST_BODY(ptx_binary_translates_modules_that_are_refused)
{
    refuses_modules = 1;
    begin("binary");
    CUmodule module = load();
    assert_int_equal(run_bump(module), 0);
    assert_int_equal(run_bump(module), 0);
    assert_int_equal(counter_of(module), 5 + 2 * THREADS);
    assert_int_equal(modules_taken, 1);
}

TEST_BODY(ptx_binary_needs_right_values)
{
    is_trial_wrong = 1;
    begin("binary");
    assert_int_equal(run_bump(load()), 0);
    assert_int_equal(modules_taken, 0);
}

TEST_BODY(ptx_binary_can_be_forbidden)
{
    begin("text");
    assert_int_equal(run_bump(load()), 0);
    assert_int_equal(modules_taken, 0);
}

static void *run_in_thread(void *module)
{
    CUcontext context = NULL;
    if (cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS)
        return NULL;
    for (int i = 0; i < 5; i++)
        if (run_bump(module) != 1000)
            return NULL;
    return module;
}

TEST_BODY(ptx_binary_is_built_once_for_many_threads)
{
    enum { COUNT = 6 };
    pthread_t threads[COUNT];
    begin("binary");
    CUmodule module = load();
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, module), 0);
    for (int i = 0; i < COUNT; i++) {
        void *result = NULL;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, module);
    }
    assert_int_equal(modules_taken, 1);
    assert_int_equal(counter_of(module), 5 + COUNT * 5 * THREADS);
}
