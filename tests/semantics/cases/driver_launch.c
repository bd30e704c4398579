/* Semantics of driver launches.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>
#include <string.h>

#include "../oracle.h"

static CUfunction noop, store;
static CUdeviceptr d;

static void make_functions(void)
{
    CUmodule m = NULL;
    make_driver_context();
    REQUIRE_DRIVER(cuModuleLoadData(&m, kernel_source()));
    REQUIRE_DRIVER(cuModuleGetFunction(&noop, m, kernel_name(KERNEL_NOOP)));
    REQUIRE_DRIVER(cuModuleGetFunction(&store, m, kernel_name(KERNEL_STORE)));
    REQUIRE_DRIVER(cuMemAlloc(&d, 4096));
    REQUIRE_DRIVER(cuMemsetD8(d, 0, 4096));
}

static int stored(void)
{
    int value = 77;
    REQUIRE_DRIVER(cuMemcpyDtoH(&value, d, sizeof value));
    return value;
}

void case_driver_launch_sizes(void)
{
    CUstream bogus = (CUstream)(uintptr_t)3;
    make_functions();
    DRIVER_TRY(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(NULL, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 1, 1, 1, 0, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 1, 1, 1, 1025, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 1, 1, 1, 1, 1, 65, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 1, 65536, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, UINT_MAX, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 1, 1, 1, 1, 1, 1, 1 << 24, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 0, 1, 1, 1, 1, 1, 1 << 24, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 1, 1, 1, 1, 1, 1, 0, CU_STREAM_PER_THREAD, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 1, 1, 1, 1, 1, 1, 0, bogus, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(noop, 0, 1, 1, 1, 1, 1, 0, bogus, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchKernel(store, 0, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    DRIVER_TRY(cuLaunchCooperativeKernel(noop, 1, 1, 1, 1, 1, 1, 0, NULL, NULL));
    DRIVER_TRY(cuLaunchCooperativeKernel(noop, 0, 1, 1, 1, 1, 1, 0, NULL, NULL));
    CUlaunchConfig c = {0};
    DRIVER_TRY(cuLaunchKernelEx(NULL, noop, NULL, NULL));
    DRIVER_TRY(cuLaunchKernelEx(&c, noop, NULL, NULL));
    DRIVER_TRY(cuLaunchKernelEx(&c, NULL, NULL, NULL));
}

/* The extra form of arguments, whole and spoiled. */
void case_driver_launch_extra(void)
{
    struct {
        CUdeviceptr p;
        int value;
    } arguments;
    make_functions();
    arguments.p = d;
    arguments.value = 5;
    size_t size = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    DRIVER_TRY(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra));
    VALUE(stored(), "stored");
    size = 16;
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), "size 16");
    size = 8;
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), "size 8");
    size = 100;
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), "size 100");
    size = 0;
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra), "size 0");
    size = 12;
    void *reordered[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_BUFFER_POINTER,
                         &arguments, CU_LAUNCH_PARAM_END};
    arguments.value = 6;
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, reordered), "size first");
    VALUE(stored(), "size first: stored");
    void *no_size[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_END};
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, no_size), "no size");
    void *no_buffer[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, no_buffer), "no buffer");
    void *empty[] = {CU_LAUNCH_PARAM_END};
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, empty), "only the end");
    DRIVER_TRY_AS(cuLaunchKernel(noop, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, empty),
                  "only the end, no parameters");
    void *unknown[] = {(void *)(uintptr_t)9, &size, CU_LAUNCH_PARAM_END};
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, unknown), "unknown key");
    int value = 7;
    void *params[] = {&d, &value};
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra), "both forms");
    DRIVER_TRY_AS(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL), "parameters");
    VALUE(stored(), "parameters: stored");
    /* A kernel handle in a function's place. */
    CUlibrary l = NULL;
    CUkernel k = NULL;
    REQUIRE_DRIVER(cuLibraryLoadData(&l, kernel_source(), NULL, NULL, 0, NULL, NULL, 0));
    REQUIRE_DRIVER(cuLibraryGetKernel(&k, l, kernel_name(KERNEL_STORE)));
    value = 8;
    DRIVER_TRY_AS(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
                  "kernel handle");
    VALUE(stored(), "kernel handle: stored");
}
