/* Operations of the runtime API: loading code, launching it, variables of it, PTX.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "operation.h"

enum { THREADS = 256 };

static const char code[] =
    "typedef struct { int a; char b; } pair;\n"
    "__kernel void fill(__global int *p, pair v) { p[get_global_id(0)] = v.a; }\n";

/* ---- OpenCL C ---- */

static int ask_kernel(cudaKernel_t kernel)
{
    struct cudaFuncAttributes attributes;
    const char *name = NULL;
    size_t offset = 0, size = 0, shared = 0;
    int blocks = 0, clusters = 0, size_of_cluster = 0, error = 0;
    const cudaLaunchConfig_t config = {.gridDim = {1, 1, 1}, .blockDim = {64, 1, 1}};
    const void *function = (const void *)kernel;
    TRY(cudaFuncGetAttributes, &attributes, function);
    TRY(cudaFuncSetAttribute, function, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);
    TRY(cudaKernelSetAttributeForDevice, kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024,
        0);
    TRY(cudaFuncSetCacheConfig, function, cudaFuncCachePreferL1);
    TRY(cudaFuncSetSharedMemConfig, function, cudaSharedMemBankSizeDefault);
    TRY(cudaFuncGetName, &name, function);
    TRY(cudaFuncGetParamInfo, function, 1, &offset, &size);
    CHECK(size == 8 && strcmp(name, "fill") == 0);
    CHECK(attributes.maxThreadsPerBlock > 0);
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor, &blocks, function, 64, 0);
    TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, &blocks, function, 64, 0, 0);
    TRY(cudaOccupancyAvailableDynamicSMemPerBlock, &shared, function, 1, 64);
    TRY(cudaOccupancyMaxPotentialClusterSize, &size_of_cluster, function, &config);
    TRY(cudaOccupancyMaxActiveClusters, &clusters, function, &config);
    CHECK(blocks > 0 && shared > 0 && clusters >= blocks && size_of_cluster == 1);
    return error;
}

/* A library from load to unload, and memory for its kernels: THREADS ints. */
static int use_library(const char *text, int (*use)(cudaLibrary_t library, int *memory))
{
    cudaLibrary_t library = NULL;
    void *memory = NULL;
    int error = 0;
    TRY(cudaMalloc, &memory, THREADS * sizeof(int));
    TRY(cudaLibraryLoadData, &library, text, NULL, NULL, 0, NULL, NULL, 0);
    if (error == 0)
        error = use(library, memory);
    if (library != NULL)
        END(cudaLibraryUnload, library);
    END(cudaFree, memory);
    return error;
}

static int launch_fill(cudaLibrary_t library, int *memory)
{
    struct {
        int a;
        char b;
    } pair = {42, 'x'};
    cudaLaunchConfig_t config = {.gridDim = {4, 1, 1}, .blockDim = {64, 1, 1}};
    cudaKernel_t fill = NULL;
    unsigned count = 0;
    void *args[] = {&memory, &pair};
    int last = 0, error = 0;
    TRY(cudaLibraryGetKernelCount, &count, library);
    CHECK(count == 1);
    TRY(cudaLibraryEnumerateKernels, &fill, 1, library);
    TRY(cudaLibraryGetKernel, &fill, library, "fill");
    if (error == 0)
        error = ask_kernel(fill);
    TRY(cudaLaunchKernel, (const void *)fill, (dim3){4, 1, 1}, (dim3){64, 1, 1}, args, 0, NULL);
    pair.a = 43;
    TRY(cudaLaunchKernelExC, &config, (const void *)fill, args);
    TRY(cudaMemcpy, &last, memory + 255, sizeof last, cudaMemcpyDeviceToHost);
    CHECK(last == 43);
    if (!fault_can_cooperate())
        return error;
    pair.a = 44;
    TRY(cudaLaunchCooperativeKernel, (const void *)fill, (dim3){4, 1, 1}, (dim3){64, 1, 1}, args, 0,
        NULL);
    TRY(cudaMemcpy, &last, memory + 255, sizeof last, cudaMemcpyDeviceToHost);
    CHECK(last == 44);
    return error;
}

int operation_launch(void)
{
    return use_library(code, launch_fill);
}

/* ---- Variables ---- */

static const char symbol_code[] =
    "__constant int first_counter = 7;\n"
    "#define CLEM_SYMBOLS(CONSTANT, DEVICE, MANAGED) \\\n"
    "    CONSTANT(int, step, ) DEVICE(int, counter, ) MANAGED(int, shown, )\n"
    "#define CLEM_SYMBOL_VALUES(CONSTANT, DEVICE, MANAGED) DEVICE(counter, first_counter)\n"
    "#include \"clem_symbols.h\"\n"
    "__kernel void count(CLEM_SYMBOLS_PARAMETERS)\n"
    "{ CLEM_DEVICE(counter) += CLEM_CONSTANT(step); CLEM_MANAGED(shown) = 1; }\n";

