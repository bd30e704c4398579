/* What the tests of the driver API share: a current context, a module of small kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FACADE_DRIVER_SUPPORT_H
#define TESTS_FACADE_DRIVER_SUPPORT_H

#include <string.h>

#include "tests/test.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#define assert_driver(call) assert_int_equal((call), CUDA_SUCCESS)

static const char driver_kernels[] =
    "kernel void store(global int *out, int value) { out[get_global_id(0)] = value; }\n"
    "kernel void mixed(global long *out, char a, short b, int c, long d) {\n"
    "    out[0] = a; out[1] = b; out[2] = c; out[3] = d;\n"
    "}\n"
    "kernel void reverse(global int *out, local int *scratch, int n) {\n"
    "    int i = (int)get_local_id(0);\n"
    "    scratch[i] = i;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = scratch[n - 1 - i];\n"
    "}\n";

/* The first device's primary context, retained and current. */
static inline CUcontext driver_use_primary(void)
{
    CUcontext context = NULL;
    assert_driver(cuInit(0));
    assert_driver(cuDevicePrimaryCtxRetain(&context, 0));
    assert_driver(cuCtxSetCurrent(context));
    return context;
}

static inline CUfunction driver_function(const char *name)
{
    static _Thread_local CUmodule module;
    CUfunction function = NULL;
    if (module == NULL)
        assert_driver(cuModuleLoadData(&module, driver_kernels));
    assert_driver(cuModuleGetFunction(&function, module, name));
    return function;
}

/* A kernel with a module of its own, which is loaded when it is first asked for. */
struct driver_text {
    const char *name, *text;
};

static inline CUfunction driver_kernel(const struct driver_text *texts, CUmodule *modules,
                                       size_t count, const char *name)
{
    CUfunction function = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(texts[i].name, name) != 0)
            continue;
        if (!modules[i])
            assert_driver(cuModuleLoadData(&modules[i], texts[i].text));
        assert_driver(cuModuleGetFunction(&function, modules[i], name));
    }
    assert_non_null(function);
    return function;
}

static inline CUdeviceptr driver_allocate(size_t bytes)
{
    CUdeviceptr address = 0;
    assert_driver(cuMemAlloc(&address, bytes));
    return address;
}

static inline void fill_with(unsigned char *bytes, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(seed >> 24);
    }
}

/* The word there, whatever other streams are at. */
static inline unsigned word_at(CUdeviceptr memory)
{
    unsigned word = 77;
    CUstream aside = NULL;
    assert_driver(cuStreamCreate(&aside, CU_STREAM_NON_BLOCKING));
    assert_driver(cuMemcpyDtoHAsync(&word, memory, sizeof word, aside));
    assert_driver(cuStreamSynchronize(aside));
    assert_driver(cuStreamDestroy(aside));
    return word;
}

#endif
