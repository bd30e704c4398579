/* Semantics of kernel launches and kernel attributes.
 * SPDX-License-Identifier: Apache-2.0
 */
#include <limits.h>

#include "../oracle.h"

static cudaError_t noop_launch(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, size_t shared, cudaStream_t stream)
{
    dim3 grid = {gx, gy, gz};
    dim3 block = {bx, by, bz};
    return cudaLaunchKernel(kernel(KERNEL_NOOP), grid, block, NULL, shared, stream);
}

void case_launch_sizes(void)
{
    struct cudaDeviceProp p;
    cudaStream_t bogus = (cudaStream_t)(uintptr_t)3;
    REQUIRE(cudaGetDeviceProperties(&p, 0));
    (void)kernel(KERNEL_NOOP);
    TRY(noop_launch(1, 1, 1, 1, 1, 1, 0, NULL));
    TRY(noop_launch(0, 1, 1, 1, 1, 1, 0, NULL));
    TRY(noop_launch(1, 0, 1, 1, 1, 1, 0, NULL));
    TRY(noop_launch(1, 1, 0, 1, 1, 1, 0, NULL));
    TRY(noop_launch(1, 1, 1, 0, 1, 1, 0, NULL));
    TRY(noop_launch(1, 1, 1, 1, 0, 1, 0, NULL));
    TRY(noop_launch(1, 1, 1, 1, 1, 0, 0, NULL));
    TRY(noop_launch(0, 0, 0, 0, 0, 0, 0, NULL));
    TRY(noop_launch(1, 1, 1, 1024, 1, 1, 0, NULL));
    TRY(noop_launch(1, 1, 1, 1025, 1, 1, 0, NULL));
    TRY(noop_launch(1, 1, 1, 1024, 2, 1, 0, NULL));
    TRY(noop_launch(1, 1, 1, 1, 1025, 1, 0, NULL));
    TRY(noop_launch(1, 1, 1, 1, 1, 64, 0, NULL));
    TRY(noop_launch(1, 1, 1, 1, 1, 65, 0, NULL));
    TRY(noop_launch(1, 1, 1, 65536, 65536, 1, 0, NULL));
    TRY(noop_launch(1, 1, 1, UINT_MAX, UINT_MAX, UINT_MAX, 0, NULL));
    TRY(noop_launch(1, 65535, 1, 1, 1, 1, 0, NULL));
    TRY(noop_launch(1, 65536, 1, 1, 1, 1, 0, NULL));
    TRY(noop_launch(1, 1, 65536, 1, 1, 1, 0, NULL));
    TRY(noop_launch(100000, 1, 1, 1, 1, 1, 0, NULL));
    TRY(noop_launch(0x80000000u, 1, 1, 1, 1, 1, 0, NULL));
    TRY(noop_launch(UINT_MAX, 1, 1, 1, 1, 1, 0, NULL));
    TRY_AS(noop_launch(1, 1, 1, 1, 1, 1, p.sharedMemPerBlock, NULL), "shared: sharedMemPerBlock");
    TRY_AS(noop_launch(1, 1, 1, 1, 1, 1, p.sharedMemPerBlock + 1, NULL), "shared: one more");
    TRY(noop_launch(1, 1, 1, 1, 1, 1, 1 * MIB, NULL));
    TRY(noop_launch(1, 1, 1, 1, 1, 1, SIZE_MAX, NULL));
    TRY(noop_launch(1, 1, 1, 1, 1, 1, (size_t)1 << 32, NULL));
    TRY(noop_launch(0, 1, 1, 1, 1, 1, SIZE_MAX, NULL));
    TRY(noop_launch(1, 1, 1, 2000, 1, 1, SIZE_MAX, NULL));
    TRY(noop_launch(1, 1, 1, 1, 1, 1, 0, cudaStreamLegacy));
    TRY(noop_launch(1, 1, 1, 1, 1, 1, 0, cudaStreamPerThread));
    TRY(noop_launch(0, 1, 1, 1, 1, 1, 0, bogus));
    TRY(noop_launch(1, 1, 1, 1, 1, 1, 0, bogus));
    TRY_AS(cudaGetLastError(), "cudaGetLastError after all");
}

void case_launch_function(void)
{
    static int not_a_kernel;
    dim3 one = {1, 1, 1};
    dim3 zero = {0, 0, 0};
    int *p = device_block(4096);
    int value = 3;
    void *args[] = {&p, &value};
    TRY(cudaLaunchKernel(NULL, one, one, NULL, 0, NULL));
    TRY(cudaLaunchKernel(NULL, zero, zero, NULL, SIZE_MAX, NULL));
    TRY(cudaLaunchKernel(&not_a_kernel, one, one, NULL, 0, NULL));
    TRY(cudaLaunchKernel(&not_a_kernel, zero, one, NULL, 0, NULL));
    TRY(cudaLaunchKernel((const void *)(uintptr_t)8, one, one, NULL, 0, NULL));
    TRY(cudaLaunchKernel(kernel(KERNEL_STORE), one, one, args, 0, NULL));
    VALUE(read_int(p), "stored");
    TRY(cudaLaunchKernel(kernel(KERNEL_STORE), zero, one, NULL, 0, NULL));
    TRY(cudaLaunchKernel(kernel(KERNEL_STORE), one, one, NULL, 0, NULL));
    TRY(cudaLaunchCooperativeKernel(NULL, one, one, NULL, 0, NULL));
    TRY(cudaLaunchCooperativeKernel(kernel(KERNEL_NOOP), zero, one, NULL, 0, NULL));
    TRY(cudaLaunchCooperativeKernel(kernel(KERNEL_NOOP), one, one, NULL, 0, NULL));
}