static int count_once(cudaLibrary_t library)
{
    cudaKernel_t kernel = NULL;
    void *step = NULL, *counter = NULL, *shown = NULL, *unified = NULL;
    int value = 5, error = 0;
    TRY(cudaLibraryGetKernel, &kernel, library, "count");
    TRY(cudaLibraryGetGlobal, &step, NULL, library, "step");
    TRY(cudaLibraryGetGlobal, &counter, NULL, library, "counter");
    TRY(cudaLibraryGetManaged, &shown, NULL, library, "shown");
    CHECK(CALL(cudaLibraryGetUnifiedFunction, &unified, library, "count") != 0);
    TRY(cudaMemcpy, step, &value, sizeof value, cudaMemcpyHostToDevice);
    TRY(cudaLaunchKernel, (const void *)kernel, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, NULL);
    TRY(cudaMemcpy, &value, counter, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 12);
    TRY(cudaMemcpy, &value, shown, sizeof value, cudaMemcpyDefault);
    CHECK(value == 1);
    return error;
}

int operation_symbols(void)
{
    cudaLibrary_t library = NULL;
    int error = 0;
    TRY(cudaLibraryLoadData, &library, symbol_code, NULL, NULL, 0, NULL, NULL, 0);
    if (error == 0)
        error = count_once(library);
    if (library != NULL)
        END(cudaLibraryUnload, library);
    return error;
}

/* ---- PTX ---- */

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter = 5;\n"
                          ".visible .entry bump(.param .u64 out)\n{\n"
                          "    .reg .b32 %r<4>;\n    .reg .b64 %rd<6>;\n"
                          "    ld.param.u64 %rd1, [out];\n"
                          "    cvta.to.global.u64 %rd2, %rd1;\n"
                          "    mov.u32 %r1, %tid.x;\n"
                          "    mul.wide.u32 %rd3, %r1, 4;\n"
                          "    add.s64 %rd4, %rd2, %rd3;\n"
                          "    atom.global.add.u32 %r2, [counter], 1;\n"
                          "    add.u32 %r3, %r1, 100;\n"
                          "    st.global.u32 [%rd4], %r3;\n"
                          "    ret;\n}\n";

static int bump(cudaLibrary_t library, int *memory)
{
    cudaKernel_t kernel = NULL;
    void *counter = NULL, *args[] = {&memory};
    int value = 0, error = 0;
    TRY(cudaLibraryGetKernel, &kernel, library, "bump");
    TRY(cudaLibraryGetGlobal, &counter, NULL, library, "counter");
    TRY(cudaLaunchKernel, (const void *)kernel, (dim3){1, 1, 1}, (dim3){64, 1, 1}, args, 0, NULL);
    TRY(cudaMemcpy, &value, memory + 63, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 163);
    TRY(cudaMemcpy, &value, counter, sizeof value, cudaMemcpyDeviceToHost);
    CHECK(value == 69);
    return error;
}

/* Two blocks that wait for each other by the grid's barrier, as nvcc writes it. */
static const char meeting[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                              ".visible .entry meet(.param .u64 out)\n{\n"
                              "    .reg .pred %p<2>;\n    .reg .b32 %r<9>;\n    .reg .b64 %rd<6>;\n"
                              "    ld.param.u64 %rd1, [out];\n"
                              "    cvta.to.global.u64 %rd1, %rd1;\n"
                              "    mov.u32 %r1, %envreg2;\n"
                              "    mov.u32 %r2, %envreg1;\n"
                              "    mov.b64 %rd2, {%r1, %r2};\n"
                              "    mov.u32 %r3, %ctaid.x;\n"
                              "    mul.wide.u32 %rd3, %r3, 4;\n"
                              "    add.s64 %rd3, %rd1, %rd3;\n"
                              "    add.u32 %r4, %r3, 5;\n"
                              "    st.global.u32 [%rd3], %r4;\n"
                              "    atom.add.release.gpu.u32 %r5, [%rd2+4], 1;\n"
                              "L:  ld.acquire.gpu.u32 %r6, [%rd2+4];\n"
                              "    setp.lt.u32 %p1, %r6, 2;\n"
                              "    @%p1 bra L;\n"
                              "    xor.b32 %r3, %r3, 1;\n"
                              "    mul.wide.u32 %rd4, %r3, 4;\n"
                              "    add.s64 %rd4, %rd1, %rd4;\n"
                              "    ld.global.u32 %r7, [%rd4];\n"
                              "    st.global.u32 [%rd3+8], %r7;\n"
                              "    ret;\n}\n";

static int meet(cudaLibrary_t library, int *memory)
{
    cudaKernel_t kernel = NULL;
    void *args[] = {&memory};
    int values[2] = {0, 0}, error = 0;
    TRY(cudaLibraryGetKernel, &kernel, library, "meet");
    TRY(cudaLaunchCooperativeKernel, (const void *)kernel, (dim3){2, 1, 1}, (dim3){1, 1, 1}, args,
        0, NULL);
    TRY(cudaMemcpy, values, memory + 2, sizeof values, cudaMemcpyDeviceToHost);
    CHECK(values[0] == 6 && values[1] == 5);
    return error;
}

int operation_cooperation(void)
{
    if (!fault_can_cooperate())
        exit(77);
    return use_library(meeting, meet);
}

int operation_gathering(void)
{
    return operation_cooperation();
}

int operation_ptx(void)
{
    return use_library(ptx, bump);
}

/* The same as machine code of clem's own. */
int operation_ptx_native(void)
{
    return use_library(ptx, bump);
}
