/* Operations of the driver API: modules, libraries, kernels, launches, linking.
 * SPDX-License-Identifier: Apache-2.0 */
#define __CUDA_API_VERSION_INTERNAL /* names are symbols, and old versions have theirs */
#include "operation.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char code[] =
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) DEVICE(int, counter, ) MANAGED(int, shown, )\n"
    "#include \"clem_symbols.h\"\n"
    "kernel void fill(global int *p, int value) { p[get_global_id(0)] = value; }\n"
    "kernel void count(CLEM_SYMBOLS_PARAMETERS)\n"
    "{ CLEM_DEVICE(counter) += 1; CLEM_MANAGED(shown) = 1; }\n";

static int use_device(void)
{
    int error = 0;
    TRY(cuInit, 0);
    TRY(cudaFree, NULL); /* the primary context is current */
    return error;
}

static int expect_word(CUdeviceptr memory, int expected)
{
    int value = 0, error = 0;
    TRY(cuMemcpyDtoH_v2, &value, memory, sizeof value);
    CHECK(value == expected);
    return error;
}

/* ---- Modules ---- */

/* Writes the code to a file, whose name is a static buffer's. NULL without a file. */
static const char *code_file(const char *text)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/clem-fault-XXXXXX");
    const int file = mkstemp(path);
    if (file < 0)
        return NULL;
    const bool is_written = write(file, text, strlen(text) + 1) > 0;
    close(file);
    return is_written ? path : NULL;
}

static int ask_function(CUfunction function)
{
    CUmodule module = NULL;
    CUfunctionLoadingState state;
    const char *name = NULL;
    size_t offset = 0, size = 0;
    int value = 0, error = 0;
    TRY(cuFuncGetAttribute, &value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function);
    CHECK(value > 0);
    TRY(cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024);
    TRY(cuFuncSetCacheConfig, function, CU_FUNC_CACHE_PREFER_L1);
    TRY(cuFuncSetSharedMemConfig, function, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE);
    TRY(cuFuncGetModule, &module, function);
    TRY(cuFuncGetName, &name, function);
    TRY(cuFuncGetParamInfo, function, 1, &offset, &size);
    TRY(cuFuncIsLoaded, &state, function);
    TRY(cuFuncLoad, function);
    CHECK(strcmp(name, "fill") == 0 && size == 4 && offset == 8);
    return error;
}

static int ask_occupancy(CUfunction function)
{
    int blocks = 0, grid = 0, block = 0, clusters = 0, size_of_cluster = 0, error = 0;
    size_t shared = 0;
    const CUlaunchConfig config = {.gridDimX = 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 64,
                                   .blockDimY = 1,
                                   .blockDimZ = 1};
    TRY(cuOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, function, 64, 0);
    TRY(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, &blocks, function, 64, 0, 0);
    TRY(cuOccupancyMaxPotentialBlockSize, &grid, &block, function, NULL, 0, 0);
    TRY(cuOccupancyMaxPotentialBlockSizeWithFlags, &grid, &block, function, NULL, 0, 0, 0);
    TRY(cuOccupancyAvailableDynamicSMemPerBlock, &shared, function, 1, 64);
    TRY(cuOccupancyMaxPotentialClusterSize, &size_of_cluster, function, &config);
    TRY(cuOccupancyMaxActiveClusters, &clusters, function, &config);
    CHECK(clusters >= blocks && size_of_cluster == 1);
    CHECK(blocks > 0 && grid > 0 && block > 0 && shared > 0);
    return error;
}

/* A launch in the steps of the first versions. */
static int launch_in_steps(CUfunction function, CUdeviceptr memory, int value)
{
    int error = 0;
    TRY(cuFuncSetBlockShape, function, 64, 1, 1);
    TRY(cuFuncSetSharedSize, function, 0);
    TRY(cuParamSetv, function, 0, &memory, sizeof memory);
    TRY(cuParamSetf, function, 8, 0.0f);
    TRY(cuParamSeti, function, 8, (unsigned)value);
    TRY(cuParamSetSize, function, 12);
    TRY(cuLaunch, function);
    TRY(cuLaunchGrid, function, 2, 1);
    TRY(cuLaunchGridAsync, function, 2, 1, NULL);
    return error == 0 ? expect_word(memory + 127 * sizeof(int), value) : error;
}