void case_launch_values(void)
{
    int *p = device_block(64 * KIB);
    int n = 1000;
    int five = 5;
    void *args[] = {&p, &n, &five};
    CALL(launch(KERNEL_ADD, 8, 128, args, 0, NULL));
    CALL(launch(KERNEL_ADD, 4, 256, args, 0, NULL));
    VALUE(read_int(p) * 100 + read_int(p + 999), "elements 0 and 999");
    VALUE(read_int(p + 1000), "element 1000");
    int *inner = p + 2001;
    void *inner_args[] = {&inner, &five};
    CALL(launch(KERNEL_STORE, 1, 1, inner_args, 0, NULL));
    VALUE(read_int(p + 2001), "interior pointer");
    struct kernel_pair pair = {11, 22, -3};
    void *pair_args[] = {&p, &pair};
    CALL(launch(KERNEL_PAIR, 1, 1, pair_args, 0, NULL));
    VALUE(read_int(p) * 10000 + read_int(p + 1) * 100 + read_int(p + 2), "struct by value");
    int threads = 64;
    void *dynamic_args[] = {&p, &threads};
    CALL(launch(KERNEL_DYNAMIC, 1, 64, dynamic_args, 64 * sizeof(int), NULL));
    VALUE(read_int(p) * 100 + read_int(p + 63), "dynamic shared memory");
    if (!device_follows_pointers()) {
        SKIP("kernels of this device cannot follow pointers in memory");
        return;
    }
    int *target = p + 3000;
    void **cell = device_block(4096);
    REQUIRE(cudaMemcpy(cell, &target, sizeof target, cudaMemcpyHostToDevice));
    void *follow_args[] = {&cell, &five};
    CALL(launch(KERNEL_FOLLOW, 1, 1, follow_args, 0, NULL));
    CALL(cudaDeviceSynchronize());
    VALUE(read_int(p + 3000), "pointer stored in memory");
}

void case_launch_extended(void)
{
    cudaLaunchConfig_t c = {0};
    cudaLaunchAttribute a[1];
    CALL(cudaLaunchKernelExC(NULL, NULL, NULL));
    CALL(cudaLaunchKernelExC(NULL, kernel(KERNEL_NOOP), NULL));
    TRY_AS(cudaLaunchKernelExC(&c, kernel(KERNEL_NOOP), NULL), "all zero");
    c.gridDim = (dim3){1, 1, 1};
    c.blockDim = (dim3){1, 1, 1};
    TRY_AS(cudaLaunchKernelExC(&c, NULL, NULL), "NULL function");
    TRY_AS(cudaLaunchKernelExC(&c, kernel(KERNEL_NOOP), NULL), "1 x 1");
    c.numAttrs = 1;
    TRY_AS(cudaLaunchKernelExC(&c, kernel(KERNEL_NOOP), NULL), "1 attribute, NULL list");
    c.attrs = a;
    for (int id = 0; id <= 17; id++) {
        a[0] = (cudaLaunchAttribute){0};
        a[0].id = (cudaLaunchAttributeID)id;
        TRY_AS(cudaLaunchKernelExC(&c, kernel(KERNEL_NOOP), NULL), "attribute %d of zeros", id);
    }
    a[0].id = (cudaLaunchAttributeID)99;
    TRY_AS(cudaLaunchKernelExC(&c, kernel(KERNEL_NOOP), NULL), "attribute 99");
    a[0].id = cudaLaunchAttributeCooperative;
    a[0].val.cooperative = 1;
    TRY_AS(cudaLaunchKernelExC(&c, kernel(KERNEL_NOOP), NULL), "cooperative");
}

void case_launch_get_attributes(void)
{
    static int not_a_kernel;
    struct cudaFuncAttributes a = {0};
    CALL(cudaFuncGetAttributes(NULL, NULL));
    CALL(cudaFuncGetAttributes(&a, NULL));
    CALL(cudaFuncGetAttributes(NULL, kernel(KERNEL_NOOP)));
    CALL(cudaFuncGetAttributes(&a, &not_a_kernel));
    CALL(cudaFuncGetAttributes(NULL, &not_a_kernel));
    CALL(cudaFuncGetAttributes(&a, kernel(KERNEL_NOOP)));
    VALUE((long long)a.sharedSizeBytes, "sharedSizeBytes");
    VALUE((long long)a.localSizeBytes, "localSizeBytes");
    DEVICE_VALUE((long long)a.constSizeBytes, "constSizeBytes");
    DEVICE_VALUE(a.maxThreadsPerBlock, "maxThreadsPerBlock");
    DEVICE_VALUE(a.numRegs, "numRegs");
    DEVICE_VALUE(a.ptxVersion, "ptxVersion");
    DEVICE_VALUE(a.binaryVersion, "binaryVersion");
    VALUE(a.cacheModeCA, "cacheModeCA");
    DEVICE_VALUE(a.maxDynamicSharedSizeBytes, "maxDynamicSharedSizeBytes");
    VALUE(a.preferredShmemCarveout, "preferredShmemCarveout");
    VALUE(a.clusterDimMustBeSet, "clusterDimMustBeSet");
    VALUE(a.nonPortableClusterSizeAllowed, "nonPortableClusterSizeAllowed");
}

