/* Semantics of driver modules, libraries and functions.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../oracle.h"

void case_driver_module_load(void)
{
    CUmodule m = NULL;
    CUfunction f = NULL;
    CUfunction again = NULL;
    CUdeviceptr p = 0;
    size_t bytes = 0;
    unsigned count = 77;
    make_driver_context();
    DRIVER(cuModuleLoadData(NULL, NULL));
    DRIVER(cuModuleLoadData(&m, NULL));
    DRIVER_AS(cuModuleLoadData(NULL, kernel_source()), "NULL output");
    DRIVER(cuModuleLoadData(&m, ""));
    DRIVER(cuModuleLoadData(&m, "this is no program {"));
    DRIVER(cuModuleLoad(&m, NULL));
    DRIVER(cuModuleLoad(NULL, NULL));
    DRIVER(cuModuleLoad(&m, "/nonexistent/file"));
    DRIVER(cuModuleLoadFatBinary(&m, NULL));
    VALUE(m == NULL, "untouched");
    DRIVER_AS(cuModuleLoadDataEx(&m, kernel_source(), 1, NULL, NULL), "1 option, NULL lists");
    DRIVER_AS(cuModuleLoadData(&m, kernel_source()), "good text");
    DRIVER(cuModuleGetFunction(NULL, NULL, NULL));
    DRIVER(cuModuleGetFunction(&f, NULL, "noop"));
    DRIVER(cuModuleGetFunction(&f, m, NULL));
    DRIVER(cuModuleGetFunction(NULL, m, "noop"));
    DRIVER(cuModuleGetFunction(&f, m, "missing"));
    DRIVER(cuModuleGetFunction(NULL, m, "missing"));
    DRIVER(cuModuleGetFunction(&f, m, ""));
    VALUE(f == NULL, "function untouched");
    DRIVER(cuModuleGetFunction(&f, m, "noop"));
    DRIVER(cuModuleGetFunction(&again, m, "noop"));
    VALUE(f == again, "same handle twice");
    DRIVER(cuModuleGetFunctionCount(NULL, m));
    DRIVER(cuModuleGetFunctionCount(&count, NULL));
    DRIVER(cuModuleGetFunctionCount(&count, m));
    VALUE(count, "count");
    CUfunction list[64] = {0};
    DRIVER(cuModuleEnumerateFunctions(NULL, 1, m));
    DRIVER(cuModuleEnumerateFunctions(list, 64, m));
    DRIVER(cuModuleEnumerateFunctions(list, 0, m));
    DRIVER(cuModuleGetGlobal(&p, &bytes, m, "missing"));
    DRIVER(cuModuleGetGlobal(NULL, NULL, m, "missing"));
    DRIVER(cuModuleGetGlobal(&p, &bytes, m, NULL));
    DRIVER(cuModuleUnload(m));
    DRIVER(cuModuleUnload(NULL));
    DRIVER_AS(cuModuleUnload(m), "unload twice");
    DRIVER_AS(cuModuleGetFunction(&f, m, "noop"), "function of an unloaded module");
    CUmoduleLoadingMode mode = (CUmoduleLoadingMode)77;
    DRIVER(cuModuleGetLoadingMode(NULL));
    DRIVER(cuModuleGetLoadingMode(&mode));
    DEVICE_VALUE(mode, "loading mode");
}

void case_driver_module_jit_options(void)
{
    CUmodule m = NULL;
    static char log[4096];
    static char errors[4096];
    make_driver_context();
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                              CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log, errors, (void *)(uintptr_t)sizeof errors};
    DRIVER_AS(cuModuleLoadDataEx(&m, kernel_source(), 4, options, values), "good text");
    values[1] = (void *)(uintptr_t)sizeof log;
    values[3] = (void *)(uintptr_t)sizeof errors;
    DRIVER_AS(cuModuleLoadDataEx(&m, "this is no program {", 4, options, values), "garbage");
    VALUE(errors[0] != '\0', "the error log is filled");
    DEVICE_TEXT(errors, "error log");
    CUjit_option bad = (CUjit_option)9999;
    DRIVER_AS(cuModuleLoadDataEx(&m, kernel_source(), 1, &bad, values), "option 9999");
}

void case_driver_module_library(void)
{
    CUlibrary l = NULL;
    CUkernel k = NULL;
    CUfunction f = NULL;
    CUmodule m = NULL;
    unsigned count = 77;
    int n = 77;
    const char *name = NULL;
    size_t offset = 0;
    size_t size = 0;
    make_driver_context();
    DRIVER(cuLibraryLoadData(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0));
    DRIVER(cuLibraryLoadData(&l, NULL, NULL, NULL, 0, NULL, NULL, 0));
    DRIVER(cuLibraryLoadData(&l, "this is no program {", NULL, NULL, 0, NULL, NULL, 0));
    DRIVER_AS(cuLibraryGetKernel(&k, l, "noop"), "kernel of garbage");
    DRIVER(cuLibraryLoadFromFile(&l, "/nonexistent/file", NULL, NULL, 0, NULL, NULL, 0));
    DRIVER_AS(cuLibraryLoadData(&l, kernel_source(), NULL, NULL, 0, NULL, NULL, 0), "good text");
    DRIVER(cuLibraryGetKernel(NULL, NULL, NULL));
    DRIVER(cuLibraryGetKernel(&k, NULL, "noop"));
    DRIVER(cuLibraryGetKernel(&k, l, NULL));
    DRIVER(cuLibraryGetKernel(&k, l, "missing"));
    DRIVER(cuLibraryGetKernel(&k, l, "add_value"));
    DRIVER(cuLibraryGetKernelCount(NULL, l));
    DRIVER(cuLibraryGetKernelCount(&count, l));
    VALUE(count, "count");
    DRIVER(cuLibraryGetModule(NULL, l));
    DRIVER(cuLibraryGetModule(&m, NULL));
    DRIVER(cuLibraryGetModule(&m, l));
    DRIVER(cuKernelGetFunction(NULL, k));
    DRIVER(cuKernelGetFunction(&f, NULL));
    DRIVER(cuKernelGetFunction(&f, k));
    DRIVER(cuKernelGetName(NULL, k));
    DRIVER(cuKernelGetName(&name, NULL));
    DRIVER(cuKernelGetName(&name, k));
    TEXT(name, "name");
    DRIVER(cuKernelGetParamInfo(k, 1, &offset, &size));
    VALUE((long long)(offset * 100 + size), "parameter 1");
    DRIVER(cuKernelGetParamInfo(k, 3, &offset, &size));
    DRIVER(cuKernelGetParamInfo(k, 0, NULL, &size));
    DRIVER(cuKernelGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0));
    DRIVER(cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, k, -1));
    DRIVER(cuKernelGetAttribute(&n, (CUfunction_attribute)99, k, 0));
    DRIVER(cuKernelGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0));
    DRIVER(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, k, 0));
    DRIVER(cuKernelSetAttribute((CUfunction_attribute)99, 1024, k, 0));
    DRIVER(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, 0));
    CUlibrary owner = NULL;
    DRIVER(cuKernelGetLibrary(&owner, k));
    VALUE(owner == l, "the kernel's library");
    DRIVER(cuLibraryUnload(l));
    DRIVER(cuLibraryUnload(NULL));
}

void case_driver_module_function(void)
{
    CUmodule m = NULL;
    CUmodule owner = NULL;
    CUfunction f = NULL;
    int n = 77;
    const char *name = NULL;
    size_t offset = 77;
    size_t size = 77;
    CUfunctionLoadingState loading = (CUfunctionLoadingState)77;
    make_driver_context();
    REQUIRE_DRIVER(cuModuleLoadData(&m, kernel_source()));
    REQUIRE_DRIVER(cuModuleGetFunction(&f, m, "add_value"));
    DRIVER(cuFuncGetAttribute(NULL, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    DRIVER(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL));
    DRIVER(cuFuncGetAttribute(&n, (CUfunction_attribute)99, f));
    DRIVER(cuFuncGetAttribute(&n, (CUfunction_attribute)(-1), f));
    DRIVER(cuFuncGetAttribute(NULL, (CUfunction_attribute)99, NULL));
    for (int i = 0; i <= 15; i++) {
        DRIVER_AS(cuFuncGetAttribute(&n, (CUfunction_attribute)i, f), "attribute %d", i);
        DEVICE_VALUE(n, "attribute %d: value", i);
    }
    DRIVER(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024));
    DRIVER(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
    DRIVER(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 30));
    DRIVER(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS, 1));
    DRIVER(cuFuncSetAttribute(f, (CUfunction_attribute)99, 1));
    DRIVER(cuFuncSetAttribute(NULL, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1));
    DRIVER(cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
    DRIVER(cuFuncSetCacheConfig(f, (CUfunc_cache)99));
    DRIVER(cuFuncGetModule(&owner, f));
    VALUE(owner == m, "the function's module");
    DRIVER(cuFuncGetModule(NULL, f));
    DRIVER(cuFuncGetName(&name, f));
    TEXT(name, "name");
    DRIVER(cuFuncGetName(NULL, f));
    DRIVER(cuFuncGetName(&name, NULL));
    DRIVER(cuFuncGetParamInfo(f, 2, &offset, &size));
    VALUE((long long)(offset * 100 + size), "parameter 2");
    DRIVER(cuFuncGetParamInfo(f, 3, &offset, &size));
    DRIVER(cuFuncGetParamInfo(f, 0, NULL, NULL));
    DRIVER(cuFuncGetParamInfo(f, 0, &offset, NULL));
    DRIVER(cuFuncLoad(f));
    DRIVER(cuFuncIsLoaded(&loading, f));
    VALUE(loading, "loaded");
    DRIVER(cuFuncIsLoaded(NULL, f));
    int blocks = 77;
    DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 128, 0));
    DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 0, 0));
    DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, f, 128, 0));
    DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, NULL, 128, 0));
    int grid = 0;
    int block = 0;
    DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 0, 0));
    DEVICE_VALUE(block, "potential block size");
    DRIVER(cuOccupancyMaxPotentialBlockSize(NULL, &block, f, NULL, 0, 0));
    DRIVER(cuOccupancyMaxPotentialBlockSize(&grid, &block, NULL, NULL, 0, 0));
    DRIVER(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, f, NULL, 0, 0, 99));
}