static int launch(CUfunction function, CUdeviceptr memory)
{
    CUlaunchConfig config = {.gridDimX = 4, .gridDimY = 1, .gridDimZ = 1};
    int value = 42, error = 0;
    void *args[] = {&memory, &value};
    config.blockDimX = 64;
    config.blockDimY = config.blockDimZ = 1;
    TRY(cuLaunchKernel, function, 4, 1, 1, 64, 1, 1, 0, NULL, args, NULL);
    value = 43;
    TRY(cuLaunchKernelEx, &config, function, args, NULL);
    if (error == 0)
        error = expect_word(memory + 255 * sizeof(int), 43);
    if (fault_can_cooperate()) {
        value = 44;
        TRY(cuLaunchCooperativeKernel, function, 4, 1, 1, 64, 1, 1, 0, NULL, args);
        if (error == 0)
            error = expect_word(memory + 255 * sizeof(int), 44);
    }
    return error == 0 ? launch_in_steps(function, memory, value) : error;
}

static int use_module(CUmodule module, CUdeviceptr memory)
{
    CUfunction fill = NULL, all[2] = {NULL, NULL};
    CUdeviceptr counter = 0;
    CUdeviceptr_v1 narrow = 0;
    CUmoduleLoadingMode mode;
    size_t bytes = 0;
    unsigned count = 0, narrow_bytes = 0;
    int error = 0;
    TRY(cuModuleGetLoadingMode, &mode);
    TRY(cuModuleGetFunctionCount, &count, module);
    TRY(cuModuleEnumerateFunctions, all, 2, module);
    TRY(cuModuleGetFunction, &fill, module, "fill");
    CHECK(count == 2 && all[1] != NULL);
    if (error == 0)
        error = ask_function(fill);
    if (error == 0)
        error = ask_occupancy(fill);
    if (error == 0)
        error = launch(fill, memory);
    TRY(cuModuleGetGlobal_v2, &counter, &bytes, module, "counter");
    CHECK(bytes == 4);
    if (error == 0) /* addresses of 64 bits do not fit */
        (void)CALL(cuModuleGetGlobal, &narrow, &narrow_bytes, module, "counter");
    return error;
}

static int load_otherwise(void)
{
    CUmodule modules[3] = {NULL, NULL, NULL};
    const char *path = code_file(code);
    int error = path == NULL ? CUDA_ERROR_OUT_OF_MEMORY : 0;
    TRY(cuModuleLoad, &modules[0], path);
    TRY(cuModuleLoadDataEx, &modules[1], code, 0, NULL, NULL);
    TRY(cuModuleLoadFatBinary, &modules[2], code);
    for (int i = 0; i < 3; i++) {
        if (modules[i] != NULL)
            END(cuModuleUnload, modules[i]);
    }
    if (path != NULL)
        unlink(path);
    return error;
}

int operation_driver_modules(void)
{
    CUmodule module = NULL;
    CUdeviceptr memory = 0;
    int error = use_device();
    TRY(cuMemAlloc_v2, &memory, 256 * sizeof(int));
    TRY(cuModuleLoadData, &module, code);
    if (error == 0)
        error = use_module(module, memory);
    if (module != NULL)
        END(cuModuleUnload, module);
    if (error == 0)
        error = load_otherwise();
    if (memory != 0)
        END(cuMemFree_v2, memory);
    return error;
}

/* ---- Libraries ---- */

static int ask_kernel(CUlibrary library, CUkernel kernel)
{
    CUlibrary same = NULL;
    CUfunction function = NULL;
    const char *name = NULL;
    size_t offset = 0, size = 0;
    int value = 0, error = 0;
    TRY(cuKernelGetLibrary, &same, kernel);
    TRY(cuKernelGetFunction, &function, kernel);
    TRY(cuKernelGetAttribute, &value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0);
    TRY(cuKernelSetAttribute, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024, kernel, 0);
    TRY(cuKernelSetCacheConfig, kernel, CU_FUNC_CACHE_PREFER_L1, 0);
    TRY(cuKernelGetName, &name, kernel);
    TRY(cuKernelGetParamInfo, kernel, 0, &offset, &size);
    CHECK(same == library && value > 0 && size == 8 && strcmp(name, "fill") == 0);
    return error;
}