void case_launch_set_attribute(void)
{
    static int not_a_kernel;
    const void *f = kernel(KERNEL_DYNAMIC);
    CALL(cudaFuncSetAttribute(NULL, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    CALL(cudaFuncSetAttribute(NULL, (enum cudaFuncAttribute)99, -1));
    CALL(cudaFuncSetAttribute(&not_a_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    CALL(cudaFuncSetAttribute(f, (enum cudaFuncAttribute)99, 0));
    CALL(cudaFuncSetAttribute(f, (enum cudaFuncAttribute)(-1), 0));
    for (int i = 0; i <= 16; i++) {
        CALL_AS(cudaFuncSetAttribute(f, (enum cudaFuncAttribute)i, 0), "attribute %d to 0", i);
    }
    CALL(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
    CALL(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
    CALL(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
    CALL(cudaFuncSetAttribute(f, cudaFuncAttributeMaxDynamicSharedMemorySize, INT_MAX));
    CALL(cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
    CALL(cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
    CALL(cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
    CALL(cudaFuncSetAttribute(f, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
    CALL(cudaFuncSetCacheConfig(NULL, cudaFuncCachePreferL1));
    CALL(cudaFuncSetCacheConfig(f, cudaFuncCachePreferL1));
    CALL(cudaFuncSetCacheConfig(f, (enum cudaFuncCache)99));
    CALL(cudaFuncSetCacheConfig(f, (enum cudaFuncCache)(-1)));
    CALL(cudaFuncSetCacheConfig(NULL, (enum cudaFuncCache)99));
}

/* The limit of dynamic shared memory that cudaFuncSetAttribute sets is the limit at launch. */
void case_launch_shared_limit(void)
{
    int *p = device_block(4096);
    int n = 4;
    void *args[] = {&p, &n};
    TRY(launch(KERNEL_DYNAMIC, 1, 4, args, 1024, NULL));
    CALL(cudaFuncSetAttribute(kernel(KERNEL_DYNAMIC), cudaFuncAttributeMaxDynamicSharedMemorySize,
                              512));
    TRY(launch(KERNEL_DYNAMIC, 1, 4, args, 1024, NULL));
    TRY(launch(KERNEL_DYNAMIC, 1, 4, args, 512, NULL));
}

void case_launch_param_info(void)
{
    static int not_a_kernel;
    size_t offset = 77;
    size_t size = 77;
    const void *f = kernel(KERNEL_ADD);
    for (size_t i = 0; i <= 4; i++) {
        offset = size = 77;
        CALL_AS(cudaFuncGetParamInfo(f, i, &offset, &size), "parameter %zu", i);
        VALUE((long long)offset, "parameter %zu: offset", i);
        VALUE((long long)size, "parameter %zu: size", i);
    }
    for (size_t i = 0; i <= 2; i++) {
        offset = size = 77;
        CALL_AS(cudaFuncGetParamInfo(kernel(KERNEL_PAIR), i, &offset, &size), "pair parameter %zu",
                i);
        VALUE((long long)offset, "pair parameter %zu: offset", i);
        VALUE((long long)size, "pair parameter %zu: size", i);
    }
    CALL(cudaFuncGetParamInfo(f, SIZE_MAX, &offset, &size));
    CALL(cudaFuncGetParamInfo(f, 0, NULL, &size));
    CALL(cudaFuncGetParamInfo(f, 0, &offset, NULL));
    CALL(cudaFuncGetParamInfo(f, 0, NULL, NULL));
    CALL(cudaFuncGetParamInfo(NULL, 0, &offset, &size));
    CALL(cudaFuncGetParamInfo(NULL, 99, NULL, NULL));
    CALL(cudaFuncGetParamInfo(&not_a_kernel, 0, &offset, &size));
    CALL(cudaFuncGetParamInfo(kernel(KERNEL_NOOP), 0, &offset, &size));
}

void case_launch_name(void)
{
    static int not_a_kernel;
    const char *name = "before";
    CALL(cudaFuncGetName(NULL, NULL));
    CALL(cudaFuncGetName(&name, NULL));
    CALL(cudaFuncGetName(NULL, kernel(KERNEL_ADD)));
    CALL(cudaFuncGetName(&name, &not_a_kernel));
    TEXT(name, "after failures");
    CALL(cudaFuncGetName(&name, kernel(KERNEL_ADD)));
    TEXT(name, "name");
}