static int use_library(CUlibrary library)
{
    CUmodule module = NULL;
    CUkernel all[2] = {NULL, NULL}, fill = NULL, count_kernel = NULL;
    CUdeviceptr counter = 0, shown = 0;
    size_t bytes = 0;
    unsigned count = 0;
    void *unified = NULL;
    int error = 0;
    TRY(cuLibraryGetKernelCount, &count, library);
    TRY(cuLibraryEnumerateKernels, all, 2, library);
    TRY(cuLibraryGetModule, &module, library);
    TRY(cuLibraryGetKernel, &fill, library, "fill");
    TRY(cuLibraryGetKernel, &count_kernel, library, "count");
    CHECK(count == 2);
    if (error == 0)
        error = ask_kernel(library, fill);
    TRY(cuLibraryGetGlobal, &counter, &bytes, library, "counter");
    TRY(cuLibraryGetManaged, &shown, &bytes, library, "shown");
    CHECK(CALL(cuLibraryGetUnifiedFunction, &unified, library, "count") != 0);
    TRY(cuLaunchKernel, (CUfunction)count_kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    return error == 0 ? expect_word(counter, 1) : error;
}

int operation_driver_libraries(void)
{
    CUlibrary library = NULL, of_file = NULL;
    cudaLibrary_t of_runtime = NULL;
    const char *path = code_file(code);
    int error = path == NULL ? CUDA_ERROR_OUT_OF_MEMORY : use_device();
    TRY(cuLibraryLoadData, &library, code, NULL, NULL, 0, NULL, NULL, 0);
    if (error == 0)
        error = use_library(library);
    TRY(cuLibraryLoadFromFile, &of_file, path, NULL, NULL, 0, NULL, NULL, 0);
    TRY(cudaLibraryLoadFromFile, &of_runtime, path, NULL, NULL, 0, NULL, NULL, 0);
    if (of_runtime != NULL)
        END(cudaLibraryUnload, of_runtime);
    if (of_file != NULL)
        END(cuLibraryUnload, of_file);
    if (library != NULL)
        END(cuLibraryUnload, library);
    if (path != NULL)
        unlink(path);
    return error;
}

/* ---- Linking ---- */

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"

static char calls_twice[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                                 ".visible .entry run(.param .u64 out)\n"
                                 "{\n"
                                 "    .reg .b32 %r<4>;\n"
                                 "    .reg .b64 %rd<4>;\n"
                                 "    ld.param.u64 %rd1, [out];\n"
                                 "    cvta.to.global.u64 %rd2, %rd1;\n"
                                 "    ld.global.u32 %r1, [%rd2];\n"
                                 "    { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1;\n"
                                 "      call.uni (q), twice, (p); ld.param.b32 %r2, [q]; }\n"
                                 "    st.global.u32 [%rd2], %r2;\n"
                                 "    ret;\n"
                                 "}\n";
static char has_twice[] = HEAD ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                               "{\n"
                               "    .reg .b32 %r<5>;\n"
                               "    ld.param.b32 %r1, [x];\n"
                               "    shl.b32 %r4, %r1, 1;\n"
                               "    st.param.b32 [r], %r4;\n"
                               "    ret;\n"
                               "}\n";

static int run_linked(const void *image)
{
    CUmodule module = NULL;
    CUfunction function = NULL;
    CUdeviceptr memory = 0;
    int value = 21, error = 0;
    void *args[] = {&memory};
    TRY(cuMemAlloc_v2, &memory, sizeof value);
    TRY(cuMemcpyHtoD_v2, memory, &value, sizeof value);
    TRY(cuModuleLoadData, &module, image);
    TRY(cuModuleGetFunction, &function, module, "run");
    TRY(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL);
    if (error == 0)
        error = expect_word(memory, 42);
    if (module != NULL)
        END(cuModuleUnload, module);
    if (memory != 0)
        END(cuMemFree_v2, memory);
    return error;
}

static int link_now(CUlinkState link, const char *path)
{
    void *image = NULL;
    size_t bytes = 0;
    int error = 0;
    TRY(cuLinkAddData_v2, link, CU_JIT_INPUT_PTX, calls_twice, sizeof calls_twice, "one", 0, NULL,
        NULL);
    TRY(cuLinkAddFile_v2, link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL);
    TRY(cuLinkComplete, link, &image, &bytes);
    return error == 0 ? run_linked(image) : error;
}

static int link_by_old_names(const char *path)
{
    CUlinkState link = NULL;
    void *image = NULL;
    size_t bytes = 0;
    int error = 0;
    TRY(cuLinkCreate, 0, NULL, NULL, &link);
    TRY(cuLinkAddData, link, CU_JIT_INPUT_PTX, calls_twice, sizeof calls_twice, "one", 0, NULL,
        NULL);
    TRY(cuLinkAddFile, link, CU_JIT_INPUT_PTX, path, 0, NULL, NULL);
    TRY(cuLinkComplete, link, &image, &bytes);
    if (link != NULL)
        END(cuLinkDestroy, link);
    return error;
}

int operation_driver_link(void)
{
    CUlinkState link = NULL;
    const char *path = code_file(has_twice);
    int error = path == NULL ? CUDA_ERROR_OUT_OF_MEMORY : use_device();
    TRY(cuLinkCreate_v2, 0, NULL, NULL, &link);
    if (error == 0)
        error = link_now(link, path);
    if (link != NULL)
        END(cuLinkDestroy, link);
    if (error == 0)
        error = link_by_old_names(path);
    if (path != NULL)
        unlink(path);
    return error;
}
